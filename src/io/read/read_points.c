/* SPDX-License-Identifier: Apache-2.0 */
/* read_points.c -- the section `points`, and points that stand for a body and a place of it. */
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"

#define AT(field) offsetof(lw_point_desc, field)
static const lwi_field point_fields[] = {
    {"body", lwi_read_body, AT(body), LWI_ONLY_TYPE, LWI_ONLY_TYPE, "body", NULL,
     "what it is fixed to; `ground` is a body"},
    {"at", lwi_read_vector, AT(place.at), LWI_ONLY_TYPE, 0, "vector", "origin",
     "where, in the body's frame"},
    {"orient", lwi_read_orient, AT(place.orient), LWI_ONLY_TYPE, 0, "orientation", "aligned",
     "its axes"},
};
#undef AT
const lwi_part_keys lwi_point_keys = LWI_PART("point", "point", "a point", point_fields);

static bool read_point(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  lw_point_desc d = {.name = name->text};
  if (!lwi_read_fields(r, name, value, lwi_point_keys.table, &d)) return false;
  if (!lwi_read_place_on(r, value, "body", d.place.at, &d.place.orient)) return false;
  lwi_read_locate(r, name);
  lw_add_point(r->spec, &d);
  return lwi_read_check(r);
}

bool lwi_read_points(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "point", read_point);
}

lw_point lwi_read_find_point(lwi_reader *r, const lwi_yaml_node *value)
{
  const char *name = lwi_read_whole_name(r, value);
  return name ? lw_spec_find_point(r->spec, name) : (lw_point){-1};
}

bool lwi_read_body_or_point(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  const bool word = value->kind == LWI_YAML_SCALAR;
  const lw_point p = word ? lwi_read_find_point(r, value) : (lw_point){-1};
  if (p.id < 1) return lwi_read_body(r, value, to);
  return lw_spec_get_point(r->spec, p, to, NULL) == LW_OK;
}

bool lwi_read_place_of_point(lwi_reader *r, const lwi_yaml_node *map, const lwi_place_keys *keys,
                             double at[3], lw_orient *orient)
{
  const lwi_yaml_node *value = lwi_yaml_find(map, keys->body);
  const bool word = value && value->kind == LWI_YAML_SCALAR;
  const lw_point p = word ? lwi_read_find_point(r, value) : (lw_point){-1};
  lw_place place;
  if (lw_spec_get_point(r->spec, p, NULL, &place) != LW_OK) return true;
  const lwi_yaml_node *own = lwi_yaml_find(map, keys->at);
  if (!own && orient && place.orient.type != LW_ORIENT_NONE) own = lwi_yaml_find(map, keys->orient);
  if (own)
    return lwi_read_fail(r, own, "`%s: %.60s` is a point, which says where: leave out `%s`",
                         keys->body, value->text,
                         own == lwi_yaml_find(map, keys->at) ? keys->at : keys->orient);
  for (int i = 0; i < 3; i++)
    at[i] = place.at[i];
  if (orient && place.orient.type != LW_ORIENT_NONE) *orient = place.orient;
  return true;
}

bool lwi_read_places_of_points(lwi_reader *r, const lwi_yaml_node *map, lw_place *parent,
                               lw_place *child)
{
  static const lwi_place_keys keys[2] = {{"parent", "at", "orient"},
                                         {"child", "child_at", "child_orient"}};
  return lwi_read_place_of_point(r, map, &keys[0], parent->at, &parent->orient) &&
         lwi_read_place_of_point(r, map, &keys[1], child->at, &child->orient);
}

bool lwi_read_is_point(lwi_reader *r, const lwi_yaml_node *map, const char *key)
{
  const lwi_yaml_node *value = lwi_yaml_find(map, key);
  return value && value->kind == LWI_YAML_SCALAR && lwi_read_find_point(r, value).id > 0;
}
