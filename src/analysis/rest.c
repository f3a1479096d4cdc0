/* SPDX-License-Identifier: Apache-2.0 */
/* rest.c -- static equilibrium with rigid limits, contacts, ropes and dry friction.

   What holds at a position is decided as at the start of a run (sim/run/instant_rest.c): the complementarity problem of
   loads and accelerations, after everything has gone to where it rests while friction holds.  With what holds as constraints an equilibrium is searched; the search ends where something else
   closes.  Both are repeated until what holds there is what was held on the way. */
#include "analysis/barrier.h"
#include "base/fail.h"
#include "linkwork/loops.h"
#include "linkwork/query.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lw_rest {
  const lw_model *m;
  double t;
  lw_simulation *sim; /* its model is that of what holds */
  lw_work *w;         /* of that model */
  double *q, *u;      /* [nq_all], [nu_all] zeros */
  double *other;      /* [nq_all] scratch */
  lw_equilibrium_options o;
  lw_equilibrium_report report;
  double (*range)[2]; /* [contacts] */
  double *load;       /* [contacts] */
};

bool lw_is_one_sided(const lw_model *m)
{
  for (int i = 0; m && i < m->nevent; i++) {
    const lw_action action = m->event[i].d.action;
    if (action == LW_ACTION_LIMIT || action == LW_ACTION_CONTACT || action == LW_ACTION_SLIP ||
        action == LW_ACTION_FRICTION)
      return true;
  }
  return false;
}

void lw_rest_free(lw_rest *r)
{
  if (!r) return;
  lw_work_free(r->w);
  lw_simulation_free(r->sim);
  free(r->q);
  free(r->u);
  free(r->other);
  free(r->range);
  free(r->load);
  free(r);
}

/* ---- what holds ---- */

static bool is_held(const lwi_contact *k)
{
  return k->resting;
}

/* A simulation that starts at q, at rest, and the work of its model. */
static lw_status decide(lw_rest *r, bool sticks, lw_error *err)
{
  const lw_simulation_options o = {.formulation = LW_FORMULATION_TREE};
  lw_work_free(r->w);
  lw_simulation_free(r->sim);
  r->w = NULL;
  r->sim = lw_simulation_new(r->m, &o, err);
  if (!r->sim) return err->status;
  r->sim->contacts.sticks = sticks;
  lw_status status = lw_simulation_start(r->sim, r->t, r->q, r->u, err);
  /* contacts only: written events of this time have not happened */
  for (int i = 0; i < 10 && status == LW_OK && r->sim->contacts.check; i++)
    status = lwi_events_fire(r->sim, err);
  if (status != LW_OK) return status;
  status = lwi_simulation_find_state(r->sim, r->t);
  if (status != LW_OK) return lwi_fail(err, status, "%s", lw_status_text(status));
  const lw_model *m = lw_simulation_model(r->sim);
  if (m->nq != r->m->nq || m->nu != r->m->nu)
    return lwi_fail(err, LW_E_UNSUPPORTED,
                    "an equilibrium is not found where events change the coordinates");
  if (m->nq) memcpy(r->q, r->sim->q, (size_t)m->nq * sizeof *r->q);
  r->w = lw_work_new(m);
  return r->w ? LW_OK : lwi_out_of_memory(err, NULL);
}

/* Is what holds the same as before?  held: [contacts], which is updated. */
static bool is_settled(const lw_rest *r, signed char held[])
{
  const lwi_contacts *c = &r->sim->contacts;
  bool same = true;
  for (int i = 0; i < c->n; i++) {
    const signed char now = (signed char)(is_held(&c->item[i]) ? 2 : c->item[i].sliding);
    same = same && now == held[i];
    held[i] = now;
  }
  return same;
}

/* ---- loads ---- */

static int constraint_of(const lw_rest *r, const lwi_contact *k)
{
  return lwi_find_constraint(lw_simulation_model(r->sim), k->e->contact_name);
}

/* What it carries at q. */
static double load_of(const lw_rest *r, const lwi_contact *k)
{
  double load[6] = {0};
  const lw_constraint c = {constraint_of(r, k)};
  if (k->e->d.action != LW_ACTION_CONTACT && !lwi_is_slip(k)) {
    lw_get_relation_load(r->w, c, load);
    return k->e->d.normal[0] * load[0];
  }
  lw_get_constraint_load(r->w, c, load);
  return sqrt(load[3] * load[3] + load[4] * load[4] + load[5] * load[5]);
}

/* What the bearings of a joint with friction of its own load carry at the last static loads. */
static double bearing_of(const lw_rest *r, const lwi_contact *k)
{
  const lw_event_desc *d = &k->e->d;
  const lw_model *m = lw_simulation_model(r->sim);
  lwi_bearing bearing;
  double load[6];
  if (!lwi_bearing_init(&bearing, m, d->joint, d->bearing)) return NAN;
  lwi_bearing_place(&bearing, m, r->w);
  lw_get_load(r->w, lw_find_joint(m, d->joint), load);
  return lwi_bearing_load(&bearing, load, NULL);
}

/* The number of the state with the load from which the friction of what slides follows; -1: it is constant. */
static int own_state(const lw_rest *r, const lwi_contact *k)
{
  const lw_model *m = lw_simulation_model(r->sim);
  if (lwi_is_slip(k)) return k->state;
  for (int i = 0; i < m->nstate && lwi_has_own_load(k); i++)
    if (m->state[i].bearing && strcmp(m->state[i].bearing, k->e->d.joint) == 0) return i;
  return -1;
}

/* Loads that follow from where the search has ended, for what slides there; *changes: by how much. */
static lw_status take_own_loads(lw_rest *r, double *changes)
{
  const lwi_contacts *c = &r->sim->contacts;
  lw_status status = LW_OK;
  *changes = 0;
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    const lwi_contact *k = &c->item[i];
    const int state = k->sliding ? own_state(r, k) : -1;
    if (state < 0) continue;
    status = lw_static_loads(r->w, r->t, r->q, NULL);
    if (status == LW_OK) status = lw_joint_loads(r->w);
    double *x = r->q + lwi_first_state(r->m) + state;
    const double now = lwi_is_slip(k) ? load_of(r, &c->item[k->normal]) : bearing_of(r, k);
    *changes = fmax(*changes, fabs(now - *x) / fmax(fabs(now), 1e-300));
    *x = now;
  }
  return status;
}

/* ---- the search ---- */

/* The least gap of what is open, in typical lengths or radians; what is not there has none. */
static double least_gap(void *context, const double q[])
{
  lw_rest *r = context;
  const lwi_contacts *c = &r->sim->contacts;
  double least = HUGE_VAL;
  if (lwi_triggers_evaluate(&r->sim->triggers, r->t, q, r->u) != LW_OK) return -HUGE_VAL;
  for (int i = 0; i < c->n; i++) {
    const lwi_contact *k = &c->item[i];
    if (lwi_is_friction(k) || lwi_is_slip(k) || is_held(k)) continue;
    const double g = r->sim->triggers.when[k->trigger].g / lwi_contact_unit(k, r->sim->m);
    if (!isnan(g)) least = fmin(least, k->side < 0 ? -g : g);
  }
  return least;
}

/* Without speeds; loops closed. */
static lw_status search(lw_rest *r, bool *blocked, lw_error *err)
{
  const lwi_barrier barrier = {least_gap, r};
  memset(r->other, 0, (size_t)r->m->nu * sizeof *r->other);
  lw_status status = lw_project(r->w, r->t, r->q, r->other);
  if (status != LW_OK)
    return lw_explain(r->w, r->t, r->q, NULL, status, "the equilibrium cannot be found", err);
  return lwi_equilibrium_within(r->w, r->t, r->q, &barrier, &r->o, &r->report, blocked, err);
}

/* With friction of own loads the search is repeated with the loads that it has led to. */
static lw_status search_all(lw_rest *r, bool *blocked, lw_error *err)
{
  enum { MOST = 100 };
  double changes = 0;
  take_own_loads(r, &changes); /* where it starts: else there might be nothing that stops it */
  for (int round = 0; round < MOST; round++) {
    lw_status status = search(r, blocked, err);
    if (status != LW_OK || *blocked) return status;
    status = take_own_loads(r, &changes);
    if (status != LW_OK)
      return lw_explain(r->w, r->t, r->q, NULL, status, "the loads at rest cannot be found", err);
    if (changes <= 1e-12) return LW_OK;
  }
  return lwi_fail(
      err, LW_E_NOT_CONVERGED,
      "no equilibrium was found: friction that depends on its own load does not settle; "
      "start nearer to where it holds, or use `run`");
}

/* Searches and decides in turn until nothing changes. */
static lw_status settle_as(lw_rest *r, bool sticks, signed char held[], lw_error *err)
{
  enum { MOST = 200 };
  bool blocked = false;
  lw_status status = decide(r, sticks, err);
  if (status == LW_OK) is_settled(r, held);
  for (int round = 0; round < MOST && status == LW_OK; round++) {
    status = search_all(r, &blocked, err);
    if (status == LW_OK) status = decide(r, sticks, err);
    if (status == LW_OK && is_settled(r, held) && !blocked) return LW_OK;
  }
  if (status != LW_OK) return status;
  return lwi_fail(err, LW_E_NOT_CONVERGED,
                  "no equilibrium was found: what of limits, contacts and friction holds does not "
                  "settle; another start may lead to one");
}

/* First everything that touches sticks, while all else goes to where it rests: what friction has to carry is known
   only then.  What it cannot carry slides from there. */
static lw_status settle(lw_rest *r, signed char held[], lw_error *err)
{
  const size_t bytes = (size_t)r->m->nq * sizeof *r->q;
  double *start = malloc(bytes + 1);
  lw_error unused = {0};
  if (!start) return lwi_out_of_memory(err, NULL);
  memcpy(start, r->q, bytes);
  if (settle_as(r, true, held, &unused) != LW_OK) memcpy(r->q, start, bytes);
  free(start);
  return settle_as(r, false, held, err);
}

/* ---- what friction allows ---- */

/* The coordinate of a friction of a joint. */
static int coordinate_of(const lw_rest *r, const lwi_contact *k)
{
  const lw_joint j = lw_find_joint(r->m, k->e->d.joint);
  return lw_get_joint(r->m, j).q_all + k->e->d.dofs[0] - 1;
}

/* The load up to which a friction holds at the last static loads. */
static double bound_of(const lw_rest *r, const lwi_contact *k)
{
  return k->e->d.bound[1] * (k->e->d.own_load ? bearing_of(r, k) : 1);
}

/* By how much the bound of a friction is larger than its load with its freedom at another place, everything else in
   equilibrium there; NaN: there is none, or something else closes.  q: where to begin. */
static double margin_at(lw_rest *r, const lwi_contact *k, double place, double q[])
{
  lw_model *m = (lw_model *)lw_simulation_model(r->sim); /* of the simulation, which is ours */
  lwi_relation *relation = &m->constraint[constraint_of(r, k)].relation;
  const double before = relation->offset;
  const lwi_barrier barrier = {least_gap, r};
  const lw_equilibrium_options o = {.nearest = true, .tolerance = 1e-12};
  bool blocked = false;
  double margin = NAN;
  lw_error unused;
  lw_equilibrium_report report;
  const int at = coordinate_of(r, k);
  relation->offset = place;
  if (at < r->m->nq) q[at] = place;
  memset(r->other, 0, (size_t)r->m->nu * sizeof *r->other);
  if (lw_project(r->w, r->t, q, r->other) == LW_OK && least_gap(r, q) > -1e-12 &&
      lwi_equilibrium_within(r->w, r->t, q, &barrier, &o, &report, &blocked, &unused) == LW_OK &&
      !blocked && lw_static_loads(r->w, r->t, q, NULL) == LW_OK && lw_joint_loads(r->w) == LW_OK)
    margin = bound_of(r, k) * (1 + 1e-12) - fabs(load_of(r, k));
  relation->offset = before;
  return margin;
}

/* The end of the range in one direction: where the load reaches its bound.  Steps double until it does. */
static double range_end(lw_rest *r, const lwi_contact *k, double from, double sign, double q[])
{
  const double far = 20 * fmax(1, r->m->length);
  const size_t bytes = (size_t)r->m->nq * sizeof *q;
  double inside = from, step = 1e-3 * fmax(1, r->m->length);
  for (bool found = false; step > 1e-14 * fmax(1, fabs(inside)); step *= found ? 0.5 : 2) {
    const double place = inside + sign * step;
    memcpy(q, r->q, bytes);
    if (margin_at(r, k, place, q) >= 0)
      inside = place;
    else
      found = true;
    if (fabs(inside - from) > far) return sign * HUGE_VAL;
  }
  return inside;
}

static lw_status find_parts(lw_rest *r, lw_error *err)
{
  const lwi_contacts *c = &r->sim->contacts;
  double *q = malloc(((size_t)lw_nq_all(r->m) + 1) * sizeof *q);
  lw_status status = q ? lw_static_loads(r->w, r->t, r->q, NULL) : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) status = lw_joint_loads(r->w);
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    r->range[i][0] = r->range[i][1] = NAN;
    r->load[i] = is_held(&c->item[i]) ? load_of(r, &c->item[i]) : 0;
  }
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    const lwi_contact *k = &c->item[i];
    if (!is_held(k) || !lwi_is_friction(k)) continue;
    const double at = lw_simulation_model(r->sim)->constraint[constraint_of(r, k)].relation.offset;
    for (int side = 0; side < 2; side++)
      r->range[i][side] = range_end(r, k, at, side ? 1 : -1, q);
  }
  free(q);
  return status == LW_OK ? lw_static_loads(r->w, r->t, r->q, NULL) : status;
}

/* ---- make ---- */

static bool allocate(lw_rest *r)
{
  const size_t nq = (size_t)lw_nq_all(r->m) + 1, nu = (size_t)lw_nu_all(r->m) + 1,
               n = (size_t)r->m->nevent + 1;
  r->q = calloc(nq, sizeof *r->q);
  r->u = calloc(nu, sizeof *r->u);
  r->other = calloc(nq + nu, sizeof *r->other);
  r->range = calloc(n, sizeof *r->range);
  r->load = calloc(n, sizeof *r->load);
  return r->q && r->u && r->other && r->range && r->load;
}

lw_rest *lw_rest_new(const lw_model *m, double t, const double q[],
                     const lw_equilibrium_options *options, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!m || (m->nq && !q))
    return lwi_fail(err, LW_E_ARG, "lw_rest_new: an argument is missing"), NULL;
  lw_rest *r = calloc(1, sizeof *r);
  signed char *held = calloc((size_t)m->nevent + 1, 1);
  if (r) *r = (lw_rest){.m = m, .t = t, .o = options ? *options : (lw_equilibrium_options){0}};
  lw_status status = r && held && allocate(r) ? LW_OK : lwi_out_of_memory(err, NULL);
  if (status == LW_OK && m->nq) memcpy(r->q, q, (size_t)m->nq * sizeof *q);
  if (status == LW_OK) status = settle(r, held, err);
  if (status == LW_OK) status = find_parts(r, err);
  free(held);
  if (status == LW_OK) return r;
  if (err->status == LW_OK) lwi_fail(err, status, "%s", lw_status_text(status));
  lw_rest_free(r);
  return NULL;
}

/* ---- ask ---- */

const lw_model *lw_rest_model(const lw_rest *r)
{
  return r ? lw_simulation_model(r->sim) : NULL;
}

const double *lw_rest_q(const lw_rest *r)
{
  return r ? r->q : NULL;
}

lw_equilibrium_report lw_rest_report(const lw_rest *r)
{
  return r ? r->report : (lw_equilibrium_report){0};
}

int lw_rest_npart(const lw_rest *r)
{
  return r ? r->sim->contacts.n : 0;
}

lw_rest_part lw_rest_get_part(const lw_rest *r, int i)
{
  if (!r || i < 0 || i >= r->sim->contacts.n)
    return (lw_rest_part){.name = NULL, .lower = (double)NAN, .upper = (double)NAN};
  const lwi_contact *k = &r->sim->contacts.item[i];
  return (lw_rest_part){.name = k->e->contact_name,
                        .holds = is_held(k),
                        .load = r->load[i],
                        .lower = r->range[i][0],
                        .upper = r->range[i][1]};
}
