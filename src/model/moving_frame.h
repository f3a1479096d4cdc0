/* SPDX-License-Identifier: Apache-2.0 */
/* moving_frame.h -- frames whose places and motions change along one direction. */
#ifndef LWI_MODEL_MOVING_FRAME_H
#define LWI_MODEL_MOVING_FRAME_H
#include "math/dual.h"
#include "model/frame.h"

/* a frame with its motion [w; v of its origin], and how both change: it turns and shifts */
typedef struct {
  lwi_frame frame;
  double V[6];
  double turn[3], shift[3], V1[6];
} lwi_moving_frame;

/* A frame fixed in a moving one, where it is `in`, which changes by din (NULL: not at all). */
lwi_moving_frame lwi_moving_frame_on(const lwi_moving_frame *base, const lwi_frame *in,
                                     const lwi_frame *din);
/* The other way round: X as seen from the base, and how that changes. */
void lwi_moving_frame_seen(const lwi_moving_frame *base, const lwi_moving_frame *X, lwi_frame *in,
                           lwi_frame *din);

/* The vector of the rotation dR R'. */
void lwi_turn_of(const rot3 *R, const rot3 *dR, double turn[3]);
/* How the quaternion e of R in ground axes changes when R turns: e' = 1/2 turn o e. */
void lwi_quat_turned(const double e[4], const double turn[3], double e1[4]);

#endif
