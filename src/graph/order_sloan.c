/* SPDX-License-Identifier: Apache-2.0 */
/* order_sloan.c -- [Sloan1986]: nodes by a priority that weighs what a node adds to the front
   against its distance from the far end. */
#include "graph/order.h"

#include <stdlib.h>

enum { DISTANCE_WEIGHT = 1, DEGREE_WEIGHT = 2 }; /* Sloan's choice */
typedef enum { INACTIVE, PREACTIVE, ACTIVE, DONE } stage;

typedef struct {
  int priority, since, node; /* among equals the oldest */
} entry;

typedef struct {
  const lwi_adjacency *g;
  int *priority;
  unsigned char *stage;
  entry *heap; /* with outdated entries, which are passed over when they come up */
  int nheap, nentry;
} finder;

static bool before(const entry *a, const entry *b)
{
  return a->priority > b->priority || (a->priority == b->priority && a->since < b->since);
}

static void push(finder *f, int v)
{
  const entry e = {f->priority[v], f->nentry++, v};
  int i = f->nheap++;
  for (; i > 0 && before(&e, &f->heap[(i - 1) / 2]); i = (i - 1) / 2)
    f->heap[i] = f->heap[(i - 1) / 2];
  f->heap[i] = e;
}

static entry pop(finder *f)
{
  const entry top = f->heap[0], last = f->heap[--f->nheap];
  int i = 0;
  for (int c = 1; c < f->nheap; c = 2 * i + 1) {
    if (c + 1 < f->nheap && before(&f->heap[c + 1], &f->heap[c])) c++;
    if (!before(&f->heap[c], &last)) break;
    f->heap[i] = f->heap[c];
    i = c;
  }
  f->heap[i] = last;
  return top;
}

/* One neighbour less that would be new to the front. */
static void raise_priority(finder *f, int v)
{
  if (f->stage[v] == DONE) return;
  f->priority[v] += DEGREE_WEIGHT;
  if (f->stage[v] == INACTIVE) f->stage[v] = PREACTIVE;
  push(f, v);
}

static void take(finder *f, int v)
{
  const lwi_adjacency *g = f->g;
  if (f->stage[v] == PREACTIVE)
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      raise_priority(f, g->neighbour[i]);
  f->stage[v] = DONE;
  for (int i = g->start[v]; i < g->start[v + 1]; i++)
    if (f->stage[g->neighbour[i]] == PREACTIVE) {
      const int w = g->neighbour[i];
      f->stage[w] = ACTIVE;
      raise_priority(f, w);
      for (int k = g->start[w]; k < g->start[w + 1]; k++)
        raise_priority(f, g->neighbour[k]);
    }
}

static int number_component(finder *f, int root, int order[])
{
  int n = 0;
  f->nheap = f->nentry = 0;
  f->stage[root] = PREACTIVE;
  push(f, root);
  while (f->nheap) {
    const entry e = pop(f);
    if (f->stage[e.node] == DONE || e.priority != f->priority[e.node]) continue;
    order[n++] = e.node;
    take(f, e.node);
  }
  return n;
}

bool lwi_order_sloan(const lwi_adjacency *g, int order[])
{
  const size_t n = (size_t)g->n, nend = (size_t)g->start[n];
  int *scratch = malloc((7 * n + 2) * sizeof *scratch);
  /* an end of an edge raises the priority of the node there twice at most, a node itself once */
  entry *heap = malloc((2 * nend + 2 * n + 1) * sizeof *heap);
  unsigned char *stages = calloc(n + 1, 1);
  const bool memory = scratch && heap && stages;
  if (memory) {
    lwi_levels a = {.node = scratch, .start = scratch + n, .level = scratch + 2 * n + 1};
    lwi_levels b = {
        .node = scratch + 3 * n + 1, .start = scratch + 4 * n + 1, .level = scratch + 5 * n + 2};
    finder f = {.g = g, .priority = scratch + 6 * n + 2, .stage = stages, .heap = heap};
    for (int v = 0; v < g->n; v++)
      a.level[v] = b.level[v] = -1;
    for (int v = 0, at = 0; v < g->n; v++) {
      if (a.level[v] != -1) continue;
      const int root = lwi_levels_ends(g, v, &a, &b);
      for (int k = 0; k < a.nnode; k++) {
        const int w = a.node[k];
        f.priority[w] = DISTANCE_WEIGHT * b.level[w] - DEGREE_WEIGHT * (lwi_degree(g, w) + 1);
      }
      at += number_component(&f, root, order + at);
    }
  }
  free(scratch);
  free(heap);
  free(stages);
  return memory;
}
