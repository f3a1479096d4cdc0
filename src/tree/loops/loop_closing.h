/* SPDX-License-Identifier: Apache-2.0 */
/* loop_closing.h -- positions at which loops are closed: from a rough guess (loop_closing.c), or
   the nearest one to where the bodies are (nearest_position.c). */
#ifndef LWI_TREE_LOOPS_LOOP_CLOSING_H
#define LWI_TREE_LOOPS_LOOP_CLOSING_H
#include "tree/loops/closure.h"

/* a search for positions; the arrays are scratch of the work's closure */
typedef struct {
  const lw_model *m;
  struct lw_work *w;
  const lwi_tree_constraints *x;
  const bool *held; /* [nu] in link order: freedoms that do not move; NULL: all may */
  double t;
  double *q, *trial;  /* [nq] where it is, where it might go */
  double *delta;      /* [nu] the step */
  double *rate;       /* [nq] the step in coordinates */
  double *zero_speed; /* [nu] zeros */
} lwi_search;

/* All constraints, nothing that is held moves. */
lwi_search lwi_search_begin(const lw_model *m, struct lw_work *w, double t, double q[]);
/* All constraints, everything may move: what integration sees. */
lwi_search lwi_search_all(const lw_model *m, struct lw_work *w, double t, double q[]);
/* Rows and the scaled violation at q, in the closure's rhs; returns its norm. */
double lwi_search_find_violation(const lwi_search *s, const double q[]);
/* From s->q as near to closed as this start leads; returns the violation that is left. */
double lwi_search_close(const lwi_search *s);
bool lwi_search_is_closed(const lwi_search *s, double violation);
/* From s->q, which is closed, to the nearest closed position to written[nq]: a local minimum of the
   distance (nearest_closing.c).  Not on a net, where s->q stays. */
void lwi_search_nearest(const lwi_search *s, const double written[]);
/* Gears take part in no assembly: they hold from where they are now. */
bool lwi_search_is_gear(const lwi_search *s, const lwi_tree_constraint *t);
void lwi_search_remember_gears(const lwi_search *s);

/* q of a position becomes that of the nearest one where all constraints hold: that with the least

     f = 1/2 sum over bodies of the integral of |x - x0|^2 dm

   where x0 is where a piece of mass is if the bodies have the poses pose[nbody + 1].  A local
   minimum: the one that descent leads to from q.  LW_E_NOT_CONVERGED: err says why. */
lw_status lwi_move_nearest(const lw_model *m, struct lw_work *w, double t, const lwi_frame pose[],
                           double q[], lw_error *err);

#endif
