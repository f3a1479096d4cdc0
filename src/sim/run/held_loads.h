/* SPDX-License-Identifier: Apache-2.0 */
/* held_loads.h -- loads and rates of states that switch with the state stay on their branch while they are integrated.

   Each operation that switches has a switching function, which triggers.h watches.  Between two switches the system is computed with
   expressions in which these operations are held (model/expression/expr_hold.h), so that it is smooth also where a step, or an
   iteration of it, goes beyond the switch.  The state at the switch is then that of a smooth motion; from there the integration starts
   again on the other branch.  docs/theory/events.md. */
#ifndef LWI_SIM_RUN_HELD_LOADS_H
#define LWI_SIM_RUN_HELD_LOADS_H
#include "linkwork/simulate.h"
#include "model/expression/expr_hold.h"

typedef struct {
  int n;                 /* of the model: nswitching */
  lwi_expr *expr;        /* [n] malloc'ed; without steps: not held */
  const lwi_expr **list; /* [n] what the work has; NULL: not held */
  int *side, nside;      /* [nside] of the switching functions, as they were held */
  int *
      guess; /* [nside] where the state is at the switch itself: the side to which it moves; 0: not known */
  bool guessed; /* since the integration started again */
  bool held;
} lwi_held_loads;

/* Before the integration starts again at t, in the state that was found last: holds all that is known to be on one side.  Failure
   leaves the expressions of the model. */
void lwi_held_loads_start(lw_simulation *sim, double t);
/* Before a step: the same, if sides have become known since. */
void lwi_held_loads_update(lw_simulation *sim);
/* Before anything changes at an instant: the expressions of the model count again. */
void lwi_held_loads_release(lw_simulation *sim);
/* The same, and the memory: before the system of the simulation is freed. */
void lwi_held_loads_free(lw_simulation *sim);

#endif
