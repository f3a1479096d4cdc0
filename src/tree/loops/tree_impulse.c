/* SPDX-License-Identifier: Apache-2.0 */
/* tree_impulse.c -- speeds after an impulse, M u = J^T p + G^T lambda with G u = nu, and the
   impulses that joints transmit (tree_impulse.h).  The recursions are those of forward dynamics
   [RBDA]; docs/theory/events.md. */
#include "math/finite.h"
#include "tree/loops/tree_impulse.h"
#include "tree/loops/closure.h"
#include "tree/loops/constraint_loads.h"
#include "tree/loops/work.h"

#include <string.h>

/* relative to the velocities: a row with a larger residual counts as unsolved */
#define UNSOLVED 1e-6

/* ---- momenta ---- */

static void link_frame(const lw_model *m, const lw_work *w, int link, rot3 *R, double p[3])
{
  double C[9];
  w->kernels->get_frame(m, w->tree, link, C, p);
  *R = rot_columns(C);
}

void lwi_total_momentum(const lw_model *m, const lw_work *w, double (*p)[6], double h[6])
{
  memset(h, 0, 6 * sizeof(double));
  for (int i = 1; i < m->nlink; i++) {
    rot3 R;
    double at[3], moment[3];
    link_frame(m, w, i, &R, at);
    cross3(at, p[i] + 3, moment);
    for (int k = 0; k < 3; k++) {
      h[k] += p[i][k] + moment[k];
      h[3 + k] += p[i][3 + k];
    }
  }
}

/* shifts a load from one point to another */
static void shift_load(const double from[3], const double to[3], const double load[6],
                       double out[6])
{
  const double arm[3] = {from[0] - to[0], from[1] - to[1], from[2] - to[2]};
  double moment[3];
  cross3(arm, load + 3, moment);
  for (int i = 0; i < 3; i++) {
    out[i] = load[i] + moment[i];
    out[3 + i] = load[3 + i];
  }
}

void lwi_link_load_at(const lw_model *m, const lw_work *w, int link, const double point[3],
                      const double load[6], double out[6])
{
  rot3 R;
  double at[3];
  link_frame(m, w, link, &R, at);
  shift_load(point, at, load, out);
}

void lwi_load_from_link(const lw_model *m, const lw_work *w, int link, const double point[3],
                        const double load[6], double out[6])
{
  rot3 R;
  double at[3];
  link_frame(m, w, link, &R, at);
  shift_load(at, point, load, out);
}

/* ---- speeds ---- */

/* u = M^-1 J^T p of the tree alone */
static bool solve_tree(const lw_model *m, lw_work *w, const double q[], double (*p)[6], double u[])
{
  for (int i = 0; i < m->nu; i++)
    u[i] = w->in[i] = 0;
  w->kernels->kinematics(m, w->tree, q, w->in);
  if (!w->kernels->factor(m, w->tree, NULL)) return false;
  w->kernels->innovate(m, w->tree, p, w->in);
  w->kernels->solve_response(m, w->tree, w->in, u);
  return true;
}

/* Rows of all constraints, their rank, and the factor of W with the mass matrix. */
static bool factor_constraints(const lw_model *m, lw_work *w)
{
  const lwi_rank_rule rule = lwi_closed_rule(m);
  lwi_closure_rows(m, w, &m->tree_constraints);
  if (m->has_light_bodies) {
    lwi_closure_decide_rank(m, w);
    if (!w->kernels->factor(m, w->tree, NULL)) return false;
  }
  w->closure->plain = false;
  lwi_closure_compliance(m, w, &m->tree_constraints, 0, m->has_light_bodies ? NULL : &rule);
  return true;
}

/* the largest velocity of a link, rotations at a typical lever arm */
static double largest_speed(const lw_model *m, const lw_work *w)
{
  double most = 0, V[6], A[6];
  for (int i = 1; i < m->nlink; i++) {
    w->kernels->get_motion(m, w->tree, i, V, A);
    most = fmax(most, fmax(m->length * norm3(V), norm3(V + 3)));
  }
  return most;
}

/* rhs: residual nu - G u of the rows that count; returns the largest */
static double find_residual(const lw_model *m, lw_work *w, double t, const double q[],
                            const double u[])
{
  lwi_closure *c = w->closure;
  double worst = 0;
  w->kernels->kinematics(m, w->tree, q, u);
  lwi_closure_place(m, w, t);
  lwi_closure_rate(m, w, &m->tree_constraints, u, c->rhs);
  for (int k = 0; k < m->tree_constraints.nrow; k++) {
    double *residual = &c->rhs[c->rank.order[k]];
    *residual = c->rank.kept[k] ? -*residual : 0;
    worst = fabs(*residual) > worst || isnan(*residual) ? fabs(*residual) : worst;
  }
  return worst;
}

/* Projects u to the constraints by iterative refinement; leaves their impulses in lambda.  Each
   step keeps the form u = M^-1 (p + G^T lambda), so that u is correct as soon as it satisfies the
   rows.  Returns false if the rows cannot be satisfied. */
static bool meet_constraints(const lw_model *m, lw_work *w, double t, const double q[], double u[])
{
  enum { MOST_STEPS = 8 };
  lwi_closure *c = w->closure;
  const lwi_tree_constraints *x = &m->tree_constraints;
  double *total = c->scratch_rows + 6 * x->nrow;
  memset(total, 0, (size_t)x->nrow * sizeof(double));
  w->kernels->kinematics(m, w->tree, q, u);
  lwi_closure_place(m, w, t);
  const double size = largest_speed(m, w) + 1e-250;
  if (!factor_constraints(m, w)) return false;
  double worst = find_residual(m, w, t, q, u), before = HUGE_VAL;
  const double all = size + worst;
  for (int k = 0; k < MOST_STEPS && (k < 2 || worst > 1e-14 * all) && worst < 0.5 * before; k++) {
    lwi_closure_solve(m, w, x);
    w->kernels->solve_response(m, w->tree, c->sum, u);
    for (int i = 0; i < x->nrow; i++)
      total[i] += c->lambda[i];
    before = worst;
    worst = find_residual(m, w, t, q, u);
  }
  memcpy(c->lambda, total, (size_t)x->nrow * sizeof(double));
  return worst <= UNSOLVED * all;
}

/* ---- impulses of joints ---- */

/* subtracts the loads of tree constraints from the impulses that tree joints must transmit */
static void subtract_constraints(const lw_model *m, const lw_work *w, double (*f)[6])
{
  const lwi_closure *c = w->closure;
  const lwi_tree_constraints *x = &m->tree_constraints;
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      double *on = f[m->pair[x->pair[t->pair + p / 2].pair].link[p % 2]];
      for (int r = 0; r < t->n; r++)
        for (int k = 0; k < 6; k++)
          on[k] -= c->lambda[t->row + r] * c->J[t->J + (size_t)(6 * (p * t->n + r) + k)];
    }
  }
}

/* f(i) = M V - p - loads of constraints + sum of f over the links carried by link i */
static void link_impulses(const lw_model *m, const lw_work *w, double (*p)[6], double (*f)[6])
{
  rot3 R;
  double V[6], A[6], from[3];
  memset(f[0], 0, sizeof f[0]);
  for (int i = 1; i < m->nlink; i++) {
    w->kernels->get_motion(m, w->tree, i, V, A);
    lwi_link_momentum(m, w, i, V, f[i]);
    for (int k = 0; k < 6; k++)
      f[i][k] -= p[i][k];
  }
  if (w->closure) subtract_constraints(m, w, f);
  for (int i = m->nlink - 1; i > 0; i--) {
    const int in = m->link[i].parent;
    double shifted[6];
    link_frame(m, w, i, &R, from);
    lwi_link_load_at(m, w, in, from, f[i], shifted);
    for (int k = 0; k < 6 && in > 0; k++)
      f[in][k] += shifted[k];
  }
}

static void cut_impulse(const lw_model *m, const lw_work *w, const lwi_joint *j, double out[6])
{
  double lock[6] = {0};
  memset(out, 0, 6 * sizeof(double));
  if (j->constraint >= 0) lwi_closure_load(m, w, j->constraint, out);
  if (j->lock >= 0) lwi_closure_load(m, w, j->lock, lock);
  for (int i = 0; i < 6; i++)
    out[i] += lock[i];
}

static void find_impulses(const lw_model *m, lw_work *w, double (*p)[6], lwi_impulses *out)
{
  if (w->closure) lwi_closure_least_loads(m, w);
  link_impulses(m, w, p, out->link);
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (j->info.cut) {
      cut_impulse(m, w, j, out->joint[i]);
      continue;
    }
    memcpy(out->joint[i], out->link[j->link], 6 * sizeof(double));
    lwi_load_on_child(m, w, j, NULL, out->joint[i]);
  }
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair >= 0)
      lwi_closure_load(m, w, m->constraint[i].constraint, out->constraint[i]);
    else
      out->relation[i] = lwi_closure_multiplier(m, w, m->constraint[i].constraint);
}

lw_status lwi_tree_impulse(const lw_model *m, lw_work *w, double t, const double q[],
                           double (*p)[6], double u[], lwi_impulses *out)
{
  w->stage = LWI_STAGE_NOTHING;
  if (m->tree_constraints.local) return LW_E_UNSUPPORTED;
  if (!solve_tree(m, w, q, p, u)) return LW_E_SINGULAR;
  if (w->closure && !meet_constraints(m, w, t, q, u)) return LW_E_SINGULAR;
  if (!lwi_all_finite(u, m->nu)) return LW_E_NUMBER;
  w->kernels->kinematics(m, w->tree, q, u);
  if (w->closure) lwi_closure_place(m, w, t);
  w->stage = LWI_STAGE_KINEMATICS;
  if (out) find_impulses(m, w, p, out);
  return LW_OK;
}
