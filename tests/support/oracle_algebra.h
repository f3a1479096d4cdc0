/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_algebra.h -- the oracle's own 3-vectors, rotations and frames: nothing of src/math. */
#ifndef ORACLE_ALGEBRA_H
#define ORACLE_ALGEBRA_H
#include "oracle.h"

#include <math.h>
#include <string.h>

/* ---- 3-vectors and rotations ---- */

static inline double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out += s a x b */
static inline void add_cross(double out[3], double s, const double a[3], const double b[3])
{
  const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                       a[0] * b[1] - a[1] * b[0]};
  for (int i = 0; i < 3; i++)
    out[i] += s * c[i];
}

static inline void cross(const double a[3], const double b[3], double out[3])
{
  double c[3] = {0};
  add_cross(c, 1, a, b);
  memcpy(out, c, sizeof c);
}

static inline void add(double out[3], double s, const double a[3])
{
  for (int i = 0; i < 3; i++)
    out[i] += s * a[i];
}

static inline void turn(double R[3][3], const double v[3], double out[3])
{
  double r[3];
  for (int i = 0; i < 3; i++)
    r[i] = dot(R[i], v);
  memcpy(out, r, sizeof r);
}

static inline void turn_back(double R[3][3], const double v[3], double out[3])
{
  double r[3] = {0};
  for (int i = 0; i < 3; i++)
    add(r, v[i], R[i]);
  memcpy(out, r, sizeof r);
}

static inline void axis_of(double R[3][3], int k, double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = R[i][k];
}

static inline void multiply(double A[3][3], double B[3][3], double out[3][3])
{
  double C[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        C[i][j] += A[i][k] * B[k][j];
  memcpy(out, C, sizeof C);
}

/* cos 1 + (1 - cos) a a' + sin a~ */
static inline void rotation_about(const double axis[3], double angle, double R[3][3])
{
  const double n = sqrt(dot(axis, axis)), c = cos(angle), s = sin(angle);
  const double a[3] = {axis[0] / n, axis[1] / n, axis[2] / n};
  const double tilde[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[i][j] = (i == j ? c : 0) + (1 - c) * a[i] * a[j] + s * tilde[i][j];
}

/* 1 + 2 w e~ + 2 e~ e~ for a unit quaternion (w, e) */
static inline void rotation_of_quaternion(const double q[4], double R[3][3])
{
  const double n = sqrt(q[0] * q[0] + dot(q + 1, q + 1));
  const double w = q[0] / n, e[3] = {q[1] / n, q[2] / n, q[3] / n};
  for (int j = 0; j < 3; j++) {
    double column[3] = {0}, once[3], unit[3] = {0};
    unit[j] = 1;
    cross(e, unit, once);
    add(column, 1, unit);
    add(column, 2 * w, once);
    add_cross(column, 2, e, once);
    for (int i = 0; i < 3; i++)
      R[i][j] = column[i];
  }
}

static inline void rotation_of_orient(const lw_orient *o, double R[3][3])
{
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}, *v = o->value;
  double Y[3][3], Z[3][3];
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
  memcpy(F.p, place->at, sizeof F.p);
  rotation_of_orient(&place->orient, F.R);
  return F;
}

static inline double dot6(const double a[6], const double b[6])
{
  return dot(a, b) + dot(a + 3, b + 3);
}

#endif
