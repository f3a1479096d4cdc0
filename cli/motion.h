/* SPDX-License-Identifier: Apache-2.0 */
/* motion.h -- a prescribed motion: a table of coordinates over time. */
#ifndef CLI_MOTION_H
#define CLI_MOTION_H
#include "verbs.h"

/* One coordinate: its values at the times of the table, and the two derivatives of the curve
   through them. */
typedef struct {
  int joint, index; /* of the coordinate, in q of all joints */
  double *x, *v, *a;
} motion_curve;

typedef struct {
  int n; /* rows */
  double *t;
  int ncurve;
  motion_curve *curve;
  double *block;
} motion_table;

/* Reads --motion: columns t, q.J, and where the table has them u.J and udot.J.  An exit status. */
int motion_read(const cli_args *a, const lw_model *m, motion_table *out);
void motion_free(motion_table *t);
/* Coordinate, rate and second rate of a curve at a time of the table: a polynomial of fifth order
   from row to row. */
void motion_at(const motion_table *t, const motion_curve *c, double time, double out[3]);

#endif
