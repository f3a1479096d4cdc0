/* SPDX-License-Identifier: Apache-2.0 */
/* state_equations.c -- the matrices of state_equations.h, column by column. */
#include "analysis/state_equations.h"
#include "base/fail.h"
#include "tree/loops/derivative_data.h"

#include <stdlib.h>
#include <string.h>

lw_status lwi_state_count(const lw_model *m, const char *what, int *ns, lw_error *err)
{
  *ns = 0;
  for (int i = 0; i < m->nstate; i++) {
    if (m->state[i].every > 0)
      return lwi_fail(err, LW_E_UNSUPPORTED,
                      "state \"%.64s\" is sampled: %s; write it with `rate`, or make it an input",
                      m->state[i].name, what);
    *ns += !m->state[i].input;
  }
  return LW_OK;
}

bool lwi_state_equations_init(lwi_state_equations *e, const lw_model *m, int ns)
{
  const size_t n = (size_t)m->nu, k = (size_t)ns;
  *e = (lwi_state_equations){.ns = ns};
  e->index = calloc(k + 1, sizeof *e->index);
  e->L = calloc(3 * n * k + k * k + k + 4 * n + 2 * (size_t)m->nstate + 1, sizeof *e->L);
  if (!e->index || !e->L) {
    lwi_state_equations_free(e);
    return false;
  }
  e->Z = e->L + n * k;
  e->W = e->Z + n * k;
  e->S = e->W + n * k;
  e->rate = e->S + k * k;
  e->scratch = e->rate + k;
  for (int i = 0, at = 0; i < m->nstate; i++)
    if (!m->state[i].input) e->index[at++] = i;
  return true;
}

void lwi_state_equations_free(lwi_state_equations *e)
{
  free(e->index);
  free(e->L);
  *e = (lwi_state_equations){0};
}

void lwi_state_rates_along(const lwi_state_equations *e, const lwi_linearized *l, double out[])
{
  const lw_model *m = l->r.m;
  const lw_derivatives *d = l->derivatives;
  double *all = e->scratch + 4 * m->nu;
  d->work->kernels->derivative_state_rates(m, d->work->tree, d->tree, all);
  for (int i = 0; i < e->ns; i++)
    out[i] = all[e->index[i]];
}

/* Column k of A[ns][width] from the last direction. */
static void put_column(const lwi_state_equations *e, const lwi_linearized *l, int k, int width,
                       double *A)
{
  double *all = e->scratch + 4 * l->r.m->nu + l->r.m->nstate;
  lwi_state_rates_along(e, l, all);
  for (int i = 0; i < e->ns; i++)
    A[i * width + k] = all[i];
}

/* Along one direction; tau_p[nu]. */
static lw_status derive(lwi_linearized *l, const lw_direction *x, double tau_p[])
{
  const lwi_reduced *r = &l->r;
  return lw_inverse_derivative(l->derivatives, r->t, r->q, l->u, l->udot, x, tau_p);
}

lw_status lwi_state_equations_find(lwi_state_equations *e, lwi_linearized *l)
{
  const lwi_reduced *r = &l->r;
  const lw_model *m = r->m;
  const int n = e->n = r->n;
  double *x = e->scratch, *y = x + r->nu, *tau_p = y + r->nu, *all = e->scratch + 4 * r->nu;
  lw_status status = LW_OK;
  lwi_work_follow(m, r->w, lw_derivatives_work(l->derivatives));
  for (int k = 0; k < e->ns && status == LW_OK; k++) {
    double *direction = all + m->nstate;
    memset(direction, 0, (size_t)m->nstate * sizeof(double));
    direction[e->index[k]] = 1;
    status = derive(l, &(lw_direction){.states = direction}, tau_p);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < r->nu; j++)
        sum += r->N[j * n + i] * tau_p[j];
      e->L[i * e->ns + k] = sum;
    }
    put_column(e, l, k, e->ns, e->S);
  }
  for (int k = 0; k < n && status == LW_OK; k++) {
    lwi_linearized_displacement(l, k, x, y);
    status = derive(l, &(lw_direction){.motion = x, .u = y}, tau_p);
    put_column(e, l, k, n, e->Z);
    if (status == LW_OK) status = derive(l, &(lw_direction){.u = x}, tau_p);
    put_column(e, l, k, n, e->W);
  }
  if (status != LW_OK) return status;
  const lw_derivatives *d = l->derivatives;
  d->work->kernels->state_rates(m, d->work->tree, all);
  for (int i = 0; i < e->ns; i++)
    e->rate[i] = all[e->index[i]];
  return LW_OK;
}
