/* SPDX-License-Identifier: Apache-2.0 */
/* closed_motion.c -- accelerations of the closed mechanism, by cut joints or by embedding; inverse dynamics; the pull
   back to where the ties hold. */
#include "tree/balance.h"
#include "tree/closure.h"
#include "tree/embedding.h"
#include "tree/work.h"

#include <string.h>

/* of the accelerations, or of the terms of a balance: an equation that lacks more has not been solved */
#define UNSOLVED 1e-6

void lwi_closure_push(const lw_model *m, lw_work *w, const double lambda[])
{
  const lwi_closure *c = w->closure;
  const lwi_ties *x = &m->ties;
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      double load[6] = {0};
      for (int r = 0; r < t->n; r++)
        for (int k = 0; k < 6; k++)
          load[k] += lambda[t->row + r] * c->J[t->J + (size_t)(6 * (p * t->n + r) + k)];
      w->kernels->push(w->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2], load);
    }
  }
}

void lwi_closure_decide_rank(const lw_model *m, lw_work *w)
{
  const lwi_rank_rule rule = lwi_closed_rule(m);
  lwi_closure_metric(m, w, &m->ties, NULL);
  lwi_closure_compliance(m, w, &m->ties, 0, &rule);
}

/* accelerations of the tree alone, and the factor of W */
static bool solve_free(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                       const double tau[], double udot[])
{
  const lwi_rank_rule rule = lwi_closed_rule(m);
  lwi_closure_place(m, w, t);
  w->kernels->forces(m, w->tree, t, q, u, NULL);
  lwi_closure_push_motors(m, w);
  if (m->ties.local) return false;
  lwi_closure_rows(m, w, &m->ties);
  const bool decide = !w->closure->hold_rank;
  if (decide && m->uneven) lwi_closure_decide_rank(m, w);
  if (!w->kernels->free_motion(m, w->tree, tau, udot)) return false;
  w->closure->plain = false;
  lwi_closure_compliance(m, w, &m->ties, 0, decide && !m->uneven ? &rule : NULL);
  return true;
}

/* what the accelerations lack in the rows that count, with a pull back; returns the largest */
static double find_lack(const lw_model *m, lw_work *w, const double udot[], const double pull[])
{
  lwi_closure *c = w->closure;
  double worst = 0;
  lwi_closure_deficit(m, w, &m->ties, udot, c->rhs);
  for (int i = 0; i < m->ties.nrow && pull; i++)
    c->rhs[i] -= pull[i];
  for (int k = 0; k < m->ties.nrow; k++) {
    double *lack = &c->rhs[c->rank.order[k]];
    if (!c->rank.kept[k]) *lack = 0;
    worst = fabs(*lack) > worst || isnan(*lack) ? fabs(*lack) : worst;
  }
  return worst;
}

/* udot of the tree alone becomes that of the closed mechanism.  udot stays of the form M^-1 (... + G' lambda), so that
   it is right when it satisfies the rows, however many digits the factor of W has lost: steps of iterative
   refinement as long as they help.  False: the rows do not hold. */
static bool meet_rows(const lw_model *m, lw_work *w, const double pull[], double udot[])
{
  enum { MOST_STEPS = 6 };
  lwi_closure *c = w->closure;
  const int n = m->ties.nrow;
  double worst = find_lack(m, w, udot, pull), size = worst + norm3(m->gravity) + 1e-250,
         before = HUGE_VAL;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(c->gamma[i]));
  memset(c->total, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < MOST_STEPS && (k == 0 || worst > 1e-13 * size) && worst < 0.5 * before; k++) {
    lwi_closure_solve(m, w, &m->ties);
    w->kernels->respond(m, w->tree, c->sum, udot);
    for (int i = 0; i < n; i++)
      c->total[i] += c->lambda[i];
    before = worst;
    worst = find_lack(m, w, udot, pull);
  }
  memcpy(c->lambda, c->total, (size_t)n * sizeof(double));
  return worst <= UNSOLVED * size;
}

/* where cut joints have lost all digits: what does not invert masses may still find the motion */
static bool embed_instead(const lw_model *m, lw_work *w)
{
  w->closure->embedding->decided = false;
  return w->closure->cost[1] > 0 && m->clusters.ncluster > 0;
}

/* checked every now and then: balance.h; lambda: loads of ties that are not yet on the links, or NULL */
static bool balances(const lw_model *m, lw_work *w, const double tau[], const double lambda[],
                     const double udot[])
{
  if (!lwi_balance_is_due(w)) return true;
  if (lambda) lwi_closure_push(m, w, lambda);
  for (int i = 0; i < m->nu; i++)
    if (!isfinite(udot[i])) return true; /* is said otherwise */
  return lwi_find_imbalance(m, w, tau) <= UNSOLVED;
}

/* by cut joints; leaves their loads on the links */
static bool move_cut(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                     const double tau[], double udot[])
{
  if (!solve_free(m, w, t, q, u, tau, udot) || !meet_rows(m, w, NULL, udot)) return false;
  lwi_closure_push(m, w, w->closure->lambda);
  return balances(m, w, tau, NULL, udot);
}

static bool move_embedded(const lw_model *m, lw_work *w, double t, const double q[],
                          const double u[], const double tau[], double udot[], bool *full)
{
  return lwi_embedding_forward(m, w, t, q, u, tau, 0, udot, full) &&
         balances(m, w, tau, NULL, udot);
}

bool lwi_closure_forward(const lw_model *m, lw_work *w, double t, const double q[],
                         const double u[], const double tau[], double udot[])
{
  lwi_closure *c = w->closure;
  bool full = false;
  if (c->way == LW_LOOPS_EMBEDDED) {
    const bool regular = move_embedded(m, w, t, q, u, tau, udot, &full);
    if (!full) return regular;
  }
  if (!move_cut(m, w, t, q, u, tau, udot))
    return embed_instead(m, w) && move_embedded(m, w, t, q, u, tau, udot, &full);
  c->forward = true;
  if (tau)
    memcpy(c->tau, tau, (size_t)m->nu * sizeof(double));
  else
    memset(c->tau, 0, (size_t)m->nu * sizeof(double));
  return true;
}

void lwi_closure_demand(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                        const double udot[], double tau[])
{
  w->kernels->kinematics(m, w->tree, q, u);
  lwi_closure_place(m, w, t);
  w->kernels->accelerations(m, w->tree, udot);
  w->kernels->forces(m, w->tree, t, q, u, NULL);
  lwi_closure_push_motors(m, w);
  w->kernels->demand(m, w->tree, tau);
}

/* right side G tau_tree of the normal equations, from E = G' */
static void project_demand(const lw_model *m, lwi_closure *c, const double tau[])
{
  const lwi_ties *x = &m->ties;
  memset(c->rhs, 0, (size_t)x->nrow * sizeof(double));
  for (int k = 0; k < m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tie *t = &x->tie[x->touch[a].tie];
      for (int i = 0; i < t->n; i++)
        c->rhs[t->row + i] += c->eps[x->touch[a].eps + (size_t)i] * tau[m->column_u[k]];
    }
}

static bool is_possible(const lw_model *m, lw_work *w, const double udot[])
{
  lwi_closure *c = w->closure;
  double size = 0, off = 0;
  lwi_closure_deficit(m, w, &m->ties, udot, c->rhs);
  for (int i = 0; i < m->nu; i++)
    size = fmax(size, fabs(udot[i]));
  for (int i = 0; i < m->ties.nrow; i++)
    off = fmax(off, fabs(c->rhs[i]));
  return off <= 1e-6 * (norm3(m->gravity) + m->length * (1 + size));
}

/* tau_tree - G' lambda is smallest for G G' lambda = G tau_tree.  With all freedoms locked the sweep
   hands loads inward unchanged, and E is G'. */
static void balance(const lw_model *m, lw_work *w, double tau[])
{
  lwi_closure *c = w->closure;
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-14, .unit = 1e-6};
  memset(c->all, 1, (size_t)m->nu * sizeof(bool));
  w->kernels->factor(m, w->tree, c->all);
  lwi_closure_sweep(m, w, &m->ties);
  for (int k = 0; k < m->nu; k++)
    c->Dinv[k] = 1;
  lwi_closure_couple(m, w, &m->ties, 0, &rule);
  project_demand(m, c, tau);
  lwi_closure_solve(m, w, &m->ties);
  for (int k = 0; k < m->nu; k++)
    tau[m->column_u[k]] -= c->sum[k];
  lwi_closure_push(m, w, c->lambda);
}

void lwi_closure_balance(const lw_model *m, lw_work *w, double t, const double q[],
                         const double u[], const double udot[], double tau[])
{
  lwi_closure_demand(m, w, t, q, u, udot, tau);
  lwi_closure_rows(m, w, &m->ties);
  balance(m, w, tau);
}

bool lwi_closure_inverse(const lw_model *m, lw_work *w, double t, const double q[],
                         const double u[], const double udot[], double tau[])
{
  lwi_closure_demand(m, w, t, q, u, udot, tau);
  lwi_closure_rows(m, w, &m->ties);
  if (!is_possible(m, w, udot)) return false;
  balance(m, w, tau);
  return true;
}

static void find_pull(const lw_model *m, lw_work *w, const double q[], double pull)
{
  double *rhs = w->closure->rhs;
  lwi_closure_residual(m, w, &m->ties, q, rhs);
  for (int i = 0; i < m->ties.nrow; i++)
    rhs[i] *= -pull;
}

bool lwi_closure_pulled(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                        double pull, double udot[], double slide[])
{
  lwi_closure *c = w->closure;
  const lwi_ties *x = &m->ties;
  bool full = false;
  memset(slide, 0, (size_t)m->nu * sizeof(double));
  w->kernels->kinematics(m, w->tree, q, u);
  if (c->way == LW_LOOPS_EMBEDDED) {
    const bool regular = lwi_embedding_forward(m, w, t, q, u, NULL, pull, udot, &full) &&
                         balances(m, w, NULL, NULL, udot);
    if (!full && (!regular || pull == 0)) return regular;
  }
  if (c->way == LW_LOOPS_EMBEDDED && !full) {
    find_pull(m, w, q, pull);
    lwi_embedding_respond(m, w, c->rhs, slide);
    return true;
  }
  if (!solve_free(m, w, t, q, u, NULL, udot)) return false;
  lwi_closure_rate(m, w, x, u, c->other);
  for (int i = 0; i < x->nrow; i++)
    c->other[i] *= pull;
  if (!meet_rows(m, w, c->other, udot)) return false;
  if (!balances(m, w, NULL, c->lambda, udot)) return false;
  if (pull == 0) return true;
  find_pull(m, w, q, pull);
  lwi_closure_solve(m, w, x);
  w->kernels->respond(m, w->tree, c->sum, slide);
  return true;
}

/* What is added to accelerations of links for the slide, a hundredth of an error of the step over its length, stays. */
void lwi_closure_recall(const lw_model *m, lw_work *w)
{
  lwi_closure *c = w->closure;
  w->stage = LWI_STAGE_DYNAMICS;
  if (c->reduced) return;
  memcpy(c->lambda, c->total, (size_t)m->ties.nrow * sizeof(double));
  lwi_closure_push(m, w, c->lambda);
}
