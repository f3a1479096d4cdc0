/* SPDX-License-Identifier: Apache-2.0 */
/* varied.c -- parameters that a verb finds, and the model file with what it has found (varied.h). */
#include "varied.h"

#include "files.h"
#include "linkwork/design.h"
#include "linkwork/fit.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void varied_free(varied *t)
{
  for (int k = 0; t->name && k < t->n; k++)
    free(t->name[k]);
  free(t->name);
  free(t->min);
}

int varied_whole(const cli_args *a, const char *option, double most, int *n)
{
  double x = *n;
  const int status = args_number(a, option, &x);
  if (status == CLI_DONE && !(x >= 1 && x <= most && x == floor(x)))
    return usage_error(a->verb, "--%s must be a whole number from 1 to %.0f", option, most);
  *n = (int)x;
  return status;
}

int varied_find(const cli_args *a, const char *option, const lw_model *m, const char *name,
                int *index)
{
  const int n = lw_nparameter(m);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  if (!names) return out_of_memory(a);
  *index = -1;
  for (int i = 0; i < n; i++) {
    names[i] = lw_parameter_name(m, i);
    if (strcmp(names[i], name) == 0) *index = i;
  }
  const char *near = *index < 0 ? lw_nearest_name(name, names, n) : NULL;
  free(names);
  if (*index >= 0) return CLI_DONE;
  if (near)
    return usage_error(a->verb, "--%s: the model has no parameter \"%s\"; did you mean \"%s\"?",
                       option, name, near);
  return usage_error(a->verb, "--%s: the model has no parameter \"%s\"", option, name);
}

/* "0.5..1.5", "0.5..", "..1.5": all of text[length] */
static bool read_bounds(const char *text, size_t length, double *min, double *max)
{
  char word[2][64] = {"", ""};
  const char *dots = strstr(text, "..");
  if (!dots || dots >= text + length) return false;
  const size_t least = (size_t)(dots - text), most = length - least - 2;
  if (least >= sizeof word[0] || most >= sizeof word[1]) return false;
  memcpy(word[0], text, least);
  memcpy(word[1], dots + 2, most);
  return (!*word[0] || read_number(word[0], min)) && (!*word[1] || read_number(word[1], max));
}

/* "La", "La=0.5..1.5"; *text goes on behind it. */
static int read_varied(const cli_args *a, const lw_model *m, varied *t, const char **text)
{
  const char *rest;
  char *name = read_name(*text, "=,", &rest);
  if (!name) return out_of_memory(a);
  const size_t n = (size_t)lw_nparameter(m), length = *rest == '=' ? strcspn(rest + 1, ",") : 0;
  int index, status = varied_find(a, "vary", m, name, &index);
  if (status == CLI_DONE && (size_t)t->n == n)
    status = usage_error(a->verb, "--vary %s: the model has only %zu parameters", name, n);
  if (status != CLI_DONE) {
    free(name);
    return status;
  }
  const int k = t->n++;
  t->name[k] = name;
  t->min[k] = -HUGE_VAL;
  t->max[k] = HUGE_VAL;
  *text = *rest == '=' ? rest + 1 + length : rest;
  if (*rest != '=' || read_bounds(rest + 1, length, &t->min[k], &t->max[k])) return CLI_DONE;
  return usage_error(a->verb, "--vary %s%.*s: write it as %s or %s=0.5..1.5, in SI units", name,
                     (int)length + 1, rest, name, name);
}

/* Those by which the model asks for derivatives. */
static int take_all(const cli_args *a, const lw_model *m, varied *t)
{
  for (int i = 0; i < lw_nsensitivity(m); i++) {
    const char *name = lw_parameter_name(m, lw_get_sensitivity(m, i));
    const int k = t->n++;
    if (!(t->name[k] = malloc(strlen(name) + 1))) return out_of_memory(a);
    strcpy(t->name[k], name);
    t->min[k] = -HUGE_VAL;
    t->max[k] = HUGE_VAL;
  }
  return t->n > 0 ? CLI_DONE : usage_error(a->verb, "the model has no parameters");
}

/* Those that the section `study` varies, between the ends of their ranges. */
static int take_study(const cli_args *a, const lw_study_desc *d, varied *t)
{
  for (int i = 0; i < d->design.nfactor; i++) {
    const lw_factor *f = &d->design.factor[i];
    const bool bounded = f->kind == LW_FACTOR_UNIFORM && !d->design.list;
    const int k = t->n++;
    if (!(t->name[k] = malloc(strlen(f->name) + 1))) return out_of_memory(a);
    strcpy(t->name[k], f->name);
    t->min[k] = bounded ? f->min : -HUGE_VAL;
    t->max[k] = bounded ? f->max : HUGE_VAL;
  }
  return CLI_DONE;
}

/* Without --vary: those by which the model asks for derivatives, else those of `study`, else all. */
static int take_default(const cli_args *a, const lw_model *m, varied *t)
{
  lw_error err = {0};
  lw_study_desc *d = lw_nsensitivity(m) == lw_nparameter(m) ? lw_get_study(m, &err) : NULL;
  if (err.status != LW_OK) return report_model_error(a, &err);
  const int status = d && d->design.nfactor ? take_study(a, d, t) : take_all(a, m, t);
  lw_study_desc_free(d);
  return status;
}

int varied_read(const cli_args *a, const lw_model *m, varied *t)
{
  const size_t n = (size_t)lw_nparameter(m);
  const char *text;
  int status = CLI_DONE;
  t->name = calloc(n + 1, sizeof *t->name);
  t->min = calloc(2 * n + 1, sizeof *t->min);
  if (!t->name || !t->min) return out_of_memory(a);
  t->max = t->min + n;
  for (int at = 0; status == CLI_DONE && (text = args_next(a, "vary", &at));)
    do {
      status = read_varied(a, m, t, &text);
    } while (status == CLI_DONE && *text++ == ',');
  if (status == CLI_DONE && t->n == 0) status = take_default(a, m, t);
  return status;
}

/* ---- the result ---- */

int varied_check(const cli_args *a)
{
  const int status = check_file(a, "output", "YAML");
  if (status == CLI_DONE && args_has(a, "output") && strcmp(a->model, "-") == 0)
    return usage_error(a->verb, "-o: a model from standard input cannot be written again");
  return status;
}

static bool is_set(const cli_args *a, const char *name)
{
  const char *text, *rest;
  bool set = false;
  for (int at = 0; !set && (text = args_next(a, "set", &at));) {
    char *word = read_name(text, "=", &rest);
    set = word && strcmp(word, name) == 0;
    free(word);
  }
  return set;
}

int varied_write(const cli_args *a, const lw_spec *s, const lw_model *m, const varied *t,
                 const double found[])
{
  const char *path = args_text(a, "output");
  lw_error err = {0};
  if (!path) return CLI_DONE;
  const char **name = calloc((size_t)lw_nparameter(m) + 1, sizeof *name);
  double *value = calloc((size_t)lw_nparameter(m) + 1, sizeof *value);
  int n = 0;
  for (int i = 0; name && value && i < lw_nparameter(m); i++) {
    int k = 0;
    while (k < t->n && strcmp(t->name[k], lw_parameter_name(m, i)) != 0)
      k++;
    if (k == t->n && !is_set(a, lw_parameter_name(m, i))) continue;
    name[n] = lw_parameter_name(m, i);
    value[n++] = k < t->n ? found[k] : lw_parameter_value(m, i);
  }
  const lw_status status =
      name && value ? lw_write_parameters(s, a->model, name, value, n, path, &err) : LW_E_MEMORY;
  free(name);
  free(value);
  if (status != LW_OK) return err.text[0] ? report_model_error(a, &err) : out_of_memory(a);
  if (!args_has(a, "quiet")) print_message("wrote %s", path);
  return CLI_DONE;
}
