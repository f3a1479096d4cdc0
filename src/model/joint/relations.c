/* SPDX-License-Identifier: Apache-2.0 */
/* relations.c -- evaluation of gear, coupler and driver. */
#include "model/joint/relations.h"

double lwi_relation_sum(const lwi_relation *r, const double x[])
{
  double sum = 0;
  for (int i = 0; i < r->nterm; i++)
    sum += lwi_term_value(&r->term[i], x[i]);
  return sum;
}

void lwi_relation_target(const lwi_relation *r, const double parameter[], int nparameter,
                         double start, double t, double out[3])
{
  out[0] = r->type == LW_GEAR ? start : r->offset;
  out[1] = out[2] = 0;
  if (r->type == LW_DRIVER) lwi_expr_taylor2(&r->value, parameter, nparameter, t, out);
}
