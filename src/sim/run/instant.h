/* SPDX-License-Identifier: Apache-2.0 */
/* instant.h -- all that happens at one time of a simulation: instant.c, and what is said of it: instant_report.c. */
#ifndef LWI_SIM_RUN_INSTANT_H
#define LWI_SIM_RUN_INSTANT_H
#include "sim/run/simulation_data.h"

typedef struct {
  lw_simulation *sim;
  double t, at; /* at: when expressions of time are evaluated afterwards */
  const lwi_event *const *event;
  int nevent;
  lw_event_report report;
  lwi_arena arena; /* names, copies of the state before */
  lw_spec *spec;
  lw_model *model;    /* new; NULL: the present one stays */
  lwi_system *system; /* of the new model; NULL: made later */
  lwi_jump jump;
  /* where bodies rest on each other afterwards: what there was without that, for the report */
  bool rests;
  lw_spec *hit_spec;
  lw_model *hit_model; /* NULL: the present one */
  lwi_jump hit;
  int ntouch;         /* of the simulation's contacts, at this instant */
  double energy[2];   /* kinetic and potential before */
  double (*moved)[2]; /* [nbody + 1] how far bodies were moved: m of their origins, rad */
} lwi_instant;

/* Names, and the state before. */
lw_status lwi_instant_begin_report(lwi_instant *x, lw_error *err);
/* All the rest, when the simulation has gone over. */
lw_status lwi_instant_end_report(lwi_instant *x, lw_error *err);

#endif
