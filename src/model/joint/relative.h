/* SPDX-License-Identifier: Apache-2.0 */
/* relative.h -- a frame B as seen from a frame A; poses and motions are those of equations.h. */
#ifndef LWI_MODEL_JOINT_RELATIVE_H
#define LWI_MODEL_JOINT_RELATIVE_H
#include "model/joint/frame.h"

static inline void lwi_relative_motion(const num_frame *A, const num_frame *B, const num VA[6],
                                       const num VB[6], num rel[6])
{
  num d[3], wd[3];
  for (int i = 0; i < 3; i++)
    d[i] = B->p[i] - A->p[i];
  cross3(VA, d, wd);
  for (int i = 0; i < 3; i++) {
    rel[i] = VB[i] - VA[i];
    rel[3 + i] = VB[3 + i] - VA[3 + i] - wd[i];
  }
}

/* S = sum a_i x t_i = 2 sin(angle) n, twice the axial vector of the rotation Q = sum t_i a_i^T;
   returns its trace */
static inline num lwi_axial(const num_rot *a, const num_rot *t, num S[3])
{
  num trace = 0;
  memset(S, 0, 3 * sizeof(num));
  for (int i = 0; i < 3; i++) {
    num c[3];
    cross3(a->c[i], t->c[i], c);
    for (int k = 0; k < 3; k++)
      S[k] += c[k];
    trace += dot3(a->c[i], t->c[i]);
  }
  return trace;
}

/* The angle congruent modulo 2 pi that is nearest to another one. */
static inline num lwi_nearest_angle(num angle, num near)
{
  const double turn = 6.28318530717958647693;
  return angle + turn * round((value_of(near) - value_of(angle)) / turn);
}

/* Angle of the turn about an axis (the same numbers in A and B), congruent modulo 2 pi and nearest
   to `near`; the swing of the axis does not enter.  Swing-twist: with Q as above, a the axis on A
   and b = Q a, the turn about a is atan2(a . S, trace - a . b). */
static inline num lwi_relative_angle(const num_rot *A, const num_rot *B, const num axis[3],
                                     num near)
{
  num S[3], a[3], b[3];
  const num trace = lwi_axial(A, B, S);
  rot_mulv(*A, axis, a);
  rot_mulv(*B, axis, b);
  return lwi_nearest_angle(num_atan2(dot3(a, S), trace - dot3(a, b)), near);
}

#endif
