/* SPDX-License-Identifier: Apache-2.0 */
/* expr_ops.h -- the operations that expressions know, each in one row.

     code    of the program step, LWI_OP_code
     name    of the function in the text, "" for operators
     value   of the operands a (and b), for double and for `real` alike
     slopes  partial derivatives by a (and b), for double, with v the value
     curves  second derivatives: by a twice with s the slope; or by a twice, a and b, b twice

   Values are written with macros that the includer defines for its scalar type:
     EXPR_1(f, a), EXPR_2(f, a, b)   a libm function
     EXPR_SELECT(condition, x, y)    x or y
     EXPR_SQRT(a), EXPR_SET(constant)

   min, max, sign and comparisons let a NaN through, so that no domain error goes unseen.  What is
   true is 1, what is not 0; a condition is true unless it is 0.  The rows TABLE and TABLE2 stand
   for tables (table.h), which a step finds by its arg.  Further steps of programs are
     COPY    of the value at place arg of the stack: an argument of a function
     SELECT  condition, a, b -> a if the condition is true, else b
     DROP    the arg values below the topmost one: arguments of a function that has its value;
             with arg -1 the topmost one itself: of two values the first stays (expr_hold.h) */
#ifndef LWI_MODEL_EXPRESSION_EXPR_OPS_H
#define LWI_MODEL_EXPRESSION_EXPR_OPS_H
#include <stdbool.h>

#define LWI_EXPR_PI 3.14159265358979323846
#define LWI_EXPR_DEG 0.01745329251994329577 /* pi/180 */
#define LWI_EXPR_LN10 2.30258509299404568402

/* clang-format off */
#define LWI_EXPR_UNARY(X)                                                                          \
  X(NEG,    "",      -a,                      -1.0,                              0.0)              \
  X(DEG,    "",      a * LWI_EXPR_DEG,        LWI_EXPR_DEG,                      0.0)              \
  X(SQUARE, "",      a * a,                   2.0 * a,                           2.0)              \
  X(CUBE,   "",      a * a * a,               3.0 * a * a,                       6.0 * a)          \
  X(SIN,    "sin",   EXPR_1(sin, a),          cos(a),                            -v)               \
  X(COS,    "cos",   EXPR_1(cos, a),          -sin(a),                           -v)               \
  X(TAN,    "tan",   EXPR_1(tan, a),          1.0 + v * v,                       2.0 * v * s)      \
  X(ASIN,   "asin",  EXPR_1(asin, a),         1.0 / sqrt((1.0 - a) * (1.0 + a)),  a * s * s * s)   \
  X(ACOS,   "acos",  EXPR_1(acos, a),         -1.0 / sqrt((1.0 - a) * (1.0 + a)), a * s * s * s)   \
  X(ATAN,   "atan",  EXPR_1(atan, a),         1.0 / (1.0 + a * a),               -2.0 * a * s * s) \
  X(SINH,   "sinh",  EXPR_1(sinh, a),         cosh(a),                           v)                \
  X(COSH,   "cosh",  EXPR_1(cosh, a),         sinh(a),                           v)                \
  X(TANH,   "tanh",  EXPR_1(tanh, a),         1.0 / cosh(a) / cosh(a),           -2.0 * v * s)     \
  X(EXP,    "exp",   EXPR_1(exp, a),          v,                                 v)                \
  X(LOG,    "log",   EXPR_1(log, a),          1.0 / a,                           -s / a)           \
  X(LOG10,  "log10", EXPR_1(log10, a),        1.0 / (LWI_EXPR_LN10 * a),         -s / a)           \
  X(SQRT,   "sqrt",  EXPR_SQRT(a),            0.5 / v,                           -0.5 * s / a)     \
  X(ABS,    "abs",   EXPR_SELECT(a > 0.0, a, 0.0 - a), sign_of(a),               0.0)              \
  X(SIGN,   "sign",  EXPR_SELECT(a > 0.0, EXPR_SET(1.0), EXPR_SELECT(a < 0.0, EXPR_SET(-1.0), a)), \
                                              0.0,                               0.0)              \
  X(FLOOR,  "floor", EXPR_1(floor, a),        0.0,                               0.0)              \
  X(CEIL,   "ceil",  EXPR_1(ceil, a),         0.0,                               0.0)              \
  X(ROUND,  "round", EXPR_1(round, a),        0.0,                               0.0)              \
  X(STEP,   "",      EXPR_SELECT(a <= 0.0, EXPR_SET(0.0), EXPR_SELECT(a >= 1.0, EXPR_SET(1.0),     \
                                 a * a * a * (10.0 - a * (15.0 - 6.0 * a)))),                      \
                                              step_slope(a),                     step_curve(a))    \
  X(TRUTH,  "",      EXPR_SELECT(a == 0.0, EXPR_SET(0.0), EXPR_SELECT(a != a, a, EXPR_SET(1.0))),  \
                                              0.0,                               0.0)              \
  X(NOT,    "",      EXPR_SELECT(a == 0.0, EXPR_SET(1.0), EXPR_SELECT(a != a, a, EXPR_SET(0.0))),  \
                                              0.0,                               0.0)              \
  X(TABLE,  "",      EXPR_SET((double)NAN),   (double)NAN,                       (double)NAN)

/* a comparison: 1, 0, or the NaN that an operand is */
#define LWI_EXPR_COMPARE(yes, no)                                                                  \
  EXPR_SELECT(yes, EXPR_SET(1.0), EXPR_SELECT(no, EXPR_SET(0.0), a + b))

#define LWI_EXPR_BINARY(X)                                                                         \
  X(ADD,    "",      a + b,                   1.0,                        1.0,                     \
                                              0.0, 0.0, 0.0)                                       \
  X(SUB,    "",      a - b,                   1.0,                        -1.0,                    \
                                              0.0, 0.0, 0.0)                                       \
  X(MUL,    "",      a * b,                   b,                          a,                       \
                                              0.0, 1.0, 0.0)                                       \
  X(DIV,    "",      a / b,                   1.0 / b,                    -v / b,                  \
                                              0.0, -1.0 / b / b, 2.0 * v / b / b)                  \
  X(POW,    "pow",   EXPR_2(pow, a, b),       power_slope_a(a, b),        power_slope_b(a, b, v),  \
                                              power_curve_aa(a, b), power_curve_ab(a, b),          \
                                              power_curve_bb(a, b, v))                             \
  X(ATAN2,  "atan2", EXPR_2(atan2, a, b),     polar_slope(b, a, b),       polar_slope(-a, a, b),   \
                                              -polar_curve(a, b),                                  \
                                              polar_slope(a, a, b) * polar_slope(a, a, b) -        \
                                                  polar_slope(b, a, b) * polar_slope(b, a, b),     \
                                              polar_curve(a, b))                                   \
  X(MIN,    "min",   EXPR_SELECT(a <= b, a, EXPR_SELECT(b < a, b, a + b)),                         \
                                              a <= b ? 1.0 : 0.0,         a <= b ? 0.0 : 1.0,      \
                                              0.0, 0.0, 0.0)                                       \
  X(MAX,    "max",   EXPR_SELECT(a >= b, a, EXPR_SELECT(b > a, b, a + b)),                         \
                                              a >= b ? 1.0 : 0.0,         a >= b ? 0.0 : 1.0,      \
                                              0.0, 0.0, 0.0)                                       \
  X(MOD,    "mod",   EXPR_2(lwi_expr_mod, a, b), 1.0,                     -lwi_expr_quotient(a, b), \
                                              0.0, 0.0, 0.0)                                       \
  X(HYPOT,  "hypot", EXPR_2(hypot, a, b),     ratio(a, v),                ratio(b, v),             \
                                              ratio(ratio(b, v) * ratio(b, v), v),                 \
                                              -ratio(ratio(a, v) * ratio(b, v), v),                \
                                              ratio(ratio(a, v) * ratio(a, v), v))                 \
  X(LT,     "",      LWI_EXPR_COMPARE(a < b, a >= b),  0.0, 0.0,  0.0, 0.0, 0.0)                   \
  X(LE,     "",      LWI_EXPR_COMPARE(a <= b, a > b),  0.0, 0.0,  0.0, 0.0, 0.0)                   \
  X(GT,     "",      LWI_EXPR_COMPARE(a > b, a <= b),  0.0, 0.0,  0.0, 0.0, 0.0)                   \
  X(GE,     "",      LWI_EXPR_COMPARE(a >= b, a < b),  0.0, 0.0,  0.0, 0.0, 0.0)                   \
  X(EQ,     "",      LWI_EXPR_COMPARE(a == b, (a < b) | (a > b)),  0.0, 0.0,  0.0, 0.0, 0.0)       \
  X(NE,     "",      LWI_EXPR_COMPARE((a < b) | (a > b), a == b),  0.0, 0.0,  0.0, 0.0, 0.0)       \
  X(TABLE2, "",      EXPR_SET((double)NAN),   (double)NAN, (double)NAN,                            \
                                              (double)NAN, (double)NAN, (double)NAN)
/* clang-format on */

#define LWI_EXPR_CODE(code, ...) LWI_OP_##code,
typedef enum {
  LWI_OP_CONSTANT,
  LWI_OP_NAME,
  LWI_OP_COPY,
  LWI_EXPR_UNARY(LWI_EXPR_CODE) /* those before the first binary one */
  LWI_EXPR_BINARY(LWI_EXPR_CODE) LWI_OP_SELECT,
  LWI_OP_DROP,
  LWI_OP_FIRST_UNARY = LWI_OP_NEG,
  LWI_OP_FIRST_BINARY = LWI_OP_ADD,
  LWI_OP_COUNT = LWI_OP_SELECT /* of operations with rows, and what comes before them */
} lwi_expr_code;
#undef LWI_EXPR_CODE

/* Does it switch where its two operands are equal? */
static inline bool lwi_op_compares(int code)
{
  return code == LWI_OP_MIN || code == LWI_OP_MAX || (code >= LWI_OP_LT && code <= LWI_OP_NE);
}

#endif
