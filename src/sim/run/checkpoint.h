/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.h -- the state of a simulation as numbers, from which another one goes on.

   The history of a multistep method cannot be kept, and hidden state of works, such as where an
   iteration starts, is not worth listing.  So a run that may be resumed begins anew at each
   checkpoint: it is made again from the numbers, as a resumed one is.  Both then compute the same
   bits, whatever the numbers leave out. */
#ifndef LWI_SIM_RUN_CHECKPOINT_H
#define LWI_SIM_RUN_CHECKPOINT_H
#include "linkwork/simulate.h"

#include <stddef.h>

/* How many numbers at most: models that events make may need more than the present one. */
size_t lwi_checkpoint_size(const lw_simulation *sim);
/* Can it be kept now, in so many numbers?  Not with derivatives, with a controller of the caller,
   or after events that the caller raised; and not without lwi_transitions_begin at the start. */
bool lwi_checkpoint_is_possible(const lw_simulation *sim, size_t size);
/* At the last output state; the simulation must go on from there (lwi_checkpoint_load). */
lw_status lwi_checkpoint_save(lw_simulation *sim, double x[]);
/* The transitions (transitions.h) that lead to its model: how many numbers of sim->transitions. */
size_t lwi_checkpoint_transitions(const double x[]);
/* Another simulation, in its first phase, goes through them. */
lw_status lwi_checkpoint_repeat(lw_simulation *sim, const double x[], const double transitions[],
                                lw_error *err);
/* Makes the simulation anew, with its present model, and goes on from there.  After a failure it
   can only be freed. */
lw_status lwi_checkpoint_load(lw_simulation *sim, const double x[], lw_error *err);

#endif
