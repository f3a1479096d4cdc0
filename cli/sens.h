/* SPDX-License-Identifier: Apache-2.0 */
/* sens.h -- what `linkwork sens` computes, and says about it. */
#ifndef CLI_SENS_H
#define CLI_SENS_H
#include "run_summary.h"

typedef struct {
  const lw_model *m;
  lw_sensitivity *s;
  lw_simulation *sim;
  int nparameter, ncolumn, nobjective;
  double t;
  long rows;
  double *row, *drow;          /* [ncolumn], [nparameter][ncolumn] at t */
  double *value, *gradient;    /* [nobjective], [nparameter][nobjective] */
  double *check, *check_error; /* [nparameter][ncolumn + nobjective]; NULL: not checked */
  int disagreements;
  lw_simulation_options used;
  double wall_time;
} sens_result;

/* Where is what is shown: a column of the table but t, udot left out. */
bool sens_is_shown(const sens_result *r, int column);
/* Are the derivatives and the differences further apart than both can be wrong? */
bool sens_disagrees(const sens_result *r, int parameter, int index);

void sens_print(const sens_result *r);
bool sens_json(const cli_args *a, const sens_result *r);

#endif
