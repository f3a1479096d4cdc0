/* SPDX-License-Identifier: Apache-2.0 */
/* equilibrium_start.c -- runs that begin in static equilibrium, and the derivatives of that
   start. */
#include "analysis/state_equations.h"
#include "base/fail.h"
#include "linkwork/analysis.h"
#include "linkwork/query.h"
#include "linkwork/loops.h"

#include <stdlib.h>
#include <string.h>

/* From an assembled q; with limits, contacts and friction what holds is decided again where the run begins. */
static lw_status find_rest(const lw_model *m, lw_work *w, double t, double q[],
                           lw_equilibrium_report *report, lw_error *err)
{
  if (!lw_is_one_sided(m)) return lw_equilibrium(w, t, q, NULL, report, err);
  lw_rest *r = lw_rest_new(m, t, q, NULL, err);
  if (!r) return err->status;
  if (lw_nq(m) > 0) memcpy(q, lw_rest_q(r), (size_t)lw_nq(m) * sizeof *q);
  if (report) *report = lw_rest_report(r);
  lw_rest_free(r);
  return LW_OK;
}

static lw_status start_in_equilibrium(lw_simulation *sim, lw_work *w, double *q, double *u,
                                      lw_equilibrium_report *report, lw_error *err)
{
  const lw_model *m = lw_simulation_model(sim);
  const double t = lw_simulation_time(sim);
  lw_initial_state(m, q, u);
  lw_status status = lw_close_loops(w, t, q, u, err);
  if (status == LW_OK) status = find_rest(m, w, t, q, report, err);
  if (status != LW_OK) return status;
  memset(u, 0, (size_t)lw_nu(m) * sizeof *u);
  return lw_simulation_start(sim, t, q, u, err);
}

lw_status lw_simulation_start_in_equilibrium(lw_simulation *sim, lw_equilibrium_report *report,
                                             lw_error *err)
{
  lw_equilibrium_report unused;
  lw_error unread;
  if (!err) err = &unread;
  *err = (lw_error){.status = LW_OK};
  if (!sim) return lwi_fail(err, LW_E_ARG, "lw_simulation_start_in_equilibrium: no simulation");
  const lw_model *m = lw_simulation_model(sim);
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)lw_nq_all(m) + (size_t)lw_nu_all(m) + 1, sizeof *q);
  const lw_status status =
      w && q ? start_in_equilibrium(sim, w, q, q + lw_nq_all(m), report ? report : &unused, err)
             : lwi_out_of_memory(err, NULL);
  free(q);
  lw_work_free(w);
  return status;
}

/* ---- with derivatives ---- */

static lw_status find_start(const lw_model *m, lw_work *w, double t, double q[], double u[],
                            lw_error *err)
{
  lw_status status = lw_close_loops(w, t, q, u, err);
  if (status == LW_OK) status = find_rest(m, w, t, q, NULL, err);
  if (lw_nu(m) > 0) memset(u, 0, (size_t)lw_nu(m) * sizeof *u);
  return status;
}

/* Is the equilibrium a point? */
static lw_status check_neutral(const lw_model *m, lw_work *w, double t, const double q[],
                               lw_error *err)
{
  lw_equilibrium_report report;
  double *again = malloc(((size_t)lw_nq_all(m) + 1) * sizeof *again);
  if (!again) return lwi_out_of_memory(err, NULL);
  memcpy(again, q, (size_t)lw_nq(m) * sizeof *again);
  const lw_status status =
      lw_equilibrium(w, t, again, &(lw_equilibrium_options){.nearest = true}, &report, err);
  free(again);
  if (status != LW_OK || report.neutral == 0) return status;
  return lwi_fail(
      err, LW_E_UNSUPPORTED,
      "`start: equilibrium` has no derivatives by parameters: the equilibrium is neutral "
      "in %d direction%s, and where the run begins is not determined",
      report.neutral, report.neutral == 1 ? "" : "s");
}

lw_status lw_equilibrium_start(const lw_model *m, double t, double q[], double u[],
                               const lw_model_derivative *by, double motion_p[], double states_p[],
                               lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!m || !q || !u || (by && (!motion_p || !states_p)))
    return lwi_fail(err, LW_E_ARG, "lw_equilibrium_start: an argument is missing");
  if (by && lw_is_one_sided(m))
    return lwi_fail(
        err, LW_E_UNSUPPORTED,
        "`start: equilibrium` has no derivatives by parameters where limits, contacts or "
        "friction may hold the mechanism");
  lw_work *w = lw_work_new(m);
  lw_status status = w ? LW_OK : lwi_out_of_memory(err, NULL);
  if (status == LW_OK && !by) status = find_start(m, w, t, q, u, err);
  if (status == LW_OK && by) status = check_neutral(m, w, t, q, err);
  if (status == LW_OK && by)
    status = lwi_equilibrium_derivative(w, t, q, by, motion_p, states_p, err);
  lw_work_free(w);
  return status;
}
