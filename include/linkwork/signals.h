/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h -- what a model has beside the mechanism: named points, states of controllers and
   actuators, inputs, sampled values, servos, outputs. */
#ifndef LINKWORK_SIGNALS_H
#define LINKWORK_SIGNALS_H
#include "linkwork/simulate.h"
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- points: named frames of bodies, for results and expressions ---- */

typedef struct {
  const char *name; /* not that of a body */
  lw_body body;
  lw_place place; /* in the body's frame */
} lw_point_desc;
LW_API lw_point lw_add_point(lw_spec *s, const lw_point_desc *d);

/* ---- states: controllers, actuators, hydraulics; inputs; sampled values ---- */

/* States are the last coordinates of q, in the order in which they were added. */
typedef struct {
  const char *name; /* in expressions and as a column; not that of a parameter or output */
  double start;     /* may be an expression of the parameters */
  double
      rate; /* an expression of t, parameters, states and what follows from positions and velocities
               ... */
  double every; /* ... or, if this is not 0, it is held, and becomes at 0, every, 2 every, ... */
  double value; /* ... what this expression of results and parameters is just before */
  bool input;   /* it is held at what the caller gives: lw_simulation_set_input */
} lw_state_desc;
LW_API void lw_add_state(lw_spec *s, const lw_state_desc *d);
/* Is this state of a model, as lw_state_name counts them, an input? */
LW_API bool lw_state_is_input(const lw_model *m, int index);
/* Is it one that linkwork adds and computes, such as the load that friction depends on?  Tables do
   not have it. */
LW_API bool lw_state_is_internal(const lw_model *m, int index);

/* ---- servos ---- */

/* A motor with the load stiffness (target - q) - damping u, at most limit in size (0: without a
   limit). */
typedef struct {
  const char *name;
  lw_joint joint;
  int dof;       /* counts from 1; 0 means 1 */
  double target; /* may be an expression, as `value` of a motor, and so may these: */
  double stiffness, damping, limit;
} lw_servo_desc;
LW_API lw_force lw_add_servo(lw_spec *s, const lw_servo_desc *d);

/* ---- outputs: result columns of the model's own ---- */

typedef struct {
  const char *name; /* of the column; not that of a parameter */
  double value;     /* an expression of result columns, parameters and other outputs */
} lw_output_desc;
LW_API void lw_add_output(lw_spec *s, const lw_output_desc *d);

/* ---- while a simulation runs ---- */

/* Changes an input of the model at the last time reached; it is held from then on. */
LW_API lw_status lw_simulation_set_input(lw_simulation *sim, const char *name, double value,
                                         lw_error *err);

/* A controller in the program: called at 0, every, 2 every, ... from inside lw_simulation_advance,
   after values that the model samples, with the state of the present model and its inputs, in the
   order of the model, which it may change; they are held until the next call.  Nonzero stops with
   LW_E_STOPPED.  NULL ends it. */
typedef int (*lw_control_callback)(void *context, double t, const double q[], const double u[],
                                   double inputs[]);
LW_API lw_status lw_simulation_control(lw_simulation *sim, double every,
                                       lw_control_callback callback, void *context, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
