/* SPDX-License-Identifier: Apache-2.0 */
/* expr_taylor_derivative.c -- how an expression of time and its two time derivatives follow the
   parameters.

   Each value on the stack is a jet in time t and a direction p of the parameters, to second order
   in t and first in p.  A function f of one operand needs f_p, f2 and f3:
     y_pt  = f_p a_pt  + f2 a_p a_t
     y_ptt = f_p a_ptt + f2 (a_p a_tt + 2 a_t a_pt) + f3 a_p a_t^2
   Functions of two operands are made of products and of functions of one.

   By hand, not expr_taylor.c in numbers that carry a derivative (math/num.h): at the ends of their
   domains functions have infinite slopes, which count only for operands that move (chain), and a
   complex product of infinity and zero has no value. */
#include "model/expression/expr_edge.h"

#include <assert.h>

typedef struct {
  double v, t, tt, p, pt, ptt;
} jet;

/* ---- one operand ---- */

static jet apply(jet a, double v, double f_p, double f2, double f3)
{
  return (jet){v,
               chain(f_p, a.t),
               chain(f_p, a.tt) + chain(f2, a.t * a.t),
               chain(f_p, a.p),
               chain(f_p, a.pt) + chain(f2, a.p * a.t),
               (chain(f_p, a.ptt) + chain(f2, a.p * a.tt + 2 * a.t * a.pt)) +
                   chain(f3, a.p * a.t * a.t)};
}

/* the third derivative, with v the value and s the slope */
static double unary_third(int code, double a, double v, double s)
{
  switch (code) {
  case LWI_OP_CUBE: return 6;
  case LWI_OP_SIN:
  case LWI_OP_COS: return -s;
  case LWI_OP_TAN: return 2 * s * (s + 2 * v * v);
  case LWI_OP_ASIN:
  case LWI_OP_ACOS: return s * s * s * (1 + 3 * a * a * s * s);
  case LWI_OP_ATAN: return 2 * s * s * (4 * a * a * s - 1);
  case LWI_OP_SINH:
  case LWI_OP_COSH: return s;
  case LWI_OP_TANH: return s * (4 * v * v - 2 * s);
  case LWI_OP_EXP: return v;
  case LWI_OP_LOG:
  case LWI_OP_LOG10: return 2 * s / a / a;
  case LWI_OP_SQRT: return 0.75 * s / a / a;
  case LWI_OP_STEP: return a > 0 && a < 1 ? 60 * (1 - 6 * a * (1 - a)) : 0;
  default: return 0; /* straight, or the square */
  }
}

static jet jet_function(int code, jet a)
{
  const double v = apply_unary(code, a.v), s = unary_slope(code, a.v, v);
  return apply(a, v, s, unary_curve(code, a.v, v, s), unary_third(code, a.v, v, s));
}

static jet jet_unary(const lwi_expr *e, const lwi_expr_op *op, jet a)
{
  if (op->code != LWI_OP_TABLE) return jet_function(op->code, a);
  const lwi_table *t = e->table[op->arg];
  return apply(a, lwi_table_value(t, a.v), lwi_table_slope(t, 1, a.v), lwi_table_slope(t, 2, a.v),
               lwi_table_slope(t, 3, a.v));
}

/* ---- two operands ---- */

static jet jet_sum(jet a, jet b, double sign)
{
  return (jet){a.v + sign * b.v, a.t + sign * b.t,   a.tt + sign * b.tt,
               a.p + sign * b.p, a.pt + sign * b.pt, a.ptt + sign * b.ptt};
}

static jet jet_product(jet a, jet b)
{
  return (jet){a.v * b.v,
               a.t * b.v + a.v * b.t,
               a.tt * b.v + 2 * a.t * b.t + a.v * b.tt,
               a.p * b.v + a.v * b.p,
               (a.pt * b.v + a.v * b.pt) + (a.p * b.t + a.t * b.p),
               (a.ptt * b.v + a.v * b.ptt) + 2 * (a.pt * b.t + a.t * b.pt) +
                   (a.p * b.tt + a.tt * b.p)};
}

static jet jet_quotient(jet a, jet b)
{
  const double r = 1 / b.v;
  return jet_product(a, apply(b, r, -r * r, 2 * r * r * r, -6 * r * r * r * r));
}

static bool is_constant(jet a)
{
  return a.t == 0 && a.tt == 0 && a.p == 0 && a.pt == 0 && a.ptt == 0;
}

/* exp(b log a) where the exponent moves */
static jet jet_power(jet a, jet b)
{
  const double v = apply_binary(LWI_OP_POW, a.v, b.v), n = b.v;
  if (!is_constant(b)) {
    jet y = jet_function(LWI_OP_EXP, jet_product(b, jet_function(LWI_OP_LOG, a)));
    y.v = v;
    return y;
  }
  const double k = n * (n - 1) * (n - 2);
  return apply(a, v, power_slope_a(a.v, n), power_curve_aa(a.v, n),
               k == 0 ? 0 : k * pow(a.v, n - 3));
}

/* atan(a/b), or what a quarter turn makes of it, whichever is well-behaved */
static jet jet_polar(jet a, jet b)
{
  const double v = apply_binary(LWI_OP_ATAN2, a.v, b.v);
  jet y = fabs(b.v) >= fabs(a.v)
              ? jet_function(LWI_OP_ATAN, jet_quotient(a, b))
              : jet_function(LWI_OP_NEG, jet_function(LWI_OP_ATAN, jet_quotient(b, a)));
  y.v = v;
  return y;
}

static jet jet_hypot(jet a, jet b)
{
  jet y = jet_function(LWI_OP_SQRT, jet_sum(jet_product(a, a), jet_product(b, b), 1));
  y.v = apply_binary(LWI_OP_HYPOT, a.v, b.v);
  return y.v == 0 ? (jet){0} : y; /* derivatives 0 are chosen at the origin */
}

/* a - b k, with k the quotient where it does not jump */
static jet jet_mod(jet a, jet b)
{
  jet y = jet_sum(a, b, -lwi_expr_quotient(a.v, b.v));
  y.v = apply_binary(LWI_OP_MOD, a.v, b.v);
  return y;
}

/* A table of two variables, by its derivatives up to the third order:
     y_pt  = f_a a_pt + f_b b_pt + f_aa a_p a_t + f_ab (a_p b_t + a_t b_p) + f_bb b_p b_t
   and y_ptt that once more by t. */
static jet jet_table(const lwi_table *t, jet a, jet b)
{
  const double fa = lwi_table_slope2(t, 1, 0, a.v, b.v), fb = lwi_table_slope2(t, 0, 1, a.v, b.v);
  const double aa = lwi_table_slope2(t, 2, 0, a.v, b.v), ab = lwi_table_slope2(t, 1, 1, a.v, b.v),
               bb = lwi_table_slope2(t, 0, 2, a.v, b.v);
  const double aaa = lwi_table_slope2(t, 3, 0, a.v, b.v), aab = lwi_table_slope2(t, 2, 1, a.v, b.v),
               abb = lwi_table_slope2(t, 1, 2, a.v, b.v), bbb = lwi_table_slope2(t, 0, 3, a.v, b.v);
  return (jet){.v = lwi_table_value2(t, a.v, b.v),
               .t = fa * a.t + fb * b.t,
               .tt = fa * a.tt + fb * b.tt + aa * a.t * a.t + 2 * ab * a.t * b.t + bb * b.t * b.t,
               .p = fa * a.p + fb * b.p,
               .pt = fa * a.pt + fb * b.pt + aa * a.p * a.t + ab * (a.p * b.t + a.t * b.p) +
                     bb * b.p * b.t,
               .ptt = (fa * a.ptt + fb * b.ptt) +
                      (aa * (a.p * a.tt + 2 * a.t * a.pt) + bb * (b.p * b.tt + 2 * b.t * b.pt) +
                       ab * (a.p * b.tt + b.p * a.tt + 2 * (a.t * b.pt + b.t * a.pt))) +
                      (aaa * a.p * a.t * a.t + aab * (b.p * a.t * a.t + 2 * a.p * a.t * b.t) +
                       abb * (a.p * b.t * b.t + 2 * b.p * a.t * b.t) + bbb * b.p * b.t * b.t)};
}

static jet jet_binary(const lwi_expr *e, const lwi_expr_op *op, jet a, jet b)
{
  switch (op->code) {
  case LWI_OP_ADD: return jet_sum(a, b, 1);
  case LWI_OP_SUB: return jet_sum(a, b, -1);
  case LWI_OP_MUL: return jet_product(a, b);
  case LWI_OP_DIV: return jet_quotient(a, b);
  case LWI_OP_POW: return jet_power(a, b);
  case LWI_OP_ATAN2: return jet_polar(a, b);
  case LWI_OP_MIN: return a.v <= b.v ? a : b;
  case LWI_OP_MAX: return a.v >= b.v ? a : b;
  case LWI_OP_MOD: return jet_mod(a, b);
  case LWI_OP_HYPOT: return jet_hypot(a, b);
  case LWI_OP_TABLE2: return jet_table(e->table[op->arg], a, b);
  default: return (jet){.v = apply_binary(op->code, a.v, b.v)}; /* comparisons do not move */
  }
}

/* ---- the program ---- */

static jet evaluate(const lwi_expr *e, const double *slots, const double *slot_rates, int time,
                    double t, lwi_edges *x)
{
  jet stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    edges_move(x, top - stack, op, top - stack > 2 ? top[-3].v : 0);
    if (EXPR_MOVED(op, stack, top) || EXPR_SELECTED(op, top, .v)) continue;
    if (op->code == LWI_OP_CONSTANT) {
      *top = (jet){.v = e->constant[op->arg]};
      edges_push(x, top++ - stack, false, 0);
    } else if (op->code == LWI_OP_NAME) {
      const int slot = e->name[op->arg].slot;
      assert(slot >= 0);
      *top = slot == time ? (jet){.v = t, .t = 1} : (jet){.v = slots[slot], .p = slot_rates[slot]};
      edges_push(x, top - stack, true, top->v);
      top++;
    } else if (op->code < LWI_OP_FIRST_BINARY) {
      top[-1].v = edges_unary(x, top - stack - 1, e, op, top[-1].v);
      top[-1] = jet_unary(e, op, top[-1]);
    } else {
      top--;
      edges_binary(x, top - stack - 1, e, op, &top[-1].v, &top[0].v);
      top[-1] = jet_binary(e, op, top[-1], top[0]);
    }
  }
  return stack[0];
}

void lwi_expr_taylor2_derivative(const lwi_expr *e, const double *slots, const double *slot_rates,
                                 int time, double t, double out[3])
{
  assert(e->nop > 0);
  lwi_edges edges;
  jet y = evaluate(e, slots, slot_rates, time, t, NULL);
  if (isnan(y.v)) y = evaluate(e, slots, slot_rates, time, t, &edges);
  out[0] = y.p;
  out[1] = y.pt;
  out[2] = y.ptt;
}
