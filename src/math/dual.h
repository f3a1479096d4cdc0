/* SPDX-License-Identifier: Apache-2.0 */
/* dual.h -- numbers and 3-vectors with their derivative along one direction, by value. */
#ifndef LWI_MATH_DUAL_H
#define LWI_MATH_DUAL_H
#include "math/rotation.h"

typedef struct {
  double x, d; /* value, derivative */
} dual;
typedef struct {
  double x[3], d[3];
} dual3;

static inline dual dual_of(double x, double d)
{
  return (dual){x, d};
}
static inline dual dual_add(dual a, dual b)
{
  return (dual){a.x + b.x, a.d + b.d};
}
static inline dual dual_sub(dual a, dual b)
{
  return (dual){a.x - b.x, a.d - b.d};
}
static inline dual dual_mul(dual a, dual b)
{
  return (dual){a.x * b.x, a.d * b.x + a.x * b.d};
}
static inline dual dual_times(dual a, double s)
{
  return (dual){a.x * s, a.d * s};
}
static inline dual dual_div(dual a, dual b)
{
  const double q = a.x / b.x;
  return (dual){q, (a.d - q * b.d) / b.x};
}
static inline dual dual_atan2(dual y, dual x)
{
  return (dual){atan2(y.x, x.x), (x.x * y.d - y.x * x.d) / (x.x * x.x + y.x * y.x)};
}

static inline dual3 dual3_of(const double x[3], const double d[3])
{
  dual3 v;
  memcpy(v.x, x, sizeof v.x);
  memcpy(v.d, d, sizeof v.d);
  return v;
}
static inline dual3 dual3_const(const double x[3])
{
  const double zero[3] = {0};
  return dual3_of(x, zero);
}
static inline dual3 dual3_add(dual3 a, dual3 b)
{
  for (int i = 0; i < 3; i++)
    a.x[i] += b.x[i], a.d[i] += b.d[i];
  return a;
}
static inline dual3 dual3_sub(dual3 a, dual3 b)
{
  for (int i = 0; i < 3; i++)
    a.x[i] -= b.x[i], a.d[i] -= b.d[i];
  return a;
}
static inline dual3 dual3_scale(dual3 a, dual s)
{
  for (int i = 0; i < 3; i++) {
    a.d[i] = a.d[i] * s.x + a.x[i] * s.d;
    a.x[i] *= s.x;
  }
  return a;
}
static inline dual3 dual3_times(dual3 a, double s)
{
  return dual3_scale(a, dual_of(s, 0));
}
static inline dual dual3_dot(dual3 a, dual3 b)
{
  return (dual){dot3(a.x, b.x), dot3(a.d, b.x) + dot3(a.x, b.d)};
}
static inline dual3 dual3_cross(dual3 a, dual3 b)
{
  dual3 c;
  double more[3];
  cross3(a.x, b.x, c.x);
  cross3(a.d, b.x, c.d);
  cross3(a.x, b.d, more);
  for (int i = 0; i < 3; i++)
    c.d[i] += more[i];
  return c;
}
static inline dual dual3_norm(dual3 a)
{
  const double n = norm3(a.x);
  return (dual){n, n > 0 ? dot3(a.x, a.d) / n : 0};
}
/* R v for a rotation that turns by `turn`, and a vector that changes in its axes by dv (NULL: not) */
static inline dual3 dual3_turned(const rot3 *R, const double turn[3], const double v[3],
                                 const double dv[3])
{
  dual3 a;
  double own[3] = {0};
  rot_mulv(*R, v, a.x);
  cross3(turn, a.x, a.d);
  if (dv) rot_mulv(*R, dv, own);
  for (int i = 0; i < 3; i++)
    a.d[i] += own[i];
  return a;
}

#endif
