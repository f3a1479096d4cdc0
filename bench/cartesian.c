/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian.c -- what an evaluation of the Cartesian form costs beside its linear solution: microseconds.

     cartesian [--quick] [--json FILE] [--commit ID]

   whole     as runs call it: bodies placed, dependent coordinates and speeds recovered by coordinate partitioning, equations
             of motion assembled, solved, refined and checked, accelerations of the joints
   motion    the same without recovering: lw_cartesian_forward_dynamics
   solve     accelerations and multipliers from Phi, M, Q and gamma
   klu       the same from the augmented system by KLU with pivoting
   tree      whole evaluations by the tree formulation
   Ways take turns in rounds of two milliseconds of processor time; the best round counts. */
#include "linkwork/cartesian.h"
#include "linkwork/linkwork.h"
#include "linkwork/solvers.h"
#include "measure.h"
#include "sim/formulation/formulation.h"

#include <math.h>
#include <stdlib.h>

typedef enum { WHOLE, MOTION, SOLVE, KLU, TREE, NWAY } way;
static const char *const way_names[NWAY] = {"whole", "motion", "solve", "klu", "tree"};

typedef struct {
  const char *name;
  lw_model *m;
  lw_dynamics *d[2]; /* cartesian, tree */
  lw_cartesian *c;
  lw_solver *solver[2]; /* reduced-sparse, augmented-klu */
  lw_work *w;
  double *q, *u, *udot, *moved;
  double best[NWAY];
} bench_case;

static bool open_ways(bench_case *c, lw_error *err)
{
  static const lw_formulation formulation[2] = {LW_FORMULATION_CARTESIAN, LW_FORMULATION_TREE};
  static const lw_solver_method method[2] = {LW_SOLVER_SPARSE, LW_SOLVER_AUGMENTED_KLU};
  c->c = lw_cartesian_new(c->m, NULL, err);
  for (int i = 0; i < 2; i++) {
    const lw_simulation_options o = {.formulation = formulation[i]};
    double weakest;
    c->d[i] = lw_dynamics_new(c->m, &o, err);
    c->solver[i] = lw_solver_new(c->w, 0, c->q, c->u, method[i], LW_ORDER_METHODS, err);
    if (!c->d[i] || !c->solver[i] || c->d[i]->method->update_rank(c->d[i], 0, c->q, c->u, &weakest))
      return false;
  }
  return c->c != NULL;
}

static bool load(bench_case *c, lw_error *err)
{
  char path[1000];
  snprintf(path, sizeof path, "%s/%s.yaml", BENCH_MODELS, c->name);
  lw_spec *spec = lw_spec_load(path, err);
  c->m = spec ? lw_compile(spec, err) : NULL;
  lw_spec_free(spec);
  c->w = c->m ? lw_work_new(c->m) : NULL;
  if (!c->w) return false;
  const size_t nq = (size_t)lw_nq(c->m), nu = (size_t)lw_nu(c->m);
  c->q = malloc((nq + 3 * nu + 1) * sizeof *c->q);
  if (!c->q) return false;
  c->u = c->q + nq;
  c->udot = c->u + nu;
  c->moved = c->udot + nu;
  for (int i = 0; i < NWAY; i++)
    c->best[i] = HUGE_VAL;
  lw_initial_state(c->m, c->q, c->u);
  return lw_close_loops(c->w, 0, c->q, c->u, err) == LW_OK && open_ways(c, err);
}

static void unload(bench_case *c)
{
  for (int i = 0; i < 2; i++) {
    lw_dynamics_free(c->d[i]);
    lw_solver_free(c->solver[i]);
  }
  lw_cartesian_free(c->c);
  lw_work_free(c->w);
  lw_model_free(c->m);
  free(c->q);
}

static lw_status evaluate(bench_case *c, way i)
{
  switch (i) {
  case MOTION: return lw_cartesian_forward_dynamics(c->c, c->w, 0, c->q, c->u, NULL, c->udot);
  case SOLVE: return lw_solver_run(c->solver[0], 1);
  case KLU: return lw_solver_run(c->solver[1], 1);
  default: {
    lw_dynamics *d = c->d[i == TREE];
    return d->method->stabilized(d, 0, c->q, c->u, 1, c->udot, c->moved);
  }
  }
}

static lw_status run_round(bench_case *c, way i, double seconds)
{
  lw_status status = LW_OK;
  int n = 0;
  double passed = 0;
  const double start = measure_now();
  do {
    for (int k = 0; k < 20 && status == LW_OK; k++)
      status = evaluate(c, i);
    n += 20;
    passed = measure_now() - start;
  } while (status == LW_OK && passed < seconds);
  c->best[i] = fmin(c->best[i], passed / n);
  return status;
}

static void report(const bench_case *c, FILE *json)
{
  printf("%-10s", c->name);
  for (int i = 0; i < NWAY; i++)
    printf("  %s %.3f", way_names[i], 1e6 * c->best[i]);
  printf("  whole/solve %.2f  klu/solve %.2f\n", c->best[WHOLE] / c->best[SOLVE],
         c->best[KLU] / c->best[SOLVE]);
  if (!json) return;
  fprintf(json, "{\"model\": \"%s\"", c->name);
  for (int i = 0; i < NWAY; i++)
    fprintf(json, ", \"%s\": %.6g", way_names[i], c->best[i]);
  fprintf(json, "}\n");
}

int main(int argc, char **argv)
{
  measure_run run;
  if (!measure_start(&run, "cartesian", argc, argv)) return 2;
  bench_case cases[] = {{.name = "four-bar"}, {.name = "squeezer"}, {.name = "hmmwv"}};
  int failed = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !failed; k++) {
    lw_error err = {0};
    failed = !load(&cases[k], &err);
    for (int round = 0; round < (run.quick ? 2 : 200) && !failed; round++)
      for (int i = 0; i < NWAY && !failed; i++)
        failed = run_round(&cases[k], (way)i, run.quick ? 1e-4 : 2e-3) != LW_OK;
    if (failed)
      fprintf(stderr, "%s: %s\n", cases[k].name, err.text);
    else
      report(&cases[k], run.json);
    unload(&cases[k]);
  }
  if (run.json) fclose(run.json);
  return failed;
}
