/* SPDX-License-Identifier: Apache-2.0 */
/* design.c -- the values of the parameters of each case.

   A design gives each factor a number u from 0 to 1, which its distribution turns into a value: x =
   F^-1(u).  u follows from the seed, the factor and the number of the case by a hash, so that no
   case needs another one. */
#include "base/fail.h"
#include "linkwork/study.h"
#include "study/hash.h"
#include "study/sobol_sequence.h"

#include <math.h>

/* ---- distributions ---- */

/* Phi^-1: by bisection of erfc, which has all digits in both tails. */
static double normal_quantile(double u)
{
  double low = -40, high = 40;
  for (int k = 0; k < 200 && low < high; k++) {
    const double x = 0.5 * (low + high);
    if (x <= low || x >= high) break;
    if (0.5 * erfc(-x / sqrt(2)) < u)
      low = x;
    else
      high = x;
  }
  return 0.5 * (low + high);
}

static double quantile(const lw_factor *f, double u)
{
  if (f->kind == LW_FACTOR_NORMAL) return f->mean + f->deviation * normal_quantile(u);
  if (f->kind == LW_FACTOR_UNIFORM) return f->min + (f->max - f->min) * u;
  const int i = (int)(u * f->nvalue);
  return f->value[i < f->nvalue ? i : f->nvalue - 1];
}

/* ---- numbers from 0 to 1, never 0 or 1 ---- */

static double random_fraction(const lw_design *d, long i, int factor)
{
  return lwi_hash_fraction(lwi_hash(lwi_hash(d->seed, (uint64_t)factor), (uint64_t)i));
}

/* A permutation of 0 ... n - 1 that needs no table: a Feistel network on the next power of four,
   repeated until it leads back below n. */
static uint64_t permute(uint64_t i, uint64_t n, uint64_t key)
{
  int half = 1;
  while (half < 31 && (uint64_t)1 << (2 * half) < n)
    half++;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do
    for (int round = 0; round < 6; round++) {
      const uint64_t left = i >> half, right = i & mask;
      i = right << half | (left ^ (lwi_hash(key + (uint64_t)round, right) & mask));
    }
  while (i >= n);
  return i;
}

static double latin_fraction(const lw_design *d, long i, int factor)
{
  const uint64_t key = lwi_hash(d->seed ^ 0x1a71, (uint64_t)factor);
  const double cell = (double)permute((uint64_t)i, (uint64_t)d->cases, key);
  return (cell + random_fraction(d, i, factor)) / (double)d->cases;
}

/* the middle of a cell of 2^-32, so that neither 0 nor 1 is met */
static double sobol_fraction(const lw_design *d, long i, int dimension)
{
  const uint32_t shift = (uint32_t)(lwi_hash(d->seed ^ 0x50b01, (uint64_t)dimension) >> 32);
  return ((double)(lwi_sobol_point((uint32_t)i, dimension) ^ shift) + 0.5) / 4294967296.0;
}

/* Saltelli's cases of point j: A, B, and A with each of its columns in turn from B. */
static double indices_fraction(const lw_design *d, long i, int factor)
{
  const long parts = d->nfactor + 2, part = i % parts;
  const bool second = part == 1 || part == 2 + factor;
  return sobol_fraction(d, i / parts, second ? d->nfactor + factor : factor);
}

/* ---- grids ---- */

static long grid_points(const lw_factor *f)
{
  return f->kind == LW_FACTOR_VALUES ? f->nvalue : f->points;
}

static double grid_value(const lw_factor *f, long k)
{
  const long n = grid_points(f);
  if (f->kind == LW_FACTOR_VALUES) return f->value[k];
  if (f->kind == LW_FACTOR_NORMAL) return quantile(f, ((double)k + 0.5) / (double)n);
  if (n == 1) return 0.5 * (f->min + f->max);
  return k == n - 1 ? f->max : f->min + (f->max - f->min) * ((double)k / (double)(n - 1));
}

/* ---- the whole ---- */

static lw_status check_factor(const lw_design *d, const lw_factor *f, lw_error *err)
{
  const char *name = f->name ? f->name : "";
  if (!f->name) return lwi_fail(err, LW_E_ARG, "a factor of the study has no name");
  if (f->kind == LW_FACTOR_UNIFORM && !(f->min <= f->max && isfinite(f->max - f->min)))
    return lwi_fail(err, LW_E_ARG, "parameter \"%s\": %.10g to %.10g is no range", name, f->min,
                    f->max);
  if (f->kind == LW_FACTOR_NORMAL && !(f->deviation > 0 && isfinite(f->mean + f->deviation)))
    return lwi_fail(err, LW_E_ARG,
                    "parameter \"%s\": a standard deviation of %.10g is not positive", name,
                    f->deviation);
  if (f->kind == LW_FACTOR_VALUES && (!f->value || f->nvalue < 1))
    return lwi_fail(err, LW_E_ARG, "parameter \"%s\": no values", name);
  if (d->kind == LW_DESIGN_GRID && grid_points(f) < 1)
    return lwi_fail(err, LW_E_ARG, "parameter \"%s\": a grid needs the number of its points", name);
  return LW_OK;
}

static long count_grid(const lw_design *d, lw_error *err)
{
  double n = 1;
  for (int i = 0; i < d->nfactor; i++)
    n *= (double)grid_points(&d->factor[i]);
  if (n <= 1e9) return (long)n;
  lwi_fail(err, LW_E_ARG, "a grid of %.3g cases is too large: at most 1e9", n);
  return 0;
}

long lw_design_cases(const lw_design *d, lw_error *err)
{
  if (!d || d->nfactor < 1 || (!d->factor && d->kind != LW_DESIGN_LIST))
    return lwi_fail(err, LW_E_ARG, "a study needs at least one parameter to vary"), 0;
  for (int i = 0; i < d->nfactor && d->kind != LW_DESIGN_LIST; i++)
    if (check_factor(d, &d->factor[i], err) != LW_OK) return 0;
  if (d->kind == LW_DESIGN_GRID) return count_grid(d, err);
  if (d->cases < 1 || d->cases > 1000000000)
    return lwi_fail(err, LW_E_ARG, "a study has 1 to 1e9 cases, not %ld", d->cases), 0;
  const int most = d->kind == LW_DESIGN_SOBOL     ? LWI_SOBOL_DIMENSIONS
                   : d->kind == LW_DESIGN_INDICES ? LWI_SOBOL_DIMENSIONS / 2
                                                  : d->nfactor;
  if (d->nfactor > most)
    return lwi_fail(err, LW_E_ARG, "%d parameters, but this design takes at most %d", d->nfactor,
                    most),
           0;
  if (d->kind == LW_DESIGN_LIST && !d->list)
    return lwi_fail(err, LW_E_ARG, "a study of listed cases needs its list"), 0;
  if (d->kind != LW_DESIGN_INDICES) return d->cases;
  if (d->cases <= 1000000000 / (d->nfactor + 2)) return d->cases * (d->nfactor + 2);
  lwi_fail(err, LW_E_ARG,
           "%ld points for Sobol' indices of %d parameters are %ld cases: at most 1e9", d->cases,
           d->nfactor, d->cases * (d->nfactor + 2));
  return 0;
}

lw_status lw_design_values(const lw_design *d, long i, double x[])
{
  const long n = lw_design_cases(d, NULL);
  if (i < 0 || i >= n || !x) return LW_E_ARG;
  long rest = i;
  for (int k = d->nfactor - 1; k >= 0; k--) {
    const lw_factor *f = d->factor ? &d->factor[k] : NULL;
    switch (d->kind) {
    case LW_DESIGN_GRID:
      x[k] = grid_value(f, rest % grid_points(f));
      rest /= grid_points(f);
      break;
    case LW_DESIGN_LATIN: x[k] = quantile(f, latin_fraction(d, i, k)); break;
    case LW_DESIGN_SOBOL: x[k] = quantile(f, sobol_fraction(d, i, k)); break;
    case LW_DESIGN_RANDOM: x[k] = quantile(f, random_fraction(d, i, k)); break;
    case LW_DESIGN_INDICES: x[k] = quantile(f, indices_fraction(d, i, k)); break;
    case LW_DESIGN_LIST: x[k] = d->list[i * d->nfactor + k]; break;
    default: return LW_E_ARG;
    }
  }
  return LW_OK;
}
