/* SPDX-License-Identifier: Apache-2.0 */
/* state_switches.h -- motors, forces and rates of states that switch where the state has certain
   values: abs, sign, min, max, comparisons, floor, mod, quotients of expressions of the state.
   Each has a switching function, which is watched like the trigger of an event.  Where it crosses
   zero the integration starts again, so that no step goes across; a load without bound there is an
   error.  docs/theory/events.md. */
#ifndef LWI_SIM_EVENTS_STATE_SWITCHES_H
#define LWI_SIM_EVENTS_STATE_SWITCHES_H
#include "model/compiled_events.h"
#include "model/model.h"

/* where the expression is in the model */
typedef enum {
  LWI_SWITCH_IN_MOTOR,
  LWI_SWITCH_IN_LOAD,
  LWI_SWITCH_IN_STATE,
  LWI_SWITCH_ELSEWHERE
} lwi_switch_place;

typedef struct {
  lwi_event event; /* of its own, number 0; does nothing */
  lwi_switch_place place;
  int index, component; /* which motor, load or state; of a load which of its six numbers */
  int op, nop;          /* the operation that switches, of how many */
  lwi_expr g;           /* the switching function: malloc'ed */
  bool jumps;           /* the load may jump, not only its rate */
  bool angle;           /* g is an angle: it switches where that jumps, not where it is zero */
  bool pole;            /* it may have no bound */
  char name[96];        /* motor "M" */
} lwi_state_switch;

/* All of them; the caller frees the list.  With integrands: also jumps of the integrals of
   objectives, for whose derivatives the time of a jump counts. */
lw_status lwi_state_switches_find(const lw_model *m, bool integrands, lwi_state_switch **list,
                                  int *n);
void lwi_state_switches_free(lwi_state_switch *list, int n);

#endif
