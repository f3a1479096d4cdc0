/* SPDX-License-Identifier: Apache-2.0 */
/* order_search.c -- the numbering of least work inside an envelope, eq. 27 of [Serban1997]: the
   best of the narrow numberings, improved by moving single nodes, and in small graphs by branch and
   bound, which proves it the best unless it gives up. */
#include "graph/order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MOVED = 64, MOST_BOUNDED = 24, MOST_VISITS = 30000 };

static double row_work(int width)
{
  return 0.5 * width * (width + 3.0);
}

double lwi_order_work(const lwi_adjacency *g, const int order[], int place[])
{
  double work = 0;
  for (int k = 0; k < g->n; k++)
    place[order[k]] = k;
  for (int v = 0; v < g->n; v++) {
    int first = place[v];
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      if (place[g->neighbour[i]] < first) first = place[g->neighbour[i]];
    work += row_work(place[v] - first);
  }
  return work;
}

/* ---- moves of single nodes ---- */

static void move(int *order, int from, int to)
{
  const int v = order[from];
  if (from < to)
    memmove(order + from, order + from + 1, (size_t)(to - from) * sizeof *order);
  else
    memmove(order + to + 1, order + to, (size_t)(from - to) * sizeof *order);
  order[to] = v;
}

static double improve_by_moves(const lwi_adjacency *g, int order[], int place[])
{
  double work = lwi_order_work(g, order, place);
  for (bool better = true; better;) {
    better = false;
    for (int from = 0; from < g->n; from++)
      for (int to = 0; to < g->n; to++) {
        move(order, from, to);
        const double w = lwi_order_work(g, order, place);
        if (w < work) {
          work = w;
          better = true;
        } else {
          move(order, to, from);
        }
      }
  }
  return work;
}

/* ---- branch and bound: numbers are given out from the first ---- */

typedef struct {
  const lwi_adjacency *g;
  int first[MOST_BOUNDED]; /* by node: the lowest number among its numbered neighbours; n: none */
  bool placed[MOST_BOUNDED];
  int order[MOST_BOUNDED], best[MOST_BOUNDED];
  double least;
  int visits;
} search;

/* Nodes with numbered neighbours have to come at different places from k on: at best the one that
   waits longest first. */
static double bound(const search *s, int k)
{
  int waiting[MOST_BOUNDED], n = 0;
  double work = 0;
  for (int v = 0; v < s->g->n; v++) {
    if (s->placed[v] || s->first[v] == s->g->n) continue;
    int i = n++;
    for (; i > 0 && waiting[i - 1] > s->first[v]; i--)
      waiting[i] = waiting[i - 1];
    waiting[i] = s->first[v];
  }
  for (int i = 0; i < n; i++)
    work += row_work(k + i - waiting[i]);
  return work;
}

static void place_next(search *s, int k, double work);

static void try_node(search *s, int k, double work, int v)
{
  const lwi_adjacency *g = s->g;
  int changed[MOST_BOUNDED], n = 0;
  s->placed[v] = true;
  s->order[k] = v;
  for (int i = g->start[v]; i < g->start[v + 1]; i++) {
    const int w = g->neighbour[i];
    if (s->placed[w] || s->first[w] < g->n) continue;
    s->first[w] = k;
    changed[n++] = w;
  }
  place_next(s, k + 1, work + (s->first[v] < g->n ? row_work(k - s->first[v]) : 0));
  while (n > 0)
    s->first[changed[--n]] = g->n;
  s->placed[v] = false;
}

/* recursion is as deep as the graph is large, MOST_BOUNDED at most */
static void place_next(search *s, int k, double work)
{
  const int n = s->g->n;
  if (++s->visits > MOST_VISITS || work + bound(s, k) >= s->least) return;
  if (k == n) {
    s->least = work;
    memcpy(s->best, s->order, (size_t)n * sizeof(int));
    return;
  }
  /* those that wait longest first: good orders are found early */
  for (int first = 0; first <= n; first++)
    for (int v = 0; v < n; v++)
      if (!s->placed[v] && s->first[v] == first) try_node(s, k, work, v);
}

static void bound_all(const lwi_adjacency *g, int order[], double work)
{
  search s = {.g = g, .least = work};
  memcpy(s.best, order, (size_t)g->n * sizeof(int));
  for (int v = 0; v < g->n; v++)
    s.first[v] = g->n;
  place_next(&s, 0, 0);
  memcpy(order, s.best, (size_t)g->n * sizeof(int));
}

/* ---- all of it ---- */

static bool narrow_order(const lwi_adjacency *g, int which, int order[])
{
  switch (which) {
  case 0: return lwi_order_cuthill_mckee(g, order);
  case 1: return lwi_order_gibbs(g, false, order);
  case 2: return lwi_order_gibbs(g, true, order);
  default: return lwi_order_sloan(g, order);
  }
}

bool lwi_order_search(const lwi_adjacency *g, int order[])
{
  enum { NARROW = 4 };
  int *trial = malloc(2 * (size_t)g->n * sizeof *trial), *place = trial ? trial + g->n : NULL;
  bool memory = trial != NULL;
  double least = 0;
  for (int i = 0; memory && i < NARROW; i++) {
    memory = narrow_order(g, i, trial);
    if (!memory) break;
    const double work =
        g->n <= MOST_MOVED ? improve_by_moves(g, trial, place) : lwi_order_work(g, trial, place);
    if (i > 0 && work >= least) continue;
    least = work;
    memcpy(order, trial, (size_t)g->n * sizeof *order);
  }
  if (memory && g->n <= MOST_BOUNDED) bound_all(g, order, least);
  free(trial);
  return memory;
}
