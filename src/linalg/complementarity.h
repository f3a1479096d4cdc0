/* SPDX-License-Identifier: Apache-2.0 */
/* complementarity.h -- linear complementarity problems with bounds, by Lemke's method: find x with
   lower <= x <= upper and w = A x + b such that for every i

     x_i = lower_i and w_i >= 0,   or   lower_i < x_i < upper_i and w_i = 0,   or   x_i = upper_i and w_i <= 0

   lower is finite; upper may be infinite.  A need not be symmetric; if A + A^T is positive
   semidefinite and a solution exists, one is found.  docs/theory/contact.md. */
#ifndef LWI_LINALG_COMPLEMENTARITY_H
#define LWI_LINALG_COMPLEMENTARITY_H
#include <stdbool.h>
#include <stddef.h>

typedef enum {
  LWI_COMPLEMENTARITY_SOLVED,
  LWI_COMPLEMENTARITY_RAY,    /* the method ends in a ray: no solution was found */
  LWI_COMPLEMENTARITY_CYCLES, /* it does not end */
  LWI_COMPLEMENTARITY_MEMORY
} lwi_complementarity;

/* A[n][n], row by row.  Allocates. */
lwi_complementarity lwi_solve_complementarity(int n, const double *A, const double b[],
                                              const double lower[], const double upper[],
                                              double x[]);

/* The largest violation of the conditions above, by the smaller of the distances of x from its
   bound, times A_ii, and of w from zero. */
double lwi_complementarity_residual(int n, const double *A, const double b[], const double lower[],
                                    const double upper[], const double x[]);

#endif
