/* SPDX-License-Identifier: Apache-2.0 */
/* expr_integral.c -- integrals of expressions: potentials of laws. */
#include "math/kronrod.h"
#include "model/expression/expr_integral.h"
#include "model/expression/expr_switch.h"

#include <math.h>
#include <stdint.h>

double lwi_integrand_value(const lwi_integrand *f, double x)
{
  if (f->own >= 0) f->slots[f->own] = x;
  if (!f->slots_p) return lwi_expr_value(f->e, f->slots);
  double value, slope;
  lwi_expr_dual(f->e, f->slots, 1, f->slots_p, &value, &slope);
  return slope;
}

/* Kronrod's rule on [a, b]; *error: how far Gauss' rule with 7 of the points is from it [Pie83] */
static double kronrod(const lwi_integrand *f, double a, double b, double *error)
{
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  const double at = lwi_integrand_value(f, middle);
  double sum = lwi_kronrod_weight[0] * at, coarse = lwi_gauss_weight[0] * at;
  for (int i = 1; i < LWI_KRONROD; i++) {
    const double step = lwi_kronrod_node[i] * half;
    const double y = lwi_integrand_value(f, middle - step) + lwi_integrand_value(f, middle + step);
    sum += lwi_kronrod_weight[i] * y;
    coarse += lwi_gauss_weight[i] * y;
  }
  *error = fabs((sum - coarse) * half);
  return sum * half;
}

/* From left to right; an interval whose rules do not agree to 1e-13 of what has come so far is
   halved, down to 2^-40 of the whole.  The interval has the number `place` among those of its
   depth. */
static double integrate_smooth(const lwi_integrand *f, double a, double b, double *size)
{
  double sum = 0, error;
  int depth = 0, budget = 4000;
  uint64_t place = 0;
  for (bool more = true; more; budget--) {
    const double h = ldexp(b - a, -depth);
    const double part = kronrod(f, a + (double)place * h, a + (double)(place + 1) * h, &error);
    if (budget == 0 || !isfinite(part)) return (double)NAN;
    if (error > 1e-13 * (*size + fabs(part)) && depth < 40) {
      depth++, place *= 2;
      continue;
    }
    sum += part, *size += fabs(part);
    for (place++; depth > 0 && place % 2 == 0; place /= 2)
      depth--;
    more = depth > 0;
  }
  return sum;
}

double lwi_integral(const lwi_integrand *f, double from, double to)
{
  if (f->own < 0) return lwi_integrand_value(f, from) * (to - from);
  if (to < from) return -lwi_integral(f, to, from);
  double sum = 0, size = 0, around[2];
  for (double a = from; a < to; a = around[1]) {
    const lwi_switch_status found =
        lwi_expr_next_switch(f->e, f->slots, f->nparameter, f->own, a, to, around);
    if (found == LWI_SWITCH_UNKNOWN) return (double)NAN;
    if (found == LWI_SWITCH_NONE) around[0] = around[1] = to;
    if (around[0] > a) sum += integrate_smooth(f, a, around[0], &size);
    if (!(around[1] > a)) break; /* a NaN, or no way on */
  }
  return sum;
}
