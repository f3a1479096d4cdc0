/* SPDX-License-Identifier: Apache-2.0 */
/* read_contacts.c -- the section `contacts`. */
#include "io/read/read_common.h"
#include "linkwork/contacts.h"
#include "linkwork/reader.h"

#include <string.h>

enum { ONE = LWI_ONLY_TYPE };
#define AT(field) offsetof(lw_contact_desc, field)

/* The place of one side, which may be that of a point; a plane has a direction as well. */
static bool read_side(lwi_reader *r, const lwi_yaml_node *map, double at[3], double normal[3])
{
  const lwi_place_keys keys = {"body", "at", NULL};
  lw_orient turned = {.type = LW_ORIENT_NONE};
  if (!lwi_read_place_on(r, map, "body", at, normal ? &turned : NULL) ||
      !lwi_read_place_of_point(r, map, &keys, at, NULL))
    return false;
  return turned.type == LW_ORIENT_NONE ||
         lwi_read_fail(r, map,
                       "the ground of this file is turned where it is included: give the "
                       "plane to a body");
}

/* ---- what it is on ---- */

static bool read_plane(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const lwi_field fields[] = {
      {"body", lwi_read_body_or_point, AT(other), ONE, ONE},
      {"at", lwi_read_vector, AT(other_at), ONE, 0},
      {"normal", lwi_read_axis, AT(normal), ONE, 0},
  };
  const lwi_field_table shape = {"a plane", fields, LWI_COUNT(fields), 0};
  lw_contact_desc *d = to;
  d->on = LW_ON_PLANE;
  return lwi_read_fields(r, value, value, &shape, d) && read_side(r, value, d->other_at, d->normal);
}

static bool read_sphere(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const lwi_field fields[] = {
      {"body", lwi_read_body_or_point, AT(other), ONE, ONE},
      {"at", lwi_read_vector, AT(other_at), ONE, 0},
      {"radius", lwi_read_number, AT(other_radius), ONE, 0},
  };
  const lwi_field_table shape = {"a sphere", fields, LWI_COUNT(fields), 0};
  lw_contact_desc *d = to;
  d->on = LW_ON_SPHERE;
  return lwi_read_fields(r, value, value, &shape, d) && read_side(r, value, d->other_at, NULL);
}

/* {plane: ...} or {sphere: ...} */
static bool read_on(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const lwi_field fields[] = {
      {"plane", read_plane, 0, ONE, 0},
      {"sphere", read_sphere, 0, ONE, 0},
  };
  const lwi_field_table shape = {"`on`", fields, LWI_COUNT(fields), 0};
  if (!lwi_read_fields(r, value, value, &shape, to)) return false;
  return value->count == 1 || lwi_read_fail(r, value, "`on` needs one of `plane` and `sphere`");
}

/* ---- the body's side ---- */

static bool read_disc(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const lwi_field fields[] = {
      {"radius", lwi_read_positive, AT(radius), ONE, ONE},
      {"axis", lwi_read_turn, AT(axis), ONE, 0},
  };
  const lwi_field_table shape = {"a disc", fields, LWI_COUNT(fields), 0};
  lw_contact_desc *d = to;
  if (!lwi_read_fields(r, value, value, &shape, d)) return false;
  if (!lwi_yaml_find(value, "axis")) d->axis[2] = 1;
  return true;
}

static const lwi_field contact_fields[] = {
    {"body", lwi_read_body_or_point, AT(body), ONE, ONE},
    {"at", lwi_read_vector, AT(at), ONE, 0},
    {"radius", lwi_read_number, AT(radius), ONE, 0},
    {"disc", read_disc, 0, ONE, 0},
    {"on", read_on, 0, ONE, ONE},
    {"restitution", lwi_read_number, AT(restitution), ONE, 0},
    {"friction", lwi_read_number, AT(friction), ONE, 0},
};
#undef AT

static bool read_contact(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  const lwi_field_table shape = {"a contact", contact_fields, LWI_COUNT(contact_fields), 0};
  lw_contact_desc d = {.name = name->text};
  if (!lwi_read_fields(r, name, value, &shape, &d) || !read_side(r, value, d.at, NULL))
    return false;
  const lwi_yaml_node *disc = lwi_yaml_find(value, "disc"),
                      *radius = lwi_yaml_find(value, "radius");
  if (disc && radius) return lwi_read_fail(r, radius, "`disc` has a radius of its own");
  if (lwi_yaml_find(value, "friction"))
    return lwi_read_fail(r, lwi_yaml_find(value, "friction"),
                         "friction of contacts is not there yet");
  if (disc && d.on == LW_ON_SPHERE)
    return lwi_read_fail(r, disc, "a disc touches planes only; a sphere has a `radius`");
  lwi_read_locate(r, name);
  lw_add_contact(r->spec, &d);
  return lwi_read_check(r);
}

bool lwi_read_contacts(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "contact", read_contact);
}
