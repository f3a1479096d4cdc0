/* SPDX-License-Identifier: Apache-2.0 */
/* differences.h -- finite differences: the size that steps are relative to, the formula of sixth
   order, and central differences with their extrapolation to h = 0 and its error. */
#ifndef LWI_MATH_DIFFERENCES_H
#define LWI_MATH_DIFFERENCES_H
#include <math.h>

/* ---- steps ---- */

/* Steps of a parameter are relative to its value; a parameter of value 0 is taken for 1. */
static inline double lwi_parameter_scale(double p)
{
  return p != 0 ? fabs(p) : 1;
}

typedef struct {
  double y, y_p; /* largest magnitudes; of y at least 1 */
} lwi_difference_sizes;
static inline lwi_difference_sizes lwi_sizes_along(const double y[], const double y_p[], int n)
{
  lwi_difference_sizes s = {1, 0};
  for (int i = 0; i < n; i++) {
    s.y = fmax(s.y, fabs(y[i]));
    s.y_p = fmax(s.y_p, fabs(y_p[i]));
  }
  return s;
}

/* ---- sixth order ---- */

/* x_p = sum of weight_i x(p + place_i h) / (60 h) + O(h^6) */
enum { LWI_DIFFERENCE_POINTS = 6, LWI_DIFFERENCE_DIVISOR = 60 };
static const double lwi_difference_place[LWI_DIFFERENCE_POINTS] = {-3, -2, -1, 1, 2, 3};
static const double lwi_difference_weight[LWI_DIFFERENCE_POINTS] = {-1, 9, -45, 45, -9, 1};

/* ---- central differences with h, h/2, h/4 ... ---- */

enum { LWI_DIFFERENCE_LEVELS = 8 };

static inline double lwi_central_difference(double below, double above, double h)
{
  return (above - below) / (2 * h);
}

/* The best of all extrapolations of levels 0 ... last of one number: where adjacent entries of the
   table agree best [Ridders1982].  h: of the last level.  noise: error of the number itself, which
   a difference divides by its h. */
static inline void lwi_extrapolate(const double d[LWI_DIFFERENCE_LEVELS], int last, double noise,
                                   double h, double *value, double *error)
{
  double before[LWI_DIFFERENCE_LEVELS] = {0}, now[LWI_DIFFERENCE_LEVELS];
  *value = d[last];
  *error = HUGE_VAL;
  for (int l = 0; l <= last; l++) {
    double factor = 1;
    now[0] = d[l];
    for (int j = 1; j <= l; j++) {
      factor *= 4;
      now[j] = now[j - 1] + (now[j - 1] - before[j - 1]) / (factor - 1);
      const double e = fmax(fabs(now[j] - now[j - 1]), fabs(now[j] - before[j - 1])) +
                       noise / (h * ldexp(1, last - l));
      if (e < *error) *value = now[j], *error = e;
    }
    for (int j = 0; j <= l; j++)
      before[j] = now[j];
  }
}

#endif
