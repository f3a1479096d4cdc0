/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- what other parts of the layer may know of result columns. */
#ifndef LWI_SIM_OUTPUT_COLUMNS_H
#define LWI_SIM_OUTPUT_COLUMNS_H
#include "linkwork/simulate.h"
#include "linkwork/columns.h"
#include "sim/output/column_names.h"
#include "sim/integrate/system.h"

/* Signs of quaternions go on from those that `from`, the same columns of a model that differs in its
   numbers only, last showed. */
lw_status lwi_columns_join(lw_columns *c, const lw_columns *from);

/* The row of the state that d has just been evaluated at, by a formulation that can recall it, and how fast bodies
   turn there: nothing is computed again.  LW_E_UNSUPPORTED: there is more in it than that evaluation tells. */
lw_status lwi_columns_row_of(lw_columns *c, lw_dynamics *d, const lwi_evaluation *e, double t,
                             const double q[], const double u[], double row[], double *turning);
/* Are there others than coordinates and speeds of joints? */
bool lwi_columns_need_bodies(const lw_columns *c);

/* How large the numbers are that the columns of the last row, at speeds u, come from: their noise is relative to
   these, also where they cancel.  column_scales.c */
void lwi_column_scales(const lw_columns *c, const double u[], const double row[], double scale[]);
/* How large at least the numbers are whose rounding errors a column has: coordinates that follow from others in a loop
   come from turns of about one radian and from typical arms, speeds from the largest of them. */
double lwi_column_least_scale(const lw_columns *c, int index);
/* How fast the bodies turn that the columns of the last row depend on: rad/s. */
double lwi_columns_turning(const lw_columns *c);

/* Is there a column of this kind at the moment? */
bool lwi_columns_have(const lw_columns *c, lwi_column_kind kind);
/* What the column is. */
lwi_column lwi_columns_get(const lw_columns *c, int index);

/* As last shown: coordinates of all joints of the present model, and the quaternion of a body (NULL: nobody
   asked for it). */
const double *lwi_columns_q(const lw_columns *c);
const double *lwi_columns_orientation(const lw_columns *c, int body);

#endif
