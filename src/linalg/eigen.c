/* SPDX-License-Identifier: Apache-2.0 */
/* eigen.c -- eigenvalues and eigenvectors of small symmetric matrices by Jacobi rotations,
   [Golub2013] section 8.5. */
#include "linalg/eigen.h"

#include <float.h>
#include <math.h>

/* The rotation in the plane (p, q) that makes A[p][q] zero: A = J^T A J, V = J^T V. */
static void rotate(int n, double *A, double *V, int p, int q)
{
  const double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta));
  const double c = 1 / sqrt(1 + t * t), s = t * c;
  for (int k = 0; k < n; k++) {
    const double x = A[k * n + p], y = A[k * n + q];
    A[k * n + p] = c * x - s * y;
    A[k * n + q] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    const double x = A[p * n + k], y = A[q * n + k];
    A[p * n + k] = c * x - s * y;
    A[q * n + k] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    const double x = V[p * n + k], y = V[q * n + k];
    V[p * n + k] = c * x - s * y;
    V[q * n + k] = s * x + c * y;
  }
}

void lwi_symmetric_eigen(int n, double *A, double *V, double *value)
{
  for (int i = 0; i < n * n; i++)
    V[i] = i % (n + 1) == 0;
  double size = 0;
  for (int i = 0; i < n * n; i++)
    size = fmax(size, fabs(A[i]));
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        off = fmax(off, fabs(A[p * n + q]));
    if (!(off > DBL_EPSILON * 1e-3 * size)) break; /* also if there is no number */
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (A[p * n + q] != 0) rotate(n, A, V, p, q);
  }
  for (int i = 0; i < n; i++)
    value[i] = A[i * n + i];
}
