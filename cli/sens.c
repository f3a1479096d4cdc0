/* SPDX-License-Identifier: Apache-2.0 */
/* sens.c -- linkwork sens: derivatives of a run by parameters, and of objectives. */
#include "files.h"
#include "sens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"parameters", 0, "LIST", "by these parameters, e.g. La,Lb; default: those of the model file"},
    {"output", 'o', "FILE.csv", "write the table of `run` with the columns d(q.A)/d(La) ..."},
    {"columns", 0, "LIST", "only these columns, and derivatives of all of them: 'q.*,fx.A'"},
    {"check", 0, NULL,
     "compare with differences of whole runs: exit status 1 if they disagree, 3 if they do not "
     "tell"},
    {"differences", 0, NULL, "rates by differences of nearby models instead of exactly"},
    SET_OPTION,
    SPAN_OPTIONS,
    FORMULATION_OPTIONS,
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4"},
    TOLERANCE_OPTIONS,
    JSON_OPTION,
    {"quiet", 'q', NULL, "no messages but errors"},
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
  memcpy(list->text, text, strlen(text) + 1);
  char *at = list->text;
  for (int i = 0; i < list->n; i++) {
    list->name[i] = at;
    char *comma = strchr(at, ',');
    if (comma) *comma = '\0';
    at = comma ? comma + 1 : at;
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

/* ---- the table ---- */

typedef struct {
  sens_result *r;
  lw_columns *plain; /* the columns of `run`; NULL: no table */
  lw_csv *csv;
  double *cells, *row, *drow;
  int nplain;
  double event;
  lw_status status;
} table;

/* "d(q.A)/d(La)" of every column but t */
static char **make_names(const table *x, int *n)
{
  const sens_result *r = x->r;
  const lw_columns *c = lw_sensitivity_columns(r->s);
  char **names = calloc((size_t)(x->nplain + r->nparameter * r->ncolumn) + 1, sizeof *names);
  *n = 0;
  for (int i = 0; i < x->nplain && names; i++) {
    const char *name = lw_columns_name(x->plain, i);
    if (!(names[*n] = malloc(strlen(name) + 1))) return names;
    strcpy(names[(*n)++], name);
  }
  for (int k = 0; k < r->nparameter && names; k++)
    for (int i = 0; i < r->ncolumn; i++) {
      const char *name = lw_columns_name(c, i),
                 *p = lw_parameter_name(r->m, lw_sensitivity_parameter(r->s, k));
      if (strcmp(name, "t") == 0) continue;
      const size_t size = strlen(name) + strlen(p) + sizeof "d()/d()";
      if (!(names[*n] = malloc(size))) return names;
      snprintf(names[(*n)++], size, "d(%s)/d(%s)", name, p);
    }
  return names;
}

static lw_status open_table(table *x, const cli_args *a, lw_error *err)
{
  const char *path = args_text(a, "output");
  sens_result *r = x->r;
  int n = 0;
  if (!path) return LW_OK;
  x->plain = lw_columns_new(r->m, args_text(a, "columns"), err);
  if (!x->plain || lw_columns_follow(x->plain, r->sim, err) != LW_OK) return err->status;
  x->nplain = lw_columns_count(x->plain);
  x->row = malloc(((size_t)r->ncolumn + 1) * sizeof *x->row);
  x->drow = malloc((size_t)(r->nparameter * r->ncolumn + 1) * sizeof *x->drow);
  x->cells = malloc((size_t)(x->nplain + r->nparameter * r->ncolumn + 1) * sizeof *x->cells);
  char **names = make_names(x, &n);
  const int wanted = x->nplain + r->nparameter * (r->ncolumn - 1);
  if (x->row && x->drow && x->cells && names && n == wanted)
    x->csv = lw_csv_create_names(path, (const char *const *)names, n, err);
  else
    snprintf(err->text, sizeof err->text, "%s", lw_status_text(LW_E_MEMORY));
  for (int i = 0; i < n; i++)
    free(names[i]);
  free(names);
  return x->csv ? LW_OK : err->status != LW_OK ? err->status : LW_E_MEMORY;
}

static void close_table(table *x)
{
  if (x->csv) lw_csv_close(x->csv);
  lw_columns_free(x->plain);
  free(x->cells);
  free(x->row);
  free(x->drow);
}

/* A row at the state that is shown.  Without a table it is looked at all the same: signs of quaternions follow the
   rows. */
static lw_status write_row(table *x, double t, const double q[], const double u[])
{
  const sens_result *r = x->r;
  if (!x->csv) return lw_sensitivity_row(r->s, r->row, NULL);
  lw_status status = lw_columns_row(x->plain, t, q, u, x->cells);
  if (status == LW_OK) status = lw_sensitivity_row(r->s, x->row, x->drow);
  double *to = x->cells + x->nplain;
  for (int k = 0; k < r->nparameter; k++)
    for (int i = 1; i < r->ncolumn; i++) /* t is first */
      *to++ = x->drow[k * r->ncolumn + i];
  x->r->rows++;
  return status == LW_OK ? lw_csv_write(x->csv, x->cells) : status;
}

static int on_event(void *context, const lw_event_report *e, bool after)
{
  table *x = context;
  x->event = e->time;
  x->r->t = e->time;
  x->status =
      write_row(x, e->time, after ? e->q_after : e->q_before, after ? e->u_after : e->u_before);
  return x->status != LW_OK;
}

/* Do the rows of an event stand for the one at t? */
static bool is_event_row(const table *x, double t)
{
  const lw_simulation_options *o = &x->r->used;
  const double rounding = 1e-9 * o->output_step, next = lw_simulation_next_event(x->r->sim);
  return fabs(x->event - t) <= rounding || (next <= t + rounding && next <= o->end);
}

/* ---- singular configurations ---- */

static const char smooth[] = ", the branch on which it is smooth was kept; derivatives beyond are "
                             "those along it, and do not exist by "
                             "parameters that change where or whether it is singular",
                  unsure[] =
                      "; derivatives do not exist by parameters that change whether it is singular";

/* at q, which the simulation shows */
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

/* those on the way, and the end; the start is known */
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

int sens_watch(void *context, double t)
{
  (void)context, (void)t;
  return interrupts_came();
}

static lw_status simulate(table *x, double q[], double u[], lw_error *err)
{
  sens_result *r = x->r;
  lw_status status = LW_OK;
  lw_sensitivity_on_event(r->s, on_event, x);
  lw_sensitivity_watch(r->s, sens_watch, NULL);
  lw_simulation_interrupt(r->sim, sens_watch, NULL);
  const long rows = lw_simulation_rows(r->sim);
  for (long k = 0; k < rows && status == LW_OK; k++) {
    const double t = lw_simulation_row_time(r->sim, k);
    status =
        interrupts_came() ? LW_E_STOPPED : lw_sensitivity_advance(r->s, t, q, u, NULL, NULL, err);
    if (status == LW_OK) r->t = t;
    if (status == LW_OK && k == 0) status = add_singular(r, q, AT_START);
    if (status == LW_OK && !is_event_row(x, t)) x->status = write_row(x, t, q, u);
    if (x->status != LW_OK) {
      status = x->status;
      say_where(err, status, r->sim, r->t, q, u);
    }
  }
  if (status == LW_E_STOPPED && lw_simulation_is_over(r->sim)) status = LW_OK;
  if (status == LW_OK) status = lw_sensitivity_row(r->s, r->row, r->drow);
  if (status == LW_OK) status = lw_sensitivity_objectives(r->s, r->value, r->gradient);
  if (status == LW_OK) status = find_singular(r, q);
  if (status == LW_E_STOPPED) {
    err->status = status;
    snprintf(err->text, sizeof err->text, "interrupted; the results end at t = %g", r->t);
  } else if (status != LW_OK && !err->text[0]) {
    say_where(err, status, r->sim, r->t, q, u);
  }
  return status;
}

static bool take_room(sens_result *r)
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
}

static int report(const cli_args *a, const sens_result *r)
{
  const lw_simulation_statistics s = lw_simulation_report(r->sim);
  warn_of_run(a, &r->used, &s);
  singular_warn_all(a, r->singular, r->nsingular);
  warn_of_no_table(a, "output-step");
  const char *path = args_text(a, "output");
  if (path && !args_has(a, "quiet")) tell("wrote %ld rows to %s", r->rows, path);
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
  tell("%s: derivatives and differences of whole runs disagree", a->model);
  return CLI_FAILED;
}

static lw_status check(sens_result *r, const lw_sensitivity_options *wishes, lw_error *err)
{
  const lw_status status = sens_check(r, wishes, err);
  if (!interrupts_came()) return status;
  err->status = LW_E_STOPPED;
  snprintf(err->text, sizeof err->text, "interrupted; the derivatives were not checked");
  return LW_E_STOPPED;
}

static int run_model(const cli_args *a, const lw_model *m, const name_list *names,
                     const lw_sensitivity_options *wishes)
{
  lw_error err = {0};
  const double start = wall_clock();
  sens_result r = {.m = m, .nobjective = lw_nobjective(m)};
  table x = {.r = &r, .event = -HUGE_VAL};
  double *state = NULL;
  r.s = lw_sensitivity_new(m, names->name, names->n, wishes, &err);
  if (!r.s) return complain(a, &err);
  r.sim = lw_sensitivity_simulation(r.s);
  r.nparameter = lw_sensitivity_nparameter(r.s);
  r.ncolumn = lw_columns_count(lw_sensitivity_columns(r.s));
  r.used = lw_simulation_used(r.sim);
  int nq, nu;
  lw_simulation_room(r.sim, &nq, &nu);
  state = malloc((size_t)(nq + nu + 1) * sizeof *state);
  interrupts_catch(); /* until here there is nothing to keep */
  lw_status status = take_room(&r) && state ? open_table(&x, a, &err) : LW_E_MEMORY;
  if (status == LW_OK) status = simulate(&x, state, state + nq, &err);
  if (status == LW_OK && args_has(a, "check")) status = check(&r, wishes, &err);
  r.wall_time = wall_clock() - start;
  lw_error file = {0};
  if (lw_csv_finish(x.csv, &file) != LW_OK && (status == LW_OK || status == LW_E_FILE)) {
    status = file.status;
    err = file;
  }
  x.csv = NULL;
  const int done = status == LW_OK ? report(a, &r)
                   : err.text[0]   ? complain(a, &err)
                                   : complain_status(a, "sensitivities", status);
  close_table(&x);
  free(state);
  free_result(&r);
  return done;
}

static int sens(const cli_args *a)
{
  lw_sensitivity_options wishes = {.differences = args_has(a, "differences"),
                                   .columns = args_text(a, "columns")};
  name_list names;
  int status = split_names(args_text(a, "parameters"), &names) ? run_options(a, &wishes.simulation)
                                                               : out_of_memory(a);
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (m) status = check_names(a, m, &names);
  if (m && status == CLI_DONE) status = run_model(a, m, &names, &wishes);
  lw_model_free(m);
  free(names.text);
  free(names.name);
  return status;
}

const cli_verb verb_sens = {
    "sens", "Derivatives of a run by parameters: of its states, columns and objectives.",
    "linkwork sens models/four-bar.yaml --parameters La --end 1 --check", options, sens};
