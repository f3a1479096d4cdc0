/* SPDX-License-Identifier: Apache-2.0 */
/* fit_print.c -- what a fit has found, as text and as JSON. */
#include "fit.h"

#include <math.h>
#include <string.h>

/* ---- terminal ---- */

static void print_parameters(const lw_fit *f)
{
  printf("\n  %-20s %13s %15s %13s   %s\n", "parameter", "start", "value", "std. error",
         "95 % interval");
  for (int i = 0; i < lw_fit_nparameter(f); i++) {
    const lw_fit_parameter p = lw_fit_get_parameter(f, i);
    printf("  %-20s %13.7g %15.9g ", show(p.name).text, p.start, p.value);
    if (p.role == LW_FIT_AT_MIN || p.role == LW_FIT_AT_MAX)
      printf("%13s   at its %s, %g\n", "-", p.role == LW_FIT_AT_MIN ? "min" : "max", p.value);
    else if (p.role == LW_FIT_UNDETERMINED)
      printf("%13s   not determined (below)\n", "-");
    else
      printf("%13.4g   %.7g ... %.7g\n", p.deviation, p.low, p.high);
  }
}

static void print_correlations(const lw_fit *f)
{
  const int n = lw_fit_nparameter(f);
  if (n < 2 || n > 12) return;
  printf("\n  %-20s", "correlation");
  for (int i = 0; i < n; i++)
    printf(" %9.9s", show(lw_fit_get_parameter(f, i).name).text);
  printf("\n");
  for (int i = 0; i < n; i++) {
    printf("  %-20s", show(lw_fit_get_parameter(f, i).name).text);
    for (int k = 0; k <= i; k++) {
      const double r = lw_fit_correlation(f, i, k);
      if (isfinite(r))
        printf(" %9.4f", r);
      else
        printf(" %9s", "-");
    }
    printf("\n");
  }
}

static void print_columns(const lw_fit *f)
{
  printf("\n  %-20s %13s %13s %13s\n", "measured", "numbers", "rms residual", "noise");
  for (int i = 0; i < lw_fit_ncolumn(f); i++) {
    const lw_fit_column c = lw_fit_get_column(f, i);
    printf("  %-20s %13ld %13.6g %13.6g%s\n", show(c.name).text, c.n, c.residual, c.noise,
           c.estimated ? " (estimated)" : "");
  }
}

/* "La +0.71 %, Lb -0.71 %": small parts are left out */
static void print_direction(const lw_fit *f, const double direction[])
{
  double most = 0;
  for (int k = 0; k < lw_fit_nparameter(f); k++)
    if (fabs(direction[k]) > fabs(most)) most = direction[k];
  const char *comma = "";
  for (int k = 0; k < lw_fit_nparameter(f); k++) {
    const lw_fit_parameter p = lw_fit_get_parameter(f, k);
    if (fabs(direction[k]) < 0.01 * fabs(most)) continue;
    printf("%s%s %+.3g%s", comma, show(p.name).text, direction[k] / most,
           p.value != 0 ? " %" : "/100");
    comma = ", ";
  }
}

/* Combinations that are not known to a half of themselves. */
static void print_combinations(const lw_fit *f)
{
  for (int i = 0; i < lw_fit_ncombination(f); i++) {
    const lw_fit_combination c = lw_fit_get_combination(f, i);
    if (c.deviation <= 0.5) continue;
    printf(i == 0 ? "\n" : "");
    if (isinf(c.deviation))
      printf("  not determined: changing ");
    else
      printf("  hardly determined (standard error %.3g times the values): changing ", c.deviation);
    print_direction(f, c.direction);
    printf(isinf(c.deviation) ? " together changes nothing that was measured\n" : "\n");
  }
}

/* Are the residuals as large as the noise that was given? */
static void print_judgement(const lw_fit *f)
{
  const double n = (double)lw_fit_freedom(f), chi = lw_fit_get_state(f).chi_square;
  bool given = true;
  for (int i = 0; i < lw_fit_ncolumn(f); i++)
    given = given && !lw_fit_get_column(f, i).estimated;
  if (!given || n < 1) return;
  printf("\n  chi^2 is %.6g with %.0f degrees of freedom", chi, n);
  if (fabs(chi - n) > 4 * sqrt(2 * n))
    printf(": residuals are %.3g times the given noise: %s", sqrt(chi / n),
           chi > n ? "the model does not describe the measurements, or there is more noise"
                   : "there is less noise");
  printf("\n");
}

void fit_print(const cli_args *a, const fit_task *t)
{
  const lw_fit *f = t->fit;
  const lw_fit_state s = lw_fit_get_state(f);
  const int n = lw_fit_nparameter(f);
  const long measured = lw_fit_freedom(f) + n;
  printf("%s: %d parameter%s from %ld measurement%s in %d experiment%s; %d iteration%s, %d run%s\n",
         show(a->model).text, n, plural(n), measured, plural(measured), t->nfile, plural(t->nfile),
         s.iterations, plural(s.iterations), s.runs, plural(s.runs));
  print_parameters(f);
  print_correlations(f);
  print_columns(f);
  print_judgement(f);
  print_combinations(f);
}

/* ---- JSON ---- */

static void json_parameter(json *j, const lw_fit *f, int i)
{
  static const char *const roles[] = {"determined", "at min", "at max", "undetermined"};
  const lw_fit_parameter p = lw_fit_get_parameter(f, i);
  json_object(j, p.name);
  json_number(j, "start", p.start);
  json_number(j, "value", p.value);
  json_number_or_null(j, "min", p.min);
  json_number_or_null(j, "max", p.max);
  json_number_or_null(j, "deviation", p.deviation);
  json_list(j, "interval");
  json_number_or_null(j, NULL, p.low);
  json_number_or_null(j, NULL, p.high);
  json_list_end(j);
  json_text(j, "role", roles[p.role]);
  json_object_end(j);
}

static void json_matrix(json *j, const char *key, const lw_fit *f,
                        double (*entry)(const lw_fit *, int, int))
{
  const int n = lw_fit_nparameter(f);
  json_list(j, key);
  for (int i = 0; i < n; i++) {
    json_list(j, NULL);
    for (int k = 0; k < n; k++)
      json_number_or_null(j, NULL, entry(f, i, k));
    json_list_end(j);
  }
  json_list_end(j);
}

static void json_combinations(json *j, const lw_fit *f)
{
  json_list(j, "combinations");
  for (int i = 0; i < lw_fit_ncombination(f); i++) {
    const lw_fit_combination c = lw_fit_get_combination(f, i);
    json_object(j, NULL);
    json_number_or_null(j, "deviation", c.deviation);
    json_bool(j, "determined", isfinite(c.deviation));
    json_object(j, "direction");
    for (int k = 0; k < lw_fit_nparameter(f); k++)
      json_number(j, lw_fit_get_parameter(f, k).name, c.direction[k]);
    json_object_end(j);
    json_object_end(j);
  }
  json_list_end(j);
}

bool fit_json(const cli_args *a, const fit_task *t, const lw_error *err)
{
  const lw_fit *f = t->fit;
  const lw_fit_state s = lw_fit_get_state(f);
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_text(&j, "model", a->model);
  json_bool(&j, "converged", !err);
  if (err) report_error_member(&j, NULL, err);
  json_integer(&j, "iterations", s.iterations);
  json_integer(&j, "runs", s.runs);
  json_integer(&j, "freedom", lw_fit_freedom(f));
  json_number(&j, "chi_square", s.chi_square);
  json_object(&j, "parameters");
  for (int i = 0; i < lw_fit_nparameter(f); i++)
    json_parameter(&j, f, i);
  json_object_end(&j);
  json_matrix(&j, "covariance", f, lw_fit_covariance);
  json_matrix(&j, "correlation", f, lw_fit_correlation);
  json_combinations(&j, f);
  json_object(&j, "columns");
  for (int i = 0; i < lw_fit_ncolumn(f); i++) {
    const lw_fit_column c = lw_fit_get_column(f, i);
    json_object(&j, c.name);
    json_integer(&j, "measurements", c.n);
    json_number_or_null(&j, "residual", c.residual);
    json_number(&j, "noise", c.noise);
    json_bool(&j, "estimated", c.estimated);
    json_object_end(&j);
  }
  json_object_end(&j);
  json_object_end(&j);
  if (err) report_json_is_there();
  return json_finish(&j);
}
