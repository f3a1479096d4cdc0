/* SPDX-License-Identifier: Apache-2.0 */
/* queries.h -- read results of the first lane as plain doubles. */
#ifndef LWI_TREE_RECURSION_QUERIES_H
#define LWI_TREE_RECURSION_QUERIES_H
#include "tree/recursion/tree_work.h"

static inline void put_lane(vec3 a, int lane, double *out)
{
  out[0] = real_lane(v3_x(a), lane);
  out[1] = real_lane(v3_y(a), lane);
  out[2] = real_lane(v3_z(a), lane);
}

static inline void put3(vec3 a, double *out)
{
  put_lane(a, 0, out);
}

static void choose_lane(lwi_tree_work *w, int lane)
{
  w->lane = lane;
}

static void skip_zeros(lwi_tree_work *w, bool skip)
{
  w->skips_zeros = skip;
}

/* R by columns */
static void get_frame(const lw_model *m, const lwi_tree_work *w, int link, double R[9], double p[3])
{
  (void)m;
  const link_state *s = &w->link[link];
  put3(s->R.x, R);
  put3(s->R.y, R + 3);
  put3(s->R.z, R + 6);
  put3(s->p, p);
}

/* writes four numbers */
static inline void put4(vec3 a, double *out)
{
#if LW_PACKED
  *(vec3_anywhere *)(void *)out = a;
#else
  put3(a, out);
  out[3] = 0.0;
#endif
}

static void get_pose(const lw_model *m, const lwi_tree_work *w, int link, double R[12],
                     double turn[4])
{
  (void)m;
  const link_state *s = &w->link[link];
  put4(s->R.x, R);
  put4(s->R.y, R + 4);
  put4(s->R.z, R + 8);
  put4(s->V.w, turn);
}

static void get_motion(const lw_model *m, const lwi_tree_work *w, int link, double V[6],
                       double A[6])
{
  const link_state *s = &w->link[link];
  put_lane(s->V.w, w->lane, V);
  put_lane(s->V.v, w->lane, V + 3);
  put_lane(s->A.w, w->lane, A);
  put_lane(v3_add(s->A.v, gravity(m)), w->lane, A + 3);
}

/* square of the largest angular speed of all links */
static double get_fastest_turn(const lw_model *m, const lwi_tree_work *w)
{
  double fastest = 0;
  for (int i = 1; i < m->nlink; i++) {
    const vec3 turn = w->link[i].V.w;
    const double square = real_lane(v3_dot(turn, turn), 0);
    if (square > fastest) fastest = square;
  }
  return fastest;
}

/* the load of the joint on the link, about the link's origin, and the axes of its first two
   freedoms; for a planar joint the normal */
static void get_load(const lw_model *m, const lwi_tree_work *w, int link, double f[6], double z1[3],
                     double z2[3])
{
  const lwi_link *L = &m->link[link];
  const freedom *fr = w->freedom + L->column;
  put3(w->link[link].f.t, f);
  put3(w->link[link].f.f, f + 3);
  const motion *axis = &fr[lwi_kind_axis((lwi_kind)L->kind)].S;
  if (L->nu > 0) put3(lwi_kind_slides((lwi_kind)L->kind) ? axis->v : axis->w, z1);
  if (L->nu > 1) put3(fr[1].S.w, z2);
}

/* Angles of the joint of a link, each at the place of its coordinate among those of the joint; the
   other coordinates are not written. */
static void get_angles(const lw_model *m, const lwi_tree_work *w, int link, double q[])
{
  const lwi_link *L = &m->link[link];
  const int end = link + 1 < m->nlink ? m->link[link + 1].angle : m->nangle;
  for (int k = L->angle; k < end; k++)
    q[m->angle_q[k] - L->q] = real_lane(w->angle[k], 0);
}

static void get_edge(const lw_model *m, const lwi_tree_work *w, int link, double r[3], double c[6],
                     double applied[6])
{
  const link_state *s = &w->link[link];
  const force none = {v3_zero(), v3_zero()};
  const force f = lwi_has_link_forces(m) ? w->applied[link] : none;
  put_lane(s->r, w->lane, r);
  put_lane(s->c.w, w->lane, c);
  put_lane(s->c.v, w->lane, c + 3);
  put_lane(f.t, w->lane, applied);
  put_lane(f.f, w->lane, applied + 3);
}

static double get_pivot(const lw_model *m, const lwi_tree_work *w, int column)
{
  (void)m;
  return 1.0 / real_lane(w->freedom[column].Dinv, 0);
}

static void get_column(const lw_model *m, const lwi_tree_work *w, int column, double S[6])
{
  (void)m;
  put_lane(w->freedom[column].S.w, w->lane, S);
  put_lane(w->freedom[column].S.v, w->lane, S + 3);
}

/* [angular about the ground origin; linear], and mass and its first moment */
static void get_momentum(const lw_model *m, const lwi_tree_work *w, double h[6], double *mass,
                         double moment[3])
{
  force sum = {v3_zero(), v3_zero()};
  vec3 first = v3_zero();
  *mass = 0.0;
  for (int i = 1; i < m->nlink; i++) {
    const link_state *s = &w->link[i];
    const rigid I = link_inertia(&m->link[i], s);
    sum = force_add(sum, force_from(rigid_mul(I, s->V), s->p));
    first = v3_add(first, v3_fma(I.h, s->p, I.m));
    *mass += m->link[i].mass;
  }
  put3(sum.t, h);
  put3(sum.f, h + 3);
  put3(first, moment);
}

#endif
