/* SPDX-License-Identifier: Apache-2.0 */
/* events.c -- what events do to a simulation: the model is compiled anew where it changes, velocities jump, and the
   integration begins again. */
#include "base/fail.h"
#include "model/compile.h"
#include "sim/simulation_data.h"
#include "sim/state.h"
#include "tree/assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- make ---- */

const lw_spec *lwi_events_spec(const lw_simulation *sim)
{
  if (sim->raising) return sim->raising;
  return sim->spec ? sim->spec : sim->first->spec;
}

/* all joints of the spec at their largest, and all bodies floating */
static void find_room(lw_simulation *sim)
{
  const lw_spec *s = lwi_events_spec(sim);
  sim->nq_room = lw_nq_all(sim->m);
  sim->nu_room = lw_nu_all(sim->m);
  if (!s || (s->events.n == 0 && !sim->spec)) return;
  int nq = 7 * s->bodies.n, nu = 6 * s->bodies.n;
  for (int i = 1; i <= s->joints.n; i++) {
    const lwi_joint_range r = lwi_joint_range_of(s, i);
    nq += r.most_q;
    nu += r.most_u;
  }
  if (nq > sim->nq_room) sim->nq_room = nq;
  if (nu > sim->nu_room) sim->nu_room = nu;
}

lw_status lwi_events_open(lw_simulation *sim, lw_error *err)
{
  sim->first = sim->m;
  sim->found = HUGE_VAL;
  find_room(sim);
  lw_status status = lwi_triggers_init(&sim->triggers, sim->m, err);
  if (status == LW_OK) status = lwi_triggers_follow(&sim->triggers, sim, err);
  return status;
}

void lwi_events_close(lw_simulation *sim)
{
  lwi_triggers_free(&sim->triggers);
  lw_model_free(sim->own);
  lw_model_free(sim->previous);
  lw_spec_free(sim->spec);
  lwi_arena_free(&sim->texts);
  free(sim->y_from);
}

const lw_model *lw_simulation_model(const lw_simulation *sim)
{
  return sim->m;
}

void lw_simulation_room(const lw_simulation *sim, int *nq, int *nu)
{
  *nq = sim->nq_room;
  *nu = sim->nu_room;
}

bool lw_simulation_is_over(const lw_simulation *sim)
{
  return sim->over;
}

void lw_simulation_on_event(lw_simulation *sim, lw_event_callback callback, void *context)
{
  sim->on_event = callback;
  sim->event_context = context;
}

int lwi_simulation_phase(const lw_simulation *sim)
{
  return sim->phase;
}

const lw_model *lwi_simulation_previous(const lw_simulation *sim)
{
  if (!sim->has_previous) return NULL;
  return sim->previous ? sim->previous : sim->first;
}

/* ---- one instant ---- */

typedef struct {
  lw_simulation *sim;
  double t;
  const lwi_event *const *event;
  int nevent;
  lw_event_report report;
  lwi_arena arena; /* names, copies of the state before */
  lw_spec *spec;
  lw_model *model;    /* new; NULL: the present one stays */
  lwi_system *system; /* of the new model; NULL: made later */
  lwi_jump jump;
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
  lw_status status = moves ? lw_assemble(m, d->work, x->t, q, still, &why)
                           : lw_project(m, d->work, x->t, q, still);
  if (status == LW_OK && moves) status = lwi_move_nearest(m, d->work, x->t, pose, q, &why);
  if (status == LW_OK) return LW_OK;
  return lwi_event_fail(x->event[0], x->t, err, status,
                        "the positions do not fit the mechanism that it makes%s%s",
                        why.text[0] ? ": " : "", why.text);
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
    status = lwi_jump_solve(&x->jump, d, x->t, x->event, x->nevent);
    if (status != LW_OK)
      lwi_event_fail(x->event[0], x->t, err, status, "velocities after it cannot be found: %s",
                     lw_status_text(status));
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
  find_room(sim);
  return complete_state(sim);
}

static void end_report(instant *x)
{
  lw_event_report *r = &x->report;
  const lwi_jump *j = &x->jump;
  r->after = x->sim->m;
  r->q_after = x->sim->q;
  r->u_after = x->sim->u;
  r->kinetic_before = j->kinetic_before;
  r->kinetic_after = j->kinetic_after;
  r->jump_energy = j->jump_energy;
  memcpy(r->momentum_before, j->momentum_before, sizeof j->momentum_before);
  memcpy(r->momentum_after, j->momentum_after, sizeof j->momentum_after);
  r->impulses = j->impulses.joint[0];
  r->constraint_impulses = j->impulses.constraint[0];
  r->relation_impulses = j->impulses.relation;
}

/* At the state that is shown. */
static lw_status change(instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const size_t n = (size_t)lw_nbody(sim->m) + 1;
  lwi_frame *pose = LWI_TAKE(&x->arena, n, lwi_frame);
  double(*V)[6] = lwi_arena_take(&x->arena, n, 6 * sizeof(double));
  bool moves;
  if (!pose || !V) return no_memory(err);
  lw_status status = find_poses(sim, pose, V);
  if (status == LW_OK) status = rebuild(x, pose, &moves, err);
  if (status == LW_OK) status = jump(x, pose, V, moves, err);
  if (status == LW_OK) status = go_over(x, err);
  if (status == LW_OK) end_report(x);
  return status;
}

/* Signs of what did not fire are those after the event: a jump is no crossing. */
static lw_status look_after(lw_simulation *sim, double t)
{
  if (sim->triggers.nwhen == 0) return LW_OK;
  const lw_status status = lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u);
  if (status == LW_OK) lwi_triggers_note_jump(&sim->triggers, t);
  return status;
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
  lw_status status = complete_state(sim);
  if (status == LW_OK) status = begin_report(&x, err);
  if (status == LW_OK) status = tell(&x, false, err);
  if (status == LW_OK && sim->companion) status = vary(&x, err);
  if (status == LW_OK) status = change(&x, err);
  if (status == LW_OK) {
    sim->wanted = t;
    sim->over = x.report.stops;
    status = tell(&x, true, err);
  }
  if (status == LW_OK) status = look_after(sim, t);
  if (status != LW_OK && err && err->status == LW_OK)
    lwi_fail(err, status, "the event at t = %.10g: %s", t, lw_status_text(status));
  close_instant(&x);
  return status;
}

lw_status lwi_events_fire(lw_simulation *sim, lw_error *err)
{
  lwi_triggers *x = &sim->triggers;
  const double t = lwi_events_next(sim);
  if (t < sim->found) lwi_triggers_forget(x);
  sim->found = HUGE_VAL;
  const lw_status status = lwi_simulation_find_state(sim, t);
  if (status != LW_OK)
    return lwi_fail(err, status, "no state at the event at t = %.10g: %s", t,
                    lw_status_text(status));
  const int n = lwi_triggers_take(x, t);
  const lwi_event *zeno = lwi_triggers_find_zeno(x);
  if (zeno)
    return lwi_event_fail(zeno, t, err, LW_E_NOT_CONVERGED,
                          "it comes faster and faster, without end; `once: true`, or an event that "
                          "connects what has come to rest, would end it");
  return lwi_events_happen(sim, t, x->due, n, err);
}

lw_status lwi_events_repeat(lw_simulation *sim, double t, const double q[], const double u[],
                            const int number[], int n, lw_error *err)
{
  const lwi_event **list = calloc((size_t)n + 1, sizeof *list);
  if (!list) return no_memory(err);
  for (int i = 0; i < n; i++)
    list[i] = &sim->first->event[number[i] - 1];
  lw_status status = lwi_simulation_go_over(sim, sim->m, NULL, t, q, u, err);
  if (status == LW_OK) status = lwi_simulation_find_state(sim, t);
  if (status == LW_OK) status = lwi_events_happen(sim, t, list, n, err);
  free(list);
  return status;
}
