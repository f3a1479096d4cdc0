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
  double drag; /* impulse of the friction of contact c at the last hit */
} event_log;

static int note(void *context, const lw_event_report *r, bool after)
{
  event_log *l = context;
  for (int i = 0; i < r->nhit && after; i++)
    if (strcmp(r->hits[i].name, "friction.c") == 0) l->drag = r->hits[i].impulse;
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
    assert_true(column(&r, "state.rope") == 1);
    advance(&r, 1.5);
    const double slack = at_event(&r, "release rope"), taut = at_event(&r, "rope");
    /* the parabola that leaves the circle at 2/3 with v^2 = g L 2/3, after 4 sin sqrt(L cos / g) it meets it */
    lwt_near(taut - slack, 4 * sqrt(5.0 / 9) * sqrt(2.0 / 3 / g), 1e-9, "time in the air, %d", f);
    lw_simulation_free(r.sim);
    begin(&r, m, f);
    advance(&r, slack);
    lwt_near(column(&r, "z.load"), 2.0 / 3, 1e-9, "where it goes slack, %d", f);
    assert_true(column(&r, "state.rope") == 0);
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

/* ---- friction ---- */

#define SLOPE(angle, rest)                                                                         \
  "linkwork: 1\nparameters: {a: " angle " deg, c: cos(0.5)*sin(a), s: sin(0.5)*sin(a)}\nbodies:\n" \
  "  b: {mass: 2, inertia: [1, 1, 1]" rest "}\ncontacts:\n"                                        \
  "  c: {body: b, on: {plane: {body: ground, normal: [c, s, cos(a)]}}, friction: 0.3}\n" ACCURATE

/* up a slope of 12 degrees with 2 m/s: it stops after v / (g sin + mu g cos), and stays */
static void a_block_stops_on_a_slope(void **state)
{
  (void)state;
  lw_model *m = read_model(
      SLOPE("12", ", velocity: {linear: [-2*cos(0.5)*cos(a), -2*sin(0.5)*cos(a), 2*sin(a)]}"));
  const double a = 12 * pi / 180, t = 2 / (g * (sin(a) + 0.3 * cos(a)));
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 2);
    lwt_near(at_event(&r, "friction.c"), t, 1e-9, "time, %d", f);
    lwt_near(column(&r, "z.b"), t * sin(a), 1e-9, "height, %d", f);
    lwt_near(column(&r, "slip.c"), 0, 1e-15, "slip, %d", f);
    lwt_near(column(&r, "load.c"), 2 * g * cos(a), 1e-9, "load, %d", f);
    lwt_near(column(&r, "fz.friction.c"), 2 * g * sin(a) * sin(a), 1e-9, "friction, %d", f);
    lwt_near(column(&r, "state.c"), 3, 0, "sticks, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* from rest, on a slope of 25 degrees in a direction across the axes: down with g (sin - mu cos) */
static void a_block_slides_down_the_steepest_way(void **state)
{
  (void)state;
  lw_model *m = read_model(SLOPE("25", ""));
  const double a = 25 * pi / 180, s = 0.5 * g * (sin(a) - 0.3 * cos(a));
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 1);
    lwt_near(column(&r, "x.b"), s * cos(a) * cos(0.5), 1e-9, "x, %d", f);
    lwt_near(column(&r, "state.c"), 4, 0, "slides, %d", f);
    lwt_near(column(&r, "y.b"), s * cos(a) * sin(0.5), 1e-9, "y, %d", f);
    lwt_near(column(&r, "z.b"), -s * sin(a), 1e-9, "z, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* two feet on a table that is shaken, 0.8 sin 4t: slides with mu g, sticks where the speeds meet, and until the table
   has the acceleration mu g again; the feet share the load */
static void a_box_on_a_shaken_table_sticks_and_slips(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\nplanar: true\nbodies:\n  table: {mass: 5, inertia: 1}\n"
      "  box: {mass: 2, inertia: 0.1, pose: {at: [0, 0.1]}}\njoints:\n"
      "  s: {type: prismatic, parent: ground, child: table}\n"
      "  d: {type: driver, joint: s, value: 0.2*(1 - cos(4*t))}\ncontacts:\n"
      "  l: {body: box, at: [-0.2, -0.1], on: {plane: {body: table}}, friction: 0.25}\n"
      "  r: {body: box, at: [0.2, -0.1], on: {plane: {body: table}}, friction: 0.25}\n" ACCURATE);
  double meet = 0.25, most = 0.4;
  for (int i = 0; i < 60; i++) { /* 0.8 sin 4t = mu g t */
    const double t = 0.5 * (meet + most);
    if (0.8 * sin(4 * t) > 0.25 * g * t)
      meet = t;
    else
      most = t;
  }
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.2);
    lwt_near(column(&r, "vx.box"), 0.25 * g * 0.2, 1e-9, "slides along, %d", f);
    advance(&r, 0.7);
    lwt_near(at_event(&r, "friction.l"), meet, 1e-9, "sticks, %d", f);
    const double slips = acos(-0.25 * g / 3.2) / 4;
    lwt_near(r.log.t[r.log.n - 1], slips, 1e-9, "slips, %d", f);
    lwt_near(column(&r, "vx.box"), 0.8 * sin(4 * slips) - 0.25 * g * (0.7 - slips), 1e-9,
             "speed, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* it rolls after 2 v / (7 mu g), with 5/7 of its speed */
static void a_ball_rolls_at_five_sevenths_of_its_speed(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\nbodies:\n  ball: {solid: {sphere: {radius: 0.1, mass: 2}}, pose: "
                 "{at: [0, 0, 0.1]}, "
                 "velocity: {linear: [2.8, 2.1, 0]}}\ncontacts:\n"
                 "  c: {body: ball, radius: 0.1, on: {plane: {body: ground}}, friction: 0.3}\n"
                 "simulation: {rtol: 1e-12, atol: 1e-14}\n");
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    const double t = 7 / (7 * 0.3 * g);
    advance(&r, 0.5);
    lwt_near(at_event(&r, "friction.c"), t, 1e-9, "time, %d", f);
    lwt_near(column(&r, "vx.ball"), 2, 1e-9, "speed along x, %d", f);
    lwt_near(column(&r, "vy.ball"), 1.5, 1e-9, "speed along y, %d", f);
    lwt_near(column(&r, "x.ball"), 2.8 * t - 0.5 * 0.3 * g * 0.8 * t * t + 2 * (0.5 - t), 1e-9,
             "x, %d", f);
    lwt_near(column(&r, "slip.c"), 0, 1e-14, "slip, %d", f);
    lwt_near(column(&r, "fx.friction.c"), 0, 1e-9, "friction, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* Slip and speed are at an angle: the direction of slip stays, and the ball rolls with (5 v + 2 r w) / 7. */
static void a_spinning_ball_turns_aside(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\nbodies:\n  ball: {solid: {sphere: {radius: 0.1, mass: 2}}, pose: "
                 "{at: [0, 0, 0.1]}, "
                 "velocity: {linear: [2, 0, 0], angular: [-30, -5, 7]}}\ncontacts:\n"
                 "  c: {body: ball, radius: 0.1, on: {plane: {body: ground}}, friction: 0.3}\n"
                 "simulation: {rtol: 1e-12, atol: 1e-14}\n");
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.5);
    lwt_near(column(&r, "vx.ball"), (5 * 2 + 2 * 0.1 * -5) / 7, 1e-8, "x, %d", f);
    lwt_near(column(&r, "vy.ball"), 2 * 0.1 * 30 / 7, 1e-8, "y, %d", f);
    lwt_near(column(&r, "wz.ball"), 7, 1e-8, "spin, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* One impact: the friction stops the slip if it can, J = 2/7 m (v + ...), else it is mu times the normal impulse. */
static void friction_acts_in_impacts(void **state)
{
  (void)state;
  static const double mu[] = {0.5, 0.05};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "linkwork: 1\nplanar: true\nbodies:\n  ball: {mass: 2, inertia: 2*2*0.1^2/5, pose: "
             "{at: [0, 0.6]}, "
             "velocity: {linear: [1, 0], angular: 5}}\ncontacts:\n"
             "  c: {body: ball, radius: 0.1, on: {plane: {body: ground}}, friction: %g, "
             "restitution: 0.8}\n" ACCURATE,
             mu[i]);
    lw_model *m = read_model(text);
    const double v = sqrt(2 * g * 0.5), slip = 1 + 0.1 * 5, stop = 2 * 2.0 / 7 * slip,
                 most = mu[i] * 2 * 1.8 * v, J = fmin(stop, most);
    EACH_FORMULATION(f)
    {
      run r;
      begin(&r, m, f);
      advance(&r, 0.4);
      lwt_near(column(&r, "vx.ball"), 1 - J / 2, 1e-10, "speed, %d", f);
      lwt_near(r.log.drag, J, 1e-9, "impulse of friction, %d", f);
      lwt_near(column(&r, "state.c"), 0, 0, "open, %d", f);
      lwt_near(column(&r, "wz.ball"), 5 - J * 0.1 / (2 * 2 * 0.01 / 5), 1e-9, "spin, %d", f);
      lw_simulation_free(r.sim);
    }
    lw_model_free(m);
  }
}

/* at 65 degrees a ladder on a smooth wall needs mu = cot / 2 on the floor */
static void a_ladder_stands_if_the_floor_is_rough_enough(void **state)
{
  (void)state;
  const double cot = 1 / tan(65 * pi / 180);
  for (int i = 0; i < 2; i++) {
    char text[800];
    snprintf(text, sizeof text,
             "linkwork: 1\nplanar: true\nparameters: {a: 65 deg}\nbodies:\n"
             "  rod: {mass: 3, inertia: 3*2^2/12, pose: {at: [cos(a), sin(a)], orient: pi - "
             "a}}\ncontacts:\n"
             "  foot: {body: rod, at: [-1, 0], on: {plane: {body: ground}}, friction: %.17g}\n"
             "  head: {body: rod, at: [1, 0], on: {plane: {body: ground, normal: x}}}\n" ACCURATE,
             (i ? 0.499 : 0.501) * cot);
    lw_model *m = read_model(text);
    EACH_FORMULATION(f)
    {
      run r;
      begin(&r, m, f);
      advance(&r, 0.5);
      if (i)
        assert_true(column(&r, "slip.foot") > 1e-3);
      else
        lwt_near(column(&r, "load.head"), 1.5 * g * cot, 1e-9, "load on the wall, %d", f);
      if (!i) lwt_near(column(&r, "slip.foot"), 0, 1e-12, "it stands, %d", f);
      lw_simulation_free(r.sim);
    }
    lw_model_free(m);
  }
}

/* A wheel that rolls upright is a wheel with the mass m + J / r^2; on a slope it rolls while mu >= tan / 3. */
static void a_disc_rolls_down_a_slope(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\nparameters: {a: 20 deg}\nbodies:\n  w: {mass: 2, inertia: [1, 0.09, 1], pose: "
      "{at: [0.3*sin(a), 0, 0.3*cos(a)]}}\n"
      "contacts:\n  c: {body: w, disc: {radius: 0.3, axis: y}, on: {plane: {body: ground, normal: "
      "[sin(a), 0, cos(a)]}}, friction: 0.2}\n" ACCURATE);
  const double a = 20 * pi / 180, way = 0.5 * g * sin(a) / 1.5;
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 1);
    lwt_near(column(&r, "x.w"), 0.3 * sin(a) + way * cos(a), 1e-9, "x, %d", f);
    lwt_near(column(&r, "wy.w"), 2 * way / 0.3, 1e-8, "turns, %d", f);
    lwt_near(column(&r, "state.c"), 5, 0, "rolls, %d", f);
    lwt_near(column(&r, "slip.c"), 0, 1e-12, "slip, %d", f);
    lwt_near(column(&r, "load.c"), 2 * g * cos(a), 1e-9, "load, %d", f);
    lw_simulation_free(r.sim);
  }
  lw_model_free(m);
}

/* A coin that leans rolls in a curve: no slip, no loss, and the formulations agree. */
static void a_leaning_coin_rolls_without_loss(void **state)
{
  (void)state;
  lw_model *m = read_model("linkwork: 1\nbodies:\n  w: {solid: {cylinder: {radius: 0.3, length: "
                           "0.02, axis: y, mass: 2}}, "
                           "pose: {at: [0, 0, 0.3*cos(0.1)], orient: {rpy: [0.1, 0, 0]}}, "
                           "velocity: {linear: [2.4, 0, 0], angular: "
                           "[0, 8*cos(0.1), 8*sin(0.1)]}}\ncontacts:\n"
                           "  c: {body: w, disc: {radius: 0.3, axis: y}, on: {plane: {body: "
                           "ground}}, friction: 0.9}\n" ACCURATE);
  double x[4] = {0}, y[4] = {0};
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0);
    const double E = column(&r, "energy.total");
    advance(&r, 1);
    x[f] = column(&r, "x.w"), y[f] = column(&r, "y.w");
    lwt_near(column(&r, "energy.total"), E, 1e-8, "energy, %d", f);
    lwt_near(column(&r, "slip.c"), 0, 1e-12, "slip, %d", f);
    lwt_near(column(&r, "gap.c"), 0, 1e-12, "gap, %d", f);
    lwt_near(x[f], x[1], 1e-8, "x, %d", f);
    lwt_near(y[f], y[1], 1e-8, "y, %d", f);
    lw_simulation_free(r.sim);
  }
  assert_true(fabs(y[1]) > 0.1);
  lw_model_free(m);
}

/* A body on two walls slides along both, and stops on one of them while the other one holds it: it turns back there. */
static void a_body_between_walls_turns_back(void **state)
{
  (void)state;
  double y[3] = {0};
  lw_model *m = read_model(
      "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nbodies: {w: {mass: 1, inertia: 0.01}}\n"
      "joints: {J: {type: planar, parent: ground, child: w, q: [0, 0.3, 0]}}\ncontacts:\n"
      "  l: {body: w, at: [-0.1, 0], radius: 0.05, on: {plane: {body: ground, at: [-0.2, 0], "
      "normal: [1, "
      "0.3]}}, friction: 0.2}\n"
      "  r: {body: w, at: [0.1, 0], radius: 0.05, on: {plane: {body: ground, at: [0.2, 0], normal: "
      "[-1, "
      "0.3]}}, friction: 0.2}\n"
      "forces: {f: {type: force, body: w, force: [5*sin(5*t), 0]}}\n");
  EACH_FORMULATION(f)
  {
    run r;
    begin(&r, m, f);
    advance(&r, 0.6);
    y[f - LW_FORMULATION_TREE] = column(&r, "y.w");
    lwt_near(column(&r, "energy.error"), 0, 1e-7, "balance, %d", f);
    lwt_near(y[f - LW_FORMULATION_TREE], y[0], 1e-6, "height, %d", f);
    assert_true(column(&r, "gap.l") >= -1e-9 && column(&r, "gap.r") >= -1e-9);
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

/* A rod that leans forward and is pushed ahead of its centre: with tan(angle) = 2 friction above 4/3 digs its tip in, and
   no load is consistent with its sliding. */
static void the_rod_of_painleve_is_named(void **state)
{
  (void)state;
  static const double mu[2] = {1.3, 1.4};
  for (int k = 0; k < 2; k++) {
    char text[700];
    snprintf(
        text, sizeof text,
        "linkwork: 1\nplanar: true\nparameters: {a: atan(2)}\nbodies:\n"
        "  rod: {mass: 3, inertia: 1, pose: {at: [cos(a), sin(a)], orient: a},\n"
        "        velocity: {linear: [-1, 0]}}\n"
        "contacts:\n  tip: {body: rod, at: [-1, 0], on: {plane: {body: ground}}, friction: %g}\n"
        "simulation: {end: 0.01}\n",
        mu[k]);
    lw_model *m = read_model(text);
    EACH_FORMULATION(f)
    {
      lw_error err = {0};
      lw_simulation *sim =
          lw_simulation_new(m, &(lw_simulation_options){.formulation = (lw_formulation)f}, &err);
      double q[MOST], u[MOST];
      const lw_status status = lw_simulation_advance(sim, 0.001, q, u, &err);
      assert_int_equal(status == LW_OK, k == 0);
      if (k == 1 && !strstr(err.text, "friction of \"tip\"")) fail_msg("%s", err.text);
      if (k == 1) assert_non_null(strstr(err.text, "Painleve"));
      lw_simulation_free(sim);
    }
    lw_model_free(m);
  }
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
  refuse("contacts:\n  c: {body: a, friction: -0.1, on: {plane: {body: b}}}",
         "friction must not be negative");
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
      cmocka_unit_test(a_block_stops_on_a_slope),
      cmocka_unit_test(a_block_slides_down_the_steepest_way),
      cmocka_unit_test(a_box_on_a_shaken_table_sticks_and_slips),
      cmocka_unit_test(a_ball_rolls_at_five_sevenths_of_its_speed),
      cmocka_unit_test(a_spinning_ball_turns_aside),
      cmocka_unit_test(friction_acts_in_impacts),
      cmocka_unit_test(a_ladder_stands_if_the_floor_is_rough_enough),
      cmocka_unit_test(a_disc_rolls_down_a_slope),
      cmocka_unit_test(a_leaning_coin_rolls_without_loss),
      cmocka_unit_test(a_body_between_walls_turns_back),
      cmocka_unit_test(the_rod_of_painleve_is_named),
      cmocka_unit_test(wrong_contacts_are_refused_with_their_place),
  };
  return cmocka_run_group_tests_name("closed_form/contacts", tests, NULL, NULL);
}
