/* SPDX-License-Identifier: Apache-2.0 */
/* joint_space.h -- the directions that a joint allows and those that it does not: S with its
   (S^T S)^-1, and D orthonormal with D^T S = 0. */
#ifndef LWI_TREE_RECURSION_JOINT_SPACE_H
#define LWI_TREE_RECURSION_JOINT_SPACE_H
#include <math.h>

/* x = (S^T S)^-1 x, in place; the first `inertialess` columns are zero and give zero.  L D L^T
   without pivoting: the matrix is positive definite and nearly always diagonal. */
static inline void solve_normal(int nu, int inertialess, double S[][6], double *x)
{
  double N[6][6];
  for (int i = 0; i < nu; i++)
    for (int j = 0; j <= i; j++) {
      double s = 0;
      for (int k = 0; k < 6; k++)
        s += S[i][k] * S[j][k];
      N[i][j] = i < inertialess || j < inertialess ? i == j : s;
    }
  for (int i = 0; i < nu; i++) {
    if (i < inertialess) x[i] = 0;
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        N[i][j] -= N[i][k] * N[j][k] * N[k][k];
      N[i][j] /= N[j][j];
    }
    for (int k = 0; k < i; k++)
      N[i][i] -= N[i][k] * N[i][k] * N[k][k];
    for (int k = 0; k < i; k++)
      x[i] -= N[i][k] * x[k];
  }
  for (int i = nu - 1; i >= 0; i--) {
    x[i] /= N[i][i];
    for (int k = i + 1; k < nu; k++)
      x[i] -= N[k][i] * x[k];
  }
}

/* Orthonormal D, orthogonal to the nu columns of S, by Householder's reflections; only the
   components listed in `of` are used. */
static inline void complement(int n, const int *of, int nu, double S[][6], double *D)
{
  double v[6][6]; /* reflections */
  int at[6];
  for (int i = 0; i < n; i++)
    at[i] = of[i];
  for (int j = 0; j < nu; j++) {
    double x[6], size = 0;
    for (int i = 0; i < n; i++)
      x[i] = S[j][at[i]];
    for (int k = 0; k < j; k++) {
      double s = 0;
      for (int i = k; i < n; i++)
        s += v[k][i] * x[i];
      for (int i = k; i < n; i++)
        x[i] -= s * v[k][i];
    }
    int most = j; /* the coordinate to reflect to: a rotation does not become a translation */
    for (int i = j; i < n; i++) {
      size += x[i] * x[i];
      if (fabs(x[i]) > fabs(x[most])) most = i;
    }
    const int other = at[j];
    at[j] = at[most], at[most] = other;
    for (int k = 0; k <= j; k++) {
      double *row = k < j ? v[k] : x;
      const double y = row[j];
      row[j] = row[most], row[most] = y;
    }
    size = sqrt(size);
    double norm = 0;
    for (int i = j; i < n; i++) {
      v[j][i] = x[i];
      if (i == j) v[j][i] += x[j] < 0 ? -size : size;
      norm += v[j][i] * v[j][i];
    }
    for (int i = j; i < n; i++)
      v[j][i] *= sqrt(2 / norm);
  }
  for (int r = 0; r < n - nu; r++) {
    double x[6] = {0};
    x[nu + r] = 1;
    for (int k = nu - 1; k >= 0; k--) {
      double s = 0;
      for (int i = k; i < n; i++)
        s += v[k][i] * x[i];
      for (int i = k; i < n; i++)
        x[i] -= s * v[k][i];
    }
    for (int i = 0; i < 6; i++)
      D[6 * r + i] = 0;
    for (int i = 0; i < n; i++)
      D[6 * r + at[i]] = x[i];
  }
}

#endif
