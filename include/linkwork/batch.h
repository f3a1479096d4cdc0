/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h -- many states of one model at once. */
#ifndef LINKWORK_BATCH_H
#define LINKWORK_BATCH_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the same for n states at once: element [i*n + k] is coordinate i of state k.  If some states
        fail, the others are still computed, and those that failed are not finite ---- */

/* A work whose kernels compute as many states in parallel as this processor's vectors hold. */
LW_API lw_work *lw_work_new_batch(const lw_model *m);
LW_API int lw_work_lanes(const lw_work *w);
LW_API lw_status lw_forward_dynamics_n(lw_work *w, int n, double t, const double q[],
                                       const double u[], const double tau[], double udot[]);
LW_API lw_status lw_inverse_dynamics_n(lw_work *w, int n, double t, const double q[],
                                       const double u[], const double udot[], double tau[]);
LW_API lw_status lw_mass_matrix_n(lw_work *w, int n, const double q[], double M[]);

/* The same for states one after the other, as the rows of a table: element [k*nq + i] is coordinate
   i of state k, and [k*nu + i] speed i.  Results have the same bits. */
LW_API lw_status lw_forward_dynamics_rows(lw_work *w, int n, double t, const double q[],
                                          const double u[], const double tau[], double udot[]);
LW_API lw_status lw_inverse_dynamics_rows(lw_work *w, int n, double t, const double q[],
                                          const double u[], const double udot[], double tau[]);

#ifdef __cplusplus
}
#endif
#endif
