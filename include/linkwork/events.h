/* SPDX-License-Identifier: Apache-2.0 */
/* events.h -- what happens on the way of a simulation: events, singular configurations. */
#ifndef LINKWORK_EVENTS_H
#define LINKWORK_EVENTS_H
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Called as lw_event_callback says. */
LW_API void lw_simulation_on_event(lw_simulation *sim, lw_event_callback callback, void *context);

/* When the next event comes, as far as is known: infinite if no time is written, and no crossing of zero
   has been met in the last step of the integration. */
LW_API double lw_simulation_next_event(const lw_simulation *sim);
/* A `stop` has come: lw_simulation_advance goes no further, and returns LW_E_STOPPED. */
LW_API bool lw_simulation_is_over(const lw_simulation *sim);

/* Events that the caller decides, at the time last asked for: n of them in one instant.  Their numbers are
   plain; at, when, direction and once do not count.  Terms of a new constraint name joints of the present
   model.  Joints that come this way have no result columns unless the model knows their names.
   On failure nothing has changed. */
LW_API lw_status lw_simulation_raise(lw_simulation *sim, const lw_event_desc events[], int n,
                                     lw_error *err);

/* Configurations passed so far at which constraints depend on each other for a moment, so that the mechanism
   has more degrees of freedom there: the motion beyond is not determined by the equations alone.  The
   branch on which it is smooth was kept.  They stay valid until the simulation goes on. */
typedef struct {
  double time;
  int dof, dof_there; /* before and after; at that moment */
} lw_singularity;
LW_API int lw_simulation_singularities(const lw_simulation *sim, const lw_singularity **found);

#ifdef __cplusplus
}
#endif
#endif
