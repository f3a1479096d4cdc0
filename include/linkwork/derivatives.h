/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.h -- exact first derivatives of dynamics.h: by recursions, not by differences.

   Derivatives by q are along speeds.  Direction k is the small motion that speed k alone would cause:
   q moves with qdot = N(q) e_k, where N is that of lw_coordinate_rates.  There are nu directions, also
   where quaternions make nq larger, and no direction leaves the unit quaternions:

     x_q[i*nu + k] = d/de x_i(q + e N(q) e_k, u, ...) at e = 0,    u held

   For joints without quaternions in which coordinate k is the integral of speed k (revolute, prismatic,
   helical, cylindrical, universal, planar) this is the partial derivative by that coordinate.  In general,
   with dx/dq a row of partial derivatives, x_q = (dx/dq) N; and back, for changes dq that keep
   quaternions of unit length, dx = x_q v with dq = N v (of a quaternion e: v = 2 vec(e* de)).
   Along a motion, dx/dt = x_q u + x_u udot + ...

   Matrices are nu x nu, row by row; any output may be NULL.  A call that fails leaves its outputs
   untouched.  No call but lw_derivatives_new allocates. */
#ifndef LINKWORK_DERIVATIVES_H
#define LINKWORK_DERIVATIVES_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_derivatives lw_derivatives; /* room to compute in: one per thread */

LW_API lw_derivatives *lw_derivatives_new(const lw_model *m); /* NULL: out of memory */
LW_API void lw_derivatives_free(lw_derivatives *d);
/* The work that it computes in: after a call it is as after forward or inverse dynamics. */
LW_API lw_work *lw_derivatives_work(lw_derivatives *d);

/* ---- by the state ---- */

/* Of tau = M udot + bias, with the forces of the model: tau_udot is M.  With closed loops: of the
   spanning tree alone, as lw_bias. */
LW_API lw_status lw_inverse_dynamics_derivatives(const lw_model *m, lw_derivatives *d, double t,
                                                 const double q[], const double u[],
                                                 const double udot[], double tau_q[],
                                                 double tau_u[], double tau_udot[]);
/* Of forward dynamics, with its result udot: udot_tau is M^-1, with closed loops the answer of the
   mechanism. */
LW_API lw_status lw_forward_dynamics_derivatives(const lw_model *m, lw_derivatives *d, double t,
                                                 const double q[], const double u[],
                                                 const double tau[], double udot[], double udot_q[],
                                                 double udot_u[], double udot_tau[]);

#ifdef __cplusplus
}
#endif
#endif
