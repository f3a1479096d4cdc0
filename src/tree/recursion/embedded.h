/* SPDX-License-Identifier: Apache-2.0 */
/* embedded.h -- the articulated-body recursion on the coarser tree whose nodes are clusters of
   constraints (model/clusters.h): constraint embedding, docs/theory/loops.md.

   A cluster has independent speeds v with u = X v and udot = X vdot + g.  Relative to its base, its
   link l moves with B_l v, B_l = sum of phi* S X inward of it, and has the acceleration B_l vdot +
   a_l.  With the articulated inertia I_l and bias p_l of the link and of all that it carries
   outside the cluster

     D = sum B_l^T I_l B_l        U = sum phi_l I_l B_l        y_l = p_l + I_l a_l
     eps = X^T tau - sum B_l^T y_l          the base feels P - U D^-1 U^T and p + U D^-1 eps
     P = sum phi_l I_l phi_l*             p = sum phi_l y_l
   and rotors with inertia a on freedoms add X^T a X to D and -X^T a g to eps.

   sums over its links, phi_l: from the link to the base.  Then vdot = D^-1 (eps - U^T A_base).  A
   link outside clusters is as in articulated.h. */
#ifndef LWI_TREE_RECURSION_EMBEDDED_H
#define LWI_TREE_RECURSION_EMBEDDED_H
#include "tree/recursion/cluster_motions.h"

/* ---- inward ---- */

/* adds a link of a cluster, alone or with all that it carries, to the sums of the cluster */
static inline void join_load(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                             const lwi_member *b, force y)
{
  const lwi_cluster *c = &m->clusters.cluster[b->cluster];
  const int nv = e->nv[b->cluster];
  const motion *B = w->mode + c->cluster_motions + (b->at - c->link) * nv;
  double *eps = e->eps + c->speed;
  for (int j = 0; j < nv; j++)
    eps[j] -= real_lane(power(B[j], y), 0);
  if (c->base > 0) {
    force *sum = &w->total_force[b->cluster];
    *sum = force_add(*sum, force_from(y, w->reach[b->at]));
  }
}

static inline void join_mode(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                             const lwi_member *b, int j, force F)
{
  const lwi_cluster *c = &m->clusters.cluster[b->cluster];
  const int nv = e->nv[b->cluster];
  const motion *B = w->mode + c->cluster_motions + (b->at - c->link) * nv;
  double *D = e->D + c->mass + j * nv;
  for (int k = 0; k <= j; k++)
    D[k] += real_lane(power(B[k], F), 0);
  if (c->base > 0) {
    force *U = &w->mode_load[c->speed + j];
    *U = force_add(*U, force_from(F, w->reach[b->at]));
  }
}

static inline void join_bare(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                             const lwi_member *b, rigid M, force p)
{
  const lwi_cluster *c = &m->clusters.cluster[b->cluster];
  const int nv = e->nv[b->cluster];
  const motion *B = w->mode + c->cluster_motions + (b->at - c->link) * nv;
  join_load(m, w, e, b, force_add(p, rigid_mul(M, w->drift[b->at])));
  for (int j = 0; j < nv; j++)
    join_mode(m, w, e, b, j, rigid_mul(M, B[j]));
  if (c->base > 0) {
    abi *P = &w->total[b->cluster];
    *P = abi_add(*P, abi_rigid(rigid_from(M, w->reach[b->at])));
  }
}

/* What a motion of a link without mass adds to the size of a pivot, whose inertia are squares of
   rounding errors if all that moves has no mass: a body of the whole mass, whose motion is known to
   2^-43 of this one. */
static inline double massless_size(const lw_model *m, const lwi_member *b, motion B)
{
  if (m->link[b - m->clusters.member].mass > 0 || !(m->mobility > 0)) return 0;
  const double length = m->length * m->length;
  return 0x1p-40 / m->mobility * real_lane(v3_dot(B.w, B.w) * length + v3_dot(B.v, B.v), 0);
}

static inline void join_whole(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                              const lwi_member *b, articulated a)
{
  const lwi_cluster *c = &m->clusters.cluster[b->cluster];
  const int nv = e->nv[b->cluster];
  const motion *B = w->mode + c->cluster_motions + (b->at - c->link) * nv;
  w->whole[b->at] = a.I;
  join_load(m, w, e, b, force_add(a.pA, abi_mul(a.I, w->drift[b->at])));
  for (int j = 0; j < nv; j++) {
    join_mode(m, w, e, b, j, abi_mul(a.I, B[j]));
    if (m->light)
      e->size[c->speed + j] += real_lane(pivot_size(a.I, B[j]), 0) + massless_size(m, b, B[j]);
  }
  if (c->base > 0) {
    abi *P = &w->total[b->cluster];
    *P = abi_add(*P, abi_from(a.I, w->reach[b->at]));
  }
}

static void begin_cluster(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e, int k,
                          bool mass)
{
  const lwi_cluster *c = &m->clusters.cluster[k];
  const int nv = e->nv[k];
  w->total_force[k] = (force){v3_zero(), v3_zero()};
  for (int j = 0; j < nv; j++)
    e->eps[c->speed + j] = 0;
  if (!mass) return;
  w->total[k] = (abi){0};
  for (int j = 0; j < nv; j++) {
    w->mode_load[c->speed + j] = (force){v3_zero(), v3_zero()};
    e->size[c->speed + j] = 0;
    for (int i = 0; i <= j; i++)
      e->D[c->mass + (size_t)(j * nv + i)] = 0;
  }
}

/* X^T tau */
static void load_speeds(const lw_model *m, const lwi_tree_work *w, const lwi_cluster_motions *e,
                        int i, const real *tau)
{
  const bool own = lwi_has_freedom_elements(m);
  const lwi_member *b = &m->clusters.member[i];
  const lwi_cluster *c = &m->clusters.cluster[b->cluster];
  const lwi_link *L = &m->link[i];
  const int nv = e->nv[b->cluster];
  const double *X = e->X + c->map + b->column * nv;
  if (!own && !tau) return;
  for (int j = L->inertialess; j < L->nu; j++, X += nv) {
    double load = own ? real_lane(w->tau[L->u + j], 0) : 0;
    if (tau) load += real_lane(tau[L->u + j], 0);
    for (int v = 0; v < nv; v++)
      e->eps[c->speed + v] += X[v] * load;
  }
}

/* rotors of a link's joint: D + X^T a X, and eps - X^T a g */
static void join_rotors(const lw_model *m, const lwi_cluster_motions *e, int i, bool mass)
{
  const lwi_link *L = &m->link[i];
  const lwi_member *b = &m->clusters.member[i];
  const lwi_cluster *c = &m->clusters.cluster[b->cluster];
  const int nv = e->nv[b->cluster];
  const double *X = e->X + c->map + b->column * nv, *g = e->g + c->column + b->column;
  for (int j = L->inertialess; L->has_armature && j < L->nu; j++, X += nv, g++) {
    const double a = lwi_armature(L, j);
    for (int v = 0; v < nv; v++) {
      e->eps[c->speed + v] -= X[v] * a * *g;
      for (int k = 0; mass && k <= v; k++)
        e->D[c->mass + (size_t)(v * nv + k)] += X[v] * a * X[k];
      if (mass && m->light) e->size[c->speed + v] += X[v] * a * X[v];
    }
  }
}

/* D = L diag L^T, U <- L^-1 U; false: a pivot is not above its rounding errors */
static bool factor_cluster(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e, int k)
{
  const lwi_cluster *c = &m->clusters.cluster[k];
  const int nv = e->nv[k];
  double *D = e->D + c->mass, *Dinv = e->Dinv + c->speed, spread = 1;
  force *U = w->mode_load + c->speed;
  for (int j = 0; j < nv; j++) {
    const double size = e->size[c->speed + j], d = D[j * nv + j];
    if (!(d > 0x1p-46 * size * spread) || !(d > 1e-300)) return false;
    Dinv[j] = 1 / d;
    spread = fmax(spread, size * Dinv[j]);
    for (int i = j + 1; i < nv; i++) {
      const double l = D[i * nv + j] * Dinv[j];
      for (int n = j + 1; n <= i; n++)
        D[i * nv + n] -= l * D[n * nv + j];
      if (c->base > 0) U[i] = force_fma(U[i], U[j], real_set(-l));
    }
    for (int i = j + 1; i < nv; i++)
      D[i * nv + j] *= Dinv[j];
  }
  return true;
}

/* eps <- L^-1 eps; returns the load on the base */
static force release_load(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e, int k)
{
  const lwi_cluster *c = &m->clusters.cluster[k];
  const int nv = e->nv[k];
  const double *L = e->D + c->mass;
  double *eps = e->eps + c->speed;
  force p = w->total_force[k];
  for (int j = 0; j < nv; j++) {
    for (int i = j + 1; i < nv; i++)
      eps[i] -= L[i * nv + j] * eps[j];
    if (c->base > 0)
      p = force_fma(p, w->mode_load[c->speed + j], real_set(eps[j] * e->Dinv[c->speed + j]));
  }
  return p;
}

static articulated release_cluster(const lw_model *m, lwi_tree_work *w,
                                   const lwi_cluster_motions *e, int k)
{
  const lwi_cluster *c = &m->clusters.cluster[k];
  articulated a = {w->total[k], release_load(m, w, e, k)};
  for (int j = 0; j < e->nv[k] && c->base > 0; j++)
    a.I = abi_sub_outer(a.I, w->mode_load[c->speed + j], real_set(e->Dinv[c->speed + j]));
  return a;
}

static bool embedded_inward(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                            const real *tau)
{
  const lwi_clusters *x = &m->clusters;
  real regular = real_set(1.0);
  articulated handed = {0};
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const lwi_member *b = &x->member[i];
    const link_state *s = &w->link[i];
    const rigid M = link_inertia(L, s);
    const force p = force_sub(rigid_bias(M, s->V.w), w->applied[i]);
    articulated a = {0};
    if (b->cluster >= 0) {
      const lwi_cluster *c = &x->cluster[b->cluster];
      if (b->at == c->link + c->nlink - 1) begin_cluster(m, w, e, b->cluster, true);
      load_speeds(m, w, e, i, tau);
      join_rotors(m, e, i, true);
    }
    if (b->cluster >= 0 && b->bare && !m->light) {
      join_bare(m, w, e, b, M, p);
    } else {
      a = (articulated){abi_rigid(M), p};
      if (b->arrives) a = (articulated){abi_add(a.I, handed.I), force_add(a.pA, handed.pA)};
      if (b->sum >= 0) {
        a.I = abi_add(a.I, w->sum_inertia[b->sum]);
        a.pA = force_add(a.pA, w->sum_force[b->sum]);
      }
      if (b->cluster >= 0) join_whole(m, w, e, b, a);
    }
    if (b->cluster >= 0) {
      if (i != x->cluster[b->cluster].head) continue;
      if (!factor_cluster(m, w, e, b->cluster)) return false;
      handed = release_cluster(m, w, e, b->cluster);
      if (x->cluster[b->cluster].base == 0) continue;
    } else {
      a = release_all(m, w, i, a, tau, &regular);
      if (L->parent == 0) continue;
      a.pA = force_add(a.pA, abi_mul(a.I, s->c));
      handed = (articulated){abi_from(a.I, s->r), force_from(a.pA, s->r)};
    }
    if (b->into < 0) continue;
    abi *I = &w->sum_inertia[b->into];
    force *f = &w->sum_force[b->into];
    *I = b->first ? handed.I : abi_add(*I, handed.I);
    *f = b->first ? handed.pA : force_add(*f, handed.pA);
  }
  return !real_any(regular < 0.0);
}

/* ---- outward ---- */

/* vdot = L^-T D^-1 (eps - U^T A), then udot = X vdot + g of the cluster */
static void move_cluster(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e, int k,
                         motion A, real *udot)
{
  const lwi_cluster *c = &m->clusters.cluster[k];
  const int nv = e->nv[k];
  const double *L = e->D + c->mass, *X = e->X + c->map;
  double *v = e->eps + c->speed;
  for (int j = 0; j < nv; j++) {
    if (c->base > 0) v[j] -= real_lane(power(A, w->mode_load[c->speed + j]), 0);
    v[j] *= e->Dinv[c->speed + j];
  }
  for (int j = nv - 1; j >= 0; j--)
    for (int i = 0; i < j; i++)
      v[i] -= L[j * nv + i] * v[j];
  for (int i = 0; i < c->ncolumn; i++, X += nv) {
    double sum = e->g[c->column + i];
    for (int j = 0; j < nv; j++)
      sum += X[j] * v[j];
    udot[m->column_u[m->clusters.column[c->column + i]]] = real_set(sum);
  }
}

static void embedded_outward(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                             real *udot)
{
  const lwi_clusters *x = &m->clusters;
  w->link[0].A.v = v3_neg(gravity(m));
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    const int k = x->member[i].cluster;
    link_state *s = &w->link[i];
    motion A = motion_add(motion_at(w->link[L->parent].A, s->r), s->c);
    if (k >= 0 && i == x->cluster[k].head)
      move_cluster(m, w, e, k, w->link[x->cluster[k].base].A, udot);
    for (int j = L->nu - 1; j >= 0; j--) {
      if (j < L->inertialess)
        udot[L->u + j] = real_set(0.0);
      else if (k < 0)
        udot[L->u + j] = fr[j].Dinv * (fr[j].eps - power(A, fr[j].U));
      A = motion_fma(A, fr[j].S, udot[L->u + j]);
    }
    keep_rotors(L, w, udot);
    s->A = A;
  }
}

/* After forces and modes: accelerations of the mechanism. */
static bool embedded_motion(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                            const double *tau, double *udot)
{
  if (!embedded_inward(m, w, e, (const real *)tau)) return false;
  embedded_outward(m, w, e, (real *)udot);
  return true;
}

/* ---- again with other right sides of the constraints only ---- */

static void response_inward(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e)
{
  const lwi_clusters *x = &m->clusters;
  const force none = {v3_zero(), v3_zero()};
  force handed = none;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const lwi_member *b = &x->member[i];
    const link_state *s = &w->link[i];
    freedom *fr = w->freedom + L->column;
    force p = b->arrives ? handed : none;
    if (b->sum >= 0) p = force_add(p, w->sum_force[b->sum]);
    if (b->cluster >= 0) {
      const lwi_cluster *c = &x->cluster[b->cluster];
      if (b->at == c->link + c->nlink - 1) begin_cluster(m, w, e, b->cluster, false);
      join_rotors(m, e, i, false);
      const motion A = w->drift[b->at];
      p = force_add(p, b->bare && !m->light ? rigid_mul(link_inertia(L, s), A)
                                            : abi_mul(w->whole[b->at], A));
      join_load(m, w, e, b, p);
      if (i != c->head) continue;
      handed = release_load(m, w, e, b->cluster);
      if (c->base == 0) continue;
    } else {
      for (int j = 0; j < L->nu; j++) {
        fr[j].eps = -power(fr[j].S, p);
        p = force_fma(p, fr[j].U, fr[j].eps * fr[j].Dinv);
      }
      if (L->parent == 0) continue;
      handed = force_from(p, s->r);
    }
    if (b->into < 0) continue;
    force *f = &w->sum_force[b->into];
    *f = b->first ? handed : force_add(*f, handed);
  }
}

/* The smallest x in the metric of the mass matrix with the same rows as e->g; after
   embedded_motion. */
static void embedded_response(const lw_model *m, lwi_tree_work *w, const lwi_cluster_motions *e,
                              double *out)
{
  const lwi_clusters *x = &m->clusters;
  real *udot = (real *)out;
  find_drift(m, w, e, false);
  response_inward(m, w, e);
  w->derivative[0] = (motion){v3_zero(), v3_zero()};
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    const int k = x->member[i].cluster;
    motion A = motion_at(w->derivative[L->parent], w->link[i].r);
    if (k >= 0 && i == x->cluster[k].head)
      move_cluster(m, w, e, k, w->derivative[x->cluster[k].base], udot);
    for (int j = L->nu - 1; j >= 0; j--) {
      if (j < L->inertialess)
        udot[L->u + j] = real_set(0.0);
      else if (k < 0)
        udot[L->u + j] = fr[j].Dinv * (fr[j].eps - power(A, fr[j].U));
      A = motion_fma(A, fr[j].S, udot[L->u + j]);
    }
    w->derivative[i] = A;
  }
}

#endif
