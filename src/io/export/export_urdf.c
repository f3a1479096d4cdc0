/* SPDX-License-Identifier: Apache-2.0 */
/* export_urdf.c -- a spec as a URDF file.

   The frame of a link is that of the joint that carries it: L = own frame of the joint in the body.
   A joint of several freedoms is a row of joints with links without mass between them.  Loops are
   <constraint> elements. */
#include "io/export/export_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* roll, pitch, yaw of R = Rz Ry Rx */
static void write_origin(lwi_export *e, const char *element, lwi_frame f)
{
  const double rpy[3] = {atan2(f.R.c[1][2], f.R.c[2][2]),
                         atan2(-f.R.c[0][2], hypot(f.R.c[0][0], f.R.c[0][1])),
                         atan2(f.R.c[0][1], f.R.c[0][0])};
  lwi_yaml_add(&e->text, "<%s", element);
  lwi_export_numbers(e, "xyz", f.p, 3);
  lwi_export_numbers(e, "rpy", rpy, 3);
  lwi_yaml_add(&e->text, "/>");
}

/* The frame of the link of a body in the body. */
static lwi_frame link_in_body(lwi_export *e, int b)
{
  lwi_frame own = lwi_frame_identity(), other;
  if (b > 0 && e->body[b].joint >= 0) lwi_export_frames(e, b, &own, &other);
  return own;
}

static lwi_frame in_link(lwi_export *e, int b, lwi_frame in_body)
{
  return lwi_frame_mul(lwi_frame_inverse(link_in_body(e, b)), in_body);
}

/* ---- links ---- */

static void write_inertial(lwi_export *e, int b)
{
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const lwi_solid *m = &e->m->solid[b];
  lwi_frame at = lwi_frame_identity();
  memcpy(at.p, m->com, sizeof m->com);
  if (!(m->mass > 0)) return;
  lwi_yaml_add(&e->text, "    <inertial>");
  write_origin(e, "origin", in_link(e, b, at));
  lwi_yaml_add(&e->text, "<mass");
  lwi_export_numbers(e, "value", &m->mass, 1);
  lwi_yaml_add(&e->text, "/><inertia");
  for (int i = 0; i < 6; i++)
    lwi_export_numbers(e, names[i], &m->inertia[i], 1);
  lwi_yaml_add(&e->text, "/></inertial>\n");
}

static void write_visuals(lwi_export *e, int b)
{
  for (int i = 0; i < e->m->nshape; i++) {
    const lw_shape_desc *d = &e->m->shape[i];
    if (d->body.id != b) continue;
    if (d->type == LW_SHAPE_ELLIPSOID) {
      lwi_export_lose(e, "ellipsoid of", b ? e->s->bodies.item[b - 1].d.name : "ground");
      continue;
    }
    lwi_yaml_add(&e->text, "    <visual>");
    write_origin(e, "origin", in_link(e, b, lwi_export_place(e, &d->place)));
    lwi_yaml_add(&e->text, "<geometry><%s", lw_shape_type_name(d->type));
    if (d->type == LW_SHAPE_BOX) lwi_export_numbers(e, "size", d->size, 3);
    if (d->radius > 0) lwi_export_numbers(e, "radius", &d->radius, 1);
    if (d->radius > 0 && d->type != LW_SHAPE_SPHERE) lwi_export_numbers(e, "length", &d->length, 1);
    if (d->file) {
      lwi_yaml_add(&e->text, " filename=\"");
      lwi_export_text(e, d->file);
      lwi_yaml_add(&e->text, "\"");
      lwi_export_numbers(e, "scale", d->scale, 3);
    }
    lwi_yaml_add(&e->text, "/></geometry>");
    if (d->color[3] > 0) {
      lwi_yaml_add(&e->text, "<material name=\"color%d\"><color", i);
      lwi_export_numbers(e, "rgba", d->color, 4);
      lwi_yaml_add(&e->text, "/></material>");
    }
    lwi_yaml_add(&e->text, "</visual>\n");
  }
}

static const char *link_name(const lwi_export *e, int b)
{
  return b ? e->s->bodies.item[b - 1].d.name : "world";
}

static void write_link(lwi_export *e, int b)
{
  lwi_yaml_add(&e->text, "  <link");
  lwi_export_name(e, link_name(e, b), 0, 1);
  lwi_yaml_add(&e->text, ">\n");
  if (b) write_inertial(e, b);
  write_visuals(e, b);
  lwi_yaml_add(&e->text, "  </link>\n");
}

/* ---- joints ---- */

static void write_end(lwi_export *e, const char *side, const char *name, int number)
{
  lwi_yaml_add(&e->text, "<%s link=\"", side);
  lwi_export_text(e, name);
  if (number) lwi_yaml_add(&e->text, "_%d", number);
  lwi_yaml_add(&e->text, "\"/>");
}

static void write_loads(lwi_export *e, const lw_joint_desc *d, int dof)
{
  const lw_limits *l = &d->limits[dof];
  const double damping = lwi_export_number(e, d->damping[dof]);
  const double friction = lwi_export_number(e, d->friction[dof].load);
  if (l->has_lower || l->has_upper) {
    const double lower = l->has_lower ? lwi_export_number(e, l->lower) : -1e10;
    const double upper = l->has_upper ? lwi_export_number(e, l->upper) : 1e10;
    lwi_yaml_add(&e->text, "<limit");
    lwi_export_numbers(e, "lower", &lower, 1);
    lwi_export_numbers(e, "upper", &upper, 1);
    lwi_yaml_add(&e->text, " effort=\"1e10\" velocity=\"1e10\"/>");
  }
  if (damping != 0 || friction != 0) {
    lwi_yaml_add(&e->text, "<dynamics");
    lwi_export_numbers(e, "damping", &damping, 1);
    lwi_export_numbers(e, "friction", &friction, 1);
    lwi_yaml_add(&e->text, "/>");
  }
  if (d->armature[dof] != 0) lwi_export_lose(e, "armature of", d->name);
  if (lwi_export_number(e, d->q[dof]) != 0 || lwi_export_number(e, d->u[dof]) != 0)
    lwi_export_lose(e, "start of", d->name);
}

/* c1 q1 + c2 q2 = offset of this joint and another one; NULL: none */
static const lw_constraint_desc *find_coupler(const lw_spec *s, int joint)
{
  for (int i = 0; i < s->constraints.n; i++) {
    const lw_constraint_desc *d = &s->constraints.item[i].d;
    if (s->constraints.item[i].announced || d->type != LW_COUPLER || d->nterm != 2) continue;
    bool single = d->terms[0].joint.id == joint + 1;
    for (int k = 0; k < 2; k++)
      single = single && lwi_export_is_linear(&d->terms[k]) &&
               lw_joint_type_nu(s->joints.item[d->terms[k].joint.id - 1].d.type, false) == 1;
    if (single) return d;
  }
  return NULL;
}

static void write_mimic(lwi_export *e, int joint)
{
  const lw_constraint_desc *d = find_coupler(e->s, joint);
  if (!d) return;
  const double c1 = lwi_export_number(e, d->terms[0].coefficient);
  const double multiplier = -lwi_export_number(e, d->terms[1].coefficient) / c1;
  const double offset = lwi_export_number(e, d->offset) / c1;
  lwi_yaml_add(&e->text, "<mimic joint=\"");
  lwi_export_text(e, e->s->joints.item[d->terms[1].joint.id - 1].d.name);
  lwi_yaml_add(&e->text, "\"");
  lwi_export_numbers(e, "multiplier", &multiplier, 1);
  lwi_export_numbers(e, "offset", &offset, 1);
  lwi_yaml_add(&e->text, "/>");
}

static const char *type_of(const lwi_step *step, const lw_joint_desc *d)
{
  if (step->kind == LWI_STEP_BALL) return "spherical";
  if (step->kind == LWI_STEP_FREE) return "floating";
  if (step->kind == LWI_STEP_SLIDE) return "prismatic";
  return d->limits[step->dof].has_lower || d->limits[step->dof].has_upper ? "revolute"
                                                                          : "continuous";
}

/* The first joint of a row starts where the joint is in the parent, the others in the link
   before. */
static void write_step(lwi_export *e, int b, const lwi_step *step, int i, int n, lwi_frame other)
{
  const int parent = e->body[b].parent;
  const lw_joint_desc *d = &e->s->joints.item[e->body[b].joint].d;
  const char *name = link_name(e, b);
  lwi_yaml_add(&e->text, "  <joint");
  lwi_export_name(e, d->name, step ? step->dof : 0, n);
  lwi_yaml_add(&e->text, " type=\"%s\">", step ? type_of(step, d) : "fixed");
  write_origin(e, "origin", i ? lwi_frame_identity() : in_link(e, parent, other));
  write_end(e, "parent", i ? name : link_name(e, parent), i);
  write_end(e, "child", name, i == n - 1 || n == 0 ? 0 : i + 1);
  if (step && step->kind <= LWI_STEP_SLIDE) {
    lwi_yaml_add(&e->text, "<axis");
    lwi_export_numbers(e, "xyz", step->axis, 3);
    lwi_yaml_add(&e->text, "/>");
    write_loads(e, d, step->dof);
    write_mimic(e, e->body[b].joint);
  }
  lwi_yaml_add(&e->text, "</joint>\n");
  if (i < n - 1) {
    lwi_yaml_add(&e->text, "  <link name=\"");
    lwi_export_text(e, name);
    lwi_yaml_add(&e->text, "_%d\"/>\n", i + 1);
  }
}

static bool write_joint(lwi_export *e, int b)
{
  lwi_step steps[LWI_MOST_STEPS];
  lwi_frame own, other;
  if (e->body[b].joint < 0) {
    lwi_yaml_add(&e->text, "  <joint name=\"");
    lwi_export_text(e, link_name(e, b));
    lwi_yaml_add(&e->text, "\" type=\"floating\">");
    write_origin(e, "origin", lwi_export_start(e, b));
    write_end(e, "parent", "world", 0);
    write_end(e, "child", link_name(e, b), 0);
    lwi_yaml_add(&e->text, "</joint>\n");
    return true;
  }
  const int n = lwi_export_steps(e, b, steps);
  if (n < 0) {
    lwi_file_fail(e->err, LW_E_UNSUPPORTED, (lwi_position){.file = e->path},
                  "\"%.80s\" cannot be written as URDF: it is helical",
                  e->s->joints.item[e->body[b].joint].d.name);
    return false;
  }
  lwi_export_frames(e, b, &own, &other);
  if (n == 0) write_step(e, b, NULL, 0, 0, other);
  for (int i = 0; i < n; i++)
    write_step(e, b, &steps[i], i, n, other);
  return true;
}

/* ---- loops and relations ---- */

static void write_loop(lwi_export *e, const lw_joint_desc *d)
{
  const char *type = d->type == LW_FIXED       ? "fixed"
                     : d->type == LW_REVOLUTE  ? "revolute"
                     : d->type == LW_PRISMATIC ? "prismatic"
                     : d->type == LW_SPHERICAL ? "spherical"
                                               : NULL;
  double axis[3];
  if (!type) {
    lwi_export_lose(e, "joint that closes a loop", d->name);
    return;
  }
  for (int i = 0; i < 3; i++)
    axis[i] = lwi_export_number(e, d->axis[i]);
  if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0) axis[2] = 1;
  lwi_yaml_add(&e->text, "  <constraint");
  lwi_export_name(e, d->name, 0, 1);
  lwi_yaml_add(&e->text, " type=\"%s\">", type);
  write_end(e, "parent", link_name(e, d->parent.id), 0);
  write_origin(e, "parent_origin", in_link(e, d->parent.id, lwi_export_place(e, &d->place)));
  write_end(e, "child", link_name(e, d->child.id), 0);
  write_origin(e, "child_origin", in_link(e, d->child.id, lwi_export_place(e, &d->child_place)));
  lwi_yaml_add(&e->text, "<parent_axis");
  lwi_export_numbers(e, "xyz", axis, 3);
  lwi_yaml_add(&e->text, "/><child_axis");
  lwi_export_numbers(e, "xyz", axis, 3);
  lwi_yaml_add(&e->text, "/></constraint>\n");
}

static bool is_mimic(const lwi_export *e, const lw_constraint_desc *d)
{
  const int joint = d->nterm > 0 ? d->terms[0].joint.id - 1 : -1;
  return joint >= 0 && e->in_tree[joint] && find_coupler(e->s, joint) == d;
}

static void lose_relations(lwi_export *e)
{
  const lw_spec *s = e->s;
  for (int i = 0; i < s->constraints.n; i++)
    if (!s->constraints.item[i].announced && !is_mimic(e, &s->constraints.item[i].d))
      lwi_export_lose(e, "constraint", s->constraints.item[i].d.name);
  for (int i = 0; i < s->springs.n; i++)
    lwi_export_lose(e, "spring", s->springs.item[i].d.name);
  for (int i = 0; i < s->joint_springs.n; i++)
    if (lwi_name_find(&s->force_names, s->joint_springs.item[i].d.name,
                      strlen(s->joint_springs.item[i].d.name)) >= 0)
      lwi_export_lose(e, "spring", s->joint_springs.item[i].d.name);
  const double *g = e->m->gravity;
  if (g[0] != 0 || g[1] != 0 || g[2] != -9.81) lwi_export_lose(e, "section", "gravity");
}

/* Frames of points are links without mass that are fixed. */
static void write_points(lwi_export *e)
{
  for (int i = 0; i < e->s->points.n; i++) {
    const lw_point_desc *d = &e->s->points.item[i].d;
    if (e->s->points.item[i].role.hidden) continue;
    lwi_yaml_add(&e->text, "  <link");
    lwi_export_name(e, d->name, 0, 1);
    lwi_yaml_add(&e->text, "/>\n  <joint name=\"point.");
    lwi_export_text(e, d->name);
    lwi_yaml_add(&e->text, "\" type=\"fixed\">");
    write_origin(e, "origin", in_link(e, d->body.id, lwi_export_place(e, &d->place)));
    write_end(e, "parent", link_name(e, d->body.id), 0);
    write_end(e, "child", d->name, 0);
    lwi_yaml_add(&e->text, "</joint>\n");
  }
}

static bool write_all(lwi_export *e)
{
  const lw_spec *s = e->s;
  lwi_yaml_add(&e->text, "<?xml version=\"1.0\"?>\n<robot");
  lwi_export_name(e, s->name && *s->name ? s->name : "robot", 0, 1);
  lwi_yaml_add(&e->text, ">\n");
  write_link(e, 0);
  for (int i = 0; i < s->bodies.n; i++)
    write_link(e, i + 1);
  /* in the order of the model */
  for (int j = 0; j < s->joints.n; j++)
    for (int b = 1; b <= s->bodies.n && e->in_tree[j]; b++)
      if (e->body[b].joint == j && !write_joint(e, b)) return false;
  for (int b = 1; b <= s->bodies.n; b++)
    if (e->body[b].joint < 0 && !write_joint(e, b)) return false;
  for (int j = 0; j < s->joints.n; j++)
    if (!e->in_tree[j] && !s->joints.item[j].announced) write_loop(e, &s->joints.item[j].d);
  write_points(e);
  lwi_yaml_add(&e->text, "</robot>\n");
  lose_relations(e);
  lwi_export_lose_rest(e);
  return true;
}

lw_status lwi_export_urdf(lw_spec *s, const char *path, lw_error *err)
{
  lwi_export e = {.s = s, .err = err, .path = path};
  const bool ok = lwi_export_open(&e) && write_all(&e);
  return lwi_export_close(&e, ok);
}
