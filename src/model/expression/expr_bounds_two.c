/* SPDX-License-Identifier: Apache-2.0 */
/* expr_bounds_two.c -- bounds of operations of two operands, by interval arithmetic
   (expr_bounds.h). */
#include "model/expression/expr_double.h"
#include "model/expression/interval.h"

#include <float.h>

static double product_slack(const lwi_bounds *a, const lwi_bounds *b)
{
  const double slack = largest(a->value) * b->slack + largest(b->value) * a->slack;
  return isfinite(slack) ? slack : 0;
}

static lwi_bounds product_of(lwi_bounds a, lwi_bounds b, bool rates)
{
  lwi_bounds v = {.value = multiply(a.value, b.value), .rate = whole};
  if (rates) v.rate = add(multiply(a.rate, b.value), multiply(a.value, b.rate));
  v.partial = a.partial || b.partial;
  v.slack = product_slack(&a, &b);
  return v;
}

static lwi_bounds quotient(lwi_bounds a, lwi_bounds b, bool rates)
{
  lwi_bounds v = {.partial = a.partial || b.partial, .rate = whole};
  if (lwi_interval_holds(b.value, 0)) {
    v.value = whole;
    v.partial |= lwi_interval_holds(a.value, 0);
    return v;
  }
  const lwi_interval inverse = invert(b.value);
  v.value = multiply(a.value, inverse);
  if (rates) v.rate = multiply(add(a.rate, negate(multiply(v.value, b.rate))), inverse);
  return v;
}

/* a^n for a whole number n */
static lwi_bounds whole_power(lwi_bounds a, double n, bool rates)
{
  lwi_bounds v = {.partial = a.partial, .rate = nothing};
  if (n == 0) {
    v.value = (lwi_interval){1, 1};
    return v;
  }
  if (n < 0 && lwi_interval_holds(a.value, 0)) return (lwi_bounds){whole, whole, a.partial, 0};
  const bool even = fmod(n, 2) == 0;
  v.value = between(pow(a.value.low, n), pow(a.value.high, n));
  if (even && lwi_interval_holds(a.value, 0)) v.value.low = 0;
  lwi_interval slope = between(pow(a.value.low, n - 1), pow(a.value.high, n - 1));
  if (!even && lwi_interval_holds(a.value, 0)) slope.low = 0;
  if (rates) v.rate = multiply(multiply((lwi_interval){n, n}, slope), a.rate);
  return v;
}

static lwi_bounds unknown(lwi_bounds a, lwi_bounds b)
{
  return (lwi_bounds){whole, whole, a.partial || b.partial || a.value.low < 0, 0};
}

/* a^n for another number n, where a may be zero or less: there is a value from zero on */
static lwi_bounds root(lwi_bounds a, lwi_bounds b, bool rates)
{
  const double n = b.value.low, low = fmax(a.value.low, 0) + 0.0, high = a.value.high;
  lwi_bounds v = unknown(a, b);
  if (!(n > 0) || high < 0) return v;
  v.value = between(pow(low, n), pow(high, n));
  const lwi_interval slope = between(pow(low, n - 1), pow(high, n - 1));
  if (rates) v.rate = multiply(multiply((lwi_interval){n, n}, slope), a.rate);
  return v;
}

/* a^b = exp(b log a) */
static lwi_bounds power(lwi_bounds a, lwi_bounds b, bool rates)
{
  const double n = b.value.low;
  if (n == b.value.high && is_zero(b.rate) && n == rint(n)) return whole_power(a, n, rates);
  if (!(a.value.low > 0)) return n == b.value.high ? root(a, b, rates) : unknown(a, b);
  return lwi_bounds_one(LWI_OP_EXP, product_of(lwi_bounds_one(LWI_OP_LOG, a, rates), b, rates),
                        rates);
}

/* the angle of (b, a): the origin and the negative half axis, where it jumps, make it anything */
static lwi_bounds angle(lwi_bounds a, lwi_bounds b, bool rates)
{
  lwi_bounds v = {.partial = a.partial || b.partial, .rate = whole};
  if (lwi_interval_holds(a.value, 0) && b.value.low <= 0) {
    v.value = (lwi_interval){-LWI_EXPR_PI, LWI_EXPR_PI};
    return v;
  }
  const lwi_interval x = between(atan2(a.value.low, b.value.low), atan2(a.value.low, b.value.high));
  const lwi_interval y =
      between(atan2(a.value.high, b.value.low), atan2(a.value.high, b.value.high));
  v.value = hull(x, y);
  if (rates)
    v.rate = multiply(add(multiply(b.value, a.rate), negate(multiply(a.value, b.rate))),
                      invert(add(square(a.value), square(b.value))));
  return v;
}

/* min; max is -min(-a, -b) */
static lwi_bounds least(lwi_bounds a, lwi_bounds b)
{
  const bool only_a = a.value.high < b.value.low, only_b = b.value.high < a.value.low;
  return (lwi_bounds){.value = {fmin(a.value.low, b.value.low), fmin(a.value.high, b.value.high)},
                      .rate = only_a   ? a.rate
                              : only_b ? b.rate
                                       : hull(a.rate, b.rate),
                      .partial = a.partial || b.partial};
}

static lwi_bounds reversed(lwi_bounds a)
{
  return (lwi_bounds){negate(a.value), negate(a.rate), a.partial, a.slack};
}

/* comparisons: of the difference; yes: it is true all along, no: nowhere */
static lwi_bounds comparison(int code, lwi_bounds a, lwi_bounds b)
{
  const lwi_interval x = a.value, y = b.value;
  const bool below = x.high<y.low, above = x.low> y.high;
  const bool at_most = x.high <= y.low, at_least = x.low >= y.high;
  const bool equal = at_most && at_least, apart = below || above;
  bool yes, no;
  switch (code) {
  case LWI_OP_LT: yes = below, no = at_least; break;
  case LWI_OP_LE: yes = at_most, no = above; break;
  case LWI_OP_GT: yes = above, no = at_most; break;
  case LWI_OP_GE: yes = at_least, no = below; break;
  case LWI_OP_EQ: yes = equal, no = apart; break;
  default: yes = apart, no = equal; break;
  }
  lwi_bounds v = {.value = {yes, !no}, .partial = a.partial || b.partial};
  if (!yes && !no) v.rate = whole;
  return v;
}

/* a - b k where the quotient k does not jump */
static lwi_bounds remainder_of(lwi_bounds a, lwi_bounds b, bool rates)
{
  const lwi_bounds q = quotient(a, b, false);
  lwi_bounds v = {.value = {fmin(b.value.low, 0), fmax(b.value.high, 0)},
                  .rate = whole,
                  .partial = a.partial || b.partial || lwi_interval_holds(b.value, 0)};
  const double reach = 4 * DBL_EPSILON * largest(q.value);
  const double k = floor(q.value.low - reach);
  if (!(k == floor(q.value.high + reach)) || v.partial) return v;
  const lwi_interval times = {-k, -k};
  v.value = add(a.value, multiply(b.value, times));
  if (rates) v.rate = add(a.rate, multiply(b.rate, times));
  return v;
}

/* slopes a/v and b/v lie between -1 and 1, also at the origin */
static lwi_interval cosine_of(lwi_interval a, lwi_interval v)
{
  const lwi_interval c = v.low > 0 ? multiply(a, invert(v)) : whole;
  return (lwi_interval){fmax(c.low, -1), fmin(c.high, 1)};
}

static lwi_bounds length(lwi_bounds a, lwi_bounds b, bool rates)
{
  lwi_bounds v = {.value = {hypot(smallest(a.value), smallest(b.value)),
                            hypot(largest(a.value), largest(b.value))},
                  .rate = whole,
                  .partial = a.partial || b.partial,
                  .slack = a.slack + b.slack};
  if (rates)
    v.rate = add(multiply(cosine_of(a.value, v.value), a.rate),
                 multiply(cosine_of(b.value, v.value), b.rate));
  return v;
}

lwi_bounds lwi_bounds_table2(const lwi_table *t, lwi_bounds a, lwi_bounds b, bool rates)
{
  double f[3][2];
  const bool complete = lwi_table_range2(t, (double[]){a.value.low, a.value.high},
                                         (double[]){b.value.low, b.value.high}, f);
  lwi_bounds v = {
      .value = {f[0][0], f[0][1]}, .rate = whole, .partial = a.partial || b.partial || !complete};
  if (rates)
    v.rate = add(multiply((lwi_interval){f[1][0], f[1][1]}, a.rate),
                 multiply((lwi_interval){f[2][0], f[2][1]}, b.rate));
  return v;
}

lwi_bounds lwi_bounds_two(int code, lwi_bounds a, lwi_bounds b, bool rates)
{
  const bool partial = a.partial || b.partial;
  switch (code) {
  case LWI_OP_ADD:
    return (lwi_bounds){add(a.value, b.value), add(a.rate, b.rate), partial, a.slack + b.slack};
  case LWI_OP_SUB:
    return (lwi_bounds){add(a.value, negate(b.value)), add(a.rate, negate(b.rate)), partial,
                        a.slack + b.slack};
  case LWI_OP_MUL: return product_of(a, b, rates);
  case LWI_OP_DIV: return quotient(a, b, rates);
  case LWI_OP_POW: return power(a, b, rates);
  case LWI_OP_ATAN2: return angle(a, b, rates);
  case LWI_OP_MIN: return least(a, b);
  case LWI_OP_MAX: return reversed(least(reversed(a), reversed(b)));
  case LWI_OP_MOD: return remainder_of(a, b, rates);
  case LWI_OP_HYPOT: return length(a, b, rates);
  case LWI_OP_LT:
  case LWI_OP_LE:
  case LWI_OP_GT:
  case LWI_OP_GE:
  case LWI_OP_EQ:
  case LWI_OP_NE: return comparison(code, a, b);
  default: return (lwi_bounds){whole, whole, true, 0};
  }
}

lwi_bounds lwi_bounds_binary(int code, lwi_bounds a, lwi_bounds b)
{
  return lwi_bounds_two(code, a, b, true);
}
