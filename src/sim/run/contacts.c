/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.c -- contacts of a simulation: hits, rest as a constraint, and release when the load
   becomes tensile.  See events/contacts.h. */
#include "sim/events/contacts.h"
#include "base/fail.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* relative to a typical length: largest gap of touching bodies */
static const double touching = 1e-9;
/* relative to the largest speed: the bodies neither approach nor separate */
static const double standstill = 1e-9;
/* ratio of an interval between hits to the first one below which the hit is the last */
static const double no_time = 1e-5;
static const double no_load = 1e-9; /* relative to typical loads: rounding errors */

/* ---- make ---- */

static int find_trigger(const lwi_triggers *x, const lwi_event *e)
{
  for (int i = 0; i < x->nwhen; i++)
    if (x->when[i].e == e) return i;
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
  if (!c->item || !c->touch || !c->hold) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  for (int i = 0; i < m->nevent; i++)
    if (m->event[i].contact > 0)
      c->item[c->n++] =
          (lwi_contact){.e = &m->event[i], .trigger = find_trigger(&sim->triggers, &m->event[i])};
  lwi_contacts_reset(c);
  return LW_OK;
}

void lwi_contacts_close(lwi_contacts *c)
{
  lw_dynamics_free(c->dynamics);
  free(c->item);
  free(c->touch);
  free(c->hold);
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
    c->item[i].fired = -HUGE_VAL;
    c->item[i].interval = c->item[i].longest = HUGE_VAL;
    c->item[i].leaving = c->item[i].stuck = false;
    c->item[i].apart = true;
    c->item[i].side = side_written(&c->item[i]);
  }
  c->check = c->n > 0;
}

/* ---- touching bodies ---- */

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

static bool is_last_hit(const lwi_contact *k)
{
  return k->stuck || (isfinite(k->longest) && k->interval < no_time * k->longest);
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
  const lw_status status = lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u);
  if (status != LW_OK) return status;
  const double close = touching * fmin(1, sim->m->length);
  for (int i = 0; i < c->n; i++) {
    lwi_contact *k = &c->item[i];
    const lwi_trigger *w = &sim->triggers.when[k->trigger];
    const bool due = is_among(k->e, event, n);
    if (due && !k->leaving && !k->resting) note_hit(k, t);
    if (!due && !k->resting && (w->spent || !(fabs(w->g) <= close))) continue;
    const double e = is_last_hit(k) ? 0 : k->e->d.restitution;
    c->touch[(*ntouch)++] =
        (lwi_touching){.e = &k->e->d, .contact = i, .due = due, .restitution = e};
  }
  return LW_OK;
}

bool lwi_contacts_any(const lwi_contacts *c)
{
  for (int i = 0; i < c->n; i++)
    if (c->item[i].resting || c->hold[i]) return true;
  return false;
}

int lwi_contacts_candidates(lwi_contacts *c, int ntouch, double scale)
{
  int n = 0;
  for (int i = 0; i < ntouch; i++) {
    const lwi_touching *x = &c->touch[i];
    const lwi_contact *k = &c->item[x->contact];
    /* the last hit ends at rest, regardless of rounding errors of the speed */
    c->hold[x->contact] =
        (x->due && is_last_hit(k)) || (fabs(x->speed) <= standstill * scale && !k->leaving);
    n += c->hold[x->contact];
  }
  return n;
}

/* ---- loads ---- */

/* Load along the normal; positive: the bodies are pushed apart; -infinity: not active. */
static double load_of(const lwi_contact *k, const lw_dynamics *d)
{
  const char *name = k->e->contact_name;
  for (int i = 1; i <= d->m->nconstraint; i++) {
    double load[6], n[3];
    lw_pose X = {.quat = {1, 0, 0, 0}};
    if (strcmp(d->m->constraint[i].info.name, name) != 0) continue;
    lw_dynamics_get_constraint_load(d, (lw_constraint){i}, load);
    if (k->e->d.other.id > 0) lw_get_pose(d->work, k->e->d.other, &X);
    rot_mulv(rot_from_quat(X.quat), k->axis, n);
    return dot3(n, load + 3);
  }
  return -HUGE_VAL;
}

/* Rounding errors of the loads. */
static double load_noise(const lwi_contact *k, const lw_model *m)
{
  const double mass = m->solid[k->e->d.body.id].mass;
  return no_load * mass * (norm3(m->gravity) + 1e-3);
}

static lw_status find_loads(lw_dynamics *d, double t, const double q[], const double u[])
{
  double *udot = calloc((size_t)lw_nu_all(d->m) + 1, sizeof *udot);
  if (!udot) return LW_E_MEMORY;
  lw_status status = lw_dynamics_accelerate(d, t, q, u, NULL, udot);
  if (status == LW_OK) status = lw_dynamics_find_loads(d);
  free(udot);
  return status;
}

lw_status lwi_contacts_let_go(lwi_contacts *c, lw_dynamics *d, double t, const double q[],
                              const double u[], bool *found)
{
  const lw_status status = find_loads(d, t, q, u);
  int worst = -1;
  double least = 0;
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    if (!c->hold[i]) continue;
    const double load = load_of(&c->item[i], d) + 0.5 * load_noise(&c->item[i], d->m);
    if (load < least) least = load, worst = i;
  }
  *found = worst >= 0;
  if (*found) c->hold[worst] = false;
  return status;
}

/* ---- rest ---- */

/* The plane is fixed to the other body, the point to the body. */
static void place_contact(lwi_contact *k, lw_constraint_desc *d, const lwi_frame pose[],
                          bool planar)
{
  const lw_event_desc *e = &k->e->d;
  double at[3];
  const lwi_frame out = lwi_frame_inverse(pose[e->other.id]);
  lwi_frame_point(pose[e->body.id], e->point, at);
  lwi_frame_point(out, at, d->place.at);
  rot_mulv(out.R, e->normal, k->axis);
  if (planar) d->place.at[2] = k->axis[2] = 0;
  memcpy(d->axis, k->axis, sizeof d->axis);
  memcpy(d->child_place.at, e->point, sizeof e->point);
}

void lwi_contacts_edit(lwi_contacts *c, lwi_phase *p, const lwi_frame pose[])
{
  lw_spec *s = p->branch;
  for (int i = 0; i < c->n; i++) {
    const int at = c->item[i].e->contact - 1;
    p->constraint[at] = (lwi_part_state){.absent = !c->hold[i], .changed = c->hold[i]};
    if (c->hold[i]) place_contact(&c->item[i], &s->constraints.item[at].d, pose, s->planar);
  }
}

void lwi_contacts_come_to_rest(lw_simulation *sim)
{
  lwi_contacts *c = &sim->contacts;
  for (int i = 0; i < c->n; i++) {
    lwi_contact *k = &c->item[i];
    if (k->resting && !c->hold[i]) k->fired = -HUGE_VAL, k->interval = k->longest = HUGE_VAL;
    if (k->resting && !c->hold[i]) k->apart = false;
    k->resting = c->hold[i];
    k->leaving = k->stuck = false;
    sim->triggers.when[k->trigger].asleep = k->resting;
  }
}

/* ---- while they rest ---- */

static lw_status open_dynamics(lw_simulation *sim)
{
  lwi_contacts *c = &sim->contacts;
  lw_error err;
  if (c->dynamics && c->phase == sim->phase) return LW_OK;
  lw_dynamics_free(c->dynamics);
  c->phase = sim->phase;
  return lwi_simulation_dynamics(sim, &c->dynamics, &err);
}

/* Finds the contact with the largest tensile load at t, within the last step; *load > 0: none. */
static lw_status find_tensile(lw_simulation *sim, double t, double *load, int *which)
{
  lwi_contacts *c = &sim->contacts;
  lw_status status = lwi_simulation_find_state(sim, t);
  if (status == LW_OK)
    status = find_loads(c->dynamics, lwi_simulation_time(sim, t), sim->q, sim->u);
  *load = HUGE_VAL;
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    if (!c->item[i].resting) continue;
    const double x = load_of(&c->item[i], c->dynamics) + load_noise(&c->item[i], sim->m);
    if (x < *load) *load = x, *which = i;
  }
  return status;
}

/* Between a, where all loads are compressive, and b, where one is tensile. */
static lw_status locate(lw_simulation *sim, double a, double b, int which)
{
  lw_status status = LW_OK;
  for (int i = 0; i < 60 && b - a > 4e-15 * fmax(fabs(b), 1e-6) && status == LW_OK; i++) {
    const double c = a + 0.5 * (b - a);
    double load;
    int one;
    status = find_tensile(sim, c, &load, &one);
    if (load < 0) which = one;
    if (load < 0)
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

/* After a hit the bodies separate.  If the step ends with the gap on the wrong side and no crossing
   was found, they came back within it: the hit at its beginning was the last one. */
static lw_status find_stuck(lw_simulation *sim)
{
  lwi_contacts *c = &sim->contacts;
  bool any = false;
  for (int i = 0; i < c->n && sim->found == HUGE_VAL; i++) {
    lwi_contact *k = &c->item[i];
    const lwi_trigger *w = &sim->triggers.when[k->trigger];
    const int sign = k->resting || w->spent ? 0 : w->side.side;
    if (sign == 0) continue;
    /* a body that starts on the other side crosses in the direction opposite to the specified one:
       no hit */
    if (side_written(k) == 0 && (k->apart || k->side == 0)) k->side = sign;
    sim->triggers.when[k->trigger].only = -k->side; /* separating is not a hit */
    k->apart = k->apart || sign == k->side;
    k->stuck = !k->apart;
    any = any || k->stuck;
  }
  if (!any) return LW_OK;
  sim->found = sim->from;
  return lwi_simulation_find_state(sim, sim->from);
}

lw_status lwi_contacts_look(lw_simulation *sim)
{
  static const double parts[] = {1.0 / 3, 2.0 / 3, 1};
  const lw_status stuck = sim->contacts.n > 0 ? find_stuck(sim) : LW_OK;
  if (stuck != LW_OK || sim->found <= sim->from) return stuck;
  const lwi_integrator *it = sim->integrator;
  bool any = false;
  for (int i = 0; i < sim->contacts.n; i++)
    any = any || sim->contacts.item[i].resting;
  if (!any) return LW_OK;
  lw_status status = open_dynamics(sim);
  double before = sim->from;
  const double to = fmin(it->t, sim->found), h = to - sim->from;
  for (int i = 0; i < 3 && status == LW_OK; i++) {
    const double t = i == 2 ? to : sim->from + parts[i] * h;
    double load;
    int which;
    status = find_tensile(sim, t, &load, &which);
    if (status == LW_OK && load < 0) return locate(sim, before, t, which);
    before = t;
  }
  if (status == LW_OK) return LW_OK;
  return lwi_integrator_fail(sim->integrator, status, "the loads of contacts cannot be found: %s",
                             lw_status_text(status));
}

/* ---- as events ---- */

/* The largest speed of any body, as in a jump. */
static double largest_speed(const lw_simulation *sim)
{
  double most = 0, V[6];
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
  const double limit = standstill * largest_speed(sim);
  for (int pass = 0; pass < 2 && *n == 0; pass++) {
    *approach = pass == 0;
    for (int i = 0; i < ntouch; i++) {
      const double speed = lwi_touching_speed(sim->system->dynamics->work, &c->touch[i]);
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
