/* SPDX-License-Identifier: Apache-2.0 */
/* Each joint type against its definition (docs/format.md section 3), one by one: sign and order of the
   coordinates, meaning of the speeds, in both directions, in space and in the plane. */
#include "lwt.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "linkwork/realtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, tol = 1e-14;

/* ---- one body on one joint ---- */

typedef struct {
  lw_model *m;
  lw_work *w;
} rig;

/* `reversed`: the body is the joint's parent and the ground its child */
static rig rig_new(lw_joint_desc j, bool planar, bool reversed)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  if (planar) lw_set_planar(s);
  lw_set_gravity(s, 0, 0, 0);
  const lw_body b = lw_add_body(
      s, &(lw_body_desc){.name = "b", .mass = 2, .inertia = {0.3, 0.4, 0.5, 0.01, -0.02, 0.03}});
  j.name = "j";
  j.parent = reversed ? b : (lw_body){0};
  j.child = reversed ? (lw_body){0} : b;
  lw_add_joint(s, &j);
  rig r = {.m = lw_compile(s, &err)};
  lw_spec_free(s);
  if (!r.m) fail_msg("%s", err.text);
  r.w = lw_work_new(r.m);
  return r;
}

static void rig_free(rig *r)
{
  lw_work_free(r->w);
  lw_model_free(r->m);
}

typedef struct {
  double R[3][3], p[3], V[6]; /* R[k]: axis k in ground */
} motion;

static void axes_of(const double e[4], double R[3][3])
{
  const double w = e[0], x = e[1], y = e[2], z = e[3];
  const double T[3][3] = {
      {w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)},
      {2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)},
      {2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z}};
  memcpy(R, T, sizeof T);
}

static motion move(const rig *r, const double q[], const double u[])
{
  motion a;
  lw_pose X;
  lwt_ok(lw_kinematics(r->w, q, u));
  lwt_ok(lw_get_pose(r->w, (lw_body){1}, &X));
  lwt_ok(lw_get_velocity(r->w, (lw_body){1}, a.V));
  memcpy(a.p, X.p, sizeof a.p);
  axes_of(X.quat, a.R);
  return a;
}

/* pose and velocity of the body for one joint and one state */
static motion at(lw_joint_desc j, const double q[], const double u[])
{
  rig r = rig_new(j, false, false);
  const motion a = move(&r, q, u);
  rig_free(&r);
  return a;
}
static motion at_reversed(lw_joint_desc j, const double q[], const double u[])
{
  rig r = rig_new(j, false, true);
  const motion a = move(&r, q, u);
  rig_free(&r);
  return a;
}
static motion in_plane(lw_joint_desc j, const double q[], const double u[])
{
  rig r = rig_new(j, true, false);
  const motion a = move(&r, q, u);
  rig_free(&r);
  return a;
}

static void expect3(const double a[3], double x, double y, double z, const char *what)
{
  lwt_close(a, (double[]){x, y, z}, 3, tol, 1, "%s", what);
}
static void expect6(const double a[6], double wx, double wy, double wz, double vx, double vy,
                    double vz, const char *what)
{
  lwt_close(a, (double[]){wx, wy, wz, vx, vy, vz}, 6, tol, 1, "%s", what);
}

/* ---- the types ---- */

static void the_catalogue_counts_coordinates_and_speeds(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int nq, nu;
  } want[] = {{"fixed", 0, 0},       {"revolute", 1, 1},  {"prismatic", 1, 1}, {"helical", 1, 1},
              {"cylindrical", 2, 2}, {"universal", 2, 2}, {"gimbal", 3, 3},    {"spherical", 4, 3},
              {"planar", 3, 3},      {"free", 7, 6}};
  assert_int_equal(LW_JOINT_TYPES, 10);
  for (int i = 0; i < LW_JOINT_TYPES; i++) {
    const lw_joint_type type = (lw_joint_type)i;
    assert_string_equal(lw_joint_type_name(type), want[i].name);
    assert_int_equal(lw_joint_type_nq(type, false), want[i].nq);
    assert_int_equal(lw_joint_type_nu(type, false), want[i].nu);
  }
  assert_int_equal(lw_joint_type_nq(LW_FREE, true), 3);
  assert_int_equal(lw_joint_type_nu(LW_FREE, true), 3);
  assert_int_equal(lw_joint_type_nq(LW_PLANAR, true), 3);
  assert_int_equal(lw_joint_type_nq(LW_REVOLUTE, true), 1);
}

static lw_place random_place(lwt_random *r)
{
  lw_place p = {.orient = {.type = LW_ORIENT_QUAT}};
  for (int i = 0; i < 3; i++)
    p.at[i] = lwt_uniform(r, -1, 1);
  for (int i = 0; i < 4; i++)
    p.orient.value[i] = lwt_uniform(r, -1, 1);
  return p;
}

/* where a place of the body is in ground */
static motion place_in_ground(const motion *body, const lw_place *place)
{
  motion a = {.R = {{0}}};
  double R[3][3], e[4], n = 0;
  for (int i = 0; i < 4; i++)
    n += place->orient.value[i] * place->orient.value[i];
  for (int i = 0; i < 4; i++)
    e[i] = place->orient.value[i] / sqrt(n);
  axes_of(e, R);
  for (int i = 0; i < 3; i++) {
    a.p[i] = body->p[i];
    for (int k = 0; k < 3; k++) {
      a.p[i] += body->R[k][i] * place->at[k];
      for (int c = 0; c < 3; c++)
        a.R[c][i] += body->R[k][i] * R[c][k];
    }
  }
  return a;
}

static void at_the_identity_the_joint_frames_coincide(void **state)
{
  (void)state;
  const motion ground = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  lwt_random r = lwt_seed(1);
  for (int type = 0; type < LW_JOINT_TYPES; type++)
    for (int reversed = 0; reversed < 2; reversed++) {
      lw_joint_desc j = {.type = (lw_joint_type)type, .pitch = 0.1};
      j.place = random_place(&r);
      j.child_place = random_place(&r);
      lwt_unit_vector(&r, j.axis);
      lwt_unit_vector(&r, j.axis2);
      lwt_gimbal_axes(LW_UNIVERSAL, j.axis, j.axis2, j.axis3); /* skew */
      rig g = rig_new(j, false, reversed);
      double q[7], u[6];
      lw_initial_state(g.m, q, u);
      const motion body = move(&g, q, u);
      const motion a = place_in_ground(&ground, reversed ? &j.child_place : &j.place);
      const motion b = place_in_ground(&body, reversed ? &j.place : &j.child_place);
      lwt_close(a.p, b.p, 3, tol, 1, "%s: origin", lw_joint_type_name(j.type));
      lwt_close(&a.R[0][0], &b.R[0][0], 9, tol, 1, "%s: axes", lw_joint_type_name(j.type));
      rig_free(&g);
    }
}

static void a_revolute_joint_turns_the_child_about_plus_axis(void **state)
{
  (void)state;
  const lw_joint_desc z = {.type = LW_REVOLUTE}, y = {.type = LW_REVOLUTE, .axis = {0, 3, 0}};
  motion a = at(z, (double[]){pi / 2}, (double[]){2});
  expect3(a.R[0], 0, 1, 0, "x turns to y about z, the default axis");
  expect6(a.V, 0, 0, 2, 0, 0, 0, "velocity about z");
  a = at(y, (double[]){pi / 2}, (double[]){2});
  expect3(a.R[2], 1, 0, 0, "z turns to x about y");
  expect6(a.V, 0, 2, 0, 0, 0, 0, "an axis of any length is a direction");
}

static void a_prismatic_joint_shifts_the_child_along_plus_axis(void **state)
{
  (void)state;
  const lw_joint_desc z = {.type = LW_PRISMATIC}, d = {.type = LW_PRISMATIC, .axis = {3, 0, 4}};
  motion a = at(z, (double[]){0.7}, (double[]){2});
  expect3(a.p, 0, 0, 0.7, "along z, the default axis");
  expect6(a.V, 0, 0, 0, 0, 0, 2, "velocity");
  a = at(d, (double[]){0.5}, (double[]){-1});
  expect3(a.p, 0.3, 0, 0.4, "q is a distance whatever the length of the axis");
  expect6(a.V, 0, 0, 0, -0.6, 0, -0.8, "velocity");
  a = in_plane(z, (double[]){0.7}, (double[]){2});
  expect3(a.p, 0.7, 0, 0, "along x in planar models");
}

static void a_helical_joint_advances_pitch_metres_a_radian(void **state)
{
  (void)state;
  const lw_joint_desc j = {.type = LW_HELICAL, .pitch = 0.1, .axis = {1, 0, 0}};
  const motion a = at(j, (double[]){pi / 2}, (double[]){3});
  expect3(a.p, 0.05 * pi, 0, 0, "advance");
  expect3(a.R[1], 0, 0, 1, "turn");
  expect6(a.V, 3, 0, 0, 0.3, 0, 0, "u is the angular rate");
}

static void a_cylindrical_joint_has_the_angle_first(void **state)
{
  (void)state;
  const lw_joint_desc j = {.type = LW_CYLINDRICAL, .axis = {0, 1, 0}};
  const motion a = at(j, (double[]){pi / 2, 0.4}, (double[]){3, 5});
  expect3(a.p, 0, 0.4, 0, "shift");
  expect3(a.R[0], 0, 0, -1, "turn");
  expect6(a.V, 0, 3, 0, 0, 5, 0, "speeds");
}

/* the second axis turns with the first coordinate; the first does not move */
static void a_universal_joint_turns_about_axis_then_about_axis2_of_the_child(void **state)
{
  (void)state;
  const motion a =
      at((lw_joint_desc){.type = LW_UNIVERSAL}, (double[]){pi / 2, pi / 2}, (double[]){2, 3});
  expect3(a.R[0], 0, 1, 0, "axis2, x of the child, points along y of the ground");
  expect3(a.R[1], 0, 0, 1, "y of the child after both turns");
  expect6(a.V, 0, 3, 2, 0, 0, 0, "speeds: about z of the parent and x of the child");
}

static void rotate(const double axis[3], double angle, const double v[3], double out[3])
{
  const double c = cos(angle), s = sin(angle);
  const double d = (axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]) * (1 - c);
  const double r[3] = {c * v[0] + s * (axis[1] * v[2] - axis[2] * v[1]) + d * axis[0],
                       c * v[1] + s * (axis[2] * v[0] - axis[0] * v[2]) + d * axis[1],
                       c * v[2] + s * (axis[0] * v[1] - axis[1] * v[0]) + d * axis[2]};
  memcpy(out, r, sizeof r);
}

static void a_universal_joint_may_have_skew_axes(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(2);
  for (int n = 0; n < 20; n++) {
    lw_joint_desc j = {.type = LW_UNIVERSAL};
    double q[2] = {lwt_uniform(&r, -3, 3), lwt_uniform(&r, -3, 3)}, u[2] = {0.7, -0.4}, want[3];
    lwt_unit_vector(&r, j.axis);
    lwt_unit_vector(&r, j.axis2);
    const motion a = at(j, q, u);
    for (int k = 0; k < 3; k++) {
      double unit[3] = {0};
      unit[k] = 1;
      rotate(j.axis2, q[1], unit, want);
      rotate(j.axis, q[0], want, want);
      lwt_close(a.R[k], want, 3, tol, 1, "axis %d", k);
    }
    rotate(j.axis, q[0], j.axis2, want);
    for (int i = 0; i < 3; i++)
      want[i] = u[0] * j.axis[i] + u[1] * want[i];
    lwt_close(a.V, want, 3, tol, 1, "angular velocity");
  }
}

static void a_spherical_joint_has_its_speeds_in_child_axes(void **state)
{
  (void)state;
  const double h = sqrt(0.5);
  const motion a =
      at((lw_joint_desc){.type = LW_SPHERICAL}, (double[]){h, 0, 0, h}, (double[]){1, 2, 3});
  expect3(a.R[0], 0, 1, 0, "quarter turn about z");
  expect6(a.V, -2, 1, 3, 0, 0, 0, "u is in the axes of the child");
}

static void a_planar_joint_has_its_shift_rates_in_parent_axes(void **state)
{
  (void)state;
  const lw_joint_desc j = {.type = LW_PLANAR};
  const double q[3] = {0.3, 0.5, pi / 2}, u[3] = {2, 3, 4};
  motion a = at(j, q, u);
  expect3(a.p, 0.3, 0.5, 0, "shift");
  expect3(a.R[0], 0, 1, 0, "turn");
  expect6(a.V, 0, 0, 4, 2, 3, 0, "rates of x, y, angle");
  a = in_plane(j, q, u);
  expect6(a.V, 0, 0, 4, 2, 3, 0, "the same in a planar model");
}

static void a_free_joint_has_both_velocities_in_child_axes(void **state)
{
  (void)state;
  const double h = sqrt(0.5), q[7] = {1, 2, 3, h, 0, 0, h}, u[6] = {1, 2, 3, 4, 5, 6};
  const motion a = at((lw_joint_desc){.type = LW_FREE}, q, u);
  expect3(a.p, 1, 2, 3, "position in the parent");
  expect3(a.R[0], 0, 1, 0, "quarter turn about z");
  expect6(a.V, -2, 1, 3, -5, 4, 6, "u is in the axes of the child, angular first");
}

static void a_free_joint_in_a_planar_model_has_angular_speed_first_and_child_axes(void **state)
{
  (void)state;
  const motion a =
      in_plane((lw_joint_desc){.type = LW_FREE}, (double[]){0.3, 0.5, pi / 2}, (double[]){4, 2, 3});
  expect3(a.p, 0.3, 0.5, 0, "q is x, y, angle");
  expect3(a.R[0], 0, 1, 0, "turn");
  expect6(a.V, 0, 0, 4, -3, 2, 0, "u is w, vx, vy in child axes");
}

static void a_fixed_joint_does_not_move(void **state)
{
  (void)state;
  const lw_joint_desc j = {.type = LW_FIXED, .place.at = {1, 2, 3}, .child_place.at = {0, 0, 1}};
  const motion a = at(j, NULL, NULL);
  expect3(a.p, 1, 2, 2, "the body hangs below its joint frame");
  expect6(a.V, 0, 0, 0, 0, 0, 0, "rest");
}

/* With the ground as child, the body moves by the inverse of X(q), and u keeps its meaning. */
static void a_joint_with_the_ground_as_child_moves_its_parent_the_other_way(void **state)
{
  (void)state;
  const double h = sqrt(0.5);
  motion a = at_reversed((lw_joint_desc){.type = LW_REVOLUTE}, (double[]){pi / 2}, (double[]){2});
  expect3(a.R[0], 0, -1, 0, "revolute");
  expect6(a.V, 0, 0, -2, 0, 0, 0, "revolute: speed");
  a = at_reversed((lw_joint_desc){.type = LW_PRISMATIC}, (double[]){0.7}, (double[]){2});
  expect3(a.p, 0, 0, -0.7, "prismatic");
  expect6(a.V, 0, 0, 0, 0, 0, -2, "prismatic: speed");
  a = at_reversed((lw_joint_desc){.type = LW_HELICAL, .pitch = 0.1}, (double[]){pi}, (double[]){2});
  expect3(a.p, 0, 0, -0.1 * pi, "helical");
  expect6(a.V, 0, 0, -2, 0, 0, -0.2, "helical: speed");
  a = at_reversed((lw_joint_desc){.type = LW_UNIVERSAL}, (double[]){pi / 2, 0}, (double[]){0, 3});
  expect3(a.R[1], 1, 0, 0, "universal");
  expect6(a.V, -3, 0, 0, 0, 0, 0, "universal: the second axis is the ground's x");
  a = at_reversed((lw_joint_desc){.type = LW_SPHERICAL}, (double[]){h, 0, 0, h},
                  (double[]){1, 2, 3});
  expect3(a.R[0], 0, -1, 0, "spherical");
  expect6(a.V, -1, -2, -3, 0, 0, 0, "spherical: child axes are the ground's");
  /* the ground's frame is at (1, 0, 0), turned by 90 degrees, in the body: so the body is at R'(-p) */
  a = at_reversed((lw_joint_desc){.type = LW_PLANAR}, (double[]){1, 0, pi / 2},
                  (double[]){2, 0, 0});
  expect3(a.p, 0, 1, 0, "planar");
  expect6(a.V, 0, 0, 0, 0, 2, 0, "planar: the shift rate is along the body's x");
  a = at_reversed((lw_joint_desc){.type = LW_FREE}, (double[]){1, 0, 0, h, 0, 0, h},
                  (double[]){0, 0, 0, 2, 0, 0});
  expect3(a.p, 0, 1, 0, "free");
  expect6(a.V, 0, 0, 0, -2, 0, 0, "free: the velocity is along the ground's x");
}

/* ---- speeds, rates and accelerations ---- */

static const lw_joint_type all[] = {LW_FIXED,       LW_REVOLUTE,  LW_PRISMATIC, LW_HELICAL,
                                    LW_CYLINDRICAL, LW_UNIVERSAL, LW_GIMBAL,    LW_SPHERICAL,
                                    LW_PLANAR,      LW_FREE};

static lw_joint_desc random_joint(lwt_random *r, lw_joint_type type, bool planar)
{
  lw_joint_desc j = {.type = type, .pitch = 0.2};
  if (planar) return j;
  j.place = random_place(r);
  j.child_place = random_place(r);
  lwt_unit_vector(r, j.axis);
  lwt_unit_vector(r, j.axis2);
  lwt_gimbal_axes(LW_UNIVERSAL, j.axis, j.axis2, j.axis3); /* skew */
  return j;
}

/* poses at q + h qdot, fourth-order differences; w from the rates of the axes */
static void coordinate_rates_give_the_velocity(void **state)
{
  (void)state;
  static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2};
  const double h = 1e-3;
  lwt_random r = lwt_seed(3);
  for (int n = 0; n < 4 * (int)(sizeof all / sizeof *all); n++) {
    const bool planar = n % 4 >= 2, reversed = n % 2;
    const lw_joint_type type = all[n / 4];
    if (planar && type != LW_FREE && type != LW_PLANAR) continue;
    rig g = rig_new(random_joint(&r, type, planar), planar, reversed);
    double q[7], u[6], rate[7], V[6] = {0}, D[3][3] = {{0}};
    lwt_random_state(g.m, (unsigned)n, q, u);
    lw_coordinate_rates(g.m, q, u, rate);
    const motion a = move(&g, q, u);
    for (int k = 0; k < 4; k++) {
      double x[7];
      for (int i = 0; i < lw_nq(g.m); i++)
        x[i] = q[i] + step[k] * h * rate[i];
      lwt_ok(lw_normalize(g.m, x));
      const motion b = move(&g, x, u);
      for (int i = 0; i < 3; i++) {
        V[3 + i] += weight[k] * b.p[i] / (12 * h);
        for (int c = 0; c < 3; c++)
          D[c][i] += weight[k] * b.R[c][i] / (12 * h);
      }
    }
    for (int c = 0; c < 3; c++) /* w = 1/2 sum of axis x rate of axis */
      for (int i = 0; i < 3; i++) {
        const int y = (i + 1) % 3, z = (i + 2) % 3;
        V[i] += 0.5 * (a.R[c][y] * D[c][z] - a.R[c][z] * D[c][y]);
      }
    lwt_close(a.V, V, 6, 1e-10, 1, "%s, reversed %d, planar %d", lw_joint_type_name(type), reversed,
              planar);
    rig_free(&g);
  }
}

/* u a short time before and after, by the fixed-step integrator: only the componentwise derivative
   of u fits all types */
static void udot_is_the_derivative_of_each_component_of_u(void **state)
{
  (void)state;
  static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2};
  const double h = 1e-3;
  lwt_random r = lwt_seed(4);
  for (int n = 0; n < 2 * (int)(sizeof all / sizeof *all); n++) {
    const bool reversed = n % 2;
    rig g = rig_new(random_joint(&r, all[n / 2], false), false, reversed);
    const int nu = lw_nu(g.m), nq = lw_nq(g.m);
    double q[7], u[6], udot[6], sum[6] = {0};
    lwt_random_state(g.m, (unsigned)n, q, u);
    lwt_ok(lw_forward_dynamics(g.w, 0, q, u, NULL, udot));
    for (int k = 0; k < 4; k++) {
      double x[7], v[6], t = 0;
      memcpy(x, q, (size_t)nq * sizeof *x);
      memcpy(v, u, (size_t)nu * sizeof *v);
      lwt_ok(lw_step(g.w, LW_INTEGRATOR_RK4, step[k] * h, NULL, &t, x, v));
      for (int i = 0; i < nu; i++)
        sum[i] += weight[k] * v[i] / (12 * h);
    }
    lwt_close(udot, sum, nu, 1e-9, 1 + lwt_scale(udot, nu), "%s, reversed %d",
              lw_joint_type_name(all[n / 2]), reversed);
    rig_free(&g);
  }
}

/* Euler's equations, and v turning in body axes: both are componentwise derivatives in child axes */
static void a_free_body_without_forces_follows_eulers_equations(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, 0, 0);
  lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 2, .inertia = {0.3, 0.4, 0.5}});
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  assert_non_null(m);
  lw_work *w = lw_work_new(m);
  const double q[7] = {1, 2, 3, 0.5, 0.5, -0.5, 0.5}, u[6] = {1, 2, -3, 0.4, 0.5, 0.6};
  double udot[6], A[6];
  lwt_ok(lw_forward_dynamics(w, 0, q, u, NULL, udot));
  const double want[6] = {(0.4 - 0.5) * 2 * -3 / 0.3, (0.5 - 0.3) * -3 * 1 / 0.4,
                          (0.3 - 0.4) * 1 * 2 / 0.5,  -(2 * 0.6 - -3 * 0.5),
                          -(-3 * 0.4 - 1 * 0.6),      -(1 * 0.5 - 2 * 0.4)};
  lwt_close(udot, want, 6, 1e-14, lwt_scale(want, 6), "udot");
  lwt_ok(lw_get_acceleration(w, (lw_body){1}, A));
  expect3(A + 3, 0, 0, 0, "the centre moves straight on");
  lw_work_free(w);
  lw_model_free(m);
}

/* ---- written states and places ---- */

static void roll_pitch_and_yaw_are_turns_about_z_y_and_x_from_left_to_right(void **state)
{
  (void)state;
  const lw_joint_desc j = {.type = LW_FIXED, .place.orient = {LW_ORIENT_RPY, {pi / 2, 0, pi / 2}}};
  const motion a = at(j, NULL, NULL); /* Rz(90) Rx(90) */
  expect3(a.R[0], 0, 1, 0, "x");
  expect3(a.R[1], 0, 0, 1, "y");
  const lw_joint_desc k = {.type = LW_FIXED, .place.orient = {LW_ORIENT_RPY, {0.1, 0.2, 0.3}}};
  const motion b = at(k, NULL, NULL);
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  for (int i = 0; i < 3; i++) {
    double v[3] = {0};
    v[i] = 1;
    rotate(x, 0.1, v, v);
    rotate(y, 0.2, v, v);
    rotate(z, 0.3, v, v);
    lwt_close(b.R[i], v, 3, tol, 1, "axis %d", i);
  }
}

static void quaternions_and_axes_of_places_need_not_have_length_one(void **state)
{
  (void)state;
  motion a = at((lw_joint_desc){.type = LW_FIXED, .place.orient = {LW_ORIENT_QUAT, {2, 0, 0, 2}}},
                NULL, NULL);
  expect3(a.R[0], 0, 1, 0, "quaternion");
  a = at(
      (lw_joint_desc){.type = LW_FIXED, .place.orient = {LW_ORIENT_AXIS_ANGLE, {0, 0, 7, pi / 2}}},
      NULL, NULL);
  expect3(a.R[0], 0, 1, 0, "axis and angle");
}

static void a_floating_body_starts_with_the_velocity_of_its_origin_in_ground_axes(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  const lw_start start = {.pose = {{1, 2, 3}, {LW_ORIENT_AXIS_ANGLE, {0, 0, 1, pi / 2}}},
                          .linear = {4, 5, 6},
                          .angular = {0.1, 0.2, 0.3}};
  lw_add_body(
      s,
      &(lw_body_desc){
          .name = "b", .mass = 2, .com = {0.5, 0, 0}, .inertia = {0.3, 0.4, 0.5}, .start = &start});
  rig g = {.m = lw_compile(s, &err)};
  lw_spec_free(s);
  assert_non_null(g.m);
  g.w = lw_work_new(g.m);
  double q[7], u[6];
  lw_initial_state(g.m, q, u);
  const motion a = move(&g, q, u);
  expect3(a.p, 1, 2, 3, "position");
  expect3(a.R[0], 0, 1, 0, "orientation");
  expect6(a.V, 0.1, 0.2, 0.3, 4, 5, 6, "velocity");
  expect3(u, 0.2, -0.1, 0.3, "u is in body axes");
  const lw_joint_info info = lw_get_joint(g.m, (lw_joint){1});
  assert_string_equal(info.name, "b");
  assert_int_equal(info.type, LW_FREE);
  assert_true(info.implicit);
  rig_free(&g);
}

static void the_initial_state_is_what_was_written(void **state)
{
  (void)state;
  double q[7], u[6];
  rig g = rig_new((lw_joint_desc){.type = LW_CYLINDRICAL, .q = {0.1, 0.2}, .u = {0.3, 0.4}}, false,
                  false);
  lw_initial_state(g.m, q, u);
  lwt_close(q, (double[]){0.1, 0.2}, 2, 0, 1, "cylindrical: q");
  lwt_close(u, (double[]){0.3, 0.4}, 2, 0, 1, "cylindrical: u");
  rig_free(&g);
  g = rig_new(
      (lw_joint_desc){.type = LW_FREE, .q = {1, 2, 3}, .q_orient = {LW_ORIENT_RPY, {0, 0, pi / 2}}},
      false, false);
  lw_initial_state(g.m, q, u);
  const double h = sqrt(0.5);
  lwt_close(q, (double[]){1, 2, 3, h, 0, 0, h}, 7, tol, 1, "free: q_orient");
  rig_free(&g);
  g = rig_new((lw_joint_desc){.type = LW_SPHERICAL, .q = {0, 0, 3, 4}}, false, false);
  lw_initial_state(g.m, q, u);
  lwt_close(q, (double[]){0, 0, 0.6, 0.8}, 4, tol, 1, "spherical: normalised");
  rig_free(&g);
  g = rig_new((lw_joint_desc){.type = LW_SPHERICAL}, false, false);
  lw_initial_state(g.m, q, u);
  lwt_close(q, (double[]){1, 0, 0, 0}, 4, 0, 1, "spherical: the identity");
  rig_free(&g);
}

static void normalize_refuses_a_quaternion_without_direction(void **state)
{
  (void)state;
  rig g = rig_new((lw_joint_desc){.type = LW_SPHERICAL}, false, false);
  double zero[4] = {0}, nan[4] = {1, (double)NAN, 0, 0}, long_one[4] = {0, 3, 0, 4};
  assert_int_equal(lw_normalize(g.m, zero), LW_E_NUMBER);
  assert_int_equal(lw_normalize(g.m, nan), LW_E_NUMBER);
  lwt_ok(lw_normalize(g.m, long_one));
  lwt_close(long_one, (double[]){0, 0.6, 0, 0.8}, 4, tol, 1, "normalised");
  rig_free(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_catalogue_counts_coordinates_and_speeds),
      cmocka_unit_test(at_the_identity_the_joint_frames_coincide),
      cmocka_unit_test(a_revolute_joint_turns_the_child_about_plus_axis),
      cmocka_unit_test(a_prismatic_joint_shifts_the_child_along_plus_axis),
      cmocka_unit_test(a_helical_joint_advances_pitch_metres_a_radian),
      cmocka_unit_test(a_cylindrical_joint_has_the_angle_first),
      cmocka_unit_test(a_universal_joint_turns_about_axis_then_about_axis2_of_the_child),
      cmocka_unit_test(a_universal_joint_may_have_skew_axes),
      cmocka_unit_test(a_spherical_joint_has_its_speeds_in_child_axes),
      cmocka_unit_test(a_planar_joint_has_its_shift_rates_in_parent_axes),
      cmocka_unit_test(a_free_joint_has_both_velocities_in_child_axes),
      cmocka_unit_test(a_free_joint_in_a_planar_model_has_angular_speed_first_and_child_axes),
      cmocka_unit_test(a_fixed_joint_does_not_move),
      cmocka_unit_test(a_joint_with_the_ground_as_child_moves_its_parent_the_other_way),
      cmocka_unit_test(coordinate_rates_give_the_velocity),
      cmocka_unit_test(udot_is_the_derivative_of_each_component_of_u),
      cmocka_unit_test(a_free_body_without_forces_follows_eulers_equations),
      cmocka_unit_test(roll_pitch_and_yaw_are_turns_about_z_y_and_x_from_left_to_right),
      cmocka_unit_test(quaternions_and_axes_of_places_need_not_have_length_one),
      cmocka_unit_test(a_floating_body_starts_with_the_velocity_of_its_origin_in_ground_axes),
      cmocka_unit_test(the_initial_state_is_what_was_written),
      cmocka_unit_test(normalize_refuses_a_quaternion_without_direction),
  };
  return cmocka_run_group_tests_name("unit/joints", tests, NULL, NULL);
}
