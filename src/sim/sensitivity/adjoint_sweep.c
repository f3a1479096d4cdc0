/* SPDX-License-Identifier: Apache-2.0 */
/* adjoint_sweep.c -- the backward integration, and the integrals of lambda^T f_p.

   All lambda have the matrix f_y^T: the integrator takes the first as its system and the others as
   further blocks, as it does with derivatives.  The integrals are those of smooth functions of time:
   7 and 15 points [Pie83] on spans of many steps, whose length follows the error, so that
   f_p is found at far fewer times than there are steps. */
#include "math/kronrod.h"
#include "sim/sensitivity/adjoint_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_system base; /* in s = to - t; must be first */
  lwi_linear_motion *x;
  double to;
  int ncolumn;
  lwi_integrator *integrator;
  lwi_trajectory back; /* lambda of s, of the span that is being integrated */
  double *y;           /* [ncolumn][block] */
  double *scale;       /* [ncolumn] lambda is divided by it */
  double span, done;   /* length of the next span; up to where integrals are known */
  double rtol;
  /* integrals of a span: [ncolumn][np] */
  double *fine, *coarse, *size, *total;
  double *largest; /* [ncolumn] of sum |lambda^T f_p| so far */
  double *memory;
} sweep;

static size_t numbers(const sweep *w)
{
  return (size_t)w->ncolumn * (size_t)w->x->system->block;
}

/* ---- the system ---- */

/* f_y^T lambda */
static void transposed(const sweep *w, const double lambda[], double out[])
{
  const size_t n = (size_t)w->x->system->block;
  for (size_t i = 0; i < n; i++) {
    const double *column = w->x->f_y + i * n;
    double sum = 0;
    for (size_t k = 0; k < n; k++)
      sum += column[k] * lambda[k];
    out[i] = sum;
  }
}

static lw_status rate_first(lwi_system *base, double s, const double y[], double f[])
{
  const sweep *w = (const sweep *)base;
  const lw_status status = lwi_linear_motion_f_y(w->x, w->to - s);
  if (status == LW_OK) transposed(w, y, f);
  return status;
}

static lw_status rate_others(lwi_system *base, double s, const double y[], const double f[],
                             const double *const y_p[], double *const f_p[])
{
  const sweep *w = (const sweep *)base;
  const lw_status status = lwi_linear_motion_f_y(w->x, w->to - s);
  (void)y, (void)f;
  for (int k = 0; k < base->nblock && status == LW_OK; k++)
    transposed(w, y_p[k], f_p[k]);
  return status;
}

/* ---- integrals ---- */

static lw_status add_node(sweep *w, double a, double b, int i, double side)
{
  lwi_linear_motion *x = w->x;
  const double s = 0.5 * (a + b) + side * 0.5 * (b - a) * lwi_kronrod_node[i], h = 0.5 * (b - a);
  const size_t n = (size_t)x->system->block, np = (size_t)x->np;
  const lw_status status = lwi_linear_motion_f_p(x, w->to - s);
  if (status != LW_OK) return status;
  lwi_trajectory_get(&w->back, s, w->y);
  for (size_t c = 0; c < (size_t)w->ncolumn; c++)
    for (size_t k = 0; k < np; k++) {
      double sum = 0;
      for (size_t j = 0; j < n; j++)
        sum += w->y[c * n + j] * x->f_p[k * n + j];
      w->fine[c * np + k] += h * lwi_kronrod_weight[i] * sum;
      w->coarse[c * np + k] += h * lwi_gauss_weight[i] * sum;
      w->size[c * np + k] += h * lwi_kronrod_weight[i] * fabs(sum);
    }
  return LW_OK;
}

/* The error of 15 points from the difference to 7.  Both fall geometrically with the length of the
   span, as rules that are exact for polynomials of degree 23 and 13. */
static double error_of(double difference, double size)
{
  return size > 0 ? size * fmin(1, 10 * pow(difference / size, 24.0 / 14)) : 0;
}

/* The estimated error of the integrals from a to b over the tolerance. */
static double judge(const sweep *w)
{
  double worst = 0;
  for (int c = 0; c < w->ncolumn; c++) {
    double largest = w->largest[c], error = 0;
    for (int k = 0; k < w->x->np; k++) {
      const int i = c * w->x->np + k;
      error = fmax(error, error_of(fabs(w->fine[i] - w->coarse[i]), w->size[i]));
      largest = fmax(largest, w->largest[c] + w->size[i]);
    }
    if (error > 0) worst = fmax(worst, error / (w->rtol * largest));
  }
  return worst;
}

static lw_status measure(sweep *w, double a, double b)
{
  const size_t n = (size_t)w->ncolumn * (size_t)w->x->np;
  memset(w->fine, 0, 3 * n * sizeof(double)); /* fine, coarse, size */
  lw_status status = LW_OK;
  for (int i = 0; i < LWI_KRONROD && status == LW_OK; i++) {
    status = add_node(w, a, b, i, 1);
    if (i > 0 && status == LW_OK) status = add_node(w, a, b, i, -1);
  }
  return status;
}

/* By bisection where they are not accurate enough, down to parts of a step, in which everything is
   smooth: what remains is noise.  *first is the error of the whole. */
static lw_status integrate(sweep *w, double a, double b, int halvings, double *first)
{
  const size_t np = (size_t)w->x->np;
  lw_status status = measure(w, a, b);
  if (status != LW_OK) return status;
  const double error = judge(w), middle = 0.5 * (a + b);
  if (first) *first = error;
  if (error > 1 && halvings > 0) {
    status = integrate(w, a, middle, halvings - 1, NULL);
    return status == LW_OK ? integrate(w, middle, b, halvings - 1, NULL) : status;
  }
  for (int c = 0; c < w->ncolumn; c++) {
    double largest = 0;
    for (size_t i = (size_t)c * np; i < ((size_t)c + 1) * np; i++) {
      w->total[i] += w->fine[i];
      largest = fmax(largest, w->size[i]);
    }
    w->largest[c] += largest;
  }
  return LW_OK;
}

/* Into parts of half a step. */
static int count_halvings(const sweep *w)
{
  int n = 1;
  while (1 << n < 2 * w->back.npiece)
    n++;
  return n;
}

/* Everything that is integrated so far; the next span is as long as its error permits. */
static lw_status take_span(sweep *w)
{
  double error = 0;
  const double now = w->integrator->t, length = now - w->done;
  const lw_status status =
      w->x->np > 0 ? integrate(w, w->done, now, count_halvings(w), &error) : LW_OK;
  w->span = length * fmin(4, fmax(0.25, 0.8 * pow(fmax(error, 1e-6), -1.0 / 24)));
  w->done = now;
  lwi_trajectory_begin(&w->back, numbers(w), 0);
  return status;
}

/* ---- together ---- */

static lw_status keep_step(sweep *w, double from)
{
  lwi_integrator *it = w->integrator;
  lw_status status = lwi_trajectory_add(&w->back, from, it->t) ? LW_OK : LW_E_MEMORY;
  for (int i = 0; i < LWI_TRAJECTORY_POINTS && status == LW_OK; i++)
    status = it->get(it, lwi_trajectory_time(&w->back, i), lwi_trajectory_point(&w->back, i));
  return status;
}

static lw_status go(sweep *w, double end)
{
  enum { MOST = 1000000 };
  lwi_integrator *it = w->integrator;
  lw_status status = it->start(it, 0, w->y);
  w->span = end / 8;
  for (int steps = 0; it->t < end && status == LW_OK; steps++) {
    const double from = it->t;
    status = it->step(it, end, end);
    if (status == LW_OK && (!(it->t > from) || steps == MOST)) status = LW_E_NOT_CONVERGED;
    if (status == LW_OK) status = keep_step(w, from);
    const bool whole = it->t >= end || it->t - w->done >= w->span;
    if (status == LW_OK && whole) status = take_span(w);
  }
  return status == LW_OK ? it->get(it, end, w->y) : status;
}

/* lambda is integrated in units of its largest number. */
static bool open(sweep *w, const lw_simulation_options *options, const double lambda[])
{
  const size_t n = numbers(w), nc = (size_t)w->ncolumn, np = (size_t)w->x->np,
               block = (size_t)w->x->system->block;
  lw_simulation_options o = *options;
  if (o.integrator != LW_INTEGRATOR_ADAMS && o.integrator != LW_INTEGRATOR_BDF)
    o.integrator = LW_INTEGRATOR_AUTO;
  o.step = 0;
  o.rtol = fmax(0.1 * o.rtol, 1e-13);
  o.atol = o.rtol;
  w->rtol = options->rtol;
  w->memory = calloc(n + 2 * nc + 4 * nc * np + 1, sizeof(double));
  w->integrator = lwi_integrator_new(&w->base, &o);
  if (!w->memory || !w->integrator) return false;
  w->y = w->memory;
  w->scale = w->y + n;
  w->largest = w->scale + nc;
  w->fine = w->largest + nc;
  w->coarse = w->fine + nc * np;
  w->size = w->coarse + nc * np;
  w->total = w->size + nc * np;
  for (size_t c = 0; c < nc; c++) {
    for (size_t i = 0; i < block; i++)
      w->scale[c] = fmax(w->scale[c], fabs(lambda[c * block + i]));
    for (size_t i = 0; i < block && w->scale[c] > 0; i++)
      w->y[c * block + i] = lambda[c * block + i] / w->scale[c];
  }
  lwi_trajectory_begin(&w->back, n, 0);
  return true;
}

static void close(sweep *w)
{
  if (w->integrator) w->integrator->free(w->integrator);
  lwi_trajectory_free(&w->back);
  free(w->memory);
}

lw_status lwi_adjoint_sweep(lwi_linear_motion *x, const lw_simulation_options *options,
                            lwi_interrupt *interrupt, double from, double to, int ncolumn,
                            double lambda[], double by_p[])
{
  const size_t n = (size_t)x->system->block, np = (size_t)x->np;
  sweep w = {.base = {.interrupt = interrupt,
                      .nblock = ncolumn - 1,
                      .n = ncolumn * x->system->block,
                      .nposition = x->system->block,
                      .weakest = 1,
                      .rate = rate_first,
                      .rate_first = rate_first,
                      .rate_others = rate_others},
             .x = x,
             .to = to,
             .ncolumn = ncolumn};
  memset(by_p, 0, (size_t)ncolumn * np * sizeof *by_p);
  if (!(to > from) || ncolumn == 0 || n == 0) return LW_OK;
  lw_status status = open(&w, options, lambda) ? go(&w, to - from) : LW_E_MEMORY;
  if (status != LW_OK && w.base.failure != LW_OK && status != LW_E_MEMORY) status = w.base.failure;
  for (size_t c = 0; c < (size_t)ncolumn && status == LW_OK; c++) {
    for (size_t i = 0; i < n; i++)
      lambda[c * n + i] = w.y[c * n + i] * w.scale[c];
    for (size_t k = 0; k < np; k++)
      by_p[c * np + k] = w.total[c * np + k] * w.scale[c];
  }
  close(&w);
  return status;
}
