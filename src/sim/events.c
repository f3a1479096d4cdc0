/* SPDX-License-Identifier: Apache-2.0 */
/* events.c -- the events of a simulation: which model there is, what comes when. */
#include "base/fail.h"
#include "sim/simulation_data.h"

#include <math.h>
#include <stdlib.h>

/* ---- make ---- */

const lw_spec *lwi_events_spec(const lw_simulation *sim)
{
  if (sim->raising) return sim->raising;
  return sim->spec ? sim->spec : sim->first->spec;
}

void lwi_events_find_room(lw_simulation *sim)
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
  lwi_events_find_room(sim);
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

/* ---- fire ---- */

static lw_status no_memory(lw_error *err)
{
  return lwi_fail(err, LW_E_MEMORY, "out of memory for an event");
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
