/* SPDX-License-Identifier: Apache-2.0 */
/* contact_cones.c -- who rests, sticks, slides and opens where contacts have friction: the problem
   of contact_loads.c with the cones of friction instead of bounds.  docs/theory/contact.md. */
#include "linalg/cones.h"
#include "linkwork/loops.h"
#include "sim/run/own_bounds.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* relative to the largest acceleration: none */
static const double no_acceleration = 1e-10;

typedef struct {
  int n, ncone;
  lwi_impact *push; /* [n] */
  lwi_cone *cone;   /* [ncone], one for each that is held ... */
  int *item;        /* ... this one */
  double *A, *b, *L, *x, *w;
  lwi_own_bounds own;
} problem;

bool lwi_contacts_have_cones(const lwi_contacts *c)
{
  for (int i = 0; i < c->n; i++)
    if (lwi_is_slip(&c->item[i]) && (c->hold[i] || c->item[i].slides)) return true;
  return false;
}

static bool open_problem(problem *p, const lwi_contacts *c)
{
  const size_t most = 2 * (size_t)c->n + 1;
  p->push = calloc(most, sizeof *p->push);
  p->cone = calloc(most, sizeof *p->cone);
  p->item = calloc(most, sizeof *p->item);
  p->A = calloc(most * most + 4 * most, sizeof *p->A);
  if (!p->push || !p->cone || !p->item || !p->A) return false;
  p->b = p->A + most * most;
  p->L = p->b + most;
  p->x = p->L + most;
  p->w = p->x + most;
  return true;
}

static void close_problem(problem *p)
{
  free(p->push);
  free(p->cone);
  free(p->item);
  free(p->A);
  lwi_own_bounds_close(&p->own);
}

static int find_cone(const problem *p, int item)
{
  for (int i = 0; i < p->ncone; i++)
    if (p->item[i] == item) return i;
  return -1;
}

/* The bounds of loads that have some; friction of its own load that slides is at its bound. */
static void set_bounds(problem *p, const lwi_contacts *c)
{
  for (int i = 0; i < p->ncone; i++) {
    const lwi_contact *k = &c->item[p->item[i]];
    const lwi_contact *friction = lwi_is_friction(k) ? k
                                  : k->friction >= 0 ? &c->item[k->friction]
                                                     : NULL;
    lwi_cone *cone = &p->cone[i];
    if (cone->normal >= 0) continue;
    cone->lower = friction ? -lwi_friction_bound(friction, 1) : 0;
    cone->upper = friction == k ? -cone->lower : HUGE_VAL;
    if (!c->hold[p->item[i]]) cone->lower = cone->upper = -k->slides * lwi_friction_bound(k, 0);
  }
}

/* One load between bounds. */
static void add_bounded(problem *p, const lwi_contacts *c, int i, const lwi_unit_push *unit)
{
  const lwi_contact *k = &c->item[i];
  p->cone[p->ncone] = (lwi_cone){.first = p->n, .n = 1, .normal = -1};
  lwi_impact *push = &p->push[p->n];
  push->e = &k->e->d;
  push->unit = *unit;
  for (int s = 0; s < c->n; s++) /* the load of a contact that slides comes with its friction */
    for (int l = 0; l < 3 && c->item[s].normal == i && c->item[s].slides; l++)
      push->drag[l] = -c->item[s].e->d.contact.friction * c->item[s].along[l];
  p->L[p->n++] = c->load[i];
  p->item[p->ncone++] = i;
}

static void add_cone(problem *p, const lwi_contacts *c, int i, const lwi_unit_push *across)
{
  const lwi_contact *k = &c->item[i];
  p->cone[p->ncone] = (lwi_cone){.first = p->n,
                                 .n = k->nacross,
                                 .normal = p->cone[find_cone(p, k->normal)].first,
                                 .coefficient = k->e->d.contact.friction};
  for (int l = 0; l < k->nacross; l++) {
    p->push[p->n].e = &k->e->d;
    p->push[p->n].unit = across[l];
    p->L[p->n++] = k->across[l];
  }
  p->item[p->ncone++] = i;
}

/* Accelerations; rounding errors and errors of the iteration are none. */
static void find_accelerations(problem *p)
{
  double most = 0;
  for (int i = 0; i < p->n; i++)
    most = fmax(most, fabs(p->b[i]));
  for (int i = 0; i < p->n; i++) {
    p->w[i] = p->b[i];
    for (int j = 0; j < p->n; j++)
      p->w[i] += p->A[i * p->n + j] * p->x[j];
    if (fabs(p->w[i]) <= no_acceleration * most) p->w[i] = 0;
  }
}

static bool is_in_problem(const lwi_contacts *c, int i)
{
  return c->hold[i] || lwi_slides_by_own_load(&c->item[i]);
}

/* A, L and the cones: w = A (x - L) */
static lw_status fill_problem(problem *p, const lwi_contacts *c, lwi_jump *free, lw_dynamics *d,
                              double t)
{
  memset(free->other, 0, (size_t)free->m->nu * sizeof(double));
  lw_status status = lw_kinematics(d->work, free->q, free->other);
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    lwi_unit_push unit, across[2];
    if (!is_in_problem(c, i)) continue;
    if (!lwi_unit_push_of(free->m, d->work, &c->item[i].e->d, &unit)) return LW_E_ARG;
    if (lwi_is_slip(&c->item[i]))
      lwi_unit_pushes_across(free->m, d->work, &c->item[i].e->d, across);
    if (lwi_is_slip(&c->item[i]))
      add_cone(p, c, i, across);
    else
      add_bounded(p, c, i, &unit);
  }
  set_bounds(p, c);
  if (status == LW_OK) status = lwi_jump_compliance(free, d, t, p->push, p->n, p->A);
  return status == LW_OK ? lwi_own_bounds_open(&p->own, c, free, d, t, p->push, p->n) : status;
}

/* Loads and accelerations; false: there are none. */
static bool solve_once(problem *p)
{
  double noise = 0; /* of b, whose terms may cancel */
  for (int i = 0; i < p->n; i++) {
    double terms = 0;
    p->b[i] = 0;
    p->x[i] = p->L[i];
    for (int j = 0; j < p->n; j++) {
      const double term = p->A[i * p->n + j] * p->L[j];
      p->b[i] -= term;
      terms += fabs(term);
    }
    noise = fmax(noise, 4e-15 * terms);
  }
  if (!lwi_solve_cones(p->n, p->A, p->b, noise, p->ncone, p->cone, p->x)) return false;
  find_accelerations(p);
  return true;
}

/* ... and the bounds that follow from them. */
static bool solve_problem(problem *p, lwi_contacts *c)
{
  enum { MOST = 100 };
  double before = HUGE_VAL;
  for (int round = 0; round < MOST; round++) {
    if (!solve_once(p)) return false;
    if (p->own.nown == 0) return true;
    const double change = lwi_own_bounds_update(&p->own, c, p->L, p->x);
    set_bounds(p, c);
    if (change <= 1e-15 || (change <= 1e-10 && change >= before)) return true;
    before = change;
  }
  return false;
}

/* It slides against its load x, which is known better than an acceleration that begins at zero;
   without load along its acceleration. */
static void find_along(const problem *p, const lwi_cone *k, const double x[], double along[3])
{
  bool loaded = false;
  for (int l = 0; l < k->n; l++)
    loaded = loaded || x[k->first + l] != 0;
  for (int l = k->first; l < k->first + k->n; l++)
    for (int j = 0; j < 3; j++)
      along[j] += (loaded ? -x[l] : p->w[l]) * p->push[l].unit.load[3 + j];
}

static bool moves(const problem *p, const lwi_cone *k)
{
  const double *w = p->w + k->first;
  return w[0] != 0 || (k->n > 1 && w[1] != 0);
}

/* What has an acceleration is not held; leaving: only of what is to give way at this instant, against the load that
   holds it until then. */
static void take_decision(const problem *p, lwi_contacts *c, bool leaving)
{
  for (int i = 0; i < p->ncone; i++) {
    const lwi_cone *k = &p->cone[i];
    const double *w = p->w + k->first;
    double along[3] = {0};
    if (!c->hold[p->item[i]] || !moves(p, k) || (leaving && !c->item[p->item[i]].leaving)) continue;
    if (!lwi_is_slip(&c->item[p->item[i]])) {
      lwi_contact_slips(c, p->item[i], w[0] > 0 ? 1 : -1);
      continue;
    }
    find_along(p, k, leaving ? p->L : p->x, along);
    c->hold[p->item[i]] = false;
    if (c->hold[c->item[p->item[i]].normal]) lwi_contact_slides_along(&c->item[p->item[i]], along);
  }
}

/* Loads that give way are beyond their bounds by no more than rounding errors, and so are the accelerations.
   Further beyond it shows whether anything moves then.  False: nothing gives way. */
static bool exaggerate(problem *p, const lwi_contacts *c)
{
  double most = 0;
  bool any = false;
  for (int i = 0; i < p->n; i++)
    most = fmax(most, fabs(p->L[i]));
  for (int i = 0; i < p->ncone; i++) {
    const lwi_cone *k = &p->cone[i];
    const lwi_contact *one = &c->item[p->item[i]];
    if (!c->hold[p->item[i]] || !one->leaving || moves(p, k)) continue;
    any = true;
    if (lwi_is_slip(one) || lwi_is_friction(one))
      for (int l = k->first; l < k->first + k->n; l++)
        p->L[l] *= 1 + lwi_visibly_beyond;
    else
      p->L[k->first] -= lwi_visibly_beyond * most;
  }
  return any;
}

lw_status lwi_contacts_decide_cones(lwi_contacts *c, lwi_jump *free, lw_dynamics *d, double t)
{
  problem p = {0};
  lw_status status = open_problem(&p, c) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) status = fill_problem(&p, c, free, d, t);
  if (status == LW_OK && !solve_problem(&p, c)) status = LW_E_NOT_CONVERGED;
  if (status == LW_OK) take_decision(&p, c, false);
  if (status == LW_OK && exaggerate(&p, c) && solve_problem(&p, c)) take_decision(&p, c, true);
  close_problem(&p);
  return status;
}
