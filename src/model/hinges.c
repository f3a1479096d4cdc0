/* SPDX-License-Identifier: Apache-2.0 */
/* hinges.c -- the written joints: frames, axes, initial coordinates and speeds. */
#include "math/rotation.h"
#include "model/compile.h"

static bool check_axes(lwi_compiler *c, lwi_hinge *h)
{
  const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  const bool planar = c->s->planar, slides = h->type == LW_PRISMATIC;
  if (!lwi_axis(c, h->axis, planar && slides ? x : z, "axis")) return false;
  if (!lwi_axis(c, h->axis2, x, "axis2")) return false;
  if (planar && slides && h->axis[2] != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "axis must lie in the plane of a planar model");
  if (planar && h->type == LW_REVOLUTE && (h->axis[0] != 0 || h->axis[1] != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "axis must be z in a planar model");
  double n[3];
  cross3(h->axis, h->axis2, n);
  if (h->type == LW_UNIVERSAL && norm3(n) < 1e-9)
    return lwi_compile_fail(c, LW_E_MODEL, "axis and axis2 are parallel");
  return true;
}

/* the quaternion of q: from q_orient, from q itself, or the identity */
static bool initial_rotation(lwi_compiler *c, const lw_joint_desc *d, double quat[4])
{
  if (d->q_orient.type != LW_ORIENT_NONE) return lwi_orientation(c, &d->q_orient, "q", quat);
  bool given = false;
  for (int i = 0; i < 4; i++)
    given = given || quat[i] != 0;
  lw_orient o = {.type = given ? LW_ORIENT_QUAT : LW_ORIENT_NONE};
  memcpy(o.value, quat, sizeof o.value);
  return lwi_orientation(c, &o, "q", quat);
}

static bool initial_motion(lwi_compiler *c, const lw_joint_desc *d, lwi_hinge *h)
{
  memcpy(h->q, d->q, sizeof d->q);
  memcpy(h->u, d->u, sizeof d->u);
  if (!lwi_numbers(c, h->u, lw_joint_type_nu(h->type, c->s->planar), "u")) return false;
  const int quat = lwi_kind_quat(lwi_joint_kind(h->type, c->s->planar, false));
  const int plain = quat >= 0 ? quat : lw_joint_type_nq(h->type, c->s->planar);
  if (!lwi_numbers(c, h->q, plain, "q")) return false;
  return quat < 0 || initial_rotation(c, d, h->q + quat);
}

const lwi_joint *lwi_joint_before(const lwi_compiler *c, int joint)
{
  return c->hinge[joint].was > 0 ? &c->before->joint[c->hinge[joint].was] : NULL;
}

static bool compile_frames(lwi_compiler *c, const lw_joint_desc *d, lwi_hinge *h)
{
  h->pitch = d->pitch;
  memcpy(h->axis, d->axis, sizeof d->axis);
  memcpy(h->axis2, d->axis2, sizeof d->axis2);
  return h->complete = lwi_place(c, &d->place, "place in the parent", &h->place) &&
                       lwi_place(c, &d->child_place, "place in the child", &h->child_place) &&
                       lwi_numbers(c, &h->pitch, 1, "pitch") && check_axes(c, h);
}

bool lwi_complete_hinge(lwi_compiler *c, int joint)
{
  lwi_hinge *h = &c->hinge[joint];
  if (h->complete) return true;
  const lw_joint_desc *d = &c->s->joints.item[joint - 1].d;
  lwi_compile_at(c, "joint", d->name, c->s->joints.item[joint - 1].mark);
  return compile_frames(c, d, h);
}

static bool compile_joint(lwi_compiler *c, int i)
{
  const lw_joint_desc *d = &c->s->joints.item[i - 1].d;
  const lwi_phase *phase = &c->s->joints.item[i - 1].phase;
  lwi_hinge *h = &c->hinge[i];
  lwi_compile_at(c, "joint", d->name, c->s->joints.item[i - 1].mark);
  *h = (lwi_hinge){.type = d->type,
                   .parent = d->parent.id,
                   .child = d->child.id,
                   .implicit = phase->given,
                   .has_q = d->has_q,
                   .has_u = d->has_u,
                   .hold = d->hold,
                   .kept = phase->kept,
                   .was = c->before ? phase->was : 0,
                   .still = phase->still};
  if (!(h->name = lwi_arena_text(c->arena, d->name))) return lwi_compile_memory(c);
  return (h->was > 0 || compile_frames(c, d, h)) && initial_motion(c, d, h);
}

/* room for one implicit free joint a body: a name that such a joint would have may be taken, which
   topology.c finds out */
bool lwi_compile_joints(lwi_compiler *c)
{
  const int n = c->s->joints.n, most = n + c->s->bodies.n;
  c->hinge = LWI_TAKE(&c->scratch, most + 1, lwi_hinge);
  if (!c->hinge) return lwi_compile_memory(c);
  for (int i = 1; i <= n; i++)
    if (!compile_joint(c, i)) return false;
  c->njoint = n;
  return true;
}

static void set_shape(const lwi_compiler *c, const lwi_hinge *h, lwi_joint *j)
{
  j->shape = lwi_joint_shape_of(h->type, c->s->planar, h->axis, h->axis2, h->pitch);
  j->equations = lwi_joint_equations(&j->shape);
  j->place = h->place;
  j->child_place = h->child_place;
}

static void copy_shape(const lwi_joint *old, lwi_joint *j)
{
  j->shape = old->shape;
  j->equations = old->equations;
  j->place = old->place;
  j->child_place = old->child_place;
}

bool lwi_keep_joints(lwi_compiler *c)
{
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_hinge *h = &c->hinge[i];
    const lwi_joint *old = lwi_joint_before(c, i);
    lwi_joint *j = &c->m->joint[i];
    if (old)
      copy_shape(old, j);
    else
      set_shape(c, h, j);
    memcpy(j->q, h->q, sizeof h->q);
    memcpy(j->u, h->u, sizeof h->u);
    j->has_q = h->has_q;
    j->has_u = h->has_u;
    j->hold = h->hold;
    j->still = h->still & ((1u << j->info.nu) - 1);
  }
  return true;
}
