/* SPDX-License-Identifier: Apache-2.0 */
/* Sensitivities without memory: every allocation of a run with a closed loop, objectives and an event fails
   once; each failure is reported, and nothing leaks. */
#include "lwt.h"

#include "linkwork/file.h"
#include "linkwork/sensitivity.h"
#include "wrapped_memory.h"

#include <string.h>

static const char text[] = "linkwork: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "parameters: {L: 1}\n"
                           "bodies:\n"
                           "  a: {solid: {rod: {length: L, mass: 1, axis: [0, -1, 0]}}}\n"
                           "  b: {solid: {rod: {length: 1, mass: 1, axis: [0, -1, 0]}}}\n"
                           "joints:\n"
                           "  A: {type: revolute, parent: ground, child: a, q: 1}\n"
                           "  B: {type: revolute, parent: a, child: b, at: [0, -L, 0]}\n"
                           "events:\n"
                           "  - {when: q.A - 0.9998, once: true, impact: {body: b, at: [0, -1, 0], "
                           "normal: [0, 1, 0], restitution: L/2}}\n"
                           "  - {at: 0.01, connect: {name: tip, type: spherical, parent: ground, "
                           "child: b, child_at: [0, -1, 0]}}\n"
                           "  - {at: 0.015, disconnect: B}\n"
                           "  - {at: 0.017, merge: {name: g, bodies: [a, b]}}\n"
                           "simulation: {end: 0.02}\n"
                           "sensitivity: {objectives: {w: {integral: u.A^2}, m: {max: y.b}}}\n";

enum { EXACT, DIFFERENCES, DIVIDED, WAYS };

static bool run(const lw_model *m, int way)
{
  lw_error err = {0};
  double row[40], drow[40], value[2], gradient[2];
  const lw_sensitivity_options o = {.differences = way == DIFFERENCES,
                                    .columns = "q.*,energy.total",
                                    .simulation.formulation =
                                        way == DIVIDED ? LW_FORMULATION_DCA : LW_FORMULATION_AUTO};
  lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, &o, &err);
  const bool ok = s && lw_sensitivity_advance(s, 0.02, NULL, NULL, NULL, NULL, &err) == LW_OK &&
                  lw_sensitivity_row(s, row, drow) == LW_OK &&
                  lw_sensitivity_objectives(s, value, gradient) == LW_OK;
  lw_sensitivity_free(s);
  return ok;
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_spec *spec = lw_spec_parse(text, sizeof text - 1, "text", &err);
  lw_model *m = spec ? lw_compile(spec, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  for (int way = 0; way < WAYS; way++) {
    allocations = 0;
    assert_true(run(m, way));
    const long n = allocations, before = live;
    /* all of the beginning, and then fewer and fewer: they repeat themselves */
    for (long k = 1; k <= n; k += 1 + k / 60) {
      allocations = 0;
      fail_at = k;
      const bool ok = run(m, way);
      fail_at = 0;
      if (ok) fail_msg("allocation %ld of %ld failed, and nobody noticed", k, n);
      if (live != before) fail_msg("allocation %ld of %ld: %ld blocks left", k, n, live - before);
    }
  }
  lw_model_free(m);
  lw_spec_free(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests_name("failure/sensitivity_memory", tests, NULL, NULL);
}
