/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork/order.h -- numberings of the nodes of an undirected graph, for factors of symmetric
   matrices: narrow ones (band, envelope) and sparse ones, and what each of them costs.

   A node stands for a block row of the matrix, `weight` for its number of rows; two nodes are
   neighbours where the matrix has a block that is not zero.  The joints of a mechanism are such
   nodes, neighbours where they are on the same body ([Serban1997] section 4).

     const int start[] = {0, 1, 3, 4}, neighbour[] = {1, 0, 2, 1};     // a path of three
     lw_undirected g = {.nnode = 3, .start = start, .neighbour = neighbour};
     int order[3];                                                     // order[k]: the k-th node
     lw_order_nodes(&g, LW_ORDER_SLOAN, order);

   These functions allocate while they work.  Unless stated otherwise the cost grows like nodes +
   edges, at most times the logarithm of it. */
#ifndef LINKWORK_ORDER_H
#define LINKWORK_ORDER_H

#include <stdint.h>

#include "linkwork/export.h"
#include "linkwork/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Neighbours of node v: neighbour[start[v] .. start[v+1]-1].  An edge may be given from one end
   or from both, also several times; a node that is its own neighbour does not matter. */
typedef struct {
  int nnode;
  const int *start;     /* [nnode + 1] */
  const int *neighbour; /* [start[nnode]] */
  const int *weight;    /* [nnode] rows, at least one each; NULL: one each */
} lw_undirected;

/* enum value, name, what it is */
#define LW_ORDER_LIST(X)                                                                           \
  X(LW_ORDER_NATURAL, "natural", "as given")                                                       \
  X(LW_ORDER_REVERSE_CUTHILL_MCKEE, "reverse-cuthill-mckee", "narrow: breadth first, reversed")    \
  X(LW_ORDER_GIBBS_POOLE_STOCKMEYER, "gibbs-poole-stockmeyer", "narrow: small band")               \
  X(LW_ORDER_GIBBS_KING, "gibbs-king", "narrow: small envelope")                                   \
  X(LW_ORDER_SLOAN, "sloan", "narrow: small envelope, by priorities")                              \
  X(LW_ORDER_SEARCH, "search", "narrow: the least work, searched for in small graphs")             \
  X(LW_ORDER_MINIMUM_DEGREE, "minimum-degree", "sparse: approximate minimum degree")               \
  X(LW_ORDER_NESTED_DISSECTION, "nested-dissection", "sparse: separators last")                    \
  X(LW_ORDER_PERFECT, "perfect", "sparse: no fill where that is possible, as in trees")

#define LW_ORDER_ENUM(value, name, what) value,
typedef enum { LW_ORDER_LIST(LW_ORDER_ENUM) LW_ORDER_METHODS } lw_order_method;
#undef LW_ORDER_ENUM

LW_API const char *lw_order_method_name(lw_order_method method); /* "sloan"; NULL: no such method */
/* By name, or by its usual short one: rcm, gps, amd, nd; LW_ORDER_METHODS: there is none. */
LW_API lw_order_method lw_find_order_method(const char *name);
LW_API const char *lw_order_method_text(lw_order_method method); /* a short description */

/* order[k] is the k-th node.  LW_E_ARG: a number is out of range; LW_E_MEMORY. */
LW_API lw_status lw_order_nodes(const lw_undirected *g, lw_order_method method, int order[]);

/* Cost of a numbering.  [Serban1997] eq. 24 to 27, with sums over the nodes (block rows). */
typedef struct {
  int bandwidth;    /* largest distance of a block from the diagonal */
  int64_t envelope; /* sum over rows of the distance of the first block */
  double work;      /* eq. 27: block operations of a Cholesky factorisation inside the envelope */
  double fill;      /* blocks of a sparse factor that are zero in the matrix, below the diagonal */
  /* numbers, not blocks, from the true block sizes */
  double factor_entries;           /* of a sparse factor, diagonal included */
  double factor_multiplications;   /* of a sparse factorisation: sum of c (c + 3) / 2, c being the
                                    entries below the diagonal of a column */
  double envelope_multiplications; /* the same for the envelope, every block inside it full */
} lw_order_cost;

LW_API lw_status lw_order_cost_of(const lw_undirected *g, const int order[], lw_order_cost *cost);

#ifdef __cplusplus
}
#endif
#endif
