/* SPDX-License-Identifier: Apache-2.0 */
/* study.h -- one model many times: which cases to compute (designs), runs side by side, and what their results
   say (statistics, Sobol' indices).

     lw_factor L = {.name = "L", .min = 0.5, .max = 1.5};
     lw_study *y = lw_study_new(spec, &(lw_study_options){
                     .design = {.kind = LW_DESIGN_LATIN, .factor = &L, .nfactor = 1, .cases = 1000}}, &err);
     lw_study_run(y, &(lw_study_run_options){.threads = 2, .on_case = on_case, .context = context});

   The values of a case follow from the design, its seed and the number of the case alone, and its results from
   these values: any case can be computed anywhere, in any order, with the same bits.  docs/theory/studies.md. */
#ifndef LINKWORK_STUDY_H
#define LINKWORK_STUDY_H
#include "linkwork/design.h"
#include "linkwork/sensitivity.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- runs ---- */

typedef struct {
  lw_design design;
  const char *columns; /* results at the end of each run, as for lw_columns_new; NULL: none */
  const char *
      extremes; /* columns whose largest and least values and their times are results; NULL: none */
  const char
      *events; /* names and patterns, between commas: how often and when they happen; NULL: none */
  const char *
      runs; /* files for the whole runs, % for the number of the case: "runs/%.csv"; NULL: none.  HDF5 only
                         with one thread */
  lw_simulation_options simulation; /* as for lw_simulation_new */
  double limit;                     /* s of processor time per case; 0: none */
} lw_study_options;

typedef struct lw_study lw_study;

/* Copies spec and options.  The spec as it is must compile: it names columns and objectives of all
   cases. */
LW_API lw_study *lw_study_new(const lw_spec *s, const lw_study_options *options, lw_error *err);
LW_API void lw_study_free(lw_study *y);
LW_API const lw_design *lw_study_design(const lw_study *y);
/* Results of a case: columns at the end, objectives of the model, of each extreme "max.q.A", "max.q.A.t" (its time),
   "min.q.A", "min.q.A.t", of each event "count.E", "first.E", "last.E" (times; NaN: it did not happen). */
LW_API int lw_study_nresult(const lw_study *y);
LW_API const char *lw_study_result_name(const lw_study *y, int i); /* from 0 */

typedef struct {
  long index;
  const double *value;  /* [nfactor] */
  const double *result; /* [lw_study_nresult] NaN: does not exist, or the case has failed */
  double t;             /* time reached */
  const lw_error *err;  /* status LW_OK, or why it has failed; LW_E_STOPPED: its time was up */
} lw_case;
/* Called for each case when it is finished, one at a time, in any order; nonzero ends the study. */
typedef int (*lw_case_callback)(void *context, const lw_case *c);
/* Is a case to be computed?  NULL: all are. */
typedef bool (*lw_case_filter)(void *context, long index);

typedef struct {
  int threads; /* 0: 1 */
  lw_case_callback on_case;
  lw_case_filter wanted;
  const volatile sig_atomic_t *stop; /* nonzero: begin no further case and stop those that run */
  void *context;
} lw_study_run_options;

/* Cases that fail do not end it: on_case is told.  LW_E_STOPPED: on_case or `stop` has ended it.
   LW_E_MEMORY: there was no memory for a case, of which on_case is not told; it can be run again. */
LW_API lw_status lw_study_run(const lw_study *y, const lw_study_run_options *options);
/* One case, for programs that distribute cases themselves.  LW_OK: it is computed, and out->err says whether it has failed;
   LW_E_STOPPED, LW_E_MEMORY: it is not known how it would have ended, and it can be computed again. */
typedef struct {
  double *value, *result;            /* [nfactor], [lw_study_nresult] of the caller */
  const volatile sig_atomic_t *stop; /* nonzero: stop; NULL: none */
  double t;
  lw_error err;
} lw_computed_case;
LW_API lw_status lw_study_compute(const lw_study *y, long index, lw_computed_case *out);
/* One case alone, with its table and rows as lw_simulation_run; the same bits. */
LW_API lw_status lw_study_run_case(const lw_study *y, long index, const lw_run_options *how,
                                   lw_error *err);

/* ---- what results say ---- */

typedef struct {
  long n; /* numbers that are finite; the others are left out */
  double mean, deviation, least, most;
  double quantile[5]; /* 5, 25, 50, 75, 95 % */
} lw_statistics;
LW_API lw_status lw_find_statistics(const double x[], long n, lw_statistics *out);
/* Of the pairs of which both are finite; NaN: there are less than two, or one of them does not
   vary. */
LW_API double lw_correlation(const double x[], const double y[], long n);

/* Sobol' indices of results y[cases] of LW_DESIGN_INDICES: the share of the variance that a factor
   explains alone (first) and with all others (total), each with a bootstrap interval of 95 %.
   LW_E_NUMBER: a result is not finite or does not vary. */
typedef struct {
  double first, first_low, first_high, total, total_low, total_high;
} lw_sobol_index;
LW_API lw_status lw_sobol_indices(const lw_design *d, const double y[], lw_sobol_index out[]);

#ifdef __cplusplus
}
#endif
#endif
