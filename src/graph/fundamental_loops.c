/* SPDX-License-Identifier: Apache-2.0 */
/* fundamental_loops.c -- the fundamental loop of each cut edge of a spanning tree. */
#include "linkwork/graph.h"

/* Tree edges between the two nodes: both climb to where they meet, the deeper one first. */
static int tree_distance(const lw_spanning_tree *s, int a, int b)
{
  int count = 0;
  for (; a != b; count++)
    if (s->depth[a] >= s->depth[b])
      a = s->parent[a];
    else
      b = s->parent[b];
  return count;
}

/* Writes one step of a loop into those arrays that were given. */
static void put(int i, int v, int e, int direction, int node[], int edge[], int sign[])
{
  if (node) node[i] = v;
  if (edge) edge[i] = e;
  if (sign) sign[i] = direction;
}

int lw_spanning_tree_loop(const lw_spanning_tree *s, int k, int node[], int edge[], int sign[])
{
  if (!s) return 0;
  if (k < 0 || k >= s->ncut) return 0;
  int a = s->cut_to[k], b = s->cut_from[k];
  const int length = tree_distance(s, a, b) + 1;
  int head = 0, tail = length - 1;
  put(tail, b, s->cut[k], +1, node, edge, sign);

  /* fill from both ends: a goes up along the loop, b comes down to where it was */
  while (a != b)
    if (s->depth[a] >= s->depth[b]) {
      put(head++, a, s->edge[a], s->reversed[a] ? +1 : -1, node, edge, sign);
      a = s->parent[a];
    } else {
      put(--tail, s->parent[b], s->edge[b], s->reversed[b] ? -1 : +1, node, edge, sign);
      b = s->parent[b];
    }
  return length;
}

int64_t lw_spanning_tree_loop_total(const lw_spanning_tree *s)
{
  if (!s) return 0;
  int64_t total = 0;
  for (int k = 0; k < s->ncut; k++)
    total += tree_distance(s, s->cut_to[k], s->cut_from[k]) + 1;
  return total;
}
