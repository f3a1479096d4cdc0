/* SPDX-License-Identifier: Apache-2.0 */
/* experiment.h -- one run of a model with values of some parameters, evaluated at given times. */
#ifndef LWI_STUDY_EXPERIMENT_H
#define LWI_STUDY_EXPERIMENT_H
#include "linkwork/sensitivity.h"

typedef struct {
  const lw_spec *spec;
  const char *const *parameter; /* [nparameter] */
  int nparameter;
  const lw_simulation_options *simulation;
  const volatile sig_atomic_t *stop; /* NULL: none */
  lw_gradient gradient;              /* of objectives; where columns have derivatives: FORWARD */
} lwi_experiment;

/* The spec with these values, compiled; NULL on failure. */
lw_model *lwi_experiment_compile(const lwi_experiment *e, const double value[], lw_error *err);

/* A run with derivatives by the parameters (derive), which stops when e->stop says so. */
lw_sensitivity *lwi_experiment_open(const lwi_experiment *e, const lw_model *m, const char *columns,
                                    bool derive, lw_error *err);

/* Result columns at the times t[rows], row[rows][ncolumn], and their derivatives d[nparameter][rows][ncolumn]. */
typedef struct {
  const char *columns; /* as for lw_columns_new */
  const char *const *column;
  int ncolumn;
  long rows;
  const double *t;
} lwi_experiment_times;
lw_status lwi_experiment_rows(const lwi_experiment *e, const lwi_experiment_times *at,
                              const double value[], double row[], double d[], lw_error *err);

#endif
