/* SPDX-License-Identifier: Apache-2.0 */
/* joining_rows.c -- rows and gamma of the most frequent sets, in few operations: those that hold points of two bodies
   together and, of joints of the spanning tree, directions. */
#include "cartesian/form/cartesian.h"

static const lwi_equations *equations_of(const lw_cartesian *c, const lwi_row_set *s)
{
  return s->joint ? &c->m->joint[s->joint].equations : &c->m->constraint[s->constraint].equations;
}
static const lwi_body_pair_state *frames_of(const lw_cartesian *c, const lwi_row_set *s)
{
  return &c->at[s->joint ? s->joint : c->m->njoint + s->constraint];
}
/* Rows n . d of planar models, n fixed in A: [arm x n; n] on B, opposite on A at the same point. */
static void planar_shift_rows(double *out[2], const lwi_equations *e, const lwi_body_pair_state *p,
                              lwi_view *x)
{
  const double(*R)[4] = p->frame[0].R.c, *arm = p->arm[1];
  const double reach[2] = {p->arm[0][0] + x->d[0], p->arm[0][1] + x->d[1]};
  for (int r = 0; r < e->n; r++) {
    const double *E = e->E.c[e->row[r]];
    const double nx = R[0][0] * E[0] + R[1][0] * E[1] + R[2][0] * E[2];
    const double ny = R[0][1] * E[0] + R[1][1] * E[1] + R[2][1] * E[2];
    x->a.c[e->row[r]][0] = nx;
    x->a.c[e->row[r]][1] = ny;
    if (out[0]) {
      out[0][3 * r] = reach[1] * nx - reach[0] * ny;
      out[0][3 * r + 1] = -nx;
      out[0][3 * r + 2] = -ny;
    }
    if (!out[1]) continue;
    out[1][3 * r] = arm[0] * ny - arm[1] * nx;
    out[1][3 * r + 1] = nx;
    out[1][3 * r + 2] = ny;
  }
}

/* The same of spatial ones; of a direction of A that B shares, a turn about another one (equations.h). */
static void joining_row(double *out[2], int row, lwi_view *x, const double reach[3],
                        const double arm[3])
{
  const bool shift = row <= LWI_SHIFT_2;
  const double *n = x->a.c[shift ? row : row == LWI_SWING_0 ? 1 : 0];
  const double sign = row == LWI_SWING_1 ? -1 : 1;
  for (int side = 0; side < 2; side++) {
    const double factor = side ? sign : -sign;
    double moment[3] = {n[0], n[1], n[2]};
    if (!out[side]) continue;
    if (shift) cross3(side ? arm : reach, n, moment);
    for (int k = 0; k < 3; k++) {
      out[side][k] = factor * moment[k];
      out[side][3 + k] = shift ? factor * n[k] : 0;
    }
    out[side] += 6;
  }
}

static void joining_rows_of(double *out[2], const lwi_row_set *s, const lwi_equations *e,
                            const lwi_body_pair_state *p, lwi_view *x)
{
  const double reach[3] = {p->arm[0][0] + x->d[0], p->arm[0][1] + x->d[1], p->arm[0][2] + x->d[2]};
  for (int k = 0; k < 3; k++)
    rot_mulv(p->frame[0].R, e->E.c[k], x->a.c[k]);
  for (int r = 0; r < s->n; r++)
    joining_row(out, e->row[r], x, reach, p->arm[1]);
}

/* The rows of a set that holds points, and directions, together. */
void lwi_joining_rows(lw_cartesian *c, const lwi_row_set *s)
{
  const lwi_body_pair_state *p = frames_of(c, s);
  const lwi_equations *e = equations_of(c, s);
  const int *at = c->side[s->term], size = s->n * c->width;
  double *first = c->jacobian + s->J;
  double *out[2] = {at[0] < 0 ? NULL : first + (size_t)(at[0] * size),
                    at[1] < 0 ? NULL : first + (size_t)(at[1] * size)};
  lwi_view *x = &c->view[s - c->set];
  for (int k = 0; k < 3; k++)
    x->d[k] = p->frame[1].p[k] - p->frame[0].p[k];
  if (c->width == 3)
    planar_shift_rows(out, e, p, x);
  else
    joining_rows_of(out, s, e, p, x);
}

/* Of rows n . d both points have the same acceleration but for what A's turning adds; of directions turns have. */
void lwi_joining_gamma(lw_cartesian *c, const lwi_row_set *s)
{
  const lwi_body_pair_state *p = frames_of(c, s);
  const lwi_equations *e = equations_of(c, s);
  const lwi_view *x = &c->view[s - c->set];
  const double *A = p->V[0], *B = p->V[1];
  double sum[3];
  if (c->width == 3) {
    const double w = A[2], v = B[2] * B[2], own = w * w, *arm = p->arm[1];
    const double dvx = B[3] - A[3] + w * x->d[1], dvy = B[4] - A[4] - w * x->d[0];
    sum[0] = -own * (x->d[0] + p->arm[0][0]) - 2 * w * dvy + v * arm[0];
    sum[1] = -own * (x->d[1] + p->arm[0][1]) + 2 * w * dvx + v * arm[1];
    for (int r = 0; r < s->n; r++)
      c->gamma[s->row + r] = x->a.c[e->row[r]][0] * sum[0] + x->a.c[e->row[r]][1] * sum[1];
    return;
  }
  double reach[3], turn[3], rate[3], swing_of_B[3];
  for (int k = 0; k < 3; k++)
    reach[k] = p->arm[0][k] + x->d[k];
  cross3(A, x->d, turn);
  for (int k = 0; k < 3; k++)
    rate[k] = 2 * (B[3 + k] - A[3 + k] - turn[k]);
  cross3(A, reach, turn);
  for (int k = 0; k < 3; k++)
    rate[k] += turn[k];
  cross3(A, rate, sum);
  cross3(B, p->arm[1], swing_of_B);
  cross3(B, swing_of_B, swing_of_B);
  for (int k = 0; k < 3; k++)
    sum[k] -= swing_of_B[k];
  cross3(A, B, turn);
  for (int r = 0; r < s->n; r++) {
    double *gamma = &c->gamma[s->row + r];
    switch (e->row[r]) {
    case LWI_SWING_0: *gamma = dot3(x->a.c[1], turn); break;
    case LWI_SWING_1: *gamma = -dot3(x->a.c[0], turn); break;
    default: *gamma = dot3(x->a.c[e->row[r]], sum);
    }
  }
}
