/* SPDX-License-Identifier: Apache-2.0 */
/* composite.h -- mass matrix by composite bodies: R(k) = M(k) + sum over children of phi R phi*,
   Mass(j, k) = H(j) phi(j, k) R(k) H(k)* for j an ancestor of k or k itself, zero for unrelated
   links.  A factorisation of [Jain2012] eq. (17); docs/theory/tree.md. */
#ifndef LWI_TREE_RECURSION_COMPOSITE_H
#define LWI_TREE_RECURSION_COMPOSITE_H
#include "tree/recursion/outward.h"

/* where the entries go: a full matrix, with a stride for several states, or rows of nonzero
   entries */
typedef struct {
  double *M;
  size_t nu, stride;
  int count;
  bool rows;
  bool mirror; /* only the lower triangle is written, row by row, and mirrored */
  bool chain;  /* most freedoms are in one long run, in the order of the speeds */
} matrix_out;

/* is every freedom inward or outward of every other one? */
static inline bool is_full(const lw_model *m)
{
  return 2 * m->nentry == (size_t)m->nu * ((size_t)m->nu + 1);
}

/* Writing both triangles at once touches a new cache line for every entry, which pays only if few
   entries are nonzero, or not a third of a matrix that stays in the cache; in lanes an entry fills a line. */
static matrix_out full_matrix(const lw_model *m, const lwi_tree_work *w, double *M, size_t stride,
                              int count)
{
  enum { SMALL = 64 };
  const size_t nu = (size_t)m->nu, few = nu <= SMALL ? 3 : 16; /* a chain is mirrored */
  return (matrix_out){.M = M,
                      .nu = nu,
                      .stride = stride,
                      .count = count,
                      .mirror = LW_LANES == 1 && few * m->nentry > nu * nu,
                      .chain =
                          LW_PACKED && stride == 1 && 5 * m->nentry > 2 * nu * nu && w->in_order};
}
static inline double *entry(const matrix_out *o, size_t i, size_t j)
{
  return o->M + (i * o->nu + j) * o->stride;
}
static inline void put_states(const matrix_out *o, double *at, real x)
{
  if (!LW_QUAD && (LW_LANES == 1 || o->count == LW_LANES))
    memcpy(at, &x, sizeof(double) * LW_LANES);
  else
    for (int k = 0; k < o->count; k++)
      at[k] = real_lane(x, k);
}
static inline void put_entry(const matrix_out *o, int i, int j, real x)
{
  const size_t row = (size_t)(i > j ? i : j), column = (size_t)(i > j ? j : i);
  put_states(o, entry(o, row, column), x);
  if (!o->mirror) put_states(o, entry(o, column, row), x);
}

/* zeros of unrelated freedoms; nothing where there are none, as in a chain */
static void clear_matrix(const lw_model *m, const matrix_out *o)
{
  if (is_full(m)) return;
  if (o->stride == 1 && !o->mirror) {
    memset(o->M, 0, o->nu * o->nu * sizeof(double));
    return;
  }
  const int count = LW_LANES == 1 ? 1 : o->count;
  for (size_t i = 0; i < o->nu; i++)
    for (size_t j = 0; j < (o->mirror ? i + 1 : o->nu); j++)
      for (int k = 0; k < count; k++)
        entry(o, i, j)[k] = 0.0;
}

enum { TILE = 32 }; /* of a matrix: its rows and columns stay in the cache */

/* Of one state: the lower triangle in rows first ... last - 1 is copied to the upper one, */
static void mirror_rows(const matrix_out *o, size_t first, size_t last)
{
  for (size_t b = 0; b < last; b += TILE)
    for (size_t a = first > b ? first : b; a < last; a += TILE)
      for (size_t j = b; j < last && j < b + TILE; j++)
        for (size_t i = a > j ? a : j + 1; i < last && i < a + TILE; i++)
          *entry(o, j, i) = *entry(o, i, j);
}
/* ... or all of the upper one to the lower one */
static inline void mirror_upper(const matrix_out *o)
{
  for (size_t a = 0; a < o->nu; a += TILE)
    for (size_t b = 0; b <= a; b += TILE)
      for (size_t i = a; i < o->nu && i < a + TILE; i++)
        for (size_t j = b; j < i && j < b + TILE; j++)
          *entry(o, i, j) = *entry(o, j, i);
}

/* The entries of a freedom with itself and all inward ones.  F is computed from the composite
   inertia about the link's own origin, where no digits are lost, and then shifted, as every S, to
   the origin of the tree's first link.  There an entry is one product,

     w^T (t + p x f) + (v + p x w)^T f

   Of one state, the entries of a long run of freedoms are computed several at once. */
static inline void find_run(const lwi_tree_work *w, force F, int first, int last,
                            double *restrict out)
{
  const double t0 = real_lane(v3_x(F.t), 0), t1 = real_lane(v3_y(F.t), 0),
               t2 = real_lane(v3_z(F.t), 0), f0 = real_lane(v3_x(F.f), 0),
               f1 = real_lane(v3_y(F.f), 0), f2 = real_lane(v3_z(F.f), 0);
  const double *restrict w0 = w->moved_row[0], *restrict w1 = w->moved_row[1],
                         *restrict w2 = w->moved_row[2], *restrict v0 = w->moved_row[3],
                         *restrict v1 = w->moved_row[4], *restrict v2 = w->moved_row[5];
  for (int k = first; k <= last; k++)
    out[k - first] =
        ((w0[k] * t0 + w1[k] * t1) + w2[k] * t2) + ((v0[k] * f0 + v1[k] * f1) + v2[k] * f2);
}

static inline void put_full(const lw_model *m, const lwi_tree_work *w, int column, force F,
                            double rotor, const matrix_out *o)
{
  enum { LONG = 12 };
  const int u = m->column_u[column];
  for (int j = column; j >= 0; j = m->before[m->run_start[j]]) {
    const int start = m->run_start[j];
    if (o->chain && j - start > LONG)
      find_run(w, F, start, j, entry(o, (size_t)u, (size_t)start));
    else
      for (int k = j; k >= start; k--)
        put_entry(o, u, m->column_u[k], power(w->moved[k], F));
  }
  double *own = entry(o, (size_t)u, (size_t)u);
  for (int k = 0; k < o->count && rotor > 0; k++)
    own[k] += rotor;
}
static inline void put_row(const lw_model *m, const lwi_tree_work *w, int column, force F,
                           double rotor, const matrix_out *o)
{
  double *at = o->M + m->row_start[column] * o->stride, *own = at;
  for (int j = column; j >= 0; j = m->before[m->run_start[j]])
    for (int k = j; k >= m->run_start[j]; k--)
      put_states(o, at, power(w->moved[k], F)), at += o->stride;
  for (int k = 0; k < o->count && rotor > 0; k++)
    own[k] += rotor;
}

/* position of a link's origin relative to the first link of its tree, kept in c.v; S about that
   point */
static inline void move_freedoms(const lw_model *m, lwi_tree_work *w, int i, bool chain)
{
  const lwi_link *L = &m->link[i];
  link_state *s = &w->link[i];
  s->c.v = L->parent > 0 ? v3_add(w->link[L->parent].c.v, s->r) : v3_zero();
  for (int j = L->column; j < L->column + L->nu; j++) {
    const motion S = w->freedom[j].S, moved = {S.w, v3_add_cross(S.v, s->c.v, S.w)};
    w->moved[j] = moved;
    if (!chain) continue;
    w->moved_row[0][j] = real_lane(v3_x(S.w), 0);
    w->moved_row[1][j] = real_lane(v3_y(S.w), 0);
    w->moved_row[2][j] = real_lane(v3_z(S.w), 0);
    w->moved_row[3][j] = real_lane(v3_x(moved.v), 0);
    w->moved_row[4][j] = real_lane(v3_y(moved.v), 0);
    w->moved_row[5][j] = real_lane(v3_z(moved.v), 0);
  }
}

static void composite_inward(const lw_model *m, lwi_tree_work *w, const real *q,
                             const matrix_out *o)
{
  find_sines(m, w, q);
  for (int i = 1; i < m->nlink; i++) {
    place_link(m, w, i, q);
    move_freedoms(m, w, i, o->chain);
  }
  rigid handed = {0};
  bool arrives = false;
  int mirrored = m->nu; /* rows from here on are */
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    rigid I = link_inertia(L, &w->link[i]);
    if (arrives) I = rigid_add(I, handed);
    if (L->branch >= 0) I = rigid_add(I, w->branch_rigid[L->branch]);
    for (int j = L->column; j < L->column + L->nu; j++) {
      const force F = force_from(rigid_mul(I, w->freedom[j].S), w->link[i].c.v);
      if (o->rows)
        put_row(m, w, j, F, lwi_armature(L, j - L->column), o);
      else
        put_full(m, w, j, F, lwi_armature(L, j - L->column), o);
    }

    if (o->chain && mirrored - L->column >= TILE) { /* while they are in the cache */
      mirror_rows(o, (size_t)L->column, (size_t)mirrored);
      mirrored = L->column;
    }

    handed = rigid_from(I, w->link[i].r);
    arrives = L->hands_on;
    if (!L->hands_on && L->parent > 0) {
      rigid *sum = &w->branch_rigid[m->link[L->parent].branch];
      *sum = L->last ? handed : rigid_add(*sum, handed);
    }
  }
  if (o->mirror) mirror_rows(o, 0, (size_t)mirrored);
}

static void mass_matrix(const lw_model *m, lwi_tree_work *w, const double *q, double *M,
                        size_t stride, int count)
{
  const matrix_out o = full_matrix(m, w, M, stride, count);
  if (!w->skips_zeros) clear_matrix(m, &o);
  composite_inward(m, w, (const real *)q, &o);
}

static void mass_rows(const lw_model *m, lwi_tree_work *w, const double *q, double *rows,
                      size_t stride, int count)
{
  const matrix_out o = {.M = rows, .stride = stride, .count = count, .rows = true};
  composite_inward(m, w, (const real *)q, &o);
}

#endif
