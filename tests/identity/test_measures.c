/* SPDX-License-Identifier: Apache-2.0 */
/* Measures, what forces see of positions and velocities: against poses and velocities of bodies, against rates of
   other measures, and forces with them against forces with their numbers, in every formulation. */
#include "lwt_loops.h"
#include "lwt_measures.h"

#include "linkwork/columns.h"
#include "linkwork/file.h"
#include "linkwork/formulation.h"
#include "linkwork/query.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const vectors[6][3] = {{"x", "y", "z"},    {"vx", "vy", "vz"},
                                          {"wx", "wy", "wz"}, {"xx", "xy", "xz"},
                                          {"yx", "yy", "yz"}, {"zx", "zy", "zz"}};

/* one column at the state of a case */
static double column(const lwt_case *c, const char *name)
{
  lw_error err;
  double row[2];
  lw_columns *columns = lw_columns_new(c->m, name, &err);
  if (!columns) fail_msg("%s: %s", name, err.text);
  lwt_ok(lw_columns_row(columns, c->t, c->q, c->u, row));
  lw_columns_free(columns);
  return row[1];
}

static void column3(const lwt_case *c, int vector, const char *of, double out[3])
{
  for (int k = 0; k < 3; k++) {
    char name[80];
    snprintf(name, sizeof name, "%s.%s", vectors[vector][k], of);
    out[k] = column(c, name);
  }
}

static lwt_case random_case(unsigned k)
{
  const lwt_recipe r = {.seed = 50 + k,
                        .nbody = 3 + (int)(k % 5),
                        .branching = 0.5,
                        .floating = k % 2,
                        .planar = k % 5 == 4,
                        .measured = true};
  return lwt_case_new(&r);
}

/* seen from a body: the definitions of format.md, from poses and velocities in ground axes */
static void measures_are_those_of_poses_and_velocities(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 20; k++) {
    lwt_case c = random_case(k);
    lw_pose A, B;
    double VA[6], VB[6], d[3], v[3], w[3], turn[3], want[3], found[3];
    const int a = 1 + (int)(k % 3), b = 1 + (int)((k + 1) % 3);
    char name[40];
    snprintf(name, sizeof name, "b%d.in.b%d", a, b);
    lwt_ok(lw_kinematics(c.w, c.q, c.u));
    lwt_ok(lw_get_pose(c.w, (lw_body){a}, &A));
    lwt_ok(lw_get_pose(c.w, (lw_body){b}, &B));
    lwt_ok(lw_get_velocity(c.w, (lw_body){a}, VA));
    lwt_ok(lw_get_velocity(c.w, (lw_body){b}, VB));
    const rot3 R = rot_from_quat(B.quat), RA = rot_from_quat(A.quat);
    for (int i = 0; i < 3; i++) {
      d[i] = A.p[i] - B.p[i];
      v[i] = VA[3 + i] - VB[3 + i];
      w[i] = VA[i] - VB[i];
    }
    cross3(VB, d, turn);
    for (int i = 0; i < 3; i++)
      v[i] -= turn[i];
    const double *const in_ground[3] = {d, v, w};
    for (int i = 0; i < 6; i++) {
      rot_tmulv(R, i < 3 ? in_ground[i] : RA.c[i - 3], want);
      column3(&c, i, name, found);
      lwt_close(found, want, 3, 1e-13, 1 + lwt_scale(want, 3), "model %u, %s.%s", k, vectors[i][0],
                name);
    }
    lwt_case_free(&c);
  }
}

/* velocities are rates of positions, and what turns axes, for points on any two bodies */
static void velocities_are_rates_of_positions(void **state)
{
  (void)state;
  static const char *const pairs[] = {"point0.in.point1", "point1.in.b2", "b1.in.point2", "point2"};
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}, h = 1e-3;
  for (unsigned k = 0; k < 20; k++) {
    lwt_case c = random_case(k);
    double *at = calloc((size_t)c.nq + 1, sizeof *at),
           *rate = calloc((size_t)c.nq + 1, sizeof *rate);
    memcpy(at, c.q, (size_t)c.nq * sizeof *at);
    lw_coordinate_rates(c.m, at, c.u, rate);
    const char *pair = pairs[k % 4];
    double v[3], w[3], x[3], found[3] = {0}, turned[3] = {0}, want[3], e[3];
    column3(&c, 1, pair, v);
    column3(&c, 2, pair, w);
    column3(&c, 3, pair, e);
    cross3(w, e, want);
    double length_rate = 0;
    const double rate_now = column(&c, "rate.measured_spring");
    for (int s = 1; s <= 4; s++)
      for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < c.nq; i++)
          c.q[i] = at[i] + sign * s * h * rate[i];
        column3(&c, 0, pair, x);
        column3(&c, 3, pair, e);
        for (int i = 0; i < 3; i++) {
          found[i] += sign * weight[s - 1] / h * x[i];
          turned[i] += sign * weight[s - 1] / h * e[i];
        }
        length_rate += sign * weight[s - 1] / h * column(&c, "length.measured_spring");
      }
    lwt_close(found, v, 3, 1e-8, 1 + lwt_scale(v, 3), "model %u, velocity of %s", k, pair);
    lwt_close(turned, want, 3, 1e-8, 1 + lwt_scale(want, 3), "model %u, axis of %s", k, pair);
    lwt_near(length_rate, rate_now, 1e-8 * (1 + fabs(rate_now)), "model %u, spring", k);
    free(at), free(rate);
    lwt_case_free(&c);
  }
}

/* the acceleration of a point: that of its body's motion, by differences of its velocity along the motion */
static void accelerations_are_rates_of_velocities(void **state)
{
  (void)state;
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}, h = 1e-4;
  for (unsigned k = 0; k < 20; k++) {
    lwt_case c = random_case(k);
    double found[3] = {0}, want[3], v[3], *q = calloc((size_t)c.nq + 1, sizeof *q),
           *u = calloc((size_t)c.nu + 1, sizeof *u), *rate = calloc((size_t)c.nq + 1, sizeof *rate);
    memcpy(q, c.q, (size_t)c.nq * sizeof *q);
    memcpy(u, c.u, (size_t)c.nu * sizeof *u);
    lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, NULL, c.udot));
    want[0] = column(&c, "ax.point0"), want[1] = column(&c, "ay.point0"),
    want[2] = column(&c, "az.point0");
    for (int s = 1; s <= 4; s++)
      for (int sign = -1; sign <= 1; sign += 2) {
        lw_coordinate_rates(c.m, q, u, rate);
        for (int i = 0; i < c.nq; i++)
          c.q[i] = q[i] + sign * s * h * rate[i];
        for (int i = 0; i < c.nu; i++)
          c.u[i] = u[i] + sign * s * h * c.udot[i];
        column3(&c, 1, "point0", v);
        for (int i = 0; i < 3; i++)
          found[i] += sign * weight[s - 1] / h * v[i];
      }
    lwt_close(found, want, 3, 1e-7, 1 + lwt_scale(want, 3), "model %u", k);
    free(q), free(u), free(rate);
    lwt_case_free(&c);
  }
}

/* a force that sees x is the force with the number that x is: in every formulation, trees and loops */
static void forces_with_measures_are_forces_with_their_numbers(void **state)
{
  (void)state;
  static const char *const seen[] = {"x.b1.in.b2", "vy.b3", "wz.b2.in.b1", "zx.b3", "q.j1.1"};
  int done = 0;
  for (unsigned k = 0; k < 30; k++) {
    lw_model *m[2];
    lw_error err;
    char value[40] = "";
    for (int numbers = 0; numbers < 2; numbers++) {
      const lwt_loops r = {.tree = {.seed = 80 + k, .nbody = 4, .branching = 0.4, .floating = true},
                           .loops = (int)(k % 2)};
      lw_spec *s = lwt_loops_spec(&r);
      const double x = lw_expr(s, numbers ? value : seen[k % 5]);
      lw_add_load(s,
                  &(lw_load_desc){.name = "F", .body = {3}, .force = {x, 1, 0}, .torque = {0, x}});
      m[numbers] = lw_compile(s, &err);
      lw_spec_free(s);
      if (!m[numbers]) fail_msg("%s", err.text);
      if (numbers) break;
      lwt_case c = lwt_case_of(m[0], k);
      lw_initial_state(m[0], c.q, c.u);
      snprintf(value, sizeof value, "%.17g", column(&c, seen[k % 5]));
      c.m = NULL;
      lw_work_free(c.w);
      free(c.q);
    }
    for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
      double q[64], u[64], udot[2][64];
      for (int i = 0; i < 2; i++) {
        const lw_simulation_options o = {.formulation = (lw_formulation)f};
        lw_dynamics *d = lw_dynamics_new(m[i], &o, &err);
        lw_initial_state(m[i], q, u);
        lwt_ok(lw_dynamics_accelerate(d, 0, q, u, NULL, udot[i]));
        lw_dynamics_free(d);
      }
      lwt_close(udot[0], udot[1], lw_nu(m[0]), 1e-10, lwt_scale(udot[1], lw_nu(m[0])),
                "model %u, %s", k, lw_formulation_name((lw_formulation)f));
      done++;
    }
    lw_model_free(m[0]);
    lw_model_free(m[1]);
  }
  assert_int_equal(done, 90);
}

/* ---- points instead of bodies ---- */

#define HEAD                                                                                       \
  "linkwork: 1\nparameters: {h: 0.3}\n"                                                            \
  "bodies:\n"                                                                                      \
  "  a: {mass: 2, inertia: [0.1, 0.2, 0.3]}\n"                                                     \
  "  b: {mass: 1, inertia: [0.3, 0.2, 0.3]}\n"
#define JOINT "  J: {type: revolute, parent: ground, child: a, axis: y, q: 0.2, u: 1}\n"

static lw_model *compile_text(const char *text)
{
  lw_error err;
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

static void points_stand_for_bodies_and_places(void **state)
{
  (void)state;
  static const char with[] =
      HEAD "points:\n"
           "  p: {body: a, at: [h, 0, 2*h], orient: {rpy: [0.1, 0.2, 0.3]}}\n"
           "  r: {body: b, at: [0, h, 0]}\n"
           "  g: {body: ground, at: [1, 0, h]}\n"
           "joints:\n" JOINT "  K: {type: universal, parent: p, child: r, q: [0.1, 0.3]}\n"
           "forces:\n"
           "  S: {type: spring, from: r, to: {body: g}, stiffness: 40}\n"
           "  F: {type: force, body: p, force: [1, 2, 3]}\n"
           "  B: {type: bushing, parent: g, child: p, stiffness: 5, angular_stiffness: 2}\n";
  static const char without[] = HEAD
      "joints:\n" JOINT
      "  K: {type: universal, parent: a, at: [h, 0, 2*h], orient: {rpy: [0.1, 0.2, 0.3]},\n"
      "      child: b, child_at: [0, h, 0], q: [0.1, 0.3]}\n"
      "forces:\n"
      "  S: {type: spring, from: {body: b, at: [0, h, 0]}, to: {body: ground, at: [1, 0, h]},\n"
      "      stiffness: 40}\n"
      "  F: {type: force, body: a, at: [h, 0, 2*h], force: [1, 2, 3]}\n"
      "  B: {type: bushing, parent: ground, at: [1, 0, h], child: a, child_at: [h, 0, 2*h],\n"
      "      child_orient: {rpy: [0.1, 0.2, 0.3]}, stiffness: 5, angular_stiffness: 2}\n";
  lw_model *m[2] = {compile_text(with), compile_text(without)};
  double q[8], u[8], udot[2][8];
  for (int i = 0; i < 2; i++) {
    lw_work *w = lw_work_new(m[i]);
    lw_initial_state(m[i], q, u);
    lwt_ok(lw_forward_dynamics(w, 0, q, u, NULL, udot[i]));
    lw_work_free(w);
    lw_model_free(m[i]);
  }
  lwt_close(udot[0], udot[1], 3, 1e-15, lwt_scale(udot[1], 3), "accelerations");
}

/* ---- outputs ---- */

#define ARM                                                                                        \
  "linkwork: 1\nparameters: {k: 2}\n"                                                              \
  "bodies: {a: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.3]}}\n"                           \
  "points: {p: {body: a, at: [k/2, 0, 0.1]}}\n"                                                    \
  "joints: {J: {type: revolute, parent: ground, child: a, axis: y, q: 0.2, u: 1}}\n"

static void outputs_are_their_expressions(void **state)
{
  (void)state;
  lw_model *m = compile_text(ARM "outputs: {one: \"k*x.p - q.J\", two: \"one^2 + fx.J*az.p\"}\n");
  lw_error err;
  double row[9], q[1] = {0.3}, u[1] = {-0.7};
  lw_columns *c = lw_columns_new(m, "two,one,x.p,q.J,fx.J,az.p", &err);
  if (!c) fail_msg("%s", err.text);
  assert_int_equal(lw_columns_count(c), 7);
  lwt_ok(lw_columns_row(c, 0, q, u, row));
  double named[7] = {0};
  static const char *const names[] = {"t", "q.J", "x.p", "az.p", "fx.J", "one", "two"};
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++)
      if (strcmp(lw_columns_name(c, i), names[j]) == 0) named[j] = row[i];
  lwt_near(named[5], 2 * named[2] - named[1], 1e-14, "one");
  lwt_near(named[6], named[5] * named[5] + named[4] * named[3], 1e-12, "two");
  lw_columns_free(c);
  c = lw_columns_new(m, "two", &err); /* what it is made of is not shown */
  assert_int_equal(lw_columns_count(c), 2);
  lwt_ok(lw_columns_row(c, 0, q, u, row));
  lwt_near(row[1], named[6], 0, "two alone");
  lw_columns_free(c);
  lw_model_free(m);
}

static void wrong_outputs_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *outputs, *words;
    int column;
  } cases[] = {
      {"{a: \"b\", b: \"2*a\"}", "depends on itself", 25},
      {"{a: 3}", "a number does not depend on results", 11},
      {"{k: \"q.J\"}", "a parameter has this name", 11},
      {"{t: \"q.J\"}", "the name is taken", 11},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    lw_error err = {.status = LW_OK};
    snprintf(text, sizeof text, "%soutputs: %s\n", ARM, cases[i].outputs);
    lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
    lw_model *m = s ? lw_compile(s, &err) : NULL;
    assert_null(m);
    if (!strstr(err.text, cases[i].words))
      fail_msg("\"%s\" instead of %s", err.text, cases[i].words);
    assert_int_equal(err.line, 6);
    assert_int_equal(err.column, cases[i].column);
    lw_spec_free(s);
  }
  lw_error err = {.status = LW_OK};
  lw_model *m = compile_text(ARM "outputs: {one: \"2*x.q\"}\n");
  assert_null(lw_columns_new(m, NULL, &err));
  if (!strstr(err.text, "output \"one\": no result column \"x.q\"")) fail_msg("%s", err.text);
  assert_int_equal(err.line, 6);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_are_those_of_poses_and_velocities),
      cmocka_unit_test(velocities_are_rates_of_positions),
      cmocka_unit_test(accelerations_are_rates_of_velocities),
      cmocka_unit_test(forces_with_measures_are_forces_with_their_numbers),
      cmocka_unit_test(points_stand_for_bodies_and_places),
      cmocka_unit_test(outputs_are_their_expressions),
      cmocka_unit_test(wrong_outputs_are_refused),
  };
  return cmocka_run_group_tests_name("identity/measures", tests, NULL, NULL);
}
