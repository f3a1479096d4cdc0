/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions: their values against a small evaluator that works on the text itself, their
   derivatives against extrapolated differences of that evaluator, which has 64 bits. */
#include "expr_support.h"

/* ---- an evaluator, with eleven bits more than the expressions have ---- */

typedef long double wide;

/* Recursive descent on the text, evaluating as it goes. */
typedef struct {
  const char *at;
  const wide *xyz;
  bool tie; /* something switches within the rounding errors of 53 bits */
} reader;

/* the value of a switching function, of operands of this size */
static wide meet(reader *r, wide g, wide size)
{
  r->tie = r->tie || (g != 0 && fabsl(g) < 1e-14L * (1 + fabsl(size)));
  return g;
}

static wide read_sum(reader *r);
static wide read_condition(reader *r);

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

/* A table of one variable as a cubic between its points, whose slopes there are those of the expression; `held` beyond
   its ends, or straight. */
static wide cubic(const char *f, wide x, bool held)
{
  enum { LAST = 6 };
  double slope[2];
  int k = 0;
  while (k < LAST - 1 && x > table_x[k + 1])
    k++;
  const wide h = (wide)table_x[k + 1] - table_x[k];
  const wide s = fminl(fmaxl((x - table_x[k]) / h, 0), 1);
  for (int i = 0; i < 2; i++) {
    char text[20];
    snprintf(text, sizeof text, "%s(x)", f);
    /* the last point belongs to what follows it */
    const double at = k + i == LAST ? nextafter(table_x[LAST], 0) : table_x[k + i];
    slope[i] = slope_at(text, at, 0, 1, 0);
  }
  const wide a = table_value[k], b = table_value[k + 1], rise = (b - a) / h;
  const wide in = a + h * s *
                          (slope[0] + s * (3 * rise - 2 * (wide)slope[0] - slope[1] +
                                           s * ((wide)slope[0] + slope[1] - 2 * rise)));
  if (held || (x >= table_x[0] && x <= table_x[LAST])) return in;
  return in + slope[x > table_x[LAST]] * (x - (x > table_x[LAST] ? table_x[LAST] : table_x[0]));
}

static wide straight(wide x)
{
  int k = 0;
  while (k < 5 && x > table_x[k + 1])
    k++;
  const wide rise =
      ((wide)table_value[k + 1] - table_value[k]) / ((wide)table_x[k + 1] - table_x[k]);
  return table_value[k] + rise * (x - table_x[k]);
}

static wide call(reader *r, const char *f, const wide *a, int n)
{
  if (strcmp(f, "floor") == 0 || strcmp(f, "ceil") == 0) meet(r, a[0] - roundl(a[0]), a[0]);
  if (strcmp(f, "round") == 0) meet(r, a[0] - floorl(a[0]) - 0.5L, a[0]);
  if (strcmp(f, "mod") == 0) meet(r, a[0] / a[1] - roundl(a[0] / a[1]), a[0] / a[1]);
  if (strcmp(f, "sign") == 0) meet(r, a[0], 1);
  const struct {
    const char *name;
    wide (*f)(wide);
  } table[] = {{"sin", sinl},    {"cos", cosl},   {"tan", tanl},     {"asin", asinl},
               {"acos", acosl},  {"atan", atanl}, {"sinh", sinhl},   {"cosh", coshl},
               {"tanh", tanhl},  {"exp", expl},   {"log", logl},     {"log10", log10l},
               {"sqrt", sqrtl},  {"abs", fabsl},  {"floor", floorl}, {"ceil", ceill},
               {"round", roundl}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(f, table[i].name) == 0) return table[i].f(a[0]);
  if (strcmp(f, "sign") == 0) return (a[0] > 0) - (a[0] < 0);
  if (strcmp(f, "pow") == 0) return powl(a[0], a[1]);
  if (strcmp(f, "atan2") == 0) return atan2l(a[0], a[1]);
  if (strcmp(f, "mod") == 0) return a[0] - a[1] * floorl(a[0] / a[1]);
  if (strcmp(f, "hypot") == 0) return sqrtl(a[0] * a[0] + a[1] * a[1]);
  if (strcmp(f, "clamp") == 0) return fminl(fmaxl(a[0], a[1]), a[2]);
  if (strcmp(f, "if") == 0) return a[0] != 0 ? a[1] : a[2];
  if (strcmp(f, "step") == 0) {
    const wide u = fminl(fmaxl((a[0] - a[1]) / (a[2] - a[1]), 0), 1);
    return u * u * u * (10 - 15 * u + 6 * u * u);
  }
  if (strcmp(f, "sq") == 0) return a[0] * a[0];
  if (strcmp(f, "wave") == 0) return powl(sinl(a[0]), 2) + a[1] * cosl(a[0]) - r->xyz[0] / 4;
  if (strcmp(f, "akima") == 0) return cubic(f, a[0], false);
  if (strcmp(f, "pchip") == 0) return cubic(f, a[0], true);
  if (strcmp(f, "linear") == 0) return straight(a[0]);
  if (strcmp(f, "map") == 0)
    return lwi_table_value2(lwi_library_find(test_library(), f, 3)->table, (double)a[0],
                            (double)a[1]);
  wide best = a[0];
  for (int i = 1; i < n; i++)
    best = strcmp(f, "min") == 0 ? fminl(best, a[i]) : fmaxl(best, a[i]);
  return best;
}

static wide read_word(reader *r)
{
  char word[16] = "";
  wide a[8];
  int n = 0;
  for (int i = 0; i < 15 && ((*r->at >= 'a' && *r->at <= 'z') || (*r->at >= '0' && *r->at <= '9'));)
    word[i++] = *r->at++;
  if (take(r, "(")) {
    do
      a[n++] = read_condition(r);
    while (take(r, ","));
    take(r, ")");
    return call(r, word, a, n);
  }
  return strcmp(word, "pi") == 0 ? PI : r->xyz[word[0] - 'x'];
}

static wide read_atom(reader *r)
{
  wide v;
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

static wide read_signed(reader *r)
{
  if (take(r, "-")) return -read_signed(r);
  if (take(r, "+")) return read_signed(r);
  const wide base = read_atom(r);
  return take(r, "^") ? powl(base, read_signed(r)) : base;
}

static wide read_product(reader *r)
{
  wide v = read_signed(r);
  for (;;)
    if (take(r, "*"))
      v *= read_signed(r);
    else if (take(r, "/"))
      v /= read_signed(r);
    else
      return v;
}

static wide read_sum(reader *r)
{
  wide v = read_product(r);
  for (;;)
    if (take(r, "+"))
      v += read_product(r);
    else if (take(r, "-"))
      v -= read_product(r);
    else
      return v;
}

static wide read_comparison(reader *r)
{
  static const char *const words[] = {"<=", ">=", "==", "!=", "<", ">"};
  if (take(r, "not ")) return !(read_comparison(r) != 0);
  const wide a = read_sum(r);
  for (int k = 0; k < 6; k++) {
    if (!take(r, words[k])) continue;
    const wide b = read_sum(r), g = meet(r, a - b, a);
    const bool truth[] = {g <= 0, g >= 0, g == 0, g != 0, g<0, g> 0};
    return truth[k];
  }
  return a;
}

static wide read_conjunction(reader *r)
{
  wide v = read_comparison(r);
  while (take(r, "and ")) {
    const wide b = read_comparison(r);
    v = v != 0 && b != 0;
  }
  return v;
}

static wide read_condition(reader *r)
{
  wide v = read_conjunction(r);
  while (take(r, "or ")) {
    const wide b = read_conjunction(r);
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
                                      "pchip(%)",
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

static wide value_along(const char *text, const double *xyz, const double *d, wide h)
{
  reader r = {text, (wide[]){xyz[0] + h * d[0], xyz[1] + h * d[1], xyz[2] + h * d[2]}, false};
  return read_sum(&r);
}

static void random_expressions_have_the_value_of_their_text(void **state)
{
  (void)state;
  int nties = 0;
  for (uint64_t seed = 1; seed <= 5000; seed++) {
    writer w = random_text(seed);
    const double xyz[] = {uniform(&w.seed, -2, 2), uniform(&w.seed, -2, 2),
                          uniform(&w.seed, -2, 2)};
    lwi_expr e = parse(w.text);
    reader r = {w.text, (wide[]){xyz[0], xyz[1], xyz[2]}, false};
    const double expected = (double)read_sum(&r), value = lwi_expr_value(&e, xyz);
    assert_true(*r.at == '\0');
    nties += r.tie;
    /* names with an error in their last bits: what rounding errors of 53 bits may become */
    const double noise = fabs((double)value_along(w.text, xyz, xyz, 1e-15L) - expected);
    if (!r.tie && !(fabs(value - expected) <= 1e-11 * fmax(1, fabs(expected)) + 10 * noise))
      fail_msg("seed %d: %s: %.17g, expected %.17g", (int)seed, w.text, value, expected);
    lwi_expr_free(&e);
  }
  assert_true(nties < 50);
}

static bool is_tie(const char *text, const double *xyz)
{
  reader r = {text, (wide[]){xyz[0], xyz[1], xyz[2]}, false};
  read_sum(&r);
  return r.tie;
}

/* Central differences of the text's value with 64 bits, extrapolated from steps h on; *error is the change by the last
   extrapolation. */
static double difference(const char *text, const double *xyz, const double *d, wide h,
                         double *error)
{
  enum { ROWS = 5 };
  wide table[ROWS][ROWS];
  for (int i = 0; i < ROWS; i++, h /= 2) {
    wide factor = 4;
    table[i][0] = (value_along(text, xyz, d, h) - value_along(text, xyz, d, -h)) / (2 * h);
    for (int k = 1; k <= i; k++, factor *= 4)
      table[i][k] = table[i][k - 1] + (table[i][k - 1] - table[i - 1][k - 1]) / (factor - 1);
  }
  *error = (double)fmaxl(fabsl(table[ROWS - 1][ROWS - 1] - table[ROWS - 1][ROWS - 2]),
                         fabsl(table[ROWS - 1][ROWS - 1] - table[ROWS - 2][ROWS - 2]));
  return (double)table[ROWS - 1][ROWS - 1];
}

/* Tables of two variables have the 53 bits of the library's own values. */
static void random_expressions_have_the_slopes_of_their_values(void **state)
{
  (void)state;
  int checked = 0, total = 0;
  for (uint64_t seed = 1; seed <= 5000; seed++, total++) {
    writer w = random_text(seed);
    const bool rough = strstr(w.text, "map(");
    double xyz[3], d[3], error, value, slope;
    for (int i = 0; i < 3; i++) {
      xyz[i] = uniform(&w.seed, -2, 2);
      d[i] = uniform(&w.seed, -1, 1);
    }
    lwi_expr e = parse(w.text);
    lwi_expr_dual(&e, xyz, 1, d, &value, &slope);
    const double expected = difference(w.text, xyz, d, rough ? 0.02L : 0.002L, &error);
    assert_true(value == lwi_expr_value(&e, xyz));
    /* where differences do not converge there is a kink or a cliff nearby */
    const double tolerance = (rough ? 1e-7 : 1e-11) * fmax(1.0, fabs(expected));
    if (error < tolerance && !is_tie(w.text, xyz)) {
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
