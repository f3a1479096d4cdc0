/* SPDX-License-Identifier: Apache-2.0 */
/* column_outputs.h -- outputs as result columns.  What they are made of follows the columns that
   are shown: rows of all columns are computed in memory of the columns, and those that are shown
   are copied. */
#ifndef LWI_SIM_OUTPUT_COLUMN_OUTPUTS_H
#define LWI_SIM_OUTPUT_COLUMN_OUTPUTS_H
#include "sim/output/columns.h"

/* After the columns have been chosen: adds those that outputs need. */
lw_status lwi_outputs_open(lw_columns *c, lw_error *err);
void lwi_outputs_close(lw_columns *c);

/* Where the row of all columns goes, the shown ones first: row itself if there are no outputs. */
double *lwi_outputs_row(lw_columns *c, double row[]);
/* After it has been computed there: outputs, and the columns that are shown to row. */
void lwi_outputs_evaluate(lw_columns *c, double row[]);
/* The same for derivatives at the state of the last row. */
double *lwi_outputs_row_rates(const lw_columns *c, double row_p[]);
void lwi_outputs_derive(const lw_columns *c, const double parameter_p[], double row_p[]);

#endif
