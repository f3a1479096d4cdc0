/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_switches.c -- derivatives of a run where a load jumps with the state: the state y is
   continuous, its rate f goes from f- to f+ where the switching function g is zero.  With te the
   time of that, and subscripts for derivatives at fixed time,

       te_p = -(g_p + g_y y_p) / (dg/dt)-,   y_p+ = y_p- + (f- - f+) te_p

   f- and f+ are evaluated as close to the zero of g as its sign is certain. */
#include "base/fail.h"
#include "math/finite.h"
#include "sim/sensitivity/sensitivity_data.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_sensitivity *s;
  double t;
  double *y;                        /* [nmotion] at the switch */
  double *f, *before, *after;       /* [nmotion] rates: at y, f-, f+ */
  double *farther;                  /* [nmotion] f+ - f- farther from the switch */
  double *moved;                    /* [nmotion] */
  double *integrand, *integrand_at; /* [nintegral] before, after */
  double *when_p;                   /* [n] */
  double *scratch;                  /* of lwi_sensitivity_trigger_rate */
} switch_crossing;

static bool take(switch_crossing *p)
{
  const lw_sensitivity *s = p->s;
  const lwi_triggers *x = &s->sim->triggers;
  const size_t n = (size_t)s->system->nmotion, ni = (size_t)s->system->nintegral;
  int columns = 0;
  for (int i = 0; i < x->nwhen; i++)
    if (x->when[i].switched && lw_columns_count(x->when[i].columns) > columns)
      columns = lw_columns_count(x->when[i].columns);
  p->y = calloc(6 * n + 2 * ni + (size_t)s->n + 4 * n + (size_t)s->m->nparameter +
                    2 * (size_t)columns + 1,
                sizeof *p->y);
  if (!p->y) return false;
  p->f = p->y + n;
  p->before = p->f + n;
  p->after = p->before + n;
  p->farther = p->after + n;
  p->moved = p->farther + n;
  p->integrand = p->moved + n;
  p->integrand_at = p->integrand + ni;
  p->when_p = p->integrand_at + ni;
  p->scratch = p->when_p + s->n;
  return true;
}

/* y moved by dt along f */
static const double *move(switch_crossing *p, double dt)
{
  for (int i = 0; i < p->s->system->nmotion; i++)
    p->moved[i] = p->y[i] + dt * p->f[i];
  return p->moved;
}

static double value_at(switch_crossing *p, lwi_trigger *w, double dt)
{
  const double *y = move(p, dt);
  if (lw_columns_row(w->columns, p->t + dt, y, y + lw_nq(p->s->sim->m), w->row) != LW_OK)
    return (double)NAN;
  return lwi_expr_value(&w->expr, w->slot);
}

static bool jumps(const lwi_trigger *w)
{
  return w->switched && w->load->jumps;
}

/* Do all switching functions have opposite signs dt before and after the switch? */
static bool are_apart(switch_crossing *p, double dt)
{
  lwi_triggers *x = &p->s->sim->triggers;
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if (jumps(w) && !(value_at(p, w, -dt) * value_at(p, w, dt) < 0)) return false;
  }
  return true;
}

/* f- and f+ at dt from the switch, and the integrands there */
static lw_status evaluate_sides(switch_crossing *p, double dt)
{
  lwi_sensitivity_system *v = p->s->system;
  lw_status status = v->motion->rate(v->motion, p->t - dt, move(p, -dt), p->before);
  if (status == LW_OK) status = lwi_sensitivity_integrands(v, p->t - dt, p->moved, p->integrand);
  if (status == LW_OK) status = v->motion->rate(v->motion, p->t + dt, move(p, dt), p->after);
  if (status == LW_OK) status = lwi_sensitivity_integrands(v, p->t + dt, p->moved, p->integrand_at);
  return status;
}

enum { FAR = 64 };

/* Is the jump dt from the switch as large as FAR times farther away, but for what changes smoothly?  It is not where a
   load is still on the same branch on both sides. */
static bool jumps_as_farther(const switch_crossing *p, double dt)
{
  const int n = p->s->system->nmotion;
  const double most = fmax(lwi_largest(p->before, n), lwi_largest(p->after, n));
  for (int i = 0; i < n; i++) {
    const double smooth =
        1e-10 * (fabs(p->before[i]) + fabs(p->after[i])) + (1e-14 + 4 * FAR * dt) * most;
    const double jump = p->after[i] - p->before[i];
    if (!(fabs(jump - p->farther[i]) <= 1e-3 * fabs(p->farther[i]) + smooth)) return false;
  }
  return true;
}

/* f-, f+ and the integrands on both sides; LW_E_SINGULAR: there are no two sides.  Loads compute their measures in another
   order than columns do, so that rounding errors may leave them on one branch where columns are on two: the first
   distance counts at which they jump as at a larger one; where there is none, as at a root, the least. */
static lw_status find_sides(switch_crossing *p)
{
  const double span = fmax(fabs(p->t), p->s->sim->options.end), farthest = 1e-8 * span;
  double least = 1e-16 * span;
  while (least <= farthest && !are_apart(p, least))
    least *= 4;
  if (least > farthest) return LW_E_SINGULAR;
  for (double dt = 4 * least; dt <= farthest; dt *= 4) {
    lw_status status = evaluate_sides(p, FAR * dt);
    for (int i = 0; i < p->s->system->nmotion; i++)
      p->farther[i] = p->after[i] - p->before[i];
    if (status == LW_OK) status = evaluate_sides(p, dt);
    if (status != LW_OK || jumps_as_farther(p, dt)) return status;
  }
  return evaluate_sides(p, 4 * least);
}

/* te_p by all parameters, of one switching function; those of others must be the same. */
static lw_status find_when(switch_crossing *p, int trigger, bool first, lw_error *err)
{
  lw_sensitivity *s = p->s;
  lwi_crossing x = {
      .sim = s->sim, .t = p->t, .trigger = trigger, .y = p->y, .f = p->before, .load = -1};
  lw_status status =
      lwi_sensitivity_trigger_rate(s, trigger, p->t, p->y, p->before, p->scratch, &x.g_rate);
  if (status != LW_OK) return lwi_crossing_fail(&x, status, err);
  for (int k = 0; k < s->n && status == LW_OK; k++) {
    double when_p;
    status = s->derivative[k]->when(s->derivative[k], &x,
                                    lwi_sensitivity_block(s->system, s->sim->y, k), &when_p, err);
    if (status == LW_OK && !first && lwi_sensitivity_moves_apart(s, when_p, p->when_p[k]))
      return lwi_fail(
          err, LW_E_UNSUPPORTED,
          "%s and another load jump at the same time, t = %.10g, and with another value "
          "of \"%s\" one after the other: there are no derivatives across both",
          s->sim->triggers.when[trigger].load->name, p->t,
          s->m->parameter_name[s->derivative[k]->parameter]);
    if (first) p->when_p[k] = when_p;
  }
  return status;
}

static lw_status find_times(switch_crossing *p, lw_error *err)
{
  const lwi_triggers *x = &p->s->sim->triggers;
  bool first = true;
  lw_status status = LW_OK;
  for (int i = 0; i < x->nwhen && status == LW_OK; i++)
    if (jumps(&x->when[i])) {
      status = find_when(p, i, first, err);
      first = false;
    }
  return status;
}

static void add_jumps(switch_crossing *p)
{
  const lwi_sensitivity_system *v = p->s->system;
  for (int k = 0; k < p->s->n; k++) {
    double *y_p = lwi_sensitivity_block(v, p->s->sim->y, k);
    for (int i = 0; i < v->nmotion; i++)
      y_p[i] += p->when_p[k] * (p->before[i] - p->after[i]);
    for (int w = 0; w < v->nintegral; w++)
      y_p[v->nmotion + w] += p->when_p[k] * (p->integrand[w] - p->integrand_at[w]);
  }
}

static lw_status go_across(switch_crossing *p, lw_error *err)
{
  lw_sensitivity *s = p->s;
  lwi_system *motion = s->system->motion;
  lwi_triggers *x = &s->sim->triggers;
  int first = 0;
  while (!jumps(&x->when[first]))
    first++;
  if (s->system->nmotion) memcpy(p->y, s->sim->y, (size_t)s->system->nmotion * sizeof *p->y);
  lw_status status = motion->rate(motion, p->t, p->y, p->f);
  if (status == LW_OK) status = find_sides(p);
  if (status != LW_OK)
    return lwi_crossing_fail(&(lwi_crossing){.sim = s->sim, .t = p->t, .trigger = first}, status,
                             err);
  status = find_times(p, err);
  if (status == LW_OK && lwi_peaks_note(&s->peaks, p->t, p->when_p) != LW_OK)
    status =
        lwi_simulation_fail(s->sim, p->t, LW_E_NUMBER, "the objectives cannot be evaluated", err);
  if (status == LW_OK) add_jumps(p);
  if (status == LW_OK && lwi_peaks_note(&s->peaks, p->t, p->when_p) != LW_OK)
    status =
        lwi_simulation_fail(s->sim, p->t, LW_E_NUMBER, "the objectives cannot be evaluated", err);
  return status;
}

/* ---- expressions of time ---- */

/* The times of jumps that depend on parameters; false: none does. */
static lw_status find_moving_times(switch_crossing *p, bool *any, lw_error *err)
{
  const lw_sensitivity *s = p->s;
  const lw_model *m = s->sim->m;
  double *scratch = calloc(2 * ((size_t)m->nslot + 1), sizeof *scratch);
  lw_status status = scratch ? LW_OK : lwi_out_of_memory(err, "sensitivities");
  *any = false;
  for (int k = 0; k < s->n && status == LW_OK; k++) {
    bool moves;
    status = lwi_switches_when(&s->sim->switches, m, s->derivative[k]->parameters, scratch, &moves,
                               &p->when_p[k], err);
    *any = *any || moves;
  }
  free(scratch);
  return status;
}

/* f-, f+ and the integrands: the last time of one span, and the first of the next */
static lw_status find_spans(switch_crossing *p)
{
  lwi_sensitivity_system *v = p->s->system;
  const lwi_switches *x = &p->s->sim->switches;
  lw_status status = v->motion->rate(v->motion, x->span[1], p->y, p->before);
  if (status == LW_OK) status = lwi_sensitivity_integrands(v, x->span[1], p->y, p->integrand);
  if (status == LW_OK) status = v->motion->rate(v->motion, x->after, p->y, p->after);
  if (status == LW_OK) status = lwi_sensitivity_integrands(v, x->after, p->y, p->integrand_at);
  return status;
}

lw_status lwi_sensitivity_pass_time(lwi_simulation_hooks *c, double t, lw_error *err)
{
  switch_crossing p = {.s = (lw_sensitivity *)c, .t = t};
  lw_sensitivity *s = p.s;
  bool any = false;
  if (s->differences) return lwi_switches_differentiable(&s->sim->switches, s->sim->m, err);
  const lw_status caught = lwi_adjoint_catch_up(s, t, err);
  if (caught != LW_OK) return caught;
  if (!take(&p)) return lwi_out_of_memory(err, "sensitivities");
  if (s->system->nmotion) memcpy(p.y, s->sim->y, (size_t)s->system->nmotion * sizeof *p.y);
  lw_status status = find_moving_times(&p, &any, err);
  if (status == LW_OK && any) {
    if (find_spans(&p) != LW_OK || lwi_peaks_note(&s->peaks, t, p.when_p) != LW_OK)
      status = lwi_simulation_fail(s->sim, t, LW_E_NUMBER, "the jump cannot be evaluated", err);
    if (status == LW_OK) add_jumps(&p);
    if (status == LW_OK && lwi_peaks_note(&s->peaks, t, p.when_p) != LW_OK)
      status =
          lwi_simulation_fail(s->sim, t, LW_E_NUMBER, "the objectives cannot be evaluated", err);
  }
  free(p.y);
  return status;
}

lw_status lwi_sensitivity_pass_switch(lwi_simulation_hooks *c, double t, lw_error *err)
{
  switch_crossing p = {.s = (lw_sensitivity *)c, .t = t};
  lwi_triggers *x = &p.s->sim->triggers;
  if (p.s->differences)
    return lwi_fail(err, LW_E_UNSUPPORTED,
                    "%s jumps where the state switches it, at t = %.10g: differences of nearby "
                    "models do not pass that, exact derivatives do",
                    x->switched->name, t);
  lw_status status = lwi_adjoint_catch_up(p.s, t, err);
  if (status != LW_OK) return status;
  for (int i = 0; i < x->nwhen && status == LW_OK; i++)
    if (x->when[i].switched) status = lwi_trigger_open(x, i, p.s->sim);
  if (status == LW_OK && !take(&p)) status = LW_E_MEMORY;
  if (status != LW_OK) return lwi_fail(err, status, "out of memory for sensitivities");
  status = go_across(&p, err);
  free(p.y);
  return status;
}
