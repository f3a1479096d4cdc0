/* SPDX-License-Identifier: Apache-2.0 */
/* fit.h -- parameters of a model from measurements: the values for which result columns come closest to measured ones, in the
   sense of least squares, with confidence intervals, and which combinations of them the measurements do not determine.

     lw_fit_data run = {.column = (const char *[]){"q.A"}, .ncolumn = 1, .t = t, .value = q, .rows = 200};
     lw_fit *f = lw_fit_new(spec, &(lw_fit_options){.parameter = (const char *[]){"La", "k"}, .nparameter = 2,
                                                    .data = &run, .ndata = 1}, &err);
     lw_fit_run(f, NULL, &err);
     lw_fit_get_parameter(f, 0).value

   Measurements have times of their own: the model is evaluated there, between the steps of its integration.  Derivatives are exact
   ones of whole runs (sensitivity.h).  docs/theory/studies.md. */
#ifndef LINKWORK_FIT_H
#define LINKWORK_FIT_H
#include "linkwork/sensitivity.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is measured ---- */

/* One experiment. */
typedef struct {
  const char *name; /* in messages; NULL: "data 1", ... */
  const lw_spec *
      spec; /* the model with its own initial state and other values of other parameters; NULL: that of the fit */
  const char *const *column; /* [ncolumn] result columns */
  int ncolumn;
  long rows;
  const double *t;      /* [rows] not below 0, not falling */
  const double *value;  /* [rows][ncolumn] SI; NaN: not measured */
  const double *weight; /* [rows][ncolumn] how many measurements each one counts as; NULL: 1 */
} lw_fit_data;

/* How far single measurements of a column scatter, in all experiments: their standard deviation. */
typedef struct {
  const char *column;
  double deviation; /* > 0 */
} lw_fit_noise;

typedef struct {
  const char *const
      *parameter; /* [nparameter] NULL: those by which the model asks for derivatives */
  int nparameter;
  const double *min, *max; /* [nparameter] bounds; NULL: those of the model */
  const lw_fit_data *data; /* [ndata] */
  int ndata;
  const lw_fit_noise *noise; /* [nnoise] of other columns it is estimated from the residuals */
  int nnoise;
  lw_simulation_options simulation; /* as for lw_simulation_new */
  int threads;                      /* experiments at a time; 0: 1 */
} lw_fit_options;

typedef struct lw_fit lw_fit;

/* Copies specs, options and measurements.  Starts from the values of the spec.  Returns NULL on failure. */
LW_API lw_fit *lw_fit_new(const lw_spec *s, const lw_fit_options *options, lw_error *err);
LW_API void lw_fit_free(lw_fit *f);

/* ---- the search ---- */

typedef struct {
  int iterations;      /* steps that made the sum smaller */
  int runs;            /* of all experiments together, failed ones included */
  double chi_square;   /* sum of squared residuals over the noise */
  const double *value; /* [nparameter] */
} lw_fit_state;
/* Called after each iteration; nonzero ends the search. */
typedef int (*lw_fit_callback)(void *context, const lw_fit_state *state);

typedef struct {
  int iterations; /* at most; 0: 200 */
  lw_fit_callback on_iteration;
  const volatile sig_atomic_t *stop; /* nonzero ends the search */
  void *context;
} lw_fit_run_options;

/* LW_E_STOPPED and LW_E_NOT_CONVERGED: it has ended early, and the best values so far are results; with any other failure there
   are none.  options may be NULL. */
LW_API lw_status lw_fit_run(lw_fit *f, const lw_fit_run_options *options, lw_error *err);

/* ---- what it has found ---- */

LW_API lw_fit_state lw_fit_get_state(const lw_fit *f);

typedef enum {
  LW_FIT_DETERMINED,
  LW_FIT_AT_MIN, /* held there: it would leave the bound, and has no interval */
  LW_FIT_AT_MAX,
  LW_FIT_UNDETERMINED /* part of a combination that changes nothing */
} lw_fit_role;
typedef struct {
  const char *name;
  double start, value, min, max;
  double deviation; /* standard error; infinite: undetermined; NaN: at a bound */
  double low, high; /* interval of 95 %; of its own, not cut at the bounds */
  lw_fit_role role;
} lw_fit_parameter;
LW_API int lw_fit_nparameter(const lw_fit *f);
LW_API lw_fit_parameter lw_fit_get_parameter(const lw_fit *f, int i); /* from 0 */
/* Covariance of two parameters, within what is determined; NaN: one is at a bound.  The correlation is NaN of undetermined ones, too. */
LW_API double lw_fit_covariance(const lw_fit *f, int i, int k);
LW_API double lw_fit_correlation(const lw_fit *f, int i, int k);

/* Combinations of relative changes dp/|p| (of a parameter that is 0: dp), from the worst determined to the best: direction[nparameter] is
   a unit vector. */
typedef struct {
  double
      deviation; /* standard error of the change along it; infinite: it changes nothing that was measured */
  const double *direction;
} lw_fit_combination;
LW_API int lw_fit_ncombination(const lw_fit *f); /* parameters that are not at a bound */
LW_API lw_fit_combination lw_fit_get_combination(const lw_fit *f, int i);

typedef struct {
  const char *name;
  long n;       /* measurements */
  double noise; /* standard deviation: as given, or estimated */
  bool estimated;
  double residual; /* root mean square of model less measurement */
} lw_fit_column;
LW_API int lw_fit_ncolumn(const lw_fit *f);
LW_API lw_fit_column lw_fit_get_column(const lw_fit *f, int i);
LW_API long lw_fit_freedom(const lw_fit *f); /* measurements less parameters */
/* The columns of an experiment by the model, [rows][ncolumn]. */
LW_API const double *lw_fit_model(const lw_fit *f, int data);

/* x so that a variable of Student's distribution with so many degrees of freedom is between -x and x with this probability; infinite
   freedom: of the normal one. */
LW_API double lw_student_quantile(double probability, double freedom);

/* ---- the result as a model file ---- */

/* Writes the model file `path`, of which s was read, to `to` with these values of parameters, in the units in which they are written
   there; comments and the rest stay as they are.  LW_E_UNSUPPORTED: a parameter is not written in this file in a way that can be changed. */
LW_API lw_status lw_write_parameters(const lw_spec *s, const char *path, const char *const name[],
                                     const double value[], int n, const char *to, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
