/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_sweeps.h -- sweeps a right side through constant mobilities, which other threads may
   use at the same time: sweep_edge of eliminate.h, find_load of edge_load.h and related functions
   with separate memory. */
#ifndef LWI_DCA_DERIVATIVE_SWEEPS_H
#define LWI_DCA_DERIVATIVE_SWEEPS_H
#include "dca/leaf.h"
#include "dca/dca_derivatives.h"

/* ---- inward ---- */

static inline const double *inner_side(const lw_dca *d, const lwi_dca_right_side *x,
                                       const lwi_dca_step *s, int k)
{
  const int n = s->left >= 0 ? d->step[s->left].nout : 0;
  return k < n ? x->handle[x->at[s->left] + (size_t)k]
               : x->handle[x->at[s->right] + (size_t)(k - n)];
}

/* y = N v, znew_j = z_j + G_j^T y */
static inline void derivative_edge(const lw_dca *d, const lwi_dca_right_side *x, int step)
{
  const lwi_dca_step *s = &d->step[step];
  const lwi_dca_edge *e = &d->edge[s->edge];
  const double *r = lwi_dca_kept_arm(e->kept), *N = lwi_dca_kept_rows(e->kept), *G = N + 6 * e->m;
  double v[6], turn[3];
  memcpy(v, x->c[s->edge], sizeof v);
  if (s->b >= 0) {
    const double *z = inner_side(d, x, s, s->b);
    for (int i = 0; i < 6; i++)
      v[i] -= z[i];
  }
  if (s->a >= 0) {
    const double *z = inner_side(d, x, s, s->a);
    cross3(z, r, turn);
    for (int i = 0; i < 3; i++)
      v[i] += z[i], v[3 + i] += z[3 + i] + turn[i];
  }
  double y[6];
  row Y = row_zero();
  for (int i = 0; i < e->m; i++, N += 6) {
    y[i] = e->kind == LWI_DCA_LIGHT ? -row_dot6(N, v) : row_dot6(N, v);
    Y = row_fma(Y, y[i], row_load(N));
  }
  row_store(x->f[s->edge], Y);
  for (int j = 0; j < s->nout; j++) {
    const double *z = inner_side(d, x, s, s->handle[j]);
    double *out = x->handle[x->at[step] + (size_t)j];
    for (int k = 0; k < 6; k++)
      out[k] = z[k];
    for (int i = 0; i < e->m; i++, G += 6)
      for (int k = 0; k < 6; k++)
        out[k] += y[i] * G[k];
  }
}

static inline void derivative_relation(const lw_dca *d, const lwi_dca_right_side *x, int step)
{
  const lwi_dca_step *s = &d->step[step];
  const lwi_dca_edge *e = &d->edge[s->edge];
  const double *J = e->kept + 2, *q = J + 6 * e->nlink;
  double v = x->c[s->edge][0];
  for (int k = 0; k < e->nlink; k++)
    v -= row_dot6(J + 6 * k, inner_side(d, x, s, e->inner[k]));
  x->f[s->edge][0] = e->kept[1] * v;
  for (int j = 0; j < s->nout; j++) {
    const double *z = inner_side(d, x, s, s->handle[j]);
    double *out = x->handle[x->at[step] + (size_t)j];
    for (int l = 0; l < 6; l++)
      out[l] = z[l] + q[6 * j + l] * v;
  }
}

static void derivative_inward(const lw_dca *d, const lwi_dca_right_side *x, int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kind == LWI_ASSEMBLY_LEAF) {
      memset(x->F[s->link], 0, sizeof x->F[0]);
      if (s->nout > 0) memcpy(x->handle[x->at[i]], x->z[s->link], sizeof x->z[0]);
    } else if (s->idle) {
      for (int j = 0; j < s->nout; j++)
        memcpy(x->handle[x->at[i] + (size_t)j], inner_side(d, x, s, s->handle[j]),
               sizeof x->handle[0]);
    } else if (d->edge[s->edge].kind == LWI_DCA_RELATION) {
      derivative_relation(d, x, i);
    } else {
      derivative_edge(d, x, i);
    }
  }
}

/* ---- outward ---- */

/* f = Y - N^T sum_j G_j F_j on link b, and -phi f on link a */
static inline void derivative_load(const lw_dca *d, const lwi_dca_right_side *x,
                                   const lwi_dca_step *s)
{
  const lwi_dca_edge *e = &d->edge[s->edge];
  const double *r = lwi_dca_kept_arm(e->kept), *N = lwi_dca_kept_rows(e->kept), *G = N + 6 * e->m;
  double *f = x->f[s->edge], y[6] = {0};
  for (int j = 0; j < s->nout; j++)
    for (int i = 0; i < e->m; i++, G += 6)
      y[i] += row_dot6(G, x->F[lwi_dca_links_out(s)[j]]);
  row sum = row_load(f);
  for (int i = 0; i < e->m; i++, N += 6)
    sum = row_fms(sum, e->kind == LWI_DCA_LIGHT ? -y[i] : y[i], row_load(N));
  row_store(f, sum);
  if (e->b > 0)
    for (int i = 0; i < 6; i++)
      x->F[e->b][i] += f[i];
  if (e->a > 0) {
    double *F = x->F[e->a], arm[3];
    cross3(r, f + 3, arm);
    for (int i = 0; i < 3; i++)
      F[i] -= f[i] + arm[i], F[3 + i] -= f[3 + i];
  }
}

static inline void derivative_multiplier(const lw_dca *d, const lwi_dca_right_side *x,
                                         const lwi_dca_step *s)
{
  const lwi_dca_edge *e = &d->edge[s->edge];
  const double *J = e->kept + 2, *q = J + 6 * e->nlink;
  double *lambda = x->f[s->edge];
  for (int j = 0; j < s->nout; j++)
    lambda[0] -= row_dot6(q + 6 * j, x->F[lwi_dca_links_out(s)[j]]);
  for (int k = 0; k < e->nlink; k++)
    for (int i = 0; i < 6; i++)
      x->F[e->links[k]][i] += J[6 * k + i] * lambda[0];
}

static void derivative_outward(const lw_dca *d, const lwi_dca_right_side *x, int first, int last)
{
  for (int i = last; i >= first; i--) {
    const lwi_dca_step *s = &d->step[i];
    if (s->idle) continue;
    if (s->kind == LWI_ASSEMBLY_LEAF) {
      push_body(&d->state[s->link], x->F[s->link], x->A[s->link]);
      for (int k = 0; k < 6; k++)
        x->A[s->link][k] += x->z[s->link][k];
    } else if (d->edge[s->edge].kind == LWI_DCA_RELATION) {
      derivative_multiplier(d, x, s);
    } else {
      derivative_load(d, x, s);
    }
  }
}

#endif
