/* SPDX-License-Identifier: Apache-2.0 */
#include "model/moving_frame.h"

void lwi_turn_of(const rot3 *R, const rot3 *dR, double turn[3])
{
  memset(turn, 0, 3 * sizeof(double));
  for (int i = 0; i < 3; i++) {
    double c[3];
    cross3(R->c[i], dR->c[i], c);
    for (int k = 0; k < 3; k++)
      turn[k] += 0.5 * c[k];
  }
}

void lwi_quat_turned(const double e[4], const double turn[3], double e1[4])
{
  const double *t = turn;
  e1[0] = 0.5 * (-t[0] * e[1] - t[1] * e[2] - t[2] * e[3]);
  e1[1] = 0.5 * (t[0] * e[0] + t[1] * e[3] - t[2] * e[2]);
  e1[2] = 0.5 * (t[1] * e[0] + t[2] * e[1] - t[0] * e[3]);
  e1[3] = 0.5 * (t[2] * e[0] + t[0] * e[2] - t[1] * e[1]);
}

lwi_moving_frame lwi_moving_frame_on(const lwi_moving_frame *base, const lwi_frame *in,
                                     const lwi_frame *din)
{
  lwi_moving_frame f = {.frame = lwi_frame_mul(base->frame, *in)};
  double turn[3] = {0};
  if (din) {
    lwi_turn_of(&in->R, &din->R, turn);
    rot_mulv(base->frame.R, turn, turn);
  }
  const dual3 arm = dual3_turned(&base->frame.R, base->turn, in->p, din ? din->p : NULL);
  const dual3 w = dual3_of(base->V, base->V1);
  const dual3 v = dual3_add(dual3_of(base->V + 3, base->V1 + 3), dual3_cross(w, arm));
  for (int i = 0; i < 3; i++) {
    f.turn[i] = base->turn[i] + turn[i];
    f.shift[i] = base->shift[i] + arm.d[i];
    f.V[i] = w.x[i];
    f.V[3 + i] = v.x[i];
    f.V1[i] = w.d[i];
    f.V1[3 + i] = v.d[i];
  }
  return f;
}

void lwi_moving_frame_seen(const lwi_moving_frame *base, const lwi_moving_frame *X, lwi_frame *in,
                           lwi_frame *din)
{
  double turn[3], d[3], d1[3], swung[3];
  *in = lwi_frame_mul(lwi_frame_inverse(base->frame), X->frame);
  *din = (lwi_frame){.p = {0}};
  for (int i = 0; i < 3; i++) {
    turn[i] = X->turn[i] - base->turn[i];
    d[i] = X->frame.p[i] - base->frame.p[i];
    d1[i] = X->shift[i] - base->shift[i];
  }
  cross3(base->turn, d, swung);
  for (int i = 0; i < 3; i++)
    d1[i] -= swung[i];
  rot_tmulv(base->frame.R, d1, din->p);
  rot_tmulv(base->frame.R, turn, turn);
  for (int i = 0; i < 3; i++)
    cross3(turn, in->R.c[i], din->R.c[i]);
}
