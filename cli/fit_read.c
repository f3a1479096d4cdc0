/* SPDX-License-Identifier: Apache-2.0 */
/* fit_read.c -- what is measured, and what is to be found, from the command line.

     --data run.csv --with q.A=0.3 --with load=2      options after --data are of this experiment */
#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "fit.h"

#include "linkwork/columns.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "linkwork/sensitivity.h"
#include "results.h"

#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void fit_task_free(fit_task *t)
{
  lw_fit_free(t->fit);
  for (int i = 0; t->file && i < t->nfile; i++) {
    for (int k = 0; t->file[i].name && k < t->file[i].ncolumn; k++)
      free(t->file[i].name[k]);
    free(t->file[i].name);
    free(t->file[i].unit);
    free(t->file[i].numbers);
    lw_spec_free(t->file[i].spec);
  }
  varied_free(&t->varied);
  for (int k = 0; t->noise && k < t->nnoise; k++)
    free((char *)(uintptr_t)t->noise[k].column);
  free(t->file);
  free(t->noise);
  lw_model_free(t->m);
  lw_spec_free(t->spec);
}

/* ---- numbers ---- */

/* "0.02", "0.5 deg": a number, in the unit of the column if it has none. */
static int read_quantity(const cli_args *a, const char *option, const char *text, const char *si,
                         double *x)
{
  char *end;
  double factor = 1;
  *x = strtod(text, &end);
  const char *unit = end + strspn(end, " ");
  const lw_status known = *unit ? lw_unit_factor(unit, si, &factor) : LW_OK;
  if (end == text || !isfinite(*x) || known == LW_E_ARG)
    return usage_error(a->verb, "--%s: \"%s\" is not a number, with a unit or without", option,
                       text);
  if (known != LW_OK)
    return usage_error(a->verb, "--%s: \"%s\" has another dimension than %s", option, text, si);
  *x *= factor;
  return CLI_DONE;
}

/* ---- one experiment ---- */

/* q.A=0.3 or u.A=0.3,0: where it starts. */
static int start_joint(const cli_args *a, fit_task *t, lw_spec *s, const char *text,
                       const char *name, const char *numbers)
{
  const lw_joint joint = lw_find_joint(t->m, name + 2);
  if (joint.id < 1) return unknown_joint(a, t->m, "with", name + 2);
  const lw_joint_info info = lw_get_joint(t->m, joint);
  const int n = name[0] == 'q' ? info.nq : info.nu;
  double x[7];
  char *end;
  for (int i = 0; i < n; i++, numbers = end + 1) {
    x[i] = strtod(numbers, &end);
    if (end == numbers || !isfinite(x[i]) || *end != (i < n - 1 ? ',' : '\0'))
      return usage_error(a->verb, "--with %s: joint \"%s\" needs %d number%s", text, name + 2, n,
                         plural(n));
  }
  if (lw_hold_joint(s, name + 2, name[0] == 'q' ? x : NULL, name[0] == 'u' ? x : NULL) != LW_OK)
    return usage_error(a->verb, "--with %s: joint \"%s\" cannot start there", text, name + 2);
  return CLI_DONE;
}

/* "load=2", "q.A=0.3" */
static int read_with(const cli_args *a, fit_task *t, const char *text)
{
  fit_file *f = t->nfile ? &t->file[t->nfile - 1] : NULL;
  const char *rest;
  lw_error err = {0};
  int index, status = CLI_DONE;
  if (!f)
    return usage_error(a->verb, "--with %s: the --data whose experiment it is must come before it",
                       text);
  if (!f->spec && !(f->spec = lw_spec_copy(t->spec))) return out_of_memory(a);
  char *name = read_name(text, "=", &rest);
  if (!name) return out_of_memory(a);
  if (!*rest || !rest[1])
    status = usage_error(a->verb, "--with %s: write it as PARAMETER=VALUE, q.JOINT=X or u.JOINT=X",
                         text);
  else if (strncmp(name, "q.", 2) == 0 || strncmp(name, "u.", 2) == 0)
    status = start_joint(a, t, f->spec, text, name, rest + 1);
  else
    status = varied_find(a, "with", t->m, name, &index);
  for (int k = 0; k < t->varied.n && status == CLI_DONE; k++)
    if (strcmp(name, t->varied.name[k]) == 0)
      status = usage_error(a->verb,
                           "--with %s: \"%s\" is to be found, and is the same in all experiments",
                           text, name);
  const bool parameter = status == CLI_DONE && name[1] != '.';
  if (parameter && lw_set_parameter_text(f->spec, name, rest + 1, &err) != LW_OK)
    status = usage_error(a->verb, "--with %s: %s", text, err.text);
  free(name);
  return status;
}

/* "q.A [deg]" becomes q.A, and the factor of its unit. */
static int split_unit(const cli_args *a, const fit_file *f, char *name, const char *si,
                      double *factor)
{
  char *open = strrchr(name, '[');
  const size_t n = strlen(name);
  *factor = 1;
  if (!open || open == name || n == 0 || name[n - 1] != ']') return CLI_DONE;
  name[n - 1] = '\0';
  const lw_status known = lw_unit_factor(open + 1, si, factor);
  if (known != LW_OK)
    return usage_error(a->verb, "--data %s: column %.*s: \"%s\" %s%s", f->path, (int)(open - name),
                       name, open + 1, known == LW_E_ARG ? "is no unit" : "is no unit of ",
                       known == LW_E_ARG ? "" : si);
  return CLI_DONE;
}

static void cut_unit(char *name)
{
  char *open = strrchr(name, '[');
  const size_t n = strlen(name);
  if (!open || open == name || name[n - 1] != ']') return;
  while (open > name && open[-1] == ' ')
    open--;
  *open = '\0';
}

/* The unit of a column of the model; NULL after a message: it has none of this name. */
static const char *unit_of(const cli_args *a, const fit_task *t, const fit_file *f,
                           const char *name, int *status)
{
  lw_error err = {0};
  const size_t size = 2 * strlen(name) + 3;
  char *pattern = malloc(size), *to = pattern;
  if (!pattern) return *status = out_of_memory(a), NULL;
  *to++ = '"';
  for (const char *c = name; *c; c++) {
    if (*c == '"') *to++ = '"';
    *to++ = *c;
  }
  memcpy(to, "\"", 2);
  lw_columns *c = lw_columns_new(t->m, pattern, &err);
  free(pattern);
  if (!c && err.status == LW_E_MEMORY) return *status = out_of_memory(a), NULL;
  if (!c) {
    *status = usage_error(a->verb, "--data %s: %s; --columns chooses which columns count", f->path,
                          err.text);
    return NULL;
  }
  const char *unit = lw_columns_unit(c, lw_columns_count(c) - 1);
  lw_columns_free(c);
  return unit;
}

/* Column `from` of the file becomes the next one that is measured. */
static int take_column(const cli_args *a, const fit_task *t, fit_file *f, lw_results *r, int from)
{
  lw_error err = {0};
  const long rows = f->data.rows;
  const char *given = lw_results_name(r, from);
  char *name = malloc(strlen(given) + 1), *written = malloc(strlen(given) + 1);
  double factor = 1, *x = malloc((size_t)rows * sizeof *x);
  int status = name && written && x ? CLI_DONE : out_of_memory(a);
  const int k = f->ncolumn;
  if (status == CLI_DONE) {
    cut_unit(strcpy(name, given));
    f->unit[k] = unit_of(a, t, f, name, &status);
    if (status == CLI_DONE) status = split_unit(a, f, strcpy(written, given), f->unit[k], &factor);
    f->name[f->ncolumn++] = name;
    name = NULL;
  }
  if (status == CLI_DONE && lw_results_read(r, from, 0, rows, x, &err) != LW_OK)
    status = err.status == LW_E_MEMORY ? out_of_memory(a)
                                       : usage_error(a->verb, "--data %s: %s", f->path, err.text);
  for (long i = 0; i < rows && status == CLI_DONE; i++)
    f->numbers[rows + i * f->data.ncolumn + k] = factor * x[i];
  free(name);
  free(written);
  free(x);
  return status;
}

/* Is the column of this name one of --columns, by names and patterns?  NULL: all are.  False, and no memory. */
static bool is_wanted(const char *list, const char *given, bool *no_memory)
{
  char *name = malloc(strlen(given) + 1);
  bool wanted = !list;
  *no_memory = *no_memory || !name;
  if (!name) return false;
  cut_unit(strcpy(name, given));
  while (!wanted && *list) {
    char *pattern = read_name(list, ",", &list);
    *no_memory = *no_memory || !pattern;
    if (!pattern) break;
    wanted = fnmatch(pattern, name, 0) == 0;
    free(pattern);
    list += *list == ',';
  }
  free(name);
  return wanted;
}

/* Times, and the weights of rows, in the column `weight`. */
static int take_rows(const cli_args *a, fit_file *f, lw_results *r, int time, int weight)
{
  lw_error err = {0};
  const long rows = f->data.rows;
  double *w = f->numbers + rows + rows * f->data.ncolumn;
  lw_status status = lw_results_read(r, time, 0, rows, f->numbers, &err);
  for (long i = 0; i < rows && status == LW_OK; i++) {
    double x = 1;
    if (weight >= 0) status = lw_results_read(r, weight, i, 1, &x, &err);
    for (int k = 0; k < f->data.ncolumn; k++)
      w[i * f->data.ncolumn + k] = x;
  }
  if (status == LW_OK) return CLI_DONE;
  if (status == LW_E_MEMORY) return out_of_memory(a);
  return usage_error(a->verb, "--data %s: %s", f->path, err.text);
}

static int take_columns(const cli_args *a, const fit_task *t, fit_file *f, lw_results *r)
{
  const int n = lw_results_columns(r), time = lw_results_find(r, "t"),
            weight = lw_results_find(r, "weight");
  int status = CLI_DONE;
  bool no_memory = false, *chosen = calloc((size_t)n + 1, sizeof *chosen);
  if (!chosen) return out_of_memory(a);
  f->data.rows = lw_results_rows(r);
  for (int i = 0; i < n; i++) {
    chosen[i] = i != time && i != weight &&
                is_wanted(args_text(a, "columns"), lw_results_name(r, i), &no_memory);
    f->data.ncolumn += chosen[i];
  }
  const size_t rows = (size_t)f->data.rows, cells = rows * (size_t)f->data.ncolumn;
  f->name = calloc((size_t)n + 1, sizeof *f->name);
  f->unit = calloc((size_t)n + 1, sizeof *f->unit);
  f->numbers = calloc(rows + 2 * cells + 1, sizeof *f->numbers);
  if (!f->name || !f->unit || !f->numbers || no_memory) status = out_of_memory(a);
  if (status == CLI_DONE && cells == 0)
    status = usage_error(a->verb, "--data %s: it has no measurements%s%s", f->path,
                         args_has(a, "columns") ? " in columns " : "",
                         args_has(a, "columns") ? args_text(a, "columns") : "");
  for (int i = 0; i < n && status == CLI_DONE; i++)
    if (chosen[i]) status = take_column(a, t, f, r, i);
  if (status == CLI_DONE) status = take_rows(a, f, r, time, weight);
  free(chosen);
  f->data.name = f->path;
  f->data.column = (const char *const *)f->name;
  f->data.t = f->numbers;
  f->data.value = f->numbers + rows;
  f->data.weight = f->data.value + cells;
  return status;
}

static int read_file(const cli_args *a, fit_task *t, const char *path)
{
  fit_file *f = &t->file[t->nfile++];
  f->path = path;
  int status = CLI_USAGE;
  lw_results *r = open_table_or(a, "data", path, &status);
  if (!r) return status;
  status = take_columns(a, t, f, r);
  lw_results_free(r);
  return status;
}

/* In the order in which they are given. */
static int read_experiments(const cli_args *a, fit_task *t)
{
  int status = CLI_DONE, n = 0;
  for (int at = 0; args_next(a, "data", &at);)
    n++;
  if (n == 0) return usage_error(a->verb, "--data FILE: what was measured?");
  t->file = calloc((size_t)n, sizeof *t->file);
  if (!t->file) return out_of_memory(a);
  for (int i = 0; i < a->ngiven && status == CLI_DONE; i++) {
    const cli_given *g = &a->given[i];
    if (strcmp(g->option->name, "data") == 0) status = read_file(a, t, g->value);
    if (strcmp(g->option->name, "with") == 0) status = read_with(a, t, g->value);
  }
  args_has(a, "with");
  return status;
}

/* ---- noise and weights ---- */

/* The unit of a measured column; NULL: it is not measured. */
static const char *measured_unit(const fit_task *t, const char *name)
{
  for (int i = 0; i < t->nfile; i++)
    for (int k = 0; k < t->file[i].ncolumn; k++)
      if (strcmp(t->file[i].name[k], name) == 0) return t->file[i].unit[k];
  return NULL;
}

/* "q.A=0.5 deg" of --noise or --weight */
static int read_column(const cli_args *a, const fit_task *t, const char *option, const char *text,
                       char **name, double *x)
{
  const char *rest;
  *name = read_name(text, "=", &rest);
  if (!*name) return out_of_memory(a);
  const char *unit = measured_unit(t, *name);
  if (!*rest || !rest[1])
    return usage_error(a->verb, "--%s %s: write it as COLUMN=NUMBER", option, text);
  if (!unit) return usage_error(a->verb, "--%s %s: \"%s\" is not measured", option, text, *name);
  return read_quantity(a, option, rest + 1, strcmp(option, "noise") == 0 ? unit : "1", x);
}

static int read_noise(const cli_args *a, fit_task *t)
{
  const char *text;
  int status = CLI_DONE, n = 0;
  for (int at = 0; args_next(a, "noise", &at);)
    n++;
  t->noise = calloc((size_t)n + 1, sizeof *t->noise);
  if (!t->noise) return out_of_memory(a);
  for (int at = 0; status == CLI_DONE && (text = args_next(a, "noise", &at));) {
    char *name = NULL;
    status = read_column(a, t, "noise", text, &name, &t->noise[t->nnoise].deviation);
    if (status == CLI_DONE && !(t->noise[t->nnoise].deviation > 0))
      status = usage_error(a->verb, "--noise %s: it must be above 0", text);
    t->noise[t->nnoise++].column = name;
  }
  t->options.noise = t->noise;
  t->options.nnoise = t->nnoise;
  return status;
}

static int read_weights(const cli_args *a, fit_task *t)
{
  const char *text;
  int status = CLI_DONE;
  for (int at = 0; status == CLI_DONE && (text = args_next(a, "weight", &at));) {
    char *name = NULL;
    double x;
    status = read_column(a, t, "weight", text, &name, &x);
    if (status == CLI_DONE && !(x >= 0))
      status = usage_error(a->verb, "--weight %s: it must not be below 0", text);
    for (int i = 0; i < t->nfile && status == CLI_DONE; i++)
      for (long k = 0; k < t->file[i].data.rows * t->file[i].ncolumn; k++)
        if (strcmp(t->file[i].name[k % t->file[i].ncolumn], name) == 0)
          t->file[i].numbers[t->file[i].data.rows * (1 + t->file[i].ncolumn) + k] *= x;
    free(name);
  }
  return status;
}

int fit_read(const cli_args *a, fit_task *t)
{
  int status = varied_read(a, t->m, &t->varied);
  t->options.parameter = (const char *const *)t->varied.name;
  t->options.nparameter = t->varied.n;
  t->options.min = t->varied.min;
  t->options.max = t->varied.max;
  if (status == CLI_DONE) status = read_experiments(a, t);
  if (status == CLI_DONE) status = read_noise(a, t);
  if (status == CLI_DONE) status = read_weights(a, t);
  return status;
}
