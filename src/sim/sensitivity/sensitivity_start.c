/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_start.c -- a run with derivatives that starts where a callback says, such as in
   equilibrium. */
#include "base/fail.h"
#include "linkwork/query.h"
#include "sim/sensitivity/exact_derivative.h"
#include "sim/sensitivity/sensitivity_data.h"

#include <stdlib.h>
#include <string.h>

/* Derivatives by all parameters. */
static lw_status derive(lw_sensitivity *s, double q[], double u[], lw_error *err)
{
  const lw_model *m = s->m;
  const size_t nu = (size_t)lw_nu(m), nstate = (size_t)lw_nstate(m), n = (size_t)s->n;
  lwi_given_start *g = &s->given;
  *g = (lwi_given_start){.nu = (int)nu,
                         .nstate = (int)nstate,
                         .motion = calloc(n * (nu + nstate) + 1, sizeof(double))};
  if (!g->motion) return lwi_out_of_memory(err, "sensitivities");
  g->states = g->motion + n * nu;
  if (s->differences && s->n > 0)
    return lwi_fail(err, LW_E_UNSUPPORTED,
                    "`start: equilibrium` is not differentiated by differences of nearby models: "
                    "exact derivatives are");
  lw_status status = LW_OK;
  for (size_t k = 0; k < n && status == LW_OK; k++)
    status = s->start(m, 0, q, u, lwi_exact_model_derivative(s->derivative[k]), g->motion + k * nu,
                      g->states + k * nstate, err);
  g->known = status == LW_OK;
  return status;
}

/* Drivers that move have derivatives of their speeds, which the start does not know. */
static lw_status check_rest(const lw_sensitivity *s, lw_error *err)
{
  const lw_model *m = s->m;
  const double *u = s->sim->y + lw_nq(m);
  for (int j = 1; j <= lw_njoint(m) && s->n > 0; j++) {
    const lw_joint_info i = lw_get_joint(m, (lw_joint){j});
    for (int k = 0; k < i.nu && !i.cut; k++)
      if (fabs(u[i.u + k]) > 1e-12)
        return lwi_fail(
            err, LW_E_UNSUPPORTED,
            "`start: equilibrium` has no derivatives by parameters here: joint \"%.64s\" "
            "is driven, and moves at the start",
            i.name);
  }
  return LW_OK;
}

lw_status lwi_sensitivity_start(lw_sensitivity *s, lw_error *err)
{
  const size_t nq = (size_t)lw_nq_all(s->m), nu = (size_t)lw_nu_all(s->m);
  double *q = calloc(nq + nu + 1, sizeof *q), *u = q ? q + nq : NULL;
  if (!q) return lwi_out_of_memory(err, "sensitivities");
  lw_initial_state(s->m, q, u);
  lw_status status = s->start(s->m, 0, q, u, NULL, NULL, NULL, err);
  if (status == LW_OK) status = derive(s, q, u, err);
  if (status == LW_OK) status = lw_simulation_start(s->sim, 0, q, u, err);
  if (status == LW_OK) status = check_rest(s, err);
  free(q);
  return status;
}
