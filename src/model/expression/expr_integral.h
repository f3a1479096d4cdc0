/* SPDX-License-Identifier: Apache-2.0 */
/* expr_integral.h -- the integral of an expression over one of its names. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_INTEGRAL_H
#define LWI_MODEL_EXPRESSION_EXPR_INTEGRAL_H
#include "model/expression/expr.h"

typedef struct {
  const lwi_expr *e;
  double *slots;         /* those of the parameters, and `own`, which is changed */
  int nparameter, own;   /* own: the slot to integrate over; -1: the expression has no such name */
  const double *slots_p; /* integrate the derivative along these instead; NULL: the value */
} lwi_integrand;

double lwi_integrand_value(const lwi_integrand *f, double x);
/* To rounding errors: between the places where the expression switches, by Gauss and Kronrod's rule
   of 15 points on intervals that are halved until both rules agree.  NaN: it does not converge. */
double lwi_integral(const lwi_integrand *f, double from, double to);

#endif
