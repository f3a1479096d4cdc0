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

/* the same of tables that have no value outside */
static inline double onto_table(const lwi_expr *e, const lwi_expr_op *op, int axis, double a,
                                double noise)
{
  if (op->code != LWI_OP_TABLE && op->code != LWI_OP_TABLE2) return a;
  const double inside = lwi_table_nearest(e->table[op->arg], axis, a);
  return fabs(a - inside) <= noise ? inside : a;
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

/* Steps that move values: at is the place above the topmost one, condition that of SELECT. */
static inline void edges_move(lwi_edges *x, long at, const lwi_expr_op *op, double condition)
{
  if (!x) return;
  if (op->code == LWI_OP_COPY) x->noise[at] = x->noise[op->arg];
  if (op->code == LWI_OP_DROP && op->arg >= 0) x->noise[at - 1 - op->arg] = x->noise[at - 1];
  if (op->code == LWI_OP_SELECT) x->noise[at - 3] = x->noise[at - 2 + (condition == 0.0)];
}

/* Returns the operand at `at`, or the edge. */
static inline double edges_unary(lwi_edges *x, long at, const lwi_expr *e, const lwi_expr_op *op,
                                 double a)
{
  if (!x) return a;
  const double n = x->noise[at];
  const double inside = onto_table(e, op, 0, onto_domain(op->code, a, n), n);
  const double v = value1(e, op, inside);
  x->noise[at] = edges_sum(chain(slope1(e, op, inside, v), n), 0, v);
  return inside;
}

/* Sets the operands, at `at` and above it, to the edge where they leave a domain: that of a power
   whose exponent is not a whole number, or of a table. */
static inline void edges_binary(lwi_edges *x, long at, const lwi_expr *e, const lwi_expr_op *op,
                                double *a, double *b)
{
  if (!x) return;
  const double n = x->noise[at], m = x->noise[at + 1];
  if (op->code == LWI_OP_POW && *b != rint(*b)) *a = onto_domain(op->code, *a, n);
  *a = onto_table(e, op, 0, *a, n);
  *b = onto_table(e, op, 1, *b, m);
  const double v = value2(e, op, *a, *b);
  const slopes s = slopes2(e, op, *a, *b, v);
  x->noise[at] = edges_sum(chain(s.a, n), chain(s.b, m), v);
}

#endif
