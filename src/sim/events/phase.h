/* SPDX-License-Identifier: Apache-2.0 */
/* phase.h -- what events make of a model: a copy of its spec is edited and compiled anew, at the present
   positions.  docs/decisions/013-phases.md. */
#ifndef LWI_SIM_EVENTS_PHASE_H
#define LWI_SIM_EVENTS_PHASE_H
#include "linkwork/simulate.h"
#include "model/model.h"
#include "sim/events/contacts.h"

/* where everything is when an event comes */
typedef struct {
  double t,
      at; /* at: when expressions of time are evaluated: a rounding error later where they switch */
  const lw_model *m;
  const lw_spec *spec;           /* what m was compiled from */
  lw_spec *own;                  /* a branch of it that may be edited itself; NULL: none */
  const double *q;               /* [nq_all] of all joints */
  const lwi_frame *pose;         /* [nbody + 1] */
  lwi_contacts *contacts;        /* those that are held, from now on; NULL: none */
  const lwi_event *const *event; /* [nevent] of this instant, in file order */
  int nevent;
} lwi_moment;

/* Do the events change more than velocities? */
bool lwi_moment_rebuilds(const lwi_moment *now);

/* The spec after the events: own, or a new branch; NULL: see err. */
lw_spec *lwi_phase_spec(const lwi_moment *now, lw_error *err);

/* Compiled; what was connected or replaced must meet, unless it may be moved: then *moves is set, and
   positions are still to be found.  NULL: see err. */
lw_model *lwi_phase_model(const lwi_moment *now, const lw_spec *s, bool *moves, lw_error *err);

/* event_fit.c: does the model fit the positions of the moment?  Sides of new joints and constraints must meet and
   couplers and drivers hold (docs/format.md 8.6), unless the event may move bodies: then *moves is set. */
bool lwi_moment_fits(const lwi_moment *now, const lw_model *m, bool *moves, lw_error *err);

/* The mistake of an event: says which one and when. */
lw_status lwi_event_fail(const lwi_event *e, double t, lw_error *err, lw_status status,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
