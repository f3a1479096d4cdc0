/* SPDX-License-Identifier: Apache-2.0 */
/* robot_effective.c -- the inertia that one coordinate of a robot moves in the reference
   configuration: with all others at rest, the diagonal M_ii of its mass matrix; with all others
   free, 1 / (M^-1)_ii.

   With the motion s_i = [w; v at the ground's origin] of each freedom and the spatial inertia I_k
   of all that is outward of
   the outer one of two,  M_ij = s_i^T I_k s_j, if one of the joints is outward of the other. */
#include "io/robot/robot.h"

#include "io/robot/robot_frames.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static bool is_outward(const lwi_robot *r, int link, int of)
{
  while (link > of)
    link = r->link[link].parent;
  return link == of;
}

/* of all that moves with a link, in the ground */
static lwi_mass outward_mass(const lwi_robot *r, const lwi_frame world[], int link)
{
  lwi_mass all = {0};
  for (int i = link; i < r->nlink; i++)
    if (is_outward(r, i, link)) lwi_mass_add(&all, &r->link[i].own, world[i]);
  return all;
}

lwi_robot_freedom lwi_robot_freedom_of(const lwi_robot *r, const lwi_frame world[], int joint,
                                       int k)
{
  const lwi_robot_joint *j = &r->joint[joint];
  const bool turn =
      j->type == LW_REVOLUTE || j->type == LW_SPHERICAL || (j->type == LW_FREE && k < 3);
  lwi_robot_freedom f = {.link = j->link, .armature = j->armature};
  double axis[3] = {0}, at[3];
  if (lw_joint_type_nu(j->type, false) == 1)
    memcpy(axis, j->axis, sizeof axis);
  else
    axis[k % 3] = 1, f.armature = 0;
  lwi_frame_point(world[j->link], j->at, at);
  rot_mulv(world[j->link].R, axis, turn ? f.w : f.v);
  if (turn) cross3(at, f.w, f.v);
  return f;
}

void lwi_robot_velocity(const lwi_robot *r, const lwi_robot_freedom *f, int link, const double p[3],
                        double out[3])
{
  double turned[3];
  const bool moves = link >= f->link && is_outward(r, link, f->link);
  cross3(f->w, p, turned);
  for (int i = 0; i < 3; i++)
    out[i] = moves ? f->v[i] + turned[i] : 0;
}

/* [w; v]^T I [w2; v2] of a body whose mass properties are given in the ground */
static double product(const lwi_mass *m, const lwi_robot_freedom *a, const lwi_robot_freedom *b)
{
  const double *I = m->inertia, *w = b->w;
  const double turned[3] = {I[0] * w[0] + I[3] * w[1] + I[4] * w[2],
                            I[3] * w[0] + I[1] * w[1] + I[5] * w[2],
                            I[4] * w[0] + I[5] * w[1] + I[2] * w[2]};
  double va[3], vb[3];
  cross3(a->w, m->com, va);
  cross3(b->w, m->com, vb);
  for (int i = 0; i < 3; i++)
    va[i] += a->v[i], vb[i] += b->v[i];
  return dot3(a->w, turned) + m->mass * dot3(va, vb);
}

double lwi_robot_inertia_of(const lwi_robot *r, const lwi_frame world[], const lwi_robot_freedom *f)
{
  const lwi_mass all = outward_mass(r, world, f->link);
  return product(&all, f, f) + f->armature;
}

/* ---- with all others free ---- */

/* M, dense: lower half */
static void fill(const lwi_robot *r, const lwi_frame world[], const lwi_robot_freedom f[], int n,
                 double *M)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const int outer = f[i].link > f[j].link ? f[i].link : f[j].link;
      const int inner = f[i].link > f[j].link ? f[j].link : f[i].link;
      if (!is_outward(r, outer, inner)) continue;
      const lwi_mass all = outward_mass(r, world, outer);
      M[i * n + j] = M[j * n + i] = product(&all, &f[i], &f[j]) + (i == j ? f[i].armature : 0);
    }
}

bool lwi_robot_free_inertia(lwi_robot *r, const lwi_frame world[], int joint, double *out)
{
  int n = 0, at = 0;
  for (int i = 0; i < r->njoint; i++)
    n += lw_joint_type_nu(r->joint[i].type, false);
  lwi_robot_freedom *f = LWI_TAKE(&r->arena, n, lwi_robot_freedom);
  double *M = LWI_TAKE(&r->arena, n * (n + 1), double), *e = M ? M + n * n : NULL;
  if (!f || !M) return lwi_xml_no_memory(r->root, r->err);
  for (int i = 0, k = 0; i < r->njoint; i++) {
    if (i == joint) at = k;
    for (int d = 0; d < lw_joint_type_nu(r->joint[i].type, false); d++)
      f[k++] = lwi_robot_freedom_of(r, world, i, d);
  }
  fill(r, world, f, n, M);
  e[at] = 1;
  *out = 0;
  if (!lwi_cholesky(n, M)) return true;
  lwi_solve_lower(n, 1, M, e);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += e[i] * e[i];
  *out = 1 / sum;
  return true;
}
