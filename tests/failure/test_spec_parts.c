/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies, joints and forces that cannot be, also in the plane, are refused by name. */
#include "spec_mistakes.h"
#include "linkwork/signals.h"

#include <math.h>

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
      cmocka_unit_test(masses_must_not_be_negative),
      cmocka_unit_test(inertias_must_be_those_of_a_rigid_body),
      cmocka_unit_test(solids_must_be_complete),
      cmocka_unit_test(only_the_base_of_a_floating_group_has_a_pose),
      cmocka_unit_test(axes_must_have_a_direction),
      cmocka_unit_test(freedoms_of_forces_must_exist),
      cmocka_unit_test(a_floating_particle_cannot_be_turned),
      cmocka_unit_test(a_floating_particle_has_no_angular_velocity),
      cmocka_unit_test(planar_models_stay_in_the_plane),
      cmocka_unit_test(planar_starts_stay_in_the_plane),
      cmocka_unit_test(planar_forces_stay_in_the_plane),
  };
  return cmocka_run_group_tests_name("failure/spec_parts", tests, NULL, NULL);
}
