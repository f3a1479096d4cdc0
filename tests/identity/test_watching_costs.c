/* SPDX-License-Identifier: Apache-2.0 */
/* What a run costs beside the run itself, in evaluations, which no machine changes: columns of triggers that never fire
   are taken from the evaluations of the steps, and the balance of energy needs about one per step at most. */
#include "lwt_loops.h"

#include "linkwork/linkwork.h"
#include "sim/output/columns_data.h"
#include "sim/formulation/formulation.h"
#include "sim/run/simulation_data.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char chain[] = "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  a: {mass: 1, com: [0, 0, -0.5], inertia: [0.09, 0.09, 0.01]}\n"
                            "  b: {mass: 1, com: [0, 0, -0.5], inertia: [0.09, 0.09, 0.01]}\n"
                            "  c: {mass: 1, com: [0, 0, -0.5], inertia: [0.09, 0.09, 0.01]}\n"
                            "joints:\n"
                            "  A: {type: revolute, parent: ground, child: a, axis: y, q: 0.8}\n"
                            "  B: {type: revolute, parent: a, child: b, at: [0, 0, -1], axis: y}\n"
                            "  C: {type: spherical, parent: b, child: c, at: [0, 0, -1]}\n";

#define FOUR_BAR                                                                                   \
  "gravity: [0, -9.81, 0]\n"                                                                       \
  "bodies:\n"                                                                                      \
  "  a: {solid: {rod: {length: 0.5, mass: 2, axis: x}}}\n"                                         \
  "  b: {solid: {rod: {length: 1.2, mass: 4, axis: x}}}\n"                                         \
  "  c: {solid: {rod: {length: 1.0, mass: 3, axis: x}}}\n"                                         \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: a, q: 0.5}\n"                                      \
  "  B: {type: revolute, parent: a, child: b, at: [0.5, 0, 0], q: 60 deg}\n"                       \
  "  C: {type: revolute, parent: ground, child: c, at: [1.1, 0, 0], q: 100 deg}\n"                 \
  "  D: {type: revolute, parent: b, child: c, at: [1.2, 0, 0], child_at: [1, 0, 0]}\n"

static const char four_bar[] = FOUR_BAR;
static const char driven[] = FOUR_BAR "  crank: {type: driver, joint: A, value: \"0.5 + 6*t\"}\n";

static lw_model *parse(const char *mechanism, const char *when)
{
  char text[3000], event[200] = "";
  lw_error err = {0};
  if (when) snprintf(event, sizeof event, "events: [{when: \"%s\", stop: true}]\n", when);
  const int n = snprintf(text, sizeof text, "linkwork: 1\n%s%s", mechanism, event);
  lw_spec *s = lw_spec_parse(text, (size_t)n, "text", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

/* ---- evaluations of one work are counted ---- */

static lwi_kernels counting;
static const lwi_kernels *plain;
static const lwi_tree_work *watched;
static long evaluations;

static void count_kinematics(const lw_model *m, lwi_tree_work *w, const double *q, const double *u)
{
  evaluations += w == watched;
  plain->kinematics(m, w, q, u);
}

static bool count_forward(const lw_model *m, lwi_tree_work *w, double t, const double *q,
                          const double *u, const double *tau, double *udot)
{
  evaluations += w == watched;
  return plain->forward(m, w, t, q, u, tau, udot);
}

static lwi_formulation counting_way;
static const lwi_formulation *plain_way;
static long solutions;

static lw_status count_accelerate(lw_dynamics *d, double t, const double q[], const double u[],
                                  const double tau[], double udot[])
{
  solutions++;
  return plain_way->accelerate(d, t, q, u, tau, udot);
}

static void watch(lw_work *w, lw_dynamics *d)
{
  plain = w->kernels;
  counting = *plain;
  counting.kinematics = count_kinematics;
  counting.forward = count_forward;
  w->kernels = &counting;
  watched = w->tree;
  evaluations = solutions = 0;
  if (!d) return;
  plain_way = d->method;
  counting_way = *plain_way;
  counting_way.accelerate = count_accelerate;
  d->method = &counting_way;
}

/* per step of a run from 0 to 3 s */
typedef struct {
  double evaluations, solutions; /* of kinematics or more; of accelerations */
} costs;

static costs run(lw_simulation *sim, lw_work *w, lw_dynamics *d)
{
  lw_error err = {0};
  watch(w, d);
  if (lw_simulation_advance(sim, 3, NULL, NULL, &err) != LW_OK) fail_msg("%s", err.text);
  const double steps = (double)lw_simulation_report(sim).steps;
  w->kernels = plain;
  if (d) d->method = plain_way;
  return (costs){(double)evaluations / steps, (double)solutions / steps};
}

static lw_simulation *open(const lw_model *m, lw_formulation f, lw_integrator i)
{
  lw_error err = {0};
  const lw_simulation_options o = {
      .end = 3, .formulation = f, .integrator = i, .step = i == LW_INTEGRATOR_RK4 ? 0.004 : 0};
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim) fail_msg("%s", err.text);
  return sim;
}

/* ---- triggers ---- */

static double share_of_columns(const char *mechanism, const char *when, lw_formulation f,
                               lw_integrator i)
{
  lw_model *m = parse(mechanism, when);
  lw_simulation *sim = open(m, f, i);
  const lw_columns *c = sim->triggers.columns;
  const costs x = run(sim, c->work, c->dynamics);
  lw_simulation_free(sim);
  lw_model_free(m);
  return fmax(x.evaluations, x.solutions);
}

static void columns_are_those_of_the_steps(void **state)
{
  (void)state;
  static const char *const whens[] = {"z.c - 10", "energy.kinetic - 1e4", "fx.B - 1e5",
                                      "x.c + u.A - 1e3"};
  static const lw_integrator integrators[] = {LW_INTEGRATOR_AUTO, LW_INTEGRATOR_ADAMS,
                                              LW_INTEGRATOR_BDF, LW_INTEGRATOR_RK,
                                              LW_INTEGRATOR_RK4};
  /* Newton's method may end with an evaluation for its Jacobian, or far from where it leads */
  static const double most[] = {0.05, 0.05, 0.25, 0.05, 0.05};
  for (lw_formulation f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
      for (size_t k = 0; k < sizeof whens / sizeof *whens; k++) {
        const double share = share_of_columns(chain, whens[k], f, integrators[i]);
        print_message("%s, %s, integrator %d: %.3f evaluations per step\n", whens[k],
                      lw_formulation_name(f), (int)integrators[i], share);
        assert_true(share <= most[i]);
      }
}

static void so_are_those_of_loops(void **state)
{
  (void)state;
  static const char *const whens[] = {"y.b - 10", "fx.A - 1e6", "fy.D - 1e6"};
  static const lw_formulation formulations[] = {LW_FORMULATION_TREE, LW_FORMULATION_CARTESIAN};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < sizeof whens / sizeof *whens; k++) {
      const double share =
          share_of_columns(four_bar, whens[k], formulations[i], LW_INTEGRATOR_AUTO);
      print_message("%s, %s: %.3f evaluations per step\n", whens[k],
                    lw_formulation_name(formulations[i]), share);
      assert_true(share <= 0.1);
    }
}

/* ---- energy ---- */

static costs costs_of_balance(const char *mechanism, lw_formulation f)
{
  lw_model *m = parse(mechanism, NULL);
  lw_simulation *sim = open(m, f, LW_INTEGRATOR_AUTO);
  const costs x = run(sim, sim->power.work, sim->power.dynamics);
  lw_simulation_free(sim);
  lw_model_free(m);
  return x;
}

static void the_balance_looks_at_few_states(void **state)
{
  (void)state;
  static const struct {
    const char *name, *text;
    double evaluations, solutions; /* at most; of drivers one solution per step */
  } all[] = {{"chain", chain, 0.2, 0},
             {"four-bar", four_bar, 0.6, 0},
             {"driven four-bar", driven, 9, 2.5}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (lw_formulation f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
      const costs x = costs_of_balance(all[i].text, f);
      print_message("balance of the %s, %s: %.3f evaluations, %.3f solutions per step\n",
                    all[i].name, lw_formulation_name(f), x.evaluations, x.solutions);
      assert_true(x.evaluations <= all[i].evaluations && x.solutions <= all[i].solutions);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_those_of_the_steps),
      cmocka_unit_test(so_are_those_of_loops),
      cmocka_unit_test(the_balance_looks_at_few_states),
  };
  return cmocka_run_group_tests_name("identity/watching_costs", tests, NULL, NULL);
}
