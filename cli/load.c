/* SPDX-License-Identifier: Apache-2.0 */
/* load.c -- loads and compiles the model of the command line, or reports where it is wrong. */
#include "verbs.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int report_model_error(const cli_args *a, const lw_error *err)
{
  const char *file = err->file[0] ? err->file : a->model, *text = without_place(file, err);
  const bool other_file = err->status == LW_E_FILE && text == err->text; /* which it names */
  if (other_file)
    print_message("%s", text);
  else if (err->line > 0)
    print_message("%s:%d:%d: %s", file, err->line, err->column, text);
  else
    print_message("%s: %s", file, text);
  report_failure(other_file ? NULL : file, err, false);
  return CLI_FAILED;
}

int complain_status(const cli_args *a, const char *what, lw_status status)
{
  lw_error err = {.status = status};
  snprintf(err.text, sizeof err.text, "%s: %s", what, lw_status_text(status));
  return report_model_error(a, &err);
}

int out_of_memory(const cli_args *a)
{
  const lw_error err = {.status = LW_E_MEMORY, .text = "out of memory"};
  return report_model_error(a, &err);
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
  const char *equals;
  lw_error err = {0};
  char *name = read_name(text, "=", &equals);
  if (!name) return out_of_memory(a);
  const bool whole = *equals && equals[1] && *name;
  const lw_status set = whole ? lw_set_parameter_text(s, name, equals + 1, &err) : LW_OK;
  const int status =
      !whole            ? usage_error(a->verb, "--set %s: write it as NAME=NUMBER", text)
      : set == LW_OK    ? CLI_DONE
      : set == LW_E_ARG ? unknown_parameter(a, s, name)
      : set == LW_E_MEMORY
          ? out_of_memory(a)
          : usage_error(a->verb, "--set %s: %s; write it as NAME=NUMBER", text, err.text);
  free(name);
  return status;
}

/* Is the joint named by --q J=... or --u J=...? */
static bool is_named(const cli_args *a, const char *option, const char *name)
{
  const char *given, *rest;
  bool found = false;
  for (int at = 0; !found && (given = args_next(a, option, &at));) {
    char *word = read_name(given, "=", &rest);
    found = word && strcmp(word, name) == 0;
    free(word);
  }
  return found;
}

/* Compiles again with the joints named by --q and --u at these values, and held: they determine how
   the loops are closed, and the spanning tree prefers them. */
static int hold_state(const cli_args *a, lw_spec *s, lw_model **m)
{
  lw_error err = {0};
  const int nq = lw_nq_all(*m), nu = lw_nu_all(*m);
  double *q = calloc((size_t)nq + (size_t)nu + 1, sizeof *q), *u = q + nq;
  if (!q) return out_of_memory(a);
  lw_initial_state(*m, q, u);
  int status = read_state(a, *m, "q", q);
  if (status == CLI_DONE) status = read_state(a, *m, "u", u);
  for (int i = 1; i <= lw_njoint(*m) && status == CLI_DONE; i++) {
    const lw_joint_info j = lw_get_joint(*m, (lw_joint){i});
    if (is_named(a, "q", j.name)) lw_hold_joint(s, j.name, q + j.q_all, NULL);
    if (is_named(a, "u", j.name)) lw_hold_joint(s, j.name, NULL, u + j.u_all);
  }
  free(q);
  if (status != CLI_DONE) return status;
  lw_model_free(*m);
  *m = lw_compile(s, &err);
  return *m ? CLI_DONE : report_model_error(a, &err);
}

static void warn_of_cuts(const cli_args *a, const lw_model *m)
{
  for (int i = 1; i <= lw_njoint(m); i++) {
    const lw_joint_info j = lw_get_joint(m, (lw_joint){i});
    if (j.cut_refused)
      print_message(
          "%s:%d:%d: warning: joint \"%s\" is not cut: the shallowest spanning tree needs it, and "
          "results do not depend on it",
          j.file ? j.file : a->model, j.line, j.column, j.name);
  }
}

/* Verbs that evaluate one state or many without a simulation. */
static void warn_of_limits(const cli_args *a, const lw_model *m)
{
  static const char *const verbs[] = {"eval", "inverse"};
  const int limits = lw_nlimit(m);
  const int frictions = strcmp(a->verb->name, "inverse") == 0 ? 0 : lw_nfriction(m);
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs && limits + frictions > 0; i++)
    if (strcmp(a->verb->name, verbs[i]) == 0)
      print_message("%s: warning: %s takes no account of %s%s%s of joints; `run` does", a->model,
                    verbs[i], limits ? "rigid limits" : "", limits && frictions ? " and " : "",
                    frictions ? "dry friction" : "");
}

static void warn_of_contacts(const cli_args *a, const lw_model *m)
{
  static const char *const verbs[] = {"eval", "inverse"};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs && lw_ncontact(m) > 0; i++)
    if (strcmp(a->verb->name, verbs[i]) == 0)
      print_message("%s: warning: %s takes no account of contacts and ropes; `run` does", a->model,
                    verbs[i]);
}

/* What the reader repaired or left out. */
static void print_notes(const cli_args *a, const lw_spec *s)
{
  for (int i = 0; i < lw_spec_nnote(s); i++)
    print_message("%s: warning: %s", a->model, lw_spec_get_note(s, i));
}

lw_spec *load_spec(const cli_args *a, int *status)
{
  static const char *const rules[] = {"auto", "keep", "repair"};
  lw_error err = {0};
  int rule = LW_INERTIA_AUTO;
  *status = args_choice(a, "inertia", rules, sizeof rules / sizeof *rules, &rule);
  if (*status != CLI_DONE) return NULL;
  const lw_load_options options = {.inertia = (lw_inertia_rule)rule,
                                   .floating_base = args_has(a, "floating-base"),
                                   .key = args_text(a, "key"),
                                   .root = args_text(a, "root"),
                                   .sources = a->sources};
  lw_spec *s = lw_spec_load_with(a->model, &options, &err);
  if (!s) *status = report_model_error(a, &err);
  if (s && !args_has(a, "quiet")) print_notes(a, s);
  const char *text;
  for (int at = 0; *status == CLI_DONE && (text = args_next(a, "set", &at));)
    *status = set_parameter(a, s, text);
  if (*status == CLI_DONE) return s;
  lw_spec_free(s);
  return NULL;
}

/* --solver and --ordering need the Cartesian form, which the options or the file may choose. */
static int check_solver(const cli_args *a, const lw_model *m)
{
  if (!args_has(a, "solver") && !args_has(a, "ordering")) return CLI_DONE;
  const char *formulation = args_text(a, "formulation");
  const bool chosen = formulation && strcmp(formulation, "auto") != 0;
  const bool written =
      !formulation && lw_simulation_defaults(m).formulation == LW_FORMULATION_CARTESIAN;
  if (chosen || written) return CLI_DONE;
  return usage_error(a->verb, "--solver and --ordering belong to --formulation cartesian");
}

/* `work.M` of --columns: an expression that uses it makes the model integrate it. */
static int want_works(const cli_args *a, lw_spec *s)
{
  const char *list = args_text(a, "columns");
  while (list && *list) {
    char *name = read_name(list, ",", &list);
    if (!name) return out_of_memory(a);
    char text[300];
    list += *list == ',';
    if (strncmp(name, "work.", 5) == 0 && !strpbrk(name, "*?\"") && strlen(name) < 250) {
      snprintf(text, sizeof text, "\"%s\"", name);
      lw_expr(s, text);
    }
    free(name);
  }
  return CLI_DONE;
}

lw_model *load_model(const cli_args *a, int *status)
{
  lw_error err = {0};
  lw_model *m = NULL;
  lw_spec *s = load_spec(a, status);

  if (*status == CLI_DONE) *status = want_works(a, s);
  if (*status == CLI_DONE) {
    m = lw_compile(s, &err);
    if (!m) *status = report_model_error(a, &err);
  }
  if (m && (args_has(a, "q") || args_has(a, "u"))) *status = hold_state(a, s, &m);
  if (m && *status == CLI_DONE) *status = check_solver(a, m);
  if (*status != CLI_DONE) {
    lw_model_free(m);
    m = NULL;
  }
  if (m && !args_has(a, "quiet")) {
    warn_of_cuts(a, m);
    warn_of_limits(a, m);
    warn_of_contacts(a, m);
  }
  lw_spec_free(s);
  return m;
}

lw_run_record run_record(const cli_args *a)
{
  return (lw_run_record){.program = "linkwork " LINKWORK_VERSION,
                         .arguments = a->words - 1, /* with the verb */
                         .nargument = a->nword + 1,
                         .sources = a->sources};
}

const char *model_title(const lw_model *m)
{
  const char *name = lw_model_name(m);
  return name && *name ? name : "model";
}
