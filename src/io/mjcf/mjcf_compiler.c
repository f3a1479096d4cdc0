/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_compiler.c -- <compiler>: how the file is meant; <option>: gravity. */
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

static bool is(const lwi_xml_element *e, const char *name, const char *value)
{
  const char *given = lwi_xml_get(e, name);
  return given && strcmp(given, value) == 0;
}

static bool read_eulerseq(lwi_mjcf *x, const lwi_xml_element *e)
{
  const char *order = lwi_xml_get(e, "eulerseq");
  if (!order) return true;
  if (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3)
    return lwi_xml_fail(e, x->robot.err, "eulerseq=\"%.40s\" is not three of xyzXYZ", order);
  snprintf(x->compiler.eulerseq, sizeof x->compiler.eulerseq, "%s", order);
  return true;
}

/* Later elements, of included files too, replace attributes of earlier ones. */
static bool read_compiler(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_mjcf_compiler *c = &x->compiler;
  lw_error *err = x->robot.err;
  const char *dir = lwi_xml_get(e, "meshdir");
  if (!dir) dir = lwi_xml_get(e, "assetdir");
  if (dir) c->meshdir = dir;
  if (lwi_xml_get(e, "angle")) c->degrees = !is(e, "angle", "radian");
  if (lwi_xml_get(e, "autolimits")) c->autolimits = is(e, "autolimits", "true");
  if (lwi_xml_get(e, "exactmeshinertia")) c->exact_meshes = is(e, "exactmeshinertia", "true");
  if (lwi_xml_get(e, "fitaabb")) c->fit_box = is(e, "fitaabb", "true");
  if (lwi_xml_get(e, "balanceinertia")) c->balance = is(e, "balanceinertia", "true");
  if (is(e, "inertiafromgeom", "true")) c->from_geoms = LWI_MJCF_GEOM_ALWAYS;
  if (is(e, "inertiafromgeom", "false")) c->from_geoms = LWI_MJCF_GEOM_NEVER;
  if (is(e, "inertiafromgeom", "auto")) c->from_geoms = LWI_MJCF_GEOM_AUTO;
  if (lwi_xml_get(e, "coordinate")) c->global = is(e, "coordinate", "global");
  return read_eulerseq(x, e) && lwi_xml_read(e, "inertiagrouprange", 2, c->groups, err) &&
         lwi_xml_number(e, "boundmass", &c->least_mass, err) &&
         lwi_xml_number(e, "boundinertia", &c->least_inertia, err) &&
         lwi_xml_number(e, "settotalmass", &c->total_mass, err);
}

bool lwi_mjcf_read_compilers(lwi_mjcf *x)
{
  for (int i = 0; i < x->nmodel; i++) {
    lwi_mjcf_use_model(x, i);
    x->compiler = (lwi_mjcf_compiler){.degrees = true,
                                      .autolimits = true,
                                      .eulerseq = "xyz",
                                      .from_geoms = LWI_MJCF_GEOM_AUTO,
                                      .groups = {0, 5},
                                      .meshdir = ""};
    const lwi_xml_element *e = lwi_xml_child(x->model[i].root, "compiler");
    for (; e; e = lwi_xml_find(e->next, "compiler"))
      if (!read_compiler(x, e)) return false;
    x->model[i].compiler = x->compiler;
  }
  lwi_mjcf_use_model(x, 0);
  return true;
}

bool lwi_mjcf_read_option(lwi_mjcf *x)
{
  double *gravity = x->gravity, fluid[2] = {0}, wind[3] = {0};
  lwi_robot *r = &x->robot;
  const lwi_xml_element *e = lwi_xml_child(r->root, "option");
  gravity[2] = -9.81;
  x->magnetic[1] = -0.5;
  for (; e; e = lwi_xml_find(e->next, "option")) {
    if (!lwi_xml_read(e, "gravity", 3, gravity, r->err) ||
        !lwi_xml_number(e, "density", &fluid[0], r->err) ||
        !lwi_xml_number(e, "viscosity", &fluid[1], r->err) ||
        !lwi_xml_read(e, "wind", 3, wind, r->err) ||
        !lwi_xml_read(e, "magnetic", 3, x->magnetic, r->err))
      return false;
    if (is(lwi_xml_child(e, "flag"), "gravity", "disable"))
      gravity[0] = gravity[1] = gravity[2] = 0;
  }
  lw_set_gravity(r->spec, gravity[0], gravity[1], gravity[2]);
  if (fluid[0] != 0 || fluid[1] != 0)
    lwi_robot_note(r, "not used: density and viscosity of a medium, which would slow bodies down");
  return true;
}
