/* SPDX-License-Identifier: Apache-2.0 */
/* expr_hold.h -- an expression on one branch: operations that switch (abs, sign, min, max, comparisons, floor, ceil, round, mod,
   pieces of tables) go on beyond where they switch as they are before it.  What is integrated up to a switch is smooth this way,
   also in a step that goes beyond. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_HOLD_H
#define LWI_MODEL_EXPRESSION_EXPR_HOLD_H
#include "model/expression/expr.h"

/* an operation, and on which side of zero its switching function (lwi_expr_next_switching) is: 1 or -1 */
typedef struct {
  int op, side;
} lwi_held_op;

/* Does it have operations that may be held? */
bool lwi_expr_may_switch(const lwi_expr *e);

/* A copy in which these operations, in rising order, are what they are on that side, near these values of the names.  Those
   that cannot be held stay as they are.  malloc'ed; false: no memory. */
bool lwi_expr_hold(const lwi_expr *e, const double *slots, const lwi_held_op held[], int n,
                   lwi_expr *out);

#endif
