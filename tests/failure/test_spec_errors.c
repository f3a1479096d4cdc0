/* SPDX-License-Identifier: Apache-2.0 */
/* Every mistake in describing a model gets its status and a sentence that names the part.  For the
   functions that compute see test_call_errors.c. */
#include "lwt.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a spec with one mistake ---- */

static const lw_body_desc good_body = {.name = "b", .mass = 1, .inertia = {0.1, 0.1, 0.1}};

/* a body b on a revolute joint j, and a floating body f: what mistakes are added to */
typedef struct {
  lw_spec *s;
  lw_body b, f;
  lw_joint j;
} start;

static start start_new(bool planar)
{
  start x = {.s = lw_spec_new()};
  if (planar) lw_set_planar(x.s);
  x.b = lw_add_body(x.s, &good_body);
  x.f = lw_add_body(x.s, &(lw_body_desc){.name = "f", .mass = 1, .inertia = {0.1, 0.1, 0.1}});
  x.j = lw_add_joint(x.s, &(lw_joint_desc){.name = "j", .type = LW_REVOLUTE, .child = x.b});
  return x;
}

/* Compiles, which must fail with this status and a sentence that has all of `words`, separated by |.
   Takes the spec. */
static void expect(lw_spec *s, lw_status status, const char *words)
{
  lw_error err = {.status = LW_OK};
  lw_model *m = lw_compile(s, &err);
  if (m) fail_msg("compiles, instead of: %s", words);
  if (err.status != status)
    fail_msg("status \"%s\" instead of \"%s\": %s", lw_status_text(err.status),
             lw_status_text(status), err.text);
  char copy[300];
  snprintf(copy, sizeof copy, "%s", words);
  for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
    if (!strstr(err.text, word)) fail_msg("\"%s\" does not say \"%s\"", err.text, word);
  lw_spec_free(s);
}

static void expect_ok(lw_spec *s)
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_model_free(m);
  lw_spec_free(s);
}

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

/* ---- bodies ---- */

static void expect_body(lw_body_desc d, lw_status status, const char *words)
{
  start x = start_new(false);
  d.name = "c";
  lw_add_body(x.s, &d);
  expect(x.s, status, words);
}

static void masses_must_not_be_negative(void **state)
{
  (void)state;
  expect_body((lw_body_desc){.mass = -1}, LW_E_MODEL, "body \"c\"|mass|negative");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_POINT}}, LW_E_MODEL, "body \"c\"|mass");
  expect_body((lw_body_desc){.mass = (double)NAN}, LW_E_NUMBER, "body \"c\"|mass|finite");
  expect_body((lw_body_desc){.mass = (double)INFINITY}, LW_E_NUMBER, "body \"c\"|mass|finite");
}

static void inertias_must_be_those_of_a_rigid_body(void **state)
{
  (void)state;
  const char *words = "body \"c\"|no rigid body has this inertia";
  expect_body((lw_body_desc){.mass = 1, .inertia = {-1, 1, 1}}, LW_E_MODEL, words);
  expect_body((lw_body_desc){.mass = 1, .inertia = {1, 1, 5}}, LW_E_MODEL, words);
  expect_body((lw_body_desc){.mass = 1, .inertia = {1, 1, 1, 3, 0, 0}}, LW_E_MODEL, words);
  expect_body((lw_body_desc){.mass = 1, .inertia = {0, 0, 0, 1, 0, 0}}, LW_E_MODEL, words);
  expect_body((lw_body_desc){.mass = 1, .inertia = {0, 0, 1, 0, 0, 0}}, LW_E_MODEL, words);
}

static void solids_must_be_complete(void **state)
{
  (void)state;
  expect_body((lw_body_desc){.mass = 1, .solid = {.type = LW_SOLID_SPHERE, .radius = 1, .mass = 1}},
              LW_E_MODEL, "body \"c\"|combined with mass");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_SPHERE, .mass = 1}}, LW_E_MODEL,
              "body \"c\"|radius|positive");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_SPHERE, .radius = 1}}, LW_E_MODEL,
              "body \"c\"|mass or density");
  expect_body(
      (lw_body_desc){.solid = {.type = LW_SOLID_SPHERE, .radius = 1, .mass = 1, .density = 1}},
      LW_E_MODEL, "body \"c\"|mass or density");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_SPHERE, .radius = 1, .mass = -1}},
              LW_E_MODEL, "body \"c\"|mass|positive");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_BOX, .size = {1, 0, 1}, .mass = 1}},
              LW_E_MODEL, "body \"c\"|size|positive");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_ROD, .length = 1, .density = 1}},
              LW_E_MODEL, "body \"c\"|rod|density");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_ROD, .mass = 1}}, LW_E_MODEL,
              "body \"c\"|length|positive");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_CYLINDER, .radius = 1, .mass = 1}},
              LW_E_MODEL, "body \"c\"|length|positive");
  expect_body((lw_body_desc){.solid = {.type = LW_SOLID_POINT, .density = 1}}, LW_E_MODEL,
              "body \"c\"|point|density");
}

static void only_the_base_of_a_floating_group_has_a_pose(void **state)
{
  (void)state;
  const lw_start at = {.pose.at = {1, 2, 3}};
  lw_body_desc d = good_body;
  d.name = "c", d.start = &at;
  start x = start_new(false);
  lw_body c = lw_add_body(x.s, &d);
  lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .parent = x.b, .child = c});
  expect(x.s, LW_E_MODEL, "body \"c\"|pose|ground");
  x = start_new(false);
  c = lw_add_body(x.s, &d);
  d.name = "e";
  const lw_body e = lw_add_body(x.s, &d);
  lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .parent = c, .child = e});
  expect(x.s, LW_E_MODEL, "body \"e\"|pose|\"c\"");
}

/* ---- joints ---- */

static void expect_joint(lw_joint_desc d, lw_status status, const char *words)
{
  start x = start_new(false);
  d.name = "k", d.child = x.f;
  lw_add_joint(x.s, &d);
  expect(x.s, status, words);
}

static void axes_must_have_a_direction(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "L", .value = 1});
  lw_add_joint(x.s, &(lw_joint_desc){.name = "k",
                                     .type = LW_REVOLUTE,
                                     .child = x.f,
                                     .axis = {lw_expr(x.s, "L - 1"), 0, 0}});
  expect(x.s, LW_E_MODEL, "joint \"k\"|axis|length 0");
  expect_joint((lw_joint_desc){.type = LW_UNIVERSAL, .axis = {0, 0, 2}, .axis2 = {0, 0, -3}},
               LW_E_MODEL, "joint \"k\"|parallel");
  expect_joint((lw_joint_desc){.type = LW_UNIVERSAL, .axis = {1, 0, 0}}, LW_E_MODEL,
               "joint \"k\"|parallel"); /* x, as axis2 is by default */
  expect_joint((lw_joint_desc){.place.orient = {LW_ORIENT_QUAT, {0, 0, 0, 0}}}, LW_E_MODEL,
               "joint \"k\"|quaternion");
  expect_joint((lw_joint_desc){.place.orient = {LW_ORIENT_AXIS_ANGLE, {0, 0, 0, 1}}}, LW_E_MODEL,
               "joint \"k\"|axis");
  expect_joint((lw_joint_desc){.type = LW_SPHERICAL, .q_orient = {LW_ORIENT_QUAT, {0, 0, 0, 0}}},
               LW_E_MODEL, "joint \"k\"|quaternion");
}

/* ---- forces ---- */

static void freedoms_of_forces_must_exist(void **state)
{
  (void)state;
  const int bad[] = {2, -1, 99};
  for (int i = 0; i < 3; i++) {
    start x = start_new(false);
    lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = x.j, .dof = bad[i]});
    expect(x.s, LW_E_MODEL, "force \"s\"|\"j\"|dof");
    x = start_new(false);
    lw_add_joint_spring(x.s, &(lw_joint_spring_desc){.name = "s", .joint = x.j, .dof = bad[i]});
    expect(x.s, LW_E_MODEL, "force \"s\"|\"j\"|dof");
  }
  const lw_joint_type no_rate[] = {LW_SPHERICAL, LW_FREE, LW_FIXED};
  for (int i = 0; i < 3; i++) {
    start x = start_new(false);
    const lw_joint k =
        lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .type = no_rate[i], .child = x.f});
    lw_add_joint_spring(x.s, &(lw_joint_spring_desc){.name = "s", .joint = k});
    expect(x.s, LW_E_MODEL, "force \"s\"");
  }
}

/* a floating particle c: what would turn it is an error */
static start with_particle(bool planar, lw_body *c)
{
  start x = start_new(planar);
  *c = lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = 1, .com = {0.1, 0, 0}});
  return x;
}

static void a_floating_particle_cannot_be_turned(void **state)
{
  (void)state;
  for (int planar = 0; planar < 2; planar++) {
    lw_body c;
    const char *words = "force \"s\"|\"c\"|particle";
    start x = with_particle(planar, &c);
    lw_add_load(x.s, &(lw_load_desc){.name = "s", .body = c, .force = {1, 0, 0}});
    expect(x.s, LW_E_MODEL, words); /* at the origin, not at the centre */
    x = with_particle(planar, &c);
    lw_add_load(x.s, &(lw_load_desc){.name = "s", .body = c, .at = {0.1}, .torque = {0, 0, 1}});
    expect(x.s, LW_E_MODEL, words);
    x = with_particle(planar, &c);
    lw_add_spring(x.s, &(lw_spring_desc){.name = "s", .from = x.b, .to = c, .stiffness = 1});
    expect(x.s, LW_E_MODEL, words);
    x = with_particle(planar, &c);
    lw_add_bushing(x.s, &(lw_bushing_desc){.name = "s", .parent = x.b, .child = c});
    expect(x.s, LW_E_MODEL, words);
    x = with_particle(planar, &c);
    lw_add_load(x.s, &(lw_load_desc){.name = "s", .body = c, .at = {0.1}, .force = {1, 0, 0}});
    lw_add_spring(x.s, &(lw_spring_desc){.name = "r", .from = x.b, .to = c, .to_at = {0.1}});
    expect_ok(x.s);
  }
  start x = start_new(false);
  lw_body c = lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = 1});
  lw_joint k = lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .type = LW_FREE, .child = c});
  lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = k, .dof = 2, .value = 1});
  expect(x.s, LW_E_MODEL, "force \"s\"|particle");
  x = start_new(false);
  c = lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = 1});
  k = lw_add_joint(x.s, &(lw_joint_desc){.name = "k", .type = LW_FREE, .child = c});
  lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = k, .dof = 4, .value = 1});
  expect_ok(x.s);
}

static void a_floating_particle_has_no_angular_velocity(void **state)
{
  (void)state;
  const lw_start spin = {.angular = {0, 0, 1}};
  start x = start_new(false);
  lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = 1, .start = &spin});
  expect(x.s, LW_E_MODEL, "body \"c\"|particle|angular velocity");
}

/* ---- numbers ---- */

/* one of every descriptor, in which each number in turn is not finite */
typedef struct {
  lw_body_desc body, solid;
  lw_start start;
  lw_joint_desc joint;
  lw_spring_desc spring;
  lw_joint_spring_desc joint_spring;
  lw_motor_desc motor;
  lw_load_desc load;
  lw_bushing_desc bushing;
  double gravity[3];
  lw_simulation_options options;
} numbers;

static numbers good_numbers(void)
{
  const lw_place place = {.orient = {LW_ORIENT_QUAT, {1, 0, 0, 0}}};
  return (numbers){
      .body = {.name = "c", .mass = 1, .inertia = {1, 1, 1}},
      .solid = {.name = "d",
                .solid = {.type = LW_SOLID_CYLINDER, .mass = 1, .radius = 1, .length = 1}},
      .start = {.pose = place},
      .joint = {.name = "k",
                .type = LW_FREE,
                .place = place,
                .child_place = place,
                .q = {0, 0, 0, 1, 0, 0, 0}},
      .spring = {.name = "s"},
      .joint_spring = {.name = "t"},
      .motor = {.name = "v"},
      .load = {.name = "w"},
      .bushing = {.name = "x", .place = place, .child_place = place},
      .gravity = {0, 0, -9.81},
      .options = {.end = 1},
  };
}

static lw_spec *spec_of_numbers(numbers n)
{
  start x = start_new(false);
  const lw_body c = lw_add_body(x.s, &n.body);
  n.solid.start = &n.start;
  lw_add_body(x.s, &n.solid);
  n.joint.parent = x.b, n.joint.child = c;
  lw_add_joint(x.s, &n.joint);
  n.spring.from = x.b, n.spring.to = c;
  n.joint_spring.joint = n.motor.joint = x.j;
  n.load.body = c;
  n.bushing.parent = x.b, n.bushing.child = c;
  lw_add_spring(x.s, &n.spring);
  lw_add_joint_spring(x.s, &n.joint_spring);
  lw_add_motor(x.s, &n.motor);
  lw_add_load(x.s, &n.load);
  lw_add_bushing(x.s, &n.bushing);
  lw_set_gravity(x.s, n.gravity[0], n.gravity[1], n.gravity[2]);
  lw_set_simulation(x.s, &n.options);
  return x.s;
}

static void every_number_must_be_finite(void **state)
{
  (void)state;
  numbers n = good_numbers();
  const struct {
    double *x;
    int count;
    const char *words;
  } fields[] = {
      {&n.body.mass, 1, "body \"c\"|mass"},
      {n.body.com, 3, "body \"c\"|com"},
      {n.body.inertia, 6, "body \"c\"|inertia"},
      {&n.solid.solid.mass, 1, "body \"d\"|mass"},
      {&n.solid.solid.density, 1, "body \"d\"|density"},
      {n.solid.solid.at, 3, "body \"d\"|at"},
      {n.solid.solid.axis, 3, "body \"d\"|axis"},
      {n.solid.solid.size, 3, "body \"d\"|size"},
      {&n.solid.solid.radius, 1, "body \"d\"|radius"},
      {&n.solid.solid.length, 1, "body \"d\"|length"},
      {n.start.pose.at, 3, "body \"d\"|pose"},
      {n.start.pose.orient.value, 4, "body \"d\"|pose"},
      {n.start.linear, 3, "body \"d\"|velocity"},
      {n.start.angular, 3, "body \"d\"|velocity"},
      {n.joint.place.at, 3, "joint \"k\"|place"},
      {n.joint.place.orient.value, 4, "joint \"k\"|place"},
      {n.joint.child_place.at, 3, "joint \"k\"|place"},
      {n.joint.child_place.orient.value, 4, "joint \"k\"|place"},
      {n.joint.axis, 3, "joint \"k\"|axis"},
      {n.joint.axis2, 3, "joint \"k\"|axis2"},
      {&n.joint.pitch, 1, "joint \"k\"|pitch"},
      {n.joint.q, 7, "joint \"k\"|q"},
      {n.joint.u, 6, "joint \"k\"|u"},
      {n.spring.from_at, 3, "force \"s\"|from"},
      {n.spring.to_at, 3, "force \"s\"|to"},
      {&n.spring.stiffness, 1, "force \"s\"|stiffness"},
      {&n.spring.damping, 1, "force \"s\"|damping"},
      {&n.spring.length, 1, "force \"s\"|length"},
      {&n.joint_spring.stiffness, 1, "force \"t\"|stiffness"},
      {&n.joint_spring.damping, 1, "force \"t\"|damping"},
      {&n.joint_spring.rest, 1, "force \"t\"|rest"},
      {&n.motor.value, 1, "force \"v\"|value"},
      {n.load.at, 3, "force \"w\"|at"},
      {n.load.force, 3, "force \"w\"|force"},
      {n.load.torque, 3, "force \"w\"|torque"},
      {n.bushing.place.at, 3, "force \"x\"|place"},
      {n.bushing.place.orient.value, 4, "force \"x\"|place"},
      {n.bushing.child_place.at, 3, "force \"x\"|place"},
      {n.bushing.child_place.orient.value, 4, "force \"x\"|place"},
      {n.bushing.stiffness, 3, "force \"x\"|stiffness"},
      {n.bushing.damping, 3, "force \"x\"|damping"},
      {n.bushing.angular_stiffness, 3, "force \"x\"|angular_stiffness"},
      {n.bushing.angular_damping, 3, "force \"x\"|angular_damping"},
      {n.gravity, 3, "gravity"},
      {&n.options.end, 1, "end"},
      {&n.options.output_step, 1, "output_step"},
      {&n.options.rtol, 1, "rtol"},
      {&n.options.atol, 1, "atol"},
      {&n.options.step, 1, "step"},
  };
  expect_ok(spec_of_numbers(n));
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    for (int k = 0; k < fields[i].count; k++)
      for (int b = 0; b < 3; b++) {
        const double was = fields[i].x[k];
        fields[i].x[k] = bad[b];
        expect(spec_of_numbers(n), LW_E_NUMBER, fields[i].words);
        fields[i].x[k] = was;
      }
}

static void expressions_must_be_right(void **state)
{
  (void)state;
  static const struct {
    const char *text, *words;
    lw_status status;
  } cases[] = {
      {"2*", "missing", LW_E_MODEL},
      {"", "empty", LW_E_MODEL},
      {"2 3", "operator", LW_E_MODEL},
      {"(1", "not closed", LW_E_MODEL},
      {"foo(1)", "unknown function", LW_E_MODEL},
      {"sin(1, 2)", "takes 1", LW_E_MODEL},
      {"1e999", "too large", LW_E_MODEL},
      {"M", "no parameter \"M\"", LW_E_MODEL},
      {"1/(L - 1)", "division by zero", LW_E_NUMBER},
      {"sqrt(-L)", "square root", LW_E_NUMBER},
      {"log(L - 1)", "log", LW_E_NUMBER},
      {"10^400", "too large", LW_E_NUMBER},
      {"t", "\"t\" is not allowed here", LW_E_MODEL},
      {"q.j", "\"q.j\" is not allowed here", LW_E_MODEL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    start x = start_new(false);
    lw_add_parameter(x.s, &(lw_parameter_desc){.name = "L", .value = 1});
    lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = lw_expr(x.s, cases[i].text)});
    expect(x.s, cases[i].status, cases[i].words);
  }
}

static void a_misspelt_name_gets_a_suggestion(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "length", .value = 1});
  lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = lw_expr(x.s, "lenght")});
  expect(x.s, LW_E_MODEL, "body \"c\"|mass|lenght|did you mean \"length\"");
}

static void names_in_motors_must_exist(void **state)
{
  (void)state;
  static const char *const bad[] = {"u.nope", "q.j.2", "q.j.0", "u.j.1.1", "x.nope",
                                    "q.f",    "q.f.8", "u.f.7", "q.j.x",   "u.f"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    start x = start_new(false);
    lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = x.j, .value = lw_expr(x.s, bad[i])});
    expect(x.s, LW_E_MODEL, bad[i][1] == '.' ? "force \"s\"|value" : "force \"s\"");
  }
  static const char *const fine[] = {"u.j", "q.j.1", "q.f.7", "u.f.6", "t", "q.j*u.j + t"};
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
    start x = start_new(false);
    lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = x.j, .value = lw_expr(x.s, fine[i])});
    expect_ok(x.s);
  }
}

static void forces_see_positions_and_velocities_only(void **state)
{
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"ax.b", "\"ax.b\" is not allowed here|accelerations, loads and energies follow from the "
               "forces: a state with `every` can sample"},
      {"fx.j", "\"fx.j\" is not allowed here|x.B"},
      {"energy.total", "not allowed here"},
      {"e0.b", "a quaternion and its negative|xx.b to zz.b"},
      {"x.bb", "no body or point \"bb\", did you mean \"b\"?"},
      {"x.b.in.tipp", "no body or point \"tipp\", did you mean \"tip\"?"},
      {"vx.qq.in.b", "no body or point \"qq\""},
      {"length.T", "no spring \"T\""},
      {"rate.s", "no spring \"s\""},
  };
  static const char *const fine[] = {"x.b", "vz.tip.in.f", "wx.ground.in.b", "zz.tip", "length.S"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases + sizeof fine / sizeof *fine; i++) {
    const bool good = i >= sizeof cases / sizeof *cases;
    const char *text = good ? fine[i - sizeof cases / sizeof *cases] : cases[i].text;
    start x = start_new(false);
    lw_add_point(x.s, &(lw_point_desc){.name = "tip", .body = x.b});
    lw_add_spring(x.s, &(lw_spring_desc){.name = "S", .from = x.b, .to = x.f, .stiffness = 1});
    lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = x.j, .value = lw_expr(x.s, text)});
    good ? expect_ok(x.s) : expect(x.s, LW_E_MODEL, cases[i].words);
  }
}

static void points_must_be_right(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_point(x.s, &(lw_point_desc){.name = "b", .body = x.b});
  expect(x.s, LW_E_MODEL, "point \"b\"|a body has this name|columns");
  x = start_new(false);
  lw_add_point(x.s, &(lw_point_desc){.name = "p", .body = x.b});
  lw_add_body(x.s, &(lw_body_desc){.name = "p", .mass = 1});
  expect(x.s, LW_E_MODEL, "body \"p\"|a point has this name");
  x = start_new(false);
  lw_add_point(x.s, &(lw_point_desc){.name = "ground", .body = x.b});
  expect(x.s, LW_E_MODEL, "ground");
  x = start_new(false);
  lw_add_point(x.s, &(lw_point_desc){.name = "p", .body = {9}});
  expect(x.s, LW_E_ARG, "point \"p\"|no such body");
  x = start_new(false);
  lw_add_point(x.s, &(lw_point_desc){.name = "p", .body = x.b, .place.at = {lw_expr(x.s, "1/0")}});
  expect(x.s, LW_E_NUMBER, "point \"p\"|at|division by zero");
  x = start_new(true);
  lw_add_point(x.s, &(lw_point_desc){.name = "p", .body = x.b, .place.at = {0, 0, 1}});
  expect(x.s, LW_E_MODEL, "point \"p\"|at: z must be 0");
}

static void parameters_must_be_right(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = lw_expr(x.s, "b + 1")});
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "b", .value = lw_expr(x.s, "2*a")});
  expect(x.s, LW_E_MODEL, "depend|a|b");
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = lw_expr(x.s, "a")});
  expect(x.s, LW_E_MODEL, "depends on itself");
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = lw_expr(x.s, "1/0")});
  expect(x.s, LW_E_MODEL, "parameter \"a\"|division by zero");
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = (double)NAN});
  expect(x.s, LW_E_MODEL, "parameter \"a\"|not finite");
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = lw_expr(x.s, "c")});
  expect(x.s, LW_E_MODEL, "parameter \"a\"|unknown parameter \"c\"");
  const double low = 1, high = 2;
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = 3, .min = &low, .max = &high});
  expect(x.s, LW_E_MODEL, "parameter \"a\"|3|above|maximum 2");
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = 1.5, .min = &low, .max = &high});
  lwt_ok(lw_set_parameter(x.s, "a", 0.5));
  expect(x.s, LW_E_MODEL, "parameter \"a\"|0.5|below|minimum 1");
  x = start_new(false);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "a", .value = 1});
  assert_int_equal(lw_set_parameter(x.s, "b", 1), LW_E_ARG);
  assert_int_equal(lw_set_parameter(x.s, NULL, 1), LW_E_ARG);
  assert_int_equal(lw_set_parameter(x.s, "a", (double)NAN), LW_E_ARG);
  expect_ok(x.s);
}

/* ---- planar models ---- */

static void expect_planar_joint(lw_joint_desc d, const char *words)
{
  start x = start_new(true);
  d.name = "k", d.child = x.f;
  lw_add_joint(x.s, &d);
  expect(x.s, LW_E_MODEL, words);
}

static void planar_models_stay_in_the_plane(void **state)
{
  (void)state;
  const lw_joint_type spatial[] = {LW_HELICAL, LW_CYLINDRICAL, LW_UNIVERSAL, LW_SPHERICAL};
  for (int i = 0; i < 4; i++)
    expect_planar_joint((lw_joint_desc){.type = spatial[i]}, "joint \"k\"|planar model has no");
  expect_planar_joint((lw_joint_desc){.place.at = {0, 0, 1}}, "joint \"k\"|z must be 0");
  expect_planar_joint((lw_joint_desc){.child_place.at = {0, 0, 1}}, "joint \"k\"|z must be 0");
  expect_planar_joint((lw_joint_desc){.place.orient = {LW_ORIENT_RPY, {0.1, 0, 0}}},
                      "joint \"k\"|planar model turns about z");
  expect_planar_joint((lw_joint_desc){.child_place.orient = {LW_ORIENT_AXIS_ANGLE, {1, 0, 0, 1}}},
                      "joint \"k\"|planar model turns about z");
  expect_planar_joint((lw_joint_desc){.type = LW_PRISMATIC, .axis = {1, 0, 1}},
                      "joint \"k\"|axis|plane");
  expect_planar_joint((lw_joint_desc){.type = LW_REVOLUTE, .axis = {1, 0, 0}},
                      "joint \"k\"|axis|z");
  start x = start_new(true);
  lw_set_gravity(x.s, 0, 0, -9.81);
  expect(x.s, LW_E_MODEL, "gravity|z must be 0");
  x = start_new(true);
  lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = 1, .com = {0, 0, 1}});
  expect(x.s, LW_E_MODEL, "body \"c\"|com|z must be 0");
  x = start_new(true);
  lw_add_body(x.s, &(lw_body_desc){.name = "c", .mass = 1, .inertia = {0, 0, -1}});
  expect(x.s, LW_E_MODEL, "body \"c\"|inertia");
  x = start_new(false);
  lw_set_planar(x.s);
  expect(x.s, LW_E_ARG, "lw_set_planar must come before");
}

static void planar_starts_stay_in_the_plane(void **state)
{
  (void)state;
  const lw_start bad[] = {{.pose.at = {0, 0, 1}},
                          {.linear = {0, 0, 1}},
                          {.angular = {1, 0, 0}},
                          {.pose.orient = {LW_ORIENT_RPY, {0, 0.2, 0}}}};
  for (int i = 0; i < 4; i++) {
    start x = start_new(true);
    lw_add_body(x.s,
                &(lw_body_desc){.name = "c", .mass = 1, .inertia = {0, 0, 1}, .start = &bad[i]});
    expect(x.s, LW_E_MODEL, "body \"c\"");
  }
}

static void planar_forces_stay_in_the_plane(void **state)
{
  (void)state;
  start x = start_new(true);
  lw_add_load(x.s, &(lw_load_desc){.name = "s", .body = x.b, .force = {0, 0, 1}});
  expect(x.s, LW_E_MODEL, "force \"s\"|plane");
  x = start_new(true);
  lw_add_load(x.s, &(lw_load_desc){.name = "s", .body = x.b, .torque = {1, 0, 0}});
  expect(x.s, LW_E_MODEL, "force \"s\"|plane");
  x = start_new(true);
  lw_add_load(x.s, &(lw_load_desc){.name = "s", .body = x.b, .at = {0, 0, 1}});
  expect(x.s, LW_E_MODEL, "force \"s\"|planar");
  x = start_new(true);
  lw_add_spring(x.s, &(lw_spring_desc){.name = "s", .from = x.b, .to_at = {0, 0, 1}});
  expect(x.s, LW_E_MODEL, "force \"s\"|planar");
  x = start_new(true);
  lw_add_bushing(x.s, &(lw_bushing_desc){.name = "s", .parent = x.b, .place.at = {0, 0, 1}});
  expect(x.s, LW_E_MODEL, "force \"s\"|planar");
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
      cmocka_unit_test(masses_must_not_be_negative),
      cmocka_unit_test(inertias_must_be_those_of_a_rigid_body),
      cmocka_unit_test(solids_must_be_complete),
      cmocka_unit_test(only_the_base_of_a_floating_group_has_a_pose),
      cmocka_unit_test(axes_must_have_a_direction),
      cmocka_unit_test(freedoms_of_forces_must_exist),
      cmocka_unit_test(a_floating_particle_cannot_be_turned),
      cmocka_unit_test(a_floating_particle_has_no_angular_velocity),
      cmocka_unit_test(every_number_must_be_finite),
      cmocka_unit_test(expressions_must_be_right),
      cmocka_unit_test(a_misspelt_name_gets_a_suggestion),
      cmocka_unit_test(names_in_motors_must_exist),
      cmocka_unit_test(forces_see_positions_and_velocities_only),
      cmocka_unit_test(points_must_be_right),
      cmocka_unit_test(parameters_must_be_right),
      cmocka_unit_test(planar_models_stay_in_the_plane),
      cmocka_unit_test(planar_starts_stay_in_the_plane),
      cmocka_unit_test(planar_forces_stay_in_the_plane),
  };
  return cmocka_run_group_tests_name("failure/spec_errors", tests, NULL, NULL);
}
