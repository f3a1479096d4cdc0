/* SPDX-License-Identifier: Apache-2.0 */
/* expr_range.h -- operations of expressions on ranges: interval arithmetic for values and rates. */
#ifndef LWI_MODEL_EXPR_RANGE_H
#define LWI_MODEL_EXPR_RANGE_H
#include "model/expr.h"

typedef struct {
  double low, high;
} lwi_range;

/* the range of a value, and of its rate, over an interval of time */
typedef struct {
  lwi_range x, d;
} lwi_range_jet;

bool lwi_range_has(lwi_range a, double x);
lwi_range lwi_range_sub(lwi_range a, lwi_range b);
lwi_range_jet lwi_range_unary(int code, lwi_range_jet a);
lwi_range_jet lwi_range_binary(int code, lwi_range_jet a, lwi_range_jet b);

#endif
