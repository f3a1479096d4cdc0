/* SPDX-License-Identifier: Apache-2.0 */
/* design.h -- which cases a study computes, and the section `study` of a model.  docs/theory/studies.md. */
#ifndef LINKWORK_DESIGN_H
#define LINKWORK_DESIGN_H
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- designs ---- */

typedef enum {
  LW_FACTOR_UNIFORM, /* from min to max */
  LW_FACTOR_NORMAL,  /* mean, deviation */
  LW_FACTOR_VALUES,  /* one of value[nvalue] */
  LW_FACTOR_LIMITS   /* from the min to the max that the parameter has in the model */
} lw_factor_kind;
typedef struct {
  const char *name; /* of the parameter */
  lw_factor_kind kind;
  double min, max;
  double mean, deviation; /* deviation > 0 */
  const double *value;
  int nvalue;
  int points; /* in a grid, of a range from min to max: at least 2, or 1: the middle */
} lw_factor;

typedef enum {
  LW_DESIGN_GRID,   /* all combinations; the last factor changes fastest */
  LW_DESIGN_LATIN,  /* Latin hypercube: each factor has one case in each n-th of its distribution */
  LW_DESIGN_SOBOL,  /* Sobol' sequence with a random digital shift; at most 40 factors */
  LW_DESIGN_RANDOM, /* independent random numbers */
  LW_DESIGN_INDICES, /* for lw_sobol_indices: cases (nfactor + 2) runs; at most 20 factors */
  LW_DESIGN_LIST     /* list[cases][nfactor] */
} lw_design_kind;
typedef struct {
  lw_design_kind kind;
  const lw_factor *factor; /* [nfactor] */
  int nfactor;
  long cases; /* unless it is a grid */
  unsigned long long seed;
  const double *list;
} lw_design;

/* How many cases it has; 0: it is none, and err says why.  err may be NULL. */
LW_API long lw_design_cases(const lw_design *d, lw_error *err);
/* Values x[nfactor] of case i, 0 <= i < lw_design_cases. */
LW_API lw_status lw_design_values(const lw_design *d, long i, double x[]);

/* ---- the section `study` of a model ---- */

typedef struct {
  lw_design design;    /* nfactor 0: the parameters are not named */
  const char *columns; /* results at the end of each run, as for lw_columns_new; NULL: none */
  const char *
      extremes; /* columns whose largest and least values and their times are results; NULL: none */
  const char
      *events;  /* names and patterns, between commas: how often and when they happen; NULL: none */
  double limit; /* s of processor time per case; 0: none */
} lw_study_desc;

/* Numbers in SI, or expressions of parameters (lw_expr). */
LW_API void lw_set_study(lw_spec *s, const lw_study_desc *d);
/* That of a model with all numbers evaluated, ranges from limits, 100 cases and 5 points where they are not given, in one block: lw_study_desc_free.  NULL: it has
   none, err is LW_OK; or it cannot be evaluated. */
LW_API lw_study_desc *lw_get_study(const lw_model *m, lw_error *err);
LW_API void lw_study_desc_free(lw_study_desc *d);

#ifdef __cplusplus
}
#endif
#endif
