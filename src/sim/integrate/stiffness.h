/* SPDX-License-Identifier: Apache-2.0 */
/* stiffness.h -- is it stability, and not the motion, that keeps the steps of an explicit method
   short? */
#ifndef LWI_SIM_INTEGRATE_STIFFNESS_H
#define LWI_SIM_INTEGRATE_STIFFNESS_H
#include "sim/integrate/system.h"

#include <stdbool.h>

enum { LWI_STIFFNESS_SAMPLES = 7 };

typedef struct {
  int n, every;                    /* numbers in y; steps from one sample to the next */
  int steps, count;                /* since the last sample; samples so far */
  double t[LWI_STIFFNESS_SAMPLES]; /* newest last */
  double *y;                       /* [LWI_STIFFNESS_SAMPLES][n] */
  double *work;                    /* [4][n] */
  bool suspected;
} lwi_stiffness;

/* Returns false if out of memory. */
bool lwi_stiffness_open(lwi_stiffness *s, int n);
void lwi_stiffness_close(lwi_stiffness *s);
/* The motion begins. */
void lwi_stiffness_begin(lwi_stiffness *s);
/* Forgets all samples: something else has shortened a step. */
void lwi_stiffness_reset(lwi_stiffness *s);
/* The corrector fails to converge: stiffness is likely, and found after a quarter of the steps. */
void lwi_stiffness_suspect(lwi_stiffness *s);
/* After a step to y at t, with the inverse of the tolerated error of each number: would the motion
   permit much longer steps? */
bool lwi_stiffness_notice(lwi_stiffness *s, double t, const double y[], const double weight[]);
/* Then: is it stability that keeps steps of length h short?  Takes some evaluations of the system
   at (t, y). */
bool lwi_stiffness_confirm(lwi_stiffness *s, lwi_system *system, double t, const double y[],
                           double h);
/* The size of the largest eigenvalue of the Jacobian at (t, y): how fast the fastest part of the motion changes, per
   second.  work: [4][n].  Returns false if the system cannot be evaluated there. */
bool lwi_stiffness_find_rate(lwi_system *system, double t, const double y[], int n, double work[],
                             double *rate);

#endif
