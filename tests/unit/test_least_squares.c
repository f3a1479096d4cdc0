/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares between bounds: reflections and singular values, problems with known solutions, bounds, points where residuals do not
   exist; quantiles of Student's distribution. */
#include "linkwork/fit.h"
#include "lwt.h"
#include "study/least_squares.h"

#include <math.h>
#include <string.h>

/* numbers between -1 and 1 that are always the same */
static double number(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

static void reflections_keep_products_of_columns(void **state)
{
  (void)state;
  enum { M = 9, N = 4 };
  unsigned seed = 7;
  double A[N * M], b[M], Q[N * M], c[M], R[N * N];
  for (int i = 0; i < N * M; i++)
    Q[i] = A[i] = number(&seed);
  for (int i = 0; i < M; i++)
    c[i] = b[i] = number(&seed);
  lwi_orthogonalise(M, N, Q, c, R);
  for (int i = 0; i < N; i++) {
    double right = 0, reduced = 0;
    for (int k = 0; k < M; k++)
      right += A[i * M + k] * b[k];
    for (int k = 0; k <= i; k++)
      reduced += R[k * N + i] * c[k];
    assert_true(fabs(right - reduced) < 1e-14);
    for (int j = 0; j < N; j++) {
      double whole = 0, product = 0;
      for (int k = 0; k < M; k++)
        whole += A[i * M + k] * A[j * M + k];
      for (int k = 0; k < N; k++)
        product += R[k * N + i] * R[k * N + j];
      assert_true(fabs(whole - product) < 1e-14);
    }
  }
}

static void small_singular_values_are_as_accurate_as_large_ones(void **state)
{
  (void)state;
  /* a turn by 0.3 of diag(1, 1e-12) */
  const double c = cos(0.3), s = sin(0.3);
  double R[4] = {c, s, -1e-12 * s, 1e-12 * c}, value[2], V[4];
  lwi_singular_values(2, R, value, V);
  assert_true(fabs(value[0] - 1) < 1e-15 && fabs(value[1] / 1e-12 - 1) < 1e-3);
  assert_true(fabs(fabs(V[0] * c + V[1] * s) - 1) < 1e-15);
}

/* Rosenbrock's valley; no value where x_0 > most */
typedef struct {
  double most;
  int calls;
} valley;

static lwi_evaluation rosenbrock(void *context, const double x[], double r[], double J[])
{
  valley *v = context;
  v->calls++;
  if (x[0] > v->most) return LWI_NOT_THERE;
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
  J[0] = -20 * x[0];
  J[1] = -1;
  J[2] = 10;
  J[3] = 0;
  return LWI_EVALUATED;
}

static void solve(valley *v, const double min[2], const double max[2], double x[2])
{
  const lwi_least_squares p = {.n = 2,
                               .m = 2,
                               .min = min,
                               .max = max,
                               .evaluate = rosenbrock,
                               .context = v,
                               .tolerance = 1e-12,
                               .iterations = 500};
  double r[2], J[4];
  lwi_end end;
  lwt_ok(lwi_least_squares_solve(&p, x, r, J, &end));
}

static const double FREE[2] = {HUGE_VAL, HUGE_VAL}, NONE[2] = {-HUGE_VAL, -HUGE_VAL};

static void the_valley_is_followed_to_its_end(void **state)
{
  (void)state;
  double x[2] = {-1.2, 1};
  valley v = {HUGE_VAL, 0};
  solve(&v, NONE, FREE, x);
  assert_true(fabs(x[0] - 1) < 1e-10 && fabs(x[1] - 1) < 1e-10 && v.calls < 60);
}

static void bounds_are_kept_and_left_again(void **state)
{
  (void)state;
  double x[2] = {-1.2, 1};
  const double max[2] = {0.8, HUGE_VAL}, min[2] = {-HUGE_VAL, 0.9};
  valley v = {0.8, 0};
  solve(&v, NONE, max, x); /* never evaluated beyond */
  assert_true(fabs(x[0] - 0.8) < 1e-14 && fabs(x[1] - 0.64) < 1e-9);
  x[0] = 0.5, x[1] = 0.9; /* at the bound of x_1, which the solution is not at */
  v.most = HUGE_VAL;
  solve(&v, min, FREE, x);
  assert_true(fabs(x[0] - 1) < 1e-9 && fabs(x[1] - 1) < 1e-9);
}

static void points_without_residuals_are_stepped_back_from(void **state)
{
  (void)state;
  double x[2] = {-1.2, 1};
  valley v = {1.0000001, 0}; /* just behind the solution */
  solve(&v, NONE, FREE, x);
  assert_true(fabs(x[0] - 1) < 1e-6);
}

static void quantiles_are_those_of_tables(void **state)
{
  (void)state;
  const double table[][3] = {/* freedom, probability, quantile: Abramowitz, Stegun, table 26.10 */
                             {1, 0.95, 12.706},      {2, 0.95, 4.303},  {5, 0.95, 2.571},
                             {10, 0.9, 1.812},       {30, 0.99, 2.750}, {120, 0.95, 1.980},
                             {HUGE_VAL, 0.95, 1.960}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    assert_true(fabs(lw_student_quantile(table[i][1], table[i][0]) - table[i][2]) < 6e-4);
  assert_true(fabs(lw_student_quantile(0.5, 1) - 1) < 1e-14); /* Cauchy's */
  assert_true(fabs(lw_student_quantile(0.95, 1e9) - lw_student_quantile(0.95, HUGE_VAL)) < 1e-7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reflections_keep_products_of_columns),
      cmocka_unit_test(small_singular_values_are_as_accurate_as_large_ones),
      cmocka_unit_test(the_valley_is_followed_to_its_end),
      cmocka_unit_test(bounds_are_kept_and_left_again),
      cmocka_unit_test(points_without_residuals_are_stepped_back_from),
      cmocka_unit_test(quantiles_are_those_of_tables),
  };
  return cmocka_run_group_tests_name("unit/least_squares", tests, NULL, NULL);
}
