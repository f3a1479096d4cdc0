/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_gain.c -- gain, bias and dynamics of an actuator.

   All kinds of actuators are one record in MuJoCo, and so are those of a default class: each element
   sets what it names, from the outermost class inward, and keeps what others have set.  The kp of a
   position actuator may be the gainprm of a general one. */
#include "io/mjcf/mjcf_gain.h"

#include <string.h>

static const char *const kinds[] = {
    [LWI_MJCF_GENERAL] = "general",   [LWI_MJCF_MOTOR] = "motor",
    [LWI_MJCF_POSITION] = "position", [LWI_MJCF_VELOCITY] = "velocity",
    [LWI_MJCF_DAMPER] = "damper",     [LWI_MJCF_INTVELOCITY] = "intvelocity",
    [LWI_MJCF_CYLINDER] = "cylinder",
};

int lwi_mjcf_actuator_kind(const char *name)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i], name) == 0) return (int)i;
  return -1;
}

/* The next <default> that belongs to the same class: there may be several outermost ones. */
static const lwi_xml_element *next_part(const lwi_mjcf_class *c, const lwi_xml_element *part)
{
  return c->parent < 0 ? lwi_xml_find(part->next, "default") : NULL;
}

const char *lwi_mjcf_actuator_get(const lwi_mjcf *x, const lwi_mjcf_item *item, const char *name)
{
  const char *value = lwi_xml_get(item->element, name);
  for (int i = item->class; !value && i >= 0; i = x->classes[i].parent) {
    const lwi_mjcf_class *c = &x->classes[i];
    for (const lwi_xml_element *part = c->element; part; part = next_part(c, part))
      for (const lwi_xml_element *e = part->first; e; e = e->next) {
        const char *here = lwi_mjcf_actuator_kind(e->name) < 0 ? NULL : lwi_xml_get(e, name);
        if (here) value = here;
      }
  }
  return value;
}

/* ---- what an element sets ---- */

static bool read_numbers(const lwi_xml_element *e, const char *name, int most, double out[],
                         lw_error *err)
{
  double given[10];
  const char *text = lwi_xml_get(e, name);
  const int n = text ? lwi_xml_numbers(e, name, text, 10, given, err) : 0;
  if (n > 0) memcpy(out, given, (size_t)(n < most ? n : most) * sizeof *out);
  return n >= 0;
}

static void set_text(const lwi_xml_element *e, const char *name, const char **out)
{
  const char *text = lwi_xml_get(e, name);
  if (text) *out = text;
}

static bool set_general(const lwi_xml_element *e, lwi_mjcf_gain *g, lw_error *err)
{
  set_text(e, "gaintype", &g->gaintype);
  set_text(e, "biastype", &g->biastype);
  set_text(e, "dyntype", &g->dyntype);
  return read_numbers(e, "gainprm", 3, g->gain, err) &&
         read_numbers(e, "biasprm", 3, g->bias, err) && read_numbers(e, "dynprm", 1, &g->time, err);
}

static bool set_position(const lwi_xml_element *e, bool integrated, lwi_mjcf_gain *g, lw_error *err)
{
  double kv = -g->bias[2];
  if (!lwi_xml_number(e, "kp", &g->gain[0], err) || !lwi_xml_number(e, "kv", &kv, err) ||
      !lwi_xml_number(e, "dampratio", &g->dampratio, err) ||
      !lwi_xml_number(e, "timeconst", &g->time, err))
    return false;
  if (lwi_xml_get(e, "kv")) g->dampratio = 0;
  if (lwi_xml_get(e, "timeconst")) g->dyntype = g->time > 0 ? "filterexact" : "none";
  if (integrated) g->dyntype = "integrator";
  g->gaintype = "fixed";
  g->biastype = "affine";
  g->bias[1] = -g->gain[0];
  g->bias[2] = -kv;
  return true;
}

static bool set_velocity(const lwi_xml_element *e, lwi_mjcf_gain *g, lw_error *err)
{
  if (!lwi_xml_number(e, "kv", &g->gain[0], err)) return false;
  g->gaintype = "fixed";
  g->biastype = "affine";
  g->dyntype = "none";
  g->bias[0] = g->bias[1] = 0;
  g->bias[2] = -g->gain[0];
  return true;
}

static bool set_damper(const lwi_xml_element *e, lwi_mjcf_gain *g, lw_error *err)
{
  double kv = strcmp(g->gaintype, "affine") == 0 ? -g->gain[2] : 0;
  if (!lwi_xml_number(e, "kv", &kv, err)) return false;
  g->gaintype = "affine";
  g->biastype = g->dyntype = "none";
  g->gain[0] = g->gain[1] = 0;
  g->gain[2] = -kv;
  return true;
}

static bool set_cylinder(const lwi_xml_element *e, lwi_mjcf_gain *g, lw_error *err)
{
  double diameter = -1;
  if (!lwi_xml_number(e, "timeconst", &g->time, err) ||
      !lwi_xml_number(e, "area", &g->gain[0], err) ||
      !lwi_xml_number(e, "diameter", &diameter, err) || !read_numbers(e, "bias", 3, g->bias, err))
    return false;
  if (diameter >= 0) g->gain[0] = 3.14159265358979323846 / 4 * diameter * diameter;
  g->gaintype = "fixed";
  g->biastype = "affine";
  g->dyntype = "filter";
  return true;
}

static bool set(const lwi_xml_element *e, lwi_mjcf_gain *g, lw_error *err)
{
  switch (lwi_mjcf_actuator_kind(e->name)) {
  case LWI_MJCF_GENERAL: return set_general(e, g, err);
  case LWI_MJCF_MOTOR:
    g->gain[0] = 1;
    g->gaintype = "fixed";
    g->biastype = g->dyntype = "none";
    return true;
  case LWI_MJCF_POSITION: return set_position(e, false, g, err);
  case LWI_MJCF_INTVELOCITY: return set_position(e, true, g, err);
  case LWI_MJCF_VELOCITY: return set_velocity(e, g, err);
  case LWI_MJCF_DAMPER: return set_damper(e, g, err);
  case LWI_MJCF_CYLINDER: return set_cylinder(e, g, err);
  default: return true;
  }
}

static bool set_by_class(const lwi_mjcf *x, int class, lwi_mjcf_gain *g)
{
  if (class < 0) return true;
  const lwi_mjcf_class *c = &x->classes[class];
  if (!set_by_class(x, c->parent, g)) return false;
  for (const lwi_xml_element *part = c->element; part; part = next_part(c, part))
    for (const lwi_xml_element *e = part->first; e; e = e->next)
      if (!set(e, g, x->robot.err)) return false;
  return true;
}

bool lwi_mjcf_read_gain(const lwi_mjcf *x, const lwi_mjcf_item *item, lwi_mjcf_gain *out)
{
  *out = (lwi_mjcf_gain){
      .gain = {1}, .time = 1, .gaintype = "fixed", .biastype = "none", .dyntype = "none"};
  if (!set_by_class(x, item->class, out) || !set(item->element, out, x->robot.err)) return false;
  if (strcmp(out->gaintype, "affine") != 0) out->gain[1] = out->gain[2] = 0;
  if (strcmp(out->biastype, "affine") != 0) memset(out->bias, 0, sizeof out->bias);
  return true;
}
