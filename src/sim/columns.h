/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- what other parts of the layer may know of result columns. */
#ifndef LWI_SIM_COLUMNS_H
#define LWI_SIM_COLUMNS_H
#include "linkwork/simulate.h"
#include "sim/column_names.h"

/* Angles of cut joints and signs of quaternions go on from those that `from`, the same columns of a
   model that differs in its numbers only, last showed. */
void lwi_columns_join(lw_columns *c, const lw_columns *from);

/* What the column is. */
lwi_column lwi_columns_get(const lw_columns *c, int index);

#endif
