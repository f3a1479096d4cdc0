/* SPDX-License-Identifier: Apache-2.0 */
/* table_run.c -- a whole run as a table: rows at the output times and at events, until the end, a
   failure or a request to stop.  The same loop serves simulations and sensitivities. */
#include "base/fail.h"
#include "io/table/table_run.h"
#include "linkwork/file.h"
#include "linkwork/sensitivity.h"
#include "linkwork/query.h"
#include "linkwork/events.h"
#include "sim/output/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* Results, then derivatives, which are computed even without a table: signs of quaternions follow
   the rows. */
static lw_status find_cells(lwi_run *r)
{
  lw_status status = LW_OK;
  if (r->columns) status = lw_columns_row(r->columns, r->report.t, r->q, r->u, r->cells);
  if (!r->s || status != LW_OK) return status;
  status = lw_sensitivity_row(r->s, r->row, r->columns ? r->drow : NULL);
  double *to = r->cells + r->ncolumn;
  for (int k = 0; k < r->np && r->columns; k++)
    for (int i = 1; i < r->nderived; i++) /* t is first */
      *to++ = r->drow[k * r->nderived + i];
  return status;
}

static lw_status put_row(lwi_run *r, const lw_event_report *event, bool after)
{
  const lw_model *m = !event ? lw_simulation_model(r->sim) : after ? event->after : event->before;
  const lw_row row = {.t = r->report.t,
                      .model = m,
                      .q = r->q,
                      .u = r->u,
                      .cells = r->columns ? r->cells : NULL,
                      .ncell = lwi_run_cells(r),
                      .event = event,
                      .after = after};
  lw_status status = find_cells(r);
  if (status == LW_OK && r->table) status = lw_table_write(r->table, r->cells);
  if (status == LW_OK && r->o.on_row) status = r->o.on_row(r->o.context, &row);
  if (status == LW_OK) r->report.rows++;
  return status;
}

/* Rows just before and just after an event. */
static int on_event(void *context, const lw_event_report *e, bool after)
{
  lwi_run *r = context;
  const lw_model *m = after ? e->after : e->before;
  const double *q = after ? e->q_after : e->q_before, *u = after ? e->u_after : e->u_before;
  r->event = r->report.t = e->time;
  memcpy(r->q, q, (size_t)lw_nq_all(m) * sizeof(double));
  memcpy(r->u, u, (size_t)lw_nu_all(m) * sizeof(double));
  r->status = LW_OK;
  if (after && r->table && r->table->format->event)
    r->status = r->table->format->event(r->table, e);
  if (r->status == LW_OK) r->status = put_row(r, e, after);
  if (r->status == LW_OK && after) r->status = lwi_run_note_transitions(r);
  return r->status != LW_OK || (r->o.stop && *r->o.stop);
}

/* Do the rows of an event, just written or about to be, replace the one at t? */
static bool is_event_row(const lwi_run *r, double t, const lw_simulation_options *o)
{
  const double rounding = 1e-9 * o->output_step, next = lw_simulation_next_event(r->sim);
  return fabs(r->event - t) <= rounding || (next <= t + rounding && next <= o->end);
}

/* ---- the loop ---- */

/* How far the run is, for formats that hold more than rows. */
static void note_progress(lwi_run *r, lw_run_state state, const char *message)
{
  if (!r->table || !r->table->format->progress) return;
  const lw_simulation_statistics s = lw_simulation_report(r->sim);
  r->table->format->progress(r->table, r->report.t, &s, state, message);
}

/* A failure to write ends the run. */
static int on_step(void *context, double t)
{
  lwi_run *r = context;
  if (r->o.stop && *r->o.stop) return 1;
  if (r->table && r->table->format->look) {
    note_progress(r, LW_RUN_UNFINISHED, NULL);
    r->status = r->table->format->look(r->table);
    if (r->status != LW_OK) return 1;
  }
  return r->o.on_step ? r->o.on_step(r->o.context, t) : 0;
}

static lw_status advance(lwi_run *r, double t, lw_error *err)
{
  if (on_step(r, r->report.t)) return r->status != LW_OK ? r->status : LW_E_STOPPED;
  const lw_status status = r->s ? lw_sensitivity_advance(r->s, t, r->q, r->u, NULL, NULL, err)
                                : lw_simulation_advance(r->sim, t, r->q, r->u, err);
  if (status == LW_OK) lw_simulation_cut_joints(r->sim, r->q, r->u);
  return status;
}

/* Why a row could not be computed.  Failures to write the table are reported when it is closed. */
static void explain_row(const lwi_run *r, lw_status status, lw_error *err)
{
  const lw_model *m = lw_simulation_model(r->sim);
  lw_work *w = lw_work_new(m);
  char what[40];
  snprintf(what, sizeof what, "at t = %g", r->report.t);
  lw_explain(w, r->report.t, r->q, r->u, status, what, err);
  lw_work_free(w);
}

static long first_row(const lwi_run *r)
{
  const long rows = lw_simulation_rows(r->sim);
  long k = 0;
  while (k < rows && lw_simulation_row_time(r->sim, k) < lw_simulation_time(r->sim))
    k++;
  return k;
}

static lw_status walk(lwi_run *r, lw_error *err)
{
  const lw_simulation_options o = lw_simulation_used(r->sim);
  lw_status status = LW_OK;
  r->next = first_row(r);
  if (r->o.resume) status = lwi_run_resume(r, err);
  while (r->next < lw_simulation_rows(r->sim) && status == LW_OK) {
    const double t = lw_simulation_row_time(r->sim, r->next++);
    status = advance(r, t, err);
    if (status == LW_OK) {
      r->report.t = t;
      if (!is_event_row(r, t, &o)) r->status = put_row(r, NULL, false);
    }
    if (r->status != LW_OK) explain_row(r, status = r->status, err);
    if (status == LW_OK) status = lwi_run_keep_checkpoint(r, err);
  }
  if (status != LW_E_STOPPED || r->status != LW_OK) return status;
  if (lw_simulation_is_over(r->sim)) return LW_OK;
  return lwi_fail(err, LW_E_STOPPED, "interrupted; the results end at t = %g", r->report.t);
}

/* ---- the table ---- */

/* "d(q.A)/d(La)" */
static char *derivative_name(const char *column, const char *parameter)
{
  const size_t size = strlen(column) + strlen(parameter) + sizeof "d()/d()";
  char *name = malloc(size);
  if (name) snprintf(name, size, "d(%s)/d(%s)", column, parameter);
  return name;
}

/* Names of all cells: those of columns, then of the derivatives of every differentiated column but
   t, which are allocated here. */
static bool name_cells(const lwi_run *r, const char *name[], const char *unit[], char *made[])
{
  const lw_model *m = lw_simulation_model(r->sim);
  const int nplain = r->ncolumn, nderived = r->s ? r->nderived - 1 : 0;
  for (int i = 0; i < nplain; i++) {
    name[i] = lw_columns_name(r->columns, i);
    unit[i] = lw_columns_unit(r->columns, i);
  }
  for (int k = 0; k < r->np * nderived; k++) {
    const int parameter = lw_sensitivity_parameter(r->s, k / nderived);
    made[k] = derivative_name(lw_columns_name(lw_sensitivity_columns(r->s), 1 + k % nderived),
                              lw_parameter_name(m, parameter));
    if (!made[k]) return false;
    name[nplain + k] = made[k];
    unit[nplain + k] = "";
  }
  return true;
}

static lw_status open_table(lwi_run *r, lw_error *err)
{
  const int n = lwi_run_cells(r);
  const char **name = calloc(2 * (size_t)n + 1, sizeof *name), **unit = name ? name + n : NULL;
  char **made = calloc((size_t)n + 1, sizeof *made);
  const lwi_results_head head = {.path = r->o.output,
                                 .names = name,
                                 .units = unit,
                                 .n = n,
                                 .model = lw_simulation_model(r->sim),
                                 .used = lw_simulation_used(r->sim),
                                 .checkpoint = r->ncheckpoint,
                                 .record = r->o.record};
  if (name && made && name_cells(r, name, unit, made))
    r->table = lwi_table_create(&head, err);
  else
    lwi_fail(err, LW_E_MEMORY, "%s", lw_status_text(LW_E_MEMORY));
  for (int k = 0; k < n && made; k++)
    free(made[k]);
  free(made);
  free(name);
  return r->table ? LW_OK : err->status;
}

/* ---- the parts ---- */

static lw_status allocate(lwi_run *r, lw_error *err)
{
  int nq, nu;
  lw_simulation_capacity(r->sim, &nq, &nu);
  const size_t nderived = (size_t)r->nderived, nderivative = nderived * (size_t)r->np;
  const size_t n = (size_t)nq + (size_t)nu + (size_t)r->ncolumn + nderived + 2 * nderivative;
  r->own = calloc(n + 1, sizeof *r->own);
  if (!r->own) return lwi_fail(err, LW_E_MEMORY, "%s", lw_status_text(LW_E_MEMORY));
  r->q = r->o.q ? r->o.q : r->own;
  r->u = r->o.u ? r->o.u : r->own + nq;
  r->row = r->own + nq + nu;
  r->drow = r->row + nderived;
  r->cells = r->drow + nderivative;
  return LW_OK;
}

static lw_status prepare(lwi_run *r, lw_error *err)
{
  if (r->s) {
    r->np = lw_sensitivity_nparameter(r->s);
    r->nderived = lw_columns_count(lw_sensitivity_columns(r->s));
  }
  if (r->o.output || r->o.columns) {
    if (lwi_run_open_columns(r, err) != LW_OK) return err->status;
    r->ncolumn = lw_columns_count(r->columns);
  }
  lw_status status = allocate(r, err);
  if (status == LW_OK && !lwi_run_prepare_checkpoints(r))
    status = lwi_fail(err, LW_E_MEMORY, "%s", lw_status_text(LW_E_MEMORY));
  if (status == LW_OK && r->o.resume && !(r->from = lw_results_open(r->o.resume, err)))
    status = err->status;
  if (status == LW_OK && r->o.output) status = open_table(r, err);
  return status;
}

static void listen(lwi_run *r, bool on)
{
  lw_step_callback step = on ? on_step : NULL;
  lw_event_callback event = on ? on_event : NULL;
  if (r->s) {
    lw_sensitivity_watch(r->s, step, r);
    lw_sensitivity_on_event(r->s, event, r);
  } else {
    lw_simulation_watch(r->sim, step, r);
    lw_simulation_on_event(r->sim, event, r);
  }
}

static lw_status walk_and_close(lwi_run *r, lw_error *err)
{
  lw_error file = {.status = LW_OK};
  listen(r, true);
  lw_status status = walk(r, err);
  if (status == LW_OK) status = lwi_run_note_transitions(r);
  note_progress(r, status == LW_OK ? LW_RUN_COMPLETE : LW_RUN_STOPPED,
                status == LW_OK ? NULL : err->text);
  const lw_status closed = lw_table_close(r->table, &file);
  listen(r, false);
  if (closed == LW_OK || (status != LW_OK && status != LW_E_FILE)) return status;
  *err = file;
  return closed;
}

static lw_status do_run(lw_simulation *sim, lw_sensitivity *s, const lw_run_options *options,
                        lw_run_report *report, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  lwi_run r = {.sim = sim,
               .s = s,
               .o = options ? *options : (lw_run_options){0},
               .first = lw_simulation_model(sim),
               .event = -HUGE_VAL,
               .report.t = lw_simulation_time(sim)};
  lw_status status = prepare(&r, err);
  if (status == LW_OK) status = walk_and_close(&r, err);
  if (report) *report = r.report;
  lw_columns_free(r.columns);
  free(r.checkpoint);
  lw_results_free(r.from);
  free(r.own);
  return status;
}

lw_status lw_simulation_run(lw_simulation *sim, const lw_run_options *options,
                            lw_run_report *report, lw_error *err)
{
  if (!sim) return lwi_fail(err, LW_E_ARG, "lw_simulation_run: an argument is missing");
  return do_run(sim, NULL, options, report, err);
}

lw_status lw_sensitivity_run(lw_sensitivity *s, const lw_run_options *options,
                             lw_run_report *report, lw_error *err)
{
  if (!s) return lwi_fail(err, LW_E_ARG, "lw_sensitivity_run: an argument is missing");
  return do_run(lw_sensitivity_simulation(s), s, options, report, err);
}
