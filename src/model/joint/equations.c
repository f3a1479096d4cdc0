/* SPDX-License-Identifier: Apache-2.0 */
/* equations.c -- residual, rows and velocity terms of the equations between two frames (equations.h).

   Everything is derived with A at rest: with w, v the motion of B seen from A, a vector b of B has
   bdot = w x b, and n . b has the gradient b x n (by w) and, for constant w, the second derivative
   n . (w x (w x b)).  The motion of A comes in by the row JA and by lwi_relative_bias. */
#include "model/joint/equations.h"
#include "model/joint/touching.h"

typedef num_view view;

/* ---- the poles: half a turn away from parallel ----

   Closer to a pole than 1e-3 rad, where digits are lost and the way back has no direction, the equations
   are those of a pose TIP away from it: back along the arc if there is one to be seen. */

#define POLE 1e-6 /* of 1 + a . b and 1 + trace */
#define TIP 2e-3

/* b near -a becomes -a cos(TIP) + n sin(TIP), n the part of b across a, else e0 */
static void tip_direction(view *x)
{
  const num *a = x->a.c[2];
  if (!(value_of(1 + dot3(a, x->b)) < POLE)) return;
  const num s0 = dot3(x->a.c[0], x->b), s1 = dot3(x->a.c[1], x->b), s = num_hypot(s0, s1);
  for (int i = 0; i < 3; i++) {
    const num n = value_of(s) > 0 ? (s0 * x->a.c[0][i] + s1 * x->a.c[1][i]) / s : x->a.c[0][i];
    x->b[i] = n * sin(TIP) - a[i] * cos(TIP);
  }
}

/* Near half a turn Q + 1 is 2 n n^T: its largest column is the axis n, up to sign.  E on B is turned back about it. */
static void tip_axes(view *x)
{
  num S[3], n[3] = {0};
  double best = 0;
  if (!(value_of(1 + lwi_axial(&x->a, &x->t, S)) < POLE)) return;
  for (int k = 0; k < 3; k++) {
    num column[3] = {k == 0, k == 1, k == 2};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        column[j] += x->t.c[i][j] * x->a.c[i][k];
    if (value_of(column[k]) > best) best = value_of(column[k]), memcpy(n, column, sizeof n);
  }
  const num s = -sin(TIP) / (value_of(dot3(S, n)) < 0 ? -norm3(n) : norm3(n)), c = 1 - cos(TIP),
            n2 = dot3(n, n);
  for (int i = 0; i < 3; i++) {
    num y[3], z[3];
    cross3(n, x->t.c[i], y);
    cross3(n, y, z);
    for (int j = 0; j < 3; j++)
      x->t.c[i][j] += s * y[j] + c * z[j] / n2;
  }
}

/* what a row needs of a view: columns of a (bits 0 to 2), b, t */
enum { SEES_A = 7, SEES_B = 8, SEES_T = 16 };
static unsigned needs_of(int row)
{
  const unsigned wide = row <= LWI_TURN_2 ? SEES_A | SEES_T : SEES_A | SEES_B;
  if (row >= LWI_ROUND_0) return SEES_A;
  return row <= LWI_SHIFT_2 ? 1u << row : row == LWI_SPAN ? 1 : wide;
}

void lwi_equations_look(const num_equations *e, const num_frame *A, const num_frame *B, num_view *x)
{
  unsigned all = 0;
  for (int i = 0; i < e->n; i++)
    all |= needs_of(e->row[i]);
  for (int i = 0; i < 3; i++) {
    x->d[i] = B->p[i] - A->p[i];
    if (all >> i & 1) rot_mulv(A->R, e->E.c[i], x->a.c[i]);
  }
  if (all & SEES_B) rot_mulv(B->R, e->b, x->b);
  for (int i = 0; i < e->n; i++)
    if (e->row[i] == LWI_SWING_0) tip_direction(x);
  if (!(all & SEES_T)) return;
  for (int i = 0; i < 3; i++)
    rot_mulv(B->R, e->E.c[i], x->t.c[i]);
  tip_axes(x);
}

/* ---- turn and swing: Phi = 2 s / D ---- */

/* numerator and denominator, their gradients by w, and their second derivatives for constant w */
typedef struct {
  num s, D, gs[3], gD[3], s2, D2;
} quotient;

/* s = e_k . b, D = 1 + a . b */
static quotient swing(const view *x, int k, const num w[3])
{
  const num *n = x->a.c[k], *a = x->a.c[2];
  quotient f = {.s = dot3(n, x->b), .D = 1 + dot3(a, x->b)};
  num b2[3];
  cross3(x->b, n, f.gs);
  cross3(x->b, a, f.gD);
  cross3(w, x->b, b2);
  cross3(w, b2, b2);
  f.s2 = dot3(n, b2);
  f.D2 = dot3(a, b2);
  return f;
}

/* s = e_k . S and D = 1 + trace Q = 2 + 2 cos(angle), with
     Sdot = trace w - Q w,  tracedot = -S . w,  Qdot = w x Q */
static quotient turn(const view *x, int k, const num w[3])
{
  num S[3], Qw[3] = {0}, wQw[3];
  const num trace = lwi_axial(&x->a, &x->t, S), *n = x->a.c[k];
  quotient f = {.s = dot3(n, S), .D = 1 + trace};
  for (int i = 0; i < 3; i++) {
    f.gs[i] = trace * n[i];
    f.gD[i] = -S[i];
  }
  for (int i = 0; i < 3; i++) {
    const num tn = dot3(x->t.c[i], n), aw = dot3(x->a.c[i], w);
    for (int j = 0; j < 3; j++) {
      f.gs[j] -= x->a.c[i][j] * tn; /* Q^T n */
      Qw[j] += x->t.c[i][j] * aw;
    }
  }
  cross3(w, Qw, wQw);
  f.s2 = -dot3(S, w) * dot3(n, w) - dot3(n, wQw);
  f.D2 = -(trace * dot3(w, w) - dot3(Qw, w));
  return f;
}

static quotient quotient_of(const view *x, int row, const num w[3])
{
  const bool turns = row >= LWI_TURN_0 && row <= LWI_TURN_2;
  const int k = turns ? row - LWI_TURN_0 : row - LWI_SWING_0;
  return turns ? turn(x, k, w) : swing(x, k, w);
}

/* ---- one equation ---- */

/* the rate of lwi_relative_angle is w . (a + b) / (1 + a . b), with the same pole as swing */
static void angle_gradient(const view *x, num g[3])
{
  const num *a = x->a.c[2], D = 1 + dot3(a, x->b);
  for (int i = 0; i < 3; i++)
    g[i] = (a[i] + x->b[i]) / D;
}

static num row_value(const num_equations *e, const view *x, int row, const num_frame *A,
                     const num_frame *B, num near)
{
  const num rest[3] = {0}, *a = x->a.c[2];
  num u[3];
  switch (row) {
  case LWI_SHIFT_0:
  case LWI_SHIFT_1:
  case LWI_SHIFT_2: return dot3(x->a.c[row - LWI_SHIFT_0], x->d);
  case LWI_DOT: return (dot3(a, x->b) - e->number) / e->sine;
  case LWI_SCREW:
    return dot3(a, x->d) - e->number * lwi_relative_angle(&A->R, &B->R, e->E.c[2], near);
  case LWI_SPAN: return span_of(x, u) - e->number;
  case LWI_TOUCH: {
    num c[3], cdot[3];
    return dot3(a, x->d) - e->number * touch_point(e, x, rest, c, cdot);
  }
  case LWI_ROLL_0:
  case LWI_ROLL_1:
  case LWI_ROUND_0:
  case LWI_ROUND_1: return 0;
  default: {
    const quotient f = quotient_of(x, row, rest);
    return 2 * f.s / f.D;
  }
  }
}

static void row_gradient(const num_equations *e, const view *x, int row, num J[6])
{
  const num rest[3] = {0}, *a = x->a.c[2];
  memset(J, 0, 6 * sizeof(num));
  switch (row) {
  case LWI_SHIFT_0:
  case LWI_SHIFT_1:
  case LWI_SHIFT_2: memcpy(J + 3, x->a.c[row - LWI_SHIFT_0], 3 * sizeof(num)); return;
  case LWI_DOT:
    cross3(x->b, a, J);
    for (int i = 0; i < 3; i++)
      J[i] /= e->sine;
    return;
  case LWI_SCREW:
    angle_gradient(x, J);
    for (int i = 0; i < 3; i++)
      J[i] *= -e->number;
    memcpy(J + 3, a, 3 * sizeof(num));
    return;
  case LWI_SPAN: span_of(x, J + 3); return;
  case LWI_TOUCH:
  case LWI_ROLL_0:
  case LWI_ROLL_1: {
    const num *n = row == LWI_TOUCH ? a : x->a.c[row - LWI_ROLL_0];
    num c[3], cdot[3];
    touch_point(e, x, rest, c, cdot);
    cross3(c, n, J);
    memcpy(J + 3, n, 3 * sizeof(num));
    return;
  }
  case LWI_ROUND_0:
  case LWI_ROUND_1: {
    num tdot[3], c[3], cdot[3];
    round_direction(e, x, row - LWI_ROUND_0, rest, J + 3, tdot, c, cdot);
    cross3(c, J + 3, J);
    return;
  }
  default: {
    const quotient f = quotient_of(x, row, rest);
    for (int i = 0; i < 3; i++)
      J[i] = 2 * (f.gs[i] - f.s / f.D * f.gD[i]) / f.D;
  }
  }
}

/* d2Phi/dt2 for constant w, v and A at rest: Jdot rel */
static num row_curvature(const num_equations *e, const view *x, int row, const num rel[6])
{
  const num *w = rel, *v = rel + 3, *a = x->a.c[2];
  num y[3], z[3];
  switch (row) {
  case LWI_SHIFT_0:
  case LWI_SHIFT_1:
  case LWI_SHIFT_2: return 0;
  case LWI_DOT:
    cross3(w, x->b, y);
    cross3(w, y, z);
    return dot3(a, z) / e->sine;
  case LWI_SCREW: /* angledd = -angledot (a . b)dot / (1 + a . b) */
    angle_gradient(x, y);
    cross3(w, x->b, z);
    return e->number * dot3(y, w) * dot3(a, z) / (1 + dot3(a, x->b));
  case LWI_SPAN: {
    const num length = span_of(x, y), along = dot3(y, v);
    return value_of(length) > 0 ? (dot3(v, v) - along * along) / length : 0;
  }
  case LWI_TOUCH: /* n . (v + w x c) in both: c moves in the body */
  case LWI_ROLL_0:
  case LWI_ROLL_1: {
    touch_point(e, x, w, y, z);
    num turn[3];
    cross3(w, z, turn);
    return dot3(row == LWI_TOUCH ? a : x->a.c[row - LWI_ROLL_0], turn);
  }
  case LWI_ROUND_0:
  case LWI_ROUND_1: {
    num t[3], tdot[3], c[3], cdot[3], turn[3];
    round_direction(e, x, row - LWI_ROUND_0, v, t, tdot, c, cdot);
    cross3(w, c, y);
    cross3(w, cdot, turn);
    return dot3(tdot, v) + dot3(tdot, y) + dot3(t, turn);
  }
  default: {
    const quotient f = quotient_of(x, row, w);
    const num s1 = dot3(f.gs, w), r = dot3(f.gD, w) / f.D;
    return 2 * (f.s2 - 2 * s1 * r - f.s * (f.D2 / f.D - 2 * r * r)) / f.D;
  }
  }
}

/* J and Jdot rel of one row together: what they share is computed once */
static num row_and_curvature(const num_equations *e, const view *x, int row, const num rel[6],
                             num J[6])
{
  if (row < LWI_TURN_0 || row > LWI_SWING_1) {
    row_gradient(e, x, row, J);
    return row_curvature(e, x, row, rel);
  }
  const quotient f = quotient_of(x, row, rel);
  const num scale = 2 / f.D, part = f.s / f.D;
  const num s1 = dot3(f.gs, rel), r = dot3(f.gD, rel) / f.D;
  for (int i = 0; i < 3; i++) {
    J[i] = scale * (f.gs[i] - part * f.gD[i]);
    J[3 + i] = 0;
  }
  return scale * (f.s2 - 2 * s1 * r - f.s * (f.D2 / f.D - 2 * r * r));
}

/* ---- B as seen from A ---- */

void lwi_relative_bias(const num_frame *A, const num_frame *B, const num VA[6], const num rel[6],
                       num bias[6])
{
  num d[3], wd[3], x[3];
  for (int i = 0; i < 3; i++)
    d[i] = B->p[i] - A->p[i];
  cross3(VA, d, wd);
  for (int i = 0; i < 3; i++)
    x[i] = wd[i] + 2 * rel[3 + i];
  cross3(VA, rel, bias);
  cross3(VA, x, bias + 3);
}

void lwi_opposite_row(const num_frame *A, const num_frame *B, const num JB[6], num JA[6])
{
  num d[3], moment[3];
  for (int i = 0; i < 3; i++)
    d[i] = B->p[i] - A->p[i];
  cross3(d, JB + 3, moment);
  for (int i = 0; i < 3; i++) {
    JA[i] = -(JB[i] + moment[i]);
    JA[3 + i] = -JB[3 + i];
  }
}

/* ---- all equations of a set ---- */

void lwi_equations_residual(const num_equations *e, const num_frame *A, const num_frame *B,
                            num near, num phi[])
{
  view x;
  lwi_equations_look(e, A, B, &x);
  for (int i = 0; i < e->n; i++)
    phi[i] = row_value(e, &x, e->row[i], A, B, near);
}

void lwi_equations_jacobian(const num_equations *e, const num_frame *A, const num_frame *B,
                            num JA[][6], num JB[][6])
{
  view x;
  lwi_equations_look(e, A, B, &x);
  for (int i = 0; i < e->n; i++) {
    row_gradient(e, &x, e->row[i], JB[i]);
    lwi_opposite_row(A, B, JB[i], JA[i]);
  }
}

void lwi_equations_rows_seen(const num_equations *e, const num_view *x, num JB[][6])
{
  for (int i = 0; i < e->n; i++)
    row_gradient(e, x, e->row[i], JB[i]);
}

static num dot6(const num a[6], const num b[6])
{
  return dot3(a, b) + dot3(a + 3, b + 3);
}
/* of a pair at distance d */
static void relative_terms(const num d[3], const num VA[6], const num VB[6], num rel[6],
                           num bias[6])
{
  num wd[3], x[3];
  cross3(VA, d, wd);
  for (int i = 0; i < 3; i++) {
    rel[i] = VB[i] - VA[i];
    rel[3 + i] = VB[3 + i] - VA[3 + i] - wd[i];
    x[i] = wd[i] + 2 * rel[3 + i];
  }
  cross3(VA, rel, bias);
  cross3(VA, x, bias + 3);
}

/* 0 = Phidd = J (Vdot_B - Vdot_A taken along - bias) + Jdot rel */
void lwi_equations_gamma_seen(const num_equations *e, const num_view *x, const num VA[6],
                              const num VB[6], num gamma[])
{
  num rel[6], bias[6], J[6];
  relative_terms(x->d, VA, VB, rel, bias);
  for (int i = 0; i < e->n; i++) {
    if (e->row[i] <= LWI_SHIFT_2) {
      gamma[i] = dot3(x->a.c[e->row[i]], bias + 3);
      continue;
    }
    const num curvature = row_and_curvature(e, x, e->row[i], rel, J);
    gamma[i] = dot6(J, bias) - curvature;
  }
}

void lwi_equations_gamma(const num_equations *e, const num_frame *A, const num_frame *B,
                         const num VA[6], const num VB[6], num gamma[])
{
  view x;
  lwi_equations_look(e, A, B, &x);
  lwi_equations_gamma_seen(e, &x, VA, VB, gamma);
}

void lwi_equations_rows(const num_equations *e, const num_frame *A, const num_frame *B,
                        const num VA[6], const num VB[6], num JB[][6], num gamma[])
{
  view x;
  lwi_equations_look(e, A, B, &x);
  num rel[6], bias[6];
  lwi_relative_motion(A, B, VA, VB, rel);
  lwi_relative_bias(A, B, VA, rel, bias);
  for (int i = 0; i < e->n; i++) {
    const num curvature = row_and_curvature(e, &x, e->row[i], rel, JB[i]);
    gamma[i] = dot6(JB[i], bias) - curvature;
  }
}

/* a x e0 = e1 and a x e1 = -e0 are the directions of the swing rows where b = a */
static void row_direction(const num_equations *e, const view *x, int row, num D[6])
{
  memset(D, 0, 6 * sizeof(num));
  switch (row) {
  case LWI_TURN_0:
  case LWI_TURN_1:
  case LWI_TURN_2: memcpy(D, x->a.c[row - LWI_TURN_0], 3 * sizeof(num)); return;
  case LWI_SWING_0: memcpy(D, x->a.c[1], 3 * sizeof(num)); return;
  case LWI_SWING_1:
    for (int i = 0; i < 3; i++)
      D[i] = -x->a.c[0][i];
    return;
  case LWI_SCREW:
    for (int i = 0; i < 3; i++) {
      D[i] = -e->number * x->a.c[2][i];
      D[3 + i] = x->a.c[2][i];
    }
    return;
  default: row_gradient(e, x, row, D);
  }
}

void lwi_equations_directions(const num_equations *e, const num_frame *A, const num_frame *B,
                              num D[][6])
{
  view x;
  lwi_equations_look(e, A, B, &x);
  for (int i = 0; i < e->n; i++) {
    row_direction(e, &x, e->row[i], D[i]);
    const num length = num_sqrt(dot6(D[i], D[i]));
    for (int k = 0; k < 6; k++)
      D[i][k] /= length;
  }
}

void lwi_equations_load(const num_equations *e, num JB[][6], const num lambda[], num load[6])
{
  memset(load, 0, 6 * sizeof(num));
  for (int i = 0; i < e->n; i++)
    for (int k = 0; k < 3; k++) {
      load[k] += JB[i][3 + k] * lambda[i];
      load[3 + k] += JB[i][k] * lambda[i];
    }
}

/* the rows are orthogonal to each other where the equations hold */
void lwi_equations_multipliers(const num_equations *e, num JB[][6], const num load[6], num lambda[])
{
  for (int i = 0; i < e->n; i++)
    lambda[i] = (dot3(JB[i], load + 3) + dot3(JB[i] + 3, load)) / dot6(JB[i], JB[i]);
}
