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
static double *step(const lwi_expr *e, const lwi_expr_op *op, const double *slots, double *top)
{
  if (op->code == LWI_OP_CONSTANT)
    *top++ = e->constant[op->arg];
  else if (op->code == LWI_OP_NAME)
    *top++ = slots[slot_of(e, op)];
  else if (op->code < LWI_OP_FIRST_BINARY)
    top[-1] = apply_unary(op->code, top[-1]);
  else {
    top--;
    top[-1] = apply_binary(op->code, top[-1], top[0]);
  }
  return top;
}

/* The same with operands at the edges of domains; stack: where it begins. */
static double *edge_step(const lwi_expr *e, const lwi_expr_op *op, const double *slots,
                         const double *stack, lwi_edges *x, double *top)
{
  const long at = top - stack;
  if (op->code >= LWI_OP_FIRST_BINARY)
    top[-2] = edges_binary(x, at - 2, op->code, top[-2], top[-1]);
  else if (op->code >= LWI_OP_FIRST_UNARY)
    top[-1] = edges_unary(x, at - 1, op->code, top[-1]);
  top = step(e, op, slots, top);
  if (op->code < LWI_OP_FIRST_UNARY) edges_push(x, at, op->code == LWI_OP_NAME, top[-1]);
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
    top = step(e, &e->op[i], slots, top);
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

static void push_constant(dual *x, double value)
{
  *x = (dual){.v = value};
}

static void dual_unary(int code, dual *a, int n)
{
  const double v = apply_unary(code, a->v), slope = unary_slope(code, a->v, v);
  a->v = v;
  for (int k = 0; k < n; k++)
    a->d[k] = chain(slope, a->d[k]);
}

static void dual_binary(int code, dual *a, const dual *b, int n)
{
  const double v = apply_binary(code, a->v, b->v);
  const slopes s = binary_slopes(code, a->v, b->v, v);
  a->v = v;
  for (int k = 0; k < n; k++)
    a->d[k] = chain(s.a, a->d[k]) + chain(s.b, b->d[k]);
}

/* as step */
static dual *dual_step(const lwi_expr *e, const lwi_expr_op *op, const double *slots,
                       const directions *dir, dual *top)
{
  if (op->code == LWI_OP_CONSTANT)
    push_constant(top++, e->constant[op->arg]);
  else if (op->code == LWI_OP_NAME)
    push_name(top++, slot_of(e, op), slots, dir);
  else if (op->code < LWI_OP_FIRST_BINARY)
    dual_unary(op->code, top - 1, dir->n);
  else {
    top--;
    dual_binary(op->code, top - 1, top, dir->n);
  }
  return top;
}

static dual evaluate_block(const lwi_expr *e, const double *slots, const directions *dir,
                           lwi_edges *x)
{
  dual stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    const long at = top - stack;
    if (op->code >= LWI_OP_FIRST_BINARY)
      top[-2].v = edges_binary(x, at - 2, op->code, top[-2].v, top[-1].v);
    else if (op->code >= LWI_OP_FIRST_UNARY)
      top[-1].v = edges_unary(x, at - 1, op->code, top[-1].v);
    top = dual_step(e, op, slots, dir, top);
    if (op->code < LWI_OP_FIRST_UNARY) edges_push(x, at, op->code == LWI_OP_NAME, top[-1].v);
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

/* ---- faults ---- */

static const char *unary_fault(int code, double a)
{
  switch (code) {
  case LWI_OP_LOG:
  case LWI_OP_LOG10: return a < 0.0 ? "log of a negative number" : "log of zero";
  case LWI_OP_SQRT: return "square root of a negative number";
  case LWI_OP_ASIN: return "asin of a number outside -1 ... 1";
  case LWI_OP_ACOS: return "acos of a number outside -1 ... 1";
  default: return "the result is too large";
  }
}

static const char *binary_fault(int code, double a, double b, double result)
{
  if (code == LWI_OP_DIV && b == 0.0) return "division by zero";
  if (code == LWI_OP_POW && a == 0.0) return "zero to a negative power";
  if (code == LWI_OP_POW && isnan(result)) return "negative number to a fractional power";
  return "the result is too large";
}

/* What went wrong in a step whose operands, a below b, were finite. */
static const char *describe_fault(int code, double a, double b, double result)
{
  if (code == LWI_OP_NAME) return "the value is not finite";
  if (code < LWI_OP_FIRST_BINARY) return unary_fault(code, b);
  return binary_fault(code, a, b, result);
}

bool lwi_expr_find_fault(const lwi_expr *e, const double *slots, size_t *column, const char **what)
{
  double stack[1 + LWI_EXPR_MAX_STACK] = {0}, *top = stack + 1;
  lwi_edges x;
  for (int i = 0; i < e->nop; i++) {
    const double b = top[-1], a = top - stack > 1 ? top[-2] : 0.0;
    top = edge_step(e, &e->op[i], slots, stack + 1, &x, top);
    if (isfinite(top[-1])) continue;
    *column = e->op[i].column;
    *what = describe_fault(e->op[i].code, a, b, top[-1]);
    return true;
  }
  return false;
}

static const char *slope_fault(int code)
{
  switch (code) {
  case LWI_OP_SQRT: return "a square root has no derivative at 0";
  case LWI_OP_ASIN: return "asin has no derivative at -1 and 1";
  case LWI_OP_ACOS: return "acos has no derivative at -1 and 1";
  case LWI_OP_POW: return "this power has no derivative at 0";
  case LWI_OP_ATAN2: return "atan2 has no derivative at (0, 0)";
  default: return "the derivative is too large";
  }
}

bool lwi_expr_find_slope_fault(const lwi_expr *e, const double *slots,
                               const double *slot_derivatives, size_t *column, const char **what)
{
  dual stack[LWI_EXPR_MAX_STACK], *top = stack;
  const directions dir = {slot_derivatives, 1, 0, 1};
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    top = dual_step(e, op, slots, &dir, top);
    if (isfinite(top[-1].d[0])) continue;
    *column = op->column;
    *what = slope_fault(op->code);
    return true;
  }
  return false;
}
