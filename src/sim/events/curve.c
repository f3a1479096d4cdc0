/* SPDX-License-Identifier: Apache-2.0 */
/* curve.c -- columns along a piece of a step as Chebyshev polynomials: sampling at Chebyshev
   points, coefficients, bounds of what they omit, and evaluation by Clenshaw's recurrence. */
#include "sim/events/curve.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
/* ratio of lengths of a piece and the one before up to which the parabola may be used */
static const double longer = 2;

bool lwi_curve_init(lwi_curve *x, int n)
{
  const size_t size = (size_t)n + 1;
  *x = (lwi_curve){.n = n};
  for (int k = 0; k < 2 * LWI_CURVE_DEGREE; k++)
    x->cosine[k] = cos(k * PI / LWI_CURVE_DEGREE);
  x->samples = calloc(size * (LWI_CURVE_NODES + 2), sizeof(double));
  for (int k = 0; k < LWI_CURVE_NODES && x->samples; k++)
    x->node[k] = x->samples + (size_t)k * size;
  if (x->samples) {
    x->before = x->samples + LWI_CURVE_NODES * size;
    x->ahead = x->before + size;
  }
  x->c = calloc(size * LWI_CURVE_NODES, sizeof(double));
  x->noise = calloc(size, sizeof(double));
  x->node_noise = calloc(size, sizeof(double));
  x->missing = calloc(size, sizeof(double));
  x->spread = calloc(size, sizeof(double));
  x->curvature = calloc(size, sizeof(double));
  x->fitted = calloc(size, sizeof(int));
  return x->samples && x->c && x->noise && x->node_noise && x->missing && x->spread &&
         x->curvature && x->fitted;
}

void lwi_curve_free(lwi_curve *x)
{
  free(x->samples);
  free(x->c);
  free(x->noise);
  free(x->node_noise);
  free(x->missing);
  free(x->spread);
  free(x->curvature);
  free(x->fitted);
  *x = (lwi_curve){0};
}

/* ---- sample ---- */

static double time_of(const lwi_curve *x, int node)
{
  if (node == 0) return x->a;
  if (node == LWI_CURVE_DEGREE) return x->b;
  return 0.5 * (x->a + x->b) - 0.5 * (x->b - x->a) * x->cosine[node];
}

static lw_status take_sample(lwi_curve *x, int node, bool rough)
{
  const bool inner = node > 0 && node < LWI_CURVE_DEGREE;
  const lw_status status =
      x->sampler(x->context, time_of(x, node), rough, x->node[node], inner ? x->node_noise : NULL);
  x->rough[node] = rough;
  for (int i = 0; i < x->n && inner; i++)
    x->noise[i] = fmax(x->noise[i], x->node_noise[i]);
  return status;
}

void lwi_curve_forget(lwi_curve *x)
{
  x->continues = false;
}

lw_status lwi_curve_begin(lwi_curve *x, double a, double b, bool known, lwi_sampler *sampler,
                          void *context)
{
  enum { LAST = LWI_CURVE_DEGREE };
  const bool goes_on = x->continues && x->b == a;
  const double before = x->b - x->a;
  x->has_before = goes_on && b - a <= longer * before;
  if (x->has_before) {
    x->stretch = (b - a) / before;
    x->bend = 0.125 * (b - a) / (before + (b - a));
  }
  double *free_row = x->before;
  x->before = x->node[0];
  x->node[0] = x->node[LAST];
  x->node[LAST] = free_row;
  for (int i = 0; i < x->n && x->refined; i++)
    x->fitted[i] = 0, x->noise[i] = 0;
  x->refined = false;
  x->before_t = x->a;
  x->a = a;
  x->b = b;
  x->degree = 1;
  x->sampler = sampler;
  x->context = context;
  x->rough[0] = x->rough[LAST];
  lw_status status = goes_on ? LW_OK : take_sample(x, 0, true);
  if (known) {
    double *row = x->ahead;
    x->ahead = x->node[LAST];
    x->node[LAST] = row;
    x->rough[LAST] = true;
  } else if (status == LW_OK) {
    status = take_sample(x, LAST, true);
  }
  if (status == LW_OK && !x->has_before) status = lwi_curve_refine(x);
  x->continues = status == LW_OK;
  return status;
}

lw_status lwi_curve_refine(lwi_curve *x)
{
  enum { LAST = LWI_CURVE_DEGREE };
  const int stride = LAST / (2 * x->degree);
  const bool rough = x->degree == 1; /* from degree 2 on samples must be accurate */
  lw_status status = LW_OK;
  x->refined = true;
  for (int node = 0; node <= LAST && !rough && status == LW_OK; node += 2 * stride)
    if (x->rough[node]) status = take_sample(x, node, false);
  for (int node = stride; node < LAST && status == LW_OK; node += 2 * stride)
    status = take_sample(x, node, rough);
  x->degree *= 2;
  return status;
}

/* ---- fit ---- */

/* c[k] = 2/d sum f(j) T_k(x_j), x_j = -cos(j pi/d), with the first and last term of sums and
   coefficients halved */
static void find_coefficients(const lwi_curve *x, int i, double c[])
{
  const int d = x->degree, stride = LWI_CURVE_DEGREE / d;
  for (int k = 0; k <= d; k++) {
    double sum = 0;
    for (int j = 0; j <= d; j++) {
      const double f = x->node[j * stride][i] * (j == 0 || j == d ? 0.5 : 1);
      sum += f * x->cosine[j * k * stride % (2 * LWI_CURVE_DEGREE)];
    }
    c[k] = sum * (k == 0 || k == d ? 1 : 2) / d * (k % 2 ? -1 : 1);
  }
}

static double *coefficients(const lwi_curve *x, int i)
{
  return x->c + (size_t)i * LWI_CURVE_NODES;
}

/* It is an extrapolation: c[2] is missing twice. */
static void fit_parabola(lwi_curve *x, int i, double c[3])
{
  const double h = x->b - x->a;
  lwi_curve_parabola(x, i, c);
  x->missing[i] = 2 * fabs(c[2]) + 0.05 * fabs(c[1]);
  x->spread[i] = fabs(c[1]) + fabs(c[2]);
  x->curvature[i] = 16 * fabs(c[2]) / (h * h);
  x->fitted[i] = 1;
}

/* |T_k| <= 1, |d^2 T_k/dx^2| <= k^2 (k^2 - 1) / 3 */
static void fit(lwi_curve *x, int i)
{
  const int d = x->degree;
  double *c = coefficients(x, i), spread = 0, curvature = 0;
  if (x->fitted[i] == x->degree) return;
  x->refined = true;
  if (d == 1) {
    fit_parabola(x, i, c);
    return;
  }
  find_coefficients(x, i, c);
  for (int k = 1; k <= d; k++) {
    spread += fabs(c[k]);
    curvature += fabs(c[k]) * k * k * (k * k - 1) / 3.0;
  }
  const double rate = 2 / (x->b - x->a);
  x->missing[i] = fabs(c[d]) + (d == 2 ? 0.05 : 1) * fabs(c[d - 1]);
  x->spread[i] = spread;
  x->curvature[i] = curvature * rate * rate;
  x->fitted[i] = x->degree;
}

bool lwi_curve_resolves(lwi_curve *x, int i)
{
  fit(x, i);
  return x->degree > 2 && !(x->missing[i] > x->noise[i]);
}

lwi_interval lwi_curve_range(lwi_curve *x, int i)
{
  fit(x, i);
  const double middle = coefficients(x, i)[0];
  const double reach = x->spread[i] + x->missing[i] + x->noise[i];
  return (lwi_interval){middle - reach, middle + reach};
}

/* Value and derivative by Clenshaw's recurrence. */
void lwi_curve_at(lwi_curve *x, int i, double t, double *value, double *rate)
{
  fit(x, i);
  const double *c = coefficients(x, i), h = x->b - x->a;
  const double s = h > 0 ? ((t - x->a) - (x->b - t)) / h : 0;
  double p1 = 0, p2 = 0, d1 = 0, d2 = 0;
  for (int k = x->degree; k > 0; k--) {
    const double p = c[k] + 2 * s * p1 - p2, d = 2 * p1 + 2 * s * d1 - d2;
    p2 = p1;
    p1 = p;
    d2 = d1;
    d1 = d;
  }
  *value = c[0] + s * p1 - p2;
  *rate = (p1 + s * d1 - d2) * 2 / h;
}

lwi_bounds lwi_curve_bounds(lwi_curve *x, int i, double a, double b)
{
  const double r = 0.5 * (b - a), second = x->curvature[i];
  double value, rate;
  lwi_curve_at(x, i, a + r, &value, &rate);
  const double reach = (fabs(rate) + 0.5 * second * r) * r;
  return (lwi_bounds){.value = {value - reach, value + reach},
                      .rate = {rate - second * r, rate + second * r}};
}
