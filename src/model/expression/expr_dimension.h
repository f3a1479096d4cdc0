/* SPDX-License-Identifier: Apache-2.0 */
/* expr_dimension.h -- the physical dimension of an expression, and mistakes in it.

   What has a unit in the text, time, and names of the state have known dimensions; plain numbers and
   parameters without unit may be anything.  So a product is known if both factors are, a sum if one
   of its terms is.  A mistake is reported only where a unit that is written takes part: sums,
   comparisons and choices of different dimensions, functions of angles and numbers (sin, exp, ...)
   of a quantity, variables of tables.  Without units -u.A is a torque, by a factor of 1. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_DIMENSION_H
#define LWI_MODEL_EXPRESSION_EXPR_DIMENSION_H
#include "model/expression/expr.h"
#include "model/expression/units.h"

typedef struct {
  size_t column;
  lwi_expr_place inside;
  char text[480]; /* "" if there is none */
} lwi_dimension_error;

/* Do both have dimensions that differ, at least one of them by a unit that is written? */
bool lwi_dimension_clash(lwi_dimension a, lwi_dimension b);

/* Does any of its numbers have a unit? */
bool lwi_expr_has_units(const lwi_expr *e);

/* name[k]: the dimension of its k-th name; NULL: none is known. */
lwi_dimension lwi_expr_dimension(const lwi_expr *e, const lwi_dimension name[],
                                 lwi_dimension_error *err);

#endif
