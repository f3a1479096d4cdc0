/* SPDX-License-Identifier: Apache-2.0 */
/* Energy against work: the balance of every run closes to what its tolerances explain, in all formulations and
   integrators, with loops, drivers, dampers and events; and it does not where a motion is wrong. */
#include "lwt_loops.h"

#include "linkwork/linkwork.h"
#include "linkwork/events.h"
#include "linkwork/formulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const integrators[] = {"auto", "rk", "adams", "bdf", "rk4", "euler"};

static lw_model *parse(const char *text)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

typedef struct {
  double error, explained, moved; /* largest error, what explains it then, energy that moved */
  double ratio;                   /* the largest of error / explained */
} balance;

/* From 0 to end in 20 rows. */
static balance run(const lw_model *m, const lw_simulation_options *o, const char *what)
{
  lw_error err = {0};
  balance b = {0};
  lw_energy_balance first = {0}, now;
  lw_simulation *sim = lw_simulation_new(m, o, &err);
  if (!sim) fail_msg("%s: %s", what, err.text);
  for (int k = 0; k <= 20; k++) {
    if (lw_simulation_advance(sim, o->end * k / 20, NULL, NULL, &err) != LW_OK)
      fail_msg("%s: %s", what, err.text);
    lwt_ok(lw_simulation_energy(sim, &now));
    if (k == 0) first = now;
    assert_true(now.unknown_since == HUGE_VAL);
    b.moved = fmax(b.moved, fmax(now.kinetic, fabs(now.potential - first.potential)));
    b.moved = fmax(b.moved, fabs(now.work));
    b.ratio = fmax(b.ratio, fabs(now.error) / now.explained);
    if (fabs(now.error) < b.error) continue;
    b.error = fabs(now.error);
    b.explained = now.explained;
  }
  lw_simulation_free(sim);
  return b;
}

/* closes: to this part of the energy that moved */
static void check(const lw_model *m, lw_formulation f, lw_integrator i, double end, double closes,
                  const char *what)
{
  const bool fixed = i == LW_INTEGRATOR_RK4 || i == LW_INTEGRATOR_EULER;
  const lw_simulation_options o = {
      .formulation = f, .integrator = i, .end = end, .step = fixed ? end / 4000 : 0};
  char name[300];
  snprintf(name, sizeof name, "%.200s, %s, %s", what, lw_formulation_name(f), integrators[i]);
  const balance b = run(m, &o, name);
  if (!(b.ratio <= 1) || !(b.error <= closes * b.moved + 1e-12))
    fail_msg("%s: error %g, explained %g, moved %g, ratio %g", name, b.error, b.explained, b.moved,
             b.ratio);
}

static void random_trees_balance(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 24; seed++) {
    const lwt_recipe d = {.seed = seed,
                          .nbody = 2 + (int)seed % 6,
                          .branching = 0.5,
                          .floating = seed % 2,
                          .forces = true,
                          .measured = true};
    lwt_case k = lwt_case_new(&d);
    char what[40];
    snprintf(what, sizeof what, "seed %u", seed);
    const lw_integrator i = (lw_integrator)(seed % 5);
    check(k.m, seed % 3 == 1 ? LW_FORMULATION_DCA : LW_FORMULATION_TREE, i, 0.3,
          i == LW_INTEGRATOR_RK4 ? 1e-3 : 1e-5, what);
    lwt_case_free(&k);
  }
}

static void random_loops_balance(void **state)
{
  (void)state;
  int n = 0;
  for (unsigned k = 0; k < 30; k++) {
    lwt_loops d = lwt_loops_recipe(k);
    d.forces = true;
    d.tree.measured = true;
    lw_model *m = lwt_loops_model(&d);
    char what[40];
    snprintf(what, sizeof what, "loops %u", k);
    /* loops that random speeds drive into singular configurations are another matter */
    lw_error err = {0};
    const lw_simulation_options o = {.end = 0.05};
    lw_simulation *sim = lw_simulation_new(m, &o, &err);
    const bool runs = sim && lw_simulation_advance(sim, 0.05, NULL, NULL, &err) == LW_OK &&
                      lw_simulation_singularities(sim, NULL) == 0;
    lw_simulation_free(sim);
    if (runs) {
      check(m, LW_FORMULATION_TREE, (lw_integrator)(k % 4), 0.05, 1e-5, what);
      check(m, LW_FORMULATION_DCA, LW_INTEGRATOR_AUTO, 0.05, 1e-5, what);
      n++;
    }
    lw_model_free(m);
  }
  assert_true(n >= 20);
}

/* ---- one mechanism after the other ---- */

#define BARS                                                                                       \
  "linkwork: 1\nplanar: true\n"                                                                    \
  "bodies:\n"                                                                                      \
  "  a: {solid: {rod: {length: 0.5, mass: 2, axis: x}}}\n"                                         \
  "  b: {solid: {rod: {length: 1.2, mass: 4, axis: x}}}\n"                                         \
  "  c: {solid: {rod: {length: 1, mass: 3, axis: x}}}\n"                                           \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: a, q: 0.5}\n"                                      \
  "  B: {type: revolute, parent: a, child: b, at: [0.5, 0], q: 60 deg}\n"                          \
  "  C: {type: revolute, parent: ground, child: c, at: [1.1, 0], q: 100 deg}\n"                    \
  "  D: {type: revolute, parent: b, child: c, at: [1.2, 0], child_at: [1, 0]}\n"
#define CHAIN                                                                                      \
  "linkwork: 1\n"                                                                                  \
  "bodies:\n"                                                                                      \
  "  a: {solid: {rod: {length: 1, mass: 2, axis: x, radius: 0.1}}}\n"                              \
  "  b: {solid: {rod: {length: 0.7, mass: 1, axis: x, radius: 0.1}}}\n"                            \
  "  c: {solid: {box: {size: [0.2, 0.3, 0.4], mass: 1.5}}}\n"                                      \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: a, axis: y, q: 0.4}\n"                             \
  "  S: {type: spherical, parent: a, child: b, at: [1, 0, 0], u: [0.3, 1, -0.4]}\n"                \
  "  P: {type: prismatic, parent: b, child: c, at: [0.7, 0, 0], axis: x, u: 0.2}\n"

static const char *const mechanisms[] = {
    BARS "forces:\n  m: {type: motor, joint: D, value: 'sin(7*t) - 0.2*u.D'}\n"
         "  s: {type: joint_spring, joint: D, stiffness: 5, damping: 0.7, rest: 1}\n",
    BARS "  drive: {type: driver, joint: A, value: '0.5 + 2*t + 0.3*sin(5*t)'}\n",
    BARS "  drive: {type: driver, joint: A, value: '0.5 + max(0, t - 0.3)^2'}\n"
         "forces:\n  f: {type: force, body: b, at: [0.3, 0.1], force: [3, 't'], torque: 1}\n",
    BARS "events:\n  - {at: 0.3, lock: B}\n  - {at: 0.5, unlock: B}\n"
         "  - {at: 0.6, impulse: {body: b, at: [0.6, 0], linear: [0, 2, 0]}}\n"
         "forces:\n  s: {type: joint_spring, joint: C, stiffness: 3, damping: 0.5}\n",
    CHAIN
    "forces:\n"
    "  k: {type: spring, from: {body: ground, at: [0, 0, -1]}, to: {body: c}, stiffness: 40, "
    "damping: 2, length: 0.5}\n"
    "  b: {type: bushing, parent: ground, child: b, at: [1, 0.2, 0], stiffness: 30, "
    "damping: [1, 2, 3], angular_stiffness: 2, angular_damping: 0.3}\n"
    "  f: {type: force, body: c, axes: body, force: [1, 't', 'u.P'], torque: ['q.A', 0, 1]}\n",
    CHAIN "forces:\n  s: {type: joint_spring, joint: P, stiffness: 50, damping: 1}\n"
          "  m: {type: motor, joint: A, value: '3*sign(t - 0.37)'}\n"
          "events:\n  - {at: 0.2, merge: {name: m, bodies: [b, c]}}\n  - {at: 0.5, split: m}\n"
          "  - {at: 0.6, replace: {joint: S, type: spherical}}\n"
          "  - {at: 0.7, disconnect: A}\n"
          "  - {when: x.c - 1.5, impulse: {body: c, linear: [-1, 0, 1]}}\n",
};

static void mechanisms_with_work_and_events_balance(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof mechanisms / sizeof *mechanisms; k++) {
    lw_model *m = parse(mechanisms[k]);
    for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_DCA; f++)
      for (int i = 0; i <= LW_INTEGRATOR_EULER; i++)
        check(m, (lw_formulation)f, (lw_integrator)i, 1,
              i == LW_INTEGRATOR_EULER ? 0.05
              : i == LW_INTEGRATOR_RK4 ? 1e-4
                                       : 1e-6,
              mechanisms[k]);
    lw_model_free(m);
  }
}

static lw_model *shipped(const char *name)
{
  char path[500];
  lw_error err = {0};
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  lw_spec *s = lw_spec_load(path, &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

/* errors of steps add up, but are not amplified: chaos does not matter */
static void long_chaotic_runs_balance(void **state)
{
  (void)state;
  lw_model *m = shipped("double-pendulum");
  double q[2] = {2.5, 1}, u[2] = {0, 0};
  double ratio = 1; /* of what is explained to errors, of all runs */
  for (int k = 0; k < 3; k++) {
    const lw_simulation_options o = {.end = 300, .rtol = k == 0 ? 1e-5 : k == 1 ? 1e-8 : 1e-11};
    lw_error err = {0};
    lw_energy_balance b;
    double most = 0; /* an error may be close to zero at any one time */
    lw_simulation *sim = lw_simulation_new(m, &o, &err);
    lwt_ok(lw_simulation_start(sim, 0, q, u, &err));
    for (int row = 1; row <= 30; row++) {
      lwt_ok(lw_simulation_advance(sim, row * 10, NULL, NULL, &err));
      lwt_ok(lw_simulation_energy(sim, &b));
      if (!(fabs(b.error) <= b.explained))
        fail_msg("rtol %g, t = %d: %g, explained %g", o.rtol, row * 10, b.error, b.explained);
      most = fmax(most, fabs(b.error));
    }
    ratio *= b.explained / most;
    lw_simulation_free(sim);
  }
  assert_true(cbrt(ratio) < 1e4); /* in single chaotic runs it scatters by a factor of ten */
  lw_model_free(m);
}

static void steps_that_are_too_long_are_noticed(void **state)
{
  (void)state;
  lw_model *m = shipped("double-pendulum");
  const lw_simulation_options rough = {.integrator = LW_INTEGRATOR_RK4, .end = 10, .step = 0.25},
                              fine = {.integrator = LW_INTEGRATOR_RK4, .end = 10, .step = 0.01};
  assert_true(run(m, &rough, "rough").ratio > 1);
  assert_true(run(m, &fine, "fine").ratio < 1);
  lw_model_free(m);
}

/* whoever asks changes nothing: the same bits */
static void asking_does_not_change_the_motion(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof mechanisms / sizeof *mechanisms; k++) {
    lw_model *m = parse(mechanisms[k]);
    for (int i = 0; i <= LW_INTEGRATOR_EULER; i++) {
      const lw_simulation_options o = {
          .integrator = (lw_integrator)i, .end = 1, .step = i >= LW_INTEGRATOR_RK4 ? 0.001 : 0};
      lw_error err = {0};
      lw_simulation *asked = lw_simulation_new(m, &o, &err),
                    *other = lw_simulation_new(m, &o, &err);
      double q[40], q_other[40], u[40], u_other[40];
      for (int row = 1; row <= 20; row++) {
        lw_energy_balance b;
        lwt_ok(lw_simulation_advance(asked, row * 0.05, q, u, &err));
        lwt_ok(lw_simulation_energy(asked, &b));
        lwt_ok(lw_simulation_energy(asked, &b));
        lwt_ok(lw_simulation_advance(other, row * 0.05, q_other, u_other, &err));
        const lw_model *now = lw_simulation_model(asked);
        assert_memory_equal(q, q_other, (size_t)lw_nq(now) * sizeof *q);
        assert_memory_equal(u, u_other, (size_t)lw_nu(now) * sizeof *u);
      }
      lw_simulation_free(asked);
      lw_simulation_free(other);
    }
    lw_model_free(m);
  }
}

/* work of a constant torque on a free axle, by hand: M^2 t^2 / (2 I); a damper and a driver likewise */
static void work_is_what_textbooks_say(void **state)
{
  (void)state;
  static const char axle[] =
      "linkwork: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 1, inertia: [1, 1, 2]}}\n"
      "joints:\n  A: {type: revolute, parent: ground, child: w%s}\n"
      "%sforces: {f: {%s}}\n";
  static const struct {
    const char *u, *driver, *force;
    double work;
  } cases[] = {
      {"", "", "type: motor, joint: A, value: 3", 9. / 4},
      {", u: 2", "", "type: joint_spring, joint: A, stiffness: 0, damping: 1",
       -4 * (1 - 0.36787944117144233)},
      {"", "  D: {type: driver, joint: A, value: 't^2'}\n", "type: motor, joint: A, value: 1", 4},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[600];
    snprintf(text, sizeof text, axle, cases[k].u, cases[k].driver, cases[k].force);
    lw_model *m = parse(text);
    lw_error err = {0};
    lw_energy_balance b;
    lw_simulation *sim = lw_simulation_new(m, NULL, &err);
    lwt_ok(lw_simulation_advance(sim, 1, NULL, NULL, &err));
    lwt_ok(lw_simulation_energy(sim, &b));
    lwt_near(b.work, cases[k].work, 1e-8, "case %zu", k);
    lw_simulation_free(sim);
    lw_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_is_what_textbooks_say),
      cmocka_unit_test(random_trees_balance),
      cmocka_unit_test(random_loops_balance),
      cmocka_unit_test(mechanisms_with_work_and_events_balance),
      cmocka_unit_test(long_chaotic_runs_balance),
      cmocka_unit_test(steps_that_are_too_long_are_noticed),
      cmocka_unit_test(asking_does_not_change_the_motion),
  };
  return cmocka_run_group_tests_name("identity/energy", tests, NULL, NULL);
}
