/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_loads.c -- how the loads of joints and constraints change along a direction. */
#include "tree/derivatives.h"

#include <string.h>

/* ---- redundant constraints ----

   The loads shown are those with N' lambda = 0, N the states of self-stress: G' N = 0.  Then lambda is
   G z for some z, and N1' lambda = N1' G z = -N' G1 z, hence N' lambda1 = N' G1 z. */

static void choose_least(const lw_model *m, lw_derivatives *d)
{
  lwi_closure *c = d->work->closure;
  lwi_closure_change *k = &d->closure;
  const lwi_ties *x = &m->ties;
  if (c->rank.rank == x->nrow) return;
  memcpy(k->row, c->lambda, (size_t)x->nrow * sizeof(double));
  lwi_envelope_solve(&x->envelope, c->value, &c->rank, k->row);
  lwi_closure_gather(m, d->work, x, k->row);
  memset(d->other, 0, (size_t)m->nu * sizeof(double));
  d->work->kernels->vary_compliance(m, d->work->tree, d->tree, c->sum, d->other);
  lwi_vary_product(m, d, x, d->other, k->row);
  for (int i = 0; i < x->nrow; i++)
    k->lambda1[i] -= k->row[i];
  lwi_closure_shorten(m, d->work, k->lambda1);
  for (int i = 0; i < x->nrow; i++)
    k->lambda1[i] += k->row[i];
}

lw_status lw_vary_loads(lw_derivatives *d)
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work)) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_ALONG) return LW_E_STAGE;
  if (d->stage == LWI_DERIVE_ALONG) {
    if (d->work->closure) {
      choose_least(m, d);
      lwi_vary_push_rows(m, d, &m->ties, d->closure.lambda1);
    }
    d->work->kernels->vary_demand(m, d->change, d->work->tree, d->tree, NULL);
  }
  d->stage = LWI_DERIVE_LOADS;
  return LW_OK;
}

/* ---- joints of the tree: keep_constraint of joint_loads.c in dual numbers ---- */

static dual3 along(dual3 x, dual3 axis)
{
  return dual3_scale(axis, dual_div(dual3_dot(x, axis), dual3_dot(axis, axis)));
}

static void keep_constraint(lwi_kind kind, dual pitch, dual3 z1, dual3 z2, dual3 *t, dual3 *f)
{
  const double zero[3] = {0};
  switch (kind) {
  case LWI_KIND_FIXED: return;
  case LWI_KIND_REVOLUTE: *t = dual3_sub(*t, along(*t, z1)); return;
  case LWI_KIND_PRISMATIC: *f = dual3_sub(*f, along(*f, z1)); return;
  case LWI_KIND_HELICAL: {
    const dual s = dual_add(dual3_dot(*t, z1), dual_mul(pitch, dual3_dot(*f, z1)));
    *t = dual3_sub(*t, dual3_scale(z1, s));
    return;
  }
  case LWI_KIND_CYLINDRICAL:
    *t = dual3_sub(*t, along(*t, z1));
    *f = dual3_sub(*f, along(*f, z1));
    return;
  case LWI_KIND_UNIVERSAL:
  case LWI_KIND_UNIVERSAL_REVERSED: *t = along(*t, dual3_cross(z1, z2)); return;
  case LWI_KIND_SPHERICAL:
  case LWI_KIND_SPHERICAL_REVERSED: *t = dual3_const(zero); return;
  case LWI_KIND_PLANAR:
  case LWI_KIND_PLANAR_REVERSED:
    *t = dual3_sub(*t, along(*t, z1));
    *f = dual3_scale(z1, dual3_dot(*f, z1));
    return;
  default: *t = *f = dual3_const(zero);
  }
}

/* from the link's origin to the joint's child, for a joint that carries its parent */
static dual3 reversed_arm(const lw_model *m, const lw_derivatives *d, int link)
{
  const lwi_kernels *k = d->work->kernels;
  const lwi_link *L = &m->link[link];
  double C[9], p[3], parent[3], pose[6], pose_p[6], V[6], A[6];
  k->get_frame(m, d->work->tree, link, C, p);
  k->get_frame(m, d->work->tree, L->parent, C, parent);
  k->get_change(m, d->change, d->tree, link, pose, V, A);
  k->get_change(m, d->change, d->tree, L->parent, pose_p, V, A);
  const rot3 R = rot_columns(C);
  const dual3 at = dual3_turned(&R, pose_p, L->p, d->change ? d->change->link[link].p : NULL);
  return dual3_add(at, dual3_sub(dual3_of(parent, pose_p + 3), dual3_of(p, pose + 3)));
}

/* a place on a body; its motion does not matter */
static lwi_moving_frame moving_frame(const lw_model *m, const lw_derivatives *d, int body,
                                     const lwi_frame *place, const lwi_frame *dplace)
{
  const lwi_moving_frame b = lwi_vary_body(m, d, body);
  return lwi_moving_frame_on(&b, place, dplace);
}

/* what relations do to a speed of the tree */
static dual relation_load(const lw_model *m, const lw_derivatives *d, int u)
{
  dual sum = {0, 0};
  for (int i = 0; d->work->closure && i < m->ties.ntie; i++) {
    const lwi_tie *t = &m->ties.tie[i];
    const lwi_closure *c = d->work->closure;
    for (int k = t->term; k < t->term + t->nterm; k++) {
      if (m->ties.term[k].u != u) continue;
      const dual lambda = {c->lambda[t->row], d->closure.lambda1[t->row]};
      const dual scale = {c->scale[t->row], d->closure.scale1[t->row]};
      const dual by = {m->ties.term[k].coefficient,
                       d->change ? d->change->ties.term[k].coefficient : 0};
      sum = dual_add(sum, dual_mul(dual_mul(lambda, scale), by));
    }
  }
  return sum;
}

/* remove_drives of joint_loads.c */
static void remove_drives(const lw_model *m, const lw_derivatives *d, const lwi_joint *j, dual3 *t,
                          dual3 *f)
{
  const lwi_kernels *kernels = d->work->kernels;
  const double *tau = kernels->cut_part(d->work->tree, LWI_TREE_TAU) + j->info.u;
  const bool own = m->nmotor + m->njoint_spring > 0;
  const lwi_joint *dj = d->change ? &d->change->joint[j - m->joint] : NULL;
  const lwi_moving_frame A =
      moving_frame(m, d, j->info.parent.id, &j->place, dj ? &dj->place : NULL);
  const lwi_moving_frame B =
      moving_frame(m, d, j->info.child.id, &j->child_place, dj ? &dj->child_place : NULL);
  lwi_dual6 G[6];
  double load[6], z1[3], z2[3];
  lwi_joint_speed_change(&j->shape, dj ? &dj->shape : NULL, &A, &B, NULL, NULL, G, NULL);
  kernels->get_load(m, d->work->tree, j->link, load, z1, z2);
  for (int k = 0; k < j->info.nu; k++) {
    dual x = relation_load(m, d, j->info.u + k);
    double S[6];
    if (own) x = dual_add(x, dual_of(tau[k], kernels->get_tau_change(d->tree, j->info.u + k)));
    if (!(j->still >> k & 1)) { /* the caller's load is in what it carries */
      kernels->get_column(m, d->work->tree, m->link[j->link].column + k, S);
      x = dual_of(dot3(S, load) + dot3(S + 3, load + 3), x.d + d->given1[j->info.u + k]);
    }
    *t = dual3_sub(*t, dual3_scale(G[k].w, x));
    *f = dual3_sub(*f, dual3_scale(G[k].v, x));
  }
}

static void tree_load(const lw_model *m, const lw_derivatives *d, const lwi_joint *j,
                      double load[6])
{
  const lwi_kernels *k = d->work->kernels;
  const lwi_link *L = &m->link[j->link];
  double x[6], x1[6], z[2][3] = {{0}}, z1[2][3] = {{0}};
  k->get_load(m, d->work->tree, j->link, x, z[0], z[1]);
  k->get_load_change(m, d->tree, j->link, x1, z1[0], z1[1]);
  dual3 t = dual3_of(x, x1), f = dual3_of(x + 3, x1 + 3);
  if (j->reversed) {
    t = dual3_sub(dual3_cross(reversed_arm(m, d, j->link), f), t);
    f = dual3_times(f, -1);
  }
  if (j->still) {
    remove_drives(m, d, j, &t, &f);
    memcpy(load, t.d, sizeof t.d);
    memcpy(load + 3, f.d, sizeof f.d);
    return;
  }
  const dual pitch = {L->pitch, d->change ? d->change->link[j->link].pitch : 0};
  keep_constraint((lwi_kind)L->kind, pitch, dual3_of(z[0], z1[0]), dual3_of(z[1], z1[1]), &t, &f);
  memcpy(load, t.d, sizeof t.d);
  memcpy(load + 3, f.d, sizeof f.d);
}

/* ---- ties ---- */

static void tie_load(const lw_model *m, const lw_derivatives *d, int tie, double load[6])
{
  const lwi_closure *c = d->work->closure;
  const lwi_tie *t = &m->ties.tie[tie];
  const int pair = m->ties.pair[t->pair].pair;
  dual3 torque = {{0}, {0}}, f = {{0}, {0}};
  for (int r = 0; r < t->n; r++) {
    const double *J = c->J + t->J + 6 * (t->n + r), *J1 = d->closure.J1 + t->J + 6 * (t->n + r);
    const dual lambda = {c->lambda[t->row + r], d->closure.lambda1[t->row + r]};
    torque = dual3_add(torque, dual3_scale(dual3_of(J, J1), lambda));
    f = dual3_add(f, dual3_scale(dual3_of(J + 3, J1 + 3), lambda));
  }
  const dual3 arm = dual3_of(c->pair[pair].arm[1], d->closure.arm1[pair][1]);
  torque = dual3_sub(torque, dual3_cross(arm, f));
  memcpy(load, torque.d, sizeof torque.d);
  memcpy(load + 3, f.d, sizeof f.d);
}

/* ---- the public functions ---- */

lw_status lw_get_load_rate(const lw_derivatives *d, lw_joint j, double load[6])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !load || j.id < 1 || j.id > m->njoint) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_LOADS) return LW_E_STAGE;
  const lwi_joint *joint = &m->joint[j.id];
  memset(load, 0, 6 * sizeof(double));
  if (!joint->info.cut)
    tree_load(m, d, joint, load);
  else {
    double lock[6] = {0};
    if (joint->tie >= 0) tie_load(m, d, joint->tie, load);
    if (joint->lock >= 0) tie_load(m, d, joint->lock, lock);
    for (int i = 0; i < 6; i++)
      load[i] += lock[i];
  }
  return LW_OK;
}

lw_status lw_get_constraint_load_rate(const lw_derivatives *d, lw_constraint c, double load[6])
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !load || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if (m->constraint[c.id].pair < 0) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_LOADS) return LW_E_STAGE;
  tie_load(m, d, m->constraint[c.id].tie, load);
  return LW_OK;
}

lw_status lw_get_relation_load_rate(const lw_derivatives *d, lw_constraint c, double *load)
{
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work) || !load || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if (m->constraint[c.id].pair >= 0) return LW_E_ARG;
  if (d->stage < LWI_DERIVE_LOADS) return LW_E_STAGE;
  const int row = m->ties.tie[m->constraint[c.id].tie].row;
  const lwi_closure *k = d->work->closure;
  *load = k->lambda[row] * d->closure.scale1[row] + d->closure.lambda1[row] * k->scale[row];
  return LW_OK;
}
