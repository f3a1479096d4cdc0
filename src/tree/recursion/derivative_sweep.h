/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_sweep.h -- the derivative of inverse dynamics and of forward dynamics along one
   direction, in O(n): every line of the recursions of outward.h, inverse.h and joint_motion.h
   differentiated (the last in joint_motion_derivative.h, which says why by hand).

   A direction is a motion xi along speeds, changes of u and udot, and changes of the model's
   numbers (derivative, a model whose numbers are derivatives; NULL: none).  Suffix _p: the
   derivative.  Legend: kappa  rotation of Q, the joint's frame on the parent's side;  turn
   rotation of the link. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_SWEEP_H
#define LWI_TREE_RECURSION_DERIVATIVE_SWEEP_H
#include "tree/recursion/derivative_inverse.h"
#include "tree/recursion/constraint_sweeps.h"

/* ---- positions ---- */

static inline vec3 add_params(vec3 a, mat3 R, const double v[4])
{
  return v3_add(a, m3_mulp(R, v));
}

/* Rotations of the axes of a joint that has several, each by the derivatives of the angles and of
   the constants before it; returns what the constants add to the rotation of the link. */
static inline vec3 turn_axes(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                             const lwi_link *L, const double *xi, joint_turn *j)
{
  const freedom *fr = w->freedom + L->column;
  mat3 T = m3_mulparam(w->link[L->parent].R, &L->R);
  vec3 turn = j->kappa, by_constants = v3_zero();
  for (int k = 0; k < L->nu; k++) {
    const int i = lwi_kind_order((lwi_kind)L->kind, L->nu, k), middle = L->middle + k;
    j->axis[k] = turn;
    if (k == L->nu - 1) break;
    turn = v3_fma(turn, fr[i].S.w, real_set(xi[L->u + i]));
    if (!derivative) continue;
    T = m3_turn_z(T, w->cs[L->angle + k], w->sn[L->angle + k]);
    const vec3 own = m3_mulv(T, param_turn(&m->middle[middle], &derivative->middle[middle]));
    T = m3_mulparam(T, &m->middle[middle]);
    turn = v3_add(turn, own);
    by_constants = v3_add(by_constants, own);
  }
  return by_constants;
}

static joint_turn shift_link(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                             lwi_derivative_work *d, int i, const double *q, const double *xi)
{
  const lwi_link *L = &m->link[i], *dL = derivative ? &derivative->link[i] : NULL;
  const link_state *s = &w->link[i], *parent = &w->link[L->parent];
  const link_change *p = &d->derivative[L->parent];
  const freedom *fr = w->freedom + L->column;
  const vec3 origin = m3_mulp(parent->R, L->p);
  joint_turn j = {.kappa = p->turn, .d = v3_sub(origin, s->r)};
  vec3 origin1 = v3_cross(p->turn, origin);
  if (dL) {
    j.kappa = v3_add(j.kappa, m3_mulv(parent->R, param_turn(&L->R, &dL->R)));
    origin1 = add_params(origin1, parent->R, dL->p);
  }
  vec3 r1 = v3_add_cross(origin1, j.d, j.kappa), turn = j.kappa;
  if (dL && L->kind == LWI_KIND_HELICAL) r1 = v3_fma(r1, fr[0].S.w, real_set(dL->pitch * q[L->q]));
  if (L->kind == LWI_KIND_AXES || L->kind == LWI_KIND_AXES_REVERSED)
    turn = v3_add(turn, turn_axes(m, derivative, w, L, xi, &j));
  for (int k = 0; k < L->nu; k++) {
    r1 = v3_fma(r1, fr[k].S.v, real_set(xi[L->u + k]));
    turn = v3_fma(turn, fr[k].S.w, real_set(xi[L->u + k]));
  }
  j.d1 = v3_sub(origin1, r1);
  d->rate[i].r = r1;
  d->derivative[i].turn = turn;
  d->derivative[i].shift = v3_add(p->shift, r1);
  return j;
}

/* ---- velocities ---- */

static void change_velocity(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                            int i, const joint_turn *j, const real *u, const real *u_p)
{
  const lwi_link *L = &m->link[i];
  const link_state *s = &w->link[i];
  const link_change *p = &d->derivative[L->parent];
  const freedom *fr = w->freedom + L->column;
  const motion *S1 = d->S_rate + L->column;
  motion rel = motion_zero(), rel1 = motion_zero();
  for (int k = 0; k < L->nu; k++) {
    rel = motion_fma(rel, fr[k].S, u[L->u + k]);
    rel1 = motion_fma(motion_fma(rel1, S1[k], u[L->u + k]), fr[k].S, u_p[L->u + k]);
  }
  const vec3 wp = w->link[L->parent].V.w, turn = v3_cross(wp, s->r);
  const vec3 turn1 = v3_add_cross(v3_cross(p->w, s->r), wp, d->rate[i].r);
  const vec3 x = v3_add(turn, v3_add(rel.v, rel.v)), x1 = v3_add(turn1, v3_add(rel1.v, rel1.v));
  const motion extra = extra_rate(L, fr, S1, u + L->u, u_p + L->u, rel, rel1, j);
  d->derivative[i].w = v3_add(p->w, rel1.w);
  d->derivative[i].v = v3_add(v3_add(p->v, turn1), rel1.v);
  d->rate[i].c = (motion){v3_add_cross(v3_add_cross(extra.w, p->w, rel.w), wp, rel1.w),
                          v3_add_cross(v3_add_cross(extra.v, p->w, x), wp, x1)};
}

/* Derivatives of forces are zero until derivative_forces and derivative_push add to them. */
static inline void no_applied(lwi_derivative_work *d, int i)
{
  d->rate[i].applied = (force){v3_zero(), v3_zero()};
}

static inline void derivative_link_motion(const lw_model *m, const lwi_sweep *x,
                                          const lwi_tree_work *w, lwi_derivative_work *d, int i)
{
  const lwi_link *L = &m->link[i], *dL = x->derivative ? &x->derivative->link[i] : NULL;
  const freedom *fr = w->freedom + L->column;
  const joint_turn j = shift_link(m, x->derivative, w, d, i, x->q, x->xi);
  for (int k = 0; k < L->nu; k++)
    d->S_rate[L->column + k] = column_rate(L, dL, fr, k, &j, d->derivative[i].turn);
  change_velocity(m, w, d, i, &j, (const real *)x->u, (const real *)x->u_p);
  for (int k = 0; L->has_armature && k < L->nu; k++)
    d->spin_rate[L->u + k] = real_set(x->u_p[L->u + k]);
}

/* For links first to last, after kinematics; 0: the ground, which does not move.  Parents come
   first. */
static void derivative_links(const lw_model *m, const lwi_sweep *x, lwi_tree_work *w,
                             lwi_derivative_work *d, int first, int last)
{
  for (int i = first; i <= last; i++) {
    if (i > 0) derivative_link_motion(m, x, w, d, i);
    no_applied(d, i);
  }
}

static void derivative_motion(const lw_model *m, const lwi_sweep *x, lwi_tree_work *w,
                              lwi_derivative_work *d)
{
  derivative_links(m, x, w, d, 0, m->nlink - 1);
}

/* ---- accelerations ---- */

/* (armature * udot)_p of the rotors of a link's joint; udot and udot_p may be NULL, for zero */
static inline void derivative_rotors(const lw_model *m, const lw_model *derivative,
                                     lwi_derivative_work *d, int i, const double *udot,
                                     const double *udot_p)
{
  const lwi_link *L = &m->link[i];
  for (int k = 0; L->has_armature && k < L->nu; k++) {
    const double a_p = derivative ? lwi_armature(&derivative->link[i], k) : 0;
    d->rotor_rate[L->u + k] = real_set((udot ? a_p * udot[L->u + k] : 0) +
                                       (udot_p ? lwi_armature(L, k) * udot_p[L->u + k] : 0));
  }
}

/* udot_p: derivative of udot; NULL: zero */
static inline motion acceleration_rate(const lw_model *m, const lwi_tree_work *w,
                                       const lwi_derivative_work *d, int i, const double *udot,
                                       const double *udot_p)
{
  const lwi_link *L = &m->link[i];
  motion A = motion_add(motion_at(d->rate[L->parent].A, w->link[i].r), d->rate[i].c);
  A.v = v3_add_cross(A.v, w->link[L->parent].A.w, d->rate[i].r);
  for (int k = 0; k < L->nu && udot; k++)
    A = motion_fma(A, d->S_rate[L->column + k], real_set(udot[L->u + k]));
  for (int k = 0; k < L->nu && udot_p; k++)
    A = motion_fma(A, w->freedom[L->column + k].S, real_set(udot_p[L->u + k]));
  return A;
}

/* acceleration of the ground: minus gravity */
static inline motion ground_rate(const lw_model *derivative)
{
  motion A = motion_zero();
  if (derivative) A.v = v3_neg(gravity(derivative));
  return A;
}

static void derivative_accelerations(const lw_model *m, const lw_model *derivative,
                                     const lwi_tree_work *w, lwi_derivative_work *d,
                                     const double *udot, const double *udot_p)
{
  d->rate[0].A = ground_rate(derivative);
  for (int i = 1; i < m->nlink; i++) {
    d->rate[i].A = acceleration_rate(m, w, d, i, udot, udot_p);
    derivative_rotors(m, derivative, d, i, udot, udot_p);
  }
}

/* ---- forces ---- */

/* derivative of a measure along the direction, after derivative_motion */
static double get_measure_change(const lw_model *m, const lw_model *derivative,
                                 const lwi_tree_work *w, const lwi_derivative_work *d,
                                 const lwi_measure *e)
{
  int link[2];
  measure_links(m, e, link);
  return measure_rate(m, derivative, w, e, &d->derivative[link[0]], &d->derivative[link[1]]);
}

/* derivatives of all slots; q_p, u_p: of all coordinates and speeds, those of cut joints last */
static void derivative_slots(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                             lwi_derivative_work *d, const double *q_p, const double *u_p)
{
  for (int i = 0; i < m->nparameter; i++)
    d->slot_row[i] = derivative ? derivative->parameter[i] : 0;
  for (int i = m->nparameter; i < m->nslot; i++) {
    const lwi_slot *s = &m->slot[i - m->nparameter];
    d->slot_row[i] = s->kind == LWI_SLOT_TIME ? 0
                     : s->kind == LWI_SLOT_Q  ? q_p[s->index]
                     : s->kind == LWI_SLOT_U  ? u_p[s->index]
                                             : get_measure_change(m, derivative, w, d, &s->measure);
  }
}

/* after derivative_forces */
static void derivative_state_rates(const lw_model *m, const lwi_tree_work *w,
                                   const lwi_derivative_work *d, double *out)
{
  for (int i = 0; i < m->nstate; i++)
    out[i] = expr_rate(w, d, &m->state[i].rate);
}

static void add_rates(lwi_derivative_work *d, const load_change *l)
{
  for (int side = 0; side < 2; side++)
    d->rate[l->link[side]].applied = force_add(d->rate[l->link[side]].applied, l->rate[side]);
}

/* input of all forces: m, q, u, derivatives of all coordinates and speeds; output: loads on cut
   joints */
typedef struct {
  force_state at;
  const double *q_p, *u_p;
  double *cut_tau_p;
  const lw_model *derivative; /* NULL: the model does not change */
} force_direction;

/* derivatives of the three expressions of a force or torque */
static vec3 expr3_rate(const lwi_tree_work *w, const lwi_derivative_work *d, const lwi_expr e[3])
{
  return v3(real_set(expr_rate(w, d, &e[0])), real_set(expr_rate(w, d, &e[1])),
            real_set(expr_rate(w, d, &e[2])));
}

/* the law of an element */
static load_change derivative_carried(const lw_model *m, const lw_model *derivative,
                                      const lwi_tree_work *w, const lwi_derivative_work *d,
                                      const lwi_load *e)
{
  const vec3 value[2] = {expr3(w, e->force), expr3(w, e->torque)};
  const vec3 value_p[2] = {expr3_rate(w, d, e->force), expr3_rate(w, d, e->torque)};
  int link[2];
  carried_links(m, e, link);
  return change_carried(m, derivative, w, e, value, value_p, &d->derivative[link[0]],
                        &d->derivative[link[1]]);
}

static void derivative_load(const force_direction *x, const lwi_tree_work *w,
                            lwi_derivative_work *d, const lwi_load *e, const lwi_load *e_p)
{
  const load_change l =
      e->carrier ? derivative_carried(x->at.m, x->derivative, w, d, e)
                 : change_load(w, e, e_p, expr3_rate(w, d, e->force), expr3_rate(w, d, e->torque),
                               &d->derivative[e->point.link]);
  add_rates(d, &l);
}

/* derivatives of get_motor and get_applied, after derivative_forces */
static void get_motor_change(const lw_model *m, const lwi_tree_work *w,
                             const lwi_derivative_work *d, int motor, const double *u,
                             const double *u_p, double out[2])
{
  const lwi_motor *e = &m->motor[motor];
  const double load = real_lane(load_value(w, &e->value), 0);
  out[0] = expr_rate(w, d, &e->value);
  out[1] = out[0] * real_lane(speed(m, w, (const real *)u, e->u), 0) + load * u_p[e->u];
}
static void get_applied_change(const lw_model *m, const lw_model *derivative,
                               const lwi_tree_work *w, const lwi_derivative_work *d, int load,
                               double out[6])
{
  static const lwi_load none;
  const lwi_load *e = &m->load[load], *e_p = derivative ? &derivative->load[load] : &none;
  const link_state *s = &w->link[e->point.link];
  vec3 t = expr3_rate(w, d, e->torque), f = expr3_rate(w, d, e->force);
  if (e->body_axes) {
    const mat3 B = m3_mulparam(s->R, &e->R);
    const vec3 turn =
        v3_add(d->derivative[e->point.link].turn, m3_mulv(s->R, param_turn(&e->R, &e_p->R)));
    const force l = applied_load(w, e);
    t = v3_add_cross(m3_mulv(B, t), turn, l.t);
    f = v3_add_cross(m3_mulv(B, f), turn, l.f);
  }
  put_force((force){t, f}, out);
}

/* adds the derivative of a load on a freedom, in the tree or of a cut joint */
static void add_tau_rate(const force_direction *x, lwi_derivative_work *d, int u, double load)
{
  if (u < x->at.m->nu)
    d->tau_rate[u] += load;
  else
    x->cut_tau_p[u - x->at.m->nu] += load;
}

static double joint_spring_load_rate(const force_direction *x, const lwi_tree_work *w,
                                     const lwi_joint_spring *e, const lwi_joint_spring *e_p)
{
  const joint_spring_state k = find_joint_spring(&x->at, w, e);
  const double v = real_lane(speed(x->at.m, w, x->at.u, e->u), 0);
  const double x_p = x->q_p[e->q] - e_p->rest, h = real_lane(k.h, 0);
  const double s_p = real_lane(k.slope, 0) * x_p + real_lane(k.s_w, 0) * e_p->onset;
  const double h_p = real_lane(k.h_slope, 0) * x_p + real_lane(k.h_w, 0) * e_p->onset;
  const double load = (e_p->stiffness * real_lane(k.s, 0) + e->stiffness * s_p) +
                      ((e_p->damping * h + e->damping * h_p) * v + e->damping * h * x->u_p[e->u]);
  return -load;
}

static void derivative_joint_spring(const force_direction *x, const lwi_tree_work *w,
                                    lwi_derivative_work *d, const lwi_joint_spring *e,
                                    const lwi_joint_spring *e_p)
{
  add_tau_rate(x, d, e->u, joint_spring_load_rate(x, w, e, e_p));
}

static void derivative_motor(const force_direction *x, const lwi_tree_work *w,
                             lwi_derivative_work *d, const lwi_motor *e, const lwi_motor *e_p)
{
  (void)e_p;
  add_tau_rate(x, d, e->u, expr_rate(w, d, &e->value));
}

/* After forces and derivative_motion or derivative_outward, with the rates of all coordinates and
   speeds; cut_tau_p: derivatives of loads on cut joints. */
static void derivative_forces(const lw_model *m, const lwi_sweep *s, lwi_tree_work *w,
                              lwi_derivative_work *d, const double *q_p, const double *u_p,
                              double *cut_tau_p)
{
  const lw_model *derivative = s->derivative;
  const force_direction x = {
      {m, (const real *)s->q, (const real *)s->u}, q_p, u_p, cut_tau_p, derivative};
  derivative_slots(m, derivative, w, d, q_p, u_p);
  for (int i = 0; i < m->nu; i++)
    d->tau_rate[i] = real_set(0.0);
  for (int i = 0; i < m->ncut_u; i++)
    cut_tau_p[i] = 0;
#define VARY(item) derivative_##item(&x, w, d, e, e_p)
#define VARY_LINKS(item)                                                                           \
  const load_change l = change_##item(w, e, e_p, ENDS(item, e));                                   \
  add_rates(d, &l)
#define VARY_FREEDOM(item) VARY(item)
#define ELASTIC(item, items, name, on, kind)                                                       \
  LWI_IF(ELASTIC, kind, EACH_CHANGED(item, VARY_##on(item)))
#define APPLIED(item, items, name, on, kind) LWI_IF(APPLIED, kind, EACH_CHANGED(item, VARY(item)))
  LWI_FORCE_LIST(ELASTIC)
  LWI_FORCE_LIST(APPLIED)
#undef APPLIED
#undef ELASTIC
#undef VARY_FREEDOM
#undef VARY_LINKS
#undef VARY
}

static void derivative_push(lwi_derivative_work *d, int link, const double load[6])
{
  d->rate[link].applied = force_add(d->rate[link].applied, load_of(load));
}

/* ---- loads ---- */

/* (M alpha + b)_p of a link; J_p x = turn x J x - J (turn x x) + what the model changes */
static force link_load_rate(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                            const lwi_derivative_work *d, int i)
{
  const link_state *s = &w->link[i];
  const link_change *c = &d->derivative[i];
  const motion A = s->A, A_p = d->rate[i].A;
  const vec3 spin = s->V.w, spin1 = c->w;
  rigid I = link_inertia(&m->link[i], s), dI = {0};
  if (derivative) dI = link_inertia(&derivative->link[i], s);
  const vec3 h1 = v3_add_cross(dI.h, c->turn, I.h);
  const vec3 Ja = s3_mulv(I.J, A.w), Jw = s3_mulv(I.J, spin);
  const vec3 J1a =
      v3_add_cross(v3_sub(s3_mulv(dI.J, A.w), s3_mulv(I.J, v3_cross(c->turn, A.w))), c->turn, Ja);
  const vec3 J1w =
      v3_add_cross(v3_sub(s3_mulv(dI.J, spin), s3_mulv(I.J, v3_cross(c->turn, spin))), c->turn, Jw);
  const vec3 wh = v3_cross(spin, I.h), wh1 = v3_add_cross(v3_cross(spin1, I.h), spin, h1);
  vec3 t = v3_add(J1a, s3_mulv(I.J, A_p.w));
  t = v3_add_cross(v3_add_cross(t, h1, A.v), I.h, A_p.v);
  t = v3_add_cross(v3_add_cross(t, spin1, Jw), spin, v3_add(J1w, s3_mulv(I.J, spin1)));
  vec3 f = v3_fma(v3_scale(A.v, dI.m), A_p.v, I.m);
  f = v3_add_cross(v3_add_cross(f, A_p.w, I.h), A.w, h1);
  f = v3_add_cross(v3_add_cross(f, spin1, wh), spin, wh1);
  return (force){t, f};
}

/* Derivatives of all joint loads, and of tau = S^T f less those of motors unless NULL.  After
   loads: f of every link. */
static void derivative_required_tau(const lw_model *m, const lw_model *derivative,
                                    const lwi_tree_work *w, lwi_derivative_work *d, double *tau_p)
{
  for (int i = 1; i < m->nlink; i++)
    d->rate[i].f = force_sub(link_load_rate(m, derivative, w, d, i), d->rate[i].applied);
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const force f = w->link[i].f, f_p = d->rate[i].f;
    for (int k = 0; k < L->nu && tau_p; k++) {
      const real x = power(d->S_rate[L->column + k], f) + power(w->freedom[L->column + k].S, f_p) -
                     d->tau_rate[L->u + k];
      tau_p[L->u + k] = real_lane(x, 0);
      if (L->has_armature) tau_p[L->u + k] += real_lane(d->rotor_rate[L->u + k], 0);
    }
    force handed = force_from(f_p, w->link[i].r);
    handed.t = v3_add_cross(handed.t, d->rate[i].r, f.f);
    d->rate[L->parent].f = force_add(d->rate[L->parent].f, handed);
  }
}

#endif
