/* SPDX-License-Identifier: Apache-2.0 */
/* A run with events of every kind, with every allocation failing in turn: it says so, and loses nothing. */
#include "lwt.h"

#include "linkwork/linkwork.h"
#include "linkwork/columns.h"
#include "linkwork/events.h"
#include "linkwork/signals.h"
#include "wrapped_memory.h"

#include <string.h>

static const char *const text =
    "linkwork: 1\n"
    "parameters: {L: 1}\n"
    "bodies: {a: {solid: {rod: {length: L, mass: 1, axis: x}}},\n"
    "         b: {solid: {rod: {length: L, mass: 1, axis: x}}},\n"
    "         p: {mass: 1, pose: {at: [0, 0, 5]}}, r: {mass: 1, pose: {at: [0, 1, 5]}}}\n"
    "joints: {A: {type: revolute, parent: ground, child: a, axis: y},\n"
    "  B: {type: universal, parent: a, child: b, at: [L, 0, 0], u: [1, 2]}}\n"
    "points: {end: {body: b, at: [L, 0, 0]}}\n"
    "inputs: {aim: 0.5}\n"
    "states: {lag: {start: L, rate: aim - q.A - lag}, held: {every: 0.002, value: udot.A + held}}\n"
    "outputs: {high: z.end + lag, more: 2*high + ax.end*held}\n"
    "forces: {m: {type: motor, joint: tip, value: 1 - u.tip},\n"
    "  n: {type: force, body: end, force: [-vx.end, 0, lag*x.end.in.a]}}\n"
    "events:\n"
    "  - {at: 0.001, lock: {joint: B, dofs: [1]}}\n"
    "  - {at: 0.002, unlock: B}\n"
    "  - {at: 0.002, impulse: {body: a, linear: [0, 0, 1]}}\n"
    "  - {at: 0.003, connect: {name: tip, type: revolute, parent: ground, child: b, axis: y}}\n"
    "  - {at: 0.003, connect: {name: gear, type: gear, joints: [A, B.1], ratio: 1}}\n"
    "  - {at: 0.004, disconnect: gear}\n"
    "  - {at: 0.004, disconnect: tip}\n"
    "  - {at: 0.005, merge: {name: m, bodies: [p, r]}}\n"
    "  - {at: 0.006, split: m}\n"
    "  - {when: t - 0.007, impact: {body: p, normal: z}}\n"
    "simulation: {end: 0.01, integrator: rk4, step: 0.001}\n";

static int control(void *context, double t, const double q[], const double u[], double inputs[])
{
  (void)t, (void)q, (void)u;
  inputs[0] += 0.1;
  return ++*(int *)context < 0;
}

/* LW_OK only if all of it worked */
static lw_status run(const lw_model *m)
{
  lw_error err = {0};
  double q[200], u[200], row[400];
  int calls = 0;
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  lw_columns *columns = sim ? lw_columns_new(m, NULL, &err) : NULL;
  lw_status status = columns ? lw_columns_follow(columns, sim, &err) : err.status;
  for (int k = 0; k <= 10 && status == LW_OK; k++) {
    status = lw_simulation_advance(sim, 0.001 * k, q, u, &err);
    if (status == LW_OK) status = lw_columns_row(columns, 0.001 * k, q, u, row);
  }
  if (status == LW_OK) status = lw_simulation_set_input(sim, "aim", 0.7, &err);
  if (status == LW_OK) status = lw_simulation_control(sim, 0.001, control, &calls, &err);
  const lw_event_desc lock = {.action = LW_ACTION_LOCK, .joint = "A"};
  if (status == LW_OK) status = lw_simulation_raise(sim, &lock, 1, &err);
  lw_columns_free(columns);
  lw_simulation_free(sim);
  return status;
}

static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  assert_string_equal(err.text, "");
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  long before = allocations;
  lwt_ok(run(m));
  const long n = allocations - before, kept = live;
  assert_true(n > 100);
  for (long i = 1; i <= n; i++) {
    fail_at = allocations + i;
    const lw_status status = run(m);
    fail_at = 0;
    if (status != LW_E_MEMORY) fail_msg("allocation %ld of %ld: %s", i, n, lw_status_text(status));
    assert_int_equal(live, kept);
  }
  lw_model_free(m);
  lw_spec_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
