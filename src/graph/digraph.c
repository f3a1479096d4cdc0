/* SPDX-License-Identifier: Apache-2.0 */
/* digraph.c -- directed graphs: edges as two arrays, and for every node the edges that leave and
   that enter it, with the nodes at their far ends.  [Jain2012] section 2.1. */
#include "graph/digraph.h"

#include <stdlib.h>
#include <string.h>

#include "graph/block.h"

static void graph_carve(lw_graph *g, lwi_carver *c)
{
  const int n = g->nnode, m = g->nedge;
  (void)LWI_CARVE(c, 1, lw_graph); /* the object itself comes first */
  g->from = LWI_CARVE(c, m, int);
  g->to = LWI_CARVE(c, m, int);
  g->out.start = LWI_CARVE(c, (size_t)n + 1, int);
  g->out.item = LWI_CARVE(c, m, int);
  g->in.start = LWI_CARVE(c, (size_t)n + 1, int);
  g->in.item = LWI_CARVE(c, m, int);
  g->child = LWI_CARVE(c, m, int);
  g->parent = LWI_CARVE(c, m, int);
  g->root = LWI_CARVE(c, n, int);
  g->leaf = LWI_CARVE(c, n, int);
  g->component = LWI_CARVE(c, n, int);
}

static lw_graph *graph_alloc(int nnode, int nedge)
{
  lw_graph g = {.nnode = nnode, .nedge = nedge, .out.nkey = nnode, .in.nkey = nnode};
  lwi_carver c = {0};
  graph_carve(&g, &c);
  if (!lwi_carver_alloc(&c)) return NULL;
  graph_carve(&g, &c);
  return memcpy(c.base, &g, sizeof g);
}

static bool edges_are_valid(int nnode, int nedge, const int from[], const int to[])
{
  if (nnode < 0 || nedge < 0 || (nedge > 0 && (!from || !to))) return false;
  for (int e = 0; e < nedge; e++)
    if (from[e] < 0 || from[e] >= nnode || to[e] < 0 || to[e] >= nnode) return false;
  return true;
}

static void fill_adjacency(lw_graph *g, const int from[], const int to[])
{
  for (int e = 0; e < g->nedge; e++) {
    g->from[e] = from[e];
    g->to[e] = to[e];
  }
  lwi_csr_fill(&g->out, g->nedge, g->from, 0, NULL);
  lwi_csr_fill(&g->in, g->nedge, g->to, 0, NULL);
  for (int i = 0; i < g->nedge; i++) {
    g->child[i] = g->to[g->out.item[i]];
    g->parent[i] = g->from[g->in.item[i]];
  }
}

lw_graph *lw_graph_new(int nnode, int nedge, const int from[], const int to[], lw_error *err)
{
  if (!edges_are_valid(nnode, nedge, from, to)) return lwi_refuse(err, LW_E_ARG);
  if (!lwi_size_is_possible(nnode, nedge)) return lwi_refuse(err, LW_E_MEMORY);
  lw_graph *g = graph_alloc(nnode, nedge);
  int *scratch = g ? (int *)lwi_graph_alloc(((size_t)nnode + 1) * 2 * sizeof *scratch) : NULL;
  if (!scratch) {
    lw_graph_free(g);
    lwi_set_status(err, LW_E_MEMORY);
    return NULL;
  }
  fill_adjacency(g, from, to);
  lwi_graph_classify(g, scratch, scratch + nnode);
  free(scratch);
  lwi_set_status(err, LW_OK);
  return g;
}

void lw_graph_free(lw_graph *g)
{
  free(g);
}

int lw_graph_nnode(const lw_graph *g)
{
  if (!g) return 0;
  return g->nnode;
}

int lw_graph_nedge(const lw_graph *g)
{
  if (!g) return 0;
  return g->nedge;
}

int lw_graph_from(const lw_graph *g, int edge)
{
  if (!g) return 0;
  return edge >= 0 && edge < g->nedge ? g->from[edge] : LW_NO_NODE;
}

int lw_graph_to(const lw_graph *g, int edge)
{
  if (!g) return 0;
  return edge >= 0 && edge < g->nedge ? g->to[edge] : LW_NO_NODE;
}

static bool is_direction(lw_graph_direction direction)
{
  return direction == LW_TO_CHILDREN || direction == LW_TO_PARENTS;
}

/* The part of values that belongs to a node; NULL and zero if there is no such node. */
static const int *row(const lw_graph *g, const lwi_csr *c, const int values[], int node, int *count)
{
  const bool valid = node >= 0 && node < g->nnode;
  *count = valid ? c->start[node + 1] - c->start[node] : 0;
  return valid ? values + c->start[node] : NULL;
}

const int *lw_graph_edges(const lw_graph *g, lw_graph_direction direction, int node, int *count)
{
  if (!g || !count || !is_direction(direction)) return NULL;
  const lwi_csr *c = direction == LW_TO_CHILDREN ? &g->out : &g->in;
  return row(g, c, c->item, node, count);
}

const int *lw_graph_neighbours(const lw_graph *g, lw_graph_direction direction, int node,
                               int *count)
{
  if (!g || !count || !is_direction(direction)) return NULL;
  const bool outward = direction == LW_TO_CHILDREN;
  return row(g, outward ? &g->out : &g->in, outward ? g->child : g->parent, node, count);
}

const int *lw_graph_ends(const lw_graph *g, lw_graph_direction direction, int *count)
{
  if (!g || !count || !is_direction(direction)) return NULL;
  *count = direction == LW_TO_CHILDREN ? g->kind.nleaf : g->kind.nroot;
  return direction == LW_TO_CHILDREN ? g->leaf : g->root;
}

const int *lw_graph_components(const lw_graph *g)
{
  if (!g) return NULL;
  return g->component;
}

lw_graph_class lw_graph_classify(const lw_graph *g)
{
  if (!g) return (lw_graph_class){0};
  return g->kind;
}

int lw_graph_find_edge(const lw_graph *g, int from, int to)
{
  if (!g) return 0;
  int nout, nin;
  const int *out = lw_graph_edges(g, LW_TO_CHILDREN, from, &nout);
  const int *in = lw_graph_edges(g, LW_TO_PARENTS, to, &nin);
  const bool search_out = nout < nin;
  const int *edge = search_out ? out : in;
  for (int i = 0; i < (search_out ? nout : nin); i++)
    if (g->from[edge[i]] == from && g->to[edge[i]] == to) return edge[i];
  return LW_NO_EDGE;
}
