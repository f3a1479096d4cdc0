/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_pass.c -- computes a right side, its sweeps and the results, by one or several
   threads.

   Threads share ranges of links, of which only the motion has a fixed order; then blocks of the
   plan, inward and outward; then ranges of links again.  The thread that completes the last block
   computes what is outside blocks.  Each number is computed once and from the same numbers, so that
   results do not depend on the threads. */
#include "dca/leaf.h"
#include "dca/dca_derivatives.h"
#include "dca/derivative_rows.h"

enum {
  PART = 32, /* links that a thread takes at once */
  LANES = 16,
  SWEEPS = 2
};

/* Queue of tasks, in lanes: each thread starts with its own lane, whose data is most likely in its
   cache, and then takes tasks from other lanes. */
typedef struct {
  atomic_int taken[LANES], done;
} queue;

static int take(queue *x, int nlane, int *lane, int n)
{
  for (int k = 0; k < nlane; k++, *lane = (*lane + 1) % nlane) {
    const int i = atomic_fetch_add(&x->taken[*lane], 1) * nlane + *lane;
    if (i < n) return i;
  }
  return n;
}

typedef struct {
  const lw_dca *d;
  lwi_dca_derivatives *v;
  const lwi_direction *x; /* NULL: the right side of the links is given */
  double *udot_p;
  bool loads; /* compute loads, too */
  lwi_team *team;
  int nlane, sweep;
  int moved;                     /* links whose motion is known: under the lock */
  queue in[SWEEPS], out[SWEEPS]; /* blocks */
  queue found;                   /* links whose results are */
  atomic_bool infinite;          /* one of them is not finite */
} pass;

static void open_queue(queue *x)
{
  for (int k = 0; k < LANES; k++)
    atomic_init(&x->taken[k], 0);
  atomic_init(&x->done, 0);
}

static int end_of_part(const pass *p, int first)
{
  const int n = p->d->m->nlink;
  return first + PART < n ? first + PART : n;
}

/* ---- right sides of links ---- */

static int take_links_in_turn(pass *p)
{
  lwi_team_lock(p->team);
  const int first = p->moved;
  if (first < p->d->m->nlink) {
    p->moved = end_of_part(p, first);
    if (lwi_dca_derives_along(p->d))
      lwi_dca_derivative_motion(p->d, p->v, p->x, first, p->moved - 1);
  }
  lwi_team_unlock(p->team);
  return first;
}

static void derivative_links(void *context, int thread)
{
  pass *p = context;
  (void)thread;
  for (int first; (first = take_links_in_turn(p)) < p->d->m->nlink;)
    lwi_dca_derivative_links(p->d, p->v, p->x, first, end_of_part(p, first) - 1);
}

/* ---- sweeps ---- */

static void go_in(const pass *p, int sweep, int first, int last)
{
  if (sweep == 0)
    lwi_dca_derivative_right_side(p->d, p->v, first, last);
  else
    lwi_dca_derivative_set_aside(p->d, p->v, first, last);
  p->d->code->derivative_inward(p->d, &p->v->side, first, last);
}

static void go_back(const pass *p, int sweep, int first, int last)
{
  p->d->code->derivative_outward(p->d, &p->v->side, first, last);
  if (sweep > 0) lwi_dca_derivative_add_up(p->d, p->v, first, last);
}

/* derivatives of multipliers, and loads of those of relations on tree joints */
static void store_multipliers(const lw_dca *d, lwi_dca_derivatives *v)
{
  const lw_model *m = d->m;
  const lwi_closure *c = v->tree->work->closure;
  double *lambda_p = v->tree->closure.lambda_p;
  for (int i = 0; i < d->nedge; i++) {
    const lwi_dca_edge *e = &d->edge[i];
    if (e->kind == LWI_DCA_CLOSING) spread_load(closing_of(m, c, e), v->f[i], lambda_p);
    if (e->kind != LWI_DCA_RELATION) continue;
    const lwi_tree_constraint *constraint = relation_constraint(m, e);
    lambda_p[constraint->row] = unscale(c, constraint, v->f[i][0]);
    for (int k = constraint->term; k < constraint->term + constraint->nterm; k++)
      v->x[m->tree_constraints.term[k].u] += c->slope[k] * v->f[i][0];
  }
}

static bool is_last(const pass *p, queue *x)
{
  return atomic_fetch_add(&x->done, 1) == p->d->nblock - 1;
}

static void go_in_all(void *context, int thread)
{
  pass *p = context;
  const lw_dca *d = p->d;
  queue *x = &p->in[p->sweep];
  int lane = thread % p->nlane;
  for (int b; (b = take(x, p->nlane, &lane, d->nblock)) < d->nblock;) {
    go_in(p, p->sweep, d->block[b].first, d->block[b].last);
    if (!is_last(p, x)) continue;
    for (int i = 0; i < d->nouter; i++)
      go_in(p, p->sweep, d->outer[i], d->outer[i]);
    for (int i = d->nouter - 1; i >= 0; i--)
      go_back(p, p->sweep, d->outer[i], d->outer[i]);
  }
}

static void go_back_all(void *context, int thread)
{
  pass *p = context;
  const lw_dca *d = p->d;
  queue *x = &p->out[p->sweep];
  int lane = thread % p->nlane;
  for (int b; (b = take(x, p->nlane, &lane, d->nblock)) < d->nblock;) {
    go_back(p, p->sweep, d->block[b].first, d->block[b].last);
    if (is_last(p, x) && p->sweep == 1 && p->loads) store_multipliers(d, p->v);
  }
}

/* ---- results ---- */

/* of a revolute joint, whose axis passes through the link's origin */
static double turn_rate(const lw_dca *d, const lwi_dca_derivatives *v, int link)
{
  const lwi_link *L = &d->m->link[link];
  const double *a = v->A[L->parent], *b = v->A[link], *pi = v->pi[link];
  const double x[3] = {b[0] - a[0] - pi[0], b[1] - a[1] - pi[1], b[2] - a[2] - pi[2]};
  double S[6];
  d->kernels->get_column(d->m, d->work, L->column, S);
  return dot3(S, x);
}

/* udot_p = (S^T S)^-1 S^T (A_b_p - phi* A_a_p - pi) */
static void joint_rates(const lw_dca *d, const lwi_dca_derivatives *v, int link, double *to)
{
  const lwi_link *L = &d->m->link[link];
  const double *a = v->A[L->parent], *b = v->A[link];
  double x[6], turn[3];
  tree_edge t;
  find_tree_edge(d, link, &t);
  cross3(a, t.r, turn);
  for (int k = 0; k < 6; k++)
    x[k] = b[k] - a[k] - v->pi[link][k] - (k < 3 ? 0 : turn[k - 3]);
  for (int j = 0; j < L->nu; j++)
    to[j] = row_dot6(t.S[j], x);
  solve_normal(L->nu, L->inertialess, t.S, to);
}

/* false: not finite */
static bool find_rates(const lw_dca *d, const lwi_dca_derivatives *v, int link, double *udot_p)
{
  const lwi_link *L = &d->m->link[link];
  double *to = udot_p + L->u;
  bool finite = true;
  if (L->kind == LWI_KIND_REVOLUTE)
    to[0] = turn_rate(d, v, link);
  else if (L->nu > 0)
    joint_rates(d, v, link, to);
  for (int j = 0; j < L->nu && L->locked; j++)
    if (lwi_is_locked(L, j)) to[j] = 0; /* exactly, without rounding errors */
  for (int j = 0; j < L->nu; j++)
    finite = finite && isfinite(to[j]);
  return finite;
}

/* stores the derivative of the load of a link's joint for lw_get_load_derivative */
static void store_load(const lw_dca *d, const lwi_dca_derivatives *v, int link)
{
  const int edge = d->joint_edge[d->m->link[link].joint];
  double f[6], push[6], r[3];
  joint_push(d, link, v->x, push, r);
  for (int i = 0; i < 6; i++)
    f[i] = push[i] + (edge < 0 ? 0 : v->f[edge][i]);
  v->tree->work->kernels->set_load_change(v->tree->tree, link, f);
}

static void find_results(void *context, int thread)
{
  pass *p = context;
  const int nlink = p->d->m->nlink, npart = (nlink + PART - 1) / PART;
  int lane = thread % p->nlane;
  for (int part; (part = take(&p->found, p->nlane, &lane, npart)) < npart;)
    for (int i = part > 0 ? part * PART : 1; i < end_of_part(p, part * PART); i++) {
      if (!find_rates(p->d, p->v, i, p->udot_p)) atomic_store(&p->infinite, true);
      if (p->loads) store_load(p->d, p->v, i);
    }
}

/* ---- the whole pass ---- */

static void open_all(pass *p)
{
  const int nthread = lwi_team_size(p->team);
  p->nlane = nthread < LANES ? nthread : LANES;
  for (int k = 0; k < SWEEPS; k++)
    open_queue(&p->in[k]), open_queue(&p->out[k]);
  open_queue(&p->found);
  atomic_init(&p->infinite, false);
}

/* With loops digits may be lost: a second sweep corrects the residuals. */
bool lwi_dca_derivative_pass(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x,
                             double *udot_p, bool loads, lwi_team *team)
{
  pass p = {.d = d, .v = v, .x = x, .udot_p = udot_p, .loads = loads};
  p.team = lwi_pace_begin(&v->pace[x != NULL], team);
  open_all(&p);
  if (x) lwi_team_run(p.team, derivative_links, &p);
  for (p.sweep = 0; p.sweep < (d->checked ? SWEEPS : 1); p.sweep++) {
    lwi_team_run(p.team, go_in_all, &p);
    lwi_team_run(p.team, go_back_all, &p);
  }
  lwi_team_run(p.team, find_results, &p);
  lwi_pace_end(&v->pace[x != NULL], team);
  return !atomic_load(&p.infinite);
}
