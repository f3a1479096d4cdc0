/* SPDX-License-Identifier: Apache-2.0 */
/* asmt_joint.c -- joints and constraints between two markers, I and J.  Axes are those of the
   markers: z. */
#include "io/asmt/asmt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  bool joint;
  int type;
} types[] = {
    {"FixedJoint", true, LW_FIXED},
    {"RevoluteJoint", true, LW_REVOLUTE},
    {"TranslationalJoint", true, LW_PRISMATIC},
    {"CylindricalJoint", true, LW_CYLINDRICAL},
    {"SphericalJoint", true, LW_SPHERICAL},
    {"UniversalJoint", true, LW_UNIVERSAL},
    {"PlanarJoint", true, LW_PLANAR},
    {"PointInPlaneJoint", false, LW_POINT_ON_PLANE},
    {"PointInLineJoint", false, LW_POINT_ON_LINE},
    {"ParallelAxesJoint", false, LW_PARALLEL},
    {"PerpendicularJoint", false, LW_PERPENDICULAR},
    {"SphSphJoint", false, LW_DISTANCE},
    {"AngleJoint", false, LW_CONSTRAINT_TYPES}, /* by its angle */
};

static int find_type(const char *name)
{
  for (int i = 0; i < (int)(sizeof types / sizeof *types); i++)
    if (strcmp(types[i].name, name) == 0) return i;
  return -1;
}

static const lwi_xml_element *first_joint(const lwi_asmt *x)
{
  const lwi_xml_element *assembly = lwi_xml_child(x->robot.root, "Assembly");
  const lwi_xml_element *joints =
      lwi_xml_child(lwi_xml_child(assembly, "ConstraintSets"), "Joints");
  return joints ? joints->first : NULL;
}

static bool find_markers(lwi_asmt *x, const lwi_xml_element *e, lwi_asmt_marker m[2])
{
  static const char *const keys[2] = {"MarkerI", "MarkerJ"};
  for (int k = 0; k < 2; k++) {
    const char *name = lwi_asmt_word(e, keys[k]);
    const int at = lwi_name_find(&x->marker_names, name, strlen(name));
    if (at < 0) return lwi_xml_fail(e, x->robot.err, "there is no marker \"%.100s\"", name);
    m[k] = x->marker[at];
  }
  return true;
}

/* ---- groups ---- */

static int root_of(lwi_asmt *x, int part)
{
  while (part >= 0 && x->part[part].group != part)
    part = x->part[part].group;
  return part;
}

/* Parts that joints connect have one group; those that hang on the ground -1. */
bool lwi_asmt_group_parts(lwi_asmt *x)
{
  for (int i = 0; i < x->npart; i++)
    x->part[i].group = i;
  for (const lwi_xml_element *e = first_joint(x); e; e = e->next) {
    lwi_asmt_marker m[2];
    const int type = find_type(e->name);
    if (type < 0 || !types[type].joint) continue;
    if (!find_markers(x, e, m)) return false;
    const int a = root_of(x, m[0].part), b = root_of(x, m[1].part);
    if (a > b) x->part[a].group = b;
    if (b > a) x->part[b].group = a;
  }
  for (int i = 0; i < x->npart; i++)
    x->part[i].group = root_of(x, i);
  return true;
}

/* ---- joints ---- */

static lwi_frame world_of(const lwi_asmt *x, const lwi_asmt_marker *m)
{
  return lwi_frame_mul(m->part < 0 ? x->world : x->part[m->part].world, m->place);
}

static lw_body body_of(const lwi_asmt *x, const lwi_asmt_marker *m)
{
  return m->part < 0 ? (lw_body){0} : x->part[m->part].body;
}

/* The place of a marker in its body; the body of the assembly is the ground itself. */
static lw_place place_of(const lwi_asmt *x, const lwi_asmt_marker *m)
{
  return lwi_place_of(m->part < 0 ? lwi_frame_mul(x->world, m->place) : m->place);
}

/* Coordinates and speeds as the poses and velocities of the parts say; loops are closed from
   there. */
static void set_start(const lwi_asmt *x, const lwi_asmt_marker m[2], lw_joint_desc *d)
{
  const lwi_frame I = world_of(x, &m[0]);
  const lwi_frame J = lwi_frame_mul(lwi_frame_inverse(I), world_of(x, &m[1]));
  const double angle = atan2(J.R.c[0][1], J.R.c[0][0]);
  const double *z = I.R.c[2];
  double omega[3], v[3];
  for (int i = 0; i < 3; i++) {
    const lwi_asmt_part *a = m[0].part < 0 ? NULL : &x->part[m[0].part];
    const lwi_asmt_part *b = m[1].part < 0 ? NULL : &x->part[m[1].part];
    omega[i] = (b ? b->angular[i] : 0) - (a ? a->angular[i] : 0);
    v[i] = (b ? b->linear[i] : 0) - (a ? a->linear[i] : 0);
  }
  const double spin = dot3(z, omega), slide = dot3(z, v);
  switch (d->type) {
  case LW_REVOLUTE: d->q[0] = angle, d->u[0] = spin; break;
  case LW_PRISMATIC: d->q[0] = J.p[2], d->u[0] = slide; break;
  case LW_CYLINDRICAL:
    d->q[0] = angle, d->q[1] = J.p[2];
    d->u[0] = spin, d->u[1] = slide;
    break;
  case LW_PLANAR: d->q[0] = J.p[0], d->q[1] = J.p[1], d->q[2] = angle, d->u[2] = spin; break;
  case LW_SPHERICAL:
    quat_from_rot(J.R, d->q);
    rot_tmulv(world_of(x, &m[1]).R, omega, d->u);
    break;
  default: break;
  }
}

static bool add_joint(lwi_asmt *x, const lwi_xml_element *e, lw_joint_type type, const char *name,
                      lwi_asmt_marker m[2], lw_joint *id)
{
  double offset = 0;
  if (type == LW_PLANAR && !lwi_asmt_numbers(x, e, "offset", 1, &offset)) return false;
  for (int i = 0; i < 3 && type == LW_PLANAR; i++)
    m[0].place.p[i] += offset * m[0].place.R.c[2][i];
  lw_joint_desc d = {.name = name,
                     .type = type,
                     .parent = body_of(x, &m[0]),
                     .child = body_of(x, &m[1]),
                     .place = place_of(x, &m[0]),
                     .child_place = place_of(x, &m[1])};
  if (type ==
      LW_UNIVERSAL) { /* z of I and z of J, which are perpendicular: z, then z again in axes turned
                         by x */
    d.axis2[2] = 1;
    const lwi_frame turn = {.R = {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}};
    d.place = lwi_place_of(
        lwi_frame_mul(m[0].part < 0 ? lwi_frame_mul(x->world, m[0].place) : m[0].place, turn));
    d.axis[1] = 1;
  } else if (type == LW_REVOLUTE || type == LW_PRISMATIC || type == LW_CYLINDRICAL) {
    d.axis[2] = 1;
  }
  set_start(x, m, &d);
  *id = lw_add_joint(x->robot.spec, &d);
  return true;
}

/* ---- constraints ---- */

/* The angle between both z: only 0, 90 and 180 degrees. */
static bool read_angle(lwi_asmt *x, const lwi_xml_element *e, int *type)
{
  double angle = 0;
  if (!lwi_asmt_numbers(x, e, "theIzJz", 1, &angle)) return false;
  if (fabs(sin(angle)) < 1e-9) *type = LW_PARALLEL;
  if (fabs(cos(angle)) < 1e-9) *type = LW_PERPENDICULAR;
  return true;
}

/* A point of J on the plane or line of I. */
static bool add_constraint(lwi_asmt *x, const lwi_xml_element *e, int type, const char *name,
                           lwi_asmt_marker m[2])
{
  double offset = 0, length = 0;
  if (type == LW_CONSTRAINT_TYPES && !read_angle(x, e, &type)) return false;
  if (type == LW_CONSTRAINT_TYPES) return lwi_listing_add(&x->dropped, name), true;
  if (!lwi_asmt_numbers(x, e, "offset", 1, &offset) ||
      !lwi_asmt_numbers(x, e, "distanceIJ", 1, &length))
    return false;
  for (int i = 0; i < 3 && type == LW_POINT_ON_PLANE; i++)
    m[0].place.p[i] += offset * m[0].place.R.c[2][i];
  const lw_constraint_desc d = {.name = name,
                                .type = (lw_constraint_type)type,
                                .parent = body_of(x, &m[0]),
                                .child = body_of(x, &m[1]),
                                .place = place_of(x, &m[0]),
                                .child_place = place_of(x, &m[1]),
                                .axis = {0, 0, 1},
                                .axis2 = {0, 0, type == LW_PERPENDICULAR},
                                .length = length};
  lw_add_constraint(x->robot.spec, &d);
  return true;
}

static bool add_one(lwi_asmt *x, const lwi_xml_element *e, lw_joint *id)
{
  lwi_robot *r = &x->robot;
  lwi_asmt_marker m[2];
  const int type = find_type(e->name);
  const char *written = lwi_asmt_word(e, "Name");
  *id = (lw_joint){0};
  if (type < 0) return lwi_listing_add(&x->dropped, written), true;
  if (!find_markers(x, e, m)) return false;
  if (body_of(x, &m[0]).id == body_of(x, &m[1]).id)
    return lwi_listing_add(&x->dropped, written), true;
  const char *name = lwi_robot_name(r, LWI_ROBOT_JOINTS, written);
  if (!name) return lwi_xml_no_memory(e, r->err);
  lwi_robot_locate(r, e);
  const bool ok = types[type].joint ? add_joint(x, e, (lw_joint_type)types[type].type, name, m, id)
                                    : add_constraint(x, e, types[type].type, name, m);
  return ok && lw_spec_error(r->spec, r->err) == LW_OK;
}

bool lwi_asmt_add_joints(lwi_asmt *x)
{
  for (const lwi_xml_element *e = first_joint(x); e; e = e->next) {
    lw_joint id;
    char path[600];
    const int n = x->joint_names.n;
    if (!add_one(x, e, &id)) return false;
    snprintf(path, sizeof path, "/%.200s/%.300s", x->name, lwi_asmt_word(e, "Name"));
    const char *kept = lwi_arena_text(&x->robot.arena, path);
    if (!kept || !lwi_grow(&x->joint, n, &x->joint_capacity, sizeof *x->joint) ||
        lwi_name_add(&x->joint_names, kept, strlen(kept)) < 0)
      return lwi_xml_no_memory(e, x->robot.err);
    if (x->joint_names.n > n) x->joint[n] = id;
  }
  if (x->dropped.n)
    lwi_robot_note(&x->robot,
                   "joints of kinds that linkwork does not read, or within one part, are left out: "
                   "%s; these motions are free",
                   lwi_listing_text(&x->dropped));
  return true;
}
