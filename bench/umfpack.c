/* SPDX-License-Identifier: Apache-2.0 */
/* umfpack.c -- the augmented systems of `linkwork bench solvers` by UMFPACK beside KLU and
   linkwork's reduced system: microseconds from Phi, M, Q and gamma to a solution.

     umfpack [--quick] [--json FILE] [--commit ID]

   UMFPACK analyses once and factors each time, with each of its strategies, without scaling and
   refinement: quickest.  It gets the same matrix as KLU, formed anew each time; that its solution
   is not turned into angular accelerations is in its favour.  Ways take turns in rounds of two
   milliseconds of processor time; the best round counts.  A program on its own, since UMFPACK's
   licence is the GPL. */
#include "linkwork/linkwork.h"
#include "linkwork/solvers.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* One thread; not every BLAS is OpenBLAS.  Freed memory is kept by the process, since UMFPACK and
   KLU allocate their factors each time. */
__attribute__((weak)) void openblas_set_num_threads(int n);
static void be_fair(void)
{
  if (openblas_set_num_threads) openblas_set_num_threads(1);
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 24);
  mallopt(M_TRIM_THRESHOLD, 1 << 29);
#endif
}

typedef enum { AUTO, SYMMETRIC, UNSYMMETRIC, KLU, REDUCED, NWAY } way;
static const char *const way_names[NWAY] = {"UMFPACK, strategy auto", "UMFPACK, symmetric",
                                            "UMFPACK, unsymmetric", "augmented-klu",
                                            "reduced-sparse"};
static const int strategies[] = {[AUTO] = UMFPACK_STRATEGY_AUTO,
                                 [SYMMETRIC] = UMFPACK_STRATEGY_SYMMETRIC,
                                 [UNSYMMETRIC] = UMFPACK_STRATEGY_UNSYMMETRIC};

typedef struct {
  const char *name;
  lw_model *m;
  lw_work *w;
  double *q, *u;
  lw_solver *solver[NWAY]; /* of UMFPACK: what forms the matrix */
  void *symbolic[KLU];
  double control[KLU][UMFPACK_CONTROL];
  double *x, *room; /* [n], [5 n] */
  int *index;       /* [n] */
  double best[NWAY];
} bench_case;

/* ---- make ---- */

static bool load(bench_case *c, lw_error *err)
{
  char path[1000];
  snprintf(path, sizeof path, "%s/%s.yaml", BENCH_MODELS, c->name);
  lw_spec *spec = lw_spec_load(path, err);
  c->m = spec ? lw_compile(spec, err) : NULL;
  lw_spec_free(spec);
  c->w = c->m ? lw_work_new(c->m) : NULL;
  if (!c->w) return false;
  c->q = malloc(((size_t)lw_nq(c->m) + 1) * sizeof *c->q);
  c->u = malloc(((size_t)lw_nu(c->m) + 1) * sizeof *c->u);
  if (!c->q || !c->u) return false;
  lw_initial_state(c->m, c->q, c->u);
  return lw_close_loops(c->w, 0, c->q, c->u, err) == LW_OK;
}

static bool analyse(bench_case *c, way i)
{
  lw_sparse_system s;
  double *control = c->control[i];
  if (lw_solver_get_system(c->solver[i], &s) != LW_OK) return false;
  umfpack_di_defaults(control);
  control[UMFPACK_STRATEGY] = strategies[i];
  control[UMFPACK_SCALE] = UMFPACK_SCALE_NONE;
  control[UMFPACK_IRSTEP] = 0;
  return umfpack_di_symbolic(s.n, s.n, s.column_start, s.row, s.value, &c->symbolic[i], control,
                             NULL) == UMFPACK_OK;
}

static bool plan(bench_case *c, lw_error *err)
{
  for (int i = 0; i < NWAY; i++) {
    c->best[i] = HUGE_VAL;
    c->solver[i] = lw_solver_new(c->w, 0, c->q, c->u,
                                 i == REDUCED ? LW_SOLVER_SPARSE : LW_SOLVER_AUGMENTED_KLU,
                                 LW_ORDER_METHODS, err);
    if (!c->solver[i] || (i < KLU && !analyse(c, (way)i))) return false;
  }
  const size_t n = (size_t)lw_solver_get_solution(c->solver[KLU]).size;
  c->x = malloc(6 * n * sizeof *c->x);
  c->room = c->x ? c->x + n : NULL;
  c->index = malloc(n * sizeof *c->index);
  return c->x && c->index;
}

static void unload(bench_case *c)
{
  for (int i = 0; i < NWAY; i++)
    lw_solver_free(c->solver[i]);
  for (int i = 0; i < KLU; i++)
    if (c->symbolic[i]) umfpack_di_free_symbolic(&c->symbolic[i]);
  free(c->x);
  free(c->index);
  free(c->q);
  free(c->u);
  lw_work_free(c->w);
  lw_model_free(c->m);
}

/* ---- measure ---- */

static bool solve_umfpack(bench_case *c, way i)
{
  lw_sparse_system s;
  void *numeric = NULL;
  bool ok = lw_solver_get_system(c->solver[i], &s) == LW_OK &&
            umfpack_di_numeric(s.column_start, s.row, s.value, c->symbolic[i], &numeric,
                               c->control[i], NULL) == UMFPACK_OK;
  ok = ok && umfpack_di_wsolve(UMFPACK_A, s.column_start, s.row, s.value, c->x, s.right_side,
                               numeric, c->control[i], NULL, c->index, c->room) == UMFPACK_OK;
  if (numeric) umfpack_di_free_numeric(&numeric);
  return ok;
}

static bool run(bench_case *c, way i, int times)
{
  const double start = measure_now();
  bool ok = true;
  if (i >= KLU)
    ok = lw_solver_run(c->solver[i], times) == LW_OK;
  else
    for (int k = 0; k < times && ok; k++)
      ok = solve_umfpack(c, i);
  c->best[i] = fmin(c->best[i], (measure_now() - start) / times);
  return ok;
}

/* of the multipliers, relative: how far UMFPACK is from the reduced system */
static double difference(const bench_case *c)
{
  const lw_solver *s = c->solver[REDUCED];
  const int na = lw_solver_get_solution(s).naccelerations,
            nl = lw_solver_get_solution(s).nmultipliers;
  const bool planar = lw_solver_get_solution(c->solver[KLU]).size == na + nl;
  const double *lambda = lw_solver_get_solution(s).multipliers,
               *x = c->x + (planar ? na : na / 6 * 7);
  double most = 0, size = 0;
  for (int i = 0; i < nl; i++) {
    most = fmax(most, fabs(x[i] - lambda[i]));
    size = fmax(size, fabs(lambda[i]));
  }
  return most / size;
}

static bool measure(bench_case *c, int rounds, double *off)
{
  bool ok = run(c, REDUCED, 1) && run(c, KLU, 1);
  for (int i = 0; i < KLU && ok; i++) {
    ok = run(c, (way)i, 1);
    *off = fmax(*off, difference(c));
  }
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < NWAY && ok; i++)
      ok = run(c, (way)i, 1 + (int)(2e-3 / (c->best[i] + 1e-7)));
  return ok && *off < 1e-9;
}

static void print(const bench_case *c, FILE *json, double off)
{
  for (int i = 0; i < NWAY; i++) {
    const double us = 1e6 * c->best[i];
    printf("%-9s %-24s %11.3f %10.2f %10.2f\n", c->name, way_names[i], us,
           c->best[i] / c->best[KLU], c->best[i] / c->best[REDUCED]);
    if (json)
      fprintf(json, "{\"model\": \"%s\", \"solver\": \"%s\", \"us\": %.4g}\n", c->name,
              way_names[i], us);
  }
  printf("%-9s multipliers agree to %.1e\n", c->name, off);
}

int main(int argc, char **argv)
{
  static const char *const names[] = {"squeezer", "hmmwv"};
  measure_run arguments;
  bool ok = true;
  if (!measure_start(&arguments, "umfpack", argc, argv)) return 2;
  be_fair();
  printf("%-9s %-24s %11s %10s %10s\n", "model", "way", "us", "of KLU's", "of reduced");
  for (int i = 0; i < 2; i++) {
    bench_case c = {.name = names[i]};
    lw_error err = {0};
    double off = 0;
    const bool fine =
        load(&c, &err) && plan(&c, &err) && measure(&c, arguments.quick ? 1 : 200, &off);
    if (fine)
      print(&c, arguments.json, off);
    else
      fprintf(stderr, "umfpack: %s: %s\n", c.name, err.text[0] ? err.text : "failed, or wrong");
    ok = ok && fine;
    unload(&c);
  }
  if (arguments.json) fclose(arguments.json);
  return ok ? 0 : 1;
}
