/* SPDX-License-Identifier: Apache-2.0 */
/* joint_loads.c -- what joints, constraints and relations carry. */
#include "math/rotation.h"
#include "model/model.h"
#include "tree/closure.h"
#include "tree/impulse.h"
#include "tree/work.h"
#include "linkwork/loops.h"

lw_status lw_joint_loads(lw_work *w)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w)) return LW_E_ARG;
  if (w->stage < LWI_STAGE_DYNAMICS) return LW_E_STAGE;
  if (w->stage == LWI_STAGE_DYNAMICS) {
    if (w->closure) lwi_closure_least_loads(m, w);
    w->kernels->loads(m, w->tree);
  }
  w->stage = LWI_STAGE_LOADS;
  return LW_OK;
}

static void remove_along(double x[3], const double axis[3])
{
  const double s = dot3(x, axis) / dot3(axis, axis);
  for (int i = 0; i < 3; i++)
    x[i] -= s * axis[i];
}

/* Takes from a joint's load (t, f) what its motors and springs carry, leaving the constraint load: a
   helical motor is a pure torque, that of a universal joint lies in the plane of its axes. */
static void keep_constraint(lwi_kind kind, double pitch, const double z1[3], const double z2[3],
                            double t[3], double f[3])
{
  double n[3], along;
  switch (kind) {
  case LWI_KIND_FIXED: return;
  case LWI_KIND_REVOLUTE: remove_along(t, z1); return;
  case LWI_KIND_PRISMATIC: remove_along(f, z1); return;
  case LWI_KIND_HELICAL:
    along = dot3(t, z1) + pitch * dot3(f, z1);
    for (int i = 0; i < 3; i++)
      t[i] -= along * z1[i];
    return;
  case LWI_KIND_CYLINDRICAL:
    remove_along(t, z1);
    remove_along(f, z1);
    return;
  case LWI_KIND_UNIVERSAL:
  case LWI_KIND_UNIVERSAL_REVERSED:
    cross3(z1, z2, n);
    along = dot3(t, n) / dot3(n, n);
    for (int i = 0; i < 3; i++)
      t[i] = along * n[i];
    return;
  case LWI_KIND_SPHERICAL:
  case LWI_KIND_SPHERICAL_REVERSED: memset(t, 0, 3 * sizeof(double)); return;
  case LWI_KIND_PLANAR:
  case LWI_KIND_PLANAR_REVERSED:
    remove_along(t, z1);
    along = dot3(f, z1);
    for (int i = 0; i < 3; i++)
      f[i] = along * z1[i];
    return;
  default: /* free: carries nothing */
    memset(t, 0, 3 * sizeof(double));
    memset(f, 0, 3 * sizeof(double));
  }
}

/* d: from the link's origin to the joint's child, for a joint that carries its parent */
static void find_reversed_arm(const lw_model *m, const lw_work *w, int link, double d[3])
{
  const lwi_link *L = &m->link[link];
  double C[9], p[3], parent[3];
  w->kernels->get_frame(m, w->tree, link, C, p);
  w->kernels->get_frame(m, w->tree, L->parent, C, parent);
  rot_mulv(rot_columns(C), L->p, d);
  for (int i = 0; i < 3; i++)
    d[i] += parent[i] - p[i];
}

static lwi_frame joint_frame(const lw_model *m, const lw_work *w, lw_body b, const lwi_frame *place)
{
  const lwi_body *body = &m->body[b.id];
  double C[9];
  lwi_frame link, in_link = {.R = body->R};
  w->kernels->get_frame(m, w->tree, body->link, C, link.p);
  link.R = rot_columns(C);
  memcpy(in_link.p, body->p, sizeof body->p);
  return lwi_frame_mul(lwi_frame_mul(link, in_link), *place);
}

/* loads of gears, couplers and drivers on a freedom of the tree */
static double relation_load(const lw_model *m, const lw_work *w, int column)
{
  const lwi_ties *x = &m->ties;
  double load = 0;
  if (!w->closure) return 0;
  for (int i = x->touch_start[column]; i < x->touch_start[column + 1]; i++) {
    const lwi_tie *t = &x->tie[x->touch[i].tie];
    for (int k = t->term; k < t->term + t->nterm; k++)
      if (x->term[k].column == column)
        load += x->term[k].coefficient * lwi_closure_multiplier(m, w, x->touch[i].tie);
  }
  return load;
}

/* Takes the loads that drive a joint with locked freedoms, G' x with the rows of joint_relative.h, from its
   load on the child: what remains is the constraint load, reactions of the locked freedoms included.  x is
   all that a free freedom carries, and of a locked one what relations and, unless driven is NULL, motors
   and joint springs do. */
static void remove_drives(const lw_model *m, const lw_work *w, const lwi_joint *j,
                          const double carried[6], const double driven[], double load[6])
{
  const int column = m->link[j->link].column;
  double G[6][6];
  const lwi_frame A = joint_frame(m, w, j->info.parent, &j->place);
  const lwi_frame B = joint_frame(m, w, j->info.child, &j->child_place);
  lwi_joint_speed_map(&j->shape, &A, &B, G);
  for (int k = 0; k < j->info.nu; k++) {
    double S[6], x = (driven ? driven[k] : 0) + relation_load(m, w, column + k);
    w->kernels->get_column(m, w->tree, column + k, S);
    if (!(j->still >> k & 1)) x = dot3(S, carried) + dot3(S + 3, carried + 3);
    for (int i = 0; i < 6; i++)
      load[i] -= G[k][i] * x;
  }
}

void lwi_keep_constraint(const lw_model *m, const lw_work *w, const lwi_joint *joint,
                         double load[6])
{
  const lwi_link *L = &m->link[joint->link];
  double own[6], z1[3] = {0}, z2[3] = {0};
  if (joint->still) return; /* what its free freedoms carry is not there */
  w->kernels->get_load(m, w->tree, joint->link, own, z1, z2);
  keep_constraint((lwi_kind)L->kind, L->pitch, z1, z2, load, load + 3);
}

void lwi_load_on_child(const lw_model *m, const lw_work *w, const lwi_joint *joint,
                       const double driven[], double load[6])
{
  double own[6], d[3], turn[3], *t = load, *f = load + 3;
  memcpy(own, load, sizeof own);
  if (joint->reversed) { /* the child feels the opposite load, at its own joint frame */
    find_reversed_arm(m, w, joint->link, d);
    cross3(d, f, turn);
    for (int i = 0; i < 3; i++)
      t[i] = turn[i] - t[i], f[i] = -f[i];
  }
  if (joint->still)
    remove_drives(m, w, joint, own, driven, load);
  else
    lwi_keep_constraint(m, w, joint, load);
}

lw_status lw_get_load(const lw_work *w, lw_joint j, double load[6])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || !load || j.id < 1 || j.id > m->njoint) return LW_E_ARG;
  if (w->stage < LWI_STAGE_LOADS) return LW_E_STAGE;
  const lwi_joint *joint = &m->joint[j.id];
  double lock[6] = {0};
  if (joint->info.cut) {
    memset(load, 0, 6 * sizeof(double));
    if (joint->tie >= 0) lwi_closure_load(m, w, joint->tie, load);
    if (joint->lock >= 0) lwi_closure_load(m, w, joint->lock, lock);
    for (int i = 0; i < 6; i++)
      load[i] += lock[i];
    return LW_OK;
  }
  double z1[3] = {0}, z2[3] = {0};
  w->kernels->get_load(m, w->tree, joint->link, load, z1, z2);
  const double *tau = w->kernels->cut_part(w->tree, LWI_TREE_TAU) + joint->info.u;
  lwi_load_on_child(m, w, joint, m->nmotor + m->njoint_spring > 0 ? tau : NULL, load);
  return LW_OK;
}

static lw_status find_constraint(const lw_model *m, const lw_work *w, lw_constraint c,
                                 bool geometric)
{
  if (!lwi_is_single(m, w) || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if ((m->constraint[c.id].pair >= 0) != geometric) return LW_E_ARG;
  return w->stage < LWI_STAGE_LOADS ? LW_E_STAGE : LW_OK;
}

lw_status lw_get_constraint_load(const lw_work *w, lw_constraint c, double load[6])
{
  const lw_model *m = lwi_work_model(w);
  const lw_status status = load ? find_constraint(m, w, c, true) : LW_E_ARG;
  if (status == LW_OK) lwi_closure_load(m, w, m->constraint[c.id].tie, load);
  return status;
}

lw_status lw_get_relation_load(const lw_work *w, lw_constraint c, double *load)
{
  const lw_model *m = lwi_work_model(w);
  const lw_status status = load ? find_constraint(m, w, c, false) : LW_E_ARG;
  if (status == LW_OK) *load = lwi_closure_multiplier(m, w, m->constraint[c.id].tie);
  return status;
}
