/* SPDX-License-Identifier: Apache-2.0 */
/* instant.c -- the effect of all events of one instant on a simulation, from trigger to restart:

     touch     which bodies touch now (contacts.c); the report begins with the state before
     rebuild   the phase after the events and its model, if they change it (events/phase.c)
     place     positions that fit: the present ones, or the nearest if bodies may be moved
     jump      velocities after the events (events/jump.c)
     rest      bodies that neither approach nor separate become constraints, and jump again
     switch    the simulation goes over to the new model and restarts from there
     report    energies, impulses; signs of the triggers after the event */
#include "base/fail.h"
#include "model/compile/compile.h"
#include "tree/loops/explain.h"
#include "sim/run/instant.h"
#include "sim/formulation/own_loads.h"
#include "sim/formulation/state.h"
#include "tree/loops/loop_closing.h"
#include "linkwork/loops.h"

#include <math.h>
#include <string.h>

static void close_instant(lwi_instant *x)
{
  lwi_jump_free(&x->jump);
  lwi_jump_free(&x->hit);
  lw_model_free(x->hit_model);
  if (x->hit_phase != x->sim->raising) lwi_phase_free(x->hit_phase);
  if (x->system) x->system->free(x->system);
  lwi_arena_free(&x->arena);
  if (x->phase != x->sim->raising) lwi_phase_free(x->phase);
  lw_model_free(x->model);
}

/* q and u of all joints at the present output state. */
static lw_status complete_state(lw_simulation *sim)
{
  lw_work *w = sim->system->dynamics->work;
  const lw_status status = lw_kinematics(w, sim->q, sim->u);
  return status == LW_OK ? lw_get_cut_joints(w, sim->q, sim->u, NULL) : status;
}

static lw_status notify(const lwi_instant *x, bool after, lw_error *err)
{
  const lw_simulation *sim = x->sim;
  if (!sim->on_event || sim->on_event(sim->event_context, &x->report, after) == 0) return LW_OK;
  return lwi_fail(err, LW_E_STOPPED, "stopped at t = %.10g", x->t);
}

static lw_status find_poses(const lw_simulation *sim, lwi_frame *pose, double (*V)[6])
{
  const lw_work *w = sim->system->dynamics->work;
  lw_status status = LW_OK;
  pose[0] = lwi_frame_identity();
  for (int b = 1; b <= lw_nbody(sim->m) && status == LW_OK; b++) {
    lw_pose X;
    status = lw_get_pose(w, (lw_body){b}, &X);
    if (status == LW_OK) status = lw_get_velocity(w, (lw_body){b}, V[b]);
    pose[b].R = rot_from_quat(X.quat);
    memcpy(pose[b].p, X.p, sizeof X.p);
  }
  return status;
}

lw_status lwi_instant_rebuild(lwi_instant *x, const lwi_frame *pose, bool *moves, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const lw_work *w = sim->system->dynamics->work;
  const lwi_moment now = {.t = x->t,
                          .at = x->at,
                          .m = sim->m,
                          .phase = lwi_events_phase(sim),
                          .own = sim->raising,
                          .q = x->report.q_before,
                          .pose = pose,
                          .wound = w->kernels->part(w->tree, LWI_WOUND),
                          .contacts = sim->contacts.n > 0 ? &sim->contacts : NULL,
                          .event = x->event,
                          .nevent = x->nevent};
  *moves = false;
  if (!lwi_moment_rebuilds(&now)) return LW_OK;
  x->phase = lwi_next_phase(&now, err);
  if (!x->phase) return err ? err->status : LW_E_MODEL;
  x->model = lwi_next_model(&now, x->phase, moves, err);
  if (x->model) lwi_transitions_stage(sim, &now);
  return x->model ? LW_OK : err ? err->status : LW_E_MODEL;
}

/* Positions after the events: the present ones, or the nearest that fit if bodies may be moved. */
static lw_status place(lwi_instant *x, const lw_model *m, lw_dynamics *d, const lwi_frame *pose,
                       bool moves, lw_error *err)
{
  double *q = x->jump.q, *zero_speed = x->jump.other;
  if (!x->model) {
    if (m->nq) memcpy(q, x->report.q_before, (size_t)m->nq * sizeof(double));
    lwi_contacts_write(&x->sim->contacts, m, &x->sim->options, q);
    return LW_OK;
  }
  lw_initial_state(m, q, NULL);
  if (m->nstate) /* they go on */
    memcpy(q + lwi_first_state(m), x->report.q_before + lwi_first_state(x->sim->m),
           (size_t)m->nstate * sizeof(double));
  lwi_contacts_write(&x->sim->contacts, m, &x->sim->options, q);
  for (int i = 0; i < m->nu; i++)
    zero_speed[i] = 0;
  lw_error why = {0};
  lw_status status = moves ? lw_close_loops(d->work, x->at, q, zero_speed, &why)
                           : lw_project(d->work, x->at, q, zero_speed);
  if (status == LW_OK && moves) status = lwi_move_nearest(m, d->work, x->at, pose, q, &why);
  if (status == LW_OK) return LW_OK;
  if (!why.text[0])
    lw_close_loops(d->work, x->at, q, zero_speed, &why); /* finds which joint it is */
  return lwi_event_fail(x->event[0], x->t, err, status,
                        "the mechanism that it makes cannot be assembled from these positions%s%s",
                        why.text[0] ? ": " : "", why.text);
}

/* How far bodies were moved. */
static void find_moves(const lw_model *m, const lw_work *w, const lwi_frame *pose,
                       double (*moved)[2])
{
  for (int b = 1; b <= lw_nbody(m); b++) {
    lw_pose X;
    lw_get_pose(w, (lw_body){b}, &X);
    const rot3 R = rot_mul(rot_transpose(pose[b].R), rot_from_quat(X.quat));
    double d[3], q[4];
    quat_from_rot(R, q);
    for (int i = 0; i < 3; i++)
      d[i] = X.p[i] - pose[b].p[i];
    moved[b][0] = norm3(d);
    moved[b][1] = 2 * atan2(norm3(q + 1), fabs(q[0]));
  }
}

/* Closing loops within the tolerance of docs/format.md 8.6 must not move bodies elsewhere: no event
   moves bodies unless told to. */
static lw_status check_moves(const lwi_instant *x, const lw_model *m, bool moves, lw_error *err)
{
  const double far = 1e-3;
  for (int b = 1; b <= lw_nbody(m) && !moves; b++)
    if (!(x->moved[b][0] <= far * fmax(1, m->length)) || !(x->moved[b][1] <= far))
      return lwi_event_fail(x->event[0], x->t, err, LW_E_MODEL,
                            "it would move body \"%s\" by %.3g m and %.3g rad",
                            lw_body_name(m, (lw_body){b}), x->moved[b][0], x->moved[b][1]);
  return LW_OK;
}

/* The dynamics that compute the jump: those of the motion afterwards.  With derivatives, the system
   is made later, when everything is known; if there are too many loops in series for the tree,
   divide and conquer is used. */
static lw_dynamics *open_dynamics(lwi_instant *x, const lw_model *m, bool *own, lw_error *err)
{
  lw_simulation *sim = x->sim;
  lw_simulation_options o = lwi_simulation_phase_options(sim, m);
  if (m->tree_constraints.local) o.formulation = LW_FORMULATION_DCA;
  *own = m->tree_constraints.local || (x->model && sim->hooks);
  if (*own) return lw_dynamics_new(m, &o, err);
  if (!x->model) return sim->system->dynamics;
  x->system = lwi_simulation_system(sim, m, err);
  return x->system ? x->system->dynamics : NULL;
}

lw_status lwi_instant_fail(const lwi_instant *x, lw_dynamics *d, lw_status status, const char *what,
                           lw_error *err)
{
  lwi_failing_part why = {0};
  const char *paradox = lwi_own_loads_paradox(d);
  if (paradox)
    return lwi_event_fail(x->event[0], x->t, err, status,
                          "friction of \"%s\": no load, or more than one, is consistent with its "
                          "sliding (Painleve's paradox)",
                          paradox);
  const bool known = lwi_explain(d->m, d->work, x->at, x->jump.q, x->jump.other, status, &why);
  return lwi_event_fail(x->event[0], x->t, err, status, "%s: %s", what,
                        known ? why.text : lw_status_text(status));
}

/* What is to rest or stick may depend on other constraints at this instant only, where the Cartesian form keeps too few
   digits; which of it turns back is found from the speeds of divide and conquer (instant_rest.c). */
static lw_status jump_otherwise(lwi_instant *x, const lw_model *m, lw_status status)
{
  lw_simulation_options o = lwi_simulation_phase_options(x->sim, m);
  o.formulation = LW_FORMULATION_DCA;
  lw_dynamics *d = lw_dynamics_new(m, &o, NULL);
  if (d) status = lwi_jump_solve(&x->jump, d, x->at, x->event, 0);
  lw_dynamics_free(d);
  return status;
}

lw_status lwi_instant_jump(lwi_instant *x, const lwi_frame *pose, double (*V)[6], bool moves,
                           bool *again, lw_error *err)
{
  const lw_model *m = x->model ? x->model : x->sim->m;
  bool own;
  lw_dynamics *d = open_dynamics(x, m, &own, err);
  if (!d) return err ? err->status : LW_E_MEMORY;
  lw_status status = lwi_jump_init(&x->jump, m) ? LW_OK : lwi_out_of_memory(err, "an event");
  if (status == LW_OK) {
    memcpy(x->jump.V, V, ((size_t)m->nbody + 1) * sizeof *V);
    status = place(x, m, d, pose, moves, err);
  }
  if (status == LW_OK) {
    x->jump.touch = x->sim->contacts.touch;
    x->jump.ntouch = x->rests ? 0 : x->ntouch;
    x->jump.slow = LWI_SLOW_IMPACT * sqrt(x->sim->options.rtol);
    x->jump.least = LWI_NO_SPEED * x->sim->contacts.fastest;
    status = lwi_jump_solve(&x->jump, d, x->at, x->event, x->rests ? 0 : x->nevent);
    if (status != LW_OK && status != LW_E_MEMORY && x->rests) status = jump_otherwise(x, m, status);
    if (status != LW_OK)
      lwi_instant_fail(x, d, status, "the velocities after it cannot be computed", err);
  }
  if (status == LW_OK && x->model) {
    find_moves(m, d->work, pose, x->moved);
    status = check_moves(x, m, moves, err);
  }
  if (status == LW_OK && x->rests) status = lwi_instant_check_loads(x, d, again, err);
  if (own) lw_dynamics_free(d);
  return status;
}

/* The new model starts in the state after the event and is then owned by the simulation. */
static lw_status switch_model(lwi_instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  lw_model *m = x->model;
  if (m && m->nq) memcpy(m->q0, x->jump.q, (size_t)m->nq * sizeof(double));
  if (m && m->nu) memcpy(m->u0, x->jump.u, (size_t)m->nu * sizeof(double));
  lw_model *const previous = sim->previous, *const own = sim->own;
  lwi_phase *const present = sim->present;
  const bool had_previous = sim->has_previous;
  if (m) { /* callbacks during the restart see the new phase */
    sim->previous = own;
    sim->own = m;
    sim->present = x->phase;
    sim->has_previous = true;
    sim->phase++;
  }
  lwi_system *system = x->system;
  x->system = NULL;
  lw_status status =
      lwi_simulation_go_over(sim, m ? m : sim->m, system, x->t, x->jump.q, x->jump.u, err);
  if (status != LW_OK) {
    sim->previous = previous;
    sim->own = own;
    sim->present = present;
    sim->has_previous = had_previous;
    sim->phase -= m ? 1 : 0;
    return status;
  }
  if (m) {
    lwi_transitions_commit(sim, m, sim->raising != NULL);
    lw_model_free(previous);
    lwi_phase_free(present);
    x->model = NULL;
    x->phase = NULL;
  }
  status = lwi_simulation_find_state(sim, x->t);
  if (status != LW_OK) return status;
  lwi_events_find_capacity(sim);
  return complete_state(sim);
}

/* ---- all together ---- */

/* Energies and momenta before bodies are moved. */
static lw_status measure_before(lwi_instant *x)
{
  const lw_simulation *sim = x->sim;
  lw_work *w = sim->system->dynamics->work;
  lw_event_report *r = &x->report;
  lw_status status = lw_energy(w, sim->q, sim->u, &r->kinetic_before, &r->potential_before);
  if (status == LW_OK) status = lw_momentum(w, r->momentum_before);
  r->moves = (const double(*)[2])x->moved;
  return status;
}

/* For the report: changes of the kinetic energy by the jump and by moving bodies, and of the
   potential energy by these and by the change of the model. */
static void balance_energy(lwi_instant *x)
{
  lw_simulation *sim = x->sim;
  const lw_event_report *r = &x->report;
  double energy[2];
  if (lwi_power_energy(&sim->power, sim->q, sim->u, energy) == LW_OK)
    sim->balance.events += r->kinetic_after - r->kinetic_before + energy[1] - x->energy[1];
  lwi_balance_go_on(sim, x->t);
}

/* What derivatives repeat. */
static void show_hit(const lwi_instant *x)
{
  lw_simulation *sim = x->sim;
  sim->hit.jump = x->rests ? &x->hit : &x->jump;
  sim->hit.ntouch = x->ntouch;
  sim->hit.m = !x->rests ? NULL : x->hit_model ? x->hit_model : sim->m;
  sim->hit.phase = x->hit_phase;
}

/* At the present output state. */
static lw_status apply_changes(lwi_instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const size_t n = (size_t)lw_nbody(sim->m) + 1;
  lwi_frame *pose = LWI_TAKE(&x->arena, n, lwi_frame);
  double(*V)[6] = lwi_arena_take(&x->arena, n, 6 * sizeof(double));
  bool moves, again;
  for (int i = 0; i < sim->contacts.n; i++) {
    sim->contacts.hold[i] = false;
    sim->contacts.item[i].slides = sim->contacts.item[i].sliding;
  }
  x->moved = lwi_arena_take(&x->arena, n, sizeof *x->moved);
  if (!pose || !V || !x->moved) return lwi_out_of_memory(err, "an event");
  lw_status status = lwi_instant_warn(x, err);
  if (status == LW_OK) status = find_poses(sim, pose, V);
  if (status == LW_OK) status = lwi_power_energy(&sim->power, sim->q, sim->u, x->energy);
  if (status == LW_OK) status = lwi_instant_rebuild(x, pose, &moves, err);
  if (status == LW_OK && moves) status = measure_before(x);
  if (status == LW_OK) status = lwi_instant_jump(x, pose, V, moves, &again, err);
  if (status == LW_OK && x->ntouch > 0) status = lwi_instant_rest(x, pose, moves, err);
  if (status == LW_OK) status = lwi_instant_refuse_derivatives(x, err);
  if (status == LW_OK) show_hit(x);
  if (status == LW_OK) status = switch_model(x, err);
  if (status == LW_OK) lwi_contacts_come_to_rest(sim, x->t);
  if (status == LW_OK && moves) {
    double kinetic;
    status = lw_energy(sim->system->dynamics->work, sim->q, sim->u, &kinetic,
                       &x->report.potential_after);
    if (status == LW_OK) status = complete_state(sim);
  }
  if (status == LW_OK) status = lwi_instant_end_report(x, err);
  if (status == LW_OK) balance_energy(x);
  return status;
}

static lw_status carry_derivatives(const lwi_instant *x, bool fixed, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const lw_status status = sim->hooks->jump(sim->hooks, x->t, x->event, x->nevent, fixed, err);
  complete_state(sim);
  return status;
}

/* quiet: touching bodies come to rest on each other; no event of the model happens. */
static lw_status apply_instant(lw_simulation *sim, double t, const lwi_event *const event[],
                               int nevent, bool quiet, lw_error *err)
{
  lwi_instant x = {.sim = sim, .t = t, .event = event, .nevent = nevent};
  lwi_balance_cut(sim, t);
  lw_status status = complete_state(sim);
  if (status == LW_OK) status = lwi_contacts_touch(sim, t, event, quiet ? 0 : nevent, &x.ntouch);
  if (status == LW_OK) status = complete_state(sim);
  if (status == LW_OK) status = lwi_instant_begin_report(&x, err);
  if (status == LW_OK) status = quiet ? LW_OK : notify(&x, false, err);
  if (status == LW_OK && sim->hooks) status = carry_derivatives(&x, quiet, err);
  if (status == LW_OK) {
    if (sim->switches.next <= t) lwi_switches_pass(&sim->switches);
    x.at = lwi_simulation_time(sim, t);
    status = apply_changes(&x, err);
  }
  if (status == LW_OK) {
    sim->wanted = t;
    sim->over = x.report.stops;
    status = quiet ? LW_OK : notify(&x, true, err);
  }
  /* expressions that did not fire take the signs after the event: a jump is not a crossing */
  if (status == LW_OK && sim->triggers.nwhen > 0) {
    status = lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u);
    if (status == LW_OK) status = lwi_events_note(sim, t, err);
  }
  if (status != LW_OK && err && err->status == LW_OK)
    lwi_simulation_fail(sim, t, status, "the event cannot be carried out", err);
  close_instant(&x);
  return status;
}

lw_status lwi_events_happen(lw_simulation *sim, double t, const lwi_event *const event[],
                            int nevent, lw_error *err)
{
  return apply_instant(sim, t, event, nevent, false, err);
}

lw_status lwi_events_rest(lw_simulation *sim, double t, const lwi_event *const contact[], int n,
                          lw_error *err)
{
  return apply_instant(sim, t, contact, n, true, err);
}
