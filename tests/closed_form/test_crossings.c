/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of random kinds on motions that are known: a rotor at constant speed, a thrown ball, an oscillator, and
   a body that is carried in a circle.  Where they cross zero is found by dense sampling of closed forms; the
   simulation must report the same crossings, in the same order, at the same times, whatever the formulation, the
   integrator, the tolerance and the output step. */
#include "linkwork/file.h"
#include "linkwork/events.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, TRIGGERS = 4, SAMPLES = 40000 };
static const double end = 2, rate = 2.3, angle = 0.4, gravity = 9.81; /* of the rotor */
static const double amplitude = 0.7, omega = 6, arm = 0.5, mass = 3;
static const double thrown[3] = {1.5, -0.7, 8}, from[3] = {-1, 0.5, 0};

static const char *const model =
    "linkwork: 1\n"
    "bodies:\n"
    "  rotor: {mass: 3, com: [0.5, 0, 0], inertia: [1, 1, 1]}\n"
    "  tip: {mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6]}\n"
    "  ball: {mass: 2, inertia: [1, 1, 1], pose: {at: [-1, 0.5, 0]},\n"
    "         velocity: {linear: [1.5, -0.7, 8], angular: [0, 0, 5]}}\n"
    "  block: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  R: {type: revolute, parent: ground, child: rotor, q: 0.4, u: 2.3}\n"
    "  T: {type: fixed, parent: rotor, child: tip, at: [0.5, 0, 0]}\n"
    "  H: {type: prismatic, parent: ground, child: block, axis: x, q: 0.7, at: [0, 3, 0]}\n"
    "forces: {s: {type: joint_spring, joint: H, stiffness: 36}}\n";

/* ---- expressions ---- */

typedef enum {
  POLYNOMIAL,
  WAVE,
  BUMP,
  RECTIFIED,
  COSINE,
  CIRCLE,
  PULL,
  HEIGHT,
  DISTANCE,
  FALL,
  SPRING,
  PRODUCT,
  KINDS,
  OF_TIME = COSINE, /* those before depend on nothing else */
  OF_SPIN = HEIGHT  /* those before are exact for a method of any order in the angle of the rotor */
} kind;

typedef struct {
  kind kind;
  double p[4];
  int direction; /* 0: both; 1: rising; 2: falling */
  char text[300];
} expression;

static double value(const expression *e, double t)
{
  const double *p = e->p, q = angle + rate * t;
  const double x = from[0] + thrown[0] * t, y = from[1] + thrown[1] * t;
  const double z = from[2] + thrown[2] * t - 0.5 * gravity * t * t;
  switch (e->kind) {
  case POLYNOMIAL: return (t - p[0]) * (t - p[1]) * (t - p[2]);
  case WAVE: return sin(p[0] * t + p[1]);
  case BUMP: return exp(-p[0] * (t - p[1]) * (t - p[1])) - p[2];
  case RECTIFIED: return fmin(fabs(sin(p[0] * t)) - p[2], 1.5 - t);
  case COSINE: return cos(q) - p[2];
  case CIRCLE: return arm * sin(q) - arm * p[2];
  case PULL:
    return mass * arm * rate * rate * cos(q) / 10 - p[2]; /* up to 1 % for the tip's mass */
  case HEIGHT: return z - p[3];
  case DISTANCE:
    return (x - p[0]) * (x - p[0]) + (y - p[1]) * (y - p[1]) + (z - p[3]) * (z - p[3]) - 0.3;
  case FALL: return thrown[2] - gravity * t - 8 * p[2];
  case SPRING: return amplitude * cos(omega * t) - amplitude * p[2];
  default: return -0.5 * amplitude * amplitude * omega * sin(2 * omega * t) - p[2];
  }
}

static void write_text(expression *e)
{
  const double *p = e->p;
  char *s = e->text;
  const size_t n = sizeof e->text;
  switch (e->kind) {
  case POLYNOMIAL: snprintf(s, n, "(t - %.17g)*(t - %.17g)*(t - %.17g)", p[0], p[1], p[2]); break;
  case WAVE: snprintf(s, n, "sin(%.17g*t + %.17g)", p[0], p[1]); break;
  case BUMP: snprintf(s, n, "exp(-%.17g*(t - %.17g)^2) - %.17g", p[0], p[1], p[2]); break;
  case RECTIFIED: snprintf(s, n, "min(abs(sin(%.17g*t)) - %.17g, 1.5 - t)", p[0], p[2]); break;
  case COSINE: snprintf(s, n, "cos(q.R) - %.17g", p[2]); break;
  case CIRCLE: snprintf(s, n, "y.tip - 0.5*%.17g", p[2]); break;
  case PULL:
    snprintf(s, n, "-fx.R/%.17g*%.17g - %.17g", 3 * 0.5 + 1e-3 * 0.5, mass * arm / 10, p[2]);
    break;
  case HEIGHT: snprintf(s, n, "z.ball - %.17g", p[3]); break;
  case DISTANCE:
    snprintf(s, n, "(x.ball - %.17g)^2 + (y.ball - %.17g)^2 + (z.ball - %.17g)^2 - 0.3", p[0], p[1],
             p[3]);
    break;
  case FALL: snprintf(s, n, "vz.ball - 8*%.17g", p[2]); break;
  case SPRING: snprintf(s, n, "q.H - 0.7*%.17g", p[2]); break;
  default: snprintf(s, n, "q.H*u.H - %.17g", p[2]); break;
  }
}

static expression random_expression(lwt_random *r, int kinds)
{
  expression e = {.kind = (kind)lwt_pick(r, kinds)};
  const double near = pow(10, lwt_uniform(r, -4, 0));
  e.p[0] = lwt_uniform(r, 0.1, end);
  e.p[1] = e.p[0] + near;
  e.p[2] = lwt_uniform(r, -0.99, 0.99);
  e.p[3] = lwt_uniform(r, -3, 3.25);
  if (e.kind == POLYNOMIAL) e.p[2] = lwt_uniform(r, 0.1, 3);
  if (e.kind == WAVE || e.kind == RECTIFIED) e.p[0] = pow(10, lwt_uniform(r, 0, 1.9));
  if (e.kind == BUMP) e.p[0] = pow(10, lwt_uniform(r, 1, 6)), e.p[1] = lwt_uniform(r, 0.1, 1.9);
  if (e.kind == BUMP || e.kind == RECTIFIED) e.p[2] = lwt_uniform(r, 0.05, 0.95);
  if (e.kind == DISTANCE) { /* about a place on its way, seldom hit */
    const double t = e.p[0];
    e.p[3] = from[2] + thrown[2] * t - 0.5 * gravity * t * t + lwt_uniform(r, -0.8, 0.8);
    e.p[0] = from[0] + thrown[0] * t + lwt_uniform(r, -0.3, 0.3);
    e.p[1] = from[1] + thrown[1] * t;
  }
  if (e.kind == COSINE && lwt_pick(r, 2)) e.p[2] = 1 - 1e-3 * near;
  e.direction = lwt_pick(r, 3);
  write_text(&e);
  return e;
}

/* ---- what is right ---- */

typedef struct {
  double time, slope;
  int which;
} crossing;

typedef struct {
  int n;
  crossing at[MOST];
} crossings;

static crossing locate(const expression *e, double a, double b, int which)
{
  const double g_b = value(e, b);
  for (int i = 0; i < 80; i++) {
    const double c = 0.5 * (a + b);
    if ((value(e, c) > 0) == (g_b > 0))
      b = c;
    else
      a = c;
  }
  const double h = 1e-6;
  return (crossing){b, (value(e, b + h) - value(e, b - h)) / (2 * h), which};
}

/* False: zero is touched, or crossed so slowly that the answer depends on the accuracy. */
static bool find_crossings(const expression *e, int which, double accuracy, crossings *c)
{
  const double h = end / SAMPLES;
  double before = value(e, 0), now = value(e, h);
  if (fabs(before) < 1e-3) return false;
  for (int i = 2; i <= SAMPLES + 1; i++) {
    const double next = value(e, i * h);
    const bool peak = (now - before) * (next - now) <= 0;
    if (peak && fabs(now) < fmax(100 * accuracy, 2e-5)) return false;
    if ((before > 0) != (now > 0)) {
      const crossing x = locate(e, (i - 2) * h, (i - 1) * h, which);
      const bool counts = e->direction == 0 || (e->direction == 1) == (now > 0);
      if (c->n == MOST) return false;
      if (counts && x.time < end) c->at[c->n++] = x;
      if (fabs(x.slope) < 1e-3 || fabs(x.time - end) < 1e-4) return false;
    }
    before = now;
    now = next;
  }
  return true;
}

static int compare(const void *a, const void *b)
{
  const crossing *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

static bool are_apart(const crossings *c)
{
  for (int i = 1; i < c->n; i++)
    if (c->at[i].time - c->at[i - 1].time < 1e-5) return false;
  return true;
}

/* ---- what is reported ---- */

static int note(void *context, const lw_event_report *r, bool after)
{
  crossings *c = context;
  if (!after) return 0;
  assert_int_equal(r->nevent, 1);
  if (c->n == MOST) return 1; /* far too many */
  c->at[c->n++] = (crossing){.time = r->time, .which = r->names[0][1] - '0'};
  return 0;
}

static lw_model *make(const expression e[], int n)
{
  static const char *const directions[] = {"both", "rising", "falling"};
  char text[6000];
  lw_error err = {0};
  int length = snprintf(text, sizeof text, "%sevents:\n", model);
  for (int i = 0; i < n; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  - {name: e%d, when: \"%s\", direction: %s,\n"
                       "     impulse: {body: ball, linear: [0, 0, 0]}}\n",
                       i, e[i].text, directions[e[i].direction]);
  snprintf(text + length, sizeof text - (size_t)length, "simulation: {end: 2}\n");
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", &err);
  if (!s) fail_msg("%s\n%s", err.text, text);
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s\n%s", err.text, text);
  lw_spec_free(s);
  return m;
}

static crossings run(const lw_model *m, const lw_simulation_options *o, double output_step,
                     const char *how)
{
  lw_error err = {0};
  crossings c = {0};
  lw_simulation *sim = lw_simulation_new(m, o, &err);
  if (!sim) fail_msg("%s", err.text);
  lw_simulation_on_event(sim, note, &c);
  for (double t = output_step; t < end; t += output_step)
    if (lw_simulation_advance(sim, t, NULL, NULL, &err) != LW_OK) break;
  if (err.status == LW_OK) lw_simulation_advance(sim, end, NULL, NULL, &err);
  if (err.status != LW_OK && err.status != LW_E_STOPPED) fail_msg("%s: %s", how, err.text);
  lw_simulation_free(sim);
  return c;
}

static void check(const crossings *got, const crossings *right, const expression e[],
                  double accuracy, const char *how)
{
  for (int i = 0; i < right->n && i < got->n; i++) {
    const crossing *x = &right->at[i], *y = &got->at[i];
    const expression *what = &e[x->which];
    const bool of_time = what->kind < OF_TIME;
    const double allowed = 1e-10 + (of_time ? 0 : 10 * accuracy / fabs(x->slope));
    if (x->which != y->which || fabs(x->time - y->time) > allowed)
      fail_msg("%s: crossing %d is e%d \"%s\" at %.15g, not e%d \"%s\" at %.15g", how, i, y->which,
               e[y->which].text, y->time, x->which, what->text, x->time);
  }
  if (got->n != right->n)
    fail_msg("%s: %d crossings instead of %d: \"%s\", \"%s\", \"%s\", \"%s\"", how, got->n,
             right->n, e[0].text, e[1].text, e[2].text, e[3].text);
}

/* ---- all together ---- */

typedef struct {
  lw_integrator integrator;
  const char *name;
  double accuracy; /* relative to rtol, or with a fixed step */
} method;

static const method methods[] = {
    {LW_INTEGRATOR_AUTO, "auto", 300},    {LW_INTEGRATOR_BDF, "bdf", 3000},
    {LW_INTEGRATOR_RK, "rk", 300},        {LW_INTEGRATOR_RK4, "rk4", 1e-5},
    {LW_INTEGRATOR_EULER, "euler", 1e-7},
};

static void random_expressions_cross_zero_when_they_should(void **state)
{
  static const double tolerances[] = {0, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
  (void)state;
  int compared = 0;
  for (unsigned seed = 1; seed <= 200; seed++) {
    lwt_random r = lwt_seed(seed);
    const method *how = &methods[lwt_pick(&r, 5)];
    const bool fixed = how->integrator >= LW_INTEGRATOR_RK4;
    const double rtol = tolerances[lwt_pick(&r, 6)];
    const double accuracy =
        fixed ? how->accuracy : how->accuracy * fmax(rtol > 0 ? rtol : 1e-8, 1e-12);
    lw_simulation_options o = {.integrator = how->integrator, .rtol = rtol};
    o.formulation = (lw_formulation)(LW_FORMULATION_TREE + lwt_pick(&r, 3));
    if (fixed) o.step = 0.005;
    const bool angles = o.formulation != LW_FORMULATION_CARTESIAN;
    const int kinds = how->integrator != LW_INTEGRATOR_EULER ? KINDS : angles ? OF_SPIN : OF_TIME;
    expression e[TRIGGERS];
    crossings right = {0};
    for (int i = 0; i < TRIGGERS;) {
      crossings more = right;
      e[i] = random_expression(&r, kinds);
      if (!find_crossings(&e[i], i, accuracy, &more)) continue;
      qsort(more.at, (size_t)more.n, sizeof *more.at, compare);
      if (!are_apart(&more)) continue;
      right = more;
      i++;
    }
    const double steps[] = {end, 0.5, 0.1, 0.0137};
    const double output_step = steps[lwt_pick(&r, 4)];
    char text[100];
    snprintf(text, sizeof text, "seed %u, %s, formulation %d, rtol %g, output step %g", seed,
             how->name, (int)o.formulation, rtol, output_step);
    lw_model *m = make(e, TRIGGERS);
    const crossings got = run(m, &o, output_step, text);
    check(&got, &right, e, accuracy, text);
    compared += right.n;
    lw_model_free(m);
  }
  assert_in_range(compared, 1000, 100000);
}

/* ---- rules ---- */

static const char *const four_bar =
    "linkwork: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {solid: {rod: {length: 1, mass: 10, axis: -y}}}\n"
    "  b: {solid: {rod: {length: 2, mass: 20, axis: -y}}}\n"
    "  c: {solid: {rod: {length: 2, mass: 20, axis: -y}}}\n"
    "joints:\n"
    "  A: {type: revolute, parent: ground, child: a, q: 30 deg, hold: true}\n"
    "  B: {type: revolute, parent: a, child: b, at: [0, -1, 0], q: 44 deg}\n"
    "  C: {type: revolute, parent: ground, child: c, at: [1, 0, 0], q: 45 deg}\n"
    "  D: {type: revolute, parent: b, child: c, at: [0, -2, 0], child_at: [0, -2, 0]}\n";

typedef struct {
  int n;
  double time[40];
  char name[40][24];
  lw_error err;
} log_book;

static int write_down(void *context, const lw_event_report *r, bool after)
{
  log_book *l = context;
  for (int i = 0; i < r->nevent && after; i++) {
    if (l->n == 40) return 1;
    l->time[l->n] = r->time;
    snprintf(l->name[l->n++], sizeof l->name[0], "%s", r->names[i]);
  }
  if (after && r->nevent == 0) fail_msg("an event without a name at %g", r->time);
  return 0;
}

static log_book follow(const char *body, const char *events, const lw_simulation_options *o)
{
  char text[4000];
  log_book l = {0};
  snprintf(text, sizeof text, "%sevents:\n%s", body, events);
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", &l.err);
  lw_model *m = s ? lw_compile(s, &l.err) : NULL;
  lw_spec_free(s);
  lw_simulation *sim = m ? lw_simulation_new(m, o, &l.err) : NULL;
  if (sim) {
    lw_simulation_on_event(sim, write_down, &l);
    lw_simulation_advance(sim, lw_simulation_used(sim).end, NULL, NULL, &l.err);
  }
  lw_simulation_free(sim);
  lw_model_free(m);
  return l;
}

static const lw_integrator every_integrator[] = {LW_INTEGRATOR_AUTO, LW_INTEGRATOR_BDF,
                                                 LW_INTEGRATOR_RK, LW_INTEGRATOR_RK4,
                                                 LW_INTEGRATOR_EULER};

/* What is zero because everything is locked is 0 or 1e-50 by formulation: neither is a crossing. */
static void a_locked_mechanism_crosses_nothing(void **state)
{
  (void)state;
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)
    for (size_t i = 0; i < 5; i++) {
      const lw_simulation_options o = {.formulation = (lw_formulation)f,
                                       .integrator = every_integrator[i],
                                       .step = i >= 3 ? 0.001 : 0};
      const log_book l =
          follow(four_bar,
                 "  - {name: brake, at: 0.3, lock: A}\n"
                 "  - {name: kick, when: u.C, impulse: {body: c, linear: [1, 0, 0]}}\n"
                 "  - {name: force, when: u.B*1e3 + 2*u.C, stop: true}\n"
                 "  - {name: release, at: 0.6, unlock: A}\n"
                 "simulation: {end: 0.7, output_step: 0.1}\n",
                 &o);
      if (l.err.status != LW_OK) fail_msg("formulation %d: %s", f, l.err.text);
      if (l.n != 2)
        fail_msg("formulation %d, integrator %zu: %s at %g", f, i, l.name[1], l.time[1]);
    }
}

/* a ball thrown by 1e-6 m, and an arm of that length */
static void small_lengths_count(void **state)
{
  (void)state;
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    const lw_simulation_options o = {.formulation = (lw_formulation)f};
    const log_book l =
        follow("linkwork: 1\n"
               "gravity: [0, 0, -1e-5]\n"
               "bodies: {p: {mass: 1, inertia: [1, 1, 1],\n"
               "   velocity: {linear: [0, 0, 5e-6]}}}\n",
               "  - {when: z.p - 1e-6, impulse: {body: p, linear: [0, 0, 0]}}\n", &o);
    assert_int_equal(l.n, 2);
    lwt_near(l.time[0], 0.5 - sqrt(0.05), 1e-4, "up");
    lwt_near(l.time[1], 0.5 + sqrt(0.05), 1e-4, "down");
  }
}

static const char *const wheel = "linkwork: 1\n"
                                 "gravity: [0, 0, 0]\n"
                                 "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                                 "joints: {A: {type: revolute, parent: ground, child: a, u: 1}}\n";

static void an_expression_without_a_value_is_an_error(void **state)
{
  (void)state;
  static const struct {
    const char *events;
    int n;
    double time; /* of the error; 0: none */
  } cases[] = {
      {"  - {name: gone, when: sqrt(0.5 - t) - 0.1, lock: A}\n", 1, 0.5},
      {"  - {name: gone, when: sqrt(0.5 - t) - 0.1, once: true, lock: A}\n", 1, 0},
      {"  - {name: gone, when: sqrt(0.5 - q.A) + 0.1, lock: A}\n", 0, 0.5},
      {"  - {name: gone, when: asin(2*q.A) - 2, lock: A}\n", 0, 0.5},
      {"  - {name: gone, when: log(0.5 - t), lock: A}\n", 0, 0.5},
      {"  - {name: gone, when: sqrt(0.5 - t) + 1, lock: A}\n"
       "  - {name: stop, when: t - 0.4999, stop: true}\n",
       1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < 5; k++) {
      const lw_simulation_options o = {.integrator = every_integrator[k]};
      const log_book l = follow(wheel, cases[i].events, &o);
      const bool stopped = l.err.status == LW_OK || l.err.status == LW_E_STOPPED;
      if (l.n != cases[i].n) fail_msg("case %zu: %d events", i, l.n);
      if (stopped != (cases[i].time == 0)) fail_msg("case %zu: \"%s\"", i, l.err.text);
      if (stopped) continue;
      assert_int_equal(l.err.status, LW_E_NUMBER);
      assert_non_null(strstr(l.err.text, "event \"gone\" at t = 0.5"));
      assert_non_null(strstr(l.err.text, "not a number"));
      assert_int_equal(l.err.line, 6);
    }
}

static void touching_is_not_crossing(void **state)
{
  (void)state;
  for (size_t k = 0; k < 5; k++) {
    const lw_simulation_options o = {.integrator = every_integrator[k]};
    const log_book l = follow(wheel,
                              "  - {when: (t - 0.5)^2, stop: true}\n"
                              "  - {when: -(q.A - 0.5)^2, stop: true}\n"
                              "  - {when: (q.A - 0.5)^2 - 1e-20, stop: true}\n"
                              "  - {when: q.A - t, stop: true}\n"
                              "  - {when: abs(u.A - 1), stop: true}\n"
                              "  - {when: sin(t)^2 + cos(t)^2 - 1, stop: true}\n",
                              &o);
    if (l.n > 0) fail_msg("integrator %zu: %s at %g", k, l.name[0], l.time[0]);
    assert_int_equal(l.err.status, LW_OK);
  }
}

/* Expressions of joints that come and go: the same events with the same names in all formulations. */
static void formulations_report_the_same_events(void **state)
{
  (void)state;
  log_book first = {0};
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    const lw_simulation_options o = {.formulation = (lw_formulation)f};
    const log_book l =
        follow("linkwork: 1\n"
               "gravity: [0, -9.81, 0]\n"
               "bodies:\n"
               "  b1: {solid: {rod: {length: 1, mass: 1, axis: -y}}}\n"
               "  b2: {solid: {rod: {length: 1, mass: 1, axis: -y}}}\n"
               "  b3: {solid: {rod: {length: 1, mass: 1, axis: -y}}}\n"
               "joints:\n"
               "  J1: {type: revolute, parent: ground, child: b1, q: 1}\n"
               "  J2: {type: revolute, parent: b1, child: b2, at: [0, -1, 0], q: 0.5}\n"
               "  J3: {type: revolute, parent: b2, child: b3, at: [0, -1, 0], q: 0.3}\n",
               "  - {at: 0.3, connect: {name: X, type: revolute, parent: ground, child: b3,\n"
               "      child_at: [0, -1, 0]}}\n"
               "  - {when: u.X - 0.1, once: true, disconnect: X}\n"
               "  - {name: low, when: y.b3 + 1.5, impulse: {body: b3, linear: [0.1, 0, 0]}}\n"
               "simulation: {end: 1, output_step: 0.1}\n",
               &o);
    if (l.err.status != LW_OK) fail_msg("%s", l.err.text);
    if (f == LW_FORMULATION_TREE) first = l;
    assert_in_range(l.n, 3, 20);
    assert_int_equal(l.n, first.n);
    for (int i = 0; i < l.n; i++) {
      assert_string_equal(l.name[i], first.name[i]);
      lwt_near(l.time[i], first.time[i], 1e-6, "event %d", i);
    }
  }
}

/* Watching evaluates no dynamics where nothing comes near zero. */
static void watching_costs_no_evaluations(void **state)
{
  (void)state;
  static const char *const far = "  - {when: q.A - 100, stop: true}\n"
                                 "  - {when: x.b*y.c - 1000 + cos(q.C), stop: true}\n"
                                 "  - {when: u.D - 1e4, stop: true}\n";
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)
    for (size_t k = 0; k < 5; k++) {
      long evaluations[2];
      for (int with = 0; with < 2; with++) {
        char text[3000];
        lw_error err = {0};
        snprintf(text, sizeof text, "%s%s%s", four_bar, with ? "events:\n" : "", with ? far : "");
        lw_spec *s = lw_spec_parse(text, strlen(text), "test", &err);
        lw_model *m = lw_compile(s, &err);
        const lw_simulation_options o = {.formulation = (lw_formulation)f,
                                         .integrator = every_integrator[k]};
        lw_simulation *sim = lw_simulation_new(m, &o, &err);
        if (!sim || lw_simulation_advance(sim, 1, NULL, NULL, &err) != LW_OK)
          fail_msg("%s", err.text);
        evaluations[with] = lw_simulation_report(sim).evaluations;
        lw_simulation_free(sim);
        lw_model_free(m);
        lw_spec_free(s);
      }
      /* the first step has no step before it to look back to: its middle is looked at; where loops are closed, rounding
         errors depend on where they were closed last */
      const long allowed = f == LW_FORMULATION_CARTESIAN ? evaluations[0] / 10 : 4;
      if (labs(evaluations[1] - evaluations[0]) > allowed)
        fail_msg("formulation %d, integrator %zu: %ld evaluations instead of %ld", f, k,
                 evaluations[1], evaluations[0]);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_expressions_cross_zero_when_they_should),
      cmocka_unit_test(a_locked_mechanism_crosses_nothing),
      cmocka_unit_test(small_lengths_count),
      cmocka_unit_test(an_expression_without_a_value_is_an_error),
      cmocka_unit_test(touching_is_not_crossing),
      cmocka_unit_test(formulations_report_the_same_events),
      cmocka_unit_test(watching_costs_no_evaluations),
  };
  return cmocka_run_group_tests_name("closed_form/crossings", tests, NULL, NULL);
}
