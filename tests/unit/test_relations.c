/* SPDX-License-Identifier: Apache-2.0 */
/* Gear, coupler, driver: what they relate, and the derivatives of their targets. */
#include "lwt.h"
#include "model/model.h"

#include <math.h>

/* ground - A - B - C: two revolute joints and a cylindrical one, parameters and one constraint */
static lw_model *chain_with(const lw_constraint_desc *d, const char *value)
{
  lw_spec *s = lw_spec_new();
  lw_add_parameter(s, &(lw_parameter_desc){.name = "amplitude", .value = 0.3});
  lw_add_parameter(s, &(lw_parameter_desc){.name = "rate", .value = 2});
  lw_body b[4] = {{0}};
  const char *const bodies[4] = {"", "a", "b", "c"}, *const joints[4] = {"", "A", "B", "C"};
  for (int i = 1; i < 4; i++) {
    b[i] = lw_add_body(s, &(lw_body_desc){.name = bodies[i], .mass = 1, .inertia = {1, 1, 1}});
    lw_add_joint(s, &(lw_joint_desc){.name = joints[i],
                                     .type = i < 3 ? LW_REVOLUTE : LW_CYLINDRICAL,
                                     .parent = b[i - 1],
                                     .child = b[i],
                                     .q = {0.1 * i, 0.5},
                                     .u = {0.2 * i, 0.7}});
  }
  lw_constraint_desc copy = *d;
  if (value) copy.value = lw_expr(s, value);
  lw_add_constraint(s, &copy);
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

static void a_gear_keeps_its_start(void **state)
{
  (void)state;
  const lw_term terms[2] = {{.joint = {1}}, {.joint = {2}}};
  lw_model *m = chain_with(
      &(lw_constraint_desc){.name = "g", .type = LW_GEAR, .terms = terms, .nterm = 2, .ratio = 3},
      NULL);
  const lwi_relation *r = &m->constraint[1].relation;
  double target[3];
  assert_int_equal(r->nterm, 2);
  assert_int_equal(m->constraint[1].equations.n, 0);
  /* u.B = 3 u.A; q.B - 3 q.A = start */
  lwt_near(lwi_relation_sum(r, (double[]){0.5, 1.5}), 0, 1e-15, "speeds");
  const double start = lwi_relation_sum(r, (double[]){0.1, 0.2});
  lwt_near(start, -0.1, 1e-15, "start");
  lwi_relation_target(r, m->parameter, m->nparameter, start, 7, target);
  assert_true(target[0] == start && target[1] == 0 && target[2] == 0);
  lw_model_free(m);
}

static void a_coupler_is_a_sum(void **state)
{
  (void)state;
  const lw_term terms[2] = {{.joint = {1}, .coefficient = 1},
                            {.joint = {3}, .dof = 2, .coefficient = -3}};
  lw_model *m = chain_with(
      &(lw_constraint_desc){
          .name = "k", .type = LW_COUPLER, .terms = terms, .nterm = 2, .offset = 0.25},
      NULL);
  const lwi_relation *r = &m->constraint[1].relation;
  double target[3];
  assert_int_equal(r->term[1].joint, 3);
  assert_int_equal(r->term[1].dof, 1);
  lwt_near(lwi_relation_sum(r, (double[]){2, 0.5}), 0.5, 1e-15, "2 - 3 0.5");
  lwi_relation_target(r, m->parameter, m->nparameter, 99, 7, target);
  assert_true(target[0] == 0.25 && target[1] == 0 && target[2] == 0);
  lw_model_free(m);
}

static void powers_of_a_coupler_have_slopes(void **state)
{
  (void)state;
  const lw_term terms[2] = {{.joint = {1}, .coefficient = 1},
                            {.joint = {2}, .coefficient = -3, .higher = {0.5, 0.25, 2}}};
  lw_model *m = chain_with(
      &(lw_constraint_desc){.name = "k", .type = LW_COUPLER, .terms = terms, .nterm = 2}, NULL);
  const lwi_relation *r = &m->constraint[1].relation;
  lwt_near(lwi_relation_sum(r, (double[]){2, 0.5}), 2 - 1.5 + 0.125 + 0.03125 + 0.125, 1e-15,
           "sum");
  lwt_near(lwi_term_slope(&r->term[1], 0.5), -3 + 0.5 + 0.1875 + 1, 1e-15, "slope");
  lwt_near(lwi_term_bend(&r->term[1], 0.5), 1 + 0.75 + 6, 1e-15, "bend");
  lw_model_free(m);
}

static void a_driver_has_exact_derivatives_and_sets_the_start(void **state)
{
  (void)state;
  const lw_term term = {.joint = {3}, .dof = 2};
  lw_model *m =
      chain_with(&(lw_constraint_desc){.name = "d", .type = LW_DRIVER, .terms = &term, .nterm = 1},
                 "1 + amplitude*sin(rate*t)");
  const lwi_relation *r = &m->constraint[1].relation;
  for (int k = 0; k < 5; k++) {
    const double t = 0.3 * k, s = sin(2 * t), c = cos(2 * t);
    const double expected[3] = {1 + 0.3 * s, 0.6 * c, -1.2 * s};
    double target[3];
    lwi_relation_target(r, m->parameter, m->nparameter, 0, t, target);
    lwt_close(target, expected, 3, 1e-15, 1, "t = %g", t);
  }
  double q[4], u[4];
  lw_initial_state(m, q, u);
  const double q0[4] = {0.1, 0.2, 0.1 * 3, 1}, u0[4] = {0.2, 0.4, 0.2 * 3, 0.6};
  lwt_close(q, q0, 4, 1e-15, 1, "value at the start replaces q");
  lwt_close(u, u0, 4, 1e-15, 1, "rate at the start replaces u");
  lw_model_free(m);
}

static void a_driver_may_be_a_number(void **state)
{
  (void)state;
  const lw_term term = {.joint = {1}};
  lw_model *m = chain_with(
      &(lw_constraint_desc){
          .name = "d", .type = LW_DRIVER, .terms = &term, .nterm = 1, .value = 0.75},
      NULL);
  double target[3];
  lwi_relation_target(&m->constraint[1].relation, m->parameter, m->nparameter, 0, 4, target);
  assert_true(target[0] == 0.75 && target[1] == 0 && target[2] == 0);
  assert_true(m->constraint[1].relation.term[0].coefficient == 1);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gear_keeps_its_start),
      cmocka_unit_test(a_coupler_is_a_sum),
      cmocka_unit_test(powers_of_a_coupler_have_slopes),
      cmocka_unit_test(a_driver_has_exact_derivatives_and_sets_the_start),
      cmocka_unit_test(a_driver_may_be_a_number),
  };
  return cmocka_run_group_tests_name("unit/relations", tests, NULL, NULL);
}
