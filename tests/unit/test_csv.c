/* SPDX-License-Identifier: Apache-2.0 */
/* Results files: what is written reads back exactly, and nothing is lost silently. */
#include "lwt.h"

#include "linkwork/file.h"
#include "linkwork/columns.h"
#include "linkwork/output.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- support ---- */

static const char path[] = "test_csv_output.tmp"; /* in the folder where the test runs */

typedef struct {
  lw_model *m;
  lw_columns *columns; /* t, q.A, q.B, q.C: four numbers per row */
} table;

static int set_up(void **state)
{
  static const char text[] =
      "linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, "
      "c: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {A: {type: revolute, parent: ground, child: a}, B: {type: revolute, parent: a, "
      "child: b}, C: {type: revolute, parent: b, child: c}}\n";
  lw_error err;
  table *x = calloc(1, sizeof *x);
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", &err);
  if (x) x->m = lw_compile(s, &err);
  if (x && x->m) x->columns = lw_columns_new(x->m, "q.*", &err);
  lw_spec_free(s);
  *state = x;
  return !x || !x->columns || lw_columns_count(x->columns) != 4;
}

static int tear_down(void **state)
{
  table *x = *state;
  lw_columns_free(x->columns);
  lw_model_free(x->m);
  free(x);
  remove(path);
  return 0;
}

/* with the names of these columns */
static lw_table *create_table(const char *file, const lw_columns *columns, lw_error *err)
{
  const char *names[4];
  for (int i = 0; i < 4; i++)
    names[i] = lw_columns_name(columns, i);
  return lw_table_create(file, names, 4, err);
}

static lw_table *create(void **state)
{
  lw_error err;
  lw_table *f = create_table(path, ((table *)*state)->columns, &err);
  if (!f) fail_msg("%s", err.text);
  assert_int_equal(err.status, LW_OK);
  return f;
}

/* the whole file; the caller frees it */
static char *contents(void)
{
  enum { SIZE = 4 << 20 };
  FILE *f = fopen(path, "rb");
  char *text = malloc(SIZE);
  assert_non_null(f);
  assert_non_null(text);
  text[fread(text, 1, SIZE - 1, f)] = '\0';
  fclose(f);
  return text;
}

static void expect_contents(const char *expected)
{
  char *text = contents();
  assert_string_equal(text, expected);
  free(text);
}

/* ---- numbers ---- */

static void rows_follow_a_header(void **state)
{
  lw_table *f = create(state);
  expect_contents("t,q.A,q.B,q.C\n"); /* at once: an interrupted run leaves a readable file */
  lwt_ok(lw_table_write(f, (const double[]){0, 1.5, -0.1, 1e-300}));
  lwt_ok(lw_table_write(f, (const double[]){0.25, -3, 1e15, 123456789012345678.0}));
  lwt_ok(lw_table_close(f, NULL));
  expect_contents("t,q.A,q.B,q.C\n0,1.5,-0.1,1e-300\n"
                  "0.25,-3,1000000000000000,1.2345678901234568e+17\n");
}

static void what_does_not_exist_is_an_empty_cell(void **state)
{
  lw_table *f = create(state);
  const double none = (double)NAN;
  lwt_ok(lw_table_write(f, (const double[]){1, none, -none, 2}));
  lwt_ok(lw_table_write(f, (const double[]){2, 0.0, -0.0, none}));
  lwt_ok(lw_table_close(f, NULL));
  expect_contents("t,q.A,q.B,q.C\n1,,,2\n2,0,-0,\n");
}

/* digits of a number that is not 0, without zeros at either end */
static int count_digits(const char *text)
{
  int n = 0, last = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (*text == '0' && n == 0)) continue;
    n++;
    if (*text != '0') last = n;
  }
  return last;
}

static double random_number(lwt_random *r, int kind)
{
  const double power = lwt_uniform(r, kind ? -20 : -307, kind ? 20 : 307);
  switch (kind) {
  case 1: return floor(lwt_uniform(r, -1e6, 1e6)) / 1000;
  case 2: return ldexp(1, (int)lwt_uniform(r, -1070, 1000)); /* its lower neighbour is nearer */
  case 3: return lwt_uniform(r, -1, 1) * pow(10, floor(power));
  default: return lwt_uniform(r, -1, 1) * pow(10, power);
  }
}

/* ... and of all decimals with so many digits none is nearer, as far as the C library knows */
static void numbers_have_the_fewest_digits_that_read_back(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(7);
  for (int i = 0; i < 40000; i++) {
    const double x = random_number(&r, i % 5);
    char text[LW_NUMBER_TEXT], fewest[40];
    int n = 0;
    const int length = lw_number_text(x, text);
    assert_int_equal(length, strlen(text));
    assert_true(strtod(text, NULL) == x);
    do
      snprintf(fewest, sizeof fewest, "%.*e", n++, x);
    while (strtod(fewest, NULL) != x);
    assert_true(x == 0 || count_digits(text) <= count_digits(fewest));
    if (count_digits(text) < count_digits(fewest))
      continue; /* the rounded one was not the same number */
    snprintf(fewest, sizeof fewest, "%.*e", n - 1, x);
    assert_true(fabsl(strtold(text, NULL) - (long double)x) <=
                fabsl(strtold(fewest, NULL) - (long double)x) * (1 + 1e-6L));
  }
}

static void numbers_are_printed_plainly(void **state)
{
  static const struct {
    double x;
    const char *text;
  } cases[] = {{0.1, "0.1"},
               {3 * 0.01, "0.03"},
               {0.1 + 0.2, "0.30000000000000004"},
               {1e-10, "1e-10"},
               {0.0001, "0.0001"},
               {0.00001, "1e-05"},
               {1e22, "1e+22"},
               {-2.5, "-2.5"},
               {5e-324, "5e-324"},
               {1e15, "1000000000000000"},
               {123456.789, "123456.789"},
               {-0.0, "-0"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[LW_NUMBER_TEXT];
    lw_number_text(cases[i].x, text);
    assert_string_equal(text, cases[i].text);
  }
}

static void extreme_numbers_read_back(void **state)
{
  static const double extreme[] = {5e-324,
                                   2.2250738585072014e-308,
                                   1.7976931348623157e308,
                                   9007199254740993.0,
                                   0.0001,
                                   0.00001,
                                   99999999999999984.0,
                                   1e17};
  lw_table *f = create(state);
  lwt_ok(lw_table_write(f, extreme));
  lwt_ok(lw_table_write(f, extreme + 4));
  lwt_ok(lw_table_close(f, NULL));
  char *text = contents();
  char *cell = strchr(text, '\n') + 1;
  for (int i = 0; i < 8; i++) {
    assert_true(strtod(cell, &cell) == extreme[i]);
    cell++;
  }
  free(text);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
  static const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
  for (int i = 0; i < 4; i++) { /* those that are not installed stay "C" */
    lw_table *f = create(state);
    setlocale(LC_NUMERIC, comma[i]);
    lwt_ok(lw_table_write(f, (const double[]){0.5, 1e-10, 2.5e20, 1}));
    setlocale(LC_NUMERIC, "C");
    lwt_ok(lw_table_close(f, NULL));
    expect_contents("t,q.A,q.B,q.C\n0.5,1e-10,2.5e+20,1\n");
  }
}

/* ---- files ---- */

static void many_rows_arrive_in_order(void **state)
{
  enum { ROWS = 20000 };
  lw_table *f = create(state);
  for (int i = 0; i < ROWS; i++)
    lwt_ok(lw_table_write(f, (const double[]){i, i + 0.5, 2.0 * i, -i}));
  lwt_ok(lw_table_close(f, NULL));
  char *text = contents(), *row = strchr(text, '\n') + 1;
  for (int i = 0; i < ROWS; i++) {
    assert_int_equal(strtol(row, &row, 10), i);
    row = strchr(row, '\n') + 1;
  }
  assert_int_equal(*row, '\0');
  free(text);
}

static void what_is_on_disk_ends_with_a_whole_row(void **state)
{
  lw_table *f = create(state);
  for (int i = 0; i < 5000; i++)
    lwt_ok(lw_table_write(f, (const double[]){i, 1 / 3.0, 1 / 7.0, 1 / 9.0}));
  char *text = contents();
  assert_true(strlen(text) > 65536); /* most of it is there while the run goes on */
  assert_int_equal(text[strlen(text) - 1], '\n');
  free(text);
  lwt_ok(lw_table_close(f, NULL));
}

static void a_full_disk_is_reported(void **state)
{
  lw_error err;
  const lw_columns *columns = ((table *)*state)->columns;
  FILE *full = fopen("/dev/full", "w");
  if (!full) skip();
  fclose(full);
  assert_null(create_table("/dev/full", columns, &err));
  assert_int_equal(err.status, LW_E_FILE);
  assert_string_equal(err.text, "/dev/full: cannot be written: No space left on device");
}

static void a_file_that_cannot_be_made_is_reported(void **state)
{
  lw_error err;
  const lw_columns *columns = ((table *)*state)->columns;
  assert_null(create_table("/does/not/exist.csv", columns, &err));
  assert_int_equal(err.status, LW_E_FILE);
  assert_string_equal(err.text,
                      "/does/not/exist.csv: cannot be created: No such file or directory");
  assert_null(create_table(NULL, columns, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_table_create(path, NULL, 4, NULL));
  assert_int_equal(lw_table_write(NULL, NULL), LW_E_ARG);
  lwt_ok(lw_table_close(NULL, NULL));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(rows_follow_a_header),
      TEST(what_does_not_exist_is_an_empty_cell),
      TEST(numbers_have_the_fewest_digits_that_read_back),
      TEST(numbers_are_printed_plainly),
      TEST(extreme_numbers_read_back),
      TEST(numbers_have_a_point_in_every_locale),
      TEST(many_rows_arrive_in_order),
      TEST(what_is_on_disk_ends_with_a_whole_row),
      TEST(a_full_disk_is_reported),
      TEST(a_file_that_cannot_be_made_is_reported),
  };
  return cmocka_run_group_tests_name("unit/csv", tests, NULL, NULL);
}
