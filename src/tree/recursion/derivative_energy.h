/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_energy.h -- energies along one direction: energy.h differentiated. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_ENERGY_H
#define LWI_TREE_RECURSION_DERIVATIVE_ENERGY_H
#include "tree/recursion/derivative_response.h"
#include "tree/recursion/energy.h"

static real joint_spring_energy_rate(const force_state *state, const double *q_p,
                                     const lwi_tree_work *w, const lwi_joint_spring *e,
                                     const lwi_joint_spring *de)
{
  const joint_spring_state k = find_joint_spring(state, w, e);
  return de->stiffness * k.energy +
         e->stiffness * (k.s * (q_p[e->q] - de->rest) + k.U_w * de->onset);
}

/* With U = s integral of f from x0 to x:  U_p = s (f(x) x_p - f(x0) x0_p + integral of f_p) */
static double law_integral_rate(const lw_model *m, const lw_model *derivative,
                                const lwi_derivative_work *d, const lwi_integrand *law,
                                const double x[2], const double x_p[2])
{
  lwi_integrand f = *law;
  double rate = lwi_integrand_value(&f, x[1]) * x_p[1];
  if (x_p[0] != 0) rate -= lwi_integrand_value(&f, x[0]) * x_p[0];
  if (!derivative) return rate;
  const double kept = f.own < 0 ? 0 : d->slot_row[f.own];
  for (int i = 0; i < m->nparameter; i++)
    d->slot_row[i] = derivative->parameter[i];
  if (f.own >= 0) d->slot_row[f.own] = 0;
  f.slots_p = d->slot_row;
  rate += lwi_integral(&f, x[0], x[1]);
  if (f.own >= 0) d->slot_row[f.own] = kept;
  return rate;
}

static double law_energy_rate(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                              const lwi_derivative_work *d, const double *q, const double *q_p)
{
  double U1 = 0;
  for (int i = 0; i < m->nmotor; i++) {
    const lwi_motor *e = &m->motor[i];
    if (!e->potential.exists) continue;
    const lwi_integrand f = {&e->value, w->law_slot, m->nparameter, e->potential.slot, NULL};
    const double x[2] = {0, real_lane(coordinate(m, w, (const real *)q, e->q), 0)};
    U1 -= law_integral_rate(m, derivative, d, &f, x, (const double[2]){0, q_p[e->q]});
  }
  for (int i = 0; i < m->nload; i++)
    for (int k = 0; k < 6 && m->load[i].carrier; k++) {
      const lwi_load *e = &m->load[i];
      if (!e->potential[k].exists) continue;
      const lwi_measure at = law_measure(e, k);
      const lwi_integrand f = {law_expr(e, k), w->law_slot, m->nparameter, e->potential[k].slot,
                               NULL};
      const double x[2] = {law_reference(m, e), get_measure(m, w, &at)};
      const double x_p[2] = {derivative ? law_reference(derivative, e) : 0,
                             get_measure_change(m, derivative, w, d, &at)};
      U1 += law_sign(e) * law_integral_rate(m, derivative, d, &f, x, x_p);
    }
  return U1;
}

/* q_p: rates of all coordinates, those of cut joints last */
static real elastic_energy_rate(const lw_model *m, const lw_model *derivative,
                                const lwi_tree_work *w, const lwi_derivative_work *d,
                                const double *q, const double *q_p)
{
  const force_state x = {.m = m, .q = (const real *)q};
  real U1 = real_set(0.0);
#define ADD(item, items, name, on, kind)                                                           \
  LWI_IF(ELASTIC, kind, EACH_CHANGED(item, U1 += RATE_##on(item)))
#define RATE_LINKS(item) item##_energy_rate(w, e, e_p, ENDS(item, e))
#define RATE_FREEDOM(item) item##_energy_rate(&x, q_p, w, e, e_p)
  LWI_FORCE_LIST(ADD)
#undef RATE_FREEDOM
#undef RATE_LINKS
#undef ADD
  return U1 + real_set(law_energy_rate(m, derivative, w, d, q, q_p));
}

static real rotor_energy_rate(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                              const lwi_derivative_work *d, int i)
{
  const lwi_link *L = &m->link[i];
  real sum = real_set(0.0);
  for (int k = 0; L->has_armature && k < L->nu; k++) {
    const real u = w->spin[L->u + k];
    const double a_p = derivative ? lwi_armature(&derivative->link[i], k) : 0;
    sum += lwi_armature(L, k) * u * d->spin_rate[L->u + k] + 0.5 * a_p * u * u;
  }
  return sum;
}

/* After derivative_motion.  The rotation of a body changes its inertia and momentum in ground axes,
   which does no work. */
static void derivative_energy(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                              const lwi_derivative_work *d, const double *q, const double *q_p,
                              double *kinetic_p, double *potential_p)
{
  const vec3 g = gravity(m), dg = derivative ? gravity(derivative) : v3_zero();
  real T1 = real_set(0.0), U1 = elastic_energy_rate(m, derivative, w, d, q, q_p);
  for (int i = 1; i < m->nlink; i++) {
    const link_state *s = &w->link[i];
    const link_change *c = &d->derivative[i];
    const rigid I = link_inertia(&m->link[i], s);
    rigid dI = {0};
    if (derivative) dI = link_inertia(&derivative->link[i], s);
    const motion V_p = {v3_add_cross(c->w, s->V.w, c->turn), v3_add_cross(c->v, s->V.v, c->turn)};
    T1 += power(V_p, rigid_mul(I, s->V)) + 0.5 * power(s->V, rigid_mul(dI, s->V));
    T1 += rotor_energy_rate(m, derivative, w, d, i);
    const vec3 moved = v3_add(v3_fma(dI.h, s->p, dI.m), v3_scale(c->shift, I.m));
    U1 -= v3_dot(dg, v3_fma(I.h, s->p, I.m)) + v3_dot(g, v3_add_cross(moved, c->turn, I.h));
  }
  *kinetic_p = real_lane(T1, 0);
  *potential_p = real_lane(U1, 0);
}

/* derivative of the load of motors and joint springs on a speed of the tree, after
   derivative_forces */
static double get_tau_change(const lwi_derivative_work *d, int u)
{
  return real_lane(d->tau_rate[u], 0);
}

#endif
