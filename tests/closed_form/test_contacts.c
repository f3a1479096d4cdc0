/* SPDX-License-Identifier: Apache-2.0 */
/* Ropes and rigid contacts: textbook solutions in all formulations, with default step control. */
#include "linkwork/all.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 };
typedef struct {
  int n;
  double t[100];
  char name[100][40];
} event_log;

static int note(void *context, const lw_event_report *r, bool after)
{
  event_log *l = context;
  if (!after || l->n == 100) return 0;
  l->t[l->n] = r->time;
  snprintf(l->name[l->n++], sizeof l->name[0], "%s", r->names[0]);
  return 0;
}

static lw_model *compile(const char *text, lw_error *err)
{
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", err);
  lw_model *m = s ? lw_compile(s, err) : NULL;
  lw_spec_free(s);
  return m;
}

static lw_model *read_model(const char *text)
{
  lw_error err = {0};
  lw_model *m = compile(text, &err);
  if (!m) fail_msg("%s", err.text);
  return m;
}

typedef struct {
  const lw_model *m;
  lw_simulation *sim;
  event_log log;
  double q[MOST], u[MOST], t;
} run;

static void begin(run *r, const lw_model *m, int f)
{
  lw_error err = {0};
  *r = (run){.m = m};
  r->sim = lw_simulation_new(m, &(lw_simulation_options){.formulation = (lw_formulation)f}, &err);
  if (!r->sim) fail_msg("%s", err.text);
  assert_true(lw_nq(m) <= MOST);
  lw_simulation_on_event(r->sim, note, &r->log);
}

static void advance(run *r, double t)
{
  lw_error err = {0};
  if (lw_simulation_advance(r->sim, t, r->q, r->u, &err) != LW_OK) fail_msg("%s", err.text);
  r->t = t;
}

static double column(const run *r, const char *name)
{
  double row[2];
  lw_columns *c = lw_columns_new(r->m, name, NULL);
  assert_non_null(c);
  lwt_ok(lw_columns_follow(c, r->sim, NULL));
  lwt_ok(lw_columns_row(c, r->t, r->q, r->u, row));
  lw_columns_free(c);
  return row[1];
}

static double at_event(const run *r, const char *name)
{
  for (int i = 0; i < r->log.n; i++)
    if (strcmp(r->log.name[i], name) == 0) return r->log.t[i];
  fail_msg("no event %s", name);
  return 0;
}

#define EACH_FORMULATION(f) for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)
#define ACCURATE "simulation: {end: 3, rtol: 1e-11, atol: 1e-13}\n"
static const double g = 9.81, pi = 3.14159265358979323846;

/* ---- ropes ---- */

/* It falls from (0.6, 0, 0); at (0.6, -0.8) the part of its speed along the rope is lost; then it is a
   pendulum, T = m (v^2 / L + g cos). */
static void a_rope_that_goes_taut_takes_the_speed_along_it(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\nbodies:\n  load: {mass: 2, pose: {at: [0.6, 0, 0]}}\njoints:\n"
                 "  rope: {type: rope, parent: ground, child: load, length: 1}\n" ACCURATE);
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.2);
    lwt_near(column(&r, "gap.rope"), 1 - hypot(0.6, 0.5 * g * 0.04), 1e-12, "slack, %d", f);
    assert_true(isnan(column(&r, "load.rope")));
    advance(&r, 1);
    const double z = column(&r, "z.load"), v2 = 2 * g * 0.8 * 0.36 + 2 * g * (-0.8 - z);
    lwt_near(at_event(&r, "rope"), sqrt(1.6 / g), 1e-11, "time, %d", f);
    lwt_near(hypot(column(&r, "vx.load"), column(&r, "vz.load")), sqrt(v2), 1e-9, "speed, %d", f);
    lwt_near(column(&r, "load.rope"), 2 * (v2 - g * z), 1e-8, "tension, %d", f);
    lwt_near(column(&r, "gap.rope"), 0, 1e-12, "length, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* v0^2 = 4 g L at the bottom: slack where the angle from the top has the cosine (4 - 2) / 3 */
static void a_rope_swing_goes_slack_on_its_way_up(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\nbodies:\n  load: {mass: 2, pose: {at: [0, 0, -1]}, velocity: {linear: "
      "[sqrt(4*9.81), 0, 0]}}\njoints:\n"
      "  rope: {type: rope, parent: ground, child: load, length: 1}\n" ACCURATE);
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.1);
    assert_true(column(&r, "load.rope") > 0);
    advance(&r, 1.5);
    const double slack = at_event(&r, "release rope"), taut = at_event(&r, "rope");
    /* the parabola that leaves the circle at 2/3 with v^2 = g L 2/3, after 4 sin sqrt(L cos / g) it meets it */
    lwt_near(taut - slack, 4 * sqrt(5.0 / 9) * sqrt(2.0 / 3 / g), 1e-9, "time in the air, %d", f);
    lw_simulation_free(r.sim);
    begin(&r, m, f);
    advance(&r, slack);
    lwt_near(column(&r, "z.load"), 2.0 / 3, 1e-9, "where it goes slack, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* along the rope -e v; without gravity each half period lasts as long as the way back and forth */
static void a_rope_may_have_a_restitution(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  a: {mass: 2, velocity: {linear: [1.5, 0, 0]}}\n  b: {mass: 1}\njoints:\n"
      "  r: {type: rope, parent: a, child: b, length: 0.5, restitution: 0.4}\n" ACCURATE);
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.5);
    lwt_near(at_event(&r, "r"), 0.5 / 1.5, 1e-12, "time, %d", f);
    /* momentum 3, relative speed 0.4 * 1.5 */
    lwt_near(column(&r, "vx.a"), 1 - 0.2, 1e-12, "a, %d", f);
    lwt_near(column(&r, "vx.b"), 1 + 0.4, 1e-12, "b, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* ---- balls ---- */

/* hits at t0 (1 + 2 e + 2 e^2 + ...), rest at t0 (1 + e) / (1 - e) */
static void a_ball_bounces_in_a_geometric_series_and_rests(void **state)
{
  (void)state;
  lw_model *m = read_model("linkwork: 1\nbodies:\n  ball: {solid: {sphere: {radius: 0.1, mass: "
                           "2}}, pose: {at: [0, 0, 1.1]}, "
                           "velocity: {linear: [1, 0, 0]}}\ncontacts:\n"
                           "  floor: {body: ball, radius: 0.1, on: {plane: {body: ground}}, "
                           "restitution: 0.5}\n" ACCURATE);
  const double t0 = sqrt(2 / g);
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 2);
    double t = t0;
    for (int i = 0; i < 12; i++) {
      lwt_near(r.log.t[i], t, 1e-9, "hit %d, formulation %d", i, f);
      t += 2 * t0 * pow(0.5, i + 1);
    }
    lwt_near(r.log.t[r.log.n - 1], 3 * t0, 1e-4 * t0, "rest, %d", f);
    lwt_near(column(&r, "load.floor"), 2 * g, 1e-9, "weight, %d", f);
    lwt_near(column(&r, "z.ball"), 0.1, 1e-12, "height, %d", f);
    lwt_near(column(&r, "slip.floor"), 1, 1e-12, "it goes on sliding, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

#define BALL(name, x, v, mass)                                                                     \
  "  " name ": {solid: {sphere: {radius: 0.1, mass: " mass "}}, pose: {at: [" x                    \
  ", 0, 0]}, velocity: {linear: [" v ", 0, 0]}}\n"
#define MEET(a, b, e)                                                                              \
  "  " a b ": {body: " a ", radius: 0.1, on: {sphere: {body: " b                                   \
  ", radius: 0.1}}, restitution: " e "}\n"

static void equal_balls_in_a_row_pass_the_speed_on(void **state)
{
  (void)state;
  lw_model *m = read_model("linkwork: 1\ngravity: [0, 0, 0]\nbodies:\n" BALL("a", "-0.7", "1", "2")
                               BALL("b", "0", "0", "2") BALL("c", "0.2", "0", "2")
                                   BALL("d", "0.5", "0", "2") "contacts:\n" MEET("a", "b", "1")
                                       MEET("b", "c", "1") MEET("c", "d", "1") ACCURATE);
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 1);
    lwt_near(at_event(&r, "ab"), 0.5, 1e-12, "first, %d", f);
    lwt_near(at_event(&r, "cd"), 0.6, 1e-12, "last, %d", f);
    lwt_near(column(&r, "x.d"), 0.9, 1e-12, "the last ball, %d", f);
    lwt_near(column(&r, "x.c"), 0.3, 1e-12, "the third ball, %d", f);
    lwt_near(column(&r, "vx.a"), 0, 1e-12, "the first ball, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* oblique, masses 2 and 1, e = 0.7: along the line of centres (0.6, 0.8) the relative speed 0.8 v becomes -0.7 of it */
static void an_oblique_collision_acts_along_the_line_of_centres(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\nplanar: true\ngravity: [0, 0]\nbodies:\n"
                 "  a: {solid: {sphere: {radius: 0.2, mass: 2}}, pose: {at: [-2, 0.3]}, velocity: "
                 "{linear: [3, 0]}}\n  b: {solid: {sphere: {radius: 0.3, mass: 1}}}\n"
                 "contacts:\n  ab: {body: a, radius: 0.2, on: {sphere: {body: b, radius: 0.3}}, "
                 "restitution: 0.7}\n" ACCURATE);
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 1);
    lwt_near(at_event(&r, "ab"), 1.6 / 3, 1e-12, "time, %d", f);
    const double push = 1.7 * 0.8 * 3 / (0.5 + 1); /* on a, along (-0.8, 0.6) */
    lwt_near(column(&r, "vx.a"), 3 - 0.8 * push / 2, 1e-12, "a along x, %d", f);
    lwt_near(column(&r, "vy.a"), 0.6 * push / 2, 1e-12, "a along y, %d", f);
    lwt_near(column(&r, "vx.b"), 0.8 * push, 1e-12, "b along x, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* ---- planes on slopes and on bodies ---- */

/* A ladder between floor and wall, without friction, leaves the wall at two thirds of its height. */
static void a_sliding_ladder_leaves_the_wall(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\nplanar: true\nparameters: {a: 65 deg}\nbodies:\n"
                 "  rod: {mass: 3, inertia: 3*2^2/12, pose: {at: [cos(a), sin(a)], orient: pi - "
                 "a}}\ncontacts:\n"
                 "  foot: {body: rod, at: [-1, 0], on: {plane: {body: ground, normal: y}}}\n"
                 "  head: {body: rod, at: [1, 0], on: {plane: {body: ground, normal: x}}}\n"
                 "outputs:\n  top: y.rod + xy.rod\n"
                 "simulation: {end: 3, rtol: 1e-11, atol: 1e-13}\n");
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.05);
    assert_true(column(&r, "load.head") > 0);
    advance(&r, 0.9);
    const double leaves = at_event(&r, "release head");
    lw_simulation_free(r.sim);
    begin(&r, m, f);
    advance(&r, leaves);
    lwt_near(column(&r, "top"), 2.0 / 3 * 2 * sin(65 * pi / 180), 1e-9, "height, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* a point on a wedge that is free to move: the textbook accelerations; the plane is fixed to the wedge */
static void a_block_slides_down_a_wedge_that_moves(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\nplanar: true\nparameters: {a: 30 deg}\nbodies:\n"
      "  wedge: {mass: 4, inertia: 1}\n  block: {mass: 1, pose: {at: [0.2, 0.2*tan(a)]}}\njoints:\n"
      "  slide: {type: prismatic, parent: ground, child: wedge, axis: [1, 0]}\ncontacts:\n"
      "  on: {body: block, on: {plane: {body: wedge, normal: [-sin(a), cos(a)]}}}\n" ACCURATE);
  const double a = pi / 6, N = 4 * g * cos(a) / (4 + sin(a) * sin(a));
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.3);
    lwt_near(column(&r, "load.on"), N, 1e-9, "load, %d", f);
    lwt_near(column(&r, "q.slide"), 0.5 * N * sin(a) / 4 * 0.09, 1e-9, "the wedge, %d", f);
    lwt_near(column(&r, "x.block"), 0.2 - 0.5 * N * sin(a) * 0.09, 1e-9, "the block, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* The lowest point of a disc stays on the plane; energy, horizontal momentum and the momenta about the vertical
   and about the disc's own axis stay what they are. */
static void a_disc_on_a_smooth_plane_keeps_its_integrals(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\nbodies:\n  w: {solid: {cylinder: {radius: 0.3, length: 0.02, axis: "
                 "y, mass: 2}}, "
                 "pose: {at: [0, 0, 0.3*cos(0.5)], orient: {rpy: [0.5, 0, 0]}}, velocity: {linear: "
                 "[0.4, 0, 0], "
                 "angular: [0, 8*cos(0.5), 8*sin(0.5)]}}\ncontacts:\n"
                 "  c: {body: w, disc: {radius: 0.3, axis: y}, on: {plane: {body: ground}}}\n"
                 "outputs:\n  spin: wx.w*yx.w + wy.w*yy.w + wz.w*yz.w\n" ACCURATE);
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0);
    const double E = column(&r, "energy.total"), least = 0.29;
    double z = 1;
    for (int i = 1; i <= 20; i++) {
      advance(&r, 0.05 * i);
      z = fmin(z, column(&r, "z.w"));
      lwt_near(column(&r, "gap.c"), 0, 1e-12, "gap, %d", f);
      lwt_near(column(&r, "energy.total"), E, 1e-8, "energy, %d", f);
      lwt_near(column(&r, "vx.w"), 0.4, 1e-9, "momentum, %d", f);
      lwt_near(column(&r, "spin"), 8, 1e-8, "spin, %d", f);
    }
    assert_true(z < least);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* ---- what is refused ---- */

static void refuse(const char *rest, const char *why)
{
  char text[1000];
  lw_error err = {0};
  snprintf(text, sizeof text,
           "linkwork: 1\nbodies:\n  a: {mass: 1, pose: {at: [0, 0, 1]}}\n  b: {mass: 1}\n%s\n",
           rest);
  lw_model *m = compile(text, &err);
  lw_simulation *sim = m ? lw_simulation_new(m, NULL, &err) : NULL;
  double q[14], u[12];
  if (sim) assert_true(lw_simulation_advance(sim, 0.1, q, u, &err) != LW_OK);
  if (!strstr(err.text, why)) fail_msg("%s instead of %s", err.text, why);
  assert_true(err.line > 0);
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void wrong_contacts_are_refused_with_their_place(void **state)
{
  (void)state;
  refuse("contacts:\n  c: {body: a, on: {sphere: {body: b}}}", "two points do not touch");
  refuse("contacts:\n  c: {body: a, on: {plane: {body: a}}}", "cannot touch itself");
  refuse("contacts:\n  c: {body: a, restitution: 1.2, on: {plane: {body: b}}}", "between 0 and 1");
  refuse("parameters: {e: 2}\ncontacts:\n  c: {body: a, restitution: e, on: {plane: {body: b}}}",
         "between 0 and 1");
  refuse("contacts:\n  c: {body: a, radius: -1, on: {plane: {body: b}}}", "must not be negative");
  refuse("contacts:\n  c: {body: a, on: {plane: {body: b}, sphere: {body: b, radius: 1}}}",
         "one of `plane` and `sphere`");
  refuse("contacts:\n  c: {body: a, on: {}}", "one of `plane` and `sphere`");
  refuse("contacts:\n  c: {body: a, disc: {radius: 1}, on: {sphere: {body: b, radius: 1}}}",
         "planes only");
  refuse("contacts:\n  c: {body: a, at: [0, 0, -2], on: {plane: {body: b}}}", "overlap");
  refuse("joints:\n  r: {type: rope, parent: a, child: b, length: 0.5}", "longer than its length");
  refuse("joints:\n  r: {type: rope, parent: a, child: b, length: 2, restitution: -1}",
         "between 0 and 1");
  refuse("joints:\n  r: {type: rope, parent: a, child: b}", "length");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rope_that_goes_taut_takes_the_speed_along_it),
      cmocka_unit_test(a_rope_swing_goes_slack_on_its_way_up),
      cmocka_unit_test(a_rope_may_have_a_restitution),
      cmocka_unit_test(a_ball_bounces_in_a_geometric_series_and_rests),
      cmocka_unit_test(equal_balls_in_a_row_pass_the_speed_on),
      cmocka_unit_test(an_oblique_collision_acts_along_the_line_of_centres),
      cmocka_unit_test(a_sliding_ladder_leaves_the_wall),
      cmocka_unit_test(a_block_slides_down_a_wedge_that_moves),
      cmocka_unit_test(a_disc_on_a_smooth_plane_keeps_its_integrals),
      cmocka_unit_test(wrong_contacts_are_refused_with_their_place),
  };
  return cmocka_run_group_tests_name("closed_form/contacts", tests, NULL, NULL);
}
