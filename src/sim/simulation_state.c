/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_state.c -- the state at any time of the last step. */
#include "sim/simulation_data.h"

/* y at t within the last step, or across a singular configuration */
static lw_status get(lw_simulation *sim, double t, bool rough)
{
  lwi_integrator *it = sim->integrator;
  if (!lwi_passage_covers(&sim->passage, t))
    return rough ? it->estimate(it, t, sim->y) : it->get(it, t, sim->y);
  lwi_passage_get(&sim->passage, sim->system, t, sim->y);
  return LW_OK;
}

lw_status lwi_simulation_find_y(lw_simulation *sim, double t)
{
  return get(sim, t, false);
}

static lw_status find_state(lw_simulation *sim, double t, bool rough)
{
  lwi_system *s = sim->system;
  lw_status status = get(sim, t, rough);
  if (status == LW_OK)
    status = (rough && s->glimpse ? s->glimpse : s->show)(s, lwi_system_time(s, t), sim->y, sim->q,
                                                          sim->u);
  if (status == LW_OK) return LW_OK;
  return lwi_integrator_fail(sim->integrator, status, "the state cannot be given: %s",
                             lw_status_text(status));
}

lw_status lwi_simulation_find_state(lw_simulation *sim, double t)
{
  return find_state(sim, t, false);
}

lw_status lwi_simulation_estimate_state(lw_simulation *sim, double t)
{
  return find_state(sim, t, true);
}
