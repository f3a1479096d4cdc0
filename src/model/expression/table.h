/* SPDX-License-Identifier: Apache-2.0 */
/* table.h -- tables of numbers as functions of one or two variables, with their derivatives and
   bounds.

   Between the points:
     hold    the value of the point before: it jumps
     linear  straight lines: kinks at the points
     pchip   cubic, monotone where the points are [FritschCarlson1980]; curvature jumps at the points
     akima   cubic, with slopes of the neighbourhood [Akima1970]; curvature jumps at the points
   In two variables it is the tensor product of that.  Outside of the points: the value of the
   nearest point, a straight line from there with the slope at the end, or no value. */
#ifndef LWI_MODEL_EXPRESSION_TABLE_H
#define LWI_MODEL_EXPRESSION_TABLE_H
#include "model/expression/dimension.h"
#include "model/expression/library.h"

#include <stdbool.h>

typedef enum { LWI_TABLE_AKIMA, LWI_TABLE_LINEAR, LWI_TABLE_PCHIP, LWI_TABLE_HOLD } lwi_table_kind;
typedef enum { LWI_OUTSIDE_ERROR, LWI_OUTSIDE_HOLD, LWI_OUTSIDE_EXTEND } lwi_table_outside;

typedef struct {
  const char *name;
  int n[2];            /* points of each variable, >= 2; n[1] = 0: of one variable */
  const double *x[2];  /* rising */
  const double *value; /* [n[0]] or [n[0]][n[1]] */
  lwi_table_kind kind;
  lwi_table_outside outside;
  lwi_dimension dimension[3]; /* of both variables and the value, where units were written */
} lwi_table_desc;

lwi_table *lwi_table_new(const lwi_table_desc *d); /* NULL: no memory */
void lwi_table_free(lwi_table *t);                 /* accepts NULL */
lwi_dimension lwi_table_dimension(const lwi_table *t, int which);

/* ---- compute ---- */

double lwi_table_value(const lwi_table *t, double x);
double lwi_table_value2(const lwi_table *t, double x, double y);
/* Derivatives of any order: by x, or i times by x and j times by y. */
double lwi_table_slope(const lwi_table *t, int order, double x);
double lwi_table_slope2(const lwi_table *t, int i, int j, double x, double y);

/* Of variable `axis`: the nearest number for which there is a value; which piece a lies in, from 0
   before the first point to n after the last. */
double lwi_table_nearest(const lwi_table *t, int axis, double a);
double lwi_table_piece(const lwi_table *t, int axis, double a);

/* A table of the same variables that is zero where this one has a kink or jump along variable
   `axis`, and of other signs on both sides; *jumps: a jump.  NULL: there are none. */
const lwi_table *lwi_table_between(const lwi_table *t, int axis, bool *jumps);

/* The straight line, line[0] + line[1] x, of the piece in which a lies and the table of lwi_table_between has this sign; a may be on
   the other side of a point by rounding errors.  false: the piece is not straight, or there is no value. */
bool lwi_table_line(const lwi_table *t, double a, int side, double line[2]);

/* Bounds {low, high} of the value, and of the slope by each variable, over intervals of them;
   slopes are infinite where it jumps.  Returns false if there are places without value. */
bool lwi_table_range(const lwi_table *t, const double x[2], double value[2], double slope[2]);
bool lwi_table_range2(const lwi_table *t, const double x[2], const double y[2], double out[3][2]);

/* Why there is no value: which table, and where it ends. */
const char *lwi_table_fault(const lwi_table *t);

#endif
