/* SPDX-License-Identifier: Apache-2.0 */
/* power.c -- energy of a state and power of the loads that are not derived from a potential. */
#include "sim/run/power.h"
#include "base/fail.h"
#include "model/model.h"
#include "sim/formulation/formulation.h"
#include "sim/formulation/input_law.h"
#include "linkwork/quantities.h"

#include <math.h>
#include <stdlib.h>

static bool is_driver(const lwi_constraint *c)
{
  return c->pair < 0 && c->relation.type == LW_DRIVER;
}

lw_status lwi_power_init(lwi_power *p, const lw_model *m, int n,
                         const lw_simulation_options *options, lw_error *err)
{
  const size_t nstate = (size_t)(m->nq + m->nu);
  *p = (lwi_power){.m = m, .applied = lwi_has_applied_elements(m) || lwi_has_dampers(m)};
  for (int c = 1; c <= m->nconstraint; c++)
    p->driven = p->driven || is_driver(&m->constraint[c]);
  for (int i = 0; i < m->nstate; i++)
    p->driven =
        p->driven || m->state[i].contact || m->state[i].bearing; /* friction depends on its load */
  p->driven = p->driven || lwi_input_law_acts(&options->inputs, m); /* loads of the program */
  if (p->driven) {
    p->dynamics = lw_dynamics_new(m, options, err);
    if (!p->dynamics) return err ? err->status : LW_E_MEMORY;
  }
  p->work = p->driven ? lw_dynamics_work(p->dynamics) : lw_work_new(m);
  p->y = calloc((size_t)n + 2 * nstate + (size_t)m->nu + 1, sizeof *p->y);
  if (p->work && p->y) {
    p->q = p->y + n;
    p->u = p->q + m->nq;
    p->shifted = p->q + nstate;
    p->udot = p->shifted + nstate;
    return LW_OK;
  }
  return lwi_out_of_memory(err, "the balance of energy");
}

void lwi_power_free(lwi_power *p)
{
  if (p->dynamics)
    lw_dynamics_free(p->dynamics);
  else
    lw_work_free(p->work);
  free(p->y);
  *p = (lwi_power){0};
}

static lw_status driver_power(const lwi_power *p, double t, const double q[], const double u[],
                              double *power)
{
  const lw_model *m = p->m;
  lw_status status = lw_dynamics_accelerate(p->dynamics, t, q, u, NULL, p->udot);
  if (status == LW_OK) status = lw_dynamics_find_loads(p->dynamics);
  for (int c = 1; c <= m->nconstraint && status == LW_OK; c++) {
    double target[3], load;
    if (!is_driver(&m->constraint[c])) continue;
    lwi_relation_target(&m->constraint[c].relation, m->parameter, m->nparameter, 0, t, target);
    status = lw_dynamics_get_relation_load(p->dynamics, (lw_constraint){c}, &load);
    if (status == LW_OK) *power += load * target[1];
  }
  return status == LW_OK && !isfinite(*power) ? LW_E_NUMBER : status;
}

lw_status lwi_power_at(const lwi_power *p, double t, const double q[], const double u[],
                       double *power)
{
  *power = 0;
  double driven = 0;
  lw_status status = p->driven ? driver_power(p, t, q, u, &driven) : LW_OK;
  if (status == LW_OK && p->applied)
    status = lw_power(p->work, t, p->driven ? lwi_dynamics_q(p->dynamics, q) : q, u, power);
  *power += driven;
  return status;
}

lw_status lwi_power_energy(const lwi_power *p, const double q[], const double u[], double energy[2])
{
  return lw_energy(p->work, q, u, &energy[0], &energy[1]);
}
