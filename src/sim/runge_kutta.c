/* SPDX-License-Identifier: Apache-2.0 */
/* runge_kutta.c -- explicit Runge-Kutta with error control, on ARKODE's ERKStep.

   Two pairs, measured in docs/decisions/010-default-integrator.md:
     rtol > 1e-9   Dormand-Prince 5(4); between steps the Hermite polynomial of degree 5, whose error
                   is of the order of the method's own
     else          Prince-Dormand 8(7); no polynomial that ARKODE offers keeps up with order 8, so
                   that steps end at the output times */
#include "sim/prince_dormand.h"
#include "sim/sundials.h"

#include <arkode/arkode_erkstep.h>
#include <stdlib.h>

typedef struct {
  lwi_sundials base;
  bool dense; /* interpolates; else stops at the times wanted */
  N_Vector dense_y;
} runge_kutta;

static lw_status start(lwi_integrator *it, double t, const double y[])
{
  lwi_sundials *s = (lwi_sundials *)it;
  it->t = t;
  it->next = 0;
  lwi_sundials_set(s, y);
  int flag = ERKStepReInit(s->memory, lwi_sundials_rate, t, s->y);
  /* the order is there at once, so that only the error test limits the first step; left to itself, ARKODE
     begins as if the order were one */
  if (flag >= 0) flag = ERKStepSetInitStep(s->memory, it->pace);
  if (flag >= 0 && !lwi_sundials_reserve()) flag = ARK_MEM_FAIL; /* for what the first step takes */
  return lwi_sundials_check(s, flag);
}

static lw_status step(lwi_integrator *it, double target, double end)
{
  runge_kutta *r = (runge_kutta *)it;
  lwi_sundials *s = &r->base;
  const double stop = r->dense ? end : target;
  double t = it->t; /* where a failing step was, ARKODE says too */
  int flag = ERKStepSetStopTime(s->memory, stop);
  if (flag >= 0) flag = ERKStepEvolve(s->memory, stop, s->y, &t, ARK_ONE_STEP);
  if (flag >= 0) it->t = t;
  if (flag >= 0) ERKStepGetCurrentStep(s->memory, &it->next);
  return lwi_sundials_check(s, flag);
}

static lw_status get(lwi_integrator *it, double t, double y[])
{
  runge_kutta *r = (runge_kutta *)it;
  lwi_sundials *s = &r->base;
  if (t == it->t) {
    lwi_sundials_copy(s, s->y, y);
    return LW_OK;
  }
  const lw_status status = lwi_sundials_check(s, ERKStepGetDky(s->memory, t, 0, r->dense_y));
  if (status == LW_OK) lwi_sundials_copy(s, r->dense_y, y);
  return status;
}

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
  if (r->dense_y) N_VDestroy(r->dense_y);
  lwi_sundials_close(&r->base);
  free(r);
}

static bool use_table(runge_kutta *r)
{
  void *memory = r->base.memory;
  if (r->dense)
    return ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5) >= 0 &&
           ERKStepSetInterpolantDegree(memory, 5) >= 0;

  ARKodeButcherTable table = lwi_prince_dormand();
  const bool good = table && ERKStepSetTable(memory, table) >= 0;
  ARKodeButcherTable_Free(table);
  return good;
}

static bool configure(runge_kutta *r, const lw_simulation_options *o)
{
  lwi_sundials *s = &r->base;
  s->memory = ERKStepCreate(lwi_sundials_rate, 0, s->y, s->context);
  r->dense_y = N_VClone(s->y);
  if (!s->memory || !r->dense_y) return false;

  r->dense = s->base.dense = o->rtol > 1e-9;
  s->base.method =
      r->dense ? "Runge-Kutta, Dormand-Prince 5(4)" : "Runge-Kutta, Prince-Dormand 8(7)";
  return ERKStepSetErrHandlerFn(s->memory, lwi_sundials_message, s) >= 0 &&
         ERKStepSetUserData(s->memory, s) >= 0 && use_table(r) &&
         ERKStepSStolerances(s->memory, lwi_step_rtol(o, false), lwi_step_atol(o, false)) >= 0 &&
         ERKStepSetMaxErrTestFails(s->memory, 20) >= 0 &&
         (o->step == 0 || ERKStepSetMaxStep(s->memory, o->step) >= 0);
}

lwi_integrator *lwi_runge_kutta_new(lwi_system *system, const lw_simulation_options *options)
{
  runge_kutta *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->base.base = (lwi_integrator){
      .start = start, .step = step, .get = get, .count = count, .free = runge_kutta_free};
  if (lwi_sundials_open(&r->base, system, system->n) && configure(r, options) &&
      !lwi_vectors_failed(r->base.y))
    return &r->base.base;
  runge_kutta_free(&r->base.base);
  return NULL;
}
