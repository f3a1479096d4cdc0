/* SPDX-License-Identifier: Apache-2.0 */
/* expr_hold.c -- rewrites the program of an expression: each operation that is held becomes steps without branches.

     abs(a)       a, or -a                 floor, ceil, round    the whole number
     sign(a)      1 or -1                  mod(a, b)             a - k b
     min, max     one of the operands      a < b, ...            1 or 0
     table(a)     the line of its piece    atan2(a, b)           +-(pi/2 + atan2(-+b, +-a)), whose cut is at the other side */
#include "model/expression/expr_hold.h"
#include "model/expression/expr_double.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 6 /* steps at most of one that is held */ };

static bool is_held_kind(int code)
{
  return lwi_op_compares(code) || code == LWI_OP_ABS || code == LWI_OP_SIGN ||
         code == LWI_OP_FLOOR || code == LWI_OP_CEIL || code == LWI_OP_ROUND ||
         code == LWI_OP_MOD || code == LWI_OP_TABLE || code == LWI_OP_ATAN2;
}

bool lwi_expr_may_switch(const lwi_expr *e)
{
  for (int i = 0; i < e->nop; i++)
    if (is_held_kind(e->op[i].code)) return true;
  return false;
}

/* ---- steps ---- */

typedef struct {
  const lwi_expr *from;
  lwi_expr to; /* with room */
} draft;

static void put(draft *d, int code, int arg, const lwi_expr_op *like)
{
  d->to.op[d->to.nop++] = (lwi_expr_op){(uint16_t)code, like->column, arg};
}

static void put_constant(draft *d, double x, const lwi_expr_op *like)
{
  d->to.constant[d->to.nconstant] = x;
  d->to.unit[d->to.nconstant] = (lwi_dimension){0};
  put(d, LWI_OP_CONSTANT, d->to.nconstant++, like);
}

/* x instead of the n topmost values */
static void put_instead(draft *d, double x, int n, const lwi_expr_op *like)
{
  put_constant(d, x, like);
  put(d, LWI_OP_DROP, n, like);
}

/* ---- branches ---- */

/* The whole number below a, where sin(pi a) has this sign: rounding errors may have put a on the other side of one. */
static double floor_on(double a, int side)
{
  const double below = floor(a), near = rint(a);
  const bool even = fmod(below, 2) == 0;
  return even == (side > 0) ? below : near > below ? near : near - 1;
}

/* The nearest whole number, where cos(pi a) has this sign; halves are its boundaries. */
static double round_on(double a, int side)
{
  return floor_on(a + 0.5, side);
}

/* atan2(a, b) where a has this sign, smooth across a = 0: pi/2 + atan2(-b, a), or -pi/2 + atan2(b, -a); a is at place `at` of the
   stack. */
static void hold_angle(draft *d, int side, int at, const lwi_expr_op *like)
{
  if (side > 0) put(d, LWI_OP_NEG, 0, like);
  put(d, LWI_OP_COPY, at, like);
  if (side < 0) put(d, LWI_OP_NEG, 0, like);
  put(d, LWI_OP_ATAN2, 0, like);
  put(d, LWI_OP_DROP, 1, like);
  put_constant(d, side * 0.5 * LWI_EXPR_PI, like);
  put(d, LWI_OP_ADD, 0, like);
}

/* a, b: operands, of which a unary one has the first, at place `at` of the stack; false: it stays as it is. */
static bool hold(draft *d, const lwi_expr_op *op, int side, int at, double a, double b)
{
  double line[2];
  switch (op->code) {
  case LWI_OP_ABS:
    if (side < 0) put(d, LWI_OP_NEG, 0, op);
    return true;
  case LWI_OP_SIGN: put_instead(d, side, 1, op); return true;
  case LWI_OP_FLOOR: put_instead(d, floor_on(a, side), 1, op); return true;
  case LWI_OP_CEIL: put_instead(d, floor_on(a, side) + 1, 1, op); return true;
  case LWI_OP_ROUND: put_instead(d, round_on(a, side), 1, op); return true;
  case LWI_OP_MIN: put(d, LWI_OP_DROP, side < 0 ? -1 : 1, op); return true;
  case LWI_OP_MAX: put(d, LWI_OP_DROP, side < 0 ? 1 : -1, op); return true;
  case LWI_OP_LT:
  case LWI_OP_LE: put_instead(d, side < 0, 2, op); return true;
  case LWI_OP_GT:
  case LWI_OP_GE: put_instead(d, side > 0, 2, op); return true;
  case LWI_OP_EQ:
  case LWI_OP_NE: put_instead(d, op->code == LWI_OP_NE, 2, op); return true;
  case LWI_OP_MOD:
    if (!isfinite(a / b)) return false;
    put_constant(d, floor_on(a / b, side), op);
    put(d, LWI_OP_MUL, 0, op);
    put(d, LWI_OP_SUB, 0, op);
    return true;
  case LWI_OP_ATAN2: hold_angle(d, side, at, op); return true;
  case LWI_OP_TABLE:
    if (!lwi_table_line(d->from->table[op->arg], a, side, line)) return false;
    put_constant(d, line[1], op);
    put(d, LWI_OP_MUL, 0, op);
    put_constant(d, line[0], op);
    put(d, LWI_OP_ADD, 0, op);
    return true;
  default: return false;
  }
}

/* ---- the whole ---- */

/* Walks through the program with its values. */
static void rewrite(draft *d, const double *slots, const lwi_held_op held[], int n)
{
  const lwi_expr *e = d->from;
  double stack[LWI_EXPR_MAX_STACK + 2], *top = stack;
  for (int i = 0, k = 0; i < e->nop; i++) {
    const lwi_expr_op *op = &e->op[i];
    while (k < n && held[k].op < i)
      k++;
    const bool two = op->code >= LWI_OP_FIRST_BINARY && op->code < LWI_OP_SELECT;
    const double a = top - stack > two ? top[two ? -2 : -1] : 0, b = two ? top[-1] : 0;
    const int at = (int)(top - stack) - 1 - two;
    const bool kept = k < n && held[k].op == i && isfinite(a) && isfinite(b) &&
                      hold(d, op, held[k].side, at, a, b);
    if (!kept) put(d, op->code, op->arg, op);
    if (op->code == LWI_OP_CONSTANT)
      *top++ = e->constant[op->arg];
    else if (op->code == LWI_OP_NAME)
      *top++ = slots[e->name[op->arg].slot];
    else if (EXPR_MOVED(op, stack, top) || EXPR_SELECTED(op, top, ))
      continue;
    else if (two)
      top--, top[-1] = value2(e, op, top[-1], top[0]);
    else
      top[-1] = value1(e, op, top[-1]);
  }
}

bool lwi_expr_hold(const lwi_expr *e, const double *slots, const lwi_held_op held[], int n,
                   lwi_expr *out)
{
  draft d = {.from = e, .to = *e};
  const size_t more = e->nstack < LWI_EXPR_MAX_STACK ? (size_t)n : 0;
  d.to.inside = NULL; /* faults are found in the expression itself */
  d.to.nop = 0;
  d.to.nstack = e->nstack + (more > 0);
  d.to.op = malloc(((size_t)e->nop + MORE * more) * sizeof *d.to.op);
  d.to.constant = malloc(((size_t)e->nconstant + 2 * more + 1) * sizeof *d.to.constant);
  d.to.unit = malloc(((size_t)e->nconstant + 2 * more + 1) * sizeof *d.to.unit);
  void *block = NULL;
  if (d.to.op && d.to.constant && d.to.unit) {
    if (e->nconstant) {
      memcpy(d.to.constant, e->constant, (size_t)e->nconstant * sizeof *e->constant);
      memcpy(d.to.unit, e->unit, (size_t)e->nconstant * sizeof *e->unit);
    }
    rewrite(&d, slots, held, (int)more);
    block = malloc(lwi_expr_size(&d.to));
    if (block) *out = lwi_expr_copy_to(&d.to, block);
  }
  free(d.to.op);
  free(d.to.constant);
  free(d.to.unit);
  return block;
}
