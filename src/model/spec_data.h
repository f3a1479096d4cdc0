/* SPDX-License-Identifier: Apache-2.0 */
/* spec_data.h -- what a spec holds: copies of the descriptors, in the order they were added, with the
   place in the file where each was written.

   A number of a descriptor that stands for an expression is a quiet NaN that carries the
   expression's index in its mantissa bits, so that descriptors hold plain doubles and expressions go
   wherever numbers go.  Numbers are only ever copied until lwi_number (numbers.h) unfolds them. */
#ifndef LWI_MODEL_SPEC_DATA_H
#define LWI_MODEL_SPEC_DATA_H
#include "base/arena.h"
#include "base/name_index.h"
#include "linkwork/spec.h"
#include "model/parameters.h"

typedef struct {
  int line, column;
} lwi_mark;

typedef struct {
  const char *text;
  lwi_expr expr; /* parsed, names not looked up */
  lwi_mark mark;
} lwi_spec_expr;

/* the lists of a spec: field, element, descriptor */
#define LWI_SPEC_LISTS(X)                                                                          \
  X(bodies, lw_body_desc)                                                                          \
  X(joints, lw_joint_desc)                                                                         \
  X(constraints, lw_constraint_desc)                                                               \
  X(springs, lw_spring_desc)                                                                       \
  X(joint_springs, lw_joint_spring_desc)                                                           \
  X(motors, lw_motor_desc)                                                                         \
  X(loads, lw_load_desc)                                                                           \
  X(bushings, lw_bushing_desc)                                                                     \
  X(events, lw_event_desc)

struct lw_spec {
  lw_error error; /* the first mistake */
  lwi_mark mark;  /* of what is added next */
  lwi_arena arena;
  const char *name;
  bool planar, has_gravity;
  double gravity[3];
  lw_simulation_options simulation;

  lwi_parameters parameters;
  int nparameter_mark, parameter_capacity;
  lwi_mark *parameter_mark;
  int nexpr, expr_capacity;
  lwi_spec_expr *expr;

#define LIST(field, desc)                                                                          \
  struct {                                                                                         \
    int n, capacity;                                                                               \
    struct {                                                                                       \
      desc d;                                                                                      \
      lwi_mark mark;                                                                               \
    } * item;                                                                                      \
  } field;
  LWI_SPEC_LISTS(LIST)
#undef LIST
  lwi_name_index body_names, joint_names, force_names; /* joint_names: constraints too */
  int *joint_of_name; /* [joint_names.n] joint id, or 0 for a constraint */
  int joint_of_name_capacity;
};

/* Is the number an expression?  Its index, or -1. */
int lwi_expr_index(double number);

#endif
