/* SPDX-License-Identifier: Apache-2.0 */
/* interval.h -- arithmetic of intervals [Moore2009], and the parts of the bounds of expressions
   (expr_bounds.h). */
#ifndef LWI_MODEL_EXPRESSION_INTERVAL_H
#define LWI_MODEL_EXPRESSION_INTERVAL_H
#include "model/expression/expr_bounds.h"

#include <math.h>

/* bounds of one operation; rates: are they needed? */
lwi_bounds lwi_bounds_one(int code, lwi_bounds a, bool rates);
lwi_bounds lwi_bounds_two(int code, lwi_bounds a, lwi_bounds b, bool rates);
lwi_bounds lwi_bounds_table2(const lwi_table *t, lwi_bounds a, lwi_bounds b, bool rates);

static const lwi_interval whole = {-HUGE_VAL, HUGE_VAL}, nothing = {0, 0};

static inline lwi_interval between(double a, double b)
{
  if (isnan(a) || isnan(b)) return whole;
  return a < b ? (lwi_interval){a, b} : (lwi_interval){b, a};
}

static inline lwi_interval hull(lwi_interval a, lwi_interval b)
{
  return (lwi_interval){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static inline lwi_interval add(lwi_interval a, lwi_interval b)
{
  const lwi_interval sum = {a.low + b.low, a.high + b.high};
  return isnan(sum.low) || isnan(sum.high) ? whole : sum;
}

static inline lwi_interval negate(lwi_interval a)
{
  return (lwi_interval){-a.high, -a.low};
}

static inline bool is_zero(lwi_interval a)
{
  return a.low == 0 && a.high == 0;
}

static inline double product(double a, double b)
{
  return a == 0 || b == 0 ? 0 : a * b; /* 0 * inf: the factor is finite, however large */
}

/* zero times anything is zero: what does not move does not move the result */
static inline lwi_interval multiply(lwi_interval a, lwi_interval b)
{
  if (is_zero(a) || is_zero(b)) return nothing;
  const lwi_interval x = between(product(a.low, b.low), product(a.low, b.high));
  const lwi_interval y = between(product(a.high, b.low), product(a.high, b.high));
  return hull(x, y);
}

static inline lwi_interval invert(lwi_interval a)
{
  if (a.low < 0 && a.high > 0) return whole;
  const double high = a.low == 0 ? HUGE_VAL : 1 / a.low;
  const double low = a.high == 0 ? -HUGE_VAL : 1 / a.high;
  return (lwi_interval){low, high};
}

static inline lwi_interval square(lwi_interval a)
{
  const lwi_interval ends = between(a.low * a.low, a.high * a.high);
  return lwi_interval_holds(a, 0) ? (lwi_interval){0, ends.high} : ends;
}

/* Does x hold a number of the form offset + k period? */
static inline bool holds_one_of(lwi_interval x, double offset, double period)
{
  if (!(x.high - x.low < period)) return true;
  return floor((x.high - offset) / period) > floor((x.low - offset) / period) ||
         fmod(x.low - offset, period) == 0;
}

static inline lwi_interval cosine(lwi_interval a)
{
  lwi_interval v = between(cos(a.low), cos(a.high));
  if (holds_one_of(a, 0, 2 * LWI_EXPR_PI)) v.high = 1;
  if (holds_one_of(a, LWI_EXPR_PI, 2 * LWI_EXPR_PI)) v.low = -1;
  return v;
}

static inline lwi_interval sine(lwi_interval a)
{
  lwi_interval v = between(sin(a.low), sin(a.high));
  if (holds_one_of(a, LWI_EXPR_PI / 2, 2 * LWI_EXPR_PI)) v.high = 1;
  if (holds_one_of(a, -LWI_EXPR_PI / 2, 2 * LWI_EXPR_PI)) v.low = -1;
  return v;
}

static inline double largest(lwi_interval a)
{
  return fmax(fabs(a.low), fabs(a.high));
}

static inline double smallest(lwi_interval a)
{
  return lwi_interval_holds(a, 0) ? 0 : fmin(fabs(a.low), fabs(a.high));
}

#endif
