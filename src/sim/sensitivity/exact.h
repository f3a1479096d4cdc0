/* SPDX-License-Identifier: Apache-2.0 */
/* exact.h -- the data of an exact derivative by one parameter: its motion (exact_derivative.c), and
   how it goes through events (exact_events.c). */
#ifndef LWI_SIM_SENSITIVITY_EXACT_H
#define LWI_SIM_SENSITIVITY_EXACT_H
#include "sim/sensitivity/event_derivative.h"
#include "sim/sensitivity/exact_derivative.h"

typedef struct {
  lwi_parameter_derivative base;
  const lw_model *m; /* the model that model_p belongs to */
  const lw_model *first;
  lw_simulation_options options;
  lwi_linearized_dynamics *linear;
  lw_model_derivative *model_p; /* scaled */
  double *parameters;           /* [nparameter] */
  double *states_p;             /* [nstate] at the moving time of an event */
  double *scratch;              /* one allocation for all of the following */
  double *y;                    /* [nq + nu] with unit quaternions */
  lwi_state_direction along;
  double *states;                      /* [2 nstate] of along; scratch */
  double *dudot;                       /* [nu] */
  double *position_correction, *speed; /* [nu] */
  double *gear_p, *gap;                /* [equations] */
  lw_derivative_callback callback;
  void *context;
  int number;
  lwi_event_derivative event;
  lwi_parameter_derivative *near; /* used for events that move bodies; NULL: none */
} lwi_exact;

/* Allocates scratch for model m, which model_p now belongs to. */
bool lwi_exact_take_scratch(lwi_exact *v, const lw_model *m);
/* Copies y with unit quaternions to v->y, finds the direction from y_p, and linearises the tree
   recursion at y. */
lw_status lwi_exact_go_to(lwi_exact *v, double t, const double y[], const double y_p[]);
/* Derivatives of columns at y. */
lw_status lwi_exact_row(lwi_exact *v, const lw_columns *columns, double t, const double y[],
                        const double y_p[], double row_p[]);
/* The derivative of where gears start follows from the initial state: their equations hold
   there. */
lw_status lwi_exact_begin_gears(lwi_exact *v, double t, const double y[], const double y_p[]);
/* Converts the direction to y_p. */
void lwi_exact_put_motion(const lwi_exact *v, double y_p[]);

/* exact_events.c: see lwi_parameter_derivative. */
lw_status lwi_exact_when(lwi_parameter_derivative *base, const lwi_crossing *x, const double y_p[],
                         double *when_p, lw_error *err);
lw_status lwi_exact_jump(lwi_parameter_derivative *base, const lwi_crossing *x, const double y_p[],
                         double when_p, lw_error *err);
lw_status lwi_exact_restart(lwi_parameter_derivative *base, double t, const double y[],
                            double y_p[]);
lw_status lwi_exact_restarted(lwi_parameter_derivative *base, double t, const double y[],
                              const double y_p[]);

#endif
