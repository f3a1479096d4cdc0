/* SPDX-License-Identifier: Apache-2.0 */
/* expr_bounds.c -- bounds of the value and rate of an expression over intervals of its names, by
   interval arithmetic [Moore2009], and the propagation of noise (expr_bounds.h). */
#include "model/expression/expr_bounds.h"
#include "model/expression/expr_edge.h"

#include <float.h>

/* ---- intervals ---- */

static const lwi_interval whole = {-HUGE_VAL, HUGE_VAL}, nothing = {0, 0};

static lwi_interval between(double a, double b)
{
  if (isnan(a) || isnan(b)) return whole;
  return a < b ? (lwi_interval){a, b} : (lwi_interval){b, a};
}

bool lwi_interval_holds(lwi_interval x, double a)
{
  return x.low <= a && a <= x.high;
}

static lwi_interval hull(lwi_interval a, lwi_interval b)
{
  return (lwi_interval){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static lwi_interval add(lwi_interval a, lwi_interval b)
{
  const lwi_interval sum = {a.low + b.low, a.high + b.high};
  return isnan(sum.low) || isnan(sum.high) ? whole : sum;
}

static lwi_interval negate(lwi_interval a)
{
  return (lwi_interval){-a.high, -a.low};
}

static bool is_zero(lwi_interval a)
{
  return a.low == 0 && a.high == 0;
}

static double product(double a, double b)
{
  return a == 0 || b == 0 ? 0 : a * b; /* 0 * inf: the factor is finite, however large */
}

/* zero times anything is zero: what does not move does not move the result */
static lwi_interval multiply(lwi_interval a, lwi_interval b)
{
  if (is_zero(a) || is_zero(b)) return nothing;
  const lwi_interval x = between(product(a.low, b.low), product(a.low, b.high));
  const lwi_interval y = between(product(a.high, b.low), product(a.high, b.high));
  return hull(x, y);
}

static lwi_interval invert(lwi_interval a)
{
  if (a.low < 0 && a.high > 0) return whole;
  const double high = a.low == 0 ? HUGE_VAL : 1 / a.low;
  const double low = a.high == 0 ? -HUGE_VAL : 1 / a.high;
  return (lwi_interval){low, high};
}

static lwi_interval square(lwi_interval a)
{
  const lwi_interval ends = between(a.low * a.low, a.high * a.high);
  return lwi_interval_holds(a, 0) ? (lwi_interval){0, ends.high} : ends;
}

/* Does x hold a number of the form offset + k period? */
static bool holds_one_of(lwi_interval x, double offset, double period)
{
  if (!(x.high - x.low < period)) return true;
  return floor((x.high - offset) / period) > floor((x.low - offset) / period) ||
         fmod(x.low - offset, period) == 0;
}

static lwi_interval cosine(lwi_interval a)
{
  lwi_interval v = between(cos(a.low), cos(a.high));
  if (holds_one_of(a, 0, 2 * LWI_EXPR_PI)) v.high = 1;
  if (holds_one_of(a, LWI_EXPR_PI, 2 * LWI_EXPR_PI)) v.low = -1;
  return v;
}

static lwi_interval sine(lwi_interval a)
{
  lwi_interval v = between(sin(a.low), sin(a.high));
  if (holds_one_of(a, LWI_EXPR_PI / 2, 2 * LWI_EXPR_PI)) v.high = 1;
  if (holds_one_of(a, -LWI_EXPR_PI / 2, 2 * LWI_EXPR_PI)) v.low = -1;
  return v;
}

/* ---- operations of one operand ---- */

typedef struct {
  lwi_interval value, slope;
  bool partial;
} operation;

/* an operation that rises or falls all the way; slope: between those at the ends unless told */
static operation monotone(int code, lwi_interval a)
{
  const double low = apply_unary(code, a.low), high = apply_unary(code, a.high);
  return (operation){.value = between(low, high),
                     .slope =
                         between(unary_slope(code, a.low, low), unary_slope(code, a.high, high))};
}

/* log, sqrt, asin, acos: only between two bounds */
static operation within(int code, lwi_interval a, double low, double high, double slack)
{
  a.low += 0.0; /* the slope at -0 would have the wrong sign */
  const bool root = code == LWI_OP_SQRT, log = code == LWI_OP_LOG || code == LWI_OP_LOG10;
  if (!log && a.low >= low - slack && a.high <= (root ? high : high + slack) && slack > 0 &&
      (a.low < low || a.high > high)) {
    const lwi_interval inside = {fmin(fmax(a.low, low), high), fmax(fmin(a.high, high), low)};
    return (operation){monotone(code, inside).value, whole, false};
  }
  if (a.low >= low && a.high <= high) {
    operation o = monotone(code, a);
    if ((code == LWI_OP_ASIN || code == LWI_OP_ACOS) && lwi_interval_holds(a, 0))
      o.slope = hull(o.slope, between(unary_slope(code, 0, 0), unary_slope(code, 0, 0)));
    return o;
  }
  if (a.high < low || a.low > high) return (operation){whole, whole, true};
  operation o = within(code, (lwi_interval){fmax(a.low, low), fmin(a.high, high)}, low, high, 0);
  o.partial = true;
  return o;
}

static operation apply(int code, lwi_interval a, double slack)
{
  operation o;
  switch (code) {
  case LWI_OP_NEG:
  case LWI_OP_DEG:
  case LWI_OP_EXP:
  case LWI_OP_SINH: o = monotone(code, a); break;
  case LWI_OP_SQUARE:
    return (operation){.value = square(a), .slope = multiply((lwi_interval){2, 2}, a)};
  case LWI_OP_CUBE:
    return (operation){.value = monotone(code, a).value,
                       .slope = multiply((lwi_interval){3, 3}, square(a))};
  case LWI_OP_SIN: return (operation){.value = sine(a), .slope = cosine(a)};
  case LWI_OP_COS: return (operation){.value = cosine(a), .slope = negate(sine(a))};
  case LWI_OP_TAN:
    if (holds_one_of(a, LWI_EXPR_PI / 2, LWI_EXPR_PI)) return (operation){whole, whole, false};
    o = monotone(code, a);
    if (holds_one_of(a, 0, LWI_EXPR_PI)) o.slope.low = 1;
    return o;
  case LWI_OP_ATAN:
  case LWI_OP_TANH:
    o = monotone(code, a);
    if (lwi_interval_holds(a, 0)) o.slope.high = 1;
    return o;
  case LWI_OP_COSH:
    o = monotone(code, a);
    if (lwi_interval_holds(a, 0)) o.value.low = 1;
    return o;
  case LWI_OP_LOG:
  case LWI_OP_LOG10:
  case LWI_OP_SQRT: return within(code, a, 0, HUGE_VAL, slack);
  case LWI_OP_ASIN:
  case LWI_OP_ACOS: return within(code, a, -1, 1, slack);
  case LWI_OP_ABS:
    if (!(a.low < 0 && a.high > 0)) return monotone(code, a);
    return (operation){.value = {0, fmax(-a.low, a.high)}, .slope = {-1, 1}};
  case LWI_OP_SIGN:
    o.value = between(apply_unary(code, a.low), apply_unary(code, a.high));
    return (operation){.value = o.value,
                       .slope = lwi_interval_holds(a, 0) && !is_zero(a) ? whole : nothing};
  default: return (operation){whole, whole, true};
  }
  if (code == LWI_OP_SINH && lwi_interval_holds(a, 0)) o.slope.low = 1;
  return o;
}

static lwi_bounds unary(int code, lwi_bounds a, bool rates)
{
  const operation o = apply(code, a.value, a.slack);
  const double steepest = fmax(fabs(o.slope.low), fabs(o.slope.high));
  return (lwi_bounds){.value = o.value,
                      .rate = rates ? multiply(o.slope, a.rate) : a.rate,
                      .partial = a.partial || o.partial,
                      .slack = isfinite(steepest) ? steepest * a.slack : 0};
}

lwi_bounds lwi_bounds_unary(int code, lwi_bounds a)
{
  return unary(code, a, true);
}

/* ---- operations of two operands ---- */

static double largest(lwi_interval a)
{
  return fmax(fabs(a.low), fabs(a.high));
}

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
  return unary(LWI_OP_EXP, product_of(unary(LWI_OP_LOG, a, rates), b, rates), rates);
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

static lwi_bounds binary(int code, lwi_bounds a, lwi_bounds b, bool rates)
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
  default: return (lwi_bounds){whole, whole, true, 0};
  }
}

lwi_bounds lwi_bounds_binary(int code, lwi_bounds a, lwi_bounds b)
{
  return binary(code, a, b, true);
}

/* ---- programs ---- */

static lwi_bounds run(const lwi_expr *e, const lwi_bounds slots[], bool rates)
{
  lwi_bounds stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    if (op->code == LWI_OP_CONSTANT) {
      const double c = e->constant[op->arg];
      *top++ = (lwi_bounds){.value = {c, c}};
    } else if (op->code == LWI_OP_NAME) {
      *top = slots[e->name[op->arg].slot];
      const double size = LWI_EXPR_UNCERTAIN * largest(top->value);
      top->slack = fmax(top->slack, isfinite(size) ? size : 0);
      top++;
    } else if (op->code < LWI_OP_FIRST_BINARY) {
      top[-1] = unary(op->code, top[-1], rates);
    } else {
      top--;
      top[-1] = binary(op->code, top[-1], top[0], rates);
    }
  }
  return stack[0];
}

lwi_bounds lwi_expr_bounds(const lwi_expr *e, const lwi_bounds slots[])
{
  return run(e, slots, true);
}

lwi_bounds lwi_expr_range(const lwi_expr *e, const lwi_bounds slots[])
{
  return run(e, slots, false);
}

/* ---- noise ---- */

typedef struct {
  double v, noise;
  double edge; /* as expr_edge.h counts it */
} noisy;

/* what rounding leaves of a result: nothing where it is exact */
static double rounding(double v)
{
  return isfinite(v) ? DBL_EPSILON * fabs(v) : 0;
}

/* |curve| n m: only where the slope vanishes does it matter, and where the curve exists */
static double second_order(double curve, double n, double m)
{
  const double size = fabs(curve) * n * m;
  return isfinite(size) ? size : 0;
}

static void noisy_unary(int code, noisy *a)
{
  a->v = onto_domain(code, a->v, fmax(a->noise, a->edge));
  const double v = apply_unary(code, a->v), s = unary_slope(code, a->v, v), n = a->noise;
  a->edge = edges_sum(chain(s, a->edge), 0, v);
  a->noise =
      chain(fabs(s), n) + second_order(0.5 * unary_curve(code, a->v, v, s), n, n) + rounding(v);
  a->v = v;
}

static void noisy_binary(int code, noisy *a, const noisy *b)
{
  if (code == LWI_OP_POW && b->v != rint(b->v))
    a->v = onto_domain(code, a->v, fmax(a->noise, a->edge));
  const double v = apply_binary(code, a->v, b->v);
  const slopes s = binary_slopes(code, a->v, b->v, v);
  a->edge = edges_sum(chain(s.a, a->edge), chain(s.b, b->edge), v);
  const curves c = binary_curves(code, a->v, b->v, v);
  const double n = a->noise, m = b->noise;
  a->noise = chain(fabs(s.a), n) + chain(fabs(s.b), m) + rounding(v) +
             second_order(0.5 * c.aa, n, n) + second_order(c.ab, n, m) +
             second_order(0.5 * c.bb, m, m);
  a->v = v;
}

double lwi_expr_noise(const lwi_expr *e, const double slots[], const double slot_noise[],
                      double *noise)
{
  noisy stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    if (op->code == LWI_OP_CONSTANT) {
      const double c = e->constant[op->arg];
      *top++ = (noisy){c, c == rint(c) ? 0 : rounding(c), 0};
    } else if (op->code == LWI_OP_NAME) {
      const int slot = e->name[op->arg].slot;
      *top++ = (noisy){slots[slot], slot_noise[slot], LWI_EXPR_UNCERTAIN * fabs(slots[slot])};
    } else if (op->code < LWI_OP_FIRST_BINARY) {
      noisy_unary(op->code, top - 1);
    } else {
      top--;
      noisy_binary(op->code, top - 1, top);
    }
  }
  *noise = isfinite(stack[0].noise) ? stack[0].noise : 0;
  return stack[0].v;
}
