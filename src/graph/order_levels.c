/* SPDX-License-Identifier: Apache-2.0 */
/* order_levels.c -- breadth-first levels, pseudo-diameters, reverse Cuthill-McKee. */
#include "graph/order.h"

#include <stdlib.h>

void lwi_levels_search(const lwi_adjacency *g, int root, lwi_levels *l)
{
  int n = 1, k = 0;
  l->node[0] = root;
  l->level[root] = 0;
  l->nlevel = 0;
  l->width = 0;
  while (k < n) {
    const int end = n;
    l->start[l->nlevel] = k;
    if (end - k > l->width) l->width = end - k;
    for (; k < end; k++)
      for (int i = g->start[l->node[k]]; i < g->start[l->node[k] + 1]; i++) {
        const int w = g->neighbour[i];
        if (l->level[w] != -1) continue;
        l->level[w] = l->nlevel + 1;
        l->node[n++] = w;
      }
    l->nlevel++;
  }
  l->start[l->nlevel] = n;
  l->nnode = n;
}

void lwi_levels_forget(lwi_levels *l)
{
  for (int k = 0; k < l->nnode; k++)
    l->level[l->node[k]] = -1;
  l->nnode = 0;
}

/* [Gibbs1976] tries every node of the last level; a handful of those of lowest degree serves, as
   [Lewis1982] found, and keeps the cost to a few searches. */
enum { TRIES = 5, MOST_ROUNDS = 10 };

static int list_lowest_degree(const lwi_adjacency *g, const lwi_levels *l, int found[TRIES])
{
  int n = 0;
  for (int k = l->start[l->nlevel - 1]; k < l->nnode; k++) {
    int at = n;
    while (at > 0 && lwi_degree(g, found[at - 1]) > lwi_degree(g, l->node[k]))
      at--;
    if (at == TRIES) continue;
    if (n < TRIES) n++;
    for (int i = n - 1; i > at; i--)
      found[i] = found[i - 1];
    found[at] = l->node[k];
  }
  return n;
}

int lwi_levels_ends(const lwi_adjacency *g, int from, lwi_levels *a, lwi_levels *b)
{
  int root = from;
  lwi_levels_search(g, root, a);
  for (int round = 0;; round++) {
    int end[TRIES], best = -1, narrowest = 0;
    bool deeper = false;
    const int n = list_lowest_degree(g, a, end);
    for (int i = 0; i < n && !deeper; i++) {
      lwi_levels_search(g, end[i], b);
      if (b->nlevel > a->nlevel && round < MOST_ROUNDS) {
        deeper = true;
        root = end[i];
      } else if (best < 0 || b->width < narrowest) {
        best = end[i];
        narrowest = b->width;
      }
      lwi_levels_forget(b);
    }
    lwi_levels_forget(a);
    lwi_levels_search(g, root, a);
    if (deeper) continue;
    lwi_levels_search(g, best, b);
    return root;
  }
}

bool lwi_order_cuthill_mckee(const lwi_adjacency *g, int order[])
{
  const size_t n = (size_t)g->n;
  int *scratch = malloc((6 * n + 2) * sizeof *scratch);
  if (!scratch) return false;
  lwi_levels a = {.node = scratch, .start = scratch + n, .level = scratch + 2 * n + 1};
  lwi_levels b = {
      .node = scratch + 3 * n + 1, .start = scratch + 4 * n + 1, .level = scratch + 5 * n + 2};
  for (int v = 0; v < g->n; v++)
    a.level[v] = b.level[v] = -1;
  int left = g->n; /* written from the end: reversed */
  for (int v = 0; v < g->n; v++) {
    if (a.level[v] != -1) continue;
    lwi_levels_ends(g, v, &a, &b);
    /* neighbours come by rising degree, so that the search itself is Cuthill-McKee */
    for (int k = 0; k < a.nnode; k++)
      order[--left] = a.node[k];
  }
  free(scratch);
  return true;
}
