/* SPDX-License-Identifier: Apache-2.0 */
/* instant_report.c -- the report of an instant: names, states before and after, impulses,
   energies. */
#include "base/fail.h"
#include "sim/run/instant.h"

#include <math.h>
#include <string.h>

lw_status lwi_instant_begin_report(lwi_instant *x, lw_error *err)
{
  lw_simulation *sim = x->sim;
  const char **names = LWI_TAKE(&x->arena, x->nevent, const char *);
  const size_t nq = (size_t)lw_nq_all(sim->m), nu = (size_t)lw_nu_all(sim->m);
  double *state = LWI_TAKE(&x->arena, nq + nu + 1, double);
  if (!names || !state) return lwi_out_of_memory(err, "an event");
  for (int i = 0; i < x->nevent; i++) {
    char name[100];
    lwi_event_name(x->event[i], name, sizeof name);
    if (!(names[i] = lwi_arena_text(&x->arena, name))) return lwi_out_of_memory(err, "an event");
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

/* The speed above which bodies separate.  Contacts that have worked before bounce more and more
   weakly: their last crossings may be found when they are apart again. */
static double separating_speed(const lw_simulation *sim, const lwi_event *e)
{
  const lwi_contacts *c = &sim->contacts;
  const double largest = lwi_contacts_largest_speed(sim);
  for (int i = 0; i < c->n; i++)
    if (c->item[i].e == e && c->item[i].stuck)
      return HUGE_VAL;
    else if (c->item[i].e == e && c->item[i].pushed)
      return 1e-3 * fmax(largest, c->fastest);
  return 1e-9 * largest;
}

lw_status lwi_instant_warn(lwi_instant *x, lw_error *err)
{
  const lw_simulation *sim = x->sim;
  const lw_work *w = sim->system->dynamics->work;
  lw_error *list = NULL;
  for (int i = 0; i < x->nevent; i++) {
    const lwi_event *e = x->event[i];
    lwi_unit_push unit;
    if (e->d.action != LW_ACTION_IMPACT || !lwi_unit_push_of(sim->m, w, &e->d, &unit)) continue;
    const double speed = lwi_unit_push_speed(w, &unit);
    if (!(speed > separating_speed(sim, e))) continue;
    if (!list) list = LWI_TAKE(&x->arena, x->nevent, lw_error);
    if (!list) return lwi_out_of_memory(err, "an event");
    lwi_event_fail(e, x->t, &list[x->report.nwarning++], LW_OK,
                   "nothing happens, because \"%s\" moves away from \"%s\" at %.3g m/s along "
                   "`normal`, which must point from \"%s\" to \"%s\"",
                   lw_body_name(sim->m, e->d.body), lw_body_name(sim->m, e->d.other), speed,
                   lw_body_name(sim->m, e->d.other), lw_body_name(sim->m, e->d.body));
  }
  x->report.warnings = list;
  return LW_OK;
}

/* Numbers impulses as in the model with contacts; the entries of contacts are their impulses. */
static lw_status renumber_impulses(lwi_instant *x, lw_error *err)
{
  const lw_model *a = x->hit_model ? x->hit_model : x->report.before, *b = x->sim->m;
  const lwi_contacts *c = &x->sim->contacts;
  const size_t n = (size_t)b->nconstraint + 1;
  double(*constraint)[6] = lwi_arena_take(&x->arena, n, sizeof *constraint);
  double *relation = LWI_TAKE(&x->arena, n, double);
  if (!constraint || !relation) return lwi_out_of_memory(err, "an event");
  for (int i = 1; i <= b->nconstraint; i++) {
    const char *name = b->constraint[i].info.name;
    const int before = lwi_find_constraint(a, name);
    if (before > 0) {
      memcpy(constraint[i], x->hit.impulses.constraint[before], sizeof *constraint);
      relation[i] = x->hit.impulses.relation[before];
    }
    for (int k = 0; k < x->ntouch; k++)
      if (strcmp(c->item[c->touch[k].contact].e->contact_name, name) != 0) {
        continue;
      } else if (c->touch[k].e->action == LW_ACTION_IMPACT ||
                 c->touch[k].e->action == LW_ACTION_CONTACT) {
        for (int l = 0; l < 3; l++)
          constraint[i][3 + l] = c->touch[k].push * c->touch[k].unit.load[3 + l];
      } else {
        relation[i] = c->touch[k].push * c->touch[k].e->normal[0];
      }
  }
  x->report.impulses = x->hit.impulses.joint[0];
  x->report.constraint_impulses = constraint[0];
  x->report.relation_impulses = relation;
  return LW_OK;
}

/* Adds the names of contacts that were hit without being due. */
static lw_status name_others(lwi_instant *x, lw_error *err)
{
  const lwi_contacts *c = &x->sim->contacts;
  const char **names = LWI_TAKE(&x->arena, x->nevent + x->ntouch, const char *);
  int n = x->nevent;
  if (!names) return lwi_out_of_memory(err, "an event");
  memcpy(names, x->report.names, (size_t)n * sizeof *names);
  for (int i = 0; i < x->ntouch; i++) {
    const lwi_event *e = c->item[c->touch[i].contact].e;
    char name[100];
    bool due = !(c->touch[i].push > 0);
    for (int k = 0; k < x->nevent; k++)
      due = due || x->event[k] == e;
    if (due) continue;
    lwi_event_name(e, name, sizeof name);
    if (!(names[n++] = lwi_arena_text(&x->arena, name))) return lwi_out_of_memory(err, "an event");
  }
  x->report.names = names;
  x->report.nevent = n;
  return LW_OK;
}

static lw_status add_hit(lwi_instant *x, lw_hit list[], const lwi_event *e, double impulse,
                         lw_error *err)
{
  char name[100];
  lwi_event_name(e, name, sizeof name);
  list[x->report.nhit] = (lw_hit){lwi_arena_text(&x->arena, name), impulse};
  return list[x->report.nhit++].name ? LW_OK : lwi_out_of_memory(err, "an event");
}

/* The hit of a contact or limit, and of its friction. */
static lw_status add_touch(lwi_instant *x, lw_hit list[], const lwi_touching *touch, lw_error *err)
{
  const lwi_contacts *c = &x->sim->contacts;
  const int i = touch->contact;
  const double drag = hypot(touch->drag[0], touch->drag[1]);
  const lw_status status = add_hit(x, list, c->item[i].e, touch->push, err);
  if (status != LW_OK || drag == 0 || i + 1 >= c->n || c->item[i + 1].normal != i) return status;
  return add_hit(x, list, c->item[i + 1].e, drag, err);
}

/* Impulses of contacts and limits, of which some were hit without being due, and of impacts of
   events. */
static lw_status list_hits(lwi_instant *x, const lwi_jump *j, lw_error *err)
{
  const lwi_contacts *c = &x->sim->contacts;
  lw_hit *list = LWI_TAKE(&x->arena, 2 * x->ntouch + j->nimpact + 1, lw_hit);
  lw_status status = list ? LW_OK : lwi_out_of_memory(err, "an event");
  for (int i = 0; i < x->ntouch && status == LW_OK; i++)
    if (c->touch[i].push > 0) status = add_touch(x, list, &c->touch[i], err);
  for (int i = 0; i < j->nimpact && status == LW_OK; i++) {
    bool listed = !(j->impact[i].push > 0);
    for (int k = 0; k < x->ntouch; k++)
      listed = listed || c->touch[k].e == j->impact[i].e;
    for (int k = 0; k < x->nevent && !listed && status == LW_OK; k++)
      if (&x->event[k]->d == j->impact[i].e)
        status = add_hit(x, list, x->event[k], j->impact[i].push, err);
  }
  x->report.hits = list;
  return status;
}

/* Says that an impact has had no restitution. */
static lw_status warn_of_jam(lwi_instant *x, lw_error *err)
{
  const int n = x->report.nwarning;
  lw_error *list = LWI_TAKE(&x->arena, n + 1, lw_error);
  if (!list) return lwi_out_of_memory(err, "an event");
  if (n > 0) memcpy(list, x->report.warnings, (size_t)n * sizeof *list);
  lwi_event_fail(
      x->event[0], x->t, &list[n], LW_OK,
      "the bodies jam: no impulses within the cones of friction have the restitution, and "
      "the impact has none");
  x->report.warnings = list;
  x->report.nwarning = n + 1;
  return LW_OK;
}

lw_status lwi_instant_end_report(lwi_instant *x, lw_error *err)
{
  lw_event_report *r = &x->report;
  const lwi_jump *j = x->rests ? &x->hit : &x->jump;
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
  for (int i = 0; i < x->ntouch; i++) {
    lwi_contact *k = &x->sim->contacts.item[x->sim->contacts.touch[i].contact];
    k->pushed = k->pushed || x->sim->contacts.touch[i].push > 0;
  }
  lw_status status = j->jammed ? warn_of_jam(x, err) : LW_OK;
  if (status == LW_OK) status = list_hits(x, j, err);
  if (status == LW_OK && x->rests) status = renumber_impulses(x, err);
  return status == LW_OK && x->ntouch > 0 ? name_others(x, err) : status;
}
