/* SPDX-License-Identifier: Apache-2.0 */
/* determinant.c -- of the mass matrix, by Cholesky's method. */
#include "linkwork/simulate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The speeds that move mass: rotations of free particles have zero rows, and are left out. */
static int find_rows(const double M[], size_t n, size_t row[])
{
  int kept = 0;
  for (size_t i = 0; i < n; i++)
    if (M[i * n + i] != 0) row[kept++] = i;
  return kept;
}

/* log det of the rows and columns row[0 ... count-1], whose lower triangle becomes L of L L';
   -infinity if the matrix is not positive definite. */
static double factor(double M[], size_t n, const size_t row[], int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    double *Li = M + row[i] * n;
    for (int j = 0; j <= i; j++) {
      const double *Lj = M + row[j] * n;
      double x = Li[row[j]];
      for (int k = 0; k < j; k++)
        x -= Li[row[k]] * Lj[row[k]];
      if (i == j && !(x > 0)) return -HUGE_VAL;
      Li[row[j]] = i == j ? sqrt(x) : x / Lj[row[j]];
    }
    sum += 2 * log(Li[row[i]]);
  }
  return sum;
}

lw_status lw_mass_determinant(const lw_model *m, lw_work *w, const double q[], double *logdet,
                              int *sign)
{
  const size_t n = (size_t)lw_nu(m);
  if (n > 0 && n > SIZE_MAX / sizeof(double) / n) return LW_E_MEMORY;

  double *M = malloc((n * n + 1) * sizeof *M);
  size_t *row = malloc((n + 1) * sizeof *row);
  const lw_status status = M && row ? lw_mass_matrix(m, w, q, M) : LW_E_MEMORY;
  if (status == LW_OK) {
    const int count = find_rows(M, n, row);
    *logdet = count == lw_dof(m) ? factor(M, n, row, count) : -HUGE_VAL;
    *sign = *logdet > -HUGE_VAL ? 1 : 0;
  }
  free(row);
  free(M);
  return status;
}
