/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_data.h -- the data of a simulation with derivatives: created and queried in
   sensitivity.c, carried through events in sensitivity_events.c. */
#ifndef LWI_SIM_SENSITIVITY_SENSITIVITY_DATA_H
#define LWI_SIM_SENSITIVITY_SENSITIVITY_DATA_H
#include "sim/formulation/linearized_dynamics.h"
#include "sim/sensitivity/adjoint.h"
#include "sim/sensitivity/half_turns.h"
#include "sim/sensitivity/peaks.h"
#include "sim/sensitivity/sensitivity.h"

struct lw_sensitivity {
  lwi_simulation_hooks hooks; /* must be first: the simulation only has a pointer to it */
  const lw_model *m;
  int np; /* by parameters */
  int n;  /* with the derivative by none, which adjoint sweeps need: the last one */
  lwi_parameter_derivative **derivative; /* [n] */
  lwi_objectives objectives;
  lwi_sensitivity_system *system; /* of the present model */
  bool differences;
  lwi_adjoint adjoint;
  lw_sensitivity_cost cost;
  lwi_linearized_dynamics linear; /* of the present model */
  lw_simulation *sim;
  lw_columns *columns;
  char *patterns;
  lwi_peaks peaks;
  lwi_half_turns half_turns;
  int resting;              /* number of steps since a load has been at its switch */
  double *objective_values; /* [objectives] */

  bool end_as_written; /* the end of the run is that of the model, not the caller's */
  double t;            /* of the present output state */
  double *when_p;      /* [n] derivatives of the time of the last event */
  double *until;       /* [n] time up to which derivatives exist */
  lwi_event_restart event_restart;
  lw_start_callback start; /* NULL: as written */
  lwi_given_start given;
  int *number, number_capacity; /* numbers of the events of one instant */
  lw_step_callback on_step;
  lw_event_callback on_event;
  void *step_context, *event_context;
};

/* The derivative by parameter k of the end of the run, which is the present output state. */
double lwi_sensitivity_end_p(const lw_sensitivity *s, int k);

/* Goes to where options.start says, with its derivatives (sensitivity_start.c). */
lw_status lwi_sensitivity_start(lw_sensitivity *s, lw_error *err);

/* Do derivatives by parameter k exist at the present output state? */
bool lwi_sensitivity_exists(const lw_sensitivity *s, int k);

/* Derivatives by time of the result columns at the present output state. */
lw_status lwi_sensitivity_time_rates(lw_sensitivity *s, double rate[]);

/* Hooks of the simulation: carry derivatives through events, and where loads jump. */
lw_status lwi_sensitivity_jump(lwi_simulation_hooks *c, double t, const lwi_event *const event[],
                               int nevent, bool fixed, lw_error *err);
lw_status lwi_sensitivity_pass_switch(lwi_simulation_hooks *c, double t, lw_error *err);
/* ... and where expressions of time do. */
lw_status lwi_sensitivity_pass_time(lwi_simulation_hooks *c, double t, lw_error *err);

/* dg/dt of an expression that fires, at y with rate f; leaves its columns at this state.  scratch:
   that of lwi_column_time_rates, and slots. */
lw_status lwi_sensitivity_trigger_rate(lw_sensitivity *s, int trigger, double t, const double y[],
                                       const double f[], double scratch[], double *rate);
/* Do two times with these derivatives separate when the parameter changes? */
bool lwi_sensitivity_moves_apart(const lw_sensitivity *s, double a, double b);

#endif
