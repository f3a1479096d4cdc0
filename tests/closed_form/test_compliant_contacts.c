/* SPDX-License-Identifier: Apache-2.0 */
/* Compliant contacts: the law of Hunt and Crossley, its regularised friction, energies, equilibrium and modes. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };
typedef struct {
  lw_model *m;
  lw_simulation *sim;
  double q[MOST], u[MOST];
} run;

static run begin(const char *text, int f)
{
  lw_error err = {0};
  run r = {.m = read_model(text)};
  r.sim = lw_simulation_new(r.m, &(lw_simulation_options){.formulation = (lw_formulation)f}, &err);
  if (!r.sim) fail_msg("%s", err.text);
  return r;
}

static void advance(run *r, double t)
{
  lw_error err = {0};
  if (lw_simulation_advance(r->sim, t, r->q, r->u, &err) != LW_OK) fail_msg("%s", err.text);
}

static double column(const run *r, const char *name, double t)
{
  double row[2];
  lw_columns *c = lw_columns_new(r->m, name, NULL);
  if (!c) fail_msg("no column %s", name);
  lwt_ok(lw_columns_follow(c, r->sim, NULL));
  lwt_ok(lw_columns_row(c, t, r->q, r->u, row));
  lw_columns_free(c);
  return row[1];
}

static void end(run *r)
{
  lw_simulation_free(r->sim);
  lw_model_free(r->m);
}

#define EACH_FORMULATION(f) for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)

#define BALL(gravity, start, law)                                                                  \
  "linkwork: 1\ngravity: [0, 0, " gravity "]\nparameters: {k: 2e4, c: 0.4, mu: 0.3}\n"             \
  "bodies:\n  b: {mass: 0.5, inertia: [0.002, 0.002, 0.002]}\n"                                    \
  "joints:\n  z: {type: prismatic, parent: ground, child: b, axis: z, " start "}\n"                \
  "contacts:\n  C: {body: b, radius: 0.1, on: {plane: {body: ground}}, stiffness: k, " law "}\n"   \
  "simulation: {end: 1, rtol: 1e-11, atol: 1e-13}\n"

/* It touches after 0.2 s, and is a linear spring then: x = g/w^2 (cos w s - 1) - v/w sin w s. */
static void a_ball_on_a_linear_ground_is_an_oscillator(void **state)
{
  (void)state;
  const double g = 10, w = sqrt(2e4 / 0.5), v = g * 0.2, s = 0.01;
  const double x = g / (w * w) * (cos(w * s) - 1) - v / w * sin(w * s),
               xdot = -g / w * sin(w * s) - v * cos(w * s);
  EACH_FORMULATION(f)
  {
    run r = begin(BALL("-10", "q: 0.3", "exponent: 1"), f);
    advance(&r, 0.1);
    lwt_near(column(&r, "load.C", 0.1), 0, 0, "open, formulation %d", f);
    advance(&r, 0.2 + s);
    lwt_near(column(&r, "gap.C", 0.2 + s), x, 1e-10, "depth, formulation %d", f);
    lwt_near(r.u[0], xdot, 1e-9, "speed, formulation %d", f);
    lwt_near(column(&r, "load.C", 0.2 + s), -2e4 * x, 1e-6, "load, formulation %d", f);
    lwt_near(column(&r, "potential.C", 0.2 + s), 1e4 * x * x, 1e-8, "energy, formulation %d", f);
    end(&r);
  }
}

/* m v dv/dd = -k d^n (1 + c v): v/c - ln(1 + c v)/c^2 is the same before and after the impact, of v < 0 then. */
static void an_impact_has_the_restitution_of_hunt_and_crossley(void **state)
{
  (void)state;
  const double c = 0.4;
  EACH_FORMULATION(f)
  {
    run r = begin(BALL("0", "q: 0.3, u: -2", "damping: c"), f);
    advance(&r, 0.5);
    const double v = r.u[0];
    assert_true(v > 0.5 && v < 1.5);
    lwt_near(-v / c - log(1 - c * v) / (c * c), 2 / c - log(1 + c * 2) / (c * c), 1e-9,
             "formulation %d", f);
    lwt_near(column(&r, "energy.error", 0.5), 0, 1e-8, "energy, formulation %d", f);
    end(&r);
  }
}

/* m udot = -mu m g u / sqrt(u^2 + s^2): sqrt(u^2 + s^2) - s asinh(s/u) decreases by mu g t */
static void a_sliding_block_is_braked_by_regularised_friction(void **state)
{
  (void)state;
  const double g = 10, s = 0.05;
  EACH_FORMULATION(f)
  {
    run r = begin(
        "linkwork: 1\ngravity: [0, 0, -10]\nbodies:\n  b: {mass: 2, inertia: [1, 1, 1]}\njoints:\n"
        "  x: {type: prismatic, parent: ground, child: b, axis: x, u: 1}\ncontacts:\n"
        "  C: {body: b, at: [0, 0, -0.01], on: {plane: {body: ground}}, stiffness: 2e4,\n"
        "      exponent: 2, friction: 0.3, slip_speed: 0.05}\n"
        "simulation: {end: 1, rtol: 1e-11, atol: 1e-13}\n",
        f);
    /* the depth is given: the load is 2e4 * 1e-4 = 2 */
    const double mu = 0.3 * 2 / (2 * g);
    advance(&r, 1);
    const double before = sqrt(1 + s * s) - s * asinh(s),
                 after = sqrt(r.u[0] * r.u[0] + s * s) - s * asinh(s / r.u[0]);
    lwt_near(before - after, mu * g, 1e-9, "formulation %d", f);
    lwt_near(column(&r, "dissipation.C", 1), 0.6 * r.u[0] * r.u[0] / hypot(r.u[0], s), 1e-9,
             "power, formulation %d", f);
    end(&r);
  }
}

/* two free balls of different masses meet off centre, with friction: momentum is kept, what energy is lost is that
   of the columns */
static void spheres_push_and_rub(void **state)
{
  (void)state;
  EACH_FORMULATION(f)
  {
    run r = begin("linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n"
                  "  a: {mass: 1, inertia: [0.004, 0.004, 0.004]}\n  b: {mass: 2, inertia: [0.008, "
                  "0.008, 0.008]}\n"
                  "joints:\n  A: {type: free, parent: ground, child: a, u: [0, 3, 0, 2, 0, 0]}\n"
                  "  B: {type: free, parent: ground, child: b, q: {at: [0.5, 0.05, 0.02]}}\n"
                  "contacts:\n  C: {body: a, radius: 0.1, on: {sphere: {body: b, radius: 0.15}},\n"
                  "      stiffness: 1e5, damping: 0.3, friction: 0.4, slip_speed: 0.01}\n"
                  "states: {lost: {rate: dissipation.C}}\n"
                  "simulation: {end: 0.3, rtol: 1e-10, atol: 1e-12}\n",
                  f);
    advance(&r, 0.3);
    const double t = 0.3;
    lwt_near(column(&r, "vx.a", t) + 2 * column(&r, "vx.b", t), 2, 1e-8, "momentum x %d", f);
    lwt_near(column(&r, "vy.a", t) + 2 * column(&r, "vy.b", t), 0, 1e-8, "momentum y %d", f);
    assert_true(hypot(column(&r, "wy.b", t), column(&r, "wz.b", t)) > 0.1);
    lwt_near(column(&r, "energy.kinetic", t) + r.q[lw_nq(r.m) - 1], 0.5 * 4 + 0.5 * 0.004 * 9, 1e-7,
             "energy, formulation %d", f);
    end(&r);
  }
}

/* k d^1.5 = m g, and w^2 = 1.5 k sqrt(d) / m about it */
static void a_ball_rests_and_oscillates_on_its_ground(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(BALL("-10", "q: 0.0995", "damping: c"));
  lw_work *w = lw_work_new(m);
  double q = 0.0995;
  if (lw_equilibrium(w, 0, &q, NULL, NULL, &err) != LW_OK) fail_msg("%s", err.text);
  const double d = pow(5 / 2e4, 2 / 3.0);
  lwt_near(0.1 - q, d, 1e-12, "depth");
  lw_linearization *l = lw_linearize(w, 0, &q, NULL, &err);
  lw_modes *modes = l ? lw_modes_new(l, &err) : NULL;
  if (!modes) fail_msg("%s", err.text);
  assert_int_equal(modes->n, 1);
  lwt_near(modes->mode[0].frequency, sqrt(1.5 * 2e4 * sqrt(d) / 0.5) / (2 * acos(-1)), 1e-9,
           "frequency");
  assert_true(modes->mode[0].damping > 0);
  lw_modes_free(modes);
  lw_linearization_free(l);
  lw_work_free(w);
  lw_model_free(m);
}

static void refuse(const char *law, const char *why)
{
  char text[600];
  lw_error err = {0};
  sprintf(text,
          "linkwork: 1\nbodies:\n  a: {mass: 1}\ncontacts:\n"
          "  C: {body: a, on: {plane: {body: ground}}, %s}\n",
          law);
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  assert_null(m);
  if (!strstr(err.text, why)) fail_msg("%s instead of %s", err.text, why);
  assert_true(err.line == 5);
  lw_spec_free(s);
}

static void wrong_laws_are_refused_with_their_place(void **state)
{
  (void)state;
  refuse("stiffness: 1e4, restitution: 0.5", "restitution");
  refuse("stiffness: 1e4, friction: 0.5", "slip_speed");
  refuse("stiffness: 1e4, exponent: 0.5", "exponent");
  refuse("stiffness: 1e4, damping: -1", "negative");
  refuse("damping: 0.1", "needs a stiffness");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_on_a_linear_ground_is_an_oscillator),
      cmocka_unit_test(an_impact_has_the_restitution_of_hunt_and_crossley),
      cmocka_unit_test(a_sliding_block_is_braked_by_regularised_friction),
      cmocka_unit_test(spheres_push_and_rub),
      cmocka_unit_test(a_ball_rests_and_oscillates_on_its_ground),
      cmocka_unit_test(wrong_laws_are_refused_with_their_place),
  };
  return cmocka_run_group_tests_name("closed_form/compliant_contacts", tests, NULL, NULL);
}
