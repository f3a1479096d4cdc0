/* SPDX-License-Identifier: Apache-2.0 */
/* reach.c -- ancestors and descendants of a set of nodes in any digraph.  [Jain2012] section 3. */
#include "graph/digraph.h"

/* Starts a search: gives the nodes of the set their mark and lists them. */
static int seed(const lw_graph *g, const unsigned char set[], unsigned char mark[],
                unsigned char with, int list[])
{
  int count = 0;
  for (int v = 0; v < g->nnode; v++)
    if (set[v]) {
      mark[v] = with;
      list[count++] = v;
    }
  return count;
}

/* Goes on from the listed nodes to all nodes marked `from` that they lead to, marks them `with`. */
static int spread(const lw_graph *g, lw_graph_direction direction, unsigned char mark[],
                  unsigned char from, unsigned char with, int list[], int count)
{
  const lwi_csr *c = direction == LW_TO_CHILDREN ? &g->out : &g->in;
  const int *far = direction == LW_TO_CHILDREN ? g->child : g->parent;
  for (int first = 0; first < count; first++)
    for (int i = c->start[list[first]]; i < c->start[list[first] + 1]; i++)
      if (mark[far[i]] == from) {
        mark[far[i]] = with;
        list[count++] = far[i];
      }
  return count;
}

int lw_graph_reach(const lw_graph *g, lw_graph_direction direction, const unsigned char set[],
                   unsigned char reached[], int list[])
{
  if (!g || !set || !reached) return 0;
  for (int v = 0; v < g->nnode; v++)
    reached[v] = 0;
  const int count = seed(g, set, reached, 1, list);
  return spread(g, direction, reached, 0, 1, list, count);
}

/* A node is on a path between two nodes of the set if both searches reach it; the second stays
   within the first because the rest of such a path does. */
int lw_graph_path_closure(const lw_graph *g, const unsigned char set[], unsigned char closure[],
                          int work[])
{
  if (!g || !set || !closure) return 0;
  lw_graph_reach(g, LW_TO_CHILDREN, set, closure, work);
  int count = seed(g, set, closure, 2, work);
  count = spread(g, LW_TO_PARENTS, closure, 1, 2, work, count);
  for (int v = 0; v < g->nnode; v++)
    closure[v] = closure[v] == 2;
  return count;
}
