/* SPDX-License-Identifier: Apache-2.0 */
/* expr_real.h -- the value of an expression over `real`, so that kernels evaluate one state or one
   state per lane.  For files that are compiled once per lane count; lwi_expr_value is the same in
   double.  The operations are the rows of expr_ops.h. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_REAL_H
#define LWI_MODEL_EXPRESSION_EXPR_REAL_H
#include "math/real.h"
#include "model/expression/expr.h"
#include "model/expression/expr_mod.h"
#include "model/expression/table.h"

#include <math.h>

#define EXPR_1(f, a) real_map1(a, f)
#define EXPR_2(f, a, b) real_map2(a, b, f)
#define EXPR_SELECT(condition, x, y) real_select(condition, x, y)
#define EXPR_SQRT(a) real_sqrt(a)
#define EXPR_SET(constant) real_set(constant)

static inline real expr_unary_real(int code, real a)
{
#define CASE(code, name, value, ...)                                                               \
  case LWI_OP_##code: return value;
  switch (code) {
    LWI_EXPR_UNARY(CASE)
  default: return real_set((double)NAN);
  }
#undef CASE
}

static inline real expr_binary_real(int code, real a, real b)
{
#define CASE(code, name, value, ...)                                                               \
  case LWI_OP_##code: return value;
  switch (code) {
    LWI_EXPR_BINARY(CASE)
  default: return real_set((double)NAN);
  }
#undef CASE
}

/* Tables are looked up lane by lane. */
static inline real expr_table_real(const lwi_table *t, real a)
{
#if LW_LANES == 1
  return (real)lwi_table_value(t, (double)a);
#else
  for (int k = 0; k < LW_LANES; k++)
    a[k] = lwi_table_value(t, a[k]);
  return a;
#endif
}

static inline real expr_table2_real(const lwi_table *t, real a, real b)
{
#if LW_LANES == 1
  return (real)lwi_table_value2(t, (double)a, (double)b);
#else
  for (int k = 0; k < LW_LANES; k++)
    a[k] = lwi_table_value2(t, a[k], b[k]);
  return a;
#endif
}

/* Steps that need more than their operands: tables, and those that move values.  Returns the new
   top of the stack. */
static inline real *expr_step_real(const lwi_expr *e, const lwi_expr_op *op, const real *stack,
                                   real *top)
{
  switch (op->code) {
  case LWI_OP_COPY: *top = stack[op->arg]; return top + 1;
  case LWI_OP_DROP:
    if (op->arg < 0) return top - 1;
    top[-1 - op->arg] = top[-1];
    return top - op->arg;
  case LWI_OP_TABLE: top[-1] = expr_table_real(e->table[op->arg], top[-1]); return top;
  case LWI_OP_TABLE2:
    top[-2] = expr_table2_real(e->table[op->arg], top[-2], top[-1]);
    return top - 1;
  default: /* SELECT; a condition that is no number is the result */
    top[-3] =
        real_select(top[-3] != top[-3], top[-3], real_select(top[-3] != 0.0, top[-2], top[-1]));
    return top - 2;
  }
}

/* Lanes that are no number, with operands at the edges of domains: expr_edge.h. */
static inline real expr_at_edges(const lwi_expr *e, const real *slots, real v)
{
#if LW_QUAD
  (void)e, (void)slots;
#elif LW_LANES == 1
  if (v != v) v = lwi_expr_value_at_edges(e, slots, 1);
#else
  if (!real_any(v != v)) return v;
  for (int k = 0; k < LW_LANES; k++)
    if (v[k] != v[k]) v[k] = lwi_expr_value_at_edges(e, (const double *)slots + k, LW_LANES);
#endif
  return v;
}

/* Every name must be resolved. */
static inline real expr_eval_real(const lwi_expr *e, const real *slots)
{
  real stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    if (op->code == LWI_OP_CONSTANT)
      *top++ = real_set(e->constant[op->arg]);
    else if (op->code == LWI_OP_NAME)
      *top++ = slots[e->name[op->arg].slot];
    else if (op->code == LWI_OP_COPY || op->code == LWI_OP_TABLE || op->code >= LWI_OP_TABLE2)
      top = expr_step_real(e, op, stack, top);
    else if (op->code < LWI_OP_FIRST_BINARY)
      top[-1] = expr_unary_real(op->code, top[-1]);
    else {
      top--;
      top[-1] = expr_binary_real(op->code, top[-1], top[0]);
    }
  }
  return expr_at_edges(e, slots, stack[0]);
}

#undef EXPR_1
#undef EXPR_2
#undef EXPR_SELECT
#undef EXPR_SQRT
#undef EXPR_SET

#endif
