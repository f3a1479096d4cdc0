/* SPDX-License-Identifier: Apache-2.0 */
/* column_rates.h -- derivatives of result columns, from those of the recursions. */
#ifndef LWI_SIM_OUTPUT_COLUMN_RATES_H
#define LWI_SIM_OUTPUT_COLUMN_RATES_H
#include "linkwork/simulate.h"
#include "sim/formulation/linearized_dynamics.h"

/* Derivatives of all columns, which have just been computed at t, y (unit quaternions), along x,
   which belongs to y_p: the tree recursion is linearised there, and lwi_linearized_dynamics_derive
   has been called for x.  Columns that do not exist are NaN; the derivative of the drift, which is
   zero for all results, is zero. */
lw_status lwi_column_rates(lwi_linearized_dynamics *l, const lw_model_derivative *model_p,
                           const lw_columns *columns, const double y[], const double y_p[],
                           const lwi_state_direction *x, double row_p[]);

/* Derivatives by time along the motion, whose rate at y is f.  They are exact unless some column is
   an acceleration or a load, or l is NULL: then by differences of sixth order of the columns.
   scratch: [2 (nq + nu) + columns]. */
lw_status lwi_column_time_rates(lwi_linearized_dynamics *l, const lw_model *m, lw_columns *columns,
                                double t, const double y[], const double f[], double scratch[],
                                double row_p[]);

#endif
