/* SPDX-License-Identifier: Apache-2.0 */
/* constraint_rows.c -- the rows J of all tree constraints at a state, scaled and about link origins
   as in closure.h, and their gamma; loads of motors on cut joints, which act along the rows of
   their speeds.  Compiled twice (at_state.h). */
#include "tree/loops/at_state.h"

#include <string.h>

/* a load J on a frame of a pair, about the link's origin */
static void about_link(const num arm[3], const num J[6], num scale, num out[6])
{
  num moment[3];
  cross3(arm, J + 3, moment);
  for (int i = 0; i < 3; i++) {
    out[i] = scale * (J[i] + moment[i]);
    out[3 + i] = scale * J[3 + i];
  }
}

/* ---- scales ---- */

/* squared size of a row in metres */
static num row_size(num length, const num J[6])
{
  return dot3(J + 3, J + 3) + dot3(J, J) / (length * length);
}

/* Scale that makes a row's size one metre.  Rows of unit length, as most are, need no root; their
   lengths may have a derivative all the same. */
static num row_scale(num length, const num J[6])
{
  const num size = row_size(length, J);
#if !LW_DERIVATIVE
  const double radian = size * (length * length);
  if (fabs(size - 1) < 1e-14) return 1;
  if (fabs(radian - 1) < 1e-14) return length;
#endif
  return 1 / num_sqrt(size);
}

/* ---- equations of joints and constraints, and freedoms that are held or locked ---- */

/* a row J on the child's frame, and what it is on the parent's, both about the links' origins */
static inline void both_about_links(num lever[2][3], const num J[6], num scale, num parent[6],
                                    num child[6])
{
  num moment[2][3];
  cross3(lever[0], J + 3, moment[0]);
  cross3(lever[1], J + 3, moment[1]);
  for (int i = 0; i < 3; i++) {
    parent[i] = -scale * (J[i] + moment[0][i]);
    parent[3 + i] = -scale * J[3 + i];
    child[i] = scale * (J[i] + moment[1][i]);
    child[3 + i] = scale * J[3 + i];
  }
}

/* rows of the freedoms of a joint that the constraint holds or locks */
static void freedom_rows(const num_joint_at *j, const lwi_tree_constraint *t,
                         const num_pair_state *s, num J[6][6], num gamma[6])
{
  int n = 0;
  lwi_joint_speed_map(j, J);
  lwi_joint_speed_gamma(j, s->V[0], s->V[1], gamma);
  for (int i = 0; i < 6; i++) {
    if (!(t->dofs >> i & 1)) continue;
    if (n < i) memcpy(J[n], J[i], sizeof J[n]);
    gamma[n++] = gamma[i];
  }
}

static void equation_rows(const lw_model *m, lwi_state *at, const lwi_tree_constraints *x,
                          const lwi_tree_constraint *t)
{
  num_pair_state own;
  num_joint_shape shape;
  num_equations equations;
  const num_pair_state *s = pair_at(at, x->pair[t->pair].pair, &own);
  const num length = length_at(m, at);
  num J[6][6], gamma[6] = {0}, lever[2][3];
  if (t->dofs) {
    const num_joint_at joint = cut_joint_at(m, at, t->id, s, &shape);
    freedom_rows(&joint, t, s, J, gamma);
  } else
    lwi_equations_rows(equations_at(m, at, t, &equations), &s->frame[0], &s->frame[1], s->V[0],
                       s->V[1], J, gamma);
  for (int i = 0; i < 3; i++) {
    lever[0][i] = s->frame[1].p[i] - s->frame[0].p[i] + s->arm[0][i];
    lever[1][i] = s->arm[1][i];
  }
  const kept_rows out = rows_kept(at);
  for (int r = 0; r < t->n; r++) {
    const num scale = row_scale(length, J[r]);
    num parent[6], child[6];
    both_about_links(lever, J[r], scale, parent, child);
    out.scale[t->row + r] = kept_of(scale);
    out.gamma[t->row + r] = kept_of(scale * gamma[r]);
    lwi_keep(parent, 6, out.J + t->J + 6 * r);
    lwi_keep(child, 6, out.J + t->J + 6 * (t->n + r));
  }
}

/* ---- relations ---- */

static num term_size(const lw_model *m, const lwi_state *at, const lwi_constrained_term *k,
                     num coefficient)
{
  const lw_work *w = work_at(at);
  const num length = length_at(m, at);
  double S[6];
  w->kernels->get_column(m, w->tree, k->column, S);
  const bool turns = S[0] * S[0] + S[1] * S[1] + S[2] * S[2] > 0;
  return coefficient * coefficient * (turns ? 1 / (length * length) : 1);
}

/* rows of the freedom of a cut joint that pair p of a relation refers to */
static void pair_rows(const lw_model *m, lwi_state *at, const lwi_constrained_pair *p,
                      const num_pair_state *s, num J[2][6], num *gamma)
{
  num_joint_shape own;
  const num_joint_at joint = cut_joint_at(m, at, p->joint, s, &own);
  num all[2][6][6], all_gamma[6];
  lwi_joint_speed_rows(&joint, all[0], all[1]);
  memcpy(J[0], all[0][p->dof], sizeof J[0]);
  memcpy(J[1], all[1][p->dof], sizeof J[1]);
  if (!gamma) return;
  lwi_joint_speed_gamma(&joint, s->V[0], s->V[1], all_gamma);
  *gamma = all_gamma[p->dof];
}

/* q or u of a term: of a coordinate of the tree, or of a cut joint */
static num curved_coordinate(const lw_model *m, const lwi_state *at, const lwi_constrained_term *k,
                             bool speed)
{
  const lw_work *w = work_at(at);
  (void)m;
  if (speed) return lwi_number(w->kernels->part(w->tree, LWI_TREE_U), LWI_WITH_P(at, u_p), k->u);
  return lwi_number(w->kernels->part(w->tree, LWI_TREE_Q), LWI_WITH_P(at, q_p), k->q);
}
static num curved_cut_coordinate(const lw_model *m, const lwi_state *at,
                                 const lwi_constrained_pair *p, bool speed)
{
  const lw_work *w = work_at(at);
  const lw_joint_info *j = &m->joint[p->joint].info;
  const int first = speed ? m->nu : m->nq, i = (speed ? j->u_all : j->q_all) + p->dof;
  const double *x = w->kernels->part(w->tree, speed ? LWI_CUT_U : LWI_CUT_Q);
  const double *x_p = speed ? LWI_WITH_P(at, u_p) : LWI_WITH_P(at, q_p);
  return lwi_number(x, x_p ? x_p + first : NULL, i - first);
}

/* Slopes of all terms; returns sum g'' u^2.  Only curved terms depend on the state. */
static num find_slopes(const lw_model *m, lwi_state *at, const lwi_tree_constraints *x,
                       const lwi_tree_constraint *t)
{
  const kept_rows kept = rows_kept(at);
  num bends = 0;
  for (int i = t->term; i < t->term + t->nterm; i++) {
    const num_term g = term_at(m, at, x, i);
    const num q = m->has_curves ? curved_coordinate(m, at, &x->term[i], false) : 0;
    const num u = m->has_curves ? curved_coordinate(m, at, &x->term[i], true) : 0;
    kept.slope[i] = kept_of(term_slope(&g, q));
    bends += term_bend(&g, q) * u * u;
  }
  for (int i = t->pair; i < t->pair + t->npair; i++) {
    const num_term g = pair_term_at(m, at, x, i);
    const num q = curved_cut_coordinate(m, at, &x->pair[i], false);
    const num u = curved_cut_coordinate(m, at, &x->pair[i], true);
    kept.pair_slope[i] = kept_of(term_slope(&g, q));
    bends += term_bend(&g, q) * u * u;
  }
  return bends;
}

static num relation_scale(const lw_model *m, lwi_state *at, const lwi_tree_constraints *x,
                          const lwi_tree_constraint *t)
{
  const num length = length_at(m, at);
  num size = 0;
  for (int i = t->term; i < t->term + t->nterm; i++)
    size += term_size(m, at, &x->term[i], slope_at(at, i));
  for (int i = t->pair; i < t->pair + t->npair; i++) {
    num_pair_state own;
    num J[2][6];
    const num c = pair_slope_at(at, i);
    pair_rows(m, at, &x->pair[i], pair_at(at, x->pair[i].pair, &own), J, NULL);
    size += c * c * row_size(length, J[1]);
  }
  return value_of(size) > 0 ? 1 / num_sqrt(size) : 1;
}

static void relation_row(const lw_model *m, lwi_state *at, const lwi_tree_constraints *x,
                         const lwi_tree_constraint *t)
{
  const kept_rows kept = rows_kept(at);
  const num bends = find_slopes(m, at, x, t), scale = relation_scale(m, at, x, t);
  num gamma = target_at(at, t->id, 2) - bends;
  for (int i = 0; i < t->npair; i++) {
    num_pair_state own;
    const lwi_constrained_pair *p = &x->pair[t->pair + i];
    const num_pair_state *s = pair_at(at, p->pair, &own);
    const num c = pair_slope_at(at, t->pair + i);
    num J[2][6], row[6], own_gamma;
    pair_rows(m, at, p, s, J, &own_gamma);
    gamma += c * own_gamma;
    for (int side = 0; side < 2; side++) {
      about_link(s->arm[side], J[side], c, row);
      for (int k = 0; k < 6; k++)
        row[k] *= scale;
      lwi_keep(row, 6, kept.J + t->J + 6 * (2 * i + side));
    }
  }
  kept.scale[t->row] = kept_of(scale);
  kept.gamma[t->row] = kept_of(scale * gamma);
}

/* ---- all constraints ---- */

static void find_rows(const lw_model *m, lwi_state *at, const lwi_tree_constraints *x)
{
  for (int i = 0; i < x->nconstraint; i++)
    if (x->constraint[i].kind == LWI_TREE_CONSTRAINT_RELATION)
      relation_row(m, at, x, &x->constraint[i]);
    else
      equation_rows(m, at, x, &x->constraint[i]);
}

static void push_motors(const lw_model *m, lwi_state *at)
{
  if (!lwi_has_freedom_elements(m)) return;
  const lw_work *w = work_at(at);
  const double *tau = w->kernels->part(w->tree, LWI_CUT_TAU);
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    num_pair_state own;
    num_joint_shape shape;
    const num_pair_state *s = pair_at(at, j->pair, &own);
    num J[2][6][6], load[6];
    const num_joint_at joint = cut_joint_at(m, at, i, s, &shape);
    lwi_joint_speed_rows(&joint, J[0], J[1]);
    for (int k = 0; k < 2 * j->info.nu; k++) {
      const num x = lwi_number(tau, LWI_WITH_P(at, cut_tau_p), j->info.u_all - m->nu + k / 2);
      about_link(s->arm[k % 2], J[k % 2][k / 2], x, load);
      push_at(at, m->pair[j->pair].link[k % 2], load);
    }
  }
}

#if LW_DERIVATIVE
void lwi_derivative_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x)
{
  lwi_derivative_targets(m, d, x);
  find_rows(m, d, x);
  lwi_derivative_residual(m, d, x);
}
void lwi_derivative_push_motors(const lw_model *m, lw_derivatives *d)
{
  push_motors(m, d);
}
#else
void lwi_closure_rows(const lw_model *m, lw_work *w, const lwi_tree_constraints *x)
{
  find_rows(m, w, x);
}
void lwi_closure_apply_motors(const lw_model *m, lw_work *w)
{
  push_motors(m, w);
}
#endif
