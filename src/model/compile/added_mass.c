/* SPDX-License-Identifier: Apache-2.0 */
/* added_mass.c -- finds bodies that are too light for algorithms that add mobilities, and the mass
   to be added to them.

   A body between two joints transmits loads, however light it is.  If its 1/m is added to that of a
   body 1e10 times as heavy and subtracted again, no digit of the latter is left, and independent
   rows appear redundant.  Algorithms that add mobilities (dca/, cartesian/) or decide ranks
   therefore use an added mass, M + E, whose effect on the motion is corrected exactly afterwards.
   This file determines E from the geometry and the masses that move through the light body.

   In a loop each body moves all the others; in a tree a body moves those that it carries.  A body
   without mass that moves none with mass is held by joints alone, or else the mass matrix is
   singular; it gets a part of the heaviest mass there is, since 1/m must be a number. */
#include "linalg/eigen.h"
#include "model/compile/compile.h"

static const double LIGHT =
    1e-4; /* a body is light below this part of the heaviest one that moves through it ... */
static const double LENT = 1e-3;   /* ... and is brought to this part of its mass */
static const double THIN = 1e-6;   /* as LIGHT, for the smallest moment of inertia */
static const double NOISE = 1e-18; /* of a squared lever arm: joint at the centre of mass */

typedef struct {
  const lw_model *m;
  double *lever;   /* [nlink] largest squared lever arm of its joints about the centre of mass */
  double *carried; /* [nlink] the heaviest body that it carries, itself included */
  double *moved;   /* [nlink] the heaviest body that moves through it */
  double heaviest; /* body of all; 1 if none has mass */
} weights;

static void find_centre(const lwi_link *L, double c[3])
{
  for (int i = 0; i < 3; i++)
    c[i] = L->mass > 0 ? L->h[i] / L->mass : 0;
}

static void add_lever(weights *x, int link, const double p[3])
{
  double c[3];
  if (link == 0) return;
  find_centre(&x->m->link[link], c);
  const double d[3] = {p[0] - c[0], p[1] - c[1], p[2] - c[2]};
  x->lever[link] = fmax(x->lever[link], dot3(d, d));
}

static void find_levers(weights *x)
{
  const lw_model *m = x->m;
  const double origin[3] = {0};
  for (int i = 1; i < m->nlink; i++) {
    add_lever(x, i, origin);
    add_lever(x, m->link[i].parent, m->link[i].p);
  }
  for (int i = 0; i < m->npair; i++)
    for (int side = 0; side < 2; side++)
      add_lever(x, m->pair[i].link[side], m->pair[i].place[side].p);
}

/* -1: none; loops in a link system have no lists and count as one cluster */
static int cluster_of(const lw_model *m, int link)
{
  if (m->tree_constraints.nconstraint == 0) return -1;
  return m->clusters.member ? m->clusters.member[link].cluster : 0;
}

/* The heaviest body that a link carries; in a loop, the heaviest of its links and of all that they
   carry. */
static void find_moved(weights *x, double *cluster)
{
  const lw_model *m = x->m;
  for (int i = m->nlink - 1; i > 0; i--) {
    const double all = x->carried[i] = fmax(m->link[i].mass, x->moved[i]);
    const int k = cluster_of(m, i);
    double *in = &x->moved[m->link[i].parent];
    *in = fmax(*in, all);
    if (k >= 0) cluster[k] = fmax(cluster[k], all);
  }
  for (int i = 1; i < m->nlink; i++)
    if (cluster_of(m, i) >= 0) x->moved[i] = fmax(x->moved[i], cluster[cluster_of(m, i)]);
}

/* inertia about the centre of mass */
static void find_inertia(const lwi_link *L, double A[9])
{
  double c[3];
  find_centre(L, c);
  for (int i = 0; i < 9; i++)
    A[i] = L->J.c[i % 3][i / 3] - L->mass * ((i % 4 == 0 ? dot3(c, c) : 0) - c[i / 3] * c[i % 3]);
}

/* n^T A n */
static double about(const double A[9], const double n[3])
{
  double sum = 0;
  for (int i = 0; i < 9; i++)
    sum += n[i / 3] * A[i] * n[i % 3];
  return sum;
}

/* Are all moments of inertia below light, or is one of them below thin?  A planar body has one
   moment. */
static bool turns_easily(const lw_model *m, const lwi_body *b, double light, double thin)
{
  double A[9], V[9], value[3];
  find_inertia(&m->link[b->link], A);
  if (m->planar) return about(A, b->R.c[2]) < light;
  if (thin == 0) return A[0] + A[4] + A[8] < 2 * light;
  lwi_symmetric_eigen(3, A, V, value);
  return fmax(value[0], fmax(value[1], value[2])) < light ||
         fmin(value[0], fmin(value[1], value[2])) < thin;
}

static lwi_added_mass added_mass_of(const weights *x, const lwi_body *b)
{
  const lw_model *m = x->m;
  const lwi_link *L = &m->link[b->link];
  const double moved = x->moved[b->link], arm = x->lever[b->link];
  const double heavy = moved > 0 || L->mass > 0 ? moved : x->heaviest;
  const double length = m->length * m->length,
               inertia = heavy * (arm > NOISE * length ? arm : length);
  lwi_added_mass added_mass = {.loop = cluster_of(m, b->link) >= 0};
  added_mass.tip = added_mass.loop && x->carried[b->link] < LIGHT * heavy;
  if (L->mass < LIGHT * heavy) added_mass.mass = LENT * heavy;
  if (!L->inertialess && turns_easily(m, b, LIGHT * inertia, added_mass.loop ? THIN * inertia : 0))
    added_mass.inertia = LENT * inertia;
  return added_mass;
}

bool lwi_compile_added_mass(lwi_compiler *c)
{
  lw_model *m = c->m;
  const int n = m->nlink + 1,
            nloop = m->tree_constraints.nconstraint > 0 ? m->clusters.ncluster : 0;
  weights x = {m, LWI_TAKE(&c->scratch, n, double), LWI_TAKE(&c->scratch, n, double),
               LWI_TAKE(&c->scratch, n, double), 0};
  double *cluster = LWI_TAKE(&c->scratch, nloop + 1, double);
  m->added_mass = LWI_TAKE(c->tree_constraints, n, lwi_added_mass);
  if (!x.lever || !x.carried || !x.moved || !cluster || !m->added_mass)
    return lwi_compile_memory(c);
  m->has_light_bodies = false;
  find_levers(&x);
  find_moved(&x, cluster);
  x.heaviest = x.moved[0] > 0 ? x.moved[0] : 1;
  for (int i = 1; i <= m->nbody; i++) {
    lwi_added_mass *added_mass = &m->added_mass[m->body[i].link];
    *added_mass = added_mass_of(&x, &m->body[i]);
    m->has_light_bodies = m->has_light_bodies || (added_mass->loop && added_mass->mass > 0);
  }
  return true;
}
