/* SPDX-License-Identifier: Apache-2.0 */
/* peaks.h -- maxima and minima of expressions during a run, and their derivatives.

   Every step is searched completely, however long it is: columns are curves along it (curve.h), and
   times are excluded at which bounds of the expression on these curves exclude a better value or a
   change of sign of dg/dt (peaks.c).  At an extremum dg/dt changes sign; the derivative of the
   value is that at fixed time, since the change of the time has no effect (dg/dt = 0).  At the
   start the value is that of a fixed time; at an event its time moves with the event, and at the
   end with the end of the run (sensitivity_objectives.c). */
#ifndef LWI_SIM_SENSITIVITY_PEAKS_H
#define LWI_SIM_SENSITIVITY_PEAKS_H
#include "sim/formulation/linearized_dynamics.h"
#include "sim/run/simulation_data.h"
#include "sim/sensitivity/sensitivity_system.h"

typedef struct {
  bool known;
  double t, value;
  double *gradient; /* [nderivative] */
  bool pending;     /* the gradient is not known yet: adjoint.h */
} lwi_peak;

typedef struct {
  lw_simulation *sim;
  lwi_sensitivity_system *system;  /* of the present model */
  lwi_linearized_dynamics *linear; /* its linearisation; NULL: use differences */
  lwi_objectives *objectives;
  int n, nderivative;
  lwi_peak *peak;     /* [objectives] those of other kinds are not used */
  lwi_peak *before;   /* at the beginning of the last search */
  lwi_peak *shown;    /* up to a time within it */
  lwi_peak *records;  /* memory of all of them */
  double *gradients;  /* and of their gradients */
  double t, t_before; /* end of the last search, and its beginning */
  double noted;       /* time of the last lwi_peaks_note */
  lwi_curve curve;    /* of the columns, in the present piece of a step */
  lwi_bounds *bounds; /* [nparameter + ncolumn] */
  double *slot_noise; /* [nparameter + ncolumn] */
  int capacity;
  double *y, *f, *unit;  /* [capacity] unit: with unit quaternions */
  double *scratch;       /* for lwi_column_time_rates */
  double *row_p;         /* [ncolumn] */
  double *value, *slope; /* [objectives] at the last state evaluated */
  double *ends;          /* [2][objectives] values at the beginning and the end of a search */
} lwi_peaks;

bool lwi_peaks_init(lwi_peaks *p, lwi_objectives *o, int nderivative);
void lwi_peaks_free(lwi_peaks *p);

/* Values and derivatives by time of all objectives, of any kind, at the present output state. */
lw_status lwi_peaks_measure(lwi_peaks *p, double t);

/* Takes the present output state into account: the beginning, or just before or after an event,
   whose time has derivatives when_p[nderivative]; NULL: none. */
lw_status lwi_peaks_note(lwi_peaks *p, double t, const double when_p[]);
/* Searches what was passed since the last call, up to t. */
lw_status lwi_peaks_look(lwi_peaks *p, double t);
/* The peaks up to t, which may be earlier than the end of the last search, within the same step.
   Leaves the simulation at t.  Returns NULL on failure; see *status. */
lwi_peak *lwi_peaks_until(lwi_peaks *p, double t, lw_status *status);
/* Are there any maxima or minima among the objectives? */
static inline bool lwi_peaks_wanted(const lwi_peaks *p)
{
  for (int i = 0; i < p->objectives->n; i++)
    if (p->objectives->item[i].kind >= LW_OBJECTIVE_MAX) return true;
  return false;
}

#endif
