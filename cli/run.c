/* SPDX-License-Identifier: Apache-2.0 */
/* run.c -- linkwork run: simulate, write a table or a summary. */
#include "files.h"
#include "run_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', "FILE.csv", "write the results as a table; without it a summary is printed"},
    SET_OPTION,
    SPAN_OPTIONS,
    {"columns", 0, "LIST", "only these columns: names and patterns, e.g. 't,q.*,energy.total'"},
    FORMULATION_OPTIONS,
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4, euler"},
    TOLERANCE_OPTIONS,
    JSON_OPTION,
    {"quiet", 'q', NULL, "no progress and no messages but errors"},
    {"report", 0, "FILE.html", NULL},
    {0}};

/* Called after each step of the integration. */
static int watch(void *context, double t)
{
  run_result *r = context;
  progress_show(&r->progress, t / r->used.end);
  return interrupts_came();
}

/* ... and within steps. */
static int is_interrupted(void *context, double t)
{
  (void)context, (void)t;
  return interrupts_came();
}

/* What a run needs; NULL where it failed or is not wanted. */
typedef struct {
  lw_simulation *sim;
  lw_columns *columns;
  lw_csv *csv;
  double *row;
  run_result *result;
  double event;     /* time of the last one: its rows stand for one of the table at that time */
  lw_status status; /* of a row of an event */
} run_parts;

/* A row at the state in the result. */
static lw_status write_row(run_parts *p)
{
  run_result *r = p->result;
  lw_status status = LW_OK;
  if (p->csv) {
    status = lw_columns_row(p->columns, r->t, r->q, r->u, p->row);
    if (status == LW_OK) status = lw_csv_write(p->csv, p->row);
  }
  if (status == LW_OK) status = run_result_add(r);
  if (status == LW_OK) r->rows++;
  return status;
}

/* Rows just before and just after an event. */
static int on_event(void *context, const lw_event_report *e, bool after)
{
  run_parts *p = context;
  run_result *r = p->result;
  const lw_model *m = after ? e->after : e->before;
  const double *q = after ? e->q_after : e->q_before, *u = after ? e->u_after : e->u_before;
  r->t = e->time;
  memcpy(r->q, q, (size_t)lw_nq_all(m) * sizeof(double));
  memcpy(r->u, u, (size_t)lw_nu_all(m) * sizeof(double));
  p->event = e->time;
  p->status = write_row(p);
  if (p->status == LW_OK && after && !run_events_add(&r->events, e)) p->status = LW_E_MEMORY;
  return p->status != LW_OK || interrupts_came();
}

/* Do the rows of an event, just written or just to come, stand for the one at t? */
static bool is_event_row(const run_parts *p, double t)
{
  const lw_simulation_options *o = &p->result->used;
  const double rounding = 1e-9 * o->output_step, next = lw_simulation_next_event(p->sim);
  return fabs(p->event - t) <= rounding || (next <= t + rounding && next <= o->end);
}

/* All rows, from row 0 at t = 0. */
static lw_status simulate(run_parts *p, lw_error *err)
{
  run_result *r = p->result;
  lw_status status = LW_OK;
  for (long k = 0; k < lw_simulation_rows(p->sim) && status == LW_OK; k++) {
    const double t = lw_simulation_row_time(p->sim, k);
    status = interrupts_came() ? LW_E_STOPPED : lw_simulation_advance(p->sim, t, r->q, r->u, err);
    if (p->status != LW_OK) status = p->status;
    if (status == LW_OK) {
      lw_simulation_cut_joints(p->sim, r->q, r->u);
      r->t = t;
      if (!is_event_row(p, t)) status = p->status = write_row(p);
    }
    if (p->status != LW_OK) say_where(err, status, p->sim, r->t, r->q, r->u);
  }
  return status == LW_E_STOPPED && lw_simulation_is_over(p->sim) ? LW_OK : status;
}

static int report(const cli_args *a, const run_result *r, lw_status status, const lw_error *err)
{
  const char *path = args_text(a, "output");
  lw_error stopped = {.status = LW_E_STOPPED};
  if (!args_has(a, "quiet")) run_result_warn(a, r);
  warn_of_run(a, &r->used, &r->statistics);
  warn_of_no_table(a, "columns");
  if (status == LW_E_STOPPED) {
    snprintf(stopped.text, sizeof stopped.text, "interrupted; the results end at t = %g", r->t);
    err = &stopped;
  } else if (status == LW_OK) {
    err = NULL;
  }
  if (r->rows > 0 && args_has(a, "json")) {
    if (!run_result_json(a, r, err)) return CLI_FAILED;
  } else if (r->rows > 0 && !path) {
    run_result_print(r);
  }
  if (err) return complain(a, err);
  if (path && !args_has(a, "quiet")) tell("wrote %ld rows to %s", r->rows, path);
  return CLI_DONE;
}

static lw_status prepare(run_parts *p, const cli_args *a, const lw_model *m,
                         const lw_simulation_options *wishes, lw_error *err)
{
  const char *path = args_text(a, "output"), *list = args_text(a, "columns");
  p->sim = lw_simulation_new(m, wishes, err);
  if (p->sim) p->columns = lw_columns_new(m, path || list ? list : "t", err);
  if (!p->columns) return err->status;
  if (lw_columns_follow(p->columns, p->sim, err) != LW_OK) return err->status;
  p->row = malloc((size_t)lw_columns_count(p->columns) * sizeof *p->row);
  if (!p->row) return LW_E_MEMORY;
  interrupts_catch(); /* until here there is nothing to keep */
  if (path) p->csv = lw_csv_create(path, p->columns, err);
  return path && !p->csv ? err->status : LW_OK;
}

/* The file is closed in any case: what was computed until a failure stays readable. */
static lw_status simulate_and_close(run_parts *p, run_result *r, lw_error *err)
{
  const double start = wall_clock();
  lw_error file = {0};
  const lw_status status = simulate(p, err);
  const lw_status closed = lw_csv_finish(p->csv, &file);
  p->csv = NULL;
  progress_end(&r->progress);
  r->wall_time = wall_clock() - start;
  r->statistics = lw_simulation_report(p->sim);
  if (closed == LW_OK || (status != LW_OK && status != LW_E_FILE)) return status;
  *err = file;
  return closed;
}

static int run_model(const cli_args *a, const lw_model *m, const lw_simulation_options *wishes)
{
  lw_error err = {0};
  run_result r = {0};
  run_parts p = {.result = &r, .event = -HUGE_VAL};
  int done;
  if (prepare(&p, a, m, wishes, &err) != LW_OK || run_result_start(&r, m, p.sim, &err) != LW_OK ||
      lw_columns_follow(r.monitor, p.sim, &err) != LW_OK) {
    done = err.text[0] ? complain(a, &err) : out_of_memory(a);
  } else {
    r.used = lw_simulation_used(p.sim);
    r.energies.fixed_steps =
        r.used.integrator == LW_INTEGRATOR_RK4 || r.used.integrator == LW_INTEGRATOR_EULER;
    r.progress = progress_start(!args_has(a, "quiet"));
    lw_simulation_watch(p.sim, watch, &r);
    lw_simulation_interrupt(p.sim, is_interrupted, NULL);
    lw_simulation_on_event(p.sim, on_event, &p);
    const lw_status status = simulate_and_close(&p, &r, &err);
    r.energies.stopped = status != LW_OK;
    const bool known =
        r.rows == 0 || interrupts_came() || run_result_find_singular(&r, p.sim) == LW_OK;
    done = report(a, &r, status, &err);
    if (!known && done == CLI_DONE) done = out_of_memory(a);
  }
  if (p.csv) lw_csv_close(p.csv);
  free(p.row);
  lw_columns_free(p.columns);
  run_result_free(&r);
  lw_simulation_free(p.sim);
  return done;
}

static int run(const cli_args *a)
{
  lw_simulation_options wishes = {0};
  int status = run_options(a, &wishes);
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (!m) return status;

  status = run_model(a, m, &wishes);
  lw_model_free(m);
  return status;
}

const cli_verb verb_run = {
    "run", "Simulates the model: the results as a table in a file, or a summary.",
    "linkwork run models/double-pendulum.yaml -o result.csv --end 10 --set La=1.2", options, run};
