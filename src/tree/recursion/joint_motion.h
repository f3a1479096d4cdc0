/* SPDX-License-Identifier: Apache-2.0 */
/* joint_motion.h -- motion of a link relative to its parent, for every kind of joint: the one place
   where a new joint type adds a case.

   Legend: Q  joint frame on the parent's side, ground axes;  R  link frame, ground axes; r  from
   the parent's origin to the link's;  S  columns of the motion map H*, about the link's origin;
   (sn, cs)  sines and cosines of the joint's angles.

   Reversed kinds carry the joint's parent on its child: with d from the link's origin (on the
   joint's parent) to the joint's child and the joint's own motion (w, s),
     link angular velocity = that of the tree parent - w,   S u = [-w; -s + w x d],   r = ... - d. */
#ifndef LWI_TREE_RECURSION_JOINT_MOTION_H
#define LWI_TREE_RECURSION_JOINT_MOTION_H
#include "math/spatial.h"
#include "model/model.h"

/* one freedom: its motion, and what the articulated-body recursion keeps of it */
typedef struct {
  motion S;
  force U;   /* IA S */
  real Dinv; /* 1 / (S^T U) */
  real eps;  /* tau - S^T pA */
} freedom;

static inline motion turning(vec3 axis)
{
  return (motion){axis, v3_zero()};
}
static inline motion sliding(vec3 axis)
{
  return (motion){v3_zero(), axis};
}
/* reversed: a rotation -axis of the link about the joint's child, which is at d */
static inline motion turning_back(vec3 axis, vec3 d)
{
  return (motion){v3_neg(axis), v3_cross(axis, d)};
}
/* rotation matrix of a quaternion of any length but zero: only its direction counts */
static inline mat3 rotation_of(const real *e)
{
  const real s = 2.0 / ((e[0] * e[0] + e[1] * e[1]) + (e[2] * e[2] + e[3] * e[3]));
  const real w = e[0], x = e[1], y = e[2], z = e[3];
  const real x2 = x * s, y2 = y * s, z2 = z * s;
  const real xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
  const real wx = w * x2, wy = w * y2, wz = w * z2;
  return (mat3){v3(1.0 - (yy + zz), xy + wz, xz - wy), v3(xy - wz, 1.0 - (xx + zz), yz + wx),
                v3(xz + wy, yz - wx, 1.0 - (xx + yy))};
}

/* coordinates of a joint, and sines and cosines of its angles */
typedef struct {
  const real *q, *sn, *cs;
} joint_coordinates;

/* of joints with a quaternion */
static inline void quaternion_position(const lwi_link *L, const real *q, mat3 Q, mat3 *R, vec3 *r,
                                       freedom *fr)
{
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_SPHERICAL:
    *R = m3_mul(Q, rotation_of(q));
    fr[0].S = turning(R->x);
    fr[1].S = turning(R->y);
    fr[2].S = turning(R->z);
    return;
  case LWI_KIND_SPHERICAL_REVERSED:
    *R = m3_mul(Q, m3_transpose(rotation_of(q)));
    fr[0].S = turning(v3_neg(Q.x));
    fr[1].S = turning(v3_neg(Q.y));
    fr[2].S = turning(v3_neg(Q.z));
    return;
  case LWI_KIND_FREE:
    *R = m3_mul(Q, rotation_of(q + 3));
    *r = v3_fma(v3_fma(v3_fma(*r, Q.x, q[0]), Q.y, q[1]), Q.z, q[2]);
    fr[0].S = turning(L->inertialess ? v3_zero() : R->x);
    fr[1].S = turning(L->inertialess ? v3_zero() : R->y);
    fr[2].S = turning(L->inertialess ? v3_zero() : R->z);
    fr[3].S = sliding(R->x);
    fr[4].S = sliding(R->y);
    fr[5].S = sliding(R->z);
    return;
  case LWI_KIND_FREE_REVERSED: {
    *R = m3_mul(Q, m3_transpose(rotation_of(q + 3)));
    const vec3 d = m3_mulv(*R, v3(q[0], q[1], q[2]));
    *r = v3_sub(*r, d);
    fr[0].S = turning_back(Q.x, d);
    fr[1].S = turning_back(Q.y, d);
    fr[2].S = turning_back(Q.z, d);
    fr[3].S = sliding(v3_neg(Q.x));
    fr[4].S = sliding(v3_neg(Q.y));
    fr[5].S = sliding(v3_neg(Q.z));
    return;
  }
  default: return;
  }
}

/* of joints that move in the plane of x and y */
static inline void planar_position(const lwi_link *L, joint_coordinates x, mat3 Q, mat3 *R, vec3 *r,
                                   freedom *fr)
{
  const real *const q = x.q, *const sn = x.sn, *const cs = x.cs;
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_PLANAR:
    *R = m3_turn_z(Q, cs[0], sn[0]);
    *r = v3_fma(v3_fma(*r, Q.x, q[0]), Q.y, q[1]);
    fr[0].S = sliding(Q.x);
    fr[1].S = sliding(Q.y);
    fr[2].S = turning(Q.z);
    return;
  case LWI_KIND_PLANAR_REVERSED: {
    *R = m3_turn_z(Q, cs[0], -sn[0]);
    const vec3 d = v3_fma(v3_scale(R->x, q[0]), R->y, q[1]);
    *r = v3_sub(*r, d);
    fr[0].S = sliding(v3_neg(R->x));
    fr[1].S = sliding(v3_neg(R->y));
    fr[2].S = turning_back(Q.z, d);
    return;
  }
  case LWI_KIND_FREE_PLANAR:
    *R = m3_turn_z(Q, cs[0], sn[0]);
    *r = v3_fma(v3_fma(*r, Q.x, q[0]), Q.y, q[1]);
    fr[0].S = turning(L->inertialess ? v3_zero() : Q.z);
    fr[1].S = sliding(R->x);
    fr[2].S = sliding(R->y);
    return;
  case LWI_KIND_FREE_PLANAR_REVERSED: {
    *R = m3_turn_z(Q, cs[0], -sn[0]);
    const vec3 d = v3_fma(v3_scale(R->x, q[0]), R->y, q[1]);
    *r = v3_sub(*r, d);
    fr[0].S = turning_back(Q.z, d);
    fr[1].S = sliding(v3_neg(Q.x));
    fr[2].S = sliding(v3_neg(Q.y));
    return;
  }
  default: return;
  }
}

/* In: Q, r (joint origin).  Out: R, r, S of its freedoms. */
static __attribute__((noinline)) void joint_position(const lw_model *m, const lwi_link *L,
                                                     joint_coordinates x, mat3 Q, mat3 *R, vec3 *r,
                                                     freedom *fr)
{
  const real *const q = x.q, *const sn = x.sn, *const cs = x.cs;
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_FIXED: *R = Q; return;
  case LWI_KIND_REVOLUTE:
    *R = m3_turn_z(Q, cs[0], sn[0]);
    fr[0].S = turning(Q.z);
    return;
  case LWI_KIND_PRISMATIC:
    *R = Q;
    *r = v3_fma(*r, Q.z, q[0]);
    fr[0].S = sliding(Q.z);
    return;
  case LWI_KIND_HELICAL:
    *R = m3_turn_z(Q, cs[0], sn[0]);
    *r = v3_fma(*r, Q.z, L->pitch * q[0]);
    fr[0].S = (motion){Q.z, v3_scale(Q.z, real_set(L->pitch))};
    return;
  case LWI_KIND_CYLINDRICAL:
    *R = m3_turn_z(Q, cs[0], sn[0]);
    *r = v3_fma(*r, Q.z, q[1]);
    fr[0].S = turning(Q.z);
    fr[1].S = sliding(Q.z);
    return;
  case LWI_KIND_AXES:
  case LWI_KIND_AXES_REVERSED:
    *R = Q;
    for (int k = 0; k < L->nu; k++) {
      if (k > 0) *R = m3_mulparam(*R, &m->middle[L->middle + k - 1]);
      fr[lwi_kind_order((lwi_kind)L->kind, L->nu, k)].S = turning(R->z);
      *R = m3_turn_z(*R, cs[k], sn[k]);
    }
    return;
  case LWI_KIND_SPHERICAL:
  case LWI_KIND_SPHERICAL_REVERSED:
  case LWI_KIND_FREE:
  case LWI_KIND_FREE_REVERSED: quaternion_position(L, q, Q, R, r, fr); return;
  default: planar_position(L, x, Q, R, r, fr); return;
  }
}

/* The part of Sdot u beyond w_parent x (S u): of axes that the joint itself turns.  In: rel = S u.
   Each case is derived in docs/theory/tree.md. */
static inline motion joint_extra_bias(const lwi_link *L, const real *u, motion rel,
                                      vec3 joint_origin, vec3 r, const freedom *fr)
{
  motion c = {v3_zero(), v3_zero()};
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_AXES: /* each axis turns with the angles before it */
  case LWI_KIND_AXES_REVERSED: {
    vec3 before = v3_zero();
    for (int k = 0; k < L->nu; k++) {
      const int i = lwi_kind_order((lwi_kind)L->kind, L->nu, k);
      const vec3 own = v3_scale(fr[i].S.w, u[i]);
      c.w = v3_add_cross(c.w, before, own);
      before = v3_add(before, own);
    }
    return c;
  }
  case LWI_KIND_FREE: /* the velocity is measured in axes that turn with the child */
  case LWI_KIND_FREE_REVERSED:
  case LWI_KIND_FREE_PLANAR:
  case LWI_KIND_FREE_PLANAR_REVERSED: c.v = v3_cross(rel.w, rel.v); return c;
  case LWI_KIND_PLANAR_REVERSED: {
    const vec3 d = v3_sub(joint_origin, r);
    c.v = v3_cross(rel.w, v3_add(v3_add(rel.v, rel.v), v3_cross(rel.w, d)));
    return c;
  }
  default: return c;
  }
}

#endif
