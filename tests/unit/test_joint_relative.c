/* SPDX-License-Identifier: Apache-2.0 */
/* Joints as relations of two frames: coordinates, speeds and accelerations that made a motion are
   found again from the frames. */
#include "equation_cases.h"

/* as a function that wants coordinates nearby sees it */
static lwi_joint_at at_pair(const pair *p)
{
  return (lwi_joint_at){&p->joint.shape, &p->A.X, &p->B.X, p->joint.q};
}

static void check_pose(pair p, unsigned seed)
{
  const lwi_frame X = lwi_joint_pose(&p.joint.shape, p.joint.q), Y = joint_at(&p.joint, 0);
  for (int k = 0; k < 3; k++)
    lwt_close(X.R.c[k], Y.R.c[k], 3, 1e-14, 1, "type %d seed %u", p.joint.shape.type, seed);
  lwt_close(X.p, Y.p, 3, 1e-14, 25, "type %d seed %u", p.joint.shape.type, seed);
}
static void poses_follow_the_table_of_the_format(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_pose);
}

/* angles from a value up to 3 rad away, quaternions from a distorted one */
static void check_coordinates(pair p, unsigned seed)
{
  const lwi_joint_shape *j = &p.joint.shape;
  lwt_random r = lwt_seed(seed);
  double q[7];
  const bool quat = j->type == LW_SPHERICAL || (j->type == LW_FREE && !j->planar);
  for (int i = 0; i < j->nq; i++)
    q[i] = p.joint.q[i] + lwt_uniform(&r, -1, 1) * (quat ? 0.3 : j->type == LW_GIMBAL ? 0.5 : 3);
  lwi_joint_q(&(lwi_joint_at){j, &p.A.X, &p.B.X, q}, q);
  lwt_close(q, p.joint.q, j->nq, 1e-13, 25, "type %d seed %u", j->type, seed);
}
static void coordinates_are_found_again_also_beyond_a_turn(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_coordinates);
}

static void quaternions_do_not_jump_and_start_with_w_positive(void **state)
{
  (void)state;
  const double zero[7] = {0};
  for (unsigned seed = 1; seed <= 20; seed++) {
    const pair p = random_pair(seed, LW_SPHERICAL, false);
    double q[4], near[4];
    lwi_joint_q(&(lwi_joint_at){&p.joint.shape, &p.A.X, &p.B.X, zero}, q);
    assert_true(q[0] >= 0);
    for (int i = 0; i < 4; i++)
      near[i] = -q[i];
    lwi_joint_q(&(lwi_joint_at){&p.joint.shape, &p.A.X, &p.B.X, near}, q);
    lwt_close(q, near, 4, 1e-15, 1, "seed %u", seed);
  }
}

static void check_speeds(pair p, unsigned seed)
{
  const lwi_joint_shape *j = &p.joint.shape;
  const lwi_joint_at at = at_pair(&p);
  double u[6], udot[6], rel[6], P[6][6], Pu[6] = {0};
  lwi_joint_u(&at, p.A.V, p.B.V, u);
  lwi_joint_udot(&at, p.A.V, p.B.V, p.A.A, p.B.A, udot);
  lwt_close(u, p.joint.u, j->nu, 1e-8, 1, "u, type %d seed %u", j->type, seed);
  lwt_close(udot, p.joint.udot, j->nu, 1e-6, 1, "udot, type %d seed %u", j->type, seed);
  lwi_relative_motion(&p.A.X, &p.B.X, p.A.V, p.B.V, rel);
  lwi_joint_motion_map(&at, P);
  for (int k = 0; k < j->nu; k++)
    for (int i = 0; i < 6; i++)
      Pu[i] += P[k][i] * p.joint.u[k];
  lwt_close(rel, Pu, 6, 1e-8, 1, "P u, type %d seed %u", j->type, seed);
}
static void speeds_and_accelerations_are_found_again(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_speeds);
}

/* docs/theory/tree.md: A_B - A_A = P udot + c, A_A that of A's material point at B's origin */
static void check_bias(pair p, unsigned seed)
{
  const lwi_joint_shape *j = &p.joint.shape;
  const lwi_joint_at at = at_pair(&p);
  double d[3], along[3], w[3], expected[6], P[6][6], c[6];
  for (int i = 0; i < 3; i++)
    d[i] = p.B.X.p[i] - p.A.X.p[i];
  cross3(p.A.A, d, along);
  cross3(p.A.V, d, w);
  cross3(p.A.V, w, w);
  for (int i = 0; i < 3; i++) {
    expected[i] = p.B.A[i] - p.A.A[i];
    expected[3 + i] = p.B.A[3 + i] - p.A.A[3 + i] - along[i] - w[i];
  }
  lwi_joint_motion_map(&at, P);
  lwi_joint_bias(&at, p.A.V, p.B.V, c);
  for (int k = 0; k < j->nu; k++)
    for (int i = 0; i < 6; i++)
      c[i] += P[k][i] * p.joint.udot[k];
  lwt_close(c, expected, 6, 1e-6, 1, "type %d seed %u", j->type, seed);
}
static void velocity_terms_complete_the_relative_acceleration(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_bias);
}

static void check_speed_rows(pair p, unsigned seed)
{
  const lwi_joint_shape *j = &p.joint.shape;
  const lwi_joint_at at = at_pair(&p);
  double JA[6][6], JB[6][6], gamma[6], u[6], udot[6];
  lwi_joint_speed_rows(&at, JA, JB);
  lwi_joint_speed_gamma(&at, p.A.V, p.B.V, gamma);
  for (int i = 0; i < j->nu; i++) {
    u[i] = product6(JA[i], p.A.V) + product6(JB[i], p.B.V);
    udot[i] = product6(JA[i], p.A.A) + product6(JB[i], p.B.A) - gamma[i];
  }
  lwt_close(u, p.joint.u, j->nu, 1e-8, 1, "type %d seed %u", j->type, seed);
  lwt_close(udot, p.joint.udot, j->nu, 1e-6, 1, "type %d seed %u", j->type, seed);
}
static void speeds_are_rows_in_the_motions_of_the_frames(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_speed_rows);
}

/* also between frames that violate the joint's equations, as during assembly */
static void speed_rows_are_gradients_of_coordinates(void **state)
{
  (void)state;
  const lw_joint_type types[] = {LW_REVOLUTE,    LW_PRISMATIC, LW_HELICAL,
                                 LW_CYLINDRICAL, LW_UNIVERSAL, LW_PLANAR};
  const double h = 0.004;
  for (unsigned seed = 1; seed <= 75; seed++) {
    lwt_random r = lwt_seed(seed);
    lwi_joint_shape j = random_shape(&r, seed <= 60 ? types[seed % 6] : LW_GIMBAL, false);
    lwt_gimbal_axes(j.type, j.axis[0], j.axis[1], j.axis[2]); /* which have angles for all frames */
    const moving A = random_moving(&r, false, 3);
    moving B = random_moving(&r, false, 3);
    B.X.R = rot_mul(A.X.R, random_rotation(&r, false, 1.5));
    double f[3][STEPS], q[3] = {0}, middle[3], JA[6][6], JB[6][6], d, dd;
    for (int s = 0; s < STEPS; s++) {
      const lwi_frame a = at_time(&A, (s - 4) * h), b = at_time(&B, (s - 4) * h);
      lwi_joint_q(&(lwi_joint_at){&j, &a, &b, q}, q);
      for (int i = 0; i < j.nq; i++)
        f[i][s] = q[i];
      if (s == 4) memcpy(middle, q, sizeof middle);
    }
    lwi_joint_speed_rows(&(lwi_joint_at){&j, &A.X, &B.X, middle}, JA, JB);
    for (int i = 0; i < j.nu; i++) {
      differentiate(f[i], h, &d, &dd);
      lwt_near(product6(JA[i], A.V) + product6(JB[i], B.V), d, 1e-8 * fmax(1, fabs(d)),
               "type %d seed %u", j.type, seed);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_follow_the_table_of_the_format),
      cmocka_unit_test(coordinates_are_found_again_also_beyond_a_turn),
      cmocka_unit_test(quaternions_do_not_jump_and_start_with_w_positive),
      cmocka_unit_test(speeds_and_accelerations_are_found_again),
      cmocka_unit_test(velocity_terms_complete_the_relative_acceleration),
      cmocka_unit_test(speeds_are_rows_in_the_motions_of_the_frames),
      cmocka_unit_test(speed_rows_are_gradients_of_coordinates),
  };
  return cmocka_run_group_tests_name("unit/joint_relative", tests, NULL, NULL);
}
