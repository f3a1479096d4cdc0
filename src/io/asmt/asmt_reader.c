/* SPDX-License-Identifier: Apache-2.0 */
/* asmt_reader.c -- the reader of assemblies of FreeCAD and OndselSolver: parts are bodies, the
   assembly is the ground. */
#include "io/asmt/asmt.h"

#include "io/read/model_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- markers ---- */

static bool add_marker(lwi_asmt *x, const lwi_xml_element *e, const char *prefix, int part,
                       lwi_frame place)
{
  char path[900];
  const int n = x->marker_names.n;
  snprintf(path, sizeof path, "%.400s/%.400s", prefix, lwi_asmt_word(e, "Name"));
  const char *kept = lwi_arena_text(&x->robot.arena, path);
  if (!kept || !lwi_grow(&x->marker, n, &x->marker_capacity, sizeof *x->marker) ||
      lwi_name_add(&x->marker_names, kept, strlen(kept)) < 0)
    return lwi_xml_no_memory(e, x->robot.err);
  if (x->marker_names.n > n) x->marker[n] = (lwi_asmt_marker){part, place};
  return true;
}

/* RefPoints/RefPoint/Markers/Marker: each placed in the one around it. */
static bool read_markers(lwi_asmt *x, const lwi_xml_element *e, const char *prefix, int part)
{
  const lwi_xml_element *points = lwi_xml_child(e, "RefPoints");
  for (const lwi_xml_element *p = points ? points->first : NULL; p; p = p->next) {
    lwi_frame point, marker;
    const lwi_xml_element *markers = lwi_xml_child(p, "Markers");
    if (!lwi_asmt_frame(x, p, &point)) return false;
    for (const lwi_xml_element *m = markers ? markers->first : NULL; m; m = m->next)
      if (!lwi_asmt_frame(x, m, &marker) ||
          !add_marker(x, m, prefix, part, lwi_frame_mul(point, marker)))
        return false;
  }
  return true;
}

/* ---- parts ---- */

/* Moments about the axes of the mass marker, which are principal. */
static bool read_mass(lwi_asmt *x, const lwi_xml_element *e, const char *prefix, int part,
                      lwi_mass *out)
{
  const lwi_xml_element *marker = lwi_xml_child(e, "PrincipalMassMarker");
  lwi_mass own = {0};
  lwi_frame at;
  if (!lwi_asmt_frame(x, marker, &at) || !lwi_asmt_numbers(x, marker, "Mass", 1, &own.mass) ||
      !lwi_asmt_numbers(x, marker, "MomentOfInertias", 3, own.inertia))
    return false;
  if (own.mass < 0) return lwi_xml_fail(marker, x->robot.err, "its mass is negative");
  lwi_mass_add(out, &own, at);
  return !marker || add_marker(x, marker, prefix, part, at);
}

static bool read_part(lwi_asmt *x, const lwi_xml_element *e)
{
  char prefix[600];
  lwi_asmt_part p = {.element = e, .name = lwi_asmt_word(e, "Name")};
  if (!lwi_asmt_frame(x, e, &p.world) || !lwi_asmt_numbers(x, e, "Velocity3D", 3, p.linear) ||
      !lwi_asmt_numbers(x, e, "Omega3D", 3, p.angular))
    return false;
  p.world = lwi_frame_mul(x->world, p.world);
  snprintf(prefix, sizeof prefix, "/%.200s/%.300s", x->name, p.name);
  if (!lwi_grow(&x->part, x->npart, &x->part_capacity, sizeof *x->part))
    return lwi_xml_no_memory(e, x->robot.err);
  if (!read_mass(x, e, prefix, x->npart, &p.mass) || !read_markers(x, e, prefix, x->npart))
    return false;
  x->part[x->npart++] = p;
  return true;
}

static bool read_assembly(lwi_asmt *x, const lwi_xml_element *assembly)
{
  char prefix[300];
  const lwi_xml_element *parts = lwi_xml_child(assembly, "Parts");
  x->name = lwi_asmt_word(assembly, "Name");
  snprintf(prefix, sizeof prefix, "/%.200s", x->name);
  if (!lwi_asmt_frame(x, assembly, &x->world) || !read_markers(x, assembly, prefix, -1))
    return false;
  for (const lwi_xml_element *e = parts ? parts->first : NULL; e; e = e->next)
    if (strcmp(e->name, "Part") == 0 && !read_part(x, e)) return false;
  return x->npart > 0 || lwi_xml_fail(assembly, x->robot.err, "it has no parts");
}

/* A part is a body; the first of those that hang together but not on the ground has a free joint. */
/* Assemblies are drawn for their motion: where no part has mass, each gets some, on which what motions prescribe does not depend. */
static void give_masses(lwi_asmt *x)
{
  for (int i = 0; i < x->npart; i++)
    if (x->part[i].mass.mass != 0 || x->part[i].mass.inertia[0] != 0) return;
  for (int i = 0; i < x->npart; i++) {
    x->part[i].mass.mass = 1;
    for (int k = 0; k < 3; k++)
      x->part[i].mass.inertia[k] = 1;
  }
  if (x->npart)
    lwi_robot_note(&x->robot, "no part has mass: each is given 1 kg and 1 kg m^2 about every axis");
}

static bool add_bodies(lwi_asmt *x)
{
  lwi_robot *r = &x->robot;
  for (int i = 0; i < x->npart; i++) {
    lwi_asmt_part *p = &x->part[i];
    lw_body_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_FRAMES, p->name),
                      .mass = p->mass.mass,
                      .any_inertia = !lwi_mass_is_rigid(&p->mass)};
    if (!d.name) return lwi_xml_no_memory(p->element, r->err);
    memcpy(d.com, p->mass.com, sizeof d.com);
    memcpy(d.inertia, p->mass.inertia, sizeof d.inertia);
    lwi_robot_locate(r, p->element);
    lw_start start = {.pose = lwi_place_of(p->world)};
    memcpy(start.linear, p->linear, sizeof start.linear);
    memcpy(start.angular, p->angular, sizeof start.angular);
    if (p->group == i) d.start = &start;
    p->body = lw_add_body(r->spec, &d);
    if (lw_spec_error(r->spec, r->err) != LW_OK) return false;
  }
  return true;
}

static bool read_settings(lwi_asmt *x, const lwi_xml_element *assembly)
{
  const lwi_xml_element *s = lwi_xml_child(assembly, "SimulationParameters");
  double gravity[3] = {0}, start = 0, end = 0;
  lw_simulation_options o = {.loop_tolerance = 1e-6};
  if (!lwi_asmt_numbers(x, assembly, "ConstantGravity", 3, gravity) ||
      !lwi_asmt_numbers(x, s, "tstart", 1, &start) || !lwi_asmt_numbers(x, s, "tend", 1, &end) ||
      !lwi_asmt_numbers(x, s, "hout", 1, &o.output_step))
    return false;
  o.end = end > start ? end - start : 0;
  if (!(o.end > 0) || !(o.output_step > 0) || o.output_step > o.end) o.output_step = 0;
  lw_set_gravity(x->robot.spec, gravity[0], gravity[1], gravity[2]);
  lw_set_simulation(x->robot.spec, &o);
  return true;
}

static bool read_file(lwi_asmt *x, const char *text, size_t length, const char *file)
{
  lwi_robot *r = &x->robot;
  if (!(r->root = lwi_asmt_parse(&r->arena, text, length, file, r->err))) return false;
  if (!(r->spec = lw_spec_new())) return lwi_xml_no_memory(r->root, r->err);
  const lwi_xml_element *assembly = lwi_xml_child(r->root, "Assembly");
  if (!assembly) return lwi_xml_fail(r->root, r->err, "there is no Assembly");
  if (!read_assembly(x, assembly) || !read_settings(x, assembly) || !lwi_asmt_group_parts(x))
    return false;
  give_masses(x);
  if (!add_bodies(x) || !lwi_asmt_add_joints(x) || !lwi_asmt_add_motions(x)) return false;
  lw_set_name(r->spec, x->name);
  return lwi_robot_finish(r);
}

static lw_spec *read_text(const char *text, size_t length, const char *name,
                          const lw_load_options *options, lw_error *err)
{
  lwi_asmt x = {.robot = {.no_files = !name, .options = options, .err = err}};
  const bool ok = read_file(&x, text, length, name ? name : "model");
  lwi_name_index_free(&x.marker_names);
  lwi_name_index_free(&x.joint_names);
  free(x.part);
  free(x.marker);
  free(x.joint);
  return lwi_robot_take(&x.robot, ok);
}

const lwi_model_format lwi_asmt_format = {"assembly", lwi_asmt_recognises, read_text, true, false};
