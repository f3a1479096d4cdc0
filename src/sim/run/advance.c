/* SPDX-License-Identifier: Apache-2.0 */
/* advance.c -- a simulation goes on: steps of the integrator, rank updates and singular
   configurations between them, events as they come, until the state at the requested time is
   known. */
#include "linkwork/simulate.h"
#include "base/fail.h"
#include "sim/run/simulation_data.h"

#include <string.h>

/* ---- between steps ---- */

/* Between steps: decides the rank of the constraints and measures the distance from singular
   configurations. */
static lw_status update_rank(lw_simulation *sim)
{
  lwi_integrator *it = sim->integrator;
  lwi_system *s = sim->system;
  if (!s->updates_rank) return LW_OK;
  lw_status status = it->get(it, it->t, sim->y);
  if (status == LW_OK) status = s->update_rank(s, lwi_system_time(s, it->t), sim->y, it->next);
  if (status != LW_OK)
    return lwi_integrator_fail(it, status, "the loops cannot be closed: %s",
                               lw_status_text(status));
  lwi_simulation_measure(sim, it->t);
  lwi_singular_crossing_note(&sim->singular_crossing, it->t, sim->singularities.r);
  return LW_OK;
}

/* Projects y, so that it satisfies all constraints. */
static lw_status project_output(lw_simulation *sim, double t)
{
  return sim->system->project_output(sim->system, lwi_system_time(sim->system, t), sim->y, NULL,
                                     NULL);
}

/* Starts again at y, which satisfies the constraints. */
static lw_status begin_projected(lw_simulation *sim, const double y[])
{
  lwi_integrator *it = sim->integrator;
  memcpy(sim->y, y, (size_t)sim->system->n * sizeof(double));
  const lw_status status = it->start(it, it->t, sim->y);
  return status == LW_OK ? update_rank(sim) : status;
}

/* Crosses a singular configuration.  *smooth: the motion is smooth across it; if not, ordinary steps
   begin anew at a state that satisfies the constraints: near a singular configuration what y is off
   them counts as much more. */
static lw_status cross_singularity(lw_simulation *sim, double to, bool *smooth)
{
  lwi_integrator *it = sim->integrator;
  lw_status status = it->get(it, it->t, sim->y);
  if (status == LW_OK) status = project_output(sim, it->t);
  if (status == LW_OK)
    status = lwi_singular_crossing_cross(&sim->singular_crossing, sim->system, to, sim->y);
  *smooth = status != LW_E_NOT_CONVERGED;
  if (!*smooth) return begin_projected(sim, sim->singular_crossing.y);
  if (status == LW_OK)
    status = lwi_singular_crossing_fill(&sim->singular_crossing, sim->system, sim->y);
  if (status == LW_OK) status = it->start(it, to, sim->y);
  if (status == LW_OK) return update_rank(sim);
  return lwi_integrator_fail(it, status, "a singular configuration cannot be passed: %s",
                             lw_status_text(status));
}

/* After a failure with closed loops the integrator restarts once, at a state that satisfies the
   constraints.  That removes the residual, which may be large compared with speeds near zero. */
static lw_status restart_projected(lw_simulation *sim)
{
  lwi_integrator *it = sim->integrator;
  sim->renewed = it->t;
  lw_status status = it->get(it, it->t, sim->y);
  if (status == LW_OK) status = project_output(sim, it->t);
  if (status == LW_OK) status = it->start(it, it->t, sim->y);
  return status == LW_OK ? update_rank(sim) : status;
}

lw_status lwi_simulation_restart(lw_simulation *sim, double t)
{
  lwi_integrator *it = sim->integrator;
  it->pace = fmax(it->next, it->pace);
  const lw_status status = it->start(it, t, sim->y);
  return status == LW_OK ? update_rank(sim) : status;
}

/* A step of the integrator towards t, not beyond stop. */
static lw_status step_towards(lw_simulation *sim, double t, double stop)
{
  lwi_integrator *it = sim->integrator;
  const double before = it->t,
               limit = fmin(stop, lwi_singular_crossing_limit(&sim->singular_crossing));
  const long failures = sim->system->failures;
  it->pace = it->next; /* a step that ends at an event says little about the next one */
  const lw_status status = it->step(it, fmin(t, limit), limit);
  if (status == LW_OK && it->t > before && it->fixed) {
    const lw_status rank_state = update_rank(sim);
    if (rank_state == LW_OK) lwi_events_note_evaluation(sim);
    return rank_state;
  }
  if (status == LW_OK && it->t > before) {
    lwi_events_note_evaluation(sim);
    return update_rank(sim);
  }
  const bool off = sim->system->updates_rank && sim->system->failures == failures &&
                   it->t > sim->renewed + 1e-9 * fabs(it->t);
  if ((status == LW_OK || status == LW_E_NOT_CONVERGED) && off) return restart_projected(sim);
  if (status != LW_OK) return status;
  /* the step size vanished: because the forces do not exist beyond, or to meet the tolerance */
  const bool failed = sim->system->failures > failures;
  const lw_status why = failed ? sim->system->failure : LW_E_NOT_CONVERGED;
  return lwi_integrator_fail(it, why, "%s",
                             failed ? lwi_failure_text(why) : "the steps became too short");
}

/* Will a driver or force be too large for a number before the end of the run, while steps advance
   by less than a hundredth of the time until then? */
static bool approaches_overflow(lw_simulation *sim)
{
  enum { SOME = 5000 };
  const double t = sim->integrator->t, before = sim->paced;
  lwi_failing_part unused;
  if (sim->report.steps % SOME != 0) return false;
  const double end = lwi_switches_overflow(sim->m, t, sim->options.end, &unused);
  sim->paced = t;
  return end < HUGE_VAL && 100 * (t - before) < end - t;
}

/* Detects a run that would practically never end: near configurations that cannot be crossed,
   rounding errors of derivatives may shorten steps more and more, but never to zero. */
static lw_status watch_pace(lw_simulation *sim)
{
  enum { MANY = 20000 };
  const double t = sim->integrator->t;
  if (t > sim->crept + 1e-6 * sim->options.end) {
    sim->crept = t;
    sim->creeping = 0;
  }
  /* shortly before a time where drivers or forces may grow without bound */
  const double next = sim->switches.next;
  const bool close = isfinite(next) && t > next - 0.1 * fabs(next);
  sim->approaching = close ? sim->approaching + 1 : 0;
  lwi_failing_part pole;
  if (approaches_overflow(sim) ||
      (sim->approaching > MANY && lwi_switches_find_pole(&sim->switches, sim->m, &pole)))
    return lwi_integrator_fail(sim->integrator, LW_E_NOT_CONVERGED, "the steps became too short");
  if (++sim->creeping <= MANY) return LW_OK;
  sim->chatters = true;
  const lwi_state_switch *load = lwi_events_find_chatter(sim);
  if (load)
    return lwi_integrator_fail(sim->integrator, LW_E_NOT_CONVERGED, LWI_CHATTER_TEXT, load->name);
  return lwi_integrator_fail(sim->integrator, LW_E_NOT_CONVERGED,
                             "%d steps since t = %.9g: the motion, or its derivatives, may be "
                             "unbounded here",
                             MANY, sim->crept);
}

/* One step towards t.  The integration does not go beyond the end, or beyond its next multiple if
   the caller continues: forces may not exist there. */
static lw_status advance_step(lw_simulation *sim, double wanted)
{
  lwi_integrator *it = sim->integrator;
  const double end = sim->options.end, before = it->t, next = lwi_events_next(sim);
  const double t = fmin(wanted, next), far = fmax(t, end * fmax(1, ceil(t / end)));
  const double stop = fmin(next, far);
  double to;
  bool passed = lwi_singular_crossing_is_due(&sim->singular_crossing, &to) && to <= stop;
  lw_status status = passed ? cross_singularity(sim, to, &passed) : LW_OK;
  if (status == LW_OK && !passed) status = step_towards(sim, t, stop);
  if (status != LW_OK) return status;
  if (it->t > before) {
    lw_simulation_statistics *r = &sim->report;
    const double h = it->t - before;
    r->last_step = h;
    r->smallest_step = r->steps == 0 || h < r->smallest_step ? h : r->smallest_step;
    r->largest_step = h > r->largest_step ? h : r->largest_step;
    r->steps++;
    lwi_balance_step(sim, before);
  }
  if (sim->callback && sim->callback(sim->context, it->t) != 0)
    return lwi_integrator_fail(it, LW_E_STOPPED, "%s", lw_status_text(LW_E_STOPPED));
  return watch_pace(sim);
}

/* Finds the singular configurations of the last step. */
static lw_status look_for_singular(lw_simulation *sim)
{
  const lwi_singularities *x = &sim->singularities;
  const int before = x->n;
  lw_status status = lwi_singularities_look(sim, fmin(sim->integrator->t, lwi_events_next(sim)));
  for (int i = before; i < x->n && status == LW_OK && sim->hooks; i++)
    status = sim->hooks->pass_singular(sim->hooks, x->found[i].time);
  return status;
}

/* Takes steps and events until the state at t is available. */
static lw_status reach(lw_simulation *sim, double t, lw_error *err)
{
  for (;;) {
    lw_status status;
    if (sim->over) return lwi_fail(err, LW_E_STOPPED, "stopped at t = %.10g", sim->wanted);
    status = lwi_events_look_ahead(sim, err);
    if (status != LW_OK) return status;
    if (sim->contacts.check || lwi_events_next(sim) <= fmin(t, sim->integrator->t)) {
      status = lwi_events_fire(sim, err);
      if (status != LW_OK) return status;
      continue;
    }
    if (sim->integrator->t >= t) return LW_OK;
    lwi_integrator *it = sim->integrator;
    status = lwi_simulation_follow_turns(sim);
    if (status == LW_OK) lwi_held_loads_update(sim);
    lwi_events_before_step(sim);
    if (status == LW_OK) status = advance_step(sim, t);
    if (status == LW_OK) status = lwi_events_look(sim);
    if (status == LW_OK) status = lwi_contacts_look(sim);
    if (status == LW_OK && sim->hooks)
      status = sim->hooks->look(sim->hooks, fmin(it->t, lwi_events_next(sim)));
    if (status == LW_OK) status = look_for_singular(sim);
    if (status != LW_OK) return lwi_simulation_explain(sim, status, err);
  }
}

static lw_status advance(lw_simulation *sim, double t, double q[], double u[], lw_error *err)
{
  if (!isfinite(t) || t < sim->wanted)
    return lwi_fail(err, LW_E_ARG, "cannot go from t = %g to t = %g: time goes forward",
                    sim->wanted, t);
  lw_status status = reach(sim, t, err);
  if (status != LW_OK) return status;
  status = lwi_simulation_find_state(sim, t);
  if (status != LW_OK)
    return lwi_fail(err, status, "the integration stopped at t = %.10g: %s", sim->integrator->t,
                    sim->integrator->reason);
  sim->wanted = t;
  const int nq = lw_nq(sim->m), nu = lw_nu(sim->m);
  if (nq > 0 && q) memcpy(q, sim->q, (size_t)nq * sizeof(double));
  if (nu > 0 && u) memcpy(u, sim->u, (size_t)nu * sizeof(double));
  return LW_OK;
}

/* After an interrupt the status is LW_E_STOPPED, whatever failed because of it. */
lw_status lw_simulation_advance(lw_simulation *sim, double t, double q[], double u[], lw_error *err)
{
  if (!sim) return lwi_fail(err, LW_E_ARG, "lw_simulation_advance: an argument is missing");
  if (err) *err = (lw_error){.status = LW_OK};
  const lw_status status = sim->interrupt.came ? LW_E_STOPPED : advance(sim, t, q, u, err);
  if (!sim->interrupt.came) return status;
  return lwi_fail(err, LW_E_STOPPED, "interrupted at t = %.10g", sim->wanted);
}
