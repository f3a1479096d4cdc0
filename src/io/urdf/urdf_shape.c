/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_shape.c -- <visual> and <collision>: what a link looks like.  A file need not be complete
   here: a shape that cannot be understood is left out. */
#include "io/urdf/urdf.h"

#include <stdlib.h>
#include <string.h>

/* ---- colours by the names of materials ---- */

void lwi_urdf_colors_free(lwi_urdf_colors *c)
{
  lwi_name_index_free(&c->names);
  free(c->color);
}

/* The first of each name that has a colour counts. */
static bool list_color(lwi_robot *r, const lwi_xml_element *material, lwi_urdf_colors *c)
{
  const char *name = lwi_xml_get(material, "name");
  const lwi_xml_element *color = lwi_xml_child(material, "color");
  const int n = c->names.n;
  if (!name || !color) return true;
  if (!lwi_grow(&c->color, n, &c->capacity, sizeof *c->color) ||
      lwi_name_add(&c->names, name, strlen(name)) < 0)
    return lwi_xml_no_memory(material, r->err);
  if (c->names.n > n) c->color[n] = color;
  return true;
}

bool lwi_urdf_list_colors(lwi_robot *r, lwi_urdf_colors *c)
{
  const lwi_xml_element *e = lwi_xml_child(r->root, "material");
  for (; e; e = lwi_xml_find(e->next, "material"))
    if (!list_color(r, e, c)) return false;
  e = lwi_xml_child(r->root, "link");
  for (; e; e = lwi_xml_find(e->next, "link")) {
    const lwi_xml_element *v = lwi_xml_child(e, "visual");
    for (; v; v = lwi_xml_find(v->next, "visual"))
      if (!list_color(r, lwi_xml_child(v, "material"), c)) return false;
  }
  return true;
}

static void read_color(const lwi_urdf_colors *c, const lwi_xml_element *visual, double color[4])
{
  lw_error unused;
  const lwi_xml_element *material = lwi_xml_child(visual, "material");
  const lwi_xml_element *e = lwi_xml_child(material, "color");
  const char *name = lwi_xml_get(material, "name");
  const int known = name ? lwi_name_find(&c->names, name, strlen(name)) : -1;
  if (!e && known >= 0) e = c->color[known];
  if (e) lwi_xml_read(e, "rgba", 4, color, &unused);
}

/* ---- shapes ---- */

/* A shape is no reason to refuse a robot: false if it cannot be understood. */
static bool read_geometry(const lwi_xml_element *geometry, lw_shape_desc *d)
{
  lw_error unused;
  int type = 0;
  const lwi_xml_element *e = geometry ? geometry->first : NULL;
  while (e && type < LW_SHAPE_TYPE_COUNT &&
         strcmp(e->name, lw_shape_type_name((lw_shape_type)type)) != 0)
    type++;
  if (!e || type == LW_SHAPE_TYPE_COUNT) return false;
  d->type = (lw_shape_type)type;
  d->file = lwi_xml_get(e, "filename");
  d->scale[0] = d->scale[1] = d->scale[2] = 1;
  return (type != LW_SHAPE_MESH || d->file) && lwi_xml_read(e, "size", 3, d->size, &unused) &&
         lwi_xml_number(e, "radius", &d->radius, &unused) &&
         lwi_xml_number(e, "length", &d->length, &unused) &&
         lwi_xml_read(e, "scale", 3, d->scale, &unused);
}

static bool add_shape(lwi_robot *r, const lwi_urdf_colors *c, lwi_robot_shape *s)
{
  lw_error unused;
  const lwi_xml_element *e = s->element;
  bool found;
  s->d.name = lwi_xml_get(e, "name");
  if (!lwi_urdf_origin(e, &s->place, &unused) ||
      !read_geometry(lwi_xml_child(e, "geometry"), &s->d))
    return r->lost_shapes++, true;
  if (s->d.file && !(s->d.file = lwi_robot_find_file(r, r->root->file, s->d.file, &found)))
    return lwi_xml_no_memory(e, r->err);
  read_color(c, e, s->d.color);
  return lwi_robot_add_shape(r, s);
}

bool lwi_urdf_shapes(lwi_robot *r, const lwi_urdf_colors *c, const lwi_xml_element *link,
                     int number)
{
  static const char *const kinds[2] = {"visual", "collision"};
  for (int k = 0; k < 2; k++) {
    const lwi_xml_element *e = lwi_xml_child(link, kinds[k]);
    for (; e; e = lwi_xml_find(e->next, kinds[k])) {
      lwi_robot_shape s = {.element = e, .link = number, .spare = k == 1};
      if (!add_shape(r, c, &s)) return false;
    }
  }
  return true;
}
