/* SPDX-License-Identifier: Apache-2.0 */
/* eigen.h -- eigenvalues of small symmetric matrices.  Nothing allocates. */
#ifndef LWI_LINALG_EIGEN_H
#define LWI_LINALG_EIGEN_H

/* A = V^T diag(value) V for a symmetric A[n][n], row by row: row i of V is the unit eigenvector of
   value[i].  A is overwritten.  Jacobi's rotations: accurate also for small eigenvalues, n^3 times
   about ten; not sorted.  [Golub2013] section 8.5. */
void lwi_symmetric_eigen(int n, double *A, double *V, double *value);

#endif
