/* SPDX-License-Identifier: Apache-2.0 */
/* balance.h -- the energy balance of every run: docs/theory/energy.md.

       error(t) = E(t) - E(0) - (changes by events) - integral of P dt

   with the power P of power.h.  Along exact motions this is zero from any initial state, also for
   chaotic motions: the error of a run is the sum of the contributions of its steps, and nothing
   amplifies it.  The tolerated contribution of a step is the change of E and of its work by the
   local error, one tolerance in each number of y.  It is measured every few steps, by evaluating
   both at a state shifted by the tolerance with random signs.  The contributions of all steps are
   combined to five times the root of the sum of squares, as for random signs, plus a fifth of the
   sum, since signs are not random; at most the sum.  A larger error has another cause.

   P is integrated from its values at the ends of steps if the error estimate allows it, else from
   values inside the step by dense output.  Nothing here changes the state of the integration. */
#ifndef LWI_SIM_RUN_BALANCE_H
#define LWI_SIM_RUN_BALANCE_H
#include "sim/run/power.h"
#include "sim/integrate/quadrature.h"

typedef struct lw_simulation lw_simulation;

/* Sums up to some time. */
typedef struct {
  double work;         /* integral of P */
  double quadrature;   /* estimated error of that integral */
  double sum, squares; /* of the contributions that the tolerances explain per step */
} lwi_balance_sum;

typedef struct {
  double start;               /* energy at the start */
  double events;              /* changes by events since */
  double from, to;            /* the last step */
  lwi_balance_sum then, now;  /* the sums at its ends */
  lwi_samples power;          /* at the ends of steps since the last event */
  double change[2];           /* of energy and work, at the last two shifted states */
  double each;                /* contribution that the tolerances explain per step */
  int measured, unseen;       /* number of such measurements, and steps since the last */
  double most;                /* energy exchanged: kinetic, or a change of potential */
  double magnitude;           /* of energies, with the arbitrary zero of the potential */
  double potential;           /* at the start */
  double unknown;             /* time from which on the power is unknown; infinity: it is known */
  double closest, closest_at; /* as in lw_energy_balance */
  lw_status why;              /* reason for that */
  unsigned random;
} lwi_balance;

/* Starts at t, at the state in sim->y. */
void lwi_balance_start(lw_simulation *sim, double t);
/* Continues after an event with the present model, at t and the state in sim->y. */
void lwi_balance_go_on(lw_simulation *sim, double t);
/* Accounts for a step from `before` to the present time of the integrator. */
void lwi_balance_step(lw_simulation *sim, double before);
/* Discards what is beyond t within the last step, since an event comes first. */
void lwi_balance_cut(lw_simulation *sim, double t);

/* The expected energy at t within the last step; NaN: unknown. */
double lwi_balance_expect(const lw_simulation *sim, double t);

#endif
