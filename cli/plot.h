/* SPDX-License-Identifier: Apache-2.0 */
/* plot.h -- plots in the terminal, of results or of a run as it goes. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H
#include "linkwork/columns.h"
#include "verbs.h"

/* Draws x over t, [n] each, with its name and unit, on stdout; axis: the unit of t, or what it counts. */
void plot_in_terminal(const char *name, const char *unit, const double t[], const double x[],
                      long n, const char *axis);

/* The columns of --plot, kept row by row. */
typedef struct {
  lw_columns *columns; /* NULL: nothing is plotted */
  int width;           /* of a row */
  long n, capacity;
  double *rows; /* [n][width] */
} live_plot;
lw_status live_plot_start(live_plot *p, const cli_args *a, const lw_model *m,
                          const lw_simulation *sim, lw_error *err);
lw_status live_plot_add(live_plot *p, const lw_row *row);
void live_plot_print(const live_plot *p);
void live_plot_free(live_plot *p);

#endif
