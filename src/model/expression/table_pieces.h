/* SPDX-License-Identifier: Apache-2.0 */
/* table_pieces.h -- what a table is made of, for the files that compute it. */
#ifndef LWI_MODEL_EXPRESSION_TABLE_PIECES_H
#define LWI_MODEL_EXPRESSION_TABLE_PIECES_H
#include "model/expression/table.h"

struct lwi_table {
  int n[2]; /* points of each variable; n[1] = 0: one variable */
  lwi_table_kind kind;
  lwi_table_outside outside;
  lwi_dimension dimension[3];
  const double *x[2];
  double *f[4];          /* value, slope by the first, by the second, and by both; [n[0]][n[1]] */
  lwi_table *between[2]; /* lwi_table_between; NULL: none */
  double extreme[3][2];  /* bounds of value and slopes within the points */
  char fault[256];
  double number[]; /* all of the above */
};

void lwi_table_find_extremes(lwi_table *t);

#endif
