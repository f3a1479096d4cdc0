/* SPDX-License-Identifier: Apache-2.0 */
/* fixed.c -- integrator with fixed steps: equal steps from one output time to the next, none longer
   than options.step.

   Dense output of the last step: for order 4 the cubic through values and rates at its ends, whose
   error is of the order of that of the step; for order 1 a straight line.  The estimate is the
   parabola through the ends of the last two steps, which needs no evaluation. */
#include "math/finite.h"
#include "sim/integrate/hermite.h"
#include "sim/integrate/integrators.h"
#include "sim/formulation/state.h"

#include <stdlib.h>
#include <string.h>

/* Magnitudes in m, rad and their rates: implausible for a mechanism; certainly diverged. */
static const double SUSPICIOUS = 1e12, EXPLODED = 1e30;

typedef struct {
  lwi_integrator base;
  lw_integrator method;
  double longest; /* options.step */
  double target;  /* end of the present sequence of equal steps */
  double from;    /* beginning of that sequence */
  long nstep, istep;
  double *y;        /* [n] */
  lwi_hermite last; /* the last step */
  double *before;   /* [n] y at the beginning of the step before the last */
  double before_t;  /* time of `before` */
  int steps;        /* number of steps since start, at most 2 */
  bool has_rate[2]; /* the rates at the ends of the last step are known */
} fixed;

static void copy_y(const fixed *f, const double from[], double to[])
{
  if (f->last.n) memcpy(to, from, (size_t)f->last.n * sizeof(double));
}

static lw_status start(lwi_integrator *it, double t, const double y[])
{
  fixed *f = (fixed *)it;
  it->system->last = NULL; /* that may have been of f->y */
  copy_y(f, y, f->y);
  it->t = f->target = t;
  f->nstep = f->istep = 0;
  f->steps = 0;
  f->has_rate[0] = f->has_rate[1] = false;
  return LW_OK;
}

static lw_status fail_divergence(fixed *f, double most, double h)
{
  return lwi_integrator_fail(&f->base, LW_E_NUMBER,
                             "the numbers grew without bound, to %.3g: the steps of %.3g s are too "
                             "long for this motion; give a smaller --step, or an integrator that "
                             "chooses its steps",
                             most, h);
}

/* Steps that are too long lead to numbers so large that the equations cannot be solved any more.
   The message must blame the step then, not the mechanism. */
static lw_status explain(fixed *f, lw_status status, double h)
{
  const double most = lwi_largest(f->y, f->base.system->n);
  if (status == LW_E_MEMORY || status == LW_E_STOPPED)
    return lwi_integrator_fail(&f->base, status, "%s", lwi_failure_text(status));
  if (!(most < SUSPICIOUS)) return fail_divergence(f, most, h);
  return lwi_integrator_fail(&f->base, status,
                             "%s; if the step of %.3g s is too long, a smaller --step helps",
                             lwi_failure_text(status), h);
}

/* Makes the last step the one before the last. */
static void remember(fixed *f)
{
  lwi_hermite *x = &f->last;
  if (f->steps > 0) {
    copy_y(f, x->y[0], f->before);
    f->before_t = x->t[0];
  }
  copy_y(f, f->y, x->y[0]);
  if (f->has_rate[1]) copy_y(f, x->f[1], x->f[0]);
  f->has_rate[0] = f->has_rate[1];
  f->has_rate[1] = false;
  x->t[0] = f->base.t;
  x->places = 2;
  f->steps = f->steps < 2 ? f->steps + 1 : 2;
}

static lw_status step(lwi_integrator *it, double target, double end)
{
  fixed *f = (fixed *)it;
  (void)end; /* never before target */
  if (target != f->target || f->istep >= f->nstep) {
    f->from = it->t;
    f->target = target;
    f->istep = 0;
    f->nstep = (long)ceil((target - it->t) / f->longest * (1 - 1e-9));
  }

  /* times are computed from the ends, so that they do not drift and the last one is exact */
  const double part = (double)++f->istep / (double)f->nstep;
  const double next = f->istep == f->nstep ? target : f->from + part * (target - f->from);
  const double from = lwi_system_time(it->system, it->t), to = lwi_system_time(it->system, next);
  remember(f);
  const lw_status status = it->system->step(it->system, f->method, from, f->y, to - from);
  it->system->evaluations += f->method == LW_INTEGRATOR_RK4 ? 4 : 1;
  if (status != LW_OK) return explain(f, status, to - from);
  if (!(lwi_largest(f->y, it->system->n) < EXPLODED))
    return fail_divergence(f, lwi_largest(f->y, it->system->n), to - from);
  it->t = f->last.t[1] = next;
  copy_y(f, f->y, f->last.y[1]);
  return LW_OK;
}

static bool is_end(const fixed *f, double t)
{
  return f->steps == 0 || t >= f->base.t || t == f->last.t[0];
}

static void get_line(const fixed *f, double t, double y[])
{
  const lwi_hermite *x = &f->last;
  const double s = (t - x->t[0]) / (x->t[1] - x->t[0]);
  for (int i = 0; i < x->n; i++)
    y[i] = (1 - s) * x->y[0][i] + s * x->y[1][i];
}

static lw_status get(lwi_integrator *it, double t, double y[])
{
  fixed *f = (fixed *)it;
  if (is_end(f, t)) {
    copy_y(f, f->steps > 0 && t == f->last.t[0] ? f->last.y[0] : f->y, y);
    return LW_OK;
  }
  if (f->method == LW_INTEGRATOR_EULER) {
    get_line(f, t, y);
    return LW_OK;
  }
  for (int i = 0; i < 2; i++) {
    if (f->has_rate[i]) continue;
    const lw_status status = lwi_system_rate(it->system, f->last.t[i], f->last.y[i], f->last.f[i]);
    if (status != LW_OK) return lwi_integrator_fail(it, status, "%s", lwi_failure_text(status));
    f->has_rate[i] = true;
  }
  lwi_hermite_at(&f->last, t, y);
  return LW_OK;
}

/* y0 + (t - t0) ([y0, y1] + (t - t1) [y_before, y0, y1]), with Newton's divided differences */
static lw_status estimate(lwi_integrator *it, double t, double y[])
{
  const fixed *f = (const fixed *)it;
  const lwi_hermite *x = &f->last;
  if (f->steps < 2 || f->method == LW_INTEGRATOR_EULER || is_end(f, t)) return get(it, t, y);
  const double h0 = x->t[0] - f->before_t, h1 = x->t[1] - x->t[0];
  for (int i = 0; i < x->n; i++) {
    const double slope0 = (x->y[0][i] - f->before[i]) / h0, slope1 = (x->y[1][i] - x->y[0][i]) / h1;
    y[i] = x->y[0][i] + (t - x->t[0]) * (slope1 + (t - x->t[1]) * (slope1 - slope0) / (h0 + h1));
  }
  return LW_OK;
}

static void count(const lwi_integrator *it, lw_simulation_statistics *s)
{
  (void)it; /* fixed steps are never rejected */
  (void)s;
}

static void fixed_free(lwi_integrator *it)
{
  fixed *f = (fixed *)it;
  if (!f) return;
  lwi_hermite_free(&f->last);
  free(f->before);
  free(f->y);
  free(f);
}

lwi_integrator *lwi_fixed_new(lwi_system *s, const lw_simulation_options *options)
{
  fixed *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->method = options->integrator;
  f->longest = options->step;
  f->y = calloc((size_t)s->n + 1, sizeof *f->y);
  f->before = calloc((size_t)s->n + 1, sizeof *f->before);
  f->base = (lwi_integrator){.system = s,
                             .fixed = true,
                             .start = start,
                             .step = step,
                             .get = get,
                             .estimate = estimate,
                             .count = count,
                             .free = fixed_free};
  f->base.method = options->integrator == LW_INTEGRATOR_RK4 ? "Runge-Kutta, order 4, fixed steps"
                                                            : "semi-implicit Euler, fixed steps";
  f->base.now = f->y;
  if (f->y && f->before && lwi_hermite_init(&f->last, s->n, 2)) return &f->base;
  fixed_free(&f->base);
  return NULL;
}
