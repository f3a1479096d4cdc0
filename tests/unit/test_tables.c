/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: points are met, lines and planes are reproduced, pchip is monotone, pieces join as they should, what lies
   outside, and bounds hold. */
#include "expr_support.h"

enum { N = 9 };

typedef struct {
  double x[N], y[N], value[N * N];
} points;

static points random_points(uint64_t *seed)
{
  points p;
  for (int i = 0; i < N; i++) {
    p.x[i] = (i ? p.x[i - 1] : -2) + uniform(seed, 0.05, 0.9);
    p.y[i] = (i ? p.y[i - 1] : -2) + uniform(seed, 0.05, 0.9);
  }
  for (int i = 0; i < N * N; i++)
    p.value[i] = uniform(seed, -1, 1);
  return p;
}

static lwi_table *make(const points *p, int ny, lwi_table_kind kind, lwi_table_outside outside)
{
  lwi_table *t = lwi_table_new(&(lwi_table_desc){.name = "t",
                                                 .n = {N, ny},
                                                 .x = {p->x, p->y},
                                                 .value = p->value,
                                                 .kind = kind,
                                                 .outside = outside});
  assert_non_null(t);
  return t;
}

static void points_are_met_and_pieces_join(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (int trial = 0; trial < 200; trial++) {
    const points p = random_points(&seed);
    for (int kind = LWI_TABLE_AKIMA; kind <= LWI_TABLE_HOLD; kind++) {
      lwi_table *t = make(&p, 0, (lwi_table_kind)kind, LWI_OUTSIDE_EXTEND);
      for (int i = 0; i < N; i++) {
        assert_true(close_to(lwi_table_value(t, p.x[i]), p.value[i], 1e-14));
        const double a = p.x[i] - 1e-9, b = p.x[i] + 1e-9;
        if (kind != LWI_TABLE_HOLD)
          assert_true(close_to(lwi_table_value(t, a), lwi_table_value(t, b), 1e-6));
        if (kind == LWI_TABLE_AKIMA || kind == LWI_TABLE_PCHIP)
          assert_true(close_to(lwi_table_slope(t, 1, a), lwi_table_slope(t, 1, b), 1e-4));
        if (kind == LWI_TABLE_HOLD && i > 0) assert_true(lwi_table_value(t, a) == p.value[i - 1]);
      }
      lwi_table_free(t);
    }
  }
}

static void pchip_is_monotone_where_its_points_are(void **state)
{
  (void)state;
  uint64_t seed = 2;
  for (int trial = 0; trial < 300; trial++) {
    const points p = random_points(&seed);
    lwi_table *t = make(&p, 0, LWI_TABLE_PCHIP, LWI_OUTSIDE_ERROR);
    for (int i = 0; i + 1 < N; i++)
      for (int k = 0; k <= 20; k++) {
        const double v = lwi_table_value(t, p.x[i] + (p.x[i + 1] - p.x[i]) * k / 20);
        assert_true(v >= fmin(p.value[i], p.value[i + 1]) - 1e-12);
        assert_true(v <= fmax(p.value[i], p.value[i + 1]) + 1e-12);
      }
    lwi_table_free(t);
  }
}

/* values of a x + b y + c x y, which all kinds but hold have between their points, too */
static void planes_are_reproduced(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int trial = 0; trial < 100; trial++) {
    points p = random_points(&seed);
    const double a = uniform(&seed, -1, 1), b = uniform(&seed, -1, 1), c = uniform(&seed, -1, 1);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        p.value[i * N + j] = a * p.x[i] + b * p.y[j] + c * p.x[i] * p.y[j];
    for (int kind = LWI_TABLE_AKIMA; kind < LWI_TABLE_HOLD; kind++) {
      lwi_table *t = make(&p, N, (lwi_table_kind)kind, LWI_OUTSIDE_EXTEND);
      for (int k = 0; k < 50; k++) {
        const double x = uniform(&seed, -3, 5), y = uniform(&seed, -3, 5);
        assert_true(close_to(lwi_table_value2(t, x, y), a * x + b * y + c * x * y, 1e-11));
        assert_true(close_to(lwi_table_slope2(t, 1, 0, x, y), a + c * y, 1e-10));
        assert_true(close_to(lwi_table_slope2(t, 1, 1, x, y), c, 1e-9));
      }
      lwi_table_free(t);
    }
  }
}

static void outside_is_as_asked(void **state)
{
  (void)state;
  uint64_t seed = 4;
  const points p = random_points(&seed);
  const double end = p.x[N - 1];
  lwi_table *t = make(&p, 0, LWI_TABLE_AKIMA, LWI_OUTSIDE_HOLD);
  assert_true(lwi_table_value(t, end + 3) == p.value[N - 1]);
  assert_true(lwi_table_slope(t, 1, end + 3) == 0);
  lwi_table_free(t);
  t = make(&p, 0, LWI_TABLE_AKIMA, LWI_OUTSIDE_EXTEND);
  const double slope = lwi_table_slope(t, 1, end);
  assert_true(close_to(lwi_table_value(t, end + 3), p.value[N - 1] + 3 * slope, 1e-13));
  assert_true(lwi_table_slope(t, 2, end + 3) == 0);
  lwi_table_free(t);
  t = make(&p, 0, LWI_TABLE_AKIMA, LWI_OUTSIDE_ERROR);
  assert_true(isnan(lwi_table_value(t, end + 1e-9)) && isnan(lwi_table_value(t, -9)));
  assert_true(lwi_table_value(t, end) == lwi_table_value(t, lwi_table_nearest(t, 0, end + 1)));
  assert_non_null(strstr(lwi_table_fault(t), "\"t\""));
  lwi_table_free(t);
}

static void check_range(const lwi_table *t, bool two, const double x[2], const double y[2],
                        uint64_t *seed)
{
  double out[3][2];
  if (two)
    assert_true(lwi_table_range2(t, x, y, out));
  else
    assert_true(lwi_table_range(t, x, out[0], out[1]));
  for (int k = 0; k < 40; k++) {
    const double a = k < 2 ? x[k] : uniform(seed, x[0], x[1]), b = uniform(seed, y[0], y[1]);
    const double f = two ? lwi_table_value2(t, a, b) : lwi_table_value(t, a);
    const double s = two ? lwi_table_slope2(t, 1, 0, a, b) : lwi_table_slope(t, 1, a);
    assert_true(f >= out[0][0] - 1e-10 && f <= out[0][1] + 1e-10);
    assert_true(s >= out[1][0] - 1e-9 * (1 + fabs(s)) && s <= out[1][1] + 1e-9 * (1 + fabs(s)));
  }
}

static void bounds_hold(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int trial = 0; trial < 60; trial++) {
    const points p = random_points(&seed);
    for (int kind = LWI_TABLE_AKIMA; kind <= LWI_TABLE_HOLD; kind++)
      for (int two = 0; two < 2; two++) {
        const lwi_table_outside outside = trial % 2 ? LWI_OUTSIDE_HOLD : LWI_OUTSIDE_EXTEND;
        lwi_table *t = make(&p, two ? N : 0, (lwi_table_kind)kind, outside);
        for (int k = 0; k < 10; k++) {
          const double width = pow(10, uniform(&seed, -6, 1));
          const double x = uniform(&seed, -3, 4), y = uniform(&seed, -3, 4);
          check_range(t, two, (double[]){x, x + width}, (double[]){y, y + width}, &seed);
        }
        lwi_table_free(t);
      }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_met_and_pieces_join),
      cmocka_unit_test(pchip_is_monotone_where_its_points_are),
      cmocka_unit_test(planes_are_reproduced),
      cmocka_unit_test(outside_is_as_asked),
      cmocka_unit_test(bounds_hold),
  };
  return cmocka_run_group_tests_name("unit/tables", tests, NULL, NULL);
}
