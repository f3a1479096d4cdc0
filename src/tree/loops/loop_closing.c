/* SPDX-License-Identifier: Apache-2.0 */
/* loop_closing.c -- closes loops: a state near a given one that satisfies all constraints.

   Positions by damped Gauss-Newton steps in a metric C,
     delta = -C^-1 G^T (W + mu 1)^-1 phi,   W = G C^-1 G^T,   mu proportional to |phi|
   which converge quadratically also with redundant rows, since mu vanishes with phi and dependent
   rows are then dropped.  Held freedoms do not move.  From a rough guess C is the metric of the
   coordinates: the branch on which loops close is a matter of geometry.  From there
   nearest_closing.c finds the closed position nearest to the given one.  A state that is slightly
   off is brought back in the metric of the mass matrix.  Speeds follow by one projection in that
   metric: the nearest ones in kinetic energy. */
#include "math/finite.h"
#include "math/arrays.h"
#include "base/fail.h"
#include "linkwork/loops.h"
#include "tree/loops/loop_closing.h"
#include "tree/loops/explain.h"
#include "tree/loops/closure.h"
#include "tree/loops/embedding.h"
#include "tree/loops/work.h"

#include <float.h>
#include <limits.h>
#include <string.h>

enum { MOST_STEPS = 200, TRIES = 8 };
static const double closed = 1e-10; /* violation that counts as closed, unless the model says ... */
static const double exhausted = 1e-15; /* ... and that can hardly be improved, relative to length */
static const double longest_step = 0.5; /* rad, or typical lengths */

/* all freedoms may move, by mass */
static lwi_search begin(const lw_model *m, lw_work *w, const lwi_tree_constraints *x, double t,
                        double *q)
{
  lwi_search s = {
      .m = m, .w = w, .x = x, .by_mass = true, .t = t, .q = q, .trial = w->closure->scratch};
  s.rate = s.trial + m->nq;
  s.delta = s.rate + m->nq;
  s.zero_speed = s.delta + m->nu;
  memset(s.zero_speed, 0, (size_t)m->nu * sizeof(double));
  return s;
}

lwi_search lwi_search_begin(const lw_model *m, lw_work *w, double t, double q[])
{
  lwi_search s = begin(m, w, &m->assembly, t, q);
  s.held = m->held;
  s.by_mass = false;
  return s;
}

lwi_search lwi_search_all(const lw_model *m, lw_work *w, double t, double q[])
{
  return begin(m, w, &m->tree_constraints, t, q);
}

/* ---- violation ---- */

bool lwi_search_is_gear(const lwi_search *s, const lwi_tree_constraint *t)
{
  return t->kind == LWI_TREE_CONSTRAINT_RELATION &&
         s->m->constraint[t->id].relation.type == LW_GEAR;
}

/* rows and scaled violation at q into rhs; gears are left out (docs/format.md 4.2) */
double lwi_search_find_violation(const lwi_search *s, const double *q)
{
  lwi_closure *c = s->w->closure;
  s->w->kernels->kinematics(s->m, s->w->tree, q, s->zero_speed);
  lwi_closure_place(s->m, s->w, s->t);
  lwi_closure_rows(s->m, s->w, s->x);
  lwi_closure_residual(s->m, s->w, s->x, q, c->rhs);
  for (int i = 0; i < s->x->nconstraint && s->held; i++) {
    const lwi_tree_constraint *t = &s->x->constraint[i];
    if (!lwi_search_is_gear(s, t)) continue;
    memset(c->J + t->J, 0, (size_t)(12 * t->npair) * sizeof(double));
    c->rhs[t->row] = c->scale[t->row] = 0;
  }
  return sqrt(lwi_dot(c->rhs, c->rhs, s->x->nrow));
}

/* Violation due to rounding errors: on a path of many links the error of each angle moves all links
   outward of it.  Matters only in large mechanisms. */
static double noise(const lwi_search *s)
{
  const lwi_closure *c = s->w->closure;
  double reach = 0;
  for (int i = 0; i < 2 * s->m->npair; i++)
    reach = fmax(reach, norm3(c->pair[i / 2].frame[i % 2].p));
  return 0.5 * DBL_EPSILON * reach * sqrt((double)s->m->nlink * s->x->nrow);
}

static bool is_closed(const lwi_search *s, double gap)
{
  const double given = s->m->simulation.loop_tolerance;
  return gap <= fmax((given > 0 ? given : closed) * s->m->length, noise(s));
}

/* ---- one step ---- */

/* delta from the violation in rhs */
static void find_step(const lwi_search *s, double damping, double gap)
{
  lwi_closure *c = s->w->closure;
  const double part = gap / s->m->length;
  lwi_rank_rule rule = lwi_closed_rule(s->m);
  if (damping == 0) rule.dependent = fmin(0.1, rule.dependent + 100 * part * part);
  if (s->by_mass)
    lwi_closure_metric(s->m, s->w, s->x, s->held);
  else
    lwi_closure_plain_metric(s->m, s->w, s->x, s->held);
  lwi_closure_compliance(s->m, s->w, s->x, damping, c->hold_rank ? NULL : &rule);
  for (int i = 0; i < s->x->nrow; i++)
    c->rhs[i] = -c->rhs[i];
  lwi_closure_solve(s->m, s->w, s->x);
  memset(s->delta, 0, (size_t)s->m->nu * sizeof(double));
  lwi_closure_move(s->m, s->w, s->delta);
}

/* trial = q moved by delta; false: not finite */
static bool take_step(const lwi_search *s, const double *q)
{
  lw_coordinate_rates(s->m, q, s->delta, s->rate);
  for (int i = 0; i < s->m->nq; i++)
    s->trial[i] = q[i] + s->rate[i];
  if (!lwi_all_finite(s->trial, s->m->nq)) return false;
  return lw_normalize(s->m, s->trial) == LW_OK;
}

static void shorten(const lwi_search *s)
{
  const double most = lwi_largest_or_nan(s->delta, s->m->nu),
               limit = longest_step * fmax(1, s->m->length);
  for (int i = 0; i < s->m->nu && most > limit; i++)
    s->delta[i] *= limit / most;
}

/* ---- positions ---- */

/* Does it close as well as the file that the model comes from says?  Redundant equations may be wrong by its rounding errors, and
   no further step closes them. */
static bool closes_as_given(const lwi_search *s, double gap)
{
  return gap <= s->m->simulation.loop_tolerance * s->m->length;
}

double lwi_search_close(const lwi_search *s)
{
  const size_t size = (size_t)s->m->nq * sizeof(double);
  double gap = lwi_search_find_violation(s, s->q), caution = 1;
  const double least = fmax(exhausted * s->m->length, 0.1 * noise(s));
  for (int i = 0; i < MOST_STEPS && gap > least && caution < 1e12; i++) {
    const double damping = caution * fmin(1e-2, gap / s->m->length);
    find_step(s, damping, gap);
    shorten(s);
    const double before = gap;
    gap = take_step(s, s->q) ? lwi_search_find_violation(s, s->trial) : HUGE_VAL;
    if (gap > 0.9 * before && closes_as_given(s, before)) return lwi_search_find_violation(s, s->q);
    if (gap < before) {
      memcpy(s->q, s->trial, size);
      caution = fmax(1e-3, caution / 4);
      if (gap > 0.5 * before && before < fmax(1e-11 * s->m->length, noise(s))) break;
      continue;
    }
    caution *= 10;
    if (before < fmax(1e-12 * s->m->length, 0.1 * noise(s))) caution = 1e12; /* rounding errors */
    gap = lwi_search_find_violation(s, s->q);
  }
  return gap;
}

bool lwi_search_is_closed(const lwi_search *s, double violation)
{
  return is_closed(s, violation);
}

/* another start: disturbs all freedoms that may move, reproducibly */
static void shake(const lwi_search *s, const double *from, unsigned k)
{
  uint32_t seed = 12345u + 1000003u * k;
  for (int i = 1; i < s->m->nlink; i++)
    for (int j = 0; j < s->m->link[i].nu; j++) {
      const lwi_link *L = &s->m->link[i];
      seed = 1664525u * seed + 1013904223u;
      const double x = (double)(seed >> 8) / (1 << 24) - 0.5;
      s->delta[L->u + j] = s->held[L->column + j] || j < L->inertialess ? 0 : 0.2 * k * x;
    }
  if (take_step(s, from)) memcpy(s->q, s->trial, (size_t)s->m->nq * sizeof(double));
}

void lwi_search_remember_gears(const lwi_search *s)
{
  for (int i = 0; i < s->m->tree_constraints.nconstraint; i++)
    if (lwi_search_is_gear(s, &s->m->tree_constraints.constraint[i]))
      s->w->closure->start[s->m->tree_constraints.constraint[i].id] =
          lwi_closure_relation_sum(s->m, s->w, &s->m->tree_constraints, i, s->q);
}

/* angles of cut joints start near the written ones */
static void remember_angles(const lw_model *m, lw_work *w)
{
  double *q = w->kernels->part(w->tree, LWI_CUT_Q);
  for (int i = 1; i <= m->njoint; i++)
    if (m->joint[i].info.cut)
      memcpy(q + (m->joint[i].info.q_all - m->nq), m->joint[i].q,
             (size_t)m->joint[i].info.nq * sizeof(double));
}

/* ---- the public functions ---- */

/* q and u in place */
static lw_status close_all(const lw_model *m, lw_work *w, double t, double q[], double u[],
                           lw_error *err)
{
  lwi_search s = lwi_search_begin(m, w, t, q);
  double *written = s.zero_speed + m->nu, *best = written + m->nq, left = HUGE_VAL;
  const size_t size = (size_t)m->nq * sizeof(double);
  w->closure->hold_rank = w->closure->keep_rank = false;
  memcpy(written, q, size);
  for (unsigned k = 0; k < TRIES && !is_closed(&s, left); k++) {
    remember_angles(m, w);
    if (k > 0) shake(&s, written, k);
    const double gap = lwi_search_close(&s);
    if (k == 0 || gap < left) memcpy(best, q, size), left = gap;
  }
  memcpy(q, best, size);
  if (is_closed(&s, left) && memcmp(q, written, size) != 0) lwi_search_nearest(&s, written);
  lwi_search_find_violation(&s, q);
  if (!is_closed(&s, left)) return lwi_search_complain(&s, err);
  lwi_search_remember_gears(&s);
  left = lwi_search_close_speeds(&s, u, true);
  const double tolerated = fmax(1e-8, m->simulation.loop_tolerance);
  if (left <= tolerated * (m->length + lwi_largest_or_nan(u, m->nu))) return LW_OK;
  return lwi_contradictory_speeds(m, left, err);
}

static bool usable(const lw_model *m, const lw_work *w, const double *q, const double *u)
{
  return lwi_is_single(m, w) && (!m->nq || q) && (!m->nu || u);
}

lw_status lw_close_loops(lw_work *w, double t, double q[], double u[], lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  if (!usable(m, w, q, u)) return lwi_fail(err, LW_E_ARG, "lw_close_loops: an argument is missing");
  lwi_copy(w->q, q, m->nq);
  lwi_copy(w->u, u, m->nu);
  w->stage = LWI_STAGE_NOTHING;
  if (lw_normalize(m, w->q) != LW_OK)
    return lwi_fail(err, LW_E_NUMBER, "a quaternion of the initial state is zero");
  const lw_status status = w->closure ? close_all(m, w, t, w->q, w->u, err) : LW_OK;
  if (status != LW_OK) return status;
  lwi_copy(q, w->q, m->nq);
  lwi_copy(u, w->u, m->nu);
  return LW_OK;
}

/* costs of both methods at the assembled start, and whether they are available */
static void count_costs(const lw_model *m, lw_work *w)
{
  lwi_closure *c = w->closure;
  const lwi_rank_rule rule = lwi_embedded_rule(m);
  w->kernels->kinematics(m, w->tree, w->q, w->u);
  lwi_closure_place(m, w, m->start);
  lwi_closure_rows(m, w, &m->tree_constraints);
  const bool nodes = m->clusters.ncluster > 0 && !m->clusters.locked;
  c->cost[1] = nodes && lwi_embedding_reduce(m, w, &rule) ? lwi_embedding_cost(m, w) : 0;
  const bool open = !m->tree_constraints.local,
             regular = open && w->kernels->forward(m, w->tree, 0, w->q, w->u, NULL, w->out);
  c->cost[0] = regular || (open && c->cost[1] == 0) ? lwi_closure_cost(m) : 0;
  c->reduced = false;
}

void lwi_closure_start(const lw_model *m, lw_work *w)
{
  if (!w->closure || w->kernels->lanes != 1) return;
  lw_initial_state(m, w->q, w->u);
  if (lw_normalize(m, w->q) == LW_OK) close_all(m, w, m->start, w->q, w->u, NULL);
  count_costs(m, w);
  lwi_closure_choose(m, w, LW_LOOPS_AUTO);
}

/* Newton's method from s->q; *rank: of the first step.  Returns the remaining violation; NAN: a
   number is not finite. */
static double project(const lwi_search *s, int *rank)
{
  double gap = lwi_search_find_violation(s, s->q);
  const double least = fmax(exhausted * s->m->length, 0.1 * noise(s));
  for (int i = 0; i < 10 && gap > least; i++) {
    const double before = gap;
    find_step(s, 0, gap);
    if (i == 0) *rank = s->w->closure->rank.rank;
    if (!take_step(s, s->q)) return NAN;
    gap = lwi_search_find_violation(s, s->trial);
    if (!(gap < before)) return before;
    lwi_copy(s->q, s->trial, s->m->nq);
  }
  return gap;
}

/* The same by the rows that count where the constraints hold: those that appear dependent from far
   off may not be, and the nearest state is that by all of them. */
static double project_by_rank(const lwi_search *s, const double q[])
{
  lwi_closure *c = s->w->closure;
  int first = INT_MAX;
  double gap = project(s, &first);
  if (c->hold_rank || !is_closed(s, gap) || c->rank.rank <= first) return gap;
  double *found = s->zero_speed + s->m->nu;
  lwi_copy(found, s->q, s->m->nq);
  lwi_copy(s->q, q, s->m->nq);
  c->hold_rank = true;
  const double again = project(s, &first);
  c->hold_rank = false;
  if (is_closed(s, again)) return again;
  lwi_copy(s->q, found, s->m->nq);
  return gap;
}

lw_status lw_project(lw_work *w, double t, double q[], double u[])
{
  const lw_model *m = lwi_work_model(w);
  if (!usable(m, w, q, u)) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  if (!w->closure) return LW_OK;
  lwi_copy(w->q, q, m->nq);
  lwi_copy(w->u, u, m->nu);
  /* with loops in series, constraints that reach to the ground are expensive; where dynamics uses
     local ones, a small correction does so too */
  const bool wide = m->tree_constraints.envelope.nvalue > 2 * m->near.envelope.nvalue;
  const bool local = wide && w->closure->method == LW_LOOPS_EMBEDDED;
  const lwi_search s = begin(m, w, local ? &m->near : &m->tree_constraints, t, w->q);
  const double gap = project_by_rank(&s, q);
  if (isnan(gap)) return LW_E_NUMBER;
  /* dropped equations contradict the others: a driver against a loop */
  if (!w->closure->hold_rank && !is_closed(&s, gap)) return LW_E_NOT_CONVERGED;
  lwi_search_close_speeds(&s, w->u, false);
  if (!lwi_all_finite(w->u, m->nu)) return LW_E_NUMBER;
  lwi_copy(q, w->q, m->nq);
  lwi_copy(u, w->u, m->nu);
  w->stage = LWI_STAGE_KINEMATICS;
  return LW_OK;
}

lw_status lw_drift(lw_work *w, double t, const double q[], double *drift)
{
  const lw_model *m = lwi_work_model(w);
  if (!usable(m, w, q, q) || !drift) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  *drift = 0;
  if (!w->closure) return LW_OK;
  const lwi_search s = begin(m, w, &m->tree_constraints, t, w->q);
  lwi_search_find_violation(&s, q);
  for (int i = 0; i < m->tree_constraints.nrow; i++) {
    const double x = fabs(w->closure->rhs[i] / w->closure->scale[i]);
    if (!(x <= *drift)) *drift = x;
  }
  return isfinite(*drift) ? LW_OK : LW_E_NUMBER;
}

/* ---- counting ---- */

lw_status lw_dof(lw_work *w, const double q[], int *dof, int *redundant)
{
  const lw_model *m = lwi_work_model(w);
  int unused[2];
  if (!usable(m, w, q, q)) return LW_E_ARG;
  if (!dof) dof = &unused[0];
  if (!redundant) redundant = &unused[1];
  *dof = m->ndof;
  *redundant = 0;
  w->stage = LWI_STAGE_NOTHING;
  if (!w->closure) return LW_OK;
  const lwi_search s = begin(m, w, &m->tree_constraints, 0, w->q);
  lwi_search_find_violation(&s, q);
  lwi_closure_metric(m, w, &m->tree_constraints, NULL);
  const lwi_rank_rule rule = lwi_closed_rule(m);
  lwi_closure_compliance(m, w, &m->tree_constraints, 0, &rule);
  *dof = m->ndof - w->closure->rank.rank;
  *redundant = m->tree_constraints.nrow - w->closure->rank.rank;
  return LW_OK;
}
