/* SPDX-License-Identifier: Apache-2.0 */
/* sko.h -- an SKO model: a tree of nodes of any size, their blocks, and what is computed of them.

   Legend: n rows and r freedoms of a node k, p its parent
           H  r x n    joint map             M  n x n   inertia
           A  h x n    the rows of the weight A(p, k) that are not zero: rows at ... at+h-1 of the
                       parent.  A body that hangs on one body of a large node needs 6 of its rows.
           P  n x n    articulated inertia   G^T r x n   D^-1 H P, the gain, transposed
           L  r x r    D = L L^T
   Blocks of one kind lie one after the other in the order of the nodes. */
#ifndef LWI_TREE_SKO_SKO_H
#define LWI_TREE_SKO_SKO_H
#include "graph/block.h"
#include "linkwork/sko.h"
#include "math/finite.h"
#include "linalg/dense.h"

#include <string.h>

typedef struct {
  int parent;
  int n, r;
  int row, freedom; /* first of them in stacked vectors */
  int at, h;        /* see above; 0 at roots */
  size_t square, joint_values, pivot,
      weight; /* where its n x n, r x n, r x r and h x n blocks begin */
} lwi_sko_node;

/* what fills it with numbers */
typedef enum {
  LWI_SKO_OWN,
  LWI_SKO_MODEL,
  LWI_SKO_AGGREGATE,
  LWI_SKO_PART,
  LWI_SKO_EMBEDDED
} lwi_sko_origin;

/* Constraint embedding: the freedoms of node v of the source as functions of independent ones,

     thetadot = X w,   thetaddot = X wdot + x0

   A rotor on a freedom of a constrained node is a row of the node beside those of its bodies. */
typedef struct lwi_sko_embedding {
  bool *constrained; /* [nnode] else X is the unit matrix */
  size_t *at;        /* [nnode] where X[source freedoms][freedoms] of the node begins */
  double *X;
  double *x0;     /* [source freedoms] */
  int *rotor;     /* [source freedoms] its further row in the node, from 0; -1: none */
  int *local;     /* [nspeed] the freedom of the source; -1: none */
  int *node_of;   /* [tree constraints] */
  int *first_row; /* [tree constraints] of its rows among those of the node */
  int *nrow;      /* [nnode] rows of its constraints */
  size_t *rows;   /* [nnode] where its rows [nrow][source freedoms + 1] begin: G, and -x0's side */
  double *G;
  double *weight;  /* [source freedoms] metres */
  double *scratch; /* of the largest elimination */
  double *tau;     /* [nspeed] */
  double *deficit; /* [rows of the model] */
  bool *is_free;   /* [source freedoms] independent ones */
} lwi_sko_embedding;

struct lw_sko {
  lw_tree *tree;
  int nnode, nrow, nfreedom, most_rows, most_freedoms;
  size_t nsquare, nhinge, npivot, nweight;
  lwi_sko_node *node; /* [nnode] */
  bool has_numbers, has_factor, has_compliance;

  double *H, *Gt;        /* [nhinge] */
  double *A;             /* [nweight] */
  double *M, *P, *R, *Y; /* [nsquare]; R: composite inertias, Y: diagonal of the compliance */
  double *L;             /* [npivot] */
  double *a, *b;         /* [nrow] */
  double *load;          /* [nfreedom] */
  double *rotor;         /* [nfreedom] armature: Mass = H A M A* H* + diag(rotor) */
  double *row_p, *row2;  /* [nrow] scratch of stacked vectors ... */
  double *free1, *free2; /* [nfreedom] */
  double *part;          /* [most_rows] ... and of one node */
  double *square[3];     /* [most_rows][most_rows] */

  lwi_sko_origin origin;
  lw_sko *source;
  const lw_model *m;      /* of the first one, if it is made from a mechanism; else NULL */
  int nfirst, nspeed;     /* nodes and freedoms of the first model of the series */
  int *place, *place_row; /* [nfirst] the node that each has become a part of, and its first row */
  int *speed;             /* [nfreedom] */
  /* of an aggregate or part: which source nodes node k holds, parents first: item[start[k] ..], and
     where each of them is, or -1 */
  int *start, *item;        /* [nnode + 1], [nsource] */
  int *inside, *inside_row; /* [nsource] its node and its first row */
  int nsource;
  double *speeds;               /* [nspeed] scratch of models of mechanisms */
  lwi_sko_embedding *embedding; /* of an embedded model, which owns its source */
};

/* what a constructor knows of a new model; arrays of [nnode], or as in lw_sko */
typedef struct {
  lw_tree *tree;             /* becomes the model's own */
  const int *n, *r, *at, *h; /* at, h NULL: all rows of the parent */
  int nfirst, nspeed, nsource;
} lwi_sko_plan;

/* The model with its structure, all numbers zero; takes the tree, and frees it on failure. */
lw_sko *lwi_sko_build(const lwi_sko_plan *plan, lw_error *err);
/* An aggregate or a part of `source`; the plan need not say what it has of the source. */
lw_sko *lwi_sko_build_from(lw_sko *source, lwi_sko_origin origin, lwi_sko_plan plan, lw_error *err);

/* The maps of a model that has no source. */
void lwi_sko_first_maps(lw_sko *k);

/* After start and item: the maps to the source and to the first model. */
void lwi_sko_inherit_maps(lw_sko *k);

/* The freedom that carries freedom j of a node, or LW_NO_NODE. */
int lwi_sko_inner_freedom(const lw_sko *k, int node, int j);

/* Fills a model made of another one. */
void lwi_sko_refresh_aggregate(lw_sko *k);
void lwi_sko_refresh_part(lw_sko *k);

/* The spanning tree of a mechanism, whatever closes its loops. */
lw_sko *lwi_sko_from_tree(const lw_model *m, lw_error *err);
/* sko_embed.c: an embedded model of `source`, which it owns and frees on failure too; `make`
   already has all but X, x0.  Frees `make` on failure. */
lw_sko *lwi_sko_embed(lw_sko *source, lwi_sko_embedding *make, const int nfreedom[], lw_error *err);
void lwi_sko_refresh_embedded(lw_sko *k);
/* sko_closed.c: X and x0 of the embedded models that k was made from, after lw_bias. */
lw_status lwi_sko_close(lw_sko *k, const lw_model *m, struct lw_work *w, double t);

/* New numbers: what was computed of the old ones is gone. */
static inline void lwi_sko_renewed(lw_sko *k)
{
  k->has_numbers = true;
  k->has_factor = k->has_compliance = false;
}

/* ---- sweeps, in place: y = A y, A* y, psi y, psi* y ---- */

void lwi_sko_gather_rows(const lw_sko *k, double *y);
void lwi_sko_scatter_rows(const lw_sko *k, double *y);
void lwi_sko_gather_rows_psi(const lw_sko *k, double *y);
void lwi_sko_scatter_rows_psi(const lw_sko *k, double *y);

/* per node: y += H x, y += H* x, y += M x */
void lwi_sko_add_H(const lw_sko *k, const double *x, double *y);
void lwi_sko_add_Ht(const lw_sko *k, const double *x, double *y);
void lwi_sko_add_M(const lw_sko *k, const double *x, double *y);

/* After lw_sko_factor: y = (I - H psi K) y, (I - H psi K)* y, Mass^-1 y */
void lwi_sko_innovate(lw_sko *k, double *y);
void lwi_sko_innovate_back(lw_sko *k, double *y);
void lwi_sko_solve(lw_sko *k, double *y);

/* sum[h][h] = W X W* for a weight W[h][n] of v; WX[h][n] is scratch */
void lwi_sko_congruence(const lwi_sko_node *v, const double *W, const double *X, double *WX,
                        double *sum);
/* Adds sum[h][h] to the parent's block of a block-diagonal matrix. */
void lwi_sko_add_inner(const lw_sko *k, const lwi_sko_node *v, const double *sum, double *R);

/* Where the composite-body sweep puts the mass matrix: row i, columns j ... j+count-1, the
   freedoms of a node that carries freedom i or owns it (then of those up to i). */
typedef struct {
  void *to;
  void (*put)(void *to, int i, int j, int count, const double *x);
} lwi_sko_sink;
void lwi_sko_composite(lw_sko *k, const lwi_sko_sink *sink);

/* ---- small helpers ---- */

static inline double *lwi_sko_H(const lw_sko *k, const lwi_sko_node *v)
{
  return k->H + v->joint_values;
}
static inline double *lwi_sko_A(const lw_sko *k, const lwi_sko_node *v)
{
  return k->A + v->weight;
}
static inline double *lwi_sko_Gt(const lw_sko *k, const lwi_sko_node *v)
{
  return k->Gt + v->joint_values;
}
static inline double *lwi_sko_L(const lw_sko *k, const lwi_sko_node *v)
{
  return k->L + v->pivot;
}
/* the rows of a stacked vector that the weight of v acts on */
static inline int lwi_sko_inner_row(const lw_sko *k, const lwi_sko_node *v)
{
  return k->node[v->parent].row + v->at;
}
static inline size_t lwi_sko_area(int m, int n)
{
  return (size_t)m * (size_t)n;
}
static inline void lwi_sko_zero(double *x, size_t n)
{
  if (n) memset(x, 0, n * sizeof *x);
}
static inline void lwi_sko_copy(double *to, const double *from, size_t n)
{
  if (n) memcpy(to, from, n * sizeof *to);
}

#endif
