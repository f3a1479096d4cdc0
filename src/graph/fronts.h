/* SPDX-License-Identifier: Apache-2.0 */
/* fronts.h -- the plan of a sparse symmetric factorisation: small dense fronts along a tree
   (multifrontal, [Liu1992]).  No numbers here.

   A front eliminates some nodes, its columns, and changes the nodes that are left in it, which all
   belong to its parent.  Nodes with the same or nearly the same neighbours share a front where the
   machine is quicker for it. */
#ifndef LWI_GRAPH_FRONTS_H
#define LWI_GRAPH_FRONTS_H
#include "graph/order.h"

typedef struct {
  int nfront;
  int *parent;              /* [nfront] a later one, or -1 */
  int *node_start, *node;   /* [nfront + 1]: nodes of a front, those it eliminates first */
  int *neliminated;         /* [nfront] how many it eliminates */
  int *child_start, *child; /* [nfront + 1], [nfront] */
  int *order;               /* [n] nodes as they are eliminated in the end */
  int *memory;
} lwi_fronts;

/* What a front costs, in any unit: columns eliminated, rows in all, both in numbers, not nodes.
   What handing over the rest to the parent costs is part of it. */
typedef double lwi_front_cost(int columns, int rows);

/* cost NULL: only fronts that fit without a zero more are merged.  most: entries (of nodes) allowed
   in the factor; LW_E_MEMORY beyond.  Children come before parents. */
lw_status lwi_fronts_new(const lwi_adjacency *g, const int order[], lwi_front_cost *cost,
                         size_t most, lwi_fronts *f);
void lwi_fronts_free(lwi_fronts *f);

#endif
