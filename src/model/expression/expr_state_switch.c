/* SPDX-License-Identifier: Apache-2.0 */
/* expr_state_switch.c -- switching functions of operations whose operands depend on the state, as
   expressions: the program up to the operation, then what makes a continuous function of its
   operands that changes sign where it switches. */
#include "model/expression/expr_double.h"
#include "model/expression/expr_switch.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
  NONE,
  OPERAND,
  DIFFERENCE,
  WAVE,
  HALF_WAVE,
  QUOTIENT_WAVE,
  COSINE,
  ANGLE,
  BETWEEN
} sort;

/* WAVE: sin(pi b), zero at whole numbers; HALF_WAVE: cos(pi b) */
static sort sort_of(int code, lwi_switch_effect *effect)
{
  const bool kink = code == LWI_OP_ABS || code == LWI_OP_MIN || code == LWI_OP_MAX;
  const bool pole = code == LWI_OP_DIV || code == LWI_OP_POW || code == LWI_OP_TAN;
  *effect = kink ? LWI_RATE_JUMPS : pole ? LWI_POLE : LWI_VALUE_JUMPS;
  if (lwi_op_compares(code)) return DIFFERENCE;
  if (code == LWI_OP_ATAN2) *effect = LWI_ANGLE_JUMPS;
  switch (code) {
  case LWI_OP_ATAN2: return ANGLE;
  case LWI_OP_DIV: /* the divisor */
  case LWI_OP_POW: /* the base */
  case LWI_OP_ABS:
  case LWI_OP_SIGN: return OPERAND;
  case LWI_OP_TAN: return COSINE;
  case LWI_OP_FLOOR:
  case LWI_OP_CEIL: return WAVE;
  case LWI_OP_ROUND: return HALF_WAVE;
  case LWI_OP_MOD: return QUOTIENT_WAVE;
  default: return NONE;
  }
}

static void write(lwi_expr *g, int code, int arg, const lwi_expr_op *like)
{
  g->op[g->nop++] = (lwi_expr_op){(uint16_t)code, like->column, arg};
}

/* depth: values on the stack before the operation; BETWEEN: the last table of g is that of its
   points */
static void complete(lwi_expr *g, sort s, int depth, const lwi_expr_op *op)
{
  if (s == BETWEEN) {
    write(g, op->code, g->ntable - 1, op);
    depth -= op->code == LWI_OP_TABLE2;
  }
  if (s == DIFFERENCE || s == QUOTIENT_WAVE || s == ANGLE) {
    write(g, s == DIFFERENCE ? LWI_OP_SUB : s == ANGLE ? LWI_OP_ATAN2 : LWI_OP_DIV, 0, op);
    depth--;
  }
  if (s == COSINE) write(g, LWI_OP_COS, 0, op);
  if (s == WAVE || s == HALF_WAVE || s == QUOTIENT_WAVE) {
    g->constant[g->nconstant] = LWI_EXPR_PI;
    g->unit[g->nconstant] = (lwi_dimension){0};
    write(g, LWI_OP_CONSTANT, g->nconstant++, op);
    write(g, LWI_OP_MUL, 0, op);
    write(g, s == HALF_WAVE ? LWI_OP_COS : LWI_OP_SIN, 0, op);
    if (depth + 1 > g->nstack) g->nstack = depth + 1;
  }
  if (depth > 1) write(g, LWI_OP_DROP, depth - 1, op);
}

bool lwi_switch_is_cut(double g)
{
  return fabs(g) > 0.5 * LWI_EXPR_PI;
}

/* ---- poles ---- */

/* Is the value that step i makes a number as written, with signs before it?  *first: its first step. */
static bool is_constant(const lwi_expr *e, int i, double *x, int *first)
{
  double sign = 1;
  for (; i > 0 && e->op[i].code == LWI_OP_NEG; i--)
    sign = -sign;
  if (i < 0 || e->op[i].code != LWI_OP_CONSTANT) return false;
  *x = sign * e->constant[e->op[i].arg];
  *first = i;
  return true;
}

/* The number of steps that make a value with the zeros of the divisor which `end` steps make, and a
   sign that changes there: without squares, roots, sizes and powers around it. */
static int divisor_steps(const lwi_expr *e, int end)
{
  double power;
  int exponent;
  for (;;) {
    const int code = end > 0 ? e->op[end - 1].code : LWI_OP_CONSTANT;
    if (code == LWI_OP_SQUARE || code == LWI_OP_CUBE || code == LWI_OP_SQRT || code == LWI_OP_ABS ||
        code == LWI_OP_NEG)
      end--;
    else if (code == LWI_OP_POW && is_constant(e, end - 2, &power, &exponent) && power > 0)
      end = exponent;
    else
      return end;
  }
}

/* Steps that lead to the operand of interest; *depth: values on the stack behind them.  -1: it
   cannot switch. */
static int operand_steps(const lwi_expr *e, int i, const bool on[], int *depth)
{
  double power;
  int exponent;
  if (e->op[i].code == LWI_OP_DIV) return on[*depth - 1] ? divisor_steps(e, i) : -1;
  if (e->op[i].code != LWI_OP_POW) return i;
  if (!is_constant(e, i - 1, &power, &exponent) || power >= 0 || !on[*depth - 2]) return -1;
  --*depth;
  return divisor_steps(e, exponent);
}

/* Squares that are written as products, 1/(q*q), have no sign that changes: the last factor has.  It is looked at in the
   second turn of an operation, the product in the first. */
static bool has_last_factor(const lwi_expr *e, int i, int steps, int turn)
{
  const bool pole = e->op[i].code == LWI_OP_DIV || e->op[i].code == LWI_OP_POW;
  return turn > 0 && pole && steps > 0 && e->op[steps - 1].code == LWI_OP_MUL;
}

/* The first n steps, and those that complete g of operation `at`. */
static bool build(const lwi_expr *e, int n, int at, sort s, int depth, const lwi_table *between,
                  lwi_expr *g)
{
  enum { MORE = 6 };
  lwi_expr draft = *e;
  draft.inside = NULL; /* its steps are its own */
  draft.op = malloc(((size_t)n + MORE) * sizeof *draft.op);
  draft.constant = malloc(((size_t)e->nconstant + 1) * sizeof *draft.constant);
  draft.unit = malloc(((size_t)e->nconstant + 1) * sizeof *draft.unit);
  draft.table = malloc(((size_t)e->ntable + 1) * sizeof *draft.table);
  void *block = NULL;
  if (draft.op && draft.constant && draft.unit && draft.table) {
    if (e->ntable) memcpy(draft.table, e->table, (size_t)e->ntable * sizeof *draft.table);
    if (between) draft.table[draft.ntable++] = between;
    memcpy(draft.op, e->op, (size_t)n * sizeof *draft.op);
    if (e->nconstant) {
      memcpy(draft.constant, e->constant, (size_t)e->nconstant * sizeof *draft.constant);
      memcpy(draft.unit, e->unit, (size_t)e->nconstant * sizeof *draft.unit);
    }
    draft.nop = n;
    complete(&draft, s, depth, &e->op[at]);
    block = malloc(lwi_expr_size(&draft));
    if (block) *g = lwi_expr_copy_to(&draft, block);
  }
  free(draft.op);
  free(draft.constant);
  free(draft.unit);
  free(draft.table);
  return block;
}

/* How operation i switches, for the first time (turn 0) or, as a table of two variables, for the
   second; between: as build wants it. */
static sort sort_at(const lwi_expr *e, int i, int turn, lwi_switch_effect *effect,
                    const lwi_table **between)
{
  bool jumps;
  const lwi_expr_op *op = &e->op[i];
  *between = NULL;
  if (op->code != LWI_OP_TABLE && op->code != LWI_OP_TABLE2)
    return turn == 0 ? sort_of(op->code, effect) : NONE;
  if (turn > 0 && op->code == LWI_OP_TABLE) return NONE;
  *between = lwi_table_between(e->table[op->arg], turn, &jumps);
  *effect = jumps ? LWI_VALUE_JUMPS : LWI_RATE_JUMPS;
  return *between ? BETWEEN : NONE;
}

/* Does its result change at its own switches only?  What is made of it alone switches there too, and nowhere else. */
static bool is_constant_between(const lwi_expr *e, const lwi_expr_op *op)
{
  bool jumps;
  if (op->code == LWI_OP_TABLE) return lwi_table_between(e->table[op->arg], 0, &jumps) && jumps;
  return op->code == LWI_OP_SIGN || op->code == LWI_OP_FLOOR || op->code == LWI_OP_CEIL ||
         op->code == LWI_OP_ROUND ||
         (lwi_op_compares(op->code) && op->code != LWI_OP_MIN && op->code != LWI_OP_MAX);
}

lwi_switch_status lwi_expr_next_switching(const lwi_expr *e, const bool is_state[], int *at,
                                          lwi_expr *g, lwi_switch_effect *effect)
{
  bool on[LWI_EXPR_MAX_STACK + 1], *top = on;
  for (int i = 0; i < e->nop; i++) {
    const lwi_expr_op *op = &e->op[i];
    if (EXPR_MOVED(op, on, top)) continue;
    if (op->code < LWI_OP_FIRST_UNARY) {
      *top++ = op->code == LWI_OP_NAME && is_state[op->arg];
      continue;
    }
    if (op->code == LWI_OP_SELECT) {
      top -= 2, top[-1] = top[-1] || top[0] || top[1];
      continue;
    }
    int depth = (int)(top - on);
    const int steps = operand_steps(e, i, on, &depth);
    const bool two = op->code >= LWI_OP_FIRST_BINARY;
    if (two) top--, top[-1] = top[-1] || top[0];
    for (int turn = *at > 2 * i; turn < 2 && 2 * i + turn >= *at; turn++) {
      const lwi_table *between;
      const int factor = has_last_factor(e, i, steps, turn), values = depth + factor;
      const sort s = sort_at(e, i, turn - factor, effect, &between);
      if (s == NONE || steps < 0 || !top[-1] || values + 1 > LWI_EXPR_MAX_STACK) continue;
      *at = 2 * i + turn + 1;
      const bool built = build(e, steps - factor, i, s, values, between, g);
      return built ? LWI_SWITCH_FOUND : LWI_SWITCH_UNKNOWN;
    }
    if (is_constant_between(e, op)) top[-1] = false;
  }
  return LWI_SWITCH_NONE;
}
