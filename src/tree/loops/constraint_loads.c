/* SPDX-License-Identifier: Apache-2.0 */
/* constraint_loads.c -- loads of constraints and relations, and the part of a joint's load that the
   joint's own equations carry.  Compiled twice (at_state.h). */
#include "tree/loops/at_state.h"
#include "tree/loops/constraint_loads.h"

#include <string.h>

/* ---- constraints and relations ---- */

num lwi_tree_constraint_multiplier(const lw_model *m, const lwi_state *at, int constraint)
{
  const int row = m->tree_constraints.constraint[constraint].row;
  return lwi_number(work_at(at)->closure->lambda, LWI_WITH_P(at, closure.lambda_p), row) *
         scale_at(at, row);
}

void lwi_tree_constraint_load(const lw_model *m, const lwi_state *at, int constraint, num load[6])
{
  const lwi_closure *c = work_at(at)->closure;
  const lwi_tree_constraint *t = &m->tree_constraints.constraint[constraint];
  num arm[3], moment[3];
  memset(load, 0, 6 * sizeof(num));
  for (int r = 0; r < t->n; r++) {
    const num lambda = lwi_number(c->lambda, LWI_WITH_P(at, closure.lambda_p), t->row + r);
    num J[6];
    constraint_row(at, t->J + (size_t)(6 * (t->n + r)), J);
    for (int k = 0; k < 6; k++)
      load[k] += lambda * J[k];
  }
  arm_at(at, m->tree_constraints.pair[t->pair].pair, 1, arm);
  cross3(arm, load + 3, moment);
  for (int k = 0; k < 3; k++)
    load[k] -= moment[k];
}

/* loads of gears, couplers and drivers on a freedom of the tree */
static num relation_load(const lw_model *m, const lwi_state *at, int column)
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  num load = 0;
  if (!work_at(at)->closure) return 0;
  for (int i = x->touch_start[column]; i < x->touch_start[column + 1]; i++) {
    const lwi_tree_constraint *t = &x->constraint[x->touch[i].constraint];
    for (int k = t->term; k < t->term + t->nterm; k++)
      if (x->term[k].column == column)
        load += slope_at(at, k) * lwi_tree_constraint_multiplier(m, at, x->touch[i].constraint);
  }
  return load;
}

/* ---- joints of the tree: all freedoms free ---- */

/* the load of a link's joint on the link, about the link's origin, and the axes of the joint */
static void joint_load_at(const lw_model *m, const lwi_state *at, int link, num load[6], num z1[3],
                          num z2[3])
{
  const lw_work *w = work_at(at);
#if LW_DERIVATIVE
  double x[6], x_p[6], z[2][3] = {{0}}, z_p[2][3] = {{0}};
  w->kernels->get_load(m, w->tree, link, x, z[0], z[1]);
  w->kernels->get_load_change(m, at->tree, link, x_p, z_p[0], z_p[1]);
  lwi_get(x, x_p, 6, load);
  lwi_get(z[0], z_p[0], 3, z1);
  lwi_get(z[1], z_p[1], 3, z2);
#else
  w->kernels->get_load(m, w->tree, link, load, z1, z2);
#endif
}

/* the part of the load that the joint carries, with its axes */
static void keep_carried(const lw_model *m, const lwi_state *at, const lwi_joint *joint,
                         const num z1[3], const num z2[3], num load[6])
{
  const lwi_link *L = &m->link[joint->link];
  const lw_model *p = model_p(at);
  lwi_joint_carries(joint->info.type,
                    lwi_number(&L->pitch, p ? &p->link[joint->link].pitch : NULL, 0), z1, z2, load,
                    load + 3);
}

void lwi_keep_constraint(const lw_model *m, const lwi_state *at, const lwi_joint *joint,
                         num load[6])
{
  num own[6], z1[3] = {0}, z2[3] = {0};
  if (joint->locked) return; /* remove_drives has taken out the loads of its free freedoms */
  joint_load_at(m, at, joint->link, own, z1, z2);
  keep_carried(m, at, joint, z1, z2, load);
}

/* ---- the same with locked freedoms ---- */

/* d: from the link's origin to the joint's child, for a joint that carries its parent */
static void find_reversed_arm(const lw_model *m, const lwi_state *at, int link, num d[3])
{
  const lwi_link *L = &m->link[link];
  const lw_model *m_p = model_p(at);
  const num_frame own = link_frame_at(m, at, link), parent = link_frame_at(m, at, L->parent);
  num p[3];
  lwi_get(L->p, m_p ? m_p->link[link].p : NULL, 3, p);
  rot_mulv(parent.R, p, d);
  for (int i = 0; i < 3; i++)
    d[i] += parent.p[i] - own.p[i];
}

static num_frame joint_frame(const lw_model *m, const lwi_state *at, int body,
                             const lwi_frame *place, const lwi_frame *place_p)
{
  const lw_model *m_p = model_p(at);
  const lwi_body *b = &m->body[body], *b_p = m_p ? &m_p->body[body] : NULL;
  num_frame in_link = lwi_frame_identity();
  lwi_get(&b->R.c[0][0], b_p ? &b_p->R.c[0][0] : NULL, 12, &in_link.R.c[0][0]);
  lwi_get(b->p, b_p ? b_p->p : NULL, 4, in_link.p);
  return lwi_frame_mul(lwi_frame_mul(link_frame_at(m, at, b->link), in_link),
                       lwi_get_frame(place, place_p));
}

/* the load of free freedom k of a joint; its derivative is that of the driving loads, including the
   caller's */
static num free_load(const lw_model *m, const lwi_state *at, const lwi_joint *j, int k,
                     const double carried[6], num driven)
{
  const lw_work *w = work_at(at);
  double S[6], x = 0, by_force = 0;
  w->kernels->get_column(m, w->tree, m->link[j->link].column + k, S);
  x = S[0] * carried[0] + S[1] * carried[1] + S[2] * carried[2];
  by_force = S[3] * carried[3] + S[4] * carried[4] + S[5] * carried[5];
#if LW_DERIVATIVE
  return num_of(x + by_force, derivative_of(driven) + at->given1[j->info.u + k]);
#else
  (void)driven;
  return x + by_force;
#endif
}

/* Subtracts the driving loads G^T x of a joint with locked freedoms, with the rows of
   joint_relative.h, from its load on the child; the constraint load remains, with the reactions of
   locked freedoms.  x is the whole load of a free freedom; of a locked one, the load of relations
   and, unless driven is NULL, of motors and joint springs. */
static void remove_drives(const lw_model *m, const lwi_state *at, const lwi_joint *j,
                          const double carried[6], const num driven[], num load[6])
{
  const int column = m->link[j->link].column, joint = (int)(j - m->joint);
  const lw_model *m_p = model_p(at);
  const lwi_joint *j_p = m_p ? &m_p->joint[joint] : NULL;
  const num_frame A = joint_frame(m, at, j->info.parent.id, &j->place, j_p ? &j_p->place : NULL);
  const num_frame B =
      joint_frame(m, at, j->info.child.id, &j->child_place, j_p ? &j_p->child_place : NULL);
  num_joint_shape shape;
  num G[6][6];
  double near[7];
  lwi_tree_near(m, work_at(at)->kernels, work_at(at)->tree, joint, near);
  lwi_joint_speed_map(&(num_joint_at){shape_at(m, at, joint, &shape), &A, &B, near}, G);
  for (int k = 0; k < j->info.nu; k++) {
    num x = (driven ? driven[k] : 0) + relation_load(m, at, column + k);
    if (!(j->locked >> k & 1)) x = free_load(m, at, j, k, carried, x);
    for (int i = 0; i < 6; i++)
      load[i] -= G[k][i] * x;
  }
}

void lwi_load_on_child(const lw_model *m, const lwi_state *at, const lwi_joint *joint,
                       const num driven[], num load[6])
{
  num d[3], turn[3], *t = load, *f = load + 3;
  double own[6];
  for (int i = 0; i < 6; i++)
    own[i] = value_of(load[i]);
  if (joint->reversed) { /* the child feels the opposite load, at its own joint frame */
    find_reversed_arm(m, at, joint->link, d);
    cross3(d, f, turn);
    for (int i = 0; i < 3; i++)
      t[i] = turn[i] - t[i], f[i] = -f[i];
  }
  if (joint->locked)
    remove_drives(m, at, joint, own, driven, load);
  else
    lwi_keep_constraint(m, at, joint, load);
}

/* ---- joints ---- */

/* loads of motors and joint springs on a joint's freedoms; NULL: there are none */
static const num *driving_loads(const lw_model *m, const lwi_state *at, const lwi_joint *j,
                                num driven[6])
{
  const lw_work *w = work_at(at);
  if (!lwi_has_freedom_elements(m)) return NULL;
  const double *tau = w->kernels->part(w->tree, LWI_TREE_TAU) + j->info.u;
  for (int k = 0; k < j->info.nu; k++)
#if LW_DERIVATIVE
    driven[k] = num_of(tau[k], w->kernels->get_tau_change(at->tree, j->info.u + k));
#else
    driven[k] = tau[k];
#endif
  return driven;
}

static void cut_joint_load(const lw_model *m, const lwi_state *at, const lwi_joint *j, num load[6])
{
  num lock[6] = {0};
  memset(load, 0, 6 * sizeof(num));
  if (j->constraint >= 0) lwi_tree_constraint_load(m, at, j->constraint, load);
  if (j->lock >= 0) lwi_tree_constraint_load(m, at, j->lock, lock);
  for (int i = 0; i < 6; i++)
    load[i] += lock[i];
}

/* Of a joint of the tree that is reversed or has locked freedoms. */
static void other_joint_load(const lw_model *m, const lwi_state *at, const lwi_joint *j,
                             num load[6])
{
  num driven[6], z1[3] = {0}, z2[3] = {0};
  joint_load_at(m, at, j->link, load, z1, z2);
  lwi_load_on_child(m, at, j, driving_loads(m, at, j, driven), load);
}

void lwi_joint_load(const lw_model *m, const lwi_state *at, int joint, num load[6])
{
  const lwi_joint *j = &m->joint[joint];
  num z1[3] = {0}, z2[3] = {0};
  if (j->info.cut) {
    cut_joint_load(m, at, j, load);
  } else if (j->reversed || j->locked) {
    other_joint_load(m, at, j, load);
  } else {
    joint_load_at(m, at, j->link, load, z1, z2);
    keep_carried(m, at, j, z1, z2, load);
  }
}
