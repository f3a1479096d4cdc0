/* SPDX-License-Identifier: Apache-2.0 */
/* run_summary.h -- what `linkwork run` records of a run and prints about it. */
#ifndef CLI_RUN_SUMMARY_H
#define CLI_RUN_SUMMARY_H
#include "plot.h"
#include "run_energy.h"
#include "redundancy.h"
#include "run_events.h"
#include "singular.h"
#include "linkwork/columns.h"

/* what becomes of a run; NULL: no such file */
typedef struct {
  const char *table, *page;
  bool summary; /* printed, unless --json is */
  bool film;    /* the page is for a film, and goes when that is made */
  double keep;  /* a run that is expected to take longer gets a table: s; 0: none does */
} run_outputs;

typedef struct {
  run_outputs to;
  const lw_model *m; /* at the start */
  lw_simulation *sim;
  double t, *q, *u; /* the last state, for all joints of the present model */
  run_events events;
  double *q_start;
  int dof;
  redundancy redundancy; /* at the start */
  long rows;
  run_energies energies;
  double largest_drift;
  lw_columns *monitor; /* t, energies, drift */

  lw_simulation_options used;
  lw_simulation_statistics statistics;
  double wall_time;
  int nsingular;
  singular_place *singular; /* [nsingular] in the order of time */
  progress progress;
  struct page *page; /* collects rows; NULL: none */
  live_plot plot;
  double start; /* the time at which the run begins */
  double began; /* by wall_clock */
  bool judged;  /* whether it is long was asked */
  bool is_long; /* found out early: it begins again, with a table */
} run_result;

/* Options that were not given stay zero; in run_options.c. */
int run_options(const cli_args *a, lw_simulation_options *o);

/* Simulates as the options say: run.c. */
int simulate_model(const cli_args *a, const lw_model *m, const lw_simulation_options *requested,
                   run_outputs to);

lw_status run_result_start(run_result *r, const lw_model *m, lw_simulation *sim, lw_error *err);
void run_result_free(run_result *r);
lw_status run_result_add(run_result *r); /* the state in r is a row */

/* Singular configurations at the start, during and at the end of a run. */
lw_status run_result_find_singular(run_result *r, const lw_simulation *sim);
void run_result_warn(const cli_args *a, const run_result *r);

/* run_partition.c: of Cartesian runs */
void run_partition_print(const run_result *r);
void run_partition_json(json *j, const run_result *r);

void run_result_print(const run_result *r);
/* The results as JSON, to be freed; NULL: a number is not finite, or out of memory. */
char *run_result_text(const cli_args *a, const run_result *r, const lw_error *err);
/* Prints them.  With err as member "error", if it ended the run. */
bool run_result_json(const cli_args *a, const run_result *r, const lw_error *err);

#endif
