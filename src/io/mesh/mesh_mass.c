/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_mass.c -- volume, centre and inertia of a mesh.

   A triangle (a, b, c) and a point o make a pyramid of the volume V = (a - o) . ((b - o) x (c - o))
   / 6, with its centre at (o + a + b + c) / 4 and, for o = 0, the second moments
     integral x_i x_j = V/20 (s_i s_j + a_i a_j + b_i b_j + c_i c_j),  s = a + b + c
   which hold for the sum of all triangles of a closed surface whatever o is, since V has a sign.  A
   triangle by itself has area A, centre (a + b + c)/3 and second moments A/12 (s_i s_j + a_i a_j +
   b_i b_j + c_i c_j). */
#include "io/mesh/mesh.h"

#include "math/rotation.h"

#include <math.h>

typedef struct {
  const lwi_mesh *mesh;
  double from[3]; /* corners are taken from here */
} view;

static void corners(const view *v, int face, double p[3][3])
{
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      p[k][i] = v->mesh->vertex[v->mesh->face[face][k]][i] - v->from[i];
}

/* twice the area times the normal */
static void normal(double p[3][3], double out[3])
{
  double u[3], w[3];
  for (int i = 0; i < 3; i++)
    u[i] = p[1][i] - p[0][i], w[i] = p[2][i] - p[0][i];
  cross3(u, w, out);
}

/* What a triangle counts: volume of its pyramid, or its area. */
static double weight(double p[3][3], lwi_mesh_rule rule)
{
  double n[3];
  normal(p, n);
  if (rule == LWI_MESH_SHELL) return norm3(n) / 2;
  const double volume = dot3(p[0], n) / 6;
  return rule == LWI_MESH_LEGACY ? fabs(volume) : volume;
}

/* The sum of weights, and the centre of all: the apex of pyramids is the origin of the view. */
static double centre(const view *v, lwi_mesh_rule rule, double out[3])
{
  const double part = rule == LWI_MESH_SHELL ? 3 : 4;
  double sum = 0, c[3] = {0};
  for (int f = 0; f < v->mesh->nface; f++) {
    double p[3][3];
    corners(v, f, p);
    const double w = weight(p, rule);
    sum += w;
    for (int i = 0; i < 3; i++)
      c[i] += w * (p[0][i] + p[1][i] + p[2][i]) / part;
  }
  for (int i = 0; i < 3; i++)
    out[i] = v->from[i] + (sum != 0 ? c[i] / sum : 0);
  return sum;
}

static double second_moments(const view *v, lwi_mesh_rule rule, double S[6])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double part = rule == LWI_MESH_SHELL ? 12 : 20;
  double sum = 0;
  for (int f = 0; f < v->mesh->nface; f++) {
    double p[3][3], s[3];
    corners(v, f, p);
    const double whole = weight(p, rule), w = whole / part;
    sum += whole;
    for (int i = 0; i < 3; i++)
      s[i] = p[0][i] + p[1][i] + p[2][i];
    for (int k = 0; k < 6; k++) {
      const int i = row[k], j = column[k];
      S[k] += w * (s[i] * s[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
    }
  }
  return sum;
}

/* MuJoCo's way: the centre of the surface is the apex of the pyramids from which volume and centre
   of mass are found, and that one the apex for the inertia and for the volume that counts.  A
   surface written inside out, or mirrored, has a negative volume. */
bool lwi_mesh_measure(const lwi_mesh *m, lwi_mesh_rule rule, lwi_mesh_measures *out)
{
  view v = {m, {0}};
  double middle[3], S[6] = {0};
  *out = (lwi_mesh_measures){0};
  if (!(centre(&v, LWI_MESH_SHELL, middle) > 0)) return false;
  for (int i = 0; i < 3; i++)
    v.from[i] = middle[i];
  centre(&v, rule, out->com);
  for (int i = 0; i < 3; i++)
    v.from[i] = out->com[i];
  const double volume = second_moments(&v, rule, S);
  const double sign = volume < 0 ? -1 : 1, trace = S[0] + S[1] + S[2];
  out->volume = sign * volume;
  for (int k = 0; k < 6; k++)
    out->inertia[k] = sign * ((k < 3 ? trace : 0) - S[k]);
  return isfinite(trace) && out->volume > 0 && out->inertia[0] > 0 && out->inertia[1] > 0 &&
         out->inertia[2] > 0;
}
