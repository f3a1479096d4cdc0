/* SPDX-License-Identifier: Apache-2.0 */
/* results.c -- linkwork results: lists, thins, extracts, converts and compares files of results. */
#include "results.h"
#include "files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', "FILE", "write the chosen rows and columns to FILE.h5, .csv or .jsonl"},
    {"columns", 0, "LIST", "only these columns: names and patterns, e.g. 't,q.*,energy.total'"},
    {"from", 0, "T", "only rows from this time on"},
    {"to", 0, "T", "only rows up to this time"},
    {"every", 0, "N", "only every n-th row, those at events, and the last"},
    {"diff", 0, "OTHER", "compare with other results: exit status 1 if they differ"},
    {"rtol", 0, "R", "of --diff: relative to the largest number of a column, default 1e-6"},
    {"atol", 0, "A", "of --diff: absolute tolerance, default 1e-12"},
    {"model", 0, NULL, "print the model file as it was"},
    {"events", 0, NULL, "list all events"},
    JSON_OPTION,
    {"quiet", 'q', NULL, "only error messages"},
    {.value = "RESULT"}};

int report_results_error(const lw_error *err)
{
  print_message("%s", err->text);
  report_failure(NULL, err, false);
  return CLI_FAILED;
}

/* Tables in CSV whose last line has no end. */
static void warn_of_cut(const cli_args *a, const lw_results *r, const char *path)
{
  const lw_run_status s = lw_results_status(r);
  if (s.state == LW_RUN_UNFINISHED && *s.message && !args_has(a, "quiet"))
    print_message("%s: warning: %s", path, s.message);
}

lw_results *open_results(const cli_args *a, const char *path)
{
  lw_error err = {0};
  lw_results *r = lw_results_open(path, &err);
  if (!r) report_results_error(&err);
  if (r) warn_of_cut(a, r, path);
  return r;
}

lw_results *open_table_or(const cli_args *a, const char *option, const char *path, int *status)
{
  lw_error err = {0};
  lw_results *r = lw_results_open(path, &err);
  if (r)
    warn_of_cut(a, r, path);
  else
    *status = err.status == LW_E_MEMORY ? out_of_memory(a)
                                        : usage_error(a->verb, "--%s: %s", option, err.text);
  return r;
}

lw_results *open_table(const cli_args *a, const char *option, const char *path)
{
  int status;
  return open_table_or(a, option, path, &status);
}

bool *choose_columns(const cli_args *a, const lw_results *r, int *status)
{
  lw_error err = {0};
  bool *chosen = calloc((size_t)lw_results_columns(r) + 1, sizeof *chosen);
  if (!chosen) return *status = out_of_memory(a), NULL;
  if (lw_results_select(r, args_text(a, "columns"), chosen, &err) == LW_OK) return chosen;
  *status = err.status == LW_E_MEMORY ? out_of_memory(a)
                                      : usage_error(a->verb, "--columns: %s", err.text);
  free(chosen);
  return NULL;
}

/* ---- list ---- */

static const char *state_text(const lw_run_status *s)
{
  return s->state == LW_RUN_COMPLETE ? "complete"
         : s->state == LW_RUN_STOPPED
             ? "ended early"
             : "not finished: it is being written, or its writer was killed";
}

typedef struct {
  double least, most, last;
  long missing;
} extent;

static lw_status find_extent(lw_results *r, int column, double *x, extent *e, lw_error *err)
{
  const long n = lw_results_rows(r);
  *e = (extent){(double)INFINITY, -(double)INFINITY, (double)NAN, 0};
  const lw_status status = lw_results_read(r, column, 0, n, x, err);
  for (long i = 0; i < n && status == LW_OK; i++) {
    if (isnan(x[i])) {
      e->missing++;
      continue;
    }
    e->least = fmin(e->least, x[i]);
    e->most = fmax(e->most, x[i]);
  }
  if (status == LW_OK && n > 0) e->last = x[n - 1];
  return status;
}

static void print_events(const lw_results *r, int most)
{
  const int n = lw_results_nevent(r);
  printf("\nevents           %d\n", n);
  for (int i = 0; i < n && i < most; i++) {
    const lw_result_event e = lw_results_event(r, i);
    printf("  t = %-14.10g %s%s%s\n", e.time, show(e.name).text,
           e.transition ? " (the model changes)" : "", e.stops ? " (stop)" : "");
  }
  if (n > most) printf("  ... and %d more: --events lists all\n", n - most);
}

/* Of a sweep: how many cases failed, and the first message. */
static void print_cases(const lw_results *r)
{
  long failed = 0, first = -1;
  for (long i = 0; i < lw_results_rows(r) && lw_results_case_status(r, i); i++)
    if (strcmp(lw_results_case_status(r, i), "ok") != 0 && failed++ == 0) first = i;
  if (lw_results_has_cases(r))
    printf("cases            %ld, %ld failed", lw_results_rows(r), failed);
  if (failed)
    printf(", the first of them in row %ld: %s", first + 1,
           show(lw_results_case_message(r, first)).text);
  if (lw_results_has_cases(r)) printf("\n");
}

static void print_facts(const lw_results *r)
{
  const lw_run_status s = lw_results_status(r);
  const char *name = lw_results_fact(r, "name");
  if (name && *name) printf("model            %s\n", show(name).text);
  printf("state            %s%s%s\n", state_text(&s), *s.message ? ": " : "", show(s.message).text);
  printf("rows, columns    %ld, %d\n", lw_results_rows(r), lw_results_columns(r));
  print_cases(r);
  for (int i = 0; i < lw_results_nfact(r); i++) {
    const char *what = lw_results_fact_name(r, i);
    if (strcmp(what, "name") != 0 && strncmp(what, "format", 6) != 0)
      printf("%-16s %s\n", what, show(lw_results_fact(r, what)).text);
    else if (strcmp(what, "formulation") == 0)
      printf("%-16s %s\n", what, lw_results_fact(r, what));
  }
  if (s.statistics.steps > 0)
    printf("integration      %s; %ld steps, %ld rejected, %ld evaluations, %.3g s\n",
           s.statistics.method, s.statistics.steps, s.statistics.rejected, s.statistics.evaluations,
           s.wall_time);
  for (int i = 0; i < lw_results_nparameter(r); i++) {
    double value = 0;
    const char *parameter = lw_results_parameter(r, i, &value);
    printf("%s%s = %.10g\n", i ? "                 " : "parameters       ", show(parameter).text,
           value);
  }
}

static int print_columns(const cli_args *a, lw_results *r, const bool chosen[])
{
  lw_error err = {0};
  extent e;
  double *x = malloc(((size_t)lw_results_rows(r) + 1) * sizeof *x);
  if (!x) return out_of_memory(a);
  printf("\n%-24s %-8s %14s %14s %14s\n", "column", "unit", "least", "most", "last");
  lw_status status = LW_OK;
  for (int i = 0; i < lw_results_columns(r) && status == LW_OK; i++) {
    if (!chosen[i]) continue;
    status = find_extent(r, i, x, &e, &err);
    if (status != LW_OK) break;
    printf("%-24s %-8s ", show(lw_results_name(r, i)).text, lw_results_unit(r, i));
    if (e.least <= e.most)
      printf("%14.7g %14.7g %14.7g\n", e.least, e.most, e.last);
    else
      printf("%14s %14s %14s\n", "-", "-", "-");
  }
  free(x);
  return status == LW_OK ? CLI_DONE : report_results_error(&err);
}

static void json_facts(json *j, const lw_results *r)
{
  const lw_run_status s = lw_results_status(r);
  static const char *const states[] = {"unfinished", "complete", "stopped"};
  json_text(j, "state", states[s.state]);
  json_text(j, "message", s.message);
  json_integer(j, "rows", lw_results_rows(r));
  json_number(j, "wall_time", s.wall_time);
  json_object(j, "facts");
  for (int i = 0; i < lw_results_nfact(r); i++)
    json_text(j, lw_results_fact_name(r, i), lw_results_fact(r, lw_results_fact_name(r, i)));
  json_object_end(j);
  json_object(j, "parameters");
  for (int i = 0; i < lw_results_nparameter(r); i++) {
    double value = 0;
    const char *name = lw_results_parameter(r, i, &value);
    json_number(j, name, value);
  }
  json_object_end(j);
}

static int print_json(const cli_args *a, const lw_results *r, const bool chosen[])
{
  json j;
  if (!json_start(&j)) return out_of_memory(a);
  json_object(&j, NULL);
  json_facts(&j, r);
  json_list(&j, "columns");
  for (int i = 0; i < lw_results_columns(r); i++) {
    if (!chosen[i]) continue;
    json_object(&j, NULL);
    json_text(&j, "name", lw_results_name(r, i));
    json_text(&j, "unit", lw_results_unit(r, i));
    json_object_end(&j);
  }
  json_list_end(&j);
  json_list(&j, "events");
  for (int i = 0; i < lw_results_nevent(r); i++) {
    const lw_result_event e = lw_results_event(r, i);
    json_object(&j, NULL);
    json_number(&j, "time", e.time);
    json_text(&j, "name", e.name);
    json_integer(&j, "row", e.row);
    json_bool(&j, "transition", e.transition);
    json_object_end(&j);
  }
  json_list_end(&j);
  json_object_end(&j);
  return json_finish(&j) ? CLI_DONE : CLI_FAILED;
}

static int list_results(const cli_args *a, lw_results *r, const bool chosen[])
{
  if (args_has(a, "json")) return print_json(a, r, chosen);
  print_facts(r);
  print_events(r, args_has(a, "events") ? lw_results_nevent(r) : 10);
  return print_columns(a, r, chosen);
}

/* ---- extract ---- */

static int print_model(const cli_args *a, lw_results *r)
{
  const lw_source source = lw_sources_get(lw_results_sources(r), 0);
  if (!source.text) {
    print_message("%s: the results hold no model", a->model);
    return CLI_FAILED;
  }
  fwrite(source.text, 1, source.length, stdout);
  return CLI_DONE;
}

static int save_results(const cli_args *a, lw_results *r, bool chosen[])
{
  const char *path = args_text(a, "output");
  lw_error err = {0};
  double every = 1;
  lw_results_part part = {.columns = chosen};
  const int time = lw_results_find(r, "t");
  if (time >= 0)
    chosen[time] = true; /* as in a run: without it nothing could be done with the rest */
  int status = check_file(a, "output", "RESULTS");
  if (status == CLI_DONE) status = args_number(a, "from", &part.from);
  if (args_has(a, "from") && !args_has(a, "to")) part.to = (double)INFINITY;
  if (status == CLI_DONE) status = args_number(a, "to", &part.to);
  if (status == CLI_DONE) status = args_number(a, "every", &every);
  if (status == CLI_DONE && !(every >= 1 && every < 1e15 && every == floor(every)))
    status = usage_error(a->verb, "--every must be a whole number, at least 1");
  if (status != CLI_DONE) return status;
  long rows = 0;
  part.every = (long)every;
  if (lw_results_has_cases(r) && !args_has(a, "quiet"))
    print_message("warning: statuses and messages of cases are not copied");
  if (lw_results_save(r, path, &part, &rows, &err) != LW_OK) return report_results_error(&err);
  if (!args_has(a, "quiet")) print_message("wrote %ld row%s to %s", rows, plural(rows), path);
  return CLI_DONE;
}

static int check_options(const cli_args *a)
{
  static const option_need needs[] = {{"from", "output"},
                                      {"to", "output"},
                                      {"every", "output"},
                                      {"rtol", "diff"},
                                      {"atol", "diff"}};
  const int status = check_needs(a, needs, sizeof needs / sizeof *needs);
  return status == CLI_DONE ? check_exclusive(a, "output|diff|model|events") : status;
}

static int results(const cli_args *a)
{
  if (check_options(a) != CLI_DONE) return CLI_USAGE;
  lw_results *r = open_results(a, a->model);
  if (!r) return CLI_FAILED;
  if (args_has(a, "model")) {
    const int done = print_model(a, r);
    lw_results_free(r);
    return done;
  }
  int status = CLI_DONE;
  bool *chosen = choose_columns(a, r, &status);
  if (chosen)
    status = args_has(a, "diff")     ? diff_results(a, r)
             : args_has(a, "output") ? save_results(a, r, chosen)
                                     : list_results(a, r, chosen);
  free(chosen);
  lw_results_free(r);
  return status;
}

const cli_verb verb_results = {
    "results", "Lists, thins, extracts, converts and compares results of runs.",
    "linkwork results run.h5 --columns 'q.*' --every 10 -o thin.csv", options, results};
