/* SPDX-License-Identifier: Apache-2.0 */
/* simulation.c -- a model over time: what is made for it, how it starts, and how it goes over to
   the model of another phase.  advance.c takes the steps. */
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
  lwi_held_loads_free(sim);
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
      !lwi_singular_crossing_init(&sim->singular_crossing, sim->system, &sim->options) ||
      !lwi_singularities_init(&sim->singularities, sim->system))
    return lwi_fail(err, LW_E_MEMORY, "out of memory for the integration of %d numbers",
                    lw_nq(m) + lw_nu(m));
  sim->u = sim->q + lw_nq_all(m);
  sim->cut_q = sim->u + lw_nu_all(m);
  sim->system->failed_y = sim->y + sim->system->n;
  const lw_simulation_options o = lwi_simulation_phase_options(sim, m);
  return lwi_power_init(&sim->power, m, sim->system->n, &o, err);
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
  if (status == LW_OK) { /* what is known of the motion goes on: step size and stiffness */
    const double pace = fmax(before.integrator->next, before.integrator->pace);
    sim->integrator->stiff = before.integrator->stiff;
    sim->integrator->pace = pace;
  }
  if (status == LW_OK) status = lwi_simulation_begin(sim, t, q, u, err);
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

/* In the state in which the model starts. */
static lw_status start_model(lw_simulation *sim, double t, lw_error *err)
{
  lw_initial_state(sim->m, sim->q, sim->u);
  const lw_status closed =
      lw_close_loops(lw_dynamics_work(sim->system->dynamics), t, sim->q, sim->u, err);
  return closed != LW_OK ? closed : lw_simulation_start(sim, t, sim->q, sim->u, err);
}

lw_status lwi_simulation_make_anew(lw_simulation *sim, lw_error *err)
{
  const lw_simulation kept = *sim;
  lwi_held_loads_free(sim);
  close_phase(sim);
  lwi_events_forget(sim);
  *sim = (lw_simulation){.options = kept.options,
                         .first = kept.first,
                         .phase = kept.phase,
                         .own = kept.own,
                         .previous = kept.previous,
                         .has_previous = kept.has_previous,
                         .present = kept.present,
                         .transitions = kept.transitions,
                         .texts = kept.texts,
                         .callback = kept.callback,
                         .context = kept.context,
                         .interrupt = kept.interrupt,
                         .on_event = kept.on_event,
                         .event_context = kept.event_context};
  lw_status status = open_phase(sim, kept.m, NULL, err);
  if (status == LW_OK) status = lwi_events_watch(sim, err);
  return status == LW_OK ? start_model(sim, kept.phase ? kept.present->time : 0, err) : status;
}

lw_status lwi_simulation_new_with(const lw_model *m, const lw_simulation_options *options,
                                  lwi_simulation_hooks *hooks, lw_simulation **out, lw_error *err)
{
  lw_simulation *sim = *out = calloc(1, sizeof *sim);
  if (!sim) return lwi_out_of_memory(err, NULL);
  if (options) sim->options = *options;
  sim->hooks = hooks;
  if (!m) return lwi_fail(err, LW_E_ARG, "no model");
  lw_status status = lwi_options_complete(m, &sim->options, err);
  if (status == LW_OK) status = open_phase(sim, m, NULL, err);
  if (status == LW_OK) status = lwi_events_open(sim, err);
  return status == LW_OK ? start_model(sim, 0, err) : status;
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

/* ---- start ---- */

void lwi_simulation_measure(lw_simulation *sim, double t)
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
      lw_close_loops(p->work, t, p->q, p->u, err) != LW_OK)
    return LW_E_NOT_CONVERGED;
  return lwi_fail(err, LW_E_NOT_CONVERGED,
                  "the loops cannot be closed at the state to start from, t = %.10g", t);
}

lw_status lwi_simulation_begin(lw_simulation *sim, double t, const double q[], const double u[],
                               lw_error *err)
{
  lwi_system *s = sim->system;
  lwi_held_loads_release(sim);
  if (!isfinite(t)) return lwi_fail(err, LW_E_NUMBER, "the start time is not finite");
  if (!lwi_all_finite(q, lw_nq(s->m)) || !lwi_all_finite(u, lw_nu(s->m)))
    return lwi_fail(err, LW_E_NUMBER, "the state to start from is not finite");
  lw_status status = s->begin(s, lwi_system_time(s, t), q, u, sim->y);
  if (status == LW_E_NUMBER)
    return lwi_fail(err, LW_E_NUMBER, "the state to start from has a zero quaternion");

  sim->renewed = sim->crept = sim->paced = t;
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
  sim->wanted = sim->followed = t;
  lwi_singular_crossing_reset(&sim->singular_crossing, t);
  sim->singularities.n = 0;
  lwi_simulation_measure(sim, t);
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
  lwi_work_unwind(sim->m, sim->system->dynamics->work);
  const lw_status status = lwi_simulation_begin(sim, t, q, u, err);
  if (status == LW_OK) lwi_balance_start(sim, t);
  lwi_sampling_start(sim, t);
  return status == LW_OK ? lwi_events_restart(sim, t, err) : status;
}
