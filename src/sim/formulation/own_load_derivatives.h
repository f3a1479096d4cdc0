/* SPDX-License-Identifier: Apache-2.0 */
/* own_load_derivatives.h -- derivatives of the dynamics along a direction where friction depends on the load
   of its own contact or joint (own_loads.h). */
#ifndef LWI_SIM_FORMULATION_OWN_LOAD_DERIVATIVES_H
#define LWI_SIM_FORMULATION_OWN_LOAD_DERIVATIVES_H
#include "sim/formulation/linearized_dynamics.h"
#include "sim/formulation/own_loads.h"

/* Are there such loads?  Then puts them into y, [nq + nu], with unit quaternions. */
bool lwi_own_loads_act(const lw_dynamics *d);
lw_status lwi_own_loads_complete(lwi_linearized_dynamics *l, double t, double y[]);

/* As lw_forward_derivative at the state of l, which is completed.  *states: the derivatives of the states along the
   direction, with those of the loads. */
lw_status lwi_own_loads_derive(lwi_linearized_dynamics *l, const lw_direction *x, double udot[],
                               const double **states);

/* Along the last direction of l, after lw_load_derivatives: of what the bearings carry; size_p NULL: they do not
   change. */
double lwi_bearing_derivative(const lwi_linearized_dynamics *l, const lw_model *derivative,
                              const lwi_bearing *b, const double size_p[3]);
/* ... and of the normal load of a contact, by the constraint that it is. */
double lwi_normal_load_derivative(const lwi_linearized_dynamics *l, const lw_model *derivative,
                                  int constraint);
/* ... and of the size of the load of its friction while it sticks. */
double lwi_friction_load_derivative(const lwi_linearized_dynamics *l, int constraint);

#endif
