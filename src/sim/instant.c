/* SPDX-License-Identifier: Apache-2.0 */
/* instant.c -- what the events of one instant do to a simulation: the model is compiled anew where it changes,
   velocities jump, and the integration begins again. */
#include "base/fail.h"
#include "model/compile.h"
#include "sim/simulation_data.h"
#include "sim/state.h"
#include "tree/assembly.h"

#include <math.h>
#include <string.h>

typedef struct {
  lw_simulation *sim;
  double t, at; /* at: when expressions of time are evaluated afterwards */
  const lwi_event *const *event;
  int nevent;
  lw_event_report report;
  lwi_arena arena; /* names, copies of the state before */
  lw_spec *spec;
  lw_model *model;    /* new; NULL: the present one stays */
  lwi_system *system; /* of the new model; NULL: made later */
  lwi_jump jump;
  double energy[2];   /* kinetic and potential before */
  double (*moved)[2]; /* [nbody + 1] how far bodies were moved: m of their origins, rad */
} instant;

static lw_status no_memory(lw_error *err)
{
  return lwi_fail(err, LW_E_MEMORY, "out of memory for an event");
}

static void close_instant(instant *x)
{
  lwi_jump_free(&x->jump);
  if (x->system) x->system->free(x->system);
  lwi_arena_free(&x->arena);
  if (x->spec != x->sim->raising) lw_spec_free(x->spec);
  lw_model_free(x->model);
}

/* q and u of all joints at the state that is shown */
static lw_status complete_state(lw_simulation *sim)
{
  lw_work *w = sim->system->dynamics->work;
  const lw_status status = lw_kinematics(sim->m, w, sim->q, sim->u);
  return status == LW_OK ? lw_get_cut_joints(sim->m, w, sim->q, sim->u, NULL) : status;
}

/* names, and the state before */
static lw_status begin_report(instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const char **names = LWI_TAKE(&x->arena, x->nevent, const char *);
  const size_t nq = (size_t)lw_nq_all(sim->m), nu = (size_t)lw_nu_all(sim->m);
  double *state = LWI_TAKE(&x->arena, nq + nu + 1, double);
  if (!names || !state) return no_memory(err);
  for (int i = 0; i < x->nevent; i++) {
    char name[100];
    lwi_event_name(x->event[i], name, sizeof name);
    if (!(names[i] = lwi_arena_text(&x->arena, name))) return no_memory(err);
    x->report.stops = x->report.stops || x->event[i]->d.action == LW_ACTION_STOP;
  }
  if (nq) memcpy(state, sim->q, nq * sizeof(double));
  if (nu) memcpy(state + nq, sim->u, nu * sizeof(double));
  x->report.time = x->t;
  x->report.nevent = x->nevent;
  x->report.names = names;
  x->report.before = x->report.after = sim->m;
  x->report.q_before = x->report.q_after = state;
  x->report.u_before = x->report.u_after = state + nq;
  return LW_OK;
}

static lw_status tell(const instant *x, bool after, lw_error *err)
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
    status = lw_get_pose(sim->m, w, (lw_body){b}, &X);
    if (status == LW_OK) status = lw_get_velocity(sim->m, w, (lw_body){b}, V[b]);
    pose[b].R = rot_from_quat(X.quat);
    memcpy(pose[b].p, X.p, sizeof X.p);
  }
  return status;
}

static lw_status rebuild(instant *x, const lwi_frame *pose, bool *moves, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const lwi_moment now = {.t = x->t,
                          .at = x->at,
                          .m = sim->m,
                          .spec = lwi_events_spec(sim),
                          .own = sim->raising,
                          .q = x->report.q_before,
                          .pose = pose,
                          .event = x->event,
                          .nevent = x->nevent};
  *moves = false;
  if (!lwi_moment_rebuilds(&now)) return LW_OK;
  x->spec = lwi_phase_spec(&now, err);
  if (!x->spec) return err ? err->status : LW_E_MODEL;
  x->model = lwi_phase_model(&now, x->spec, moves, err);
  return x->model ? LW_OK : err ? err->status : LW_E_MODEL;
}

/* positions: those of the moment; where something was moved, the nearest that fit */
static lw_status place(instant *x, const lw_model *m, lw_dynamics *d, const lwi_frame *pose,
                       bool moves, lw_error *err)
{
  double *q = x->jump.q, *still = x->jump.other;
  if (!x->model) {
    if (m->nq) memcpy(q, x->report.q_before, (size_t)m->nq * sizeof(double));
    return LW_OK;
  }
  lw_initial_state(m, q, NULL);
  for (int i = 0; i < m->nu; i++)
    still[i] = 0;
  lw_error why = {0};
  lw_status status = moves ? lw_assemble(m, d->work, x->at, q, still, &why)
                           : lw_project(m, d->work, x->at, q, still);
  if (status == LW_OK && moves) status = lwi_move_nearest(m, d->work, x->at, pose, q, &why);
  if (status == LW_OK) return LW_OK;
  return lwi_event_fail(x->event[0], x->t, err, status,
                        "the positions do not fit the mechanism that it makes%s%s",
                        why.text[0] ? ": " : "", why.text);
}

/* How far bodies have gone from where they were. */
static void find_moves(const lw_model *m, const lw_work *w, const lwi_frame *pose,
                       double (*moved)[2])
{
  for (int b = 1; b <= lw_nbody(m); b++) {
    lw_pose X;
    lw_get_pose(m, w, (lw_body){b}, &X);
    const rot3 R = rot_mul(rot_transpose(pose[b].R), rot_from_quat(X.quat));
    double d[3], q[4];
    quat_from_rot(R, q);
    for (int i = 0; i < 3; i++)
      d[i] = X.p[i] - pose[b].p[i];
    moved[b][0] = norm3(d);
    moved[b][1] = 2 * atan2(norm3(q + 1), fabs(q[0]));
  }
}

/* What may close within the tolerance of 8.6 must not lead anywhere else: no event moves bodies unasked. */
static lw_status check_moves(const instant *x, const lw_model *m, bool moves, lw_error *err)
{
  const double far = 1e-3;
  for (int b = 1; b <= lw_nbody(m) && !moves; b++)
    if (!(x->moved[b][0] <= far * fmax(1, m->length)) || !(x->moved[b][1] <= far))
      return lwi_event_fail(x->event[0], x->t, err, LW_E_MODEL,
                            "it would move body \"%s\" by %.3g m and %.3g rad",
                            lw_body_name(m, (lw_body){b}), x->moved[b][0], x->moved[b][1]);
  return LW_OK;
}

/* Who computes the jump: those who compute the motion afterwards.  Whoever follows derivatives makes the
   system when all is known; and where loops are too many to list, it is divide and conquer. */
static lw_dynamics *open_dynamics(instant *x, const lw_model *m, bool *own, lw_error *err)
{
  lw_simulation *sim = x->sim;
  lw_simulation_options o = lwi_simulation_phase_options(sim, m);
  if (m->ties.local) o.formulation = LW_FORMULATION_DCA;
  *own = m->ties.local || (x->model && sim->companion);
  if (*own) return lw_dynamics_new(m, &o, err);
  if (!x->model) return sim->system->dynamics;
  x->system = lwi_simulation_system(sim, m, err);
  return x->system ? x->system->dynamics : NULL;
}

static lw_status jump(instant *x, const lwi_frame *pose, double (*V)[6], bool moves, lw_error *err)
{
  const lw_model *m = x->model ? x->model : x->sim->m;
  bool own;
  lw_dynamics *d = open_dynamics(x, m, &own, err);
  if (!d) return err ? err->status : LW_E_MEMORY;
  lw_status status = lwi_jump_init(&x->jump, m) ? LW_OK : no_memory(err);
  if (status == LW_OK) {
    memcpy(x->jump.V, V, ((size_t)m->nbody + 1) * sizeof *V);
    status = place(x, m, d, pose, moves, err);
  }
  if (status == LW_OK) {
    status = lwi_jump_solve(&x->jump, d, x->at, x->event, x->nevent);
    if (status != LW_OK)
      lwi_event_fail(x->event[0], x->t, err, status, "velocities after it cannot be found: %s",
                     lw_status_text(status));
  }
  if (status == LW_OK && x->model) {
    find_moves(m, d->work, pose, x->moved);
    status = check_moves(x, m, moves, err);
  }
  if (own) lw_dynamics_free(d);
  return status;
}

/* The new model begins in the state after the event; then it is the simulation's. */
static lw_status go_over(instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  lw_model *m = x->model;
  if (m && m->nq) memcpy(m->q0, x->jump.q, (size_t)m->nq * sizeof(double));
  if (m && m->nu) memcpy(m->u0, x->jump.u, (size_t)m->nu * sizeof(double));
  lw_model *const previous = sim->previous, *const own = sim->own;
  lw_spec *const spec = sim->spec;
  const bool had_previous = sim->has_previous;
  if (m) { /* whoever looks at the simulation while it begins sees the new phase */
    sim->previous = own;
    sim->own = m;
    sim->spec = x->spec;
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
    sim->spec = spec;
    sim->has_previous = had_previous;
    sim->phase -= m ? 1 : 0;
    return status;
  }
  if (m) {
    lw_model_free(previous);
    lw_spec_free(spec);
    x->model = NULL;
    x->spec = NULL;
  }
  status = lwi_simulation_find_state(sim, x->t);
  if (status != LW_OK) return status;
  lwi_events_find_room(sim);
  return complete_state(sim);
}

static void end_report(instant *x)
{
  lw_event_report *r = &x->report;
  const lwi_jump *j = &x->jump;
  r->after = x->sim->m;
  r->q_after = x->sim->q;
  r->u_after = x->sim->u;
  r->kinetic_moved = j->kinetic_before;
  r->kinetic_after = j->kinetic_after;
  r->jump_energy = j->jump_energy;
  if (!r->moves) {
    r->kinetic_before = j->kinetic_before;
    memcpy(r->momentum_before, j->momentum_before, sizeof j->momentum_before);
  }
  memcpy(r->momentum_after, j->momentum_after, sizeof j->momentum_after);
  r->impulses = j->impulses.joint[0];
  r->constraint_impulses = j->impulses.constraint[0];
  r->relation_impulses = j->impulses.relation;
}

/* Energies and momenta of bodies that are about to be moved. */
static lw_status measure_before(instant *x)
{
  const lw_simulation *sim = x->sim;
  lw_work *w = sim->system->dynamics->work;
  lw_event_report *r = &x->report;
  lw_status status = lw_energy(sim->m, w, sim->q, sim->u, &r->kinetic_before, &r->potential_before);
  if (status == LW_OK) status = lw_momentum(sim->m, w, r->momentum_before);
  r->moves = (const double(*)[2])x->moved;
  return status;
}

static lw_status measure_after(instant *x)
{
  lw_simulation *sim = x->sim;
  double kinetic;
  const lw_status status = lw_energy(sim->m, sim->system->dynamics->work, sim->q, sim->u, &kinetic,
                                     &x->report.potential_after);
  return status == LW_OK ? complete_state(sim) : status;
}

/* As reported: what the jump, and moving bodies, do to the kinetic energy; and what these and the change of
   the model do to the potential. */
static void balance_energy(instant *x)
{
  lw_simulation *sim = x->sim;
  const lw_event_report *r = &x->report;
  double energy[2];
  if (lwi_power_energy(&sim->power, sim->q, sim->u, energy) == LW_OK)
    sim->balance.events += r->kinetic_after - r->kinetic_before + energy[1] - x->energy[1];
  lwi_balance_go_on(sim, x->t);
}

/* At the state that is shown. */
static lw_status change(instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const size_t n = (size_t)lw_nbody(sim->m) + 1;
  lwi_frame *pose = LWI_TAKE(&x->arena, n, lwi_frame);
  double(*V)[6] = lwi_arena_take(&x->arena, n, 6 * sizeof(double));
  bool moves;
  x->moved = lwi_arena_take(&x->arena, n, sizeof *x->moved);
  if (!pose || !V || !x->moved) return no_memory(err);
  lw_status status = find_poses(sim, pose, V);
  if (status == LW_OK) status = lwi_power_energy(&sim->power, sim->q, sim->u, x->energy);
  if (status == LW_OK) status = rebuild(x, pose, &moves, err);
  if (status == LW_OK && moves) status = measure_before(x);
  if (status == LW_OK) status = jump(x, pose, V, moves, err);
  if (status == LW_OK) status = go_over(x, err);
  if (status == LW_OK && moves) status = measure_after(x);
  if (status != LW_OK) return status;
  end_report(x);
  balance_energy(x);
  return LW_OK;
}

/* Signs of what did not fire are those after the event: a jump is no crossing. */
static lw_status look_after(lw_simulation *sim, double t, lw_error *err)
{
  if (sim->triggers.nwhen == 0) return LW_OK;
  const lw_status status = lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u);
  return status == LW_OK ? lwi_events_note(sim, t, err) : status;
}

static lw_status vary(const instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const lw_status status = sim->companion->jump(sim->companion, x->t, x->event, x->nevent, err);
  complete_state(sim);
  return status;
}

lw_status lwi_events_happen(lw_simulation *sim, double t, const lwi_event *const event[],
                            int nevent, lw_error *err)
{
  instant x = {.sim = sim, .t = t, .event = event, .nevent = nevent};
  lwi_balance_cut(sim, t);
  lw_status status = complete_state(sim);
  if (status == LW_OK) status = begin_report(&x, err);
  if (status == LW_OK) status = tell(&x, false, err);
  if (status == LW_OK && sim->companion) status = vary(&x, err);
  if (status == LW_OK) {
    if (sim->switches.next <= t) lwi_switches_pass(&sim->switches);
    x.at = lwi_simulation_time(sim, t);
    status = change(&x, err);
  }
  if (status == LW_OK) {
    sim->wanted = t;
    sim->over = x.report.stops;
    status = tell(&x, true, err);
  }
  if (status == LW_OK) status = look_after(sim, t, err);
  if (status != LW_OK && err && err->status == LW_OK)
    lwi_fail(err, status, "the event at t = %.10g: %s", t, lw_status_text(status));
  close_instant(&x);
  return status;
}
