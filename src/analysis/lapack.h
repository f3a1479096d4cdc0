/* SPDX-License-Identifier: Apache-2.0 */
/* lapack.h -- the functions of LAPACK that analyses use, on matrices stored row by row.

   The functions of LAPACKE for such matrices allocate, and print to stdout on failure.  Those below
   allocate what they need themselves, and pass columns to LAPACK.  LW_E_MEMORY: out of memory;
   LW_E_NUMBER: an input is not finite; LW_E_SINGULAR: a factor does not exist; LW_E_NOT_CONVERGED:
   an eigenvalue was not found. */
#ifndef LWI_ANALYSIS_LAPACK_H
#define LWI_ANALYSIS_LAPACK_H
#include "linkwork/status.h"

#include <stdbool.h>

/* Can LAPACK be loaded?  Without it the functions below return LW_E_MEMORY; callers check first,
   for the message. */
lw_status lwi_lapack_ready(lw_error *err);

/* Is the symmetric A[n][n] positive definite?  A is overwritten. */
bool lwi_lapack_is_definite(int n, double A[]);
/* X[n][width] = A^-1 X for a positive definite A; A is overwritten. */
lw_status lwi_lapack_solve_definite(int n, int width, double A[], double X[]);
/* x = A^-1 x; A is overwritten, pivot[n] is scratch. */
lw_status lwi_lapack_solve(int n, double A[], int pivot[], double x[]);
/* The x[columns] of smallest norm that minimises |A x - b|; input b[rows] in x[max(rows,
   columns)]. */
lw_status lwi_lapack_solve_smallest(int rows, int columns, const double A[], double x[],
                                    double rcond);
/* A V = B V diag(values), symmetric, B positive definite; A is passed in V. */
lw_status lwi_lapack_eigen_definite(int n, double V[], double B[], double values[]);
/* F v = (re + i im) v; for a pair, columns k, k+1 of V are real and imaginary part.  With E: F v =
   (re + i im) E v, already divided by scale[n]. */
lw_status lwi_lapack_eigen(int n, double F[], double E[], double re[], double im[], double scale[],
                           double V[]);
/* A = U diag(values) V, V by rows; A is overwritten. */
lw_status lwi_lapack_svd(int n, double A[], double values[], double U[], double V[]);

#endif
