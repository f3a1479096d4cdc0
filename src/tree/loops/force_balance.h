/* SPDX-License-Identifier: Apache-2.0 */
/* force_balance.h -- checks accelerations against forces: the loads that they require by inverse
   dynamics must be those that act,

     M udot + bias - T - G^T lambda = 0        by cut joints, and in trees
     X^T (M udot + bias - T) = 0               where constraints are embedded

   each relative to the size of its terms.  This costs a third of forward dynamics.  The first call
   of a work and one in LWI_BALANCE_EVERY is checked, and all of them once a call had to be
   refined. */
#ifndef LWI_TREE_LOOPS_FORCE_BALANCE_H
#define LWI_TREE_LOOPS_FORCE_BALANCE_H
#include "tree/loops/work.h"

enum { LWI_BALANCE_EVERY = 16 };
/* of what the terms of a balance are: more is refined, or has not been solved */
#define LWI_REFINED 1e-10
#define LWI_UNSOLVED 1e-6

/* Is this call to be checked?  Counts calls. */
bool lwi_balance_is_due(lw_work *w);
/* The largest residual relative to its terms; after forward dynamics, with the loads of constraints
   on the links.  tau: as given to forward dynamics, or NULL.  Leaves the residual of each speed in
   w->residual and its body in w->unsolved.  Of lanes, one after the other is compared. */
double lwi_find_imbalance(const lw_model *m, lw_work *w, const double tau[]);
/* The accelerations of a tree in w->out: where digits were lost, forces that make up for the
   residual restore them.  False: they do not belong to the forces.  All lanes. */
bool lwi_balance_tree(const lw_model *m, lw_work *w, const double tau[]);

#endif
