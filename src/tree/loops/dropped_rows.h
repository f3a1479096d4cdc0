/* SPDX-License-Identifier: Apache-2.0 */
/* dropped_rows.h -- a check of accelerations that were found without rows taken for dependent. */
#ifndef LWI_TREE_LOOPS_DROPPED_ROWS_H
#define LWI_TREE_LOOPS_DROPPED_ROWS_H
#include "tree/loops/closure.h"

/* How often a decision about rows is made anew, each time closer to rounding errors. */
enum { LWI_FINENESSES = 3 };

/* After lwi_closure_rows at this state: do the accelerations meet the rows that are not kept (NULL: all), up to rounding
   errors and what violations of the constraints explain?  False: w->unsolved names the row that they meet least. */
bool lwi_dropped_rows_hold(const lw_model *m, struct lw_work *w, const double q[], const double u[],
                           const double udot[], const bool kept[/* nrow */]);

#endif
