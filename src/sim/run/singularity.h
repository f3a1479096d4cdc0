/* SPDX-License-Identifier: Apache-2.0 */
/* singularity.h -- singular configurations that a run passes: times at which constraints are
   dependent, and the number of degrees of freedom there.

   The distance r from the nearest one (tree/loops/regularity.h) is geometric: it changes by no more
   than a few times the rotations of the joints.  Between two times a and b there is none if the
   joints rotate by less than (r_a + r_b) / STEEP.  Otherwise the interval is bisected until it is
   excluded or brackets a minimum; r^2 is smooth, and parabolas lead to its minimum.  Therefore the
   result does not depend on step sizes, formulation or tolerances.

   Loops that have no joint in common are parts with distances of their own, which are searched side
   by side: linkages may be singular one after the other within any time. */
#ifndef LWI_SIM_RUN_SINGULARITY_H
#define LWI_SIM_RUN_SINGULARITY_H
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "sim/integrate/system.h"

/* A time, and the distance of one part from its singular configurations there. */
typedef struct {
  double t, r;
  double speed; /* of its fastest joint: rad/s, or typical lengths per second */
} lwi_distance;

/* The same of all parts. */
typedef struct {
  double t;
  double *r, *speed; /* [npart] */
} lwi_distances;

/* A part that was singular at the end of the last step, but not before; freedoms: how many more it
   has there; 0: it was not. */
typedef struct {
  double time;
  int freedoms;
} lwi_arrival;

/* r of a part at three times, least in the middle; ends: the interval as it was at first. */
typedef struct {
  int part;
  lwi_distance a, m, b, ends[2];
  bool known; /* it has been reported with another part */
} lwi_bracket;

enum { LWI_SINGULAR_DEPTH = 50 };

typedef struct {
  lw_work *probe;     /* NULL: nothing to search for */
  int npart;          /* tree/loops/regularity.h */
  double *q;          /* [2 nq] scratch, and the last state measured */
  int *rank;          /* [npart] of the constraints where they are regular */
  int *there;         /* [2 npart] ranks at a configuration, and scratch */
  long looked;        /* states evaluated since the last step began */
  long most;          /* limit of that number */
  double r;           /* the smallest distance at the present state of the integration */
  lwi_distances now;  /* there */
  lwi_distances last; /* everything up to here has been examined */
  lwi_distances end, scratch, spare;
  lwi_distances middle[LWI_SINGULAR_DEPTH]; /* of the intervals that are being examined */
  int *open[LWI_SINGULAR_DEPTH + 1];        /* [npart] parts that are not excluded there */
  double *numbers;                          /* what all of them point to */
  int *parts;                               /* the same */
  double to;                                /* end of the time that is being examined */
  lwi_arrival *arrival;                     /* [npart] */
  lwi_bracket *bracket;                     /* [npart] */
  int n, capacity;
  lw_singularity *found; /* [n] in order of time */
} lwi_singularities;

bool lwi_singularities_init(lwi_singularities *x, const lwi_system *s);
void lwi_singularities_free(lwi_singularities *x);

/* Measures a state at which the constraints hold; the result is x->r and x->now. */
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
