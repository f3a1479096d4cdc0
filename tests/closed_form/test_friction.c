/* SPDX-License-Identifier: Apache-2.0 */
/* Dry friction of joints: textbook solutions, complementarity at every output time, formulations that agree. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
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
  };
  return cmocka_run_group_tests_name("closed_form/friction", tests, NULL, NULL);
}
