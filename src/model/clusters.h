/* SPDX-License-Identifier: Apache-2.0 */
/* clusters.h -- loops that hang together, each cluster of them as one node of a coarser tree.

   A constraint sees only the motion of its links relative to their deepest common ancestor, its
   base.  The links on the paths from the base to the constraint's links, without the base, are its
   aggregation subgraph; constraints whose subgraphs meet form a cluster.  The links of a cluster
   hang on one base, and with each cluster contracted to a node the tree is a tree again:
   docs/theory/loops.md. */
#ifndef LWI_MODEL_CLUSTERS_H
#define LWI_MODEL_CLUSTERS_H
#include "linalg/reduction.h"

typedef struct {
  int base, head;              /* the link that it hangs on; the first of its own */
  int link, nlink;             /* its links: inward ones first */
  int column, ncolumn;         /* its freedoms, in the order of its links */
  int constraint, nconstraint; /* its constraints */
  int capacity;                /* most independent speeds ... */
  size_t cluster_motions;      /* ... and where their motions are: [nlink][capacity] */
  size_t map;                  /* [ncolumn][capacity] */
  int speed;                   /* first independent speed among those of all clusters: [capacity] */
  size_t mass;                 /* [capacity][capacity] */
} lwi_cluster;

/* what a link is to the recursion on the coarser tree */
typedef struct {
  int cluster; /* -1: none */
  int at, in;  /* its place among all cluster links, and its parent's; in = -1: the base */
  int column;  /* of its first freedom in the cluster */
  int sum;     /* where what hangs on it is summed up; -1: nothing is */
  int into; /* it, or the cluster whose head it is, hands to this sum; -1: to the link before it */
  bool first;   /* as the first one to do so */
  bool bare;    /* nothing hangs on it but links of its own cluster */
  bool arrives; /* the link after it hands to it directly */
} lwi_member;

/* of a constraint, by the order of lwi_tree_constraints */
typedef struct {
  int cluster;
  int strip; /* its rows, with its freedoms as places among the cluster's */
  int walk;  /* in walk: those that it passes inward */
} lwi_cluster_constraint;

typedef struct {
  int ncluster, nlink, ncolumn, nsum, nspeed;
  bool fit;    /* the capacity suffices for any rank */
  bool locked; /* some of their freedoms are: they cannot be nodes */
  lwi_cluster *cluster;
  int *link, *column, *order; /* of all clusters: links, freedoms in link order, constraints */
  lwi_member *member;         /* [nlink of the model] */
  lwi_cluster_constraint *constraint; /* [ntie] */
  lwi_strip
      *strip; /* [ntie] cluster by cluster: as many as it has constraints, from c->constraint */
  int *strip_column, *walk;
  int *stop; /* by pair of a constraint: where its two paths inward meet */
  size_t nG, nmode, nmap, nmass;
} lwi_clusters;

#endif
