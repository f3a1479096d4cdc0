/* SPDX-License-Identifier: Apache-2.0 */
/* forces.h -- loads of springs, motors, bushings, torsions and applied loads at the state of the
   work.  After kinematics.  Out: applied[link] about its origin, tau[freedom]; or the potential
   energy. */
#ifndef LWI_TREE_RECURSION_FORCES_H
#define LWI_TREE_RECURSION_FORCES_H
#include "tree/recursion/potentials.h"

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
static inline real joint_spring_load(const force_state *x, const lwi_tree_work *w,
                                     const lwi_joint_spring *e)
{
  const joint_spring_state k = find_joint_spring(x, w, e);
  return -(e->stiffness * k.s + e->damping * (k.h * speed(x->m, w, x->u, e->u)));
}
static inline void push_joint_spring(const force_state *x, lwi_tree_work *w,
                                     const lwi_joint_spring *e)
{
  *tau_of(x->m, w, e->u) += joint_spring_load(x, w, e);
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
/* of motors, applied loads and rates of states: an expression that may switch is held on one branch if the caller wants it
   (model/expression/expr_hold.h), but where it goes on without a value */
static inline const lwi_expr *held_expr(const lwi_tree_work *w, const lwi_expr *e)
{
  const lwi_expr *held = w->held && e->switching ? w->held[e->switching - 1] : NULL;
  return held ? held : e;
}
static inline real load_value(const lwi_tree_work *w, const lwi_expr *e)
{
  const lwi_expr *held = held_expr(w, e);
  const real x = expr_eval_real(held, w->slot);
  return held == e || !real_any(x != x) ? x : expr_eval_real(e, w->slot);
}

static inline void push_motor(const force_state *x, lwi_tree_work *w, const lwi_motor *e)
{
  *tau_of(x->m, w, e->u) += load_value(w, &e->value);
}
/* a law with a potential does no work beside it */
static inline real motor_power(const force_state *x, const lwi_tree_work *w, const lwi_motor *e)
{
  if (e->potential.exists) return real_set(0.0);
  return load_value(w, &e->value) * speed(x->m, w, x->u, e->u);
}

/* ---- bushings ---- */

static inline int bushing_link(const lwi_bushing *e, int end)
{
  return end ? e->child.link : e->parent.link;
}
/* at the origin of the child's frame */
static inline force bushing_on_parent(const lwi_bushing *e, const bushing_state *s)
{
  const vec3 f = v3_add(times3(s->x, e->stiffness), times3(s->v, e->damping));
  const vec3 t = v3_add(rotation_gradient(s->phi, s->theta2, times3(s->phi, e->angular_stiffness)),
                        times3(s->w, e->angular_damping));
  return (force){m3_mulv(s->P, t), m3_mulv(s->P, f)};
}
static void push_bushing(const force_state *x, lwi_tree_work *w, const lwi_bushing *e)
{
  (void)x;
  const bushing_state s = find_bushing(w, e);
  const force on_parent = bushing_on_parent(e, &s);
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

static inline vec3 expr3(const lwi_tree_work *w, const lwi_expr e[3])
{
  return v3(load_value(w, &e[0]), load_value(w, &e[1]), load_value(w, &e[2]));
}
/* about the point where it acts, in ground axes */
static inline force applied_load(const lwi_tree_work *w, const lwi_load *e)
{
  force l = {expr3(w, e->torque), expr3(w, e->force)};
  if (!e->body_axes) return l;
  const mat3 B = m3_mulparam(w->link[e->point.link].R, &e->R);
  return (force){m3_mulv(B, l.t), m3_mulv(B, l.f)};
}
/* what an element does to its two links, about their origins */
typedef struct {
  int link[2];
  force load[2];
} pair_load;

static inline void carried_links(const lw_model *m, const lwi_load *e, int link[2])
{
  for (int end = 0; end < 2; end++)
    link[end] = e->carrier == LWI_ALONG_SPRING    ? spring_link(&m->spring[e->along], end)
                : e->carrier == LWI_ALONG_TORSION ? torsion_link(&m->torsion[e->along], end)
                                                  : bushing_link(&m->bushing[e->along], end);
}

/* The law of a spring, bushing or torsion with these values of its expressions. */
static pair_load carried_load(const lw_model *m, const lwi_tree_work *w, const lwi_load *e, vec3 f,
                              vec3 t)
{
  if (e->carrier == LWI_ALONG_SPRING) {
    const lwi_spring *k = &m->spring[e->along];
    const spring_state s = stretch(w, k);
    const vec3 pull = v3_scale(s.n, v3_x(f));
    return (pair_load){{k->from.link, k->to.link},
                       {{v3_cross(s.a.o, pull), pull}, {v3_cross(pull, s.b.o), v3_neg(pull)}}};
  }
  if (e->carrier == LWI_ALONG_TORSION) {
    const lwi_torsion *k = &m->torsion[e->along];
    const vec3 turn = v3_scale(find_torsion(w, k).g, v3_x(t)), o = v3_zero();
    return (pair_load){{k->link[0], k->link[1]}, {{v3_neg(turn), o}, {turn, o}}};
  }
  const lwi_bushing *k = &m->bushing[e->along];
  const bushing_state s = find_bushing(w, k);
  const force on_child = {m3_mulv(s.P, rotation_gradient(s.phi, s.theta2, t)), m3_mulv(s.P, f)};
  return (pair_load){{k->parent.link, k->child.link},
                     {force_from(force_scale(on_child, real_set(-1.0)), s.arm_parent),
                      force_from(on_child, s.arm_child)}};
}
static inline pair_load find_carried(const lw_model *m, const lwi_tree_work *w, const lwi_load *e)
{
  return carried_load(m, w, e, expr3(w, e->force), expr3(w, e->torque));
}
static void push_load(const force_state *x, lwi_tree_work *w, const lwi_load *e)
{
  if (e->carrier) {
    const pair_load l = find_carried(x->m, w, e);
    for (int side = 0; side < 2; side++)
      w->applied[l.link[side]] = force_add(w->applied[l.link[side]], l.load[side]);
    return;
  }
  const vec3 o = m3_mulp(w->link[e->point.link].R, e->point.p);
  force *on = &w->applied[e->point.link];
  *on = force_add(*on, force_from(applied_load(w, e), o));
}

/* of a law those components which have no potential */
static real carried_power(const lw_model *m, const lwi_tree_work *w, const lwi_load *e)
{
  const real none = real_set(0.0);
  real f[6], P = none;
  bool any = false;
  for (int k = 0; k < 6; k++) {
    const lwi_expr *value = k < 3 ? &e->force[k] : &e->torque[k - 3];
    f[k] = e->potential[k].exists ? none : load_value(w, value);
    any = any || !e->potential[k].exists;
  }
  if (!any) return none;
  const pair_load l = carried_load(m, w, e, v3(f[0], f[1], f[2]), v3(f[3], f[4], f[5]));
  for (int side = 0; side < 2; side++)
    P += power(w->link[l.link[side]].V, l.load[side]);
  return P;
}

static inline real load_power(const force_state *x, const lwi_tree_work *w, const lwi_load *e)
{
  if (e->carrier) return carried_power(x->m, w, e);
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
    const real x = load_value(w, &m->state[i].rate);
    for (int k = 0; k < LW_LANES; k++)
      out[i * LW_LANES + k] = real_lane(x, k);
  }
}

/* load and power of a motor, and [torque; force] in ground axes of an applied load at its point;
   after forces at the same state */
static void get_motor(const lw_model *m, const lwi_tree_work *w, int motor, const double *u,
                      double out[2])
{
  const lwi_motor *e = &m->motor[motor];
  out[0] = real_lane(load_value(w, &e->value), 0);
  out[1] = out[0] * real_lane(speed(m, w, (const real *)u, e->u), 0);
}
static inline void put_force(force l, double out[6])
{
  for (int k = 0; k < 3; k++) {
    out[k] = real_lane(v3_component(l.t, k), 0);
    out[3 + k] = real_lane(v3_component(l.f, k), 0);
  }
}
static void get_applied(const lw_model *m, const lwi_tree_work *w, int load, double out[6])
{
  put_force(applied_load(w, &m->load[load]), out); /* along a spring: its tension in x */
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
  return sum + law_energy(m, w, q);
}

#endif
