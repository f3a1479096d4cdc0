/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions: their values against a small evaluator that works on the text itself, their
   derivatives against extrapolated differences. */
#include "expr_support.h"

/* ---- an evaluator ---- */

/* Recursive descent on the text, evaluating as it goes. */
typedef struct {
  const char *at;
  const double *xyz;
} reader;

static double read_sum(reader *r);
static double read_condition(reader *r);

static void skip_space(reader *r)
{
  while (*r->at == ' ')
    r->at++;
}

static bool take(reader *r, const char *word)
{
  skip_space(r);
  const size_t n = strlen(word);
  if (strncmp(r->at, word, n) != 0) return false;
  r->at += n;
  return true;
}

static double call(const double *xyz, const char *f, const double *a, int n)
{
  const struct {
    const char *name;
    double (*f)(double);
  } table[] = {{"sin", sin},   {"cos", cos},     {"tan", tan},   {"asin", asin}, {"acos", acos},
               {"atan", atan}, {"sinh", sinh},   {"cosh", cosh}, {"tanh", tanh}, {"exp", exp},
               {"log", log},   {"log10", log10}, {"sqrt", sqrt}, {"abs", fabs}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(f, table[i].name) == 0) return table[i].f(a[0]);
  if (strcmp(f, "sign") == 0) return (a[0] > 0) - (a[0] < 0);
  if (strcmp(f, "pow") == 0) return pow(a[0], a[1]);
  if (strcmp(f, "atan2") == 0) return atan2(a[0], a[1]);
  if (strcmp(f, "mod") == 0) return a[0] - a[1] * floor(a[0] / a[1]);
  if (strcmp(f, "hypot") == 0) return sqrt(a[0] * a[0] + a[1] * a[1]);
  if (strcmp(f, "floor") == 0) return floor(a[0]);
  if (strcmp(f, "ceil") == 0) return ceil(a[0]);
  if (strcmp(f, "round") == 0) return round(a[0]);
  if (strcmp(f, "clamp") == 0) return fmin(fmax(a[0], a[1]), a[2]);
  if (strcmp(f, "if") == 0) return a[0] != 0 ? a[1] : a[2];
  if (strcmp(f, "step") == 0) {
    const double u = fmin(fmax((a[0] - a[1]) / (a[2] - a[1]), 0), 1);
    return 10 * pow(u, 3) - 15 * pow(u, 4) + 6 * pow(u, 5);
  }
  if (strcmp(f, "sq") == 0) return a[0] * a[0];
  if (strcmp(f, "wave") == 0) return pow(sin(a[0]), 2) + a[1] * cos(a[0]) - xyz[0] / 4;
  if (strcmp(f, "akima") == 0 || strcmp(f, "linear") == 0 || strcmp(f, "map") == 0) {
    const lwi_table *t = lwi_library_find(test_library(), f, strlen(f))->table;
    return n == 1 ? lwi_table_value(t, a[0]) : lwi_table_value2(t, a[0], a[1]);
  }
  double best = a[0];
  for (int i = 1; i < n; i++)
    best = strcmp(f, "min") == 0 ? fmin(best, a[i]) : fmax(best, a[i]);
  return best;
}

static double read_word(reader *r)
{
  char word[16] = "";
  double a[8];
  int n = 0;
  for (int i = 0; i < 15 && ((*r->at >= 'a' && *r->at <= 'z') || (*r->at >= '0' && *r->at <= '9'));)
    word[i++] = *r->at++;
  if (take(r, "(")) {
    do
      a[n++] = read_condition(r);
    while (take(r, ","));
    take(r, ")");
    return call(r->xyz, word, a, n);
  }
  return strcmp(word, "pi") == 0 ? PI : r->xyz[word[0] - 'x'];
}

static double read_atom(reader *r)
{
  double v;
  skip_space(r);
  if (take(r, "(")) {
    v = read_sum(r);
    take(r, ")");
  } else if (*r->at >= 'a' && *r->at <= 'z') {
    v = read_word(r);
  } else {
    char *end;
    v = strtod(r->at, &end);
    r->at = end;
  }
  return take(r, "deg") ? v * (PI / 180) : v;
}

static double read_signed(reader *r)
{
  if (take(r, "-")) return -read_signed(r);
  if (take(r, "+")) return read_signed(r);
  const double base = read_atom(r);
  return take(r, "^") ? pow(base, read_signed(r)) : base;
}

static double read_product(reader *r)
{
  double v = read_signed(r);
  for (;;)
    if (take(r, "*"))
      v *= read_signed(r);
    else if (take(r, "/"))
      v /= read_signed(r);
    else
      return v;
}

static double read_sum(reader *r)
{
  double v = read_product(r);
  for (;;)
    if (take(r, "+"))
      v += read_product(r);
    else if (take(r, "-"))
      v -= read_product(r);
    else
      return v;
}

static double read_comparison(reader *r)
{
  if (take(r, "not ")) return !(read_comparison(r) != 0);
  const double a = read_sum(r);
  if (take(r, "<=")) return a <= read_sum(r);
  if (take(r, ">=")) return a >= read_sum(r);
  if (take(r, "==")) return a == read_sum(r);
  if (take(r, "!=")) return a != read_sum(r);
  if (take(r, "<")) return a < read_sum(r);
  if (take(r, ">")) return a > read_sum(r);
  return a;
}

static double read_conjunction(reader *r)
{
  double v = read_comparison(r);
  while (take(r, "and ")) {
    const double b = read_comparison(r);
    v = v != 0 && b != 0;
  }
  return v;
}

static double read_condition(reader *r)
{
  double v = read_conjunction(r);
  while (take(r, "or ")) {
    const double b = read_conjunction(r);
    v = v != 0 || b != 0;
  }
  return v;
}

/* ---- a generator ---- */

/* Random text; % stands for a random expression, functions get arguments they can stand. */
typedef struct {
  char text[4096];
  size_t length;
  uint64_t seed;
} writer;

static void write_expression(writer *w, int depth);

static void write_text(writer *w, const char *text)
{
  const size_t n = strlen(text);
  assert_true(w->length + n < sizeof w->text);
  memcpy(w->text + w->length, text, n + 1);
  w->length += n;
}

static void write_pattern(writer *w, const char *pattern, int depth)
{
  for (; *pattern; pattern++) {
    if (*pattern == '%')
      write_expression(w, depth);
    else
      write_text(w, (char[]){*pattern, '\0'});
  }
}

static void write_expression(writer *w, int depth)
{
  static const char *const leaves[] = {"x",   "y", "z",    "x",  "y",     "z",
                                       "0.5", "2", "1e-1", "pi", "30 deg"};
  static const char *const forms[] = {"%+%",
                                      "%-%",
                                      "(%)*(%)",
                                      "%/(2+(%)^2)",
                                      "-%",
                                      "(%)^2",
                                      "(%)^3",
                                      "-(%)^2",
                                      "(1+(%)^2)^sin(%)",
                                      "(2+cos(%))^-1.5",
                                      "sin(%)",
                                      "cos(%)",
                                      "tan(sin(%))",
                                      "asin(0.9*sin(%))",
                                      "acos(0.9*cos(%))",
                                      "atan(%)",
                                      "atan2(%,2+sin(%))",
                                      "sinh(sin(%))",
                                      "cosh(cos(%))",
                                      "tanh(%)",
                                      "exp(sin(%))",
                                      "log(1+(%)^2)",
                                      "log10(2+cos(%))",
                                      "sqrt(1+(%)^2)",
                                      "abs(%)",
                                      "min(%,%)",
                                      "max(%,%,%)",
                                      "pow(2+sin(%),cos(%))",
                                      "(%) deg",
                                      "% - -%",
                                      "sign(%)*x",
                                      "cos(%)*sin(%)",
                                      "sin(%)/3*2",
                                      " ( % ) ",
                                      "x*y-%",
                                      "mod(%,2+sin(%))",
                                      "hypot(%,%)",
                                      "floor(%)+x",
                                      "ceil(%)-%",
                                      "round(2*(%))*y",
                                      "step(%,-1,2+sin(%))",
                                      "clamp(%,-1,%)",
                                      "if(%<%,%,%)",
                                      "if(%<=% and not %>0,%,%)",
                                      "if(%>1 or %>=% and %!=%,%,%)",
                                      "sq(%)",
                                      "wave(%,%)",
                                      "akima(%)",
                                      "linear(%)",
                                      "map(%,%)"};
  if (depth == 0)
    write_text(w, leaves[below(&w->seed, (int)(sizeof leaves / sizeof leaves[0]))]);
  else
    write_pattern(w, forms[below(&w->seed, (int)(sizeof forms / sizeof forms[0]))], depth - 1);
}

static writer random_text(uint64_t seed)
{
  writer w = {.seed = seed};
  write_expression(&w, 1 + below(&w.seed, 5));
  return w;
}

/* ---- tests ---- */

static void random_expressions_have_the_value_of_their_text(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 5000; seed++) {
    writer w = random_text(seed);
    const double xyz[] = {uniform(&w.seed, -2, 2), uniform(&w.seed, -2, 2),
                          uniform(&w.seed, -2, 2)};
    lwi_expr e = parse(w.text);
    reader r = {w.text, xyz};
    const double expected = read_sum(&r), value = lwi_expr_value(&e, xyz);
    assert_true(*r.at == '\0');
    if (!close_to(value, expected, 1e-11))
      fail_msg("seed %d: %s: %.17g, expected %.17g", (int)seed, w.text, value, expected);
    lwi_expr_free(&e);
  }
}

static double value_along(const lwi_expr *e, const double *xyz, const double *d, double h)
{
  return lwi_expr_value(e, (double[]){xyz[0] + h * d[0], xyz[1] + h * d[1], xyz[2] + h * d[2]});
}

/* Central differences extrapolated to h = 0; *error is the change by the last extrapolation. */
static double difference(const lwi_expr *e, const double *xyz, const double *d, double *error)
{
  enum { ROWS = 5 };
  double table[ROWS][ROWS], h = 0.02;
  for (int i = 0; i < ROWS; i++, h /= 2) {
    double factor = 4;
    table[i][0] = (value_along(e, xyz, d, h) - value_along(e, xyz, d, -h)) / (2 * h);
    for (int k = 1; k <= i; k++, factor *= 4)
      table[i][k] = table[i][k - 1] + (table[i][k - 1] - table[i - 1][k - 1]) / (factor - 1);
  }
  *error = fmax(fabs(table[ROWS - 1][ROWS - 1] - table[ROWS - 1][ROWS - 2]),
                fabs(table[ROWS - 1][ROWS - 1] - table[ROWS - 2][ROWS - 2]));
  return table[ROWS - 1][ROWS - 1];
}

static void random_expressions_have_the_slopes_of_their_values(void **state)
{
  (void)state;
  int checked = 0, total = 0;
  for (uint64_t seed = 1; seed <= 5000; seed++, total++) {
    writer w = random_text(seed);
    double xyz[3], d[3], error, value, slope;
    for (int i = 0; i < 3; i++) {
      xyz[i] = uniform(&w.seed, -2, 2);
      d[i] = uniform(&w.seed, -1, 1);
    }
    lwi_expr e = parse(w.text);
    lwi_expr_dual(&e, xyz, 1, d, &value, &slope);
    const double expected = difference(&e, xyz, d, &error);
    assert_true(value == lwi_expr_value(&e, xyz));
    /* where differences do not converge there is a kink or a cliff nearby */
    const double tolerance = 1e-7 * fmax(1.0, fabs(expected));
    if (error < tolerance) {
      checked++;
      if (!(fabs(slope - expected) <= 2 * tolerance))
        fail_msg("seed %d: %s: %.17g, expected %.17g", (int)seed, w.text, slope, expected);
    }
    lwi_expr_free(&e);
  }
  if (checked < total * 8 / 10) fail_msg("only %d of %d could be checked", checked, total);
}

static void many_directions_equal_one_at_a_time(void **state)
{
  (void)state;
  enum { N = 21 };
  for (uint64_t seed = 1; seed <= 200; seed++) {
    writer w = random_text(seed);
    double xyz[3], d[3][N], all[N], value;
    for (int i = 0; i < 3; i++) {
      xyz[i] = uniform(&w.seed, -2, 2);
      for (int k = 0; k < N; k++)
        d[i][k] = below(&w.seed, 3) ? uniform(&w.seed, -1, 1) : 0.0;
    }
    lwi_expr e = parse(w.text);
    for (int n = 0; n <= N; n++) {
      double packed[3 * N];
      for (int i = 0; i < 3; i++)
        memcpy(packed + i * n, d[i], (size_t)n * sizeof(double));
      lwi_expr_dual(&e, xyz, n, packed, &value, all);
      assert_true(value == lwi_expr_value(&e, xyz));
      for (int k = 0; k < n; k++) {
        double one;
        lwi_expr_dual(&e, xyz, 1, (double[]){d[0][k], d[1][k], d[2][k]}, &value, &one);
        assert_true(one == all[k]);
      }
    }
    lwi_expr_free(&e);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_expressions_have_the_value_of_their_text),
      cmocka_unit_test(random_expressions_have_the_slopes_of_their_values),
      cmocka_unit_test(many_directions_equal_one_at_a_time),
  };
  return cmocka_run_group_tests_name("unit/expr_random", tests, NULL, NULL);
}
