/* SPDX-License-Identifier: Apache-2.0 */
/* phase_derivative.c -- derivatives of the numbers of a model after an event.

   The numbers depend on the parameter directly, and through places that were derived from the
   poses of bodies: the side of a connection without a place, and merged bodies.  In a copy of
   the phase these are linear in the parameter, v + v_p (p - p0), and the model is differentiated
   from that. */
#include "base/fail.h"
#include "model/compile/model_derivative.h"
#include "sim/sensitivity/event_derivative.h"
#include "sim/run/simulation_data.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- a phase whose places depend on the parameter ---- */

typedef struct {
  lwi_phase *p;
  const char *name; /* of the parameter, its value and magnitude */
  double value, scale;
} writer;

static void write_number(const writer *w, double *x, double slope)
{
  char text[200];
  if (slope == 0) return;
  snprintf(text, sizeof text, "%.17g + (%.17g)*(%s - (%.17g))", *x, slope / w->scale, w->name,
           w->value);
  *x = lw_expr(w->p->branch, text);
}

static void write_place(const writer *w, lw_place *to, const lwi_place_derivative *c)
{
  for (int i = 0; i < 3; i++)
    write_number(w, &to->at[i], c->at1[i]);
  for (int i = 0; i < 4; i++)
    write_number(w, &to->orient.value[i], c->quat1[i]);
}

/* A merged body as a place that can hold expressions.  Returns NULL if out of memory. */
static lw_place *open_merge(lwi_phase *p, int merge, int body)
{
  lwi_merge *m = &p->merge[merge];
  if (!m->written) {
    m->written = LWI_TAKE(&p->arena, m->nbody, lw_place);
    for (int i = 0; m->written && i < m->nbody; i++)
      m->written[i] = lwi_place_in_numbers(&m->place[i], p->spec->planar);
  }
  return m->written ? &m->written[body] : NULL;
}

static bool write_places(const writer *w, const lwi_event_derivative *e)
{
  lwi_phase *p = w->p;
  for (int i = 0; i < e->nplace; i++) {
    const lwi_place_derivative *c = &e->place[i];
    lw_place *to = NULL;
    if (c->owner == LWI_PLACE_STOP) {
      write_number(w, &p->branch->constraints.item[c->id - 1].d.offset, c->at1[0]);
      continue;
    }
    if (c->owner == LWI_PLACE_MERGE) {
      if (!p->merge[c->id - 1].bodies) continue;
      to = open_merge(p, c->id - 1, c->side);
      if (!to) return false;
    } else if (c->owner == LWI_PLACE_JOINT) {
      lw_joint_desc *d = &p->branch->joints.item[c->id - 1].d;
      to = c->side ? &d->child_place : &d->place;
    } else {
      lw_constraint_desc *d = &p->branch->constraints.item[c->id - 1].d;
      to = c->side ? &d->child_place : &d->place;
    }
    write_place(w, to, c);
  }
  return lwi_spec_good(p->spec);
}

static lw_model *differentiate(const lwi_event_derivative *e, const lwi_phase *now,
                               const lw_model *m, int parameter, double scale, lw_error *err)
{
  lwi_phase *p = lwi_phase_copy(now);
  if (!p) return lwi_out_of_memory(err, "sensitivities"), NULL;
  const writer w = {p, m->parameter_name[parameter], m->parameter[parameter], scale};
  p->pose = now->pose;
  p->time = now->time;
  p->branch->unlimited = true;
  lw_model *derivative = NULL;
  if (write_places(&w, e))
    derivative = lwi_phase_model_derivative(p, m, parameter, err);
  else
    lwi_out_of_memory(err, "sensitivities");
  lwi_phase_free(p);
  if (derivative) lwi_model_derivative_scale(derivative, scale);
  return derivative;
}

/* ---- places that this event derives from poses ---- */

static lwi_place_derivative *find_place(lwi_event_derivative *e, lwi_place_owner owner, int id,
                                        int side)
{
  for (int i = 0; i < e->nplace; i++)
    if (e->place[i].owner == owner && e->place[i].id == id && e->place[i].side == side)
      return &e->place[i];
  if (!lwi_grow(&e->place, e->nplace, &e->place_capacity, sizeof *e->place)) return NULL;
  e->place[e->nplace] = (lwi_place_derivative){.owner = owner, .id = id, .side = side};
  return &e->place[e->nplace++];
}

static void remove_places(lwi_event_derivative *e, lwi_place_owner owner, int id)
{
  int n = 0;
  for (int i = 0; i < e->nplace; i++)
    if (e->place[i].owner != owner || e->place[i].id != id) e->place[n++] = e->place[i];
  e->nplace = n;
}

/* X relative to the base. */
static void relative_place(lwi_place_derivative *c, const num_frame *base, const num_frame *X)
{
  const num_frame in = lwi_frame_mul(lwi_frame_inverse(*base), *X);
  num e[4];
  quat_from_rot(in.R, e);
  lwi_keep(in.p, 3, c->at1);
  lwi_keep(e, 4, c->quat1);
}

static bool take_merge(lwi_event_derivative *e, const lwi_phase *p, const char *name)
{
  int id = 0;
  while (id < p->nmerge && strcmp(p->merge[id].name, name) != 0)
    id++;
  if (id == p->nmerge || !p->merge[id].bodies) return true;
  const lwi_merge *m = &p->merge[id];
  remove_places(e, LWI_PLACE_MERGE, id + 1);
  for (int k = 1; k < m->nbody; k++) {
    lwi_place_derivative *c = find_place(e, LWI_PLACE_MERGE, id + 1, k);
    if (!c) return false;
    const num_moving_frame first = lwi_get_moving(&e->body[m->bodies[0].id]);
    const num_moving_frame other = lwi_get_moving(&e->body[m->bodies[k].id]);
    relative_place(c, &first.frame, &other.frame);
  }
  return true;
}

/* What a connection joins, in the new model: its places and their derivatives. */
typedef struct {
  lwi_place_owner owner;
  int id; /* in the spec */
  int parent, child;
  const lwi_frame *place[2], *dplace[2];
} connection;

/* Returns false if it connects nothing that was not there already. */
static bool find_connection(const lwi_event *e, const lw_spec *s, const lw_model *before,
                            const lw_model *m, const lw_model *derivative, connection *out)
{
  if (e->d.action != LW_ACTION_CONNECT) return false;
  if (e->d.new_joint) {
    const char *name = e->d.new_joint->name;
    const int id = lw_find_joint(m, name).id;
    if (id < 1 || lw_find_joint(before, name).id > 0) return false;
    const lwi_joint *j = &m->joint[id], *dj = &derivative->joint[id];
    *out = (connection){
        LWI_PLACE_JOINT,  lw_spec_find_joint(s, name).id, j->info.parent.id,
        j->info.child.id, {&j->place, &j->child_place},   {&dj->place, &dj->child_place}};
    return true;
  }
  const char *name = e->d.new_constraint->name;
  const int id = lwi_find_constraint(m, name);
  if (id == 0 || lwi_find_constraint(before, name)) return false;
  const lwi_constraint *k = &m->constraint[id], *dk = &derivative->constraint[id];
  *out = (connection){
      LWI_PLACE_CONSTRAINT, lwi_spec_find_constraint(s, name), k->info.parent.id,
      k->info.child.id,     {&k->place, &k->child_place},      {&dk->place, &dk->child_place}};
  return k->equations.n > 0 && e->d.new_constraint->type != LW_DISTANCE;
}

/* As complete_places of phase.c: a side without a place is put where the other one is. */
static bool take_connection(lwi_event_derivative *e, const lwi_event *event, const connection *x)
{
  const int given = event->d.placed ? 0 : 1;
  lwi_place_derivative *c = find_place(e, x->owner, x->id, 1 - given);
  if (!c) return false;
  const num_moving_frame side[2] = {lwi_get_moving(&e->body[x->parent]),
                                    lwi_get_moving(&e->body[x->child])};
  const num_frame X =
      lwi_frame_mul(side[given].frame, lwi_get_frame(x->place[given], x->dplace[given]));
  relative_place(c, &side[1 - given].frame, &X);
  return true;
}

/* ---- where freedoms stick ---- */

/* the derivative of a coordinate, from the poses of bodies at the moving time of the event */
static double coordinate_slope(const lwi_event_derivative *e, const lw_model *m,
                               const lw_model *derivative, int joint, int dof)
{
  const lwi_joint *j = &m->joint[joint], *j_p = &derivative->joint[joint];
  const num_joint_shape shape = lwi_get_shape(&j->shape, &j_p->shape);
  const num_moving_frame parent = lwi_get_moving(&e->body[j->info.parent.id]),
                         child = lwi_get_moving(&e->body[j->info.child.id]);
  const num_frame A = lwi_frame_mul(parent.frame, lwi_get_frame(&j->place, &j_p->place)),
                  B = lwi_frame_mul(child.frame, lwi_get_frame(&j->child_place, &j_p->child_place));
  num q[7] = {0};
  lwi_joint_q(&(num_joint_at){&shape, &A, &B, j->q}, q);
  return derivative_of(q[dof]);
}

/* Where the point of a contact sticks: in the axes of the other body (lwi_contacts_edit). */
static bool take_stuck_point(lwi_event_derivative *e, const lwi_contact *k)
{
  const lw_contact_desc *d = &k->e->d.contact, *d_p = &e->slope[k->e->number - 1].contact;
  lwi_place_derivative *to = find_place(e, LWI_PLACE_CONSTRAINT, k->e->contact, 0);
  if (!to) return false;
  const num_moving_frame body = lwi_get_moving(&e->body[d->body.id]),
                         other = lwi_get_moving(&e->body[d->other.id]);
  num at[3], place[3];
  lwi_get(d->at, d_p->at, 3, at);
  lwi_frame_point(body.frame, at, place);
  lwi_frame_point(lwi_frame_inverse(other.frame), place, at);
  lwi_keep(at, 3, to->at1);
  return true;
}

/* What sticks from now on: couplers of freedoms, and points of contacts; *taken: there are some. */
static bool take_stops(lwi_event_derivative *e, const lw_model *m, const lw_model *derivative,
                       bool *taken)
{
  const lwi_contacts *c = &e->sim->contacts;
  for (int i = 0; i < c->n; i++) {
    const lwi_contact *k = &c->item[i];
    const bool point =
        lwi_is_slip(k) && k->e->d.contact.on == LW_ON_PLANE && k->e->d.contact.radius == 0;
    if (point) remove_places(e, LWI_PLACE_CONSTRAINT, k->e->contact);
    if (point && c->hold[i]) {
      if (!take_stuck_point(e, k)) return false;
      *taken = true;
    }
    const int joint = lwi_is_friction(k) ? lw_find_joint(m, k->e->d.joint).id : 0;
    if (joint < 1) continue;
    remove_places(e, LWI_PLACE_STOP, k->e->contact);
    if (!c->hold[i]) continue;
    lwi_place_derivative *to = find_place(e, LWI_PLACE_STOP, k->e->contact, 0);
    if (!to) return false;
    to->at1[0] = coordinate_slope(e, m, derivative, joint, k->e->d.dofs[0] - 1);
    *taken = true;
  }
  return true;
}

/* ---- all together ---- */

static const lwi_event *event_of(const lwi_event_derivative *e, int i)
{
  return &e->sim->first->event[e->number[i] - 1];
}

/* The places of the new connections; *taken: there are some. */
static bool take_connections(lwi_event_derivative *e, const lw_spec *s, const lw_model *before,
                             const lw_model *m, const lw_model *derivative, bool *taken)
{
  *taken = false;
  for (int i = 0; i < e->nevent; i++) {
    const lwi_event *event = event_of(e, i);
    connection x;
    if (!find_connection(event, s, before, m, derivative, &x)) continue;
    remove_places(e, x.owner, x.id);
    if (event->d.placed && event->d.child_placed) continue;
    if (!take_connection(e, event, &x)) return false;
    *taken = true;
  }
  return true;
}

/* For connections the derivative of the side that is given must be known first. */
lw_model *lwi_phase_derivative(lwi_event_derivative *e, const lwi_phase *now,
                               const lw_model *before, const lw_model *m, int parameter,
                               double scale, lw_error *err)
{
  bool ok = true, taken = false;
  for (int i = 0; i < e->nevent && ok; i++)
    if (event_of(e, i)->d.action == LW_ACTION_MERGE)
      ok = take_merge(e, now, event_of(e, i)->d.merge);
  if (!ok) return lwi_out_of_memory(err, "sensitivities"), NULL;
  lw_model *derivative = differentiate(e, now, m, parameter, scale, err);
  if (!derivative) return NULL;
  ok = take_connections(e, now->spec, before, m, derivative, &taken) &&
       take_stops(e, m, derivative, &taken);
  if (ok && !taken) return derivative;
  lw_model_free(derivative);
  if (!ok) return lwi_out_of_memory(err, "sensitivities"), NULL;
  return differentiate(e, now, m, parameter, scale, err);
}
