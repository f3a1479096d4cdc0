/* SPDX-License-Identifier: Apache-2.0 */
/* mat3.h -- 3x3 matrices by columns, rotations and symmetric matrices, by value. */
#ifndef LWI_MATH_MAT3_H
#define LWI_MATH_MAT3_H
#include "math/rotation.h"
#include "math/vec3.h"

typedef struct {
  vec3 x, y, z; /* columns */
} mat3;

static inline mat3 m3_identity(void)
{
  const real o = real_set(0.0), i = real_set(1.0);
  return (mat3){v3(i, o, o), v3(o, i, o), v3(o, o, i)};
}
static inline vec3 m3_mulv(mat3 a, vec3 v)
{
  return v3_fma(v3_fma(v3_scale(a.x, v3_x(v)), a.y, v3_y(v)), a.z, v3_z(v));
}
/* a^T v */
static inline vec3 m3_tmulv(mat3 a, vec3 v)
{
  return v3(v3_dot(a.x, v), v3_dot(a.y, v), v3_dot(a.z, v));
}
/* a v for a vector of the model */
static inline vec3 m3_mulp(mat3 a, const param v[4])
{
  return v3_fma(v3_fma(v3_scale(a.x, real_set(v[0])), a.y, real_set(v[1])), a.z, real_set(v[2]));
}
/* a b for a matrix of the model */
static inline mat3 m3_mulparam(mat3 a, const rot3 *b)
{
  return (mat3){m3_mulp(a, b->c[0]), m3_mulp(a, b->c[1]), m3_mulp(a, b->c[2])};
}
static inline mat3 m3_mul(mat3 a, mat3 b)
{
  return (mat3){m3_mulv(a, b.x), m3_mulv(a, b.y), m3_mulv(a, b.z)};
}
static inline mat3 m3_transpose(mat3 a)
{
  return (mat3){v3(v3_x(a.x), v3_x(a.y), v3_x(a.z)), v3(v3_y(a.x), v3_y(a.y), v3_y(a.z)),
                v3(v3_z(a.x), v3_z(a.y), v3_z(a.z))};
}
/* a Rz(angle) from its cosine and sine: two columns change */
static inline mat3 m3_turn_z(mat3 a, real c, real s)
{
  return (mat3){v3_fma(v3_scale(a.x, c), a.y, s), v3_fma(v3_scale(a.y, c), a.x, -s), a.z};
}
/* ---- symmetric matrices: full columns when packed, the upper triangle otherwise ---- */

#if LW_PACKED

typedef mat3 sym3;

static inline vec3 s3_mulv(sym3 a, vec3 v)
{
  return m3_mulv(a, v);
}
static inline sym3 s3_add(sym3 a, sym3 b)
{
  return (sym3){v3_add(a.x, b.x), v3_add(a.y, b.y), v3_add(a.z, b.z)};
}
/* R J R^T for a symmetric matrix of the model */
static inline sym3 s3_rotate(mat3 R, const rot3 *J)
{
  const mat3 A = m3_mulparam(R, J);
  const vec3 x = v3_scale(A.x, v3_x(R.x)), y = v3_scale(A.x, v3_y(R.x)),
             z = v3_scale(A.x, v3_z(R.x));
  return (sym3){v3_fma(v3_fma(x, A.y, v3_x(R.y)), A.z, v3_x(R.z)),
                v3_fma(v3_fma(y, A.y, v3_y(R.y)), A.z, v3_y(R.z)),
                v3_fma(v3_fma(z, A.y, v3_z(R.y)), A.z, v3_z(R.z))};
}
/* J + 2 (r.g) 1 - r g^T - g r^T */
static inline sym3 s3_add_parallel(sym3 J, vec3 r, vec3 g)
{
  const real d = 2.0 * v3_dot(r, g);
  const real o = 0.0;
  return (sym3){
      v3_sub(v3_sub(v3_add(J.x, v3(d, o, o)), v3_scale(r, v3_x(g))), v3_scale(g, v3_x(r))),
      v3_sub(v3_sub(v3_add(J.y, v3(o, d, o)), v3_scale(r, v3_y(g))), v3_scale(g, v3_y(r))),
      v3_sub(v3_sub(v3_add(J.z, v3(o, o, d)), v3_scale(r, v3_z(g))), v3_scale(g, v3_z(r)))};
}

#else

typedef struct {
  real xx, yy, zz, xy, xz, yz;
} sym3;

static inline vec3 s3_mulv(sym3 a, vec3 v)
{
  return v3((a.xx * v.x + a.xy * v.y) + a.xz * v.z, (a.xy * v.x + a.yy * v.y) + a.yz * v.z,
            (a.xz * v.x + a.yz * v.y) + a.zz * v.z);
}
static inline sym3 s3_add(sym3 a, sym3 b)
{
  return (sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
static inline sym3 s3_rotate(mat3 R, const rot3 *J)
{
  const mat3 A = m3_mulparam(R, J);
  return (sym3){(A.x.x * R.x.x + A.y.x * R.y.x) + A.z.x * R.z.x,
                (A.x.y * R.x.y + A.y.y * R.y.y) + A.z.y * R.z.y,
                (A.x.z * R.x.z + A.y.z * R.y.z) + A.z.z * R.z.z,
                (A.x.x * R.x.y + A.y.x * R.y.y) + A.z.x * R.z.y,
                (A.x.x * R.x.z + A.y.x * R.y.z) + A.z.x * R.z.z,
                (A.x.y * R.x.z + A.y.y * R.y.z) + A.z.y * R.z.z};
}
static inline sym3 s3_add_parallel(sym3 J, vec3 r, vec3 g)
{
  const real d = 2.0 * v3_dot(r, g);
  return (sym3){J.xx + d - 2.0 * r.x * g.x,   J.yy + d - 2.0 * r.y * g.y,
                J.zz + d - 2.0 * r.z * g.z,   J.xy - r.x * g.y - r.y * g.x,
                J.xz - r.x * g.z - r.z * g.x, J.yz - r.y * g.z - r.z * g.y};
}

#endif
#endif
