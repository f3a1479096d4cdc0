/* SPDX-License-Identifier: Apache-2.0 */
/* release_candidates.c -- how one joint or constraint may give up equations: the joint types, and
   constraints, that allow all motions of the present one and some more.

   A motion that a change makes possible releases the self-stresses whose load does work along it.
   Coordinates that forces, relations, events or limits use must stay: revolute may then become
   cylindrical or universal, whose first coordinate is the same angle, and nothing else. */
#include "analysis/redundancy.h"
#include "linkwork/reader.h"
#include "model/joint/joint.h"

#include <math.h>
#include <string.h>

/* Penalties, in the order of preference. */
enum { SPHERICAL, SIMPLE = 1, NAMED = 3, UNIVERSAL = 5, PLANAR = 8, TREE = 100, CONSTRAINT = 250 };
enum { REMOVED_RELATION = 120, REMOVED_JOINT = 450, REMOVED_CONSTRAINT = 200 };

typedef struct {
  const lw_model *m;
  const lw_stressed_part *part;
  rot3 parent, child; /* axes of the joint frames, in ground axes */
  lwi_candidate *out;
  int n;
} listing;

static rot3 frame_axes(const lw_work *w, const lw_model *m, lw_body body, rot3 place)
{
  const lwi_body *b = &m->body[body.id];
  double R[9], o[3];
  w->kernels->get_frame(m, w->tree, b->link, R, o);
  return rot_mul(rot_mul(rot_columns(R), b->R), place);
}

/* ---- what uses the coordinates of a joint ---- */

static bool has_elements(const lw_joint_desc *d)
{
  for (int i = 0; i < LW_RATE_PAIRS; i++)
    if (d->damping[i] != 0 || d->armature[i] != 0 || d->limits[i].has_lower ||
        d->limits[i].has_upper || d->friction[i].load != 0)
      return true;
  return d->hold;
}

static bool is_named(const lw_spec *s, int joint, const char *name)
{
  for (int i = 0; i < s->constraints.n; i++)
    for (int k = 0; k < s->constraints.item[i].d.nterm; k++)
      if (s->constraints.item[i].d.terms[k].joint.id == joint) return true;
  for (int i = 0; i < s->motors.n; i++)
    if (s->motors.item[i].d.joint.id == joint) return true;
  for (int i = 0; i < s->joint_springs.n; i++)
    if (s->joint_springs.item[i].d.joint.id == joint) return true;
  for (int i = 0; i < s->events.n; i++)
    if (s->events.item[i].d.joint && strcmp(s->events.item[i].d.joint, name) == 0) return true;
  return false;
}

/* ---- changes ---- */

static lwi_candidate *new_change(listing *l, int penalty)
{
  if (l->n == LWI_MOST_CHANGES) return NULL;
  lwi_candidate *c = &l->out[l->n++];
  *c = (lwi_candidate){.release = {.joint = l->part->joint, .constraint = l->part->constraint},
                       .penalty = penalty};
  return c;
}

/* Adds a released rotation (first 0) or shift (3) along a direction in ground axes. */
static void allow(lwi_candidate *c, int first, const double direction[3])
{
  if (!c) return;
  memset(c->twist[c->ntwist], 0, sizeof c->twist[0]);
  memcpy(c->twist[c->ntwist++] + first, direction, 3 * sizeof(double));
  c->release.equations = c->ntwist;
}

static lwi_candidate *become(listing *l, lw_joint_type type, const double axis[3], int penalty)
{
  lwi_candidate *c = new_change(l, penalty);
  if (!c) return NULL;
  c->release.type = type;
  if (axis) memcpy(c->release.axis, axis, 3 * sizeof(double));
  return c;
}

static lwi_candidate *become_constraint(listing *l, lw_constraint_type type, const double axis[3])
{
  const bool cut = lw_get_joint(l->m, l->part->joint).cut;
  lwi_candidate *c = new_change(l, CONSTRAINT + (cut ? 0 : TREE));
  if (!c) return NULL;
  c->release.to_constraint = true;
  c->release.constraint_type = type;
  if (axis) memcpy(c->release.axis, axis, 3 * sizeof(double));
  return c;
}

/* Two directions perpendicular to a unit vector and to each other, along axes if possible. */
static void perpendicular(const double a[3], double b[3], double c[3])
{
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(a[i]) < fabs(a[least])) least = i;
  for (int i = 0; i < 3; i++)
    b[i] = (i == least) - a[least] * a[i];
  const double length = norm3(b);
  for (int i = 0; i < 3; i++)
    b[i] /= length;
  cross3(a, b, c);
}

/* ---- by type: a is its axis in the joint frame, A the same in ground axes ---- */

static void turning(listing *l, const double a[3], const double A[3], bool fixed_coordinates)
{
  double b[2][3], B[2][3], x[3], y[3];
  lwi_candidate *c = become(l, LW_CYLINDRICAL, NULL, SIMPLE);
  allow(c, 3, A);
  perpendicular(a, b[0], b[1]);
  for (int i = 0; i < 2; i++) {
    rot_mulv(l->child, b[i], B[i]);
    allow(become(l, LW_UNIVERSAL, b[i], UNIVERSAL), 0, B[i]);
  }
  if (fixed_coordinates) return;
  perpendicular(A, x, y);
  c = become(l, LW_SPHERICAL, NULL, SPHERICAL);
  allow(c, 0, x);
  allow(c, 0, y);
  if (fabs(a[2]) > 1 - 1e-12) { /* planar joints move normal to z */
    c = become(l, LW_PLANAR, NULL, PLANAR);
    allow(c, 3, x);
    allow(c, 3, y);
  }
  c = become_constraint(l, LW_POINT_ON_LINE, a);
  allow(c, 3, A);
  allow(c, 0, x);
  allow(c, 0, y);
}

/* universal: the third turn of a gimbal, about the common normal of the two axes at q = 0 */
static void third_axis(listing *l, const double a[3])
{
  double n[3], N[3];
  cross3(a, l->m->joint[l->part->joint.id].shape.axis[1], n);
  const double length = norm3(n);
  for (int i = 0; i < 3; i++)
    n[i] /= length;
  rot_mulv(l->child, n, N);
  allow(become(l, LW_GIMBAL, n, UNIVERSAL), 0, N);
}

static void ball(listing *l)
{
  for (int i = 0; i < 3; i++) {
    double e[3] = {i == 0, i == 1, i == 2}, E[3];
    rot_mulv(l->parent, e, E);
    allow(become_constraint(l, LW_POINT_ON_LINE, e), 3, E);
  }
}

static void rigid(listing *l)
{
  double E[3][3];
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    rot_mulv(l->parent, e, E[i]);
    allow(become(l, LW_REVOLUTE, e, SIMPLE), 0, E[i]);
    allow(become(l, LW_PRISMATIC, e, SIMPLE), 3, E[i]);
    lwi_candidate *c = become(l, LW_CYLINDRICAL, e, SIMPLE);
    allow(c, 0, E[i]);
    allow(c, 3, E[i]);
  }
  lwi_candidate *c = become(l, LW_SPHERICAL, NULL, SPHERICAL);
  for (int i = 0; i < 3; i++)
    allow(c, 0, E[i]);
}

static void list_in_space(listing *l, const lw_joint_desc *d, const double a[3], bool named)
{
  double A[3], x[3], y[3];
  rot_mulv(l->parent, a, A);
  perpendicular(A, x, y);
  switch (d->type) {
  case LW_FIXED: rigid(l); break;
  case LW_REVOLUTE: turning(l, a, A, named); break;
  case LW_PRISMATIC:
    if (!named) allow(become(l, LW_CYLINDRICAL, NULL, SIMPLE), 0, A);
    break;
  case LW_UNIVERSAL: third_axis(l, a); break;
  case LW_CYLINDRICAL:
    if (named) break;
    lwi_candidate *c = become_constraint(l, LW_POINT_ON_LINE, a);
    allow(c, 0, x);
    allow(c, 0, y);
    break;
  case LW_SPHERICAL:
    if (!named) ball(l);
    break;
  default: break;
  }
}

static void list_in_plane(listing *l, const lw_joint_desc *d, const double a[3], bool named)
{
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  double X[3], Y[3], A[3];
  rot_mulv(l->parent, x, X);
  rot_mulv(l->parent, y, Y);
  rot_mulv(l->parent, a, A);
  switch (d->type) {
  case LW_FIXED:
    allow(become(l, LW_REVOLUTE, NULL, SIMPLE), 0, z);
    allow(become(l, LW_PRISMATIC, x, SIMPLE), 3, X);
    allow(become(l, LW_PRISMATIC, y, SIMPLE), 3, Y);
    break;
  case LW_REVOLUTE:
    if (named) break;
    allow(become_constraint(l, LW_POINT_ON_LINE, x), 3, X);
    allow(become_constraint(l, LW_POINT_ON_LINE, y), 3, Y);
    break;
  case LW_PRISMATIC:
    if (!named) allow(become_constraint(l, LW_POINT_ON_LINE, a), 0, z);
    break;
  default: break;
  }
}

/* Without the part: all of its load goes. */
static void list_removal(listing *l, int equations, int penalty)
{
  lwi_candidate *c = new_change(l, penalty);
  if (!c) return;
  c->release.removed = true;
  c->ntwist = 6;
  for (int i = 0; i < 6; i++)
    c->twist[i][i] = 1;
  c->release.equations = equations;
}

static void list_joint(listing *l, const lw_work *w)
{
  const lwi_joint *j = &l->m->joint[l->part->joint.id];
  const lw_spec *s = l->m->spec;
  const int id = s ? lw_spec_find_joint(s, j->info.name).id : 0;
  if (id < 1) return;
  const lw_joint_desc *d = &s->joints.item[id - 1].d;
  const bool named = has_elements(d) || is_named(s, id, d->name);
  l->parent = frame_axes(w, l->m, j->info.parent, j->place.R);
  l->child = frame_axes(w, l->m, j->info.child, j->child_place.R);
  (l->m->planar ? list_in_plane : list_in_space)(l, d, j->shape.axis[0], named);
  if (!named && j->equations.n > 0) list_removal(l, j->equations.n, REMOVED_JOINT);
  for (int i = 0; i < l->n && named; i++)
    l->out[i].penalty += NAMED;
}

int lwi_release_candidates(const lw_model *m, const lw_work *w, const lw_stressed_part *part,
                           lwi_candidate out[])
{
  listing l = {.m = m, .part = part, .out = out};
  if (part->joint.id)
    list_joint(&l, w);
  else
    list_removal(&l, part->relation ? 1 : m->constraint[part->constraint.id].equations.n,
                 part->relation ? REMOVED_RELATION : REMOVED_CONSTRAINT);
  return l.n;
}
