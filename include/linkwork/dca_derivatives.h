/* SPDX-License-Identifier: Apache-2.0 */
/* dca_derivatives.h -- derivatives of forward dynamics inside divide and conquer: exact, any
   topology, in parallel.

   The factors of a state serve any number of directions: each costs O(n), less than forward
   dynamics itself.

     lw_dca_derivatives *s = lw_dca_derivatives_new(d, 4, &err);
     lw_dca_linearize(s, w, t, q, u, tau, udot);
     lw_dca_derivative(s, &(lw_direction){.model = model_p}, udot_p);
     lw_dca_get_load_derivative(s, j, load);

   Results have the same bits for any number of threads.  See docs/theory/dca.md. */
#ifndef LINKWORK_DCA_DERIVATIVES_H
#define LINKWORK_DCA_DERIVATIVES_H
#include "linkwork/dca.h"
#include "linkwork/derivatives.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_dca_derivatives lw_dca_derivatives; /* scratch for directions, one per thread */

/* threads: for lw_dca_derivative_many; 0 means 1, as does any number without POSIX threads.  The
   plan d must outlive it.  Returns NULL on failure; see err. */
LW_API lw_dca_derivatives *lw_dca_derivatives_new(lw_dca *d, int threads, lw_error *err);
LW_API void lw_dca_derivatives_free(lw_dca_derivatives *s);

/* lw_dca_forward_dynamics, and what directions need.  w must not be changed while directions
   follow. */
LW_API lw_status lw_dca_linearize(lw_dca_derivatives *s, lw_work *w, double t, const double q[],
                                  const double u[], const double tau[], double udot[]);

/* The total derivative of udot along a direction, as lw_forward_derivative, with the rank that
   forward dynamics found.  Directions that leave the constraints are allowed; with redundant
   constraints the result is then a compromise between contradictory equations.  Allocates nothing.
   LW_E_STAGE: d has computed another state since. */
LW_API lw_status lw_dca_derivative(lw_dca_derivatives *s, const lw_direction *x, double udot_p[]);
/* The same for n directions, in parallel on the threads of s, or, if there are fewer directions,
   one after the other on the threads of d; udot_p: [n][nu].  No loads. */
LW_API lw_status lw_dca_derivative_many(lw_dca_derivatives *s, int n, const lw_direction x[],
                                        double udot_p[]);

/* ---- after lw_dca_derivative ---- */

/* Derivatives of loads as returned by lw_dca_get_load and the others.  If redundant constraints
   leave a load undetermined, its derivative is one that agrees with these accelerations. */
LW_API lw_status lw_dca_get_load_derivative(const lw_dca_derivatives *s, lw_joint j,
                                            double load[6]);
LW_API lw_status lw_dca_get_constraint_load_derivative(const lw_dca_derivatives *s, lw_constraint c,
                                                       double load[6]);
LW_API lw_status lw_dca_get_relation_load_derivative(const lw_dca_derivatives *s, lw_constraint c,
                                                     double *load);
/* As lw_get_cut_joint_derivatives. */
LW_API lw_status lw_dca_get_cut_joint_derivatives(const lw_dca_derivatives *s, double q[],
                                                  double u[]);

#ifdef __cplusplus
}
#endif
#endif
