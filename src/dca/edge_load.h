/* SPDX-License-Identifier: Apache-2.0 */
/* edge_load.h -- outward: the load of an eliminated edge from those of its handles.  Symbols and
   equations: dca.h. */
#ifndef LWI_DCA_EDGE_LOAD_H
#define LWI_DCA_EDGE_LOAD_H
#include "dca/edge_factor.h"

/* f = Y - N^T sum_j G_j F_j on link b, and -phi f on link a */
static inline void find_load(const int m, const bool light, lw_dca *d, const lwi_dca_step *s)
{
  double *f = s->kept, y[6] = {0}, arm[3];
  const double *r = lwi_dca_kept_arm(f), *N = lwi_dca_kept_rows(f), *G = N + 6 * m;
  for (int j = 0; j < s->nout; j++, G += 6 * m) {
    const double *F = d->state[lwi_dca_links_out(s)[j]].F;
    UNROLLED
    for (int i = 0; i < AT_MOST_SIX(m); i++)
      y[i] += row_dot6(G + 6 * i, F);
  }
  row sum = row_load(f);
  UNROLLED
  for (int i = 0; i < AT_MOST_SIX(m); i++)
    sum = row_fms(sum, light ? -y[i] : y[i], row_load(N + 6 * i));
  row_put(f, sum);
  if (s->link_b > 0) {
    double *F = d->state[s->link_b].F;
    for (int i = 0; i < 6; i++)
      F[i] += f[i];
  }
  if (s->link_a > 0) {
    double *F = d->state[s->link_a].F;
    cross3(r, f + 3, arm);
    for (int i = 0; i < 3; i++)
      F[i] -= f[i] + arm[i], F[3 + i] -= f[3 + i];
  }
}

static inline void find_load_of(lw_dca *d, const lwi_dca_step *s)
{
  if (s->edge_kind == LWI_DCA_REVOLUTE)
    find_load(5, false, d, s);
  else
    find_load(s->m, s->edge_kind == LWI_DCA_LIGHT, d, s);
}

#endif
