/* SPDX-License-Identifier: Apache-2.0 */
/* trigger_curve.c -- a trigger expression along a piece of the motion: value, rate, and bounds of
   both, from the curves of its columns. */
#include "sim/output/columns.h"
#include "sim/events/triggers.h"

#include <float.h>
#include <math.h>

enum { TIME = 0 }; /* index of the first column */

/* The column of a name; -1: a parameter. */
static int column_of(const lwi_triggers *x, const lwi_expr_name *name)
{
  return name->slot < x->nparameter ? -1 : name->slot - x->nparameter;
}

bool lwi_trigger_is_absent(const lwi_triggers *x, const lwi_trigger *w)
{
  for (int i = 0; i < w->shared.nname; i++)
    if (isnan(x->slot[w->shared.name[i].slot])) return true;
  return false;
}

bool lwi_trigger_is_resolved(lwi_triggers *x, const lwi_trigger *w)
{
  for (int i = 0; i < w->shared.nname; i++) {
    const int k = column_of(x, &w->shared.name[i]);
    if (k > TIME && !lwi_curve_resolves(&x->curve, k)) return false;
  }
  return true;
}

lwi_bounds lwi_trigger_range(lwi_triggers *x, const lwi_trigger *w)
{
  for (int i = 0; i < w->shared.nname; i++) {
    const lwi_expr_name *name = &w->shared.name[i];
    const int k = column_of(x, name);
    if (k > TIME) {
      x->bounds[name->slot].value = lwi_curve_range(&x->curve, k);
      x->bounds[name->slot].slack = x->curve.noise[k];
    }
    if (k == TIME) x->bounds[name->slot].value = (lwi_interval){x->curve.a, x->curve.b};
  }
  return lwi_expr_range(&w->shared, x->bounds);
}

/* Sets all names at t: values, and rates or noise if requested. */
static void set_slots(const lwi_trigger_curve *c, double t)
{
  lwi_triggers *x = c->x;
  for (int i = 0; i < c->w->shared.nname; i++) {
    const lwi_expr_name *name = &c->w->shared.name[i];
    const int k = column_of(x, name);
    if (k > TIME) lwi_curve_at(&x->curve, k, t, &x->slot[name->slot], &x->slot_rate[name->slot]);
    if (k == TIME) x->slot[name->slot] = t, x->slot_rate[name->slot] = 1;
  }
}

static double value(void *context, double t, double *noise)
{
  const lwi_trigger_curve *c = context;
  lwi_triggers *x = c->x;
  set_slots(c, t);
  for (int i = 0; i < c->w->shared.nname; i++) {
    const lwi_expr_name *name = &c->w->shared.name[i];
    const int k = column_of(x, name);
    if (k >= 0) x->slot_noise[name->slot] = k == TIME ? DBL_EPSILON * fabs(t) : x->curve.noise[k];
  }
  return lwi_expr_noise(&c->w->shared, x->slot, x->slot_noise, noise);
}

/* Rates are known as well as values, relative to themselves and to the absolute tolerance per
   second; over short times the rounding errors of values add to that. */
static double rate(void *context, double t, double *noise)
{
  const lwi_trigger_curve *c = context;
  lwi_triggers *x = c->x;
  const double steepest = 16.0 * x->curve.degree * x->curve.degree; /* |dT_d/dx| <= d^2 */
  double g, result;
  set_slots(c, t);
  for (int i = 0; i < c->w->shared.nname; i++) {
    const int slot = c->w->shared.name[i].slot;
    const int k = column_of(x, &c->w->shared.name[i]);
    if (k < 0) continue;
    const double scale = fmax(x->curve.noise[k] / x->rtol, lwi_column_least_scale(x->columns, k));
    const double rounding = steepest * DBL_EPSILON * scale / (x->curve.b - x->curve.a);
    const double relative = x->rtol * fabs(x->slot_rate[slot]);
    x->slot_noise[slot] = k == TIME ? DBL_EPSILON : relative + x->atol + rounding;
  }
  lwi_expr_dual(&c->w->shared, x->slot, 1, x->slot_rate, &g, &result);
  lwi_expr_noise(&c->w->shared, x->slot, x->slot_noise, noise);
  return result;
}

static lwi_interval common(lwi_interval a, lwi_interval b)
{
  const lwi_interval both = {fmax(a.low, b.low), fmin(a.high, b.high)};
  return both.low <= both.high ? both : a;
}

/* g(m) + gdot (t - m) with the bounds of gdot is sharper than the bounds of g alone if a name
   occurs twice. */
static lwi_bounds bounds(void *context, double a, double b)
{
  const lwi_trigger_curve *c = context;
  lwi_triggers *x = c->x;
  const double r = 0.5 * (b - a);
  for (int i = 0; i < c->w->shared.nname; i++) {
    const lwi_expr_name *name = &c->w->shared.name[i];
    const int k = column_of(x, name);
    if (k > TIME) {
      x->bounds[name->slot] = lwi_curve_bounds(&x->curve, k, a, b);
      x->bounds[name->slot].slack = x->curve.noise[k];
    }
    if (k == TIME) x->bounds[name->slot] = (lwi_bounds){.value = {a, b}, .rate = {1, 1}};
  }
  lwi_bounds result = lwi_expr_bounds(&c->w->shared, x->bounds);
  const double reach = fmax(-result.rate.low, result.rate.high) * r;
  if (!isfinite(reach) || result.partial) return result;
  double noise;
  const double g = value(context, a + r, &noise);
  const lwi_interval sharper = {g - reach - noise, g + reach + noise};
  if (isfinite(g)) result.value = common(result.value, sharper);
  return result;
}

lwi_scalar lwi_trigger_scalar(lwi_trigger_curve *c)
{
  return (lwi_scalar){.context = c, .value = value, .rate = rate, .bounds = bounds};
}
