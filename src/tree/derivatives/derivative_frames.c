/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_frames.c -- where links, bodies and the frames of pairs go along a direction, after
   derivative_motion; what cut joints do then.  Numbers carry derivatives here (math/num.h). */
#include "tree/loops/at_state.h"

#include <string.h>

static num_moving_frame link_at(const lw_model *m, const lw_derivatives *d, int link)
{
  num_moving_frame f = {.frame = link_frame_at(m, d, link)};
  num A[6];
  motion_at(m, d, link, f.V, A);
  return f;
}

static num_moving_frame body_at(const lw_model *m, const lw_derivatives *d, int body)
{
  const lwi_body *b = &m->body[body], *b_p = d->derivative ? &d->derivative->body[body] : NULL;
  const num_moving_frame link = link_at(m, d, b->link);
  num_frame in = {.p = {0}};
  lwi_get(&b->R.c[0][0], b_p ? &b_p->R.c[0][0] : NULL, 12, &in.R.c[0][0]);
  lwi_get(b->p, b_p ? b_p->p : NULL, 3, in.p);
  return lwi_moving_on(&link, &in);
}

lwi_moving_frame lwi_derivative_link(const lw_model *m, const lw_derivatives *d, int link)
{
  const num_moving_frame f = link_at(m, d, link);
  return lwi_keep_moving(&f);
}

lwi_moving_frame lwi_derivative_body(const lw_model *m, const lw_derivatives *d, int body)
{
  const num_moving_frame f = body_at(m, d, body);
  return lwi_keep_moving(&f);
}

void lwi_derivative_pose(const lw_model *m, const lw_derivatives *d, int body, const double *near,
                         double pose_p[7])
{
  const num_moving_frame f = body_at(m, d, body);
  num e[4], dot = 1;
  quat_from_rot(f.frame.R, e);
  if (near) dot = e[0] * near[0] + e[1] * near[1] + e[2] * near[2] + e[3] * near[3];
  for (int i = 0; i < 4; i++)
    e[i] = value_of(dot) < 0 ? -e[i] : e[i];
  lwi_keep(f.frame.p, 3, pose_p);
  lwi_keep(e, 4, pose_p + 3);
}

void lwi_derivative_acceleration(const lw_model *m, const lw_derivatives *d, int frame,
                                 double A_p[6])
{
  const lwi_body *b = lwi_frame_at(m, frame),
                 *b_p = d->derivative ? lwi_frame_at(d->derivative, frame) : NULL;
  const num_frame link = link_frame_at(m, d, b->link);
  num V[6], A[6], at[3], o[3], turn[3], swing[3], speed[3];
  motion_at(m, d, b->link, V, A);
  lwi_get(b->p, b_p ? b_p->p : NULL, 3, at);
  rot_mulv(link.R, at, o);
  cross3(V, o, speed);
  cross3(V, speed, swing);
  cross3(A, o, turn);
  for (int i = 0; i < 3; i++)
    A[3 + i] += turn[i] + swing[i];
  if (b->link == 0) memset(A, 0, sizeof A);
  lwi_keep(A, 6, A_p);
}

/* ---- pairs ---- */

static void derivative_pair(const lw_model *m, lw_derivatives *d, int pair)
{
  lwi_pair_state *out = &d->closure.pair_p[pair];
  for (int side = 0; side < 2; side++) {
    const num_frame in = lwi_get_frame(
        &m->pair[pair].place[side], d->derivative ? &d->derivative->pair[pair].place[side] : NULL);
    const num_moving_frame link = link_at(m, d, m->pair[pair].link[side]);
    const num_moving_frame f = lwi_moving_on(&link, &in);
    num arm[3];
    rot_mulv(link.frame.R, in.p, arm);
    lwi_keep_frame(&f.frame, &out->frame[side]);
    lwi_keep(f.V, 6, out->V[side]);
    lwi_keep(arm, 3, out->arm[side]);
  }
}

/* coordinates and speeds of a cut joint */
static void derivative_cut_joint(const lw_model *m, lw_derivatives *d, int joint)
{
  const lw_joint_info *j = &m->joint[joint].info;
  num_joint_shape shape;
  num_pair_state own;
  num q[7], u[6];
  const num_pair_state *s = pair_at(d, m->joint[joint].pair, &own);
  const num_joint_at at = cut_joint_at(m, d, joint, s, &shape);
  lwi_joint_q(&at, q);
  lwi_joint_u(&at, s->V[0], s->V[1], u);
  lwi_keep(q, j->nq, d->q_p + j->q_all);
  lwi_keep(u, j->nu, d->u_p + j->u_all);
}

void lwi_derivative_pairs(const lw_model *m, lw_derivatives *d)
{
  for (int i = 0; i < m->npair; i++)
    derivative_pair(m, d, i);
  for (int i = 1; i <= m->njoint; i++)
    if (m->joint[i].info.cut) derivative_cut_joint(m, d, i);
}
