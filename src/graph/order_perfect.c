/* SPDX-License-Identifier: Apache-2.0 */
/* order_perfect.c -- maximum cardinality search ([Tarjan1984]), reversed: a factor without fill
   where there is one (chordal graphs).  The joints of a tree of bodies are such a graph: those on
   one body are all neighbours of each other, and such groups meet in single joints, without
   rings. */
#include "graph/order.h"

#include <stdlib.h>

typedef struct {
  int *head, *next, *prev; /* [n], [n], [n]: nodes by the number of numbered neighbours */
  int *met;                /* [n] that number; -1: numbered */
} lists;

static void unlist(lists *l, int v)
{
  if (l->prev[v] >= 0)
    l->next[l->prev[v]] = l->next[v];
  else
    l->head[l->met[v]] = l->next[v];
  if (l->next[v] >= 0) l->prev[l->next[v]] = l->prev[v];
}

static void list(lists *l, int v)
{
  const int k = l->met[v];
  l->next[v] = l->head[k];
  l->prev[v] = -1;
  if (l->head[k] >= 0) l->prev[l->head[k]] = v;
  l->head[k] = v;
}

bool lwi_order_perfect(const lwi_adjacency *g, int order[])
{
  const size_t n = (size_t)g->n;
  int *scratch = malloc((4 * n + 1) * sizeof *scratch);
  if (!scratch) return false;
  lists l = {.head = scratch, .next = scratch + n, .prev = scratch + 2 * n, .met = scratch + 3 * n};
  for (int v = 0; v < g->n; v++)
    l.head[v] = -1;
  for (int v = 0; v < g->n; v++) {
    l.met[v] = 0;
    list(&l, v);
  }
  for (int k = g->n - 1, most = 0; k >= 0; k--) {
    while (l.head[most] < 0)
      most--;
    const int v = l.head[most];
    unlist(&l, v);
    l.met[v] = -1;
    order[k] = v;
    for (int i = g->start[v]; i < g->start[v + 1]; i++) {
      const int w = g->neighbour[i];
      if (l.met[w] < 0) continue;
      unlist(&l, w);
      l.met[w]++;
      list(&l, w);
      if (l.met[w] > most) most = l.met[w];
    }
  }
  free(scratch);
  return true;
}
