/* SPDX-License-Identifier: Apache-2.0 */
/* finite_difference_events.c -- nearby models go through events: model c at te + c h te_p, in the
   state x- + c h (x-_p + xdot- te_p).  The models after the event also give the derivatives of the
   numbers of the new model. */
#include "base/fail.h"
#include "model/compile/compile.h"
#include "model/compile/model_derivative.h"
#include "sim/sensitivity/finite_difference_data.h"
#include "sim/formulation/state.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

lw_status lwi_finite_difference_pass(lwi_finite_difference *v, const lwi_passed *e, lw_error *err)
{
  lwi_finite_difference_shift(v, e->y, e->along, e->ny);
  for (int i = 0; i < N; i++) {
    const int nq = lw_nq(v->sim[i]->m);
    const lw_status status =
        lwi_events_repeat(v->sim[i], e->t + lwi_difference_place[i] * v->h * e->when_p, v->y[i],
                          v->y[i] + nq, e->number, e->n, err);
    if (status != LW_OK) return status;
  }
  return lwi_finite_difference_scratch(v, lwi_finite_difference_size(v))
             ? LW_OK
             : lwi_out_of_memory(err, "sensitivities");
}

/* g_p / -(dg/dt) of an expression, or the derivative of a time given in the model. */
static lw_status find_when_p(lwi_finite_difference *v, const lwi_crossing *x, const double y_p[],
                             double *when_p)
{
  double sum = 0;
  lwi_finite_difference_shift(v, x->y, y_p, lwi_finite_difference_size(v));
  for (int i = 0; i < N; i++) {
    lw_simulation *sim = v->sim[i];
    const int e = x->number[0] - 1;
    double value = v->model[i]->event[e].d.at - v->m->event[e].d.at;
    if (x->trigger >= 0) {
      lw_status status = sim->system->project_output(sim->system, x->t, v->y[i], sim->q, sim->u);
      if (status == LW_OK) status = lwi_triggers_evaluate(&sim->triggers, x->t, sim->q, sim->u);
      if (status != LW_OK) return status;
      value = sim->triggers.when[x->trigger].g;
    }
    sum += lwi_difference_weight[i] / LWI_DIFFERENCE_DIVISOR / v->h * value;
  }
  *when_p = x->trigger >= 0 ? -sum / x->g_rate : sum;
  return LW_OK;
}

static lwi_passed *note_event(lwi_finite_difference *v, const lwi_crossing *x, const double y_p[],
                              double when_p)
{
  if (!lwi_grow(&v->events, v->npassed, &v->passed_capacity, sizeof *v->events)) return NULL;
  lwi_passed *e = &v->events[v->npassed];
  const int n = lwi_finite_difference_size(v);
  *e = (lwi_passed){.t = x->t, .when_p = when_p, .n = x->n, .ny = n};
  e->number = malloc((size_t)x->n * sizeof(int) + 1);
  e->y = malloc(2 * bytes(n) + 1);
  e->along = e->y ? e->y + n : NULL;
  v->npassed++; /* freed in any case */
  if (!e->number || !e->y) return NULL;
  memcpy(e->number, x->number, (size_t)x->n * sizeof(int));
  memcpy(e->y, x->y, bytes(n));
  for (int k = 0; k < n; k++)
    e->along[k] = y_p[k] + when_p * x->f[k];
  return e;
}

lw_status lwi_finite_difference_when(lwi_parameter_derivative *base, const lwi_crossing *x,
                                     const double y_p[], double *when_p, lw_error *err)
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  const lw_status found = find_when_p(v, x, y_p, when_p);
  if (found == LW_OK && isfinite(*when_p) && (x->trigger < 0 || x->g_rate != 0)) return LW_OK;
  return lwi_crossing_fail(x, found != LW_OK ? found : LW_E_SINGULAR, err);
}

/* What some of the models cannot do, closer ones may: the end of what bodies can reach is near. */
lw_status lwi_finite_difference_jump(lwi_parameter_derivative *base, const lwi_crossing *x,
                                     const double y_p[], double when_p, lw_error *err)
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  const lwi_passed *e = note_event(v, x, y_p, when_p);
  if (!e) return lwi_out_of_memory(err, "sensitivities");
  lw_error why = {.status = LW_OK};
  lw_status status = lwi_finite_difference_pass(v, e, &why), last = status;
  while (last != LW_OK && last != LW_E_MEMORY && last != LW_E_STOPPED) {
    lw_error next = {.status = LW_OK};
    last = lwi_finite_difference_come_closer(v, &next);
    if (last == LW_E_NOT_CONVERGED && next.status == LW_OK) break; /* they are as close as can be */
    status = last;
    why = next;
  }
  if (status != LW_OK && err) *err = why;
  return status;
}

/* After the event: y_p from the states of all models; returns its doubt. */
static double gather_restart(lwi_finite_difference *v, const double y[], double y_p[])
{
  const int n = lwi_finite_difference_size(v);
  for (int i = 0; i < N; i++) {
    memcpy(v->y[i], v->sim[i]->y, bytes(n));
    lwi_align_quaternions(v->sim[i]->m, y, v->y[i]);
  }
  lwi_finite_difference_gather(v, v->y, n, y_p);
  return lwi_finite_difference_doubt(v, v->y, n, y, y_p);
}

/* Where an event moves bodies they may be near the end of what they can reach: models come closer
   until both formulas agree, or differ by rounding errors only. */
lw_status lwi_finite_difference_restart(lwi_parameter_derivative *base, double t, const double y[],
                                        double y_p[])
{
  static const double fair = 1e-4;
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  double off = gather_restart(v, y, y_p), before = HUGE_VAL;
  (void)t;
  while (off > LWI_DIFFERENCE_DOUBT && off < 0.5 * before) {
    const lw_status status = lwi_finite_difference_come_closer(v, NULL);
    if (status != LW_OK) return status;
    before = off;
    off = gather_restart(v, y, y_p);
  }
  return off <= fair ? LW_OK : LW_E_SINGULAR;
}

lw_model *lwi_finite_difference_derivative(lwi_parameter_derivative *base, lw_error *err)
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  const lw_simulation *sim = v->sim[0];
  lw_model *derivative = lwi_compile_phase(sim->present, NULL, err);
  lw_model *beside[N];
  double by[N];
  if (!derivative) return NULL;
  for (int i = 0; i < N; i++) {
    beside[i] = v->sim[i]->own ? v->sim[i]->own : v->model[i];
    by[i] = lwi_difference_weight[i] / LWI_DIFFERENCE_DIVISOR / v->h;
  }
  const lw_status status = lwi_model_derivative_from(derivative, beside, by, N, err);
  if (status == LW_OK) return derivative;
  lw_model_free(derivative);
  return NULL;
}
