/* SPDX-License-Identifier: Apache-2.0 */
/* expr_bounds.c -- bounds of the value and rate of an expression over intervals of its names, by
   interval arithmetic [Moore2009], and the propagation of noise (expr_bounds.h). */
#include "model/expression/expr_bounds.h"
#include "model/expression/expr_edge.h"
#include "model/expression/interval.h"

#include <float.h>

bool lwi_interval_holds(lwi_interval x, double a)
{
  return x.low <= a && a <= x.high;
}

/* ---- operations of one operand ---- */

typedef struct {
  lwi_interval value, slope;
  bool partial;
} operation;

/* an operation that rises or falls all the way; slope: between those at the ends unless given */
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

lwi_bounds lwi_bounds_one(int code, lwi_bounds a, bool rates)
{
  return carry_on(apply(code, a.value, a.slack), a, rates);
}

lwi_bounds lwi_bounds_unary(int code, lwi_bounds a)
{
  return lwi_bounds_one(code, a, true);
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
  return lwi_bounds_one(op->code, a, rates);
}

lwi_bounds lwi_bounds_step2(const lwi_expr *e, const lwi_expr_op *op, lwi_bounds a, lwi_bounds b,
                            bool rates)
{
  if (op->code == LWI_OP_TABLE2) return lwi_bounds_table2(e->table[op->arg], a, b, rates);
  return lwi_bounds_two(op->code, a, b, rates);
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
