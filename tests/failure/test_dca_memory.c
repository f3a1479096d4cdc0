/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer: every failed allocation is reported and leaks nothing; evaluations allocate nothing. */
#include "linkwork/dca.h"
#include "lwt.h"

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
    lwt_ok(lw_dca_forward_dynamics(d, c.m, c.w, 0, c.q, c.u, c.tau, c.udot));
    lwt_ok(lw_dca_get_load(d, c.m, (lw_joint){1}, load));
    lwt_ok(lw_dca_get_acceleration(d, c.m, (lw_body){1}, load));
    assert_int_equal(allocations, before);
    lw_dca_free(d);
  }
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
      cmocka_unit_test(evaluations_allocate_nothing),
  };
  return cmocka_run_group_tests_name("failure/dca_memory", tests, NULL, NULL);
}
