/* SPDX-License-Identifier: Apache-2.0 */
/* read_joints.c -- the section `joints`: joints, and constraints in the same list.

   Joints are added first, whatever their order in the file, since constraints name them.  Events
   describe joints with some of the same keys: the tables give each use its own bits. */
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "model/joint/joint.h"
#include "linkwork/reader.h"

#include <stdlib.h>
#include <string.h>

/* which keys: those in the list, those that an event connects, those it puts in another's place */
enum { WRITTEN = 0, CONNECT = 10, REPLACE = 20 };
#define IN_LIST(types) ((unsigned)(types) << WRITTEN)
#define IN_CONNECT(types) ((unsigned)(types) << CONNECT)
#define IN_REPLACE(types) ((unsigned)(types) << REPLACE)
#define IN_TWO(types) (IN_LIST(types) | IN_CONNECT(types))
#define IN_THREE(types) (IN_TWO(types) | IN_REPLACE(types))

/* ---- joints ---- */

/* bits of the types that have it, by the joint catalogue */
#define HAS_AXIS(type, axes, ...) | (sizeof axes > 1 ? 1 << type : 0)
#define HAS_AXIS2(type, axes, ...) | (sizeof axes > 2 ? 1 << type : 0)
#define HAS_AXIS3(type, axes, ...) | (sizeof axes > 3 ? 1 << type : 0)
#define HAS_PITCH(type, axes, pitch, ...) | (pitch ? 1 << type : 0)
#define HAS_RATES(type, axes, pitch, plane, angles, speeds)                                        \
  | (speeds == LWI_SPEEDS_ARE_RATES ? 1 << type : 0)
enum {
  WITH_AXIS = 0 LWI_JOINT_TRAITS(HAS_AXIS),
  WITH_AXIS2 = 0 LWI_JOINT_TRAITS(HAS_AXIS2),
  WITH_AXIS3 = 0 LWI_JOINT_TRAITS(HAS_AXIS3),
  WITH_PITCH = 0 LWI_JOINT_TRAITS(HAS_PITCH),
  ANY_JOINT = (1 << LW_JOINT_TYPES) - 1,
  MOVING = ANY_JOINT & ~(1 << LW_FIXED),
  WITH_RATES = MOVING & (0 LWI_JOINT_TRAITS(HAS_RATES))
};

/* A quaternion of zeros would be taken for one that is not written. */
static bool check_quaternion(lwi_reader *r, const lwi_yaml_node *value, const double quat[4])
{
  if (quat[0] != 0 || quat[1] != 0 || quat[2] != 0 || quat[3] != 0) return true;
  return lwi_read_fail(r, value, "the quaternion of `q` has length 0");
}

/* {at: ..., quat: ...}: `at` of a free joint only */
static bool read_q_map(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d)
{
  static const char *const keys[] = {"rpy", "quat", "axis_angle", "at"};
  const bool is_free = lwi_joint_speeds(d->type, false) == LWI_SPEEDS_MOVE;
  for (int i = 0; i < value->count; i++) {
    const lwi_yaml_entry *e = &value->entry[i];
    const lw_orient_type type = lwi_read_orient_type(e->key->text);
    const bool at = is_free && strcmp(e->key->text, "at") == 0;
    if (type == LW_ORIENT_NONE && !at)
      return lwi_read_unknown(r, e->key, "key of `q`", keys, LWI_COUNT(keys) - !is_free);
    if (type != LW_ORIENT_NONE && d->q_orient.type != LW_ORIENT_NONE)
      return lwi_read_fail(r, e->key, "`q` has a rotation already");
    r->key = e->key->text;
    if (at ? !lwi_read_vector(r, e->value, d->q)
           : !lwi_read_orient_value(r, e->value, type, &d->q_orient))
      return false;
  }
  return true;
}

static bool flip_all(lwi_reader *r, const int sign[], int n, double x[])
{
  for (int i = 0; i < n; i++)
    if (!lwi_read_flip(r, sign[i], &x[i])) return false;
  return true;
}

static bool read_q(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_joint_desc *d = to;
  const int n = lw_joint_type_nq(d->type, r->planar);
  const lwi_speeds speeds = lwi_joint_speeds(d->type, r->planar);
  const bool quat = speeds == LWI_SPEEDS_TURN || speeds == LWI_SPEEDS_MOVE;
  int sign[LWI_MOST_Q];
  d->has_q = true;
  if (quat && value->kind == LWI_YAML_MAP) return read_q_map(r, value, d);
  if (!lwi_read_freedoms(r, value, d->type, false, d->q)) return false;
  if (quat && !check_quaternion(r, value, d->q + n - 4)) return false;
  lwi_read_q_signs(r, value, d->type, sign);
  return flip_all(r, sign, n, d->q);
}

static bool read_u(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_joint_desc *d = to;
  const int n = lw_joint_type_nu(d->type, r->planar);
  int sign[6];
  d->has_u = true;
  if (!lwi_read_freedoms(r, value, d->type, true, d->u)) return false;
  lwi_read_u_signs(r, value, d->type, sign);
  return flip_all(r, sign, n, d->u);
}

/* ---- mirrored joints (lwi_read_q_signs) ---- */

/* a prismatic joint moves along its axis, all others turn about it */
static bool read_joint_axis(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_joint_desc *d = to;
  return d->type == LW_PRISMATIC ? lwi_read_axis(r, value, d->axis)
                                 : lwi_read_turn(r, value, d->axis);
}

/* A turn of one sense goes with a shift of the other one. */
static bool read_pitch(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return lwi_read_number(r, value, to) &&
         lwi_read_flip(r, lwi_scope_det(&r->scopes->item[value->scope]), to);
}

/* what an event connects may be moved together */
typedef struct {
  lw_joint_desc d;
  bool move;
} connected_joint;

#define AT(field) offsetof(lw_joint_desc, field)
static const lwi_field joint_fields[] = {
    {"name", lwi_read_name, AT(name), IN_CONNECT(ANY_JOINT), IN_CONNECT(ANY_JOINT), "name", NULL,
     "the name of the new joint"},
    {"joint", lwi_read_nothing, 0, IN_REPLACE(ANY_JOINT), IN_REPLACE(ANY_JOINT), "joint", NULL,
     "the joint that is replaced"},
    {"type", lwi_read_nothing, 0, IN_THREE(ANY_JOINT), 0, "type", NULL,
     "fixed, revolute, prismatic, ... (3.3)"},
    {"parent", lwi_read_body_or_point, AT(parent), IN_TWO(ANY_JOINT), IN_TWO(ANY_JOINT),
     "body or point", NULL, "the body that carries it; `ground` is one"},
    {"child", lwi_read_body_or_point, AT(child), IN_TWO(ANY_JOINT), IN_TWO(ANY_JOINT),
     "body or point", NULL, "the other body"},
    {"at", lwi_read_vector, AT(place.at), IN_TWO(ANY_JOINT), 0, "vector", "origin",
     "where it is, in the parent's frame"},
    {"orient", lwi_read_orient, AT(place.orient), IN_TWO(ANY_JOINT), 0, "orientation", "aligned",
     "its axes in the parent's frame"},
    {"child_at", lwi_read_vector, AT(child_place.at), IN_TWO(ANY_JOINT), 0, "vector", "origin",
     "the same place in the child's frame"},
    {"child_orient", lwi_read_orient, AT(child_place.orient), IN_TWO(ANY_JOINT), 0, "orientation",
     "aligned", "its axes in the child's frame"},
    {"axis", read_joint_axis, 0, IN_THREE(WITH_AXIS), 0, "axis", "z (gimbal: x)",
     "axis of motion, in the joint frame"},
    {"axis2", lwi_read_turn, AT(axis2), IN_THREE(WITH_AXIS2), 0, "axis", "x (gimbal: y)",
     "the second axis (3.4, 3.20)"},
    {"axis3", lwi_read_turn, AT(axis3), IN_THREE(WITH_AXIS3), 0, "axis", "z",
     "the third axis, in the child's joint frame (3.20)"},
    {"pitch", read_pitch, AT(pitch), IN_THREE(WITH_PITCH), IN_THREE(WITH_PITCH), "number", NULL,
     "advance per turn of one radian (3.5)"},
    {"q", read_q, 0, IN_LIST(MOVING), 0, "coordinates", "identity",
     "coordinates at the start (3.9)"},
    {"u", read_u, 0, IN_LIST(MOVING), 0, "number or list of numbers", "0", "speeds at the start"},
    {"hold", lwi_read_bool, AT(hold), IN_LIST(ANY_JOINT), 0, "boolean", "false",
     "q and u do not change while loops are closed (3.12)"},
    {"cut", lwi_read_bool, AT(cut), IN_LIST(ANY_JOINT), 0, "boolean", "false",
     "prefer to cut loops here (3.15)"},
    {"damping", lwi_read_damping, 0, IN_LIST(WITH_RATES), 0, "number or list of numbers", "0",
     "viscous damping, per freedom (3.16)"},
    {"armature", lwi_read_armature, 0, IN_LIST(WITH_RATES), 0, "number or list of numbers", "0",
     "inertia of a rotor on the freedom (3.21)"},
    {"limits", lwi_read_limits, 0, IN_LIST(WITH_RATES), 0, "limits or list of limits", "none",
     "ends of the range, per freedom (3.17, 3.18)"},
    {"friction", lwi_read_friction, 0, IN_LIST(WITH_RATES), 0, "friction or list of frictions",
     "none", "dry friction, per freedom (3.19)"},
    {"move", lwi_read_bool, offsetof(connected_joint, move), IN_CONNECT(ANY_JOINT), 0, "boolean",
     "false", "move the bodies together where they do not fit (8.6)"},
};
#undef AT

/* ---- constraints ---- */

enum {
  DISTANCE = 1 << LW_DISTANCE,
  ROPE = 1 << LW_ROPE,
  GEAR = 1 << LW_GEAR,
  COUPLER = 1 << LW_COUPLER,
  DRIVER = 1 << LW_DRIVER,
  PERPENDICULAR = 1 << LW_PERPENDICULAR,
  ALONG_AXIS = 1 << LW_POINT_ON_LINE | 1 << LW_POINT_ON_PLANE | 1 << LW_PARALLEL | PERPENDICULAR,
  GEOMETRIC = DISTANCE | ALONG_AXIS | ROPE,
  ANY_CONSTRAINT = GEOMETRIC | GEAR | COUPLER | DRIVER
};

/* a constraint, and the terms that its descriptor points to */
typedef struct {
  lw_constraint_desc d;
  lw_term *terms; /* malloc'ed, [d.nterm] */
  bool move;
} constraint;

static bool take_terms(lwi_reader *r, constraint *c, int n)
{
  c->terms = calloc((size_t)n + 1, sizeof *c->terms);
  c->d.terms = c->terms;
  c->d.nterm = n;
  return c->terms || lwi_read_no_memory(r);
}

/* a number, or a list of the coefficients of q, q^2, q^3, q^4 */
static bool read_coefficients(lwi_reader *r, const lwi_yaml_node *v, lw_term *to)
{
  const int n = v->kind == LWI_YAML_LIST ? v->count : 0;
  if (n > 4) return lwi_read_fail(r, v, "%d coefficients; of q, q^2, q^3, q^4 there are 4", n);
  for (int i = 0; i < n; i++)
    if (!lwi_read_number(r, v->item[i], i ? &to->higher[i - 1] : &to->coefficient)) return false;
  return n > 0 || lwi_read_number(r, v, &to->coefficient);
}

/* gear: [A, B]; coupler: {A: 1, B.2: -3, C: [1, 0.5]} */
static bool read_terms(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  constraint *c = to;
  const bool gear = c->d.type == LW_GEAR;
  if (gear && value->kind != LWI_YAML_LIST)
    return lwi_read_expected(r, value, "a list of two joints");
  if (gear && value->count != 2)
    return lwi_read_fail(r, value, "a gear has two joints, found %d", value->count);
  if (!gear && (value->kind != LWI_YAML_MAP || value->count == 0))
    return lwi_read_expected(r, value, "a mapping of joints to coefficients");
  if (!take_terms(r, c, value->count)) return false;
  for (int i = 0; i < value->count; i++) {
    const lwi_yaml_node *joint = gear ? value->item[i] : value->entry[i].key;
    if (!lwi_read_coordinate(r, joint, &c->terms[i])) return false;
    if (!gear && !read_coefficients(r, value->entry[i].value, &c->terms[i])) return false;
  }
  return true;
}

/* the one term of a driver, made by whichever of its two keys comes first */
static lw_term *driver_term(lwi_reader *r, constraint *c)
{
  if (!c->terms && !take_terms(r, c, 1)) return NULL;
  c->terms->coefficient = 1;
  return c->terms;
}

static bool read_driver_joint(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_term *term = driver_term(r, to);
  return term && lwi_read_joint(r, value, &term->joint);
}

static bool read_driver_dof(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_term *term = driver_term(r, to);
  return term && lwi_read_index(r, value, &term->dof);
}

#define AT(field) offsetof(constraint, d.field)
static const lwi_field constraint_fields[] = {
    {"name", lwi_read_name, AT(name), IN_CONNECT(ANY_CONSTRAINT), IN_CONNECT(ANY_CONSTRAINT),
     "name", NULL, "the name of the new constraint"},
    {"type", lwi_read_nothing, 0, IN_TWO(ANY_CONSTRAINT), 0, "type", NULL,
     "distance, gear, coupler, ... (4.1 to 4.9)"},
    {"parent", lwi_read_body_or_point, AT(parent), IN_TWO(GEOMETRIC), IN_TWO(GEOMETRIC),
     "body or point", NULL, "the body that carries it; `ground` is one"},
    {"child", lwi_read_body_or_point, AT(child), IN_TWO(GEOMETRIC), IN_TWO(GEOMETRIC),
     "body or point", NULL, "the other body"},
    {"at", lwi_read_vector, AT(place.at), IN_TWO(GEOMETRIC), 0, "vector", "origin",
     "where it is, in the parent's frame"},
    {"orient", lwi_read_orient, AT(place.orient), IN_TWO(GEOMETRIC), 0, "orientation", "aligned",
     "its axes in the parent's frame"},
    {"child_at", lwi_read_vector, AT(child_place.at), IN_TWO(GEOMETRIC), 0, "vector", "origin",
     "the same place in the child's frame"},
    {"child_orient", lwi_read_orient, AT(child_place.orient), IN_TWO(GEOMETRIC), 0, "orientation",
     "aligned", "its axes in the child's frame"},
    {"axis", lwi_read_axis, AT(axis), IN_TWO(ALONG_AXIS), 0, "axis", "z",
     "direction of the line, the normal of the plane, or the axis"},
    {"axis2", lwi_read_axis, AT(axis2), IN_TWO(PERPENDICULAR), 0, "axis", "x",
     "the axis in the child's frame (4.9)"},
    {"length", lwi_read_positive, AT(length), IN_TWO(DISTANCE) | IN_LIST(ROPE),
     IN_TWO(DISTANCE) | IN_LIST(ROPE), "number", NULL,
     "the distance (4.1), of a rope the largest one"},
    {"restitution", lwi_read_number, AT(restitution), IN_LIST(ROPE), 0, "number", "0",
     "where the rope goes taut, 0 to 1 (4.10)"},
    {"joints", read_terms, 0, IN_TWO(GEAR | COUPLER), IN_TWO(GEAR | COUPLER),
     "list of joints or coefficients", NULL,
     "the two joints of a gear; coordinates with coefficients of a coupler (4.3)"},
    {"ratio", lwi_read_number, AT(ratio), IN_TWO(GEAR), IN_TWO(GEAR), "number", NULL,
     "of the speeds: u.B = ratio u.A (4.2)"},
    {"offset", lwi_read_number, AT(offset), IN_TWO(COUPLER), 0, "number", "0",
     "value of the sum (4.3)"},
    {"joint", read_driver_joint, 0, IN_TWO(DRIVER), IN_TWO(DRIVER), "joint", NULL,
     "whose coordinate is driven"},
    {"dof", read_driver_dof, 0, IN_TWO(DRIVER), 0, "index", "1", "which of its coordinates"},
    {"value", lwi_read_number, AT(value), IN_TWO(DRIVER), IN_TWO(DRIVER), "expression", NULL,
     "the coordinate as a function of time (4.4)"},
    {"move", lwi_read_bool, offsetof(constraint, move), IN_CONNECT(ANY_CONSTRAINT), 0, "boolean",
     "false", "move the bodies together where they do not fit (8.6)"},
};
#undef AT

/* ---- types: joints, then constraints, then other words for them ---- */

#define JOINT_NAME(type, name, nq, nu) name,
#define CONSTRAINT_NAME(type, name) name,
static const char *const type_names[] = {LW_JOINT_LIST(JOINT_NAME)
                                             LW_CONSTRAINT_LIST(CONSTRAINT_NAME) "translational"};
enum { FIRST_CONSTRAINT = LW_JOINT_TYPES, FIRST_ALIAS = LW_JOINT_TYPES + LW_CONSTRAINT_TYPES };

/* the tables of all types, in the order of their names */
#define JOINT_TABLE(type, name, nq, nu)                                                            \
  {"a " name " joint", joint_fields, LWI_COUNT(joint_fields), USE + type},
#define CONSTRAINT_TABLE(type, name)                                                               \
  {"a " name " constraint", constraint_fields, LWI_COUNT(constraint_fields), USE + type},
#define USE WRITTEN
static const lwi_field_table written[] = {LW_JOINT_LIST(JOINT_TABLE) LW_CONSTRAINT_LIST(
    CONSTRAINT_TABLE) JOINT_TABLE(LW_PRISMATIC, "prismatic", 1, 1)};
#undef USE
#define USE CONNECT
static const lwi_field_table connected[] = {LW_JOINT_LIST(JOINT_TABLE) LW_CONSTRAINT_LIST(
    CONSTRAINT_TABLE) JOINT_TABLE(LW_PRISMATIC, "prismatic", 1, 1)};
#undef USE
#define USE REPLACE
static const lwi_field_table replacing[] = {LW_JOINT_LIST(JOINT_TABLE)};
#undef USE

#define TYPED(name, kind, tables)                                                                  \
  {                                                                                                \
    name, kind, tables, LWI_COUNT(tables), type_names, false, NULL                                 \
  }
const lwi_part_keys lwi_joint_keys = TYPED("joint", "joint", written);
const lwi_part_keys lwi_connection_keys = TYPED("connection", "event", connected);
const lwi_part_keys lwi_replacement_keys = TYPED("replacement", "event", replacing);

static bool in_plane(int type)
{
  return type >= FIRST_CONSTRAINT || lwi_joint_traits_of((lw_joint_type)type).plane;
}

static bool read_joint_type(lwi_reader *r, const lwi_yaml_node *map, int *type)
{
  if (!lwi_read_type(r, map, type_names, LWI_COUNT(type_names), type)) return false;
  if (*type == FIRST_ALIAS) *type = LW_PRISMATIC;
  if (!r->planar || in_plane(*type)) return true;
  char there[200] = "";
  for (int i = 0; i < FIRST_CONSTRAINT; i++)
    if (in_plane(i)) {
      if (*there) strcat(there, ", ");
      strcat(there, type_names[i]);
    }
  return lwi_read_fail(r, lwi_yaml_find(map, "type"),
                       "a planar model has no %s joints; there are %s", type_names[*type], there);
}

/* ---- the list ---- */

/* Where parent or child is the ground of an included file. */
static bool place_both(lwi_reader *r, const lwi_yaml_node *map, lw_place *place, lw_place *child)
{
  return lwi_read_place_on(r, map, "parent", place->at, &place->orient) &&
         lwi_read_place_on(r, map, "child", child->at, &child->orient);
}

/* Mirrored: B' = r A' with the signs of both, the value of a driver with that of its coordinate. */
static bool mirror_relation(lwi_reader *r, const lwi_yaml_node *map, constraint *c)
{
  const lwi_yaml_node *joints = lwi_yaml_find(map, "joints"), *joint = lwi_yaml_find(map, "joint");
  if (!lwi_read_is_mirrored(r, map) || (!joints && !joint)) return true;
  if (c->d.type == LW_DRIVER)
    return lwi_read_flip(r, lwi_read_dof_sign(r, joint, c->terms->joint, c->terms->dof),
                         &c->d.value);
  int product = 1;
  for (int i = 0; i < c->d.nterm; i++) {
    const lwi_yaml_node *name = c->d.type == LW_GEAR ? joints->item[i] : joints->entry[i].key;
    const int sign = lwi_read_dof_sign(r, name, c->terms[i].joint, c->terms[i].dof);
    product *= sign;
    if (c->d.type == LW_COUPLER && (!lwi_read_flip(r, sign, &c->terms[i].coefficient) ||
                                    !lwi_read_flip(r, sign, &c->terms[i].higher[1])))
      return false;
  }
  return c->d.type != LW_GEAR || lwi_read_flip(r, product, &c->d.ratio);
}

static bool read_joint(lwi_reader *r, const lwi_yaml_node *map, int type,
                       const lwi_field_table *tables, lw_joint_desc *d)
{
  d->type = (lw_joint_type)type;
  if (!lwi_read_fields(r, r->name, map, &tables[type], d)) return false;
  return lwi_read_mirror_joint(r, map, d) && place_both(r, map, &d->place, &d->child_place) &&
         lwi_read_places_of_points(r, map, &d->place, &d->child_place);
}

/* The caller frees c->terms. */
static bool read_constraint(lwi_reader *r, const lwi_yaml_node *map, int type,
                            const lwi_field_table *tables, constraint *c)
{
  c->d.type = (lw_constraint_type)(type - FIRST_CONSTRAINT);
  r->on = lwi_read_freedom_choice(r, map, "driven angle", "driven slide");
  const bool read = lwi_read_fields(r, r->name, map, &tables[type], c);
  r->on = NULL;
  if (!read || !lwi_read_places_of_points(r, map, &c->d.place, &c->d.child_place)) return false;
  /* docs/format.md 7.2: axes lie in the plane */
  if (r->planar && !lwi_yaml_find(map, "axis")) c->d.axis[0] = 1;
  if (r->planar && !lwi_yaml_find(map, "axis2")) c->d.axis2[1] = 1;
  return mirror_relation(r, map, c) && place_both(r, map, &c->d.place, &c->d.child_place);
}

static bool add_joint(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  lw_joint_desc d = {.name = name->text};
  int type;
  if (!read_joint_type(r, value, &type)) return false;
  if (type >= FIRST_CONSTRAINT) return true;
  if (!read_joint(r, value, type, written, &d)) return false;
  lwi_read_locate(r, name);
  lw_add_joint(r->spec, &d);
  return lwi_read_check(r);
}

static bool add_constraint(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  constraint c = {.d.name = name->text};
  int type;
  if (!read_joint_type(r, value, &type)) return false;
  if (type < FIRST_CONSTRAINT) return true;
  const bool ok = read_constraint(r, value, type, written, &c);
  lwi_read_locate(r, name);
  if (ok) lw_add_constraint(r->spec, &c.d);
  free(c.terms);
  return ok && lwi_read_check(r);
}

bool lwi_read_joints(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "joint", add_joint) &&
         lwi_read_parts(r, section, "constraint", add_constraint);
}

bool lwi_read_connection(lwi_reader *r, const lwi_yaml_node *map, lwi_connection *to)
{
  connected_joint j = {.d.name = NULL};
  constraint c = {.d.name = NULL};
  int type;
  if (!read_joint_type(r, map, &type)) return false;
  if (to->replaces && type >= FIRST_CONSTRAINT)
    return lwi_read_fail(r, map, "a joint cannot become a %s constraint", type_names[type]);
  to->is_joint = type < FIRST_CONSTRAINT;
  const bool ok = to->is_joint
                      ? read_joint(r, map, type, to->replaces ? replacing : connected, &j.d)
                      : read_constraint(r, map, type, connected, &c);
  to->joint = j.d;
  to->constraint = c.d;
  to->terms = c.terms;
  to->move = to->is_joint ? j.move : c.move;
  return ok;
}
