/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints and closing joints of a spec: what the model keeps of them, and what is refused. */
#include "lwt.h"
#include "model/model.h"

#include <math.h>

/* a triangle of bodies a, b with joints A (ground - a), B (a - b), C (ground - b), of any types */
typedef struct {
  lw_spec *s;
  lw_body a, b;
} mechanism;

static mechanism triangle(bool planar, lw_joint_type B, lw_joint_type C)
{
  mechanism k = {.s = lw_spec_new()};
  if (planar) lw_set_planar(k.s);
  k.a = lw_add_body(k.s, &(lw_body_desc){.name = "a", .mass = 1, .inertia = {1, 1, 1}});
  k.b = lw_add_body(k.s, &(lw_body_desc){.name = "b", .mass = 1, .inertia = {1, 1, 1}});
  lw_add_joint(k.s, &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = k.a, .q = {0.5}});
  lw_add_joint(k.s, &(lw_joint_desc){.name = "B", .type = B, .parent = k.a, .child = k.b});
  lw_add_joint(k.s, &(lw_joint_desc){.name = "C",
                                     .type = C,
                                     .child = k.b,
                                     .cut = true,
                                     .place = {.at = {1, 2, planar ? 0 : 3}},
                                     .q = {7.5},
                                     .u = {-2},
                                     .has_q = true,
                                     .hold = true});
  return k;
}

static lw_model *compile(mechanism k)
{
  lw_error err;
  lw_model *m = lw_compile(k.s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(k.s);
  return m;
}

static void refuse(mechanism k, const char *text)
{
  lw_error err;
  lw_model *m = lw_compile(k.s, &err);
  if (m || !strstr(err.text, text)) fail_msg("\"%s\" instead of \"%s\"", m ? "" : err.text, text);
  lw_spec_free(k.s);
}

/* ---- kept ---- */

static void every_joint_keeps_its_frames_and_start(void **state)
{
  (void)state;
  lw_model *m = compile(triangle(false, LW_SPHERICAL, LW_CYLINDRICAL));
  const lwi_joint *j = &m->joint[3];
  assert_int_equal(m->ncut, 1); /* whichever it is, all joints are kept the same way */
  assert_true(j->has_q && !j->has_u && j->hold);
  assert_int_equal(j->equations.n, 4);
  assert_true(j->q[0] == 7.5 && j->u[0] == -2);
  assert_true(j->place.p[0] == 1 && j->place.p[1] == 2 && j->place.p[2] == 3);
  assert_true(j->child_place.p[0] == 0 && j->child_place.R.c[0][0] == 1);
  assert_int_equal(m->joint[1].equations.n, 5);
  assert_int_equal(m->joint[2].shape.nu, 3);
  lw_model_free(m);
}

static void constraints_keep_name_and_bodies(void **state)
{
  (void)state;
  mechanism k = triangle(false, LW_REVOLUTE, LW_SPHERICAL);
  lw_add_constraint(k.s, &(lw_constraint_desc){.name = "rod",
                                               .type = LW_DISTANCE,
                                               .parent = k.a,
                                               .child = k.b,
                                               .length = 2,
                                               .child_place = {.at = {0, 5, 0}}});
  lw_model *m = compile(k);
  const lw_constraint_info info = lw_get_constraint(m, (lw_constraint){1});
  assert_string_equal(info.name, "rod");
  assert_int_equal(info.type, LW_DISTANCE);
  assert_int_equal(info.parent.id, 1);
  assert_int_equal(info.child.id, 2);
  assert_int_equal(lw_get_constraint(m, (lw_constraint){2}).parent.id, -1);
  assert_int_equal(m->constraint[1].equations.n, 1);
  assert_true(m->constraint[1].equations.number == 2);
  assert_true(m->constraint[1].child_place.p[1] == 5);
  lw_model_free(m);
}

static void equations_are_fewer_in_the_plane(void **state)
{
  (void)state;
  const struct {
    lw_constraint_type type;
    int space, plane;
  } table[] = {{LW_DISTANCE, 1, 1},
               {LW_POINT_ON_LINE, 2, 1},
               {LW_POINT_ON_PLANE, 1, 1},
               {LW_PARALLEL, 2, 1},
               {LW_PERPENDICULAR, 1, 1}};
  for (int planar = 0; planar < 2; planar++)
    for (int i = 0; i < 5; i++) {
      mechanism k = triangle(planar, LW_REVOLUTE, LW_REVOLUTE);
      lw_add_constraint(
          k.s, &(lw_constraint_desc){
                   .name = "c", .type = table[i].type, .parent = k.a, .child = k.b, .length = 1});
      lw_model *m = compile(k);
      assert_int_equal(m->constraint[1].equations.n, planar ? table[i].plane : table[i].space);
      lw_model_free(m);
    }
}

/* docs/format.md 7.2: axis x, axis2 y, so that the start of the triangle is perpendicular */
static void planar_axes_have_their_own_defaults(void **state)
{
  (void)state;
  mechanism k = triangle(true, LW_REVOLUTE, LW_REVOLUTE);
  lw_add_constraint(k.s, &(lw_constraint_desc){
                             .name = "c", .type = LW_PERPENDICULAR, .parent = k.a, .child = k.b});
  lw_model *m = compile(k);
  const lwi_equations *e = &m->constraint[1].equations;
  assert_true(e->E.c[2][0] == 1 && e->b[1] == 1);
  lw_model_free(m);
}

/* the child turned by angle about x in its own tree joint: its z axis points along cos(angle) */
static double parallel_sense(double angle, bool reversed)
{
  lw_spec *s = lw_spec_new();
  const lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .mass = 1, .inertia = {1, 1, 1}});
  lw_joint_desc d = {.name = "A", .type = LW_REVOLUTE, .axis = {1, 0, 0}, .q = {angle}};
  if (reversed)
    d.parent = a;
  else
    d.child = a;
  lw_add_joint(s, &d);
  lw_add_constraint(s, &(lw_constraint_desc){.name = "p", .type = LW_PARALLEL, .child = a});
  lw_model *m = compile((mechanism){.s = s});
  const double sense = m->constraint[1].equations.b[2];
  lw_model_free(m);
  return sense;
}

static void parallel_keeps_the_sense_of_the_start(void **state)
{
  (void)state;
  for (int reversed = 0; reversed < 2; reversed++) {
    assert_true(parallel_sense(0.3, reversed) == 1);
    assert_true(parallel_sense(-1.5, reversed) == 1);
    assert_true(parallel_sense(3, reversed) == -1);
    assert_true(parallel_sense(1.6, reversed) == -1);
    assert_true(parallel_sense(6.2, reversed) == 1);
  }
}

/* ---- refused ---- */

static void wrong_numbers_of_geometric_constraints_are_refused(void **state)
{
  (void)state;
  const struct {
    bool planar;
    lw_constraint_desc d;
    const char *text;
  } table[] = {
      {false, {.type = LW_DISTANCE}, "constraint \"c\": length must be positive, not 0"},
      {false, {.type = LW_DISTANCE, .length = -1}, "length must be positive, not -1"},
      {true, {.type = LW_PARALLEL, .axis = {0, 0, 1}}, "axis must lie in the plane"},
      {true, {.type = LW_POINT_ON_LINE, .axis = {1, 0, 1}}, "axis must lie in the plane"},
      {true, {.type = LW_PERPENDICULAR, .axis2 = {0, 0, 1}}, "axis2 must lie in the plane"},
      {true, {.type = LW_DISTANCE, .length = 1, .place = {.at = {0, 0, 1}}}, "z must be 0"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    mechanism k = triangle(table[i].planar, LW_REVOLUTE, LW_REVOLUTE);
    lw_constraint_desc d = table[i].d;
    d.name = "c", d.parent = k.a, d.child = k.b;
    lw_add_constraint(k.s, &d);
    refuse(k, table[i].text);
  }
  mechanism k = triangle(false, LW_REVOLUTE, LW_REVOLUTE);
  lw_constraint_desc d = {.name = "c", .type = LW_DISTANCE, .parent = k.a, .child = k.b};
  d.length = lw_expr(k.s, "1/0");
  lw_add_constraint(k.s, &d);
  refuse(k, "length: division by zero");
}

static void relations_name_rate_pairs_only(void **state)
{
  (void)state;
  const struct {
    lw_constraint_type type;
    lw_term terms[2];
    int nterm;
    const char *text;
  } table[] = {
      {LW_DRIVER, {{.joint = {2}}}, 1, "the coordinates of joint \"B\" (spherical) take no driver"},
      {LW_GEAR, {{.joint = {1}}, {.joint = {2}, .dof = 2}}, 2, "(spherical) take no gear"},
      {LW_DRIVER, {{.joint = {3}}}, 1, "joint \"C\" (fixed) has 0 freedoms, there is no dof 1"},
      {LW_DRIVER,
       {{.joint = {1}, .dof = 2}},
       1,
       "joint \"A\" (revolute) has 1 freedom, there is no dof 2"},
      {LW_DRIVER, {{.joint = {1}, .dof = -1}}, 1, "there is no dof -1"},
      {LW_COUPLER, {{.joint = {1}}}, 1, "all coefficients are zero"},
      {LW_COUPLER, {{.joint = {1}}}, 0, "a coupler takes at least 1 joint, found 0"},
      {LW_GEAR, {{.joint = {1}}}, 1, "a gear takes 2 joints, found 1"},
      {LW_DRIVER, {{.joint = {1}}, {.joint = {1}}}, 2, "a driver takes 1 joint, found 2"},
      {LW_GEAR,
       {{.joint = {1}}, {.joint = {1}, .dof = 1}},
       2,
       "coordinate 1 of joint \"A\" appears twice"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    mechanism k = triangle(false, LW_SPHERICAL, LW_FIXED);
    lw_add_constraint(k.s, &(lw_constraint_desc){.name = "c",
                                                 .type = table[i].type,
                                                 .ratio = 1,
                                                 .terms = table[i].terms,
                                                 .nterm = table[i].nterm});
    refuse(k, table[i].text);
  }
}

static void drivers_are_expressions_of_time(void **state)
{
  (void)state;
  const struct {
    const char *value, *text;
  } table[] = {
      {"q.A", "constraint \"c\": value: \"q.A\" is not allowed here: t and parameters only"},
      {"t*speeed", "there is no parameter \"speeed\", did you mean \"speed\"?"},
      {"1/t", "value: its value at t = 0 is not finite"},
      {"sqrt(t)", "value: its rate at t = 0 is not finite"},
      {"t^1.5", "value: its acceleration at t = 0 is not finite"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    mechanism k = triangle(false, LW_REVOLUTE, LW_REVOLUTE);
    const lw_term term = {.joint = {1}};
    lw_add_parameter(k.s, &(lw_parameter_desc){.name = "speed", .value = 2});
    lw_constraint_desc d = {.name = "c", .type = LW_DRIVER, .terms = &term, .nterm = 1};
    d.value = lw_expr(k.s, table[i].value);
    lw_add_constraint(k.s, &d);
    refuse(k, table[i].text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_joint_keeps_its_frames_and_start),
      cmocka_unit_test(constraints_keep_name_and_bodies),
      cmocka_unit_test(equations_are_fewer_in_the_plane),
      cmocka_unit_test(planar_axes_have_their_own_defaults),
      cmocka_unit_test(parallel_keeps_the_sense_of_the_start),
      cmocka_unit_test(wrong_numbers_of_geometric_constraints_are_refused),
      cmocka_unit_test(relations_name_rate_pairs_only),
      cmocka_unit_test(drivers_are_expressions_of_time),
  };
  return cmocka_run_group_tests_name("unit/constraints_spec", tests, NULL, NULL);
}
