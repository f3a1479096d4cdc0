/* SPDX-License-Identifier: Apache-2.0 */
/* write_joints.c -- the section `joints`, with constraints. */
#include "io/write/write_parts.h"

#include "linkwork/reader.h"
#include "model/joint/joint.h"

#include <stdio.h>

static void write_sides(lwi_yaml_text *y, const lw_spec *s, lw_body parent, lw_body child,
                        const lw_place *place, const lw_place *child_place)
{
  lwi_yaml_word(y, "parent", lwi_write_body_name(s, parent));
  lwi_yaml_word(y, "child", lwi_write_body_name(s, child));
  lwi_yaml_place(y, "at", "orient", place);
  lwi_yaml_place(y, "child_at", "child_orient", child_place);
}

/* A value per freedom: one of a joint with one, else a list. */
static void write_each(lwi_yaml_text *y, const char *key, const double x[], int n)
{
  if (n == 1)
    lwi_yaml_number(y, key, x[0]);
  else
    lwi_yaml_list(y, key, x, n);
}

static void write_limit(lwi_yaml_text *y, const lw_limits *l)
{
  if (!l->has_lower && !l->has_upper) {
    lwi_yaml_add(y, "none");
    return;
  }
  lwi_yaml_add(y, "{");
  y->first = true;
  if (l->has_lower) lwi_yaml_key(y, "lower"), lwi_yaml_value(y, l->lower);
  if (l->has_upper) lwi_yaml_key(y, "upper"), lwi_yaml_value(y, l->upper);
  lwi_yaml_number(y, "restitution", l->restitution);
  if (l->late) lwi_yaml_key(y, "late"), lwi_yaml_add(y, "true");
  lwi_yaml_number(y, "stiffness", l->stiffness);
  lwi_yaml_number(y, "damping", l->damping);
  lwi_yaml_number(y, "onset", l->onset);
  lwi_yaml_add(y, "}");
  y->first = false;
}

static bool has_friction(const lw_friction *f)
{
  return !(f->load == 0 && f->static_load == 0 && f->coefficient == 0);
}

static void write_friction(lwi_yaml_text *y, const lw_friction *f)
{
  if (!has_friction(f)) {
    lwi_yaml_add(y, "none");
    return;
  }
  const bool own = f->coefficient != 0;
  lwi_yaml_add(y, own ? "{coefficient: " : "{load: ");
  lwi_yaml_value(y, own ? f->coefficient : f->load);
  y->first = false;
  lwi_yaml_number(y, "static", f->static_load);
  lwi_yaml_number(y, "static_coefficient", f->static_coefficient);
  lwi_yaml_number(y, "radius", f->radius);
  lwi_yaml_number(y, "length", f->length);
  lwi_yaml_number(y, "thrust_radius", f->thrust_radius);
  lwi_yaml_add(y, "}");
  y->first = false;
}

static void write_elements(lwi_yaml_text *y, const lw_joint_desc *d, int n)
{
  bool limits = false, friction = false;
  for (int i = 0; i < n; i++) {
    limits = limits || d->limits[i].has_lower || d->limits[i].has_upper;
    friction = friction || has_friction(&d->friction[i]);
  }
  write_each(y, "damping", d->damping, n);
  write_each(y, "armature", d->armature, n);
  if (limits) lwi_yaml_key(y, "limits");
  for (int i = 0; i < n && limits; i++) {
    lwi_yaml_add(y, n == 1 ? "" : i ? ", " : "[");
    write_limit(y, &d->limits[i]);
  }
  if (limits && n > 1) lwi_yaml_add(y, "]");
  if (friction) lwi_yaml_key(y, "friction");
  for (int i = 0; i < n && friction; i++) {
    lwi_yaml_add(y, n == 1 ? "" : i ? ", " : "[");
    write_friction(y, &d->friction[i]);
  }
  if (friction && n > 1) lwi_yaml_add(y, "]");
}

/* Coordinates at the start: a number, a list, or with a quaternion. */
static void write_start(lwi_yaml_text *y, const lw_joint_desc *d, bool planar)
{
  const int nq = lw_joint_type_nq(d->type, planar), nu = lw_joint_type_nu(d->type, planar);
  if (d->q_orient.type == LW_ORIENT_NONE)
    write_each(y, "q", d->q, nq);
  else {
    const lw_place place = {.at = {d->q[0], d->q[1], d->q[2]}, .orient = d->q_orient};
    static const char *const forms[] = {"", "quat", "rpy", "axis_angle"};
    lwi_yaml_key(y, "q");
    lwi_yaml_add(y, "{");
    y->first = true;
    if (d->type == LW_FREE) lwi_yaml_list(y, "at", place.at, 3);
    lwi_yaml_list(y, forms[d->q_orient.type], d->q_orient.value,
                  d->q_orient.type == LW_ORIENT_RPY ? 3 : 4);
    lwi_yaml_add(y, "}");
    y->first = false;
  }
  write_each(y, "u", d->u, nu);
}

void lwi_write_joint_type(lwi_yaml_text *y, const lw_joint_desc *d)
{
  const bool axes = !y->spec->planar || d->type == LW_PRISMATIC; /* revolute ones are z */
  lwi_yaml_word(y, "type", lw_joint_type_name(d->type));
  if (axes) lwi_yaml_list(y, "axis", d->axis, 3);
  lwi_yaml_list(y, "axis2", d->axis2, 3);
  lwi_yaml_list(y, "axis3", d->axis3, 3);
  lwi_yaml_number(y, "pitch", d->pitch);
}

static void write_joint(lwi_yaml_text *y, const lw_spec *s, const lw_joint_desc *d)
{
  lwi_yaml_open(y, d->name);
  lwi_write_joint_type(y, d);
  write_sides(y, s, d->parent, d->child, &d->place, &d->child_place);
  write_start(y, d, s->planar);
  if (d->hold) lwi_yaml_word(y, "hold", "true");
  if (d->cut) lwi_yaml_word(y, "cut", "true");
  if (lwi_joint_has_rate_pair(d->type)) write_elements(y, d, lw_joint_type_nu(d->type, s->planar));
  lwi_yaml_close(y);
}

/* ---- constraints ---- */

static void write_coordinate(lwi_yaml_text *y, const lw_spec *s, const lw_term *t)
{
  const lw_joint_desc *j = &s->joints.item[t->joint.id - 1].d;
  char name[260];
  if (lw_joint_type_nu(j->type, s->planar) == 1)
    snprintf(name, sizeof name, "%s", j->name);
  else
    snprintf(name, sizeof name, "%s.%d", j->name, t->dof ? t->dof : 1);
  lwi_yaml_name(y, name);
}

/* one number, or those of all powers up to the last one */
static void write_coefficients(lwi_yaml_text *y, const lw_term *t)
{
  int degree = 4;
  while (degree > 1 && t->higher[degree - 2] == 0)
    degree--;
  if (degree > 1) lwi_yaml_add(y, "[");
  for (int i = 0; i < degree; i++) {
    if (i) lwi_yaml_add(y, ", ");
    lwi_yaml_value(y, i ? t->higher[i - 1] : t->coefficient);
  }
  if (degree > 1) lwi_yaml_add(y, "]");
}

static void write_terms(lwi_yaml_text *y, const lw_spec *s, const lw_constraint_desc *d)
{
  const bool gear = d->type == LW_GEAR;
  if (d->type == LW_DRIVER) {
    lwi_yaml_word(y, "joint", s->joints.item[d->terms[0].joint.id - 1].d.name);
    if (d->terms[0].dof > 1) lwi_yaml_number(y, "dof", d->terms[0].dof);
    lwi_yaml_number(y, "value", d->value);
    return;
  }
  lwi_yaml_key(y, "joints");
  for (int i = 0; i < d->nterm; i++) {
    lwi_yaml_add(y, i ? ", " : gear ? "[" : "{");
    write_coordinate(y, s, &d->terms[i]);
    if (gear) continue;
    lwi_yaml_add(y, ": ");
    write_coefficients(y, &d->terms[i]);
  }
  lwi_yaml_add(y, gear ? "]" : "}");
  lwi_yaml_number(y, gear ? "ratio" : "offset", gear ? d->ratio : d->offset);
}

static void write_constraint_keys(lwi_yaml_text *y, const lw_spec *s, const lw_constraint_desc *d)
{
  static const char *const names[] = {
#define NAME(type, name) [type] = name,
      LW_CONSTRAINT_LIST(NAME)
#undef NAME
  };
  const bool relation = d->type == LW_GEAR || d->type == LW_COUPLER || d->type == LW_DRIVER;
  lwi_yaml_word(y, "type", names[d->type]);
  if (relation)
    write_terms(y, s, d);
  else
    write_sides(y, s, d->parent, d->child, &d->place, &d->child_place);
  const bool along_axis = d->type == LW_POINT_ON_LINE || d->type == LW_POINT_ON_PLANE ||
                          d->type == LW_PARALLEL || d->type == LW_PERPENDICULAR;
  if (along_axis) lwi_yaml_list(y, "axis", d->axis, 3);
  if (d->type == LW_PERPENDICULAR) lwi_yaml_list(y, "axis2", d->axis2, 3);
  if (d->type == LW_DISTANCE || d->type == LW_ROPE) lwi_yaml_number(y, "length", d->length);
  if (d->type == LW_ROPE) lwi_yaml_number(y, "restitution", d->restitution);
}

static void write_constraint(lwi_yaml_text *y, const lw_spec *s, const lw_constraint_desc *d)
{
  lwi_yaml_open(y, d->name);
  write_constraint_keys(y, s, d);
  lwi_yaml_close(y);
}

/* ---- of events ---- */

/* A side that is given, and is the origin. */
static void write_origin(lwi_yaml_text *y, const char *key, const lw_place *place, bool written)
{
  const bool zero = place->at[0] == 0 && place->at[1] == 0 && place->at[2] == 0 &&
                    place->orient.type == LW_ORIENT_NONE;
  if (written && zero) lwi_yaml_key(y, key), lwi_yaml_add(y, "[0, 0, 0]");
}

void lwi_write_new_joint(lwi_yaml_text *y, const lw_spec *s, const lw_joint_desc *d,
                         lwi_sides_written sides)
{
  lwi_yaml_word(y, "name", d->name);
  lwi_write_joint_type(y, d);
  write_sides(y, s, d->parent, d->child, &d->place, &d->child_place);
  write_origin(y, "at", &d->place, sides.parent);
  write_origin(y, "child_at", &d->child_place, sides.child);
}

void lwi_write_new_constraint(lwi_yaml_text *y, const lw_spec *s, const lw_constraint_desc *d,
                              lwi_sides_written sides)
{
  lwi_yaml_word(y, "name", d->name);
  write_constraint_keys(y, s, d);
  write_origin(y, "at", &d->place, sides.parent);
  write_origin(y, "child_at", &d->child_place, sides.child);
}

/* those of limits and friction are announced by events */
void lwi_write_joints(lwi_yaml_text *y, const lw_spec *s)
{
  int n = 0;
  for (int i = 0; i < s->joints.n; i++) {
    if (s->joints.item[i].announced) continue;
    if (n++ == 0) lwi_yaml_add(y, "joints:\n");
    write_joint(y, s, &s->joints.item[i].d);
  }
  for (int i = 0; i < s->constraints.n; i++) {
    const bool rope = s->constraints.item[i].d.type == LW_ROPE;
    if (s->constraints.item[i].announced && !rope) continue;
    if (n++ == 0) lwi_yaml_add(y, "joints:\n");
    write_constraint(y, s, &s->constraints.item[i].d);
  }
}
