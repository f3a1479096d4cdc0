/* SPDX-License-Identifier: Apache-2.0 */
/* hinges.c -- joints: initial coordinates and speeds of the written ones, then frames and axes of all. */
#include "math/rotation.h"
#include "model/compile.h"

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
  return initial_motion(c, d, h);
}

/* room for one implicit free joint a body: a name that such a joint would have may be taken, which
   topology.c finds out */
bool lwi_compile_joints(lwi_compiler *c)
{
  const int n = c->s->joints.n, most = n + c->s->bodies.n;
  c->hinge = LWI_ROOM(&c->scratch, most + 1, lwi_hinge);
  if (!c->hinge) return lwi_compile_memory(c);
  c->hinge[0] = (lwi_hinge){0};
  for (int i = 1; i <= n; i++)
    if (!compile_joint(c, i)) return false;
  c->njoint = n;
  return true;
}

/* ---- as relations of two frames ---- */

static bool check_axes(lwi_compiler *c, lw_joint_type type, double axis[3], double axis2[3])
{
  const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  const bool planar = c->s->planar, slides = type == LW_PRISMATIC;
  if (!lwi_axis(c, axis, planar && slides ? x : z, "axis")) return false;
  if (!lwi_axis(c, axis2, x, "axis2")) return false;
  if (planar && slides && axis[2] != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "axis must lie in the plane of a planar model");
  if (planar && type == LW_REVOLUTE && (axis[0] != 0 || axis[1] != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "axis must be z in a planar model");
  double n[3];
  cross3(axis, axis2, n);
  if (type == LW_UNIVERSAL && norm3(n) < 1e-9)
    return lwi_compile_fail(c, LW_E_MODEL, "axis and axis2 are parallel");
  return true;
}

static bool make_relation(lwi_compiler *c, int i, lwi_joint *j)
{
  const lw_joint_desc *d = &c->s->joints.item[i - 1].d;
  double axis[3], axis2[3], pitch = d->pitch;
  lwi_compile_at(c, "joint", d->name, c->s->joints.item[i - 1].mark);
  memcpy(axis, d->axis, sizeof axis);
  memcpy(axis2, d->axis2, sizeof axis2);
  if (!lwi_place(c, &d->place, "place in the parent", &j->place) ||
      !lwi_place(c, &d->child_place, "place in the child", &j->child_place) ||
      !lwi_numbers(c, &pitch, 1, "pitch") || !check_axes(c, d->type, axis, axis2))
    return false;
  j->shape = lwi_joint_shape_of(d->type, c->s->planar, axis, axis2, pitch);
  j->equations = lwi_joint_equations(&j->shape);
  return true;
}

/* of the ground's frame and the body's own */
static bool free_relation(const lwi_compiler *c, lwi_joint *j)
{
  const double none[3] = {0};
  j->shape = lwi_joint_shape_of(LW_FREE, c->s->planar, none, none, 0);
  j->equations = lwi_joint_equations(&j->shape);
  j->place = j->child_place = lwi_frame_identity();
  return true;
}

bool lwi_keep_joints(lwi_compiler *c)
{
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_hinge *h = &c->hinge[i];
    const bool known = lwi_joint_before(c, i) != NULL; /* then topology.c has copied it */
    lwi_joint *j = &c->m->joint[i];
    if (!known && !(i <= c->s->joints.n ? make_relation(c, i, j) : free_relation(c, j)))
      return false;
    memcpy(j->q, h->q, sizeof h->q);
    memcpy(j->u, h->u, sizeof h->u);
    j->has_q = h->has_q;
    j->has_u = h->has_u;
    j->hold = h->hold;
    j->still = h->still & ((1u << j->info.nu) - 1);
  }
  return true;
}
