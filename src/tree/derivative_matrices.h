/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_matrices.h -- derivatives of inverse and forward dynamics of a tree as matrices.

   With I, 2B and f those of the subtree of freedom d, and a inward of d:
     d tau_a / dq_d = S_a' (I X_d + 2B Y_d + S_d x* f)      d tau_d / dq_a = X_a' F_d + Y_a.w' t_d
     d tau_a / du_d = S_a' (I P_d + 2B S_d)                 d tau_d / du_a = P_a' F_d + S_a.w' t_d
     M_ad = S_a' F_d,   F_d = I S_d,   t_d = K' S_d.w + 2 p x S_d.v
   Freedoms of one joint: without S_d x* f, with E_da' f.  O(n depth) numbers, each a short product. */
#ifndef LWI_TREE_DERIVATIVE_MATRICES_H
#define LWI_TREE_DERIVATIVE_MATRICES_H
#include "tree/derivative_freedoms.h"

/* ---- subtrees ---- */

static inline force flow_turn(const subtree_flow *c, vec3 w)
{
  return (force){m3_mulv(c->K, w), v3_scale(v3_cross(w, c->p), real_set(2.0))};
}
/* a - 2 b~ c~ e for the unit vectors e */
static inline mat3 m3_sub_two_tildes(mat3 a, vec3 b, vec3 c)
{
  const mat3 e = m3_identity();
  const real two = real_set(-2.0);
  return (mat3){v3_fma(a.x, v3_cross(b, v3_cross(c, e.x)), two),
                v3_fma(a.y, v3_cross(b, v3_cross(c, e.y)), two),
                v3_fma(a.z, v3_cross(b, v3_cross(c, e.z)), two)};
}
/* K = w~ (2 J - trace J) - 2 h~ v~ */
static inline subtree_flow link_flow(const lw_model *m, const lwi_tree_work *w, int i)
{
  const link_state *s = &w->link[i];
  const rigid I = link_inertia(&m->link[i], s);
  const mat3 e = m3_identity();
  const vec3 x = s3_mulv(I.J, e.x), y = s3_mulv(I.J, e.y), z = s3_mulv(I.J, e.z);
  const real trace = (v3_x(x) + v3_y(y)) + v3_z(z);
  const mat3 K = {v3_cross(s->V.w, v3_fma(v3_add(x, x), e.x, -trace)),
                  v3_cross(s->V.w, v3_fma(v3_add(y, y), e.y, -trace)),
                  v3_cross(s->V.w, v3_fma(v3_add(z, z), e.z, -trace))};
  const vec3 p = v3_add_cross(v3_scale(s->V.v, I.m), s->V.w, I.h);
  return (subtree_flow){I, m3_sub_two_tildes(K, I.h, s->V.v), p};
}
static inline subtree_flow flow_add(subtree_flow a, subtree_flow b)
{
  const mat3 K = {v3_add(a.K.x, b.K.x), v3_add(a.K.y, b.K.y), v3_add(a.K.z, b.K.z)};
  return (subtree_flow){rigid_add(a.I, b.I), K, v3_add(a.p, b.p)};
}
static inline subtree_flow flow_from(subtree_flow a, vec3 r)
{
  return (subtree_flow){rigid_from(a.I, r), m3_sub_two_tildes(a.K, r, a.p), a.p};
}

/* ---- tables ---- */

static inline void put_motion(double *const row[6], int column, motion a, vec3 arm)
{
  const vec3 v = v3_add_cross(a.v, arm, a.w);
  row[0][column] = real_lane(v3_x(a.w), 0);
  row[1][column] = real_lane(v3_y(a.w), 0);
  row[2][column] = real_lane(v3_z(a.w), 0);
  row[3][column] = real_lane(v3_x(v), 0);
  row[4][column] = real_lane(v3_y(v), 0);
  row[5][column] = real_lane(v3_z(v), 0);
}
static inline void put_load(force a, vec3 arm, double out[6])
{
  const force f = force_from(a, arm);
  out[0] = real_lane(v3_x(f.t), 0);
  out[1] = real_lane(v3_y(f.t), 0);
  out[2] = real_lane(v3_z(f.t), 0);
  out[3] = real_lane(v3_x(f.f), 0);
  out[4] = real_lane(v3_y(f.f), 0);
  out[5] = real_lane(v3_z(f.f), 0);
}

static void fill_tables(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        const real *u, const real *udot)
{
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const link_state *s = &w->link[i];
    const freedom *fr = w->freedom + L->column;
    const vec3 arm = L->parent > 0 ? v3_add(d->arm[L->parent], s->r) : v3_zero();
    d->arm[i] = arm;
    const parent_motion p = find_parent(m, w, i);
    for (int k = 0; k < L->nu; k++) {
      const int column = L->column + k;
      const freedom_response o = find_response(L, fr, k, &p, s->V, u, udot);
      d->response[column] = o;
      put_motion(d->table.S, column, fr[k].S, arm);
      put_motion(d->table.X, column, o.X, arm);
      put_motion(d->table.P, column, o.P, arm);
      for (int c = 0; c < 3; c++)
        d->table.Y[c][column] = real_lane(c == 0   ? v3_x(o.Y.w)
                                          : c == 1 ? v3_y(o.Y.w)
                                                   : v3_z(o.Y.w),
                                          0);
    }
  }
}

/* ---- entries ---- */

/* the loads of one freedom, about the origin of the tree's first link */
typedef struct {
  double F[6], Gq[6], Gu[6], t[3];
} freedom_loads;

static inline double dot_table(double *const row[6], int column, const double f[6])
{
  double s = 0;
  for (int c = 0; c < 6; c++)
    s += row[c][column] * f[c];
  return s;
}

/* freedoms first ... last, all inward of one with these loads: the five products of each */
static inline void inward_entries(const lwi_derivative_work *d, const freedom_loads *f, int first,
                                  int last)
{
  double *const *S = d->table.S, *const *X = d->table.X, *const *P = d->table.P;
  double *const *Y = d->table.Y;
  double *restrict up0 = d->up[0], *restrict up1 = d->up[1], *restrict up2 = d->up[2],
                   *restrict up3 = d->up[3], *restrict up4 = d->up[4];
  const double *restrict s0 = S[0], *restrict s1 = S[1], *restrict s2 = S[2], *restrict s3 = S[3],
                         *restrict s4 = S[4], *restrict s5 = S[5];
  for (int a = first; a <= last; a++) {
    up0[a] = s0[a] * f->Gq[0] + s1[a] * f->Gq[1] + s2[a] * f->Gq[2] + s3[a] * f->Gq[3] +
             s4[a] * f->Gq[4] + s5[a] * f->Gq[5];
    up1[a] = s0[a] * f->Gu[0] + s1[a] * f->Gu[1] + s2[a] * f->Gu[2] + s3[a] * f->Gu[3] +
             s4[a] * f->Gu[4] + s5[a] * f->Gu[5];
    up4[a] = s0[a] * f->F[0] + s1[a] * f->F[1] + s2[a] * f->F[2] + s3[a] * f->F[3] +
             s4[a] * f->F[4] + s5[a] * f->F[5];
  }
  const double *restrict x0 = X[0], *restrict x1 = X[1], *restrict x2 = X[2], *restrict x3 = X[3],
                         *restrict x4 = X[4], *restrict x5 = X[5];
  const double *restrict y0 = Y[0], *restrict y1 = Y[1], *restrict y2 = Y[2];
  for (int a = first; a <= last; a++)
    up2[a] = x0[a] * f->F[0] + x1[a] * f->F[1] + x2[a] * f->F[2] + x3[a] * f->F[3] +
             x4[a] * f->F[4] + x5[a] * f->F[5] + y0[a] * f->t[0] + y1[a] * f->t[1] +
             y2[a] * f->t[2];
  const double *restrict p0 = P[0], *restrict p1 = P[1], *restrict p2 = P[2], *restrict p3 = P[3],
                         *restrict p4 = P[4], *restrict p5 = P[5];
  for (int a = first; a <= last; a++)
    up3[a] = p0[a] * f->F[0] + p1[a] * f->F[1] + p2[a] * f->F[2] + p3[a] * f->F[3] +
             p4[a] * f->F[4] + p5[a] * f->F[5] + s0[a] * f->t[0] + s1[a] * f->t[1] +
             s2[a] * f->t[2];
}

static void put_inward(const lw_model *m, lwi_derivative_work *d, int column, int inward,
                       const freedom_loads *f)
{
  const size_t ld = (size_t)d->ld, row = (size_t)column;
  for (int b = inward; b >= 0; b = m->before[m->run_start[b]]) {
    const int first = m->run_start[b];
    inward_entries(d, f, first, b);
    double *own = d->T + row * 2 * ld, *column_q = d->T + row, *mass = d->M + row * ld;
    for (size_t a = (size_t)first; a <= (size_t)b; a++) {
      column_q[a * 2 * ld] = d->up[0][a];
      column_q[a * 2 * ld + ld] = d->up[1][a];
      own[a] = d->up[2][a];
      own[ld + a] = d->up[3][a];
      mass[a] = d->M[a * ld + row] = d->up[4][a];
    }
  }
}

/* the freedoms of one joint among themselves */
static void put_joint(const lwi_link *L, const lwi_tree_work *w, lwi_derivative_work *d, int k,
                      const freedom_loads *l, force f)
{
  const freedom *fr = w->freedom + L->column;
  const size_t ld = (size_t)d->ld, column = (size_t)(L->column + k);
  for (int i = 0; i < L->nu; i++) {
    double *at = d->T + (size_t)(L->column + i) * 2 * ld + column;
    at[0] = dot_table(d->table.S, L->column + i, l->Gq);
    if (joint_keeping((lwi_kind)L->kind) != KEEPS_NONE)
      at[0] += real_lane(power(column_stay((lwi_kind)L->kind, fr, k, i), f), 0);
    at[ld] = dot_table(d->table.S, L->column + i, l->Gu);
    d->M[(size_t)(L->column + i) * ld + column] = dot_table(d->table.S, L->column + i, l->F);
  }
}

static void put_link(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d, int i,
                     const subtree_flow *c)
{
  const lwi_link *L = &m->link[i];
  const vec3 arm = d->arm[i];
  const force load = w->link[i].f;
  for (int k = 0; k < L->nu; k++) {
    const motion S = w->freedom[L->column + k].S;
    const freedom_response *o = &d->response[L->column + k];
    const force Gq = force_add(rigid_mul(c->I, o->X), flow_turn(c, o->Y.w));
    const force Gu = force_add(rigid_mul(c->I, o->P), flow_turn(c, S.w));
    const vec3 t = v3_add_cross(m3_tmulv(c->K, S.w), v3_add(c->p, c->p), S.v);
    freedom_loads l;
    put_load(rigid_mul(c->I, S), arm, l.F);
    put_load(Gq, arm, l.Gq);
    put_load(Gu, arm, l.Gu);
    l.t[0] = real_lane(v3_x(t), 0);
    l.t[1] = real_lane(v3_y(t), 0);
    l.t[2] = real_lane(v3_z(t), 0);
    put_joint(L, w, d, k, &l, load);
    put_load(force_add_cross(Gq, S, load), arm, l.Gq);
    put_inward(m, d, L->column + k, m->before[L->column], &l);
  }
}

/* T and M without the elements' own changes.  After inverse dynamics or joint loads: f of every link. */
static void fill_matrices(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                          const real *u, const real *udot)
{
  fill_tables(m, w, d, u, udot);
  subtree_flow handed = {0};
  bool arrives = false;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    subtree_flow c = link_flow(m, w, i);
    if (arrives) c = flow_add(c, handed);
    if (L->branch >= 0) c = flow_add(c, d->branch_flow[L->branch]);
    put_link(m, w, d, i, &c);
    arrives = L->hands_on;
    if (L->parent == 0) continue;
    handed = flow_from(c, w->link[i].r);
    if (!L->hands_on) {
      subtree_flow *sum = &d->branch_flow[m->link[L->parent].branch];
      *sum = L->last ? handed : flow_add(*sum, handed);
    }
  }
}

#endif
