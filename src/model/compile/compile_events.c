/* SPDX-License-Identifier: Apache-2.0 */
/* compile_events.c -- events of a spec: names for messages, the joint types that events can lead
   to, and checks that need the whole spec.  event_numbers.c has their numbers. */
#include "model/compiled_events.h"
#include "model/compile/constants.h"
#include "linkwork/reader.h"

#include <stdio.h>

/* ---- names ---- */

static const char *target_of(const lw_event_desc *d)
{
  if (d->new_joint && d->action == LW_ACTION_CONNECT) return d->new_joint->name;
  if (d->new_constraint) return d->new_constraint->name;
  return d->joint ? d->joint : d->merge;
}

void lwi_event_name(const lwi_event *e, char *out, size_t size)
{
  const char *target = target_of(&e->d);
  if (e->d.name)
    snprintf(out, size, "%s", e->d.name);
  else
    snprintf(out, size, "%s%s%s", lw_action_name(e->d.action), target ? " " : "",
             target ? target : "");
}

/* ---- types that a joint can have ---- */

static void widen(lwi_joint_range *r, lw_joint_type type, bool planar)
{
  const int q = lw_joint_type_nq(type, planar), u = lw_joint_type_nu(type, planar);
  if (q > r->most_q) r->most_q = q;
  if (u > r->most_u) r->most_u = u;
  r->one_q = r->one_q || q == 1;
  r->one_u = r->one_u || u == 1;
}

lwi_joint_range lwi_joint_range_of(const lw_spec *s, int joint)
{
  lwi_joint_range r = {0};
  const char *name = s->joints.item[joint - 1].d.name;
  widen(&r, s->joints.item[joint - 1].d.type, s->planar);
  for (int i = 0; i < s->events.n; i++) {
    const lw_event_desc *d = &s->events.item[i].d;
    if (!d->new_joint) continue;
    const char *other = d->action == LW_ACTION_REPLACE ? d->joint : d->new_joint->name;
    if (strcmp(other, name) == 0) widen(&r, d->new_joint->type, s->planar);
  }
  return r;
}

/* ---- checks ---- */

static bool check_joint(lwi_compiler *c, const lw_event_desc *d)
{
  const int joint = lw_spec_find_joint(c->s, d->joint).id;
  if (joint < 1 && !(d->action == LW_ACTION_DISCONNECT && lwi_spec_find_constraint(c->s, d->joint)))
    return lwi_compile_fail(c, LW_E_MODEL, "there is no joint \"%s\"", d->joint);
  for (int i = 0; i < d->ndof; i++) {
    const int most = lwi_joint_range_of(c->s, joint).most_u;
    if (d->dofs[i] > most)
      return lwi_compile_fail(c, LW_E_MODEL, "joint \"%s\" has %d freedom%s, there is no dof %d",
                              d->joint, most, most == 1 ? "" : "s", d->dofs[i]);
  }
  return true;
}

static bool check_merge(lwi_compiler *c, const lw_event_desc *d)
{
  for (int i = 0; i < d->nbody; i++)
    for (int k = 0; k < i && d->nbody < 1000; k++)
      if (d->bodies[i].id == d->bodies[k].id)
        return lwi_compile_fail(c, LW_E_MODEL, "body \"%s\" is listed twice",
                                c->s->bodies.item[d->bodies[i].id - 1].d.name);
  return true;
}

static bool find_when(lwi_compiler *c, lwi_event *e)
{
  if (!e->d.has_when) return true;
  const int index = lwi_expr_index(e->d.when);
  if (index < 0 || index >= c->s->nexpr)
    return lwi_compile_fail(c, LW_E_MODEL, "when: a number never crosses zero");
  e->when = &c->s->expr[index].expr;
  return true;
}

static bool check_parts(lwi_compiler *c, const lw_event_desc *d)
{
  switch (d->action) {
  case LW_ACTION_LOCK:
  case LW_ACTION_UNLOCK:
  case LW_ACTION_REPLACE:
  case LW_ACTION_DISCONNECT:
  case LW_ACTION_LIMIT:
  case LW_ACTION_FRICTION: return check_joint(c, d);
  case LW_ACTION_MERGE: return check_merge(c, d);
  default: return true;
  }
}

bool lwi_event_init(lwi_event *e, const lw_spec *s, const lw_event_desc *d, lwi_mark mark,
                    int number, double parameter[], lw_error *err)
{
  char name[LWI_CONTACT_NAME];
  lw_error unused;
  lw_model names = {.nparameter = 0}; /* none: messages about unknown names suggest none */
  *e = (lwi_event){.d = *d, .mark = mark, .files = s->files, .number = number};
  lwi_compiler c = {.s = s, .m = &names, .err = err ? err : &unused, .parameter = parameter};
  lwi_event_name(e, name, sizeof name);
  lwi_compile_at(&c, "event", name, mark);
  const bool ok = find_when(&c, e) && lwi_event_numbers(&c, d, e) && check_parts(&c, d);
  if (ok && lwi_event_has_gap(s, d)) {
    const int written = number > 0 ? lwi_written_events(s, number - 1) + 1 : 0;
    lwi_contact_name(d, written, name, sizeof name);
    e->contact = lwi_spec_find_constraint(s, name);
    e->contact_name = e->contact > 0 ? s->constraints.item[e->contact - 1].d.name : NULL;
  }
  lwi_arena_free(&c.scratch);
  return ok;
}
