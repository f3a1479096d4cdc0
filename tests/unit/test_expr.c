/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: what they mean, what their derivatives are, and what is said about wrong ones. */
#include "expr_support.h"

#include <complex.h>
#include <float.h>
#include <locale.h>

/* ---- meaning ---- */

static void operators_bind_as_the_format_says(void **state)
{
  (void)state;
  const struct {
    const char *text;
    double value;
  } table[] = {
      {"1", 1},
      {"1+2*3", 7},
      {"(1+2)*3", 9},
      {"8-3-2", 3},
      {"8/4/2", 1},
      {"8/4*2", 4},
      {"2*3^2", 18},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"2^+1", 2},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"2^-3^2", 1.0 / 512},
      {"2^--1", 2},
      {"-2^-2", -0.25},
      {"--3", 3},
      {"+-+3", -3},
      {"2*-3", -6},
      {"2--3", 5},
      {"2-+3", -1},
      {"-2*-3", 6},
      {"6/-3+1", -1},
      {"1-2^2*3+4", -7},
      {"2^2^0*3", 6},
      {"((((7))))", 7},
      {"min(3,1+1,5)*10", 20},
      {"max(1,2)-min(1,2)", 1},
      {"max(3, 9, 2, 8, 1)", 9},
      {"pow(2,10)", 1024},
      {"atan2(0, 1)", 0},
      {"-abs(-3)^2", -9},
      {" \t\r\n1 \n+\t2 ", 3},
      {"sqrt (16)", 4},
      {"sign(-3)+10*sign(0)+100*sign(7)", 99},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    assert_close(value_of(table[i].text), table[i].value, 1e-15, table[i].text);
}

static void deg_multiplies_what_stands_just_before_it(void **state)
{
  (void)state;
  assert_close(value_of("30 deg"), PI / 6, 1e-15, "number");
  assert_close(value_of("30deg"), PI / 6, 1e-15, "no space");
  assert_close(value_of("180 deg"), PI, 0, "half a turn is pi to the last digit");
  assert_close(value_of("-90 deg"), -PI / 2, 1e-15, "sign");
  assert_close(value_of("2*30 deg"), PI / 3, 1e-15, "product");
  assert_close(value_of("2^180 deg"), pow(2, PI), 1e-15, "exponent");
  assert_close(value_of("180 deg^2"), PI * PI, 1e-15, "base");
  assert_close(value_of("(20+10) deg"), PI / 6, 1e-15, "parenthesis");
  assert_close(value_of("max(20,30) deg"), PI / 6, 1e-15, "call");
  assert_close(value_of("sin(30 deg)"), 0.5, 1e-15, "argument");
  assert_close(value_at("x deg", 30, 0), PI / 6, 1e-15, "name");
  assert_close(value_of("pi deg"), PI * PI / 180, 1e-15, "constant");
}

static void numbers_are_rounded_correctly(void **state)
{
  (void)state;
  /* exactly half way between 1 and the next double, 53 digits, and a digit more */
  const char *tie = "1.00000000000000011102230246251565404236316680908203125";
  char above[1200] = "";
  snprintf(above, sizeof above, "%s%01000d1", tie, 0);
  assert_true(value_of(tie) == 1.0);
  assert_true(value_of(above) == 1.0 + DBL_EPSILON);
  assert_true(value_of("1e-11") == 1e-11);
  assert_true(value_of(".5") == 0.5);
  assert_true(value_of("5.") == 5.0);
  assert_true(value_of("5.e1") == 50.0);
  assert_true(value_of("1E+3") == 1000.0);
  assert_true(value_of("007.50") == 7.5);
  assert_true(value_of("0.1") == 0.1);
  assert_true(value_of("123456789012345678901234567890") == 123456789012345678901234567890.0);
  assert_true(value_of("1.7976931348623157e308") == DBL_MAX);
  assert_true(value_of("4.9e-324") == 4.9e-324);
  assert_true(value_of("1e-999999999999") == 0.0);
  assert_true(value_of("0e999999999999") == 0.0);
}

static void long_numbers_keep_their_exponent(void **state)
{
  (void)state;
  enum { ZEROS = 30000 };
  char *text = malloc(2 * ZEROS + 64);
  assert_non_null(text);
  sprintf(text, "0.%0*d25e%d", ZEROS, 0, ZEROS + 1);
  assert_true(value_of(text) == 2.5);
  sprintf(text, "25%0*de-%d", ZEROS, 0, ZEROS + 1);
  assert_true(value_of(text) == 2.5);
  sprintf(text, "25%0*d.%0*de-%d", ZEROS, 0, ZEROS, 0, ZEROS + 1);
  assert_true(value_of(text) == 2.5);
  free(text);
}

/* What printf writes with 17 digits comes back as the same double. */
static void random_numbers_survive_the_round_trip(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 20000; i++) {
    const uint64_t bits = random_bits(&seed) >> 1;
    double number;
    char text[64];
    memcpy(&number, &bits, sizeof number);
    if (!isfinite(number)) continue;
    snprintf(text, sizeof text, "%.*g", 17 + below(&seed, 8), number);
    if (value_of(text) != number) fail_msg("%s: %.17g", text, value_of(text));
  }
}

static void the_decimal_point_is_a_point_in_every_locale(void **state)
{
  (void)state;
  const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
  const char *set = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !set; i++)
    set = setlocale(LC_NUMERIC, names[i]);
  if (!set) skip(); /* no such locale here */
  const double value = value_of("12.5e-1 + .25");
  setlocale(LC_NUMERIC, "C");
  assert_true(value == 1.5);
}

static void names_are_listed_once_in_order_of_appearance(void **state)
{
  (void)state;
  const char *text = "t + q.J.2*u.J - q.J.2 + energy.total + _a1*t";
  const char *names[] = {"t", "q.J.2", "u.J", "energy.total", "_a1"};
  const int columns[] = {0, 4, 10, 24, 39};
  lwi_expr e;
  assert_int_equal(lwi_expr_parse(text, strlen(text), &e, NULL), LWI_EXPR_OK);
  assert_int_equal(e.nname, 5);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(e.name[i].text, names[i]);
    assert_int_equal(e.name[i].column, columns[i]);
    assert_int_equal(e.name[i].slot, -1);
  }
  lwi_expr_free(&e);
}

static void names_in_quotes_are_any_text(void **state)
{
  (void)state;
  static const struct {
    const char *text, *name;
    int column;
  } table[] = {
      {"2*q.\"left knee\".2", "q.left knee.2", 2},
      {"'a-b' + 1", "a-b", 0},
      {"sin('say \"x\"')", "say \"x\"", 4},
      {"1 + \"5\"\" pipe\"", "5\" pipe", 4},
      {"'it''s' deg", "it's", 0},
      {"3*\"sin\"", "sin", 2},
      {"-\"q.a.b c\"^2", "q.a.b c", 1},
      {"fl.'x'.y*2", "fl.x.y", 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    lwi_expr e;
    assert_int_equal(lwi_expr_parse(table[i].text, strlen(table[i].text), &e, NULL), LWI_EXPR_OK);
    assert_int_equal(e.nname, 1);
    assert_string_equal(e.name[0].text, table[i].name);
    assert_int_equal(e.name[0].column, table[i].column);
    lwi_expr_free(&e);
  }
  static const char *const bad[] = {"2*\"a", "'", "a'b'", "\"a\"b", "'a''", "2 'mm'"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    lwi_expr e;
    assert_int_equal(lwi_expr_parse(bad[i], strlen(bad[i]), &e, NULL), LWI_EXPR_SYNTAX);
  }
}

static void resolving_reports_the_first_unknown_name(void **state)
{
  (void)state;
  lwi_expr e;
  assert_int_equal(lwi_expr_parse("x + w + v", 9, &e, NULL), LWI_EXPR_OK);
  const lwi_expr_name *unknown = lwi_expr_resolve(&e, find_xyz, NULL);
  assert_non_null(unknown);
  assert_string_equal(unknown->text, "w");
  assert_int_equal(unknown->column, 4);
  assert_null(lwi_expr_resolve(&e, find_anything, NULL));
  lwi_expr_free(&e);
}

static void a_copy_lives_without_its_original(void **state)
{
  (void)state;
  lwi_expr e = parse("x^2 + 3*y - 1.5");
  void *memory = malloc(lwi_expr_size(&e));
  assert_non_null(memory);
  const lwi_expr copy = lwi_expr_copy_to(&e, memory);
  lwi_expr_free(&e);
  assert_true(lwi_expr_value(&copy, (double[]){2, 3}) == 11.5);
  assert_string_equal(copy.name[1].text, "y");
  free(memory);
}

static void reserved_names_are_known(void **state)
{
  (void)state;
  const char *reserved[] = {"t", "pi", "deg", "sin", "atan2", "log10", "sign", "max", "pow"};
  const char *others[] = {"", "T", "x", "degree", "si", "sine", "q", "u", "ground"};
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
    assert_true(lwi_expr_is_reserved(reserved[i]));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    assert_false(lwi_expr_is_reserved(others[i]));
}

/* ---- functions ---- */

static double complex c_log10(double complex x)
{
  return clog(x) / log(10.0);
}

static void functions_and_their_slopes_agree_with_complex_steps(void **state)
{
  (void)state;
  const struct {
    const char *text;
    double (*value)(double);
    double complex (*complex_value)(double complex);
    double low, high;
  } table[] = {
      {"sin(x)", sin, csin, -4, 4},        {"cos(x)", cos, ccos, -4, 4},
      {"tan(x)", tan, ctan, -1.5, 1.5},    {"asin(x)", asin, casin, -0.99, 0.99},
      {"acos(x)", acos, cacos, -.99, .99}, {"atan(x)", atan, catan, -5, 5},
      {"sinh(x)", sinh, csinh, -4, 4},     {"cosh(x)", cosh, ccosh, -4, 4},
      {"tanh(x)", tanh, ctanh, -4, 4},     {"exp(x)", exp, cexp, -5, 5},
      {"log(x)", log, clog, 0.01, 9},      {"log10(x)", log10, c_log10, 0.01, 9},
      {"sqrt(x)", sqrt, csqrt, 0.01, 9},
  };
  const double h = 1e-20;
  uint64_t seed = 1;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    for (int k = 0; k < 100; k++) {
      const double x = uniform(&seed, table[i].low, table[i].high);
      const double slope = cimag(table[i].complex_value(x + h * (double complex)I)) / h;
      assert_true(value_at(table[i].text, x, 0) == table[i].value(x));
      assert_close(slope_at(table[i].text, x, 0, 1, 0), slope, 1e-13, table[i].text);
    }
  }
}

static void two_argument_functions_have_the_slopes_of_the_textbook(void **state)
{
  (void)state;
  uint64_t seed = 2;
  for (int k = 0; k < 200; k++) {
    const double x = uniform(&seed, 0.1, 3), y = uniform(&seed, -3, 3), r2 = x * x + y * y;
    assert_true(value_at("atan2(y, x)", x, y) == atan2(y, x));
    assert_close(slope_at("atan2(y, x)", x, y, 1, 0), -y / r2, 1e-14, "atan2 by x");
    assert_close(slope_at("atan2(y, x)", x, y, 0, 1), x / r2, 1e-14, "atan2 by y");
    assert_true(value_at("pow(x, y)", x, y) == pow(x, y));
    assert_close(slope_at("x^y", x, y, 1, 0), y * pow(x, y) / x, 1e-13, "power by base");
    assert_close(slope_at("x^y", x, y, 0, 1), log(x) * pow(x, y), 1e-13, "power by exponent");
    assert_close(slope_at("x/y", x, y, 1, 0), 1 / y, 1e-14, "quotient by x");
    assert_close(slope_at("x/y", x, y, 0, 1), -x / (y * y), 1e-14, "quotient by y");
    assert_close(slope_at("x*y", x, y, 2, 3), 2 * y + 3 * x, 1e-14, "product");
    assert_close(slope_at("min(x, y)", x, y, 2, 3), x < y ? 2 : 3, 0, "min");
    assert_close(slope_at("max(x, y)", x, y, 2, 3), x > y ? 2 : 3, 0, "max");
    assert_close(slope_at("abs(y)", x, y, 0, 1), y < 0 ? -1 : 1, 0, "abs");
    assert_close(slope_at("sign(y)", x, y, 0, 1), 0, 0, "sign");
    assert_close(slope_at("x deg", x, y, 1, 0), PI / 180, 1e-15, "deg");
  }
}

static void slopes_are_right_at_the_edges(void **state)
{
  (void)state;
  const double inf = HUGE_VAL;
  const struct {
    const char *text;
    double x, y, dx, dy, slope;
  } table[] = {
      {"x^2", 0, 0, 1, 0, 0},
      {"x^1", 0, 0, 1, 0, 1},
      {"x^0", 0, 0, 1, 0, 0},
      {"x^y", 0, 2, 1, 1, 0},
      {"x^y", 0, 1, 1, 1, 1},
      {"x^y", 0, 0, 1, 0, 0},
      {"x^y", -2, 2, 1, 0, -4},
      {"x^y", -2, 3, 1, 0, 12},
      {"x^3", -2, 0, 1, 0, 12},
      {"x^-1", -2, 0, 1, 0, -0.25},
      {"x^4", -2, 0, 1, 0, -32},
      {"x^0.5", 0, 0, 1, 0, inf},
      {"x^0.5", 0, 0, 0, 1, 0},
      {"sqrt(x)", 0, 0, 1, 0, inf},
      {"sqrt(x)", 0, 0, 0, 0, 0},
      {"sqrt(x) + y", 0, 0, 0, 1, 1},
      {"sqrt(x^2)", 0, 0, 1, 0, 0},
      {"asin(x)", 1, 0, 1, 0, inf},
      {"asin(x)", 1, 0, 0, 1, 0},
      {"log(x) * y", 0, 0, 0, 0, 0},
      {"abs(x)", 0, 0, 1, 0, 0},
      {"sign(x)", 0, 0, 1, 0, 0},
      {"min(x, y)", 1, 1, 2, 3, 2},
      {"max(x, y)", 1, 1, 2, 3, 2},
      {"tanh(x)", 1e3, 0, 1, 0, 0},
      {"atan(x)", 1e200, 0, 1, 0, 0},
      {"atan2(y, x)", 1e200, 1e200, 1, 0, -0.5e-200},
      {"x/y", 1, 2, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    assert_close(slope_at(table[i].text, table[i].x, table[i].y, table[i].dx, table[i].dy),
                 table[i].slope, 1e-15, table[i].text);
  assert_true(value_of("0^0") == 1.0);
  assert_true(value_at("x^3", -2, 0) == -8.0);
}

/* 1 + 2^-52: numbers that are known to 1e-12 leave a domain by less than that */
static void what_leaves_a_domain_by_rounding_is_at_its_edge(void **state)
{
  (void)state;
  const double near = 1 + 0x1p-52, tiny = 1e-20;
  assert_true(value_at("acos(x)", near, 0) == 0);
  assert_true(value_at("asin(-x)", near, 0) == -asin(1));
  assert_true(value_at("sqrt(1 - x^2)", near, 0) == 0);
  assert_true(value_at("(y^2 - x^2)^0.5", near * tiny, tiny) == 0);
  assert_true(value_at("2 + sqrt(1 - x^2 - y^2)", near, 0) == 2);
  assert_true(value_at("acos(x/y)", near * 1e9, 1e9) == 0);
  assert_true(isnan(value_at("acos(x)", 1 + 1e-11, 0)));
  assert_true(isnan(value_at("sqrt(x)", -1e-300, 0)));
  assert_true(isnan(value_at("sqrt(x - y)", 1e-20, 2e-20)));
  assert_true(isnan(value_at("sqrt(1 - x^2)", 1 + 1e-11, 0)));
  assert_close(slope_at("acos(x) + y", near, 0, 0, 1), 1, 1e-15, "slope at the edge");
  lwi_expr e = parse("sqrt(1 - x^2) + x");
  double jet[3];
  lwi_expr_taylor2(&e, (double[]){0}, 1, 0, jet); /* x is a slot that does not move */
  assert_true(jet[0] == 1);
  lwi_expr_taylor2(&e, (double[]){near}, 1, 0, jet);
  assert_true(jet[0] == near && jet[1] == 0 && jet[2] == 0);
  lwi_expr_free(&e);
}

static void a_nan_is_never_lost(void **state)
{
  (void)state;
  const char *texts[] = {"min(1, log(-1))", "min(log(-1), 1)", "max(1, log(-1))", "max(log(-1), 1)",
                         "sign(log(-1))",   "abs(log(-1))",    "log(-1)^2",       "-log(-1) deg"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    assert_true(isnan(value_of(texts[i])));
}

/* ---- mistakes ---- */

static void mistakes_are_told_with_their_column(void **state)
{
  (void)state;
  const struct {
    const char *text;
    size_t column;
    const char *message;
  } table[] = {
      {"", 0, "the expression is empty"},
      {"  ", 2, "the expression is empty"},
      {"1 +", 3, "a value is missing at the end"},
      {"-", 1, "a value is missing at the end"},
      {"(1+", 3, "a value is missing at the end"},
      {"1 + )", 4, "unexpected \")\""},
      {"1)", 1, "unexpected \")\""},
      {"()", 1, "unexpected \")\""},
      {"2*(1+2", 2, "\"(\" is not closed"},
      {"1+sin(2", 2, "\"sin(\" is not closed"},
      {"1, 2", 1, "unexpected \",\""},
      {"(1, 2)", 2, "unexpected \",\""},
      {"1 ** 2", 3, "unexpected \"*\""},
      {"1 = 2", 2, "unexpected \"=\": equality is written =="},
      {"a ; b", 2, "unexpected \";\""},
      {".", 0, "unexpected \".\""},
      {"q.", 1, "unexpected \".\""},
      {"2 x", 2, "missing operator before \"x\", which is no unit"},
      {"2x", 1, "missing operator before \"x\", which is no unit"},
      {"2(3)", 1, "missing operator before \"(\""},
      {"(1)(2)", 3, "missing operator before \"(\""},
      {"1.2.3", 3, "missing operator before \".3\""},
      {"0x10", 1, "missing operator before \"x10\", which is no unit"},
      {"1e+", 1, "missing operator before \"e\", which is no unit"},
      {"x 2", 2, "missing operator before \"2\""},
      {"30 deg deg", 7, "missing operator before \"deg\""},
      {"deg", 0, "\"deg\" must follow a number, a name or a parenthesis"},
      {"2*deg", 2, "\"deg\" must follow a number, a name or a parenthesis"},
      {"1+sine(2)", 2, "unknown function \"sine\", did you mean \"sin\"?"},
      {"Sqrt(2)", 0, "unknown function \"Sqrt\", did you mean \"sqrt\"?"},
      {"atn2(2, 1)", 0, "unknown function \"atn2\", did you mean \"atan2\"?"},
      {"frobnicate(2)", 0, "unknown function \"frobnicate\""},
      {"pi(2)", 0, "unknown function \"pi\""},
      {"2*atan2(1)", 2, "\"atan2\" takes 2 arguments, got 1"},
      {"sin()", 0, "\"sin\" takes 1 argument, got 0"},
      {"sin(1,2)", 0, "\"sin\" takes 1 argument, got 2"},
      {"pow(1,2,3)", 0, "\"pow\" takes 2 arguments, got 3"},
      {"1+min(2)", 2, "\"min\" takes 2 or more arguments, got 1"},
      {"max()", 0, "\"max\" takes 2 or more arguments, got 0"},
      {"min(1,)", 6, "unexpected \")\""},
      {"min(,1)", 4, "unexpected \",\""},
      {"sin + 1", 0, "\"sin\" is a function: write sin(...)"},
      {"sin 1", 0, "\"sin\" is a function: write sin(...)"},
      {"1 + 1e999", 4, "number \"1e999\" is too large"},
      {"2 \xc3\x97 3", 2, "unexpected \"\xc3\x97\""},
      {"1 \xe2\x88\x92 2", 2, "unexpected \"\xe2\x88\x92\""},
      {"1 < 2 < 3", 6, "comparisons do not chain: write a < b and b < c"},
      {"1 and", 5, "a value is missing at the end"},
      {"and 1", 0, "a value is missing before \"and\""},
      {"1 or or 2", 5, "a value is missing before \"or\""},
      {"not", 3, "a value is missing at the end"},
      {"if(1, 2)", 0, "\"if\" takes 3 arguments, got 2"},
      {"clamp(1, 2)", 0, "\"clamp\" takes 3 arguments, got 2"},
      {"clamp(1, 2, 3, 4)", 0, "\"clamp\" takes 3 arguments, got 4"},
      {"step(1)", 0, "\"step\" takes 3 arguments, got 1"},
      {"5 mm mm", 5, "missing operator before \"mm\", which is no unit"},
      {"5 mmm", 2, "missing operator before \"mmm\", which is no unit"},
      {"x mm", 2, "missing operator before \"mm\""},
      {"1 \xff", 2, "unexpected byte 0xff"},
      {"\x01", 0, "unexpected byte 0x01"},
      {"\xe2\x88", 0, "unexpected byte 0xe2"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    lwi_expr e;
    lwi_expr_error err;
    const lwi_expr_status status = lwi_expr_parse(table[i].text, strlen(table[i].text), &e, &err);
    if (status != LWI_EXPR_SYNTAX || err.status != status || err.column != table[i].column ||
        strcmp(err.text, table[i].message) != 0)
      fail_msg("%s: status %d, column %zu: %s", table[i].text, (int)status, err.column, err.text);
    assert_null(e.op);
  }
}

static void a_zero_byte_does_not_end_the_text(void **state)
{
  (void)state;
  lwi_expr e;
  lwi_expr_error err;
  assert_int_equal(lwi_expr_parse("1\0002", 3, &e, &err), LWI_EXPR_SYNTAX);
  assert_string_equal(err.text, "unexpected byte 0x00");
  assert_int_equal(err.column, 1);
}

static void long_names_are_quoted_in_part(void **state)
{
  (void)state;
  char text[400];
  lwi_expr e;
  lwi_expr_error err;
  memset(text, 'a', sizeof text);
  text[sizeof text - 1] = '(';
  assert_int_equal(lwi_expr_parse(text, sizeof text, &e, &err), LWI_EXPR_SYNTAX);
  assert_non_null(strstr(err.text, "aaa...\""));
  assert_true(strlen(err.text) < 100);
}

/* ---- limits ---- */

static char *repeat(const char *before, const char *unit, size_t n, const char *after)
{
  const size_t a = strlen(before), b = strlen(unit), c = strlen(after);
  char *text = malloc(a + n * b + c + 1);
  assert_non_null(text);
  memcpy(text, before, a);
  for (size_t i = 0; i < n; i++)
    memcpy(text + a + i * b, unit, b);
  memcpy(text + a + n * b, after, c + 1);
  return text;
}

/* Parses before unit unit ... unit after. */
static lwi_expr_status status_of(const char *before, const char *unit, size_t n, const char *after)
{
  char *text = repeat(before, unit, n, after);
  lwi_expr e;
  const lwi_expr_status status = lwi_expr_parse(text, strlen(text), &e, NULL);
  lwi_expr_free(&e);
  free(text);
  return status;
}

static void depth_and_length_are_limited(void **state)
{
  (void)state;
  char *closing = repeat("1", ")", LWI_EXPR_MAX_DEPTH, "");
  assert_int_equal(status_of("", "(", LWI_EXPR_MAX_DEPTH, closing), LWI_EXPR_OK);
  assert_int_equal(status_of("", "(", LWI_EXPR_MAX_DEPTH, "1"), LWI_EXPR_SYNTAX);
  free(closing);
  assert_int_equal(status_of("", "(", LWI_EXPR_MAX_DEPTH + 1, "1"), LWI_EXPR_LIMIT);
  assert_int_equal(status_of("", "-", LWI_EXPR_MAX_DEPTH, "1"), LWI_EXPR_OK);
  assert_int_equal(status_of("", "-", LWI_EXPR_MAX_DEPTH + 1, "1"), LWI_EXPR_LIMIT);
  assert_int_equal(status_of("", "x^", LWI_EXPR_MAX_STACK - 1, "x"), LWI_EXPR_OK);
  assert_int_equal(status_of("", "x^", LWI_EXPR_MAX_STACK, "x"), LWI_EXPR_LIMIT);
  assert_int_equal(status_of("1", "+1", LWI_EXPR_MAX_LENGTH / 2 - 1, " "), LWI_EXPR_OK);
  assert_int_equal(status_of("1", "+1", LWI_EXPR_MAX_LENGTH / 2, ""), LWI_EXPR_LIMIT);
}

/* None of these may take long or need much stack. */
static void the_longest_texts_are_read_in_no_time(void **state)
{
  (void)state;
  const char *units[] = {"(",  ")",    "-",  "+", "1+",   "x*",     "2^",   "sin(",
                         "9",  "0",    ".",  " ", "a.b.", "min(1,", "deg ", "1 deg*",
                         "1,", "\xff", "e1", "_", "x(",   "-(",     "+(",   "\xe2\x88\x92"};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    status_of("", units[i], LWI_EXPR_MAX_LENGTH / strlen(units[i]), "");
  assert_int_equal(status_of("", "+", LWI_EXPR_MAX_LENGTH - 1, "1"), LWI_EXPR_OK);
  assert_int_equal(status_of("min(1", ",1", LWI_EXPR_MAX_LENGTH / 2 - 4, ")"), LWI_EXPR_OK);
}

static void ten_thousand_names_are_told_apart(void **state)
{
  (void)state;
  enum { N = 10000 };
  char *text = malloc(LWI_EXPR_MAX_LENGTH);
  size_t length = 0;
  lwi_expr e;
  assert_non_null(text);
  for (int i = 0; i < N; i++)
    length += (size_t)sprintf(text + length, "%sx%d", i ? "+" : "", i);
  assert_int_equal(lwi_expr_parse(text, length, &e, NULL), LWI_EXPR_OK);
  assert_int_equal(e.nname, N);
  assert_string_equal(e.name[N - 1].text, "x9999");
  assert_int_equal(e.nstack, 2);
  lwi_expr_free(&e);
  free(text);
}

/* ---- garbage ---- */

static void parse_and_evaluate(const char *text, size_t length)
{
  lwi_expr e;
  lwi_expr_error err;
  double value, d;
  size_t column;
  const char *what;
  if (lwi_expr_parse(text, length, &e, &err)) {
    assert_true(err.column <= length);
    assert_true(err.text[0] != '\0');
    return;
  }
  assert_null(lwi_expr_resolve(&e, find_anything, NULL));
  value = lwi_expr_value(&e, (double[]){0.7});
  lwi_expr_dual(&e, (double[]){0.7}, 1, (double[]){1.0}, &value, &d);
  const bool fault =
      lwi_expr_find_fault(&e, (double[]){0.7}, &column, &what, &(lwi_fault_text){{0}});
  assert_true(fault || isfinite(value));
  lwi_expr_free(&e);
}

static void random_bytes_do_no_harm(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int i = 0; i < 100000; i++) {
    char text[64];
    const size_t length = (size_t)below(&seed, (int)sizeof text);
    for (size_t k = 0; k < length; k++)
      text[k] = (char)below(&seed, 256);
    char *exact = malloc(length ? length : 1); /* so that a sanitizer sees every byte too far */
    assert_non_null(exact);
    memcpy(exact, text, length);
    parse_and_evaluate(exact, length);
    free(exact);
  }
}

static void random_tokens_do_no_harm(void **state)
{
  (void)state;
  static const char *const tokens[] = {"1",    "2.5e3", "x",   "q.J.2", "(",      ")", "(", ")",
                                       "+",    "-",     "*",   "/",     "^",      ",", " ", "sin(",
                                       "min(", "pow(",  "deg", "pi",    "atan2(", "e", ".", "\xc3"};
  uint64_t seed = 12;
  for (int i = 0; i < 100000; i++) {
    char text[256] = "";
    for (int n = below(&seed, 20); n > 0; n--)
      strcat(text, tokens[below(&seed, (int)(sizeof tokens / sizeof tokens[0]))]);
    parse_and_evaluate(text, strlen(text));
  }
}

/* ---- faults ---- */

static void faults_are_named(void **state)
{
  (void)state;
  const struct {
    const char *text;
    size_t column;
    const char *what;
  } table[] = {
      {"1 + 2/(x-x)", 5, "division by zero"},
      {"1/(1/0)", 4, "division by zero"},
      {"2*log(0-1)", 2, "log of a negative number"},
      {"log(x-x)", 0, "log of zero"},
      {"log10(-2)", 0, "log of a negative number"},
      {"sqrt(-x)", 0, "square root of a negative number"},
      {"asin(2)", 0, "asin of a number outside -1 ... 1"},
      {"acos(-2)", 0, "acos of a number outside -1 ... 1"},
      {"(-2)^0.5", 4, "negative number to a fractional power"},
      {"pow(0, -1)", 0, "zero to a negative power"},
      {"3 + exp(1000)", 4, "the result is too large"},
      {"1e200*1e200", 5, "the result is too large"},
      {"1e200^2", 5, "the result is too large"},
      {"min(1, 0/0)", 8, "division by zero"},
      {"1 + y", 4, "the value is not finite"},
      {"exp(-1/0)", 6, "division by zero"},
  };
  const double xyz[] = {1.0, HUGE_VAL, 0.0};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    lwi_expr e = parse(table[i].text);
    size_t column = 999;
    const char *what = "nothing";
    if (!lwi_expr_find_fault(&e, xyz, &column, &what, &(lwi_fault_text){{0}}) ||
        column != table[i].column || strcmp(what, table[i].what) != 0)
      fail_msg("%s: column %zu: %s", table[i].text, column, what);
    lwi_expr_free(&e);
  }
}

static void a_finite_value_has_no_fault(void **state)
{
  (void)state;
  lwi_expr e = parse("sqrt(x)/(1+y)");
  size_t column = 999;
  const char *what = NULL;
  assert_false(lwi_expr_find_fault(&e, (double[]){2, 3}, &column, &what, &(lwi_fault_text){{0}}));
  assert_int_equal(column, 999);
  assert_null(what);
  lwi_expr_free(&e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_bind_as_the_format_says),
      cmocka_unit_test(deg_multiplies_what_stands_just_before_it),
      cmocka_unit_test(numbers_are_rounded_correctly),
      cmocka_unit_test(long_numbers_keep_their_exponent),
      cmocka_unit_test(random_numbers_survive_the_round_trip),
      cmocka_unit_test(the_decimal_point_is_a_point_in_every_locale),
      cmocka_unit_test(names_are_listed_once_in_order_of_appearance),
      cmocka_unit_test(names_in_quotes_are_any_text),
      cmocka_unit_test(resolving_reports_the_first_unknown_name),
      cmocka_unit_test(a_copy_lives_without_its_original),
      cmocka_unit_test(reserved_names_are_known),
      cmocka_unit_test(functions_and_their_slopes_agree_with_complex_steps),
      cmocka_unit_test(two_argument_functions_have_the_slopes_of_the_textbook),
      cmocka_unit_test(slopes_are_right_at_the_edges),
      cmocka_unit_test(what_leaves_a_domain_by_rounding_is_at_its_edge),
      cmocka_unit_test(a_nan_is_never_lost),
      cmocka_unit_test(mistakes_are_told_with_their_column),
      cmocka_unit_test(a_zero_byte_does_not_end_the_text),
      cmocka_unit_test(long_names_are_quoted_in_part),
      cmocka_unit_test(depth_and_length_are_limited),
      cmocka_unit_test(the_longest_texts_are_read_in_no_time),
      cmocka_unit_test(ten_thousand_names_are_told_apart),
      cmocka_unit_test(random_bytes_do_no_harm),
      cmocka_unit_test(random_tokens_do_no_harm),
      cmocka_unit_test(faults_are_named),
      cmocka_unit_test(a_finite_value_has_no_fault),
  };
  return cmocka_run_group_tests_name("unit/expr", tests, NULL, NULL);
}
