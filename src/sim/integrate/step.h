/* SPDX-License-Identifier: Apache-2.0 */
/* step.h -- one fixed step with the accelerations and the projection of any formulation. */
#ifndef LWI_SIM_INTEGRATE_STEP_H
#define LWI_SIM_INTEGRATE_STEP_H
#include "linkwork/dynamics.h"
#include "linkwork/realtime.h"

typedef struct {
  const lw_model *m;
  void *context;
  lw_status (*accelerate)(void *context, double t, const double q[], const double u[],
                          const double tau[], double udot[]);
  lw_status (*project)(void *context, double t, double q[], double u[]);
  const lw_work *work; /* in which accelerate evaluates */
  double *scratch;     /* 5 (nq + nu) */
} lwi_stepper;

/* As lw_step, but does not advance t. */
lw_status lwi_step(const lwi_stepper *s, lw_integrator method, double t, double q[], double u[],
                   const double tau[], double dt);

/* Classical Runge-Kutta of order 4: y + dt/6 (k1 + 2 k2 + 2 k3 + k4).  The result is in r->y. */
typedef struct {
  int n;
  double *y, *rate,
      *sum; /* [n] each: the state at which find_rate evaluates, its result, scratch */
  lw_status (*find_rate)(void *context, double t);
  void *context;
} lwi_rk4_scratch;
lw_status lwi_rk4(const lwi_rk4_scratch *r, double t, const double y[], double dt);

#endif
