/* SPDX-License-Identifier: Apache-2.0 */
/* switches.h -- expressions of time that are not smooth: drivers, motors and forces with abs, sign,
   min, max, ...  The run is divided into spans in which all of them are smooth
   (model/expression/expr_switch.h).  Steps end where a span ends.  Within a span expressions are
   evaluated at times of the closed span, so that every stage of an integrator uses the same branch.
   Between spans the position of a driver must not jump; its speed may: then velocities jump as in
   an event.  docs/theory/events.md. */
#ifndef LWI_SIM_EVENTS_SWITCHES_H
#define LWI_SIM_EVENTS_SWITCHES_H
#include "tree/loops/explain.h"

typedef struct {
  bool active;     /* some expression of the present model can switch */
  double span[2];  /* first and last time of the present span */
  double next;     /* when it ends; infinity: not before `searched` */
  double after;    /* first time of the next span */
  double searched; /* time up to which the ends of spans are known */
  double begin;    /* of the simulation: nothing comes from before it */
} lwi_switches;

/* Called when a simulation begins: no span is known. */
void lwi_switches_reset(lwi_switches *x, double t);
/* Called when a model takes over at t. */
void lwi_switches_follow(lwi_switches *x, const lw_model *m, double t);
/* Finds the next end of a span up to the time `to`. */
lw_status lwi_switches_look_ahead(lwi_switches *x, const lw_model *m, double to, lw_error *err);
/* Makes the next span the present one. */
void lwi_switches_pass(lwi_switches *x);

/* At the end of the span: sets *driver to the next driver (a constraint) after *driver whose speed
   jumps; 0: there are no more.  A position that jumps, or a value that is not a number afterwards,
   is an error of *driver; err says how much. */
lw_status lwi_switches_jump(const lwi_switches *x, const lw_model *m, int *driver, lw_error *err);
/* Does a driver, motor or force grow without bound towards the end of the span, in value or rate,
   or cease to exist there?  Then *which names it. */
bool lwi_switches_find_pole(const lwi_switches *x, const lw_model *m, lwi_failing_part *which);
/* Does a motor, force or rate of a state that depends on time alone have no bound at the end of the
   span, from either side?  Or could one that depends on the state, too (mixed), since an operation
   of time switches there? */
bool lwi_switches_find_unbounded(const lwi_switches *x, const lw_model *m, bool *mixed,
                                 lwi_failing_part *which);
/* The time up to which a driver, motor or force that grows fast already becomes too large for a
   number; *which names it.  Infinity: none does between from and to. */
double lwi_switches_overflow(const lw_model *m, double from, double to, lwi_failing_part *which);
/* Do derivatives by parameters exist across the end of the span, where an event happens, too?  An
   expression that jumps at a time that depends on parameters is an error. */
lw_status lwi_switches_differentiable(const lwi_switches *x, const lw_model *m, lw_error *err);
/* Does some expression jump at the end of the span (moves), at a time that depends on parameters,
   and how does that time move along parameters_p?  scratch: [2 (nslot + 1)]. */
lw_status lwi_switches_when(const lwi_switches *x, const lw_model *m, const double parameters_p[],
                            double scratch[], bool *moves, double *when_p, lw_error *err);

#endif
