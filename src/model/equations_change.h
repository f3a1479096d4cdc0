/* SPDX-License-Identifier: Apache-2.0 */
/* equations_change.h -- derivatives along one direction of the equations between two frames
   (equations.h) and of the coordinates and speeds of the joint between them (joint_relative.h).

   The frames turn and shift, their motions change, and so do the constants of the equations (NULL: they
   do not).  Near the poles of equations.h, half a turn off, derivatives are not defined. */
#ifndef LWI_MODEL_EQUATIONS_CHANGE_H
#define LWI_MODEL_EQUATIONS_CHANGE_H
#include "model/joint_relative.h"
#include "model/moving_frame.h"

/* dual vectors of 6: [w; v] */
typedef struct {
  dual3 w, v;
} lwi_dual6;

/* Any output may be NULL: residual, rows JB and JA, gamma; [n] each. */
void lwi_equations_change(const lwi_equations *e, const lwi_equations *de,
                          const lwi_moving_frame *A, const lwi_moving_frame *B, dual phi[],
                          lwi_dual6 JA[], lwi_dual6 JB[], dual gamma[]);

/* The same of the speeds as rows; [nu] each. */
void lwi_joint_speed_change(const lwi_joint_shape *j, const lwi_joint_shape *dj,
                            const lwi_moving_frame *A, const lwi_moving_frame *B, dual u[],
                            lwi_dual6 JA[], lwi_dual6 JB[], dual gamma[]);
/* Derivatives of coordinates, given themselves. */
void lwi_joint_q_change(const lwi_joint_shape *j, const lwi_joint_shape *dj,
                        const lwi_moving_frame *A, const lwi_moving_frame *B,
                        const double q[/* nq */], double q1[/* nq */]);

/* ---- shared ---- */

/* B as seen from A: lwi_relative_motion, lwi_relative_bias */
typedef struct {
  dual3 d, w, v;
  lwi_dual6 bias;
} lwi_relative_change;
lwi_relative_change lwi_look_change(const lwi_moving_frame *A, const lwi_moving_frame *B);
lwi_dual6 lwi_opposite_change(const dual3 *d, const lwi_dual6 *JB);
/* the turn about an axis, modulo 2 pi: lwi_relative_angle */
dual lwi_angle_change(const lwi_moving_frame *A, const lwi_moving_frame *B, const double axis[3],
                      const double axis1[3]);
static inline dual lwi_dual6_dot(const lwi_dual6 *a, const lwi_dual6 *b)
{
  return dual_add(dual3_dot(a->w, b->w), dual3_dot(a->v, b->v));
}

#endif
