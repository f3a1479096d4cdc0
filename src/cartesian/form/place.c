/* SPDX-License-Identifier: Apache-2.0 */
/* place.c -- where bodies and frames are, and how they move. */
#include "cartesian/form/cartesian.h"
#include "tree/loops/closure.h"

/* ---- bodies from the tree ---- */

static void copy(double *to, const double *from, int n)
{
  if (n > 0 && to != from) memcpy(to, from, (size_t)n * sizeof(double));
}

static void follow_link(lw_cartesian *c, const lw_work *w, int i)
{
  const lwi_cartesian_body *b = &c->body[i];
  lwi_body_state *s = &c->state[i];
  double C[9], A[6], arm[3], turn[3];
  w->kernels->get_frame(c->m, w->tree, b->link, C, s->X.p);
  w->kernels->get_motion(c->m, w->tree, b->link, s->V, A);
  s->X.R = rot_columns(C);
  rot_mulv(s->X.R, b->com, arm);
  cross3(s->V, arm, turn);
  for (int k = 0; k < 3; k++) {
    s->X.p[k] += arm[k];
    s->V[3 + k] += turn[k];
  }
}

void lwi_cartesian_from_tree(lw_cartesian *c, lw_work *w, const double q[], const double u[])
{
  const lw_model *m = c->m;
  for (int i = 1; i <= c->nbody; i++)
    follow_link(c, w, i);
  copy(c->q, q, m->nq);
  copy(c->u, u, m->nu);
  if (!w->closure) return;
  copy(c->q + m->nq, w->kernels->part(w->tree, LWI_CUT_Q), m->ncut_q);
  copy(c->u + m->nu, w->kernels->part(w->tree, LWI_CUT_U), m->ncut_u);
  copy(c->start, w->closure->start, m->nconstraint + 1);
}

void lwi_cartesian_speeds_from_tree(lw_cartesian *c, lw_work *w, const double u[])
{
  const lw_model *m = c->m;
  for (int i = 1; i <= c->nbody; i++) {
    const lwi_cartesian_body *b = &c->body[i];
    lwi_body_state *s = &c->state[i];
    double A[6], arm[3], turn[3];
    w->kernels->get_motion(m, w->tree, b->link, s->V, A);
    rot_mulv(s->X.R, b->com, arm);
    cross3(s->V, arm, turn);
    for (int k = 0; k < 3; k++)
      s->V[3 + k] += turn[k];
  }
  copy(c->u, u, m->nu);
  if (!w->closure) return;
  copy(c->q + m->nq, w->kernels->part(w->tree, LWI_CUT_Q), m->ncut_q);
  copy(c->u + m->nu, w->kernels->part(w->tree, LWI_CUT_U), m->ncut_u);
}

/* ---- frames from bodies ---- */

static void move_frame(const lwi_body_state *b, lwi_body_pair_state *s, int side)
{
  double turn[3];
  cross3(b->V, s->arm[side], turn);
  for (int k = 0; k < 3; k++) {
    s->V[side][k] = b->V[k];
    s->V[side][3 + k] = b->V[3 + k] + turn[k];
  }
}

void lwi_cartesian_place(lw_cartesian *c)
{
  const int n = c->m->njoint + c->m->nconstraint;
  for (int i = 1; i <= n; i++) {
    for (int side = 0; side < 2; side++) {
      const lwi_body_state *b = &c->state[c->pair[i].body[side]];
      const lwi_frame *place = &c->pair[i].place[side];
      lwi_body_pair_state *s = &c->at[i];
      rot_mulv(b->X.R, place->p, s->arm[side]);
      s->frame[side].R = c->pair[i].aligned[side] ? b->X.R : rot_mul(b->X.R, place->R);
      for (int k = 0; k < 3; k++)
        s->frame[side].p[k] = b->X.p[k] + s->arm[side][k];
      move_frame(b, s, side);
    }
  }
}

void lwi_cartesian_place_speeds(lw_cartesian *c)
{
  const int n = c->m->njoint + c->m->nconstraint;
  for (int i = 1; i <= n; i++)
    for (int side = 0; side < 2; side++)
      move_frame(&c->state[c->pair[i].body[side]], &c->at[i], side);
}

void lwi_cartesian_join_origins(lw_cartesian *c)
{
  for (int i = 1; i <= c->m->njoint; i++) {
    lwi_body_pair_state *s = &c->at[i];
    if (c->pair[i].together) memcpy(s->frame[1].p, s->frame[0].p, sizeof s->frame[0].p);
  }
}

void lwi_cartesian_joint_states(lw_cartesian *c)
{
  const lw_model *m = c->m;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    const lwi_body_pair_state *s = &c->at[i];
    const lwi_joint_at at = lwi_cartesian_joint_at(c, i);
    lwi_joint_q(&at, c->q + j->info.q_all);
    lwi_joint_u(&at, s->V[0], s->V[1], c->u + j->info.u_all);
  }
}

void lwi_cartesian_targets(lw_cartesian *c, double t)
{
  const lw_model *m = c->m;
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair < 0)
      lwi_relation_target(&m->constraint[i].relation, m->parameter, m->nparameter, c->start[i], t,
                          c->target + 3 * i);
}
