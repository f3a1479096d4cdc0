/* SPDX-License-Identifier: Apache-2.0 */
/* freedom_count.c -- degrees of freedom at a configuration and close to it: is it singular?

   If constraints are dependent in one configuration only, the number of first-order motions is
   larger than the number of actual ones.  The mechanism is displaced slightly along such
   directions, always the same ones, and its loops are closed again.  Where they close, freedoms are
   counted; the smallest number is that of nearby configurations. */
#include "analysis/independent_speeds.h"
#include "linkwork/analysis.h"

#include <stdlib.h>
#include <string.h>

enum {
  TRIES = 8,
  LARGE = 500 /* speeds: beyond this the dense matrices would take seconds, and freedoms are only
             counted at q */
};
static const double far = 1e-2; /* rad, or typical lengths */
/* A mechanism this close to a singular configuration is treated as singular. */
static const double there = 1e-5;

typedef struct {
  lwi_reduced r, near;
  double *q, *rate, *x, *u; /* [nq], [nq], [nu], [nu] */
} neighbourhood;

/* The k-th displacement along the first-order motions. */
static void choose_direction(const neighbourhood *h, unsigned k)
{
  const lwi_reduced *r = &h->r;
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

/* Freedoms at q: r->n. */
static lw_status count(lwi_reduced *r, lw_work *w, double t, const double q[], const double u[])
{
  r->tolerance = there;
  const lw_status status = lwi_reduced_balance(r, w, t, q, u, u);
  return status == LW_OK ? lwi_reduced_split(r) : status;
}

/* *near = freedoms at the displaced configuration; unchanged if the loops do not close. */
static lw_status count_near(neighbourhood *h, lw_work *w, double t, const double q[], unsigned k,
                            int *near)
{
  const lw_model *m = h->r.m;
  choose_direction(h, k);
  lw_coordinate_rates(m, q, h->x, h->rate);
  for (int i = 0; i < m->nq; i++)
    h->q[i] = q[i] + h->rate[i];
  memset(h->u, 0, (size_t)m->nu * sizeof(double));
  if (lw_normalize(m, h->q) != LW_OK || lw_project(w, t, h->q, h->u) != LW_OK) return LW_OK;
  double moved = 0;
  for (int i = 0; i < m->nq; i++)
    moved = fmax(moved, fabs(h->q[i] - q[i]));
  if (moved < 0.01 * far * fmin(1, m->length)) return LW_OK; /* it has returned to the start */
  memset(h->u, 0, (size_t)m->nu * sizeof(double));
  const lw_status status = count(&h->near, w, t, h->q, h->u);
  if (status == LW_OK) *near = h->near.n;
  return status == LW_E_MEMORY ? status : LW_OK;
}

static lw_status explore(neighbourhood *h, lw_work *w, double t, const double q[], lw_mobility *out)
{
  lw_status status = count(&h->r, w, t, q, h->u);
  if (status == LW_OK) out->dof = out->dof_near = h->r.n;
  for (unsigned k = 0; k < TRIES && status == LW_OK && h->r.n > 0; k++) {
    int near = out->dof;
    status = count_near(h, w, t, q, k, &near);
    if (near < out->dof_near) out->dof_near = near;
  }
  return status;
}

lw_status lw_find_mobility(lw_work *w, double t, const double q[], lw_mobility *out)
{
  const lw_model *m = lwi_work_model(w);
  lw_mobility found = {0};
  if (!out) return LW_E_ARG;
  lw_status status = lw_dof(w, q, &found.dof, &found.redundant);
  if (status != LW_OK) return status;
  found.dof_near = found.dof;
  if (w->closure && m->nu > 0 && m->nu <= LARGE && !m->tree_constraints.link_system) {
    lwi_carver c = {0};
    lwi_reduced_carve(m, &c);
    lwi_reduced_carve(m, &c);
    const size_t size = (c.used + 127) & ~(size_t)63;
    const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
    void *block = aligned_alloc(64, size);
    neighbourhood h = {.q = calloc(2 * nq + 2 * nu + 1, sizeof(double))};
    status = block && h.q ? LW_OK : LW_E_MEMORY;
    if (status == LW_OK) {
      c = (lwi_carver){.base = block};
      h.r = lwi_reduced_carve(m, &c);
      h.near = lwi_reduced_carve(m, &c);
      h.rate = h.q + nq;
      h.x = h.rate + nq;
      h.u = h.x + nu;
      status = explore(&h, w, t, q, &found);
    }
    free(block);
    free(h.q);
  }
  found.redundant = m->tree_constraints.nrow - (m->ndof - found.dof);
  found.singular = found.dof_near < found.dof;
  if (status == LW_OK) *out = found;
  return status;
}
