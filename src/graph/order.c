/* SPDX-License-Identifier: Apache-2.0 */
/* order.c -- numbering of the nodes of a graph: the public functions, names of the methods, and the
   clean adjacency lists that all methods use. */
#include "graph/order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_NAME(value, name, what) name,
#define ORDER_TEXT(value, name, what) what,
static const char *const names[] = {LW_ORDER_LIST(ORDER_NAME)};
static const char *const texts[] = {LW_ORDER_LIST(ORDER_TEXT)};

static bool is_method(lw_order_method method)
{
  return (int)method >= 0 && method < LW_ORDER_METHODS;
}

const char *lw_order_method_name(lw_order_method method)
{
  return is_method(method) ? names[method] : NULL;
}

lw_order_method lw_find_order_method(const char *name)
{
  static const struct {
    const char *name;
    lw_order_method method;
  } usual[] = {{"rcm", LW_ORDER_REVERSE_CUTHILL_MCKEE},
               {"gps", LW_ORDER_GIBBS_POOLE_STOCKMEYER},
               {"amd", LW_ORDER_MINIMUM_DEGREE},
               {"nd", LW_ORDER_NESTED_DISSECTION}};
  int i = 0;
  if (!name) return LW_ORDER_METHODS;
  for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
    if (strcmp(name, usual[k].name) == 0) return usual[k].method;
  while (i < LW_ORDER_METHODS && strcmp(name, names[i]) != 0)
    i++;
  return (lw_order_method)i;
}

const char *lw_order_method_text(lw_order_method method)
{
  return is_method(method) ? texts[method] : NULL;
}

static bool is_sound(const lw_undirected *g)
{
  if (!g || g->nnode < 0 || (g->nnode && !g->start)) return false;
  if (g->nnode && g->start[0] != 0) return false;
  for (int v = 0; v < g->nnode; v++) {
    if (g->start[v + 1] < g->start[v]) return false;
    if (g->weight && g->weight[v] < 1) return false;
  }
  const int nend = g->nnode ? g->start[g->nnode] : 0;
  if (nend > INT_MAX / 2 || (nend && !g->neighbour)) return false;
  for (int i = 0; i < nend; i++)
    if (g->neighbour[i] < 0 || g->neighbour[i] >= g->nnode) return false;
  return true;
}

/* every edge from both ends, repeated ones still in */
static void list_both_ways(const lw_undirected *g, int *start, int *item)
{
  for (int v = 0; v < g->nnode; v++)
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      if (g->neighbour[i] != v) {
        start[v + 1]++;
        start[g->neighbour[i] + 1]++;
      }
  for (int v = 0; v < g->nnode; v++)
    start[v + 1] += start[v];
  for (int v = 0; v < g->nnode; v++)
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      if (g->neighbour[i] != v) {
        item[start[v]++] = g->neighbour[i];
        item[start[g->neighbour[i]]++] = v;
      }
  for (int v = g->nnode; v > 0; v--) /* filling has moved each start to the next */
    start[v] = start[v - 1];
  if (g->nnode) start[0] = 0;
}

/* in place; seen[n] is scratch */
static void drop_repeated(int n, int *start, int *item, int *seen)
{
  int to = 0, begin = 0;
  for (int v = 0; v < n; v++)
    seen[v] = -1;
  for (int v = 0; v < n; v++) {
    const int end = start[v + 1];
    start[v] = to;
    for (int i = begin; i < end; i++)
      if (seen[item[i]] != v) {
        seen[item[i]] = v;
        item[to++] = item[i];
      }
    begin = end;
  }
  start[n] = to;
}

/* Nodes by rising degree, each handed to its neighbours in turn: all lists come out sorted. */
static void sort_by_degree(int n, const int *start, const int *item, int *scratch, int *sorted)
{
  int *head = scratch, *next = head + n + 1, *fill = next + n;
  for (int d = 0; d <= n; d++)
    head[d] = -1;
  for (int v = n - 1; v >= 0; v--) {
    const int d = start[v + 1] - start[v];
    next[v] = head[d];
    head[d] = v;
    fill[v] = start[v];
  }
  for (int d = 0; d <= n; d++)
    for (int v = head[d]; v >= 0; v = next[v])
      for (int i = start[v]; i < start[v + 1]; i++)
        sorted[fill[item[i]]++] = v;
}

lw_status lwi_adjacency_new(const lw_undirected *g, lwi_adjacency *clean)
{
  *clean = (lwi_adjacency){0};
  if (!is_sound(g)) return LW_E_ARG;
  const size_t n = (size_t)g->nnode, nend = n ? 2 * (size_t)g->start[n] : 0;
  int *memory = calloc(2 * n + 1 + nend + 1, sizeof *memory);
  int *scratch = malloc((nend + 3 * n + 2) * sizeof *scratch);
  if (!memory || !scratch) {
    free(memory);
    free(scratch);
    return LW_E_MEMORY;
  }
  *clean = (lwi_adjacency){.n = g->nnode, .start = memory, .weight = memory + n + 1};
  clean->neighbour = clean->weight + n;
  int *item = scratch + 3 * n + 2;
  list_both_ways(g, clean->start, item);
  drop_repeated(clean->n, clean->start, item, scratch);
  sort_by_degree(clean->n, clean->start, item, scratch, clean->neighbour);
  for (int v = 0; v < clean->n; v++)
    clean->weight[v] = g->weight ? g->weight[v] : 1;
  free(scratch);
  return LW_OK;
}

void lwi_adjacency_free(lwi_adjacency *g)
{
  free(g->start);
  *g = (lwi_adjacency){0};
}

static bool order_by(const lwi_adjacency *g, lw_order_method method, int order[])
{
  switch (method) {
  case LW_ORDER_REVERSE_CUTHILL_MCKEE: return lwi_order_cuthill_mckee(g, order);
  case LW_ORDER_GIBBS_POOLE_STOCKMEYER: return lwi_order_gibbs(g, false, order);
  case LW_ORDER_GIBBS_KING: return lwi_order_gibbs(g, true, order);
  case LW_ORDER_SLOAN: return lwi_order_sloan(g, order);
  case LW_ORDER_SEARCH: return lwi_order_search(g, order);
  case LW_ORDER_MINIMUM_DEGREE: return lwi_order_minimum_degree(g, order);
  case LW_ORDER_NESTED_DISSECTION: return lwi_order_dissection(g, order);
  case LW_ORDER_PERFECT: return lwi_order_perfect(g, order);
  case LW_ORDER_NATURAL:
  case LW_ORDER_METHODS: break;
  }
  for (int k = 0; k < g->n; k++)
    order[k] = k;
  return true;
}

lw_status lw_order_nodes(const lw_undirected *g, lw_order_method method, int order[])
{
  lwi_adjacency clean;
  if (!is_method(method) || (g && g->nnode > 0 && !order)) return LW_E_ARG;
  const lw_status status = lwi_adjacency_new(g, &clean);
  if (status != LW_OK) return status;
  const bool memory = clean.n == 0 || order_by(&clean, method, order);
  lwi_adjacency_free(&clean);
  return memory ? LW_OK : LW_E_MEMORY;
}

static bool is_permutation(int n, const int order[], unsigned char *seen)
{
  memset(seen, 0, (size_t)n);
  for (int k = 0; k < n; k++) {
    if (order[k] < 0 || order[k] >= n || seen[order[k]]) return false;
    seen[order[k]] = 1;
  }
  return true;
}

lw_status lw_order_cost_of(const lw_undirected *g, const int order[], lw_order_cost *cost)
{
  lwi_adjacency clean;
  if (!cost || (g && g->nnode > 0 && !order)) return LW_E_ARG;
  *cost = (lw_order_cost){0};
  lw_status status = lwi_adjacency_new(g, &clean);
  if (status != LW_OK) return status;
  unsigned char *seen = malloc((size_t)clean.n + 1);
  if (!seen)
    status = LW_E_MEMORY;
  else if (!is_permutation(clean.n, order, seen))
    status = LW_E_ARG;
  else if (clean.n && !lwi_order_measure(&clean, order, cost))
    status = LW_E_MEMORY;
  free(seen);
  lwi_adjacency_free(&clean);
  return status;
}
