/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_queries.c -- public queries of a simulation: time, model, statistics, reports. */
#include "sim/run/simulation_data.h"
#include "linkwork/contacts.h"
#include "linkwork/loops.h"
#include "linkwork/events.h"

#include <math.h>

const lw_work *lwi_simulation_work(const lw_simulation *sim)
{
  return sim->system->dynamics->work;
}

const char *lw_simulation_open_load(const lw_simulation *sim, int index)
{
  for (int i = 0; sim && i < sim->contacts.n && index >= 0; i++)
    if (sim->contacts.item[i].open && index-- == 0) return sim->contacts.item[i].e->d.name;
  return NULL;
}

static double contact_state(const lwi_contacts *c, const lwi_event *e)
{
  for (int i = 0; i < c->n; i++) {
    if (c->item[i].e != e) continue;
    if (!c->item[i].resting) return LWI_FREEDOM_FREE;
    const lwi_contact *slip = i + 1 < c->n && c->item[i + 1].normal == i ? &c->item[i + 1] : NULL;
    if (!slip) return LWI_FREEDOM_LOWER;
    if (!slip->resting) return LWI_FREEDOM_SLIDING;
    return e->d.contact.radius > 0 ? LWI_FREEDOM_ROLLING : LWI_FREEDOM_STICKING;
  }
  return (double)NAN;
}

double lwi_simulation_freedom_state(const lw_simulation *sim, int event)
{
  const lw_event_desc *d = &sim->first->event[event].d;
  int state = LWI_FREEDOM_FREE;
  if (d->action == LW_ACTION_CONTACT)
    return contact_state(&sim->contacts, &sim->first->event[event]);
  if (lw_find_joint(sim->m, d->joint).id == 0) return (double)NAN;
  for (int i = 0; i < sim->contacts.n; i++) {
    const lwi_contact *k = &sim->contacts.item[i];
    if (!lwi_same_freedom(&k->e->d, d)) continue;
    if (!lwi_is_friction(k) && k->resting)
      return k->e->d.normal[0] > 0 ? LWI_FREEDOM_LOWER : LWI_FREEDOM_UPPER;
    if (k->resting) state = LWI_FREEDOM_STICKING;
    if (k->sliding) state = LWI_FREEDOM_SLIDING;
  }
  return state;
}

void lw_simulation_cut_joints(const lw_simulation *sim, double q[], double u[])
{
  if (!sim) return;
  lw_get_cut_joints(sim->system->dynamics->work, q, u, NULL);
}

double lw_simulation_time(const lw_simulation *sim)
{
  if (!sim) return NAN;
  return sim->wanted;
}

lw_simulation_options lw_simulation_used(const lw_simulation *sim)
{
  if (!sim) return (lw_simulation_options){0};
  return sim->options;
}

void lw_simulation_watch(lw_simulation *sim, lw_step_callback callback, void *context)
{
  if (!sim) return;
  sim->callback = callback;
  sim->context = context;
}

void lw_simulation_interrupt(lw_simulation *sim, lw_step_callback callback, void *context)
{
  if (!sim) return;
  sim->interrupt = (lwi_interrupt){callback, context, false};
}

double lwi_simulation_time(const lw_simulation *sim, double t)
{
  return sim ? lwi_system_time(sim->system, t) : t;
}

lw_status lwi_simulation_dynamics(const lw_simulation *sim, lw_dynamics **d, lw_error *err)
{
  const lw_simulation_options o = lwi_simulation_phase_options(sim, sim->m);
  *d = lw_dynamics_new(sim->m, &o, err);
  return *d ? LW_OK : err ? err->status : LW_E_MEMORY;
}

int lw_simulation_singularities(const lw_simulation *sim, const lw_singularity **found)
{
  if (!sim) return 0;
  if (found) *found = sim->singularities.found;
  return sim->singularities.n;
}

lw_simulation_statistics lw_simulation_report(const lw_simulation *sim)
{
  if (!sim) return (lw_simulation_statistics){0};
  lw_simulation_statistics r = sim->report;
  r.evaluations += sim->system->evaluations;
  r.method = sim->integrator->method;
  sim->integrator->count(sim->integrator, &r);
  return r;
}

const char *lw_simulation_joint_beyond(const lw_simulation *sim, int i)
{
  int at = 0;
  const lwi_event *e = sim ? lwi_contacts_find_beyond(sim, true, &at) : NULL;
  for (int k = 0; k < i && e; k++)
    e = lwi_contacts_find_beyond(sim, true, &at);
  return e && i >= 0 ? e->d.joint : NULL;
}
