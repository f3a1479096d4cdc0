/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_algebra.h -- the oracle's own 3-vectors, rotations and frames: nothing of src/math. */
#ifndef ORACLE_ALGEBRA_H
#define ORACLE_ALGEBRA_H
#include "oracle.h"

#include <string.h>
#include <tgmath.h>

/* ---- 3-vectors and rotations ---- */

static inline oracle_real dot(const oracle_real a[3], const oracle_real b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out += s a x b */
static inline void add_cross(oracle_real out[3], oracle_real s, const oracle_real a[3],
                             const oracle_real b[3])
{
  const oracle_real c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                            a[0] * b[1] - a[1] * b[0]};
  for (int i = 0; i < 3; i++)
    out[i] += s * c[i];
}

static inline void cross(const oracle_real a[3], const oracle_real b[3], oracle_real out[3])
{
  oracle_real c[3] = {0};
  add_cross(c, 1, a, b);
  memcpy(out, c, sizeof c);
}

static inline void add(oracle_real out[3], oracle_real s, const oracle_real a[3])
{
  for (int i = 0; i < 3; i++)
    out[i] += s * a[i];
}

/* numbers of a description */
static inline void given(const double v[3], oracle_real out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = v[i];
}

static inline void turn(oracle_real R[3][3], const oracle_real v[3], oracle_real out[3])
{
  oracle_real r[3];
  for (int i = 0; i < 3; i++)
    r[i] = dot(R[i], v);
  memcpy(out, r, sizeof r);
}

static inline void turn_back(oracle_real R[3][3], const oracle_real v[3], oracle_real out[3])
{
  oracle_real r[3] = {0};
  for (int i = 0; i < 3; i++)
    add(r, v[i], R[i]);
  memcpy(out, r, sizeof r);
}

static inline void axis_of(oracle_real R[3][3], int k, oracle_real out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = R[i][k];
}

static inline void multiply(oracle_real A[3][3], oracle_real B[3][3], oracle_real out[3][3])
{
  oracle_real C[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        C[i][j] += A[i][k] * B[k][j];
  memcpy(out, C, sizeof C);
}

/* cos 1 + (1 - cos) a a' + sin a~ */
static inline void rotation_about(const oracle_real axis[3], oracle_real angle, oracle_real R[3][3])
{
  const oracle_real n = sqrt(dot(axis, axis)), c = cos(angle), s = sin(angle);
  const oracle_real a[3] = {axis[0] / n, axis[1] / n, axis[2] / n};
  const oracle_real tilde[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[i][j] = (i == j ? c : 0) + (1 - c) * a[i] * a[j] + s * tilde[i][j];
}

/* 1 + 2 w e~ + 2 e~ e~ for a unit quaternion (w, e) */
static inline void rotation_of_quaternion(const oracle_real q[4], oracle_real R[3][3])
{
  const oracle_real n = sqrt(q[0] * q[0] + dot(q + 1, q + 1));
  const oracle_real w = q[0] / n, e[3] = {q[1] / n, q[2] / n, q[3] / n};
  for (int j = 0; j < 3; j++) {
    oracle_real column[3] = {0}, once[3], unit[3] = {0};
    unit[j] = 1;
    cross(e, unit, once);
    add(column, 1, unit);
    add(column, 2 * w, once);
    add_cross(column, 2, e, once);
    for (int i = 0; i < 3; i++)
      R[i][j] = column[i];
  }
}

static inline void rotation_of_orient(const lw_orient *o, oracle_real R[3][3])
{
  const oracle_real x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  const oracle_real v[4] = {o->value[0], o->value[1], o->value[2], o->value[3]};
  oracle_real Y[3][3], Z[3][3];
  switch (o->type) {
  case LW_ORIENT_QUAT: rotation_of_quaternion(v, R); return;
  case LW_ORIENT_AXIS_ANGLE: rotation_about(v, v[3], R); return;
  case LW_ORIENT_RPY:
    rotation_about(x, v[0], R);
    rotation_about(y, v[1], Y);
    rotation_about(z, v[2], Z);
    multiply(Y, R, R);
    multiply(Z, R, R);
    return;
  default: rotation_about(x, 0, R);
  }
}

static inline oracle_frame compose(oracle_frame A, oracle_frame B)
{
  oracle_frame C;
  turn(A.R, B.p, C.p);
  add(C.p, 1, A.p);
  multiply(A.R, B.R, C.R);
  return C;
}

static inline oracle_frame invert(oracle_frame A)
{
  oracle_frame B;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B.R[i][j] = A.R[j][i];
  turn(B.R, A.p, B.p);
  for (int i = 0; i < 3; i++)
    B.p[i] = -B.p[i];
  return B;
}

static inline oracle_frame frame_of_place(const lw_place *place)
{
  oracle_frame F;
  given(place->at, F.p);
  rotation_of_orient(&place->orient, F.R);
  return F;
}

static inline oracle_real dot6(const oracle_real a[6], const oracle_real b[6])
{
  return dot(a, b) + dot(a + 3, b + 3);
}

#endif
