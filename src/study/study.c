/* SPDX-License-Identifier: Apache-2.0 */
/* study.c -- the cases of a design, each a run of its own, several at a time.

   A case is computed from a copy of the spec, by one thread and from its own numbers only: its bits
   depend neither on the other cases nor on the number of threads. */
#define _POSIX_C_SOURCE 200809L
#include "base/fail.h"
#include "base/team.h"
#include "linkwork/analysis.h"
#include "linkwork/query.h"
#include "linkwork/study.h"
#include "model/model.h"
#include "model/spec/spec_data.h"
#include "sim/run/simulation_data.h"
#include "sim/sensitivity/sensitivity.h"
#include "study/case_results.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lw_study {
  lw_spec *spec; /* with objectives for extremes */
  lw_study_options o;
  lw_factor *factor;        /* [nfactor] */
  double *numbers;          /* values of factors, list of cases */
  char **name;              /* [nfactor] */
  char *columns, *runs;     /* what each run has, and where it is kept */
  lwi_case_results results; /* what is kept of each case */
  long cases;
};

/* ---- make and free ---- */

static char *copy_text(const char *text)
{
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static size_t count_numbers(const lw_design *d)
{
  size_t n = d->kind == LW_DESIGN_LIST ? (size_t)d->cases * (size_t)d->nfactor : 0;
  for (int i = 0; i < d->nfactor; i++)
    if (d->factor[i].kind == LW_FACTOR_VALUES) n += (size_t)d->factor[i].nvalue;
  return n;
}

static bool copy_design(lw_study *y, const lw_design *d)
{
  y->factor = calloc((size_t)d->nfactor, sizeof *y->factor);
  y->numbers = malloc((count_numbers(d) + 1) * sizeof *y->numbers);
  if (!y->factor || !y->numbers) return false;
  double *at = y->numbers;
  for (int i = 0; i < d->nfactor; i++) {
    lw_factor *f = &y->factor[i];
    *f = d->factor[i];
    f->name = y->name[i] = copy_text(f->name);
    if (!f->name) return false;
    if (f->kind != LW_FACTOR_VALUES) continue;
    f->value = memcpy(at, f->value, (size_t)f->nvalue * sizeof *at);
    at += f->nvalue;
  }
  if (d->kind == LW_DESIGN_LIST)
    y->o.design.list = memcpy(at, d->list, (size_t)d->cases * (size_t)d->nfactor * sizeof *at);
  y->o.design.factor = y->factor;
  return true;
}

/* Each factor must be a parameter, once. */
static lw_status check_names(const lw_design *d, const lw_model *m, lw_error *err)
{
  for (int i = 0; i < d->nfactor; i++) {
    int found = 0;
    for (int k = 0; k < lw_nparameter(m); k++)
      found += strcmp(lw_parameter_name(m, k), d->factor[i].name) == 0;
    if (!found)
      return lwi_fail(err, LW_E_ARG, "the model has no parameter \"%s\"", d->factor[i].name);
    for (int k = 0; k < i; k++)
      if (strcmp(d->factor[k].name, d->factor[i].name) == 0)
        return lwi_fail(err, LW_E_ARG, "parameter \"%s\" is varied twice", d->factor[i].name);
  }
  return LW_OK;
}

/* The columns of the runs themselves: with the time, if they are kept; "t": none is wanted. */
static bool copy_options(lw_study *y, const lw_study_options *o)
{
  const char *columns = o->columns ? o->columns : o->runs ? "*" : "t", *also = o->runs ? "t," : "";
  const size_t size = strlen(also) + strlen(columns) + 1;
  if ((y->columns = malloc(size))) snprintf(y->columns, size, "%s%s", also, columns);
  if (o->runs) y->runs = copy_text(o->runs);
  y->o.columns = y->o.extremes = y->o.events = y->o.runs = NULL; /* the caller's */
  return y->columns && (y->runs || !o->runs);
}

static lw_status check_runs(const char *runs, lw_error *err)
{
  if (!runs || strchr(runs, '%')) return LW_OK;
  return lwi_fail(
      err, LW_E_ARG,
      "\"%.200s\": the files of runs need a %% in their names, for the number of the case", runs);
}

static lw_status create(lw_study *y, const lw_spec *s, const lw_study_options *o, lw_error *err)
{
  y->o = *o;
  if (!(y->cases = lw_design_cases(&o->design, err))) return err->status;
  if (check_runs(o->runs, err) != LW_OK) return err->status;
  y->name = calloc((size_t)o->design.nfactor, sizeof *y->name);
  if (!y->name || !copy_design(y, &o->design) || !copy_options(y, o) ||
      !(y->spec = lwi_spec_copy(s)))
    return lwi_out_of_memory(err, "a study");
  y->spec->study = NULL; /* a case is one case: copies of the spec need no list of them */
  lw_model *m = lw_compile(y->spec, err);
  if (!m) return err->status;
  const lw_status status = check_names(&y->o.design, m, err);
  lw_model_free(m);
  if (status != LW_OK) return status;
  const lwi_wanted_results wanted = {o->columns, o->extremes, o->events};
  return lwi_case_results_init(&y->results, y->spec, &wanted, err);
}

lw_study *lw_study_new(const lw_spec *s, const lw_study_options *options, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!s || !options || !(options->limit >= 0))
    return lwi_fail(err, LW_E_ARG, "lw_study_new: no spec, no options, or a limit below 0"), NULL;
  lw_study *y = calloc(1, sizeof *y);
  if (!y) return lwi_out_of_memory(err, "a study"), NULL;
  if (create(y, s, options, err) == LW_OK) return y;
  lw_study_free(y);
  return NULL;
}

void lw_study_free(lw_study *y)
{
  if (!y) return;
  for (int i = 0; i < y->o.design.nfactor && y->name; i++)
    free(y->name[i]);
  free(y->name);
  free(y->factor);
  free(y->numbers);
  free(y->columns);
  free(y->runs);
  lwi_case_results_free(&y->results);
  lw_spec_free(y->spec);
  free(y);
}

const lw_design *lw_study_design(const lw_study *y)
{
  return y ? &y->o.design : NULL;
}

int lw_study_nresult(const lw_study *y)
{
  return y ? y->results.n : 0;
}

const char *lw_study_result_name(const lw_study *y, int i)
{
  return y && i >= 0 && i < y->results.n ? y->results.name[i] : NULL;
}

/* ---- one case ---- */

typedef struct {
  double until; /* of the processor time of this thread; infinite: no limit */
  const volatile sig_atomic_t *stop;
  bool late;
} watch;

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int look_at_clock(void *context, double t)
{
  watch *w = context;
  (void)t;
  if (isfinite(w->until)) w->late = w->late || processor_time() > w->until;
  return w->late || (w->stop && *w->stop);
}

/* The model with the values of a case. */
static lw_model *compile_case(const lw_study *y, const double value[], lw_error *err)
{
  lw_spec *s = lwi_spec_copy(y->spec);
  lw_model *m = NULL;
  if (!s) return lwi_out_of_memory(err, NULL), NULL;
  lw_status status = LW_OK;
  for (int i = 0; i < y->o.design.nfactor && status == LW_OK; i++)
    status = lw_set_parameter(s, y->factor[i].name, value[i]);
  if (status == LW_OK)
    m = lw_compile(s, err);
  else
    lwi_fail(err, status, "the parameters cannot be set: %s", lw_status_text(status));
  lw_spec_free(s);
  return m;
}

/* A run with objectives and columns, ready to start; the model must outlive it. */
static lw_sensitivity *open_run(const lw_study *y, const lw_model *m, lw_error *err)
{
  const bool settles = lw_simulation_defaults(m).start_in_equilibrium;
  const lw_sensitivity_options o = {.simulation = y->o.simulation,
                                    .columns = y->columns,
                                    .start = settles ? lw_equilibrium_start : NULL};
  return lwi_sensitivity_new_plain(m, &o, err);
}

/* The name of the file of a run: % is the number of the case.  NULL: no memory. */
static char *name_run(const char *pattern, long index)
{
  char number[24], *name = NULL;
  size_t size = 0;
  snprintf(number, sizeof number, "%ld", index + 1);
  FILE *f = open_memstream(&name, &size);
  if (!f) return NULL;
  for (; *pattern; pattern++)
    if (*pattern == '%')
      fputs(number, f);
    else
      fputc(*pattern, f);
  if (fclose(f) == 0) return name;
  free(name);
  return NULL;
}

/* Without the restarts that files of results have for resuming: their bits are those of every run of this case. */
static lw_run_options keep_bits(const lw_run_options *how)
{
  lw_run_options o = how ? *how : (lw_run_options){0};
  if (o.checkpoint == 0) o.checkpoint = LONG_MAX;
  return o;
}

static lw_status note_row(void *context, const lw_row *row)
{
  if (row->event) lwi_case_events_note(context, row->event, row->after);
  return LW_OK;
}

/* From row to row, perhaps with a file. */
static lw_status run_rows(const lw_study *y, lw_sensitivity *s, long index, lwi_case_events *events,
                          lw_error *err)
{
  char *path = y->runs ? name_run(y->runs, index) : NULL;
  if (y->runs && !path) return lwi_out_of_memory(err, "a study");
  const lw_run_options how =
      keep_bits(&(lw_run_options){.output = path, .on_row = note_row, .context = events});
  const lw_status status = lw_sensitivity_run(s, &how, NULL, err);
  free(path);
  return status;
}

/* To its own end, which an event may bring about.  Fixed steps are those between the rows of a table: they are the same
   where none is written. */
static lw_status run_to_end(const lw_study *y, lw_sensitivity *s, long index,
                            lwi_case_events *events, lw_error *err)
{
  lw_simulation *sim = lw_sensitivity_simulation(s);
  const lw_simulation_options used = lw_simulation_used(sim);
  if (y->runs || used.integrator == LW_INTEGRATOR_RK4 || used.integrator == LW_INTEGRATOR_EULER)
    return run_rows(y, s, index, events, err);
  lw_sensitivity_on_event(s, lwi_case_events_note, events);
  return lw_sensitivity_advance(s, used.end, NULL, NULL, NULL, NULL, err);
}

static void compute_case(const lw_study *y, long index, const double value[], watch *w,
                         double result[], double *t, lw_error *err)
{
  const lwi_case_results *r = &y->results;
  double *event = malloc(((size_t)r->n + 1) * sizeof *event);
  lwi_case_events events;
  *err = (lw_error){.status = LW_OK};
  *t = 0;
  for (int i = 0; i < r->n; i++)
    result[i] = (double)NAN;
  w->until = y->o.limit > 0 ? processor_time() + y->o.limit : HUGE_VAL;
  if (!event) lwi_out_of_memory(err, "a study");
  lw_model *m = event ? compile_case(y, value, err) : NULL;
  lw_sensitivity *s = m ? open_run(y, m, err) : NULL;
  if (s) {
    lw_simulation *sim = lw_sensitivity_simulation(s);
    lw_simulation_interrupt(sim, look_at_clock, w);
    lwi_case_events_start(&events, r, event);
    lw_status status = run_to_end(y, s, index, &events, err);
    *t = lw_simulation_time(sim);
    if (status == LW_E_STOPPED && sim->over) status = LW_OK; /* by an event */
    if (status == LW_OK) status = lwi_case_results_collect(r, s, event, result, err);
    if (status == LW_OK) err->status = LW_OK;
    if (w->late)
      lwi_fail(err, LW_E_STOPPED, "the limit of %.10g s was reached at t = %.10g", y->o.limit, *t);
  }
  lw_sensitivity_free(s);
  lw_model_free(m);
  free(event);
}

lw_status lw_study_run_case(const lw_study *y, long index, const lw_run_options *how, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!y || index < 0 || index >= y->cases)
    return lwi_fail(err, LW_E_ARG, "there is no case %ld", index + 1);
  double *value = malloc((size_t)y->o.design.nfactor * sizeof *value);
  lw_model *m = NULL;
  lw_status status =
      value ? lw_design_values(&y->o.design, index, value) : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) m = compile_case(y, value, err);
  lw_sensitivity *s = m ? open_run(y, m, err) : NULL;
  const lw_run_options same_bits = keep_bits(how);
  status = s ? lw_sensitivity_run(s, &same_bits, NULL, err) : err->status;
  lw_sensitivity_free(s);
  lw_model_free(m);
  free(value);
  return status;
}

/* ---- all of them ---- */

typedef struct {
  const lw_study *y;
  const lw_study_run_options *o;
  lwi_team *team;
  atomic_long next;
  atomic_bool ended, no_memory, lost; /* lost: a case, for lack of memory */
} queue;

static bool is_stopped(queue *k)
{
  return atomic_load(&k->ended) || (k->o->stop && *k->o->stop);
}

/* The next case that is wanted; -1: there is none. */
static long take_case(queue *k)
{
  while (!is_stopped(k)) {
    const long i = atomic_fetch_add(&k->next, 1);
    if (i >= k->y->cases) return -1;
    if (!k->o->wanted || k->o->wanted(k->o->context, i)) return i;
  }
  return -1;
}

static void take_cases(void *context, int thread)
{
  queue *k = context;
  const lw_study *y = k->y;
  const int nfactor = y->o.design.nfactor;
  double *value = malloc((size_t)(nfactor + y->results.n) * sizeof *value),
         *result = value + nfactor;
  (void)thread;
  if (!value) atomic_store(&k->no_memory, true);
  for (long i; value && (i = take_case(k)) >= 0;) {
    watch w = {.stop = k->o->stop};
    lw_error err;
    double t;
    lw_design_values(&y->o.design, i, value);
    compute_case(y, i, value, &w, result, &t, &err);
    if (!w.late && k->o->stop && *k->o->stop) break; /* it is not known how it would have ended */
    if (err.status == LW_E_MEMORY) {                 /* nor is it here: the machine failed */
      atomic_store(&k->lost, true);
      atomic_store(&k->ended, true);
      break;
    }
    lwi_team_lock(k->team);
    const lw_case done = {.index = i, .value = value, .result = result, .t = t, .err = &err};
    if (k->o->on_case && k->o->on_case(k->o->context, &done)) atomic_store(&k->ended, true);
    lwi_team_unlock(k->team);
  }
  free(value);
}

lw_status lw_study_run(const lw_study *y, const lw_study_run_options *options)
{
  if (!y || !options || options->threads < 0 || options->threads > 1024) return LW_E_ARG;
  queue k = {.y = y, .o = options};
  k.team = lwi_team_new(options->threads);
  lwi_team_run(k.team, take_cases, &k);
  lwi_team_free(k.team);
  if (atomic_load(&k.lost)) return LW_E_MEMORY;
  if (atomic_load(&k.no_memory) && atomic_load(&k.next) < y->cases) return LW_E_MEMORY;
  return is_stopped(&k) ? LW_E_STOPPED : LW_OK;
}
