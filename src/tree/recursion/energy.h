/* SPDX-License-Identifier: Apache-2.0 */
/* energy.h -- energies and momenta. */
#ifndef LWI_TREE_RECURSION_ENERGY_H
#define LWI_TREE_RECURSION_ENERGY_H
#include "tree/recursion/forces.h"

static inline real rotor_energy(const lw_model *m, const lwi_tree_work *w, int i)
{
  const lwi_link *L = &m->link[i];
  real sum = real_set(0.0);
  for (int j = 0; L->has_armature && j < L->nu; j++)
    sum += 0.5 * lwi_armature(L, j) * w->spin[L->u + j] * w->spin[L->u + j];
  return sum;
}

/* after kinematics */
static void energy(const lw_model *m, const lwi_tree_work *w, const double *q, double *kinetic,
                   double *potential)
{
  const vec3 g = gravity(m);
  real T = real_set(0.0), U = elastic_energy(m, w, (const real *)q);
  for (int i = 1; i < m->nlink; i++) {
    const link_state *s = &w->link[i];
    const rigid I = link_inertia(&m->link[i], s);
    T += 0.5 * power(s->V, rigid_mul(I, s->V)) + rotor_energy(m, w, i);
    U -= v3_dot(g, v3_fma(I.h, s->p, I.m));
  }
  for (int k = 0; k < LW_LANES; k++) {
    kinetic[k] = real_lane(T, k);
    potential[k] = real_lane(U, k);
  }
}

#endif
