/* SPDX-License-Identifier: Apache-2.0 */
/* moving_frame.h -- frames with their motions, and how both change along one direction p. */
#ifndef LWI_MODEL_JOINT_MOVING_FRAME_H
#define LWI_MODEL_JOINT_MOVING_FRAME_H
#include "model/joint/stored.h"

/* a frame, the motion [w; v] of its origin, and the derivatives of both */
typedef struct {
  lwi_frame frame, frame_p;
  double V[6], V_p[6];
} lwi_moving_frame;

#if LW_DERIVATIVE

typedef struct {
  num_frame frame;
  num V[6];
} num_moving_frame;

static inline num_moving_frame lwi_get_moving(const lwi_moving_frame *f)
{
  num_moving_frame out = {.frame = lwi_get_frame(&f->frame, &f->frame_p)};
  lwi_get(f->V, f->V_p, 6, out.V);
  return out;
}

static inline lwi_moving_frame lwi_keep_moving(const num_moving_frame *f)
{
  lwi_moving_frame out = {.frame = {.p = {0}}};
  for (int i = 0; i < 12; i++)
    (&out.frame.R.c[0][0])[i] = value_of((&f->frame.R.c[0][0])[i]);
  for (int i = 0; i < 3; i++)
    out.frame.p[i] = value_of(f->frame.p[i]);
  for (int i = 0; i < 6; i++)
    out.V[i] = value_of(f->V[i]);
  lwi_keep_frame(&f->frame, &out.frame_p);
  lwi_keep(f->V, 6, out.V_p);
  return out;
}

/* axes R that turn by `turn` */
static inline num_rot lwi_turning(const double R[9], const double turn[3])
{
  num_rot out = rot_identity();
  for (int i = 0; i < 3; i++) {
    const double *c = R + 3 * i;
    out.c[i][0] = num_of(c[0], turn[1] * c[2] - turn[2] * c[1]);
    out.c[i][1] = num_of(c[1], turn[2] * c[0] - turn[0] * c[2]);
    out.c[i][2] = num_of(c[2], turn[0] * c[1] - turn[1] * c[0]);
  }
  return out;
}

/* A frame fixed in a moving one, where it is `in`. */
static inline num_moving_frame lwi_moving_on(const num_moving_frame *base, const num_frame *in)
{
  num_moving_frame f = {.frame = lwi_frame_mul(base->frame, *in)};
  num arm[3], turn[3];
  for (int i = 0; i < 3; i++)
    arm[i] = f.frame.p[i] - base->frame.p[i];
  cross3(base->V, arm, turn);
  for (int i = 0; i < 3; i++) {
    f.V[i] = base->V[i];
    f.V[3 + i] = base->V[3 + i] + turn[i];
  }
  return f;
}

#endif

#endif
