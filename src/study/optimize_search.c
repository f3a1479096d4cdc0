/* SPDX-License-Identifier: Apache-2.0 */
/* optimize_search.c -- the search for a least objective with NLopt, from one start or several (optimize.c).

   NLopt sees parameters z between 0 and 1, and objective and requirements over sizes that make their gradients at the start about 1.
   Where there are no objectives it is told an infinite one: its line searches go back. */
#include "base/fail.h"
#include "linkwork/study.h"
#include "study/nlopt_library.h"
#include "study/optimize_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FEASIBLE =
    1e-8; /* violations of requirements that count as none, over their sizes */

typedef struct {
  lw_optimization *x;
  nlopt_opt opt;
  int first; /* runs before this search */
  lw_optimization_state best;
  double *value;  /* [n] of best */
  bool has, full; /* full: the number of runs was reached */
} search;

/* ---- the best so far ---- */

static double sizes_of_violation(const lw_optimization *x)
{
  double most = 0;
  for (int i = 0; i < x->nrequirement; i++) {
    const lwi_requirement *r = &x->requirement[i];
    const double above = (x->result[r->objective] - r->value) / r->size;
    most = fmax(most, r->kind == LW_AT_MOST    ? above
                      : r->kind == LW_AT_LEAST ? -above
                                               : fabs(above));
  }
  return most <= 2 * FEASIBLE ? 0 : most;
}

static bool is_better(const lw_optimization *x, const lw_optimization_state *a,
                      const lw_optimization_state *b)
{
  if (a->violation != b->violation) return a->violation < b->violation;
  return x->o.maximize ? a->objective > b->objective : a->objective < b->objective;
}

/* What is requested may be met to rounding errors of the search only. */
static double counted_violation(const lw_optimization *x)
{
  return sizes_of_violation(x) == 0 ? 0 : lwi_optimize_violation(x);
}

static void note(search *s)
{
  lw_optimization *x = s->x;
  lw_optimization_state here = x->now;
  here.objective = x->result[x->objective];
  here.violation = counted_violation(x);
  if (!s->has || is_better(x, &here, &s->best)) {
    s->has = true;
    s->best = here;
    s->best.value = memcpy(s->value, x->at, (size_t)x->n * sizeof *x->at);
  }
  if (!x->has_best || is_better(x, &here, &x->state)) {
    x->has_best = true;
    x->state = here;
    memcpy(x->best, x->at, (size_t)x->n * sizeof *x->at);
    memcpy(x->best_result, x->result, (size_t)x->nobjective * sizeof *x->result);
  }
}

static bool is_stopped(const lw_optimization *x)
{
  return x->out_of_memory || x->halted || (x->how && x->how->stop && *x->how->stop);
}

/* ---- what NLopt calls ---- */

/* Objectives at z; false: there are none. */
static bool look(search *s, const double z[], bool derive)
{
  lw_optimization *x = s->x;
  const int most = x->how && x->how->runs > 0 ? x->how->runs : 1000, before = x->now.runs;
  double *value = s->value + x->n; /* scratch */
  for (int k = 0; k < x->n; k++)
    value[k] = fmin(fmax(x->origin[k] + x->size[k] * z[k], x->min[k]), x->max[k]);
  const bool found = lwi_optimize_evaluate(x, value, derive);
  if (found && x->now.runs > before) {
    x->now.iterations += derive;
    note(s);
    lw_optimization_state now = s->best;
    now.iterations = x->now.iterations;
    now.runs = x->now.runs;
    now.failed = x->now.failed;
    now.start = x->now.start;
    if (derive && x->how && x->how->on_iteration && x->how->on_iteration(x->how->context, &now))
      x->halted = true;
  }
  s->full = s->full || x->now.runs - s->first >= most;
  if (s->full || is_stopped(x)) lwi_nlopt()->force_stop(s->opt);
  return found;
}

static double objective(unsigned n, const double z[], double gradient[], void *data)
{
  search *s = data;
  lw_optimization *x = s->x;
  const double sign = (x->o.maximize ? -1 : 1) / x->objective_size;
  const bool found = look(s, z, gradient);
  for (unsigned k = 0; gradient && k < n; k++)
    gradient[k] = found ? sign * x->size[k] *
                              x->gradient[k * (unsigned)x->nobjective + (unsigned)x->objective]
                        : 0;
  return found ? sign * x->result[x->objective] : HUGE_VAL;
}

static double requirement(unsigned n, const double z[], double gradient[], void *data)
{
  const lwi_requirement *r = data;
  lw_optimization *x = r->of;
  const double sign = (r->kind == LW_AT_LEAST ? -1 : 1) / r->size;
  const bool found = look(x->search, z, gradient);
  for (unsigned k = 0; gradient && k < n; k++)
    gradient[k] = found ? sign * x->size[k] *
                              x->gradient[k * (unsigned)x->nobjective + (unsigned)r->objective]
                        : 0;
  return found ? sign * (x->result[r->objective] - r->value) : HUGE_VAL;
}

/* ---- one search ---- */

/* The largest derivative of an objective by z; at least a small part of its value. */
static double size_of(const lw_optimization *x, int i, double value)
{
  double most = 1e-6 * fabs(value);
  for (int k = 0; k < x->n; k++)
    most = fmax(most, fabs(x->size[k] * x->gradient[k * x->nobjective + i]));
  return most > 0 ? most : 1;
}

static void choose_sizes(lw_optimization *x)
{
  x->objective_size = size_of(x, x->objective, x->result[x->objective]);
  for (int i = 0; i < x->nrequirement; i++)
    x->requirement[i].size = size_of(x, x->requirement[i].objective, x->requirement[i].value);
}

static bool prepare(search *s)
{
  const lwi_nlopt_functions *f = lwi_nlopt();
  lw_optimization *x = s->x;
  double *lower = x->z + x->n, *upper = lower + x->n;
  for (int k = 0; k < x->n; k++) {
    lower[k] = (x->min[k] - x->origin[k]) / x->size[k];
    upper[k] = (x->max[k] - x->origin[k]) / x->size[k];
  }
  s->opt = f->create(x->o.method == LW_MMA ? NLOPT_LD_MMA : NLOPT_LD_SLSQP, (unsigned)x->n);
  bool ok = s->opt && f->set_lower_bounds(s->opt, lower) > 0 &&
            f->set_upper_bounds(s->opt, upper) > 0 &&
            f->set_min_objective(s->opt, objective, s) > 0 &&
            f->set_ftol_rel(s->opt, x->o.tolerance) > 0 &&
            f->set_ftol_abs(s->opt, 1e-3 * x->o.tolerance) > 0 &&
            f->set_xtol_rel(s->opt, x->o.tolerance) > 0;
  for (int i = 0; i < x->nrequirement && ok; i++) {
    lwi_requirement *r = &x->requirement[i];
    ok = (r->kind == LW_EQUAL_TO ? f->add_equality_constraint : f->add_inequality_constraint)(
             s->opt, requirement, r, FEASIBLE) > 0;
  }
  return ok;
}

/* Where a search ends by its line search, which rounding errors may stop early, it goes on from the best so far with another approximation of
   the curvature, as long as that is worth it; so do moving asymptotes wherever they end, since their first, cautious steps look like convergence. */
static nlopt_result go(search *s)
{
  lw_optimization *x = s->x;
  nlopt_result end = NLOPT_FAILURE;
  for (int round = 0; round < (x->o.method == LW_MMA ? 100 : 5); round++) {
    const lw_optimization_state before = s->best;
    double unused;
    for (int k = 0; k < x->n; k++)
      x->z[k] = (s->value[k] - x->origin[k]) / x->size[k];
    end = lwi_nlopt()->optimize(s->opt, x->z, &unused);
    const bool converged = end > 0 && x->o.method != LW_MMA;
    if (converged || end == NLOPT_FORCED_STOP || end == NLOPT_OUT_OF_MEMORY) break;
    const double gain = fabs(s->best.objective - before.objective) /
                        fmax(fabs(before.objective), 1e-3 * x->objective_size);
    if (s->best.violation >= before.violation && gain <= x->o.tolerance) break;
  }
  return end;
}

/* From value[]; the result is in s->best.  LW_E_NUMBER: it cannot start there. */
static lw_status search_from(search *s, const double value[])
{
  lw_optimization *x = s->x;
  s->first = x->now.runs;
  if (!lwi_optimize_evaluate(x, value, true))
    return x->err.status == LW_E_MEMORY ? LW_E_MEMORY : LW_E_NUMBER;
  x->now.iterations++;
  choose_sizes(x);
  note(s);
  x->search = s;
  const nlopt_result end = prepare(s) ? go(s) : NLOPT_OUT_OF_MEMORY;
  x->search = NULL;
  lwi_nlopt()->destroy(s->opt);
  if (end == NLOPT_OUT_OF_MEMORY || x->out_of_memory) return LW_E_MEMORY;
  if (end != NLOPT_FORCED_STOP) return LW_OK;
  return s->full ? LW_E_NOT_CONVERGED : LW_E_STOPPED;
}

/* ---- all of them ---- */

/* Where search i starts: values[n]. */
static lw_status choose_start(const lw_optimization *x, int i, double value[])
{
  memcpy(value, x->start, (size_t)x->n * sizeof *value);
  if (i == 0) return LW_OK;
  lw_factor *factor = calloc((size_t)x->n, sizeof *factor);
  if (!factor) return LW_E_MEMORY;
  for (int k = 0; k < x->n; k++)
    factor[k] = (lw_factor){.name = x->name[k], .min = x->min[k], .max = x->max[k]};
  const lw_design d = {.kind = LW_DESIGN_LATIN,
                       .factor = factor,
                       .nfactor = x->n,
                       .cases = x->o.starts - 1,
                       .seed = x->o.seed};
  const lw_status status = lw_design_values(&d, i - 1, value);
  free(factor);
  return status;
}

static lw_status run_start(lw_optimization *x, int i, double scratch[])
{
  search s = {.x = x, .value = scratch};
  double *from = scratch + 2 * x->n;
  lw_status status = choose_start(x, i, from);
  x->now.start = i;
  if (status == LW_OK) status = search_from(&s, from);
  if (!s.has) return status;
  double *found = x->found + (size_t)i * (size_t)x->n;
  x->ended[i] = s.best;
  x->ended[i].start = i;
  x->ended[i].value = memcpy(found, s.value, (size_t)x->n * sizeof *found);
  return status;
}

static lw_status judge(const lw_optimization *x, lw_status ended, lw_error *err)
{
  if (ended == LW_E_STOPPED) return lwi_fail(err, ended, "stopped after %d runs", x->now.runs);
  if (ended == LW_E_NOT_CONVERGED)
    return lwi_fail(err, ended, "not converged after %d runs", x->now.runs);
  if (x->state.violation > 0)
    return lwi_fail(
        err, LW_E_NUMBER,
        "no values were found that satisfy all requirements: the best violate one by %g",
        x->state.violation);
  return LW_OK;
}

lw_status lw_optimization_run(lw_optimization *x, const lw_optimization_run_options *options,
                              lw_error *err)
{
  if (!x) return lwi_fail(err, LW_E_ARG, "lw_optimization_run: nothing to optimise");
  if (!lwi_nlopt())
    return lwi_fail(err, LW_E_UNSUPPORTED, "optimisation needs NLopt: %s", lwi_nlopt_problem());
  double *scratch = malloc(3 * (size_t)x->n * sizeof *scratch);
  lw_status ended = LW_OK, status = scratch ? LW_OK : LW_E_MEMORY;
  x->how = options;
  x->experiment.stop = options ? options->stop : NULL;
  x->now = (lw_optimization_state){0};
  x->has_best = x->evaluated = x->out_of_memory = x->halted = false;
  for (int i = 0; i < x->o.starts && status == LW_OK; i++) {
    const lw_status one = run_start(x, i, scratch);
    if (one == LW_E_MEMORY) status = one;
    if (one == LW_E_NUMBER && i == 0) status = one;
    if (one == LW_E_STOPPED || one == LW_E_NOT_CONVERGED) ended = one;
    if (one == LW_E_STOPPED || is_stopped(x)) break;
  }
  free(scratch);
  x->how = NULL;
  if (status == LW_E_MEMORY) return lwi_out_of_memory(err, "an optimisation");
  if (status != LW_OK || !x->has_best) {
    if (err) *err = x->err;
    return x->err.status;
  }
  return judge(x, ended, err);
}
