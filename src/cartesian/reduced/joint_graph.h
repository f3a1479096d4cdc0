/* SPDX-License-Identifier: Apache-2.0 */
/* joint_graph.h -- the graph of the reduced matrix ([Serban1997] section 4): sets of rows are
   nodes, and neighbours where they touch the same body.  Hubs (reduced.h) are nodes too, neighbours
   of their sets. */
#ifndef LWI_CARTESIAN_REDUCED_JOINT_GRAPH_H
#define LWI_CARTESIAN_REDUCED_JOINT_GRAPH_H
#include "base/arena.h"
#include "cartesian/reduced/descriptor_system.h"
#include "linkwork/order.h"

#include <stdbool.h>

/* The sets of each body: touched[start[i] .. start[i+1]-1] are places in shape.body[]. */
typedef struct {
  int *start, *touched; /* [nbody + 1], [blocks] */
  int *set;             /* [blocks] the set of a place */
} lwi_body_sets;
bool lwi_body_sets_new(const lwi_descriptor_shape *s, lwi_arena *arena, lwi_body_sets *b);

/* Nodes: sets that have rows, in their order, then hubs. */
typedef struct {
  lw_undirected graph; /* weights are rows */
  int nset_node;       /* nodes that are sets */
  int *set_node;       /* [nset] or -1: no rows */
  int *hub_node;       /* [nbody] or -1: not a hub */
  int *node;           /* [nnode] the set or the body */
} lwi_joint_graph;

/* hub[nbody] says which bodies are hubs; NULL: none.  LW_E_MEMORY too where there would be more
   than `most` pairs. */
lw_status lwi_joint_graph_new(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                              const bool hub[], double most, lwi_arena *arena, lwi_joint_graph *g);

/* The same without edges. */
lw_status lwi_joint_graph_nodes(const lwi_descriptor_shape *s, lwi_arena *arena,
                                lwi_joint_graph *g);

/* Multiplications that forming the blocks of B costs, M^-1 included; hubs cost none. */
double lwi_joint_graph_forming(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                               const bool hub[]);

/* Whether bodies, ground and sets are a forest.  If so, order[] are the nodes of g from the leaves
   inward, which fills nothing in and finds no weak pivot if bodies that carry others are hubs. */
bool lwi_joint_graph_leaf_order(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                                const lwi_joint_graph *g, lwi_arena *arena, int order[],
                                lw_status *status);

#endif
