/* SPDX-License-Identifier: Apache-2.0 */
/* The Cartesian form over time: as many steps as the tree needs and the same motion, whatever the bodies
   do; spinning bodies against their closed form. */
#include "linkwork/linkwork.h"
#include "linkwork/formulation.h"
#include "linkwork/query.h"
#include "light_mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* speed: what the speeds at the start are multiplied by */
static lw_model *parse(const char *text, double speed)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  if (s && speed != 1) lw_set_parameter(s, "speed", speed);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

/* From start (NULL: the model's own) to the end: the state in q, u; returns the number of steps. */
static long run_from(const lw_model *m, const lwt_case *start, lw_formulation f, double rtol,
                     double end, double q[], double u[])
{
  lw_error err = {0};
  lw_simulation_options o = lw_simulation_defaults(m);
  o.formulation = f;
  o.rtol = rtol, o.atol = rtol / 100;
  o.end = end;
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim) fail_msg("%s", err.text);
  if ((start && lw_simulation_start(sim, 0, start->q, start->u, &err) != LW_OK) ||
      lw_simulation_advance(sim, end, q, u, &err) != LW_OK)
    fail_msg("%s, rtol %g: %s", lw_formulation_name(f), rtol, err.text);
  const long steps = lw_simulation_report(sim).steps;
  lw_simulation_free(sim);
  return steps;
}

static long run(const lw_model *m, lw_formulation f, double rtol, double end, double q[],
                double u[])
{
  return run_from(m, NULL, f, rtol, end, q, u);
}

/* ---- mechanisms ---- */

static const char three_rods[] =
    "{linkwork: 1, gravity: [0, -9.81, 0], parameters: {L: 0.6, m: 0.5, speed: 1}, bodies: {"
    "b1: {solid: {rod: {length: L, mass: m, axis: -y}}}, b2: {solid: {rod: {length: L, mass: m, "
    "axis: -y}}}, b3: {solid: {rod: {length: L, mass: m, axis: -y}}}}, joints: {"
    "J1: {type: revolute, parent: ground, child: b1, q: 0.989446758059849, u: -4.560951*speed, "
    "hold: true}, J2: {type: revolute, parent: b1, child: b2, at: [0, -L, 0], q: "
    "-0.12081496376073052}, "
    "J3: {type: revolute, parent: b2, child: b3, at: [0, -L, 0], q: 0.532048945921795}, "
    "pin: {type: revolute, parent: ground, child: b3, at: [1.5508400784495964, "
    "-0.8185921632566395, 0], child_at: [0, -L, 0], cut: true}}}";

static const char rotor[] =
    "{linkwork: 1, parameters: {speed: 1}, bodies: {arm: {mass: 1, com: [0.2, 0, 0], inertia: "
    "[0.01, 0.02, 0.02]}, "
    "rotor: {mass: 1, inertia: [0.03, 0.03, 0.05]}}, joints: {"
    "A: {type: revolute, parent: ground, child: arm, axis: y, q: 0.3}, "
    "R: {type: revolute, parent: arm, child: rotor, at: [0.4, 0, 0], axis: x, u: 100*speed}}}";

/* a wheel on the coupler of a four-bar, driven by a gear: turns many times in a loop */
static const char geared[] =
    "{linkwork: 1, gravity: [0, -9.81, 0], parameters: {speed: 1}, bodies: {a: {solid: {rod: "
    "{length: 1, mass: 1, axis: "
    "x}}}, b: {solid: {rod: {length: 2, mass: 1, axis: x}}}, c: {solid: {rod: {length: 1.7, mass: "
    "1, axis: x}}}, w: {mass: 0.5, inertia: [0.02, 0.02, 0.03], com: [0.02, 0.03, 0]}}, joints: {"
    "A: {type: revolute, parent: ground, child: a, q: 1, u: 8*speed, hold: true}, "
    "B: {type: revolute, parent: a, child: b, at: [1, 0, 0], q: -0.6}, "
    "C: {type: revolute, parent: ground, child: c, at: [2, 0, 0], q: 1.2}, "
    "D: {type: revolute, parent: b, child: c, at: [2, 0, 0], child_at: [1.7, 0, 0]}, "
    "W: {type: revolute, parent: b, child: w, at: [1, 0, 0]}, "
    "g: {type: gear, joints: [A, W], ratio: 4}}}";

/* Steps and states at all tolerances; the bound on steps is a ratio of counts, of the first run alone and of runs from
   several starts together. */
static void the_cartesian_form_needs_as_many_steps_as_the_tree(void **state)
{
  (void)state;
  const struct {
    const char *text;
    double end;
  } c[] = {{three_rods, 0.1}, {rotor, 0.5}, {geared, 1}};
  static const double rtol[] = {1e-6, 1e-8, 1e-10, 1e-11, 1e-12, 1e-13};
  static const double speed[] = {1, 1.00125, 0.99, 1.01, 1.02};
  for (size_t i = 0; i < sizeof c / sizeof *c; i++)
    for (size_t k = 0; k < sizeof rtol / sizeof *rtol; k++) {
      long tree = 0, own = 0;
      for (size_t j = 0; j < sizeof speed / sizeof *speed; j++) {
        lw_model *m = parse(c[i].text, speed[j]);
        double q[2][MOST], u[2][MOST];
        tree += run(m, LW_FORMULATION_TREE, rtol[k], c[i].end, q[0], u[0]);
        own += run(m, LW_FORMULATION_CARTESIAN, rtol[k], c[i].end, q[1], u[1]);
        if (j == 0 && (own > 2 * tree || tree > 2 * own))
          fail_msg("model %zu, rtol %g, alone: %ld steps, tree %ld", i, rtol[k], own, tree);
        const double wrong = fmax(3000 * rtol[k], 1e-10);
        lwt_close(q[1], q[0], lw_nq(m), wrong, 1 + lwt_scale(q[0], lw_nq(m)), "model %zu: q", i);
        lwt_close(u[1], u[0], lw_nu(m), wrong, 1 + lwt_scale(u[0], lw_nu(m)), "model %zu: u", i);
        lw_model_free(m);
      }
      if (own > 2 * tree || tree > 2 * own)
        fail_msg("model %zu, rtol %g: %ld steps, tree %ld", i, rtol[k], own, tree);
      print_message("model %zu, rtol %g: %ld steps, tree %ld\n", i, rtol[k], own, tree);
    }
}

/* ---- random loops ---- */

static void compare_states(const trial *x, double rtol, double q[2][MOST], double u[2][MOST])
{
  const int nq = lw_nq(x->c.m), nu = lw_nu(x->c.m);
  const double wrong = fmax(3000 * rtol, 1e-10);
  lwt_close(q[1], q[0], nq, wrong, 1 + lwt_scale(q[0], nq), "%s, rtol %g: q", x->name, rtol);
  lwt_close(u[1], u[0], nu, wrong, 1 + lwt_scale(u[0], nu), "%s, rtol %g: u", x->name, rtol);
}

/* Whatever the order of the method: a correction to the constraints that it is not stable for makes steps short, and
   they stay so.  Steps of both formulations at all tolerances are added to sum. */
static void compare_steps(topology kind, unsigned seed, long sum[2])
{
  static const double rtol[] = {1e-6, 1e-8, 1e-10, 1e-12, 1e-13};
  trial x = trial_of(kind, seed, 1, 1);
  long before = 0;
  for (size_t k = 0; k < sizeof rtol / sizeof *rtol; k++) {
    /* joints of the gripper that its loops keep still: stiff in the tree formulation off the constraints, and with
       an absolute tolerance of 1e-14 rounding errors of other joints are too much */
    if (kind == GRIPPER && rtol[k] < 1e-10) continue;
    const double compared = kind == GRIPPER ? fmax(rtol[k], 1e-8) : rtol[k];
    double q[2][MOST], u[2][MOST];
    const long tree = run_from(x.c.m, &x.c, LW_FORMULATION_TREE, compared, 0.3, q[0], u[0]);
    const long own = run_from(x.c.m, &x.c, LW_FORMULATION_CARTESIAN, rtol[k], 0.3, q[1], u[1]);
    if ((compared == rtol[k] && own > 2 * tree) || (k > 0 && own > 4 * before))
      fail_msg("%s, rtol %g: %ld steps, tree %ld, coarser tolerance %ld", x.name, rtol[k], own,
               tree, before);
    compare_states(&x, compared, q, u);
    sum[0] += tree, sum[1] += own;
    before = own;
  }
  trial_free(&x);
}

static void loops_of_all_kinds_need_as_many_steps_as_in_the_tree(void **state)
{
  (void)state;
  long sum[2] = {0};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (unsigned seed = 1; seed <= 5; seed += 2)
      compare_steps((topology)kind, seed, sum);
  print_message("all kinds, all tolerances: %ld steps, tree %ld\n", sum[1], sum[0]);
  assert_true(10 * sum[1] < 11 * sum[0]);
}

/* ---- a free symmetric top ---- */

/* out = a o b */
static void multiply(const double a[4], const double b[4], double out[4])
{
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static void turn(const double w[3], double t, double e[4])
{
  const double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), half = 0.5 * speed * t;
  e[0] = cos(half);
  for (int k = 0; k < 3; k++)
    e[1 + k] = sin(half) * w[k] / speed;
}

/* w = L/I1 + (1 - I3/I1) w3 e3: a turn about the angular momentum, which stays, and one about the axis of the
   body: e(t) = turn(L t/I1) o turn(e3 (1 - I3/I1) w3 t) */
static void spinning_bodies_turn_as_their_closed_form_says(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    lwt_random r = lwt_seed(seed);
    const double I1 = lwt_uniform(&r, 0.02, 0.1), I3 = I1 * lwt_uniform(&r, 0.3, 1.8);
    const double w[3] = {lwt_uniform(&r, -5, 5), lwt_uniform(&r, -5, 5), lwt_uniform(&r, 30, 60)};
    const double precession[3] = {w[0], w[1], w[2] * I3 / I1}, spin[3] = {0, 0, w[2]};
    const double end = 3;
    char text[500];
    snprintf(text, sizeof text,
             "{linkwork: 1, gravity: [0, 0, 0], bodies: {a: {mass: 1, inertia: [%.17g, %.17g, "
             "%.17g], velocity: {angular: [%.17g, %.17g, %.17g]}}}}",
             I1, I1, I3, w[0], w[1], w[2]);
    lw_model *m = parse(text, 1);
    double a[4], b[4], right[4];
    turn(precession, end, a);
    turn(spin, (1 - I3 / I1) * end, b);
    multiply(a, b, right);
    static const lw_formulation f[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                       LW_FORMULATION_CARTESIAN};
    long steps[3];
    for (int k = 0; k < 3; k++) {
      double q[MOST], u[MOST], sign = 0;
      steps[k] = run(m, f[k], 1e-8, end, q, u);
      for (int i = 0; i < 4; i++)
        sign += q[3 + i] * right[i];
      for (int i = 0; i < 4; i++)
        q[3 + i] *= sign < 0 ? -1 : 1;
      lwt_close(q + 3, right, 4, 1e-6, 1, "seed %u, %s", seed, lw_formulation_name(f[k]));
      if (steps[k] > 2 * steps[0])
        fail_msg("seed %u: %s %ld steps, tree %ld", seed, lw_formulation_name(f[k]), steps[k],
                 steps[0]);
    }
    lw_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cartesian_form_needs_as_many_steps_as_the_tree),
      cmocka_unit_test(loops_of_all_kinds_need_as_many_steps_as_in_the_tree),
      cmocka_unit_test(spinning_bodies_turn_as_their_closed_form_says),
  };
  return cmocka_run_group_tests_name("identity/cartesian_motion", tests, NULL, NULL);
}
