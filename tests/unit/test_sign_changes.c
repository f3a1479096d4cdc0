/* SPDX-License-Identifier: Apache-2.0 */
/* Sign changes of functions that are known: all of them, in order, and only those beyond the noise. */
#include "expr_support.h"
#include "sim/events/sign_changes.h"

/* an expression of x, which is the time */
typedef struct {
  lwi_expr e;
  double noise, rate_noise;
} function;

static double value(void *context, double t, double *noise)
{
  const function *f = context;
  *noise = f->noise;
  return lwi_expr_value(&f->e, &t);
}

static double rate(void *context, double t, double *noise)
{
  const function *f = context;
  double v, r, one = 1;
  *noise = f->rate_noise;
  lwi_expr_dual(&f->e, &t, 1, &one, &v, &r);
  return r;
}

static lwi_bounds bounds(void *context, double a, double b)
{
  const function *f = context;
  const lwi_bounds x = {.value = {a, b}, .rate = {1, 1}};
  return lwi_expr_bounds(&f->e, &x);
}

static function open_function(const char *text, double noise)
{
  return (function){.e = parse(text), .noise = noise, .rate_noise = noise};
}

enum { MOST = 2000, BOTH = LWI_RISING | LWI_FALLING };

/* All changes from a to b, the search beginning anew behind each. */
static int list_changes(const char *text, double noise, double a, double b, int directions,
                        double t[MOST], lwi_sign_change *last)
{
  function f = open_function(text, noise);
  const lwi_scalar g = {&f, value, rate, bounds};
  lwi_side s = {0};
  int n = 0;
  lwi_side_begin(&g, a, &s);
  for (;;) {
    lwi_sign_change x = lwi_first_sign_change(&g, a, b, directions, &s);
    if (x.kind == LWI_STAYS) x = lwi_side_end(&g, b, b - a, directions, &s);
    *last = x;
    if (x.kind != LWI_CROSSES) break;
    assert_in_range(n, 0, MOST - 1);
    assert_true(x.t >= a);
    t[n++] = a = x.t;
  }
  lwi_expr_free(&f.e);
  return n;
}

static void all_zeros_are_found_in_order(void **state)
{
  (void)state;
  double t[MOST];
  lwi_sign_change last;
  int n = list_changes("sin(100*x + 0.1)", 1e-12, 0, 10, BOTH, t, &last);
  assert_int_equal(n, 318);
  for (int k = 0; k < n; k++)
    assert_true(fabs(t[k] - ((k + 1) * PI - 0.1) / 100) < 1e-14 * (1 + t[k]));
  n = list_changes("(x - 0.5)*(x - 0.51)", 1e-15, 0, 1, BOTH, t, &last);
  assert_int_equal(n, 2);
  assert_true(fabs(t[0] - 0.5) < 1e-12 && fabs(t[1] - 0.51) < 1e-12);
  n = list_changes("exp(-1e8*(x - 0.7123)^2) - 0.5", 1e-15, 0, 1, BOTH, t, &last);
  assert_int_equal(n, 2);
  assert_true(fabs(t[1] - t[0] - 2 * sqrt(log(2) / 1e8)) < 1e-12);
  n = list_changes("sign(x - 0.3)", 1e-15, 0, 1, BOTH, t, &last);
  assert_int_equal(n, 1);
  assert_true(fabs(t[0] - 0.3) < 1e-15);
  n = list_changes("sin(1/x)", 1e-12, 0.005, 1, BOTH, t, &last);
  assert_int_equal(n, 63);
}

static void directions_count(void **state)
{
  (void)state;
  double t[MOST];
  lwi_sign_change last;
  assert_int_equal(list_changes("sin(x)", 1e-12, 0, 10, LWI_RISING, t, &last), 1);
  assert_true(fabs(t[0] - 2 * PI) < 1e-14);
  assert_int_equal(list_changes("sin(x)", 1e-12, 0, 10, LWI_FALLING, t, &last), 2);
  assert_int_equal(list_changes("sin(x)", 1e-12, 0, 10, 0, t, &last), 0);
}

/* touching is not crossing, and neither is what stays in the noise */
static void noise_does_not_count(void **state)
{
  (void)state;
  double t[MOST];
  lwi_sign_change last;
  assert_int_equal(list_changes("(x - 0.5)^2", 1e-15, 0, 1, BOTH, t, &last), 0);
  assert_int_equal(list_changes("(x - 0.5)^2 - 1e-9", 1e-8, 0, 1, BOTH, t, &last), 0);
  assert_int_equal(list_changes("(x - 0.5)^2 - 1e-7", 1e-8, 0, 1, BOTH, t, &last), 2);
  assert_int_equal(list_changes("1e-9*sin(1000*x)", 1e-8, 0, 1, BOTH, t, &last), 0);
  assert_int_equal(list_changes("sin(x)^2 + cos(x)^2 - 1", 1e-15, 0, 1, BOTH, t, &last), 0);
  assert_int_equal(list_changes("0*x", 0, 0, 1, BOTH, t, &last), 0);
  assert_int_equal(list_changes("1e-7*sin(40*x) + x - 0.5", 1e-9, 0, 1, BOTH, t, &last), 1);
  /* through noise to the other side: one crossing */
  assert_int_equal(list_changes("(x - 0.5)^3 + 1e-10*sin(1e4*x)", 1e-9, 0, 1, BOTH, t, &last), 1);
  assert_true(fabs(t[0] - 0.5) < 2e-3);
}

static void what_is_no_number_is_told(void **state)
{
  (void)state;
  double t[MOST];
  lwi_sign_change last;
  assert_int_equal(list_changes("sqrt(0.5 - x) - 0.1", 1e-15, 0, 1, BOTH, t, &last), 1);
  assert_true(fabs(t[0] - 0.49) < 1e-14);
  assert_int_equal(last.kind, LWI_NOT_A_NUMBER);
  assert_true(fabs(last.t - 0.5) < 2e-12);
  assert_int_equal(list_changes("log(0.5 - x)", 1e-15, 0, 0.4, BOTH, t, &last), 0);
  assert_int_equal(last.kind, LWI_STAYS);
  assert_int_equal(list_changes("asin(1.5*sin(x))", 1e-15, 0, 2, BOTH, t, &last), 0);
  assert_int_equal(last.kind, LWI_NOT_A_NUMBER);
  assert_true(fabs(last.t - asin(1 / 1.5)) < 2e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_zeros_are_found_in_order),
      cmocka_unit_test(directions_count),
      cmocka_unit_test(noise_does_not_count),
      cmocka_unit_test(what_is_no_number_is_told),
  };
  return cmocka_run_group_tests_name("unit/sign_changes", tests, NULL, NULL);
}
