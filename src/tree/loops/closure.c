/* SPDX-License-Identifier: Apache-2.0 */
/* closure.c -- sets up the constraints of a model at a state: memory, frames and motions of pairs,
   loads of motors on cut joints, the compliance

     W = G M^-1 G^T = E^T D^-1 E,   E = (1 - H psi K) G^T        (recursion/constraint_sweeps.h)

   and the metric in which states are assembled.  docs/theory/loops.md */
#include "tree/loops/closure.h"
#include "tree/loops/embedding.h"
#include "tree/loops/work.h"

#include <string.h>

lwi_rank_rule lwi_closed_rule(const lw_model *m)
{
  return (lwi_rank_rule){.dependent = 1e-10, .zero = 1e-14, .unit = m->mobility};
}

lwi_rank_rule lwi_embedded_rule(const lw_model *m)
{
  const double lever = 1e-3 * m->length;
  return (lwi_rank_rule){.dependent = 1e-10, .zero = 1e-14, .unit = lever * lever};
}

/* entries of the compliance of any set of constraints */
static size_t most_values(const lw_model *m)
{
  const lwi_tree_constraints *x[2] = {&m->tree_constraints, &m->assembly};
  size_t most = 0;
  for (int i = 0; i < 2; i++) {
    const size_t n = x[i]->link_system ? x[i]->link_system->envelope.nvalue : x[i]->envelope.nvalue;
    most = n > most ? n : most;
  }
  return most;
}

static lwi_rank carve_rank(lwi_carver *c, int n)
{
  return (lwi_rank){.order = LWI_CARVE(c, n, int),
                    .kept = LWI_CARVE(c, n, bool),
                    .pivot = LWI_CARVE(c, n, double),
                    .rhs = LWI_CARVE(c, n, double)};
}

lwi_closure *lwi_closure_carve(const lw_model *m, lwi_carver *c)
{
  if (!lwi_is_constrained(m)) return NULL;
  const lwi_tree_constraints *x = &m->assembly; /* contains all constraints */
  const int n = x->nrow, nu = m->nu;
  const int link_system = x->link_system ? x->link_system->nrow : 0;
  lwi_closure *at = LWI_CARVE(c, 1, lwi_closure);
  const lwi_closure k = {
      .pair = LWI_CARVE(c, m->npair, lwi_pair_state),
      .J = LWI_CARVE(c, x->nJ, double),
      .scale = LWI_CARVE(c, n, double),
      .slope = LWI_CARVE(c, lwi_nterm(x), double),
      .pair_slope = LWI_CARVE(c, lwi_npair(x), double),
      .gamma = LWI_CARVE(c, n, double),
      .rhs = LWI_CARVE(c, n, double),
      .lambda = LWI_CARVE(c, n, double),
      .eps = LWI_CARVE(c, x->neps, double),
      .value = (double *)lwi_carve_bytes(c, most_values(m), sizeof(double)),
      .Dinv = LWI_CARVE(c, nu, double),
      .sum = LWI_CARVE(c, nu, double),
      .scratch_rows = LWI_CARVE(c, 7 * n, double),
      .other = LWI_CARVE(c, n, double),
      .total = LWI_CARVE(c, n, double),
      .scratch = LWI_CARVE(c, 5 * m->nq + 7 * nu, double),
      .all = LWI_CARVE(c, nu, bool),
      .part_rank = LWI_CARVE(c, m->clusters.ncluster, int),
      .rank = carve_rank(c, n),
      .start = LWI_CARVE(c, m->nconstraint + 1, double),
      .target = LWI_CARVE(c, 3 * (m->nconstraint + 1), double),
      .embedding = lwi_embedding_carve(m, c),
      .tau = LWI_CARVE(c, nu, double),
      .link_system_J =
          (double *)lwi_carve_bytes(c, link_system ? x->link_system->nJ : 0, sizeof(double)),
      .link_system_lambda = LWI_CARVE(c, 5 * link_system, double),
      .link_system_X =
          lwi_carve_bytes(c, link_system ? (size_t)m->nlink : 0, sizeof *at->link_system_X),
      .link_system_rank = carve_rank(c, link_system),
  };
  if (at) *at = k;
  return at;
}

/* ---- positions and velocities ---- */

void lwi_closure_place_pair(const lw_model *m, lw_work *w, int pair, int joint)
{
  lwi_pair_state *s = &w->closure->pair[pair];
  w->kernels->place_pair(m, w->tree, pair, s);
  if (joint == 0) return;
  const lwi_joint *j = &m->joint[joint];
  double *q = w->kernels->part(w->tree, LWI_CUT_Q) + (j->info.q_all - m->nq);
  double *u = w->kernels->part(w->tree, LWI_CUT_U) + (j->info.u_all - m->nu);
  const num_joint_at at = {&j->shape, &s->frame[0], &s->frame[1], q};
  lwi_joint_q(&at, q);
  /* does anything depend on the speeds of cut joints?  Otherwise they are computed only on
     request */
  if (m->nconstraint > 0 || lwi_has_freedom_elements(m) || m->nslot > m->nparameter)
    lwi_joint_u(&at, s->V[0], s->V[1], u);
}

void lwi_closure_find_targets(const lw_model *m, lw_work *w, double t)
{
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair < 0)
      lwi_relation_target(&m->constraint[i].relation, m->parameter, m->nparameter,
                          w->closure->start[i], t, w->closure->target + 3 * i);
}

void lwi_closure_place(const lw_model *m, lw_work *w, double t)
{
  for (int i = 1; i <= m->njoint; i++)
    if (m->joint[i].info.cut) lwi_closure_place_pair(m, w, m->joint[i].pair, i);
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair >= 0) lwi_closure_place_pair(m, w, m->constraint[i].pair, 0);
  lwi_closure_find_targets(m, w, t);
}

/* ---- compliance ---- */

/* W += eps_a d eps_b^T for two constraints that share a column, b <= a */
static void couple(lwi_closure *c, const lwi_tree_constraints *x, const lwi_touch *a,
                   const lwi_touch *b, double d)
{
  const lwi_tree_constraint *s = &x->constraint[a->constraint], *t = &x->constraint[b->constraint];
  for (int i = 0; i < s->n; i++) {
    const double e = d * c->eps[a->eps + (size_t)i];
    double *row = lwi_envelope_at(&x->envelope, c->value, a->constraint, s->row + i, t->row);
    for (int j = 0; j < t->n; j++)
      row[j] += e * c->eps[b->eps + (size_t)j];
  }
}

static void add_to_diagonal(lwi_closure *c, const lwi_tree_constraints *x, double part)
{
  double largest = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int t = 0; t < x->nconstraint; t++)
      for (int i = x->constraint[t].row; i < x->constraint[t].row + x->constraint[t].n; i++) {
        double *d = lwi_envelope_at(&x->envelope, c->value, t, i, i);
        if (pass == 0)
          largest = fmax(largest, *d);
        else
          *d += part * largest;
      }
}

void lwi_closure_sweep(const lw_model *m, lw_work *w, const lwi_tree_constraints *x)
{
  lwi_closure *c = w->closure;
  for (int t = 0; t < x->nconstraint; t++)
    w->kernels->innovations(m, w->tree, x, t, c->J + x->constraint[t].J,
                            c->scale[x->constraint[t].row], c->slope,
                            c->eps + x->constraint[t].eps);
}

/* ---- metric ---- */

/* a translation by a typical lever arm weighs as much as a rotation by one radian */
static double mobility_of(const lw_model *m, const lw_work *w, int column)
{
  double S[6];
  w->kernels->get_column(m, w->tree, column, S);
  if (dot3(S, S) > 0) return 1 / (m->length * m->length);
  return dot3(S + 3, S + 3) > 0 ? 1 : 0;
}

void lwi_closure_plain_metric(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                              const bool *held)
{
  lwi_closure *c = w->closure;
  c->plain = true;
  if (x->link_system) return;
  memset(c->all, 1, (size_t)m->nu * sizeof(bool));
  w->kernels->factor(m, w->tree, c->all);
  for (int k = 0; k < m->nu; k++)
    c->Dinv[k] = held && held[k] ? 0 : mobility_of(m, w, k);
}

void lwi_closure_metric(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                        const bool *held)
{
  w->closure->plain = false;
  if (x->link_system) return;
  if (x->local || m->has_light_bodies || !w->kernels->factor(m, w->tree, held))
    lwi_closure_plain_metric(m, w, x, held);
}

bool lwi_closure_kinetic_metric(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                                const bool *held)
{
  if (!m->has_light_bodies || x->link_system || x->local) return false;
  if (!w->kernels->factor(m, w->tree, held)) {
    lwi_closure_plain_metric(m, w, x, held);
    return false;
  }
  w->closure->plain = false;
  lwi_closure_compliance(m, w, x, 0, NULL);
  return true;
}

void lwi_closure_move(const lw_model *m, lw_work *w, double x[])
{
  const lwi_closure *c = w->closure;
  if (c->link_system)
    lwi_link_system_move(m, w, x);
  else if (!c->plain)
    w->kernels->solve_response(m, w->tree, c->sum, x);
  else
    for (int k = 0; k < m->nu; k++)
      x[m->column_u[k]] += c->Dinv[k] * c->sum[k];
}

void lwi_closure_couple(const lw_model *m, lw_work *w, const lwi_tree_constraints *x, double more,
                        const lwi_rank_rule *rule)
{
  lwi_closure *c = w->closure;
  c->reduced = c->forward = false;
  memset(c->value, 0, x->envelope.nvalue * sizeof(double));
  for (int k = 0; k < m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++)
      for (int b = x->touch_start[k]; b <= a; b++)
        couple(c, x, &x->touch[a], &x->touch[b], c->Dinv[k]);
  if (more > 0) add_to_diagonal(c, x, more);
  lwi_envelope_factor(&x->envelope, c->value, &c->rank, rule);
}

void lwi_closure_compliance(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                            double more, const lwi_rank_rule *rule)
{
  lwi_rank_rule plain = rule ? *rule : (lwi_rank_rule){0};
  if (x->link_system) {
    lwi_link_system_couple(m, w, x, more, rule);
    return;
  }
  plain.unit = 1e-6;
  lwi_closure_sweep(m, w, x);
  if (!w->closure->plain) w->kernels->pivots(m, w->tree, w->closure->Dinv);
  lwi_closure_couple(m, w, x, more, rule && w->closure->plain ? &plain : rule);
}

void lwi_closure_gather(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                        const double lambda[])
{
  lwi_closure *c = w->closure;
  for (int k = 0; k < m->nu; k++) {
    double s = 0;
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tree_constraint *t = &x->constraint[x->touch[a].constraint];
      for (int i = 0; i < t->n; i++)
        s += c->eps[x->touch[a].eps + (size_t)i] * lambda[t->row + i];
    }
    c->sum[k] = s;
  }
}

void lwi_closure_solve(const lw_model *m, lw_work *w, const lwi_tree_constraints *x)
{
  lwi_closure *c = w->closure;
  if (x->link_system) {
    lwi_link_system_solve(m, w, x);
    return;
  }
  memcpy(c->lambda, c->rhs, (size_t)x->nrow * sizeof(double));
  lwi_envelope_solve(&x->envelope, c->value, &c->rank, c->lambda);
  lwi_closure_gather(m, w, x, c->lambda);
}
