/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_along.c -- derivatives of forward dynamics along one direction, of trees and of closed
   mechanisms, in O(n).

   M udot + bias = tau + G^T lambda and G udot = gamma, differentiated with udot and lambda held:
     M udot_p - G^T lambda_p = tau_p - r1,   r1 = (M udot + bias - G^T lambda)_p
     G udot_p              = g1,          g1 = (gamma - G udot)_p
   which is forward dynamics again, with the factors that are there already. */
#include "math/finite.h"
#include "math/arrays.h"
#include "tree/loops/derivative_data.h"

#include <string.h>

/* ---- one direction ---- */

lwi_direction lwi_direction_of(const lw_derivatives *d, const lw_direction *x)
{
  return (lwi_direction){.motion = x->motion ? x->motion : d->zero,
                         .u = x->u ? x->u : d->zero,
                         .tau = x->tau ? x->tau : d->zero,
                         .udot = x->udot,
                         .states = x->states,
                         .derivative = x->model ? x->model->derivative : NULL};
}

/* after derivative_motion: coordinates and speeds of all joints, and all forces */
static void derivative_forces(const lw_model *m, lw_derivatives *d, const lwi_direction *x)
{
  lw_coordinate_rates(m, d->q, x->motion, d->q_p);
  for (int i = 0; i < m->nstate; i++)
    d->q_p[lwi_first_state(m) + i] = x->states ? x->states[i] : 0;
  lwi_copy(d->u_p, x->u, m->nu);
  if (d->work->closure) lwi_derivative_pairs(m, d);
  const lwi_sweep s = lwi_sweep_along(d, x);
  d->work->kernels->derivative_forces(m, &s, d->work->tree, d->tree, d->q_p, d->u_p, d->cut_tau_p);
  if (d->work->closure) lwi_derivative_push_motors(m, d);
}

void lwi_derivative_state(const lw_model *m, lw_derivatives *d, const lwi_direction *x)
{
  const lwi_kernels *k = d->work->kernels;
  lwi_tree_work *tree = d->work->tree;
  d->derivative = x->derivative;
  const lwi_sweep s = lwi_sweep_along(d, x);
  k->derivative_motion(m, &s, tree, d->tree);
  k->derivative_accelerations(m, x->derivative, tree, d->tree, d->udot, x->udot);
  derivative_forces(m, d, x);
}

/* lambda_p and what it does to udot_p, after derivative_inward */
static void load_response(const lw_model *m, lw_derivatives *d)
{
  lw_work *w = d->work;
  const lwi_tree_constraints *x = &m->tree_constraints;
  memset(d->udot_p, 0, (size_t)m->nu * sizeof(double));
  w->kernels->derivative_follow(m, w->tree, d->tree, d->udot_p);
  if (!w->closure) return;
  lwi_closure_derivative *k = &d->closure;
  lwi_derivative_deficit(m, d, x, k->row);
  lwi_copy(k->lambda_p, k->row, x->nrow);
  lwi_envelope_solve(&x->envelope, w->closure->value, &w->closure->rank, k->lambda_p);
  lwi_closure_gather(m, w, x, k->lambda_p);
  w->kernels->derivative_solve_response(m, w->tree, d->tree, w->closure->sum, d->udot_p);
}

void lwi_derivative_forward(const lw_model *m, lw_derivatives *d, const lwi_direction *x)
{
  lw_work *w = d->work;
  const lwi_kernels *k = w->kernels;
  d->derivative = x->derivative;
  const lwi_sweep s = lwi_sweep_along(d, x);
  k->derivative_outward(m, &s, w->tree, d->tree, d->udot);
  derivative_forces(m, d, x);
  memset(d->tau_p, 0, (size_t)m->nu * sizeof(double));
  lwi_copy(d->given1, x->tau, m->nu);
  if (w->closure) {
    lwi_derivative_rows(m, d, &m->tree_constraints);
    lwi_derivative_push_rows(m, d, &m->tree_constraints, w->closure->lambda);
    lwi_derivative_terms(m, d, &m->tree_constraints, w->closure->lambda, d->tau_p);
  }
  for (int i = 0; i < m->nu; i++)
    d->tau_p[i] = x->tau[i] - d->tau_p[i];
  k->derivative_inward(m, w->tree, d->tree, d->tau_p);
  load_response(m, d);
  d->stage = LWI_DERIVE_ALONG;
}

/* ---- the public functions ---- */

lw_status lw_linearize_forward(lw_derivatives *d, double t, const double q[], const double u[],
                               const double tau[], double udot[])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work)) return LW_E_ARG;
  d->stage = LWI_DERIVE_NOTHING;
  if (d->open != LW_OK) return d->open;
  lw_status status = lw_forward_dynamics(d->work, t, q, u, tau, d->udot);
  if (status == LW_OK) status = lw_joint_loads(d->work);
  if (status != LW_OK) return status;
  d->t = t;
  lwi_copy(d->q, q, m->nq);
  lwi_copy(d->u, u, m->nu);
  if (udot) lwi_copy(udot, d->udot, m->nu);
  d->stage = LWI_DERIVE_STATE;
  return LW_OK;
}

lw_status lw_forward_derivative(lw_derivatives *d, const lw_direction *x, double udot_rate[])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !x) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_STATE) return LW_E_STAGE;
  lwi_direction full = lwi_direction_of(d, x);
  full.udot = NULL;
  lwi_derivative_forward(m, d, &full);
  if (!lwi_all_finite(d->udot_p, m->nu)) return LW_E_NUMBER;
  if (udot_rate) lwi_copy(udot_rate, d->udot_p, m->nu);
  return LW_OK;
}

/* ---- inverse dynamics ---- */

lw_status lwi_derive_required_tau(const lw_model *m, lw_derivatives *d, double t, const double q[],
                                  const double u[], const double udot[])
{
  d->stage = LWI_DERIVE_NOTHING;
  if ((m->nq && !q) || (m->nu && !u)) return LW_E_ARG;
  lwi_copy(d->q, q, m->nq);
  lwi_copy(d->u, u, m->nu);
  lwi_copy(d->udot, udot ? udot : d->zero, m->nu);
  d->t = t;
  d->work->stage = LWI_STAGE_NOTHING;
  if (d->work->closure)
    lwi_closure_required_tau(m, d->work, t, d->q, d->u, d->udot, d->tau);
  else
    d->work->kernels->inverse(m, d->work->tree, t, d->q, d->u, d->udot, d->tau);
  if (!lwi_all_finite(d->tau, m->nu)) return LW_E_NUMBER;
  return LW_OK;
}

void lwi_derivative_required_tau(const lw_model *m, lw_derivatives *d, const lwi_direction *x,
                                 double tau_p[])
{
  lwi_derivative_state(m, d, x);
  d->work->kernels->derivative_required_tau(m, x->derivative, d->work->tree, d->tree, tau_p);
}

lw_status lw_inverse_derivative(lw_derivatives *d, double t, const double q[], const double u[],
                                const double udot[], const lw_direction *x, double tau_rate[])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !x || (m->nu && !tau_rate)) return LW_E_ARG;
  const lw_status status = lwi_derive_required_tau(m, d, t, q, u, udot);
  if (status != LW_OK) return status;
  const lwi_direction full = lwi_direction_of(d, x);
  lwi_derivative_required_tau(m, d, &full, d->tau_p);
  if (!lwi_all_finite(d->tau_p, m->nu)) return LW_E_NUMBER;
  lwi_copy(tau_rate, d->tau_p, m->nu);
  return LW_OK;
}

/* ---- what comes with a direction ---- */

lw_status lw_get_cut_joint_derivatives(const lw_derivatives *d, double q[], double u[])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work)) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_ALONG) return LW_E_STAGE;
  if (q) lwi_copy(q + m->nq, d->q_p + m->nq, m->ncut_q);
  if (u) lwi_copy(u + m->nu, d->u_p + m->nu, m->ncut_u);
  return LW_OK;
}
