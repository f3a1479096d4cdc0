/* SPDX-License-Identifier: Apache-2.0 */
/* exact.h -- what an exact variation holds: its motion (exact_variation.c), and how it goes through events
   (exact_events.c). */
#ifndef LWI_SIM_EXACT_H
#define LWI_SIM_EXACT_H
#include "sim/event_change.h"
#include "sim/exact_variation.h"

typedef struct {
  lwi_variation base;
  const lw_model *m; /* that slope belongs to */
  const lw_model *first;
  lw_simulation_options options;
  lwi_linear *linear;
  lw_slope *slope;    /* scaled */
  double *parameters; /* [nparameter] */
  double *room;       /* holds all of the following */
  double *y;          /* [nq + nu] with unit quaternions */
  lwi_along along;
  double *dudot;         /* [nu] */
  double *slide, *speed; /* [nu] */
  double *gear1, *gap;   /* [equations] */
  lw_derivative_callback callback;
  void *context;
  int number;
  lwi_event_change event;
  lwi_variation *near; /* goes through events that move bodies; NULL: there are none */
} lwi_exact;

/* Room for model m, which the slope now belongs to. */
bool lwi_exact_take_room(lwi_exact *v, const lw_model *m);
/* y with unit quaternions into v->y, and the direction from y1; then the tree recursion at y. */
lw_status lwi_exact_go_to(lwi_exact *v, double t, const double y[], const double y1[]);
/* Derivatives of columns at y. */
lw_status lwi_exact_row(lwi_exact *v, const lw_columns *columns, double t, const double y[],
                        const double y1[], double row1[]);
/* Where gears began follows the state at the beginning: their equations hold there. */
lw_status lwi_exact_begin_gears(lwi_exact *v, double t, const double y[], const double y1[]);
/* y1 from the direction. */
void lwi_exact_put_motion(const lwi_exact *v, double y1[]);

/* exact_events.c: as of lwi_variation. */
lw_status lwi_exact_when(lwi_variation *base, const lwi_crossing *x, const double y1[],
                         double *when1, lw_error *err);
lw_status lwi_exact_jump(lwi_variation *base, const lwi_crossing *x, const double y1[],
                         double when1, lw_error *err);
lw_status lwi_exact_land(lwi_variation *base, double t, const double y[], double y1[]);
lw_status lwi_exact_landed(lwi_variation *base, double t, const double y[], const double y1[]);

#endif
