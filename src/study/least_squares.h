/* SPDX-License-Identifier: Apache-2.0 */
/* least_squares.h -- the least sum of squares of residuals r(x) between bounds, by the method of Levenberg and Marquardt,
   and what the residuals say about x. */
#ifndef LWI_STUDY_LEAST_SQUARES_H
#define LWI_STUDY_LEAST_SQUARES_H
#include "linkwork/status.h"

#include <stdbool.h>

typedef enum {
  LWI_EVALUATED,
  LWI_NOT_THERE, /* r cannot be computed at x: a shorter step is tried */
  LWI_STOP       /* the search ends; the best x so far is kept */
} lwi_evaluation;

/* r[m] and J[n][m], J[k] = dr/dx_k */
typedef lwi_evaluation (*lwi_residuals)(void *context, const double x[], double r[], double J[]);

typedef struct {
  int n, m;
  const double *min, *max; /* [n] may be infinite */
  lwi_residuals evaluate;
  /* After each accepted step, with the sum of squares; false: the search ends. */
  bool (*accepted)(void *context, const double x[], double squares);
  void *context;
  double tolerance; /* ends where a full step would change all of r by less than this, |J dx| */
  int iterations;   /* at most */
  bool known;       /* r and J at the start are given */
} lwi_least_squares;

typedef enum {
  LWI_CONVERGED,
  LWI_STALLED,   /* no step, however short, makes the sum smaller */
  LWI_EXHAUSTED, /* the number of iterations */
  LWI_STOPPED
} lwi_end;

/* x[n]: the start, between the bounds; then the best found, of which r[m] and J[n][m] are.  LW_E_NUMBER: r cannot be computed
   at the start.  LW_E_STOPPED: evaluate has stopped at the start. */
lw_status lwi_least_squares_solve(const lwi_least_squares *p, double x[], double r[], double J[],
                                  lwi_end *end);

/* Which x are at a bound beyond which r would become smaller: held[n]. */
void lwi_least_squares_held(const lwi_least_squares *p, const double x[], const double r[],
                            const double J[], bool held[]);

/* ---- parts, which fit.c uses as well ---- */

/* A[n][m], column after column: A = Q R, R[n][n] row by row, by Householder's reflections; b[m] becomes Q^T b, and A is
   overwritten.  m >= n.  [Golub2013] section 5.2. */
void lwi_orthogonalise(int m, int n, double A[], double b[], double R[]);

/* Singular values of R[n][n] and the rows of V, R = U diag(value) V; R is overwritten.  One-sided rotations of Jacobi: small
   values are as accurate as R is; the largest comes first.  [Golub2013] section 8.6.3. */
void lwi_singular_values(int n, double R[], double value[], double V[]);

#endif
