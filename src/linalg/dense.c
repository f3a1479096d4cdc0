/* SPDX-License-Identifier: Apache-2.0 */
/* dense.c -- products and factors of small dense matrices.  Inner loops run along rows, which lie
   in memory as they are written, so that compilers turn them into vector code. */
#include "linalg/dense.h"
#include "math/arrays.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* a test that counts multiplications defines it */
#ifndef LWI_DENSE_COUNT
#define LWI_DENSE_COUNT(n) ((void)0)
#endif

/* y += s x */
static inline void add_scaled(int n, double s, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] += s * x[i];
}

static inline const double *row(const double *A, int n, int i)
{
  return A + (size_t)n * (size_t)i;
}
static inline double *row_of(double *A, int n, int i)
{
  return A + (size_t)n * (size_t)i;
}

/* ---- products ---- */

void lwi_mulv(int m, int n, double s, const double *A, const double *x, double *y)
{
  LWI_DENSE_COUNT((long)m * n);
  for (int i = 0; i < m; i++)
    y[i] += s * lwi_dot(row(A, n, i), x, n);
}

void lwi_tmulv(int m, int n, double s, const double *A, const double *x, double *y)
{
  LWI_DENSE_COUNT((long)m * n);
  for (int i = 0; i < m; i++)
    add_scaled(n, s * x[i], row(A, n, i), y);
}

void lwi_mul(int m, int l, int n, double s, const double *A, const double *B, double *C)
{
  LWI_DENSE_COUNT((long)m * l * n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < l; j++)
      add_scaled(n, s * row(A, l, i)[j], row(B, n, j), row_of(C, n, i));
}

void lwi_mult(int m, int l, int n, const double *A, const double *B, double *C)
{
  LWI_DENSE_COUNT((long)m * l * n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      row_of(C, n, i)[j] += lwi_dot(row(A, l, i), row(B, l, j), l);
}

void lwi_tmul(int m, int l, int n, double s, const double *A, const double *B, double *C)
{
  LWI_DENSE_COUNT((long)m * l * n);
  for (int j = 0; j < l; j++)
    for (int i = 0; i < m; i++)
      add_scaled(n, s * row(A, m, j)[i], row(B, n, j), row_of(C, n, i));
}

/* ---- Cholesky ---- */

bool lwi_cholesky(int n, double *A)
{
  LWI_DENSE_COUNT((long)n * n * n / 6);
  for (int i = 0; i < n; i++) {
    double *Li = row_of(A, n, i);
    for (int j = 0; j < i; j++)
      Li[j] = (Li[j] - lwi_dot(Li, row(A, n, j), j)) / row(A, n, j)[j];
    const double pivot = Li[i] - lwi_dot(Li, Li, i);
    if (!(pivot > n * DBL_EPSILON * Li[i]) || !(pivot <= DBL_MAX)) return false;
    Li[i] = sqrt(pivot);
  }
  return true;
}

void lwi_solve_lower(int n, int m, const double *L, double *B)
{
  LWI_DENSE_COUNT((long)n * n * m / 2);
  for (int i = 0; i < n; i++) {
    const double *Li = row(L, n, i), inverse = 1 / Li[i];
    double *Bi = row_of(B, m, i);
    for (int j = 0; j < i; j++)
      add_scaled(m, -Li[j], row(B, m, j), Bi);
    for (int j = 0; j < m; j++)
      Bi[j] *= inverse;
  }
}

void lwi_solve_upper(int n, int m, const double *L, double *B)
{
  LWI_DENSE_COUNT((long)n * n * m / 2);
  for (int i = n - 1; i >= 0; i--) {
    const double *Li = row(L, n, i), inverse = 1 / Li[i];
    double *Bi = row_of(B, m, i);
    for (int j = 0; j < m; j++)
      Bi[j] *= inverse;
    for (int j = 0; j < i; j++)
      add_scaled(m, -Li[j], Bi, row_of(B, m, j));
  }
}

void lwi_cholesky_multiply(int n, const double *L, const double *x, double *y)
{
  LWI_DENSE_COUNT((long)n * n);
  for (int i = 0; i < n; i++)
    y[i] = 0;
  for (int i = 0; i < n; i++)
    add_scaled(i + 1, x[i], row(L, n, i), y); /* L^T x */
  for (int i = n - 1; i >= 0; i--)
    y[i] = lwi_dot(row(L, n, i), y, i + 1);
}

double lwi_cholesky_log_determinant(int n, const double *L)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += 2 * log(row(L, n, i)[i]);
  return sum;
}

static void swap(double *a, double *b)
{
  const double x = *a;
  *a = *b;
  *b = x;
}

bool lwi_solve_square(int n, double *A, double *b, double least)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    if (!(fabs(A[p * n + k]) > least)) return false;
    for (int j = 0; j < n && p != k; j++)
      swap(&A[k * n + j], &A[p * n + j]);
    swap(&b[k], &b[p]);
    for (int i = k + 1; i < n; i++) {
      const double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n && f != 0; j++)
        A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return true;
}
