/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_data.h -- the data of a simulation, and the functions that its files share: how it
   advances (simulation.c) and how events change it (events.c). */
#ifndef LWI_SIM_RUN_SIMULATION_DATA_H
#define LWI_SIM_RUN_SIMULATION_DATA_H
#include "sim/run/balance.h"
#include "sim/events/contacts.h"
#include "sim/integrate/integrators.h"
#include "sim/events/jump.h"
#include "sim/integrate/singular_crossing.h"
#include "sim/events/phase.h"
#include "sim/output/simulation.h"
#include "sim/run/held_loads.h"
#include "sim/run/sampling.h"
#include "sim/run/singularity.h"
#include "sim/run/transitions.h"
#include "sim/events/switches.h"
#include "sim/events/triggers.h"

/* Hooks for derivatives along a simulation.  They make the system of each model, and are called at
   each event when the state just before it is the output state and nothing has changed yet. */
typedef struct lwi_simulation_hooks lwi_simulation_hooks;
struct lwi_simulation_hooks {
  bool values_only; /* of objectives, without derivatives: nothing is refused */
  bool differences; /* of nearby models, whose loads are not held */
  lwi_system *(*open)(lwi_simulation_hooks *c, const lw_model *m,
                      const lw_simulation_options *options, lw_error *err);
  /* after a step, if no event comes before t: examines the step */
  lw_status (*look)(lwi_simulation_hooks *c, double t);
  /* after a singular configuration has been found at t within the last step */
  lw_status (*pass_singular)(lwi_simulation_hooks *c, double t);
  /* leaves the state just before the event in the system's work, in q and in u; fixed: at the start
     of the run, whatever the parameters are */
  lw_status (*jump)(lwi_simulation_hooks *c, double t, const lwi_event *const event[], int nevent,
                    bool fixed, lw_error *err);
  /* a load that jumps switches at t, where the state is y: those of triggers.h that are
     `switched` */
  lw_status (*pass_switch)(lwi_simulation_hooks *c, double t, lw_error *err);
  /* an expression of time switches at t, between two spans of switches.h */
  lw_status (*pass_time)(lwi_simulation_hooks *c, double t, lw_error *err);
  /* keeps the integrand of an objective on one branch, at this state, as loads are (held_loads.h); n = 0: as it is.  False: it
     cannot */
  bool (*hold)(lwi_simulation_hooks *c, int objective, double t, const lwi_held_op op[], int n);
  /* values are sampled at t, as sampling.h holds */
  lw_status (*sample)(lwi_simulation_hooks *c, double t, lw_error *err);
  /* the integration starts again at t, where the state is y, with loads or times on another side */
  lw_status (*restart)(lwi_simulation_hooks *c, double t, lw_error *err);
};

struct lw_simulation {
  lwi_simulation_hooks *hooks; /* NULL: none */
  /* of the present model */
  const lw_model *m;
  lwi_system *system;
  lwi_integrator *integrator;
  lwi_singular_crossing singular_crossing;
  lwi_singularities singularities; /* those found are kept by the simulation */
  lwi_power power;                 /* for the energy balance */
  double *y;                       /* [n] */
  double *q, *u;                   /* [nq_all], [nu_all] the state at the requested time */
  double *cut_q;                   /* [ncut_q] coordinates of cut joints at the last output state */
  double shown, turning; /* time of that state, and the fastest they could rotate there: rad/s */
  double followed;       /* time up to which torsions have been followed */

  lw_simulation_options options;
  double wanted;   /* the last requested time */
  double renewed;  /* time of the last restart after a failure */
  double crept;    /* time at which steps were last counted from zero */
  int creeping;    /* number of steps since */
  double paced;    /* time some thousand steps ago */
  bool chatters;   /* too many steps */
  int approaching; /* number of steps shortly before the end of a span: switches.h */
  lw_simulation_statistics report;
  lwi_balance balance; /* of energy and work, since the start */
  lw_step_callback callback;
  void *context;
  lwi_interrupt interrupt;

  /* events */
  const lw_model *first; /* owned by the caller */
  int phase;             /* number of models before the present one */
  lw_model *own;         /* the present model, unless it is the caller's */
  lw_model *previous;    /* the previous model, unless it is the caller's */
  bool has_previous;
  lwi_phase *present;          /* the phase of the present model; NULL: the model has no spec */
  lwi_transitions transitions; /* how it came about */
  lwi_triggers triggers;
  lwi_held_loads held; /* of the present model */
  lwi_switches switches;
  lwi_contacts contacts;
  lwi_sampling sampling;
  double found; /* time of the first zero crossing in the last step; infinity: none */
  double from;  /* beginning of the last step */
  bool over;
  lw_event_callback on_event;
  void *event_context;
  int nq_capacity, nu_capacity;
  lwi_phase *raising; /* with what raised events announce, while the caller raises them */
  lwi_arena texts;    /* names that such events have introduced */
  struct {            /* of an instant, for derivatives across it: ... */
    const lwi_jump *jump;
    int ntouch; /* ... of what touches, contacts.touch */
    /* if something rests or sticks afterwards: the model of that jump, in which nothing is held, and its
       phase, NULL if it is the model before the event; else NULL */
    const lw_model *m;
    const lwi_phase *phase;
  } hit;
};

/* ---- poles.c ---- */

/* Do the rates of the system grow without bound towards the time `at` in the last step, or back to
   it? */
bool lwi_simulation_has_pole(lw_simulation *sim, double at);
/* Where expressions of time switch, and where a load divides by zero: an error if it has no bound
   there. */
lw_status lwi_poles_check_time(lw_simulation *sim, double at, lw_error *err);
lw_status lwi_poles_check_state(lw_simulation *sim, const lwi_state_switch *load, double at,
                                lw_error *err);

/* ---- simulation.c ---- */

/* The options for a model after events: if loops with locked freedoms cannot be embedded, they are
   cut. */
lw_simulation_options lwi_simulation_phase_options(const lw_simulation *sim, const lw_model *m);
/* Creates the system of a model for this simulation. */
lwi_system *lwi_simulation_system(lw_simulation *sim, const lw_model *m, lw_error *err);
/* Continues with model m, or the present one, from a state of it; counters are kept.  system: that
   of m if it exists already; the simulation takes ownership, also on failure. */
lw_status lwi_simulation_go_over(lw_simulation *sim, const lw_model *m, lwi_system *system,
                                 double t, const double q[], const double u[], lw_error *err);
/* Starts from a state of the present model; resets the report. */
lw_status lwi_simulation_begin(lw_simulation *sim, double t, const double q[], const double u[],
                               lw_error *err);
/* All that was made for the present model is made again, as by lw_simulation_new; models, phases
   and callbacks stay. */
lw_status lwi_simulation_make_anew(lw_simulation *sim, lw_error *err);
/* Measures the distance of the state of the last update_rank from singular configurations. */
void lwi_simulation_measure(lw_simulation *sim, double t);
/* Finds q, u at a time within the last step. */
lw_status lwi_simulation_find_state(lw_simulation *sim, double t);
/* Cut joints: makes the state in the system's work the one from which they count turns.  Before a
   step: they are followed to its start if the last one was long. */
void lwi_simulation_keep_turns(lw_simulation *sim, double t);
lw_status lwi_simulation_follow_turns(lw_simulation *sim);
/* The same approximately: without evaluations by the integrator and without projection. */
lw_status lwi_simulation_estimate_state(lw_simulation *sim, double t);
/* Finds y there as integrated: the constraints hold up to integration errors. */
lw_status lwi_simulation_find_y(lw_simulation *sim, double t);

/* As lw_simulation_new, with systems from the hooks, if any.  *out is set before anything
   starts. */
lw_status lwi_simulation_new_with(const lw_model *m, const lw_simulation_options *options,
                                  lwi_simulation_hooks *hooks, lw_simulation **out, lw_error *err);

/* ---- advance.c ---- */

/* Restarts the integrator at t from the state in y, since the right-hand side has changed. */
lw_status lwi_simulation_restart(lw_simulation *sim, double t);

/* ---- simulation_failure.c ---- */

/* "the integration stopped at t", the integrator's reason, and the part of the model that fails. */
lw_status lwi_simulation_explain(lw_simulation *sim, lw_status status, lw_error *err);
/* "what at t = ...: ", and the part of the model that fails at the last output state. */
lw_status lwi_simulation_fail(const lw_simulation *sim, double t, lw_status status,
                              const char *what, lw_error *err);

/* ---- events.c ---- */

/* Applies events, by their numbers in the model, to a state. */
lw_status lwi_events_repeat(lw_simulation *sim, double t, const double q[], const double u[],
                            const int number[], int n, lw_error *err);

lw_status lwi_events_open(lw_simulation *sim, lw_error *err);
void lwi_events_close(lw_simulation *sim);
/* What watches for events is freed, and made again. */
void lwi_events_forget(lw_simulation *sim);
lw_status lwi_events_watch(lw_simulation *sim, lw_error *err);
/* The phase of the present model; NULL: the model has no spec. */
const lwi_phase *lwi_events_phase(const lw_simulation *sim);
/* Finds where expressions of time switch, up to the end or to its next multiple. */
lw_status lwi_events_look_ahead(lw_simulation *sim, lw_error *err);
/* Steps are short: a load that is at the state at which it switches, or NULL. */
const lwi_state_switch *lwi_events_find_chatter(lw_simulation *sim);
#define LWI_CHATTER_TEXT                                                                           \
  "%s chatters: on both sides of the state at which it switches its load drives the motion back "  \
  "there; a steep law, such as tanh(u/1e-3) instead of sign(u), has a solution"
/* Applies all events at lwi_events_next; the simulation continues from there, possibly with another
   model. */
lw_status lwi_events_fire(lw_simulation *sim, lw_error *err);
/* Finds the capacity for all joints of the spec at their largest, with all bodies floating. */
void lwi_events_find_capacity(lw_simulation *sim);

/* ---- instant.c ---- */

/* Applies these events at the state found last, which is that of time t. */
lw_status lwi_events_happen(lw_simulation *sim, double t, const lwi_event *const event[],
                            int nevent, lw_error *err);

/* Bodies of these impacts touch and neither approach nor separate: they rest on each other from now
   on, unless the load would be tensile. */
lw_status lwi_events_rest(lw_simulation *sim, double t, const lwi_event *const contact[], int n,
                          lw_error *err);

/* ---- crossings.c ---- */

lw_status lwi_events_restart(lw_simulation *sim, double t, lw_error *err);
/* Before the simulation begins anew at t within the last step: the sides of the expressions there. */
lw_status lwi_events_turn_back(lw_simulation *sim, double t);
/* The time of the next event: from the list, or a crossing in the last step; infinity: none
   known. */
double lwi_events_next(const lw_simulation *sim);
/* Sets the sides of expressions from the last state evaluated: at the start, or after an event at
   t. */
lw_status lwi_events_note(lw_simulation *sim, double t, lw_error *err);
/* Called before and after each step of the integration: searches for crossings. */
void lwi_events_before_step(lw_simulation *sim);
lw_status lwi_events_look(lw_simulation *sim);
/* Called after a step before anything else is evaluated: keeps the columns at its end, if they are
   known already. */
void lwi_events_note_evaluation(lw_simulation *sim);
/* Reports that an expression has no value at t, and why. */
lw_status lwi_events_fail_undefined(const lw_simulation *sim, const lwi_trigger *w, double t,
                                    lw_error *err);

#endif
