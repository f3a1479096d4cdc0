/* SPDX-License-Identifier: Apache-2.0 */
/* release_apply.c -- a proposed change, made in a copy of the spec, to be compiled and checked. */
#include "analysis/redundancy.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <string.h>

/* A rotation by q about the axis as the initial rotation. */
static void turn_about_axis(lw_joint_desc *d, const double axis[3], double q)
{
  d->q_orient = (lw_orient){LW_ORIENT_AXIS_ANGLE, {axis[0], axis[1], axis[2], q}};
  memset(d->q, 0, sizeof d->q);
  memset(d->axis, 0, sizeof d->axis);
}

static void become(lw_joint_desc *d, const lwi_joint *j, const lw_release *r)
{
  const double q = d->q[0], u = d->u[0];
  const double *axis = j->shape.axis[0];
  if (d->type == LW_FIXED)
    memcpy(d->axis, r->axis, sizeof d->axis);
  else if (r->type == LW_UNIVERSAL)
    memcpy(d->axis2, r->axis, sizeof d->axis2);
  else if (r->type == LW_CYLINDRICAL && d->type == LW_PRISMATIC)
    d->q[0] = d->u[0] = 0, d->q[1] = q, d->u[1] = u;
  else if (r->type == LW_PLANAR) {
    d->q[0] = d->u[0] = 0;
    d->q[2] = q, d->u[2] = u;
    memset(d->axis, 0, sizeof d->axis);
  } else if (r->type == LW_SPHERICAL && d->type == LW_REVOLUTE) {
    turn_about_axis(d, axis, q);
    memset(d->u, 0, sizeof d->u);
    if (lwi_expr_index(u) < 0)
      for (int i = 0; i < 3; i++)
        d->u[i] = u * axis[i];
  } else if (r->type == LW_GIMBAL) { /* its defaults differ from those of universal joints */
    memcpy(d->axis, axis, sizeof d->axis);
    memcpy(d->axis2, j->shape.axis[1], sizeof d->axis2);
    memcpy(d->axis3, r->axis, sizeof d->axis3);
  }
  d->type = r->type;
}

static bool become_constraint(lw_spec *s, int joint, const lw_release *r)
{
  const lw_joint_desc *d = &s->joints.item[joint - 1].d;
  char name[300];
  snprintf(name, sizeof name, "%.250s_on_line", d->name);
  const lw_constraint_desc c = {.name = name,
                                .type = r->constraint_type,
                                .parent = d->parent,
                                .child = d->child,
                                .place = d->place,
                                .child_place = d->child_place,
                                .axis = {r->axis[0], r->axis[1], r->axis[2]}};
  s->joints.item[joint - 1].announced = true; /* no longer there */
  return lw_add_constraint(s, &c).id > 0;
}

bool lwi_apply_release(lw_spec *s, const lw_model *m, const lw_release *r)
{
  if (r->removed && r->constraint.id) {
    const int c = lwi_spec_find_constraint(s, m->constraint[r->constraint.id].info.name);
    if (c < 1) return false;
    s->constraints.item[c - 1].announced = true;
    return true;
  }
  const lwi_joint *j = &m->joint[r->joint.id];
  const int id = lw_spec_find_joint(s, j->info.name).id;
  if (id < 1) return false;
  if (r->removed) {
    s->joints.item[id - 1].announced = true;
    return true;
  }
  if (r->to_constraint) return become_constraint(s, id, r);
  become(&s->joints.item[id - 1].d, j, r);
  return true;
}
