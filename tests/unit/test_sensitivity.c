/* SPDX-License-Identifier: Apache-2.0 */
/* lw_sensitivity: integrators, objectives, derivatives of the caller, and mistakes. */
#include "linkwork/file.h"
#include "linkwork/sensitivity.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_model *model_of(const char *more)
{
  char text[2048];
  lw_error err = {0};
  snprintf(text, sizeof text,
           "linkwork: 1\n"
           "gravity: [0, -9.81, 0]\n"
           "parameters: {L: 0.9, m: 1.3, p: 0, free: {value: 2, min: 2, max: 2}}\n"
           "bodies: {b: {solid: {rod: {length: L, mass: m, axis: [0, -1, 0]}}}}\n"
           "joints: {A: {type: revolute, parent: ground, child: b, q: 0.8, u: 0.5*L}}\n"
           "%s",
           more);
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

/* d(q, u)/d(parameter) at t = 1.5 */
static void derive(const lw_model *m, const char *parameter, const lw_sensitivity_options *o,
                   double d[2])
{
  lw_error err = {0};
  lw_sensitivity *s = lw_sensitivity_new(m, &parameter, 1, o, &err);
  if (!s) fail_msg("%s", err.text);
  double q, u;
  if (lw_sensitivity_advance(s, 1.5, &q, &u, &d[0], &d[1], &err) != LW_OK) fail_msg("%s", err.text);
  lw_sensitivity_free(s);
}

/* the same, of the columns t, q, u */
static void derive_columns(const lw_model *m, const char *parameter, double d[3])
{
  lw_error err = {0};
  double row[3];
  const lw_sensitivity_options o = {.columns = "q.A,u.A", .simulation = {.end = 1.5}};
  lw_sensitivity *s = lw_sensitivity_new(m, &parameter, 1, &o, &err);
  if (!s) fail_msg("%s", err.text);
  if (lw_sensitivity_advance(s, 1.5, NULL, NULL, NULL, NULL, &err) != LW_OK)
    fail_msg("%s", err.text);
  lwt_ok(lw_sensitivity_row(s, row, d));
  lw_sensitivity_free(s);
}

/* inside, both are scaled by the parameter's size */
static void states_and_columns_have_the_same_derivatives(void **state)
{
  (void)state;
  lw_model *m = model_of("forces: {f: {type: motor, joint: A, value: p*sin(3*t) - 0.1*u.A}}\n");
  static const char *const parameters[] = {"L", "m", "p"};
  for (int i = 0; i < 3; i++) {
    double of_state[2], of_columns[3];
    derive(m, parameters[i], &(lw_sensitivity_options){.simulation = {.end = 1.5}}, of_state);
    derive_columns(m, parameters[i], of_columns);
    lwt_near(of_columns[0], 0, 0, "time is fixed");
    lwt_close(of_state, of_columns + 1, 2, 1e-12, 1, "by %s", parameters[i]);
    assert_true(fabs(of_state[0]) > 1e-3);
  }
  lw_model_free(m);
}

/* ---- integrators ---- */

static void integrators_agree(void **state)
{
  (void)state;
  lw_model *m = model_of("");
  static const struct {
    lw_integrator integrator;
    double step, tolerance;
  } cases[] = {{LW_INTEGRATOR_ADAMS, 0, 1e-8},
               {LW_INTEGRATOR_BDF, 0, 1e-7},
               {LW_INTEGRATOR_RK, 0, 1e-9},
               {LW_INTEGRATOR_RK4, 1e-3, 1e-9}};
  double best[2];
  derive(m, "L",
         &(lw_sensitivity_options){.simulation = {.end = 1.5, .rtol = 1e-13, .atol = 1e-14}}, best);
  for (int i = 0; i < 4; i++)
    for (int way = 0; way < 2; way++) {
      double d[2];
      const lw_sensitivity_options o = {.differences = way,
                                        .simulation = {.end = 1.5,
                                                       .rtol = 1e-10,
                                                       .atol = 1e-12,
                                                       .step = cases[i].step,
                                                       .integrator = cases[i].integrator}};
      derive(m, "L", &o, d);
      lwt_close(d, best, 2, cases[i].tolerance, 1, "integrator %d", i);
    }
  lw_model_free(m);
}

/* ---- derivatives of the caller ---- */

static int push(void *context, int k, double t, const double q[], const double u[], double dtau[],
                double dudot[])
{
  (void)k, (void)q, (void)u, (void)dudot;
  dtau[0] += sin(3 * t);
  ++*(int *)context;
  return 0;
}

static int pull(void *context, int k, double t, const double q[], const double u[], double dtau[],
                double dudot[])
{
  (void)k, (void)q, (void)u, (void)dtau;
  dudot[0] += sin(3 * t) * 3 / (1.3 * 0.9 * 0.9); /* inertia m L^2 / 3 */
  ++*(int *)context;
  return 0;
}

static int refuse(void *context, int k, double t, const double q[], const double u[], double dtau[],
                  double dudot[])
{
  (void)context, (void)k, (void)t, (void)q, (void)u, (void)dtau, (void)dudot;
  return -1;
}

static void the_caller_may_know_derivatives(void **state)
{
  (void)state;
  lw_model *written = model_of("forces: {f: {type: motor, joint: A, value: p*sin(3*t)}}\n");
  lw_model *silent = model_of("");
  double expected[2], d[2];
  int calls = 0;
  lw_sensitivity_options o = {.simulation = {.end = 1.5, .rtol = 1e-11}, .context = &calls};
  derive(written, "p", &o, expected);
  assert_true(fabs(expected[0]) > 1e-3);
  o.derivative = push;
  derive(silent, "p", &o, d);
  lwt_close(d, expected, 2, 1e-9, 1, "by loads");
  o.derivative = pull;
  derive(silent, "p", &o, d);
  lwt_close(d, expected, 2, 1e-9, 1, "by accelerations");
  assert_true(calls > 0);

  lw_error err = {0};
  double dq, du;
  o.derivative = refuse;
  lw_sensitivity *s = lw_sensitivity_new(silent, NULL, 0, &o, &err);
  assert_non_null(s);
  assert_int_equal(lw_sensitivity_advance(s, 1, NULL, NULL, &dq, &du, &err), LW_E_STOPPED);
  lw_sensitivity_free(s);
  o.differences = true;
  assert_null(lw_sensitivity_new(silent, NULL, 0, &o, &err));
  assert_int_equal(err.status, LW_E_UNSUPPORTED);
  lw_model_free(written);
  lw_model_free(silent);
}

/* ---- objectives ---- */

/* q.A = 2 t */
#define UNIFORM                                                                                    \
  "linkwork: 1\n"                                                                                  \
  "gravity: [0, 0, 0]\n"                                                                           \
  "parameters: {c: 0.9}\n"                                                                         \
  "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"                                                   \
  "joints: {A: {type: prismatic, parent: ground, child: b, axis: [1, 0, 0], u: 2}}\n"

/* Steps are long, and times that are asked for lie within them: what comes later does not count yet. */
static void peaks_do_not_count_before_they_come(void **state)
{
  (void)state;
  const char text[] =
      UNIFORM "simulation: {end: 4, output_step: 1}\n"
              "sensitivity: {parameters: [c], objectives: {top: {max: 2*c*q.A - q.A^2},\n"
              "  low: {min: (q.A - 3*c)*(q.A - 5*c)}}}\n";
  lw_error err = {0};
  lw_spec *spec = lw_spec_parse(text, strlen(text), "text", &err);
  lw_model *m = spec ? lw_compile(spec, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  static const lw_integrator integrator[] = {LW_INTEGRATOR_AUTO, LW_INTEGRATOR_BDF,
                                             LW_INTEGRATOR_RK, LW_INTEGRATOR_RK4};
  const double c = 0.9;
  for (int k = 0; k < 8; k++) {
    const lw_sensitivity_options o = {
        .differences = k % 2,
        .simulation = {.end = 4, .step = k / 2 == 3 ? 0.5 : 0, .integrator = integrator[k / 2]}};
    lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, &o, &err);
    if (!s) fail_msg("%s", err.text);
    for (int i = 0; i <= 100; i++) {
      const double t = 0.04 * i, high = fmin(2 * t, c), deep = fmin(2 * t, 4 * c);
      double value[2], gradient[2];
      lwt_ok(lw_sensitivity_advance(s, t, NULL, NULL, NULL, NULL, &err));
      lwt_ok(lw_sensitivity_objectives(s, value, gradient));
      lwt_near(value[0], 2 * c * high - high * high, 1e-6, "case %d, largest until %g", k, t);
      lwt_near(gradient[0], 2 * high, 1e-5, "case %d, its derivative at %g", k, t);
      lwt_near(value[1], (deep - 3 * c) * (deep - 5 * c), 1e-6, "case %d, smallest until %g", k, t);
      lwt_near(gradient[1], 30 * c - 8 * deep, 1e-5, "case %d, its derivative at %g", k, t);
    }
    lw_sensitivity_free(s);
  }
  lw_model_free(m);
  lw_spec_free(spec);
}

/* Waves and narrow peaks within steps that are much longer: all of them count. */
static void peaks_are_not_missed_in_long_steps(void **state)
{
  (void)state;
  const char text[] = UNIFORM
      "simulation: {end: 4, output_step: 4}\n"
      "sensitivity: {parameters: [c], objectives: {top: {max: \"sin(20*c*q.A) + 0.1*q.A\"},\n"
      "  low: {min: \"-(1 + c)*exp(-300*(q.A - 5.3*c)^2)\"}}}\n";
  lw_error err = {0};
  lw_spec *spec = lw_spec_parse(text, strlen(text), "text", &err);
  lw_model *m = spec ? lw_compile(spec, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  /* the last place with 20 c cos(20 c q) = -0.1 and a sine near 1 */
  const double c = 0.9, pi = acos(-1.0), w = 20 * c;
  const double angle = acos(-0.1 / w) + 2 * pi * floor((8 * w - pi / 2) / (2 * pi)), q = angle / w;
  for (int k = 0; k < 4; k++) {
    const lw_sensitivity_options o = {.differences = k % 2,
                                      .simulation = {.integrator = k / 2 ? LW_INTEGRATOR_RK : 0}};
    double value[2], gradient[2];
    lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, &o, &err);
    if (!s) fail_msg("%s", err.text);
    lwt_ok(lw_sensitivity_advance(s, 4, NULL, NULL, NULL, NULL, &err));
    lwt_ok(lw_sensitivity_objectives(s, value, gradient));
    lwt_near(value[0], sin(angle) + 0.1 * q, 1e-7, "case %d: the last wave", k);
    lwt_near(gradient[0], 20 * q * cos(angle), 1e-5, "case %d: its derivative", k);
    lwt_near(value[1], -1 - c, 1e-7, "case %d: the narrow one", k);
    lwt_near(gradient[1], -1, 1e-5, "case %d: its derivative", k);
    lw_sensitivity_free(s);
  }
  lw_model_free(m);
  lw_spec_free(spec);
}

/* energy is constant: highest speed and largest angle are known */
static void objectives_have_values_and_gradients(void **state)
{
  (void)state;
  lw_model *m = model_of("sensitivity:\n"
                         "  parameters: [L, m]\n"
                         "  objectives:\n"
                         "    angle: {max: q.A}\n"
                         "    lowest: {min: q.A}\n"
                         "    moved: {integral: u.A}\n"
                         "    gone: {final: q.A - 0.8}\n"
                         "    lasted: {integral: \"1\"}\n"
                         "    heavy: {final: m*t}\n"
                         "    first: {min: t}\n");
  lw_error err = {0};
  const lw_sensitivity_options o = {.simulation = {.end = 2.2, .rtol = 1e-11, .atol = 1e-12}};
  for (int integrator = 0; integrator < 2; integrator++) {
    lw_sensitivity_options with = o;
    with.simulation.integrator = integrator ? LW_INTEGRATOR_RK : LW_INTEGRATOR_ADAMS;
    lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, &with, &err);
    if (!s) fail_msg("%s", err.text);
    double value[7], gradient[14];
    lwt_ok(lw_sensitivity_advance(s, 2.2, NULL, NULL, NULL, NULL, &err));
    lwt_ok(lw_sensitivity_objectives(s, value, gradient));
    /* 1/2 u^2 - 3 g / (2 L) cos q is constant, u = 0.5 L at q = 0.8 */
    const double L = 0.9, k = 1.5 * 9.81 / L, energy = 0.125 * L * L - k * cos(0.8);
    const double largest = acos(-energy / k);
    const double slope =
        (0.25 * L + 0.125 * L) / k / sin(largest); /* d/dL of 0.125 L^2 / k ~ L^3 */
    lwt_near(value[0], largest, 1e-9, "largest angle");
    lwt_near(gradient[0], slope, 1e-8, "largest angle by L");
    lwt_near(gradient[7], 0, 1e-9, "largest angle by m");
    lwt_near(value[1], -largest, 1e-9, "smallest angle");
    lwt_near(gradient[1], -slope, 1e-8, "smallest angle by L");
    lwt_near(value[2], value[3], 1e-9, "the integral of the speed is the angle");
    lwt_near(gradient[2], gradient[3], 1e-8, "and so by L");
    lwt_near(value[4], 2.2, 1e-10, "time");
    lwt_near(gradient[4], 0, 1e-10, "time by L");
    lwt_near(value[5], 1.3 * 2.2, 1e-12, "parameters in objectives");
    lwt_near(gradient[7 + 5], 2.2, 1e-9, "by themselves");
    lwt_near(value[6], 0, 0, "the beginning counts");
    lw_sensitivity_free(s);
  }
  lw_model_free(m);
}

/* ---- mistakes ---- */

static void mistakes_are_named(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = model_of("");
  const char *const unknown = "Lx", *const odd = "zzzzzz";
  assert_null(lw_sensitivity_new(NULL, NULL, 0, NULL, &err));
  assert_null(lw_sensitivity_new(m, &unknown, 1, NULL, &err));
  assert_non_null(strstr(err.text, "did you mean \"L\""));
  assert_null(lw_sensitivity_new(m, &odd, 1, NULL, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_sensitivity_new(m, NULL, 0, &(lw_sensitivity_options){.columns = "q.B"}, &err));
  assert_non_null(strstr(err.text, "q.A"));
  const lw_sensitivity_options euler = {.simulation = {.integrator = LW_INTEGRATOR_EULER}};
  assert_null(lw_sensitivity_new(m, NULL, 0, &euler, &err));
  assert_int_equal(err.status, LW_E_UNSUPPORTED);
  assert_int_equal(lw_sensitivity_by_runs(m, 9, NULL, 1, NULL, &err), LW_E_ARG);
  lw_model_free(m);

  m = model_of("sensitivity: {objectives: {h: {final: q.Ax}}}\n");
  assert_null(lw_sensitivity_new(m, NULL, 0, NULL, &err));
  assert_non_null(strstr(err.text, "objective \"h\""));
  assert_non_null(strstr(err.text, "q.A"));
  assert_true(err.line > 0);
  lw_model_free(m);
}

/* its value is at both of its limits: derivatives exist all the same */
static void limits_do_not_count_for_derivatives(void **state)
{
  (void)state;
  lw_model *m = model_of("");
  double d[2];
  for (int way = 0; way < 2; way++) {
    derive(m, "free", &(lw_sensitivity_options){.differences = way, .simulation = {.end = 1.5}}, d);
    lwt_near(d[0], 0, 1e-9, "nobody uses it");
  }
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_and_columns_have_the_same_derivatives),
      cmocka_unit_test(integrators_agree),
      cmocka_unit_test(the_caller_may_know_derivatives),
      cmocka_unit_test(peaks_do_not_count_before_they_come),
      cmocka_unit_test(peaks_are_not_missed_in_long_steps),
      cmocka_unit_test(objectives_have_values_and_gradients),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(limits_do_not_count_for_derivatives),
  };
  return cmocka_run_group_tests_name("unit/sensitivity", tests, NULL, NULL);
}
