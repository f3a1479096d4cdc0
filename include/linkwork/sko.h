/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork/sko.h -- spatial-kernel-operator (SKO) models: the equations of motion of a tree as the
   three operators H, A, M, for nodes of any size; partitioned, aggregated, and solved.

     V     = A* H* thd                      velocities of the nodes         ([Jain2012] eq. 18)
     alpha = A* (H* thdd + a)               accelerations
     f     = A (M alpha + b)                loads on the nodes from their parents
     T     = H f = Mass thdd + C            generalized loads                             (19)
     Mass  = H A M A* H*,  C = H A (M A* a + b)                                           (20)

   A node k has rows (6 for a body, 6 b for b bodies in one node, any number in a model of your own)
   and freedoms.  H(k) is freedoms x rows, M(k) rows x rows, and the weight A(p, k) of the edge from
   the parent p is rows of p x rows of k.  E has the weights as its blocks, A = (I - E)^-1; `*` is
   the transpose.  E and A are never formed: a product is one sweep over the tree.  In models made
   from a mechanism node k is a link, in ground axes about the origin of its joint, A(p, k) = phi =
   [1 l~; 0 1]; gravity is an upward acceleration of the ground: alpha is measured from free fall.

   Stacked vectors hold the rows (or freedoms) of node 0, 1, ... in turn; matrices are row by row.
   A model has its own order of freedoms: lw_sko_from_speeds and lw_sko_to_speeds translate.

     lw_sko *bodies   = lw_sko_from_model(m, NULL);
     lw_sko *segments = lw_sko_aggregate_segments(bodies, NULL);    // every serial chain one node
     lw_kinematics(w, q, u);
     lw_sko_update(segments, w);                                 // numbers of both
     lw_sko_factor(segments);                                       // articulated-body recursion
     lw_sko_forward_dynamics(segments, T, thdd, NULL);

   Structure is fixed by the constructors, which allocate, return NULL on failure and say why in
   *err (may be NULL).  Nothing else allocates.  An lw_sko holds numbers and scratch: one per
   thread.  Outputs must not overlap inputs; a call that fails leaves its outputs untouched. */
#ifndef LINKWORK_SKO_H
#define LINKWORK_SKO_H
#include "linkwork/dynamics.h"
#include "linkwork/graph.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_sko lw_sko;

/* ---- make ----------------------------------------------------------------------------------- */

/* A model of your own: sizes now, numbers by lw_sko_set_block and lw_sko_set_terms, zero before. */
typedef struct {
  int nnode;
  const int *parent;   /* [nnode] LW_NO_NODE: on the ground; any order */
  const int *nrow;     /* [nnode] */
  const int *nfreedom; /* [nnode] may be 0 */
} lw_sko_shape;
LW_API lw_sko *lw_sko_new(const lw_sko_shape *shape, lw_error *err);

/* One node per link of the mechanism, parents first; rotations of free particles are not freedoms.
   LW_E_UNSUPPORTED: the model has loops or constraints.  The operators are those of trees; without
   the loads that keep loops closed they would describe another mechanism. */
LW_API lw_sko *lw_sko_from_model(const lw_model *m, lw_error *err);

/* Of a mechanism with loops, constraints and relations, in independent speeds ([Jain2012b]): the
   links that a loop or relation couples become one node, by aggregation, and the dependent
   freedoms of the node are expressed by independent ones,

     thetadot = X w,  thetaddot = X wdot + x0,  H_node = X* H,  a_node = a + H* x0

   so that all products, factors, partitions and aggregations below are those of the closed
   mechanism.  Rotors on coupled freedoms are further rows of their node.  Which speeds are
   independent is decided at q, which must satisfy all constraints; lw_sko_speeds says which.  Fill
   it by lw_sko_update_with_forces; LW_E_SINGULAR there: these speeds are not independent at that
   state, make a new model.  Trees are accepted too.  LW_E_UNSUPPORTED: loops that the tree cannot
   follow. */
LW_API lw_sko *lw_sko_from_closed(lw_work *w, double t, const double q[], lw_error *err);
/* x = X* tau: generalized loads on all speeds as loads on the freedoms; of models of trees the same
   as lw_sko_from_speeds.  u = X x: the speeds of the mechanism that belong to freedoms, without
   what drivers prescribe. */
LW_API lw_status lw_sko_project_loads(const lw_sko *k, const double tau[], double x[]);
LW_API lw_status lw_sko_expand_speeds(const lw_sko *k, const double x[], double u[]);

/* The nodes of each class as one node ([Jain2012] eqs 31, 35, 37, 38): class c becomes node c.  The
   source must outlive it.  LW_E_MODEL: the classes do not form a tree. */
LW_API lw_sko *lw_sko_aggregate(lw_sko *source, int nclass, const int class_of[], lw_error *err);
/* The same with one set of nodes as one node, which must satisfy the aggregation condition
   (LW_E_ARG; see lw_tree_aggregation_set), and with every serial segment as one node. */
LW_API lw_sko *lw_sko_aggregate_set(lw_sko *source, const unsigned char set[], lw_error *err);
LW_API lw_sko *lw_sko_aggregate_segments(lw_sko *source, lw_error *err);

/* The flagged nodes alone, as if the nodes that carry them were at rest ([Jain2012] eqs 23, 25);
   the set must be path-induced (LW_E_ARG).  The source must outlive it. */
LW_API lw_sko *lw_sko_restrict(lw_sko *source, const unsigned char set[], lw_error *err);

LW_API void lw_sko_free(lw_sko *k);

/* ---- queries -------------------------------------------------------------------------------- */

LW_API int lw_sko_nnode(const lw_sko *k);
LW_API int lw_sko_nrow(const lw_sko *k);     /* of all nodes */
LW_API int lw_sko_nfreedom(const lw_sko *k); /* of all nodes */
LW_API const lw_tree *lw_sko_tree(const lw_sko *k);

typedef struct {
  int parent;
  int row, nrow;         /* its rows are row ... row+nrow-1 of stacked vectors */
  int freedom, nfreedom; /* its freedoms, likewise */
  size_t square;         /* where its nrow x nrow block begins in block-diagonal matrices */
} lw_sko_node;
/* All -1 if there is no such node. */
LW_API lw_sko_node lw_sko_get_node(const lw_sko *k, int node);
/* Numbers in a block-diagonal matrix that holds the nrow x nrow blocks of node 0, 1, ... in turn.
   */
LW_API size_t lw_sko_nsquare(const lw_sko *k);

/* The node that a node of the first source has become a part of, or LW_NO_NODE; *row (may be NULL)
   receives its first row. */
LW_API int lw_sko_find_node(const lw_sko *k, int first_node, int *row);
/* The same for a body of the mechanism; its rows are those of its link. */
LW_API int lw_sko_find_body(const lw_sko *k, lw_body b, int *row);

/* Which speed of the mechanism, or freedom of the model of your own, each freedom is: [nfreedom].
   */
LW_API const int *lw_sko_speeds(const lw_sko *k);
LW_API void lw_sko_from_speeds(const lw_sko *k, const double u[], double x[]);
/* Entries of u that are no freedom of this model stay as they are. */
LW_API void lw_sko_to_speeds(const lw_sko *k, const double x[], double u[]);

/* ---- numbers -------------------------------------------------------------------------------- */

/* Fills the model, and those it was made from, at the state of the last lw_kinematics of w: H, A,
   M, velocity terms and gravity, but no other forces. */
LW_API lw_status lw_sko_update(lw_sko *k, lw_work *w);
/* The same at a state, with all forces of the model: then lw_sko_bias is lw_bias; of closed
   mechanisms its projection.  Only this one fills models of closed mechanisms (LW_E_UNSUPPORTED
   above). */
LW_API lw_status lw_sko_update_with_forces(lw_sko *k, lw_work *w, double t, const double q[],
                                           const double u[]);
/* Fills an aggregated or restricted model from its source, whose numbers have changed. */
LW_API lw_status lw_sko_refresh(lw_sko *k);

typedef enum {
  LW_SKO_BLOCK_H,      /* freedoms x rows */
  LW_SKO_BLOCK_A,      /* rows of the parent x rows: the weight of the edge */
  LW_SKO_BLOCK_M,      /* rows x rows */
  LW_SKO_BLOCK_P,      /* rows x rows, after lw_sko_factor like all below: articulated inertia */
  LW_SKO_BLOCK_P_PLUS, /* rows x rows: its contribution to the parent */
  LW_SKO_BLOCK_D,      /* freedoms x freedoms */
  LW_SKO_BLOCK_G,      /* rows x freedoms */
  LW_SKO_BLOCK_TAU_BAR /* rows x rows: 1 - G H */
} lw_sko_block;
/* H, A or M of a node of a model of your own; M must be symmetric.  A root has no A (LW_E_ARG). */
LW_API lw_status lw_sko_set_block(lw_sko *k, lw_sko_block block, int node, const double x[]);
LW_API lw_status lw_sko_get_block(const lw_sko *k, lw_sko_block block, int node, double x[]);

/* a[nrow] and b[nrow] of eq. 18, load[nfreedom]: generalized loads of the model's own forces.  NULL
   means zero in lw_sko_set_terms, and not requested in lw_sko_get_terms. */
LW_API lw_status lw_sko_set_terms(lw_sko *k, const double a[], const double b[],
                                  const double load[]);
LW_API lw_status lw_sko_get_terms(const lw_sko *k, double a[], double b[], double load[]);

/* ---- operators: every product is O(nodes) --------------------------------------------------- */

typedef enum {
  LW_SKO_E,         /* rows <- rows */
  LW_SKO_A,         /* rows <- rows: (I - E)^-1 */
  LW_SKO_I_MINUS_E, /* rows <- rows: A^-1 */
  LW_SKO_H,         /* freedoms <- rows */
  LW_SKO_M,         /* rows <- rows */
  LW_SKO_MASS,      /* freedoms <- freedoms: H A M A* H* */
  /* after lw_sko_factor */
  LW_SKO_D,              /* freedoms <- freedoms */
  LW_SKO_G,              /* rows <- freedoms */
  LW_SKO_K,              /* rows <- freedoms: E G */
  LW_SKO_TAU_BAR,        /* rows <- rows: I - G H */
  LW_SKO_E_PSI,          /* rows <- rows: E tau_bar */
  LW_SKO_PSI,            /* rows <- rows: (I - E_psi)^-1 */
  LW_SKO_FACTOR,         /* freedoms <- freedoms: I + H A K, the innovations factor */
  LW_SKO_FACTOR_INVERSE, /* freedoms <- freedoms: I - H psi K */
  LW_SKO_MASS_INVERSE    /* freedoms <- freedoms: (I - H psi K)* D^-1 (I - H psi K) */
} lw_sko_operator;

/* y = operator x, and y = operator* x. */
LW_API lw_status lw_sko_apply(lw_sko *k, lw_sko_operator op, const double x[], double y[]);
LW_API lw_status lw_sko_apply_transposed(lw_sko *k, lw_sko_operator op, const double x[],
                                         double y[]);

/* ---- dynamics ------------------------------------------------------------------------------- */

/* V = A* H* thd: [nrow] from [nfreedom]. */
LW_API lw_status lw_sko_velocities(lw_sko *k, const double thd[], double V[]);
/* T = H A (M A* (H* thdd + a) + b) - load by Newton and Euler's recursion; thdd NULL: zero.  alpha
   and f, [nrow] each, may be NULL.  In an aggregated model f is f_a = A_S^-1 f of eq. 38. */
LW_API lw_status lw_sko_inverse_dynamics(lw_sko *k, const double thdd[], double T[], double alpha[],
                                         double f[]);
/* C of eq. 20, minus load: T for thdd = 0. */
LW_API lw_status lw_sko_bias(lw_sko *k, double C[]);
/* nfreedom x nfreedom by composite bodies; cost is the number of its entries that are not zero. */
LW_API lw_status lw_sko_mass_matrix(lw_sko *k, double mass[]);

/* Articulated-body (Riccati) recursion: P, D, G.  LW_E_SINGULAR: some D(k) is not positive
   definite, as at a singular pose of a joint or where no mass moves. */
LW_API lw_status lw_sko_factor(lw_sko *k);
/* After lw_sko_factor: thdd = Mass^-1 (T + load - C); T NULL: zero; alpha[nrow] may be NULL. */
LW_API lw_status lw_sko_forward_dynamics(lw_sko *k, const double T[], double thdd[],
                                         double alpha[]);
/* After lw_sko_factor: log of det Mass = product of all det D(k). */
LW_API lw_status lw_sko_log_determinant(const lw_sko *k, double *logdet);

/* ---- Lyapunov equations: A X A*, A* X A and the same with psi ------------------------------- */

/* R = X + sum over children of A R A*, the diagonal of A X A*; op is LW_SKO_A or LW_SKO_PSI (after
   lw_sko_factor); X and R are block-diagonal, X symmetric; X NULL: M. */
LW_API lw_status lw_sko_gather(lw_sko *k, lw_sko_operator op, const double X[], double R[]);
/* Block (i, j) of A X A* from R: A(i, j) R(j), R(i) A(j, i)*, or zero for unrelated nodes. */
LW_API lw_status lw_sko_gather_block(lw_sko *k, lw_sko_operator op, const double R[], int i, int j,
                                     double block[]);
/* Y = A* Y(parent) A + X, the diagonal of A* X A; as lw_sko_gather, but X must be given. */
LW_API lw_status lw_sko_scatter(lw_sko *k, lw_sko_operator op, const double X[], double Y[]);
/* Block (i, j) of A* X A from Y: A(c, i)* Y(c) A(c, j), c the nearest common ancestor of i and j,
   or the one of them that is the ancestor of the other; zero if only the ground carries both. */
LW_API lw_status lw_sko_scatter_block(lw_sko *k, lw_sko_operator op, const double Y[], int i, int j,
                                      double block[]);

/* Operational-space compliance A* H* Mass^-1 H A = psi* H* D^-1 H psi: how the nodes accelerate
   under unit loads.  The first call, after lw_sko_factor, finds the diagonal, O(nodes); then
   block (i, j) costs the path between i and j. */
LW_API lw_status lw_sko_compliance(lw_sko *k);
LW_API lw_status lw_sko_get_compliance(lw_sko *k, int i, int j, double block[]);

/* ---- partition: children, set, parents ------------------------------------------------------ */

/* A model divided by a path-induced set S: C below it, P the rest ([Jain2012] lemma 1). */
typedef struct lw_sko_partition lw_sko_partition;
LW_API lw_sko_partition *lw_sko_partition_new(lw_sko *source, const unsigned char set[],
                                              lw_error *err);
LW_API void lw_sko_partition_free(lw_sko_partition *p);
/* The model of one part, owned by the partition; it may have no nodes. */
LW_API lw_sko *lw_sko_partition_part(const lw_sko_partition *p, lw_part part);
/* The nodes of the source in the order of the part's nodes. */
LW_API const int *lw_sko_partition_nodes(const lw_sko_partition *p, lw_part part);
/* Fills the parts from the source, whose numbers have changed. */
LW_API lw_status lw_sko_partition_refresh(lw_sko_partition *p);
/* y = block (row, column) of E (eq. 22) or A (eq. 24) times x; op is LW_SKO_E or LW_SKO_A. */
LW_API lw_status lw_sko_partition_apply(lw_sko_partition *p, lw_sko_operator op, lw_part row,
                                        lw_part column, const double x[], double y[]);
/* y = block (row, column)* x. */
LW_API lw_status lw_sko_partition_apply_transposed(lw_sko_partition *p, lw_sko_operator op,
                                                   lw_part row, lw_part column, const double x[],
                                                   double y[]);
/* Mass = [Mass_S X; X* Mass_P + Y] for an outer set S, one that leaves nothing in C (LW_E_ARG): X
   is freedoms of S x freedoms of P, Y square ([Jain2012] eqs 26, 27). */
LW_API lw_status lw_sko_partition_coupling(lw_sko_partition *p, double X[], double Y[]);

/* ---- sparse factors of the mass matrix ------------------------------------------------------ */

/* Mass = L* D L without fill: L(i, j) is not zero only where freedom j carries freedom i
   ([Jain2012] figure 7; [RBDA] chapter 6).  Only those entries are stored and touched. */
typedef struct lw_mass_factor lw_mass_factor;
/* parent[i]: the next freedom inward, LW_NO_NODE if none; any order. */
LW_API lw_mass_factor *lw_mass_factor_new(int n, const int parent[], lw_error *err);
LW_API void lw_mass_factor_free(lw_mass_factor *f);
/* The parents of the speeds of a mechanism, [nu], and of the freedoms of a model, [nfreedom]. */
LW_API void lw_speed_parents(const lw_model *m, int parent[]);
LW_API void lw_sko_freedom_parents(const lw_sko *k, int parent[]);
/* Entries of one triangle that are not zero. */
LW_API int64_t lw_mass_factor_nentry(const lw_mass_factor *f);
/* Factors a full n x n matrix, of which only those entries are read, and the mass matrix of a model
   without forming it.  A freedom that moves no mass (its entries are all zero) stays at rest. */
LW_API lw_status lw_mass_factor_compute(lw_mass_factor *f, const double mass[]);
LW_API lw_status lw_mass_factor_compute_sko(lw_mass_factor *f, lw_sko *k);
/* After either: x = Mass^-1 y, y = Mass x, both also in place; log det Mass. */
LW_API lw_status lw_mass_factor_solve(const lw_mass_factor *f, const double y[], double x[]);
LW_API lw_status lw_mass_factor_multiply(const lw_mass_factor *f, const double x[], double y[]);
LW_API lw_status lw_mass_factor_log_determinant(const lw_mass_factor *f, double *logdet);

#ifdef __cplusplus
}
#endif
#endif
