/* SPDX-License-Identifier: Apache-2.0 */
/* expr_double.h -- the rows of expr_ops.h in double: value, slopes and curves of one operation. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_DOUBLE_H
#define LWI_MODEL_EXPRESSION_EXPR_DOUBLE_H
#include "model/expression/expr.h"
#include "model/expression/expr_mod.h"
#include "model/expression/table.h"

#include <math.h>

#define EXPR_1(f, a) f(a)
#define EXPR_2(f, a, b) f(a, b)
#define EXPR_SELECT(condition, x, y) ((condition) ? (x) : (y))
#define EXPR_SQRT(a) sqrt(a)
#define EXPR_SET(constant) (constant)

static inline double apply_unary(int code, double a)
{
#define CASE(code, name, value, ...)                                                               \
  case LWI_OP_##code: return value;
  switch (code) {
    LWI_EXPR_UNARY(CASE)
  default: return (double)NAN;
  }
#undef CASE
}

static inline double apply_binary(int code, double a, double b)
{
#define CASE(code, name, value, ...)                                                               \
  case LWI_OP_##code: return value;
  switch (code) {
    LWI_EXPR_BINARY(CASE)
  default: return (double)NAN;
  }
#undef CASE
}

static inline double sign_of(double a)
{
  return apply_unary(LWI_OP_SIGN, a);
}

/* d(a^b)/da = b a^(b-1), which is 0 for b = 0 also where a = 0. */
static inline double power_slope_a(double a, double b)
{
  return b == 0.0 ? 0.0 : b * pow(a, b - 1.0);
}

/* d(a^b)/db = a^b log a, whose limit at a = 0 is 0 for b > 0. */
static inline double power_slope_b(double a, double b, double v)
{
  return a == 0.0 && b > 0.0 ? 0.0 : v * log(a);
}

/* d2(a^b)/da2 = b (b-1) a^(b-2), which is 0 for b = 0 and b = 1 also where a = 0. */
static inline double power_curve_aa(double a, double b)
{
  const double k = b * (b - 1.0);
  return k == 0.0 ? 0.0 : k * pow(a, b - 2.0);
}

/* d2(a^b)/da db = a^(b-1) (1 + b log a), whose limit at a = 0 is 0 for b > 1. */
static inline double power_curve_ab(double a, double b)
{
  return a == 0.0 && b > 1.0 ? 0.0 : pow(a, b - 1.0) * (1.0 + b * log(a));
}

/* d2(a^b)/db2 = a^b (log a)^2, whose limit at a = 0 is 0 for b > 0. */
static inline double power_curve_bb(double a, double b, double v)
{
  return a == 0.0 && b > 0.0 ? 0.0 : v * log(a) * log(a);
}

/* c / (a^2 + b^2), without overflow on the way. */
static inline double polar_slope(double c, double a, double b)
{
  const double r = hypot(a, b);
  return c / r / r;
}

/* 2 a b / (a^2 + b^2)^2 */
static inline double polar_curve(double a, double b)
{
  return 2.0 * polar_slope(a, a, b) * polar_slope(b, a, b);
}

/* p/q, and 0 where q is: slopes of hypot at the origin */
static inline double ratio(double p, double q)
{
  return q == 0.0 ? 0.0 : p / q;
}

/* of the smooth step 10 a^3 - 15 a^4 + 6 a^5 from a = 0 to a = 1 */
static inline double step_slope(double a)
{
  return a > 0.0 && a < 1.0 ? 30.0 * a * a * (1.0 - a) * (1.0 - a) : 0.0;
}

static inline double step_curve(double a)
{
  return a > 0.0 && a < 1.0 ? 60.0 * a * (1.0 - a) * (1.0 - 2.0 * a) : 0.0;
}

static inline double unary_slope(int code, double a, double v)
{
#define CASE(code, name, value, slope, curve)                                                      \
  case LWI_OP_##code: return slope;
  switch (code) {
    LWI_EXPR_UNARY(CASE)
  default: return (double)NAN;
  }
#undef CASE
}

typedef struct {
  double a, b;
} slopes;

static inline slopes binary_slopes(int code, double a, double b, double v)
{
#define CASE(code, name, value, slope_a, slope_b, ...)                                             \
  case LWI_OP_##code: return (slopes){slope_a, slope_b};
  switch (code) {
    LWI_EXPR_BINARY(CASE)
  default: return (slopes){(double)NAN, (double)NAN};
  }
#undef CASE
}

/* s: the slope */
static inline double unary_curve(int code, double a, double v, double s)
{
#define CASE(code, name, value, slope, curve)                                                      \
  case LWI_OP_##code: return curve;
  switch (code) {
    LWI_EXPR_UNARY(CASE)
  default: return (double)NAN;
  }
#undef CASE
}

typedef struct {
  double aa, ab, bb;
} curves;

static inline curves binary_curves(int code, double a, double b, double v)
{
#define CASE(code, name, value, slope_a, slope_b, aa, ab, bb)                                      \
  case LWI_OP_##code: return (curves){aa, ab, bb};
  switch (code) {
    LWI_EXPR_BINARY(CASE)
  default: return (curves){(double)NAN, (double)NAN, (double)NAN};
  }
#undef CASE
}

/* ---- steps of a program: an operation of its row, or of a table ---- */

static inline double value1(const lwi_expr *e, const lwi_expr_op *op, double a)
{
  if (op->code == LWI_OP_TABLE) return lwi_table_value(e->table[op->arg], a);
  return apply_unary(op->code, a);
}

static inline double value2(const lwi_expr *e, const lwi_expr_op *op, double a, double b)
{
  if (op->code == LWI_OP_TABLE2) return lwi_table_value2(e->table[op->arg], a, b);
  return apply_binary(op->code, a, b);
}

static inline double slope1(const lwi_expr *e, const lwi_expr_op *op, double a, double v)
{
  if (op->code == LWI_OP_TABLE) return lwi_table_slope(e->table[op->arg], 1, a);
  return unary_slope(op->code, a, v);
}

static inline double curve1(const lwi_expr *e, const lwi_expr_op *op, double a, double v, double s)
{
  if (op->code == LWI_OP_TABLE) return lwi_table_slope(e->table[op->arg], 2, a);
  return unary_curve(op->code, a, v, s);
}

static inline slopes slopes2(const lwi_expr *e, const lwi_expr_op *op, double a, double b, double v)
{
  if (op->code != LWI_OP_TABLE2) return binary_slopes(op->code, a, b, v);
  const lwi_table *t = e->table[op->arg];
  return (slopes){lwi_table_slope2(t, 1, 0, a, b), lwi_table_slope2(t, 0, 1, a, b)};
}

static inline curves curves2(const lwi_expr *e, const lwi_expr_op *op, double a, double b, double v)
{
  if (op->code != LWI_OP_TABLE2) return binary_curves(op->code, a, b, v);
  const lwi_table *t = e->table[op->arg];
  return (curves){lwi_table_slope2(t, 2, 0, a, b), lwi_table_slope2(t, 1, 1, a, b),
                  lwi_table_slope2(t, 0, 2, a, b)};
}

/* Steps that move values of any type and compute nothing: is it one, and has it been done? */
#define EXPR_MOVED(op, stack, top)                                                                 \
  ((op)->code == LWI_OP_COPY   ? (*(top) = (stack)[(op)->arg], (top)++, true)                      \
   : (op)->code != LWI_OP_DROP ? false                                                             \
   : (op)->arg < 0             ? ((top)--, true)                                                   \
                               : ((top)[-1 - (op)->arg] = (top)[-1], (top) -= (op)->arg, true))

/* The same of SELECT; v: the member that is the value.  A condition that is no number is the
   result. */
#define EXPR_SELECTED(op, top, v)                                                                  \
  ((op)->code != LWI_OP_SELECT                                                                     \
       ? false                                                                                     \
       : ((top) -= 2, isnan((top)[-1] v) ? true : ((top)[-1] = (top)[(top)[-1] v == 0.0], true)))

/* A direction that does not move the operand does not move the result, even where the slope is
   infinite or unknown: 0 * inf would be NaN. */
static inline double chain(double slope, double d)
{
  return d == 0.0 ? 0.0 : slope * d;
}

#undef EXPR_1
#undef EXPR_2
#undef EXPR_SELECT
#undef EXPR_SQRT
#undef EXPR_SET

#endif
