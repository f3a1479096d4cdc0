/* SPDX-License-Identifier: Apache-2.0 */
/* expr_inline.c -- puts programs of other expressions in the place of names.  A program leaves one
   value on the stack, as pushing a name does, so that the operations are copied one after the
   other; constants and names get new numbers. */
#include "model/expression/expr.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 65536 };

typedef struct {
  lwi_expr out; /* arrays of their own */
  const lwi_expr *const
      *instead; /* [outer->nname] of names of the outer expression; NULL: the name stays */
} splice;

static int operand_of(const lwi_expr *from, const lwi_expr_op *op, splice *x)
{
  lwi_expr *out = &x->out;
  if (op->code == LWI_OP_CONSTANT) {
    out->constant[out->nconstant] = from->constant[op->arg];
    out->unit[out->nconstant] = from->unit[op->arg];
    return out->nconstant++;
  }
  if (op->code == LWI_OP_TABLE || op->code == LWI_OP_TABLE2) {
    out->table[out->ntable] = from->table[op->arg];
    return out->ntable++;
  }
  const lwi_expr_name *name = &from->name[op->arg];
  for (int i = 0; i < out->nname; i++)
    if (strcmp(out->name[i].text, name->text) == 0) return i;
  out->name[out->nname] = *name;
  out->name[out->nname].slot = -1;
  return out->nname++;
}

/* values on the stack at most while this runs on top of `below` others */
static void deepen(lwi_expr *out, int below, int nstack)
{
  if (below + nstack > out->nstack) out->nstack = below + nstack;
}

static void append(const lwi_expr *from, int below, int column, splice *x)
{
  int depth = below;
  deepen(&x->out, below, from->nstack);
  for (const lwi_expr_op *op = from->op; op < from->op + from->nop; op++) {
    const bool name = op->code == LWI_OP_NAME;
    const lwi_expr *inner =
        name && x->instead && below == 0 && column < 0 ? x->instead[op->arg] : NULL;
    if (inner) {
      append(inner, depth, op->column, x);
    } else {
      lwi_expr_op *to = &x->out.op[x->out.nop++];
      *to = *op;
      if (column >= 0) to->column = (uint16_t)column;
      if (from->inside) x->out.inside[x->out.nop - 1] = from->inside[op - from->op];
      if (op->code == LWI_OP_COPY) to->arg += below;
      if (name || op->code == LWI_OP_CONSTANT || op->code == LWI_OP_TABLE ||
          op->code == LWI_OP_TABLE2)
        to->arg = operand_of(from, op, x);
    }
    depth += lwi_expr_growth(op);
  }
}

static bool has_functions(const lwi_expr *e)
{
  for (int i = 0; i < e->nop; i++)
    if (e->inside[i].function) return true;
  return false;
}

lwi_expr_status lwi_expr_inline(const lwi_expr *outer, const lwi_expr *const instead[],
                                lwi_expr *out)
{
  size_t nop = 0;
  *out = (lwi_expr){0};
  for (int i = 0; i < outer->nop; i++) {
    const lwi_expr *inner = outer->op[i].code == LWI_OP_NAME ? instead[outer->op[i].arg] : NULL;
    nop += inner ? (size_t)inner->nop : 1;
  }
  if (nop > MOST_OPERATIONS) return LWI_EXPR_LIMIT;
  splice x = {.instead = instead, .out.at = outer->at};
  x.out.op = calloc(nop, sizeof *x.out.op);
  x.out.constant = calloc(nop, sizeof *x.out.constant);
  x.out.unit = calloc(nop, sizeof *x.out.unit);
  x.out.table = calloc(nop, sizeof(void *));
  x.out.inside = calloc(nop, sizeof *x.out.inside);
  x.out.name = calloc(nop, sizeof *x.out.name);
  const bool good =
      x.out.op && x.out.inside && x.out.constant && x.out.unit && x.out.table && x.out.name;
  lwi_expr_status status = good ? LWI_EXPR_OK : LWI_EXPR_MEMORY;
  lwi_expr_place *const places = x.out.inside;
  if (status == LWI_EXPR_OK) append(outer, 0, -1, &x);
  if (status == LWI_EXPR_OK && !has_functions(&x.out)) x.out.inside = NULL;
  if (status == LWI_EXPR_OK && x.out.nstack > LWI_EXPR_MAX_STACK) status = LWI_EXPR_LIMIT;
  void *block = status == LWI_EXPR_OK ? malloc(lwi_expr_size(&x.out)) : NULL;
  if (status == LWI_EXPR_OK && !block) status = LWI_EXPR_MEMORY;
  if (status == LWI_EXPR_OK) *out = lwi_expr_copy_to(&x.out, block);
  free(x.out.op);
  free(places);
  free(x.out.constant);
  free(x.out.unit);
  free(x.out.table);
  free(x.out.name);
  return status;
}
