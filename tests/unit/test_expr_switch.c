/* SPDX-License-Identifier: Apache-2.0 */
/* Where expressions of time stop being smooth: all places, in order, and ranges that hold what they promise. */
#include "expr_support.h"
#include "model/expression/expr_double.h"
#include "model/expression/expr_bounds.h"
#include "model/expression/expr_hold.h"
#include "model/expression/expr_switch.h"

/* x is time (slot 0), y and z are parameters */
enum { MOST = 2000 };
static const double slots[3] = {(double)NAN, 0.7, -1.3};

/* all switches in from < x <= to; every bracket must be narrow, and lie behind the one before */
static int all_switches(const char *text, double from, double to, double found[])
{
  lwi_expr e = parse(text);
  double out[2];
  int n = 0;
  while (lwi_expr_next_switch(&e, slots, 3, 0, from, to, out) == LWI_SWITCH_FOUND) {
    assert_true(n < MOST);
    assert_true(out[0] >= from && out[1] > out[0] && out[1] - out[0] <= 3e-9 * fmax(1, to));
    found[n++] = 0.5 * (out[0] + out[1]);
    from = out[1];
  }
  lwi_expr_free(&e);
  return n;
}

static void switches_are_found_in_order(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int n;
    double at[4], within;
  } table[] = {
      {"x", 0, {0}, 0},
      {"sin(x)^3 + exp(-x)/(2+cos(x))", 0, {0}, 0},
      {"sign(x-0.5)", 1, {0.5}, 1e-15},
      {"max(0, x-0.503)", 1, {0.503}, 1e-15},
      {"min(x, y)", 1, {0.7}, 1e-15},
      {"max(min(x, 0.3), 0.6-x)", 1, {0.3}, 1e-15},
      {"max(0, max(0, x-0.4)-0.1)", 2, {0.4, 0.5}, 1e-15},
      {"abs((x-0.5)*(x-0.51))", 2, {0.5, 0.51}, 1e-15},
      {"abs((x-0.3)*(x-0.300001))", 2, {0.3, 0.300001}, 1e-15},
      {"sign((x-0.4)^3)", 1, {0.4}, 1e-15},
      {"abs((x-0.5)^2)", 0, {0}, 0},
      {"sqrt((x-0.5)^2)", 1, {0.5}, 1e-9},
      {"pow((x-0.5)^2, 0.5)", 1, {0.5}, 1e-9},
      {"pow(x-0.5, 2)", 0, {0}, 0},
      {"acos(cos(2*x))", 1, {PI / 2}, 2e-8} /* cos rounds to -1 */,
      {"atan2(sin(2*x), cos(2*x))", 1, {PI / 2}, 1e-15},
      {"atan2(x-1, 1+x)", 0, {0}, 0},
      {"tan(x)", 1, {PI / 2}, 1e-15},
      {"1/(x-1.25)", 1, {1.25}, 1e-15},
      {"1/(x-1.25)^2", 1, {1.25}, 2e-9},
      {"log(1.5-x)", 1, {1.5}, 1e-15},
      {"log10((x-0.5)^2)", 1, {0.5}, 2e-9},
      {"1/(1+(x-1.25)^2)", 0, {0}, 0},
      {"sqrt(1.5-x)", 1, {1.5}, 1e-15},
      {"if(x < 0.5, 1, 2)", 1, {0.5}, 1e-15},
      {"if(x >= 0.5 and x < 0.6, x, y)", 2, {0.5, 0.6}, 1e-15},
      {"not x > 0.4", 1, {0.4}, 1e-15},
      {"mod(x, 0.5)", 4, {0.5, 1, 1.5, 2}, 1e-15},
      {"floor(2*x+0.5)", 4, {0.25, 0.75, 1.25, 1.75}, 1e-15},
      {"round(x)", 2, {0.5, 1.5}, 1e-15},
      {"ceil(-x/0.6)", 3, {0.6, 1.2, 1.8}, 1e-15},
      {"step(x, 0.3, 0.3001)", 2, {0.3, 0.3001}, 1e-15},
      {"clamp(x, 0.3, 0.9)", 2, {0.3, 0.9}, 1e-15},
      {"hypot(x-0.5, 0)", 1, {0.5}, 2e-9},
      {"hypot(x-0.5, 0.1)", 0, {0}, 0},
      {"linear(x)", 3, {0.25, 0.625, 1.5}, 1e-15},
      {"steps(x^2)", 4, {0.5, 0.79056941504209488, 1.2247448713915889, 1.6583123951776999}, 1e-15},
      {"pick(x, 0.7, y)", 1, {0.7}, 1e-15},
      {"abs(sin(x)-0.5) + sign(z*x+1.3*y)", 2, {PI / 6, 0.7}, 1e-15},
      {"abs(max(sin(x)^2+cos(x)^2, 2))", 0, {0}, 0},
      {"sign(exp(x)-2)", 1, {0.69314718055994531}, 1e-15},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    double found[MOST];
    const int n = all_switches(table[i].text, 0, 2, found);
    if (n != table[i].n) fail_msg("\"%s\" switches %d times, not %d", table[i].text, n, table[i].n);
    for (int k = 0; k < n; k++)
      if (!(fabs(found[k] - table[i].at[k]) <= table[i].within))
        fail_msg("\"%s\" switches at %.17g, not %.17g", table[i].text, found[k], table[i].at[k]);
  }
}

static void none_of_many_is_missed(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 30; i++) {
    const double a = exp(uniform(&seed, 0, 6)), b = uniform(&seed, 0.1, 3);
    char text[80];
    double found[MOST];
    snprintf(text, sizeof text, "abs(sin(%.17g*x + %.17g))", a, b);
    const int n = all_switches(text, 0, 2, found), first = (int)ceil(b / PI);
    assert_int_equal(n, (int)floor((2 * a + b) / PI) - first + 1);
    for (int k = 0; k < n; k++)
      assert_true(fabs(found[k] - ((first + k) * PI - b) / a) < 1e-14);
  }
}

static void close_pairs_are_told_apart(void **state)
{
  (void)state;
  for (double gap = 1e-2; gap > 1e-7; gap /= 3) {
    char text[120];
    double found[MOST];
    snprintf(text, sizeof text, "abs((x-0.7)*(x-0.7-%.17g)*(2+sin(9*x)))", gap);
    assert_int_equal(all_switches(text, 0, 2, found), 2);
    assert_true(fabs(found[1] - found[0] - gap) < 1e-14);
  }
}

static void what_is_not_of_time_alone_is_left_alone(void **state)
{
  (void)state;
  lwi_expr e = parse("abs(y) + sign(y - 2)*x");
  bool varies = true;
  assert_false(lwi_expr_can_switch(&e, 1, 0, NULL)); /* y is no parameter here */
  assert_false(lwi_expr_can_switch(&e, 3, 0, &varies));
  assert_false(varies);
  lwi_expr_free(&e);
  e = parse("y*abs(x-0.5)");
  assert_true(lwi_expr_can_switch(&e, 3, 0, &varies));
  assert_false(varies);
  lwi_expr_free(&e);
  e = parse("abs(x-y)");
  assert_true(lwi_expr_can_switch(&e, 3, 0, &varies));
  assert_true(varies);
  lwi_expr_free(&e);
}

static void zero_but_for_rounding_is_no_switch(void **state)
{
  (void)state;
  lwi_expr e = parse("abs((x+1)*(x-1) - (x^2-1))");
  double out[2];
  assert_int_not_equal(lwi_expr_next_switch(&e, slots, 3, 0, 1, 1.0001, out), LWI_SWITCH_FOUND);
  lwi_expr_free(&e);
}

/* ---- ranges ---- */

static bool inside(lwi_interval r, double x)
{
  const double size = 1e-12 * (1 + fabs(x));
  return isnan(x) || (x >= r.low - size && x <= r.high + size);
}

/* operands that move along straight lines */
static void ranges_hold_all_values_and_rates(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int code = LWI_OP_FIRST_UNARY; code < LWI_OP_COUNT; code++)
    for (int i = 0; i < 300; i++) {
      const bool two = code >= LWI_OP_FIRST_BINARY;
      double from[2], rate[2];
      lwi_bounds r[2];
      for (int k = 0; k < 2; k++) {
        from[k] = uniform(&seed, -3, 3);
        rate[k] = i % 3 == 0 && k == 1 ? 0 : uniform(&seed, -4, 4) * exp(uniform(&seed, -6, 0));
        if (i % 6 == 0 && k == 1) from[k] = rint(from[k]);
        const double end = from[k] + rate[k];
        r[k] = (lwi_bounds){.value = {fmin(from[k], end), fmax(from[k], end)},
                            .rate = {rate[k], rate[k]}};
      }
      const lwi_bounds y = two ? lwi_bounds_binary(code, r[0], r[1]) : lwi_bounds_unary(code, r[0]);
      for (int k = 0; k <= 20; k++) {
        const double a = from[0] + k / 20.0 * rate[0], b = from[1] + k / 20.0 * rate[1];
        const double v = two ? apply_binary(code, a, b) : apply_unary(code, a);
        const slopes s = two ? binary_slopes(code, a, b, v) : (slopes){unary_slope(code, a, v), 0};
        const double d = chain(s.a, rate[0]) + (two ? chain(s.b, rate[1]) : 0);
        if (!inside(y.value, v) || (!isnan(v) && isfinite(d) && !inside(y.rate, d)))
          fail_msg("operation %d of %g, %g: %g, %g outside %g ... %g, %g ... %g", code, a, b, v, d,
                   y.value.low, y.value.high, y.rate.low, y.rate.high);
      }
    }
}

/* One expression at (x, y), and what it is there when all its operations are held. */
static void compare_held(const char *text, const double xy[2])
{
  lwi_expr e = parse(text), g, held;
  lwi_held_op op[8];
  const bool state[2] = {true, true};
  const double unit[4] = {1, 0, 0, 1}, size = 1e-4;
  double value[2], slope[2][2];
  int at = 0, n = 0;
  lwi_switch_effect effect;
  while (lwi_expr_next_switching(&e, state, &at, &g, &effect) == LWI_SWITCH_FOUND) {
    lwi_expr_resolve(&g, find_xyz, NULL);
    op[n++] = (lwi_held_op){(at - 1) / 2, lwi_expr_value(&g, xy) > 0 ? 1 : -1};
    lwi_expr_free(&g);
  }
  assert_true(n > 0 && lwi_expr_may_switch(&e));
  assert_true(lwi_expr_hold(&e, xy, op, n, &held));
  lwi_expr_dual(&e, xy, 2, unit, &value[0], slope[0]);
  lwi_expr_dual(&held, xy, 2, unit, &value[1], slope[1]);
  for (int k = 0; k < 2; k++)
    if (fabs(slope[0][k] - slope[1][k]) > 1e-9 * (1 + fabs(slope[0][k])))
      fail_msg("%s at %.17g, %.17g: slope %g, held %g", text, xy[0], xy[1], slope[0][k],
               slope[1][k]);
  if (fabs(value[0] - value[1]) > 1e-13 * (1 + fabs(value[0])))
    fail_msg("%s at %.17g, %.17g: %.17g, held %.17g", text, xy[0], xy[1], value[0], value[1]);
  /* on the other side of the switch, which is closer than 1e-4, it goes on as it was */
  for (int k = -1; k <= 1; k += 2) {
    const double to[2] = {xy[0] + k * size, xy[1] - k * size};
    const double line = value[1] + k * size * (slope[1][0] - slope[1][1]);
    if (fabs(lwi_expr_value(&held, to) - line) > 1e-6 * (1 + fabs(line)))
      fail_msg("%s held at %.17g, %.17g bends", text, xy[0], xy[1]);
  }
  lwi_expr_free(&held);
  lwi_expr_free(&e);
}

/* At random places, half of them near the switch: the held expression is the expression on its side, and smooth across. */
static void held_expressions_are_one_branch(void **state)
{
  (void)state;
  static const char *const text[] = {"abs(x)",
                                     "x*sign(x + y)",
                                     "floor(x + 0.2)*y",
                                     "ceil(x)+y",
                                     "round(x*2)",
                                     "mod(x, 0.7) + y",
                                     "min(x, y)",
                                     "max(x^2, y)",
                                     "if(x < y, 1, y)",
                                     "if(x >= y, x, 3)",
                                     "atan2(x, y - 3)*y",
                                     "atan2(x, y + 3)",
                                     "2*atan2(x, -2 - y^2)"};
  uint64_t seed = 5;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++)
    for (int k = 0; k < 200; k++) {
      const double y = uniform(&seed, -2, 2);
      double xy[2] = {uniform(&seed, -2, 2), y};
      if (k % 2) xy[0] = uniform(&seed, -5e-6, 5e-6) + (i >= 6 && i < 10 ? y : 0);
      compare_held(text[i], xy);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switches_are_found_in_order),
      cmocka_unit_test(none_of_many_is_missed),
      cmocka_unit_test(close_pairs_are_told_apart),
      cmocka_unit_test(what_is_not_of_time_alone_is_left_alone),
      cmocka_unit_test(zero_but_for_rounding_is_no_switch),
      cmocka_unit_test(ranges_hold_all_values_and_rates),
      cmocka_unit_test(held_expressions_are_one_branch),
  };
  return cmocka_run_group_tests_name("unit/expr_switch", tests, NULL, NULL);
}
