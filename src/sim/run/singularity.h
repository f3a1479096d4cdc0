/* SPDX-License-Identifier: Apache-2.0 */
/* singularity.h -- singular configurations that a run passes: times at which constraints are
   dependent, and the number of degrees of freedom there.

   The distance r from the nearest one (tree/loops/regularity.h) is geometric: it changes by no more
   than a few times the rotations of the joints.  Between two times a and b there is none if the
   joints rotate by less than (r_a + r_b) / STEEP.  Otherwise the interval is bisected until it is
   excluded or brackets a minimum; r^2 is smooth, and parabolas lead to its minimum.  Therefore the
   result does not depend on step sizes, formulation or tolerances. */
#ifndef LWI_SIM_RUN_SINGULARITY_H
#define LWI_SIM_RUN_SINGULARITY_H
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "sim/integrate/system.h"

/* A state and its distance from singular configurations. */
typedef struct {
  double t, r;
  double speed; /* of the fastest joint in a loop: rad/s, or typical lengths per second */
} lwi_distance;

typedef struct {
  lw_work *probe;    /* NULL: nothing to search for */
  double *q;         /* [2 nq] scratch, and the last state measured */
  int rank;          /* of the constraints where they are regular */
  long looked;       /* states evaluated since the last step began */
  long most;         /* limit of that number */
  lwi_distance now;  /* the present state of the integration */
  lwi_distance last; /* everything up to here has been examined */
  double to;         /* end of the time that is being examined */
  lw_singularity
      arrived; /* the last state was singular, the one before was not; time NAN: it was not */
  int n, capacity;
  lw_singularity *found; /* [n] in order of time */
} lwi_singularities;

bool lwi_singularities_init(lwi_singularities *x, const lwi_system *s);
void lwi_singularities_free(lwi_singularities *x);

/* Measures a state at which the constraints hold; the result is x->now. */
void lwi_singularities_measure(lwi_singularities *x, const lw_model *m, double t, const double q[],
                               const double u[]);
/* A motion begins at x->now. */
void lwi_singularities_begin(lwi_singularities *x);
/* Do dependent constraints forbid the motion with speeds u at q?  Leaves w for
   lwi_regularity_conflict. */
bool lwi_singularities_forbid(const lw_model *m, lw_work *w, double t, const double q[],
                              const double u[]);
/* The same after an event.  Returns LW_E_SINGULAR if no motion has these speeds at q, because
   constraints are dependent there. */
lw_status lwi_singularities_begin_anew(lwi_singularities *x, const lw_model *m, double t,
                                       const double q[], const double u[], lw_error *err);
/* After a step, if no event comes before t: adds the singular configurations passed since the last
   call. */
lw_status lwi_singularities_look(struct lw_simulation *sim, double t);

#endif
