/* SPDX-License-Identifier: Apache-2.0 */
/* singularity.h -- singular configurations that a run passes: moments at which constraints depend on each
   other, and how many degrees of freedom there are then.

   The distance r from the next one (tree/loops/regularity.h) is geometry: it changes by no more than a few times the turns of
   the joints.  Two times a and b between which joints turn by less than (r_a + r_b) / STEEP have none in
   between.  Else the step is halved, until an interval is excluded or brackets a minimum; r^2 is smooth, and parabolas
   lead to its lowest point.  So the same ones are found however long the steps are, in all
   formulations and at all tolerances. */
#ifndef LWI_SIM_RUN_SINGULARITY_H
#define LWI_SIM_RUN_SINGULARITY_H
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "sim/integrate/system.h"

/* a state and its distance from singular ones */
typedef struct {
  double t, r;
  double speed; /* of the fastest joint in a loop: rad/s, or typical lengths per second */
} lwi_distance;

typedef struct {
  lw_work *probe;    /* NULL: nothing to look for */
  double *q;         /* [2 nq] scratch, and the state last measured */
  int rank;          /* of the constraints where they are regular */
  long looked;       /* states looked at since the last step began */
  long most;         /* ... and how many there may be */
  lwi_distance now;  /* where the integration stands */
  lwi_distance last; /* up to here everything has been looked at, ... */
  double to;         /* ... and from there up to here it is being looked at */
  lw_singularity
      arrived; /* the last state was singular, the one before was not; time NAN: it was not */
  int n, capacity;
  lw_singularity *found; /* [n] in the order of time */
} lwi_singularities;

bool lwi_singularities_init(lwi_singularities *x, const lwi_system *s);
void lwi_singularities_free(lwi_singularities *x);

/* Measures a state in which constraints hold, into x->now. */
void lwi_singularities_measure(lwi_singularities *x, const lw_model *m, double t, const double q[],
                               const double u[]);
/* A motion begins at x->now. */
void lwi_singularities_begin(lwi_singularities *x);
/* The same after an event.  LW_E_SINGULAR: the speeds at q belong to no motion, because constraints depend on each
   other there. */
lw_status lwi_singularities_begin_anew(lwi_singularities *x, const lw_model *m, double t,
                                       const double q[], const double u[], lw_error *err);
/* After a step, when no event comes before t: adds what was passed since the last call. */
lw_status lwi_singularities_look(struct lw_simulation *sim, double t);

#endif
