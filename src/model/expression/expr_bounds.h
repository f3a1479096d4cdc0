/* SPDX-License-Identifier: Apache-2.0 */
/* expr_bounds.h -- what an expression can be when its names are not known exactly: bounds of the
   value and of its rate while the names move within intervals, and the noise that the noise of the
   names leaves in it.

   Bounds are those of interval arithmetic [Moore2009]: no value lies outside, but for rounding
   errors of the bounds themselves, which the noise covers.  They may be wider than necessary where
   a name occurs several times, and become exact as the intervals shrink. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_BOUNDS_H
#define LWI_MODEL_EXPRESSION_EXPR_BOUNDS_H
#include "model/expression/expr.h"

typedef struct {
  double low, high;
} lwi_interval;

typedef struct {
  lwi_interval value;
  lwi_interval rate; /* d/dt; infinite where the value may jump */
  bool partial;      /* somewhere within there may be no value: the root of a negative number */
  double slack;      /* errors of the value: what leaves a domain by no more is at its edge */
} lwi_bounds;

bool lwi_interval_holds(lwi_interval x, double a);

/* one operation of expr_ops.h; partial operands make partial results */
lwi_bounds lwi_bounds_unary(int code, lwi_bounds a);
lwi_bounds lwi_bounds_binary(int code, lwi_bounds a, lwi_bounds b);
lwi_bounds lwi_bounds_select(lwi_bounds condition, lwi_bounds a, lwi_bounds b);
/* the same of a step of a program, which may be a table; rates: are they needed? */
lwi_bounds lwi_bounds_step1(const lwi_expr *e, const lwi_expr_op *op, lwi_bounds a, bool rates);
lwi_bounds lwi_bounds_step2(const lwi_expr *e, const lwi_expr_op *op, lwi_bounds a, lwi_bounds b,
                            bool rates);

/* slots[slot] holds value and rate of each name that the expression has. */
lwi_bounds lwi_expr_bounds(const lwi_expr *e, const lwi_bounds slots[]);

/* The same of the value alone. */
lwi_bounds lwi_expr_range(const lwi_expr *e, const lwi_bounds slots[]);

/* The value, and what errors slot_noise of the names and rounding errors of the operations can make
   of it: |dg/dx| noise(x) summed over all names and operations, with the second order of each
   operation, where slopes vanish. */
double lwi_expr_noise(const lwi_expr *e, const double slots[], const double slot_noise[],
                      double *noise);

#endif
