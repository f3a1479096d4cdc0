/* SPDX-License-Identifier: Apache-2.0 */
/* slip_directions.c -- where slow slips go.  Slower than `slow` (contact_friction.c) friction is against a fixed direction
   d.  The slip itself turns, at such speeds at once, until it grows along itself: pdot(d) = a d, a > 0.  Elsewhere on the
   circle of directions d x pdot turns it; where that passes from + to - it stays. */
#include "sim/events/contacts.h"
#include "sim/events/unit_push.h"
#include "sim/formulation/own_loads.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 24, HALVES = 40 };
/* relative to the largest acceleration: friction balances what pulls, and the slip ends */
static const double no_growth = 1e-6;
static const double pi = 3.14159265358979323846;

/* one slip at one state */
typedef struct {
  lwi_contact *contact;
  lw_dynamics *d;
  double t;
  double step;                 /* of time, for differences */
  double to[2][3], p[3];       /* two directions across the normal and the slip, ground axes */
  double *q, *u, *rate, *udot; /* the state, in which directions are tried, and its rates */
  double most;                 /* the largest |pdot| so far */
  double *ahead, *speed;       /* a state shortly after */
} slip;

static lw_status find_slip(const slip *x, const double q[], const double u[], int *nacross,
                           lwi_unit_push across[2], double p[3])
{
  const lw_work *w = x->d->work;
  const lw_status status = lw_kinematics(x->d->work, q, u);
  memset(p, 0, 3 * sizeof *p);
  if (status != LW_OK) return status;
  const int n = lwi_unit_pushes_across(x->d->m, w, &x->contact->e->d, across);
  for (int l = 0; l < n; l++)
    for (int i = 0; i < 3; i++)
      p[i] += lwi_unit_push_speed(w, &across[l]) * across[l].load[3 + i];
  *nacross = n;
  return LW_OK;
}

static void direction_at(const slip *x, double angle, double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = cos(angle) * x->to[0][i] + sin(angle) * x->to[1][i];
}

/* Writes a direction into a state, in the axes of the other body, as contact_constraints.c does. */
static void write_direction(const slip *x, const double d[3], double q[])
{
  const lw_model *m = x->d->m;
  const lw_body other = x->contact->e->d.contact.other;
  lw_pose X = {.quat = {1, 0, 0, 0}};
  if (other.id > 0) lw_get_pose(x->d->work, other, &X);
  rot_mulv(rot_transpose(rot_from_quat(X.quat)), d, q + lwi_first_state(m) + x->contact->state + 1);
}

/* pdot with friction against the direction at an angle: its part across that, and *along it; NaN: no load is consistent
   with it. */
static lw_status find_turning(slip *x, double angle, double *across, double *along)
{
  const lw_model *m = x->d->m;
  lwi_unit_push at[2];
  double d[3], p[3], turned[3];
  int n;
  direction_at(x, angle, d);
  direction_at(x, angle + 0.5 * pi, turned);
  lw_status status = lw_kinematics(x->d->work, x->q, x->u);
  if (status != LW_OK) return status;
  write_direction(x, d, x->q);
  status = lw_dynamics_accelerate(x->d, x->t, x->q, x->u, NULL, x->udot);
  *across = *along = (double)NAN;
  if (lwi_own_loads_paradox(x->d)) return LW_OK;
  if (status != LW_OK) return status;
  lw_coordinate_rates(m, x->q, x->u, x->rate);
  for (int i = 0; i < m->nq; i++)
    x->ahead[i] = x->q[i] + (i < lwi_first_state(m) ? x->step * x->rate[i] : 0);
  for (int i = 0; i < m->nu; i++)
    x->speed[i] = x->u[i] + x->step * x->udot[i];
  status = find_slip(x, x->ahead, x->speed, &n, at, p);
  for (int i = 0; i < 3; i++)
    p[i] = (p[i] - x->p[i]) / x->step;
  *across = dot3(turned, p);
  *along = dot3(d, p);
  x->most = fmax(x->most, norm3(p));
  return status;
}

/* Between angles a, where it turns on, and b, where it turns back. */
static lw_status find_stable(slip *x, double a, double b, double *angle, double *along)
{
  lw_status status = LW_OK;
  for (int i = 0; i < HALVES && status == LW_OK; i++) {
    double across;
    *angle = 0.5 * (a + b);
    status = find_turning(x, *angle, &across, along);
    if (across > 0)
      a = *angle;
    else
      b = *angle;
  }
  return status;
}

/* The direction that stays, of several the one closest to the present one; *found: is there any? */
static lw_status find_direction(slip *x, double out[3], bool *found)
{
  double before, along, closest = -HUGE_VAL;
  const double turn = 2 * pi / SAMPLES;
  lw_status status = find_turning(x, 0, &before, &along);
  *found = false;
  for (int i = 1; i <= SAMPLES && status == LW_OK; i++) {
    double across, angle, d[3];
    status = find_turning(x, i * turn, &across, &along);
    const bool stays = before > 0 && across <= 0;
    before = across;
    if (status != LW_OK || !stays) continue;
    status = find_stable(x, (i - 1) * turn, i * turn, &angle, &along);
    direction_at(x, angle, d);
    if (!(along > no_growth * x->most) || dot3(d, x->contact->along) <= closest) continue;
    closest = dot3(d, x->contact->along);
    memcpy(out, d, sizeof d);
    *found = true;
  }
  return status;
}

static bool open_slip(slip *x, lwi_contact *k, lw_dynamics *d, double t)
{
  const lw_model *m = d->m;
  const size_t nq = (size_t)m->nq + 1, nu = (size_t)lw_nu_all(m) + 1;
  double *room = calloc(3 * nq + 3 * nu, sizeof *room);
  *x = (slip){.contact = k, .d = d, .t = t, .q = room};
  if (!room) return false;
  x->rate = room + nq;
  x->ahead = x->rate + nq;
  x->u = x->ahead + nq;
  x->udot = x->u + nu;
  x->speed = x->udot + nu;
  return true;
}

/* One that slides on, and slower than `slow`. */
static lw_status turn_slip(const lwi_contacts *c, slip *x, double q[])
{
  const lw_model *m = x->d->m;
  const size_t nq = (size_t)m->nq;
  lwi_unit_push across[2];
  double d[3];
  int n;
  bool found = false;
  memcpy(x->q, q, nq * sizeof *q);
  x->step = 1e-6 * m->length / (c->fastest + sqrt(norm3(m->gravity) * m->length));
  lw_status status = find_slip(x, x->q, x->u, &n, across, x->p);
  const double slow = q[lwi_first_state(m) + x->contact->state + 4];
  /* in the plane it passes zero, and turns back */
  if (status != LW_OK || n < 2 || !(norm3(x->p) < slow)) return status;
  for (int l = 0; l < 2; l++)
    memcpy(x->to[l], across[l].load + 3, sizeof x->to[l]);
  status = find_direction(x, d, &found);
  if (status != LW_OK || !found) return status;
  status = lw_kinematics(x->d->work, x->q, x->u);
  lwi_contact_slides_along(x->contact, d);
  write_direction(x, d, q);
  return status;
}

lw_status lwi_contacts_turn_slips(lwi_contacts *c, lw_dynamics *d, double t, double q[],
                                  const double u[])
{
  lw_status status = LW_OK;
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    lwi_contact *k = &c->item[i];
    slip x;
    if (!lwi_is_slip(k) || !k->sliding || !k->slides || c->hold[i]) continue;
    if (!open_slip(&x, k, d, t)) return LW_E_MEMORY;
    memcpy(x.u, u, (size_t)d->m->nu * sizeof *u);
    status = turn_slip(c, &x, q);
    free(x.q);
  }
  return status;
}
