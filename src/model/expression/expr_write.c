/* SPDX-License-Identifier: Apache-2.0 */
/* expr_write.c -- writes the postfix program of an expression: its steps, constants and names, in
   scratch memory that grows where functions are called, whose programs are put in place.

   No step is written without at least one byte of text, and no name or constant without a byte that
   separates it from the next, unless space has been reserved for it. */
#include "model/expression/expr_parser.h"
#include "base/quoted_name.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lwi_parser_fail(lwi_parser *p, lwi_expr_status status, size_t column, const char *format, ...)
{
  if (p->error.status) return false;
  va_list args;
  va_start(args, format);
  p->error.status = status;
  p->error.column = column;
  vsnprintf(p->error.text, sizeof p->error.text, format, args);
  va_end(args);
  return false;
}

/* ---- memory ---- */

lwi_plain_name lwi_parser_name(lwi_parser *p, lwi_token token)
{
  if (!token.quoted) return (lwi_plain_name){p->text + token.column, token.length};
  if (!p->unquoted && !(p->unquoted = malloc(p->length + 1))) {
    lwi_parser_fail(p, LWI_EXPR_MEMORY, token.column, "out of memory");
    return (lwi_plain_name){0};
  }
  char *to = p->unquoted + p->nunquoted; /* quotes are longer than what ends a text */
  const size_t length = lwi_unquote(p->text + token.column, token.length, to);
  p->nunquoted += length;
  return (lwi_plain_name){to, length};
}

static size_t place(size_t *used, size_t n, size_t size)
{
  const size_t at = *used;
  *used += n * size; /* all sizes are multiples of 8 */
  return at;
}

bool lwi_write_reserve(lwi_parser *p, size_t nop, size_t noperand)
{
  const lwi_expr *d = &p->draft;
  /* what the rest of the text and the operators that wait can become */
  const size_t left = p->length - p->next.column, waiting = (size_t)p->nwaiting;
  nop += left + 1 + 3 * waiting;
  noperand += left / 2 + 1 + waiting;
  const size_t most = (size_t)(d->nconstant > d->nname ? d->nconstant : d->nname);
  if (p->scratch && (size_t)d->nop + nop <= p->nop && most + noperand <= p->noperand) return true;
  if ((size_t)d->nop + nop > LWI_EXPR_MAX_STEPS)
    return lwi_parser_fail(p, LWI_EXPR_LIMIT, p->next.column,
                           "more than %d operations with the functions that are called",
                           LWI_EXPR_MAX_STEPS);
  const size_t ops = nop + 2 * (size_t)d->nop, operands = noperand + 2 * most;
  size_t size = 0;
  const size_t constant = place(&size, operands, sizeof *d->constant);
  const size_t unit = place(&size, operands, sizeof *d->unit);
  const size_t table = place(&size, operands, sizeof(void *));
  const size_t name = place(&size, operands, sizeof *d->name);
  const size_t op = place(&size, ops, sizeof *d->op);
  const size_t inside = place(&size, ops, sizeof *p->inside);
  char *scratch = malloc(size);
  if (!scratch) return lwi_parser_fail(p, LWI_EXPR_MEMORY, 0, "out of memory");
  lwi_expr to = *d;
  to.constant = (double *)(void *)(scratch + constant);
  to.unit = (lwi_dimension *)(void *)(scratch + unit);
  to.table = (const lwi_table **)(void *)(scratch + table);
  to.name = (lwi_expr_name *)(void *)(scratch + name);
  to.op = (lwi_expr_op *)(void *)(scratch + op);
  lwi_expr_place *places = (lwi_expr_place *)(void *)(scratch + inside);
  if (p->scratch) {
    memcpy(places, p->inside, (size_t)d->nop * sizeof *places);
    memcpy(to.constant, d->constant, (size_t)d->nconstant * sizeof *d->constant);
    memcpy(to.unit, d->unit, (size_t)d->nconstant * sizeof *d->unit);
    memcpy(to.table, d->table, (size_t)d->ntable * sizeof *d->table);
    memcpy(to.name, d->name, (size_t)d->nname * sizeof *d->name);
    memcpy(to.op, d->op, (size_t)d->nop * sizeof *d->op);
  }
  free(p->scratch);
  p->scratch = scratch;
  p->inside = places;
  to.inside = d->inside ? places : NULL;
  p->draft = to;
  p->nop = ops;
  p->noperand = operands;
  return true;
}

/* ---- steps ---- */

static void write_op(lwi_parser *p, int code, int arg, size_t column)
{
  p->inside[p->draft.nop] = (lwi_expr_place){0};
  p->draft.op[p->draft.nop++] = (lwi_expr_op){(uint16_t)code, (uint16_t)column, arg};
}

static bool check_stack(lwi_parser *p, int nvalue, size_t column)
{
  if (nvalue > p->draft.nstack) p->draft.nstack = nvalue;
  if (nvalue <= LWI_EXPR_MAX_STACK) return true;
  return lwi_parser_fail(p, LWI_EXPR_LIMIT, column,
                         "more than %d intermediate values are open here", LWI_EXPR_MAX_STACK);
}

static bool write_operand(lwi_parser *p, int code, int arg, size_t column)
{
  if (!check_stack(p, ++p->nvalue, column)) return false;
  write_op(p, code, arg, column);
  return true;
}

bool lwi_write_constant(lwi_parser *p, double value, lwi_dimension unit, size_t column)
{
  p->draft.constant[p->draft.nconstant] = value;
  p->draft.unit[p->draft.nconstant] = unit;
  return write_operand(p, LWI_OP_CONSTANT, p->draft.nconstant++, column);
}

/* The number of a name, which is added if it is new. */
static int name_id(lwi_parser *p, const char *text, size_t length, size_t column,
                   lwi_expr_place inside)
{
  const int id = lwi_name_add(&p->names, text, length);
  if (id < 0) lwi_parser_fail(p, LWI_EXPR_MEMORY, column, "out of memory");
  if (id == p->draft.nname)
    p->draft.name[p->draft.nname++] = (lwi_expr_name){text, (int)length, (int)column, -1, inside};
  return id;
}

bool lwi_write_name(lwi_parser *p, const char *text, size_t length, size_t column)
{
  const int id = name_id(p, text, length, column, (lwi_expr_place){0});
  return id >= 0 && write_operand(p, LWI_OP_NAME, id, column);
}

bool lwi_write_argument(lwi_parser *p, int place_, size_t column)
{
  return write_operand(p, LWI_OP_COPY, place_, column);
}

/* x^2 and x^3 are what models are full of: products are faster than pow, and lanes can do them.
   An exponent that ends in a constant is that constant. */
static bool write_small_power(lwi_parser *p, size_t column)
{
  lwi_expr *e = &p->draft;
  if (e->op[e->nop - 1].code != LWI_OP_CONSTANT) return false;
  const double exponent = e->constant[e->nconstant - 1];
  if ((exponent != 2.0 && exponent != 3.0) || e->unit[e->nconstant - 1].known) return false;
  e->nop--;
  e->nconstant--;
  write_op(p, exponent == 2.0 ? LWI_OP_SQUARE : LWI_OP_CUBE, 0, column);
  return true;
}

bool lwi_write_operation(lwi_parser *p, int code, size_t column)
{
  if (code >= LWI_OP_FIRST_BINARY) p->nvalue--;
  if (code == LWI_OP_SELECT) p->nvalue--;
  if (code == LWI_OP_POW && write_small_power(p, column)) return true;
  write_op(p, code, 0, column);
  return true;
}

/* ---- what is made of several steps ---- */

/* 1 or 0 of the topmost value, if it is something else */
static void write_truth(lwi_parser *p, size_t column)
{
  const int code = p->draft.op[p->draft.nop - 1].code;
  const bool is_truth = (code >= LWI_OP_LT && code <= LWI_OP_NE) || code == LWI_OP_NOT;
  if (!is_truth) write_op(p, LWI_OP_TRUTH, 0, column);
}

bool lwi_write_or(lwi_parser *p, size_t column)
{
  write_truth(p, column);
  return lwi_write_operation(p, LWI_OP_SELECT, column);
}

bool lwi_write_and(lwi_parser *p, size_t column)
{
  if (!lwi_write_reserve(p, 3, 1)) return false;
  write_truth(p, column);
  return lwi_write_constant(p, 0, (lwi_dimension){0}, column) &&
         lwi_write_operation(p, LWI_OP_SELECT, column);
}

static bool drop(lwi_parser *p, int n, size_t column)
{
  if (n > 0) write_op(p, LWI_OP_DROP, n, column);
  p->nvalue -= n;
  return true;
}

/* step(x, from, to): the smooth step of (x - from)/(to - from) */
static bool write_step(lwi_parser *p, size_t column)
{
  const int x = p->nvalue - 3;
  if (!lwi_write_reserve(p, 9, 0)) return false;
  if (!lwi_write_argument(p, x, column) || !lwi_write_argument(p, x + 1, column)) return false;
  lwi_write_operation(p, LWI_OP_SUB, column);
  if (!lwi_write_argument(p, x + 2, column) || !lwi_write_argument(p, x + 1, column)) return false;
  lwi_write_operation(p, LWI_OP_SUB, column);
  lwi_write_operation(p, LWI_OP_DIV, column);
  lwi_write_operation(p, LWI_OP_STEP, column);
  return drop(p, 3, column);
}

static bool write_table(lwi_parser *p, const lwi_definition *own, size_t column)
{
  if (!lwi_write_reserve(p, 1, (size_t)p->draft.ntable + 1)) return false;
  p->draft.table[p->draft.ntable] = own->table;
  write_op(p, own->nargument == 1 ? LWI_OP_TABLE : LWI_OP_TABLE2, p->draft.ntable++, column);
  if (own->nargument == 2) p->nvalue--;
  return true;
}

/* One step of a function, whose arguments begin at `base` of the stack. */
static bool insert_step(lwi_parser *p, const lwi_definition *own, int step, int base, size_t column)
{
  lwi_expr *d = &p->draft;
  const lwi_expr *body = own->body;
  const lwi_expr_op *op = &body->op[step];
  const bool deeper = body->inside && body->inside[step].function;
  const lwi_expr_place inside = deeper ? body->inside[step] : (lwi_expr_place){own, op->column};
  int arg = op->arg;
  if (op->code == LWI_OP_COPY) arg += base;
  if (op->code == LWI_OP_CONSTANT) {
    d->constant[d->nconstant] = body->constant[op->arg];
    d->unit[d->nconstant] = body->unit[op->arg];
    arg = d->nconstant++;
  }
  if (op->code == LWI_OP_NAME) {
    const lwi_expr_name *name = &body->name[op->arg];
    arg = name_id(p, name->text, (size_t)name->length, column, inside);
    if (arg < 0) return false;
  }
  if (op->code == LWI_OP_TABLE || op->code == LWI_OP_TABLE2) {
    d->table[d->ntable] = body->table[op->arg];
    arg = d->ntable++;
  }
  write_op(p, op->code, arg, column);
  p->inside[d->nop - 1] = inside;
  return true;
}

/* The program of a function in place of its call. */
static bool insert(lwi_parser *p, const lwi_definition *own, size_t column)
{
  const lwi_expr *body = own->body;
  const int base = p->nvalue - own->nargument;
  const size_t noperand = (size_t)(body->nconstant + body->nname + body->ntable + p->draft.ntable);
  if (!lwi_write_reserve(p, (size_t)body->nop + 1, noperand) ||
      !check_stack(p, base + body->nstack, column))
    return false;
  p->draft.inside = p->inside;
  for (int i = 0; i < body->nop; i++)
    if (!insert_step(p, own, i, base, column)) return false;
  p->nvalue++;
  return drop(p, own->nargument, column);
}

bool lwi_write_call(lwi_parser *p, const lwi_callee *f, size_t column)
{
  if (f->code == LWI_CALL_STEP) return write_step(p, column);
  if (f->code != LWI_CALL_OWN) return lwi_write_operation(p, f->code, column);
  return f->own->table ? write_table(p, f->own, column) : insert(p, f->own, column);
}
