/* SPDX-License-Identifier: Apache-2.0 */
/* Short runs of loops with light bodies, with default options: all formulations end alike, and the heavy bodies do not
   feel how light the others are. */
#include "light_mechanisms.h"

#include "linkwork/formulation.h"
#include "linkwork/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 20 };

typedef struct {
  double p[MOST_BODIES][3], V[MOST_BODIES][6];
} outcome;

static const struct {
  const char *name;
  lw_simulation_options options;
} way[] = {{"cut", {.formulation = LW_FORMULATION_TREE, .loops = LW_LOOPS_CUT}},
           {"embedded", {.formulation = LW_FORMULATION_TREE, .loops = LW_LOOPS_EMBEDDED}},
           {"dca", {.formulation = LW_FORMULATION_DCA}},
           {"cartesian", {.formulation = LW_FORMULATION_CARTESIAN}}};
enum { WAYS = 4 };

static void measure(const lw_model *m, const double *q, const double *u, outcome *out)
{
  lw_work *w = lw_work_new(m);
  lwt_ok(lw_kinematics(w, q, u));
  for (int b = 1; b <= lw_nbody(m); b++) {
    lw_pose X;
    lwt_ok(lw_get_pose(w, (lw_body){b}, &X));
    memcpy(out->p[b], X.p, sizeof out->p[b]);
    lwt_ok(lw_get_velocity(w, (lw_body){b}, out->V[b]));
  }
  lw_work_free(w);
}

/* steps: how many it took, or NULL */
static outcome run_counted(const trial *x, int k, double end, long *steps)
{
  outcome out = {0};
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(x->c.m, &way[k].options, &err);
  if (!sim) fail_msg("%s, %s: %s", x->name, way[k].name, err.text);
  double *q = calloc((size_t)lw_nq(x->c.m) + 1, sizeof *q),
         *u = calloc((size_t)lw_nu(x->c.m) + 1, sizeof *u);
  if (lw_simulation_start(sim, 0, x->c.q, x->c.u, &err) != LW_OK ||
      lw_simulation_advance(sim, end, q, u, &err) != LW_OK)
    fail_msg("%s, %s: %s", x->name, way[k].name, err.text);
  measure(x->c.m, q, u, &out);
  if (steps) *steps = lw_simulation_report(sim).steps;
  free(q);
  free(u);
  lw_simulation_free(sim);
  return out;
}

static outcome run(const trial *x, int k, double end)
{
  return run_counted(x, k, end, NULL);
}

/* of bodies that are not light; lengths and velocities relative to the size of the mechanism */
static double difference(const trial *x, const outcome *a, const outcome *b)
{
  const double length = (double)x->o->length;
  double worst = 0, most = 1;
  for (int k = 1; k <= x->parts->nbody; k++) {
    if (x->parts->body[k - 1].mass < 0.1) continue;
    for (int i = 0; i < 3; i++) {
      most = fmax(most, fmax(fabs(a->V[k][i]), fabs(a->V[k][3 + i]) / length));
      worst = fmax(worst, fabs(a->p[k][i] - b->p[k][i]) / length);
      worst = fmax(worst, fabs(a->V[k][i] - b->V[k][i]));
      worst = fmax(worst, fabs(a->V[k][3 + i] - b->V[k][3 + i]) / length);
    }
  }
  return worst / most;
}

static void check_runs(topology kind, unsigned seed, double ratio, double length)
{
  trial x = trial_of(kind, seed, ratio, length);
  const double end = 0.1 * fmin(1, sqrt(length));
  const outcome first = run(&x, 0, end);
  for (int k = 1; k < WAYS; k++) {
    const outcome other = run(&x, k, end);
    const double off = difference(&x, &first, &other);
    if (!(off <= 1e-6))
      fail_msg("%s: %s and %s differ by %g", x.name, way[0].name, way[k].name, off);
  }
  trial_free(&x);
}

static void runs_do_not_depend_on_the_formulation(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1e-6, 1e-9, 1e-12};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < 4; i++)
      check_runs((topology)kind, 1, ratios[i], 1);
}

static void runs_do_not_depend_on_the_size(void **state)
{
  (void)state;
  for (int kind = 0; kind < TOPOLOGIES; kind++) {
    check_runs((topology)kind, 1, 1e-3, 1e-6);
    check_runs((topology)kind, 1, 1e-3, 1e6);
  }
}

/* What moves a light body is the difference of the loads that it hands on: their rounding errors must not shake it. */
static void light_bodies_move_as_smoothly_as_heavy_ones(void **state)
{
  (void)state;
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (unsigned seed = 1; seed <= 7; seed += 2) {
      long steps[2];
      for (int light = 0; light < 2; light++) {
        trial x = trial_of((topology)kind, seed, light ? 1e-12 : 1, 1);
        run_counted(&x, WAYS - 1, 0.1, &steps[light]);
        if (light && steps[1] > 4 * steps[0])
          fail_msg("%s: %ld steps, with equal masses %ld", x.name, steps[1], steps[0]);
        trial_free(&x);
      }
    }
}

/* [test]: this one alone */
int main(int argc, char *argv[])
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_do_not_depend_on_the_formulation),
      cmocka_unit_test(runs_do_not_depend_on_the_size),
      cmocka_unit_test(light_bodies_move_as_smoothly_as_heavy_ones),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
