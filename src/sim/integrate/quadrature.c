/* SPDX-License-Identifier: Apache-2.0 */
/* quadrature.c -- integrals over a step: Newton's interpolation of samples at the ends of steps,
   and adaptive Gauss-Lobatto-Kronrod quadrature inside a step [Gander2000]. */
#include "sim/integrate/quadrature.h"

#include <math.h>
#include <string.h>

/* ---- samples ---- */

/* f[t0 t1 ... tk] = (f[t0 ... t(k-1)] - f[t1 ... tk]) / (t0 - tk) */
void lwi_samples_add(lwi_samples *s, double t, double f)
{
  if (s->n > 0 && !(t > s->t[0])) s->n = 0;
  const int kept = s->n < LWI_MOST_SAMPLES ? s->n : LWI_MOST_SAMPLES - 1;
  double before = s->c[0];
  s->c[0] = f;
  for (int k = 1; k <= kept; k++) {
    const double next = s->c[k];
    s->c[k] = (s->c[k - 1] - before) / (t - s->t[k - 1]);
    before = next;
  }
  memmove(s->t + 1, s->t, (size_t)kept * sizeof(double));
  s->t[0] = t;
  s->f[1] = s->f[0];
  s->f[0] = f;
  s->n = kept + 1;
}

/* Integrals of (t - t0) ... (t - t(k-1)) by the Gauss rule of seven points, which is exact here. A
   single term proves nothing: it may be small by chance. */
lwi_integral lwi_samples_integrate(const lwi_samples *s, double a, double b)
{
  static const double x[7] = {-0.949107912342758525, -0.741531185599394440,
                              -0.405845151377397167, 0,
                              0.405845151377397167,  0.741531185599394440,
                              0.949107912342758525},
                      w[7] = {0.129484966168869693, 0.279705391489276668, 0.381830050505118945,
                              0.417959183673469388, 0.381830050505118945, 0.279705391489276668,
                              0.129484966168869693};
  double sum = 0, before = HUGE_VAL, at[7], product[7];
  lwi_integral best = {0, HUGE_VAL};
  for (int i = 0; i < 7; i++) {
    at[i] = 0.5 * (a + b) + 0.5 * (b - a) * x[i];
    product[i] = 0.5 * (b - a) * w[i];
  }
  for (int k = 0; k < s->n; k++) {
    double integral = 0;
    for (int i = 0; i < 7; i++) {
      integral += product[i];
      product[i] *= at[i] - s->t[k];
    }
    const double term = s->c[k] * integral, size = fabs(term);
    sum += term;
    if (k == 0 || size + before < best.error) best = (lwi_integral){sum, size + before};
    before = size;
  }
  if (!isfinite(best.error)) best.error = before;
  return best;
}

/* ---- inside a step ---- */

enum { DEEPEST = 6 };
/* Half an interval has at most a quarter of the error, even at a kink; rounding errors of the integrand leave a half of it,
   and no further division helps. */
static const double noisy = 0.4;

typedef struct {
  double t, f;
} node;

/* |seven points - four points| is the error of the four; that of the seven is of higher order. */
static double estimate(double difference, double size)
{
  const double part = size > 0 ? 10 * difference / size : 0;
  return part < 1 ? size * part * sqrt(part) : difference;
}

/* before: the error of the interval of which this is a half */
static lw_status integrate(lwi_integrand *f, const void *context, node a, node b, double enough,
                           double before, int depth, lwi_integral *out)
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
  if (error <= enough || depth == DEEPEST || error > noisy * before) {
    out->value += seven;
    out->error += error;
    return LW_OK;
  }
  lw_status status = LW_OK;
  for (int i = 0; i < 2 && status == LW_OK; i++)
    status = integrate(f, context, x[3 * i], x[3 * i + 3], enough / 2, error, depth + 1, out);
  return status;
}

lw_status lwi_integrate(lwi_integrand *f, const void *context, double a, double b, double f_a,
                        double f_b, double enough, lwi_integral *out)
{
  *out = (lwi_integral){0, 0};
  return integrate(f, context, (node){a, f_a}, (node){b, f_b}, enough, HUGE_VAL, 0, out);
}
