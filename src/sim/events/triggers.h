/* SPDX-License-Identifier: Apache-2.0 */
/* triggers.h -- when events come: a list of times, and expressions of result columns that are watched
   for crossings of zero within each step of the integration.

   All expressions share the columns that they name: these are computed once per state, and once per step
   represented as curves (curve.h), on which each expression is searched for its sign changes (sign_changes.h). */
#ifndef LWI_SIM_EVENTS_TRIGGERS_H
#define LWI_SIM_EVENTS_TRIGGERS_H
#include "linkwork/simulate.h"
#include "model/compiled_events.h"
#include "sim/events/curve.h"
#include "sim/events/sign_changes.h"

typedef struct {
  const lwi_event *e;
  lwi_expr shared; /* malloc'ed; slots: those of the triggers */
  /* for derivatives, opened when they are asked for: the columns that it names itself */
  lw_columns *columns;
  lwi_expr expr; /* malloc'ed; slots: parameters, then these columns */
  double *slot, *row;

  double g, noise; /* at the last state looked at; NaN: its columns do not exist */
  lwi_side side;   /* where it is; not known since it fired or began, until it leaves zero */
  lwi_side before; /* the same at the beginning of the piece that is looked at */
  bool decided;    /* there it has no zero, or its columns are resolved */
  bool excluded;   /* there it has no zero */
  lwi_sign_change change;
  bool crossed;    /* at the time that was found */
  bool spent;      /* once is over */
  bool asleep;     /* a gap whose bodies rest on each other */
  int only;        /* of a gap: the sign that a crossing must lead to; 0: not known yet */
  double fired;    /* when it last did; -infinity: never */
  double interval; /* since the time before that; infinity */
  double longest;  /* where intervals began to shrink, */
  int shrunk;      /* and how often they did since */
  double counted;  /* since then, */
  int firings;     /* it has fired so often */
} lwi_trigger;

typedef struct {
  int ntime, next; /* events at times, those before next are over */
  const lwi_event **time;
  int nwhen;
  lwi_trigger *when;
  const lwi_event **due; /* [nevent] room for those of one instant */

  const lw_model *m;   /* whose events they are */
  lw_columns *columns; /* that the expressions name; NULL: there are none */
  int nparameter, nslot;
  double *slot, *slot_noise, *slot_rate; /* [nslot] parameters, then columns */
  lwi_bounds *bounds;                    /* [nslot] */
  const lwi_trigger
      *undefined;    /* what was found is that this one has no value from there on; or NULL */
  double rtol, atol; /* of one step: what they leave is noise */
  double turning;    /* of bodies that columns depend on, at the last states: rad/s */
  long pieces;       /* of the last step, that were looked at */
  bool explained;    /* the integrator's reason says why the last step could not be looked at */
  lwi_curve curve;   /* of the columns */
  double *end; /* [columns] at the end of the last step, from the integrator's own evaluation, */
  double end_time; /* which was at this time; NaN: there was none */
  double end_turning;
} lwi_triggers;

lw_status lwi_triggers_init(lwi_triggers *x, const lw_model *m, lw_error *err);
void lwi_triggers_free(lwi_triggers *x);
/* Result columns follow the simulation, which must outlive the triggers. */
lw_status lwi_triggers_follow(lwi_triggers *x, const lw_simulation *sim, lw_error *err);
/* The columns that an expression names itself, at the signs and angles of the shared ones. */
lw_status lwi_trigger_open(lwi_triggers *x, int trigger, const lw_simulation *sim);

/* Times begin anew at t; expressions have no sign yet. */
void lwi_triggers_reset(lwi_triggers *x, double t);
/* The next time in the list; infinity: none. */
double lwi_triggers_next_time(const lwi_triggers *x);

/* t, or the time of an event that differs from it by no more than the tolerance. */
double lwi_triggers_near(const lwi_triggers *x, double t, double tolerance);

/* Is an expression still watched? */
bool lwi_triggers_watch(const lwi_triggers *x);
/* All columns at a state, and their noise, unless it is NULL. */
lw_status lwi_triggers_row(lwi_triggers *x, double t, const double q[], const double u[],
                           double row[], double noise[]);
/* g of all expressions at a state. */
lw_status lwi_triggers_evaluate(lwi_triggers *x, double t, const double q[], const double u[]);
/* After an event at t, or at the start, the sides are those of g; what fired then has none until it leaves zero.
   Returns an expression that has no value although its columns exist, or NULL. */
const lwi_trigger *lwi_triggers_note(lwi_triggers *x, double t);
/* No crossing is marked any more. */
void lwi_triggers_forget(lwi_triggers *x);

/* Lists all events of the instant t in file order: those of the list at that time, and the marked ones.
   They are over, or have no sign until they leave zero. */
int lwi_triggers_take(lwi_triggers *x, double t);
/* An event that comes faster and faster, or NULL. */
const lwi_event *lwi_triggers_find_zeno(const lwi_triggers *x);
/* An event that has fired so often within `span` seconds that nobody sees the end, or NULL. */
const lwi_event *lwi_triggers_find_flood(lwi_triggers *x, double span);

/* ---- trigger_curve.c: expressions on the curves of their columns ---- */

typedef struct {
  lwi_triggers *x;
  const lwi_trigger *w;
} lwi_trigger_curve;

lwi_scalar lwi_trigger_scalar(lwi_trigger_curve *c);
/* The columns that it names do not all exist at the moment. */
bool lwi_trigger_is_absent(const lwi_triggers *x, const lwi_trigger *w);
/* Everything that it can be in the piece, whether its columns are resolved or not. */
lwi_bounds lwi_trigger_range(lwi_triggers *x, const lwi_trigger *w);
/* Are its columns resolved? */
bool lwi_trigger_is_resolved(lwi_triggers *x, const lwi_trigger *w);

#endif
