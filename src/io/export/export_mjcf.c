/* SPDX-License-Identifier: Apache-2.0 */
/* export_mjcf.c -- a spec as an MJCF file. */
#define _POSIX_C_SOURCE 200809L
#include "io/export/export_files.h"

#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST = 190 }; /* bodies in one another: readers have limits */

typedef struct {
  lwi_export e;
  lwi_yaml_text qpos, qvel;
  bool starts; /* some coordinate or speed is not 0 */
} mjcf;

static void indent(mjcf *x, int depth)
{
  lwi_yaml_add(&x->e.text, "%*s", 2 * depth + 4, "");
}

static void write_pose(mjcf *x, lwi_frame f)
{
  double quat[4];
  quat_from_rot(f.R, quat);
  lwi_export_numbers(&x->e, "pos", f.p, 3);
  if (quat[0] != 1) lwi_export_numbers(&x->e, "quat", quat, 4);
}

/* ---- joints ---- */

static void add_start(mjcf *x, lwi_yaml_text *to, double value)
{
  lwi_yaml_add(to, " ");
  lwi_yaml_value(to, value);
  x->starts = x->starts || value != 0;
}

/* The spring of a freedom that is written as such, not as the damping or a limit of the joint; -1:
   none. */
static int find_spring(const lw_spec *s, int joint, int dof)
{
  for (int i = 0; i < s->joint_springs.n; i++) {
    const lw_joint_spring_desc *d = &s->joint_springs.item[i].d;
    const bool here = d->joint.id == joint + 1 && (d->dof ? d->dof : 1) == dof + 1 && d->side == 0;
    if (here && lwi_name_find(&s->force_names, d->name, strlen(d->name)) >= 0) return i;
  }
  return -1;
}

static void write_limits(mjcf *x, const lw_joint_desc *d, int dof)
{
  const lw_limits *l = &d->limits[dof];
  const double range[2] = {l->has_lower ? lwi_export_number(&x->e, l->lower) : -1e10,
                           l->has_upper ? lwi_export_number(&x->e, l->upper) : 1e10};
  if (l->has_lower || l->has_upper) lwi_export_numbers(&x->e, "range", range, 2);
  if (l->stiffness != 0 || l->restitution != 0)
    lwi_export_lose(&x->e, "stiffness or restitution of limits of", d->name);
}

static void write_loads(mjcf *x, int joint, int dof)
{
  lwi_export *e = &x->e;
  const lw_joint_desc *d = &e->s->joints.item[joint].d;
  const int spring = find_spring(e->s, joint, dof);
  double damping = lwi_export_number(e, d->damping[dof]);
  if (spring >= 0) {
    const lw_joint_spring_desc *k = &e->s->joint_springs.item[spring].d;
    const double stiffness = lwi_export_number(e, k->stiffness),
                 rest = lwi_export_number(e, k->rest);
    damping += lwi_export_number(e, k->damping);
    lwi_export_numbers(e, "stiffness", &stiffness, 1);
    if (rest != 0) lwi_export_numbers(e, "springref", &rest, 1);
  }
  const double armature = lwi_export_number(e, d->armature[dof]);
  const double friction = lwi_export_number(e, d->friction[dof].load);
  if (damping != 0) lwi_export_numbers(e, "damping", &damping, 1);
  if (armature != 0) lwi_export_numbers(e, "armature", &armature, 1);
  if (friction != 0) lwi_export_numbers(e, "frictionloss", &friction, 1);
  if (d->friction[dof].static_load != 0) lwi_export_lose(e, "static friction of", d->name);
  write_limits(x, d, dof);
}

static void write_step(mjcf *x, int b, const lwi_step *step, int n, lwi_frame own, int depth)
{
  static const char *const kinds[] = {"hinge", "slide", "ball"};
  lwi_export *e = &x->e;
  const int joint = e->body[b].joint;
  const lw_joint_desc *d = &e->s->joints.item[joint].d;
  double axis[3];
  rot_mulv(own.R, step->axis, axis);
  indent(x, depth + 1);
  lwi_yaml_add(&e->text, "<joint");
  lwi_export_name(e, d->name, step->dof, n);
  lwi_yaml_add(&e->text, " type=\"%s\"", kinds[step->kind]);
  lwi_export_numbers(e, "pos", own.p, 3);
  double q[7] = {0}, u[6] = {0};
  lwi_export_coordinates(e, joint, q, u);
  const bool ball = step->kind == LWI_STEP_BALL;
  if (!ball) lwi_export_numbers(e, "axis", axis, 3);
  if (!ball) write_loads(x, joint, step->dof);
  if (ball && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) q[0] = 1;
  for (int i = 0; i < (ball ? 4 : 1); i++)
    add_start(x, &x->qpos, q[ball ? i : step->dof]);
  for (int i = 0; i < (ball ? 3 : 1); i++)
    add_start(x, &x->qvel, u[ball ? i : step->dof]);
  lwi_yaml_add(&e->text, "/>\n");
}

static void write_free(mjcf *x, int b, int depth)
{
  lwi_export *e = &x->e;
  const int joint = e->body[b].joint;
  const lwi_frame start = lwi_export_start(e, b);
  double quat[4];
  indent(x, depth + 1);
  lwi_yaml_add(&e->text, "<freejoint");
  if (joint >= 0) lwi_export_name(e, e->s->joints.item[joint].d.name, 0, 1);
  lwi_yaml_add(&e->text, "/>\n");
  quat_from_rot(start.R, quat);
  for (int i = 0; i < 3; i++)
    add_start(x, &x->qpos, start.p[i]);
  for (int i = 0; i < 4; i++)
    lwi_yaml_add(&x->qpos, " "), lwi_yaml_value(&x->qpos, quat[i]);
  double linear[3], angular[3], own[3];
  lwi_export_velocity(e, b, linear, angular);
  rot_tmulv(start.R, angular, own);
  for (int i = 0; i < 3; i++)
    add_start(x, &x->qvel, linear[i]);
  for (int i = 0; i < 3; i++)
    add_start(x, &x->qvel, own[i]);
}

/* ---- what is in a body ---- */

static void write_inertial(mjcf *x, int b, int depth)
{
  const lwi_solid *m = &x->e.m->solid[b];
  if (!(m->mass > 0)) return;
  indent(x, depth + 1);
  lwi_yaml_add(&x->e.text, "<inertial");
  lwi_export_numbers(&x->e, "pos", m->com, 3);
  lwi_export_numbers(&x->e, "mass", &m->mass, 1);
  lwi_export_numbers(&x->e, "fullinertia", m->inertia, 6);
  lwi_yaml_add(&x->e.text, "/>\n");
}

static void write_site(mjcf *x, const char *name, const char *side, lwi_frame f, int depth)
{
  indent(x, depth + 1);
  lwi_yaml_add(&x->e.text, "<site name=\"");
  lwi_export_text(&x->e, name);
  lwi_yaml_add(&x->e.text, "%s\"", side);
  write_pose(x, f);
  lwi_yaml_add(&x->e.text, "/>\n");
}

static lwi_frame at_point(lwi_export *e, const double at[3])
{
  const lw_place place = {.at = {at[0], at[1], at[2]}};
  return lwi_export_place(e, &place);
}

/* A hinge that closes a loop is held at two points of its axis. */
static lwi_frame along(lwi_export *e, lwi_frame f, const double written[3])
{
  double axis[3], offset[3];
  for (int i = 0; i < 3; i++)
    axis[i] = lwi_export_number(e, written[i]);
  if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0) axis[2] = 1;
  const double size = norm3(axis);
  rot_mulv(f.R, axis, offset);
  for (int i = 0; i < 3; i++)
    f.p[i] += 0.1 * offset[i] / size;
  return f;
}

static void write_sites(mjcf *x, int b, int depth)
{
  lwi_export *e = &x->e;
  const lw_spec *s = e->s;
  for (int i = 0; i < s->points.n; i++)
    if (s->points.item[i].d.body.id == b && !s->points.item[i].role.hidden)
      write_site(x, s->points.item[i].d.name, "", lwi_export_place(e, &s->points.item[i].d.place),
                 depth);
  for (int i = 0; i < s->springs.n; i++) {
    const lw_spring_desc *d = &s->springs.item[i].d;
    if (d->from.id == b) write_site(x, d->name, ".from", at_point(e, d->from_at), depth);
    if (d->to.id == b) write_site(x, d->name, ".to", at_point(e, d->to_at), depth);
  }
  for (int j = 0; j < s->joints.n; j++) {
    const lw_joint_desc *d = &s->joints.item[j].d;
    if (e->in_tree[j] || s->joints.item[j].announced) continue;
    for (int k = 0; k < 2; k++) {
      if ((k ? d->child.id : d->parent.id) != b) continue;
      const lwi_frame f = lwi_export_place(e, k ? &d->child_place : &d->place);
      write_site(x, d->name, k ? ".child" : ".parent", f, depth);
      if (d->type == LW_REVOLUTE)
        write_site(x, d->name, k ? ".child2" : ".parent2", along(e, f, d->axis), depth);
    }
  }
}

/* MuJoCo reads STL and OBJ. */
static bool is_readable(const char *file)
{
  const char *dot = strrchr(file, '.');
  return dot && !strstr(file, "://") &&
         (strcasecmp(dot, ".stl") == 0 || strcasecmp(dot, ".obj") == 0);
}

static void write_assets(mjcf *x)
{
  lwi_export *e = &x->e;
  lwi_yaml_add(&e->text, "  <asset>\n");
  for (int i = 0; i < e->m->nshape; i++) {
    const lw_shape_desc *d = &e->m->shape[i];
    if (d->type != LW_SHAPE_MESH || !is_readable(d->file)) continue;
    lwi_yaml_add(&e->text, "    <mesh name=\"mesh%d\" file=\"", i);
    lwi_export_text(e, d->file);
    lwi_yaml_add(&e->text, "\"");
    lwi_export_numbers(e, "scale", d->scale, 3);
    lwi_yaml_add(&e->text, "/>\n");
  }
  lwi_yaml_add(&e->text, "  </asset>\n");
}

static void write_geoms(mjcf *x, int b, int depth)
{
  lwi_export *e = &x->e;
  for (int i = 0; i < e->m->nshape; i++) {
    const lw_shape_desc *d = &e->m->shape[i];
    if (d->body.id != b) continue;
    const bool mesh = d->type == LW_SHAPE_MESH;
    if (mesh && !is_readable(d->file)) {
      lwi_export_lose(e, "mesh", d->file);
      continue;
    }
    const bool round = d->radius > 0;
    const double size[3] = {round ? d->radius : d->size[0] / 2,
                            round ? d->length / 2 : d->size[1] / 2, d->size[2] / 2};
    indent(x, depth + 1);
    lwi_yaml_add(&e->text, "<geom type=\"%s\" contype=\"0\" conaffinity=\"0\"",
                 lw_shape_type_name(d->type));
    write_pose(x, lwi_export_place(e, &d->place));
    if (mesh)
      lwi_yaml_add(&e->text, " mesh=\"mesh%d\"", i);
    else
      lwi_export_numbers(e, "size", size, d->type == LW_SHAPE_SPHERE ? 1 : round ? 2 : 3);
    if (d->color[3] > 0) lwi_export_numbers(e, "rgba", d->color, 4);
    lwi_yaml_add(&e->text, "/>\n");
  }
}

/* ---- bodies ---- */

static bool write_body(mjcf *x, int b, int depth);

static bool write_inside(mjcf *x, int b, int depth)
{
  write_geoms(x, b, depth);
  write_sites(x, b, depth);
  for (int c = x->e.body[b].first; c >= 0; c = x->e.body[c].next)
    if (!write_body(x, c, depth + 1)) return false;
  return true;
}

static bool refuse(mjcf *x, const char *name, const char *why)
{
  lwi_file_fail(x->e.err, LW_E_UNSUPPORTED, (lwi_position){.file = x->e.path},
                "\"%.80s\" cannot be written as MJCF: %s", name, why);
  return false;
}

static bool write_body(mjcf *x, int b, int depth)
{
  lwi_export *e = &x->e;
  const int joint = e->body[b].joint;
  const char *name = e->s->bodies.item[b - 1].d.name;
  lwi_step steps[LWI_MOST_STEPS];
  lwi_frame own = lwi_frame_identity(), other = own;
  const int n = joint < 0 ? 0 : lwi_export_steps(e, b, steps);
  const bool free = joint < 0 || (n == 1 && steps[0].kind == LWI_STEP_FREE);
  if (depth > DEEPEST) return refuse(x, name, "it is more than 190 joints from the ground");
  if (n < 0) return refuse(x, e->s->joints.item[joint].d.name, "it is helical");
  if (free && e->body[b].parent != 0) return refuse(x, name, "it is free, but not from the ground");
  if (joint >= 0) lwi_export_frames(e, b, &own, &other);
  indent(x, depth);
  lwi_yaml_add(&e->text, "<body");
  lwi_export_name(e, name, 0, 1);
  write_pose(x, free ? lwi_export_start(e, b) : lwi_frame_mul(other, lwi_frame_inverse(own)));
  lwi_yaml_add(&e->text, ">\n");
  write_inertial(x, b, depth);
  for (int i = 0; i < n && !free; i++)
    write_step(x, b, &steps[i], n, own, depth);
  if (free) write_free(x, b, depth);
  if (!write_inside(x, b, depth)) return false;
  indent(x, depth);
  lwi_yaml_add(&e->text, "</body>\n");
  return true;
}

/* ---- loops and relations ---- */

static void write_pair(mjcf *x, const char *kind, const char *name, const char *a, const char *b)
{
  lwi_yaml_text *y = &x->e.text;
  lwi_yaml_add(y, "    <%s site1=\"", kind);
  lwi_export_text(&x->e, name);
  lwi_yaml_add(y, "%s\" site2=\"", a);
  lwi_export_text(&x->e, name);
  lwi_yaml_add(y, "%s\"/>\n", b);
}

static void write_loops(mjcf *x)
{
  const lw_spec *s = x->e.s;
  for (int j = 0; j < s->joints.n; j++) {
    const lw_joint_desc *d = &s->joints.item[j].d;
    if (x->e.in_tree[j] || s->joints.item[j].announced) continue;
    if (d->type == LW_FIXED)
      write_pair(x, "weld", d->name, ".parent", ".child");
    else if (d->type == LW_SPHERICAL || d->type == LW_REVOLUTE)
      write_pair(x, "connect", d->name, ".parent", ".child");
    else
      lwi_export_lose(&x->e, "joint that closes a loop", d->name);
    if (d->type == LW_REVOLUTE) write_pair(x, "connect", d->name, ".parent2", ".child2");
  }
}

static void write_joint_name(mjcf *x, const char *key, const lw_term *t)
{
  const lw_joint_desc *d = &x->e.s->joints.item[t->joint.id - 1].d;
  const int n = lw_joint_type_nu(d->type, false);
  lwi_yaml_add(&x->e.text, " %s=\"", key);
  lwi_export_text(&x->e, d->name);
  if (n > 1) lwi_yaml_add(&x->e.text, "_%d", t->dof ? t->dof : 1);
  lwi_yaml_add(&x->e.text, "\"");
}

static double start_of(mjcf *x, const lw_term *t)
{
  double q[7] = {0}, u[6];
  lwi_export_coordinates(&x->e, t->joint.id - 1, q, u);
  return q[t->dof > 1 ? t->dof - 1 : 0];
}

/* c1 q1 + c2 q2 + ... = offset, where one of them has no powers; a gear keeps q2 - ratio q1 as it is at the start */
static void write_relation(mjcf *x, const lw_constraint_desc *d)
{
  lwi_export *e = &x->e;
  const bool gear = d->type == LW_GEAR;
  if ((!gear && d->type != LW_COUPLER) || d->nterm < 1 || d->nterm > 2) {
    lwi_export_lose(e, "constraint", d->name);
    return;
  }
  const bool swap = gear || (d->nterm == 2 && !lwi_export_is_linear(&d->terms[0]));
  const lw_term *a = &d->terms[swap ? 1 : 0], *b = d->nterm == 2 ? &d->terms[swap ? 0 : 1] : NULL;
  const double ratio = lwi_export_number(e, d->ratio);
  const double c1 = gear ? 1 : lwi_export_number(e, a->coefficient);
  const double c2 = gear ? -ratio : b ? lwi_export_number(e, b->coefficient) : 0;
  const double offset =
      gear ? start_of(x, a) - ratio * start_of(x, b) : lwi_export_number(e, d->offset);
  double polynomial[5] = {offset / c1, -c2 / c1};
  for (int k = 0; b && k < 3; k++)
    polynomial[2 + k] = -lwi_export_number(e, b->higher[k]) / c1;
  if (c1 == 0 || (!gear && !lwi_export_is_linear(a))) {
    lwi_export_lose(e, "constraint", d->name);
    return;
  }
  lwi_yaml_add(&e->text, "    <joint");
  lwi_export_name(e, d->name, 0, 1);
  write_joint_name(x, "joint1", a);
  if (b) write_joint_name(x, "joint2", b);
  lwi_export_numbers(e, "polycoef", polynomial, 5);
  lwi_yaml_add(&e->text, "/>\n");
}

static void write_springs(mjcf *x)
{
  lwi_export *e = &x->e;
  if (e->s->springs.n) lwi_yaml_add(&e->text, "  <tendon>\n");
  for (int i = 0; i < e->s->springs.n; i++) {
    const lw_spring_desc *d = &e->s->springs.item[i].d;
    if (d->tension != 0) {
      lwi_export_lose(e, "law of spring", d->name);
      continue;
    }
    const double v[3] = {lwi_export_number(e, d->stiffness), lwi_export_number(e, d->damping),
                         lwi_export_number(e, d->length)};
    lwi_yaml_add(&e->text, "    <spatial");
    lwi_export_name(e, d->name, 0, 1);
    lwi_export_numbers(e, "stiffness", &v[0], 1);
    lwi_export_numbers(e, "damping", &v[1], 1);
    lwi_export_numbers(e, "springlength", &v[2], 1);
    lwi_yaml_add(&e->text, "><site site=\"");
    lwi_export_text(e, d->name);
    lwi_yaml_add(&e->text, ".from\"/><site site=\"");
    lwi_export_text(e, d->name);
    lwi_yaml_add(&e->text, ".to\"/></spatial>\n");
  }
  if (e->s->springs.n) lwi_yaml_add(&e->text, "  </tendon>\n");
}

/* ---- the file ---- */

static bool write_all(mjcf *x)
{
  lwi_export *e = &x->e;
  const lw_spec *s = e->s;
  lwi_yaml_add(&e->text, "<mujoco model=\"");
  lwi_export_text(e, s->name ? s->name : "");
  lwi_yaml_add(&e->text, "\">\n  <compiler angle=\"radian\" autolimits=\"true\" "
                         "inertiafromgeom=\"false\"/>\n  <option");
  lwi_export_numbers(e, "gravity", e->m->gravity, 3);
  lwi_yaml_add(&e->text, "/>\n");
  write_assets(x);
  lwi_yaml_add(&e->text, "  <worldbody>\n");
  if (!write_inside(x, 0, -1)) return false;
  lwi_yaml_add(&e->text, "  </worldbody>\n  <equality>\n");
  write_loops(x);
  for (int i = 0; i < s->constraints.n; i++)
    if (!s->constraints.item[i].announced) write_relation(x, &s->constraints.item[i].d);
  lwi_yaml_add(&e->text, "  </equality>\n");
  write_springs(x);
  if (x->starts && x->qpos.text && x->qvel.text)
    lwi_yaml_add(&e->text,
                 "  <keyframe>\n    <key name=\"start\" qpos=\"%s\" qvel=\"%s\"/>\n  "
                 "</keyframe>\n",
                 x->qpos.text + 1, x->qvel.text + 1);
  lwi_yaml_add(&e->text, "</mujoco>\n");
  lwi_export_lose_rest(e);
  return true;
}

lw_status lwi_export_mjcf(lw_spec *s, const char *path, lw_error *err)
{
  mjcf x = {.e = {.s = s, .err = err, .path = path}, .qpos = {.spec = s}, .qvel = {.spec = s}};
  const bool ok = lwi_export_open(&x.e) && write_all(&x);
  if (x.qpos.full || x.qvel.full) x.e.text.full = true;
  lwi_yaml_text_free(&x.qpos);
  lwi_yaml_text_free(&x.qvel);
  return lwi_export_close(&x.e, ok);
}
