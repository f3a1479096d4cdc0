/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.h -- the state of a simulation as numbers, from which another one goes on.

   The history of a multistep method cannot be kept, and hidden state of works, such as where an iteration starts, is not
   worth listing.  So a run that may be resumed begins anew at each checkpoint: it is made again from the numbers, as a
   resumed one is.  Both then compute the same bits, whatever the numbers leave out. */
#ifndef LWI_SIM_RUN_CHECKPOINT_H
#define LWI_SIM_RUN_CHECKPOINT_H
#include "linkwork/simulate.h"

#include <stddef.h>

/* Can it be kept now?  Not with another model than the first, made by events, with derivatives, or with a controller of
   the caller. */
bool lwi_checkpoint_is_possible(const lw_simulation *sim);
/* How many numbers; the same throughout a run. */
size_t lwi_checkpoint_size(const lw_simulation *sim);
/* At the last output state. */
void lwi_checkpoint_save(lw_simulation *sim, double x[]);
/* Makes the simulation anew and goes on from there.  After a failure it can only be freed. */
lw_status lwi_checkpoint_load(lw_simulation *sim, const double x[], lw_error *err);

#endif
