/* SPDX-License-Identifier: Apache-2.0 */
/* read_contacts.c -- the section `contacts`. */
#include "io/read/key_tables.h"
#include "linkwork/contacts.h"
#include "linkwork/reader.h"
#include "model/spec/spec_data.h"

#include <math.h>
#include <stdio.h>
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

static const lwi_field plane_fields[] = {
    {"body", lwi_read_body_or_point, AT(other), ONE, ONE, "body or point", NULL,
     "that it is fixed to"},
    {"at", lwi_read_vector, AT(other_at), ONE, 0, "vector", "origin", "a point of the plane"},
    {"normal", lwi_read_axis, AT(normal), ONE, 0, "axis", "z", "points to its outside"},
};
static const lwi_field sphere_fields[] = {
    {"body", lwi_read_body_or_point, AT(other), ONE, ONE, "body or point", NULL,
     "that it is fixed to"},
    {"at", lwi_read_vector, AT(other_at), ONE, 0, "vector", "origin", "its centre"},
    {"radius", lwi_read_number, AT(other_radius), ONE, 0, "number", "0", "its radius"},
};
const lwi_part_keys lwi_plane_keys = LWI_PART("plane", "contact", "a plane", plane_fields);
const lwi_part_keys lwi_sphere_keys = LWI_PART("sphere", "contact", "a sphere", sphere_fields);

static bool read_plane(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_contact_desc *d = to;
  d->on = LW_ON_PLANE;
  return lwi_read_fields(r, value, value, lwi_plane_keys.table, d) &&
         read_side(r, value, d->other_at, d->normal);
}

static bool read_sphere(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_contact_desc *d = to;
  d->on = LW_ON_SPHERE;
  return lwi_read_fields(r, value, value, lwi_sphere_keys.table, d) &&
         read_side(r, value, d->other_at, NULL);
}

static const lwi_field on_fields[] = {
    {"plane", read_plane, 0, ONE, 0, "plane", "none", "a plane, or"},
    {"sphere", read_sphere, 0, ONE, 0, "sphere", "none", "a sphere"},
};
const lwi_part_keys lwi_on_keys = LWI_PART("surface", "contact", "`on`", on_fields);

/* {plane: ...} or {sphere: ...} */
static bool read_on(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  if (!lwi_read_fields(r, value, value, lwi_on_keys.table, to)) return false;
  return value->count == 1 || lwi_read_fail(r, value, "`on` needs one of `plane` and `sphere`");
}

/* ---- the body's side ---- */

static const lwi_field disc_fields[] = {
    {"radius", lwi_read_positive, AT(radius), ONE, ONE, "number", NULL, "its radius"},
    {"axis", lwi_read_turn, AT(axis), ONE, 0, "axis", "z", "its axis, in the body's frame"},
};
const lwi_part_keys lwi_disc_keys = LWI_PART("disc", "contact", "a disc", disc_fields);

static bool read_disc(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_contact_desc *d = to;
  if (!lwi_read_fields(r, value, value, lwi_disc_keys.table, d)) return false;
  if (!lwi_yaml_find(value, "axis")) d->axis[2] = 1;
  return true;
}

static const lwi_field contact_fields[] = {
    {"body", lwi_read_body_or_point, AT(body), ONE, ONE, "body or point", NULL, "that touches"},
    {"at", lwi_read_vector, AT(at), ONE, 0, "vector", "origin", "where, in the body's frame"},
    {"radius", lwi_read_number, AT(radius), ONE, 0, "number", "0", "of a sphere about this point"},
    {"disc", read_disc, 0, ONE, 0, "disc", "none", "a circle about it, instead of a sphere"},
    {"on", read_on, 0, ONE, ONE, "surface", NULL, "what it touches"},
    {"restitution", lwi_read_number, AT(restitution), ONE, 0, "number", "0", "of impacts, 0 to 1"},
    {"friction", lwi_read_number, AT(friction), ONE, 0, "number", "0", "Coulomb's coefficient"},
    {"stiffness", lwi_read_positive, AT(stiffness), ONE, 0, "number", "rigid",
     "makes the contact compliant (14.4)"},
    {"damping", lwi_read_number, AT(damping), ONE, 0, "number", "0", "of a compliant contact, s/m"},
    {"exponent", lwi_read_positive, AT(exponent), ONE, 0, "number", "1.5",
     "of the depth, of a compliant contact"},
    {"slip_speed", lwi_read_positive, AT(slip_speed), ONE, 0, "number", "none",
     "scale of the slip of friction of a compliant contact"},
};
#undef AT
const lwi_part_keys lwi_contact_keys = LWI_PART("contact", "contact", "a contact", contact_fields);

/* N/m^exponent, where the exponent is a number of which units have powers */
static void measure_stiffness(lwi_reader *r, const lw_contact_desc *d)
{
  char unit[32];
  const double n = d->exponent == 0 ? 1.5 : d->exponent;
  if (!(n > 0 && n < 9) || 2 * n != rint(2 * n)) return;
  snprintf(unit, sizeof unit, "N/m^%g", n);
  lwi_spec_expect(r->spec, d->stiffness, unit);
}

static bool read_contact(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  lw_contact_desc d = {.name = name->text};
  if (!lwi_read_fields(r, name, value, lwi_contact_keys.table, &d) ||
      !read_side(r, value, d.at, NULL))
    return false;
  const lwi_yaml_node *disc = lwi_yaml_find(value, "disc"),
                      *radius = lwi_yaml_find(value, "radius");
  if (disc && radius) return lwi_read_fail(r, radius, "`disc` has a radius of its own");
  if (disc && d.on == LW_ON_SPHERE)
    return lwi_read_fail(r, disc, "a disc touches planes only; a sphere has a `radius`");
  measure_stiffness(r, &d);
  lwi_read_locate(r, name);
  lw_add_contact(r->spec, &d);
  return lwi_read_check(r);
}

bool lwi_read_contacts(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "contact", read_contact);
}
