/* SPDX-License-Identifier: Apache-2.0 */
/* bearing.h -- what the bearings of a joint carry: the load that its friction is proportional
   to. */
#ifndef LWI_SIM_FORMULATION_BEARING_H
#define LWI_SIM_FORMULATION_BEARING_H
#include "model/model.h"
#include "linkwork/quantities.h"

/* A joint with friction from its own load; axis: at the present state, ground axes. */
typedef struct {
  int joint;
  const double *size; /* radius, length, thrust radius: lw_event_desc */
  double axis[3];
} lwi_bearing;

/* Of a joint with bearings of this size (lw_event_desc).  False: there is no such joint at the
   moment. */
bool lwi_bearing_init(lwi_bearing *b, const lw_model *m, const char *joint, const double size[3]);
/* After lw_kinematics. */
void lwi_bearing_place(lwi_bearing *b, const lw_model *m, const lw_work *w);
/* From the load of the joint, [torque; force] on the child at its joint frame, ground axes.  With
   the axis a, the force F across it and the moment M, two bearings at +-length/2 carry

     N = F/2 +- M x a / length,   and the load is   radius (|N+| + |N-|) + thrust radius |a . force|

   a norm of the load.  slope[6]: its derivative; NULL: not needed. */
double lwi_bearing_load(const lwi_bearing *b, const double load[6], double slope[6]);

#endif
