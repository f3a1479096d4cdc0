/* SPDX-License-Identifier: Apache-2.0 */
/* phase.c -- events edit a copy of the phase, the present positions are written to it, and it is
   compiled. */
#include "sim/events/phase.h"
#include "base/fail.h"
#include "base/nearest_name.h"
#include "model/compile/compile.h"
#include "linkwork/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lw_status lwi_event_fail(const lwi_event *e, double t, lw_error *err, lw_status status,
                         const char *format, ...)
{
  char name[80], text[400];
  va_list args;
  lwi_event_name(e, name, sizeof name);
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  lwi_fail(err, status, "event \"%s\" at t = %.10g: %s", name, t, text);
  lwi_locate_error(e->files, e->mark, err);
  return status;
}

bool lwi_moment_rebuilds(const lwi_moment *now)
{
  if (now->contacts && lwi_contacts_any(now->contacts)) return true;
  for (int i = 0; i < now->nevent; i++) {
    const lw_action a = now->event[i]->d.action;
    if (a != LW_ACTION_NONE && a != LW_ACTION_IMPULSE && a != LW_ACTION_IMPACT &&
        a != LW_ACTION_CONTACT && a != LW_ACTION_SLIP && a != LW_ACTION_STOP)
      return true;
  }
  return false;
}

/* ---- one event edits the phase ---- */

typedef struct {
  const lwi_moment *now;
  lwi_phase *p;
  lw_spec *s; /* its descriptors */
  const lwi_event *e;
  lw_error *err;
} edit;

#define FAIL(x, ...) (lwi_event_fail((x)->e, (x)->now->t, (x)->err, LW_E_MODEL, __VA_ARGS__), false)

/* Is the requested change already in effect?  That is an error for an event at a given time; a
   repeated event is ignored. */
static bool is_in_effect(const edit *x, const char *what, const char *name, const char *how)
{
  return x->e->when != NULL || FAIL(x, "%s \"%s\" is %s", what, name, how);
}

static bool no_memory(const edit *x)
{
  return lwi_out_of_memory(x->err, NULL), false;
}

static int find_joint(const edit *x, const char *name)
{
  return lw_spec_find_joint(x->s, name).id;
}

static bool edit_lock(const edit *x)
{
  const lw_event_desc *d = &x->e->d;
  const bool lock = d->action == LW_ACTION_LOCK;
  const int id = find_joint(x, d->joint);
  if (id < 1 || x->p->joint[id - 1].absent) return is_in_effect(x, "joint", d->joint, "not there");
  lwi_part_state *p = &x->p->joint[id - 1];
  const int nu = lw_joint_type_nu(x->s->joints.item[id - 1].d.type, x->s->planar);
  const unsigned all = (1u << nu) - 1;
  unsigned dofs = d->ndof ? 0 : lock ? all : p->locked;
  for (int i = 0; i < d->ndof; i++) {
    if (d->dofs[i] > nu)
      return FAIL(x, "joint \"%s\" has %d freedom%s, there is no dof %d", d->joint, nu,
                  nu == 1 ? "" : "s", d->dofs[i]);
    dofs |= 1u << (d->dofs[i] - 1);
  }
  const unsigned wrong = lock ? dofs & p->locked : dofs & ~(unsigned)p->locked;
  if (nu == 0) return FAIL(x, "joint \"%s\" has no freedom", d->joint);
  if (wrong && d->ndof && !x->e->when) {
    int dof = 1;
    while (!(wrong >> (dof - 1) & 1))
      dof++;
    return FAIL(x, "freedom %d of joint \"%s\" is %s", dof, d->joint,
                lock ? "locked already" : "not locked");
  }
  if ((lock && (p->locked & all) == all) || (!lock && p->locked == 0))
    return is_in_effect(x, "joint", d->joint, lock ? "locked already" : "not locked");
  p->locked = (unsigned char)(lock ? p->locked | dofs : p->locked & ~dofs);
  return true;
}

static bool edit_replace(const edit *x)
{
  const lw_event_desc *d = &x->e->d;
  const int id = find_joint(x, d->joint);
  if (id < 1 || x->p->joint[id - 1].absent) return is_in_effect(x, "joint", d->joint, "not there");
  lw_joint_desc *j = &x->s->joints.item[id - 1].d;
  j->type = d->new_joint->type;
  j->pitch = d->new_joint->pitch;
  memcpy(j->axis, d->new_joint->axis, sizeof j->axis);
  memcpy(j->axis2, d->new_joint->axis2, sizeof j->axis2);
  memcpy(j->axis3, d->new_joint->axis3, sizeof j->axis3);
  memset(j->q, 0, sizeof j->q);
  x->p->joint[id - 1] = (lwi_part_state){.changed = true};
  return true;
}

/* docs/format.md 8.6: a side without a place is put where the other one is. */
static void complete_places(const edit *x, lw_body parent, lw_body child, lw_place *place,
                            lw_place *child_place)
{
  const lwi_event *e = x->e;
  const lwi_frame *A = &x->now->pose[parent.id], *B = &x->now->pose[child.id];
  if (e->d.placed && e->d.child_placed) return;
  const lwi_frame X = e->d.placed ? lwi_frame_mul(*A, e->place) : lwi_frame_mul(*B, e->child_place);
  const lwi_frame in = lwi_frame_mul(lwi_frame_inverse(e->d.placed ? *B : *A), X);
  *(e->d.placed ? child_place : place) = lwi_place_in_numbers(&in, x->s->planar);
}

static bool edit_connect(const edit *x)
{
  const lw_event_desc *d = &x->e->d;
  const char *name = d->new_joint ? d->new_joint->name : d->new_constraint->name;
  const int id = d->new_joint ? find_joint(x, name) : lwi_spec_find_constraint(x->s, name);
  if (id < 1) return FAIL(x, "the name \"%s\" is taken", name);
  lwi_part_state *p = d->new_joint ? &x->p->joint[id - 1] : &x->p->constraint[id - 1];
  if (!p->absent)
    return is_in_effect(x, d->new_joint ? "joint" : "constraint", name, "there already");
  *p = (lwi_part_state){.changed = true};
  if (d->new_joint) {
    lw_joint_desc *j = &x->s->joints.item[id - 1].d;
    const char *kept = j->name;
    *j = *d->new_joint;
    j->name = kept;
    complete_places(x, j->parent, j->child, &j->place, &j->child_place);
  } else {
    lw_constraint_desc *c = &x->s->constraints.item[id - 1].d;
    const char *kept = c->name;
    lw_term *terms = LWI_TAKE(&x->s->arena, d->new_constraint->nterm, lw_term);
    if (!terms) return no_memory(x);
    if (d->new_constraint->nterm)
      memcpy(terms, d->new_constraint->terms, (size_t)d->new_constraint->nterm * sizeof *terms);
    *c = *d->new_constraint;
    c->name = kept;
    c->terms = terms;
    if (lwi_constraint_is_geometric(c->type) && c->type != LW_DISTANCE)
      complete_places(x, c->parent, c->child, &c->place, &c->child_place);
  }
  return true;
}

static bool edit_disconnect(const edit *x)
{
  const char *name = x->e->d.joint;
  const int joint = find_joint(x, name);
  const int constraint = joint < 1 ? lwi_spec_find_constraint(x->s, name) : 0;
  if (joint < 1 && constraint < 1) return FAIL(x, "there is no joint \"%s\"", name);
  lwi_part_state *p = joint > 0 ? &x->p->joint[joint - 1] : &x->p->constraint[constraint - 1];
  if (p->absent) return is_in_effect(x, joint > 0 ? "joint" : "constraint", name, "not there");
  *p = (lwi_part_state){.absent = true};
  return true;
}

static lwi_merge *find_merge(const lwi_phase *p, const char *name)
{
  for (int i = 0; i < p->nmerge; i++)
    if (strcmp(p->merge[i].name, name) == 0) return &p->merge[i];
  return NULL;
}

static bool edit_merge(const edit *x)
{
  const lw_event_desc *d = &x->e->d;
  lwi_phase *p = x->p;
  lwi_merge *m = find_merge(p, d->merge);
  if (m && m->bodies) return is_in_effect(x, "merge", d->merge, "there already");
  lwi_frame *place = LWI_TAKE(&p->arena, d->nbody, lwi_frame);
  lw_body *bodies = LWI_TAKE(&p->arena, d->nbody, lw_body);
  if (!place || !bodies) return no_memory(x);
  memcpy(bodies, d->bodies, (size_t)d->nbody * sizeof *bodies);
  const lwi_frame base = lwi_frame_inverse(x->now->pose[bodies[0].id]);
  for (int i = 0; i < d->nbody; i++)
    place[i] = lwi_frame_mul(base, x->now->pose[bodies[i].id]);
  if (!m) {
    const char *name = lwi_arena_text(&p->arena, d->merge);
    if (!name || !lwi_grow(&p->merge, p->nmerge, &p->merge_capacity, sizeof *p->merge))
      return no_memory(x);
    m = &p->merge[p->nmerge++];
    m->name = name;
  }
  *m = (lwi_merge){.name = m->name, .nbody = d->nbody, .bodies = bodies, .place = place};
  return true;
}

static bool edit_split(const edit *x)
{
  lwi_merge *m = find_merge(x->p, x->e->d.merge);
  if (!m || !m->bodies) return is_in_effect(x, "merge", x->e->d.merge, "not there");
  m->bodies = NULL;
  return true;
}

static bool edit_one(const edit *x)
{
  switch (x->e->d.action) {
  case LW_ACTION_LOCK:
  case LW_ACTION_UNLOCK: return edit_lock(x);
  case LW_ACTION_REPLACE: return edit_replace(x);
  case LW_ACTION_CONNECT: return edit_connect(x);
  case LW_ACTION_DISCONNECT: return edit_disconnect(x);
  case LW_ACTION_MERGE: return edit_merge(x);
  case LW_ACTION_SPLIT: return edit_split(x);
  default: return true;
  }
}

/* ---- the moment goes into the phase ---- */

/* Coordinates of floating bodies. */
static bool write_floating(const lwi_moment *now, lwi_phase *p)
{
  const lw_model *m = now->m;
  const int nbody = p->spec->bodies.n;
  double(*q)[7] = NULL;
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *info = &m->joint[i].info;
    if (!info->implicit || info->type != LW_FREE) continue;
    if (!q) {
      if (!(q = lwi_arena_take(&p->arena, (size_t)nbody + 1, sizeof *q))) return false;
      for (int b = 0; b <= nbody; b++)
        q[b][0] = (double)NAN;
    }
    memset(q[info->child.id], 0, sizeof *q);
    memcpy(q[info->child.id], now->q + info->q_all, (size_t)info->nq * sizeof(double));
  }
  p->floating = (const double(*)[7])q;
  return true;
}

/* Torsions stay wound up as they are, whichever joints count their turns next. */
static bool write_turns(const lwi_moment *now, lwi_phase *p)
{
  double *turns = LWI_TAKE(&p->arena, now->m->ntorsion, double);
  if (!turns) return false;
  for (int i = 0; i < now->m->ntorsion; i++)
    turns[i] = lwi_torsion_turn(now->m, i, now->pose, now->q, now->wound[i]);
  p->turns = turns;
  return true;
}

/* Joints keep their coordinates; bodies keep their poses. */
static bool write_moment(const lwi_moment *now, lwi_phase *p)
{
  p->pose = lwi_arena_copy(&p->arena, now->pose, (size_t)p->spec->bodies.n + 1, sizeof *p->pose);
  if (!p->pose) return false;
  p->solids = now->m->solid;
  p->time = now->t;
  for (int i = 0, id = 0; i < p->njoint; i++) {
    lw_joint_desc *d = &p->branch->joints.item[i].d;
    lwi_part_state *joint = &p->joint[i];
    joint->was = joint->absent ? 0 : ++id; /* models number the active joints: active_phase.c */
    if (joint->absent) continue;
    const lw_joint_info *info = &now->m->joint[id].info;
    memset(d->q, 0, sizeof d->q);
    memset(d->u, 0, sizeof d->u);
    memcpy(d->q, now->q + info->q_all, (size_t)info->nq * sizeof(double));
    d->q_orient = (lw_orient){.type = LW_ORIENT_NONE};
    joint->kept = true;
  }
  return write_floating(now, p) && write_turns(now, p);
}

lwi_phase *lwi_next_phase(const lwi_moment *now, lw_error *err)
{
  lwi_phase *p = now->own ? now->own : lwi_phase_branch(now->phase);
  bool ok = p && write_moment(now, p);
  if (!ok) lwi_out_of_memory(err, NULL);
  for (int i = 0; i < now->nevent && ok; i++)
    ok = edit_one(&(edit){now, p, p->branch, now->event[i], err});
  if (ok && now->contacts) lwi_contacts_edit(now->contacts, p, now->pose);
  if (ok) return p;
  if (p != now->own) lwi_phase_free(p);
  return NULL;
}

/* ---- compile ---- */

/* Do the events only lock or release, and are there no merges, which also lock? */
static bool only_locks(const lwi_moment *now, const lwi_phase *p)
{
  if (now->contacts && lwi_contacts_any(now->contacts)) return false;
  for (int i = 0; i < now->nevent; i++)
    switch (now->event[i]->d.action) {
    case LW_ACTION_REPLACE:
    case LW_ACTION_CONNECT:
    case LW_ACTION_DISCONNECT:
    case LW_ACTION_MERGE:
    case LW_ACTION_SPLIT: return false;
    default: break;
    }
  for (int i = 0; i < p->nmerge; i++)
    if (p->merge[i].bodies) return false;
  return true;
}

lw_model *lwi_next_model(const lwi_moment *now, const lwi_phase *p, bool *moves, lw_error *err)
{
  lw_model *m = only_locks(now, p) ? lwi_compile_locks(p, now->m, now->q, err)
                                   : lwi_compile_phase(p, now->m, err);
  const bool ok = m != NULL;
  if (ok) m->raising = now->m->raising, m->nraising = now->m->nraising;
  *moves = false;
  if (ok && lwi_moment_fits(now, m, moves, err)) return m;
  lw_model_free(m);
  return NULL;
}
