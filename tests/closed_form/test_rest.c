/* SPDX-License-Identifier: Apache-2.0 */
/* Static equilibrium with rigid limits, contacts, ropes and dry friction: what holds, its loads, and where friction holds. */
#include "linkwork/all.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81, pi = 3.14159265358979323846;

static lw_model *read_model(const char *text)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

static lw_rest *find(const lw_model *m, lw_error *err)
{
  double q[64], u[64];
  lw_initial_state(m, q, u);
  return lw_rest_new(m, 0, q, NULL, err);
}

static lw_rest_part part(const lw_rest *r, const char *name)
{
  for (int i = 0; i < lw_rest_npart(r); i++)
    if (strcmp(lw_rest_get_part(r, i).name, name) == 0) return lw_rest_get_part(r, i);
  fail_msg("no %s", name);
  return (lw_rest_part){0};
}

#define ARMS(a, more)                                                                              \
  "linkwork: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                 \
  "  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                   \
  "  b: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                   \
  "joints:\n  A: {type: revolute, parent: ground, child: a, " a "}\n"                              \
  "  B: {type: revolute, parent: a, child: b, at: [1, 0, 0], q: -0.3}\n" more

/* both arms fall: the first one on its stop, then the tip on the floor */
static void an_arm_rests_on_a_stop_and_a_floor(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(
      ARMS("q: 0.2, limits: [-0.5, 1]",
           "contacts: {c: {body: b, at: [1, 0, 0], on: {plane: {body: ground, at: [0, -1, 0], "
           "normal: y}}}}\n"));
  assert_true(lw_is_one_sided(m));
  lw_rest *r = find(m, &err);
  if (!r) fail_msg("%s", err.text);
  const double a = -0.5, b = asin(-1 - sin(a)) - a, want[2] = {a, b};
  lwt_close(lw_rest_q(r), want, 2, 1e-9, 1, "angles");
  assert_true(part(r, "lower.A").holds && part(r, "c").holds && !part(r, "upper.A").holds);
  /* half of the weight of b is on the floor, all the rest turns a against its stop */
  const double load[2] = {part(r, "c").load, part(r, "lower.A").load},
               right[2] = {g / 2, cos(a) * (0.5 * g + 0.5 * g)};
  lwt_close(load, right, 2, 1e-9, g, "loads");
  assert_int_equal(lw_rest_report(r).dof, 0);
  lw_rest_free(r);
  lw_model_free(m);
}

/* |1.5 m g cos q| <= 8 with the second arm hanging; it slides there from where friction does not hold it */
static void friction_holds_within_a_range(void **state)
{
  (void)state;
  static const char *const text[2] = {ARMS("q: -0.3, friction: {load: 8}", ""),
                                      ARMS("q: -1.5, friction: {load: 8}", "")};
  const double edge = acos(8 / (1.5 * g)), ends[2] = {-pi + edge, -edge};
  for (int i = 0; i < 2; i++) {
    lw_error err = {0};
    lw_model *m = read_model(text[i]);
    lw_rest *r = find(m, &err);
    if (!r) fail_msg("%s", err.text);
    const lw_rest_part p = part(r, "friction.A");
    const double got[2] = {p.lower, p.upper}, at = i ? -1.5 : -edge;
    assert_true(p.holds);
    lwt_close(got, ends, 2, 1e-9, 1, "range");
    lwt_close(lw_rest_q(r), (double[2]){at, -pi / 2 - at}, 2, 1e-9, 1, "rest");
    lw_work *w = lw_work_new(lw_rest_model(r));
    lw_linearization *l = lw_linearize(w, 0, lw_rest_q(r), NULL, &err);
    lw_modes *modes = l ? lw_modes_new(l, &err) : NULL;
    assert_non_null(modes);
    assert_int_equal(modes->n, 1);
    const double turns = sqrt(0.5 * g / 0.35); /* of the second arm alone: the first one sticks */
    lwt_close(&modes->mode[0].imaginary, &turns, 1, 1e-9, 1, "mode");
    lw_modes_free(modes);
    lw_linearization_free(l);
    lw_work_free(w);
    lw_rest_free(r);
    lw_model_free(m);
  }
}

/* what is written to happen at the start of a run has not happened */
/* A pin of radius r holds where sin q <= mu r / L, the friction of its weight m g; from elsewhere the pendulum slides
   there.  A block on a slope between springs stops where k x = m g (sin a - mu cos a). */
static void friction_of_own_loads_holds_within_a_range(void **state)
{
  (void)state;
  static const double from[3] = {0.01, 0.3, -0.3};
  const double edge = asin(0.4 * 0.05 / 0.5), slides = asin(0.3 * 0.05 / 0.5);
  for (int i = 0; i < 3; i++) {
    char text[500];
    lw_error err = {0};
    snprintf(
        text, sizeof text,
        "linkwork: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {mass: 2, com: [0, -0.5, 0], inertia: "
        "[0.1, 0.1, 0.1]}}\njoints: {A: {type: revolute, parent: ground, child: a, q: %g, "
        "friction: "
        "{coefficient: 0.3, static_coefficient: 0.4, radius: 0.05}}}\n",
        from[i]);
    lw_model *m = read_model(text);
    lw_rest *r = find(m, &err);
    if (!r) fail_msg("%s", err.text);
    const lw_rest_part p = part(r, "friction.A");
    const double at = i == 0 ? from[0] : i == 1 ? slides : -slides;
    assert_true(p.holds);
    lwt_close((double[2]){p.lower, p.upper}, (double[2]){-edge, edge}, 2, 1e-9, 1, "range %d", i);
    lwt_close(lw_rest_q(r), &at, 1, 1e-9, 1, "rest %d", i);
    lw_rest_free(r);
    lw_model_free(m);
  }
  lw_error err = {0};
  lw_model *m = read_model("linkwork: 1\ngravity: [6, 0, -8]\nbodies: {a: {mass: 1e-3}, b: {mass: "
                           "2}}\njoints: {X: {type: "
                           "prismatic, axis: x, parent: ground, child: a}, Z: {type: prismatic, "
                           "axis: z, parent: a, child: "
                           "b}}\nforces: {k: {type: joint_spring, joint: X, stiffness: "
                           "50}}\ncontacts: {c: {body: b, on: "
                           "{plane: {body: ground}}, friction: 0.25}}\n");
  lw_rest *r = find(m, &err);
  if (!r) fail_msg("%s", err.text);
  const double at = (2.001 * 6 - 0.25 * 2 * 8) / 50;
  assert_true(part(r, "c").holds && part(r, "friction.c").holds);
  lwt_close(lw_rest_q(r), &at, 1, 1e-9, 1, "block");
  lw_rest_free(r);
  lw_model_free(m);
}

static void events_do_not_count(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(
      ARMS("q: -1.5, friction: {load: 8}", "events: [{at: 0, lock: B}, {at: 0, lock: A}]\n"));
  lw_rest *r = find(m, &err);
  if (!r) fail_msg("%s", err.text);
  assert_true(part(r, "friction.A").holds);
  lwt_close(lw_rest_q(r), (double[2]){-1.5, -pi / 2 + 1.5}, 2, 1e-9, 1, "rest");
  lw_rest_free(r);
  lw_model_free(m);
}

/* spring 100 q against 5 N of friction, from a stop at -0.04 to 0.05; a load hangs on a rope against a wall */
#define ROPE(start)                                                                                \
  "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: "  \
  "2, "                                                                                            \
  "inertia: 0.1}}\njoints:\n"                                                                      \
  "  A: {type: prismatic, axis: x, parent: ground, child: a, q: 0.02, friction: {load: 3, "        \
  "static: 5}, limits: {lower: -0.04}}\n"                                                          \
  "  R: {type: rope, parent: ground, child: b, at: [1, 2], length: 1.2}\n"                         \
  "  J: {type: planar, parent: ground, child: b, q: [1.4, 1.2, 0]}\n"                              \
  "forces: {s: {type: joint_spring, joint: A, stiffness: 100}, t: {type: joint_spring, joint: "    \
  "J, dof: 3, stiffness: 1}}\n"                                                                    \
  "contacts: {w: {body: b, at: [-0.1, 0], on: {plane: {body: ground, at: [1.1, 0], normal: "       \
  "x}}}}\n"                                                                                        \
  "simulation: {end: 1" start "}\n"

static void a_load_hangs_on_a_rope_against_a_wall(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(ROPE(""));
  lw_rest *r = find(m, &err);
  if (!r) fail_msg("%s", err.text);
  const lw_rest_part p = part(r, "friction.A");
  const double x = 0.2, y = sqrt(1.2 * 1.2 - x * x), tension = 2 * g * 1.2 / y;
  const double got[5] = {p.load, p.lower, p.upper, part(r, "R").load, part(r, "w").load},
               want[5] = {2, -0.04, 0.05, tension, tension * x / 1.2};
  lwt_close(got, want, 5, 1e-9, tension, "loads and range");
  lw_rest_free(r);
  lw_model_free(m);
}

static void a_run_that_starts_in_equilibrium_stays_there(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(ROPE(", start: equilibrium"));
  double q[2][32], u[32];
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  if (!sim || lw_simulation_start_in_equilibrium(sim, NULL, &err) != LW_OK)
    fail_msg("%s", err.text);
  for (int i = 0; i < 2; i++)
    if (lw_simulation_advance(sim, i, q[i], u, &err) != LW_OK) fail_msg("%s", err.text);
  lwt_close(q[1], q[0], lw_nq(m), 1e-9, 1, "positions");
  lw_simulation_free(sim);
  lw_model_free(m);
}

/* On a slope of tan a = 1/3 friction of 0.35 holds a box on which a pendulum hangs, not one on which it swings: it does
   not slide while the pendulum goes to where it hangs. */
static void a_box_on_a_slope_carries_a_pendulum(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m = read_model(
      "linkwork: 1\nplanar: true\ngravity: [3, -9]\nbodies: {box: {mass: 2, inertia: 0.1}, p: "
      "{mass: 0.5, inertia: 0.01, "
      "com: [0, -0.3]}}\njoints: {B: {type: planar, parent: ground, child: box, q: [0, 0.1, 0]}, "
      "P: {type: revolute, "
      "parent: box, child: p, q: 1.2}}\ncontacts:\n"
      "  a: {body: box, at: [-0.2, -0.1], on: {plane: {body: ground, normal: y}}, friction: 0.35}\n"
      "  b: {body: box, at: [0.2, -0.1], on: {plane: {body: ground, normal: y}}, friction: "
      "0.35}\n");
  lw_rest *r = find(m, &err);
  if (!r) fail_msg("%s", err.text);
  lwt_close(lw_rest_q(r), (double[4]){0, 0.1, 0, atan2(3, 9)}, 4, 1e-9, 1, "rest");
  assert_true(part(r, "friction.a").holds && part(r, "friction.b").holds);
  lwt_near(part(r, "friction.a").load + part(r, "friction.b").load, 7.5, 1e-9, "friction");
  lw_rest_free(r);
  lw_model_free(m);
}

/* Pads a gap away from a driven wheel: nothing holds it until they touch, many turns later where they are heavy. */
static void pads_stop_a_driven_wheel(void **state)
{
  (void)state;
  for (int heavy = 0; heavy < 2; heavy++) {
    char text[900];
    lw_error err = {0};
    snprintf(
        text, sizeof text,
        "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nbodies: {wheel: {mass: 2, inertia: 0.1}, "
        "l: {mass: %g, "
        "inertia: 1}, r: {mass: %g, inertia: 1}}\njoints:\n"
        "  W: {type: revolute, parent: ground, child: wheel}\n"
        "  L: {type: prismatic, axis: x, parent: ground, child: l, at: [-0.4, 0]}\n"
        "  R: {type: prismatic, axis: x, parent: ground, child: r, at: [0.4, 0]}\n"
        "forces: {m: {type: motor, joint: W, value: 2}, f: {type: force, body: l, force: [20, 0]}, "
        "g: {type: force, "
        "body: r, force: [-20, 0]}}\ncontacts:\n"
        "  cl: {body: l, radius: 0.05, on: {sphere: {body: wheel, radius: 0.3}}, friction: 0.5}\n"
        "  cr: {body: r, radius: 0.05, on: {sphere: {body: wheel, radius: 0.3}}, friction: 0.5}\n",
        heavy ? 2000.0 : 0.2, heavy ? 2000.0 : 0.2);
    lw_model *m = read_model(text);
    lw_rest *r = find(m, &err);
    if (!r) fail_msg("%s", err.text);
    lwt_close(lw_rest_q(r) + 1, (double[2]){0.05, -0.05}, 2, 1e-9, 1, "pads");
    lwt_near(part(r, "cl").load, 20, 1e-9, "push");
    lwt_near(0.3 * (part(r, "friction.cl").load + part(r, "friction.cr").load), 2, 1e-9, "moment");
    lw_rest_free(r);
    lw_model_free(m);
  }
}

static void what_is_not_found_is_named(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_model *m =
      read_model("linkwork: 1\nplanar: true\ngravity: [6, -6]\nbodies: {b: {mass: 1, inertia: "
                 "1}}\njoints: {J: {type: planar, parent: ground, child: b}}\n"
                 "contacts: {c: {body: b, on: {plane: {body: ground, normal: y}}, friction: "
                 "0.5}}\n");
  assert_null(find(m, &err));
  assert_non_null(strstr(err.text, "nothing holds joint \"J\" against a load of 3"));
  lw_model_free(m);
  m = read_model(ARMS("q: 0", ""));
  assert_false(lw_is_one_sided(m));
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_rests_on_a_stop_and_a_floor),
      cmocka_unit_test(friction_holds_within_a_range),
      cmocka_unit_test(friction_of_own_loads_holds_within_a_range),
      cmocka_unit_test(events_do_not_count),
      cmocka_unit_test(a_load_hangs_on_a_rope_against_a_wall),
      cmocka_unit_test(a_run_that_starts_in_equilibrium_stays_there),
      cmocka_unit_test(a_box_on_a_slope_carries_a_pendulum),
      cmocka_unit_test(pads_stop_a_driven_wheel),
      cmocka_unit_test(what_is_not_found_is_named),
  };
  return cmocka_run_group_tests_name("closed_form/rest", tests, NULL, NULL);
}
