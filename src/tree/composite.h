/* SPDX-License-Identifier: Apache-2.0 */
/* composite.h -- mass matrix by composite bodies: R(k) = M(k) + sum over children of phi R phi*,
   Mass(j, k) = H(j) phi(j, k) R(k) H(k)* for j an ancestor of k or k itself, zero for unrelated
   links.  [Jain2011] section 2.3, [FORMULAS] section 11. */
#ifndef LWI_TREE_COMPOSITE_H
#define LWI_TREE_COMPOSITE_H
#include "tree/outward.h"

typedef struct {
  double *M;
  size_t nu, stride;
  int count;
} matrix_out;

static inline void put_pair(const matrix_out *o, int i, int j, real x)
{
  double *a = o->M + ((size_t)i * o->nu + (size_t)j) * o->stride;
  double *b = o->M + ((size_t)j * o->nu + (size_t)i) * o->stride;
  for (int k = 0; k < o->count; k++) a[k] = b[k] = real_lane(x, k);
}

/* the entries of freedom (i, j) with the earlier freedoms of its joint and all inward ones */
static void put_freedom(const lw_model *m, const lwi_tree_work *w, int i, int j, rigid I,
                        const matrix_out *o)
{
  const lwi_link *L = &m->link[i];
  const int u = L->u + j;
  force F = rigid_mul(I, w->freedom[L->column + j].S);
  for (int k = 0; k <= j; k++) put_pair(o, u, L->u + k, power(w->freedom[L->column + k].S, F));
  while (L->parent > 0) {
    F = force_from(F, w->link[i].r);
    i = L->parent;
    L = &m->link[i];
    for (int k = 0; k < L->nu; k++) put_pair(o, u, L->u + k, power(w->freedom[L->column + k].S, F));
  }
}

static void mass_matrix(const lw_model *m, lwi_tree_work *w, const double *q, double *M,
                        size_t stride, int count)
{
  const size_t nu = (size_t)m->nu;
  const matrix_out o = {M, nu, stride, count};
  find_sines(m, w, (const real *)q);
  for (int i = 1; i < m->nlink; i++) place_link(m, w, i, (const real *)q);
  for (size_t i = 0; i < nu * nu; i++)
    for (int k = 0; k < count; k++) M[i * stride + (size_t)k] = 0.0;

  rigid handed = {0};
  bool arrives = false;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    rigid I = link_inertia(L, &w->link[i]);
    if (arrives) I = rigid_add(I, handed);
    if (L->branch >= 0) I = rigid_add(I, w->branch_rigid[L->branch]);
    for (int j = 0; j < L->nu; j++) put_freedom(m, w, i, j, I, &o);

    handed = rigid_from(I, w->link[i].r);
    arrives = L->hands_on;
    if (!L->hands_on && L->parent > 0) {
      rigid *sum = &w->branch_rigid[m->link[L->parent].branch];
      *sum = L->last ? handed : rigid_add(*sum, handed);
    }
  }
}

#endif
