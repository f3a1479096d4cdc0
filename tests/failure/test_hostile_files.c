/* SPDX-License-Identifier: Apache-2.0 */
/* Files made to exhaust time or memory are refused in time proportional to their size. */
#include "lwt.h"

#include "io/file/file_text.h"
#include "io/read/yaml_document.h"
#include "linkwork/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- support ---- */

/* Seconds of the processor.  Generous, for the sanitizers: what takes quadratic or exponential time
   takes minutes. */
enum { SOON = 60 };

/* Fails if reading takes long; what is wrong is in *err. */
static void read_soon(const char *text, size_t length, lw_error *err)
{
  const clock_t start = clock();
  lw_spec_free(lw_spec_parse(text, length, "model.yaml", err));
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (seconds > SOON) fail_msg("%.60s ... takes %g s", text, seconds);
}

/* Frees the text. */
static void expect_soon(char *text, size_t length, int line, int column, const char *says)
{
  lw_error err;
  read_soon(text, length, &err);
  free(text);
  if (err.line != line || err.column != column || !strstr(err.text, says))
    fail_msg("gives %s\nexpected %d:%d: %s", err.text, line, column, says);
}

/* n bytes: what the file starts with, then a pattern over and over */
static char *repeat(const char *head, const char *pattern, size_t n)
{
  const size_t nhead = strlen(head), npattern = strlen(pattern);
  char *text = malloc(n);
  assert_non_null(text);
  memcpy(text, head, nhead);
  for (size_t i = nhead; i < n; i++)
    text[i] = pattern[(i - nhead) % npattern];
  return text;
}

/* ---- aliases ---- */

/* each line stands for nine times what the one before it does */
static void a_billion_laughs_are_refused_at_once(void **state)
{
  (void)state;
  enum { SIZE = 2000 };
  char *text = malloc(SIZE);
  assert_non_null(text);
  int n = snprintf(text, SIZE, "linkwork: 1\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
  for (int i = 1; i < 20; i++) {
    n += snprintf(text + n, (size_t)(SIZE - n), "a%d: &a%d [*a%d", i, i, i - 1);
    for (int k = 1; k < 9; k++)
      n += snprintf(text + n, (size_t)(SIZE - n), ", *a%d", i - 1);
    n += snprintf(text + n, (size_t)(SIZE - n), "]\n");
  }
  expect_soon(text, (size_t)n, 8, 10,
              "the aliases of this file stand for more than 1000000 values");
}

/* the same by depth: each line holds the one before it, so that a walk over all would be deep */
static void a_chain_of_aliases_is_no_trouble(void **state)
{
  (void)state;
  enum { LINES = 1000, LINE = 32 };
  char *text = malloc(LINES * LINE);
  assert_non_null(text);
  int n = snprintf(text, LINE, "linkwork: 1\nb0: &b0 [x]\n");
  for (int i = 1; i < LINES; i++)
    n += snprintf(text + n, LINE, "b%d: &b%d [*b%d]\n", i, i, i - 1);
  expect_soon(text, (size_t)n, 2, 1, "unknown key \"b0\"");
}

/* ---- size ---- */

static void a_scalar_of_100_megabytes_is_refused(void **state)
{
  (void)state;
  const size_t n = 100 << 20;
  expect_soon(repeat("linkwork: 1\nname: ", "x", n), n, 2, 7,
              "a text of 104857582 bytes: 65536 at most");
}

static void a_long_text_of_many_lines_is_refused(void **state)
{
  (void)state;
  const size_t n = 10 << 20;
  expect_soon(repeat("linkwork: 1\nname: |\n ", "some words\n ", n), n, 2, 7, "65536 at most");
  expect_soon(repeat("linkwork: 1\nname: \"", "some words\n\n", n), n, 1747624, 10,
              "ends inside a quoted text (in what starts at 2:7)");
}

static void deep_nesting_is_refused(void **state)
{
  (void)state;
  const size_t n = 10 << 20;
  const char *says = "more than 100 lists and mappings in one another";
  expect_soon(repeat("linkwork: 1\nname: ", "[", n), n, 2, 106, says);
  expect_soon(repeat("linkwork: 1\nname: ", "{a: ", n), n, 2, 403, says);
  expect_soon(repeat("linkwork: 1\nname:\n", "- ", n), n, 3, 199, says);
}

static void too_many_values_are_refused(void **state)
{
  (void)state;
  const size_t n = 21 << 20;
  lw_error err;
  char *text = repeat("linkwork: 1\nname: [", "1,", n);
  assert_null(lwi_yaml_parse_limited(text, n, "model.yaml", 10000000, &err));
  assert_int_equal(err.line, 2);
  assert_int_equal(err.column, 19999998);
  assert_non_null(strstr(err.text, "more than 10000000 values in one file"));
  free(text);
  assert_true(LWI_YAML_MAX_NODES >= 50 * 1000000); /* a million bodies, and what belongs to them */
}

static void files_beyond_the_limit_are_refused(void **state)
{
  (void)state;
  const size_t n = (size_t)LWI_FILE_MAX + 1;
  lw_error err;
  expect_soon(repeat("linkwork: 1\n", "#\n", n), n, 0, 0, "larger than 256 MiB");
  assert_null(lw_spec_load("/dev/zero", &err)); /* has no end */
  assert_int_equal(err.status, LW_E_FILE);
  assert_non_null(strstr(err.text, "/dev/zero: larger than 256 MiB"));
}

/* ---- names ---- */

/* 100,000 bodies: duplicate keys are found without comparing all pairs */
static void a_large_model_is_read_soon(void **state)
{
  (void)state;
  enum { BODIES = 100000, LINE = 96 };
  char *text = malloc((size_t)(2 * BODIES + 2) * LINE);
  lw_error err;
  assert_non_null(text);
  size_t n = (size_t)snprintf(text, LINE, "linkwork: 1\nbodies:\n");
  for (int i = 0; i < BODIES; i++)
    n += (size_t)snprintf(text + n, LINE, "  b%d: {solid: {rod: {length: 1, mass: 2, axis: x}}}\n",
                          i);
  n += (size_t)snprintf(text + n, LINE,
                        "joints:\n  J: {type: revolute, parent: ground, child: b0}\n");
  for (int i = 1; i < BODIES; i++)
    n += (size_t)snprintf(text + n, LINE, "  J%d: {type: revolute, parent: b%d, child: b%d}\n", i,
                          i - 1, i);
  read_soon(text, n, &err);
  free(text);
  assert_string_equal(err.text, "");
}

static void a_duplicate_among_many_keys_is_found(void **state)
{
  (void)state;
  enum { KEYS = 200000, LINE = 16 };
  char *text = malloc((size_t)(KEYS + 2) * LINE);
  assert_non_null(text);
  size_t n = (size_t)snprintf(text, LINE, "bodies:\n");
  for (int i = 0; i < KEYS; i++)
    n += (size_t)snprintf(text + n, LINE, " b%d: 1\n", i == KEYS - 1 ? 7 : i);
  expect_soon(text, n, KEYS + 1, 2, "`b7` is already defined in line 9");
}

/* patterns that have made YAML readers slow */
static void no_pattern_takes_long(void **state)
{
  (void)state;
  static const char *const patterns[] = {
      "a: ",   "? ",    "- ",        "&a ",         "*a ",        "\"",     "'",
      ": ",    "a\n",   "|\n",       "#",           "---\n",      "...\n",  "{a,",
      "{a: [", "a,",    "[]",        "{}",          ",",          "!a ",    "\\",
      "\t",    "\r",    "\n ",       " ",           "a:\n ",      "- a\n",  "? a\n",
      "[a: ",  "'':\n", "\"a\": 1,", "%YAML 1.1\n", "%TAG ! !\n", "&a [*a", "- &a a\n"};
  const size_t n = 1 << 18;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    lw_error err;
    char *text = repeat("", patterns[i], n);
    read_soon(text, n, &err);
    free(text);
    text = repeat("linkwork: 1\n", patterns[i], n);
    read_soon(text, n, &err);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_billion_laughs_are_refused_at_once),
      cmocka_unit_test(a_chain_of_aliases_is_no_trouble),
      cmocka_unit_test(a_scalar_of_100_megabytes_is_refused),
      cmocka_unit_test(a_long_text_of_many_lines_is_refused),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(too_many_values_are_refused),
      cmocka_unit_test(files_beyond_the_limit_are_refused),
      cmocka_unit_test(a_large_model_is_read_soon),
      cmocka_unit_test(a_duplicate_among_many_keys_is_found),
      cmocka_unit_test(no_pattern_takes_long),
  };
  return cmocka_run_group_tests_name("failure/hostile_files", tests, NULL, NULL);
}
