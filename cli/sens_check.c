/* SPDX-License-Identifier: Apache-2.0 */
/* sens_check.c -- compares derivatives with differences of whole runs, considering the errors of
   both.

   Whether derivatives are correct is decided at tight tolerances, where errors of the integration
   are small; the integration error of the run itself is found as a by-product, and printed. */
#include "files.h"
#include "sens.h"
#include "linkwork/query.h"
#include "linkwork/events.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int count(const sens_result *r)
{
  return r->ncolumn + r->nobjective;
}

/* ---- the run again, at tighter tolerances ---- */

int sens_is_interrupted(void *context, double t)
{
  (void)context, (void)t;
  return interrupts_came();
}

lw_status sens_results(sens_result *r, lw_error *err)
{
  lw_status status = lw_sensitivity_row(r->s, r->row, r->drow);
  if (status == LW_OK) status = lw_sensitivity_objectives(r->s, r->value, r->gradient);
  if (status == LW_OK) return status;
  err->status = status;
  snprintf(err->text, sizeof err->text, "at t = %g: %s", r->t, lw_status_text(status));
  return status;
}

static lw_status simulate(sens_result *r, lw_error *err)
{
  const lw_run_options options = {.on_step = sens_is_interrupted};
  const lw_status status = lw_sensitivity_run(r->s, &options, NULL, err);
  return status == LW_OK ? sens_results(r, err) : status;
}

static void put_tight(sens_result *r, const sens_result *again)
{
  const int n = count(r);
  for (int k = 0; k < r->nparameter; k++)
    for (int i = 0; i < n; i++)
      r->tight[k * n + i] = sens_derivative(again, k, i);
}

static lw_status repeat(sens_result *r, lw_sensitivity_options requested, const char *name[],
                        lw_error *err)
{
  sens_result again = *r;
  const size_t nc = (size_t)r->ncolumn, no = (size_t)r->nobjective, np = (size_t)r->nparameter;
  double *block = malloc(((np + 1) * (nc + no) + 1) * sizeof *block);
  again.row = block;
  again.value = block ? block + nc : NULL;
  again.drow = block ? again.value + no : NULL;
  again.gradient = block ? again.drow + np * nc : NULL;
  requested.simulation.rtol = fmax(1e-3 * r->used.rtol, fmin(1e-12, r->used.rtol));
  requested.simulation.atol = fmax(1e-3 * r->used.atol, fmin(1e-14, r->used.atol));
  again.s = block ? lw_sensitivity_new(r->m, name, r->nparameter, &requested, err) : NULL;
  lw_status status = block ? err->status : LW_E_MEMORY;
  if (again.s) {
    again.sim = lw_sensitivity_simulation(again.s);
    lw_simulation_interrupt(again.sim, sens_is_interrupted, NULL);
    status = simulate(&again, err);
    if (status == LW_OK) put_tight(r, &again);
  }
  lw_sensitivity_free(again.s);
  free(block);
  return status;
}

/* Largest change by the tighter tolerances relative to the largest derivative, both by parameters
   in units of their magnitude. */
static double find_change(const sens_result *r)
{
  const int n = count(r);
  double most = 0, change = 0;
  for (int k = 0; k < r->nparameter; k++) {
    const double p = fabs(lw_parameter_value(r->m, lw_sensitivity_parameter(r->s, k))),
                 unit = p > 0 ? p : 1;
    for (int i = 0; i < n; i++) {
      const double a = sens_derivative(r, k, i), b = r->tight[k * n + i];
      if (!isfinite(a) || !isfinite(b)) continue;
      most = fmax(most, unit * fabs(b));
      change = fmax(change, unit * fabs(a - b));
    }
  }
  return most > 0 ? change / most : 0;
}

/* A failure of this run proves nothing about the derivatives: then the existing ones are
   compared. */
static lw_status tighten(sens_result *r, const lw_sensitivity_options *requested)
{
  lw_error err = {0};
  const char **name = malloc(((size_t)r->nparameter + 1) * sizeof *name);
  if (!name) return LW_E_MEMORY;
  for (int k = 0; k < r->nparameter; k++)
    name[k] = lw_parameter_name(r->m, lw_sensitivity_parameter(r->s, k));
  put_tight(r, r);
  const lw_status status = r->nparameter > 0 ? repeat(r, *requested, name, &err) : LW_OK;
  free(name);
  if (status == LW_E_MEMORY) return status;
  if (status != LW_OK)
    snprintf(r->not_tightened, sizeof r->not_tightened, "%s",
             err.text[0] ? err.text : lw_status_text(status));
  r->integration_error = find_change(r);
  return LW_OK;
}

/* ---- compare ---- */

/* the largest of all derivatives by this parameter */
static double scale_of(const sens_result *r, int k)
{
  const double p = fabs(lw_parameter_value(r->m, lw_sensitivity_parameter(r->s, k)));
  double scale = 1 / (p > 0 ? p : 1);
  for (int i = 0; i < count(r); i++)
    if (isfinite(sens_derivative(r, k, i))) scale = fmax(scale, fabs(sens_derivative(r, k, i)));
  return scale;
}

sens_verdict sens_judge(const sens_result *r, int k, int index)
{
  const int at = k * count(r) + index;
  const double exact = r->tight[at], other = r->check[at], error = r->check_error[at];
  if (isnan(exact) && (isnan(other) || sens_has_ended(r, k))) return SENS_AGREES;
  if (error >= DBL_MAX) return SENS_UNDECIDED;
  const double scale = scale_of(r, k), own = fabs(sens_derivative(r, k, index) - exact);
  const double doubt = 4 * error + 0.1 * own + 1e-6 * fabs(exact) + 1e-8 * scale;
  if (!(fabs(exact - other) <= doubt)) return SENS_DISAGREES;
  return error <= 1e-3 * fmax(fabs(exact), 1e-2 * scale) ? SENS_AGREES : SENS_UNDECIDED;
}

lw_status sens_check(sens_result *r, const lw_sensitivity_options *requested, lw_error *err)
{
  const int n = count(r);
  const size_t size = (size_t)(r->nparameter * n + 1);
  r->check = malloc(3 * size * sizeof *r->check);
  if (!r->check) return LW_E_MEMORY;
  r->check_error = r->check + size;
  r->tight = r->check_error + size;
  lw_status status = tighten(r, requested);
  for (int k = 0; k < r->nparameter && status == LW_OK; k++) {
    double *d = r->check + k * n, *error = r->check_error + k * n;
    status = lw_sensitivity_check(
        r->s, k, &(lw_differences){d, d + r->ncolumn, error, error + r->ncolumn}, err);
    for (int i = 0; i < n && status == LW_OK; i++) {
      const sens_verdict verdict = sens_judge(r, k, i);
      r->disagreements += verdict == SENS_DISAGREES;
      r->undecided += verdict == SENS_UNDECIDED;
    }
  }
  return status;
}
