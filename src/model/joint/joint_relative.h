/* SPDX-License-Identifier: Apache-2.0 */
/* joint_relative.h -- a joint as a relation of two frames, whether the tree runs through it or it
   closes a loop: pose from coordinates, coordinates from poses, and the motion map.

   Frames A (parent) and B (child), motions and accelerations are those of equations.h, all in
   ground axes.  P has one 6-vector [w; v] per freedom, about B's origin, in the order of u
   (docs/format.md, table of section 3); G has one per speed:
     rel = P u,   u = G rel,   G P = 1        (rel: the motion of B seen from A)
   where the joint's own equations hold.  G is the gradient of the coordinate also where they do
   not, so a driver or gear on a closing joint may use its rows as a Jacobian.  In planar models
   6-vectors have the entries wz, vx, vy only. */
#ifndef LWI_MODEL_JOINT_JOINT_RELATIVE_H
#define LWI_MODEL_JOINT_JOINT_RELATIVE_H
#include "model/joint/equations.h"
#include "model/joint/joint.h"

/* A shape without numbers: the caller fills in axes and pitch. */
num_joint_shape lwi_joint_shape_of(lw_joint_type type, bool planar);

/* X(q), the pose of B in A; quaternions may have any length but zero */
num_frame lwi_joint_pose(const num_joint_shape *j, const num q[/* nq */]);

/* A joint at two frames.  The same frames have several sets of coordinates: near, coordinates of a
   frame nearby, chooses one of them.  So speeds and accelerations are those of the coordinates that
   lwi_joint_q finds.  Only values of near count, not derivatives; of a joint without angles and
   quaternions it may be NULL. */
typedef struct {
  const num_joint_shape *shape;
  const num_frame *A, *B;
  const double *near; /* [nq] */
} num_joint_at;
#if !LW_DERIVATIVE
typedef num_joint_at lwi_joint_at;
#endif

/* ---- positions ---- */

/* The coordinates: angles within half a turn of near, quaternions without a sign jump from near
   (from a zero one: w >= 0).  q may be near. */
void lwi_joint_q(const num_joint_at *at, num q[/* nq */]);

/* How far its coordinates are from gimbal lock, from -1 to 1: a sine that is zero where its axes
   lie in one plane.  1: of a type that has no lock. */
double lwi_joint_lock(const lwi_joint_shape *j, const double q[/* nq */]);
#define LWI_AT_LOCK 1e-7 /* closer than this fewer than half of the digits of speeds are left */

/* ---- velocities ---- */

void lwi_joint_motion_map(const num_joint_at *at, num P[/* nu */][6]);
void lwi_joint_speed_map(const num_joint_at *at, num G[/* nu */][6]);
/* out[n] = G x */
void lwi_joint_multiply(num G[][6], int n, const num x[6], num out[]);
/* Of a revolute joint: the row of its speed on the angular velocity of B seen from A. */
void lwi_joint_angle_row(const num_joint_at *at, num G[3]);
void lwi_joint_u(const num_joint_at *at, const num VA[6], const num VB[6], num u[/* nu */]);

/* ---- accelerations ---- */

/* c of docs/theory/tree.md: A_B - A_A = P udot + c with A_A that of A's material point at B's
   origin, [alpha; a + alpha x d + w x (w x d)]:
     c = [w_A x w; 2 w_A x v] + what the joint itself turns of P. */
void lwi_joint_bias(const num_joint_at *at, const num VA[6], const num VB[6], num c[6]);
/* udot from the accelerations of the two frames */
void lwi_joint_udot(const num_joint_at *at, const num VA[6], const num VB[6], const num AA[6],
                    const num AB[6], num udot[/* nu */]);
/* The speeds as rows: u = JA V_A + JB V_B,  udot = JA Vdot_A + JB Vdot_B - gamma. */
void lwi_joint_speed_rows(const num_joint_at *at, num JA[/* nu */][6], num JB[/* nu */][6]);
void lwi_joint_speed_gamma(const num_joint_at *at, const num VA[6], const num VB[6],
                           num gamma[/* nu */]);

/* ---- loads ---- */

/* Takes from a joint's load [t; f] on the child what its motors and springs carry, leaving the
   constraint load: a helical motor is a pure torque, that of a universal joint lies in the plane of
   its axes.  z1, z2: axes of its first two freedoms, of a planar joint its normal
   (joint_load.c). */
void lwi_joint_carries(lw_joint_type type, num pitch, const num z1[3], const num z2[3], num t[3],
                       num f[3]);

#endif
