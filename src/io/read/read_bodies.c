/* SPDX-License-Identifier: Apache-2.0 */
/* read_bodies.c -- the section `bodies`: mass, com and inertia, or a solid; pose and velocity. */
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "linkwork/reader.h"

#include <string.h>

/* a body, and the start that its descriptor points to */
typedef struct {
  lw_body_desc d;
  lw_start start;
} body;

/* ---- inertia ---- */

static bool read_inertia(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *inertia = to;
  const bool list = value->kind == LWI_YAML_LIST;
  if (r->planar) {
    if (list) return lwi_read_numbers(r, value, &inertia[2], 1);
    return lwi_read_number(r, value, &inertia[2]);
  }
  if (!list) return lwi_read_expected(r, value, "a list of 3 or 6 numbers");
  if (value->count != 3 && value->count != 6)
    return lwi_read_fail(r, value, "expected 3 or 6 numbers for `inertia`, found %d", value->count);
  if (!lwi_read_numbers(r, value, inertia, value->count)) return false;
  const int *s = r->scopes->item[value->scope].sign; /* mirrored: M I M */
  return lwi_read_flip(r, s[0] * s[1], &inertia[3]) && lwi_read_flip(r, s[0] * s[2], &inertia[4]) &&
         lwi_read_flip(r, s[1] * s[2], &inertia[5]);
}

/* ---- solids ---- */

#define SOLIDS(X)                                                                                  \
  X(LW_SOLID_ROD, "rod")                                                                           \
  X(LW_SOLID_BOX, "box")                                                                           \
  X(LW_SOLID_SPHERE, "sphere")                                                                     \
  X(LW_SOLID_CYLINDER, "cylinder")                                                                 \
  X(LW_SOLID_POINT, "point")

enum {
  ROD = 1 << LW_SOLID_ROD,
  BOX = 1 << LW_SOLID_BOX,
  SPHERE = 1 << LW_SOLID_SPHERE,
  CYLINDER = 1 << LW_SOLID_CYLINDER,
  POINT = 1 << LW_SOLID_POINT,
  DENSE = BOX | SPHERE | CYLINDER, /* have a volume: mass or density */
  ANY_SOLID = DENSE | ROD | POINT
};

#define AT(field) offsetof(lw_solid, field)
static const lwi_field solid_fields[] = {
    {"mass", lwi_read_positive, AT(mass), ANY_SOLID, ROD | POINT, "number", NULL,
     "instead of `density`"},
    {"density", lwi_read_positive, AT(density), DENSE, 0, "number", NULL, "instead of `mass`"},
    {"at", lwi_read_vector, AT(at), ANY_SOLID, 0, "vector", "origin",
     "where its centre is; where a rod begins"},
    {"axis", lwi_read_axis, AT(axis), ROD | CYLINDER, 0, "axis", "z", "along which it lies"},
    {"size", lwi_read_size, AT(size), BOX, BOX, "list of 3 numbers", NULL, "edges along x, y, z"},
    {"radius", lwi_read_positive, AT(radius), ROD | SPHERE | CYLINDER, SPHERE | CYLINDER, "number",
     "of a rod: length/200", "its radius"},
    {"length", lwi_read_positive, AT(length), ROD | CYLINDER, ROD | CYLINDER, "number", NULL,
     "its length"},
};
#undef AT

#define NAME(type, name) name,
#define SHAPE(type, name) {"a " name, solid_fields, LWI_COUNT(solid_fields), type},
static const char *const solid_names[] = {SOLIDS(NAME)}; /* without LW_SOLID_NONE */
static const lwi_field_table solid_tables[] = {SOLIDS(SHAPE)};
#undef NAME
#undef SHAPE
const lwi_part_keys lwi_solid_keys = {"solid",     "body", solid_tables, LWI_COUNT(solid_tables),
                                      solid_names, true,   NULL};

static bool check_density(lwi_reader *r, const lwi_yaml_node *map, const lwi_field_table *shape)
{
  const bool mass = lwi_yaml_find(map, "mass"), density = lwi_yaml_find(map, "density");
  if (!(1 << shape->type & DENSE) || mass != density) return true;
  return lwi_read_fail(r, map, "%s needs %s", shape->what,
                       mass ? "`mass` or `density`, not both" : "`mass` or `density`");
}

static bool read_solid(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_solid *solid = to;
  int i = 0;
  if (!lwi_read_is_map(r, value)) return false;
  if (value->count != 1)
    return lwi_read_fail(r, value, "`solid` takes one shape, found %d", value->count);
  const lwi_yaml_entry *e = value->entry;
  while (i < LWI_COUNT(solid_names) && strcmp(solid_names[i], e->key->text) != 0)
    i++;
  if (i == LWI_COUNT(solid_names)) return lwi_read_unknown(r, e->key, "solid", solid_names, i);
  solid->type = (lw_solid_type)solid_tables[i].type;
  r->key = solid_names[i];
  if (!lwi_read_fields(r, e->key, e->value, &solid_tables[i], solid)) return false;
  if (solid->type == LW_SOLID_ROD && !lwi_yaml_find(e->value, "axis"))
    solid->axis[2] = r->scopes->item[value->scope].sign[2];
  return check_density(r, e->value, &solid_tables[i]);
}

/* ---- start ---- */

static const lwi_field pose_fields[] = {
    {"at", lwi_read_vector, offsetof(lw_place, at), LWI_ONLY_TYPE, 0, "vector", "origin",
     "position of the body origin in ground"},
    {"orient", lwi_read_orient, offsetof(lw_place, orient), LWI_ONLY_TYPE, 0, "orientation",
     "aligned", "orientation in ground"},
};
const lwi_part_keys lwi_pose_keys = LWI_PART("pose", "body", "a pose", pose_fields);

static bool read_pose(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  body *b = to;
  b->d.start = &b->start;
  if (!lwi_read_fields(r, value, value, lwi_pose_keys.table, &b->start.pose)) return false;
  const lwi_yaml_node ground = lwi_read_ground_at(value);
  const char *base = lwi_scope_body(r->scopes, ground.scope, ground.text);
  if (!base) return lwi_read_no_memory(r);
  if (strcmp(base, "ground") != 0)
    return lwi_read_fail(r, value,
                         "the ground of this file is a body where it is included: a body that "
                         "floats cannot be placed on it, write a joint");
  return lwi_read_on_ground(r, &ground, b->start.pose.at, &b->start.pose.orient);
}

static const lwi_field velocity_fields[] = {
    {"linear", lwi_read_vector, offsetof(lw_start, linear), LWI_ONLY_TYPE, 0, "vector", "0",
     "of the body origin, ground axes"},
    {"angular", lwi_read_angular, offsetof(lw_start, angular), LWI_ONLY_TYPE, 0, "vector or number",
     "0", "ground axes; planar: one number"},
};
const lwi_part_keys lwi_velocity_keys = LWI_PART("velocity", "body", "a velocity", velocity_fields);

static bool read_velocity(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  body *b = to;
  b->d.start = &b->start;
  return lwi_read_fields(r, value, value, lwi_velocity_keys.table, &b->start);
}

/* ---- bodies ---- */

#define AT(field) offsetof(body, d.field)
static const lwi_field body_fields[] = {
    {"mass", lwi_read_mass, AT(mass), LWI_ONLY_TYPE, 0, "number", NULL,
     "its mass (2.8); or `solid`"},
    {"com", lwi_read_vector, AT(com), LWI_ONLY_TYPE, 0, "vector", "origin",
     "centre of mass, in the body frame"},
    {"inertia", read_inertia, AT(inertia), LWI_ONLY_TYPE, 0, "number or list of numbers", "0",
     "about the centre of mass: 3 diagonal, or 6: xx, yy, zz, xy, xz, yz; planar: 1 (2.1)"},
    {"solid", read_solid, AT(solid), LWI_ONLY_TYPE, 0, "solid", NULL,
     "a homogeneous shape, instead of `mass`, `com` and `inertia` (2.2, 2.3)"},
    {"any_inertia", lwi_read_bool, AT(any_inertia), LWI_ONLY_TYPE, 0, "boolean", "false",
     "the inertia is used although no rigid body has it"},
    {"pose", read_pose, 0, LWI_ONLY_TYPE, 0, "pose", "as in ground",
     "where a floating body starts (2.6)"},
    {"velocity", read_velocity, 0, LWI_ONLY_TYPE, 0, "velocity", "at rest",
     "how a floating body starts (2.7)"},
};
#undef AT
const lwi_part_keys lwi_body_keys = LWI_PART("body", "body", "a body", body_fields);

/* docs/format.md 2.4: a solid determines everything; without one there must be a mass */
static bool check_solid(lwi_reader *r, const lwi_yaml_node *map)
{
  static const char *const beside[] = {"mass", "com", "inertia"};
  if (!lwi_yaml_find(map, "solid"))
    return lwi_yaml_find(map, "mass") ||
           lwi_read_fail(r, r->name, "a body needs `mass` or `solid`");
  for (int i = 0; i < LWI_COUNT(beside); i++) {
    const lwi_yaml_node *value = lwi_yaml_find(map, beside[i]);
    if (value)
      return lwi_read_fail(r, value, "`%s` cannot be combined with `solid`, which determines it",
                           beside[i]);
  }
  return true;
}

static bool read_body(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  body b = {.d.name = name->text};
  if (!lwi_read_fields(r, name, value, lwi_body_keys.table, &b) || !check_solid(r, value))
    return false;
  lwi_read_locate(r, name);
  lw_add_body(r->spec, &b.d);
  return lwi_read_check(r);
}

bool lwi_read_bodies(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "body", read_body);
}
