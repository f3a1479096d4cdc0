/* SPDX-License-Identifier: Apache-2.0 */
/* resting_switches.h -- loads that switch with the state, where the state is at the switch and stays there: an
   orifice sqrt(abs(p)) whose p is zero, abs(q.A) of what does not move.  What depends on parameters
   beyond has another derivative to each side, or none. */
#ifndef LWI_SIM_SENSITIVITY_RESTING_SWITCHES_H
#define LWI_SIM_SENSITIVITY_RESTING_SWITCHES_H
#include "sim/sensitivity/sensitivity_data.h"

/* After a step to t.  *which: one of them; NULL: none. */
lw_status lwi_resting_switches_look(lw_sensitivity *s, double t, const lwi_state_switch **which);

#endif
