/* SPDX-License-Identifier: Apache-2.0 */
/* joint_acceleration.c -- accelerations of a joint between two frames; see joint_relative.h and the
   legend of joint_relative.c. */
#include "model/joint/joint_relative.h"

static void multiply(num G[][6], int n, const num x[6], num out[])
{
  for (int i = 0; i < n; i++)
    out[i] = dot3(G[i], x) + dot3(G[i] + 3, x + 3);
}

/* The rate of P seen from A, times u.  Axes fixed in A: nothing.  Universal: the second axis turns
   with the first, a u_p x b u2.  Spherical: w x w = 0.  Free: the velocity's axes turn, w x v. */
static void add_turned_axes(const num_joint_shape *j, const num_frame *A, const num_frame *B,
                            const num rel[6], num c[6])
{
  num x[3], a[3], b[3], G[2][6], u[2];
  if (j->type == LW_FREE) {
    cross3(rel, rel + 3, x);
    for (int i = 0; i < 3; i++)
      c[3 + i] += x[i];
  } else if (j->type == LW_UNIVERSAL) {
    rot_mulv(A->R, j->axis, a);
    rot_mulv(B->R, j->axis2, b);
    lwi_joint_speed_map(j, A, B, G);
    multiply(G, 2, rel, u);
    cross3(a, b, x);
    for (int i = 0; i < 3; i++)
      c[i] += u[0] * u[1] * x[i];
  }
}

void lwi_joint_bias(const num_joint_shape *j, const num_frame *A, const num_frame *B,
                    const num VA[6], const num VB[6], num c[6])
{
  num rel[6], v[3];
  lwi_relative_motion(A, B, VA, VB, rel);
  cross3(VA, rel, c);
  for (int i = 0; i < 3; i++)
    v[i] = 2 * rel[3 + i];
  cross3(VA, v, c + 3);
  add_turned_axes(j, A, B, rel, c);
}

void lwi_joint_speed_rows(const num_joint_shape *j, const num_frame *A, const num_frame *B,
                          num JA[][6], num JB[][6])
{
  lwi_joint_speed_map(j, A, B, JB);
  for (int i = 0; i < j->nu; i++)
    lwi_opposite_row(A, B, JB[i], JA[i]);
}

/* P udot = Vdot_B - Vdot_A taken along - bias - turned axes */
void lwi_joint_speed_gamma(const num_joint_shape *j, const num_frame *A, const num_frame *B,
                           const num VA[6], const num VB[6], num gamma[])
{
  num rel[6], bias[6], G[6][6];
  lwi_relative_motion(A, B, VA, VB, rel);
  lwi_relative_bias(A, B, VA, rel, bias);
  add_turned_axes(j, A, B, rel, bias);
  lwi_joint_speed_map(j, A, B, G);
  multiply(G, j->nu, bias, gamma);
}

void lwi_joint_udot(const num_joint_shape *j, const num_frame *A, const num_frame *B,
                    const num VA[6], const num VB[6], const num AA[6], const num AB[6], num udot[])
{
  num G[6][6], acceleration[6], along[6], gamma[6];
  lwi_relative_motion(A, B, AA, AB, acceleration); /* Vdot_B - Vdot_A taken along */
  lwi_joint_speed_map(j, A, B, G);
  multiply(G, j->nu, acceleration, along);
  lwi_joint_speed_gamma(j, A, B, VA, VB, gamma);
  for (int i = 0; i < j->nu; i++)
    udot[i] = along[i] - gamma[i];
}
