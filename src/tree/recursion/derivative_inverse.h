/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_inverse.h -- the inverse of the mass matrix from the articulated-body factors, and its
   product with the derivatives of inverse dynamics.

   Columns of both are responses to loads on the freedoms: unit loads, and the columns of T, which are computed
   where they are used.  Several columns at a time are swept inward, loads handed from link to link, and outward,
   accelerations: the innovations form of docs/theory/tree.md; after [Carpentier2018b].  All quantities are
   about the origin of the tree's first link, so that nothing is shifted in between.  Links without
   loads outward of them are not visited inward.  O(n^2). */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_INVERSE_H
#define LWI_TREE_RECURSION_DERIVATIVE_INVERSE_H
#include "tree/recursion/derivative_columns.h"

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
static inline __attribute__((always_inline)) void pass_columns(passed_columns *h, int packs,
                                                               const pack *in, double part,
                                                               double scale, const double a[6],
                                                               const double b[6], pack *row)
{
#pragma GCC unroll 4
  for (int k = 0; k < packs; k++) {
    const passed_pack x = h->part[k];
    const pack out = part * in[k] -
                     scale * (((a[0] * x.x[0] + a[1] * x.x[1]) + (a[2] * x.x[2] + a[3] * x.x[3])) +
                              (a[4] * x.x[4] + a[5] * x.x[5]));
    h->part[k] = (passed_pack){{x.x[0] + b[0] * out, x.x[1] + b[1] * out, x.x[2] + b[2] * out,
                                x.x[3] + b[3] * out, x.x[4] + b[4] * out, x.x[5] + b[5] * out}};
    row[k] = out;
  }
}
static inline void add_columns(passed_columns *a, const passed_columns *b, int packs)
{
#pragma GCC unroll 4
  for (int k = 0; k < packs; k++)
    for (int c = 0; c < 6; c++)
      a->part[k].x[c] += b->part[k].x[c];
}

/* panel = Dinv (loads - S^T h), of which loads h = U panel are handed inward */
static inline __attribute__((always_inline)) void
sweep_inward(const lw_model *m, lwi_derivative_work *d, const column_block *x, int packs)
{
  const int first = d->link_of[x->range.first];
  passed_columns handed = {0};
  bool arrives = false;
  for (int i = last_loaded(d, x->range); i > 0; i = next_inward(m, first, i)) {
    const lwi_link *L = &m->link[i];
    if (!arrives) handed = (passed_columns){0};
    if (L->branch >= 0) {
      add_columns(&handed, &d->branch_load[L->branch], packs);
      d->branch_load[L->branch] = (passed_columns){0};
    }
    const bool idle = is_idle(m, d, x->range, i);
    for (int k = L->column; k < L->column + L->nu && !idle; k++) {
      const factor_row *f = &d->factor[k];
      pass_columns(&handed, packs, d->panel[k], f->Dinv, f->Dinv, f->S, f->U, d->panel[k]);
    }
    arrives = L->hands_on;
    if (!L->hands_on && L->parent > 0)
      add_columns(&d->branch_load[m->link[L->parent].branch], &handed, packs);
  }
}

/* the row of speed u; a call of memcpy would empty the registers */
static inline __attribute__((always_inline)) void put_packs(const column_block *x, const pack *row,
                                                            int packs, size_t u, size_t nu)
{
#pragma GCC unroll 4
  for (int k = 0; k < packs; k++) {
    const column_pack *part = &x->part[k];
    double *to = part->out + u * nu + part->at;
    const pack out = part->sign * row[k];
    if (part->count == LW_WIDE)
      *(pack *)(void *)to = out;
    else
      for (int j = 0; j < part->count; j++)
        to[j] = out[j];
  }
}

/* Rows minus Dinv U^T h, of which accelerations h = S row are handed outward.  Subtrees without a speed below
   nrow are left out. */
static inline __attribute__((always_inline)) void
sweep_outward(const lw_model *m, lwi_derivative_work *d, const column_block *x, int packs)
{
  static const pack nothing[PACKS];
  passed_columns handed = {0};
  for (int i = 1; i < m->nlink;) {
    if (d->least_u[i] >= x->nrow) {
      i = d->link_end[i];
      continue;
    }
    const lwi_link *L = &m->link[i];
    if (L->parent == 0)
      handed = (passed_columns){0};
    else if (!L->hands_on)
      handed = d->branch_motion[m->link[L->parent].branch];
    const bool idle = is_idle(m, d, x->range, i);
    for (int k = L->column + L->nu - 1; k >= L->column; k--) {
      const factor_row *f = &d->factor[k];
      pack row[PACKS] = {{0}};
      pass_columns(&handed, packs, idle ? nothing : d->panel[k], 1, f->Dinv, f->U, f->S, row);
      put_packs(x, row, packs, (size_t)m->column_u[k], (size_t)m->nu);
    }
    if (L->branch >= 0) d->branch_motion[L->branch] = handed;
    i++;
  }
}

/* both sweeps, compiled for each number of packs */
static inline __attribute__((always_inline)) void
sweep_packs(const lw_model *m, lwi_derivative_work *d, const column_block *x, int packs)
{
  sweep_inward(m, d, x, packs);
  sweep_outward(m, d, x, packs);
}
static void sweep(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                  column_block *x)
{
  if (x->packs == 0) return;
  fill_panel(m, w, d, x);
  switch (x->packs) {
  case 1: sweep_packs(m, d, x, 1); break;
  case 2: sweep_packs(m, d, x, 2); break;
  case 3: sweep_packs(m, d, x, 3); break;
  default: sweep_packs(m, d, x, PACKS);
  }
  x->packs = 0;
}

/* Responses to all columns of a kind are put off until a block is full: those of several matrices share the
   last ones. */
static void respond(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                    column_kind kind, double *out, column_block *x)
{
  for (int at = 0; at < m->nu; at += LW_WIDE) {
    column_pack *part = &x->part[x->packs];
    choose_columns(m, w, d, kind, at, out, part);
    const int nrow = kind == UNIT_LOADS ? at + LW_WIDE : m->nu; /* upper triangle of Minv */
    x->nrow = x->packs && x->nrow > nrow ? x->nrow : nrow;
    x->range = x->packs ? joined(x->range, part->range) : part->range;
    if (++x->packs == PACKS) sweep(m, w, d, x);
  }
}

/* Minv and -Minv T, by q and by u; after fill_factors */
static void find_responses(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                           const lw_forward_matrices *by)
{
  column_block x;
  x.packs = 0;
  if (by->q) respond(m, w, d, BY_POSITION, by->q, &x);
  if (by->u) respond(m, w, d, BY_SPEED, by->u, &x);
  if (by->tau) respond(m, w, d, UNIT_LOADS, by->tau, &x);
  sweep(m, w, d, &x);
  if (!by->tau) return;
  const matrix_out all = {.M = by->tau, .nu = (size_t)m->nu, .stride = 1, .count = 1};
  mirror_upper(&all);
}

/* ---- rows in the caller's order ---- */

/* entries first ... last - 1 of a row in link order */
static inline void put_range(const lw_model *m, const lwi_tree_work *w, const double *restrict row,
                             int first, int last, double *restrict out)
{
  if (w->in_order)
    memcpy(out + first, row + first, (size_t)(last - first) * sizeof(double));
  else
    for (int k = first; k < last; k++)
      out[m->column_u[k]] = row[k];
}

/* the row of a freedom: entries with all freedoms outward and inward of it; the others are zero, unless T is
   stored */
static void put_related(const lw_model *m, const lwi_tree_work *w, const lwi_derivative_work *d,
                        int column, const double *row, double *out)
{
  const int link = d->link_of[column];
  const lwi_link *L = &m->link[link];
  double *to = out + (size_t)m->column_u[column] * (size_t)m->nu;
  if (d->T) {
    put_range(m, w, row, 0, m->nu, to);
    return;
  }
  if (!w->skips_zeros && !is_full(m)) memset(to, 0, (size_t)m->nu * sizeof(double));
  put_range(m, w, row, L->column, d->subtree_end[link], to);
  for (int b = m->before[L->column]; b >= 0; b = m->before[m->run_start[b]])
    put_range(m, w, row, m->run_start[b], b + 1, to);
}

/* the same of the lower triangle of M */
static void put_lower(const lw_model *m, const lwi_tree_work *w, const matrix_out *o, int column,
                      const double *row)
{
  const int u = m->column_u[column];
  for (int b = column; b >= 0; b = m->before[m->run_start[b]]) {
    if (o->mirror && w->in_order)
      put_range(m, w, row, m->run_start[b], b + 1, entry(o, (size_t)u, 0));
    else
      for (int k = m->run_start[b]; k <= b; k++)
        put_entry(o, u, m->column_u[k], row[k]);
  }
}

/* ---- derivatives ---- */

/* T where it is stored, with the loads of force elements */
static void fill_stored(const lw_model *m, lwi_tree_work *w, lwi_derivative_work *d,
                        const double *q, const double *u)
{
  const size_t ld = (size_t)d->ld;
  if (!d->T) return;
  memset(d->T, 0, (size_t)d->rows * 2 * ld * sizeof(double));
  for (int k = 0; k < m->nu; k++) {
    double *row = d->T + (size_t)k * 2 * ld;
    fill_row(m, d, k, &(row_out){row, row + ld, NULL});
  }
  add_elements(m, w, d, q, u);
}

/* After inverse dynamics with the same state. */
static void derive_inverse(const lw_model *m, lwi_tree_work *w, lwi_derivative_work *d,
                           const double *q, const double *u, const double *udot,
                           const lw_inverse_matrices *by)
{
  const size_t ld = (size_t)d->ld;
  const matrix_out M = full_matrix(m, w, by->udot, 1, 1);
  if (by->udot && !w->skips_zeros) clear_matrix(m, &M);
  fill_loads_of_all(m, w, d, (const real *)u, (const real *)udot);
  fill_stored(m, w, d, q, u);
  for (int k = 0; k < m->nu; k++) {
    double *row = d->T ? d->T + (size_t)k * 2 * ld : d->row;
    const bool open = !d->T; /* else it is there */
    fill_row(m, d, k,
             &(row_out){open && by->q ? row : NULL, open && by->u ? row + ld : NULL,
                        by->udot ? d->row + 2 * ld : NULL});
    if (by->q) put_related(m, w, d, k, row, by->q);
    if (by->u) put_related(m, w, d, k, row + ld, by->u);
    if (by->udot) put_lower(m, w, &M, k, d->row + 2 * ld);
  }
  if (by->udot && M.mirror) mirror_rows(&M, 0, M.nu);
}

/* After forward dynamics with the same state, and loads. */
static void derive_forward(const lw_model *m, lwi_tree_work *w, lwi_derivative_work *d,
                           const double *q, const double *u, const double *udot,
                           const lw_forward_matrices *by)
{
  if (m->nu == 0) return;
  if (by->q || by->u) {
    fill_loads_of_all(m, w, d, (const real *)u, (const real *)udot);
    fill_stored(m, w, d, q, u);
  } else if (by->tau) {
    fill_arms(m, w, d);
  }
  fill_factors(m, w, d);
  find_responses(m, w, d, by);
}

#endif
