/* SPDX-License-Identifier: Apache-2.0 */
/* forces.h -- loads of springs, motors, bushings, torsions and applied loads at the state of the work.  After
   kinematics.  Out: applied[link] about its origin, tau[freedom]; or the potential energy. */
#ifndef LWI_TREE_RECURSION_FORCES_H
#define LWI_TREE_RECURSION_FORCES_H
#include "model/expression/expr_real.h"
#include "tree/recursion/measures.h"
#include "tree/recursion/torsions.h"

static inline void push_at(lwi_tree_work *w, int link, vec3 offset, vec3 f)
{
  w->applied[link] = force_add(w->applied[link], (force){v3_cross(offset, f), f});
}

/* where coordinates and speeds are */
typedef struct {
  const lw_model *m;
  const real *q, *u;
} force_state;

/* ---- springs between points ---- */

/* the link at one of the two ends */
static inline int spring_link(const lwi_spring *e, int end)
{
  return end ? e->to.link : e->from.link;
}
static void push_spring(const force_state *x, lwi_tree_work *w, const lwi_spring *e)
{
  (void)x;
  const spring_state s = stretch(w, e);
  const vec3 f = v3_scale(s.n, spring_tension(e, &s));
  push_at(w, e->from.link, s.a.o, f);
  push_at(w, e->to.link, s.b.o, v3_neg(f));
}
static inline real spring_damping(const force_state *x, const lwi_tree_work *w, const lwi_spring *e)
{
  (void)x;
  if (e->damping == 0.0) return real_set(0.0);
  const real v = stretch(w, e).v;
  return e->damping * (v * v);
}
static inline real spring_energy(const force_state *x, const lwi_tree_work *w, const lwi_spring *e)
{
  (void)x;
  const real d = stretch(w, e).l - e->length;
  return 0.5 * e->stiffness * (d * d);
}

/* ---- on freedoms: joint springs and motors ---- */

/* A joint spring at x = q - rest.  On both sides s = x, h = 1.  On one side it begins at x = 0 and
   becomes linear over the onset w, with d = |x| on its side and 0 on the other, m = min(d, w):

     s = m^2 / 2w + (d - m),   ds/dd = m / w        so that the load -k s has a derivative everywhere
     U / k = m^3 / 6w + (d - m)^2 / 2 + (d - m) w / 2
     h = 3 (m/w)^2 - 2 (m/w)^3                      the damping's share: 0 to 1, likewise smooth */
typedef struct {
  real s, slope; /* with the sign of x */
  real h, h_slope;
  real energy;        /* U / k */
  real s_w, h_w, U_w; /* derivatives by the onset */
} joint_spring_state;

static inline joint_spring_state one_sided(real x, double side, double w)
{
  const real z = real_set(0.0), y = x * side;
  const real d = real_select(y > 0.0, y, z), m = real_select(d > w, real_set(w), d), e = d - m;
  const real r = m * (1.0 / w), by_rate = 6.0 * r * (1.0 - r) * (1.0 / w);
  return (joint_spring_state){.s = (0.5 * m * r + e) * side,
                              .slope = r,
                              .h = r * r * (3.0 - 2.0 * r),
                              .h_slope = by_rate * side,
                              .energy = m * m * r * (1.0 / 6) + 0.5 * e * (e + w),
                              .s_w = -0.5 * r * r * side,
                              .h_w = -(by_rate * r),
                              .U_w = -(r * r * m * (1.0 / 6)) + 0.5 * e - e * r};
}
static inline joint_spring_state find_joint_spring(const force_state *x, const lwi_tree_work *w,
                                                   const lwi_joint_spring *e)
{
  const real d = coordinate(x->m, w, x->q, e->q) - e->rest;
  if (e->side != 0) return one_sided(d, e->side, e->onset);
  const real z = real_set(0.0), one = real_set(1.0);
  return (joint_spring_state){.s = d,
                              .slope = one,
                              .h = one,
                              .h_slope = z,
                              .energy = 0.5 * (d * d),
                              .s_w = z,
                              .h_w = z,
                              .U_w = z};
}
static inline void push_joint_spring(const force_state *x, lwi_tree_work *w,
                                     const lwi_joint_spring *e)
{
  const joint_spring_state k = find_joint_spring(x, w, e);
  *tau_of(x->m, w, e->u) -= e->stiffness * k.s + e->damping * (k.h * speed(x->m, w, x->u, e->u));
}
static inline real joint_spring_damping(const force_state *x, const lwi_tree_work *w,
                                        const lwi_joint_spring *e)
{
  if (e->damping == 0.0) return real_set(0.0);
  const real v = speed(x->m, w, x->u, e->u);
  return e->damping * (find_joint_spring(x, w, e).h * (v * v));
}
static inline real joint_spring_energy(const force_state *x, const lwi_tree_work *w,
                                       const lwi_joint_spring *e)
{
  return e->stiffness * find_joint_spring(x, w, e).energy;
}
static inline void push_motor(const force_state *x, lwi_tree_work *w, const lwi_motor *e)
{
  *tau_of(x->m, w, e->u) += expr_eval_real(&e->value, w->slot);
}
static inline real motor_power(const force_state *x, const lwi_tree_work *w, const lwi_motor *e)
{
  return expr_eval_real(&e->value, w->slot) * speed(x->m, w, x->u, e->u);
}

/* ---- bushings ---- */

/* relative position x and rotation vector phi of the child's joint frame in the parent's, and their
   velocities, all in the parent's joint axes */
typedef struct {
  mat3 P; /* the parent's joint axes */
  vec3 x, phi, v, w;
  vec3 arm_parent, arm_child; /* from the links' origins to the child's joint origin */
  real theta2;                /* |phi|^2 */
} bushing_state;

static inline int bushing_link(const lwi_bushing *e, int end)
{
  return end ? e->child.link : e->parent.link;
}
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
static void push_bushing(const force_state *x, lwi_tree_work *w, const lwi_bushing *e)
{
  (void)x;
  const bushing_state s = find_bushing(w, e);
  const vec3 f = v3_add(times3(s.x, e->stiffness), times3(s.v, e->damping));
  const vec3 t = v3_add(rotation_gradient(s.phi, s.theta2, times3(s.phi, e->angular_stiffness)),
                        times3(s.w, e->angular_damping));
  const force on_parent = {m3_mulv(s.P, t), m3_mulv(s.P, f)};
  const force on_child = force_scale(on_parent, real_set(-1.0));
  w->applied[e->parent.link] =
      force_add(w->applied[e->parent.link], force_from(on_parent, s.arm_parent));
  w->applied[e->child.link] =
      force_add(w->applied[e->child.link], force_from(on_child, s.arm_child));
}

static inline real bushing_damping(const force_state *x, const lwi_tree_work *w,
                                   const lwi_bushing *e)
{
  (void)x;
  const bushing_state s = find_bushing(w, e);
  return v3_dot(s.v, times3(s.v, e->damping)) + v3_dot(s.w, times3(s.w, e->angular_damping));
}
static inline real half_square_sum(vec3 a, const double k[3])
{
  return 0.5 * v3_dot(a, times3(a, k));
}
static inline real bushing_energy(const force_state *x, const lwi_tree_work *w,
                                  const lwi_bushing *e)
{
  (void)x;
  const bushing_state s = find_bushing(w, e);
  return half_square_sum(s.x, e->stiffness) + half_square_sum(s.phi, e->angular_stiffness);
}

/* ---- torsions ---- */

static inline int torsion_link(const lwi_torsion *e, int end)
{
  return e->link[end];
}
static void push_torsion(const force_state *x, lwi_tree_work *w, const lwi_torsion *e)
{
  (void)x;
  const torsion_state s = find_torsion(w, e);
  const vec3 t = v3_scale(s.g, torsion_torque(e, &s));
  force *parent = &w->applied[e->link[0]], *child = &w->applied[e->link[1]];
  parent->t = v3_add(parent->t, t);
  child->t = v3_sub(child->t, t);
}
static inline real torsion_damping(const force_state *x, const lwi_tree_work *w,
                                   const lwi_torsion *e)
{
  (void)x;
  if (e->damping == 0.0) return real_set(0.0);
  const real rate = find_torsion(w, e).rate;
  return e->damping * (rate * rate);
}
static inline real torsion_energy(const force_state *x, const lwi_tree_work *w,
                                  const lwi_torsion *e)
{
  (void)x;
  const real d = find_torsion(w, e).turn - e->angle;
  return 0.5 * e->stiffness * (d * d);
}

/* ---- applied loads ---- */

static inline vec3 expr3(const lwi_expr e[3], const real *slot)
{
  return v3(expr_eval_real(&e[0], slot), expr_eval_real(&e[1], slot), expr_eval_real(&e[2], slot));
}
/* about the point where it acts, in ground axes */
static inline force applied_load(const lwi_tree_work *w, const lwi_load *e)
{
  force l = {expr3(e->torque, w->slot), expr3(e->force, w->slot)};
  if (!e->body_axes) return l;
  const mat3 B = m3_mulparam(w->link[e->point.link].R, &e->R);
  return (force){m3_mulv(B, l.t), m3_mulv(B, l.f)};
}
/* along a spring the force is its tension */
static void push_along(const lw_model *m, lwi_tree_work *w, const lwi_load *e)
{
  const lwi_spring *k = &m->spring[e->along - 1];
  const spring_state s = stretch(w, k);
  const vec3 f = v3_scale(s.n, expr_eval_real(&e->force[0], w->slot));
  push_at(w, k->from.link, s.a.o, f);
  push_at(w, k->to.link, s.b.o, v3_neg(f));
}
static void push_load(const force_state *x, lwi_tree_work *w, const lwi_load *e)
{
  if (e->along) {
    push_along(x->m, w, e);
    return;
  }
  const vec3 o = m3_mulp(w->link[e->point.link].R, e->point.p);
  force *on = &w->applied[e->point.link];
  *on = force_add(*on, force_from(applied_load(w, e), o));
}

static inline real load_power(const force_state *x, const lwi_tree_work *w, const lwi_load *e)
{
  if (e->along)
    return -(expr_eval_real(&e->force[0], w->slot) * stretch(w, &x->m->spring[e->along - 1]).v);
  const force l = applied_load(w, e);
  return v3_dot(l.f, find_point(w, &e->point).v) + v3_dot(l.t, w->link[e->point.link].V.w);
}

/* ---- all of them ---- */

static void fill_slots(const lw_model *m, lwi_tree_work *w, double t, const real *q, const real *u)
{
  for (int i = m->nparameter; i < m->nslot; i++) {
    const lwi_slot *s = &m->slot[i - m->nparameter];
    w->slot[i] = s->kind == LWI_SLOT_TIME ? real_set(t)
                 : s->kind == LWI_SLOT_Q  ? coordinate(m, w, q, s->index)
                 : s->kind == LWI_SLOT_U  ? speed(m, w, u, s->index)
                                          : find_measure(m, w, &s->measure);
  }
}

/* code for every element of a row of force_list.h: x is the force_state, e the element */
#define EACH(item, code)                                                                           \
  for (int i = 0; i < m->n##item; i++) {                                                           \
    const lwi_##item *e = &m->item[i];                                                             \
    code;                                                                                          \
  }

/* what is elastic comes first */
static void find_forces(const lw_model *m, lwi_tree_work *w, double t, const double *q_,
                        const double *u_)
{
  const force_state x = {m, (const real *)q_, (const real *)u_};
  const force none = {v3_zero(), v3_zero()};
  if (m->nslot > m->nparameter) fill_slots(m, w, t, x.q, x.u);
  if (lwi_has_freedom_elements(m)) {
    for (int i = 0; i < m->nu; i++)
      w->tau[i] = real_set(0.0);
    for (int i = 0; i < m->ncut_u; i++)
      w->cut_tau[i] = real_set(0.0);
  }
#define PUSH(sort, place, item, on, kind)                                                          \
  LWI_IF(place, on, LWI_IF(sort, kind, EACH(item, push_##item(&x, w, e))))
#define ELASTIC_FREEDOM(item, items, name, on, kind) PUSH(ELASTIC, FREEDOM, item, on, kind)
#define APPLIED_FREEDOM(item, items, name, on, kind) PUSH(APPLIED, FREEDOM, item, on, kind)
#define ELASTIC_LINKS(item, items, name, on, kind) PUSH(ELASTIC, LINKS, item, on, kind)
#define APPLIED_LINKS(item, items, name, on, kind) PUSH(APPLIED, LINKS, item, on, kind)
  LWI_FORCE_LIST(ELASTIC_FREEDOM)
  LWI_FORCE_LIST(APPLIED_FREEDOM)
  if (!lwi_has_link_forces(m)) return;
  for (int i = 0; i < m->nlink; i++)
    w->applied[i] = none;
  LWI_FORCE_LIST(ELASTIC_LINKS)
  LWI_FORCE_LIST(APPLIED_LINKS)
#undef APPLIED_LINKS
#undef ELASTIC_LINKS
#undef APPLIED_FREEDOM
#undef ELASTIC_FREEDOM
#undef PUSH
}

/* rates of states, after find_forces at the same state */
static void state_rates(const lw_model *m, const lwi_tree_work *w, double *out)
{
  for (int i = 0; i < m->nstate; i++) {
    const real x = expr_eval_real(&m->state[i].rate, w->slot);
    for (int k = 0; k < LW_LANES; k++)
      out[i * LW_LANES + k] = real_lane(x, k);
  }
}

/* load and power of a motor, and [torque; force] in ground axes of an applied load at its point; after forces at the
   same state */
static void get_motor(const lw_model *m, const lwi_tree_work *w, int motor, const double *u,
                      double out[2])
{
  const force_state x = {.m = m, .u = (const real *)u};
  out[0] = real_lane(expr_eval_real(&m->motor[motor].value, w->slot), 0);
  out[1] = real_lane(motor_power(&x, w, &m->motor[motor]), 0);
}
static void get_applied(const lw_model *m, const lwi_tree_work *w, int load, double out[6])
{
  const force l = applied_load(w, &m->load[load]); /* along a spring: its tension in x */
  for (int k = 0; k < 3; k++) {
    out[k] = real_lane(v3_component(l.t, k), 0);
    out[3 + k] = real_lane(v3_component(l.f, k), 0);
  }
}

/* Power of what is not in the potential energy: motors, applied loads and dampers, after
   kinematics; drivers are constraints. */
static void applied_power(const lw_model *m, lwi_tree_work *w, double t, const double *q_,
                          const double *u_, double *to)
{
  const force_state x = {m, (const real *)q_, (const real *)u_};
  real P = real_set(0.0);
#define DAMP(item, items, name, on, kind)                                                          \
  LWI_IF(ELASTIC, kind, EACH(item, P -= item##_damping(&x, w, e)))
#define APPLY(item, items, name, on, kind)                                                         \
  LWI_IF(APPLIED, kind, EACH(item, P += item##_power(&x, w, e)))
  LWI_FORCE_LIST(DAMP)
  if (lwi_has_applied_elements(m)) fill_slots(m, w, t, x.q, x.u);
  LWI_FORCE_LIST(APPLY)
#undef APPLY
#undef DAMP
  for (int k = 0; k < LW_LANES; k++)
    to[k] = real_lane(P, k);
}

static real elastic_energy(const lw_model *m, const lwi_tree_work *w, const real *q)
{
  const force_state x = {.m = m, .q = q};
  real sum = real_set(0.0);
#define ADD(item, items, name, on, kind)                                                           \
  LWI_IF(ELASTIC, kind, EACH(item, sum += item##_energy(&x, w, e)))
  LWI_FORCE_LIST(ADD)
#undef ADD
  return sum;
}

#endif
