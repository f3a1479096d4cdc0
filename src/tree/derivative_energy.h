/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_energy.h -- energies along one direction: energy.h differentiated. */
#ifndef LWI_TREE_DERIVATIVE_ENERGY_H
#define LWI_TREE_DERIVATIVE_ENERGY_H
#include "tree/derivative_answer.h"
#include "tree/energy.h"

static real joint_spring_energy_rate(const force_state *state, const double *q1,
                                     const lwi_tree_work *w, const lwi_joint_spring *e,
                                     const lwi_joint_spring *de)
{
  const real x = coordinate(state->m, w, state->q, e->q) - e->rest;
  return x * (0.5 * de->stiffness * x + e->stiffness * (q1[e->q] - de->rest));
}

/* q1: rates of all coordinates, those of cut joints last */
static real elastic_energy_rate(const lw_model *m, const lw_model *change, const lwi_tree_work *w,
                                const lwi_derivative_work *d, const double *q, const double *q1)
{
  const force_state x = {.m = m, .q = (const real *)q};
  real U1 = real_set(0.0);
#define ADD(item, items, name, on, kind)                                                           \
  LWI_IF(ELASTIC, kind, EACH_CHANGED(item, U1 += RATE_##on(item)))
#define RATE_LINKS(item) item##_energy_rate(w, e, e_p, ENDS(item, e))
#define RATE_FREEDOM(item) item##_energy_rate(&x, q1, w, e, e_p)
  LWI_FORCE_LIST(ADD)
#undef RATE_FREEDOM
#undef RATE_LINKS
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
