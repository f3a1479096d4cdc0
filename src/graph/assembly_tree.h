/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_tree.h -- in which order the edges of a graph are eliminated, two connected sets of
   nodes at a time: the plan of a divide-and-conquer computation, without mechanics.

   A leaf is one node.  A join unites two disjoint assemblies at one edge between them; a close
   eliminates an edge inside one assembly, or to the ground (LW_NO_NODE, which is no node and
   belongs to no assembly).  The handles of an assembly are its nodes that have edges left: only
   these are seen from outside.

   Edges may belong to groups, which stand for something between more than two nodes: the edges of a
   group connect its nodes, all but the last of them are idle, and with the last one all of the
   group is eliminated; until then its nodes stay handles.  A late edge is one of a single node
   (from = to) that is eliminated when the node has no other.

   The plan comes from recursive bisection with small separators.  A path is halved.  Otherwise the
   cuts that are tried are the prefixes of a breadth-first order from a node at the rim, and the
   subtrees of a depth-first tree (which contain every bridge); the one with the least edges / nodes
   on the smaller side wins.  Where that leaves the halves very unequal (a hub with many branches),
   the middle node of the depth-first tree is taken out and its branches are joined to it one after
   the other, the small ones first. */
#ifndef LWI_GRAPH_ASSEMBLY_TREE_H
#define LWI_GRAPH_ASSEMBLY_TREE_H
#include <stdbool.h>

#include "base/arena.h"
#include "linkwork/status.h"

typedef enum { LWI_ASSEMBLY_LEAF, LWI_ASSEMBLY_JOIN, LWI_ASSEMBLY_CLOSE } lwi_assembly_kind;

typedef struct {
  lwi_assembly_kind kind;
  int node;            /* of a leaf; else -1 */
  int edge;            /* which is eliminated; of a leaf -1 */
  int left, right;     /* the assemblies that become this one; -1: none */
  int parent;          /* -1: nothing is left outside */
  int first;           /* this assembly and all inside it are first ... itself */
  int level;           /* longest path to a leaf */
  int handle, nhandle; /* its handles are tree->handle[handle] ... */
  bool idle;           /* nothing is eliminated: the group of its edge is not complete */
  bool loop;           /* the edge closes a loop, through the ground perhaps */
  bool grounded;       /* it holds an eliminated edge to the ground */
} lwi_assembly;

typedef struct {
  int nnode, nedge, nassembly, nroot;
  const int *from, *to;   /* [nedge] */
  const int *group;       /* [nedge] */
  lwi_assembly *assembly; /* [nassembly] what is inside comes before what is outside (post-order) */
  int *handle;            /* nodes */
  int *root;              /* [nroot] one per component, in the order of the assemblies */
  double *path;           /* [nassembly] scratch of lwi_assembly_tree_cost */
  lwi_arena arena;        /* owns all this and the tree itself */
} lwi_assembly_tree;

/* Edge e is between nodes from[e] and to[e], one of which may be LW_NO_NODE.  Deterministic; no
   recursion; n log n for trees and for graphs with small separators.  NULL: see *status. */
lwi_assembly_tree *lwi_assembly_tree_new(int nnode, int nedge, const int from[], const int to[],
                                         lw_status *status);
/* The same with group[e]: 0, 1, ...; LWI_NO_GROUP; or LWI_LATE, then from[e] = to[e].
   order[nedge]: edges are eliminated one after the other; NULL: by bisection. */
enum { LWI_NO_GROUP = -1, LWI_LATE = -2 };
lwi_assembly_tree *lwi_assembly_tree_grouped(int nnode, int nedge, const int from[], const int to[],
                                             const int group[], const int order[],
                                             lw_status *status);
void lwi_assembly_tree_free(lwi_assembly_tree *t);

/* ---- orders of edges (assembly_order.c) ---- */

/* Nodes from the last one to the first, each with the edges to nodes before it: of a tree whose
   nodes come after those that carry them this is the order of the recursion. */
bool lwi_assembly_order_inward(int nedge, const int from[], const int to[], int order[]);
/* Assemblies join in pairs, as many as possible at a time, each pair with all edges between its
   two; edges to the ground come last. */
bool lwi_assembly_order_pairs(int nnode, int nedge, const int from[], const int to[], int order[]);

/* ---- what it will cost (assembly_cost.c) ---- */

int lwi_assembly_inside(const lwi_assembly_tree *t, const lwi_assembly *a); /* handles before */

typedef struct {
  int depth;         /* assemblies on the longest path from the root to a leaf, less one */
  int widest;        /* most handles of an assembly */
  double operations; /* multiplications in all */
  double critical;   /* multiplications one after the other, whatever the number of processors */
} lwi_assembly_cost;

/* Multiplications of one assembly when its edge has `rows` scalar equations and handles have six
   components; assembly and disassembly. */
double lwi_assembly_work(const lwi_assembly_tree *t, int assembly, int rows);
/* rows: [nedge], NULL: 5 each; not by two threads at once */
lwi_assembly_cost lwi_assembly_tree_cost(const lwi_assembly_tree *t, const int rows[]);
/* Speed-up that a greedy schedule on p processors reaches at least ([Brent1974]). */
double lwi_assembly_speed_up(const lwi_assembly_cost *c, int p);

#endif
