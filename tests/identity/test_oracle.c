/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork against a dense solution in maximal coordinates that shares no code with it (oracle.h), on
   random trees with every joint type, run through in either direction, floating, in space and in the
   plane, with every kind of force.  The oracle itself is tested first: by differences of its poses,
   by the work of its forces, and on loops whose answer is known. */
#include "oracle.h"
#include "linkwork/quantities.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 60, MOST = 400 };

static const double rtol = 1e-10;

/* model k: 1 to 14 bodies, chains to bushes, floating by a written joint or by none */
static lwt_recipe recipe(unsigned k)
{
  return (lwt_recipe){.seed = 500 + k,
                      .nbody = 1 + (int)(k * 5 % 14),
                      .branching = (double)(k % 5) / 4,
                      .floating = k % 3 == 0,
                      .loose = k % 7 == 3,
                      .planar = k % 4 == 3,
                      .forces = k % 2 == 0};
}

/* a model in both forms, with a state */
typedef struct {
  lwt_parts *parts;
  oracle *o;
  lwt_case c;
} pair;

static pair pair_of(lwt_parts *parts, unsigned seed)
{
  pair p = {.parts = parts, .o = oracle_new(parts)};
  p.c = lwt_case_of(lwt_parts_compile(parts), seed);
  assert_int_equal(p.o->nq, p.c.nq);
  assert_int_equal(p.o->nu, p.c.nu);
  assert_int_equal(p.o->njoint, lw_njoint(p.c.m));
  assert_true(p.c.nq < MOST);
  oracle_kinematics(p.o, p.c.q, p.c.u);
  return p;
}

static pair pair_new(const lwt_recipe *r)
{
  return pair_of(lwt_random_parts(r), r->seed);
}

static void pair_free(pair *p)
{
  oracle_free(p->o);
  lwt_case_free(&p->c);
  lwt_parts_free(p->parts);
}

/* ---- the oracle by itself ---- */

static void rotate(const double e[4], const double v[3], double out[3])
{
  const double w = e[0], x = e[1], y = e[2], z = e[3];
  const double R[3][3] = {
      {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  for (int i = 0; i < 3; i++)
    out[i] = R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2];
}

/* e o exp(w h / 2): where a rotation with constant w in its own axes is after h */
static void turn_quaternion(const double e[4], const double w[3], double h, double out[4])
{
  const double n = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double c = cos(n * h / 2), s = n > 0 ? sin(n * h / 2) / n : h / 2;
  const double d[4] = {c, s * w[0], s * w[1], s * w[2]};
  const double r[4] = {e[0] * d[0] - e[1] * d[1] - e[2] * d[2] - e[3] * d[3],
                       e[0] * d[1] + e[1] * d[0] + e[2] * d[3] - e[3] * d[2],
                       e[0] * d[2] - e[1] * d[3] + e[2] * d[0] + e[3] * d[1],
                       e[0] * d[3] + e[1] * d[2] - e[2] * d[1] + e[3] * d[0]};
  memcpy(out, r, sizeof r);
}

/* position after h of a point that keeps the velocity v in axes that turn with w: the integral by
   Gauss's rule with five points, exact to h^10 */
static void move_point(const double e[4], const double w[3], const double v[3], double h,
                       double x[3])
{
  static const double node[5] = {-0.906179845938664, -0.538469310105683, 0, 0.538469310105683,
                                 0.906179845938664};
  static const double weight[5] = {0.236926885056189, 0.478628670499366, 0.568888888888889,
                                   0.478628670499366, 0.236926885056189};
  for (int k = 0; k < 5; k++) {
    double at[4], step[3];
    turn_quaternion(e, w, h * (1 + node[k]) / 2, at);
    rotate(at, v, step);
    for (int i = 0; i < 3; i++)
      x[i] += h / 2 * weight[k] * step[i];
  }
}

/* q after h of the motion with constant u */
static void move(const oracle *o, const double q[], const double u[], double h, double out[])
{
  memcpy(out, q, (size_t)o->nq * sizeof(double));
  for (int j = 0; j < o->njoint; j++) {
    const double *qj = q + o->q[j], *uj = u + o->u[j];
    double *to = out + o->q[j];
    if (o->joint[j].type == LW_SPHERICAL) {
      turn_quaternion(qj, uj, h, to);
    } else if (o->joint[j].type == LW_FREE && !o->parts->planar) {
      turn_quaternion(qj + 3, uj, h, to + 3);
      move_point(qj + 3, uj, uj + 3, h, to);
    } else if (o->joint[j].type == LW_FREE) {
      const double e[4] = {cos(qj[2] / 2), 0, 0, sin(qj[2] / 2)}, w[3] = {0, 0, uj[0]},
                   v[3] = {uj[1], uj[2], 0};
      double x[3] = {qj[0], qj[1], 0};
      move_point(e, w, v, h, x);
      to[0] = x[0], to[1] = x[1], to[2] = qj[2] + uj[0] * h;
    } else {
      for (int i = 0; i < lw_joint_type_nu(o->joint[j].type, o->parts->planar); i++)
        to[i] = qj[i] + h * uj[i];
    }
  }
}

/* first and second derivative by differences of fourth order from five values a step h apart */
static double slope(const double f[5], double h)
{
  return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h);
}
static double curvature(const double f[5], double h)
{
  return (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h);
}

/* poses of body b at five times around the state, moved with constant u */
static void sample_poses(oracle *o, const double q[], const double u[], double h,
                         oracle_frame (*X)[5])
{
  double at[MOST];
  for (int k = 0; k < 5; k++) {
    move(o, q, u, h * (k - 2), at);
    oracle_kinematics(o, at, u);
    for (int b = 0; b <= o->parts->nbody; b++)
      X[b][k] = o->body[b].X;
  }
  oracle_kinematics(o, q, u);
}

/* [w; v] and, if `second`, [wdot; vdot] from five poses: w~ = Rdot R^T, wdot~ = skew part of Rddot R^T */
static void differentiate(oracle_frame X[5], double h, bool second, double out[6])
{
  double d[3][3], f[5], S[3][3] = {{0}};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 5; k++)
      f[k] = X[k].p[i];
    out[3 + i] = second ? curvature(f, h) : slope(f, h);
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 5; k++)
        f[k] = X[k].R[i][j];
      d[i][j] = second ? curvature(f, h) : slope(f, h);
    }
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        S[i][j] += d[i][k] * X[2].R[j][k];
  out[0] = (S[2][1] - S[1][2]) / 2, out[1] = (S[0][2] - S[2][0]) / 2;
  out[2] = (S[1][0] - S[0][1]) / 2;
}

static void the_oracles_velocities_and_accelerations_are_differences_of_its_poses(void **state)
{
  (void)state;
  const double h = 1e-3, zero[MOST] = {0};
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_parts *parts = lwt_random_parts(&r);
    pair p = pair_of(parts, r.seed);
    oracle_frame(*X)[5] = calloc((size_t)parts->nbody + 1, sizeof *X);
    sample_poses(p.o, p.c.q, p.c.u, h, X);
    oracle_accelerations(p.o, zero);
    for (int b = 1; b <= parts->nbody; b++) {
      double V[6], A[6];
      differentiate(X[b], h, false, V);
      differentiate(X[b], h, true, A);
      lwt_close(p.o->body[b].V, V, 6, 1e-8, 1 + lwt_scale(V, 6), "model %u, velocity of %d", k, b);
      lwt_close(p.o->body[b].A, A, 6, 1e-6, 1 + lwt_scale(A, 6), "model %u, acceleration of %d", k,
                b);
    }
    free(X);
    pair_free(&p);
  }
}

/* power of all applied loads */
static double power(const oracle *o)
{
  double sum = 0;
  for (int b = 1; b <= o->parts->nbody; b++) {
    double V[6];
    oracle_point_velocity(o, b, o->parts->body[b - 1].com, V);
    for (int i = 0; i < 6; i++)
      sum += o->applied[b][i] * V[i];
  }
  return sum;
}

static void remove_damping(lwt_parts *p)
{
  p->nmotor = p->nload = 0;
  for (int i = 0; i < p->nspring; i++)
    p->spring[i].damping = 0;
  for (int i = 0; i < p->njoint_spring; i++)
    p->joint_spring[i].damping = 0;
  for (int i = 0; i < p->nbushing; i++)
    for (int k = 0; k < 3; k++)
      p->bushing[i].damping[k] = p->bushing[i].angular_damping[k] = 0;
}

static void the_oracles_springs_and_bushings_do_the_work_that_their_potential_loses(void **state)
{
  (void)state;
  const double h = 1e-4; /* short: no bushing passes half a turn meanwhile */
  for (unsigned k = 0; k < MODELS; k += 2) {
    lwt_recipe r = recipe(k);
    r.forces = true;
    lwt_parts *parts = lwt_random_parts(&r);
    remove_damping(parts);
    pair p = pair_of(parts, r.seed);
    double U[5], T, at[MOST];
    for (int i = 0; i < 5; i++) {
      move(p.o, p.c.q, p.c.u, h * (i - 2), at);
      oracle_kinematics(p.o, at, p.c.u);
      oracle_energy(p.o, &T, &U[i]);
    }
    oracle_kinematics(p.o, p.c.q, p.c.u);
    oracle_dynamics(p.o, 0, NULL);
    lwt_near(power(p.o), -slope(U, h), 1e-6 * (1 + fabs(U[2])), "model %u", k);
    pair_free(&p);
  }
}

/* Every joint written twice: the accelerations stay, each of the two carries half of the load. */
static void doubled_joints_share_the_load_in_the_oracle(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k += 6) {
    lwt_recipe r = recipe(k);
    r.loose = r.forces = false;
    lwt_parts *parts = lwt_random_parts(&r),
              *twice = lwt_parts_new(parts->nbody, 2 * parts->njoint);
    pair p = pair_of(parts, r.seed);
    memcpy(twice->body, parts->body, (size_t)parts->nbody * sizeof *twice->body);
    memcpy(twice->gravity, parts->gravity, sizeof twice->gravity);
    twice->planar = parts->planar;
    for (int i = 0; i < twice->njoint; i++)
      twice->joint[i] = parts->joint[i / 2];
    oracle *o = oracle_new(twice);
    double q[2 * MOST], u[2 * MOST];
    for (int i = 0; i < twice->njoint; i++) {
      const lw_joint_info j = lw_get_joint(p.c.m, (lw_joint){i / 2 + 1});
      memcpy(q + o->q[i], p.c.q + j.q, (size_t)j.nq * sizeof *q);
      memcpy(u + o->u[i], p.c.u + j.u, (size_t)j.nu * sizeof *u);
    }
    oracle_kinematics(o, q, u);
    lwt_near(oracle_gap(o), 0, 1e-12, "model %u: gap", k);
    oracle_dynamics(o, 0, NULL);
    oracle_dynamics(p.o, 0, NULL);
    const int pairs = 6 * parts->nbody - p.o->nu;
    assert_int_equal(o->nequation - o->rank, pairs);
    double scale = lwt_scale(p.o->udot, p.o->nu),
           load = lwt_scale(&p.o->load[0][0], 6 * p.o->njoint);
    for (int i = 0; i < twice->njoint; i++) {
      double sum[6];
      for (int d = 0; d < 6; d++)
        sum[d] = 2 * o->load[i][d];
      lwt_close(sum, p.o->load[i / 2], 6, 1e-7, load, "model %u: load of joint %d", k, i);
      lwt_close(o->udot + o->u[i], p.o->udot + p.o->u[i / 2],
                lw_joint_type_nu(o->joint[i].type, parts->planar), 1e-7, scale,
                "model %u: udot of joint %d", k, i);
    }
    oracle_free(o);
    pair_free(&p);
    lwt_parts_free(twice);
  }
}

/* a parallelogram of two equal cranks and a coupler that stays level; spatial revolutes */
static lwt_parts *parallelogram(double length, double width)
{
  lwt_parts *p = lwt_parts_new(3, 4);
  p->gravity[1] = -9.81;
  p->body[0] = p->body[2] =
      (lw_body_desc){.mass = 2, .com = {length / 2}, .inertia = {0.01, 0.2, 0.2}};
  p->body[1] = (lw_body_desc){.mass = 5, .com = {0.3, 0.1}, .inertia = {0.1, 0.5, 0.6}};
  p->joint[0] = (lw_joint_desc){.type = LW_REVOLUTE, .child = {1}};
  p->joint[1] =
      (lw_joint_desc){.type = LW_REVOLUTE, .parent = {1}, .child = {2}, .place.at = {length}};
  p->joint[2] = (lw_joint_desc){.type = LW_REVOLUTE, .child = {3}, .place.at = {width}};
  p->joint[3] = (lw_joint_desc){.type = LW_REVOLUTE,
                                .parent = {3},
                                .child = {2},
                                .place.at = {length},
                                .child_place.at = {width}};
  return p;
}

static void the_oracle_solves_a_parallelogram_with_redundant_constraints(void **state)
{
  (void)state;
  const double L = 0.8, angle = 0.7, rate = 1.3;
  lwt_parts *p = parallelogram(L, 1.5);
  oracle *o = oracle_new(p);
  int dof, redundant;
  oracle_kinematics(o, (double[]){angle, -angle, angle, -angle},
                    (double[]){rate, -rate, rate, -rate});
  lwt_near(oracle_gap(o), 0, 1e-14, "gap");
  oracle_mobility(o, &dof, &redundant);
  assert_int_equal(dof, 1);
  assert_int_equal(redundant, 3); /* two rotations and a translation out of the plane */
  oracle_dynamics(o, 0, NULL);
  assert_int_equal(o->nequation - o->rank, 3);
  /* cranks turn about their ends, the coupler moves on a circle of radius L */
  const double J = 2 * (0.2 + 2 * L * L / 4) + 5 * L * L;
  const double torque = -9.81 * cos(angle) * (2 * 2 * L / 2 + 5 * L);
  lwt_near(o->udot[0], torque / J, 1e-10, "udot of the crank");
  lwt_near(o->udot[1], -torque / J, 1e-10, "udot of the coupler");
  lwt_near(o->udot[2], torque / J, 1e-10, "udot of the other crank");
  lwt_near(o->udot[3], -torque / J, 1e-10, "udot of the loop joint");
  oracle_free(o);
  lwt_parts_free(p);
}

/* loads along what redundant constraints cannot tell apart vanish, the rest stays */
static void undetermined_loads_can_be_taken_out(void **state)
{
  (void)state;
  lwt_parts *p = parallelogram(0.8, 1.5);
  oracle *o = oracle_new(p);
  const double a = 0.7;
  oracle_kinematics(o, (double[]){a, -a, a, -a}, (double[]){1, -1, 1, -1});
  oracle_dynamics(o, 0, NULL);
  double loads[4][6];
  memcpy(loads, o->load, sizeof loads);
  oracle_keep_determined(o, loads);
  lwt_close(&loads[0][0], &o->load[0][0], 24, 1e-9, lwt_scale(&loads[0][0], 24), "minimum norm");
  /* a couple about x that runs once around the loop is felt by nobody */
  for (int j = 0; j < 4; j++)
    loads[j][0] += j < 2 ? 3.0 : -3.0;
  oracle_keep_determined(o, loads);
  lwt_close(&loads[0][0], &o->load[0][0], 24, 1e-9, lwt_scale(&loads[0][0], 24), "with a couple");
  oracle_free(o);
  lwt_parts_free(p);
}

static void the_rank_revealing_solver_agrees_with_elimination_on_trees(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k += 5) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    oracle_dynamics(p.o, p.c.t, p.c.tau);
    memcpy(p.c.x, p.o->udot, (size_t)p.c.nu * sizeof(double));
    p.o->force_min_norm = true;
    oracle_dynamics(p.o, p.c.t, p.c.tau);
    assert_int_equal(p.o->rank, p.o->nequation);
    lwt_close(p.o->udot, p.c.x, p.c.nu, 1e-8, lwt_scale(p.c.x, p.c.nu), "model %u", k);
    pair_free(&p);
  }
}

/* ---- linkwork against the oracle ---- */

static void poses_are_those_of_the_definition(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    lwt_ok(lw_kinematics(p.c.w, p.c.q, p.c.u));
    for (int b = 0; b <= r.nbody; b++) {
      lw_pose X;
      lwt_ok(lw_get_pose(p.c.w, (lw_body){b}, &X));
      const oracle_frame *F = &p.o->body[b].X;
      lwt_close(X.p, F->p, 3, rtol, 1 + lwt_scale(F->p, 3), "model %u, position of %d", k, b);
      for (int i = 0; i < 3; i++) {
        double unit[3] = {0}, axis[3];
        unit[i] = 1;
        rotate(X.quat, unit, axis);
        const double want[3] = {F->R[0][i], F->R[1][i], F->R[2][i]};
        lwt_close(axis, want, 3, rtol, 1, "model %u, axis %d of body %d", k, i, b);
      }
    }
    pair_free(&p);
  }
}

static void velocities_are_sums_of_joint_velocities(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    lwt_ok(lw_kinematics(p.c.w, p.c.q, p.c.u));
    for (int b = 0; b <= r.nbody; b++) {
      double V[6];
      lwt_ok(lw_get_velocity(p.c.w, (lw_body){b}, V));
      lwt_close(V, p.o->body[b].V, 6, rtol, 1 + lwt_scale(V, 6), "model %u, body %d", k, b);
    }
    pair_free(&p);
  }
}

static void compare_accelerations(const pair *p, unsigned k)
{
  double scale = 1;
  for (int b = 1; b <= p->parts->nbody; b++)
    scale = fmax(scale, lwt_scale(p->o->body[b].A, 6));
  for (int b = 0; b <= p->parts->nbody; b++) {
    double A[6];
    lwt_ok(lw_get_acceleration(p->c.w, (lw_body){b}, A));
    lwt_close(A, p->o->body[b].A, 6, rtol, scale, "model %u, acceleration of %d", k, b);
  }
}

static void compare_loads(const pair *p, unsigned k)
{
  const double scale = 1 + lwt_scale(&p->o->load[0][0], 6 * p->o->njoint);
  for (int j = 1; j <= p->o->njoint; j++) {
    double load[6];
    lwt_ok(lw_get_load(p->c.w, (lw_joint){j}, load));
    lwt_close(load, p->o->load[j - 1], 6, rtol, scale, "model %u, load of joint %d (%s)", k, j,
              lw_joint_type_name(p->o->joint[j - 1].type));
  }
}

static void accelerations_follow_from_udot(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    oracle_accelerations(p.o, p.c.tau); /* any numbers will do */
    lwt_ok(lw_kinematics(p.c.w, p.c.q, p.c.u));
    lwt_ok(lw_accelerations(p.c.w, p.c.tau));
    compare_accelerations(&p, k);
    pair_free(&p);
  }
}

static void forward_dynamics_solves_the_equations_of_all_bodies(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    oracle_dynamics(p.o, p.c.t, p.c.tau);
    lwt_ok(lw_forward_dynamics(p.c.w, p.c.t, p.c.q, p.c.u, p.c.tau, p.c.udot));
    lwt_close(p.c.udot, p.o->udot, p.c.nu, rtol, 1 + lwt_scale(p.o->udot, p.c.nu), "model %u: udot",
              k);
    compare_accelerations(&p, k);
    lwt_ok(lw_joint_loads(p.c.w));
    compare_loads(&p, k);
    pair_free(&p);
  }
}

static void inverse_dynamics_gives_the_loads_of_the_motion(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    oracle_dynamics(p.o, p.c.t, p.c.tau);
    lwt_ok(lw_inverse_dynamics(p.c.w, p.c.t, p.c.q, p.c.u, p.o->udot, p.c.x));
    const double scale = 1 + lwt_scale(&p.o->load[0][0], 6 * p.o->njoint);
    lwt_close(p.c.x, p.c.tau, p.c.nu, rtol, scale, "model %u: tau", k);
    compare_accelerations(&p, k);
    lwt_ok(lw_joint_loads(p.c.w));
    compare_loads(&p, k);
    pair_free(&p);
  }
}

/* column i of the Jacobian is the velocity that u_i = 1 alone gives */
static void jacobian_columns_are_velocities_of_unit_speeds(void **state)
{
  (void)state;
  const double point[3] = {0.3, -0.2, 0.1};
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    const int nu = p.c.nu, b = 1 + (int)(k % (unsigned)r.nbody);
    double *J = calloc((size_t)(6 * nu) + 1, sizeof *J), unit[MOST] = {0}, V[6], column[6];
    lwt_ok(lw_kinematics(p.c.w, p.c.q, p.c.u));
    lwt_ok(lw_jacobian(p.c.w, (lw_body){b}, point, J));
    double *alone = calloc((size_t)(6 * nu) + 1, sizeof *alone);
    lw_work *other = lw_work_new(p.c.m); /* has never placed a link */
    lwt_ok(lw_point_jacobian(other, p.c.q, (lw_body){b}, point, alone));
    assert_memory_equal(alone, J, (size_t)(6 * nu) * sizeof *J);
    lw_work_free(other);
    free(alone);
    for (int i = 0; i < nu; i++) {
      unit[i] = 1;
      oracle_kinematics(p.o, p.c.q, unit);
      oracle_point_velocity(p.o, b, point, V);
      for (int d = 0; d < 6; d++)
        column[d] = J[d * nu + i];
      lwt_close(column, V, 6, rtol, 1 + lwt_scale(V, 6), "model %u, speed %d", k, i);
      unit[i] = 0;
    }
    free(J);
    pair_free(&p);
  }
}

static void energies_and_momentum_are_sums_over_bodies(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    double T, U, h[6], mass, center[3], t, u, g[6], m, c[3];
    oracle_energy(p.o, &T, &U);
    oracle_momentum(p.o, h, &mass, center);
    lwt_ok(lw_energy(p.c.w, p.c.q, p.c.u, &t, &u));
    lwt_near(t, T, rtol * (1 + T), "model %u: kinetic energy", k);
    lwt_near(u, U, rtol * (1 + fabs(U)), "model %u: potential energy", k);
    lwt_ok(lw_kinematics(p.c.w, p.c.q, p.c.u));
    lwt_ok(lw_momentum(p.c.w, g));
    lwt_ok(lw_mass_center(p.c.w, &m, c));
    lwt_close(g, h, 6, rtol, 1 + lwt_scale(h, 6), "model %u: momentum", k);
    lwt_near(m, mass, rtol * mass, "model %u: mass", k);
    lwt_close(c, center, 3, rtol, 1 + lwt_scale(center, 3), "model %u: centre", k);
    pair_free(&p);
  }
}

static double kinetic(oracle *o, const double q[], const double u[])
{
  double T, U;
  oracle_kinematics(o, q, u);
  oracle_energy(o, &T, &U);
  return T;
}

/* M_ij = T(e_i + e_j) - T(e_i) - T(e_j) */
static void the_mass_matrix_is_the_kinetic_energy_of_pairs_of_unit_speeds(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k += 4) {
    const lwt_recipe r = recipe(k);
    pair p = pair_new(&r);
    const int nu = p.c.nu;
    double *M = calloc((size_t)(nu * nu) + 1, sizeof *M),
           *want = calloc((size_t)(nu * nu) + 1, sizeof *want);
    double unit[MOST] = {0};
    for (int i = 0; i < nu; i++) {
      unit[i] = 1;
      p.c.x[i] = kinetic(p.o, p.c.q, unit);
      unit[i] = 0;
    }
    for (int i = 0; i < nu; i++)
      for (int j = 0; j < i; j++) {
        unit[i] = unit[j] = 1;
        want[i * nu + j] = want[j * nu + i] = kinetic(p.o, p.c.q, unit) - p.c.x[i] - p.c.x[j];
        unit[i] = unit[j] = 0;
      }
    for (int i = 0; i < nu; i++)
      want[i * nu + i] = 2 * p.c.x[i];
    lwt_ok(lw_mass_matrix(p.c.w, p.c.q, M));
    lwt_close(M, want, nu * nu, rtol, lwt_scale(want, nu * nu), "model %u", k);
    free(M);
    free(want);
    pair_free(&p);
  }
}

/* one joint type at a time, in both directions, so that none hides behind the others */
static void every_joint_type_alone_agrees_with_the_oracle(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 2 * LW_JOINT_TYPES; k++) {
    const lwt_recipe r = {.seed = 900 + k,
                          .nbody = 5,
                          .branching = 0.5,
                          .forces = true,
                          .joints = 1u << (k % LW_JOINT_TYPES),
                          .keep_direction = k % 2};
    pair p = pair_new(&r);
    oracle_dynamics(p.o, p.c.t, p.c.tau);
    lwt_ok(lw_forward_dynamics(p.c.w, p.c.t, p.c.q, p.c.u, p.c.tau, p.c.udot));
    lwt_close(p.c.udot, p.o->udot, p.c.nu, rtol, 1 + lwt_scale(p.o->udot, p.c.nu), "%s: udot",
              lw_joint_type_name((lw_joint_type)(k % LW_JOINT_TYPES)));
    lwt_ok(lw_joint_loads(p.c.w));
    compare_loads(&p, k);
    pair_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oracles_velocities_and_accelerations_are_differences_of_its_poses),
      cmocka_unit_test(the_oracles_springs_and_bushings_do_the_work_that_their_potential_loses),
      cmocka_unit_test(doubled_joints_share_the_load_in_the_oracle),
      cmocka_unit_test(the_oracle_solves_a_parallelogram_with_redundant_constraints),
      cmocka_unit_test(undetermined_loads_can_be_taken_out),
      cmocka_unit_test(the_rank_revealing_solver_agrees_with_elimination_on_trees),
      cmocka_unit_test(poses_are_those_of_the_definition),
      cmocka_unit_test(velocities_are_sums_of_joint_velocities),
      cmocka_unit_test(accelerations_follow_from_udot),
      cmocka_unit_test(forward_dynamics_solves_the_equations_of_all_bodies),
      cmocka_unit_test(inverse_dynamics_gives_the_loads_of_the_motion),
      cmocka_unit_test(jacobian_columns_are_velocities_of_unit_speeds),
      cmocka_unit_test(energies_and_momentum_are_sums_over_bodies),
      cmocka_unit_test(the_mass_matrix_is_the_kinetic_energy_of_pairs_of_unit_speeds),
      cmocka_unit_test(every_joint_type_alone_agrees_with_the_oracle),
  };
  return cmocka_run_group_tests_name("identity/oracle", tests, NULL, NULL);
}
