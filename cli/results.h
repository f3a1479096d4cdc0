/* SPDX-License-Identifier: Apache-2.0 */
/* results.h -- files of results on the command line. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H
#include "linkwork/results.h"
#include "verbs.h"

/* Opens a file of results; NULL after a message. */
lw_results *open_results(const cli_args *a, const char *path);
/* The same of an option that names one: its messages are those of wrong usage. */
lw_results *open_table(const cli_args *a, const char *option, const char *path);
/* The same, with the exit status on failure. */
lw_results *open_table_or(const cli_args *a, const char *option, const char *path, int *status);
/* The columns of --columns, chosen[columns], to be freed; NULL after a message: *status is the exit
   status. */
bool *choose_columns(const cli_args *a, const lw_results *r, int *status);
/* Prints what is wrong with a file; returns CLI_FAILED. */
int report_results_error(const lw_error *err);

/* results_scales.c: magnitudes of columns, which those of one vector and energies have in common.
   False: no memory. */
bool share_scales(const char *const name[], double scale[], int n);
/* results_diff.c: compares with the results of --diff. */
int diff_results(const cli_args *a, lw_results *r);

#endif
