/* SPDX-License-Identifier: Apache-2.0 */
/* eliminate.h -- the one elimination rule: an edge between two assemblies, inside one, or to the
   ground.  Symbols and equations: dca.h.

   All products run along rows of vectors.  m, and whether the edge is a spatial revolute joint, are
   constants where the rule is inlined for revolute joints, by far the most frequent edges.  For one
   about the unit vector n

     D = [ x y 0 ; 0 0 1 ],   x, y normal to n and to each other,

   so that few products remain.  The order of this file is that of the rule: rows D of the edge; B_j
   = D^T Delta_j of its inner handles; T and the right side e; then, with T = L L^T or a
   pseudo-inverse, the rows N = L^-1 D^T and G_j = L^-1 B_j, the loads Y = N^T y, y = L^-1 e, and
   what remains,

     Z_ij - G_i^T G_j,   z_j + G_j^T y. */
#ifndef LWI_DCA_ELIMINATE_H
#define LWI_DCA_ELIMINATE_H
#include "dca/edge_factor.h"

/* ---- rows of the edge ---- */

static inline void find_revolute(lw_dca *d, elimination *x)
{
  double applied[6], n[6];
  d->kernels->get_edge(d->m, d->work, x->s->link, x->r, x->c, applied);
  d->kernels->get_column(d->m, d->work, d->m->link[x->s->link].column, n);
  double *X = x->D, *Y = x->D + 6;
  memcpy(lwi_dca_kept_axis(x->s->kept), n, 3 * sizeof *n);
  normals(n, X, Y);
  for (int i = 0; i < 3; i++) {
    x->columns[i] = row_set(X[i], Y[i], 0, 0, 0, 0);
    x->columns[3 + i] = row_set(0, 0, i == 0, i == 1, i == 2, 0);
  }
}

static inline void find_edge(lw_dca *d, elimination *x)
{
  const int m = x->e->m;
  memset(x->D, 0, sizeof x->D);
  memset(x->c, 0, sizeof x->c);
  if (x->e->kind == LWI_DCA_LIGHT) {
    light_rows(d, x->e, x->D);
    memset(x->r, 0, sizeof x->r);
  } else if (x->e->kind != LWI_DCA_CLOSING) {
    tree_edge t;
    find_tree_edge(d, x->e->link, &t);
    tree_rows(d->m, &d->m->link[x->e->link], &t, x->D);
    rotor_rows(d, x->e, &t, x->D);
    memcpy(x->r, t.r, sizeof t.r);
    memcpy(x->c, t.c, sizeof t.c);
  } else {
    closing_rows(d, x->e, x->D, x->r, x->g);
    from_rows(d->m->length, m, x->D, x->g, x->c);
  }
  const double *D = x->D;
  for (int i = 0; i < 6; i++)
    x->columns[i] = row_set(D[i], m > 1 ? D[6 + i] : 0, m > 2 ? D[12 + i] : 0,
                            m > 3 ? D[18 + i] : 0, m > 4 ? D[24 + i] : 0, m > 5 ? D[30 + i] : 0);
}

/* ---- D^T Delta_j for every inner handle ---- */

/* Delta += Z */
static inline void add_block(const double *Z, row Delta[6])
{
  for (int i = 0; i < 6; i++)
    Delta[i] = row_add(Delta[i], row_load(Z + LWI_ROW * i));
}
static inline void set_block(const double *Z, row Delta[6])
{
  for (int i = 0; i < 6; i++)
    Delta[i] = row_load(Z + LWI_ROW * i);
}
/* Delta = -phi* Z: acceleration of the point at r */
static inline void set_carried(const double *Z, const double r[3], row Delta[6])
{
  row w[3];
  for (int i = 0; i < 3; i++) {
    w[i] = row_load(Z + LWI_ROW * i);
    Delta[i] = row_scale(-1, w[i]);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3; /* (w x r)_i = w_j r_k - w_k r_j */
    row v = row_scale(-1, row_load(Z + LWI_ROW * (3 + i)));
    v = row_fms(v, r[k], w[j]);
    Delta[3 + i] = row_fma(v, r[j], w[k]);
  }
}

static inline void multiply_rows(const int m, const bool revolute, const double *D,
                                 const row Delta[6], double *B)
{
  for (int k = 0; k < (revolute ? 2 : m); k++) {
    row x = row_scale(D[6 * k], Delta[0]);
    for (int i = 1; i < (revolute ? 3 : 6); i++)
      x = row_fma(x, D[6 * k + i], Delta[i]);
    row_store(B + LWI_ROW * k, x);
  }
  for (int i = 0; i < 3 && revolute; i++)
    row_store(B + LWI_ROW * (2 + i), Delta[3 + i]);
}

/* of inner handle j */
static inline void find_rows(const int m, const bool revolute, const elimination *x, int j)
{
  const lwi_dca_step *s = x->s;
  const bool left = j < s->nleft;
  const mobility *side = left ? &x->left : &x->right;
  const int start = left ? 0 : s->nleft;
  const bool sees_a = s->a >= 0 && (s->a < s->nleft) == left;
  const bool sees_b = s->b >= 0 && (s->b < s->nleft) == left;
  row Delta[6];
  if (sees_a) {
    set_carried(block_of(side, s->a - start, j - start), x->r, Delta);
    if (sees_b) add_block(block_of(side, s->b - start, j - start), Delta);
  } else { /* one end of the edge in each assembly */
    set_block(block_of(side, s->b - start, j - start), Delta);
  }
  multiply_rows(m, revolute, x->D, Delta, x->G + (size_t)j * LWI_BLOCK);
}

/* T needs the rows of the ends; the others are computed during the latency of its factorisation */
static inline void find_end_rows(const int m, const bool revolute, const elimination *x)
{
  if (x->s->a >= 0) find_rows(m, revolute, x, x->s->a);
  if (x->s->b >= 0) find_rows(m, revolute, x, x->s->b);
}
static inline void find_other_rows(const int m, const bool revolute, const elimination *x)
{
  for (int j = 0; j < x->s->nout; j++)
    if (x->s->handle[j] != x->s->a && x->s->handle[j] != x->s->b)
      find_rows(m, revolute, x, x->s->handle[j]);
}

/* ---- T and the right side ---- */

/* z of inner handle k: those of the left assembly, then those of the right one */
static inline const double *inner_z(const mobility *left, const mobility *right, int k)
{
  return k < left->n ? left->z + LWI_ROW * k : right->z + LWI_ROW * (k - left->n);
}

/* v = c - (z_b - phi* z_a), where v has c */
static inline void subtract_relative(const lwi_dca_step *s, const mobility *left,
                                     const mobility *right, const double r[3], double v[6])
{
  if (s->b >= 0) {
    const double *z = inner_z(left, right, s->b);
    for (int i = 0; i < 6; i++)
      v[i] -= z[i];
  }
  if (s->a >= 0) {
    const double *z = inner_z(left, right, s->a);
    double turn[3];
    cross3(z, r, turn);
    for (int i = 0; i < 3; i++)
      v[i] += z[i], v[3 + i] += z[3 + i] + turn[i];
  }
}

/* T = D^T Delta_b D - D^T Delta_a phi D */
static inline void find_matrix(const int m, const elimination *x, double T[][LWI_ROW])
{
  const row *D = x->columns;
  const double *r = x->r;
  row a[6]; /* phi D: torque t + r x f */
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    a[i] = row_fms(row_fma(D[i], r[j], D[3 + k]), r[k], D[3 + j]);
    a[3 + i] = D[3 + i];
  }
  for (int l = 0; l < m; l++) {
    row t = row_zero(), u = row_zero();
    if (x->s->b >= 0) {
      const double *B = x->G + (size_t)x->s->b * LWI_BLOCK + LWI_ROW * l;
      for (int i = 0; i < 6; i++)
        t = row_fma(t, B[i], D[i]);
    }
    if (x->s->a >= 0) {
      const double *B = x->G + (size_t)x->s->a * LWI_BLOCK + LWI_ROW * l;
      for (int i = 0; i < 6; i++)
        u = row_fma(u, B[i], a[i]);
    }
    row_store(T[l], row_sub(t, u));
  }
}

/* the mobility of rotors in the last rows */
static inline void add_rotors(const lw_dca *d, const lwi_dca_edge *e, double T[][LWI_ROW])
{
  const lwi_link *L = &d->m->link[e->link];
  int n = e->m - e->rotors;
  for (int j = 0; j < L->nu && n < e->m; j++)
    if (!lwi_is_locked(L, j) && lwi_armature(L, j) > 0) T[n][n] += 1 / lwi_armature(L, j), n++;
}

/* e = -D^T (z_b - phi* z_a - c); zero where only mobilities are computed */
static inline void find_right_side(const elimination *x, double *e)
{
  double v[6];
  memcpy(v, x->c, sizeof v);
  subtract_relative(x->s, &x->left, &x->right, x->r, v);
  row sum = row_scale(v[0], x->columns[0]);
  for (int i = 1; i < 6; i++)
    sum = row_fma(sum, v[i], x->columns[i]);
  row_store(e, sum);
}

/* ---- what remains ---- */

/* N = L^-1 D^T */
static inline void find_inverse_rows(const int m, const bool revolute, const elimination *x,
                                     row N[6])
{
  const double *D = x->D;
  if (revolute) {
    N[0] = row_set(D[0], D[1], D[2], 0, 0, 0);
    N[1] = row_set(D[6], D[7], D[8], 0, 0, 0);
    N[2] = row_set(0, 0, 0, 1, 0, 0);
    N[3] = row_set(0, 0, 0, 0, 1, 0);
    N[4] = row_set(0, 0, 0, 0, 0, 1);
  } else {
    for (int i = 0; i < m; i++)
      N[i] =
          row_set(D[6 * i], D[6 * i + 1], D[6 * i + 2], D[6 * i + 3], D[6 * i + 4], D[6 * i + 5]);
  }
  divide(m, x, N);
}

/* out = in - G_i^T g, six rows; in: NULL for zero */
static inline void subtract(const int m, const double *in, const double *Gi, const row *g,
                            double *out)
{
  for (int k = 0; k < 6; k++) {
    row a = in ? row_load(in + LWI_ROW * k) : row_zero();
    for (int r = 0; r < m; r++)
      a = row_fms(a, Gi[LWI_ROW * r + k], g[r]);
    row_store(out + LWI_ROW * k, a);
  }
}

/* Znew_ij of the handles that remain, where it will be read.  The two blocks of a pair are computed
   alike, so that Z is symmetric up to rounding.  g: G_j, with the sign of X */
static inline void update_column(const int m, const elimination *x, int j, const row *g)
{
  const lwi_dca_step *s = x->s;
  const int from = s->handle[j];
  const mobility *side = from < s->nleft ? &x->left : &x->right;
  const int start = from < s->nleft ? 0 : s->nleft;
  for (int i = 0; i < s->nout; i++) {
    if (!lwi_dca_is_read(s, i, j)) continue;
    const int other = s->handle[i];
    const bool same = (other < s->nleft) == (from < s->nleft);
    subtract(m, same ? block_of(side, other - start, from - start) : NULL,
             x->G + (size_t)other * LWI_BLOCK, g, block_of(&x->out, i, j));
  }
}

/* G_j of the handles that remain, the new Z and z, and what is kept: Y, r, N, G */
static inline void update(const int m, const bool revolute, const bool light, elimination *x,
                          const double *y)
{
  const lwi_dca_step *s = x->s;
  double *kept = s->kept, *rows = lwi_dca_kept_rows(kept);
  row N[6], G[6], sum = row_zero();
  find_inverse_rows(m, revolute, x, N);
  for (int r = 0; r < m; r++, rows += 6) {
    sum = row_fma(sum, light ? -y[r] : y[r], N[r]);
    row_store(rows, N[r]);
  }
  row_put(kept, sum);
  memcpy(lwi_dca_kept_arm(kept), x->r, 3 * sizeof *x->r);
  for (int j = 0; j < s->nout; j++) {
    const int from = s->handle[j];
    double *Gj = x->G + (size_t)from * LWI_BLOCK;
    row z = row_load(inner_z(&x->left, &x->right, from));
    for (int r = 0; r < m; r++)
      G[r] = row_load(Gj + LWI_ROW * r);
    divide(m, x, G);
    for (int r = 0; r < m; r++, rows += 6) {
      row_store(Gj + LWI_ROW * r, G[r]);
      row_store(rows, G[r]);
      z = row_fma(z, light ? -y[r] : y[r], G[r]);
    }
    row_store(x->out.z + LWI_ROW * j, z);
  }
  for (int j = 0; j < s->nout; j++) {
    const double *Gj = x->G + (size_t)s->handle[j] * LWI_BLOCK;
    for (int r = 0; r < m; r++)
      G[r] = row_scale(light ? -1 : 1, row_load(Gj + LWI_ROW * r));
    update_column(m, x, j, G);
  }
}

/* ---- the rule ---- */

static inline lw_status eliminate(const int m, const bool revolute, const bool light, lw_dca *d,
                                  int step, double *scratch)
{
  const lwi_dca_step *s = &d->step[step];
  elimination x;
  x.s = s;
  x.e = &d->edge[s->edge];
  x.left = mobility_of(d, s->left, scratch);
  x.right = mobility_of(d, s->right, scratch);
  x.out = mobility_of(d, step, scratch);
  x.G = scratch + d->rows_at;
  x.r[3] = 0;
  if (revolute)
    find_revolute(d, &x);
  else
    find_edge(d, &x);
  find_end_rows(m, revolute, &x);
  double T[6][LWI_ROW], e[LWI_ROW] = {0}, y[6] = {0};
  find_matrix(m, &x, T);
  if (!revolute && x.e->rotors > 0) add_rotors(d, x.e, T);
  if (d->pass == LWI_DCA_FORWARD) {
    find_right_side(&x, e);
    if (d->checked) memcpy(x.e->given, x.c, sizeof x.e->given);
  }
  int rank = m;
  if (light) {
    x.pseudo = false;
    if (!factor_light(m, T, x.L, x.scale)) return LW_E_SINGULAR;
  } else {
    x.pseudo = s->loop || !factor_regular(m, T, x.L, x.scale);
  }
  if (x.pseudo) {
    find_matrix(m, &x, T); /* again: overwritten by the attempt to factor it */
    if (!revolute && x.e->rotors > 0) add_rotors(d, x.e, T);
    rank = factor_loop(d, revolute, &x, T, s->loop ? d->rank[s->edge] : m);
    if (rank < 0) return LW_E_NUMBER;
  }
  d->rank[s->edge] = rank;
  find_other_rows(m, revolute, &x);
  divide_vector(m, &x, e, y);
  update(m, revolute, light, &x, y);
  return LW_OK;
}

static lw_status eliminate_edge(lw_dca *d, int step, double *scratch)
{
  const int m = d->step[step].m;
  switch ((lwi_dca_kind)d->step[step].edge_kind) {
  case LWI_DCA_REVOLUTE: return eliminate(5, true, false, d, step, scratch);
  case LWI_DCA_LIGHT: return eliminate(m, false, true, d, step, scratch);
  case LWI_DCA_RELATION: return lwi_dca_eliminate_relation(d, step, scratch), LW_OK;
  default: return eliminate(m, false, false, d, step, scratch);
  }
}

/* unites two assemblies without elimination, or copies one */
static void unite(lw_dca *d, int step, double *scratch)
{
  const lwi_dca_step *s = &d->step[step];
  const mobility left = mobility_of(d, s->left, scratch), right = mobility_of(d, s->right, scratch);
  const mobility out = mobility_of(d, step, scratch);
  for (int i = 0; i < s->nout; i++)
    for (int j = 0; j < s->nout; j++) {
      const int from = s->handle[i], other = s->handle[j], start = from < left.n ? 0 : left.n;
      const mobility *side = from < left.n ? &left : &right;
      if ((from < left.n) == (other < left.n))
        memcpy(block_of(&out, i, j), block_of(side, from - start, other - start),
               LWI_BLOCK * sizeof(double));
      else
        memset(block_of(&out, i, j), 0, LWI_BLOCK * sizeof(double));
    }
}

/* z of the remaining handles without elimination */
static void unite_right_sides(lw_dca *d, int step, double *scratch)
{
  const lwi_dca_step *s = &d->step[step];
  const mobility left = mobility_of(d, s->left, scratch), right = mobility_of(d, s->right, scratch);
  const mobility out = mobility_of(d, step, scratch);
  for (int i = 0; i < s->nout; i++)
    memcpy(out.z + LWI_ROW * i, inner_z(&left, &right, s->handle[i]), LWI_ROW * sizeof(double));
}

/* ---- another right side ---- */

/* v = c - (z_b - phi* z_a), y = N v, Y = N^T y, znew_j = z_j + G_j^T y */
static inline void sweep_edge(lw_dca *d, int step, double *scratch)
{
  const lwi_dca_step *s = &d->step[step];
  const mobility left = mobility_of(d, s->left, scratch), right = mobility_of(d, s->right, scratch);
  const mobility out = mobility_of(d, step, scratch);
  const double *r = lwi_dca_kept_arm(s->kept), *N = lwi_dca_kept_rows(s->kept), *G = N + 6 * s->m;
  double v[6], y[6];
  memcpy(v, d->edge[s->edge].given, sizeof v);
  subtract_relative(s, &left, &right, r, v);
  row Y = row_zero();
  for (int i = 0; i < s->m; i++, N += 6) {
    y[i] = s->edge_kind == LWI_DCA_LIGHT ? -row_dot6(N, v) : row_dot6(N, v);
    Y = row_fma(Y, y[i], row_load(N));
  }
  row_put(s->kept, Y);
  for (int j = 0; j < s->nout; j++) {
    row z = row_load(inner_z(&left, &right, s->handle[j]));
    for (int i = 0; i < s->m; i++, G += 6)
      z = row_fma(z, y[i], row_load(G));
    row_store(out.z + LWI_ROW * j, z);
  }
}

#endif
