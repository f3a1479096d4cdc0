/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_state.c -- the state at any time of the last step.

   Cut joints count their turns from one state to the next, which is correct as long as they rotate
   by less than half a turn in between.  Steps may be longer: then intermediate states are visited,
   beginning at the last output state.  The outer angles of a gimbal turn faster than its bodies, in
   inverse proportion to the distance from gimbal lock: rotations in between are at most a part of
   that distance.  One that passes closer than CLOSE counts as passing through it, where the angles
   go on as they are.  Torsions are followed in the same way (tree/recursion/torsions.h). */
#include "sim/run/simulation_data.h"
#include "tree/loops/explain.h"
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

/* Upper bound of the angular speed of such a joint in rad/s: the sum of the angular speeds around
   its loop. */
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
      const lw_joint_info *joint = &m->joint[L->joint].info;
      for (int j = 0; j < joint->nu; j++)
        if (lwi_joint_turns(joint->type, m->planar, j)) sum += fabs(u[joint->u + j]);
    }
    most = fmax(most, sum);
  }
  return most;
}

#define CLOSE 1e-3 /* rad */

/* How far such joints may rotate from the last output state to the next one, in radians. */
static double rotation_allowed(const lw_simulation *sim)
{
  const lw_model *m = sim->m;
  double least = 1;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut || !lwi_joint_locks(j->info.type)) continue;
    const double lock = lwi_joint_lock(&j->shape, sim->cut_q + (j->info.q_all - m->nq));
    least = fmin(least, fmax(0.4 * fabs(lock), CLOSE));
  }
  return least;
}

/* Number of parts of the time to t in which such joints rotate by no more than that; ahead: their
   speed at t. */
static int count_parts(const lw_simulation *sim, double t, double ahead)
{
  const double turn = fmax(sim->turning, ahead) * fabs(t - sim->shown) / rotation_allowed(sim);
  return 1 + (int)fmin(turn, 1e4);
}

void lwi_simulation_keep_turns(lw_simulation *sim, double t)
{
  lw_work *w = sim->system->dynamics->work;
  if (sim->m->ncut_q == 0) return;
  memcpy(sim->cut_q, w->kernels->part(w->tree, LWI_CUT_Q), (size_t)sim->m->ncut_q * sizeof(double));
  sim->shown = t;
  sim->turning = turning(sim->m, sim->u);
}

/* Restores where turns are counted from, since integrators may evaluate other states to find this
   one. */
static lw_status output_at(lw_simulation *sim, double t, bool rough)
{
  lwi_system *s = sim->system;
  lw_status status = lwi_system_stops(s, t) ? LW_E_STOPPED : get(sim, t, rough);
  const lw_work *w = s->dynamics->work;
  if (sim->m->ncut_q > 0)
    memcpy(w->kernels->part(w->tree, LWI_CUT_Q), sim->cut_q,
           (size_t)sim->m->ncut_q * sizeof(double));
  if (status == LW_OK)
    status = (rough && s->estimate_output ? s->estimate_output : s->project_output)(
        s, lwi_system_time(s, t), sim->y, sim->q, sim->u);
  lwi_failing_part why = {0};
  if (status == LW_OK && sim->m->ncut_q > 0 &&
      lwi_explain_lock(sim->m, s->dynamics->work, sim->q, sim->u, LWI_AT_LOCK, &why))
    status = LW_E_SINGULAR;
  if (status == LW_OK) return LW_OK;
  return lwi_integrator_fail(sim->integrator, status, "the state cannot be computed: %s",
                             why.text[0] ? why.text : lw_status_text(status));
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
  const double ahead = turning(sim->m, sim->u);
  int n = count_parts(sim, t, ahead);
  if (n > 1) {
    /* states before the last step are not available; its start is close to the last output state */
    if (sim->shown < sim->from && sim->from < t) status = visit(sim, sim->from, rough);
    while (status == LW_OK && (n = count_parts(sim, t, ahead)) > 1)
      status = visit(sim, sim->shown + (t - sim->shown) / n, rough);
    if (status == LW_OK) status = output_at(sim, t, rough);
  }
  if (status == LW_OK) lwi_simulation_keep_turns(sim, t);
  return status;
}

/* Follows the torsions to t, in the work that balances energy, since the other one is in use;
   *change: as follow_torsions says. */
static lw_status follow_torsions_to(lw_simulation *sim, double t, double most, double *change)
{
  lw_work *w = sim->power.work, *own = sim->system->dynamics->work;
  lw_status status = get(sim, t, false);
  if (status == LW_OK) status = sim->system->copy_output(sim->system, sim->y, sim->q, sim->u);
  if (status != LW_OK) return status;
  lwi_work_follow(sim->m, own, w);
  w->kernels->kinematics(sim->m, w->tree, sim->q, sim->u);
  w->stage = LWI_STAGE_NOTHING;
  *change = w->kernels->follow_torsions(sim->m, w->tree, most);
  lwi_work_follow(sim->m, w, own);
  return LW_OK;
}

/* Follows the torsions to t within the last step, in parts in which none turns by more than 1 rad
   beyond what the angles count: where the axes are almost opposite, half a turn may take almost no
   time. */
static lw_status follow_torsions(lw_simulation *sim, double t)
{
  const double shortest = 1e-6 * (t - sim->followed);
  if (sim->m->ntorsion == 0) return LW_OK;
  for (double to = t; sim->followed < t;) {
    double change = 0;
    const double middle = 0.5 * (sim->followed + to);
    const bool whole = !(to - sim->followed > shortest && middle > sim->followed && middle < to);
    const lw_status status = follow_torsions_to(sim, to, whole ? HUGE_VAL : 1, &change);
    if (status != LW_OK) return status;
    if (whole || change <= 1) {
      sim->followed = to;
      to = t;
    } else {
      to = middle;
    }
  }
  return LW_OK;
}

lw_status lwi_simulation_follow_turns(lw_simulation *sim)
{
  lwi_integrator *it = sim->integrator;
  const lw_status followed = follow_torsions(sim, it->t);
  if (sim->m->ncut_q == 0 || followed != LW_OK) return followed;
  lw_status status = it->get(it, it->t, sim->y);
  if (status == LW_OK) status = sim->system->copy_output(sim->system, sim->y, sim->q, sim->u);
  const bool near = status == LW_OK && count_parts(sim, it->t, turning(sim->m, sim->u)) == 1;
  return status != LW_OK || near ? status : find_state(sim, it->t, false);
}

lw_status lwi_simulation_find_state(lw_simulation *sim, double t)
{
  const lw_status status = follow_torsions(sim, t);
  return status == LW_OK ? find_state(sim, t, false) : status;
}

lw_status lwi_simulation_estimate_state(lw_simulation *sim, double t)
{
  return find_state(sim, t, true);
}
