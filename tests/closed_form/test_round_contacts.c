/* SPDX-License-Identifier: Apache-2.0 */
/* Friction between spheres: rolling, sliding, sticking and impacts against textbook solutions, in
   all formulations, in space and in the plane. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 80 };
#define EACH_FORMULATION(f) for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)

typedef struct {
  const lw_model *m;
  lw_simulation *sim;
  lw_columns *c;
  double q[MOST], u[MOST], t, slips, leaves;
} run;

static int note(void *context, const lw_event_report *r, bool after)
{
  run *x = context;
  for (int i = 0; i < r->nevent && after; i++) {
    if (strcmp(r->names[i], "slip friction.c") == 0) x->slips = r->time;
    if (strcmp(r->names[i], "release c") == 0) x->leaves = r->time;
  }
  return 0;
}

static void begin_within(run *x, const lw_model *m, int f, double rtol)
{
  lw_error err = {0};
  const lw_simulation_options o = {.formulation = (lw_formulation)f, .rtol = rtol};
  *x = (run){.m = m, .slips = -1, .leaves = -1};
  x->sim = lw_simulation_new(m, &o, &err);
  x->c = lw_columns_new(m, NULL, &err);
  if (!x->sim || !x->c) fail_msg("%s", err.text);
  assert_true(lw_nq(m) <= MOST);
  lw_simulation_on_event(x->sim, note, x);
  lwt_ok(lw_columns_follow(x->c, x->sim, NULL));
}

static void begin(run *x, const lw_model *m, int f)
{
  begin_within(x, m, f, 1e-10);
}

static void advance(run *x, double t)
{
  lw_error err = {0};
  if (lw_simulation_advance(x->sim, t, x->q, x->u, &err) != LW_OK) fail_msg("%s", err.text);
  x->t = t;
}

static double column(const run *x, const char *name)
{
  double row[400];
  assert_true(lw_columns_count(x->c) <= 400);
  lwt_ok(lw_columns_row(x->c, x->t, x->q, x->u, row));
  for (int i = 0; i < lw_columns_count(x->c); i++)
    if (strcmp(lw_columns_name(x->c, i), name) == 0) return row[i];
  fail_msg("no column %s", name);
  return 0;
}

static void end(run *x)
{
  lw_columns_free(x->c);
  lw_simulation_free(x->sim);
}

/* ---- a ball on a ball ---- */

#define SPACE                                                                                      \
  "linkwork: 1\ngravity: [0, 0, -10]\nbodies: {b: {mass: 2, inertia: [0.072, 0.072, 0.072]}}\n"    \
  "joints: {f: {type: free, parent: ground, child: b, q: [1.3*sin(0.2)*cos(0.7), "                 \
  "1.3*sin(0.2)*sin(0.7), 1.3*cos(0.2), 1, 0, 0, 0]}}\n"
#define PLANE                                                                                      \
  "linkwork: 1\nplanar: true\ngravity: [0, -10]\nbodies: {b: {mass: 2, inertia: 0.072}}\n"         \
  "joints: {f: {type: free, parent: ground, child: b, q: [1.3*sin(0.2), 1.3*cos(0.2), 0]}}\n"
#define ON                                                                                         \
  "contacts: {c: {body: b, radius: 0.3, on: {sphere: {body: ground, radius: 1}}, friction: "

/* From rest it rolls with 7/10 m v^2 = m g L (cos a0 - cos a), the friction 2/7 m g sin a and the load
   m g (17 cos a - 10 cos a0) / 7. */
static void check_ball(const char *text, double mu, const char *height)
{
  lw_model *m = read_model(text);
  EACH_FORMULATION(f)
  {
    run x;
    begin(&x, m, f);
    advance(&x, 0.5);
    const double a = cos(0.2), c = column(&x, height) / 1.3;
    lwt_near(
        0.5 * 1.4 *
            (pow(column(&x, "vx.b"), 2) + pow(column(&x, "vy.b"), 2) + pow(column(&x, "vz.b"), 2)),
        13 * (a - c), 1e-8, "speed, %d", f);
    lwt_near(column(&x, "load.c"), 20 * (17 * c - 10 * a) / 7, 1e-7, "load, %d", f);
    lwt_near(column(&x, "slip.c"), 0, 1e-12, "slip, %d", f);
    advance(&x, 1.2);
    assert_true(x.slips > 0.5 && x.leaves > x.slips);
    lwt_near(column(&x, "gap.c") > 0.01, 1, 0, "gone, %d", f);
    const double gone = x.leaves, slips = x.slips;
    end(&x);
    begin(&x, m, f);
    advance(&x, slips);
    const double k = column(&x, height) / 1.3;
    lwt_near(2 * sqrt(1 - k * k), mu * (17 * k - 10 * a), 1e-7, "where it slips, %d", f);
    advance(&x, gone);
    lwt_near(column(&x, "gap.c"), 0, 1e-9, "gap where it leaves, %d", f);
    end(&x);
  }
  lw_model_free(m);
}

static void a_ball_rolls_down_a_ball_until_it_slips_and_leaves(void **state)
{
  (void)state;
  check_ball(SPACE ON "0.5}}\n", 0.5, "z.b");
  check_ball(PLANE ON "0.5}}\n", 0.5, "y.b");
}

/* A point slides on a sphere: w = v^2/(g R) obeys dw/da = 2 (sin a - mu cos a) + 2 mu w, and it leaves at
   w = cos a.  Where tan a < mu it stays. */
static void a_point_slides_down_a_ball_and_leaves_it(void **state)
{
  (void)state;
  const double mu = 0.3, A = -6 * mu / (1 + 4 * mu * mu), B = (4 * mu * mu - 2) / (1 + 4 * mu * mu);
  char text[600];
  for (int k = 0; k < 4; k++) {
    const bool planar = k % 2;
    const double from = k < 2 ? 0.5 : 0.29, w0 = A * sin(from) + B * cos(from);
    snprintf(text, sizeof text,
             planar
                 ? "linkwork: 1\nplanar: true\ngravity: [0, -10]\nbodies: {b: {mass: 2, inertia: "
                   "0.072}}\njoints: {f: {type: free, parent: ground, child: b, q: [sin(%g), "
                   "cos(%g), 0]}}\n%s"
                 : "linkwork: 1\ngravity: [0, 0, -10]\nbodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                   "joints: {f: {type: free, parent: ground, child: b, q: [0, -sin(%g), cos(%g), "
                   "1, 0, 0, 0]}}\n%s",
             from, from,
             "contacts: {c: {body: b, on: {sphere: {body: ground, radius: 1}}, friction: 0.3}}\n");
    lw_model *m = read_model(text);
    EACH_FORMULATION(f)
    {
      run x;
      begin(&x, m, f);
      advance(&x, 1.5);
      if (k >= 2) {
        lwt_near(column(&x, planar ? "y.b" : "z.b"), cos(from), 1e-12, "it stays, %d", f);
        end(&x);
        continue;
      }
      const double gone = x.leaves;
      assert_true(gone > 0 && x.slips < 0);
      end(&x);
      begin(&x, m, f);
      advance(&x, gone);
      const double c = column(&x, planar ? "y.b" : "z.b"), a = acos(c);
      lwt_near(A * sin(a) + B * c - w0 * exp(2 * mu * (a - from)), c, 1e-8, "where, %d %d", k, f);
      end(&x);
    }
    lw_model_free(m);
  }
}

/* A planet on an arm rolls round a sun, two turns and more: the axis is oblique, and friction spins it up first. */
static void a_planet_rolls_round_a_sun(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, 0, 0]\nbodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}, slide: "
      "{mass: 0.1, inertia: [0.01, 0.01, 0.01]}, p: {mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
      "joints:\n  A: {type: revolute, axis: [0.3, 0.2, 1], parent: ground, child: arm, u: 3}\n"
      "  S: {type: prismatic, axis: [1, 0, -0.3], parent: arm, child: slide}\n"
      "  P: {type: revolute, axis: [0.3, 0.2, 1], parent: slide, child: p, at: [1.3/sqrt(1.09), 0, "
      "-0.39/sqrt(1.09)]}\n"
      "contacts: {c: {body: p, radius: 0.3, on: {sphere: {body: ground, radius: 1}}, friction: "
      "0.9}}\n"
      "forces: {k: {type: joint_spring, joint: S, stiffness: 100, rest: -0.8}}\n");
  EACH_FORMULATION(f)
  {
    run x;
    begin(&x, m, f);
    advance(&x, 1);
    const double p = column(&x, "q.P"), a = column(&x, "q.A");
    lwt_near(column(&x, "state.c"), 5, 0, "rolls, %d", f);
    lwt_near(column(&x, "gap.c"), 0, 1e-9, "gap, %d", f);
    advance(&x, 6);
    assert_true(column(&x, "q.A") > 4 * 3.14159265);
    lwt_near(column(&x, "q.P") - p, (column(&x, "q.A") - a) / 0.3, 1e-7, "turns, %d", f);
    end(&x);
  }
  lw_model_free(m);
}

/* The friction of an impact ends the slip s with m s / 7 if it may, else it is mu times the normal impulse. */
static void friction_spins_colliding_balls(void **state)
{
  (void)state;
  char text[900];
  for (int planar = 0; planar < 2; planar++)
    for (int rough = 0; rough < 2; rough++) {
      const double mu = rough ? 0.9 : 0.1, J = 0.75 * cos(0.5235987755982988), s = 0.5,
                   T = fmin(s / 7, mu * J);
      snprintf(
          text, sizeof text,
          planar ? "linkwork: 1\nplanar: true\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: "
                   "0.004}, b: {mass: 1, inertia: 0.004}}\njoints: {fa: {type: free, parent: "
                   "ground, child: a, q: [-0.5, 0.1, 0], u: [0, 1, 0]}, fb: {type: free, parent: "
                   "ground, child: b}}\n%s friction: %g, restitution: 0.5}}\n"
                 : "linkwork: 1\ngravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [0.004, 0.004, "
                   "0.004]}, b: {mass: 1, inertia: [0.004, 0.004, 0.004]}}\njoints: {fa: {type: "
                   "free, parent: ground, child: a, q: [-0.5, 0.1, 0, 1, 0, 0, 0], u: [0, 0, 0, 1, "
                   "0, 0]}, fb: {type: free, parent: ground, child: b}}\n%s friction: %g, "
                   "restitution: 0.5}}\n",
          "contacts: {c: {body: a, radius: 0.1, on: {sphere: {body: b, radius: 0.1}},", mu);
      lw_model *m = read_model(text);
      EACH_FORMULATION(f)
      {
        run x;
        begin(&x, m, f);
        advance(&x, 1);
        /* n = (-cos 30, sin 30), the slip of a along (sin 30, cos 30) */
        const double h = sqrt(0.75);
        lwt_near(column(&x, "vx.b"), J * h + 0.5 * T, 1e-9, "vx %d %d %d", planar, rough, f);
        lwt_near(column(&x, "vy.b"), -0.5 * J + h * T, 1e-9, "vy %d %d %d", planar, rough, f);
        lwt_near(fabs(column(&x, "wz.b")), 0.1 * T / 0.004, 1e-9, "w %d %d %d", planar, rough, f);
        lwt_near(column(&x, "wz.a"), column(&x, "wz.b"), 1e-9, "both %d %d %d", planar, rough, f);
        end(&x);
      }
      lw_model_free(m);
    }
}

/* A wheel that spins is pressed with N on one at rest: mu N r brakes one and drives the other, until they roll. */
static void a_friction_drive_slips_until_it_rolls(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1]}, s: {mass: "
      "0.2}, b: {mass: 1, inertia: [0.3, 0.3, 0.3]}}\njoints:\n"
      "  A: {type: revolute, axis: y, parent: ground, child: a, u: 20}\n"
      "  S: {type: prismatic, axis: x, parent: ground, child: s, at: [0.5, 0, 0]}\n"
      "  B: {type: revolute, axis: y, parent: s, child: b}\n"
      "contacts: {c: {body: b, radius: 0.3, on: {sphere: {body: a, radius: 0.2}}, friction: 0.5}}\n"
      "forces: {N: {type: motor, joint: S, value: -10}}\n");
  EACH_FORMULATION(f)
  {
    run x;
    begin(&x, m, f);
    /* slip 0.2 * 20 falls by 5 (0.2^2/0.1 + 0.3^2/0.3) a second */
    const double rolls = 4 / (5 * (0.4 + 0.3));
    advance(&x, 0.5 * rolls);
    lwt_near(column(&x, "u.A"), 20 - 5 * 0.2 / 0.1 * 0.5 * rolls, 1e-8, "braked, %d", f);
    lwt_near(column(&x, "slip.c"), 2, 1e-8, "slip, %d", f);
    advance(&x, 2);
    lwt_near(column(&x, "u.A"), 20 - 10 * rolls, 1e-8, "A, %d", f);
    lwt_near(column(&x, "u.B"), -5 * rolls, 1e-8, "B, %d", f);
    end(&x);
  }
  lw_model_free(m);
}

/* The load of a ball grows until it slips, which was taken for a slip of no duration at tight tolerances. */
static void slips_that_begin_slowly_go_on(void **state)
{
  (void)state;
  lw_model *m = read_model(
      "linkwork: 1\ngravity: [0, 0, -10]\nbodies: {b: {mass: 2, inertia: [0.072, 0.072, 0.072]}}\n"
      "joints: {f: {type: free, parent: ground, child: b, q: [0, 0, 0.3, 1, 0, 0, 0], u: [0, "
      "1/0.3, 0, "
      "1, 0, 0]}}\ncontacts: {c: {body: b, radius: 0.3, on: {plane: {body: ground}}, friction: "
      "0.3}}\n"
      "forces: {t: {type: force, body: b, torque: [0, 7*t, 0.1]}}\n");
  for (int k = 8; k <= 12; k += 2) {
    run x;
    begin_within(&x, m, LW_FORMULATION_TREE, pow(10, -k));
    advance(&x, 0.6);
    /* T = 5/7 torque/r reaches 6 N at 0.36 s; then vdot = mu g */
    lwt_near(column(&x, "vx.b"), 1 + 0.5 * (5.0 / 7 * 7 / 0.3 / 2) * 0.36 * 0.36 + 3 * 0.24, 1e-6,
             "speed at 1e-%d", k);
    end(&x);
  }
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_rolls_down_a_ball_until_it_slips_and_leaves),
      cmocka_unit_test(a_point_slides_down_a_ball_and_leaves_it),
      cmocka_unit_test(a_planet_rolls_round_a_sun),
      cmocka_unit_test(friction_spins_colliding_balls),
      cmocka_unit_test(a_friction_drive_slips_until_it_rolls),
      cmocka_unit_test(slips_that_begin_slowly_go_on),
  };
  return cmocka_run_group_tests_name("closed_form/round_contacts", tests, NULL, NULL);
}
