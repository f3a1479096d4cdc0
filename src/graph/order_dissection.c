/* SPDX-License-Identifier: Apache-2.0 */
/* order_dissection.c -- nested dissection ([George1973]): a small separator comes last, the two
   sides before it, each in the same way; small pieces by minimum degree.  Separators are levels of
   breadth-first searches from the end of a pseudo-diameter, thinned. */
#include "graph/order.h"

#include <stdlib.h>

enum { SMALL = 120, OUTSIDE = -2, FREE = -1 };

typedef struct {
  const lwi_adjacency *g;
  int *node;            /* [n] becomes the order: a piece is a range of it */
  lwi_levels a, b;      /* level OUTSIDE: not in the piece at hand */
  int *local, *scratch; /* [n] number of a node in its piece; scratch */
  int *stack;           /* [2 n + 2] ranges still to do */
  int nstack;
} finder;

static void push(finder *f, int begin, int end)
{
  if (begin == end) return;
  f->stack[f->nstack++] = begin;
  f->stack[f->nstack++] = end;
}

/* ---- small pieces ---- */

static bool order_piece(finder *f, int begin, int end)
{
  const lwi_adjacency *g = f->g;
  const int n = end - begin;
  size_t nend = 0;
  for (int k = begin; k < end; k++) {
    f->local[f->node[k]] = k - begin;
    nend += (size_t)lwi_degree(g, f->node[k]);
  }
  int *memory = malloc((3 * (size_t)n + 1 + nend + 1) * sizeof *memory);
  if (!memory) return false;
  lwi_adjacency s = {.n = n, .start = memory, .weight = memory + n + 1};
  int *order = s.weight + n;
  s.neighbour = order + n;
  int at = 0;
  for (int k = 0; k < n; k++) {
    const int v = f->node[begin + k];
    s.start[k] = at;
    s.weight[k] = g->weight[v];
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      if (f->local[g->neighbour[i]] >= 0) s.neighbour[at++] = f->local[g->neighbour[i]];
  }
  s.start[n] = at;
  const bool done = lwi_order_minimum_degree(&s, order);
  for (int k = 0; k < n; k++)
    f->local[f->node[begin + k]] = -1;
  for (int k = 0; done && k < n; k++)
    order[k] = f->node[begin + order[k]];
  for (int k = 0; done && k < n; k++)
    f->node[begin + k] = order[k];
  free(memory);
  return done;
}

/* ---- cutting ---- */

/* Sorts a piece by connected parts; small ones stay together.  Returns whether it came apart. */
static bool split_parts(finder *f, int begin, int end)
{
  const lwi_adjacency *g = f->g;
  int n = 0, start = 0;
  const int first = f->nstack;
  for (int k = begin; k < end; k++) {
    if (f->a.level[f->node[k]] != FREE) continue;
    const int from = n;
    f->scratch[n++] = f->node[k];
    f->a.level[f->node[k]] = 0;
    for (int j = from; j < n; j++)
      for (int i = g->start[f->scratch[j]]; i < g->start[f->scratch[j] + 1]; i++)
        if (f->a.level[g->neighbour[i]] == FREE) {
          f->a.level[g->neighbour[i]] = 0;
          f->scratch[n++] = g->neighbour[i];
        }
    if (n - start > SMALL) { /* the small ones so far, then this one */
      push(f, begin + start, begin + from);
      push(f, begin + from, begin + n);
      start = n;
    }
  }
  push(f, begin + start, begin + n);
  for (int k = 0; k < n; k++) {
    f->node[begin + k] = f->scratch[k];
    f->a.level[f->scratch[k]] = FREE;
  }
  const bool apart = f->nstack - first > 2;
  if (!apart) f->nstack = first;
  return apart;
}

/* The lightest level among those that leave a third of the weight, or more, on both sides. */
static int find_separator(const finder *f)
{
  const lwi_levels *l = &f->a;
  double total = 0, below = 0, lightest = 0;
  int best = -1;
  for (int k = 0; k < l->nnode; k++)
    total += f->g->weight[l->node[k]];
  for (int i = 0; i + 1 < l->nlevel; i++) {
    double own = 0;
    for (int k = l->start[i]; k < l->start[i + 1]; k++)
      own += f->g->weight[l->node[k]];
    const double above = total - below - own;
    const bool balanced = below >= total / 3 && above >= total / 3;
    const bool middle = best < 0 && below + own >= total / 2;
    if (i > 0 && (middle || (balanced && (best < 0 || own < lightest)))) {
      best = i;
      lightest = own;
    }
    below += own;
  }
  return lightest < total / 6 ? best : -1; /* a fat one is worth nothing */
}

static bool touches_level(const finder *f, int v, int level)
{
  const lwi_adjacency *g = f->g;
  for (int i = g->start[v]; i < g->start[v + 1]; i++)
    if (f->a.level[g->neighbour[i]] == level) return true;
  return false;
}

/* One side, the other side, the separator. */
static void cut(finder *f, int begin, int separator)
{
  const lwi_levels *l = &f->a;
  int n = begin, nseparator = 0;
  for (int k = 0; k < l->start[separator]; k++)
    f->node[n++] = l->node[k];
  for (int k = l->start[separator]; k < l->start[separator + 1]; k++)
    if (touches_level(f, l->node[k], separator + 1))
      f->scratch[nseparator++] = l->node[k];
    else
      f->node[n++] = l->node[k];
  push(f, begin, n);
  const int middle = n;
  for (int k = l->start[separator + 1]; k < l->nnode; k++)
    f->node[n++] = l->node[k];
  push(f, middle, n);
  for (int k = 0; k < nseparator; k++)
    f->node[n++] = f->scratch[k];
}

static bool dissect(finder *f, int begin, int end)
{
  if (end - begin <= SMALL) return order_piece(f, begin, end);
  for (int k = begin; k < end; k++)
    f->a.level[f->node[k]] = f->b.level[f->node[k]] = FREE;
  const bool apart = split_parts(f, begin, end);
  int separator = -1;
  if (!apart) {
    lwi_levels_ends(f->g, f->node[begin], &f->a, &f->b);
    separator = f->a.nlevel >= 3 ? find_separator(f) : -1;
    if (separator >= 0) cut(f, begin, separator);
  }
  for (int k = begin; k < end; k++)
    f->a.level[f->node[k]] = f->b.level[f->node[k]] = OUTSIDE;
  return apart || separator >= 0 || order_piece(f, begin, end);
}

bool lwi_order_dissection(const lwi_adjacency *g, int order[])
{
  const size_t n = (size_t)g->n;
  int *memory = malloc((10 * n + 6) * sizeof *memory);
  if (!memory) return false;
  finder f = {.g = g, .node = order, .local = memory, .scratch = memory + n};
  f.stack = memory + 2 * n;
  f.a = (lwi_levels){.node = f.stack + 2 * n + 2};
  f.a.start = f.a.node + n;
  f.a.level = f.a.start + n + 1;
  f.b = (lwi_levels){.node = f.a.level + n};
  f.b.start = f.b.node + n;
  f.b.level = f.b.start + n + 1;
  for (int v = 0; v < g->n; v++) {
    order[v] = v;
    f.local[v] = -1;
    f.a.level[v] = f.b.level[v] = OUTSIDE;
  }
  bool done = true;
  push(&f, 0, g->n);
  while (done && f.nstack) {
    f.nstack -= 2;
    done = dissect(&f, f.stack[f.nstack], f.stack[f.nstack + 1]);
  }
  free(memory);
  return done;
}
