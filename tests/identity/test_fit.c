/* SPDX-License-Identifier: Apache-2.0 */
/* Fits of noisy measurements: true values are within intervals of 95 % as often as they should be.

     test_identity_fit N       N repetitions with noise of their own */
#include "linkwork/all.h"
#include "lwt.h"
#include "study/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5, ROWS = 41, COLUMNS = 2 };

static const char text[] =
    "linkwork: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {La: 1.0, Lb: 0.7, Ma: 2.0, Mb: 1.0, c: 0.1}\n"
    "bodies:\n"
    "  upper: {solid: {rod: {length: La, mass: Ma, axis: -y}}}\n"
    "  lower: {solid: {rod: {length: Lb, mass: Mb, axis: -y}}}\n"
    "joints:\n"
    "  A: {type: revolute, parent: ground, child: upper, q: 0.5, damping: c}\n"
    "  B: {type: revolute, parent: upper, child: lower, at: [0, -La, 0], q: -0.2, damping: c}\n"
    "forces: {M: {type: motor, joint: A, value: 3*sin(4*t)}}\n"
    "simulation: {end: 2, rtol: 1e-7}\n";
static const char *const parameter[N] = {"La", "Lb", "Ma", "Mb", "c"};
static const char *const column[COLUMNS] = {"q.A", "q.B"};
static const double truth[N] = {1, 0.7, 2, 1, 0.1}, noise[COLUMNS] = {0.01, 0.02};

static int repetitions;
static double t[ROWS], exact[ROWS * COLUMNS];

static double normal(int repetition, int i)
{
  const double u = lwi_hash_fraction(lwi_hash((uint64_t)repetition, (uint64_t)(2 * i))),
               v = lwi_hash_fraction(lwi_hash((uint64_t)repetition, (uint64_t)(2 * i + 1)));
  return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

static void measure(const lw_model *m)
{
  lw_simulation *sim = lw_simulation_new(m, NULL, NULL);
  assert_non_null(sim);
  for (int i = 0; i < ROWS; i++) {
    t[i] = 0.05 * i;
    lwt_ok(lw_simulation_advance(sim, t[i], exact + COLUMNS * i, NULL, NULL));
  }
  lw_simulation_free(sim);
}

/* d^T covariance^-1 d: chi^2 with N degrees of freedom, if the covariance is right */
static double distance(const lw_fit *f)
{
  double A[N * N], d[N], x[N];
  for (int i = 0; i < N; i++) {
    x[i] = d[i] = lw_fit_get_parameter(f, i).value - truth[i];
    for (int k = 0; k < N; k++)
      A[i * N + k] = lw_fit_covariance(f, i, k);
  }
  for (int k = 0; k < N; k++) /* elimination of a positive definite matrix */
    for (int i = k + 1; i < N; i++) {
      const double factor = A[i * N + k] / A[k * N + k];
      for (int j = k; j < N; j++)
        A[i * N + j] -= factor * A[k * N + j];
      x[i] -= factor * x[k];
    }
  double sum = 0;
  for (int k = N - 1; k >= 0; k--) {
    for (int j = k + 1; j < N; j++)
      x[k] -= A[k * N + j] * x[j];
    x[k] /= A[k * N + k];
    sum += d[k] * x[k];
  }
  return sum;
}

/* Counts parameters that are not within their intervals, and fits too far from the truth. */
static void repeat(const lw_spec *s, int repetition, bool known, int misses[N], int *far)
{
  double value[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; i++)
    value[i] = exact[i] + noise[i % COLUMNS] * normal(repetition, i);
  const lw_fit_data data = {
      .column = column, .ncolumn = COLUMNS, .rows = ROWS, .t = t, .value = value};
  const lw_fit_noise given[COLUMNS] = {{"q.A", 0.01}, {"q.B", 0.02}};
  const lw_fit_options o = {.parameter = parameter,
                            .nparameter = N,
                            .data = &data,
                            .ndata = 1,
                            .noise = given,
                            .nnoise = known ? COLUMNS : 0};
  lw_error err;
  lw_fit *f = lw_fit_new(s, &o, &err);
  assert_non_null(f);
  lwt_ok(lw_fit_run(f, NULL, &err));
  for (int k = 0; k < N; k++) {
    const lw_fit_parameter p = lw_fit_get_parameter(f, k);
    assert_int_equal(p.role, LW_FIT_DETERMINED);
    misses[k] += truth[k] < p.low || truth[k] > p.high;
  }
  *far += distance(f) > 11.0705; /* 95 % of chi^2 with 5 degrees of freedom */
  lw_fit_free(f);
}

/* What a binomial number with probability 0.05 exceeds once in 10^4 times. */
static void assert_is_five_percent(int count, int n)
{
  double below = 0, term = pow(0.95, n);
  int most = 0, least = 0;
  for (int k = 0; k <= n && below < 1 - 1e-4; k++, term *= (n - k + 1) * (0.05 / 0.95) / k) {
    below += term;
    least = below < 1e-4 ? k + 1 : least;
    most = k;
  }
  if (count < least || count > most)
    fail_msg("%d of %d is not 5 %%: %d ... %d", count, n, least, most);
}

static void intervals_hold_the_truth_in_95_percent(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_parse(text, strlen(text), "fit", &err);
  lw_model *m = lw_compile(s, &err);
  assert_non_null(m);
  measure(m);
  for (int known = 0; known < 2; known++) {
    int misses[N] = {0}, far = 0;
    const int n = known ? (repetitions + 3) / 4 : repetitions;
    for (int i = 0; i < n; i++)
      repeat(s, 1000 * known + i + 1, known, misses, &far);
    for (int k = 0; k < N; k++) {
      print_message("%s: %d of %d outside\n", parameter[k], misses[k], n);
      assert_is_five_percent(misses[k], n);
    }
    assert_is_five_percent(far, n);
  }
  lw_model_free(m);
  lw_spec_free(s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_hold_the_truth_in_95_percent)};
  repetitions = argc > 1 ? atoi(argv[1]) : 8;
  return cmocka_run_group_tests_name("identity/fit", tests, NULL, NULL);
}
