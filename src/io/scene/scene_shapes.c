/* SPDX-License-Identifier: Apache-2.0 */
/* scene_shapes.c -- solids for bodies of which joints, mass and inertia are known.

   A body between joints is drawn as links between them; a body that is wide for its joints as the
   solid of constant density with its inertia (solid_of_inertia.c), and struts to the joints outside
   it. */
#include "io/scene/solid_of_inertia.h"
#include "math/arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lwi_shapes_add(lwi_shapes *out, const lw_scene_shape *shape)
{
  if (!lwi_grow(&out->shape, out->n, &out->capacity, sizeof *out->shape)) {
    out->full = true;
    return;
  }
  out->shape[out->n] = *shape;
  if (shape->type != LW_SHAPE_MESH) out->shape[out->n].mesh = -1;
  out->n++;
}

static double distance(const double a[3], const double b[3])
{
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return norm3(d);
}

static void add_link(lwi_shapes *out, int b, const double from[3], const double to[3],
                     double radius)
{
  const double length = distance(from, to);
  if (!(length > out->thickness / 4)) return;
  lw_scene_shape link = {.body = {b}, .type = LW_SHAPE_CAPSULE, .size = {radius, length}};
  double z[3];
  for (int i = 0; i < 3; i++) {
    z[i] = (to[i] - from[i]) / length;
    link.pose.p[i] = (from[i] + to[i]) / 2;
  }
  quat_from_rot(rot_aligning_z(z), link.pose.quat);
  lwi_shapes_add(out, &link);
}

static void add_ball(lwi_shapes *out, int b, const double at[3], double radius)
{
  const lw_scene_shape ball = {.body = {b},
                               .type = LW_SHAPE_SPHERE,
                               .pose = {.p = {at[0], at[1], at[2]}, .quat = {1}},
                               .size = {radius}};
  lwi_shapes_add(out, &ball);
}

/* From the places outside the solid to the nearest point of it. */
static void add_struts(lwi_shapes *out, const lw_scene_shape *solid, int n, const double (*at)[3])
{
  const rot3 R = rot_from_quat(solid->pose.quat);
  double half[3];
  lwi_solid_half_sizes(solid, half);
  for (int k = 0; k < n; k++) {
    double d[3], local[3], near[3], to[3];
    for (int i = 0; i < 3; i++)
      d[i] = at[k][i] - solid->pose.p[i];
    rot_tmulv(R, d, local);
    for (int i = 0; i < 3; i++)
      near[i] = fmax(-0.9 * half[i], fmin(0.9 * half[i], local[i]));
    rot_mulv(R, near, to);
    for (int i = 0; i < 3; i++)
      to[i] += solid->pose.p[i];
    if (distance(at[k], to) > out->thickness / 2)
      add_link(out, solid->body.id, to, at[k], out->thickness / 2);
  }
}

/* A triangle for three places, a star for more. */
static void add_frame(lwi_shapes *out, int b, int n, const double (*at)[3])
{
  const double r = out->thickness / 2;
  double mean[3] = {0};
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++)
      mean[i] += at[k][i] / n;
  for (int k = 0; k < n; k++)
    add_link(out, b, at[k], n == 3 ? at[(k + 1) % 3] : mean, r);
}

/* Between two joints: as thick as the inertia says, within what still looks like a link. */
static void add_bar(lwi_shapes *out, int b, const lwi_solid_guess *guess, const double (*at)[3])
{
  const double length = distance(at[0], at[1]), least = out->thickness / 2;
  double r = guess->known && !out->s->m->planar ? 0.22 * (guess->edge[1] + guess->edge[2]) : least;
  r = fmax(fmin(r, 0.22 * length), fmin(least, 0.3 * length));
  add_link(out, b, at[0], at[1], r);
}

/* The part of the body that is nowhere near the line between its joints. */
static void add_outlier(lwi_shapes *out, int b, const lwi_solid_guess *guess, int n,
                        const double (*at)[3])
{
  const double *com = out->s->s.body[b].com;
  double nearest = INFINITY, reach = 0, mean[3] = {0};
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < 3; i++)
      mean[i] += at[k][i] / n;
    nearest = fmin(nearest, distance(at[k], com));
    reach = fmax(reach, distance(at[k], at[0]));
  }
  if (!guess->known || nearest < 0.8 * reach || distance(mean, com) < 0.8 * reach) return;
  lwi_shapes_add(out, &guess->shape);
  add_link(out, b, mean, com, out->thickness / 2);
}

static void add_body(lwi_shapes *out, int b, int n, const double (*at)[3])
{
  const lwi_solid_guess guess = lwi_solid_of_inertia(out->s, b, out->thickness);
  double reach = 0;
  for (int k = 0; k < n; k++)
    reach = fmax(reach, distance(at[k], at[0]));
  const bool wide = guess.known && n > 2 && guess.edge[1] > 0.35 * reach;
  const bool links = n >= 2 && !guess.given && (out->s->m->planar || !wide);
  if (links && n == 2)
    add_bar(out, b, &guess, at);
  else if (links)
    add_frame(out, b, n, at);
  if (links)
    add_outlier(out, b, &guess, n, at);
  else if (guess.known) {
    lw_scene_shape solid = guess.shape;
    solid.guessed = wide && !guess.given;
    lwi_shapes_add(out, &solid);
    add_struts(out, &solid, n, at);
  } else if (n == 1) {
    add_ball(out, b, out->s->s.body[b].com, 1.4 * out->thickness);
    add_link(out, b, at[0], out->s->s.body[b].com, out->thickness / 2);
  }
}

/* Wheels and feet that touch others. */
static void add_contact(lwi_shapes *out, const lw_contact_desc *c)
{
  if (!(c->radius > 0) || c->body.id == 0) return;
  if (norm3(c->axis) == 0) {
    add_ball(out, c->body.id, c->at, c->radius);
    return;
  }
  lw_scene_shape disc = {.body = c->body,
                         .type = LW_SHAPE_CYLINDER,
                         .pose = {.p = {c->at[0], c->at[1], c->at[2]}},
                         .size = {c->radius, 0.25 * c->radius}};
  double z[3];
  for (int i = 0; i < 3; i++)
    z[i] = c->axis[i] / norm3(c->axis);
  quat_from_rot(rot_aligning_z(z), disc.pose.quat);
  lwi_shapes_add(out, &disc);
}

/* From the median distance of neighbouring joints; without joints from the space that each body
   has. */
static double thickness_of(const lwi_scene *s, const lwi_attachments *a, double length[])
{
  int n = 0;
  for (int b = 1; b <= s->s.nbody; b++) {
    const double(*at)[3] = (const double(*)[3])a->at + a->body[b].first;
    const double *to = a->body[b].n > 1 ? at[1] : s->s.body[b].com;
    const double d = a->body[b].n > 0 ? distance(at[0], to) : 0;
    if (d > 1e-6 * s->s.size) length[n++] = d;
  }
  qsort(length, (size_t)n, sizeof *length, lwi_compare_numbers);
  const double spacing = s->s.size / cbrt(fmax(1, s->s.nbody));
  const double typical = n > 0 ? length[n / 2] : spacing;
  return 0.09 * fmin(typical, 2.5 * spacing * cbrt(fmax(1, s->s.nbody)));
}

bool lwi_scene_make_shapes(lwi_scene *s, const lwi_attachments *a)
{
  double *length = malloc(((size_t)s->s.nbody + 1) * sizeof *length);
  if (!length) return false;
  lwi_shapes out = {.s = s, .thickness = thickness_of(s, a, length)};
  free(length);
  bool *looks = calloc((size_t)s->s.nbody + 1, sizeof *looks);
  if (!looks) return false;
  if (!(out.thickness > 0)) out.thickness = 0.05;
  if (!(s->s.size > 0)) s->s.size = 10 * out.thickness;
  lwi_shapes_add_given(&out, looks);
  for (int b = 1; b <= s->s.nbody; b++)
    if (!looks[b]) add_body(&out, b, a->body[b].n, (const double(*)[3])a->at + a->body[b].first);
  for (int i = 0; i < s->s.ncontact; i++)
    if (!looks[s->s.contact[i].body.id]) add_contact(&out, &s->s.contact[i]);
  free(looks);
  s->s.nshape = out.n;
  s->s.shape = lwi_arena_copy(&s->arena, out.shape, (size_t)out.n, sizeof *out.shape);
  s->s.thickness = out.thickness;
  free(out.shape);
  return !out.full && s->s.shape;
}
