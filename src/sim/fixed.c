/* SPDX-License-Identifier: Apache-2.0 */
/* fixed.c -- fixed steps as an integrator: equal steps from one output time to the next, none longer
   than options.step. */
#include "sim/integrators.h"
#include "sim/state.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_integrator base;
  lw_integrator method;
  double longest; /* step */
  double target;  /* where the present run of equal steps goes ... */
  double from;    /* ... and where it began */
  long nstep, istep;
  double *y; /* [n] */
} fixed;

static lw_status start(lwi_integrator *it, double t, const double y[])
{
  fixed *f = (fixed *)it;
  memcpy(f->y, y, (size_t)it->system->n * sizeof(double));
  it->t = f->target = t;
  f->nstep = f->istep = 0;
  return LW_OK;
}

static lw_status step(lwi_integrator *it, double target, double end)
{
  fixed *f = (fixed *)it;
  (void)end; /* is not before target */
  if (target != f->target || f->istep >= f->nstep) {
    f->from = it->t;
    f->target = target;
    f->istep = 0;
    f->nstep = (long)ceil((target - it->t) / f->longest * (1 - 1e-9));
  }

  /* times are computed from the ends, so that they do not drift and the last one is exact */
  const double part = (double)++f->istep / (double)f->nstep;
  const double next = f->istep == f->nstep ? target : f->from + part * (target - f->from);
  const double from = lwi_system_time(it->system, it->t), to = lwi_system_time(it->system, next);
  const lw_status status = it->system->step(it->system, f->method, from, f->y, to - from);
  it->system->evaluations += f->method == LW_INTEGRATOR_RK4 ? 4 : 1;
  if (status != LW_OK) return lwi_integrator_fail(it, status, "%s", lwi_failure_text(status));
  it->t = next;
  return LW_OK;
}

static lw_status get(lwi_integrator *it, double t, double y[])
{
  const fixed *f = (const fixed *)it;
  (void)t; /* steps end at the times that are asked for */
  memcpy(y, f->y, (size_t)it->system->n * sizeof(double));
  return LW_OK;
}

static void count(const lwi_integrator *it, lw_simulation_statistics *s)
{
  (void)it; /* rejects nothing */
  (void)s;
}

static void fixed_free(lwi_integrator *it)
{
  if (it) free(((fixed *)it)->y);
  free(it);
}

lwi_integrator *lwi_fixed_new(lwi_system *s, const lw_simulation_options *options)
{
  fixed *f = malloc(sizeof *f);
  double *y = malloc(((size_t)s->n + 1) * sizeof *y);
  if (!f || !y) {
    free(f);
    free(y);
    return NULL;
  }
  *f = (fixed){.method = options->integrator, .longest = options->step, .y = y};
  f->base = (lwi_integrator){
      .system = s, .start = start, .step = step, .get = get, .count = count, .free = fixed_free};
  f->base.method = options->integrator == LW_INTEGRATOR_RK4 ? "Runge-Kutta, order 4, fixed steps"
                                                            : "semi-implicit Euler, fixed steps";
  return &f->base;
}
