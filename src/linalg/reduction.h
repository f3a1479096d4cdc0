/* SPDX-License-Identifier: Apache-2.0 */
/* reduction.h -- rows G u = x solved for as many of the unknowns as their rank, in terms of the
   rest.

   Rows come in strips of up to six, each with few columns.  A strip is expressed in the columns
   that are still free, by the pivots of the strips before it; complete pivoting inside the strip
   then makes some of its columns pivots.  With R the pivots' rows (1 at the pivot, coefficients of
   columns free at the time) and L what the strips are made of them,

     G = L R,   L block lower triangular,   rows that add no pivot depend on the others

   Where strips overlap their neighbours only and few unknowns stay free, all is linear in the
   number of strips: docs/theory/loops.md. */
#ifndef LWI_LINALG_REDUCTION_H
#define LWI_LINALG_REDUCTION_H
#include "linalg/envelope.h"

enum { LWI_STRIP_ROWS = 6 };

typedef struct {
  int row, n;          /* its rows */
  int column, ncolumn; /* where its columns are listed, and how many they are */
  size_t G;            /* where its entries are, one column after the other */
} lwi_strip;

/* what became of a strip */
typedef struct {
  int first, m;      /* its pivots */
  int nrest, nback;  /* columns that its pivots depend on; pivots before it that it was made of */
  size_t rest, back; /* in index: their lists */
  size_t C;          /* in value: [nrest][m], R but for the ones */
  size_t ell, A;     /* [nback][n], [m][n]: L */
  size_t K;          /* [m][n] the inverse of A on the rows kept, zero for the others */
} lwi_strip_factor;

typedef struct {
  int ncolumn, nstrip;
  const lwi_strip *strip;   /* [nstrip] */
  const int *column;        /* as strips say: columns 0 to ncolumn - 1 */
  lwi_strip_factor *factor; /* [nstrip] */
  int *pivot;               /* [ncolumn] which pivot a column is; below 0: it is free */
  int *pivot_column;        /* [ncolumn] by pivot */
  int *pivot_strip;         /* [ncolumn] by pivot */
  int *chosen;              /* [all rows] by strip, of its pivots: 8 column + row */
  bool *kept;               /* [all rows] */
  const bool *allowed;      /* [all rows] which may be kept; NULL: all */
  const double *unit;       /* [ncolumn] of the unknowns, in which entries are compared; NULL: 1 */
  const double *weight;     /* [ncolumn] by which pivots are preferred; NULL: 1 */
  int *index;               /* [nindex] */
  double *value;            /* [nvalue] */
  size_t nindex, nvalue;
  int rank, nfree;
  /* scratch, may be shared */
  int *at, *list; /* [ncolumn] */
  double *entry;  /* [2][LWI_STRIP_ROWS ncolumn] */
  double *y;      /* [ncolumn] */
} lwi_reduction;

/* memory for the lists and numbers of a strip if at most `most` columns are ever involved with
   it */
void lwi_strip_scratch(const lwi_strip *s, int most, size_t *nindex, size_t *nvalue);

/* false: the capacity is exceeded, or a pivot that is held fixed vanished.  rule: of squares, as
   for envelopes; NULL: pivots stay what they were. */
bool lwi_reduce(lwi_reduction *f, const double *G, const lwi_rank_rule *rule);
/* the free columns: u = X v + g(x); X is [ncolumn][nfree] */
void lwi_reduction_map(const lwi_reduction *f, double *X);
void lwi_reduction_solve(const lwi_reduction *f, const double *x, double *g);
/* lambda with G^T lambda = r, zero in dependent rows; r must be in the range */
void lwi_reduction_loads(const lwi_reduction *f, const double *r, double *lambda);
/* With N the loads for which G^T N = 0, one per dependent row, 1 there and 0 in the other dependent
   rows: out = N y, of y in the dependent rows; out = N^T x, in the dependent rows. */
void lwi_reduction_stress(const lwi_reduction *f, const double *y, double *out);
void lwi_reduction_stress_transposed(const lwi_reduction *f, const double *x, double *out);

#endif
