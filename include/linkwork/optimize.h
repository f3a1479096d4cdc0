/* SPDX-License-Identifier: Apache-2.0 */
/* optimize.h -- parameters of a model for which an objective of a run is least or largest, between bounds and with others of its
   objectives bounded or given, by exact gradients.

     lw_optimization *x = lw_optimization_new(spec, &(lw_optimize_options){.objective = "error",
                            .requirement = &(lw_requirement){"width", LW_AT_MOST, 0.2}, .nrequirement = 1}, &err);
     lw_optimization_run(x, NULL, &err);
     lw_optimization_best(x).value[0]

   Objectives are those of the model (`sensitivity: objectives`, lw_add_objective).  Methods are those of NLopt, which is loaded by the
   first run.  Values for which the model does not assemble, or the run fails, are stepped back from.  docs/theory/studies.md. */
#ifndef LINKWORK_OPTIMIZE_H
#define LINKWORK_OPTIMIZE_H
#include "linkwork/sensitivity.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { LW_AT_MOST, LW_AT_LEAST, LW_EQUAL_TO } lw_requirement_kind;
typedef struct {
  const char *objective;
  lw_requirement_kind kind;
  double value;
} lw_requirement;

typedef enum {
  LW_SLSQP, /* sequential quadratic programming */
  LW_MMA    /* moving asymptotes; no LW_EQUAL_TO */
} lw_optimize_method;

typedef struct {
  const char *objective; /* NULL: the first one */
  bool maximize;
  const char *const
      *parameter; /* [nparameter] NULL: those by which the model asks for derivatives */
  int nparameter;
  const double *min, *max; /* [nparameter] bounds besides those of the model; NULL: none */
  const lw_requirement *requirement;
  int nrequirement;
  lw_optimize_method method;
  /* The first search starts with the values of the spec, further ones with those of a Latin hypercube between the bounds. */
  int starts; /* 0: 1 */
  unsigned long long seed;
  double
      tolerance; /* ends where objective or parameters change by less than this, relatively; 0: 1e-7 */
  bool differences;                 /* gradients by differences of runs, to compare */
  lw_simulation_options simulation; /* as for lw_simulation_new */
} lw_optimize_options;

typedef struct lw_optimization lw_optimization;

/* Copies spec and options.  Returns NULL on failure. */
LW_API lw_optimization *lw_optimization_new(const lw_spec *s, const lw_optimize_options *options,
                                            lw_error *err);
LW_API void lw_optimization_free(lw_optimization *x);

typedef struct {
  int start;      /* which search, from 0 */
  int iterations; /* gradients */
  int runs;       /* of the model, failed ones included */
  int failed;     /* runs, and models that did not assemble */
  double objective;
  double violation;    /* the largest violation of a requirement, in its unit; 0: none */
  const double *value; /* [nparameter] */
} lw_optimization_state;
/* Called for each gradient; nonzero ends the search. */
typedef int (*lw_optimization_callback)(void *context, const lw_optimization_state *now);

typedef struct {
  int runs; /* at most, per search; 0: 1000 */
  lw_optimization_callback on_iteration;
  const volatile sig_atomic_t *stop; /* nonzero ends it */
  void *context;
} lw_optimization_run_options;

/* LW_E_STOPPED, LW_E_NOT_CONVERGED: it has ended early, and the best so far is the result.  LW_E_UNSUPPORTED: NLopt cannot be loaded.
   LW_E_NUMBER: the first search cannot start, or no search has found values that satisfy the requirements, of which the best so far come
   closest to them.  options may be NULL. */
LW_API lw_status lw_optimization_run(lw_optimization *x, const lw_optimization_run_options *options,
                                     lw_error *err);

LW_API int lw_optimization_nparameter(const lw_optimization *x);
typedef struct {
  const char *name;
  double start, value, min, max;
} lw_optimized_parameter;
LW_API lw_optimized_parameter lw_optimization_parameter(const lw_optimization *x,
                                                        int i); /* from 0 */
/* Over all searches; iterations and runs are those of all.  value NULL: none yet. */
LW_API lw_optimization_state lw_optimization_best(const lw_optimization *x);
/* Where search i has ended; value NULL: it could not start. */
LW_API lw_optimization_state lw_optimization_of_start(const lw_optimization *x, int i);
/* Objectives of the model at the best values, in its order. */
LW_API const double *lw_optimization_objectives(const lw_optimization *x);

#ifdef __cplusplus
}
#endif
#endif
