/* SPDX-License-Identifier: Apache-2.0 */
/* regularity.h -- how far the constraints of a mechanism are from depending on each other, by
   geometry alone.

   With a metre as much as a turn by a typical lever arm, G D G^T = L L^T by rows, and the smallest
   pivot that a regular configuration has is the square of the distance of a row from all rows
   before it.  Its root is the distance r: near a singular configuration it is proportional to the
   displacement from there, whatever the masses are. */
#ifndef LWI_TREE_LOOPS_REGULARITY_H
#define LWI_TREE_LOOPS_REGULARITY_H
#include "tree/loops/closure.h"

/* At q, where constraints hold; r is 1 at best.  Which rows count is decided; the rank of regular
   configurations is the largest that was seen, *rank, 0 at first.  Models whose constraints are on
   a net (closure.h): 1. */
double lwi_regularity(const lw_model *m, struct lw_work *w, const double q[], int *rank);
/* The same near such a q, where redundant rows may seem to count because constraints are a little
   off: the rows decided upon count.  0: not all of them do, and others have to be decided upon. */
double lwi_regularity_near(const lw_model *m, struct lw_work *w, const double q[], int rank);
/* The speed of the fastest joint that a constraint can move, after the above: rad/s, or typical
   lengths per second. */
double lwi_regularity_speed(const lw_model *m, const struct lw_work *w, const double u[]);
/* Degrees of freedom at q, where distances below `there` count as none. */
int lwi_regularity_freedoms(const lw_model *m, struct lw_work *w, const double q[], double there);
/* Do speeds u at q lead along the constraints?  Where rows depend on each other (below `there`),
   speeds may satisfy all of them and yet belong to no motion: accelerations that they ask for
   contradict each other.  Returns by how much, relative to what they ask for; 0: they do not.
   constraint: one of those that contradict. */
double lwi_regularity_contradiction(const lw_model *m, struct lw_work *w, double t,
                                    const double q[], const double u[], double there,
                                    int *constraint);

#endif
