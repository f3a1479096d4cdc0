/* SPDX-License-Identifier: Apache-2.0 */
/* fit_statistics.c -- what residuals and their derivatives say about the parameters: covariance, intervals, and combinations that the
   measurements do not determine.

     J diag(|p|) = U diag(s) V        deviation of the relative change along row i of V: 1/s_i
     covariance = diag(|p|) sum_i v_i v_i^T / s_i^2 diag(|p|)

   over the combinations that change anything: s_i above what derivatives are accurate to. */
#include "study/fit_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double Z = 0.95; /* probability of intervals */

double lwi_fit_chi_square(const lw_fit *f)
{
  double sum = 0;
  for (long i = 0; i < f->m; i++)
    sum += f->r[i] * f->r[i];
  return sum;
}

static bool allocate(lw_fit *f)
{
  const size_t n = (size_t)f->n;
  free(f->unknown);
  free(f->undetermined);
  free(f->covariance);
  free(f->combination);
  f->unknown = calloc(n, sizeof *f->unknown);
  f->undetermined = calloc(n, sizeof *f->undetermined);
  f->covariance = calloc(n * n + n, sizeof *f->covariance);
  f->combination = calloc(n * n + n, sizeof *f->combination);
  f->deviation = f->covariance ? f->covariance + n * n : NULL;
  f->combination_deviation = f->combination ? f->combination + n * n : NULL;
  return f->unknown && f->undetermined && f->covariance && f->combination;
}

static void choose_unknowns(lw_fit *f)
{
  const lwi_least_squares p = {.n = f->n, .m = (int)f->m, .min = f->min, .max = f->max};
  lwi_least_squares_held(&p, f->value, f->r, f->J, f->held);
  f->nfree = 0;
  for (int k = 0; k < f->n; k++) {
    const double size = f->value[k] != 0 ? f->value[k] : f->start[k];
    f->scale[k] = size != 0 ? fabs(size) : 1;
    if (!f->held[k]) f->unknown[f->nfree++] = k;
  }
}

/* Singular values s[nfree] and V[nfree][nfree] of the scaled derivatives. */
static bool decompose(const lw_fit *f, double s[], double V[])
{
  const size_t n = (size_t)f->nfree, m = (size_t)f->m;
  double *A = malloc((n * m + m + n * n + 1) * sizeof *A);
  if (!A) return false;
  double *b = A + n * m, *R = b + m;
  memcpy(b, f->r, m * sizeof *b);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < m; i++)
      A[k * m + i] = f->scale[f->unknown[k]] * f->J[(size_t)f->unknown[k] * m + i];
  lwi_orthogonalise((int)m, (int)n, A, b, R);
  lwi_singular_values((int)n, R, s, V);
  free(A);
  return true;
}

/* Combination i, which comes to place `to`. */
static void put_combination(lw_fit *f, int to, const double v[], double deviation)
{
  for (int k = 0; k < f->nfree; k++) {
    f->combination[to * f->n + f->unknown[k]] = v[k];
    if (isinf(deviation) && fabs(v[k]) > 1e-3) f->undetermined[f->unknown[k]] = true;
  }
  f->combination_deviation[to] = deviation;
  for (int i = 0; i < f->nfree && isfinite(deviation); i++)
    for (int k = 0; k < f->nfree; k++) {
      const int a = f->unknown[i], b = f->unknown[k];
      f->covariance[a * f->n + b] +=
          f->scale[a] * f->scale[b] * v[i] * v[k] * deviation * deviation;
    }
}

lw_status lwi_fit_evaluate(lw_fit *f)
{
  const size_t n = (size_t)f->n;
  double *s = malloc((n * n + n) * sizeof *s), *V = s + n;
  if (!s || !allocate(f)) return free(s), LW_E_MEMORY;
  choose_unknowns(f);
  const bool allocated = decompose(f, s, V);
  const double least = fmax(1e-10, 100 * f->rtol);
  for (int i = 0; i < f->nfree && allocated; i++) {
    const bool seen = s[i] > least * s[0];
    put_combination(f, f->nfree - 1 - i, V + i * f->nfree, seen ? 1 / s[i] : (double)HUGE_VAL);
  }
  for (int k = 0; k < f->n; k++)
    f->deviation[k] = f->held[k]           ? (double)NAN
                      : f->undetermined[k] ? (double)HUGE_VAL
                                           : sqrt(f->covariance[k * f->n + k]);
  free(s);
  return allocated ? LW_OK : LW_E_MEMORY;
}

/* ---- ask ---- */

lw_fit_state lw_fit_get_state(const lw_fit *f)
{
  if (!f) return (lw_fit_state){0};
  return (lw_fit_state){f->iterations, f->runs, lwi_fit_chi_square(f), f->value};
}

int lw_fit_nparameter(const lw_fit *f)
{
  return f ? f->n : 0;
}

long lw_fit_freedom(const lw_fit *f)
{
  return f ? f->m - f->n : 0;
}

/* Of the intervals: the noise of all columns is known, or estimated. */
static double find_freedom(const lw_fit *f)
{
  bool known = true;
  for (int c = 0; c < f->ncolumn; c++)
    known = known && f->column[c].given;
  return known ? (double)HUGE_VAL : (double)lw_fit_freedom(f);
}

lw_fit_parameter lw_fit_get_parameter(const lw_fit *f, int i)
{
  if (!f || i < 0 || i >= f->n) return (lw_fit_parameter){0};
  lw_fit_parameter p = {.name = f->name[i], .start = f->start[i], .value = f->value[i]};
  p.min = f->min[i];
  p.max = f->max[i];
  p.deviation = p.low = p.high = (double)NAN;
  if (!f->solved) return p;
  p.deviation = f->deviation[i];
  p.role = f->held[i]           ? f->value[i] <= f->min[i] ? LW_FIT_AT_MIN : LW_FIT_AT_MAX
           : f->undetermined[i] ? LW_FIT_UNDETERMINED
                                : LW_FIT_DETERMINED;
  const double freedom = find_freedom(f);
  const double half =
      freedom > 0 ? lw_student_quantile(Z, freedom) * p.deviation : (double)HUGE_VAL;
  p.low = p.value - half;
  p.high = p.value + half;
  return p;
}

double lw_fit_covariance(const lw_fit *f, int i, int k)
{
  if (!f || !f->solved || i < 0 || k < 0 || i >= f->n || k >= f->n) return (double)NAN;
  return f->held[i] || f->held[k] ? (double)NAN : f->covariance[i * f->n + k];
}

double lw_fit_correlation(const lw_fit *f, int i, int k)
{
  const double both = lw_fit_covariance(f, i, k);
  if (!isnan(both) && (f->undetermined[i] || f->undetermined[k])) return (double)NAN;
  if (i == k) return isnan(both) ? both : 1;
  return both / sqrt(lw_fit_covariance(f, i, i)) / sqrt(lw_fit_covariance(f, k, k));
}

int lw_fit_ncombination(const lw_fit *f)
{
  return f && f->solved ? f->nfree : 0;
}

lw_fit_combination lw_fit_get_combination(const lw_fit *f, int i)
{
  if (i < 0 || i >= lw_fit_ncombination(f)) return (lw_fit_combination){0};
  return (lw_fit_combination){f->combination_deviation[i], f->combination + i * f->n};
}

int lw_fit_ncolumn(const lw_fit *f)
{
  return f ? f->ncolumn : 0;
}

lw_fit_column lw_fit_get_column(const lw_fit *f, int i)
{
  if (!f || i < 0 || i >= f->ncolumn) return (lw_fit_column){0};
  const lwi_fit_column *c = &f->column[i];
  return (lw_fit_column){.name = c->name,
                         .n = c->n,
                         .noise = c->noise,
                         .estimated = !c->given,
                         .residual = c->n > 0 ? sqrt(c->squares / (double)c->n) : (double)NAN};
}

const double *lw_fit_model(const lw_fit *f, int data)
{
  return f && data >= 0 && data < f->ndata ? f->data[data].best : NULL;
}
