/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork/graph.h -- directed graphs and trees, without mechanics: what kind of graph it is,
   spanning trees and loops, numbering, partition, aggregation, serial segments.

   Nodes are 0 .. nnode-1, edges 0 .. nedge-1; an edge goes from a parent to a child.  A set of
   nodes is an array of flags, `unsigned char set[nnode]`, nonzero where the node belongs to it.
   Objects never change after construction, so threads may share them.  Constructors (`..._new`, and
   those that return a graph or a tree) allocate; nothing else does.  They return NULL on failure
   and say why in *err, which may be NULL: LW_E_ARG (a number out of range), LW_E_MODEL (the
   graph is not what it must be), LW_E_MEMORY.  Free functions accept NULL.  Unless stated otherwise
   the cost is proportional to nodes + edges, and nothing recurses.

   Example: a four-bar linkage.  Node 0 is the ground; crank, coupler and rocker are 1, 2, 3.

     const int from[] = {0, 1, 0, 3}, to[] = {1, 2, 3, 2};
     lw_graph        *g = lw_graph_new(4, 4, from, to, NULL);
     lw_graph_class   c = lw_graph_classify(g);               // c.rooted, not c.tree, c.nloop == 1
     lw_spanning_tree *s = lw_spanning_tree_new(g, NULL, NULL);     // s->cut[0] == 3

     int body_parent[3];                                      // the ground is not a node of a tree
     for (int i = 0; i < 3; i++) body_parent[i] = s->parent[i + 1] - 1;
     lw_tree         *t = lw_tree_new(3, body_parent, NULL, NULL);  // order: 0, 1, 2 (parent first)
     int              p = lw_tree_common_ancestor(t, 1, 2);   // LW_NO_NODE: only the ground

   Source: A. Jain, Multibody graph transformations and analysis, part I, Nonlinear Dynamics 2012
   ([Jain2012]), sections 2, 3, 5, 7; departures from it are stated where they occur. */
#ifndef LINKWORK_GRAPH_H
#define LINKWORK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linkwork/export.h"
#include "linkwork/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LW_NO_NODE = -1, LW_NO_EDGE = -1 };

/* ---- digraphs ------------------------------------------------------------------------------- */

/* A directed graph; parallel edges and edges from a node to itself are allowed. */
typedef struct lw_graph lw_graph;

/* Makes a graph whose edge e goes from node from[e] to node to[e]. */
LW_API lw_graph *lw_graph_new(int nnode, int nedge, const int from[], const int to[],
                              lw_error *err);
LW_API void lw_graph_free(lw_graph *g);

LW_API int lw_graph_nnode(const lw_graph *g);
LW_API int lw_graph_nedge(const lw_graph *g);

/* The node an edge leaves, and the node it enters; LW_NO_NODE if there is no such edge. */
LW_API int lw_graph_from(const lw_graph *g, int edge);
LW_API int lw_graph_to(const lw_graph *g, int edge);

/* along the edges, or against them */
typedef enum { LW_TO_CHILDREN, LW_TO_PARENTS } lw_graph_direction;

/* The edges from a node to its children (parents), in increasing order; *count says how many. */
LW_API const int *lw_graph_edges(const lw_graph *g, lw_graph_direction direction, int node,
                                 int *count);

/* The node at the far end of each of these edges (a parallel edge repeats it). */
LW_API const int *lw_graph_neighbours(const lw_graph *g, lw_graph_direction direction, int node,
                                      int *count);

/* The nodes without children (leaves) or without parents (roots), in increasing order. */
LW_API const int *lw_graph_ends(const lw_graph *g, lw_graph_direction direction, int *count);

/* The weak component of every node, [nnode], numbered by their lowest nodes. */
LW_API const int *lw_graph_components(const lw_graph *g);

/* The first edge from one node to another, or LW_NO_EDGE; costs the smaller of the two degrees. */
LW_API int lw_graph_find_edge(const lw_graph *g, int from, int to);

/* What kind of graph it is ([Jain2012] section 2.1).  A polytree here is a graph without loops when
   directions are ignored; the paper's wording (at most one directed path between two nodes) would
   admit loops such as a->c, a->d, b->c, b->d. */
typedef struct {
  int nnode, nedge;
  int ncomponent;    /* weakly connected components                                    */
  int nloop;         /* independent loops: nedge - nnode + ncomponent                  */
  int nroot, nleaf;  /* nodes without parents, without children                        */
  int nself;         /* edges from a node to itself                                    */
  int nparallel;     /* edges that repeat another one between the same two nodes       */
  bool connected;    /* exactly one component                                          */
  bool rooted;       /* connected, one root, which is the ancestor of every other node */
  bool acyclic;      /* no directed cycle                                              */
  bool dag;          /* connected and acyclic, as in the paper                         */
  bool polytree;     /* connected and no loop, whatever the directions                 */
  bool tree;         /* a polytree in which every node has at most one parent          */
  bool serial_chain; /* a tree in which every node has at most one child               */
  bool forest;       /* every component is a tree                                      */
} lw_graph_class;
LW_API lw_graph_class lw_graph_classify(const lw_graph *g);

/* Marks the set and every node that can be reached from it along (or against) the edges, lists them
   breadth first in list[nnode], and returns their number. */
LW_API int lw_graph_reach(const lw_graph *g, lw_graph_direction direction,
                          const unsigned char set[], unsigned char reached[], int list[]);

/* Marks the smallest path-induced set that contains `set`: with two nodes it has every node on a
   directed path between them ([Jain2012] section 3); work[nnode] is scratch; returns its size. */
LW_API int lw_graph_path_closure(const lw_graph *g, const unsigned char set[],
                                 unsigned char closure[], int work[]);

/* ---- subgraphs and contraction -------------------------------------------------------------- */

/* The subgraph of the flagged nodes and edges; keep_edge NULL keeps every edge between kept nodes
   (the induced subgraph).  node_map[nnode] and edge_map[nedge] receive new numbers, -1 if gone. */
LW_API lw_graph *lw_graph_subgraph(const lw_graph *g, const unsigned char keep_node[],
                                   const unsigned char keep_edge[], int node_map[], int edge_map[],
                                   lw_error *err);

/* The quotient graph: the nodes of a class become one node, edges inside a class vanish, parallel
   edges stay.  edge_map[nedge] receives the new number of every edge, -1 if gone. */
LW_API lw_graph *lw_graph_contract(const lw_graph *g, int nclass, const int class_of[],
                                   int edge_map[], lw_error *err);

/* The same graph without edges from a node to itself and without repeated edges (the first of
   several in the same direction stays): the digraph of the paper. */
LW_API lw_graph *lw_graph_simplify(const lw_graph *g, int edge_map[], lw_error *err);

/* Classes for contracting the flagged edges: nodes they connect share a class; returns nclass.
   Classes are numbered by their lowest nodes. */
LW_API int lw_graph_edge_classes(const lw_graph *g, const unsigned char contract[], int class_of[]);

/* ---- spanning trees and loops --------------------------------------------------------------- */

typedef enum {
  LW_SPAN_BREADTH_FIRST, /* as shallow as possible, which keeps loops short; rank decides between
                            edges that lead to a node from one level up                           */
  LW_SPAN_BY_RANK        /* the edges of lowest rank that form no loop, whatever the depth        */
} lw_span_mode;

/* Edges of lower rank are preferred, among equals the lower number.  All zero is the default. */
typedef struct {
  lw_span_mode mode;
  const int *rank; /* [nedge], or NULL: all equal                                               */
  const int *root; /* [nroot] the root of component 0, 1, ..; components left over are rooted at
                      their lowest nodes.  Two roots in one component are LW_E_ARG.             */
  int nroot;       /* 0: the lowest node is the first root                                      */
} lw_span_options;

/* A spanning forest of the graph with directions ignored: one tree for each component.  Nodes with
   component[v] > 0 cannot be reached from the first root; an extra edge from it to
   component_root[component[v]] would attach them without changing anything else. */
typedef struct {
  int nnode, nedge;
  int ncomponent;
  int ncut;                      /* edges left out, one for each independent loop          */
  const int *parent;             /* [nnode] next node toward the root; LW_NO_NODE at roots */
  const int *edge;               /* [nnode] the edge to the parent; LW_NO_EDGE at roots    */
  const unsigned char *reversed; /* [nnode] 1: that edge goes from the node to its parent  */
  const int *depth;              /* [nnode] edges between the node and its root            */
  const int *component;          /* [nnode]                                                */
  const int *component_root;     /* [ncomponent]                                           */
  const int *order;              /* [nnode] every node, each after its parent              */
  const int *cut;                /* [ncut] the edges left out, increasing                  */
  const int *cut_from, *cut_to;  /* [ncut] their ends                                      */
} lw_spanning_tree;

LW_API lw_spanning_tree *lw_spanning_tree_new(const lw_graph *g, const lw_span_options *options,
                                              lw_error *err);
LW_API void lw_spanning_tree_free(lw_spanning_tree *s);

/* The loop that cut edge number k (0 .. ncut-1) closes; returns its length, 0 if there is no
   such k.  node[i] to node[i+1] is edge[i], from the child end of the cut edge through the tree
   to its parent end; the last edge is the cut edge itself, which returns to node[0].  sign[i] is
   +1 where the edge points along the loop, -1 where against.  Each array may be NULL.  Costs the
   length. */
LW_API int lw_spanning_tree_loop(const lw_spanning_tree *s, int k, int node[], int edge[],
                                 int sign[]);

/* The sum of the lengths of all these loops; costs that sum. */
LW_API int64_t lw_spanning_tree_loop_total(const lw_spanning_tree *s);

/* ---- trees ---------------------------------------------------------------------------------- */

/* A tree or forest given by parents.  The ground, LW_NO_NODE, is the parent of every root; it is
   not a node, but ancestor queries accept it. */
typedef struct {
  int nnode, nroot, nlevel;
  const int *parent;      /* [nnode]                                                          */
  const int *depth;       /* [nnode] 0 at roots                                               */
  const int *size;        /* [nnode] nodes in the subtree, the node included                  */
  const int *order;       /* [nnode] preorder: a node before its children, subtrees contiguous */
  const int *place;       /* [nnode] inverse of order; the subtree of v is at the places
                             place[v] .. place[v]+size[v]-1                                   */
  const int *by_level;    /* [nnode] all nodes by increasing depth, then by place             */
  const int *level_start; /* [nlevel+1] nodes of depth d: by_level[level_start[d] ..]         */
  const int *path_top;    /* [nnode] top of the heavy path the node is on                     */
  const int *child_start; /* [nnode+2] use lw_tree_children                                   */
  const int *child;       /* [nnode]                                                          */
} lw_tree;

/* Makes a tree; siblings come in the order in which listing[nnode], a permutation of the nodes,
   has them, or by number if it is NULL.  LW_E_MODEL: the parents form a cycle. */
LW_API lw_tree *lw_tree_new(int nnode, const int parent[], const int listing[], lw_error *err);
LW_API void lw_tree_free(lw_tree *t);

/* The children of a node in order; those of LW_NO_NODE are the roots. */
LW_API const int *lw_tree_children(const lw_tree *t, int node, int *count);

/* True if a is a proper ancestor of b: constant time. */
LW_API bool lw_tree_is_ancestor(const lw_tree *t, int a, int b);

/* The deepest node whose subtree holds both a and b; LW_NO_NODE if only the ground's does.  At most
   2 log2(nnode) steps. */
LW_API int lw_tree_common_ancestor(const lw_tree *t, int a, int b);

/* The child of `ancestor` on the path to `node`, or LW_NO_NODE if it is no proper ancestor of it;
   costs log2(children). */
LW_API int lw_tree_child_toward(const lw_tree *t, int ancestor, int node);

/* The nodes from a up to the common ancestor and down to b, both included; returns their number.
   The ground appears as LW_NO_NODE.  path may be NULL; a path has at most 2 nlevel + 1 nodes. */
LW_API int lw_tree_path(const lw_tree *t, int a, int b, int path[]);

typedef enum {
  LW_PARENT_FIRST, /* preorder: parent < child                              */
  LW_PARENT_LAST   /* its reverse: parent > child, canonical in [Jain2012]  */
} lw_tree_numbering;

/* Renumbers so that every subtree is a contiguous range: number[v] is the new number of node v,
   parent[number] the new number of its parent. */
LW_API void lw_tree_renumber(const lw_tree *t, lw_tree_numbering numbering, int number[],
                             int parent[]);

/* ---- partition and aggregation of trees ----------------------------------------------------- */

/* True if every path between two nodes of the set stays in it ([Jain2012] section 3). */
LW_API bool lw_tree_is_path_induced(const lw_tree *t, const unsigned char set[]);

/* Marks the smallest path-induced set that contains `set` (another array) and returns its size. */
LW_API int lw_tree_path_closure(const lw_tree *t, const unsigned char set[],
                                unsigned char closure[]);

typedef enum { LW_PART_CHILD, LW_PART_SET, LW_PART_PARENT } lw_part;

/* Partition by a path-induced set ([Jain2012] lemma 1): part[v] is LW_PART_SET in the set,
   LW_PART_CHILD for its descendants outside it, LW_PART_PARENT for the rest.  LW_E_ARG, and part
   untouched, if the set is not path-induced. */
LW_API lw_status lw_tree_partition(const lw_tree *t, const unsigned char set[],
                                   unsigned char part[]);

/* Lists the nodes part after part, children before parents inside each: the order in which the
   operators of [Jain2012] eq. 22 and 24 are block lower triangular.  Part p is at start[p] ..
   start[p+1]-1. */
LW_API void lw_tree_partition_order(const lw_tree *t, const unsigned char part[], int order[],
                                    int start[4]);

/* True if the set can become one node of a tree: it is not empty, and exactly one node outside it
   is a parent of its nodes, where the ground counts as a node ([Jain2012] section 5.2).  Such a set
   is path-induced.  *parent (may be NULL) receives that node. */
LW_API bool lw_tree_can_aggregate(const lw_tree *t, const unsigned char set[], int *parent);

/* Marks the smallest set that contains `set` (another array) and can be aggregated: the nodes on
   the paths to it from j, the deepest node that is a proper ancestor of all of it ([Jain2012]
   lemma 6, corrected).  Returns its size; *parent (may be NULL) receives j. */
LW_API int lw_tree_aggregation_set(const lw_tree *t, const unsigned char set[],
                                   unsigned char aggregated[], int *parent);

/* Classes in which the set is one and every other node its own, parent before child; returns their
   number. */
LW_API int lw_tree_set_classes(const lw_tree *t, const unsigned char set[], int class_of[]);

/* The finest classes that can be aggregated and hold every loop: loop k is the path from a[k] to
   b[k] without its topmost node (a[k] or b[k] may be the ground).  Loops that share a node share a
   class.  Returns the number of classes, or -1 if an end is out of range. */
LW_API int lw_tree_loop_classes(const lw_tree *t, int nloop, const int a[], const int b[],
                                int class_of[]);

/* The aggregated tree: node c stands for all nodes of class c.  LW_E_MODEL if a class has parents
   in several classes or the classes form a cycle, so that the result would not be a tree. */
LW_API lw_tree *lw_tree_contract(const lw_tree *t, int nclass, const int class_of[], lw_error *err);

/* ---- serial segments and sparsity ----------------------------------------------------------- */

/* The maximal serial chains of a tree ([Jain2012] section 7): a segment begins at a root or at a
   child that has siblings, and ends at a node with no child or several.  Segments are numbered
   parent first, each subtree contiguous; `parent` is the coarser tree (give it to lw_tree_new). */
typedef struct {
  int nnode, nsegment;
  const int *segment_of; /* [nnode]                                                            */
  const int *node;       /* [nnode] segment s from base to tip: node[start[s] .. start[s+1]-1] */
  const int *start;      /* [nsegment+1]                                                       */
  const int *parent;     /* [nsegment] the segment whose tip carries it; LW_NO_NODE: ground    */
  const int *depth;      /* [nsegment]                                                         */
  const int *end;        /* [nsegment] s .. end[s]-1 are s and the segments it carries         */
} lw_segments;

LW_API lw_segments *lw_segments_new(const lw_tree *t, lw_error *err);
LW_API void lw_segments_free(lw_segments *s);

/* Whose pattern: row j, column k of the operators E (j parent of k), A = (I-E)^-1 (j ancestor of k
   or k itself) and of the mass matrix (j and k related). */
typedef enum { LW_PATTERN_E, LW_PATTERN_A, LW_PATTERN_MASS } lw_pattern;

/* True if the block (segment j, segment k) is not zero ([Jain2012] eq. 43, 45, figure 7). */
LW_API bool lw_segments_block(const lw_segments *s, lw_pattern pattern, int j, int k);

/* The number of blocks that are not zero. */
LW_API int64_t lw_segments_nblock(const lw_segments *s, lw_pattern pattern);

/* The pattern by rows: column[row_start[j] .. row_start[j+1]-1], increasing, are the blocks of
   row j; row_start[nsegment+1], column[nblock].  Costs the number of blocks. */
LW_API void lw_segments_rows(const lw_segments *s, lw_pattern pattern, int64_t row_start[],
                             int column[]);

/* The number of entries that are not zero when node v has weight[v] >= 0 rows and columns (6 for E
   and A, its degrees of freedom for the mass matrix; NULL: 1).  Linear in nodes, however full the
   matrix.  LW_E_ARG: a negative weight, or too large a sum to count in 64 bits. */
LW_API lw_status lw_tree_count_entries(const lw_tree *t, lw_pattern pattern, const int weight[],
                                       int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
