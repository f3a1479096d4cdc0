/* SPDX-License-Identifier: Apache-2.0 */
/* simulation.h -- what other parts of the layer may know of a simulation. */
#ifndef LWI_SIM_OUTPUT_SIMULATION_H
#define LWI_SIM_OUTPUT_SIMULATION_H
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "tree/loops/work.h"

/* The work it computes in: after lw_simulation_advance it holds the kinematics of that state. */
const lw_work *lwi_simulation_work(const lw_simulation *sim);

/* Counts the models that it has had. */
int lwi_simulation_phase(const lw_simulation *sim);
/* The one before the present one; NULL: none. */
const lw_model *lwi_simulation_previous(const lw_simulation *sim);

/* The time at which expressions of time are evaluated for t; sim may be NULL. */
double lwi_simulation_time(const lw_simulation *sim, double t);
/* What kinetic and potential energy together should be at t: balance.h. */
double lwi_simulation_expected_energy(const lw_simulation *sim, double t);

/* Another formulation at work like the simulation's own. */
lw_status lwi_simulation_dynamics(const lw_simulation *sim, lw_dynamics **d, lw_error *err);

#endif
