/* SPDX-License-Identifier: Apache-2.0 */
/* finite.h -- are all of these numbers finite, and how large are they? */
#ifndef LWI_MATH_FINITE_H
#define LWI_MATH_FINITE_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* x may be NULL if n is 0.  A number that is not finite, times zero, is not zero: eight sums side
   by side are faster than a test of each. */
static inline bool lwi_all_finite(const double *x, ptrdiff_t n)
{
  double sum[8] = {0};
  ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++)
      sum[k] += 0 * x[i + k];
  for (; i < n; i++)
    sum[0] += 0 * x[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) == 0;
}

/* The largest magnitude; numbers that are NaN do not count. */
static inline double lwi_largest(const double *x, ptrdiff_t n)
{
  double most = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* The same; NaN if one of them is. */
static inline double lwi_largest_or_nan(const double *x, ptrdiff_t n)
{
  double most = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
  return most;
}

#endif
