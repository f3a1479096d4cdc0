/* SPDX-License-Identifier: Apache-2.0 */
/* least_loads.h -- loads that are not unique: the least ones that are possible. */
#ifndef LWI_LINALG_LEAST_LOADS_H
#define LWI_LINALG_LEAST_LOADS_H
#include "linalg/cones.h"

/* Loads x = L + N z, N [n][k], within bounds and cones.  Of all of them z is chosen such that the
   sum of (weight x)^2 is least; loads across a normal load have the same weight as it.  Returns how
   far weight x is outside at most: zero but for rounding errors if possible loads exist.  Negative:
   no memory. */
double lwi_least_loads(int n, int k, const double *N, const double weight[], int ncone,
                       const lwi_cone cone[], const double L[], double z[]);

#endif
