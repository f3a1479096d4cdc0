/* SPDX-License-Identifier: Apache-2.0 */
/* Torsions: textbook pendulums over several turns, and on oblique axes formulations that agree, energy that balances
   and derivatives that are those of differences. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect_refused(const char *text, int line, int column, const char *why)
{
  const lw_error err = refused_model(text);
  if (!strstr(err.text, why)) fail_msg("%s", err.text);
  assert_int_equal(err.line, line);
  assert_int_equal(err.column, column);
}

#define DISC                                                                                       \
  "linkwork: 1\ngravity: [0, 0, 0]\nparameters: {k: 0.5, d: 0, w: 40}\n"                           \
  "bodies:\n  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                            \
  "joints:\n  J: {type: revolute, parent: ground, child: a, axis: [1, 2, 2], q: 0.3, u: w}\n"      \
  "simulation: {rtol: 1e-10, atol: 1e-12}\n"                                                       \
  "forces:\n  T: {type: torsion, parent: ground, child: a, axis: [1, 2, 2], stiffness: k, "

/* with x = q - angle: x = x0 cos(w t) + u0/w sin(w t), w^2 = k / I; here up to 2.8 turns either way */
static void a_torsion_pendulum_swings_over_several_turns(void **state)
{
  (void)state;
  lw_model *m = read_model(DISC "damping: d, angle: 0.1}\n");
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_DCA; f++) {
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    const double w = sqrt(0.5 / 0.1);
    double most = 0;
    for (int i = 1; i <= 40; i++) {
      double q, u;
      const double t = 0.2 * i;
      lwt_ok(lw_simulation_advance(sim, t, &q, &u, NULL));
      const double x = 0.2 * cos(w * t) + 40 / w * sin(w * t);
      assert_true(fabs(q - 0.1 - x) < 1e-6 * 18);
      most = fmax(most, fabs(x));
    }
    assert_true(most > 5 * 3.1415);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* the frequency of a damped pendulum: eigenvalues -d/2I +- i sqrt(k/I - (d/2I)^2), by the derivative of udot */
static void linearised_it_is_a_damped_oscillator(void **state)
{
  (void)state;
  lw_model *m = read_model(DISC "damping: 0.04, angle: 0.1}\n");
  lw_derivatives *d = lw_derivatives_new(m);
  double q = 11, u = 3, udot, by_q, by_u;
  lwt_ok(lw_forward_dynamics_derivatives(d, 0, &q, &u, NULL, &udot,
                                         &(lw_forward_matrices){&by_q, &by_u, NULL}));
  assert_true(fabs(by_q + 0.5 / 0.1) < 1e-12 * 5);
  assert_true(fabs(by_u + 0.04 / 0.1) < 1e-12);
  lw_derivatives_free(d);
  lw_model_free(m);
}

static double start_energy(const char *text, double q)
{
  lw_model *m = read_model(text);
  lw_work *w = lw_work_new(m);
  double q0[7], u[6], T, U;
  lw_initial_state(m, q0, u);
  if (!isnan(q)) q0[0] = q;
  lwt_ok(lw_energy(w, q0, u, &T, &U));
  lw_work_free(w);
  lw_model_free(m);
  return U;
}

/* 1/2 k (turn - angle)^2 tells the turn */
static void it_starts_nearest_to_its_angle_or_as_written(void **state)
{
  (void)state;
  const double turn = 2 * 3.14159265358979323846;
  const double nearest = start_energy(DISC "angle: 13}\n", (double)NAN),
               written = start_energy(DISC "angle: 13, start: -6}\n", (double)NAN),
               moved = start_energy(DISC "angle: 13, start: -6}\n", 0.3 + 25);
  assert_true(fabs(nearest - 0.25 * pow(0.3 + 2 * turn - 13, 2)) < 1e-12);
  assert_true(fabs(written - 0.25 * pow(0.3 - turn - 13, 2)) < 1e-10);
  assert_true(fabs(moved - 0.25 * pow(25.3 - turn - 13, 2)) < 1e-10);
}

/* springs keep the universal joint, which is at right angles to the torsions, within a quarter turn */
#define ARM                                                                                        \
  "linkwork: 1\nparameters: {k: 0.8, d: 0.05, w: 9, ax: 0.3, r: 0.1, o: 0.2}\n"                    \
  "bodies:\n  a: {mass: 1, inertia: [0.1, 0.1, 0.2]}\n  b: {mass: 1, inertia: [0.1, 0.15, 0.2]}\n" \
  "  c: {mass: 0.4, inertia: [0.02, 0.03, 0.04]}\n"                                                \
  "joints:\n  A: {type: revolute, parent: ground, child: a, axis: [0.1, 0.2, 1], q: 0.3, u: w}\n"  \
  "  U: {type: universal, parent: a, child: b, at: [0.3, 0, 0], axis: x, axis2: y, q: [0.3, "      \
  "0.2]}\n"                                                                                        \
  "  C: {type: revolute, parent: b, child: c, at: [0, 0, 0.4], axis: [0, 0.1, 1], u: -7}\n"        \
  "forces:\n  T: {type: torsion, parent: ground, child: c, axis: [ax, 0, 1], "                     \
  "orient: {rpy: [o, 0, 0]}, stiffness: k, damping: d, angle: r}\n"                                \
  "  V: {type: torsion, parent: c, child: a, stiffness: 0.5, damping: d, start: 7}\n"              \
  "  S: {type: joint_spring, joint: U, dof: 1, stiffness: 40, damping: 0.5}\n"                     \
  "  W: {type: joint_spring, joint: U, dof: 2, stiffness: 40, damping: 0.5}\n"                     \
  "simulation: {end: 1.2, rtol: 1e-10, atol: 1e-12}\n"                                             \
  "sensitivity: {parameters: [k, d, w, ax, r, o]}\n"

static const char *const arms[] = {
    ARM,
    ARM "events:\n  - {when: q.A - 2, once: true, impulse: {body: c, angular: [0.1, 0, 0.2]}}\n",
    ARM "events:\n  - {when: q.A - 2, once: true, lock: C}\n  - {at: 1.1, unlock: C}\n",
    ARM "events:\n  - {when: q.A - 2, once: true, merge: {name: m, bodies: [b, c]}}\n",
};
enum { ARMS = sizeof arms / sizeof *arms };

static void formulations_agree_and_energy_balances(void **state)
{
  (void)state;
  for (int k = 0; k < ARMS; k++) {
    lw_model *m = read_model(arms[k]);
    double x[2][4], v[2][4];
    for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_DCA; f++) {
      const int at = f > LW_FORMULATION_TREE;
      lw_energy_balance b;
      lw_simulation *sim = simulate(m, (lw_formulation)f);
      lwt_ok(lw_simulation_advance(sim, 1.2, x[at], v[at], NULL));
      lwt_ok(lw_simulation_energy(sim, &b));
      assert_true(fabs(b.error) < 1e-7 * (b.kinetic + b.potential));
      assert_true(b.potential > 1);
      lwt_close(x[at], x[0], 4, 1e-6, 10, "coordinates, model %d, formulation %d", k, f);
      lwt_close(v[at], v[0], 4, 1e-6, 10, "speeds, model %d, formulation %d", k, f);
      lw_simulation_free(sim);
    }
    lw_model_free(m);
  }
}

/* of forward dynamics, by central differences */
static void derivatives_by_the_state_are_those_of_differences(void **state)
{
  (void)state;
  enum { N = 4 };
  lw_model *m = read_model(ARM);
  lw_work *w = lw_work_new(m);
  lw_derivatives *d = lw_derivatives_new(m);
  double q[N] = {7, 0.4, -0.3, 15}, u[N] = {1, -2, 3, 4}, udot[N], by[2][N * N], side[2][N];
  const double h = 1e-5;
  lwt_ok(lw_forward_dynamics_derivatives(d, 0, q, u, NULL, udot,
                                         &(lw_forward_matrices){by[0], by[1], NULL}));
  for (int k = 0; k < 2 * N; k++) {
    double *x = k < N ? &q[k] : &u[k - N], kept = *x, difference[N], exact[N];
    for (int s = 0; s < 2; s++) {
      *x = kept + (s ? h : -h);
      lwt_ok(lw_forward_dynamics(w, 0, q, u, NULL, side[s]));
    }
    *x = kept;
    for (int i = 0; i < N; i++) {
      difference[i] = (side[1][i] - side[0][i]) / (2 * h);
      exact[i] = by[k / N][i * N + k % N];
    }
    lwt_close(exact, difference, N, 1e-6, 100, "by number %d of the state", k);
  }
  lw_derivatives_free(d);
  lw_work_free(w);
  lw_model_free(m);
}

/* by stiffness, damping, angle, axis, orientation and speed, against differences of whole runs */
static void check_sensitivities(const char *text, double end, const char *columns)
{
  enum { MANY = 6, MOST = 100 };
  lw_model *m = read_model(text);
  lw_error err = {0};
  const lw_sensitivity_options o = {.columns = columns};
  lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, &o, &err);
  if (!s) fail_msg("%s", err.text);
  const int n = lw_columns_count(lw_sensitivity_columns(s));
  double row[MOST], exact[MANY * MOST], runs[MOST], error[MOST];
  assert_true(n <= MOST && lw_sensitivity_nparameter(s) <= MANY);
  lwt_ok(lw_sensitivity_advance(s, end, NULL, NULL, NULL, NULL, &err));
  lwt_ok(lw_sensitivity_row(s, row, exact));
  for (int p = 0; p < lw_sensitivity_nparameter(s); p++) {
    double largest = 0;
    lwt_ok(lw_sensitivity_check(s, p, &(lw_differences){runs, NULL, error, NULL}, &err));
    for (int i = 1; i < n; i++)
      largest = fmax(largest, fabs(runs[i]));
    assert_true(largest > 1e-3);
    for (int i = 1; i < n; i++)
      if (!(fabs(exact[p * n + i] - runs[i]) < 1e-4 * largest))
        fail_msg("%s\nparameter %d, column %s: %.12g, differences %.12g", text, p,
                 lw_columns_name(lw_sensitivity_columns(s), i), exact[p * n + i], runs[i]);
  }
  lw_sensitivity_free(s);
  lw_model_free(m);
}

static void sensitivities_go_through_events(void **state)
{
  (void)state;
  for (int k = 0; k < ARMS; k++)
    check_sensitivities(arms[k], 1, "q.*,u.A,energy.potential");
}

/* A disc is wound up by three turns; then its hinge goes, and it floats: x = x0 cos(w t) goes on. */
static void an_event_hands_on_the_turns(void **state)
{
  (void)state;
  lw_model *m = read_model("linkwork: 1\nplanar: true\ngravity: [0, 0]\n"
                           "bodies:\n  a: {mass: 1, inertia: 0.1}\n"
                           "joints:\n  J: {type: revolute, parent: ground, child: a, q: 20}\n"
                           "forces:\n  T: {type: torsion, parent: ground, child: a, "
                           "stiffness: 0.4, start: 20}\n"
                           "simulation: {rtol: 1e-10, atol: 1e-12}\n"
                           "events:\n  - {at: 0.3, disconnect: J}\n");
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_DCA; f++) {
    lw_simulation *sim = simulate(m, (lw_formulation)f);
    for (int i = 1; i <= 10; i++) {
      lw_energy_balance b;
      const double t = 0.25 * i, x = 20 * cos(2 * t);
      lwt_ok(lw_simulation_advance(sim, t, NULL, NULL, NULL));
      lwt_ok(lw_simulation_energy(sim, &b));
      assert_true(fabs(b.potential - 0.2 * x * x) < 1e-6 * 80);
      assert_true(fabs(b.error) < 1e-6 * 80);
    }
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* ---- random trees ---- */

static lw_model *random_tree(const lwt_recipe *r, bool torsions)
{
  static const char *const names[] = {"o1", "o2", "o3", "o4"};
  lwt_random rng = lwt_seed(r->seed);
  lw_spec *s = lwt_random_spec(r);
  lw_error err = {0};
  for (int i = 0; i < 4 && torsions; i++) {
    const int a = lwt_pick(&rng, r->nbody), b = a + 1 + i % (r->nbody - a);
    lw_torsion_desc d = {.name = names[i], .parent = {a}, .child = {b}, .stiffness = 1 + i};
    for (int k = 0; k < 3; k++)
      d.axis[k] = r->planar ? k == 2 : lwt_uniform(&rng, -1, 1);
    d.angle = lwt_uniform(&rng, -9, 9);
    lw_add_torsion(s, &d);
  }
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

static double potential(lw_work *w, int nq, const double q[], const double qdot[], const double u[],
                        double h)
{
  double x[200], T, U;
  for (int i = 0; i < nq; i++)
    x[i] = q[i] + h * qdot[i];
  lwt_ok(lw_energy(w, x, u, &T, &U));
  return U;
}

/* the loads of torsions are what they add to the bias: dU/dt = bias^T u, with the bias they cause */
static void on_random_trees_the_potential_gains_what_the_loads_take(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++) {
    const lwt_recipe r = {
        .seed = seed, .nbody = 6, .branching = 0.5, .planar = seed % 3 == 0, .no_gravity = true};
    lw_model *plain = random_tree(&r, false);
    lwt_case c = lwt_case_of(random_tree(&r, true), seed);
    lw_work *w = lw_work_new(plain);
    double qdot[200], power = 0;
    const double h = 1e-6;
    assert_true(c.nq <= 200);
    lwt_ok(lw_bias(c.w, 0, c.q, c.u, c.x));
    lwt_ok(lw_bias(w, 0, c.q, c.u, c.y));
    for (int i = 0; i < c.nu; i++)
      power += (c.x[i] - c.y[i]) * c.u[i];
    lw_coordinate_rates(c.m, c.q, c.u, qdot);
    const double rate =
        (potential(c.w, c.nq, c.q, qdot, c.u, h) - potential(c.w, c.nq, c.q, qdot, c.u, -h)) /
        (2 * h);
    lwt_near(rate, power, 1e-6 * (1 + fabs(power)), "seed %u", seed);
    lw_work_free(w);
    lw_model_free(plain);
    lwt_case_free(&c);
  }
}

/* ---- through joints that count no turns ---- */

/* A ball, a universal joint or a second ball, and a body that floats, spinning; torsions between all of them. */
static void write_ball(char text[], unsigned seed, const char *events)
{
  static const char *const second[] = {"type: universal, axis: x, axis2: y, u: [%g, %g]",
                                       "type: spherical, u: [%g, %g, 4]",
                                       "type: gimbal, u: [%g, %g, 1]"};
  lwt_random r = lwt_seed(seed);
  double x[9];
  for (int i = 0; i < 9; i++)
    x[i] = lwt_uniform(&r, -1, 1);
  char *to = text;
  to += sprintf(to,
                "linkwork: 1\ngravity: [0, 0, -2]\nparameters: {k: 0.4, w: %g, r: 0.2, o: 0.1}\n"
                "bodies:\n  a: {mass: 1, com: [0.1, 0, 0.05], inertia: [0.1, 0.12, 0.05]}\n"
                "  b: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.03, 0.04, 0.05]}\n"
                "  c: {mass: 0.8, inertia: [0.05, 0.04, 0.06], velocity: {angular: [%g, 1, -9]}}\n"
                "joints:\n  A: {type: spherical, parent: ground, child: a, u: [%g, %g, w]}\n  B: {",
                10 + 3 * x[0], x[1], x[2], x[3]);
  to += sprintf(to, second[seed % 3], 3 * x[4], 2 * x[5]);
  sprintf(to,
          ", parent: a, child: b, at: [0.3, 0, 0]}\n"
          "forces:\n  T: {type: torsion, parent: ground, child: a, axis: [%g, 0.1, 1], "
          "orient: {rpy: [o, 0, 0]}, stiffness: k, angle: r}\n"
          "  U: {type: torsion, parent: b, child: a, axis: [0, %g, 1], stiffness: 0.2}\n"
          "  V: {type: torsion, parent: a, child: c, stiffness: 0.1, start: 7}\n"
          "simulation: {end: 1.5, rtol: 1e-11, atol: 1e-13}\n"
          "sensitivity: {parameters: [k, w, r, o]}\n%s",
          0.3 * x[6], 0.3 * x[7], events);
}

typedef struct {
  double x[20], energy[2], error;
  long steps;
} ball_run;

static ball_run run_ball(lw_simulation *sim)
{
  ball_run b = {0};
  lw_energy_balance e;
  double u[20];
  lwt_ok(lw_simulation_energy(sim, &e));
  b.energy[0] = e.kinetic + e.potential;
  lwt_ok(lw_simulation_advance(sim, 1.5, b.x, u, NULL));
  lwt_ok(lw_simulation_energy(sim, &e));
  b.energy[1] = e.kinetic + e.potential;
  b.error = e.error;
  return b;
}

static const char *const ball_events[] = {
    "",
    "events:\n  - {at: 0.6, lock: B}\n  - {at: 0.9, unlock: B}\n",
    "events:\n  - {at: 0.7, disconnect: A}\n",
};

/* Several turns about axes that also swing: energy is conserved, unless an event takes it, formulations agree, and a
   second run of one simulation repeats the first. */
static void turns_are_followed_through_balls_and_free_bodies(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 12; seed++)
    for (int k = 0; k < 3; k++) {
      char text[3000];
      ball_run first = {0};
      write_ball(text, seed, ball_events[k]);
      lw_model *m = read_model(text);
      for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_DCA; f++) {
        lw_simulation *sim = simulate(m, (lw_formulation)f);
        const ball_run run = run_ball(sim);
        if (f == LW_FORMULATION_TREE) first = run;
        lwt_near(run.error, 0, 1e-7 * run.energy[0], "balance, seed %u, events %d, %d", seed, k, f);
        if (k == 0) lwt_near(run.energy[1], run.energy[0], 1e-7 * run.energy[0], "seed %u", seed);
        lwt_close(run.x, first.x, 4, 1e-6, 1, "seed %u, events %d, formulation %d", seed, k, f);
        if (k == 0) {
          double q[20], u[20];
          lw_initial_state(m, q, u);
          lwt_ok(lw_simulation_start(sim, 0, q, u, NULL));
          lwt_close(run_ball(sim).x, run.x, 4, 1e-12, 1, "again, seed %u", seed);
        }
        lw_simulation_free(sim);
      }
      lw_model_free(m);
    }
}

static void sensitivities_follow_them(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 3; seed++) {
    char text[3000];
    write_ball(text, seed, ball_events[seed % 3]);
    check_sensitivities(text, 1.2, "wx.a,wz.a,wz.c,energy.potential");
  }
}

#define TWO                                                                                        \
  "linkwork: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\nforces:\n  T: {type: torsion, "       \
  "parent: "                                                                                       \
  "ground, "

static void mistakes_have_a_place(void **state)
{
  (void)state;
  expect_refused(TWO "child: a}\n", 5, 3, "a torsion has `stiffness`, or a law `load`");
  expect_refused(TWO "child: ground, stiffness: 1}\n", 5, 3, "are the same body");
  expect_refused(TWO "child: a, stiffness: 1, child_orient: {rpy: [180 deg, 0, 0]}}\n", 5, 3,
                 "force \"T\": the axes of parent and child point opposite ways");
  expect_refused("linkwork: 1\nplanar: true\nbodies:\n  a: {mass: 1, inertia: 1}\nforces:\n"
                 "  T: {type: torsion, parent: ground, child: a, stiffness: 1, axis: x}\n",
                 6, 3, "force \"T\": axis: a planar model turns about z only");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_torsion_pendulum_swings_over_several_turns),
      cmocka_unit_test(linearised_it_is_a_damped_oscillator),
      cmocka_unit_test(it_starts_nearest_to_its_angle_or_as_written),
      cmocka_unit_test(formulations_agree_and_energy_balances),
      cmocka_unit_test(derivatives_by_the_state_are_those_of_differences),
      cmocka_unit_test(sensitivities_go_through_events),
      cmocka_unit_test(an_event_hands_on_the_turns),
      cmocka_unit_test(on_random_trees_the_potential_gains_what_the_loads_take),
      cmocka_unit_test(turns_are_followed_through_balls_and_free_bodies),
      cmocka_unit_test(sensitivities_follow_them),
      cmocka_unit_test(mistakes_have_a_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
