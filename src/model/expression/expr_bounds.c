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

/* floor, ceil, round: constant, or it jumps */
static operation steps(int code, lwi_interval a)
{
  const lwi_interval v = between(apply_unary(code, a.low), apply_unary(code, a.high));
  return (operation){.value = v, .slope = v.low == v.high ? nothing : whole};
}

static operation smooth_step(lwi_interval a)
{
  operation o = monotone(LWI_OP_STEP, a);
  if (lwi_interval_holds(a, 0.5)) o.slope.high = unary_slope(LWI_OP_STEP, 0.5, 0.5);
  if (a.high >= 1 || a.low <= 0) o.slope.low = 0;
  if (a.low > 0.5 || a.high < 0.5) return o;
  o.slope.low = fmin(unary_slope(LWI_OP_STEP, a.low, 0), unary_slope(LWI_OP_STEP, a.high, 0));
  return o;
}

static operation truth(int code, lwi_interval a)
{
  const bool no = is_zero(a), yes = !lwi_interval_holds(a, 0);
  const double v = (code == LWI_OP_TRUTH) == yes;
  if (yes || no) return (operation){.value = {v, v}, .slope = nothing};
  return (operation){.value = {0, 1}, .slope = whole};
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
  case LWI_OP_FLOOR:
  case LWI_OP_CEIL:
  case LWI_OP_ROUND: return steps(code, a);
  case LWI_OP_STEP: return smooth_step(a);
  case LWI_OP_TRUTH:
  case LWI_OP_NOT: return truth(code, a);
  default: return (operation){whole, whole, true};
  }
  if (code == LWI_OP_SINH && lwi_interval_holds(a, 0)) o.slope.low = 1;
  return o;
}

static lwi_bounds carry_on(operation o, lwi_bounds a, bool rates)
{
  const double steepest = fmax(fabs(o.slope.low), fabs(o.slope.high));
  return (lwi_bounds){.value = o.value,
                      .rate = rates ? multiply(o.slope, a.rate) : a.rate,
                      .partial = a.partial || o.partial,
                      .slack = isfinite(steepest) ? steepest * a.slack : 0};
}

static lwi_bounds unary(int code, lwi_bounds a, bool rates)
{
  return carry_on(apply(code, a.value, a.slack), a, rates);
}

lwi_bounds lwi_bounds_unary(int code, lwi_bounds a)
{
  return unary(code, a, true);
}

static lwi_bounds of_table(const lwi_table *t, lwi_bounds a, bool rates)
{
  operation o;
  if (a.slack > 0) { /* beyond the ends by no more than errors */
    const lwi_interval ends = {lwi_table_nearest(t, 0, a.value.low),
                               lwi_table_nearest(t, 0, a.value.high)};
    if (fabs(ends.low - a.value.low) <= a.slack) a.value.low = ends.low;
    if (fabs(ends.high - a.value.high) <= a.slack) a.value.high = ends.high;
  }
  double value[2], slope[2];
  o.partial = !lwi_table_range(t, (double[]){a.value.low, a.value.high}, value, slope);
  o.value = (lwi_interval){value[0], value[1]};
  o.slope = (lwi_interval){slope[0], slope[1]};
  return carry_on(o, a, rates);
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

static double smallest(lwi_interval a)
{
  return lwi_interval_holds(a, 0) ? 0 : fmin(fabs(a.low), fabs(a.high));
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

static lwi_bounds of_table2(const lwi_table *t, lwi_bounds a, lwi_bounds b, bool rates)
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
  return binary(code, a, b, true);
}

lwi_bounds lwi_bounds_select(lwi_bounds condition, lwi_bounds a, lwi_bounds b)
{
  lwi_bounds v = is_zero(condition.value) ? b : a;
  if (lwi_interval_holds(condition.value, 0) && !is_zero(condition.value)) {
    v = (lwi_bounds){.value = hull(a.value, b.value),
                     .rate = whole,
                     .partial = a.partial || b.partial,
                     .slack = fmax(a.slack, b.slack)};
  }
  v.partial |= condition.partial;
  return v;
}

/* ---- programs ---- */

lwi_bounds lwi_bounds_step1(const lwi_expr *e, const lwi_expr_op *op, lwi_bounds a, bool rates)
{
  if (op->code == LWI_OP_TABLE) return of_table(e->table[op->arg], a, rates);
  return unary(op->code, a, rates);
}

lwi_bounds lwi_bounds_step2(const lwi_expr *e, const lwi_expr_op *op, lwi_bounds a, lwi_bounds b,
                            bool rates)
{
  if (op->code == LWI_OP_TABLE2) return of_table2(e->table[op->arg], a, b, rates);
  return binary(op->code, a, b, rates);
}

static lwi_bounds run(const lwi_expr *e, const lwi_bounds slots[], bool rates)
{
  lwi_bounds stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    if (EXPR_MOVED(op, stack, top)) continue;
    if (op->code == LWI_OP_CONSTANT) {
      const double c = e->constant[op->arg];
      *top++ = (lwi_bounds){.value = {c, c}};
    } else if (op->code == LWI_OP_NAME) {
      *top = slots[e->name[op->arg].slot];
      const double size = LWI_EXPR_UNCERTAIN * largest(top->value);
      top->slack = fmax(top->slack, isfinite(size) ? size : 0);
      top++;
    } else if (op->code == LWI_OP_SELECT) {
      top -= 2;
      top[-1] = lwi_bounds_select(top[-1], top[0], top[1]);
    } else if (op->code < LWI_OP_FIRST_BINARY) {
      top[-1] = lwi_bounds_step1(e, op, top[-1], rates);
    } else {
      top--;
      top[-1] = lwi_bounds_step2(e, op, top[-1], top[0], rates);
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
