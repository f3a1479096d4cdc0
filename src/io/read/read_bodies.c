/* SPDX-License-Identifier: Apache-2.0 */
/* read_bodies.c -- the section `bodies`: mass, com and inertia, or a solid; pose and velocity. */
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
    {"mass", lwi_read_positive, AT(mass), ANY_SOLID, ROD | POINT},
    {"density", lwi_read_positive, AT(density), DENSE, 0},
    {"at", lwi_read_vector, AT(at), ANY_SOLID, 0},
    {"axis", lwi_read_axis, AT(axis), ROD | CYLINDER, 0},
    {"size", lwi_read_size, AT(size), BOX, BOX},
    {"radius", lwi_read_positive, AT(radius), ROD | SPHERE | CYLINDER, SPHERE | CYLINDER},
    {"length", lwi_read_positive, AT(length), ROD | CYLINDER, ROD | CYLINDER},
};
#undef AT

static bool check_density(lwi_reader *r, const lwi_yaml_node *map, const lwi_field_table *shape)
{
  const bool mass = lwi_yaml_find(map, "mass"), density = lwi_yaml_find(map, "density");
  if (!(1 << shape->type & DENSE) || mass != density) return true;
  return lwi_read_fail(r, map, "%s needs %s", shape->what,
                       mass ? "`mass` or `density`, not both" : "`mass` or `density`");
}

static bool read_solid(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
#define NAME(type, name) [type] = name,
#define WHAT(type, name) [type] = "a " name,
  static const char *const names[] = {SOLIDS(NAME)}, *const what[] = {SOLIDS(WHAT)};
  lw_solid *solid = to;
  int type = LW_SOLID_NONE + 1;
  if (!lwi_read_is_map(r, value)) return false;
  if (value->count != 1)
    return lwi_read_fail(r, value, "`solid` takes one shape, found %d", value->count);
  const lwi_yaml_entry *e = value->entry;
  while (type < LWI_COUNT(names) && strcmp(names[type], e->key->text) != 0)
    type++;
  if (type == LWI_COUNT(names))
    return lwi_read_unknown(r, e->key, "solid", names + 1, LWI_COUNT(names) - 1);
  const lwi_field_table shape = {what[type], solid_fields, LWI_COUNT(solid_fields), type};
  solid->type = (lw_solid_type)type;
  r->key = names[type];
  if (!lwi_read_fields(r, e->key, e->value, &shape, solid)) return false;
  if (type == LW_SOLID_ROD && !lwi_yaml_find(e->value, "axis"))
    solid->axis[2] = r->scopes->item[value->scope].sign[2];
  return check_density(r, e->value, &shape);
}

/* ---- start ---- */

static bool read_pose(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const lwi_field fields[] = {
      {"at", lwi_read_vector, offsetof(lw_place, at), LWI_ONLY_TYPE, 0},
      {"orient", lwi_read_orient, offsetof(lw_place, orient), LWI_ONLY_TYPE, 0},
  };
  const lwi_field_table shape = {"a pose", fields, LWI_COUNT(fields), 0};
  body *b = to;
  b->d.start = &b->start;
  if (!lwi_read_fields(r, value, value, &shape, &b->start.pose)) return false;
  const lwi_yaml_node ground = lwi_read_ground_at(value);
  const char *base = lwi_scope_body(r->scopes, ground.scope, ground.text);
  if (!base) return lwi_read_no_memory(r);
  if (strcmp(base, "ground") != 0)
    return lwi_read_fail(r, value,
                         "the ground of this file is a body where it is included: a body that "
                         "floats cannot be placed on it, write a joint");
  return lwi_read_on_ground(r, &ground, b->start.pose.at, &b->start.pose.orient);
}

static bool read_velocity(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const lwi_field fields[] = {
      {"linear", lwi_read_vector, offsetof(lw_start, linear), LWI_ONLY_TYPE, 0},
      {"angular", lwi_read_angular, offsetof(lw_start, angular), LWI_ONLY_TYPE, 0},
  };
  const lwi_field_table shape = {"a velocity", fields, LWI_COUNT(fields), 0};
  body *b = to;
  b->d.start = &b->start;
  return lwi_read_fields(r, value, value, &shape, &b->start);
}

/* ---- bodies ---- */

#define AT(field) offsetof(body, d.field)
static const lwi_field body_fields[] = {
    {"mass", lwi_read_mass, AT(mass), LWI_ONLY_TYPE, 0},
    {"com", lwi_read_vector, AT(com), LWI_ONLY_TYPE, 0},
    {"inertia", read_inertia, AT(inertia), LWI_ONLY_TYPE, 0},
    {"solid", read_solid, AT(solid), LWI_ONLY_TYPE, 0},
    {"pose", read_pose, 0, LWI_ONLY_TYPE, 0},
    {"velocity", read_velocity, 0, LWI_ONLY_TYPE, 0},
};
#undef AT

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
  const lwi_field_table shape = {"a body", body_fields, LWI_COUNT(body_fields), 0};
  body b = {.d.name = name->text};
  if (!lwi_read_fields(r, name, value, &shape, &b) || !check_solid(r, value)) return false;
  lwi_read_locate(r, name);
  lw_add_body(r->spec, &b.d);
  return lwi_read_check(r);
}

bool lwi_read_bodies(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "body", read_body);
}
