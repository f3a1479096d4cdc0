/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.c -- linkwork sweep: many cases of one model, on all processors. */
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"

#include "files.h"
#include "linkwork/ranks.h"
#include "linkwork/reader.h"
#include "run_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const cli_option options[] = {
    {"vary", 0, "P[=RANGE]",
     "vary parameter P: P=1..2, P=1..2:5 (points of a grid), 'P=normal(1, 0.1)', P=1,2,5; "
     "without RANGE from its min to its max; default: all that have both; repeatable"},
    {"design", 0, "NAME",
     "latin (default), grid, sobol, uniform, normal (random numbers), indices (Sobol' indices)"},
    {"cases", 0, "N", "how many, default 100; of indices N (parameters + 2)"},
    {"points", 0, "N", "of a grid, per parameter, default 5"},
    {"list", 0, "FILE.csv", "cases are the rows of this table: columns named like parameters"},
    {"seed", 0, "N", "of the random numbers, default 1"},
    {"columns", 0, "LIST",
     "results at the end of each run; objectives of the model (`sensitivity`) always are"},
    {"extremes", 0, "LIST", "largest and least values of these columns during each run, and when"},
    {"events", 0, "LIST", "how often these events happen, and when: names and patterns"},
    {"runs", 0, "FILE",
     "keep each whole run: runs/%.csv, % stands for its number; with --threads 1 also .h5"},
    {"output", 'o', "FILE", "one row per case: CSV, or HDF5 (FILE.h5)"},
    {"report", 0, "FILE.html",
     "write a page for browsers: quantiles, scatter plots, parallel coordinates"},
    {"resume", 0, NULL, "continue the table FILE.csv: cases that it has are not computed again"},
    {"shard", 0, "I/N", "every N-th case only, from the I-th on: for several machines"},
    {"merge", 0, NULL,
     "join the tables of shards: linkwork sweep MODEL A.csv B.csv --merge -o ALL.csv"},
    {"case", 0, "K", "case K alone; with -o the table of its run"},
    {"limit", 0, "S", "seconds of processor time per case, after which it counts as failed"},
    {"threads", 0, "N", "cases at a time, default: as many as there are processors"},
    LOAD_OPTIONS,
    {"end", 0, "T", "simulate from 0 to T seconds"},
    {"formulation", 0, "NAME", "auto, tree, dca, cartesian"},
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4"},
    TOLERANCE_OPTIONS,
    JSON_OPTION,
    {"quiet", 'q', NULL, "only error messages, no progress"},
    {.value = "MODEL TABLE..."}};

/* ---- which study ---- */

static uint64_t hash_text(uint64_t h, const char *text, size_t n)
{
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)text[i]) * 1099511628211u;
  return (h ^ 0xff) * 1099511628211u;
}

/* Of the files of the model, listed cases, and all options but those that say where and how
   fast. */
static uint64_t identify(const cli_args *a, const lw_design *d)
{
  static const char *const other[] = {"output", "report",  "resume", "shard", "merge", "case",
                                      "limit",  "threads", "json",   "quiet", "runs"};
  uint64_t h = 14695981039346656037u;
  for (int i = 0; i < lw_sources_count(a->sources); i++) {
    const lw_source s = lw_sources_get(a->sources, i);
    h = hash_text(h, s.text, s.length);
  }
  for (int i = 0; i < a->ngiven; i++) {
    const char *name = a->given[i].option->name, *value = a->given[i].value;
    bool counts = true;
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
      counts = counts && strcmp(name, other[k]) != 0;
    if (!counts) continue;
    h = hash_text(h, name, strlen(name));
    if (value) h = hash_text(h, value, strlen(value));
  }
  if (d->kind == LW_DESIGN_LIST)
    h = hash_text(h, (const char *)d->list,
                  (size_t)d->cases * (size_t)d->nfactor * sizeof *d->list);
  return h;
}

/* ---- running it ---- */

/* by mpirun: ranks.h */
typedef struct {
  int rank, count;
  bool computed; /* no other rank waits for this one any more */
} process;

typedef struct {
  process *process;
  sweep_table table;
  progress progress;
  long first, stride; /* of the shard */
  long todo, began;
} sweep;

static bool is_wanted(void *context, long i)
{
  const sweep *s = context;
  return i % s->stride == s->first && !s->table.line[i];
}

static int on_case(void *context, const lw_case *c)
{
  sweep *s = context;
  if (!sweep_table_add(&s->table, c)) return 1;
  progress_show(&s->progress, (double)(s->table.done - s->began) / (double)(s->todo ? s->todo : 1));
  return 0;
}

static int read_threads(const cli_args *a, int *threads)
{
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  double n = processors > 0 ? (double)processors : 1;
  const int status = args_number(a, "threads", &n);
  *threads = (int)n;
  if (status != CLI_DONE || (n >= 1 && n <= 1024 && n == floor(n))) return status;
  return usage_error(a->verb, "--threads must be a whole number from 1 to 1024");
}

static int read_shard(const cli_args *a, sweep *s)
{
  const char *text = args_text(a, "shard");
  char more;
  s->first = 1;
  s->stride = 1;
  if (text && (sscanf(text, "%ld/%ld%c", &s->first, &s->stride, &more) != 2 || s->first < 1 ||
               s->first > s->stride))
    return usage_error(a->verb, "--shard %s: write it as I/N with 1 <= I <= N", text);
  s->first--;
  return CLI_DONE;
}

static int compute(const cli_args *a, sweep *s, const lw_study *y)
{
  lw_study_run_options how = {
      .on_case = on_case, .wanted = is_wanted, .stop = interrupts_flag(), .context = s};
  lw_error err = {0};
  int status = read_threads(a, &how.threads);
  if (status != CLI_DONE) return status;
  s->began = s->table.done;
  for (long i = 0; i < s->table.n; i++)
    s->todo += is_wanted(s, i);
  interrupts_catch();
  s->progress = progress_start(!args_has(a, "quiet"));
  const lw_status done =
      s->process->count > 1 ? lw_study_run_ranks(y, &how, &err) : lw_study_run(y, &how);
  s->process->computed = true;
  progress_end(&s->progress);
  if (done == LW_E_MEMORY || s->table.written == LW_E_MEMORY) return out_of_memory(a);
  if (s->table.written != LW_OK)
    return complain_status(a, "the table cannot be written", LW_E_FILE);
  return err.status == LW_OK ? CLI_DONE : report_model_error(a, &err);
}

static int report(const cli_args *a, sweep *s, const char *path)
{
  int status = path ? sweep_table_write(a, &s->table, path) : CLI_DONE;
  if (status != CLI_DONE) return status;
  if (args_has(a, "report")) status = sweep_page(a, &s->table, args_text(a, "report"));
  if (status != CLI_DONE) return status;
  if (args_has(a, "json")) {
    if (!json_summary(a, &s->table)) return out_of_memory(a);
  } else if (!args_has(a, "quiet") && !(path && is_stdout(path))) {
    if (!print_summary(a, &s->table)) return out_of_memory(a);
  }
  if (path && !args_has(a, "quiet"))
    print_message("wrote %ld case%s to %s", s->table.done, plural(s->table.done), path);
  return s->table.done > 0 && s->table.failed == s->table.done ? CLI_FAILED : CLI_DONE;
}

static bool is_regular(const char *path, bool *empty)
{
  struct stat file;
  if (!path || stat(path, &file) != 0 || !S_ISREG(file.st_mode)) return false;
  *empty = file.st_size == 0;
  return true;
}

/* An earlier table, or the rows of one that was not finished, is neither lost nor taken for this one. */
static int take_earlier(const cli_args *a, sweep *s, const char *path)
{
  bool empty = false;
  const char *rows = path ? sweep_table_rows(&s->table, path) : NULL;
  if (path && !rows) return out_of_memory(a);
  const bool regular = is_regular(path, &empty) || is_regular(rows, &empty);
  if (args_has(a, "resume"))
    return regular ? sweep_table_read(a, &s->table, path)
                   : usage_error(a->verb, "--resume: -o must name the table to continue");
  if (!regular || empty) return CLI_DONE;
  return usage_error(a->verb, "%s exists: --resume continues it", path);
}

/* Under mpirun all ranks but the first compute what that one asks for. */
static int follow(process *p, const lw_study *y)
{
  interrupts_catch();
  const lw_status status =
      lw_study_run_ranks(y, &(lw_study_run_options){.stop = interrupts_flag()}, NULL);
  p->computed = true;
  return status == LW_OK ? CLI_DONE : CLI_FAILED;
}

static int run_all(const cli_args *a, const lw_study *y, process *p)
{
  const char *path = args_text(a, "output");
  sweep s = {.process = p};
  if (p->rank > 0) return follow(p, y);
  int status = read_shard(a, &s);
  if (status == CLI_DONE && p->count > 1 && args_has(a, "threads"))
    status = usage_error(a->verb, "--threads: under mpirun each rank computes one case at a time");
  if (status != CLI_DONE) return status;
  if (!sweep_table_start(&s.table, y, identify(a, lw_study_design(y))))
    status = out_of_memory(a);
  else
    status = take_earlier(a, &s, path);
  if (status == CLI_DONE && path && !is_stdout(path)) status = sweep_table_open(a, &s.table, path);
  if (status == CLI_DONE) status = compute(a, &s, y);
  if (status == CLI_DONE) status = report(a, &s, path);
  sweep_table_free(&s.table);
  return status;
}

/* ---- shards, and single cases ---- */

static int merge(const cli_args *a, const lw_study *y)
{
  const char *path = args_text(a, "output");
  sweep s = {0};
  if (a->nmore == 0 || !path)
    return usage_error(a->verb, "--merge: linkwork sweep MODEL A.csv B.csv ... --merge -o ALL.csv");
  int status =
      sweep_table_start(&s.table, y, identify(a, lw_study_design(y))) ? CLI_DONE : out_of_memory(a);
  for (int i = 0; i < a->nmore && status == CLI_DONE; i++)
    status = sweep_table_read(a, &s.table, a->more[i]);
  s.table.reused = 0;
  if (status == CLI_DONE) status = report(a, &s, path);
  if (status == CLI_DONE && s.table.done < s.table.n) {
    print_message("%s: %ld of %ld cases are in none of the tables", path, s.table.n - s.table.done,
                  s.table.n);
    status = CLI_FAILED;
  }
  sweep_table_free(&s.table);
  return status;
}

static int print_case(const cli_args *a, const lw_study *y, long index)
{
  const lw_design *d = lw_study_design(y);
  const int nresult = lw_study_nresult(y);
  double *x = malloc(((size_t)d->nfactor + (size_t)nresult) * sizeof *x);
  lw_computed_case c = {.value = x, .result = x + d->nfactor};
  if (!x || lw_study_compute(y, index, &c) == LW_E_MEMORY) {
    free(x);
    return out_of_memory(a);
  }
  printf("case %ld of %ld\n", index + 1, lw_design_cases(d, NULL));
  for (int i = 0; i < d->nfactor; i++)
    printf("  %-20s %.17g\n", show(d->factor[i].name).text, c.value[i]);
  printf("\n");
  for (int i = 0; i < nresult; i++)
    printf("  %-20s %.17g\n", show(lw_study_result_name(y, i)).text, c.result[i]);
  if (c.err.status != LW_OK) printf("  %s\n", show(c.err.text).text);
  free(x);
  return CLI_DONE;
}

static int run_one(const cli_args *a, const lw_study *y)
{
  const char *path = args_text(a, "output");
  double k = 0;
  lw_error err = {0};
  const int status = args_number(a, "case", &k);
  const long n = lw_design_cases(lw_study_design(y), NULL);
  if (status != CLI_DONE) return status;
  if (!(k >= 1 && k <= (double)n && k == floor(k)))
    return usage_error(a->verb, "--case must be a whole number from 1 to %ld", n);
  if (!path) return print_case(a, y, (long)k - 1);
  const lw_run_record record = run_record(a);
  const lw_run_options how = {.output = path, .record = &record, .stop = interrupts_flag()};
  interrupts_catch();
  if (lw_study_run_case(y, (long)k - 1, &how, &err) != LW_OK) return report_model_error(a, &err);
  if (!args_has(a, "quiet")) print_message("wrote case %ld to %s", (long)k, path);
  return CLI_DONE;
}

/* ---- the verb ---- */

/* An option, or what the section `study` says; '': none. */
static const char *wanted(const cli_args *a, const char *option, const char *own)
{
  const char *given = args_has(a, option) ? args_text(a, option) : own;
  return given && *given ? given : NULL;
}

/* Files of several threads: HDF5 cannot. */
static int read_runs(const cli_args *a, lw_study_options *o)
{
  int threads = 1;
  const char *end = (o->runs = args_text(a, "runs")) ? strrchr(o->runs, '.') : NULL;
  const int status = read_threads(a, &threads);
  if (status != CLI_DONE || !end || strcmp(end, ".h5") != 0 || threads == 1) return status;
  return usage_error(
      a->verb, "--runs %s: HDF5 files are written by one thread: --threads 1, or .csv", o->runs);
}

static int read_results(const cli_args *a, const sweep_design *x, lw_study_options *o)
{
  const lw_study_desc none = {0}, *own = x->study ? x->study : &none;
  o->limit = own->limit;
  int status = args_number(a, "limit", &o->limit);
  if (status == CLI_DONE && !(o->limit >= 0 && isfinite(o->limit)))
    status = usage_error(a->verb, "--limit must be a number of seconds");
  if (status == CLI_DONE) status = read_runs(a, o);
  o->design = x->design;
  o->columns = wanted(a, "columns", own->columns);
  o->extremes = wanted(a, "extremes", own->extremes);
  o->events = wanted(a, "events", own->events);
  return status;
}

static int run_study(const cli_args *a, lw_spec *spec, const lw_model *m, process *p)
{
  lw_study_options o = {0};
  sweep_design design = {0};
  lw_error err = {0};
  int status = run_options(a, &o.simulation);
  o.simulation.threads = 1; /* threads are for cases */
  if (status == CLI_DONE) status = read_design(a, m, &design);
  if (status == CLI_DONE) status = read_results(a, &design, &o);
  lw_study *y = status == CLI_DONE ? lw_study_new(spec, &o, &err) : NULL;
  if (status == CLI_DONE && !y) status = report_model_error(a, &err);
  if (y)
    status = args_has(a, "merge")  ? merge(a, y)
             : args_has(a, "case") ? run_one(a, y)
                                   : run_all(a, y, p);
  lw_study_free(y);
  sweep_design_free(&design);
  return status;
}

static int run_alone(const cli_args *a, process *p)
{
  const bool hdf5 = args_has(a, "output") && names_hdf5(args_text(a, "output"));
  int status = check_file(a, "output", hdf5 || args_has(a, "case") ? "RESULTS" : "CSV");
  if (status == CLI_DONE) status = check_file(a, "report", "HTML");
  if (status == CLI_DONE) status = check_two_files(a, "output", "report");
  if (status == CLI_DONE) status = check_exclusive(a, "case|report");
  if (status == CLI_DONE) status = check_exclusive(a, "merge|case|resume");
  if (status == CLI_DONE) status = check_exclusive(a, "merge|case|shard");
  if (status == CLI_DONE && a->nmore > 0 && !args_has(a, "merge"))
    status = usage_error(a->verb, "\"%s\": tables are for --merge", a->more[0]);
  if (status != CLI_DONE) return status;
  lw_error err = {0};
  lw_spec *spec = load_spec(a, &status);
  lw_model *m = spec ? lw_compile(spec, &err) : NULL;
  if (spec && !m) status = report_model_error(a, &err);
  if (m) status = run_study(a, spec, m, p);
  lw_model_free(m);
  lw_spec_free(spec);
  return status;
}

/* All but the first of several ranks say nothing: it says the same. */
static int run_sweep(const cli_args *a)
{
  process p = {0};
  lw_error err = {0};
  if (lw_ranks_start(&p.rank, &p.count, &err) != LW_OK) return report_model_error(a, &err);
  const bool single = args_has(a, "merge") || args_has(a, "case");
  if (p.rank > 0 && !single &&
      !(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)))
    return CLI_FAILED;
  const int status = p.rank > 0 && single ? CLI_DONE : run_alone(a, &p);
  if (status != CLI_DONE && !single && !p.computed) {
    fflush(NULL);
    lw_ranks_leave(status);
  }
  lw_ranks_end();
  return status;
}

const cli_verb verb_sweep = {
    "sweep", "Computes many cases of the model: designs, one row per case, statistics.",
    "linkwork sweep models/double-pendulum.yaml --vary La=0.5..1.5 --vary 'mb=normal(1, 0.1)' "
    "--columns q.A,energy.total -o cases.csv",
    options, run_sweep};
