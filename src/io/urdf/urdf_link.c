/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_link.c -- mass properties of a link. */
#include "io/urdf/urdf.h"

#include "io/robot/robot_frames.h"

#include <string.h>

bool lwi_urdf_origin(const lwi_xml_element *e, lwi_frame *out, lw_error *err)
{
  return lwi_urdf_frame(lwi_xml_child(e, "origin"), out, err);
}

bool lwi_urdf_frame(const lwi_xml_element *origin, lwi_frame *out, lw_error *err)
{
  double xyz[3] = {0}, rpy[3] = {0};
  *out = lwi_frame_identity();
  if (!origin) return true;
  if (!lwi_xml_read(origin, "xyz", 3, xyz, err) || !lwi_xml_read(origin, "rpy", 3, rpy, err))
    return false;
  memcpy(out->p, xyz, sizeof xyz);
  out->R = lwi_rot_rpy(rpy);
  return true;
}

bool lwi_urdf_mass(const lwi_xml_element *link, lwi_mass *out, lw_error *err)
{
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const lwi_xml_element *inertial = lwi_xml_child(link, "inertial");
  const lwi_xml_element *mass = lwi_xml_child(inertial, "mass");
  const lwi_xml_element *inertia = lwi_xml_child(inertial, "inertia");
  lwi_mass own = {0};
  lwi_frame at;
  *out = own;
  if (!inertial) return true;
  if (!lwi_urdf_origin(inertial, &at, err)) return false;
  if (mass && !lwi_xml_number(mass, "value", &own.mass, err)) return false;
  for (int i = 0; i < 6 && inertia; i++)
    if (!lwi_xml_number(inertia, names[i], &own.inertia[i], err)) return false;
  if (own.mass < 0)
    return lwi_xml_fail(mass, err, "the mass of \"%.80s\" is negative", lwi_xml_get(link, "name"));
  lwi_mass_add(out, &own, at);
  if (own.mass == 0) memcpy(out->com, at.p, sizeof out->com);
  return true;
}
