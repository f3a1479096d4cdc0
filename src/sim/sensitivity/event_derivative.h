/* SPDX-License-Identifier: Apache-2.0 */
/* event_derivative.h -- exact derivatives across an event by one parameter: of the model after it,
   of positions in its coordinates, and of speeds.  docs/theory/sensitivities.md.

   All derivatives are in units of the parameter's magnitude, and at the moving time of the
   event. */
#ifndef LWI_SIM_SENSITIVITY_EVENT_DERIVATIVE_H
#define LWI_SIM_SENSITIVITY_EVENT_DERIVATIVE_H
#include "linkwork/simulate.h"
#include "model/joint/moving_frame.h"
#include "model/spec/spec_phase.h"
#include "sim/formulation/linearized_dynamics.h"

/* A place that an event derived from the poses of bodies, and that therefore depends on the
   parameter. */
typedef enum {
  LWI_PLACE_JOINT,
  LWI_PLACE_CONSTRAINT,
  LWI_PLACE_MERGE,
  LWI_PLACE_STOP /* of a constraint: where a freedom sticks, at1[0] */
} lwi_place_owner;
typedef struct {
  lwi_place_owner owner;
  int id;   /* from 1, in the spec */
  int side; /* 0: in the parent, 1: in the child; of a merge: which of its bodies */
  double at1[3], quat1[4];
} lwi_place_derivative;

typedef struct {
  lw_event_desc *slope; /* [events of the first model] derivatives of their numbers */
  int nplace, place_capacity;
  lwi_place_derivative *place; /* of all events so far */
  /* from just before an event until it has happened */
  const lw_simulation *sim;
  double when_p;
  int nevent, *number; /* [nevent] */
  int nbody;
  lwi_moving_frame *body; /* [nbody + 1] */
} lwi_event_derivative;

/* derivative: that of the first model.  Returns false if out of memory. */
bool lwi_event_derivative_open(lwi_event_derivative *e, const lw_model *derivative);
void lwi_event_derivative_free(lwi_event_derivative *e);

/* Just before the event: derivatives of the poses of bodies; l has been moved along the direction.
   Returns LW_E_MEMORY if out of memory. */
lw_status lwi_event_derivative_leave(lwi_event_derivative *e, const lwi_linearized_dynamics *l,
                                     const lw_simulation *sim, const int number[], int n,
                                     double when_p);

/* phase_derivative.c: derivatives of the numbers of the new model m of a phase, where `before` is the model
   before the event; free it as a model.  Returns NULL on failure; see err. */
lw_model *lwi_phase_derivative(lwi_event_derivative *e, const lwi_phase *now,
                               const lw_model *before, const lw_model *m, int parameter,
                               double scale, lw_error *err);

/* After the event, first: if something rests or sticks afterwards, impacts happen in a model in which nothing is held
   yet.  derivative: of the numbers of `before`. */
lw_status lwi_event_derivative_hit(lwi_event_derivative *e, const lw_model *before,
                                   lw_model *derivative, int parameter, double scale, double t,
                                   lw_error *err);

/* After the event: directions of positions and speeds, [nu] each, at the state y of the present
   model.  fresh: it is not the model before the event, and model_p is from lwi_phase_derivative. */
lw_status lwi_event_derivative_restart(lwi_event_derivative *e, lwi_linearized_dynamics *l,
                                       const lw_model_derivative *model_p, bool fresh, double t,
                                       const double y[], double motion[], double u_p[]);

#endif
