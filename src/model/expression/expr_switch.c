/* SPDX-License-Identifier: Apache-2.0 */
/* expr_switch.c -- finds the times at which an expression of time is not smooth, by bisection with
   interval bounds of its switching functions [Moore2009] (expr_switch.h). */
#include "model/expression/expr_switch.h"
#include "model/expression/expr_bounds.h"
#include "model/expression/expr_double.h"

#include <float.h>

enum { MOST_HALVINGS = 200000 };
static const double close = 1e-9; /* of the time: as near as zeros are told apart by ranges */

typedef struct {
  const lwi_expr *e;
  const double *slots;
  int nparameter, time;
  long left; /* halvings */
} finder;

/* ---- switching functions ---- */

/* On what an operand depends, and how operation k switches. */
enum { ON_TIME = 1, ON_STATE = 2, ON_PARAMETERS = 4 };
typedef enum {
  SMOOTH,
  CROSSES, /* where g changes its sign */
  TOUCHES  /* ... or has a zero at all: a pole, the end of a domain */
} kind;

/* floor, mod and tables go from one piece to the next */
static bool has_pieces(int code)
{
  return code == LWI_OP_FLOOR || code == LWI_OP_CEIL || code == LWI_OP_ROUND ||
         code == LWI_OP_MOD || code == LWI_OP_TABLE || code == LWI_OP_TABLE2;
}

static kind kind_of(int code)
{
  if (lwi_op_compares(code) || has_pieces(code)) return CROSSES;
  switch (code) {
  case LWI_OP_ABS:
  case LWI_OP_SIGN:
  case LWI_OP_ATAN2:
  case LWI_OP_TAN:
  case LWI_OP_STEP: return CROSSES;
  case LWI_OP_DIV:
  case LWI_OP_LOG:
  case LWI_OP_LOG10:
  case LWI_OP_SQRT:
  case LWI_OP_ASIN:
  case LWI_OP_ACOS:
  case LWI_OP_HYPOT:
  case LWI_OP_POW: return TOUCHES;
  default: return SMOOTH;
  }
}

/* On what it depends whether and where it switches; of a quotient that is the divisor. */
static unsigned decides(int code, unsigned a, unsigned b)
{
  return code == LWI_OP_DIV ? b : a | b;
}

/* the number of the piece */
static double piece_of(const lwi_expr *e, const lwi_expr_op *op, double a, double b)
{
  switch (op->code) {
  case LWI_OP_MOD: return lwi_expr_quotient(a, b);
  case LWI_OP_TABLE: return lwi_table_piece(e->table[op->arg], 0, b);
  case LWI_OP_TABLE2: /* neighbours differ by an odd number */
    return lwi_table_piece(e->table[op->arg], 0, a) + lwi_table_piece(e->table[op->arg], 1, b);
  default: return apply_unary(op->code, b);
  }
}

/* g of an operation with operands a and b; of one operand that is b.  Pieces have signs in turn. */
static double switching_value(const lwi_expr *e, const lwi_expr_op *op, double a, double b)
{
  if (has_pieces(op->code)) return fmod(piece_of(e, op, a, b), 2) == 0 ? 1 : -1;
  if (lwi_op_compares(op->code)) return a - b;
  switch (op->code) {
  case LWI_OP_ATAN2:
  case LWI_OP_POW: return a;
  case LWI_OP_TAN: return cos(b);
  case LWI_OP_STEP: return b * (1 - b);
  case LWI_OP_HYPOT: return hypot(a, b);
  case LWI_OP_ASIN:
  case LWI_OP_ACOS: return (1 - b) * (1 + b);
  default: return b;
  }
}

/* a power of a whole number above zero is smooth, and atan2 where its second operand is positive */
static bool is_regular(int code, lwi_bounds b)
{
  const bool whole =
      b.value.low == b.value.high && b.value.low == rint(b.value.low) && b.value.low >= 0;
  return (code == LWI_OP_POW && whole) || (code == LWI_OP_ATAN2 && b.value.low > 0);
}

/* the same of a range: one border between pieces is crossed for good if the operand goes one way */
static lwi_bounds range_of_pieces(const lwi_expr *e, const lwi_expr_op *op, lwi_bounds a,
                                  lwi_bounds b)
{
  const lwi_interval any = {-HUGE_VAL, HUGE_VAL};
  const bool one = op->code != LWI_OP_MOD && op->code != LWI_OP_TABLE2;
  const lwi_bounds q = op->code == LWI_OP_MOD ? lwi_bounds_binary(LWI_OP_DIV, a, b) : b;
  const double reach = 4 * DBL_EPSILON * fmax(fabs(q.value.low), fabs(q.value.high));
  double n; /* borders at most */
  if (one)
    n = piece_of(e, op, 0, b.value.high + reach) - piece_of(e, op, 0, b.value.low - reach);
  else if (op->code == LWI_OP_MOD)
    n = floor(q.value.high + reach) - floor(q.value.low - reach);
  else
    n = piece_of(e, op, a.value.high, b.value.high) - piece_of(e, op, a.value.low, b.value.low);
  if (n == 0) return (lwi_bounds){.value = {1, 1}};
  const bool single = n == 1 && op->code != LWI_OP_TABLE2;
  return (lwi_bounds){.value = {-1, 1}, .rate = single ? q.rate : any};
}

static lwi_bounds switching_range(const lwi_expr *e, const lwi_expr_op *op, lwi_bounds a,
                                  lwi_bounds b)
{
  const lwi_bounds one = {.value = {1, 1}};
  if (has_pieces(op->code)) return range_of_pieces(e, op, a, b);
  if (lwi_op_compares(op->code)) return lwi_bounds_binary(LWI_OP_SUB, a, b);
  switch (op->code) {
  case LWI_OP_ATAN2:
  case LWI_OP_POW: return a;
  case LWI_OP_TAN: return lwi_bounds_unary(LWI_OP_COS, b);
  case LWI_OP_HYPOT: return lwi_bounds_binary(LWI_OP_HYPOT, a, b);
  case LWI_OP_STEP: return lwi_bounds_binary(LWI_OP_MUL, b, lwi_bounds_binary(LWI_OP_SUB, one, b));
  case LWI_OP_ASIN:
  case LWI_OP_ACOS: return lwi_bounds_binary(LWI_OP_SUB, one, lwi_bounds_unary(LWI_OP_SQUARE, b));
  default: return b;
  }
}

/* ---- the program, over an interval and at a time ---- */

typedef struct {
  lwi_bounds r;
  double x[2];  /* at both ends */
  double noise; /* rounding errors of x */
  unsigned on;
} item;

static item known(double c)
{
  return (item){.r.value = {c, c}, .x = {c, c}};
}

static item push(const finder *f, const lwi_expr_op *op, const double t[2])
{
  const lwi_interval any = {-HUGE_VAL, HUGE_VAL};
  if (op->code == LWI_OP_CONSTANT) return known(f->e->constant[op->arg]);
  const int slot = f->e->name[op->arg].slot;
  if (slot == f->time)
    return (item){.r = {.value = {t[0], t[1]}, .rate = {1, 1}}, .x = {t[0], t[1]}, .on = ON_TIME};
  if (slot >= f->nparameter) return (item){.r = {.value = any, .rate = any}, .on = ON_STATE};
  return known(f->slots[slot]);
}

/* rounding errors of the operands, carried on by the slopes, and that of the result */
static double noise_of(const lwi_expr *e, const lwi_expr_op *op, const item *a, const item *b,
                       double v)
{
  const bool two = op->code >= LWI_OP_FIRST_BINARY;
  const slopes s =
      two ? slopes2(e, op, a->x[1], b->x[1], v) : (slopes){0, slope1(e, op, b->x[1], v)};
  const double from = (two ? fabs(chain(s.a, a->noise)) : 0) + fabs(chain(s.b, b->noise));
  return from + DBL_EPSILON * fabs(v);
}

static void apply(const lwi_expr *e, const lwi_expr_op *op, item *a, const item *b)
{
  const item first = *a;
  const bool two = op->code >= LWI_OP_FIRST_BINARY;
  for (int k = 0; k < 2; k++)
    a->x[k] = two ? value2(e, op, a->x[k], b->x[k]) : value1(e, op, b->x[k]);
  a->r = two ? lwi_bounds_step2(e, op, a->r, b->r, true) : lwi_bounds_step1(e, op, b->r, true);
  a->on = two ? a->on | b->on : b->on;
  a->noise = noise_of(e, op, &first, b, a->x[1]);
}

/* c[0]: the condition, then both values */
static item select_item(const item c[3])
{
  item v = {.r = lwi_bounds_select(c[0].r, c[1].r, c[2].r), .on = c[0].on | c[1].on | c[2].on};
  for (int k = 0; k < 2; k++)
    v.x[k] = isnan(c[0].x[k]) ? c[0].x[k] : c[1 + (c[0].x[k] == 0)].x[k];
  v.noise = c[1 + (c[0].x[1] == 0)].noise;
  return v;
}

/* what is asked of one operation with operands a and b; of one operand that is b */
typedef void inspector(void *context, const lwi_expr *e, const lwi_expr_op *op, const item *a,
                       const item *b);

/* Runs the program from a to b and shows each operation that switches with time. */
static void walk(const finder *f, double a, double b, inspector *inspect, void *context)
{
  item stack[LWI_EXPR_MAX_STACK + 1], *top = stack;
  const item none = {0};
  const double t[2] = {a, b};
  for (const lwi_expr_op *op = f->e->op; op < f->e->op + f->e->nop; op++) {
    if (EXPR_MOVED(op, stack, top)) continue;
    if (op->code < LWI_OP_FIRST_UNARY) {
      *top++ = push(f, op, t);
      continue;
    }
    if (op->code == LWI_OP_SELECT) {
      top -= 2;
      top[-1] = select_item(&top[-1]);
      continue;
    }
    const bool two = op->code >= LWI_OP_FIRST_BINARY;
    const item operand = top[-1];
    if (two) top--;
    const item *first = two ? &top[-1] : &none;
    const bool switches =
        kind_of(op->code) != SMOOTH && decides(op->code, first->on, operand.on) == ON_TIME;
    if (switches && !is_regular(op->code, operand.r)) inspect(context, f->e, op, first, &operand);
    apply(f->e, op, &top[-1], &operand);
  }
}

/* What is known of the switches in an interval; TOO_FINE: they cannot be told apart. */
typedef enum { ABSENT, CHANGES, UNCLEAR, TOO_FINE } finding;

static int sign(double x)
{
  return (x > 0) - (x < 0);
}

/* Are the periods of mod shorter than the rounding errors of what they divide, in the whole interval? */
static bool is_too_fine(const lwi_expr_op *op, lwi_bounds a, lwi_bounds b)
{
  if (op->code != LWI_OP_MOD) return false;
  const lwi_interval q = lwi_bounds_binary(LWI_OP_DIV, a, b).value;
  return DBL_EPSILON * fmax(q.low, -q.high) > 1;
}

/* one operation; last: nothing smaller is looked at */
static finding find(const lwi_expr *e, const lwi_expr_op *op, const item *a, const item *b,
                    bool last)
{
  if (is_too_fine(op, a->r, b->r)) return TOO_FINE;
  const lwi_bounds g = switching_range(e, op, a->r, b->r);
  const double ends[2] = {switching_value(e, op, a->x[0], b->x[0]),
                          switching_value(e, op, a->x[1], b->x[1])};
  const int from = sign(ends[0]), to = sign(ends[1]);
  const bool monotonic = !lwi_interval_holds(g.rate, 0);
  if (!lwi_interval_holds(g.value, 0) || (g.value.low == 0 && g.value.high == 0)) return ABSENT;
  if (from == 0) return last || monotonic ? ABSENT : UNCLEAR; /* found before */
  if (last && !monotonic && fmax(fabs(ends[0]), fabs(ends[1])) <= 4 * (a->noise + b->noise))
    return ABSENT; /* zero all along, but for rounding errors */
  if (from != to) return monotonic || last ? CHANGES : UNCLEAR;
  if (monotonic) return ABSENT;
  return !last ? UNCLEAR : kind_of(op->code) == TOUCHES ? CHANGES : ABSENT;
}

typedef struct {
  bool last;
  finding found;
} sight;

static void look_at_operation(void *context, const lwi_expr *e, const lwi_expr_op *op,
                              const item *a, const item *b)
{
  sight *x = context;
  const finding here = find(e, op, a, b, x->last);
  if (here > x->found) x->found = here;
}

static finding look(const finder *f, double a, double b)
{
  sight x = {.last = b - a <= close * fmax(1, fabs(b)), .found = ABSENT};
  walk(f, a, b, look_at_operation, &x);
  return x.found;
}

/* ---- search ---- */

static void compare_signs(void *context, const lwi_expr *e, const lwi_expr_op *op, const item *a,
                          const item *b)
{
  bool *differ = context;
  const double from = switching_value(e, op, a->x[0], b->x[0]);
  if (sign(from) != sign(switching_value(e, op, a->x[1], b->x[1]))) *differ = true;
}

/* Does some g have other signs at a than at b?  Then close_in() finds the first place. */
static bool signs_differ(const finder *f, double a, double b)
{
  bool differ = false;
  walk(f, a, b, compare_signs, &differ);
  return differ;
}

/* From a bracket in which signs change to the last time before and the first after. */
static void close_in(const finder *f, double a, double b, double out[2])
{
  const double end = b;
  while (a < b) {
    const double c = a + 0.5 * (b - a);
    if (!(c > a && c < b)) break;
    if (signs_differ(f, a, c))
      b = c;
    else
      a = c;
  }
  /* b may be the zero itself: the first time after it is the one where signs stay */
  const double next = nextafter(b, HUGE_VAL);
  out[0] = a;
  out[1] = signs_differ(f, b, next) || b == end ? next : b;
}

static lwi_switch_status search(finder *f, double a, double b, double out[2])
{
  const finding found = look(f, a, b);
  if (found == ABSENT) return LWI_SWITCH_NONE;
  if (found == TOO_FINE || f->left-- <= 0) return LWI_SWITCH_UNKNOWN;
  if (b - a <= close * fmax(1, fabs(b)) || found == CHANGES) {
    if (signs_differ(f, a, b))
      close_in(f, a, b, out);
    else
      out[0] = a, out[1] = b;
    return LWI_SWITCH_FOUND;
  }
  const double c = a + 0.4871 * (b - a); /* not where zeros often are */
  const lwi_switch_status first = search(f, a, c, out);
  return first == LWI_SWITCH_NONE ? search(f, c, b, out) : first;
}

static unsigned depends_on(const lwi_expr *e, const lwi_expr_op *op, int nparameter, int time)
{
  if (op->code == LWI_OP_CONSTANT) return 0;
  const int slot = e->name[op->arg].slot;
  return slot == time ? ON_TIME : slot >= nparameter ? ON_STATE : ON_PARAMETERS;
}

bool lwi_expr_can_switch(const lwi_expr *e, int nparameter, int time, bool *varies)
{
  unsigned on[LWI_EXPR_MAX_STACK + 1], *top = on;
  bool can = false;
  if (varies) *varies = false;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    if (EXPR_MOVED(op, on, top)) continue;
    if (op->code == LWI_OP_SELECT) {
      top -= 2, top[-1] |= top[0] | top[1];
      continue;
    }
    if (op->code < LWI_OP_FIRST_UNARY) {
      *top++ = depends_on(e, op, nparameter, time);
      continue;
    }
    unsigned on_what = top[-1];
    if (op->code >= LWI_OP_FIRST_BINARY) {
      top--;
      on_what = decides(op->code, top[-1], top[0]);
      top[-1] |= top[0];
    }
    if (kind_of(op->code) == SMOOTH || (on_what & ~(unsigned)ON_PARAMETERS) != ON_TIME) continue;
    can = true;
    if (varies && on_what & ON_PARAMETERS) *varies = true;
  }
  return can;
}

lwi_switch_status lwi_expr_next_switch(const lwi_expr *e, const double *slots, int nparameter,
                                       int time, double from, double to, double out[2])
{
  finder f = {e, slots, nparameter, time, MOST_HALVINGS};
  return from < to ? search(&f, from, to, out) : LWI_SWITCH_NONE;
}
