/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- result columns by name, for output loops of your own; lw_simulation_run is the
   ready-made one. */
#ifndef LINKWORK_COLUMNS_H
#define LINKWORK_COLUMNS_H
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- result columns: t, q.J, u.J, udot.J, x.B ..., fx.J ..., energy.total, drift ---- */

typedef struct lw_columns lw_columns;

/* patterns: names or patterns with * and ?, separated by commas; NULL: all.  `t` is always first. A
   pattern that matches nothing is an error; err names the nearest column. */
LW_API lw_columns *lw_columns_new(const lw_model *m, const char *patterns, lw_error *err);
LW_API void lw_columns_free(lw_columns *c);
/* Rows are then consecutive rows of a simulation, computed by its formulation: angles of cut joints
   remain continuous however far apart the rows are.  sim NULL: rows are independent of a
   simulation. Free the columns before the simulation that they follow. */
LW_API lw_status lw_columns_follow(lw_columns *c, const lw_simulation *sim, lw_error *err);
LW_API int lw_columns_count(const lw_columns *c);
LW_API const char *lw_columns_name(const lw_columns *c, int index);
/* SI: "m", "rad/s", "N m"; "1": a number; "": not known, or it depends on what is measured. */
LW_API const char *lw_columns_unit(const lw_columns *c, int index);
/* Computes one row at the state t, q, u of the model, or of the present model of the simulation.
   Columns that do not exist at present are NaN.  Allocates only after an event. */
LW_API lw_status lw_columns_row(lw_columns *c, double t, const double q[], const double u[],
                                double row[]);

/* ---- rows of a simulation ---- */

/* The times of a table of results: 0, output_step, 2 output_step, ..., and end; a time that differs
   from that of an event only by rounding is replaced by it. */
LW_API long lw_simulation_rows(const lw_simulation *sim);
LW_API double lw_simulation_row_time(const lw_simulation *sim, long row); /* row 0 ... rows-1 */
/* Upper bounds of the numbers of coordinates and speeds of all joints in the course of the events
   of the model: the capacity that q and u need.  Joints that the caller raises are not included. */
LW_API void lw_simulation_capacity(const lw_simulation *sim, int *nq, int *nu);
/* Coordinates and speeds of cut joints at the last output state, as lw_get_cut_joints. */
LW_API void lw_simulation_cut_joints(const lw_simulation *sim, double q[], double u[]);

#ifdef __cplusplus
}
#endif
#endif
