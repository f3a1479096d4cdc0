/* SPDX-License-Identifier: Apache-2.0 */
/* The determinant of the mass matrix as the product of the recursion's pivots, against textbook
   formulas, and where it leaves the range of double by far. */
#include "lwt.h"

#include "linkwork/sko.h"
#include "linkwork/quantities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* cart of mass M on a rail along x, bob of mass m on a massless pole of length l */
static lw_model *cart_pole(double M, double m, double l)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -9.81, 0);
  const lw_body cart = lw_add_body(s, &(lw_body_desc){.name = "cart", .mass = M});
  const lw_body bob = lw_add_body(s, &(lw_body_desc){.name = "bob", .mass = m, .com = {0, -l, 0}});
  lw_add_joint(
      s, &(lw_joint_desc){.name = "rail", .type = LW_PRISMATIC, .child = cart, .axis = {1, 0, 0}});
  lw_add_joint(s,
               &(lw_joint_desc){.name = "pin", .type = LW_REVOLUTE, .parent = cart, .child = bob});
  lw_model *model = lw_compile(s, &err);
  lw_spec_free(s);
  if (!model) fail_msg("%s", err.text);
  return model;
}

/* det = m l^2 (M + m sin^2 theta): falls by a million at the vertical when the cart is light */
static void light_cart_pole_keeps_its_determinant_through_the_vertical(void **state)
{
  (void)state;
  const double M = 1e-6, m = 1, l = 1;
  lw_model *model = cart_pole(M, m, l);
  lw_work *w = lw_work_new(model);
  lw_sko *k = lw_sko_from_model(model, NULL);
  assert_non_null(k);
  for (int i = -200; i <= 200; i++) {
    const double theta = i * 1e-5 * (1 + abs(i) / 10.0), s = sin(theta);
    const double q[2] = {0.3, theta}, u[2] = {0, 0}, exact = log(m * l * l * (M + m * s * s));
    double logdet, of_sko;
    int sign;
    lwt_ok(lw_mass_determinant(w, q, &logdet, &sign));
    lwt_ok(lw_kinematics(w, q, u));
    lwt_ok(lw_sko_update(k, w));
    lwt_ok(lw_sko_factor(k));
    lwt_ok(lw_sko_log_determinant(k, &of_sko));
    /* M + m - m cos^2 loses six digits at the vertical, so ten remain */
    lwt_near(logdet, exact, 1e-9, "theta %g", theta);
    lwt_near(of_sko, exact, 1e-9, "theta %g, SKO model", theta);
    assert_int_equal(sign, 1);
  }
  lw_sko_free(k);
  lw_work_free(w);
  lw_model_free(model);
}

static lw_model *long_chain(int n)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  char name[16];
  for (int i = 1; i <= n; i++) {
    snprintf(name, sizeof name, "b%d", i);
    lw_add_body(s, &(lw_body_desc){.name = name, .mass = 1e-3, .inertia = {1e-5, 1e-5, 1e-5}});
    snprintf(name, sizeof name, "j%d", i);
    lw_add_joint(s, &(lw_joint_desc){.name = name,
                                     .type = LW_PRISMATIC,
                                     .parent = {i - 1},
                                     .child = {i},
                                     .axis = {0, 0, 1}});
  }
  lw_model *model = lw_compile(s, &err);
  lw_spec_free(s);
  if (!model) fail_msg("%s", err.text);
  return model;
}

/* sliders on sliders along one line: each pivot is the mass of one body, det = m^n = 1e-300000 */
static void determinant_of_a_hundred_thousand_bodies_does_not_overflow(void **state)
{
  (void)state;
  const int n = 100000;
  lw_model *model = long_chain(n);
  lwt_case c = lwt_case_of(model, 1);
  double logdet, of_sko;
  int sign;
  lwt_ok(lw_mass_determinant(c.w, c.q, &logdet, &sign));
  lwt_near(logdet, n * log(1e-3), 1e-9 * n, "recursion");
  lw_sko *k = lw_sko_from_model(model, NULL);
  assert_non_null(k);
  lwt_ok(lw_kinematics(c.w, c.q, c.u));
  lwt_ok(lw_sko_update(k, c.w));
  lwt_ok(lw_sko_factor(k));
  lwt_ok(lw_sko_log_determinant(k, &of_sko));
  lwt_near(of_sko, n * log(1e-3), 1e-9 * n, "SKO model");
  lw_sko_free(k);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(light_cart_pole_keeps_its_determinant_through_the_vertical),
      cmocka_unit_test(determinant_of_a_hundred_thousand_bodies_does_not_overflow),
  };
  return cmocka_run_group_tests_name("closed_form/log_determinant", tests, NULL, NULL);
}
