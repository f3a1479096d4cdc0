/* SPDX-License-Identifier: Apache-2.0 */
/* outward.h -- poses, velocities and accelerations, parents first.
   [Jain2012] eqs (7) and (14); docs/theory/tree.md. */
#ifndef LWI_TREE_RECURSION_OUTWARD_H
#define LWI_TREE_RECURSION_OUTWARD_H
#include "base/fetch.h"
#include "tree/recursion/tree_work.h"

#include <stddef.h>

/* Sines and cosines of angles start ... end - 1, both of whole vectors. */
static void find_sines_between(const lw_model *m, lwi_tree_work *w, const real *q, int start,
                               int end)
{
  for (int i = start; i < end && i < m->nangle; i++)
    w->angle[i] = q[m->angle_q[i]];
#if LW_QUAD
  for (int i = start; i < end && i < m->nangle; i++)
    sincosq(w->angle[i], &w->sn[i], &w->cs[i]);
#else
  sincos_array((end - start) * LW_LANES, (double *)(w->angle + start), (double *)(w->sn + start),
               (double *)(w->cs + start));
#endif
}
static inline int angle_end(const lw_model *m, int last)
{
  return whole_vectors(last + 1 < m->nlink ? m->link[last + 1].angle : m->nangle);
}
/* Of links first ... last, after those of all previous links, in a separate loop: they are computed in whole
   vectors, which may include some of the links that follow. */
static void find_sines_of(const lw_model *m, lwi_tree_work *w, const real *q, int first, int last)
{
  find_sines_between(m, w, q, whole_vectors(m->link[first].angle), angle_end(m, last));
}
static void find_sines(const lw_model *m, lwi_tree_work *w, const real *q)
{
  if (m->nlink > 1) find_sines_of(m, w, q, 1, m->nlink - 1);
}

/* What every link does is inlined, with a path of its own for revolute joints, by far the most frequent kind:
   structures of vectors go through memory where functions are called. */
static inline __attribute__((always_inline)) void place_link(const lw_model *m, lwi_tree_work *w,
                                                             int i, const real *q)
{
  const lwi_link *L = &m->link[i];
  const link_state *parent = &w->link[L->parent];
  link_state *s = &w->link[i];
  freedom *fr = w->freedom + L->column;
  const mat3 Q = m3_mulparam(parent->R, &L->R);
  vec3 r = m3_mulp(parent->R, L->p);
  if (L->kind == LWI_KIND_REVOLUTE) {
    s->R = m3_turn_z(Q, w->cs[L->angle], w->sn[L->angle]);
    fr[0].S = turning(Q.z);
  } else {
    const joint_coordinates x = {q + L->q, w->sn + L->angle, w->cs + L->angle};
    vec3 at = r;
    joint_position(m, L, x, Q, &s->R, &at, fr);
    r = at;
  }
  s->r = r;
  s->p = v3_add(parent->p, r);
}

static __attribute__((noinline)) void move_any_link(const lw_model *m, lwi_tree_work *w, int i,
                                                    const real *u)
{
  const lwi_link *L = &m->link[i];
  const link_state *parent = &w->link[L->parent];
  const freedom *fr = w->freedom + L->column;
  link_state *s = &w->link[i];
  keep_spins(L, w, u);
  u += L->u;
  const vec3 wp = parent->V.w;
  const vec3 turn = v3_cross(wp, s->r);
  motion rel = {v3_zero(), v3_zero()};
  for (int j = 0; j < L->nu; j++)
    rel = motion_fma(rel, fr[j].S, u[j]);
  const vec3 joint_origin = m3_mulp(parent->R, L->p);
  const motion extra = joint_extra_bias(L, u, rel, joint_origin, s->r, fr);
  s->V = (motion){v3_add(wp, rel.w), v3_add(v3_add(parent->V.v, turn), rel.v)};
  s->c = (motion){v3_add_cross(extra.w, wp, rel.w),
                  v3_add_cross(extra.v, wp, v3_add(turn, v3_add(rel.v, rel.v)))};
}

static inline __attribute__((always_inline)) void move_link(const lw_model *m, lwi_tree_work *w,
                                                            int i, const real *u)
{
  const lwi_link *L = &m->link[i];
  if (L->kind != LWI_KIND_REVOLUTE) { /* which has no translation */
    move_any_link(m, w, i, u);
    return;
  }
  const link_state *parent = &w->link[L->parent];
  link_state *s = &w->link[i];
  keep_spins(L, w, u);
  const vec3 wp = parent->V.w;
  const vec3 turn = v3_cross(wp, s->r);
  const vec3 w_rel = v3_scale(w->freedom[L->column].S.w, u[L->u]);
  s->V = (motion){v3_add(wp, w_rel), v3_add(parent->V.v, turn)};
  s->c = (motion){v3_cross(wp, w_rel), v3_cross(wp, turn)};
}

/* A(k) = phi* A(parent) + H* udot + a(k) */
static inline __attribute__((always_inline)) void
accelerate_link(const lw_model *m, lwi_tree_work *w, int i, const real *udot)
{
  const lwi_link *L = &m->link[i];
  link_state *s = &w->link[i];
  const freedom *fr = w->freedom + L->column;
  motion A = motion_add(motion_at(w->link[L->parent].A, s->r), s->c);
  if (udot)
    for (int j = 0; j < L->nu; j++)
      A = motion_fma(A, fr[j].S, udot[L->u + j]);
  keep_rotors(L, w, udot);
  s->A = A;
}

/* prefetches what place_link and move_link read and write: the first part of the records of a link
   and of its freedoms */
static inline void fetch_link(const lw_model *m, const lwi_tree_work *w, int i)
{
  if (i >= m->nlink) return;
  const lwi_link *L = &m->link[i];
  lwi_fetch(L, offsetof(lwi_link, J));
  lwi_fetch(&L->mass, LWI_LINE);
  lwi_fetch_to_write(&w->link[i], offsetof(link_state, A));
}

/* for relations that are not linear; such models have one lane */
static void keep_coordinates(const lw_model *m, lwi_tree_work *w, const double *q, const double *u,
                             int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_link *L = &m->link[i];
    for (int k = 0; k < L->nu; k++)
      w->u[L->u + k] = u[(L->u + k) * LW_LANES], w->q[L->q + k] = q[(L->q + k) * LW_LANES];
  }
}

static void move_links(const lw_model *m, lwi_tree_work *w, const double *q, const double *u,
                       int first, int last)
{
  if (first > last) return;
  find_sines_of(m, w, (const real *)q, first, last);
  enum { AHEAD_LINKS = 12 };
  for (int i = first; i <= last; i++) {
    fetch_link(m, w, i + AHEAD_LINKS);
    place_link(m, w, i, (const real *)q);
    move_link(m, w, i, (const real *)u);
  }
  if (m->has_curves) keep_coordinates(m, w, q, u, first, last);
}

/* Poses and freedoms of a link and of all inward of it, not of the others; run by run of links that
   follow each other, so that their sines are found together. */
static void place_path(const lw_model *m, lwi_tree_work *w, const double *q, int link)
{
  int nrun = 0;
  for (int first = link; link > 0; link = m->link[first].parent) {
    for (first = link; m->link[first].hands_on;)
      first--;
    w->run[nrun] = first;
    w->run_end[nrun++] = link;
  }
  while (nrun-- > 0) {
    const int first = w->run[nrun], last = w->run_end[nrun];
    const int start = whole_vectors(m->link[first].angle + 1) - whole_vectors(1);
    find_sines_between(m, w, (const real *)q, start, angle_end(m, last));
    for (int i = first; i <= last; i++)
      place_link(m, w, i, (const real *)q);
  }
}

static void kinematics(const lw_model *m, lwi_tree_work *w, const double *q, const double *u)
{
  move_links(m, w, q, u, 1, m->nlink - 1);
}

static void velocities(const lw_model *m, lwi_tree_work *w, const double *u)
{
  for (int i = 1; i < m->nlink; i++)
    move_link(m, w, i, (const real *)u);
}

static void accelerations(const lw_model *m, lwi_tree_work *w, const double *udot)
{
  w->link[0].A.v = v3_neg(gravity(m));
  for (int i = 1; i < m->nlink; i++)
    accelerate_link(m, w, i, (const real *)udot);
}

#endif
