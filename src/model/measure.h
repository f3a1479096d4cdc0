/* SPDX-License-Identifier: Apache-2.0 */
/* measure.h -- a measure: a number that follows from positions and velocities of bodies, by its name.

     x.F y.F z.F          position of the frame F, a body or a point
     vx.F vy.F vz.F       velocity of its origin
     wx.F wy.F wz.F       angular velocity
     xx.F xy.F ... zz.F   components of its axes: xy is the y component of its x axis
     length.S rate.S tension.S   of a spring
     angle.T rate.T              of a torsion
     dx.M dvx.M rx.M dwx.M ...   of a bushing, in its axes: displacement, its rate, rotation vector, angular velocity

   All are in ground axes and seen from the ground; x.F.in.G is seen from the frame G, in its axes. */
#ifndef LWI_MODEL_MEASURE_H
#define LWI_MODEL_MEASURE_H

typedef enum {
  LWI_MEASURE_POSITION,
  LWI_MEASURE_VELOCITY,
  LWI_MEASURE_SPIN,
  LWI_MEASURE_AXIS,
  LWI_MEASURE_LENGTH,
  LWI_MEASURE_LENGTH_RATE,
  LWI_MEASURE_TENSION,
  LWI_MEASURE_ANGLE,
  LWI_MEASURE_ANGLE_RATE,
  LWI_MEASURE_SHIFT,
  LWI_MEASURE_SHIFT_RATE,
  LWI_MEASURE_TURN,
  LWI_MEASURE_TURN_RATE,
  LWI_MEASURE_KINDS
} lwi_measure_kind;

typedef struct {
  lwi_measure_kind kind;
  int component; /* along this axis of `in` */
  int axis;      /* of `of`, for LWI_MEASURE_AXIS */
  int of, in;    /* frames: a body, or nbody + 1 + point; of: of an element its index */
} lwi_measure;

#endif
