/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of runs through hits, rest and release of limits and through sticking and slipping of dry friction
   agree with differences of whole runs, in every formulation; what has none is named. */
#include "linkwork/all.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40, PARAMETERS = 8 };

static lw_model *read_model(const char *text, const char *parameter, double shift)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", &err);
  if (s && parameter) {
    lw_model *m = lw_compile(s, &err);
    for (int k = 0; m && k < lw_nparameter(m); k++)
      if (strcmp(lw_parameter_name(m, k), parameter) == 0)
        lw_set_parameter(s, parameter, lw_parameter_value(m, k) + shift);
    lw_model_free(m);
  }
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

static int count(void *context, const lw_event_report *r, bool after)
{
  (void)r;
  *(int *)context += after;
  return 0;
}

/* coordinates and speeds at the end of a run by simulation alone; returns the number of events */
static int run(const char *text, const char *parameter, double shift, double end, double out[])
{
  lw_error err = {0};
  lw_model *m = read_model(text, parameter, shift);
  lw_simulation *sim =
      lw_simulation_new(m, &(lw_simulation_options){.rtol = 1e-12, .atol = 1e-13}, &err);
  if (!sim) fail_msg("%s", err.text);
  int events = 0;
  lw_simulation_on_event(sim, count, &events);
  if (lw_simulation_advance(sim, end, out, out + lw_nq(m), &err) != LW_OK) fail_msg("%s", err.text);
  lw_simulation_free(sim);
  lw_model_free(m);
  return events;
}

/* of fourth order, with steps that keep the events */
static void differences(const char *text, const char *parameter, double h, double end, int n,
                        int events, double d[])
{
  static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  memset(d, 0, (size_t)n * sizeof *d);
  for (int k = 0; k < 4; k++) {
    double y[MOST];
    assert_int_equal(run(text, parameter, place[k] * h, end, y), events);
    for (int i = 0; i < n; i++)
      d[i] += weight[k] * y[i] / (12 * h);
  }
}

/* coordinates and speeds of joints: the states behind the coordinates belong to the friction of contacts */
static int take_motion(const lw_model *m, const double q[], const double u[], double out[])
{
  int nq = 0;
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info i = lw_get_joint(m, (lw_joint){j});
    nq += i.cut ? 0 : i.nq;
  }
  memcpy(out, q, (size_t)nq * sizeof *out);
  memcpy(out + nq, u, (size_t)lw_nu(m) * sizeof *out);
  return nq + lw_nu(m);
}

/* by one formulation, against what differences of runs say */
static void compare_formulation(const lw_model *m, lw_formulation f, double end,
                                double want[][MOST])
{
  lw_error err = {0};
  const lw_sensitivity_options o = {.simulation = {.formulation = f, .rtol = 1e-11, .atol = 1e-13}};
  lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, &o, &err);
  if (!s) fail_msg("%s", err.text);
  double q[MOST], u[MOST], dq[MOST * PARAMETERS], du[MOST * PARAMETERS], got[MOST], right[MOST];
  if (lw_sensitivity_advance(s, end, q, u, dq, du, &err) != LW_OK)
    fail_msg("formulation %d: %s", (int)f, err.text);
  for (int k = 0; k < lw_sensitivity_nparameter(s); k++) {
    take_motion(m, dq + k * lw_nq(m), du + k * lw_nu(m), got);
    const int n = take_motion(m, want[k], want[k] + lw_nq(m), right);
    lwt_close(got, right, n, 1e-6, 1 + lwt_scale(right, n), "formulation %d, by %s", (int)f,
              lw_parameter_name(m, lw_sensitivity_parameter(s, k)));
  }
  lw_sensitivity_free(s);
}

static void compare(const char *text, double end, int least)
{
  double y[MOST], want[PARAMETERS][MOST];
  lw_model *m = read_model(text, NULL, 0);
  const int n = lw_nq(m) + lw_nu(m), events = run(text, NULL, 0, end, y);
  assert_true(n <= MOST && events >= least);
  assert_true(lw_nsensitivity(m) > 0 && lw_nsensitivity(m) <= PARAMETERS);
  for (int k = 0; k < lw_nsensitivity(m); k++)
    differences(text, lw_parameter_name(m, lw_get_sensitivity(m, k)), 1e-4, end, n, events,
                want[k]);
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)
    compare_formulation(m, (lw_formulation)f, end, want);
  lw_model_free(m);
}

#define ARMS(a, more)                                                                              \
  "linkwork: 1\ngravity: [0, -9.81, 0]\nparameters: {e: 0.5, h: -0.3, m: 2, v: 1, F: 3, Fs: 4, "   \
  "k: 9, w: 3}\n"                                                                                  \
  "bodies:\n  a: {mass: m, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.2]}\n"                          \
  "  b: {mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                   \
  "joints:\n  A: {parent: ground, child: a, " a "}\n"                                              \
  "  B: {type: revolute, parent: a, child: b, at: [1, 0, 0], q: 0.3}\n" more

static void a_limit_is_hit_and_hit_again(void **state)
{
  (void)state;
  compare(ARMS("type: revolute, q: 0.2, u: v, limits: {lower: h, restitution: e}",
               "sensitivity: {parameters: [e, h, m, v]}\n"),
          0.8, 2);
}

static void a_limit_is_hit_and_kept(void **state)
{
  (void)state;
  compare(ARMS("type: revolute, q: 0.2, u: v, limits: {lower: h}",
               "sensitivity: {parameters: [h, m, v]}\n"),
          0.8, 1);
}

static void a_limit_is_left_and_hit_again(void **state)
{
  (void)state;
  compare(ARMS("type: revolute, q: h, limits: {lower: h}",
               "forces: {f: {type: motor, joint: A, value: 30*sin(w*t)}}\n"
               "sensitivity: {parameters: [h, m, w]}\n"),
          1.6, 2);
}

static void a_limit_with_friction_is_left(void **state)
{
  (void)state;
  compare(ARMS("type: revolute, q: h, limits: {lower: h}, friction: {load: F/6, static: Fs/4}",
               "forces: {f: {type: motor, joint: A, value: 30*sin(w*t)}}\n"
               "sensitivity: {parameters: [h, m, F, Fs, w]}\n"),
          1.3, 2);
}

static void a_slide_comes_to_rest(void **state)
{
  (void)state;
  compare(ARMS("type: prismatic, axis: x, u: 4*v, friction: {load: F, static: Fs}",
               "forces: {f: {type: motor, joint: A, value: -k*sin(3*t)}}\n"
               "sensitivity: {parameters: [F, Fs, m, v, k]}\n"),
          3, 1);
}

static void a_slide_sticks_and_slips(void **state)
{
  (void)state;
  compare("linkwork: 1\ngravity: [0, 0, 0]\nparameters: {F: 2, Fs: 2.6, m: 2, a: 3, w: 2}\n"
          "bodies: {a: {mass: m, inertia: [0.1, 0.1, 0.2]}, b: {mass: 1, com: [0.3, 0, 0], "
          "inertia: [0.1, 0.1, 0.1]}}\n"
          "joints:\n  S: {type: prismatic, parent: ground, child: a, axis: x, friction: {load: F, "
          "static: Fs}}\n"
          "  B: {type: revolute, parent: a, child: b, u: 1}\n"
          "forces: {m: {type: motor, joint: S, value: a*sin(w*t)}}\n"
          "sensitivity: {parameters: [F, Fs, m, a, w]}\n",
          4, 4);
}

/* a four-bar with a brake on the crank that sticks, slips and sticks, and a stop on the rocker, which closes the loop */
static void a_loop_with_a_brake(void **state)
{
  (void)state;
  compare(
      "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {F: 1.5, L: 1, m: 1}\nbodies:\n"
      "  a: {solid: {rod: {length: 0.4, mass: m, axis: x}}}\n  b: {solid: {rod: {length: L, mass: "
      "1, axis: x}}}\n"
      "  c: {solid: {rod: {length: 0.8, mass: 1, axis: x}}}\njoints:\n"
      "  A: {type: revolute, parent: ground, child: a, q: 60 deg, hold: true, u: 0, friction: "
      "{load: F, static: 1.2*F}}\n"
      "  B: {type: revolute, parent: a, child: b, at: [0.4, 0], q: -40 deg}\n"
      "  C: {type: revolute, parent: b, child: c, at: [L, 0], q: 70 deg}\n"
      "  D: {type: revolute, parent: ground, child: c, at: [1, 0], child_at: [0.8, 0]}\n"
      "forces: {f: {type: motor, joint: A, value: 12*sin(4*t)}}\n"
      "sensitivity: {parameters: [F, L, m]}\n",
      1.4, 3);
}

static void limits_of_joints_with_several_freedoms(void **state)
{
  (void)state;
  compare(ARMS("type: universal, axis: z, axis2: x, u: [v, 1], limits: [{lower: h, restitution: "
               "e}, {upper: 0.2}]",
               "sensitivity: {parameters: [e, h, m, v]}\n"),
          0.6, 2);
}

/* ---- contacts ---- */

/* the tip of the second arm on a floor that is inclined by g */
#define FLOOR(restitution)                                                                         \
  "contacts:\n  C: {body: b, at: [0.6, 0, 0], radius: 0.05*m, restitution: " restitution ", "      \
  "on: {plane: {body: ground, at: [0, h, 0], normal: [0.1*w, 1, 0]}}}\n"

static void a_floor_is_hit_and_hit_again(void **state)
{
  (void)state;
  compare(ARMS("type: revolute, q: 0.2, u: v",
               FLOOR("e") "sensitivity: {parameters: [e, h, m, v, w]}\n"),
          0.9, 2);
}

static void a_floor_is_hit_and_kept(void **state)
{
  (void)state;
  compare(
      ARMS("type: revolute, q: 0.2, u: v", FLOOR("0") "sensitivity: {parameters: [h, m, v, w]}\n"),
      0.6, 1);
}

static void a_floor_is_left_and_hit_again(void **state)
{
  (void)state;
  compare(ARMS("type: revolute, q: 0.2, u: v",
               FLOOR("0") "forces: {f: {type: motor, joint: B, value: 12*sin(w*t)}}\n"
                          "sensitivity: {parameters: [h, m, w]}\n"),
          1.6, 3);
}

static void a_rope_becomes_taut_and_goes_slack(void **state)
{
  (void)state;
  compare(
      "linkwork: 1\ngravity: [0, -9.81, 0]\nparameters: {L: 1, m: 2, v: 3, e: 0.3}\n"
      "bodies:\n  a: {mass: m, inertia: [0.1, 0.1, 0.2], com: [0.1, 0.1, 0]}\n"
      "joints:\n  F: {type: planar, parent: ground, child: a, q: [0.3, 0.6, 0.1], u: [v, 1, 1]}\n"
      "  R: {type: rope, parent: ground, child: a, child_at: [0, 0.2, 0], length: L, restitution: "
      "e}\n"
      "sensitivity: {parameters: [L, m, v, e]}\n",
      0.9, 2);
}

static void balls_and_a_disc_collide(void **state)
{
  (void)state;
  compare(
      "linkwork: 1\ngravity: [0, 0, -9.81]\nparameters: {r: 0.1, m: 2, v: 3, e: 0.7}\nbodies:\n"
      "  a: {mass: m, inertia: [0.1, 0.1, 0.1]}\n  b: {mass: 1, inertia: [0.2, 0.1, "
      "0.3]}\njoints:\n"
      "  A: {type: revolute, parent: ground, child: a, child_at: [0, 0, 0.5], axis: y, q: 0.6, u: "
      "-v}\n"
      "  B: {type: universal, parent: ground, child: b, at: [0.3, 0.04, 0], child_at: [0, 0, 0.5], "
      "axis: x, axis2: y}\n"
      "contacts:\n  C: {body: a, radius: r, on: {sphere: {body: b, radius: 0.1}}, restitution: e}\n"
      "  D: {body: b, disc: {radius: 2*r, axis: z}, on: {plane: {body: ground, at: [0.8, 0, 0], "
      "normal: [-1, 0, 0.1]}}, restitution: 0.5}\n"
      "sensitivity: {parameters: [r, m, v, e]}\n",
      0.6, 2);
}

/* a ball that bounces on a compliant ground, and slides there */
static void a_compliant_contact_is_hit_and_left(void **state)
{
  (void)state;
  compare("linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {k: 3e3, mu: 0.3, r: 0.1}\n"
          "bodies:\n  b: {mass: 1, inertia: 0.004}\n"
          "joints:\n  J: {type: free, parent: ground, child: b, q: [0, 0.2, 0], u: [1, 0, 5]}\n"
          "contacts:\n  C: {body: b, radius: r, on: {plane: {body: ground, normal: y}},\n"
          "      stiffness: k, damping: 0.2, friction: mu, slip_speed: 0.05}\n"
          "sensitivity: {parameters: [k, mu, r]}\n",
          0.3, 0);
}

/* ---- contacts with friction ---- */

/* a sled on an incline: it hits, slides, turns, sticks and slips */
static void a_sled_hits_slides_sticks_and_slips(void **state)
{
  (void)state;
  compare("linkwork: 1\nplanar: true\ngravity: [0, -9.81]\n"
          "parameters: {mu: 0.4, m: 2, v: 1.5, F: 12, k: 0.1}\n"
          "bodies: {a: {mass: 0.5, inertia: 0.1}, b: {mass: m, inertia: 0.1}}\njoints:\n"
          "  X: {type: prismatic, axis: x, parent: ground, child: a, u: v}\n"
          "  Y: {type: prismatic, axis: y, parent: a, child: b, q: 0.15}\n"
          "contacts:\n  C: {body: b, at: [-0.3, -0.1], on: {plane: {body: ground, normal: [k, "
          "1]}}, friction: mu}\n"
          "forces: {f: {type: force, body: b, force: [F*sin(4*t), 0]}}\n"
          "sensitivity: {parameters: [mu, v, k]}\n",
          2, 4);
}

/* a rod falls on one end, which slides, then on the other while the first one is pushed into the ground */
static void a_rod_lands_on_both_ends(void **state)
{
  (void)state;
#define ROD                                                                                        \
  "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {mu: 0.3, m: 1, l: 1, a: 0.6, e: "  \
  "0.4}\n"                                                                                         \
  "bodies: {b: {mass: m, inertia: m*l^2/12}}\n"                                                    \
  "joints: {J: {type: planar, parent: ground, child: b, q: [0, 0.9, a]}}\ncontacts:\n"
#define END(name, at, e)                                                                           \
  "  " name ": {body: b, at: [" at                                                                 \
  ", 0], on: {plane: {body: ground, normal: y}}, friction: mu, restitution: " e "}\n"
  compare(ROD END("P", "-l/2", "0") END("R", "l/2", "0") "sensitivity: {parameters: [mu, l, a]}\n",
          0.6, 3);
  compare(ROD END("P", "-l/2", "e")
              END("R", "l/2", "e") "sensitivity: {parameters: [mu, l, a, e]}\n",
          0.6, 3);
}

/* in space: a ball with spin bounces, slides and rolls on a plane that depends on a parameter */
static void a_ball_slides_and_rolls(void **state)
{
  (void)state;
#define BALL(end)                                                                                  \
  "linkwork: 1\ngravity: [0.3, 0, -9.81]\nparameters: {mu: 0.25, v: 2, w: 10, e: 0.3, r: 0.1, k: " \
  "0.05}\n"                                                                                        \
  "bodies: {b: {mass: 0.5, inertia: [0.2*r^2, 0.2*r^2, 0.2*r^2]}}\n"                               \
  "joints: {J: {type: free, parent: ground, child: b, q: [0, 0, 0.2, 1, 0, 0, 0], u: [w, 5, 3, "   \
  "v, "                                                                                            \
  "0.5, 0]}}\n"                                                                                    \
  "contacts: {C: {body: b, radius: r, on: {plane: {body: ground, normal: [k, 0, 1]}}, " end "}}\n"
  compare(BALL("friction: mu") "sensitivity: {parameters: [mu, k]}\n", 0.3, 2);
  compare(BALL("friction: 0.1*mu, restitution: e") "sensitivity: {parameters: [e]}\n", 0.25, 2);
}

/* on a table that a parameter moves: a point slides in two directions, sticks and slips */
static void a_point_slides_on_a_moving_table(void **state)
{
  (void)state;
  compare("linkwork: 1\ngravity: [0, 0, -9.81]\nparameters: {mu: 0.3, m: 2, v: 0.6, A: 0.2, w: 5}\n"
          "bodies: {t: {mass: 5}, a: {mass: 0.1}, c: {mass: 0.1}, b: {mass: m}}\njoints:\n"
          "  T: {type: prismatic, axis: x, parent: ground, child: t}\n"
          "  X: {type: prismatic, axis: x, parent: ground, child: a, u: v}\n"
          "  Y: {type: prismatic, axis: y, parent: a, child: c, u: 0.5}\n"
          "  Z: {type: prismatic, axis: z, parent: c, child: b}\n"
          "  D: {type: driver, joint: T, value: A*(1 - cos(w*t))}\n"
          "contacts: {C: {body: b, on: {plane: {body: t, normal: [0.05, 0, 1]}}, friction: mu}}\n"
          "sensitivity: {parameters: [A]}\n",
          0.5, 4);
}

/* rolls down a sphere, slips, leaves it; balls hit each other with friction, one that stops the slip and one that
   does not */
static void balls_roll_slip_and_spin_on_balls(void **state)
{
  (void)state;
  compare(
      "linkwork: 1\ngravity: [0, 0, -10]\nparameters: {mu: 0.5, a: 0.5, r: 0.3}\n"
      "bodies: {b: {mass: 2, inertia: [0.07, 0.072, 0.075]}}\njoints: {f: {type: free, parent: "
      "ground, child: b, q: [(1 + r)*sin(a), 0, (1 + r)*cos(a), 1, 0, 0, 0]}}\n"
      "contacts: {C: {body: b, radius: r, on: {sphere: {body: ground, radius: 1}}, friction: mu}}\n"
      "sensitivity: {parameters: [mu, a, r]}\n",
      0.7, 2);
  static const char *const hit =
      "linkwork: 1\ngravity: [0, 0, 0]\nparameters: {mu: %g, w: 2, y: 0.1}\nbodies: {a: {mass: 1, "
      "inertia: [0.004, 0.004, 0.004]}, b: {mass: 1, inertia: [0.004, 0.005, 0.004]}}\njoints: "
      "{fa: "
      "{type: free, parent: ground, child: a, q: [-0.5, y, 0, 1, 0, 0, 0], u: [0, 0, 0, 1, 0, 0]}, "
      "fb: "
      "{type: free, parent: ground, child: b, u: [0.3, w, 1, 0, 0, 0.2]}}\ncontacts: {C: {body: a, "
      "radius: 0.1, on: {sphere: {body: b, radius: 0.1}}, friction: mu, restitution: 0.5}}\n"
      "sensitivity: {parameters: [mu, w, y]}\n";
  for (int k = 0; k < 2; k++) {
    char text[1000];
    snprintf(text, sizeof text, hit, k ? 0.9 : 0.1);
    compare(text, 0.6, 1);
  }
}

static void bearings_with_friction_of_their_own_load(void **state)
{
  (void)state;
#define PINS(more)                                                                                 \
  "linkwork: 1\ngravity: [0, 0, -9.81]\nparameters: {mu: 0.4, r: 0.03, l: 0.2, m: 2, F: 9}\n"      \
  "bodies:\n  a: {mass: m, com: [0.3, 0, 0.1], inertia: [0.1, 0.1, 0.2]}\n"                        \
  "  b: {mass: 1, com: [0.3, 0.1, 0], inertia: [0.1, 0.1, 0.1]}\njoints:\n"                        \
  "  A: {type: revolute, axis: z, parent: ground, child: a, u: 2, friction: {coefficient: mu, "    \
  "static_coefficient: 1.3*mu, radius: r, length: l, thrust_radius: 0.5*r}" more "}\n"             \
  "  B: {type: revolute, axis: z, parent: a, child: b, at: [0.6, 0, 0], q: 0.3, friction: "        \
  "{coefficient: 0.5*mu, radius: r, thrust_radius: r}}\n"                                          \
  "forces: {f: {type: motor, joint: A, value: F*sin(5*t)}}\n"                                      \
  "sensitivity: {parameters: [mu, l, F]}\n"
  compare(PINS(""), 1.6, 3);
  compare(PINS(", limits: {lower: -0.1, upper: 0.35}"), 1.3, 3);
}

/* ---- what has no derivative ---- */

static void refuse(const char *text, double end, const char *why)
{
  lw_error err = {0};
  lw_model *m = read_model(text, NULL, 0);
  lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, NULL, &err);
  double q[MOST], u[MOST];
  if (!s) fail_msg("%s", err.text);
  assert_true(lw_sensitivity_advance(s, end, q, u, NULL, NULL, &err) != LW_OK);
  if (!strstr(err.text, why)) fail_msg("%s", err.text);
  lw_sensitivity_free(s);
  lw_model_free(m);
}

#define SLIDE(rest)                                                                                \
  "linkwork: 1\ngravity: [0, 0, 0]\nparameters: {p: 2}\nbodies: {m: {mass: p, inertia: [1, 1, "    \
  "1]}}\n"                                                                                         \
  "joints: {S: {type: prismatic, parent: ground, child: m, " rest                                  \
  "\nsensitivity: {parameters: [p]}\n"

static void what_has_no_derivative_is_named(void **state)
{
  (void)state;
  refuse(SLIDE("friction: {load: 1, static: 2}}}\nforces: {f: {type: motor, joint: S, value: "
               "\"if(t > 0.5, 3, 0)\"}}"),
         1, "jumps");
  refuse("linkwork: 1\ngravity: [0, 0, 0]\nparameters: {p: 2}\nbodies: {m: {mass: p}, n: {mass: "
         "1}}\njoints:\n"
         "  S: {type: prismatic, parent: ground, child: m, u: 1, limits: {upper: 0.5}}\n"
         "  T: {type: prismatic, parent: ground, child: n, u: 1, limits: {upper: 0.25*p}}\n"
         "sensitivity: {parameters: [p]}\n",
         1, "comes at the same time");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_limit_is_hit_and_hit_again),
      cmocka_unit_test(a_limit_is_hit_and_kept),
      cmocka_unit_test(a_limit_is_left_and_hit_again),
      cmocka_unit_test(a_limit_with_friction_is_left),
      cmocka_unit_test(a_slide_comes_to_rest),
      cmocka_unit_test(a_slide_sticks_and_slips),
      cmocka_unit_test(a_loop_with_a_brake),
      cmocka_unit_test(limits_of_joints_with_several_freedoms),
      cmocka_unit_test(a_floor_is_hit_and_hit_again),
      cmocka_unit_test(a_floor_is_hit_and_kept),
      cmocka_unit_test(a_floor_is_left_and_hit_again),
      cmocka_unit_test(a_rope_becomes_taut_and_goes_slack),
      cmocka_unit_test(balls_and_a_disc_collide),
      cmocka_unit_test(a_compliant_contact_is_hit_and_left),
      cmocka_unit_test(a_sled_hits_slides_sticks_and_slips),
      cmocka_unit_test(a_rod_lands_on_both_ends),
      cmocka_unit_test(a_ball_slides_and_rolls),
      cmocka_unit_test(a_point_slides_on_a_moving_table),
      cmocka_unit_test(balls_roll_slip_and_spin_on_balls),
      cmocka_unit_test(bearings_with_friction_of_their_own_load),
      cmocka_unit_test(what_has_no_derivative_is_named),
  };
  return cmocka_run_group_tests_name("identity/sensitivity_stops", tests, NULL, NULL);
}
