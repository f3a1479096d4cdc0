/* SPDX-License-Identifier: Apache-2.0 */
/* triggers.h -- when events occur: a list of times, and expressions of result columns that are
   watched for zero crossings within each step of the integration.

   All expressions share the columns that they name.  These are computed once per state, and once
   per step represented as curves (curve.h), on which each expression is searched for sign changes
   (sign_changes.h). */
#ifndef LWI_SIM_EVENTS_TRIGGERS_H
#define LWI_SIM_EVENTS_TRIGGERS_H
#include "linkwork/simulate.h"
#include "model/compiled_events.h"
#include "sim/events/curve.h"
#include "sim/events/sign_changes.h"
#include "sim/events/state_switches.h"

typedef struct {
  const lwi_event *e;
  const lwi_state_switch *load; /* the load that switches there; NULL: an event of the model */
  lwi_expr shared;              /* malloc'ed; slots are those of lwi_triggers */
  /* for derivatives, opened when first needed: the columns that it names itself */
  lw_columns *columns;
  lwi_expr expr; /* malloc'ed; slots: parameters, then these columns */
  double *slot, *row;

  double g, noise; /* at the last state evaluated; NaN: its columns do not exist */
  lwi_side side;   /* its side; not known after it fired or began until it leaves zero */
  lwi_side before; /* the same at the beginning of the present piece */
  bool decided;    /* in this piece it has no zero, or its columns are resolved */
  bool excluded;   /* in this piece it has no zero */
  bool quiet;      /* it has no zero in the box of the columns */
  lwi_sign_change change;
  bool crossed;    /* it crosses at the time that was found */
  bool switched;   /* a load that switched in the last call of lwi_triggers_take */
  bool spent;      /* an event with `once` that has fired */
  bool asleep;     /* the gap of bodies that rest on each other */
  int only;        /* of a gap: the sign after the crossing that counts; 0: not known yet */
  double fired;    /* when it last fired; -infinity: never */
  double interval; /* time since the firing before that; infinity: none */
  double longest;  /* the interval at which they began to decrease */
  int shrunk;      /* number of decreases since */
  double counted;  /* start of the time span in which firings are counted */
  int firings;     /* firings since then */
} lwi_trigger;

typedef struct {
  int ntime, next; /* events at times; those before `next` are over */
  const lwi_event **time;
  int nwhen;
  lwi_trigger *when;
  const lwi_event **due; /* [nevent] scratch for those of one instant */
  int nswitch;
  lwi_state_switch *switching;      /* [nswitch], in `when` after those of events */
  const lwi_state_switch *switched; /* of the last call of lwi_triggers_take; NULL: none */
  const lwi_state_switch *pole;     /* the same of loads that may have no bound there */

  const lw_model *m;   /* the model of the events */
  lw_columns *columns; /* the columns that the expressions name; NULL: none */
  int nparameter, nslot;
  double *slot, *slot_noise, *slot_rate; /* [nslot] parameters, then columns */
  lwi_bounds *bounds;                    /* [nslot] */
  const lwi_trigger
      *undefined;    /* an expression that has no value from the time found on; NULL: none */
  double rtol, atol; /* tolerances of one step, which determine the noise */
  double turning;    /* angular speed of the bodies that the columns depend on, at the last states:
                  rad/s */
  long pieces;       /* number of pieces of the last step that were examined */
  bool explained;    /* the integrator's reason says why the last step could not be examined */
  lwi_curve curve;   /* curves of the columns */
  double end_time;   /* time of the columns in curve.ahead, at the end of the last step from the
                      integrator's own evaluation; NaN: none */
  double end_turning;
  bool boxed;   /* the flags `quiet` are known */
  int restless; /* number of expressions that are watched and not quiet */
  lwi_interval
      *box;        /* [columns] intervals in which the columns of a piece must stay for the flags */
  double widening; /* by how many widths of a piece the next box exceeds it */
  int patience;    /* number of pieces to wait before the next box is tried */
} lwi_triggers;

lw_status lwi_triggers_init(lwi_triggers *x, const lw_model *m, bool integrands, lw_error *err);
void lwi_triggers_free(lwi_triggers *x);
/* The result columns follow the simulation, which must outlive the triggers. */
lw_status lwi_triggers_follow(lwi_triggers *x, const lw_simulation *sim, lw_error *err);
/* Opens the columns that an expression names itself, with the signs and angles of the shared
   ones. */
lw_status lwi_trigger_open(lwi_triggers *x, int trigger, const lw_simulation *sim);

/* Starts at t; expressions have no sign yet. */
void lwi_triggers_reset(lwi_triggers *x, double t);
/* The next time in the list; infinity: none. */
double lwi_triggers_next_time(const lwi_triggers *x);

/* t, or the time of an event that differs from it by no more than the tolerance. */
double lwi_triggers_near(const lwi_triggers *x, double t, double tolerance);

/* Is any expression still watched? */
static inline bool lwi_triggers_watch(const lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++)
    if (!x->when[i].spent && !x->when[i].asleep) return true;
  return false;
}
/* Computes all columns at a state, and their noise unless it is NULL. */
lw_status lwi_triggers_row(lwi_triggers *x, double t, const double q[], const double u[],
                           double row[], double noise[]);
/* Evaluates all expressions g at a state. */
lw_status lwi_triggers_evaluate(lwi_triggers *x, double t, const double q[], const double u[]);
/* After an event at t, or at the start: sets the sides from g; those that fired have none until
   they leave zero.  Returns an expression that has no value although its columns exist, or NULL. */
const lwi_trigger *lwi_triggers_note(lwi_triggers *x, double t);
/* Loads are on the side of their last value; expressions of events stay where they were. */
void lwi_triggers_note_loads(lwi_triggers *x);
/* Clears all marks of crossings. */
void lwi_triggers_forget(lwi_triggers *x);
/* Are all that are marked loads that switch, and no events? */
bool lwi_triggers_only_switch(const lwi_triggers *x);

/* Lists all events of the instant t in file order: those of the list at that time, and the marked
   ones.  These are over, or have no side until they leave zero.  Returns their number. */
int lwi_triggers_take(lwi_triggers *x, double t);
/* Returns a load that switches back and forth without end, or NULL. */
const lwi_state_switch *lwi_triggers_find_chatter(lwi_triggers *x, double span);
/* Returns an event that recurs at ever shorter intervals, or NULL. */
const lwi_event *lwi_triggers_find_zeno(const lwi_triggers *x);
/* Returns an event that has fired too often within `span` seconds for the run to end in reasonable
   time, or NULL. */
const lwi_event *lwi_triggers_find_flood(lwi_triggers *x, double span);

/* ---- trigger_curve.c: expressions on the curves of their columns ---- */

typedef struct {
  lwi_triggers *x;
  const lwi_trigger *w;
} lwi_trigger_curve;

lwi_scalar lwi_trigger_scalar(lwi_trigger_curve *c);
/* Do some of the columns that it names not exist at present? */
bool lwi_trigger_is_absent(const lwi_triggers *x, const lwi_trigger *w);
/* All values that it may have in the piece, whether its columns are resolved or not. */
lwi_bounds lwi_trigger_range(lwi_triggers *x, const lwi_trigger *w);
/* Are its columns resolved? */
bool lwi_trigger_is_resolved(lwi_triggers *x, const lwi_trigger *w);

/* ---- trigger_box.c: expressions far from zero, for many pieces at once ---- */

/* Does it keep its known sign for all values of the names that x->bounds has? */
bool lwi_trigger_keeps_sign(const lwi_trigger *w, lwi_bounds range);
/* Forgets the box: sides have changed, or what is watched. */
void lwi_triggers_forget_box(lwi_triggers *x);
/* Are the columns of the piece, known roughly, within the box?  Then those with the flag `quiet` have no zero in it. */
bool lwi_triggers_are_boxed(const lwi_triggers *x);
/* Puts a box around the columns of the piece, known roughly, and finds which expressions have no zero in it. */
void lwi_triggers_find_box(lwi_triggers *x);

#endif
