/* SPDX-License-Identifier: Apache-2.0 */
/* dynamics.h -- compute: nothing below allocates, prints, locks or exits, except lw_work_new.

   Spatial vectors are angular first: velocity [w; v], load [torque; force].  The forces of the model
   (gravity, springs, motors, ...) always act; `tau` is what the caller adds to them, one generalized
   load a speed, NULL for none:

     M(q) udot + bias(t, q, u) = tau

   udot may be NULL for zero.  A call that fails leaves its outputs untouched.

   Checked in every call, here and in the other headers, and answered with LW_E_ARG (by functions without a status:
   NULL, 0, or nothing): objects and arrays that are NULL where that is not allowed; a work, or another object made for
   a model, that belongs to another model, also after that was freed; bodies, joints, constraints and indices out of
   range; values that are none of their enumeration; negative counts.  Not checked: the length of arrays, and objects
   that have been freed.

   With closed loops and constraints q, u and udot are those of the spanning tree; forward dynamics gives
   the udot that satisfies all constraints, M and bias are those of the tree without them.  Inverse
   dynamics takes a udot that satisfies them (else LW_E_ARG) and gives the tau with the smallest sum of
   squares; the constraints carry the rest. */
#ifndef LINKWORK_DYNAMICS_H
#define LINKWORK_DYNAMICS_H
#include "linkwork/model.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_work lw_work; /* room to compute in: one per thread */
typedef struct {
  double p[3], quat[4];
} lw_pose;

LW_API size_t lw_work_size(const lw_model *m);
LW_API lw_work *lw_work_init(const lw_model *m, void *mem, size_t size); /* 64-byte aligned mem */
LW_API lw_work *lw_work_new(const lw_model *m);                          /* ... or from malloc */
LW_API void lw_work_free(lw_work *w);

/* ---- closed loops: states that satisfy all joints and constraints.  q and u are those of the spanning
        tree; models without loops and constraints are left as they are ---- */

/* From a rough guess: joints with `hold` keep q and u, drivers impose theirs, the rest moves as little
   as closing needs; speeds become the nearest consistent ones in kinetic energy.
   LW_E_NOT_CONVERGED: err names the joint that stays open and its gap; q and u stay untouched. */
LW_API lw_status lw_assemble(lw_work *w, double t, double q[], double u[], lw_error *err);
/* From a state that has drifted a little; nothing is held.  The nearest state in the metric of the mass
   matrix, with embedded loops (below) in one of each cluster. */
LW_API lw_status lw_project(lw_work *w, double t, double q[], double u[]);
/* The largest violation of a constraint equation, metres and radians alike. */
LW_API lw_status lw_drift(lw_work *w, double t, const double q[], double *drift);
/* Degrees of freedom by the rank of the equations at q, and how many equations are redundant. */
LW_API lw_status lw_count_freedoms(lw_work *w, const double q[], int *dof, int *redundant);

/* How the recursion closes loops: by loads of cut joints, or with each cluster of coupled loops embedded
   as one node of a coarser tree.  Both give the same numbers; a work counts the operations of both when it
   is made and takes the cheaper one. */
typedef struct {
  lw_loops asked, way; /* way: CUT or EMBEDDED; AUTO if there is nothing to close */
  int nnode;           /* clusters of loops */
  int largest;         /* most links in one of them */
  int nindependent;    /* speeds that they leave independent, at the last state */
  double cut_cost,
      embedded_cost; /* operations beyond those that both need; 0: this method cannot be used */
} lw_loops_info;
/* LW_E_UNSUPPORTED: this method cannot be used.  Cut joints need a regular mass matrix of the spanning tree,
   and room: not many hundreds of loops in series.  Embedding is not for clusters of many links that have
   many independent speeds. */
LW_API lw_status lw_set_loops(lw_work *w, lw_loops way);
LW_API lw_loops_info lw_get_loops(const lw_work *w);

/* ---- kinematics ---- */

/* Poses and velocities of all bodies. */
LW_API lw_status lw_kinematics(lw_work *w, const double q[], const double u[]);
/* Accelerations of all bodies, after lw_kinematics. */
LW_API lw_status lw_accelerations(lw_work *w, const double udot[]);

/* Of the body origin, in ground axes; each after the call that computes it. */
LW_API lw_status lw_get_pose(const lw_work *w, lw_body b, lw_pose *X_WB);
LW_API lw_status lw_get_velocity(const lw_work *w, lw_body b, double V[6]);
LW_API lw_status lw_get_acceleration(const lw_work *w, lw_body b, double A[6]);
/* V = J u for the point of body b at p_B (body frame); J is 6 x nu, row by row. */
LW_API lw_status lw_jacobian(const lw_work *w, lw_body b, const double p_B[3], double J[]);

/* Coordinates and speeds of the joints that close loops, after lw_kinematics, and accelerations, after
   what computes them: into arrays of all joints (lw_nq_all, lw_nu_all), from nq and nu on.  Angles go on
   continuously from the last state of w, at first from near the written ones.  Any may be NULL. */
LW_API lw_status lw_get_cut_joints(const lw_work *w, double q[], double u[], double udot[]);

/* ---- dynamics: forward and inverse dynamics leave kinematics and accelerations in w ---- */

/* LW_E_UNSUPPORTED: there are very many loops in series that leave many speeds independent, which only
   divide and conquer and the Cartesian form can solve; the same of inverse dynamics. */
LW_API lw_status lw_forward_dynamics(lw_work *w, double t, const double q[], const double u[],
                                     const double tau[], double udot[]);
LW_API lw_status lw_inverse_dynamics(lw_work *w, double t, const double q[], const double u[],
                                     const double udot[], double tau[]);
/* What tau must be for udot = 0: Coriolis and gyroscopic terms minus all forces of the model. */
LW_API lw_status lw_bias(lw_work *w, double t, const double q[], const double u[], double bias[]);
/* nu x nu, symmetric. */
LW_API lw_status lw_mass_matrix(lw_work *w, const double q[], double M[]);
/* The same without its zeros, one row a speed: the entry with the speed itself, then with the speeds
   inward of it, one after the other (lw_speed_parents of sko.h says which).  In a shallow tree these
   are few. */
LW_API size_t lw_mass_row_entries(const lw_model *m);
LW_API lw_status lw_mass_rows(lw_work *w, const double q[], double rows[]);
/* log det M and the sign of the determinant: 0 with -infinity if M is singular.  Rotations of free
   particles are left out.  Costs as much as forward dynamics: M is not formed. */
LW_API lw_status lw_mass_determinant(lw_work *w, const double q[], double *logdet, int *sign);
/* Loads of all joints, after forward or inverse dynamics; then ask for each.  A load is the
   constraint load [torque; force] of the joint on its child, at the origin of the child's joint
   frame, in ground axes.  With redundant constraints it is one of the possible loads, that with the
   smallest multipliers. */
LW_API lw_status lw_joint_loads(lw_work *w);
LW_API lw_status lw_get_load(const lw_work *w, lw_joint j, double load[6]);
/* The same of a geometric constraint; of a gear, coupler or driver the multiplier, that is the load on
   a coordinate whose coefficient is 1. */
LW_API lw_status lw_get_constraint_load(const lw_work *w, lw_constraint c, double load[6]);
LW_API lw_status lw_get_relation_load(const lw_work *w, lw_constraint c, double *load);

LW_API lw_status lw_energy(lw_work *w, const double q[], const double u[], double *kinetic,
                           double *potential);
/* Why a function has failed with this status at this state: err names the joint, body, force or driver that is
   not finite, or moves no inertia, with line and column, after "what: "; where none is found it is
   lw_status_text.  u NULL: at rest.  w and what may be NULL; results in w are lost.  Returns status. */
LW_API lw_status lw_explain(lw_work *w, double t, const double q[], const double u[],
                            lw_status status, const char *what, lw_error *err);
/* Of all that is not in the potential energy but constraints: motors, applied loads, dampers. */
LW_API lw_status lw_power(lw_work *w, double t, const double q[], const double u[], double *power);
/* After lw_kinematics: [angular about the ground origin; linear] in ground axes, and the centre. */
LW_API lw_status lw_momentum(const lw_work *w, double h[6]);
LW_API lw_status lw_mass_center(const lw_work *w, double *mass, double p[3]);

/* ---- the same for n states at once: element [i*n + k] is coordinate i of state k.  If some states
        fail, the others are still computed, and those that failed are not finite ---- */

/* A work whose kernels carry as many states side by side as this processor's vectors hold. */
LW_API lw_work *lw_work_new_batch(const lw_model *m);
LW_API int lw_work_lanes(const lw_work *w);
LW_API lw_status lw_forward_dynamics_n(lw_work *w, int n, double t, const double q[],
                                       const double u[], const double tau[], double udot[]);
LW_API lw_status lw_inverse_dynamics_n(lw_work *w, int n, double t, const double q[],
                                       const double u[], const double udot[], double tau[]);
LW_API lw_status lw_mass_matrix_n(lw_work *w, int n, const double q[], double M[]);

/* ---- fixed steps for real-time users ---- */

/* One step of size dt with LW_INTEGRATOR_RK4 or LW_INTEGRATOR_EULER; tau is held during it. */
LW_API lw_status lw_step(lw_work *w, lw_integrator method, double dt, const double tau[], double *t,
                         double q[], double u[]);

#ifdef __cplusplus
}
#endif
#endif
