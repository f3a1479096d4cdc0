/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_impulse.c -- speeds from momenta along a direction: impulse.c differentiated.

     M u = J' p + G' lambda,   G u = nu

   With u and lambda held, and then as forward dynamics in derivative_along.c, with the factors of the
   impulse itself:

     M u1 - G' lambda1 = -(M u - J' p - G' lambda)',   G u1 = (nu - G u)'  */
#include "tree/derivatives.h"

#include <string.h>

static void copy(double *to, const double *from, int n)
{
  if (n > 0) memcpy(to, from, (size_t)n * sizeof(double));
}

/* ---- states and rows ---- */

void lwi_derive_at(const lw_model *m, lw_derivatives *d, double t, const double q[],
                   const double u[])
{
  d->stage = LWI_DERIVE_NOTHING;
  d->work->stage = LWI_STAGE_NOTHING;
  d->t = t;
  if (q != d->q) copy(d->q, q, m->nq);
  if (u != d->u) copy(d->u, u, m->nu);
  d->work->kernels->kinematics(m, d->work->tree, d->q, d->u);
  if (d->work->closure) lwi_closure_place(m, d->work, t);
}

void lwi_vary_kinematics(const lw_model *m, lw_derivatives *d, const lwi_ties *x,
                         const double motion[], const double u1[], const lw_model *change)
{
  d->change = change;
  d->work->kernels->vary_motion(m, change, d->work->tree, d->tree, d->q, d->u, motion, u1);
  lw_coordinate_rates(m, d->q, motion, d->q1);
  copy(d->u1, u1, m->nu);
  if (!d->work->closure) return;
  lwi_vary_pairs(m, d);
  lwi_vary_rows(m, d, x);
}

void lwi_vary_move_by_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x, double row[],
                           double out[])
{
  lw_work *w = d->work;
  lwi_envelope_solve(&x->envelope, w->closure->value, &w->closure->rank, row);
  lwi_closure_gather(m, w, x, row);
  w->kernels->vary_compliance(m, w->tree, d->tree, w->closure->sum, out);
}

void lwi_vary_later(const lw_model *m, lw_derivatives *d, const lwi_ties *x, double later)
{
  const lwi_closure *c = d->work->closure;
  for (int i = 0; c && i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    if (t->kind != LWI_TIE_RELATION || m->constraint[t->id].relation.type != LW_DRIVER) continue;
    double *target1 = d->closure.target_p + 3 * t->id;
    const double *target = c->target + 3 * t->id;
    target1[0] += later * target[1];
    target1[1] += later * target[2];
    d->closure.phi1[t->row] -= later * target[1];
  }
}

/* ---- momenta ---- */

static void push_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x,
                      const double lambda[], double sign)
{
  const lwi_closure *c = d->work->closure;
  for (int i = 0; c && i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
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

/* takes momenta p, those of the links outward included, from the loads of the joints; sum: scratch */
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
void lwi_vary_momenta(const lw_model *m, lw_derivatives *d, const lwi_ties *t, const double x[],
                      const double mu[], double (*p)[6], double (*p1)[6], double (*sum)[6],
                      double out[])
{
  const lwi_kernels *k = d->work->kernels;
  lwi_tree_work *tree = d->work->tree;
  const bool tied = d->work->closure;
  for (int pass = 0; pass < 2; pass++) {
    const double *udot = pass == 0 ? x : d->zero;
    push_rows(m, d, t, mu, pass == 0 ? 1 : -1);
    k->accelerations(m, tree, udot);
    k->demand(m, tree, d->tau);
    if (p && pass == 0) subtract_momenta(m, d, p, sum);
    k->vary_nothing(m, d->tree);
    k->vary_accelerations(m, d->change, tree, d->tree, udot, NULL);
    if (pass == 0 && tied) lwi_vary_push_rows(m, d, t, mu);
    for (int i = 1; pass == 0 && p1 && i < m->nlink; i++)
      k->vary_push(d->tree, i, p1[i]);
    k->vary_demand(m, d->change, tree, d->tree, pass == 0 ? out : d->tau1);
  }
  if (tied) lwi_vary_terms(m, d, t, mu, out);
  for (int i = 0; i < m->nu; i++)
    out[i] -= d->tau1[i];
}

/* ---- speeds ---- */

void lwi_vary_impulse_place(const lw_model *m, lw_derivatives *d, double t, const double q[],
                            const lwi_direction *x, double later)
{
  lwi_derive_at(m, d, t, q, d->zero);
  lwi_vary_kinematics(m, d, &m->ties, x->motion, d->zero, x->change);
  lwi_vary_later(m, d, &m->ties, later);
}

void lwi_vary_impulse(const lw_model *m, lw_derivatives *d, double t, const double q[],
                      const double u[], const lwi_direction *x, double later, double (*p)[6],
                      double (*p1)[6], double (*sum)[6], double u1[])
{
  lw_work *w = d->work;
  lwi_vary_momenta(m, d, &m->ties, u, w->closure ? w->closure->lambda : NULL, p, p1, sum, d->udot1);
  for (int i = 0; i < m->nu; i++) {
    d->udot1[i] = -d->udot1[i];
    u1[i] = 0;
  }
  w->kernels->vary_answer(m, w->tree, d->tree, d->udot1, u1);
  if (!w->closure) return;
  double *row = d->closure.row;
  lwi_derive_at(m, d, t, q, u);
  lwi_vary_kinematics(m, d, &m->ties, x->motion, u1, x->change);
  lwi_vary_later(m, d, &m->ties, later);
  lwi_vary_rate(m, d, &m->ties, row);
  for (int i = 0; i < m->ties.nrow; i++)
    row[i] = -row[i];
  lwi_vary_move_by_rows(m, d, &m->ties, row, u1);
}
