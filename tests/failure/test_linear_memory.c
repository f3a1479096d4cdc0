/* SPDX-License-Identifier: Apache-2.0 */
/* Numberings and linear systems: every failed allocation is reported and leaks nothing; solving allocates
   nothing. */
#include "cartesian/reduced/descriptor_system.h"
#include "lwt.h"

#include <string.h>

#include "wrapped_memory.h"

enum { N = 12, WIDTH = 3 };

/* a ladder of planar bodies: each holds the next, and the second next by one row */
typedef struct {
  lwi_descriptor_shape s;
  int row[2 * N + 1], touch[2 * N + 1], body[4 * N];
  lwi_descriptor_mass mass[N];
  double jacobian[4 * N * 2 * WIDTH], force[N * WIDTH], gamma[4 * N];
} ladder;

static void add_set(ladder *x, int rows, int a, int b)
{
  const int k = x->s.nset++;
  x->row[k + 1] = x->row[k] + rows;
  x->touch[k + 1] = x->touch[k];
  x->body[x->touch[k + 1]++] = a;
  if (b >= 0) x->body[x->touch[k + 1]++] = b;
}

static lwi_descriptor_values make(ladder *x)
{
  memset(x, 0, sizeof *x);
  x->s = (lwi_descriptor_shape){N, WIDTH, 0, x->row, x->touch, x->body};
  for (int i = 0; i < N; i++) {
    x->mass[i] = (lwi_descriptor_mass){1, 1, {1, 1, 1}, {1, 1, 1}};
    add_set(x, 1, i, i - 1);
    if (i > 1) add_set(x, 1, i, i - 2);
    x->force[WIDTH * i] = 1;
  }
  for (size_t i = 0; i < sizeof x->jacobian / sizeof *x->jacobian; i++)
    x->jacobian[i] = (double)(i * 7919 % 101) / 50 - 1;
  return (lwi_descriptor_values){x->mass, x->jacobian, x->force, x->gamma, NULL};
}

static void every_failed_allocation_of_a_plan_is_reported_and_leaks_nothing(void **state)
{
  (void)state;
  static ladder x;
  make(&x);
  lwi_descriptor_system *l = NULL;
  lw_status status = LW_E_MEMORY;
  const long before = live;
  /* single failures may be survived: what is left out then is the second way */
  for (int k = 1; status != LW_OK; k++) {
    assert_true(k < 5000);
    fail_at = allocations + k;
    fail_after = true;
    l = lwi_descriptor_new(&x.s, NULL, &status);
    fail_at = 0;
    fail_after = false;
    if (l) break;
    assert_int_equal(status, LW_E_MEMORY);
    assert_int_equal(live, before);
  }
  lwi_descriptor_free(l);
  assert_int_equal(live, before);
}

static void every_failed_allocation_of_a_numbering_is_reported(void **state)
{
  (void)state;
  enum { PATH = 300 };
  static int start[PATH + 1], neighbour[PATH], order[PATH];
  for (int v = 0; v < PATH; v++) {
    start[v + 1] = v + 1;
    neighbour[v] = v ? v - 1 : 1;
  }
  const lw_undirected g = {.nnode = PATH, .start = start, .neighbour = neighbour};
  const long before = live;
  for (int m = 0; m <= LW_ORDER_METHODS; m++) { /* the last: costs */
    lw_status status = LW_E_MEMORY;
    lw_order_cost cost;
    for (int k = 1; status != LW_OK; k++) {
      assert_true(k < 1000);
      fail_at = allocations + k;
      status = m < LW_ORDER_METHODS ? lw_order_nodes(&g, (lw_order_method)m, order)
                                    : lw_order_cost_of(&g, order, &cost);
      fail_at = 0;
      if (status != LW_OK) assert_int_equal(status, LW_E_MEMORY);
      assert_int_equal(live, before);
    }
  }
}

static void solving_allocates_nothing(void **state)
{
  (void)state;
  static ladder x;
  static double a[N * WIDTH], lambda[4 * N];
  const lwi_descriptor_values v = make(&x);
  lw_status status;
  lwi_descriptor_system *l = lwi_descriptor_new(&x.s, NULL, &status);
  const long before = allocations;
  lwt_ok(lwi_descriptor_solve(l, &v, a, lambda));
  lwt_ok(lwi_descriptor_solve_again(l, &v, a, lambda));
  memset(x.jacobian, 0, 8 * sizeof(double)); /* dependent rows: the careful way */
  lwt_ok(lwi_descriptor_solve(l, &v, a, lambda));
  assert_true(lwi_descriptor_rank(l) < lwi_descriptor_rows(&x.s));
  lwt_ok(lwi_descriptor_solve_again(l, &v, a, lambda));
  assert_int_equal(allocations, before);
  lwi_descriptor_free(l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failed_allocation_of_a_plan_is_reported_and_leaks_nothing),
      cmocka_unit_test(every_failed_allocation_of_a_numbering_is_reported),
      cmocka_unit_test(solving_allocates_nothing),
  };
  return cmocka_run_group_tests_name("failure/linear_memory", tests, NULL, NULL);
}
