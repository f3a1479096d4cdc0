/* SPDX-License-Identifier: Apache-2.0 */
/* expr_dimension.c -- follows dimensions through the program of an expression
   (expr_dimension.h). */
#include "model/expression/expr_dimension.h"
#include "model/expression/expr_double.h"

#include <stdio.h>

static const lwi_dimension unknown = {0}, number = {.known = 1}, angle = {.known = 1, .written = 1};

bool lwi_dimension_clash(lwi_dimension a, lwi_dimension b)
{
  return (a.written || b.written) && !lwi_dimension_agree(a, b);
}

bool lwi_expr_has_units(const lwi_expr *e)
{
  for (int i = 0; i < e->nop; i++) {
    if (e->op[i].code == LWI_OP_DEG) return true;
    if (e->op[i].code == LWI_OP_CONSTANT && e->unit[e->op[i].arg].known) return true;
  }
  return false;
}

/* sums, comparisons and choices: what is known of them is the same */
static lwi_dimension same(lwi_dimension_error *err, const lwi_expr_op *op, lwi_dimension a,
                          lwi_dimension b)
{
  if (lwi_dimension_clash(a, b) && !err->text[0]) {
    err->column = op->column;
    snprintf(err->text, sizeof err->text, "%s and %s do not go together here",
             lwi_dimension_name(a).text, lwi_dimension_name(b).text);
  }
  if (!lwi_dimension_agree(a, b)) return unknown; /* of names, with factors that are not written */
  return a.written || !b.known ? a : b;
}

/* functions of numbers */
static void must_be_number(lwi_dimension_error *err, const lwi_expr_op *op, lwi_dimension a)
{
  if (!lwi_dimension_clash(a, number) || err->text[0]) return;
  err->column = op->column;
  snprintf(err->text, sizeof err->text, "an angle or a number is expected here, not %s",
           lwi_dimension_name(a).text);
}

/* the variable of a table, number `axis` */
static void must_be_variable(lwi_dimension_error *err, const lwi_expr_op *op, const lwi_table *t,
                             int axis, lwi_dimension a)
{
  const lwi_dimension x = lwi_table_dimension(t, axis);
  if (!lwi_dimension_clash(a, x) || err->text[0]) return;
  err->column = op->column;
  snprintf(err->text, sizeof err->text, "the variable of this table is %s, not %s",
           lwi_dimension_name(x).text, lwi_dimension_name(a).text);
}

static lwi_dimension unary(const lwi_expr *e, lwi_dimension_error *err, const lwi_expr_op *op,
                           lwi_dimension a)
{
  switch (op->code) {
  case LWI_OP_NEG:
  case LWI_OP_ABS:
  case LWI_OP_FLOOR:
  case LWI_OP_CEIL:
  case LWI_OP_ROUND: return a;
  case LWI_OP_SQUARE: return a.known ? lwi_dimension_product(a, 4, number) : a;
  case LWI_OP_CUBE: return a.known ? lwi_dimension_product(a, 6, number) : a;
  case LWI_OP_SQRT: return a.known ? lwi_dimension_product(a, 1, number) : a;
  case LWI_OP_SIGN:
  case LWI_OP_TRUTH:
  case LWI_OP_NOT: return number;
  case LWI_OP_DEG: must_be_number(err, op, a); return angle;
  case LWI_OP_TABLE:
    must_be_variable(err, op, e->table[op->arg], 0, a);
    return lwi_table_dimension(e->table[op->arg], 2);
  default: must_be_number(err, op, a); return number;
  }
}

/* before: the step that pushed the exponent, if that is all it is */
static lwi_dimension power(const lwi_expr *e, const lwi_expr_op *before, lwi_dimension a)
{
  if (!a.known || before->code != LWI_OP_CONSTANT) return unknown;
  const double halves = 2 * e->constant[before->arg];
  if (halves != rint(halves) || fabs(halves) > 40) return unknown;
  return lwi_dimension_product(a, (int)halves, number);
}

static lwi_dimension binary(const lwi_expr *e, lwi_dimension_error *err, const lwi_expr_op *op,
                            lwi_dimension a, lwi_dimension b)
{
  const bool known = a.known && b.known;
  switch (op->code) {
  case LWI_OP_ADD:
  case LWI_OP_SUB:
  case LWI_OP_MIN:
  case LWI_OP_MAX:
  case LWI_OP_MOD:
  case LWI_OP_HYPOT: return same(err, op, a, b);
  case LWI_OP_MUL: return known ? lwi_dimension_product(a, 2, b) : unknown;
  case LWI_OP_DIV: return known ? lwi_dimension_product(b, -2, a) : unknown;
  case LWI_OP_POW: must_be_number(err, op, b); return power(e, op - 1, a);
  case LWI_OP_TABLE2:
    must_be_variable(err, op, e->table[op->arg], 0, a);
    must_be_variable(err, op, e->table[op->arg], 1, b);
    return lwi_table_dimension(e->table[op->arg], 2);
  default: same(err, op, a, b); return number; /* comparisons, atan2 */
  }
}

lwi_dimension lwi_expr_dimension(const lwi_expr *e, const lwi_dimension name[],
                                 lwi_dimension_error *err)
{
  lwi_dimension stack[LWI_EXPR_MAX_STACK], *top = stack;
  *err = (lwi_dimension_error){0};
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop && !err->text[0]; op++) {
    if (e->inside) err->inside = e->inside[op - e->op];
    if (EXPR_MOVED(op, stack, top)) continue;
    if (op->code == LWI_OP_CONSTANT)
      *top++ = e->unit[op->arg];
    else if (op->code == LWI_OP_NAME)
      *top++ = name ? name[op->arg] : unknown;
    else if (op->code < LWI_OP_FIRST_BINARY)
      top[-1] = unary(e, err, op, top[-1]);
    else if (op->code == LWI_OP_SELECT)
      top -= 2, top[-1] = same(err, op, top[0], top[1]);
    else
      top--, top[-1] = binary(e, err, op, top[-1], top[0]);
  }
  return stack[0];
}
