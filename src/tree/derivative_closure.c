/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_closure.c -- derivatives along a direction of what closure.c computes with the rows of ties, and which are
   not those of one formula: products with multipliers or speeds that are held.  Rows themselves are differentiated by
   compiling tie_rows.c and tie_equations.c with numbers that carry derivatives (at_state.h), as this file is. */
#include "tree/at_state.h"

#include <string.h>

lwi_closure_change lwi_closure_change_carve(const lw_model *m, lwi_carver *c)
{
  if (!lwi_is_tied(m)) return (lwi_closure_change){.pair_p = NULL};
  const lwi_ties *x = &m->assembly; /* has all ties and more */
  const int n = x->nrow;
  return (lwi_closure_change){
      .pair_p = LWI_CARVE(c, m->npair, lwi_pair_state),
      .J_p = LWI_CARVE(c, x->nJ, double),
      .scale_p = LWI_CARVE(c, n, double),
      .gamma_p = LWI_CARVE(c, n, double),
      .phi1 = LWI_CARVE(c, n, double),
      .row = LWI_CARVE(c, n, double),
      .lambda1 = LWI_CARVE(c, n, double),
      .target_p = LWI_CARVE(c, 3 * (m->nconstraint + 1), double),
  };
}

/* ---- targets of relations by the parameters ---- */

static void vary_target(const lw_model *m, lw_derivatives *d, int id)
{
  const lwi_relation *r = &m->constraint[id].relation;
  double *out = d->closure.target_p + 3 * id;
  memset(out, 0, 3 * sizeof(double));
  if (!d->change) return;
  if (r->type == LW_COUPLER) out[0] = d->change->constraint[id].relation.offset;
  if (r->type == LW_DRIVER)
    lwi_expr_taylor2_change(&r->value, m->parameter, d->change->parameter, m->nparameter, d->t,
                            out);
}

void lwi_vary_targets(const lw_model *m, lw_derivatives *d, const lwi_ties *x)
{
  for (int i = 0; i < x->ntie; i++)
    if (x->tie[i].kind == LWI_TIE_RELATION) vary_target(m, d, x->tie[i].id);
}

/* ---- loads ---- */

/* loads lambda of rows (scaled, laid out as closure.h says) on their links */
static void push_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const double rows[],
                      const double lambda[])
{
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      double load[6] = {0};
      for (int r = 0; r < t->n; r++)
        for (int k = 0; k < 6; k++)
          load[k] += lambda[t->row + r] * rows[t->J + (size_t)(6 * (p * t->n + r) + k)];
      d->work->kernels->vary_push(d->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2],
                                  load);
    }
  }
}

void lwi_vary_push_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x,
                        const double lambda[])
{
  push_rows(m, d, x, lambda == d->closure.lambda1 ? d->work->closure->J : d->closure.J_p, lambda);
}

void lwi_vary_terms(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const double lambda[],
                    double residual[])
{
  const lwi_ties *x_p = ties_p(m, d, x);
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int k = t->term; k < t->term + t->nterm; k++)
      residual[x->term[k].u] -=
          lambda[t->row] * derivative_of(scale_at(d, t->row) * term_coefficient(x, x_p, k));
  }
}

/* ---- speeds ---- */

void lwi_vary_product(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const double z[],
                      double row[])
{
  const lwi_ties *x_p = ties_p(m, d, x);
  d->work->kernels->vary_speeds(m, d->work->tree, d->tree, z);
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int r = 0; r < t->n; r++) {
      num sum = 0;
      for (int k = t->term; k < t->term + t->nterm; k++)
        sum += scale_at(d, t->row) * term_coefficient(x, x_p, k) * z[x->term[k].u];
      for (int p = 0; p < 2 * t->npair; p++) {
        double V[6], V_p[6];
        num J[6], speeds[6];
        d->work->kernels->get_speeds(d->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2], V,
                                     V_p);
        lwi_get(V, V_p, 6, speeds);
        tie_row(d, t->J + (size_t)(6 * (p * t->n + r)), J);
        sum += dot6(J, speeds);
      }
      row[t->row + r] = derivative_of(sum);
    }
  }
}
