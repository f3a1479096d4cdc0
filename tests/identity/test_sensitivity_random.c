/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of objectives agree with differences of whole runs, for random mechanisms in every formulation, exactly
   and by differences of nearby models, with every integrator, with every kind of event, and with ends that move. */
#include "linkwork/sensitivity.h"
#include "linkwork/query.h"
#include "lwt.h"
#include "random_scenarios.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EVERY = 9 }; /* scenario: they look at memory, and all are computed as released */
#else
enum { EVERY = 1 };
#endif

typedef struct {
  double value[RUN_OBJECTIVES];
  double d[SCENARIO_PARAMETERS][RUN_OBJECTIVES], error[SCENARIO_PARAMETERS][RUN_OBJECTIVES];
  bool known[SCENARIO_PARAMETERS];
} expectation;

typedef struct {
  int tried, made, compared, parameters, without, rests;
} tally;

static double size_of(const lw_model *m, int p)
{
  for (int k = 0; k < lw_nparameter(m); k++)
    if (strcmp(lw_parameter_name(m, k), scenario_parameters[p]) == 0)
      return fabs(lw_parameter_value(m, k));
  return 1;
}

static bool expect(const scenario *s, const lw_model *m, expectation *x)
{
  uint64_t events;
  if (!run_objectives(&s->subject, m, x->value, &events)) return false;
  for (int p = 0; p < SCENARIO_PARAMETERS; p++)
    x->known[p] = run_derivatives(&s->subject, events, scenario_parameters[p], 4e-4 * size_of(m, p),
                                  x->d[p], x->error[p]);
  return true;
}

/* ---- one way to derivatives ---- */

/* way: exactly, and by differences every other time; turn: in which formulations */
static lw_sensitivity_options options_of(int way, unsigned turn, lwt_random *r)
{
  static const lw_formulation formulation[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                               LW_FORMULATION_CARTESIAN};
  static const lw_integrator integrator[] = {LW_INTEGRATOR_AUTO, LW_INTEGRATOR_ADAMS,
                                             LW_INTEGRATOR_RK, LW_INTEGRATOR_RK4,
                                             LW_INTEGRATOR_BDF};
  lw_sensitivity_options o = {
      .differences = way == 1 && turn % 2 == 0,
      .simulation = {.formulation = formulation[((unsigned)way + turn) % 3],
                     .integrator = integrator[lwt_pick(r, way == 1 ? 3 : 5)],
                     .rtol = 1e-10,
                     .atol = 1e-11}};
  if (o.simulation.integrator == LW_INTEGRATOR_BDF) o.simulation.rtol = 1e-8;
  if (o.simulation.integrator == LW_INTEGRATOR_RK4) o.simulation.step = 1e-3;
  return o;
}

static const char *describe(const scenario *s, const lw_sensitivity_options *o, unsigned seed)
{
  static char text[9000];
  snprintf(text, sizeof text, "%s, %s, seed %u, formulation %d, integrator %d, %s\n%s",
           mechanism_kind_name(s->mechanism), scenario_kind_name(s->kind), seed,
           (int)o->simulation.formulation, (int)o->simulation.integrator,
           o->differences ? "differences" : "exact", s->text);
  return text;
}

/* Does the run itself come to rest on a contact? */
static bool rests(const lw_model *m, const lw_simulation_options *o)
{
  lw_error err = {0};
  bool found = false;
  lw_simulation *sim = lw_simulation_new(m, o, &err);
  if (!sim) fail_msg("%s", err.text);
  const double end = lw_simulation_used(sim).end;
  for (int i = 1; i <= 200 && !found; i++) {
    const lw_status status = lw_simulation_advance(sim, end * i / 200, NULL, NULL, &err);
    const lw_model *now = lw_simulation_model(sim);
    for (int c = 1; c <= lw_nconstraint(now); c++)
      found = found || strncmp(lw_get_constraint(now, (lw_constraint){c}).name, "contact.", 8) == 0;
    if (status != LW_OK) break;
  }
  lw_simulation_free(sim);
  return found;
}

/* Derivatives end where bodies come to rest, with a message that says so, and nowhere else. */
static bool ends_at_rest(const lw_model *m, const lw_sensitivity_options *o, const lw_error *err)
{
  return err->status == LW_E_UNSUPPORTED && strstr(err->text, "come to rest") &&
         strstr(err->text, "at t = ") && rests(m, &o->simulation);
}

static void compare(const scenario *s, const lw_model *m, const expectation *x,
                    const lw_sensitivity_options *o, unsigned seed, tally *count)
{
  const int n = s->subject.n;
  double value[RUN_OBJECTIVES], gradient[SCENARIO_PARAMETERS * RUN_OBJECTIVES];
  lw_error err = {0};
  const char *what = describe(s, o, seed);
  lw_sensitivity *v = lw_sensitivity_new(m, scenario_parameters, SCENARIO_PARAMETERS, o, &err);
  if (!v) fail_msg("%s: %s", err.text, what);
  const double end = lw_simulation_used(lw_sensitivity_simulation(v)).end;
  lw_status status = lw_sensitivity_advance(v, end, NULL, NULL, NULL, NULL, &err);
  if (status == LW_E_STOPPED && lw_simulation_is_over(lw_sensitivity_simulation(v))) status = LW_OK;
  if (status != LW_OK && ends_at_rest(m, o, &err)) {
    count->rests++;
    lw_sensitivity_free(v);
    return;
  }
  if (status != LW_OK) fail_msg("%s: %s", err.text, what);
  lwt_ok(lw_sensitivity_objectives(v, value, gradient));
  for (int i = 0; i < n; i++)
    lwt_near(value[i], x->value[i], 1e-6 * (1 + fabs(x->value[i])), "objective %d of %s", i, what);
  for (int p = 0; p < SCENARIO_PARAMETERS; p++) {
    if (!x->known[p]) continue;
    const double size = size_of(m, p), *d = gradient + p * n;
    for (int i = 0; i < n; i++) {
      const double scale = 1 + fabs(x->value[i]) + size * fabs(x->d[p][i]);
      if (x->error[p][i] * size > 3e-5 * scale) {
        count->without++; /* beside it another peak is the largest */
        continue;
      }
      lwt_near(size * d[i], size * x->d[p][i], 2e-6 * scale + 0.1 * size * x->error[p][i],
               "objective %d by %s of %s", i, scenario_parameters[p], what);
      count->compared++;
    }
    if (s->subject.objective[0].kind == LW_OBJECTIVE_FINAL)
      lwt_near(lw_sensitivity_end_time(v, p), d[0], 1e-9 * (1 + fabs(d[0])), "end by %s of %s",
               scenario_parameters[p], what);
  }
  lw_sensitivity_free(v);
}

static void try_scenario(unsigned seed, mechanism_kind mechanism, scenario_kind kind, tally *count)
{
  scenario *s = calloc(1, sizeof *s);
  expectation x = {0};
  if (scenario_make(s, seed, mechanism, kind)) {
    lw_model *m = run_model(&s->subject, NULL, 0);
    lwt_random r = lwt_seed(seed + 1000);
    if (expect(s, m, &x)) {
      count->made++;
      for (int p = 0; p < SCENARIO_PARAMETERS; p++)
        count->parameters += x.known[p];
      for (int way = 0; way < 2; way++) {
        const lw_sensitivity_options o = options_of(way, seed + (unsigned)mechanism, &r);
        compare(s, m, &x, &o, seed, count);
      }
    }
    lw_model_free(m);
  }
  free(s);
}

/* every mechanism with every kind of event */
static void try_mechanism(mechanism_kind mechanism)
{
  tally count = {0};
  for (int kind = 0; kind < SCENARIO_KINDS; kind++) {
    if ((kind + (int)mechanism) % EVERY != 0) continue;
    count.tried++;
    try_scenario(1 + (unsigned)kind + 1000 * (unsigned)mechanism, mechanism, (scenario_kind)kind,
                 &count);
  }
  print_message(
      "%s: %d scenarios, %d parameters, %d derivatives compared, %d without one, %d runs that "
      "come to rest\n",
      mechanism_kind_name(mechanism), count.made, count.parameters, count.compared, count.without,
      count.rests);
  assert_true(2 * count.made >= count.tried || EVERY > 1); /* no impacts on what is driven */
  assert_true(count.parameters >= 5 * count.made);
  assert_true(count.without * 20 <= count.compared || EVERY > 1); /* of all scenarios */
}

#define TEST(name, mechanism)                                                                      \
  static void name(void **state)                                                                   \
  {                                                                                                \
    (void)state;                                                                                   \
    try_mechanism(mechanism);                                                                      \
  }
TEST(hinged_chains, MECHANISM_CHAIN)
TEST(planar_chains_with_a_slider, MECHANISM_PLANAR)
TEST(joints_with_quaternions, MECHANISM_SPATIAL)
TEST(closed_loops, MECHANISM_FOUR_BAR)
TEST(driven_loops, MECHANISM_DRIVEN)
TEST(gears_and_springs, MECHANISM_GEARED)
TEST(unequal_masses, MECHANISM_UNEQUAL)
TEST(unheld_loops, MECHANISM_UNHELD)

/* [test]: this one alone */
int main(int argc, char *argv[])
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hinged_chains),
      cmocka_unit_test(planar_chains_with_a_slider),
      cmocka_unit_test(joints_with_quaternions),
      cmocka_unit_test(closed_loops),
      cmocka_unit_test(driven_loops),
      cmocka_unit_test(gears_and_springs),
      cmocka_unit_test(unequal_masses),
      cmocka_unit_test(unheld_loops),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests_name("identity/sensitivity_random", tests, NULL, NULL);
}
