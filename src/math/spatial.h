/* SPDX-License-Identifier: Apache-2.0 */
/* spatial.h -- spatial motions, forces and inertias, by value, in ground axes.

   Everything is expressed in ground axes about a link's own origin, so that going from a link to
   its parent is a shift by r (from the parent's origin to the link's, [Jain2012] phi) and never a
   rotation, and r is a difference of near points, so that no digits are lost far from the
   ground. */
#ifndef LWI_MATH_SPATIAL_H
#define LWI_MATH_SPATIAL_H
#include "math/mat3.h"

/* two types although their layout is the same: a force is never a motion */
typedef struct {
  vec3 w, v; /* angular, linear */
} motion;
typedef struct {
  vec3 t, f; /* torque, force */
} force;

static inline motion motion_add(motion a, motion b)
{
  return (motion){v3_add(a.w, b.w), v3_add(a.v, b.v)};
}
static inline motion motion_fma(motion a, motion b, real s)
{
  return (motion){v3_fma(a.w, b.w, s), v3_fma(a.v, b.v, s)};
}
static inline force force_add(force a, force b)
{
  return (force){v3_add(a.t, b.t), v3_add(a.f, b.f)};
}
static inline force force_sub(force a, force b)
{
  return (force){v3_sub(a.t, b.t), v3_sub(a.f, b.f)};
}
static inline force force_fma(force a, force b, real s)
{
  return (force){v3_fma(a.t, b.t, s), v3_fma(a.f, b.f, s)};
}
static inline force force_scale(force a, real s)
{
  return (force){v3_scale(a.t, s), v3_scale(a.f, s)};
}
static inline real power(motion a, force b)
{
#if LW_PACKED
  const vec3 p = a.w * b.t + a.v * b.f;
  return (p[0] + p[1]) + p[2];
#else
  return v3_dot(a.w, b.t) + v3_dot(a.v, b.f);
#endif
}
/* phi* V: the motion of the point at r that is fixed to the same body */
static inline motion motion_at(motion a, vec3 r)
{
  return (motion){a.w, v3_add_cross(a.v, a.w, r)};
}
/* phi f: the same load about a point from which r leads to the old one */
static inline force force_from(force a, vec3 r)
{
  return (force){v3_add_cross(a.t, r, a.f), a.f};
}

/* ---- rigid inertia about the link's origin: mass, first moment h = m c, second moment J ---- */

typedef struct {
  sym3 J;
  vec3 h;
  real m;
} rigid;

static inline force rigid_mul(rigid I, motion a)
{
  return (force){v3_add_cross(s3_mulv(I.J, a.w), I.h, a.v),
                 v3_add_cross(v3_scale(a.v, I.m), a.w, I.h)};
}
/* [ w x J w ; w x (w x h) ], the gyroscopic and centripetal load */
static inline force rigid_bias(rigid I, vec3 w)
{
  return (force){v3_cross(w, s3_mulv(I.J, w)), v3_cross(w, v3_cross(w, I.h))};
}
static inline rigid rigid_add(rigid a, rigid b)
{
  return (rigid){s3_add(a.J, b.J), v3_add(a.h, b.h), a.m + b.m};
}
static inline rigid rigid_from(rigid a, vec3 r)
{
  const vec3 g = v3_fma(a.h, r, 0.5 * a.m);
  return (rigid){s3_add_parallel(a.J, r, g), v3_fma(a.h, r, a.m), a.m};
}

/* ---- articulated inertia [ J H ; H^T M ]: the one quantity whose layout depends on the width.
        Packed, it is kept as four blocks of columns (G = H^T), because a product is then a sum of
        scaled columns; with lanes the symmetric halves are kept once. ---- */

#if LW_PACKED

typedef struct {
  mat3 J, H, G, M;
} abi;

/* trace of J, trace of M */
static inline real abi_angular_size(abi I)
{
  return I.J.x[0] + I.J.y[1] + I.J.z[2];
}
static inline real abi_linear_size(abi I)
{
  return I.M.x[0] + I.M.y[1] + I.M.z[2];
}

static inline abi abi_rigid(rigid I)
{
  const vec3 h = I.h;
  const real o = 0.0, x = h[0], y = h[1], z = h[2], m = I.m;
  return (abi){.J = I.J,
               .H = {v3(o, z, -y), v3(-z, o, x), v3(y, -x, o)},
               .G = {v3(o, -z, y), v3(z, o, -x), v3(-y, x, o)},
               .M = {v3(m, o, o), v3(o, m, o), v3(o, o, m)}};
}
static inline abi abi_add(abi a, abi b)
{
  return (abi){s3_add(a.J, b.J), s3_add(a.H, b.H), s3_add(a.G, b.G), s3_add(a.M, b.M)};
}
static inline force abi_mul(abi I, motion a)
{
  return (force){v3_add(m3_mulv(I.J, a.w), m3_mulv(I.H, a.v)),
                 v3_add(m3_mulv(I.G, a.w), m3_mulv(I.M, a.v))};
}
static inline mat3 m3_sub_outer(mat3 a, vec3 u, vec3 v)
{
  return (mat3){v3_fma(a.x, u, -v[0]), v3_fma(a.y, u, -v[1]), v3_fma(a.z, u, -v[2])};
}
/* I - U U^T s */
static inline abi abi_sub_outer(abi I, force U, real s)
{
  const vec3 t = U.t * s, f = U.f * s;
  return (abi){m3_sub_outer(I.J, U.t, t), m3_sub_outer(I.H, U.t, f), m3_sub_outer(I.G, U.f, t),
               m3_sub_outer(I.M, U.f, f)};
}
/* (a + b^T) / 2 */
static inline mat3 m3_mean_of_transposed(mat3 a, mat3 b)
{
  const mat3 t = m3_transpose(b);
  return (mat3){v3_scale(v3_add(a.x, t.x), 0.5), v3_scale(v3_add(a.y, t.y), 0.5),
                v3_scale(v3_add(a.z, t.z), 0.5)};
}
/* Products of both halves round differently: the mean of I and I^T. */
static inline abi abi_symmetric(abi I)
{
  const mat3 H = m3_mean_of_transposed(I.H, I.G);
  return (abi){m3_mean_of_transposed(I.J, I.J), H, m3_transpose(H),
               m3_mean_of_transposed(I.M, I.M)};
}
/* a - K r~ */
static inline mat3 m3_sub_times_tilde(mat3 a, mat3 K, vec3 r)
{
  const real x = r[0], y = r[1], z = r[2];
  return (mat3){v3_fma(v3_fma(a.x, K.y, -z), K.z, y), v3_fma(v3_fma(a.y, K.x, z), K.z, -x),
                v3_fma(v3_fma(a.z, K.x, -y), K.y, x)};
}
/* a + r~ K */
static inline mat3 m3_add_tilde_times(mat3 a, vec3 r, mat3 K)
{
  return (mat3){v3_add_cross(a.x, r, K.x), v3_add_cross(a.y, r, K.y), v3_add_cross(a.z, r, K.z)};
}
/* phi I phi* */
static inline abi abi_from(abi I, vec3 r)
{
  const mat3 G = m3_sub_times_tilde(I.G, I.M, r);
  const mat3 J = m3_sub_times_tilde(I.J, I.H, r);
  return (abi){m3_add_tilde_times(J, r, G), m3_add_tilde_times(I.H, r, I.M), G, I.M};
}

#else

typedef struct {
  sym3 J, M;
  mat3 H;
} abi;

static inline real abi_angular_size(abi I)
{
  return I.J.xx + I.J.yy + I.J.zz;
}
static inline real abi_linear_size(abi I)
{
  return I.M.xx + I.M.yy + I.M.zz;
}

static inline abi abi_rigid(rigid I)
{
  const real o = real_set(0.0);
  const vec3 h = I.h;
  return (abi){.J = I.J,
               .M = {I.m, I.m, I.m, o, o, o},
               .H = {v3(o, h.z, -h.y), v3(-h.z, o, h.x), v3(h.y, -h.x, o)}};
}
static inline abi abi_add(abi a, abi b)
{
  return (abi){s3_add(a.J, b.J),
               s3_add(a.M, b.M),
               {v3_add(a.H.x, b.H.x), v3_add(a.H.y, b.H.y), v3_add(a.H.z, b.H.z)}};
}
static inline force abi_mul(abi I, motion a)
{
  return (force){v3_add(s3_mulv(I.J, a.w), m3_mulv(I.H, a.v)),
                 v3_add(m3_tmulv(I.H, a.w), s3_mulv(I.M, a.v))};
}
static inline sym3 s3_sub_outer(sym3 a, vec3 u, vec3 v)
{
  return (sym3){a.xx - u.x * v.x, a.yy - u.y * v.y, a.zz - u.z * v.z,
                a.xy - u.x * v.y, a.xz - u.x * v.z, a.yz - u.y * v.z};
}
static inline abi abi_sub_outer(abi I, force U, real s)
{
  const vec3 t = v3_scale(U.t, s), f = v3_scale(U.f, s);
  return (abi){s3_sub_outer(I.J, U.t, t),
               s3_sub_outer(I.M, U.f, f),
               {v3_fma(I.H.x, U.t, -f.x), v3_fma(I.H.y, U.t, -f.y), v3_fma(I.H.z, U.t, -f.z)}};
}
static inline abi abi_symmetric(abi I)
{
  return I;
}
static inline abi abi_from(abi I, vec3 r)
{
  /* H_new = H + r~ M;  J_new = J + r~ H^T - H_new r~, upper triangle */
  const sym3 M = I.M;
  const mat3 H = {v3_add_cross(I.H.x, r, v3(M.xx, M.xy, M.xz)),
                  v3_add_cross(I.H.y, r, v3(M.xy, M.yy, M.yz)),
                  v3_add_cross(I.H.z, r, v3(M.xz, M.yz, M.zz))};
  const mat3 T = m3_transpose(I.H);
  const vec3 x = v3_cross(r, T.x), y = v3_cross(r, T.y), z = v3_cross(r, T.z);
  const vec3 Kx = v3_sub(v3_scale(H.y, r.z), v3_scale(H.z, r.y));
  const vec3 Ky = v3_sub(v3_scale(H.z, r.x), v3_scale(H.x, r.z));
  const vec3 Kz = v3_sub(v3_scale(H.x, r.y), v3_scale(H.y, r.x));
  return (abi){.J = {I.J.xx + x.x - Kx.x, I.J.yy + y.y - Ky.y, I.J.zz + z.z - Kz.z,
                     I.J.xy + y.x - Ky.x, I.J.xz + z.x - Kz.x, I.J.yz + z.y - Kz.y},
               .M = M,
               .H = H};
}

#endif
#endif
