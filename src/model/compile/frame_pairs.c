/* SPDX-License-Identifier: Apache-2.0 */
/* frame_pairs.c -- positions in their links of the frame pairs that joints and constraints connect;
   the typical length. */
#include "model/compile/constants.h"

static void keep_in_link(lwi_compiler *c, int pair, int side, int body, num_frame place)
{
  const num_frame X = lwi_frame_mul(lwi_body_in_link(c, body), place);
  lwi_keep_frame(&X, &c->out->pair[pair].place[side]);
}

typedef struct {
  num sum;
  double longest;
  int n;
} lengths;

static void add_length(lengths *x, double least, const double p[3], const double derivative[3])
{
  num v[3];
  lwi_get(p, derivative, 3, v);
  const num length = norm3(v);
  if (!(value_of(length) > least)) return;
  x->sum += length;
  x->longest = fmax(x->longest, value_of(length));
  x->n++;
}

static lengths add_lengths(const lwi_compiler *c, double least)
{
  const lw_model *m = c->m, *out = c->out;
  lengths x = {0};
  for (int i = 1; i < m->nlink; i++)
    add_length(&x, least, m->link[i].p, out->link[i].p);
  for (int i = 0; i < m->npair; i++)
    for (int s = 0; s < 2; s++)
      if (m->pair[i].link[s]) add_length(&x, least, m->pair[i].place[s].p, out->pair[i].place[s].p);
  return x;
}

/* The mean radius of gyration of the bodies; 1: they have none. */
static double mean_gyration(const lwi_compiler *c)
{
  double sum = 0;
  int n = 0;
  for (int b = 1; b <= c->m->nbody; b++) {
    const num *I = c->solid[b].inertia;
    const double mass = value_of(c->solid[b].mass), trace = value_of(I[0] + I[1] + I[2]);
    if (!(mass > 0) || !(trace > 0)) continue;
    sum += sqrt((c->s->planar ? 1 : 0.5) * trace / mass);
    n++;
  }
  return n ? sum / n : 1;
}

/* The mean distance between joints, without distances that are rounding errors, or if there are
   none the size of the bodies.  It converts radians to metres where the two are compared. */
static num typical_length(const lwi_compiler *c)
{
  const lengths x = add_lengths(c, 1e-12 * add_lengths(c, 0).longest);
  return x.n ? x.sum / x.n : mean_gyration(c);
}

void lwi_pair_numbers(lwi_compiler *c)
{
  const lw_model *m = c->m;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i], *derivative = &c->out->joint[i];
    if (j->pair < 0) continue;
    keep_in_link(c, j->pair, 0, j->info.parent.id, lwi_get_frame(&j->place, &derivative->place));
    keep_in_link(c, j->pair, 1, j->info.child.id,
                 lwi_get_frame(&j->child_place, &derivative->child_place));
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *k = &m->constraint[i], *derivative = &c->out->constraint[i];
    if (k->pair < 0) continue;
    keep_in_link(c, k->pair, 0, k->info.parent.id, lwi_get_frame(&k->place, &derivative->place));
    keep_in_link(c, k->pair, 1, k->info.child.id,
                 lwi_get_frame(&k->child_place, &derivative->child_place));
  }
  c->out->length = kept_of(typical_length(c));
}
