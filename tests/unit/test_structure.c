/* SPDX-License-Identifier: Apache-2.0 */
/* test_structure.c -- include, repeat and mirror in memory: ${...}, names of scopes, text without a
   file, and every allocation that fails. */
#include "io/read/repeat_text.h"
#include "linkwork/file.h"
#include "linkwork/model.h"
#include "lwt.h"

#include <stdlib.h>
#include <string.h>

static const lwi_variable word = {.name = "side", .word = "left"};
static const lwi_variable i_7 = {.outer = &word, .name = "i", .number = 7};
static const lwi_variable j_minus_2 = {.outer = &i_7, .name = "j", .number = -2};

static void texts_have_their_variables_replaced(void **state)
{
  (void)state;
  static const struct {
    const char *text, *expected; /* NULL: unchanged */
  } cases[] = {
      {"plain $ { } $x", NULL},
      {"a${i}", "a7"},
      {"${side}_${ i - 1 }_${2*i+1}", "left_6_15"},
      {"${(i - 1) / 3 * (j + 5)}", "6"},
      {"${-7 % 3} ${7 % -3} ${-(-i)}", "2 -2 7"},
      {"${j}^2 + ${j} ^2 + ${j}*2", "(-2)^2 + (-2) ^2 + -2*2"},
      {"${9223372036854775807}", "9223372036854775807"},
      {"${ side }", "left"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *out;
    lwi_repeat_error why;
    assert_true(lwi_repeat_text(&j_minus_2, cases[k].text, &out, &why));
    if (!cases[k].expected)
      assert_null(out);
    else
      assert_string_equal(out, cases[k].expected);
    free(out);
  }
}

static void what_is_no_integer_is_said(void **state)
{
  (void)state;
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"${}", "a number is missing"},
      {"${i +}", "a number is missing"},
      {"${i 2}", "unexpected \"2\""},
      {"${k}", "\"k\" is no variable"},
      {"${side + 1}", "the value of \"side\" is no whole number"},
      {"${7/2}", "a division leaves a remainder"},
      {"${i/0}", "division by 0"},
      {"${i % 0}", "division by 0"},
      {"${9223372036854775808}", "a number is too large"},
      {"${9223372036854775807 + 1}", "a number is too large"},
      {"${(-9223372036854775807 - 1) / -1}", "a number is too large"},
      {"${(i}", "a parenthesis is not closed"},
      {"${i", "`${` is not closed"},
      {"${*i}", "must come before \"*\""},
      {"${((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))"
       "))))"
       "))))))))))))}",
       "nested too deeply"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *out;
    lwi_repeat_error why;
    assert_false(lwi_repeat_text(&j_minus_2, cases[k].text, &out, &why));
    assert_null(out);
    if (!strstr(why.text, cases[k].why)) fail_msg("%s: %s", cases[k].text, why.text);
  }
}

static lw_spec *parse(const char *text, const char *name, lw_error *err)
{
  return lw_spec_parse(text, strlen(text), name, err);
}

static void text_without_a_name_includes_no_files(void **state)
{
  (void)state;
  lw_error err;
  const char *text = "linkwork: 1\ninclude: {file: /dev/null, as: a}\n";
  assert_null(parse(text, NULL, &err));
  assert_non_null(strstr(err.text, "model:2:17: \"/dev/null\": text without a file name"));
  assert_null(parse(text, "memory", &err));
  assert_non_null(strstr(err.text, "memory:2:17: /dev/null is not a file"));
  assert_int_equal(err.line, 2);
  assert_string_equal(err.file, "");
}

static void repeated_and_mirrored_parts_need_no_files(void **state)
{
  (void)state;
  lw_error err;
  const char *text = "linkwork: 1\n"
                     "repeat: {i: 1..4, bodies: {'b${i}': {mass: 1}},\n"
                     "  mirror: {across: y, rename: {l: r}, bodies: {'l${i}': {mass: '${i}'}}}}\n";
  lw_spec *s = parse(text, NULL, &err);
  assert_non_null(s);
  lw_model *m = lw_compile(s, &err);
  assert_int_equal(lw_nbody(m), 12);
  assert_true(lw_find_body(m, "r4").id > 0);
  lw_model_free(m);
  lw_spec_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_have_their_variables_replaced),
      cmocka_unit_test(what_is_no_integer_is_said),
      cmocka_unit_test(text_without_a_name_includes_no_files),
      cmocka_unit_test(repeated_and_mirrored_parts_need_no_files),
  };
  return cmocka_run_group_tests_name("unit/structure", tests, NULL, NULL);
}
