/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_closure.c -- derivatives along a direction of what closure.c computes with the rows of
   constraints, and which are not those of one formula: products with multipliers or speeds that are
   held.  Rows themselves are differentiated by compiling constraint_rows.c and
   constraint_equations.c with numbers that carry derivatives (at_state.h), as this file is. */
#include "tree/loops/at_state.h"

#include <string.h>

lwi_closure_derivative lwi_closure_derivative_carve(const lw_model *m, lwi_carver *c)
{
  if (!lwi_is_constrained(m)) return (lwi_closure_derivative){.pair_p = NULL};
  const lwi_tree_constraints *x = &m->assembly; /* has all constraints and more */
  const int n = x->nrow;
  return (lwi_closure_derivative){
      .pair_p = LWI_CARVE(c, m->npair, lwi_pair_state),
      .J_p = LWI_CARVE(c, x->nJ, double),
      .scale_p = LWI_CARVE(c, n, double),
      .slope_p = LWI_CARVE(c, lwi_nterm(x), double),
      .pair_slope_p = LWI_CARVE(c, lwi_npair(x), double),
      .gamma_p = LWI_CARVE(c, n, double),
      .phi_p = LWI_CARVE(c, n, double),
      .row = LWI_CARVE(c, n, double),
      .lambda_p = LWI_CARVE(c, n, double),
      .target_p = LWI_CARVE(c, 3 * (m->nconstraint + 1), double),
  };
}

/* ---- targets of relations by the parameters ---- */

static void derivative_target(const lw_model *m, lw_derivatives *d, int id)
{
  const lwi_relation *r = &m->constraint[id].relation;
  double *out = d->closure.target_p + 3 * id;
  memset(out, 0, 3 * sizeof(double));
  if (!d->derivative) return;
  if (r->type == LW_COUPLER) out[0] = d->derivative->constraint[id].relation.offset;
  if (r->type == LW_DRIVER)
    lwi_expr_taylor2_derivative(&r->value, m->parameter, d->derivative->parameter, m->nparameter,
                                d->t, out);
}

void lwi_derivative_targets(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x)
{
  for (int i = 0; i < x->nconstraint; i++)
    if (x->constraint[i].kind == LWI_TREE_CONSTRAINT_RELATION)
      derivative_target(m, d, x->constraint[i].id);
}

/* ---- loads ---- */

/* loads lambda of rows (scaled, laid out as closure.h says) on their links */
static void push_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                      const double rows[], const double lambda[])
{
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      double load[6];
      lwi_row_load(t, p, rows, lambda, load);
      d->work->kernels->derivative_push(d->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2],
                                        load);
    }
  }
}

void lwi_derivative_push_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                              const double lambda[])
{
  push_rows(m, d, x, lambda == d->closure.lambda_p ? d->work->closure->J : d->closure.J_p, lambda);
}

void lwi_derivative_terms(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                          const double lambda[], double residual[])
{
  (void)m;
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int k = t->term; k < t->term + t->nterm; k++)
      residual[x->term[k].u] -=
          lambda[t->row] * derivative_of(scale_at(d, t->row) * slope_at(d, k));
  }
}

/* ---- speeds ---- */

void lwi_derivative_product(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                            const double z[], double row[])
{
  d->work->kernels->derivative_speeds(m, d->work->tree, d->tree, z);
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int r = 0; r < t->n; r++) {
      num sum = 0;
      for (int k = t->term; k < t->term + t->nterm; k++)
        sum += scale_at(d, t->row) * slope_at(d, k) * z[x->term[k].u];
      for (int p = 0; p < 2 * t->npair; p++) {
        double V[6], V_p[6];
        num J[6], speeds[6];
        d->work->kernels->get_speeds(d->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2], V,
                                     V_p);
        lwi_get(V, V_p, 6, speeds);
        constraint_row(d, t->J + (size_t)(6 * (p * t->n + r)), J);
        sum += dot6(J, speeds);
      }
      row[t->row + r] = derivative_of(sum);
    }
  }
}
