/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/linear.h"
#include "base/fail.h"
#include "linkwork/loops.h"

#include <stdlib.h>
#include <string.h>

static size_t size(const lwi_linear *l)
{
  return (size_t)(lw_nq(l->m) + lw_nu(l->m));
}

lw_status lwi_linear_open(lwi_linear *l, const lw_model *m, lw_dynamics *dynamics)
{
  lwi_linear_close(l);
  *l = (lwi_linear){.m = m, .dynamics = dynamics};
  l->d = lw_derivatives_new(m);
  l->y = calloc(2 * size(l) + 1, sizeof *l->y);
  l->row = calloc(2 * ((size_t)m->ties.nrow + 1), sizeof *l->row);
  l->all = calloc((size_t)(lw_nq_all(m) + 2 * lw_nu_all(m)) + 1, sizeof *l->all);
  l->gap = l->row ? l->row + m->ties.nrow + 1 : NULL;
  return l->d && l->y && l->row && l->all ? LW_OK : LW_E_MEMORY;
}

void lwi_linear_close(lwi_linear *l)
{
  lw_derivatives_free(l->d);
  free(l->y);
  free(l->row);
  free(l->all);
  free(l->direction);
  *l = (lwi_linear){0};
}

lw_status lwi_linear_at(lwi_linear *l, double t, const double y[])
{
  const size_t bytes = size(l) * sizeof(double);
  if (l->known && l->t == t && (bytes == 0 || memcmp(l->y, y, bytes) == 0)) return LW_OK;
  l->known = false;
  lwi_closure_follow(l->m, l->dynamics->work, l->d->work);
  const lw_status status = lw_linearize_forward(l->d, t, y, y + lw_nq(l->m), NULL, NULL);
  if (status != LW_OK) return status;
  l->known = true;
  l->t = t;
  if (bytes) memcpy(l->y, y, bytes);
  return LW_OK;
}

lw_status lwi_linear_settle(lwi_linear *l, double t, const double y[])
{
  lwi_closure *c = l->d->work->closure;
  if (!c) return LW_OK;
  l->known = false;
  memcpy(l->y + size(l), y, size(l) * sizeof(double));
  lwi_closure_follow(l->m, l->dynamics->work, l->d->work);
  c->hold_rank = false;
  const lw_status status = lw_project(l->d->work, t, l->y + size(l), l->y + size(l) + lw_nq(l->m));
  c->hold_rank = c->keep_rank = true;
  return status;
}

static lwi_direction direction(const lwi_linear *l, const lw_slope *slope, const lwi_along *x)
{
  const lw_direction way = {.motion = x->motion, .u = x->u, .slope = slope};
  lwi_direction full = lwi_direction_of(l->d, &way);
  full.udot = NULL;
  return full;
}

/* ---- rates ---- */

bool lwi_linear_room(lwi_linear *l, int n)
{
  if (n <= l->ndirection) return true;
  lwi_pulled_direction *x = realloc(l->direction, (size_t)n * sizeof *x);
  if (!x) return false;
  l->direction = x;
  l->ndirection = n;
  return true;
}

/* one direction by the tree recursion */
static lw_status vary_pulled(lwi_linear *l, const lwi_pulled_direction *x, double pull)
{
  const lw_status status = lw_vary_forward(l->d, &x->along, x->udot);
  if (status != LW_OK) return status;
  if (lw_nu(l->m)) memset(x->slide, 0, (size_t)lw_nu(l->m) * sizeof(double));
  if (lwi_linear_nrow(l) == 0 || !(pull > 0)) return LW_OK;
  lwi_linear_gap_rate(l, l->gap);
  lwi_linear_close_gap(l, l->gap, -pull, x->udot);
  lwi_linear_gap(l, x->gear1, l->gap);
  lwi_linear_close_gap(l, l->gap, -pull, x->slide);
  return LW_OK;
}

lw_status lwi_linear_rates(lwi_linear *l, double t, const double y[], int n, double pull)
{
  lw_dynamics *own = l->dynamics;
  if (own->way->vary) {
    const lw_status status = own->way->linearize(own, t, y, y + lw_nq(l->m));
    return status == LW_OK ? own->way->vary(own, n, l->direction, pull) : status;
  }
  lw_status status = lwi_linear_at(l, t, y);
  for (int i = 0; i < n && status == LW_OK; i++)
    status = vary_pulled(l, &l->direction[i], pull);
  return status;
}

lw_status lwi_linear_vary(lwi_linear *l, const lw_slope *slope, lwi_along *x, bool udot)
{
  const lw_direction along = {.motion = x->motion, .u = x->u, .tau = x->tau, .slope = slope};
  lw_dynamics *own = l->dynamics;
  lw_status status = lw_vary_forward(l->d, &along, x->udot);
  if (status != LW_OK || !udot || !own->way->vary) return status;
  const lwi_pulled_direction one = {.along = along, .udot = x->udot};
  status = own->way->linearize(own, l->t, l->y, l->y + lw_nq(l->m));
  return status == LW_OK ? own->way->vary(own, 1, &one, 0) : status;
}

/* ---- constraints ---- */

void lwi_linear_move(lwi_linear *l, const lw_slope *slope, const lwi_along *x)
{
  const lwi_direction full = direction(l, slope, x);
  lwi_vary_state(l->m, l->d, &full);
  if (l->d->work->closure) lwi_vary_rows(l->m, l->d, &l->m->ties);
}

void lwi_linear_gap(lwi_linear *l, const double gear1[], double row[])
{
  const double *scale = l->d->work->closure->scale;
  for (int i = 0; i < l->m->ties.nrow; i++)
    row[i] = scale[i] * (l->d->closure.phi1[i] - (gear1 ? gear1[i] : 0));
}

void lwi_linear_gap_rate(lwi_linear *l, double row[])
{
  lwi_vary_rate(l->m, l->d, &l->m->ties, row);
}

void lwi_linear_close_gap(lwi_linear *l, const double row[], double by, double x[])
{
  lw_work *w = l->d->work;
  const lwi_ties *ties = &l->m->ties;
  for (int i = 0; i < ties->nrow; i++)
    l->row[i] = by * row[i];
  lwi_envelope_solve(&ties->envelope, w->closure->value, &w->closure->rank, l->row);
  lwi_closure_gather(l->m, w, ties, l->row);
  w->kernels->vary_respond(l->m, w->tree, l->d->tree, w->closure->sum, x);
}
