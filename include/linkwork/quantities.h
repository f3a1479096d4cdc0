/* SPDX-License-Identifier: Apache-2.0 */
/* quantities.h -- the mass matrix without its zeros, its determinant, power. */
#ifndef LINKWORK_QUANTITIES_H
#define LINKWORK_QUANTITIES_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

/* lw_mass_matrix without its zeros, one row per speed: the entry with the speed itself, then with
   the speeds inward of it, one after the other (see lw_speed_parents of sko.h).  In a shallow tree
   these are few. */
LW_API size_t lw_mass_row_entries(const lw_model *m);
LW_API lw_status lw_mass_rows(lw_work *w, const double q[], double rows[]);
/* The same for n states, as in batch.h: entry [i*n + k] is entry i of state k. */
LW_API lw_status lw_mass_rows_n(lw_work *w, int n, const double q[], double rows[]);
/* Matrices of branched trees have entries that are zero at every state, of freedoms neither of which carries
   the other.  All calls write them, unless this is set: then lw_mass_matrix, lw_mass_matrix_n and
   lw_inverse_dynamics_derivatives leave them as they are in the caller's array, which was cleared once. */
LW_API lw_status lw_skip_zeros(lw_work *w, bool skip);
/* lw_jacobian at q, without lw_kinematics before: only the joints between the body and the ground are
   visited.  Nothing of w can be read afterwards. */
LW_API lw_status lw_point_jacobian(lw_work *w, const double q[], lw_body b, const double p_B[3],
                                   double J[]);
/* log det M and the sign of the determinant: 0 with -infinity if M is singular.  Rotations of free
   particles are left out.  Costs as much as forward dynamics: M is not formed. */
LW_API lw_status lw_mass_determinant(lw_work *w, const double q[], double *logdet, int *sign);

/* Power of everything that is not in the potential energy, except constraints: motors, applied
   loads, dampers. */
LW_API lw_status lw_power(lw_work *w, double t, const double q[], const double u[], double *power);

#ifdef __cplusplus
}
#endif
#endif
