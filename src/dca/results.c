/* SPDX-License-Identifier: Apache-2.0 */
/* results.c -- loads, accelerations and jumps of the last solution. */
#include "dca/dca.h"
#include "dca/edge_rows.h"
#include "model/joint/joint_relative.h"

/* ---- frames of the present state ---- */

lwi_dca_place lwi_dca_place_of(const lw_dca *d, int body, const lwi_frame *in_body)
{
  const lwi_body *b = &d->m->body[body];
  double C[9], p[3], A[6], turn[3];
  lwi_dca_place x;
  d->kernels->get_frame(d->m, d->work, b->link, C, p);
  d->kernels->get_motion(d->m, d->work, b->link, x.V, A);
  const rot3 R = rot_columns(C);
  rot_mulv(b->R, in_body->p, x.o); /* in link axes, from the link's origin */
  for (int i = 0; i < 3; i++)
    x.o[i] += b->p[i];
  rot_mulv(R, x.o, x.o);
  x.X.R = rot_mul(rot_mul(R, b->R), in_body->R);
  cross3(x.V, x.o, turn);
  for (int i = 0; i < 3; i++)
    x.X.p[i] = p[i] + x.o[i], x.V[3 + i] += turn[i];
  x.X.p[3] = 0;
  return x;
}

int lw_dca_redundant(const lw_dca *d)
{
  int n = 0;
  for (int e = 0; d && d->stage != LWI_DCA_NOTHING && e < d->nedge; e++)
    n += d->edge[e].m - d->rank[e];
  return n;
}

/* a load at the link's origin, taken to o */
static void load_at(double f[6], const double o[3])
{
  double arm[3];
  cross3(o, f + 3, arm);
  for (int i = 0; i < 3; i++)
    f[i] -= arm[i];
}

/* Where all freedoms of a joint are free, its frame is that of its link, and the joint carries what is not along its
   axes. */
static void keep_carried(const lw_dca *d, const lwi_joint *j, double f[6])
{
  double unused[6], z1[3] = {0}, z2[3] = {0};
  d->kernels->get_load(d->m, d->work, j->link, unused, z1, z2);
  lwi_joint_carries(j->info.type, d->m->link[j->link].pitch, z1, z2, f, f + 3);
}

/* Load of a tree joint on the child at its joint frame.  The load of motors and springs is known
   about the link's origin; docs/format.md 5.5 says where it acts (rows G of joint_relative.h), and
   the constraint load is the remainder. */
static void tree_joint_load(const lw_dca *d, const lwi_joint *j, double f[6])
{
  const double *const tau[2] = {d->driven ? d->tau : NULL, d->relation_tau};
  for (int k = 0; k < 2; k++) {
    double push[6], r[3];
    if (!tau[k]) continue;
    joint_push(d, j->link, tau[k], push, r);
    for (int i = 0; i < 6; i++)
      f[i] += push[i];
  }
  if (!j->reversed && !j->locked) {
    keep_carried(d, j, f);
    return;
  }
  const lwi_dca_place A = lwi_dca_place_of(d, j->info.parent.id, &j->place);
  const lwi_dca_place B = lwi_dca_place_of(d, j->info.child.id, &j->child_place);
  if (j->reversed) { /* the link is the joint's parent: the child feels the opposite */
    double d_AB[3];
    for (int i = 0; i < 3; i++)
      d_AB[i] = A.o[i] + (B.X.p[i] - A.X.p[i]);
    load_at(f, d_AB);
    for (int i = 0; i < 6; i++)
      f[i] = -f[i];
  } else {
    load_at(f, B.o);
  }
  double P[6][6], G[6][6], along[6], near[7];
  lwi_tree_near(d->m, d->kernels, d->work, (int)(j - d->m->joint), near);
  const lwi_joint_at at = {&j->shape, &A.X, &B.X, near};
  lwi_joint_motion_map(&at, P);
  lwi_joint_speed_map(&at, G);
  for (int k = 0; k < j->info.nu; k++) {
    along[k] = dot3(P[k], f) + dot3(P[k] + 3, f + 3);
    if (!(j->locked >> k & 1)) continue;
    along[k] = 0; /* a locked freedom also carries its reaction */
    for (int i = 0; i < 2; i++)
      if (tau[i]) along[k] += tau[i][j->info.u + k];
  }
  for (int k = 0; k < j->info.nu; k++)
    for (int i = 0; i < 6; i++)
      f[i] -= G[k][i] * along[k];
}

lw_status lw_dca_get_load(const lw_dca *d, lw_joint j, double load[6])
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || !load || j.id < 1 || j.id > m->njoint) return LW_E_ARG;
  if (d->stage < LWI_DCA_MOTION) return LW_E_STAGE;
  const lwi_joint *joint = &m->joint[j.id];
  double f[6] = {0};
  if (d->joint_edge[j.id] >= 0) {
    const lwi_dca_edge *e = &d->edge[d->joint_edge[j.id]];
    memcpy(f, e->kept, sizeof f);
    if (e->link > 0)
      tree_joint_load(d, joint, f);
    else
      load_at(f, lwi_dca_place_of(d, joint->info.child.id, &joint->child_place).o);
  }
  memcpy(load, f, sizeof f);
  return LW_OK;
}

lw_status lw_dca_get_constraint_load(const lw_dca *d, lw_constraint c, double load[6])
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || !load || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if (d->stage < LWI_DCA_MOTION) return LW_E_STAGE;
  const lwi_constraint *k = &m->constraint[c.id];
  if (k->relation.nterm > 0) return LW_E_ARG;
  memcpy(load, d->edge[d->constraint_edge[c.id]].kept, 6 * sizeof *load);
  load_at(load, lwi_dca_place_of(d, k->info.child.id, &k->child_place).o);
  return LW_OK;
}

lw_status lw_dca_get_relation_load(const lw_dca *d, lw_constraint c, double *load)
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || !load || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if (m->constraint[c.id].relation.nterm == 0) return LW_E_ARG;
  if (d->stage < LWI_DCA_MOTION) return LW_E_STAGE;
  *load = d->edge[d->constraint_edge[c.id]].kept[0];
  return LW_OK;
}

lw_status lw_dca_get_acceleration(const lw_dca *d, lw_body b, double A[6])
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || !A || b.id < 0 || b.id > m->nbody) return LW_E_ARG;
  if (d->stage != LWI_DCA_MOTION) return LW_E_STAGE;
  const lwi_frame origin = lwi_frame_identity();
  const lwi_dca_place x = lwi_dca_place_of(d, b.id, &origin);
  const double *L = d->state[m->body[b.id].link].A;
  double turn[3], swing[3];
  cross3(L, x.o, turn);
  cross3(x.V, x.o, swing);
  cross3(x.V, swing, swing);
  for (int i = 0; i < 3; i++)
    A[i] = L[i], A[3 + i] = L[3 + i] + turn[i] + swing[i];
  return LW_OK;
}

lw_status lw_dca_get_jump(const lw_dca *d, lw_body b, double dV[6])
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || !dV || b.id < 0 || b.id > m->nbody) return LW_E_ARG;
  if (d->stage != LWI_DCA_JUMP) return LW_E_STAGE;
  const lwi_frame origin = lwi_frame_identity();
  const lwi_dca_place x = lwi_dca_place_of(d, b.id, &origin);
  const double *L = d->state[m->body[b.id].link].A;
  double turn[3];
  cross3(L, x.o, turn);
  for (int i = 0; i < 3; i++)
    dV[i] = L[i], dV[3 + i] = L[3 + i] + turn[i];
  return LW_OK;
}
