/* SPDX-License-Identifier: Apache-2.0 */
/* objectives.h -- expressions of result columns, t and parameters: values, and derivatives from
   those of the columns and parameters. */
#ifndef LWI_SIM_SENSITIVITY_OBJECTIVES_H
#define LWI_SIM_SENSITIVITY_OBJECTIVES_H
#include "linkwork/simulate.h"
#include "model/expression/expr_hold.h"
#include "model/model.h"

typedef struct {
  const char *name;
  lw_objective_kind kind;
  lwi_expr expr; /* slots: parameters, then columns */
  lwi_expr
      held; /* of an integrand that jumps: on one branch (expr_hold.h); without steps: as it is */
} lwi_objective;

typedef struct {
  const lw_model *m;
  int n;
  lwi_objective *item; /* [n] */
  char *patterns;      /* the columns in use, as a list for lw_columns_new */
  lw_columns *columns;
  int ncolumn;
  double *slot;    /* [nparameter + ncolumn] */
  double *slot_p;  /* derivatives */
  double *scratch; /* [ncolumn] */
} lwi_objectives;

/* The objectives of the model. */
lw_status lwi_objectives_init(lwi_objectives *o, const lw_model *m, lw_error *err);
void lwi_objectives_free(lwi_objectives *o);

/* Computes the columns at a state; the values are those of that state then. */
lw_status lwi_objectives_look(lwi_objectives *o, double t, const double q[], const double u[]);
double lwi_objectives_value(const lwi_objectives *o, int index);
/* Derivatives from those of the parameters (NULL: all zero) and columns. */
void lwi_objectives_derive(lwi_objectives *o, const double parameters_p[], const double row_p[]);
/* Keeps an integrand on one branch, at the state of the last look; n = 0: as it is.  False: no memory. */
bool lwi_objectives_hold(lwi_objectives *o, int index, const lwi_held_op op[], int n);
/* If an integrand is not a number at a state: an error that names the objective and the reason. */
bool lwi_objectives_explain(lwi_objectives *o, double t, const double q[], const double u[],
                            lw_error *err);
double lwi_objectives_slope(const lwi_objectives *o, int index);

#endif
