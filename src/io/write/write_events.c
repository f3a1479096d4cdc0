/* SPDX-License-Identifier: Apache-2.0 */
/* write_events.c -- the sections `contacts`, `events` and `sensitivity`. */
#include "io/write/write_parts.h"

/* Those of limits, friction and contacts are parts of these. */
static bool is_written(const lw_event_desc *d)
{
  return d->action < LW_ACTION_LIMIT;
}

/* ---- contacts ---- */

static void write_surface(lwi_yaml_text *y, const lw_spec *s, const lw_contact_desc *d)
{
  const bool plane = d->on == LW_ON_PLANE;
  lwi_yaml_key(y, "on");
  lwi_yaml_add(y, plane ? "{plane: {body: " : "{sphere: {body: ");
  lwi_yaml_name(y, lwi_write_body_name(s, d->other));
  y->first = false;
  lwi_yaml_list(y, "at", d->other_at, 3);
  if (plane) lwi_yaml_list(y, "normal", d->normal, 3);
  if (!plane) lwi_yaml_number(y, "radius", d->other_radius);
  lwi_yaml_add(y, "}}");
}

static void write_contact(lwi_yaml_text *y, const lw_spec *s, const char *name,
                          const lw_contact_desc *d)
{
  const bool disc = d->axis[0] != 0 || d->axis[1] != 0 || d->axis[2] != 0;
  lwi_yaml_open(y, name);
  lwi_yaml_word(y, "body", lwi_write_body_name(s, d->body));
  lwi_yaml_list(y, "at", d->at, 3);
  if (!disc) lwi_yaml_number(y, "radius", d->radius);
  if (disc) {
    lwi_yaml_key(y, "disc");
    lwi_yaml_add(y, "{radius: ");
    lwi_yaml_value(y, d->radius);
    lwi_yaml_list(y, "axis", d->axis, 3);
    lwi_yaml_add(y, "}");
  }
  write_surface(y, s, d);
  lwi_yaml_number(y, "restitution", d->restitution);
  lwi_yaml_number(y, "friction", d->friction);
  lwi_yaml_close(y);
}

/* of ropes, which are constraints, there are events too */
void lwi_write_contacts(lwi_yaml_text *y, const lw_spec *s)
{
  int n = 0;
  for (int i = 0; i < s->events.n; i++) {
    const lw_event_desc *d = &s->events.item[i].d;
    if (d->action != LW_ACTION_CONTACT || d->contact.on == LW_ON_ROPE) continue;
    if (n++ == 0) lwi_yaml_add(y, "contacts:\n");
    write_contact(y, s, d->name, &d->contact);
  }
}

/* ---- events ---- */

static void write_lock(lwi_yaml_text *y, const lw_event_desc *d)
{
  if (d->ndof == 0) {
    lwi_yaml_name(y, d->joint);
    return;
  }
  lwi_yaml_add(y, "{joint: ");
  lwi_yaml_name(y, d->joint);
  for (int i = 0; i < d->ndof; i++)
    lwi_yaml_add(y, "%s%d", i ? ", " : ", dofs: [", d->dofs[i]);
  lwi_yaml_add(y, "]}");
}

static void write_connection(lwi_yaml_text *y, const lw_spec *s, const lw_event_desc *d)
{
  lwi_yaml_add(y, "{");
  y->first = true;
  const lwi_sides_written sides = {d->placed, d->child_placed};
  if (d->action == LW_ACTION_REPLACE) lwi_yaml_word(y, "joint", d->joint);
  if (d->action == LW_ACTION_REPLACE)
    lwi_write_joint_type(y, d->new_joint);
  else if (d->new_joint)
    lwi_write_new_joint(y, s, d->new_joint, sides);
  else
    lwi_write_new_constraint(y, s, d->new_constraint, sides);
  if (d->move) lwi_yaml_word(y, "move", "true");
  lwi_yaml_add(y, "}");
}

static void write_push(lwi_yaml_text *y, const lw_spec *s, const lw_event_desc *d)
{
  lwi_yaml_add(y, "{body: ");
  lwi_yaml_name(y, lwi_write_body_name(s, d->body));
  y->first = false;
  lwi_yaml_list(y, "at", d->point, 3);
  if (d->action == LW_ACTION_IMPULSE) {
    lwi_yaml_list(y, "linear", d->linear, 3);
    lwi_yaml_list(y, "angular", d->angular, 3);
  } else {
    if (d->other.id > 0) lwi_yaml_word(y, "other", lwi_write_body_name(s, d->other));
    lwi_yaml_list(y, "normal", d->normal, 3);
    lwi_yaml_number(y, "restitution", d->restitution);
  }
  lwi_yaml_add(y, "}");
}

static void write_merge(lwi_yaml_text *y, const lw_spec *s, const lw_event_desc *d)
{
  lwi_yaml_add(y, "{name: ");
  lwi_yaml_name(y, d->merge);
  for (int i = 0; i < d->nbody; i++) {
    lwi_yaml_add(y, i ? ", " : ", bodies: [");
    lwi_yaml_name(y, lwi_write_body_name(s, d->bodies[i]));
  }
  lwi_yaml_add(y, "]}");
}

static void write_action(lwi_yaml_text *y, const lw_spec *s, const lw_event_desc *d)
{
  static const char *const names[] = {
#define NAME(action, name) [action] = name,
      LW_ACTION_LIST(NAME)
#undef NAME
  };
  if (d->action == LW_ACTION_NONE) return;
  lwi_yaml_key(y, names[d->action]);
  switch (d->action) {
  case LW_ACTION_LOCK:
  case LW_ACTION_UNLOCK: write_lock(y, d); break;
  case LW_ACTION_REPLACE:
  case LW_ACTION_CONNECT: write_connection(y, s, d); break;
  case LW_ACTION_DISCONNECT: lwi_yaml_name(y, d->joint); break;
  case LW_ACTION_IMPULSE:
  case LW_ACTION_IMPACT: write_push(y, s, d); break;
  case LW_ACTION_MERGE: write_merge(y, s, d); break;
  case LW_ACTION_SPLIT: lwi_yaml_name(y, d->merge); break;
  default: lwi_yaml_add(y, "true");
  }
}

static void write_event(lwi_yaml_text *y, const lw_spec *s, const lw_event_desc *d)
{
  static const char *const directions[] = {"both", "rising", "falling"};
  lwi_yaml_add(y, "  - {");
  y->first = true;
  if (d->name) lwi_yaml_word(y, "name", d->name);
  lwi_yaml_key(y, d->has_when ? "when" : "at");
  lwi_yaml_value(y, d->has_when ? d->when : d->at);
  if (d->direction != LW_BOTH_WAYS) lwi_yaml_word(y, "direction", directions[d->direction]);
  if (d->once) lwi_yaml_word(y, "once", "true");
  write_action(y, s, d);
  lwi_yaml_close(y);
}

void lwi_write_events(lwi_yaml_text *y, const lw_spec *s)
{
  if (lwi_written_events(s, s->events.n)) lwi_yaml_add(y, "events:\n");
  for (int i = 0; i < s->events.n; i++)
    if (is_written(&s->events.item[i].d)) write_event(y, s, &s->events.item[i].d);
}

/* ---- sensitivity ---- */

void lwi_write_sensitivity(lwi_yaml_text *y, const lw_spec *s)
{
  static const char *const kinds[] = {"final", "integral", "max", "min"};
  if (s->sensitivities.n + s->objectives.n == 0) return;
  lwi_yaml_add(y, "sensitivity:\n");
  for (int i = 0; i < s->sensitivities.n; i++) {
    lwi_yaml_add(y, i ? ", " : "  parameters: [");
    lwi_yaml_name(y, s->sensitivities.item[i].d.name);
  }
  if (s->sensitivities.n) lwi_yaml_add(y, "]\n");
  if (s->objectives.n) lwi_yaml_add(y, "  objectives:\n");
  for (int i = 0; i < s->objectives.n; i++) {
    const lw_objective_desc *d = &s->objectives.item[i].d;
    lwi_yaml_add(y, "  ");
    lwi_yaml_open(y, d->name);
    lwi_yaml_key(y, kinds[d->kind]);
    lwi_yaml_value(y, d->value);
    lwi_yaml_close(y);
  }
}
