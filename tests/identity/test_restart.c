/* SPDX-License-Identifier: Apache-2.0 */
/* Integration begins anew after an event.  Events that change nothing (an impulse of zero) must neither cost
   accuracy nor many steps: the same motion with and without them. */
#include "linkwork/simulate.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEVENT = 20 };

typedef struct {
  double q[4], u[4];
  lw_simulation_statistics report;
  char method[80];
} result;

/* a chain of two; stiffness and damping of a joint spring between them */
static lw_spec *make_spec(double stiffness, double damping)
{
  lw_spec *s = lw_spec_new();
  const lw_body_desc body = {.mass = 1, .com = {0.5, 0, 0}, .inertia = {0.01, 0.1, 0.1}};
  lw_body_desc a = body, b = body;
  a.name = "a", b.name = "b";
  const lw_body first = lw_add_body(s, &a), second = lw_add_body(s, &b);
  lw_add_joint(s, &(lw_joint_desc){.name = "A",
                                   .type = LW_REVOLUTE,
                                   .child = first,
                                   .axis = {0, 1, 0},
                                   .q = {0.3},
                                   .has_q = true});
  const lw_joint j = lw_add_joint(s, &(lw_joint_desc){.name = "B",
                                                      .type = LW_REVOLUTE,
                                                      .parent = first,
                                                      .child = second,
                                                      .place.at = {1, 0, 0},
                                                      .axis = {0, 1, 0},
                                                      .q = {0.3},
                                                      .has_q = true});
  if (stiffness > 0)
    lw_add_joint_spring(s,
                        &(lw_joint_spring_desc){
                            .name = "s", .joint = j, .stiffness = stiffness, .damping = damping});
  return s;
}

static result run(lw_spec *s, int nevent, lw_simulation_options o)
{
  lw_error err = {0};
  for (int i = 1; i <= nevent; i++)
    lw_add_event(s, &(lw_event_desc){
                        .at = 2.0 * i / (nevent + 1), .action = LW_ACTION_IMPULSE, .body = {1}});
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  o.end = 2;
  o.output_step = 2;
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim) fail_msg("%s", err.text);
  result r;
  if (lw_simulation_advance(sim, 2, r.q, r.u, &err) != LW_OK) fail_msg("%s", err.text);
  r.report = lw_simulation_report(sim);
  snprintf(r.method, sizeof r.method, "%s", r.report.method);
  lw_simulation_free(sim);
  lw_model_free(m);
  return r;
}

static double error_of(const result *r, const result *exact)
{
  double e = 0;
  for (int i = 0; i < 2; i++)
    e = fmax(e, fmax(fabs(r->q[i] - exact->q[i]), fabs(r->u[i] - exact->u[i])));
  return e;
}

/* a restart costs as many steps as end at the event, and some rejected ones: not eight small steps */
static void runge_kutta_goes_on_with_the_step_before(void **state)
{
  (void)state;
  for (int k = 6; k <= 12; k += 2) {
    const lw_simulation_options o = {
        .integrator = LW_INTEGRATOR_RK, .rtol = pow(10, -k), .atol = pow(10, -k)};
    const result with = run(make_spec(0, 0), NEVENT, o), without = run(make_spec(0, 0), 0, o);
    assert_in_range(with.report.steps, NEVENT, without.report.steps + 3 * NEVENT);
    assert_true(with.report.evaluations < without.report.evaluations + 60 * NEVENT);
  }
}

static void restarts_do_not_cost_accuracy(void **state)
{
  (void)state;
  const lw_integrator all[] = {LW_INTEGRATOR_RK, LW_INTEGRATOR_ADAMS, LW_INTEGRATOR_BDF};
  const result exact =
      run(make_spec(0, 0), 0,
          (lw_simulation_options){.integrator = LW_INTEGRATOR_RK, .rtol = 1e-13, .atol = 1e-13});
  for (int i = 0; i < 3; i++)
    for (int k = 6; k <= 10; k += 2) {
      const double tol = pow(10, -k);
      const lw_simulation_options o = {.integrator = all[i], .rtol = tol, .atol = tol};
      const result with = run(make_spec(0, 0), NEVENT, o), without = run(make_spec(0, 0), 0, o);
      const double allowed = 3 * error_of(&without, &exact) + 10 * tol;
      lwt_near(error_of(&with, &exact), 0, allowed, "%s, 1e-%d", with.method, k);
    }
}

/* what has proved stiff is taken to be so after the event, and need not prove it again */
static void stiff_motion_stays_with_bdf(void **state)
{
  (void)state;
  const lw_simulation_options o = {.rtol = 1e-7, .atol = 1e-7};
  const result with = run(make_spec(1000, 500), NEVENT, o),
               without = run(make_spec(1000, 500), 0, o);
  double since = 1;
  assert_non_null(strstr(without.method, "BDF from"));
  assert_int_equal(sscanf(with.method, "Adams, order 1-12; stiff: BDF from t = %lf", &since), 1);
  assert_true(since < 2.0 / (NEVENT + 1)); /* before the first event */
  assert_in_range(with.report.evaluations, 1, without.report.evaluations + 150 * NEVENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runge_kutta_goes_on_with_the_step_before),
      cmocka_unit_test(restarts_do_not_cost_accuracy),
      cmocka_unit_test(stiff_motion_stays_with_bdf),
  };
  return cmocka_run_group_tests_name("identity/restart", tests, NULL, NULL);
}
