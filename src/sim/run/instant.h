/* SPDX-License-Identifier: Apache-2.0 */
/* instant.h -- all events of one time of a simulation: their effect (instant.c) and their report
   (instant_report.c). */
#ifndef LWI_SIM_RUN_INSTANT_H
#define LWI_SIM_RUN_INSTANT_H
#include "sim/run/simulation_data.h"

typedef struct {
  lw_simulation *sim;
  double t, at; /* at: time at which expressions are evaluated afterwards */
  const lwi_event *const *event;
  int nevent;
  lw_event_report report;
  lwi_arena arena; /* names and copies of the state before */
  lwi_phase *phase;
  lw_model *model;    /* the new model; NULL: the present one remains */
  lwi_system *system; /* of the new model; NULL: made later */
  lwi_jump jump;
  /* if bodies come to rest on each other: the result without that, for the report */
  bool rests;
  int attempts; /* to find loads that are possible */
  lwi_phase *hit_phase;
  lw_model *hit_model; /* NULL: the present one */
  lwi_jump hit;
  int ntouch;         /* contacts of the simulation that touch at this instant */
  double energy[2];   /* kinetic and potential energy before */
  double (*moved)[2]; /* [nbody + 1] how far bodies were moved: m (origins), rad */
} lwi_instant;

/* ---- instant.c ---- */

/* Compiles the model of the next phase, if it differs from the present one. */
lw_status lwi_instant_rebuild(lwi_instant *x, const lwi_frame *pose, bool *moves, lw_error *err);
/* Finds positions and velocities in it.  *again: what was to be held has been let go, and the model
   must be compiled again. */
lw_status lwi_instant_jump(lwi_instant *x, const lwi_frame *pose, double (*V)[6], bool moves,
                           bool *again, lw_error *err);
/* Reports "event at t: what: " and the failing part of the new model. */
lw_status lwi_instant_fail(const lwi_instant *x, lw_dynamics *d, lw_status status, const char *what,
                           lw_error *err);

/* ---- instant_rest.c ---- */

/* After the jump without anything that is held: what is at rest is held from now on, unless its
   loads are impossible. */
lw_status lwi_instant_rest(lwi_instant *x, const lwi_frame *pose, bool moves, lw_error *err);
lw_status lwi_instant_check_loads(lwi_instant *x, lw_dynamics *d, bool *again, lw_error *err);
lw_status lwi_instant_refuse_derivatives(const lwi_instant *x, lw_error *err);

/* ---- instant_report.c ---- */

/* Begins the report: names, and the state before. */
lw_status lwi_instant_begin_report(lwi_instant *x, lw_error *err);
/* Warns of impacts whose bodies separate: nothing will happen, often because `normal` has the wrong
   sign.  After lw_kinematics of the state before. */
lw_status lwi_instant_warn(lwi_instant *x, lw_error *err);
/* Completes the report when the simulation uses the new model. */
lw_status lwi_instant_end_report(lwi_instant *x, lw_error *err);

#endif
