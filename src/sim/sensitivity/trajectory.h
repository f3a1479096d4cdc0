/* SPDX-License-Identifier: Apache-2.0 */
/* trajectory.h -- numbers that were integrated, kept as polynomials: one piece per step, through its
   values at the Chebyshev points of the step, so that integrations in the other direction find
   them at any time. */
#ifndef LWI_SIM_SENSITIVITY_TRAJECTORY_H
#define LWI_SIM_SENSITIVITY_TRAJECTORY_H
#include <stdbool.h>
#include <stddef.h>

/* Points of a piece: Adams steps are polynomials of degree 12 at most. */
enum { LWI_TRAJECTORY_POINTS = 13 };

typedef struct {
  size_t n, more; /* numbers; those that go with a piece as a whole */
  int npiece, capacity;
  double *ends;     /* [npiece][2] */
  double *value;    /* [npiece][points][n] */
  double *constant; /* [npiece][more] */
} lwi_trajectory;

void lwi_trajectory_free(lwi_trajectory *x);
/* Forgets all pieces; these many numbers from now on. */
void lwi_trajectory_begin(lwi_trajectory *x, size_t n, size_t more);
/* Another piece, from a to b.  False: no memory. */
bool lwi_trajectory_add(lwi_trajectory *x, double a, double b);
/* The time of a point of the last piece, from 0 at its beginning, and where its values go. */
double lwi_trajectory_time(const lwi_trajectory *x, int point);
double *lwi_trajectory_point(lwi_trajectory *x, int point);
/* Keeps only pieces that reach beyond t. */
void lwi_trajectory_forget(lwi_trajectory *x, double t);

/* The piece that holds t, or the nearest one; there is one at least. */
int lwi_trajectory_piece(const lwi_trajectory *x, double t);
void lwi_trajectory_get(const lwi_trajectory *x, double t, double y[]);

#endif
