/* SPDX-License-Identifier: Apache-2.0 */
/* run_differences.c -- derivatives of whole runs by differences of whole runs.  Independent of how
   derivatives are computed elsewhere, and therefore used to check them.

   Each run ends at its own time T, which may depend on the parameter; columns are compared there,
   and converted to fixed time by their rates: x_p = d(x(T))/dp - xdot T_p.  If a run has other
   events than the run in the middle, the step is decreased until the events agree.

   Central differences with h, h/2, h/4 ... are extrapolated until the estimated error no longer
   decreases [Ridders1982].  The error of the integration, estimated by a run with other tolerances,
   is divided by h. */
#include "base/fail.h"
#include "math/differences.h"
#include "model/model.h"
#include "sim/output/columns.h"
#include "sim/sensitivity/finite_difference.h"
#include "sim/sensitivity/sensitivity_data.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { LEVELS = LWI_DIFFERENCE_LEVELS, ENOUGH = 3 };
static const double widest = 1e-2, nearest = 1e-12; /* h / p */
static const double target = 1e-7;                  /* relative error that is accurate enough */

/* ---- one run ---- */

typedef struct {
  bool begun;      /* there are a model and an initial state */
  uint64_t events; /* hash of their names, in order */
  double *x;       /* [n + 1] columns, objectives, and the end time */
} outcome;

typedef struct {
  const lw_model *m;
  int parameter;
  lw_sensitivity_options options;
  double t;
  bool end_as_written;    /* t is the end given in the model */
  const lw_columns *like; /* columns whose signs of quaternions are adopted */
  int nrow, n;            /* number of columns; of columns and objectives */
  outcome middle;
  lw_sensitivity *kept; /* its run */
  double *rate;         /* [nrow] rates of the columns at the end */
  double *noise;        /* [n + 1] errors of the integration */
  outcome side[2];
  double *d;             /* [n + 1][LEVELS] central differences */
  double *value, *error; /* [n + 1] best values so far */
  double *scratch;
  const lwi_interrupt *interrupt; /* NULL: none */
} study;

/* Hash function FNV-1a. */
static uint64_t hash(uint64_t h, const char *text)
{
  for (; *text; text++)
    h = (h ^ (unsigned char)*text) * 1099511628211u;
  return (h ^ 0xff) * 1099511628211u;
}

static int on_event(void *context, const lw_event_report *report, bool after)
{
  uint64_t *events = context;
  for (int i = 0; i < report->nevent && after; i++)
    *events = hash(*events, report->names[i]);
  return 0;
}

/* Advances to the run's own end. */
static lw_status advance_to_end(lw_sensitivity *s, const lwi_interrupt *interrupt, double end,
                                outcome *out, lw_error *err)
{
  out->events = 14695981039346656037u;
  if (interrupt) s->sim->interrupt = *interrupt;
  lw_sensitivity_on_event(s, on_event, &out->events);
  const lw_status status = lw_sensitivity_advance(s, end, NULL, NULL, NULL, NULL, err);
  return status == LW_E_STOPPED && s->sim->over ? LW_OK : status;
}

/* The run of a model, to its own end; the caller frees it.  Returns NULL on failure; see err. */
static lw_sensitivity *run(const study *y, const lw_model *m,
                           const lw_sensitivity_options *requested, outcome *out, lw_error *err)
{
  lw_sensitivity_options o = *requested;
  const double written = lw_simulation_defaults(m).end;
  const double end = y->end_as_written && written > 0 ? written : y->t;
  if (y->end_as_written) o.simulation.end = end;
  lw_sensitivity *s = lwi_sensitivity_new_plain(m, &o, err);
  out->begun = s;
  lw_status status = s ? advance_to_end(s, y->interrupt, end, out, err) : err->status;
  if (status == LW_OK) {
    if (y->like) status = lwi_columns_join(s->columns, y->like);
    if (status == LW_OK) status = lw_sensitivity_row(s, out->x, NULL);
    if (status == LW_OK) status = lw_sensitivity_objectives(s, out->x + y->nrow, NULL);
    if (status != LW_OK)
      lwi_simulation_fail(s->sim, s->t, status, "the results cannot be evaluated", err);
    out->x[y->n] = s->t;
  }
  if (status == LW_OK) return s;
  lw_sensitivity_free(s);
  return NULL;
}

/* ---- differences ---- */

static lw_status run_nearby(study *y, double h, outcome *out, lw_error *err)
{
  const double p = y->m->parameter[y->parameter];
  lw_model *own = lwi_compile_nearby(y->m, y->parameter, p + h, err);
  out->begun = false;
  if (!own) return err->status;
  lw_sensitivity *s = run(y, own, &y->options, out, err);
  lw_sensitivity_free(s);
  lw_model_free(own);
  if (!s) return err->status;
  if (out->events != y->middle.events)
    return lwi_fail(err, LW_E_NOT_CONVERGED,
                    "no differences of whole runs: with \"%s\" = %.10g other events happen, or "
                    "in another order",
                    y->m->parameter_name[y->parameter], p + h);
  return LW_OK;
}

static lw_status difference(study *y, double h, int level, lw_error *err)
{
  y->side[1].begun = true;
  for (int side = 0; side < 2; side++) {
    const lw_status status = run_nearby(y, side ? h : -h, &y->side[side], err);
    if (status != LW_OK) return status;
  }
  const double end_p = lwi_central_difference(y->side[0].x[y->n], y->side[1].x[y->n], h);
  for (int i = 0; i <= y->n; i++) {
    const double d = lwi_central_difference(y->side[0].x[i], y->side[1].x[i], h);
    y->d[i * LEVELS + level] = i < y->nrow ? d - y->rate[i] * end_p : d;
  }
  return LW_OK;
}

static bool is_good(const study *y)
{
  double scale = 0;
  for (int i = 0; i < y->n; i++)
    if (isfinite(y->value[i])) scale = fmax(scale, fabs(y->value[i]));
  for (int i = 0; i < y->n; i++)
    if (y->error[i] > target * fmax(fabs(y->value[i]), 1e-2 * scale)) return false;
  return true;
}

/* Are the runs on opposite sides of the one in the middle, as differences require?  If small
   changes grow, as in chaotic motions, they may be elsewhere. */
static bool is_between(const study *y)
{
  double first = 0, second = 0, scale = 1;
  for (int i = 0; i <= y->n; i++) {
    const double a = y->side[0].x[i], x = y->middle.x[i], b = y->side[1].x[i];
    if (!isfinite(a) || !isfinite(b) || !isfinite(x)) continue;
    first = fmax(first, fabs(b - a));
    second = fmax(second, fabs(b - 2 * x + a));
    scale = fmax(scale, fabs(x));
  }
  return second <= fmax(0.2 * first, 1e-4 * scale);
}

/* Beginning with level 0, which is known. */
static lw_status refine(study *y, double h, lw_error *err)
{
  for (int level = 0; level < LEVELS; level++, h /= 2) {
    const lw_status status = level > 0 ? difference(y, h, level, err) : LW_OK;
    if (status != LW_OK) return status;
    for (int i = 0; i <= y->n; i++)
      lwi_extrapolate(&y->d[i * LEVELS], level, y->noise[i], h, &y->value[i], &y->error[i]);
    if (level + 1 >= ENOUGH && is_good(y)) break;
  }
  return LW_OK;
}

static lw_status find_differences(study *y, lw_error *err)
{
  const double size = lwi_parameter_scale(y->m->parameter[y->parameter]);
  lw_status status = LW_OK;
  int failures = 0;
  for (double h = widest * size; h > nearest * size && failures < 3; h /= 8) {
    status = difference(y, h, 0, err);
    /* loops that cannot be closed for nearby parameters seem closed for tiny shifts */
    if (status != LW_OK && !(y->side[0].begun && y->side[1].begun)) return status;
    if (status == LW_OK && !is_between(y)) continue;
    if (status == LW_OK) status = refine(y, h, err);
    if (status == LW_E_MEMORY) return status;
    if (status == LW_OK) return *err = (lw_error){.status = LW_OK}, LW_OK;
    failures++;
  }
  for (int i = 0; i < y->n; i++) { /* there are none, or they prove nothing */
    y->value[i] = y->d[i * LEVELS];
    y->error[i] = DBL_MAX;
  }
  return status;
}

/* ---- the run in the middle ---- */

/* The smallest tolerances of the integration; otherwise the caller's options. */
static lw_sensitivity_options tighten(const lw_model *m, const lw_sensitivity_options *options)
{
  lw_sensitivity_options o = options ? *options : (lw_sensitivity_options){0};
  const lw_simulation_options written = lw_simulation_defaults(m);
  const double rtol = o.simulation.rtol > 0 ? o.simulation.rtol : written.rtol;
  const double atol = o.simulation.atol > 0 ? o.simulation.atol : written.atol;
  o.simulation.rtol = rtol > 0 ? fmin(rtol, 1e-12) : 1e-12;
  o.simulation.atol = atol > 0 ? fmin(atol, 1e-13) : 1e-13;
  return o;
}

/* Errors at tolerances eight times as large are about eight times as large. */
static lw_status find_middle(study *y, lw_error *err)
{
  lw_sensitivity_options loose = y->options;
  loose.simulation.rtol *= 8;
  loose.simulation.atol *= 8;
  y->kept = run(y, y->m, &y->options, &y->middle, err);
  if (!y->kept) return err->status;
  y->like = y->kept->columns;
  const lw_status status = lwi_sensitivity_time_rates(y->kept, y->rate);
  if (status != LW_OK)
    return lwi_simulation_fail(y->kept->sim, y->kept->t, status, "the rates cannot be evaluated",
                               err);
  lw_sensitivity *again = run(y, y->m, &loose, &y->side[0], err);
  lw_sensitivity_free(again);
  for (int i = 0; i <= y->n && again; i++)
    y->noise[i] = fabs(y->side[0].x[i] - y->middle.x[i]) / 8;
  return again ? LW_OK : err->status;
}

/* The number of columns, defaults of options, and memory. */
static lw_status open_study(study *y, lw_error *err)
{
  lw_sensitivity *s = lwi_sensitivity_new_plain(y->m, &y->options, err);
  if (!s) return err->status;
  const lw_simulation_options used = lw_simulation_used(lw_sensitivity_simulation(s));
  y->nrow = lw_columns_count(lw_sensitivity_columns(s));
  y->n = y->nrow + lw_nobjective(y->m);
  y->end_as_written = s->end_as_written && fabs(y->t - used.end) <= 1e-9 * used.output_step;
  y->options.simulation = used;
  lw_sensitivity_free(s);
  const size_t n = (size_t)y->n + 1;
  double *at = y->scratch = calloc((7 + LEVELS) * n, sizeof *at);
  if (!at) return lwi_out_of_memory(err, "differences");
  double **const part[] = {&y->middle.x, &y->side[0].x, &y->side[1].x, &y->rate,
                           &y->noise,    &y->value,     &y->error,     &y->d};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++, at += n)
    *part[i] = at;
  return LW_OK;
}

static lw_status find_derivatives(study *y, const lw_differences *out, lw_error *err)
{
  const lw_differences nothing = {0};
  if (!out) out = &nothing;
  lw_status status = open_study(y, err);
  if (status == LW_OK) status = find_middle(y, err);
  if (status == LW_OK) status = find_differences(y, err);
  for (int i = 0; i < y->n && status == LW_OK; i++) {
    const bool column = i < y->nrow;
    double *to = column ? out->drow : out->gradient;
    double *to_error = column ? out->drow_error : out->gradient_error;
    if (to) to[column ? i : i - y->nrow] = y->value[i];
    if (to_error) to_error[column ? i : i - y->nrow] = y->error[i];
  }
  lw_sensitivity_free(y->kept);
  free(y->scratch);
  return status;
}

lw_status lw_sensitivity_by_runs(const lw_model *m, int parameter,
                                 const lw_sensitivity_options *options, double t,
                                 const lw_differences *out, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!m || parameter < 0 || parameter >= lw_nparameter(m) || !m->spec)
    return lwi_fail(err, LW_E_ARG, "lw_sensitivity_by_runs: no such parameter");
  study y = {.m = m, .parameter = parameter, .options = tighten(m, options), .t = t};
  return find_derivatives(&y, out, err);
}

lw_status lw_sensitivity_check(const lw_sensitivity *s, int k, const lw_differences *out,
                               lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!s || k < 0 || k >= s->n)
    return lwi_fail(err, LW_E_ARG, "lw_sensitivity_check: no such parameter");
  lw_sensitivity_options o = {
      .simulation = s->sim->options, .columns = s->patterns, .start = s->start};
  if (s->end_as_written) o.simulation.end = 0;
  study y = {.m = s->m,
             .parameter = s->derivative[k]->parameter,
             .options = tighten(s->m, &o),
             .t = s->sim->over ? s->sim->options.end : s->t,
             .like = s->columns,
             .interrupt = &s->sim->interrupt};
  return find_derivatives(&y, out, err);
}
