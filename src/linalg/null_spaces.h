/* SPDX-License-Identifier: Apache-2.0 */
/* null_spaces.h -- both null spaces of a matrix A[nrow][ncol], with sparse bases:

     T A = 0   one row per dependent row of A: 1 there, 0 at other dependent rows
     A N = 0   one vector per free column of A: 1 there, 0 at other free columns

   Gauss-Jordan elimination with complete pivoting.  Cost: rank nrow (nrow + ncol). */
#ifndef LWI_LINALG_NULL_SPACES_H
#define LWI_LINALG_NULL_SPACES_H
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  int nrow, ncol, rank;
  double *T;        /* [nrow - rank][nrow] */
  double *N;        /* [ncol - rank][ncol] by vectors, in the order of free_column */
  int *free_column; /* [ncol - rank] */
  double *memory;
} lwi_null_spaces;

/* How A is taken: pivots up to `tolerance` times the largest entry, or `scale` if that is larger,
   count as zero; the last `kept` columns are never pivots. */
typedef struct {
  double tolerance, scale;
  int kept;
} lwi_null_rule;

/* Doubles that lwi_null_spaces_at needs. */
size_t lwi_null_spaces_size(int nrow, int ncol);
lwi_null_spaces lwi_null_spaces_at(double memory[], int nrow, int ncol, const double A[],
                                   lwi_null_rule rule);
/* The same in memory of its own; false: out of memory. */
bool lwi_null_spaces_new(lwi_null_spaces *s, int nrow, int ncol, const double A[],
                         lwi_null_rule rule);
void lwi_null_spaces_free(lwi_null_spaces *s);

#endif
