/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.c -- contacts, limits and friction of a simulation: hits, what rests from now on, and how
   they begin.  contact_loads.c has their loads, contact_constraints.c their constraints.  See events/contacts.h. */
#include "sim/events/contacts.h"
#include "base/fail.h"
#include "model/joint/joint.h"
#include "sim/run/own_bounds.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* relative to a typical length, or of a radian: largest gap of touching bodies; limits are numbers,
   and exact */
static const double touching = 1e-9, at_limit = 1e-11;
/* relative to the largest speed: slips whose direction is not that of errors of the integration
   ... */
static const double least_slip = 1e-6;
/* ... of which they are so many times the tolerance */
static const double tolerances = 100;
/* relative to the largest speed: the bodies neither approach nor separate */
static const double standstill = 1e-9;
/* ... of a slip that has just ended */
static const double ended = 1e-6;
/* ratio of an interval between hits to the first one below which the hit is the last */
static const double no_time = 1e-5;

/* ---- make ---- */

static int find_trigger(const lwi_triggers *x, const lwi_event *e)
{
  for (int i = 0; i < x->nwhen; i++)
    if (x->when[i].e == e) return i;
  return -1;
}

/* The friction of the freedom of a limit. */
static int find_friction(const lwi_contacts *c, const lwi_contact *limit)
{
  const lw_event_desc *d = &limit->e->d;
  for (int i = 0; i < c->n && d->action == LW_ACTION_LIMIT; i++) {
    if (lwi_is_friction(&c->item[i]) && lwi_same_freedom(&c->item[i].e->d, d)) return i;
  }
  return -1;
}

/* Where the load and the direction of sliding of its contact are. */
static int state_of(const lw_model *m, const lwi_event *e)
{
  char name[LWI_CONTACT_NAME + 20];
  if (e->d.action != LW_ACTION_SLIP) return -1;
  snprintf(name, sizeof name, "touch.%s.load", e->d.name + strlen("friction."));
  for (int i = 0; i < m->nstate; i++)
    if (strcmp(m->state[i].name, name) == 0) return i;
  return -1;
}

lw_status lwi_contacts_open(lw_simulation *sim, lw_error *err)
{
  lwi_contacts *c = &sim->contacts;
  const lw_model *m = sim->first;
  const size_t most = (size_t)m->nevent + 1;
  c->item = calloc(most, sizeof *c->item);
  c->touch = calloc(most, sizeof *c->touch);
  c->hold = calloc(most, sizeof *c->hold);
  c->load = calloc(most, sizeof *c->load);
  if (!c->item || !c->touch || !c->hold || !c->load) return lwi_out_of_memory(err, NULL);
  for (int i = 0; i < m->nevent; i++)
    if (m->event[i].contact > 0)
      c->item[c->n++] =
          (lwi_contact){.e = &m->event[i], .trigger = find_trigger(&sim->triggers, &m->event[i])};
  for (int i = 0; i < c->n; i++) {
    c->item[i].friction = find_friction(c, &c->item[i]);
    c->item[i].normal = lwi_is_slip(&c->item[i]) ? i - 1 : -1; /* added one after the other */
    c->item[i].state = state_of(m, c->item[i].e);
  }
  lwi_contacts_reset(c);
  return lwi_bearings_check(m, err);
}

void lwi_contacts_close(lwi_contacts *c)
{
  lw_dynamics_free(c->dynamics);
  lwi_curve_free(&c->curve);
  free(c->udot);
  free(c->watched);
  free(c->item);
  free(c->touch);
  free(c->hold);
  free(c->load);
  *c = (lwi_contacts){0};
}

/* The sign of the gap before a hit, if the event specifies it; else 0. */
static int side_written(const lwi_contact *k)
{
  const lw_crossing direction = k->e->d.direction;
  return direction == LW_FALLING ? 1 : direction == LW_RISING ? -1 : 0;
}

void lwi_contacts_reset(lwi_contacts *c)
{
  for (int i = 0; i < c->n; i++) {
    c->item[i].fired = c->item[i].let_go = -HUGE_VAL;
    c->item[i].left = HUGE_VAL;
    c->item[i].interval = c->item[i].longest = HUGE_VAL;
    c->item[i].leaving = c->item[i].stuck = c->item[i].slight = false;
    c->item[i].pushed = c->item[i].open = false;
    c->item[i].sliding = c->item[i].slides = 0;
    c->item[i].apart = true;
    c->item[i].side = side_written(&c->item[i]);
  }
  c->fastest = 0;
  c->check = c->n > 0;
}

/* ---- touching bodies ---- */

/* A radian for limits of rotations, else a typical length. */
double lwi_contact_unit(const lwi_contact *k, const lw_model *m)
{
  const lw_event_desc *d = &k->e->d;
  const int joint = d->action == LW_ACTION_LIMIT ? lw_find_joint(m, d->joint).id : 0;
  if (joint < 1) return m->length;
  const bool angle = lwi_joint_traits_of(m->joint[joint].info.type).angles >> (d->dofs[0] - 1) & 1;
  return angle ? 1 : m->length;
}

/* A ball comes to rest by infinitely many hits in finite time: when their intervals have become
   negligible, this is the last one. */
static void note_hit(lwi_contact *k, double t)
{
  const double interval = t - k->fired;
  if (!(interval < k->interval) || !isfinite(k->longest)) k->longest = interval;
  k->interval = interval;
  k->fired = t;
  k->apart = false;
}

/* Thrown off with a speed and pulled back by a constant load, it was no farther away than a quarter of its speed times
   its time: less than the gap is known to.  It would go on hopping for ever, since a hit is seen only when the gap exceeds its noise. */
static bool is_slight(const lw_simulation *sim, const lwi_contact *k, double t)
{
  const lw_work *w = sim->system->dynamics->work;
  lwi_unit_push unit;
  if (k->e->d.action == LW_ACTION_IMPACT || !isfinite(k->left) ||
      !lwi_unit_push_of(sim->m, w, &k->e->d, &unit))
    return false;
  return 0.25 * fabs(lwi_unit_push_speed(w, &unit)) * (t - k->left) <=
         sim->triggers.when[k->trigger].noise;
}

static bool is_last_hit(const lwi_contact *k)
{
  return k->stuck || k->slight || (isfinite(k->longest) && k->interval < no_time * k->longest);
}

static bool is_among(const lwi_event *e, const lwi_event *const event[], int n)
{
  for (int i = 0; i < n; i++)
    if (event[i] == e) return true;
  return false;
}

lw_status lwi_contacts_touch(lw_simulation *sim, double t, const lwi_event *const event[], int n,
                             int *ntouch)
{
  lwi_contacts *c = &sim->contacts;
  *ntouch = 0;
  if (c->n == 0) return LW_OK;
  lw_status status = lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u);
  if (status == LW_OK) status = lw_kinematics(sim->system->dynamics->work, sim->q, sim->u);
  if (status != LW_OK) return status;
  const double close = touching * sim->m->length;
  for (int i = 0; i < c->n; i++) {
    lwi_contact *k = &c->item[i];
    const lwi_trigger *w = &sim->triggers.when[k->trigger];
    const bool due = is_among(k->e, event, n), friction = lwi_is_friction(k), slip = lwi_is_slip(k);
    const bool touches = *ntouch > 0 && c->touch[*ntouch - 1].contact == k->normal;
    if (slip && !touches) continue;
    if (k->e->d.action != LW_ACTION_IMPACT && isnan(w->g)) continue; /* the joint is not there */
    if (due && !k->leaving && !k->resting) note_hit(k, t);
    k->slight = k->fired == t && is_slight(sim, k, t);
    const double near =
        k->e->d.action == LW_ACTION_LIMIT ? at_limit * lwi_contact_unit(k, sim->m) : close;
    if (!due && !k->resting && !friction && !slip && (w->spent || !(fabs(w->g) <= near))) continue;
    const double e = is_last_hit(k) ? 0 : k->e->d.restitution;
    k->gap = w->g;
    c->touch[(*ntouch)++] = (lwi_touching){
        .e = &k->e->d, .contact = i, .due = due, .passive = friction || slip, .restitution = e};
  }
  return LW_OK;
}

bool lwi_contacts_any(const lwi_contacts *c)
{
  for (int i = 0; i < c->n; i++)
    if (c->item[i].resting || c->hold[i] || c->item[i].sliding || c->item[i].slides) return true;
  return false;
}

static bool is_at_rest(const lw_model *m, const lwi_touching *x, double most)
{
  return fabs(x->speed) * lwi_unit_push_arm(m, &x->unit) <= most;
}

void lwi_contact_slides_along(lwi_contact *k, const double direction[3])
{
  const double size = norm3(direction);
  for (int i = 0; i < 3; i++)
    k->along[i] = size > 0 ? direction[i] / size : 0;
  k->slides = size > 0;
}

/* Bodies that start from rest reach the speed of a fall by a typical length. */
void lwi_contacts_write(const lwi_contacts *c, const lw_model *m, const lw_simulation_options *o,
                        double q[])
{
  const double speed = fmax(c->fastest, sqrt(norm3(m->gravity) * m->length));
  const double slip = fmax(fmax(least_slip, tolerances * o->rtol) * (speed > 0 ? speed : m->length),
                           tolerances * o->atol);
  for (int i = 0; i < c->n; i++)
    if (lwi_is_slip(&c->item[i]) && c->item[i].slides) {
      double *state = q + lwi_first_state(m) + c->item[i].state;
      memcpy(state + 1, c->item[i].direction, sizeof c->item[i].direction);
      state[4] = slip;
    }
}

/* Slight hits do not throw off what rests. */
static bool is_hardly_hit(const lwi_contacts *c, int ntouch)
{
  bool any = false;
  for (int i = 0; i < ntouch; i++) {
    if (!c->touch[i].due) continue;
    if (!c->item[c->touch[i].contact].slight) return false;
    any = true;
  }
  return any;
}

/* Friction of a contact that stays closed: it sticks if there is no slip, else it slides along. */
static void begin_slip(lwi_contacts *c, const lwi_touching *x, const lwi_jump *j, bool stays)
{
  lwi_contact *k = &c->item[x->contact];
  const double slip = x->nacross == 2 ? hypot(x->slip[0], x->slip[1]) : fabs(x->slip[0]);
  const double least = x->due ? ended : standstill;
  double along[3] = {0};
  c->hold[x->contact] = c->hold[k->normal] && (stays || slip <= least * fmax(c->fastest, j->speed));
  for (int l = 0; l < x->nacross; l++)
    for (int i = 0; i < 3; i++)
      along[i] += x->slip[l] * x->across[l].load[3 + i];
  if (c->hold[k->normal] && !c->hold[x->contact]) lwi_contact_slides_along(k, along);
}

bool lwi_contacts_candidates(lwi_contacts *c, int ntouch, const lwi_jump *j)
{
  bool changes = false;
  const bool hardly = is_hardly_hit(c, ntouch);
  c->fastest = fmax(c->fastest, j->speed);
  for (int i = 0; i < c->n; i++)
    c->item[i].slides = 0;
  for (int i = 0; i < ntouch; i++) {
    const lwi_touching *x = &c->touch[i];
    lwi_contact *k = &c->item[x->contact];
    const bool friction = lwi_is_friction(k), stays = hardly && k->resting;
    if (lwi_is_slip(k)) {
      begin_slip(c, x, j, stays);
      changes = changes || c->hold[x->contact];
      continue;
    }
    /* the last hit ends at rest, and what has just come to a stop stands still, regardless of rounding
       errors of the speed */
    c->hold[x->contact] =
        friction ? x->due || stays || is_at_rest(j->m, x, standstill * c->fastest)
                 : (x->due && is_last_hit(k)) || stays ||
                       is_at_rest(j->m, x, fmax(standstill * c->fastest, j->slow * j->speed));
    if (friction && !c->hold[x->contact]) k->slides = x->speed > 0 ? 1 : -1;
    changes = changes || c->hold[x->contact];
  }
  for (int i = 0; i < c->n; i++) {
    const int friction = c->item[i].friction;
    if (c->hold[i] && friction >= 0) c->hold[friction] = false, c->item[friction].slides = 0;
  }
  for (int i = 0; i < c->n; i++)
    changes = changes || c->item[i].slides != c->item[i].sliding;
  return changes;
}

/* ---- rest ---- */

void lwi_contacts_come_to_rest(lw_simulation *sim, double t)
{
  lwi_contacts *c = &sim->contacts;
  lwi_curve_forget(&c->curve);
  lwi_triggers_forget_box(&sim->triggers);
  for (int i = 0; i < c->n; i++) {
    lwi_contact *k = &c->item[i];
    if (c->hold[i])
      k->left = HUGE_VAL;
    else if (k->resting || k->fired == t)
      k->left = t;
    /* a series of hits ends with it: what is hit at rest later has its own restitution again */
    if (k->resting != c->hold[i]) k->fired = -HUGE_VAL, k->interval = k->longest = HUGE_VAL;
    if (k->resting && !c->hold[i]) k->apart = false;
    k->resting = c->hold[i];
    if (!c->hold[i]) k->excess = 0;
    k->sliding = k->slides = c->hold[i] ? 0 : k->slides;
    k->leaving = k->stuck = false;
    /* the speed of a freedom that does not slide is zero */
    lwi_trigger *w = &sim->triggers.when[k->trigger];
    const bool friction = lwi_is_friction(k) || lwi_is_slip(k);
    w->asleep = friction ? k->sliding == 0 : k->resting;
    if (friction) w->side = (lwi_side){.side = k->sliding};
  }
}

/* ---- after a step ---- */

/* After a hit the bodies separate.  If the step ends with the gap on the wrong side and no crossing
   was found, they came back within it: the hit at its beginning was the last one. */
static bool returns(lw_simulation *sim, const lwi_contact *k)
{
  lw_work *w = sim->system->dynamics->work;
  lwi_unit_push unit;
  if (lwi_simulation_find_state(sim, sim->integrator->t) != LW_OK ||
      lw_kinematics(w, sim->q, sim->u) != LW_OK || !lwi_unit_push_of(sim->m, w, &k->e->d, &unit))
    return true;
  return lwi_unit_push_speed(w, &unit) <= 0;
}

/* A slip that goes on against the direction of its friction, and faster than that is known, takes its own now. */
static lw_status find_turned(lw_simulation *sim)
{
  lwi_contacts *c = &sim->contacts;
  bool any = false;
  for (int i = 0; i < c->n; i++)
    any = any || (lwi_is_slip(&c->item[i]) && c->item[i].sliding &&
                  sim->triggers.when[c->item[i].trigger].side.side < 0);
  if (!any) return LW_OK;
  const double t = sim->integrator->t;
  lw_status status = lwi_simulation_find_state(sim, t);
  if (status == LW_OK) status = lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u);
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    const lwi_contact *k = &c->item[i];
    lwi_trigger *w = &sim->triggers.when[k->trigger];
    if (!lwi_is_slip(k) || !k->sliding || w->side.side >= 0) continue;
    w->crossed = w->g < -sim->q[lwi_first_state(sim->m) + k->state + 4];
    if (w->crossed) sim->found = t;
  }
  return status;
}

lw_status lwi_contacts_find_stuck(lw_simulation *sim)
{
  lwi_contacts *c = &sim->contacts;
  bool any = false;
  for (int i = 0; i < c->n && sim->found == HUGE_VAL; i++) {
    lwi_contact *k = &c->item[i];
    const lwi_trigger *w = &sim->triggers.when[k->trigger];
    const int sign =
        k->resting || w->spent || lwi_is_friction(k) || lwi_is_slip(k) ? 0 : w->side.side;
    if (sign == 0) continue;
    /* a body that starts on the other side crosses in the direction opposite to the specified one:
       no hit */
    if (side_written(k) == 0 && (k->apart || k->side == 0)) k->side = sign;
    sim->triggers.when[k->trigger].only = -k->side; /* separating is not a hit */
    k->apart = k->apart || sign == k->side;
    if (!k->apart && sim->from > k->let_go) k->stuck = returns(sim, k);
    any = any || k->stuck;
  }
  if (!any) return sim->found == HUGE_VAL ? find_turned(sim) : LW_OK;
  sim->found = sim->from;
  return lwi_simulation_find_state(sim, sim->from);
}

/* ---- as events ---- */

/* The largest speed of any body, as in a jump. */
double lwi_contacts_largest_speed(const lw_simulation *sim)
{
  double most = LWI_AT_REST * sim->m->length, V[6];
  for (int b = 1; b <= lw_nbody(sim->m); b++)
    if (lw_get_velocity(sim->system->dynamics->work, (lw_body){b}, V) == LW_OK)
      most = fmax(most, norm3(V + 3) + sim->m->length * norm3(V));
  return most;
}

lw_status lwi_contacts_start(lw_simulation *sim, double t, const lwi_event *list[], int *n,
                             bool *approach)
{
  lwi_contacts *c = &sim->contacts;
  int ntouch;
  *n = 0;
  *approach = true;
  c->check = false;
  lw_status status = lwi_simulation_find_state(sim, t);
  if (status == LW_OK) status = lwi_contacts_touch(sim, t, NULL, 0, &ntouch);
  if (status == LW_OK) status = lw_kinematics(sim->system->dynamics->work, sim->q, sim->u);
  if (status != LW_OK) return status;
  const double limit = standstill * lwi_contacts_largest_speed(sim);
  for (int pass = 0; pass < 2 && *n == 0; pass++) {
    *approach = pass == 0;
    for (int i = 0; i < ntouch; i++) {
      const lw_work *w = sim->system->dynamics->work;
      lwi_unit_push *unit = &c->touch[i].unit;
      if (!lwi_unit_push_of(sim->m, w, c->touch[i].e, unit)) continue;
      if (c->touch[i].passive && pass == 0) continue;
      const double speed = c->touch[i].passive ? 0 : lwi_unit_push_speed(w, unit);
      if (speed <= (pass == 0 ? -limit : limit) && (pass > 0 || speed < 0))
        list[(*n)++] = c->item[c->touch[i].contact].e;
    }
  }
  return status;
}

int lwi_contacts_leaving(const lwi_contacts *c, const lwi_event *list[])
{
  int n = 0;
  for (int i = 0; i < c->n; i++)
    if (c->item[i].leaving) list[n++] = c->item[i].e;
  return n;
}

int lwi_contacts_stuck(const lwi_contacts *c, const lwi_event *list[])
{
  int n = 0;
  for (int i = 0; i < c->n; i++)
    if (c->item[i].stuck) list[n++] = c->item[i].e;
  return n;
}

const lwi_event *lwi_contacts_find_beyond(const lw_simulation *sim, bool late, int *at)
{
  const lwi_contacts *c = &sim->contacts;
  for (; *at < c->n; ++*at) {
    const lwi_contact *k = &c->item[*at];
    const lw_event_desc *d = &k->e->d;
    if ((d->action == LW_ACTION_LIMIT || d->action == LW_ACTION_CONTACT) && d->late == late &&
        sim->triggers.when[k->trigger].g < -touching * lwi_contact_unit(k, sim->m))
      return ++*at, k->e;
  }
  return NULL;
}
