/* SPDX-License-Identifier: Apache-2.0 */
/* triggers.h -- when events come: a list of times, and expressions of result columns that are watched
   for crossings of zero between the states that the integration passes. */
#ifndef LWI_SIM_TRIGGERS_H
#define LWI_SIM_TRIGGERS_H
#include "linkwork/simulate.h"
#include "model/events.h"

typedef struct {
  const lwi_event *e;
  lw_columns *columns; /* those that the expression names */
  lwi_expr expr;       /* malloc'ed; slots: parameters, then columns but t */
  double *slot, *row;
  double g;        /* at the last state looked at; NaN: its columns do not exist */
  int sign;        /* of the last value that was not zero; 0: none since it fired or began */
  bool crossed;    /* at the last state looked at */
  bool spent;      /* once is over */
  double fired;    /* when it last did; -infinity: never */
  double interval; /* since the time before that; infinity */
  double longest;  /* where intervals began to shrink */
} lwi_trigger;

typedef struct {
  int ntime, next; /* events at times, those before next are over */
  const lwi_event **time;
  int nwhen;
  lwi_trigger *when;
  const lwi_event **due; /* [nevent] room for those of one instant */
} lwi_triggers;

lw_status lwi_triggers_init(lwi_triggers *x, const lw_model *m, lw_error *err);
void lwi_triggers_free(lwi_triggers *x);
/* Result columns follow the simulation, which must outlive the triggers. */
lw_status lwi_triggers_follow(lwi_triggers *x, const lw_simulation *sim, lw_error *err);

/* Times begin anew at t; expressions have no sign yet. */
void lwi_triggers_reset(lwi_triggers *x, double t);
/* The next time in the list; infinity: none. */
double lwi_triggers_next_time(const lwi_triggers *x);

/* t, or the time of an event that differs from it by no more than the tolerance. */
double lwi_triggers_near(const lwi_triggers *x, double t, double tolerance);

/* g of all expressions at a state; then those that have crossed zero since the last sign that was noted
   are marked.  Returns how many. */
lw_status lwi_triggers_evaluate(lwi_triggers *x, double t, const double q[], const double u[]);
int lwi_triggers_crossed(lwi_triggers *x);
/* The signs of g count from now on. */
void lwi_triggers_note(lwi_triggers *x);

/* After an event at t the signs are those of g, but of expressions that fired then. */
void lwi_triggers_note_jump(lwi_triggers *x, double t);
/* Is the sign of some expression not known? */
bool lwi_triggers_are_fresh(const lwi_triggers *x);
/* No crossing is marked any more. */
void lwi_triggers_forget(lwi_triggers *x);
/* How far a step from t may go, so that an expression that has crossed twice does not do so again
   unseen. */
double lwi_triggers_limit(const lwi_triggers *x, double t);

/* Lists all events of the instant t in file order: those of the list at that time, and the marked ones.
   They are over, or have no sign until they leave zero. */
int lwi_triggers_take(lwi_triggers *x, double t);
/* An event that comes again and again in no time, or NULL. */
const lwi_event *lwi_triggers_find_zeno(const lwi_triggers *x);

#endif
