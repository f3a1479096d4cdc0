/* SPDX-License-Identifier: Apache-2.0 */
/* finite_difference.c -- derivatives by a parameter from models with nearby values of it.

   Six models at p + c h |p|, c = -3 ... 3 without 0, each in a simulation that is never integrated.
   Whatever is computed for the model at y is computed for model c at y + c h y_p, and the
   difference formula of sixth order

       x_p = (45 (x_1 - x_-1) - 9 (x_2 - x_-2) + (x_3 - x_-3)) / (60 h) + O(h^6)

   gives the total derivative: by the state, by the parameter, and by everything that depends on it,
   for all formulations, and through events.  With h of a few thousandths the truncation error is
   below the rounding errors, which are 1e-13 of x.  Along y_p the constraints of the nearby models
   hold up to h^2, whose even powers cancel.

   If y_p grows, or an event depends on the parameter so strongly that the formula does not hold, h
   must decrease; then new models replace the present ones, and go through the same events. */
#include "base/fail.h"
#include "model/compile/compile.h"
#include "sim/output/columns.h"
#include "sim/sensitivity/finite_difference_data.h"
#include "sim/formulation/state.h"

#include <stdlib.h>
#include <string.h>

static const double nearness = 4e-3; /* h if y_p is small, and no event asks for less */
static const double nearest = 1e-7;
static const double reach = 8e-3; /* bound of the shift h y_p relative to the scale of y */

static double weight(int i)
{
  return lwi_difference_weight[i] / LWI_DIFFERENCE_DIVISOR;
}

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

/* ---- scratch ---- */

bool lwi_finite_difference_scratch(lwi_finite_difference *v, int n)
{
  if (v->f[N - 1] && n <= v->capacity) return true;
  for (int i = 0; i < N; i++) { /* at least one byte: y is never NULL */
    double *y = realloc(v->y[i], bytes(n) + 1), *f = NULL;
    if (y) v->y[i] = y;
    if (y) f = realloc(v->f[i], bytes(n) + 1);
    if (!f) return false;
    v->f[i] = f;
  }
  v->capacity = n;
  return true;
}

/* ---- shift and gather ---- */

void lwi_finite_difference_shift(lwi_finite_difference *v, const double y[], const double y_p[],
                                 int n)
{
  for (int i = 0; i < N; i++)
    for (int k = 0; k < n; k++)
      v->y[i][k] = y[k] + lwi_difference_place[i] * v->h * y_p[k];
}

void lwi_finite_difference_gather(const lwi_finite_difference *v, double *const x[N], int n,
                                  double x1[])
{
  for (int k = 0; k < n; k++) {
    double sum = 0; /* by pairs: exactly 0 for numbers that are the same for all */
    for (int i = N / 2; i < N; i++)
      sum += weight(i) * (x[i][k] - x[N - 1 - i][k]);
    x1[k] = sum / v->h;
  }
}

double lwi_finite_difference_doubt(const lwi_finite_difference *v, double *const x[N], int n,
                                   const double x0[], const double x_p[])
{
  const lwi_difference_sizes size = lwi_sizes_along(x0, x_p, n);
  double most = 0;
  for (int k = 0; k < n; k++) {
    const double fourth_order = (8 * (x[3][k] - x[2][k]) - (x[4][k] - x[1][k])) / (12 * v->h);
    most = fmax(most, fabs(fourth_order - x_p[k]));
  }
  return most / fmax(size.y, size.y_p);
}

/* ---- make ---- */

lw_model *lwi_compile_nearby(const lw_model *m, int parameter, double value, lw_error *err)
{
  lw_spec *s = lwi_spec_copy(m->spec);
  if (!s) return lwi_out_of_memory(err, "sensitivities"), NULL;
  s->unlimited = true;
  lwi_parameters_override(&s->parameters, parameter, value);
  lw_model *own = lw_compile(s, err);
  lw_spec_free(s);
  return own;
}

static void drop_models(lwi_finite_difference *v)
{
  for (int i = 0; i < N; i++) {
    for (int set = 0; set < LWI_DERIVATIVE_SETS; set++) {
      lw_columns_free(v->columns[set][i]);
      v->columns[set][i] = NULL;
    }
    lw_simulation_free(v->sim[i]);
    lw_model_free(v->model[i]);
    v->sim[i] = NULL;
    v->model[i] = NULL;
  }
}

static lw_status open_columns(lwi_finite_difference *v, int set, int i, lw_error *err)
{
  if (!v->patterns[set]) return LW_OK;
  lw_columns *c = v->columns[set][i] = lw_columns_new(v->model[i], v->patterns[set], err);
  return c ? lw_columns_follow(c, v->sim[i], err) : err ? err->status : LW_E_MEMORY;
}

static lw_status make_model(lwi_finite_difference *v, int i, lw_error *err)
{
  const int p = v->base.parameter;
  v->model[i] = lwi_compile_nearby(
      v->m, p, v->m->parameter[p] + lwi_difference_place[i] * v->h * v->base.scale, err);
  if (!v->model[i]) return err ? err->status : LW_E_MODEL;
  if (lw_nq(v->model[i]) != lw_nq(v->m) || lw_nu(v->model[i]) != lw_nu(v->m))
    return lwi_fail(
        err, LW_E_MODEL,
        "there is no derivative by the parameter \"%s\": its value changes the topology",
        v->m->parameter_name[p]);
  lw_status status = lwi_simulation_new_with(v->model[i], &v->options, NULL, &v->sim[i], err);
  if (status != LW_OK) return status;
  for (int set = 0; set < LWI_DERIVATIVE_SETS; set++) {
    status = open_columns(v, set, i, err);
    if (status != LW_OK) return status;
  }
  return LW_OK;
}

static lw_status make_models(lwi_finite_difference *v, double h, lw_error *err)
{
  lw_status status = LW_OK;
  drop_models(v);
  v->h = h;
  for (int i = 0; i < N && status == LW_OK; i++)
    status = make_model(v, i, err);
  if (status != LW_OK) return status;
  memset(v->parameters, 0, bytes(v->m->nparameter));
  v->base.end_p = 0;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < v->m->nparameter; k++)
      v->parameters[k] += weight(i) / h * (v->model[i]->parameter[k] - v->m->parameter[k]);
    v->base.end_p += weight(i) / h * (v->model[i]->simulation.end - v->m->simulation.end);
  }
  if (!lwi_finite_difference_scratch(v, lwi_finite_difference_size(v)))
    return lwi_out_of_memory(err, "sensitivities");
  for (int i = 0; i < v->npassed && status == LW_OK; i++)
    status = lwi_finite_difference_pass(v, &v->events[i], err);
  return status;
}

lw_status lwi_finite_difference_come_closer(lwi_finite_difference *v, lw_error *err)
{
  if (v->h < nearest) return LW_E_NOT_CONVERGED;
  if (err) *err = (lw_error){.status = LW_OK};
  v->widest = v->h / 4;
  return make_models(v, v->widest, err);
}

/* ---- the motion ---- */

static lw_status start(lwi_parameter_derivative *base, double t, const double y[], double y_p[])
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  (void)t; /* simulations begin at the initial state */
  for (int i = 0; i < N; i++) {
    memcpy(v->y[i], v->sim[i]->y, bytes(lwi_finite_difference_size(v)));
    lwi_align_quaternions(v->m, y, v->y[i]);
  }
  lwi_finite_difference_gather(v, v->y, lwi_finite_difference_size(v), y_p);
  return LW_OK;
}

static lw_status rate(lwi_finite_difference *v, double t, const double y[], const double f[],
                      const double y_p[], double f_p[])
{
  lwi_finite_difference_shift(v, y, y_p, lwi_finite_difference_size(v));
  for (int i = 0; i < N; i++) {
    lwi_system *s = v->sim[i]->system;
    const lw_status status = s->rate(s, t, v->y[i], v->f[i]);
    if (status != LW_OK) return status;
  }
  const int n = lwi_finite_difference_size(v);
  lwi_finite_difference_gather(v, v->f, n, f_p);
  v->doubt = fmax(v->doubt, lwi_finite_difference_doubt(v, v->f, n, f, f_p));
  return LW_OK;
}

static lw_status rates(lwi_parameter_derivative *const v[], int n, double t, const double y[],
                       const double f[], const double *const y_p[], double *const f_p[])
{
  lw_status status = LW_OK;
  for (int k = 0; k < n && status == LW_OK; k++)
    status = rate((lwi_finite_difference *)v[k], t, y, f, y_p[k], f_p[k]);
  return status;
}

static lw_status project_output(lwi_parameter_derivative *base, double t, const double y[],
                                double y_p[])
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  lwi_finite_difference_shift(v, y, y_p, lwi_finite_difference_size(v));
  for (int i = 0; i < N; i++) {
    lwi_system *s = v->sim[i]->system;
    const lw_status status = s->project_output(s, t, v->y[i], NULL, NULL);
    if (status != LW_OK) return status;
  }
  lwi_finite_difference_gather(v, v->y, lwi_finite_difference_size(v), y_p);
  return LW_OK;
}

/* Brings the models closer if y_p grows, and apart again if it decreases; closer for good where the
   formula does not hold for the rates, unless their rounding errors would then be larger. */
static lw_status adapt(lwi_finite_difference *v, const double y[], const double y_p[])
{
  const lwi_difference_sizes size = lwi_sizes_along(y, y_p, lwi_finite_difference_size(v));
  if (v->doubt > LWI_DIFFERENCE_DOUBT && v->h > nearness / 16) v->widest = v->h / 4;
  v->doubt = 0;
  double h = v->widest;
  while (h * size.y_p > reach * size.y)
    h *= 0.25;
  return h < v->h || h > 4 * v->h ? make_models(v, h, NULL) : LW_OK;
}

static lw_status update_rank(lwi_parameter_derivative *base, double t, const double y[],
                             const double y_p[], double h)
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  lw_status status = adapt(v, y, y_p);
  if (status != LW_OK) return status;
  for (int i = 0; i < N; i++) /* cut joints and torsions count turns as in the model itself */
    lwi_work_follow_turns(v->sim[i]->m, base->system->dynamics->work,
                          v->sim[i]->system->dynamics->work);
  lwi_finite_difference_shift(v, y, y_p, lwi_finite_difference_size(v));
  for (int i = 0; i < N && status == LW_OK; i++) {
    lwi_system *s = v->sim[i]->system;
    status = s->update_rank(s, t, v->y[i], h);
    if (status != LW_OK) break;
    /* One right side for all: states are off the constraints by h^2, and if each nearby model had
       independent coordinates of its own, the stabilization would not cancel. */
    lw_dynamics *d = s->dynamics;
    s->near_singular = base->system->near_singular;
    s->stabilization = base->system->stabilization;
    if (d->method->follow_choice) status = d->method->follow_choice(d, base->system->dynamics);
  }
  return status;
}

static void set_near_singular(lwi_parameter_derivative *base, bool near_singular)
{
  const lwi_finite_difference *v = (const lwi_finite_difference *)base;
  for (int i = 0; i < N; i++)
    v->sim[i]->system->set_near_singular(v->sim[i]->system, near_singular);
}

/* ---- columns ---- */

static lw_status watch(lwi_parameter_derivative *base, int set, const char *patterns, lw_error *err)
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  v->patterns[set] = malloc(strlen(patterns) + 1);
  if (!v->patterns[set]) return lwi_out_of_memory(err, "sensitivities");
  memcpy(v->patterns[set], patterns, strlen(patterns) + 1);
  for (int i = 0; i < N; i++) {
    const lw_status status = open_columns(v, set, i, err);
    if (status != LW_OK) return status;
  }
  const int n = lw_columns_count(v->columns[set][0]);
  double *row = realloc(v->row, bytes(n > v->nrow ? n : v->nrow) + 1);
  if (!row) return lwi_out_of_memory(err, "sensitivities");
  v->row = row;
  v->nrow = n > v->nrow ? n : v->nrow;
  return LW_OK;
}

static lw_status row(lwi_parameter_derivative *base, int set, lw_columns *columns, double t,
                     const double y[], const double y_p[], double row_p[])
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  for (int i = 0; i < N; i++) /* after a failed step or event there are none */
    if (!v->sim[i] || !v->columns[set][i]) return LW_E_STAGE;
  const int n = lw_columns_count(columns), nq = lw_nq(v->sim[0]->m);
  lwi_finite_difference_shift(v, y, y_p, lwi_finite_difference_size(v));
  memset(row_p, 0, bytes(n));
  for (int i = 0; i < N; i++) {
    lw_columns *own = v->columns[set][i];
    lw_status status = lw_normalize(v->sim[i]->m, v->y[i]);
    if (status == LW_OK) status = lwi_columns_join(own, columns);
    if (status == LW_OK) status = lw_columns_row(own, t, v->y[i], v->y[i] + nq, v->row);
    if (status != LW_OK) return status;
    for (int k = 0; k < n; k++)
      if (lwi_columns_get(own, k).kind !=
          LWI_COLUMN_ENERGY_ERROR) /* it is zero for exact motions */
        row_p[k] += weight(i) / v->h * v->row[k];
  }
  return LW_OK;
}

/* ---- one of them ---- */

static void finite_difference_free(lwi_parameter_derivative *base)
{
  lwi_finite_difference *v = (lwi_finite_difference *)base;
  if (!v) return;
  drop_models(v);
  for (int i = 0; i < N; i++) {
    free(v->y[i]);
    free(v->f[i]);
  }
  for (int set = 0; set < LWI_DERIVATIVE_SETS; set++)
    free(v->patterns[set]);
  for (int i = 0; i < v->npassed; i++) {
    free(v->events[i].number);
    free(v->events[i].y);
  }
  free(v->events);
  free(v->parameters);
  free(v->row);
  free(v);
}

lwi_parameter_derivative *lwi_finite_difference_new(const lw_model *m,
                                                    const lw_simulation_options *options,
                                                    int parameter, lw_error *err)
{
  lwi_finite_difference *v = calloc(1, sizeof *v);
  if (!v) return lwi_out_of_memory(err, "sensitivities"), NULL;
  v->m = m;
  v->options = *options;
  v->widest = nearness;
  v->base = (lwi_parameter_derivative){.parameter = parameter,
                                       .scale = lwi_parameter_scale(m->parameter[parameter]),
                                       .start = start,
                                       .rates = rates,
                                       .project_output = project_output,
                                       .update_rank = update_rank,
                                       .set_near_singular = set_near_singular,
                                       .watch = watch,
                                       .row = row,
                                       .when = lwi_finite_difference_when,
                                       .jump = lwi_finite_difference_jump,
                                       .restart = lwi_finite_difference_restart,
                                       .free = finite_difference_free};
  v->parameters = calloc((size_t)m->nparameter + 1, sizeof(double));
  if (!v->parameters) lwi_out_of_memory(err, "sensitivities");
  v->base.parameters = v->parameters;
  if (v->parameters && make_models(v, nearness, err) == LW_OK) return &v->base;
  finite_difference_free(&v->base);
  return NULL;
}
