/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_system.h -- a system with its derivatives by parameters and with integrals along the way, as
   one system of first order.

   y is (motion, integrals), and then for each parameter the derivative of all that.  Every block has
   the same size, and derivatives do not act back on what they are derivatives of. */
#ifndef LWI_SIM_SENSITIVITY_SENSITIVITY_SYSTEM_H
#define LWI_SIM_SENSITIVITY_SENSITIVITY_SYSTEM_H
#include "sim/sensitivity/objectives.h"
#include "sim/sensitivity/parameter_derivative.h"

/* an event: how the next beginning goes on from what was before */
typedef struct {
  const double *when_p; /* [nderivative] derivatives of the time of the event */
  double *integral;     /* [nintegral] before */
  double *integrand;    /* [nintegral] just before */
  double *integral_p;   /* [nderivative][nintegral] */
} lwi_event_restart;

typedef struct {
  lwi_system base;
  lwi_system *motion; /* its own */
  lwi_objectives *objectives;
  int nderivative;
  lwi_parameter_derivative **derivative; /* [nderivative] the caller's */
  int nmotion, nintegral, block;
  const lwi_event_restart *event_restart; /* it begins after an event; NULL: at the initial state */
  double *q;                              /* [nmotion] with unit quaternions */
  double *row_p;                          /* [ncolumn] */
  double *f;                              /* [block] */
  const double **from;                    /* [nderivative] derivatives ... */
  double **to;                            /* ... and their rates */
  double *stage;                          /* [3 n] of fixed steps */
} lwi_sensitivity_system;

/* NULL: see err. */
lwi_sensitivity_system *lwi_sensitivity_system_new(const lw_model *m,
                                                   const lw_simulation_options *options,
                                                   lwi_objectives *objectives,
                                                   lwi_parameter_derivative **derivative,
                                                   int nderivative, lw_error *err);

/* Integrands at a state of the motion; out[nintegral]. */
lw_status lwi_sensitivity_integrands(lwi_sensitivity_system *s, double t, const double y[],
                                     double out[]);

/* Derivatives by parameter k in y. */
static inline double *lwi_sensitivity_block(const lwi_sensitivity_system *s, double *y, int k)
{
  return y + (size_t)(k + 1) * (size_t)s->block;
}

#endif
