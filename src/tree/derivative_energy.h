/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_energy.h -- energies along one direction: energy.h differentiated. */
#ifndef LWI_TREE_DERIVATIVE_ENERGY_H
#define LWI_TREE_DERIVATIVE_ENERGY_H
#include "tree/derivative_answer.h"
#include "tree/energy.h"

/* (a' k a)' / 2 */
static inline real half_square_rate(vec3 a, vec3 a1, const double k[3], const double dk[3])
{
  return v3_dot(a1, times3(a, k)) + half_square_sum(a, dk);
}

static real spring_energy_rate(const force_state *state, const double *q1, const lwi_tree_work *w,
                               const lwi_derivative_work *d, const lwi_spring *e,
                               const lwi_spring *de)
{
  (void)state, (void)q1;
  const spring_state s = stretch(w, e);
  const point_change a = change_point(w, &e->from, &de->from, &d->change[e->from.link]);
  const point_change b = change_point(w, &e->to, &de->to, &d->change[e->to.link]);
  const real x = s.l - e->length, x1 = v3_dot(s.n, v3_sub(b.rate.x, a.rate.x)) - de->length;
  return x * (0.5 * de->stiffness * x + e->stiffness * x1);
}

static real joint_spring_energy_rate(const force_state *state, const double *q1,
                                     const lwi_tree_work *w, const lwi_derivative_work *d,
                                     const lwi_joint_spring *e, const lwi_joint_spring *de)
{
  (void)d;
  const real x = coordinate(state->m, w, state->q, e->q) - e->rest;
  return x * (0.5 * de->stiffness * x + e->stiffness * (q1[e->q] - de->rest));
}

static real bushing_energy_rate(const force_state *state, const double *q1, const lwi_tree_work *w,
                                const lwi_derivative_work *d, const lwi_bushing *e,
                                const lwi_bushing *de)
{
  (void)state, (void)q1;
  const bushing_state s = find_bushing(w, e);
  const link_change *p = &d->change[e->parent.link], *c = &d->change[e->child.link];
  const point_change a = change_point(w, &e->parent, &de->parent, p);
  const point_change b = change_point(w, &e->child, &de->child, c);
  const vec3 turn_p =
      v3_add(p->turn, m3_mulv(w->link[e->parent.link].R, param_turn(&e->Rp, &de->Rp)));
  const vec3 turn_c =
      v3_add(c->turn, m3_mulv(w->link[e->child.link].R, param_turn(&e->Rc, &de->Rc)));
  const vec3 gap = v3_sub(b.at.x, a.at.x), gap1 = v3_sub(b.rate.x, a.rate.x);
  const vec3 x1 = m3_tmulv(s.P, v3_add_cross(gap1, gap, turn_p));
  const vec3 phi1 = vector_rate(s.phi, m3_tmulv(s.P, v3_sub(turn_c, turn_p)));
  return half_square_rate(s.x, x1, e->stiffness, de->stiffness) +
         half_square_rate(s.phi, phi1, e->angular_stiffness, de->angular_stiffness);
}

/* q1: rates of all coordinates, those of cut joints last */
static real elastic_energy_rate(const lw_model *m, const lw_model *change, const lwi_tree_work *w,
                                const lwi_derivative_work *d, const double *q, const double *q1)
{
  const force_state x = {.m = m, .q = (const real *)q};
  real U1 = real_set(0.0);
#define ADD(item, items, name, on, kind)                                                           \
  LWI_IF(ELASTIC, kind, EACH_CHANGED(item, U1 += item##_energy_rate(&x, q1, w, d, e, e_p)))
  LWI_FORCE_LIST(ADD)
#undef ADD
  return U1;
}

/* After vary_motion.  What a body's own turn does to its inertia, and to its momentum, does no work. */
static void vary_energy(const lw_model *m, const lw_model *change, const lwi_tree_work *w,
                        const lwi_derivative_work *d, const double *q, const double *q1,
                        double *kinetic1, double *potential1)
{
  const vec3 g = gravity(m), dg = change ? gravity(change) : v3_zero();
  real T1 = real_set(0.0), U1 = elastic_energy_rate(m, change, w, d, q, q1);
  for (int i = 1; i < m->nlink; i++) {
    const link_state *s = &w->link[i];
    const link_change *c = &d->change[i];
    const rigid I = link_inertia(&m->link[i], s);
    rigid dI = {0};
    if (change) dI = link_inertia(&change->link[i], s);
    const motion V1 = {v3_add_cross(c->w, s->V.w, c->turn), v3_add_cross(c->v, s->V.v, c->turn)};
    T1 += power(V1, rigid_mul(I, s->V)) + 0.5 * power(s->V, rigid_mul(dI, s->V));
    const vec3 moved = v3_add(v3_fma(dI.h, s->p, dI.m), v3_scale(c->shift, I.m));
    U1 -= v3_dot(dg, v3_fma(I.h, s->p, I.m)) + v3_dot(g, v3_add_cross(moved, c->turn, I.h));
  }
  *kinetic1 = real_lane(T1, 0);
  *potential1 = real_lane(U1, 0);
}

/* of the load of motors and joint springs on a speed of the tree, after vary_forces */
static double get_tau_change(const lwi_derivative_work *d, int u)
{
  return real_lane(d->tau_rate[u], 0);
}

#endif
