/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_joint.c -- a joint: type, axis, limits, damping and friction, mimic. */
#include "io/urdf/urdf.h"

#include "io/robot/robot_frames.h"

#include <string.h>

static const struct {
  const char *name;
  lw_joint_type type;
} types[] = {
    {"fixed", LW_FIXED},         {"revolute", LW_REVOLUTE}, {"continuous", LW_REVOLUTE},
    {"prismatic", LW_PRISMATIC}, {"planar", LW_PLANAR},     {"floating", LW_FREE},
    {"spherical", LW_SPHERICAL}, {"ball", LW_SPHERICAL},
};

static bool read_type(const lwi_xml_element *e, lwi_urdf_joint *out, lw_error *err)
{
  const char *type = lwi_xml_get(e, "type");
  if (!type) return lwi_xml_fail(e, err, "the joint \"%.80s\" has no type", out->d.name);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, type) == 0) {
      out->d.type = types[i].type;
      out->fixed = types[i].type == LW_FIXED;
      return true;
    }
  return lwi_xml_fail(e, err,
                      "the joint \"%.80s\" has the type \"%.40s\"; known are fixed, revolute, "
                      "continuous, prismatic, planar, floating and spherical",
                      out->d.name, type);
}

static bool read_axis(const lwi_xml_element *e, lwi_urdf_joint *out, lw_error *err)
{
  const lwi_xml_element *axis = lwi_xml_child(e, "axis");
  const bool needed =
      out->d.type == LW_REVOLUTE || out->d.type == LW_PRISMATIC || out->d.type == LW_PLANAR;
  out->d.axis[0] = 1;
  if (!axis || !needed) return true;
  if (!lwi_xml_read(axis, "xyz", 3, out->d.axis, err)) return false;
  return lwi_normalise(out->d.axis) ||
         lwi_xml_fail(axis, err, "the axis of joint \"%.80s\" is zero", out->d.name);
}

/* A revolute joint whose limits leave no range is taken for one without limits. */
static bool read_limit(const lwi_xml_element *e, lwi_urdf_joint *out, lw_error *err)
{
  const lwi_xml_element *limit = lwi_xml_child(e, "limit");
  const char *type = lwi_xml_get(e, "type");
  const bool ranged = strcmp(type, "revolute") == 0 || strcmp(type, "prismatic") == 0;
  lwi_robot_joint *d = &out->d;
  if (!limit) return true;
  out->strength = lwi_xml_get(limit, "effort") || lwi_xml_get(limit, "velocity");
  const char *lower = lwi_xml_get(limit, "lower"), *upper = lwi_xml_get(limit, "upper");
  if (!ranged || (!lower && !upper)) return true;
  if (!lwi_xml_number(limit, "lower", &d->lower, err) ||
      !lwi_xml_number(limit, "upper", &d->upper, err))
    return false;
  out->odd_limits = d->lower >= d->upper;
  d->has_lower = d->has_upper = !out->odd_limits;
  return true;
}

static bool read_dynamics(const lwi_xml_element *e, lwi_urdf_joint *out, lw_error *err)
{
  const lwi_xml_element *dynamics = lwi_xml_child(e, "dynamics");
  lwi_robot_joint *d = &out->d;
  if (!dynamics) return true;
  if (!lwi_xml_number(dynamics, "damping", &d->damping, err) ||
      !lwi_xml_number(dynamics, "friction", &d->friction, err))
    return false;
  return (d->damping >= 0 && d->friction >= 0) ||
         lwi_xml_fail(dynamics, err, "damping or friction of joint \"%.80s\" is negative", d->name);
}

static bool read_mimic(const lwi_xml_element *e, lwi_urdf_joint *out, lw_error *err)
{
  const lwi_xml_element *mimic = lwi_xml_child(e, "mimic");
  lwi_robot_joint *d = &out->d;
  d->multiplier = 1;
  if (!mimic) return true;
  out->mimics = lwi_xml_get(mimic, "joint");
  if (!out->mimics) out->mimics = "";
  return lwi_xml_number(mimic, "multiplier", &d->multiplier, err) &&
         lwi_xml_number(mimic, "offset", &d->offset, err);
}

bool lwi_urdf_read_joint(const lwi_xml_element *e, lwi_urdf_joint *out, lw_error *err)
{
  const char *name = lwi_xml_get(e, "name");
  *out = (lwi_urdf_joint){.d = {.name = name, .element = e, .mimic = -1}};
  if (!name) return lwi_xml_fail(e, err, "the joint has no name");
  if (!read_type(e, out, err) || !lwi_urdf_origin(e, &out->place, err)) return false;
  return read_axis(e, out, err) && read_limit(e, out, err) && read_dynamics(e, out, err) &&
         read_mimic(e, out, err);
}
