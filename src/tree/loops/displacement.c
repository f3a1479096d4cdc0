/* SPDX-License-Identifier: Apache-2.0 */
/* displacement.c -- displacement x of tree coordinates q from others q0, its derivative, and the
   distance (displacement.h).  Rotations are compared by the quaternion r = e0* e. */
#include "tree/loops/displacement.h"
#include "tree/loops/derivative_data.h"

/* e0* e; with rates 0.5 e0 o (0, w0) and 0.5 e o (0, w) its derivative is 0.5 (r o (0, w) - (0, w0)
   o r) */
typedef struct {
  double s, v[3];
} turn;

static turn turn_between(const double e0[4], const double e[4])
{
  turn r = {.s = e0[0] * e[0] + dot3(e0 + 1, e + 1)};
  double c[3];
  cross3(e0 + 1, e + 1, c);
  for (int i = 0; i < 3; i++)
    r.v[i] = e0[0] * e[1 + i] - e[0] * e0[1 + i] - c[i];
  return r;
}

static turn turn_rate(const turn *r, const double w[3], const double w0[3])
{
  double a[3], b[3];
  turn r1 = {.s = 0.5 * (dot3(w0, r->v) - dot3(r->v, w))};
  cross3(r->v, w, a);
  cross3(w0, r->v, b);
  for (int i = 0; i < 3; i++)
    r1.v[i] = 0.5 * (r->s * (w[i] - w0[i]) + a[i] - b[i]);
  return r1;
}

static void put_turn(const turn *r, double x[3])
{
  for (int i = 0; i < 3; i++)
    x[i] = 2 * r->s * r->v[i];
}

static void put_turn_rate(const turn *r, const turn *r1, double x1[3])
{
  for (int i = 0; i < 3; i++)
    x1[i] = 2 * (r1->s * r->v[i] + r->s * r1->v[i]);
}

/* ---- values ---- */

static int first_quaternion(const lw_model *m, const lw_joint_info *j)
{
  if (j->type == LW_SPHERICAL) return 0;
  return j->type == LW_FREE && !m->planar ? 3 : -1;
}

void lwi_displacement(const lw_model *m, const double q[], const double q0[], double x[])
{
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    double difference[7];
    if (j->cut) continue;
    for (int k = 0; k < j->nq; k++)
      difference[k] = q[j->q + k] - q0[j->q + k];
    const int e = first_quaternion(m, j);
    /* translations, in the axes of the speeds; the entries of quaternions are overwritten below */
    lwi_joint_speeds_of(j->type, m->planar, j->nu, q + j->q, difference, x + j->u);
    if (e < 0) continue;
    const turn r = turn_between(q0 + j->q + e, q + j->q + e);
    put_turn(&r, x + j->u);
  }
}

/* ---- rates ---- */

/* d/dt (R^T (p - p0)) = v - R^T p0dot - w x R^T (p - p0) */
static void place_rate(const double w[3], const double v[3], const double x[3],
                       const double moved[3], double x1[3])
{
  double c[3];
  cross3(w, x, c);
  for (int i = 0; i < 3; i++)
    x1[i] = v[i] - moved[i] - c[i];
}

static void free_rate(const lw_model *m, const lw_joint_info *j, const double q[],
                      const double xi[], const double q0[], const double q01[7], double x1[])
{
  double difference[7], x[6], moved[6];
  for (int k = 0; k < j->nq; k++)
    difference[k] = q[k] - q0[k];
  lwi_joint_speeds_of(LW_FREE, m->planar, j->nu, q, difference, x);
  lwi_joint_speeds_of(LW_FREE, m->planar, j->nu, q, q01, moved);
  if (!m->planar) {
    place_rate(xi, xi + 3, x + 3, moved + 3, x1 + 3);
    return;
  }
  const double w[3] = {0, 0, xi[0]}, v[3] = {xi[1], xi[2], 0}, at[3] = {x[1], x[2], 0},
               went[3] = {moved[1], moved[2], 0};
  double out[3];
  place_rate(w, v, at, went, out);
  x1[0] = xi[0] - moved[0];
  x1[1] = out[0];
  x1[2] = out[1];
}

void lwi_displacement_rate(const lw_model *m, const double q[], const double xi[],
                           const double q0[], const double q01[], double x1[])
{
  const double nothing[7] = {0};
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    if (j->cut) continue;
    const double *from1 = q01 ? q01 + j->q : nothing;
    const int e = first_quaternion(m, j);
    if (j->type == LW_FREE) {
      free_rate(m, j, q + j->q, xi + j->u, q0 + j->q, from1, x1 + j->u);
    } else if (e < 0) {
      for (int k = 0; k < j->nu; k++)
        x1[j->u + k] = xi[j->u + k] - from1[k];
    }
    if (e < 0) continue;
    double w0[6];
    lwi_joint_speeds_of(LW_SPHERICAL, false, 3, q0 + j->q + e, from1 + e, w0);
    const turn r = turn_between(q0 + j->q + e, q + j->q + e), r1 = turn_rate(&r, xi + j->u, w0);
    put_turn_rate(&r, &r1, x1 + j->u);
  }
}

/* ---- distance ---- */

double lwi_half_square_distance(const lw_model *m, const double weight[], const double q[],
                                const double q0[], const double x[])
{
  double sum = 0;
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    if (j->cut) continue;
    const int e = first_quaternion(m, j);
    for (int k = e < 0 ? 0 : 3; k < j->nu; k++)
      sum += 0.5 * weight[j->u + k] * x[j->u + k] * x[j->u + k];
    if (e < 0) continue;
    const turn r = turn_between(q0 + j->q + e, q + j->q + e);
    for (int k = 0; k < 3; k++)
      sum += 2 * weight[j->u + k] * r.v[k] * r.v[k];
  }
  return sum;
}
