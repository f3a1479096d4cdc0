/* SPDX-License-Identifier: Apache-2.0 */
/* Every wrong call of a computing function gets its status: missing arguments, unknown handles, the
   wrong stage, numbers that are not finite, singular models.  What fails leaves its outputs alone. */
#include "lwt.h"
#include "linkwork/batch.h"
#include "linkwork/loops.h"
#include "linkwork/query.h"
#include "linkwork/realtime.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* a body b on a revolute joint j, and a floating body f */
typedef struct {
  lw_spec *s;
  lw_body b, f;
  lw_joint j;
} start;

static start start_new(void)
{
  start x = {.s = lw_spec_new()};
  x.b = lw_add_body(x.s, &(lw_body_desc){.name = "b", .mass = 1, .inertia = {0.1, 0.1, 0.1}});
  x.f = lw_add_body(x.s, &(lw_body_desc){.name = "f", .mass = 1, .inertia = {0.1, 0.1, 0.1}});
  x.j = lw_add_joint(x.s, &(lw_joint_desc){.name = "j", .type = LW_REVOLUTE, .child = x.b});
  return x;
}

/* ---- what cannot be solved ---- */

/* States side by side in lanes are for trees only; batches of loops go one by one. */
static void check_batch(lw_spec *s)
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  lw_work *w = lw_work_new(m);
  double q[20] = {0}, u[20] = {0}, x[20];
  lw_initial_state(m, q, u);
  lwt_ok(lw_forward_dynamics_n(w, 1, 0, q, u, NULL, x));
  lwt_ok(lw_inverse_dynamics_n(w, 1, 0, q, u, x, x));
  q[0] = (double)NAN;
  assert_int_equal(lw_forward_dynamics_n(w, 1, 0, q, u, NULL, x), LW_E_NUMBER);
  assert_true(isnan(x[0]));
  assert_int_equal(lw_set_loops(w, (lw_loops)7), LW_E_ARG);
  assert_int_equal(lw_set_loops(NULL, LW_LOOPS_CUT), LW_E_ARG);
  lw_work_free(w);
  lw_model_free(m);
}

static void batches_of_loops_refuse_only_what_is_no_number(void **state)
{
  (void)state;
  start x = start_new();
  lw_add_joint(x.s,
               &(lw_joint_desc){.name = "k", .type = LW_REVOLUTE, .parent = x.b, .child = x.f});
  lw_add_joint(x.s, &(lw_joint_desc){.name = "l", .type = LW_REVOLUTE, .child = x.f, .cut = true});
  check_batch(x.s);
  x = start_new();
  lw_add_constraint(x.s, &(lw_constraint_desc){.name = "rope",
                                               .type = LW_DISTANCE,
                                               .parent = x.b,
                                               .child = x.f,
                                               .place.at = {1, 0, 0},
                                               .length = 1});
  check_batch(x.s);
}

/* ---- computing functions ---- */

typedef struct {
  lwt_case c;
  lw_work *wide;
} bench;

static bench bench_new(void)
{
  const lwt_recipe r = {.seed = 8, .nbody = 4, .forces = true};
  bench b = {.c = lwt_case_new(&r)};
  b.wide = lw_work_new_batch(b.c.m);
  return b;
}

static void bench_free(bench *b)
{
  lw_work_free(b->wide);
  lwt_case_free(&b->c);
}

#define IS_ARG(call)                                                                               \
  do {                                                                                             \
    const lw_status status_ = (call);                                                              \
    if (status_ != LW_E_ARG) fail_msg("%s: %s", #call, lw_status_text(status_));                   \
  } while (0)
#define IS_STAGE(call)                                                                             \
  do {                                                                                             \
    const lw_status status_ = (call);                                                              \
    if (status_ != LW_E_STAGE) fail_msg("%s: %s", #call, lw_status_text(status_));                 \
  } while (0)

static void missing_arguments_are_refused(void **state)
{
  (void)state;
  bench b = bench_new();
  const lw_model *m = b.c.m;
  lw_work *w = b.c.w;
  const double *q = b.c.q, *u = b.c.u, *tau = b.c.tau;
  double *x = b.c.x, T, U, V[6], M[400], J[120], t = 0;
  const lw_body body = {1};
  const lw_joint joint = {1};
  lw_pose X;
  assert_true(b.c.nu <= 20);
  assert_int_equal(lw_work_size(NULL), 0);
  assert_null(lw_work_new(NULL));
  assert_null(lw_work_new_batch(NULL));
  assert_null(lw_work_init(NULL, M, sizeof M));
  assert_null(lw_work_init(m, NULL, 1000000));
  assert_int_equal(lw_work_lanes(NULL), 0);

  IS_ARG(lw_kinematics(NULL, q, u));
  IS_ARG(lw_kinematics(w, NULL, u));
  IS_ARG(lw_kinematics(w, q, NULL));
  lwt_ok(lw_forward_dynamics(w, 0, q, u, tau, x));
  lwt_ok(lw_joint_loads(w)); /* every stage is reached */
  IS_ARG(lw_accelerations(NULL, tau));
  IS_ARG(lw_get_pose(NULL, body, &X));
  IS_ARG(lw_get_pose(w, body, NULL));
  IS_ARG(lw_get_velocity(NULL, body, V));
  IS_ARG(lw_get_velocity(w, body, NULL));
  IS_ARG(lw_get_acceleration(NULL, body, V));
  IS_ARG(lw_get_acceleration(w, body, NULL));
  IS_ARG(lw_jacobian(NULL, body, V, J));
  IS_ARG(lw_jacobian(w, body, V, NULL));
  lwt_ok(lw_jacobian(w, body, NULL, J)); /* the origin */
  IS_ARG(lw_joint_loads(NULL));
  IS_ARG(lw_get_load(NULL, joint, V));
  IS_ARG(lw_get_load(w, joint, NULL));
  IS_ARG(lw_momentum(NULL, V));
  IS_ARG(lw_momentum(w, NULL));
  IS_ARG(lw_mass_center(NULL, &T, V));
  IS_ARG(lw_mass_center(w, NULL, V));
  IS_ARG(lw_mass_center(w, &T, NULL));

  IS_ARG(lw_forward_dynamics(NULL, 0, q, u, tau, x));
  IS_ARG(lw_forward_dynamics(w, 0, NULL, u, tau, x));
  IS_ARG(lw_forward_dynamics(w, 0, q, NULL, tau, x));
  IS_ARG(lw_forward_dynamics(w, 0, q, u, tau, NULL));
  IS_ARG(lw_inverse_dynamics(NULL, 0, q, u, tau, x));
  IS_ARG(lw_inverse_dynamics(w, 0, NULL, u, tau, x));
  IS_ARG(lw_inverse_dynamics(w, 0, q, NULL, tau, x));
  IS_ARG(lw_inverse_dynamics(w, 0, q, u, tau, NULL));
  IS_ARG(lw_bias(NULL, 0, q, u, x));
  IS_ARG(lw_bias(w, 0, NULL, u, x));
  IS_ARG(lw_bias(w, 0, q, NULL, x));
  IS_ARG(lw_bias(w, 0, q, u, NULL));
  IS_ARG(lw_mass_matrix(NULL, q, M));
  IS_ARG(lw_mass_matrix(w, NULL, M));
  IS_ARG(lw_mass_matrix(w, q, NULL));
  IS_ARG(lw_energy(NULL, q, u, &T, &U));
  IS_ARG(lw_energy(w, NULL, u, &T, &U));
  IS_ARG(lw_energy(w, q, NULL, &T, &U));
  IS_ARG(lw_energy(w, q, u, NULL, &U));
  IS_ARG(lw_energy(w, q, u, &T, NULL));

  IS_ARG(lw_forward_dynamics_n(NULL, 1, 0, q, u, tau, x));
  IS_ARG(lw_forward_dynamics_n(w, -1, 0, q, u, tau, x));
  IS_ARG(lw_forward_dynamics_n(w, 1, 0, NULL, u, tau, x));
  IS_ARG(lw_forward_dynamics_n(w, 1, 0, q, NULL, tau, x));
  IS_ARG(lw_forward_dynamics_n(w, 1, 0, q, u, tau, NULL));
  lwt_ok(lw_forward_dynamics_n(w, 0, 0, NULL, NULL, NULL, NULL)); /* no states: nothing to do */
  IS_ARG(lw_inverse_dynamics_n(NULL, 1, 0, q, u, tau, x));
  IS_ARG(lw_inverse_dynamics_n(w, -1, 0, q, u, tau, x));
  IS_ARG(lw_inverse_dynamics_n(w, 1, 0, NULL, u, tau, x));
  IS_ARG(lw_inverse_dynamics_n(w, 1, 0, q, NULL, tau, x));
  IS_ARG(lw_inverse_dynamics_n(w, 1, 0, q, u, tau, NULL));
  IS_ARG(lw_mass_matrix_n(NULL, 1, q, M));
  IS_ARG(lw_mass_matrix_n(w, -1, q, M));
  IS_ARG(lw_mass_matrix_n(w, 1, NULL, M));
  IS_ARG(lw_mass_matrix_n(w, 1, q, NULL));

  IS_ARG(lw_step(NULL, LW_INTEGRATOR_RK4, 0.1, tau, &t, b.c.q, b.c.u));
  IS_ARG(lw_step(w, LW_INTEGRATOR_BDF, 0.1, tau, &t, b.c.q, b.c.u));
  IS_ARG(lw_step(w, LW_INTEGRATOR_RK4, 0.1, tau, NULL, b.c.q, b.c.u));
  IS_ARG(lw_step(w, LW_INTEGRATOR_RK4, 0.1, tau, &t, NULL, b.c.u));
  IS_ARG(lw_step(w, LW_INTEGRATOR_RK4, 0.1, tau, &t, b.c.q, NULL));
  bench_free(&b);
}

/* a work of several lanes holds no single state to ask for */
static void a_batch_work_is_refused_by_single_functions(void **state)
{
  (void)state;
  bench b = bench_new();
  if (lw_work_lanes(b.wide) > 1) {
    double x[400], T, U, t = 0;
    IS_ARG(lw_kinematics(b.wide, b.c.q, b.c.u));
    IS_ARG(lw_forward_dynamics(b.wide, 0, b.c.q, b.c.u, NULL, x));
    IS_ARG(lw_inverse_dynamics(b.wide, 0, b.c.q, b.c.u, NULL, x));
    IS_ARG(lw_mass_matrix(b.wide, b.c.q, x));
    IS_ARG(lw_energy(b.wide, b.c.q, b.c.u, &T, &U));
    IS_ARG(lw_joint_loads(b.wide));
    IS_ARG(lw_get_load(b.wide, (lw_joint){1}, x));
    IS_ARG(lw_get_velocity(b.wide, (lw_body){1}, x));
    IS_ARG(lw_momentum(b.wide, x));
    IS_ARG(lw_step(b.wide, LW_INTEGRATOR_RK4, 0.1, NULL, &t, b.c.q, b.c.u));
  }
  bench_free(&b);
}

static void unknown_bodies_and_joints_are_refused(void **state)
{
  (void)state;
  bench b = bench_new();
  const lw_model *m = b.c.m;
  lw_work *w = b.c.w;
  const int bad[] = {-1, lw_nbody(m) + 1, INT32_MAX, INT32_MIN};
  double x[400];
  lw_pose X;
  lwt_ok(lw_forward_dynamics(w, 0, b.c.q, b.c.u, NULL, b.c.x));
  lwt_ok(lw_joint_loads(w));
  for (int i = 0; i < 4; i++) {
    const lw_body body = {bad[i]};
    const lw_joint joint = {bad[i]};
    IS_ARG(lw_get_pose(w, body, &X));
    IS_ARG(lw_get_velocity(w, body, x));
    IS_ARG(lw_get_acceleration(w, body, x));
    IS_ARG(lw_jacobian(w, body, NULL, x));
    IS_ARG(lw_get_load(w, joint, x));
    assert_int_equal(lw_get_joint(m, joint).parent.id, -1);
    lw_body_name(m, body);
    lw_body_mass(m, body);
    lw_body_joint(m, body);
    lw_body_parent(m, body);
  }
  IS_ARG(lw_get_load(w, (lw_joint){0}, x));
  assert_int_equal(lw_find_body(m, "nobody").id, -1);
  assert_int_equal(lw_find_body(m, NULL).id, -1);
  assert_int_equal(lw_find_body(m, "ground").id, 0);
  assert_int_equal(lw_find_joint(m, "nothing").id, -1);
  assert_int_equal(lw_find_joint(m, NULL).id, -1);
  bench_free(&b);
}

static void the_ground_can_be_asked_like_a_body(void **state)
{
  (void)state;
  bench b = bench_new();
  double V[6], zero[6] = {0};
  lw_pose X;
  lwt_ok(lw_forward_dynamics(b.c.w, 0, b.c.q, b.c.u, NULL, b.c.x));
  lwt_ok(lw_get_pose(b.c.w, (lw_body){0}, &X));
  lwt_close(X.p, zero, 3, 0, 1, "position");
  lwt_close(X.quat, (double[]){1, 0, 0, 0}, 4, 0, 1, "orientation");
  lwt_ok(lw_get_velocity(b.c.w, (lw_body){0}, V));
  lwt_close(V, zero, 6, 0, 1, "velocity");
  lwt_ok(lw_get_acceleration(b.c.w, (lw_body){0}, V));
  lwt_close(V, zero, 6, 0, 1, "acceleration");
  bench_free(&b);
}

static void results_come_after_the_call_that_computes_them(void **state)
{
  (void)state;
  bench b = bench_new();
  const lw_model *m = b.c.m;
  const lw_body body = {1};
  double V[6], J[120], mass, M[400];
  lw_pose X;
  lw_work *w = lw_work_new(m);
  IS_STAGE(lw_accelerations(w, b.c.tau));
  IS_STAGE(lw_get_pose(w, body, &X));
  IS_STAGE(lw_get_velocity(w, body, V));
  IS_STAGE(lw_jacobian(w, body, NULL, J));
  IS_STAGE(lw_momentum(w, V));
  IS_STAGE(lw_mass_center(w, &mass, V));
  IS_STAGE(lw_get_acceleration(w, body, V));
  IS_STAGE(lw_joint_loads(w));
  IS_STAGE(lw_get_load(w, (lw_joint){1}, V));
  lwt_ok(lw_kinematics(w, b.c.q, b.c.u));
  IS_STAGE(lw_get_acceleration(w, body, V));
  IS_STAGE(lw_joint_loads(w));
  lwt_ok(lw_accelerations(w, b.c.tau));
  lwt_ok(lw_get_acceleration(w, body, V));
  IS_STAGE(lw_joint_loads(w)); /* forces are not known */
  lwt_ok(lw_forward_dynamics(w, 0, b.c.q, b.c.u, b.c.tau, b.c.x));
  IS_STAGE(lw_get_load(w, (lw_joint){1}, V));
  lwt_ok(lw_joint_loads(w));
  lwt_ok(lw_get_load(w, (lw_joint){1}, V));
  lwt_ok(lw_mass_matrix(w, b.c.q, M)); /* leaves nothing behind */
  IS_STAGE(lw_get_pose(w, body, &X));
  IS_STAGE(lw_get_load(w, (lw_joint){1}, V));
  lwt_ok(lw_kinematics(w, b.c.q, b.c.u));
  b.c.q[0] = (double)NAN;
  assert_int_equal(lw_forward_dynamics(w, 0, b.c.q, b.c.u, b.c.tau, b.c.x), LW_E_NUMBER);
  IS_STAGE(lw_get_pose(w, body, &X)); /* a failed call leaves nothing behind either */
  lw_work_free(w);
  bench_free(&b);
}

static void numbers_that_are_not_finite_leave_outputs_alone(void **state)
{
  (void)state;
  bench b = bench_new();
  lw_work *w = b.c.w;
  double was, *inputs[3] = {b.c.q, b.c.u, b.c.tau};
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (int k = 0; k < 9; k++) {
    double *x = inputs[k / 3], T = 7, U = 7, t = 0;
    was = x[0];
    x[0] = bad[k % 3];
    for (int i = 0; i < b.c.nu; i++)
      b.c.x[i] = b.c.udot[i] = 7;
    assert_int_equal(lw_forward_dynamics(w, 0, b.c.q, b.c.u, b.c.tau, b.c.udot), LW_E_NUMBER);
    if (k / 3 < 2) { /* tau is no input of these */
      assert_int_equal(lw_inverse_dynamics(w, 0, b.c.q, b.c.u, NULL, b.c.x), LW_E_NUMBER);
      assert_int_equal(lw_kinematics(w, b.c.q, b.c.u), LW_E_NUMBER);
      assert_int_equal(lw_energy(w, b.c.q, b.c.u, &T, &U), LW_E_NUMBER);
    }
    assert_int_equal(lw_step(w, LW_INTEGRATOR_RK4, 0.1, b.c.tau, &t, b.c.q, b.c.u), LW_E_NUMBER);
    for (int i = 0; i < b.c.nu; i++)
      assert_true(b.c.x[i] == 7 && b.c.udot[i] == 7);
    assert_true(T == 7 && U == 7 && t == 0);
    x[0] = was;
  }
  assert_int_equal(lw_forward_dynamics(w, (double)NAN, b.c.q, b.c.u, NULL, b.c.udot), LW_E_NUMBER);
  bench_free(&b);
}

/* an expression that cannot be evaluated at some state */
static void a_force_that_is_not_finite_is_a_number_error(void **state)
{
  (void)state;
  start x = start_new();
  lw_add_motor(x.s, &(lw_motor_desc){.name = "s", .joint = x.j, .value = lw_expr(x.s, "1/q.j")});
  lw_error err;
  lw_model *m = lw_compile(x.s, &err);
  lw_spec_free(x.s);
  assert_non_null(m);
  lw_work *w = lw_work_new(m);
  double q[8], u[7], udot[7] = {7};
  lw_initial_state(m, q, u);
  assert_int_equal(lw_forward_dynamics(w, 0, q, u, NULL, udot), LW_E_NUMBER);
  assert_true(udot[0] == 7);
  q[0] = 1;
  lwt_ok(lw_forward_dynamics(w, 0, q, u, NULL, udot));
  lw_work_free(w);
  lw_model_free(m);
}

static void a_singular_mass_matrix_is_said_to_be_one(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  const lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .mass = 1});
  lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_REVOLUTE, .child = a});
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  assert_non_null(m);
  lw_work *w = lw_work_new(m);
  double q[1] = {0}, u[1] = {0}, udot[1] = {7};
  assert_int_equal(lw_forward_dynamics(w, 0, q, u, NULL, udot), LW_E_SINGULAR);
  assert_true(udot[0] == 7);
  lw_work_free(w);
  lw_model_free(m);
}

static void an_empty_model_has_nothing_to_compute(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  lw_work *w = lw_work_new(m);
  double T, U, h[6], mass, p[3], t = 0;
  assert_int_equal(lw_nq(m) + lw_nu(m) + lw_nbody(m) + lw_njoint(m) + lw_dof_of_tree(m), 0);
  lwt_ok(lw_forward_dynamics(w, 0, NULL, NULL, NULL, NULL));
  lwt_ok(lw_joint_loads(w));
  lwt_ok(lw_inverse_dynamics(w, 0, NULL, NULL, NULL, NULL));
  lwt_ok(lw_mass_matrix(w, NULL, NULL));
  lwt_ok(lw_energy(w, NULL, NULL, &T, &U));
  lwt_ok(lw_momentum(w, h));
  lwt_ok(lw_mass_center(w, &mass, p));
  lwt_ok(lw_step(w, LW_INTEGRATOR_RK4, 0.1, NULL, &t, NULL, NULL));
  assert_true(T == 0 && U == 0 && mass == 0);
  lw_work_free(w);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_of_loops_refuse_only_what_is_no_number),
      cmocka_unit_test(missing_arguments_are_refused),
      cmocka_unit_test(a_batch_work_is_refused_by_single_functions),
      cmocka_unit_test(unknown_bodies_and_joints_are_refused),
      cmocka_unit_test(the_ground_can_be_asked_like_a_body),
      cmocka_unit_test(results_come_after_the_call_that_computes_them),
      cmocka_unit_test(numbers_that_are_not_finite_leave_outputs_alone),
      cmocka_unit_test(a_force_that_is_not_finite_is_a_number_error),
      cmocka_unit_test(a_singular_mass_matrix_is_said_to_be_one),
      cmocka_unit_test(an_empty_model_has_nothing_to_compute),
  };
  return cmocka_run_group_tests_name("failure/call_errors", tests, NULL, NULL);
}
