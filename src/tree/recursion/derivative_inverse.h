/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_inverse.h -- the inverse of the mass matrix from the articulated-body factors, and its
   product with the derivatives of inverse dynamics.

   Column c of M^-1 is the response to a unit load on freedom c.  All columns are swept inward and
   outward together, as rows of numbers: loads of the subtree's columns inward, accelerations of all
   later columns outward (the matrix is symmetric).  All quantities are about the origin of the
   tree's first link, so that nothing is shifted in between.  After [Carpentier2018b]; innovations
   form of docs/theory/tree.md.  O(n^2), and O(n^3) for the product. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_INVERSE_H
#define LWI_TREE_RECURSION_DERIVATIVE_INVERSE_H
#include "tree/recursion/derivative_elements.h"

/* row[c] -= scale * a^T H(., c), then H(., c) += b row[c], for c = first ... last - 1 */
static inline void pass_row(double *restrict row, double *restrict H, size_t ld, size_t first,
                            size_t last, const double a[6], double scale, const double b[6])
{
  double *restrict h0 = H, *restrict h1 = H + ld, *restrict h2 = H + 2 * ld,
                   *restrict h3 = H + 3 * ld, *restrict h4 = H + 4 * ld, *restrict h5 = H + 5 * ld;
  for (size_t c = first; c < last; c++)
    row[c] -= scale * (((a[0] * h0[c] + a[1] * h1[c]) + (a[2] * h2[c] + a[3] * h3[c])) +
                       (a[4] * h4[c] + a[5] * h5[c]));
  for (size_t c = first; c < last; c++) {
    h0[c] += b[0] * row[c];
    h1[c] += b[1] * row[c];
    h2[c] += b[2] * row[c];
    h3[c] += b[3] * row[c];
    h4[c] += b[4] * row[c];
    h5[c] += b[5] * row[c];
  }
}

/* S, U and 1/D of a freedom as plain numbers */
typedef struct {
  double S[6], U[6], Dinv;
} factor_row;

static inline factor_row get_factor(const lw_model *m, const lwi_tree_work *w,
                                    const lwi_derivative_work *d, int link, int k)
{
  const lwi_link *L = &m->link[link];
  const freedom *fr = &w->freedom[L->column + k];
  factor_row f = {.Dinv = k < L->inertialess ? 0 : real_lane(fr->Dinv, 0)};
  put_load(fr->U, d->arm[link], f.U);
  for (int c = 0; c < 6; c++)
    f.S[c] = d->table.S[c][L->column + k];
  return f;
}

static void invert_inward(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d)
{
  const size_t ld = (size_t)d->ld;
  memset(d->handed, 0, 6 * ld * sizeof(double));
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    for (int k = 0; k < L->nu; k++) {
      const factor_row f = get_factor(m, w, d, i, k);
      const size_t r = (size_t)(L->column + k), first = (size_t)L->column;
      double *row = d->Minv + r * ld;
      memset(row + first, 0, (ld - first) * sizeof(double));
      row[r] = f.Dinv;
      pass_row(row, d->handed, ld, first, (size_t)d->subtree_end[i], f.S, f.Dinv, f.U);
    }
  }
}

static void invert_outward(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d)
{
  const size_t ld = (size_t)d->ld, nu = (size_t)m->nu, size = 6 * ld * sizeof(double);
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    if (L->parent == 0)
      memset(d->handed, 0, size);
    else if (!L->hands_on)
      memcpy(d->handed, d->branch_handed + (size_t)m->link[L->parent].branch * 6 * ld, size);
    for (int k = L->nu - 1; k >= 0; k--) {
      const factor_row f = get_factor(m, w, d, i, k);
      double *row = d->Minv + (size_t)(L->column + k) * ld;
      pass_row(row, d->handed, ld, (size_t)L->column, nu, f.U, f.Dinv, f.S);
    }
    if (L->branch >= 0) memcpy(d->branch_handed + (size_t)L->branch * 6 * ld, d->handed, size);
  }
}

/* Minv, in link order; after fill_tables and forward dynamics */
static void invert_mass(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d)
{
  invert_inward(m, w, d);
  invert_outward(m, w, d);
}

/* ---- product ---- */

typedef double four __attribute__((vector_size(32), may_alias));

/* a block of 4 rows and 8 columns of Minv T */
static inline void multiply_block(const double *A, size_t lda, const double *B, double *C,
                                  size_t ldb, size_t n)
{
  four c[4][2] = {{{0}}};
  for (size_t k = 0; k < n; k++) {
    const four *b = (const four *)(const void *)(B + k * ldb);
    for (size_t i = 0; i < 4; i++) {
      c[i][0] += A[i * lda + k] * b[0];
      c[i][1] += A[i * lda + k] * b[1];
    }
  }
  for (size_t i = 0; i < 4; i++) {
    four *out = (four *)(void *)(C + i * ldb);
    out[0] = c[i][0];
    out[1] = c[i][1];
  }
}

static void multiply_matrices(const lw_model *m, lwi_derivative_work *d)
{
  const size_t ld = (size_t)d->ld;
  for (size_t j = 0; j < 2 * ld; j += 8)
    for (size_t i = 0; i < (size_t)d->rows; i += 4)
      multiply_block(d->Minv + i * ld, ld, d->T + j, d->product + i * 2 * ld + j, 2 * ld,
                     (size_t)m->nu);
}

/* ---- results in the caller's order ---- */

static bool in_order(const lw_model *m)
{
  for (int k = 0; k < m->nu; k++)
    if (m->column_u[k] != k) return false;
  return true;
}

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

/* a = a^T, from the upper triangle */
static void mirror_upper(double *a, size_t n, size_t ld)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      a[i * ld + j] = a[j * ld + i];
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
  if (by->udot) mirror_upper(d->M, (size_t)m->nu, ld);
  put_matrix(m, d->M, ld, 1, by->udot);
}

/* After forward dynamics with the same state, and loads. */
static void derive_forward(const lw_model *m, lwi_tree_work *w, lwi_derivative_work *d,
                           const double *q, const double *u, const double *udot,
                           const lw_forward_matrices *by)
{
  const size_t ld = (size_t)d->ld;
  fill_all(m, w, d, q, u, udot);
  invert_mass(m, w, d);
  mirror_upper(d->Minv, (size_t)m->nu, ld);
  multiply_matrices(m, d);
  put_matrix(m, d->product, 2 * ld, -1, by->q);
  put_matrix(m, d->product + ld, 2 * ld, -1, by->u);
  put_matrix(m, d->Minv, ld, 1, by->tau);
}

#endif
