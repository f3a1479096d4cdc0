/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_data.h -- a simulation: how it goes on (simulation.c), and what events do to it (events.c). */
#ifndef LWI_SIM_RUN_SIMULATION_DATA_H
#define LWI_SIM_RUN_SIMULATION_DATA_H
#include "sim/run/balance.h"
#include "sim/events/contacts.h"
#include "sim/integrate/integrators.h"
#include "sim/events/jump.h"
#include "sim/integrate/singular_crossing.h"
#include "sim/events/phase.h"
#include "sim/output/simulation.h"
#include "sim/run/singularity.h"
#include "sim/events/switches.h"
#include "sim/events/triggers.h"

/* Derivatives go along with a simulation: who computes them makes the system of each model, and is told
   of events when the state just before is shown and nothing has changed yet. */
typedef struct lwi_simulation_hooks lwi_simulation_hooks;
struct lwi_simulation_hooks {
  lwi_system *(*open)(lwi_simulation_hooks *c, const lw_model *m,
                      const lw_simulation_options *options, lw_error *err);
  /* after a step, when no event comes before t: looks at what was passed */
  lw_status (*look)(lwi_simulation_hooks *c, double t);
  /* leaves the state just before the event in the system's work, in q and in u */
  lw_status (*jump)(lwi_simulation_hooks *c, double t, const lwi_event *const event[], int nevent,
                    lw_error *err);
};

struct lw_simulation {
  lwi_simulation_hooks *hooks; /* NULL: none */
  /* of the present model */
  const lw_model *m;
  lwi_system *system;
  lwi_integrator *integrator;
  lwi_singular_crossing singular_crossing;
  lwi_singularities singularities; /* what was found stays with the simulation */
  lwi_power power;                 /* for the balance */
  double *y;                       /* [n] */
  double *q, *u;                   /* [nq_all], [nu_all] the state at the time asked for */
  double *cut_q;         /* [ncut_q] of joints that close loops, at the state shown last, ... */
  double shown, turning; /* ... when that was, and how fast they could turn there: rad/s */

  lw_simulation_options options;
  double wanted;   /* the last time asked for */
  double renewed;  /* where the integrator last began anew because it was stuck */
  double crept;    /* where it was when steps were last counted anew, */
  int creeping;    /* and how many there were since */
  bool chatters;   /* too many */
  int approaching; /* how many steps there were shortly before the end of a span: switches.h */
  lw_simulation_statistics report;
  lwi_balance balance; /* of energy and work, since the start */
  lw_step_callback callback;
  void *context;
  lwi_interrupt interrupt;

  /* events */
  const lw_model *first; /* the caller's */
  int phase;             /* how many models there were before this one */
  lw_model *own;         /* the present model, if it is not the caller's */
  lw_model *previous;    /* the one before it, if that was not the caller's */
  bool has_previous;
  lw_spec *spec; /* what the present model was compiled from; NULL: first->spec */
  lwi_triggers triggers;
  lwi_switches switches;
  lwi_contacts contacts;
  double found; /* when an expression crosses zero in the last step; infinity: none does */
  double from;  /* where the last step began */
  bool over;
  lw_event_callback on_event;
  void *event_context;
  int nq_capacity, nu_capacity;
  lw_spec *raising; /* while the caller raises events: with what they announce */
  lwi_arena texts;  /* names that such events have brought */
};

/* ---- simulation.c ---- */

/* The options for a model that events have made: where loops with locked freedoms cannot be nodes, they are
   cut. */
lw_simulation_options lwi_simulation_phase_options(const lw_simulation *sim, const lw_model *m);
/* The system of a model for this simulation. */
lwi_system *lwi_simulation_system(lw_simulation *sim, const lw_model *m, lw_error *err);
/* Goes on with model m, or the present one, from a state of it; what was counted stays.  system: of m, if it
   has been made already; it then belongs to the simulation, whatever happens. */
lw_status lwi_simulation_go_over(lw_simulation *sim, const lw_model *m, lwi_system *system,
                                 double t, const double q[], const double u[], lw_error *err);
/* The integrator begins anew at t, from the state in y: its right side is another one. */
lw_status lwi_simulation_restart(lw_simulation *sim, double t);
/* q, u at a time up to which the integration has come, within its last step. */
lw_status lwi_simulation_find_state(lw_simulation *sim, double t);
/* Joints that close loops: the state in the system's work is where they count their turns from.  Before a step: they are
   followed to its start where the last one was long. */
void lwi_simulation_keep_turns(lw_simulation *sim, double t);
lw_status lwi_simulation_follow_turns(lw_simulation *sim);
/* The same, roughly: without further evaluations where the integrator needs some to know it, and without constraints
   being satisfied. */
lw_status lwi_simulation_estimate_state(lw_simulation *sim, double t);
/* y there, as the integration has it: constraints may be off by its errors. */
lw_status lwi_simulation_find_y(lw_simulation *sim, double t);

/* As lw_simulation_new, with systems from the companion, if there is one.  *out is set before anything
   begins. */
lw_status lwi_simulation_new_with(const lw_model *m, const lw_simulation_options *options,
                                  lwi_simulation_hooks *hooks, lw_simulation **out, lw_error *err);

/* ---- simulation_failure.c ---- */

/* "the integration stopped at t", the integrator's reason, and which part of the model it is. */
lw_status lwi_simulation_explain(lw_simulation *sim, lw_status status, lw_error *err);
/* "what at t = ...: ", and which part of the model it is that fails at the state last shown. */
lw_status lwi_simulation_fail(const lw_simulation *sim, double t, lw_status status,
                              const char *what, lw_error *err);

/* ---- events.c ---- */

/* Events, by their numbers in the model, happen at a state. */
lw_status lwi_events_repeat(lw_simulation *sim, double t, const double q[], const double u[],
                            const int number[], int n, lw_error *err);

lw_status lwi_events_open(lw_simulation *sim, lw_error *err);
void lwi_events_close(lw_simulation *sim);
/* What the present model was compiled from. */
const lw_spec *lwi_events_spec(const lw_simulation *sim);
/* Finds where expressions of time switch, up to the end or beyond it to its next multiple. */
lw_status lwi_events_look_ahead(lw_simulation *sim, lw_error *err);
/* All events at lwi_events_next: the simulation goes on from there, perhaps with another model. */
lw_status lwi_events_fire(lw_simulation *sim, lw_error *err);
/* Room for all joints of the spec at their largest, and all bodies floating. */
void lwi_events_find_capacity(lw_simulation *sim);

/* ---- instant.c ---- */

/* These events, now: at the state that was found last, that of time t. */
lw_status lwi_events_happen(lw_simulation *sim, double t, const lwi_event *const event[],
                            int nevent, lw_error *err);

/* Bodies of these impacts touch, and neither approach nor part: they rest on each other from now on, unless they
   pull. */
lw_status lwi_events_rest(lw_simulation *sim, double t, const lwi_event *const contact[], int n,
                          lw_error *err);

/* ---- crossings.c ---- */

lw_status lwi_events_restart(lw_simulation *sim, double t, lw_error *err);
/* When the next event comes: a time of the list, or a crossing in the last step; infinity: not known. */
double lwi_events_next(const lw_simulation *sim);
/* Expressions are on the sides where they are at the state last looked at: at the start, or after an event at t. */
lw_status lwi_events_note(lw_simulation *sim, double t, lw_error *err);
/* Around each step of the integration: looks for crossings. */
void lwi_events_before_step(lw_simulation *sim);
lw_status lwi_events_look(lw_simulation *sim);
/* Before anything else is evaluated after a step: keeps the columns at its end, if they are there already. */
void lwi_events_note_evaluation(lw_simulation *sim);
/* Says that an expression has no value at t, and why. */
lw_status lwi_events_fail_undefined(const lw_simulation *sim, const lwi_trigger *w, double t,
                                    lw_error *err);

#endif
