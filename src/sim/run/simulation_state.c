/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_state.c -- the state at any time of the last step.

   Cut joints count their turns from one state to the next, which is correct as long as they rotate
   by less than half a turn in between.  Steps may be longer: then intermediate states are visited,
   beginning at the last output state. */
#include "sim/run/simulation_data.h"
#include "tree/loops/work.h"

#include <math.h>
#include <string.h>

/* y at t within the last step, or within a singular crossing. */
static lw_status get(lw_simulation *sim, double t, bool rough)
{
  lwi_integrator *it = sim->integrator;
  if (!lwi_singular_crossing_covers(&sim->singular_crossing, t))
    return rough ? it->estimate(it, t, sim->y) : it->get(it, t, sim->y);
  lwi_singular_crossing_get(&sim->singular_crossing, sim->system, t, sim->y);
  return LW_OK;
}

lw_status lwi_simulation_find_y(lw_simulation *sim, double t)
{
  return get(sim, t, false);
}

/* ---- turns of joints that close loops ---- */

/* Upper bound of the angular speed of such a joint in rad/s: the sum of the speeds around its
   loop. */
static double turning(const lw_model *m, const double u[])
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  double most = 0;
  for (int i = 0; i < x->nconstraint && !x->link_system; i++) {
    const lwi_tree_constraint *constraint = &x->constraint[i];
    double sum = 0;
    if (constraint->kind != LWI_TREE_CONSTRAINT_JOINT) continue;
    for (int k = 0; k < constraint->nlink; k++) {
      const lwi_link *L = &m->link[x->link[constraint->link + k]];
      for (int j = 0; j < L->nu; j++)
        sum += fabs(u[m->column_u[L->column + j]]);
    }
    most = fmax(most, sum);
  }
  return most;
}

/* Number of parts of the time to t in which no such joint rotates by more than about a radian. */
static int count_parts(const lw_simulation *sim, double t)
{
  const double most = fmax(sim->turning, turning(sim->m, sim->u)),
               turn = most * fabs(t - sim->shown);
  return 1 + (int)fmin(turn, 1e4);
}

static void restore_turns(lw_simulation *sim)
{
  lw_work *w = sim->system->dynamics->work;
  memcpy(w->kernels->cut_part(w->tree, LWI_CUT_Q), sim->cut_q,
         (size_t)sim->m->ncut_q * sizeof(double));
}

void lwi_simulation_keep_turns(lw_simulation *sim, double t)
{
  lw_work *w = sim->system->dynamics->work;
  if (sim->m->ncut_q == 0) return;
  memcpy(sim->cut_q, w->kernels->cut_part(w->tree, LWI_CUT_Q),
         (size_t)sim->m->ncut_q * sizeof(double));
  sim->shown = t;
  sim->turning = turning(sim->m, sim->u);
}

/* Restores where turns are counted from, since integrators may evaluate other states to find this
   one. */
static lw_status output_at(lw_simulation *sim, double t, bool rough)
{
  lwi_system *s = sim->system;
  lw_status status = lwi_system_stops(s, t) ? LW_E_STOPPED : get(sim, t, rough);
  if (sim->m->ncut_q > 0) restore_turns(sim);
  if (status == LW_OK)
    status = (rough && s->estimate_output ? s->estimate_output : s->project_output)(
        s, lwi_system_time(s, t), sim->y, sim->q, sim->u);
  if (status == LW_OK) return LW_OK;
  return lwi_integrator_fail(sim->integrator, status, "the state cannot be computed: %s",
                             lw_status_text(status));
}

/* Visits an intermediate state and counts turns from there. */
static lw_status visit(lw_simulation *sim, double t, bool rough)
{
  const lw_status status = output_at(sim, t, rough);
  if (status == LW_OK) lwi_simulation_keep_turns(sim, t);
  return status;
}

static lw_status find_state(lw_simulation *sim, double t, bool rough)
{
  lw_status status = output_at(sim, t, rough);
  if (sim->m->ncut_q == 0 || status != LW_OK) return status;
  if (count_parts(sim, t) >
      1) { /* states before the last step are not available; its start is close to the last output
              state */
    if (sim->shown < sim->from && sim->from < t) status = visit(sim, sim->from, rough);
    const double from = sim->shown;
    const int n = count_parts(sim, t);
    for (int k = 1; k < n && status == LW_OK; k++)
      status = visit(sim, from + (t - from) * k / n, rough);
    if (status == LW_OK) status = output_at(sim, t, rough);
  }
  if (status == LW_OK) lwi_simulation_keep_turns(sim, t);
  return status;
}

lw_status lwi_simulation_follow_turns(lw_simulation *sim)
{
  lwi_integrator *it = sim->integrator;
  if (sim->m->ncut_q == 0) return LW_OK;
  lw_status status = it->get(it, it->t, sim->y);
  if (status == LW_OK) status = sim->system->copy_output(sim->system, sim->y, sim->q, sim->u);
  return status != LW_OK || count_parts(sim, it->t) == 1 ? status : find_state(sim, it->t, false);
}

lw_status lwi_simulation_find_state(lw_simulation *sim, double t)
{
  return find_state(sim, t, false);
}

lw_status lwi_simulation_estimate_state(lw_simulation *sim, double t)
{
  return find_state(sim, t, true);
}
