/* SPDX-License-Identifier: Apache-2.0 */
/* constraint_equations.c -- residuals of all tree constraints at a state: violation phi, rate G u -
   nu, and gamma - G udot.  All scaled as in closure.h.  Compiled twice (at_state.h). */
#include "tree/loops/at_state.h"

#include <string.h>

/* ---- positions ---- */

/* rotation vector from quaternion a to b, as twice the vector part of a* b, in the axes of b */
static void rotation_between(const num a[4], const num b[4], num out[3])
{
  const num w = a[0] * b[0] + dot3(a + 1, b + 1);
  const double s = value_of(w) < 0 ? -2 : 2;
  num c[3];
  cross3(a + 1, b + 1, c);
  for (int i = 0; i < 3; i++)
    out[i] = s * (a[0] * b[1 + i] - b[0] * a[1 + i] - c[i]);
}

/* displacement of a joint from the coordinates at which it is held, by freedom */
static void hold_residual(const lwi_joint *j, const num held[], const num_frame frame[2],
                          const num q[], num phi[])
{
  const lwi_speeds speeds = lwi_joint_speeds(j->info.type, j->shape.planar);
  const bool planar = speeds == LWI_SPEEDS_MOVE_PLANAR;
  for (int i = 0; i < j->info.nu; i++)
    phi[i] = q[i] - held[i];
  if (speeds == LWI_SPEEDS_ARE_RATES) return;
  if (speeds == LWI_SPEEDS_TURN) {
    rotation_between(held, q, phi);
    return;
  }
  num d[3] = {0};
  for (int i = 0; i < (planar ? 2 : 3); i++)
    d[i] = q[i] - held[i];
  rot_mulv(frame[0].R, d, d);
  rot_tmulv(frame[1].R, d, d);
  if (planar)
    phi[0] = q[2] - held[2];
  else
    rotation_between(held + 3, q + 3, phi);
  memcpy(phi + (planar ? 1 : 3), d, (planar ? 2 : 3) * sizeof(num));
}

/* Do these freedoms fix coordinates?  Those of a rotation only all together. */
static bool keep_place(const lwi_joint *j, unsigned dofs)
{
  return lwi_count_locked(dofs) == j->info.nu || lwi_joint_has_rate_pair(j->info.type);
}

static void freedom_residual(const lwi_joint *j, unsigned dofs, const num held[],
                             const num_frame frame[2], const num q[], num phi[6])
{
  int n = 0;
  if (keep_place(j, dofs))
    hold_residual(j, held, frame, q, phi);
  else
    memset(phi, 0, 6 * sizeof(num));
  for (int i = 0; i < 6; i++)
    if (dofs >> i & 1) phi[n++] = phi[i];
}

/* coordinates or speeds with their derivatives: of the tree, and of cut joints from index 0 */
typedef struct {
  const double *tree, *tree_p, *cut, *cut_p;
} coordinates;

static coordinates coordinates_at(const lw_model *m, const lwi_state *at, bool speeds,
                                  const double tree[])
{
  const lw_work *w = work_at(at);
  coordinates x = {.tree = tree, .cut = w->kernels->part(w->tree, speeds ? LWI_CUT_U : LWI_CUT_Q)};
#if LW_DERIVATIVE
  x.tree_p = speeds ? at->u_p : at->q_p;
  x.cut_p = x.tree_p + (speeds ? m->nu : m->nq);
#else
  (void)m;
#endif
  return x;
}

/* sum of g(q) of a relation */
static num relation_sum(const lw_model *m, const lwi_state *at, const lwi_tree_constraints *x,
                        const lwi_tree_constraint *t, const coordinates *q)
{
  num sum = 0;
  for (int i = t->term; i < t->term + t->nterm; i++) {
    const num_term g = term_at(m, at, x, i);
    sum += term_value(&g, lwi_number(q->tree, q->tree_p, x->term[i].q));
  }
  for (int i = t->pair; i < t->pair + t->npair; i++) {
    const num_term g = pair_term_at(m, at, x, i);
    const int first = m->joint[x->pair[i].joint].info.q_all - m->nq;
    sum += term_value(&g, lwi_number(q->cut, q->cut_p, first + x->pair[i].dof));
  }
  return sum;
}

/* sum of g'(q) u, with the slopes of the last rows */
static num relation_rate(const lw_model *m, const lwi_state *at, const lwi_tree_constraints *x,
                         const lwi_tree_constraint *t, const coordinates *u)
{
  num sum = 0;
  for (int i = t->term; i < t->term + t->nterm; i++)
    sum += slope_at(at, i) * lwi_number(u->tree, u->tree_p, x->term[i].u);
  for (int i = t->pair; i < t->pair + t->npair; i++) {
    const int first = m->joint[x->pair[i].joint].info.u_all - m->nu;
    sum += pair_slope_at(at, i) * lwi_number(u->cut, u->cut_p, first + x->pair[i].dof);
  }
  return sum;
}

/* phi of one constraint, not scaled */
static void violation(const lw_model *m, const lwi_state *at, const lwi_tree_constraints *x,
                      const lwi_tree_constraint *t, const coordinates *q, num phi[6])
{
  if (t->kind == LWI_TREE_CONSTRAINT_RELATION) {
    phi[0] = relation_sum(m, at, x, t, q) - target_at(at, t->id, 0);
    return;
  }
  num_pair_state own;
  num_equations equations;
  num cut[7] = {0}, held[7];
  const num_pair_state *s = pair_at(at, x->pair[t->pair].pair, &own);
  const lwi_joint *j = t->kind == LWI_TREE_CONSTRAINT_JOINT || t->dofs ? &m->joint[t->id] : NULL;
  for (int i = 0; j && i < j->info.nq; i++)
    cut[i] = lwi_number(q->cut, q->cut_p, j->info.q_all - m->nq + i);
  if (t->dofs) {
    const lw_model *p = model_p(at);
    lwi_get(j->q, p ? p->joint[t->id].q : NULL, j->info.nq, held);
    freedom_residual(j, t->dofs, held, s->frame, cut, phi);
  } else
    lwi_equations_residual(equations_at(m, at, t, &equations), &s->frame[0], &s->frame[1], cut[0],
                           phi);
}

/* ---- velocities ---- */

/* G u - nu */
static void find_rate(const lw_model *m, const lwi_state *at, const lwi_tree_constraints *x,
                      const double u[], double rate[])
{
  const coordinates z = coordinates_at(m, at, true, u);
  const lw_model *p = model_p(at);
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    if (t->kind == LWI_TREE_CONSTRAINT_RELATION) {
      const num sum = relation_rate(m, at, x, t, &z);
      rate[t->row] = kept_of(scale_at(at, t->row) * (sum - target_at(at, t->id, 1)));
      continue;
    }
    num V[2][6], A[6], J[2][6];
    for (int side = 0; side < 2; side++)
      motion_at(m, at, m->pair[x->pair[t->pair].pair].link[side], V[side], A);
    for (int r = 0; r < t->n; r++) {
      num held = 0;
      if (t->kind == LWI_TREE_CONSTRAINT_HOLD)
        held = lwi_number(m->joint[t->id].u, p ? p->joint[t->id].u : NULL, r);
      constraint_row(at, t->J + (size_t)(6 * r), J[0]);
      constraint_row(at, t->J + (size_t)(6 * (t->n + r)), J[1]);
      rate[t->row + r] =
          kept_of(dot6(J[0], V[0]) + dot6(J[1], V[1]) - scale_at(at, t->row + r) * held);
    }
  }
}

/* ---- accelerations ---- */

/* acceleration of the frame on a side of a pair, about the link's origin */
static void frame_acceleration(const lw_model *m, const lwi_state *at, int pair, int side, num A[6])
{
  const int link = m->pair[pair].link[side];
  num V[6], arm[3], turn[3], swing[3];
  memset(A, 0, 6 * sizeof(num));
  if (link == 0) return;
  motion_at(m, at, link, V, A);
  arm_at(at, pair, side, arm);
  cross3(V, arm, turn);
  cross3(V, turn, swing);
  for (int i = 0; i < 3; i++)
    A[3 + i] += swing[i];
}

/* gamma - G udot of one constraint */
static void constraint_deficit(const lw_model *m, const lwi_state *at,
                               const lwi_tree_constraints *x, const lwi_tree_constraint *t,
                               const double udot[], const double udot_p[], num residual[6])
{
  lwi_get(work_at(at)->closure->gamma + t->row, rows_kept(at).gamma + t->row, t->n, residual);
  for (int p = 0; p < 2 * t->npair; p++) {
    num A[6], J[6];
    frame_acceleration(m, at, x->pair[t->pair + p / 2].pair, p % 2, A);
    for (int r = 0; r < t->n; r++) {
      constraint_row(at, t->J + (size_t)(6 * (p * t->n + r)), J);
      residual[r] -= dot6(J, A);
    }
  }
  for (int k = t->term; k < t->term + t->nterm; k++)
    residual[0] -= scale_at(at, t->row) * slope_at(at, k) * lwi_number(udot, udot_p, x->term[k].u);
}

static void find_deficit(const lw_model *m, const lwi_state *at, const lwi_tree_constraints *x,
                         const double udot[], const double udot_p[], double deficit[])
{
  for (int i = 0; i < x->nconstraint; i++) {
    num residual[6];
    constraint_deficit(m, at, x, &x->constraint[i], udot, udot_p, residual);
    lwi_keep(residual, x->constraint[i].n, deficit + x->constraint[i].row);
  }
}

#if LW_DERIVATIVE

void lwi_derivative_residual(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x)
{
  const coordinates q = coordinates_at(m, d, false, d->q);
  for (int i = 0; i < x->nconstraint; i++) {
    num phi[6];
    violation(m, d, x, &x->constraint[i], &q, phi);
    lwi_keep(phi, x->constraint[i].n, d->closure.phi_p + x->constraint[i].row);
  }
}

void lwi_derivative_rate(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                         double row[])
{
  find_rate(m, d, x, d->u, row);
}

void lwi_derivative_deficit(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                            double row[])
{
  find_deficit(m, d, x, d->udot, d->udot_p, row);
}

#else

bool lwi_lock_holds_place(const lwi_joint *j)
{
  return keep_place(j, j->locked);
}

void lwi_lock_residual(const lwi_joint *j, const lwi_frame frame[2], const double q[],
                       double phi[6])
{
  freedom_residual(j, j->locked, j->q, frame, q, phi);
}

double lwi_closure_relation_sum(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                                int constraint, const double q[])
{
  const coordinates z = coordinates_at(m, w, false, q);
  return relation_sum(m, w, x, &x->constraint[constraint], &z);
}

void lwi_closure_residual(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                          const double q[], double phi[])
{
  const coordinates z = coordinates_at(m, w, false, q);
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    double own[6];
    violation(m, w, x, t, &z, own);
    for (int r = 0; r < t->n; r++)
      phi[t->row + r] = own[r] * w->closure->scale[t->row + r];
  }
}

void lwi_closure_rate(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                      const double u[], double rate[])
{
  find_rate(m, w, x, u, rate);
}

void lwi_closure_deficit(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                         const double udot[], double deficit[])
{
  find_deficit(m, w, x, udot, NULL, deficit);
}

#endif
