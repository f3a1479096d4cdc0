/* SPDX-License-Identifier: Apache-2.0 */
/* dca.c -- divide and conquer: time per body, ratio to the articulated-body recursion, speed-up
   with two threads, error, and what the plans of large mechanisms predict.  Chains, binary trees,
   and ladders: two rails of revolute joints with parallel axes, held together by rungs that close a
   loop each.  Long ladders are too much for the tree formulation; the Cartesian form, reduced and
   sparse, tells their error.

   Times are wall clock, the least of several rounds: threads are compared. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/assembly_tree.h"
#include "linkwork/cartesian.h"
#include "linkwork/dca.h"
#include "linkwork/loops.h"
#include "linkwork_model.h"
#include "measure.h"

typedef struct {
  double seconds; /* at least, a measurement; 0: one call */
  int max_bodies, max_ladder, max_plan;
  FILE *json;
} options;

/* ---- mechanisms ---- */

typedef struct {
  char name[24];
  lw_model *m;
  int nbody, redundant; /* rows that depend on others, as the mechanism is known */
  double *q, *u, *tau, *udot;
} subject;

static void subject_free(subject *s)
{
  lw_model_free(s->m);
  free(s->q);
}

static bool subject_fill(subject *s)
{
  if (!s->m) return false;
  const size_t nq = (size_t)lw_nq(s->m), nu = (size_t)lw_nu(s->m);
  s->nbody = lw_nbody(s->m);
  s->q = calloc(nq + 3 * nu + 1, sizeof *s->q);
  if (!s->q) return false;
  s->u = s->q + nq;
  s->tau = s->u + nu;
  s->udot = s->tau + nu;
  lw_initial_state(s->m, s->q, s->u);
  return true;
}

static subject open_mechanism(mechanism *mech)
{
  subject s = {0};
  mechanism_state *state = mech ? mechanism_states(mech, 1, 1) : NULL;
  s.m = state ? linkwork_model(mech) : NULL;
  if (mech) memcpy(s.name, mech->name, sizeof s.name);
  if (subject_fill(&s)) {
    memcpy(s.q, state->q, (size_t)mech->nq * sizeof *s.q);
    memcpy(s.u, state->u, (size_t)mech->nu * sizeof *s.u);
    memcpy(s.tau, state->tau, (size_t)mech->nu * sizeof *s.tau);
  }
  free(state);
  mechanism_free(mech);
  return s;
}

/* on the child it is at (0, y) */
static void add_hinge(lw_spec *spec, int *n, int parent, int child, lw_place place, double y)
{
  char name[16];
  snprintf(name, sizeof name, "j%d", ++*n);
  lw_add_joint(spec, &(lw_joint_desc){.name = name,
                                      .type = LW_REVOLUTE,
                                      .parent = {parent},
                                      .child = {child},
                                      .place = place,
                                      .child_place.at = {0, y, 0}});
}

/* rails lean to and fro, rungs stay parallel; speeds are the nearest possible ones to small ones */
static bool bend_ladder(subject *s)
{
  lw_work *w = lw_work_new(s->m);
  double before = 0;
  for (int c = 0; c < s->nbody / 3; c++) { /* left rail, rung, right rail: joints of the tree */
    const double lean = 0.3 * sin(0.7 * c + sin(0.1 * c));
    s->q[3 * c] = s->q[3 * c + 2] = lean - before;
    s->q[3 * c + 1] = -lean;
    before = lean;
  }
  for (int i = 0; i < lw_nu(s->m); i++)
    s->u[i] = 0.01 * sin(i);
  const bool fine = w && lw_project(w, 0, s->q, s->u) == LW_OK;
  lw_work_free(w);
  return fine;
}

/* bodies 1, 4, 7, ...: left rail; 2, 5, 8, ...: right rail; 3, 6, 9, ...: rungs between their ends.
   The frames of all bodies are alike.  The tree runs up both rails; rungs hang on the left one and
   close a loop at the right one. */
static subject open_ladder(int n)
{
  subject s = {0};
  lw_spec *spec = lw_spec_new();
  char name[16];
  int njoint = 0;
  lw_set_gravity(spec, 3, -9, 0);
  const int cells = n / 3;
  for (int i = 1; i <= 3 * cells; i++) {
    snprintf(name, sizeof name, "b%d", i);
    const bool rung = i % 3 == 0;
    lw_add_body(spec, &(lw_body_desc){.name = name,
                                      .mass = 1 + 0.1 * (i % 7),
                                      .com = {rung ? 0.5 : 0, rung ? 0 : 0.5, 0},
                                      .inertia = {0.1, 0.1, 0.1}});
  }
  for (int c = 0; c < cells; c++) {
    const int left = 3 * c + 1, right = left + 1, rung = left + 2;
    add_hinge(spec, &njoint, c ? left - 3 : 0, left, (lw_place){.at = {0, c ? 1 : 0, 0}}, 0);
    add_hinge(spec, &njoint, left, rung, (lw_place){.at = {0, 1, 0}}, 0);
    add_hinge(spec, &njoint, c ? right - 3 : 0, right, (lw_place){.at = {c ? 0 : 1, c ? 1 : 0, 0}},
              0);
    add_hinge(spec, &njoint, rung, right, (lw_place){.at = {1, 0, 0}}, 1);
  }
  lw_error err;
  s.m = lw_compile(spec, &err);
  lw_spec_free(spec);
  s.redundant = 3 * cells;
  snprintf(s.name, sizeof s.name, "ladder %d", 3 * cells);
  if (!subject_fill(&s))
    fprintf(stderr, "dca: %s: %s\n", s.name, err.text);
  else if (!bend_ladder(&s))
    fprintf(stderr, "dca: %s: its loops do not close\n", s.name);
  return s;
}

/* ---- times ---- */

/* one evaluation: dca with so many threads, the Cartesian form, or the recursion */
typedef struct {
  lw_dca *d;
  lw_cartesian *c;
  lw_work *w;
} solver;

static lw_status evaluate(const subject *s, const solver *k)
{
  if (k->d) return lw_dca_forward_dynamics(k->d, k->w, 0, s->q, s->u, s->tau, s->udot);
  if (k->c) return lw_cartesian_forward_dynamics(k->c, k->w, 0, s->q, s->u, s->tau, s->udot);
  return lw_forward_dynamics(k->w, 0, s->q, s->u, s->tau, s->udot);
}

enum { KINDS = 3 };

/* The least time of each kind, the kinds taking turns so that other programs disturb all alike. */
static bool time_all(const subject *s, const solver k[KINDS], const options *o, double least[KINDS])
{
  double total = 0;
  for (int i = 0; i < KINDS; i++)
    least[i] = INFINITY;
  do {
    for (int i = 0; i < KINDS; i++) {
      const int calls = o->seconds > 0 ? 1 + 3000 / s->nbody : 1;
      const double start = measure_wall();
      for (int c = 0; c < calls; c++)
        if (evaluate(s, &k[i]) != LW_OK) return false;
      const double elapsed = measure_wall() - start;
      least[i] = fmin(least[i], elapsed / calls);
      total += elapsed;
    }
  } while (total < KINDS * o->seconds);
  return true;
}

/* largest difference to another way, relative to the largest number */
static double difference(const subject *s, const solver *k, const solver *other)
{
  const size_t nu = (size_t)lw_nu(s->m);
  double *x = malloc((nu + 1) * sizeof *x), error = 0, scale = 0;
  if (x && evaluate(s, other) == LW_OK) {
    memcpy(x, s->udot, nu * sizeof *x);
    error = evaluate(s, k) == LW_OK ? 0 : INFINITY;
    for (size_t i = 0; i < nu; i++) {
      error = fmax(error, fabs(x[i] - s->udot[i]));
      scale = fmax(scale, fabs(x[i]));
    }
  }
  free(x);
  return error / scale;
}

static bool measure_subject(subject s, const options *o)
{
  solver k[KINDS] = {{0}};
  double time[KINDS];
  bool fine = s.m != NULL;
  for (int i = 0; i < KINDS && fine; i++) {
    if (i > 0) k[i].d = lw_dca_new(s.m, &(lw_dca_options){.threads = i}, NULL);
    k[i].w = lw_work_new(s.m);
  }
  const bool slow = s.redundant > 300; /* the tree formulation takes a time of n^3 */
  if (fine && slow) fine = (k[0].c = lw_cartesian_new(s.m, NULL, NULL)) != NULL;
  fine = fine && k[1].d && k[2].d && time_all(&s, k, o, time);
  if (fine) {
    const double n = s.nbody, error = difference(&s, &k[1], &k[0]);
    const lw_dca_info info = lw_dca_get_info(k[1].d);
    printf("%-14s %9.1f %9.1f %9.1f%c %7.2f %8.2f %8.2f %6d %7d %9.1e\n", s.name, 1e9 * time[1] / n,
           1e9 * time[2] / n, 1e9 * time[0] / n, k[0].c ? '*' : ' ', time[1] / time[0],
           time[1] / time[2], lw_dca_speed_up(k[1].d, 2), info.depth, info.widest, error);
    if (lw_dca_redundant(k[1].d) != s.redundant)
      printf("%-14s %d rows depend on others, not %d\n", "", lw_dca_redundant(k[1].d), s.redundant);
    fflush(stdout);
    if (o->json)
      fprintf(o->json,
              "{\"mechanism\":\"%s\",\"bodies\":%.0f,\"dca_ns\":%.6g,\"dca_2_threads_ns\":%.6g,"
              "\"%s_ns\":%.6g,\"error\":%.3g}\n",
              s.name, n, 1e9 * time[1] / n, 1e9 * time[2] / n, k[0].c ? "cartesian" : "recursion",
              1e9 * time[0] / n, error);
  } else {
    fprintf(stderr, "dca: %s failed\n", s.name);
  }
  for (int i = 0; i < KINDS; i++) {
    lw_dca_free(k[i].d);
    lw_cartesian_free(k[i].c);
    lw_work_free(k[i].w);
  }
  subject_free(&s);
  return fine;
}

/* ---- plans of chains on any number of processors ---- */

static bool print_plan(int n)
{
  int *from = malloc((size_t)n * sizeof *from), *to = malloc((size_t)n * sizeof *to);
  for (int i = 0; i < n && from && to; i++)
    from[i] = i - 1, to[i] = i;
  const double start = measure_wall();
  lwi_assembly_tree *t = from && to ? lwi_assembly_tree_new(n, n, from, to, NULL) : NULL;
  const double elapsed = measure_wall() - start;
  if (t) {
    const lwi_assembly_cost c = lwi_assembly_tree_cost(t, NULL);
    printf("%9d %6d %12.4g %12.4g %9.2f %9.1f %9.0f %9.0f\n", n, c.depth, c.operations, c.critical,
           lwi_assembly_speed_up(&c, 2), lwi_assembly_speed_up(&c, 64), c.operations / c.critical,
           1e9 * elapsed / n);
  }
  const bool fine = t != NULL;
  lwi_assembly_tree_free(t);
  free(from);
  free(to);
  return fine;
}

int main(int argc, char **argv)
{
  measure_run run;
  if (!measure_start(&run, "dca", argc, argv)) return 2;
  const options o = {.seconds = run.quick ? 0 : 0.3,
                     .max_bodies = run.quick ? 1000 : 100000,
                     .max_ladder = run.quick ? 100 : 100000,
                     .max_plan = run.quick ? 1 << 12 : 1 << 20,
                     .json = run.json};
  printf("%-14s %9s %9s %9s %8s %8s %8s %6s %7s %9s\n", "", "dca", "2 threads", "recursion", "dca/",
         "speed-up", "it says", "depth", "widest", "error");
  printf("%-14s %9s %9s %9s %8s %8s %8s\n", "", "ns/body", "ns/body", "ns/body", "recurs.", "", "");
  bool fine = true;
  for (int n = 100; fine && n <= o.max_bodies; n *= 10)
    fine = measure_subject(open_mechanism(mechanism_chain(n)), &o);
  for (int n = 100; fine && n <= o.max_bodies; n *= 10)
    fine = measure_subject(open_mechanism(mechanism_binary_tree(n)), &o);
  for (int n = 100; fine && n <= o.max_ladder; n *= 10)
    fine = measure_subject(open_ladder(n), &o);
  printf("* Cartesian form\n");
  printf("\nchains: multiplications in all and one after the other, predicted speed-up\n");
  printf("%9s %6s %12s %12s %9s %9s %9s %9s\n", "bodies", "depth", "all", "critical", "2", "64",
         "any", "plan ns/b");
  for (int n = 1 << 4; fine && n <= o.max_plan; n *= 4)
    fine = print_plan(n);
  if (o.json) fclose(o.json);
  return !fine;
}
