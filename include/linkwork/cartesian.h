/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian.h -- forward dynamics in the Cartesian descriptor form: every body has its own
   equations of motion, every joint, constraint and relation is a set of equations.

     lw_cartesian *c = lw_cartesian_new(m, NULL, &err);
     lw_cartesian_forward_dynamics(c, w, t, q, u, tau, udot);
     lw_cartesian_get_load(c, j, load);

   Any topology, redundant constraints, bodies without inertia about some axis:
   docs/theory/cartesian.md. Positions and speeds of closed loops must satisfy their constraints:
   only accelerations are corrected. */
#ifndef LINKWORK_CARTESIAN_H
#define LINKWORK_CARTESIAN_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_cartesian lw_cartesian; /* plan and scratch: one per thread */

typedef struct {
  const int *order; /* order in which the sets of equations are eliminated; NULL: chosen by counted
                operations */
} lw_cartesian_options;

/* The model must outlive it.  options may be NULL.  Returns NULL on failure; see err. */
LW_API lw_cartesian *lw_cartesian_new(const lw_model *m, const lw_cartesian_options *options,
                                      lw_error *err);
LW_API void lw_cartesian_free(lw_cartesian *c);

/* As lw_forward_dynamics; udot holds the accelerations of the spanning tree.  Leaves kinematics in
   w; lw_accelerations(w, udot) adds accelerations.  Allocates nothing. */
LW_API lw_status lw_cartesian_forward_dynamics(lw_cartesian *c, lw_work *w, double t,
                                               const double q[], const double u[],
                                               const double tau[], double udot[]);

/* ---- after lw_cartesian_forward_dynamics ---- */

/* Computes the loads of all joints and constraints; then get each of them. */
LW_API lw_status lw_cartesian_find_loads(lw_cartesian *c);
/* Constraint load [torque; force] on the child at the origin of its joint frame, in ground axes;
   with redundant constraints the one that lw_get_load returns. */
LW_API lw_status lw_cartesian_get_load(const lw_cartesian *c, lw_joint j, double load[6]);
LW_API lw_status lw_cartesian_get_constraint_load(const lw_cartesian *c, lw_constraint k,
                                                  double load[6]);
LW_API lw_status lw_cartesian_get_relation_load(const lw_cartesian *c, lw_constraint k,
                                                double *load);
/* Number of equations that are dependent on others at this state. */
LW_API int lw_cartesian_redundant(const lw_cartesian *c);

#ifdef __cplusplus
}
#endif
#endif
