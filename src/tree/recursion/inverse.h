/* SPDX-License-Identifier: Apache-2.0 */
/* inverse.h -- inverse dynamics by the Newton-Euler recursion, and joint loads.  T = H A (M alpha +
   b): [Jain2012] eqs (12), (14); docs/theory/tree.md.

   Inward, a link passes its load to its parent.  Links are numbered depth first, so that the first
   child of link i is link i+1, whose load is passed in registers; those of other children go
   through memory. */
#ifndef LWI_TREE_RECURSION_INVERSE_H
#define LWI_TREE_RECURSION_INVERSE_H
#include "tree/recursion/forces.h"

/* M alpha + b of a link: the load that must act on it */
static inline __attribute__((always_inline)) force link_load(const lw_model *m,
                                                             const lwi_tree_work *w, int i)
{
  const link_state *s = &w->link[i];
  const rigid I = link_inertia(&m->link[i], s);
  return force_add(rigid_mul(I, s->A), rigid_bias(I, s->V.w));
}

/* Loads of the joints of links from `first` on, and T = H f unless tau is NULL.  f = M alpha + b of
   every link is known, or found on the way. */
static inline __attribute__((always_inline)) void loads_inward(const lw_model *m, lwi_tree_work *w,
                                                               int first, bool known, real *tau)
{
  const bool pushed = lwi_has_link_forces(m);
  force handed = {v3_zero(), v3_zero()};
  bool arrives = false;
  for (int i = m->nlink - 1; i >= first; i--) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    force f = known ? w->link[i].f : link_load(m, w, i);
    if (pushed) f = force_sub(f, w->applied[i]);
    if (arrives) f = force_add(f, handed);
    if (L->branch >= 0) f = force_add(f, w->branch_force[L->branch]);
    w->link[i].f = f;
    if (tau)
      for (int j = 0; j < L->nu; j++)
        tau[L->u + j] = power(fr[j].S, f) + (L->has_armature ? w->rotor[L->u + j] : real_set(0.0));

    arrives = L->hands_on && L->parent >= first;
    if (L->parent < first) continue; /* nobody asks for the load of that one */
    handed = force_from(f, w->link[i].r);
    if (!L->hands_on) {
      force *sum = &w->branch_force[m->link[L->parent].branch];
      *sum = L->last ? handed : force_add(*sum, handed);
    }
  }
}

/* T less the loads of motors and joint springs; f of every link as in loads_inward. */
static inline void find_required_tau(const lw_model *m, lwi_tree_work *w, bool known, real *tau)
{
  loads_inward(m, w, 1, known, tau);
  if (lwi_has_freedom_elements(m))
    for (int i = 0; i < m->nu; i++)
      tau[i] -= w->tau[i];
}

/* T that the accelerations in w require, less the forces in w */
static void required_tau(const lw_model *m, lwi_tree_work *w, double *tau)
{
  find_required_tau(m, w, false, (real *)tau);
}

static void inverse(const lw_model *m, lwi_tree_work *w, double t, const double *q_,
                    const double *u_, const double *udot_, double *tau_)
{
  const real *q = (const real *)q_, *u = (const real *)u_, *udot = (const real *)udot_;
  find_sines(m, w, q);
  w->link[0].A.v = v3_neg(gravity(m));
  for (int i = 1; i < m->nlink; i++) {
    place_link(m, w, i, q);
    move_link(m, w, i, u);
    accelerate_link(m, w, i, udot);
    w->link[i].f = link_load(m, w, i);
  }
  find_forces(m, w, t, q_, u_);
  find_required_tau(m, w, true, (real *)tau_);
}

/* Loads of all force elements, after kinematics. */
static void forces(const lw_model *m, lwi_tree_work *w, double t, const double *q, const double *u,
                   double *tau_)
{
  real *tau = (real *)tau_;
  find_forces(m, w, t, q, u);
  const bool own = lwi_has_freedom_elements(m);
  for (int i = 0; i < m->nu && tau; i++)
    tau[i] = own ? w->tau[i] : real_set(0.0);
}

/* After forward dynamics: loads of the joints of links from `first` on. */
static void loads(const lw_model *m, lwi_tree_work *w, int first)
{
  loads_inward(m, w, first, false, NULL);
}

#endif
