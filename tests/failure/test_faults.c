/* SPDX-License-Identifier: Apache-2.0 */
/* What cannot be computed is said in the words of mechanics. */
#include "lwt.h"

#include "linkwork/linkwork.h"
#include "linkwork/sko.h"

#include <string.h>

static lw_model *model_of(const char *text)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

static void run(const lw_model *m, lw_simulation_options options, lw_error *err)
{
  lw_simulation *sim = lw_simulation_new(m, &options, err);
  if (sim) lw_simulation_advance(sim, options.end, NULL, NULL, err);
  lw_simulation_free(sim);
}

static const char stiff[] = "{linkwork: 1, bodies: {a: {mass: 1, inertia: [1, 1, 1], com: [1, 0, "
                            "0]}, b: {mass: 1, inertia: [1, 1, 1]}},"
                            " joints: {A: {type: revolute, parent: ground, child: a, q: 0.3}, B: "
                            "{type: revolute, parent: a, child: b, at:"
                            " [1, 0, 0], axis: x, u: 1}}, forces: {s: {type: joint_spring, joint: "
                            "A, stiffness: 1e8, damping: 1e4}}}";

static void fixed_steps_that_are_too_long_are_named(void **state)
{
  (void)state;
  lw_model *m = model_of(stiff);
  const lw_integrator method[] = {LW_INTEGRATOR_RK4, LW_INTEGRATOR_EULER};
  const lw_formulation form[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      lw_error err = {0};
      run(m,
          (lw_simulation_options){.end = 10,
                                  .output_step = 0.1,
                                  .step = 0.05,
                                  .integrator = method[i],
                                  .formulation = form[k]},
          &err);
      assert_int_equal(err.status, LW_E_NUMBER);
      assert_non_null(strstr(err.text, "stopped at t = "));
      assert_non_null(strstr(err.text, "steps of 0.05 s are too long"));
      assert_null(strstr(err.text, "singular"));
    }
  lw_model_free(m);
}

static void a_model_without_coordinates_runs(void **state)
{
  (void)state;
  lw_model *m = model_of(
      "{linkwork: 1, bodies: {a: {mass: 1, inertia: [1, 1, 1]}}, joints: {A: {type: fixed, parent: "
      "ground, child: a}}}");
  for (int i = LW_INTEGRATOR_AUTO; i <= LW_INTEGRATOR_EULER; i++) {
    lw_error err = {0};
    run(m, (lw_simulation_options){.end = 1, .output_step = 0.5, .integrator = (lw_integrator)i},
        &err);
    assert_string_equal(err.text, "");
  }
  lw_model_free(m);
}

static void operators_of_trees_refuse_loops(void **state)
{
  (void)state;
  lw_error err = {.status = LW_OK};
  lw_model *m = model_of("{linkwork: 1, bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, "
                         "inertia: [1, 1, 1]}}, joints: {A: {type:"
                         " revolute, parent: ground, child: a}, B: {type: revolute, parent: a, "
                         "child: b, at: [1, 0, 0]}, C: {type:"
                         " distance, parent: ground, child: b, at: [0, 1, 0], length: 1}}}");
  assert_null(lw_sko_from_model(m, &err));
  assert_int_equal(err.status, LW_E_UNSUPPORTED);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fixed_steps_that_are_too_long_are_named),
                                     cmocka_unit_test(a_model_without_coordinates_runs),
                                     cmocka_unit_test(operators_of_trees_refuse_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
