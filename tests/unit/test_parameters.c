/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that follow one another: values, total derivatives, limits, and mistakes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/expression/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- support ---- */

enum { MAX = 64 };

static lwi_parameters_status add(lwi_parameters *p, const char *name, const char *value,
                                 lwi_parameters_error *err)
{
  return lwi_parameters_add(p, &(lwi_parameter_desc){.name = name, .value = {.text = value}}, err);
}

/* "name = expression; name = expression; ..." */
static lwi_parameters table_of(const char *text)
{
  lwi_parameters p = {0};
  lwi_parameters_error err;
  char copy[2048];
  assert_true(strlen(text) < sizeof copy);
  strcpy(copy, text);
  for (char *name = copy, *end; *name; name = end) {
    end = name + strcspn(name, ";");
    if (*end) *end++ = '\0';
    char *value = strchr(name, '=');
    assert_non_null(value);
    *value++ = '\0';
    name += strspn(name, " ");
    name[strcspn(name, " ")] = '\0';
    if (add(&p, name, value, &err)) fail_msg("%s", err.text);
  }
  return p;
}

static void evaluate(lwi_parameters *p, double *value)
{
  lwi_parameters_error err;
  if (lwi_parameters_order(p, &err) || lwi_parameters_evaluate(p, value, &err))
    fail_msg("%s", err.text);
}

static double value_of(const lwi_parameters *p, const double *value, const char *name)
{
  const int i = lwi_parameters_find(p, name);
  if (i < 0) fail_msg("no parameter %s", name);
  return value[i];
}

static bool close_to(double a, double b, double tolerance)
{
  return fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

/* ---- values ---- */

static void parameters_may_use_later_ones(void **state)
{
  (void)state;
  double value[MAX];
  lwi_parameters p = table_of("m=rho*V; rho=7860; V=L^2*h; h=L/10; L=2; alpha=30 deg");
  evaluate(&p, value);
  assert_true(close_to(value_of(&p, value, "m"), 7860 * 0.8, 1e-15));
  assert_true(close_to(value_of(&p, value, "alpha"), 0.52359877559829887, 1e-15));
  lwi_parameters_free(&p);
}

static void plain_numbers_need_no_text(void **state)
{
  (void)state;
  double value[MAX];
  lwi_parameters p = table_of("b=2*a");
  const lwi_parameter_desc d = {.name = "a", .value = {.number = 1.25}};
  assert_int_equal(lwi_parameters_add(&p, &d, NULL), LWI_PARAMETERS_OK);
  evaluate(&p, value);
  assert_true(value[0] == 2.5 && value[1] == 1.25);
  lwi_parameters_free(&p);
}

static void an_empty_table_is_fine(void **state)
{
  (void)state;
  lwi_parameters p = {0};
  evaluate(&p, NULL);
  assert_int_equal(lwi_parameters_find(&p, "a"), -1);
  assert_int_equal(lwi_parameters_derivatives(&p, NULL, 0, NULL, NULL), -1);
  lwi_parameters_free(&p);
}

static void an_override_replaces_the_expression(void **state)
{
  (void)state;
  double value[MAX];
  lwi_parameters p = table_of("pa=1; pd=2*pa; x=pd+1");
  evaluate(&p, value);
  assert_true(value_of(&p, value, "x") == 3);
  lwi_parameters_override(&p, lwi_parameters_find(&p, "pd"), 3);
  assert_int_equal(lwi_parameters_evaluate(&p, value, NULL), LWI_PARAMETERS_OK);
  assert_true(value_of(&p, value, "x") == 4);
  lwi_parameters_override(&p, lwi_parameters_find(&p, "pa"), 100);
  assert_int_equal(lwi_parameters_evaluate(&p, value, NULL), LWI_PARAMETERS_OK);
  assert_true(value_of(&p, value, "x") == 4);
  lwi_parameters_restore(&p, lwi_parameters_find(&p, "pd"));
  evaluate(&p, value);
  assert_true(value_of(&p, value, "x") == 201);
  lwi_parameters_free(&p);
}

static void an_override_breaks_a_cycle(void **state)
{
  (void)state;
  double value[MAX];
  lwi_parameters p = table_of("a=b+1; b=a-1");
  assert_int_equal(lwi_parameters_order(&p, NULL), LWI_PARAMETERS_CYCLE);
  lwi_parameters_override(&p, 0, 5);
  evaluate(&p, value);
  assert_true(value[1] == 4);
  lwi_parameters_restore(&p, 0);
  assert_int_equal(lwi_parameters_order(&p, NULL), LWI_PARAMETERS_CYCLE);
  lwi_parameters_free(&p);
}

/* ---- derivatives ---- */

static void a_derivative_is_total(void **state)
{
  (void)state;
  lwi_parameters p = table_of("pa=1.5; pd=2*pa; m=pa*pd^2; other=7");
  const int seed[] = {0, 1, 3};
  double value[MAX], d[4][3];
  evaluate(&p, value);
  assert_int_equal(lwi_parameters_derivatives(&p, value, 3, seed, &d[0][0]), -1);

  /* m = 4 pa^3 as a function of pa, and pa pd^2 as one of pd */
  const double expected[4][3] = {{1, 0, 0}, {2, 1, 0}, {27, 9, 0}, {0, 0, 1}};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++)
      assert_true(close_to(d[i][k], expected[i][k], 1e-15));
  lwi_parameters_free(&p);
}

static void an_overridden_parameter_follows_nothing(void **state)
{
  (void)state;
  lwi_parameters p = table_of("pa=1.5; pd=2*pa; m=pa*pd");
  const int seed[] = {0};
  double value[MAX], d[3];
  lwi_parameters_override(&p, 1, 10);
  evaluate(&p, value);
  assert_int_equal(lwi_parameters_derivatives(&p, value, 1, seed, d), -1);
  assert_true(d[0] == 1 && d[1] == 0 && d[2] == 10);
  lwi_parameters_free(&p);
}

/* Overriding a parameter by a shifted value is what its derivative is the limit of. */
static void derivatives_agree_with_differences(void **state)
{
  (void)state;
  lwi_parameters p = table_of("s=exp(-r)*q; r=sqrt(a^2+b^2); a=1.2; b=sin(a)*c; c=0.7; q=atan2(b,r)"
                              "; e=max(s,q)+c^a; f=e/(1+s^2)");
  enum { N = 8 };
  int seed[N];
  double value[N], d[N][N], up[N], down[N];
  const double h = 1e-5;
  for (int i = 0; i < N; i++)
    seed[i] = i;
  evaluate(&p, value);
  assert_int_equal(lwi_parameters_derivatives(&p, value, N, seed, &d[0][0]), -1);
  for (int k = 0; k < N; k++) {
    lwi_parameters_override(&p, k, value[k] + h);
    evaluate(&p, up);
    lwi_parameters_override(&p, k, value[k] - h);
    evaluate(&p, down);
    lwi_parameters_restore(&p, k);
    for (int i = 0; i < N; i++)
      if (!close_to(d[i][k], (up[i] - down[i]) / (2 * h), 1e-9))
        fail_msg("d(%s)/d(%s) = %.12g, differences give %.12g", p.name[i], p.name[k], d[i][k],
                 (up[i] - down[i]) / (2 * h));
  }
  lwi_parameters_free(&p);
}

static void a_derivative_that_does_not_exist_is_reported(void **state)
{
  (void)state;
  lwi_parameters p = table_of("a=0; b=sqrt(a); c=b+1; e=5");
  double value[MAX], d[4];
  evaluate(&p, value);
  assert_int_equal(lwi_parameters_derivatives(&p, value, 1, (int[]){0}, d), 1);
  assert_int_equal(lwi_parameters_derivatives(&p, value, 1, (int[]){3}, d), -1);
  assert_true(d[1] == 0 && d[2] == 0 && d[3] == 1);
  lwi_parameters_free(&p);
}

/* ---- size ---- */

/* Each uses the next: the worst order for anything that recurses. */
static void a_chain_of_100000_is_no_trouble(void **state)
{
  (void)state;
  enum { N = 100000 };
  lwi_parameters p = {0};
  char name[16], text[32];
  for (int i = 0; i < N; i++) {
    sprintf(name, "p%d", i);
    sprintf(text, "p%d + 1", i + 1);
    assert_int_equal(add(&p, name, i < N - 1 ? text : "0.5", NULL), LWI_PARAMETERS_OK);
  }
  double *value = malloc(N * sizeof *value), *d = malloc(N * sizeof *d);
  assert_non_null(value);
  assert_non_null(d);
  evaluate(&p, value);
  assert_true(value[0] == N - 0.5);
  assert_int_equal(lwi_parameters_derivatives(&p, value, 1, (int[]){N - 1}, d), -1);
  assert_true(d[0] == 1);
  free(value);
  free(d);
  lwi_parameters_free(&p);
}

static void a_cycle_of_100000_is_told_in_a_line(void **state)
{
  (void)state;
  enum { N = 100000 };
  lwi_parameters p = {0};
  lwi_parameters_error err;
  char name[16], text[32];
  for (int i = 0; i < N; i++) {
    sprintf(name, "p%d", i);
    sprintf(text, "p%d", (i + 1) % N);
    assert_int_equal(add(&p, name, text, NULL), LWI_PARAMETERS_OK);
  }
  assert_int_equal(lwi_parameters_order(&p, &err), LWI_PARAMETERS_CYCLE);
  assert_string_equal(err.text, "100000 parameters depend on each other: p0 -> p1 -> p2 -> ... -> "
                                "p99997 -> p99998 -> p99999 -> p0");
  lwi_parameters_free(&p);
}

/* ---- mistakes ---- */

static void names_are_checked(void **state)
{
  (void)state;
  const struct {
    const char *name, *message;
  } table[] = {
      {"", "parameter \"\": a name is a text without control characters, and not empty"},
      {"a\n", "parameter \"a\n\": a name is a text without control characters, and not empty"},
      {"t", "parameter \"t\": the name is reserved"},
      {"pi", "parameter \"pi\": the name is reserved"},
      {"deg", "parameter \"deg\": the name is reserved"},
      {"sqrt", "parameter \"sqrt\": the name is reserved"},
      {"there", "parameter \"there\" is already defined"},
  };
  lwi_parameters p = table_of("there=1");
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    lwi_parameters_error err;
    assert_int_equal(add(&p, table[i].name, "1", &err), LWI_PARAMETERS_NAME);
    assert_string_equal(err.text, table[i].message);
    assert_int_equal(err.field, LWI_FIELD_NAME);
    assert_int_equal(p.n, 1);
  }
  lwi_parameters_free(&p);
}

static void a_mistake_in_any_field_is_placed(void **state)
{
  (void)state;
  lwi_parameters p = {0};
  lwi_parameters_error err;
  const lwi_formula_desc good = {.number = 1}, bad = {.text = "1 + * 2"};
  const lwi_parameter_desc descs[] = {{.name = "a", .value = bad},
                                      {.name = "a", .value = good, .min = &bad},
                                      {.name = "a", .value = good, .min = &good, .max = &bad}};
  const lwi_parameter_field fields[] = {LWI_FIELD_VALUE, LWI_FIELD_MIN, LWI_FIELD_MAX};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(lwi_parameters_add(&p, &descs[i], &err), LWI_PARAMETERS_EXPRESSION);
    assert_string_equal(err.text, "parameter \"a\": unexpected \"*\"");
    assert_int_equal(err.field, fields[i]);
    assert_int_equal(err.column, 4);
    assert_int_equal(p.n, 0);
  }
  lwi_parameters_free(&p);
}

static void orders_fail_with_a_reason(void **state)
{
  (void)state;
  const struct {
    const char *text;
    lwi_parameters_status status;
    int index;
    size_t column;
    const char *message;
  } table[] = {
      {"La=1; x=2*Lb", LWI_PARAMETERS_UNKNOWN, 1, 2,
       "parameter \"x\": unknown parameter \"Lb\", did you mean \"La\"?"},
      {"a=1; x=a+frob", LWI_PARAMETERS_UNKNOWN, 1, 2,
       "parameter \"x\": unknown parameter \"frob\""},
      {"x=sin(t)", LWI_PARAMETERS_UNKNOWN, 0, 4,
       "parameter \"x\": \"t\" changes with the motion, only parameters are allowed here"},
      {"x=1+q.A", LWI_PARAMETERS_UNKNOWN, 0, 2,
       "parameter \"x\": \"q.A\" changes with the motion, only parameters are allowed here"},
      {"a=1+a", LWI_PARAMETERS_CYCLE, 0, 2, "a parameter depends on itself: a -> a"},
      {"a=b; b=2*a", LWI_PARAMETERS_CYCLE, 0, 0, "2 parameters depend on each other: a -> b -> a"},
      {"x=c; a=1; b=a+c; c=d; d=a*b", LWI_PARAMETERS_CYCLE, 2, 2,
       "3 parameters depend on each other: b -> c -> d -> b"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    lwi_parameters p = table_of(table[i].text);
    lwi_parameters_error err;
    if (lwi_parameters_order(&p, &err) != table[i].status || err.index != table[i].index ||
        err.column != table[i].column || strcmp(err.text, table[i].message) != 0)
      fail_msg("%s: index %d, column %zu: %s", table[i].text, err.index, err.column, err.text);
    lwi_parameters_free(&p);
  }
}

static void a_value_that_is_not_finite_is_an_error(void **state)
{
  (void)state;
  lwi_parameters p = table_of("a=0; b=1+2/a");
  lwi_parameters_error err;
  double value[MAX];
  assert_int_equal(lwi_parameters_order(&p, &err), LWI_PARAMETERS_OK);
  assert_int_equal(lwi_parameters_evaluate(&p, value, &err), LWI_PARAMETERS_VALUE);
  assert_string_equal(err.text, "parameter \"b\": division by zero");
  assert_int_equal(err.index, 1);
  assert_int_equal(err.column, 3);
  lwi_parameters_override(&p, 0, HUGE_VAL);
  assert_int_equal(lwi_parameters_evaluate(&p, value, &err), LWI_PARAMETERS_VALUE);
  assert_string_equal(err.text, "parameter \"a\": the value is not finite");
  lwi_parameters_free(&p);
}

static lwi_parameters_status check(lwi_parameters *p, lwi_parameters_error *err)
{
  double value[MAX];
  evaluate(p, value);
  return lwi_parameters_check_range(p, value, err);
}

static void limits_are_kept(void **state)
{
  (void)state;
  const lwi_formula_desc min = {.number = 1000}, max = {.text = "9*min_density"};
  const lwi_parameter_desc d = {.name = "rho", .value = {.text = "7860"}, .min = &min, .max = &max};
  lwi_parameters p = table_of("min_density=1000");
  lwi_parameters_error err;
  assert_int_equal(lwi_parameters_add(&p, &d, &err), LWI_PARAMETERS_OK);
  assert_int_equal(check(&p, &err), LWI_PARAMETERS_OK);
  lwi_parameters_override(&p, 1, 500);
  assert_int_equal(check(&p, &err), LWI_PARAMETERS_RANGE);
  assert_string_equal(err.text, "parameter \"rho\": 500 is below its minimum 1000");
  assert_int_equal(err.index, 1);
  lwi_parameters_override(&p, 1, 1000);
  assert_int_equal(check(&p, &err), LWI_PARAMETERS_OK);
  lwi_parameters_override(&p, 1, 9000.5);
  assert_int_equal(check(&p, &err), LWI_PARAMETERS_RANGE);
  assert_string_equal(err.text, "parameter \"rho\": 9000.5 is above its maximum 9000");
  lwi_parameters_override(&p, 1, 9000);
  assert_int_equal(check(&p, &err), LWI_PARAMETERS_OK);
  lwi_parameters_free(&p);
}

static void a_limit_that_is_not_a_number_is_an_error(void **state)
{
  (void)state;
  const lwi_formula_desc max = {.text = "1 + 1/zero"};
  const lwi_parameter_desc d = {.name = "a", .value = {.number = 5}, .max = &max};
  lwi_parameters p = table_of("zero=0");
  lwi_parameters_error err;
  assert_int_equal(lwi_parameters_add(&p, &d, &err), LWI_PARAMETERS_OK);
  assert_int_equal(check(&p, &err), LWI_PARAMETERS_VALUE);
  assert_string_equal(err.text, "parameter \"a\": division by zero");
  assert_int_equal(err.field, LWI_FIELD_MAX);
  assert_int_equal(err.column, 5);
  lwi_parameters_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_may_use_later_ones),
      cmocka_unit_test(plain_numbers_need_no_text),
      cmocka_unit_test(an_empty_table_is_fine),
      cmocka_unit_test(an_override_replaces_the_expression),
      cmocka_unit_test(an_override_breaks_a_cycle),
      cmocka_unit_test(a_derivative_is_total),
      cmocka_unit_test(an_overridden_parameter_follows_nothing),
      cmocka_unit_test(derivatives_agree_with_differences),
      cmocka_unit_test(a_derivative_that_does_not_exist_is_reported),
      cmocka_unit_test(a_chain_of_100000_is_no_trouble),
      cmocka_unit_test(a_cycle_of_100000_is_told_in_a_line),
      cmocka_unit_test(names_are_checked),
      cmocka_unit_test(a_mistake_in_any_field_is_placed),
      cmocka_unit_test(orders_fail_with_a_reason),
      cmocka_unit_test(a_value_that_is_not_finite_is_an_error),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(a_limit_that_is_not_a_number_is_an_error),
  };
  return cmocka_run_group_tests_name("unit/parameters", tests, NULL, NULL);
}
