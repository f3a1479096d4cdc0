/* SPDX-License-Identifier: Apache-2.0 */
/* run_energy.h -- energies of a run, and whether they agree with the work:
   docs/theory/energy.md. */
#ifndef CLI_RUN_ENERGY_H
#define CLI_RUN_ENERGY_H
#include "verbs.h"

typedef struct {
  double kinetic, potential, total;
} run_energy;

typedef struct {
  long rows;
  run_energy start, now;
  double scale;              /* largest of kinetic and |potential| energy */
  lw_energy_balance balance; /* now */
  double error, largest;     /* of the balance: now, and the largest magnitude */
  /* errors larger than the tolerances explain: when first, and where the ratio is largest */
  double since, worst_time, worst_error, worst_explained;
  bool fixed_steps, stopped; /* stopped: the run failed, and its error is reported instead */
} run_energies;

/* A row, with the error of the balance at its state. */
lw_status run_energies_add(run_energies *e, const lw_simulation *sim, double t, run_energy now,
                           double error);
void run_energies_warn(const cli_args *a, const run_energies *e);
void run_energies_print(const run_energies *e);
void run_energies_json(json *j, const run_energies *e);

#endif
