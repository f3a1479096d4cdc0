/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.c -- a double pendulum near rest: how its accelerations follow its state and a
   length.

   The equation of small motions is d(udot) = A d(q) + B d(u); its determinant tells the
   frequencies. */
#include <linkwork/core.h>

#include <math.h>
#include <stdio.h>

static lw_spec *describe(void)
{
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -9.81, 0);
  lw_add_parameter(s, &(lw_parameter_desc){.name = "L", .value = 1.0});
  const lw_solid rod = {
      .type = LW_SOLID_ROD, .mass = 2, .length = lw_expr(s, "L"), .axis = {0, -1, 0}};
  const lw_body upper = lw_add_body(s, &(lw_body_desc){.name = "upper", .solid = rod});
  const lw_body lower = lw_add_body(s, &(lw_body_desc){.name = "lower", .solid = rod});
  lw_add_joint(s, &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = upper});
  lw_add_joint(s, &(lw_joint_desc){.name = "B",
                                   .type = LW_REVOLUTE,
                                   .parent = upper,
                                   .child = lower,
                                   .place = {.at = {0, lw_expr(s, "-L"), 0}}});
  return s;
}

/* w^2 = -(eigenvalues of A) of the pendulum at rest */
static lw_status find_frequencies(lw_derivatives *d)
{
  const double q[2] = {0, 0}, u[2] = {0, 0};
  double A[4], B[4], udot[2];
  const lw_status st =
      lw_forward_dynamics_derivatives(d, 0, q, u, NULL, udot, &(lw_forward_matrices){A, B, NULL});
  if (st != LW_OK) return st;
  const double half = (A[0] + A[3]) / 2, det = A[0] * A[3] - A[1] * A[2];
  const double root = sqrt(half * half - det);
  printf("small motions: %.6f and %.6f rad/s\n", sqrt(-half - root), sqrt(-half + root));
  return LW_OK;
}

/* raised by 1 rad and turning: what a longer rod does to the accelerations and to the load of joint
   A */
static lw_status follow_length(const lw_model *m, lw_derivatives *d,
                               const lw_model_derivative *length)
{
  const double q[2] = {1, 0}, u[2] = {2, 0};
  double udot[2], rate[2], load[6];
  lw_status st = lw_linearize_forward(d, 0, q, u, NULL, udot);
  if (st == LW_OK) st = lw_forward_derivative(d, &(lw_direction){.model = length}, rate);
  if (st == LW_OK) st = lw_load_derivatives(d);
  if (st == LW_OK) st = lw_get_load_derivative(d, lw_find_joint(m, "A"), load);
  if (st == LW_OK)
    printf("udot = %.6f, %.6f rad/s^2; d/dL = %.6f, %.6f; the load changes by (%.4f, %.4f) N/m\n",
           udot[0], udot[1], rate[0], rate[1], load[3], load[4]);
  return st;
}

int main(void)
{
  lw_error err = {.status = LW_OK};
  lw_spec *s = describe();
  lw_model *m = lw_compile(s, &err);
  lw_derivatives *d = lw_derivatives_new(m);
  lw_model_derivative *length = m ? lw_model_derivative_new(m, "L", &err) : NULL;
  lw_status st = d && length ? find_frequencies(d) : LW_E_MEMORY;
  if (st == LW_OK) st = follow_length(m, d, length);
  if (st != LW_OK) fprintf(stderr, "%s\n", err.status != LW_OK ? err.text : lw_status_text(st));
  lw_model_derivative_free(length);
  lw_derivatives_free(d);
  lw_model_free(m);
  lw_spec_free(s);
  return st == LW_OK ? 0 : 1;
}
