/* SPDX-License-Identifier: Apache-2.0 */
/* runge_kutta.c -- explicit Runge-Kutta with error control, on ARKODE's ERKStep.

   Two pairs, measured in docs/decisions/008-default-integrator.md:
       rtol > 1e-9   Dormand-Prince 5(4)
       else          Prince-Dormand 8(7), whose steps end at the output times

   Dense output of the last step: the Hermite polynomial through its ends and inner nodes, which are
   found by steps of the same method from its beginning.  Its degree, 5 with one inner node and 9
   with three, keeps its error at that of the step.  The estimate is the cubic through the ends,
   which needs no further evaluation. */
#include "sim/integrate/hermite.h"
#include "sim/integrate/prince_dormand.h"
#include "sim/integrate/sundials.h"

#include <arkode/arkode_erkstep.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_sundials base;
  bool stops; /* steps end at the output times */
  ARKodeButcherTable table;
  int inner;        /* number of inner nodes */
  lwi_hermite last; /* the last step; its ends come first */
  N_Vector rate;
  bool has_rates; /* at the ends of the last step */
  double *stages; /* [stages + 1][n] */
} runge_kutta;

static lw_status start(lwi_integrator *it, double t, const double y[])
{
  lwi_sundials *s = (lwi_sundials *)it;
  it->t = t;
  it->next = 0;
  ((runge_kutta *)it)->last.places = 0;
  lwi_sundials_set(s, y);
  int flag = ERKStepReInit(s->memory, lwi_sundials_rate, t, s->y);
  /* The method has its full order from the first step, so that only the error test limits it.
     ARKODE's own first step is chosen as if the order were one. */
  if (flag >= 0) flag = ERKStepSetInitStep(s->memory, it->pace);
  if (flag >= 0 && !lwi_sundials_reserve())
    flag = ARK_MEM_FAIL; /* for what the first step allocates */
  return lwi_sundials_check(s, flag);
}

static lw_status step(lwi_integrator *it, double target, double end)
{
  runge_kutta *r = (runge_kutta *)it;
  lwi_sundials *s = &r->base;
  const double stop = r->stops ? target : end;
  double t = it->t; /* ARKODE also returns the time of a failed step */
  lwi_sundials_copy(s, s->y, r->last.y[0]);
  r->last.t[0] = t;
  int flag = ERKStepSetStopTime(s->memory, stop);
  if (flag >= 0) flag = ERKStepEvolve(s->memory, stop, s->y, &t, ARK_ONE_STEP);
  if (flag >= 0) {
    lwi_sundials_copy(s, s->y, r->last.y[1]);
    it->t = r->last.t[1] = t;
    r->last.places = 2;
    r->has_rates = false;
    ERKStepGetCurrentStep(s->memory, &it->next);
  }
  return lwi_sundials_check(s, flag);
}

/* ---- within the last step ---- */

/* Rates at the ends, as ARKODE has computed them. */
static lw_status find_rates(runge_kutta *r)
{
  lwi_sundials *s = &r->base;
  for (int i = 0; i < 2 && !r->has_rates; i++) {
    const lw_status status =
        lwi_sundials_check(s, ERKStepGetDky(s->memory, r->last.t[i], 1, r->rate));
    if (status != LW_OK) return status;
    lwi_sundials_copy(s, r->rate, r->last.f[i]);
  }
  r->has_rates = true;
  return LW_OK;
}

/* y + h sum b_i k_i,  k_i = f(t + c_i h, y + h sum a_ij k_j) */
static lw_status advance(const runge_kutta *r, double h, double y[])
{
  const ARKodeButcherTable table = r->table;
  const size_t n = (size_t)r->last.n, stages = (size_t)table->stages;
  const double *from = r->last.y[0];
  double *k = r->stages, *stage = r->stages + stages * n;
  memcpy(y, from, n * sizeof(double));
  for (size_t i = 0; i < stages; i++) {
    memcpy(stage, from, n * sizeof(double));
    for (size_t j = 0; j < i; j++)
      for (size_t e = 0; e < n; e++)
        stage[e] += h * table->A[i][j] * k[j * n + e];
    const lw_status status =
        lwi_system_rate(r->base.base.system, r->last.t[0] + table->c[i] * h, stage, k + i * n);
    if (status != LW_OK) return status;
    for (size_t e = 0; e < n; e++)
      y[e] += h * table->b[i] * k[i * n + e];
  }
  return LW_OK;
}

static lw_status find_inner_places(runge_kutta *r)
{
  lwi_hermite *x = &r->last;
  const double h = x->t[1] - x->t[0];
  lw_status status = find_rates(r);
  for (int i = 0; i < r->inner && status == LW_OK; i++) {
    const int place = 2 + i;
    const double part = h * (i + 1) / (r->inner + 1);
    x->t[place] = x->t[0] + part;
    status = advance(r, part, x->y[place]);
    if (status == LW_OK)
      status = lwi_system_rate(r->base.base.system, x->t[place], x->y[place], x->f[place]);
  }
  if (status == LW_OK) x->places = 2 + r->inner;
  return status;
}

/* Is t one of the ends of the last step? */
static bool get_end(const runge_kutta *r, double t, double y[])
{
  const bool at_start = r->last.places > 0 && t == r->last.t[0];
  if (!at_start && t != r->base.base.t) return false;
  if (at_start && r->last.n)
    memcpy(y, r->last.y[0], (size_t)r->last.n * sizeof(double));
  else
    lwi_sundials_copy(&r->base, r->base.y, y);
  return true;
}

static lw_status get_by(lwi_integrator *it, double t, double y[], bool exact)
{
  runge_kutta *r = (runge_kutta *)it;
  if (get_end(r, t, y)) return LW_OK;
  lw_status status = LW_OK;
  if (exact && r->last.places < 2 + r->inner) status = find_inner_places(r);
  if (!exact) status = find_rates(r);
  if (status != LW_OK) return lwi_integrator_fail(it, status, "%s", lwi_failure_text(status));
  lwi_hermite_at(&r->last, t, y);
  return LW_OK;
}

static lw_status get(lwi_integrator *it, double t, double y[])
{
  return get_by(it, t, y, true);
}

static lw_status estimate(lwi_integrator *it, double t, double y[])
{
  return get_by(it, t, y, false);
}

/* ---- make ---- */

static void count(const lwi_integrator *it, lw_simulation_statistics *s)
{
  long rejected = 0;
  if (ERKStepGetNumErrTestFails(((const lwi_sundials *)it)->memory, &rejected) >= 0)
    s->rejected += rejected;
}

static void runge_kutta_free(lwi_integrator *it)
{
  runge_kutta *r = (runge_kutta *)it;
  if (!r) return;
  ERKStepFree(&r->base.memory);
  if (r->rate) N_VDestroy(r->rate);
  ARKodeButcherTable_Free(r->table);
  lwi_hermite_free(&r->last);
  free(r->stages);
  lwi_sundials_close(&r->base);
  free(r);
}

/* ARKODE's own interpolation only serves to return the rates that it has computed. */
static bool use_table(runge_kutta *r)
{
  r->table = r->stops ? lwi_prince_dormand() : lwi_dormand_prince();
  r->inner = r->stops ? 3 : 1;
  return r->table && ERKStepSetTable(r->base.memory, r->table) >= 0 &&
         ERKStepSetInterpolantDegree(r->base.memory, 3) >= 0;
}

static bool allocate(runge_kutta *r)
{
  const size_t n = (size_t)r->base.base.system->n;
  r->rate = N_VClone(r->base.y);
  r->stages = calloc(((size_t)r->table->stages + 1) * n + 1, sizeof *r->stages);
  return r->rate && r->stages && lwi_hermite_init(&r->last, (int)n, 2 + r->inner);
}

/* One tolerance for all blocks, except those whose rates are less accurate. */
static bool set_tolerances(lwi_sundials *s, const lw_simulation_options *o)
{
  const lwi_system *system = s->base.system;
  const double rtol = lwi_step_rtol(o, false), atol = lwi_step_atol(o, false);
  const double others = lwi_step_atol_others(system, o);
  if (system->nblock == 0 || others <= atol) return ERKStepSStolerances(s->memory, rtol, atol) >= 0;
  N_Vector each = N_VClone(s->y);
  if (!each || lwi_vectors_failed(s->y)) return false;
  double *x = N_VGetArrayPointer(each);
  for (int i = 0; i < system->n; i++)
    x[i] = i < lwi_system_block(system) ? atol : others;
  const bool good = ERKStepSVtolerances(s->memory, rtol, each) >= 0;
  N_VDestroy(each);
  return good;
}

static bool configure(runge_kutta *r, const lw_simulation_options *o)
{
  lwi_sundials *s = &r->base;
  s->memory = ERKStepCreate(lwi_sundials_rate, 0, s->y, s->context);
  if (!s->memory) return false;

  r->stops = !(o->rtol > 1e-9);
  s->base.method =
      r->stops ? "Runge-Kutta, Prince-Dormand 8(7)" : "Runge-Kutta, Dormand-Prince 5(4)";
  return ERKStepSetErrHandlerFn(s->memory, lwi_sundials_message, s) >= 0 &&
         ERKStepSetUserData(s->memory, s) >= 0 && use_table(r) && allocate(r) &&
         set_tolerances(s, o) && ERKStepSetMaxErrTestFails(s->memory, 20) >= 0 &&
         (o->step == 0 || ERKStepSetMaxStep(s->memory, o->step) >= 0);
}

lwi_integrator *lwi_runge_kutta_new(lwi_system *system, const lw_simulation_options *options)
{
  runge_kutta *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->base.base = (lwi_integrator){.start = start,
                                  .step = step,
                                  .get = get,
                                  .estimate = estimate,
                                  .count = count,
                                  .free = runge_kutta_free};
  if (lwi_sundials_open(&r->base, system, system->n) && configure(r, options) &&
      !lwi_vectors_failed(r->base.y))
    return &r->base.base;
  runge_kutta_free(&r->base.base);
  return NULL;
}
