/* SPDX-License-Identifier: Apache-2.0 */
/* event_fit.c -- checks that the model after events fits the present positions.  An event moves
   nothing unless told to (docs/format.md 8.6): the sides of joints and geometric constraints must
   meet, and couplers and drivers must hold. */
#include "linkwork/inspect.h"
#include "linkwork/reader.h"
#include "model/joint/joint_relative.h"
#include "sim/events/phase.h"
#include "tree/loops/loop_closing.h"

#include <math.h>
#include <string.h>

static const double meeting = 1e-6; /* tolerance in m and rad */

/* ---- geometry ---- */

static bool check_gap(const lwi_moment *now, const lwi_event *e, const char *name,
                      const lwi_equations *equations, const lwi_frame *A, const lwi_frame *B,
                      bool *moves, lw_error *err)
{
  double phi[6] = {0}, gap[2] = {0}; /* m, rad */
  lwi_row turning = LWI_DOT;
  lwi_equations_residual(equations, A, B, 0, phi);
  for (int i = 0; i < equations->n; i++) {
    const bool turns = equations->row[i] >= LWI_TURN_0 && equations->row[i] <= LWI_DOT;
    double *g = &gap[turns];
    *g = hypot(*g, phi[i]);
    if (turns) turning = (lwi_row)equations->row[i];
  }
  gap[1] = lwi_angle_of_gap(gap[1], turning);
  if (gap[0] <= meeting && gap[1] <= meeting) return true;
  if (e->d.move) return *moves = true;
  if (e->d.action == LW_ACTION_REPLACE)
    lwi_event_fail(e, now->t, err, LW_E_MODEL,
                   "joint \"%s\" cannot become a %s joint here: it is off by %.3g m and %.3g rad",
                   name, lw_joint_type_name(e->d.new_joint->type), gap[0], gap[1]);
  else
    lwi_event_fail(e, now->t, err, LW_E_MODEL,
                   "the two sides of \"%s\" do not meet: they are %.3g m and %.3g rad apart; "
                   "`move: true` would move them together",
                   name, gap[0], gap[1]);
  return false;
}

static lwi_frame on_body(const lwi_moment *now, lw_body b, const lwi_frame *place)
{
  return lwi_frame_mul(now->pose[b.id], *place);
}

static bool check_meeting(const lwi_moment *now, const lw_model *m, const lwi_event *e, bool *moves,
                          lw_error *err)
{
  const lw_event_desc *d = &e->d;
  if (d->action != LW_ACTION_CONNECT && d->action != LW_ACTION_REPLACE) return true;
  if (d->new_joint) {
    const char *name = d->action == LW_ACTION_REPLACE ? d->joint : d->new_joint->name;
    const lw_joint id = lw_find_joint(m, name);
    if (id.id < 1) return true; /* a later event of this instant removed it */
    const lwi_joint *j = &m->joint[id.id];
    const lwi_frame A = on_body(now, j->info.parent, &j->place);
    const lwi_frame B = on_body(now, j->info.child, &j->child_place);
    return check_gap(now, e, name, &j->equations, &A, &B, moves, err);
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *k = &m->constraint[i];
    if (strcmp(k->info.name, d->new_constraint->name) != 0 || k->equations.n == 0) continue;
    const lwi_frame A = on_body(now, k->info.parent, &k->place);
    const lwi_frame B = on_body(now, k->info.child, &k->child_place);
    return check_gap(now, e, k->info.name, &k->equations, &A, &B, moves, err);
  }
  return true;
}

/* ---- relations ---- */

/* The present coordinate: that of a joint that existed before, or from the poses of the bodies of a
   new one. */
static double coordinate(const lwi_moment *now, const lw_model *m, const lwi_relation_term *term)
{
  const lwi_joint *j = &m->joint[term->joint];
  const lw_joint_info before = lw_get_joint(now->m, lw_find_joint(now->m, j->info.name));
  if (before.name && before.type == j->info.type) return now->q[before.q_all + term->dof];
  const lwi_frame A = on_body(now, j->info.parent, &j->place);
  const lwi_frame B = on_body(now, j->info.child, &j->child_place);
  double q[7];
  lwi_joint_q(&(num_joint_at){&j->shape, &A, &B, j->q}, q);
  return q[term->dof];
}

/* " rad", " m", or "" if coordinates of both kinds are added */
static const char *unit_of(const lw_model *m, const lwi_relation *r)
{
  int angles = 0;
  for (int i = 0; i < r->nterm; i++) {
    const lw_joint_type type = m->joint[r->term[i].joint].info.type;
    angles += (lwi_joint_traits_of(type).angles >> r->term[i].dof & 1) != 0;
  }
  return angles == r->nterm ? " rad" : angles == 0 ? " m" : "";
}

/* The event that introduces a relation: the one that connects it, or a joint that it names. */
static const lwi_event *find_origin_event(const lwi_moment *now, const lw_model *m,
                                          const char *name, const lwi_relation *r)
{
  const lwi_event *found = NULL;
  for (int i = 0; i < now->nevent; i++) {
    const lw_event_desc *d = &now->event[i]->d;
    if (d->action == LW_ACTION_CONNECT && d->new_constraint &&
        strcmp(d->new_constraint->name, name) == 0)
      return now->event[i];
    for (int k = 0; k < r->nterm && d->new_joint; k++) {
      const char *joint = d->action == LW_ACTION_REPLACE ? d->joint : d->new_joint->name;
      if (strcmp(joint, m->joint[r->term[k].joint].info.name) == 0) found = now->event[i];
    }
  }
  return found ? found : now->event[0];
}

/* Gears hold from wherever they start (docs/format.md 4.2). */
static bool check_relation(const lwi_moment *now, const lw_model *m, const lwi_constraint *k,
                           bool *moves, lw_error *err)
{
  const lwi_relation *r = &k->relation;
  double sum = 0, scale = 0, target[3];
  if (r->type == LW_GEAR) return true;
  for (int i = 0; i < r->nterm; i++) {
    const double q = coordinate(now, m, &r->term[i]);
    sum += lwi_term_value(&r->term[i], q);
    scale = hypot(scale, lwi_term_slope(&r->term[i], q));
  }
  lwi_relation_target(r, m->parameter, m->nparameter, 0, now->at, target);
  const double off = sum - target[0];
  if (fabs(off) <= meeting * scale + 1e-12 * fabs(target[0])) return true;
  const lwi_event *e = find_origin_event(now, m, k->info.name, r);
  if (e->d.move) return *moves = true;
  const char *unit = unit_of(m, r);
  lwi_event_fail(
      e, now->t, err, LW_E_MODEL,
      "%s \"%s\" requires %.9g%s, but the value is %.9g%s: it is off by %.3g%s; `move: true` "
      "would move the bodies",
      lw_constraint_type_name(r->type), k->info.name, target[0], unit, sum, unit, fabs(off), unit);
  return false;
}

/* ---- all ---- */

bool lwi_moment_fits(const lwi_moment *now, const lw_model *m, bool *moves, lw_error *err)
{
  *moves = false;
  for (int i = 0; i < now->nevent; i++)
    if (!check_meeting(now, m, now->event[i], moves, err)) return false;
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair < 0 && !check_relation(now, m, &m->constraint[i], moves, err))
      return false;
  return true;
}
