/* SPDX-License-Identifier: Apache-2.0 */
/* test_solvers.c -- every way to solve the linear system of the Cartesian form, and every numbering, on the
   seven-body mechanism and the 14-body vehicle. */
#include "linkwork/file.h"
#include "linkwork/solvers.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_model *m;
  lw_work *w;
  double *q, *u;
} shipped;

static shipped load(const char *name)
{
  const char *source = getenv("LINKWORK_SOURCE");
  char path[1000];
  lw_error err = {0};
  shipped x;
  snprintf(path, sizeof path, "%s/models/%s.yaml", source ? source : ".", name);
  lw_spec *spec = lw_spec_load(path, &err);
  x.m = spec ? lw_compile(spec, &err) : NULL;
  lw_spec_free(spec);
  if (!x.m) fail_msg("%s", err.text);
  x.w = lw_work_new(x.m);
  x.q = malloc(((size_t)lw_nq(x.m) + 1) * sizeof *x.q);
  x.u = malloc(((size_t)lw_nu(x.m) + 1) * sizeof *x.u);
  lw_initial_state(x.m, x.q, x.u);
  lwt_ok(lw_assemble(x.m, x.w, 0, x.q, x.u, &err));
  /* moving: quadratic terms too */
  for (int i = 0; i < lw_nu(x.m); i++)
    x.u[i] += 0.3 * sin(1.0 + i);
  lwt_ok(lw_project(x.m, x.w, 0, x.q, x.u));
  return x;
}

static void unload(shipped *x)
{
  free(x->q);
  free(x->u);
  lw_work_free(x->w);
  lw_model_free(x->m);
}

static lw_solver *solve(const shipped *x, int method, int order)
{
  lw_error err = {0};
  lw_solver *s = lw_solver_new(x->m, x->w, 0, x->q, x->u, (lw_solver_method)method,
                               (lw_order_method)order, &err);
  if (!s) fail_msg("%s", err.text);
  lwt_ok(lw_solver_run(s, 2)); /* the second time with kept pivots, where there are such */
  return s;
}

static void all_ways_and_numberings_agree(void **state)
{
  (void)state;
  static const char *const names[] = {"squeezer", "hmmwv"};
  for (int k = 0; k < 2; k++) {
    shipped x = load(names[k]);
    lw_solver *first = solve(&x, LW_SOLVER_SPARSE, LW_ORDER_METHODS);
    const int na = lw_solver_naccelerations(first), nl = lw_solver_nmultipliers(first);
    const double *a = lw_solver_accelerations(first), *l = lw_solver_multipliers(first);
    for (int i = 0; i < LW_SOLVER_METHODS; i++)
      for (int o = 0; o <= LW_ORDER_METHODS; o++) {
        lw_solver *s = solve(&x, i, o);
        lwt_close(lw_solver_accelerations(s), a, na, 1e-10, lwt_scale(a, na), "%s, %s", names[k],
                  lw_solver_method_name((lw_solver_method)i));
        lwt_close(lw_solver_multipliers(s), l, nl, 1e-10, lwt_scale(l, nl), "%s, %s", names[k],
                  lw_solver_method_name((lw_solver_method)i));
        lw_solver_free(s);
      }
    lw_solver_free(first);
    unload(&x);
  }
}

/* [Serban1997] sections 3 and 5 */
static void sizes_are_the_published_ones(void **state)
{
  (void)state;
  const struct {
    const char *name;
    int reduced, augmented;
  } known[] = {{"squeezer", 20, 41}, {"hmmwv", 73, 185}};
  for (int k = 0; k < 2; k++) {
    shipped x = load(known[k].name);
    lw_solver *r = solve(&x, LW_SOLVER_SPARSE, LW_ORDER_METHODS);
    lw_solver *a = solve(&x, LW_SOLVER_AUGMENTED_KLU, LW_ORDER_METHODS);
    assert_int_equal(lw_solver_size(r), known[k].reduced);
    assert_int_equal(lw_solver_size(a), known[k].augmented);
    lw_solver_free(r);
    lw_solver_free(a);
    unload(&x);
  }
}

static void the_joint_graph_of_the_squeezer_gets_its_least_work(void **state)
{
  (void)state;
  shipped x = load("squeezer");
  lw_joint_orders o;
  lwt_ok(lw_joint_orders_of(x.m, &o));
  assert_int_equal(o.nodes, 10);
  assert_int_equal(o.edges, 12);
  assert_int_equal(o.rows, 20);
  assert_true(o.cost[LW_ORDER_SEARCH].work == 37); /* the least of all 10! numberings */
  for (int i = 0; i < LW_ORDER_METHODS; i++)
    assert_true(o.multiplications <= o.cost[i].factor_multiplications);
  unload(&x);
}

static void bad_arguments_are_refused(void **state)
{
  (void)state;
  shipped x = load("squeezer");
  lw_error err = {0};
  assert_null(lw_solver_new(x.m, x.w, 0, x.q, x.u, LW_SOLVER_METHODS, LW_ORDER_SLOAN, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_solver_new(NULL, x.w, 0, x.q, x.u, LW_SOLVER_SPARSE, LW_ORDER_SLOAN, &err));
  assert_int_equal(lw_joint_orders_of(NULL, NULL), LW_E_ARG);
  assert_int_equal(lw_solver_run(NULL, 1), LW_E_ARG);
  lw_solver_free(NULL);
  unload(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_ways_and_numberings_agree),
      cmocka_unit_test(sizes_are_the_published_ones),
      cmocka_unit_test(the_joint_graph_of_the_squeezer_gets_its_least_work),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests_name("identity/solvers", tests, NULL, NULL);
}
