/* SPDX-License-Identifier: Apache-2.0 */
/* contact_watch.c -- when something that rests or sticks gives way: loads along a step as curves
   (events/curve.h), and the first time at which one is outside its bounds.  While all of it stands
   still the integrator may take steps of any length, and loads may leave their bounds and come back
   within one; a curve is refined until its values in between are known. */
#include "linkwork/loops.h"
#include "sim/formulation/shared_loads.h"
#include "sim/run/own_bounds.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>

enum {
  MOST_HALVES = 14, /* of a step whose loads no curve resolves */
  MOST_PIECES = 300 /* in which one step is examined */
};
/* of a piece: shorter times outside the bounds are rounding errors */
static const double no_time = 1e-9;

/* ---- loads at a time ---- */

static lw_status list_watched(lw_simulation *sim)
{
  lwi_contacts *c = &sim->contacts;
  lwi_curve_free(&c->curve);
  free(c->watched);
  free(c->udot);
  c->nwatched = 0;
  c->watched = malloc((size_t)c->n * sizeof *c->watched + 1);
  c->udot = calloc((size_t)lw_nu_all(sim->m) + 1, sizeof *c->udot);
  for (int i = 0; i < c->n && c->watched; i++)
    if (c->item[i].resting) c->watched[c->nwatched++] = i;
  return c->watched && c->udot && lwi_curve_init(&c->curve, c->nwatched) ? LW_OK : LW_E_MEMORY;
}

static lw_status find_loads(lw_simulation *sim, double t)
{
  lwi_contacts *c = &sim->contacts;
  lw_status status = lwi_simulation_find_state(sim, t);
  if (status == LW_OK)
    status = lw_dynamics_accelerate(c->dynamics, lwi_simulation_time(sim, t), sim->q, sim->u, NULL,
                                    c->udot);
  if (status == LW_OK) status = lw_dynamics_find_loads(c->dynamics);
  if (status == LW_OK) lwi_contacts_find_bearings(c, c->dynamics);
  return status;
}

static lw_status open_phase(lw_simulation *sim)
{
  lwi_contacts *c = &sim->contacts;
  lw_error err;
  if (c->dynamics && c->phase == sim->phase) return LW_OK;
  lw_dynamics_free(c->dynamics);
  c->dynamics = NULL;
  c->phase = sim->phase;
  lw_status status = list_watched(sim);
  if (status == LW_OK) status = lwi_simulation_dynamics(sim, &c->dynamics, &err);
  return status == LW_OK ? find_loads(sim, sim->from) : status; /* are they unique? */
}

static lw_status sample(void *context, double t, bool rough, double row[], double noise[])
{
  lw_simulation *sim = context;
  const lwi_contacts *c = &sim->contacts;
  const lw_status status = find_loads(sim, t);
  (void)rough;
  for (int i = 0; i < c->nwatched && status == LW_OK; i++) {
    lwi_load_bounds b;
    row[i] = lwi_contact_watched_load(c, c->watched[i], c->dynamics);
    lwi_contact_bounds(c, &c->item[c->watched[i]], sim->m, &b);
    if (noise) noise[i] = 0.1 * b.noise + 1e-13 * fabs(row[i]);
  }
  return status;
}

/* Finds the contact whose load is farthest outside its bounds at t, within the last step; -1:
   none. */
static lw_status find_outside(lw_simulation *sim, double t, int *which)
{
  lwi_contacts *c = &sim->contacts;
  const lw_status status = find_loads(sim, t);
  double worst = 0;
  *which = -1;
  for (int i = 0; i < c->n; i++)
    c->hold[i] = c->item[i].resting;
  for (int i = 0; i < c->nwatched && status == LW_OK; i++) {
    const int k = c->watched[i];
    lwi_load_bounds b;
    lwi_contact_bounds(c, &c->item[k], sim->m, &b);
    c->load[k] = lwi_contact_load(&c->item[k], c->dynamics);
    const double load = lwi_contact_watched_load(c, k, c->dynamics);
    const double out = fmax(b.lower - load, load - b.upper);
    if (out > worst) worst = out, *which = k;
  }
  return status;
}

/* ---- when ---- */

/* Between a, where all loads are possible, and b, where one is not. */
static lw_status locate(lw_simulation *sim, double a, double b, int which)
{
  lw_status status = LW_OK;
  for (int i = 0; i < 60 && b - a > 4e-15 * fmax(fabs(b), 1e-6) && status == LW_OK; i++) {
    const double c = a + 0.5 * (b - a);
    int one;
    status = find_outside(sim, c, &one);
    if (one >= 0) which = one;
    if (one >= 0)
      b = c;
    else
      a = c;
  }
  if (status == LW_OK) status = lwi_simulation_find_state(sim, b);
  sim->contacts.item[which].leaving = true;
  lwi_triggers_forget(&sim->triggers);
  sim->found = b;
  return status;
}

/* Are all loads within their bounds in the whole piece of the curve?  *known: or are their curves
   known well enough to tell where not? */
static bool stays_inside(lw_simulation *sim, bool *known)
{
  lwi_contacts *c = &sim->contacts;
  bool inside = true;
  *known = true;
  for (int i = 0; i < c->nwatched; i++) {
    lwi_load_bounds b;
    lwi_contact_bounds(c, &c->item[c->watched[i]], sim->m, &b);
    const lwi_interval x = lwi_curve_range(&c->curve, i);
    if (x.low >= b.lower && x.high <= b.upper) continue;
    inside = false;
    *known = *known && lwi_curve_resolves(&c->curve, i);
  }
  return inside;
}

/* May a load be outside between a and b? */
static bool may_leave(lw_simulation *sim, double a, double b)
{
  lwi_contacts *c = &sim->contacts;
  for (int i = 0; i < c->nwatched; i++) {
    lwi_load_bounds bounds;
    lwi_contact_bounds(c, &c->item[c->watched[i]], sim->m, &bounds);
    const lwi_interval x = lwi_curve_bounds(&c->curve, i, a, b).value;
    if (x.low < bounds.lower || x.high > bounds.upper) return true;
  }
  return false;
}

/* a: where all loads are possible */
static lw_status look_at_end(lw_simulation *sim, double a, double b)
{
  int which;
  const lw_status status = find_outside(sim, b, &which);
  return status == LW_OK && which >= 0 ? locate(sim, a, b, which) : status;
}

/* The first time from a to b at which a load is outside, by halving; in sim->found. */
static lw_status search(lw_simulation *sim, double a, double b)
{
  const lwi_curve *x = &sim->contacts.curve;
  if (sim->found <= a || !may_leave(sim, a, b)) return LW_OK;
  if (b - a > no_time * (x->b - x->a) && b - a > 4e-15 * fabs(b)) {
    const double c = a + 0.5 * (b - a), found = sim->found;
    const lw_status status = search(sim, a, c);
    return status == LW_OK && sim->found == found ? search(sim, c, b) : status;
  }
  return look_at_end(sim, a, b);
}

/* From a to b, in pieces that a curve resolves; *pieces: how many more there may be. */
static lw_status look(lw_simulation *sim, double a, double b, int halves, int *pieces)
{
  if ((*pieces)-- == 0) return LW_E_NOT_CONVERGED;
  lwi_curve *x = &sim->contacts.curve;
  const double before = sim->found;
  bool known;
  lw_status status = lwi_curve_begin(x, a, b, false, sample, sim);
  while (status == LW_OK) {
    if (stays_inside(sim, &known)) return LW_OK;
    if (known || x->degree == LWI_CURVE_DEGREE) break;
    status = lwi_curve_refine(x);
  }
  if (status != LW_OK) return status;
  if (known) return search(sim, a, b);
  if (halves == 0) return look_at_end(sim, a, b);
  status = look(sim, a, 0.5 * (a + b), halves - 1, pieces);
  return status == LW_OK && sim->found == before ? look(sim, 0.5 * (a + b), b, halves - 1, pieces)
                                                 : status;
}

/* Loads that are not unique are examined at some times: the least possible ones
   (formulation/shared_loads.h) have kinks where they reach a bound, and stay there. */
static lw_status look_at_points(lw_simulation *sim, double a, double b)
{
  enum { POINTS = 8 };
  double before = a;
  lw_status status = LW_OK;
  for (int i = 1; i <= POINTS && status == LW_OK; i++) {
    const double t = i == POINTS ? b : a + i * (b - a) / POINTS;
    int which;
    status = find_outside(sim, t, &which);
    if (status == LW_OK && which >= 0) return locate(sim, before, t, which);
    before = t;
  }
  return status;
}

lw_status lwi_contacts_look(lw_simulation *sim)
{
  const lw_status stuck = sim->contacts.n > 0 ? lwi_contacts_find_stuck(sim) : LW_OK;
  if (stuck != LW_OK || sim->found <= sim->from) return stuck;
  bool any = false;
  for (int i = 0; i < sim->contacts.n; i++)
    any = any || sim->contacts.item[i].resting;
  if (!any) return LW_OK;
  const double to = fmin(sim->integrator->t, sim->found), before = sim->found;
  int pieces = MOST_PIECES;
  lw_status status = open_phase(sim);
  if (status == LW_OK)
    status = lwi_shared_loads_are_open(sim->contacts.dynamics)
                 ? look_at_points(sim, sim->from, to)
                 : look(sim, sim->from, to, MOST_HALVES, &pieces);
  if (status == LW_OK && sim->found == before) status = lwi_simulation_find_state(sim, to);
  if (status == LW_OK) return LW_OK;
  if (status == LW_E_NOT_CONVERGED)
    return lwi_integrator_fail(sim->integrator, status,
                               "the loads of contacts change too fast to be followed within a "
                               "step of %g s: use a smaller step or another integrator",
                               to - sim->from);
  return lwi_integrator_fail(sim->integrator, status, "the loads of contacts cannot be found: %s",
                             lw_status_text(status));
}
