/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.h -- the topology of a model as data: its standard digraph, its class, the spanning tree
   that linkwork computes with, loops, segments, counts.

   The standard digraph ([Jain2012] section 2.2) has the ground as its root, node 0, and body b as
   node b.  Edge j-1 is joint j; the edges after those of the joints are the geometric constraints,
   in the order of the model.  Gears, couplers and drivers relate coordinates, not bodies: they are
   not edges. Edges of the spanning tree, and those at the ground, point away from the ground, even
   where the joint was written the other way round; other edges run from parent to child as written.

     lw_topology *t = lw_topology_new(m, NULL);
     printf("%s, %d loops\n", lw_system_class_name(t->kind), t->nloop);
     lw_topology_free(t);

   Constructors allocate, return NULL on failure and say why in *err, which may be NULL; nothing
   else allocates.  Every cost is proportional to bodies + joints + constraints unless stated. */
#ifndef LINKWORK_INSPECT_H
#define LINKWORK_INSPECT_H
#include "linkwork/graph.h"
#include "linkwork/model.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The standard digraph; free it with lw_graph_free. */
LW_API lw_graph *lw_model_graph(const lw_model *m, lw_error *err);
/* The spanning tree of the model without the ground: node b-1 is body b.  Free with
   lw_tree_free. */
LW_API lw_tree *lw_model_tree(const lw_model *m, lw_error *err);

/* By the standard digraph, in the terms of [Jain2012] section 2.2.  A chain is also a tree, but is
   reported as a chain. */
typedef enum {
  LW_SYSTEM_EMPTY,        /* no bodies */
  LW_SYSTEM_SERIAL_CHAIN, /* every node, the ground included, has at most one child */
  LW_SYSTEM_TREE,
  LW_SYSTEM_CLOSED_CHAIN /* not a tree: it has loops */
} lw_system_class;
LW_API const char *lw_system_class_name(lw_system_class kind); /* "serial-chain system", ... */

LW_API const char *lw_constraint_type_name(lw_constraint_type type); /* as in the model file */
/* True for constraints that are edges; false for gears, couplers and drivers. */
LW_API bool lw_constraint_is_geometric(lw_constraint_type type);

typedef struct {
  int nbody, njoint, nedge;
  lw_system_class kind;
  const lw_graph *graph;       /* the standard digraph */
  const lw_tree *tree;         /* node b-1 is body b */
  const lw_segments *segments; /* of that tree */
  const int *constraint;       /* [nedge - njoint] the constraint of edge njoint + i */

  int ngroup;                    /* connected parts of the system without the ground */
  int nfloating;                 /* those connected to the ground by free joints only */
  const int *group;              /* [nbody] of body b: group[b-1] */
  const unsigned char *floating; /* [ngroup] */

  int nloop;                      /* edges outside the spanning tree */
  const int *loop_edge;           /* [nloop] increasing: joints first, then constraints */
  const int *loop_from, *loop_to; /* [nloop] their ends as nodes of the tree; ground: LW_NO_NODE */
  int nclass;                     /* nodes of the tree in which every loop is inside one node */
  const int *class_of;            /* [nbody] by node of the tree; [Jain2012] section 5.2 */

  /* Freedoms by counting: 6 (planar 3) per body, minus one per equation.  Redundant equations are
     counted like others, so that with loops the true number may be larger. */
  int per_body, joint_equations, constraint_equations;
  int particle_rotations; /* freedoms that free particles do not have */
  int freedoms;

  const int *weight;    /* [nbody] by node: speeds of the joint that carries it */
  const int *carrier;   /* [nbody] by node: the edge of that joint */
  int64_t mass_entries; /* entries of the mass matrix of the tree that are structurally nonzero */
} lw_topology;

LW_API lw_topology *lw_topology_new(const lw_model *m, lw_error *err);
LW_API void lw_topology_free(lw_topology *t);

/* The loop that loop_edge[k] closes: nodes and edges of the digraph, node[i] to node[i+1] by
   edge[i], from the child end of loop_edge[k] through the tree to its parent end; the last edge
   is loop_edge[k] itself.  Returns the length.  Arrays may be NULL; a loop has at most 2 nlevel
   + 1 nodes. Costs the length. */
LW_API int lw_topology_loop(const lw_topology *t, int k, int node[], int edge[]);

#ifdef __cplusplus
}
#endif
#endif
