/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives that are known: the four-bar of paper 002, whose closure moves with the length of its crank, and a
   pendulum by hand. */
#include "lwt.h"

#include "linkwork/derivatives.h"
#include "linkwork/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lw_spec *load(const char *name)
{
  char path[512];
  lw_error err;
  const char *root = getenv("LINKWORK_SOURCE");
  snprintf(path, sizeof path, "%s/models/%s.yaml", root ? root : ".", name);
  lw_spec *s = lw_spec_load(path, &err);
  if (!s) fail_msg("%s: %s", path, err.text);
  return s;
}

static void four_bar_of_paper_002_follows_its_crank(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = load("four-bar");
  lw_model *m = lw_compile(s, &err);
  lw_work *w = lw_work_new(m);
  lw_derivatives *d = lw_derivatives_new(m);
  lw_model_derivative *La = lw_model_derivative_new(m, "La", &err);
  assert_non_null(La);
  double q[3], u[3], udot[3], motion[3], u_rate[3], udot_rate[3], q_rate[4] = {0};
  lw_initial_state(m, q, u);
  lwt_ok(lw_close_loops(w, 0, q, u, &err));
  lwt_ok(lw_close_loops_derivative(d, 0, q, u, La, motion, u_rate));
  lwt_ok(lw_linearize_forward(d, 0, q, u, NULL, udot));
  lwt_ok(lw_forward_derivative(d, &(lw_direction){.motion = motion, .u = u_rate, .model = La},
                               udot_rate));
  lwt_ok(lw_get_cut_joint_derivatives(d, q_rate, NULL));
  lwt_near(motion[0], 0, 1e-15, "the crank is held");
  lwt_near(motion[1], 0.995124848658, 1e-11, "dq2/dLa");
  lwt_near(motion[2], 0.736925958911, 1e-11, "dq4/dLa");
  lwt_near(q_rate[3], motion[2] - motion[1], 1e-11, "the angles of a loop add up");
  lwt_near(udot[0], -5.848471188855, 1e-10, "udot1");
  lwt_near(udot_rate[0], 4.57406906092, 1e-10, "d(udot1)/dLa");
  lw_model_derivative_free(La);
  lw_derivatives_free(d);
  lw_work_free(w);
  lw_model_free(m);
  lw_spec_free(s);
}

/* udot = -3 g sin(q) / (2 L) - 3 c u / (m L^2) of a rod that hangs from a damped hinge */
static void pendulum_by_hand(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -9.81, 0);
  const char *const names[3] = {"L", "m", "c"};
  const double L = 0.7, mass = 3, c = 0.4, q = 0.6, u = -1.3;
  const double values[3] = {L, mass, c};
  for (int i = 0; i < 3; i++)
    lw_add_parameter(s, &(lw_parameter_desc){.name = names[i], .value = values[i]});
  const lw_body rod = lw_add_body(s, &(lw_body_desc){.name = "rod",
                                                     .solid = {.type = LW_SOLID_ROD,
                                                               .mass = lw_expr(s, "m"),
                                                               .length = lw_expr(s, "L"),
                                                               .axis = {0, -1, 0}}});
  const lw_joint hinge =
      lw_add_joint(s, &(lw_joint_desc){.name = "hinge", .type = LW_REVOLUTE, .child = rod});
  lw_add_joint_spring(
      s, &(lw_joint_spring_desc){.name = "damper", .joint = hinge, .damping = lw_expr(s, "c")});
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_derivatives *d = lw_derivatives_new(m);
  double udot, by_q, by_u, by_tau;
  const double I = mass * L * L / 3;
  lwt_ok(lw_forward_dynamics_derivatives(d, 0, &q, &u, NULL, &udot,
                                         &(lw_forward_matrices){&by_q, &by_u, &by_tau}));
  lwt_near(by_q, -1.5 * 9.81 * cos(q) / L, 1e-13, "by the angle");
  lwt_near(by_u, -c / I, 1e-13, "by the speed");
  lwt_near(by_tau, 1 / I, 1e-13, "by a torque");
  const double wanted[3] = {1.5 * 9.81 * sin(q) / (L * L) + 2 * c * u / (I * L), c * u / (I * mass),
                            -u / I};
  for (int i = 0; i < 3; i++) {
    lw_model_derivative *model_p = lw_model_derivative_new(m, names[i], &err);
    double rate;
    lwt_ok(lw_forward_derivative(d, &(lw_direction){.model = model_p}, &rate));
    lwt_near(rate, wanted[i], 1e-11, "by %s", names[i]);
    lw_model_derivative_free(model_p);
  }
  assert_null(lw_model_derivative_new(m, "nothing", &err));
  assert_int_equal(err.status, LW_E_ARG);
  lw_derivatives_free(d);
  lw_model_free(m);
  lw_spec_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_by_hand),
      cmocka_unit_test(four_bar_of_paper_002_follows_its_crank),
  };
  return cmocka_run_group_tests_name("closed_form/derivatives", tests, NULL, NULL);
}
