/* SPDX-License-Identifier: Apache-2.0 */
/* Damping and limits of joints: textbook solutions, the law of compliant stops against its energy, derivatives
   against differences, formulations that agree, and what is refused. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect_refused(const char *text, const char *why)
{
  const lw_error err = refused_model(text);
  if (!strstr(err.text, why)) fail_msg("%s", err.text);
  assert_true(err.line > 0);
}

#define SLIDE                                                                                      \
  "linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n  m: {mass: 2, inertia: [1, 1, 1]}\n"                 \
  "simulation: {rtol: 1e-11, atol: 1e-13}\njoints:\n"                                              \
  "  s: {type: prismatic, parent: ground, child: m, "

/* u = u0 exp(-d t / m) */
static void damping_of_a_joint_slows_it_exponentially(void **state)
{
  (void)state;
  lw_model *m = read_model(SLIDE "u: 3, damping: 0.8}\n");
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    double q, u;
    lwt_ok(lw_simulation_advance(sim, 2, &q, &u, NULL));
    lwt_near(u, 3 * exp(-0.8), 1e-9, "speed, formulation %d", f);
    lwt_near(q, 3 * 2 / 0.8 * (1 - exp(-0.8)), 1e-9, "way, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* thrown back by its own restitution, also where it came to rest by bounces: a series of hits ends there */
static void what_rests_after_bounces_is_thrown_back_as_at_the_start(void **state)
{
  (void)state;
  static const double from[2] = {0.1, 0};
  for (int i = 0; i < 2; i++) {
    char text[500];
    double q, u;
    snprintf(text, sizeof text,
             "linkwork: 1\ngravity: [0, 0, -10]\nbodies: {m: {mass: 2, inertia: [1, 1, "
             "1]}}\njoints: {s: {type: prismatic, "
             "parent: ground, child: m, q: %g, limits: {lower: 0, upper: 1, restitution: 0.5}}}\n"
             "events: [{at: 3, impulse: {body: m, linear: [0, 0, -4]}}]\nsimulation: {rtol: 1e-11, "
             "atol: "
             "1e-13}\n",
             from[i]);
    lw_model *m = read_model(text);
    for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
      lw_simulation *sim = simulate(m, (lw_formulation)f);
      lwt_ok(lw_simulation_advance(sim, 3.05, &q, &u, NULL));
      lwt_near(u, 0.5 * 4 / 2 - 10 * 0.05, 1e-9, "speed, formulation %d", f);
      lw_simulation_free(sim);
    }
    lw_model_free(m);
  }
}

/* the load of a stop, m udot = -dU/dq, at states on both sides of the limits and within the onset */
static void a_compliant_stop_is_the_slope_of_its_energy(void **state)
{
  (void)state;
  lw_model *m = read_model(
      SLIDE "limits: {lower: -0.1, upper: 0.2, stiffness: 3e4, damping: 50, onset: 0.01}}\n");
  lw_work *w = lw_work_new(m);
  const double h = 1e-6;
  double last = NAN, inside = 0;
  for (double q = -0.13; q <= 0.23; q += 0.0005) {
    double u = 0, udot, low = q - h, high = q + h, T, U[2];
    lwt_ok(lw_forward_dynamics(w, 0, &q, &u, NULL, &udot));
    lwt_ok(lw_energy(w, &low, &u, &T, &U[0]));
    lwt_ok(lw_energy(w, &high, &u, &T, &U[1]));
    lwt_near(2 * udot, -(U[1] - U[0]) / (2 * h), 1e-4, "at q = %g", q);
    /* no jump of the load: at most stiffness times the way */
    if (!isnan(last)) assert_true(fabs(2 * udot - last) <= 3e4 * 0.00051);
    last = 2 * udot;
    inside += q > -0.1 && q < 0.2 && udot != 0;
  }
  assert_true(inside == 0);
  lw_work_free(w);
  lw_model_free(m);
}

/* beyond the onset: load = k (d - w/2) + c u */
static void beyond_its_onset_a_stop_is_a_spring_and_a_damper(void **state)
{
  (void)state;
  lw_model *m = read_model(
      SLIDE "limits: {lower: -0.1, upper: 0.2, stiffness: 3e4, damping: 50, onset: 0.01}}\n");
  lw_work *w = lw_work_new(m);
  double q = 0.25, u = -0.7, udot;
  lwt_ok(lw_forward_dynamics(w, 0, &q, &u, NULL, &udot));
  lwt_near(2 * udot, -3e4 * 0.045 + 50 * 0.7, 1e-9, "upper");
  q = -0.15;
  lwt_ok(lw_forward_dynamics(w, 0, &q, &u, NULL, &udot));
  lwt_near(2 * udot, 3e4 * 0.045 + 50 * 0.7, 1e-9, "lower");
  lw_work_free(w);
  lw_model_free(m);
}

/* a_q, a_u against central differences, also within the onset, where both coefficients change */
static void derivatives_of_stops_are_those_of_differences(void **state)
{
  (void)state;
  lw_model *m = read_model(
      SLIDE "limits: {lower: -0.1, upper: 0.2, stiffness: 3e4, damping: 50, onset: 0.01}}\n");
  lw_derivatives *d = lw_derivatives_new(m);
  const double places[] = {-0.15, -0.104, -0.1001, 0, 0.2003, 0.207, 0.23}, h = 1e-6;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    double q = places[i], u = 0.8, udot, by_q, by_u, a[4];
    lwt_ok(lw_forward_dynamics_derivatives(d, 0, &q, &u, NULL, &udot,
                                           &(lw_forward_matrices){&by_q, &by_u, NULL}));
    lw_work *w = lw_work_new(m);
    for (int k = 0; k < 4; k++) {
      double x = q + (k == 0 ? h : k == 1 ? -h : 0), v = u + (k == 2 ? h : k == 3 ? -h : 0);
      lwt_ok(lw_forward_dynamics(w, 0, &x, &v, NULL, &a[k]));
    }
    lwt_near(by_q, (a[0] - a[1]) / (2 * h), 1e-5 * 3e4, "by q at %g", q);
    lwt_near(by_u, (a[2] - a[3]) / (2 * h), 1e-7 * 50, "by u at %g", q);
    lw_work_free(w);
  }
  lw_derivatives_free(d);
  lw_model_free(m);
}

#define FOUR_BAR                                                                                   \
  "linkwork: 1\nplanar: true\nparameters: {k: 2e3, c: 4, b: 0.1, top: 1.2}\n"                      \
  "bodies:\n"                                                                                      \
  "  a: {solid: {rod: {length: 1, mass: 2, axis: x}}}\n"                                           \
  "  b: {solid: {rod: {length: 2, mass: 3, axis: x}}}\n"                                           \
  "  c: {solid: {rod: {length: 1.5, mass: 2, axis: x}}}\n"                                         \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: a, q: 1, u: 3, hold: true, damping: b}\n"          \
  "  B: {type: revolute, parent: a, child: b, at: [1, 0]}\n"                                       \
  "  C: {type: revolute, parent: b, child: c, at: [2, 0], child_at: [1.5, 0],\n"                   \
  "      limits: {lower: -1.6, upper: top, stiffness: k, damping: c, onset: 0.02}}\n"              \
  "  D: {type: revolute, parent: ground, child: c, at: [2, 0], q: 1.5, damping: b}\n"              \
  "simulation: {end: 1, rtol: 1e-10, atol: 1e-12}\nsensitivity: {parameters: [k, c, b, top]}\n"

/* also where the joint closes the loop; and the energy that the dampers take is accounted for */
static void formulations_agree_on_stops_and_dampers_in_a_loop(void **state)
{
  (void)state;
  lw_model *m = read_model(FOUR_BAR);
  double q[3][16], u[3][16], least = 0;
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    lw_columns *c = lw_columns_new(m, "t,q.C,energy.error", NULL);
    lwt_ok(lw_columns_follow(c, sim, NULL));
    for (int i = 1; i <= 50; i++) {
      double row[3];
      lwt_ok(lw_simulation_advance(sim, 0.02 * i, q[f - 1], u[f - 1], NULL));
      lwt_ok(lw_columns_row(c, 0.02 * i, q[f - 1], u[f - 1], row));
      least = fmin(least, fmin(row[1] + 1.6, 1.2 - row[1]));
      assert_true(fabs(row[2]) < 1e-6);
    }
    lw_columns_free(c);
    lw_simulation_free(sim);
  }
  assert_true(least < -0.01); /* the stop was reached */
  lwt_close(q[1], q[0], lw_nq(m), 1e-7, 1, "dca");
  lwt_close(q[2], q[0], lw_nq(m), 1e-7, 1, "cartesian");
  lwt_close(u[2], u[0], lw_nu(m), 1e-6, 10, "speeds, cartesian");
  lw_model_free(m);
}

/* ---- rigid limits ---- */

typedef struct {
  int n;
  double t[200];
  char name[200][40];
} event_log;

static int note(void *context, const lw_event_report *r, bool after)
{
  event_log *l = context;
  if (!after || l->n == 200) return 0;
  l->t[l->n] = r->time;
  snprintf(l->name[l->n++], sizeof l->name[0], "%s", r->names[0]);
  return 0;
}

/* t1 = sqrt(2 h / g), then intervals 2 e^k t1; it rests after t1 (1 + e) / (1 - e) */
static void all_hits_of_a_bouncing_ball_come_at_their_times(void **state)
{
  (void)state;
  lw_model *m = read_model("linkwork: 1\nbodies:\n  m: {mass: 2}\njoints:\n"
                           "  s: {type: prismatic, parent: ground, child: m, q: 1.3, "
                           "limits: {lower: 0.3, restitution: 0.6}}\n"
                           "simulation: {end: 3, rtol: 1e-12, atol: 1e-15}\n");
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    event_log l = {0};
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    lw_columns *c = lw_columns_new(m, "t,load.lower.s,udot.s", NULL);
    double q, u, row[3];
    lwt_ok(lw_columns_follow(c, sim, NULL));
    lw_simulation_on_event(sim, note, &l);
    lwt_ok(lw_simulation_advance(sim, 3, &q, &u, NULL));
    lwt_ok(lw_columns_row(c, 3, &q, &u, row));
    double t = sqrt(2 / 9.81), interval = 2 * 0.6 * t;
    const double rest = t * (1 + 0.6) / (1 - 0.6);
    for (int i = 0; i < l.n; i++, t += interval, interval *= 0.6)
      lwt_near(l.t[i], t, i < 15 ? 1e-9 : 1e-8, "hit %d, formulation %d", i, f);
    assert_true(l.n > 20 && l.n < 40);
    lwt_near(l.t[l.n - 1], rest, 3e-5, "rest, formulation %d", f);
    lwt_near(q, 0.3, 1e-12, "rests on the limit, formulation %d", f);
    assert_true(fabs(u) < 1e-14);
    lwt_near(row[2], 2 * 9.81, 1e-9, "the limit carries the weight, formulation %d", f);
    lwt_near(row[1], 0, 1e-12, "it rests, formulation %d", f);
    lw_columns_free(c);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* between walls at 0 and 1 without gravity: speed v e^n after n hits */
static void a_slider_between_two_limits_hits_them_in_turn(void **state)
{
  (void)state;
  lw_model *m = read_model(SLIDE "q: 0.5, u: 2, limits: {lower: 0, upper: 1, restitution: 0.9}}\n");
  event_log l = {0};
  lw_simulation *sim = simulate(m, LW_FORMULATION_AUTO);
  double q, u;
  lw_simulation_on_event(sim, note, &l);
  lwt_ok(lw_simulation_advance(sim, 4, &q, &u, NULL));
  double t = 0.25, v = 2;
  for (int i = 0; i < l.n; i++) {
    lwt_near(l.t[i], t, 1e-10 * (1 + t), "hit %d", i);
    assert_string_equal(l.name[i], i % 2 ? "lower.s" : "upper.s");
    v *= 0.9;
    t += 1 / v;
  }
  assert_true(l.n >= 5 && t > 4);
  lwt_near(fabs(u), v, 1e-10, "speed");
  lw_simulation_free(sim);
  lw_model_free(m);
}

/* A rod falls on a stop without restitution; the load there is that of its weight until a motor of
   growing torque lifts it: load = m g l/2 cos(q) - 4 t = 0 */
static void a_rod_rests_on_its_stop_until_its_load_lifts_it(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\nbodies:\n  a: {solid: {rod: {length: 1, mass: 2, axis: x}}}\n"
                 "joints:\n  A: {type: revolute, parent: ground, child: a, axis: -y, q: 1, "
                 "limits: [30 deg, 170 deg]}\n"
                 "forces:\n  M: {type: motor, joint: A, value: 4*t}\n"
                 "simulation: {end: 3, rtol: 1e-10, atol: 1e-12}\n");
  const double weight = 2 * 9.81 * 0.5 * cos(3.14159265358979323846 / 6);
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    event_log l = {0};
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    lw_columns *c = lw_columns_new(m, "t,load.lower.A", NULL);
    double q, u, row[2];
    lwt_ok(lw_columns_follow(c, sim, NULL));
    lw_simulation_on_event(sim, note, &l);
    lwt_ok(lw_simulation_advance(sim, 1.5, &q, &u, NULL));
    lwt_ok(lw_columns_row(c, 1.5, &q, &u, row));
    lwt_near(row[1], weight - 6, 1e-9, "load on the stop, formulation %d", f);
    lwt_near(q, 3.14159265358979323846 / 6, 1e-12, "on the stop, formulation %d", f);
    lwt_ok(lw_simulation_advance(sim, 3, &q, &u, NULL));
    assert_true(l.n >= 2);
    assert_string_equal(l.name[0], "lower.A");
    assert_string_equal(l.name[1], "release lower.A");
    lwt_near(l.t[1], weight / 4, 1e-7, "release, formulation %d", f);
    lw_columns_free(c);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

static void a_joint_may_start_on_its_limit_but_not_beyond(void **state)
{
  (void)state;
  lw_model *m = read_model("linkwork: 1\nbodies:\n  m: {mass: 2}\njoints:\n"
                           "  s: {type: prismatic, parent: ground, child: m, q: 0.3, "
                           "limits: {lower: 0.3, upper: 1}}\n");
  event_log l = {0};
  lw_simulation *sim = simulate(m, LW_FORMULATION_AUTO);
  double q, u;
  lw_simulation_on_event(sim, note, &l);
  lwt_ok(lw_simulation_advance(sim, 1, &q, &u, NULL));
  assert_true(fabs(q - 0.3) < 1e-14 && u == 0 && l.n == 0);
  lw_simulation_free(sim);
  lw_model_free(m);

  m = read_model("linkwork: 1\nbodies:\n  m: {mass: 2}\njoints:\n"
                 "  s: {type: prismatic, parent: ground, child: m, q: 0.2, limits: [0.3, 1]}\n");
  sim = simulate(m, LW_FORMULATION_AUTO);
  lw_error err = {0};
  assert_int_equal(lw_simulation_advance(sim, 1, &q, &u, &err), LW_E_MODEL);
  if (!strstr(err.text, "\"s\" is beyond its limit")) fail_msg("%s", err.text);
  lw_simulation_free(sim);
  lw_model_free(m);
}

/* a lower freedom of a joint with two, and one that closes a loop */
static void limits_act_on_any_freedom_also_of_cut_joints(void **state)
{
  (void)state;
  lw_model *m = read_model("linkwork: 1\nbodies:\n  m: {mass: 2, inertia: [1, 1, 1]}\njoints:\n"
                           "  s: {type: cylindrical, parent: ground, child: m, u: [1, 0], "
                           "limits: [none, {lower: -0.4, upper: 1, restitution: 0}]}\n");
  lw_simulation *sim = simulate(m, LW_FORMULATION_AUTO);
  double q[2], u[2];
  lwt_ok(lw_simulation_advance(sim, 1, q, u, NULL));
  lwt_near(q[1], -0.4, 1e-13, "at its limit");
  lwt_near(q[0], 1, 1e-13, "turns on");
  lw_simulation_free(sim);
  lw_model_free(m);
}

#define STOPPED_BAR                                                                                \
  "linkwork: 1\nplanar: true\nbodies:\n"                                                           \
  "  a: {solid: {rod: {length: 1, mass: 2, axis: x}}}\n"                                           \
  "  b: {solid: {rod: {length: 2, mass: 3, axis: x}}}\n"                                           \
  "  c: {solid: {rod: {length: 1.5, mass: 2, axis: x}}}\n"                                         \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: a, q: 1, u: 3, hold: true}\n"                      \
  "  B: {type: revolute, parent: a, child: b, at: [1, 0]}\n"                                       \
  "  C: {type: revolute, parent: b, child: c, at: [2, 0], child_at: [1.5, 0],\n"                   \
  "      limits: {lower: -1.6, upper: 1.2, restitution: 0.5}}\n"                                   \
  "  D: {type: revolute, parent: ground, child: c, at: [2, 0], q: 1.5}\n"                          \
  "simulation: {end: 2, rtol: 1e-11, atol: 1e-13}\n"

static void formulations_agree_on_limits_in_a_loop(void **state)
{
  (void)state;
  lw_model *m = read_model(STOPPED_BAR);
  double q[3][16], u[3][16];
  event_log l[3] = {{0}};
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    lw_columns *c = lw_columns_new(m, "t,q.C,energy.error", NULL);
    double row[3];
    lwt_ok(lw_columns_follow(c, sim, NULL));
    lw_simulation_on_event(sim, note, &l[f - 1]);
    for (int i = 1; i <= 40; i++) {
      lwt_ok(lw_simulation_advance(sim, 0.05 * i, q[f - 1], u[f - 1], NULL));
      lwt_ok(lw_columns_row(c, 0.05 * i, q[f - 1], u[f - 1], row));
      assert_true(row[1] > -1.6 - 1e-9 && row[1] < 1.2 + 1e-9 && fabs(row[2]) < 1e-7);
    }
    lw_columns_free(c);
    lw_simulation_free(sim);
  }
  assert_true(l[0].n >= 2);
  for (int f = 1; f < 3; f++) {
    assert_int_equal(l[f].n, l[0].n);
    lwt_close(l[f].t, l[0].t, l[0].n, 1e-9, 1, "times");
    lwt_close(q[f], q[0], lw_nq(m), 1e-8, 1, "positions");
  }
  lw_model_free(m);
}

static void wrong_limits_are_refused_with_their_place(void **state)
{
  (void)state;
  expect_refused(SLIDE "limits: {lower: 0.3, upper: 0.2, stiffness: 1}}\n", "below the upper");
  expect_refused(SLIDE "limits: {stiffness: 1}}\n", "needs `lower`, `upper` or both");
  expect_refused(SLIDE "limits: {lower: 0, damping: 1}}\n", "need a `stiffness`");
  expect_refused(SLIDE "limits: {lower: 0, stiffness: 1, damping: -1}}\n", "not be negative");
  expect_refused(SLIDE "damping: -1}\n", "must not be negative");
  expect_refused(SLIDE "limits: {lower: 0, restitution: 1.2}}\n", "between 0 and 1");
  expect_refused(SLIDE "limits: {lower: 0, restitution: 0.2, stiffness: 1}}\n", "or a stiffness");
  expect_refused(SLIDE "damping: [1, 2]}\n", "damping");
  expect_refused("linkwork: 1\nbodies:\n  m: {mass: 2, inertia: [1, 1, 1]}\njoints:\n"
                 "  s: {type: spherical, parent: ground, child: m, damping: 1}\n",
                 "not a key of a spherical joint");
  expect_refused("linkwork: 1\nbodies:\n  m: {mass: 2, inertia: [1, 1, 1]}\njoints:\n"
                 "  s: {type: cylindrical, parent: ground, child: m, damping: 1}\n",
                 "a list of 2 entries");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damping_of_a_joint_slows_it_exponentially),
      cmocka_unit_test(a_compliant_stop_is_the_slope_of_its_energy),
      cmocka_unit_test(what_rests_after_bounces_is_thrown_back_as_at_the_start),
      cmocka_unit_test(beyond_its_onset_a_stop_is_a_spring_and_a_damper),
      cmocka_unit_test(derivatives_of_stops_are_those_of_differences),
      cmocka_unit_test(formulations_agree_on_stops_and_dampers_in_a_loop),
      cmocka_unit_test(all_hits_of_a_bouncing_ball_come_at_their_times),
      cmocka_unit_test(a_slider_between_two_limits_hits_them_in_turn),
      cmocka_unit_test(a_rod_rests_on_its_stop_until_its_load_lifts_it),
      cmocka_unit_test(a_joint_may_start_on_its_limit_but_not_beyond),
      cmocka_unit_test(limits_act_on_any_freedom_also_of_cut_joints),
      cmocka_unit_test(formulations_agree_on_limits_in_a_loop),
      cmocka_unit_test(wrong_limits_are_refused_with_their_place),
  };
  return cmocka_run_group_tests_name("closed_form/limits", tests, NULL, NULL);
}
