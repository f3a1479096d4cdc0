/* SPDX-License-Identifier: Apache-2.0 */
/* mobility.c -- degrees of freedom here and nearby: is a configuration singular?

   Where constraints depend on each other in one configuration only, the number of directions in which the
   mechanism might move is larger than that of the motions it has.  From there it is displaced a little along
   such directions, always the same ones, and its loops are closed again: where they close, freedoms
   are counted, and the smallest number is that of the neighbourhood. */
#include "analysis/reduction.h"
#include "linkwork/analysis.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 8 };
static const double far = 1e-3; /* rad, or typical lengths */

typedef struct {
  lwi_reduction r;
  double *q, *rate, *x, *u; /* [nq], [nq], [nu], [nu] */
} neighbourhood;

/* the k-th displacement along the directions in which the mechanism might move */
static void choose_direction(const neighbourhood *h, unsigned k)
{
  const lwi_reduction *r = &h->r;
  uint32_t seed = 54321u + 1000003u * k;
  double most = 0;
  memset(h->x, 0, (size_t)r->nu * sizeof(double));
  for (int i = 0; i < r->n; i++) {
    seed = 1664525u * seed + 1013904223u;
    const double part = (double)(seed >> 8) / (1 << 24) - 0.5;
    for (int j = 0; j < r->nu; j++)
      h->x[j] += part * r->N[j * r->n + i];
  }
  for (int j = 0; j < r->nu; j++)
    most = fmax(most, fabs(h->x[j]));
  for (int j = 0; j < r->nu && most > 0; j++)
    h->x[j] *= far * fmin(1, r->m->length) / most;
}

/* freedoms there; -1: the loops do not close */
static int count_near(const neighbourhood *h, lw_work *w, double t, const double q[], unsigned k)
{
  const lw_model *m = h->r.m;
  int dof, redundant;
  choose_direction(h, k);
  lw_coordinate_rates(m, q, h->x, h->rate);
  for (int i = 0; i < m->nq; i++)
    h->q[i] = q[i] + h->rate[i];
  memset(h->u, 0, (size_t)m->nu * sizeof(double));
  if (lw_normalize(m, h->q) != LW_OK || lw_project(m, w, t, h->q, h->u) != LW_OK) return -1;
  double moved = 0;
  for (int i = 0; i < m->nq; i++)
    moved = fmax(moved, fabs(h->q[i] - q[i]));
  if (moved < 0.01 * far * fmin(1, m->length)) return -1; /* back where it was */
  return lw_count_freedoms(m, w, h->q, &dof, &redundant) == LW_OK ? dof : -1;
}

static lw_status explore(neighbourhood *h, lw_work *w, double t, const double q[], lw_mobility *out)
{
  lw_status status = lwi_reduction_balance(&h->r, w, t, q, h->u, h->u);
  if (status == LW_OK) status = lwi_reduction_split(&h->r);
  for (unsigned k = 0; k < TRIES && status == LW_OK && h->r.n > 0; k++) {
    const int near = count_near(h, w, t, q, k);
    if (near >= 0 && near < out->dof_near) out->dof_near = near;
  }
  return status;
}

lw_status lw_find_mobility(const lw_model *m, lw_work *w, double t, const double q[],
                           lw_mobility *out)
{
  lw_mobility found = {0};
  if (!out) return LW_E_ARG;
  lw_status status = lw_count_freedoms(m, w, q, &found.dof, &found.redundant);
  if (status != LW_OK) return status;
  found.dof_near = found.dof;
  if (w->closure && found.redundant > 0) {
    lwi_carver c = {0};
    lwi_reduction_carve(m, &c);
    const size_t size = (c.used + 127) & ~(size_t)63;
    const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
    void *block = aligned_alloc(64, size);
    neighbourhood h = {.q = calloc(2 * nq + 2 * nu + 1, sizeof(double))};
    status = block && h.q ? LW_OK : LW_E_MEMORY;
    if (status == LW_OK) {
      c = (lwi_carver){.base = block};
      h.r = lwi_reduction_carve(m, &c);
      h.rate = h.q + nq;
      h.x = h.rate + nq;
      h.u = h.x + nu;
      status = explore(&h, w, t, q, &found);
    }
    free(block);
    free(h.q);
  }
  found.singular = found.dof_near < found.dof;
  if (status == LW_OK) *out = found;
  return status;
}
