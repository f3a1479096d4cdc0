/* SPDX-License-Identifier: Apache-2.0 */
/* run_differences.c -- derivatives of whole runs by differences of whole runs: knows nothing of how
   derivatives are computed elsewhere, and so can check them.

   Central differences with h, h/2 and h/4, extrapolated twice (Romberg): the error is O(h^6) and that of
   the integration over h/4, for which tolerances are tight. */
#include "base/fail.h"
#include "model/model.h"
#include "sim/neighbours.h"
#include "sim/sensitivity.h"

#include <math.h>
#include <stdlib.h>

enum { LEVELS = 3 };
static const double widest = 1e-2; /* h / p */

/* results of one run: columns, then objectives */
static lw_status run(const lw_model *m, const lw_sensitivity_options *o, double t, int nrow,
                     double x[], lw_error *err)
{
  lw_sensitivity *s = lwi_sensitivity_new_plain(m, o, err);
  if (!s) return err->status;
  lw_status status = lw_sensitivity_advance(s, t, NULL, NULL, NULL, NULL, err);
  if (status == LW_OK) {
    status = lw_sensitivity_row(s, x, NULL);
    if (status == LW_OK) status = lw_sensitivity_objectives(s, x + nrow, NULL);
    if (status != LW_OK) lwi_fail(err, status, "at t = %g: %s", t, lw_status_text(status));
  }
  lw_sensitivity_free(s);
  return status;
}

static lw_status run_at(const lw_model *m, int parameter, double value,
                        const lw_sensitivity_options *o, double t, int nrow, double x[],
                        lw_error *err)
{
  lw_model *own = lwi_compile_nearby(m, parameter, value, err);
  if (!own) return err->status;
  const lw_status status = run(own, o, t, nrow, x, err);
  lw_model_free(own);
  return status;
}

/* d[3] becomes the extrapolated value and an estimate of its error */
static void extrapolate(const double d[LEVELS], double *value, double *error)
{
  const double a = (4 * d[1] - d[0]) / 3, b = (4 * d[2] - d[1]) / 3;
  *value = b + (b - a) / 15;
  *error = fabs(*value - b);
}

static lw_status difference_all(const lw_model *m, int parameter, const lw_sensitivity_options *o,
                                double t, int nrow, int n, double *room, lw_error *err)
{
  const double p = m->parameter[parameter];
  double *x[2] = {room, room + n}, *d = room + 2 * (size_t)n;
  double h = widest * (p != 0 ? fabs(p) : 1);
  for (int level = 0; level < LEVELS; level++, h /= 2) {
    for (int side = 0; side < 2; side++) {
      const lw_status status = run_at(m, parameter, p + (side ? h : -h), o, t, nrow, x[side], err);
      if (status != LW_OK) return status;
    }
    for (int i = 0; i < n; i++)
      d[LEVELS * i + level] = (x[1][i] - x[0][i]) / (2 * h);
  }
  return LW_OK;
}

/* As tight as the integration can be; what the caller asks for is the same otherwise. */
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

lw_status lw_sensitivity_by_runs(const lw_model *m, int parameter,
                                 const lw_sensitivity_options *options, double t, double drow[],
                                 double gradient[], double drow_error[], double gradient_error[],
                                 lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!m || parameter < 0 || parameter >= lw_nparameter(m) || !m->spec)
    return lwi_fail(err, LW_E_ARG, "lw_sensitivity_by_runs: no such parameter");
  const lw_sensitivity_options o = tighten(m, options);
  lw_sensitivity *s = lwi_sensitivity_new_plain(m, &o, err);
  if (!s) return err->status;
  const int nrow = lw_columns_count(lw_sensitivity_columns(s)), n = nrow + lw_nobjective(m);
  lw_sensitivity_free(s);
  double *room = malloc((2 + LEVELS) * ((size_t)n + 1) * sizeof *room);
  lw_status status = room ? difference_all(m, parameter, &o, t, nrow, n, room, err)
                          : lwi_fail(err, LW_E_MEMORY, "out of memory for differences");
  for (int i = 0; i < n && status == LW_OK; i++) {
    double value, error;
    extrapolate(room + 2 * (size_t)n + (size_t)LEVELS * (size_t)i, &value, &error);
    double *to = i < nrow ? drow : gradient, *to_error = i < nrow ? drow_error : gradient_error;
    if (to) to[i < nrow ? i : i - nrow] = value;
    if (to_error) to_error[i < nrow ? i : i - nrow] = error;
  }
  free(room);
  return status;
}
