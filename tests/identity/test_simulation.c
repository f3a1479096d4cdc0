/* SPDX-License-Identifier: Apache-2.0 */
/* Integration: what must be conserved is, methods agree with each other and converge with their
   order, and the way quaternions are carried along does not touch the motion. */
#include "lwt.h"

#include "linkwork/simulate.h"
#include "linkwork/realtime.h"
#include "sim/integrate/integrators.h"
#include "sim/formulation/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 400 }; /* numbers in a state */

/* The model's state at the end, from a random one at the start. */
static void simulate(const lw_model *m, unsigned seed, const lw_simulation_options *o, double y[])
{
  lw_error err = {0};
  const int nq = lw_nq(m);
  assert_in_range(nq + lw_nu(m), 1, MAX);
  lw_simulation *sim = lw_simulation_new(m, o, &err);
  assert_string_equal(err.text, "");
  lwt_random_state(m, seed, y, y + nq);
  lwt_ok(lw_simulation_start(sim, 0, y, y + nq, &err));
  lw_simulation_advance(sim, o->end, y, y + nq, &err);
  assert_string_equal(err.text, "");
  lw_simulation_free(sim);
}

static void start_at(const lw_model *m, unsigned seed, double y[])
{
  lwt_random_state(m, seed, y, y + lw_nq(m));
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info joint = lw_get_joint(m, (lw_joint){j});
    const int e = quaternion_at(&joint);
    if (e >= 0 && y[e] < 0) quaternion_scale(y + e, -1);
  }
}

/* ---- conservation ---- */

static void measure(const lw_model *m, lw_work *w, const double y[], double *energy, double h[6])
{
  double kinetic, potential;
  lwt_ok(lw_energy(w, y, y + lw_nq(m), &kinetic, &potential));
  *energy = kinetic + potential;
  lwt_ok(lw_momentum(w, h));
}

/* Body i hangs in a ball joint on body (i - 1)/2; nothing holds the first one. */
static lw_model *floating_tree(int n)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_new();
  lwt_random r = lwt_seed(7);
  lw_body body[64];
  lw_set_gravity(s, 0, 0, 0);
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    const lw_solid box = {.type = LW_SOLID_BOX,
                          .mass = lwt_uniform(&r, 0.5, 2),
                          .size = {0.5, 0.3, 0.4},
                          .at = {0.1, 0.2, -0.1}};
    body[i] = lw_add_body(s, &(lw_body_desc){.name = name, .solid = box});
    lw_joint_desc joint = {.name = name, .type = LW_SPHERICAL, .child = body[i]};
    for (int k = 0; k < 3; k++)
      joint.place.at[k] = lwt_uniform(&r, -0.5, 0.5);
    if (i > 0) joint.parent = body[(i - 1) / 2];
    if (i > 0) lw_add_joint(s, &joint);
  }
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  return m;
}

static void a_floating_tree_keeps_energy_and_momentum(void **state)
{
  (void)state;
  lw_model *m = floating_tree(50);
  lw_work *w = lw_work_new(m);
  double y[MAX], before[7], after[7];
  start_at(m, 3, y);
  measure(m, w, y, &before[0], before + 1);
  simulate(m, 3, &(lw_simulation_options){.end = 10, .rtol = 1e-10}, y);
  measure(m, w, y, &after[0], after + 1);
  lwt_near(after[0], before[0], 1e-8 * fabs(before[0]), "energy");
  lwt_close(after + 1, before + 1, 3, 1e-8, lwt_scale(before + 1, 3), "angular momentum");
  lwt_close(after + 4, before + 4, 3, 1e-8, lwt_scale(before + 4, 3), "linear momentum");
  lw_work_free(w);
  lw_model_free(m);
}

/* ---- agreement ---- */

static void integrators_agree_on_every_joint(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 5; seed++) {
    lw_model *m = lwt_random_model(&(lwt_recipe){.seed = seed,
                                                 .nbody = 6,
                                                 .branching = 0.5,
                                                 .floating = seed % 2,
                                                 .forces = true,
                                                 .measured = true});
    const int n = lw_nq(m) + lw_nu(m);
    double reference[MAX], y[MAX];
    simulate(m, seed, &(lw_simulation_options){.end = 1, .rtol = 1e-11}, reference);
    for (int i = LW_INTEGRATOR_RK; i <= LW_INTEGRATOR_BDF; i++) {
      const lw_simulation_options o = {.end = 1, .rtol = 1e-10, .integrator = (lw_integrator)i};
      simulate(m, seed, &o, y);
      lwt_close(y, reference, n, 1e-6, lwt_scale(reference, n), "seed %u, integrator %d", seed, i);
    }
    lw_model_free(m);
  }
}

static void output_times_do_not_disturb_multistep_methods(void **state)
{
  (void)state;
  lw_model *m = lwt_random_model(
      &(lwt_recipe){.seed = 4, .nbody = 5, .joints = 1u << LW_SPHERICAL, .floating = true});
  const int nq = lw_nq(m), n = nq + lw_nu(m);
  for (int i = LW_INTEGRATOR_ADAMS; i <= LW_INTEGRATOR_BDF; i++) {
    const lw_simulation_options o = {.end = 1, .integrator = (lw_integrator)i};
    double once[MAX], often[MAX];
    lw_error err;
    simulate(m, 1, &o, once);
    lw_simulation *sim = lw_simulation_new(m, &o, &err);
    lwt_random_state(m, 1, often, often + nq);
    lwt_ok(lw_simulation_start(sim, 0, often, often + nq, &err));
    for (int k = 0; k <= 1000; k++)
      lwt_ok(lw_simulation_advance(sim, k / 1000.0, often, often + nq, &err));
    lwt_close(often, once, n, 0, 1, "integrator %d", i);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* The state between steps is as good as at their ends. */
static void dense_output_does_not_spoil_the_accuracy(void **state)
{
  (void)state;
  static const struct {
    lw_integrator integrator;
    double rtol, tolerance;
  } cases[] = {{LW_INTEGRATOR_RK, 1e-8, 1e-6},    {LW_INTEGRATOR_RK, 1e-11, 1e-9},
               {LW_INTEGRATOR_ADAMS, 1e-8, 1e-6}, {LW_INTEGRATOR_ADAMS, 1e-11, 1e-9},
               {LW_INTEGRATOR_BDF, 1e-8, 3e-6},   {LW_INTEGRATOR_BDF, 1e-11, 1e-8}};
  lw_model *m = lwt_random_model(
      &(lwt_recipe){.seed = 2, .nbody = 3, .joints = 1u << LW_REVOLUTE | 1u << LW_SPHERICAL});
  const int nq = lw_nq(m), n = nq + lw_nu(m);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lw_error err;
    const lw_simulation_options exact = {.end = 1, .rtol = 1e-13, .integrator = LW_INTEGRATOR_RK};
    const lw_simulation_options o = {
        .end = 1, .rtol = cases[i].rtol, .integrator = cases[i].integrator};
    lw_simulation *a = lw_simulation_new(m, &exact, &err), *b = lw_simulation_new(m, &o, &err);
    double x[MAX], y[MAX];
    for (int k = 0; k <= 200; k++) {
      lwt_ok(lw_simulation_advance(a, k / 200.0, x, x + nq, &err));
      lwt_ok(lw_simulation_advance(b, k / 200.0, y, y + nq, &err));
      lwt_close(y, x, n, cases[i].tolerance, 1 + lwt_scale(x, n), "case %zu, row %d", i, k);
    }
    lw_simulation_free(a);
    lw_simulation_free(b);
  }
  lw_model_free(m);
}

/* ---- order ---- */

/* Error at t = 0.4 with n steps, on joints with and without quaternions. */
static double error_of(const lw_model *m, lw_integrator method, int n, const double exact[])
{
  lw_work *w = lw_work_new(m);
  const int nq = lw_nq(m), size = nq + lw_nu(m);
  double y[MAX], t = 0, error = 0;
  start_at(m, 5, y);
  for (int k = 0; k < n; k++)
    lwt_ok(lw_step(w, method, 0.4 / n, NULL, &t, y, y + nq));
  for (int i = 0; i < size; i++)
    error = fmax(error, fabs(y[i] - exact[i]));
  lw_work_free(w);
  return error;
}

static void check_order(lw_integrator method, int steps, double order)
{
  lw_model *m = lwt_random_model(&(lwt_recipe){
      .seed = 11, .nbody = 4, .joints = 1u << LW_REVOLUTE | 1u << LW_SPHERICAL, .floating = true});
  double exact[MAX];
  simulate(m, 5, &(lw_simulation_options){.end = 0.4, .rtol = 1e-13}, exact);
  const double coarse = error_of(m, method, steps, exact);
  const double fine = error_of(m, method, 2 * steps, exact);
  lwt_near(log2(coarse / fine), order, 0.25, "order; errors %g and %g", coarse, fine);
  lw_model_free(m);
}

static void runge_kutta_steps_have_order_four(void **state)
{
  (void)state;
  check_order(LW_INTEGRATOR_RK4, 100, 4);
}

static void semi_implicit_euler_steps_have_order_one(void **state)
{
  (void)state;
  check_order(LW_INTEGRATOR_EULER, 2000, 1);
}

/* ---- quaternions ---- */

static int find_quaternions(const lw_model *m, int at[])
{
  int n = 0;
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info joint = lw_get_joint(m, (lw_joint){j});
    if (quaternion_at(&joint) >= 0) at[n++] = quaternion_at(&joint);
  }
  return n;
}

/* The rate of e/|e| must not depend on |e|: it is e'/n - e (e.e')/n^3. */
static void the_length_of_a_quaternion_does_not_turn_it(void **state)
{
  (void)state;
  lw_model *m = lwt_random_model(&(lwt_recipe){
      .seed = 3, .nbody = 4, .joints = 1u << LW_SPHERICAL, .floating = true, .forces = true});
  lwi_system *s = lwi_joint_system_new(m, NULL, NULL);
  double y[MAX], f[2][MAX], turn[2][4];
  int at[MAX];
  const int nq = lw_nq(m), nu = lw_nu(m), nrotation = find_quaternions(m, at);
  assert_non_null(s);
  lwt_random_state(m, 9, y, y + nq);
  lwt_ok(lwi_system_rate(s, 0.3, y, f[0]));
  for (int i = 0; i < nrotation; i++)
    quaternion_scale(y + at[i], 1.5 - 0.2 * i);
  lwt_ok(lwi_system_rate(s, 0.3, y, f[1]));

  lwt_close(f[1] + nq, f[0] + nq, nu, 1e-12, lwt_scale(f[0], nq + nu), "udot");
  for (int i = 0; i < nrotation; i++) {
    const double n = quaternion_norm(y + at[i]);
    for (int k = 0; k < 2; k++) {
      const double *rate = f[k] + at[i], *e = y + at[i], length = k ? n : 1;
      double along = 0;
      for (int j = 0; j < 4; j++)
        along += e[j] / n * rate[j];
      for (int j = 0; j < 4; j++)
        turn[k][j] = (rate[j] - along * e[j] / n) / length;
    }
    lwt_close(turn[1], turn[0], 4, 1e-12, lwt_scale(turn[0], 4), "rotation %d", i);
  }
  s->free(s);
  lw_model_free(m);
}

/* The integrator's own quaternions, before anybody normalises them. */
static double worst_norm(const lw_model *m, lw_integrator method, double rtol, double end)
{
  lwi_system *s = lwi_joint_system_new(m, NULL, NULL);
  double y[MAX], worst = 0;
  int at[MAX];
  const int nrotation = find_quaternions(m, at);
  assert_non_null(s);
  const lw_simulation_options o = {
      .end = end, .output_step = end, .rtol = rtol, .atol = rtol / 100, .integrator = method};
  lwi_integrator *it = lwi_integrator_new(s, &o);
  start_at(m, 2, y);
  lwt_ok(it->start(it, 0, y));
  while (it->t < end) {
    lwt_ok(it->step(it, end, end));
    lwt_ok(it->get(it, it->t, y));
    for (int i = 0; i < nrotation; i++)
      worst = fmax(worst, fabs(quaternion_norm(y + at[i]) - 1));
  }
  it->free(it);
  s->free(s);
  return worst;
}

static void quaternions_stay_unit_within_the_tolerance_over_long_runs(void **state)
{
  (void)state;
  lw_model *m = lwt_random_model(&(lwt_recipe){
      .seed = 5, .nbody = 3, .floating = true, .joints = 1u << LW_SPHERICAL, .no_gravity = true});
  for (int i = LW_INTEGRATOR_RK; i <= LW_INTEGRATOR_BDF; i++) {
    const double worst = worst_norm(m, (lw_integrator)i, 1e-7, 100);
    if (!(worst < 1e-6)) fail_msg("integrator %d: | |e| - 1 | reaches %g", i, worst);
  }
  lw_model_free(m);
}

static void fixed_steps_keep_quaternions_unit(void **state)
{
  (void)state;
  lw_model *m = lwt_random_model(&(lwt_recipe){
      .seed = 6, .nbody = 2, .floating = true, .joints = 1u << LW_SPHERICAL, .no_gravity = true});
  lw_work *w = lw_work_new(m);
  for (int method = LW_INTEGRATOR_RK4; method <= LW_INTEGRATOR_EULER; method++) {
    double y[MAX], t = 0;
    start_at(m, 1, y);
    for (int k = 0; k < 1000; k++)
      lwt_ok(lw_step(w, (lw_integrator)method, 0.001, NULL, &t, y, y + lw_nq(m)));
    for (int j = 1; j <= lw_njoint(m); j++) {
      const lw_joint_info joint = lw_get_joint(m, (lw_joint){j});
      lwt_near(quaternion_norm(y + quaternion_at(&joint)), 1, 1e-14, "joint %d", j);
    }
  }
  lw_work_free(w);
  lw_model_free(m);
}

/* A constant rotation is what the exponential is exact for. */
static void euler_steps_turn_a_spinning_ball_exactly(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, 0, 0);
  const lw_solid ball = {.type = LW_SOLID_SPHERE, .mass = 1, .radius = 1};
  lw_body b = lw_add_body(s, &(lw_body_desc){.name = "ball", .solid = ball});
  lw_add_joint(s, &(lw_joint_desc){.name = "S", .type = LW_SPHERICAL, .child = b});
  lw_model *m = lw_compile(s, &err);
  lw_work *w = lw_work_new(m);
  double q[4] = {1, 0, 0, 0}, u[3] = {0.3, -0.4, 1.2}, t = 0; /* |u| = 1.3 */
  for (int k = 0; k < 10; k++)
    lwt_ok(lw_step(w, LW_INTEGRATOR_EULER, 0.1, NULL, &t, q, u));
  const double expected[4] = {cos(0.65), sin(0.65) * 0.3 / 1.3, -sin(0.65) * 0.4 / 1.3,
                              sin(0.65) * 1.2 / 1.3};
  lwt_close(q, expected, 4, 1e-14, 1, "after 1.3 rad");
  lw_work_free(w);
  lw_model_free(m);
  lw_spec_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_floating_tree_keeps_energy_and_momentum),
      cmocka_unit_test(integrators_agree_on_every_joint),
      cmocka_unit_test(output_times_do_not_disturb_multistep_methods),
      cmocka_unit_test(dense_output_does_not_spoil_the_accuracy),
      cmocka_unit_test(runge_kutta_steps_have_order_four),
      cmocka_unit_test(semi_implicit_euler_steps_have_order_one),
      cmocka_unit_test(the_length_of_a_quaternion_does_not_turn_it),
      cmocka_unit_test(quaternions_stay_unit_within_the_tolerance_over_long_runs),
      cmocka_unit_test(fixed_steps_keep_quaternions_unit),
      cmocka_unit_test(euler_steps_turn_a_spinning_ball_exactly),
  };
  return cmocka_run_group_tests_name("identity/simulation", tests, NULL, NULL);
}
