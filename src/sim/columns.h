/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- what other parts of the layer may know of result columns. */
#ifndef LWI_SIM_COLUMNS_H
#define LWI_SIM_COLUMNS_H
#include "linkwork/simulate.h"
#include "linkwork/columns.h"
#include "sim/column_names.h"

/* Signs of quaternions go on from those that `from`, the same columns of a model that differs in its
   numbers only, last showed. */
lw_status lwi_columns_join(lw_columns *c, const lw_columns *from);

/* How large the numbers are that the columns of the last row, at speeds u, come from: their noise is relative to
   these, also where they cancel.  column_scales.c */
void lwi_column_scales(const lw_columns *c, const double u[], const double row[], double scale[]);
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
