/* SPDX-License-Identifier: Apache-2.0 */
/* fit_data.h -- the data of a fit: created and computed in fit.c, evaluated in fit_statistics.c. */
#ifndef LWI_STUDY_FIT_DATA_H
#define LWI_STUDY_FIT_DATA_H
#include "linkwork/fit.h"
#include "study/experiment.h"
#include "study/least_squares.h"

#include <stdatomic.h>

/* a column in all experiments */
typedef struct {
  const char *name;
  double noise, least; /* the noise is not below least */
  double squares;      /* weighted, of its residuals in SI */
  double change;       /* the noise before over the noise */
  long n;
  bool given; /* the noise is */
} lwi_fit_column;

typedef struct {
  lw_spec *own; /* NULL: that of the fit */
  char *name, *patterns;
  char **names; /* [ncolumn] */
  int *column;  /* [ncolumn] in lw_fit.column */
  lwi_experiment experiment;
  lwi_experiment_times at;
  double *numbers; /* t, value, weight; model, best [rows][ncolumn], d[nparameter][rows][ncolumn] */
  const double *value, *weight; /* [rows][ncolumn]; weight 0: does not count */
  double *model, *d;            /* of the last evaluation */
  double *best;                 /* model at the best values */
  lw_status status;
  lw_error err;
} lwi_fit_data;

struct lw_fit {
  lw_spec *spec;
  lw_simulation_options simulation;
  int n, ndata, ncolumn, threads;
  long m;                                    /* measurements that count */
  char **name;                               /* [n] */
  double *numbers;                           /* start ... below */
  double *start, *value, *min, *max, *scale; /* [n] */
  lwi_fit_data *data;                        /* [ndata] */
  lwi_fit_column *column;                    /* [ncolumn] */
  double *r, *J;                             /* [m], [n][m] over the noise, at value */
  bool *held;                                /* [n] */
  int iterations, runs;
  bool solved, out_of_memory;
  lw_error err; /* of the last evaluation that failed */
  const lw_fit_run_options *how;
  double rtol; /* of the runs */
  /* what is found: fit_statistics.c */
  int nfree;
  int *unknown;                                /* [nfree] those that are not held */
  double *deviation, *covariance;              /* [n], [n][n] */
  double *combination, *combination_deviation; /* [nfree][n], [nfree]; worst first */
  bool *undetermined;                          /* [n] */
};

double lwi_fit_chi_square(const lw_fit *f);
/* From r and J: covariance and combinations. */
lw_status lwi_fit_evaluate(lw_fit *f);

#endif
