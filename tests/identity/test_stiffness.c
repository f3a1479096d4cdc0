/* SPDX-License-Identifier: Apache-2.0 */
/* `auto` costs little more than the better one of Adams and BDF: for random chains with and without
   springs and dampers of any stiffness, with loads that switch, and in every formulation. */
#include "linkwork/file.h"
#include "linkwork/simulate.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SEEDS = 8 };
#else
enum { SEEDS = 40 };
#endif

/* evaluations until stiffness is found, and of the first Jacobian */
static const double NOTICE = 200;

typedef enum { FREE, DAMPED, SPRINGS, UNDAMPED, LAST_ONE, SWITCHING, KINDS } kind;

typedef struct {
  char text[4096];
  lwt_random r;
} maker;

static void put(maker *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(maker *g, const char *format, ...)
{
  const size_t at = strlen(g->text);
  va_list list;
  va_start(list, format);
  vsnprintf(g->text + at, sizeof g->text - at, format, list);
  va_end(list);
}

static double between(maker *g, double low, double high)
{
  return lwt_uniform(&g->r, low, high);
}

static void put_spring(maker *g, kind k, int i)
{
  const double stiffness = k == DAMPED ? between(g, 0, 10) : pow(10, between(g, 1, 4.5));
  const double damping = k == UNDAMPED ? 0
                         : k == DAMPED ? pow(10, between(g, 0.5, 2.5))
                                       : sqrt(stiffness) * pow(10, between(g, -1, 0.8));
  put(g, "  s%d: {type: joint_spring, joint: J%d, stiffness: %.4g, damping: %.4g}\n", i, i,
      stiffness, damping);
}

static void put_chain(maker *g, kind k)
{
  const int n = 1 + lwt_pick(&g->r, 4);
  const double bent = lwt_pick(&g->r, 2) ? 0.05 : 1;
  put(g, "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n");
  for (int i = 0; i < n; i++)
    put(g, "  b%d: {solid: {rod: {length: %.3f, mass: %.3f, axis: [0, -1]}}}\n", i,
        between(g, 0.3, 1), between(g, 0.3, 3));
  put(g, "joints:\n  J0: {type: revolute, parent: ground, child: b0, q: %.3f, u: %.3f}\n",
      bent * between(g, -1, 1), between(g, -1, 1));
  for (int i = 1; i < n; i++)
    put(g, "  J%d: {type: revolute, parent: b%d, child: b%d, at: [0, -0.5], q: %.3f, u: %.3f}\n", i,
        i - 1, i, bent * between(g, -1, 1), between(g, -1, 1));
  put(g, "forces:\n  soft: {type: joint_spring, joint: J0, stiffness: 1, damping: 0.1}\n");
  if (k == SWITCHING)
    put(g, "  push: {type: motor, joint: J%d, value: \"if(q.J0 > %.3f, 3, -2)\"}\n", n - 1,
        between(g, -0.2, 0.2));
  for (int i = 0; i < n && k != FREE && k != SWITCHING; i++)
    if (k != LAST_ONE || i == n - 1) put_spring(g, k, i);
}

static lw_simulation_statistics run(const lw_model *m, lw_simulation_options o, double end,
                                    char method[80])
{
  lw_error err = {0};
  o.end = o.output_step = end;
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim || lw_simulation_advance(sim, end, NULL, NULL, &err) != LW_OK) fail_msg("%s", err.text);
  const lw_simulation_statistics s = lw_simulation_report(sim);
  snprintf(method, 80, "%s", s.method);
  lw_simulation_free(sim);
  return s;
}

/* evaluations of all models: automatic, and by the better one */
typedef struct {
  double found, better;
} total;

/* One by one the rule may miss stiffness that costs little; on the whole it does not. */
static void compare(const lw_model *m, lw_simulation_options o, double end, const char *what,
                    total *sum)
{
  char method[80];
  o.integrator = LW_INTEGRATOR_ADAMS;
  const double adams = (double)run(m, o, end, method).evaluations;
  o.integrator = LW_INTEGRATOR_BDF;
  const double bdf = (double)run(m, o, end, method).evaluations;
  o.integrator = LW_INTEGRATOR_AUTO;
  const double found = (double)run(m, o, end, method).evaluations;
  sum->found += found;
  sum->better += fmin(adams, bdf);
  if (found > 2.5 * fmin(adams, bdf) + NOTICE)
    fail_msg("%g evaluations, but Adams %g and BDF %g (%s): %s", found, adams, bdf, method, what);
}

static void automatic_costs_as_much_as_the_better_one(void **state)
{
  static const lw_formulation formulation[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                               LW_FORMULATION_CARTESIAN};
  total sum = {0};
  (void)state;
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    maker g = {.r = lwt_seed(seed)};
    lw_error err = {0};
    put_chain(&g, (kind)(seed % KINDS));
    lw_spec *s = lw_spec_parse(g.text, strlen(g.text), "chain", &err);
    lw_model *m = s ? lw_compile(s, &err) : NULL;
    if (!m) fail_msg("%s: %s", err.text, g.text);
    const lw_simulation_options o = {.formulation = formulation[seed % 3],
                                     .rtol = pow(10, -5 - lwt_pick(&g.r, 6))};
    compare(m, o, 1, g.text, &sum);
    lw_model_free(m);
    lw_spec_free(s);
  }
  if (sum.found > 1.2 * sum.better)
    fail_msg("%g evaluations of all models, the better ones %g", sum.found, sum.better);
}

/* Adams is at the limit of its stability, and its corrector converges all the same. */
static void the_governor_is_found_stiff_at_once(void **state)
{
  (void)state;
  for (int k = 6; k <= 11; k++) {
    lw_error err = {0};
    char method[80];
    double since = 1;
    char path[4096];
    snprintf(path, sizeof path, "%s/models/governor.yaml", getenv("LINKWORK_SOURCE"));
    lw_spec *s = lw_spec_load(path, &err);
    lw_model *m = s ? lw_compile(s, &err) : NULL;
    if (!m) fail_msg("%s", err.text);
    const lw_simulation_options o = {.rtol = pow(10, -k)};
    run(m, o, 0.1, method);
    assert_int_equal(sscanf(method, "Adams, order 1-12; stiff: BDF from t = %lf", &since), 1);
    assert_true(since < 0.01);
    lw_model_free(m);
    lw_spec_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(automatic_costs_as_much_as_the_better_one),
      cmocka_unit_test(the_governor_is_found_stiff_at_once),
  };
  return cmocka_run_group_tests_name("identity/stiffness", tests, NULL, NULL);
}
