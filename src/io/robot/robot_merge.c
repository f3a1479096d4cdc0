/* SPDX-License-Identifier: Apache-2.0 */
/* robot_merge.c -- which links of a robot are one body: those without a joint between them, and
   those whose joint moves nothing that has mass. */
#include "io/robot/robot.h"

#include <math.h>

/* How much moves with each link: zero only if nothing does. */
static void add_outward(lwi_robot *r)
{
  for (int i = r->nlink - 1; i >= 0; i--) {
    lwi_robot_link *l = &r->link[i];
    l->outward += fabs(l->own.mass);
    for (int k = 0; k < 3; k++)
      l->outward += fabs(l->own.inertia[k]);
    if (l->parent >= 0) r->link[l->parent].outward += l->outward;
  }
}

/* The coordinate of a joint on which no force depends is not determined by any equation of
   motion. */
static bool moves(const lwi_robot *r, const lwi_robot_link *l)
{
  for (int k = 0; k < l->njoint; k++)
    if (l->outward > 0 || r->joint[l->joint[k]].armature > 0) return true;
  return false;
}

lwi_frame lwi_robot_displacement(const lwi_robot_joint *j)
{
  lwi_frame x = lwi_frame_identity(), at = x, back = x;
  const double q = j->q[0] - j->reference;
  for (int i = 0; i < 3; i++)
    at.p[i] = j->at[i], back.p[i] = -j->at[i];
  if (j->type == LW_PRISMATIC)
    for (int i = 0; i < 3; i++)
      x.p[i] = q * j->axis[i];
  if (j->type == LW_REVOLUTE) {
    const double s = sin(q / 2);
    x.R = rot_from_quat((double[4]){cos(q / 2), s * j->axis[0], s * j->axis[1], s * j->axis[2]});
  }
  return lwi_frame_mul(at, lwi_frame_mul(x, back));
}

static void hold(lwi_robot *r, lwi_robot_link *l, lwi_listing *held)
{
  for (int k = 0; k < l->njoint; k++) {
    lwi_robot_joint *j = &r->joint[l->joint[k]];
    j->held = true;
    lwi_listing_add(held, j->name);
    l->place = lwi_frame_mul(l->place, lwi_robot_displacement(j));
  }
}

static void choose_base(lwi_robot *r, int i, lwi_listing *held)
{
  lwi_robot_link *l = &r->link[i];
  const bool moving = moves(r, l), root = l->parent < 0;
  l->floats = root && l->njoint == 0 && (r->options->floating_base || l->free) && l->outward > 0;
  l->base = i;
  l->in_base = lwi_frame_identity();
  if (moving || l->floats) return;
  hold(r, l, held);
  l->base = root ? -1 : r->link[l->parent].base;
  l->in_base = root ? l->place : lwi_frame_mul(r->link[l->parent].in_base, l->place);
}

bool lwi_robot_merge(lwi_robot *r)
{
  lwi_listing held = {0};
  add_outward(r);
  for (int i = 0; i < r->nlink; i++)
    choose_base(r, i, &held);
  if (held.n)
    lwi_robot_note(r, "nothing that moves with the joints %s has mass: they are fixed",
                   lwi_listing_text(&held));
  return true;
}

void lwi_robot_add_masses(lwi_robot *r)
{
  for (int i = 0; i < r->nlink; i++) {
    const int base = r->link[i].base;
    if (base >= 0) lwi_mass_add(&r->link[base].merged, &r->link[i].own, r->link[i].in_base);
  }
}
