/* SPDX-License-Identifier: Apache-2.0 */
/* settled_start.c -- a simulation that begins in static equilibrium. */
#include "base/fail.h"
#include "linkwork/analysis.h"
#include "linkwork/query.h"
#include "linkwork/loops.h"

#include <stdlib.h>
#include <string.h>

static lw_status settle(lw_simulation *sim, lw_work *w, double *q, double *u,
                        lw_equilibrium_report *report, lw_error *err)
{
  const lw_model *m = lw_simulation_model(sim);
  const double t = lw_simulation_time(sim);
  lw_initial_state(m, q, u);
  lw_status status = lw_assemble(w, t, q, u, err);
  if (status == LW_OK) status = lw_equilibrium(w, t, q, NULL, report, err);
  if (status != LW_OK) return status;
  memset(u, 0, (size_t)lw_nu(m) * sizeof *u);
  return lw_simulation_start(sim, t, q, u, err);
}

lw_status lw_simulation_settle(lw_simulation *sim, lw_equilibrium_report *report, lw_error *err)
{
  lw_equilibrium_report unused;
  if (err) *err = (lw_error){.status = LW_OK};
  if (!sim) return lwi_fail(err, LW_E_ARG, "lw_simulation_settle: no simulation");
  const lw_model *m = lw_simulation_model(sim);
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)lw_nq_all(m) + (size_t)lw_nu_all(m) + 1, sizeof *q);
  const lw_status status = w && q
                               ? settle(sim, w, q, q + lw_nq_all(m), report ? report : &unused, err)
                               : lwi_fail(err, LW_E_MEMORY, "out of memory");
  free(q);
  lw_work_free(w);
  return status;
}
