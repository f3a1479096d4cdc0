/* SPDX-License-Identifier: Apache-2.0 */
/* sens.c -- linkwork sens: derivatives of a run by parameters, and of objectives. */
#include "files.h"
#include "sens.h"
#include "linkwork/analysis.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "linkwork/events.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"parameters", 0, "LIST", "by these parameters, e.g. La,Lb; default: those of the model file"},
    {"output", 'o', "FILE", "write the results of `run` with the columns d(q.A)/d(La) ..."},
    {"report", 0, "FILE.html", "write a page for browsers: the motion, bars and bands"},
    {"columns", 0, "LIST", "only these columns, and derivatives of all of them: 'q.*,fx.A'"},
    {"check", 0, NULL,
     "compare with differences of whole runs: exit status 1 if they disagree, 3 if that cannot be "
     "decided"},
    {"gradient", 0, "NAME",
     "of objectives: forward (default), with derivatives of the columns; adjoint, objectives "
     "alone, "
     "for many parameters; auto"},
    {"differences", 0, NULL, "rates by differences of nearby models instead of exactly"},
    LOAD_OPTIONS,
    SPAN_OPTIONS,
    FORMULATION_OPTIONS,
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4"},
    TOLERANCE_OPTIONS,
    JSON_OPTION,
    {"quiet", 'q', NULL, "only error messages"},
    {0}};

/* ---- the list of parameters ---- */

typedef struct {
  char *text;
  const char **name;
  int n;
} name_list;

/* splits "La,Lb" */
static bool split_names(const char *text, name_list *list)
{
  *list = (name_list){.n = 1};
  if (!text) return list->n = 0, true;
  for (const char *c = text; *c; c++)
    list->n += *c == ',';
  list->text = malloc(strlen(text) + 1);
  list->name = malloc((size_t)list->n * sizeof *list->name);
  if (!list->text || !list->name) return false;
  char *to = list->text; /* a name is never longer than what is written */
  list->n = 0;
  for (const char *at = text; at; at = *at ? at + 1 : NULL) {
    list->name[list->n++] = to;
    at += lw_read_name(at, ",", to);
    to += strlen(to) + 1;
  }
  return true;
}

/* A parameter that the model does not have is wrong usage. */
static int check_names(const cli_args *a, const lw_model *m, const name_list *list)
{
  const int n = lw_nparameter(m);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  if (!names) return out_of_memory(a);
  for (int i = 0; i < n; i++)
    names[i] = lw_parameter_name(m, i);
  int status = CLI_DONE;
  for (int k = 0; k < list->n && status == CLI_DONE; k++) {
    int i = 0;
    while (i < n && strcmp(names[i], list->name[k]) != 0)
      i++;
    const char *nearest = i < n ? NULL : lw_nearest_name(list->name[k], names, n);
    if (i == n && nearest)
      status = usage_error(a->verb,
                           "--parameters: the model has no parameter \"%s\"; did you mean \"%s\"?",
                           list->name[k], nearest);
    else if (i == n)
      status =
          usage_error(a->verb, "--parameters: the model has no parameter \"%s\"", list->name[k]);
  }
  free(names);
  return status;
}

/* ---- singular configurations ---- */

static const char smooth[] = ", the branch on which it is smooth was kept; derivatives beyond are "
                             "those along it, and do not exist by "
                             "parameters that change whether it is singular",
                  unsure[] =
                      "; derivatives do not exist by parameters that change whether it is singular";

/* At q, the present output state. */
static lw_status add_singular(sens_result *r, const double q[], singular_moment when)
{
  bool singular;
  singular_place one;
  const lw_status status = singular_at(lw_simulation_model(r->sim), r->t, q, when, &singular, &one);
  if (status != LW_OK || !singular) return status;
  one.note = unsure;
  r->singular[r->nsingular++] = one;
  return LW_OK;
}

/* Those during the run, and the end; the start is known. */
static lw_status find_singular(sens_result *r, const double q[])
{
  const lw_singularity *passed;
  const int n = lw_simulation_singularities(r->sim, &passed);
  singular_place *more = realloc(r->singular, ((size_t)n + 2) * sizeof *more);
  if (!more) return LW_E_MEMORY;
  r->singular = more;
  for (int i = 0; i < n; i++)
    r->singular[r->nsingular++] = (singular_place){.time = passed[i].time,
                                                   .dof = passed[i].dof,
                                                   .dof_there = passed[i].dof_there,
                                                   .when = ON_THE_WAY,
                                                   .note = smooth};
  return r->t > 0 ? add_singular(r, q, AT_END) : LW_OK;
}

/* ---- the run ---- */

/* Checks the initial configuration of the run, and keeps what events warn of. */
static lw_status on_row(void *context, const lw_row *row)
{
  sens_result *r = context;
  if (row->event && row->after) event_warnings_add(&r->warnings, row->event);
  const lw_status status = r->page ? sens_page_add(r, row) : LW_OK;
  if (status != LW_OK) return status;
  if (r->singular_known) return LW_OK;
  r->singular_known = true;
  r->t = row->t;
  return add_singular(r, row->q, AT_START);
}

static int on_step(void *context, double t)
{
  sens_result *r = context;
  progress_show(&r->progress, t / r->used.end);
  return interrupts_came();
}

/* state: lw_simulation_capacity numbers, nq and then nu. */
static lw_status simulate(const cli_args *a, sens_result *r, double *state, int nq, lw_error *err)
{
  const char *path = args_text(a, "output");
  const lw_run_record record = run_record(a);
  const lw_run_options how = {.record = &record,
                              .output = path,
                              .q = state,
                              .u = state + nq,
                              .columns = path      ? args_text(a, "columns")
                                         : r->page ? "t" /* cells are given with rows */
                                                   : NULL,
                              .on_row = on_row,
                              .on_step = on_step,
                              .context = r};
  lw_run_report done;
  r->progress = progress_start(!args_has(a, "quiet"));
  lw_status status = lw_sensitivity_run(r->s, &how, &done, err);
  progress_end(&r->progress);
  r->t = done.t;
  r->rows = done.rows;
  if (status == LW_OK) status = sens_results(r, err);
  return status == LW_OK ? find_singular(r, how.q) : status;
}

static bool allocate(sens_result *r)
{
  const size_t nc = (size_t)r->ncolumn, no = (size_t)r->nobjective, np = (size_t)r->nparameter;
  r->row = malloc((nc + 1) * sizeof *r->row);
  r->drow = malloc((np * nc + 1) * sizeof *r->drow);
  r->value = malloc((no + 1) * sizeof *r->value);
  r->gradient = malloc((np * no + 1) * sizeof *r->gradient);
  r->singular = malloc(sizeof *r->singular);
  return r->row && r->drow && r->value && r->gradient && r->singular;
}

static void free_result(sens_result *r)
{
  lw_sensitivity_free(r->s);
  free(r->row);
  free(r->drow);
  free(r->value);
  free(r->gradient);
  free(r->check);
  free(r->singular);
  sens_page_free(r);
}

/* Names parameters by which derivatives do not exist at the end. */
static void warn_of_ends(const cli_args *a, const sens_result *r)
{
  for (int k = 0; k < r->nparameter; k++)
    if (sens_has_ended(r, k))
      print_message(
          "%s: warning: derivatives by \"%s\" do not exist after t = %.10g, where it changes "
          "whether the configuration is singular: they are left empty",
          a->model, lw_parameter_name(r->m, lw_sensitivity_parameter(r->s, k)),
          lw_sensitivity_exists_until(r->s, k));
}

static int report(const cli_args *a, const sens_result *r)
{
  const lw_simulation_statistics s = lw_simulation_report(r->sim);
  warn_of_run(a, &r->used, &s);
  singular_warn_all(a, r->singular, r->nsingular);
  event_warnings_print(a, &r->warnings);
  warn_of_ends(a, r);
  warn_of_no_table(a, "output-step");
  const char *path = args_text(a, "output");
  if (path && !args_has(a, "quiet"))
    print_message("wrote %ld row%s to %s", r->rows, plural(r->rows), path);
  const int shown = r->page ? sens_page_write(a, r, args_text(a, "report")) : CLI_DONE;
  if (shown != CLI_DONE) return shown;
  if (args_has(a, "json")) {
    if (!sens_json(a, r)) return CLI_FAILED;
  } else if (!path || r->check) {
    sens_print(r);
  }
  if (r->undecided > 0)
    fprintf(
        stderr,
        "%s: %d derivative%s could not be checked: differences of whole runs are themselves too "
        "uncertain; the check is not passed\n",
        show(a->model).text, r->undecided, plural(r->undecided));
  if (r->disagreements == 0) return r->undecided > 0 ? CLI_UNDECIDED : CLI_DONE;
  print_message("%s: derivatives and differences of whole runs disagree", a->model);
  return CLI_FAILED;
}

/* What `auto` has chosen. */
static void say_choice(const cli_args *a, const lw_sensitivity *s)
{
  const char *why;
  const bool swept = lw_sensitivity_gradient(s, &why) == LW_GRADIENT_ADJOINT;
  if (why && !args_has(a, "quiet"))
    print_message("gradients: %s (%s)", swept ? "adjoint" : "forward", why);
}

/* *again: the adjoint that `auto` has chosen does not pass the run. */
static int run_model(const cli_args *a, const lw_model *m, const name_list *names,
                     const lw_sensitivity_options *requested, bool *again)
{
  lw_error err = {0};
  const double start = wall_clock();
  sens_result r = {.m = m, .nobjective = lw_nobjective(m)};
  *again = false;
  r.s = lw_sensitivity_new(m, names->name, names->n, requested, &err);
  if (!r.s) return report_model_error(a, &err);
  say_choice(a, r.s);
  r.sim = lw_sensitivity_simulation(r.s);
  r.nparameter = lw_sensitivity_nparameter(r.s);
  r.ncolumn = lw_columns_count(lw_sensitivity_columns(r.s));
  r.used = lw_simulation_used(r.sim);
  interrupts_catch(); /* before this there is nothing to save */
  lw_simulation_interrupt(r.sim, sens_is_interrupted, NULL);
  int nq, nu;
  lw_simulation_capacity(r.sim, &nq, &nu);
  double *state = malloc((size_t)(nq + nu + 1) * sizeof *state);
  page shown;
  lw_status status = allocate(&r) && state ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK && args_has(a, "report"))
    status = sens_page_start(&r, &shown, args_text(a, "columns"), &err);
  if (status == LW_OK) status = simulate(a, &r, state, nq, &err);
  if (status == LW_OK && args_has(a, "check")) status = sens_check(&r, requested, &err);
  r.wall_time = wall_clock() - start;
  *again = status == LW_E_UNSUPPORTED && requested->gradient == LW_GRADIENT_AUTO &&
           lw_sensitivity_gradient(r.s, NULL) == LW_GRADIENT_ADJOINT;
  if (*again) print_message("gradients: forward: %s", err.text);
  const int done = status == LW_OK ? report(a, &r)
                   : *again        ? CLI_DONE
                   : err.text[0]   ? report_model_error(a, &err)
                                   : complain_status(a, "sensitivities", status);
  free(state);
  free_result(&r);
  return done;
}

static const char *const gradients[] = {"forward", "adjoint", "auto"};

/* Gradients without derivatives of columns. */
static int choose_gradient(const cli_args *a, lw_sensitivity_options *o)
{
  static const char *const columnwise[] = {"output", "report", "columns"};
  int choice = LW_GRADIENT_FORWARD;
  const int status = args_choice(a, "gradient", gradients, 3, &choice);
  if (status != CLI_DONE) return status;
  o->gradient = (lw_gradient)choice;
  if (choice == LW_GRADIENT_FORWARD) return CLI_DONE;
  for (int i = 0; i < 3; i++)
    if (args_has(a, columnwise[i]))
      return usage_error(a->verb, "--%s needs derivatives of columns: --gradient forward",
                         columnwise[i]);
  o->columns = "t";
  return CLI_DONE;
}

static int sens(const cli_args *a)
{
  lw_sensitivity_options requested = {.differences = args_has(a, "differences"),
                                      .columns = args_text(a, "columns")};
  name_list names;
  int status = split_names(args_text(a, "parameters"), &names)
                   ? run_options(a, &requested.simulation)
                   : out_of_memory(a);
  if (status == CLI_DONE) status = choose_gradient(a, &requested);
  if (status == CLI_DONE) status = check_file(a, "output", "RESULTS");
  if (status == CLI_DONE && args_has(a, "report")) status = page_check(a);
  if (status == CLI_DONE) status = check_file(a, "report", "HTML");
  if (status == CLI_DONE) status = check_two_files(a, "output", "report");
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (m && lw_simulation_defaults(m).start_in_equilibrium) requested.start = lw_equilibrium_start;
  if (m) status = check_names(a, m, &names);
  if (m && status == CLI_DONE && requested.gradient && lw_nobjective(m) == 0)
    status = usage_error(a->verb,
                         "--gradient %s: the model has no objectives (`sensitivity: objectives`)",
                         args_text(a, "gradient"));
  bool again = false;
  if (m && status == CLI_DONE) status = run_model(a, m, &names, &requested, &again);
  requested.gradient = LW_GRADIENT_FORWARD;
  if (again) status = run_model(a, m, &names, &requested, &again);
  lw_model_free(m);
  free(names.text);
  free(names.name);
  return status;
}

const cli_verb verb_sens = {
    "sens", "Derivatives of a run by parameters: of its states, columns and objectives.",
    "linkwork sens models/four-bar.yaml --parameters La --end 1 --check", options, sens};
