/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/quadrature.h"

#include <math.h>
#include <string.h>

/* ---- samples ---- */

void lwi_samples_add(lwi_samples *s, double t, double f)
{
  if (s->n > 0 && !(t > s->t[0])) s->n = 0;
  const int kept = s->n < LWI_MOST_SAMPLES ? s->n : LWI_MOST_SAMPLES - 1;
  memmove(s->t + 1, s->t, (size_t)kept * sizeof(double));
  memmove(s->f + 1, s->f, (size_t)kept * sizeof(double));
  s->t[0] = t;
  s->f[0] = f;
  s->n = kept + 1;
}

/* Integral of (t - t[0]) ... (t - t[k-1]) from a to b; Gauss's rule of five points is exact here. */
static double integrate_product(const lwi_samples *s, int k, double a, double b)
{
  static const double x[5] = {-0.906179845938663993, -0.538469310105683091, 0, 0.538469310105683091,
                              0.906179845938663993},
                      w[5] = {0.236926885056189088, 0.478628670499366468, 0.568888888888888889,
                              0.478628670499366468, 0.236926885056189088};
  double sum = 0;
  for (int i = 0; i < 5; i++) {
    const double t = 0.5 * (a + b) + 0.5 * (b - a) * x[i];
    double product = 1;
    for (int j = 0; j < k; j++)
      product *= t - s->t[j];
    sum += w[i] * product;
  }
  return 0.5 * (b - a) * sum;
}

/* Of one term alone nothing can be concluded: it may be small by chance. */
lwi_integral lwi_samples_integrate(const lwi_samples *s, double a, double b)
{
  double c[LWI_MOST_SAMPLES]; /* divided differences */
  double sum = 0, before = HUGE_VAL;
  lwi_integral best = {0, HUGE_VAL};
  memcpy(c, s->f, (size_t)s->n * sizeof(double));
  for (int k = 0; k < s->n; k++) {
    const double term = c[0] * integrate_product(s, k, a, b), size = fabs(term);
    sum += term;
    if (k == 0 || size + before < best.error) best = (lwi_integral){sum, size + before};
    before = size;
    for (int i = 0; i + k + 1 < s->n; i++)
      c[i] = (c[i] - c[i + 1]) / (s->t[i] - s->t[i + k + 1]);
  }
  if (!isfinite(best.error)) best.error = before;
  return best;
}

/* ---- inside a step ---- */

enum { DEEPEST = 6 };

typedef struct {
  double t, f;
} node;

/* |seven points - four points| is the error of the four; that of the seven is of a higher order. */
static double estimate(double difference, double size)
{
  const double part = size > 0 ? 10 * difference / size : 0;
  return part < 1 ? size * part * sqrt(part) : difference;
}

static lw_status integrate(lwi_integrand *f, const void *context, node a, node b, double enough,
                           int depth, lwi_integral *out)
{
  const double at[5] = {-sqrt(2. / 3), -1 / sqrt(5), 0, 1 / sqrt(5), sqrt(2. / 3)};
  const double h = 0.5 * (b.t - a.t), m = a.t + h;
  node x[7] = {[0] = a, [6] = b};
  double largest = fmax(fabs(a.f), fabs(b.f));
  for (int i = 0; i < 5; i++) {
    x[i + 1].t = m + at[i] * h;
    const lw_status status = f(context, x[i + 1].t, &x[i + 1].f);
    if (status != LW_OK) return status;
    largest = fmax(largest, fabs(x[i + 1].f));
  }
  const double four = h / 6 * (a.f + b.f + 5 * (x[2].f + x[4].f));
  const double seven =
      h / 1470 *
      (77 * (a.f + b.f) + 432 * (x[1].f + x[5].f) + 625 * (x[2].f + x[4].f) + 672 * x[3].f);
  const double error = estimate(fabs(seven - four), 2 * h * largest);
  if (error <= enough || depth == DEEPEST) {
    out->value += seven;
    out->error += error;
    return LW_OK;
  }
  lw_status status = LW_OK;
  for (int i = 0; i < 2 && status == LW_OK; i++)
    status = integrate(f, context, x[3 * i], x[3 * i + 3], enough / 2, depth + 1, out);
  return status;
}

lw_status lwi_integrate(lwi_integrand *f, const void *context, double a, double b, double f_a,
                        double f_b, double enough, lwi_integral *out)
{
  *out = (lwi_integral){0, 0};
  return integrate(f, context, (node){a, f_a}, (node){b, f_b}, enough, 0, out);
}
