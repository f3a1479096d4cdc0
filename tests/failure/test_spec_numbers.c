/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, expressions, parameters and points of a model that are wrong are refused by name. */
#include "spec_mistakes.h"
#include "linkwork/shapes.h"
#include "linkwork/signals.h"

#include <math.h>

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

static void shapes_must_be_right(void **state)
{
  (void)state;
  start x = start_new(false);
  lw_add_shape(x.s, &(lw_shape_desc){.body = {9}});
  expect(x.s, LW_E_ARG, "shape|no such body");
  x = start_new(false);
  lw_add_shape(x.s, &(lw_shape_desc){.type = LW_SHAPE_MESH, .body = x.b});
  expect(x.s, LW_E_ARG, "file");
  x = start_new(false);
  lw_add_shape(x.s, &(lw_shape_desc){.type = LW_SHAPE_SPHERE, .radius = lw_expr(x.s, "1-2")});
  expect(x.s, LW_E_MODEL, "shape \"1\"|`radius` is negative");
  x = start_new(false);
  lw_add_shape(x.s, &(lw_shape_desc){.name = "s", .size = {lw_expr(x.s, "1/0")}});
  expect(x.s, LW_E_NUMBER, "shape \"s\"|size|division by zero");
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_number_must_be_finite),
      cmocka_unit_test(expressions_must_be_right),
      cmocka_unit_test(a_misspelt_name_gets_a_suggestion),
      cmocka_unit_test(names_in_motors_must_exist),
      cmocka_unit_test(forces_see_positions_and_velocities_only),
      cmocka_unit_test(points_must_be_right),
      cmocka_unit_test(shapes_must_be_right),
      cmocka_unit_test(parameters_must_be_right),
  };
  return cmocka_run_group_tests_name("failure/spec_numbers", tests, NULL, NULL);
}
