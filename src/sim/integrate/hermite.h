/* SPDX-License-Identifier: Apache-2.0 */
/* hermite.h -- the polynomial with given values and rates at a few times of a step: dense output
   for methods that have none of their own.  With k nodes its degree is 2k - 1. */
#ifndef LWI_SIM_INTEGRATE_HERMITE_H
#define LWI_SIM_INTEGRATE_HERMITE_H
#include <stdbool.h>

enum { LWI_HERMITE_PLACES = 5 };

typedef struct {
  int n, places;                                         /* numbers in y; nodes in use */
  double t[LWI_HERMITE_PLACES];                          /* distinct */
  double *y[LWI_HERMITE_PLACES], *f[LWI_HERMITE_PLACES]; /* [n] each */
  double *memory;
} lwi_hermite;

/* Allocates the given number of nodes; none is in use.  Returns false if out of memory. */
bool lwi_hermite_init(lwi_hermite *x, int n, int places);
void lwi_hermite_free(lwi_hermite *x);
void lwi_hermite_at(const lwi_hermite *x, double t, double y[]);

#endif
