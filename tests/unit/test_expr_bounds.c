/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of expressions hold every value and every rate that samples show, become exact as intervals shrink, and
   say where there may be no value; noise is what errors of the names make of the value. */
#include "expr_support.h"
#include "model/expression/expr_bounds.h"

static const char *const texts[] = {
    "x + y*z",
    "x - y",
    "x*y - y*x",
    "x/y",
    "x/(y - y)",
    "sin(3*x)*cos(y)",
    "tan(x)",
    "asin(x/3)",
    "acos(x/3)",
    "atan(x*y)",
    "sinh(x)",
    "cosh(x)",
    "tanh(2*x)",
    "exp(-x^2)",
    "log(x)",
    "log10(x + 2)",
    "sqrt(x)",
    "sqrt(x^2 + y^2)",
    "abs(x)",
    "sign(x)",
    "min(x, y)",
    "max(x*y, z)",
    "x^3",
    "x^4",
    "x^-2",
    "x^-3",
    "x^0",
    "x^1.5",
    "x^y",
    "2^x",
    "atan2(x, y)",
    "atan2(y, x - 1)",
    "-x deg",
    "pow(x, 3)",
    "x^2*y - z/(1 + x^2)",
    "cos(x*10)*sin(y)",
    "(x - 0.3)^2 - 0.01*y",
    "abs(sin(5*x)) - abs(y)",
    "sign(x)*y + max(0, z)",
    "mod(x, 0.7)",
    "mod(x, y)",
    "hypot(x, y)",
    "hypot(x, y - y)",
    "floor(2*x)",
    "ceil(x*y)",
    "round(3*x) + y",
    "step(x, -0.5, 1)",
    "step(y, x, x + 2)",
    "clamp(x, -1, y)",
    "if(x < y, x^2, z)",
    "if(x > 0, sqrt(x), y)",
    "if(x <= 0 or y > 1 and not z >= 0, sin(x), y*z)",
    "if(x == y, 1, 2*x) + (x != 1)",
    "sq(x)*wave(y, z)",
    "pick(x, y, z*x)",
    "akima(x)",
    "pchip(2*x)",
    "linear(x + y)",
    "steps(x)",
    "ends(x/2)",
    "ends(2*x)",
    "map(x, y)",
    "map(3*x, y - z)",
    "grid(x, 2*y)",
    "cells(x, y)",
    "(x + 0.001) mm + y*2 kN/mm/1e6",
};

/* the names move along straight lines: slots at s in -1 ... 1 */
typedef struct {
  double middle[3], rate[3];
} line;

static void place(const line *l, double s, double slot[3])
{
  for (int i = 0; i < 3; i++)
    slot[i] = l->middle[i] + l->rate[i] * s;
}

static lwi_bounds bounds_on(const lwi_expr *e, const line *l, double a, double b)
{
  lwi_bounds slot[3];
  for (int i = 0; i < 3; i++) {
    const double x = l->middle[i] + l->rate[i] * a, y = l->middle[i] + l->rate[i] * b;
    slot[i] = (lwi_bounds){.value = {fmin(x, y), fmax(x, y)}, .rate = {l->rate[i], l->rate[i]}};
  }
  return lwi_expr_bounds(e, slot);
}

static bool holds(lwi_interval x, double v, double slack)
{
  return v >= x.low - slack && v <= x.high + slack;
}

static void check_samples(const lwi_expr *e, const char *text, const line *l, double a, double b)
{
  const lwi_bounds r = bounds_on(e, l, a, b);
  for (int i = 0; i <= 40; i++) {
    double slot[3], value, rate;
    place(l, a + (b - a) * i / 40, slot);
    lwi_expr_dual(e, slot, 1, l->rate, &value, &rate);
    if (isnan(value)) {
      if (!r.partial) fail_msg("%s has no value at %g %g %g", text, slot[0], slot[1], slot[2]);
      continue;
    }
    const double slack = isfinite(value) ? 1e-12 * (1 + fabs(value)) : 0;
    if (!holds(r.value, value, slack))
      fail_msg("%s = %.17g at %g %g %g is outside %.17g ... %.17g", text, value, slot[0], slot[1],
               slot[2], r.value.low, r.value.high);
    if (isfinite(rate) && !holds(r.rate, rate, 1e-9 * (1 + fabs(rate))))
      fail_msg("rate %.17g of %s at %g %g %g is outside %.17g ... %.17g", rate, text, slot[0],
               slot[1], slot[2], r.rate.low, r.rate.high);
  }
}

static void bounds_hold_all_values_and_rates(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    lwi_expr e = parse(texts[k]);
    for (int trial = 0; trial < 400; trial++) {
      line l;
      const double width = pow(10, uniform(&seed, -6, 0.5));
      for (int i = 0; i < 3; i++) {
        l.middle[i] = uniform(&seed, -3, 3);
        l.rate[i] = below(&seed, 5) ? width * uniform(&seed, -1, 1) : 0;
      }
      if (below(&seed, 4) == 0) l.middle[0] = -l.rate[0]; /* zero at an end */
      check_samples(&e, texts[k], &l, -1, 1);
    }
    lwi_expr_free(&e);
  }
}

static void bounds_become_exact(void **state)
{
  (void)state;
  uint64_t seed = 2;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    lwi_expr e = parse(texts[k]);
    for (int trial = 0; trial < 50; trial++) {
      line l;
      double value, rate;
      for (int i = 0; i < 3; i++) {
        l.middle[i] = uniform(&seed, 0.2, 2.8);
        l.rate[i] = uniform(&seed, -1, 1);
      }
      lwi_expr_dual(&e, l.middle, 1, l.rate, &value, &rate);
      if (!isfinite(value) || !isfinite(rate) || fabs(value) > 1e3 || fabs(rate) > 1e3) continue;
      const lwi_bounds r = bounds_on(&e, &l, -1e-9, 1e-9);
      const double width = r.value.high - r.value.low;
      if (!(width < 1e-4)) fail_msg("%s: bounds of width %g", texts[k], width);
      if (r.partial) fail_msg("%s has a value", texts[k]);
    }
    lwi_expr_free(&e);
  }
}

static void noise_is_that_of_the_names_times_slopes(void **state)
{
  (void)state;
  const double slot[3] = {0.7, -1.3, 2}, noise[3] = {1e-6, 1e-7, 0};
  lwi_expr e = parse("x^2*sin(y) + z");
  double n;
  const double v = lwi_expr_noise(&e, slot, noise, &n);
  const double right = fabs(2 * 0.7 * sin(-1.3)) * 1e-6 + fabs(0.49 * cos(-1.3)) * 1e-7;
  assert_true(fabs(v - (0.49 * sin(-1.3) + 2)) < 1e-15);
  assert_true(n >= right && n < right * (1 + 1e-5) + 1e-14);
  lwi_expr_free(&e);

  e = parse("(1e8 + x) - 1e8"); /* what cancels leaves the rounding errors of its terms */
  const double none[3] = {0};
  lwi_expr_noise(&e, slot, none, &n);
  assert_true(n > 1e-8 && n < 1e-7);
  lwi_expr_free(&e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_hold_all_values_and_rates),
      cmocka_unit_test(bounds_become_exact),
      cmocka_unit_test(noise_is_that_of_the_names_times_slopes),
  };
  return cmocka_run_group_tests_name("unit/expr_bounds", tests, NULL, NULL);
}
