/* SPDX-License-Identifier: Apache-2.0 */
/* peaks.h -- largest and smallest values of expressions during a run, and their derivatives.

   Extrema are looked for in every step, none left out however long it is: columns are curves along it (curve.h), and
   times at which bounds of the expression on these curves exclude a better value or a change of sign of dg/dt are left
   out (peaks.c).  An extremum is where dg/dt changes sign; there the derivative of the value is that at
   fixed time, since the time itself does not matter (dg/dt = 0).  At the start the value is that of a fixed
   time; at an event it moves with the event, and at the end with the end (sensitivity_objectives.c). */
#ifndef LWI_SIM_SENSITIVITY_PEAKS_H
#define LWI_SIM_SENSITIVITY_PEAKS_H
#include "sim/formulation/linearized_dynamics.h"
#include "sim/run/simulation_data.h"
#include "sim/sensitivity/sensitivity_system.h"

typedef struct {
  bool known;
  double t, value;
  double *gradient; /* [nderivative] */
} lwi_peak;

typedef struct {
  lw_simulation *sim;
  lwi_sensitivity_system *system;  /* of the present model */
  lwi_linearized_dynamics *linear; /* ... and that linearised; NULL: differences are wanted */
  lwi_objectives *objectives;
  int n, nderivative;
  lwi_peak *peak;     /* [objectives] those of other kinds are not used */
  lwi_peak *before;   /* ... at the beginning of the last look, */
  lwi_peak *shown;    /* ... and until a time within it */
  lwi_peak *records;  /* all of them, */
  double *gradients;  /* and theirs */
  double t, t_before; /* up to where was looked, and before the last look */
  lwi_curve curve;    /* of the columns, in the piece of a step that is looked at */
  lwi_bounds *bounds; /* [nparameter + ncolumn] */
  double *slot_noise; /* [nparameter + ncolumn] */
  int capacity;
  double *y, *f, *unit;  /* [capacity] unit: with unit quaternions */
  double *scratch;       /* of lwi_column_time_rates */
  double *row_p;         /* [ncolumn] */
  double *value, *slope; /* [objectives] at the state looked at last */
} lwi_peaks;

bool lwi_peaks_init(lwi_peaks *p, lwi_objectives *o, int nderivative);
void lwi_peaks_free(lwi_peaks *p);

/* Values and slopes by time of all objectives, of whatever kind, at the state that the simulation shows. */
lw_status lwi_peaks_measure(lwi_peaks *p, double t);

/* The state that the simulation shows counts: the beginning, or just before or after an event, whose time
   has derivatives when_p[nderivative]; NULL: none. */
lw_status lwi_peaks_note(lwi_peaks *p, double t, const double when_p[]);
/* Looks at what was passed since, up to t. */
lw_status lwi_peaks_look(lwi_peaks *p, double t);
/* The peaks until t, which may be earlier than where was looked last, within the same step; NULL: see status.  Leaves the
   simulation at t. */
const lwi_peak *lwi_peaks_until(lwi_peaks *p, double t, lw_status *status);
/* Is there a largest or smallest value to look for? */
static inline bool lwi_peaks_wanted(const lwi_peaks *p)
{
  for (int i = 0; i < p->objectives->n; i++)
    if (p->objectives->item[i].kind >= LW_OBJECTIVE_MAX) return true;
  return false;
}

#endif
