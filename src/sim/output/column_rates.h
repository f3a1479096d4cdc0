/* SPDX-License-Identifier: Apache-2.0 */
/* column_rates.h -- derivatives of result columns, from those of the recursions. */
#ifndef LWI_SIM_OUTPUT_COLUMN_RATES_H
#define LWI_SIM_OUTPUT_COLUMN_RATES_H
#include "linkwork/simulate.h"
#include "sim/formulation/linearized_dynamics.h"

/* Of all columns, which have just been computed at t, y (unit quaternions), along x, which y_p belongs to: the
   tree recursion is linearised there, and lwi_linearized_dynamics_vary has been asked for x.  Values of what does not
   exist are NaN; drift, which is zero wherever results are shown, does not change. */
lw_status lwi_column_rates(lwi_linearized_dynamics *l, const lw_slope *slope,
                           const lw_columns *columns, const double y[], const double y_p[],
                           const lwi_state_direction *x, double row_p[]);

/* By time, along the motion, whose rate at y is f.  Exactly, unless some column is an acceleration or a load, or l
   is NULL: then by differences of sixth order of the columns.  room: [2 (nq + nu) + columns]. */
lw_status lwi_column_time_rates(lwi_linearized_dynamics *l, const lw_model *m, lw_columns *columns,
                                double t, const double y[], const double f[], double scratch[],
                                double row_p[]);

#endif
