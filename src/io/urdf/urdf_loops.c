/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_loops.c -- <constraint>, as proposed for URDF: a joint that closes a loop.

     <constraint name="..." type="...">
       <parent link="..."/> <parent_origin xyz rpy/> <parent_axis xyz/>
       <child link="..."/> <child_origin xyz rpy/> <child_axis xyz/>
     </constraint> */
#include "io/urdf/urdf.h"

#include "io/robot/robot_frames.h"

#include <string.h>

static const struct {
  const char *name;
  lw_joint_type type;
} types[] = {
    {"fixed", LW_FIXED},         {"revolute", LW_REVOLUTE},   {"continuous", LW_REVOLUTE},
    {"prismatic", LW_PRISMATIC}, {"spherical", LW_SPHERICAL}, {"ball", LW_SPHERICAL},
};

static const char *const sides[2] = {"parent", "child"};
static const char *const origins[2] = {"parent_origin", "child_origin"};
static const char *const axes[2] = {"parent_axis", "child_axis"};

/* The frame of one side, with the axis as its z. */
static bool read_side(lwi_urdf *x, const lwi_xml_element *e, int k, bool axial, lwi_frame *out)
{
  lw_error *err = x->robot->err;
  double axis[3] = {1, 0, 0};
  const lwi_xml_element *written = lwi_xml_child(e, axes[k]);
  if (!written) written = lwi_xml_child(e, axes[1 - k]);
  if (!written) written = lwi_xml_child(e, "axis");
  if (!lwi_urdf_frame(lwi_xml_child(e, origins[k]), out, err)) return false;
  if (!axial) return true;
  if (written && !lwi_xml_read(written, "xyz", 3, axis, err)) return false;
  if (!lwi_normalise(axis)) return lwi_xml_fail(written, err, "the axis is zero");
  out->R = rot_mul(out->R, rot_aligning_z(axis));
  return true;
}

static bool close_constraint(lwi_urdf *x, const lwi_xml_element *e, lwi_listing *lost)
{
  const char *name = lwi_xml_get(e, "name"), *type = lwi_xml_get(e, "type");
  lwi_robot_joint j = {.name = name ? name : "constraint", .element = e, .axis = {0, 0, 1}};
  lwi_frame place[2];
  int link[2], t = 0;
  bool closed = false;
  const int known = (int)(sizeof types / sizeof *types);
  while (t < known && type && strcmp(types[t].name, type) != 0)
    t++;
  const bool usable = type && t < known;
  if (usable) j.type = types[t].type;
  for (int k = 0; k < 2 && usable; k++) {
    const char *written = lwi_xml_get(lwi_xml_child(e, sides[k]), "link");
    link[k] = written ? lwi_name_find(&x->link_names, written, strlen(written)) : -1;
    if (link[k] < 0) return lwi_listing_add(lost, j.name), true;
    link[k] = x->number[link[k]];
    if (!read_side(x, e, k, j.type == LW_REVOLUTE || j.type == LW_PRISMATIC, &place[k]))
      return false;
  }
  if (usable && !lwi_robot_close_loop(x->robot, &j, link, place, &closed)) return false;
  if (!closed) lwi_listing_add(lost, j.name);
  return true;
}

bool lwi_urdf_close_constraints(lwi_urdf *x)
{
  lwi_listing lost = {0};
  const lwi_xml_element *e = lwi_xml_child(x->robot->root, "constraint");
  for (; e; e = lwi_xml_find(e->next, "constraint"))
    if (!close_constraint(x, e, &lost)) return false;
  if (lost.n)
    lwi_robot_note(x->robot,
                   "constraints of other types than fixed, revolute, prismatic and spherical, of "
                   "links that are not there, or within one body are left out: %s",
                   lwi_listing_text(&lost));
  return true;
}
