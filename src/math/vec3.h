/* SPDX-License-Identifier: Apache-2.0 */
/* vec3.h -- 3-vectors, by value.  With LW_PACKED a vector is one four-lane register whose last lane
   is never read; otherwise three reals.  Components go through v3_x, v3_y, v3_z. */
#ifndef LWI_MATH_VEC3_H
#define LWI_MATH_VEC3_H
#include "math/real.h"

#if LW_PACKED

typedef double vec3 __attribute__((vector_size(32)));
#define v3_x(a) ((a)[0])
#define v3_y(a) ((a)[1])
#define v3_z(a) ((a)[2])

static inline vec3 v3(real x, real y, real z)
{
  return (vec3){x, y, z, 0.0};
}
typedef vec3 vec3_anywhere __attribute__((aligned(8), may_alias));
/* a vector of the model: four doubles, the last one zero */
static inline vec3 v3_param(const param a[4])
{
  return *(const vec3_anywhere *)(const void *)a;
}
static inline vec3 v3_add(vec3 a, vec3 b)
{
  return a + b;
}
static inline vec3 v3_sub(vec3 a, vec3 b)
{
  return a - b;
}
static inline vec3 v3_scale(vec3 a, real s)
{
  return a * s;
}
static inline vec3 v3_neg(vec3 a)
{
  return -a;
}
/* a + b s */
static inline vec3 v3_fma(vec3 a, vec3 b, real s)
{
  return a + b * s;
}
static inline vec3 v3_cross(vec3 a, vec3 b)
{
  const vec3 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3);
  const vec3 b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  const vec3 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}
static inline real v3_dot(vec3 a, vec3 b)
{
  const vec3 p = a * b;
  return (p[0] + p[1]) + p[2];
}

#else

typedef struct {
  real x, y, z;
} vec3;
#define v3_x(a) ((a).x)
#define v3_y(a) ((a).y)
#define v3_z(a) ((a).z)

static inline vec3 v3(real x, real y, real z)
{
  return (vec3){x, y, z};
}
static inline vec3 v3_param(const param a[4])
{
  return (vec3){real_set(a[0]), real_set(a[1]), real_set(a[2])};
}
static inline vec3 v3_add(vec3 a, vec3 b)
{
  return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec3 v3_sub(vec3 a, vec3 b)
{
  return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec3 v3_scale(vec3 a, real s)
{
  return (vec3){a.x * s, a.y * s, a.z * s};
}
static inline vec3 v3_neg(vec3 a)
{
  return (vec3){-a.x, -a.y, -a.z};
}
static inline vec3 v3_fma(vec3 a, vec3 b, real s)
{
  return (vec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
static inline vec3 v3_cross(vec3 a, vec3 b)
{
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline real v3_dot(vec3 a, vec3 b)
{
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

#endif

static inline vec3 v3_zero(void)
{
  return v3(real_set(0.0), real_set(0.0), real_set(0.0));
}
/* a + b x c */
static inline vec3 v3_add_cross(vec3 a, vec3 b, vec3 c)
{
  return v3_add(a, v3_cross(b, c));
}

#endif
