/* SPDX-License-Identifier: Apache-2.0 */
/* pivoted_data.h -- the data of lwi_pivoted, which pivoted_choose.c and pivoted.c share. */
#ifndef LWI_LINALG_PIVOTED_DATA_H
#define LWI_LINALG_PIVOTED_DATA_H
#include "linalg/pivoted.h"

struct lwi_pivoted {
  int nrow, ncol, ngroup, rank;
  size_t *start;
  int *column;
  int *group, *order;
  double *row_weight, *column_weight;
  double zero; /* part of a row's first size below which it depends on the others */
  int *pivot_row, *pivot_column;       /* [rank] */
  int *place_of_row, *place_of_column; /* -1: none */
  size_t *l_start, *u_start;           /* [rank + 1] */
  int *l_place, *u_column;             /* pivots before; columns, without the pivot's */
  double *l_value, *u_value, *pivot;
  double *inverse;   /* [rank] 1 / pivot */
  double *dense, *y; /* [ncol], [nrow] scratch; dense stays zero in between */
  int *queue;        /* [nrow] places still to be looked at, ... */
  bool *queued;      /* ... and which of them are in the queue: none in between */
};

/* Memory for factors with so many entries; false: no memory, and the previous memory stays. */
bool lwi_pivoted_take_factors(lwi_pivoted *p, size_t nl, size_t nu);

#endif
