/* SPDX-License-Identifier: Apache-2.0 */
/* state_equilibrium_derivative.c -- the derivative of an equilibrium by a parameter.

   The equilibrium follows a parameter so that accelerations and rates stay zero:

     [K L; Z S] (z_p, s_p) = (M a_p, -rate_p),   x_p = N z_p + Y_p

   with a_p and rate_p the derivatives by the parameter along Y_p, which keeps the constraints. */
#include "analysis/lapack.h"
#include "analysis/state_search.h"
#include "base/fail.h"
#include "tree/loops/derivative_data.h"

#include <stdlib.h>
#include <string.h>

/* x = Y_p: the dependent speeds that keep the constraints. */
static lw_status keep_constraints(lwi_state_search *s, const double q[],
                                  const lw_model_derivative *by, double x[])
{
  const lwi_reduced *r = &s->l.r;
  memset(x, 0, (size_t)s->m->nu * sizeof(double));
  if (r->nrow == 0) return LW_OK;
  double *phi_p = calloc(2 * (size_t)r->nrow + (size_t)s->m->nu, sizeof *phi_p);
  if (!phi_p) return LW_E_MEMORY;
  const lw_status status =
      lw_constraint_derivatives(s->l.derivatives, s->t, q, phi_p + 2 * r->nrow,
                                &(lw_direction){.model = by}, phi_p, phi_p + r->nrow);
  const double *scale = s->w->closure->scale; /* of the rows of G */
  for (int i = 0; i < r->rank; i++)
    for (int k = 0; k < r->nrow; k++)
      x[r->dependent[i]] -= r->T[i * r->nrow + k] * scale[k] * phi_p[k];
  free(phi_p);
  return status;
}

static lw_status derive(lwi_state_search *s, const double q[], const lw_model_derivative *by,
                        double motion[], double states[])
{
  const lwi_reduced *r = &s->l.r;
  double *u = s->x, *a = u + s->m->nu; /* zero speeds; accelerations along the parameter */
  lw_status status = lwi_state_search_equations(s, q);
  lwi_state_search_hold(s);
  const int n = r->n, ns = s->e.ns;
  if (status == LW_OK) status = keep_constraints(s, q, by, motion);
  memset(u, 0, (size_t)s->m->nu * sizeof(double));
  lw_derivatives *d = s->l.derivatives;
  if (status == LW_OK) status = lw_linearize_forward(d, s->t, q, u, NULL, NULL);
  if (status == LW_OK)
    status = lw_forward_derivative(d, &(lw_direction){.motion = motion, .model = by}, a);
  if (status != LW_OK) return status;
  lwi_state_rates_along(&s->e, &s->l, s->b + n);
  for (int i = 0; i < ns; i++)
    s->b[n + i] = -s->b[n + i];
  for (int i = 0; i < n; i++) {
    s->b[i] = 0;
    for (int j = 0; j < n; j++)
      s->b[i] += s->l.M[i * n + j] * a[r->independent[j]];
  }
  memcpy(s->A, s->J, (size_t)(n + ns) * (size_t)(n + ns) * sizeof(double));
  memcpy(s->step, s->b, (size_t)(n + ns) * sizeof(double));
  status = n + ns > 0 ? lwi_lapack_solve(n + ns, s->A, s->pivot, s->step) : LW_OK;
  if (status != LW_OK) return status;
  for (int i = 0; i < s->m->nu; i++)
    for (int k = 0; k < n; k++)
      motion[i] += r->N[i * n + k] * s->step[k];
  for (int i = 0; i < ns; i++)
    states[s->e.index[i]] = s->step[n + i];
  return LW_OK;
}

lw_status lwi_equilibrium_derivative(lw_work *w, double t, const double q[],
                                     const lw_model_derivative *by, double motion[],
                                     double states[], lw_error *err)
{
  lwi_state_search s = {.m = lwi_work_model(w), .w = w, .t = t};
  int ns;
  lw_status status = lwi_lapack_ready(err);
  if (status == LW_OK) status = lwi_state_count(s.m, "its equilibrium has no derivative", &ns, err);
  if (status != LW_OK) return status;
  for (int i = 0; i < s.m->nstate; i++) /* held ones, as written */
    states[i] = by->derivative->q0[lwi_first_state(s.m) + i];
  status = lwi_state_search_open(&s, ns) ? derive(&s, q, by, motion, states) : LW_E_MEMORY;
  lwi_state_search_close(&s);
  if (status == LW_OK) return LW_OK;
  return lwi_fail(
      err, status,
      status == LW_E_SINGULAR
          ? "the equilibrium has no derivative: in some direction it is neutral, and the "
            "position is not determined"
          : "the equilibrium has no derivative: %s",
      lw_status_text(status));
}
