/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- results by name, for loops of your own; lw_simulation_run is the ready one. */
#ifndef LINKWORK_COLUMNS_H
#define LINKWORK_COLUMNS_H
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- result columns: t, q.J, u.J, udot.J, x.B ..., fx.J ..., energy.total, drift ---- */

typedef struct lw_columns lw_columns;

/* patterns: names or patterns with * and ?, separated by commas; NULL: all.  `t` is always first.
   A pattern that matches nothing is an error that names the nearest column. */
LW_API lw_columns *lw_columns_new(const lw_model *m, const char *patterns, lw_error *err);
LW_API void lw_columns_free(lw_columns *c);
/* Rows are those of a simulation, one after the other, and computed by its formulation: angles of
   joints that close loops then stay continuous however far apart the rows are.  NULL: on their own.
   Free columns before the simulation that they follow. */
LW_API lw_status lw_columns_follow(lw_columns *c, const lw_simulation *sim, lw_error *err);
LW_API int lw_columns_count(const lw_columns *c);
LW_API const char *lw_columns_name(const lw_columns *c, int index);
/* One row at the state t, q, u of the model, or of the present model of the simulation that it follows.
   Cells of what does not exist at the moment are NaN.  Allocates nothing but after an event. */
LW_API lw_status lw_columns_row(lw_columns *c, double t, const double q[], const double u[],
                                double row[]);

/* ---- rows of a simulation ---- */

/* The times of a table of results: 0, output_step, 2 output_step, ..., and end; one that differs from the
   time of an event by rounding only is that time. */
LW_API long lw_simulation_rows(const lw_simulation *sim);
LW_API double lw_simulation_row_time(const lw_simulation *sim, long row); /* row 0 ... rows-1 */
/* How many coordinates and speeds of all joints there can be in the course of the events of the model:
   the room that q and u need.  Joints that the caller raises add theirs. */
LW_API void lw_simulation_room(const lw_simulation *sim, int *nq, int *nu);
/* Coordinates and speeds of joints that close loops, at the state last given: as lw_get_cut_joints. */
LW_API void lw_simulation_cut_joints(const lw_simulation *sim, double q[], double u[]);

#ifdef __cplusplus
}
#endif
#endif
