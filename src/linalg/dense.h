/* SPDX-License-Identifier: Apache-2.0 */
/* dense.h -- small dense matrices of any size, row by row, without gaps: products and factors of
   symmetric matrices.  Nothing allocates.  Sizes may be zero.  Outputs do not overlap inputs unless
   it says "in place". */
#ifndef LWI_LINALG_DENSE_H
#define LWI_LINALG_DENSE_H
#include <stdbool.h>

/* y[m] += s A[m][n] x[n],  y[n] += s A[m][n]' x[m] */
void lwi_mulv(int m, int n, double s, const double *A, const double *x, double *y);
void lwi_tmulv(int m, int n, double s, const double *A, const double *x, double *y);

/* C[m][n] += s A[m][l] B[l][n],  C[m][n] += A[m][l] B[n][l]',  C[m][n] += s A[l][m]' B[l][n] */
void lwi_mul(int m, int l, int n, double s, const double *A, const double *B, double *C);
void lwi_mult(int m, int l, int n, const double *A, const double *B, double *C);
void lwi_tmul(int m, int l, int n, double s, const double *A, const double *B, double *C);

/* A = L L' in place in the lower triangle; the upper one is not read or written.  False: A is not
   positive definite, to working precision, or not finite. */
bool lwi_cholesky(int n, double *A);
/* B[n][m] = L^-1 B and B = L^-T B, in place */
void lwi_solve_lower(int n, int m, const double *L, double *B);
void lwi_solve_upper(int n, int m, const double *L, double *B);
/* y = L L' x */
void lwi_cholesky_multiply(int n, const double *L, const double *x, double *y);
/* log det L L' */
double lwi_cholesky_log_determinant(int n, const double *L);

/* A = L D L' in place with rows and columns in the order perm[n], for a positive semidefinite A:
   the largest remaining pivot first, until it is at most rtol times the first.  D is on the
   diagonal, L below it with unit diagonal; returns the rank, -1 if A is not finite or has a
   negative pivot as large as that.  [Higham2002] chapter 10. */
int lwi_ldl(int n, double rtol, double *A, int *perm);
/* x with A x = b, zero in the last n - rank of perm; b must be in the range of A.  y[n] is
   scratch. */
void lwi_ldl_solve(int n, int rank, const double *A, const int *perm, const double *b, double *x,
                   double *y);

#endif
