/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses with every allocation failing in turn: they say so, and lose nothing. */
#include "lwt.h"

#include "linkwork/linkwork.h"
#include "linkwork/analysis.h"
#include "wrapped_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_model *m;
  lw_work *w;
  double q[16], u[16];
} bench;

static bench bench_of(const char *text)
{
  lw_error err = {0};
  bench b = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  assert_string_equal(err.text, "");
  b.m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  b.w = lw_work_new(b.m);
  lw_initial_state(b.m, b.q, b.u);
  lwt_ok(lw_close_loops(b.w, 0, b.q, b.u, &err));
  return b;
}

/* everything once; LW_OK only if all of it worked */
static lw_status analyse(const bench *b)
{
  lw_error err = {0};
  double q[16], udot[16] = {0}, tau[16];
  bool given[16] = {true};
  const int actuator[] = {0, 1};
  lw_mobility f;
  memcpy(q, b->q, sizeof q);
  lw_status status = lw_equilibrium(b->w, 0, q, NULL, NULL, &err);
  if (status != LW_OK) return status;
  lw_linearization *l = lw_linearize(b->w, 0, q, NULL, &err);
  if (!l) return err.status;
  lw_modes *modes = lw_modes_new(l, &err);
  lw_linearization_free(l);
  if (!modes) return err.status;
  lw_modes_free(modes);
  l = lw_linearize(b->w, 0, b->q, b->u, &err);
  if (!l) return err.status;
  modes = lw_modes_new(l, &err);
  lw_linearization_free(l);
  if (!modes) return err.status;
  lw_modes_free(modes);
  status = lw_find_mobility(b->w, 0, b->q, &f);
  if (status == LW_OK) status = lw_complete_accelerations(b->w, 0, b->q, b->u, given, udot, &err);
  if (status == LW_OK)
    status = lw_actuator_loads(b->w, 0, b->q, b->u, udot, &(lw_actuators){2, actuator, tau}, &err);
  return status;
}

static void fail_each(const char *text)
{
  bench b = bench_of(text);
  const long before = live, start = allocations;
  lwt_ok(analyse(&b));
  const long n = allocations - start;
  assert_true(n > 10);
  assert_true(live == before);
  for (long k = 1; k <= n; k++) {
    fail_at = allocations + k;
    const lw_status status = analyse(&b);
    fail_at = 0;
    if (status != LW_E_MEMORY || live != before)
      fail_msg("allocation %ld of %ld: %s, %ld blocks lost", k, n, lw_status_text(status),
               live - before);
  }
  lw_work_free(b.w);
  lw_model_free(b.m);
}

static void a_closed_loop(void **state)
{
  (void)state;
  fail_each(
      "{linkwork: 1, gravity: [0, -9.81, 0], bodies: {a: {solid: {rod: {length: 1, mass: 1, axis: "
      "-y}}}, b: {solid: {rod: {length: 2, mass: 2, axis: -y}}}, c: {solid: {rod: {length: 2, "
      "mass: "
      "2, axis: -y}}}}, joints: {A: {type: revolute, parent: ground, child: a, q: 30 deg, u: 1, "
      "hold: true}, B: {type: revolute, parent: a, child: b, at: [0, -1, 0], q: 44 deg}, C: {type: "
      "revolute, parent: ground, child: c, at: [1, 0, 0], q: 45 deg}, D: {type: revolute, parent: "
      "b, "
      "child: c, at: [0, -2, 0], child_at: [0, -2, 0]}}}");
}

static void a_damped_tree(void **state)
{
  (void)state;
  fail_each(
      "{linkwork: 1, bodies: {a: {mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}}, joints: {A: "
      "{type: universal, parent: ground, child: a, axis: x, axis2: y, q: [0.3, 0.2], u: [0, 1]}}, "
      "forces: {s: {type: joint_spring, joint: A, stiffness: 3, damping: 1}}}");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_closed_loop),
                                     cmocka_unit_test(a_damped_tree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
