/* SPDX-License-Identifier: Apache-2.0 */
/* test_solvers.c -- every way to solve the linear system of the Cartesian form, and every numbering, on the
   seven-body mechanism and the 14-body vehicle. */
#include "linkwork/file.h"
#include "linkwork/solvers.h"
#include "linkwork/loops.h"
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
  lwt_ok(lw_close_loops(x.w, 0, x.q, x.u, &err));
  /* moving: quadratic terms too */
  for (int i = 0; i < lw_nu(x.m); i++)
    x.u[i] += 0.3 * sin(1.0 + i);
  lwt_ok(lw_project(x.w, 0, x.q, x.u));
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
  lw_solver *s =
      lw_solver_new(x->w, 0, x->q, x->u, (lw_solver_method)method, (lw_order_method)order, &err);
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
    const int na = lw_solver_get_solution(first).naccelerations,
              nl = lw_solver_get_solution(first).nmultipliers;
    const double *a = lw_solver_get_solution(first).accelerations,
                 *l = lw_solver_get_solution(first).multipliers;
    for (int i = 0; i < LW_SOLVER_METHODS; i++)
      for (int o = 0; o <= LW_ORDER_METHODS; o++) {
        lw_solver *s = solve(&x, i, o);
        lwt_close(lw_solver_get_solution(s).accelerations, a, na, 1e-10, lwt_scale(a, na), "%s, %s",
                  names[k], lw_solver_method_name((lw_solver_method)i));
        lwt_close(lw_solver_get_solution(s).multipliers, l, nl, 1e-10, lwt_scale(l, nl), "%s, %s",
                  names[k], lw_solver_method_name((lw_solver_method)i));
        lw_solver_free(s);
      }
    lw_solver_free(first);
    unload(&x);
  }
}

/* [Serban1997] sections 3 and 5 */
/* bodies in chains and bushes on the ground, several groups of them, joints and bodies in any order */
static lw_model *forest(unsigned seed, int nbody, int ngroup, bool planar)
{
  lwt_random r = lwt_seed(seed);
  lwt_parts *p = lwt_parts_new(nbody, nbody);
  int *place = calloc((size_t)nbody, sizeof *place);
  p->planar = planar;
  p->gravity[1] = -9.81;
  for (int i = 0; i < nbody; i++) { /* the body and joint that comes i-th: all in another place */
    const int k = lwt_pick(&r, i + 1);
    place[i] = place[k];
    place[k] = i;
  }
  for (int i = 0; i < nbody; i++) {
    const int parent = i < ngroup ? 0 : 1 + place[i - ngroup + lwt_pick(&r, ngroup)];
    lw_body_desc *b = &p->body[place[i]];
    lw_joint_desc *j = &p->joint[place[i]];
    *b = (lw_body_desc){.mass = lwt_uniform(&r, 0.5, 2)};
    *j = (lw_joint_desc){.type = planar || i % 3 ? LW_REVOLUTE : LW_UNIVERSAL,
                         .parent = {parent},
                         .child = {1 + place[i]}};
    for (int k = 0; k < (planar ? 2 : 3); k++) {
      b->com[k] = lwt_uniform(&r, -0.3, 0.3);
      j->place.at[k] = lwt_uniform(&r, -1, 1);
      j->axis[k] = planar ? 0 : lwt_uniform(&r, -1, 1);
    }
    for (int k = 0; k < 3; k++)
      b->inertia[k] = lwt_uniform(&r, 0.5, 0.9);
    j->axis2[0] = 1;
  }
  lw_model *m = lwt_parts_compile(p);
  lwt_parts_free(p);
  free(place);
  return m;
}

static void forests_are_solved_in_every_way(void **state)
{
  (void)state;
  static const int sizes[][2] = {{1, 1}, {5, 3}, {12, 1}, {40, 7}, {101, 2}, {130, 130}};
  for (unsigned k = 0; k < 6; k++) {
    lwt_case c = lwt_case_of(forest(7 + k, sizes[k][0], sizes[k][1], k % 2 == 1), k);
    shipped x = {c.m, c.w, c.q, c.u};
    lw_solver *first = solve(&x, LW_SOLVER_SPARSE, LW_ORDER_METHODS);
    const int na = lw_solver_get_solution(first).naccelerations;
    const double *a = lw_solver_get_solution(first).accelerations;
    for (int i = 0; i < LW_SOLVER_METHODS; i++) {
      lw_solver *s = solve(&x, i, i % 2 ? LW_ORDER_METHODS : 0);
      lwt_close(lw_solver_get_solution(s).accelerations, a, na, 1e-9, lwt_scale(a, na),
                "%d bodies, %s", sizes[k][0], lw_solver_method_name((lw_solver_method)i));
      lw_solver_free(s);
    }
    lw_solver_free(first);
    lwt_case_free(&c);
  }
}

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
    assert_int_equal(lw_solver_get_solution(r).size, known[k].reduced);
    assert_int_equal(lw_solver_get_solution(a).size, known[k].augmented);
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

/* A x = b for the solution of another way, and columns as other solvers want them */
static void the_system_given_to_others_is_the_one_solved(void **state)
{
  (void)state;
  shipped x = load("squeezer"); /* planar: its unknowns are accelerations and multipliers */
  lw_sparse_system s;
  lw_solver *r = solve(&x, LW_SOLVER_SPARSE, LW_ORDER_METHODS);
  lw_solver *a = solve(&x, LW_SOLVER_AUGMENTED_KLU, LW_ORDER_METHODS);
  const int na = lw_solver_get_solution(r).naccelerations,
            n = na + lw_solver_get_solution(r).nmultipliers;
  double left[41] = {0};
  assert_int_equal(lw_solver_get_system(r, &s), LW_E_UNSUPPORTED);
  assert_int_equal(lw_solver_get_system(NULL, &s), LW_E_ARG);
  lwt_ok(lw_solver_get_system(a, &s));
  assert_int_equal(s.n, n);
  assert_int_equal(n, 41);
  for (int j = 0; j < n; j++)
    for (int k = s.column_start[j]; k < s.column_start[j + 1]; k++) {
      assert_true(k == s.column_start[j] || s.row[k] > s.row[k - 1]);
      left[s.row[k]] += s.value[k] * (j < na ? lw_solver_get_solution(r).accelerations[j]
                                             : lw_solver_get_solution(r).multipliers[j - na]);
    }
  lwt_close(left, s.right_side, n, 1e-10, lwt_scale(s.right_side, n), "A x");
  lw_solver_free(r);
  lw_solver_free(a);
  unload(&x);
}

static void bad_arguments_are_refused(void **state)
{
  (void)state;
  shipped x = load("squeezer");
  lw_error err = {0};
  assert_null(lw_solver_new(x.w, 0, x.q, x.u, LW_SOLVER_METHODS, LW_ORDER_SLOAN, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_solver_new(NULL, 0, x.q, x.u, LW_SOLVER_SPARSE, LW_ORDER_SLOAN, &err));
  assert_int_equal(lw_joint_orders_of(NULL, NULL), LW_E_ARG);
  assert_int_equal(lw_solver_run(NULL, 1), LW_E_ARG);
  lw_solver_free(NULL);
  unload(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_ways_and_numberings_agree),
      cmocka_unit_test(forests_are_solved_in_every_way),
      cmocka_unit_test(sizes_are_the_published_ones),
      cmocka_unit_test(the_joint_graph_of_the_squeezer_gets_its_least_work),
      cmocka_unit_test(the_system_given_to_others_is_the_one_solved),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests_name("identity/solvers", tests, NULL, NULL);
}
