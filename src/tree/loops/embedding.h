/* SPDX-License-Identifier: Apache-2.0 */
/* embedding.h -- constraint embedding: the constraints of each cluster (model/clusters.h) solved
   for the speeds that they make dependent, and the mechanism's motion by the recursion of
   embedded.h.

     G udot = gamma   ->   udot = X vdot + g        docs/theory/loops.md */
#ifndef LWI_TREE_LOOPS_EMBEDDING_H
#define LWI_TREE_LOOPS_EMBEDDING_H
#include "tree/loops/closure.h"

struct lwi_embedding {
  lwi_reduction *part; /* [ncluster] */
  lwi_cluster_motions cluster_motions;
  double *G;        /* [nG] */
  double *residual; /* [nrow] */
  double *tau;      /* [nu] given to the last forward dynamics */
  double *load;     /* [nu] scratch */
  bool *kept;       /* [nrow] */
  bool *allowed;    /* [nrow] scratch of lwi_embedding_decide */
  int *chosen;      /* [nrow] */
  double *unit;     /* [ncolumn] of speeds: radians, or as many metres */
  bool measured;    /* unit is known */
  bool decided;     /* the pivots were decided, and are kept while the rank is held */
};
typedef struct lwi_embedding lwi_embedding;

lwi_embedding *lwi_embedding_carve(const lw_model *m, lwi_carver *c);

/* After lwi_closure_rows: X of every cluster; false: more independent speeds than the capacity.
   rule NULL: pivots are kept. */
bool lwi_embedding_reduce(const lw_model *m, struct lw_work *w, const lwi_rank_rule *rule);
/* The same, keeping rows among those that cut joints keep in lwi_closure.rank.  Where constraints
   are violated it matters which of the dependent rows count; the metric of the mass matrix makes
   the best choice. */
bool lwi_embedding_decide(const lw_model *m, struct lw_work *w, const lwi_rank_rule *rule);
/* Accelerations of the mechanism with G udot = gamma - stabilization (G u - nu); after kinematics.
   false: singular (*full: the capacity was exceeded). */
bool lwi_embedding_forward(struct lw_work *w, double t, const double q[], const double u[],
                           const double tau[], double stabilization, double udot[], bool *full);
/* The smallest x in the metric of the mass matrix with G x = rhs (scaled rows); after forward. */
void lwi_embedding_solve_response(const lw_model *m, struct lw_work *w, const double rhs[],
                                  double x[]);
/* Multipliers of the last forward dynamics into closure->lambda, those of dependent rows zero. */
void lwi_embedding_loads(const lw_model *m, struct lw_work *w);
/* Products with the states of self-stress N, as multiplier_loads.c needs them. */
void lwi_embedding_stress(const lw_model *m, const struct lw_work *w, const double y[],
                          double out[]);
void lwi_embedding_stress_transposed(const lw_model *m, const struct lw_work *w, const double x[],
                                     double out[]);

/* Operations of one forward dynamics call beyond those of the tree itself, by either method; after
   a state was assembled. */
double lwi_embedding_cost(const lw_model *m, const struct lw_work *w);
double lwi_closure_cost(const lw_model *m);

#endif
