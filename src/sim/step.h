/* SPDX-License-Identifier: Apache-2.0 */
/* step.h -- one fixed step with the accelerations and the projection of any formulation. */
#ifndef LWI_SIM_STEP_H
#define LWI_SIM_STEP_H
#include "linkwork/dynamics.h"

typedef struct {
  const lw_model *m;
  void *context;
  lw_status (*accelerate)(void *context, double t, const double q[], const double u[],
                          const double tau[], double udot[]);
  lw_status (*project)(void *context, double t, double q[], double u[]);
  double *room; /* 4 (nq + nu) */
} lwi_stepper;

/* As lw_step, but t stays as it is. */
lw_status lwi_step(const lwi_stepper *s, lw_integrator method, double t, double q[], double u[],
                   const double tau[], double dt);

#endif
