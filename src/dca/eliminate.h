/* SPDX-License-Identifier: Apache-2.0 */
/* eliminate.h -- the one elimination rule: an edge between two assemblies, inside one, or to the
   ground.  Symbols and equations: dca.h.

   Rows that belong to an edge are kept twice: as rows for the way back (edge->Db), and transposed
   with the m numbers of a column side by side (struct sides), so that all products run along
   vector registers. */
#ifndef LWI_DCA_ELIMINATE_H
#define LWI_DCA_ELIMINATE_H
#include "dca/edge_rows.h"
#include "dca/leaf.h"
#include "linalg/eigen.h"

/* redundant: an eigenvalue of T below RELATIVE times the largest, or below ABSOLUTE times the mobility that
   the two bodies had alone */
#define RELATIVE 1e-9
#define ABSOLUTE 1e-10

typedef struct {
  double b[6][LWI_ROW], a[6][LWI_ROW]; /* Db', Da' */
  double g[LWI_ROW];
} sides;

/* mobilities of an assembly */
typedef struct {
  int n;
  double *Z, *z;
} mobility;

static inline double *block_of(const mobility *x, int i, int j)
{
  return x->Z + (size_t)(i * x->n + j) * LWI_BLOCK;
}

static inline mobility mobility_of(const lw_dca *d, const lwi_dca_step *s, double *scratch)
{
  double *at = (s->shared ? d->shared : scratch) + s->at;
  return (mobility){s->nout, at, at + (size_t)(s->nout * s->nout) * LWI_BLOCK};
}

/* ---- rows of the edge ---- */

static void find_sides(lw_dca *d, lwi_dca_edge *e, sides *x)
{
  memset(x, 0, sizeof *x);
  if (e->link == 0) {
    closing_rows(d, e, x->g);
    for (int r = 0; r < e->m; r++)
      for (int i = 0; i < 6; i++) x->b[i][r] = e->Db[6 * r + i], x->a[i][r] = e->Da[6 * r + i];
    return;
  }
  tree_edge t;
  find_tree_edge(d, e->link, &t);
  tree_rows(d->m, &d->m->link[e->link], &t, e->Db);
  memcpy(e->Da, t.r, sizeof t.r);
  for (int r = 0; r < e->m; r++) {
    const double *D = e->Db + 6 * r;
    double arm[3];
    cross3(t.r, D + 3, arm);
    for (int i = 0; i < 3; i++) {
      x->b[i][r] = D[i];
      x->b[3 + i][r] = D[3 + i];
      x->a[i][r] = -(D[i] + arm[i]);
      x->a[3 + i][r] = -D[3 + i];
    }
    x->g[r] = row_dot6(D, t.c);
  }
}

/* ---- factors of T ---- */

/* L L' in place, lower triangle; the diagonal holds inverses */
static inline bool factor_regular(int m, double T[][LWI_ROW], double *L)
{
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < i; j++) {
      double s = T[i][j];
      for (int k = 0; k < j; k++) s -= T[i][k] * T[j][k];
      T[i][j] = s * T[j][j];
    }
    double s = T[i][i];
    for (int k = 0; k < i; k++) s -= T[i][k] * T[i][k];
    if (!(s > 1e-15 * T[i][i])) return false;
    T[i][i] = 1 / sqrt(s);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) L[i * m + j] = T[i][j];
  return true;
}

/* the mobility that a row would have if its two bodies were free */
static inline double bare_mobility(const lw_dca *d, int link, const double *load)
{
  double A[6];
  if (link == 0) return 0;
  push_body(&d->body[link], &d->state[link], load, A);
  return row_dot6(load, A);
}

/* R with R' R the pseudo-inverse of the scaled T; returns the rank, -1: not finite */
static int factor_loop(const lw_dca *d, const lwi_dca_edge *e, double T[][LWI_ROW], const sides *x,
                       double *R)
{
  const int m = e->m;
  double A[36], V[36], value[6], scale[6], largest = 0;
  for (int r = 0; r < m; r++) {
    double Da[6], Db[6];
    for (int i = 0; i < 6; i++) Da[i] = x->a[i][r], Db[i] = x->b[i][r];
    const double bare = bare_mobility(d, e->a, Da) + bare_mobility(d, e->b, Db);
    scale[r] = bare > 0 ? 1 / sqrt(bare) : 0;
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      A[i * m + j] = scale[i] * scale[j] * 0.5 * (T[i][j] + T[j][i]);
      if (!isfinite(A[i * m + j])) return -1;
    }
  lwi_symmetric_eigen(m, A, V, value);
  for (int i = 0; i < m; i++) largest = fmax(largest, value[i]);
  int rank = 0;
  memset(R, 0, (size_t)(m * m) * sizeof *R);
  for (int i = 0; i < m; i++) {
    if (value[i] <= RELATIVE * largest || value[i] <= ABSOLUTE) continue;
    for (int j = 0; j < m; j++) R[rank * m + j] = V[i * m + j] * scale[j] / sqrt(value[i]);
    rank++;
  }
  return rank;
}

/* G = L^-1 B for m rows of vectors */
static inline void divide_regular(int m, const double *L, const double *B, row *G)
{
  for (int r = 0; r < m; r++) {
    row x = row_load(B + LWI_ROW * r);
    for (int k = 0; k < r; k++) x = row_fms(x, L[r * m + k], G[k]);
    G[r] = row_scale(L[r * m + r], x);
  }
}
static inline void divide_loop(int m, const double *R, const double *B, row *G)
{
  for (int r = 0; r < m; r++) {
    G[r] = row_zero();
    for (int k = 0; k < m; k++) G[r] = row_fma(G[r], R[r * m + k], row_load(B + LWI_ROW * k));
  }
}

/* ---- the rule ---- */

/* B += D Z for a column of D' given as six vectors */
static inline void add_rows(int m, double D[6][LWI_ROW], const double *Z, bool first, double *B)
{
  for (int r = 0; r < m; r++) {
    row x = first ? row_scale(D[0][r], row_load(Z)) : row_fma(row_load(B + LWI_ROW * r), D[0][r], row_load(Z));
    for (int i = 1; i < 6; i++) x = row_fma(x, D[i][r], row_load(Z + LWI_ROW * i));
    row_store(B + LWI_ROW * r, x);
  }
}

/* B for every inner handle; left ones come first */
static inline void find_rows(int m, const lwi_dca_step *s, const mobility *left, const mobility *right,
                             sides *x, double *B)
{
  const int n = s->nleft + s->nright;
  for (int j = 0; j < n; j++) {
    const bool is_left = j < s->nleft;
    const mobility *side = is_left ? left : right;
    const int start = is_left ? 0 : s->nleft;
    bool first = true;
    double *Bj = B + (size_t)j * LWI_BLOCK;
    if (s->a >= 0 && (s->a < s->nleft) == is_left) {
      add_rows(m, x->a, block_of(side, s->a - start, j - start), first, Bj);
      first = false;
    }
    if (s->b >= 0 && (s->b < s->nleft) == is_left)
      add_rows(m, x->b, block_of(side, s->b - start, j - start), first, Bj);
  }
}

/* T += B D' and e -= D z */
static inline void add_matrix(int m, double D[6][LWI_ROW], const double *B, const double *z,
                              double T[][LWI_ROW], row *e)
{
  for (int r = 0; r < m; r++) {
    row t = row_load(T[r]);
    for (int i = 0; i < 6; i++) t = row_fma(t, B[LWI_ROW * r + i], row_load(D[i]));
    row_store(T[r], t);
  }
  for (int i = 0; i < 6; i++) *e = row_fms(*e, z[i], row_load(D[i]));
}

static inline const double *inner_z(const lwi_dca_step *s, const mobility *left, const mobility *right, int k)
{
  return k < s->nleft ? left->z + LWI_ROW * k : right->z + LWI_ROW * (k - s->nleft);
}

/* the mobilities that remain: Z' and z' */
static inline void update(int m, const lwi_dca_step *s, const mobility *left, const mobility *right,
                          const double *G, const double *y, const mobility *out)
{
  const size_t stride = 6 * (size_t)m;
  for (int i = 0; i < s->nout; i++) {
    const int from_i = s->from[i];
    const bool left_i = from_i < s->nleft;
    const double *Gi = G + stride * (size_t)i;
    row z = row_load(inner_z(s, left, right, from_i));
    for (int r = 0; r < m; r++) z = row_fma(z, y[r], row_load(Gi + 6 * r));
    row_store(out->z + LWI_ROW * i, z);
    for (int j = 0; j < s->nout; j++) {
      const int from_j = s->from[j];
      const bool same = (from_j < s->nleft) == left_i;
      const mobility *side = left_i ? left : right;
      const int start = left_i ? 0 : s->nleft;
      const double *Z = same ? block_of(side, from_i - start, from_j - start) : NULL;
      const double *Gj = G + stride * (size_t)j;
      double *to = block_of(out, i, j);
      row g[6];
      for (int r = 0; r < m; r++) g[r] = row_load(Gj + 6 * r);
      for (int k = 0; k < 6; k++) {
        row x = same ? row_load(Z + LWI_ROW * k) : row_zero();
        for (int r = 0; r < m; r++) x = row_fms(x, Gi[6 * r + k], g[r]);
        row_store(to + LWI_ROW * k, x);
      }
    }
  }
}

/* m is a constant where this is inlined for the joints that matter */
static inline bool eliminate_rows(int m, lw_dca *d, const lwi_dca_step *s, double *scratch)
{
  lwi_dca_edge *edge = &d->edge[s->edge];
  const mobility left = mobility_of(d, &d->step[s->left], scratch);
  const mobility right =
      s->right < 0 ? (mobility){0} : mobility_of(d, &d->step[s->right], scratch);
  const mobility out = mobility_of(d, s, scratch);
  double *B = scratch + d->rows_at;
  sides x;
  find_sides(d, edge, &x);
  find_rows(m, s, &left, &right, &x, B);

  double T[6][LWI_ROW] = {{0}}, y[LWI_ROW] = {0};
  row e = row_load(x.g);
  if (s->a >= 0)
    add_matrix(m, x.a, B + (size_t)s->a * LWI_BLOCK, inner_z(s, &left, &right, s->a), T, &e);
  if (s->b >= 0)
    add_matrix(m, x.b, B + (size_t)s->b * LWI_BLOCK, inner_z(s, &left, &right, s->b), T, &e);
  row_store(y, e);

  double *F = edge->factor;
  edge->rank = m;
  if (s->loop)
    edge->rank = factor_loop(d, edge, T, &x, F);
  else if (!factor_regular(m, T, F))
    return false;
  if (edge->rank < 0) return false;

  for (int i = 0; i < s->nout; i++) {
    row G[6];
    if (s->loop)
      divide_loop(m, F, B + (size_t)s->from[i] * LWI_BLOCK, G);
    else
      divide_regular(m, F, B + (size_t)s->from[i] * LWI_BLOCK, G);
    double *to = edge->G + 6 * m * i;
    for (int r = 0; r < m; r++) row_store(to + 6 * r, G[r]);
  }
  for (int r = 0; r < m; r++) {
    double v = s->loop ? 0 : y[r];
    if (s->loop)
      for (int k = 0; k < m; k++) v += F[r * m + k] * y[k];
    else {
      for (int k = 0; k < r; k++) v -= F[r * m + k] * edge->y[k];
      v *= F[r * m + r];
    }
    edge->y[r] = v;
  }
  update(m, s, &left, &right, edge->G, edge->y, &out);
  return true;
}

static bool eliminate_five(lw_dca *d, const lwi_dca_step *s, double *scratch)
{
  return eliminate_rows(5, d, s, scratch);
}
static bool eliminate_any(lw_dca *d, const lwi_dca_step *s, double *scratch)
{
  return eliminate_rows(d->edge[s->edge].m, d, s, scratch);
}

/* ---- the way back ---- */

/* lambda = L^-T (y - sum_j G_j F_j), and its loads on the two links */
static inline void find_load(lw_dca *d, const lwi_dca_step *s)
{
  lwi_dca_edge *e = &d->edge[s->edge];
  const int m = e->m;
  double x[6], lambda[6] = {0}, f[6] = {0};
  for (int r = 0; r < m; r++) {
    x[r] = e->y[r];
    for (int j = 0; j < s->nout; j++)
      x[r] -= row_dot6(e->G + 6 * (m * j + r), d->state[s->out[j]].F);
  }
  if (s->loop) {
    for (int r = 0; r < e->rank; r++)
      for (int k = 0; k < m; k++) lambda[k] += e->factor[r * m + k] * x[r];
  } else {
    for (int r = m - 1; r >= 0; r--) {
      lambda[r] = x[r];
      for (int k = r + 1; k < m; k++) lambda[r] -= e->factor[k * m + r] * lambda[k];
      lambda[r] *= e->factor[r * m + r];
    }
  }
  memcpy(e->y, lambda, (size_t)m * sizeof *lambda);
  for (int r = 0; r < m; r++)
    for (int i = 0; i < 6; i++) f[i] += lambda[r] * e->Db[6 * r + i];
  if (e->b > 0)
    for (int i = 0; i < 6; i++) d->state[e->b].F[i] += f[i];
  if (e->a == 0) return;
  double *Fa = d->state[e->a].F;
  if (e->link > 0) {
    double arm[3];
    cross3(e->Da, f + 3, arm);
    for (int i = 0; i < 3; i++) Fa[i] -= f[i] + arm[i], Fa[3 + i] -= f[3 + i];
  } else {
    for (int r = 0; r < m; r++)
      for (int i = 0; i < 6; i++) Fa[i] += lambda[r] * e->Da[6 * r + i];
  }
}

#endif
