/* SPDX-License-Identifier: Apache-2.0 */
/* simulate.h -- integrate a model over time, and write the results as a table. */
#ifndef LINKWORK_SIMULATE_H
#define LINKWORK_SIMULATE_H
#include "linkwork/dynamics.h"
#include <signal.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- integration ---- */

typedef struct lw_simulation lw_simulation;

typedef struct {
  long steps, evaluations,
      rejected; /* accepted steps, forward dynamics calls, failed error tests */
  double last_step, smallest_step, largest_step;
  const char *method; /* e.g. "Adams, order 1-12"; owned by the simulation */
} lw_simulation_statistics;

/* Starts at t = 0 in the initial state of the model, with its loops closed (lw_close_loops).  Options
   that are zero are taken from the model, then from the defaults.  The model must outlive the
   simulation. */
LW_API lw_simulation *lw_simulation_new(const lw_model *m, const lw_simulation_options *options,
                                        lw_error *err);
LW_API void lw_simulation_free(lw_simulation *sim);
LW_API lw_simulation_options
lw_simulation_used(const lw_simulation *sim); /* with all defaults filled in */

/* The joint with number i of those that are beyond a limit with `late` in the present state; NULL:
   there are no more. */
LW_API const char *lw_simulation_joint_beyond(const lw_simulation *sim, int i);

/* Starts from another state. */
LW_API lw_status lw_simulation_start(lw_simulation *sim, double t, const double q[],
                                     const double u[], lw_error *err);
/* Advances to time t and returns the state there, after any events; q and u may be NULL.  The
   integration does not go beyond options.end before a later time is requested.  Loops are closed to
   rounding errors.  Multistep methods do not shorten their steps to end at t.  Quaternions are
   normalised and have no sign jumps.  On failure q and u are unchanged and err says which time was
   reached; after LW_E_STOPPED the run may be continued. */
LW_API lw_status lw_simulation_advance(lw_simulation *sim, double t, double q[], double u[],
                                       lw_error *err);
LW_API double lw_simulation_time(const lw_simulation *sim); /* last time reached */
LW_API lw_simulation_statistics lw_simulation_report(const lw_simulation *sim);

/* The energy balance at the last time reached: docs/theory/energy.md. */
typedef struct {
  double kinetic, potential;
  double work;   /* of motors, applied loads, dampers and drivers since the start */
  double events; /* energy added by events: impulses, impacts, locks, forces that appear and
                 disappear */
  double error;  /* kinetic + potential - those at the start - work - events */
  double
      explained; /* how large an error the tolerances explain; a larger one means wrong results */
  double unknown_since; /* from this time on the work, and with it the error, are NaN, because a
                        driver's load could not be computed; infinity: they are known */
  double closest; /* how close the run has passed by a singular configuration without going through
                     it: distance as in docs/theory/analyses.md; infinity: it has not */
  double closest_at; /* the time of that */
} lw_energy_balance;
LW_API lw_status lw_simulation_energy(const lw_simulation *sim, lw_energy_balance *out);

/* Called after each integration step, or more often (events.h); a nonzero return value stops with
   LW_E_STOPPED. */
typedef int (*lw_step_callback)(void *context, double t);

/* ---- events: the model changes during the run ---- */

/* The present model, whose coordinates and speeds lw_simulation_advance returns.  Valid until the
   next event; without events it is the caller's own. */
LW_API const lw_model *lw_simulation_model(const lw_simulation *sim);

/* What was hit: the impulse along the normal, N s, or of a limit along its freedom; all that it was
   pushed at this instant, also where an impact is passed on several times. */
typedef struct {
  const char *name; /* of the event, contact, rope or limit */
  double impulse;
} lw_hit;

/* One instant: simultaneous events are one.  Arrays hold all joints of a model; impulses are
   [torque; force] on the child at its joint frame, in ground axes, as loads are. */
typedef struct {
  double time;
  int nevent;
  const char *const *names;       /* [nevent] "latch", or what it does: "connect tip" */
  const lw_model *before, *after; /* the same model if only velocities change */
  const double *q_before, *u_before, *q_after, *u_after;
  double kinetic_before, kinetic_after;
  double jump_energy; /* 1/2 dV^T M dV: without applied impulses and restitution the loss of kinetic
                      energy */
  double momentum_before[6], momentum_after[6]; /* [angular about the ground origin; linear] */
  const double *impulses;                       /* [6 (njoint + 1)] joint j of `after` at 6 j */
  const double *constraint_impulses;            /* [6 (nconstraint + 1)] geometric ones */
  const double *relation_impulses;              /* [nconstraint + 1] multipliers of the others */
  int nhit;
  const lw_hit *hits; /* [nhit] */
  bool stops;

  /* If `move: true` has moved bodies: how far, and the effect on the energies.  `before` is before
     the move, kinetic_moved after it and before the velocities jump; otherwise it equals
     kinetic_before. */
  const double (*moves)[2]; /* [nbody + 1] m of the origin, rad; NULL: nothing has moved */
  double kinetic_moved, potential_before, potential_after; /* potentials: only with moves */

  /* What a user should know, with the place in the file: impacts that did nothing because their
     bodies separate along `normal`. */
  int nwarning;
  const lw_error *warnings; /* [nwarning] */
} lw_event_report;

/* Called twice per instant from inside lw_simulation_advance: with the state just before, when only
   time, names and what is called `before` are known, and just after.  A nonzero return value stops
   with LW_E_STOPPED. */
typedef int (*lw_event_callback)(void *context, const lw_event_report *report, bool after);

/* ---- a whole run: a table of results, row by row ---- */

/* The state at an output time, or just before or just after an event. */
typedef struct {
  double t;
  const lw_model *model; /* the present model */
  const double *q, *u;   /* of all its joints */
  const double *cells;   /* [ncell] as in the table; NULL: neither output nor columns was given */
  int ncell;
  const lw_event_report *event; /* NULL: an output time */
  bool after;                   /* just after the event */
} lw_row;
/* Called after the row was written; a status other than LW_OK ends the run with it. */
typedef lw_status (*lw_row_callback)(void *context, const lw_row *row);

/* What a file of results (results.h) says about where it comes from. */
typedef struct {
  const char *program;          /* name and version of the program that runs; NULL: linkwork */
  const char *const *arguments; /* [nargument] its command line, to repeat the run */
  int nargument;
  const struct lw_sources *sources; /* files of the model (reader.h); NULL: not known */
} lw_run_record;

typedef struct {
  const char *output;  /* file of the table, as for lw_table_create; NULL: none */
  const char *columns; /* as for lw_columns_new; NULL: all */
  /* Receive the last state reached, for all joints, of the sizes of lw_simulation_capacity; may be
     NULL. */
  double *q, *u;
  lw_row_callback on_row;
  lw_step_callback
      on_step; /* called after each integration step and before each row; nonzero stops */
  const volatile sig_atomic_t *stop; /* nonzero stops after the present step: for signal handlers */
  void *context;                     /* of both callbacks */
  const lw_run_record *record;       /* for files of results; NULL: none */
  /* After so many steps, at an output time, the integration begins anew, and a file of results
     keeps the state from which it does; 0: 5000. */
  long checkpoint;
  /* Go on after the last checkpoint of these unfinished results of the same model, options and
     columns, whose rows are copied; without a checkpoint from the start.  The bits are those of a
     run that was not interrupted.  NULL: a new run. */
  const char *resume;
} lw_run_options;

typedef struct {
  long rows;
  double t; /* time reached */
} lw_run_report;

/* Runs from the present time to the end of the options, with rows at the output times
   (lw_simulation_row_time) and two rows at each event, which replace an output time that differs
   from the event's only by rounding.  The file is closed in any case, so that results before a
   failure can be read.  Returns LW_OK also if an event stops the run; LW_E_STOPPED if the caller
   does.  It uses the callbacks of lw_simulation_watch and lw_simulation_on_event.  options and
   report may be NULL. */
LW_API lw_status lw_simulation_run(lw_simulation *sim, const lw_run_options *options,
                                   lw_run_report *report, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
