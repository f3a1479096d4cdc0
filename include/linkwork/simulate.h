/* SPDX-License-Identifier: Apache-2.0 */
/* simulate.h -- integrate a model over time and name its results. */
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
  const char *method; /* e.g. "Adams, order 1-12"; the simulation's own */
} lw_simulation_statistics;

/* Starts at t = 0 in the initial state of the model, with its loops closed (lw_assemble).  Options left zero come from the model, then
   from the defaults.  The model must outlive the simulation. */
LW_API lw_simulation *lw_simulation_new(const lw_model *m, const lw_simulation_options *options,
                                        lw_error *err);
LW_API void lw_simulation_free(lw_simulation *sim);
LW_API lw_simulation_options lw_simulation_used(const lw_simulation *sim); /* all filled in */

/* The times of a table of results: 0, output_step, 2 output_step, ..., and end; one that differs from the
   time of an event by rounding only is that time. */
LW_API long lw_simulation_rows(const lw_simulation *sim);
LW_API double lw_simulation_row_time(const lw_simulation *sim, long row); /* row 0 ... rows-1 */

/* Another starting point. */
LW_API lw_status lw_simulation_start(lw_simulation *sim, double t, const double q[],
                                     const double u[], lw_error *err);
/* Goes on to time t and gives the state there, after any events; q and u may be NULL; the integration does not look beyond options.end
   before that is asked for.  Loops are closed to rounding errors.  Multistep methods do not shorten their steps to end at t.  Quaternions
   come normalised and without sign jumps.  On failure q and u stay untouched and err says how far it
   came; after LW_E_STOPPED it may go on. */
LW_API lw_status lw_simulation_advance(lw_simulation *sim, double t, double q[], double u[],
                                       lw_error *err);
LW_API double lw_simulation_time(const lw_simulation *sim); /* last asked for */
/* Coordinates and speeds of joints that close loops, at the state last given: as lw_get_cut_joints. */
LW_API void lw_simulation_cut_joints(const lw_simulation *sim, double q[], double u[]);
LW_API lw_simulation_statistics lw_simulation_report(const lw_simulation *sim);

/* Energy against work at the time last asked for: docs/theory/energy.md. */
typedef struct {
  double kinetic, potential;
  double work;      /* of motors, applied loads, dampers and drivers since the start */
  double events;    /* what events have added: impulses, impacts, locks, forces that come and go */
  double error;     /* kinetic + potential - those at the start - work - events */
  double explained; /* what the tolerances explain of it: more means wrong results */
  double
      unknown_since; /* from here on the work, and with it the error, are NaN, because a driver's load
                           could not be computed; infinity: they are known */
} lw_energy_balance;
LW_API lw_status lw_simulation_energy(const lw_simulation *sim, lw_energy_balance *out);

/* Configurations passed so far at which constraints depend on each other for a moment, so that the mechanism
   has more degrees of freedom there: the motion beyond is not determined by the equations alone.  The
   branch on which it is smooth was kept.  They stay valid until the simulation goes on. */
typedef struct {
  double time;
  int dof, dof_there; /* before and after; at that moment */
} lw_singularity;
LW_API int lw_simulation_singularities(const lw_simulation *sim, const lw_singularity **found);

/* Called after each integration step; a nonzero return stops with LW_E_STOPPED. */
typedef int (*lw_step_callback)(void *context, double t);
LW_API void lw_simulation_watch(lw_simulation *sim, lw_step_callback callback, void *context);

/* ---- events: the model changes on the way ---- */

/* Where an event leaves the caller: the model of the moment, whose coordinates and speeds
   lw_simulation_advance gives.  It lives until the next event; without events it is the caller's own. */
LW_API const lw_model *lw_simulation_model(const lw_simulation *sim);
/* How many coordinates and speeds of all joints there can be in the course of the events of the model:
   the room that q and u need.  Joints that the caller raises add theirs. */
LW_API void lw_simulation_room(const lw_simulation *sim, int *nq, int *nu);
/* When the next event comes, as far as is known: infinite if no time is written, and no crossing of zero
   has been met in the last step of the integration. */
LW_API double lw_simulation_next_event(const lw_simulation *sim);
/* A `stop` has come: lw_simulation_advance goes no further, and returns LW_E_STOPPED. */
LW_API bool lw_simulation_is_over(const lw_simulation *sim);

/* One instant: all events that come together are one.  Arrays hold all joints of a model; impulses are
   [torque; force] on the child at its joint frame, in ground axes, as loads are. */
typedef struct {
  double time;
  int nevent;
  const char *const *names;       /* [nevent] "latch", or what it does: "connect tip" */
  const lw_model *before, *after; /* the same one if only velocities change */
  const double *q_before, *u_before, *q_after, *u_after;
  double kinetic_before, kinetic_after;
  double jump_energy; /* 1/2 dV' M dV: without applied impulses and restitution
                                                   the kinetic energy that is lost */
  double momentum_before[6], momentum_after[6]; /* [angular about the ground origin; linear] */
  const double *impulses;                       /* [6 (njoint + 1)] joint j of `after` at 6 j */
  const double *constraint_impulses;            /* [6 (nconstraint + 1)] geometric ones */
  const double *relation_impulses;              /* [nconstraint + 1] multipliers of the others */
  bool stops;

  /* `move: true` has moved bodies: how far, and what that does to the energies.  `before` is before the move,
     kinetic_moved after it and before velocities jump; else it is kinetic_before. */
  const double (*moves)[2]; /* [nbody + 1] m of the origin, rad; NULL: nothing has moved */
  double kinetic_moved, potential_before, potential_after; /* potentials: only with moves */
} lw_event_report;

/* Called twice an instant from inside lw_simulation_advance: with the state just before, when of the
   report only time, names and what is called `before` is known, and just after.  A nonzero return stops
   with LW_E_STOPPED. */
typedef int (*lw_event_callback)(void *context, const lw_event_report *report, bool after);
LW_API void lw_simulation_on_event(lw_simulation *sim, lw_event_callback callback, void *context);

/* Events that the caller decides, at the time last asked for: n of them in one instant.  Their numbers are
   plain; at, when, direction and once do not count.  Terms of a new constraint name joints of the present
   model.  Joints that come this way have no result columns unless the model knows their names.
   On failure nothing has changed. */
LW_API lw_status lw_simulation_raise(lw_simulation *sim, const lw_event_desc events[], int n,
                                     lw_error *err);

/* ---- a whole run: a table of results, row by row ---- */

/* What holds at an output time, or just before or just after an event. */
typedef struct {
  double t;
  const lw_model *model; /* of the moment */
  const double *q, *u;   /* of all its joints */
  const double *cells;   /* [ncell] as in the table; NULL: neither output nor columns was given */
  int ncell;
  const lw_event_report *event; /* NULL: an output time */
  bool after;                   /* just after the event */
} lw_row;
/* Called after the row was written; another status than LW_OK ends the run with it. */
typedef lw_status (*lw_row_callback)(void *context, const lw_row *row);

typedef struct {
  const char *output;  /* the file of the table, as lw_table_create writes it; NULL: none */
  const char *columns; /* as lw_columns_new takes them; NULL: all */
  /* Receive the state last reached, of all joints, as many as lw_simulation_room says; NULL: not wanted. */
  double *q, *u;
  lw_row_callback on_row;
  lw_step_callback on_step; /* after each integration step and before each row; nonzero stops */
  const volatile sig_atomic_t *stop; /* nonzero stops after the present step: for signal handlers */
  void *context;                     /* of both callbacks */
} lw_run_options;

typedef struct {
  long rows;
  double t; /* where it has come to */
} lw_run_report;

/* Goes on from where the simulation is to the end of its options, with rows at the output times
   (lw_simulation_row_time) and two at each event, which stand for an output time that differs from the
   event's by rounding only.  The file is closed in any case, so that what was computed before a failure can be
   read.  LW_OK too if an event stops the run; LW_E_STOPPED if the caller does.  On the way it uses the callbacks of
   lw_simulation_watch and lw_simulation_on_event.  options and report may be NULL. */
LW_API lw_status lw_simulation_run(lw_simulation *sim, const lw_run_options *options,
                                   lw_run_report *report, lw_error *err);

/* ---- one evaluation ---- */

/* Which loads redundant constraints leave undetermined, at the state of the last forward dynamics of
   w: for each joint and geometric constraint orthonormal directions of [force; torque] in ground axes.
   NULL: no memory, or no such state. */
typedef struct lw_undetermined lw_undetermined;
LW_API lw_undetermined *lw_undetermined_new(lw_work *w);
LW_API void lw_undetermined_free(lw_undetermined *u);
LW_API int lw_undetermined_of_joint(const lw_undetermined *u, lw_joint j, double D[6][6]);
LW_API int lw_undetermined_of_constraint(const lw_undetermined *u, lw_constraint c, double D[6][6]);

/* ---- result columns: t, q.J, u.J, udot.J, x.B ..., fx.J ..., energy.total, drift ---- */

typedef struct lw_columns lw_columns;

/* patterns: names or patterns with * and ?, separated by commas; NULL: all.  `t` is always first.
   A pattern that matches nothing is an error that names the nearest column. */
LW_API lw_columns *lw_columns_new(const lw_model *m, const char *patterns, lw_error *err);
LW_API void lw_columns_free(lw_columns *c);
/* Rows are those of a simulation, one after the other, and computed by its formulation: angles of
   joints that close loops then stay continuous however far apart the rows are.  NULL: on their own.
   Free columns before the simulation that they follow. */
LW_API lw_status lw_columns_follow(lw_columns *c, const lw_simulation *sim, lw_error *err);
LW_API int lw_columns_count(const lw_columns *c);
LW_API const char *lw_columns_name(const lw_columns *c, int index);
/* One row at the state t, q, u of the model, or of the present model of the simulation that it follows.
   Cells of what does not exist at the moment are NaN.  Allocates nothing but after an event. */
LW_API lw_status lw_columns_row(lw_columns *c, double t, const double q[], const double u[],
                                double row[]);

/* ---- names in messages ---- */

/* The one of names[n] that `word` is most likely a misspelling of; NULL: none is near. */
LW_API const char *lw_nearest_name(const char *word, const char *const names[], int n);

#ifdef __cplusplus
}
#endif
#endif
