/* SPDX-License-Identifier: Apache-2.0 */
/* parameter_derivative.h -- the interface of derivatives by one parameter: exact
   (exact_derivative.c), or by differences of models with nearby values of the parameter
   (finite_difference.c).

   y is that of a joint system (system.h); y_p is its derivative at fixed time by the parameter in
   units of its magnitude: y_p = scale dy/dp.  Thus tolerances mean the same for all parameters,
   whatever their units. */
#ifndef LWI_SIM_SENSITIVITY_PARAMETER_DERIVATIVE_H
#define LWI_SIM_SENSITIVITY_PARAMETER_DERIVATIVE_H
#include "linkwork/simulate.h"
#include "sim/integrate/system.h"

/* An event, as far as derivatives need it. */
typedef struct {
  const lw_simulation *sim;
  double t;
  const int *number; /* [n] numbers of the events in the model; NULL: a load switches */
  int n;
  int trigger;     /* index of the expression among those of the model; -1: event at a given time */
  const double *y; /* just before */
  const double *f; /* the rate of y */
  double g_rate;   /* dg/dt of the expression */
  int load; /* the contact that gives way at the bound of its load (load_crossing.h); -1: none */
} lwi_crossing;

/* sensitivity_events.c: reports which event has no derivative, and why.  LW_E_SINGULAR: dg/dt is
   zero at the zero of the expression, so that the time of the event is not a smooth function of the
   parameter. */
lw_status lwi_crossing_fail(const lwi_crossing *x, lw_status status, lw_error *err);

typedef struct lwi_parameter_derivative lwi_parameter_derivative;
struct lwi_parameter_derivative {
  int parameter;            /* its index in the model */
  lwi_system *system;       /* of the present model */
  double scale;             /* |p|, or 1 */
  const double *parameters; /* [nparameter] derivatives of all parameters by this one, scaled */
  double end_p;             /* derivative of the end of the run as given in the model */
  const char *reason; /* why start failed, if there is more to say than its status; else NULL */

  /* Derivative of the initial state y. */
  lw_status (*start)(lwi_parameter_derivative *v, double t, const double y[], double y_p[]);
  /* The same from given derivatives of positions, along speeds, and of states; speeds are zero. */
  lw_status (*start_at)(lwi_parameter_derivative *v, double t, const double y[],
                        const double motion[], const double states[], double y_p[]);
  /* Derivatives of the rate f at y, for n parameters of one kind, each with its y_p; f has just
     been evaluated by the system. */
  lw_status (*rates)(lwi_parameter_derivative *const v[], int n, double t, const double y[],
                     const double f[], const double *const y_p[], double *const f_p[]);
  /* Makes y_p satisfy the differentiated constraints; y satisfies the constraints. */
  lw_status (*project_output)(lwi_parameter_derivative *v, double t, const double y[],
                              double y_p[]);
  /* See lwi_system. */
  lw_status (*update_rank)(lwi_parameter_derivative *v, double t, const double y[],
                           const double y_p[], double h);
  void (*set_near_singular)(lwi_parameter_derivative *v, bool near_singular);

  /* watch announces a set of columns; row gives their derivatives at a state at which the columns
     themselves have just been computed.  Columns that do not exist are NaN. */
  lw_status (*watch)(lwi_parameter_derivative *v, int set, const char *patterns, lw_error *err);
  lw_status (*row)(lwi_parameter_derivative *v, int set, lw_columns *columns, double t,
                   const double y[], const double y_p[], double row_p[]);

  /* Before an event: the derivative of its time.  Then the event happens; until the motion
     continues only restart may be called. */
  lw_status (*when)(lwi_parameter_derivative *v, const lwi_crossing *x, const double y_p[],
                    double *when_p, lw_error *err);
  lw_status (*jump)(lwi_parameter_derivative *v, const lwi_crossing *x, const double y_p[],
                    double when_p, lw_error *err);
  /* After the event: the derivative of the state y just after it, at the moving time of the event,
     whose derivative is when_p. */
  lw_status (*restart)(lwi_parameter_derivative *v, double t, const double y[], double y_p[]);
  /* Then, with y_p at fixed time again, the motion continues from there; NULL: nothing to do. */
  lw_status (*restarted)(lwi_parameter_derivative *v, double t, const double y[],
                         const double y_p[]);
  void (*free)(lwi_parameter_derivative *v);
};

/* Sets of columns. */
enum { LWI_OBJECTIVE_COLUMNS, LWI_RESULT_COLUMNS, LWI_DERIVATIVE_SETS };

#endif
