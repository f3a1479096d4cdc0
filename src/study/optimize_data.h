/* SPDX-License-Identifier: Apache-2.0 */
/* optimize_data.h -- the data of an optimisation: made in optimize.c, searched in optimize_search.c. */
#ifndef LWI_STUDY_OPTIMIZE_DATA_H
#define LWI_STUDY_OPTIMIZE_DATA_H
#include "linkwork/optimize.h"
#include "study/experiment.h"

/* a requirement as a function that must be 0, or at most 0: sign (objective - value) / size */
typedef struct {
  lw_optimization *of;
  int objective; /* in the model */
  lw_requirement_kind kind;
  double value, size;
} lwi_requirement;

struct lw_optimization {
  lw_spec *spec;
  lw_optimize_options o; /* numbers only */
  int n, nobjective, nrequirement, objective;
  char **name;     /* [n] */
  double *numbers; /* all that follow */
  double *start, *min, *max, *size,
      *origin;                    /* [n] a parameter is origin + size z, of the z that NLopt sees */
  double *at, *result, *gradient; /* the present values [n]; [nobjective], [n][nobjective] there */
  double *shifted;                /* [nobjective] of another run, for differences */
  double *best, *best_result;     /* [n], [nobjective] */
  double *found;                  /* [starts][n] */
  double *z;                      /* [3][n] a point of NLopt, lower and upper bounds */
  lw_optimization_state *ended;   /* [starts] */
  lwi_requirement *requirement;
  lwi_experiment experiment;
  double objective_size;
  bool evaluated, derived, failed; /* at */
  double rtol;                     /* of the runs */
  void *search;                    /* while NLopt is at work */
  bool halted;                     /* by the caller */
  bool has_best, out_of_memory;
  lw_optimization_state now, state;
  const lw_optimization_run_options *how;
  lw_error err; /* of the last run that failed */
};

/* Objectives at values, and with derive their gradient.  False: they do not exist there. */
bool lwi_optimize_evaluate(lw_optimization *x, const double value[], bool derive);
/* The largest violation of a requirement there, in its unit. */
double lwi_optimize_violation(const lw_optimization *x);

#endif
