/* SPDX-License-Identifier: Apache-2.0 */
/* robot_particles.c -- links with mass and without inertia, on joints that only turn them.

   Files of real robots leave inertias out.  A point mass is a good body where joints carry it
   around, but the coordinate of a joint whose axis goes through it, or the third of three rotations
   about one point, moves no inertia: the mass matrix is singular.  Where it is at the start, found
   from the pivots of M = L^T D L from the tips inward [RBDA, section 6.5], points that these joints
   move become spheres of the density of water. */
#include "io/robot/robot.h"

#include "io/robot/robot_frames.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };                /* columns: beyond this the matrix would take long */
static const double singular = 1e-9; /* of what the joint would move at most */
static const double water = 1000;    /* kg/m^3 */
static const double pi = 3.14159265358979323846;

typedef struct {
  lwi_robot *robot;
  int n, *link;      /* [n] columns, from the ground outward */
  int *joint;        /* [n] */
  double (*S)[6];    /* [n] motions [w; v] about the origin of the ground */
  double *M;         /* [n][n], the lower half */
  lwi_mass *inertia; /* [nlink] of all that moves with a link, in ground axes */
  lwi_frame *world;  /* [nlink] */
} mechanics;

/* ---- kinematics ---- */

static void add_column(mechanics *x, int joint, const double w[3], const double v[3])
{
  const int n = x->n++;
  memcpy(x->S[n], w, 3 * sizeof *w);
  memcpy(x->S[n] + 3, v, 3 * sizeof *v);
  x->joint[n] = joint;
  x->link[n] = x->robot->joint[joint].link;
}

static void add_turn(mechanics *x, int joint, const double axis[3], const double at[3])
{
  double v[3];
  cross3(at, axis, v);
  add_column(x, joint, axis, v);
}

static void add_columns(mechanics *x, int joint)
{
  static const double zero[3];
  const lwi_robot_joint *j = &x->robot->joint[joint];
  const lwi_frame X = x->world[j->link];
  double axis[3], at[3];
  rot_mulv(X.R, j->axis, axis);
  lwi_frame_point(X, j->at, at);
  if (j->type == LW_PRISMATIC) add_column(x, joint, zero, axis);
  if (j->type == LW_REVOLUTE || j->type == LW_PLANAR) add_turn(x, joint, axis, at);
  for (int i = 0; i < 3 && (j->type == LW_SPHERICAL || j->type == LW_FREE); i++)
    add_turn(x, joint, X.R.c[i], at);
  const rot3 plane = rot_mul(X.R, rot_aligning_z(j->axis));
  for (int i = 0; i < 2 && j->type == LW_PLANAR; i++)
    add_column(x, joint, zero, plane.c[i]);
  for (int i = 0; i < 3 && j->type == LW_FREE; i++)
    add_column(x, joint, zero, X.R.c[i]);
}

static void place_links(mechanics *x)
{
  const lwi_robot *r = x->robot;
  for (int i = 0; i < r->nlink; i++) {
    const lwi_robot_link *l = &r->link[i];
    x->world[i] = l->parent < 0 ? l->place : lwi_frame_mul(x->world[l->parent], l->place);
    if (l->base == i && !l->floats)
      for (int k = 0; k < l->njoint; k++)
        x->world[i] = lwi_frame_mul(x->world[i], lwi_robot_displacement(&r->joint[l->joint[k]]));
    x->inertia[i] = (lwi_mass){0};
    lwi_mass_add(&x->inertia[i], &l->own, x->world[i]);
  }
  for (int i = r->nlink - 1; i >= 0; i--)
    if (r->link[i].parent >= 0)
      lwi_mass_add(&x->inertia[r->link[i].parent], &x->inertia[i], lwi_frame_identity());
  for (int i = 0; i < r->njoint; i++)
    if (!r->joint[i].held) add_columns(x, i);
}

/* ---- the mass matrix ---- */

/* a^T I b */
static double product(const lwi_mass *m, const double a[6], const double b[6])
{
  double va[3], vb[3];
  const double *I = m->inertia;
  cross3(a, m->com, va);
  cross3(b, m->com, vb);
  for (int i = 0; i < 3; i++)
    va[i] += a[3 + i], vb[i] += b[3 + i];
  return m->mass * dot3(va, vb) + a[0] * (I[0] * b[0] + I[3] * b[1] + I[4] * b[2]) +
         a[1] * (I[3] * b[0] + I[1] * b[1] + I[5] * b[2]) +
         a[2] * (I[4] * b[0] + I[5] * b[1] + I[2] * b[2]);
}

static bool carries(const lwi_robot *r, int inner, int outer)
{
  while (outer > inner)
    outer = r->link[outer].parent;
  return outer == inner;
}

/* M_ij = S_i^T I S_j with the inertia I of what both move */
static void fill(mechanics *x)
{
  const int n = x->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const int outer = x->link[i] > x->link[j] ? x->link[i] : x->link[j];
      const int inner = x->link[i] > x->link[j] ? x->link[j] : x->link[i];
      const bool both = carries(x->robot, inner, outer);
      x->M[i * n + j] = both ? product(&x->inertia[outer], x->S[i], x->S[j]) : 0;
    }
  for (int i = 0; i < n; i++)
    x->M[i * n + i] += x->robot->joint[x->joint[i]].armature;
}

/* What a joint at the same point would move about the worst axis, at most. */
static double most_of(const mechanics *x, int column)
{
  const lwi_robot_joint *j = &x->robot->joint[x->joint[column]];
  const lwi_mass *m = &x->inertia[x->link[column]];
  const double *S = x->S[column];
  double at[3];
  if (S[0] == 0 && S[1] == 0 && S[2] == 0) return m->mass + j->armature;
  lwi_frame_point(x->world[x->link[column]], j->at, at);
  for (int i = 0; i < 3; i++)
    at[i] -= m->com[i];
  return m->mass * dot3(at, at) + m->inertia[0] + m->inertia[1] + m->inertia[2] + j->armature;
}

/* An inertia that is none but for rounding errors, as in robot_inertia.c. */
static double least_of(const mechanics *x, int column)
{
  const double *S = x->S[column];
  return S[0] == 0 && S[1] == 0 && S[2] == 0 ? 0 : 1e-14 * x->inertia[x->link[column]].mass;
}

static void make_spheres(lwi_robot *r, int link, lwi_listing *made)
{
  for (int i = link; i < r->nlink; i++) {
    lwi_mass *m = &r->link[i].own;
    bool point = m->mass > 0 && carries(r, link, i);
    for (int k = 0; k < 6; k++)
      point = point && m->inertia[k] == 0;
    if (!point) continue;
    const double radius = cbrt(3 * m->mass / (4 * pi * water));
    for (int k = 0; k < 3; k++)
      m->inertia[k] = 0.4 * m->mass * radius * radius;
    lwi_listing_add(made, r->link[i].name);
  }
}

/* Columns come in the order of the file: those of outer links are eliminated first. */
static int next_tip(const mechanics *x, const bool *done)
{
  int tip = -1;
  for (int i = 0; i < x->n; i++)
    if (!done[i] && (tip < 0 || x->link[i] >= x->link[tip])) tip = i;
  return tip;
}

static double *entry(const mechanics *x, int i, int j)
{
  return &x->M[i > j ? i * x->n + j : j * x->n + i];
}

static bool find_singular(mechanics *x, lwi_listing *made)
{
  bool *done = LWI_TAKE(&x->robot->arena, x->n + 1, bool);
  if (!done) return lwi_xml_no_memory(x->robot->root, x->robot->err);
  for (int left = x->n; left > 0; left--) {
    const int k = next_tip(x, done);
    const double pivot = *entry(x, k, k);
    done[k] = true;
    if (!(pivot > fmax(singular * most_of(x, k), least_of(x, k)))) {
      make_spheres(x->robot, x->link[k], made);
      continue;
    }
    for (int i = 0; i < x->n; i++) {
      const double part = done[i] ? 0 : *entry(x, i, k) / pivot;
      for (int j = 0; j <= i && part != 0; j++)
        if (!done[j]) *entry(x, i, j) -= part * *entry(x, j, k);
    }
  }
  return true;
}

static bool has_points(const lwi_robot *r)
{
  for (int i = 0; i < r->nlink; i++) {
    const lwi_mass *m = &r->link[i].own;
    if (m->mass > 0 && m->inertia[0] == 0 && m->inertia[1] == 0 && m->inertia[2] == 0) return true;
  }
  return false;
}

bool lwi_robot_check_particles(lwi_robot *r)
{
  mechanics x = {.robot = r};
  lwi_listing made = {0};
  int n = 0;
  for (int i = 0; i < r->njoint; i++)
    n += r->joint[i].held ? 0 : lw_joint_type_nu(r->joint[i].type, false);
  if (n == 0 || n > MOST || r->options->inertia == LW_INERTIA_KEEP || !has_points(r)) return true;
  x.link = LWI_TAKE(&r->arena, n, int);
  x.joint = LWI_TAKE(&r->arena, n, int);
  x.S = lwi_arena_take(&r->arena, (size_t)n, sizeof *x.S);
  x.M = LWI_TAKE(&r->arena, n * n, double);
  x.inertia = LWI_TAKE(&r->arena, r->nlink, lwi_mass);
  x.world = LWI_TAKE(&r->arena, r->nlink, lwi_frame);
  if (!x.link || !x.joint || !x.S || !x.M || !x.inertia || !x.world)
    return lwi_xml_no_memory(r->root, r->err);
  place_links(&x);
  fill(&x);
  if (!find_singular(&x, &made)) return false;
  if (made.n)
    lwi_robot_note(r,
                   "the links %s have mass and no inertia, and joints that only turn them: taken "
                   "as spheres of "
                   "1000 kg/m^3 (--inertia keep: as written)",
                   lwi_listing_text(&made));
  return true;
}
