/* SPDX-License-Identifier: Apache-2.0 */
/* Every mistake in describing a model gets its status and a sentence that names the part: names, handles and missing
   parts here, numbers in test_spec_numbers.c, bodies, joints and forces in test_spec_parts.c.  For the functions that
   compute see test_call_errors.c. */
#include "spec_mistakes.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"

#include <math.h>
#include <stdlib.h>

static void what_mistakes_are_added_to_is_right(void **state)
{
  (void)state;
  expect_ok(start_new(false).s);
  expect_ok(start_new(true).s);
}

static void every_status_has_a_text(void **state)
{
  (void)state;
  for (int i = 0; i < LW_STATUS_COUNT; i++)
    for (int k = 0; k < i; k++)
      assert_string_not_equal(lw_status_text((lw_status)i), lw_status_text((lw_status)k));
  assert_non_null(lw_status_text((lw_status)-1));
  assert_non_null(lw_status_text(LW_STATUS_COUNT));
}

/* ---- names and handles ---- */

static void names_are_texts_without_control_characters(void **state)
{
  (void)state;
  static const char *const bad[] = {NULL, "", "a\n", "\tb", "a\x7f", "a\x1b[0m"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    start x = start_new(false);
    assert_int_equal(lw_add_body(x.s, &(lw_body_desc){.name = bad[i], .mass = 1}).id, -1);
    expect(x.s, LW_E_MODEL, "is not a name for a body");
    x = start_new(false);
    lw_joint_desc j = {.name = bad[i], .child = x.f};
    assert_int_equal(lw_add_joint(x.s, &j).id, -1);
    expect(x.s, LW_E_MODEL, "is not a name for a joint");
    x = start_new(false);
    assert_int_equal(lw_add_spring(x.s, &(lw_spring_desc){.name = bad[i], .to = x.b}).id, -1);
    expect(x.s, LW_E_MODEL, "is not a name for a force");
    if (!bad[i]) continue;
    x = start_new(false);
    lw_add_parameter(x.s, &(lw_parameter_desc){.name = bad[i]});
    expect(x.s, LW_E_MODEL, "a name is a text without control characters");
  }
}

static void some_names_are_taken(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_body(x.s, &(lw_body_desc){.name = "ground", .mass = 1});
  expect(x.s, LW_E_MODEL, "ground");
  x = start_new(false);
  lw_add_body(x.s, &good_body);
  expect(x.s, LW_E_MODEL, "body \"b\"|taken");
  x = start_new(false);
  lw_add_joint(x.s, &(lw_joint_desc){.name = "j", .child = x.f});
  expect(x.s, LW_E_MODEL, "joint \"j\"|taken");
  x = start_new(false);
  lw_add_constraint(
      x.s, &(lw_constraint_desc){.name = "j", .type = LW_DISTANCE, .child = x.f, .length = 1});
  expect(x.s, LW_E_MODEL, "\"j\"|taken");
  x = start_new(false);
  lw_add_spring(x.s, &(lw_spring_desc){.name = "s", .to = x.b});
  lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = x.j});
  expect(x.s, LW_E_MODEL, "force \"s\"|taken");
  static const char *const reserved[] = {"t", "pi", "deg", "sin", "atan2"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    x = start_new(false);
    lw_add_parameter(x.s, &(lw_parameter_desc){.name = reserved[i]});
    expect(x.s, LW_E_MODEL, "reserved");
  }
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "L"});
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "L"});
  expect(x.s, LW_E_MODEL, "parameter \"L\"|already");
}

/* bodies, joints, forces and parameters have name spaces of their own */
static void the_same_name_may_stand_for_parts_of_different_kinds(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "b"});
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "ground"});
  lw_add_spring(x.s, &(lw_spring_desc){.name = "b", .to = x.b});
  lw_add_spring(x.s, &(lw_spring_desc){.name = "ground", .to = x.b});
  lw_add_joint(x.s, &(lw_joint_desc){.name = "b", .child = x.f});
  expect_ok(x.s);
}

static void an_implicit_free_joint_needs_its_name(void **state)
{
  (void)state;
  start x = start_new(false);
  const lw_body c = lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = 1, .inertia = {1, 1, 1}});
  lw_add_joint(x.s, &(lw_joint_desc){.name = "f", .parent = x.b, .child = c});
  expect(x.s, LW_E_MODEL, "body \"f\"|rename");
}

static void unknown_handles_are_refused(void **state)
{
  (void)state;
  const int bad[] = {-1, 3, 1000, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const lw_body b = {bad[i]};
    const lw_joint j = {bad[i]};
    start x = start_new(false);
    assert_int_equal(lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .parent = b}).id, -1);
    expect(x.s, LW_E_ARG, "joint \"k\"|no such body");
    x = start_new(false);
    lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .child = b});
    expect(x.s, LW_E_ARG, "joint \"k\"|no such body");
    x = start_new(false);
    lw_add_spring(x.s, &(lw_spring_desc){.name = "s", .to = b});
    expect(x.s, LW_E_ARG, "force \"s\"|no such body");
    x = start_new(false);
    lw_add_load(x.s, &(lw_load_desc){.name = "s", .body = b});
    expect(x.s, LW_E_ARG, "force \"s\"|no such body");
    x = start_new(false);
    lw_add_bushing(x.s, &(lw_bushing_desc){.name = "s", .parent = b});
    expect(x.s, LW_E_ARG, "force \"s\"|no such body");
    x = start_new(false);
    lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = j});
    expect(x.s, LW_E_ARG, "force \"s\"|no such joint");
    x = start_new(false);
    lw_add_joint_spring(x.s, &(lw_joint_spring_desc){.name = "s", .joint = j});
    expect(x.s, LW_E_ARG, "force \"s\"|no such joint");
    x = start_new(false);
    lw_add_constraint(x.s, &(lw_constraint_desc){.name = "s", .type = LW_DISTANCE, .child = b});
    expect(x.s, LW_E_ARG, "constraint \"s\"|no such body");
    x = start_new(false);
    lw_add_constraint(
        x.s, &(lw_constraint_desc){
                 .name = "s", .type = LW_DRIVER, .nterm = 1, .terms = (lw_term[]){{.joint = j}}});
    expect(x.s, LW_E_ARG, "constraint \"s\"|no such joint");
  }
  start x = start_new(false); /* an unset handle is no joint */
  lw_add_motor(x.s, &(lw_motor_desc){.name = "s"});
  expect(x.s, LW_E_ARG, "force \"s\"|no such joint");
}

static void a_part_needs_two_different_bodies(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .parent = x.f, .child = x.f});
  expect(x.s, LW_E_MODEL, "joint \"k\"|same body");
  x = start_new(false);
  lw_add_joint(x.s, &(lw_joint_desc){.name = "k"}); /* ground and ground */
  expect(x.s, LW_E_MODEL, "joint \"k\"|same body");
  x = start_new(false);
  lw_add_spring(x.s, &(lw_spring_desc){.name = "s", .from = x.b, .to = x.b});
  expect(x.s, LW_E_MODEL, "force \"s\"|same body");
  x = start_new(false);
  lw_add_bushing(x.s, &(lw_bushing_desc){.name = "s", .parent = x.b, .child = x.b});
  expect(x.s, LW_E_MODEL, "force \"s\"|same body");
}

static void missing_descriptors_and_unknown_types_are_refused(void **state)
{
  (void)state;
  start x = start_new(false);
  assert_int_equal(lw_add_body(x.s, NULL).id, -1);
  expect(x.s, LW_E_ARG, "descriptor");
  x = start_new(false);
  assert_int_equal(lw_add_joint(x.s, NULL).id, -1);
  expect(x.s, LW_E_ARG, "joint");
  x = start_new(false);
  lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .type = LW_JOINT_TYPES, .child = x.f});
  expect(x.s, LW_E_ARG, "joint type");
  x = start_new(false);
  lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .type = (lw_joint_type)-1, .child = x.f});
  expect(x.s, LW_E_ARG, "joint type");
  x = start_new(false);
  assert_int_equal(lw_add_constraint(x.s, NULL).id, -1);
  expect(x.s, LW_E_ARG, "constraint");
  x = start_new(false);
  lw_add_constraint(x.s, &(lw_constraint_desc){.name = "k", .type = LW_GEAR, .nterm = 2});
  expect(x.s, LW_E_ARG, "constraint");
  x = start_new(false);
  lw_add_parameter(x.s, NULL);
  expect(x.s, LW_E_ARG, "parameter");
  x = start_new(false);
  assert_int_equal(lw_add_spring(x.s, NULL).id, -1);
  assert_int_not_equal(lw_spec_error(x.s, NULL), LW_OK);
  lw_spec_free(x.s);
  x = start_new(false);
  assert_true(isnan(lw_expr(x.s, NULL)));
  expect(x.s, LW_E_ARG, "lw_expr");
  x = start_new(false);
  lw_add_body(x.s, &(lw_body_desc){.name = "c", .solid = {.type = (lw_solid_type)99, .mass = 1}});
  expect(x.s, LW_E_ARG, "body \"c\"|solid");
}

/* nothing happens without a spec */
static void builders_without_a_spec_return_no_handle(void **state)
{
  (void)state;
  lw_error err = {.status = LW_OK};
  assert_int_equal(lw_add_body(NULL, &good_body).id, -1);
  assert_int_equal(lw_add_joint(NULL, &(lw_joint_desc){.name = "j"}).id, -1);
  assert_int_equal(lw_add_constraint(NULL, &(lw_constraint_desc){.name = "j"}).id, -1);
  assert_int_equal(lw_add_spring(NULL, &(lw_spring_desc){.name = "j"}).id, -1);
  assert_int_equal(lw_add_joint_spring(NULL, &(lw_joint_spring_desc){.name = "j"}).id, -1);
  assert_int_equal(lw_add_motor(NULL, &(lw_motor_desc){.name = "j"}).id, -1);
  assert_int_equal(lw_add_load(NULL, &(lw_load_desc){.name = "j"}).id, -1);
  assert_int_equal(lw_add_bushing(NULL, &(lw_bushing_desc){.name = "j"}).id, -1);
  assert_int_equal(lw_spec_find_body(NULL, "b").id, -1);
  assert_int_equal(lw_spec_find_joint(NULL, "b").id, -1);
  assert_true(isnan(lw_expr(NULL, "1")));
  assert_int_equal(lw_set_parameter(NULL, "a", 1), LW_E_ARG);
  assert_int_equal(lw_spec_error(NULL, &err), LW_E_ARG);
  lw_add_parameter(NULL, &(lw_parameter_desc){.name = "a"});
  lw_add_event(NULL, NULL);
  lw_set_name(NULL, "a");
  lw_set_gravity(NULL, 0, 0, 0);
  lw_set_planar(NULL);
  lw_set_simulation(NULL, NULL);
  lw_spec_locate(NULL, 1, 2);
  assert_null(lw_compile(NULL, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_compile(NULL, NULL));
}

static void the_first_mistake_stays(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_spec_locate(x.s, 12, 34);
  lw_add_body(x.s, &(lw_body_desc){.name = "\n1", .mass = 1});
  lw_spec_locate(x.s, 56, 78);
  lw_add_body(x.s, &(lw_body_desc){.name = "\n2", .mass = 1});
  lw_error err;
  assert_null(lw_compile(x.s, &err));
  assert_non_null(strstr(err.text, "1\""));
  assert_int_equal(err.line, 12);
  assert_int_equal(err.column, 34);
  lw_spec_free(x.s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_mistakes_are_added_to_is_right),
      cmocka_unit_test(every_status_has_a_text),
      cmocka_unit_test(names_are_texts_without_control_characters),
      cmocka_unit_test(some_names_are_taken),
      cmocka_unit_test(the_same_name_may_stand_for_parts_of_different_kinds),
      cmocka_unit_test(an_implicit_free_joint_needs_its_name),
      cmocka_unit_test(unknown_handles_are_refused),
      cmocka_unit_test(a_part_needs_two_different_bodies),
      cmocka_unit_test(missing_descriptors_and_unknown_types_are_refused),
      cmocka_unit_test(builders_without_a_spec_return_no_handle),
      cmocka_unit_test(the_first_mistake_stays),
  };
  return cmocka_run_group_tests_name("failure/spec_errors", tests, NULL, NULL);
}
