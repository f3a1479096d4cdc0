/* SPDX-License-Identifier: Apache-2.0 */
/* expr_fault.c -- why an expression has no value, or no derivative: which operation made the first
   number that is not finite of those that the result is made of.  What the branch of an `if` that
   is not taken would give does not count. */
#include "model/expression/expr_edge.h"

#include <math.h>
#include <stdio.h>

/* A value with its derivative in one direction, and the step that spoiled it, or NULL. */
typedef struct {
  double v, d;
  const lwi_expr_op *fault;
  double a, b; /* the operands of that step, a below b */
} suspect;

typedef bool is_bad(const suspect *x);

static bool has_no_value(const suspect *x)
{
  return !isfinite(x->v);
}

static bool has_no_slope(const suspect *x)
{
  return !isfinite(x->d);
}

static suspect push(const lwi_expr *e, const lwi_expr_op *op, const double *slots,
                    const double *rates)
{
  if (op->code == LWI_OP_CONSTANT) return (suspect){.v = e->constant[op->arg]};
  const int slot = e->name[op->arg].slot;
  return (suspect){.v = slots[slot], .d = rates ? rates[slot] : 0};
}

static suspect apply1(const lwi_expr *e, const lwi_expr_op *op, const suspect *x)
{
  suspect y = *x;
  y.v = value1(e, op, x->v);
  y.d = chain(slope1(e, op, x->v, y.v), x->d);
  if (!x->fault) y.b = x->v;
  return y;
}

static suspect apply2(const lwi_expr *e, const lwi_expr_op *op, const suspect *x, const suspect *z)
{
  suspect y = x->fault ? *x : *z;
  y.v = value2(e, op, x->v, z->v);
  const slopes s = slopes2(e, op, x->v, z->v, y.v);
  y.d = chain(s.a, x->d) + chain(s.b, z->d);
  if (!y.fault) y.a = x->v, y.b = z->v;
  return y;
}

/* The result, with its fault if it is bad. */
static suspect run(const lwi_expr *e, const double *slots, const double *rates, is_bad *bad)
{
  suspect stack[LWI_EXPR_MAX_STACK], *top = stack;
  lwi_edges x;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    const long at = top - stack;
    edges_move(&x, at, op, at > 2 ? top[-3].v : 0);
    if (EXPR_MOVED(op, stack, top) || EXPR_SELECTED(op, top, .v)) continue;
    if (op->code < LWI_OP_FIRST_UNARY) {
      *top = push(e, op, slots, rates);
      edges_push(&x, at, op->code == LWI_OP_NAME, top->v);
      top++;
    } else if (op->code < LWI_OP_FIRST_BINARY) {
      top[-1].v = edges_unary(&x, at - 1, e, op, top[-1].v);
      top[-1] = apply1(e, op, &top[-1]);
    } else {
      top--;
      edges_binary(&x, at - 2, e, op, &top[-1].v, &top[0].v);
      top[-1] = apply2(e, op, &top[-1], &top[0]);
    }
    if (!top[-1].fault && bad(&top[-1])) top[-1].fault = op;
  }
  return stack[0];
}

/* ---- texts ---- */

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
  if (code == LWI_OP_MOD && b == 0.0) return "mod by zero";
  if (code == LWI_OP_POW && a == 0.0) return "zero to a negative power";
  if (code == LWI_OP_POW && isnan(result)) return "negative number to a fractional power";
  return "the result is too large";
}

/* where it ends, and where it was looked up */
static const char *table_fault(const lwi_table *t, int code, double a, double b,
                               lwi_fault_text *text)
{
  if (code == LWI_OP_TABLE)
    snprintf(text->text, sizeof text->text, "%s; its variable is %.12g", lwi_table_fault(t), b);
  else
    snprintf(text->text, sizeof text->text, "%s; its variables are %.12g and %.12g",
             lwi_table_fault(t), a, b);
  return text->text;
}

/* `what` with the function in which it happened, in the text */
static const char *with_place(const lwi_expr *e, const lwi_expr_op *op, const char *what,
                              lwi_fault_text *text)
{
  if (!e->inside || !e->inside[op - e->op].function) return what;
  if (what != text->text) snprintf(text->text, sizeof text->text, "%s", what);
  lwi_expr_say_place(e->inside[op - e->op], text->text, sizeof text->text);
  return text->text;
}

bool lwi_expr_find_fault(const lwi_expr *e, const double *slots, size_t *column, const char **what,
                         lwi_fault_text *text)
{
  const suspect y = run(e, slots, NULL, has_no_value);
  if (!y.fault) return false;
  const int code = y.fault->code;
  *column = y.fault->column;
  if (code == LWI_OP_TABLE || code == LWI_OP_TABLE2)
    *what = table_fault(e->table[y.fault->arg], code, y.a, y.b, text);
  else if (code == LWI_OP_NAME)
    *what = "the value is not finite";
  else
    *what = code < LWI_OP_FIRST_BINARY ? unary_fault(code, y.b)
                                       : binary_fault(code, y.a, y.b, value2(e, y.fault, y.a, y.b));
  *what = with_place(e, y.fault, *what, text);
  return true;
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
                               const double *slot_derivatives, size_t *column, const char **what,
                               lwi_fault_text *text)
{
  const suspect y = run(e, slots, slot_derivatives, has_no_slope);
  if (!y.fault) return false;
  *column = y.fault->column;
  *what = with_place(e, y.fault, slope_fault(y.fault->code), text);
  return true;
}
