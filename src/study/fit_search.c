/* SPDX-License-Identifier: Apache-2.0 */
/* fit_search.c -- residuals of all experiments over their noise, made least (fit.c).

   The noise of columns for which none is given is estimated from their residuals, and the search goes on with it until it stays the
   same: the values of greatest likelihood, of measurements with normal errors of unknown size. */
#include "base/fail.h"
#include "base/team.h"
#include "study/fit_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lw_status no_memory(lw_error *err)
{
  return lwi_out_of_memory(err, "a fit");
}

/* ---- residuals ---- */

typedef struct {
  lw_fit *f;
  const double *x;
  atomic_int next;
} queue;

static void take_experiments(void *context, int thread)
{
  queue *k = context;
  (void)thread;
  for (int i; (i = atomic_fetch_add(&k->next, 1)) < k->f->ndata;) {
    lwi_fit_data *d = &k->f->data[i];
    d->experiment.stop = k->f->how ? k->f->how->stop : NULL;
    d->status = lwi_experiment_rows(&d->experiment, &d->at, k->x, d->model, d->d, &d->err);
  }
}

/* Residuals over the noise and their derivatives; false: one is not a number. */
static bool collect(const lw_fit *f, double r[], double J[])
{
  long at = 0;
  bool finite = true;
  for (int i = 0; i < f->ndata; i++) {
    const lwi_fit_data *x = &f->data[i];
    const long cells = x->at.rows * x->at.ncolumn;
    for (long c = 0; c < cells; c++) {
      if (x->weight[c] == 0) continue;
      const double s = sqrt(x->weight[c]) / f->column[x->column[c % x->at.ncolumn]].noise;
      r[at] = s * (x->model[c] - x->value[c]);
      finite = finite && isfinite(r[at]);
      for (int k = 0; k < f->n; k++) {
        J[k * f->m + at] = s * x->d[k * cells + c];
        finite = finite && isfinite(J[k * f->m + at]);
      }
      at++;
    }
  }
  return finite;
}

/* The columns of the present evaluation are those of the best values. */
static void keep_model(lw_fit *f)
{
  for (int i = 0; i < f->ndata; i++) {
    const lwi_fit_data *x = &f->data[i];
    memcpy(x->best, x->model, (size_t)(x->at.rows * x->at.ncolumn) * sizeof *x->best);
  }
}

static lwi_evaluation evaluate(void *context, const double x[], double r[], double J[])
{
  lw_fit *f = context;
  queue k = {.f = f, .x = x};
  lwi_team *team = lwi_team_new(f->threads < f->ndata ? f->threads : f->ndata);
  lwi_team_run(team, take_experiments, &k);
  lwi_team_free(team);
  f->runs += f->ndata;
  for (int i = 0; i < f->ndata; i++) {
    const lwi_fit_data *d = &f->data[i];
    if (d->status == LW_OK) continue;
    f->out_of_memory = f->out_of_memory || d->status == LW_E_MEMORY;
    f->err = d->err;
    f->err.status = d->status;
    snprintf(f->err.text, sizeof f->err.text, "%.60s: %.*s", d->name,
             (int)(sizeof f->err.text - 64), d->err.text);
    const bool stopped = f->how && f->how->stop && *f->how->stop;
    return stopped || f->out_of_memory ? LWI_STOP : LWI_NOT_THERE;
  }
  if (collect(f, r, J)) {
    if (f->iterations == 0) keep_model(f);
    return LWI_EVALUATED;
  }
  lwi_fail(&f->err, LW_E_NUMBER,
           "a measured column, or its derivative, does not exist at all times of "
           "its measurements");
  return LWI_NOT_THERE;
}

/* ---- the search ---- */

static bool accepted(void *context, const double x[], double squares)
{
  lw_fit *f = context;
  f->iterations++;
  keep_model(f);
  memcpy(f->value, x, (size_t)f->n * sizeof *x);
  const lw_fit_state now = {f->iterations, f->runs, squares, f->value};
  return !(f->how && f->how->on_iteration && f->how->on_iteration(f->how->context, &now));
}

/* Squares of residuals in SI, by column. */
static void sum_squares(lw_fit *f)
{
  long at = 0;
  for (int c = 0; c < f->ncolumn; c++)
    f->column[c].squares = 0;
  for (int i = 0; i < f->ndata; i++)
    for (long k = 0; k < f->data[i].at.rows * f->data[i].at.ncolumn; k++) {
      if (f->data[i].weight[k] == 0) continue;
      lwi_fit_column *c = &f->column[f->data[i].column[k % f->data[i].at.ncolumn]];
      c->squares += f->r[at] * f->r[at] * c->noise * c->noise;
      at++;
    }
}

/* r and J over another noise. */
static void rescale(lw_fit *f)
{
  long at = 0;
  for (int i = 0; i < f->ndata; i++)
    for (long k = 0; k < f->data[i].at.rows * f->data[i].at.ncolumn; k++) {
      if (f->data[i].weight[k] == 0) continue;
      const double change = f->column[f->data[i].column[k % f->data[i].at.ncolumn]].change;
      f->r[at] *= change;
      for (int p = 0; p < f->n; p++)
        f->J[p * f->m + at] *= change;
      at++;
    }
}

/* Estimates the noise that is not given, and puts it into r and J.  True: it has changed. */
static bool estimate_noise(lw_fit *f)
{
  bool changed = false;
  sum_squares(f);
  const double share =
      1 - (double)f->n / (double)f->m; /* what the parameters leave of the residuals */
  for (int c = 0; c < f->ncolumn; c++) {
    lwi_fit_column *x = &f->column[c];
    const double before = x->noise;
    if (!x->given && x->n > 0 && share > 0)
      x->noise = fmax(sqrt(x->squares / ((double)x->n * share)), x->least);
    x->change = before / x->noise;
    changed = changed || fabs(x->change - 1) > 0.01;
  }
  rescale(f);
  return changed;
}

static lw_status finish(lw_fit *f, lwi_end end, lw_error *err)
{
  const lw_status status = lwi_fit_evaluate(f);
  if (status != LW_OK) return no_memory(err);
  f->solved = true;
  if (f->out_of_memory) return no_memory(err);
  if (end == LWI_STOPPED)
    return lwi_fail(err, LW_E_STOPPED, "stopped after %d iterations", f->iterations);
  if (end == LWI_EXHAUSTED)
    return lwi_fail(err, LW_E_NOT_CONVERGED, "not converged after %d iterations", f->iterations);
  return LW_OK;
}

lw_status lw_fit_run(lw_fit *f, const lw_fit_run_options *options, lw_error *err)
{
  if (!f) return lwi_fail(err, LW_E_ARG, "lw_fit_run: no fit");
  if (f->m == 0) return lwi_fail(err, LW_E_ARG, "lw_fit_run: nothing was measured");
  const int most = options && options->iterations > 0 ? options->iterations : 200;
  lwi_least_squares p = {.n = f->n,
                         .m = (int)f->m,
                         .min = f->min,
                         .max = f->max,
                         .evaluate = evaluate,
                         .accepted = accepted,
                         .context = f,
                         .tolerance = 1e-3};
  lwi_end end = LWI_CONVERGED;
  f->how = options;
  f->solved = false;
  for (int pass = 0; pass < 20; pass++) {
    p.iterations = most - f->iterations;
    p.known = pass > 0;
    const lw_status status = lwi_least_squares_solve(&p, f->value, f->r, f->J, &end);
    if (status == LW_E_MEMORY || f->out_of_memory) return no_memory(err);
    if (status != LW_OK) {
      if (err) *err = f->err;
      return f->err.status;
    }
    const bool changed = estimate_noise(f);
    const bool goes_on = end == LWI_CONVERGED || end == LWI_STALLED;
    if (!changed || !goes_on) break;
  }
  f->how = NULL;
  return finish(f, end, err);
}
