/* SPDX-License-Identifier: Apache-2.0 */
/* plot.c -- linkwork plot: columns of results over time, as SVG or PDF, or in the terminal. */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include "files.h"
#include "results.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const cli_option options[] = {
    {"output", 'o', "FILE",
     "write FILE.svg or FILE.pdf; without it the plot is drawn in the terminal"},
    {"quiet", 'q', NULL, "only error messages"},
    {.value = "RESULT COLUMN..."}};

/* Of the axis: the time, or of a sweep the number of the case. */
static const char *axis_name(const lw_results *r)
{
  return lw_results_has_cases(r) ? "case" : "t";
}

/* The columns that the words name, in their order, each once; -1, -2: a message was printed, about
   the words or the memory. */
static int find_columns(const cli_args *a, const lw_results *r, int column[])
{
  const int all = lw_results_columns(r);
  lw_error err = {0};
  int n = 0;
  bool *chosen = calloc((size_t)all + 1, sizeof *chosen),
       *taken = calloc((size_t)all + 1, sizeof *taken);
  bool ok = chosen && taken;
  for (int i = 0; i < a->nmore && ok; i++) {
    ok = lw_results_select(r, a->more[i], chosen, &err) == LW_OK;
    for (int k = 0; k < all && ok; k++) {
      if (!chosen[k] || taken[k] || strcmp(lw_results_name(r, k), axis_name(r)) == 0) continue;
      taken[k] = true;
      column[n++] = k;
    }
  }
  if (!ok) n = err.status == LW_E_ARG ? -1 : -2;
  if (n == -1) usage_error(a->verb, "%s", err.text);
  if (n == -2) out_of_memory(a);
  free(taken);
  free(chosen);
  return n;
}

static int draw_in_terminal(lw_results *r, const int column[], int n)
{
  lw_error err = {0};
  const long rows = lw_results_rows(r);
  double *t = malloc(2 * ((size_t)rows + 1) * sizeof *t), *x = t ? t + rows : NULL;
  lw_status status =
      t ? lw_results_read(r, lw_results_find(r, axis_name(r)), 0, rows, t, &err) : LW_E_MEMORY;
  for (int i = 0; i < n && status == LW_OK; i++) {
    status = lw_results_read(r, column[i], 0, rows, x, &err);
    if (status == LW_OK)
      plot_in_terminal(lw_results_name(r, column[i]), lw_results_unit(r, column[i]), t, x, rows,
                       lw_results_has_cases(r) ? "(case)" : "s");
  }
  free(t);
  return status == LW_OK ? CLI_DONE : report_results_error(&err);
}

static int write_picture(const cli_args *a, lw_results *r, const int column[], int n)
{
  lw_error err = {0};
  const char *path = args_text(a, "output");
  if (lw_results_plot(r, column, n, path, &err) != LW_OK) return report_results_error(&err);
  if (!args_has(a, "quiet")) print_message("wrote %s", path);
  return CLI_DONE;
}

static int check_picture(const cli_args *a)
{
  const char *path = args_text(a, "output"), *dot = path ? strrchr(path, '.') : NULL;
  if (!path) return CLI_DONE;
  if (!dot || (strcasecmp(dot, ".svg") != 0 && strcasecmp(dot, ".pdf") != 0))
    return usage_error(a->verb, "--output %s: plots are FILE.svg or FILE.pdf", path);
  return check_file(a, "output", strcasecmp(dot, ".pdf") == 0 ? "PDF" : "SVG");
}

static int plot(const cli_args *a)
{
  int status = check_picture(a);
  if (status != CLI_DONE) return status;
  if (a->nmore == 0) return usage_error(a->verb, "no COLUMN is given, e.g. q.A or 'energy.*'");
  lw_results *r = open_results(a, a->model);
  if (!r) return CLI_FAILED;
  int *column = malloc(((size_t)lw_results_columns(r) + 1) * sizeof *column);
  const int n = column ? find_columns(a, r, column) : -2;
  if (!column) out_of_memory(a);
  if (n < 0)
    status = n == -1 ? CLI_USAGE : CLI_FAILED;
  else if (n == 0)
    status = usage_error(a->verb, "t is the axis: name another column");
  else
    status =
        args_has(a, "output") ? write_picture(a, r, column, n) : draw_in_terminal(r, column, n);
  free(column);
  lw_results_free(r);
  return status;
}

const cli_verb verb_plot = {"plot",
                            "Plots columns of results over time: SVG, PDF, or in the terminal.",
                            "linkwork plot run.h5 q.A u.A -o plot.svg", options, plot};
