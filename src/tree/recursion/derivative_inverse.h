/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_inverse.h -- the inverse of the mass matrix from the articulated-body factors, and its
   product with the derivatives of inverse dynamics.

   Columns of both are responses to loads on the freedoms: unit loads, and the columns of T.  A few
   columns at a time are swept inward, loads handed from link to link, and outward, accelerations:
   the innovations form of docs/theory/tree.md; after [Carpentier2018b].  All quantities are about
   the origin of the tree's first link, so that nothing is shifted in between.  O(n^2). */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_INVERSE_H
#define LWI_TREE_RECURSION_DERIVATIVE_INVERSE_H
#include "tree/recursion/derivative_elements.h"

/* S, U and 1/D of every freedom as plain numbers */
static void fill_factors(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d)
{
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    for (int k = 0; k < L->nu; k++) {
      const freedom *fr = &w->freedom[L->column + k];
      factor_row *f = &d->factor[L->column + k];
      f->Dinv = k < L->inertialess ? 0 : real_lane(fr->Dinv, 0);
      put_load(fr->U, d->arm[i], f->U);
      for (int c = 0; c < 6; c++)
        f->S[c] = d->table.S[c][L->column + k];
    }
  }
}

/* ---- responses to loads ---- */

/* row = part in - scale a^T h, h += b row */
static inline void pass_columns(passed_columns *h, const double *in, double part, double scale,
                                const double a[6], const double b[6], double *row)
{
  for (int k = 0; k < PASSED / 4; k++) {
    const passed_four x = h->part[k];
    const four out = part * ((const four *)(const void *)in)[k] -
                     scale * (((a[0] * x.x[0] + a[1] * x.x[1]) + (a[2] * x.x[2] + a[3] * x.x[3])) +
                              (a[4] * x.x[4] + a[5] * x.x[5]));
    h->part[k] = (passed_four){{x.x[0] + b[0] * out, x.x[1] + b[1] * out, x.x[2] + b[2] * out,
                                x.x[3] + b[3] * out, x.x[4] + b[4] * out, x.x[5] + b[5] * out}};
    ((four *)(void *)row)[k] = out;
  }
}
static inline void add_columns(passed_columns *a, const passed_columns *b)
{
  for (int k = 0; k < PASSED / 4; k++)
    for (int c = 0; c < 6; c++)
      a->part[k].x[c] += b->part[k].x[c];
}

/* PASSED columns of loads, and of responses to them */
typedef struct {
  const double *loads; /* NULL: unit loads on the freedoms from `first` on */
  double *out;
  size_t ld;
  int first, end; /* freedoms inward of `first`, and from there up to `end`, have loads outward */
  int rows;       /* of responses that are wanted */
} column_block;

/* the loads on a freedom */
static inline const double *loads_on(const column_block *x, int row)
{
  static const double unit[2 * PASSED] = {[PASSED] = 1};
  const int k = row - x->first;
  if (x->loads) return x->loads + (size_t)row * x->ld;
  return k >= 0 && k < PASSED ? unit + PASSED - k : unit;
}

/* rows of Dinv (loads - S^T h), of which loads h = U row are handed inward */
static void sweep_inward(const lw_model *m, const lwi_derivative_work *d, const column_block *x)
{
  passed_columns handed = {0};
  bool arrives = false;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const bool idle = L->column >= x->end || d->subtree_end[i] <= x->first;
    if (!arrives) handed = (passed_columns){0};
    if (L->branch >= 0) add_columns(&handed, &d->branch_columns[L->branch]);
    for (int k = L->column; k < L->column + L->nu; k++) {
      const factor_row *f = &d->factor[k];
      double *row = x->out + (size_t)k * x->ld;
      if (!idle)
        pass_columns(&handed, loads_on(x, k), f->Dinv, f->Dinv, f->S, f->U, row);
      else if (k < x->rows)
        memset(row, 0, PASSED * sizeof *row);
    }
    arrives = L->hands_on;
    if (L->hands_on || L->parent == 0) continue;
    passed_columns *sum = &d->branch_columns[m->link[L->parent].branch];
    if (L->last)
      *sum = handed;
    else
      add_columns(sum, &handed);
  }
}

/* rows minus Dinv U^T h, of which accelerations h = S row are handed outward */
static void sweep_outward(const lw_model *m, const lwi_derivative_work *d, const column_block *x)
{
  passed_columns handed = {0};
  for (int i = 1; i < m->nlink && m->link[i].column < x->rows; i++) {
    const lwi_link *L = &m->link[i];
    if (L->parent == 0)
      handed = (passed_columns){0};
    else if (!L->hands_on)
      handed = d->branch_columns[m->link[L->parent].branch];
    for (int k = L->column + L->nu - 1; k >= L->column; k--) {
      const factor_row *f = &d->factor[k];
      double *row = x->out + (size_t)k * x->ld;
      pass_columns(&handed, row, 1, f->Dinv, f->U, f->S, row);
    }
    if (L->branch >= 0) d->branch_columns[L->branch] = handed;
  }
}

/* the upper triangle of Minv, in link order; after fill_factors */
static void invert_mass(const lw_model *m, lwi_derivative_work *d)
{
  const size_t ld = (size_t)d->ld;
  for (int at = 0; at < m->nu; at += PASSED) {
    const column_block x = {NULL, d->Minv + at, ld, at, at + PASSED, at + PASSED};
    sweep_inward(m, d, &x);
    sweep_outward(m, d, &x);
  }
}

/* One half of Minv T, by q or by u; after fill_factors.  Freedoms of other branches have no loads,
   unless forces couple them. */
static void multiply_half(const lw_model *m, lwi_derivative_work *d, size_t half, bool coupled)
{
  const size_t ld = 2 * (size_t)d->ld;
  for (int at = 0; at < m->nu; at += PASSED) {
    const size_t column = half + (size_t)at;
    column_block x = {d->T + column, d->product + column, ld, coupled ? 0 : at, m->nu, m->nu};
    for (int k = at, end = 0; k < at + PASSED && k < m->nu && !coupled; k++)
      x.end = end = d->column_end[k] > end ? d->column_end[k] : end;
    sweep_inward(m, d, &x);
    sweep_outward(m, d, &x);
  }
}

/* ---- results in the caller's order ---- */

static void put_matrix(const lw_model *m, const double *from, size_t ld, double sign, double *out)
{
  const size_t nu = (size_t)m->nu;
  const bool same = in_order(m);
  for (size_t i = 0; i < nu && out; i++) {
    const double *restrict in = from + i * ld;
    double *restrict row = out + (size_t)m->column_u[i] * nu;
    for (size_t j = 0; j < nu && same; j++)
      row[j] = sign * in[j];
    for (size_t j = 0; j < nu && !same; j++)
      row[m->column_u[j]] = sign * in[j];
  }
}

/* a symmetric matrix, of which only the upper triangle is given; by tiles, which stay in the
   cache */
static inline void put_tiles(const lw_model *m, const bool same, const double *restrict from,
                             size_t ld, double *restrict out)
{
  const size_t tile = 32, n = (size_t)m->nu;
  for (size_t a = 0; a < n; a += tile)
    for (size_t b = a; b < n; b += tile)
      for (size_t i = a; i < n && i < a + tile; i++) {
        const size_t row = same ? i : (size_t)m->column_u[i];
        for (size_t j = b > i ? b : i; j < n && j < b + tile; j++) {
          const size_t column = same ? j : (size_t)m->column_u[j];
          out[row * n + column] = out[column * n + row] = from[i * ld + j];
        }
      }
}
static void put_symmetric(const lw_model *m, const double *from, size_t ld, double *out)
{
  if (!out) return;
  if (in_order(m))
    put_tiles(m, true, from, ld, out);
  else
    put_tiles(m, false, from, ld, out);
}

static void fill_all(const lw_model *m, lwi_tree_work *w, lwi_derivative_work *d, const double *q,
                     const double *u, const double *udot)
{
  if (has_elements(m)) memset(d->T, 0, (size_t)d->rows * 2 * (size_t)d->ld * sizeof(double));
  fill_matrices(m, w, d, (const real *)u, (const real *)udot);
  add_elements(m, w, d, q, u);
}

/* After inverse dynamics with the same state. */
static void derive_inverse(const lw_model *m, lwi_tree_work *w, lwi_derivative_work *d,
                           const double *q, const double *u, const double *udot,
                           const lw_inverse_matrices *by)
{
  const size_t ld = (size_t)d->ld;
  fill_all(m, w, d, q, u, udot);
  put_matrix(m, d->T, 2 * ld, 1, by->q);
  put_matrix(m, d->T + ld, 2 * ld, 1, by->u);
  put_symmetric(m, d->M, ld, by->udot);
}

/* After forward dynamics with the same state, and loads. */
static void derive_forward(const lw_model *m, lwi_tree_work *w, lwi_derivative_work *d,
                           const double *q, const double *u, const double *udot,
                           const lw_forward_matrices *by)
{
  const size_t ld = (size_t)d->ld;
  if (by->q || by->u)
    fill_all(m, w, d, q, u, udot);
  else if (by->tau)
    fill_tables(m, w, d, (const real *)u, (const real *)udot);
  else
    return;
  fill_factors(m, w, d);
  if (by->q) multiply_half(m, d, 0, has_elements(m));
  if (by->u) multiply_half(m, d, ld, has_elements(m));
  put_matrix(m, d->product, 2 * ld, -1, by->q);
  put_matrix(m, d->product + ld, 2 * ld, -1, by->u);
  if (!by->tau) return;
  invert_mass(m, d);
  put_symmetric(m, d->Minv, ld, by->tau);
}

#endif
