/* SPDX-License-Identifier: Apache-2.0 */
/* student.c -- quantiles of Student's distribution, by its distribution function: the incomplete beta function as a continued
   fraction (DLMF 8.17.22), evaluated by the method of Lentz. */
#include "linkwork/fit.h"

#include <float.h>
#include <math.h>

/* I_x(a, b) a B(a, b) / (x^a (1-x)^b), for x < (a + 1)/(a + b + 2) */
static double continued_fraction(double a, double b, double x)
{
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1), f;
  d = 1 / (fabs(d) < tiny ? tiny : d);
  f = d;
  for (int m = 1; m < 10000; m++) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                 odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (int half = 0; half < 2; half++) {
      const double e = half ? odd : even;
      d = 1 + e * d;
      c = 1 + e / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      c = fabs(c) < tiny ? tiny : c;
      f *= change = c * d;
    }
    if (fabs(change - 1) < 4 * DBL_EPSILON) break;
  }
  return f;
}

/* log Gamma(a + 1/2)/Gamma(a) */
static double log_half_step(double a)
{
  if (a < 1000) return lgamma(a + 0.5) - lgamma(a);
  return 0.5 * log(a) - 1 / (8 * a) +
         1 / (192 * a * a * a); /* their difference would lose its digits */
}

/* I_x(a, 1/2), y = 1 - x */
static double incomplete_beta(double a, double x, double y)
{
  const double log_x = y < 0.5 ? log1p(-y) : log(x);
  const double scale =
      exp(log_half_step(a) + a * log_x) * sqrt(y / acos(-1)); /* Gamma(1/2) = sqrt(pi) */
  if (x < (a + 1) / (a + 2.5)) return scale * continued_fraction(a, 0.5, x) / a;
  return 1 - scale * continued_fraction(0.5, a, y) / 0.5;
}

/* The probability of being beyond -x and x. */
static double both_tails(double x, double freedom)
{
  if (isinf(freedom)) return erfc(x / sqrt(2));
  const double square = x * x;
  return incomplete_beta(0.5 * freedom, freedom / (freedom + square), square / (freedom + square));
}

double lw_student_quantile(double probability, double freedom)
{
  if (!(probability > 0 && probability < 1 && freedom > 0)) return (double)NAN;
  double low = 0, high = 1;
  while (both_tails(high, freedom) > 1 - probability && high < 1e300)
    high *= 2;
  for (int i = 0; i < 200; i++) {
    const double x = 0.5 * (low + high);
    if (x <= low || x >= high) break;
    if (both_tails(x, freedom) > 1 - probability)
      low = x;
    else
      high = x;
  }
  return 0.5 * (low + high);
}
