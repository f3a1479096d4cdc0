/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c -- linkwork bench solvers: the comparison of [Serban1997] section 5 on this machine.
   Every method starts from the same Phi, M, Q and gamma and computes accelerations and multipliers.
   The methods take turns, and the best of many turns counts, so that ratios are reliable on a busy
   machine too. */
#include "bench_models.h"
#include "linkwork/file.h"
#include "linkwork/solvers.h"
#include "output.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const cli_option options[] = {{"quick", 0, NULL, "only a few repetitions: a quick check"},
                                     JSON_OPTION,
                                     {.value = "solvers [MODEL]"}};

/* Keeps freed memory for KLU, which allocates its factors anew each time: no pages are returned to
   the system between two solutions. */
static void keep_memory(void)
{
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 24);
  mallopt(M_TRIM_THRESHOLD, 1 << 29);
#endif
}

/* ---- what is measured ---- */

typedef enum { BAD, GOOD, NNUMBERING } numbering;
static const char *const numbering_names[] = {"bad", "good"};

typedef struct {
  const char *name, *key;
  const bench_model *source;
  double
      published; /* time of the sparse augmented method divided by that of the best reduced one */
  lw_model *m;
  lw_work *w;
  double *q, *u;
  lw_joint_orders orders;
  lw_order_method bad; /* the one of most work */
  lw_solver *solver[LW_SOLVER_METHODS][NNUMBERING];
  int batch[LW_SOLVER_METHODS][NNUMBERING];
  double best[LW_SOLVER_METHODS][NNUMBERING]; /* seconds; HUGE_VAL: not measured */
  double difference; /* largest relative difference of accelerations from the first method */
} mechanism;

static int fail(const cli_args *a, const mechanism *x, const lw_error *err)
{
  const bool named = strstr(err->text, x->name); /* file and line */
  print_message("linkwork bench %s: %s%s%s", a->model, named ? "" : x->name, named ? "" : ": ",
                err->text);
  return CLI_FAILED;
}

static lw_order_method find_worst(const lw_joint_orders *o)
{
  int worst = 0;
  for (int i = 1; i < LW_ORDER_METHODS; i++)
    if (o->cost[i].work > o->cost[worst].work) worst = i;
  return (lw_order_method)worst;
}

/* A dense matrix, or a band by a bad numbering, so large that factoring it once takes longer than
   all other methods together. */
static bool is_too_large(const mechanism *x, int i, int n)
{
  enum { MOST_DENSE = 3000 };
  if (n == BAD && (i == LW_SOLVER_BAND || i == LW_SOLVER_ENVELOPE) && x->orders.rows > MOST_DENSE)
    return true;
  const bool augmented = i == LW_SOLVER_AUGMENTED_SYMMETRIC || i == LW_SOLVER_AUGMENTED_LU;
  const bool dense = augmented || i == LW_SOLVER_CHOLESKY || i == LW_SOLVER_LU;
  return dense && x->orders.rows + (augmented ? 7 * lw_nbody(x->m) : 0) > MOST_DENSE;
}

static lw_status load(mechanism *x, lw_error *err)
{
  lw_spec *spec = x->source ? lw_spec_parse(x->source->text, x->source->length, x->key, err)
                            : lw_spec_load(x->key, err);
  x->m = spec ? lw_compile(spec, err) : NULL;
  lw_spec_free(spec);
  if (!x->m) return err->status;
  x->w = lw_work_new(x->m);
  x->q = malloc(((size_t)lw_nq(x->m) + 1) * sizeof *x->q);
  x->u = malloc(((size_t)lw_nu(x->m) + 1) * sizeof *x->u);
  if (!x->w || !x->q || !x->u) return LW_E_MEMORY;
  lw_initial_state(x->m, x->q, x->u);
  lw_status status = lw_close_loops(x->w, 0, x->q, x->u, err);
  if (status == LW_OK) status = lw_joint_orders_of(x->m, &x->orders);
  x->bad = find_worst(&x->orders);
  for (int i = 0; i < LW_SOLVER_METHODS && status == LW_OK; i++)
    for (int n = 0; n < NNUMBERING && status == LW_OK; n++) {
      x->best[i][n] = HUGE_VAL;
      if (n == BAD && !lw_get_solver_method((lw_solver_method)i).numbered) continue;
      if (is_too_large(x, i, n)) continue;
      lw_error why = {0};
      x->solver[i][n] = lw_solver_new(x->w, 0, x->q, x->u, (lw_solver_method)i,
                                      n == BAD ? x->bad : LW_ORDER_METHODS, &why);
      if (x->solver[i][n] || (!x->source && i > 0 && why.status == LW_E_UNSUPPORTED)) continue;
      *err = why;
      status = why.status;
    }
  return status;
}

static void unload(mechanism *x)
{
  for (int i = 0; i < LW_SOLVER_METHODS; i++)
    for (int n = 0; n < NNUMBERING; n++)
      lw_solver_free(x->solver[i][n]);
  free(x->q);
  free(x->u);
  lw_work_free(x->w);
  lw_model_free(x->m);
}

static lw_status run_batch(mechanism *x, int i, int n)
{
  const double start = wall_clock();
  const lw_status status = lw_solver_run(x->solver[i][n], x->batch[i][n]);
  x->best[i][n] = fmin(x->best[i][n], (wall_clock() - start) / x->batch[i][n]);
  return status;
}

/* First turn: how many solutions take three milliseconds, and whether the result agrees with the
   first method. */
static lw_status warm_up(mechanism *x, int i, int n)
{
  lw_solver *s = x->solver[i][n];
  lw_status status = lw_solver_run(s, 1); /* the first one may be special */
  x->batch[i][n] = 1;
  if (status == LW_OK) status = run_batch(x, i, n);
  if (status == LW_OK && x->best[i][n] < 1e-4) {
    x->batch[i][n] = 20;
    status = run_batch(x, i, n);
  }
  x->batch[i][n] = 1 + (int)(3e-3 / (x->best[i][n] + 1e-9));
  const double *a = lw_solver_get_solution(s).accelerations,
               *b = lw_solver_get_solution(x->solver[0][GOOD]).accelerations;
  double size = 0, worst = 0;
  for (int k = 0; k < lw_solver_get_solution(s).naccelerations; k++) {
    size = fmax(size, fabs(b[k]));
    worst = fmax(worst, fabs(a[k] - b[k]));
  }
  /* redundant equations that a method does not notice */
  if (!x->source && i > 0 && !(worst <= 1e-6 * size)) return LW_E_SINGULAR;
  if (size > 0) x->difference = fmax(x->difference, worst / size);
  return status;
}

/* A solver that cannot solve the user's model, as where equations are redundant. */
static void leave_out(mechanism *x, int i, int n)
{
  lw_solver_free(x->solver[i][n]);
  x->solver[i][n] = NULL;
  x->best[i][n] = HUGE_VAL;
}

/* As many turns as are asked for, as long as the time allows it; the first one always. */
/* how far it is: mechanism `done` of `of` */
typedef struct {
  progress bar;
  int done, of;
} advance;

static lw_status measure(mechanism *x, int turns, double seconds, advance *far)
{
  const double start = wall_clock();
  lw_status status = lw_solver_run(x->solver[0][GOOD], 1);
  for (int turn = -1; turn < turns && status == LW_OK && wall_clock() - start < seconds; turn++)
    for (int i = 0; i < LW_SOLVER_METHODS; i++) {
      const double part = (turn + 1 + (double)i / LW_SOLVER_METHODS) / (turns + 1);
      progress_show(&far->bar,
                    (far->done + fmax(part, (wall_clock() - start) / seconds)) / far->of);
      for (int n = 0; n < NNUMBERING && status == LW_OK; n++)
        if (x->solver[i][n]) {
          status = turn < 0 ? warm_up(x, i, n) : run_batch(x, i, n);
          if (status != LW_OK && status != LW_E_MEMORY && turn < 0 && !x->source && i > 0) {
            leave_out(x, i, n);
            status = LW_OK;
          }
        }
    }
  return status;
}

/* ---- what is printed ---- */

static int size_of(const mechanism *x, lw_solver_method i)
{
  return lw_solver_get_solution(x->solver[i][GOOD]).size;
}

static void print_time(double seconds)
{
  if (isfinite(seconds))
    printf("%11.3f", 1e6 * seconds);
  else
    printf("%11s", "");
}

static void print_reduced(const mechanism *x, int table)
{
  const int n = size_of(x, LW_SOLVER_SPARSE);
  printf("Table %d. %s: reduced system, %d x %d, microseconds\n", table, x->name, n, n);
  printf("  %-42s%11s%11s\n", "joint numbering", numbering_names[BAD], numbering_names[GOOD]);
  for (int i = LW_SOLVER_METHODS - 1; i >= 0; i--) {
    if (lw_get_solver_method((lw_solver_method)i).augmented || !x->solver[i][GOOD]) continue;
    printf("  %-42s", lw_get_solver_method((lw_solver_method)i).text);
    for (int k = 0; k < NNUMBERING; k++)
      print_time(x->best[i][k]);
    printf("\n");
  }
  printf("  bad: %s\n\n", lw_order_method_name(x->bad));
}

static double best_of(const mechanism *x, lw_solver_method i)
{
  return x->best[i][GOOD];
}

static void print_row(const mechanism *x, lw_solver_method i)
{
  if (!x->solver[i][GOOD]) {
    printf("  %-9s %-40s %s\n", lw_get_solver_method(i).augmented ? "augmented" : "reduced",
           lw_get_solver_method(i).text,
           is_too_large(x, (int)i, GOOD) ? "left out: the matrix is large"
                                         : "cannot solve this model");
    return;
  }
  printf("  %-9s %-40s %5d", lw_get_solver_method(i).augmented ? "augmented" : "reduced",
         lw_get_solver_method(i).text, size_of(x, i));
  print_time(best_of(x, i));
  printf("%10.2f\n", best_of(x, i) / best_of(x, LW_SOLVER_SPARSE));
}

static void print_comparison(const mechanism *x, int table)
{
  const double sparse = best_of(x, LW_SOLVER_AUGMENTED_KLU);
  printf("Table %d. %s: accelerations and multipliers, microseconds\n", table, x->name);
  printf("  %-9s %-40s %5s%11s%10s\n", "system", "method", "n", "time", "ratio");
  for (int i = LW_SOLVER_METHODS - 1; i >= 0; i--)
    print_row(x, (lw_solver_method)i);
  if (!x->source) {
    if (isfinite(sparse) && isfinite(best_of(x, LW_SOLVER_BAND)))
      printf("  sparse augmented over reduced: %.2f by linkwork, %.2f by LAPACK's band Cholesky\n",
             sparse / best_of(x, LW_SOLVER_SPARSE), sparse / best_of(x, LW_SOLVER_BAND));
    printf("  accelerations agree to %.1e\n\n", x->difference);
    return;
  }
  printf("  sparse augmented over reduced: %.2f by linkwork, %.2f by LAPACK's band Cholesky; "
         "published "
         "%.2f\n"
         "  accelerations agree to %.1e\n\n",
         sparse / best_of(x, LW_SOLVER_SPARSE), sparse / best_of(x, LW_SOLVER_BAND), x->published,
         x->difference);
}

static void json_solver(json *j, const mechanism *x, int i)
{
  const lw_solver_method method = (lw_solver_method)i;
  json_object(j, NULL);
  json_text(j, "solver", lw_solver_method_name(method));
  json_text(j, "system", lw_get_solver_method(method).augmented ? "augmented" : "reduced");
  json_bool(j, "available", x->solver[i][GOOD] != NULL);
  if (!x->solver[i][GOOD]) {
    json_object_end(j);
    return;
  }
  json_integer(j, "size", size_of(x, method));
  if (lw_get_solver_method(method).numbered)
    json_number(j, "bad_numbering_seconds",
                isfinite(x->best[i][BAD]) ? x->best[i][BAD] : x->best[i][GOOD]);
  json_number(j, "seconds", x->best[i][GOOD]);
  json_number(j, "ratio", x->best[i][GOOD] / best_of(x, LW_SOLVER_SPARSE));
  json_object_end(j);
}

static void json_mechanism(json *j, const mechanism *x)
{
  json_object(j, x->key);
  json_text(j, "name", x->name);
  json_text(j, "bad_numbering", lw_order_method_name(x->bad));
  json_number(j, "least_work", x->orders.cost[LW_ORDER_SEARCH].work);
  json_list(j, "solvers");
  for (int i = 0; i < LW_SOLVER_METHODS; i++)
    json_solver(j, x, i);
  json_list_end(j);
  if (x->solver[LW_SOLVER_AUGMENTED_KLU][GOOD])
    json_number(j, "speedup", best_of(x, LW_SOLVER_AUGMENTED_KLU) / best_of(x, LW_SOLVER_SPARSE));
  if (x->solver[LW_SOLVER_AUGMENTED_KLU][GOOD] && x->solver[LW_SOLVER_BAND][GOOD])
    json_number(j, "band_speedup",
                best_of(x, LW_SOLVER_AUGMENTED_KLU) / best_of(x, LW_SOLVER_BAND));
  if (x->source) json_number(j, "published_speedup", x->published);
  json_number(j, "difference", x->difference);
  json_object_end(j);
}

static bool print_json(const mechanism x[], int n)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  for (int i = 0; i < n; i++)
    json_mechanism(&j, &x[i]);
  json_object_end(&j);
  return json_finish(&j);
}

/* ---- the verb ---- */

static int bench(const cli_args *a)
{
  if (strcmp(a->model, "solvers") != 0)
    return usage_error(a->verb, "there is no benchmark \"%s\": write linkwork bench solvers",
                       a->model);
  const char *given = a->nmore > 0 ? a->more[0] : NULL;
  mechanism own = {.name = given, .key = given};
  mechanism shipped[] = {
      {.name = "seven-body mechanism",
       .key = "squeezer",
       .source = &bench_squeezer,
       .published = 5.59},
      {.name = "14-body vehicle", .key = "hmmwv", .source = &bench_hmmwv, .published = 4.11}};
  mechanism *x = given ? &own : shipped;
  const int n = given ? 1 : (int)(sizeof shipped / sizeof *shipped);
  const bool quick = args_has(a, "quick");
  int status = CLI_DONE;
  advance far = {.bar = progress_start(true), .of = n};
  keep_memory();
  for (int i = 0; i < n && status == CLI_DONE; i++) {
    lw_error err = {0};
    far.done = i;
    lw_status done = load(&x[i], &err);
    if (done == LW_OK) done = measure(&x[i], quick ? 2 : 60, quick ? 2 : 20, &far);
    if (done != LW_OK && !err.text[0])
      snprintf(err.text, sizeof err.text, "%s", lw_status_text(done));
    if (done != LW_OK) progress_end(&far.bar), status = fail(a, &x[i], &err);
  }
  progress_end(&far.bar);
  if (status == CLI_DONE && args_has(a, "json")) {
    status = print_json(x, n) ? CLI_DONE : out_of_memory(a);
  } else if (status == CLI_DONE) {
    print_reduced(&x[0], 1);
    print_comparison(&x[0], 2);
    if (n > 1) print_comparison(&x[1], 3);
  }
  for (int i = 0; i < n; i++)
    unload(&x[i]);
  return status;
}

const cli_verb verb_bench = {"bench", "Compares methods to solve the same linear systems.",
                             "linkwork bench solvers models/double-wishbone.yaml", options, bench};
