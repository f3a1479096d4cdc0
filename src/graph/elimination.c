/* SPDX-License-Identifier: Apache-2.0 */
/* elimination.c -- the elimination tree of a numbering, with path compression [Liu1990]. */
#include "graph/elimination.h"

void lwi_elimination_tree(const lwi_adjacency *g, const int order[], const int place[],
                          int parent[], int ancestor[])
{
  for (int k = 0; k < g->n; k++) {
    parent[k] = ancestor[k] = -1;
    for (int e = g->start[order[k]]; e < g->start[order[k] + 1]; e++)
      for (int i = place[g->neighbour[e]]; i >= 0 && i < k;) {
        const int next = ancestor[i]; /* shortcut to the root of what is known */
        ancestor[i] = k;
        if (next < 0) parent[i] = k;
        i = next;
      }
  }
}

void lwi_postorder(int n, const int parent[], int post[], int head[], int next[])
{
  int at = 0;
  for (int k = 0; k < n; k++)
    head[k] = -1;
  for (int k = n - 1; k >= 0; k--)
    if (parent[k] >= 0) {
      next[k] = head[parent[k]];
      head[parent[k]] = k;
    }
  for (int root = 0; root < n; root++) {
    if (parent[root] >= 0) continue;
    /* down along first children; head moves on, so that an emptied node is finished */
    for (int k = root; k >= 0;) {
      const int child = head[k];
      if (child >= 0) {
        head[k] = next[child];
        k = child;
      } else {
        post[at++] = k;
        k = k == root ? -1 : parent[k];
      }
    }
  }
}
