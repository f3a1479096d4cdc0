/* SPDX-License-Identifier: Apache-2.0 */
/* solve.c -- passes over the plan, on one thread or on many; forward dynamics. */
#include "dca/dca.h"
#include "math/finite.h"
#include "tree/loops/dropped_rows.h"
#include "tree/loops/embedding.h"
#include "tree/loops/force_balance.h"

/* ---- kinematics and forces ---- */

/* Kinematics, at once or as part of the pass; kernels, work and closure are those of the caller. */
static void place(lw_dca *d, lw_work *w, double t, const double *q, const double *u, bool now)
{
  d->kernels = w->kernels;
  d->work = w->tree;
  d->closure = w->closure;
  d->caller = w;
  d->q = now ? NULL : q;
  d->u = u;
  if (now) w->kernels->kinematics(d->m, w->tree, q, u);
  if (now && w->closure) lwi_closure_place(d->m, w, t);
  if (!now && w->closure) lwi_closure_find_targets(d->m, w, t);
}

static bool has_own_tau(const lw_model *m)
{
  return lwi_has_freedom_elements(m);
}

/* The forces of the model; the sum of motors, joint springs and tau. */
static void find_forces(lw_dca *d, lw_work *w, double t, const double *q, const double *u,
                        const double *tau)
{
  const lw_model *m = d->m;
  const bool own = has_own_tau(m);
  d->driven = own || tau;
  if (own || d->pushed) w->kernels->forces(m, w->tree, t, q, u, d->tau);
  if (w->closure) lwi_closure_apply_motors(m, w);
  if (!tau) return;
  for (int i = 0; i < m->nu; i++)
    d->tau[i] = (own ? d->tau[i] : 0) + tau[i];
}

typedef struct {
  lwi_dca_part *part;
  void *context;
  int n, size;
  atomic_int next;
} ranges;

static void take_ranges(void *context, int thread)
{
  ranges *r = context;
  (void)thread;
  for (int first; (first = atomic_fetch_add(&r->next, r->size)) < r->n;)
    r->part(r->context, first, r->n - first < r->size ? r->n : first + r->size);
}

void lwi_dca_share(const lw_dca *d, int n, lwi_dca_part *part, void *context)
{
  const int nthread = lwi_team_size(d->team);
  ranges r = {.part = part, .context = context, .n = n, .size = 1 + n / nthread};
  lwi_team_run(d->team, take_ranges, &r);
}

/* ---- a pass, by one thread or by many ----

   Blocks are computed in the order of the last links that they need, each right after the
   kinematics of these links.  Only kinematics have a fixed order, under a lock, and their results
   are then in the thread's cache.  The thread that completes the second of two assemblies continues
   with their union.  Results do not depend on the threads. */

typedef struct {
  lw_dca *d;
  lwi_team *team;
  int next, placed, pairs; /* block; links and pairs that are placed: under the lock */
  atomic_int left;         /* blocks, with what follows from them */
  atomic_int worst;        /* lw_status */
} pass;

static void start(pass *p, lw_dca *d)
{
  p->d = d;
  p->next = p->placed = p->pairs = 0;
  atomic_init(&p->left, d->nblock);
  atomic_init(&p->worst, LW_OK);
  for (int i = 0; i < d->nouter; i++) {
    const lwi_dca_step *s = &d->step[d->outer[i]];
    atomic_store_explicit(&d->waiting[d->outer[i]], (s->left >= 0) + (s->right >= 0),
                          memory_order_relaxed);
  }
  for (int b = 0; b < d->nblock; b++)
    atomic_store_explicit(&d->taken[b], 0, memory_order_relaxed);
  for (int k = 0; k < d->nthread; k++)
    d->errors[k] = (lwi_dca_errors){0};
}

/* keeps the worst of several failures, so that the result does not depend on the threads */
static void note(pass *p, lw_status status)
{
  int worst = atomic_load(&p->worst);
  while ((int)status > worst && !atomic_compare_exchange_weak(&p->worst, &worst, (int)status)) {
  }
}

/* The next block, with the kinematics of the links up to its reach and of the pairs between them;
   one thread at a time.  nblock: no more. */
static int take_block(pass *p)
{
  lw_dca *d = p->d;
  lwi_team_lock(p->team);
  const int block = p->next;
  if (block < d->nblock) p->next++;
  if (block < d->nblock && d->q && d->block[block].reach > p->placed) {
    const int reach = d->block[block].reach;
    d->kernels->move_links(d->m, d->work, d->q, d->u, p->placed + 1, reach);
    for (; p->pairs < d->m->npair && d->pair[p->pairs].reach <= reach; p->pairs++)
      lwi_closure_place_pair(d->m, d->caller, d->pair[p->pairs].pair, d->pair[p->pairs].joint);
    p->placed = reach;
  }
  lwi_team_unlock(p->team);
  return block;
}

static void go_in(pass *p, int first, int last, double *scratch)
{
  lw_dca *d = p->d;
  if (d->pass < LWI_DCA_SWEEP) {
    note(p, d->code->assemble(d, first, last, scratch));
    return;
  }
  if (d->pass == LWI_DCA_CORRECT) lwi_dca_set_aside(d, first, last);
  d->code->sweep(d, first, last, scratch);
}

/* Blocks, and outside blocks the assemblies that their steps complete; whoever finishes the last
   block turns back. */
static void go_in_all(void *context, int thread)
{
  pass *p = context;
  lw_dca *d = p->d;
  double *scratch = d->scratch[thread];
  for (int b; (b = take_block(p)) < d->nblock;) {
    const lwi_dca_block *block = &d->block[b];
    d->owner[b] = thread;
    go_in(p, block->first, block->last, scratch);
    for (int i = block->last; i >= block->first; i = d->tree->assembly[i].first - 1)
      for (int up = d->tree->assembly[i].parent;
           up >= 0 && atomic_fetch_sub(&d->waiting[up], 1) == 1; up = d->tree->assembly[up].parent)
        go_in(p, up, up, scratch);
    if (atomic_fetch_sub(&p->left, 1) > 1 || d->pass == LWI_DCA_FACTOR) continue;
    for (int i = d->nouter - 1; i >= 0; i--) /* the last one contains all bodies */
      d->code->disassemble(d, d->outer[i], d->outer[i]);
  }
}

static void find_accelerations(pass *p, int first, int last, lwi_dca_errors *errors)
{
  lw_dca *d = p->d;
  if (d->pass == LWI_DCA_CORRECT) lwi_dca_add_up(d, first, last);
  if (!d->code->accelerate(d, first, last)) note(p, LW_E_NUMBER);
  if (d->checked && (d->pass != LWI_DCA_SWEEP || d->jump)) lwi_dca_examine(d, first, last, errors);
}

/* Blocks whose results are likely to be in the thread's cache, then the remaining blocks of
   others. */
static void go_back_all(void *context, int thread)
{
  pass *p = context;
  lw_dca *d = p->d;
  lwi_dca_errors errors = {0};
  for (int late = 0; late < 2; late++)
    for (int b = d->nblock - 1; b >= 0; b--) {
      const lwi_dca_block *block = &d->block[b];
      if ((d->owner[b] != thread) != late || atomic_exchange(&d->taken[b], 1)) continue;
      d->code->disassemble(d, block->first, block->last);
      find_accelerations(p, block->first, block->last, &errors);
    }
  d->errors[thread] = errors;
}

static void run(pass *p)
{
  lw_dca *d = p->d;
  p->team = lwi_pace_begin(&d->pace[d->pass], d->team);
  lwi_team_run(p->team, go_in_all, p);
  if (d->pass != LWI_DCA_FACTOR) {
    lwi_team_run(p->team, go_back_all, p);
    for (int i = 0; i < d->nouter; i++) /* joints between blocks */
      find_accelerations(p, d->outer[i], d->outer[i], &d->errors[0]);
    for (int i = 0; i < d->nfree; i++) /* joints that are not edges */
      if (!d->code->accelerate_link(d, d->free_link[i])) note(p, LW_E_NUMBER);
  }
  lwi_pace_end(&d->pace[d->pass], d->team);
}

lw_status lwi_dca_solve(lw_dca *d, lwi_dca_pass kind)
{
  pass p;
  d->pass = kind;
  if (kind != LWI_DCA_CORRECT) d->speeds = kind == LWI_DCA_SWEEP;
  d->solved += kind < LWI_DCA_SWEEP;
  start(&p, d);
  run(&p);
  d->q = NULL;
  const lw_status status = (lw_status)atomic_load(&p.worst);
  if (status == LW_OK && kind != LWI_DCA_FACTOR) lwi_dca_gather_relations(d);
  return status;
}

/* Accelerations of a tree against its forces, every now and then (tree/loops/force_balance.h):
   where digits were lost, loads that make up for the residual restore them. */
static lw_status balance_tree(lw_dca *d, lw_work *w, const double tau[])
{
  enum { MOST_STEPS = 3 };
  const lw_model *m = d->m;
  double before = HUGE_VAL;
  for (int k = 0; k <= MOST_STEPS; k++) {
    w->kernels->accelerations(m, w->tree, d->udot);
    const double worst = lwi_find_imbalance(m, w, tau);
    w->near_singular = w->near_singular || worst > LWI_REFINED;
    if (!(worst > LWI_REFINED && worst < 0.5 * before) || k == MOST_STEPS)
      return worst <= LWI_UNSOLVED ? LW_OK : LW_E_SINGULAR;
    for (int i = 0; i < m->nu; i++)
      d->tau[i] = (d->driven ? d->tau[i] : 0) + w->residual[i];
    d->driven = true;
    const lw_status status = lwi_dca_solve(d, LWI_DCA_FORWARD);
    if (status != LW_OK) return status;
    before = worst;
  }
  return LW_OK;
}

lw_status lwi_dca_factor(lw_dca *d, lw_work *w, double t, const double q[], const double u[])
{
  const lw_model *m = d->m;
  if (d->requested.plan_only) return LW_E_STAGE;
  d->stage = LWI_DCA_NOTHING;
  w->stage = LWI_STAGE_NOTHING;
  if (!lwi_all_finite(q, m->nq) || (u && !lwi_all_finite(u, m->nu)) || !isfinite(t))
    return LW_E_NUMBER;
  if (!u && m->nu) memset(w->u, 0, (size_t)m->nu * sizeof(double));
  place(d, w, t, q, u ? u : w->u, false);
  d->stabilization = 0;
  const lw_status status = lwi_dca_solve(d, LWI_DCA_FACTOR);
  if (status != LW_OK) return status;
  w->stage = LWI_STAGE_KINEMATICS;
  d->stage = LWI_DCA_FACTORED;
  return LW_OK;
}

/* with the present fineness of decisions about rows */
static lw_status find_motion(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                             const double tau[])
{
  const lw_model *m = d->m;
  w->unsolved = (lwi_unsolved){0};
  place(d, w, t, q, u, d->pushed || has_own_tau(m));
  find_forces(d, w, t, q, u, tau);
  lw_status status = lwi_dca_solve(d, LWI_DCA_FORWARD);
  if (status == LW_OK && d->checked) status = lwi_dca_correct(d);
  if (status == LW_OK && (d->checked || !d->looped) && lwi_balance_is_due(w))
    status = d->looped ? lwi_dca_balance_motion(d) : balance_tree(d, w, tau);
  return status;
}

/* The rows of the tree's constraints that are known to have counted: those of constraints whose edges have full rank, if
   all joints of the tree have it.  False: all rows have counted. */
static bool find_kept(const lw_dca *d, bool kept[])
{
  const lwi_tree_constraints *x = &d->m->tree_constraints;
  int lost = 0, closing = 0;
  for (int e = 0; e < d->nedge; e++)
    lost += d->rank[e] < d->edge[e].m;
  memset(kept, 1, (size_t)x->nrow * sizeof *kept);
  for (int k = 0; k < x->nconstraint; k++) {
    const lwi_tree_constraint *t = &x->constraint[k];
    const bool joint = t->kind == LWI_TREE_CONSTRAINT_JOINT || t->kind == LWI_TREE_CONSTRAINT_LOCK;
    const int e = joint ? d->joint_edge[t->id] : d->constraint_edge[t->id];
    if (e < 0 || d->rank[e] == d->edge[e].m) continue;
    memset(kept + t->row, 0, (size_t)t->n * sizeof *kept);
    closing += t->kind != LWI_TREE_CONSTRAINT_LOCK;
  }
  if (lost > closing) memset(kept, 0, (size_t)x->nrow * sizeof *kept);
  return lost == 0;
}

/* Do the accelerations meet the rows that a decision in this call has dropped, and those that it kept with pivots that
   may be rounding errors? */
static bool meets_dropped_rows(lw_dca *d, lw_work *w, const double q[], const double u[])
{
  const lw_model *m = d->m;
  if (!d->checked || !d->looped || d->stabilization != 0 || d->hold_rank || !w->closure ||
      w->closure->hold_rank || m->tree_constraints.link_system)
    return true;
  bool *kept = w->closure->embedding->allowed;
  if (find_kept(d, kept) && d->fineness == 0) return true;
  lwi_closure_rows(m, w, &m->tree_constraints);
  w->closure->terms = 0;
  return lwi_dropped_rows_hold(m, w, q, u, d->udot, d->fineness == 0 ? kept : NULL);
}

lw_status lwi_dca_forward(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                          const double tau[], double stabilization)
{
  const lw_model *m = d->m;
  lw_status status = LW_E_SINGULAR;
  if (d->requested.plan_only) return LW_E_STAGE;
  d->stage = LWI_DCA_NOTHING;
  w->stage = LWI_STAGE_NOTHING;
  if (!lwi_all_finite(q, m->nq) || !lwi_all_finite(u, m->nu) || !isfinite(t) ||
      (tau && !lwi_all_finite(tau, m->nu)))
    return LW_E_NUMBER;
  d->stabilization = stabilization;
  for (d->fineness = 0; d->fineness < LWI_FINENESSES; d->fineness++) {
    status = find_motion(d, w, t, q, u, tau);
    if (status != LW_OK || meets_dropped_rows(d, w, q, u)) break;
    status = LW_E_SINGULAR;
  }
  d->fineness = 0;
  if (status != LW_OK) return status;
  w->stage = LWI_STAGE_KINEMATICS;
  d->stage = LWI_DCA_MOTION;
  return LW_OK;
}

lw_status lw_dca_forward_dynamics(lw_dca *d, lw_work *w, double t, const double q[],
                                  const double u[], const double tau[], double udot[])
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || !lwi_is_single(m, w) || (m->nq && !q) || (m->nu && (!u || !udot))) return LW_E_ARG;
  const lw_status status = lwi_dca_forward(d, w, t, q, u, tau, 0);
  if (status == LW_OK && m->nu) memcpy(udot, d->udot, (size_t)m->nu * sizeof *udot);
  return status;
}
