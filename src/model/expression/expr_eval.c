/* SPDX-License-Identifier: Apache-2.0 */
/* expr_eval.c -- values, forward-mode derivatives and faults of compiled expressions, in double.
   The operations themselves are the rows of expr_ops.h; expr_real.h evaluates them in lanes. */
#include "model/expression/expr_edge.h"

#include <assert.h>
#include <math.h>

static int slot_of(const lwi_expr *e, const lwi_expr_op *op)
{
  const int slot = e->name[op->arg].slot;
  assert(slot >= 0);
  return slot;
}

/* ---- value ---- */

/* One step of the program; top points to the free place above the stack.  Returns its new place. */
static double *step(const lwi_expr *e, const lwi_expr_op *op, const double *slots,
                    const double *stack, double *top)
{
  if (op->code == LWI_OP_CONSTANT)
    *top++ = e->constant[op->arg];
  else if (op->code == LWI_OP_NAME)
    *top++ = slots[slot_of(e, op)];
  else if (EXPR_MOVED(op, stack, top) || EXPR_SELECTED(op, top, ))
    return top;
  else if (op->code < LWI_OP_FIRST_BINARY)
    top[-1] = value1(e, op, top[-1]);
  else {
    top--;
    top[-1] = value2(e, op, top[-1], top[0]);
  }
  return top;
}

static bool is_binary(const lwi_expr_op *op)
{
  return op->code >= LWI_OP_FIRST_BINARY && op->code < LWI_OP_SELECT;
}

static bool is_unary(const lwi_expr_op *op)
{
  return op->code >= LWI_OP_FIRST_UNARY && op->code < LWI_OP_FIRST_BINARY;
}

/* The same with operands at the edges of domains; stack: where it begins. */
static double *edge_step(const lwi_expr *e, const lwi_expr_op *op, const double *slots,
                         const double *stack, lwi_edges *x, double *top)
{
  const long at = top - stack;
  if (is_binary(op))
    edges_binary(x, at - 2, e, op, &top[-2], &top[-1]);
  else if (is_unary(op))
    top[-1] = edges_unary(x, at - 1, e, op, top[-1]);
  edges_move(x, at, op, at > 2 ? top[-3] : 0);
  top = step(e, op, slots, stack, top);
  if (op->code < LWI_OP_COPY) edges_push(x, at, op->code == LWI_OP_NAME, top[-1]);
  return top;
}

double lwi_expr_value_at_edges(const lwi_expr *e, const double *slots, int stride)
{
  double stack[LWI_EXPR_MAX_STACK], *top = stack;
  lwi_edges x;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    if (op->code != LWI_OP_NAME) {
      top = edge_step(e, op, slots, stack, &x, top);
      continue;
    }
    *top = slots[slot_of(e, op) * stride];
    edges_push(&x, top - stack, true, *top);
    top++;
  }
  return stack[0];
}

double lwi_expr_value(const lwi_expr *e, const double *slots)
{
  double stack[LWI_EXPR_MAX_STACK], *top = stack;
  assert(e->nop > 0);
  for (int i = 0; i < e->nop; i++)
    top = step(e, &e->op[i], slots, stack, top);
  return isnan(stack[0]) ? lwi_expr_value_at_edges(e, slots, 1) : stack[0];
}

/* ---- derivatives ---- */

enum { BLOCK = 8 }; /* directions carried at a time */

typedef struct {
  double v;        /* value */
  double d[BLOCK]; /* its derivatives */
} dual;

/* Directions first ... first + n - 1 of ndir. */
typedef struct {
  const double *slot_derivatives; /* [nslot][ndir] */
  int ndir, first, n;
} directions;

static void push_name(dual *x, int slot, const double *slots, const directions *dir)
{
  const double *row = dir->slot_derivatives + (size_t)slot * (size_t)dir->ndir + dir->first;
  x->v = slots[slot];
  for (int k = 0; k < dir->n; k++)
    x->d[k] = row[k];
}

static void dual_unary(const lwi_expr *e, const lwi_expr_op *op, dual *a, int n)
{
  const double v = value1(e, op, a->v), slope = slope1(e, op, a->v, v);
  a->v = v;
  for (int k = 0; k < n; k++)
    a->d[k] = chain(slope, a->d[k]);
}

static void dual_binary(const lwi_expr *e, const lwi_expr_op *op, dual *a, const dual *b, int n)
{
  const double v = value2(e, op, a->v, b->v);
  const slopes s = slopes2(e, op, a->v, b->v, v);
  a->v = v;
  for (int k = 0; k < n; k++)
    a->d[k] = chain(s.a, a->d[k]) + chain(s.b, b->d[k]);
}

/* as step */
static dual *dual_step(const lwi_expr *e, const lwi_expr_op *op, const double *slots,
                       const directions *dir, const dual *stack, dual *top)
{
  if (op->code == LWI_OP_CONSTANT)
    *top++ = (dual){.v = e->constant[op->arg]};
  else if (op->code == LWI_OP_NAME)
    push_name(top++, slot_of(e, op), slots, dir);
  else if (EXPR_MOVED(op, stack, top) || EXPR_SELECTED(op, top, .v))
    return top;
  else if (op->code < LWI_OP_FIRST_BINARY)
    dual_unary(e, op, top - 1, dir->n);
  else {
    top--;
    dual_binary(e, op, top - 1, top, dir->n);
  }
  return top;
}

static dual evaluate_block(const lwi_expr *e, const double *slots, const directions *dir,
                           lwi_edges *x)
{
  dual stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    const long at = top - stack;
    if (is_binary(op))
      edges_binary(x, at - 2, e, op, &top[-2].v, &top[-1].v);
    else if (is_unary(op))
      top[-1].v = edges_unary(x, at - 1, e, op, top[-1].v);
    edges_move(x, at, op, at > 2 ? top[-3].v : 0);
    top = dual_step(e, op, slots, dir, stack, top);
    if (op->code < LWI_OP_COPY) edges_push(x, at, op->code == LWI_OP_NAME, top[-1].v);
  }
  return stack[0];
}

void lwi_expr_dual(const lwi_expr *e, const double *slots, int ndir, const double *slot_derivatives,
                   double *value, double *derivatives)
{
  assert(e->nop > 0);
  if (ndir == 0) *value = lwi_expr_value(e, slots);
  for (int first = 0; first < ndir; first += BLOCK) {
    const int n = ndir - first < BLOCK ? ndir - first : BLOCK;
    const directions dir = {slot_derivatives, ndir, first, n};
    dual result = evaluate_block(e, slots, &dir, NULL);
    lwi_edges edges;
    if (isnan(result.v)) result = evaluate_block(e, slots, &dir, &edges);
    *value = result.v;
    for (int k = 0; k < n; k++)
      derivatives[first + k] = result.d[k];
  }
}
