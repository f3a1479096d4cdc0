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
  default: return 0; /* straight, or the square */
  }
}

static jet jet_unary(int code, jet a)
{
  const double v = apply_unary(code, a.v), s = unary_slope(code, a.v, v);
  return apply(a, v, s, unary_curve(code, a.v, v, s), unary_third(code, a.v, v, s));
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
    jet y = jet_unary(LWI_OP_EXP, jet_product(b, jet_unary(LWI_OP_LOG, a)));
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
              ? jet_unary(LWI_OP_ATAN, jet_quotient(a, b))
              : jet_unary(LWI_OP_NEG, jet_unary(LWI_OP_ATAN, jet_quotient(b, a)));
  y.v = v;
  return y;
}

static jet jet_binary(int code, jet a, jet b)
{
  switch (code) {
  case LWI_OP_ADD: return jet_sum(a, b, 1);
  case LWI_OP_SUB: return jet_sum(a, b, -1);
  case LWI_OP_MUL: return jet_product(a, b);
  case LWI_OP_DIV: return jet_quotient(a, b);
  case LWI_OP_POW: return jet_power(a, b);
  case LWI_OP_ATAN2: return jet_polar(a, b);
  case LWI_OP_MIN: return a.v <= b.v ? a : b;
  case LWI_OP_MAX: return a.v >= b.v ? a : b;
  default: return (jet){.v = (double)NAN};
  }
}

/* ---- the program ---- */

static jet evaluate(const lwi_expr *e, const double *slots, const double *slot_rates, int time,
                    double t, lwi_edges *x)
{
  jet stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
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
      top[-1].v = edges_unary(x, top - stack - 1, op->code, top[-1].v);
      top[-1] = jet_unary(op->code, top[-1]);
    } else {
      top--;
      top[-1].v = edges_binary(x, top - stack - 1, op->code, top[-1].v, top[0].v);
      top[-1] = jet_binary(op->code, top[-1], top[0]);
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
