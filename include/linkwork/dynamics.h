/* SPDX-License-Identifier: Apache-2.0 */
/* dynamics.h -- compute: nothing below allocates, prints, locks or exits, except lw_work_new.

   Spatial vectors are angular first: velocity [w; v], load [torque; force].  The forces of the
   model (gravity, springs, motors, ...) always act; `tau` is what the caller adds to them, one
   generalized load per speed, NULL for none:

     M(q) udot + bias(t, q, u) = tau

   udot may be NULL for zero.  A call that fails leaves its outputs untouched.

   Checked in every call, here and in the other headers, and reported as LW_E_ARG (by functions
   without a status: NULL, 0, or nothing): objects and arrays that are NULL where that is not
   allowed; objects in one call that were made for different models; bodies, joints, constraints and
   indices out of range; values that are none of their enumeration; negative counts.  Not checked:
   the length of arrays, and objects that have been freed.

   With closed loops and constraints q, u and udot are those of the spanning tree; forward
   dynamics gives the udot that satisfies all constraints, M and bias are those of the tree
   without them.  Inverse dynamics takes a udot that satisfies them (else LW_E_ARG) and gives the
   tau with the smallest sum of squares; the constraints carry the rest. */
#ifndef LINKWORK_DYNAMICS_H
#define LINKWORK_DYNAMICS_H
#include "linkwork/model.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_work lw_work; /* scratch and results, made for a model: one per thread */
typedef struct {
  double p[3], quat[4]; /* pose of a frame in ground axes: position of the origin, orientation */
} lw_pose;

LW_API lw_work *lw_work_new(const lw_model *m); /* in memory of the caller: realtime.h */
LW_API void lw_work_free(lw_work *w);

/* ---- closed loops: states that satisfy all joints and constraints.  q and u are those of the
   spanning
        tree; models without loops and constraints are left as they are ---- */

/* From a rough guess: joints with `hold` keep q and u, drivers impose theirs, and the rest moves to
   the nearest closed position, whose coordinates differ least from those given (docs/format.md
   3.12); speeds become the nearest consistent ones in the metric of kinetic energy.
   LW_E_NOT_CONVERGED: err names the joint that stays open and its gap; q and u are unchanged. */
LW_API lw_status lw_close_loops(lw_work *w, double t, double q[], double u[], lw_error *err);
/* Degrees of freedom of the mechanism: the number of speeds that its constraints leave free at q,
   by their rank, and the number of dependent equations there.  Each may be NULL. */
LW_API lw_status lw_dof(lw_work *w, const double q[], int *dof, int *redundant);

/* ---- kinematics ---- */

/* Poses and velocities of all bodies. */
LW_API lw_status lw_kinematics(lw_work *w, const double q[], const double u[]);
/* Accelerations of all bodies, after lw_kinematics. */
LW_API lw_status lw_accelerations(lw_work *w, const double udot[]);

/* Of the body origin, in ground axes; each after the call that computes it. */
LW_API lw_status lw_get_pose(const lw_work *w, lw_body b, lw_pose *pose);
LW_API lw_status lw_get_velocity(const lw_work *w, lw_body b, double V[6]);
LW_API lw_status lw_get_acceleration(const lw_work *w, lw_body b, double A[6]);
/* V = J u for the point of body b at p_B (body frame); J is 6 x nu, row by row. */
LW_API lw_status lw_jacobian(const lw_work *w, lw_body b, const double p_B[3], double J[]);

/* ---- dynamics: forward and inverse dynamics leave kinematics and accelerations in w ---- */

/* LW_E_UNSUPPORTED: there are very many loops in series that leave many speeds independent, which
   only divide and conquer and the Cartesian form can solve; also for inverse dynamics. */
LW_API lw_status lw_forward_dynamics(lw_work *w, double t, const double q[], const double u[],
                                     const double tau[], double udot[]);
LW_API lw_status lw_inverse_dynamics(lw_work *w, double t, const double q[], const double u[],
                                     const double udot[], double tau[]);
/* tau for udot = 0: Coriolis and gyroscopic terms minus all forces of the model. */
LW_API lw_status lw_bias(lw_work *w, double t, const double q[], const double u[], double bias[]);
/* nu x nu, symmetric. */
LW_API lw_status lw_mass_matrix(lw_work *w, const double q[], double M[]);
/* Computes the loads of all joints, after forward or inverse dynamics; then get each of them.  A
   load is the constraint load [torque; force] of the joint on its child, at the origin of the
   child's joint frame, in ground axes.  With redundant constraints it is one of the possible loads,
   the one with the smallest multipliers. */
LW_API lw_status lw_joint_loads(lw_work *w);
LW_API lw_status lw_get_load(const lw_work *w, lw_joint j, double load[6]);
LW_API lw_status lw_energy(lw_work *w, const double q[], const double u[], double *kinetic,
                           double *potential);
/* Explains why a function failed with this status at this state: err names the joint, body, force
   or driver that is not finite or moves no inertia, with line and column, after "what: "; if none
   is found, the text is lw_status_text.  u NULL: at rest.  w (then nothing is named) and what may
   be NULL; results in w are lost.  Returns status. */
LW_API lw_status lw_explain(lw_work *w, double t, const double q[], const double u[],
                            lw_status status, const char *what, lw_error *err);
/* After lw_kinematics: [angular about the ground origin; linear] in ground axes, and the centre. */
LW_API lw_status lw_momentum(const lw_work *w, double h[6]);
LW_API lw_status lw_mass_center(const lw_work *w, double *mass, double p[3]);

#ifdef __cplusplus
}
#endif
#endif
