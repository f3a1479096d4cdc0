/* SPDX-License-Identifier: Apache-2.0 */
/* joint_relative_change.c -- joint_relative.c in dual numbers: coordinates and speeds of a joint between two
   moving frames. */
#include "model/equations_change.h"

static const double zero3[3] = {0}, z_axis[3] = {0, 0, 1};

/* axis i of a frame */
static dual3 axis_of(const lwi_moving_frame *A, int i)
{
  return dual3_turned(&A->frame.R, A->turn, (const double[3]){i == 0, i == 1, i == 2}, NULL);
}

/* ---- speeds ---- */

static void clear_rows(lwi_dual6 G[], int n)
{
  for (int i = 0; i < n; i++)
    G[i] = (lwi_dual6){dual3_const(zero3), dual3_const(zero3)};
}

static dual3 angle_row(const lwi_moving_frame *A, const lwi_moving_frame *B, const double axis[3],
                       const double axis1[3])
{
  const dual3 a = dual3_turned(&A->frame.R, A->turn, axis, axis1);
  const dual3 b = dual3_turned(&B->frame.R, B->turn, axis, axis1);
  const dual D = dual_add(dual_of(1, 0), dual3_dot(a, b));
  return dual3_scale(dual3_add(a, b), dual_div(dual_of(1, 0), D));
}

static void dual_rows(dual3 a, dual3 b, dual3 G[2])
{
  const dual c = dual3_dot(a, b);
  const dual3 n = dual3_cross(a, b);
  const dual over = dual_div(dual_of(1, 0), dual3_dot(n, n));
  G[0] = dual3_scale(dual3_sub(a, dual3_scale(b, c)), over);
  G[1] = dual3_scale(dual3_sub(b, dual3_scale(a, c)), over);
}

static void speed_map(const lwi_joint_shape *j, const lwi_joint_shape *dj,
                      const lwi_moving_frame *A, const lwi_moving_frame *B, lwi_dual6 G[])
{
  const double *axis1 = dj ? dj->axis : zero3, *axis21 = dj ? dj->axis2 : zero3;
  const dual3 a = dual3_turned(&A->frame.R, A->turn, j->axis, axis1);
  clear_rows(G, j->nu);
  switch (j->type) {
  case LW_FIXED: return;
  case LW_REVOLUTE:
  case LW_HELICAL: G[0].w = angle_row(A, B, j->axis, axis1); return;
  case LW_PRISMATIC: G[0].v = a; return;
  case LW_CYLINDRICAL:
    G[0].w = angle_row(A, B, j->axis, axis1);
    G[1].v = a;
    return;
  case LW_UNIVERSAL: {
    dual3 rows[2];
    dual_rows(a, dual3_turned(&B->frame.R, B->turn, j->axis2, axis21), rows);
    G[0].w = rows[0];
    G[1].w = rows[1];
    return;
  }
  case LW_PLANAR:
    G[0].v = axis_of(A, 0);
    G[1].v = axis_of(A, 1);
    G[2].w = angle_row(A, B, z_axis, zero3);
    return;
  case LW_FREE:
    if (j->planar) {
      G[0].w = axis_of(B, 2);
      G[1].v = axis_of(B, 0);
      G[2].v = axis_of(B, 1);
      return;
    }
    for (int i = 0; i < 3; i++)
      G[3 + i].v = axis_of(B, i); /* fall through */
  default:
    for (int i = 0; i < 3; i++)
      G[i].w = axis_of(B, i);
  }
}

/* add_turned_axes */
static void add_turned(const lwi_joint_shape *j, const lwi_joint_shape *dj,
                       const lwi_moving_frame *A, const lwi_moving_frame *B,
                       const lwi_relative_change *r, lwi_dual6 *bias)
{
  if (j->type == LW_FREE) {
    bias->v = dual3_add(bias->v, dual3_cross(r->w, r->v));
  } else if (j->type == LW_UNIVERSAL) {
    const dual3 a = dual3_turned(&A->frame.R, A->turn, j->axis, dj ? dj->axis : zero3);
    const dual3 b = dual3_turned(&B->frame.R, B->turn, j->axis2, dj ? dj->axis2 : zero3);
    dual3 G[2];
    dual_rows(a, b, G);
    const dual both = dual_mul(dual3_dot(G[0], r->w), dual3_dot(G[1], r->w));
    bias->w = dual3_add(bias->w, dual3_scale(dual3_cross(a, b), both));
  }
}

void lwi_joint_speed_change(const lwi_joint_shape *j, const lwi_joint_shape *dj,
                            const lwi_moving_frame *A, const lwi_moving_frame *B, dual u[],
                            lwi_dual6 JA[], lwi_dual6 JB[], dual gamma[])
{
  lwi_dual6 G[6];
  lwi_relative_change r = lwi_look_change(A, B);
  const lwi_dual6 rel = {r.w, r.v};
  speed_map(j, dj, A, B, G);
  add_turned(j, dj, A, B, &r, &r.bias);
  for (int i = 0; i < j->nu; i++) {
    if (u) u[i] = lwi_dual6_dot(&G[i], &rel);
    if (JB) JB[i] = G[i];
    if (JA) JA[i] = lwi_opposite_change(&r.d, &G[i]);
    if (gamma) gamma[i] = lwi_dual6_dot(&G[i], &r.bias);
  }
}

/* ---- coordinates ---- */

/* the turn about n that takes x to y */
static double turn_rate(dual3 n, dual3 x, dual3 y)
{
  const dual across = dual3_dot(n, dual3_cross(x, y));
  const dual along = dual_sub(dual3_dot(x, y), dual_mul(dual3_dot(n, x), dual3_dot(n, y)));
  return dual_atan2(across, along).d;
}

/* all seen from A: axis there, axis2 there and carried by B */
static void universal_rates(const lwi_joint_shape *j, const lwi_joint_shape *dj,
                            const lwi_moving_frame *A, const lwi_moving_frame *B, double q1[2])
{
  const double *axis1 = dj ? dj->axis : zero3, *axis21 = dj ? dj->axis2 : zero3;
  const dual3 a = dual3_turned(&A->frame.R, A->turn, j->axis, axis1);
  const dual3 a_on_B = dual3_turned(&B->frame.R, B->turn, j->axis, axis1);
  const dual3 b = dual3_turned(&B->frame.R, B->turn, j->axis2, axis21);
  const dual3 b_on_A = dual3_turned(&A->frame.R, A->turn, j->axis2, axis21);
  q1[0] = turn_rate(a, b_on_A, b);
  q1[1] = -turn_rate(b, a_on_B, a);
}

/* half the product of the quaternion with the turn of B in A, in B's axes */
static void quat_rates(const lwi_moving_frame *A, const lwi_moving_frame *B, const double e[4],
                       double e1[4])
{
  double w[3];
  for (int i = 0; i < 3; i++)
    w[i] = B->turn[i] - A->turn[i];
  rot_tmulv(B->frame.R, w, w);
  e1[0] = -0.5 * (e[1] * w[0] + e[2] * w[1] + e[3] * w[2]);
  e1[1] = 0.5 * (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]);
  e1[2] = 0.5 * (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]);
  e1[3] = 0.5 * (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]);
}

void lwi_joint_q_change(const lwi_joint_shape *j, const lwi_joint_shape *dj,
                        const lwi_moving_frame *A, const lwi_moving_frame *B, const double q[],
                        double q1[])
{
  const double *axis1 = dj ? dj->axis : zero3;
  const dual3 a = dual3_turned(&A->frame.R, A->turn, j->axis, axis1);
  const dual3 d = lwi_look_change(A, B).d;
  switch (j->type) {
  case LW_REVOLUTE:
  case LW_HELICAL: q1[0] = lwi_angle_change(A, B, j->axis, axis1).d; return;
  case LW_PRISMATIC: q1[0] = dual3_dot(a, d).d; return;
  case LW_CYLINDRICAL:
    q1[0] = lwi_angle_change(A, B, j->axis, axis1).d;
    q1[1] = dual3_dot(a, d).d;
    return;
  case LW_UNIVERSAL: universal_rates(j, dj, A, B, q1); return;
  case LW_SPHERICAL: quat_rates(A, B, q, q1); return;
  case LW_FREE:
    if (!j->planar) {
      quat_rates(A, B, q + 3, q1 + 3);
      for (int i = 0; i < 3; i++)
        q1[i] = dual3_dot(axis_of(A, i), d).d;
      return;
    } /* fall through */
  case LW_PLANAR:
    q1[2] = lwi_angle_change(A, B, z_axis, zero3).d;
    for (int i = 0; i < 2; i++)
      q1[i] = dual3_dot(axis_of(A, i), d).d;
    return;
  default: return;
  }
}
