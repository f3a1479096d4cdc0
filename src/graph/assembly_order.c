/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_order.c -- orders in which the edges of a graph may be eliminated, beside bisection:
   assembly_tree.h. */
#include "graph/assembly_tree.h"
#include "graph/union_find.h"
#include "linkwork/graph.h"

#include <stdlib.h>

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* by the larger node of an edge, the largest first; edges of one node in their order */
bool lwi_assembly_order_inward(int nedge, const int from[], const int to[], int order[])
{
  int most = -1, n = 0;
  for (int e = 0; e < nedge; e++)
    most = larger(most, larger(from[e], to[e]));
  int *start = calloc((size_t)most + 3, sizeof *start);
  if (!start) return false;
  for (int e = 0; e < nedge; e++)
    start[larger(from[e], to[e]) + 1]++;
  for (int x = most + 1; x >= 0;
       x--) { /* start[x]: how many edges come before those of node x - 1 */
    const int count = start[x];
    start[x] = n;
    n += count;
  }
  for (int e = 0; e < nedge; e++)
    order[start[larger(from[e], to[e]) + 1]++] = e;
  free(start);
  return true;
}

typedef struct {
  int *up, *weight; /* [nnode] sets of united nodes */
  int *partner;     /* [nnode] of a set in this round, -1: none yet */
  bool *done;       /* [nedge] */
  int n;
  int *order;
} pairing;

static bool is_to_ground(const int from[], const int to[], int e)
{
  return from[e] == LW_NO_NODE || to[e] == LW_NO_NODE || from[e] == to[e];
}

static void take(pairing *p, int e)
{
  p->done[e] = true;
  p->order[p->n++] = e;
}

/* One round: every set finds a partner if it can; edges that have become inner ones follow.  False:
   nothing was left. */
static bool join_pairs(pairing *p, int nnode, int nedge, const int from[], const int to[])
{
  bool any = false;
  for (int x = 0; x < nnode; x++)
    p->partner[x] = -1;
  for (int e = 0; e < nedge; e++) {
    if (p->done[e] || is_to_ground(from, to, e)) continue;
    const int x = lwi_sets_find(p->up, from[e]), y = lwi_sets_find(p->up, to[e]);
    if (x == y || p->partner[x] >= 0 || p->partner[y] >= 0) continue;
    p->partner[x] = y;
    p->partner[y] = x;
    take(p, e);
    any = true;
  }
  for (int x = 0; x < nnode; x++)
    if (p->partner[x] > x) lwi_sets_join_by_size(p->up, p->weight, x, p->partner[x]);
  for (int e = 0; e < nedge; e++)
    if (!p->done[e] && !is_to_ground(from, to, e) &&
        lwi_sets_find(p->up, from[e]) == lwi_sets_find(p->up, to[e]))
      take(p, e);
  return any;
}

bool lwi_assembly_order_pairs(int nnode, int nedge, const int from[], const int to[], int order[])
{
  int *block = malloc((3 * (size_t)nnode + 1) * sizeof *block);
  pairing p = {.up = block, .done = calloc((size_t)nedge + 1, 1), .order = order};
  const bool memory = block && p.done;
  if (memory) {
    p.weight = block + nnode;
    p.partner = block + 2 * nnode;
    for (int x = 0; x < nnode; x++) {
      p.up[x] = x;
      p.weight[x] = 1;
    }
    while (join_pairs(&p, nnode, nedge, from, to)) {
    }
    for (int e = 0; e < nedge; e++)
      if (!p.done[e]) take(&p, e);
  }
  free(block);
  free(p.done);
  return memory;
}
