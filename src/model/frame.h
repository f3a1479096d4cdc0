/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h -- frames in one another, in plain doubles. */
#ifndef LWI_MODEL_FRAME_H
#define LWI_MODEL_FRAME_H
#include "math/rotation.h"

/* a frame in another one: axes by columns, origin */
typedef struct {
  rot3 R;
  double p[4];
} lwi_frame;

lwi_frame lwi_frame_identity(void);
lwi_frame lwi_frame_mul(lwi_frame a, lwi_frame b);
lwi_frame lwi_frame_inverse(lwi_frame a);
void lwi_frame_point(lwi_frame a, const double x[3], double out[3]);

#endif
