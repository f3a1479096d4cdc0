/* SPDX-License-Identifier: Apache-2.0 */
/* Names: numbered in the order they come, found again, and guessed when misspelt. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/name_index.h"
#include "base/nearest_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *nearest(const char *word)
{
  static const char *const names[] = {"",        "sin",  "cos",      "min",       "atan",
                                      "atan2",   "sqrt", "revolute", "prismatic", "stiffness",
                                      "damping", "La",   "Lb",       "parent",    "q"};
  return lwi_nearest(word, names, (int)(sizeof names / sizeof names[0]));
}

static void slips_of_the_keyboard_are_seen_through(void **state)
{
  (void)state;
  const char *pairs[][2] = {
      {"sine", "sin"},
      {"Sin", "sin"},
      {"sni", "sin"},
      {"sqr", "sqrt"},
      {"revoulte", "revolute"},
      {"revolut", "revolute"},
      {"REVOLUTE", "revolute"},
      {"stifness", "stiffness"},
      {"parrent", "parent"},
      {"la", "La"},
      {"Q", "q"},
      {"atn2", "atan2"},
      {"sin", "sin"},
      {"dampening", "damping"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const char *found = nearest(pairs[i][0]);
    if (!found || strcmp(found, pairs[i][1]) != 0)
      fail_msg("%s: %s", pairs[i][0], found ? found : "nothing");
  }
}

static void far_words_are_not_suggested(void **state)
{
  (void)state;
  char longest[200];
  memset(longest, 's', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  const char *words[] = {"", "x", "xy", "frobnicate", "wheel", "stiff", longest};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (nearest(words[i])) fail_msg("%s: %s", words[i], nearest(words[i]));
  assert_null(lwi_nearest("sin", NULL, 0));
}

static void the_first_of_equals_is_suggested(void **state)
{
  (void)state;
  assert_string_equal(nearest("Lc"), "La");
  assert_string_equal(nearest("fin"), "sin");
}

static void a_name_keeps_its_number(void **state)
{
  (void)state;
  enum { N = 5000 };
  static char text[N][8];
  lwi_name_index x = {0};
  assert_int_equal(lwi_name_find(&x, "n1", 2), -1);
  for (int i = 0; i < N; i++) {
    sprintf(text[i], "n%d", i);
    assert_int_equal(lwi_name_add(&x, text[i], strlen(text[i])), i);
    assert_int_equal(lwi_name_add(&x, text[i / 2], strlen(text[i / 2])), i / 2);
  }
  for (int i = 0; i < N; i++)
    assert_int_equal(lwi_name_find(&x, text[i], strlen(text[i])), i);
  assert_int_equal(x.n, N);
  assert_int_equal(lwi_name_find(&x, "n", 1), -1);
  assert_int_equal(lwi_name_find(&x, "n12345", 3), 12);
  lwi_name_index_free(&x);
  assert_int_equal(lwi_name_find(&x, "n1", 2), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_of_the_keyboard_are_seen_through),
      cmocka_unit_test(far_words_are_not_suggested),
      cmocka_unit_test(the_first_of_equals_is_suggested),
      cmocka_unit_test(a_name_keeps_its_number),
  };
  return cmocka_run_group_tests_name("unit/names", tests, NULL, NULL);
}
