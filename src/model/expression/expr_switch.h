/* SPDX-License-Identifier: Apache-2.0 */
/* expr_switch.h -- where an expression stops being smooth as time goes on: abs and sign of zero,
   min, max and comparisons of equals, floor, mod and tables from one piece to the next, both ends
   of a step, the cut of atan2, poles, and ends of the domains of roots.

   Each of these operations has a switching function g of time: its operand, or the difference of
   both.  Ranges of g and of its rate over an interval of time (interval arithmetic) tell that there
   is no zero, or at most one; else the interval is halved.  So none is missed, however close
   together they are.  Operations whose operands contain other names than parameters and time are
   left alone. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_SWITCH_H
#define LWI_MODEL_EXPRESSION_EXPR_SWITCH_H
#include "model/expression/expr.h"

/* Has it operations that can switch with time?  varies: and at times that depend on parameters; may
   be NULL. */
bool lwi_expr_can_switch(const lwi_expr *e, int nparameter, int time, bool *varies);

typedef enum {
  LWI_SWITCH_NONE,
  LWI_SWITCH_FOUND,
  LWI_SWITCH_UNKNOWN /* too many halvings: not decided */
} lwi_switch_status;

/* The first place in from < t <= to where it switches: out[0] is the last time before it and out[1]
   the first after it, a few rounding errors apart, or 1e-9 of the time where the operand only
   touches the end of its domain. */
lwi_switch_status lwi_expr_next_switch(const lwi_expr *e, const double *slots, int nparameter,
                                       int time, double from, double to, double out[2]);

/* ---- switches of the state ---- */

/* Finds the next operation from place *at on, 0 at first, that switches where its operands, some of
   which are names of the state, are equal or zero (abs, sign, min, max, comparisons, floor, ceil,
   round, mod, tables with kinks and jumps at their points; divisors, bases of negative powers,
   tan), or at the cut of atan2: sets *g to an expression of its own that changes its sign there, and *at to the next place.
   is_state[k]: name k is of the state.  effect: what happens there, as far as this operation tells.
   Returns FOUND, NONE, or UNKNOWN: out of memory. */
typedef enum {
  LWI_RATE_JUMPS,
  LWI_VALUE_JUMPS,
  LWI_ANGLE_JUMPS, /* the value, where g jumps between pi and -pi; not where g is zero */
  LWI_POLE         /* it has no bound, unless other operations make up for it: sin(x)/x */
} lwi_switch_effect;
lwi_switch_status lwi_expr_next_switching(const lwi_expr *e, const bool is_state[], int *at,
                                          lwi_expr *g, lwi_switch_effect *effect);
/* Is this a value of g on one side of a jump by LWI_ANGLE_JUMPS? */
bool lwi_switch_is_cut(double g);

#endif
