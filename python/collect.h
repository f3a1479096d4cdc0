/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h -- what runs between Python and the library without Python: rows of a run are kept as they
   come, and Python is asked now and then whether a signal has come (Ctrl-C).  Part of linkwork._linkwork;
   what is between `python` and `end` is declared to cffi as well. */
#include <time.h>

/* python */
typedef struct {
  void *handle;                /* of the Python object that is called */
  const lw_run_record *record; /* for files of results */
  double asked;                /* when Python was asked last */
  double *cells;
  size_t rows, capacity; /* in rows of ncell numbers */
  int ncell;
  struct page_parts *parts; /* joints of the models that events made; NULL: none did */
} lwpy_run;
char *lwpy_run_parts(lwpy_run *r);
char *lwpy_results_parts(const lw_results *r, const lw_model *m, double start);
void lwpy_run_watch(lw_simulation *sim, lwpy_run *r);
lw_status lwpy_run_simulation(lw_simulation *sim, const char *columns, const char *output,
                              lwpy_run *r, lw_run_report *report, lw_error *err);
lw_status lwpy_run_sensitivity(lw_sensitivity *s, const char *columns, const char *output,
                               lwpy_run *r, lw_run_report *report, lw_error *err);
int lwpy_control(void *context, double t, const double q[], const double u[], double inputs[]);
int lwpy_event(void *context, const lw_event_report *report, bool after);
int lwpy_law(void *context, double t, const double q[], const double u[], double inputs[]);
int lwpy_law_derivative(void *context, double t, const double q[], const double u[],
                        const lw_input_direction *along, double inputs_p[]);
/* of a sweep: [cases][...]; failed[i] is to be freed, NULL: none */
typedef struct {
  int nfactor, nresult;
  double *value, *result, *t;
  lw_error **failed;
} lwpy_cases;
int lwpy_on_case(void *context, const lw_case *c);
lw_status lwpy_run_case(const lw_study *y, long index, const char *columns, const char *output,
                        lwpy_run *r, lw_error *err);
/* of liblinkwork-page */
typedef struct {
  const char *const *text;
  int ncolumn;
  const double *data;
  long rows;
  const char *facts, *parts;
} lw_page_table;
lw_status lw_page_of_table(const lw_model *m, const lw_page_table *x, const char *path,
                           lw_error *err);
int lwpy_fit_iteration(void *context, const lw_fit_state *state);
int lwpy_optimize_iteration(void *context, const lw_optimization_state *state);
/* end */

struct page_parts *lw_page_parts_new(void);
_Bool lw_page_parts_note(struct page_parts *p, const lw_model *m, double t);
char *lw_page_parts_text(const struct page_parts *p);
void lw_page_parts_free(struct page_parts *p);

static int lwpy_check_signals(void *handle);
static int lwpy_on_event(void *handle, lw_event_report *report, _Bool after);
static int lwpy_on_control(void *handle, double t, double *q, double *u, double *inputs);

static int lwpy_on_law(void *handle, double t, double *q, double *u, double *inputs);
static int lwpy_on_law_derivative(void *handle, double t, double *q, double *u,
                                  lw_input_direction *along, double *inputs_p);

static double lwpy_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Python needs the lock of the interpreter: at most 50 times per second. */
static int lwpy_is_interrupted(void *context, double t)
{
  lwpy_run *r = context;
  const double now = lwpy_now();
  (void)t;
  if (now - r->asked < 0.02) return 0;
  r->asked = now;
  return lwpy_check_signals(r->handle);
}

void lwpy_run_watch(lw_simulation *sim, lwpy_run *r)
{
  lw_simulation_interrupt(sim, lwpy_is_interrupted, r);
}

int lwpy_fit_iteration(void *context, const lw_fit_state *state)
{
  (void)state;
  return lwpy_check_signals(context);
}

int lwpy_optimize_iteration(void *context, const lw_optimization_state *state)
{
  (void)state;
  return lwpy_check_signals(context);
}

int lwpy_control(void *context, double t, const double q[], const double u[], double inputs[])
{
  return lwpy_on_control(context, t, (double *)q, (double *)u, inputs);
}

int lwpy_law(void *context, double t, const double q[], const double u[], double inputs[])
{
  return lwpy_on_law(context, t, (double *)q, (double *)u, inputs);
}

int lwpy_law_derivative(void *context, double t, const double q[], const double u[],
                        const lw_input_direction *along, double inputs_p[])
{
  return lwpy_on_law_derivative(context, t, (double *)q, (double *)u, (lw_input_direction *)along,
                                inputs_p);
}

int lwpy_event(void *context, const lw_event_report *report, bool after)
{
  return lwpy_on_event(context, (lw_event_report *)report, after);
}

/* Pages show joints while they are there: models are noted when an event changes them. */
static lw_status lwpy_note_models(lwpy_run *r, const lw_event_report *e, double start)
{
  if (e->before == e->after) return LW_OK;
  if (!r->parts) {
    r->parts = lw_page_parts_new();
    if (!r->parts || !lw_page_parts_note(r->parts, e->before, start)) return LW_E_MEMORY;
  }
  return lw_page_parts_note(r->parts, e->after, e->time) ? LW_OK : LW_E_MEMORY;
}

/* To be freed; NULL: the model did not change. */
char *lwpy_run_parts(lwpy_run *r)
{
  char *text = r->parts ? lw_page_parts_text(r->parts) : NULL;
  lw_page_parts_free(r->parts);
  r->parts = NULL;
  return text;
}

static lw_status lwpy_on_phase(void *context, double t, const lw_model *m)
{
  return lw_page_parts_note(context, m, t) ? LW_OK : LW_E_MEMORY;
}

/* The same of a file of results. */
char *lwpy_results_parts(const lw_results *r, const lw_model *m, double start)
{
  struct page_parts *parts = lw_page_parts_new();
  char *text = NULL;
  if (parts && lw_page_parts_note(parts, m, start)) {
    lw_error lost; /* what the file has lost of them is not shown */
    if (lw_results_phases(r, m, lwpy_on_phase, parts, &lost) != LW_E_MEMORY)
      text = lw_page_parts_text(parts);
  }
  lw_page_parts_free(parts);
  return text;
}

/* Cases are finished one at a time, in threads that Python does not know. */
int lwpy_on_case(void *context, const lw_case *c)
{
  lwpy_cases *k = context;
  for (int i = 0; i < k->nfactor; i++)
    k->value[c->index * k->nfactor + i] = c->value[i];
  for (int i = 0; i < k->nresult; i++)
    k->result[c->index * k->nresult + i] = c->result[i];
  k->t[c->index] = c->t;
  if (c->err->status == LW_OK) return 0;
  k->failed[c->index] = malloc(sizeof *c->err);
  if (!k->failed[c->index]) return 1;
  *k->failed[c->index] = *c->err;
  return 0;
}

static lw_status lwpy_on_row(void *context, const lw_row *row)
{
  lwpy_run *r = context;
  r->ncell = row->ncell;
  if (r->rows == r->capacity) {
    const size_t more = r->capacity ? 2 * r->capacity : 128;
    double *cells = realloc(r->cells, more * (size_t)row->ncell * sizeof *cells);
    if (!cells) return LW_E_MEMORY;
    r->cells = cells;
    r->capacity = more;
  }
  for (int i = 0; i < row->ncell; i++)
    r->cells[r->rows * (size_t)r->ncell + (size_t)i] = row->cells[i];
  r->rows++;
  if (!row->event) return LW_OK;
  if (row->after && lwpy_note_models(r, row->event, r->cells[0]) != LW_OK) return LW_E_MEMORY;
  return lwpy_on_event(r->handle, (lw_event_report *)row->event, row->after) ? LW_E_STOPPED : LW_OK;
}

static lw_run_options lwpy_options(const char *columns, const char *output, lwpy_run *r)
{
  return (lw_run_options){.output = output,
                          .columns = columns,
                          .on_row = lwpy_on_row,
                          .on_step = lwpy_is_interrupted,
                          .record = r->record,
                          .context = r};
}

lw_status lwpy_run_simulation(lw_simulation *sim, const char *columns, const char *output,
                              lwpy_run *r, lw_run_report *report, lw_error *err)
{
  const lw_run_options how = lwpy_options(columns, output, r);
  lwpy_run_watch(sim, r);
  const lw_status status = lw_simulation_run(sim, &how, report, err);
  lw_simulation_interrupt(sim, NULL, NULL);
  return status;
}

lw_status lwpy_run_sensitivity(lw_sensitivity *s, const char *columns, const char *output,
                               lwpy_run *r, lw_run_report *report, lw_error *err)
{
  const lw_run_options how = lwpy_options(columns, output, r);
  return lw_sensitivity_run(s, &how, report, err);
}

lw_status lwpy_run_case(const lw_study *y, long index, const char *columns, const char *output,
                        lwpy_run *r, lw_error *err)
{
  const lw_run_options how = lwpy_options(columns, output, r);
  return lw_study_run_case(y, index, &how, err);
}
