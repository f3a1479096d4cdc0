/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/varied_system.h"
#include "sim/step.h"
#include "base/fail.h"
#include "sim/state.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

/* ---- integrals ---- */

static lw_status look(lwi_varied_system *s, double t, const double y[])
{
  memcpy(s->q, y, bytes(s->nmotion));
  const lw_status status = lw_normalize(s->base.m, s->q);
  if (status != LW_OK) return status;
  return lwi_objectives_look(s->objectives, t, s->q, s->q + lw_nq(s->base.m));
}

lw_status lwi_varied_integrands(lwi_varied_system *s, double t, const double y[], double out[])
{
  const lwi_objectives *o = s->objectives;
  const lw_status status = s->nintegral > 0 ? look(s, t, y) : LW_OK;
  for (int i = 0, w = 0; i < o->n && s->nintegral > 0; i++)
    if (o->item[i].kind == LW_OBJECTIVE_INTEGRAL) out[w++] = lwi_objectives_value(o, i);
  return status;
}

/* ---- the face ---- */

/* What is integrated is looked at where y is, a little off the constraints perhaps, as the accelerations
   are. */
static lw_status rate_first(lwi_system *base, double t, const double y[], double f[])
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  const lw_status status = s->motion->rate(s->motion, t, y, f);
  return status == LW_OK ? lwi_varied_integrands(s, t, y, f + s->nmotion) : status;
}

static lw_status rate_others(lwi_system *base, double t, const double y[], const double f[],
                             const double *const y1[], double *const f1[])
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  lwi_objectives *o = s->objectives;
  if (s->nvariation == 0) return LW_OK;
  lw_status status = s->variation[0]->rates(s->variation, s->nvariation, t, y, f, y1, f1);
  if (status != LW_OK || s->nintegral == 0) return status;
  status = look(s, t, y);
  for (int k = 0; k < s->nvariation && status == LW_OK; k++) {
    lwi_variation *v = s->variation[k];
    double *out = f1[k] + s->nmotion;
    status = v->row(v, LWI_OBJECTIVE_COLUMNS, o->columns, t, y, y1[k], s->row1);
    lwi_objectives_vary(o, v->parameters, s->row1);
    for (int i = 0; i < o->n; i++)
      if (o->item[i].kind == LW_OBJECTIVE_INTEGRAL) *out++ = lwi_objectives_slope(o, i);
  }
  return status;
}

static lw_status rate(lwi_system *base, double t, const double y[], double f[])
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  const lw_status status = rate_first(base, t, y, f);
  if (status != LW_OK) return status;
  for (int k = 0; k < s->nvariation; k++) {
    s->from[k] = y + (size_t)(k + 1) * (size_t)s->block;
    s->to[k] = f + (size_t)(k + 1) * (size_t)s->block;
  }
  return rate_others(base, t, y, f, s->from, s->to);
}

/* Derivatives at fixed time from those that move with the event: x+' - xdot+ te'; integrals go on, but
   for what the later event gains and loses. */
static lw_status land(lwi_varied_system *s, double t, double y[])
{
  const lwi_landing *l = s->landing;
  lw_status status = s->motion->rate(s->motion, t, y, s->f);
  if (status == LW_OK) status = lwi_varied_integrands(s, t, y, s->f + s->nmotion);
  for (int w = 0; w < s->nintegral; w++)
    y[s->nmotion + w] = l->integral[w];
  for (int k = 0; k < s->nvariation && status == LW_OK; k++) {
    double *y1 = lwi_varied_block(s, y, k), *w1 = y1 + s->nmotion;
    status = s->variation[k]->land(s->variation[k], t, y, y1);
    for (int i = 0; i < s->nmotion; i++)
      y1[i] -= l->when1[k] * s->f[i];
    if (status == LW_OK && s->variation[k]->landed)
      status = s->variation[k]->landed(s->variation[k], t, y, y1);
    for (int w = 0; w < s->nintegral; w++)
      w1[w] = l->integral1[k * s->nintegral + w] +
              l->when1[k] * (l->integrand[w] - s->f[s->nmotion + w]);
  }
  s->landing = NULL;
  return status;
}

static lw_status begin(lwi_system *base, double t, const double q[], const double u[], double y[])
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  memset(y, 0, bytes(base->n));
  lw_status status = s->motion->begin(s->motion, t, q, u, y);
  if (status == LW_OK) status = s->motion->settle(s->motion, t, y, 0);
  if (status == LW_OK) status = s->motion->show(s->motion, t, y, NULL, NULL);
  if (status == LW_OK && s->landing) return land(s, t, y);
  base->reason = NULL;
  for (int k = 0; k < s->nvariation && status == LW_OK; k++) {
    status = s->variation[k]->start(s->variation[k], t, y, lwi_varied_block(s, y, k));
    if (status != LW_OK) base->reason = s->variation[k]->reason;
  }
  return status;
}

static lw_status show(lwi_system *base, double t, double y[], double q[], double u[])
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  lw_status status = s->motion->show(s->motion, t, y, q, u);
  for (int k = 0; k < s->nvariation && status == LW_OK; k++)
    status = s->variation[k]->show(s->variation[k], t, y, lwi_varied_block(s, y, k));
  return status;
}

static lw_status peek(lwi_system *base, const double y[], double q[], double u[])
{
  const lwi_varied_system *s = (const lwi_varied_system *)base;
  return s->motion->peek(s->motion, y, q, u);
}

static lw_status settle(lwi_system *base, double t, double y[], double h)
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  lw_status status = s->motion->settle(s->motion, t, y, h);
  base->weakest = s->motion->weakest;
  base->settled = s->motion->settled;
  for (int k = 0; k < s->nvariation && status == LW_OK; k++)
    status = s->variation[k]->settle(s->variation[k], t, y, lwi_varied_block(s, y, k), h);
  return status;
}

static void be_careful(lwi_system *base, bool careful)
{
  const lwi_varied_system *s = (const lwi_varied_system *)base;
  s->motion->be_careful(s->motion, careful);
  for (int k = 0; k < s->nvariation; k++)
    s->variation[k]->be_careful(s->variation[k], careful);
}

static lw_status stage_rate(void *context, double t)
{
  lwi_varied_system *s = context;
  if (lwi_system_stops(&s->base, t)) return LW_E_STOPPED;
  return rate(&s->base, t, s->stage, s->stage + s->base.n);
}

/* Classical fourth order; the end of the step is shown. */
static lw_status step(lwi_system *base, lw_integrator method, double t, double y[], double dt)
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  const int n = base->n;
  double *at = s->stage;
  const lwi_rk4_room room = {n, at, at + n, at + 2 * (size_t)n, stage_rate, s};
  if (method != LW_INTEGRATOR_RK4) return LW_E_UNSUPPORTED;
  lw_status status = settle(base, t, y, 0);
  if (status == LW_OK) status = lwi_rk4(&room, t, y, dt);
  if (status != LW_OK) return status;
  status = show(base, t + dt, at, NULL, NULL);
  if (status == LW_OK) memcpy(y, at, bytes(n));
  return status;
}

/* ---- make ---- */

static void varied_system_free(lwi_system *base)
{
  lwi_varied_system *s = (lwi_varied_system *)base;
  if (!s) return;
  if (s->motion) s->motion->free(s->motion);
  free(s->q);
  free(s->row1);
  free(s->f);
  free(s->stage);
  free(s->from);
  free(s->to);
  free(s);
}

static void count(lwi_varied_system *s)
{
  for (int i = 0; i < s->objectives->n; i++)
    s->nintegral += s->objectives->item[i].kind == LW_OBJECTIVE_INTEGRAL;
  s->nmotion = s->motion->n;
  s->block = s->nmotion + s->nintegral;
  s->base.n = (1 + s->nvariation) * s->block;
  s->base.nblock = s->nvariation;
  s->base.nposition = s->motion->nposition;
  s->base.dynamics = s->motion->dynamics;
}

lwi_varied_system *lwi_varied_system_new(const lw_model *m, const lw_simulation_options *options,
                                         lwi_objectives *objectives, lwi_variation **variation,
                                         int nvariation, lw_error *err)
{
  lwi_varied_system *s = calloc(1, sizeof *s);
  if (!s) return lwi_fail(err, LW_E_MEMORY, "out of memory"), NULL;
  *s = (lwi_varied_system){.base = {.m = m,
                                    .weakest = 1,
                                    .tied = true, /* neighbours are settled between steps, too */
                                    .begin = begin,
                                    .show = show,
                                    .peek = peek,
                                    .rate = rate,
                                    .rate_first = rate_first,
                                    .rate_others = rate_others,
                                    .step = step,
                                    .settle = settle,
                                    .be_careful = be_careful,
                                    .free = varied_system_free},
                           .objectives = objectives,
                           .variation = variation,
                           .nvariation = nvariation};
  s->motion = lwi_joint_system_new(m, options, err);
  if (!s->motion) return varied_system_free(&s->base), NULL;
  count(s);
  s->q = calloc((size_t)s->nmotion + 1, sizeof *s->q);
  s->row1 = calloc((size_t)objectives->ncolumn + 1, sizeof *s->row1);
  s->f = calloc((size_t)s->block + 1, sizeof *s->f);
  s->stage = calloc(3 * (size_t)s->base.n + 1, sizeof *s->stage);
  s->from = calloc((size_t)nvariation + 1, sizeof *s->from);
  s->to = calloc((size_t)nvariation + 1, sizeof *s->to);
  for (int k = 0; k < nvariation; k++)
    variation[k]->system = s->motion;
  if (s->from && s->to && s->q && s->row1 && s->f && s->stage) return s;
  lwi_fail(err, LW_E_MEMORY, "out of memory for the sensitivities of %d numbers", s->base.n);
  varied_system_free(&s->base);
  return NULL;
}
