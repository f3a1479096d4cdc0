/* SPDX-License-Identifier: Apache-2.0 */
/* phase.h -- the model after events: a copy of the phase is edited and compiled again at the
   present positions.  docs/decisions/013-phases.md. */
#ifndef LWI_SIM_EVENTS_PHASE_H
#define LWI_SIM_EVENTS_PHASE_H
#include "linkwork/simulate.h"
#include "model/model.h"
#include "model/spec/spec_phase.h"
#include "sim/events/contacts.h"

/* The positions of everything at the time of an event. */
typedef struct {
  double t, at; /* at: time at which expressions are evaluated, a rounding error later where they
             switch */
  const lw_model *m;
  const lwi_phase *phase;        /* the phase of m */
  lwi_phase *own;                /* a copy of it that may be edited in place; NULL: none */
  const double *q;               /* [nq_all] coordinates of all joints */
  const lwi_frame *pose;         /* [nbody + 1] */
  const double *wound;           /* [ntorsion] where turns of torsions are counted from */
  lwi_contacts *contacts;        /* contacts that rest from now on; NULL: none */
  const lwi_event *const *event; /* [nevent] events of this instant, in file order */
  int nevent;
} lwi_moment;

/* Do the events change more than velocities? */
bool lwi_moment_rebuilds(const lwi_moment *now);

/* The phase after the events: `own`, or a new copy.  Returns NULL on failure; see err. */
lwi_phase *lwi_next_phase(const lwi_moment *now, lw_error *err);

/* The model after the events.  What was connected or replaced must meet unless it may be moved:
   then *moves is set, and positions are still to be found.  Returns NULL on failure; see err. */
lw_model *lwi_next_model(const lwi_moment *now, const lwi_phase *p, bool *moves, lw_error *err);

/* event_fit.c: does the model fit the present positions?  The sides of new joints and constraints
   must meet, and couplers and drivers must hold (docs/format.md 8.6), unless the event may move
   bodies: then *moves is set. */
bool lwi_moment_fits(const lwi_moment *now, const lw_model *m, bool *moves, lw_error *err);

/* Reports an error of an event; the text begins with its name and time. */
lw_status lwi_event_fail(const lwi_event *e, double t, lw_error *err, lw_status status,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
