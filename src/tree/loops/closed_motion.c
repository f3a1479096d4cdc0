/* SPDX-License-Identifier: Apache-2.0 */
/* closed_motion.c -- accelerations of the closed mechanism, by cut joints or by embedding; inverse
   dynamics; stabilization of the constraints.

     M udot + bias = tau + G^T lambda,   G udot = gamma

   With cut joints W lambda = gamma - G udot_free is solved (closure.h), with embedding the
   dependent speeds are eliminated first (embedding.h).  docs/theory/loops.md */
#include "math/finite.h"
#include "tree/loops/force_balance.h"
#include "tree/loops/closure.h"
#include "tree/loops/dropped_rows.h"
#include "tree/loops/embedding.h"
#include "tree/loops/work.h"

#include <string.h>

/* relative to the accelerations, or to the terms of a force balance: an equation with a larger
   residual counts as unsolved */
#define UNSOLVED 1e-6

void lwi_closure_apply_loads(const lw_model *m, lw_work *w, const double lambda[])
{
  const lwi_closure *c = w->closure;
  const lwi_tree_constraints *x = &m->tree_constraints;
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      double load[6];
      lwi_row_load(t, p, c->J, lambda, load);
      w->kernels->push(w->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2], load);
    }
  }
}

/* the rule of forward dynamics: down to rounding errors of squared distances, where it was too coarse */
static lwi_rank_rule forward_rule(const lw_model *m, const lw_work *w)
{
  static const double finer[LWI_FINENESSES] = {1, 1e-3, 1e-5};
  lwi_rank_rule rule = lwi_closed_rule(m);
  rule.dependent *= finer[w->closure->fineness];
  return rule;
}

void lwi_closure_decide_rank(const lw_model *m, lw_work *w)
{
  const lwi_rank_rule rule = forward_rule(m, w);
  lwi_closure_metric(m, w, &m->tree_constraints, NULL);
  lwi_closure_compliance(m, w, &m->tree_constraints, 0, &rule);
}

/* accelerations of the tree alone, and the factor of W */
static bool solve_free(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                       const double tau[], double udot[])
{
  const lwi_rank_rule rule = forward_rule(m, w);
  lwi_closure_place(m, w, t);
  w->kernels->forces(m, w->tree, t, q, u, NULL);
  lwi_closure_apply_motors(m, w);
  if (m->tree_constraints.local) return false;
  lwi_closure_rows(m, w, &m->tree_constraints);
  const bool decide = !w->closure->hold_rank;
  if (decide && m->has_light_bodies) lwi_closure_decide_rank(m, w);
  if (!w->kernels->free_motion(m, w->tree, tau, udot)) return false;
  w->closure->plain = false;
  lwi_closure_compliance(m, w, &m->tree_constraints, 0,
                         decide && !m->has_light_bodies ? &rule : NULL);
  return true;
}

/* residual gamma - G udot of the rows that count, with stabilization, into rhs; returns the
   largest */
static double find_residual(const lw_model *m, lw_work *w, const double udot[],
                            const double stabilization[])
{
  lwi_closure *c = w->closure;
  double worst = 0;
  lwi_closure_deficit(m, w, &m->tree_constraints, udot, c->rhs);
  for (int i = 0; i < m->tree_constraints.nrow && stabilization; i++)
    c->rhs[i] -= stabilization[i];
  for (int k = 0; k < m->tree_constraints.nrow; k++) {
    double *residual = &c->rhs[c->rank.order[k]];
    if (!c->rank.kept[k]) *residual = 0;
    worst = fabs(*residual) > worst || isnan(*residual) ? fabs(*residual) : worst;
  }
  return worst;
}

/* the joint or constraint with the largest residual in rhs; size: of its terms */
static void note_worst_row(const lw_model *m, lw_work *w, double size)
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  double most = -1;
  for (int i = 0; i < x->nconstraint; i++)
    for (int r = x->constraint[i].row; r < x->constraint[i].row + x->constraint[i].n; r++) {
      const double residual = fabs(w->closure->rhs[r]);
      const lwi_tree_constraint_kind kind = x->constraint[i].kind;
      const bool joint =
          kind != LWI_TREE_CONSTRAINT_GEOMETRIC && kind != LWI_TREE_CONSTRAINT_RELATION;
      if (residual <= most) continue;
      most = residual;
      w->unsolved = (lwi_unsolved){.joint = joint ? x->constraint[i].id : 0,
                                   .constraint = joint ? 0 : x->constraint[i].id,
                                   .residual = residual / size};
    }
}

/* Turns udot of the tree alone into that of the closed mechanism, by iterative refinement.  Each
   step keeps the form udot = M^-1 (... + G^T lambda), so that udot is correct as soon as it
   satisfies the rows, however inaccurate the factor of W is.  Returns false if the rows cannot be
   satisfied. */
static bool meet_rows(const lw_model *m, lw_work *w, const double stabilization[], double udot[])
{
  enum { MOST_STEPS = 6 };
  lwi_closure *c = w->closure;
  const int n = m->tree_constraints.nrow;
  double worst = find_residual(m, w, udot, stabilization),
         size = worst + norm3(m->gravity) + 1e-250, before = HUGE_VAL;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(c->gamma[i]));
  memset(c->total, 0, (size_t)n * sizeof(double));
  c->terms = size;
  for (int k = 0; k < MOST_STEPS && (k == 0 || worst > 1e-13 * size) && worst < 0.5 * before; k++) {
    lwi_closure_solve(m, w, &m->tree_constraints);
    w->kernels->solve_response(m, w->tree, c->sum, udot);
    for (int i = 0; i < n; i++)
      c->total[i] += c->lambda[i];
    before = worst;
    worst = find_residual(m, w, udot, stabilization);
  }
  memcpy(c->lambda, c->total, (size_t)n * sizeof(double));
  if (!(worst <= UNSOLVED * size)) note_worst_row(m, w, size);
  return worst <= UNSOLVED * size;
}

/* checks one call in LWI_BALANCE_EVERY (force_balance.h); lambda: multipliers whose loads are not
   yet on the links, or NULL */
static bool balances(const lw_model *m, lw_work *w, const double tau[], const double lambda[],
                     const double udot[])
{
  if (!lwi_balance_is_due(w)) return true;
  if (lambda) lwi_closure_apply_loads(m, w, lambda);
  if (!lwi_all_finite(udot, m->nu)) return true; /* reported elsewhere */
  return lwi_find_imbalance(m, w, tau) <= UNSOLVED;
}

/* with the present fineness of decisions about rows */
static bool find_motion(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                        const double tau[], double udot[])
{
  lwi_closure *c = w->closure;
  bool full = false;
  /* embedding: the recursion over clusters in their independent speeds, if these fit */
  if (c->method == LW_LOOPS_EMBEDDED) {
    const bool regular =
        lwi_embedding_forward(w, t, q, u, tau, 0, udot, &full) && balances(m, w, tau, NULL, udot);
    if (!full) return regular;
  }
  /* cut joints: udot of the tree alone; W lambda = gamma - G udot; udot += M^-1 G^T lambda */
  bool solved = solve_free(m, w, t, q, u, tau, udot) && meet_rows(m, w, NULL, udot);
  if (solved) {
    lwi_closure_apply_loads(m, w, c->lambda);
    solved = balances(m, w, tau, NULL, udot);
  }
  if (!solved) { /* cut joints have lost all digits: embedding does not invert masses */
    c->embedding->decided = false;
    return c->cost[1] > 0 && m->clusters.ncluster > 0 &&
           lwi_embedding_forward(w, t, q, u, tau, 0, udot, &full) &&
           balances(m, w, tau, NULL, udot);
  }
  c->forward = true;
  if (tau)
    memcpy(c->tau, tau, (size_t)m->nu * sizeof(double));
  else
    memset(c->tau, 0, (size_t)m->nu * sizeof(double));
  return true;
}

/* Do the accelerations meet the rows that a decision in this call has dropped, and those that it kept with pivots that
   may be rounding errors? */
static bool meets_dropped_rows(const lw_model *m, lw_work *w, const double q[], const double u[],
                               const double udot[])
{
  const lwi_closure *c = w->closure;
  const int n = m->tree_constraints.nrow;
  bool *kept = c->embedding->allowed;
  int rank = 0;
  if (c->hold_rank || m->tree_constraints.link_system) return true;
  for (int k = 0; k < n; k++) {
    const int row = c->reduced ? k : c->rank.order[k];
    kept[row] = c->reduced ? c->embedding->kept[k] : c->rank.kept[k];
    rank += kept[row];
  }
  if (c->fineness == 0 && rank == n) return true;
  return lwi_dropped_rows_hold(m, w, q, u, udot, c->fineness == 0 ? kept : NULL);
}

/* Forward dynamics of a closed mechanism (docs/theory/loops.md), after kinematics. */
bool lwi_closure_forward(const lw_model *m, lw_work *w, double t, const double q[],
                         const double u[], const double tau[], double udot[])
{
  lwi_closure *c = w->closure;
  bool solved = false;
  for (c->fineness = 0; c->fineness < LWI_FINENESSES; c->fineness++) {
    solved = find_motion(m, w, t, q, u, tau, udot);
    if (!solved) break;
    solved = meets_dropped_rows(m, w, q, u, udot);
    if (solved) break;
  }
  c->fineness = 0;
  return solved;
}

void lwi_closure_required_tau(const lw_model *m, lw_work *w, double t, const double q[],
                              const double u[], const double udot[], double tau[])
{
  w->kernels->kinematics(m, w->tree, q, u);
  lwi_closure_place(m, w, t);
  w->kernels->accelerations(m, w->tree, udot);
  w->kernels->forces(m, w->tree, t, q, u, NULL);
  lwi_closure_apply_motors(m, w);
  w->kernels->required_tau(m, w->tree, tau);
}

/* right side G tau_tree of the normal equations, from E = G^T */
static void project_required_tau(const lw_model *m, lwi_closure *c, const double tau[])
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  memset(c->rhs, 0, (size_t)x->nrow * sizeof(double));
  for (int k = 0; k < m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tree_constraint *t = &x->constraint[x->touch[a].constraint];
      for (int i = 0; i < t->n; i++)
        c->rhs[t->row + i] += c->eps[x->touch[a].eps + (size_t)i] * tau[m->column_u[k]];
    }
}

static bool is_possible(const lw_model *m, lw_work *w, const double udot[])
{
  lwi_closure *c = w->closure;
  double size = 0, off = 0;
  lwi_closure_deficit(m, w, &m->tree_constraints, udot, c->rhs);
  for (int i = 0; i < m->nu; i++)
    size = fmax(size, fabs(udot[i]));
  for (int i = 0; i < m->tree_constraints.nrow; i++)
    off = fmax(off, fabs(c->rhs[i]));
  return off <= 1e-6 * (norm3(m->gravity) + m->length * (1 + size));
}

/* The smallest tau_tree - G^T lambda is that with G G^T lambda = G tau_tree.  With all freedoms
   locked the sweep passes loads inward unchanged, so that E is G^T. */
static void balance(const lw_model *m, lw_work *w, double tau[])
{
  lwi_closure *c = w->closure;
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-14, .unit = 1e-6};
  memset(c->all, 1, (size_t)m->nu * sizeof(bool));
  w->kernels->factor(m, w->tree, c->all);
  lwi_closure_sweep(m, w, &m->tree_constraints);
  for (int k = 0; k < m->nu; k++)
    c->Dinv[k] = 1;
  lwi_closure_couple(m, w, &m->tree_constraints, 0, &rule);
  project_required_tau(m, c, tau);
  lwi_closure_solve(m, w, &m->tree_constraints);
  for (int k = 0; k < m->nu; k++)
    tau[m->column_u[k]] -= c->sum[k];
  lwi_closure_apply_loads(m, w, c->lambda);
}

void lwi_closure_balance(const lw_model *m, lw_work *w, double t, const double q[],
                         const double u[], const double udot[], double tau[])
{
  lwi_closure_required_tau(m, w, t, q, u, udot, tau);
  lwi_closure_rows(m, w, &m->tree_constraints);
  balance(m, w, tau);
}

bool lwi_closure_inverse(const lw_model *m, lw_work *w, double t, const double q[],
                         const double u[], const double udot[], double tau[])
{
  lwi_closure_required_tau(m, w, t, q, u, udot, tau);
  lwi_closure_rows(m, w, &m->tree_constraints);
  if (!is_possible(m, w, udot)) return false;
  balance(m, w, tau);
  return true;
}

static void find_stabilization(const lw_model *m, lw_work *w, const double q[],
                               double stabilization)
{
  double *rhs = w->closure->rhs;
  lwi_closure_residual(m, w, &m->tree_constraints, q, rhs);
  for (int i = 0; i < m->tree_constraints.nrow; i++)
    rhs[i] *= -stabilization;
}

bool lwi_closure_stabilized(const lw_model *m, lw_work *w, double t, const double q[],
                            const double u[], double stabilization, double udot[],
                            double position_correction[])
{
  lwi_closure *c = w->closure;
  const lwi_tree_constraints *x = &m->tree_constraints;
  bool full = false;
  memset(position_correction, 0, (size_t)m->nu * sizeof(double));
  w->kernels->kinematics(m, w->tree, q, u);
  if (c->method == LW_LOOPS_EMBEDDED) {
    const bool regular = lwi_embedding_forward(w, t, q, u, NULL, stabilization, udot, &full) &&
                         balances(m, w, NULL, NULL, udot);
    if (!full && (!regular || stabilization == 0)) return regular;
  }
  if (c->method == LW_LOOPS_EMBEDDED && !full) {
    find_stabilization(m, w, q, stabilization);
    lwi_embedding_solve_response(m, w, c->rhs, position_correction);
    return true;
  }
  if (!solve_free(m, w, t, q, u, NULL, udot)) return false;
  lwi_closure_rate(m, w, x, u, c->other);
  for (int i = 0; i < x->nrow; i++)
    c->other[i] *= stabilization;
  if (!meet_rows(m, w, c->other, udot)) return false;
  if (!balances(m, w, NULL, c->lambda, udot)) return false;
  if (stabilization == 0) return true;
  find_stabilization(m, w, q, stabilization);
  lwi_closure_solve(m, w, x);
  w->kernels->solve_response(m, w->tree, c->sum, position_correction);
  return true;
}

/* The accelerations of links keep what the position correction added: about a hundredth of the
   step's error over its length. */
void lwi_closure_recall(const lw_model *m, lw_work *w)
{
  lwi_closure *c = w->closure;
  w->stage = LWI_STAGE_DYNAMICS;
  if (c->reduced) return;
  memcpy(c->lambda, c->total, (size_t)m->tree_constraints.nrow * sizeof(double));
  lwi_closure_apply_loads(m, w, c->lambda);
}
