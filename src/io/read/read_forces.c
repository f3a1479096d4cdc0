/* SPDX-License-Identifier: Apache-2.0 */
/* read_forces.c -- the section `forces`. */
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "model/spec/force_list.h"
#include "model/spec/laws.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"

#include <string.h>

/* ---- values that only forces have ---- */

typedef struct {
  lw_body body;
  double at[3];
} point;

static const lwi_field point_fields[] = {
    {"body", lwi_read_body_or_point, offsetof(point, body), LWI_ONLY_TYPE, LWI_ONLY_TYPE,
     "body or point", NULL, "the body"},
    {"at", lwi_read_vector, offsetof(point, at), LWI_ONLY_TYPE, 0, "vector", "origin",
     "the point on it"},
};
const lwi_part_keys lwi_end_keys = LWI_PART("end", "force", "an end of a spring", point_fields);

/* A mapping; a name stands for {body: NAME}, of a point or of a body, whose origin it is then. */
static bool read_point(lwi_reader *r, const lwi_yaml_node *value, lw_body *body, double at[3])
{
  point p = {.at = {0}};
  lwi_yaml_node key = *value, map = *value;
  const lwi_yaml_entry entry = {&key, value};
  key.kind = LWI_YAML_SCALAR, key.text = "body", key.count = 4;
  map.kind = LWI_YAML_MAP, map.entry = &entry, map.count = 1;
  if (value->kind == LWI_YAML_SCALAR) value = &map;
  const lwi_place_keys keys = {"body", "at", NULL};
  if (!lwi_read_fields(r, value, value, lwi_end_keys.table, &p) ||
      !lwi_read_place_on(r, value, "body", p.at, NULL) ||
      !lwi_read_place_of_point(r, value, &keys, p.at, NULL))
    return false;
  *body = p.body;
  for (int i = 0; i < 3; i++)
    at[i] = p.at[i];
  return true;
}

static bool read_from(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_spring_desc *d = to;
  return read_point(r, value, &d->from, d->from_at);
}

static bool read_to(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_spring_desc *d = to;
  return read_point(r, value, &d->to, d->to_at);
}

/* a law: expressions in which some names are what it acts on */
static bool read_law(lwi_reader *r, const lwi_yaml_node *value, const char *const own[],
                     lwi_read *read, void *to)
{
  r->own = own;
  const bool good = read(r, value, to);
  r->own = NULL;
  return good;
}

static bool read_tension(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const char *const own[] = {"l", "ldot", NULL};
  return read_law(r, value, own, lwi_read_number, to);
}

static bool read_torsion_law(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const char *const own[] = {"angle", "rate", NULL};
  return read_law(r, value, own, lwi_read_number, to);
}

static const char *const bushing_names[] = {"dx", "dy", "dz",  "dvx", "dvy", "dvz", "rx",
                                            "ry", "rz", "dwx", "dwy", "dwz", NULL};

static bool read_bushing_force(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_law(r, value, bushing_names, lwi_read_vector, to);
}

static bool read_bushing_torque(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_law(r, value, bushing_names, lwi_read_angular, to);
}

static bool read_axes(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  int axes;
  if (!lwi_read_word(r, value, &axes)) return false;
  *(bool *)to = axes == 1;
  return true;
}

static bool read_start(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_torsion_desc *d = to;
  d->has_start = true;
  return lwi_read_number(r, value, &d->start);
}

/* ---- keys ---- */

enum { ONE = LWI_ONLY_TYPE };

/* of a joint spring: both, above, below */
static bool read_side(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const int sides[] = {0, 1, -1};
  int which;
  if (!lwi_read_word(r, value, &which)) return false;
  *(int *)to = sides[which];
  return true;
}

#define AT(field) offsetof(lw_spring_desc, field)
static const lwi_field spring_fields[] = {
    {"type", lwi_read_nothing, 0, ONE, 0, "type", NULL, "which of the types below"},
    {"from", read_from, 0, ONE, ONE, "body or point or end", NULL, "one end"},
    {"to", read_to, 0, ONE, ONE, "body or point or end", NULL, "the other end"},
    {"stiffness", lwi_read_number, AT(stiffness), ONE, 0, "number", NULL,
     "force per extension (6.1); or `tension`"},
    {"damping", lwi_read_number, AT(damping), ONE, 0, "number", "0", "force per rate of extension"},
    {"length", lwi_read_number, AT(length), ONE, 0, "number", "0",
     "length without force; of a law where its potential energy is 0"},
    {"tension", read_tension, AT(tension), ONE, 0, "expression", NULL,
     "a law of its length `l` and rate `ldot`, instead of `stiffness` and `damping` (6.23)"},
};
#undef AT

/* a joint spring, linear or with a law */
typedef struct {
  lw_joint_spring_desc d;
  double load;
} joint_law;

static bool read_joint_law(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const char *const own[] = {"q", "u", NULL};
  return read_law(r, value, own, lwi_read_number, to);
}

#define AT(field) offsetof(lw_joint_spring_desc, field)
static const lwi_field joint_spring_fields[] = {
    {"type", lwi_read_nothing, 0, ONE, 0, "type", NULL, "which of the types below"},
    {"joint", lwi_read_joint, AT(joint), ONE, ONE, "joint", NULL, "on which joint"},
    {"dof", lwi_read_index, AT(dof), ONE, 0, "index", "1", "on which of its freedoms"},
    {"stiffness", lwi_read_number, AT(stiffness), ONE, 0, "number", NULL,
     "load per displacement (6.2); or `load`"},
    {"damping", lwi_read_number, AT(damping), ONE, 0, "number", "0", "load per speed"},
    {"rest", lwi_read_number, AT(rest), ONE, 0, "number", "0", "coordinate without load"},
    {"side", read_side, AT(side), ONE, 0, "both | above | below", "both",
     "on which side of `rest` it acts"},
    {"onset", lwi_read_positive, AT(onset), ONE, 0, "number", NULL,
     "width of the transition; needed with `side`"},
    {"load", read_joint_law, offsetof(joint_law, load), ONE, 0, "expression", NULL,
     "a law of its coordinate `q` and speed `u`, instead of `stiffness` and `damping` (6.23)"},
};
#undef AT

#define AT(field) offsetof(lw_motor_desc, field)
static const lwi_field motor_fields[] = {
    {"type", lwi_read_nothing, 0, ONE, 0, "type", NULL, "which of the types below"},
    {"joint", lwi_read_joint, AT(joint), ONE, ONE, "joint", NULL, "on which joint"},
    {"dof", lwi_read_index, AT(dof), ONE, 0, "index", "1", "on which of its freedoms"},
    {"value", lwi_read_number, AT(value), ONE, ONE, "expression", NULL,
     "the load, of what forces see (6.3, 6.10)"},
};
#undef AT

#define AT(field) offsetof(lw_load_desc, field)
static const lwi_field load_fields[] = {
    {"type", lwi_read_nothing, 0, ONE, 0, "type", NULL, "which of the types below"},
    {"body", lwi_read_body_or_point, AT(body), ONE, ONE, "body or point", NULL, "on which body"},
    {"at", lwi_read_vector, AT(at), ONE, 0, "vector", "origin", "where, in the frame of the body"},
    {"force", lwi_read_vector, AT(force), ONE, 0, "vector", "0",
     "expressions of what forces see (6.4, 6.10)"},
    {"torque", lwi_read_angular, AT(torque), ONE, 0, "vector or number", "0", "the same"},
    {"axes", read_axes, AT(body_axes), ONE, 0, "ground | body", "ground",
     "the axes of `force` and `torque`"},
};
#undef AT

#define AT(field) offsetof(lw_bushing_desc, field)
static const lwi_field bushing_fields[] = {
    {"type", lwi_read_nothing, 0, ONE, 0, "type", NULL, "which of the types below"},
    {"parent", lwi_read_body_or_point, AT(parent), ONE, ONE, "body or point", NULL,
     "the body that carries it; `ground` is one"},
    {"child", lwi_read_body_or_point, AT(child), ONE, ONE, "body or point", NULL, "the other body"},
    {"at", lwi_read_vector, AT(place.at), ONE, 0, "vector", "origin",
     "where it is, in the parent's frame"},
    {"orient", lwi_read_orient, AT(place.orient), ONE, 0, "orientation", "aligned",
     "its axes in the parent's frame"},
    {"child_at", lwi_read_vector, AT(child_place.at), ONE, 0, "vector", "origin",
     "the same place in the child's frame"},
    {"child_orient", lwi_read_orient, AT(child_place.orient), ONE, 0, "orientation", "aligned",
     "its axes in the child's frame"},
    {"stiffness", lwi_read_triple, AT(stiffness), ONE, 0, "triple", "0", "per direction (6.5)"},
    {"damping", lwi_read_triple, AT(damping), ONE, 0, "triple", "0", "per direction"},
    {"angular_stiffness", lwi_read_triple, AT(angular_stiffness), ONE, 0, "triple", "0",
     "per turn about each axis"},
    {"angular_damping", lwi_read_triple, AT(angular_damping), ONE, 0, "triple", "0",
     "per angular velocity"},
    {"force", read_bushing_force, AT(force), ONE, 0, "vector", "0",
     "an additional law of its displacements: force on the child, in its axes (6.23)"},
    {"torque", read_bushing_torque, AT(torque), ONE, 0, "vector or number", "0",
     "an additional law of its rotations (6.23)"},
};
#undef AT

#define AT(field) offsetof(lw_torsion_desc, field)
static const lwi_field torsion_fields[] = {
    {"type", lwi_read_nothing, 0, ONE, 0, "type", NULL, "which of the types below"},
    {"parent", lwi_read_body, AT(parent), ONE, ONE, "body", NULL, "one body"},
    {"child", lwi_read_body, AT(child), ONE, ONE, "body", NULL, "the other body"},
    {"orient", lwi_read_orient, AT(orient), ONE, 0, "orientation", "aligned",
     "its axes in the parent's frame"},
    {"child_orient", lwi_read_orient, AT(child_orient), ONE, 0, "orientation", "aligned",
     "its axes in the child's frame"},
    {"axis", lwi_read_turn, AT(axis), ONE, 0, "axis", "z",
     "the axis about which it turns, in both frames (6.8)"},
    {"stiffness", lwi_read_number, AT(stiffness), ONE, 0, "number", NULL,
     "torque per angle; or `load`"},
    {"damping", lwi_read_number, AT(damping), ONE, 0, "number", "0", "torque per angular rate"},
    {"angle", lwi_read_number, AT(angle), ONE, 0, "number", "0",
     "angle without torque; of a law where its potential energy is 0"},
    {"load", read_torsion_law, AT(load), ONE, 0, "expression", NULL,
     "a law of its `angle` and `rate`: the torque on the child, instead of `stiffness` and "
     "`damping` (6.23)"},
    {"start", read_start, 0, ONE, 0, "number", "`angle`",
     "roughly the angle at the start: which turn it is (6.9)"},
};
#undef AT

#define AT(field) offsetof(lw_servo_desc, field)
static const lwi_field servo_fields[] = {
    {"type", lwi_read_nothing, 0, ONE, 0, "type", NULL, "which of the types below"},
    {"joint", lwi_read_joint, AT(joint), ONE, ONE, "joint", NULL, "on which joint"},
    {"dof", lwi_read_index, AT(dof), ONE, 0, "index", "1", "on which of its freedoms"},
    {"target", lwi_read_number, AT(target), ONE, ONE, "expression", NULL,
     "the coordinate that it aims at"},
    {"stiffness", lwi_read_number, AT(stiffness), ONE, ONE, "number", NULL, "load per error"},
    {"damping", lwi_read_number, AT(damping), ONE, 0, "number", "0",
     "load per speed relative to the target"},
    {"limit", lwi_read_positive, AT(limit), ONE, 0, "number", "none",
     "largest load, in both directions"},
};
#undef AT

/* ---- types ---- */

#define TYPE(item, ...) TYPE_##item,
typedef enum { LWI_FORCE_LIST(TYPE) TYPE_servo, TYPES } force_type;
#undef TYPE

#define NAME(item, items, name, on, kind) name,
static const char *const type_names[TYPES] = {LWI_FORCE_LIST(NAME) "servo"};
#undef NAME

#define SHAPE(item, items, name, on, kind) {"a " name, item##_fields, LWI_COUNT(item##_fields), 0},
static const lwi_field_table shapes[TYPES] = {
    LWI_FORCE_LIST(SHAPE){"a servo", servo_fields, LWI_COUNT(servo_fields), 0}};
#undef SHAPE

const lwi_part_keys lwi_force_keys = {"force", "force", shapes, TYPES, type_names, false, NULL};

/* the descriptor of whichever type; each starts with its name */
typedef union {
  const char *name;
#define DESC(item, ...) lw_##item##_desc item;
  LWI_FORCE_LIST(DESC)
#undef DESC
  joint_law joint_law;
  lw_servo_desc servo;
} force;

static void add(lw_spec *s, force_type type, const force *f)
{
#define ADD(item, ...)                                                                             \
  case TYPE_##item: lw_add_##item(s, &f->item); break;
  switch (type) {
    LWI_FORCE_LIST(ADD)
  case TYPE_servo: lw_add_servo(s, &f->servo); break;
  default: break;
  }
#undef ADD
}

/* Forces on the ground of an included file, and on mirrored joints. */
static bool place_force(lwi_reader *r, const lwi_yaml_node *map, int type, force *f)
{
  const lwi_yaml_node *joint = lwi_yaml_find(map, "joint");
  switch (type) {
  case TYPE_motor:
    return lwi_read_flip(r, lwi_read_dof_sign(r, joint, f->motor.joint, f->motor.dof),
                         &f->motor.value);
  case TYPE_servo:
    return lwi_read_flip(r, lwi_read_dof_sign(r, joint, f->servo.joint, f->servo.dof),
                         &f->servo.target);
  case TYPE_joint_spring:
    return lwi_read_flip(r, lwi_read_dof_sign(r, joint, f->joint_spring.joint, f->joint_spring.dof),
                         &f->joint_spring.rest);
  case TYPE_bushing:
    return lwi_read_place_on(r, map, "parent", f->bushing.place.at, &f->bushing.place.orient) &&
           lwi_read_place_on(r, map, "child", f->bushing.child_place.at,
                             &f->bushing.child_place.orient);
  case TYPE_torsion:
    if (!lwi_yaml_find(map, "axis")) f->torsion.axis[2] = lwi_read_axial_sign(r, map, 2);
    return lwi_read_place_on(r, map, "parent", NULL, &f->torsion.orient) &&
           lwi_read_place_on(r, map, "child", NULL, &f->torsion.child_orient);
  default: return true;
  }
}

/* where points stand for bodies */
static bool read_places(lwi_reader *r, const lwi_yaml_node *map, force_type type, force *f)
{
  const lwi_place_keys keys = {"body", "at", NULL};
  if (type == TYPE_load) return lwi_read_place_of_point(r, map, &keys, f->load.at, NULL);
  if (type != TYPE_bushing) return true;
  return lwi_read_places_of_points(r, map, &f->bushing.place, &f->bushing.child_place);
}

/* Which of two keys; exactly one of them must be there. */
static bool has_law(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *map,
                    const char *law, bool *is)
{
  *is = lwi_yaml_find(map, law);
  const bool stiffness = lwi_yaml_find(map, "stiffness"), damping = lwi_yaml_find(map, "damping");
  if (*is ? !stiffness && !damping : stiffness) return true;
  return lwi_read_fail(r, name, "a %s has `stiffness`, or a law `%s`%s", r->type, law,
                       *is ? ", not both" : "");
}

/* A joint spring with a law is a motor. */
static bool read_joint_spring_law(lwi_reader *r, const lwi_yaml_node *name,
                                  const lwi_yaml_node *map, force *f)
{
  const joint_law *law = &f->joint_law;
  lw_motor_desc d = {
      .name = law->d.name, .joint = law->d.joint, .dof = law->d.dof, .value = law->load};
  static const char *const linear[] = {"rest", "side", "onset"};
  for (int i = 0; i < LWI_COUNT(linear); i++)
    if (lwi_yaml_find(map, linear[i]))
      return lwi_read_fail(r, name, "`%s` goes with `stiffness`, not with a law", linear[i]);
  const int sign = lwi_read_dof_sign(r, lwi_yaml_find(map, "joint"), d.joint, d.dof);
  if (!lwi_read_flip(r, sign, &d.value)) return false;
  lwi_read_locate(r, name);
  lwi_add_joint_law(r->spec, &d, sign);
  return lwi_read_check(r);
}

static bool read_force(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  bool law = false;
  force f;
  int type;
  memset(&f, 0, sizeof f);
  f.name = name->text;
  if (!lwi_read_type(r, value, type_names, TYPES, &type)) return false;
  r->on = lwi_read_freedom_choice(r, value, "force on an angle", "force on a slide");
  const bool read = lwi_read_fields(r, name, value, &shapes[type], &f);
  r->on = NULL;
  if (!read) return false;
  if (type == TYPE_spring && !has_law(r, name, value, "tension", &law)) return false;
  if (type == TYPE_joint_spring && !has_law(r, name, value, "load", &law)) return false;
  if (type == TYPE_torsion && !has_law(r, name, value, "load", &law)) return false;
  if (type == TYPE_joint_spring && law) return read_joint_spring_law(r, name, value, &f);
  if (!place_force(r, value, type, &f)) return false;
  if (type == TYPE_load && !lwi_yaml_find(value, "force") && !lwi_yaml_find(value, "torque"))
    return lwi_read_fail(r, name, "a force needs `force` or `torque`");
  if (!read_places(r, value, (force_type)type, &f)) return false;
  lwi_read_locate(r, name);
  add(r->spec, (force_type)type, &f);
  return lwi_read_check(r);
}

bool lwi_read_forces(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "force", read_force);
}
