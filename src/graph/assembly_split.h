/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_split.h -- how assembly_tree.c cuts a connected set of nodes in two or more. */
#ifndef LWI_GRAPH_ASSEMBLY_SPLIT_H
#define LWI_GRAPH_ASSEMBLY_SPLIT_H
#include "base/arena.h"

/* A connected set of nodes: order[low] ... order[high - 1].  Its parts are regions, too. */
typedef struct {
  int low, high;
  int part, npart; /* its parts are regions part ... part + npart - 1; none: a single node */
  int edge, nedge; /* the edges between its parts: crossing[edge] ..., in the order of joining */
  int path;        /* its nodes are a path in the order given */
} lwi_region;

typedef struct {
  int nnode, nedge;
  const int *from, *to;
  int *start,
      *adjacent; /* [nnode + 1], edges at each node, without those to ground and to itself */
  int *order;    /* [nnode] */
  int *place;    /* [nnode] the smallest region so far that holds the node */
  int nregion;
  lwi_region *region; /* [2 nnode] */
  int ncrossing;
  int *crossing; /* [nedge] */
  /* scratch, by node */
  int *list, *parent, *next, *size, *seen, *side, *out;
  int (*pair)[2]; /* [nnode + nedge] */
  int stamp;
} lwi_splitter;

/* Splits region r into smaller ones, appended to s->region, and lists the edges between them. */
void lwi_split_region(lwi_splitter *s, int r);

#endif
