/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_columns.h -- columns of loads on the freedoms: unit loads, and the columns of T, the derivatives of
   inverse dynamics, which are computed where a sweep uses them (derivative_inverse.h).

   A pack is as many columns of one matrix as fill a vector, a block up to PACKS packs of any matrices: what
   sweeps compute with side by side. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_COLUMNS_H
#define LWI_TREE_RECURSION_DERIVATIVE_COLUMNS_H
#include "tree/recursion/derivative_elements.h"

typedef enum { UNIT_LOADS, BY_POSITION, BY_SPEED } column_kind;

/* a range of freedoms in link order, and which links have loads on them or outward of them */
typedef struct {
  int first, end; /* least freedom of the columns, largest end of their subtrees */
} load_range;

/* Lane k is column at + k of a matrix, in the caller's order; lanes past the last one are never stored. */
typedef struct {
  column_kind kind;
  int at, count;
  double sign, *out;               /* of the responses: sign times them, into this matrix */
  load_range range;                /* of links with loads */
  int last, last_after, first_end; /* of all lanes: largest freedom, largest `after`, least `end` */
  const pack *number, *after, *end; /* freedom, first one after its joint and after its subtree */
  /* columns of T: entries with freedoms inward are S^T G, outward F^T X + t^T Y */
  const pack *G[6], *X[6], *Y[3];
  const double *T;      /* stored columns of T instead; NULL: none */
  int freedom[LW_WIDE]; /* in link order */
  pack lanes[18];       /* of the pointers, where the columns are not neighbours in link order */
} column_pack;

typedef struct {
  int packs;
  column_pack part[PACKS];
  load_range range;
  int nrow; /* responses of speeds from here on are not wanted */
} column_block;

static inline const pack *lanes_of(const lwi_tree_work *w, column_pack *x, int i,
                                   const double *from)
{
  if (w->in_order) return (const pack *)(const void *)(from + x->at);
  for (int k = 0; k < LW_WIDE; k++)
    ((double *)(void *)&x->lanes[i])[k] = from[x->freedom[k]];
  return &x->lanes[i];
}

static inline load_range joined(load_range a, load_range b)
{
  return (load_range){a.first < b.first ? a.first : b.first, a.end > b.end ? a.end : b.end};
}

/* which freedoms, and what is outward of them */
static inline void choose_lanes(const lw_model *m, const lwi_derivative_work *d, column_pack *x)
{
  x->range = (load_range){m->nu, 0};
  x->last = x->last_after = 0;
  x->first_end = m->nu;
  for (int k = 0; k < LW_WIDE; k++) {
    const int column = d->u_column[k < x->count ? x->at + k : x->at];
    const int link = d->link_of[column], end = d->subtree_end[link];
    const int after = m->link[link].column + m->link[link].nu;
    x->freedom[k] = column;
    x->range = joined(x->range, (load_range){column, end});
    if (column > x->last) x->last = column;
    if (after > x->last_after) x->last_after = after;
    if (end < x->first_end) x->first_end = end;
  }
  if (x->kind == UNIT_LOADS) x->range.end = x->last + 1;
  if (x->T) x->range = (load_range){0, m->nu}; /* forces couple freedoms of different branches */
}

static inline void choose_columns(const lw_model *m, const lwi_tree_work *w,
                                  const lwi_derivative_work *d, column_kind kind, int at,
                                  double *out, column_pack *x)
{
  const freedom_table *t = &d->table;
  const bool speeds = kind == BY_SPEED;
  x->kind = kind;
  x->at = at;
  x->count = at + LW_WIDE < m->nu ? LW_WIDE : m->nu - at;
  x->sign = kind == UNIT_LOADS ? 1 : -1;
  x->out = out;
  x->T = kind != UNIT_LOADS && d->T ? d->T + (speeds ? d->ld : 0) : NULL;
  choose_lanes(m, d, x);
  x->number = lanes_of(w, x, 0, t->number);
  if (kind == UNIT_LOADS || x->T) return;
  x->after = lanes_of(w, x, 1, t->after);
  x->end = lanes_of(w, x, 2, t->end);
  for (int c = 0; c < 6; c++) {
    x->G[c] = lanes_of(w, x, 3 + c, speeds ? t->Gu[c] : t->Gq[c]);
    x->X[c] = lanes_of(w, x, 9 + c, speeds ? t->P[c] : t->X[c]);
  }
  for (int c = 0; c < 3; c++)
    x->Y[c] = lanes_of(w, x, 15 + c, speeds ? t->S[c] : t->Y[c]);
}

static inline pack pack_of(double a)
{
  return a - (pack){0};
}
static inline pack pack_where(pack_mask mask, pack a)
{
  return (pack)(mask & (pack_mask)a);
}
static inline pack product_of_six(const double a[6], const pack b[6])
{
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}
static inline pack product_of_nine(const double a[6], const pack b[6], const double y[3],
                                   const pack z[3])
{
  return product_of_six(a, b) + ((y[0] * z[0] + y[1] * z[1]) + y[2] * z[2]);
}

/* is there no load on the freedoms of a link and outward of it? */
static inline bool is_idle(const lw_model *m, const lwi_derivative_work *d, load_range x, int i)
{
  return m->link[i].column >= x.end || d->subtree_end[i] <= x.first;
}

/* The links that loads pass on their way inward: up to the first link with a load all links, from there those
   inward of it. */
static inline int last_loaded(const lwi_derivative_work *d, load_range x)
{
  return d->link_of[x.end - 1];
}
static inline int next_inward(const lw_model *m, int first, int i)
{
  return i > first ? i - 1 : m->link[i].parent;
}

/* Row r of T; masks are needed only where not all columns are outward of its joint, or inward. */
static inline pack row_of_pack(const lwi_derivative_work *d, const column_pack *x,
                               const lwi_link *L, int end, int r, const pack G[6], const pack X[6],
                               const pack Y[3])
{
  const freedom_table *t = &d->table;
  const int first = L->column, after = first + L->nu;
  const double *S = d->factor[r].S;
  if (x->range.first >= after && x->range.end <= end) return product_of_six(S, G);
  const double F[6] = {t->F[0][r], t->F[1][r], t->F[2][r], t->F[3][r], t->F[4][r], t->F[5][r]},
               y[3] = {t->t[0][r], t->t[1][r], t->t[2][r]};
  if (x->last_after <= first && x->first_end > r) return product_of_nine(F, X, y, Y);
  pack out = pack_where((*x->number >= pack_of(after)) & (*x->number < pack_of(end)),
                        product_of_six(S, G)) +
             pack_where((*x->after <= pack_of(first)) & (*x->end > pack_of(r)),
                        product_of_nine(F, X, y, Y));
  const double *own = x->kind == BY_SPEED ? d->own[r].by_u : d->own[r].by_q;
  for (int j = 0; j < L->nu; j++) {
    const int k = L->u + j - x->at;
    if (k >= 0 && k < LW_WIDE) out[k] = own[j];
  }
  return out;
}

/* pack p of the loads on all freedoms that a sweep of the block inward visits */
static inline void fill_loads_of_T(const lw_model *m, lwi_derivative_work *d, const column_block *b,
                                   int p)
{
  const column_pack *x = &b->part[p];
  const int first = d->link_of[b->range.first];
  pack G[6], X[6], Y[3];
  for (int c = 0; c < 6; c++)
    G[c] = *x->G[c], X[c] = *x->X[c];
  for (int c = 0; c < 3; c++)
    Y[c] = *x->Y[c];
  for (int i = last_loaded(d, b->range); i > 0; i = next_inward(m, first, i)) {
    const lwi_link *L = &m->link[i];
    const bool idle = is_idle(m, d, x->range, i);
    for (int r = L->column; r < L->column + L->nu; r++)
      d->panel[r][p] = idle ? pack_of(0) : row_of_pack(d, x, L, d->subtree_end[i], r, G, X, Y);
  }
}

/* the same of unit loads and of stored columns of T */
static inline void fill_other_loads(const lw_model *m, const lwi_tree_work *w,
                                    lwi_derivative_work *d, const column_block *b, int p)
{
  const column_pack *x = &b->part[p];
  const int first = d->link_of[b->range.first];
  column_pack row = *x;
  for (int i = last_loaded(d, b->range); i > 0; i = next_inward(m, first, i))
    for (int r = m->link[i].column; r < m->link[i].column + m->link[i].nu; r++)
      d->panel[r][p] = x->T ? *lanes_of(w, &row, 3, x->T + (size_t)r * 2 * (size_t)d->ld)
                            : pack_where(*x->number == pack_of(r), pack_of(1));
}

static inline void fill_panel(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                              const column_block *b)
{
  for (int p = 0; p < b->packs; p++)
    if (b->part[p].kind == UNIT_LOADS || b->part[p].T)
      fill_other_loads(m, w, d, b, p);
    else
      fill_loads_of_T(m, d, b, p);
}

#endif
