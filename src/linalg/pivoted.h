/* SPDX-License-Identifier: Apache-2.0 */
/* pivoted.h -- a sparse matrix with more columns than rows, A x = b, split by elimination with
   pivoting: the columns of the pivots are dependent, x_u = f(b, x_v), the others independent.  Rows
   without a pivot depend on the others.  [Negrut2010] eq. 4.

   Choosing pivots allocates and is done rarely; factors of other numbers with the same pivots, and
   solutions, are computed inside the pattern that choosing left, and nothing allocates.

   Pivots are compared by weight, |a_ij| row_weight_i column_weight_j.  Rows come in groups: one
   group after the other, inside a group the largest entry first, which for a single group is
   complete pivoting. With several groups an entry counts as large if it is not below a hundredth of
   its row, and of the large ones one in a column with few other rows is taken: a good order of the
   groups then leaves the factors as sparse as the matrix.  Rows that elimination has made small
   wait until the end, where the largest comes first; those that are all but zero are dropped. */
#ifndef LWI_LINALG_PIVOTED_H
#define LWI_LINALG_PIVOTED_H
#include <stdbool.h>
#include <stddef.h>

typedef struct lwi_pivoted lwi_pivoted;

/* Row i has its entries in columns column[start[i]] ... column[start[i+1] - 1].  order[group[g]]
   ... are the rows of group g; group NULL: one group of all.  The arrays are copied.  NULL: no
   memory. */
lwi_pivoted *lwi_pivoted_new(int nrow, int ncol, const size_t start[], const int column[],
                             int ngroup, const int group[], const int order[]);
void lwi_pivoted_free(lwi_pivoted *p);

/* Chooses pivots; columns of weight zero get none.  At least `rank` rows are kept as long as
   anything is left of them.  Then factors.  False: no memory. */
bool lwi_pivoted_choose(lwi_pivoted *p, const double value[], const double row_weight[],
                        const double column_weight[], int rank);
/* What is left of a row, relative to its first size, when it depends on the others: 1e-10 unless set here. */
void lwi_pivoted_set_zero(lwi_pivoted *p, double zero);
/* Takes over the pivots that were chosen for another matrix of the same pattern; then it is to be
   factored.  False: no memory, and its own pivots stay. */
bool lwi_pivoted_follow(lwi_pivoted *p, const lwi_pivoted *from);
bool lwi_pivoted_is_alike(const lwi_pivoted *a, const lwi_pivoted *b); /* the same pattern */
/* Factors with the pivots there are. */
void lwi_pivoted_factor(lwi_pivoted *p, const double value[]);
/* The smallest pivot of the last factors relative to its row, by weight, 1 at best: how good the choice still is. */
double lwi_pivoted_weakest(const lwi_pivoted *p);
/* x[ncol]: independent ones in, dependent ones out, so that the rows that are kept hold. */
void lwi_pivoted_solve(const lwi_pivoted *p, const double b[/* nrow */], double x[/* ncol */]);

/* A row without a pivot is a sum of others: y A = 0, with y[i] the multiple of row at[i], 1 of the row itself.  Returns their
   number, at most the rank and one. */
int lwi_pivoted_combine(const lwi_pivoted *p, const double value[], int row, int at[], double y[]);

int lwi_pivoted_rank(const lwi_pivoted *p);
bool lwi_pivoted_is_dependent(const lwi_pivoted *p, int column);
bool lwi_pivoted_is_kept(const lwi_pivoted *p, int row);
size_t lwi_pivoted_entries(const lwi_pivoted *p); /* of the factors */

#endif
