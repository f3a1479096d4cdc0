/* SPDX-License-Identifier: Apache-2.0 */
/* lapack.c -- LAPACK for matrices stored row by row. */
#include "analysis/lapack.h"

#include "base/fail.h"
#include "linalg/lapack_library.h"
#include "math/finite.h"

#include <math.h>
#include <stdlib.h>

static void transpose_square(int n, double *A)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double kept = A[i * n + j];
      A[i * n + j] = A[j * n + i];
      A[j * n + i] = kept;
    }
}

static double *scratch_new(double size)
{
  return calloc((size_t)size + 1, sizeof(double));
}

lw_status lwi_lapack_ready(lw_error *err)
{
  if (lwi_lapack()) return LW_OK;
  return lwi_fail(err, LW_E_UNSUPPORTED, "LAPACK cannot be loaded: %s", lwi_lapack_problem());
}

bool lwi_lapack_is_definite(int n, double A[])
{
  return n == 0 || (lwi_lapack() && lwi_all_finite(A, n * n) &&
                    lwi_lapack()->dpotrf(LAPACK_COL_MAJOR, 'U', n, A, n) == 0);
}

lw_status lwi_lapack_solve_definite(int n, int width, double A[], double X[])
{
  if (n == 0) return LW_OK;
  if (!lwi_lapack()) return LW_E_MEMORY;
  if (!lwi_all_finite(X, n * width) || !lwi_all_finite(A, n * n)) return LW_E_NUMBER;
  if (!lwi_lapack_is_definite(n, A)) return LW_E_SINGULAR;
  double *column = scratch_new(n);
  if (!column) return LW_E_MEMORY;
  for (int j = 0; j < width; j++) {
    for (int i = 0; i < n; i++)
      column[i] = X[i * width + j];
    lwi_lapack()->dpotrs(LAPACK_COL_MAJOR, 'U', n, 1, A, n, column, n);
    for (int i = 0; i < n; i++)
      X[i * width + j] = column[i];
  }
  free(column);
  return LW_OK;
}

/* The columns of LAPACK are our rows: it solves with the transpose. */
lw_status lwi_lapack_solve(int n, double A[], int pivot[], double x[])
{
  if (n == 0) return LW_OK;
  if (!lwi_lapack()) return LW_E_MEMORY;
  if (!lwi_all_finite(A, n * n) || !lwi_all_finite(x, n)) return LW_E_NUMBER;
  if (lwi_lapack()->dgetrf(LAPACK_COL_MAJOR, n, n, A, n, pivot) != 0) return LW_E_SINGULAR;
  lwi_lapack()->dgetrs(LAPACK_COL_MAJOR, 'T', n, 1, A, n, pivot, x, n);
  return LW_OK;
}

lw_status lwi_lapack_solve_smallest(int rows, int columns, const double A[], double x[],
                                    double rcond)
{
  const int most = rows > columns ? rows : columns, least = rows < columns ? rows : columns;
  if (!lwi_all_finite(A, rows * columns) || !lwi_all_finite(x, rows)) return LW_E_NUMBER;
  if (least == 0) return LW_OK;
  if (!lwi_lapack()) return LW_E_MEMORY;
  double *copy = scratch_new((double)rows * columns + least), size = 0;
  if (!copy) return LW_E_MEMORY;
  double *singular = copy + rows * columns;
  int nint = 0, rank;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      copy[j * rows + i] = A[i * columns + j];
  lwi_lapack()->dgelsd(LAPACK_COL_MAJOR, rows, columns, 1, copy, rows, x, most, singular, rcond,
                       &rank, &size, -1, &nint);
  double *work = scratch_new(size);
  int *more = calloc((size_t)nint + 1, sizeof *more);
  lw_status status = work && more ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK &&
      lwi_lapack()->dgelsd(LAPACK_COL_MAJOR, rows, columns, 1, copy, rows, x, most, singular, rcond,
                           &rank, work, (int)size, more) != 0)
    status = LW_E_NOT_CONVERGED;
  free(more);
  free(work);
  free(copy);
  return status;
}

lw_status lwi_lapack_eigen_definite(int n, double V[], double B[], double values[])
{
  if (n == 0) return LW_OK;
  if (!lwi_lapack()) return LW_E_MEMORY;
  if (!lwi_all_finite(V, n * n) || !lwi_all_finite(B, n * n)) return LW_E_NUMBER;
  double size = 0;
  lwi_lapack()->dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', n, V, n, B, n, values, &size, -1);
  double *work = scratch_new(size);
  if (!work) return LW_E_MEMORY;
  const int info =
      lwi_lapack()->dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', n, V, n, B, n, values, work, (int)size);
  free(work);
  transpose_square(n, V);
  return info == 0 ? LW_OK : info > n ? LW_E_SINGULAR : LW_E_NOT_CONVERGED;
}

typedef struct {
  int n;
  double *F, *E, *re, *im, *scale, *V;
} eigen_problem;

static int find_eigen(const eigen_problem *x, double *work, int size)
{
  const int n = x->n;
  if (x->E)
    return lwi_lapack()->dggev(LAPACK_COL_MAJOR, 'N', 'V', n, x->F, n, x->E, n, x->re, x->im,
                               x->scale, NULL, n, x->V, n, work, size);
  return lwi_lapack()->dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, x->F, n, x->re, x->im, NULL, n, x->V, n,
                             work, size);
}

lw_status lwi_lapack_eigen(int n, double F[], double E[], double re[], double im[], double scale[],
                           double V[])
{
  if (n == 0) return LW_OK;
  if (!lwi_lapack()) return LW_E_MEMORY;
  if (!lwi_all_finite(F, n * n) || (E && !lwi_all_finite(E, n * n))) return LW_E_NUMBER;
  double size = 0;
  transpose_square(n, F);
  if (E) transpose_square(n, E);
  const eigen_problem x = {n, F, E, re, im, scale, V};
  find_eigen(&x, &size, -1);
  double *work = scratch_new(size);
  if (!work) return LW_E_MEMORY;
  const int info = find_eigen(&x, work, (int)size);
  free(work);
  transpose_square(n, V);
  for (int i = 0; i < n && E; i++) {
    re[i] /= scale[i];
    im[i] /= scale[i];
  }
  return info == 0 ? LW_OK : LW_E_NOT_CONVERGED;
}

/* A^T = V^T diag U^T: what LAPACK calls U is our V, by rows, and vice versa. */
lw_status lwi_lapack_svd(int n, double A[], double values[], double U[], double V[])
{
  if (n == 0) return LW_OK;
  if (!lwi_lapack()) return LW_E_MEMORY;
  if (!lwi_all_finite(A, n * n)) return LW_E_NUMBER;
  double size = 0;
  lwi_lapack()->dgesvd(LAPACK_COL_MAJOR, 'A', 'A', n, n, A, n, values, V, n, U, n, &size, -1);
  double *work = scratch_new(size);
  if (!work) return LW_E_MEMORY;
  const int info = lwi_lapack()->dgesvd(LAPACK_COL_MAJOR, 'A', 'A', n, n, A, n, values, V, n, U, n,
                                        work, (int)size);
  free(work);
  return info == 0 ? LW_OK : LW_E_NOT_CONVERGED;
}
