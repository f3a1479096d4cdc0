/* SPDX-License-Identifier: Apache-2.0 */
/* shared_column_order.h -- an order of items in which those that share columns are close to each
   other. */
#ifndef LWI_MODEL_COMPILE_SHARED_COLUMN_ORDER_H
#define LWI_MODEL_COMPILE_SHARED_COLUMN_ORDER_H

/* Item i has the columns column[start[i]] ... column[start[i+1] - 1], each below ncolumn. */
typedef struct {
  int n, ncolumn;
  const int *start, *column;
} lwi_incidence;

/* Reverse Cuthill-McKee from a peripheral item of each connected part.  scratch: 2 n + 2 ncolumn +
   1 + start[n] zeros. */
void lwi_order_near(const lwi_incidence *x, int order[/* n */], int *scratch);

#endif
