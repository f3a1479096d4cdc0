/* SPDX-License-Identifier: Apache-2.0 */
/* potentials.h -- the potential energy of laws that depend on the quantity alone on which they do work: with the load
   f(x), which drives x up, U = -integral of f from x0 to x, by Gauss and Kronrod's rule of 15 points on intervals that
   are halved until both rules agree.  After kinematics.

     spring  x = l, x0 = length, f = -tension      joint spring  x = q, x0 = 0
     torsion x = angle, x0 = `angle`               bushing       x = dx ... rz, x0 = 0 */
#ifndef LWI_TREE_RECURSION_POTENTIALS_H
#define LWI_TREE_RECURSION_POTENTIALS_H
#include "model/expression/expr_real.h"
#include "tree/recursion/measures.h"

/* ---- integrals ---- */

/* f(x) of a law: an expression whose slot `own` is x (-1: it does not occur); slope_of: instead of f its derivative
   along these derivatives of the slots, of one state; NULL: f */
typedef struct {
  const lwi_expr *e;
  real *slot;
  int own;
  const double *slope_of;
} law_integrand;

static real law_value(const law_integrand *f, real x)
{
  const real kept = f->own < 0 ? x : f->slot[f->own];
  if (f->own >= 0) f->slot[f->own] = x;
  real y;
  if (f->slope_of) {
    double value, slope;
    lwi_expr_dual(f->e, (const double *)f->slot, 1, f->slope_of, &value, &slope);
    y = real_set(slope);
  } else {
    y = expr_eval_real(f->e, f->slot);
  }
  if (f->own >= 0) f->slot[f->own] = kept;
  return y;
}

/* Kronrod's rule on [a, b]; *error: how far Gauss' rule of 7 of the points is from it [Pie83] */
static real kronrod(const law_integrand *f, real a, real b, real *error)
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
  const real middle = 0.5 * (a + b), half = 0.5 * (b - a), at = law_value(f, middle);
  real sum = weight[0] * at, coarse = gauss[0] * at;
  for (int i = 1; i < 8; i++) {
    const real y = law_value(f, middle - place[i] * half) + law_value(f, middle + place[i] * half);
    sum += weight[i] * y;
    coarse += gauss[i] * y;
  }
  *error = real_abs((sum - coarse) * half);
  return sum * half;
}

/* From left to right; an interval whose rules do not agree to 1e-13 of the largest part so far is halved, down to 2^-40
   of the whole, where a kink or jump adds less than that. */
static real integrate_law(const law_integrand *f, real a, real b)
{
  if (f->own < 0 && !f->slope_of) return law_value(f, a) * (b - a);
  real sum = real_set(0.0), size = real_set(0.0), error;
  int depth = 0, budget = 4000; /* intervals */
  uint64_t place = 0;           /* of the interval, in parts 2^-depth of the whole */
  for (bool more = true; more && budget-- > 0;) {
    const double h = ldexp(1.0, -depth);
    const real from = a + (b - a) * ((double)place * h),
               to = a + (b - a) * ((double)(place + 1) * h);
    const real part = kronrod(f, from, to, &error);
    const real whole = size + real_abs(part);
    if (real_any(error > 1e-13 * whole) && depth < 40) {
      depth++, place *= 2;
      continue;
    }
    sum += part, size = whole;
    place++;
    while (depth > 0 && place % 2 == 0)
      depth--, place /= 2;
    more = depth > 0 || place == 0;
  }
  return budget < 0 ? real_set((double)NAN) : sum;
}

/* ---- laws ---- */

/* what component k of a law along an element does work on */
static lwi_measure law_measure(const lwi_load *e, int k)
{
  return (lwi_measure){.kind = e->carrier == LWI_ALONG_SPRING    ? LWI_MEASURE_LENGTH
                               : e->carrier == LWI_ALONG_TORSION ? LWI_MEASURE_ANGLE
                               : k < 3                           ? LWI_MEASURE_SHIFT
                                                                 : LWI_MEASURE_TURN,
                       .component = k % 3,
                       .of = e->along};
}
static double law_reference(const lw_model *m, const lwi_load *e)
{
  return e->carrier == LWI_ALONG_SPRING    ? m->spring[e->along].length
         : e->carrier == LWI_ALONG_TORSION ? m->torsion[e->along].angle
                                           : 0;
}
static inline double law_sign(const lwi_load *e)
{
  return e->carrier == LWI_ALONG_SPRING ? 1 : -1;
}
static inline const lwi_expr *law_expr(const lwi_load *e, int k)
{
  return k < 3 ? &e->force[k] : &e->torque[k - 3];
}

static real law_energy(const lw_model *m, const lwi_tree_work *w, const real *q)
{
  real U = real_set(0.0);
  for (int i = 0; i < m->nmotor; i++) {
    const lwi_motor *e = &m->motor[i];
    if (!e->potential.exists) continue;
    const law_integrand f = {&e->value, w->slot, e->potential.slot, NULL};
    U -= integrate_law(&f, real_set(0.0), coordinate(m, w, q, e->q));
  }
  for (int i = 0; i < m->nload; i++)
    for (int k = 0; k < 6 && m->load[i].carrier; k++) {
      const lwi_load *e = &m->load[i];
      if (!e->potential[k].exists) continue;
      const lwi_measure x = law_measure(e, k);
      const law_integrand f = {law_expr(e, k), w->slot, e->potential[k].slot, NULL};
      U += law_sign(e) * integrate_law(&f, real_set(law_reference(m, e)), find_measure(m, w, &x));
    }
  return U;
}

#endif
