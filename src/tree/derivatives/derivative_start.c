/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_start.c -- constraint equations as such, and how the assembled state follows a
   parameter.

   Positions are the nearest closed ones to those written: derivative_nearest.c.  Speeds are the
   nearest consistent ones to those written, u_w:
     M (u - u_w) = G^T mu,   G u = nu
   differentiated as forward dynamics is in derivative_along.c. */
#include "math/finite.h"
#include "math/arrays.h"
#include "tree/loops/derivative_data.h"

#include <string.h>

/* ---- positions ---- */

/* gears take part in closing only as speeds (docs/format.md 4.2) */
static void leave_out_gears(const lw_model *m, lwi_closure *c, const lwi_tree_constraints *x)
{
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    if (t->kind != LWI_TREE_CONSTRAINT_RELATION || m->constraint[t->id].relation.type != LW_GEAR)
      continue;
    memset(c->J + t->J, 0, (size_t)(12 * t->npair) * sizeof(double));
    c->scale[t->row] = 0;
  }
}

/* x += the smallest motion that does what the rows ask for */
static void move_by_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                         double row[], double motion[])
{
  lw_work *w = d->work;
  lwi_closure *c = w->closure;
  if (!c->plain) {
    lwi_derivative_move_by_rows(m, d, x, row, motion);
    return;
  }
  lwi_copy(c->lambda, row, x->nrow);
  lwi_envelope_solve(&x->envelope, c->value, &c->rank, c->lambda);
  lwi_closure_gather(m, w, x, c->lambda);
  lwi_closure_move(m, w, motion);
}

static lw_status follow_positions(const lw_model *m, lw_derivatives *d, const lw_model *derivative,
                                  double motion[])
{
  lw_work *w = d->work;
  const lwi_tree_constraints *x = &m->assembly;
  const lwi_rank_rule rule = lwi_closed_rule(m);
  lwi_closure_rows(m, w, x);
  leave_out_gears(m, w->closure, x);
  lwi_closure_plain_metric(m, w, x, m->held);
  lwi_closure_compliance(m, w, x, 0, &rule);
  return lwi_derivative_nearest(m, d, derivative, motion);
}

/* ---- speeds ---- */

/* G z of the rows as they are */
static void multiply_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                          const double z[], double row[])
{
  const lwi_closure *c = d->work->closure;
  d->work->kernels->derivative_speeds(m, d->work->tree, d->tree, z);
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int r = 0; r < t->n; r++) {
      double sum = 0, V[6], V_p[6];
      for (int p = 0; p < 2 * t->npair; p++) {
        const double *J = c->J + t->J + 6 * (p * t->n + r);
        d->work->kernels->get_speeds(d->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2], V,
                                     V_p);
        sum += dot3(J, V) + dot3(J + 3, V + 3);
      }
      for (int k = t->term; k < t->term + t->nterm; k++)
        sum += c->scale[t->row] * c->slope[k] * z[x->term[k].u];
      row[t->row + r] = sum;
    }
  }
}

/* u_p += P (G_p^T mu - (P^-1)_p (u - u_w)) in the metric of the coordinates, of which turns change
   with the typical arm */
static void add_coordinate_response(const lw_model *m, const lw_derivatives *d,
                                    const lw_model *derivative, const double u[], double u_p[])
{
  const double *mobility = d->work->closure->Dinv;
  const double grows = 2 * derivative->length / m->length;
  for (int k = 0; k < m->nu; k++) {
    const int i = m->column_u[k];
    double S[6];
    d->work->kernels->get_column(m, d->work->tree, k, S);
    u_p[i] += mobility[k] * d->udot_p[i];
    if (mobility[k] > 0 && dot3(S, S) > 0) u_p[i] -= grows * (u[i] - m->u0[i]);
  }
}

/* what the projection of speeds adds to u_p because its metric changes */
static void follow_metric(const lw_model *m, lw_derivatives *d, const lw_model *derivative,
                          const double motion[], const double u[], double u_p[])
{
  lwi_closure_derivative *k = &d->closure;
  const lwi_tree_constraints *x = &m->assembly;
  double most = 0;
  for (int i = 0; i < m->nu; i++) {
    d->other[i] = u[i] - m->u0[i];
    most = fmax(most, fabs(d->other[i]));
  }
  if (most == 0) return;
  lwi_derive_at(m, d, d->t, d->q, d->zero);
  lwi_derivative_kinematics(m, d, x, motion, d->zero, derivative);
  multiply_rows(m, d, x, d->other, k->lambda_p);
  lwi_envelope_solve(&x->envelope, d->work->closure->value, &d->work->closure->rank, k->lambda_p);
  lwi_copy(k->row, k->lambda_p, x->nrow); /* lambda_p stands for the rows as they are */
  const bool plain = d->work->closure->plain;
  if (plain) memset(d->other, 0, (size_t)m->nu * sizeof(double));
  lwi_derivative_momenta(m, d, x, d->other, k->row, NULL, d->udot_p);
  for (int i = 0; i < m->nu; i++)
    d->udot_p[i] = -d->udot_p[i];
  if (plain) {
    add_coordinate_response(m, d, derivative, u, u_p);
    return;
  }
  memset(d->tau_p, 0, (size_t)m->nu * sizeof(double));
  d->work->kernels->derivative_response(m, d->work->tree, d->tree, d->udot_p, d->tau_p);
  for (int i = 0; i < m->nu; i++)
    u_p[i] += d->tau_p[i];
}

static lw_status follow_speeds(const lw_model *m, lw_derivatives *d, const lw_model *derivative,
                               const double motion[], const double u[], double u_p[])
{
  lw_work *w = d->work;
  const lwi_tree_constraints *x = &m->assembly;
  const lwi_rank_rule rule = lwi_closed_rule(m);
  lwi_derive_at(m, d, d->t, d->q, u);
  lwi_closure_rows(m, w, x);
  lwi_closure_metric(m, w, x, m->held);
  /* Of a singular spanning tree there are no derivatives; where masses are uneven the rank is found
     in the metric of the coordinates, and its mass matrix may be singular. */
  if (w->closure->plain && !m->has_light_bodies) return LW_E_SINGULAR;
  lwi_closure_compliance(m, w, x, 0, &rule);
  lwi_closure_kinetic_metric(m, w, x, m->held);
  follow_metric(m, d, derivative, motion, u, u_p);
  lwi_derive_at(m, d, d->t, d->q, u);
  lwi_derivative_kinematics(m, d, x, motion, u_p, derivative);
  lwi_derivative_rate(m, d, x, d->closure.row);
  for (int i = 0; i < x->nrow; i++)
    d->closure.row[i] = -d->closure.row[i];
  move_by_rows(m, d, x, d->closure.row, u_p);
  return LW_OK;
}

lw_status lw_close_loops_derivative(lw_derivatives *d, double t, const double q[], const double u[],
                                    const lw_model_derivative *model_p, double motion[],
                                    double u_rate[])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !model_p || (m->nq && !q) ||
      (m->nu && (!u || !motion || !u_rate)))
    return LW_E_ARG;
  if (d->open != LW_OK) return d->open;
  if (m->tree_constraints.link_system) return LW_E_UNSUPPORTED;
  const lw_model *derivative = model_p->derivative;
  double *xi = d->start, *u_p = d->start + m->nu, *speeds = d->start + 2 * m->nu;
  lwi_copy(speeds, u, m->nu);
  lw_motion_of(m, m->q0, derivative->q0, xi);
  lwi_copy(u_p, derivative->u0, m->nu);
  lwi_derive_at(m, d, t, q, d->zero);
  lw_status status = d->work->closure ? follow_positions(m, d, derivative, xi) : LW_OK;
  if (status == LW_OK && d->work->closure)
    status = follow_speeds(m, d, derivative, xi, speeds, u_p);
  if (status != LW_OK) return status;
  if (!lwi_all_finite(xi, m->nu) || !lwi_all_finite(u_p, m->nu)) return LW_E_NUMBER;
  lwi_copy(motion, xi, m->nu);
  lwi_copy(u_rate, u_p, m->nu);
  return LW_OK;
}

/* ---- the equations ---- */

int lw_nequation(const lw_model *m)
{
  return m ? m->tree_constraints.nrow : 0;
}

/* With all freedoms locked the sweep hands loads inward unchanged, and E is G^T (closure.c). */
static void put_rows(const lw_model *m, lw_work *w, double G[])
{
  lwi_closure *c = w->closure;
  const lwi_tree_constraints *x = &m->tree_constraints;
  memset(c->all, 1, (size_t)m->nu * sizeof(bool));
  w->kernels->factor(m, w->tree, c->all);
  memset(G, 0, (size_t)x->nrow * (size_t)m->nu * sizeof(double));
  for (int t = 0; t < x->nconstraint; t++)
    w->kernels->innovations(m, w->tree, x, t, c->J + x->constraint[t].J,
                            c->scale[x->constraint[t].row], c->slope,
                            c->eps + x->constraint[t].eps);
  for (int k = 0; k < m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tree_constraint *t = &x->constraint[x->touch[a].constraint];
      for (int i = t->row; i < t->row + t->n; i++)
        G[(size_t)i * (size_t)m->nu + (size_t)m->column_u[k]] =
            c->eps[x->touch[a].eps + (size_t)(i - t->row)] / c->scale[i];
    }
}

lw_status lw_constraint_equations(lw_derivatives *d, double t, const double q[], double phi[],
                                  double G[])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || (m->nq && !q)) return LW_E_ARG;
  if (!d->work->closure) return LW_OK;
  if (G && m->tree_constraints.link_system) return LW_E_UNSUPPORTED; /* it would be all but full */
  lwi_derive_at(m, d, t, q, d->zero);
  const lwi_closure *c = d->work->closure;
  lwi_closure_rows(m, d->work, &m->tree_constraints);
  lwi_closure_residual(m, d->work, &m->tree_constraints, d->q, d->closure.row);
  for (int i = 0; i < m->tree_constraints.nrow; i++) {
    d->closure.row[i] /= c->scale[i];
    if (!isfinite(d->closure.row[i])) return LW_E_NUMBER;
  }
  if (phi) lwi_copy(phi, d->closure.row, m->tree_constraints.nrow);
  if (G) put_rows(m, d->work, G);
  return LW_OK;
}

lw_status lw_constraint_derivatives(lw_derivatives *d, double t, const double q[], const double u[],
                                    const lw_direction *x, double phi_rate[], double rate_rate[])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !x || (m->nq && !q) || (m->nu && !u)) return LW_E_ARG;
  if (!d->work->closure) return LW_OK;
  const lwi_closure *c = d->work->closure;
  lwi_closure_derivative *k = &d->closure;
  const lwi_direction full = lwi_direction_of(d, x);
  const lwi_tree_constraints *tree_constraints = &m->tree_constraints;
  lwi_derive_at(m, d, t, q, u);
  lwi_closure_rows(m, d->work, tree_constraints);
  lwi_derivative_kinematics(m, d, tree_constraints, full.motion, full.u, full.derivative);
  lwi_closure_rate(m, d->work, tree_constraints, d->u, k->lambda_p);
  lwi_derivative_rate(m, d, tree_constraints, k->row);
  for (int i = 0; i < tree_constraints->nconstraint; i++)
    for (int r = tree_constraints->constraint[i].row;
         r < tree_constraints->constraint[i].row + tree_constraints->constraint[i].n; r++) {
      const double grown = k->scale_p[r] * k->lambda_p[r] / c->scale[r];
      if (phi_rate) phi_rate[r] = k->phi_p[r];
      if (rate_rate) rate_rate[r] = (k->row[r] - grown) / c->scale[r];
    }
  return LW_OK;
}
