/* SPDX-License-Identifier: Apache-2.0 */
/* jacobian.h -- eval --jacobian B@X,Y,Z or --jacobian POINT: velocities of a point of a body by unit speeds of joints. */
#ifndef CLI_JACOBIAN_H
#define CLI_JACOBIAN_H
#include "verbs.h"

typedef struct {
  const lw_model *m; /* NULL: not wanted */
  lw_body body;
  double point[3];
  double *J; /* [6][nu] */
} jacobian;

int jacobian_start(jacobian *x, const cli_args *a, const lw_model *m);
lw_status jacobian_compute(jacobian *x, const lw_work *w); /* after lw_kinematics */
void jacobian_print(const jacobian *x);
void jacobian_json(const jacobian *x, json *j);
void jacobian_free(jacobian *x);

#endif
