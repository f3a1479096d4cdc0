/* SPDX-License-Identifier: Apache-2.0 */
/* finite.h -- are all of these numbers finite? */
#ifndef LWI_MATH_FINITE_H
#define LWI_MATH_FINITE_H
#include <math.h>
#include <stdbool.h>

/* x may be NULL if n is 0.  A number that is not finite, times zero, is not zero: eight sums side
   by side are faster than a test of each. */
static inline bool lwi_all_finite(const double *x, int n)
{
  double sum[8] = {0};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++)
      sum[k] += 0 * x[i + k];
  for (; i < n; i++)
    sum[0] += 0 * x[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) == 0;
}

#endif
