/* SPDX-License-Identifier: Apache-2.0 */
/* order.h -- what the files order*.c of this folder share: a clean undirected graph and searches in
   it. */
#ifndef LWI_GRAPH_ORDER_H
#define LWI_GRAPH_ORDER_H
#include "linkwork/order.h"

#include <stdbool.h>
#include <stddef.h>

/* Each edge from both ends, once; no loops; the neighbours of a node by rising degree, then
   number. */
typedef struct {
  int n;
  int *start, *neighbour; /* [n + 1], [start[n]] */
  int *weight;            /* [n] */
} lwi_adjacency;

static inline int lwi_degree(const lwi_adjacency *g, int v)
{
  return g->start[v + 1] - g->start[v];
}

/* Cleans a graph.  One block of memory, freed with lwi_adjacency_free. */
lw_status lwi_adjacency_new(const lw_undirected *g, lwi_adjacency *clean);
void lwi_adjacency_free(lwi_adjacency *g);

/* The methods: false means no memory.  order[] is written completely. */
bool lwi_order_cuthill_mckee(const lwi_adjacency *g, int order[]); /* reversed */
bool lwi_order_gibbs(const lwi_adjacency *g, bool king, int order[]);
bool lwi_order_sloan(const lwi_adjacency *g, int order[]);
bool lwi_order_minimum_degree(const lwi_adjacency *g, int order[]);
bool lwi_order_dissection(const lwi_adjacency *g, int order[]);
bool lwi_order_perfect(const lwi_adjacency *g, int order[]);
bool lwi_order_search(const lwi_adjacency *g, int order[]);

/* eq. 27 of an order; place[n] is scratch */
double lwi_order_work(const lwi_adjacency *g, const int order[], int place[]);
bool lwi_order_measure(const lwi_adjacency *g, const int order[], lw_order_cost *cost);

/* ---- levels (order_levels.c) ---- */

/* A breadth-first search from a root: the nodes by level, level k from start[k] to start[k+1]-1. */
typedef struct {
  int *node;  /* [n] */
  int *start; /* [n + 1] */
  int *level; /* [n] by node; -1: not reached.  Nodes with level != free are never entered. */
  int nnode, nlevel, width;
} lwi_levels;

/* Searches the nodes that have level -1 and gives them levels. */
void lwi_levels_search(const lwi_adjacency *g, int root, lwi_levels *l);
/* Takes the levels away again. */
void lwi_levels_forget(lwi_levels *l);
/* Two nodes far apart in the component of `from`, with the levels seen from both: a
   pseudo-diameter, [Gibbs1976] algorithm I.  Returns the first end, whose levels are in *a; *b has
   those of the other end.  Costs a few searches. */
int lwi_levels_ends(const lwi_adjacency *g, int from, lwi_levels *a, lwi_levels *b);

#endif
