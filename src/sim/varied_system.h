/* SPDX-License-Identifier: Apache-2.0 */
/* varied_system.h -- a system with its derivatives by parameters and with integrals along the way, as
   one system of first order.

   y is (motion, integrals), and then for each parameter the derivative of all that.  Every block has
   the same size, and derivatives do not act back on what they are derivatives of. */
#ifndef LWI_SIM_VARIED_SYSTEM_H
#define LWI_SIM_VARIED_SYSTEM_H
#include "sim/objectives.h"
#include "sim/variation.h"

/* an event: how the next beginning goes on from what was before */
typedef struct {
  const double *when1; /* [nvariation] derivatives of the time of the event */
  double *integral;    /* [nintegral] before */
  double *integrand;   /* [nintegral] just before */
  double *integral1;   /* [nvariation][nintegral] */
} lwi_landing;

typedef struct {
  lwi_system base;
  lwi_system *motion; /* its own */
  lwi_objectives *objectives;
  int nvariation;
  lwi_variation **variation; /* [nvariation] the caller's */
  int nmotion, nintegral, block;
  const lwi_landing *landing; /* it begins after an event; NULL: at the initial state */
  double *q;                  /* [nmotion] with unit quaternions */
  double *row1;               /* [ncolumn] */
  double *f;                  /* [block] */
  const double **from;        /* [nvariation] derivatives ... */
  double **to;                /* ... and their rates */
  double *stage;              /* [3 n] of fixed steps */
} lwi_varied_system;

/* NULL: see err. */
lwi_varied_system *lwi_varied_system_new(const lw_model *m, const lw_simulation_options *options,
                                         lwi_objectives *objectives, lwi_variation **variation,
                                         int nvariation, lw_error *err);

/* Integrands at a state of the motion; out[nintegral]. */
lw_status lwi_varied_integrands(lwi_varied_system *s, double t, const double y[], double out[]);

/* Derivatives by parameter k in y. */
static inline double *lwi_varied_block(const lwi_varied_system *s, double *y, int k)
{
  return y + (size_t)(k + 1) * (size_t)s->block;
}

#endif
