/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_motions.h -- what the recursion of embedded.h needs of each cluster, relative to its
   base: the rows of its constraints, from which X and g follow (tree/loops/embedding.c), and the
   motions B_l v and a_l of its links. */
#ifndef LWI_TREE_RECURSION_CLUSTER_MOTIONS_H
#define LWI_TREE_RECURSION_CLUSTER_MOTIONS_H
#include "tree/recursion/constraint_sweeps.h"

/* ---- the constraints of a cluster, relative to its base ---- */

/* Accelerations of cluster links when the base has none and no speed changes. */
static void drift(const lw_model *m, lwi_tree_work *w)
{
  const lwi_clusters *x = &m->clusters;
  for (int k = 0; k < x->nlink; k++) {
    const int i = x->link[k], in = x->member[i].in;
    const link_state *s = &w->link[i];
    w->drift[k] = in < 0 ? s->c : motion_add(motion_at(w->drift[in], s->r), s->c);
  }
}

/* bias acceleration of the frame on a side of a pair, about the link's origin */
static inline motion frame_drift(const lw_model *m, const lwi_tree_work *w, int cluster,
                                 const lwi_pair *p, int side)
{
  const int i = p->link[side];
  const link_state *s = &w->link[i];
  motion A = {v3_zero(), v3_zero()};
  if (i == 0) return A;
  if (m->clusters.member[i].cluster == cluster) A = w->drift[m->clusters.member[i].at];
  const vec3 arm = m3_mulp(s->R, p->place[side].p);
  A.v = v3_add_cross(A.v, s->V.w, v3_cross(s->V.w, arm));
  return A;
}

/* Rows J of a constraint (as model/tree_constraints.h says) in the columns of its strip, and their
   right side: gamma less the acceleration of the rows at constant speeds.  In: residual = gamma,
   scaled. */
static void strip(const lw_model *m, const lwi_tree_work *w, int constraint, const double *J,
                  const double *scale, const double *slope, double *G, double *residual)
{
  const lwi_clusters *x = &m->clusters;
  const lwi_tree_constraint *t = &m->tree_constraints.constraint[constraint];
  const lwi_cluster_constraint *c = &x->constraint[constraint];
  const int *walk = x->walk + c->walk, n = t->n;
  for (int i = 0; i < n * x->strip[c->strip].ncolumn; i++)
    G[i] = 0;
  for (int p = 0; p < 2 * t->npair; p++) {
    const lwi_pair *pair = &m->pair[m->tree_constraints.pair[t->pair + p / 2].pair];
    const int stop = x->stop[t->pair + p / 2];
    force row[LWI_STRIP_ROWS];
    const motion A = frame_drift(m, w, c->cluster, pair, p % 2);
    for (int r = 0; r < n; r++) {
      row[r] = load_of(J + 6 * (p * n + r));
      residual[r] -= real_lane(power(A, row[r]), 0);
    }
    vec3 d = v3_zero();
    for (int i = pair->link[p % 2]; i != stop; i = m->link[i].parent) {
      const lwi_link *L = &m->link[i];
      for (int j = L->inertialess; j < L->nu; j++) {
        const motion S = motion_at(w->freedom[L->column + j].S, d);
        double *to = G + n * *walk++;
        for (int r = 0; r < n; r++)
          to[r] += real_lane(power(S, row[r]), 0);
      }
      d = v3_add(d, w->link[i].r);
    }
  }
  for (int i = t->term; i < t->term + t->nterm; i++)
    G[n * *walk++] += scale[0] * slope[i];
}

/* ---- motions of links by independent speeds ---- */

/* motion of one link: S x of its freedoms added to the motion of its parent */
static inline motion follow(const lw_model *m, const lwi_tree_work *w, int i, motion A,
                            const double *x, int stride)
{
  const lwi_link *L = &m->link[i];
  const freedom *fr = w->freedom + L->column;
  for (int j = L->inertialess, k = 0; j < L->nu; j++, k += stride)
    A = motion_fma(A, fr[j].S, real_set(x[k]));
  return A;
}

/* a_l from g, with or without the accelerations at constant speeds.  The acceleration of the ground
   is known, so that a cluster based on the ground needs no U. */
static void find_drift(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                       bool moving)
{
  const lwi_clusters *x = &m->clusters;
  const motion none = {v3_zero(), v3_zero()}, ground = {v3_zero(), v3_neg(gravity(m))};
  for (int k = 0; k < x->nlink; k++) {
    const int i = x->link[k];
    const lwi_member *b = &x->member[i];
    const link_state *s = &w->link[i];
    motion A = b->in >= 0                                   ? motion_at(w->drift[b->in], s->r)
               : moving && x->cluster[b->cluster].base == 0 ? ground
                                                            : none;
    if (moving) A = motion_add(A, s->c);
    w->drift[k] = follow(m, w, i, A, e->g + x->cluster[b->cluster].column + b->column, 1);
  }
}

/* B_l, a_l and the position relative to the base */
static void cluster_motions(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e)
{
  const lwi_clusters *x = &m->clusters;
  const motion none = {v3_zero(), v3_zero()};
  find_drift(m, w, e, true);
  for (int k = 0; k < x->nlink; k++) {
    const int i = x->link[k];
    const lwi_member *b = &x->member[i];
    const lwi_cluster *c = &x->cluster[b->cluster];
    const link_state *s = &w->link[i];
    const int nv = e->nv[b->cluster];
    motion *B = w->mode + c->cluster_motions + (k - c->link) * nv;
    const motion *in = b->in < 0 ? NULL : w->mode + c->cluster_motions + (b->in - c->link) * nv;
    const double *X = e->X + c->map + b->column * nv;
    for (int j = 0; j < nv; j++)
      B[j] = follow(m, w, i, in ? motion_at(in[j], s->r) : none, X + j, nv);
    w->reach[k] = b->in < 0 ? s->r : v3_add(w->reach[b->in], s->r);
  }
}

#endif
