/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_inverse.h -- the inverse of the mass matrix from the articulated-body factors, and its
   product with the derivatives of inverse dynamics.

   Columns of both are responses to loads on the freedoms: unit loads, and the columns of T, which are computed
   where they are used.  A few columns at a time are swept inward, loads handed from link to link, and outward,
   accelerations: the innovations form of docs/theory/tree.md; after [Carpentier2018b].  All quantities are
   about the origin of the tree's first link, so that nothing is shifted in between.  Links without
   loads outward of them are not visited inward.  O(n^2). */
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
static inline void pass_columns(passed_columns *h, const four *in, double part, double scale,
                                const double a[6], const double b[6], double *row)
{
  for (int k = 0; k < FOURS; k++) {
    const passed_four x = h->part[k];
    const four out = part * in[k] -
                     scale * (((a[0] * x.x[0] + a[1] * x.x[1]) + (a[2] * x.x[2] + a[3] * x.x[3])) +
                              (a[4] * x.x[4] + a[5] * x.x[5]));
    h->part[k] = (passed_four){{x.x[0] + b[0] * out, x.x[1] + b[1] * out, x.x[2] + b[2] * out,
                                x.x[3] + b[3] * out, x.x[4] + b[4] * out, x.x[5] + b[5] * out}};
    ((four *)(void *)row)[k] = out;
  }
}
static inline void add_columns(passed_columns *a, const passed_columns *b)
{
  for (int k = 0; k < FOURS; k++)
    for (int c = 0; c < 6; c++)
      a->part[k].x[c] += b->part[k].x[c];
}

/* ---- loads of some columns ---- */

typedef enum { UNIT_LOADS, BY_POSITION, BY_SPEED } column_kind;

/* Lane k is column at + k of the result, in the caller's order; lanes past the last column repeat it. */
typedef struct {
  column_kind kind;
  int at;
  int freedom[PASSED];         /* in link order */
  four number[FOURS];          /* the same ... */
  four after[FOURS];           /* ... the first freedom after those of its joint ... */
  four end[FOURS];             /* ... and after its subtree */
  int first, last, end_of_all; /* of all lanes: least and largest freedom, largest end */
  /* columns of T: entries with freedoms inward are S^T G, outward F^T X + t^T Y */
  four G[6][FOURS], X[6][FOURS], Y[3][FOURS];
  const double *T; /* stored columns of T instead; NULL: none */
} column_block;

static inline void gather_lanes(const column_block *x, const double *from, four to[FOURS])
{
  for (int k = 0; k < FOURS; k++) {
    const int *f = x->freedom + 4 * k;
    to[k] = (four){from[f[0]], from[f[1]], from[f[2]], from[f[3]]};
  }
}

static column_block choose_columns(const lw_model *m, const lwi_derivative_work *d,
                                   column_kind kind, int at)
{
  const bool speeds = kind == BY_SPEED;
  column_block x = {.kind = kind, .at = at, .first = m->nu};
  if (kind != UNIT_LOADS && d->T) x.T = d->T + (speeds ? d->ld : 0);
  for (int k = 0; k < PASSED; k++) {
    const int column = d->u_column[at + k < m->nu ? at + k : m->nu - 1];
    const int link = d->link_of[column], end = d->subtree_end[link];
    const lwi_link *L = &m->link[link];
    x.freedom[k] = column;
    x.number[k / 4][k % 4] = column;
    x.after[k / 4][k % 4] = L->column + L->nu;
    x.end[k / 4][k % 4] = end;
    if (column < x.first) x.first = column;
    if (column > x.last) x.last = column;
    if (end > x.end_of_all) x.end_of_all = end;
  }
  if (kind == UNIT_LOADS) x.end_of_all = x.last + 1;
  if (x.T) x.first = 0, x.end_of_all = m->nu; /* forces couple freedoms of different branches */
  if (kind == UNIT_LOADS || x.T) return x;
  const freedom_table *t = &d->table;
  for (int c = 0; c < 6; c++) {
    gather_lanes(&x, speeds ? t->Gu[c] : t->Gq[c], x.G[c]);
    gather_lanes(&x, speeds ? t->P[c] : t->X[c], x.X[c]);
  }
  for (int c = 0; c < 3; c++)
    gather_lanes(&x, speeds ? t->S[c] : t->Y[c], x.Y[c]);
  return x;
}

static inline four four_of(double a)
{
  return (four){a, a, a, a};
}
static inline four four_where(four_mask mask, four a)
{
  return (four)(mask & (four_mask)a);
}
static inline four product_of_six(const double a[6], four b[6][FOURS], int k)
{
  return ((a[0] * b[0][k] + a[1] * b[1][k]) + (a[2] * b[2][k] + a[3] * b[3][k])) +
         (a[4] * b[4][k] + a[5] * b[5][k]);
}

/* row r of T */
static void row_of_block(const lw_model *m, const lwi_derivative_work *d, column_block *x, int r,
                         four out[FOURS])
{
  const freedom_table *t = &d->table;
  const int link = d->link_of[r], end = d->subtree_end[link];
  const lwi_link *L = &m->link[link];
  const int first = L->column, after = first + L->nu;
  for (int k = 0; k < FOURS; k++)
    out[k] = (four){0};
  if (x->last >= after && x->first < end) {
    const double *S = d->factor[r].S;
    for (int k = 0; k < FOURS; k++)
      out[k] += four_where((x->number[k] >= four_of(after)) & (x->number[k] < four_of(end)),
                           product_of_six(S, x->G, k));
  }
  if (x->first < first) {
    double F[6], y[3];
    for (int c = 0; c < 6; c++)
      F[c] = t->F[c][r];
    for (int c = 0; c < 3; c++)
      y[c] = t->t[c][r];
    for (int k = 0; k < FOURS; k++)
      out[k] += four_where((x->after[k] <= four_of(first)) & (x->end[k] > four_of(r)),
                           product_of_six(F, x->X, k) +
                               ((y[0] * x->Y[0][k] + y[1] * x->Y[1][k]) + y[2] * x->Y[2][k]));
  }
  const double *own = x->kind == BY_SPEED ? d->own[r].by_u : d->own[r].by_q;
  for (int k = 0; k < PASSED && x->first < after && x->last >= first; k++)
    if (x->freedom[k] >= first && x->freedom[k] < after)
      out[k / 4][k % 4] = own[x->freedom[k] - first];
}

/* the loads on a freedom */
static inline void loads_on(const lw_model *m, const lwi_derivative_work *d, column_block *x, int r,
                            four out[FOURS])
{
  if (x->T) {
    gather_lanes(x, x->T + (size_t)r * 2 * (size_t)d->ld, out);
  } else if (x->kind == UNIT_LOADS) {
    for (int k = 0; k < FOURS; k++)
      out[k] = four_where(x->number[k] == four_of(r), four_of(1));
  } else {
    row_of_block(m, d, x, r, out);
  }
}

/* ---- responses to loads ---- */

/* is there no load on the freedoms of a link and outward of it? */
static inline bool is_idle(const lw_model *m, const lwi_derivative_work *d, const column_block *x,
                           int i)
{
  return m->link[i].column >= x->end_of_all || d->subtree_end[i] <= x->first;
}

/* panel = Dinv (loads - S^T h), of which loads h = U panel are handed inward */
static void sweep_inward(const lw_model *m, lwi_derivative_work *d, column_block *x)
{
  const int first = d->link_of[x->first];
  passed_columns handed = {0};
  bool arrives = false;
  /* up to the first link with a load all links, from there those inward of it */
  for (int i = d->link_of[x->end_of_all - 1]; i > 0; i = i > first ? i - 1 : m->link[i].parent) {
    const lwi_link *L = &m->link[i];
    if (!arrives) handed = (passed_columns){0};
    if (L->branch >= 0) {
      add_columns(&handed, &d->branch_load[L->branch]);
      d->branch_load[L->branch] = (passed_columns){0};
    }
    const bool idle = is_idle(m, d, x, i);
    for (int k = L->column; k < L->column + L->nu && !idle; k++) {
      const factor_row *f = &d->factor[k];
      four loads[FOURS];
      loads_on(m, d, x, k, loads);
      pass_columns(&handed, loads, f->Dinv, f->Dinv, f->S, f->U, d->panel[k]);
    }
    arrives = L->hands_on;
    if (!L->hands_on && L->parent > 0)
      add_columns(&d->branch_load[m->link[L->parent].branch], &handed);
  }
}

/* Rows minus Dinv U^T h, of which accelerations h = S row are handed outward.  Subtrees without a speed below
   nrow are left out. */
static void sweep_outward(const lw_model *m, lwi_derivative_work *d, const column_block *x,
                          double sign, int nrow, double *out)
{
  static const four nothing[FOURS];
  const size_t nu = (size_t)m->nu;
  const int count = x->at + PASSED < m->nu ? PASSED : m->nu - x->at;
  passed_columns handed = {0};
  for (int i = 1; i < m->nlink;) {
    if (d->least_u[i] >= nrow) {
      i = d->link_end[i];
      continue;
    }
    const lwi_link *L = &m->link[i];
    if (L->parent == 0)
      handed = (passed_columns){0};
    else if (!L->hands_on)
      handed = d->branch_motion[m->link[L->parent].branch];
    const bool idle = is_idle(m, d, x, i);
    for (int k = L->column + L->nu - 1; k >= L->column; k--) {
      const factor_row *f = &d->factor[k];
      double row[PASSED];
      pass_columns(&handed, idle ? nothing : (const four *)(const void *)d->panel[k], 1, f->Dinv,
                   f->U, f->S, row);
      double *restrict to = out + (size_t)m->column_u[k] * nu + (size_t)x->at;
      if (count == PASSED)
        for (int j = 0; j < PASSED; j++)
          to[j] = sign * row[j];
      else
        for (int j = 0; j < count; j++)
          to[j] = sign * row[j];
    }
    if (L->branch >= 0) d->branch_motion[L->branch] = handed;
    i++;
  }
}

/* after fill_factors */
static void invert_mass(const lw_model *m, lwi_derivative_work *d, double *Minv)
{
  for (int at = 0; at < m->nu; at += PASSED) {
    column_block x = choose_columns(m, d, UNIT_LOADS, at);
    sweep_inward(m, d, &x);
    sweep_outward(m, d, &x, 1, at + PASSED, Minv);
  }
  const matrix_out all = {.M = Minv, .nu = (size_t)m->nu, .stride = 1, .count = 1};
  mirror_upper(&all);
}

/* -Minv T, by q or by u; after fill_factors */
static void multiply(const lw_model *m, lwi_derivative_work *d, column_kind kind, double *out)
{
  for (int at = 0; at < m->nu; at += PASSED) {
    column_block x = choose_columns(m, d, kind, at);
    sweep_inward(m, d, &x);
    sweep_outward(m, d, &x, -1, m->nu, out);
  }
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
    fill_tables(m, w, d, (const real *)u, (const real *)udot);
  }
  fill_factors(m, w, d);
  if (by->q) multiply(m, d, BY_POSITION, by->q);
  if (by->u) multiply(m, d, BY_SPEED, by->u);
  if (by->tau) invert_mass(m, d, by->tau);
}

#endif
