/* SPDX-License-Identifier: Apache-2.0 */
/* args.c -- parses the command line of a verb by its table of options, and prints its help. */
#include "args.h"
#include "linkwork/simulate.h"
#include "linkwork/reader.h"
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const cli_verb *verb, const char *format, ...)
{
  const char *space = verb ? " " : "", *name = verb ? verb->name : "";
  lw_error err = {.status = LW_E_ARG};
  va_list list;
  va_start(list, format);
  vsnprintf(err.text, sizeof err.text, format, list);
  va_end(list);
  print_message("linkwork%s%s: %s", space, name, err.text);
  print_message("Try: linkwork%s%s --help", space, name);
  report_failure(NULL, &err, true);
  return CLI_USAGE;
}

static const char *operand_of(const cli_verb *verb)
{
  const cli_option *o = verb->options;
  while (o->name)
    o++;
  return o->value ? o->value : "MODEL";
}

void args_print_help(const cli_verb *verb)
{
  const char *operand = operand_of(verb);
  printf("usage: linkwork %s%s%s [options]\n\n%s\n\noptions:\n", verb->name, *operand ? " " : "",
         operand, verb->summary);
  for (const cli_option *o = verb->options; o->name; o++) {
    char left[64];
    if (!o->help) continue;
    snprintf(left, sizeof left, "%s%c%s --%s%s%s", o->letter ? "-" : " ",
             o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name, o->value ? " " : "",
             o->value ? o->value : "");
    printf("  %-28s %s\n", left, o->help);
  }
  printf("  %-28s %s\n\nexample:\n  %s\n", "    --help", "this text", verb->example);
}

/* ---- options ---- */

static int unknown_option(const cli_verb *verb, const char *word)
{
  const char *names[64];
  int n = 0;
  for (const cli_option *o = verb->options; o->name && n < 63; o++)
    if (o->help) names[n++] = o->name;
  names[n++] = "help";
  const char *nearest = lw_nearest_name(word + strspn(word, "-"), names, n);
  if (nearest) return usage_error(verb, "unknown option %s: did you mean --%s?", word, nearest);
  return usage_error(verb, "unknown option %s", word);
}

/* "name" or "name=value" after the dashes. */
static const cli_option *find_option(const cli_verb *verb, const char *word)
{
  const bool is_long = word[1] == '-';
  const char *name = word + (is_long ? 2 : 1);
  const size_t length = is_long ? strcspn(name, "=") : 1;
  for (const cli_option *o = verb->options; o->name; o++) {
    if (is_long && strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    if (!is_long && o->letter && o->letter == *name) return o;
  }
  return NULL;
}

/* The option at argv[*at] and its value, which may be in the same word: --end=3, -oFILE. */
static int read_option(cli_args *a, int argc, char **argv, int *at)
{
  const char *word = argv[*at];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    a->help = true;
    return CLI_DONE;
  }
  const cli_option *o = find_option(a->verb, word);
  if (!o) return unknown_option(a->verb, word);
  if (!o->help) return usage_error(a->verb, "--%s is not available yet", o->name);

  const char *rest = word[1] == '-' ? strchr(word, '=') : word[2] ? word + 1 : NULL;
  if (!o->value && rest) return usage_error(a->verb, "--%s takes no value", o->name);
  const char *value = rest ? rest + 1 : NULL;
  if (o->value && !rest) {
    if (*at + 1 >= argc) return usage_error(a->verb, "--%s needs a value: %s", o->name, o->value);
    value = argv[++*at];
  }
  a->given[a->ngiven++] = (cli_given){o, value, false};
  return CLI_DONE;
}

/* a further word: one, or any number */
static bool takes_more(const cli_args *a)
{
  const char *operand = operand_of(a->verb);
  return strstr(operand, "...") || (strchr(operand, ' ') && a->nmore == 0);
}

int args_parse(cli_args *a, const cli_verb *verb, int argc, char **argv)
{
  *a = (cli_args){.verb = verb,
                  .given = calloc((size_t)argc + 1, sizeof *a->given),
                  .more = calloc((size_t)argc + 1, sizeof *a->more),
                  .words = (const char *const *)argv,
                  .nword = argc};
  if (!a->given || !a->more) {
    fprintf(stderr, "linkwork %s: out of memory\n", verb->name);
    return CLI_FAILED;
  }

  bool options = true;
  for (int i = 0; i < argc && !a->help; i++) {
    int status = CLI_DONE;
    if (options && strcmp(argv[i], "--") == 0)
      options = false;
    else if (options && argv[i][0] == '-' && argv[i][1])
      status = read_option(a, argc, argv, &i);
    else if (!*operand_of(verb))
      status = usage_error(verb, "\"%s\": the verb takes options only", argv[i]);
    else if (a->model && takes_more(a))
      a->more[a->nmore++] = argv[i];
    else if (a->model)
      status = usage_error(verb, "more than one model is given: \"%s\"", argv[i]);
    else
      a->model = argv[i];
    if (status != CLI_DONE) return status;
  }
  if (!a->model) a->model = args_text(a, "resume"); /* results hold their model */
  if (a->model || a->help || !*operand_of(verb)) return CLI_DONE;
  return usage_error(verb, "no %s is given", operand_of(verb));
}

void args_free(cli_args *a)
{
  free(a->given);
  free(a->more);
  *a = (cli_args){0};
}

/* ---- values ---- */

const char *args_next(const cli_args *a, const char *name, int *at)
{
  while (*at < a->ngiven) {
    cli_given *g = &a->given[(*at)++];
    if (strcmp(g->option->name, name) != 0) continue;
    g->read = true;
    return g->value ? g->value : "";
  }
  return NULL;
}

const char *args_text(const cli_args *a, const char *name)
{
  const char *last = NULL, *value;
  for (int at = 0; (value = args_next(a, name, &at));)
    last = value;
  return last;
}

bool args_has(const cli_args *a, const char *name)
{
  return args_text(a, name);
}

bool args_given(const cli_args *a, const char *name)
{
  for (int i = 0; i < a->ngiven; i++)
    if (strcmp(a->given[i].option->name, name) == 0) return true;
  return false;
}

char *read_name(const char *text, const char *until, const char **rest)
{
  char *name = malloc(strlen(text) + 1);
  if (name) *rest = text + lw_read_name(text, until, name);
  return name;
}

bool read_number(const char *text, double *x)
{
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end) return false;
  *x = value;
  return true;
}

bool read_with_unit(const char *text, const char *unit, double *x)
{
  char *end;
  double factor = 1;
  const double value = strtod(text, &end);
  if (end == text) return false;
  end += strspn(end, " ");
  if (*end && lw_unit_factor(end, unit, &factor) != LW_OK) return false;
  *x = value * factor;
  return isfinite(*x);
}

int args_number(const cli_args *a, const char *name, double *x)
{
  const char *text = args_text(a, name);
  if (!text) return CLI_DONE;
  if (!read_number(text, x))
    return usage_error(a->verb, "--%s: \"%s\" is not a number", name, text);
  return CLI_DONE;
}

int args_choice(const cli_args *a, const char *name, const char *const names[], int n, int *choice)
{
  const char *text = args_text(a, name);
  if (!text) return CLI_DONE;
  for (int i = 0; i < n; i++)
    if (strcmp(text, names[i]) == 0) {
      *choice = i;
      return CLI_DONE;
    }
  const char *nearest = lw_nearest_name(text, names, n);
  return usage_error(a->verb, "--%s: there is no \"%s\"; did you mean \"%s\"?", name, text,
                     nearest ? nearest : names[0]);
}
