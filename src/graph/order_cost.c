/* SPDX-License-Identifier: Apache-2.0 */
/* order_cost.c -- band, envelope and work of a numbering, and the size of its sparse factor without
   forming it: the elimination tree ([Liu1990]) and column counts ([Gilbert1994]). */
#include "graph/elimination.h"
#include "graph/union_find.h"

#include <stdlib.h>

typedef struct {
  const lwi_adjacency *g;
  const int *order;
  int *place;           /* [n] by node */
  int *parent;          /* [n] by place, as all below; -1: a root */
  int *ancestor;        /* [n] */
  int *post;            /* [n] children before parents, subtrees contiguous */
  int *first;           /* [n] where the subtree begins in that order */
  int *latest, *before; /* [n] */
  double *count;        /* [n] rows of a column, itself included, by weight */
  double *blocks;       /* [n] the same, each node counting one */
} factor;

/* ---- band and envelope ---- */

static void measure_envelope(const factor *f, lw_order_cost *cost)
{
  const lwi_adjacency *g = f->g;
  double *rows = f->count; /* rows before place k */
  double n = 0;
  for (int k = 0; k < g->n; k++) {
    rows[k] = n;
    n += g->weight[f->order[k]];
  }
  for (int k = 0; k < g->n; k++) {
    const int v = f->order[k], w = g->weight[v];
    int first = k;
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      if (f->place[g->neighbour[i]] < first) first = f->place[g->neighbour[i]];
    const int width = k - first;
    if (width > cost->bandwidth) cost->bandwidth = width;
    cost->envelope += width;
    cost->work += 0.5 * width * (width + 3.0);
    for (int i = 0; i < w; i++) {
      const double c = rows[k] - rows[first] + i;
      cost->envelope_multiplications += c * (c + 3) / 2;
    }
  }
}

/* ---- column counts ---- */

/* Column j has an entry in row i: if j is a leaf of the row's subtree, it adds one row from j
   upwards; where it meets the leaf before, that row would count twice. */
static void count_entry(factor *f, int i, int j)
{
  const double w = f->g->weight[f->order[i]];
  if (i <= j || f->first[j] <= f->latest[i]) return;
  f->latest[i] = f->first[j];
  const int leaf = f->before[i];
  f->before[i] = j;
  f->count[j] += w;
  f->blocks[j] += 1;
  if (leaf < 0) return;
  const int meet = lwi_sets_find(f->ancestor, leaf);
  f->count[meet] -= w;
  f->blocks[meet] -= 1;
}

static void count_columns(factor *f)
{
  const lwi_adjacency *g = f->g;
  for (int k = 0; k < g->n; k++)
    f->first[k] = f->latest[k] = f->before[k] = -1;
  for (int k = 0; k < g->n; k++) {
    int j = f->post[k];
    const bool leaf = f->first[j] < 0;
    f->count[j] = leaf ? g->weight[f->order[j]] : 0;
    f->blocks[j] = leaf;
    for (; j >= 0 && f->first[j] < 0; j = f->parent[j])
      f->first[j] = k;
  }
  for (int k = 0; k < g->n; k++)
    f->ancestor[k] = k;
  for (int k = 0; k < g->n; k++) {
    const int j = f->post[k], p = f->parent[j];
    if (p >= 0) {
      f->count[p] -= g->weight[f->order[j]];
      f->blocks[p] -= 1;
    }
    for (int e = g->start[f->order[j]]; e < g->start[f->order[j] + 1]; e++)
      count_entry(f, f->place[g->neighbour[e]], j);
    if (p >= 0) f->ancestor[j] = p;
  }
  for (int k = 0; k < g->n; k++) {
    const int j = f->post[k], p = f->parent[j];
    if (p < 0) continue;
    f->count[p] += f->count[j];
    f->blocks[p] += f->blocks[j];
  }
}

static void sum_factor(const factor *f, lw_order_cost *cost)
{
  const lwi_adjacency *g = f->g;
  cost->fill = -0.5 * g->start[g->n];
  for (int k = 0; k < g->n; k++) {
    const int w = g->weight[f->order[k]];
    cost->fill += f->blocks[k] - 1;
    for (int i = 0; i < w; i++) {
      const double c = f->count[k] - i - 1;
      cost->factor_entries += c + 1;
      cost->factor_multiplications += c * (c + 3) / 2;
    }
  }
}

bool lwi_order_measure(const lwi_adjacency *g, const int order[], lw_order_cost *cost)
{
  const size_t n = (size_t)g->n;
  int *scratch = malloc(7 * n * sizeof *scratch);
  double *count = malloc(2 * n * sizeof *count);
  const bool memory = scratch && count;
  if (memory) {
    factor f = {.g = g, .order = order, .place = scratch, .parent = scratch + n};
    f.ancestor = scratch + 2 * n;
    f.post = scratch + 3 * n;
    f.first = scratch + 4 * n;
    f.latest = scratch + 5 * n;
    f.before = scratch + 6 * n;
    f.count = count;
    f.blocks = count + n;
    for (int k = 0; k < g->n; k++)
      f.place[order[k]] = k;
    measure_envelope(&f, cost);
    lwi_elimination_tree(g, order, f.place, f.parent, f.ancestor);
    lwi_postorder(g->n, f.parent, f.post, f.latest, f.before);
    count_columns(&f);
    sum_factor(&f, cost);
  }
  free(scratch);
  free(count);
  return memory;
}
