/* SPDX-License-Identifier: Apache-2.0 */
/* expr_range.c -- ranges of the operations of expr_ops.h.  A range may be too wide, never too narrow but for rounding
   errors. */
#include "model/expr_range.h"

#include <math.h>

static const lwi_range whole = {-HUGE_VAL, HUGE_VAL};

bool lwi_range_has(lwi_range a, double x)
{
  return !(x < a.low) && !(x > a.high);
}

static lwi_range range(double low, double high)
{
  return isnan(low) || isnan(high) ? whole : (lwi_range){low, high};
}

static lwi_range point(double x)
{
  return range(x, x);
}

static lwi_range hull(lwi_range a, lwi_range b)
{
  return range(fmin(a.low, b.low), fmax(a.high, b.high));
}

/* ---- arithmetic ---- */

static lwi_range add(lwi_range a, lwi_range b)
{
  return range(a.low + b.low, a.high + b.high);
}

static lwi_range negative(lwi_range a)
{
  return range(-a.high, -a.low);
}

lwi_range lwi_range_sub(lwi_range a, lwi_range b)
{
  return add(a, negative(b));
}

static double product(double a, double b)
{
  return a == 0 || b == 0 ? 0 : a * b; /* 0 times infinity: the end of a range, not a value */
}

static lwi_range mul(lwi_range a, lwi_range b)
{
  const double p[4] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                       product(a.high, b.high)};
  return range(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

static lwi_range inverse(lwi_range a)
{
  return lwi_range_has(a, 0) ? whole : range(1 / a.high, 1 / a.low);
}

/* of |a| */
static lwi_range size(lwi_range a)
{
  if (a.low >= 0) return a;
  if (a.high <= 0) return negative(a);
  return range(0, fmax(-a.low, a.high));
}

static lwi_range square(lwi_range a)
{
  const lwi_range s = size(a);
  return range(s.low * s.low, s.high * s.high);
}

/* ---- functions ---- */

/* is there shift + 2 pi k in a? */
static bool has_phase(lwi_range a, double shift)
{
  const double turn = 2 * LWI_EXPR_PI;
  return shift + turn * ceil((a.low - shift) / turn) <= a.high;
}

static lwi_range sine(lwi_range a)
{
  if (!(a.high - a.low < 2 * LWI_EXPR_PI)) return range(-1, 1);
  const double x = sin(a.low), y = sin(a.high);
  return range(has_phase(a, -LWI_EXPR_PI / 2) ? -1 : fmin(x, y),
               has_phase(a, LWI_EXPR_PI / 2) ? 1 : fmax(x, y));
}

static lwi_range cosine(lwi_range a)
{
  return sine(add(a, point(LWI_EXPR_PI / 2)));
}

static lwi_range tangent(lwi_range a)
{
  const bool pole = !(a.high - a.low < LWI_EXPR_PI) || has_phase(a, LWI_EXPR_PI / 2) ||
                    has_phase(a, -LWI_EXPR_PI / 2);
  return pole ? whole : range(tan(a.low), tan(a.high));
}

static lwi_range rising(double (*f)(double), lwi_range a)
{
  return range(f(a.low), f(a.high));
}

/* f is even and rises with |a| */
static lwi_range even(double (*f)(double), lwi_range a)
{
  return rising(f, size(a));
}

static double sign(double x)
{
  return (x > 0) - (x < 0);
}

/* 1 / f, f positive */
static lwi_range over(lwi_range f)
{
  return range(1 / f.high, f.low > 0 ? 1 / f.low : HUGE_VAL);
}

static lwi_range value_of(int code, lwi_range a)
{
  switch (code) {
  case LWI_OP_NEG: return negative(a);
  case LWI_OP_DEG: return range(a.low * LWI_EXPR_DEG, a.high * LWI_EXPR_DEG);
  case LWI_OP_SQUARE: return square(a);
  case LWI_OP_CUBE: return range(a.low * a.low * a.low, a.high * a.high * a.high);
  case LWI_OP_SIN: return sine(a);
  case LWI_OP_COS: return cosine(a);
  case LWI_OP_TAN: return tangent(a);
  case LWI_OP_ASIN: return range(asin(fmax(a.low, -1)), asin(fmin(a.high, 1)));
  case LWI_OP_ACOS: return range(acos(fmin(a.high, 1)), acos(fmax(a.low, -1)));
  case LWI_OP_ATAN: return rising(atan, a);
  case LWI_OP_SINH: return rising(sinh, a);
  case LWI_OP_COSH: return even(cosh, a);
  case LWI_OP_TANH: return rising(tanh, a);
  case LWI_OP_EXP: return rising(exp, a);
  case LWI_OP_LOG: return range(log(fmax(a.low, 0)), log(fmax(a.high, 0)));
  case LWI_OP_LOG10: return range(log10(fmax(a.low, 0)), log10(fmax(a.high, 0)));
  case LWI_OP_SQRT: return range(sqrt(fmax(a.low, 0)), sqrt(fmax(a.high, 0)));
  case LWI_OP_ABS: return size(a);
  case LWI_OP_SIGN: return rising(sign, a);
  default: return whole;
  }
}

static lwi_range slope_of(int code, lwi_range a)
{
  switch (code) {
  case LWI_OP_NEG: return point(-1);
  case LWI_OP_DEG: return point(LWI_EXPR_DEG);
  case LWI_OP_SQUARE: return range(2 * a.low, 2 * a.high);
  case LWI_OP_CUBE: return mul(point(3), square(a));
  case LWI_OP_SIN: return cosine(a);
  case LWI_OP_COS: return negative(sine(a));
  case LWI_OP_TAN: return add(point(1), square(tangent(a)));
  case LWI_OP_ASIN: return over(value_of(LWI_OP_SQRT, lwi_range_sub(point(1), square(a))));
  case LWI_OP_ACOS: return negative(slope_of(LWI_OP_ASIN, a));
  case LWI_OP_ATAN: return over(add(point(1), square(a)));
  case LWI_OP_SINH: return even(cosh, a);
  case LWI_OP_COSH: return rising(sinh, a);
  case LWI_OP_TANH: return over(square(even(cosh, a)));
  case LWI_OP_EXP: return rising(exp, a);
  case LWI_OP_LOG: return a.low > 0 ? inverse(a) : range(0, HUGE_VAL);
  case LWI_OP_LOG10: return mul(point(1 / LWI_EXPR_LN10), slope_of(LWI_OP_LOG, a));
  case LWI_OP_SQRT: return over(mul(point(2), value_of(LWI_OP_SQRT, a)));
  case LWI_OP_ABS: return rising(sign, a);
  case LWI_OP_SIGN: return point(0);
  default: return whole;
  }
}

/* a value that does not move has no rate, whatever the slope */
static lwi_range along(lwi_range slope, lwi_range d)
{
  return d.low == 0 && d.high == 0 ? d : mul(slope, d);
}

lwi_range_jet lwi_range_unary(int code, lwi_range_jet a)
{
  return (lwi_range_jet){value_of(code, a.x), along(slope_of(code, a.x), a.d)};
}

/* ---- two operands ---- */

/* a^n for a constant n */
static lwi_range power(lwi_range a, double n)
{
  const double x = pow(a.low, n), y = pow(a.high, n);
  if (n == rint(n) && lwi_range_has(a, 0)) {
    if (n < 0) return whole;
    return fmod(n, 2) == 0 ? range(0, fmax(x, y)) : range(x, y);
  }
  if (a.low < 0 && n != rint(n)) return n > 0 ? range(0, fmax(0, y)) : whole;
  return range(fmin(x, y), fmax(x, y));
}

static lwi_range_jet power_jet(lwi_range_jet a, lwi_range_jet b)
{
  if (b.x.low == b.x.high && b.d.low == 0 && b.d.high == 0) {
    const double n = b.x.low;
    const lwi_range slope = n == 0 ? point(0) : mul(point(n), power(a.x, n - 1));
    return (lwi_range_jet){power(a.x, n), along(slope, a.d)};
  }
  if (!(a.x.low > 0)) return (lwi_range_jet){whole, whole};
  const lwi_range_jet l = lwi_range_unary(LWI_OP_LOG, a);
  return lwi_range_unary(LWI_OP_EXP, lwi_range_binary(LWI_OP_MUL, l, b));
}

static lwi_range_jet polar(lwi_range_jet a, lwi_range_jet b)
{
  const lwi_range r = add(square(a.x), square(b.x));
  const lwi_range top = lwi_range_sub(mul(b.x, a.d), mul(a.x, b.d));
  return (lwi_range_jet){range(-LWI_EXPR_PI, LWI_EXPR_PI), mul(top, inverse(r))};
}

static lwi_range_jet larger(lwi_range_jet a, lwi_range_jet b)
{
  if (a.x.low > b.x.high) return a;
  if (b.x.low > a.x.high) return b;
  return (lwi_range_jet){range(fmax(a.x.low, b.x.low), fmax(a.x.high, b.x.high)), hull(a.d, b.d)};
}

static lwi_range_jet minus(lwi_range_jet a)
{
  return (lwi_range_jet){negative(a.x), negative(a.d)};
}

lwi_range_jet lwi_range_binary(int code, lwi_range_jet a, lwi_range_jet b)
{
  switch (code) {
  case LWI_OP_ADD: return (lwi_range_jet){add(a.x, b.x), add(a.d, b.d)};
  case LWI_OP_SUB: return (lwi_range_jet){lwi_range_sub(a.x, b.x), lwi_range_sub(a.d, b.d)};
  case LWI_OP_MUL: return (lwi_range_jet){mul(a.x, b.x), add(mul(a.x, b.d), mul(a.d, b.x))};
  case LWI_OP_DIV: {
    const lwi_range i = inverse(b.x), v = mul(a.x, i);
    return (lwi_range_jet){v, mul(lwi_range_sub(a.d, mul(v, b.d)), i)};
  }
  case LWI_OP_POW: return power_jet(a, b);
  case LWI_OP_ATAN2: return polar(a, b);
  case LWI_OP_MIN: return minus(larger(minus(a), minus(b)));
  case LWI_OP_MAX: return larger(a, b);
  default: return (lwi_range_jet){whole, whole};
  }
}
