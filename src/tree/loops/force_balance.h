/* SPDX-License-Identifier: Apache-2.0 */
/* balance.h -- do the accelerations that were found belong to the forces?  Inverse dynamics says
   what they need, and that must be what there is:

     M udot + bias - T - G^T lambda = 0        by cut joints, and in trees
     X^T (M udot + bias - T) = 0               where constraints are embedded

   each compared with the size of its terms.  It costs a third of forward dynamics, so that of all
   calls one in LWI_BALANCE_EVERY is checked, the first one of a work always; all of them once one
   had to be refined. */
#ifndef LWI_TREE_LOOPS_FORCE_BALANCE_H
#define LWI_TREE_LOOPS_FORCE_BALANCE_H
#include "tree/loops/work.h"

enum { LWI_BALANCE_EVERY = 16 };

/* counts calls */
bool lwi_balance_is_due(lw_work *w);
/* After forward dynamics, loads of constraints pushed: the largest lack relative to its terms.
   tau: as given to forward dynamics, or NULL.  Leaves what is lacking of each speed in w->lack. */
double lwi_find_imbalance(const lw_model *m, lw_work *w, const double tau[]);

#endif
