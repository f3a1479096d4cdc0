/* SPDX-License-Identifier: Apache-2.0 */
/* expr_edge.h -- operands that leave the domain of an operation by no more than their own
   uncertainty count as its edge (docs/format.md 1.2): acos(1 + 1e-16) is 0, sqrt(1 - x^2) with x =
   1 + 1e-16 is 0.

   Each name is known to UNCERTAIN of its size; operations carry that on by their slopes and add a
   rounding error.  So the rule has no scale: sqrt(-1e-15) of numbers of size 1 is 0, of numbers of
   size 1e-15 it has no value.  Programs are evaluated without all this; only a result that is no
   number is evaluated again, with an `edges` beside the stack. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_EDGE_H
#define LWI_MODEL_EXPRESSION_EXPR_EDGE_H
#include "model/expression/expr_double.h"

#include <float.h>

#define LWI_EXPR_UNCERTAIN 1e-12

/* the operand of sqrt, asin, acos, or the base of a power, at the edge if it is beyond it by
   `noise` at most */
static inline double onto_domain(int code, double a, double noise)
{
  switch (code) {
  case LWI_OP_SQRT:
  case LWI_OP_POW: return a < 0 && a >= -noise ? 0 : a;
  case LWI_OP_ASIN:
  case LWI_OP_ACOS: return fabs(a) > 1 && fabs(a) <= 1 + noise ? copysign(1, a) : a;
  default: return a;
  }
}

/* uncertainties beside the values on the stack */
typedef struct {
  double noise[LWI_EXPR_MAX_STACK];
} lwi_edges;

static inline double edges_sum(double a, double b, double v)
{
  const double sum = fabs(a) + fabs(b) + DBL_EPSILON * fabs(v);
  return isfinite(sum) ? sum : 0;
}

/* at: the place on the stack.  x NULL: nothing is kept. */
static inline void edges_push(lwi_edges *x, long at, bool name, double v)
{
  if (x) x->noise[at] = name ? LWI_EXPR_UNCERTAIN * fabs(v) : 0;
}

/* Returns the operand at `at`, or the edge. */
static inline double edges_unary(lwi_edges *x, long at, int code, double a)
{
  if (!x) return a;
  const double n = x->noise[at], inside = onto_domain(code, a, n), v = apply_unary(code, inside);
  x->noise[at] = edges_sum(chain(unary_slope(code, inside, v), n), 0, v);
  return inside;
}

/* Returns the first operand, at `at`, or the edge: of a power whose exponent is not a whole
   number. */
static inline double edges_binary(lwi_edges *x, long at, int code, double a, double b)
{
  if (!x) return a;
  const double n = x->noise[at], m = x->noise[at + 1];
  const double inside = code == LWI_OP_POW && b != rint(b) ? onto_domain(code, a, n) : a;
  const double v = apply_binary(code, inside, b);
  const slopes s = binary_slopes(code, inside, b, v);
  x->noise[at] = edges_sum(chain(s.a, n), chain(s.b, m), v);
  return inside;
}

#endif
