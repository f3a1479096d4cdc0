/* SPDX-License-Identifier: Apache-2.0 */
/* joint_acceleration.c -- accelerations of a joint between two frames; see joint_relative.h and the
   legend of joint_relative.c. */
#include "model/joint/joint_relative.h"

/* The rate of P seen from A, times u.  Axes fixed in A: nothing.  Several axes: each turns with
   those before it, sum over i < k of u_i a_i x u_k a_k.  Spherical: w x w = 0.  Free: the
   velocity's axes turn, w x v. */
static void add_turned_axes(const num_joint_at *at, const num rel[6], num c[6])
{
  const num_joint_shape *j = at->shape;
  const int axes = lwi_joint_traits_of(j->type).axes;
  num x[3], P[LWI_MOST_AXES][6], G[LWI_MOST_AXES][6], u[LWI_MOST_AXES];
  if (j->type == LW_FREE) {
    cross3(rel, rel + 3, x);
    for (int i = 0; i < 3; i++)
      c[3 + i] += x[i];
  } else if (axes > 1) {
    lwi_joint_motion_map(at, P);
    lwi_joint_speed_map(at, G);
    lwi_joint_multiply(G, axes, rel, u);
    for (int k = 1; k < axes; k++)
      for (int l = 0; l < k; l++) {
        cross3(P[l], P[k], x);
        for (int i = 0; i < 3; i++)
          c[i] += u[l] * u[k] * x[i];
      }
  }
}

void lwi_joint_bias(const num_joint_at *at, const num VA[6], const num VB[6], num c[6])
{
  num rel[6], v[3];
  lwi_relative_motion(at->A, at->B, VA, VB, rel);
  cross3(VA, rel, c);
  for (int i = 0; i < 3; i++)
    v[i] = 2 * rel[3 + i];
  cross3(VA, v, c + 3);
  add_turned_axes(at, rel, c);
}

void lwi_joint_speed_rows(const num_joint_at *at, num JA[][6], num JB[][6])
{
  lwi_joint_speed_map(at, JB);
  for (int i = 0; i < at->shape->nu; i++)
    lwi_opposite_row(at->A, at->B, JB[i], JA[i]);
}

/* P udot = Vdot_B - Vdot_A taken along - bias - turned axes */
void lwi_joint_speed_gamma(const num_joint_at *at, const num VA[6], const num VB[6], num gamma[])
{
  num rel[6], bias[6], G[6][6];
  lwi_relative_motion(at->A, at->B, VA, VB, rel);
  lwi_relative_bias(at->A, at->B, VA, rel, bias);
  add_turned_axes(at, rel, bias);
  lwi_joint_speed_map(at, G);
  lwi_joint_multiply(G, at->shape->nu, bias, gamma);
}

void lwi_joint_udot(const num_joint_at *at, const num VA[6], const num VB[6], const num AA[6],
                    const num AB[6], num udot[])
{
  num G[6][6], acceleration[6], along[6], gamma[6];
  if (at->shape->type == LW_REVOLUTE) { /* of the bias only w_A x w turns */
    num w[3], bias[3];
    for (int i = 0; i < 3; i++)
      w[i] = VB[i] - VA[i];
    cross3(VA, w, bias);
    for (int i = 0; i < 3; i++)
      acceleration[i] = AB[i] - AA[i];
    lwi_joint_angle_row(at, G[0]);
    udot[0] = dot3(G[0], acceleration) - dot3(G[0], bias);
    return;
  }
  lwi_relative_motion(at->A, at->B, AA, AB, acceleration); /* Vdot_B - Vdot_A taken along */
  lwi_joint_speed_map(at, G);
  lwi_joint_multiply(G, at->shape->nu, acceleration, along);
  lwi_joint_speed_gamma(at, VA, VB, gamma);
  for (int i = 0; i < at->shape->nu; i++)
    udot[i] = along[i] - gamma[i];
}
