/* SPDX-License-Identifier: Apache-2.0 */
/* contact_loads.c -- loads of resting contacts and limits and of sticking freedoms: whether they
   are possible, and what of it gives way if they are not.  contact_watch.c finds when that happens.

   A contact or limit can only push, 0 <= load; friction holds while -static <= load <= static, and
   on a limit of the same freedom both together while -static <= load.  With
   the loads L when all are held and the compliance A of what is held, the accelerations are
   A (load - L): docs/theory/contact.md. */
#include "linalg/complementarity.h"
#include "linkwork/loops.h"
#include "sim/formulation/shared_loads.h"
#include "sim/run/own_bounds.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* relative to typical loads: rounding errors */
static const double no_load = 1e-9, no_contact = 1e-10, no_friction = 1e-10;
/* relative to the response of free bodies: no load on the freedom has an effect */
static const double no_response = 1e-11;
/* relative to the largest acceleration: none ... */
static const double no_acceleration = 2e-11;
/* ... nor one of so much of the noise of a load; half of it is what lwi_contacts_check lets pass */
static const double no_excess = 0.25;

/* ---- loads ---- */

/* The load of the friction of a contact, across its normal; returns its size. */
static double load_across(lwi_contact *k, const lw_dynamics *d, int constraint)
{
  lwi_unit_push across[2];
  double load[6];
  lw_dynamics_get_constraint_load(d, (lw_constraint){constraint}, load);
  k->nacross = lwi_unit_pushes_across(d->m, d->work, &k->e->d, across);
  k->across[1] = 0;
  memcpy(k->pull, load + 3, sizeof k->pull);
  for (int i = 0; i < k->nacross; i++)
    k->across[i] = dot3(across[i].load + 3, load + 3);
  return hypot(k->across[0], k->across[1]);
}

/* Load along the push (unit_push.h); -infinity: not active. */
double lwi_contact_load(lwi_contact *k, const lw_dynamics *d)
{
  const char *name = k->e->contact_name;
  for (int i = 1; i <= d->m->nconstraint; i++) {
    double load[6], n[3];
    lw_pose X = {.quat = {1, 0, 0, 0}};
    if (strcmp(d->m->constraint[i].info.name, name) != 0) continue;
    if (lwi_is_slip(k)) return load_across(k, d, i);
    if (k->e->d.action == LW_ACTION_CONTACT) {
      lwi_unit_push unit;
      lw_dynamics_get_constraint_load(d, (lw_constraint){i}, load);
      lwi_unit_push_of(d->m, d->work, &k->e->d, &unit);
      return dot3(unit.load + 3, load + 3);
    }
    if (k->e->d.action != LW_ACTION_IMPACT) {
      lw_dynamics_get_relation_load(d, (lw_constraint){i}, load);
      return k->e->d.normal[0] * load[0];
    }
    lw_dynamics_get_constraint_load(d, (lw_constraint){i}, load);
    if (k->e->d.other.id > 0) lw_get_pose(d->work, k->e->d.other, &X);
    rot_mulv(rot_from_quat(X.quat), k->axis, n);
    return dot3(n, load + 3);
  }
  return -HUGE_VAL;
}

/* The friction in a load, of the freedom or beside its limit; NULL: none. */
static const lwi_contact *friction_in(const lwi_contacts *c, const lwi_contact *k)
{
  if (lwi_is_friction(k)) return k;
  return k->friction >= 0 ? &c->item[k->friction] : NULL;
}

double lwi_contact_watched_load(const lwi_contacts *c, int which, const lw_dynamics *d)
{
  lwi_contact *k = &c->item[which];
  const double load = lwi_contact_load(k, d);
  const lwi_contact *own = friction_in(c, k);
  if (own && own->e->d.own_load)
    return own == k ? fabs(load) - lwi_friction_bound(k, 1) : load + lwi_friction_bound(own, 1);
  if (!lwi_is_slip(k)) return load;
  return load - k->e->d.contact.friction * fmax(0, lwi_contact_load(&c->item[k->normal], d));
}

/* Rounding errors of the loads. */
static double typical_noise(const lwi_contact *k, const lw_model *m)
{
  double mass = 0;
  if (lwi_has_own_load(k)) { /* as if the joint carried its bodies */
    const lw_joint_info j = lw_get_joint(m, lw_find_joint(m, k->e->d.joint));
    mass = j.name ? m->solid[j.child.id].mass + m->solid[j.parent.id].mass : 0;
    const double weight =
        (k->e->d.bearing[0] + k->e->d.bearing[2]) * mass * (norm3(m->gravity) + 1e-3);
    return no_friction * k->e->d.bound[1] * (k->bears + weight);
  }
  if (lwi_is_friction(k)) return no_friction * k->e->d.bound[1];
  if (k->e->d.action == LW_ACTION_CONTACT || lwi_is_slip(k))
    mass = no_contact / no_load *
           fmax(m->solid[k->e->d.body.id].mass, m->solid[k->e->d.other.id].mass);
  else if (k->e->d.action == LW_ACTION_IMPACT)
    mass = m->solid[k->e->d.body.id].mass;
  else
    mass = m->mobility > 0 ? m->length / lwi_contact_unit(k, m) / m->mobility : 0;
  return no_load * mass * (norm3(m->gravity) + 1e-3);
}

static double load_noise(const lwi_contact *k, const lw_model *m)
{
  return typical_noise(k, m) + k->excess;
}

/* How far the load is inside its bounds, a share of the noise added. */
static double margin_of(const lwi_contacts *c, const lwi_contact *k, const lw_dynamics *d,
                        double load, double share)
{
  if (c->sticks && (lwi_is_friction(k) || lwi_is_slip(k))) return HUGE_VAL;
  if (lwi_is_slip(k)) /* within the cone; the normal load is found before */
    return k->e->d.contact.friction * fmax(0, c->load[k->normal]) + share * load_noise(k, d->m) -
           load;
  const lwi_contact *friction = friction_in(c, k);
  const double most = friction ? lwi_friction_bound(friction, 1) : 0;
  return most + share * load_noise(k, d->m) + (friction == k ? -fabs(load) : load);
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

void lwi_contact_bounds(const lwi_contacts *c, const lwi_contact *k, const lw_model *m,
                        lwi_load_bounds *out)
{
  const lwi_contact *friction = friction_in(c, k);
  const bool own = friction && friction->e->d.own_load; /* its bound is in the load: below */
  const double most = friction && !own ? friction->e->d.bound[1] : 0;
  out->noise = load_noise(k, m);
  out->lower = -most - out->noise;
  out->upper = friction == k ? most + out->noise : HUGE_VAL;
  if (lwi_is_slip(k) || (own && friction == k)) out->lower = -HUGE_VAL, out->upper = out->noise;
}

void lwi_contact_slips(lwi_contacts *c, int which, int direction)
{
  const lwi_contact *k = &c->item[which];
  c->hold[which] = false;
  for (int i = 0; i < c->n && k->e->d.action == LW_ACTION_CONTACT; i++) /* with its friction */
    if (c->item[i].normal == which) c->hold[i] = false, c->item[i].slides = 0;
  const double back[3] = {-k->pull[0], -k->pull[1], -k->pull[2]};
  if (lwi_is_slip(k))
    lwi_contact_slides_along(&c->item[which], back);
  else if (lwi_is_friction(k))
    c->item[which].slides = direction;
  else if (k->friction >= 0)
    c->item[k->friction].slides = direction * (k->e->d.normal[0] > 0 ? 1 : -1);
}

/* Its load was hardly beyond its bounds at this instant, and yet it came to rest again at once: it stays, since others
   decide how it goes on, by loads that change too fast for the step. */
static bool slid_for_no_time(const lwi_contact *k, double load, double margin)
{
  return !k->resting && k->fired == k->left && (lwi_is_slip(k) || lwi_is_friction(k)) &&
         -margin <= lwi_visibly_beyond * fabs(load);
}

lw_status lwi_contacts_check(lwi_contacts *c, lw_dynamics *d, double t, const double q[],
                             const double u[], int *worst)
{
  const lw_status status = find_loads(d, t, q, u);
  double least = 0;
  *worst = -1;
  if (status == LW_OK) lwi_contacts_find_bearings(c, d);
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    if (!c->hold[i]) continue;
    c->load[i] = lwi_contact_load(&c->item[i], d);
    c->item[i].open = c->item[i].open || lwi_shared_loads_are_open_of(d, c->item[i].e);
    double margin = margin_of(c, &c->item[i], d, c->load[i], 0.5);
    if (margin < 0 && slid_for_no_time(&c->item[i], c->load[i], margin)) {
      c->item[i].excess -= 4 * margin;
      margin = 0;
    }
    if (margin < least) least = margin, *worst = i;
  }
  return status;
}

void lwi_contacts_tolerate(lwi_contacts *c, const lw_dynamics *d)
{
  for (int i = 0; i < c->n; i++) {
    if (!c->hold[i]) continue;
    const double margin = margin_of(c, &c->item[i], d, c->load[i], 0.5);
    if (margin < 0) c->item[i].excess -= 4 * margin;
  }
}

/* ---- what cannot stick ---- */

/* udot of the freedom at the state of the jump, friction as it is in d's model */
static lw_status find_acceleration(const lwi_jump *j, lw_dynamics *d, double t,
                                   const lw_event_desc *e, double *out)
{
  const lw_joint_info info = lw_get_joint(j->m, lw_find_joint(j->m, e->joint));
  double *udot = calloc((size_t)lw_nu_all(j->m) + 1, sizeof *udot);
  if (!udot) return LW_E_MEMORY;
  lw_status status = lw_dynamics_accelerate(d, t, j->q, j->u, NULL, udot);
  if (status == LW_OK && lw_ncut(j->m) > 0) status = lw_get_cut_joints(d->work, NULL, NULL, udot);
  *out = udot[info.u_all + e->dofs[0] - 1];
  free(udot);
  return status;
}

/* Where a freedom is driven, or at an extremum of its coordinate in a moving mechanism, no load on it has
   an effect: it does not stick, but turns back.  Those that stuck before have been found to be movable, unless an event has
   changed the mechanism (all).  One that is locked does not move: it has no friction. */
lw_status lwi_contacts_find_forced(lwi_contacts *c, bool all, lwi_jump *j, lw_dynamics *d, double t)
{
  lw_status status = LW_OK;
  for (int i = 0; i < c->n && status == LW_OK; i++) {
    lwi_contact *k = &c->item[i];
    lwi_impact one = {.e = &k->e->d};
    double response, forward = 0;
    if (!c->hold[i] || !lwi_is_friction(k) || (k->resting && !all)) continue;
    memset(j->other, 0, (size_t)j->m->nu * sizeof *j->other);
    status = lw_kinematics(d->work, j->q, j->other);
    if (status != LW_OK || !lwi_unit_push_of(j->m, d->work, one.e, &one.unit)) continue;
    status = lwi_jump_compliance(j, d, t, &one, 1, &response);
    if (status != LW_OK || response > no_response * lwi_jump_free_response(j, &one)) continue;
    status = find_acceleration(j, d, t, one.e, &forward);
    c->hold[i] = false;
    k->slides = forward == 0 ? 0 : k->sliding ? -k->sliding : (forward > 0) - (forward < 0);
  }
  return status;
}

/* ---- who gives way ---- */

/* the complementarity problem of what is held, and of friction of its own load that slides */
typedef struct {
  int n, *item; /* [n] which contacts */
  double *A;    /* [n][n] */
  double *b, *lower, *upper, *x, *w, *L, *noise;
  signed char *slips; /* [n] the sign of the load with which a freedom slips; 0: it does not */
  int nsliding;       /* so many of them slide already */
  lwi_impact *push;
  lwi_own_bounds own;
} problem;

static bool open_problem(problem *p, const lwi_contacts *c)
{
  size_t n = 0;
  for (int i = 0; i < c->n; i++)
    n += c->hold[i] || lwi_slides_by_own_load(&c->item[i]);
  p->n = (int)n;
  p->item = calloc(n + 1, sizeof *p->item);
  p->slips = calloc(n + 1, sizeof *p->slips);
  p->push = calloc(n + 1, sizeof *p->push);
  p->A = calloc(n * n + 7 * n + 1, sizeof *p->A);
  if (!p->item || !p->slips || !p->push || !p->A) return false;
  p->b = p->A + n * n;
  p->lower = p->b + n;
  p->upper = p->lower + n;
  p->x = p->upper + n;
  p->w = p->x + n;
  p->L = p->w + n;
  p->noise = p->L + n;
  for (int i = 0, k = 0; i < c->n; i++) {
    const lwi_contact *one = &c->item[i];
    if (!c->hold[i] && !lwi_slides_by_own_load(one)) continue;
    p->slips[k] = (signed char)(c->hold[i] ? 0 : -one->slides);
    p->nsliding += !c->hold[i];
    p->L[k] = c->load[i];
    p->item[k++] = i;
  }
  return true;
}

static void close_problem(problem *p)
{
  free(p->item);
  free(p->slips);
  free(p->push);
  free(p->A);
  lwi_own_bounds_close(&p->own);
}

/* The bounds of all loads; what slips has its kinetic friction. */
static void set_bounds(problem *p, const lwi_contacts *c)
{
  for (int i = 0; i < p->n; i++) {
    const lwi_contact *k = &c->item[p->item[i]], *friction = friction_in(c, k);
    const double most = friction ? lwi_friction_bound(friction, p->slips[i] == 0) : 0;
    p->lower[i] = p->slips[i] > 0 ? most : -most;
    p->upper[i] = p->slips[i] ? p->lower[i] : friction == k ? most : HUGE_VAL;
    if (!friction) p->lower[i] = 0;
  }
}

/* A and the bounds */
static lw_status fill_problem(problem *p, const lwi_contacts *c, lwi_jump *free, lw_dynamics *d,
                              double t)
{
  memset(free->other, 0, (size_t)free->m->nu * sizeof(double));
  lw_status status = lw_kinematics(d->work, free->q, free->other);
  for (int i = 0; i < p->n && status == LW_OK; i++) {
    p->push[i].e = &c->item[p->item[i]].e->d;
    p->noise[i] = load_noise(&c->item[p->item[i]], free->m);
    if (!lwi_unit_push_of(free->m, d->work, p->push[i].e, &p->push[i].unit)) return LW_E_ARG;
  }
  set_bounds(p, c);
  if (status == LW_OK) status = lwi_jump_compliance(free, d, t, p->push, p->n, p->A);
  return status == LW_OK ? lwi_own_bounds_open(&p->own, c, free, d, t, p->push, p->n) : status;
}

/* Solves it for the loads L with all held, and finds the accelerations. */
static lw_status solve_once(problem *p)
{
  const int n = p->n;
  for (int i = 0; i < n; i++) {
    p->b[i] = 0;
    for (int j = 0; j < n; j++)
      p->b[i] -= p->A[i * n + j] * p->L[j];
  }
  const lwi_complementarity found =
      lwi_solve_complementarity(n, p->A, p->b, p->lower, p->upper, p->x);
  if (found == LWI_COMPLEMENTARITY_MEMORY) return LW_E_MEMORY;
  if (found != LWI_COMPLEMENTARITY_SOLVED) return LW_E_NOT_CONVERGED;
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(p->b[i]));
  for (int i = 0; i < n; i++) {
    p->w[i] = p->b[i];
    for (int j = 0; j < n; j++)
      p->w[i] += p->A[i * n + j] * p->x[j];
    const double noise = no_excess * p->noise[i] * p->A[i * n + i];
    if (fabs(p->w[i]) <= fmin(no_acceleration * most, noise)) p->w[i] = 0;
  }
  return LW_OK;
}

/* ... and the bounds that follow from them. */
static lw_status solve_problem(problem *p, lwi_contacts *c)
{
  enum { MOST = 100 };
  double before = HUGE_VAL;
  for (int round = 0; round < MOST; round++) {
    const lw_status status = solve_once(p);
    if (status != LW_OK || p->own.nown == 0) return status;
    const double change = lwi_own_bounds_update(&p->own, c, p->L, p->x);
    set_bounds(p, c);
    if (change <= 1e-15 || (change <= 1e-12 && change >= before)) return LW_OK;
    before = change;
  }
  return LW_E_NOT_CONVERGED;
}

/* Freedoms that slip, also away from a limit, have the kinetic friction from now on.  Has that
   changed anything? */
static bool let_slip(problem *p, const lwi_contacts *c)
{
  bool changed = false;
  for (int i = 0; i < p->n; i++) {
    const lwi_contact *friction = friction_in(c, &c->item[p->item[i]]);
    /* at its bound, but held by others: it still sticks */
    if (!friction || p->slips[i] || p->w[i] == 0) continue;
    p->slips[i] = p->w[i] < 0 ? 1 : -1;
    changed = changed || friction->e->d.bound[0] < friction->e->d.bound[1];
  }
  set_bounds(p, c);
  return changed;
}

/* The direction of sliding is against the load, that of a limit's friction away from it; leaving: only of what is to
   give way at this instant. */
static void take_decision(const problem *p, lwi_contacts *c, bool leaving)
{
  for (int i = 0; i < p->n; i++) {
    if (leaving && !c->item[p->item[i]].leaving) continue;
    c->hold[p->item[i]] = friction_in(c, &c->item[p->item[i]]) ? !p->slips[i] : p->w[i] == 0;
    if (p->slips[i]) lwi_contact_slips(c, p->item[i], -p->slips[i]);
  }
}

static lw_status solve_all(problem *p, lwi_contacts *c)
{
  lw_status status = LW_OK;
  for (int round = 0; status == LW_OK && round <= p->n; round++) {
    status = solve_problem(p, c);
    if (status != LW_OK || !let_slip(p, c)) break;
  }
  return status;
}

/* As that of contact_cones.c. */
static bool exaggerate(problem *p, const lwi_contacts *c)
{
  double most = 0;
  bool any = false;
  for (int i = 0; i < p->n; i++)
    most = fmax(most, fabs(p->L[i]));
  for (int i = 0; i < p->n; i++) {
    const lwi_contact *k = &c->item[p->item[i]];
    if (!c->hold[p->item[i]] || !k->leaving || p->w[i] != 0) continue;
    any = true;
    if (lwi_is_friction(k))
      p->L[i] *= 1 + lwi_visibly_beyond;
    else
      p->L[i] -= lwi_visibly_beyond * most;
  }
  return any;
}

lw_status lwi_contacts_decide(lwi_contacts *c, lwi_jump *free, lw_dynamics *d, double t)
{
  problem p = {0};
  if (lwi_contacts_have_cones(c)) return lwi_contacts_decide_cones(c, free, d, t);
  lw_status status = open_problem(&p, c) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) status = fill_problem(&p, c, free, d, t);
  if (status == LW_OK) status = solve_all(&p, c);
  if (status == LW_OK) take_decision(&p, c, false);
  if (status == LW_OK && exaggerate(&p, c) && solve_all(&p, c) == LW_OK) take_decision(&p, c, true);
  close_problem(&p);
  return status;
}
