/* SPDX-License-Identifier: Apache-2.0 */
/* Singular configurations: found where geometry puts them, and nowhere else. */
#include "lwt.h"

#include "linkwork/analysis.h"
#include "linkwork/linkwork.h"
#include "linkwork/events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_model *compile(lw_spec *s, lw_error *err)
{
  assert_string_equal(err->text, "");
  lw_model *m = lw_compile(s, err);
  assert_string_equal(err->text, "");
  lw_spec_free(s);
  return m;
}

static lw_model *load(const char *name)
{
  char path[500];
  lw_error err = {0};
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  return compile(lw_spec_load(path, &err), &err);
}

/* n cranks of 1 m at (0, 0), (1, 0), ..., bars of 1 m between their tips, all at an angle from upright */
static lw_model *four_bars(int n, double angle, const char *more)
{
  char *text = malloc(100000);
  lw_error err = {0};
  int at = sprintf(text, "{linkwork: 1, planar: true, bodies: {");
  for (int i = 0; i <= n; i++)
    at += sprintf(text + at, "a%d: {solid: {rod: {length: 1, mass: 1, axis: y}}}, ", i);
  for (int i = 0; i < n; i++)
    at += sprintf(text + at, "b%d: {solid: {rod: {length: 1, mass: 1, axis: x}}}%s", i,
                  i < n - 1 ? ", " : "}, joints: {");
  for (int i = 0; i <= n; i++)
    at += sprintf(text + at,
                  "A%d: {type: revolute, parent: ground, child: a%d, at: [%d, 0], q: %.17g}, ", i,
                  i, i, -angle);
  for (int i = 0; i < n; i++)
    at +=
        sprintf(text + at,
                "B%d: {type: revolute, parent: a%d, child: b%d, at: [0, 1], q: %.17g}, C%d: {type: "
                "revolute, parent: b%d, child: a%d, at: [1, 0], child_at: [0, 1]}%s",
                i, i, i, angle, i, i, i + 1, i < n - 1 ? ", " : "}");
  sprintf(text + at, "%s}", more);
  lw_model *m = compile(lw_spec_parse(text, strlen(text), "text", &err), &err);
  free(text);
  return m;
}

static lw_mobility mobility(const lw_model *m)
{
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)(lw_nq(m) + lw_nu(m)) + 1, sizeof *q), *u = q + lw_nq(m);
  lw_error err = {0};
  lw_mobility f = {0};
  lw_initial_state(m, q, u);
  lw_close_loops(w, 0, q, u, &err);
  assert_string_equal(err.text, "");
  lwt_ok(lw_find_mobility(w, 0, q, &f));
  lw_work_free(w);
  free(q);
  return f;
}

/* horizontal, n four-bars have n + 1 freedoms instead of one */
static void a_singular_start_is_seen(void **state)
{
  (void)state;
  const double right = 1.57079632679489662;
  for (int n = 1; n <= 4; n++)
    for (int k = 0; k < 3; k++) {
      lw_model *m = four_bars(n, k == 0 ? right : k == 1 ? -right : 0.3, "");
      const lw_mobility f = mobility(m);
      assert_int_equal(f.singular, k < 2);
      assert_int_equal(f.dof, k < 2 ? n + 1 : 1);
      assert_int_equal(f.dof_near, 1);
      lw_model_free(m);
    }
}

/* redundant everywhere is not singular anywhere */
static void what_is_redundant_everywhere_is_not_singular(void **state)
{
  (void)state;
  static const char *const names[] = {"bricard", "four-bar", "driven-four-bar", "two-four-bar",
                                      "hmmwv",   "squeezer", "slider-crank",    "arm"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    lw_model *m = load(names[i]);
    const lw_mobility f = mobility(m);
    if (f.singular) fail_msg("%s: %d, nearby %d", names[i], f.dof, f.dof_near);
    lw_model_free(m);
  }
}

static int run(const lw_model *m, double end, const lw_singularity **found, lw_simulation **sim,
               double *q, double *u)
{
  lw_error err = {0};
  const lw_simulation_options o = {.end = end, .rtol = 1e-10, .atol = 1e-12};
  *sim = lw_simulation_new(m, &o, &err);
  assert_string_equal(err.text, "");
  lw_simulation_advance(*sim, end, q, u, &err);
  assert_string_equal(err.text, "");
  return lw_simulation_singularities(*sim, found);
}

/* A02: phi'' = k sin phi from the upright with phi' = 1; horizontal whenever phi is an odd multiple of a right angle.  The
   energy gives phi' there, and the time is an integral. */
static void passages_are_reported_when_they_happen(void **state)
{
  (void)state;
  lw_model *m = load("two-four-bar");
  const lw_singularity *found;
  lw_simulation *sim;
  double q[16], u[16];
  const int n = run(m, 10, &found, &sim, q, u);
  /* 2000 intervals of Simpson's rule for dt = dphi / sqrt(1 + 2 k (1 - cos phi)) */
  const long double k = 3.5L * 9.81L / 3, half = 1.57079632679489662L;
  long double first = 0, next = 0;
  for (int i = 0; i <= 2000; i++) {
    const long double x = half * i / 2000, weight = i == 0 || i == 2000 ? 1 : i % 2 ? 4 : 2;
    first += weight * half / 6000 / sqrtl(1 + 2 * k * (1 - cosl(x)));
    next += weight * half / 6000 / sqrtl(1 + 2 * k * (1 - cosl(half + x)));
  }
  int expected = 0;
  for (long double t = first; t < 10; expected++)
    t += expected % 2 ? 2 * first : 2 * next;
  assert_int_equal(n, expected);
  long double t = first;
  for (int i = 0; i < n; i++) {
    lwt_near(found[i].time, (double)t, 1e-5, "passage %d", i);
    assert_int_equal(found[i].dof, 1);
    assert_int_equal(found[i].dof_there, 3);
    t += i % 2 ? 2 * first : 2 * next;
  }
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void ordinary_mechanisms_pass_nothing(void **state)
{
  (void)state;
  static const char *const names[] = {"four-bar", "slider-crank", "driven-four-bar", "bricard"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    lw_model *m = load(names[i]);
    const lw_singularity *found;
    lw_simulation *sim;
    double q[32], u[32];
    assert_int_equal(run(m, 3, &found, &sim, q, u), 0);
    lw_simulation_free(sim);
    lw_model_free(m);
  }
}

/* a damped spring pulls it to the change point, where it stays */
static void a_mechanism_that_stops_at_its_change_point_is_singular_there(void **state)
{
  (void)state;
  lw_model *m =
      four_bars(1, 0,
                ", gravity: [0, 0], forces: {s: {type: joint_spring, joint: A0, stiffness: 5, "
                "damping: 12, rest: -90 deg}}");
  const lw_singularity *found;
  lw_simulation *sim;
  double q[16], u[16];
  run(m, 40, &found, &sim, q, u);
  lwt_near(q[0], -1.57079632679489662, 1e-6, "there");
  lw_work *w = lw_work_new(m);
  lw_mobility f;
  lwt_ok(lw_find_mobility(w, 40, q, &f));
  assert_true(f.singular);
  assert_int_equal(f.dof, 2);
  assert_int_equal(f.dof_near, 1);
  lw_work_free(w);
  lw_simulation_free(sim);
  lw_model_free(m);
}

/* ---- events that lead into singular configurations ---- */

static const lw_formulation formulations[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                              LW_FORMULATION_CARTESIAN};

static lw_model *parse(const char *text)
{
  lw_error err = {0};
  return compile(lw_spec_parse(text, strlen(text), "text", &err), &err);
}

/* A straight double pendulum, pinned at its tip: it cannot move at all, though its speeds satisfy all
   constraints. */
static void an_event_after_which_nothing_can_move_is_refused(void **state)
{
  (void)state;
  for (int k = 0; k < 6; k++) {
    char text[1000];
    const double turn = 0.4 * (k / 3);
    snprintf(
        text, sizeof text,
        "{linkwork: 1, gravity: [0, -9.81, 0], bodies: {b1: {solid: {rod: {length: 1, mass: 1, "
        "axis: -y}}}, b2: {solid: {rod: {length: 1.5, mass: 2, axis: -y}}}}, joints: {J1: {type: "
        "revolute, parent: ground, child: b1, q: %g, u: 2}, J2: {type: revolute, parent: b1, "
        "child: b2, at: [0, -1, 0], q: 0, u: 1}}, events: [{at: 0, connect: {name: tip, type: "
        "revolute, parent: ground, child: b2, child_at: [0, -1.5, 0]}}]}",
        turn);
    lw_model *m = parse(text);
    lw_error err = {0};
    double q[8], u[8];
    lw_simulation *sim = lw_simulation_new(
        m, &(lw_simulation_options){.end = 0.2, .formulation = formulations[k % 3]}, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(lw_simulation_advance(sim, 0.2, q, u, &err), LW_E_SINGULAR);
    assert_non_null(strstr(err.text, "singular configuration"));
    lw_simulation_free(sim);
    lw_model_free(m);
  }
}

/* bars of a parallelogram in line, pinned while they turn as a parallelogram does */
static void an_event_at_a_change_point_keeps_the_smooth_branch(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    lw_model *m = parse(
        "{linkwork: 1, planar: true, gravity: [0, 0], bodies: {a: {solid: {rod: {length: 1, mass: "
        "1, "
        "axis: x}}}, b: {solid: {rod: {length: 2, mass: 1, axis: x}}}, c: {solid: {rod: {length: "
        "1, "
        "mass: 1, axis: x}}}}, joints: {A: {type: revolute, parent: ground, child: a, u: 3}, B: "
        "{type: revolute, parent: a, child: b, at: [1, 0], u: -3}, C: {type: revolute, parent: "
        "ground, child: c, at: [2, 0], u: 3}}, events: [{at: 0, connect: {name: D, type: revolute, "
        "parent: b, child: c, at: [2, 0], child_at: [1, 0]}}]}");
    lw_error err = {0};
    double q[8], u[8];
    lw_simulation *sim = lw_simulation_new(
        m, &(lw_simulation_options){.end = 1, .formulation = formulations[k]}, &err);
    assert_string_equal(err.text, "");
    lw_simulation_advance(sim, 1, q, u, &err);
    assert_string_equal(err.text, "");
    /* the coupler does not turn: all speeds stay */
    const double right[3] = {3, -3, 3};
    lwt_close(q, right, 3, 1e-6, 1, "q");
    lwt_close(u, right, 3, 1e-6, 1, "u");
    lw_simulation_free(sim);
    lw_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_singular_start_is_seen),
      cmocka_unit_test(what_is_redundant_everywhere_is_not_singular),
      cmocka_unit_test(passages_are_reported_when_they_happen),
      cmocka_unit_test(ordinary_mechanisms_pass_nothing),
      cmocka_unit_test(an_event_after_which_nothing_can_move_is_refused),
      cmocka_unit_test(an_event_at_a_change_point_keeps_the_smooth_branch),
      cmocka_unit_test(a_mechanism_that_stops_at_its_change_point_is_singular_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
