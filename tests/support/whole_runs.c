/* SPDX-License-Identifier: Apache-2.0 */
#include "whole_runs.h"
#include "lwt.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 8, EVENTS = 64, COLUMNS = 1 + 2 * RUN_OBJECTIVES };
static const double panel = 0.008; /* s */

/* Gauss and Legendre on [-1, 1] */
static const double node[NODES] = {-0.96028985649753623, -0.79666647741362674, -0.52553240991632899,
                                   -0.18343464249564980, 0.18343464249564980,  0.52553240991632899,
                                   0.79666647741362674,  0.96028985649753623};
static const double weight[NODES] = {0.10122853629037626, 0.22238103445337447, 0.31370664587788729,
                                     0.36268378337836198, 0.36268378337836198, 0.31370664587788729,
                                     0.22238103445337447, 0.10122853629037626};

lw_model *run_model(const run_subject *s, const char *parameter, double shift)
{
  lw_error err = {0};
  lw_spec *spec = lw_spec_parse(s->text, strlen(s->text), "scenario", &err);
  lw_model *m = spec ? lw_compile(spec, &err) : NULL;
  if (!m) fail_msg("%s: %s", s->text, err.text);
  if (parameter) {
    int k = 0;
    while (strcmp(lw_parameter_name(m, k), parameter) != 0)
      k++;
    const double value = lw_parameter_value(m, k) + shift;
    lw_model_free(m);
    lwt_ok(lw_set_parameter(spec, parameter, value));
    m = lw_compile(spec, &err);
    if (!m) fail_msg("%s: %s", s->text, err.text);
  }
  lw_spec_free(spec);
  return m;
}

/* ---- one run ---- */

typedef struct {
  const run_subject *s;
  const lw_model *m;
  lw_simulation *sim;
  lw_columns *columns;
  double q[200], u[200], row[COLUMNS];
  int x[RUN_OBJECTIVES], y[RUN_OBJECTIVES]; /* which columns */
  double p[RUN_OBJECTIVES];
  double *value; /* [n] so far */
  double now[RUN_OBJECTIVES];
  int nevent;
  double time[EVENTS];
  uint64_t events;
  bool failed;
} walker;

static int find_column(const lw_columns *c, const char *name)
{
  for (int i = 0; i < lw_columns_count(c); i++)
    if (strcmp(lw_columns_name(c, i), name) == 0) return i;
  fail_msg("no column %s", name);
  return 0;
}

static void measure(walker *w, double t, const double q[], const double u[])
{
  if (lw_columns_row(w->columns, t, q, u, w->row) != LW_OK) w->failed = true;
  for (int i = 0; i < w->s->n; i++) {
    const run_objective *o = &w->s->objective[i];
    const double x = w->row[w->x[i]], y = w->row[w->y[i]];
    w->now[i] = o->a * x * x + o->b * y * w->p[i] + o->c * t;
  }
}

static void note_peak(walker *w, int i, double value)
{
  const lw_objective_kind kind = w->s->objective[i].kind;
  if (kind == LW_OBJECTIVE_MAX && !(value <= w->value[i])) w->value[i] = value;
  if (kind == LW_OBJECTIVE_MIN && !(value >= w->value[i])) w->value[i] = value;
}

/* the state that was measured is an end of something */
static void note_end(walker *w)
{
  for (int i = 0; i < w->s->n; i++) {
    note_peak(w, i, w->now[i]);
    if (w->s->objective[i].kind == LW_OBJECTIVE_FINAL) w->value[i] = w->now[i];
  }
}

static int list_event(void *context, const lw_event_report *e, bool after)
{
  walker *w = context;
  if (!after || w->nevent == EVENTS) return 0;
  w->time[w->nevent++] = e->time;
  for (int i = 0; i < e->nevent; i++)
    for (const char *c = e->names[i]; *c; c++)
      w->events = w->events * 131 + (unsigned char)*c;
  w->events = w->events * 131 + 7;
  return 0;
}

static int see_event(void *context, const lw_event_report *e, bool after)
{
  walker *w = context;
  measure(w, e->time, after ? e->q_after : e->q_before, after ? e->u_after : e->u_before);
  note_end(w);
  return 0;
}

static bool open_walker(walker *w, lw_event_callback callback)
{
  lw_error err = {0};
  const lw_simulation_options o = {.rtol = 1e-12,
                                   .atol = 1e-13,
                                   .formulation = LW_FORMULATION_TREE,
                                   .integrator = LW_INTEGRATOR_ADAMS};
  w->sim = lw_simulation_new(w->m, &o, &err);
  if (!w->sim) return false;
  lw_simulation_on_event(w->sim, callback, w);
  char names[64 * COLUMNS] = "t";
  for (int i = 0; i < w->s->n; i++) {
    const run_objective *r = &w->s->objective[i];
    snprintf(names + strlen(names), 64, ",%s,%s", r->x, r->y);
    for (int k = 0; k < lw_nparameter(w->m); k++)
      if (strcmp(lw_parameter_name(w->m, k), r->p) == 0) w->p[i] = lw_parameter_value(w->m, k);
  }
  w->columns = lw_columns_new(w->m, names, &err);
  if (!w->columns) fail_msg("%s", err.text);
  lwt_ok(lw_columns_follow(w->columns, w->sim, &err));
  for (int i = 0; i < w->s->n; i++) {
    w->x[i] = find_column(w->columns, w->s->objective[i].x);
    w->y[i] = find_column(w->columns, w->s->objective[i].y);
  }
  return true;
}

static void close_walker(walker *w)
{
  lw_columns_free(w->columns);
  lw_simulation_free(w->sim);
  w->columns = NULL;
  w->sim = NULL;
}

static bool go_to(walker *w, double t)
{
  const lw_status status = lw_simulation_advance(w->sim, t, w->q, w->u, NULL);
  if (status == LW_OK) measure(w, t, w->q, w->u);
  return status == LW_OK && !w->failed;
}

/* of barycentric interpolation, the same for all panels */
static const double *barycentric_weights(void)
{
  static double b[NODES];
  for (int i = 0; i < NODES && b[NODES - 1] == 0; i++) {
    double product = 1;
    for (int k = 0; k < NODES; k++)
      if (k != i) product /= node[i] - node[k];
    b[i] = product;
  }
  return b;
}

/* barycentric interpolation at x in [-1, 1] */
static double interpolate(const double value[NODES], double x)
{
  const double *b = barycentric_weights();
  double above = 0, below = 0;
  for (int i = 0; i < NODES; i++) {
    if (x == node[i]) return value[i];
    const double share = b[i] / (x - node[i]);
    above += share * value[i];
    below += share;
  }
  return above / below;
}

/* the extremum of the interpolated values inside the panel: golden section around the best of a grid */
static void find_peak(walker *w, int i, const double value[NODES])
{
  const double sign = w->s->objective[i].kind == LW_OBJECTIVE_MAX ? 1 : -1;
  double best = -1, highest = sign * interpolate(value, -1), step = 0.05;
  for (double x = -1; x <= 1; x += step) {
    const double height = sign * interpolate(value, x);
    if (height > highest) best = x, highest = height;
  }
  double a = fmax(best - step, -1), b = fmin(best + step, 1);
  const double golden = 0.5 * (sqrt(5) - 1);
  while (b - a > 1e-8) {
    const double c = b - golden * (b - a), d = a + golden * (b - a);
    if (sign * interpolate(value, c) > sign * interpolate(value, d))
      b = d;
    else
      a = c;
  }
  /* at the ends of a panel it is either in the next one, or where the motion begins, jumps or ends */
  if (a > -1 && b < 1) note_peak(w, i, interpolate(value, 0.5 * (a + b)));
}

static bool walk_panel(walker *w, double from, double to)
{
  double value[RUN_OBJECTIVES][NODES];
  for (int k = 0; k < NODES; k++) {
    if (!go_to(w, 0.5 * (from + to) + 0.5 * (to - from) * node[k])) return false;
    for (int i = 0; i < w->s->n; i++)
      value[i][k] = w->now[i];
  }
  for (int i = 0; i < w->s->n; i++) {
    for (int k = 0; k < NODES && w->s->objective[i].kind == LW_OBJECTIVE_INTEGRAL; k++)
      w->value[i] += 0.5 * (to - from) * weight[k] * value[i][k];
    if (w->s->objective[i].kind >= LW_OBJECTIVE_MAX) find_peak(w, i, value[i]);
  }
  return true;
}

static bool walk(walker *w, double from, double to)
{
  const int n = (int)ceil((to - from) / panel);
  for (int k = 0; k < n; k++)
    if (!walk_panel(w, from + (to - from) * k / n, from + (to - from) * (k + 1) / n)) return false;
  return true;
}

bool run_objectives(const run_subject *s, const lw_model *m, double value[], uint64_t *events)
{
  walker *w = calloc(1, sizeof *w);
  w->s = s;
  w->m = m;
  w->value = value;
  for (int i = 0; i < s->n; i++)
    value[i] = s->objective[i].kind >= LW_OBJECTIVE_MAX ? (double)NAN : 0;
  /* first its events alone */
  bool ok = open_walker(w, list_event);
  const double end = ok ? lw_simulation_used(w->sim).end : 0;
  const lw_status status = ok ? lw_simulation_advance(w->sim, end, w->q, w->u, NULL) : LW_E_ARG;
  const bool stopped = ok && lw_simulation_is_over(w->sim);
  ok = (status == LW_OK || stopped) && w->nevent < EVENTS;
  close_walker(w);
  *events = w->events + stopped;
  /* then, between them */
  ok = ok && open_walker(w, see_event) && go_to(w, 0);
  if (ok) note_end(w);
  double from = 0;
  for (int k = 0; k < w->nevent && ok; k++) {
    ok = walk(w, from, w->time[k]);
    from = w->time[k];
  }
  const double last = stopped ? from : end;
  ok = ok && (stopped || walk(w, from, end));
  const lw_status at_end =
      ok ? lw_simulation_advance(w->sim, last + (stopped ? 1e-6 : 0), w->q, w->u, NULL) : LW_E_ARG;
  if (ok && !stopped && at_end == LW_OK) {
    measure(w, end, w->q, w->u);
    note_end(w);
  }
  ok = ok && !w->failed && (stopped ? lw_simulation_is_over(w->sim) : at_end == LW_OK);
  close_walker(w);
  free(w);
  return ok;
}

/* ---- derivatives ---- */

/* Central differences at h and h/2, extrapolated; their difference bounds the error. */
bool run_derivatives(const run_subject *s, uint64_t events, const char *parameter, double h,
                     double d[], double error[])
{
  double x[2][RUN_OBJECTIVES], first[RUN_OBJECTIVES] = {0};
  uint64_t beside = 0;
  bool ok = true;
  for (int level = 0; level < 2 && ok; level++, h /= 2) {
    for (int side = 0; side < 2 && ok; side++) {
      lw_model *m = run_model(s, parameter, side ? h : -h);
      ok = run_objectives(s, m, x[side], &beside) && beside == events;
      lw_model_free(m);
    }
    for (int i = 0; i < s->n; i++) {
      const double central = (x[1][i] - x[0][i]) / (2 * h);
      d[i] = level ? central + (central - first[i]) / 3 : central;
      error[i] = fabs(central - first[i]);
      first[i] = central;
    }
  }
  return ok;
}
