/* SPDX-License-Identifier: Apache-2.0 */
/* quadrature.h -- integrals over a step, each with an estimate of its error.

   From samples at the ends of steps: the polynomial through the last of them, in Newton's form. The
   number of terms is the one that makes the last two smallest; these are the error estimate.

   From a function that can be evaluated inside the step: the Lobatto rule of four points and its
   Kronrod extension to seven [Gander2000], halved where the two disagree. */
#ifndef LWI_SIM_INTEGRATE_QUADRATURE_H
#define LWI_SIM_INTEGRATE_QUADRATURE_H
#include "linkwork/status.h"

enum { LWI_MOST_SAMPLES = 13 }; /* as many as the highest order of Adams uses */
typedef struct {
  int n;
  double t[LWI_MOST_SAMPLES]; /* newest first */
  double c[LWI_MOST_SAMPLES]; /* divided differences of the first one, two, ... */
  double f[2];                /* the last two values */
} lwi_samples;

typedef struct {
  double value, error; /* the integral and its estimated error */
} lwi_integral;

void lwi_samples_add(lwi_samples *s, double t, double f);
/* Integrates from a to b. */
lwi_integral lwi_samples_integrate(const lwi_samples *s, double a, double b);

typedef lw_status lwi_integrand(const void *context, double t, double *f);
/* Integrates from a to b, with f(a) = f_a and f(b) = f_b, to an error of `enough` if possible. */
lw_status lwi_integrate(lwi_integrand *f, const void *context, double a, double b, double f_a,
                        double f_b, double enough, lwi_integral *out);

#endif
