/* SPDX-License-Identifier: Apache-2.0 */
/* fit.c -- linkwork fit: parameters of a model from measurements. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "fit.h"

#include "files.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "page_report.h"
#include "run_summary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"data", 0, "FILE",
     "measurements (CSV, .h5): t and result columns, with a unit or without, e.g. q.A [deg]; an "
     "empty cell: not "
     "measured; a column `weight`: how many measurements a row counts as; repeatable: several "
     "experiments"},
    {"with", 0, "P=V",
     "in the experiment of the --data before: the parameter P is V, or it starts with q.J=X, "
     "u.J=X; repeatable"},
    {"columns", 0, "LIST",
     "only these columns of the measurements: names and patterns; default: all"},
    {"vary", 0, "P[=A..B],...",
     "find parameter P, between A and B (SI units; default: its min and max); repeatable; default: "
     "those of "
     "`sensitivity`, or all"},
    {"noise", 0, "COLUMN=X",
     "the standard deviation of measurements of a column; of others it is estimated; repeatable"},
    {"weight", 0, "COLUMN=X",
     "measurements of this column count X times; 0: not at all; repeatable"},
    {"output", 'o', "FILE.yaml", "write the model file with the values found"},
    {"table", 0, "FILE.csv", "write model, measurements and residuals over time, for `plot`"},
    {"report", 0, "FILE.html",
     "write a page for browsers: the motion, measurements beside the model"},
    {"iterations", 0, "N", "at most, default 200"},
    {"threads", 0, "N", "experiments at a time, default: as many as there are processors"},
    LOAD_OPTIONS,
    {"formulation", 0, "NAME", "auto, tree, dca, cartesian"},
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4"},
    TOLERANCE_OPTIONS,
    JSON_OPTION,
    {"quiet", 'q', NULL, "only error messages, no progress"},
    {0}};

/* ---- the search ---- */

static int on_iteration(void *context, const lw_fit_state *s)
{
  fit_task *t = context;
  progress_line(&t->progress, "iteration %d, %d runs: chi^2 %.6g", s->iterations, s->runs,
                s->chi_square);
  return interrupts_came();
}

/* The run is as long as the longest experiment. */
static void choose_end(fit_task *t)
{
  double end = 0;
  for (int i = 0; i < t->nfile; i++)
    for (long k = 0; k < t->file[i].data.rows; k++)
      end = fmax(end, t->file[i].data.t[k]);
  t->options.simulation.end = end;
}

static int write_model(const cli_args *a, const fit_task *t)
{
  double *value = malloc((size_t)t->varied.n * sizeof *value);
  if (!value) return out_of_memory(a);
  for (int k = 0; k < t->varied.n; k++)
    value[k] = lw_fit_get_parameter(t->fit, k).value;
  const int status = varied_write(a, t->spec, t->m, &t->varied, value);
  free(value);
  return status;
}

static int report(const cli_args *a, const fit_task *t, const lw_error *err)
{
  const bool early = err->status != LW_OK;
  int status = write_model(a, t);
  if (status == CLI_DONE) status = fit_write_files(a, t);
  if (status != CLI_DONE) return status;
  if (args_has(a, "json")) {
    if (!fit_json(a, t, early ? err : NULL)) return out_of_memory(a);
  } else if (!args_has(a, "quiet") &&
             !is_stdout(args_text(a, "output") ? args_text(a, "output") : "")) {
    fit_print(a, t);
  }
  if (early) print_message("%s: %s: the best values so far", a->model, err->text);
  return early ? CLI_FAILED : CLI_DONE;
}

static int solve(const cli_args *a, fit_task *t)
{
  lw_fit_run_options how = {.on_iteration = on_iteration, .stop = interrupts_flag(), .context = t};
  lw_error err = {0};
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  t->options.threads = processors > 0 && processors < 1024 ? (int)processors : 1;
  how.iterations = 200;
  int status = varied_whole(a, "threads", 1024, &t->options.threads);
  if (status == CLI_DONE) status = varied_whole(a, "iterations", 1e6, &how.iterations);
  if (status != CLI_DONE) return status;
  t->options.data = malloc((size_t)t->nfile * sizeof(lw_fit_data));
  if (!t->options.data) return out_of_memory(a);
  for (int i = 0; i < t->nfile; i++) {
    lw_fit_data *d = (lw_fit_data *)(uintptr_t)&t->options.data[i];
    *d = t->file[i].data;
    d->spec = t->file[i].spec;
  }
  t->options.ndata = t->nfile;
  choose_end(t);
  t->fit = lw_fit_new(t->spec, &t->options, &err);
  free((void *)(uintptr_t)t->options.data);
  if (!t->fit) return report_model_error(a, &err);
  interrupts_catch();
  t->progress = progress_start(!args_has(a, "quiet"));
  const lw_status done = lw_fit_run(t->fit, &how, &err);
  progress_end(&t->progress);
  if (done == LW_OK || done == LW_E_NOT_CONVERGED ||
      (done == LW_E_STOPPED && lw_fit_ncombination(t->fit) > 0))
    return report(a, t, &err);
  return report_model_error(a, &err);
}

static int run_fit(const cli_args *a)
{
  fit_task t = {0};
  lw_error err = {0};
  int status = varied_check(a);
  if (status == CLI_DONE) status = check_file(a, "table", "CSV");
  if (status == CLI_DONE && args_has(a, "report")) status = page_check(a);
  if (status == CLI_DONE) status = check_file(a, "report", "HTML");
  if (status == CLI_DONE) status = run_options(a, &t.options.simulation);
  if (status == CLI_DONE) t.spec = load_spec(a, &status);
  if (status == CLI_DONE && !(t.m = lw_compile(t.spec, &err))) status = report_model_error(a, &err);
  if (status == CLI_DONE) status = fit_read(a, &t);
  if (status == CLI_DONE) status = solve(a, &t);
  fit_task_free(&t);
  return status;
}

const cli_verb verb_fit = {"fit",
                           "Finds parameters from measurements: least squares, confidence "
                           "intervals, what is not determined.",
                           "linkwork fit models/double-pendulum.yaml --data run.csv --vary La "
                           "--vary Lb=0.5..2 -o fitted.yaml",
                           options, run_fit};
