/* SPDX-License-Identifier: Apache-2.0 */
/* exact.h -- what an exact variation holds: its motion (exact_derivative.c), and how it goes through events
   (exact_events.c). */
#ifndef LWI_SIM_SENSITIVITY_EXACT_H
#define LWI_SIM_SENSITIVITY_EXACT_H
#include "sim/sensitivity/event_derivative.h"
#include "sim/sensitivity/exact_derivative.h"

typedef struct {
  lwi_parameter_derivative base;
  const lw_model *m; /* that slope belongs to */
  const lw_model *first;
  lw_simulation_options options;
  lwi_linearized_dynamics *linear;
  lw_slope *slope;    /* scaled */
  double *parameters; /* [nparameter] */
  double *scratch;    /* holds all of the following */
  double *y;          /* [nq + nu] with unit quaternions */
  lwi_state_direction along;
  double *dudot;                       /* [nu] */
  double *position_correction, *speed; /* [nu] */
  double *gear1, *gap;                 /* [equations] */
  lw_derivative_callback callback;
  void *context;
  int number;
  lwi_event_derivative event;
  lwi_parameter_derivative *near; /* goes through events that move bodies; NULL: there are none */
} lwi_exact;

/* Room for model m, which the slope now belongs to. */
bool lwi_exact_take_scratch(lwi_exact *v, const lw_model *m);
/* y with unit quaternions into v->y, and the direction from y_p; then the tree recursion at y. */
lw_status lwi_exact_go_to(lwi_exact *v, double t, const double y[], const double y_p[]);
/* Derivatives of columns at y. */
lw_status lwi_exact_row(lwi_exact *v, const lw_columns *columns, double t, const double y[],
                        const double y_p[], double row_p[]);
/* Where gears began follows the state at the beginning: their equations hold there. */
lw_status lwi_exact_begin_gears(lwi_exact *v, double t, const double y[], const double y_p[]);
/* y_p from the direction. */
void lwi_exact_put_motion(const lwi_exact *v, double y_p[]);

/* exact_events.c: as of lwi_parameter_derivative. */
lw_status lwi_exact_when(lwi_parameter_derivative *base, const lwi_crossing *x, const double y_p[],
                         double *when_p, lw_error *err);
lw_status lwi_exact_jump(lwi_parameter_derivative *base, const lwi_crossing *x, const double y_p[],
                         double when_p, lw_error *err);
lw_status lwi_exact_restart(lwi_parameter_derivative *base, double t, const double y[],
                            double y_p[]);
lw_status lwi_exact_restarted(lwi_parameter_derivative *base, double t, const double y[],
                              const double y_p[]);

#endif
