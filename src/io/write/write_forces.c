/* SPDX-License-Identifier: Apache-2.0 */
/* write_forces.c -- the section `forces`. */
#include "io/write/write_parts.h"

#include <string.h>

/* Is it a part of the model's own, and not of a limit, damper or friction of a joint? */
static bool is_written(const lw_spec *s, const char *name)
{
  return lwi_name_find(&s->force_names, name, strlen(name)) >= 0;
}

static void open_force(lwi_yaml_text *y, const char *name, const char *type)
{
  lwi_yaml_open(y, name);
  lwi_yaml_word(y, "type", type);
}

static void write_end(lwi_yaml_text *y, const lw_spec *s, const char *key, lw_body body,
                      const double at[3])
{
  lwi_yaml_key(y, key);
  lwi_yaml_add(y, "{body: ");
  lwi_yaml_name(y, lwi_write_body_name(s, body));
  lwi_yaml_list(y, "at", at, 3);
  lwi_yaml_add(y, "}");
}

/* `stiffness`, or a law instead */
static void write_law(lwi_yaml_text *y, const char *key, double stiffness, const char *law_key,
                      double law)
{
  lwi_yaml_key(y, law != 0 ? law_key : key);
  lwi_yaml_value(y, law != 0 ? law : stiffness);
}

static void write_spring(lwi_yaml_text *y, const lw_spec *s, const lw_spring_desc *d)
{
  open_force(y, d->name, "spring");
  write_end(y, s, "from", d->from, d->from_at);
  write_end(y, s, "to", d->to, d->to_at);
  write_law(y, "stiffness", d->stiffness, "tension", d->tension);
  lwi_yaml_number(y, "damping", d->damping);
  lwi_yaml_number(y, "length", d->length);
  lwi_yaml_close(y);
}

static void write_freedom(lwi_yaml_text *y, const lw_spec *s, lw_joint joint, int dof)
{
  lwi_yaml_word(y, "joint", s->joints.item[joint.id - 1].d.name);
  if (dof > 1) lwi_yaml_number(y, "dof", dof);
}

static void write_joint_spring(lwi_yaml_text *y, const lw_spec *s, const lw_joint_spring_desc *d)
{
  open_force(y, d->name, "joint_spring");
  write_freedom(y, s, d->joint, d->dof);
  lwi_yaml_key(y, "stiffness");
  lwi_yaml_value(y, d->stiffness);
  lwi_yaml_number(y, "damping", d->damping);
  lwi_yaml_number(y, "rest", d->rest);
  if (d->side) lwi_yaml_word(y, "side", d->side > 0 ? "above" : "below");
  lwi_yaml_number(y, "onset", d->onset);
  lwi_yaml_close(y);
}

/* law: its value is one of q and u, those of the joint spring that it is */
static void write_motor_or_law(lwi_yaml_text *y, const lw_spec *s, const lw_motor_desc *d, bool law)
{
  open_force(y, d->name, law ? "joint_spring" : "motor");
  write_freedom(y, s, d->joint, d->dof);
  lwi_yaml_key(y, law ? "load" : "value");
  lwi_yaml_value(y, d->value);
  lwi_yaml_close(y);
}

static void write_load(lwi_yaml_text *y, const lw_spec *s, const lw_load_desc *d)
{
  open_force(y, d->name, "force");
  lwi_yaml_word(y, "body", lwi_write_body_name(s, d->body));
  lwi_yaml_list(y, "at", d->at, 3);
  lwi_yaml_list(y, "force", d->force, 3);
  lwi_yaml_list(y, "torque", d->torque, 3);
  if (d->body_axes) lwi_yaml_word(y, "axes", "body");
  lwi_yaml_close(y);
}

static void write_bushing(lwi_yaml_text *y, const lw_spec *s, const lw_bushing_desc *d)
{
  open_force(y, d->name, "bushing");
  lwi_yaml_word(y, "parent", lwi_write_body_name(s, d->parent));
  lwi_yaml_word(y, "child", lwi_write_body_name(s, d->child));
  lwi_yaml_place(y, "at", "orient", &d->place);
  lwi_yaml_place(y, "child_at", "child_orient", &d->child_place);
  lwi_yaml_list(y, "stiffness", d->stiffness, 3);
  lwi_yaml_list(y, "damping", d->damping, 3);
  lwi_yaml_list(y, "angular_stiffness", d->angular_stiffness, 3);
  lwi_yaml_list(y, "angular_damping", d->angular_damping, 3);
  lwi_yaml_list(y, "force", d->force, 3);
  lwi_yaml_list(y, "torque", d->torque, 3);
  lwi_yaml_close(y);
}

static void write_torsion(lwi_yaml_text *y, const lw_spec *s, const lw_torsion_desc *d)
{
  const lw_place parent = {.orient = d->orient}, child = {.orient = d->child_orient};
  open_force(y, d->name, "torsion");
  lwi_yaml_word(y, "parent", lwi_write_body_name(s, d->parent));
  lwi_yaml_word(y, "child", lwi_write_body_name(s, d->child));
  lwi_yaml_place(y, "at", "orient", &parent);
  lwi_yaml_place(y, "child_at", "child_orient", &child);
  lwi_yaml_list(y, "axis", d->axis, 3);
  write_law(y, "stiffness", d->stiffness, "load", d->load);
  lwi_yaml_number(y, "damping", d->damping);
  lwi_yaml_number(y, "angle", d->angle);
  if (d->has_start) lwi_yaml_key(y, "start"), lwi_yaml_value(y, d->start);
  lwi_yaml_close(y);
}

static void write_motor(lwi_yaml_text *y, const lw_spec *s, const lw_motor_desc *d)
{
  bool law = false;
  for (int i = 0; i < s->motors.n; i++)
    law = law || (&s->motors.item[i].d == d && s->motors.item[i].role.along != 0);
  write_motor_or_law(y, s, d, law);
}

void lwi_write_forces(lwi_yaml_text *y, const lw_spec *s)
{
  if (s->force_names.n) lwi_yaml_add(y, "forces:\n");
#define WRITE(kind, list, ...)                                                                     \
  for (int i = 0; i < s->list.n; i++)                                                              \
    if (is_written(s, s->list.item[i].d.name) && !s->list.item[i].role.carrier)                    \
      write_##kind(y, s, &s->list.item[i].d);
  LWI_FORCE_LIST(WRITE)
#undef WRITE
}
