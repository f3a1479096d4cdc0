/* SPDX-License-Identifier: Apache-2.0 */
/* optimize.c -- parameters for which an objective is least: what is to be found, and objectives at values of the parameters.  The
   search is in optimize_search.c. */
#include "base/fail.h"
#include "base/nearest_name.h"
#include "linkwork/query.h"
#include "model/model.h"
#include "model/spec/spec_data.h"
#include "sim/run/simulation_data.h"
#include "study/optimize_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lw_status no_memory(lw_error *err)
{
  return lwi_out_of_memory(err, "an optimisation");
}

void lw_optimization_free(lw_optimization *x)
{
  if (!x) return;
  for (int k = 0; x->name && k < x->n; k++)
    free(x->name[k]);
  free(x->name);
  free(x->numbers);
  free(x->ended);
  free(x->requirement);
  lw_spec_free(x->spec);
  free(x);
}

/* ---- objectives ---- */

static lw_status find_objective(const lw_model *m, const char *name, int *index, lw_error *err)
{
  const int n = lw_nobjective(m);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  if (!names) return no_memory(err);
  *index = name ? -1 : 0;
  for (int i = 0; i < n; i++) {
    names[i] = lw_get_objective(m, i).name;
    if (name && strcmp(names[i], name) == 0) *index = i;
  }
  const char *near = *index < 0 ? lwi_nearest(name, names, n) : NULL;
  if (*index < 0)
    lwi_fail(err, LW_E_ARG, "the model has no objective \"%.64s\"%s%s%s", name,
             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  free(names);
  return *index < 0 ? LW_E_ARG : LW_OK;
}

static lw_status take_requirements(lw_optimization *x, const lw_model *m,
                                   const lw_optimize_options *o, lw_error *err)
{
  lw_status status = find_objective(m, o->objective, &x->objective, err);
  for (int i = 0; i < o->nrequirement && status == LW_OK; i++) {
    const lw_requirement *r = &o->requirement[i];
    lwi_requirement *to = &x->requirement[x->nrequirement++];
    *to = (lwi_requirement){.of = x, .kind = r->kind, .value = r->value, .size = 1};
    status = find_objective(m, r->objective ? r->objective : "", &to->objective, err);
    if (status == LW_OK && !isfinite(r->value))
      status = lwi_fail(err, LW_E_ARG, "a requirement needs a finite number");
    if (status == LW_OK && r->kind == LW_EQUAL_TO && o->method == LW_MMA)
      status = lwi_fail(err, LW_E_ARG,
                        "\"%.64s\" is to be equal to a number: mma takes no equations, slsqp does",
                        r->objective);
  }
  return status;
}

/* ---- parameters ---- */

static lw_status take_parameter(lw_optimization *x, const lw_model *m, const char *name, int k,
                                lw_error *err)
{
  int i = 0;
  while (i < m->nparameter && strcmp(m->parameter_name[i], name) != 0)
    i++;
  if (i == m->nparameter) {
    const char *near = lwi_nearest(name, m->parameter_name, m->nparameter);
    return lwi_fail(err, LW_E_ARG, "the model has no parameter \"%.64s\"%s%s%s", name,
                    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  for (int j = 0; j < k; j++)
    if (strcmp(x->name[j], name) == 0)
      return lwi_fail(err, LW_E_ARG, "parameter \"%.64s\" is listed twice", name);
  if (!(x->name[k] = malloc(strlen(name) + 1))) return no_memory(err);
  strcpy(x->name[k], name);
  x->start[k] = lw_parameter_value(m, i);
  return lw_parameter_range(m, i, &x->min[k], &x->max[k]);
}

/* Units in which NLopt sees the parameters: from 0 to 1 between bounds, or the start as 1. */
static lw_status choose_units(lw_optimization *x, lw_error *err)
{
  for (int k = 0; k < x->n; k++) {
    const bool bounded = isfinite(x->min[k]) && isfinite(x->max[k]);
    if (!(x->min[k] < x->max[k]))
      return lwi_fail(err, LW_E_ARG, "the bounds of parameter \"%.64s\", %g and %g, leave no room",
                      x->name[k], x->min[k], x->max[k]);
    if (!(x->start[k] >= x->min[k] && x->start[k] <= x->max[k]))
      return lwi_fail(err, LW_E_ARG,
                      "parameter \"%.64s\" starts at %g, outside its bounds %g ... %g", x->name[k],
                      x->start[k], x->min[k], x->max[k]);
    if (!bounded && x->o.starts > 1)
      return lwi_fail(err, LW_E_ARG, "several starts need bounds: parameter \"%.64s\" has none",
                      x->name[k]);
    x->origin[k] = bounded ? x->min[k] : 0;
    x->size[k] = bounded ? x->max[k] - x->min[k] : x->start[k] != 0 ? fabs(x->start[k]) : 1;
  }
  return LW_OK;
}

static lw_status allocate(lw_optimization *x, lw_error *err)
{
  const size_t n = (size_t)x->n, no = (size_t)x->nobjective, starts = (size_t)x->o.starts;
  double *to = x->numbers = calloc(10 * n + 3 * no + n * no + starts * n, sizeof *to);
  x->name = calloc(n, sizeof *x->name);
  x->ended = calloc(starts, sizeof *x->ended);
  if (!to || !x->name || !x->ended) return no_memory(err);
  double **const each[] = {&x->start, &x->min, &x->max, &x->size, &x->origin, &x->at, &x->best};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++, to += n)
    *each[i] = to;
  x->z = to;
  x->result = to += 3 * n;
  x->shifted = to += no;
  x->best_result = to += no;
  x->gradient = to += no;
  x->found = to + n * no;
  return LW_OK;
}

static lw_status take_parameters(lw_optimization *x, const lw_model *m,
                                 const lw_optimize_options *o, lw_error *err)
{
  const bool named = o->parameter && o->nparameter > 0;
  x->n = named ? o->nparameter : lw_nsensitivity(m);
  if (x->n == 0) return lwi_fail(err, LW_E_ARG, "the model has no parameters");
  lw_status status = allocate(x, err);
  for (int k = 0; k < x->n && status == LW_OK; k++) {
    const char *name = named ? o->parameter[k] : lw_parameter_name(m, lw_get_sensitivity(m, k));
    status = take_parameter(x, m, name ? name : "", k, err);
    if (o->min) x->min[k] = fmax(x->min[k], o->min[k]);
    if (o->max) x->max[k] = fmin(x->max[k], o->max[k]);
  }
  return status == LW_OK ? choose_units(x, err) : status;
}

static lw_status create(lw_optimization *x, const lw_spec *s, const lw_optimize_options *o,
                        lw_error *err)
{
  x->o = *o;
  x->o.simulation.threads = 1;
  if (x->o.starts == 0) x->o.starts = 1;
  if (x->o.tolerance == 0) x->o.tolerance = 1e-7;
  x->requirement = calloc((size_t)o->nrequirement + 1, sizeof *x->requirement);
  if (!x->requirement || !(x->spec = lwi_spec_copy(s))) return no_memory(err);
  lw_model *m = lw_compile(x->spec, err);
  if (!m) return err->status;
  const double rtol = o->simulation.rtol > 0 ? o->simulation.rtol : lw_simulation_defaults(m).rtol;
  x->rtol = rtol > 0 ? rtol : 1e-8;
  x->nobjective = lw_nobjective(m);
  lw_status status =
      x->nobjective > 0
          ? LW_OK
          : lwi_fail(err, LW_E_ARG, "the model has no objectives (`sensitivity: objectives`)");
  if (status == LW_OK) status = take_requirements(x, m, o, err);
  if (status == LW_OK) status = take_parameters(x, m, o, err);
  lw_model_free(m);
  x->experiment = (lwi_experiment){.spec = x->spec,
                                   .gradient = LW_GRADIENT_AUTO,
                                   .parameter = (const char *const *)x->name,
                                   .nparameter = x->n,
                                   .simulation = &x->o.simulation};
  return status;
}

lw_optimization *lw_optimization_new(const lw_spec *s, const lw_optimize_options *options,
                                     lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!s || !options || options->starts < 0 || !(options->tolerance >= 0) ||
      options->nrequirement < 0)
    return lwi_fail(err, LW_E_ARG, "lw_optimization_new: no spec, no options, or a number below 0"),
           NULL;
  lw_optimization *x = calloc(1, sizeof *x);
  if (!x) return no_memory(err), NULL;
  if (create(x, s, options, err) == LW_OK) return x;
  lw_optimization_free(x);
  return NULL;
}

/* ---- objectives at values ---- */

/* One run: objectives, and with gradient their derivatives.  *adjoint: by the adjoint. */
static lw_status run_once(lw_optimization *x, const double value[], double result[],
                          double *gradient, bool *adjoint)
{
  x->err = (lw_error){.status = LW_OK};
  lw_model *m = lwi_experiment_compile(&x->experiment, value, &x->err);
  lw_sensitivity *s = m ? lwi_experiment_open(&x->experiment, m, "t", gradient, &x->err) : NULL;
  lw_status status = s ? LW_OK : x->err.status;
  *adjoint = lw_sensitivity_gradient(s, NULL) == LW_GRADIENT_ADJOINT;
  x->now.runs++;
  if (s) {
    lw_simulation *sim = lw_sensitivity_simulation(s);
    /* the end as written in the model moves with the parameters: it is not given */
    status =
        lw_sensitivity_advance(s, lw_simulation_used(sim).end, NULL, NULL, NULL, NULL, &x->err);
    if (status == LW_E_STOPPED && sim->over) status = LW_OK;
    if (status == LW_OK) status = lw_sensitivity_objectives(s, result, gradient);
    if (status != LW_OK && x->err.status == LW_OK)
      lwi_fail(&x->err, status, "the objectives cannot be computed: %s", lw_status_text(status));
  }
  lw_sensitivity_free(s);
  lw_model_free(m);
  return status;
}

/* What the adjoint does not pass is done with forward derivatives, from then on. */
static lw_status run(lw_optimization *x, const double value[], double result[], double *gradient)
{
  bool adjoint;
  const lw_status status = run_once(x, value, result, gradient, &adjoint);
  if (status != LW_E_UNSUPPORTED || !adjoint) return status;
  x->experiment.gradient = LW_GRADIENT_FORWARD;
  return run_once(x, value, result, gradient, &adjoint);
}

/* Do the objectives that matter exist, and their derivatives? */
static bool exist(const lw_optimization *x, bool derive)
{
  for (int r = -1; r < x->nrequirement; r++) {
    const int i = r < 0 ? x->objective : x->requirement[r].objective;
    if (!isfinite(x->result[i])) return false;
    for (int k = 0; k < x->n && derive; k++)
      if (!isfinite(x->gradient[k * x->nobjective + i])) return false;
  }
  return true;
}

/* One-sided differences of runs, with steps that their tolerance allows, towards the inside of the bounds. */
static lw_status by_differences(lw_optimization *x, double value[])
{
  lw_status status = LW_OK;
  for (int k = 0; k < x->n && status == LW_OK; k++) {
    const double before = value[k], step = sqrt(x->rtol) * x->size[k];
    value[k] = before + step <= x->max[k] ? before + step : before - step;
    status = run(x, value, x->shifted, NULL);
    for (int i = 0; i < x->nobjective && status == LW_OK; i++)
      x->gradient[k * x->nobjective + i] = (x->shifted[i] - x->result[i]) / (value[k] - before);
    value[k] = before;
  }
  return status;
}

bool lwi_optimize_evaluate(lw_optimization *x, const double value[], bool derive)
{
  const bool same = x->evaluated && memcmp(x->at, value, (size_t)x->n * sizeof *value) == 0;
  if (same && (x->failed || x->derived || !derive)) return !x->failed;
  memmove(x->at, value, (size_t)x->n * sizeof *value);
  const bool exact = derive && !x->o.differences;
  lw_status status = same && !exact ? LW_OK : run(x, x->at, x->result, exact ? x->gradient : NULL);
  if (status == LW_OK && derive && !exact) status = by_differences(x, x->at);
  const bool finite = status == LW_OK && exist(x, derive);
  if (status == LW_OK && !finite)
    lwi_fail(&x->err, LW_E_NUMBER, "an objective, or its derivative, does not exist");
  x->out_of_memory = x->out_of_memory || status == LW_E_MEMORY;
  x->evaluated = true;
  x->derived = derive && finite;
  x->failed = !finite;
  x->now.failed += x->failed;
  return finite;
}

double lwi_optimize_violation(const lw_optimization *x)
{
  double most = 0;
  for (int i = 0; i < x->nrequirement; i++) {
    const lwi_requirement *r = &x->requirement[i];
    const double above = x->result[r->objective] - r->value;
    most = fmax(most, r->kind == LW_AT_MOST    ? above
                      : r->kind == LW_AT_LEAST ? -above
                                               : fabs(above));
  }
  return most;
}

/* ---- ask ---- */

int lw_optimization_nparameter(const lw_optimization *x)
{
  return x ? x->n : 0;
}

lw_optimized_parameter lw_optimization_parameter(const lw_optimization *x, int i)
{
  if (!x || i < 0 || i >= x->n) return (lw_optimized_parameter){0};
  const double value = x->has_best ? x->best[i] : x->start[i];
  return (lw_optimized_parameter){x->name[i], x->start[i], value, x->min[i], x->max[i]};
}

lw_optimization_state lw_optimization_best(const lw_optimization *x)
{
  if (!x) return (lw_optimization_state){0};
  lw_optimization_state s = x->state;
  s.iterations = x->now.iterations;
  s.runs = x->now.runs;
  s.failed = x->now.failed;
  s.value = x->has_best ? x->best : NULL;
  return s;
}

lw_optimization_state lw_optimization_of_start(const lw_optimization *x, int i)
{
  if (!x || i < 0 || i >= x->o.starts) return (lw_optimization_state){0};
  return x->ended[i];
}

const double *lw_optimization_objectives(const lw_optimization *x)
{
  return x && x->has_best ? x->best_result : NULL;
}
