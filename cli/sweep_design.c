/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_design.c -- the design of a sweep from the command line.

     --vary L=0.5..1.5   --vary L=0.5..1.5:5   --vary 'm=normal(2, 0.1)'   --vary k=1,2,5   --vary L */
#include "sweep.h"

#include "linkwork/query.h"
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_design_free(sweep_design *x)
{
  for (int i = 0; i < x->n; i++)
    free((char *)x->factor[i].name);
  free(x->factor);
  free(x->numbers);
  lw_study_desc_free(x->study);
  *x = (sweep_design){0};
}

const char *design_words(const lw_design *d)
{
  switch (d->kind) {
  case LW_DESIGN_GRID: return "a grid";
  case LW_DESIGN_LATIN: return "a Latin hypercube";
  case LW_DESIGN_SOBOL: return "a Sobol' sequence";
  case LW_DESIGN_RANDOM: return "random numbers";
  case LW_DESIGN_INDICES: return "points for Sobol' indices";
  case LW_DESIGN_LIST: return "a list";
  default: return "";
  }
}

/* ---- one parameter ---- */

/* "0.5..1.5", "20..30:5" */
static bool read_range(const char *text, lw_factor *f)
{
  char least[64], most[64], *end;
  const char *dots = strstr(text, ".."), *colon = strchr(text, ':');
  const int n = (int)(dots - text), rest = (int)(colon ? colon - dots - 2 : (long)strlen(dots + 2));
  if (n >= 64 || rest < 0 || rest >= 64) return false;
  snprintf(least, sizeof least, "%.*s", n, text);
  snprintf(most, sizeof most, "%.*s", rest, dots + 2);
  if (colon) {
    f->points = (int)strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || f->points < 1) return false;
  }
  return read_number(least, &f->min) && read_number(most, &f->max);
}

static bool read_normal(const char *text, lw_factor *f)
{
  int used = 0;
  const bool read =
      sscanf(text, " normal ( %lf , %lf ) %n", &f->mean, &f->deviation, &used) == 2 && used > 0;
  f->kind = LW_FACTOR_NORMAL;
  return read && text[used] == '\0';
}

static bool read_values(const char *text, lw_factor *f, double *numbers)
{
  char *end;
  f->kind = LW_FACTOR_VALUES;
  f->value = numbers;
  for (;; text = end + 1) {
    numbers[f->nvalue++] = strtod(text, &end);
    if (end == text || !isfinite(numbers[f->nvalue - 1])) return false;
    if (*end == '\0') return true;
    if (*end != ',') return false;
  }
}

/* The numbers of a text take as many places as it has commas, and one. */
static size_t count_values(const char *text)
{
  size_t n = 1;
  for (; *text; text++)
    n += *text == ',';
  return n;
}

static int find_parameter(const lw_model *m, const char *name)
{
  for (int i = 0; i < lw_nparameter(m); i++)
    if (strcmp(lw_parameter_name(m, i), name) == 0) return i;
  return -1;
}

/* A value by --set would be lost. */
static bool is_set(const cli_args *a, const char *name)
{
  const char *text, *rest;
  bool found = false;
  for (int at = 0; !found && (text = args_next(a, "set", &at));) {
    char *word = read_name(text, "=", &rest);
    found = word && strcmp(word, name) == 0;
    free(word);
  }
  return found;
}

/* From its min to its max. */
static bool take_limits(const lw_model *m, lw_factor *f)
{
  const int i = find_parameter(m, f->name);
  return i >= 0 && lw_parameter_range(m, i, &f->min, &f->max) == LW_OK && isfinite(f->min) &&
         isfinite(f->max);
}

static int read_factor(const cli_args *a, const lw_model *m, const char *text, sweep_design *x,
                       double *numbers)
{
  const char *rest;
  char *name = read_name(text, "=", &rest);
  if (!name) return out_of_memory(a);
  lw_factor *f = &x->factor[x->n++];
  *f = (lw_factor){.name = name, .points = 5};
  if (find_parameter(m, name) < 0)
    return usage_error(a->verb, "--vary: the model has no parameter \"%s\"", name);
  if (!*rest)
    return take_limits(m, f) ? CLI_DONE
                             : usage_error(a->verb,
                                           "--vary %s: the parameter has no min and max: write "
                                           "the range, %s=1..2",
                                           name, name);
  rest++;
  if (strstr(rest, "..")       ? read_range(rest, f)
      : strstr(rest, "normal") ? read_normal(rest, f)
                               : read_values(rest, f, numbers))
    return CLI_DONE;
  return usage_error(
      a->verb,
      "--vary %s: write it as %s=1..2, %s=1..2:5, %s=normal(1, 0.1) or %s=1,2,5 in SI units", text,
      name, name, name, name);
}

static bool add_name(sweep_design *x, const lw_factor *f)
{
  char *name = malloc(strlen(f->name) + 1);
  if (!name) return false;
  x->factor[x->n] = *f;
  x->factor[x->n++].name = strcpy(name, f->name);
  return true;
}

/* Those of the section `study`. */
static int take_study(const cli_args *a, sweep_design *x)
{
  for (int i = 0; i < x->study->design.nfactor; i++)
    if (!add_name(x, &x->study->design.factor[i])) return out_of_memory(a);
  return CLI_DONE;
}

/* All parameters that have limits. */
static int take_all(const cli_args *a, const lw_model *m, sweep_design *x)
{
  for (int i = 0; i < lw_nparameter(m); i++) {
    lw_factor f = {.name = lw_parameter_name(m, i), .points = 5};
    if (take_limits(m, &f) && !add_name(x, &f)) return out_of_memory(a);
  }
  if (x->n > 0) return CLI_DONE;
  return usage_error(a->verb, "which parameters?  None has min and max: --vary L=0.5..1.5");
}

static int read_factors(const cli_args *a, const lw_model *m, sweep_design *x)
{
  size_t n = 0, numbers = 0;
  const char *text;
  for (int at = 0; (text = args_next(a, "vary", &at)); n++)
    numbers += count_values(text);
  const bool own = n == 0 && x->study && x->study->design.nfactor > 0;
  x->factor = calloc((n ? n : (size_t)lw_nparameter(m)) + 1, sizeof *x->factor);
  x->numbers = malloc((numbers + 1) * sizeof *x->numbers);
  if (!x->factor || !x->numbers) return out_of_memory(a);
  if (own) return take_study(a, x);
  if (n == 0) return take_all(a, m, x);
  double *next = x->numbers;
  int status = CLI_DONE;
  for (int at = 0; status == CLI_DONE && (text = args_next(a, "vary", &at));) {
    status = read_factor(a, m, text, x, next);
    next += count_values(text);
  }
  return status;
}

/* ---- cases from a table ---- */

/* Columns that are parameters are taken; each row is a case. */
static int read_list(const cli_args *a, const lw_model *m, sweep_design *x)
{
  lw_error err = {0};
  lw_results *r = open_table(a, "list", args_text(a, "list"));
  if (!r) return CLI_USAGE;
  const int ncolumn = lw_results_columns(r);
  const long rows = lw_results_rows(r);
  int *column = calloc((size_t)ncolumn + 1, sizeof *column), status = CLI_DONE;
  double *row = malloc(((size_t)ncolumn + 1) * sizeof *row);
  x->factor = calloc((size_t)ncolumn + 1, sizeof *x->factor);
  x->numbers = malloc(((size_t)rows * (size_t)ncolumn + 1) * sizeof *x->numbers);
  if (!column || !row || !x->factor || !x->numbers) status = out_of_memory(a);
  for (int i = 0; i < ncolumn && status == CLI_DONE; i++) {
    const char *name = lw_results_name(r, i);
    if (find_parameter(m, name) < 0) continue;
    column[x->n] = i;
    if (!add_name(x, &(lw_factor){.name = name, .points = 1})) status = out_of_memory(a);
  }
  if (status == CLI_DONE && (x->n == 0 || rows == 0))
    status = usage_error(a->verb, "--list %s: no rows, or no column is a parameter of the model",
                         args_text(a, "list"));
  for (long i = 0; i < rows && status == CLI_DONE; i++) {
    if (lw_results_read_rows(r, i, 1, row, &err) != LW_OK)
      status = usage_error(a->verb, "--list: %s", err.text);
    for (int k = 0; k < x->n && status == CLI_DONE; k++) {
      x->numbers[i * x->n + k] = row[column[k]];
      if (!isfinite(row[column[k]]))
        status =
            usage_error(a->verb, "--list: row %ld has no value of %s", i + 1, x->factor[k].name);
    }
  }
  x->design.kind = LW_DESIGN_LIST;
  x->design.cases = rows;
  x->design.list = x->numbers;
  free(column);
  free(row);
  lw_results_free(r);
  return status;
}

/* ---- the whole ---- */

static int read_count(const cli_args *a, const char *option, double least, double most, double *n)
{
  const int status = args_number(a, option, n);
  if (status != CLI_DONE || (*n >= least && *n <= most && *n == floor(*n))) return status;
  return usage_error(a->verb, "--%s must be a whole number from %.0f to %.0f", option, least, most);
}

/* The cases that the section `study` lists. */
static bool is_listed(const cli_args *a, const sweep_design *x)
{
  return x->study && x->study->design.kind == LW_DESIGN_LIST && !args_has(a, "vary");
}

static int check_options(const cli_args *a, const sweep_design *x)
{
  static const char *const others[] = {"design", "cases"};
  const bool grid = x->study && x->study->design.kind == LW_DESIGN_GRID && !args_has(a, "design");
  static const option_need needs[] = {{"points", "design"}};
  int status = check_exclusive(a, "list|vary");
  if (status == CLI_DONE) status = check_exclusive(a, "list|design");
  if (status == CLI_DONE) status = check_exclusive(a, "list|cases");
  if (status == CLI_DONE && !grid) status = check_needs(a, needs, 1);
  for (int i = 0; i < 2 && status == CLI_DONE; i++)
    if (is_listed(a, x) && args_has(a, others[i]))
      status = usage_error(
          a->verb, "--%s: `study` of the model lists its cases; --vary varies parameters instead",
          others[i]);
  return status;
}

/* Of ranges, in a normal distribution six standard deviations wide. */
static void make_normal(lw_factor *f)
{
  *f = (lw_factor){.name = f->name,
                   .kind = LW_FACTOR_NORMAL,
                   .mean = 0.5 * (f->min + f->max),
                   .deviation = (f->max - f->min) / 6,
                   .points = f->points};
}

/* The design and its numbers, without the parameters. */
static int read_numbers(const cli_args *a, sweep_design *x, bool *normal, double *points)
{
  static const char *const names[] = {"latin", "grid", "sobol", "uniform", "normal", "indices"};
  static const lw_design_kind kinds[] = {LW_DESIGN_LATIN,  LW_DESIGN_GRID,   LW_DESIGN_SOBOL,
                                         LW_DESIGN_RANDOM, LW_DESIGN_RANDOM, LW_DESIGN_INDICES};
  const lw_design none = {.kind = LW_DESIGN_LATIN, .cases = 100, .seed = 1};
  const lw_design *own = x->study ? &x->study->design : &none;
  int design = 0;
  double cases = own->kind == LW_DESIGN_LIST ? 100 : (double)own->cases, seed = (double)own->seed;
  *points = 5;
  int status = args_choice(a, "design", names, 6, &design);
  if (status == CLI_DONE) status = read_count(a, "cases", 1, 1e9, &cases);
  if (status == CLI_DONE) status = read_count(a, "seed", 0, 9e15, &seed);
  if (status == CLI_DONE) status = read_count(a, "points", 1, 1e6, points);
  const bool given = args_has(a, "design") || own->kind == LW_DESIGN_LIST;
  x->design = (lw_design){.kind = given ? kinds[design] : own->kind,
                          .cases = (long)cases,
                          .seed = (unsigned long long)seed};
  *normal = args_has(a, "design") && design == 4;
  if (status == CLI_DONE && x->design.kind == LW_DESIGN_GRID && args_has(a, "cases"))
    status =
        usage_error(a->verb, "a grid has as many cases as its points make: --points, L=1..2:5");
  return status;
}

static int read_cases(const cli_args *a, const lw_model *m, sweep_design *x)
{
  if (args_has(a, "list")) return read_list(a, m, x);
  if (!is_listed(a, x)) return read_factors(a, m, x);
  x->factor = calloc((size_t)x->study->design.nfactor + 1, sizeof *x->factor);
  if (!x->factor) return out_of_memory(a);
  x->design.kind = LW_DESIGN_LIST;
  x->design.cases = x->study->design.cases;
  x->design.list = x->study->design.list;
  return take_study(a, x);
}

int read_design(const cli_args *a, const lw_model *m, sweep_design *x)
{
  lw_error err = {0};
  bool normal = false;
  double points = 5;
  x->study = lw_get_study(m, &err);
  if (err.status != LW_OK) return report_model_error(a, &err);
  int status = check_options(a, x);
  if (status == CLI_DONE) status = read_numbers(a, x, &normal, &points);
  if (status == CLI_DONE) status = read_cases(a, m, x);
  for (int i = 0; i < x->n; i++) {
    lw_factor *f = &x->factor[i];
    if (args_has(a, "points") && f->points == 5) f->points = (int)points;
    if (normal && f->kind == LW_FACTOR_UNIFORM) make_normal(f);
  }
  for (int i = 0; i < x->n && status == CLI_DONE; i++)
    if (is_set(a, x->factor[i].name))
      status = usage_error(a->verb, "parameter \"%s\" is varied: --set has no effect on it",
                           x->factor[i].name);
  x->design.factor = x->factor;
  x->design.nfactor = x->n;
  return status;
}
