/* SPDX-License-Identifier: Apache-2.0 */
/* parameter_derivative.h -- derivatives by one parameter, behind one face: exactly (exact_derivative.c), or from
   neighbours, models with nearby values of the parameter (finite_difference.c).

   y is that of a joint system (system.h), y_p its derivative at fixed time by the parameter in units of its
   own size: y_p = scale dy/dp.  So tolerances mean the same for all parameters, whatever their units. */
#ifndef LWI_SIM_SENSITIVITY_PARAMETER_DERIVATIVE_H
#define LWI_SIM_SENSITIVITY_PARAMETER_DERIVATIVE_H
#include "linkwork/simulate.h"
#include "sim/integrate/system.h"

/* an event: what happens to derivatives */
typedef struct {
  const lw_simulation *sim;
  double t;
  const int *number; /* [n] of the events, in the model */
  int n;
  int trigger;     /* index of the expression among those of the model; -1: at a time */
  const double *y; /* just before ... */
  const double *f; /* ... and its rate */
  double g_rate;   /* of the expression, by time */
} lwi_crossing;

/* sensitivity_events.c: says of which event there is no derivative, and why; LW_E_SINGULAR: the expression does not
   move where it is zero, so that the time of the event does not follow the parameter smoothly. */
lw_status lwi_crossing_fail(const lwi_crossing *x, lw_status status, lw_error *err);

typedef struct lwi_parameter_derivative lwi_parameter_derivative;
struct lwi_parameter_derivative {
  int parameter;            /* its index in the model */
  lwi_system *system;       /* of the present model */
  double scale;             /* |p|, or 1 */
  const double *parameters; /* [nparameter] derivatives of all parameters by this one, scaled */
  double end_p;             /* of the end of the run as the model says it */
  const char *reason; /* why start failed, if there is more to say than its status; else NULL */

  /* Of the initial state y. */
  lw_status (*start)(lwi_parameter_derivative *v, double t, const double y[], double y_p[]);
  /* Of the rate f at y, of n variations of one kind, each with its y_p; the system was asked for f just
     before. */
  lw_status (*rates)(lwi_parameter_derivative *const v[], int n, double t, const double y[],
                     const double f[], const double *const y_p[], double *const f_p[]);
  /* Makes y_p satisfy the differentiated constraints; y does satisfy them. */
  lw_status (*project_output)(lwi_parameter_derivative *v, double t, const double y[],
                              double y_p[]);
  /* As of the system. */
  lw_status (*update_rank)(lwi_parameter_derivative *v, double t, const double y[],
                           const double y_p[], double h);
  void (*set_near_singular)(lwi_parameter_derivative *v, bool near_singular);

  /* Of the columns of set `set`, which watch has announced, at a state that the columns themselves have
     just been computed at; values of what does not exist are NaN. */
  lw_status (*watch)(lwi_parameter_derivative *v, int set, const char *patterns, lw_error *err);
  lw_status (*row)(lwi_parameter_derivative *v, int set, lw_columns *columns, double t,
                   const double y[], const double y_p[], double row_p[]);

  /* An event comes: the derivative of its time.  Then it happens; from there on only land may be called
     until the motion goes on. */
  lw_status (*when)(lwi_parameter_derivative *v, const lwi_crossing *x, const double y_p[],
                    double *when_p, lw_error *err);
  lw_status (*jump)(lwi_parameter_derivative *v, const lwi_crossing *x, const double y_p[],
                    double when_p, lw_error *err);
  /* After it, of the state y just after it, moving with the event: along when_p in time, too. */
  lw_status (*restart)(lwi_parameter_derivative *v, double t, const double y[], double y_p[]);
  /* ... and then, y_p at fixed time again, the motion goes on from there; NULL: nothing to do. */
  lw_status (*restarted)(lwi_parameter_derivative *v, double t, const double y[],
                         const double y_p[]);
  void (*free)(lwi_parameter_derivative *v);
};

/* sets of columns */
enum { LWI_OBJECTIVE_COLUMNS, LWI_RESULT_COLUMNS, LWI_DERIVATIVE_SETS };

#endif
