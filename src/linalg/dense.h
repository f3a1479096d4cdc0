/* SPDX-License-Identifier: Apache-2.0 */
/* dense.h -- small dense matrices of any size, row by row, without gaps: products, factors of
   symmetric matrices, and solutions.  Nothing allocates.  Sizes may be zero.  Outputs do not
   overlap inputs unless it says "in place". */
#ifndef LWI_LINALG_DENSE_H
#define LWI_LINALG_DENSE_H
#include <stdbool.h>

/* y[m] += s A[m][n] x[n],  y[n] += s A[m][n]^T x[m] */
void lwi_mulv(int m, int n, double s, const double *A, const double *x, double *y);
void lwi_tmulv(int m, int n, double s, const double *A, const double *x, double *y);

/* C[m][n] += s A[m][l] B[l][n],  C[m][n] += A[m][l] B[n][l]^T,  C[m][n] += s A[l][m]^T B[l][n] */
void lwi_mul(int m, int l, int n, double s, const double *A, const double *B, double *C);
void lwi_mult(int m, int l, int n, const double *A, const double *B, double *C);
void lwi_tmul(int m, int l, int n, double s, const double *A, const double *B, double *C);

/* A = L L^T in place in the lower triangle; the upper one is not read or written.  False: A is not
   positive definite, to working precision, or not finite. */
bool lwi_cholesky(int n, double *A);
/* B[n][m] = L^-1 B and B = L^-T B, in place */
void lwi_solve_lower(int n, int m, const double *L, double *B);
void lwi_solve_upper(int n, int m, const double *L, double *B);
/* y = L L^T x */
void lwi_cholesky_multiply(int n, const double *L, const double *x, double *y);
/* log det L L^T */
double lwi_cholesky_log_determinant(int n, const double *L);

/* b := A^-1 b by elimination with row pivoting, in place; A is overwritten.  False: a pivot does
   not exceed `least`. */
bool lwi_solve_square(int n, double *A, double *b, double least);

#endif
