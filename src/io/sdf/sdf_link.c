/* SPDX-License-Identifier: Apache-2.0 */
/* sdf_link.c -- mass and shapes of a link. */
#include "io/sdf/sdf.h"

#include <string.h>

/* A link without <inertial>, or without parts of it, has those of the format: 1 kg and 1 kg m^2. */
bool lwi_sdf_mass(lwi_sdf *x, int frame, lwi_mass *out)
{
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const lwi_sdf_frame *f = &x->frame[frame];
  const lwi_xml_element *inertial = lwi_xml_child(f->element, "inertial");
  const lwi_xml_element *inertia = lwi_xml_child(inertial, "inertia");
  const char *automatic = lwi_xml_get(inertial, "auto");
  lwi_mass own = {.mass = 1, .inertia = {1, 1, 1, 0, 0, 0}};
  lwi_frame at;
  *out = (lwi_mass){0};
  if (f->fixed) return true;
  if (!inertial) lwi_listing_add(&x->no_inertial, f->full);
  if (automatic && automatic[0] == 't') lwi_listing_add(&x->automatic, f->full);
  if (!lwi_sdf_place(x, inertial ? inertial : x->robot.root, frame, &at) ||
      !lwi_sdf_read(x, inertial, "mass", 1, &own.mass))
    return false;
  for (int i = 0; i < 6; i++)
    if (!lwi_sdf_read(x, inertia, names[i], 1, &own.inertia[i])) return false;
  if (own.mass < 0)
    return lwi_xml_fail(inertial, x->robot.err, "the mass of \"%.80s\" is negative", f->full);
  lwi_mass_add(out, &own, at);
  return true;
}

/* ---- shapes ---- */

static bool read_geometry(lwi_sdf *x, const lwi_xml_element *geometry, lw_shape_desc *d)
{
  int type = 0;
  const lwi_xml_element *e = NULL;
  bool found;
  for (; type < LW_SHAPE_TYPE_COUNT && !e; type++)
    e = lwi_xml_child(geometry, lw_shape_type_name((lw_shape_type)type));
  if (!e) return x->robot.lost_shapes++, true;
  d->type = (lw_shape_type)(type - 1);
  d->scale[0] = d->scale[1] = d->scale[2] = 1;
  if (!lwi_sdf_read(x, e, "size", 3, d->size) || !lwi_sdf_read(x, e, "radii", 3, d->size) ||
      !lwi_sdf_read(x, e, "radius", 1, &d->radius) ||
      !lwi_sdf_read(x, e, "length", 1, &d->length) || !lwi_sdf_read(x, e, "scale", 3, d->scale))
    return false;
  for (int i = 0; i < 3 && d->type == LW_SHAPE_ELLIPSOID; i++)
    d->size[i] *= 2;
  if (d->type != LW_SHAPE_MESH) return true;
  d->file = lwi_sdf_text(x, e, "uri");
  if (!d->file) d->file = "";
  d->file = lwi_robot_find_file(&x->robot, x->robot.root->file, d->file, &found);
  return d->file || lwi_xml_no_memory(e, x->robot.err);
}

/* Three or four numbers; whatever else is written there is no colour. */
static void read_color(const lwi_xml_element *material, double color[4])
{
  lw_error unused;
  double rgba[4] = {0, 0, 0, 1};
  const lwi_xml_element *e = lwi_xml_child(material, "diffuse");
  if (e && lwi_xml_numbers(e, "color", e->text, 4, rgba, &unused) >= 3)
    memcpy(color, rgba, sizeof rgba);
}

bool lwi_sdf_shapes(lwi_sdf *x, int frame, int number)
{
  static const char *const kinds[2] = {"visual", "collision"};
  for (int k = 0; k < 2; k++) {
    const lwi_xml_element *e = lwi_xml_child(x->frame[frame].element, kinds[k]);
    for (; e; e = lwi_xml_find(e->next, kinds[k])) {
      const int lost = x->robot.lost_shapes;
      lwi_robot_shape s = {.element = e, .link = number, .spare = k == 1};
      s.d.name = lwi_xml_get(e, "name");
      const lwi_xml_element *geometry = lwi_xml_child(e, "geometry");
      if (lwi_xml_child(geometry, "plane")) continue;
      if (!lwi_sdf_place(x, e, frame, &s.place) || !read_geometry(x, geometry, &s.d)) return false;
      read_color(lwi_xml_child(e, "material"), s.d.color);
      if (x->robot.lost_shapes == lost && !lwi_robot_add_shape(&x->robot, &s)) return false;
    }
  }
  return true;
}
