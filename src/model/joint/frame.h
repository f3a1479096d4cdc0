/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h -- a frame in another one: products and inverses of poses. */
#ifndef LWI_MODEL_JOINT_FRAME_H
#define LWI_MODEL_JOINT_FRAME_H
#include "math/rotation.h"

/* a frame in another one: axes by columns, origin */
typedef struct {
  rot3 R;
  double p[4];
} lwi_frame;
#if LW_DERIVATIVE /* see num.h: then frames are only stored as above */
typedef struct {
  num_rot R;
  num p[4];
} num_frame;
#else
typedef lwi_frame num_frame;
#endif

static inline num_frame lwi_frame_identity(void)
{
  return (num_frame){.R = rot_identity()};
}

static inline void lwi_frame_point(num_frame a, const num x[3], num out[3])
{
  num r[3];
  rot_mulv(a.R, x, r);
  for (int i = 0; i < 3; i++)
    out[i] = r[i] + a.p[i];
}

static inline num_frame lwi_frame_mul(num_frame a, num_frame b)
{
  num_frame c = {.R = rot_mul(a.R, b.R)};
  lwi_frame_point(a, b.p, c.p);
  return c;
}

static inline num_frame lwi_frame_inverse(num_frame a)
{
  num_frame c = {.R = rot_transpose(a.R)};
  rot_mulv(c.R, a.p, c.p);
  for (int i = 0; i < 3; i++)
    c.p[i] = -c.p[i];
  return c;
}

#endif
