/* SPDX-License-Identifier: Apache-2.0 */
/* Closing loops: what is held stays, what is driven is imposed, what cannot be closed is named. */
#include "lwt.h"

#include "linkwork/file.h"
#include "linkwork/linkwork.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a planar four-bar: crank 1, coupler 2, rocker 2, ground g ---- */

typedef struct {
  double ground;
  lw_joint_desc A, B, C, D; /* q, u, hold, cut of each */
  const lw_constraint_desc *more;
} four_bar;

static lw_model *build(const four_bar *f)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -9.81, 0);
  const double length[3] = {1, 2, 2};
  const char *const bodies[3] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++)
    lw_add_body(s, &(lw_body_desc){.name = bodies[i],
                                   .solid = {.type = LW_SOLID_ROD,
                                             .mass = 1 + i,
                                             .length = length[i],
                                             .axis = {0, -1, 0}}});
  lw_joint_desc j[4] = {f->A, f->B, f->C, f->D};
  const char *const names[4] = {"A", "B", "C", "D"};
  const int parent[4] = {0, 1, 0, 2}, child[4] = {1, 2, 3, 3};
  for (int i = 0; i < 4; i++) {
    j[i].name = names[i];
    j[i].type = LW_REVOLUTE;
    j[i].parent.id = parent[i];
    j[i].child.id = child[i];
  }
  j[1].place.at[1] = -1;
  j[2].place.at[0] = f->ground;
  j[3].place.at[1] = -2;
  j[3].child_place.at[1] = -2;
  for (int i = 0; i < 4; i++)
    lw_add_joint(s, &j[i]);
  if (f->more) lw_add_constraint(s, f->more);
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  return m;
}

typedef struct {
  lw_model *m;
  lw_work *w;
  lw_status status;
  lw_error err;
  double q[20], u[20]; /* of all joints */
} assembled;

static assembled assemble(const four_bar *f)
{
  assembled a = {.m = build(f)};
  a.w = lw_work_new(a.m);
  lw_initial_state(a.m, a.q, a.u);
  a.status = lw_close_loops(a.w, 0, a.q, a.u, &a.err);
  if (a.status == LW_OK) {
    lwt_ok(lw_kinematics(a.w, a.q, a.u));
    lwt_ok(lw_get_cut_joints(a.w, a.q, a.u, NULL));
  }
  return a;
}

static void done(assembled *a)
{
  lw_work_free(a->w);
  lw_model_free(a->m);
}

static double q_of(const assembled *a, const char *joint)
{
  return a->q[lw_get_joint(a->m, lw_find_joint(a->m, joint)).q_all];
}
static double u_of(const assembled *a, const char *joint)
{
  return a->u[lw_get_joint(a->m, lw_find_joint(a->m, joint)).u_all];
}

static void check_closed(assembled *a, const char *what)
{
  double drift;
  assert_string_equal(a->err.text, "");
  lwt_ok(lw_drift(a->w, 0, a->q, &drift));
  lwt_near(drift, 0, 1e-12, "%s", what);
}

static const double deg = 3.14159265358979323846 / 180;

static void a_rough_guess_is_closed_and_what_is_held_stays(void **state)
{
  (void)state;
  for (int k = 0; k < 12; k++) {
    const double angle = (30 + 25 * k) * deg;
    assembled a = assemble(&(four_bar){.ground = 1,
                                       .A = {.q = {angle}, .u = {1.5}, .hold = true},
                                       .C = {.q = {40 * deg}, .has_q = true}});
    check_closed(&a, "drift");
    assert_true(q_of(&a, "A") == angle);
    assert_true(u_of(&a, "A") == 1.5);
    done(&a);
  }
}

static void a_joint_that_closes_the_loop_can_be_held(void **state)
{
  (void)state;
  assembled a = assemble(&(four_bar){.ground = 1,
                                     .A = {.q = {30 * deg}, .has_q = true},
                                     .D = {.q = {-0.6}, .u = {0.3}, .hold = true, .cut = true}});
  check_closed(&a, "drift");
  lwt_near(q_of(&a, "D"), -0.6, 1e-12, "q.D");
  lwt_near(u_of(&a, "D"), 0.3, 1e-12, "u.D");
  done(&a);
}

static void consistent_files_are_not_changed(void **state)
{
  (void)state;
  assembled first = assemble(&(four_bar){.ground = 1, .A = {.q = {0.5}, .u = {1}, .hold = true}});
  four_bar again = {.ground = 1};
  lw_joint_desc *j[4] = {&again.A, &again.B, &again.C, &again.D};
  const char *const names[4] = {"A", "B", "C", "D"};
  for (int i = 0; i < 4; i++) {
    *j[i] = (lw_joint_desc){
        .q = {q_of(&first, names[i])}, .u = {u_of(&first, names[i])}, .has_q = true, .has_u = true};
  }
  assembled second = assemble(&again);
  check_closed(&second, "drift");
  for (int i = 0; i < 4; i++) {
    lwt_near(q_of(&second, names[i]), q_of(&first, names[i]), 1e-12, "q.%s", names[i]);
    lwt_near(u_of(&second, names[i]), u_of(&first, names[i]), 1e-12, "u.%s", names[i]);
  }
  done(&first);
  done(&second);
}

/* A slider-crank, crank 1, rod 2, of whose joints the three hinges are written: the slider, which is in the tree,
   starts where they say, and as fast. */
static void what_is_not_written_follows_from_what_is(void **state)
{
  (void)state;
  const double angle = 0.7, tilt = asin(sin(angle) / 2), rate = cos(angle) / (2 * cos(tilt));
  char text[1024];
  lw_error err = {0};
  snprintf(text, sizeof text,
           "linkwork: 1\n"
           "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, "
           "c: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints:\n"
           "  A: {type: revolute, parent: ground, child: a, q: %.17g, u: 1}\n"
           "  B: {type: revolute, parent: a, child: b, at: [0, 1, 0], q: %.17g, u: %.17g}\n"
           "  S: {type: prismatic, parent: ground, child: c, axis: [0, 1, 0]}\n"
           "  C: {type: revolute, parent: b, child: c, at: [0, 2, 0], q: %.17g, u: %.17g, cut: "
           "true}\n",
           angle, -angle - tilt, -1 - rate, tilt, rate);
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  assembled x = {.m = s ? lw_compile(s, &err) : NULL};
  if (!x.m) fail_msg("%s", err.text);
  lw_initial_state(x.m, x.q, x.u);
  assert_false(lw_get_joint(x.m, lw_find_joint(x.m, "S")).cut);
  lwt_near(q_of(&x, "S"), cos(angle) + 2 * cos(tilt), 1e-12, "q.S");
  lwt_near(u_of(&x, "S"), -sin(angle) - 2 * sin(tilt) * rate, 1e-12, "u.S");
  lw_spec_free(s);
  done(&x);
}

static void angles_start_on_the_written_turn(void **state)
{
  (void)state;
  const double turn = 360 * deg;
  assembled near = assemble(&(four_bar){.ground = 1, .A = {.q = {0.5}, .hold = true}});
  assembled far = assemble(&(four_bar){
      .ground = 1, .A = {.q = {0.5}, .hold = true}, .D = {.q = {2 * turn}, .cut = true}});
  lwt_near(q_of(&far, "D"), q_of(&near, "D") + 2 * turn, 1e-11, "q.D two turns later");
  done(&near);
  done(&far);
}

static void a_loop_that_cannot_close_is_named_with_its_gap(void **state)
{
  (void)state;
  assembled a = assemble(&(four_bar){.ground = 6, .A = {.q = {0.5}}});
  assert_int_equal(a.status, LW_E_NOT_CONVERGED);
  assert_non_null(strstr(a.err.text, "\"D\""));
  assert_non_null(strstr(a.err.text, "gap of 1 m")); /* 6 - 1 - 2 - 2 */
  assert_true(a.q[0] == 0.5);
  done(&a);
}

static void held_coordinates_that_contradict_each_other_are_an_error(void **state)
{
  (void)state;
  assembled a = assemble(
      &(four_bar){.ground = 1, .A = {.q = {0.5}, .hold = true}, .C = {.q = {-2}, .hold = true}});
  assert_int_equal(a.status, LW_E_NOT_CONVERGED);
  done(&a);
}

static void speeds_are_the_nearest_in_kinetic_energy(void **state)
{
  (void)state;
  assembled a = assemble(&(four_bar){.ground = 1,
                                     .A = {.q = {0.5}, .u = {1}},
                                     .B = {.q = {0.8}, .u = {-0.4}},
                                     .C = {.q = {0.8}, .u = {0.9}}});
  check_closed(&a, "drift");
  /* the change is orthogonal, in the metric of M, to the one motion that is possible: udot of two
     different loads differ by such a motion */
  double M[9], udot[2][3], tau[3] = {0}, work = 0, size = 0;
  lwt_ok(lw_mass_matrix(a.w, a.q, M));
  lwt_ok(lw_forward_dynamics(a.w, 0, a.q, a.u, tau, udot[0]));
  tau[0] = 10;
  lwt_ok(lw_forward_dynamics(a.w, 0, a.q, a.u, tau, udot[1]));
  const double written[3] = {1, -0.4, 0.9};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      work += (udot[1][i] - udot[0][i]) * M[3 * i + k] * (a.u[k] - written[k]);
      size += fabs((udot[1][i] - udot[0][i]) * M[3 * i + k] * (a.u[k] - written[k]));
    }
  assert_true(size > 1e-3);
  lwt_near(work / size, 0, 1e-10, "orthogonality");
  done(&a);
}

static void a_driver_imposes_its_value_and_rate(void **state)
{
  (void)state;
  const lw_term term = {.joint = {1}};
  const lw_constraint_desc driver = {
      .name = "drive", .type = LW_DRIVER, .terms = &term, .nterm = 1, .value = 0.8};
  assembled a = assemble(&(four_bar){.ground = 1, .A = {.q = {0.1}, .u = {3}}, .more = &driver});
  int dof, redundant;
  check_closed(&a, "drift");
  lwt_near(q_of(&a, "A"), 0.8, 1e-13, "q.A");
  lwt_near(u_of(&a, "A"), 0, 1e-13, "u.A");
  lwt_ok(lw_dof(a.w, a.q, &dof, &redundant));
  assert_int_equal(dof, 0);
  assert_int_equal(redundant, 3);
  done(&a);
}

static void a_gear_keeps_the_difference_of_the_start(void **state)
{
  (void)state;
  const lw_term terms[2] = {{.joint = {1}}, {.joint = {4}}}; /* u.D = 0.5 u.A: no motion at all */
  const lw_constraint_desc gear = {
      .name = "gear", .type = LW_GEAR, .terms = terms, .nterm = 2, .ratio = 0.5};
  assembled a = assemble(&(four_bar){.ground = 1, .A = {.q = {0.5}, .hold = true}, .more = &gear});
  check_closed(&a, "drift");
  assert_true(q_of(&a, "A") == 0.5);
  done(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rough_guess_is_closed_and_what_is_held_stays),
      cmocka_unit_test(a_joint_that_closes_the_loop_can_be_held),
      cmocka_unit_test(consistent_files_are_not_changed),
      cmocka_unit_test(what_is_not_written_follows_from_what_is),
      cmocka_unit_test(angles_start_on_the_written_turn),
      cmocka_unit_test(a_loop_that_cannot_close_is_named_with_its_gap),
      cmocka_unit_test(held_coordinates_that_contradict_each_other_are_an_error),
      cmocka_unit_test(speeds_are_the_nearest_in_kinetic_energy),
      cmocka_unit_test(a_driver_imposes_its_value_and_rate),
      cmocka_unit_test(a_gear_keeps_the_difference_of_the_start),
  };
  return cmocka_run_group_tests_name("unit/assemble", tests, NULL, NULL);
}
