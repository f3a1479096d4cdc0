/* SPDX-License-Identifier: Apache-2.0 */
/* read_shapes.c -- the section `shapes`: what bodies look like. */
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "linkwork/shapes.h"

enum {
  BOX = 1 << LW_SHAPE_BOX,
  ELLIPSOID = 1 << LW_SHAPE_ELLIPSOID,
  LONG = 1 << LW_SHAPE_CYLINDER | 1 << LW_SHAPE_CAPSULE,
  ROUND = LONG | 1 << LW_SHAPE_SPHERE,
  MESH = 1 << LW_SHAPE_MESH,
  ANY = BOX | ELLIPSOID | ROUND | MESH
};

/* The image of p' = M p, M = diag(sign), of a mesh turned by M R M: its vertices are those of M. */
static bool read_scale(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return lwi_read_triple(r, value, to) && lwi_read_polar(r, value, to);
}

static bool read_color(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *color = to;
  if (value->kind != LWI_YAML_LIST || (value->count != 3 && value->count != 4))
    return lwi_read_expected(r, value, "a list of 3 or 4 numbers, from 0 to 1");
  color[3] = 1;
  return lwi_read_numbers(r, value, color, value->count);
}

static bool read_file(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  const char *name, **path = to;
  if (!lwi_read_text(r, value, &name)) return false;
  *path = lwi_read_path(r, value, name);
  return *path != NULL;
}

#define AT(field) offsetof(lw_shape_desc, field)
static const lwi_field shape_fields[] = {
    {"type", lwi_read_nothing, 0, ANY, 0, "type", NULL, "which of the types below"},
    {"body", lwi_read_body_or_point, AT(body), ANY, ANY, "body or point", NULL,
     "whose shape it is; `ground` is a body"},
    {"name", lwi_read_text, AT(name), ANY, 0, "text", "none", "for viewers"},
    {"at", lwi_read_vector, AT(place.at), ANY, 0, "vector", "origin",
     "its centre, in the body's frame; of a mesh: the origin of its coordinates"},
    {"orient", lwi_read_orient, AT(place.orient), ANY, 0, "orientation", "aligned", "its axes"},
    {"size", lwi_read_size, AT(size), BOX | ELLIPSOID, BOX | ELLIPSOID, "list of 3 numbers", NULL,
     "whole extent along x, y, z"},
    {"radius", lwi_read_positive, AT(radius), ROUND, ROUND, "number", NULL, "its radius"},
    {"length", lwi_read_positive, AT(length), LONG, LONG, "number", NULL,
     "along its z; of a capsule without the half spheres at its ends"},
    {"file", read_file, AT(file), MESH, MESH, "text", NULL,
     "the mesh (STL, OBJ), as seen from the file that names it; opened by what draws"},
    {"scale", read_scale, AT(scale), MESH, 0, "number or list of 3 numbers", "1",
     "factor of its vertices"},
    {"color", read_color, AT(color), ANY, 0, "list of numbers", "none",
     "red, green, blue and perhaps opacity, from 0 to 1"},
};
#undef AT

#define NAME(type, name) name,
#define TABLE(type, name) {"a " name, shape_fields, LWI_COUNT(shape_fields), type},
static const char *const shape_names[] = {LW_SHAPE_TYPES(NAME)};
static const lwi_field_table shape_tables[] = {LW_SHAPE_TYPES(TABLE)};
#undef NAME
#undef TABLE
const lwi_part_keys lwi_shape_keys = {"shape",     "shape", shape_tables, LWI_COUNT(shape_tables),
                                      shape_names, false,   NULL};

static bool read_shape(lwi_reader *r, const lwi_yaml_node *map)
{
  static const lwi_place_keys keys = {"body", "at", "orient"};
  lw_shape_desc d = {.name = NULL};
  int type;
  if (!lwi_read_type(r, map, shape_names, LWI_COUNT(shape_names), &type)) return false;
  d.type = (lw_shape_type)type;
  if (!lwi_read_fields(r, map, map, &shape_tables[type], &d)) return false;
  if (!lwi_read_place_of_point(r, map, &keys, d.place.at, &d.place.orient)) return false;
  if (!lwi_read_place_on(r, map, "body", d.place.at, &d.place.orient)) return false;
  lwi_read_locate(r, map);
  lw_add_shape(r->spec, &d);
  return lwi_read_check(r);
}

bool lwi_read_shapes(lwi_reader *r, const lwi_yaml_node *section)
{
  if (section->kind != LWI_YAML_LIST) return lwi_read_expected(r, section, "a list");
  for (int i = 0; i < section->count; i++) {
    r->kind = "shape";
    r->number = i + 1;
    r->name = section->item[i];
    r->key = "shapes";
    if (!lwi_read_is_map(r, r->name) || !read_shape(r, r->name)) return false;
  }
  r->kind = NULL;
  r->number = 0;
  return true;
}
