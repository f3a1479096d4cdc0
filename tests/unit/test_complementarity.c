/* SPDX-License-Identifier: Apache-2.0 */
/* Linear complementarity problems with bounds: random ones, of full rank and not, symmetric and not, satisfy
   their conditions; problems without a solution are said to have none.  Cones of friction where A is singular. */
#include "linalg/complementarity.h"
#include "linalg/cones.h"
#include "lwt.h"

#include <math.h>

enum { MOST = 24 };

/* A = B B^T of a rank, plus a skew part that leaves A + A^T as it is */
static void random_matrix(lwt_random *r, int n, int rank, double skew, double *A)
{
  double B[MOST * MOST];
  for (int i = 0; i < n * rank; i++)
    B[i] = lwt_uniform(r, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i * n + j] = 0;
      for (int k = 0; k < rank; k++)
        A[i * n + j] += B[i * rank + k] * B[j * rank + k];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double s = skew * lwt_uniform(r, -1, 1);
      A[i * n + j] += s;
      A[j * n + i] -= s;
    }
}

static double largest(int n, const double *x)
{
  double most = 1;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* b is the image of loads, as it is in mechanics, so that a solution exists also if A is singular */
static void expect_solved(unsigned seed, int n, int rank, double skew, bool bounded)
{
  lwt_random r = lwt_seed(seed);
  double A[MOST * MOST], b[MOST], lower[MOST], upper[MOST], x[MOST], y[MOST];
  random_matrix(&r, n, rank, skew, A);
  for (int i = 0; i < n; i++)
    y[i] = lwt_uniform(&r, -2, 2);
  for (int i = 0; i < n; i++) {
    b[i] = skew > 0 ? lwt_uniform(&r, -1, 1) : 0;
    for (int j = 0; j < n && skew == 0; j++)
      b[i] -= A[i * n + j] * y[j];
    const bool boxed = bounded && lwt_pick(&r, 2);
    lower[i] = boxed ? -lwt_uniform(&r, 0, 1) : 0;
    upper[i] = boxed ? lwt_pick(&r, 5) == 0 ? lower[i] : -lower[i] : HUGE_VAL;
  }
  assert_int_equal(lwi_solve_complementarity(n, A, b, lower, upper, x), LWI_COMPLEMENTARITY_SOLVED);
  const double residual = lwi_complementarity_residual(n, A, b, lower, upper, x);
  if (!(residual <= 1e-10 * largest(n * n, A) * largest(n, x)))
    fail_msg("seed %u, n = %d, rank %d: residual %g", seed, n, rank, residual);
}

static void random_problems_of_full_rank_are_solved(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 400; seed++) {
    const int n = 1 + (int)seed % MOST;
    expect_solved(seed, n, n, 0, seed % 2);
  }
}

/* equivalent contacts: a table on many legs */
static void random_problems_of_less_rank_are_solved(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 400; seed++) {
    const int n = 2 + (int)seed % (MOST - 1);
    expect_solved(seed, n, 1 + (int)seed % ((n + 1) / 2), 0, seed % 2);
  }
}

static void problems_that_are_not_symmetric_are_solved(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 300; seed++) {
    const int n = 1 + (int)seed % MOST;
    expect_solved(seed, n, n, 0.5, seed % 2);
  }
}

/* x >= 0, w = -1 whatever x is */
static void a_problem_without_a_solution_ends_in_a_ray(void **state)
{
  (void)state;
  const double A[1] = {0}, b[1] = {-1}, lower[1] = {0}, upper[1] = {HUGE_VAL};
  double x[1];
  assert_int_equal(lwi_solve_complementarity(1, A, b, lower, upper, x), LWI_COMPLEMENTARITY_RAY);
}

/* by hand: two equal legs under a weight of 1; a block that its friction holds, and one that slips */
static void small_problems_have_their_known_solutions(void **state)
{
  (void)state;
  const double legs[4] = {1, 1, 1, 1}, weight[2] = {-1, -1}, zero[2] = {0},
               none[2] = {HUGE_VAL, HUGE_VAL};
  double x[2];
  assert_int_equal(lwi_solve_complementarity(2, legs, weight, zero, none, x),
                   LWI_COMPLEMENTARITY_SOLVED);
  lwt_near(x[0] + x[1], 1, 1e-14, "the weight is carried");
  const double mass[1] = {0.5}, low[1] = {-3}, high[1] = {3};
  double b[1] = {1};
  assert_int_equal(lwi_solve_complementarity(1, mass, b, low, high, x), LWI_COMPLEMENTARITY_SOLVED);
  lwt_near(x[0], -2, 1e-15, "sticks");
  b[0] = 2;
  assert_int_equal(lwi_solve_complementarity(1, mass, b, low, high, x), LWI_COMPLEMENTARITY_SOLVED);
  lwt_near(x[0], -3, 1e-15, "slips up");
  b[0] = -2;
  assert_int_equal(lwi_solve_complementarity(1, mass, b, low, high, x), LWI_COMPLEMENTARITY_SOLVED);
  lwt_near(x[0], 3, 1e-15, "slips down");
}

/* none may move */
static void a_wrong_solution_has_a_residual(void **state)
{
  (void)state;
  const double A[1] = {2}, b[1] = {-2}, lower[1] = {0}, upper[1] = {5}, right[1] = {1},
               wrong[1] = {2};
  assert_true(lwi_complementarity_residual(1, A, b, lower, upper, right) == 0);
  assert_true(lwi_complementarity_residual(1, A, b, lower, upper, wrong) == 2);
  assert_true(lwi_complementarity_residual(1, A, b, lower, upper, &(double){-1}) >= 2);
}

/* ---- cones ---- */

/* A contact with friction: a normal load and two across it.  Either it sticks, or it slides against its load. */
static void expect_contact(double A[9], double b[3], double friction)
{
  const lwi_cone cone[2] = {{.first = 0, .n = 1, .normal = -1, .upper = HUGE_VAL},
                            {.first = 1, .n = 2, .normal = 0, .coefficient = friction}};
  double x[3] = {0}, w[3], most = 0;
  assert_true(lwi_solve_cones(3, A, b, 0, 2, cone, x));
  for (int i = 0; i < 3; i++) {
    w[i] = b[i] + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
    most = fmax(most, fabs(b[i]));
  }
  const double across = hypot(x[1], x[2]), slip = hypot(w[1], w[2]);
  assert_true(x[0] > 0 && fabs(w[0]) <= 1e-12 * most);
  assert_true(across <= friction * x[0] * (1 + 1e-12));
  if (slip <= 1e-12 * most) return;
  assert_true(across >= friction * x[0] * (1 - 1e-12));
  assert_true(fabs(w[1] * x[1] + w[2] * x[2] + slip * across) <= 1e-9 * slip * across);
}

/* Of mechanisms with one and two freedoms, whose compliance is singular but for rounding errors. */
static void rounding_errors_of_cones_end(void **state)
{
  (void)state;
  double one[9] = {0.36769083306676681,  0.058569293676353502,  0.023985343826517014,
                   0.058569293676353627, 0.0093294742573145698, 0.0038206137335180727,
                   0.023985343826516708, 0.0038206137335180142, 0.0015646207812087757};
  double two[9] = {0.041548936432346271, 0.10558119952270414, 0.097658858932492723,
                   0.10558119952270416,  0.39000380114741934, 0.25838611454142918,
                   0.097658858932492723, 0.25838611454142912, 0.23040122869999602};
  expect_contact(one, (double[]){-0.36693462917609082, -0.05844883832699721, -0.023936014855844442},
                 0.349869);
  expect_contact(
      two, (double[]){-2.0333626956194801e-07, -7.3709315475199167e-07, -4.9644319774683384e-07},
      0.361426);
}

/* The load along the third direction acts as -k times the normal one.  With the normal load 1 in all, friction mu
   holds up to mu/sqrt(1 - k^2 mu^2) along the second: there the line of loads touches the cone. */
static void loads_that_touch_their_cone_are_found(void **state)
{
  (void)state;
  const double mu = 0.5;
  for (int i = 0; i < 9; i++) {
    const double k = 0.5 + 0.1 * i, most = mu / sqrt(1 - k * k * mu * mu);
    double A[9] = {1, 0, -k, 0, 1, 0, -k, 0, k * k};
    for (int j = -12; j <= 12; j++) {
      const double off = j == 0 ? 0 : (j < 0 ? -1 : 1) * pow(10, -fabs(j * 1.0) - 1);
      expect_contact(A, (double[]){-1, -most * (1 + off), k}, mu);
    }
  }
}

/* A brake whose load is just above what it holds, beside others: at its bound, whatever the scale of A. */
static void loads_just_beyond_their_bound_are_at_it(void **state)
{
  (void)state;
  for (int i = 0; i < 12; i++)
    for (int k = 8; k < 15; k++) {
      const double scale = pow(10, i - 4), most = 0.001;
      const double A[4] = {53559 * scale, -63272 * scale, -63272 * scale, 172049 * scale};
      const double held[2] = {most * (1 + pow(10, -k)), -0.51 * most};
      const double lower[2] = {-most, -most}, upper[2] = {most, most};
      double b[2], x[2];
      for (int j = 0; j < 2; j++)
        b[j] = -A[2 * j] * held[0] - A[2 * j + 1] * held[1];
      assert_int_equal(lwi_solve_complementarity(2, A, b, lower, upper, x),
                       LWI_COMPLEMENTARITY_SOLVED);
      assert_true(fabs(x[0] - most) <= 1e-13 * most);
      assert_true(lwi_complementarity_residual(2, A, b, lower, upper, x) <= 1e-11 * fabs(b[0]));
    }
}

/* Responses of rank one, and speeds that fit them to rounding errors of larger ones only: of an impact in a mechanism
   with one freedom. */
static void rounding_errors_of_dependent_speeds_do_not_go_round(void **state)
{
  (void)state;
  const double A[9] = {0.0093705900871656009,  0.036566366216238849,  -0.0090384893287853048,
                       0.036566366216238946,   0.14269102861424662,   -0.035270426703502424,
                       -0.0090384893287790233, -0.035270426703493994, 0.0087181584709870273};
  const double b[3] = {-4.4338324041605731e-05, -0.00017301913532153136, 4.2766940509518007e-05};
  const lwi_cone cone[2] = {{.first = 0, .n = 1, .normal = -1, .upper = HUGE_VAL},
                            {.first = 1, .n = 2, .normal = 0, .coefficient = 0.241602}};
  double x[3] = {0};
  assert_true(lwi_solve_cones(3, A, b, 1e-13, 2, cone, x));
  assert_true(hypot(x[1], x[2]) <= 0.241602 * x[0] * (1 + 1e-12));
  for (int i = 0; i < 3; i++)
    lwt_near(b[i] + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2], 0, 1e-12,
             "speed %d", i);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_problems_have_their_known_solutions),
      cmocka_unit_test(random_problems_of_full_rank_are_solved),
      cmocka_unit_test(random_problems_of_less_rank_are_solved),
      cmocka_unit_test(problems_that_are_not_symmetric_are_solved),
      cmocka_unit_test(a_problem_without_a_solution_ends_in_a_ray),
      cmocka_unit_test(a_wrong_solution_has_a_residual),
      cmocka_unit_test(rounding_errors_of_cones_end),
      cmocka_unit_test(loads_that_touch_their_cone_are_found),
      cmocka_unit_test(loads_just_beyond_their_bound_are_at_it),
      cmocka_unit_test(rounding_errors_of_dependent_speeds_do_not_go_round),
  };
  return cmocka_run_group_tests_name("unit/complementarity", tests, NULL, NULL);
}
