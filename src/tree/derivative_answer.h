/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_answer.h -- what follows a sweep along one direction: accelerations that answer its loads, by the
   articulated-body factors that are there; rates by other speeds; results as plain doubles. */
#ifndef LWI_TREE_DERIVATIVE_ANSWER_H
#define LWI_TREE_DERIVATIVE_ANSWER_H
#include "tree/derivative_sweep.h"
#include "tree/queries.h"

/* ---- forward dynamics: each link is met once a pass, since large models are slow to fetch, not to compute ---- */

/* vary_motion, vary_accelerations and the first half of vary_demand */
static void vary_outward(const lw_model *m, const lw_model *change, lwi_tree_work *w,
                         lwi_derivative_work *d, const double *q, const double *u, const double *xi,
                         const double *u1, const double *udot)
{
  const force none = {v3_zero(), v3_zero()};
  d->rate[0].A = ground_rate(change);
  d->rate[0].f = d->answer_load[0] = none;
  no_applied(d, 0);
  for (int i = 1; i < m->nlink; i++) {
    vary_link_motion(m, change, w, d, i, q, u, xi, u1);
    d->rate[i].A = acceleration_rate(m, w, d, i, udot, NULL);
    d->rate[i].f = link_load_rate(m, change, w, d, i);
    d->answer_load[i] = none;
    no_applied(d, i);
  }
}

/* The second half of vary_demand, r1 = (M udot + bias)', and the first of vary_answer, for the loads
   tau1 - r1. */
static void vary_inward(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        const double *tau1)
{
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    const force f = w->link[i].f, f1 = force_sub(d->rate[i].f, d->rate[i].applied);
    const vec3 r = w->link[i].r;
    force answer = d->answer_load[i];
    for (int k = 0; k < L->nu; k++) {
      const real r1 =
          power(d->S_rate[L->column + k], f) + power(fr[k].S, f1) - d->tau_rate[L->u + k];
      const real free_of = k < L->frozen ? real_set(0.0) : fr[k].Dinv;
      const real eps = tau1[L->u + k] - r1 + power(fr[k].S, answer);
      d->eps[L->column + k] = eps;
      answer = force_fma(answer, fr[k].U, -(eps * free_of));
    }
    force handed = force_from(f1, r);
    handed.t = v3_add_cross(handed.t, d->rate[i].r, f.f);
    d->rate[i].f = f1;
    d->rate[L->parent].f = force_add(d->rate[L->parent].f, handed);
    d->answer_load[L->parent] = force_add(d->answer_load[L->parent], force_from(answer, r));
  }
}

/* ---- accelerations that answer loads ---- */

static inline motion comply(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                            int i, const double *eps, double *udot1)
{
  const lwi_link *L = &m->link[i];
  const freedom *fr = w->freedom + L->column;
  motion A = motion_at(d->answer[L->parent], w->link[i].r);
  for (int k = L->nu - 1; k >= 0; k--) {
    const real free_of = k < L->frozen ? real_set(0.0) : fr[k].Dinv;
    const real x = free_of * (eps[L->column + k] - power(A, fr[k].U));
    udot1[L->u + k] += real_lane(x, 0);
    A = motion_fma(A, fr[k].S, x);
  }
  return d->answer[i] = A;
}

/* udot1 += (1 - H psi K)* D^-1 eps, leaving the links' accelerations in answer */
static void vary_compliance(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                            const double *eps, double *udot1)
{
  d->answer[0] = motion_zero();
  for (int i = 1; i < m->nlink; i++)
    comply(m, w, d, i, eps, udot1);
}

/* the same, and the links' accelerations follow */
static void vary_respond(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                         const double *eps, double *udot1)
{
  d->answer[0] = motion_zero();
  for (int i = 1; i < m->nlink; i++)
    d->rate[i].A = motion_add(d->rate[i].A, comply(m, w, d, i, eps, udot1));
}

/* what vary_inward left, answered */
static void vary_follow(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        double *udot1)
{
  vary_respond(m, w, d, (const double *)d->eps, udot1);
}

/* udot1 += M^-1 tau1, and the links' accelerations follow; after articulate_inward or factor */
static void vary_answer(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        const double *tau1, double *udot1)
{
  const force none = {v3_zero(), v3_zero()};
  force *handed = d->answer_load;
  for (int i = 0; i < m->nlink; i++)
    handed[i] = none;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    force f = handed[i];
    for (int k = 0; k < L->nu; k++) {
      const real free_of = k < L->frozen ? real_set(0.0) : fr[k].Dinv;
      const real eps = tau1[L->u + k] + power(fr[k].S, f);
      d->eps[L->column + k] = eps;
      f = force_fma(f, fr[k].U, -(eps * free_of));
    }
    handed[L->parent] = force_add(handed[L->parent], force_from(f, w->link[i].r));
  }
  vary_respond(m, w, d, (const double *)d->eps, udot1);
}

/* ---- rates by other speeds ---- */

/* velocities of all links by speeds z that do not change, and their derivatives; after vary_motion */
static void vary_speeds(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        const double *z)
{
  d->answer[0] = d->answer_rate[0] = motion_zero();
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    motion V = motion_at(d->answer[L->parent], w->link[i].r);
    motion V1 = motion_at(d->answer_rate[L->parent], w->link[i].r);
    V1.v = v3_add_cross(V1.v, d->answer[L->parent].w, d->rate[i].r);
    for (int k = 0; k < L->nu; k++) {
      V = motion_fma(V, w->freedom[L->column + k].S, real_set(z[L->u + k]));
      V1 = motion_fma(V1, d->S_rate[L->column + k], real_set(z[L->u + k]));
    }
    d->answer[i] = V;
    d->answer_rate[i] = V1;
  }
}

static void get_speeds(const lwi_derivative_work *d, int link, double V[6], double V1[6])
{
  put3(d->answer[link].w, V);
  put3(d->answer[link].v, V + 3);
  put3(d->answer_rate[link].w, V1);
  put3(d->answer_rate[link].v, V1 + 3);
}

/* no forces change */
static void vary_nothing(const lw_model *m, lwi_derivative_work *d)
{
  const force zero = {v3_zero(), v3_zero()};
  for (int i = 0; i < m->nu; i++)
    d->tau_rate[i] = real_set(0.0);
  for (int i = 0; i < m->nlink; i++)
    d->rate[i].applied = zero;
}

/* ---- results ---- */

/* rotation and shift of a link, changes of V and of A (gravity not counted) */
static void get_change(const lw_model *m, const lw_model *change, const lwi_derivative_work *d,
                       int link, double pose[6], double V[6], double A[6])
{
  const link_change *c = &d->change[link];
  (void)m;
  vec3 a = d->rate[link].A.v;
  if (change) a = v3_add(a, gravity(change));
  put3(c->turn, pose);
  put3(c->shift, pose + 3);
  put3(c->w, V);
  put3(c->v, V + 3);
  put3(d->rate[link].A.w, A);
  put3(a, A + 3);
}

/* of get_load of queries.h */
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
