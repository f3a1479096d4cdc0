/* SPDX-License-Identifier: Apache-2.0 */
/* inverse.h -- loads of actuators: at one state, or along a motion (inverse_table.c). */
#ifndef CLI_INVERSE_H
#define CLI_INVERSE_H
#include "verbs.h"

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t, *q, *u, *udot, *tau; /* of all joints */
  double *loads;                 /* [n] of the actuators */
  bool *given;
  int *actuator, n;
} inverse_motion;

bool inverse_allocate(inverse_motion *x, const lw_model *m);
void inverse_release(inverse_motion *x);
/* floating: unless some are named, bodies that float count as driven */
int inverse_read_actuators(const cli_args *a, bool floating, inverse_motion *x);
/* Accelerations that are not given, and tau, at q and u. */
int inverse_find_loads(const cli_args *a, inverse_motion *x);

/* --motion */
int inverse_of_table(const cli_args *a);

#endif
