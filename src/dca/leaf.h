/* SPDX-License-Identifier: Apache-2.0 */
/* leaf.h -- one body: its mobility about the link's origin.  docs/theory/dca.md, with one handle at
   the link's origin, from which the centre of mass is at c:

     alpha = K (t - c x f),  a = f/m + c x alpha      K: inverse inertia about the centre
     z: t, f being the applied load and the gyroscopic torque, plus gravity and -w x (w x c) */
#ifndef LWI_DCA_LEAF_H
#define LWI_DCA_LEAF_H
#include "dca/edge_rows.h"
#include "dca/row.h"

/* out = S v for a symmetric matrix xx yy zz xy xz yz */
static inline void sym_mulv(const double S[6], const double v[3], double out[3])
{
  const double x = v[0], y = v[1], z = v[2];
  out[0] = S[0] * x + S[3] * y + S[4] * z;
  out[1] = S[3] * x + S[1] * y + S[5] * z;
  out[2] = S[4] * x + S[5] * y + S[2] * z;
}

/* acceleration of the link's origin by a load there, without -w x (w x c) and gravity; A may be
   F */
static inline void push_body(const lwi_dca_state *s, const double F[6], double A[6])
{
  double arm[3], t[3], turn[3];
  cross3(s->c, F + 3, arm);
  for (int i = 0; i < 3; i++)
    t[i] = F[i] - arm[i];
  sym_mulv(s->K, t, A);
  cross3(s->c, A, turn);
  for (int i = 0; i < 3; i++)
    A[3 + i] = s->inverse_mass[i] * F[3 + i] + turn[i];
}

/* Adds the load of a joint's tau to the link that it carries, or subtracts it from the one that
   carries it.  A revolute joint has an axis through the link's origin: a torque alone. */
static inline void add_push(const lw_dca *d, int joint_link, bool carried, double F[6])
{
  const lwi_link *L = &d->m->link[joint_link];
  double r[3], f[6], arm[3];
  if (L->kind == LWI_KIND_REVOLUTE) {
    const double tau = carried ? d->tau[L->u] : -d->tau[L->u];
    d->kernels->get_column(d->m, d->work, L->column, f);
    for (int i = 0; i < 3; i++)
      F[i] += f[i] * tau;
    return;
  }
  joint_push(d, joint_link, d->tau, f, r);
  cross3(r, f + 3, arm);
  for (int i = 0; i < 3; i++) {
    F[i] += carried ? f[i] : -(f[i] + arm[i]);
    F[3 + i] += carried ? f[3 + i] : -f[3 + i];
  }
}

/* Adds the load of its own joint's tau to a link, and subtracts those of the joints that it
   carries. */
static inline void add_pushes(const lw_dca *d, int link, double F[6])
{
  if (!d->driven) return;
  add_push(d, link, true, F);
  for (int k = d->child_start[link]; k < d->child_start[link + 1]; k++)
    add_push(d, d->child[k], false, F);
}

/* Loads on a link other than constraint loads. */
static inline void find_applied(const lw_dca *d, int link, double F[6])
{
  double r[3], c[6];
  memset(F, 0, 6 * sizeof(double));
  if (d->pushed) d->kernels->get_edge(d->m, d->work, link, r, c, F);
  add_pushes(d, link, F);
}

#endif
