/* SPDX-License-Identifier: Apache-2.0 */
/* Gimbals: they move bodies as spherical joints do, in the tree and where they close loops, count turns on the branch
   that was written, go straight through gimbal lock if the motion does, and name it where it stops them. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* orientation of the last body as a matrix, so that signs do not matter, and its origin */
static void pose_at(const lw_model *m, const double *q, const double *u, double out[12])
{
  lw_work *w = lw_work_new(m);
  lw_pose X;
  lwt_ok(lw_kinematics(w, q, u));
  lwt_ok(lw_get_pose(w, (lw_body){lw_nbody(m)}, &X));
  const double *e = X.quat;
  for (int i = 0; i < 9; i++)
    out[i] = 2 * e[1 + i / 3] * e[1 + i % 3];
  out[1] += 2 * e[0] * e[3], out[2] -= 2 * e[0] * e[2], out[5] += 2 * e[0] * e[1];
  memcpy(out + 9, X.p, 3 * sizeof *out);
  lw_work_free(w);
}

/* ---- as a spherical joint ---- */

#define BODIES                                                                                     \
  "linkwork: 1\nbodies:\n"                                                                         \
  "  a: {mass: 1, com: [0.2, 0.1, 0], inertia: [0.02, 0.05, 0.04]}\n"                              \
  "  b: {mass: 2, com: [0.3, 0, 0.1], inertia: [0.03, 0.06, 0.05, 0.01, 0, 0]}\n"                  \
  "simulation: {rtol: 1e-11, atol: 1e-12}\njoints:\n"

/* the same rotation and angular velocity, by angles and by a quaternion */
static const char *const as_gimbal[2] = {
    BODIES "  A: {type: universal, parent: ground, child: a, q: [0.2, 0.3], u: [1, 0]}\n"
           "  B: {type: gimbal, parent: a, child: b, at: [0.4, 0, 0], orient: {rpy: [1, 2, 3]}}\n",
    BODIES
    "  A: {type: universal, parent: ground, child: a, q: [0.2, 0.3], u: [1, 0]}\n"
    "  B: {type: gimbal, parent: b, child: a, child_at: [0.4, 0, 0], child_orient: {rpy: [1, "
    "2, 3]}, axis: [1, 2, 0], axis2: z, axis3: [0, 1, 0]}\n"};
static const char *const as_spherical[2] = {
    BODIES
    "  A: {type: universal, parent: ground, child: a, q: [0.2, 0.3], u: [1, 0]}\n"
    "  B: {type: spherical, parent: a, child: b, at: [0.4, 0, 0], orient: {rpy: [1, 2, 3]}}\n",
    BODIES "  A: {type: universal, parent: ground, child: a, q: [0.2, 0.3], u: [1, 0]}\n"
           "  B: {type: spherical, parent: b, child: a, child_at: [0.4, 0, 0], child_orient: {rpy: "
           "[1, 2, 3]}}\n"};

static void it_moves_bodies_as_a_spherical_joint_does(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++)
    for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
      lw_model *m[2] = {read_model(as_gimbal[k]), read_model(as_spherical[k])};
      double X[2][12];
      for (int i = 0; i < 2; i++) {
        double q[8], u[8];
        lw_simulation *sim = simulate(m[i], (lw_formulation)f);
        lwt_ok(lw_simulation_advance(sim, 0.35, q, u, NULL));
        pose_at(m[i], q, u, X[i]);
        lw_simulation_free(sim);
        lw_model_free(m[i]);
      }
      lwt_close(X[0], X[1], 12, 1e-8, 1, "formulation %d, model %d", f, k);
    }
}

/* a body between two ball joints; whether the second one is a gimbal does not matter to it */
#define LOOP(joint)                                                                                \
  BODIES "  A: {type: spherical, parent: ground, child: a, q: [1, 0, 0, 0], u: [3, -2, 1]}\n"      \
         "  B: {type: spherical, parent: ground, child: b, at: [0.7, 0.1, 0], q: {rpy: [0, 0, "    \
         "2]}}\n"                                                                                  \
         "  C: {parent: b, child: a, at: [0.5, 0, 0], child_at: [0.4, 0, 0], cut: true, " joint    \
         "}\n"

static void it_closes_loops_as_a_spherical_joint_does(void **state)
{
  (void)state;
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    double X[2][12];
    for (int i = 0; i < 2; i++) {
      lw_model *m = read_model(i ? LOOP("type: spherical") : LOOP("type: gimbal"));
      double q[16], u[16];
      lw_simulation *sim = simulate(m, (lw_formulation)f);
      lwt_ok(lw_simulation_advance(sim, 0.8, q, u, NULL));
      pose_at(m, q, u, X[i]);
      lw_simulation_free(sim);
      lw_model_free(m);
    }
    lwt_close(X[0], X[1], 12, 1e-7, 1, "formulation %d", f);
  }
}

/* ---- branches ---- */

static double *cut_gimbal(const lw_model *m, lw_simulation *sim, double t, double q[16])
{
  double u[16];
  lw_error err = {0};
  if (lw_simulation_advance(sim, t, q, u, &err) != LW_OK) fail_msg("%s", err.text);
  lw_simulation_cut_joints(sim, q, u);
  const lw_joint_info j = lw_get_joint(m, lw_find_joint(m, "C"));
  assert_true(j.cut);
  return q + j.q_all;
}

/* angles of a rotation come in two sets: (a, b, c) and (a + pi, pi - b, c + pi) with axes x, y, z */
static void the_written_angles_choose_the_branch(void **state)
{
  (void)state;
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    lw_model *m[2] = {read_model(LOOP("type: gimbal")),
                      read_model(LOOP("type: gimbal, q: [3.1, 3.2, 9.4]"))};
    lw_simulation *sim[2] = {simulate(m[0], (lw_formulation)f), simulate(m[1], (lw_formulation)f)};
    for (int i = 0; i <= 40; i++) {
      double q[2][16];
      const double *a = cut_gimbal(m[0], sim[0], 0.02 * i, q[0]);
      const double *b = cut_gimbal(m[1], sim[1], 0.02 * i, q[1]);
      const double other[3] = {a[0] + pi * round((b[0] - a[0]) / pi), pi - a[1],
                               a[2] + pi * round((b[2] - a[2]) / pi)};
      lwt_close(b, other, 3, 1e-6, 1, "formulation %d, row %d", f, i);
      assert_true(fmod(fabs(round((b[0] - a[0]) / pi)), 2) == 1);
    }
    for (int i = 0; i < 2; i++) {
      lw_simulation_free(sim[i]);
      lw_model_free(m[i]);
    }
  }
}

/* a body on a hinge, and a gimbal beside it whose middle axis is that of the hinge: every turn passes both locks */
#define BAR(name, l) "  " name ": {mass: 1, com: [" l "/2, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"

static void the_middle_angle_goes_straight_through_gimbal_lock(void **state)
{
  (void)state;
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    lw_model *m = read_model("linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n" BAR(
        "a", "0.3") "joints:\n"
                    "  A: {type: revolute, parent: ground, child: a, axis: y, u: 9}\n"
                    "  C: {type: gimbal, parent: ground, child: a, cut: true}\n");
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    for (int i = 0; i <= 30; i++) {
      double q[16];
      const double *c = cut_gimbal(m, sim, 0.1 * i, q);
      const double want[3] = {0, 0.9 * i, 0};
      lwt_close(c, want, 3, 1e-7, 1, "formulation %d, row %d", f, i);
    }
    lw_simulation_free(sim);
    lw_model_free(m);
  }
}

/* ---- gimbal lock by name ---- */

static void expect_lock(const char *text, const char *why)
{
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    lw_error err = {0};
    lw_model *m = read_model(text);
    lw_simulation *sim =
        lw_simulation_new(m, &(lw_simulation_options){.formulation = (lw_formulation)f}, &err);
    double q[16], u[16];
    for (int i = 1; i <= 20 && sim && err.text[0] == 0; i++)
      lw_simulation_advance(sim, 0.1 * i, q, u, &err);
    if (!strstr(err.text, why)) fail_msg("formulation %d: \"%s\"", f, err.text);
    assert_int_equal(err.line, 5);
    lw_simulation_free(sim);
    lw_model_free(m);
  }
}

#define ONE                                                                                        \
  "linkwork: 1\nbodies:\n  a: {mass: 1, com: [0.2, 0.1, 0], inertia: [0.02, 0.05, 0.04]}\n"        \
  "joints:\n  G: {type: gimbal, parent: ground, child: a, "

static void gimbal_lock_is_named(void **state)
{
  (void)state;
  expect_lock(ONE "q: [1, 90 deg, 2]}\n", "gimbal joint \"G\" is at gimbal lock: its first and "
                                          "third axes are parallel");
  expect_lock(ONE "axis: z, axis2: x, axis3: z}\n", "gimbal joint \"G\" is at gimbal lock: its "
                                                    "first and third axes are parallel");
  expect_lock(ONE "axis: [1, 1, 0], q: [1, 90 deg, 2]}\n", "gimbal joint \"G\" is at gimbal lock: "
                                                           "its three axes lie in one plane");
  /* skew axes cannot turn everywhere: the motion arrives at lock */
  expect_lock(ONE "axis: [1, 1, 0], u: [0, 4, 0.1]}\n", "gimbal joint \"G\"");
}

static void consecutive_axes_must_not_be_parallel(void **state)
{
  (void)state;
  const char *const text[2] = {ONE "axis: [0, 2, 0]}\n", ONE "axis3: -y}\n"};
  const char *const why[2] = {"axis and axis2 are parallel", "axis2 and axis3 are parallel"};
  for (int i = 0; i < 2; i++) {
    lw_error err = {0};
    assert_null(try_model(text[i], &err));
    if (!strstr(err.text, why[i])) fail_msg("%s", err.text);
    assert_int_equal(err.line, 5);
    assert_int_equal(err.column, 3);
  }
  lw_error err = {0};
  assert_null(try_model("linkwork: 1\nbodies:\n  a: {mass: 1}\njoints:\n"
                        "  U: {type: universal, parent: ground, child: a, axis3: z}\n",
                        &err));
  if (!strstr(err.text, "`axis3` is not a key of a universal joint")) fail_msg("%s", err.text);
}

/* ---- coordinates are rate pairs ---- */

/* gear, coupler, driver, motor and joint spring on single angles: all formulations say the same */
static void its_angles_may_be_driven_geared_and_sprung(void **state)
{
  (void)state;
  static const char text[] = BODIES
      "  A: {type: gimbal, parent: ground, child: a, q: [0.2, 0.3, 0.1], u: [1, 0, 0.5]}\n"
      "  B: {type: gimbal, parent: b, child: a, child_at: [0.4, 0, 0], q: [0.1, -0.4, 0.2]}\n"
      "  gear: {type: gear, joints: [A.3, B.1], ratio: -0.5}\n"
      "  coupler: {type: coupler, joints: {A.2: 1, B.2: 2}, offset: -0.5}\n"
      "  driver: {type: driver, joint: A, dof: 1, value: 0.2 + t - 0.3*t^2}\n"
      "forces:\n  s: {type: joint_spring, joint: B, dof: 3, stiffness: 3, damping: 0.1}\n"
      "  m: {type: motor, joint: A, dof: 2, value: 0.4*sin(3*t) - 0.2*u.B.2}\n";
  lw_model *m = read_model(text);
  double X[3][12];
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    double q[16], u[16];
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    lwt_ok(lw_simulation_advance(sim, 0.7, q, u, NULL));
    memcpy(X[f - 1], q, 6 * sizeof(double));
    memcpy(X[f - 1] + 6, u, 6 * sizeof(double));
    lwt_near(q[0], 0.2 + 0.7 - 0.3 * 0.49, 1e-8, "driven");
    lwt_near(q[1] + 2 * q[4], -0.5, 1e-8, "coupled");
    lwt_close(X[f - 1], X[0], 12, 1e-7, 5, "formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_moves_bodies_as_a_spherical_joint_does),
      cmocka_unit_test(it_closes_loops_as_a_spherical_joint_does),
      cmocka_unit_test(the_written_angles_choose_the_branch),
      cmocka_unit_test(the_middle_angle_goes_straight_through_gimbal_lock),
      cmocka_unit_test(gimbal_lock_is_named),
      cmocka_unit_test(consecutive_axes_must_not_be_parallel),
      cmocka_unit_test(its_angles_may_be_driven_geared_and_sprung),
  };
  return cmocka_run_group_tests_name("closed_form/gimbal", tests, NULL, NULL);
}
