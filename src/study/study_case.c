/* SPDX-License-Identifier: Apache-2.0 */
/* study_case.c -- one case of a study.

   A case is computed from a copy of the spec, by one thread and from its own numbers only: its bits
   depend neither on the other cases nor on the number of threads or processes. */
#define _POSIX_C_SOURCE 200809L
#include "base/fail.h"
#include "linkwork/analysis.h"
#include "model/spec/spec_data.h"
#include "sim/run/simulation_data.h"
#include "sim/sensitivity/sensitivity.h"
#include "study/study_data.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  double until; /* of the processor time of this thread; infinite: no limit */
  const volatile sig_atomic_t *stop;
  bool late;
} watch;

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int look_at_clock(void *context, double t)
{
  watch *w = context;
  (void)t;
  if (isfinite(w->until)) w->late = w->late || processor_time() > w->until;
  return w->late || (w->stop && *w->stop);
}

/* The model with the values of a case. */
static lw_model *compile_case(const lw_study *y, const double value[], lw_error *err)
{
  lw_spec *s = lwi_spec_copy(y->spec);
  lw_model *m = NULL;
  if (!s) return lwi_out_of_memory(err, NULL), NULL;
  lw_status status = LW_OK;
  for (int i = 0; i < y->o.design.nfactor && status == LW_OK; i++)
    status = lw_set_parameter(s, y->factor[i].name, value[i]);
  if (status == LW_OK)
    m = lw_compile(s, err);
  else
    lwi_fail(err, status, "the parameters cannot be set: %s", lw_status_text(status));
  lw_spec_free(s);
  return m;
}

/* A run with objectives and columns, ready to start; the model must outlive it. */
static lw_sensitivity *open_run(const lw_study *y, const lw_model *m, lw_error *err)
{
  const bool settles = lw_simulation_defaults(m).start_in_equilibrium;
  const lw_sensitivity_options o = {.simulation = y->o.simulation,
                                    .columns = y->columns,
                                    .start = settles ? lw_equilibrium_start : NULL};
  return lwi_sensitivity_new_plain(m, &o, err);
}

/* The name of the file of a run: % is the number of the case.  NULL: no memory. */
static char *name_run(const char *pattern, long index)
{
  char number[24], *name = NULL;
  size_t size = 0;
  snprintf(number, sizeof number, "%ld", index + 1);
  FILE *f = open_memstream(&name, &size);
  if (!f) return NULL;
  for (; *pattern; pattern++)
    if (*pattern == '%')
      fputs(number, f);
    else
      fputc(*pattern, f);
  if (fclose(f) == 0) return name;
  free(name);
  return NULL;
}

/* Without the restarts that files of results have for resuming: their bits are those of every run of this case. */
static lw_run_options keep_bits(const lw_run_options *how)
{
  lw_run_options o = how ? *how : (lw_run_options){0};
  if (o.checkpoint == 0) o.checkpoint = LONG_MAX;
  return o;
}

static lw_status note_row(void *context, const lw_row *row)
{
  if (row->event) lwi_case_events_note(context, row->event, row->after);
  return LW_OK;
}

/* From row to row, perhaps with a file. */
static lw_status run_rows(const lw_study *y, lw_sensitivity *s, long index, lwi_case_events *events,
                          lw_error *err)
{
  char *path = y->runs ? name_run(y->runs, index) : NULL;
  if (y->runs && !path) return lwi_out_of_memory(err, "a study");
  const lw_run_options how =
      keep_bits(&(lw_run_options){.output = path, .on_row = note_row, .context = events});
  const lw_status status = lw_sensitivity_run(s, &how, NULL, err);
  free(path);
  return status;
}

/* To its own end, which an event may bring about.  Fixed steps are those between the rows of a table: they are the same
   where none is written. */
static lw_status run_to_end(const lw_study *y, lw_sensitivity *s, long index,
                            lwi_case_events *events, lw_error *err)
{
  lw_simulation *sim = lw_sensitivity_simulation(s);
  const lw_simulation_options used = lw_simulation_used(sim);
  if (y->runs || used.integrator == LW_INTEGRATOR_RK4 || used.integrator == LW_INTEGRATOR_EULER)
    return run_rows(y, s, index, events, err);
  lw_sensitivity_on_event(s, lwi_case_events_note, events);
  return lw_sensitivity_advance(s, used.end, NULL, NULL, NULL, NULL, err);
}

static void compute(const lw_study *y, long index, const double value[], watch *w, double result[],
                    double *t, lw_error *err)
{
  const lwi_case_results *r = &y->results;
  double *event = malloc(((size_t)r->n + 1) * sizeof *event);
  lwi_case_events events;
  *err = (lw_error){.status = LW_OK};
  *t = 0;
  for (int i = 0; i < r->n; i++)
    result[i] = (double)NAN;
  w->until = y->o.limit > 0 ? processor_time() + y->o.limit : HUGE_VAL;
  if (!event) lwi_out_of_memory(err, "a study");
  lw_model *m = event ? compile_case(y, value, err) : NULL;
  lw_sensitivity *s = m ? open_run(y, m, err) : NULL;
  if (s) {
    lw_simulation *sim = lw_sensitivity_simulation(s);
    lw_simulation_interrupt(sim, look_at_clock, w);
    lwi_case_events_start(&events, r, event);
    lw_status status = run_to_end(y, s, index, &events, err);
    *t = lw_simulation_time(sim);
    if (status == LW_E_STOPPED && sim->over) status = LW_OK; /* by an event */
    if (status == LW_OK) status = lwi_case_results_collect(r, s, event, result, err);
    if (status == LW_OK) err->status = LW_OK;
    if (w->late)
      lwi_fail(err, LW_E_STOPPED, "the limit of %.10g s was reached at t = %.10g", y->o.limit, *t);
  }
  lw_sensitivity_free(s);
  lw_model_free(m);
  free(event);
}

lw_status lw_study_compute(const lw_study *y, long index, lw_computed_case *out)
{
  if (!y || !out || !out->value || !out->result || index < 0 || index >= y->cases) return LW_E_ARG;
  watch w = {.stop = out->stop};
  lw_design_values(&y->o.design, index, out->value);
  compute(y, index, out->value, &w, out->result, &out->t, &out->err);
  if (out->err.status == LW_E_MEMORY) return LW_E_MEMORY;
  return !w.late && out->stop && *out->stop ? LW_E_STOPPED : LW_OK;
}

lw_status lw_study_run_case(const lw_study *y, long index, const lw_run_options *how, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!y || index < 0 || index >= y->cases)
    return lwi_fail(err, LW_E_ARG, "there is no case %ld", index + 1);
  double *value = malloc((size_t)y->o.design.nfactor * sizeof *value);
  lw_model *m = NULL;
  lw_status status =
      value ? lw_design_values(&y->o.design, index, value) : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) m = compile_case(y, value, err);
  lw_sensitivity *s = m ? open_run(y, m, err) : NULL;
  const lw_run_options same_bits = keep_bits(how);
  status = s ? lw_sensitivity_run(s, &same_bits, NULL, err) : err->status;
  lw_sensitivity_free(s);
  lw_model_free(m);
  free(value);
  return status;
}
