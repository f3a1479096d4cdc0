/* SPDX-License-Identifier: Apache-2.0 */
/* What a model file says arrives in the spec, number by number, and in the model made of it. */
#include "lwt.h"

#include "linkwork/file.h"
#include "linkwork/reader.h"
#include "linkwork/query.h"
#include "linkwork/shapes.h"
#include "model/spec/spec_data.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- support ---- */

static lw_spec *parse(const char *text)
{
  lw_error err;
  lw_spec *s = lw_spec_parse(text, strlen(text), "test.yaml", &err);
  if (!s) fail_msg("%s\nis refused: %s", text, err.text);
  assert_int_equal(err.status, LW_OK);
  return s;
}

static lw_model *compile(const char *text)
{
  lw_error err;
  lw_spec *s = parse(text);
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s\ndoes not compile: %s", text, err.text);
  return m;
}

/* Numbers come through unchanged: no tolerance. */
static void expect_numbers(const double *x, int n, const double *expected)
{
  for (int i = 0; i < n; i++)
    if (x[i] != expected[i]) fail_msg("number %d is %.17g, expected %.17g", i, x[i], expected[i]);
}
#define EXPECT(x, ...)                                                                             \
  expect_numbers(x, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),                       \
                 (double[]){__VA_ARGS__})

/* the text of the expression that a number stands for */
static const char *expr_text(const lw_spec *s, double number)
{
  const int index = lwi_expr_index(number);
  assert_true(index >= 0);
  return s->expr[index].text;
}

#define HEAD "linkwork: 1\n"
#define TWO HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
#define JOINT(text) TWO "joints:\n  J: {parent: ground, child: a, " text "}\n"
#define CHAIN                                                                                      \
  TWO "joints:\n  A: {type: revolute, parent: ground, child: a}\n"                                 \
      "  B: {type: cylindrical, parent: a, child: b}\n"

/* ---- the whole ---- */

static void the_least_model_is_empty(void **state)
{
  (void)state;
  lw_model *m = compile("linkwork: 1");
  assert_int_equal(lw_nbody(m), 0);
  assert_string_equal(lw_model_name(m), "");
  double g[3];
  lw_gravity(m, g);
  EXPECT(g, 0, 0, -9.81);
  lw_model_free(m);
}

static void sections_may_be_empty_and_in_any_order(void **state)
{
  (void)state;
  lw_model *m = compile("simulation:\nevents:\nforces: {M: {type: motor, joint: J, value: k}}\n"
                        "joints: {J: {type: revolute, child: b, parent: ground}}\n"
                        "bodies: {b: {mass: k, inertia: [1, 1, 1]}}\nparameters: {k: 3}\n"
                        "sensitivity:\ngravity: [0, 0, -k]\nname: four \"bar\"\nlinkwork: 1\n");
  double g[3];
  lw_gravity(m, g);
  EXPECT(g, 0, 0, -3);
  assert_string_equal(lw_model_name(m), "four \"bar\"");
  assert_true(lw_body_mass(m, lw_find_body(m, "b")) == 3);
  lw_model_free(m);
}

static void json_is_a_model_file_too(void **state)
{
  (void)state;
  lw_model *m = compile(
      "{\"linkwork\": 1, \"bodies\": {\"b\": {\"mass\": 2.5e-1, \"com\": [0, \"1/4\", 0]}},\n"
      "\t\"joints\": {\"J\": {\"type\": \"prismatic\", \"parent\": \"ground\", "
      "\"child\": \"b\", \"hold\": true}}}");
  assert_true(lw_body_mass(m, lw_find_body(m, "b")) == 0.25);
  assert_int_equal(lw_get_joint(m, lw_find_joint(m, "J")).type, LW_PRISMATIC);
  lw_model_free(m);
}

static void aliases_repeat_values(void **state)
{
  (void)state;
  lw_spec *s = parse(HEAD "bodies: {a: &rod {solid: {rod: {length: &l 2, mass: *l}}}, b: *rod}\n");
  assert_int_equal(s->bodies.n, 2);
  assert_string_equal(s->bodies.item[1].d.name, "b");
  EXPECT(&s->bodies.item[1].d.solid.mass, 2);
  lw_spec_free(s);
}

/* ---- numbers ---- */

static void plain_numbers_are_decimal(void **state)
{
  (void)state;
  lw_spec *s = parse(HEAD "bodies: {b: {mass: 1e-11, com: [-0.0617138900142764496, +.5, 5.],\n"
                          "  inertia: [1E2, \"7\", 010]}}\n");
  const lw_body_desc *d = &s->bodies.item[0].d;
  assert_int_equal(s->nexpr, 0);
  EXPECT(&d->mass, 1e-11);
  EXPECT(d->com, -0.0617138900142764496, 0.5, 5.0);
  EXPECT(d->inertia, 100, 7, 10);
  lw_spec_free(s);
}

static void everything_else_is_an_expression(void **state)
{
  (void)state;
  static const char *const texts[] = {"30 deg", "-2^2", "pi", "-pi", "1e3*x", "yes"};
  lw_spec *s = parse(
      JOINT("type: revolute, q: 30 deg, u: \"-2^2\", at: [pi, -pi, 1e3*x], child_at: [yes, 0, 0]"));
  assert_int_equal(s->nexpr, 6);
  for (int i = 0; i < 6; i++)
    assert_string_equal(s->expr[i].text, texts[i]);
  lw_spec_free(s);
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
  (void)state;
  static const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
  const char *set = NULL;
  for (int i = 0; i < 4 && !set; i++)
    set = setlocale(LC_NUMERIC, comma[i]);
  lw_spec *s = parse(HEAD "bodies: {b: {mass: 1.5, com: [2.5e-3, 0, 0.25 + 0.5]}}\n");
  EXPECT(&s->bodies.item[0].d.mass, 1.5);
  EXPECT(s->bodies.item[0].d.com, 2.5e-3, 0);
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  setlocale(LC_NUMERIC, "C");
  assert_non_null(m);
  lw_model_free(m);
  lw_spec_free(s);
}

/* an expression is placed where its text starts, within quotes too */
static void expressions_know_their_place(void **state)
{
  (void)state;
  lw_spec *s = parse(HEAD "parameters: {a: 1}\nbodies: {b: {mass: 2*a, com: [\"a\", 0, 0]}}\n");
  assert_int_equal(s->expr[0].expr.at.line, 3);
  assert_int_equal(s->expr[0].expr.at.column, 20);
  assert_int_equal(s->expr[1].expr.at.column, 32);
  assert_int_equal(s->bodies.item[0].mark.column, 10);
  lw_spec_free(s);
}

static void parameters_have_values_and_limits(void **state)
{
  (void)state;
  lw_model *m = compile(
      HEAD "parameters: {pa: 1.5, pb: 2*pa,\n"
           "  rho: {value: 10*pb, unit: kg/m^3, min: 1, max: 9e3, doc: \"steel, cold\"}}\n");
  assert_int_equal(lw_nparameter(m), 3);
  assert_string_equal(lw_parameter_name(m, 2), "rho");
  assert_true(lw_parameter_value(m, 2) == 30);
  lw_model_free(m);
}

/* ---- bodies ---- */

static void bodies_have_mass_com_and_inertia(void **state)
{
  (void)state;
  lw_spec *s = parse(HEAD "bodies:\n"
                          "  a: {mass: 10, com: [1, 2, 3], inertia: [4, 5, 6]}\n"
                          "  b: {mass: 1, inertia: [4, 5, 6, 0.1, 0.2, 0.3]}\n  c: {mass: 2}\n");
  assert_int_equal(s->bodies.n, 3);
  EXPECT(s->bodies.item[0].d.com, 1, 2, 3);
  EXPECT(s->bodies.item[0].d.inertia, 4, 5, 6, 0, 0, 0);
  EXPECT(s->bodies.item[1].d.inertia, 4, 5, 6, 0.1, 0.2, 0.3);
  EXPECT(s->bodies.item[2].d.inertia, 0, 0, 0, 0, 0, 0);
  assert_null(s->bodies.item[2].d.start);
  lw_spec_free(s);
}

static void every_solid_has_its_keys(void **state)
{
  (void)state;
  lw_spec *s = parse(
      HEAD
      "bodies:\n"
      "  a: {solid: {rod: {length: 2, mass: 3, axis: [0, -1, 0], at: [1, 2, 3], radius: 0.1}}}\n"
      "  b: {solid: {box: {size: [1, 2, 3], density: 5, at: [4, 5, 6]}}}\n"
      "  c: {solid: {sphere: {radius: 2, mass: 7}}}\n"
      "  d: {solid: {cylinder: {radius: 1, length: 4, axis: -x, density: 8}}}\n"
      "  e: {solid: {point: {mass: 9, at: [1, 0, 0]}}}\n");
#define SOLID(i) s->bodies.item[i].d.solid
  static const lw_solid_type types[] = {LW_SOLID_ROD, LW_SOLID_BOX, LW_SOLID_SPHERE,
                                        LW_SOLID_CYLINDER, LW_SOLID_POINT};
  for (int i = 0; i < 5; i++)
    assert_int_equal(SOLID(i).type, types[i]);
  EXPECT(SOLID(0).axis, 0, -1, 0);
  EXPECT(SOLID(0).at, 1, 2, 3);
  EXPECT(&SOLID(0).radius, 0.1);
  EXPECT(&SOLID(0).length, 2);
  EXPECT(SOLID(1).size, 1, 2, 3);
  EXPECT(&SOLID(1).density, 5);
  EXPECT(&SOLID(2).mass, 7);
  EXPECT(SOLID(3).axis, -1, 0, 0);
  EXPECT(&SOLID(4).mass, 9);
#undef SOLID
  lw_spec_free(s);
}

static void a_floating_body_has_pose_and_velocity(void **state)
{
  (void)state;
  lw_model *m = compile(HEAD "bodies: {probe: {mass: 6.9, inertia: [0.9, 0.6, 0.5],\n"
                             "  pose: {at: [0, 0, 2], orient: {quat: [0, 2, 0, 0]}},\n"
                             "  velocity: {linear: [1, 0, 0], angular: [0, 0, 0.3]}}}\n");
  double q[7], u[6];
  assert_int_equal(lw_nq(m), 7);
  lw_initial_state(m, q, u);
  EXPECT(q, 0, 0, 2, 0, 1, 0, 0);
  EXPECT(u, 0, 0, -0.3, 1, 0, 0); /* upside down */
  lw_model_free(m);
}

/* ---- joints ---- */

static void every_joint_type_has_its_name(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    lw_joint_type type;
    int nq;
  } table[] = {
      {"type: fixed", LW_FIXED, 0},
      {"type: revolute", LW_REVOLUTE, 1},
      {"type: prismatic", LW_PRISMATIC, 1},
      {"type: translational", LW_PRISMATIC, 1},
      {"type: helical, pitch: 0.1", LW_HELICAL, 1},
      {"type: cylindrical", LW_CYLINDRICAL, 2},
      {"type: universal", LW_UNIVERSAL, 2},
      {"type: spherical", LW_SPHERICAL, 4},
      {"type: planar", LW_PLANAR, 3},
      {"type: free", LW_FREE, 7},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[300];
    snprintf(text, sizeof text, JOINT("%s"), table[i].text);
    lw_model *m = compile(text);
    const lw_joint_info j = lw_get_joint(m, lw_find_joint(m, "J"));
    assert_int_equal(j.type, table[i].type);
    assert_int_equal(j.nq, table[i].nq);
    assert_int_equal(j.parent.id, 0);
    assert_string_equal(lw_body_name(m, j.child), "a");
    lw_model_free(m);
  }
}

static void a_joint_has_frames_axes_and_flags(void **state)
{
  (void)state;
  lw_spec *s = parse(
      JOINT("type: universal, at: [1, 2, 3], orient: {rpy: [0.1, 0.2, 0.3]}, child_at: [4, 5, 6], "
            "child_orient: {axis_angle: [1, 0, 0, 90 deg]}, axis: x, axis2: [0, 2, 0], "
            "q: [0.1, 0.2], u: [3, 4], hold: true, cut: false"));
  const lw_joint_desc *d = &s->joints.item[0].d;
  EXPECT(d->place.at, 1, 2, 3);
  assert_int_equal(d->place.orient.type, LW_ORIENT_RPY);
  EXPECT(d->place.orient.value, 0.1, 0.2, 0.3);
  EXPECT(d->child_place.at, 4, 5, 6);
  assert_int_equal(d->child_place.orient.type, LW_ORIENT_AXIS_ANGLE);
  EXPECT(d->child_place.orient.value, 1, 0, 0);
  assert_string_equal(expr_text(s, d->child_place.orient.value[3]), "90 deg");
  EXPECT(d->axis, 1, 0, 0);
  EXPECT(d->axis2, 0, 2, 0);
  EXPECT(d->q, 0.1, 0.2);
  EXPECT(d->u, 3, 4);
  assert_true(d->hold && !d->cut && d->has_q && d->has_u);
  lw_spec_free(s);
}

static void what_is_not_written_stays_default(void **state)
{
  (void)state;
  lw_spec *s = parse(JOINT("type: revolute"));
  const lw_joint_desc *d = &s->joints.item[0].d;
  EXPECT(d->axis, 0, 0, 0);
  assert_int_equal(d->place.orient.type, LW_ORIENT_NONE);
  assert_false(d->has_q || d->has_u || d->hold || d->cut);
  lw_spec_free(s);
}

/* the initial q of a joint, as compiled */
static void expect_q(const char *joint, const double *expected, int n)
{
  char text[400];
  double q[16], u[16];
  snprintf(text, sizeof text, JOINT("%s"), joint);
  lw_model *m = compile(text);
  lw_initial_state(m, q, u);
  const lw_joint_info j = lw_get_joint(m, lw_find_joint(m, "J"));
  assert_int_equal(j.nq, n);
  lwt_close(q + j.q, expected, n, 1e-15, 1, "%s", joint);
  lw_model_free(m);
}
#define EXPECT_Q(joint, ...)                                                                       \
  expect_q(joint, (const double[]){__VA_ARGS__},                                                   \
           (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

static void q_may_be_a_number_a_list_or_a_mapping(void **state)
{
  (void)state;
  const double h = sqrt(0.5);
  EXPECT_Q("type: revolute, q: 30 deg", acos(-1) / 6);
  EXPECT_Q("type: revolute, q: [0.5]", 0.5);
  EXPECT_Q("type: cylindrical, q: [0.5, 2]", 0.5, 2);
  EXPECT_Q("type: planar, q: [1, 2, 3]", 1, 2, 3);
  EXPECT_Q("type: spherical", 1, 0, 0, 0);
  EXPECT_Q("type: spherical, q: [0, 0, 3, 4]", 0, 0, 0.6, 0.8);
  EXPECT_Q("type: spherical, q: {quat: [0, 0, 3, 4]}", 0, 0, 0.6, 0.8);
  EXPECT_Q("type: spherical, q: {rpy: [pi/2, 0, 0]}", h, h, 0, 0);
  EXPECT_Q("type: spherical, q: {axis_angle: [0, 0, 5, 90 deg]}", h, 0, 0, h);
  EXPECT_Q("type: free", 0, 0, 0, 1, 0, 0, 0);
  EXPECT_Q("type: free, q: [1, 2, 3, 0, 0, 3, 4]", 1, 2, 3, 0, 0, 0.6, 0.8);
  EXPECT_Q("type: free, q: {at: [1, 2, 3]}", 1, 2, 3, 1, 0, 0, 0);
  EXPECT_Q("type: free, q: {at: [1, 2, 3], rpy: [pi/2, 0, 0]}", 1, 2, 3, h, h, 0, 0);
  EXPECT_Q("type: free, q: {quat: [2, 0, 0, 0]}", 0, 0, 0, 1, 0, 0, 0);
}

/* ---- constraints ---- */

static void every_constraint_type_has_its_keys(void **state)
{
  (void)state;
  /* some stand before the joints that they name */
  lw_spec *s = parse(TWO "joints:\n"
                         "  G: {type: gear, joints: [A, B.2], ratio: -3}\n"
                         "  A: {type: revolute, parent: ground, child: a}\n"
                         "  C: {type: coupler, joints: {A: 1, B.2: -3, B: k}, offset: 0.5}\n"
                         "  D: {type: driver, joint: B, dof: 2, value: \"0.3*sin(2*t)\"}\n"
                         "  E: {type: driver, value: 1, joint: A}\n"
                         "  B: {type: cylindrical, parent: a, child: b}\n"
                         "  L: {type: distance, parent: ground, child: b, at: [1, 0, 0], child_at: "
                         "[0, 1, 0], length: 2}\n"
                         "  P: {type: point_on_line, parent: a, child: b, axis: y}\n"
                         "  Q: {type: point_on_plane, parent: a, child: b}\n"
                         "  R: {type: parallel, parent: a, child: b, axis: [1, 1, 0]}\n"
                         "  S: {type: perpendicular, parent: a, child: b, axis: x, axis2: y}\n");
  static const lw_constraint_type types[] = {LW_GEAR,           LW_COUPLER,  LW_DRIVER,
                                             LW_DRIVER,         LW_DISTANCE, LW_POINT_ON_LINE,
                                             LW_POINT_ON_PLANE, LW_PARALLEL, LW_PERPENDICULAR};
#define D(i) s->constraints.item[i].d
  assert_int_equal(s->joints.n, 2);
  assert_int_equal(s->constraints.n, 9);
  for (int i = 0; i < 9; i++)
    assert_int_equal(D(i).type, types[i]);
  assert_int_equal(D(0).nterm, 2);
  assert_int_equal(D(0).terms[1].joint.id, 2);
  assert_int_equal(D(0).terms[1].dof, 2);
  EXPECT(&D(0).ratio, -3);
  assert_int_equal(D(1).nterm, 3);
  EXPECT(&D(1).terms[1].coefficient, -3);
  assert_string_equal(expr_text(s, D(1).terms[2].coefficient), "k");
  EXPECT(&D(1).offset, 0.5);
  assert_int_equal(D(2).nterm, 1);
  assert_int_equal(D(2).terms[0].dof, 2);
  assert_string_equal(expr_text(s, D(2).value), "0.3*sin(2*t)");
  assert_int_equal(D(3).terms[0].joint.id, 1);
  EXPECT(&D(4).length, 2);
  EXPECT(D(4).child_place.at, 0, 1, 0);
  EXPECT(D(5).axis, 0, 1, 0);
  EXPECT(D(8).axis2, 0, 1, 0);
#undef D
  lw_spec_free(s);
}

/* ---- forces ---- */

static void every_force_type_has_its_keys(void **state)
{
  (void)state;
  lw_spec *s =
      parse(CHAIN "forces:\n"
                  "  s: {type: spring, from: {body: ground, at: [1, 2, 3]}, to: {body: b}, "
                  "stiffness: 5, damping: 6, length: 7}\n"
                  "  j: {type: joint_spring, joint: B, dof: 2, stiffness: 1, damping: 2, rest: 3}\n"
                  "  m: {type: motor, joint: A, value: -2*u.A}\n"
                  "  f: {type: force, body: a, at: [0, 1, 0], force: [\"sin(t)\", 0, 1], torque: "
                  "[1, 2, 3], axes: body}\n"
                  "  g: {type: force, body: a, torque: [1, 2, 3], axes: ground}\n"
                  "  w: {type: bushing, parent: a, child: b, at: [1, 0, 0], orient: {rpy: [1, 0, "
                  "0]}, child_at: [2, 0, 0],\n"
                  "      stiffness: [1, 2, 3], damping: 4, angular_stiffness: 5, angular_damping: "
                  "[6, 7, 8]}\n");
  const lw_spring_desc *spring = &s->springs.item[0].d;
  assert_int_equal(spring->from.id, 0);
  assert_int_equal(spring->to.id, 2);
  EXPECT(spring->from_at, 1, 2, 3);
  EXPECT(spring->to_at, 0, 0, 0);
  EXPECT(&spring->stiffness, 5, 6, 7);
  const lw_joint_spring_desc *js = &s->joint_springs.item[0].d;
  assert_int_equal(js->joint.id, 2);
  assert_int_equal(js->dof, 2);
  EXPECT(&js->stiffness, 1, 2, 3);
  assert_string_equal(expr_text(s, s->motors.item[0].d.value), "-2*u.A");
  const lw_load_desc *load = &s->loads.item[0].d;
  assert_true(load->body_axes);
  assert_string_equal(expr_text(s, load->force[0]), "sin(t)");
  EXPECT(load->at, 0, 1, 0);
  EXPECT(load->torque, 1, 2, 3);
  assert_false(s->loads.item[1].d.body_axes);
  const lw_bushing_desc *w = &s->bushings.item[0].d;
  EXPECT(w->place.at, 1, 0, 0);
  EXPECT(w->child_place.at, 2, 0, 0);
  EXPECT(w->stiffness, 1, 2, 3);
  EXPECT(w->damping, 4, 4, 4);
  EXPECT(w->angular_stiffness, 5, 5, 5);
  EXPECT(w->angular_damping, 6, 7, 8);
  lw_spec_free(s);
}

/* ---- events and settings ---- */

static void every_event_is_understood(void **state)
{
  (void)state;
  lw_spec *s = parse(
      CHAIN
      "  G: {type: gear, joints: [A, B], ratio: 2}\n"
      "events:\n"
      "  - {name: latch, at: 0.5, lock: A}\n"
      "  - {at: 0, lock: {joint: B, dofs: [1, 2]}}\n"
      "  - {when: \"y.b - 1\", direction: falling, once: true, unlock: A}\n"
      "  - {at: 1, unlock: {joint: tip, dofs: [1]}}\n"
      "  - {at: 1, replace: {joint: A, type: cylindrical, axis: z}}\n"
      "  - at: 2*pi\n"
      "    connect: {name: tip, type: revolute, parent: ground, child: b, child_at: [0, -1, 0]}\n"
      "  - {at: 2, connect: {name: rope, type: distance, parent: ground, child: b, length: 2}}\n"
      "  - {at: 3, disconnect: tip}\n"
      "  - {at: 3, disconnect: G}\n"
      "  - {at: 3, impulse: {body: b, at: [0, 0, 0], linear: [1, 0, 0], angular: [0, 0, 1]}}\n"
      "  - {when: z.b, impact: {body: b, at: [0, 0, 0], other: a, normal: z, restitution: 0.5}}\n"
      "  - {at: 4, merge: {name: m, bodies: [a, b]}}\n"
      "  - {at: 5, split: m}\n"
      "  - {when: x.b, stop: true}\n");
  assert_int_equal(s->events.n, 14);
  assert_string_equal(s->events.item[0].d.name, "latch");
  EXPECT(&s->events.item[0].d.at, 0.5);
  assert_null(s->events.item[1].d.name);
  assert_string_equal(expr_text(s, s->events.item[2].d.when), "y.b - 1");
  assert_string_equal(expr_text(s, s->events.item[5].d.at), "2*pi");
  lw_spec_free(s);
}

static void the_simulation_is_kept_with_the_model(void **state)
{
  (void)state;
  lw_model *m =
      compile(HEAD "simulation: {end: 5, output_step: 1/2, formulation: tree, integrator: bdf,\n"
                   "  rtol: 1e-11, atol: 1e-12, step: 1e-3}\n");
  const lw_simulation_options o = lw_simulation_defaults(m);
  EXPECT(&o.end, 5, 0.5);
  EXPECT(&o.rtol, 1e-11, 1e-12);
  EXPECT(&o.step, 1e-3);
  assert_int_equal(o.formulation, LW_FORMULATION_TREE);
  assert_int_equal(o.integrator, LW_INTEGRATOR_BDF);
  lw_model_free(m);
}

static void sensitivities_are_checked(void **state)
{
  (void)state;
  lw_spec_free(parse(HEAD "parameters: {La: 1, Ma: 2}\nsensitivity: {parameters: [La, Ma],\n"
                          "  objectives: {h: {final: \"y.lower\"}, w: {integral: \"u.A^2\"}, x: "
                          "{max: t}, n: {min: 1}}}\n"));
}

/* ---- planar models ---- */

#define PLANAR HEAD "planar: true\n"

static void planar_vectors_have_two_numbers(void **state)
{
  (void)state;
  lw_spec *s = parse(
      PLANAR
      "gravity: [0, -1, 0]\n"
      "bodies:\n"
      "  a: {mass: 1, com: [1, 2], inertia: 3}\n"
      "  b: {mass: 1, com: [1, 2, 0], pose: {at: [3, 4], orient: 30 deg}, velocity: {linear: [1, "
      "2], angular: 5}}\n"
      "joints:\n"
      "  A: {type: revolute, parent: ground, child: a, at: [1, 2], orient: 0.5, child_at: [3, 4], "
      "child_orient: 1}\n"
      "forces:\n"
      "  f: {type: force, body: a, at: [1, 2], force: [3, 4], torque: 5}\n"
      "  w: {type: bushing, parent: ground, child: a, stiffness: [1, 2], angular_stiffness: 3}\n"
      "events:\n"
      "  - {at: 1, impulse: {body: a, linear: [1, 2], angular: 3}}\n");
  EXPECT(s->gravity, 0, -1, 0);
  EXPECT(s->bodies.item[0].d.com, 1, 2, 0);
  EXPECT(s->bodies.item[0].d.inertia, 0, 0, 3, 0, 0, 0);
  const lw_start *start = s->bodies.item[1].d.start;
  assert_int_equal(start->pose.orient.type, LW_ORIENT_RPY);
  assert_string_equal(expr_text(s, start->pose.orient.value[2]), "30 deg");
  EXPECT(start->pose.at, 3, 4, 0);
  EXPECT(start->linear, 1, 2, 0);
  EXPECT(start->angular, 0, 0, 5);
  const lw_joint_desc *j = &s->joints.item[0].d;
  EXPECT(j->place.at, 1, 2, 0);
  EXPECT(j->place.orient.value, 0, 0, 0.5);
  EXPECT(j->child_place.orient.value, 0, 0, 1);
  EXPECT(s->loads.item[0].d.force, 3, 4, 0);
  EXPECT(s->loads.item[0].d.torque, 0, 0, 5);
  EXPECT(s->bushings.item[0].d.stiffness, 1, 2, 0);
  EXPECT(s->bushings.item[0].d.angular_stiffness, 3, 3, 3);
  lw_spec_free(s);
}

/* docs/format.md 4.9: axis z, axis2 x, which the compiler fills in; 7.2: in the plane what is written stays */
static void axes_that_are_not_written_are_left_to_the_compiler(void **state)
{
  (void)state;
  lw_spec *s = parse("linkwork: 1\n"
                     "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints: {D: {type: perpendicular, parent: ground, child: a}}\n");
  EXPECT(s->constraints.item[0].d.axis, 0, 0, 0);
  EXPECT(s->constraints.item[0].d.axis2, 0, 0, 0);
  lw_spec_free(s);
  s = parse(PLANAR "bodies: {a: {mass: 1, inertia: 1}}\n"
                   "joints: {D: {type: perpendicular, parent: ground, child: a, axis2: [3, 4]}}\n");
  EXPECT(s->constraints.item[0].d.axis2, 3, 4, 0);
  lw_spec_free(s);
}

static void planar_axes_lie_in_the_plane(void **state)
{
  (void)state;
  lw_spec *s = parse(PLANAR "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
                            "joints:\n"
                            "  A: {type: prismatic, parent: ground, child: a, axis: [1, 2]}\n"
                            "  B: {type: free, parent: a, child: b, q: [1, 2, 3], u: [4, 5, 6]}\n"
                            "  C: {type: point_on_line, parent: ground, child: b}\n"
                            "  D: {type: perpendicular, parent: ground, child: b, axis: y}\n");
  EXPECT(s->joints.item[0].d.axis, 1, 2, 0);
  EXPECT(s->joints.item[1].d.q, 1, 2, 3, 0, 0, 0, 0);
  EXPECT(s->joints.item[1].d.u, 4, 5, 6, 0, 0, 0);
  EXPECT(s->constraints.item[0].d.axis, 1, 0, 0);
  EXPECT(s->constraints.item[1].d.axis, 0, 1, 0);
  EXPECT(s->constraints.item[1].d.axis2, 0, 1, 0);
  lw_spec_free(s);
}

static void a_planar_model_compiles_in_the_plane(void **state)
{
  (void)state;
  lw_model *m =
      compile(PLANAR "bodies: {a: {mass: 1, inertia: 1, pose: {at: [3, 4], orient: 0.5}}}\n");
  double g[3], q[3], u[3];
  assert_true(lw_model_is_planar(m));
  lw_gravity(m, g);
  EXPECT(g, 0, -9.81, 0);
  assert_int_equal(lw_nq(m), 3);
  lw_initial_state(m, q, u);
  lwt_close(q, (const double[]){3, 4, 0.5}, 3, 1e-15, 4, "q");
  lw_model_free(m);
}

static void texts_of_robots_are_read_with_options(void **state)
{
  (void)state;
  static const char robot[] =
      "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
  for (int floating = 0; floating < 2; floating++) {
    lw_error err;
    lw_spec *s = lw_spec_parse_with(robot, sizeof robot - 1, "r.urdf",
                                    &(lw_load_options){.floating_base = floating}, &err);
    lw_model *m = s ? lw_compile(s, &err) : NULL;
    assert_non_null(m);
    assert_int_equal(lw_nu(m), floating ? 6 : 0);
    lw_model_free(m);
    lw_spec_free(s);
  }
}

/* numbers are those of the parameters, points give the place, a mesh in the mirror is its image */
static void shapes_arrive_in_the_model(void **state)
{
  (void)state;
  lw_model *m = compile(
      HEAD "parameters: {L: 2}\nbodies: {a: {mass: 1}}\npoints: {p: {body: a, at: [L, 0, 1]}}\n"
           "shapes:\n  - {type: box, body: ground, size: [L, 1, 20 mm], color: [1, 0, 0.5]}\n"
           "  - {type: capsule, body: p, radius: 0.5, length: L/4, name: tip}\n"
           "mirror: {across: y, rename: {_l: _r}, bodies: {b_l: {mass: 1}}, shapes: [{type: mesh, "
           "body: b_l, file: x.stl, at: [1, 2, 3], scale: 0.1}]}\n");
  lw_shape_desc d;
  assert_int_equal(lw_nshape(m), 4);
  lwt_ok(lw_get_shape(m, 0, &d));
  assert_int_equal(d.body.id, 0);
  EXPECT(d.size, 2, 1, 0.02);
  EXPECT(d.color, 1, 0, 0.5, 1);
  lwt_ok(lw_get_shape(m, 1, &d));
  assert_string_equal(lw_shape_type_name(d.type), "capsule");
  assert_string_equal(d.name, "tip");
  assert_string_equal(lw_body_name(m, d.body), "a");
  EXPECT(d.place.at, 2, 0, 1);
  EXPECT(d.place.orient.value, 1, 0, 0, 0);
  EXPECT(&d.radius, 0.5, 0.5);
  lwt_ok(lw_get_shape(m, 2, &d));
  EXPECT(d.scale, 0.1, 0.1, 0.1);
  lwt_ok(lw_get_shape(m, 3, &d));
  assert_string_equal(lw_body_name(m, d.body), "b_r");
  assert_string_equal(d.file, "x.stl");
  EXPECT(d.place.at, 1, -2, 3);
  EXPECT(d.scale, 0.1, -0.1, 0.1);
  assert_int_equal(lw_get_shape(m, 4, &d), LW_E_ARG);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_least_model_is_empty),
      cmocka_unit_test(texts_of_robots_are_read_with_options),
      cmocka_unit_test(sections_may_be_empty_and_in_any_order),
      cmocka_unit_test(json_is_a_model_file_too),
      cmocka_unit_test(aliases_repeat_values),
      cmocka_unit_test(plain_numbers_are_decimal),
      cmocka_unit_test(everything_else_is_an_expression),
      cmocka_unit_test(numbers_do_not_depend_on_the_locale),
      cmocka_unit_test(expressions_know_their_place),
      cmocka_unit_test(parameters_have_values_and_limits),
      cmocka_unit_test(bodies_have_mass_com_and_inertia),
      cmocka_unit_test(every_solid_has_its_keys),
      cmocka_unit_test(a_floating_body_has_pose_and_velocity),
      cmocka_unit_test(every_joint_type_has_its_name),
      cmocka_unit_test(a_joint_has_frames_axes_and_flags),
      cmocka_unit_test(what_is_not_written_stays_default),
      cmocka_unit_test(q_may_be_a_number_a_list_or_a_mapping),
      cmocka_unit_test(every_constraint_type_has_its_keys),
      cmocka_unit_test(every_force_type_has_its_keys),
      cmocka_unit_test(every_event_is_understood),
      cmocka_unit_test(the_simulation_is_kept_with_the_model),
      cmocka_unit_test(sensitivities_are_checked),
      cmocka_unit_test(planar_vectors_have_two_numbers),
      cmocka_unit_test(axes_that_are_not_written_are_left_to_the_compiler),
      cmocka_unit_test(planar_axes_lie_in_the_plane),
      cmocka_unit_test(a_planar_model_compiles_in_the_plane),
      cmocka_unit_test(shapes_arrive_in_the_model),
  };
  return cmocka_run_group_tests_name("unit/model_reader", tests, NULL, NULL);
}
