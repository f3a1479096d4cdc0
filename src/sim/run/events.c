/* SPDX-License-Identifier: Apache-2.0 */
/* events.c -- the events of a simulation: the present phase, the next event, and the events of an
   instant. */
#include "base/fail.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- make ---- */

const lwi_phase *lwi_events_phase(const lw_simulation *sim)
{
  return sim->raising ? sim->raising : sim->present;
}

void lwi_events_find_capacity(lw_simulation *sim)
{
  const lw_spec *s = sim->present ? lwi_events_phase(sim)->spec : NULL;
  sim->nq_capacity = lw_nq_all(sim->m);
  sim->nu_capacity = lw_nu_all(sim->m);
  if (!s || (s->events.n == 0 && sim->phase == 0)) return;
  int nq = 7 * s->bodies.n + s->states.n, nu = 6 * s->bodies.n;
  for (int i = 1; i <= s->joints.n; i++) {
    const lwi_joint_range r = lwi_joint_range_of(s, i);
    nq += r.most_q;
    nu += r.most_u;
  }
  if (nq > sim->nq_capacity) sim->nq_capacity = nq;
  if (nu > sim->nu_capacity) sim->nu_capacity = nu;
}

lw_status lwi_events_open(lw_simulation *sim, lw_error *err)
{
  sim->first = sim->m;
  if (sim->m->spec) {
    sim->present = calloc(1, sizeof *sim->present);
    if (!sim->present || !lwi_phase_init(sim->present, sim->m->spec))
      return lwi_out_of_memory(err, "events");
  }
  return lwi_events_watch(sim, err);
}

lw_status lwi_events_watch(lw_simulation *sim, lw_error *err)
{
  sim->found = HUGE_VAL;
  lwi_events_find_capacity(sim);
  lw_status status = lwi_triggers_init(&sim->triggers, sim->first, sim->hooks, err);
  if (status == LW_OK) status = lwi_triggers_follow(&sim->triggers, sim, err);
  if (status == LW_OK) status = lwi_sampling_open(sim, err);
  if (status == LW_OK) status = lwi_contacts_open(sim, err);
  return status;
}

void lwi_events_forget(lw_simulation *sim)
{
  lwi_contacts_close(&sim->contacts);
  lwi_sampling_close(&sim->sampling);
  lwi_triggers_free(&sim->triggers);
}

void lwi_events_close(lw_simulation *sim)
{
  lwi_events_forget(sim);
  free(sim->transitions.x);
  lw_model_free(sim->own);
  lw_model_free(sim->previous);
  lwi_phase_free(sim->present);
  lwi_arena_free(&sim->texts);
}

const lw_model *lw_simulation_model(const lw_simulation *sim)
{
  if (!sim) return NULL;
  return sim->m;
}

void lw_simulation_capacity(const lw_simulation *sim, int *nq, int *nu)
{
  if (!sim || !nq || !nu) return;
  *nq = sim->nq_capacity;
  *nu = sim->nu_capacity;
}

bool lw_simulation_is_over(const lw_simulation *sim)
{
  if (!sim) return false;
  return sim->over;
}

void lw_simulation_on_event(lw_simulation *sim, lw_event_callback callback, void *context)
{
  if (!sim) return;
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

/* ---- fire ---- */

/* Appends drivers whose speed jumps, as events, to those that are due; scratch, names:
   [nconstraint]. */
static lw_status list_drivers(lw_simulation *sim, lwi_event *scratch, char (*names)[80],
                              const lwi_event **list, int *n, lw_error *err)
{
  int driver = 0;
  for (int k = 0;; k++) {
    const lw_status status = lwi_switches_jump(&sim->switches, sim->m, &driver, err);
    if (status == LW_OK && driver == 0) return LW_OK;
    const lwi_mark mark = sim->m->constraint[driver].mark;
    if (status != LW_OK) lwi_locate_error(sim->m->files, mark, err);
    if (status != LW_OK) return status;
    snprintf(names[k], sizeof names[k], "driver %.70s", sim->m->constraint[driver].info.name);
    scratch[k] = (lwi_event){
        .d = {.name = names[k], .action = LW_ACTION_NONE}, .mark = mark, .files = sim->m->files};
    list[(*n)++] = &scratch[k];
  }
}

/* jump: of the speed of a driver, the first of them; NULL: there is none */
static lw_status refuse_derivatives(const lw_simulation *sim, const lwi_event *jump, double t,
                                    lw_error *err)
{
  if (!sim->hooks || sim->hooks->values_only) return LW_OK;
  if (jump) {
    lwi_fail(err, LW_E_UNSUPPORTED,
             "the speed of %s jumps at t = %.10g: there are no derivatives across it", jump->d.name,
             t);
    lwi_locate_error(jump->files, jump->mark, err);
    return LW_E_UNSUPPORTED;
  }
  return lwi_switches_differentiable(&sim->switches, sim->m, err);
}

lw_status lwi_events_look_ahead(lw_simulation *sim, lw_error *err)
{
  lwi_switches *x = &sim->switches;
  /* just after a switch the span begins a rounding error after the time reached */
  const double t = fmax(sim->integrator->t, x->span[0]), end = sim->options.end;
  if (!x->active || t < x->searched) return LW_OK;
  const lw_status status = lwi_switches_look_ahead(x, sim->m, end * (floor(t / end) + 1), err);
  /* the same instant as an event that is given for this time */
  if (isfinite(x->next))
    x->next = fmax(t, lwi_triggers_near(&sim->triggers, x->next, 1e-13 * fmax(1, fabs(x->next))));
  return status;
}

/* Appends contacts that are released, as events; scratch, names: [contacts]. */
static void list_releases(const lw_simulation *sim, lwi_event *scratch, char (*names)[80],
                          const lwi_event **list, int *n)
{
  const int count = lwi_contacts_leaving(&sim->contacts, list + *n);
  for (int i = 0; i < count; i++, (*n)++) {
    char name[70];
    lwi_event_name(list[*n], name, sizeof name);
    snprintf(names[i], sizeof names[i], "%s %.70s",
             list[*n]->d.action == LW_ACTION_FRICTION || list[*n]->d.action == LW_ACTION_SLIP
                 ? "slip"
                 : "release",
             name);
    scratch[i] = (lwi_event){.d = {.name = names[i]},
                             .mark = list[*n]->mark,
                             .files = list[*n]->files,
                             .number = list[*n]->number};
    list[*n] = &scratch[i];
  }
}

/* The integration goes on with the other branch of an expression. */
static lw_status restart(lw_simulation *sim, double t, lw_error *err)
{
  lwi_balance_cut(sim, t);
  lw_status status = sim->hooks ? sim->hooks->restart(sim->hooks, t, err) : LW_OK;
  if (status != LW_OK) return status;
  if (sim->switches.next <= t) lwi_switches_pass(&sim->switches);
  lwi_held_loads_start(sim, t);
  status = lwi_simulation_restart(sim, t);
  if (status == LW_OK) lwi_balance_go_on(sim, t);
  if (status != LW_OK)
    lwi_fail(err, status, "the integration cannot continue at t = %.10g: %s", t,
             sim->integrator->reason);
  return status;
}

static lw_status fail_load(const lw_simulation *sim, const lwi_state_switch *load, lw_status status,
                           lw_error *err)
{
  if (err) lwi_locate_error(sim->m->files, load->event.mark, err);
  return status;
}

const lwi_state_switch *lwi_events_find_chatter(lw_simulation *sim)
{
  lwi_triggers *x = &sim->triggers;
  const double t = sim->integrator->t;
  if (lwi_simulation_find_state(sim, t) != LW_OK ||
      lwi_triggers_evaluate(x, t, sim->q, sim->u) != LW_OK)
    return NULL;
  for (int i = 0; i < x->nwhen; i++)
    if (x->when[i].load && fabs(x->when[i].g) <= 100 * x->when[i].noise) return x->when[i].load;
  return NULL;
}

/* A load switches at a value of the state. */
static lw_status switch_load(lw_simulation *sim, double t, lw_error *err)
{
  lwi_triggers *x = &sim->triggers;
  const double span = 1e-6 * sim->options.end;
  const lwi_state_switch *load = lwi_triggers_find_chatter(x, span);
  if (load)
    return fail_load(
        sim, load,
        lwi_fail(err, LW_E_NOT_CONVERGED, "at t = %.9g: " LWI_CHATTER_TEXT, t, load->name), err);
  const lw_status bounded = lwi_poles_check_state(sim, x->pole, t, err);
  if (bounded != LW_OK) return bounded;
  if (sim->hooks && x->switched->jumps) {
    const lw_status status = sim->hooks->pass_switch(sim->hooks, t, err);
    if (status != LW_OK) return fail_load(sim, x->switched, status, err);
  }
  return restart(sim, t, err);
}

/* Which comes first depends on the parameters. */
static lw_status refuse_switch(lw_simulation *sim, double t, lw_error *err)
{
  const lwi_state_switch *load = sim->triggers.switched;
  if (!sim->hooks || !load || !load->jumps) return LW_OK;
  return fail_load(sim, load,
                   lwi_fail(err, LW_E_UNSUPPORTED,
                            "%s jumps at the same time as an event, at t = %.10g: there are no "
                            "derivatives across both",
                            load->name, t),
                   err);
}

/* Drivers whose speed jumps and contacts that are released happen in one instant with the events
   that are due.  Where an expression of time merely switches, only the integration restarts. */
static lw_status fire_with_others(lw_simulation *sim, double t, int ndue, lw_error *err)
{
  const bool switches = sim->switches.next <= t;
  const size_t most = (size_t)(sim->m->nconstraint + 2 * sim->contacts.n);
  lwi_event *scratch = calloc(most + 1, sizeof *scratch);
  char(*names)[80] = calloc(most + 1, sizeof *names);
  const lwi_event **list = calloc((size_t)ndue + most + 1, sizeof *list);
  lw_status status = scratch && names && list ? LW_OK : lwi_out_of_memory(err, "an event");
  int n = ndue, before;
  if (status == LW_OK) {
    if (ndue) memcpy(list, sim->triggers.due, (size_t)ndue * sizeof *list);
    n += lwi_contacts_stuck(&sim->contacts, list + n);
    list_releases(sim, scratch, names, list, &n);
    before = n;
    if (switches)
      status = list_drivers(sim, scratch + (n - ndue), names + (n - ndue), list, &n, err);
    if (status == LW_OK && switches && n > 0)
      status = refuse_derivatives(sim, n > before ? list[before] : NULL, t, err);
    else if (status == LW_OK && switches && sim->hooks)
      status = sim->hooks->pass_time(sim->hooks, t, err);
  }
  if (status == LW_OK && n > 0) {
    status = lwi_events_happen(sim, t, list, n, err);
  } else if (status == LW_OK) {
    status = restart(sim, t, err);
  }
  free(list);
  free(names);
  free(scratch);
  return status;
}

/* Bodies that touch at the start and do not separate hit each other, or rest, at once. */
static lw_status start_contacts(lw_simulation *sim, lw_error *err)
{
  const double t = sim->integrator->t;
  const lwi_event **list = calloc((size_t)sim->contacts.n + 1, sizeof *list);
  if (!list) return lwi_out_of_memory(err, "an event");
  int n;
  bool approach;
  lw_status status = lwi_contacts_start(sim, t, list, &n, &approach);
  int first = 0;
  const lwi_event *beyond = status == LW_OK ? lwi_contacts_find_beyond(sim, false, &first) : NULL;
  if (beyond && beyond->d.action == LW_ACTION_CONTACT)
    status =
        lwi_event_fail(beyond, t, err, LW_E_MODEL,
                       beyond->d.contact.on == LW_ON_ROPE ? "the rope is longer than its length"
                                                          : "the bodies overlap");
  else if (beyond)
    status = lwi_event_fail(beyond, t, err, LW_E_MODEL, "the joint \"%s\" is beyond its limit",
                            beyond->d.joint);
  else if (status != LW_OK)
    lwi_simulation_fail(sim, t, status, "contacts cannot be evaluated", err);
  else if (n > 0)
    status =
        approach ? lwi_events_happen(sim, t, list, n, err) : lwi_events_rest(sim, t, list, n, err);
  free(list);
  return status;
}

static bool any_contact_changes(const lw_simulation *sim)
{
  for (int i = 0; i < sim->contacts.n; i++)
    if (sim->contacts.item[i].leaving || sim->contacts.item[i].stuck) return true;
  return false;
}

/* Loads that switch and samples are no events: nothing is reported of them. */
double lw_simulation_next_event(const lw_simulation *sim)
{
  if (!sim) return NAN;
  const bool silent = lwi_triggers_only_switch(&sim->triggers) && !any_contact_changes(sim);
  return fmin(lwi_triggers_next_time(&sim->triggers),
              fmin(silent ? HUGE_VAL : sim->found, sim->switches.next));
}

lw_status lwi_events_fire(lw_simulation *sim, lw_error *err)
{
  lwi_triggers *x = &sim->triggers;
  if (sim->contacts.check) return start_contacts(sim, err);
  const double t = lwi_events_next(sim);
  if (t < sim->found) lwi_triggers_forget(x);
  sim->found = HUGE_VAL;
  lwi_curve_forget(&x->curve);
  const lw_status status = lwi_simulation_find_state(sim, t);
  if (status != LW_OK)
    return lwi_simulation_fail(sim, t, status, "the state cannot be computed", err);
  lwi_held_loads_release(sim);
  if (sim->sampling.next <= t)
    return lwi_sampling_take(sim, t, err); /* events of the same instant follow */
  if (x->undefined) {
    const lw_status looked = lwi_triggers_evaluate(x, t, sim->q, sim->u);
    return looked == LW_OK ? lwi_events_fail_undefined(sim, x->undefined, t, err) : looked;
  }
  if (sim->switches.next <= t) {
    const lw_status bounded = lwi_poles_check_time(sim, t, err);
    if (bounded != LW_OK) return bounded;
  }
  const int n = lwi_triggers_take(x, t);
  const lwi_event *zeno = lwi_triggers_find_zeno(x);
  if (zeno)
    return lwi_event_fail(zeno, t, err, LW_E_NOT_CONVERGED,
                          "it comes faster and faster, without end; `once: true` would end it");
  const double span = 1e-6 * sim->options.end;
  const lwi_event *flood = lwi_triggers_find_flood(x, span);
  if (flood)
    return lwi_event_fail(flood, t, err, LW_E_NOT_CONVERGED,
                          "it has come thousands of times within %.3g s: the end of the run would "
                          "not be reached; %s",
                          span,
                          flood->contact == 0       ? "`once: true` would end it"
                          : !sim->integrator->fixed ? "another rtol may lead past it"
                                                    : "give a smaller --step, or an integrator "
                                                      "that chooses its steps");
  if (n == 0 && x->switched && sim->switches.next > t && !any_contact_changes(sim))
    return switch_load(sim, t, err);
  const lw_status refused = refuse_switch(sim, t, err);
  if (refused != LW_OK) return refused;
  if (sim->switches.next <= t || any_contact_changes(sim)) return fire_with_others(sim, t, n, err);
  return lwi_events_happen(sim, t, x->due, n, err);
}

lw_status lwi_events_repeat(lw_simulation *sim, double t, const double q[], const double u[],
                            const int number[], int n, lw_error *err)
{
  const lwi_event **list = calloc((size_t)n + 1, sizeof *list);
  if (!list) return lwi_out_of_memory(err, "an event");
  for (int i = 0; i < n; i++)
    list[i] = &sim->first->event[number[i] - 1];
  lw_status status = lwi_simulation_go_over(sim, sim->m, NULL, t, q, u, err);
  if (status == LW_OK) status = lwi_simulation_find_state(sim, t);
  if (status == LW_OK) status = lwi_events_happen(sim, t, list, n, err);
  free(list);
  return status;
}
