/* SPDX-License-Identifier: Apache-2.0 */
/* vary.c -- derivatives of forward dynamics along directions, by direct differentiation [Mukherjee2008].

   A prime is the derivative; S, phi, r, c of the joint as in dca.h.  Of a leaf and of a joint

     M A' = F' + (applied - M A - b)'                F: joint loads
     A_b' = phi* A_a' + S udot' + pi,                pi = S' udot + c' + phi*' A_a
     f' = D lambda' + S (S^T S)^-1 x,                x = tau' - S'^T f   makes S^T f = tau hold

   where f is all that the joint hands to b, also from motors and relations.  All but A', udot' and lambda' is
   known after the forward pass, so the known part of f' acts on the two leaves as a load, and D' is not
   needed.  Rows of constraints and relations, J A = gamma, with loads J^T lambda:

     J A' = gamma' - J' A,   load J'^T lambda on the leaves,   unknown lambda'

   These are the equations of the forward pass again, with other right sides. */
#include "dca/vary.h"
#include "dca/edge_rows.h"
#include "dca/leaf.h"

#ifdef LWI_OPENMP
#include <omp.h>
#endif

/* ---- the forward solution, as the derivatives need it ---- */

/* the scaled rows of a closing edge on its child's link, and which of the closure's they are: those of a
   joint, then those of its locked freedoms */
typedef struct {
  int n, row[6];
  double D[6][6];
} closing;

static void add_tie(const lw_model *m, const lwi_closure *c, int tie, closing *x)
{
  if (tie < 0) return;
  const lwi_tie *t = &m->ties.tie[tie];
  for (int r = 0; r < t->n; r++) {
    memcpy(x->D[x->n], c->J + t->J + 6 * (t->n + r), sizeof x->D[0]);
    x->row[x->n++] = t->row + r;
  }
}

static closing closing_of(const lw_model *m, const lwi_closure *c, const lwi_dca_edge *e)
{
  closing x = {0};
  add_tie(m, c, e->constraint ? m->constraint[e->constraint].tie : m->joint[e->joint].tie, &x);
  if (!e->constraint) add_tie(m, c, m->joint[e->joint].lock, &x);
  return x;
}

/* what the rows of a closing edge carry, for a load f on its child's link */
static void spread_load(closing x, const double f[6], double *lambda)
{
  double y[6];
  for (int r = 0; r < x.n; r++)
    y[r] = row_dot6(x.D[r], f);
  solve_normal(x.n, 0, x.D, y);
  for (int r = 0; r < x.n; r++)
    lambda[x.row[r]] = y[r];
}

static const lwi_tie *relation_tie(const lw_model *m, const lwi_dca_edge *e)
{
  return &m->ties.tie[m->constraint[e->constraint].tie];
}

/* of the scaled row of a relation to that of the row itself, and the other way round for multipliers */
static double unscale(const lwi_closure *c, const lwi_tie *t, double x)
{
  return c->scale[t->row] > 0 ? x / c->scale[t->row] : 0;
}

static void set_multipliers(const lw_dca *d, lw_work *w)
{
  const lw_model *m = d->m;
  lwi_closure *c = w->closure;
  lwi_closure_rows(m, w, &m->ties);
  if (m->ties.nrow) memset(c->lambda, 0, (size_t)m->ties.nrow * sizeof(double));
  for (int i = 0; i < d->nedge; i++) {
    const lwi_dca_edge *e = &d->edge[i];
    if (e->kind == LWI_DCA_CLOSING) spread_load(closing_of(m, c, e), e->kept, c->lambda);
    if (e->kind != LWI_DCA_RELATION) continue;
    const lwi_tie *t = relation_tie(m, e);
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

/* all that the joints of the tree hand to their links; load: scratch */
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

lw_status lw_dca_linearize(lw_dca *d, const lw_model *m, lw_dca_derivatives *s, lw_work *w,
                           double t, const double q[], const double u[], const double tau[],
                           double udot[])
{
  if (!s || s->d != d || !d || d->m != m || !w || (m->nq && !q) || (m->nu && !u)) return LW_E_ARG;
  if (w->kernels != lwi_kernels_single()) return LW_E_ARG; /* rooms are laid out for these */
  s->ready = s->varied = false;
  const lw_status status = lwi_dca_forward(d, w, t, q, u, tau, 0);
  if (status != LW_OK) return status;
  const size_t nu = (size_t)m->nu * sizeof(double);
  lw_derivatives *state = s->variation[0].tree;
  if (m->nq) memcpy(state->q, q, (size_t)m->nq * sizeof(double));
  if (nu) memcpy(state->u, u, nu), memcpy(state->udot, d->udot, nu);
  if (nu && udot) memcpy(udot, d->udot, nu);
  w->kernels->accelerations(m, w->tree, d->udot);
  w->stage = LWI_STAGE_ACCELERATIONS;
  set_loads(d, w, s->variation[0].load);
  if (w->closure) set_multipliers(d, w);
  for (int i = 0; i < s->nthread; i++) {
    s->variation[i].tree->work = w;
    s->variation[i].tree->t = t;
  }
  s->solved = d->solved;
  s->ready = true;
  return LW_OK;
}

/* ---- the right side ---- */

/* Everything but the loads on joints of the tree; these go to v->x. */
static void vary_equations(const lw_model *m, lwi_dca_variation *v, const lwi_direction *x)
{
  lw_derivatives *t = v->tree;
  const lwi_kernels *k = t->work->kernels;
  lwi_tree_work *tree = t->work->tree;
  const bool tied = t->work->closure;
  t->change = x->change;
  k->vary_motion(m, x->change, tree, t->tree, t->q, t->u, x->motion, x->u);
  lw_coordinate_rates(m, t->q, x->motion, t->q1);
  if (m->nu) memcpy(t->u1, x->u, (size_t)m->nu * sizeof(double));
  if (m->nu) memcpy(t->given1, x->tau, (size_t)m->nu * sizeof(double));
  if (tied) lwi_vary_pairs(m, t);
  k->vary_hold(m, x->change, t->tree);
  k->vary_forces(m, x->change, tree, t->tree, t->q, t->u, t->q1, t->u1, t->cut_tau1);
  if (tied) {
    lwi_vary_push_motors(m, t);
    lwi_vary_rows(m, t, &m->ties);
    lwi_vary_push_rows(m, t, &m->ties, t->work->closure->lambda);
    lwi_vary_deficit(m, t, &m->ties, t->closure.row);
  }
  k->vary_local(m, x->change, tree, t->tree, t->udot, v->load, v->pi, v->x);
  for (int i = 0; i < m->nu; i++)
    v->residual[i] = -v->x[i];
  if (tied) lwi_vary_terms(m, t, &m->ties, t->work->closure->lambda, v->residual);
  for (int i = 0; i < m->nu; i++)
    v->x[i] = x->tau[i] - v->residual[i];
}

/* the known part of the loads of tree joints goes to their links; then z of each */
static void set_leaves(const lw_dca *d, lwi_dca_variation *v)
{
  const lw_model *m = d->m;
  for (int i = m->nlink - 1; i > 0; i--) {
    double f[6], r[3], arm[3], *on = v->load[i], *from = v->load[m->link[i].parent];
    if (m->link[i].nu > 0) {
      joint_push(d, i, v->x, f, r);
      cross3(r, f + 3, arm);
      for (int k = 0; k < 6; k++)
        on[k] += f[k], from[k] -= f[k];
      for (int k = 0; k < 3; k++)
        from[k] -= arm[k];
    }
    push_body(&d->state[i], on, v->side.z[i]);
  }
}

/* of a term of the tree: its speed's rate is that of the joint, less what pi adds */
static double term_bias(const lw_dca *d, const lwi_dca_variation *v, const lwi_relation_term *k)
{
  const int link = d->m->joint[k->joint].link;
  const lwi_link *L = &d->m->link[link];
  tree_edge t;
  double x[6];
  find_tree_edge(d, link, &t);
  for (int j = 0; j < L->nu; j++)
    x[j] = row_dot6(t.S[j], v->pi[link]);
  solve_normal(L->nu, L->frozen, t.S, x);
  return k->coefficient * x[k->dof];
}

static void set_edge(const lw_dca *d, lwi_dca_variation *v, int edge)
{
  const lw_model *m = d->m;
  const lwi_dca_edge *e = &d->edge[edge];
  const lwi_closure *c = v->tree->work->closure;
  double *out = v->side.c[edge];
  if (e->kind == LWI_DCA_LIGHT) return; /* stays zero */
  if (e->link > 0) {
    memcpy(out, v->pi[e->link], 6 * sizeof *out);
    return;
  }
  const double *lack = v->tree->closure.row;
  if (e->kind == LWI_DCA_CLOSING) {
    const closing x = closing_of(m, c, e);
    double g[6];
    for (int k = 0; k < x.n; k++)
      g[k] = lack[x.row[k]];
    from_rows(x.n, x.D[0], g, out);
    return;
  }
  const lwi_tie *t = relation_tie(m, e);
  const lwi_relation *r = &m->constraint[e->constraint].relation;
  out[0] = unscale(c, t, lack[t->row]);
  for (int k = 0; k < r->nterm; k++)
    if (!m->joint[r->term[k].joint].info.cut) out[0] += term_bias(d, v, &r->term[k]);
}

/* ---- sweeps ---- */

static void sweep_serially(const lw_dca *d, const lwi_dca_right_side *x)
{
  d->code->vary_inward(d, x, 0, d->nstep - 1);
  d->code->vary_outward(d, x, 0, d->nstep - 1);
}

#ifdef LWI_OPENMP
/* as solve.c: blocks, what is outside them, blocks again */
static void sweep_in_parallel(const lw_dca *d, const lwi_dca_right_side *x)
{
#pragma omp parallel num_threads(d->nthread)
  {
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < d->nblock; b++)
      d->code->vary_inward(d, x, d->block[b].first, d->block[b].last);
#pragma omp single
    {
      for (int i = 0; i < d->nouter; i++)
        d->code->vary_inward(d, x, d->outer[i], d->outer[i]);
      for (int i = d->nouter - 1; i >= 0; i--)
        d->code->vary_outward(d, x, d->outer[i], d->outer[i]);
    }
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < d->nblock; b++)
      d->code->vary_outward(d, x, d->block[b].first, d->block[b].last);
  }
}
#endif

static void sweep(const lw_dca *d, const lwi_dca_right_side *x, bool alone)
{
#ifdef LWI_OPENMP
  if (alone && d->nthread > 1) {
    sweep_in_parallel(d, x);
    return;
  }
#endif
  (void)alone;
  sweep_serially(d, x);
}

/* what the equation of an edge lacks: as correct.c */
static void set_lack(const lw_dca *d, lwi_dca_variation *v, int edge)
{
  const lwi_dca_edge *e = &d->edge[edge];
  double *c = v->side.c[edge], turn[3];
  if (e->kind == LWI_DCA_LIGHT) return;
  if (e->kind == LWI_DCA_RELATION) {
    for (int k = 0; k < e->nlink; k++)
      c[0] -= row_dot6(e->kept + 2 + 6 * k, v->A[e->links[k]]);
    return;
  }
  const double *a = v->A[e->a], *b = v->A[e->b];
  cross3(a, lwi_dca_kept_arm(e->kept), turn);
  for (int i = 0; i < 3; i++) {
    c[i] -= b[i] - a[i];
    c[3 + i] -= b[3 + i] - a[3 + i] - turn[i];
  }
}

/* With loops digits may be lost: the second sweep gives back what the equations still lack. */
static void solve(const lw_dca *d, lwi_dca_variation *v, bool alone)
{
  const size_t nlink = (size_t)d->m->nlink * sizeof *v->A, nedge = (size_t)d->nedge * sizeof *v->f;
  sweep(d, &v->side, alone);
  if (!d->checked) return; /* A and f are those of the sweep */
  memcpy(v->A, v->side.A, nlink);
  memcpy(v->f, v->side.f, nedge);
  for (int i = 0; i < d->nedge; i++)
    set_lack(d, v, i);
  memset(v->side.z, 0, nlink);
  sweep(d, &v->side, alone);
  for (int i = 1; i < d->m->nlink; i++)
    for (int k = 0; k < 6; k++)
      v->A[i][k] += v->side.A[i][k];
  for (int i = 0; i < d->nedge; i++)
    for (int k = 0; k < 6; k++)
      v->f[i][k] += v->side.f[i][k];
}

/* ---- a direction ---- */

/* udot' = (S^T S)^-1 S^T (A_b' - phi* A_a' - pi); false: not finite */
static bool find_rates(const lw_dca *d, const lwi_dca_variation *v, double *udot1)
{
  bool finite = true;
  for (int i = 1; i < d->m->nlink; i++) {
    const lwi_link *L = &d->m->link[i];
    const double *a = v->A[L->parent], *b = v->A[i];
    double x[6], turn[3], *to = udot1 + L->u;
    tree_edge t;
    if (L->nu == 0) continue;
    find_tree_edge(d, i, &t);
    cross3(a, t.r, turn);
    for (int k = 0; k < 6; k++)
      x[k] = b[k] - a[k] - v->pi[i][k] - (k < 3 ? 0 : turn[k - 3]);
    for (int j = 0; j < L->nu; j++)
      to[j] = row_dot6(t.S[j], x);
    if (L->kind != LWI_KIND_REVOLUTE) solve_normal(L->nu, L->frozen, t.S, to);
    for (int j = 0; j < L->nu && L->still; j++)
      if (lwi_is_still(L, j)) to[j] = 0; /* but for rounding errors */
    for (int j = 0; j < L->nu; j++)
      finite = finite && isfinite(to[j]);
  }
  return finite;
}

/* As pull.c: rows accelerate by -k times what their rate is off ... */
static void pull_rates(const lw_model *m, lwi_dca_variation *v, double pull)
{
  lwi_closure_change *k = &v->tree->closure;
  lwi_vary_rate(m, v->tree, &m->ties, k->lambda1); /* free until loads are wanted */
  for (int i = 0; i < m->ties.nrow; i++)
    k->row[i] -= pull * k->lambda1[i];
}

/* ... and a second right side gives the speeds that move the positions: -k times what these are off. */
static bool find_slide(const lw_dca *d, lwi_dca_variation *v, const lwi_pulled_direction *x,
                       double pull, bool alone)
{
  const lw_model *m = d->m;
  const double *scale = v->tree->work->closure->scale;
  lwi_closure_change *k = &v->tree->closure;
  for (int i = 0; i < m->ties.nrow; i++)
    k->row[i] = -pull * scale[i] * (k->phi1[i] - (x->gear1 ? x->gear1[i] : 0));
  memset(v->pi, 0, (size_t)m->nlink * sizeof *v->pi);
  memset(v->side.z, 0, (size_t)m->nlink * sizeof *v->side.z);
  for (int i = 0; i < d->nedge; i++)
    set_edge(d, v, i);
  solve(d, v, alone);
  return find_rates(d, v, x->slide);
}

static lw_status vary(const lw_dca *d, lwi_dca_variation *v, const lwi_pulled_direction *x,
                      double pull, bool alone)
{
  const lwi_direction full = lwi_direction_of(v->tree, &x->along);
  const bool pulled = pull > 0 && v->tree->work->closure;
  vary_equations(d->m, v, &full);
  if (pulled) pull_rates(d->m, v, pull);
  set_leaves(d, v);
  for (int i = 0; i < d->nedge; i++)
    set_edge(d, v, i);
  solve(d, v, alone);
  if (!find_rates(d, v, x->udot)) return LW_E_NUMBER;
  if (x->slide && d->m->nu) memset(x->slide, 0, (size_t)d->m->nu * sizeof(double));
  return !pulled || !x->slide || find_slide(d, v, x, pull, alone) ? LW_OK : LW_E_NUMBER;
}

/* derivatives of all loads, where lw_get_load_rate looks for them */
static void store_loads(const lw_dca *d, lwi_dca_variation *v)
{
  const lw_model *m = d->m;
  lw_derivatives *t = v->tree;
  const lwi_closure *c = t->work->closure;
  memset(v->load, 0, (size_t)m->nlink * sizeof *v->load);
  for (int i = 0; i < d->nedge; i++) {
    const lwi_dca_edge *e = &d->edge[i];
    if (e->kind == LWI_DCA_LIGHT) continue;
    if (e->link > 0) {
      memcpy(v->load[e->link], v->f[i], 6 * sizeof(double));
      continue;
    }
    if (e->kind == LWI_DCA_CLOSING) {
      spread_load(closing_of(m, c, e), v->f[i], t->closure.lambda1);
      continue;
    }
    const lwi_tie *tie = relation_tie(m, e);
    t->closure.lambda1[tie->row] = unscale(c, tie, v->f[i][0]);
    for (int k = tie->term; k < tie->term + tie->nterm; k++)
      v->x[m->ties.term[k].u] += m->ties.term[k].coefficient * v->f[i][0];
  }
  for (int i = 1; i < m->nlink; i++) {
    add_known_push(d, i, v->x, v->load[i]);
    t->work->kernels->set_load_change(t->tree, i, v->load[i]);
  }
}

static lw_status check(const lw_dca *d, const lw_model *m, const lw_dca_derivatives *s)
{
  if (!s || s->d != d || !d || d->m != m) return LW_E_ARG;
  return s->ready && s->solved == d->solved ? LW_OK : LW_E_STAGE;
}

lw_status lw_dca_vary(const lw_dca *d, const lw_model *m, lw_dca_derivatives *s,
                      const lw_direction *x, double udot_rate[])
{
  lw_status status = x ? check(d, m, s) : LW_E_ARG;
  if (status != LW_OK) return status;
  lwi_dca_variation *v = &s->variation[0];
  s->varied = false;
  status = vary(d, v, &(lwi_pulled_direction){.along = *x, .udot = v->udot1}, 0, true);
  if (status != LW_OK) return status;
  if (udot_rate && m->nu) memcpy(udot_rate, v->udot1, (size_t)m->nu * sizeof(double));
  store_loads(d, v);
  v->tree->stage = LWI_DERIVE_LOADS;
  s->varied = true;
  return LW_OK;
}

/* direction i of many */
typedef struct {
  const lw_direction *x; /* ... with results in rows of udot, ... */
  double *udot;
  const lwi_pulled_direction *pulled; /* ... or with their own */
} directions;

static lwi_pulled_direction direction(const directions *all, int i, int nu)
{
  if (all->pulled) return all->pulled[i];
  return (lwi_pulled_direction){.along = all->x[i], .udot = all->udot + (size_t)i * (size_t)nu};
}

static int vary_one(const lw_dca *d, lw_dca_derivatives *s, const directions *all, int i,
                    double pull, int thread, bool alone)
{
  const lwi_pulled_direction x = direction(all, i, d->m->nu);
  return (int)vary(d, &s->variation[thread], &x, pull, alone);
}

static int worse(int a, int b)
{
  return a > b ? a : b;
}

/* Side by side; fewer than threads one after the other, each on all threads. */
static lw_status vary_all(const lw_dca *d, lw_dca_derivatives *s, int n, const directions *all,
                          double pull)
{
  int worst = LW_OK;
  s->varied = false;
#ifdef LWI_OPENMP
  if (s->nthread > 1 && n >= s->nthread) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->nthread) reduction(max : worst)
    for (int i = 0; i < n; i++)
      worst = worse(worst, vary_one(d, s, all, i, pull, omp_get_thread_num(), false));
    return (lw_status)worst;
  }
#endif
  for (int i = 0; i < n; i++)
    worst = worse(worst, vary_one(d, s, all, i, pull, 0, true));
  return (lw_status)worst;
}

lw_status lw_dca_vary_many(const lw_dca *d, const lw_model *m, lw_dca_derivatives *s, int n,
                           const lw_direction x[], double udot_rate[])
{
  const lw_status status =
      (n > 0 && (!x || (m && m->nu && !udot_rate))) || n < 0 ? LW_E_ARG : check(d, m, s);
  return status == LW_OK ? vary_all(d, s, n, &(directions){.x = x, .udot = udot_rate}, 0) : status;
}

lw_status lwi_dca_vary_pulled(const lw_dca *d, lw_dca_derivatives *s, int n,
                              const lwi_pulled_direction x[], double pull)
{
  const lw_status status = check(d, d->m, s);
  return status == LW_OK ? vary_all(d, s, n, &(directions){.pulled = x}, pull) : status;
}
