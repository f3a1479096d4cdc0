/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_forces.h -- derivatives of the loads of springs, bushings, torsions and applied loads:
   forces.h differentiated element by element.

   The suffix _p is the derivative along a direction; link_change is that of a link, and a record of
   the element's own type holds those of its constants (all zero: only the state changes). */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_FORCES_H
#define LWI_TREE_RECURSION_DERIVATIVE_FORCES_H
#include "tree/recursion/forces.h"

/* of a link: its rotation and the shift of its origin, the changes of w and of the origin's v */
typedef struct {
  vec3 turn, shift, w, v;
} link_change;

/* what an element does to its links, about their origins, and the derivative of that */
typedef struct {
  int link[2];
  force load[2], rate[2];
} load_change;

static inline link_change change_none(void)
{
  const vec3 o = v3_zero();
  return (link_change){o, o, o, o};
}

/* code for every element e of a row of force_list.h, with the record e_p of its derivatives */
#define EACH_CHANGED(item, code)                                                                   \
  for (int i = 0; i < m->n##item; i++) {                                                           \
    static const lwi_##item none;                                                                  \
    const lwi_##item *e = &m->item[i], *e_p = derivative ? &derivative->item[i] : &none;           \
    code;                                                                                          \
  }

/* derivatives of the links at the two ends of an element */
#define ENDS(item, e) &d->derivative[item##_link(e, 0)], &d->derivative[item##_link(e, 1)]

/* ---- points and axes ---- */

typedef struct {
  point_state at, rate;
} point_change;

static inline point_change change_point(const lwi_tree_work *w, const lwi_point *e,
                                        const lwi_point *de, const link_change *c)
{
  const link_state *s = &w->link[e->link];
  const point_state at = find_point(w, e);
  const vec3 o = v3_add_cross(m3_mulp(s->R, de->p), c->turn, at.o);
  const vec3 v = v3_add_cross(v3_add_cross(c->v, c->w, at.o), s->V.w, o);
  return (point_change){at, {o, v3_add(c->shift, o), v}};
}

/* the vector of the rotation dR R^T, for a rotation of the model and its derivative */
static inline vec3 param_turn(const rot3 *R, const rot3 *dR)
{
  double t[3] = {0};
  for (int i = 0; i < 3; i++) {
    double c[3];
    cross3(R->c[i], dR->c[i], c);
    for (int k = 0; k < 3; k++)
      t[k] += 0.5 * c[k];
  }
  return v3(real_set(t[0]), real_set(t[1]), real_set(t[2]));
}

/* (offset x f)_p */
static inline force push_rate(vec3 o, vec3 f, vec3 o1, vec3 f_p)
{
  return (force){v3_add_cross(v3_cross(o1, f), o, f_p), f_p};
}

/* ---- springs between points ---- */

/* derivatives of a spring's ends, direction, length and rate */
typedef struct {
  spring_state at;
  point_change a, b;
  vec3 n;
  real l, v;
} stretch_change;

static inline stretch_change change_stretch(const lwi_tree_work *w, const lwi_spring *e,
                                            const lwi_spring *de, const link_change *from,
                                            const link_change *to)
{
  stretch_change c = {.at = stretch(w, e),
                      .a = change_point(w, &e->from, &de->from, from),
                      .b = change_point(w, &e->to, &de->to, to)};
  const real over_l = real_select(c.at.l > 0.0, 1.0 / c.at.l, real_set(0.0));
  const vec3 d1 = v3_sub(c.b.rate.x, c.a.rate.x), dv = v3_sub(c.at.b.v, c.at.a.v);
  c.l = v3_dot(c.at.n, d1);
  c.n = v3_scale(v3_fma(d1, c.at.n, -c.l), over_l);
  c.v = v3_dot(c.n, dv) + v3_dot(c.at.n, v3_sub(c.b.rate.v, c.a.rate.v));
  return c;
}

static inline real tension_rate(const lwi_spring *e, const lwi_spring *de, const stretch_change *c)
{
  const spring_state *s = &c->at;
  return (de->stiffness * (s->l - e->length) + e->stiffness * (c->l - de->length)) +
         (de->damping * s->v + e->damping * c->v);
}

/* of the tension T, whose derivative is T1 */
static load_change change_tension(const lwi_spring *e, const stretch_change *x, real T, real T1)
{
  const point_change a = x->a, b = x->b;
  const vec3 n = x->at.n;
  const vec3 f = v3_scale(n, T), f_p = v3_fma(v3_scale(x->n, T), n, T1);
  return (load_change){.link = {e->from.link, e->to.link},
                       .load = {{v3_cross(a.at.o, f), f}, {v3_cross(f, b.at.o), v3_neg(f)}},
                       .rate = {push_rate(a.at.o, f, a.rate.o, f_p),
                                push_rate(b.at.o, v3_neg(f), b.rate.o, v3_neg(f_p))}};
}

static load_change change_spring(const lwi_tree_work *w, const lwi_spring *e, const lwi_spring *de,
                                 const link_change *from, const link_change *to)
{
  const stretch_change c = change_stretch(w, e, de, from, to);
  return change_tension(e, &c, spring_tension(e, &c.at), tension_rate(e, de, &c));
}

/* (a^T k a)_p / 2 */
static inline real half_square_rate(vec3 a, vec3 a1, const double k[3], const double dk[3])
{
  return v3_dot(a1, times3(a, k)) + half_square_sum(a, dk);
}

static real spring_energy_rate(const lwi_tree_work *w, const lwi_spring *e, const lwi_spring *de,
                               const link_change *from, const link_change *to)
{
  const spring_state s = stretch(w, e);
  const point_change a = change_point(w, &e->from, &de->from, from);
  const point_change b = change_point(w, &e->to, &de->to, to);
  const real x = s.l - e->length, x1 = v3_dot(s.n, v3_sub(b.rate.x, a.rate.x)) - de->length;
  return x * (0.5 * de->stiffness * x + e->stiffness * x1);
}

/* ---- bushings ---- */

/* b = (1 - h cot h) / s with h = sqrt(s)/2, and db/ds; by their series where digits would be
   lost */
static inline void bushing_factor(real s, real *b, real *slope)
{
  const real h = 0.5 * real_sqrt(real_select(s > 1e-2, s, real_set(1.0)));
  const real tangent = real_map1(h, tan), sine = real_map1(h, sin);
  const real safe = 4.0 * h * h, far = (1.0 - h / tangent) / safe;
  const real steep = (-(1.0 / tangent - h / (sine * sine)) / (8.0 * h) - far) / safe;
  *b = real_select(
      s > 1e-2, far,
      1.0 / 12 + s * (1.0 / 720 + s * (1.0 / 30240 + s * (1.0 / 1209600 + s * (1.0 / 47900160)))));
  *slope = real_select(s > 1e-2, steep,
                       1.0 / 720 + s * (2.0 / 30240 + s * (3.0 / 1209600 + s * (4.0 / 47900160))));
}

/* the derivative of rotation_gradient, y = k phi */
static inline vec3 gradient_rate(vec3 phi, vec3 y, vec3 phi_p, vec3 y_p)
{
  real b, slope;
  bushing_factor(v3_dot(phi, phi), &b, &slope);
  const vec3 c = v3_cross(phi, y), c1 = v3_add_cross(v3_cross(phi_p, y), phi, y_p);
  const vec3 cc = v3_cross(phi, c), cc1 = v3_add_cross(v3_cross(phi_p, c), phi, c1);
  const vec3 linear = v3_fma(y_p, c1, real_set(0.5));
  return v3_fma(v3_fma(linear, cc1, b), cc, 2.0 * slope * v3_dot(phi, phi_p));
}

/* d(phi) = J^-1 d(rotation),  J^-1 = 1 - phi~/2 + b phi~ phi~ */
static inline vec3 vector_rate(vec3 phi, vec3 turn)
{
  real b, slope;
  bushing_factor(v3_dot(phi, phi), &b, &slope);
  const vec3 c = v3_cross(phi, turn);
  return v3_fma(v3_fma(turn, c, real_set(-0.5)), v3_cross(phi, c), b);
}

/* a bushing and its derivatives, in the parent's axes; turn: of these axes; o: of the arms */
typedef struct {
  bushing_state at;
  vec3 x, phi, v, w, turn, o_parent, o_child;
} bushing_change;

static bushing_change find_bushing_change(const lwi_tree_work *w, const lwi_bushing *e,
                                          const lwi_bushing *de, const link_change *parent,
                                          const link_change *child)
{
  const link_state *p = &w->link[e->parent.link], *c = &w->link[e->child.link];
  const point_change a = change_point(w, &e->parent, &de->parent, parent);
  const point_change b = change_point(w, &e->child, &de->child, child);
  const bushing_state s = find_bushing(w, e);
  const vec3 turn = v3_add(parent->turn, m3_mulv(p->R, param_turn(&e->Rp, &de->Rp)));
  const vec3 turn_c = v3_add(child->turn, m3_mulv(c->R, param_turn(&e->Rc, &de->Rc)));
  const vec3 d = v3_sub(b.at.x, a.at.x), d1 = v3_sub(b.rate.x, a.rate.x);
  const vec3 v = v3_sub(v3_sub(b.at.v, a.at.v), v3_cross(p->V.w, d));
  const vec3 v1 =
      v3_sub(v3_sub(b.rate.v, a.rate.v), v3_add_cross(v3_cross(parent->w, d), p->V.w, d1));
  const vec3 spin = v3_sub(c->V.w, p->V.w), spin1 = v3_sub(child->w, parent->w);
  return (bushing_change){.at = s,
                          .x = m3_tmulv(s.P, v3_add_cross(d1, d, turn)),
                          .v = m3_tmulv(s.P, v3_add_cross(v1, v, turn)),
                          .w = m3_tmulv(s.P, v3_add_cross(spin1, spin, turn)),
                          .phi = vector_rate(s.phi, m3_tmulv(s.P, v3_sub(turn_c, turn))),
                          .turn = turn,
                          .o_parent = v3_add(a.rate.o, d1),
                          .o_child = b.rate.o};
}

/* of force f and torque t on the parent, in its axes, and their derivatives */
static load_change change_bushing_load(const lwi_bushing *e, const bushing_change *c, vec3 f,
                                       vec3 f_p, vec3 t, vec3 t_p)
{
  const mat3 P = c->at.P;
  const vec3 F = m3_mulv(P, f), F1 = v3_add_cross(m3_mulv(P, f_p), c->turn, F);
  const vec3 T = m3_mulv(P, t), T1 = v3_add_cross(m3_mulv(P, t_p), c->turn, T);
  const force on_parent = force_from((force){T, F}, c->at.arm_parent);
  const force on_child = force_from((force){v3_neg(T), v3_neg(F)}, c->at.arm_child);
  force rate_parent = push_rate(c->at.arm_parent, F, c->o_parent, F1);
  force rate_child = push_rate(c->at.arm_child, v3_neg(F), c->o_child, v3_neg(F1));
  rate_parent.t = v3_add(rate_parent.t, T1);
  rate_child.t = v3_sub(rate_child.t, T1);
  return (load_change){.link = {e->parent.link, e->child.link},
                       .load = {on_parent, on_child},
                       .rate = {rate_parent, rate_child}};
}

static load_change change_bushing(const lwi_tree_work *w, const lwi_bushing *e,
                                  const lwi_bushing *de, const link_change *parent,
                                  const link_change *child)
{
  const bushing_change c = find_bushing_change(w, e, de, parent, child);
  const bushing_state *s = &c.at;
  const vec3 y = times3(s->phi, e->angular_stiffness);
  const vec3 y_p =
      v3_add(times3(c.phi, e->angular_stiffness), times3(s->phi, de->angular_stiffness));
  const vec3 f = v3_add(times3(s->x, e->stiffness), times3(s->v, e->damping));
  const vec3 f_p = v3_add(v3_add(times3(c.x, e->stiffness), times3(s->x, de->stiffness)),
                          v3_add(times3(c.v, e->damping), times3(s->v, de->damping)));
  const vec3 t = v3_add(rotation_gradient(s->phi, s->theta2, y), times3(s->w, e->angular_damping));
  const vec3 t_p =
      v3_add(gradient_rate(s->phi, y, c.phi, y_p),
             v3_add(times3(c.w, e->angular_damping), times3(s->w, de->angular_damping)));
  return change_bushing_load(e, &c, f, f_p, t, t_p);
}

static real bushing_energy_rate(const lwi_tree_work *w, const lwi_bushing *e, const lwi_bushing *de,
                                const link_change *p, const link_change *k)
{
  const bushing_change c = find_bushing_change(w, e, de, p, k);
  return half_square_rate(c.at.x, c.x, e->stiffness, de->stiffness) +
         half_square_rate(c.at.phi, c.phi, e->angular_stiffness, de->angular_stiffness);
}

/* ---- torsions ---- */

typedef struct {
  torsion_state at;
  vec3 g;          /* derivatives: of the gradient, ... */
  real turn, rate; /* ... of the turn and its rate */
} torsion_change;

static torsion_change find_torsion_change(const lwi_tree_work *w, const lwi_torsion *e,
                                          const lwi_torsion *de, const link_change *parent,
                                          const link_change *child)
{
  torsion_change c = {.at = find_torsion(w, e)};
  const torsion_state *s = &c.at;
  vec3 side[2]; /* how both frames turn */
  for (int i = 0; i < 2; i++)
    side[i] = v3_add((i ? child : parent)->turn,
                     m3_mulv(w->link[e->link[i]].R, param_turn(&e->R[i], &de->R[i])));
  const vec3 n1 = v3_cross(side[0], s->n), c1 = v3_cross(side[1], s->c);
  const real over = 1.0 / (1.0 + v3_dot(s->n, s->c));
  const real grows = v3_dot(n1, s->c) + v3_dot(s->n, c1);
  c.g = v3_scale(v3_fma(v3_add(n1, c1), s->g, -grows), over);
  c.turn = v3_dot(s->g, v3_sub(side[1], side[0]));
  c.rate = v3_dot(c.g, s->w) + v3_dot(s->g, v3_sub(child->w, parent->w));
  return c;
}

/* of the torque T on the parent, whose derivative is T1 */
static load_change change_couple(const lwi_torsion *e, const torsion_change *c, real T, real T1)
{
  const vec3 g = c->at.g, t = v3_scale(g, T), t1 = v3_fma(v3_scale(c->g, T), g, T1), o = v3_zero();
  return (load_change){.link = {e->link[0], e->link[1]},
                       .load = {{t, o}, {v3_neg(t), o}},
                       .rate = {{t1, o}, {v3_neg(t1), o}}};
}

static real torque_rate(const lwi_torsion *e, const lwi_torsion *de, const torsion_change *c)
{
  return (de->stiffness * (c->at.turn - e->angle) + e->stiffness * (c->turn - de->angle)) +
         (de->damping * c->at.rate + e->damping * c->rate);
}

static load_change change_torsion(const lwi_tree_work *w, const lwi_torsion *e,
                                  const lwi_torsion *de, const link_change *parent,
                                  const link_change *child)
{
  const torsion_change c = find_torsion_change(w, e, de, parent, child);
  return change_couple(e, &c, torsion_torque(e, &c.at), torque_rate(e, de, &c));
}

static real torsion_energy_rate(const lwi_tree_work *w, const lwi_torsion *e, const lwi_torsion *de,
                                const link_change *p, const link_change *k)
{
  const torsion_change c = find_torsion_change(w, e, de, p, k);
  const real x = c.at.turn - e->angle;
  return x * (0.5 * de->stiffness * x + e->stiffness * (c.turn - de->angle));
}

/* ---- applied loads ---- */

/* f_p, t1: derivatives of the six expressions */
static load_change change_load(const lwi_tree_work *w, const lwi_load *e, const lwi_load *de,
                               vec3 f_p, vec3 t1, const link_change *c)
{
  const link_state *s = &w->link[e->point.link];
  const point_change at = change_point(w, &e->point, &de->point, c);
  vec3 f = expr3(w, e->force), t = expr3(w, e->torque);
  if (e->body_axes) {
    const mat3 B = m3_mulparam(s->R, &e->R);
    const vec3 turn = v3_add(c->turn, m3_mulv(s->R, param_turn(&e->R, &de->R)));
    f = m3_mulv(B, f);
    t = m3_mulv(B, t);
    f_p = v3_add_cross(m3_mulv(B, f_p), turn, f);
    t1 = v3_add_cross(m3_mulv(B, t1), turn, t);
  }
  force rate = push_rate(at.at.o, f, at.rate.o, f_p);
  rate.t = v3_add(rate.t, t1);
  return (load_change){
      .link = {e->point.link, 0}, .load = {force_from((force){t, f}, at.at.o)}, .rate = {rate}};
}

/* ---- laws: loads along elements ---- */

/* along springs, bushings and torsions; f, t: values of the expressions, f_p, t_p: their
   derivatives */
static load_change change_carried(const lw_model *m, const lw_model *derivative,
                                  const lwi_tree_work *w, const lwi_load *e, const vec3 value[2],
                                  const vec3 value_p[2], const link_change *a, const link_change *b)
{
  const vec3 f = value[0], t = value[1], f_p = value_p[0], t_p = value_p[1];
#define RECORD(item)                                                                               \
  static const lwi_##item none;                                                                    \
  const lwi_##item *k = &m->item[e->along], *k_p = derivative ? &derivative->item[e->along] : &none
  if (e->carrier == LWI_ALONG_SPRING) {
    RECORD(spring);
    const stretch_change c = change_stretch(w, k, k_p, a, b);
    return change_tension(k, &c, v3_x(f), v3_x(f_p));
  }
  if (e->carrier == LWI_ALONG_TORSION) {
    RECORD(torsion);
    const torsion_change c = find_torsion_change(w, k, k_p, a, b);
    return change_couple(k, &c, -v3_x(t), -v3_x(t_p));
  }
  RECORD(bushing);
  const bushing_change c = find_bushing_change(w, k, k_p, a, b);
  const vec3 gradient = rotation_gradient(c.at.phi, c.at.theta2, t);
  const vec3 gradient_p = gradient_rate(c.at.phi, t, c.phi, t_p);
  return change_bushing_load(k, &c, v3_neg(f), v3_neg(f_p), v3_neg(gradient), v3_neg(gradient_p));
#undef RECORD
}

#endif
