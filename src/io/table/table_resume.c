/* SPDX-License-Identifier: Apache-2.0 */
/* table_resume.c -- checkpoints of a run, which begins anew at each of them, and a run that goes on
   from the last one of a file (sim/run/checkpoint.h, transitions.h). */
#include "base/fail.h"
#include "io/file/file_text.h"
#include "io/table/table_run.h"
#include "sim/output/columns.h"
#include "sim/run/checkpoint.h"
#include "sim/run/simulation_data.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of this loop before those of the simulation: the last event, the next output time,
   steps so far, how many they are, and what columns remember. */
enum { EVENT, NEXT, STEPS, SIZE, OWN };

static size_t pass_columns(lwi_run *r, double *x, bool load)
{
  size_t count = 0;
  for (int which = 0; which < 2 && r->columns; which++) {
    int n;
    double *memory = lwi_columns_memory(r->columns, which, &n);
    if (x && n > 0 && load) memcpy(memory, x + count, (size_t)n * sizeof *x);
    if (x && n > 0 && !load) memcpy(x + count, memory, (size_t)n * sizeof *x);
    count += (size_t)n;
  }
  return count;
}

lw_status lwi_run_open_columns(lwi_run *r, lw_error *err)
{
  lw_columns_free(r->columns);
  r->columns = lw_columns_new(r->first, r->o.columns, err);
  return r->columns ? lw_columns_follow(r->columns, r->sim, err) : err->status;
}

bool lwi_run_prepare_checkpoints(lwi_run *r)
{
  if (r->s) return true;
  lwi_transitions_begin(r->sim);
  r->ncheckpoint = OWN + pass_columns(r, NULL, false) + lwi_checkpoint_size(r->sim);
  r->checkpoint = calloc(r->ncheckpoint, sizeof *r->checkpoint);
  return r->checkpoint;
}

/* Begins anew: the simulation and the columns are those of a run that is resumed here. */
static lw_status go_on(lwi_run *r, lw_error *err)
{
  const double *x = r->checkpoint;
  lw_status status = lwi_checkpoint_load(r->sim, x + (size_t)x[SIZE], err);
  if (status == LW_OK && r->columns) status = lwi_run_open_columns(r, err);
  if (status != LW_OK) return status;
  pass_columns(r, r->checkpoint + OWN, true);
  r->event = x[EVENT];
  r->next = (long)x[NEXT];
  r->kept = (long)x[STEPS];
  r->report.t = lw_simulation_time(r->sim);
  return LW_OK;
}

lw_status lwi_run_note_transitions(lwi_run *r)
{
  const lwi_transitions *all = &r->sim->transitions;
  lw_status status = LW_OK;
  if (!r->checkpoint || !r->table || !r->table->format->checkpoint) return LW_OK;
  for (; r->noted < all->n && status == LW_OK; r->noted += LWI_TRANSITION_BLOCK)
    status = r->table->format->add(r->table, LWI_RECORD_TRANSITION, all->x + r->noted);
  return status;
}

lw_status lwi_run_keep_checkpoint(lwi_run *r, lw_error *err)
{
  enum { STEPS_BETWEEN = 5000 };
  const long steps = r->checkpoint ? lw_simulation_report(r->sim).steps : 0,
             between = r->o.checkpoint > 0 ? r->o.checkpoint : STEPS_BETWEEN;
  const size_t own = OWN + pass_columns(r, NULL, false);
  if (steps - r->kept < between || own > r->ncheckpoint ||
      !lwi_checkpoint_is_possible(r->sim, r->ncheckpoint - own))
    return LW_OK;
  double *x = r->checkpoint;
  memset(x, 0, r->ncheckpoint * sizeof *x);
  x[EVENT] = r->event;
  x[NEXT] = (double)r->next;
  x[STEPS] = (double)steps;
  x[SIZE] = (double)own;
  pass_columns(r, x + OWN, false);
  lw_status status = lwi_checkpoint_save(r->sim, x + own);
  if (status != LW_OK)
    return lwi_fail(err, status, "the state at t = %.10g cannot be computed: %s",
                    lw_simulation_time(r->sim), lw_status_text(status));
  const bool is_file = r->table && r->table->format->checkpoint;
  status = lwi_run_note_transitions(r);
  if (status == LW_OK && is_file) status = r->table->format->checkpoint(r->table, x);
  return status == LW_OK ? go_on(r, err) : status;
}

/* Copies what comes before the checkpoint x. */
static lw_status copy_results(lwi_run *r, lw_results *from, const double x[], lw_error *err)
{
  const long rows = (long)x[LWI_CHECKPOINT_ROWS];
  lw_status status = LW_OK;
  enum { AT_ONCE = 256 };
  const long width = lw_results_columns(from);
  double *block = malloc(AT_ONCE * (size_t)width * sizeof *block);
  if (!block) status = lwi_fail(err, LW_E_MEMORY, "%s", lw_status_text(LW_E_MEMORY));
  for (long first = 0; first < rows && status == LW_OK; first += AT_ONCE) {
    const long n = rows - first < AT_ONCE ? rows - first : AT_ONCE;
    status = lw_results_read_rows(from, first, n, block, err);
    for (long i = 0; i < n && status == LW_OK; i++)
      status = lw_table_write(r->table, block + i * width);
  }
  free(block);
  for (int kind = 0; kind < LWI_RECORD_STATUS; kind++)
    for (int i = 0; i < (int)x[LWI_CHECKPOINT_RECORDS + kind] && status == LW_OK; i++)
      status = r->table->format->add(r->table, (lwi_record_kind)kind,
                                     (const char *)from->record[kind].item +
                                         (size_t)i * lwi_record_size((lwi_record_kind)kind));
  r->report.rows = rows;
  return status;
}

/* The simulation goes through the transitions of the file. */
static lw_status repeat_transitions(lwi_run *r, const double x[], lw_error *err)
{
  const lwi_record_list *l = &r->from->record[LWI_RECORD_TRANSITION];
  const double *numbers = x + (size_t)x[SIZE];
  const size_t n = lwi_checkpoint_transitions(numbers);
  if (n > (size_t)l->n * LWI_TRANSITION_BLOCK)
    return lwi_file_fail(err, LW_E_FILE, (lwi_position){.file = r->o.resume},
                         "the checkpoint counts transitions that the file does not have");
  r->noted = n;
  return lwi_checkpoint_repeat(r->sim, numbers, (const double *)l->item, err);
}

lw_status lwi_run_resume(lwi_run *r, lw_error *err)
{
  size_t n = 0;
  lw_results *from = r->from;
  double *x = r->checkpoint ? lwi_results_last_checkpoint(from, &n) : NULL;
  lw_status status = LW_OK;
  if (lw_results_columns(from) != lwi_run_cells(r) ||
      (x && n != LWI_CHECKPOINT_HEAD + r->ncheckpoint))
    status = lwi_file_fail(err, LW_E_FILE, (lwi_position){.file = r->o.resume},
                           "these are results of another model, or with other columns");
  if (status == LW_OK && x) status = copy_results(r, from, x, err);
  if (status == LW_OK && x) {
    memcpy(r->checkpoint, x + LWI_CHECKPOINT_HEAD, r->ncheckpoint * sizeof *x);
    status = r->table->format->checkpoint(r->table, r->checkpoint);
    if (status == LW_OK) status = repeat_transitions(r, r->checkpoint, err);
    if (status == LW_OK) status = go_on(r, err);
  }
  free(x);
  return status;
}
