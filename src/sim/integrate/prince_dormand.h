/* SPDX-License-Identifier: Apache-2.0 */
/* prince_dormand.h -- the pair RK8(7)13M of Prince and Dormand (High order embedded Runge-Kutta
   formulae, 1981) as a table for ARKODE. */
#ifndef LWI_SIM_INTEGRATE_PRINCE_DORMAND_H
#define LWI_SIM_INTEGRATE_PRINCE_DORMAND_H
#include <stdio.h> /* arkode_butcher.h needs it */
#include <arkode/arkode_butcher.h>

ARKodeButcherTable lwi_prince_dormand(void); /* returns NULL if out of memory */

/* RK5(4)7M of Dormand and Prince (A family of embedded Runge-Kutta formulae, 1980).  ARKODE's own
   loader does not check for a failed allocation.  Returns NULL if out of memory. */
ARKodeButcherTable lwi_dormand_prince(void);

#endif
