/* SPDX-License-Identifier: Apache-2.0 */
/* cut_joints.c -- coordinates, speeds and accelerations of cut joints, on request.  Compiled twice
   (at_state.h). */
#include "tree/loops/at_state.h"

#include <string.h>

/* of both frames: accelerations of their origins */
static void pair_accelerations(const lw_model *m, const lwi_state *at, int pair, num A[2][6])
{
  for (int side = 0; side < 2; side++) {
    num V[6], arm[3], turn[3], swing[3];
    const int link = m->pair[pair].link[side];
    memset(A[side], 0, sizeof A[side]);
    if (link == 0) continue;
    motion_at(m, at, link, V, A[side]);
    arm_at(at, pair, side, arm);
    cross3(V, arm, turn);
    cross3(V, turn, swing);
    cross3(A[side], arm, turn);
    for (int i = 0; i < 3; i++)
      A[side][3 + i] += turn[i] + swing[i];
  }
}

static void find_udot(const lw_model *m, const lwi_state *at, int joint, double udot[])
{
  num_pair_state own;
  num_joint_shape shape;
  num A[2][6], x[6];
  const num_pair_state *s = pair_at(at, m->joint[joint].pair, &own);
  pair_accelerations(m, at, m->joint[joint].pair, A);
  const num_joint_at joint_at = cut_joint_at(m, at, joint, s, &shape);
  lwi_joint_udot(&joint_at, s->V[0], s->V[1], A[0], A[1], x);
  lwi_keep(x, m->joint[joint].info.nu, udot + m->joint[joint].info.u_all);
}

#if LW_DERIVATIVE

void lwi_derivative_cut_accelerations(const lw_model *m, const lw_derivatives *d, double udot_p[])
{
  for (int i = 1; i <= m->njoint; i++)
    if (m->joint[i].info.cut) find_udot(m, d, i, udot_p);
}

#else

void lwi_closure_cut_joints(const lw_model *m, const lw_work *w, double q[], double u[],
                            double udot[])
{
  const double *own_q = w->kernels->part(w->tree, LWI_CUT_Q);
  if (q) memcpy(q + m->nq, own_q, (size_t)m->ncut_q * sizeof(double));
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    const lwi_pair_state *s = &w->closure->pair[j->pair];
    const num_joint_at at = {&j->shape, &s->frame[0], &s->frame[1],
                             lwi_cut_near(m, w->kernels, w->tree, i)};
    if (u) lwi_joint_u(&at, s->V[0], s->V[1], u + j->info.u_all);
    if (udot) find_udot(m, w, i, udot);
  }
}

#endif
