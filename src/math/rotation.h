/* SPDX-License-Identifier: Apache-2.0 */
/* rotation.h -- rotations and other 3x3 matrices, for models and results.  Functions take numbers,
   which are doubles but where derivatives of a model are compiled (num.h); then rot3 is only
   stored. */
#ifndef LWI_MATH_ROTATION_H
#define LWI_MATH_ROTATION_H
#include "math/num.h"

#include <math.h>
#include <string.h>

/* three columns of four doubles, the last one zero, as kernels load them (v3_param) */
typedef struct {
  double c[3][4];
} rot3;
#if LW_DERIVATIVE
typedef struct {
  num c[3][4];
} num_rot;
#else
typedef rot3 num_rot;
#endif

static inline num dot3(const num a[3], const num b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void cross3(const num a[3], const num b[3], num out[3])
{
  const num x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  const num z = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
  out[2] = z;
}
static inline num norm3(const num a[3])
{
  return num_sqrt(dot3(a, a));
}
/* The unit vector from a to b, e0 where they are one point; returns their distance. */
static inline num direction3(const num a[3], const num b[3], num n[3])
{
  for (int i = 0; i < 3; i++)
    n[i] = b[i] - a[i];
  const num length = norm3(n);
  for (int i = 0; i < 3; i++)
    n[i] = value_of(length) > 0 ? n[i] / length : i == 0;
  return length;
}
static inline num_rot rot_identity(void)
{
  return (num_rot){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}
/* from nine numbers, column after column */
static inline num_rot rot_columns(const num a[9])
{
  return (num_rot){{{a[0], a[1], a[2], 0}, {a[3], a[4], a[5], 0}, {a[6], a[7], a[8], 0}}};
}
/* out = R v; out may be v */
static inline void rot_mulv(num_rot R, const num v[3], num out[3])
{
  /* without loops, so that R is not copied */
  const num x = R.c[0][0] * v[0] + R.c[1][0] * v[1] + R.c[2][0] * v[2];
  const num y = R.c[0][1] * v[0] + R.c[1][1] * v[1] + R.c[2][1] * v[2];
  const num z = R.c[0][2] * v[0] + R.c[1][2] * v[1] + R.c[2][2] * v[2];
  out[0] = x;
  out[1] = y;
  out[2] = z;
}
/* out = R^T v */
static inline void rot_tmulv(num_rot R, const num v[3], num out[3])
{
  const num x = dot3(R.c[0], v), y = dot3(R.c[1], v), z = dot3(R.c[2], v);
  out[0] = x;
  out[1] = y;
  out[2] = z;
}
static inline num_rot rot_mul(num_rot A, num_rot B)
{
  num_rot C = {{{0}}};
  for (int j = 0; j < 3; j++)
    rot_mulv(A, B.c[j], C.c[j]);
  return C;
}
static inline num_rot rot_transpose(num_rot A)
{
  num_rot C = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C.c[i][j] = A.c[j][i];
  return C;
}
/* of a unit quaternion w, x, y, z */
static inline num_rot rot_from_quat(const num e[4])
{
  const num w = e[0], x = e[1], y = e[2], z = e[3];
  return (num_rot){{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0},
                    {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0},
                    {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0}}};
}
/* the largest component first, so that no digits are lost (Shepperd's choice); w >= 0 */
static inline void quat_from_rot(num_rot A, num e[4])
{
  const num d[4] = {A.c[0][0] + A.c[1][1] + A.c[2][2], A.c[0][0], A.c[1][1], A.c[2][2]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (value_of(d[i]) > value_of(d[k])) k = i;
  if (k == 0) {
    e[0] = 1 + d[0];
    e[1] = A.c[1][2] - A.c[2][1];
    e[2] = A.c[2][0] - A.c[0][2];
    e[3] = A.c[0][1] - A.c[1][0];
  } else {
    const int a = k - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    e[0] = A.c[b][c] - A.c[c][b];
    e[1 + a] = 1 + d[k] - A.c[b][b] - A.c[c][c];
    e[1 + b] = A.c[a][b] + A.c[b][a];
    e[1 + c] = A.c[a][c] + A.c[c][a];
  }
  const num n = num_sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const num s = (value_of(e[0]) < 0 ? -1 : 1) / n;
  for (int i = 0; i < 4; i++)
    e[i] *= s;
}
/* A rotation whose third column is the unit vector z: the shortest turn from the z axis, so that
   axes along z leave the frame as it is; from the lower half of the sphere by way of a half turn
   about x, where the shortest turn is ill-defined. */
static inline num_rot rot_aligning_z(const num z[3])
{
  const double flip = value_of(z[2]) < -0.5 ? -1 : 1;
  const num x = z[0], y = flip * z[1], t = flip * z[2], k = 1 / (1 + t);
  return (num_rot){{{1 - x * x * k, -flip * x * y * k, -flip * x, 0},
                    {-x * y * k, flip * (1 - y * y * k), -flip * y, 0},
                    {x, flip * y, flip * t, 0}}};
}

#endif
