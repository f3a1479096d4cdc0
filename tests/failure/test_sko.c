/* SPDX-License-Identifier: Apache-2.0 */
/* SKO models: every failed allocation, wrong structure, call out of order and singular model. */
#include "../identity/sko_cases.h"

#include "graph/block.h"

/* in front of the library's, to fail */
static int alloc_count, alloc_fail_at = -1;
void *lwi_graph_alloc(size_t size)
{
  return alloc_count++ == alloc_fail_at ? NULL : calloc(1, size);
}

#define CHECK_FAILED_ALLOCATIONS(type, construct, destroy)                                         \
  do {                                                                                             \
    type *made = NULL;                                                                             \
    for (int fail_at = 0; !made; fail_at++) {                                                      \
      lw_error err = {.status = LW_OK};                                                            \
      assert_true(fail_at < 100);                                                                  \
      alloc_count = 0;                                                                             \
      alloc_fail_at = fail_at;                                                                     \
      made = construct;                                                                            \
      assert_int_equal(err.status, made ? LW_OK : LW_E_MEMORY);                                    \
    }                                                                                              \
    alloc_fail_at = -1;                                                                            \
    destroy(made);                                                                                 \
  } while (0)

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state)
{
  (void)state;
  sko_case s = sko_case_new(4, BODIES);
  const int parent[2] = {LW_NO_NODE, 0}, three[2] = {3, 3};
  const lw_sko_shape shape = {2, parent, three, three};
  unsigned char *set = (unsigned char *)pool_take(100, 1);
  set[0] = 1;
  CHECK_FAILED_ALLOCATIONS(lw_sko, lw_sko_new(&shape, &err), lw_sko_free);
  CHECK_FAILED_ALLOCATIONS(lw_sko, lw_sko_from_model(s.c.m, &err), lw_sko_free);
  CHECK_FAILED_ALLOCATIONS(lw_sko, lw_sko_aggregate_segments(s.k, &err), lw_sko_free);
  CHECK_FAILED_ALLOCATIONS(lw_sko, lw_sko_aggregate_set(s.k, set, &err), lw_sko_free);
  CHECK_FAILED_ALLOCATIONS(lw_sko, lw_sko_restrict(s.k, set, &err), lw_sko_free);
  CHECK_FAILED_ALLOCATIONS(lw_sko_partition, lw_sko_partition_new(s.k, set, &err),
                           lw_sko_partition_free);
  CHECK_FAILED_ALLOCATIONS(lw_mass_factor, lw_mass_factor_new(2, parent, &err),
                           lw_mass_factor_free);
  sko_case_free(&s);
}

static void wrong_structures_are_refused_with_their_reason(void **state)
{
  (void)state;
  lw_error err;
  const int cycle[2] = {1, 0}, chain[3] = {LW_NO_NODE, 0, 1}, one[3] = {1, 1, 1},
            bad[3] = {1, -1, 1};
  const int huge[3] = {2000000000, 2000000000, 2000000000}, none[3] = {0}, cyclic[3] = {0, 1, 0};
  const unsigned char gap[3] = {1, 0, 1};
  assert_null(lw_sko_new(NULL, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_sko_new(&(lw_sko_shape){2, cycle, one, one}, &err));
  assert_int_equal(err.status, LW_E_MODEL);
  assert_null(lw_sko_new(&(lw_sko_shape){3, chain, bad, one}, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_sko_new(&(lw_sko_shape){3, chain, huge, none}, &err));
  assert_int_equal(err.status, LW_E_MEMORY);
  lw_sko *k = lw_sko_new(&(lw_sko_shape){3, chain, one, one}, &err);
  assert_null(lw_sko_aggregate_set(k, gap, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_sko_restrict(k, gap, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_sko_partition_new(k, gap, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_sko_aggregate(k, 2, cyclic, &err));
  assert_int_equal(err.status, LW_E_MODEL);
  lw_sko_free(k);
}

static void calls_out_of_order_and_singular_models_are_refused(void **state)
{
  (void)state;
  sko_case s = sko_case_new(4, BODIES);
  lw_sko *fresh = lw_sko_from_model(s.c.m, NULL),
         *segments = lw_sko_aggregate_segments(fresh, NULL);
  double *x = vec_new(10000), y = 7;
  assert_int_equal(lw_sko_factor(fresh), LW_E_STAGE);
  assert_int_equal(lw_sko_refresh(segments), LW_E_STAGE);
  assert_int_equal(lw_sko_refresh(fresh), LW_E_ARG);
  assert_int_equal(lw_sko_apply(fresh, LW_SKO_A, x, x + 5000), LW_E_STAGE);
  assert_int_equal(lw_sko_apply(s.k, LW_SKO_PSI, x, x + 5000), LW_E_STAGE);
  assert_int_equal(lw_sko_forward_dynamics(s.k, x, x, NULL), LW_E_STAGE);
  assert_int_equal(lw_sko_get_compliance(s.k, 0, 0, x), LW_E_STAGE);
  assert_int_equal(lw_sko_set_block(s.k, LW_SKO_BLOCK_M, 0, x), LW_E_ARG);
  assert_int_equal(lw_sko_gather(s.k, LW_SKO_H, NULL, x), LW_E_ARG);

  /* one freedom that moves no mass */
  const int root = LW_NO_NODE, one = 1;
  const double number = 1, nan = (double)NAN;
  lw_sko *k = lw_sko_new(&(lw_sko_shape){1, &root, &one, &one}, NULL);
  lwt_ok(lw_sko_set_block(k, LW_SKO_BLOCK_H, 0, &number));
  assert_int_equal(lw_sko_factor(k), LW_E_SINGULAR);
  lwt_ok(lw_sko_set_block(k, LW_SKO_BLOCK_M, 0, &nan));
  assert_int_equal(lw_sko_factor(k), LW_E_NUMBER);
  lwt_ok(lw_sko_set_block(k, LW_SKO_BLOCK_M, 0, &number));
  lwt_ok(lw_sko_factor(k));
  assert_int_equal(lw_sko_forward_dynamics(k, &nan, &y, NULL), LW_E_NUMBER);
  assert_true(y == 7);
  lw_sko_free(k);
  lw_sko_free(segments);
  lw_sko_free(fresh);
  sko_case_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
      cmocka_unit_test(wrong_structures_are_refused_with_their_reason),
      cmocka_unit_test(calls_out_of_order_and_singular_models_are_refused),
  };
  return cmocka_run_group_tests_name("failure/sko", tests, NULL, NULL);
}
