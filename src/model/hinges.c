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

static bool compile_joint(lwi_compiler *c, const lw_joint_desc *d, lwi_hinge *h)
{
  *h = (lwi_hinge){.type = d->type,
                   .parent = d->parent.id,
                   .child = d->child.id,
                   .pitch = d->pitch,
                   .has_q = d->has_q,
                   .has_u = d->has_u,
                   .hold = d->hold};
  memcpy(h->axis, d->axis, sizeof d->axis);
  memcpy(h->axis2, d->axis2, sizeof d->axis2);
  return lwi_place(c, &d->place, "place in the parent", &h->place) &&
         lwi_place(c, &d->child_place, "place in the child", &h->child_place) &&
         lwi_numbers(c, &h->pitch, 1, "pitch") && check_axes(c, h) && initial_motion(c, d, h);
}

/* room for one implicit free joint a body: a name that such a joint would have may be taken, which
   topology.c finds out */
bool lwi_compile_joints(lwi_compiler *c)
{
  const int n = c->s->joints.n, most = n + c->s->bodies.n;
  c->hinge = LWI_TAKE(&c->scratch, most + 1, lwi_hinge);
  if (!c->hinge) return lwi_compile_memory(c);
  for (int i = 1; i <= n; i++) {
    const lw_joint_desc *d = &c->s->joints.item[i - 1].d;
    lwi_compile_at(c, "joint", d->name, c->s->joints.item[i - 1].mark);
    if (!compile_joint(c, d, &c->hinge[i])) return false;
    c->hinge[i].implicit = c->s->joints.item[i - 1].phase.given;
    c->hinge[i].still = c->s->joints.item[i - 1].phase.still;
    if (!(c->hinge[i].name = lwi_arena_text(c->arena, d->name))) return lwi_compile_memory(c);
  }
  c->njoint = n;
  return true;
}

bool lwi_keep_joints(lwi_compiler *c)
{
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_hinge *h = &c->hinge[i];
    lwi_joint *j = &c->m->joint[i];
    j->shape = lwi_joint_shape_of(h->type, c->s->planar, h->axis, h->axis2, h->pitch);
    j->equations = lwi_joint_equations(&j->shape);
    j->place = h->place;
    j->child_place = h->child_place;
    memcpy(j->q, h->q, sizeof h->q);
    memcpy(j->u, h->u, sizeof h->u);
    j->has_q = h->has_q;
    j->has_u = h->has_u;
    j->hold = h->hold;
    j->still = h->still & ((1u << j->info.nu) - 1);
  }
  return true;
}
