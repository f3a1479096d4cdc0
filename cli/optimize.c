/* SPDX-License-Identifier: Apache-2.0 */
/* optimize.c -- linkwork optimize: parameters for which an objective is least. */
#include "files.h"
#include "linkwork/optimize.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "run_summary.h"
#include "varied.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"minimize", 0, "OBJECTIVE",
     "this objective of the model (`sensitivity`); default: the first one"},
    {"maximize", 0, "OBJECTIVE", "the same, to be as large as possible"},
    {"require", 0, "O<=X",
     "another objective must be at most X (SI units); also 'O>=X' and 'O=X'; repeatable"},
    {"vary", 0, "P[=A..B],...",
     "parameter P, between A and B (SI units; default: its min and max); repeatable; default: "
     "those of `sensitivity`, "
     "or all"},
    {"method", 0, "NAME", "slsqp (default), mma"},
    {"starts", 0, "N",
     "searches: from the values of the model, and from N - 1 others between the bounds"},
    {"seed", 0, "N", "of the other starts, default 1"},
    {"runs", 0, "N", "at most, per search, default 1000"},
    {"tolerance", 0, "R", "ends where objective or parameters change by less, default 1e-7"},
    {"differences", 0, NULL, "gradients by differences of runs instead of exact ones, to compare"},
    {"output", 'o', "FILE.yaml", "write the model file with the values found"},
    LOAD_OPTIONS,
    {"end", 0, "T", "simulate from 0 to T seconds"},
    {"formulation", 0, "NAME", "auto, tree, dca, cartesian"},
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4"},
    TOLERANCE_OPTIONS,
    JSON_OPTION,
    {"quiet", 'q', NULL, "only error messages, no progress"},
    {0}};

typedef struct {
  lw_spec *spec;
  lw_model *m;
  varied varied;
  lw_requirement *requirement; /* [nrequirement] */
  int nrequirement;
  lw_optimize_options options;
  lw_optimization *x;
  progress progress;
} task;

static void task_free(task *t)
{
  lw_optimization_free(t->x);
  for (int i = 0; t->requirement && i < t->nrequirement; i++)
    free((char *)(uintptr_t)t->requirement[i].objective);
  free(t->requirement);
  varied_free(&t->varied);
  lw_model_free(t->m);
  lw_spec_free(t->spec);
}

/* ---- what is asked ---- */

/* An objective that the model does not have is wrong usage. */
static int check_objective(const cli_args *a, const task *t, const char *option, const char *name)
{
  const int n = lw_nobjective(t->m);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  if (!names) return out_of_memory(a);
  bool found = false;
  for (int i = 0; i < n; i++) {
    names[i] = lw_get_objective(t->m, i).name;
    found = found || strcmp(names[i], name) == 0;
  }
  const char *near = found ? NULL : lw_nearest_name(name, names, n);
  free(names);
  if (found) return CLI_DONE;
  if (near)
    return usage_error(a->verb, "--%s: the model has no objective \"%s\"; did you mean \"%s\"?",
                       option, name, near);
  return usage_error(a->verb, "--%s: the model has no objective \"%s\"", option, name);
}

/* "width<=0.2", "height = 1" */
static int read_requirement(const cli_args *a, task *t, const char *text)
{
  lw_requirement *r = &t->requirement[t->nrequirement];
  const char *rest;
  char *name = read_name(text, "<>=", &rest);
  if (!name) return out_of_memory(a);
  t->nrequirement++;
  r->objective = name;
  for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
    name[n - 1] = '\0';
  r->kind = *rest == '<' ? LW_AT_MOST : *rest == '>' ? LW_AT_LEAST : LW_EQUAL_TO;
  const char *number = rest + (*rest != '\0') + (*rest && *rest != '=' && rest[1] == '=');
  if (!*rest || !read_number(number + strspn(number, " "), &r->value) || !isfinite(r->value))
    return usage_error(
        a->verb, "--require %s: write it as 'OBJECTIVE<=1', 'OBJECTIVE>=1' or 'OBJECTIVE=1'", text);
  return check_objective(a, t, "require", name);
}

static int read_requirements(const cli_args *a, task *t)
{
  const char *text;
  int n = 0, status = CLI_DONE;
  for (int at = 0; args_next(a, "require", &at);)
    n++;
  t->requirement = calloc((size_t)n + 1, sizeof *t->requirement);
  if (!t->requirement) return out_of_memory(a);
  for (int at = 0; status == CLI_DONE && (text = args_next(a, "require", &at));)
    status = read_requirement(a, t, text);
  t->options.requirement = t->requirement;
  t->options.nrequirement = t->nrequirement;
  return status;
}

static int read_goal(const cli_args *a, task *t)
{
  const int status = check_exclusive(a, "minimize|maximize");
  if (status != CLI_DONE) return status;
  if (lw_nobjective(t->m) == 0)
    return usage_error(a->verb, "the model has no objectives (`sensitivity: objectives`)");
  t->options.maximize = args_has(a, "maximize");
  const char *goal = t->options.maximize ? "maximize" : "minimize";
  t->options.objective = args_text(a, goal);
  return t->options.objective ? check_objective(a, t, goal, t->options.objective) : CLI_DONE;
}

static int read_search(const cli_args *a, task *t)
{
  static const char *const methods[] = {"slsqp", "mma"};
  int method = 0, seed = 1, status = args_choice(a, "method", methods, 2, &method);
  if (status == CLI_DONE) status = varied_whole(a, "starts", 1e6, &t->options.starts);
  if (status == CLI_DONE) status = varied_whole(a, "seed", 1e9, &seed);
  if (status == CLI_DONE && args_has(a, "seed") && t->options.starts == 1)
    status = usage_error(a->verb, "--seed has an effect only with --starts");
  if (status == CLI_DONE) status = args_number(a, "tolerance", &t->options.tolerance);
  if (status == CLI_DONE && !(t->options.tolerance > 0 && t->options.tolerance < 1))
    status = usage_error(a->verb, "--tolerance must be a number between 0 and 1");
  t->options.method = (lw_optimize_method)method;
  t->options.seed = (unsigned long long)seed;
  t->options.differences = args_has(a, "differences");
  return status;
}

static int read_task(const cli_args *a, task *t)
{
  int status = read_goal(a, t);
  if (status == CLI_DONE) status = read_requirements(a, t);
  if (status == CLI_DONE) status = read_search(a, t);
  if (status == CLI_DONE) status = varied_read(a, t->m, &t->varied);
  t->options.parameter = (const char *const *)t->varied.name;
  t->options.nparameter = t->varied.n;
  t->options.min = t->varied.min;
  t->options.max = t->varied.max;
  return status;
}

/* ---- what it has found ---- */

static const char *objective_name(const task *t)
{
  return t->options.objective ? t->options.objective : lw_get_objective(t->m, 0).name;
}

static void print_objectives(const task *t)
{
  static const char *const words[] = {"at most", "at least", "to be"};
  const double *objective = lw_optimization_objectives(t->x);
  printf("\n  %-20s %15s\n", "objective", "value");
  for (int i = 0; i < lw_nobjective(t->m); i++) {
    const char *name = lw_get_objective(t->m, i).name;
    printf(isfinite(objective[i]) ? "  %-20s %15.10g" : "  %-20s               -", show(name).text,
           objective[i]);
    for (int k = 0; k < t->nrequirement; k++)
      if (strcmp(t->requirement[k].objective, name) == 0)
        printf("   %s %.10g", words[t->requirement[k].kind], t->requirement[k].value);
    printf("\n");
  }
}

static void print_starts(const task *t)
{
  if (t->options.starts < 2) return;
  printf("\n  %-8s %17s %15s\n", "start", "objective", "violation");
  for (int i = 0; i < t->options.starts; i++) {
    const lw_optimization_state one = lw_optimization_of_start(t->x, i);
    if (one.value)
      printf("  %-8d %17.10g %15.6g\n", i + 1, one.objective, one.violation);
    else
      printf("  %-8d %17s\n", i + 1, "fails there");
  }
}

static void print_result(const cli_args *a, const task *t)
{
  const lw_optimization_state s = lw_optimization_best(t->x);
  printf("%s: %s %s is %.10g; %d gradient%s, %d run%s", show(a->model).text,
         t->options.maximize ? "largest" : "least", show(objective_name(t)).text, s.objective,
         s.iterations, plural(s.iterations), s.runs, plural(s.runs));
  if (s.failed) printf(", %d of them failed", s.failed);
  printf("\n\n  %-20s %15s %17s\n", "parameter", "start", "value");
  for (int i = 0; i < lw_optimization_nparameter(t->x); i++) {
    const lw_optimized_parameter p = lw_optimization_parameter(t->x, i);
    printf("  %-20s %15.9g %17.12g%s\n", show(p.name).text, p.start, p.value,
           p.value <= p.min   ? "   at its min"
           : p.value >= p.max ? "   at its max"
                              : "");
  }
  print_objectives(t);
  print_starts(t);
}

static void json_values(json *j, const task *t)
{
  json_object(j, "parameters");
  for (int i = 0; i < lw_optimization_nparameter(t->x); i++) {
    const lw_optimized_parameter p = lw_optimization_parameter(t->x, i);
    json_object(j, p.name);
    json_number(j, "start", p.start);
    json_number(j, "value", p.value);
    json_object_end(j);
  }
  json_object_end(j);
  json_object(j, "objectives");
  for (int i = 0; i < lw_nobjective(t->m); i++)
    json_number_or_null(j, lw_get_objective(t->m, i).name, lw_optimization_objectives(t->x)[i]);
  json_object_end(j);
  json_list(j, "starts");
  for (int i = 0; i < t->options.starts; i++) {
    const lw_optimization_state one = lw_optimization_of_start(t->x, i);
    json_object(j, NULL);
    json_bool(j, "ran", one.value);
    if (one.value) json_number(j, "value", one.objective);
    if (one.value) json_number(j, "violation", one.violation);
    json_object_end(j);
  }
  json_list_end(j);
}

static bool json_result(const cli_args *a, const task *t, const lw_error *err)
{
  const lw_optimization_state s = lw_optimization_best(t->x);
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_text(&j, "model", a->model);
  json_bool(&j, "converged", !err);
  if (err) report_error_member(&j, NULL, err);
  json_text(&j, "objective", objective_name(t));
  json_number(&j, "value", s.objective);
  json_number(&j, "violation", s.violation);
  json_integer(&j, "gradients", s.iterations);
  json_integer(&j, "runs", s.runs);
  json_integer(&j, "failed", s.failed);
  json_values(&j, t);
  json_object_end(&j);
  if (err) report_json_is_there();
  return json_finish(&j);
}

static int report(const cli_args *a, const task *t, const lw_error *err)
{
  const bool early = err->status != LW_OK;
  const char *path = args_text(a, "output");
  const int status = varied_write(a, t->spec, t->m, &t->varied, lw_optimization_best(t->x).value);
  if (status != CLI_DONE) return status;
  if (args_has(a, "json")) {
    if (!json_result(a, t, early ? err : NULL)) return out_of_memory(a);
  } else if (!args_has(a, "quiet") && !(path && is_stdout(path))) {
    print_result(a, t);
  }
  if (early) print_message("%s: %s", a->model, err->text);
  return early ? CLI_FAILED : CLI_DONE;
}

/* ---- the search ---- */

static int on_iteration(void *context, const lw_optimization_state *s)
{
  task *t = context;
  char values[160] = "";
  size_t n = 0;
  for (int k = 0; k < t->varied.n && k < 4; k++)
    n += (size_t)snprintf(values + n, sizeof values - n, " %.12s=%.6g", t->varied.name[k],
                          s->value[k]);
  progress_line(&t->progress, "start %d, gradient %d, %d runs: %.8g%s%s%s", s->start + 1,
                s->iterations, s->runs, s->objective,
                s->violation > 0 ? " (requirements violated)" : "", values,
                t->varied.n > 4 ? " ..." : "");
  return interrupts_came();
}

static int solve(const cli_args *a, task *t)
{
  lw_optimization_run_options how = {
      .runs = 1000, .on_iteration = on_iteration, .stop = interrupts_flag(), .context = t};
  lw_error err = {0};
  const int status = varied_whole(a, "runs", 1e9, &how.runs);
  if (status != CLI_DONE) return status;
  t->x = lw_optimization_new(t->spec, &t->options, &err);
  if (!t->x) return report_model_error(a, &err);
  interrupts_catch();
  t->progress = progress_start(!args_has(a, "quiet"));
  lw_optimization_run(t->x, &how, &err);
  progress_end(&t->progress);
  const bool found = lw_optimization_best(t->x).value && err.status != LW_E_MEMORY;
  return found ? report(a, t, &err) : report_model_error(a, &err);
}

static int run_optimize(const cli_args *a)
{
  task t = {.options = {.starts = 1, .tolerance = 1e-7}};
  lw_error err = {0};
  int status = varied_check(a);
  if (status == CLI_DONE) status = run_options(a, &t.options.simulation);
  if (status == CLI_DONE) t.spec = load_spec(a, &status);
  if (status == CLI_DONE && !(t.m = lw_compile(t.spec, &err))) status = report_model_error(a, &err);
  if (status == CLI_DONE) status = read_task(a, &t);
  if (status == CLI_DONE) status = solve(a, &t);
  task_free(&t);
  return status;
}

const cli_verb verb_optimize = {
    "optimize",
    "Finds parameters for which an objective is least, with others bounded; exact gradients.",
    "linkwork optimize models/path-synthesis.yaml -o best.yaml", options, run_optimize};
