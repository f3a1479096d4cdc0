/* SPDX-License-Identifier: Apache-2.0 */
/* digraph.h -- the inside of lw_graph, for the files of this folder. */
#ifndef LWI_GRAPH_DIGRAPH_H
#define LWI_GRAPH_DIGRAPH_H

#include "graph/csr.h"
#include "linkwork/graph.h"

struct lw_graph {
  int nnode, nedge;
  int *from, *to;   /* [nedge]                                          */
  lwi_csr out, in;  /* edges that leave, that enter, by node            */
  int *child;       /* [nedge] the node at the far end of out.item[i]   */
  int *parent;      /* [nedge] the node at the far end of in.item[i]    */
  int *root, *leaf; /* [nnode], of which kind.nroot and kind.nleaf used */
  int *component;   /* [nnode]                                          */
  lw_graph_class kind;
};

/* Fills component, root, leaf and kind of a graph with its edges in place; scratch is two arrays of
   nnode ints. */
void lwi_graph_classify(lw_graph *g, int *queue, int *count);

#endif
