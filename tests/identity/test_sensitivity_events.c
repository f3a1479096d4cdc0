/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives go through events: those of whole runs agree with differences of whole runs, also where the time
   of the event, or the place of a new joint, depends on the parameter. */
#include "linkwork/file.h"
#include "linkwork/sensitivity.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a chain of three hinged rods that depends on L and m in all it has */
#define CHAIN                                                                                      \
  "linkwork: 1\n"                                                                                  \
  "gravity: [0, -9.81, 0]\n"                                                                       \
  "parameters: {L: 0.8, m: 1.5, T: 0.31, w: 0.4, k: 0.6}\n"                                        \
  "bodies:\n"                                                                                      \
  "  b1: {solid: {rod: {length: L, mass: m, axis: [0, -1, 0]}}}\n"                                 \
  "  b2: {solid: {rod: {length: L, mass: m*L, axis: [0, -1, 0]}}}\n"                               \
  "  b3: {solid: {rod: {length: 1, mass: m, axis: [0, -1, 0]}}}\n"                                 \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: b1, q: 0.7, u: w}\n"                               \
  "  B: {type: revolute, parent: b1, child: b2, at: [0, -L, 0], q: 0.5}\n"                         \
  "  C: {type: revolute, parent: b2, child: b3, at: [0, -L, 0], q: 0.4}\n"                         \
  "sensitivity:\n"                                                                                 \
  "  objectives:\n"                                                                                \
  "    action: {integral: \"u.A^2 + L*q.B\"}\n"                                                    \
  "    end: {final: \"y.b3 + t*w\"}\n"                                                             \
  "    swing: {max: \"q.B\"}\n"                                                                    \
  "    low: {min: \"y.b3\"}\n"

/* a ball in space beside another body */
#define SPATIAL                                                                                    \
  "linkwork: 1\n"                                                                                  \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "parameters: {L: 0.7, m: 1.2, T: 0.21, w: 0.9, k: 0.5}\n"                                        \
  "bodies:\n"                                                                                      \
  "  arm: {mass: m, com: [L/2, 0, 0.1], inertia: [0.15, 0.3*L, 0.3]}\n"                            \
  "  hand: {mass: 0.8, com: [0.2, 0.1, 0], inertia: [0.05, 0.06, 0.07*m]}\n"                       \
  "  rock: {mass: 2*m, inertia: [0.2, 0.3, 0.4], pose: {at: [1.5, L, 0.3]},\n"                     \
  "         velocity: {linear: [0, 0, 1], angular: [w, 0.5, -0.3]}}\n"                             \
  "joints:\n"                                                                                      \
  "  S: {type: spherical, parent: ground, child: arm, u: [0.3, w, -0.5]}\n"                        \
  "  U: {type: universal, parent: arm, child: hand, at: [L, 0, 0], q: [0.3, 0.2], u: [1, w]}\n"    \
  "sensitivity:\n"                                                                                 \
  "  objectives:\n"                                                                                \
  "    action: {integral: \"u.U.1^2 + z.rock\"}\n"                                                 \
  "    end: {final: \"x.hand*w\"}\n"

static lw_model *model_of(const char *base, const char *events)
{
  char text[4096];
  lw_error err = {0};
  snprintf(text, sizeof text, "%sevents:\n%s", base, events);
  lw_spec *s = lw_spec_parse(text, strlen(text), "chain", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

static int count_event(void *context, const lw_event_report *report, bool after)
{
  (void)report;
  *(int *)context += after;
  return 0;
}

/* of one parameter: results and objectives, by sensitivities and by runs */
static void compare(const lw_model *m, const char *parameter, bool differences, double end,
                    const char *events)
{
  lw_error err = {0};
  const lw_sensitivity_options o = {.columns = "q.*,u.*,x.*,y.*,z.*,energy.total",
                                    .differences = differences,
                                    .simulation = {.end = end, .rtol = 1e-11, .atol = 1e-12}};
  lw_sensitivity *s = lw_sensitivity_new(m, &parameter, 1, &o, &err);
  if (!s) fail_msg("%s", err.text);
  const int n = lw_columns_count(lw_sensitivity_columns(s)), no = lw_nobjective(m);
  int fired = 0;
  lw_sensitivity_on_event(s, count_event, &fired);
  double *x = calloc(4 * (size_t)(n + no), sizeof *x);
  double *d = x + n + no, *runs = d + n + no, *error = runs + n + no;
  if (lw_sensitivity_advance(s, end, NULL, NULL, NULL, NULL, &err) != LW_OK)
    fail_msg("%s: %s", events, err.text);
  assert_true(fired > 0);
  lwt_ok(lw_sensitivity_row(s, x, d));
  lwt_ok(lw_sensitivity_objectives(s, x + n, d + n));
  if (lw_sensitivity_by_runs(m, lw_sensitivity_parameter(s, 0), &o, end, runs, runs + n, error,
                             error + n, &err) != LW_OK)
    fail_msg("%s: %s", events, err.text);
  for (int i = 0; i < n + no; i++)
    if (isnan(x[i])) d[i] = runs[i] = 0; /* gone, or not there yet */
  lwt_close(d, runs, n + no, 1e-6, lwt_scale(d, n + no) + 1, "%s by %s", events, parameter);
  free(x);
  lw_sensitivity_free(s);
}

static void compare_all(const char *base, const char *events, double end)
{
  lw_model *m = model_of(base, events);
  for (int p = 0; p < lw_nparameter(m); p++)
    compare(m, lw_parameter_name(m, p), false, end, events);
  compare(m, "L", true, end, events);
  lw_model_free(m);
}

/* ---- chain ---- */

static void locks_at_a_time(void **state)
{
  (void)state;
  compare_all(CHAIN, "  - {at: 0.3, lock: B}\n", 0.6);
}

static void locks_at_a_time_that_is_a_parameter(void **state)
{
  (void)state;
  compare_all(CHAIN, "  - {at: T, lock: B}\n  - {at: 2*T, unlock: B}\n", 0.8);
}

static void locks_when_an_angle_is_reached(void **state)
{
  (void)state;
  compare_all(CHAIN, "  - {when: q.B - k*L, lock: B, once: true}\n", 0.6);
}

static void loops_close_where_they_are(void **state)
{
  (void)state;
  compare_all(CHAIN,
              "  - {at: T, connect: {name: tip, type: revolute, parent: ground, child: b3, "
              "child_at: [0, -1, 0]}}\n"
              "  - {at: 0.5, disconnect: tip}\n",
              0.7);
}

static void loops_close_when_a_point_passes(void **state)
{
  (void)state;
  compare_all(CHAIN,
              "  - {when: x.b3 - 1.3*L, once: true, connect: {name: tip, type: revolute, "
              "parent: ground, child: b3, child_at: [0, -k, 0]}}\n",
              0.5);
}

static void impulses_and_impacts(void **state)
{
  (void)state;
  compare_all(CHAIN, "  - {at: 0.2, impulse: {body: b3, at: [0, -k, 0], linear: [w, 0, 0]}}\n",
              0.4);
  compare_all(CHAIN,
              "  - {when: y.b3 + 1.3*L, direction: falling, impact: {body: b3, at: [0, 0, 0], "
              "normal: [0, 1, 0], restitution: k}}\n",
              0.6);
}

static void joints_go_and_bodies_merge(void **state)
{
  (void)state;
  compare_all(CHAIN, "  - {at: T, disconnect: C}\n", 0.5);
  compare_all(CHAIN, "  - {when: q.B - k*L, once: true, merge: {name: g, bodies: [b1, b2]}}\n",
              0.5);
}

/* ---- space ---- */

static void partial_locks_in_space(void **state)
{
  (void)state;
  compare_all(SPATIAL, "  - {at: T, lock: {joint: U, dofs: [2]}}\n", 0.4);
  compare_all(SPATIAL, "  - {at: T, lock: {joint: S, dofs: [2]}}\n", 0.4);
}

static void catching_a_floating_body(void **state)
{
  (void)state;
  compare_all(SPATIAL,
              "  - {when: z.rock - 0.2*m, once: true, connect: {name: grip, type: spherical, "
              "parent: hand, child: rock, child_at: [0.1, 0, k]}}\n",
              0.4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(locks_at_a_time),
      cmocka_unit_test(locks_at_a_time_that_is_a_parameter),
      cmocka_unit_test(locks_when_an_angle_is_reached),
      cmocka_unit_test(loops_close_where_they_are),
      cmocka_unit_test(loops_close_when_a_point_passes),
      cmocka_unit_test(impulses_and_impacts),
      cmocka_unit_test(joints_go_and_bodies_merge),
      cmocka_unit_test(partial_locks_in_space),
      cmocka_unit_test(catching_a_floating_body),
  };
  return cmocka_run_group_tests_name("identity/sensitivity_events", tests, NULL, NULL);
}
