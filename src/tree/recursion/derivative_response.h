/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_response.h -- completes a sweep along one direction: responses to its loads, by the
   articulated-body factors of the state; derivatives of velocities by other speeds; results as
   plain doubles. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_RESPONSE_H
#define LWI_TREE_RECURSION_DERIVATIVE_RESPONSE_H
#include "tree/recursion/derivative_sweep.h"
#include "tree/recursion/queries.h"

/* ---- forward dynamics: one visit per link and pass, since memory access limits large models
   ---- */

/* derivative_motion, derivative_accelerations and the first half of derivative_required_tau */
static void derivative_outward(const lw_model *m, const lwi_sweep *x, lwi_tree_work *w,
                               lwi_derivative_work *d, const double *udot)
{
  const force none = {v3_zero(), v3_zero()};
  d->rate[0].A = ground_rate(x->derivative);
  d->rate[0].f = d->load_response_load[0] = none;
  no_applied(d, 0);
  for (int i = 1; i < m->nlink; i++) {
    derivative_link_motion(m, x, w, d, i);
    d->rate[i].A = acceleration_rate(m, w, d, i, udot, NULL);
    derivative_rotors(m, x->derivative, d, i, udot, NULL);
    d->rate[i].f = link_load_rate(m, x->derivative, w, d, i);
    d->load_response_load[i] = none;
    no_applied(d, i);
  }
}

/* The second half of derivative_required_tau, r1 = (M udot + bias)_p, and the first of
   derivative_response, for the loads tau_p - r1. */
static void derivative_inward(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                              const double *tau_p)
{
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    const force f = w->link[i].f, f_p = force_sub(d->rate[i].f, d->rate[i].applied);
    const vec3 r = w->link[i].r;
    force load_response = d->load_response_load[i];
    for (int k = 0; k < L->nu; k++) {
      real r1 = power(d->S_rate[L->column + k], f) + power(fr[k].S, f_p) - d->tau_rate[L->u + k];
      if (L->has_armature) r1 += d->rotor_rate[L->u + k];
      const real free_of = k < L->inertialess ? real_set(0.0) : fr[k].Dinv;
      const real eps = tau_p[L->u + k] - r1 + power(fr[k].S, load_response);
      d->eps[L->column + k] = eps;
      load_response = force_fma(load_response, fr[k].U, -(eps * free_of));
    }
    force handed = force_from(f_p, r);
    handed.t = v3_add_cross(handed.t, d->rate[i].r, f.f);
    d->rate[i].f = f_p;
    d->rate[L->parent].f = force_add(d->rate[L->parent].f, handed);
    d->load_response_load[L->parent] =
        force_add(d->load_response_load[L->parent], force_from(load_response, r));
  }
}

/* ---- responses to loads ---- */

static inline motion comply(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                            int i, const double *eps, double *udot_p)
{
  const lwi_link *L = &m->link[i];
  const freedom *fr = w->freedom + L->column;
  motion A = motion_at(d->load_response[L->parent], w->link[i].r);
  for (int k = L->nu - 1; k >= 0; k--) {
    const real free_of = k < L->inertialess ? real_set(0.0) : fr[k].Dinv;
    const real x = free_of * (eps[L->column + k] - power(A, fr[k].U));
    udot_p[L->u + k] += real_lane(x, 0);
    A = motion_fma(A, fr[k].S, x);
  }
  return d->load_response[i] = A;
}

/* udot_p += (1 - H psi K)* D^-1 eps, leaving the links' accelerations in load_response */
static void derivative_compliance(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                                  const double *eps, double *udot_p)
{
  d->load_response[0] = motion_zero();
  for (int i = 1; i < m->nlink; i++)
    comply(m, w, d, i, eps, udot_p);
}

/* the same, and the links' accelerations follow */
static void derivative_solve_response(const lw_model *m, const lwi_tree_work *w,
                                      lwi_derivative_work *d, const double *eps, double *udot_p)
{
  d->load_response[0] = motion_zero();
  for (int i = 1; i < m->nlink; i++)
    d->rate[i].A = motion_add(d->rate[i].A, comply(m, w, d, i, eps, udot_p));
}

/* the response to the loads that derivative_inward left */
static void derivative_follow(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                              double *udot_p)
{
  derivative_solve_response(m, w, d, (const double *)d->eps, udot_p);
}

/* udot_p += M^-1 tau_p, and the links' accelerations follow; after articulate_inward or factor */
static void derivative_response(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                                const double *tau_p, double *udot_p)
{
  const force none = {v3_zero(), v3_zero()};
  force *handed = d->load_response_load;
  for (int i = 0; i < m->nlink; i++)
    handed[i] = none;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    force f = handed[i];
    for (int k = 0; k < L->nu; k++) {
      const real free_of = k < L->inertialess ? real_set(0.0) : fr[k].Dinv;
      const real eps = tau_p[L->u + k] + power(fr[k].S, f);
      d->eps[L->column + k] = eps;
      f = force_fma(f, fr[k].U, -(eps * free_of));
    }
    handed[L->parent] = force_add(handed[L->parent], force_from(f, w->link[i].r));
  }
  derivative_solve_response(m, w, d, (const double *)d->eps, udot_p);
}

/* ---- rates by other speeds ---- */

/* velocities of all links by constant speeds z, and their derivatives; after derivative_motion */
static void derivative_speeds(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                              const double *z)
{
  d->load_response[0] = d->load_response_rate[0] = motion_zero();
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    motion V = motion_at(d->load_response[L->parent], w->link[i].r);
    motion V_p = motion_at(d->load_response_rate[L->parent], w->link[i].r);
    V_p.v = v3_add_cross(V_p.v, d->load_response[L->parent].w, d->rate[i].r);
    for (int k = 0; k < L->nu; k++) {
      V = motion_fma(V, w->freedom[L->column + k].S, real_set(z[L->u + k]));
      V_p = motion_fma(V_p, d->S_rate[L->column + k], real_set(z[L->u + k]));
    }
    d->load_response[i] = V;
    d->load_response_rate[i] = V_p;
  }
}

static void get_speeds(const lwi_derivative_work *d, int link, double V[6], double V_p[6])
{
  put3(d->load_response[link].w, V);
  put3(d->load_response[link].v, V + 3);
  put3(d->load_response_rate[link].w, V_p);
  put3(d->load_response_rate[link].v, V_p + 3);
}

/* no forces change */
static void derivative_nothing(const lw_model *m, lwi_derivative_work *d)
{
  const force zero = {v3_zero(), v3_zero()};
  for (int i = 0; i < m->nu; i++)
    d->tau_rate[i] = real_set(0.0);
  for (int i = 0; i < m->nlink; i++)
    d->rate[i].applied = zero;
}

/* ---- results ---- */

/* rotation and shift of a link, changes of V and of A (gravity not counted) */
static void get_change(const lw_model *m, const lw_model *derivative, const lwi_derivative_work *d,
                       int link, double pose[6], double V[6], double A[6])
{
  const link_change *c = &d->derivative[link];
  (void)m;
  vec3 a = d->rate[link].A.v;
  if (derivative) a = v3_add(a, gravity(derivative));
  put3(c->turn, pose);
  put3(c->shift, pose + 3);
  put3(c->w, V);
  put3(c->v, V + 3);
  put3(d->rate[link].A.w, A);
  put3(a, A + 3);
}

/* derivative of get_load of queries.h */
static void get_load_change(const lw_model *m, const lwi_derivative_work *d, int link, double f[6],
                            double z1[3], double z2[3])
{
  const lwi_link *L = &m->link[link];
  const motion *S1 = d->S_rate + L->column;
  put3(d->rate[link].f.t, f);
  put3(d->rate[link].f.f, f + 3);
  const motion *axis = &S1[lwi_kind_axis((lwi_kind)L->kind)];
  if (L->nu > 0) put3(lwi_kind_slides((lwi_kind)L->kind) ? axis->v : axis->w, z1);
  if (L->nu > 1) put3(S1[1].w, z2);
}

#endif
