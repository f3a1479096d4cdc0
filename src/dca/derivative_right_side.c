/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_right_side.c -- the differentiated equations of leaves and edges: their known parts,
   before the sweep.  The equations are in dca_derivatives.c.

   The known load of a joint acts on two links, but each link is computed separately, so that
   threads can share them: the load on the parent is stored with the joint's own link, and the
   parent's leaf collects it. */
#include "dca/leaf.h"
#include "dca/dca_derivatives.h"
#include "dca/derivative_rows.h"

/* ---- the whole model ---- */

bool lwi_dca_derives_along(const lw_dca *d)
{
  const lw_model *m = d->m;
  return !d->looped && !d->pushed && !lwi_has_freedom_elements(m);
}

/* after the motion of the same links */
static void hold_links(const lw_model *m, lw_derivatives *t, const lwi_direction *x, int first,
                       int last)
{
  for (int i = first > 1 ? first : 1; i <= last; i++)
    lwi_joint_coordinate_rates(m, m->link[i].joint, t->q, x->motion, t->q_p);
  t->work->kernels->derivative_hold(x->derivative, t->tree, first, last);
}

static void derivative_rows(const lw_model *m, lw_derivatives *t, double *residual)
{
  const double *lambda = t->work->closure->lambda;
  lwi_derivative_push_motors(m, t);
  lwi_derivative_rows(m, t, &m->tree_constraints);
  lwi_derivative_push_rows(m, t, &m->tree_constraints, lambda);
  lwi_derivative_deficit(m, t, &m->tree_constraints, t->closure.row);
  lwi_derivative_terms(m, t, &m->tree_constraints, lambda, residual);
}

void lwi_dca_derivative_whole(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x)
{
  const lw_model *m = d->m;
  lw_derivatives *t = v->tree;
  const size_t nu = (size_t)m->nu * sizeof(double);
  const int last = m->nlink - 1;
  t->derivative = x->derivative;
  if (nu) memcpy(t->u_p, x->u, nu), memcpy(t->given1, x->tau, nu), memset(v->residual, 0, nu);
  if (!lwi_dca_derives_along(d)) {
    lwi_dca_derivative_motion(d, v, x, 0, last);
    hold_links(m, t, x, 0, last);
  }
  for (int i = 0; i < m->nstate; i++)
    t->q_p[lwi_first_state(m) + i] = x->states ? x->states[i] : 0;
  if (d->looped) lwi_derivative_pairs(m, t);
  const lwi_sweep s = lwi_sweep_along(t, x);
  t->work->kernels->derivative_forces(m, &s, t->work->tree, t->tree, t->q_p, t->u_p, t->cut_tau_p);
  if (d->looped) derivative_rows(m, t, v->residual);
  for (int i = 0; i < m->nu; i++)
    v->x[i] = x->tau[i] - v->residual[i];
}

/* ---- of links ---- */

void lwi_dca_derivative_motion(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x,
                               int first, int last)
{
  lw_derivatives *t = v->tree;
  const lwi_sweep s = lwi_sweep_along(t, x);
  t->work->kernels->derivative_links(d->m, &s, t->work->tree, t->tree, first, last);
}

/* Adds the known part of a joint's load to its link, and to the loads collected by the parent. */
static void push_link(const lw_dca *d, lwi_dca_derivatives *v, int link)
{
  double f[6], r[3], arm[3], *on = v->load[link], *handed = v->handed[link];
  if (d->m->link[link].nu == 0) return;
  joint_push(d, link, v->x, f, r);
  cross3(r, f + 3, arm);
  for (int k = 0; k < 6; k++)
    on[k] += f[k], handed[k] += f[k];
  for (int k = 0; k < 3; k++)
    handed[k] += arm[k];
}

void lwi_dca_derivative_links(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x,
                              int first, int last)
{
  const lw_model *m = d->m;
  lw_derivatives *t = v->tree;
  const int carried = first > 1 ? first : 1;
  if (lwi_dca_derives_along(d)) hold_links(m, t, x, first, last);
  const lwi_link_residuals out = {v->load, v->handed, v->pi, v->x};
  t->work->kernels->derivative_local(m, x->derivative, t->work->tree, t->tree, t->udot, carried,
                                     last, &out);
  for (int i = carried; i <= last; i++)
    push_link(d, v, i);
}

/* ---- of leaves and edges ---- */

/* z from all known loads */
static void set_leaf(const lw_dca *d, lwi_dca_derivatives *v, int link)
{
  double load[6];
  memcpy(load, v->load[link], sizeof load);
  for (int c = d->child_start[link]; c < d->child_start[link + 1]; c++)
    for (int k = 0; k < 6; k++)
      load[k] -= v->handed[d->child[c]][k];
  push_body(&d->state[link], load, v->side.z[link]);
}

/* of a term of the tree: the derivative of its udot is that of the joint, less the part of pi */
static double term_bias(const lw_dca *d, const lwi_dca_derivatives *v, const lwi_relation_term *k,
                        double slope)
{
  const int link = d->m->joint[k->joint].link;
  const lwi_link *L = &d->m->link[link];
  tree_edge t;
  double x[6];
  find_tree_edge(d, link, &t);
  for (int j = 0; j < L->nu; j++)
    x[j] = row_dot6(t.S[j], v->pi[link]);
  solve_normal(L->nu, L->inertialess, t.S, x);
  return slope * x[k->dof];
}

static void set_edge(const lw_dca *d, lwi_dca_derivatives *v, int edge)
{
  const lw_model *m = d->m;
  const lwi_dca_edge *e = &d->edge[edge];
  const lwi_closure *c = v->tree->work->closure;
  double *out = v->side.c[edge];
  if (e->kind == LWI_DCA_LIGHT) return; /* zero */
  if (e->link > 0) {
    memcpy(out, v->pi[e->link], 6 * sizeof *out);
    return;
  }
  const double *residual = v->tree->closure.row;
  if (e->kind == LWI_DCA_CLOSING) {
    const closing x = closing_of(m, c, e);
    double g[6] = {0};
    for (int k = 0; k < x.n; k++)
      g[k] = residual[x.row[k]];
    from_rows(m->length, x.n, x.D[0], g, out);
    return;
  }
  const lwi_tree_constraint *t = relation_constraint(m, e);
  const lwi_relation *r = &m->constraint[e->constraint].relation;
  out[0] = unscale(c, t, residual[t->row]);
  for (int k = 0, plain = t->term; k < r->nterm; k++)
    if (!m->joint[r->term[k].joint].info.cut)
      out[0] += term_bias(d, v, &r->term[k], c->slope[plain++]);
}

void lwi_dca_derivative_right_side(const lw_dca *d, lwi_dca_derivatives *v, int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kept)
      set_edge(d, v, s->edge);
    else if (s->kind == LWI_ASSEMBLY_LEAF)
      set_leaf(d, v, s->link);
  }
}

/* ---- second sweep ---- */

/* residual of the equation of an edge, as in correct.c */
static void set_residual(const lw_dca *d, lwi_dca_derivatives *v, int edge)
{
  const lwi_dca_edge *e = &d->edge[edge];
  double *c = v->side.c[edge], turn[3];
  if (e->kind == LWI_DCA_LIGHT) return;
  if (e->kind == LWI_DCA_RELATION) {
    for (int k = 0; k < e->nlink; k++)
      c[0] -= row_dot6(e->kept + 2 + 6 * k, v->side.A[e->links[k]]);
    return;
  }
  const double *a = v->side.A[e->a], *b = v->side.A[e->b];
  add_rotor_motion(d, e, v->side.f[edge], c);
  cross3(a, lwi_dca_kept_arm(e->kept), turn);
  for (int i = 0; i < 3; i++) {
    c[i] -= b[i] - a[i];
    c[3 + i] -= b[3 + i] - a[3 + i] - turn[i];
  }
}

void lwi_dca_derivative_set_aside(const lw_dca *d, lwi_dca_derivatives *v, int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kept) {
      memcpy(v->f[s->edge], v->side.f[s->edge], sizeof v->f[0]);
      set_residual(d, v, s->edge);
    } else if (s->kind == LWI_ASSEMBLY_LEAF) {
      memcpy(v->A[s->link], v->side.A[s->link], sizeof v->A[0]);
      memset(v->side.z[s->link], 0, sizeof v->side.z[0]);
    }
  }
}

void lwi_dca_derivative_add_up(const lw_dca *d, lwi_dca_derivatives *v, int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    const bool leaf = s->kind == LWI_ASSEMBLY_LEAF;
    if (!leaf && !s->kept) continue;
    double *sum = leaf ? v->A[s->link] : v->f[s->edge];
    const double *more = leaf ? v->side.A[s->link] : v->side.f[s->edge];
    for (int k = 0; k < 6; k++)
      sum[k] += more[k];
  }
}
