/* SPDX-License-Identifier: Apache-2.0 */
/* spanning_tree.c -- a spanning tree of every component, directions ignored, and the edges it cuts.

   Both modes run the same three steps:
     allow     all edges, or in rank mode those of the spanning forest of least rank (Kruskal),
     search    the allowed edges breadth first from each root, which gives depths,
     choose    for every node the best allowed edge that leads to it from one level up. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "graph/block.h"
#include "graph/digraph.h"
#include "graph/union_find.h"

/* The arrays of the result while they are written, and scratch. */
typedef struct {
  const lw_graph *g;
  const lw_span_options *options;
  int *parent, *edge, *depth, *component, *component_root, *order, *cut, *cut_from, *cut_to;
  unsigned char *reversed;
  unsigned char *allowed;    /* [nedge]                 */
  int *sorted, *sorted_next; /* [nedge] edges by rank   */
  int *up, *size;            /* [nnode] sets of Kruskal */
} builder;

static void result_carve(lw_spanning_tree *s, builder *w, lwi_carver *c)
{
  (void)LWI_CARVE(c, 1, lw_spanning_tree); /* the object itself comes first */
  s->parent = w->parent = LWI_CARVE(c, s->nnode, int);
  s->edge = w->edge = LWI_CARVE(c, s->nnode, int);
  s->reversed = w->reversed = LWI_CARVE(c, s->nnode, unsigned char);
  s->depth = w->depth = LWI_CARVE(c, s->nnode, int);
  s->component = w->component = LWI_CARVE(c, s->nnode, int);
  s->component_root = w->component_root = LWI_CARVE(c, s->ncomponent, int);
  s->order = w->order = LWI_CARVE(c, s->nnode, int);
  s->cut = w->cut = LWI_CARVE(c, s->ncut, int);
  s->cut_from = w->cut_from = LWI_CARVE(c, s->ncut, int);
  s->cut_to = w->cut_to = LWI_CARVE(c, s->ncut, int);
}

static void scratch_carve(builder *w, lwi_carver *c)
{
  const bool by_rank = w->options->mode == LW_SPAN_BY_RANK;
  const int n = by_rank ? w->g->nnode : 0, m = by_rank ? w->g->nedge : 0;
  w->allowed = LWI_CARVE(c, w->g->nedge, unsigned char);
  w->sorted = LWI_CARVE(c, m, int);
  w->sorted_next = LWI_CARVE(c, m, int);
  w->up = LWI_CARVE(c, n, int);
  w->size = LWI_CARVE(c, n, int);
}

/* ---- allow ---- */

/* The rank of an edge as an unsigned number in the same order. */
static unsigned rank_key(const builder *w, int e)
{
  return (unsigned)w->options->rank[e] + (unsigned)INT_MAX + 1u;
}

/* One pass of a radix sort: stable, by the byte of the key at the given shift. */
static void sort_by_byte(const builder *w, unsigned shift)
{
  int start[257] = {0};
  for (int e = 0; e < w->g->nedge; e++)
    start[((rank_key(w, e) >> shift) & 255u) + 1]++;
  for (int i = 0; i < 256; i++)
    start[i + 1] += start[i];
  for (int i = 0; i < w->g->nedge; i++) {
    const int e = w->sorted[i];
    w->sorted_next[start[(rank_key(w, e) >> shift) & 255u]++] = e;
  }
}

/* Edges by rank, then by number. */
static void sort_edges(builder *w)
{
  const unsigned nbit = 8 * (unsigned)sizeof(unsigned);
  for (int e = 0; e < w->g->nedge; e++)
    w->sorted[e] = e;
  for (unsigned shift = 0; w->options->rank && shift < nbit; shift += 8) {
    sort_by_byte(w, shift);
    int *swap = w->sorted;
    w->sorted = w->sorted_next;
    w->sorted_next = swap;
  }
}

/* Kruskal: takes every edge, best first, that joins two trees. */
static void allow_least_forest(builder *w)
{
  sort_edges(w);
  lwi_sets_init(w->g->nnode, w->up);
  for (int v = 0; v < w->g->nnode; v++)
    w->size[v] = 1;
  for (int i = 0; i < w->g->nedge; i++) {
    const int e = w->sorted[i];
    w->allowed[e] = lwi_sets_join_by_size(w->up, w->size, w->g->from[e], w->g->to[e]);
  }
}

/* ---- search ---- */

/* Appends to the order the unvisited far ends of a node's allowed edges. */
static int visit(builder *w, const lwi_csr *c, const int far[], int v, int last)
{
  for (int i = c->start[v]; i < c->start[v + 1]; i++) {
    const int x = far[i];
    if (!w->allowed[c->item[i]] || w->depth[x] >= 0) continue;
    w->depth[x] = w->depth[v] + 1;
    w->component[x] = w->component[v];
    w->order[last++] = x;
  }
  return last;
}

/* Searches the component of a root; returns the number of nodes visited so far. */
static int search_from(builder *w, int root, int component, int last)
{
  w->component_root[component] = root;
  w->component[root] = component;
  w->depth[root] = 0;
  int first = last;
  for (w->order[last++] = root; first < last; first++) {
    last = visit(w, &w->g->out, w->g->child, w->order[first], last);
    last = visit(w, &w->g->in, w->g->parent, w->order[first], last);
  }
  return last;
}

/* Searches from the given roots, then from the lowest nodes left; false if a given root is in a
   component that has one. */
static bool search_all(builder *w)
{
  int last = 0, component = 0;
  for (int v = 0; v < w->g->nnode; v++)
    w->depth[v] = -1;
  for (int i = 0; i < w->options->nroot; i++) {
    if (w->depth[w->options->root[i]] >= 0) return false;
    last = search_from(w, w->options->root[i], component++, last);
  }
  for (int v = 0; v < w->g->nnode; v++)
    if (w->depth[v] < 0) last = search_from(w, v, component++, last);
  return true;
}

/* ---- choose ---- */

/* Offers an edge to a node as the edge to its parent; edges come by increasing number. */
static void offer(builder *w, int e, int child, int parent)
{
  const int *rank = w->options->rank;
  const int best = w->edge[child];
  if (best >= 0 && (!rank || rank[best] <= rank[e])) return;
  w->edge[child] = e;
  w->parent[child] = parent;
  w->reversed[child] = w->g->from[e] == child;
}

static void choose_edges(builder *w)
{
  for (int v = 0; v < w->g->nnode; v++)
    w->edge[v] = w->parent[v] = -1;
  for (int e = 0; e < w->g->nedge; e++) {
    const int a = w->g->from[e], b = w->g->to[e];
    if (!w->allowed[e]) continue;
    if (w->depth[b] == w->depth[a] + 1) offer(w, e, b, a);
    if (w->depth[a] == w->depth[b] + 1) offer(w, e, a, b);
  }
}

static void list_cut_edges(builder *w)
{
  int ncut = 0;
  for (int e = 0; e < w->g->nedge; e++) {
    const int a = w->g->from[e], b = w->g->to[e];
    if (w->edge[a] == e || w->edge[b] == e) continue;
    w->cut[ncut] = e;
    w->cut_from[ncut] = a;
    w->cut_to[ncut++] = b;
  }
}

/* ---- construction ---- */

static bool options_are_valid(const lw_graph *g, const lw_span_options *o)
{
  if (o->mode != LW_SPAN_BREADTH_FIRST && o->mode != LW_SPAN_BY_RANK) return false;
  if (o->nroot < 0 || (o->nroot > 0 && !o->root)) return false;
  for (int i = 0; i < o->nroot; i++)
    if (o->root[i] < 0 || o->root[i] >= g->nnode) return false;
  return true;
}

static lw_status build(builder *w)
{
  if (w->options->mode == LW_SPAN_BY_RANK)
    allow_least_forest(w);
  else if (w->g->nedge > 0)
    memset(w->allowed, 1, (size_t)w->g->nedge);
  if (!search_all(w)) return LW_E_ARG;
  choose_edges(w);
  list_cut_edges(w);
  return LW_OK;
}

/* The memory of the result and of the scratch; false if there is not enough. */
static bool builder_alloc(builder *w, lw_spanning_tree *s, lwi_carver *result, lwi_carver *scratch)
{
  result_carve(s, w, result);
  scratch_carve(w, scratch);
  if (!lwi_carver_alloc(result) || !lwi_carver_alloc(scratch)) return false;
  result_carve(s, w, result);
  scratch_carve(w, scratch);
  return true;
}

lw_spanning_tree *lw_spanning_tree_new(const lw_graph *g, const lw_span_options *options,
                                       lw_error *err)
{
  if (!g) return lwi_refuse(err, LW_E_ARG);
  const lw_span_options none = {.mode = LW_SPAN_BREADTH_FIRST};
  builder w = {.g = g, .options = options ? options : &none};
  lw_spanning_tree s = {.nnode = g->nnode,
                        .nedge = g->nedge,
                        .ncomponent = g->kind.ncomponent,
                        .ncut = g->kind.nloop};
  lwi_carver result = {0}, scratch = {0};
  lw_status done = LW_E_ARG;
  if (options_are_valid(g, w.options))
    done = builder_alloc(&w, &s, &result, &scratch) ? build(&w) : LW_E_MEMORY;

  free(scratch.base);
  lwi_set_status(err, done);
  if (done != LW_OK) {
    free(result.base);
    return NULL;
  }
  return memcpy(result.base, &s, sizeof s);
}

void lw_spanning_tree_free(lw_spanning_tree *s)
{
  free(s);
}
