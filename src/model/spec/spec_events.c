/* SPDX-License-Identifier: Apache-2.0 */
/* spec_events.c -- adds events to a spec.  What an event connects is listed among the joints and
   constraints from the beginning, as announced: forces and other events may name it. */
#include "model/spec/spec_data.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *lw_action_name(lw_action action)
{
#define NAME(action, name) [action] = name,
  static const char *const names[LW_ACTIONS] = {LW_ACTION_LIST(NAME)};
#undef NAME
  return (unsigned)action < LW_ACTIONS ? names[action] : NULL;
}

/* ---- copies ---- */

static const void *keep(lw_spec *s, const void *from, int n, size_t size)
{
  if (!from || n <= 0) return NULL;
  void *copy = lwi_arena_take(&s->arena, (size_t)n, size);
  if (copy)
    memcpy(copy, from, (size_t)n * size);
  else
    lwi_spec_no_memory(s);
  return copy;
}

static const lw_constraint_desc *keep_constraint(lw_spec *s, const lw_constraint_desc *from)
{
  if (!from) return NULL;
  lw_constraint_desc d = *from;
  d.name = lwi_spec_text(s, d.name);
  d.terms = keep(s, d.terms, d.nterm, sizeof *d.terms);
  return keep(s, &d, 1, sizeof d);
}

static const lw_joint_desc *keep_joint(lw_spec *s, const lw_joint_desc *from)
{
  if (!from) return NULL;
  lw_joint_desc d = *from;
  d.name = lwi_spec_text(s, d.name);
  return keep(s, &d, 1, sizeof d);
}

bool lwi_event_keep(lw_spec *s, const lw_event_desc *from, lw_event_desc *to)
{
  *to = *from;
  to->name = lwi_spec_text(s, from->name);
  to->joint = lwi_spec_text(s, from->joint);
  to->merge = lwi_spec_text(s, from->merge);
  to->dofs = keep(s, from->dofs, from->ndof, sizeof *from->dofs);
  to->bodies = keep(s, from->bodies, from->nbody, sizeof *from->bodies);
  to->new_joint = keep_joint(s, from->new_joint);
  to->new_constraint = keep_constraint(s, from->new_constraint);
  return lwi_spec_good(s);
}

/* ---- checks ---- */

static bool fail(lw_spec *s, const lw_event_desc *d, const char *what)
{
  lwi_spec_fail(s, LW_E_MODEL, s->mark, "event%s%s%s: %s", d->name ? " \"" : "",
                d->name ? d->name : "", d->name ? "\"" : "", what);
  return false;
}

static bool check_body(lw_spec *s, const lw_event_desc *d, lw_body b, bool ground)
{
  return (b.id >= (ground ? 0 : 1) && b.id <= s->bodies.n) || fail(s, d, "no such body");
}

static bool check_dofs(lw_spec *s, const lw_event_desc *d)
{
  if (!d->joint) return fail(s, d, "names no joint");
  if (d->ndof < 0 || d->ndof > 6 || (d->ndof > 0 && !d->dofs)) return fail(s, d, "wrong freedoms");
  for (int i = 0; i < d->ndof; i++)
    if (d->dofs[i] < 1 || d->dofs[i] > 6) return fail(s, d, "freedoms count from 1 to 6");
  return true;
}

static bool check_merge(lw_spec *s, const lw_event_desc *d)
{
  if (!d->merge || d->nbody < 2 || !d->bodies)
    return fail(s, d, "a merge has a name and two or more bodies");
  for (int i = 0; i < d->nbody; i++)
    if (!check_body(s, d, d->bodies[i], false)) return false;
  return true;
}

static bool check_hit(lw_spec *s, const lw_event_desc *d)
{
  if (!check_body(s, d, d->body, false) || !check_body(s, d, d->other, true)) return false;
  if (d->action == LW_ACTION_IMPULSE) return true;
  if (d->body.id == d->other.id) return fail(s, d, "a body cannot hit itself");
  const double *n = d->normal;
  if (n[0] == 0 && n[1] == 0 && n[2] == 0) return fail(s, d, "the normal is zero");
  return !(d->restitution < 0 || d->restitution > 1) ||
         fail(s, d, "the restitution must be between 0 and 1");
}

static bool check_new(lw_spec *s, const lw_event_desc *d)
{
  const bool replaces = d->action == LW_ACTION_REPLACE;
  if ((d->new_joint != NULL) == (d->new_constraint != NULL) || (replaces && !d->new_joint))
    return fail(s, d, replaces ? "the new joint is missing" : "what it connects is missing");
  if (replaces && !d->joint) return fail(s, d, "names no joint");
  if (d->new_joint && (unsigned)d->new_joint->type >= LW_JOINT_TYPES)
    return fail(s, d, "no such joint type");
  return true;
}

static bool check(lw_spec *s, const lw_event_desc *d)
{
  if (!d->has_when && d->at < 0) return fail(s, d, "its time must not be negative");
  switch (d->action) {
  case LW_ACTION_LOCK:
  case LW_ACTION_UNLOCK: return check_dofs(s, d);
  case LW_ACTION_REPLACE:
  case LW_ACTION_CONNECT: return check_new(s, d);
  case LW_ACTION_DISCONNECT: return d->joint || fail(s, d, "names no joint");
  case LW_ACTION_IMPULSE:
  case LW_ACTION_IMPACT: return check_hit(s, d);
  case LW_ACTION_MERGE: return check_merge(s, d);
  case LW_ACTION_SPLIT: return d->merge || fail(s, d, "names no merge");
  case LW_ACTION_STOP: return true;
  default: return fail(s, d, "it does nothing: an action is missing");
  }
}

/* ---- what is connected ---- */

int lwi_spec_find_constraint(const lw_spec *s, const char *name)
{
  for (int i = 0; i < s->constraints.n; i++)
    if (strcmp(s->constraints.item[i].d.name, name) == 0) return i + 1;
  return 0;
}

/* A name that an earlier event connects may be connected again, even as another type. */
static bool announce(lw_spec *s, const lw_event_desc *d)
{
  const char *name = d->new_joint ? d->new_joint->name : d->new_constraint->name;
  const int known = name ? lwi_name_find(&s->joint_names, name, strlen(name)) : -1;
  if (known < 0) {
    if (d->new_joint)
      lw_add_joint(s, d->new_joint);
    else
      lw_add_constraint(s, d->new_constraint);
    if (!lwi_spec_good(s)) return false;
    if (d->new_joint)
      s->joints.item[s->joints.n - 1].announced = true;
    else
      s->constraints.item[s->constraints.n - 1].announced = true;
    return true;
  }
  const int joint = s->joint_of_name[known];
  const bool same_kind = (joint > 0) == (d->new_joint != NULL);
  const bool absent = joint > 0
                          ? s->joints.item[joint - 1].announced
                          : s->constraints.item[lwi_spec_find_constraint(s, name) - 1].announced;
  return (same_kind && absent) || fail(s, d, "the name of what it connects is taken");
}

/* ---- contacts ---- */

bool lwi_event_has_gap(const lw_spec *s, const lw_event_desc *d)
{
  const int index = d->has_when ? lwi_expr_index(d->when) : -1;
  if (d->action >= LW_ACTION_LIMIT) return true;
  if (d->action != LW_ACTION_IMPACT || index < 0 || index >= s->nexpr) return false;
  const lwi_expr *e = &s->expr[index].expr;
  for (int i = 0; i < e->nname; i++)
    if (strchr(e->name[i].text, '.') && lwi_parameters_find(&s->parameters, e->name[i].text) < 0)
      return true; /* a result column */
  return false;
}

int lwi_written_events(const lw_spec *s, int n)
{
  int written = 0;
  for (int i = 0; i < n; i++)
    written += s->events.item[i].d.action < LW_ACTION_LIMIT;
  return written;
}

void lwi_contact_name(const lw_event_desc *d, int number, char *out, size_t size)
{
  if (d->action >= LW_ACTION_LIMIT)
    snprintf(out, size, "%s", d->name);
  else if (d->name)
    snprintf(out, size, "contact.%.200s", d->name);
  else
    snprintf(out, size, "contact.%d", number);
}

/* What holds the bodies of an impact at rest is listed from the beginning, as announced: a point of
   the body on a plane of the other one.  Its name is none that a file can have. */
static bool announce_contact(lw_spec *s, const lw_event_desc *d)
{
  char name[LWI_CONTACT_NAME];
  lwi_contact_name(d, lwi_written_events(s, s->events.n) + 1, name, sizeof name);
  lw_constraint_desc c = {.name = lwi_spec_text(s, name),
                          .type = LW_POINT_ON_PLANE,
                          .parent = d->other,
                          .child = d->body};
  memcpy(c.child_place.at, d->point, sizeof d->point);
  memcpy(c.axis, d->normal, sizeof d->normal);
  if (!LWI_SPEC_APPEND(s, constraints, c)) return false;
  s->constraints.item[s->constraints.n - 1].announced = true;
  return lwi_spec_good(s);
}

bool lwi_append_event(lw_spec *s, const lw_event_desc *d)
{
  lw_event_desc copy;
  return lwi_event_keep(s, d, &copy) && LWI_SPEC_APPEND(s, events, copy);
}

void lw_add_event(lw_spec *s, const lw_event_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_event: no descriptor");
    return;
  }
  if (!check(s, d) || (d->action == LW_ACTION_CONNECT && !announce(s, d))) return;
  if (lwi_event_has_gap(s, d) && !announce_contact(s, d)) return;
  lwi_append_event(s, d);
}
