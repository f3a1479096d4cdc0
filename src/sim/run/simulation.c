/* SPDX-License-Identifier: Apache-2.0 */
/* simulation.c -- a model over time: advances an integrator to the requested times, counts its
   steps, and turns its failures into sentences. */
#include "linkwork/simulate.h"
#include "base/fail.h"
#include "sim/run/simulation_data.h"
#include "sim/formulation/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- make ---- */

/* Frees what belongs to the present model. */
static void close_phase(lw_simulation *sim)
{
  if (sim->integrator) sim->integrator->free(sim->integrator);
  lwi_singular_crossing_free(&sim->singular_crossing);
  lwi_singularities_free(&sim->singularities);
  lwi_power_free(&sim->power);
  if (sim->system) sim->system->free(sim->system);
  free(sim->y);
  free(sim->q);
  sim->integrator = NULL;
  sim->system = NULL;
  sim->singular_crossing = (lwi_singular_crossing){0};
  sim->singularities = (lwi_singularities){0};
  sim->y = sim->q = sim->u = sim->cut_q = NULL;
}

void lw_simulation_free(lw_simulation *sim)
{
  if (!sim) return;
  close_phase(sim);
  lwi_events_close(sim);
  free(sim);
}

lw_simulation_options lwi_simulation_phase_options(const lw_simulation *sim, const lw_model *m)
{
  lw_simulation_options o = sim->options;
  if (m->clusters.locked) o.loops = LW_LOOPS_AUTO;
  return o;
}

lwi_system *lwi_simulation_system(lw_simulation *sim, const lw_model *m, lw_error *err)
{
  const lw_simulation_options o = lwi_simulation_phase_options(sim, m);
  lwi_system *s =
      sim->hooks ? sim->hooks->open(sim->hooks, m, &o, err) : lwi_joint_system_new(m, &o, err);
  if (s) s->span = sim->switches.span, s->interrupt = &sim->interrupt;
  return s;
}

/* system: that of m if it exists already. */
static lw_status open_phase(lw_simulation *sim, const lw_model *m, lwi_system *system,
                            lw_error *err)
{
  sim->m = m;
  sim->system = system ? system : lwi_simulation_system(sim, m, err);
  if (!sim->system) return err ? err->status : LW_E_MEMORY;
  sim->options.formulation = lw_dynamics_formulation(sim->system->dynamics);
  sim->y = malloc((2 * (size_t)sim->system->n + 1) * sizeof *sim->y);
  sim->q = calloc((size_t)(lw_nq_all(m) + lw_nu_all(m) + m->ncut_q + 1), sizeof *sim->q);
  sim->integrator = lwi_integrator_new(sim->system, &sim->options);
  if (!sim->y || !sim->q || !sim->integrator ||
      !lwi_singular_crossing_init(&sim->singular_crossing, sim->system) ||
      !lwi_singularities_init(&sim->singularities, sim->system))
    return lwi_fail(err, LW_E_MEMORY, "out of memory for the integration of %d numbers",
                    lw_nq(m) + lw_nu(m));
  sim->u = sim->q + lw_nq_all(m);
  sim->cut_q = sim->u + lw_nu_all(m);
  sim->system->failed_y = sim->y + sim->system->n;
  const lw_simulation_options o = lwi_simulation_phase_options(sim, m);
  return lwi_power_init(&sim->power, m, sim->system->n, &o, err);
}

static lw_status begin(lw_simulation *sim, double t, const double q[], const double u[],
                       lw_error *err);

/* Passes on what is known of the motion: step size and stiffness. */
static void pass_history(const lwi_integrator *from, lwi_integrator *to)
{
  const double pace = fmax(from->next, from->pace);
  to->stiff = from->stiff;
  to->pace = pace;
}

/* Clears what belongs to the present model, for another one; the singular configurations found are
   kept. */
static void clear_phase(lw_simulation *sim)
{
  lwi_singularities kept = {.n = sim->singularities.n,
                            .capacity = sim->singularities.capacity,
                            .found = sim->singularities.found};
  sim->integrator = NULL;
  sim->system = NULL;
  sim->singular_crossing = (lwi_singular_crossing){0};
  sim->singularities = kept;
  sim->power = (lwi_power){0};
  sim->y = sim->q = sim->u = sim->cut_q = NULL;
}

lw_status lwi_simulation_go_over(lw_simulation *sim, const lw_model *m, lwi_system *system,
                                 double t, const double q[], const double u[], lw_error *err)
{
  const lw_simulation_statistics counted = lw_simulation_report(sim);
  const bool other = m != sim->m;
  lw_simulation before = *sim;
  if (other) clear_phase(sim);
  lw_status status = other ? open_phase(sim, m, system, err) : LW_OK;
  if (other) lwi_switches_follow(&sim->switches, m, t);
  if (status == LW_OK) pass_history(before.integrator, sim->integrator);
  if (status == LW_OK) status = begin(sim, t, q, u, err);
  if (status == LW_OK)
    status =
        lwi_singularities_begin_anew(&sim->singularities, m, t, sim->y, sim->y + lw_nq(m), err);
  sim->singularities.n = before.singularities.n;
  if (other) {
    lw_simulation *old =
        status == LW_OK ? &before : sim; /* the list belongs to the one that continues */
    old->singularities.found = NULL;
    close_phase(old);
  }
  if (status != LW_OK && other) {
    *sim = before;
    return status;
  }
  sim->report = counted;
  sim->wanted = before.wanted;
  return status;
}

static lw_status create(lw_simulation *sim, const lw_model *m, lw_error *err)
{
  lw_status status = lwi_options_complete(m, &sim->options, err);
  if (status == LW_OK) status = open_phase(sim, m, NULL, err);
  if (status == LW_OK) status = lwi_events_open(sim, err);
  if (status != LW_OK) return status;
  lw_initial_state(m, sim->q, sim->u);
  const lw_status closed =
      lw_assemble(lw_dynamics_work(sim->system->dynamics), 0, sim->q, sim->u, err);
  return closed != LW_OK ? closed : lw_simulation_start(sim, 0, sim->q, sim->u, err);
}

lw_status lwi_simulation_new_with(const lw_model *m, const lw_simulation_options *options,
                                  lwi_simulation_hooks *hooks, lw_simulation **out, lw_error *err)
{
  lw_simulation *sim = *out = calloc(1, sizeof *sim);
  if (!sim) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  if (options) sim->options = *options;
  sim->hooks = hooks;
  return m ? create(sim, m, err) : lwi_fail(err, LW_E_ARG, "no model");
}

lw_simulation *lw_simulation_new(const lw_model *m, const lw_simulation_options *options,
                                 lw_error *err)
{
  lw_simulation *sim;
  if (lwi_simulation_new_with(m, options, NULL, &sim, err) == LW_OK) return sim;
  lw_simulation_free(sim);
  return NULL;
}

/* ---- output times ---- */

/* Full output steps before the end; a last one that differs only by rounding is the end itself. */
long lw_simulation_rows(const lw_simulation *sim)
{
  if (!sim) return 0;
  return 1 + (long)ceil(sim->options.end / sim->options.output_step * (1 - 1e-9));
}

double lw_simulation_row_time(const lw_simulation *sim, long row)
{
  if (!sim) return NAN;
  const bool last = row >= lw_simulation_rows(sim) - 1;
  const double t = last ? sim->options.end : (double)row * sim->options.output_step;
  return lwi_triggers_near(&sim->triggers, t, 1e-9 * sim->options.output_step);
}

/* ---- go ---- */

/* Measures the distance of the state of the last update_rank from singular configurations. */
static void measure(lw_simulation *sim, double t)
{
  const lw_model *m = sim->system->m;
  const double *y = sim->system->rank_state ? sim->system->rank_state : sim->y;
  lwi_singularities_measure(&sim->singularities, m, t, y, y + lw_nq(m));
}

/* Is the mass matrix singular?  Then err names the joint. */
static bool explain_singular(const lw_model *m, double t, const double q[], const double u[],
                             lw_error *err)
{
  lw_work *w = lw_work_new(m);
  double *udot = malloc(((size_t)lw_nu(m) + 1) * sizeof *udot);
  const bool singular = w && udot && lw_forward_dynamics(w, t, q, u, NULL, udot) == LW_E_SINGULAR;
  if (singular) lw_explain(w, t, q, u, LW_E_SINGULAR, NULL, err);
  free(udot);
  lw_work_free(w);
  return singular;
}

/* Reports which joint or constraint keeps the loops open. */
static lw_status explain_open(lw_simulation *sim, double t, lw_error *err)
{
  const lwi_power *p = &sim->power;
  if (sim->system->copy_output(sim->system, sim->y, p->q, p->u) == LW_OK &&
      lw_assemble(p->work, t, p->q, p->u, err) != LW_OK)
    return LW_E_NOT_CONVERGED;
  return lwi_fail(err, LW_E_NOT_CONVERGED,
                  "the loops cannot be closed at the state to start from, t = %.10g", t);
}

/* Starts from a state of the present model; resets the report. */
static lw_status begin(lw_simulation *sim, double t, const double q[], const double u[],
                       lw_error *err)
{
  lwi_system *s = sim->system;
  if (!isfinite(t)) return lwi_fail(err, LW_E_NUMBER, "the start time is not finite");
  if (!lwi_all_finite(q, lw_nq(s->m)) || !lwi_all_finite(u, lw_nu(s->m)))
    return lwi_fail(err, LW_E_NUMBER, "the state to start from is not finite");
  lw_status status = s->begin(s, lwi_system_time(s, t), q, u, sim->y);
  if (status == LW_E_NUMBER)
    return lwi_fail(err, LW_E_NUMBER, "the state to start from has a zero quaternion");

  sim->renewed = sim->crept = t;
  sim->creeping = sim->approaching = 0;
  sim->chatters = false;
  if (status == LW_OK) status = s->update_rank(s, lwi_system_time(s, t), sim->y, 0);
  if (status == LW_OK) status = s->project_output(s, lwi_system_time(s, t), sim->y, NULL, NULL);
  if (status == LW_E_MEMORY) return lwi_fail(err, status, "%s", lw_status_text(status));
  if (status != LW_OK && explain_singular(s->m, t, q, u, err)) return LW_E_SINGULAR;
  if (status != LW_OK && s->reason) return lwi_fail(err, status, "%s", s->reason);
  if (status == LW_E_UNSUPPORTED)
    return lwi_fail(err, status,
                    "too many loops in series for exact derivatives; those of nearby models "
                    "(--differences) are possible");
  if (status == LW_E_SINGULAR)
    return lw_explain(s->dynamics->work, t, q, u, status, "at the state to start from", err);
  if (status != LW_OK) return explain_open(sim, lwi_system_time(s, t), err);

  if (s->copy_output(s, sim->y, sim->q, sim->u) == LW_OK) lwi_simulation_keep_turns(sim, t);
  sim->wanted = t;
  lwi_singular_crossing_reset(&sim->singular_crossing, t);
  sim->singularities.n = 0;
  measure(sim, t);
  lwi_singularities_begin(&sim->singularities);
  sim->report = (lw_simulation_statistics){0};
  s->evaluations = 0;
  status = sim->integrator->start(sim->integrator, t, sim->y);
  if (status != LW_OK)
    return lwi_fail(err, status, "the integration cannot start: %s", sim->integrator->reason);
  return LW_OK;
}

lw_status lw_simulation_start(lw_simulation *sim, double t, const double q[], const double u[],
                              lw_error *err)
{
  if (!sim || (sim->m->nq && !q) || (sim->m->nu && !u))
    return lwi_fail(err, LW_E_ARG, "lw_simulation_start: an argument is missing");
  sim->integrator->pace = 0;
  sim->integrator->stiff = HUGE_VAL;
  sim->interrupt.came = false;
  lwi_switches_reset(&sim->switches, t);
  lwi_switches_follow(&sim->switches, sim->m, t);
  lwi_contacts_reset(&sim->contacts);
  const lw_status status = begin(sim, t, q, u, err);
  if (status == LW_OK) lwi_balance_start(sim, t);
  return status == LW_OK ? lwi_events_restart(sim, t, err) : status;
}

static void count_step(lw_simulation_statistics *r, double h)
{
  r->last_step = h;
  r->smallest_step = r->steps == 0 || h < r->smallest_step ? h : r->smallest_step;
  r->largest_step = h > r->largest_step ? h : r->largest_step;
  r->steps++;
}

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
  measure(sim, it->t);
  lwi_singular_crossing_note(&sim->singular_crossing, it->t, sim->singularities.now.r);
  return LW_OK;
}

/* Projects y, so that it satisfies all constraints. */
static lw_status project_output(lw_simulation *sim, double t)
{
  return sim->system->project_output(sim->system, lwi_system_time(sim->system, t), sim->y, NULL,
                                     NULL);
}

/* Crosses a singular configuration. */
static lw_status cross_singularity(lw_simulation *sim, double to)
{
  lwi_integrator *it = sim->integrator;
  lw_status status = it->get(it, it->t, sim->y);
  if (status == LW_OK) status = project_output(sim, it->t);
  if (status == LW_OK)
    status = lwi_singular_crossing_cross(&sim->singular_crossing, sim->system, to, sim->y);
  if (status == LW_OK) status = project_output(sim, to);
  if (status == LW_OK)
    status = lwi_singular_crossing_fill(&sim->singular_crossing, sim->system, sim->y);
  if (status == LW_OK) status = it->start(it, to, sim->y);
  if (status == LW_OK) return update_rank(sim);
  return lwi_integrator_fail(it, status, "a singular configuration cannot be passed: %s",
                             lw_status_text(status));
}

/* The error of a step that made no progress. */
static lw_status explain_stuck(lw_simulation *sim, long failures)
{
  /* the step size vanished: because the forces do not exist beyond, or to meet the tolerance */
  const bool failed = sim->system->failures > failures;
  const lw_status why = failed ? sim->system->failure : LW_E_NOT_CONVERGED;
  return lwi_integrator_fail(sim->integrator, why, "%s",
                             failed ? lwi_failure_text(why) : "the steps became too short");
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
  return status == LW_OK ? explain_stuck(sim, failures) : status;
}

/* Shortly before a time where drivers or forces may grow without bound. */
static bool is_before_switch(const lw_simulation *sim)
{
  const double next = sim->switches.next, t = sim->integrator->t;
  return isfinite(next) && t > next - 0.1 * fabs(next);
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
  sim->approaching = is_before_switch(sim) ? sim->approaching + 1 : 0;
  lwi_failing_part pole;
  if (sim->approaching > MANY && lwi_switches_find_pole(&sim->switches, sim->m, &pole))
    return lwi_integrator_fail(sim->integrator, LW_E_NOT_CONVERGED, "the steps became too short");
  if (++sim->creeping <= MANY) return LW_OK;
  sim->chatters = true;
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
  const bool pass = lwi_singular_crossing_is_due(&sim->singular_crossing, &to) && to <= stop;
  const lw_status status = pass ? cross_singularity(sim, to) : step_towards(sim, t, stop);
  if (status != LW_OK) return status;
  if (it->t > before) {
    count_step(&sim->report, it->t - before);
    lwi_balance_step(sim, before);
  }
  if (sim->callback && sim->callback(sim->context, it->t) != 0)
    return lwi_integrator_fail(it, LW_E_STOPPED, "%s", lw_status_text(LW_E_STOPPED));
  return watch_pace(sim);
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
    lwi_events_before_step(sim);
    if (status == LW_OK) status = advance_step(sim, t);
    if (status == LW_OK) status = lwi_events_look(sim);
    if (status == LW_OK) status = lwi_contacts_look(sim);
    if (status == LW_OK && sim->hooks)
      status = sim->hooks->look(sim->hooks, fmin(it->t, lwi_events_next(sim)));
    if (status == LW_OK) status = lwi_singularities_look(sim, fmin(it->t, lwi_events_next(sim)));
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
