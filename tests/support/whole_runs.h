/* SPDX-License-Identifier: Apache-2.0 */
/* whole_runs.h -- objectives of whole runs and their derivatives, from nothing but results of runs: integrals by
   quadrature, peaks from interpolated rows, derivatives from runs of models that were compiled with other
   parameters. */
#ifndef WHOLE_RUNS_H
#define WHOLE_RUNS_H
#include "linkwork/file.h"
#include "linkwork/simulate.h"
#include "linkwork/sensitivity.h"

#include <stdbool.h>
#include <stdint.h>

enum { RUN_OBJECTIVES = 8 };

/* a X^2 + b Y P + c t, of columns X and Y and a parameter P */
typedef struct {
  lw_objective_kind kind;
  const char *x, *y, *p;
  double a, b, c;
} run_objective;

typedef struct {
  const char *text; /* a model file */
  int n;
  run_objective objective[RUN_OBJECTIVES];
} run_subject;

/* The model with a parameter shifted; parameter NULL: as written.  Fails the test if there is none. */
lw_model *run_model(const run_subject *s, const char *parameter, double shift);
/* Objectives of the run to its own end; *events tells runs with other events apart.  false: it cannot be run. */
bool run_objectives(const run_subject *s, const lw_model *m, double value[], uint64_t *events);
/* Derivatives by a parameter and what they may be off.  false: runs beside have other events than the run itself. */
bool run_derivatives(const run_subject *s, uint64_t events, const char *parameter, double h,
                     double d[], double error[]);

#endif
