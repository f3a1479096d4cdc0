/* SPDX-License-Identifier: Apache-2.0 */
/* robot_build.c -- a robot becomes bodies, points and joints of a spec. */
#include "io/robot/robot.h"

#include "base/quoted_name.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"
#include "model/expression/expr_lex.h"

#include <stdio.h>
#include <string.h>

/* Loops of robot files close to the digits that are written. */
static const double rounding = 1e-6;

lw_place lwi_place_of(lwi_frame x)
{
  lw_place place = {.at = {x.p[0], x.p[1], x.p[2]}};
  double e[4];
  quat_from_rot(x.R, e);
  if (e[0] == 1) return place;
  place.orient = (lw_orient){LW_ORIENT_QUAT, {e[0], e[1], e[2], e[3]}};
  return place;
}

static bool is_good(lwi_robot *r)
{
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

void lwi_robot_locate(lwi_robot *r, const lwi_xml_element *e)
{
  lw_spec_locate_file(r->spec, e->file == r->root->file ? NULL : e->file);
  lw_spec_locate(r->spec, e->line, e->column);
}

/* ---- bodies and points ---- */

static bool add_body(lwi_robot *r, lwi_robot_link *l)
{
  const lwi_mass *m = &l->merged;
  lw_start start = {.pose = lwi_place_of(l->place)};
  lw_body_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_FRAMES, l->name),
                    .mass = m->mass,
                    .any_inertia = !lwi_mass_is_rigid(m),
                    .start = l->floats ? &start : NULL};
  if (!d.name) return lwi_xml_no_memory(l->element, r->err);
  memcpy(d.com, m->com, sizeof d.com);
  memcpy(d.inertia, m->inertia, sizeof d.inertia);
  lwi_robot_locate(r, l->element);
  l->body = lw_add_body(r->spec, &d);
  return is_good(r);
}

static bool add_point(lwi_robot *r, const char *name, const lwi_xml_element *e, lw_body body,
                      lwi_frame place)
{
  const lw_point_desc d = {lwi_robot_name(r, LWI_ROBOT_FRAMES, name), body, lwi_place_of(place)};
  if (!d.name) return lwi_xml_no_memory(e, r->err);
  lwi_robot_locate(r, e);
  lw_add_point(r->spec, &d);
  return is_good(r);
}

lw_body lwi_robot_body(const lwi_robot *r, int link)
{
  const int base = link < 0 ? -1 : r->link[link].base;
  return base < 0 ? (lw_body){0} : r->link[base].body;
}

lwi_frame lwi_robot_frame(const lwi_robot *r, int link)
{
  return link < 0 ? lwi_frame_identity() : r->link[link].in_base;
}

static bool add_bodies(lwi_robot *r)
{
  for (int i = 0; i < r->nlink; i++)
    if (r->link[i].base == i && !add_body(r, &r->link[i])) return false;
  for (int i = 0; i < r->nlink; i++) {
    const lwi_robot_link *l = &r->link[i];
    if (l->base == i || l->silent) continue;
    if (!add_point(r, l->name, l->element, lwi_robot_body(r, i), l->in_base)) return false;
  }
  for (int i = 0; i < r->npoint; i++) {
    const lwi_robot_point *p = &r->point[i];
    if (!add_point(r, p->name, p->element, lwi_robot_body(r, p->link),
                   lwi_frame_mul(lwi_robot_frame(r, p->link), p->place)))
      return false;
  }
  return true;
}

/* ---- joints ---- */

static bool has_rate(lw_joint_type type)
{
  return type == LW_REVOLUTE || type == LW_PRISMATIC || type == LW_HELICAL;
}

/* the frames of both sides: at the anchor, and turned or shifted by the reference on the side of
   the link; a planar joint has its axis as z */
static void set_places(const lwi_robot_joint *j, lwi_frame parent, lw_joint_desc *d)
{
  lwi_frame at = lwi_frame_identity(), child = at;
  memcpy(at.p, j->at, sizeof j->at);
  memcpy(child.p, j->at, sizeof j->at);
  if (j->type == LW_PLANAR) at.R = child.R = rot_aligning_z(j->axis);
  if (has_rate(j->type)) memcpy(d->axis, j->axis, sizeof d->axis);
  if (j->type == LW_PRISMATIC)
    for (int i = 0; i < 3; i++)
      child.p[i] += j->reference * j->axis[i];
  d->place = lwi_place_of(lwi_frame_mul(parent, at));
  d->child_place = lwi_place_of(child);
  if (j->type == LW_REVOLUTE && j->reference != 0)
    d->child_place.orient =
        (lw_orient){LW_ORIENT_AXIS_ANGLE, {j->axis[0], j->axis[1], j->axis[2], j->reference}};
}

/* Damping of a joint whose speeds are not rates of coordinates: the load -damping u on each. */
static bool add_damping(lwi_robot *r, const lwi_robot_joint *j, const char *name)
{
  char quoted[LWI_QUOTED_SIZE], text[LWI_QUOTED_SIZE + 80], full[260];
  const char *written = lwi_expr_write_name(name, quoted);
  const int n = has_rate(j->type) || j->damping == 0 ? 0 : lw_joint_type_nu(j->type, false);
  for (int i = 1; i <= n; i++) {
    snprintf(text, sizeof text, "-%.17g*u.%s.%d", j->damping, written, i);
    snprintf(full, sizeof full, "damping.%.180s.%d", name, i);
    const lw_motor_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_FORCES, full),
                             .joint = j->id,
                             .dof = i,
                             .value = lw_expr(r->spec, text)};
    if (!d.name) return lwi_xml_no_memory(j->element, r->err);
    lw_add_motor(r->spec, &d);
    if (!is_good(r)) return false;
  }
  return true;
}

/* What acts on its coordinate. */
static void set_loads(const lwi_robot_joint *j, lw_joint_desc *d)
{
  if (!has_rate(j->type)) return;
  d->pitch = j->type == LW_HELICAL ? j->pitch : 0;
  d->damping[0] = j->damping;
  d->armature[0] = j->armature;
  d->friction[0].load = j->friction;
  d->limits[0] =
      (lw_limits){j->has_lower, j->has_upper, .lower = j->lower, .upper = j->upper, .late = true};
}

static bool add_joint(lwi_robot *r, lwi_robot_joint *j, lw_body parent, lwi_frame in_parent,
                      lw_body child)
{
  lw_joint_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_JOINTS, j->name),
                     .type = j->type,
                     .parent = parent,
                     .child = child};
  if (!d.name) return lwi_xml_no_memory(j->element, r->err);
  set_places(j, in_parent, &d);
  memcpy(d.q, j->q, sizeof d.q);
  memcpy(d.u, j->u, sizeof d.u);
  set_loads(j, &d);
  lwi_robot_locate(r, j->element);
  j->id = lw_add_joint(r->spec, &d);
  if (j->stiffness != 0 && has_rate(j->type) && is_good(r))
    lw_add_joint_spring(
        r->spec, &(lw_joint_spring_desc){
                     .name = d.name, .joint = j->id, .stiffness = j->stiffness, .rest = j->rest});
  return is_good(r) && add_damping(r, j, d.name);
}

/* The body between two joints of one link: it has neither mass nor extent. */
static lw_body add_between(lwi_robot *r, const lwi_robot_link *l, int k)
{
  char name[300];
  snprintf(name, sizeof name, "%.150s_%d", l->name, k + 1);
  const lw_body_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_FRAMES, name)};
  if (!d.name) return lwi_xml_no_memory(l->element, r->err), (lw_body){-1};
  lwi_robot_locate(r, l->element);
  const lw_body between = lw_add_body(r->spec, &d);
  return is_good(r) ? between : (lw_body){-1};
}

/* The bodies that joint j connects, and where. */
static bool add_joint_of(lwi_robot *r, lwi_robot_joint *j, lw_body *between)
{
  const lwi_robot_link *l = &r->link[j->link];
  const bool first = &r->joint[l->joint[0]] == j, last = &r->joint[l->joint[l->njoint - 1]] == j;
  const lw_body parent = first ? lwi_robot_body(r, l->parent) : *between;
  const lwi_frame place =
      first ? lwi_frame_mul(lwi_robot_frame(r, l->parent), l->place) : lwi_frame_identity();
  int k = 0;
  while (&r->joint[l->joint[k]] != j)
    k++;
  *between = last ? l->body : add_between(r, l, k);
  return between->id >= 0 && add_joint(r, j, parent, place, *between);
}

static bool add_joints(lwi_robot *r)
{
  lw_body between = {0};
  for (int i = 0; i < r->njoint; i++)
    if (!r->joint[i].held && !add_joint_of(r, &r->joint[i], &between)) return false;
  return true;
}

bool lwi_robot_build(lwi_robot *r)
{
  if (!lwi_robot_check_inertias(r) || !lwi_robot_start(r) || !lwi_robot_merge(r) ||
      !lwi_robot_check_particles(r))
    return false;
  lwi_robot_add_masses(r);
  return add_bodies(r) && lwi_robot_build_shapes(r) && add_joints(r) && lwi_robot_couple(r);
}

bool lwi_robot_close_loop(lwi_robot *r, const lwi_robot_joint *j, const int link[2],
                          const lwi_frame place[2], bool *closed)
{
  lw_joint_desc d = {.type = j->type,
                     .parent = lwi_robot_body(r, link[0]),
                     .child = lwi_robot_body(r, link[1]),
                     .place = lwi_place_of(lwi_frame_mul(lwi_robot_frame(r, link[0]), place[0])),
                     .child_place =
                         lwi_place_of(lwi_frame_mul(lwi_robot_frame(r, link[1]), place[1]))};
  *closed = d.parent.id != d.child.id;
  if (!*closed) return true;
  if (!(d.name = lwi_robot_name(r, LWI_ROBOT_JOINTS, j->name)))
    return lwi_xml_no_memory(j->element, r->err);
  if (has_rate(j->type)) memcpy(d.axis, j->axis, sizeof d.axis);
  set_loads(j, &d);
  lwi_robot_locate(r, j->element);
  lw_add_joint(r->spec, &d);
  lw_set_simulation(r->spec, &(lw_simulation_options){.loop_tolerance = rounding});
  return is_good(r);
}
