/* SPDX-License-Identifier: Apache-2.0 */
/* neighbours.c -- derivatives by a parameter from models with nearby values of it.

   Six neighbours at p + c h, c = -3 ... 3 without 0, each with its own system; whatever is computed for
   the model at y is computed for neighbour c at y + c h y1, and the difference formula of sixth order

     x' = (45 (x_1 - x_-1) - 9 (x_2 - x_-2) + (x_3 - x_-3)) / (60 h) + O(h^6)

   gives its total derivative: through the state, the parameter, and everything that the parameter
   changes, whatever the formulation.  With h of a thousandth, truncation is below rounding errors,
   which are 1e-13 of x.  Along y1 the neighbours' constraints hold up to h^2, even powers of which
   cancel. */
#include "base/fail.h"
#include "model/compile.h"
#include "sim/columns.h"
#include "sim/state.h"
#include "sim/variation.h"
#include "tree/closure.h"

#include <stdlib.h>
#include <string.h>

enum { N = 6 };
static const double place[N] = {-3, -2, -1, 1, 2, 3};
static const double weight[N] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 45.0 / 60, -9.0 / 60, 1.0 / 60};
static const double nearness = 1e-3; /* h / p */
static const double reach = 2e-3;    /* how far y may be shifted by h y1: of its scale */

typedef struct {
  lwi_variation base;
  const lw_model *m;
  const lw_simulation_options *options;
  double largest, h; /* h if y1 is small, and at present */
  lw_model *model[N];
  lwi_system *system[N];
  lw_columns *columns[LWI_VARIATION_SETS][N];
  char *patterns[LWI_VARIATION_SETS];
  double *parameters; /* [nparameter] */
  int n, nrow;
  double *y[N];     /* [n] */
  double *f[N];     /* [n] */
  double *result;   /* [n] */
  double *row;      /* [nrow] */
} neighbours;

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

/* ---- make ---- */

static lw_model *compile_at(const lw_model *m, int parameter, double value, lw_error *err)
{
  lw_spec *s = lwi_spec_copy(m->spec);
  if (!s) return lwi_fail(err, LW_E_MEMORY, "out of memory"), NULL;
  s->unlimited = true;
  lwi_parameters_override(&s->parameters, parameter, value);
  lw_model *own = lw_compile(s, err);
  lw_spec_free(s);
  return own;
}

static void drop_models(neighbours *v)
{
  for (int i = 0; i < N; i++) {
    for (int set = 0; set < LWI_VARIATION_SETS; set++)
      lw_columns_free(v->columns[set][i]);
    if (v->system[i]) v->system[i]->free(v->system[i]);
    lw_model_free(v->model[i]);
    v->system[i] = NULL;
    v->model[i] = NULL;
    for (int set = 0; set < LWI_VARIATION_SETS; set++)
      v->columns[set][i] = NULL;
  }
}

static lw_status select_columns(neighbours *v, int set, int i, lw_error *err)
{
  if (!v->patterns[set]) return LW_OK;
  v->columns[set][i] = lw_columns_new(v->model[i], v->patterns[set], err);
  return v->columns[set][i] ? LW_OK : err ? err->status : LW_E_MEMORY;
}

static lw_status make_models(neighbours *v, double h, lw_error *err)
{
  const double p = v->m->parameter[v->base.parameter];
  drop_models(v);
  v->h = h;
  for (int i = 0; i < N; i++) {
    v->model[i] = compile_at(v->m, v->base.parameter, p + place[i] * h, err);
    if (!v->model[i]) return err ? err->status : LW_E_MODEL;
    if (lw_nq(v->model[i]) != lw_nq(v->m) || lw_nu(v->model[i]) != lw_nu(v->m))
      return lwi_fail(err, LW_E_MODEL,
                      "the parameter \"%s\" has no derivatives: its value changes the spanning tree",
                      v->m->parameter_name[v->base.parameter]);
    v->system[i] = lwi_joint_system_new(v->model[i], v->options, err);
    if (!v->system[i]) return err ? err->status : LW_E_MEMORY;
    for (int set = 0; set < LWI_VARIATION_SETS; set++)
      if (select_columns(v, set, i, err) != LW_OK) return err ? err->status : LW_E_MEMORY;
  }
  memset(v->parameters, 0, bytes(v->m->nparameter));
  for (int i = 0; i < N; i++)
    for (int k = 0; k < v->m->nparameter; k++)
      v->parameters[k] += weight[i] / h * v->model[i]->parameter[k];
  return LW_OK;
}

/* ---- shift and gather ---- */

static void shift(neighbours *v, const double y[], const double y1[])
{
  for (int i = 0; i < N; i++)
    for (int k = 0; k < v->n; k++)
      v->y[i][k] = y[k] + place[i] * v->h * y1[k];
}

static void gather(const neighbours *v, double *const x[N], int n, double x1[])
{
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int i = 0; i < N; i++)
      sum += weight[i] * x[i][k];
    x1[k] = sum / v->h;
  }
}

/* ---- the face ---- */

static lw_status start(lwi_variation *base, double t, const double y[], double y1[])
{
  neighbours *v = (neighbours *)base;
  const int nq = lw_nq(v->m);
  for (int i = 0; i < N; i++) {
    double *q = v->y[i], *u = v->y[i] + nq;
    lw_initial_state(v->model[i], q, u);
    lwi_system *s = v->system[i];
    lw_status status = lw_assemble(v->model[i], lw_dynamics_work(s->dynamics), t, q, u, NULL);
    if (status == LW_OK) status = s->begin(s, t, q, u, v->f[i]);
    if (status == LW_OK) status = s->settle(s, t, v->f[i], 0);
    if (status == LW_OK) status = s->show(s, t, v->f[i], NULL, NULL);
    if (status != LW_OK) return status;
    lwi_align_quaternions(v->m, y, v->f[i]);
  }
  gather(v, v->f, v->n, y1);
  return LW_OK;
}

static lw_status rate(lwi_variation *base, double t, const double y[], const double f[],
                      const double y1[], double f1[])
{
  neighbours *v = (neighbours *)base;
  (void)f;
  shift(v, y, y1);
  for (int i = 0; i < N; i++) {
    const lw_status status = v->system[i]->rate(v->system[i], t, v->y[i], v->f[i]);
    if (status != LW_OK) return status;
  }
  gather(v, v->f, v->n, f1);
  return LW_OK;
}

static lw_status show(lwi_variation *base, double t, const double y[], double y1[])
{
  neighbours *v = (neighbours *)base;
  shift(v, y, y1);
  for (int i = 0; i < N; i++) {
    const lw_status status = v->system[i]->show(v->system[i], t, v->y[i], NULL, NULL);
    if (status != LW_OK) return status;
  }
  gather(v, v->y, v->n, y1);
  return LW_OK;
}

/* Neighbours come closer where y1 grows, and go apart again. */
static lw_status adapt(neighbours *v, const double y[], const double y1[])
{
  double size = 1, largest = 0;
  for (int k = 0; k < v->n; k++) {
    size = fmax(size, fabs(y[k]));
    largest = fmax(largest, fabs(y1[k]));
  }
  double h = v->largest;
  while (h * largest > reach * size)
    h *= 0.25;
  return h < v->h || h > 4 * v->h ? make_models(v, h, NULL) : LW_OK;
}

static lw_status settle(lwi_variation *base, double t, const double y[], const double y1[],
                        double h)
{
  neighbours *v = (neighbours *)base;
  lw_status status = adapt(v, y, y1);
  if (status != LW_OK) return status;
  shift(v, y, y1);
  for (int i = 0; i < N; i++) {
    status = v->system[i]->settle(v->system[i], t, v->y[i], h);
    if (status != LW_OK) return status;
  }
  return LW_OK;
}

static void be_careful(lwi_variation *base, bool careful)
{
  const neighbours *v = (const neighbours *)base;
  for (int i = 0; i < N; i++)
    v->system[i]->be_careful(v->system[i], careful);
}

/* ---- columns ---- */

static lw_status watch(lwi_variation *base, int set, const char *patterns, lw_error *err)
{
  neighbours *v = (neighbours *)base;
  v->patterns[set] = malloc(strlen(patterns) + 1);
  if (!v->patterns[set]) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  memcpy(v->patterns[set], patterns, strlen(patterns) + 1);
  for (int i = 0; i < N; i++) {
    const lw_status status = select_columns(v, set, i, err);
    if (status != LW_OK) return status;
  }
  const int n = lw_columns_count(v->columns[set][0]);
  double *row = realloc(v->row, bytes(n > v->nrow ? n : v->nrow) + 1);
  if (!row) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  v->row = row;
  v->nrow = n > v->nrow ? n : v->nrow;
  return LW_OK;
}

static lw_status row(lwi_variation *base, int set, lw_columns *columns, double t, const double y[],
                     const double y1[], double row1[])
{
  neighbours *v = (neighbours *)base;
  const int n = lw_columns_count(columns), nq = lw_nq(v->m);
  shift(v, y, y1);
  memset(row1, 0, bytes(n));
  for (int i = 0; i < N; i++) {
    lwi_columns_join(v->columns[set][i], columns);
    lw_status status = lw_normalize(v->model[i], v->y[i]);
    if (status == LW_OK)
      status = lw_columns_row(v->columns[set][i], t, v->y[i], v->y[i] + nq, v->row);
    if (status != LW_OK) return status;
    for (int k = 0; k < n; k++)
      row1[k] += weight[i] / v->h * v->row[k];
  }
  return LW_OK;
}

/* ---- one of them ---- */

static void neighbours_free(lwi_variation *base)
{
  neighbours *v = (neighbours *)base;
  if (!v) return;
  drop_models(v);
  for (int i = 0; i < N; i++) {
    free(v->y[i]);
    free(v->f[i]);
  }
  for (int set = 0; set < LWI_VARIATION_SETS; set++)
    free(v->patterns[set]);
  free(v->parameters);
  free(v->row);
  free(v);
}

static bool allocate(neighbours *v)
{
  for (int i = 0; i < N; i++) {
    v->y[i] = calloc((size_t)v->n + 1, sizeof(double));
    v->f[i] = calloc((size_t)v->n + 1, sizeof(double));
    if (!v->y[i] || !v->f[i]) return false;
  }
  v->parameters = calloc((size_t)v->m->nparameter + 1, sizeof(double));
  return v->parameters;
}

lwi_variation *lwi_neighbours_new(const lw_model *m, const lw_simulation_options *options,
                                  int parameter, lw_error *err)
{
  neighbours *v = calloc(1, sizeof *v);
  if (!v) return lwi_fail(err, LW_E_MEMORY, "out of memory"), NULL;
  const double p = m->parameter[parameter];
  v->m = m;
  v->options = options;
  v->n = lw_nq(m) + lw_nu(m);
  v->largest = nearness * (p != 0 ? fabs(p) : 1);
  v->base = (lwi_variation){.parameter = parameter,
                            .start = start,
                            .rate = rate,
                            .show = show,
                            .settle = settle,
                            .be_careful = be_careful,
                            .watch = watch,
                            .row = row,
                            .free = neighbours_free};
  const bool room = allocate(v);
  if (!room) lwi_fail(err, LW_E_MEMORY, "out of memory");
  v->base.parameters = v->parameters;
  if (room && make_models(v, v->largest, err) == LW_OK) return &v->base;
  neighbours_free(&v->base);
  return NULL;
}
