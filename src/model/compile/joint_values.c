/* SPDX-License-Identifier: Apache-2.0 */
/* joint_values.c -- joints: initial coordinates and speeds, frames and axes. */
#include "model/compile/constants.h"
#include "linkwork/reader.h"

/* ---- coordinates and speeds ---- */

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

bool lwi_joint_values_of(lwi_compiler *c, const lw_joint_desc *d, lwi_joint_values *h)
{
  if (!lwi_read(c, d->u, lw_joint_type_nu(d->type, c->s->planar), "u", h->u)) return false;
  const int quat = lwi_kind_quat(lwi_joint_kind(d->type, c->s->planar, false));
  const int plain = quat >= 0 ? quat : lw_joint_type_nq(d->type, c->s->planar);
  if (!lwi_read(c, d->q, plain, "q", h->q)) return false;
  return quat < 0 || initial_rotation(c, d, quat, h->q + quat);
}

/* pose and velocity as written */
static bool start_floating(lwi_compiler *c, const lw_body_desc *d, lwi_joint_values *h)
{
  const lw_start none = {0}, *s = d->start ? d->start : &none;
  num_frame X;
  num quat[4], linear[3], angular[3], w[3], v[3];
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

bool lwi_float_joint_values(lwi_compiler *c, int body, lwi_joint_values *h)
{
  if (!c->phase->floating || isnan(c->phase->floating[body][0]))
    return start_floating(c, &c->s->bodies.item[body - 1].d, h);
  lwi_get(c->phase->floating[body], NULL, 7, h->q);
  return h->kept = true;
}

/* ---- as relations of two frames ---- */

static bool is_parallel(const num a[3], const num b[3])
{
  num n[3];
  cross3(a, b, n);
  return value_of(norm3(n)) < 1e-9;
}

static bool read_axes(lwi_compiler *c, const lw_joint_desc *d, num_joint_shape *shape)
{
  static const char *const name[LWI_MOST_AXES] = {"axis", "axis2", "axis3"};
  const double *const written[LWI_MOST_AXES] = {d->axis, d->axis2, d->axis3};
  const bool planar = c->s->planar, slides = d->type == LW_PRISMATIC;
  const lwi_joint_traits traits = lwi_joint_traits_of(d->type);
  const num *axis = shape->axis[0];
  for (int k = 0; k < LWI_MOST_AXES; k++) {
    num usual[3] = {0};
    usual[(planar && slides) || k >= traits.axes ? 0 : traits.axis[k] - 'x'] = 1;
    if (!lwi_axis(c, written[k], usual, name[k], shape->axis[k])) return false;
    if (k > 0 && k < traits.axes && is_parallel(shape->axis[k - 1], shape->axis[k]))
      return lwi_compile_fail(c, LW_E_MODEL, "%s and %s are parallel", name[k - 1], name[k]);
  }
  if (planar && slides && value_of(axis[2]) != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "axis must lie in the plane of a planar model");
  if (planar && d->type == LW_REVOLUTE && (value_of(axis[0]) != 0 || value_of(axis[1]) != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "axis must be z in a planar model");
  return true;
}

static void keep_relation(const num_joint_shape *shape, const num_frame *place,
                          const num_frame *child_place, lwi_joint *out)
{
  const num_equations e = lwi_joint_equations(shape);
  lwi_keep_shape(shape, &out->shape);
  lwi_keep_equations(&e, &out->equations);
  lwi_keep_frame(place, &out->place);
  lwi_keep_frame(child_place, &out->child_place);
}

static bool read_armature(lwi_compiler *c, const lw_joint_desc *d, lwi_joint *out)
{
  num armature[LW_RATE_PAIRS];
  if (!lwi_read(c, d->armature, LW_RATE_PAIRS, "armature", armature)) return false;
  lwi_keep(armature, LW_RATE_PAIRS, out->armature);
  for (int i = 0; i < LW_RATE_PAIRS; i++)
    if (value_of(armature[i]) < 0)
      return lwi_compile_fail(c, LW_E_MODEL, "its armature must not be negative");
  return true;
}

bool lwi_joint_numbers(lwi_compiler *c, int joint)
{
  const lw_joint_desc *d = &c->s->joints.item[joint - 1].d;
  num_frame place, child_place;
  num_joint_shape shape = lwi_joint_shape_of(d->type, c->s->planar);
  lwi_compile_at(c, "joint", d->name, c->s->joints.item[joint - 1].mark);
  if (!lwi_place(c, &d->place, "place in the parent", &place) ||
      !lwi_place(c, &d->child_place, "place in the child", &child_place) ||
      !lwi_read(c, &d->pitch, 1, "pitch", &shape.pitch) || !read_axes(c, d, &shape) ||
      !read_armature(c, d, &c->out->joint[joint]))
    return false;
  keep_relation(&shape, &place, &child_place, &c->out->joint[joint]);
  return true;
}

/* frames of an implicit free joint: the ground's and the body's own */
bool lwi_free_numbers(lwi_compiler *c, int joint)
{
  const num_joint_shape shape = lwi_joint_shape_of(LW_FREE, c->s->planar);
  const num_frame same = lwi_frame_identity();
  keep_relation(&shape, &same, &same, &c->out->joint[joint]);
  return true;
}
