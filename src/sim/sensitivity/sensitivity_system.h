/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_system.h -- a system with its derivatives by parameters and with integrals, as one
   system of first order.

   y is (motion, integrals), followed by the derivative of all that by each parameter.  All blocks
   have the same size, and no block depends on its derivatives. */
#ifndef LWI_SIM_SENSITIVITY_SENSITIVITY_SYSTEM_H
#define LWI_SIM_SENSITIVITY_SENSITIVITY_SYSTEM_H
#include "linkwork/sensitivity.h"
#include "sim/sensitivity/objectives.h"
#include "sim/sensitivity/parameter_derivative.h"

/* What continues across an event. */
typedef struct {
  const double *when_p; /* [nderivative] derivatives of the time of the event */
  double *integral;     /* [nintegral] values at the event */
  double *integrand;    /* [nintegral] integrands just before */
  double *integral_p;   /* [nderivative][nintegral] */
} lwi_event_restart;

/* A start that is not the one written: derivatives of positions along speeds, and of states. */
typedef struct {
  bool known;     /* not yet: the run has not begun, derivatives are zero */
  int nu, nstate; /* of the model */
  double *motion; /* [nderivative][nu] */
  double *states; /* [nderivative][nstate] */
} lwi_given_start;

typedef struct {
  lwi_system base;
  lwi_system *motion; /* owned */
  lwi_objectives *objectives;
  int nderivative;
  lwi_parameter_derivative **derivative; /* [nderivative] owned by the caller */
  int nmotion, nintegral, block;
  double *outside; /* [nderivative][block] derivatives that are not integrated; NULL: they are */
  double since;    /* time at which those hold */
  lw_sensitivity_cost *cost; /* what has been evaluated; of the caller */
  bool begun;                /* since then nothing has been recorded: adjoint.h */
  const lwi_event_restart
      *event_restart;           /* set if it starts after an event; NULL: at the initial state */
  const lwi_given_start *given; /* NULL: starts as written */
  double *q;                    /* [nmotion] with unit quaternions */
  double *row_p;                /* [ncolumn] */
  double *f;                    /* [block] */
  const double **from;          /* [nderivative] derivatives */
  double **to;                  /* [nderivative] their rates */
  double *stage;                /* [3 n] scratch of fixed steps */
} lwi_sensitivity_system;

/* outside: derivatives are not integrated along.  Returns NULL on failure; see err. */
lwi_sensitivity_system *lwi_sensitivity_system_new(const lw_model *m,
                                                   const lw_simulation_options *options,
                                                   lwi_objectives *objectives,
                                                   lwi_parameter_derivative **derivative,
                                                   int nderivative, bool outside, lw_error *err);

/* Integrands at a state of the motion; out[nintegral]. */
lw_status lwi_sensitivity_integrands(lwi_sensitivity_system *s, double t, const double y[],
                                     double out[]);

/* The derivative of y by parameter k. */
static inline double *lwi_sensitivity_block(const lwi_sensitivity_system *s, double *y, int k)
{
  const size_t block = (size_t)s->block;
  return s->outside ? s->outside + (size_t)k * block : y + (size_t)(k + 1) * block;
}

#endif
