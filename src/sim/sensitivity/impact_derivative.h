/* SPDX-License-Identifier: Apache-2.0 */
/* impact_derivative.h -- derivatives of speeds across an event: of momenta, impulses and impacts in one model. */
#ifndef LWI_SIM_SENSITIVITY_IMPACT_DERIVATIVE_H
#define LWI_SIM_SENSITIVITY_IMPACT_DERIVATIVE_H
#include "sim/sensitivity/event_derivative.h"
#include "sim/events/jump.h"

/* An event as it is repeated in the work of the derivatives. */
typedef struct {
  lwi_event_derivative *e;
  lwi_linearized_dynamics *l;
  lwi_direction x;
  double t;
  const double *q, *u;
  lwi_jump jump;
  double (*V)[6], (*V_p)[6]; /* [nbody + 1] of bodies before the event */
  double (*p_p)[6];          /* [nlink] */
  double *scratch;
} lwi_event_repeat;

/* u_p after the jump, whose positions have the direction x->x; the jump has been repeated in the work of the
   derivatives, with its impulses kept. */
lw_status lwi_impact_derivative(lwi_event_repeat *x, double u_p[]);

#endif
