/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_system.c -- the joint system with integrals and derivatives by parameters as further
   blocks. */
#include "sim/sensitivity/sensitivity_system.h"
#include "sim/integrate/step.h"
#include "base/fail.h"
#include "sim/formulation/state.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

/* ---- integrals ---- */

static lw_status evaluate_objectives(lwi_sensitivity_system *s, double t, const double y[])
{
  memcpy(s->q, y, bytes(s->nmotion));
  const lw_status status = lw_normalize(s->base.m, s->q);
  if (status != LW_OK) return status;
  return lwi_objectives_look(s->objectives, t, s->q, s->q + lw_nq(s->base.m));
}

lw_status lwi_sensitivity_integrands(lwi_sensitivity_system *s, double t, const double y[],
                                     double out[])
{
  const lwi_objectives *o = s->objectives;
  const lw_status status = s->nintegral > 0 ? evaluate_objectives(s, t, y) : LW_OK;
  for (int i = 0, w = 0; i < o->n && s->nintegral > 0; i++)
    if (o->item[i].kind == LW_OBJECTIVE_INTEGRAL) out[w++] = lwi_objectives_value(o, i);
  return status;
}

/* ---- lwi_system ---- */

/* Integrands are evaluated at y, which may be slightly off the constraints, as the accelerations
   are. */
static lw_status rate_first(lwi_system *base, double t, const double y[], double f[])
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  const lw_status status = s->motion->rate(s->motion, t, y, f);
  return status == LW_OK ? lwi_sensitivity_integrands(s, t, y, f + s->nmotion) : status;
}

static lw_status rate_others(lwi_system *base, double t, const double y[], const double f[],
                             const double *const y_p[], double *const f_p[])
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  lwi_objectives *o = s->objectives;
  if (s->nderivative == 0) return LW_OK;
  s->cost->directions += s->nderivative;
  lw_status status = s->derivative[0]->rates(s->derivative, s->nderivative, t, y, f, y_p, f_p);
  if (status != LW_OK || s->nintegral == 0) return status;
  status = evaluate_objectives(s, t, y);
  for (int k = 0; k < s->nderivative && status == LW_OK; k++) {
    lwi_parameter_derivative *v = s->derivative[k];
    double *out = f_p[k] + s->nmotion;
    status = v->row(v, LWI_OBJECTIVE_COLUMNS, o->columns, t, y, y_p[k], s->row_p);
    lwi_objectives_derive(o, v->parameters, s->row_p);
    for (int i = 0; i < o->n; i++)
      if (o->item[i].kind == LW_OBJECTIVE_INTEGRAL) *out++ = lwi_objectives_slope(o, i);
  }
  return status;
}

static lw_status rate(lwi_system *base, double t, const double y[], double f[])
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  const lw_status status = rate_first(base, t, y, f);
  if (status != LW_OK || s->outside) return status;
  for (int k = 0; k < s->nderivative; k++) {
    s->from[k] = y + (size_t)(k + 1) * (size_t)s->block;
    s->to[k] = f + (size_t)(k + 1) * (size_t)s->block;
  }
  return rate_others(base, t, y, f, s->from, s->to);
}

/* Derivatives at fixed time from those at the moving time of the event: x+_p - xdot+ te_p.
   Integrals continue, with the contribution of the change of the event's time. */
static lw_status restart(lwi_sensitivity_system *s, double t, double y[])
{
  const lwi_event_restart *l = s->event_restart;
  lw_status status = s->motion->rate(s->motion, t, y, s->f);
  if (status == LW_OK) status = lwi_sensitivity_integrands(s, t, y, s->f + s->nmotion);
  for (int w = 0; w < s->nintegral; w++)
    y[s->nmotion + w] = l->integral[w];
  for (int k = 0; k < s->nderivative && status == LW_OK; k++) {
    double *y_p = lwi_sensitivity_block(s, y, k), *w1 = y_p + s->nmotion;
    status = s->derivative[k]->restart(s->derivative[k], t, y, y_p);
    for (int i = 0; i < s->nmotion; i++)
      y_p[i] -= l->when_p[k] * s->f[i];
    if (status == LW_OK && s->derivative[k]->restarted)
      status = s->derivative[k]->restarted(s->derivative[k], t, y, y_p);
    for (int w = 0; w < s->nintegral; w++)
      w1[w] = l->integral_p[k * s->nintegral + w] +
              l->when_p[k] * (l->integrand[w] - s->f[s->nmotion + w]);
  }
  s->event_restart = NULL;
  return status;
}

static lw_status begin(lwi_system *base, double t, const double q[], const double u[], double y[])
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  memset(y, 0, bytes(base->n));
  if (s->outside) memset(s->outside, 0, (size_t)s->nderivative * bytes(s->block));
  s->since = t;
  s->begun = true;
  lw_status status = s->motion->begin(s->motion, t, q, u, y);
  if (status == LW_OK) status = s->motion->update_rank(s->motion, t, y, 0);
  if (status == LW_OK) status = s->motion->project_output(s->motion, t, y, NULL, NULL);
  if (status == LW_OK && s->event_restart) return restart(s, t, y);
  base->reason = NULL;
  for (int k = 0; k < s->nderivative && status == LW_OK && s->given; k++)
    if (s->given->known)
      status = s->derivative[k]->start_at(
          s->derivative[k], t, y, s->given->motion + (size_t)k * (size_t)s->given->nu,
          s->given->states + (size_t)k * (size_t)s->given->nstate, lwi_sensitivity_block(s, y, k));
  for (int k = 0; k < s->nderivative && status == LW_OK && !s->given; k++) {
    status = s->derivative[k]->start(s->derivative[k], t, y, lwi_sensitivity_block(s, y, k));
    if (status != LW_OK) base->reason = s->derivative[k]->reason;
  }
  return status;
}

static lw_status project_output(lwi_system *base, double t, double y[], double q[], double u[])
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  lw_status status = s->motion->project_output(s->motion, t, y, q, u);
  for (int k = 0; k < s->nderivative && status == LW_OK && !s->outside; k++)
    status =
        s->derivative[k]->project_output(s->derivative[k], t, y, lwi_sensitivity_block(s, y, k));
  return status;
}

static lw_status copy_output(lwi_system *base, const double y[], double q[], double u[])
{
  const lwi_sensitivity_system *s = (const lwi_sensitivity_system *)base;
  return s->motion->copy_output(s->motion, y, q, u);
}

static lw_status update_rank(lwi_system *base, double t, double y[], double h)
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  lw_status status = s->motion->update_rank(s->motion, t, y, h);
  base->weakest = s->motion->weakest;
  base->rank_state = s->motion->rank_state;
  for (int k = 0; k < s->nderivative && status == LW_OK && !s->outside; k++)
    status =
        s->derivative[k]->update_rank(s->derivative[k], t, y, lwi_sensitivity_block(s, y, k), h);
  return status;
}

static void set_near_singular(lwi_system *base, bool near_singular)
{
  const lwi_sensitivity_system *s = (const lwi_sensitivity_system *)base;
  s->motion->set_near_singular(s->motion, near_singular);
  for (int k = 0; k < s->nderivative; k++)
    s->derivative[k]->set_near_singular(s->derivative[k], near_singular);
}

static lw_status stage_rate(void *context, double t)
{
  lwi_sensitivity_system *s = context;
  if (lwi_system_stops(&s->base, t)) return LW_E_STOPPED;
  return rate(&s->base, t, s->stage, s->stage + s->base.n);
}

/* Classical Runge-Kutta of order 4; the end of the step is projected. */
static lw_status step(lwi_system *base, lw_integrator method, double t, double y[], double dt)
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  const int n = base->n;
  double *at = s->stage;
  const lwi_rk4_scratch scratch = {n, at, at + n, at + 2 * (size_t)n, stage_rate, s};
  if (method != LW_INTEGRATOR_RK4) return LW_E_UNSUPPORTED;
  lw_status status = update_rank(base, t, y, 0);
  if (status == LW_OK) status = lwi_rk4(&scratch, t, y, dt);
  if (status != LW_OK) return status;
  status = project_output(base, t + dt, at, NULL, NULL);
  if (status == LW_OK) memcpy(y, at, bytes(n));
  return status;
}

/* ---- make ---- */

static void sensitivity_system_free(lwi_system *base)
{
  lwi_sensitivity_system *s = (lwi_sensitivity_system *)base;
  if (!s) return;
  if (s->motion) s->motion->free(s->motion);
  free(s->q);
  free(s->row_p);
  free(s->f);
  free(s->stage);
  free(s->outside);
  free(s->from);
  free(s->to);
  free(s);
}

static void count(lwi_sensitivity_system *s, bool outside)
{
  for (int i = 0; i < s->objectives->n; i++)
    s->nintegral += s->objectives->item[i].kind == LW_OBJECTIVE_INTEGRAL;
  s->nmotion = s->motion->n;
  s->block = s->nmotion + s->nintegral;
  s->base.nblock = outside ? 0 : s->nderivative;
  s->base.n = (1 + s->base.nblock) * s->block;
  s->base.nposition = s->motion->nposition;
  s->base.dynamics = s->motion->dynamics;
}

lwi_sensitivity_system *lwi_sensitivity_system_new(const lw_model *m,
                                                   const lw_simulation_options *options,
                                                   lwi_objectives *objectives,
                                                   lwi_parameter_derivative **derivative,
                                                   int nderivative, bool outside, lw_error *err)
{
  lwi_sensitivity_system *s = calloc(1, sizeof *s);
  if (!s) return lwi_out_of_memory(err, NULL), NULL;
  *s = (lwi_sensitivity_system){.base = {.m = m,
                                         .weakest = 1,
                                         .updates_rank = true, /* nearby models need it too */
                                         .begin = begin,
                                         .project_output = project_output,
                                         .copy_output = copy_output,
                                         .rate = rate,
                                         .rate_first = rate_first,
                                         .rate_others = rate_others,
                                         .step = step,
                                         .update_rank = update_rank,
                                         .set_near_singular = set_near_singular,
                                         .free = sensitivity_system_free},
                                .objectives = objectives,
                                .derivative = derivative,
                                .nderivative = nderivative};
  s->motion = lwi_joint_system_new(m, options, err);
  if (!s->motion) return sensitivity_system_free(&s->base), NULL;
  count(s, outside);
  s->q = calloc((size_t)s->nmotion + 1, sizeof *s->q);
  s->row_p = calloc((size_t)objectives->ncolumn + 1, sizeof *s->row_p);
  s->f = calloc((size_t)s->block + 1, sizeof *s->f);
  s->stage = calloc(3 * (size_t)s->base.n + 1, sizeof *s->stage);
  s->from = calloc((size_t)nderivative + 1, sizeof *s->from);
  s->to = calloc((size_t)nderivative + 1, sizeof *s->to);
  for (int k = 0; k < nderivative; k++)
    derivative[k]->system = s->motion;
  if (outside) s->outside = calloc((size_t)nderivative * (size_t)s->block + 1, sizeof(double));
  if (s->from && s->to && s->q && s->row_p && s->f && s->stage && (s->outside || !outside))
    return s;
  lwi_fail(err, LW_E_MEMORY, "out of memory for the sensitivities of %d numbers", s->base.n);
  sensitivity_system_free(&s->base);
  return NULL;
}
