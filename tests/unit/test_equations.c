/* SPDX-License-Identifier: Apache-2.0 */
/* The equations between two frames: rows and velocity terms against differences along arbitrary
   motions, and zero along the motions that the joint allows. */
#include "equation_cases.h"

/* ---- every set of equations, between frames that violate them ---- */

enum { SETS = LW_JOINT_TYPES + LW_CONSTRAINT_TYPES };

static bool has_set(int k, bool planar)
{
  if (k < LW_JOINT_TYPES) return exists((lw_joint_type)k, planar);
  return lwi_constraint_is_geometric((lw_constraint_type)(k - LW_JOINT_TYPES));
}

static lwi_equations random_set(lwt_random *r, int k, bool planar)
{
  if (k < LW_JOINT_TYPES) {
    const lwi_joint_shape j = random_shape(r, (lw_joint_type)k, planar);
    return lwi_joint_equations(&j);
  }
  double axis[3], axis2[3];
  lwt_unit_vector(r, axis);
  lwt_unit_vector(r, axis2);
  if (planar) {
    const double a = lwt_uniform(r, -3, 3), b = lwt_uniform(r, -3, 3);
    axis[0] = cos(a), axis[1] = sin(a), axis[2] = 0;
    axis2[0] = cos(b), axis2[1] = sin(b), axis2[2] = 0;
  }
  return lwi_constraint_equations((lw_constraint_type)(k - LW_JOINT_TYPES), planar, axis, axis2,
                                  lwt_uniform(r, 0.5, 2), lwt_pick(r, 2) ? 1 : -1);
}

typedef struct {
  lwi_equations e;
  moving A, B;
  double near;
} loose_pair;

static loose_pair random_loose_pair(unsigned seed, int k, bool planar)
{
  lwt_random r = lwt_seed(seed * 97 + (unsigned)k * 2 + planar);
  loose_pair p = {.e = random_set(&r, k, planar)};
  p.near = lwt_uniform(&r, -20, 20);
  p.A = random_moving(&r, planar, 3);
  p.B = random_moving(&r, planar, 3);
  /* not beyond two radians from parallel: no closer to the pole than differences can stand */
  p.B.X.R = rot_mul(p.A.X.R, random_rotation(&r, planar, 2));
  double a[3], b[3];
  rot_mulv(p.A.X.R, p.e.E.c[2], a);
  rot_mulv(p.B.X.R, p.e.b, b);
  for (int i = 0; i < 3 && k == LW_JOINT_TYPES + LW_PARALLEL && dot3(a, b) < 0; i++)
    p.e.b[i] = -p.e.b[i];
  return p;
}

static void residuals_along(const loose_pair *p, double h, double f[6][STEPS])
{
  double phi[6], near = p->near;
  for (int s = 0; s < STEPS; s++) {
    const lwi_frame A = at_time(&p->A, (s - 4) * h), B = at_time(&p->B, (s - 4) * h);
    if (s == 0) near = lwi_relative_angle(&A.R, &B.R, p->e.E.c[2], near);
    lwi_equations_residual(&p->e, &A, &B, near, phi);
    for (int i = 0; i < p->e.n; i++)
      f[i][s] = phi[i];
  }
}

static void check_derivatives(unsigned seed, int k, bool planar)
{
  const loose_pair p = random_loose_pair(seed, k, planar);
  double f[6][STEPS], JA[6][6], JB[6][6], gamma[6], rate[6], bend[6], d[6], dd[6];
  const double h = 0.004;
  residuals_along(&p, h, f);
  lwi_equations_jacobian(&p.e, &p.A.X, &p.B.X, JA, JB);
  lwi_equations_gamma(&p.e, &p.A.X, &p.B.X, p.A.V, p.B.V, gamma);
  for (int i = 0; i < p.e.n; i++) {
    rate[i] = product6(JA[i], p.A.V) + product6(JB[i], p.B.V);
    bend[i] = product6(JA[i], p.A.A) + product6(JB[i], p.B.A) - gamma[i];
    differentiate(f[i], h, &d[i], &dd[i]);
  }
  lwt_close(rate, d, p.e.n, 1e-10, fmax(1, lwt_scale(d, p.e.n)), "set %d seed %u", k, seed);
  lwt_close(bend, dd, p.e.n, 1e-8, fmax(1, lwt_scale(dd, p.e.n)), "set %d seed %u", k, seed);
}

static void rows_and_velocity_terms_are_derivatives_of_the_residual(void **state)
{
  (void)state;
  for (int planar = 0; planar < 2; planar++)
    for (int k = 0; k < SETS; k++)
      for (unsigned seed = 1; seed <= 20 && has_set(k, planar != 0); seed++)
        check_derivatives(seed, k, planar != 0);
}

static void action_equals_reaction_also_where_equations_are_violated(void **state)
{
  (void)state;
  for (int k = 0; k < SETS; k++) {
    if (!has_set(k, false)) continue;
    const loose_pair p = random_loose_pair(5, k, false);
    double JA[6][6], JB[6][6], d[3], moment[3];
    lwi_equations_jacobian(&p.e, &p.A.X, &p.B.X, JA, JB);
    for (int i = 0; i < p.e.n; i++) {
      for (int c = 0; c < 3; c++)
        d[c] = p.B.X.p[c] - p.A.X.p[c];
      cross3(d, JB[i] + 3, moment); /* the load on B about A's origin */
      for (int c = 0; c < 3; c++) {
        lwt_near(JA[i][3 + c], -JB[i][3 + c], 1e-14, "force, set %d", k);
        lwt_near(JA[i][c], -JB[i][c] - moment[c], 1e-13, "moment, set %d", k);
      }
    }
  }
}

static void planar_rows_stay_in_the_plane(void **state)
{
  (void)state;
  for (int k = 0; k < SETS; k++) {
    if (!has_set(k, true)) continue;
    const loose_pair p = random_loose_pair(3, k, true);
    double JA[6][6], JB[6][6];
    lwi_equations_jacobian(&p.e, &p.A.X, &p.B.X, JA, JB);
    for (int i = 0; i < p.e.n; i++)
      for (int c = 0; c < 6; c++)
        if (c < 2 || c == 5) lwt_near(fabs(JA[i][c]) + fabs(JB[i][c]), 0, 1e-14, "set %d", k);
  }
}

/* ---- joints between frames that satisfy them ---- */

static void check_count(pair p, unsigned seed)
{
  (void)seed;
  assert_int_equal(p.e.n, (p.joint.shape.planar ? 3 : 6) - p.joint.shape.nu);
}
static void a_joint_takes_what_it_does_not_leave(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_count);
}

static void check_residual(pair p, unsigned seed)
{
  double phi[6], zero[6] = {0};
  const double near = p.joint.q[0] + (seed % 2 ? 2.5 : -2.5);
  lwi_equations_residual(&p.e, &p.A.X, &p.B.X, near, phi);
  lwt_close(phi, zero, p.e.n, 1e-13, 25, "type %d seed %u", p.joint.shape.type, seed);
}
static void residuals_vanish_over_the_whole_range_of_the_joint(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_residual);
}

/* orthogonal rows that are not zero: full rank, and as well conditioned as can be */
static void check_rows(pair p, unsigned seed)
{
  double JA[6][6], JB[6][6], D[6][6];
  lwi_equations_jacobian(&p.e, &p.A.X, &p.B.X, JA, JB);
  lwi_equations_directions(&p.e, &p.A.X, &p.B.X, D);
  for (int i = 0; i < p.e.n; i++) {
    const double length = sqrt(product6(JB[i], JB[i]));
    assert_true(length > 0.99);
    if (p.joint.shape.type != LW_HELICAL) lwt_near(length, 1, 1e-13, "row %d", i);
    for (int k = 0; k < i; k++) {
      lwt_near(product6(JB[i], JB[k]), 0, 1e-12, "rows %d %d seed %u", i, k, seed);
      lwt_near(product6(D[i], D[k]), 0, 1e-13, "directions %d %d seed %u", i, k, seed);
    }
    for (int c = 0; c < 6; c++)
      lwt_near(JB[i][c] / length, D[i][c], 1e-12, "direction %d", i);
  }
}
static void rows_are_orthogonal_and_equal_the_load_directions(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_rows);
}

/* with n + nu = 6 (3) and orthogonal rows this says that P spans the null space of JB */
static void check_motion_map(pair p, unsigned seed)
{
  double JA[6][6], JB[6][6], D[6][6], P[6][6], G[6][6];
  const lwi_joint_shape *j = &p.joint.shape;
  const lwi_joint_at at = {j, &p.A.X, &p.B.X, p.joint.q};
  lwi_equations_jacobian(&p.e, &p.A.X, &p.B.X, JA, JB);
  lwi_equations_directions(&p.e, &p.A.X, &p.B.X, D);
  lwi_joint_motion_map(&at, P);
  lwi_joint_speed_map(&at, G);
  for (int k = 0; k < j->nu; k++) {
    for (int i = 0; i < p.e.n; i++) {
      lwt_near(product6(JB[i], P[k]), 0, 1e-12, "type %d: row %d, seed %u", j->type, i, seed);
      lwt_near(product6(D[i], P[k]), 0, 1e-13, "type %d: D %d, seed %u", j->type, i, seed);
    }
    for (int i = 0; i < j->nu; i++)
      lwt_near(product6(G[i], P[k]), i == k, 1e-12, "type %d: G P, seed %u", j->type, seed);
  }
}
static void the_motion_map_and_the_loads_are_complements(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_motion_map);
}

static void check_load(pair p, unsigned seed)
{
  lwt_random r = lwt_seed(seed);
  double JA[6][6], JB[6][6], P[6][6], lambda[6], back[6], load[6];
  const lwi_joint_at at = {&p.joint.shape, &p.A.X, &p.B.X, p.joint.q};
  lwi_equations_jacobian(&p.e, &p.A.X, &p.B.X, JA, JB);
  lwi_joint_motion_map(&at, P);
  for (int i = 0; i < p.e.n; i++)
    lambda[i] = lwt_uniform(&r, -10, 10);
  lwi_equations_load(&p.e, JB, lambda, load);
  for (int k = 0; k < p.joint.shape.nu; k++)
    lwt_near(dot3(load, P[k] + 3) + dot3(load + 3, P[k]), 0, 1e-11, "seed %u", seed);
  double power = 0; /* on both bodies together */
  for (int i = 0; i < p.e.n; i++)
    power += lambda[i] * (product6(JA[i], p.A.V) + product6(JB[i], p.B.V));
  lwt_near(power, 0, 1e-7, "power, type %d seed %u", p.joint.shape.type, seed);
  lwi_equations_multipliers(&p.e, JB, load, back);
  lwt_close(back, lambda, p.e.n, 1e-12, 10, "type %d seed %u", p.joint.shape.type, seed);
}
static void loads_do_no_work_and_give_back_their_multipliers(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_load);
}

static void check_admissible(pair p, unsigned seed)
{
  double JA[6][6], JB[6][6], gamma[6], rate[6], bend[6], zero[6] = {0};
  lwi_equations_jacobian(&p.e, &p.A.X, &p.B.X, JA, JB);
  lwi_equations_gamma(&p.e, &p.A.X, &p.B.X, p.A.V, p.B.V, gamma);
  for (int i = 0; i < p.e.n; i++) {
    rate[i] = product6(JA[i], p.A.V) + product6(JB[i], p.B.V);
    bend[i] = product6(JA[i], p.A.A) + product6(JB[i], p.B.A);
  }
  lwt_close(rate, zero, p.e.n, 1e-9, 25, "type %d seed %u", p.joint.shape.type, seed);
  lwt_close(bend, gamma, p.e.n, 1e-7, 25, "type %d seed %u", p.joint.shape.type, seed);
}
static void motions_that_the_joint_allows_satisfy_the_equations(void **state)
{
  (void)state;
  FOR_EVERY_PAIR(p, check_admissible);
}

/* ---- wrong senses ---- */

/* x with (J J' + tiny) y = b, x = J' y: the smallest step, also where rows are dependent */
static void smallest_step(double J[6][6], int n, const double b[6], double x[6])
{
  double M[6][7], scale = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++)
      M[i][k] = product6(J[i], J[k]);
    M[i][n] = b[i];
    scale = fmax(scale, M[i][i]);
  }
  for (int i = 0; i < n; i++)
    M[i][i] += 1e-14 * scale;
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++)
      for (int c = n; c >= i; c--)
        M[k][c] -= M[k][i] / M[i][i] * M[i][c];
  memset(x, 0, 6 * sizeof(double));
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      M[i][n] -= M[i][k] * M[k][n];
    M[i][n] /= M[i][i];
    for (int c = 0; c < 6; c++)
      x[c] += J[i][c] * M[i][n];
  }
}

/* Newton's method on the pose of B */
static int close_pair(const lwi_equations *e, const lwi_frame *A, lwi_frame *B, double near)
{
  for (int k = 0; k < 60; k++) {
    double phi[6], JA[6][6], JB[6][6], x[6];
    lwi_equations_residual(e, A, B, near, phi);
    if (lwt_scale(phi, e->n) < 1e-12) return k;
    lwi_equations_jacobian(e, A, B, JA, JB);
    smallest_step(JB, e->n, phi, x);
    for (int i = 0; i < 3; i++)
      x[i] = -x[i], B->p[i] -= x[3 + i];
    B->R = rot_mul(exponential(x), B->R);
  }
  return -1;
}

static double alignment(const lwi_joint_shape *j, const lwi_frame *A, const lwi_frame *B)
{
  double a[3], b[3];
  rot_mulv(A->R, j->axis[0], a);
  rot_mulv(B->R, j->axis[0], b);
  return dot3(a, b);
}

static void newton_finds_the_right_sense_of_an_axis(void **state)
{
  (void)state;
  const lw_joint_type types[] = {LW_REVOLUTE, LW_CYLINDRICAL, LW_PRISMATIC, LW_FIXED};
  for (unsigned seed = 1; seed <= 40; seed++) {
    lwt_random r = lwt_seed(seed);
    const lwi_joint_shape j = random_shape(&r, types[seed % 4], false);
    const lwi_equations e = lwi_joint_equations(&j);
    const lwi_frame A = random_frame(&r, false, 3);
    double n[3], m[3];
    lwt_unit_vector(&r, n);
    cross3(j.axis[0], n, m);
    const double half_turn = 3.14159265358979323846, turn = seed <= 20 ? half_turn : 3;
    lwi_frame B = A;
    const double length = norm3(m);
    for (int i = 0; i < 3; i++)
      m[i] /= length, B.p[i] += n[i];
    B.R = rot_mul(A.R, about(m, turn)); /* upside down, exactly or nearly */
    assert_true(alignment(&j, &A, &B) < -0.9);
    assert_true(close_pair(&e, &A, &B, 0) >= 0);
    lwt_near(alignment(&j, &A, &B), 1, 1e-12, "seed %u", seed);
  }
}

static void newton_turns_back_from_half_a_turn_in_the_plane(void **state)
{
  (void)state;
  const double z[3] = {0, 0, 1}, half_turn = 3.14159265358979323846;
  for (unsigned seed = 1; seed <= 10; seed++) {
    lwt_random r = lwt_seed(seed);
    const lwi_joint_shape j = random_shape(&r, seed % 2 ? LW_FIXED : LW_PRISMATIC, true);
    const lwi_equations e = lwi_joint_equations(&j);
    const lwi_frame A = random_frame(&r, true, 3);
    lwi_frame B = {.R = rot_mul(A.R, about(z, half_turn)), .p = {3, -1}};
    assert_true(close_pair(&e, &A, &B, 0) >= 0);
    lwt_near(dot3(A.R.c[0], B.R.c[0]), 1, 1e-12, "seed %u", seed);
    lwt_near(B.p[2], 0, 0, "stays in the plane");
  }
}

/* ---- geometric constraints ---- */

static lwi_frame frame_at(double x, double y, double z, const double axis[3], double angle)
{
  return (lwi_frame){.R = about(axis, angle), .p = {x, y, z}};
}

static void geometric_constraints_mean_what_they_say(void **state)
{
  (void)state;
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}, quarter = 1.57079632679489662;
  const lwi_frame A = frame_at(1, 2, 3, z, quarter); /* its x axis is y of the ground */
  const lwi_frame B = frame_at(1, 5, 7, x, 0.3);
  double phi[6];
  lwi_equations e = lwi_constraint_equations(LW_DISTANCE, false, z, x, 4, 1);
  lwi_equations_residual(&e, &A, &B, 0, phi);
  lwt_near(phi[0], 1, 1e-14, "distance 5 - 4");
  e = lwi_constraint_equations(LW_POINT_ON_PLANE, false, x, x, 0, 1);
  lwi_equations_residual(&e, &A, &B, 0, phi);
  lwt_near(phi[0], 3, 1e-14, "3 along y");
  e = lwi_constraint_equations(LW_POINT_ON_LINE, false, y, x, 0, 1);
  lwi_equations_residual(&e, &A, &B, 0, phi);
  lwt_near(hypot(phi[0], phi[1]), 5, 1e-14, "5 from the line along -x");
  e = lwi_constraint_equations(LW_PERPENDICULAR, false, x, x, 0, 1);
  lwi_equations_residual(&e, &A, &B, 0, phi);
  lwt_near(phi[0], 0, 1e-15, "y of the ground and x of the ground");
  e = lwi_constraint_equations(LW_PARALLEL, false, z, x, 0, 1);
  lwi_equations_residual(&e, &A, &B, 0, phi);
  lwt_near(hypot(phi[0], phi[1]), 2 * tan(0.15), 1e-14, "0.3 rad");
}

static void the_load_of_a_distance_is_along_it(void **state)
{
  (void)state;
  const double z[3] = {0, 0, 1};
  const lwi_frame A = frame_at(1, 2, 3, z, 1), B = frame_at(1, 5, 7, z, 2);
  const lwi_equations e = lwi_constraint_equations(LW_DISTANCE, false, z, z, 5, 1);
  double JA[6][6], JB[6][6], load[6], lambda = 10;
  const double expected[6] = {0, 6, 8, 0, 0, 0};
  lwi_equations_jacobian(&e, &A, &B, JA, JB);
  lwi_equations_load(&e, JB, &lambda, load);
  lwt_close(load, expected, 6, 1e-15, 10, "pushes the child away");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_velocity_terms_are_derivatives_of_the_residual),
      cmocka_unit_test(action_equals_reaction_also_where_equations_are_violated),
      cmocka_unit_test(planar_rows_stay_in_the_plane),
      cmocka_unit_test(a_joint_takes_what_it_does_not_leave),
      cmocka_unit_test(residuals_vanish_over_the_whole_range_of_the_joint),
      cmocka_unit_test(rows_are_orthogonal_and_equal_the_load_directions),
      cmocka_unit_test(the_motion_map_and_the_loads_are_complements),
      cmocka_unit_test(loads_do_no_work_and_give_back_their_multipliers),
      cmocka_unit_test(motions_that_the_joint_allows_satisfy_the_equations),
      cmocka_unit_test(newton_finds_the_right_sense_of_an_axis),
      cmocka_unit_test(newton_turns_back_from_half_a_turn_in_the_plane),
      cmocka_unit_test(geometric_constraints_mean_what_they_say),
      cmocka_unit_test(the_load_of_a_distance_is_along_it),
  };
  return cmocka_run_group_tests_name("unit/equations", tests, NULL, NULL);
}
