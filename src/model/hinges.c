/* SPDX-License-Identifier: Apache-2.0 */
/* hinges.c -- joints: frames, axes, initial coordinates and speeds. */
#include "model/constants.h"

static bool check_axes(lwi_compiler *c, const lw_joint_desc *d, lwi_hinge *h)
{
  const num x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  const bool planar = c->s->planar, slides = h->type == LW_PRISMATIC;
  if (!lwi_axis(c, d->axis, planar && slides ? x : z, "axis", h->axis)) return false;
  if (!lwi_axis(c, d->axis2, x, "axis2", h->axis2)) return false;
  if (planar && slides && value_of(h->axis[2]) != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "axis must lie in the plane of a planar model");
  if (planar && h->type == LW_REVOLUTE && (value_of(h->axis[0]) != 0 || value_of(h->axis[1]) != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "axis must be z in a planar model");
  num n[3];
  cross3(h->axis, h->axis2, n);
  if (h->type == LW_UNIVERSAL && value_of(norm3(n)) < 1e-9)
    return lwi_compile_fail(c, LW_E_MODEL, "axis and axis2 are parallel");
  return true;
}

/* the quaternion of q: from q_orient, from q itself, or the identity */
static bool initial_rotation(lwi_compiler *c, const lw_joint_desc *d, int at, num quat[4])
{
  if (d->q_orient.type != LW_ORIENT_NONE)
    return lwi_orientation(c, d->q_orient.type, d->q_orient.value, "q", quat);
  bool given = false;
  for (int i = at; i < at + 4; i++)
    given = given || d->q[i] != 0;
  return lwi_orientation(c, given ? LW_ORIENT_QUAT : LW_ORIENT_NONE, d->q + at, "q", quat);
}

static bool initial_motion(lwi_compiler *c, const lw_joint_desc *d, lwi_hinge *h)
{
  if (!lwi_read(c, d->u, lw_joint_type_nu(h->type, c->s->planar), "u", h->u)) return false;
  const int quat = lwi_kind_quat(lwi_joint_kind(h->type, c->s->planar, false));
  const int plain = quat >= 0 ? quat : lw_joint_type_nq(h->type, c->s->planar);
  if (!lwi_read(c, d->q, plain, "q", h->q)) return false;
  return quat < 0 || initial_rotation(c, d, quat, h->q + quat);
}

bool lwi_hinge_of(lwi_compiler *c, const lw_joint_desc *d, lwi_hinge *h)
{
  *h = (lwi_hinge){.type = d->type,
                   .parent = d->parent.id,
                   .child = d->child.id,
                   .has_q = d->has_q,
                   .has_u = d->has_u,
                   .hold = d->hold};
  return lwi_place(c, &d->place, "place in the parent", &h->place) &&
         lwi_place(c, &d->child_place, "place in the child", &h->child_place) &&
         lwi_read(c, &d->pitch, 1, "pitch", &h->pitch) && check_axes(c, d, h) &&
         initial_motion(c, d, h);
}

/* joint frames are the ground's and the body's own */
bool lwi_float_hinge(lwi_compiler *c, const lw_body_desc *d, lwi_hinge *h)
{
  const lw_start none = {0}, *s = d->start ? d->start : &none;
  num_frame X;
  num quat[4], linear[3], angular[3], w[3], v[3];
  h->place = h->child_place = lwi_frame_identity();
  if (!lwi_place(c, &s->pose, "pose", &X) ||
      !lwi_orientation(c, s->pose.orient.type, s->pose.orient.value, "pose", quat) ||
      !lwi_read(c, s->linear, 3, "velocity", linear) ||
      !lwi_read(c, s->angular, 3, "velocity", angular))
    return false;
  if (c->s->planar &&
      (value_of(linear[2]) != 0 || value_of(angular[0]) != 0 || value_of(angular[1]) != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "velocity must lie in the plane of a planar model");
  rot_tmulv(X.R, angular, w);
  rot_tmulv(X.R, linear, v);
  if (c->s->planar) {
    const num q[3] = {X.p[0], X.p[1], num_atan2(X.R.c[0][1], X.R.c[0][0])},
              u[3] = {w[2], v[0], v[1]};
    memcpy(h->q, q, sizeof q);
    memcpy(h->u, u, sizeof u);
    return true;
  }
  memcpy(h->q, X.p, 3 * sizeof(num));
  memcpy(h->q + 3, quat, sizeof quat);
  memcpy(h->u, w, sizeof w);
  memcpy(h->u + 3, v, sizeof v);
  return true;
}

void lwi_keep_hinge(lwi_compiler *c, int joint)
{
  const lwi_hinge *h = &c->hinge[joint];
  lwi_joint *j = &c->out->joint[joint];
  const num_joint_shape shape =
      lwi_joint_shape_of(h->type, c->s->planar, h->axis, h->axis2, h->pitch);
  const num_equations e = lwi_joint_equations(&shape);
  lwi_keep_shape(&shape, &j->shape);
  lwi_keep_equations(&e, &j->equations);
  lwi_keep_frame(&h->place, &j->place);
  lwi_keep_frame(&h->child_place, &j->child_place);
  lwi_keep(h->q, 7, j->q);
  lwi_keep(h->u, 6, j->u);
}
