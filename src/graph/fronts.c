/* SPDX-License-Identifier: Apache-2.0 */
/* fronts.c -- plans the fronts of a multifrontal factorisation [Liu1992]: finds them, merges them
   where that is cheaper, and numbers them (fronts.h). */
#include "graph/fronts.h"

#include "base/arena.h"
#include "graph/elimination.h"

#include <stdlib.h>
#include <string.h>

/* One front per node to begin with; node and front k are by place in the order. */
typedef struct {
  const lwi_adjacency *g;
  const int *order;
  int n;
  int *place, *parent, *post, *scratch, *scratch2;
  size_t *start;            /* [n + 1] of the nodes below the diagonal of each column */
  int *below;               /* places */
  int *rows;                /* [n] numbers below the columns of a front */
  int *columns;             /* [n] numbers that it eliminates; 0: merged into its parent */
  int *first, *last, *next; /* [n] list of the nodes it eliminates */
  lwi_arena arena;
} planner;

/* ---- the pattern of the factor ---- */

/* Nodes below column k: its later neighbours and what is below its children. */
static size_t list_column(const planner *p, const int *head, const int *sibling, int k, size_t to)
{
  const lwi_adjacency *g = p->g;
  int *seen = p->scratch;
  const size_t begin = to;
  seen[k] = k;
  for (int e = g->start[p->order[k]]; e < g->start[p->order[k] + 1]; e++) {
    const int i = p->place[g->neighbour[e]];
    if (i <= k || seen[i] == k) continue;
    seen[i] = k;
    p->below[to++] = i;
  }
  for (int c = head[k]; c >= 0; c = sibling[c])
    for (size_t e = p->start[c]; e < p->start[c] + (size_t)p->scratch2[c]; e++) {
      const int i = p->below[e];
      if (i <= k || seen[i] == k) continue;
      seen[i] = k;
      p->below[to++] = i;
    }
  p->scratch2[k] = (int)(to - begin);
  return to;
}

static bool list_columns(planner *p, size_t most)
{
  lw_order_cost cost = {0};
  if (!lwi_order_measure(p->g, p->order, &cost)) return false;
  const double nbelow = cost.fill + 0.5 * p->g->start[p->n];
  if (nbelow > (double)most) return false;
  p->below = LWI_TAKE(&p->arena, nbelow + 1, int);
  int *head = LWI_TAKE(&p->arena, 2 * p->n, int), *sibling = head ? head + p->n : NULL;
  if (!p->below || !head) return false;
  for (int k = 0; k < p->n; k++)
    head[k] = p->scratch[k] = -1;
  for (int k = p->n - 1; k >= 0; k--)
    if (p->parent[k] >= 0) {
      sibling[k] = head[p->parent[k]];
      head[p->parent[k]] = k;
    }
  size_t to = 0;
  for (int k = 0; k < p->n; k++) { /* children have lower places than parents */
    p->start[k] = to;
    to = list_column(p, head, sibling, k, to);
  }
  p->start[p->n] = to;
  return true;
}

/* ---- merging ---- */

static bool is_worth(const planner *p, int child, int into, lwi_front_cost *cost)
{
  const int rest = p->columns[into] + p->rows[into];
  if (rest == p->rows[child]) return true; /* fits */
  if (!cost) return false;
  return cost(p->columns[child] + p->columns[into], p->columns[child] + rest) <=
         cost(p->columns[child], p->columns[child] + p->rows[child]) + cost(p->columns[into], rest);
}

/* A front that its parent has absorbed keeps no columns. */
static void merge_fronts(planner *p, lwi_front_cost *cost)
{
  for (int k = 0; k < p->n; k++) {
    p->columns[k] = p->g->weight[p->order[k]];
    p->first[k] = p->last[k] = k;
    p->next[k] = -1;
    p->rows[k] = 0;
    for (size_t e = p->start[k]; e < p->start[k + 1]; e++)
      p->rows[k] += p->g->weight[p->order[p->below[e]]];
  }
  /* in postorder the children of k are as they will be when k is looked at; a child is tried when
     it is finished itself, that is, when its turn has passed */
  for (int i = 0; i < p->n; i++) {
    const int k = p->post[i], into = p->parent[k];
    if (into < 0 || !is_worth(p, k, into, cost)) continue;
    p->next[p->last[k]] = p->first[into];
    p->first[into] = p->first[k];
    p->columns[into] += p->columns[k];
    p->columns[k] = 0;
  }
}

/* ---- the result ---- */

/* new numbers of the fronts that are left, children first; scratch[k]: number of front k, or -1 */
static void number_fronts(const planner *p, lwi_fronts *f)
{
  f->nfront = 0;
  for (int i = 0; i < p->n; i++) {
    const int k = p->post[i];
    p->scratch[k] = p->columns[k] > 0 ? f->nfront++ : -1;
  }
  for (int k = 0; k < p->n; k++) {
    if (p->scratch[k] < 0) continue;
    int parent = p->parent[k];
    while (parent >= 0 && p->columns[parent] == 0)
      parent = p->parent[parent];
    f->parent[p->scratch[k]] = parent < 0 ? -1 : p->scratch[parent];
  }
}

static void list_children(lwi_fronts *f)
{
  for (int i = 0; i < f->nfront; i++)
    if (f->parent[i] >= 0) f->child_start[f->parent[i] + 1]++;
  for (int i = 0; i < f->nfront; i++)
    f->child_start[i + 1] += f->child_start[i];
  for (int i = 0; i < f->nfront; i++)
    if (f->parent[i] >= 0) f->child[f->child_start[f->parent[i]]++] = i;
  for (int i = f->nfront; i > 0; i--)
    f->child_start[i] = f->child_start[i - 1];
  f->child_start[0] = 0;
}

/* the nodes that a front eliminates, and memory for those below */
static void list_eliminated(const planner *p, lwi_fronts *f)
{
  int at = 0, n = 0;
  for (int i = 0; i < p->n; i++) {
    const int k = p->post[i], front = p->scratch[k];
    if (front < 0) continue;
    f->node_start[front] = at;
    for (int v = p->first[k]; v >= 0; v = p->next[v]) {
      f->node[at++] = p->order[v];
      f->order[n++] = p->order[v];
      f->neliminated[front]++;
    }
    at += (int)(p->start[k + 1] - p->start[k]);
  }
  f->node_start[f->nfront] = at;
}

/* Nodes below, in the order of elimination: each node in that order is given to the fronts that
   have it. */
static bool list_below(planner *p, lwi_fronts *f)
{
  const size_t n = (size_t)p->n;
  int *count = calloc(n + 1, sizeof *count), *fill = malloc((n + 1) * sizeof *fill);
  int *has = malloc(((size_t)f->node_start[f->nfront] + 1) * sizeof *has);
  const bool memory = count && fill && has;
  if (memory) {
    for (int k = 0; k < p->n; k++)
      for (size_t e = p->start[k]; p->scratch[k] >= 0 && e < p->start[k + 1]; e++)
        count[p->order[p->below[e]] + 1]++;
    for (size_t v = 0; v < n; v++)
      count[v + 1] += count[v];
    memcpy(fill, count, (n + 1) * sizeof *fill);
    for (int k = 0; k < p->n; k++)
      for (size_t e = p->start[k]; p->scratch[k] >= 0 && e < p->start[k + 1]; e++)
        has[fill[p->order[p->below[e]]]++] = p->scratch[k];
    for (int i = 0; i < f->nfront; i++)
      fill[i] = f->node_start[i] + f->neliminated[i];
    for (size_t i = 0; i < n; i++)
      for (int e = count[f->order[i]]; e < count[f->order[i] + 1]; e++)
        f->node[fill[has[e]]++] = f->order[i];
  }
  free(count);
  free(fill);
  free(has);
  return memory;
}

static bool plan(planner *p, lwi_front_cost *cost, size_t most, lwi_fronts *f)
{
  const size_t n = (size_t)p->n;
  int **const arrays[] = {&p->place, &p->parent,  &p->post,  &p->scratch, &p->scratch2,
                          &p->rows,  &p->columns, &p->first, &p->last,    &p->next};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = LWI_TAKE(&p->arena, n, int))) return false;
  if (!(p->start = LWI_TAKE(&p->arena, n + 1, size_t))) return false;
  for (int k = 0; k < p->n; k++)
    p->place[p->order[k]] = k;
  lwi_elimination_tree(p->g, p->order, p->place, p->parent, p->scratch);
  lwi_postorder(p->n, p->parent, p->post, p->scratch, p->scratch2);
  if (!list_columns(p, most)) return false;
  merge_fronts(p, cost);

  size_t nnode = n; /* of all fronts: those eliminated, and those below the last column of each */
  for (size_t k = 0; k < n; k++)
    nnode += p->columns[k] > 0 ? p->start[k + 1] - p->start[k] : 0;
  f->memory = calloc(6 * n + 2 + nnode, sizeof *f->memory);
  if (!f->memory) return false;
  f->parent = f->memory;
  f->neliminated = f->parent + n;
  f->node_start = f->neliminated + n;
  f->child_start = f->node_start + n + 1;
  f->child = f->child_start + n + 1;
  f->order = f->child + n;
  f->node = f->order + n;
  number_fronts(p, f);
  list_children(f);
  list_eliminated(p, f);
  return list_below(p, f);
}

lw_status lwi_fronts_new(const lwi_adjacency *g, const int order[], lwi_front_cost *cost,
                         size_t most, lwi_fronts *f)
{
  planner p = {.g = g, .order = order, .n = g->n};
  *f = (lwi_fronts){0};
  const bool memory = plan(&p, cost, most, f);
  lwi_arena_free(&p.arena);
  if (!memory) lwi_fronts_free(f);
  return memory ? LW_OK : LW_E_MEMORY;
}

void lwi_fronts_free(lwi_fronts *f)
{
  free(f->memory);
  *f = (lwi_fronts){0};
}
