/* SPDX-License-Identifier: Apache-2.0 */
/* fit.c -- parameters from measurements: what is measured, and what is to be found.  The search is in fit_search.c. */
#include "base/fail.h"
#include "base/nearest_name.h"
#include "linkwork/query.h"
#include "model/model.h"
#include "model/spec/spec_data.h"
#include "study/fit_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- make and free ---- */

static char *copy_text(const char *text)
{
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static void free_texts(char **text, int n)
{
  for (int i = 0; text && i < n; i++)
    free(text[i]);
  free(text);
}

void lw_fit_free(lw_fit *f)
{
  if (!f) return;
  for (int i = 0; f->data && i < f->ndata; i++) {
    lwi_fit_data *d = &f->data[i];
    free_texts(d->names, d->at.ncolumn);
    free(d->name);
    free(d->patterns);
    free(d->column);
    free(d->numbers);
    lw_spec_free(d->own);
  }
  for (int i = 0; f->column && i < f->ncolumn; i++)
    free((char *)(uintptr_t)f->column[i].name);
  free_texts(f->name, f->n);
  free(f->data);
  free(f->column);
  free(f->numbers);
  free(f->r);
  free(f->J);
  free(f->held);
  free(f->unknown);
  free(f->undetermined);
  free(f->covariance);
  free(f->combination);
  lw_spec_free(f->spec);
  free(f);
}

static lw_status no_memory(lw_error *err)
{
  return lwi_out_of_memory(err, "a fit");
}

/* ---- parameters ---- */

static lw_status take_parameter(lw_fit *f, const lw_model *m, const char *name, int k,
                                lw_error *err)
{
  int i = 0;
  const int n = lw_nparameter(m);
  while (i < n && strcmp(lw_parameter_name(m, i), name) != 0)
    i++;
  if (i == n) {
    const char *near = lwi_nearest(name, m->parameter_name, n);
    return lwi_fail(err, LW_E_ARG, "the model has no parameter \"%.64s\"%s%s%s", name,
                    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  for (int j = 0; j < k; j++)
    if (strcmp(f->name[j], name) == 0)
      return lwi_fail(err, LW_E_ARG, "parameter \"%.64s\" is listed twice", name);
  if (!(f->name[k] = copy_text(name))) return no_memory(err);
  f->start[k] = lw_parameter_value(m, i);
  return lw_parameter_range(m, i, &f->min[k], &f->max[k]);
}

static lw_status check_bounds(const lw_fit *f, lw_error *err)
{
  for (int k = 0; k < f->n; k++) {
    if (!(f->min[k] < f->max[k]))
      return lwi_fail(err, LW_E_ARG, "the bounds of parameter \"%.64s\", %g and %g, leave no room",
                      f->name[k], f->min[k], f->max[k]);
    if (!(f->start[k] >= f->min[k] && f->start[k] <= f->max[k]))
      return lwi_fail(err, LW_E_ARG,
                      "parameter \"%.64s\" starts at %g, outside its bounds %g ... %g", f->name[k],
                      f->start[k], f->min[k], f->max[k]);
  }
  return LW_OK;
}

static lw_status take_parameters(lw_fit *f, const lw_model *m, const lw_fit_options *o,
                                 lw_error *err)
{
  const bool named = o->parameter && o->nparameter > 0;
  f->n = named ? o->nparameter : lw_nsensitivity(m);
  if (f->n == 0) return lwi_fail(err, LW_E_ARG, "the model has no parameters");
  const size_t n = (size_t)f->n;
  f->name = calloc(n, sizeof *f->name);
  f->numbers = calloc(5 * n, sizeof *f->numbers);
  f->held = calloc(n, sizeof *f->held);
  if (!f->name || !f->numbers || !f->held) return no_memory(err);
  f->start = f->numbers;
  f->value = f->start + n;
  f->min = f->value + n;
  f->max = f->min + n;
  f->scale = f->max + n;
  for (int k = 0; k < f->n; k++) {
    const char *name = named ? o->parameter[k] : lw_parameter_name(m, lw_get_sensitivity(m, k));
    const lw_status status = take_parameter(f, m, name ? name : "", k, err);
    if (status != LW_OK) return status;
    if (o->min) f->min[k] = fmax(f->min[k], o->min[k]);
    if (o->max) f->max[k] = fmin(f->max[k], o->max[k]);
    f->value[k] = f->start[k];
  }
  return check_bounds(f, err);
}

/* ---- measurements ---- */

/* The column of this name in all experiments. */
static int find_column(lw_fit *f, const char *name)
{
  for (int i = 0; i < f->ncolumn; i++)
    if (strcmp(f->column[i].name, name) == 0) return i;
  char *copy = copy_text(name);
  if (!copy) return -1;
  f->column[f->ncolumn] = (lwi_fit_column){.name = copy};
  return f->ncolumn++;
}

/* "q.A","q.B": names are in quotes, since they may contain anything */
static char *join_names(const lw_fit_data *d)
{
  size_t size = 1;
  for (int i = 0; i < d->ncolumn; i++)
    size += 2 * strlen(d->column[i]) + 3;
  char *text = malloc(size), *to = text;
  for (int i = 0; i < d->ncolumn && text; i++) {
    if (i) *to++ = ',';
    *to++ = '"';
    for (const char *c = d->column[i]; *c; c++) {
      if (*c == '"') *to++ = '"';
      *to++ = *c;
    }
    *to++ = '"';
  }
  if (text) *to = '\0';
  return text;
}

static lw_status check_data(const lwi_fit_data *x, const lw_fit_data *d, lw_error *err)
{
  if (d->ncolumn < 1 || !d->column || d->rows < 1 || !d->t || !d->value)
    return lwi_fail(err, LW_E_ARG, "%.100s: no measurements", x->name);
  for (long i = 0; i < d->rows; i++)
    if (!(d->t[i] >= 0 && isfinite(d->t[i])) || (i > 0 && d->t[i] < d->t[i - 1]))
      return lwi_fail(err, LW_E_ARG, "%.100s: row %ld: times must not be below 0 and not fall",
                      x->name, i + 1);
  for (long i = 0; d->weight && i < d->rows * d->ncolumn; i++)
    if (!(d->weight[i] >= 0 && isfinite(d->weight[i])))
      return lwi_fail(err, LW_E_ARG, "%.100s: row %ld: weights must not be below 0", x->name,
                      i / d->ncolumn + 1);
  return LW_OK;
}

static lw_status copy_numbers(lw_fit *f, lwi_fit_data *x, const lw_fit_data *d, lw_error *err)
{
  const size_t rows = (size_t)d->rows, cells = rows * (size_t)d->ncolumn;
  double *to = x->numbers = calloc(rows + (4 + (size_t)f->n) * cells, sizeof *to), *weight;
  if (!to) return no_memory(err);
  x->at.t = memcpy(to, d->t, rows * sizeof *to);
  x->value = memcpy(to += rows, d->value, cells * sizeof *to);
  x->weight = weight = to += cells;
  x->model = to += cells;
  x->best = to += cells;
  x->d = to + cells;
  for (size_t i = 0; i < cells; i++) {
    weight[i] = isfinite(d->value[i]) ? d->weight ? d->weight[i] : 1 : 0;
    if (weight[i] == 0) continue;
    f->column[x->column[i % (size_t)d->ncolumn]].n++;
    f->m++;
  }
  return LW_OK;
}

static lw_status take_data(lw_fit *f, lwi_fit_data *x, const lw_fit_data *d, lw_error *err)
{
  char number[32];
  snprintf(number, sizeof number, "data %d", (int)(x - f->data) + 1);
  x->name = copy_text(d->name ? d->name : number);
  if (!x->name) return no_memory(err);
  lw_status status = check_data(x, d, err);
  if (status != LW_OK) return status;
  if (d->spec && !(x->own = lwi_spec_copy(d->spec))) return no_memory(err);
  x->names = calloc((size_t)d->ncolumn, sizeof *x->names);
  x->column = calloc((size_t)d->ncolumn, sizeof *x->column);
  x->patterns = join_names(d);
  if (!x->names || !x->column || !x->patterns) return no_memory(err);
  x->at = (lwi_experiment_times){.columns = x->patterns, .ncolumn = d->ncolumn, .rows = d->rows};
  x->at.column = (const char *const *)x->names;
  for (int i = 0; i < d->ncolumn; i++)
    if (!(x->names[i] = copy_text(d->column[i])) ||
        (x->column[i] = find_column(f, d->column[i])) < 0)
      return no_memory(err);
  x->experiment = (lwi_experiment){.spec = x->own ? x->own : f->spec,
                                   .parameter = (const char *const *)f->name,
                                   .nparameter = f->n,
                                   .simulation = &f->simulation};
  return copy_numbers(f, x, d, err);
}

/* A start for the noise that is not given: how much the measurements vary. */
static void guess_noise(lw_fit *f)
{
  for (int c = 0; c < f->ncolumn; c++) {
    double n = 0, mean = 0, squares = 0;
    for (int i = 0; i < f->ndata; i++)
      for (long k = 0; k < f->data[i].at.rows * f->data[i].at.ncolumn; k++) {
        const lwi_fit_data *x = &f->data[i];
        if (x->column[k % x->at.ncolumn] != c || x->weight[k] == 0) continue;
        const double step = x->value[k] - mean;
        mean += step / ++n;
        squares += step * (x->value[k] - mean);
      }
    const double deviation = n > 1 ? sqrt(squares / (n - 1)) : 0;
    const double size = deviation > 0 ? deviation : mean != 0 ? fabs(mean) : 1;
    if (!f->column[c].given) f->column[c].noise = size;
    f->column[c].least = 1e-3 * f->rtol * size; /* what the integration lets see */
  }
}

static lw_status take_noise(lw_fit *f, const lw_fit_options *o, lw_error *err)
{
  for (int i = 0; i < o->nnoise; i++) {
    int c = 0;
    while (c < f->ncolumn && strcmp(f->column[c].name, o->noise[i].column) != 0)
      c++;
    if (c == f->ncolumn)
      return lwi_fail(err, LW_E_ARG, "noise of \"%.64s\": it is not measured", o->noise[i].column);
    if (!(o->noise[i].deviation > 0 && isfinite(o->noise[i].deviation)))
      return lwi_fail(err, LW_E_ARG, "noise of \"%.64s\": it must be above 0", o->noise[i].column);
    f->column[c].noise = o->noise[i].deviation;
    f->column[c].given = true;
  }
  guess_noise(f);
  if (f->m < f->n)
    return lwi_fail(err, LW_E_ARG, "%ld measurements do not determine %d parameters", f->m, f->n);
  return LW_OK;
}

static lw_status create(lw_fit *f, const lw_spec *s, const lw_fit_options *o, lw_error *err)
{
  int most = 0;
  for (int i = 0; i < o->ndata; i++)
    most += o->data[i].ncolumn > 0 ? o->data[i].ncolumn : 0;
  f->simulation = o->simulation;
  f->simulation.threads = 1; /* threads are for experiments */
  f->threads = o->threads;
  f->ndata = o->ndata;
  f->data = calloc((size_t)o->ndata, sizeof *f->data);
  f->column = calloc((size_t)most + 1, sizeof *f->column);
  if (!f->data || !f->column || !(f->spec = lwi_spec_copy(s))) return no_memory(err);
  lw_model *m = lw_compile(s, err);
  if (!m) return err->status;
  const double rtol = o->simulation.rtol > 0 ? o->simulation.rtol : lw_simulation_defaults(m).rtol;
  f->rtol = rtol > 0 ? rtol : 1e-8;
  lw_status status = take_parameters(f, m, o, err);
  for (int i = 0; i < o->ndata && status == LW_OK; i++)
    status = take_data(f, &f->data[i], &o->data[i], err);
  lw_model_free(m);
  if (status == LW_OK) status = take_noise(f, o, err);
  if (status != LW_OK) return status;
  f->r = calloc((size_t)f->m, sizeof *f->r);
  f->J = calloc((size_t)f->m * (size_t)f->n, sizeof *f->J);
  return f->r && f->J ? LW_OK : no_memory(err);
}

lw_fit *lw_fit_new(const lw_spec *s, const lw_fit_options *options, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!s || !options || options->ndata < 1 || !options->data)
    return lwi_fail(err, LW_E_ARG, "lw_fit_new: no spec, no options, or no data"), NULL;
  lw_fit *f = calloc(1, sizeof *f);
  if (!f) return no_memory(err), NULL;
  if (create(f, s, options, err) == LW_OK) return f;
  lw_fit_free(f);
  return NULL;
}
