/* SPDX-License-Identifier: Apache-2.0 */
/* subgraph.c -- smaller graphs from a graph: parts of it, and quotients by classes of nodes.
   [Jain2012] sections 3 and 5.1: contracting nodes removes the edges between them, and contracting
   an edge is contracting the pair of its nodes. */
#include <stdlib.h>

#include "graph/block.h"
#include "graph/digraph.h"
#include "graph/union_find.h"

/* The graph of the edges with edge_map[e] >= 0, their ends renumbered by node_map unless it is
   NULL; edge_map receives the new edge numbers. */
static lw_graph *filter(const lw_graph *g, int nnode, const int node_map[], int edge_map[],
                        lw_error *err)
{
  int *from = (int *)lwi_graph_alloc(((size_t)g->nedge + 1) * 2 * sizeof *from);
  if (!from) return lwi_refuse(err, LW_E_MEMORY);
  int *to = from + g->nedge, nedge = 0;
  for (int e = 0; e < g->nedge; e++) {
    if (edge_map[e] < 0) continue;
    from[nedge] = node_map ? node_map[g->from[e]] : g->from[e];
    to[nedge] = node_map ? node_map[g->to[e]] : g->to[e];
    edge_map[e] = nedge++;
  }
  lw_graph *result = lw_graph_new(nnode, nedge, from, to, err);
  free(from);
  return result;
}

/* Sets edge_map[e] >= 0 for the edges to keep; false if a flagged edge has lost a node. */
static bool choose_edges(const lw_graph *g, const unsigned char keep_edge[], const int node_map[],
                         int edge_map[])
{
  for (int e = 0; e < g->nedge; e++) {
    const bool possible = node_map[g->from[e]] >= 0 && node_map[g->to[e]] >= 0;
    const bool wanted = keep_edge ? keep_edge[e] != 0 : possible;
    if (wanted && !possible) return false;
    edge_map[e] = wanted ? e : LW_NO_EDGE;
  }
  return true;
}

lw_graph *lw_graph_subgraph(const lw_graph *g, const unsigned char keep_node[],
                            const unsigned char keep_edge[], int node_map[], int edge_map[],
                            lw_error *err)
{
  if (!g || (g->nnode > 0 && (!keep_node || !node_map))) return lwi_refuse(err, LW_E_ARG);
  int nnode = 0;
  for (int v = 0; v < g->nnode; v++)
    node_map[v] = keep_node[v] ? nnode++ : LW_NO_NODE;
  if (!choose_edges(g, keep_edge, node_map, edge_map)) return lwi_refuse(err, LW_E_ARG);
  return filter(g, nnode, node_map, edge_map, err);
}

lw_graph *lw_graph_contract(const lw_graph *g, int nclass, const int class_of[], int edge_map[],
                            lw_error *err)
{
  bool valid = g && nclass >= 0 && (class_of || g->nnode == 0) && (edge_map || g->nedge == 0);
  for (int v = 0; valid && v < g->nnode; v++)
    valid = class_of[v] >= 0 && class_of[v] < nclass;
  if (!valid) return lwi_refuse(err, LW_E_ARG);
  for (int e = 0; e < g->nedge; e++)
    edge_map[e] = class_of[g->from[e]] == class_of[g->to[e]] ? LW_NO_EDGE : e;
  return filter(g, nclass, class_of, edge_map, err);
}

lw_graph *lw_graph_simplify(const lw_graph *g, int edge_map[], lw_error *err)
{
  if (!g || (g->nedge > 0 && !edge_map)) return lwi_refuse(err, LW_E_ARG);
  int *seen_from = (int *)lwi_graph_alloc(((size_t)g->nnode + 1) * sizeof *seen_from);
  if (!seen_from) return lwi_refuse(err, LW_E_MEMORY);
  for (int v = 0; v < g->nnode; v++)
    seen_from[v] = LW_NO_NODE;
  for (int v = 0; v < g->nnode; v++)
    for (int i = g->out.start[v]; i < g->out.start[v + 1]; i++) {
      const int child = g->child[i];
      edge_map[g->out.item[i]] = child == v || seen_from[child] == v ? LW_NO_EDGE : i;
      seen_from[child] = v;
    }
  free(seen_from);
  return filter(g, g->nnode, NULL, edge_map, err);
}

int lw_graph_edge_classes(const lw_graph *g, const unsigned char contract[], int class_of[])
{
  if (!g || !contract || !class_of) return 0;
  lwi_sets_init(g->nnode, class_of);
  for (int e = 0; e < g->nedge; e++)
    if (contract[e]) lwi_sets_join(class_of, g->from[e], g->to[e]);
  return lwi_sets_number(g->nnode, class_of);
}
