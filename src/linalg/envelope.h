/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.h -- symmetric positive semidefinite systems of small blocks inside an envelope, solved
   with a rank found during the factorisation.

   A = L L^T by rows, so that L fills the envelope and nothing else.  Inside each diagonal block the
   row with the largest remaining pivot, relative to its own diagonal, comes first; rows whose
   remaining pivots are all but zero depend on the rows before them and are dropped: their columns
   of L are zero and their unknowns too (a basic solution; for a right side in the range it is
   exact).  For one block this is diagonal pivoting.  docs/theory/loops.md. */
#ifndef LWI_LINALG_ENVELOPE_H
#define LWI_LINALG_ENVELOPE_H
#include <stdbool.h>
#include <stddef.h>

/* Row i of block b is kept from column first[b] to the end of the block, at value[row[i]]. */
typedef struct {
  int n, nblock;
  int *block;  /* [nblock + 1] first row of each block */
  int *first;  /* [nblock] first column: where some block begins */
  size_t *row; /* [n] */
  size_t nvalue;
} lwi_envelope;

/* which rows count, and in which order; kept between solves so that a rank may be held fixed */
typedef struct {
  int *order;    /* [n] order[k]: the row eliminated at place k, within its block */
  bool *kept;    /* [n] by place */
  double *pivot; /* [n] by place, scratch */
  double *rhs;   /* [n] scratch */
  int rank;
  double
      weakest; /* the smallest pivot of a kept row, relative to the largest diagonal of its block */
} lwi_rank;

typedef struct {
  double dependent; /* drop below this part of the row's own diagonal, or below the rounding errors
                       that weaker rows before it have left there ... */
  double zero;      /* ... or if that is below this part of the largest one, ... */
  double
      unit; /* ... which counts as at least this: where all rows depend, all are rounding errors */
  double lost; /* with kept[] of the last time given: as `dependent` for as many rows of a block as
                       were kept then.  A rank that is there already is not given up easily.  0: none */
} lwi_rank_rule;

/* Fills in block sizes; first[] must be set.  The arrays are the caller's. */
void lwi_envelope_layout(lwi_envelope *e);
/* Entry of A, i >= j or in one block; both triangles of diagonal blocks count. */
static inline double *lwi_envelope_at(const lwi_envelope *e, double *value, int b, int i, int j)
{
  return value + e->row[i] + (size_t)(j - e->first[b]);
}

/* A becomes L.  rule == NULL: order and kept stay as they are. */
void lwi_envelope_factor(const lwi_envelope *e, double *value, lwi_rank *r,
                         const lwi_rank_rule *rule);
/* x: right side in, solution out; zero where rows are dropped */
void lwi_envelope_solve(const lwi_envelope *e, const double *value, const lwi_rank *r, double *x);

#endif
