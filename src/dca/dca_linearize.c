/* SPDX-License-Identifier: Apache-2.0 */
/* dca_linearize.c -- forward dynamics, and the parts of its solution that derivatives along
   directions need. */
#include "dca/dca_derivatives.h"
#include "dca/derivative_rows.h"

static void set_multipliers(const lw_dca *d, lw_work *w)
{
  const lw_model *m = d->m;
  lwi_closure *c = w->closure;
  lwi_closure_rows(m, w, &m->tree_constraints);
  if (m->tree_constraints.nrow)
    memset(c->lambda, 0, (size_t)m->tree_constraints.nrow * sizeof(double));
  for (int i = 0; i < d->nedge; i++) {
    const lwi_dca_edge *e = &d->edge[i];
    if (e->kind == LWI_DCA_CLOSING) spread_load(closing_of(m, c, e), e->kept, c->lambda);
    if (e->kind != LWI_DCA_RELATION) continue;
    const lwi_tree_constraint *t = relation_constraint(m, e);
    c->lambda[t->row] = unscale(c, t, e->kept[0]);
  }
}

static void add_known_push(const lw_dca *d, int link, const double *tau, double f[6])
{
  double push[6], r[3];
  joint_push(d, link, tau, push, r);
  for (int i = 0; i < 6; i++)
    f[i] += push[i];
}

/* the whole loads of tree joints on their links; load: scratch */
static void set_loads(const lw_dca *d, lw_work *w, double (*load)[LWI_ROW])
{
  memset(load, 0, (size_t)d->m->nlink * sizeof *load);
  for (int i = 0; i < d->nedge; i++)
    if (d->edge[i].link > 0) memcpy(load[d->edge[i].link], d->edge[i].kept, 6 * sizeof(double));
  for (int i = 1; i < d->m->nlink; i++) {
    if (d->driven) add_known_push(d, i, d->tau, load[i]);
    if (d->relation_tau) add_known_push(d, i, d->relation_tau, load[i]);
    w->kernels->set_load(w->tree, i, load[i]);
  }
}

lw_status lw_dca_linearize(lw_dca_derivatives *s, lw_work *w, double t, const double q[],
                           const double u[], const double tau[], double udot[])
{
  lw_dca *d = s ? s->d : NULL;
  const lw_model *m = lwi_dca_model(d);
  if (!m || !lwi_is_single(m, w) || (m->nq && !q) || (m->nu && !u)) return LW_E_ARG;
  if (w->kernels != lwi_kernels_single()) return LW_E_ARG; /* memory is laid out for these */
  s->ready = s->derived = false;
  const lw_status status = lwi_dca_forward(d, w, t, q, u, tau, 0);
  if (status != LW_OK) return status;
  const size_t nu = (size_t)m->nu * sizeof(double);
  lw_derivatives *state = s->of_thread[0].tree;
  if (m->nq) memcpy(state->q, q, (size_t)m->nq * sizeof(double));
  if (nu) memcpy(state->u, u, nu), memcpy(state->udot, d->udot, nu);
  if (nu && udot) memcpy(udot, d->udot, nu);
  w->kernels->accelerations(m, w->tree, d->udot);
  w->stage = LWI_STAGE_ACCELERATIONS;
  set_loads(d, w, s->of_thread[0].load);
  if (w->closure) set_multipliers(d, w);
  for (int i = 0; i < s->nthread; i++) {
    s->of_thread[i].tree->work = w;
    s->of_thread[i].tree->t = t;
  }
  s->solved = d->solved;
  s->ready = true;
  return LW_OK;
}
