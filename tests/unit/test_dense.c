/* SPDX-License-Identifier: Apache-2.0 */
/* Small dense matrices against their definitions, entry by entry, for sizes 0 to 12. */
#include "lwt.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 12, AREA = MOST * MOST, CASES = 200 };

typedef struct {
  int m, l, n;
  double A[AREA], B[AREA], C[AREA], x[MOST], y[MOST];
} numbers;

static numbers random_numbers(unsigned seed)
{
  lwt_random r = lwt_seed(seed);
  numbers a = {
      .m = lwt_pick(&r, MOST + 1), .l = lwt_pick(&r, MOST + 1), .n = lwt_pick(&r, MOST + 1)};
  for (int i = 0; i < AREA; i++) {
    a.A[i] = lwt_uniform(&r, -1, 1);
    a.B[i] = lwt_uniform(&r, -1, 1);
    a.C[i] = lwt_uniform(&r, -1, 1);
  }
  for (int i = 0; i < MOST; i++)
    a.x[i] = lwt_uniform(&r, -1, 1), a.y[i] = lwt_uniform(&r, -1, 1);
  return a;
}

/* S[n][n] = sum of `rank` squares of random vectors, which F[n][rank] keeps */
static void random_semidefinite(lwt_random *r, int n, int rank, double S[], double F[])
{
  for (int i = 0; i < n * rank; i++)
    F[i] = lwt_uniform(r, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      S[i * n + j] = 0;
      for (int l = 0; l < rank; l++)
        S[i * n + j] += F[i * rank + l] * F[j * rank + l];
    }
}

static void products_with_vectors_add_sums_over_entries(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < CASES; seed++) {
    numbers a = random_numbers(seed);
    double y[MOST], z[MOST];
    memcpy(y, a.y, sizeof y);
    memcpy(z, a.y, sizeof z);
    for (int i = 0; i < a.m; i++)
      for (int j = 0; j < a.n; j++) {
        y[i] += 0.7 * a.A[i * a.n + j] * a.x[j];
        z[j] -= a.A[i * a.n + j] * a.x[i];
      }
    double got[MOST];
    memcpy(got, a.y, sizeof got);
    lwi_mulv(a.m, a.n, 0.7, a.A, a.x, got);
    lwt_close(got, y, MOST, 1e-14, 10, "seed %u", seed);
    memcpy(got, a.y, sizeof got);
    lwi_tmulv(a.m, a.n, -1, a.A, a.x, got);
    lwt_close(got, z, MOST, 1e-14, 10, "seed %u", seed);
  }
}

static void products_of_matrices_add_sums_over_entries(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < CASES; seed++) {
    const numbers a = random_numbers(seed);
    double want[3][AREA], got[3][AREA];
    for (int k = 0; k < 3; k++) {
      memcpy(want[k], a.C, sizeof a.C);
      memcpy(got[k], a.C, sizeof a.C);
    }
    for (int i = 0; i < a.m; i++)
      for (int j = 0; j < a.n; j++)
        for (int l = 0; l < a.l; l++) {
          want[0][i * a.n + j] += 0.3 * a.A[i * a.l + l] * a.B[l * a.n + j];
          want[1][i * a.n + j] += a.A[i * a.l + l] * a.B[j * a.l + l];
          want[2][i * a.n + j] -= a.A[l * a.m + i] * a.B[l * a.n + j];
        }
    lwi_mul(a.m, a.l, a.n, 0.3, a.A, a.B, got[0]);
    lwi_mult(a.m, a.l, a.n, a.A, a.B, got[1]);
    lwi_tmul(a.m, a.l, a.n, -1, a.A, a.B, got[2]);
    for (int k = 0; k < 3; k++)
      lwt_close(got[k], want[k], AREA, 1e-14, 10, "seed %u %d", seed, k);
  }
}

static void cholesky_factor_times_its_transpose_is_the_matrix(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < CASES; seed++) {
    lwt_random r = lwt_seed(seed);
    const int n = 1 + lwt_pick(&r, MOST);
    double S[AREA], L[AREA], F[AREA], x[MOST], y[MOST], z[MOST] = {0};
    random_semidefinite(&r, n, n, S, F);
    for (int i = 0; i < n; i++)
      S[i * n + i] += 0.1, x[i] = lwt_uniform(&r, -1, 1);
    memcpy(L, S, sizeof L);
    assert_true(lwi_cholesky(n, L));
    lwi_cholesky_multiply(n, L, x, y);
    lwi_mulv(n, n, 1, S, x, z);
    lwt_close(y, z, n, 1e-14, 10, "seed %u", seed);
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        assert_true(L[i * n + j] == S[i * n + j]); /* not touched */
  }
}

static void solves_with_the_cholesky_factor_undo_the_matrix(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < CASES; seed++) {
    lwt_random r = lwt_seed(seed);
    const int n = 1 + lwt_pick(&r, MOST), m = 1 + lwt_pick(&r, MOST);
    double S[AREA], L[AREA], F[AREA], X[AREA], Y[AREA] = {0};
    random_semidefinite(&r, n, n, S, F);
    for (int i = 0; i < n; i++)
      S[i * n + i] += 0.5;
    for (int i = 0; i < n * m; i++)
      X[i] = lwt_uniform(&r, -1, 1);
    lwi_mul(n, n, m, 1, S, X, Y);
    memcpy(L, S, sizeof L);
    assert_true(lwi_cholesky(n, L));
    lwi_solve_lower(n, m, L, Y);
    lwi_solve_upper(n, m, L, Y);
    lwt_close(Y, X, n * m, 1e-12, 1, "seed %u", seed);
  }
}

static void log_determinant_is_that_of_a_product_of_pivots(void **state)
{
  (void)state;
  double A[4] = {4, 0, 2, 10}; /* L = [2 0; 1 3] */
  assert_true(lwi_cholesky(2, A));
  lwt_near(lwi_cholesky_log_determinant(2, A), log(36), 1e-14, "2 x 2");
  lwt_near(lwi_cholesky_log_determinant(0, A), 0, 0, "0 x 0");
}

static void cholesky_refuses_matrices_that_are_not_positive_definite(void **state)
{
  (void)state;
  double negative[4] = {1, 0, 2, 1}, zero[1] = {0}, nan[1] = {(double)NAN},
         infinite[1] = {HUGE_VAL};
  assert_false(lwi_cholesky(2, negative));
  assert_false(lwi_cholesky(1, zero));
  assert_false(lwi_cholesky(1, nan));
  assert_false(lwi_cholesky(1, infinite));
  for (unsigned seed = 0; seed < CASES; seed++) { /* rank 1, but for rounding */
    lwt_random r = lwt_seed(seed);
    const int n = 2 + lwt_pick(&r, MOST - 2);
    double S[AREA], F[AREA];
    random_semidefinite(&r, n, 1, S, F);
    assert_false(lwi_cholesky(n, S));
  }
}

/* in any unit: what a matrix can be factored by is its rank, not its size */
static void units_do_not_decide_whether_cholesky_refuses(void **state)
{
  (void)state;
  static const double units[] = {1e-150, 1e-20, 1e20, 1e150};
  for (unsigned seed = 0; seed < CASES; seed++)
    for (int k = 0; k < 4; k++) {
      lwt_random r = lwt_seed(seed);
      const int n = 2 + lwt_pick(&r, MOST - 2);
      double S[AREA], F[AREA], good[AREA] = {0};
      random_semidefinite(&r, n, 1, S, F);
      for (int i = 0; i < n * n; i++)
        S[i] *= units[k];
      for (int i = 0; i < n; i++)
        good[i * n + i] = (1 + i) * units[k];
      assert_false(lwi_cholesky(n, S));
      assert_true(lwi_cholesky(n, good));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_with_vectors_add_sums_over_entries),
      cmocka_unit_test(products_of_matrices_add_sums_over_entries),
      cmocka_unit_test(cholesky_factor_times_its_transpose_is_the_matrix),
      cmocka_unit_test(solves_with_the_cholesky_factor_undo_the_matrix),
      cmocka_unit_test(log_determinant_is_that_of_a_product_of_pivots),
      cmocka_unit_test(cholesky_refuses_matrices_that_are_not_positive_definite),
      cmocka_unit_test(units_do_not_decide_whether_cholesky_refuses),
  };
  return cmocka_run_group_tests_name("unit/dense", tests, NULL, NULL);
}
