/* SPDX-License-Identifier: Apache-2.0 */
/* integrators.h -- ways to integrate a system, behind one face.

   An integrator stands at a time and goes on by single steps; between the ends of its last step it
   can be asked for the state.  simulation.c walks it to the times that the user wants. */
#ifndef LWI_SIM_INTEGRATE_INTEGRATORS_H
#define LWI_SIM_INTEGRATE_INTEGRATORS_H
#include "linkwork/simulate.h"
#include "sim/integrate/system.h"

typedef struct lwi_integrator lwi_integrator;
struct lwi_integrator {
  lwi_system *system;
  const char *method; /* for the report */
  bool fixed;         /* steps, which begin with an evaluation where the one before has ended */
  double t;           /* how far it is */
  double next;        /* the step that it will try; 0: not known */
  /* what is known where it begins anew, as it was before */
  double pace;      /* the step that went well; 0: none */
  double stiff;     /* since when the system has proved stiff; infinity: it has not */
  char reason[300]; /* why the last call failed, as the end of a sentence */

  /* Begins anew at t, y. */
  lw_status (*start)(lwi_integrator *it, double t, const double y[]);
  /* One step.  `target` is the next time wanted: methods without dense output stop there.  None
     goes beyond `end`. */
  lw_status (*step)(lwi_integrator *it, double target, double end);
  /* y at time t within the last step, or where it stands, as exactly as steps are. */
  lw_status (*get)(lwi_integrator *it, double t, double y[]);
  /* The same as exactly as is possible with few evaluations: at least a parabola. */
  lw_status (*estimate)(lwi_integrator *it, double t, double y[]);
  void (*count)(const lwi_integrator *it, lw_simulation_statistics *s); /* adds what it knows */
  void (*free)(lwi_integrator *it);
};

/* options are complete.  NULL: no memory. */
lwi_integrator *lwi_fixed_new(lwi_system *s, const lw_simulation_options *options);
lwi_integrator *lwi_runge_kutta_new(lwi_system *s, const lw_simulation_options *options);
lwi_integrator *lwi_multistep_new(lwi_system *s, const lw_simulation_options *options);

/* The one that the options name, or the default. */
lwi_integrator *lwi_integrator_new(lwi_system *s, const lw_simulation_options *options);

/* Sets the reason and returns status. */
lw_status lwi_integrator_fail(lwi_integrator *it, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Why the system could not be evaluated, as the end of a sentence. */
const char *lwi_failure_text(lw_status failure);

/* Fills in what is zero from the model and the defaults, and checks everything.  The integrator stays
   `auto` if nobody chose one. */
lw_status lwi_options_complete(const lw_model *m, lw_simulation_options *options, lw_error *err);

#endif
