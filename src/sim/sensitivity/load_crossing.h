/* SPDX-License-Identifier: Apache-2.0 */
/* load_crossing.h -- what sticks gives way when its load reaches its bound: the time of that event is the zero of

     friction of a joint           |L| - Fs,  Fs constant or mu_s times what its bearings carry
     friction of a limited freedom  -L - Fs   on its limit
     friction of a contact         |f| - mu N */
#ifndef LWI_SIM_SENSITIVITY_LOAD_CROSSING_H
#define LWI_SIM_SENSITIVITY_LOAD_CROSSING_H
#include "sim/formulation/linearized_dynamics.h"
#include "sim/output/simulation.h"

/* The contact of an event that gives way so, accelerations jumping; -1: none.  What opens with the load zero is none of
   these: nothing jumps, and its time does not matter. */
int lwi_load_crossing_find(const lw_simulation *sim, int number);
/* g and the size of its bound at a state y. */
lw_status lwi_load_crossing_value(lw_simulation *sim, int which, double t, const double y[],
                                  double g[2]);
/* dg/dt along the rate f of y: the difference formula.  scratch: [motion]. */
lw_status lwi_load_crossing_rate(lw_simulation *sim, int which, double t, const double y[],
                                 const double f[], int nmotion, double scratch[], double *rate);
/* Along the last direction of l, after lw_load_derivatives; slope: derivatives of the numbers of events. */
lw_status lwi_load_crossing_slope(const lw_simulation *sim, int which,
                                  const lwi_linearized_dynamics *l, const lw_model *derivative,
                                  const lw_event_desc slope[], double *g_p);

#endif
