/* SPDX-License-Identifier: Apache-2.0 */
/* switches.h -- expressions of time that are not smooth: drivers, motors and forces with abs, sign, min, max, ...
   The motion is cut into spans in which all of them are smooth (model/expression/expr_switch.h).  Steps end where a span ends;
   within a span expressions are evaluated at times of the span, ends included, so that every stage of an
   integrator sees one branch.  From span to span the position of a driver must not jump; its speed may: then
   velocities jump as in an event.  docs/theory/events.md. */
#ifndef LWI_SIM_EVENTS_SWITCHES_H
#define LWI_SIM_EVENTS_SWITCHES_H
#include "tree/loops/explain.h"

typedef struct {
  bool active;     /* some expression of the present model can switch */
  double span[2];  /* the first and last time of the present span */
  double next;     /* when it ends; infinity: not before `searched` */
  double after;    /* the first time of the span that follows */
  double searched; /* how far ahead ends are known */
} lwi_switches;

/* A simulation begins: no span is known. */
void lwi_switches_reset(lwi_switches *x, double t);
/* A model takes over at t. */
void lwi_switches_follow(lwi_switches *x, const lw_model *m, double t);
/* The next end of a span is known as far as `to`. */
lw_status lwi_switches_look_ahead(lwi_switches *x, const lw_model *m, double to, lw_error *err);
/* The span that follows becomes the present one. */
void lwi_switches_pass(lwi_switches *x);

/* At the end of the span: the next driver after *driver, a constraint, whose speed jumps; 0: there are no more.  A
   position that jumps, and a value that is no number afterwards, is an error of *driver that says how much. */
lw_status lwi_switches_jump(const lwi_switches *x, const lw_model *m, int *driver, lw_error *err);
/* Does a driver, motor or force grow without bound towards the end of the span, in its value or its rate, or end there?
   Then which one. */
bool lwi_switches_find_pole(const lwi_switches *x, const lw_model *m, lwi_failing_part *which);
/* May derivatives by parameters go on across the end of the span?  An expression that switches at a time that
   depends on parameters, and jumps there, is an error. */
lw_status lwi_switches_differentiable(const lwi_switches *x, const lw_model *m, lw_error *err);

#endif
