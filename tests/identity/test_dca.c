/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer against the articulated-body recursion on trees, and against a dense solution in
   the coordinates of all bodies where there are loops; every number of threads gives the same bits. */
#include "linkwork/dca.h"
#include "linkwork/reader.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dca/dca.h"
#include "dca_cases.h"

/* ---- trees ---- */

static void check_tree_case(lwt_case c, const lwt_recipe *r)
{
  lw_error err;
  lw_dca *d = lw_dca_new(c.m, NULL, &err);
  if (!d) fail_msg("seed %u: %s", r->seed, err.text);
  lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
  lwt_ok(lw_joint_loads(c.w));
  double(*load)[6] = calloc((size_t)lw_njoint(c.m) + 1, sizeof *load), scale = 1;
  for (int j = 1; j <= lw_njoint(c.m); j++) {
    lwt_ok(lw_get_load(c.w, (lw_joint){j}, load[j]));
    scale = fmax(scale, lwt_scale(load[j], 6));
  }
  lwt_ok(lw_dca_forward_dynamics(d, c.w, c.t, c.q, c.u, c.tau, c.x));
  lwt_close(c.x, c.udot, c.nu, 1e-9, lwt_scale(c.udot, c.nu), "udot, seed %u", r->seed);
  for (int j = 1; j <= lw_njoint(c.m); j++) {
    double f[6];
    lwt_ok(lw_dca_get_load(d, (lw_joint){j}, f));
    lwt_close(f, load[j], 6, 1e-9, scale, "load of joint %d (%s), seed %u", j,
              lw_joint_type_name(lw_get_joint(c.m, (lw_joint){j}).type), r->seed);
  }
  assert_int_equal(lw_dca_redundant(d), 0);
  free(load);
  lw_dca_free(d);
  lwt_case_free(&c);
}

static void check_tree(const lwt_recipe *r)
{
  check_tree_case(lwt_case_new(r), r);
}

static void trees_move_as_in_the_articulated_body_recursion(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++)
    check_tree(&(lwt_recipe){.seed = seed,
                             .nbody = 1 + (int)(seed % 14),
                             .branching = 0.5 * (seed % 3),
                             .floating = seed % 4 == 0,
                             .loose = seed % 4 == 1,
                             .forces = seed % 2 == 0});
}

static void planar_trees_move_as_in_the_articulated_body_recursion(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 30; seed++)
    check_tree(&(lwt_recipe){.seed = seed,
                             .nbody = 1 + (int)(seed % 12),
                             .branching = 0.5 * (seed % 3),
                             .planar = true,
                             .loose = seed % 3 == 1,
                             .forces = seed % 2 == 0});
}

/* every other body becomes a rod along some axis */
static void rods_need_no_inertia_about_their_axes(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 30; seed++) {
    const lwt_recipe r = {.seed = seed,
                          .nbody = 1 + (int)(seed % 9),
                          .branching = 0.5 * (seed % 3),
                          .forces = seed % 2 == 0,
                          .joints = 1u << LW_REVOLUTE | 1u << LW_FIXED | 1u << LW_CYLINDRICAL |
                                    1u << LW_PRISMATIC | 1u << LW_HELICAL | 1u << LW_PLANAR};
    lwt_parts *p = lwt_random_parts(&r);
    lwt_random random = lwt_seed(seed);
    for (int i = 0; i < p->nbody; i += 1 + (int)(seed % 2)) {
      double y[3], *I = p->body[i].inertia;
      lwt_unit_vector(&random, y);
      for (int k = 0; k < 3; k++)
        I[k] = 0.3 * (1 - y[k] * y[k]);
      I[3] = -0.3 * y[0] * y[1], I[4] = -0.3 * y[0] * y[2], I[5] = -0.3 * y[1] * y[2];
    }
    check_tree_case(lwt_case_of(lwt_parts_compile(p), seed), &r);
    lwt_parts_free(p);
  }
}

/* ---- loops ---- */

static void check_loops(const dca_recipe *r, int redundant)
{
  lw_error err;
  dca_case c = dca_case_new(r);
  lw_dca *d = lw_dca_new(c.m, NULL, &err);
  if (!d) fail_msg("seed %u: %s", r->seed, err.text);
  lw_work *w = lw_work_new(c.m);
  const int nu = lw_nu(c.m);
  double *udot = calloc((size_t)nu + 1, sizeof *udot);
  lwt_ok(lw_dca_forward_dynamics(d, w, 0, c.q, c.u, c.tau, udot));
  const double scale = fmax(1, lwt_scale(c.A, 6 * c.nbody));
  for (int b = 1; b <= c.nbody; b++) {
    double A[6];
    lwt_ok(lw_dca_get_acceleration(d, (lw_body){b}, A));
    lwt_close(A, c.A + 6 * (b - 1), 6, 1e-9, scale, "body %d, seed %u", b, r->seed);
  }
  lwt_close(udot, c.udot, nu, 1e-9, fmax(scale, lwt_scale(c.udot, nu)), "udot, seed %u", r->seed);
  dca_case_check_loads(&c, d, c.lambda);
  if (redundant >= 0) assert_int_equal(lw_dca_redundant(d), redundant);
  assert_int_equal(lw_dca_redundant(d), c.nrow - c.rank);
  free(udot);
  lw_work_free(w);
  lw_dca_free(d);
  dca_case_free(&c);
}

static void one_loop_moves_as_in_the_dense_solution(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 25; seed++)
    check_loops(&(dca_recipe){.seed = seed,
                              .nbody = 3 + (int)(seed % 8),
                              .nloop = 1,
                              .floating = seed % 3 == 0,
                              .branching = seed % 2 ? 0 : 0.6},
                -1);
}

static void coupled_loops_move_as_in_the_dense_solution(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 16; seed++)
    check_loops(&(dca_recipe){.seed = seed + 100,
                              .nbody = 8 + (int)(seed % 8),
                              .nloop = 2 + (int)(seed % 4),
                              .floating = seed % 3 == 0,
                              .branching = 0.3},
                -1);
}

static void a_body_with_many_joints_moves_as_in_the_dense_solution(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 10; seed++)
    check_loops(
        &(dca_recipe){
            .seed = seed + 200, .nbody = 10, .nloop = 3, .hub = true, .floating = seed % 2 == 0},
        -1);
}

static void geometric_constraints_act_as_in_the_dense_solution(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 25; seed++)
    check_loops(&(dca_recipe){.seed = seed + 300,
                              .nbody = 4 + (int)(seed % 6),
                              .nconstraint = 1 + (int)(seed % 4),
                              .floating = seed % 3 == 0,
                              .branching = 0.5},
                -1);
}

static void spatial_hinges_may_close_planar_loops(void **state)
{
  (void)state;
  static const int from[] = {0, 1, 2, 0}, to[] = {1, 2, 3, 3};
  for (unsigned seed = 1; seed <= 10; seed++) /* four-bar: 3 of 20 equations are redundant */
    check_loops(
        &(dca_recipe){.seed = seed, .nbody = 3, .flat = 4, .flat_from = from, .flat_to = to}, 3);
}

static void spatial_hinges_may_make_a_squeezer(void **state)
{
  (void)state;
  static const int from[] = {0, 1, 2, 2, 2, 0, 4, 0, 6, 0}, to[] = {1, 2, 3, 4, 6, 3, 5, 5, 7, 7};
  for (unsigned seed = 1; seed <= 10; seed++) /* rank 41 of 50 */
    check_loops(
        &(dca_recipe){.seed = seed, .nbody = 7, .flat = 10, .flat_from = from, .flat_to = to}, 9);
}

static void a_joint_may_be_there_twice(void **state)
{
  (void)state;
  static const int from[] = {0, 1, 1, 2}, to[] = {1, 2, 2, 3};
  for (unsigned seed = 1; seed <= 5; seed++)
    check_loops(&(dca_recipe){.seed = seed,
                              .nbody = 3,
                              .flat = 4,
                              .flat_from = from,
                              .flat_to = to,
                              .same_place = true},
                5);
}

/* ---- threads ---- */

static void check_threads(const lw_model *m, const double *q, const double *u, const double *tau)
{
  const int nu = lw_nu(m);
  double *first = calloc((size_t)nu + 1, sizeof *first),
         *udot = calloc((size_t)nu + 1, sizeof *udot);
  double(*load)[6] = calloc((size_t)lw_njoint(m) + 1, sizeof *load);
  lw_work *w = lw_work_new(m);
  for (int threads = 1; threads <= 4; threads++) {
    lw_dca *d = lw_dca_new(m, &(lw_dca_options){.threads = threads, .grain = 1}, NULL);
    assert_non_null(d);
    for (int repeat = 0; repeat < 3; repeat++) {
      lwt_ok(lw_dca_forward_dynamics(d, w, 0.3, q, u, tau, threads == 1 ? first : udot));
      if (threads > 1) assert_memory_equal(udot, first, (size_t)nu * sizeof *udot);
      for (int j = 1; j <= lw_njoint(m); j++) {
        double f[6];
        lwt_ok(lw_dca_get_load(d, (lw_joint){j}, f));
        if (threads == 1)
          memcpy(load[j], f, sizeof f);
        else
          assert_memory_equal(load[j], f, sizeof f);
      }
    }
    lw_dca_free(d);
  }
  lw_work_free(w);
  free(first);
  free(udot);
  free(load);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    lwt_case c = lwt_case_new(&(lwt_recipe){.seed = seed,
                                            .nbody = seed < 6 ? 30 * (int)seed : 700,
                                            .branching = 0.5 * (seed % 3),
                                            .loose = seed % 2,
                                            .forces = seed % 2});
    check_threads(c.m, c.q, c.u, c.tau);
    lwt_case_free(&c);
  }
  for (unsigned seed = 1; seed <= 6; seed++) {
    dca_case c = dca_case_new(&(dca_recipe){
        .seed = seed + 400, .nbody = 6 + (int)seed, .nloop = 1 + (int)seed / 2, .branching = 0.4});
    check_threads(c.m, c.q, c.u, c.tau);
    dca_case_free(&c);
  }
}

/* Kinematics are computed as blocks need them.  What another state has left in the work would show. */
static void large_trees_have_the_kinematics_of_their_state(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    lwt_case c = lwt_case_new(&(lwt_recipe){.seed = seed + 70,
                                            .nbody = 900,
                                            .branching = 0.25 * (seed % 3),
                                            .floating = seed == 2,
                                            .joints = seed % 2 ? 1u << LW_REVOLUTE : 0});
    double *q = calloc((size_t)c.nq + 1, sizeof *q), *u = calloc((size_t)c.nu + 1, sizeof *u);
    lwt_random_state(c.m, seed + 170, q, u);
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, c.tau, c.udot));
    for (int threads = 1; threads <= 4; threads++) {
      lw_dca *d = lw_dca_new(c.m, &(lw_dca_options){.threads = threads, .grain = 1}, NULL);
      assert_non_null(d);
      lwt_ok(lw_kinematics(c.w, q, u));
      lwt_ok(lw_dca_forward_dynamics(d, c.w, 0, c.q, c.u, c.tau, c.x));
      lwt_close(c.x, c.udot, c.nu, 1e-9, lwt_scale(c.udot, c.nu), "seed %u, %d threads", seed,
                threads);
      lw_dca_free(d);
    }
    free(q);
    free(u);
    lwt_case_free(&c);
  }
}

static void every_instruction_set_gives_the_same_numbers(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 10; seed++) {
    dca_case c = dca_case_new(&(dca_recipe){
        .seed = seed + 500, .nbody = 12, .nloop = 2, .nconstraint = 1, .branching = 0.4});
    lw_work *w = lw_work_new(c.m);
    lw_dca *d = lw_dca_new(c.m, NULL, NULL);
    const int nu = lw_nu(c.m);
    double *udot = calloc((size_t)nu + 1, sizeof *udot);
    for (int i = 0; lwi_dca_kernels_at(i); i++) {
      d->code = lwi_dca_kernels_at(i);
      lwt_ok(lw_dca_forward_dynamics(d, w, 0, c.q, c.u, c.tau, udot));
      lwt_close(udot, c.udot, nu, 1e-9, fmax(1, lwt_scale(c.udot, nu)), "%s, seed %u",
                d->code->name, seed);
      dca_case_check_loads(&c, d, c.lambda);
    }
    free(udot);
    lw_dca_free(d);
    lw_work_free(w);
    dca_case_free(&c);
  }
}

/* ---- mistakes ---- */

static void results_come_after_the_call_that_computes_them(void **state)
{
  (void)state;
  lwt_case c = lwt_case_new(&(lwt_recipe){.seed = 3, .nbody = 4});
  lw_dca *d = lw_dca_new(c.m, NULL, NULL);
  double x[6];
  assert_int_equal(lw_dca_get_load(d, (lw_joint){1}, x), LW_E_STAGE);
  assert_int_equal(lw_dca_get_acceleration(d, (lw_body){1}, x), LW_E_STAGE);
  lwt_ok(lw_dca_forward_dynamics(d, c.w, 0, c.q, c.u, NULL, c.udot));
  lwt_ok(lw_dca_get_load(d, (lw_joint){1}, x));
  assert_int_equal(lw_dca_get_load(d, (lw_joint){0}, x), LW_E_ARG);
  assert_int_equal(lw_dca_get_load(d, (lw_joint){5}, x), LW_E_ARG);
  assert_int_equal(lw_dca_get_constraint_load(d, (lw_constraint){1}, x), LW_E_ARG);
  assert_int_equal(lw_dca_get_acceleration(d, (lw_body){5}, x), LW_E_ARG);
  c.u[0] = (double)NAN;
  const double before = c.udot[0];
  assert_int_equal(lw_dca_forward_dynamics(d, c.w, 0, c.q, c.u, NULL, c.udot), LW_E_NUMBER);
  assert_true(c.udot[0] == before);
  assert_int_equal(lw_dca_get_load(d, (lw_joint){1}, x), LW_E_STAGE);
  assert_int_equal(lw_dca_forward_dynamics(NULL, c.w, 0, c.q, c.u, NULL, c.udot), LW_E_ARG);
  assert_int_equal(lw_dca_forward_dynamics(d, NULL, 0, c.q, c.u, NULL, c.udot), LW_E_ARG);
  assert_null(lw_dca_new(NULL, NULL, NULL));
  assert_null(lw_dca_new(c.m, &(lw_dca_options){.threads = -1}, NULL));
  lw_dca_free(NULL);
  lw_dca_free(d);
  lwt_case_free(&c);
}

static void the_plan_says_what_it_costs(void **state)
{
  (void)state;
  lwt_case c = lwt_case_new(&(lwt_recipe){.seed = 3, .nbody = 64, .joints = 1u << LW_REVOLUTE});
  lw_dca *d = lw_dca_new(c.m, NULL, NULL);
  const lw_dca_info info = lw_dca_get_info(d);
  assert_int_equal(info.widest, 2);
  assert_in_range(info.depth, 6, 7);
  assert_true(info.critical < info.operations / 5);
  assert_true(lw_dca_speed_up(d, 4) > 3 && lw_dca_speed_up(d, 1) < 1.001);
  lw_dca_free(d);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_move_as_in_the_articulated_body_recursion),
      cmocka_unit_test(planar_trees_move_as_in_the_articulated_body_recursion),
      cmocka_unit_test(rods_need_no_inertia_about_their_axes),
      cmocka_unit_test(one_loop_moves_as_in_the_dense_solution),
      cmocka_unit_test(coupled_loops_move_as_in_the_dense_solution),
      cmocka_unit_test(a_body_with_many_joints_moves_as_in_the_dense_solution),
      cmocka_unit_test(geometric_constraints_act_as_in_the_dense_solution),
      cmocka_unit_test(spatial_hinges_may_close_planar_loops),
      cmocka_unit_test(spatial_hinges_may_make_a_squeezer),
      cmocka_unit_test(a_joint_may_be_there_twice),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(large_trees_have_the_kinematics_of_their_state),
      cmocka_unit_test(every_instruction_set_gives_the_same_numbers),
      cmocka_unit_test(results_come_after_the_call_that_computes_them),
      cmocka_unit_test(the_plan_says_what_it_costs),
  };
  return cmocka_run_group_tests_name("identity/dca", tests, NULL, NULL);
}
