/* SPDX-License-Identifier: Apache-2.0 */
/* sens.h -- what `linkwork sens` computes and prints. */
#ifndef CLI_SENS_H
#define CLI_SENS_H
#include "page_report.h"
#include "run_summary.h"
#include "singular.h"
#include "linkwork/sensitivity.h"

typedef struct {
  const lw_model *m;
  lw_sensitivity *s;
  lw_simulation *sim;
  int nparameter, ncolumn, nobjective;
  double t;
  long rows;
  double *row, *drow;       /* [ncolumn], [nparameter][ncolumn] at t */
  double *value, *gradient; /* [nobjective], [nparameter][nobjective] */
  /* all [nparameter][ncolumn + nobjective]; NULL: not checked */
  double *check;            /* by differences of whole runs */
  double *check_error;      /* error estimates of these */
  double *tight;            /* derivatives again, at tighter tolerances */
  int disagreements;        /* number of derivatives that differ by more than the errors of both */
  int undecided;            /* number of differences that are too uncertain to decide */
  double integration_error; /* largest change by tighter tolerances, relative to the largest
                            derivative */
  char not_tightened[sizeof((lw_error *)NULL)
                         ->text]; /* why there are no tighter ones; empty: there are */
  bool singular_known;            /* the start was checked */
  singular_place *singular;       /* at the start, during and at the end of the run */
  int nsingular;
  event_warnings warnings;
  lw_simulation_options used;
  double wall_time;
  progress progress;
  page *page;         /* NULL: none is written */
  char **derivatives; /* [nderivative] names of its columns d(q.A)/d(La) */
  int nderivative;
} sens_result;

/* Is the column printed?  All but t and udot are. */
bool sens_is_shown(const sens_result *r, int column);
/* Do derivatives by this parameter not exist any more at the end? */
bool sens_has_ended(const sens_result *r, int parameter);
/* The derivative of a column, or with index - ncolumn of an objective. */
double sens_derivative(const sens_result *r, int parameter, int index);

/* After a run: rows, derivatives, objectives and gradients at its end.  In sens_check.c, as are
   those below. */
lw_status sens_results(sens_result *r, lw_error *err);
/* Called after each step: has a signal come? */
int sens_is_interrupted(void *context, double t);
/* Compares with differences of whole runs. */
lw_status sens_check(sens_result *r, const lw_sensitivity_options *requested, lw_error *err);
typedef enum { SENS_AGREES, SENS_DISAGREES, SENS_UNDECIDED } sens_verdict;
sens_verdict sens_judge(const sens_result *r, int parameter, int index);

void sens_print(const sens_result *r);
bool sens_json(const cli_args *a, const sens_result *r);
/* The same as text, to be freed; NULL: a number is not finite, or no memory. */
char *sens_text(const cli_args *a, const sens_result *r);

/* page_sens.c: the run with its derivatives as a page. */
lw_status sens_page_start(sens_result *r, page *p, const char *columns, lw_error *err);
lw_status sens_page_add(sens_result *r, const lw_row *row);
int sens_page_write(const cli_args *a, const sens_result *r, const char *path);
void sens_page_free(sens_result *r);

#endif
