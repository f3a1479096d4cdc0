/* SPDX-License-Identifier: Apache-2.0 */
/* solid_of_inertia.c -- from principal moments to a sphere, cylinder or box:
     sphere    I = 2/5 m r^2
     cylinder  I_axis = 1/2 m r^2, I_across = m r^2 / 4 + m h^2 / 12
     box       I_x = m (b^2 + c^2) / 12, and so on */
#include "io/scene/solid_of_inertia.h"
#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

static bool same(double a, double b)
{
  return fabs(a - b) <= 0.02 * (fabs(a) + fabs(b));
}

static double root(double x)
{
  return x > 0 ? sqrt(x) : 0;
}

/* Principal moments per mass and axes, right-handed, as columns. */
static rot3 principal_axes(const double I[6], double mass, double moment[3])
{
  double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, V[9];
  lwi_symmetric_eigen(3, A, V, moment);
  for (int i = 0; i < 3; i++)
    moment[i] /= mass;
  cross3(V, V + 3, V + 6);
  return rot_columns(V);
}

/* The axis whose moment differs from the two others; -1: all differ. */
static int axis_of_symmetry(const double moment[3])
{
  for (int i = 0; i < 3; i++)
    if (same(moment[(i + 1) % 3], moment[(i + 2) % 3])) return i;
  return -1;
}

static void make_cylinder(lw_scene_shape *s, rot3 R, int axis, const double moment[3], double least)
{
  const double r = root(2 * moment[axis]), across = moment[(axis + 1) % 3];
  const double h = root(12 * (across - r * r / 4));
  double unit[3] = {0}, z[3];
  unit[axis] = 1;
  rot_mulv(R, unit, z);
  quat_from_rot(rot_aligning_z(z), s->pose.quat);
  s->type = LW_SHAPE_CYLINDER;
  s->size[0] = fmax(r, least / 2);
  s->size[1] = fmax(h, least);
  if (s->size[1] > 6 * s->size[0]) s->type = LW_SHAPE_CAPSULE;
}

static void make_box(lw_scene_shape *s, rot3 R, const double moment[3], double least)
{
  s->type = LW_SHAPE_BOX;
  const double sum = (moment[0] + moment[1] + moment[2]) / 2;
  for (int i = 0; i < 3; i++)
    s->size[i] = fmax(root(12 * (sum - moment[i])), least);
  quat_from_rot(R, s->pose.quat);
}

/* Of a planar body whose moment alone is known: a disc. */
static void make_disc(lw_scene_shape *s, double moment, double thickness)
{
  s->type = LW_SHAPE_CYLINDER;
  s->pose.quat[0] = 1;
  s->size[0] = fmax(root(2 * moment), thickness);
  s->size[1] = thickness;
}

static void sort_edges(const double half[3], double edge[3])
{
  for (int i = 0; i < 3; i++) {
    int k = i;
    for (; k > 0 && edge[k - 1] < 2 * half[i]; k--)
      edge[k] = edge[k - 1];
    edge[k] = 2 * half[i];
  }
}

void lwi_solid_half_sizes(const lw_scene_shape *s, double half[3])
{
  for (int i = 0; i < 3; i++)
    half[i] = s->type == LW_SHAPE_BOX ? s->size[i] / 2 : s->size[0];
  if (s->type == LW_SHAPE_CYLINDER) half[2] = s->size[1] / 2;
  if (s->type == LW_SHAPE_CAPSULE) half[2] = s->size[1] / 2 + s->size[0];
}

static lw_solid_type solid_type(const lw_model *m, int body)
{
  return m->spec && body <= m->spec->bodies.n ? m->spec->bodies.item[body - 1].d.solid.type
                                              : LW_SOLID_NONE;
}

lwi_solid_guess lwi_solid_of_inertia(const lwi_scene *s, int body, double thickness)
{
  const lwi_solid *from = &s->m->solid[body];
  const lw_solid_type type = solid_type(s->m, body);
  lwi_solid_guess g = {.known = from->mass > 0,
                       .given = type == LW_SOLID_BOX || type == LW_SOLID_SPHERE ||
                                type == LW_SOLID_CYLINDER,
                       .shape = {.body = {body}}};
  if (!g.known) return g;
  memcpy(g.shape.pose.p, from->com, sizeof from->com);
  double moment[3];
  const rot3 R = principal_axes(from->inertia, from->mass, moment);
  const int axis = axis_of_symmetry(moment);
  const double least = 0.3 * thickness;
  if (from->particle || !(moment[0] + moment[1] + moment[2] > 0)) {
    g.shape.type = LW_SHAPE_SPHERE;
    g.shape.pose.quat[0] = 1;
    g.shape.size[0] = 1.2 * thickness;
  } else if (s->m->planar && type == LW_SOLID_NONE) {
    make_disc(&g.shape, from->inertia[2] / from->mass, thickness);
  } else if (type == LW_SOLID_BOX || axis < 0) {
    make_box(&g.shape, R, moment, least);
  } else if (same(moment[0], moment[1]) && same(moment[1], moment[2])) {
    g.shape.type = LW_SHAPE_SPHERE;
    g.shape.pose.quat[0] = 1;
    g.shape.size[0] = fmax(root(2.5 * moment[0]), least);
  } else {
    make_cylinder(&g.shape, R, axis, moment, type == LW_SOLID_ROD ? thickness : least);
  }
  double half[3];
  lwi_solid_half_sizes(&g.shape, half);
  sort_edges(half, g.edge);
  /* as large as the whole mechanism: a number that somebody had to write, not an inertia */
  if (!g.given && s->s.nbody > 2 && g.edge[0] > 2.5 * s->s.size) g.known = false;
  return g;
}
