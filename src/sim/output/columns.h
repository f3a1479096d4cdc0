/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- result columns: functions for the rest of the layer. */
#ifndef LWI_SIM_OUTPUT_COLUMNS_H
#define LWI_SIM_OUTPUT_COLUMNS_H
#include "linkwork/simulate.h"
#include "linkwork/columns.h"
#include "sim/output/column_names.h"
#include "sim/integrate/system.h"

/* Signs of quaternions continue from those last output by `from`, the same columns of a model with
   other numbers. */
lw_status lwi_columns_join(lw_columns *c, const lw_columns *from);

/* The row of the state at which d has just been evaluated, and the angular
   speed of the bodies there; nothing is computed again.  Without columns that need bodies e may be NULL.  Returns
   LW_E_UNSUPPORTED if the columns need more than that evaluation. */
lw_status lwi_columns_row_of(lw_columns *c, lw_dynamics *d, const lwi_evaluation *e, double t,
                             const double q[], const double u[], double row[], double *turning);
/* Are there columns other than coordinates and speeds of joints? */
bool lwi_columns_need_bodies(const lw_columns *c);
/* Are there coordinates, speeds or accelerations of joints? */
bool lwi_columns_need_joints(const lw_columns *c);

/* Magnitudes of the numbers that the columns of the last row, at speeds u, are computed from: their
   noise is relative to these, also where they cancel.  column_scales.c */
void lwi_column_scales(const lw_columns *c, const double u[], const double row[], double scale[]);
/* Rounding errors of a speed after a jump, which the speeds of all joints make. */
double lwi_column_rounding(const lw_columns *c, int index, const double u[]);
/* Least magnitude of the numbers whose rounding errors a column has: coordinates that follow from
   others in a loop are computed from angles of about one radian and from typical lengths, speeds
   from the largest of them. */
double lwi_column_least_scale(const lw_columns *c, int index);
/* The angular speed of the bodies that the columns of the last row depend on: rad/s. */
double lwi_columns_turning(const lw_columns *c);

/* One column by its name, which needs no quotes and is no pattern. */
lw_columns *lwi_columns_one(const lw_model *m, const char *name, lw_error *err);

/* Is there a column of this kind at present? */
bool lwi_columns_have(const lw_columns *c, lwi_column_kind kind);
/* The kind and owner of a column. */
lwi_column lwi_columns_get(const lw_columns *c, int index);

/* As last output: coordinates of all joints of the present model, and the quaternion of a body
   (NULL: not requested). */
const double *lwi_columns_q(const lw_columns *c);
const double *lwi_columns_orientation(const lw_columns *c, int body);

/* What the next row depends on besides the state, as last output: which 0, coordinates of all
   joints; 1, quaternions of the bodies.  Sets *n. */
double *lwi_columns_memory(lw_columns *c, int which, int *n);

#endif
