/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_matrices.h -- derivatives of inverse and forward dynamics of a tree as matrices.

   After [Carpentier2018] and [Singh2022].  With I, 2B and f of the subtree of freedom d, and a
   inward of d:
     d tau_a / dq_d = S_a^T (I X_d + 2B Y_d + S_d x* f)     d tau_d / dq_a = X_a^T F_d + Y_a.w^T t_d
     d tau_a / du_d = S_a^T (I P_d + 2B S_d)                d tau_d / du_a = P_a^T F_d + S_a.w^T t_d
     M_ad = S_a^T F_d,   F_d = I S_d,   t_d = K^T S_d.w + 2 p x S_d.v
   Freedoms of one joint: without S_d x* f, with E_da^T f.  O(n depth) numbers, each a short
   product. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_MATRICES_H
#define LWI_TREE_RECURSION_DERIVATIVE_MATRICES_H
#include "tree/recursion/composite.h"
#include "tree/recursion/derivative_freedoms.h"

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
static inline void put_column(double *const row[6], int column, force a, vec3 arm)
{
  double f[6];
  put_load(a, arm, f);
  for (int c = 0; c < 6; c++)
    row[c][column] = f[c];
}
static inline void put_vector(double *const row[3], int column, vec3 a)
{
  row[0][column] = real_lane(v3_x(a), 0);
  row[1][column] = real_lane(v3_y(a), 0);
  row[2][column] = real_lane(v3_z(a), 0);
}

/* the arm of a link, and S of its freedoms */
static inline vec3 fill_arm(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                            int i)
{
  const lwi_link *L = &m->link[i];
  const vec3 arm = L->parent > 0 ? v3_add(d->arm[L->parent], w->link[i].r) : v3_zero();
  d->arm[i] = arm;
  for (int k = L->column; k < L->column + L->nu; k++)
    put_motion(d->table.S, k, w->freedom[k].S, arm);
  return arm;
}
static void fill_arms(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d)
{
  for (int i = 1; i < m->nlink; i++)
    fill_arm(m, w, d, i);
}

static void fill_tables(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        const real *u, const real *udot)
{
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const vec3 arm = fill_arm(m, w, d, i);
    const parent_motion p = find_parent(m, w, i);
    for (int k = 0; k < L->nu; k++) {
      const int column = L->column + k;
      const freedom_response o =
          find_response(L, w->freedom + L->column, k, &p, w->link[i].V, u, udot);
      d->response[column] = o;
      put_motion(d->table.X, column, o.X, arm);
      put_motion(d->table.P, column, o.P, arm);
      put_vector(d->table.Y, column, o.Y.w);
    }
  }
}

/* ---- entries ---- */

static inline double dot_table(double *const row[6], int column, const double f[6])
{
  double s = 0;
  for (int c = 0; c < 6; c++)
    s += row[c][column] * f[c];
  return s;
}

/* out[k] = a^T table(., k), and with b three more, for k = first ... last - 1 */
static inline void row_of_six(double *restrict out, double *const table[6], const double a[6],
                              int first, int last)
{
  const double *restrict x0 = table[0], *restrict x1 = table[1], *restrict x2 = table[2],
                         *restrict x3 = table[3], *restrict x4 = table[4], *restrict x5 = table[5];
  for (int k = first; k < last; k++)
    out[k] = ((a[0] * x0[k] + a[1] * x1[k]) + (a[2] * x2[k] + a[3] * x3[k])) +
             (a[4] * x4[k] + a[5] * x5[k]);
}
static inline void row_of_nine(double *restrict out, double *const table[6], double *const more[3],
                               const double a[6], const double b[3], int first, int last)
{
  const double *restrict x0 = table[0], *restrict x1 = table[1], *restrict x2 = table[2],
                         *restrict x3 = table[3], *restrict x4 = table[4], *restrict x5 = table[5],
                         *restrict y0 = more[0], *restrict y_p = more[1], *restrict y2 = more[2];
  for (int k = first; k < last; k++)
    out[k] = (((a[0] * x0[k] + a[1] * x1[k]) + (a[2] * x2[k] + a[3] * x3[k])) +
              (a[4] * x4[k] + a[5] * x5[k])) +
             ((b[0] * y0[k] + b[1] * y_p[k]) + b[2] * y2[k]);
}

/* rows of a freedom in link order: d tau / dq, d tau / du and M; NULL: not wanted.  Of M only entries with
   the freedoms of its joint and inward. */
typedef struct {
  double *by_q, *by_u, *M;
} row_out;

/* the row of one freedom: entries with freedoms outward of its joint, of its joint, and inward */
static void fill_row(const lw_model *m, const lwi_derivative_work *d, int column,
                     const row_out *out)
{
  const freedom_table *x = &d->table;
  const int link = d->link_of[column];
  const lwi_link *L = &m->link[link];
  const int outward = L->column + L->nu, end = d->subtree_end[link];
  double S[6], F[6], t[3];
  for (int c = 0; c < 6; c++)
    S[c] = x->S[c][column], F[c] = x->F[c][column];
  for (int c = 0; c < 3; c++)
    t[c] = x->t[c][column];
  const joint_entries *own = &d->own[column];
  if (out->by_q) {
    row_of_six(out->by_q, x->Gq, S, outward, end);
    memcpy(out->by_q + L->column, own->by_q, (size_t)L->nu * sizeof(double));
  }
  if (out->by_u) {
    row_of_six(out->by_u, x->Gu, S, outward, end);
    memcpy(out->by_u + L->column, own->by_u, (size_t)L->nu * sizeof(double));
  }
  if (out->M) memcpy(out->M + L->column, own->M, (size_t)L->nu * sizeof(double));
  for (int b = m->before[L->column]; b >= 0; b = m->before[m->run_start[b]]) {
    const int start = m->run_start[b];
    if (out->by_q) row_of_nine(out->by_q, x->X, x->Y, F, t, start, b + 1);
    if (out->by_u) row_of_nine(out->by_u, x->P, x->S, F, t, start, b + 1);
    if (out->M) row_of_six(out->M, x->S, F, start, b + 1);
  }
}

/* the freedoms of one joint among themselves, column k; f is their load */
static void fill_joint(const lwi_link *L, const freedom *fr, lwi_derivative_work *d, int k,
                       force Gq, force Gu, force F, force f)
{
  const bool stays = joint_keeping((lwi_kind)L->kind) != KEEPS_NONE;
  for (int i = 0; i < L->nu; i++) {
    joint_entries *own = &d->own[L->column + i];
    real by_q = power(fr[i].S, Gq);
    if (stays) by_q += power(column_stay((lwi_kind)L->kind, fr, k, i), f);
    own->by_q[k] = real_lane(by_q, 0);
    own->by_u[k] = real_lane(power(fr[i].S, Gu), 0);
    own->M[k] = real_lane(power(fr[i].S, F), 0) + (i == k ? lwi_armature(L, k) : 0);
  }
}

/* the loads of a link's freedoms; c: of its subtree */
static void fill_loads(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d, int i,
                       const subtree_flow *c)
{
  const lwi_link *L = &m->link[i];
  const vec3 arm = d->arm[i];
  const force f = w->link[i].f;
  for (int k = 0; k < L->nu; k++) {
    const int column = L->column + k;
    const motion S = w->freedom[column].S;
    const freedom_response *o = &d->response[column];
    const force F = rigid_mul(c->I, S);
    const force Gq = force_add(rigid_mul(c->I, o->X), flow_turn(c, o->Y.w));
    const force Gu = force_add(rigid_mul(c->I, o->P), flow_turn(c, S.w));
    fill_joint(L, w->freedom + L->column, d, k, Gq, Gu, F, f);
    put_column(d->table.F, column, F, arm);
    put_column(d->table.Gq, column, force_add_cross(Gq, S, f), arm);
    put_column(d->table.Gu, column, Gu, arm);
    put_vector(d->table.t, column, v3_add_cross(m3_tmulv(c->K, S.w), v3_add(c->p, c->p), S.v));
  }
}

/* All that the rows of T and M consist of.  After inverse dynamics or joint loads: f of every
   link. */
static void fill_loads_of_all(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
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
    fill_loads(m, w, d, i, &c);
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
