/* SPDX-License-Identifier: Apache-2.0 */
/* merged.c -- adds inertia to merged bodies that have none about some line.

   Particles on one line have no inertia about it, particles at one point none at all.  Where such a
   rotation moves nothing else either - the body is free, or held by spherical joints on that line -
   the equations of motion leave it undetermined.  Then inertia is added: no load acts about the
   line, so that the body keeps zero spin after the merge, and all masses move as before.  This
   changes the constants of a link once, for all formulations.

   Where another joint or a constraint holds the body, the rotation may be determined by it, and
   nothing is added. */
#include "graph/union_find.h"
#include "linalg/eigen.h"
#include "model/compile/compile.h"
#include "model/joint/equations.h"
#include "linkwork/reader.h"

#include <math.h>

/* bodies that move as one, in ground axes */
typedef struct {
  int base;  /* the first body of a merge in it; 0: none */
  bool held; /* by something that a rotation about the line may move */
  int pins;  /* points that allow rotation */
  double mass, reach, com[3], J[9];
  double line[3]; /* ... */
  int rank;       /* 3: inertia about every axis; 2: none about line; 0: none at all */
  double size;    /* the largest relevant distance */
} rigid_group;

typedef struct {
  lwi_compiler *c;
  int *up;            /* [nbody + 1] sets of bodies */
  rigid_group *group; /* [nbody + 1] by representative */
} merger;

static rigid_group *group_of(const merger *x, int body)
{
  return &x->group[lwi_sets_find(x->up, body)];
}

static void join_bodies(merger *x)
{
  const lwi_compiler *c = x->c;
  lwi_sets_init(c->s->bodies.n + 1, x->up);
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_joint_values *h = &c->joint_values[i];
    const unsigned all = (1u << lw_joint_type_nu(h->type, c->s->planar)) - 1;
    if ((h->locked & all) == all) lwi_sets_join(x->up, h->parent, h->child);
  }
  for (int i = 0; i < c->phase->nmerge; i++) {
    const lwi_merge *m = &c->phase->merge[i];
    if (m->bodies && !group_of(x, m->bodies[0].id)->base)
      group_of(x, m->bodies[0].id)->base = m->bodies[0].id;
  }
}

/* ---- inertia ---- */

static void find_centers(merger *x)
{
  const lwi_compiler *c = x->c;
  for (int pass = 0; pass < 2; pass++)
    for (int b = 1; b <= c->s->bodies.n; b++) {
      rigid_group *g = group_of(x, b);
      double p[3];
      if (!g->base) continue;
      lwi_frame_point(c->phase->pose[b], c->solid[b].com, p);
      if (pass == 0) {
        g->mass += c->solid[b].mass;
        g->reach = fmax(g->reach, norm3(p));
      }
      for (int i = 0; i < 3 && pass == 1 && g->mass > 0; i++)
        g->com[i] += c->solid[b].mass / g->mass * p[i];
    }
}

static void add_inertia(const merger *x, int b, rigid_group *g)
{
  const lwi_solid *s = &x->c->solid[b];
  const rot3 R = x->c->phase->pose[b].R;
  const double *I = s->inertia;
  const rot3 own = {{{I[0], I[3], I[4], 0}, {I[3], I[1], I[5], 0}, {I[4], I[5], I[2], 0}}};
  const rot3 J = rot_mul(rot_mul(R, own), rot_transpose(R));
  double d[3];
  lwi_frame_point(x->c->phase->pose[b], s->com, d);
  for (int i = 0; i < 3; i++)
    d[i] -= g->com[i];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      g->J[3 * i + k] += J.c[k][i] + s->mass * ((i == k ? dot3(d, d) : 0) - d[i] * d[k]);
}

/* Finds the line about which there is no inertia. */
static void find_line(bool planar, rigid_group *g)
{
  double A[9], V[9], value[3];
  int least = 0;
  memcpy(A, g->J, sizeof A);
  const double trace = A[0] + A[4] + A[8], about = A[8];
  lwi_symmetric_eigen(3, A, V, value);
  for (int k = 1; k < 3; k++)
    if (value[k] < value[least]) least = k;
  const bool point = (planar ? about : trace) <= 1e-18 * g->mass * g->reach * g->reach;
  g->rank = point ? 0 : !planar && value[least] <= 1e-12 * trace ? 2 : 3;
  g->size = point || !(g->mass > 0) ? g->reach : sqrt(trace / g->mass);
  if (g->rank == 2) memcpy(g->line, V + 3 * least, sizeof g->line);
}

/* ---- supports ---- */

/* Adds a point about which the group may rotate: on the line or, if there was one point so far,
   defining the line. */
static void add_pin(bool planar, rigid_group *g, const double p[3])
{
  double d[3], away[3];
  for (int i = 0; i < 3; i++)
    d[i] = p[i] - g->com[i];
  const double near = 1e-9 * g->size + 1e-12 * g->reach;
  if (norm3(d) <= near) return;
  if (g->rank == 0 && !planar) {
    const double size = norm3(d);
    for (int i = 0; i < 3; i++)
      g->line[i] = d[i] / size;
    g->rank = 2;
    return;
  }
  cross3(d, g->line, away);
  g->held = g->held || planar || norm3(away) > near;
}

static void look_at_joint(const merger *x, int joint)
{
  const lwi_joint_values *h = &x->c->joint_values[joint];
  const lwi_joint *j = &x->c->m->joint[joint];
  const bool planar = x->c->s->planar;
  const lw_joint_type turning = planar ? LW_REVOLUTE : LW_SPHERICAL;
  if (lwi_sets_find(x->up, h->parent) == lwi_sets_find(x->up, h->child)) return;
  for (int side = 0; side < 2; side++) {
    const int b = side ? h->child : h->parent;
    rigid_group *g = group_of(x, b);
    if (!g->base || (h->type == LW_FREE && !h->locked)) continue;
    if (h->type == turning && !h->locked)
      add_pin(planar, g, lwi_frame_mul(x->c->phase->pose[b], side ? j->child_place : j->place).p);
    else
      g->held = true;
  }
}

static void look_at_constraints(const merger *x)
{
  const lw_spec *s = x->c->s;
  for (int i = 0; i < s->constraints.n; i++) {
    const lw_constraint_desc *d = &s->constraints.item[i].d;
    if (!lwi_constraint_is_geometric(d->type)) continue;
    group_of(x, d->parent.id)->held = group_of(x, d->child.id)->held = true;
  }
}

/* ---- added inertia ---- */

static void give(const merger *x, const rigid_group *g)
{
  const lwi_compiler *c = x->c;
  lwi_link *L = &c->m->link[c->m->body[g->base].link];
  const rot3 R = rot_mul(c->phase->pose[g->base].R, rot_transpose(c->m->body[g->base].R));
  const double size = g->size > 0 ? g->size : 1, inertia = g->mass * size * size;
  double d[3];
  L->regularized = true;
  rot_tmulv(R, g->line, d);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      L->J.c[k][i] += inertia * (g->rank == 2 ? d[i] * d[k] : i == k);
}

static bool has_merged(const lwi_phase *p)
{
  for (int i = 0; i < p->nmerge && p->pose; i++)
    if (p->merge[i].bodies) return true;
  return false;
}

bool lwi_regularize_merged(lwi_compiler *c)
{
  const int n = c->s->bodies.n + 1;
  if (!has_merged(c->phase)) return true;
  merger x = {c, LWI_TAKE(&c->scratch, n, int), LWI_TAKE(&c->scratch, n, rigid_group)};
  if (!x.up || !x.group) return lwi_compile_memory(c);
  join_bodies(&x);
  group_of(&x, 0)->base = 0;
  find_centers(&x);
  for (int b = 1; b < n; b++)
    if (group_of(&x, b)->base) add_inertia(&x, b, group_of(&x, b));
  for (int b = 1; b < n; b++)
    if (x.group[b].base) find_line(c->s->planar, &x.group[b]);
  for (int i = 1; i <= c->njoint; i++)
    look_at_joint(&x, i);
  look_at_constraints(&x);
  for (int b = 1; b < n; b++)
    if (x.group[b].base && !x.group[b].held && x.group[b].rank < 3) give(&x, &x.group[b]);
  return true;
}
