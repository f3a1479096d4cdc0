/* SPDX-License-Identifier: Apache-2.0 */
/* transitions.h -- how a run came to its present model: the numbers from which events have made
   each model of the one before.  With them another simulation of the first model gets there without
   integrating: a phase and its model are functions of the moment (events/phase.h) alone. */
#ifndef LWI_SIM_RUN_TRANSITIONS_H
#define LWI_SIM_RUN_TRANSITIONS_H
#include "sim/events/phase.h"

#include <stddef.h>

enum { LWI_TRANSITION_BLOCK = 6 }; /* each has a multiple of so many numbers */

typedef struct {
  bool on;   /* they are recorded */
  bool lost; /* one was not: the caller raised it, or there are too many */
  double *x; /* [n] all of them, then that of the present instant */
  size_t n, staged, capacity;
  int count;
} lwi_transitions;

/* Records from now on; the simulation is in its first phase. */
void lwi_transitions_begin(lw_simulation *sim);
/* At an instant, before its model takes over: what it is made from.  The last one counts. */
void lwi_transitions_stage(lw_simulation *sim, const lwi_moment *now);
/* ... that model takes over; raised: by an event that the caller raised. */
void lwi_transitions_commit(lw_simulation *sim, const lw_model *m, bool raised);
/* Takes up x[n] of another simulation of the same model and goes through `count` of them: the
   present model is the last one.  The state and all that watches it are not of this model:
   lwi_simulation_make_anew follows. */
lw_status lwi_transitions_repeat(lw_simulation *sim, const double x[], size_t n, int count,
                                 lw_error *err);

/* Goes through x[n] from the first phase on and calls each(context, t, model) for each model; sim is of no further use. */
lw_status lwi_transitions_visit(lw_simulation *sim, const double x[], size_t n,
                                lw_status (*each)(void *context, double t, const lw_model *m),
                                void *context, lw_error *err);

#endif
