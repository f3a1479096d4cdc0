/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_impulse.c -- speeds from momenta along a direction: tree_impulse.c differentiated.

     M u = J^T p + G^T lambda,   G u = nu

   With u and lambda held, and then as forward dynamics in derivative_along.c, with the factors of
   the impulse itself:

     M u_p - G^T lambda_p = -(M u - J^T p - G^T lambda)_p,   G u_p = (nu - G u)_p */
#include "tree/loops/derivative_data.h"
#include "math/arrays.h"

#include <string.h>

/* ---- states and rows ---- */

void lwi_derive_at(const lw_model *m, lw_derivatives *d, double t, const double q[],
                   const double u[])
{
  d->stage = LWI_DERIVE_NOTHING;
  d->work->stage = LWI_STAGE_NOTHING;
  d->t = t;
  if (q != d->q) lwi_copy(d->q, q, m->nq);
  if (u != d->u) lwi_copy(d->u, u, m->nu);
  d->work->kernels->kinematics(m, d->work->tree, d->q, d->u);
  if (d->work->closure) lwi_closure_place(m, d->work, t);
}

void lwi_derivative_kinematics(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                               const double motion[], const double u_p[],
                               const lw_model *derivative)
{
  d->derivative = derivative;
  const lwi_sweep s = {derivative, d->q, d->u, motion, u_p};
  d->work->kernels->derivative_motion(m, &s, d->work->tree, d->tree);
  lw_coordinate_rates(m, d->q, motion, d->q_p);
  lwi_copy(d->u_p, u_p, m->nu);
  if (!d->work->closure) return;
  lwi_derivative_pairs(m, d);
  lwi_derivative_rows(m, d, x);
}

void lwi_derivative_move_by_rows(const lw_model *m, lw_derivatives *d,
                                 const lwi_tree_constraints *x, double row[], double out[])
{
  lw_work *w = d->work;
  lwi_envelope_solve(&x->envelope, w->closure->value, &w->closure->rank, row);
  lwi_closure_gather(m, w, x, row);
  w->kernels->derivative_compliance(m, w->tree, d->tree, w->closure->sum, out);
}

void lwi_derivative_later(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                          double later)
{
  const lwi_closure *c = d->work->closure;
  for (int i = 0; c && i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    if (t->kind != LWI_TREE_CONSTRAINT_RELATION || m->constraint[t->id].relation.type != LW_DRIVER)
      continue;
    double *target_p = d->closure.target_p + 3 * t->id;
    const double *target = c->target + 3 * t->id;
    target_p[0] += later * target[1];
    target_p[1] += later * target[2];
    d->closure.phi_p[t->row] -= later * target[1];
  }
}

/* ---- momenta ---- */

static void push_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                      const double lambda[], double sign)
{
  const lwi_closure *c = d->work->closure;
  for (int i = 0; c && i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      double load[6] = {0};
      for (int r = 0; r < t->n; r++)
        for (int k = 0; k < 6; k++)
          load[k] += sign * lambda[t->row + r] * c->J[t->J + (size_t)(6 * (p * t->n + r) + k)];
      d->work->kernels->push(d->work->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2],
                             load);
    }
  }
}

/* takes momenta p, those of the links outward included, from the loads of the joints; sum:
   scratch */
static void subtract_momenta(const lw_model *m, lw_derivatives *d, double (*p)[6], double (*sum)[6])
{
  const lwi_kernels *k = d->work->kernels;
  memcpy(sum, p, (size_t)m->nlink * sizeof *sum);
  for (int i = m->nlink - 1; i > 0; i--) {
    const int in = m->link[i].parent;
    double C[9], at[3], from[3], arm[3], moment[3], f[6], z1[3], z2[3];
    k->get_frame(m, d->work->tree, i, C, from);
    k->get_frame(m, d->work->tree, in, C, at);
    for (int j = 0; j < 3; j++)
      arm[j] = from[j] - at[j];
    cross3(arm, sum[i] + 3, moment);
    for (int j = 0; j < 3; j++) {
      sum[in][j] += sum[i][j] + moment[j];
      sum[in][3 + j] += sum[i][3 + j];
    }
    k->get_load(m, d->work->tree, i, f, z1, z2);
    for (int j = 0; j < 6; j++)
      f[j] -= sum[i][j];
    k->set_load(d->work->tree, i, f);
  }
}

/* gravity and forces that are there are in both passes, and cancel */
void lwi_derivative_momenta(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *t,
                            const double x[], const double mu[], const lwi_link_momenta_p *momenta,
                            double out[])
{
  const lwi_kernels *k = d->work->kernels;
  lwi_tree_work *tree = d->work->tree;
  const bool constrained = d->work->closure;
  for (int pass = 0; pass < 2; pass++) {
    const double *udot = pass == 0 ? x : d->zero;
    push_rows(m, d, t, mu, pass == 0 ? 1 : -1);
    k->accelerations(m, tree, udot);
    k->required_tau(m, tree, d->tau);
    if (momenta && pass == 0) subtract_momenta(m, d, momenta->p, momenta->sum);
    k->derivative_nothing(m, d->tree);
    k->derivative_accelerations(m, d->derivative, tree, d->tree, udot, NULL);
    if (pass == 0 && constrained) lwi_derivative_push_rows(m, d, t, mu);
    for (int i = 1; pass == 0 && momenta && i < m->nlink; i++)
      k->derivative_push(d->tree, i, momenta->p_p[i]);
    k->derivative_required_tau(m, d->derivative, tree, d->tree, pass == 0 ? out : d->tau_p);
  }
  if (constrained) lwi_derivative_terms(m, d, t, mu, out);
  for (int i = 0; i < m->nu; i++)
    out[i] -= d->tau_p[i];
}

/* ---- speeds ---- */

void lwi_derivative_impulse_place(const lw_model *m, lw_derivatives *d, double t, const double q[],
                                  const lwi_direction *x, double later)
{
  lwi_derive_at(m, d, t, q, d->zero);
  lwi_derivative_kinematics(m, d, &m->tree_constraints, x->motion, d->zero, x->derivative);
  lwi_derivative_later(m, d, &m->tree_constraints, later);
}

void lwi_derivative_impulse(lw_derivatives *d, double t, const double q[], const double u[],
                            const lwi_direction *x, double later, const lwi_link_momenta_p *momenta,
                            double u_p[])
{
  const lw_model *m = lwi_derivatives_model(d);
  lw_work *w = d->work;
  lwi_derivative_momenta(m, d, &m->tree_constraints, u, w->closure ? w->closure->lambda : NULL,
                         momenta, d->udot_p);
  for (int i = 0; i < m->nu; i++) {
    d->udot_p[i] = -d->udot_p[i];
    u_p[i] = 0;
  }
  w->kernels->derivative_response(m, w->tree, d->tree, d->udot_p, u_p);
  if (!w->closure) return;
  double *row = d->closure.row;
  lwi_derive_at(m, d, t, q, u);
  lwi_derivative_kinematics(m, d, &m->tree_constraints, x->motion, u_p, x->derivative);
  lwi_derivative_later(m, d, &m->tree_constraints, later);
  lwi_derivative_rate(m, d, &m->tree_constraints, row);
  for (int i = 0; i < m->tree_constraints.nrow; i++)
    row[i] = -row[i];
  lwi_derivative_move_by_rows(m, d, &m->tree_constraints, row, u_p);
}
