/* SPDX-License-Identifier: Apache-2.0 */
/* simulation.h -- a simulation: functions for the rest of the layer. */
#ifndef LWI_SIM_OUTPUT_SIMULATION_H
#define LWI_SIM_OUTPUT_SIMULATION_H
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "tree/loops/work.h"

/* The work of the simulation: after lw_simulation_advance it holds the kinematics of that state. */
const lw_work *lwi_simulation_work(const lw_simulation *sim);

/* The number of models before the present one. */
int lwi_simulation_phase(const lw_simulation *sim);
/* The model before the present one; NULL: none. */
const lw_model *lwi_simulation_previous(const lw_simulation *sim);

/* The time at which expressions of time are evaluated for t; sim may be NULL. */
double lwi_simulation_time(const lw_simulation *sim, double t);
/* The expected sum of kinetic and potential energy at t: balance.h. */
double lwi_simulation_expected_energy(const lw_simulation *sim, double t);

/* Where a freedom with rigid limits or dry friction is, or a contact; event: the number of its
   first event in the first model.  NaN: its joint is not there. */
typedef enum {
  LWI_FREEDOM_FREE,  /* a contact: open */
  LWI_FREEDOM_LOWER, /* rests on its lower limit; a contact: closed, without friction */
  LWI_FREEDOM_UPPER,
  LWI_FREEDOM_STICKING,
  LWI_FREEDOM_SLIDING,
  LWI_FREEDOM_ROLLING /* a round contact that sticks */
} lwi_freedom_state;
double lwi_simulation_freedom_state(const lw_simulation *sim, int event);

/* Creates another dynamics object with the formulation of the simulation. */
lw_status lwi_simulation_dynamics(const lw_simulation *sim, lw_dynamics **d, lw_error *err);

#endif
