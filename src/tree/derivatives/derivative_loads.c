/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_loads.c -- how the loads of joints and constraints change along a direction. */
#include "tree/loops/constraint_loads.h"

#include <string.h>

/* ---- redundant constraints ----

   The loads shown are those with N^T lambda = 0, N the states of self-stress: G^T N = 0.  Then
   lambda is G z for some z, and N_p^T lambda = N_p^T G z = -N^T G_p z, hence N^T lambda_p = N^T G_p
   z. */

static void choose_least(const lw_model *m, lw_derivatives *d)
{
  lwi_closure *c = d->work->closure;
  lwi_closure_derivative *k = &d->closure;
  const lwi_tree_constraints *x = &m->tree_constraints;
  if (c->rank.rank == x->nrow) return;
  memcpy(k->row, c->lambda, (size_t)x->nrow * sizeof(double));
  lwi_envelope_solve(&x->envelope, c->value, &c->rank, k->row);
  lwi_closure_gather(m, d->work, x, k->row);
  memset(d->other, 0, (size_t)m->nu * sizeof(double));
  d->work->kernels->derivative_compliance(m, d->work->tree, d->tree, c->sum, d->other);
  lwi_derivative_product(m, d, x, d->other, k->row);
  for (int i = 0; i < x->nrow; i++)
    k->lambda_p[i] -= k->row[i];
  lwi_closure_remove_self_stress(m, d->work, k->lambda_p);
  for (int i = 0; i < x->nrow; i++)
    k->lambda_p[i] += k->row[i];
}

lw_status lw_load_derivatives(lw_derivatives *d)
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work)) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_ALONG) return LW_E_STAGE;
  if (d->stage == LWI_DERIVE_ALONG) {
    if (d->work->closure) {
      choose_least(m, d);
      lwi_derivative_push_rows(m, d, &m->tree_constraints, d->closure.lambda_p);
    }
    d->work->kernels->derivative_required_tau(m, d->derivative, d->work->tree, d->tree, NULL);
  }
  d->stage = LWI_DERIVE_LOADS;
  return LW_OK;
}

/* ---- the public functions ---- */

lw_status lw_get_load_derivative(const lw_derivatives *d, lw_joint j, double load[6])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !load || j.id < 1 || j.id > m->njoint) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_LOADS) return LW_E_STAGE;
  num x[6];
  lwi_joint_load(m, d, j.id, x);
  lwi_keep(x, 6, load);
  return LW_OK;
}

lw_status lw_get_constraint_load_derivative(const lw_derivatives *d, lw_constraint c,
                                            double load[6])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !load || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if (m->constraint[c.id].pair < 0) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_LOADS) return LW_E_STAGE;
  num x[6];
  lwi_tree_constraint_load(m, d, m->constraint[c.id].constraint, x);
  lwi_keep(x, 6, load);
  return LW_OK;
}

lw_status lw_get_relation_load_derivative(const lw_derivatives *d, lw_constraint c, double *load)
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !load || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if (m->constraint[c.id].pair >= 0) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_LOADS) return LW_E_STAGE;
  *load = derivative_of(lwi_tree_constraint_multiplier(m, d, m->constraint[c.id].constraint));
  return LW_OK;
}
