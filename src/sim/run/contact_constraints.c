/* SPDX-License-Identifier: Apache-2.0 */
/* contact_constraints.c -- the constraints that hold what rests and sticks, in the phase that is to
   come.  See events/contacts.h. */
#include "model/joint/joint.h"
#include "sim/events/contacts.h"
#include "sim/events/unit_push.h"

#include <math.h>
#include <string.h>

/* The plane is fixed to the other body, the point to the body. */
static void place_contact(lwi_contact *k, lw_constraint_desc *d, const lwi_frame pose[],
                          bool planar)
{
  const lw_event_desc *e = &k->e->d;
  double at[3];
  const lwi_frame out = lwi_frame_inverse(pose[e->other.id]);
  lwi_frame_point(pose[e->body.id], e->point, at);
  lwi_frame_point(out, at, d->place.at);
  rot_mulv(out.R, e->normal, k->axis);
  if (planar) d->place.at[2] = k->axis[2] = 0;
  memcpy(d->axis, k->axis, sizeof d->axis);
  memcpy(d->child_place.at, e->point, sizeof e->point);
}

/* The bodies touch as they are located, to within rounding errors of the root.  The radius, or the
   length of a rope, is that of the moment: a mechanism that is held more than once could not be
   assembled otherwise.  Numbers that depend on parameters stay as they are. */
static void keep_gap(const lwi_contact *k, lw_constraint_desc *d)
{
  const lw_contact_desc *e = &k->e->d.contact;
  if (isnan(d->length)) return;
  if (e->on == LW_ON_ROPE)
    d->length = e->other_radius - k->gap;
  else
    d->length = e->radius + (e->on == LW_ON_SPHERE ? e->other_radius : 0) + k->gap;
}

/* In the axes of the other body; on a circle the sense along (n.y, -n.x). */
static void take_direction(lwi_contact *k, const lwi_frame pose[], bool planar)
{
  const lw_contact_desc *d = &k->e->d.contact;
  double n[3], *to = k->direction;
  rot_mulv(rot_transpose(pose[d->other.id].R), k->along, to);
  if (!planar || d->on != LW_ON_SPHERE) return;
  lwi_contact_normal(d, pose, n);
  to[0] = n[1] * to[0] - n[0] * to[1] < 0 ? -1 : 1;
  to[1] = 0;
}

void lwi_contacts_edit(lwi_contacts *c, lwi_phase *p, const lwi_frame pose[])
{
  lw_spec *s = p->branch;
  for (int i = 0; i < c->n; i++) {
    lwi_contact *k = &c->item[i];
    const int at = k->e->contact - 1;
    if (lwi_is_slip(k)) take_direction(k, pose, s->planar);
    lw_constraint_desc *d = &s->constraints.item[at].d;
    p->constraint[at] = (lwi_part_state){.absent = !c->hold[i],
                                         .changed = c->hold[i],
                                         .sliding = (signed char)(c->hold[i] ? 0 : k->slides)};
    if (!c->hold[i]) continue;
    if (k->e->d.action == LW_ACTION_LIMIT) continue; /* it is where it is */
    if (k->e->d.action == LW_ACTION_CONTACT) {
      keep_gap(k, d);
      continue;
    }
    if (lwi_is_slip(k)) {
      if (d->type == LW_ROLL_ON_SPHERE) lwi_contact_normal(&k->e->d.contact, pose, d->axis);
      if (d->type == LW_POINT_ON_LINE) { /* the point stays where it is now */
        double place[3];
        lwi_frame_point(pose[k->e->d.body.id], k->e->d.contact.at, place);
        lwi_frame_point(lwi_frame_inverse(pose[k->e->d.other.id]), place, d->place.at);
        if (s->planar) d->place.at[2] = 0;
      }
    } else if (lwi_is_friction(k))
      d->offset = s->joints.item[d->terms->joint.id - 1].d.q[d->terms->dof - 1];
    else
      place_contact(&c->item[i], d, pose, s->planar);
  }
}
