/* SPDX-License-Identifier: Apache-2.0 */
/* sens.h -- what `linkwork sens` computes, and says about it. */
#ifndef CLI_SENS_H
#define CLI_SENS_H
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
  double *check;       /* by differences of whole runs ... */
  double *check_error; /* ... and how far they may be off */
  double *tight;       /* derivatives again, at tighter tolerances */
  int disagreements;   /* how many are further from the differences than both can be wrong */
  int undecided;       /* how many differences are too uncertain to tell */
  double
      integration_error; /* largest change by the tighter tolerances, of the largest derivative */
  char not_tightened[sizeof((lw_error *)NULL)
                         ->text]; /* why there are no tighter ones; empty: there are */
  bool singular_known;            /* the start was looked at */
  singular_place *singular;       /* that the run starts at, passes or ends at */
  int nsingular;
  lw_simulation_options used;
  double wall_time;
} sens_result;

/* Where is what is shown: a column of the table but t, udot left out. */
bool sens_is_shown(const sens_result *r, int column);
/* The derivative of a column, or with index - ncolumn of an objective. */
double sens_derivative(const sens_result *r, int parameter, int index);

/* After a run: rows, derivatives, objectives and gradients at its end.  In sens_check.c, as below. */
lw_status sens_results(sens_result *r, lw_error *err);
/* Called after each step: has a signal come? */
int sens_is_interrupted(void *context, double t);
/* Compares with differences of whole runs. */
lw_status sens_check(sens_result *r, const lw_sensitivity_options *wishes, lw_error *err);
typedef enum { SENS_AGREES, SENS_DISAGREES, SENS_UNDECIDED } sens_verdict;
sens_verdict sens_judge(const sens_result *r, int parameter, int index);

void sens_print(const sens_result *r);
bool sens_json(const cli_args *a, const sens_result *r);

#endif
