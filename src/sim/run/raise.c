/* SPDX-License-Identifier: Apache-2.0 */
/* raise.c -- events that the caller raises during a run (lw_simulation_raise). */
#include "base/fail.h"
#include "sim/run/simulation_data.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdlib.h>

/* Converts joint numbers of the present model to those of the spec. */
static bool renumber_terms(const lw_simulation *sim, const lw_spec *s, lw_term *terms, int n)
{
  for (int i = 0; i < n; i++) {
    const lw_joint_info info = lw_get_joint(sim->m, terms[i].joint);
    terms[i].joint = info.name ? lw_spec_find_joint(s, info.name) : (lw_joint){-1};
    if (terms[i].joint.id < 1) return false;
  }
  return true;
}

/* Announces in a spec of their own what the events name. */
static lw_status announce(lw_simulation *sim, lw_spec *s, const lw_event_desc *d, lw_error *err)
{
  lw_event_desc copy;
  if (!lwi_event_keep(s, d, &copy)) return lwi_out_of_memory(err, "an event");
  copy.has_when = copy.once = false;
  copy.at = 0;
  lw_spec_locate(s, 0, 0);
  if (copy.new_constraint &&
      !renumber_terms(sim, s, (lw_term *)copy.new_constraint->terms, copy.new_constraint->nterm))
    return lwi_fail(err, LW_E_ARG, "an event names a joint that does not exist");
  lw_add_event(s, &copy);
  return lw_spec_error(s, err);
}

static lw_status raise_from(lw_simulation *sim, const lw_spec *s, int first, int n, lw_error *err)
{
  lwi_event *event = calloc((size_t)n, sizeof *event);
  const lwi_event **list = calloc((size_t)n, sizeof *list);
  lw_status status = event && list ? LW_OK : lwi_out_of_memory(err, "an event");
  for (int i = 0; i < n && status == LW_OK; i++) {
    list[i] = &event[i];
    if (!lwi_event_init(&event[i], s, &s->events.item[first + i].d, (lwi_mark){0}, 0,
                        sim->m->parameter, err))
      status = err ? err->status : LW_E_MODEL;
  }
  if (status == LW_OK) status = lwi_simulation_find_state(sim, sim->wanted);
  if (status == LW_OK) status = lwi_events_happen(sim, sim->wanted, list, n, err);
  free(event);
  free(list);
  return status;
}

lw_status lw_simulation_raise(lw_simulation *sim, const lw_event_desc events[], int n,
                              lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!sim || n < 1 || !events) return lwi_fail(err, LW_E_ARG, "no event to raise");
  if (!sim->first->spec) return lwi_fail(err, LW_E_ARG, "the model has no spec");
  lwi_phase *p = lwi_phase_branch(lwi_events_phase(sim));
  if (!p) return lwi_out_of_memory(err, "an event");
  lw_spec *s = p->branch;
  s->texts = &sim->texts; /* names that it adds persist */
  const int first = s->events.n;
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++)
    status = announce(sim, s, &events[i], err);
  s->events.n = first; /* they happen once: later phases do not list them */
  if (status == LW_OK && !lwi_phase_add_parts(p)) status = lwi_out_of_memory(err, "an event");
  sim->raising = p;
  if (status == LW_OK) status = raise_from(sim, s, first, n, err);
  sim->raising = NULL;
  if (sim->present != p) lwi_phase_free(p);
  if (status == LW_OK) sim->found = HUGE_VAL;
  return status;
}
