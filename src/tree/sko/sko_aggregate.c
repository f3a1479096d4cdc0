/* SPDX-License-Identifier: Apache-2.0 */
/* sko_aggregate.c -- several nodes as one.  [Jain2012] section 6; for a itself docs/theory/sko.md.

   With E = E_d + E_o, inside and between classes, and A_d = (I - E_d)^-1, block-diagonal over
   classes:
     E_a = E_o A_d,   A_a = A_d^-1 A,   H_a = H A_d,   M_a = M,   a_a = A_d* a,   b_a = b.
   A column block of A_d follows from that of the parent in the same class: A_d(:, l) = A_d(:, p)
   A(p, l), so that H_a and E_a are filled column after column, parents first. */
#include "tree/sko/sko.h"

#include <limits.h>
#include <stdlib.h>

/* ---- structure ---- */

/* sizes of the classes while the model is planned: one block */
typedef struct {
  int *n, *r, *at, *h; /* [nclass] */
  int *row;            /* [source nodes] first row inside the class */
} sizes;

static sizes sizes_carve(int nclass, int nsource, lwi_carver *c)
{
  return (sizes){.n = LWI_CARVE(c, nclass, int),
                 .r = LWI_CARVE(c, nclass, int),
                 .at = LWI_CARVE(c, nclass, int),
                 .h = LWI_CARVE(c, nclass, int),
                 .row = LWI_CARVE(c, nsource, int)};
}

/* False: a class has more rows than an int can count. */
static bool add_sizes(const lw_sko *source, const int class_of[], const sizes *s)
{
  for (int i = 0; i < source->nnode; i++) {
    const int v = source->tree->order[i], c = class_of[v];
    if (source->node[v].n > INT_MAX - s->n[c]) return false;
    s->row[v] = s->n[c];
    s->n[c] += source->node[v].n;
    s->r[c] += source->node[v].r;
  }
  return true;
}

/* Which rows of the parent class the nodes of a class hang on: h is first the row after the
   last. */
static void find_spans(const lw_sko *source, int nclass, const int class_of[], const sizes *s)
{
  for (int c = 0; c < nclass; c++)
    s->at[c] = INT_MAX;
  for (int v = 0; v < source->nnode; v++) {
    const lwi_sko_node *x = &source->node[v];
    const int c = class_of[v];
    if (x->parent < 0 || class_of[x->parent] == c) continue;
    const int first = s->row[x->parent] + x->at, last = first + x->h;
    if (first < s->at[c]) s->at[c] = first;
    if (last > s->h[c]) s->h[c] = last;
  }
  for (int c = 0; c < nclass; c++) {
    if (s->at[c] == INT_MAX) s->at[c] = 0;
    s->h[c] -= s->at[c];
  }
}

/* The source nodes of each class, parents first. */
static void list_items(lw_sko *k, const int class_of[])
{
  const lw_tree *t = k->source->tree;
  for (int i = 0; i < t->nnode; i++)
    k->start[class_of[i] + 1]++;
  for (int c = 0; c < k->nnode; c++)
    k->start[c + 1] += k->start[c];
  for (int i = t->nnode - 1; i >= 0; i--) {
    const int c = class_of[t->order[i]];
    k->item[--k->start[c + 1]] = t->order[i];
  }
  /* every start has moved one place on: move them back */
  for (int c = 0; c < k->nnode; c++)
    k->start[c] = k->start[c + 1];
  k->start[k->nnode] = t->nnode;
}

static lw_sko *build_classes(lw_sko *source, lw_tree *tree, const int class_of[], const sizes *s,
                             lw_error *err)
{
  const lwi_sko_plan plan = {.tree = tree, .n = s->n, .r = s->r, .at = s->at, .h = s->h};
  lw_sko *k = lwi_sko_build_from(source, LWI_SKO_AGGREGATE, plan, err);
  if (!k) return NULL;
  list_items(k, class_of);
  lwi_sko_inherit_maps(k);
  if (source->has_numbers) lw_sko_refresh(k);
  return k;
}

lw_sko *lw_sko_aggregate(lw_sko *source, int nclass, const int class_of[], lw_error *err)
{
  if (!source || (source->nnode && !class_of)) return lwi_refuse(err, LW_E_ARG);
  lw_tree *tree = lw_tree_contract(source->tree, nclass, class_of, err);
  if (!tree) return NULL;
  lwi_carver c = {0};
  sizes_carve(nclass, source->nnode, &c);
  if (!lwi_carver_alloc(&c)) {
    lw_tree_free(tree);
    return lwi_refuse(err, LW_E_MEMORY);
  }
  const sizes s = sizes_carve(nclass, source->nnode, &c);
  lw_sko *k = NULL;
  if (add_sizes(source, class_of, &s)) {
    find_spans(source, nclass, class_of, &s);
    k = build_classes(source, tree, class_of, &s, err);
  } else {
    lw_tree_free(tree);
    lwi_set_status(err, LW_E_MEMORY);
  }
  free(c.base);
  return k;
}

lw_sko *lw_sko_aggregate_set(lw_sko *source, const unsigned char set[], lw_error *err)
{
  if (!source || !set || !lw_tree_can_aggregate(source->tree, set, NULL))
    return lwi_refuse(err, LW_E_ARG);
  int *class_of = (int *)lwi_graph_alloc(((size_t)source->nnode + 1) * sizeof *class_of);
  if (!class_of) return lwi_refuse(err, LW_E_MEMORY);
  const int nclass = lw_tree_set_classes(source->tree, set, class_of);
  lw_sko *k = lw_sko_aggregate(source, nclass, class_of, err);
  free(class_of);
  return k;
}

lw_sko *lw_sko_aggregate_segments(lw_sko *source, lw_error *err)
{
  if (!source) return lwi_refuse(err, LW_E_ARG);
  lw_segments *s = lw_segments_new(source->tree, err);
  if (!s) return NULL;
  lw_sko *k = lw_sko_aggregate(source, s->nsegment, s->segment_of, err);
  lw_segments_free(s);
  return k;
}

/* ---- numbers ---- */

/* C[rows][columns at `to`] += B[rows][columns at `from`] A, all in rows of n numbers; A is h x m */
static void carry_columns(int rows, int n, const double *from, int h, int m, const double *A,
                          double *to)
{
  for (int i = 0; i < rows; i++)
    lwi_tmulv(h, m, 1, A, from + lwi_sko_area(i, n), to + lwi_sko_area(i, n));
}

/* Copies a block of h x m into rows of n numbers. */
static void put_columns(int h, int m, const double *A, int n, double *to)
{
  for (int i = 0; i < h; i++)
    lwi_sko_copy(to + lwi_sko_area(i, n), A + lwi_sko_area(i, m), (size_t)m);
}

/* Columns of H_a and E_a for source node x, from those of its parent; `freedom` counts the freedoms
   of the class before those of x: rows from there on have nothing in the parent's columns. */
static void fill_columns(lw_sko *k, const lwi_sko_node *c, const lwi_sko_node *x, int col,
                         int freedom)
{
  const lw_sko *s = k->source;
  const double *A = lwi_sko_A(s, x);
  double *H = lwi_sko_H(k, c), *E = lwi_sko_A(k, c);
  const int n = c->n;
  put_columns(x->r, x->n, lwi_sko_H(s, x), n, H + lwi_sko_area(freedom, n) + col);
  if (x->parent < 0) return;
  const int up_row = k->inside_row[x->parent] + x->at;
  if (&k->node[k->inside[x->parent]] == c) {
    const int up = up_row - c->row;
    carry_columns(freedom, n, H + up, x->h, x->n, A, H + col);
    if (c->parent >= 0) carry_columns(c->h, n, E + up, x->h, x->n, A, E + col);
  } else {
    const int first = up_row - k->node[c->parent].row - c->at;
    put_columns(x->h, x->n, A, n, E + lwi_sko_area(first, n) + col);
  }
}

/* a_a = A_d* a, with the parent's done; b and M as they are */
static void fill_terms(lw_sko *k, const lwi_sko_node *c, const lwi_sko_node *x, int row)
{
  const lw_sko *s = k->source;
  const int col = row - c->row;
  lwi_sko_copy(k->a + row, s->a + x->row, (size_t)x->n);
  lwi_sko_copy(k->b + row, s->b + x->row, (size_t)x->n);
  put_columns(x->n, x->n, s->M + x->square, c->n, k->M + c->square + lwi_sko_area(col, c->n) + col);
  if (x->parent < 0 || &k->node[k->inside[x->parent]] != c) return;
  const double *up = k->a + k->inside_row[x->parent] + x->at;
  lwi_tmulv(x->h, x->n, 1, lwi_sko_A(s, x), up, k->a + row);
}

void lwi_sko_refresh_aggregate(lw_sko *k)
{
  const lw_sko *s = k->source;
  lwi_sko_zero(k->H, k->nhinge);
  lwi_sko_zero(k->A, k->nweight);
  lwi_sko_zero(k->M, k->nsquare);
  for (int v = 0; v < k->nnode; v++) {
    const lwi_sko_node *c = &k->node[v];
    for (int i = k->start[v], freedom = 0; i < k->start[v + 1]; i++) {
      const lwi_sko_node *x = &s->node[k->item[i]];
      const int row = k->inside_row[k->item[i]];
      fill_columns(k, c, x, row - c->row, freedom);
      fill_terms(k, c, x, row);
      lwi_sko_copy(k->load + c->freedom + freedom, s->load + x->freedom, (size_t)x->r);
      lwi_sko_copy(k->rotor + c->freedom + freedom, s->rotor + x->freedom, (size_t)x->r);
      freedom += x->r;
    }
  }
}

lw_status lw_sko_refresh(lw_sko *k)
{
  if (!k || !k->source) return LW_E_ARG;
  if (!k->source->has_numbers) return LW_E_STAGE;
  if (k->origin == LWI_SKO_AGGREGATE)
    lwi_sko_refresh_aggregate(k);
  else if (k->origin == LWI_SKO_EMBEDDED)
    lwi_sko_refresh_embedded(k);
  else
    lwi_sko_refresh_part(k);
  lwi_sko_renewed(k);
  return LW_OK;
}
