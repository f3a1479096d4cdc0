/* SPDX-License-Identifier: Apache-2.0 */
/* balance.h -- energy against work, in every run: docs/theory/energy.md.

     error(t) = E(t) - E(0) - (what events changed) - integral of P dt

   with the power P of power.h.  Along exact motions this is zero from any state on, also in chaotic ones: so
   the error of a run is the sum of what its steps add, and nothing amplifies it.  A step may add what its
   local error, one tolerance in each number of y, changes in E and in its own work; that is measured
   every few steps, by evaluating both at a state shifted by the tolerance with signs at random.  Of all steps
   together it is five times the root of the sum of squares, as if signs were at random, and a fifth of the
   sum, since they are not; at most the sum.  What is more has another cause.

   P is integrated by its values at the ends of steps where the estimate says that this will do, else by
   values inside the step from dense output.  Nothing here touches what the integration computes with. */
#ifndef LWI_SIM_RUN_BALANCE_H
#define LWI_SIM_RUN_BALANCE_H
#include "sim/run/power.h"
#include "sim/integrate/quadrature.h"

typedef struct lw_simulation lw_simulation;

/* what has been added up until some time */
typedef struct {
  double work;         /* integral of P */
  double quadrature;   /* estimated error of that integral */
  double sum, squares; /* of what the tolerances explain in each step */
} lwi_balance_sum;

typedef struct {
  double start;              /* energy at the start, ... */
  double events;             /* ... and what events have changed since */
  double from, to;           /* the last step, ... */
  lwi_balance_sum then, now; /* ... and what had been added up at its ends */
  lwi_samples power;         /* at the ends of steps since the last event */
  double change[2];          /* of energy and work, at the last two states that were shifted */
  double each;               /* what tolerances explain in one step */
  int measured, unseen;      /* how often, and steps since, that was measured */
  double most;               /* energy that has moved: kinetic, or a change of potential */
  double magnitude;          /* of energies, with the arbitrary zero of the potential */
  double potential;          /* at the start */
  double unknown;            /* since when the power is not known; infinity: it is */
  lw_status why;             /* ... because of this */
  unsigned random;
} lwi_balance;

/* Begins anew at t, at the state in sim->y. */
void lwi_balance_start(lw_simulation *sim, double t);
/* The present model goes on from t, at the state in sim->y, after an event. */
void lwi_balance_go_on(lw_simulation *sim, double t);
/* A step from `before` to where the integrator stands. */
void lwi_balance_step(lw_simulation *sim, double before);
/* What lies beyond t, within the last step, does not happen: an event comes first. */
void lwi_balance_cut(lw_simulation *sim, double t);

/* The energy that should be there at t within the last step; NaN: not known. */
double lwi_balance_expect(const lw_simulation *sim, double t);

#endif
