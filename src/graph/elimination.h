/* SPDX-License-Identifier: Apache-2.0 */
/* elimination.h -- the elimination tree of a numbering ([Liu1990]): the parent of a node is the
   first one after it that its elimination changes. */
#ifndef LWI_GRAPH_ELIMINATION_H
#define LWI_GRAPH_ELIMINATION_H
#include "graph/order.h"

/* By place in the order: place[order[k]] = k.  parent[n], -1: a root; ancestor[n] is scratch. */
void lwi_elimination_tree(const lwi_adjacency *g, const int order[], const int place[],
                          int parent[], int ancestor[]);
/* Children before parents, subtrees contiguous.  head[n] and next[n] are scratch. */
void lwi_postorder(int n, const int parent[], int post[], int head[], int next[]);

#endif
