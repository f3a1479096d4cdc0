/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives go through events: those of whole runs agree with differences of whole runs, also where the time
   of the event, or the place of a new joint, depends on the parameter. */
#include "linkwork/file.h"
#include "linkwork/sensitivity.h"
#include "linkwork/query.h"
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

/* a chain whose first joint is driven, whose others turn together, and whose last one has a motor and a spring */
#define DRIVEN                                                                                     \
  "linkwork: 1\n"                                                                                  \
  "gravity: [0, -9.81, 0]\n"                                                                       \
  "parameters: {L: 0.8, m: 1.5, T: 0.21, w: 0.9, k: 0.6}\n"                                        \
  "bodies:\n"                                                                                      \
  "  b1: {solid: {rod: {length: L, mass: m, axis: [0, -1, 0]}}}\n"                                 \
  "  b2: {mass: m, com: [0.1, -L/2, 0.1], inertia: [0.1, 0.12*L, 0.1]}\n"                          \
  "  b3: {mass: 1, com: [0, -0.4, k/5], inertia: [0.1, 0.05, 0.1*m]}\n"                            \
  "  b4: {mass: m/3, com: [0, -0.2, 0.1], inertia: [0.02, 0.01, 0.02]}\n"                          \
  "  b5: {mass: m/5, com: [0.1, 0.05, L/9], inertia: [0.02, 0.03, 0.02]}\n"                        \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: b1, q: 0.3}\n"                                     \
  "  B: {type: universal, parent: b1, child: b2, at: [0, -L, 0], axis: [1, 0, 0], axis2: [0, 0, "  \
  "1], q: [0.3, 0.5], u: [0.2, w]}\n"                                                              \
  "  C: {type: cylindrical, parent: b2, child: b3, at: [0, -L, 0], axis: [0, 0.6, 0.8], q: [0.4, " \
  "0.1], u: [1, 0.2]}\n"                                                                           \
  "  D: {type: revolute, parent: b3, child: b4, at: [0, -0.7, 0], axis: [1, 0.2, 0], u: w}\n"      \
  "  H: {type: helical, parent: b4, child: b5, at: [0.1, 0, 0.2], axis: [0, 1, 1], pitch: k/5}\n"  \
  "  drive: {type: driver, joint: A, value: \"0.3 + w*t + k*sin(2*t)\"}\n"                         \
  "  slide: {type: driver, joint: C, dof: 2, value: \"0.1 + k*t - t^2\"}\n"                        \
  "  turn: {type: gear, joints: [H, D], ratio: 2*k}\n"                                             \
  "forces:\n"                                                                                      \
  "  push: {type: motor, joint: C, dof: 1, value: \"m*cos(3*t) - q.C.1\"}\n"                       \
  "  turner: {type: motor, joint: B, dof: 1, value: \"k*sin(5*t)\"}\n"                             \
  "  hold: {type: joint_spring, joint: B, dof: 2, stiffness: 6*L, damping: 0.1, rest: k}\n"        \
  "sensitivity:\n"                                                                                 \
  "  objectives:\n"                                                                                \
  "    end: {final: \"energy.total*w\"}\n"                                                         \
  "    effort: {integral: \"load.drive^2\"}\n"

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

/* ways to derivatives */
static const lw_sensitivity_options ways[] = {
    {.simulation.formulation = LW_FORMULATION_TREE},
    {.simulation.formulation = LW_FORMULATION_DCA},
    {.differences = true},
    {.simulation.formulation = LW_FORMULATION_DCA, .simulation.threads = 2},
};

static lw_sensitivity_options options_of(int way, const char *columns, double end)
{
  lw_sensitivity_options o = ways[way];
  o.columns = columns;
  o.simulation.end = end;
  o.simulation.rtol = 1e-11;
  o.simulation.atol = 1e-12;
  return o;
}

/* results and objectives at the end, and their derivatives by all of np parameters */
static void derive(const lw_model *m, int way, const char *columns, double end, int np,
                   const char *const parameters[], const char *events, double **x, double **d,
                   int *n)
{
  lw_error err = {0};
  const lw_sensitivity_options o = options_of(way, columns, end);
  lw_sensitivity *s = lw_sensitivity_new(m, parameters, np, &o, &err);
  if (!s) fail_msg("%s: %s", events, err.text);
  const int nrow = lw_columns_count(lw_sensitivity_columns(s)), no = lw_nobjective(m);
  int fired = 0;
  lw_sensitivity_on_event(s, count_event, &fired);
  *n = nrow + no;
  *x = calloc((size_t)*n, sizeof **x);
  *d = calloc((size_t)(np * *n), sizeof **d);
  double *row = calloc((size_t)(np * *n), sizeof *row);
  if (lw_sensitivity_advance(s, end, NULL, NULL, NULL, NULL, &err) != LW_OK)
    fail_msg("%s: %s", events, err.text);
  int wanted = 0;
  for (const char *at = events; (at = strstr(at, "  - {")); at++)
    wanted++;
  assert_true(fired >= wanted ||
              (strstr(events, "at: T, imp") && fired > 0)); /* several at one time */
  lwt_ok(lw_sensitivity_row(s, *x, row));
  for (int k = 0; k < np; k++)
    memcpy(*d + k * *n, row + k * nrow, (size_t)nrow * sizeof(double));
  lwt_ok(lw_sensitivity_objectives(s, *x + nrow, row));
  for (int k = 0; k < np; k++)
    memcpy(*d + k * *n + nrow, row + k * no, (size_t)no * sizeof(double));
  for (int i = 0; i < np * *n; i++)
    if (isnan((*x)[i % *n])) (*d)[i] = 0; /* gone, or not there yet */
  free(row);
  lw_sensitivity_free(s);
}

/* by runs, of parameter p */
static void compare_runs(const lw_model *m, int p, const char *columns, double end,
                         const char *events, const double *x, const double *d, int n)
{
  lw_error err = {0};
  const lw_sensitivity_options o = options_of(0, columns, end);
  double *runs = calloc(2 * (size_t)n, sizeof *runs), *error = runs + n;
  const int nrow = n - lw_nobjective(m);
  if (lw_sensitivity_by_runs(
          m, p, &o, end, &(lw_differences){runs, runs + nrow, error, error + nrow}, &err) != LW_OK)
    fail_msg("%s: %s", events, err.text);
  for (int i = 0; i < n; i++)
    if (isnan(x[i])) runs[i] = 0;
  lwt_close(d, runs, n, 1e-6, lwt_scale(d, n) + 1, "%s by %s", events, lw_parameter_name(m, p));
  free(runs);
}

static const char *const STATE = "q.*,u.*,udot.*,x.*,y.*,z.*,energy.*"; /* no undetermined loads */

static void compare_columns(const char *base, const char *events, double end, const char *columns)
{
  lw_model *m = model_of(base, events);
  const char *names[8];
  const int np = lw_nparameter(m);
  double *x[3], *d[3];
  int n;
  for (int p = 0; p < np; p++)
    names[p] = lw_parameter_name(m, p);
  for (int way = 0; way < 3; way++)
    derive(m, way, columns, end, np, names, events, &x[way], &d[way], &n);
  const double scale = lwt_scale(d[0], np * n) + 1;
  for (int i = 0; i < n; i++)
    if (!isnan(x[0][i])) lwt_close(&x[0][i], &x[1][i], 1, 1e-8, 1 + fabs(x[0][i]), "%s", events);
  lwt_close(d[0], d[1], np * n, 1e-8, scale, "%s: tree and dca", events);
  lwt_close(d[0], d[2], np * n, 1e-8, scale, "%s: exact and neighbours", events);
  for (int p = 0; p < np; p += 2) /* runs take their time */
    compare_runs(m, p, columns, end, events, x[0], d[0] + p * n, n);
  for (int way = 0; way < 3; way++)
    free(x[way]), free(d[way]);
  lw_model_free(m);
}

static void compare_all(const char *base, const char *events, double end)
{
  compare_columns(base, events, end, STATE);
}

/* ---- chain ---- */

static void locks_at_a_time(void **state)
{
  (void)state;
  compare_columns(CHAIN, "  - {at: 0.3, lock: B}\n", 0.6, "*");
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
  compare_columns(SPATIAL, "  - {at: T, lock: {joint: U, dofs: [2]}}\n", 0.4, "*");
  compare_columns(SPATIAL, "  - {at: T, lock: {joint: S, dofs: [2]}}\n", 0.4, "*");
}

static void catching_a_floating_body(void **state)
{
  (void)state;
  compare_all(SPATIAL,
              "  - {when: z.rock - 0.2*m, once: true, connect: {name: grip, type: spherical, "
              "parent: hand, child: rock, child_at: [0.1, 0, k]}}\n",
              0.4);
}

/* What was connected where the bodies were keeps following them through later events. */
static void phases_follow_each_other(void **state)
{
  (void)state;
  compare_all(SPATIAL,
              "  - {at: T, connect: {name: tip, type: spherical, parent: ground, child: hand, "
              "child_at: [0.3, 0.1, k]}}\n"
              "  - {at: 1.5*T, lock: {joint: tip, dofs: [1]}}\n"
              "  - {at: 2*T, unlock: tip}\n"
              "  - {at: 2.2*T, disconnect: tip}\n",
              0.5);
}

static void constraints_come(void **state)
{
  (void)state;
  compare_all(SPATIAL,
              "  - {at: T, connect: {name: rail, type: point_on_line, parent: ground, child: rock, "
              "child_at: [0, 0.1, k], at: [1.4, 0.6, 0.2], move: true}}\n",
              0.3);
}

/* Two arms of 0.8 m are moved to 1.57 m and to 1.587 m: there positions depend on L like a square root, and with an L
   that is 1 % smaller there are none. */
static void moves_near_the_end_of_reach(void **state)
{
  (void)state;
  compare_all(CHAIN,
              "  - {at: T, connect: {name: tip, type: revolute, parent: ground, child: b3, "
              "child_at: [0, 0, 0], at: [1.11, -1.11, 0], move: true}}\n",
              0.33);
  compare_all(CHAIN,
              "  - {at: T, connect: {name: tip, type: revolute, parent: ground, child: b3, "
              "child_at: [0, 0, 0], at: [1.1, -1.144, 0], move: true}}\n",
              0.33);
}

static void drivers_and_gears_go_through_events(void **state)
{
  (void)state;
  compare_columns(DRIVEN, "  - {at: T, lock: {joint: B, dofs: [1]}}\n", 0.4, "*");
  compare_columns(DRIVEN, "  - {at: T, lock: {joint: C, dofs: [1]}}\n", 0.4, "*");
  compare_all(DRIVEN,
              "  - {when: q.C.1 - 0.9*k, once: true, lock: {joint: B, dofs: [2]}}\n"
              "  - {at: 0.35, disconnect: turn}\n",
              0.4);
  compare_all(DRIVEN,
              "  - {at: T, connect: {name: tip, type: spherical, parent: ground, child: b4, "
              "child_at: [0, -0.3, 0]}}\n",
              0.35);
}

static void bodies_merge_and_part(void **state)
{
  (void)state;
  compare_all(SPATIAL,
              "  - {at: T, merge: {name: g, bodies: [hand, rock]}}\n"
              "  - {at: 0.3, lock: {joint: S, dofs: [1]}}\n"
              "  - {at: T + 0.2*k, split: g}\n",
              0.45);
}

static void joints_are_replaced(void **state)
{
  (void)state;
  compare_all(SPATIAL, "  - {at: T, replace: {joint: U, type: spherical}}\n", 0.4);
}

/* two contacts at one instant, one of them between two bodies */
static void several_at_one_instant(void **state)
{
  (void)state;
  compare_all(SPATIAL,
              "  - {at: T, impact: {body: rock, at: [0.1, k, 0], other: hand, normal: [0, w, -1], "
              "restitution: k}}\n"
              "  - {at: T, impact: {body: arm, at: [L, 0, 0], normal: [0, 0, 1], restitution: "
              "0.5}}\n"
              "  - {at: T, impulse: {body: rock, at: [0, 0, k], linear: [0, w, 0], angular: [k, 0, "
              "m]}}\n"
              "  - {at: T, lock: {joint: U, dofs: [1]}}\n",
              0.4);
}

/* Many parameters side by side on two threads: the same bits. */
static void threads_change_nothing(void **state)
{
  (void)state;
  const char *events = "  - {at: T, lock: {joint: U, dofs: [2]}}\n";
  const char *const names[] = {"L", "m", "T", "w", "k"};
  lw_model *m = model_of(SPATIAL, events);
  double *x[2], *d[2];
  int n;
  for (int i = 0; i < 2; i++)
    derive(m, i ? 3 : 1, STATE, 0.4, 5, names, events, &x[i], &d[i], &n);
  assert_memory_equal(d[0], d[1], (size_t)(5 * n) * sizeof(double));
  for (int i = 0; i < 2; i++)
    free(x[i]), free(d[i]);
  lw_model_free(m);
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
      cmocka_unit_test(phases_follow_each_other),
      cmocka_unit_test(drivers_and_gears_go_through_events),
      cmocka_unit_test(bodies_merge_and_part),
      cmocka_unit_test(joints_are_replaced),
      cmocka_unit_test(several_at_one_instant),
      cmocka_unit_test(constraints_come),
      cmocka_unit_test(moves_near_the_end_of_reach),
      cmocka_unit_test(threads_change_nothing),
  };
  return cmocka_run_group_tests_name("identity/sensitivity_events", tests, NULL, NULL);
}
