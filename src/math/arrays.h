/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.h -- vectors of any length.  Arrays may be NULL if n is 0. */
#ifndef LWI_MATH_ARRAYS_H
#define LWI_MATH_ARRAYS_H
#include <string.h>

static inline double lwi_dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static inline void lwi_copy(double *to, const double *from, int n)
{
  if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

/* for qsort and bsearch: ascending */
static inline int lwi_compare_numbers(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
