/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_summary.c -- what the results of a sweep say: statistics, correlation with the parameters,
   Sobol' indices. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* False: out of memory. */
static bool find_statistics(sweep_sample *s)
{
  const size_t nresult = (size_t)s->nresult, nfactor = (size_t)s->d->nfactor;
  s->statistics = calloc(nresult + 1, sizeof *s->statistics);
  s->index = calloc(nresult * nfactor + 1, sizeof *s->index);
  s->has_index = calloc(nresult + 1, sizeof *s->has_index);
  if (!s->statistics || !s->index || !s->has_index) return false;
  for (int k = 0; k < s->nresult; k++) {
    const double *y = s->result + k * s->t->n;
    lw_status status = lw_find_statistics(y, s->t->n, &s->statistics[k]);
    if (status == LW_OK && s->d->kind == LW_DESIGN_INDICES) {
      status = lw_sobol_indices(s->d, y, s->index + k * s->d->nfactor);
      s->has_index[k] = status == LW_OK;
    }
    if (status == LW_E_MEMORY) return false;
  }
  return true;
}

bool sweep_sample_start(sweep_sample *s, const sweep_table *t)
{
  const lw_design *d = lw_study_design(t->y);
  const size_t n = (size_t)t->n;
  *s = (sweep_sample){.t = t, .d = d, .nresult = lw_study_nresult(t->y)};
  s->result = malloc(n * (size_t)s->nresult * sizeof *s->result);
  s->value = malloc(n * (size_t)d->nfactor * sizeof *s->value);
  double *x = malloc((size_t)d->nfactor * sizeof *x);
  const bool allocated = s->result && s->value && x;
  for (long i = 0; i < t->n && allocated; i++) {
    lw_design_values(d, i, x);
    for (int k = 0; k < d->nfactor; k++)
      s->value[k * t->n + i] = x[k];
    for (int k = 0; k < s->nresult; k++)
      s->result[k * t->n + i] = t->line[i] ? t->result[i * s->nresult + k] : (double)NAN;
  }
  free(x);
  return allocated && find_statistics(s);
}

void sweep_sample_free(sweep_sample *s)
{
  free(s->result);
  free(s->value);
  free(s->statistics);
  free(s->index);
  free(s->has_index);
}

/* ---- terminal ---- */

/* "-": there is none */
static void print_number(double x)
{
  if (isfinite(x))
    printf(" %13.6g", x);
  else
    printf(" %13s", "-");
}

static void print_statistics(const sweep_sample *s)
{
  printf("\n  %-20s %13s %13s %13s %13s %13s %13s %13s\n", "result", "mean", "deviation", "least",
         "5 %", "median", "95 %", "most");
  for (int k = 0; k < s->nresult; k++) {
    const lw_statistics x = s->statistics[k];
    const double number[] = {x.mean,        x.deviation,   x.least, x.quantile[0],
                             x.quantile[2], x.quantile[4], x.most};
    printf("  %-20s", show(lw_study_result_name(s->t->y, k)).text);
    for (int i = 0; i < 7; i++)
      print_number(number[i]);
    printf("\n");
  }
}

static void print_correlations(const sweep_sample *s)
{
  printf("\n  %-20s", "correlation");
  for (int i = 0; i < s->d->nfactor; i++)
    printf(" %9.9s", show(s->d->factor[i].name).text);
  printf("\n");
  for (int k = 0; k < s->nresult; k++) {
    printf("  %-20s", show(lw_study_result_name(s->t->y, k)).text);
    for (int i = 0; i < s->d->nfactor; i++) {
      const double r = lw_correlation(s->value + i * s->t->n, s->result + k * s->t->n, s->t->n);
      if (isnan(r))
        printf(" %9s", "-");
      else
        printf(" %9.3f", r);
    }
    printf("\n");
  }
}

static void print_indices(const sweep_sample *s)
{
  printf("\n  Sobol' indices: share of the variance by the parameter alone, and with all others\n");
  for (int k = 0; k < s->nresult; k++) {
    const char *name = lw_study_result_name(s->t->y, k);
    const lw_sobol_index *x = s->index + k * s->d->nfactor;
    if (!s->has_index[k])
      printf("  %s: none, since it does not vary, or a case has no result\n", show(name).text);
    for (int i = 0; i < s->d->nfactor && s->has_index[k]; i++)
      printf("  %-20s %-12s first %7.4f (%7.4f to %7.4f)   total %7.4f (%7.4f to %7.4f)\n",
             i ? "" : show(name).text, show(s->d->factor[i].name).text, x[i].first, x[i].first_low,
             x[i].first_high, x[i].total, x[i].total_low, x[i].total_high);
  }
}

/* The first message of those that failed. */
static void print_failures(const sweep_table *t)
{
  if (t->failed == 0) return;
  for (long i = 0; i < t->n; i++) {
    if (!t->line[i] || strstr(t->line[i], ",ok,\n")) continue;
    char *text = t->line[i] + strcspn(t->line[i], ",");
    for (int k = lw_study_design(t->y)->nfactor + lw_study_nresult(t->y) + 2; k > 0; k--)
      text += 1 + strcspn(text + 1, ",");
    text[strcspn(text, "\n")] = '\0';
    printf("  %ld failed, the first of them case %ld: %s\n", t->failed, i + 1, show(text + 1).text);
    return;
  }
}

bool print_summary(const cli_args *a, const sweep_table *t)
{
  const lw_design *d = lw_study_design(t->y);
  sweep_sample s;
  const bool allocated = sweep_sample_start(&s, t);
  printf("%s: %ld case%s, %s of %d parameter%s, seed %llu\n", show(a->model).text, t->n,
         plural(t->n), design_words(d), d->nfactor, plural(d->nfactor), d->seed);
  if (t->reused) printf("  %ld computed before, %ld now\n", t->reused, t->done - t->reused);
  if (t->done < t->n) printf("  %ld not computed\n", t->n - t->done);
  print_failures(t);
  if (allocated) {
    print_statistics(&s);
    if (d->nfactor <= 12) print_correlations(&s);
    if (d->kind == LW_DESIGN_INDICES) print_indices(&s);
  }
  sweep_sample_free(&s);
  return allocated;
}

/* ---- JSON ---- */

static void json_result(json *j, const sweep_sample *s, int k)
{
  static const char *const names[5] = {"5%", "25%", "50%", "75%", "95%"};
  const double *y = s->result + k * s->t->n;
  const lw_statistics x = s->statistics[k];
  const lw_sobol_index *index = s->has_index[k] ? s->index + k * s->d->nfactor : NULL;
  json_object(j, lw_study_result_name(s->t->y, k));
  json_integer(j, "cases", x.n);
  json_number_or_null(j, "mean", x.mean);
  json_number_or_null(j, "deviation", x.deviation);
  json_number_or_null(j, "least", x.least);
  json_number_or_null(j, "most", x.most);
  json_object(j, "quantiles");
  for (int i = 0; i < 5; i++)
    json_number_or_null(j, names[i], x.quantile[i]);
  json_object_end(j);
  json_object(j, "correlation");
  for (int i = 0; i < s->d->nfactor; i++)
    json_number_or_null(j, s->d->factor[i].name,
                        lw_correlation(s->value + i * s->t->n, y, s->t->n));
  json_object_end(j);
  if (index) {
    json_object(j, "indices");
    for (int i = 0; i < s->d->nfactor; i++) {
      json_object(j, s->d->factor[i].name);
      json_number(j, "first", index[i].first);
      json_numbers(j, "first_interval", (double[]){index[i].first_low, index[i].first_high}, 2);
      json_number(j, "total", index[i].total);
      json_numbers(j, "total_interval", (double[]){index[i].total_low, index[i].total_high}, 2);
      json_object_end(j);
    }
    json_object_end(j);
  }
  json_object_end(j);
}

bool json_summary(const cli_args *a, const sweep_table *t)
{
  const lw_design *d = lw_study_design(t->y);
  sweep_sample s;
  json j;
  if (!sweep_sample_start(&s, t) || !json_start(&j)) {
    sweep_sample_free(&s);
    return false;
  }
  json_object(&j, NULL);
  json_text(&j, "model", a->model);
  json_text(&j, "design", design_words(d));
  json_integer(&j, "cases", t->n);
  json_integer(&j, "done", t->done);
  json_integer(&j, "failed", t->failed);
  json_integer(&j, "reused", t->reused);
  json_integer(&j, "seed", (long)d->seed);
  json_object(&j, "results");
  for (int k = 0; k < s.nresult; k++)
    json_result(&j, &s, k);
  json_object_end(&j);
  json_object_end(&j);
  sweep_sample_free(&s);
  return json_finish(&j);
}
