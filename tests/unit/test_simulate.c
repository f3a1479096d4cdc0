/* SPDX-License-Identifier: Apache-2.0 */
/* lw_simulation: options, output times, stops and failures, and lw_mass_determinant. */
#include "model_texts.h"

#include "linkwork/simulate.h"
#include "linkwork/columns.h"
#include "linkwork/quantities.h"
#include "linkwork/realtime.h"
#include "linkwork/events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lw_spec *pendulum_spec(void)
{
  lw_spec *s = lw_spec_new();
  lw_body b = lw_add_body(s, &(lw_body_desc){.name = "bob", .mass = 2, .com = {0.5}});
  lw_add_joint(s, &(lw_joint_desc){
                      .name = "A", .type = LW_REVOLUTE, .child = b, .axis = {0, 1, 0}, .q = {0.3}});
  return s;
}

static lw_model *pendulum(void)
{
  return compile_model(pendulum_spec());
}

/* ---- options ---- */

static void options_left_zero_come_from_the_model_then_from_the_defaults(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = pendulum_spec();
  lw_set_simulation(s, &(lw_simulation_options){.end = 4, .rtol = 1e-6});
  lw_model *m = compile_model(s);
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.rtol = 1e-9}, &err);
  const lw_simulation_options o = lw_simulation_used(sim);
  lwt_near(o.end, 4, 0, "end");
  lwt_near(o.output_step, 0.04, 0, "output_step");
  lwt_near(o.rtol, 1e-9, 0, "rtol");
  lwt_near(o.atol, 1e-11, 1e-26, "atol");
  assert_int_equal(o.formulation, LW_FORMULATION_TREE);
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void expect_refusal(const lw_model *m, lw_simulation_options o, lw_status status,
                           const char *part)
{
  lw_error err = {0};
  assert_null(lw_simulation_new(m, &o, &err));
  assert_int_equal(err.status, status);
  if (!strstr(err.text, part)) fail_msg("\"%s\" does not contain \"%s\"", err.text, part);
  assert_null(lw_simulation_new(m, &o, NULL)); /* nobody wants to know why */
}

static void options_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  lw_model *m = pendulum();
  const double nan = strtod("nan", NULL);
  expect_refusal(m, (lw_simulation_options){.end = -1}, LW_E_ARG, "end");
  expect_refusal(m, (lw_simulation_options){.end = nan}, LW_E_ARG, "end");
  expect_refusal(m, (lw_simulation_options){.end = HUGE_VAL}, LW_E_ARG, "end");
  expect_refusal(m, (lw_simulation_options){.output_step = -0.1}, LW_E_ARG, "output_step");
  expect_refusal(m, (lw_simulation_options){.output_step = 1e-10}, LW_E_ARG, "rows");
  expect_refusal(m, (lw_simulation_options){.rtol = 1e-16}, LW_E_ARG, "rtol");
  expect_refusal(m, (lw_simulation_options){.rtol = nan}, LW_E_ARG, "rtol");
  expect_refusal(m, (lw_simulation_options){.atol = -1}, LW_E_ARG, "atol");
  expect_refusal(m, (lw_simulation_options){.step = -1}, LW_E_ARG, "step");
  expect_refusal(m, (lw_simulation_options){.integrator = (lw_integrator)17}, LW_E_ARG,
                 "integrator");
  expect_refusal(m, (lw_simulation_options){.threads = -1}, LW_E_ARG, "threads");
  expect_refusal(m, (lw_simulation_options){.threads = 1025}, LW_E_ARG, "threads");
  lw_model_free(m);
}

static void what_is_not_there_yet_is_said_clearly(void **state)
{
  (void)state;
  lw_model *m = pendulum();
  expect_refusal(m, (lw_simulation_options){.formulation = LW_FORMULATION_CARTESIAN, .solver = "x"},
                 LW_E_ARG, "solver");
  lw_model_free(m);
}

/* ---- output times ---- */

static void check_times(double end, double output_step, long rows, double last_but_one)
{
  lw_error err;
  lw_model *m = pendulum();
  lw_simulation *sim =
      lw_simulation_new(m, &(lw_simulation_options){.end = end, .output_step = output_step}, &err);
  assert_int_equal(lw_simulation_rows(sim), rows);
  lwt_near(lw_simulation_row_time(sim, 0), 0, 0, "first");
  lwt_near(lw_simulation_row_time(sim, rows - 2), last_but_one, 1e-15, "last but one");
  lwt_near(lw_simulation_row_time(sim, rows - 1), end, 0, "last");
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void rows_are_at_multiples_of_the_output_step_and_at_the_end(void **state)
{
  (void)state;
  check_times(1, 0.3, 5, 0.9);
  check_times(1, 0.1, 11, 0.9);
  check_times(0.3, 0.1, 4, 0.2);
  check_times(1, 5, 2, 0);
  check_times(2.1, 0.7, 4, 1.4);
}

/* ---- going on, stopping, failing ---- */

static int stop_at_a_half(void *context, double t)
{
  ++*(int *)context;
  return t > 0.5;
}

static void a_watcher_sees_every_step_and_may_stop(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = pendulum();
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  double q = 7, u = 7;
  int calls = 0;
  lw_simulation_watch(sim, stop_at_a_half, &calls);
  assert_int_equal(lw_simulation_advance(sim, 1, &q, &u, &err), LW_E_STOPPED);
  assert_int_equal(calls, lw_simulation_report(sim).steps);
  lwt_near(q, 7, 0, "untouched");

  lw_simulation_watch(sim, NULL, NULL);
  lwt_ok(lw_simulation_advance(sim, 1, &q, &u, &err)); /* as if nothing had happened */
  lw_simulation *other = lw_simulation_new(m, NULL, &err);
  double expected, v;
  lwt_ok(lw_simulation_advance(other, 1, &expected, &v, &err));
  lwt_near(q, expected, 0, "q");
  lw_simulation_free(sim);
  lw_simulation_free(other);
  lw_model_free(m);
}

static void time_goes_forward_and_beyond_the_end_if_asked(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = pendulum();
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.end = 1}, &err);
  double q, u;
  lwt_ok(lw_simulation_advance(sim, 3.5, &q, &u, &err));
  lwt_ok(lw_simulation_advance(sim, 3.5, &q, &u, &err));
  assert_int_equal(lw_simulation_advance(sim, 3.4, &q, &u, &err), LW_E_ARG);
  assert_non_null(strstr(err.text, "forward"));
  assert_int_equal(lw_simulation_advance(sim, strtod("nan", NULL), &q, &u, &err), LW_E_ARG);
  lwt_ok(lw_simulation_start(sim, -2, &q, &u, &err));
  lwt_ok(lw_simulation_advance(sim, -1, &q, &u, &err));
  lw_simulation_free(sim);
  lw_model_free(m);
}

/* A force that is a number until t = 0.73 only. */
static lw_model *doomed(void)
{
  lw_spec *s = pendulum_spec();
  lw_add_motor(s,
               &(lw_motor_desc){.name = "M", .joint = {1}, .value = lw_expr(s, "sqrt(0.73 - t)")});
  return compile_model(s);
}

static void a_failure_says_how_far_it_came_and_why(void **state)
{
  (void)state;
  lw_model *m = doomed();
  for (int i = LW_INTEGRATOR_RK; i <= LW_INTEGRATOR_EULER; i++) {
    lw_error err = {0};
    double q = 7, u = 7;
    lw_simulation *sim =
        lw_simulation_new(m, &(lw_simulation_options){.integrator = (lw_integrator)i}, &err);
    assert_int_equal(lw_simulation_advance(sim, 1, &q, &u, &err), LW_E_NUMBER);
    if (!strstr(err.text, "the integration stopped at t = 0.7")) fail_msg("%d: %s", i, err.text);
    assert_non_null(strstr(err.text, "not finite"));
    lwt_near(q, 7, 0, "untouched");
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

static void the_integration_does_not_look_beyond_the_end(void **state)
{
  (void)state;
  lw_model *m = doomed();
  for (int i = LW_INTEGRATOR_AUTO; i <= LW_INTEGRATOR_EULER; i++) {
    lw_error err = {0};
    double q, u;
    const lw_simulation_options o = {.end = 0.72, .integrator = (lw_integrator)i};
    lw_simulation *sim = lw_simulation_new(m, &o, &err);
    lwt_ok(lw_simulation_advance(sim, 0.3, &q, &u, &err));
    lwt_ok(lw_simulation_advance(sim, 0.72, &q, &u, &err));
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

static void a_singular_mass_matrix_is_reported(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_spec *s = lw_spec_new();
  lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 1}); /* a particle on its axis */
  lw_add_joint(s, &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = b});
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) return; /* refused already when compiling: just as good */
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  double q, u;
  assert_int_equal(lw_simulation_advance(sim, 1, &q, &u, &err), LW_E_SINGULAR);
  assert_non_null(strstr(err.text, "t = 0"));
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void a_state_that_is_no_state_is_refused(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = lwt_random_model(&(lwt_recipe){.seed = 1, .nbody = 1, .floating = true});
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  double q[7] = {0}, u[6] = {0};
  assert_int_equal(lw_simulation_start(sim, 0, q, u, &err), LW_E_NUMBER);
  assert_non_null(strstr(err.text, "quaternion"));
  q[3] = 1;
  u[2] = strtod("inf", NULL);
  assert_int_equal(lw_simulation_start(sim, 0, q, u, &err), LW_E_NUMBER);
  u[2] = 0;
  q[3] = -2; /* any length, any sign */
  lwt_ok(lw_simulation_start(sim, 0, q, u, &err));
  lwt_ok(lw_simulation_advance(sim, 0, q, u, &err));
  lwt_near(q[3], 1, 0, "w");
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void a_model_that_cannot_move_runs_too(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_spec *s = lw_spec_new();
  lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 1});
  lw_add_joint(s, &(lw_joint_desc){.name = "F", .type = LW_FIXED, .child = b});
  lw_model *m = compile_model(s);
  for (int i = LW_INTEGRATOR_AUTO; i <= LW_INTEGRATOR_EULER; i++) {
    const lw_simulation_options o = {.integrator = (lw_integrator)i};
    lw_simulation *sim = lw_simulation_new(m, &o, &err);
    double none[1];
    lwt_ok(lw_simulation_advance(sim, 1, none, none, &err));
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* ---- fixed steps ---- */

static void lw_step_refuses_what_it_does_not_know(void **state)
{
  (void)state;
  lw_model *m = pendulum();
  lw_work *w = lw_work_new(m);
  double t = 0, q = 0.3, u = 0;
  assert_int_equal(lw_step(w, LW_INTEGRATOR_BDF, 0.1, NULL, &t, &q, &u), LW_E_ARG);
  assert_int_equal(lw_step(w, LW_INTEGRATOR_RK4, strtod("nan", NULL), NULL, &t, &q, &u),
                   LW_E_NUMBER);
  lwt_near(q, 0.3, 0, "untouched");
  lw_work_free(w);
  lw_model_free(m);
}

static void a_load_during_a_step_does_its_work(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, 0, 0);
  lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 2});
  lw_add_joint(s, &(lw_joint_desc){.name = "P", .type = LW_PRISMATIC, .child = b});
  lw_model *m = compile_model(s);
  lw_work *w = lw_work_new(m);
  double t = 0, q = 0, u = 0;
  const double tau = 3;
  lwt_ok(lw_step(w, LW_INTEGRATOR_RK4, 0.5, &tau, &t, &q, &u));
  lwt_near(u, 0.75, 1e-15, "u");
  lwt_near(q, 0.1875, 1e-15, "q");
  lwt_near(t, 0.5, 0, "t");
  lw_work_free(w);
  lw_model_free(m);
}

/* ---- determinant ---- */

static void the_determinant_is_that_of_the_mass_matrix(void **state)
{
  (void)state;
  lwt_case c = lwt_case_new(&(lwt_recipe){.seed = 3, .nbody = 2, .joints = 1u << LW_REVOLUTE});
  double M[4], logdet;
  int sign;
  lwt_ok(lw_mass_matrix(c.w, c.q, M));
  lwt_ok(lw_mass_determinant(c.w, c.q, &logdet, &sign));
  assert_int_equal(sign, 1);
  const double expected = M[0] * M[3] - M[1] * M[2];
  lwt_near(exp(logdet), expected, 1e-12 * expected, "determinant");
  lwt_case_free(&c);
}

static void rotations_of_particles_do_not_make_the_determinant_vanish(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  lw_add_body(s, &(lw_body_desc){.name = "particle", .mass = 2});
  lw_model *m = compile_model(s);
  lw_work *w = lw_work_new(m);
  double q[7], u[6], logdet;
  int sign;
  lw_initial_state(m, q, u);
  lwt_ok(lw_mass_determinant(w, q, &logdet, &sign));
  assert_int_equal(sign, 1);
  lwt_near(exp(logdet), 8, 1e-14, "determinant");
  lw_work_free(w);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_left_zero_come_from_the_model_then_from_the_defaults),
      cmocka_unit_test(options_that_make_no_sense_are_refused),
      cmocka_unit_test(what_is_not_there_yet_is_said_clearly),
      cmocka_unit_test(rows_are_at_multiples_of_the_output_step_and_at_the_end),
      cmocka_unit_test(a_watcher_sees_every_step_and_may_stop),
      cmocka_unit_test(time_goes_forward_and_beyond_the_end_if_asked),
      cmocka_unit_test(a_failure_says_how_far_it_came_and_why),
      cmocka_unit_test(the_integration_does_not_look_beyond_the_end),
      cmocka_unit_test(a_singular_mass_matrix_is_reported),
      cmocka_unit_test(a_state_that_is_no_state_is_refused),
      cmocka_unit_test(a_model_that_cannot_move_runs_too),
      cmocka_unit_test(lw_step_refuses_what_it_does_not_know),
      cmocka_unit_test(a_load_during_a_step_does_its_work),
      cmocka_unit_test(the_determinant_is_that_of_the_mass_matrix),
      cmocka_unit_test(rotations_of_particles_do_not_make_the_determinant_vanish),
  };
  return cmocka_run_group_tests_name("unit/simulate", tests, NULL, NULL);
}
