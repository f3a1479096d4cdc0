/* SPDX-License-Identifier: Apache-2.0 */
/* regularity.h -- distance of the constraints of a mechanism from linear dependence, by geometry
   alone.

   Translations are scaled by a typical lever arm.  With G D G^T = L L^T by rows, the smallest pivot
   of those that a regular configuration has is the squared distance of a row from the span of the
   rows before it.  Its root is the distance r: near a singular configuration it is proportional to
   the displacement from there, whatever the masses are. */
#ifndef LWI_TREE_LOOPS_REGULARITY_H
#define LWI_TREE_LOOPS_REGULARITY_H
#include "tree/loops/closure.h"

/* Constraints of different clusters (model/clusters.h) move no joint in common: each cluster is a part with a distance
   of its own, so that linkages side by side may become singular one after the other, however quickly.  How many parts
   there are; 0: no constraints, or a link system (closure.h). */
int lwi_regularity_parts(const lw_model *m);
/* At q, where constraints hold: r[part], 1 at best.  Decides which rows count.  The rank of regular configurations is
   taken as the largest seen so far, rank[part], 0 at first. */
void lwi_regularity(const lw_model *m, struct lw_work *w, const double q[], int rank[], double r[]);
/* The same near such a q, where redundant rows may seem independent because constraints are
   slightly violated: keeps the rows decided before.  0: they are no longer independent, and the
   rank must be decided again. */
void lwi_regularity_near(const lw_model *m, struct lw_work *w, const double q[], const int rank[],
                         double r[]);
/* The speed of the fastest joint that a constraint of each part can move, after the above: rad/s, or typical lengths
   per second. */
void lwi_regularity_speeds(const lw_model *m, const struct lw_work *w, const double u[],
                           double speed[]);
/* The rank of each part at q; distances below `there` count as zero. */
void lwi_regularity_ranks(const lw_model *m, struct lw_work *w, const double q[], double there,
                          int rank[]);
/* Is there a motion with speeds u at q?  Where rows are dependent (distances below `there`), speeds
   may satisfy all of them although the accelerations that they imply contradict each other.
   Returns the contradiction relative to these accelerations; 0: none.  constraint: one that
   contradicts. */
double lwi_regularity_contradiction(const lw_model *m, struct lw_work *w, double t,
                                    const double q[], const double u[], double there,
                                    int *constraint);
/* The dependency of rows that contradicts most, after the above: multipliers lambda[nrow] with
   lambda^T G = 0, and lambda^T gamma, which is not 0.  scratch[2 nrow].  Without row k its
   acceleration would be -lambda^T gamma / lambda_k beyond what it asks for. */
double lwi_regularity_conflict(const lw_model *m, struct lw_work *w, double lambda[],
                               double scratch[]);

#endif
