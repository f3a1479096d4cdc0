/* SPDX-License-Identifier: Apache-2.0 */
/* load.c -- from the path on the command line to a model, or to a message that says where. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int complain(const cli_args *a, const lw_error *err)
{
  if (strncmp(err->text, a->model, strlen(a->model)) == 0) /* says the place itself */
    fprintf(stderr, "%s\n", err->text);
  else if (err->line > 0)
    fprintf(stderr, "%s:%d:%d: %s\n", a->model, err->line, err->column, err->text);
  else
    fprintf(stderr, "%s: %s\n", a->model, err->text);
  return CLI_FAILED;
}

int complain_status(const cli_args *a, const char *what, lw_status status)
{
  fprintf(stderr, "%s: %s: %s\n", a->model, what, lw_status_text(status));
  return CLI_FAILED;
}

int out_of_memory(const cli_args *a)
{
  fprintf(stderr, "%s: out of memory\n", a->model);
  return CLI_FAILED;
}

/* The parameters are known by name once the model is compiled. */
static int unknown_parameter(const cli_args *a, const lw_spec *s, const char *name)
{
  lw_model *m = lw_compile(s, NULL);
  const int n = m ? lw_nparameter(m) : 0;
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  const char *nearest = NULL;
  for (int i = 0; names && i < n; i++)
    names[i] = lw_parameter_name(m, i);
  if (names) nearest = lw_nearest_name(name, names, n);
  const int status =
      nearest
          ? usage_error(a->verb, "--set: the model has no parameter \"%s\"; did you mean \"%s\"?",
                        name, nearest)
          : usage_error(a->verb, "--set: the model has no parameter \"%s\"", name);
  free(names);
  lw_model_free(m);
  return status;
}

/* "La=1.2" */
static int set_parameter(const cli_args *a, lw_spec *s, const char *text)
{
  const char *equals = strchr(text, '=');
  double value;
  if (!equals || equals == text || !read_number(equals + 1, &value) || !isfinite(value))
    return usage_error(a->verb, "--set %s: write it as NAME=NUMBER", text);

  char *name = calloc((size_t)(equals - text) + 1, 1);
  if (!name) return out_of_memory(a);
  memcpy(name, text, (size_t)(equals - text));
  const lw_status set = lw_set_parameter(s, name, value);
  const int status = set == LW_OK ? CLI_DONE : unknown_parameter(a, s, name);
  free(name);
  return status;
}

lw_model *load_model(const cli_args *a, int *status)
{
  lw_error err = {0};
  lw_model *m = NULL;
  lw_spec *s = lw_spec_load(a->model, &err);
  *status = s ? CLI_DONE : complain(a, &err);

  const char *text;
  for (int at = 0; *status == CLI_DONE && (text = args_next(a, "set", &at));)
    *status = set_parameter(a, s, text);
  if (*status == CLI_DONE) {
    m = lw_compile(s, &err);
    if (!m) *status = complain(a, &err);
  }
  lw_spec_free(s);
  return m;
}
