/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_local.h -- the equations of each link and of each joint, differentiated one by one:
   with the accelerations A, udot and the joint loads f constant, the residuals are

     of a link   load = (applied - M A - b)_p           M A + b = applied + sum of joint loads
     of a joint  pi   = S_p udot + c_p + phi*_p A_a     A_b = phi* A_a + S udot + c
                 x    = tau_p - S_p^T f - armature_p udot    S^T f = tau - armature udot
                        -phi_p f, on the parent         -phi f acts there

   No recursion except that of derivative_motion; divide and conquer uses these as right sides of
   its own equations.  docs/theory/dca.md */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_LOCAL_H
#define LWI_TREE_RECURSION_DERIVATIVE_LOCAL_H
#include "tree/recursion/derivative_response.h"

/* Accelerations of links first to last are constant, except that of the ground, which is minus
   gravity. */
static void derivative_hold(const lw_model *derivative, lwi_derivative_work *d, int first, int last)
{
  motion A = motion_zero();
  if (derivative) A.v = v3_neg(gravity(derivative));
  for (int i = first; i <= last; i++)
    d->rate[i].A = A;
}

static motion pi_of(const lw_model *m, const lwi_tree_work *w, const lwi_derivative_work *d, int i,
                    const double *udot)
{
  const lwi_link *L = &m->link[i];
  motion pi = d->rate[i].c;
  pi.v = v3_add_cross(pi.v, w->link[L->parent].A.w, d->rate[i].r);
  for (int k = 0; k < L->nu; k++)
    pi = motion_fma(pi, d->S_rate[L->column + k], real_set(udot[L->u + k]));
  return pi;
}

/* For links first to last, after derivative_hold and derivative_forces, with f of every link by
   set_load.  handed: -phi_p f of its joint, subtracted from the parent's load; x is added to. */
static void derivative_local(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                             lwi_derivative_work *d, const double *udot, int first, int last,
                             const lwi_link_residuals *out)
{
  for (int i = first; i <= last; i++) {
    const lwi_link *L = &m->link[i];
    const force f = w->link[i].f;
    const force own = force_sub(d->rate[i].applied, link_load_rate(m, derivative, w, d, i));
    const motion p = pi_of(m, w, d, i, udot);
    put3(own.t, out->load[i]);
    put3(own.f, out->load[i] + 3);
    put3(p.w, out->pi[i]);
    put3(p.v, out->pi[i] + 3);
    put3(v3_cross(d->rate[i].r, f.f), out->handed[i]);
    put3(v3_zero(), out->handed[i] + 3);
    for (int k = 0; k < L->nu; k++)
      out->x[L->u + k] += real_lane(d->tau_rate[L->u + k] - power(d->S_rate[L->column + k], f), 0);
    for (int k = 0; derivative && L->has_armature && k < L->nu; k++)
      out->x[L->u + k] -= lwi_armature(&derivative->link[i], k) * udot[L->u + k];
  }
}

/* Sets the load of its joint on a link, about the link's origin. */
static void set_load(lwi_tree_work *w, int link, const double f[6])
{
  w->link[link].f = load_of(f);
}
static void set_load_change(lwi_derivative_work *d, int link, const double f[6])
{
  d->rate[link].f = load_of(f);
}

#endif
