/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.h -- exact first derivatives of dynamics.h: by recursions, not by differences.

   Derivatives by q are along speeds.  Direction k is the small motion that speed k alone would
   cause: q moves with qdot = N(q) e_k, where N is that of lw_coordinate_rates.  There are nu
   directions, also where quaternions make nq larger, and no direction leaves the unit quaternions:

     x_q[i*nu + k] = d/de x_i(q + e N(q) e_k, u, ...) at e = 0,    u held

   For joints without quaternions in which coordinate k is the integral of speed k (revolute,
   prismatic, helical, cylindrical, universal, gimbal, planar) this is the partial derivative by
   that coordinate.  In general, with dx/dq a row of partial derivatives, x_q = (dx/dq) N; and back,
   for changes dq that keep quaternions of unit length, dx = x_q v with dq = N v (of a quaternion e:
   v = 2 vec(e* de)). Along a motion, dx/dt = x_q u + x_u udot + ...

   Matrices are nu x nu, row by row; any output may be NULL.  A call that fails leaves its outputs
   untouched.  No call but lw_derivatives_new allocates. */
#ifndef LINKWORK_DERIVATIVES_H
#define LINKWORK_DERIVATIVES_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_derivatives lw_derivatives; /* scratch: one per thread */

LW_API lw_derivatives *lw_derivatives_new(const lw_model *m); /* returns NULL if out of memory */
/* Without memory for nu x nu matrices, for large models: derivatives by the state then return
   LW_E_UNSUPPORTED. */
LW_API lw_derivatives *lw_derivatives_new_along(const lw_model *m);
LW_API void lw_derivatives_free(lw_derivatives *d);
/* The work that it computes in: after a call it is as after forward or inverse dynamics. */
LW_API lw_work *lw_derivatives_work(lw_derivatives *d);

/* ---- between changes of coordinates and motions ---- */

/* The motion v of a change of coordinates, dq = N(q) v; components that change the length of a
   quaternion are dropped.  The inverse is lw_coordinate_rates. */
LW_API void lw_motion_of(const lw_model *m, const double q[], const double dq[], double motion[]);
/* The derivative of qdot = N(q) u for changes of q and u: for sensitivities over time. */
LW_API void lw_coordinate_rate_derivatives(const lw_model *m, const double q[], const double u[],
                                           const double dq[], const double du[], double qdot_p[]);

/* ---- by the state ---- */

/* What is wanted; NULL: not this one. */
typedef struct {
  double *q, *u, *udot; /* tau_q, tau_u and tau_udot */
} lw_inverse_matrices;
typedef struct {
  double *q, *u, *tau; /* udot_q, udot_u and udot_tau */
} lw_forward_matrices;

/* Of tau = M udot + bias, with the forces of the model: tau_udot is M.  With closed loops: of the
   spanning tree alone, as lw_bias. */
LW_API lw_status lw_inverse_dynamics_derivatives(lw_derivatives *d, double t, const double q[],
                                                 const double u[], const double udot[],
                                                 const lw_inverse_matrices *by);
/* Of forward dynamics, with its result udot: udot_tau is M^-1, with closed loops the response of
   the mechanism. */
LW_API lw_status lw_forward_dynamics_derivatives(lw_derivatives *d, double t, const double q[],
                                                 const double u[], const double tau[],
                                                 double udot[], const lw_forward_matrices *by);

/* ---- by a parameter ---- */

/* The derivatives of the numbers of a model by one parameter of its spec: masses, places, axes,
   coefficients, the initial state; exact.  A parameter that is an expression is differentiated at
   its own value.  Allocates.  Immutable afterwards.  Returns NULL on failure; see err.
   LW_E_NUMBER: some number has no derivative at this value. */
typedef struct lw_model_derivative lw_model_derivative;
LW_API lw_model_derivative *lw_model_derivative_new(const lw_model *m, const char *parameter,
                                                    lw_error *err);
LW_API void lw_model_derivative_free(lw_model_derivative *s);

/* ---- along any direction, in O(n): total derivatives ---- */

typedef struct {
  const double *motion;             /* [nu] of q: dq = N(q) motion; NULL: zero, as for all below */
  const double *u;                  /* [nu] */
  const double *tau;                /* [nu] for forward dynamics */
  const double *udot;               /* [nu] for inverse dynamics */
  const double *states;             /* [nstate] of the states, the last coordinates of q */
  const lw_model_derivative *model; /* of the numbers of the model */
} lw_direction;

/* First the state, then any number of directions.  Also with closed loops and constraints, with the
   rank that forward dynamics finds at this state; directions that leave the constraints are
   allowed. LW_E_UNSUPPORTED: the loops cannot be closed by cut joints (lw_set_loops). */
LW_API lw_status lw_linearize_forward(lw_derivatives *d, double t, const double q[],
                                      const double u[], const double tau[], double udot[]);
LW_API lw_status lw_forward_derivative(lw_derivatives *d, const lw_direction *x, double udot_p[]);
/* Afterwards: derivatives of the results of lw_get_cut_joints, in arrays of all joints. */
LW_API lw_status lw_get_cut_joint_derivatives(const lw_derivatives *d, double q[], double u[]);
/* Computes the derivatives of all loads; then get each of them, as in dynamics.h.  Loads that
   redundant constraints leave undetermined: derivatives of those that are returned. */
LW_API lw_status lw_load_derivatives(lw_derivatives *d);
LW_API lw_status lw_get_load_derivative(const lw_derivatives *d, lw_joint j, double load[6]);
LW_API lw_status lw_get_constraint_load_derivative(const lw_derivatives *d, lw_constraint c,
                                                   double load[6]);
LW_API lw_status lw_get_relation_load_derivative(const lw_derivatives *d, lw_constraint c,
                                                 double *load);

/* Of tau = M udot + bias; with closed loops that of the spanning tree alone, as lw_bias. */
LW_API lw_status lw_inverse_derivative(lw_derivatives *d, double t, const double q[],
                                       const double u[], const double udot[], const lw_direction *x,
                                       double tau_p[]);

/* ---- closed loops: where the closure moves with a parameter ---- */

/* The derivative of the assembled state: q and u are the result of lw_close_loops from the initial
   state of the spec.  Held joints and drivers follow their given values, the rest stays at the
   nearest closed position.  motion is along speeds, as above.  LW_E_NOT_CONVERGED: q is not the
   nearest closed position; LW_E_SINGULAR: the nearest one has no derivative. */
LW_API lw_status lw_close_loops_derivative(lw_derivatives *d, double t, const double q[],
                                           const double u[], const lw_model_derivative *model_p,
                                           double motion[], double u_p[]);

/* The equations of all cut joints and constraints: residual phi [n], and its derivatives along
   speeds G, n x nu, row by row, so that the rate of phi is G u minus the rates of drivers; n =
   lw_nequation(m). */
LW_API int lw_nequation(const lw_model *m);
LW_API lw_status lw_constraint_equations(lw_derivatives *d, double t, const double q[],
                                         double phi[], double G[]);
/* Derivatives of phi and of the rate of phi, [n] each, along a direction. */
LW_API lw_status lw_constraint_derivatives(lw_derivatives *d, double t, const double q[],
                                           const double u[], const lw_direction *x, double phi_p[],
                                           double rate_p[]);

#ifdef __cplusplus
}
#endif
#endif
