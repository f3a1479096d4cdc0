/* SPDX-License-Identifier: Apache-2.0 */
/* experiment.c -- one run of a model, evaluated at given times (experiment.h). */
#include "study/experiment.h"

#include "base/fail.h"
#include "linkwork/analysis.h"
#include "linkwork/query.h"
#include "model/spec/spec_data.h"
#include "sim/run/simulation_data.h"
#include "sim/sensitivity/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lw_model *lwi_experiment_compile(const lwi_experiment *e, const double value[], lw_error *err)
{
  lw_spec *s = lwi_spec_copy(e->spec);
  if (!s) return lwi_out_of_memory(err, NULL), NULL;
  lw_status status = LW_OK;
  lw_model *m = NULL;
  for (int k = 0; k < e->nparameter && status == LW_OK; k++)
    status = lw_set_parameter(s, e->parameter[k], value[k]);
  if (status == LW_OK)
    m = lw_compile(s, err);
  else
    lwi_fail(err, status, "the parameters cannot be set: %s", lw_status_text(status));
  lw_spec_free(s);
  return m;
}

static int is_stopped(void *context, double t)
{
  const lwi_experiment *e = context;
  (void)t;
  return e->stop && *e->stop;
}

lw_sensitivity *lwi_experiment_open(const lwi_experiment *e, const lw_model *m, const char *columns,
                                    bool derive, lw_error *err)
{
  const bool settles = lw_simulation_defaults(m).start_in_equilibrium;
  const lw_sensitivity_options o = {.simulation = *e->simulation,
                                    .columns = columns,
                                    .gradient = e->gradient,
                                    .start = settles ? lw_equilibrium_start : NULL};
  lw_sensitivity *s = derive ? lw_sensitivity_new(m, e->parameter, e->nparameter, &o, err)
                             : lwi_sensitivity_new_plain(m, &o, err);
  if (s) lw_simulation_interrupt(lw_sensitivity_simulation(s), is_stopped, (void *)(uintptr_t)e);
  return s;
}

/* Where the columns are among those of the run. */
static lw_status find_columns(const lwi_experiment_times *at, const lw_columns *c, int index[],
                              lw_error *err)
{
  for (int i = 0; i < at->ncolumn; i++) {
    index[i] = 0;
    while (index[i] < lw_columns_count(c) && strcmp(lw_columns_name(c, index[i]), at->column[i]))
      index[i]++;
    if (index[i] == lw_columns_count(c))
      return lwi_fail(err, LW_E_ARG, "there is no column \"%.100s\"", at->column[i]);
  }
  return LW_OK;
}

/* The present state is row i. */
static lw_status take_row(const lwi_experiment_times *at, lw_sensitivity *s, const int index[],
                          long i, double scratch[], double row[], double d[], lw_error *err)
{
  const size_t n = (size_t)lw_columns_count(lw_sensitivity_columns(s)), nc = (size_t)at->ncolumn;
  const lw_status status = lw_sensitivity_row(s, scratch, d ? scratch + n : NULL);
  if (status != LW_OK)
    return lwi_fail(err, status, "at t = %.10g: %s", at->t[i], lw_status_text(status));
  for (size_t c = 0; c < nc; c++) {
    row[(size_t)i * nc + c] = scratch[index[c]];
    for (size_t k = 0; d && k < (size_t)lw_sensitivity_nparameter(s); k++)
      d[(k * (size_t)at->rows + (size_t)i) * nc + c] = scratch[n + k * n + (size_t)index[c]];
  }
  return LW_OK;
}

static lw_status follow(const lwi_experiment_times *at, lw_sensitivity *s, double row[], double d[],
                        lw_error *err)
{
  const size_t n = (size_t)lw_columns_count(lw_sensitivity_columns(s));
  int *index = malloc((size_t)at->ncolumn * sizeof *index);
  double *scratch = malloc(n * (size_t)(lw_sensitivity_nparameter(s) + 1) * sizeof *scratch);
  lw_status status = index && scratch ? find_columns(at, lw_sensitivity_columns(s), index, err)
                                      : lwi_out_of_memory(err, NULL);
  for (long i = 0; i < at->rows && status == LW_OK; i++) {
    if (i == 0 || at->t[i] > at->t[i - 1])
      status = lw_sensitivity_advance(s, at->t[i], NULL, NULL, NULL, NULL, err);
    if (status == LW_E_STOPPED && lw_sensitivity_simulation(s)->over)
      lwi_fail(err, LW_E_NUMBER, "the run ends at t = %.10g, before the measurements do",
               lw_simulation_time(lw_sensitivity_simulation(s)));
    if (status == LW_OK) status = take_row(at, s, index, i, scratch, row, d, err);
  }
  free(index);
  free(scratch);
  return status;
}

lw_status lwi_experiment_rows(const lwi_experiment *e, const lwi_experiment_times *at,
                              const double value[], double row[], double d[], lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  lw_model *m = lwi_experiment_compile(e, value, err);
  lw_sensitivity *s = m ? lwi_experiment_open(e, m, at->columns, d, err) : NULL;
  const lw_status status = s ? follow(at, s, row, d, err) : err->status;
  lw_sensitivity_free(s);
  lw_model_free(m);
  return status != LW_OK && err->status != LW_OK ? err->status : status;
}
