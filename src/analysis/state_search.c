/* SPDX-License-Identifier: Apache-2.0 */
/* state_search.c -- the equations of state_search.h, and moves from one position to the next. */
#include "analysis/state_search.h"
#include "analysis/lapack.h"
#include "linkwork/query.h"
#include "math/finite.h"
#include "tree/loops/derivative_data.h"

#include <stdlib.h>
#include <string.h>

int lwi_state_search_size(const lwi_state_search *s)
{
  return s->l.r.n + s->e.ns;
}

bool lwi_state_search_open(lwi_state_search *s, int ns)
{
  const size_t nq = (size_t)s->m->nq, nu = (size_t)s->m->nu, k = nu + (size_t)ns;
  s->q = calloc(3 * nq + 2 * k * k + 4 * k + 2 * nu + 1, sizeof *s->q);
  s->pivot = calloc(k + 1, sizeof *s->pivot);
  if (!s->q || !s->pivot) return false;
  s->next = s->q + nq;
  s->J = s->next + nq;
  s->A = s->J + k * k;
  s->step = s->A + k * k;
  s->trial = s->step + k;
  s->b = s->trial + k;
  s->weight = s->b + k;
  s->x = s->weight + k;
  return lwi_linearized_init(&s->l, s->m) && lwi_state_equations_init(&s->e, s->m, ns);
}

void lwi_state_search_close(lwi_state_search *s)
{
  lwi_linearized_free(&s->l);
  lwi_state_equations_free(&s->e);
  free(s->q);
  free(s->pivot);
}

/* ---- the equations ---- */

int lwi_state_search_hold(lwi_state_search *s)
{
  int driven = -1;
  const int n = s->l.r.n, k = lwi_state_search_size(s);
  for (int i = 0; i < s->e.ns; i++) {
    double *row = s->J + (size_t)(n + i) * (size_t)k;
    if (lwi_largest(row, k) > 0) continue;
    if (s->e.rate[i] != 0 && driven < 0) driven = i;
    row[n + i] = 1;
    for (int j = 0; j < n; j++) /* and what it does to loads is that of its value */
      s->J[(size_t)j * (size_t)k + (size_t)(n + i)] = 0;
  }
  return driven;
}

lw_status lwi_state_search_equations(lwi_state_search *s, const double q[])
{
  const lwi_linearized *l = &s->l;
  lw_status status = lwi_linearized_rest(&s->l, s->w, s->t, q);
  if (status == LW_OK) status = lwi_state_equations_find(&s->e, &s->l);
  if (status != LW_OK) return status;
  const int n = l->r.n, ns = s->e.ns, k = lwi_state_search_size(s);
  for (int i = 0; i < n; i++) {
    memcpy(s->J + i * k, l->K + i * n, (size_t)n * sizeof(double));
    memcpy(s->J + i * k + n, s->e.L + i * ns, (size_t)ns * sizeof(double));
    s->b[i] = -l->load[i];
  }
  for (int i = 0; i < ns; i++) {
    memcpy(s->J + (n + i) * k, s->e.Z + i * n, (size_t)n * sizeof(double));
    memcpy(s->J + (n + i) * k + n, s->e.S + i * ns, (size_t)ns * sizeof(double));
    s->b[n + i] = -s->e.rate[i];
  }
  return LW_OK;
}

lw_status lwi_state_search_solve(lwi_state_search *s, const double b[], double x[])
{
  const int k = lwi_state_search_size(s);
  if (k == 0) return LW_OK;
  memcpy(s->A, s->J, (size_t)k * (size_t)k * sizeof(double));
  memcpy(x, b, (size_t)k * sizeof(double));
  const lw_status status = lwi_lapack_solve(k, s->A, s->pivot, x);
  if (status == LW_OK && isfinite(lwi_largest_or_nan(x, k))) return LW_OK;
  memcpy(x, b, (size_t)k * sizeof(double));
  return lwi_lapack_solve_smallest(k, k, s->J, x, 1e-12);
}

double lwi_state_search_measure(const lwi_state_search *s, const double x[])
{
  const int n = s->l.r.n;
  double most = lwi_largest_or_nan(x, n);
  for (int i = 0; i < s->e.ns; i++)
    most = fmax(most, fabs(x[n + i]) / s->weight[i]);
  return most;
}

void lwi_state_search_weigh(lwi_state_search *s)
{
  const int n = s->l.r.n, first = lwi_first_state(s->m);
  for (int i = 0; i < s->e.ns; i++)
    s->weight[i] = fmax(fmax(fabs(s->q[first + s->e.index[i]]), fabs(s->step[n + i])),
                        fmax(s->weight[i], 1e-300));
}

/* ---- steps ---- */

bool lwi_state_search_move(lwi_state_search *s, double part)
{
  const lw_model *m = s->m;
  const lwi_reduced *r = &s->l.r;
  double *rate = s->x, *u = rate + m->nq;
  for (int i = 0; i < m->nu; i++) {
    u[i] = 0;
    for (int k = 0; k < r->n; k++)
      u[i] += part * r->N[i * r->n + k] * s->step[k];
  }
  lw_coordinate_rates(m, s->q, u, rate);
  for (int i = 0; i < m->nq; i++)
    s->next[i] = s->q[i] + (i < lwi_first_state(m) ? rate[i] : 0);
  for (int i = 0; i < s->e.ns; i++)
    s->next[lwi_first_state(m) + s->e.index[i]] += part * s->step[r->n + i];
  memset(u, 0, (size_t)m->nu * sizeof(double));
  return lw_normalize(m, s->next) == LW_OK && lw_project(s->w, s->t, s->next, u) == LW_OK;
}

bool lwi_state_search_remains(lwi_state_search *s)
{
  const lw_model *m = s->m;
  const lwi_reduced *r = &s->l.r;
  double *u = s->x + m->nq, *tau = u + m->nu, *rates = s->e.scratch + 4 * m->nu;
  memset(u, 0, (size_t)m->nu * sizeof(double));
  lw_derivatives *d = s->l.derivatives;
  lwi_work_follow(m, s->w, lw_derivatives_work(d));
  if (lw_inverse_derivative(d, s->t, s->next, u, u, &(lw_direction){0}, tau) != LW_OK ||
      lw_static_loads(s->w, s->t, s->next, tau) != LW_OK)
    return false;
  d->work->kernels->state_rates(m, d->work->tree, rates);
  for (int i = 0; i < r->n; i++) {
    s->b[i] = 0;
    for (int j = 0; j < m->nu; j++)
      s->b[i] -= r->N[j * r->n + i] * tau[j];
  }
  for (int i = 0; i < s->e.ns; i++)
    s->b[r->n + i] = -rates[s->e.index[i]];
  return true;
}
