/* SPDX-License-Identifier: Apache-2.0 */
/* bushings.h -- where the child of a bushing is seen from its parent, and how it moves. */
#ifndef LWI_TREE_RECURSION_BUSHINGS_H
#define LWI_TREE_RECURSION_BUSHINGS_H
#include "tree/recursion/points.h"

/* relative position x and rotation vector phi of the child's joint frame in the parent's, and their
   velocities, all in the parent's joint axes */
typedef struct {
  mat3 P; /* the parent's joint axes */
  vec3 x, phi, v, w;
  vec3 arm_parent, arm_child; /* from the links' origins to the child's joint origin */
  real theta2;                /* |phi|^2 */
} bushing_state;

static inline vec3 v3_pick(real_mask mask, vec3 a, vec3 b)
{
  return v3(real_select(mask, v3_x(a), v3_x(b)), real_select(mask, v3_y(a), v3_y(b)),
            real_select(mask, v3_z(a), v3_z(b)));
}
/* The axis of a rotation by more than a quarter turn, of some length: with cosine c and axis e,
   R + R^T - 2 c = 2 (1 - c) e e^T, of which the largest column is taken; along the skew part a. */
static inline vec3 wide_axis(mat3 R, real c, vec3 a)
{
  const mat3 T = m3_transpose(R), I = m3_identity();
  const vec3 x = v3_fma(v3_add(R.x, T.x), I.x, -2.0 * c),
             y = v3_fma(v3_add(R.y, T.y), I.y, -2.0 * c),
             z = v3_fma(v3_add(R.z, T.z), I.z, -2.0 * c);
  const vec3 yz = v3_pick(v3_y(y) > v3_z(z), y, z);
  const vec3 b = v3_pick((v3_x(x) > v3_y(y)) & (v3_x(x) > v3_z(z)), x, yz);
  return v3_pick(v3_dot(a, b) < 0.0, v3_neg(b), b);
}
/* rotation vector; half a turn has two of them, of which one is taken */
static inline vec3 rotation_vector(mat3 R)
{
  const vec3 a = v3_scale(v3(v3_z(R.y) - v3_y(R.z), v3_x(R.z) - v3_z(R.x), v3_y(R.x) - v3_x(R.y)),
                          real_set(0.5));
  const real s = real_sqrt(v3_dot(a, a));
  const real c = 0.5 * (((v3_x(R.x) + v3_y(R.y)) + v3_z(R.z)) - 1.0);
  const real theta = real_map2(s, c, atan2);
  const vec3 b = wide_axis(R, c, a);
  const vec3 narrow = v3_scale(a, real_select(s > 1e-9, theta / s, real_set(1.0)));
  return v3_pick(c < -0.5, v3_scale(b, theta / real_sqrt(v3_dot(b, b))), narrow);
}
static inline bushing_state find_bushing(const lwi_tree_work *w, const lwi_bushing *e)
{
  const link_state *p = &w->link[e->parent.link], *c = &w->link[e->child.link];
  const point_state a = find_point(w, &e->parent), b = find_point(w, &e->child);
  bushing_state s = {.P = m3_mulparam(p->R, &e->Rp)};
  const vec3 d = v3_sub(b.x, a.x);
  s.x = m3_tmulv(s.P, d);
  s.phi = rotation_vector(m3_mul(m3_transpose(s.P), m3_mulparam(c->R, &e->Rc)));
  s.theta2 = v3_dot(s.phi, s.phi);
  s.v = m3_tmulv(s.P, v3_sub(v3_sub(b.v, a.v), v3_cross(p->V.w, d)));
  s.w = m3_tmulv(s.P, v3_sub(c->V.w, p->V.w));
  s.arm_parent = v3_add(a.o, d);
  s.arm_child = b.o;
  return s;
}
static inline vec3 times3(vec3 a, const double k[3])
{
  return v3(v3_x(a) * k[0], v3_y(a) * k[1], v3_z(a) * k[2]);
}
/* The torque is -J^-T (k phi), where J is the left Jacobian of the rotation vector, since
   d(phi) = J^-1 (rotation of the child);  J^-T = 1 + phi~/2 + b phi~ phi~,
   b = (1 - (theta/2) cot(theta/2)) / theta^2 */
static inline vec3 rotation_gradient(vec3 phi, real theta2, vec3 k_phi)
{
  const real half = 0.5 * real_sqrt(theta2);
  const real tan_half = real_map1(half, tan);
  const real b = real_select(theta2 > 1e-6, (1.0 - half / tan_half) / theta2,
                             1.0 / 12.0 + theta2 * (1.0 / 720.0));
  const vec3 c1 = v3_cross(phi, k_phi);
  return v3_fma(v3_fma(k_phi, c1, real_set(0.5)), v3_cross(phi, c1), b);
}

#endif
