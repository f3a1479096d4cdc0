/* SPDX-License-Identifier: Apache-2.0 */
/* cut_joints.c -- coordinates, speeds and accelerations of the joints that close loops, for those who
   ask. */
#include "tree/closure.h"
#include "tree/work.h"

#include <string.h>

/* of both frames: accelerations of their origins */
static void pair_accelerations(const lw_model *m, const lw_work *w, int pair, double A[2][6])
{
  const lwi_pair_state *s = &w->closure->pair[pair];
  for (int side = 0; side < 2; side++) {
    double V[6], turn[3], swing[3];
    const int link = m->pair[pair].link[side];
    memset(A[side], 0, sizeof A[side]);
    if (link == 0) continue;
    w->kernels->get_motion(m, w->tree, link, V, A[side]);
    cross3(V, s->arm[side], turn);
    cross3(V, turn, swing);
    cross3(A[side], s->arm[side], turn);
    for (int i = 0; i < 3; i++)
      A[side][3 + i] += turn[i] + swing[i];
  }
}

void lwi_closure_cut_joints(const lw_model *m, const lw_work *w, double q[], double u[],
                            double udot[])
{
  const double *own_q = w->kernels->cut_part(w->tree, LWI_CUT_Q);
  if (q) memcpy(q + m->nq, own_q, (size_t)m->ncut_q * sizeof(double));
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    const lwi_pair_state *s = &w->closure->pair[j->pair];
    double A[2][6];
    if (u) lwi_joint_u(&j->shape, &s->frame[0], &s->frame[1], s->V[0], s->V[1], u + j->info.u_all);
    if (!udot) continue;
    pair_accelerations(m, w, j->pair, A);
    lwi_joint_udot(&j->shape, &s->frame[0], &s->frame[1], s->V[0], s->V[1], A[0], A[1],
                   udot + j->info.u_all);
  }
}

void lwi_closure_follow(const lw_model *m, const lw_work *from, lw_work *w)
{
  if (!w->closure) return;
  memcpy(w->kernels->cut_part(w->tree, LWI_CUT_Q), from->kernels->cut_part(from->tree, LWI_CUT_Q),
         (size_t)m->ncut_q * sizeof(double));
  memcpy(w->closure->start, from->closure->start, (size_t)(m->nconstraint + 1) * sizeof(double));
}
