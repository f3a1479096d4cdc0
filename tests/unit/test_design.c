/* SPDX-License-Identifier: Apache-2.0 */
/* Designs of studies: each case by itself, and all of them together what their names promise. */
#include "linkwork/study.h"
#include "lwt.h"
#include "study/sobol_sequence.h"

#include <math.h>
#include <string.h>

enum { N = 1000 };

static const lw_factor factors[] = {
    {.name = "a", .min = -1, .max = 3, .points = 4},
    {.name = "b", .kind = LW_FACTOR_NORMAL, .mean = 2, .deviation = 0.5},
    {.name = "c", .min = 10, .max = 20, .points = 3}};

static double fraction(const lw_factor *f, double x)
{
  return f->kind == LW_FACTOR_NORMAL ? 0.5 * erfc(-(x - f->mean) / f->deviation / sqrt(2))
                                     : (x - f->min) / (f->max - f->min);
}

/* scipy.stats.qmc.Sobol(40, scramble=False) */
static void sobol_points_are_those_of_joe_and_kuo(void **state)
{
  static const struct {
    uint32_t i;
    int dimension;
    double x;
  } known[] = {{0, 0, 0},     {1, 0, 0.5},   {2, 0, 0.75},  {3, 1, 0.75}, {4, 2, 0.625},
               {5, 3, 0.375}, {4, 4, 0.375}, {5, 4, 0.875}, {2, 4, 0.75}, {5, 2, 0.125}};
  (void)state;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    assert_true(lwi_sobol_point(known[k].i, known[k].dimension) / 4294967296.0 == known[k].x);
}

/* of the first 2^k points each interval of 2^-k has one, in every dimension */
static void sobol_points_fill_every_dimension(void **state)
{
  (void)state;
  for (int d = 0; d < LWI_SOBOL_DIMENSIONS; d++) {
    bool met[1024] = {false};
    for (uint32_t i = 0; i < 1024; i++) {
      const uint32_t cell = lwi_sobol_point(i, d) >> 22;
      assert_false(met[cell]);
      met[cell] = true;
    }
  }
}

static void a_latin_hypercube_meets_each_layer_once(void **state)
{
  (void)state;
  for (int n = 1; n <= N; n += 111) {
    const lw_design d = {
        .kind = LW_DESIGN_LATIN, .factor = factors, .nfactor = 3, .cases = n, .seed = 5};
    bool met[3][N] = {{false}};
    assert_int_equal(lw_design_cases(&d, NULL), n);
    for (long i = 0; i < n; i++) {
      double x[3];
      lwt_ok(lw_design_values(&d, i, x));
      for (int k = 0; k < 3; k++) {
        const int layer = (int)(fraction(&factors[k], x[k]) * n);
        assert_in_range(layer, 0, n - 1);
        assert_false(met[k][layer]);
        met[k][layer] = true;
      }
    }
  }
}

/* Kolmogorov's distance of N numbers from their distribution is below 1.95/sqrt(N) in 999 of 1000 cases */
static void random_numbers_have_their_distribution(void **state)
{
  static const lw_design_kind kinds[] = {LW_DESIGN_RANDOM, LW_DESIGN_SOBOL, LW_DESIGN_LATIN};
  (void)state;
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < 3; k++) {
      const lw_design d = {
          .kind = kinds[s], .factor = factors, .nfactor = 3, .cases = N, .seed = (unsigned)s};
      double u[N], x[3];
      for (long i = 0; i < N; i++) {
        lwt_ok(lw_design_values(&d, i, x));
        u[i] = fraction(&factors[k], x[k]);
      }
      for (int i = 0; i <= 20; i++) {
        int below = 0;
        for (int j = 0; j < N; j++)
          below += u[j] < i / 20.0;
        assert_true(fabs(below / (double)N - i / 20.0) < 1.95 / sqrt(N));
      }
    }
}

static void a_grid_has_all_combinations(void **state)
{
  const lw_factor two[] = {
      factors[0], {.name = "k", .kind = LW_FACTOR_VALUES, .value = (double[]){7, 5}, .nvalue = 2}};
  const lw_design d = {.kind = LW_DESIGN_GRID, .factor = two, .nfactor = 2};
  static const double first[4] = {-1, -1 + 4 / 3.0, -1 + 8 / 3.0, 3};
  (void)state;
  assert_int_equal(lw_design_cases(&d, NULL), 8);
  for (long i = 0; i < 8; i++) {
    double x[2];
    lwt_ok(lw_design_values(&d, i, x));
    assert_true(fabs(x[0] - first[i / 2]) < 1e-15 && x[1] == (i % 2 ? 5 : 7));
  }
  assert_int_equal(lw_design_values(&d, 8, (double[2]){0}), LW_E_ARG);
}

static void another_seed_gives_other_cases(void **state)
{
  lw_design d = {.kind = LW_DESIGN_RANDOM, .factor = factors, .nfactor = 3, .cases = N, .seed = 1};
  double x[3], y[3], again[3];
  (void)state;
  lwt_ok(lw_design_values(&d, 17, x));
  lwt_ok(lw_design_values(&d, 17, again));
  d.seed = 2;
  lwt_ok(lw_design_values(&d, 17, y));
  assert_memory_equal(x, again, sizeof x);
  assert_true(x[0] != y[0] && x[1] != y[1] && x[2] != y[2]);
}

/* Ishigami's function: the indices are known (a = 7, b = 0.1) */
static void indices_of_ishigami_are_within_their_intervals(void **state)
{
  enum { POINTS = 4096 };
  static const double first[3] = {0.31390519, 0.44241114, 0},
                      total[3] = {0.55758886, 0.44241114, 0.24368366};
  const double pi = 3.14159265358979323846;
  const lw_factor x = {.name = "x", .min = -pi, .max = pi};
  const lw_factor three[] = {x, x, x};
  const lw_design d = {
      .kind = LW_DESIGN_INDICES, .factor = three, .nfactor = 3, .cases = POINTS, .seed = 3};
  static double y[5 * POINTS];
  lw_sobol_index index[3];
  (void)state;
  assert_int_equal(lw_design_cases(&d, NULL), 5 * POINTS);
  for (long i = 0; i < 5 * POINTS; i++) {
    double v[3];
    lwt_ok(lw_design_values(&d, i, v));
    y[i] = sin(v[0]) + 7 * sin(v[1]) * sin(v[1]) + 0.1 * pow(v[2], 4) * sin(v[0]);
  }
  lwt_ok(lw_sobol_indices(&d, y, index));
  for (int k = 0; k < 3; k++) {
    assert_true(fabs(index[k].first - first[k]) < 0.01 && fabs(index[k].total - total[k]) < 0.01);
    assert_true(index[k].first_low < first[k] && first[k] < index[k].first_high);
    assert_true(index[k].total_low < total[k] && total[k] < index[k].total_high);
  }
  y[7] = (double)NAN;
  assert_int_equal(lw_sobol_indices(&d, y, index), LW_E_NUMBER);
}

static void statistics_leave_out_what_is_not_there(void **state)
{
  const double none = (double)NAN, x[] = {4, none, 1, 3, 2}, y[] = {-8, 5, -2, -6, -4};
  lw_statistics s;
  (void)state;
  lwt_ok(lw_find_statistics(x, 5, &s));
  assert_int_equal(s.n, 4);
  assert_true(s.mean == 2.5 && s.least == 1 && s.most == 4 && s.quantile[2] == 2.5);
  assert_true(fabs(s.deviation - sqrt(5 / 3.0)) < 1e-15);
  assert_true(fabs(lw_correlation(x, y, 5) + 1) < 1e-15);
  assert_true(isnan(lw_correlation(x, (double[]){1, 1, 1, 1, 1}, 5)));
  lwt_ok(lw_find_statistics(NULL, 0, &s));
  assert_true(s.n == 0 && isnan(s.mean));
}

static void wrong_designs_are_refused_with_a_reason(void **state)
{
  const lw_factor bad[] = {{.name = "a", .min = 2, .max = 1},
                           {.name = "b", .kind = LW_FACTOR_NORMAL}};
  lw_error err = {0};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const lw_design d = {.kind = LW_DESIGN_LATIN, .factor = &bad[i], .nfactor = 1, .cases = 10};
    assert_int_equal(lw_design_cases(&d, &err), 0);
    assert_true(strstr(err.text, bad[i].name));
  }
  const lw_design none = {.kind = LW_DESIGN_LATIN, .factor = factors, .nfactor = 3};
  assert_int_equal(lw_design_cases(&none, &err), 0);
  assert_int_equal(lw_design_cases(NULL, &err), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sobol_points_are_those_of_joe_and_kuo),
      cmocka_unit_test(sobol_points_fill_every_dimension),
      cmocka_unit_test(a_latin_hypercube_meets_each_layer_once),
      cmocka_unit_test(random_numbers_have_their_distribution),
      cmocka_unit_test(a_grid_has_all_combinations),
      cmocka_unit_test(another_seed_gives_other_cases),
      cmocka_unit_test(indices_of_ishigami_are_within_their_intervals),
      cmocka_unit_test(statistics_leave_out_what_is_not_there),
      cmocka_unit_test(wrong_designs_are_refused_with_a_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
