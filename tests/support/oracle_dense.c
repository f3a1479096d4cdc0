/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_dense.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* what rounding left over is solved for again, twice */
bool oraclei_solve_regular(int n, const double *a, const double *b, double *x)
{
  const size_t n2 = (size_t)n * (size_t)n;
  double *lu = malloc((n2 + 1) * sizeof *lu), *r = calloc((size_t)n + 1, sizeof *r);
  lapack_int *pivot = malloc(((size_t)n + 1) * sizeof *pivot);
  memcpy(lu, a, n2 * sizeof *lu);
  memset(x, 0, (size_t)n * sizeof *x);
  const bool ok = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, lu, n, pivot) == 0;
  for (int again = 0; again < 3 && ok; again++) {
    for (int i = 0; i < n; i++) {
      long double sum = (long double)b[i];
      for (int k = 0; k < n; k++)
        sum -= (long double)a[(size_t)i + (size_t)k * (size_t)n] * (long double)x[k];
      r[i] = (double)sum;
    }
    LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, lu, n, pivot, r, n);
    for (int i = 0; i < n; i++)
      x[i] += r[i];
  }
  free(lu);
  free(r);
  free(pivot);
  return ok;
}

int oraclei_solve_min_norm(int rows, int columns, const double *a, const double *b, double *x)
{
  const int most = rows > columns ? rows : columns;
  const size_t size = (size_t)rows * (size_t)columns;
  lapack_int rank = 0;
  double *copy = malloc((size + 1) * sizeof *copy),
         *singular = calloc((size_t)most + 1, sizeof *singular),
         *y = calloc((size_t)most + 1, sizeof *y);
  memcpy(copy, a, size * sizeof *copy);
  memcpy(y, b, (size_t)rows * sizeof *y);
  assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, columns, 1, copy, rows, y, most, singular,
                                  1e-11, &rank),
                   0);
  memcpy(x, y, (size_t)columns * sizeof *x);
  free(copy);
  free(singular);
  free(y);
  return (int)rank;
}

int oraclei_null_space(int rows, int columns, const double *a, double *vt)
{
  const int least = rows < columns ? rows : columns;
  const size_t r = (size_t)rows, c = (size_t)columns;
  double *g = calloc(r * c + 1, sizeof *g), *value = calloc((size_t)least + 1, sizeof *value);
  double *u = calloc(r * r + 1, sizeof *u), *work = calloc((size_t)least + 1, sizeof *work);
  memcpy(g, a, r * c * sizeof *g);
  if (least > 0)
    assert_int_equal(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'A', rows, columns, g, rows, value, u,
                                    rows, vt, columns, work),
                     0);
  int rank = 0;
  while (rank < least && value[rank] > 1e-10 * value[0])
    rank++;
  free(g);
  free(value);
  free(u);
  free(work);
  return rank;
}
