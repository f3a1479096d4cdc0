/* SPDX-License-Identifier: Apache-2.0 */
/* sampling.h -- values that are sampled: held between instants, at which they become what
   expressions of results are just before; and inputs that the caller changes. */
#ifndef LWI_SIM_RUN_SAMPLING_H
#define LWI_SIM_RUN_SAMPLING_H
#include "linkwork/columns.h"
#include "linkwork/signals.h"
#include "model/model.h"

typedef struct {
  lw_columns *columns; /* that sampled values are made of; NULL: nothing is sampled */
  int nstate;
  lwi_expr *expr; /* [nstate] of parameters and columns; empty: not sampled */
  double *slot;   /* [nparameter + columns] */
  double *slot_p; /* the same of derivatives */
  double *value;  /* [nstate] what they become */
  long *taken;    /* [nstate] samples so far: the next one is at taken * every */
  bool *due;      /* [nstate] at the present instant */
  double next;    /* when the next sample is taken; infinity: never */
  /* the caller's controller */
  lw_control_callback control; /* NULL: none */
  void *context;
  double control_every; /* between its calls: the next one is at called * control_every */
  long called;
  double *inputs; /* [nstate] */
} lwi_sampling;

lw_status lwi_sampling_open(lw_simulation *sim, lw_error *err);
void lwi_sampling_close(lwi_sampling *x);
/* The run starts at t: samples from then on. */
void lwi_sampling_start(lw_simulation *sim, double t);
/* Takes the samples that are due at t, where the state has been found. */
lw_status lwi_sampling_take(lw_simulation *sim, double t, lw_error *err);
/* Restarts the integration at t, where states in sim->y have been changed. */
lw_status lwi_simulation_change_states(lw_simulation *sim, double t, lw_error *err);

#endif
