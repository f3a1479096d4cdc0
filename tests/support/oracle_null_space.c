/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_null_space.c -- accelerations that do not feel how uneven masses are: geometry alone decides which equations
   count, and the masses act in the motions that it leaves, all in 113 bits.

     G a = gamma   by elimination with complete pivoting:   a = a0 + N v
     N'M N v = N'(F - M a0) */
#include "oracle_dense.h"

#include <stdlib.h>

__extension__ typedef __float128 quad;

static quad size_of(quad x)
{
  return x < 0 ? -x : x;
}

/* [rows][columns + 1], the right side last; rows are scaled to a largest entry of one */
typedef struct {
  int rows, columns, rank;
  quad *a;
  int *pivot;      /* [rank] columns */
  bool *dependent; /* [columns] */
} equations;

static quad *row_of(const equations *e, int i)
{
  return e->a + (size_t)i * (size_t)(e->columns + 1);
}

static void scale_row(const equations *e, int i)
{
  quad *x = row_of(e, i), most = 0;
  for (int k = 0; k < e->columns; k++)
    most = size_of(x[k]) > most ? size_of(x[k]) : most;
  for (int k = 0; k <= e->columns && most > 0; k++)
    x[k] /= most;
}

static void swap_rows(const equations *e, int i, int j)
{
  for (int k = 0; k <= e->columns && i != j; k++) {
    const quad x = row_of(e, i)[k];
    row_of(e, i)[k] = row_of(e, j)[k];
    row_of(e, j)[k] = x;
  }
}

/* Gauss and Jordan: the first rank rows become 1 in their own pivot's column and 0 in the others'. */
static void reduce(equations *e, double least)
{
  for (e->rank = 0; e->rank < e->rows; e->rank++) {
    int row = e->rank, column = -1;
    quad most = (quad)least;
    for (int i = e->rank; i < e->rows; i++)
      for (int k = 0; k < e->columns; k++)
        if (!e->dependent[k] && size_of(row_of(e, i)[k]) > most)
          most = size_of(row_of(e, i)[k]), row = i, column = k;
    if (column < 0) return;
    swap_rows(e, row, e->rank);
    quad *own = row_of(e, e->rank);
    const quad pivot = own[column];
    for (int k = 0; k <= e->columns; k++)
      own[k] /= pivot;
    for (int i = 0; i < e->rows; i++) {
      const quad f = row_of(e, i)[column];
      for (int k = 0; k <= e->columns && i != e->rank && f != 0; k++)
        row_of(e, i)[k] -= f * own[k];
    }
    e->dependent[column] = true;
    e->pivot[e->rank] = column;
  }
}

/* positive definite, by elimination with the largest diagonal first */
static bool solve_definite(int n, quad *A, quad *b)
{
  int *order = calloc((size_t)n + 1, sizeof *order);
  bool *done = calloc((size_t)n + 1, sizeof *done), regular = true;
  for (int k = 0; k < n && regular; k++) {
    int best = -1;
    for (int i = 0; i < n; i++)
      if (!done[i] && (best < 0 || A[i * n + i] > A[best * n + best])) best = i;
    regular = A[best * n + best] > 0;
    done[best] = true;
    order[k] = best;
    for (int i = 0; i < n && regular; i++) {
      if (done[i]) continue;
      const quad f = A[i * n + best] / A[best * n + best];
      b[i] -= f * b[best];
      for (int j = 0; j < n; j++)
        if (!done[j]) A[i * n + j] -= f * A[best * n + j];
    }
  }
  for (int k = n - 1; k >= 0 && regular; k--) {
    quad sum = b[order[k]];
    for (int i = k + 1; i < n; i++)
      sum -= A[order[k] * n + order[i]] * b[order[i]];
    b[order[k]] = sum / A[order[k] * n + order[k]];
  }
  free(order);
  free(done);
  return regular;
}

/* N [columns][nfree] and a0 */
static quad *take_motions(const equations *e, quad *a0)
{
  const int nfree = e->columns - e->rank;
  quad *N = calloc((size_t)e->columns * (size_t)nfree + 1, sizeof *N);
  for (int k = 0, v = 0; k < e->columns; k++) {
    a0[k] = 0;
    if (e->dependent[k]) continue;
    N[k * nfree + v] = 1;
    for (int i = 0; i < e->rank; i++)
      N[e->pivot[i] * nfree + v] = -row_of(e, i)[k];
    v++;
  }
  for (int i = 0; i < e->rank; i++)
    a0[e->pivot[i]] = row_of(e, i)[e->columns];
  return N;
}

int oraclei_solve_null_space(int n, int rows, const oracle_real *a, const oracle_real *b,
                             oracle_real length, oracle_real *x)
{
  const int all = n + rows;
  equations e = {.rows = rows, .columns = n};
  e.a = calloc((size_t)rows * (size_t)(n + 1) + 1, sizeof *e.a);
  e.pivot = calloc((size_t)rows + 1, sizeof *e.pivot);
  e.dependent = calloc((size_t)n + 1, sizeof *e.dependent);
  quad *unit = calloc((size_t)n + 1, sizeof *unit), *a0 = calloc((size_t)n + 1, sizeof *a0);
  for (int k = 0; k < n; k++) /* radians as metres */
    unit[k] = k % 6 < 3 ? 1 / (quad)length : 1;
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < n; k++)
      row_of(&e, i)[k] = (quad)a[(size_t)(n + i) + (size_t)k * (size_t)all] * unit[k];
    row_of(&e, i)[n] = (quad)b[n + i];
    scale_row(&e, i);
  }
  reduce(&e, 1e-9);
  const int nfree = n - e.rank;
  quad *N = take_motions(&e, a0);
  quad *D = calloc((size_t)nfree * (size_t)nfree + 1, sizeof *D);
  quad *rhs = calloc((size_t)nfree + 1, sizeof *rhs);
  for (int i = 0; i < n; i++) {
    quad force = (quad)b[i] * unit[i];
    for (int k = 0; k < n; k++) {
      const quad M = (quad)a[(size_t)i + (size_t)k * (size_t)all] * unit[i] * unit[k];
      if (M == 0) continue;
      force -= M * a0[k];
      for (int v = 0; v < nfree; v++)
        for (int w = 0; w < nfree; w++)
          D[v * nfree + w] += N[i * nfree + v] * M * N[k * nfree + w];
    }
    for (int v = 0; v < nfree; v++)
      rhs[v] += N[i * nfree + v] * force;
  }
  assert_true(solve_definite(nfree, D, rhs));
  for (int k = 0; k < n; k++) {
    quad sum = a0[k];
    for (int v = 0; v < nfree; v++)
      sum += N[k * nfree + v] * rhs[v];
    x[k] = (oracle_real)(sum * unit[k]);
  }
  for (int i = 0; i < rows; i++)
    x[n + i] = 0;
  free(e.a), free(e.pivot), free(e.dependent), free(unit), free(a0);
  free(N), free(D), free(rhs);
  return e.rank;
}
