/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer: every failed allocation is reported and leaks nothing; evaluations allocate nothing. */
#include "linkwork/dca_derivatives.h"
#include "lwt_loops.h"

#include "wrapped_memory.h"

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 2; seed++) { /* small, and too large for one block of an arena */
    lw_model *m = lwt_random_model(&(lwt_recipe){
        .seed = seed, .nbody = seed == 1 ? 5 : 300, .branching = 0.5, .joints = 1u << LW_REVOLUTE});
    lw_dca *d = NULL;
    long before = live;
    for (int k = 1; !d; k++) {
      lw_error err = {0};
      assert_true(k < 1000);
      fail_at = allocations + k;
      d = lw_dca_new(m, &(lw_dca_options){.threads = 2, .grain = 1}, &err);
      fail_at = 0;
      if (d) break;
      assert_int_equal(err.status, LW_E_MEMORY);
      assert_int_equal(live, before);
    }
    lw_dca_free(d);
    assert_int_equal(live, before);
    lw_model_free(m);
  }
}

static void evaluations_allocate_nothing(void **state)
{
  (void)state;
  lwt_case c =
      lwt_case_new(&(lwt_recipe){.seed = 8, .nbody = 40, .branching = 0.4, .forces = true});
  for (int threads = 1; threads <= 2; threads++) {
    lw_dca *d = lw_dca_new(c.m, &(lw_dca_options){.threads = threads, .grain = 1}, NULL);
    double load[6];
    const long before = allocations;
    lwt_ok(lw_dca_forward_dynamics(d, c.w, 0, c.q, c.u, c.tau, c.udot));
    lwt_ok(lw_dca_get_load(d, (lw_joint){1}, load));
    lwt_ok(lw_dca_get_acceleration(d, (lw_body){1}, load));
    assert_int_equal(allocations, before);
    lw_dca_free(d);
  }
  lwt_case_free(&c);
}

static void derivatives_too(void **state)
{
  (void)state;
  const lwt_loops loops = {.tree = {.seed = 17, .nbody = 12, .branching = 0.5},
                           .loops = 2,
                           .relations = 2,
                           .forces = true};
  lwt_case c = lwt_loops_case(&loops);
  lw_dca *d = lw_dca_new(c.m, NULL, NULL);
  lw_dca_derivatives *s = NULL;
  const long live_before = live;
  for (int k = 1; !s; k++) {
    lw_error err = {0};
    assert_true(k < 1000);
    fail_at = allocations + k;
    s = lw_dca_derivatives_new(d, 2, &err);
    fail_at = 0;
    if (s) break;
    assert_int_equal(err.status, LW_E_MEMORY);
    assert_int_equal(live, live_before);
  }
  double load[6];
  const lw_direction x = {.motion = c.u, .u = c.tau, .tau = c.tau};
  const long before = allocations;
  lwt_ok(lw_dca_linearize(s, c.w, c.t, c.q, c.u, c.tau, c.udot));
  lwt_ok(lw_dca_derivative(s, &x, c.x));
  lwt_ok(lw_dca_get_load_derivative(s, (lw_joint){1}, load));
  lwt_ok(lw_dca_derivative_many(s, 1, &x, c.x));
  assert_int_equal(allocations, before);
  lw_dca_derivatives_free(s);
  assert_int_equal(live, live_before);
  lw_dca_free(d);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
      cmocka_unit_test(evaluations_allocate_nothing),
      cmocka_unit_test(derivatives_too),
  };
  return cmocka_run_group_tests_name("failure/dca_memory", tests, NULL, NULL);
}
