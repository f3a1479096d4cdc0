/* SPDX-License-Identifier: Apache-2.0 */
/* expr_dimension.h -- the physical dimension of an expression, and mistakes in it.

   Only what has a unit in the text has a known dimension; plain numbers, names of the state and
   parameters without unit may be anything.  So a product is known if both factors are, a sum if one
   of its terms is, and a mistake is reported only where it follows from units that are written:
   sums, comparisons and choices of different dimensions, and functions of angles and numbers (sin,
   exp, ...) of a quantity. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_DIMENSION_H
#define LWI_MODEL_EXPRESSION_EXPR_DIMENSION_H
#include "model/expression/expr.h"
#include "model/expression/units.h"

typedef struct {
  size_t column;
  lwi_expr_place inside;
  char text[480]; /* "" if there is none */
} lwi_dimension_error;

/* Does any of its numbers have a unit? */
bool lwi_expr_has_units(const lwi_expr *e);

/* name[k]: the dimension of its k-th name; NULL: none is known. */
lwi_dimension lwi_expr_dimension(const lwi_expr *e, const lwi_dimension name[],
                                 lwi_dimension_error *err);

#endif
