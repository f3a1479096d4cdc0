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
