/* SPDX-License-Identifier: Apache-2.0 */
/* place.c -- where bodies and frames are, and how they move. */
#include "cartesian/form/cartesian.h"
#include "tree/loops/closure.h"

/* ---- bodies from the tree ---- */

static void copy(double *to, const double *from, int n)
{
  if (n > 0 && to != from) memcpy(to, from, (size_t)n * sizeof(double));
}

/* speeds of a body from those of its link */
static void follow_motion(lw_cartesian *c, const lw_work *w, int i, double arm[3])
{
  const lwi_cartesian_body *b = &c->body[i];
  lwi_body_state *s = &c->state[i];
  double A[6], turn[3];
  w->kernels->get_motion(c->m, w->tree, b->link, s->V, A);
  rot_mulv(s->X.R, b->com, arm);
  cross3(s->V, arm, turn);
  for (int k = 0; k < 3; k++)
    s->V[3 + k] += turn[k];
}

static void follow_link(lw_cartesian *c, const lw_work *w, int i)
{
  lwi_body_state *s = &c->state[i];
  double C[9], arm[3];
  w->kernels->get_frame(c->m, w->tree, c->body[i].link, C, s->X.p);
  s->X.R = rot_columns(C);
  follow_motion(c, w, i, arm);
  for (int k = 0; k < 3; k++)
    s->X.p[k] += arm[k];
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
    double arm[3];
    follow_motion(c, w, i, arm);
  }
  copy(c->u, u, m->nu);
  if (!w->closure) return;
  copy(c->q + m->nq, w->kernels->part(w->tree, LWI_CUT_Q), m->ncut_q);
  copy(c->u + m->nu, w->kernels->part(w->tree, LWI_CUT_U), m->ncut_u);
}

/* ---- frames from bodies ---- */

/* the motion of a point of a body, arm away from its centre of mass */
static inline void move_frame(const double V[6], const double arm[3], int width, double out[6])
{
  if (width == 3) { /* the other numbers stay zero */
    const double w = V[2];
    out[2] = w;
    out[3] = V[3] - w * arm[1];
    out[4] = V[4] + w * arm[0];
    return;
  }
  const double x = V[3] + (V[1] * arm[2] - V[2] * arm[1]);
  const double y = V[4] + (V[2] * arm[0] - V[0] * arm[2]);
  const double z = V[5] + (V[0] * arm[1] - V[1] * arm[0]);
  for (int k = 0; k < 3; k++)
    out[k] = V[k];
  out[3] = x;
  out[4] = y;
  out[5] = z;
}

void lwi_cartesian_place(lw_cartesian *c)
{
  const int n = c->m->njoint + c->m->nconstraint;
  c->joined = false;
  for (int i = 1; i <= n; i++) {
    for (int side = 0; side < 2; side++) {
      const lwi_body_state *b = &c->state[c->pair[i].body[side]];
      const lwi_frame *place = &c->pair[i].place[side];
      lwi_body_pair_state *s = &c->at[i];
      rot_mulv(b->X.R, place->p, s->arm[side]);
      s->frame[side].R = c->pair[i].aligned[side] ? b->X.R : rot_mul(b->X.R, place->R);
      for (int k = 0; k < 3; k++)
        s->frame[side].p[k] = b->X.p[k] + s->arm[side][k];
      move_frame(b->V, s->arm[side], c->width, s->V[side]);
    }
  }
}

void lwi_cartesian_place_speeds(lw_cartesian *c)
{
  const int n = c->m->njoint + c->m->nconstraint;
  for (int i = 1; i <= n; i++)
    for (int side = 0; side < 2; side++)
      move_frame(c->state[c->pair[i].body[side]].V, c->at[i].arm[side], c->width, c->at[i].V[side]);
}

void lwi_cartesian_join_origins(lw_cartesian *c)
{
  c->joined = true;
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
