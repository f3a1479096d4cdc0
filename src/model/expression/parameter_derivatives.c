/* SPDX-License-Identifier: Apache-2.0 */
/* parameter_derivatives.c -- derivatives of all parameters by some of them, in the order in which
   they follow one another. */
#include "model/expression/parameters.h"

#include <assert.h>
#include <math.h>

/* What the parameters in use hand on; those were computed before. */
static void follow(const lwi_parameter *a, const double *value, int nseed, const double *derivative,
                   double *row)
{
  double same;
  if (a->value.text && !a->overridden)
    lwi_expr_dual(&a->value.expr, value, nseed, derivative, &same, row);
  else
    for (int k = 0; k < nseed; k++)
      row[k] = 0.0;
}

int lwi_parameters_derivatives(const lwi_parameters *p, const double *value, int nseed,
                               const int *seed, double *derivative)
{
  int bad = -1;
  assert(p->order || p->n == 0);
  for (int j = 0; j < p->n; j++) {
    const int i = p->order[j];
    double *row = derivative + (size_t)i * (size_t)nseed;
    follow(&p->item[i], value, nseed, derivative, row);
    for (int k = 0; k < nseed; k++) {
      /* it uses nothing that its own shift moves: the order has no cycle */
      if (seed[k] == i) row[k] = 1.0;
      if (bad < 0 && !isfinite(row[k])) bad = i;
    }
  }
  return bad;
}
