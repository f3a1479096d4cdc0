/* SPDX-License-Identifier: Apache-2.0 */
/* Dry friction of joints: textbook solutions, complementarity at every output time, formulations that agree. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n;
  double t[400];
  char name[400][40];
} event_log;

static int note(void *context, const lw_event_report *r, bool after)
{
  event_log *l = context;
  if (!after || l->n == 400) return 0;
  l->t[l->n] = r->time;
  snprintf(l->name[l->n++], sizeof l->name[0], "%s", r->names[0]);
  return 0;
}

static lw_simulation *start(const lw_model *m, lw_formulation f, event_log *l)
{
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.formulation = f}, &err);
  if (!sim) fail_msg("%s", err.text);
  *l = (event_log){0};
  lw_simulation_on_event(sim, note, l);
  return sim;
}

static double column(const lw_model *m, const lw_simulation *sim, const char *name, double t,
                     const double q[], const double u[])
{
  double row[2];
  lw_columns *c = lw_columns_new(m, name, NULL);
  assert_non_null(c);
  lwt_ok(lw_columns_follow(c, sim, NULL));
  lwt_ok(lw_columns_row(c, t, q, u, row));
  lw_columns_free(c);
  return row[1];
}

#define EACH_FORMULATION(f) for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)

#define BLOCK(gx, rest)                                                                            \
  "linkwork: 1\ngravity: [" gx ", 0, -9]\nbodies:\n  m: {mass: 2}\njoints:\n"                      \
  "  s: {type: prismatic, parent: ground, child: m, axis: x, " rest "}\n"                          \
  "simulation: {end: 2, rtol: 1e-11, atol: 1e-13}\n"

/* up the slope with deceleration (m g + F) / m = 4.4 until t = 4 / 4.4; it stays, held by m g = 4.8 < 5 */
static void a_block_on_a_slope_stops_and_stays(void **state)
{
  (void)state;
  lw_model *m = read_model(BLOCK("2.4", "u: -4, friction: {load: 4, static: 5}"));
  EACH_FORMULATION(f)
  {
    event_log l;
    lw_simulation *sim = start(m, (lw_formulation)f, &l);
    double q, u;
    lwt_ok(lw_simulation_advance(sim, 2, &q, &u, NULL));
    assert_int_equal(l.n, 1);
    assert_string_equal(l.name[0], "friction.s");
    lwt_near(l.t[0], 4 / 4.4, 1e-11, "time of the stop, formulation %d", f);
    lwt_near(q, -16 / 8.8, 1e-10, "place of the stop, formulation %d", f);
    lwt_near(u, 0, 1e-14, "speed, formulation %d", f);
    lwt_near(column(m, sim, "load.friction.s", 2, &q, &u), -4.8, 1e-10, "load, formulation %d", f);
    lwt_near(column(m, sim, "state.s", 2, &q, &u), 3, 0, "it sticks, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* m g = 6 > 5: it turns back at once, with (6 - 4) / 2 */
static void a_block_on_a_steep_slope_slides_back(void **state)
{
  (void)state;
  lw_model *m = read_model(BLOCK("3", "u: -4, friction: {load: 4, static: 5}"));
  EACH_FORMULATION(f)
  {
    event_log l;
    lw_simulation *sim = start(m, (lw_formulation)f, &l);
    double q, u;
    lwt_ok(lw_simulation_advance(sim, 2, &q, &u, NULL));
    assert_int_equal(l.n, 1);
    lwt_near(l.t[0], 0.8, 1e-11, "turns back, formulation %d", f);
    lwt_near(q, -1.6 + 0.5 * 1.2 * 1.2, 1e-10, "place, formulation %d", f);
    lwt_near(u, 1.2, 1e-10, "speed, formulation %d", f);
    lwt_near(column(m, sim, "load.friction.s", 2, &q, &u), -4, 1e-12, "load, formulation %d", f);
    lwt_near(column(m, sim, "state.s", 2, &q, &u), 4, 0, "it slides, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* a growing motor 3 t: it holds until 3 t = 2.6, then m udot = 3 t - 2 */
static void a_growing_load_breaks_it_loose_at_the_static_friction(void **state)
{
  (void)state;
  lw_model *m = read_model(
      BLOCK("0", "friction: {load: 2, static: 2.6}") "forces:\n"
                                                     "  M: {type: motor, joint: s, value: 3*t}\n");
  EACH_FORMULATION(f)
  {
    event_log l;
    lw_simulation *sim = start(m, (lw_formulation)f, &l);
    double q, u;
    lwt_ok(lw_simulation_advance(sim, 0.5, &q, &u, NULL));
    lwt_near(column(m, sim, "load.friction.s", 0.5, &q, &u), -1.5, 1e-11, "load, formulation %d",
             f);
    lwt_ok(lw_simulation_advance(sim, 2, &q, &u, NULL));
    const double a = 2.6 / 3, b = 2;
    assert_int_equal(l.n, 1);
    assert_string_equal(l.name[0], "slip friction.s");
    lwt_near(l.t[0], a, 1e-9, "slips, formulation %d", f);
    lwt_near(u, (1.5 * (b * b - a * a) - 2 * (b - a)) / 2, 1e-9, "speed, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* A block of 2 kg on a shaken base x = 0.1 sin(8 t): it sticks while 2 |6.4 sin(8 t)| <= 8. */
static void a_block_on_a_shaken_base_sticks_and_slips(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n  b: {mass: 5}\n  m: {mass: 2}\n"
                 "joints:\n  B: {type: prismatic, parent: ground, child: b, axis: x}\n"
                 "  s: {type: prismatic, parent: b, child: m, axis: x, friction: {load: 8}}\n"
                 "  D: {type: driver, joint: B, value: 0.1*sin(8*t)}\n"
                 "simulation: {end: 2, rtol: 1e-11, atol: 1e-13}\n");
  /* it slips when 2 * 6.4 sin(8 t) = 8, and then has the constant deceleration 4 until the speeds are equal */
  const double slip = asin(8 / 12.8) / 8, v0 = 0.8 * cos(8 * slip);
  double low = slip + 0.01, high = 0.6;
  for (int i = 0; i < 200; i++) {
    const double t = 0.5 * (low + high), relative = v0 - 4 * (t - slip) - 0.8 * cos(8 * t);
    if (relative > 0)
      low = t;
    else
      high = t;
  }
  EACH_FORMULATION(f)
  {
    event_log l;
    lw_simulation *sim = start(m, (lw_formulation)f, &l);
    double q[2], u[2];
    lwt_ok(lw_simulation_advance(sim, 0.6, q, u, NULL));
    assert_true(l.n >= 2);
    assert_string_equal(l.name[0], "slip friction.s");
    lwt_near(l.t[0], slip, 1e-9, "slips, formulation %d", f);
    assert_string_equal(l.name[1], "friction.s");
    lwt_near(l.t[1], low, 1e-9, "speeds are equal, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

#define BRAKED_BAR                                                                                 \
  "linkwork: 1\nplanar: true\nparameters: {F: 14}\nbodies:\n"                                      \
  "  a: {solid: {rod: {length: 1, mass: 2, axis: x}}}\n"                                           \
  "  b: {solid: {rod: {length: 2, mass: 3, axis: x}}}\n"                                           \
  "  c: {solid: {rod: {length: 1.5, mass: 2, axis: x}}}\n"                                         \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, parent: ground, child: a, q: 1, u: 3, hold: true, friction: {load: F, "   \
  "static: 1.2*F}}\n"                                                                              \
  "  B: {type: revolute, parent: a, child: b, at: [1, 0]}\n"                                       \
  "  C: {type: revolute, parent: b, child: c, at: [2, 0], child_at: [1.5, 0]%s}\n"                 \
  "  D: {type: revolute, parent: ground, child: c, at: [2, 0], q: 1.5}\n"                          \
  "forces:\n  M: {type: motor, joint: D, value: 60*sin(1.5*t)}\n"                                  \
  "simulation: {end: 8, rtol: 1e-11, atol: 1e-13}\n"

/* the brake of a four-bar sticks and is released; with a second one, of C, the two hold the bar together */
static void expect_agreement(bool two)
{
  char text[3000];
  sprintf(text, BRAKED_BAR, two ? ", friction: {load: 2}" : "");
  lw_model *m = read_model(text);
  double q[3][16], u[3][16], stuck = 0;
  event_log l[3];
  EACH_FORMULATION(f)
  {
    lw_simulation *sim = start(m, (lw_formulation)f, &l[f - 1]);
    lw_columns *c = lw_columns_new(m, "t,u.A,load.friction.A,state.A,energy.error", NULL);
    lwt_ok(lw_columns_follow(c, sim, NULL));
    for (int i = 1; i <= 160; i++) {
      double row[5];
      lwt_ok(lw_simulation_advance(sim, 0.05 * i, q[f - 1], u[f - 1], NULL));
      lwt_ok(lw_columns_row(c, 0.05 * i, q[f - 1], u[f - 1], row));
      assert_true(fabs(row[4]) < 1e-7);
      assert_true(row[3] == 3 || row[3] == 4);
      if (row[3] == 4) assert_true(fabs(fabs(row[2]) - 14) < 1e-12 && row[2] * row[1] <= 1e-9);
      if (row[3] == 4) continue;
      stuck++;
      assert_true(fabs(row[1]) < 1e-9);
      if (!two)
        assert_true(fabs(row[2]) <= 1.2 * 14 * (1 + 1e-9)); /* two brakes share their load */
    }
    lw_columns_free(c);
    lw_simulation_free(sim);
  }
  assert_true(l[0].n >= 5 && stuck > 10);
  for (int f = 1; f < 3; f++) {
    assert_int_equal(l[f].n, l[0].n);
    for (int i = 0; i < l[0].n; i++)
      assert_string_equal(l[f].name[i], l[0].name[i]);
    lwt_close(l[f].t, l[0].t, l[0].n, 1e-9, 4, "times, formulation %d", f + 1);
    lwt_close(q[f], q[0], lw_nq(m), 1e-9, 10, "positions, formulation %d", f + 1);
  }
  lw_model_free(m);
}

static void formulations_agree_on_a_four_bar_with_a_brake(void **state)
{
  (void)state;
  expect_agreement(false);
}

static void formulations_agree_on_a_four_bar_with_two_brakes(void **state)
{
  (void)state;
  expect_agreement(true);
}

/* A chain of hinges that its friction holds but for some: at every output time either a freedom is at rest and
   its load within the static friction, or it slides. */
static void in_a_chain_of_rough_hinges_every_load_is_possible(void **state)
{
  (void)state;
  enum { N = 20 };
  char text[8000], *to = text;
  to += sprintf(to, "linkwork: 1\nbodies:\n");
  for (int i = 0; i < N; i++)
    to +=
        sprintf(to, "  b%d: {solid: {rod: {length: 0.2, mass: 0.3, axis: x, radius: 0.02}}}\n", i);
  to += sprintf(to, "joints:\n");
  for (int i = 0; i < N; i++) {
    char parent[20] = "ground";
    if (i > 0) sprintf(parent, "b%d", i - 1);
    to += sprintf(
        to,
        "  j%d: {type: revolute, parent: %s, child: b%d, at: [%g, 0, 0], axis: y, friction: {load: "
        "%g, static: %g}}\n",
        i, parent, i, i ? 0.2 : 0, 2.0 - 0.08 * i, 2.4 - 0.09 * i);
  }
  sprintf(to, "simulation: {end: 1, rtol: 1e-9, atol: 1e-11}\n");
  lw_model *m = read_model(text);
  event_log l;
  lw_simulation *sim = start(m, LW_FORMULATION_TREE, &l);
  lw_columns *c = lw_columns_new(m, "t,u.*,load.friction.*,state.*,energy.error", NULL);
  lwt_ok(lw_columns_follow(c, sim, NULL));
  double q[N], u[N], row[3 * N + 2];
  for (int k = 1; k <= 20; k++) {
    lwt_ok(lw_simulation_advance(sim, 0.05 * k, q, u, NULL));
    lwt_ok(lw_columns_row(c, 0.05 * k, q, u, row));
    assert_true(fabs(row[3 * N + 1]) < 1e-5);
    for (int i = 0; i < N; i++)
      if (row[1 + 2 * N + i] == 3)
        assert_true(fabs(row[1 + i]) < 1e-9 &&
                    fabs(row[1 + N + i]) <= (2.4 - 0.09 * i) * (1 + 1e-9));
  }
  assert_true(l.n > 3);
  lw_columns_free(c);
  lw_simulation_free(sim);
  lw_model_free(m);
}

/* ---- friction of the joint's own load ---- */

/* mu m g cos(a) against the slope's m g sin(a); up, it stops after u / (g (sin a + mu cos a)) */
static void a_block_in_an_inclined_guide_has_the_friction_of_its_weight(void **state)
{
  (void)state;
  static const char text[] =
      "linkwork: 1\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 2, com: [0, 0, 0.1]}\njoints:\n"
      "  g: {type: prismatic, parent: ground, child: b, axis: [\"cos(a)\", 0, \"sin(a)\"], u: 3,\n"
      "      friction: {coefficient: 0.5, static_coefficient: 0.6, length: 0.4}}\n"
      "parameters: {a: %s}\nsimulation: {end: 2}\n";
  static const char *const slope[2] = {"20 deg", "35 deg"};
  for (int k = 0; k < 2; k++) {
    char whole[1000];
    sprintf(whole, text, slope[k]);
    lw_model *m = read_model(whole);
    const double a = atof(slope[k]) * acos(-1) / 180, g = 9.81;
    const double stop = 3 / (g * (sin(a) + 0.5 * cos(a))), back = g * (sin(a) - 0.5 * cos(a));
    EACH_FORMULATION(f)
    {
      event_log l;
      lw_simulation *sim = start(m, (lw_formulation)f, &l);
      double q[2], u; /* the load of the joint is a state */
      lwt_ok(lw_simulation_advance(sim, 2, q, &u, NULL));
      assert_int_equal(l.n, 1);
      lwt_near(l.t[0], stop, 1e-9, "it stops, formulation %d", f);
      lwt_near(u, k == 0 ? 0 : -back * (2 - stop), 1e-9, "speed, formulation %d", f);
      lwt_near(column(m, sim, "load.friction.g", 2, q, &u),
               2 * g * (k == 0 ? sin(a) : 0.5 * cos(a)), 1e-8, "load, formulation %d", f);
      lw_simulation_free(sim);
    }
    lw_model_free(m);
  }
}

/* The pin of a spinning rod carries m L sqrt(w^4 + wdot^2): I wdot = -mu r of that, so that wdot = -c w^2 with
   c = k / sqrt(1 - k^2), k = mu r m L / I, and w = w0 / (1 + c w0 t). */
static void the_friction_of_a_pin_depends_on_the_deceleration_that_it_causes(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  rod: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.3]}\njoints:\n"
      "  pin: {type: revolute, parent: ground, child: rod, axis: z, u: 5,\n"
      "        friction: {coefficient: 0.9, radius: 0.5}}\nsimulation: {end: 1, rtol: 1e-11}\n");
  const double k = 0.9 * 0.5 * 2 * 0.5 / (0.3 + 2 * 0.25), c = k / sqrt(1 - k * k);
  EACH_FORMULATION(f)
  {
    event_log l;
    lw_simulation *sim = start(m, (lw_formulation)f, &l);
    double q[4], u; /* loads of joints are states */
    lwt_ok(lw_simulation_advance(sim, 1, q, &u, NULL));
    lwt_near(u, 5 / (1 + 5 * c), 1e-9, "speed, formulation %d", f);
    lwt_near(column(m, sim, "energy.error", 1, q, &u), 0, 1e-8, "energy, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* the weight m g on the pin, its thrust F t on a collar: it slips when M t = mu_s (r m g + R F t) */
static void a_loaded_pin_slips_at_the_bound_of_its_own_load(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, 0, -9.81]\nbodies:\n  w: {mass: 2, inertia: [0.1, 0.2, 0.3]}\n"
      "joints:\n  pin: {type: revolute, parent: ground, child: w, axis: y, friction:\n"
      "        {coefficient: 0.2, static_coefficient: 0.3, radius: 0.1, thrust_radius: 0.05}}\n"
      "forces:\n  M: {type: motor, joint: pin, value: t}\n"
      "  F: {type: force, body: w, force: [0, 10*t, 0]}\nsimulation: {end: 2}\n");
  const double weight = 2 * 9.81, slip = 0.3 * 0.1 * weight / (1 - 0.3 * 0.05 * 10);
  /* 0.2 wdot = t - 0.2 (0.1 weight + 0.5 t) */
  const double end = (0.45 * (4 - slip * slip) - 0.02 * weight * (2 - slip)) / 0.2;
  EACH_FORMULATION(f)
  {
    event_log l;
    lw_simulation *sim = start(m, (lw_formulation)f, &l);
    double q[4], u; /* loads of joints are states */
    lwt_ok(lw_simulation_advance(sim, 2, q, &u, NULL));
    assert_int_equal(l.n, 1);
    assert_string_equal(l.name[0], "slip friction.pin");
    lwt_near(l.t[0], slip, 2e-9, "slips, formulation %d", f);
    lwt_near(u, end, 1e-8, "speed, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* A drawer that is pulled at the distance e from its axis presses on both ends of its guide with F e / length
   each: it moves if 2 mu e / length < 1, with F (1 - 2 mu e / length), however hard it is pulled. */
static void a_drawer_jams_by_the_moment_on_its_guide(void **state)
{
  (void)state;
  static const double coefficient[2] = {0.5, 1.2};
  for (int k = 0; k < 2; k++) {
    char text[600];
    sprintf(text,
            "linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n  d: {mass: 2, inertia: [1, 1, 1]}\n"
            "joints:\n  g: {type: prismatic, parent: ground, child: d, axis: x, friction:\n"
            "      {coefficient: %g, length: 0.4}}\nforces:\n"
            "  F: {type: force, body: d, at: [0, 0.2, 0], force: [30, 0, 0]}\n"
            "simulation: {end: 1}\n",
            coefficient[k]);
    lw_model *m = read_model(text);
    EACH_FORMULATION(f)
    {
      event_log l;
      lw_simulation *sim = start(m, (lw_formulation)f, &l);
      double q[4], u; /* loads of joints are states */
      lwt_ok(lw_simulation_advance(sim, 1, q, &u, NULL));
      lwt_near(u, k == 0 ? 30 * 0.5 / 2 : 0, 1e-9, "speed, formulation %d", f);
      lw_simulation_free(sim);
    }
    lw_model_free(m);
  }
}

/* A block whose centre is far above its guide digs in: friction brakes it, which presses it on the guide. */
static void a_guide_without_a_consistent_load_is_named(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 2, com: [0, 0, 0.9]}\njoints:\n"
      "  rail: {type: prismatic, parent: ground, child: b, axis: x, u: 3,\n"
      "         friction: {coefficient: 0.5, length: 0.4}}\nsimulation: {end: 1}\n");
  EACH_FORMULATION(f)
  {
    lw_error err = {0};
    lw_simulation *sim =
        lw_simulation_new(m, &(lw_simulation_options){.formulation = (lw_formulation)f}, &err);
    double q[4], u; /* loads of joints are states */
    assert_non_null(sim);
    assert_int_not_equal(lw_simulation_advance(sim, 1, q, &u, &err), LW_OK);
    assert_non_null(strstr(err.text, "friction of \"rail\""));
    assert_non_null(strstr(err.text, "Painleve"));
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

/* how many of the first events of a have none at the same time in b */
static int missing(const event_log *a, const event_log *b, int first)
{
  int n = 0;
  for (int i = 0; i < first; i++) {
    bool found = false;
    for (int j = 0; j < b->n && !found; j++)
      found = fabs(a->t[i] - b->t[j]) <= 1e-9;
    n += !found;
  }
  return n;
}

/* every pin of a four-bar and of the pendulum on it */
static void formulations_agree_on_pins_that_stick_and_slip_by_their_own_loads(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
      "  a: {mass: 1, com: [0.15, 0], inertia: 0.02}\n  b: {mass: 2, com: [0.3, 0], inertia: 0.1}\n"
      "  c: {mass: 1, com: [0.25, 0], inertia: 0.03}\n  p: {mass: 3, com: [0.4, 0], inertia: "
      "0.05}\n"
      "joints:\n"
      "  A: {type: revolute, parent: ground, child: a, q: 1.2, friction: &f {coefficient: 0.3,\n"
      "      static_coefficient: 0.4, radius: 0.03}}\n"
      "  B: {type: revolute, parent: a, child: b, at: [0.3, 0], friction: *f}\n"
      "  C: {type: revolute, parent: ground, child: c, at: [0.5, 0], friction: *f}\n"
      "  D: {type: revolute, parent: b, child: c, at: [0.6, 0], child_at: [0.55, 0]}\n"
      "  P: {type: revolute, parent: b, child: p, at: [0.3, 0], q: -0.5, friction: *f}\n"
      "simulation: {end: 4, rtol: 1e-11, atol: 1e-13}\n");
  double end[3][12]; /* four coordinates, four loads of joints, four speeds */
  event_log log[3];
  EACH_FORMULATION(f)
  {
    const int k = f - LW_FORMULATION_TREE;
    lw_simulation *sim = start(m, (lw_formulation)f, &log[k]);
    double *q = end[k], *u = end[k] + 8, before = HUGE_VAL;
    for (int i = 1; i <= 40; i++) {
      lwt_ok(lw_simulation_advance(sim, 0.1 * i, q, u, NULL));
      const double energy = column(m, sim, "energy.total", 0.1 * i, q, u);
      assert_true(energy <= before + 1e-9);
      before = energy;
      lwt_near(column(m, sim, "energy.error", 0.1 * i, q, u), 0, 1e-7, "energy, formulation %d", f);
    }
    lw_simulation_free(sim);
  }
  assert_true(log[0].n >= 6);
  for (int k = 1; k < 3; k++) { /* a slip of no duration may be reported in one of them alone */
    assert_true(missing(&log[0], &log[k], 6) <= 1 && missing(&log[k], &log[0], 6) <= 1);
    for (int i = 0; i < 4; i++)
      lwt_near(end[k][i], end[0][i], 1e-8, "coordinate %d, formulation %d", i, k);
  }
  lw_model_free(m);
}

/* the moments on parallel hinges of a spatial loop are not determined */
static void friction_of_a_load_that_is_not_unique_is_refused(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(
      "linkwork: 1\nbodies:\n  a: {mass: 1, com: [0.15, 0, 0], inertia: [0.02, 0.02, 0.02]}\n"
      "  b: {mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  c: {mass: 1, com: [0.2, 0, 0], inertia: [0.03, 0.03, 0.03]}\njoints:\n"
      "  A: {type: revolute, parent: ground, child: a, q: 1.2, axis: z,\n"
      "      friction: {coefficient: 0.3, radius: 0.03, length: 0.1}}\n"
      "  B: {type: revolute, parent: a, child: b, at: [0.3, 0, 0], axis: z}\n"
      "  C: {type: revolute, parent: ground, child: c, at: [0.5, 0, 0], axis: z}\n"
      "  D: {type: revolute, parent: b, child: c, at: [0.6, 0, 0], child_at: [0.4, 0, 0], axis: "
      "z}\n"
      "simulation: {end: 1}\n");
  assert_null(lw_simulation_new(m, NULL, &err));
  assert_non_null(strstr(err.text, "joint \"A\": its friction depends on its own load"));
  lw_model_free(m);
}

/* Inverse dynamics of a run's state and accelerations finds that no actuator adds to its motor, by way of either pin. */
static void inverse_dynamics_finds_friction_of_own_loads(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
      "  a: {mass: 1, com: [0.5, 0, 0.1], inertia: [0.1, 0.1, 0.2]}\n"
      "  b: {mass: 2, com: [1, 0, 0.05], inertia: [0.3, 0.3, 0.4]}\n"
      "  c: {mass: 1, com: [0.7, 0, 0], inertia: [0.2, 0.2, 0.3]}\njoints:\n"
      "  A: {type: revolute, axis: z, parent: ground, child: a, q: 1, u: 3, friction: "
      "{coefficient: "
      "0.3, radius: 0.05, length: 0.2, thrust_radius: 0.02}}\n"
      "  B: {type: spherical, parent: a, child: b, at: [1, 0, 0]}\n"
      "  C: {type: universal, axis: z, axis2: y, parent: c, child: b, at: [1.5, 0, 0], child_at: "
      "[2, "
      "0, 0]}\n"
      "  D: {type: revolute, axis: z, parent: ground, child: c, at: [2, 0, 0], q: 1.4, friction: "
      "{coefficient: 0.2, radius: 0.04, length: 0.3}}\n"
      "forces: {M: {type: motor, joint: A, value: 30}}\n");
  event_log l;
  lw_simulation *sim = start(m, LW_FORMULATION_TREE, &l);
  lw_work *w = lw_work_new(m);
  double q[60], u[20], udot[20] = {0}, load[1];
  assert_true(lw_nq_all(m) <= 60 && lw_nu_all(m) <= 20);
  for (int k = 1; k <= 3; k++) {
    const double t = 0.05 * k;
    lwt_ok(lw_simulation_advance(sim, t, q, u, &err));
    bool given[20] = {false};
    const int A = lw_get_joint(m, lw_find_joint(m, "A")).u_all;
    udot[A] = column(m, sim, "udot.A", t, q, u);
    given[A] = true;
    assert_true(fabs(column(m, sim, "load.friction.A", t, q, u)) > 0.1);
    lwt_ok(lw_complete_accelerations(w, t, q, u, given, udot, &err));
    for (int by = 0; by < 2; by++) {
      const int speed = lw_get_joint(m, lw_find_joint(m, by ? "D" : "A")).u_all;
      lwt_ok(lw_actuator_loads(w, t, q, u, udot, &(lw_actuators){1, &speed, load}, &err));
      lwt_near(load[0], 0, 30 * 1e-8, "at %g, by %d", t, by);
    }
  }
  lw_work_free(w);
  lw_simulation_free(sim);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_on_a_slope_stops_and_stays),
      cmocka_unit_test(a_block_on_a_steep_slope_slides_back),
      cmocka_unit_test(a_growing_load_breaks_it_loose_at_the_static_friction),
      cmocka_unit_test(a_block_on_a_shaken_base_sticks_and_slips),
      cmocka_unit_test(formulations_agree_on_a_four_bar_with_a_brake),
      cmocka_unit_test(formulations_agree_on_a_four_bar_with_two_brakes),
      cmocka_unit_test(in_a_chain_of_rough_hinges_every_load_is_possible),
      cmocka_unit_test(a_block_in_an_inclined_guide_has_the_friction_of_its_weight),
      cmocka_unit_test(the_friction_of_a_pin_depends_on_the_deceleration_that_it_causes),
      cmocka_unit_test(a_loaded_pin_slips_at_the_bound_of_its_own_load),
      cmocka_unit_test(a_drawer_jams_by_the_moment_on_its_guide),
      cmocka_unit_test(a_guide_without_a_consistent_load_is_named),
      cmocka_unit_test(formulations_agree_on_pins_that_stick_and_slip_by_their_own_loads),
      cmocka_unit_test(inverse_dynamics_finds_friction_of_own_loads),
      cmocka_unit_test(friction_of_a_load_that_is_not_unique_is_refused),
  };
  return cmocka_run_group_tests_name("closed_form/friction", tests, NULL, NULL);
}
