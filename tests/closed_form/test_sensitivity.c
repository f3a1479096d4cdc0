/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of whole runs against values from independent programs in extended precision: minimal
   coordinates, 80 bit, halved steps agree to the digits given. */
#include "linkwork/file.h"
#include "linkwork/sensitivity.h"
#include "lwt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_model *load(const char *name)
{
  char path[4096];
  lw_error err = {0};
  const char *root = getenv("LINKWORK_SOURCE");
  snprintf(path, sizeof path, "%s/models/%s.yaml", root ? root : ".", name);
  lw_spec *s = lw_spec_load(path, &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

/* derivatives of columns by a parameter at time t */
static void derive(const lw_model *m, const char *parameter, const char *columns, double t,
                   bool differences, double row[], double drow[])
{
  lw_error err = {0};
  const lw_sensitivity_options o = {
      .columns = columns,
      .differences = differences,
      .simulation = {.end = t > 0 ? t : 1, .rtol = 1e-11, .atol = 1e-13}};
  lw_sensitivity *s = lw_sensitivity_new(m, &parameter, 1, &o, &err);
  if (!s) fail_msg("%s", err.text);
  if (lw_sensitivity_advance(s, t, NULL, NULL, NULL, NULL, &err) != LW_OK) fail_msg("%s", err.text);
  lwt_ok(lw_sensitivity_row(s, row, drow));
  lw_sensitivity_free(s);
}

/* two uniform rods of constant mass hanging down, both pi/30 out, from rest */
static void double_pendulum_by_its_length(void **state)
{
  (void)state;
  lw_model *m = load("double-pendulum");
  for (int way = 0; way < 2; way++) {
    double x[3], d[3];
    derive(m, "La", "q.*", 5, way, x, d);
    lwt_near(x[1], 0.0859911692363, 1e-9, "q1");
    lwt_near(d[1], 0.475929067369, 1e-8, "dq1/dLa");
    lwt_near(d[2], -0.266682300679, 1e-8, "dq2/dLa");
  }
  lw_model_free(m);
}

/* crank held at 30 degrees, the others closed; constant mass */
static void four_bar_by_the_length_of_its_crank(void **state)
{
  (void)state;
  lw_model *m = load("four-bar");
  for (int way = 0; way < 2; way++) {
    double x[10], d[10];
    derive(m, "La", "q.A,q.B,q.C,u.A,udot.A", 0, way, x, d);
    lwt_near(d[1], 0, 1e-10, "dq1/dLa is held");
    lwt_near(d[2], 0.995124848658, 1e-9, "dq2/dLa at the start");
    lwt_near(d[3], 0.736925958911, 1e-9, "dq4/dLa at the start");
    lwt_near(x[5], -5.848471188855, 1e-9, "udot1 at the start");
    lwt_near(d[5], 4.57406906092, 1e-8, "d(udot1)/dLa at the start");
    derive(m, "La", "q.A,u.A", 1, way, x, d);
    lwt_near(x[1], -1.19887219443, 1e-9, "q1");
    lwt_near(d[1], -0.0809722537045, 1e-8, "dq1/dLa");
    lwt_near(d[2], -1.58151572003, 1e-8, "du1/dLa");
  }
  lw_model_free(m);
}

/* constant line density: through the expression of the mass alone */
static void masses_follow_lengths(void **state)
{
  (void)state;
  static const char text[] =
      "linkwork: 1\n"
      "gravity: [0, -9.81, 0]\n"
      "parameters: {La: 1, Lb: 1, rho: 1, Ma: rho*La}\n"
      "bodies:\n"
      "  upper: {solid: {rod: {length: La, mass: Ma, axis: [0, -1, 0]}}}\n"
      "  lower: {solid: {rod: {length: Lb, mass: rho*Lb, axis: [0, -1, 0]}}}\n"
      "joints:\n"
      "  A: {type: revolute, parent: ground, child: upper, q: pi/30}\n"
      "  B: {type: revolute, parent: upper, child: lower, at: [0, -La, 0], q: pi/30}\n";
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, sizeof text - 1, "text", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  const char *const names[] = {"La", "Lb", "rho", "Ma"};
  const lw_sensitivity_options o = {.columns = "q.*,u.*", .simulation = {.end = 2}};
  for (int p = 0; p < 4; p++) {
    double x[5], d[5], runs[5];
    derive(m, names[p], "q.*,u.*", 2, false, x, d);
    lwt_ok(lw_sensitivity_by_runs(m, p, &o, 2, &(lw_differences){runs, NULL, NULL, NULL}, &err));
    lwt_close(d, runs, 5, 1e-8, lwt_scale(d, 5) + 1, "by %s", names[p]);
  }
  /* lengths of uniform rods do not care for the density */
  double x[5], d[5];
  derive(m, "rho", "q.*,u.*", 2, false, x, d);
  for (int i = 0; i < 5; i++)
    lwt_near(d[i], 0, 1e-9, "by rho");
  lw_model_free(m);
}

static void squeezer_by_its_spring(void **state)
{
  (void)state;
  lw_model *m = load("squeezer");
  double x[2], d[2];
  derive(m, "c0", "q.O", 0.01, false, x, d);
  lwt_near(d[1], 4.45086100e-4, 1e-12, "d(beta)/d(stiffness)");
  lw_model_free(m);
}

/* stiff: goes over to BDF */
static void governor_by_its_first_speed(void **state)
{
  (void)state;
  lw_model *m = load("governor");
  double x[2], d[2];
  derive(m, "omega", "u.turn", 1, false, x, d);
  lwt_near(x[1], 6.271125741877, 1e-8, "speed");
  lwt_near(d[1], 1.02039239, 1e-8, "d(speed)/d(first speed)");
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum_by_its_length),
      cmocka_unit_test(four_bar_by_the_length_of_its_crank),
      cmocka_unit_test(masses_follow_lengths),
      cmocka_unit_test(squeezer_by_its_spring),
      cmocka_unit_test(governor_by_its_first_speed),
  };
  return cmocka_run_group_tests_name("closed_form/sensitivity", tests, NULL, NULL);
}
