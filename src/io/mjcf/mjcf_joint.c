/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_joint.c -- <joint> and <freejoint>. */
#include "io/mjcf/mjcf.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static bool read_type(lwi_mjcf *x, const lwi_mjcf_item *item, lw_joint_type *out)
{
  static const struct {
    const char *name;
    lw_joint_type type;
  } types[] = {
      {"hinge", LW_REVOLUTE}, {"slide", LW_PRISMATIC}, {"ball", LW_SPHERICAL}, {"free", LW_FREE}};
  const char *type = lwi_mjcf_get(x, item, "type");
  *out = LW_REVOLUTE;
  if (strcmp(item->element->name, "freejoint") == 0) type = "free";
  for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, type) == 0) return *out = types[i].type, true;
  return !type ||
         lwi_xml_fail(item->element, x->robot.err, "there is no joint type \"%.40s\"", type);
}

static bool read_range(lwi_mjcf *x, const lwi_mjcf_item *item, double unit, lwi_robot_joint *out)
{
  double range[2] = {0};
  const bool given = lwi_mjcf_get(x, item, "range");
  if (!lwi_mjcf_read(x, item, "range", 2, range)) return false;
  if (!lwi_mjcf_flag(x, item, "limited", given && x->compiler.autolimits)) return true;
  if (range[0] >= range[1] || (out->type != LW_REVOLUTE && out->type != LW_PRISMATIC))
    return lwi_listing_add(&x->limits, out->name), true;
  out->has_lower = out->has_upper = true;
  out->lower = unit * range[0];
  out->upper = unit * range[1];
  return true;
}

static bool read_loads(lwi_mjcf *x, const lwi_mjcf_item *item, double unit, lwi_robot_joint *out)
{
  double rest = 0, stiffness[3] = {0}, damping[3] = {0};
  if (lwi_mjcf_numbers(x, item, "damping", 3, damping) < 0 ||
      !lwi_mjcf_read(x, item, "frictionloss", 1, &out->friction) ||
      !lwi_mjcf_read(x, item, "armature", 1, &out->armature) ||
      lwi_mjcf_numbers(x, item, "stiffness", 3, stiffness) < 0 ||
      !lwi_mjcf_read(x, item, "springref", 1, &rest) ||
      !lwi_mjcf_read(x, item, "springdamper", 2, out->springdamper))
    return false;
  out->damping = damping[0];
  out->stiffness = stiffness[0];
  out->rest = unit * rest;
  const bool rates = out->type == LW_REVOLUTE || out->type == LW_PRISMATIC;
  memcpy(out->higher, stiffness + 1, 2 * sizeof *stiffness);
  memcpy(out->higher + 2, damping + 1, 2 * sizeof *damping);
  const bool linear = stiffness[1] == 0 && stiffness[2] == 0 && damping[1] == 0 && damping[2] == 0;
  if (!rates) memset(out->higher, 0, sizeof out->higher);
  if (!rates && (!linear || out->springdamper[0] > 0 || out->friction != 0 || out->stiffness != 0))
    lwi_listing_add(&x->joint_loads, out->name);
  return (out->damping >= 0 && out->friction >= 0 && out->armature >= 0 && out->stiffness >= 0) ||
         lwi_xml_fail(item->element, x->robot.err,
                      "damping, frictionloss, armature or stiffness is negative");
}

/* With the inertia m that a joint alone moves in the reference configuration, time constant T and
   damping ratio z: stiffness m / (T z)^2, damping 2 m / T. */
bool lwi_mjcf_set_springs(lwi_mjcf *x)
{
  for (int i = 0; i < x->robot.njoint; i++) {
    lwi_robot_joint *j = &x->robot.joint[i];
    const double T = j->springdamper[0], z = j->springdamper[1];
    if (!(T > 0 && z > 0) || (j->type != LW_REVOLUTE && j->type != LW_PRISMATIC)) continue;
    double m;
    if (!lwi_robot_free_inertia(&x->robot, x->world, i, &m)) return false;
    j->stiffness = m / (T * T * z * z);
    j->damping = 2 * m / T;
  }
  return true;
}

bool lwi_mjcf_joint(lwi_mjcf *x, const lwi_xml_element *e, int within, lwi_frame place,
                    const char *name, lwi_robot_joint *out)
{
  lwi_mjcf_item item;
  const bool bare = strcmp(e->name, "freejoint") == 0; /* has no defaults */
  double pos[3] = {0}, axis[3] = {0, 0, 1}, reference = 0;
  *out = (lwi_robot_joint){.name = name, .element = e, .mimic = -1, .multiplier = 1};
  if (!lwi_mjcf_item_of(x, e, "joint", bare ? -1 : within, &item)) return false;
  if (bare) item.class = -1;
  if (!read_type(x, &item, &out->type) || !lwi_mjcf_read(x, &item, "pos", 3, pos) ||
      !lwi_mjcf_read(x, &item, "axis", 3, axis) || !lwi_mjcf_read(x, &item, "ref", 1, &reference))
    return false;
  const bool straight = out->type == LW_REVOLUTE || out->type == LW_PRISMATIC;
  if (straight && !lwi_normalise(axis)) return lwi_xml_fail(e, x->robot.err, "its axis is zero");
  const double unit = out->type == LW_REVOLUTE && x->compiler.degrees ? pi / 180 : 1;
  rot_mulv(place.R, axis, out->axis);
  if (out->type != LW_FREE) lwi_frame_point(place, pos, out->at);
  if (straight) out->reference = out->q[0] = unit * reference;
  const int n = lwi_mjcf_numbers(x, &item, "actuatorfrcrange", 2, out->strength);
  out->has_strength =
      n == 2 && lwi_mjcf_flag(x, &item, "actuatorfrclimited", x->compiler.autolimits);
  return n >= 0 && read_range(x, &item, unit, out) && read_loads(x, &item, unit, out);
}
