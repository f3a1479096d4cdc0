/* SPDX-License-Identifier: Apache-2.0 */
/* compiled_events.h -- events of a model, with all numbers evaluated. */
#ifndef LWI_MODEL_COMPILED_EVENTS_H
#define LWI_MODEL_COMPILED_EVENTS_H
#include "model/spec/spec_data.h"

#include <string.h>

typedef struct {
  lw_event_desc d; /* numbers evaluated; texts and lists are the spec's */
  lwi_mark mark;
  const char *const *files;     /* of the spec, for the mark */
  int number;                   /* in the list, from 1; 0: raised by the caller */
  lwi_frame place, child_place; /* connect: as written */
  const lwi_expr *when;         /* of the spec; NULL: at a time */
  int contact; /* impact at a gap: what holds the bodies at rest, a constraint of the spec; 0:
                  none */
  const char *contact_name;
} lwi_event;

/* Are both a limit or the friction of one freedom? */
static inline bool lwi_same_freedom(const lw_event_desc *a, const lw_event_desc *b)
{
  const bool both = (a->action == LW_ACTION_LIMIT || a->action == LW_ACTION_FRICTION) &&
                    (b->action == LW_ACTION_LIMIT || b->action == LW_ACTION_FRICTION);
  return both && strcmp(a->joint, b->joint) == 0 && a->dofs[0] == b->dofs[0];
}

/* Evaluates and checks an event of a spec whose parameters have these values. */
bool lwi_event_init(lwi_event *e, const lw_spec *s, const lw_event_desc *d, lwi_mark mark,
                    int number, double parameter[], lw_error *err);

/* The types that a joint of the spec can have in the course of its events. */
typedef struct {
  int most_q, most_u; /* coordinates and speeds */
  bool one_q, one_u;  /* some type has exactly one */
} lwi_joint_range;
lwi_joint_range lwi_joint_range_of(const lw_spec *s, int joint);

/* "latch", "connect tip": for messages and reports; at most size - 1 characters */
void lwi_event_name(const lwi_event *e, char *out, size_t size);

#endif
