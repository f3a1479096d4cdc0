/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c -- linkwork beside other engines: the same mechanisms, the same states, one run.

     compare [--quick] [--seconds S] [--json FILE] [--commit ID] [--only MECHANISM]

   The machine's speed changes while this runs, so the engines take turns in short rounds, and the
   ratio is the median over the rounds of (engine's time / linkwork's time in the same round).
   Every result is compared with quadruple precision.  An engine whose error is above 1e-9 is marked
   with !, above 1e-6 it is called WRONG and has no ratio. */
#include "measure.h"
#include "peer.h"
#include "truth.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const peer *const engines[] = {
    &peer_linkwork, &peer_linkwork_plain, &peer_linkwork_rows,
#ifdef BENCH_MUJOCO
    &peer_mujoco,   &peer_mujoco_dense,
#endif
#ifdef BENCH_SIMBODY
    &peer_simbody,
#endif
#ifdef BENCH_KDL
    &peer_kdl,
#endif
#ifdef BENCH_DART
    &peer_dart,
#endif
#ifdef BENCH_BULLET
    &peer_bullet,
#endif
};
enum { NENGINE = sizeof engines / sizeof *engines, MAX_ROUNDS = 400, MAX_STATES = 64 };

static const char *const task_names[NTASK] = {"inverse dynamics", "mass matrix",
                                              "forward dynamics"};
/* of the largest error, relative to the largest element of the true result */
static const double inexact = 1e-9, wrong = 1e-6;

typedef struct {
  double seconds; /* for each engine and row */
  int min_rounds;
  int max_bodies;
  const char *only; /* NULL: all */
  const char *commit;
  FILE *json; /* NULL: none */
} options;

/* one engine in one row of the table */
typedef struct {
  const peer *engine;
  void *self; /* NULL: does not offer this */
  int calls;  /* in a round */
  int next;   /* state: never the one of the call before, whose results might be kept */
  double error;
  int nround;              /* slow engines sit most rounds out */
  double time[MAX_ROUNDS]; /* seconds a call */
  double to_linkwork[MAX_ROUNDS];
  double min, median, ratio;
} entry;

typedef struct {
  const mechanism *m;
  peer_task task;
  int nstate;
  entry entries[NENGINE];
  double empty; /* seconds a call that does nothing */
} row;

/* ---- correctness ---- */

static bool find_truth(const row *r, const mechanism_state *s, double out[])
{
  switch (r->task) {
  case INVERSE_DYNAMICS: return truth_inverse_dynamics(r->m, s, out);
  case MASS_MATRIX: return truth_mass_matrix(r->m, s, out);
  default: return truth_forward_dynamics(r->m, s, out);
  }
}

static double relative_error(const double x[], const double truth[], size_t n)
{
  double error = 0, scale = 0;
  for (size_t i = 0; i < n; i++) {
    const double e = fabs(x[i] - truth[i]);
    error = e > error || isnan(e) ? e : error;
    scale = fmax(scale, fabs(truth[i]));
    if (isnan(error)) return INFINITY;
  }
  return error / scale;
}

/* worst error over the first states; false: out of memory */
static bool check(row *r, const mechanism_state states[])
{
  const size_t nu = (size_t)r->m->nu, n = r->task == MASS_MATRIX ? nu * nu : nu;
  double *truth = malloc(n * sizeof *truth), *x = malloc(n * sizeof *x);
  bool fine = truth && x;
  for (int k = 0; fine && k < 3; k++) {
    fine = find_truth(r, &states[k], truth);
    for (int i = 0; fine && i < NENGINE; i++) {
      entry *e = &r->entries[i];
      if (!e->self) continue;
      /* another state first: nothing may be left over from it */
      e->engine->run[r->task](e->self, k + 1);
      e->engine->run[r->task](e->self, k);
      e->engine->get[r->task](e->self, k, x);
      e->next = k + 1;
      e->error = fmax(e->error, relative_error(x, truth, n));
    }
  }
  free(truth);
  free(x);
  return fine;
}

/* ---- timing ---- */

static void run_once(const row *r, entry *e)
{
  e->engine->run[r->task](e->self, e->next);
  e->next = e->next + 1 == r->nstate ? 0 : e->next + 1;
}

/* seconds a call, after one that warms the caches */
static double time_calls(const row *r, entry *e)
{
  run_once(r, e);
  const double start = measure_now();
  for (int i = 0; i < e->calls; i++)
    run_once(r, e);
  return (measure_now() - start) / e->calls;
}

/* as many calls as take about two milliseconds, at least one; as many rounds as there is time
   for */
static void calibrate(const row *r, entry *e, const options *o)
{
  double time = 0;
  for (e->calls = 1; e->calls < 1 << 20; e->calls *= 2) {
    time = time_calls(r, e);
    if (time * e->calls > 1e-3) break;
  }
  e->calls = (int)fmax(1, fmin(2e-3 / time, 1e6));
  e->nround = (int)fmax(o->min_rounds, fmin(o->seconds / (time * e->calls), MAX_ROUNDS));
}

static bool takes_part(const entry *e, int round, int nround)
{
  return e->self && (round + 1) * e->nround / nround > round * e->nround / nround;
}

/* Engines in turn, beginning with another one each round.  An engine with fewer rounds takes part
   in evenly spaced ones. */
static void time_rounds(row *r, const options *o)
{
  int nround = 0, done[NENGINE] = {0};
  for (int i = 0; i < NENGINE; i++)
    if (r->entries[i].self) {
      calibrate(r, &r->entries[i], o);
      if (r->entries[i].nround > nround) nround = r->entries[i].nround;
    }
  r->entries[0].nround = nround; /* linkwork, which all others are compared with */
  for (int round = 0; round < nround; round++) {
    double now[NENGINE];
    for (int turn = 0; turn < NENGINE; turn++) {
      const int i = (turn + round) % NENGINE;
      now[i] = takes_part(&r->entries[i], round, nround) ? time_calls(r, &r->entries[i]) : 0;
    }
    for (int i = 0; i < NENGINE; i++)
      if (now[i] > 0) {
        r->entries[i].to_linkwork[done[i]] = now[0] > 0 ? now[i] / now[0] : (double)NAN;
        r->entries[i].time[done[i]++] = now[i];
      }
  }
}

static void summarise(row *r)
{
  for (int i = 0; i < NENGINE; i++) {
    entry *e = &r->entries[i];
    if (!e->self) continue;
    e->ratio = measure_median(e->to_linkwork, e->nround);
    e->min = measure_min(e->time, e->nround);
    e->median = measure_median(e->time, e->nround);
  }
}

static void do_nothing(void *self, int k)
{
  *(volatile int *)self = k;
}

static void time_empty_pass(row *r)
{
  static const peer empty = {.name = "empty", .run = {do_nothing, do_nothing, do_nothing}};
  int sink = 0;
  entry e = {.engine = &empty, .self = &sink, .calls = 100000};
  for (int k = 0; k < 5; k++)
    e.time[k] = time_calls(r, &e);
  r->empty = measure_min(e.time, 5);
}

/* ---- results ---- */

static const char *verdict(const entry *e)
{
  return e->error > wrong ? " WRONG" : e->error > inexact ? " !" : "";
}

static void print_row(const row *r)
{
  printf("\n%s, %s; an empty call takes %.4f us\n", r->m->name, task_names[r->task],
         1e6 * r->empty);
  printf("  %-14s %12s %12s %7s %9s %9s\n", "", "min us", "median us", "rounds", "ratio", "error");
  for (int i = 0; i < NENGINE; i++) {
    const entry *e = &r->entries[i];
    if (e->self)
      printf("  %-14s %12.3f %12.3f %7d %9.2f %9.1e%s\n", e->engine->name, 1e6 * e->min,
             1e6 * e->median, e->nround, e->ratio, e->error, verdict(e));
  }
  fflush(stdout);
}

static void print_json(FILE *out, const row *r)
{
  for (int i = 0; i < NENGINE; i++) {
    const entry *e = &r->entries[i];
    if (e->self)
      fprintf(out,
              "{\"mechanism\":\"%s\",\"bodies\":%d,\"freedoms\":%d,\"task\":\"%s\","
              "\"engine\":\"%s\",\"min_us\":%.6g,\"median_us\":%.6g,\"ratio\":%.4g,"
              "\"error\":%.3g,\"right\":%s,\"empty_us\":%.3g,\"rounds\":%d,\"calls\":%d}\n",
              r->m->name, r->m->nbody, r->m->nu, task_names[r->task], e->engine->name, 1e6 * e->min,
              1e6 * e->median, e->ratio, e->error, e->error > wrong ? "false" : "true",
              1e6 * r->empty, e->nround, e->calls);
  }
  fflush(out);
}

/* ratios only: a line a mechanism, a column an engine */
static void print_summary(const row rows[], int nrow, peer_task task)
{
  printf("\n%s: time / linkwork's time in the same round\n\n%-14s %12s", task_names[task], "",
         "linkwork us");
  for (int i = 1; i < NENGINE; i++)
    printf(" %13s", engines[i]->name);
  for (int n = 0; n < nrow; n++) {
    const row *r = &rows[n];
    if (r->task != task) continue;
    printf("\n%-14s %12.3f", r->m->name, 1e6 * r->entries[0].median);
    for (int i = 1; i < NENGINE; i++)
      if (!r->entries[i].self)
        printf(" %13s", "-");
      else if (r->entries[i].error > wrong)
        printf(" %13s", "WRONG");
      else
        printf(" %11.2f%-2s", r->entries[i].ratio, verdict(&r->entries[i]));
  }
  printf("\n");
}

/* ---- all of it ---- */

static bool measure_row(row *r, const mechanism *m, peer_task task, const options *o)
{
  *r = (row){.m = m, .task = task, .nstate = m->nbody <= 127 ? MAX_STATES : 8};
  mechanism_state *states = mechanism_states(m, r->nstate, 1);
  if (!states) return false;
  for (int i = 0; i < NENGINE; i++) {
    entry *e = &r->entries[i];
    e->engine = engines[i];
    e->self = e->engine->create(m, task, r->nstate);
    for (int k = 0; e->self && k < r->nstate; k++)
      e->engine->set_state(e->self, k, &states[k]);
  }
  const bool fine = check(r, states);
  if (fine) {
    time_empty_pass(r);
    time_rounds(r, o);
    summarise(r);
  }
  /* `self` stays as a mark of who took part */
  for (int i = 0; i < NENGINE; i++)
    if (r->entries[i].self) engines[i]->destroy(r->entries[i].self);
  free(states);
  return fine;
}

/* linkwork took part everywhere, and nobody is wrong */
static bool all_right(const row rows[], int nrow)
{
  for (int n = 0; n < nrow; n++)
    for (int i = 0; i < NENGINE; i++)
      if (rows[n].entries[i].self ? rows[n].entries[i].error > wrong : i == 0) return false;
  return true;
}

static bool read_options(options *o, int argc, char **argv)
{
  *o = (options){.seconds = 0.5, .min_rounds = 9, .max_bodies = 10000, .commit = ""};
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--quick") == 0) {
      o->seconds = 0;
      o->min_rounds = 1;
      o->max_bodies = 127;
      continue;
    }
    if (!value) return false;
    if (strcmp(argv[i], "--seconds") == 0)
      o->seconds = strtod(value, NULL);
    else if (strcmp(argv[i], "--json") == 0)
      o->json = fopen(value, "w");
    else if (strcmp(argv[i], "--commit") == 0)
      o->commit = value;
    else if (strcmp(argv[i], "--only") == 0)
      o->only = value;
    else
      return false;
    if (strcmp(argv[i], "--json") == 0 && !o->json) return false;
    i++;
  }
  return true;
}

static bool wanted(const mechanism *m, const options *o)
{
  return m->nbody <= o->max_bodies && (!o->only || strcmp(o->only, m->name) == 0);
}

static void print_head(const options *o)
{
  measure_environment(stdout, "compare", o->commit);
  if (o->json) measure_environment(o->json, "compare", o->commit);
  for (int i = 0; i < NENGINE; i++)
    printf("%-14s %s\n", engines[i]->name, engines[i]->note);
}

int main(int argc, char **argv)
{
  options o;
  if (!read_options(&o, argc, argv)) {
    fprintf(stderr, "usage: compare [--quick] [--seconds S] [--json FILE] [--commit ID] "
                    "[--only MECHANISM]\n");
    return 2;
  }
  mechanism *const mechanisms[] = {
      mechanism_chain(7),          mechanism_chain(30),       mechanism_chain(100),
      mechanism_chain(1000),       mechanism_binary_tree(15), mechanism_binary_tree(127),
      mechanism_binary_tree(1023), mechanism_humanoid(true),  mechanism_humanoid(false)};
  enum { NMECHANISM = sizeof mechanisms / sizeof *mechanisms };
  static row rows[NMECHANISM * NTASK];
  int nrow = 0;
  bool fine = true;

  print_head(&o);
  for (int i = 0; fine && i < NMECHANISM; i++)
    for (peer_task task = 0; fine && task < NTASK; task++) {
      fine = mechanisms[i] != NULL;
      if (!fine || !wanted(mechanisms[i], &o)) continue;
      fine = measure_row(&rows[nrow], mechanisms[i], task, &o);
      print_row(&rows[nrow]);
      if (o.json) print_json(o.json, &rows[nrow]);
      nrow++;
    }
  for (peer_task task = 0; fine && task < NTASK; task++)
    print_summary(rows, nrow, task);
  for (int i = 0; i < NMECHANISM; i++)
    mechanism_free(mechanisms[i]);
  if (o.json) fclose(o.json);
  if (!fine) {
    fprintf(stderr, "compare: out of memory\n");
    return 1;
  }
  return all_right(rows, nrow) ? 0 : 1;
}
