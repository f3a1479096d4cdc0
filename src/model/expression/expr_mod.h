/* SPDX-License-Identifier: Apache-2.0 */
/* expr_mod.h -- mod(a, b) = a - b floor(a/b): of the sign of b, exact. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_MOD_H
#define LWI_MODEL_EXPRESSION_EXPR_MOD_H
#include <math.h>

static inline double lwi_expr_mod(double a, double b)
{
  const double r = fmod(a, b);
  return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
}

/* floor(a/b), that of mod */
static inline double lwi_expr_quotient(double a, double b)
{
  return rint((a - lwi_expr_mod(a, b)) / b);
}

#endif
