/* SPDX-License-Identifier: Apache-2.0 */
/* cones.h -- contacts with Coulomb's friction as a complementarity problem with cones. */
#ifndef LWI_LINALG_CONES_H
#define LWI_LINALG_CONES_H
#include <stdbool.h>

/* One load, between bounds; or one or two of them across a normal load, |x| <= coefficient *
   x[normal]. */
typedef struct {
  int first, n;        /* of its loads */
  int normal;          /* index of the normal load; -1: bounds */
  double coefficient;  /* of friction */
  double lower, upper; /* bounds */
} lwi_cone;

/* Finds x with w = A x + b, A not necessarily symmetric: w = 0 inside the bounds or the cone, and
   at the edge w points out of it (against x, across a normal load).  x is the start and the
   solution.  noise: rounding errors of b, to which speeds need not be right.  False: it does not
   converge. */
bool lwi_solve_cones(int n, const double *A, const double *b, double noise, int ncone,
                     const lwi_cone cone[], double *x);

/* The same by Newton's method from an x nearby, which is kept unless speeds become right to 1e-13
   of the fastest one. */
bool lwi_cones_newton(int n, const double *A, const double *b, int ncone, const lwi_cone cone[],
                      double fastest, double *x);

#endif
