/* SPDX-License-Identifier: Apache-2.0 */
/* instant_rest.c -- what rests and sticks after the events of an instant: contacts, limits and
   friction are held by constraints, their loads are checked, and what cannot be held is let go. */
#include "sim/run/instant.h"
#include "base/fail.h"
#include "sim/formulation/own_loads.h"
#include "tree/loops/regularity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dynamics of their own of the model without anything that is held. */
static lw_dynamics *open_free(const lwi_instant *x, const lw_model *m, lw_error *err)
{
  lw_simulation_options o = lwi_simulation_phase_options(x->sim, m);
  if (m->tree_constraints.local) o.formulation = LW_FORMULATION_DCA;
  return lw_dynamics_new(m, &o, err);
}

/* What of all that is held gives way?  The problem is posed on the model without it. */
static lw_status decide(lwi_instant *x, int worst, lw_error *err)
{
  lw_simulation *sim = x->sim;
  lw_dynamics *d = open_free(x, x->hit_model ? x->hit_model : sim->m, err);
  if (!d) return err ? err->status : LW_E_MEMORY;
  const lw_status status = lwi_contacts_decide(&sim->contacts, &x->hit, d, x->at);
  lw_dynamics_free(d);
  if (status == LW_OK) return LW_OK;
  const char *what =
      status == LW_E_NOT_CONVERGED
          ? "no loads of contacts, limits and friction are consistent with the motion"
      : status == LW_E_MEMORY ? "out of memory for the loads of contacts"
                              : "the loads of contacts cannot be computed";
  return lwi_event_fail(sim->contacts.item[worst].e, x->t, err, status, "%s", what);
}

/* Does an event change the mechanism, so that what stuck before may be driven now? */
static bool changes_mechanism(const lwi_instant *x)
{
  for (int i = 0; i < x->nevent; i++) {
    const lw_action action = x->event[i]->d.action;
    if (action != LW_ACTION_LIMIT && action != LW_ACTION_FRICTION && action != LW_ACTION_CONTACT &&
        action != LW_ACTION_SLIP && action != LW_ACTION_IMPACT && action != LW_ACTION_IMPULSE)
      return true;
  }
  return false;
}

/* Freedoms that stand still and have not stuck before: can they stick? */
static lw_status find_forced(lwi_instant *x, lw_error *err)
{
  lwi_contacts *c = &x->sim->contacts;
  const bool all = changes_mechanism(x);
  bool any = false;
  for (int i = 0; i < c->n; i++)
    any = any || (c->hold[i] && lwi_is_friction(&c->item[i]) && (all || !c->item[i].resting));
  if (!any) return LW_OK;
  lw_dynamics *d = open_free(x, x->model ? x->model : x->sim->m, err);
  if (!d) return err ? err->status : LW_E_MEMORY;
  const lw_status status = lwi_contacts_find_forced(c, all, &x->jump, d, x->at);
  lw_dynamics_free(d);
  if (status == LW_OK) return LW_OK;
  return lwi_event_fail(x->event[0], x->t, err, status, "friction cannot be evaluated: %s",
                        lw_status_text(status));
}

static int count_held(const lwi_contacts *c)
{
  int n = 0;
  for (int i = 0; i < c->n; i++)
    n += c->hold[i];
  return n;
}

/* ---- what turns back ---- */

/* The rows of what holds in lambda: the one with the largest part, and the row; none: 0. */
static double part_of(const lw_model *m, const lwi_contact *k, const double lambda[])
{
  const int id = lwi_find_constraint(m, k->e->contact_name);
  double most = 0;
  if (id < 1 || m->constraint[id].constraint < 0) return 0;
  const lwi_tree_constraint *rows = &m->tree_constraints.constraint[m->constraint[id].constraint];
  for (int i = rows->row; i < rows->row + rows->n; i++)
    if (fabs(lambda[i]) > fabs(most)) most = lambda[i];
  return most;
}

/* The velocity across a contact at a time of the last step, ground axes. */
static bool find_slip(lw_simulation *sim, const lwi_contact *k, double t, double slip[3])
{
  lw_work *w = sim->system->dynamics->work;
  lwi_unit_push across[2];
  memset(slip, 0, 3 * sizeof *slip);
  if (lwi_simulation_find_state(sim, t) != LW_OK || lw_kinematics(w, sim->q, sim->u) != LW_OK)
    return false;
  const int n = lwi_unit_pushes_across(sim->m, w, &k->e->d, across);
  for (int l = 0; l < n; l++)
    for (int i = 0; i < 3; i++)
      slip[i] += lwi_unit_push_speed(w, &across[l]) * across[l].load[3 + i];
  return true;
}

/* A path that stops and goes on has a cusp: it returns the way it came.  The slip just before, without its part of
   second order in time. */
static bool find_return(lw_simulation *sim, const lwi_contact *k, double t, double back[3])
{
  double near[3], far[3];
  const double h = 0.01 * (t - sim->from);
  const bool found = h > 0 && find_slip(sim, k, t - h, near) && find_slip(sim, k, t - 2 * h, far);
  if (lwi_simulation_find_state(sim, t) != LW_OK || !found) return false;
  for (int i = 0; i < 3; i++)
    back[i] = 0.5 * far[i] - 2 * near[i];
  return norm3(back) > 0;
}

/* Lets go what has come to a stop at an extremum of its coordinate, with the acceleration a. */
static bool turn_back(const lwi_instant *x, int which, double a)
{
  lwi_contacts *c = &x->sim->contacts;
  lwi_contact *k = &c->item[which];
  if (lwi_is_slip(k)) {
    double back[3];
    if (!k->sliding || !find_return(x->sim, k, x->t, back)) return false;
    c->hold[which] = false;
    lwi_contact_slides_along(k, back);
    return true;
  }
  if (lwi_is_friction(k)) {
    c->hold[which] = false;
    k->slides = k->sliding ? -k->sliding : a > 0 ? 1 : -1;
    return true;
  }
  const bool rope = k->e->d.action == LW_ACTION_CONTACT && k->e->d.contact.on == LW_ON_ROPE;
  const double sign = k->e->d.action == LW_ACTION_LIMIT ? k->e->d.normal[0] : rope ? -1 : 1;
  if (!(sign * a > 0)) return false; /* the bodies would overlap */
  lwi_contact_slips(c, which, sign * a > 0 ? 1 : -1);
  return true;
}

/* Of the dependent constraints that contradict each other, the one that has begun to hold now and
   has the largest part in it. */
static bool let_go_of_one(const lwi_instant *x, const double lambda[], double sum)
{
  const lwi_contacts *c = &x->sim->contacts;
  double most = 0;
  int which = -1;
  for (int i = 0; i < c->n; i++) {
    const double part =
        c->hold[i] && !c->item[i].resting ? part_of(x->model, &c->item[i], lambda) : 0;
    if (fabs(part) > fabs(most)) most = part, which = i;
  }
  return fabs(most) > 1e-6 && turn_back(x, which, -sum / most);
}

/* A freedom may come to a stop not because what moves it stops, but at an extremum of its coordinate while the
   mechanism moves on.  Held there its constraint depends on others at this instant only, and forbids the motion: it
   does not stick but turns back.  contacts_find_forced finds those that nothing else is needed for. */
static lw_status let_go_of_forced(lwi_instant *x, bool *again)
{
  lwi_contacts *c = &x->sim->contacts;
  const lw_model *m = x->model;
  bool any = false;
  for (int i = 0; i < c->n; i++)
    any = any || (c->hold[i] && !c->item[i].resting);
  if (!m || !any) return LW_OK;
  const size_t rows = (size_t)m->tree_constraints.nrow;
  lw_work *w = lw_work_new(m);
  double *lambda = calloc(3 * rows + 1, sizeof *lambda);
  const lw_status status = w && lambda ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK && lwi_singularities_forbid(m, w, x->at, x->jump.q, x->jump.u)) {
    const double sum = lwi_regularity_conflict(m, w, lambda, lambda + rows);
    *again = sum != 0 && let_go_of_one(x, lambda, sum);
  }
  free(lambda);
  lw_work_free(w);
  return status;
}

/* What begins to stick now may leave no load that is consistent with the sliding of a contact or joint: Painleve's
   paradox.  It does not stick then, but turns back. */
static bool let_go_of_stuck(const lwi_instant *x, const lw_dynamics *d)
{
  lwi_contacts *c = &x->sim->contacts;
  for (int i = 0; i < c->n && lwi_own_loads_paradox(d); i++) {
    lwi_contact *k = &c->item[i];
    if (!c->hold[i] || !lwi_is_friction(k) || k->resting || !k->sliding) continue;
    c->hold[i] = false;
    k->slides = -k->sliding;
    return true;
  }
  return false;
}

/* Are the loads of what rests and sticks possible?  If not, *again: something gives way.  Once that
   is decided together; what rounding errors leave is released one by one. */
lw_status lwi_instant_check_loads(lwi_instant *x, lw_dynamics *d, bool *again, lw_error *err)
{
  lwi_contacts *c = &x->sim->contacts;
  int worst;
  *again = false;
  const lw_status forced = let_go_of_forced(x, again);
  if (forced != LW_OK || *again) return forced;
  lw_status status = lwi_contacts_turn_slips(c, d, x->at, x->jump.q, x->jump.u);
  if (status == LW_OK) status = lwi_contacts_check(c, d, x->at, x->jump.q, x->jump.u, &worst);
  if (status != LW_OK && let_go_of_stuck(x, d)) return *again = true, LW_OK;
  if (status != LW_OK)
    return lwi_instant_fail(x, d, status, "the loads of contacts cannot be computed", err);
  if (worst < 0) return LW_OK;
  if (x->attempts++ == 0 && !c->sticks) {
    const int before = count_held(c);
    const lw_status decided = decide(x, worst, err);
    *again = count_held(c) < before;
    if (decided == LW_OK && !*again) lwi_contacts_tolerate(c, d);
    return decided;
  }
  *again = true;
  if (x->attempts > c->n + 2)
    return lwi_event_fail(
        c->item[worst].e, x->t, err, LW_E_NOT_CONVERGED,
        "no loads of contacts, limits and friction are consistent with the motion");
  lwi_contact_slips(c, worst, c->load[worst] > 0 ? -1 : 1);
  return LW_OK;
}

/* Keeps the jump without resting contacts for the report; later attempts are not kept. */
static void keep_hit(lwi_instant *x)
{
  if (x->rests) {
    lwi_jump_free(&x->jump);
    lw_model_free(x->model);
    lwi_phase_free(x->phase);
  } else {
    x->rests = true;
    x->hit = x->jump;
    x->hit_model = x->model;
    x->hit_phase = x->phase;
  }
  if (x->system) x->system->free(x->system);
  x->jump = (lwi_jump){0};
  x->model = NULL;
  x->phase = NULL;
  x->system = NULL;
}

/* Bodies that have come back within one step, and are not held, must separate. */
static lw_status check_stuck(const lwi_instant *x, lw_error *err)
{
  lwi_contacts *c = &x->sim->contacts;
  const lwi_jump *j = x->rests ? &x->hit : &x->jump;
  for (int i = 0; i < x->ntouch; i++) {
    const lwi_touching *touch = &c->touch[i];
    lwi_contact *k = &c->item[touch->contact];
    if (!k->stuck || c->hold[touch->contact]) continue;
    if (touch->speed * lwi_unit_push_arm(x->sim->m, &touch->unit) < -j->slow * j->speed)
      return lwi_event_fail(
          k->e, x->t, err, LW_E_NOT_CONVERGED,
          "the bodies pass through each other within one step: take shorter ones");
    k->let_go = x->t; /* its load says so: not again from here */
  }
  return LW_OK;
}

/* Contacts that neither approach nor separate become constraints, and those with tensile loads are
   released one after the other.  If bodies have just been moved, contacts are checked again
   afterwards. */
lw_status lwi_instant_rest(lwi_instant *x, const lwi_frame *pose, bool moves, lw_error *err)
{
  lwi_contacts *c = &x->sim->contacts;
  bool again = lwi_contacts_candidates(c, x->ntouch, &x->jump);
  lw_status status = LW_OK;
  if (moves || x->sim->raising) {
    c->check = again;
    memset(c->hold, 0, (size_t)c->n * sizeof *c->hold);
    return LW_OK;
  }
  if (again) status = find_forced(x, err);
  while (again && status == LW_OK) {
    bool none;
    keep_hit(x);
    status = lwi_instant_rebuild(x, pose, &none, err);
    if (status == LW_OK) status = lwi_instant_jump(x, pose, x->hit.after, false, &again, err);
    /* what gives way starts from rest */
    if (status == LW_OK && again)
      memcpy(x->hit.after, x->jump.after, ((size_t)x->sim->m->nbody + 1) * sizeof *x->hit.after);
  }
  return status == LW_OK ? check_stuck(x, err) : status;
}

lw_status lwi_instant_refuse_derivatives(const lwi_instant *x, lw_error *err)
{
  const lwi_contacts *c = &x->sim->contacts;
  if (!x->sim->hooks || x->sim->hooks->values_only) return LW_OK;
  for (int i = 0; i < c->n; i++)
    if (c->item[i].e->d.action == LW_ACTION_IMPACT && (c->hold[i] || c->item[i].resting))
      return lwi_event_fail(
          c->item[i].e, x->t, err, LW_E_UNSUPPORTED,
          "bodies come to rest on each other: there are no derivatives across it");
  return LW_OK;
}
