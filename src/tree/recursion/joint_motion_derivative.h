/* SPDX-License-Identifier: Apache-2.0 */
/* joint_motion_derivative.h -- joint_motion.h differentiated, for every kind of joint: derivatives
   of columns by freedoms of the same joint, and of columns and bias along a direction.  Written by
   hand, not by math/num.h: kernels are written for `real`, and these sweeps reuse the factors of
   the state, so that a direction costs 0.64 (models/double-pendulum.yaml) to 0.81 (joint-zoo.yaml)
   of forward dynamics; the recursions in numbers with a derivative would need four products for
   each one. */
#ifndef LWI_TREE_RECURSION_JOINT_MOTION_DERIVATIVE_H
#define LWI_TREE_RECURSION_JOINT_MOTION_DERIVATIVE_H
#include "tree/recursion/joint_motion.h"

static inline motion motion_zero(void)
{
  return (motion){v3_zero(), v3_zero()};
}

/* ---- columns that stay with the parent ---- */

typedef enum { KEEPS_NONE, KEEPS_SOME, KEEPS_ALL } keeping;

static inline keeping joint_keeping(lwi_kind kind)
{
  switch (kind) {
  case LWI_KIND_SPHERICAL_REVERSED:
  case LWI_KIND_FREE_REVERSED:
  case LWI_KIND_FREE_PLANAR_REVERSED: return KEEPS_ALL;
  case LWI_KIND_AXES:
  case LWI_KIND_AXES_REVERSED:
  case LWI_KIND_PLANAR:
  case LWI_KIND_PLANAR_REVERSED: return KEEPS_SOME;
  default: return KEEPS_NONE; /* fixed in the child, or one axis */
  }
}
/* does column l stay when freedom k moves, although the link does not? */
static inline bool column_stays(lwi_kind kind, int k, int l)
{
  switch (kind) {
  case LWI_KIND_AXES: return l < k;
  case LWI_KIND_AXES_REVERSED: return l > k;
  case LWI_KIND_PLANAR: return k == 2 && l < 2;
  case LWI_KIND_PLANAR_REVERSED: return k < 2 && l == 2;
  default: return joint_keeping(kind) == KEEPS_ALL && k != l;
  }
}
/* ---- along a direction ---- */

/* of one joint: kappa, the rotations of its axes in the order of the tree where it has several, and
   d_p of reversed ones */
typedef struct {
  vec3 kappa, axis[LWI_MOST_AXES], d, d1;
} joint_turn;

/* a turning_back column [-a; a x d] whose axis stays with the parent */
static inline motion turned_back(const joint_turn *j, vec3 w)
{
  const vec3 w1 = v3_cross(j->kappa, w);
  return (motion){w1, v3_add_cross(v3_cross(j->d, w1), j->d1, w)};
}
static inline motion turned(vec3 turn, motion S)
{
  return (motion){v3_cross(turn, S.w), v3_cross(turn, S.v)};
}

static inline motion column_rate(const lwi_link *L, const lwi_link *dL, const freedom *fr, int k,
                                 const joint_turn *j, vec3 turn)
{
  const motion S = fr[k].S;
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_AXES:
  case LWI_KIND_AXES_REVERSED:
    return turned(j->axis[lwi_kind_order((lwi_kind)L->kind, L->nu, k)], S);
  case LWI_KIND_SPHERICAL:
  case LWI_KIND_FREE: return turned(turn, S);
  case LWI_KIND_FREE_PLANAR: return turned(k == 0 ? j->kappa : turn, S);
  case LWI_KIND_PLANAR_REVERSED: return k == 2 ? turned_back(j, S.w) : turned(turn, S);
  case LWI_KIND_FREE_REVERSED: return k < 3 ? turned_back(j, S.w) : turned(j->kappa, S);
  case LWI_KIND_FREE_PLANAR_REVERSED: return k == 0 ? turned_back(j, S.w) : turned(j->kappa, S);
  case LWI_KIND_HELICAL: {
    motion x = turned(j->kappa, S);
    if (dL) x.v = v3_fma(x.v, S.w, real_set(dL->pitch));
    return x;
  }
  default: return turned(j->kappa, S);
  }
}

/* joint_extra_bias, differentiated */
static inline motion extra_rate(const lwi_link *L, const freedom *fr, const motion *S1,
                                const real *u, const real *u_p, motion rel, motion rel1,
                                const joint_turn *j)
{
  motion c = motion_zero();
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_AXES:
  case LWI_KIND_AXES_REVERSED: {
    vec3 before = v3_zero(), before_p = v3_zero();
    for (int k = 0; k < L->nu; k++) {
      const int i = lwi_kind_order((lwi_kind)L->kind, L->nu, k);
      const vec3 own = v3_scale(fr[i].S.w, u[i]);
      const vec3 own_p = v3_fma(v3_scale(S1[i].w, u[i]), fr[i].S.w, u_p[i]);
      c.w = v3_add_cross(v3_add_cross(c.w, before_p, own), before, own_p);
      before = v3_add(before, own);
      before_p = v3_add(before_p, own_p);
    }
    return c;
  }
  case LWI_KIND_FREE:
  case LWI_KIND_FREE_REVERSED:
  case LWI_KIND_FREE_PLANAR:
  case LWI_KIND_FREE_PLANAR_REVERSED:
    c.v = v3_add_cross(v3_cross(rel1.w, rel.v), rel.w, rel1.v);
    return c;
  case LWI_KIND_PLANAR_REVERSED: {
    const vec3 x = v3_add_cross(v3_add(rel.v, rel.v), rel.w, j->d);
    const vec3 x1 = v3_add_cross(v3_add_cross(v3_add(rel1.v, rel1.v), rel1.w, j->d), rel.w, j->d1);
    c.v = v3_add_cross(v3_cross(rel1.w, x), rel.w, x1);
    return c;
  }
  default: return c;
  }
}

#endif
