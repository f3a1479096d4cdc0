/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c -- what the results of many cases say: moments, quantiles, correlation, Sobol' indices.

   With f(A), f(B) and f(AB_k) the results of point j of Saltelli's design, N points and V the variance of f(A) and f(B),

     first_k = 1/N sum (f(B) - f0) (f(AB_k) - f(A)) / V         (Saltelli et al., Comput. Phys. Commun. 181, 2010)
     total_k = 1/(2N) sum (f(A) - f(AB_k))^2 / V                (Jansen, 1999)

   where f0 is the mean, which does not change the expectation and takes away most of the scatter. */
#include "linkwork/study.h"
#include "math/arrays.h"
#include "study/hash.h"

#include <math.h>
#include <stdlib.h>

/* between the sorted numbers: 0 is the first, 1 the last */
static double quantile_of(const double x[], long n, double p)
{
  const double at = p * (double)(n - 1);
  const long i = (long)at;
  return i >= n - 1 ? x[n - 1] : x[i] + (at - (double)i) * (x[i + 1] - x[i]);
}

lw_status lw_find_statistics(const double x[], long n, lw_statistics *out)
{
  static const double p[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
  if (!out || n < 0 || (n > 0 && !x)) return LW_E_ARG;
  *out = (lw_statistics){.mean = NAN, .deviation = NAN, .least = NAN, .most = NAN};
  for (int k = 0; k < 5; k++)
    out->quantile[k] = NAN;
  double *sorted = malloc(((size_t)n + 1) * sizeof *sorted), mean = 0, squares = 0;
  if (!sorted) return LW_E_MEMORY;
  for (long i = 0; i < n; i++)
    if (isfinite(x[i])) sorted[out->n++] = x[i];
  qsort(sorted, (size_t)out->n, sizeof *sorted, lwi_compare_numbers);
  for (long i = 0; i < out->n; i++)
    mean += (sorted[i] - sorted[0]) / (double)out->n;
  if (out->n > 0) mean += sorted[0]; /* numbers that are all the same have this mean */
  for (long i = 0; i < out->n; i++)
    squares += (sorted[i] - mean) * (sorted[i] - mean);
  if (out->n > 0) {
    out->mean = mean;
    out->least = sorted[0];
    out->most = sorted[out->n - 1];
    for (int k = 0; k < 5; k++)
      out->quantile[k] = quantile_of(sorted, out->n, p[k]);
  }
  if (out->n > 1) out->deviation = sqrt(squares / (double)(out->n - 1));
  free(sorted);
  return LW_OK;
}

double lw_correlation(const double x[], const double y[], long n)
{
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0, count = 0;
  if (!x || !y) return (double)NAN;
  for (long i = 0; i < n; i++)
    if (isfinite(x[i]) && isfinite(y[i])) {
      count++;
      mx += (x[i] - mx) / count;
      my += (y[i] - my) / count;
    }
  for (long i = 0; i < n; i++)
    if (isfinite(x[i]) && isfinite(y[i])) {
      xx += (x[i] - mx) * (x[i] - mx);
      yy += (y[i] - my) * (y[i] - my);
      xy += (x[i] - mx) * (y[i] - my);
    }
  return xx > 0 && yy > 0 ? xy / sqrt(xx) / sqrt(yy) : (double)NAN;
}

/* ---- Sobol' indices ---- */

/* Of factor k, of the points pick[n]; NULL: all of them. */
static void find_index(const lw_design *d, const double y[], int k, const long pick[],
                       double *first, double *total)
{
  const long n = d->cases, parts = d->nfactor + 2;
  double mean = 0, variance = 0, alone = 0, with = 0;
  for (long i = 0; i < n; i++) {
    const double *f = y + (pick ? pick[i] : i) * parts;
    mean += (f[0] + f[1]) / (2 * (double)n);
  }
  for (long i = 0; i < n; i++) {
    const double *f = y + (pick ? pick[i] : i) * parts, a = f[0] - mean, b = f[1] - mean;
    variance += (a * a + b * b) / (2 * (double)n);
    alone += b * (f[2 + k] - f[0]) / (double)n;
    with += (f[0] - f[2 + k]) * (f[0] - f[2 + k]) / (2 * (double)n);
  }
  *first = alone / variance;
  *total = with / variance;
}

enum { RESAMPLES = 400 };

/* Intervals from resampled points; the same points for every factor. */
static void find_intervals(const lw_design *d, const double y[], int k, long pick[],
                           double resampled[2][RESAMPLES], lw_sobol_index *out)
{
  for (int r = 0; r < RESAMPLES; r++) {
    for (long i = 0; i < d->cases; i++)
      pick[i] = (long)(lwi_hash_fraction(lwi_hash((uint64_t)r, (uint64_t)i)) * (double)d->cases);
    find_index(d, y, k, pick, &resampled[0][r], &resampled[1][r]);
  }
  for (int kind = 0; kind < 2; kind++)
    qsort(resampled[kind], RESAMPLES, sizeof(double), lwi_compare_numbers);
  out->first_low = quantile_of(resampled[0], RESAMPLES, 0.025);
  out->first_high = quantile_of(resampled[0], RESAMPLES, 0.975);
  out->total_low = quantile_of(resampled[1], RESAMPLES, 0.025);
  out->total_high = quantile_of(resampled[1], RESAMPLES, 0.975);
}

lw_status lw_sobol_indices(const lw_design *d, const double y[], lw_sobol_index out[])
{
  const long n = lw_design_cases(d, NULL);
  if (n == 0 || d->kind != LW_DESIGN_INDICES || !y || !out) return LW_E_ARG;
  bool varies = false;
  for (long i = 0; i < n; i++) {
    if (!isfinite(y[i])) return LW_E_NUMBER;
    varies = varies || (i % (d->nfactor + 2) < 2 && y[i] != y[0]);
  }
  if (!varies) return LW_E_NUMBER;
  long *pick = malloc((size_t)d->cases * sizeof *pick);
  double(*resampled)[RESAMPLES] = malloc(2 * sizeof *resampled);
  const bool allocated = pick && resampled;
  for (int k = 0; k < d->nfactor && allocated; k++) {
    find_index(d, y, k, NULL, &out[k].first, &out[k].total);
    find_intervals(d, y, k, pick, resampled, &out[k]);
  }
  free(pick);
  free(resampled);
  return allocated ? LW_OK : LW_E_MEMORY;
}
