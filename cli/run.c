/* SPDX-License-Identifier: Apache-2.0 */
/* run.c -- linkwork run: simulates, writes a table or a summary. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "from.h"
#include "linkwork/analysis.h"
#include "linkwork/query.h"
#include "linkwork/events.h"
#include "results.h"
#include "page_report.h"
#include "run_summary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"output", 'o', "FILE",
     "write the results to FILE.h5, .csv or .jsonl; without it a summary is printed"},
    LOAD_OPTIONS,
    START_OPTIONS,
    SPAN_OPTIONS,
    {"columns", 0, "LIST", "only these columns: names and patterns, e.g. 't,q.*,energy.total'"},
    FORMULATION_OPTIONS,
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4, euler"},
    TOLERANCE_OPTIONS,
    JSON_OPTION,
    {"resume", 0, "RESULT.h5", "continue an unfinished run; no MODEL is given"},
    {"checkpoint", 0, "STEPS",
     "restart the integration after so many steps, default 5000; FILE.h5 keeps the state"},
    {"keep", 0, "S",
     "without -o: keep the results in MODEL.h5 if the run takes longer, default 60 s; inf: never"},
    {"plot", 0, "LIST", "draw these columns in the terminal when the run has ended"},
    {"quiet", 'q', NULL, "only error messages, no progress"},
    {"report", 0, "FILE.html", "write a page for browsers: the motion in 3-D, plots, tables"},
    {0}};

/* Is this run long, as far as can be said after a sixth of that time?  Later than after the half of it too much work would be
   done again. */
static bool turns_out_long(run_result *r, double t)
{
  const double passed = wall_clock() - r->began;
  if (!(r->to.keep > 0) || passed < r->to.keep / 6) return false;
  if (r->judged && passed > r->to.keep / 2) return false;
  r->judged = true;
  return passed * (r->used.end - t) > r->to.keep * (t - r->start);
}

/* Called after each step of the integration. */
static int on_step(void *context, double t)
{
  run_result *r = context;
  progress_show(&r->progress, t / r->used.end);
  r->is_long = r->is_long || turns_out_long(r, t);
  return interrupts_came() || r->is_long;
}

/* The same within steps. */
static int is_interrupted(void *context, double t)
{
  (void)context, (void)t;
  return interrupts_came();
}

static lw_status on_row(void *context, const lw_row *row)
{
  run_result *r = context;
  r->t = row->t;
  lw_status status = run_result_add(r);
  if (status == LW_OK && r->page) status = page_add(r->page, row);
  if (status != LW_OK) return status;
  r->rows++;
  const lw_status plotted = live_plot_add(&r->plot, row);
  if (plotted != LW_OK) return plotted;
  return row->event && row->after && !run_events_add(&r->events, row->event) ? LW_E_MEMORY : LW_OK;
}

/* The page of a run, also of one that ended early. */
static int report_page(const cli_args *a, const run_result *r, const lw_error *err)
{
  if (!r->page || r->rows == 0) return CLI_DONE;
  char *facts = run_result_text(a, r, err);
  if (!facts) return complain_status(a, "the report cannot be written", LW_E_NUMBER);
  const int done = page_report(a, r->page, facts, r->to.page);
  free(facts);
  if (done == CLI_DONE && !r->to.film && !args_has(a, "quiet"))
    print_message("wrote %s", r->to.page);
  return done;
}

/* err: what ended the run early, or NULL. */
static int report(const cli_args *a, const run_result *r, const lw_error *err)
{
  const char *path = r->to.table;
  if (r->rows == 0 && err) return report_model_error(a, err);
  if (!args_has(a, "quiet")) run_result_warn(a, r);
  warn_of_run(a, &r->used, &r->statistics);
  if (!r->to.page) warn_of_no_table(a, "columns");
  if (!r->to.page && !r->energies.fixed_steps) warn_of_no_table(a, "output-step");
  if (r->rows > 0 && args_has(a, "json")) {
    if (!run_result_json(a, r, err)) return CLI_FAILED;
  } else if (r->rows > 0 && r->to.summary) {
    run_result_print(r);
  }
  const int done = report_page(a, r, err);
  if (!args_has(a, "json")) live_plot_print(&r->plot);
  if (err) return report_model_error(a, err);
  if (done != CLI_DONE) return done;
  if (path && !args_has(a, "quiet"))
    print_message("wrote %ld row%s to %s", r->rows, plural(r->rows), path);
  return CLI_DONE;
}

static lw_status simulate(const cli_args *a, run_result *r, lw_error *err)
{
  const lw_run_record record = run_record(a);
  double steps = 0;
  args_number(a, "checkpoint", &steps); /* checked before */
  const lw_run_options how = {.record = &record,
                              .resume = args_text(a, "resume"),
                              .checkpoint = (long)steps,
                              .output = r->to.table,
                              .columns = args_text(a, "columns"),
                              .q = r->q,
                              .u = r->u,
                              .on_row = on_row,
                              .on_step = on_step,
                              .context = r};
  lw_run_report done;
  r->progress = progress_start(!args_has(a, "quiet"));
  r->began = wall_clock();
  r->start = lw_simulation_time(r->sim);
  const lw_status status = lw_simulation_run(r->sim, &how, &done, err);
  progress_end(&r->progress);
  r->t = done.t;
  r->rows = r->rows > 0 ? done.rows : 0; /* with those of before */
  r->wall_time = wall_clock() - r->began;
  r->statistics = lw_simulation_report(r->sim);
  r->energies.stopped = status != LW_OK;
  return status;
}

/* Begins in the state of --from, --q and --u. */
static int start_given(const cli_args *a, const lw_model *m, lw_simulation *sim)
{
  lw_error err = {0};
  double t = 0;
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)lw_nq_all(m) + (size_t)lw_nu_all(m) + 1, sizeof *q);
  double *u = q ? q + lw_nq_all(m) : NULL;
  int done = w && q ? read_from(a, m, &t, q, u) : out_of_memory(a);
  if (done == CLI_DONE && t >= lw_simulation_used(sim).end)
    done = usage_error(a->verb, "the run begins at t = %.10g: --end must be later", t);
  if (done == CLI_DONE) done = start_state(a, m, w, t, q, u);
  if (done == CLI_DONE && lw_simulation_start(sim, t, q, u, &err) != LW_OK)
    done = report_model_error(a, &err);
  free(q);
  lw_work_free(w);
  return done;
}

/* As written, at equilibrium, or as the command line says. */
static int start_run(const cli_args *a, const lw_model *m, lw_simulation *sim)
{
  lw_error err = {0};
  if (args_has(a, "from") || args_has(a, "q") || args_has(a, "u")) {
    const int done = start_given(a, m, sim);
    if (done != CLI_DONE || args_has(a, "from") || args_has(a, "u")) return done;
  }
  if (!lw_simulation_defaults(m).start_in_equilibrium) return CLI_DONE;
  return lw_simulation_start_in_equilibrium(sim, NULL, &err) == LW_OK ? CLI_DONE
                                                                      : report_model_error(a, &err);
}

/* Rows of the run go to the page too, if there is to be one. */
static lw_status start_page(const cli_args *a, run_result *r, page *shown, lw_error *err)
{
  if (!r->to.page) return LW_OK;
  r->page = shown;
  return page_start(shown, r->m, r->sim, args_text(a, "columns"), err);
}

/* Limits that do not act yet. */
static void warn_of_late_limits(const cli_args *a, const lw_simulation *sim)
{
  enum { SHOWN = 5 };
  const char *joint;
  int n = 0;
  for (; (joint = lw_simulation_joint_beyond(sim, n)); n++)
    if (n < SHOWN)
      print_message(
          "%s: warning: joint \"%s\" starts beyond its limit, which acts once it has come "
          "back: --q gives another start",
          a->model, joint);
  if (n > SHOWN) print_message("%s: warning: ... and %d more joints", a->model, n - SHOWN);
}

/* The same run once more, with its results in a file: the numbers are the same. */
static int simulate_kept(const cli_args *a, const lw_model *m,
                         const lw_simulation_options *requested, run_outputs to)
{
  char *path = unused_path(a->model, ".h5");
  if (!path) return out_of_memory(a);
  if (!args_has(a, "quiet"))
    print_message(
        "a long run: its results are kept in %s, which `linkwork run --resume %s` goes on with "
        "after an interruption (-o names the file, --keep inf keeps none)",
        show(path).text, show(path).text);
  to.table = path;
  to.keep = 0;
  const int status = simulate_model(a, m, requested, to);
  free(path);
  return status;
}

int simulate_model(const cli_args *a, const lw_model *m, const lw_simulation_options *requested,
                   run_outputs to)
{
  lw_error err = {0};
  page shown = {0};
  run_result r = {0};
  int done;
  lw_simulation *sim = lw_simulation_new(m, requested, &err);
  if (sim && (done = start_run(a, m, sim)) != CLI_DONE) {
    lw_simulation_free(sim);
    return done;
  }
  if (sim && !args_has(a, "quiet")) warn_of_late_limits(a, sim);
  const bool started = sim && run_result_start(&r, m, sim, &err) == LW_OK;
  r.to = to;
  if (!started || lw_columns_follow(r.monitor, sim, &err) != LW_OK ||
      start_page(a, &r, &shown, &err) != LW_OK ||
      live_plot_start(&r.plot, a, m, sim, &err) != LW_OK) {
    done = err.text[0] ? report_model_error(a, &err) : out_of_memory(a);
  } else {
    r.used = lw_simulation_used(sim);
    r.energies.fixed_steps =
        r.used.integrator == LW_INTEGRATOR_RK4 || r.used.integrator == LW_INTEGRATOR_EULER;
    lw_simulation_interrupt(sim, is_interrupted, NULL);
    interrupts_catch(); /* before this there is nothing to save */
    const lw_status status = simulate(a, &r, &err);
    const bool known =
        r.rows == 0 || r.is_long || interrupts_came() || run_result_find_singular(&r, sim) == LW_OK;
    done =
        r.is_long && !interrupts_came() ? CLI_DONE : report(a, &r, status == LW_OK ? NULL : &err);
    if (!known && done == CLI_DONE) done = out_of_memory(a);
  }
  const bool again = r.is_long && !interrupts_came();
  run_result_free(&r);
  page_free(&shown);
  lw_simulation_free(sim);
  return again ? simulate_kept(a, m, requested, to) : done;
}

static int check_checkpoint(const cli_args *a)
{
  double steps = 1;
  const int status = args_number(a, "checkpoint", &steps);
  if (status != CLI_DONE) return status;
  if (!(steps >= 1 && steps < 1e15))
    return usage_error(a->verb, "--checkpoint must be a number of steps, at least 1");
  return CLI_DONE;
}

/* For how long a run may take without its results being kept; 0: for ever. */
static int read_keep(const cli_args *a, double *keep)
{
  const char *text = args_text(a, "keep");
  const bool never = text && strcmp(text, "inf") == 0;
  *keep = 60;
  const int status = never ? CLI_DONE : args_number(a, "keep", keep);
  if (status == CLI_DONE && !(*keep > 0))
    return usage_error(a->verb, "--keep must be a positive number of seconds, or inf");
  const bool given = args_has(a, "output") || args_has(a, "report");
  if (status == CLI_DONE && text && given && !args_has(a, "resume"))
    return usage_error(a->verb, "--keep has no effect with --output or --report");
  /* nowhere to write: a run must not end because of that */
  if (given || never || access(".", W_OK) != 0) *keep = 0;
  return status;
}

static int run_new(const cli_args *a)
{
  lw_simulation_options requested = {0};
  double keep;
  int status = run_options(a, &requested);
  if (status == CLI_DONE) status = check_checkpoint(a);
  if (status == CLI_DONE) status = read_keep(a, &keep);
  if (status == CLI_DONE) status = check_file(a, "output", "RESULTS");
  if (status == CLI_DONE && args_has(a, "report")) status = page_check(a);
  if (status == CLI_DONE) status = check_file(a, "report", "HTML");
  if (status == CLI_DONE) status = check_two_files(a, "output", "report");
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (!m) return status;

  const char *table = args_text(a, "output"), *shown = args_text(a, "report");
  const bool page_alone = shown && args_has(a, "quiet");
  const bool summary = !table && !page_alone && !(shown && is_stdout(shown));
  status = simulate_model(a, m, &requested,
                          (run_outputs){table, shown, .summary = summary, .keep = keep});
  lw_model_free(m);
  return status;
}

/* The command line of the results, with their file as output. */
static int repeat(const cli_args *a, lw_results *r)
{
  const int n = lw_results_nargument(r);
  const char **words = calloc((size_t)n + 8, sizeof *words);
  cli_args again;
  int count = 0;
  if (!words) return out_of_memory(a);
  for (int i = 0; i < n; i++)
    words[count++] = lw_results_argument(r, i);
  words[count++] = "--output";
  words[count++] = args_text(a, "resume");
  words[count++] = "--resume";
  words[count++] = args_text(a, "resume");
  if (args_has(a, "quiet")) words[count++] = "--quiet";
  if (args_has(a, "json")) words[count++] = "--json";
  int status = args_parse(&again, a->verb, count - 1, (char **)words + 1);
  again.nword = n - 1; /* as they were */
  again.sources = lw_results_sources(r);
  if (status == CLI_DONE) status = run_new(&again);
  args_free(&again);
  free(words);
  return status;
}

/* The run goes on as it began: options that would change it are refused. */
static int check_resumed(const cli_args *a)
{
  static const char *const taken[] = {"resume", "quiet", "json"};
  for (int i = 0; i < a->ngiven; i++) {
    const char *name = a->given[i].option->name;
    bool known = false;
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
      known = known || strcmp(name, taken[k]) == 0;
    if (!known)
      return usage_error(a->verb, "--resume uses the options of the run: --%s is not allowed",
                         name);
  }
  return CLI_DONE;
}

static int resume(const cli_args *a)
{
  const char *path = args_text(a, "resume"), *verb;
  if (check_resumed(a) != CLI_DONE) return CLI_USAGE;
  if (a->model != path)
    return usage_error(a->verb, "--resume: the results hold their model: no other one is given");
  lw_results *r = open_results(a, path);
  if (!r) return CLI_FAILED;
  verb = lw_results_argument(r, 0);
  int status = CLI_DONE;
  if (!verb || strcmp(verb, "run") != 0 || lw_sources_count(lw_results_sources(r)) == 0)
    status =
        usage_error(a->verb, "--resume %s: this is no file of `linkwork run -o FILE.h5`", path);
  else if (lw_results_status(r).state == LW_RUN_COMPLETE)
    print_message("%s is complete: there is nothing to resume", path);
  else
    status = repeat(a, r);
  lw_results_free(r);
  return status;
}

static int run(const cli_args *a)
{
  return args_has(a, "resume") ? resume(a) : run_new(a);
}

const cli_verb verb_run = {
    "run", "Simulates the model: the results as a table in a file, or a summary.",
    "linkwork run models/double-pendulum.yaml -o result.csv --end 10 --set La=1.2", options, run};
