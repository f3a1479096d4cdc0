/* SPDX-License-Identifier: Apache-2.0 */
/* events.h -- what happens during a simulation: callbacks, events, singular configurations. */
#ifndef LINKWORK_EVENTS_H
#define LINKWORK_EVENTS_H
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Sets the function that is called after each integration step. */
LW_API void lw_simulation_watch(lw_simulation *sim, lw_step_callback callback, void *context);
/* One that is called within steps as well, before each evaluation; if it stops the run, that
   happens as soon as possible: results returned before remain valid, and only lw_simulation_start
   continues from there. */
LW_API void lw_simulation_interrupt(lw_simulation *sim, lw_step_callback callback, void *context);
/* Sets the function that is called at events; see lw_event_callback. */
LW_API void lw_simulation_on_event(lw_simulation *sim, lw_event_callback callback, void *context);

/* The time of the next event as far as it is known: infinite if no time is given in the model and
   no zero crossing was found in the last step of the integration. */
LW_API double lw_simulation_next_event(const lw_simulation *sim);
/* A `stop` event has happened: lw_simulation_advance does not advance any further and returns
   LW_E_STOPPED. */
LW_API bool lw_simulation_is_over(const lw_simulation *sim);

/* Raises n events in one instant, at the time last reached.  Their numbers must not be expressions;
   at, when, direction and once are ignored.  Terms of a new constraint name joints of the present
   model.  Joints that are added this way have no result columns unless the model contains their
   names.  On failure nothing is changed. */
LW_API lw_status lw_simulation_raise(lw_simulation *sim, const lw_event_desc events[], int n,
                                     lw_error *err);

/* Configurations passed so far at which constraints are momentarily dependent, so that the
   mechanism has more degrees of freedom there: the equations alone do not determine the motion
   beyond.  The branch on which the motion is smooth was chosen.  Valid until the simulation
   advances. */
typedef struct {
  double time;
  int dof, dof_there; /* before and after; at the configuration */
} lw_singularity;
LW_API int lw_simulation_singularities(const lw_simulation *sim, const lw_singularity **found);

#ifdef __cplusplus
}
#endif
#endif
