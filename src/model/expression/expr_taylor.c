/* SPDX-License-Identifier: Apache-2.0 */
/* expr_taylor.c -- an expression of time with its first and second derivative, for drivers.

   Each value on the stack is a jet (x, xd, xdd): the value and its first and second derivatives by
   the independent variable.  With f_a, f_aa, ... the first and second partial derivatives of an
   operation y = f(a, b)

     yd  = f_a ad + f_b bd
     ydd = f_a add + f_b bdd + f_aa ad^2 + 2 f_ab ad bd + f_bb bd^2 */
#include "model/expression/expr_edge.h"

#include <assert.h>

typedef struct {
  double x, d, dd;
} jet;

static jet jet_unary(const lwi_expr *e, const lwi_expr_op *op, jet a)
{
  const double v = value1(e, op, a.x), s = slope1(e, op, a.x, v);
  return (jet){v, chain(s, a.d), chain(s, a.dd) + chain(curve1(e, op, a.x, v, s), a.d * a.d)};
}

static jet jet_binary(const lwi_expr *e, const lwi_expr_op *op, jet a, jet b)
{
  const double v = value2(e, op, a.x, b.x);
  const slopes s = slopes2(e, op, a.x, b.x, v);
  const curves k = curves2(e, op, a.x, b.x, v);
  return (jet){
      v, chain(s.a, a.d) + chain(s.b, b.d),
      (chain(s.a, a.dd) + chain(s.b, b.dd)) +
          (chain(k.aa, a.d * a.d) + chain(k.ab, 2.0 * a.d * b.d) + chain(k.bb, b.d * b.d))};
}

static jet evaluate(const lwi_expr *e, const double *slots, int time, double t, lwi_edges *x)
{
  jet stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    edges_move(x, top - stack, op, top - stack > 2 ? top[-3].x : 0);
    if (EXPR_MOVED(op, stack, top) || EXPR_SELECTED(op, top, .x)) continue;
    if (op->code == LWI_OP_CONSTANT) {
      *top = (jet){.x = e->constant[op->arg]};
      edges_push(x, top++ - stack, false, 0);
    } else if (op->code == LWI_OP_NAME) {
      const int slot = e->name[op->arg].slot;
      assert(slot >= 0);
      *top = slot == time ? (jet){.x = t, .d = 1} : (jet){.x = slots[slot]};
      edges_push(x, top - stack, true, top->x);
      top++;
    } else if (op->code < LWI_OP_FIRST_BINARY) {
      top[-1].x = edges_unary(x, top - stack - 1, e, op, top[-1].x);
      top[-1] = jet_unary(e, op, top[-1]);
    } else {
      top--;
      edges_binary(x, top - stack - 1, e, op, &top[-1].x, &top[0].x);
      top[-1] = jet_binary(e, op, top[-1], top[0]);
    }
  }
  return stack[0];
}

void lwi_expr_taylor2(const lwi_expr *e, const double *slots, int time, double t, double out[3])
{
  assert(e->nop > 0);
  lwi_edges edges;
  jet y = evaluate(e, slots, time, t, NULL);
  if (isnan(y.x)) y = evaluate(e, slots, time, t, &edges);
  out[0] = y.x;
  out[1] = y.d;
  out[2] = y.dd;
}
