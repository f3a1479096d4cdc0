/* SPDX-License-Identifier: Apache-2.0 */
/* unit_push.h -- the direction in which a contact, a limit or the friction of a joint pushes. */
#ifndef LWI_SIM_EVENTS_UNIT_PUSH_H
#define LWI_SIM_EVENTS_UNIT_PUSH_H
#include "linkwork/quantities.h"
#include "linkwork/spec.h"
#include "model/joint/frame.h"

/* How a contact, limit or friction pushes: a unit load on a body at a point, ground axes, and the
   opposite one on the other body.  The same numbers make a speed of the relative motion there. */
typedef struct {
  lw_body body, other;
  double point[3], load[6]; /* [torque; force] */
} lwi_unit_push;

/* After lw_kinematics; of an impact along its normal, of a joint on one of its freedoms.  False:
   there is no such joint, or its speeds are not rates. */
bool lwi_unit_push_of(const lw_model *m, const lw_work *w, const lw_event_desc *e,
                      lwi_unit_push *out);
/* Across the normal of a contact, at the same point: two directions, in planar models one.  They
   are fixed to a plane; on a sphere they are those of the normal (rot_aligning_z).  Returns how many. */
int lwi_unit_pushes_across(const lw_model *m, const lw_work *w, const lw_event_desc *e,
                           lwi_unit_push out[2]);
/* The normal of a contact in the axes of the other body; pose: of bodies. */
void lwi_contact_normal(const lw_contact_desc *k, const lwi_frame pose[], double n[3]);
/* The speed: load^T (motion of the body - motion of the other one) at the point, from the
   velocities [w; v] of the two origins, or from those in the work. */
double lwi_unit_push_relative(const lw_work *w, const lwi_unit_push *x, const double V[2][6]);
double lwi_unit_push_speed(const lw_work *w, const lwi_unit_push *x);

/* What turns its speed into that of a point: 1, or of rotations a typical lever arm. */
double lwi_unit_push_arm(const lw_model *m, const lwi_unit_push *x);

#endif
