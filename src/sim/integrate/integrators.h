/* SPDX-License-Identifier: Apache-2.0 */
/* integrators.h -- the interface of an integrator of y' = f(t, y).

   An integrator is at a time t and advances by single steps.  The state can be evaluated anywhere
   within its last step.  simulation.c advances it to the times that the user wants. */
#ifndef LWI_SIM_INTEGRATE_INTEGRATORS_H
#define LWI_SIM_INTEGRATE_INTEGRATORS_H
#include "linkwork/simulate.h"
#include "sim/integrate/system.h"

typedef struct lwi_integrator lwi_integrator;
struct lwi_integrator {
  lwi_system *system;
  const char *method; /* name of the method, for the report */
  bool fixed; /* fixed steps; each begins with an evaluation at the end of the previous one */
  double t;   /* the time reached */
  const double *now; /* y at that time; NULL: by get alone */
  double next;       /* size of the step that will be tried next; 0: unknown */
  /* kept from before a restart */
  double pace;      /* size of the last successful step; 0: none */
  double stiff;     /* time since which the system has been stiff; infinity: it is not */
  char reason[300]; /* why the last call failed, as the end of a sentence */

  /* Starts, or starts again, at t, y. */
  lw_status (*start)(lwi_integrator *it, double t, const double y[]);
  /* Takes one step.  `target` is the next output time: methods without dense output stop there.  No
     step goes beyond `end`. */
  lw_status (*step)(lwi_integrator *it, double target, double end);
  /* y at time t within the last step, as accurate as the steps. */
  lw_status (*get)(lwi_integrator *it, double t, double y[]);
  /* The same as accurately as is possible with few evaluations: at least a parabola. */
  lw_status (*estimate)(lwi_integrator *it, double t, double y[]);
  void (*count)(const lwi_integrator *it, lw_simulation_statistics *s); /* adds to the counters */
  void (*free)(lwi_integrator *it);
};

/* The options must be complete.  Returns NULL if out of memory. */
lwi_integrator *lwi_fixed_new(lwi_system *s, const lw_simulation_options *options);
lwi_integrator *lwi_runge_kutta_new(lwi_system *s, const lw_simulation_options *options);
lwi_integrator *lwi_multistep_new(lwi_system *s, const lw_simulation_options *options);

/* The integrator that the options name, or the default. */
lwi_integrator *lwi_integrator_new(lwi_system *s, const lw_simulation_options *options);

/* Sets the reason and returns status. */
lw_status lwi_integrator_fail(lwi_integrator *it, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Why an evaluation of the system failed, as the end of a sentence. */
const char *lwi_failure_text(lw_status failure);

/* Replaces zeros by the values of the model or by defaults, and checks everything.  The integrator
   remains `auto` if none was chosen. */
lw_status lwi_options_complete(const lw_model *m, lw_simulation_options *options, lw_error *err);

#endif
