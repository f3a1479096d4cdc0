/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of time: value, rate and acceleration against differences and closed forms. */
#include "expr_support.h"

/* x is time (slot 0), y and z are constants */
static void taylor(const char *text, double x, double y, double z, double out[3])
{
  lwi_expr e = parse(text);
  const double slots[3] = {(double)NAN, y, z}; /* the slot of time is not read */
  lwi_expr_taylor2(&e, slots, 0, x, out);
  lwi_expr_free(&e);
}

static double value_along_time(const lwi_expr *e, double x)
{
  return lwi_expr_value(e, (double[]){x, 0.7, -1.3});
}

/* first and second difference of order h^8, at step h */
static void differences(const lwi_expr *e, double x, double h, double *d, double *dd)
{
  const double first[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double second[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  *d = 0;
  *dd = second[0] * value_along_time(e, x);
  for (int k = 1; k < 5; k++) {
    const double p = value_along_time(e, x + k * h), m = value_along_time(e, x - k * h);
    *d += first[k] * (p - m);
    *dd += second[k] * (p + m);
  }
  *d /= h;
  *dd /= h * h;
}

static void second_derivatives_agree_with_differences(void **state)
{
  (void)state;
  const char *const table[] = {"x",
                               "y",
                               "3",
                               "-x",
                               "x deg",
                               "x^2",
                               "x^3",
                               "sin(x)",
                               "cos(x)",
                               "tan(x/2)",
                               "asin(x/3)",
                               "acos(x/3)",
                               "atan(x)",
                               "sinh(x)",
                               "cosh(x)",
                               "tanh(x)",
                               "exp(x)",
                               "log(3+x)",
                               "log10(3+x)",
                               "sqrt(3+x)",
                               "abs(x-9)",
                               "sign(x)*x^2",
                               "x+y",
                               "x*x*y",
                               "y-x^3",
                               "y/(2+x)",
                               "x/(4-x^2)",
                               "(3+x)^1.7",
                               "2^x",
                               "(3+x)^x",
                               "pow(3+x, sin(x))",
                               "x^4",
                               "(x-5)^5",
                               "(5+x)^-3",
                               "atan2(x, 2)",
                               "atan2(2, x)",
                               "atan2(sin(x), 2+x)",
                               "min(x, 9)",
                               "max(x^2, -4)",
                               "min(9, x^3)",
                               "0.3*sin(2*x)",
                               "exp(sin(x)*cos(3*x))/(1+x^2)",
                               "sqrt(1+sin(x)^2)^3",
                               "x^2*tanh(x*y)-z*x^3",
                               "log(2+cos(x))*atan2(x^2+1, exp(x))",
                               "(2+cos(x))^sin(x)^2",
                               "1/(1+1/(2+x^2))",
                               "mod(x, 3.1)+mod(4.2, x+2)",
                               "hypot(x, y)",
                               "hypot(sin(x), 2*x+5)",
                               "floor(x+9.5)*x^2",
                               "step(x, -3, 4)",
                               "step(sin(x), -2, 2+x)",
                               "clamp(x^2, -1, 9)",
                               "if(x > 5, x, x^3*y)",
                               "sq(x)*wave(x, y)",
                               "pick(x, 9, x*y)",
                               "akima(x)",
                               "pchip(x)*x",
                               "linear(x)^2",
                               "map(x, sin(x))",
                               "map(y*x+0.4, x^2/4)",
                               "grid(x, x/9)"};
  const double at[] = {-1.1, 0.4, 1.2};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    lwi_expr e = parse(table[i]);
    for (int k = 0; k < 3; k++) {
      double out[3], d, dd;
      taylor(table[i], at[k], 0.7, -1.3, out);
      differences(&e, at[k], 0.01, &d, &dd);
      assert_true(out[0] == value_along_time(&e, at[k]));
      assert_close(out[1], d, 1e-9, table[i]);
      assert_close(out[2], dd, 1e-8, table[i]);
    }
    lwi_expr_free(&e);
  }
}

/* by y and z, which move with y' = 1 and z' = -0.5 */
static void parameters_move_values_rates_and_accelerations(void **state)
{
  (void)state;
  const char *const table[] = {"y*sin(z*x)",
                               "cos(y*x)^2",
                               "tan(y*x/3)",
                               "asin(y*x/3)",
                               "acos(y*x/3)",
                               "atan(y*x)",
                               "sinh(y*x)+cosh(z*x)",
                               "tanh(y*x)",
                               "exp(-y*x^2)",
                               "log(3+y*x)",
                               "log10(3+y*x)",
                               "sqrt(3+y*x)",
                               "(y*x)^3+z^2*x",
                               "x deg*y",
                               "x/(3+y*x)",
                               "y^2/(x^2+1)",
                               "(3+y*x)^1.7",
                               "(3+x)^y",
                               "y^x",
                               "(y*x)^4",
                               "(3+y*x)^(z*x)",
                               "atan2(y*x, 2)",
                               "atan2(2, y*x)",
                               "atan2(sin(y*x), -3+x)",
                               "min(y*x^2, 9)",
                               "max(-9, z*x^3)",
                               "abs(y*x-9)",
                               "mod(y*x+9, 5+z)",
                               "hypot(y*x, 2+z)",
                               "step(y*x, -3, 4+z)",
                               "if(x < 9, y*x^2, z)",
                               "sq(y*x)*wave(x, z)",
                               "akima(y*x)",
                               "pchip(y*x)",
                               "map(y*x, z*sin(x))",
                               "map(y, x)",
                               "grid(y*x, x/9)",
                               "x^2"};
  const double at[] = {-1.1, 0.4, 1.2}, weight[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280},
               h = 0.01;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    for (int k = 0; k < 3; k++) {
      lwi_expr e = parse(table[i]);
      double out[3], wanted[3] = {0};
      const double slots[3] = {(double)NAN, 0.7, -1.3}, rates[3] = {(double)NAN, 1, -0.5};
      lwi_expr_taylor2_derivative(&e, slots, rates, 0, at[k], out);
      for (int s = -4; s <= 4; s++) {
        double beside[3];
        taylor(table[i], at[k], 0.7 + s * h, -1.3 - 0.5 * s * h, beside);
        for (int n = 0; n < 3; n++)
          wanted[n] += (s > 0 ? weight[s] : -weight[-s]) / h * beside[n];
      }
      for (int n = 0; n < 3; n++)
        assert_close(out[n], wanted[n], 1e-9, table[i]);
      lwi_expr_free(&e);
    }
}

/* the first derivative is the one that lwi_expr_dual gives */
static void rates_equal_the_dual_ones(void **state)
{
  (void)state;
  const char *const table[] = {"sin(2*x)*y^x", "x^2/(1+x)", "min(x,1)+abs(x-3)", "sqrt(x)*log(x)"};
  for (size_t i = 0; i < 4; i++) {
    double out[3];
    taylor(table[i], 0.8, 1.5, 0, out);
    assert_close(out[1], slope_at(table[i], 0.8, 1.5, 1, 0), 1e-15, table[i]);
  }
}

static void what_does_not_move_has_no_derivatives(void **state)
{
  (void)state;
  const char *const table[] = {"sqrt(y)", "y^0.5", "atan2(y, y)", "log(1)*y", "y^1*y^0"};
  for (size_t i = 0; i < 5; i++) {
    double out[3];
    taylor(table[i], 0.8, 0, 0, out);
    assert_true(out[1] == 0 && out[2] == 0);
  }
}

static void kinks_take_the_side_of_the_first_derivative(void **state)
{
  (void)state;
  double out[3];
  taylor("abs(x)", 0, 0, 0, out);
  assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0);
  taylor("max(x^2, x^3)", 1, 0, 0, out); /* among equals the first */
  assert_true(out[0] == 1 && out[1] == 2 && out[2] == 2);
  taylor("x^1", 0, 0, 0, out);
  assert_true(out[0] == 0 && out[1] == 1 && out[2] == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_derivatives_agree_with_differences),
      cmocka_unit_test(parameters_move_values_rates_and_accelerations),
      cmocka_unit_test(rates_equal_the_dual_ones),
      cmocka_unit_test(what_does_not_move_has_no_derivatives),
      cmocka_unit_test(kinks_take_the_side_of_the_first_derivative),
  };
  return cmocka_run_group_tests_name("unit/expr_taylor", tests, NULL, NULL);
}
