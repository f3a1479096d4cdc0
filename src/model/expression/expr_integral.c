/* SPDX-License-Identifier: Apache-2.0 */
/* expr_integral.c -- integrals of expressions: potentials of laws. */
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
  static const double place[8] = {0,
                                  0.207784955007898467600689403773245,
                                  0.405845151377397166906606412076961,
                                  0.586087235467691130294144691693013,
                                  0.741531185599394439863864773280788,
                                  0.864864423359769072789712788640926,
                                  0.949107912342758524526189684047851,
                                  0.991455371120812639206854697526329};
  static const double weight[8] = {
      0.209482141084727828012999174891714, 0.204432940075298892414161999234649,
      0.190350578064785409913256402421014, 0.169004726639267902826583426598550,
      0.140653259715525918745189590510238, 0.104790010322250183839876322541518,
      0.063092092629978553290700663189204, 0.022935322010529224963732008058970};
  static const double gauss[8] = {
      0.417959183673469387755102040816327, 0, 0.381830050505118944950369775488975, 0,
      0.279705391489276667901467771423780, 0, 0.129484966168869693270611432679082, 0};
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  const double at = lwi_integrand_value(f, middle);
  double sum = weight[0] * at, coarse = gauss[0] * at;
  for (int i = 1; i < 8; i++) {
    const double y = lwi_integrand_value(f, middle - place[i] * half) +
                     lwi_integrand_value(f, middle + place[i] * half);
    sum += weight[i] * y;
    coarse += gauss[i] * y;
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
