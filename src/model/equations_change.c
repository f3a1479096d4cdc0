/* SPDX-License-Identifier: Apache-2.0 */
/* equations_change.c -- equations.c in dual numbers: the same formulas, line by line. */
#include "model/equations_change.h"

static const double zero3[3] = {0};

/* ---- B as seen from A ---- */

lwi_relative_change lwi_look_change(const lwi_moving_frame *A, const lwi_moving_frame *B)
{
  const dual3 wA = dual3_of(A->V, A->V1);
  lwi_relative_change r = {
      .d = dual3_sub(dual3_of(B->frame.p, B->shift), dual3_of(A->frame.p, A->shift)),
      .w = dual3_sub(dual3_of(B->V, B->V1), wA)};
  const dual3 turn = dual3_cross(wA, r.d);
  r.v = dual3_sub(dual3_sub(dual3_of(B->V + 3, B->V1 + 3), dual3_of(A->V + 3, A->V1 + 3)), turn);
  r.bias.w = dual3_cross(wA, r.w);
  r.bias.v = dual3_cross(wA, dual3_add(turn, dual3_times(r.v, 2)));
  return r;
}

lwi_dual6 lwi_opposite_change(const dual3 *d, const lwi_dual6 *JB)
{
  const dual3 moment = dual3_cross(*d, JB->v);
  return (lwi_dual6){dual3_times(dual3_add(JB->w, moment), -1), dual3_times(JB->v, -1)};
}

/* S = sum a_i x t_i, and the trace sum a_i . t_i */
static dual axial(const dual3 a[3], const dual3 t[3], dual3 *S)
{
  dual trace = {0, 0};
  *S = dual3_const(zero3);
  for (int i = 0; i < 3; i++) {
    *S = dual3_add(*S, dual3_cross(a[i], t[i]));
    trace = dual_add(trace, dual3_dot(a[i], t[i]));
  }
  return trace;
}

dual lwi_angle_change(const lwi_moving_frame *A, const lwi_moving_frame *B, const double axis[3],
                      const double axis1[3])
{
  dual3 x[3], y[3], S;
  for (int i = 0; i < 3; i++) {
    x[i] = dual3_turned(&A->frame.R, A->turn, (const double[3]){i == 0, i == 1, i == 2}, NULL);
    y[i] = dual3_turned(&B->frame.R, B->turn, (const double[3]){i == 0, i == 1, i == 2}, NULL);
  }
  const dual3 a = dual3_turned(&A->frame.R, A->turn, axis, axis1);
  const dual3 b = dual3_turned(&B->frame.R, B->turn, axis, axis1);
  const dual trace = axial(x, y, &S);
  return dual_atan2(dual3_dot(a, S), dual_sub(trace, dual3_dot(a, b)));
}

/* ---- the pair of frames, as the equations see it ---- */

typedef struct {
  dual3 a[3], t[3], b, d, w, v;
  dual number, sine;
} view;

static view look(const lwi_equations *e, const lwi_equations *de, const lwi_moving_frame *A,
                 const lwi_moving_frame *B, const lwi_relative_change *r)
{
  view x = {.d = r->d,
            .w = r->w,
            .v = r->v,
            .number = {e->number, de ? de->number : 0},
            .sine = {e->sine, de ? de->sine : 0}};
  for (int i = 0; i < 3; i++) {
    const double *E1 = de ? de->E.c[i] : zero3;
    x.a[i] = dual3_turned(&A->frame.R, A->turn, e->E.c[i], E1);
    x.t[i] = dual3_turned(&B->frame.R, B->turn, e->E.c[i], E1);
  }
  x.b = dual3_turned(&B->frame.R, B->turn, e->b, de ? de->b : zero3);
  return x;
}

/* ---- turn and swing: Phi = 2 s / D ---- */

typedef struct {
  dual s, D, s2, D2;
  dual3 gs, gD;
} quotient;

static quotient swing(const view *x, int k)
{
  const dual3 n = x->a[k], a = x->a[2], b2 = dual3_cross(x->w, dual3_cross(x->w, x->b));
  return (quotient){.s = dual3_dot(n, x->b),
                    .D = dual_add(dual_of(1, 0), dual3_dot(a, x->b)),
                    .s2 = dual3_dot(n, b2),
                    .D2 = dual3_dot(a, b2),
                    .gs = dual3_cross(x->b, n),
                    .gD = dual3_cross(x->b, a)};
}

static quotient turn(const view *x, int k)
{
  dual3 S, Qw = dual3_const(zero3);
  const dual trace = axial(x->a, x->t, &S);
  const dual3 n = x->a[k], w = x->w;
  quotient f = {.s = dual3_dot(n, S),
                .D = dual_add(dual_of(1, 0), trace),
                .gs = dual3_scale(n, trace),
                .gD = dual3_times(S, -1)};
  for (int i = 0; i < 3; i++) {
    f.gs = dual3_sub(f.gs, dual3_scale(x->a[i], dual3_dot(x->t[i], n)));
    Qw = dual3_add(Qw, dual3_scale(x->t[i], dual3_dot(x->a[i], w)));
  }
  f.s2 = dual_times(
      dual_add(dual_mul(dual3_dot(S, w), dual3_dot(n, w)), dual3_dot(n, dual3_cross(w, Qw))), -1);
  f.D2 = dual_sub(dual3_dot(Qw, w), dual_mul(trace, dual3_dot(w, w)));
  return f;
}

static quotient quotient_of(const view *x, int row)
{
  const bool turns = row >= LWI_TURN_0 && row <= LWI_TURN_2;
  return turns ? turn(x, row - LWI_TURN_0) : swing(x, row - LWI_SWING_0);
}

/* ---- one equation ---- */

static dual3 angle_gradient(const view *x)
{
  const dual D = dual_add(dual_of(1, 0), dual3_dot(x->a[2], x->b));
  return dual3_scale(dual3_add(x->a[2], x->b), dual_div(dual_of(1, 0), D));
}

static dual3 span_direction(const view *x)
{
  const dual length = dual3_norm(x->d);
  return length.x > 0 ? dual3_scale(x->d, dual_div(dual_of(1, 0), length)) : x->a[0];
}

static dual row_value(const lwi_equations *e, const lwi_equations *de, const view *x, int row,
                      const lwi_moving_frame *A, const lwi_moving_frame *B)
{
  switch (row) {
  case LWI_SHIFT_0:
  case LWI_SHIFT_1:
  case LWI_SHIFT_2: return dual3_dot(x->a[row - LWI_SHIFT_0], x->d);
  case LWI_DOT: return dual_div(dual_sub(dual3_dot(x->a[2], x->b), x->number), x->sine);
  case LWI_SCREW:
    return dual_sub(
        dual3_dot(x->a[2], x->d),
        dual_mul(x->number, lwi_angle_change(A, B, e->E.c[2], de ? de->E.c[2] : zero3)));
  case LWI_SPAN: return dual_sub(dual3_norm(x->d), x->number);
  default: {
    const quotient f = quotient_of(x, row);
    return dual_times(dual_div(f.s, f.D), 2);
  }
  }
}

static lwi_dual6 row_gradient(const view *x, int row)
{
  lwi_dual6 J = {dual3_const(zero3), dual3_const(zero3)};
  const dual one = {1, 0};
  switch (row) {
  case LWI_SHIFT_0:
  case LWI_SHIFT_1:
  case LWI_SHIFT_2: J.v = x->a[row - LWI_SHIFT_0]; return J;
  case LWI_DOT: J.w = dual3_scale(dual3_cross(x->b, x->a[2]), dual_div(one, x->sine)); return J;
  case LWI_SCREW:
    J.w = dual3_scale(angle_gradient(x), dual_times(x->number, -1));
    J.v = x->a[2];
    return J;
  case LWI_SPAN: J.v = span_direction(x); return J;
  default: {
    const quotient f = quotient_of(x, row);
    const dual3 g = dual3_sub(f.gs, dual3_scale(f.gD, dual_div(f.s, f.D)));
    J.w = dual3_scale(g, dual_div(dual_of(2, 0), f.D));
    return J;
  }
  }
}

static dual row_curvature(const view *x, int row)
{
  const dual zero = {0, 0};
  switch (row) {
  case LWI_SHIFT_0:
  case LWI_SHIFT_1:
  case LWI_SHIFT_2: return zero;
  case LWI_DOT:
    return dual_div(dual3_dot(x->a[2], dual3_cross(x->w, dual3_cross(x->w, x->b))), x->sine);
  case LWI_SCREW: {
    const dual rate = dual3_dot(angle_gradient(x), x->w);
    const dual swings = dual3_dot(x->a[2], dual3_cross(x->w, x->b));
    const dual D = dual_add(dual_of(1, 0), dual3_dot(x->a[2], x->b));
    return dual_div(dual_mul(x->number, dual_mul(rate, swings)), D);
  }
  case LWI_SPAN: {
    const dual length = dual3_norm(x->d), along = dual3_dot(span_direction(x), x->v);
    if (!(length.x > 0)) return zero;
    return dual_div(dual_sub(dual3_dot(x->v, x->v), dual_mul(along, along)), length);
  }
  default: {
    const quotient f = quotient_of(x, row);
    const dual s1 = dual3_dot(f.gs, x->w), r = dual_div(dual3_dot(f.gD, x->w), f.D);
    const dual more = dual_sub(dual_div(f.D2, f.D), dual_times(dual_mul(r, r), 2));
    const dual sum = dual_sub(dual_sub(f.s2, dual_times(dual_mul(s1, r), 2)), dual_mul(f.s, more));
    return dual_times(dual_div(sum, f.D), 2);
  }
  }
}

/* ---- all of them ---- */

void lwi_equations_change(const lwi_equations *e, const lwi_equations *de,
                          const lwi_moving_frame *A, const lwi_moving_frame *B, dual phi[],
                          lwi_dual6 JA[], lwi_dual6 JB[], dual gamma[])
{
  const lwi_relative_change r = lwi_look_change(A, B);
  const view x = look(e, de, A, B, &r);
  for (int i = 0; i < e->n; i++) {
    const lwi_dual6 J = row_gradient(&x, e->row[i]);
    if (phi) phi[i] = row_value(e, de, &x, e->row[i], A, B);
    if (JB) JB[i] = J;
    if (JA) JA[i] = lwi_opposite_change(&r.d, &J);
    if (gamma) gamma[i] = dual_sub(lwi_dual6_dot(&J, &r.bias), row_curvature(&x, e->row[i]));
  }
}
