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

/* At q, where constraints hold; r is 1 at best.  Decides which rows count.  The rank of regular
   configurations is taken as the largest seen so far, *rank, 0 at first.  Returns 1 for models with
   a link system (closure.h). */
double lwi_regularity(const lw_model *m, struct lw_work *w, const double q[], int *rank);
/* The same near such a q, where redundant rows may seem independent because constraints are
   slightly violated: keeps the rows decided before.  0: they are no longer independent, and the
   rank must be decided again. */
double lwi_regularity_near(const lw_model *m, struct lw_work *w, const double q[], int rank);
/* The speed of the fastest joint that a constraint can move, after the above: rad/s, or typical
   lengths per second. */
double lwi_regularity_speed(const lw_model *m, const struct lw_work *w, const double u[]);
/* Degrees of freedom at q; distances below `there` count as zero. */
int lwi_regularity_freedoms(const lw_model *m, struct lw_work *w, const double q[], double there);
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
