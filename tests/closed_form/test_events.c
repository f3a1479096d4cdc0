/* SPDX-License-Identifier: Apache-2.0 */
/* Events with textbook answers: locked pins, pinned rods, released joints, bouncing balls, and the chain
   of [Mukherjee2007]. */
#include "linkwork/file.h"
#include "linkwork/columns.h"
#include "linkwork/events.h"
#include "linkwork/query.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

typedef struct {
  int n;
  double time[MOST], before[MOST], after[MOST], jump[MOST];
  double u_before[MOST][8], u_after[MOST][8], impulse[MOST][8][6];
  double h_before[MOST][6], h_after[MOST][6];
  int nq[MOST];
} log_book;

static int note(void *context, const lw_event_report *r, bool after)
{
  log_book *l = context;
  if (!after) return 0;
  const int i = l->n++;
  assert_in_range(i, 0, MOST - 1);
  l->time[i] = r->time;
  l->before[i] = r->kinetic_before;
  l->after[i] = r->kinetic_after;
  l->jump[i] = r->jump_energy;
  l->nq[i] = lw_nq(r->after);
  memcpy(l->h_before[i], r->momentum_before, sizeof r->momentum_before);
  memcpy(l->h_after[i], r->momentum_after, sizeof r->momentum_after);
  for (int k = 0; k < lw_nu_all(r->before) && k < 8; k++)
    l->u_before[i][k] = r->u_before[k];
  for (int k = 0; k < lw_nu_all(r->after) && k < 8; k++)
    l->u_after[i][k] = r->u_after[k];
  for (int j = 1; j <= lw_njoint(r->after) && j < 8; j++)
    memcpy(l->impulse[i][j], r->impulses + 6 * j, 6 * sizeof(double));
  return 0;
}

static lw_model *read_model(const char *text)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", &err);
  if (!s) fail_msg("%s", err.text);
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

/* Runs to the end; gives back the velocities of the bodies there, at most 8. */
static log_book run(const char *text, double V[8][6])
{
  lw_error err = {0};
  log_book l = {0};
  lw_model *m = read_model(text);
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  if (!sim) fail_msg("%s", err.text);
  lw_simulation_on_event(sim, note, &l);
  int nq, nu;
  double q[200], u[200];
  lw_simulation_capacity(sim, &nq, &nu);
  assert_true(nq < 200 && nu < 200);
  const lw_status status = lw_simulation_advance(sim, lw_simulation_used(sim).end, q, u, &err);
  if (status != LW_OK) fail_msg("%s", err.text);
  const lw_model *now = lw_simulation_model(sim);
  lw_work *w = lw_work_new(now);
  lwt_ok(lw_kinematics(w, q, u));
  for (int b = 1; b <= lw_nbody(now) && b < 8 && V; b++)
    lwt_ok(lw_get_velocity(w, (lw_body){b}, V[b]));
  lw_work_free(w);
  lw_simulation_free(sim);
  lw_model_free(m);
  return l;
}

static void locking_the_pin_of_two_rods_that_fold_stops_them(void **state)
{
  (void)state;
  /* collinear along x, the pin at the origin, turning with +1 and -1 */
  double V[8][6];
  const log_book l = run("linkwork: 1\n"
                         "gravity: [0, 0, 0]\n"
                         "bodies:\n"
                         "  a: {solid: {rod: {length: 1, mass: 1, axis: -x}},\n"
                         "      velocity: {linear: [0, 0, 0], angular: [0, 0, 1]}}\n"
                         "  b: {solid: {rod: {length: 1, mass: 1, axis: x}}}\n"
                         "joints: {pin: {type: revolute, parent: a, child: b, u: -2}}\n"
                         "events: [{at: 0, lock: pin}]\n"
                         "simulation: {end: 0.1}\n",
                         V);
  assert_int_equal(l.n, 1);
  lwt_near(V[1][2], 0, 1e-12, "first rod");
  lwt_near(V[2][2], 0, 1e-12, "second rod");
  lwt_near(l.before[0], 1.0 / 3, 1e-12, "before");
  lwt_near(l.after[0], 0.25, 1e-12, "after");
  lwt_near(l.jump[0], 1.0 / 12, 1e-12, "lost");
  lwt_near(l.impulse[0][1][2], 1.0 / 12, 1e-12, "impulse on the child, which turned with -1");
  for (int i = 0; i < 6; i++)
    lwt_near(l.h_after[0][i], l.h_before[0][i], 1e-12, "momentum %d", i);
}

static void pinning_the_end_of_a_rod_turns_it(void **state)
{
  (void)state;
  double V[8][6];
  const log_book l =
      run("linkwork: 1\n"
          "gravity: [0, 0, 0]\n"
          "bodies: {rod: {solid: {rod: {length: 1, mass: 1, axis: x}}, velocity: {linear: [0, 1, "
          "0]}}}\n"
          "events: [{name: catch, at: 0, connect: {name: pin, type: revolute, parent: ground,\n"
          "         child: rod, child_at: [0, 0, 0]}}]\n"
          "simulation: {end: 0.1}\n",
          V);
  lwt_near(V[1][2], 1.5, 1e-12, "rate");
  lwt_near(l.before[0], 0.5, 1e-12, "before");
  lwt_near(l.after[0], 3.0 / 8, 1e-12, "after");
  lwt_near(l.impulse[0][1][4], -0.25, 1e-12, "impulse of the pin");
  lwt_near(l.impulse[0][1][3], 0, 1e-12, "impulse along the rod");
}

static void release_and_lock_at_one_instant_change_nothing(void **state)
{
  (void)state;
  const log_book l =
      run("linkwork: 1\n"
          "bodies: {a: {solid: {rod: {length: 1, mass: 1}}},\n"
          "         b: {solid: {rod: {length: 1, mass: 1}}}}\n"
          "joints: {A: {type: revolute, child: a, parent: ground, axis: y, q: 1, u: 2},\n"
          "  B: {type: universal, child: b, parent: a, at: [0, 0, 1], axis: [1, 2, 0],\n"
          "      axis2: y, u: [1, -1]}}\n"
          "events: [{at: 0.1, lock: B}, {at: 0.2, unlock: B}, {at: 0.2, lock: B},\n"
          "  {at: 0.3, unlock: {joint: B, dofs: [1]}}, {at: 0.4, unlock: B}]\n"
          "simulation: {end: 0.5, rtol: 1e-11}\n",
          NULL);
  assert_int_equal(l.n, 4); /* two at 0.2 are one instant */
  assert_true(l.jump[0] > 0.01);
  for (int i = 1; i < 4; i++) {
    lwt_near(l.jump[i], 0, 1e-24, "jump %d", i);
    for (int k = 0; k < 3; k++)
      lwt_near(l.u_after[i][k], l.u_before[i][k], 1e-12, "speed %d at event %d", k, i);
  }
  lwt_near(l.u_after[1][1], 0, 0, "locked");
}

/* a lock with impulse p and rate u- loses -1/2 p u- */
static void a_lock_loses_half_of_impulse_times_rate(void **state)
{
  (void)state;
  const log_book l =
      run("linkwork: 1\n"
          "bodies: {a: {solid: {rod: {length: 1, mass: 1}}},\n"
          "         b: {solid: {rod: {length: 1, mass: 2}}}}\n"
          "joints: {A: {type: revolute, child: a, parent: ground, axis: y, q: 1, u: 2},\n"
          "  B: {type: revolute, child: b, parent: a, at: [0, 0, 1], axis: y, u: 3}}\n"
          "events: [{at: 0.25, lock: B}]\n"
          "simulation: {end: 0.5}\n",
          NULL);
  lwt_near(l.before[0] - l.after[0], -0.5 * l.impulse[0][2][1] * l.u_before[0][1], 1e-12, "lost");
  lwt_near(l.jump[0], l.before[0] - l.after[0], 1e-12, "jump");
}

/* the chain of [Mukherjee2007] at an ordinary tolerance, in every formulation */
static void the_chain_that_locks_a_joint(void **state)
{
  (void)state;
  static const char *const text =
      "linkwork: 1\n"
      "gravity: [0, -9.81, 0]\n"
      "parameters: {L: 1.0, m: 7860*1e-6}\n"
      "bodies:\n"
      "  b1: {solid: {rod: {length: L, mass: m, axis: [0, -1, 0]}}}\n"
      "  b2: {solid: {rod: {length: L, mass: m, axis: [0, -1, 0]}}}\n"
      "  b3: {solid: {rod: {length: L, mass: m, axis: [0, -1, 0]}}}\n"
      "  b4: {solid: {rod: {length: L, mass: m, axis: [0, -1, 0]}}}\n"
      "joints:\n"
      "  J1: {type: revolute, parent: ground, child: b1, q: pi/3}\n"
      "  J2: {type: revolute, parent: b1, child: b2, at: [0, -L, 0], q: pi/3}\n"
      "  J3: {type: revolute, parent: b2, child: b3, at: [0, -L, 0], q: pi/3}\n"
      "  J4: {type: revolute, parent: b3, child: b4, at: [0, -L, 0], q: pi/3}\n"
      "events: [{name: latch, at: 0.71768, lock: J3}]\n"
      "simulation: {end: 1.5, rtol: 1e-10, atol: 1e-12, formulation: %s}\n";
  static const char *const formulation[] = {"tree", "dca", "cartesian"};
  const double before[4] = {-1.46824194869, 0.321282049647, -7.48747387335, 0.442421526920};
  const double after[4] = {1.73626742550, -8.43368355526, 0, -4.58914644170};
  for (int k = 0; k < 3; k++) {
    char whole[2048];
    snprintf(whole, sizeof whole, text, formulation[k]);
    const log_book l = run(whole, NULL);
    for (int i = 0; i < 4; i++) {
      lwt_near(l.u_before[0][i], before[i], 1e-9, "%s: speed %d before", formulation[k], i + 1);
      lwt_near(l.u_after[0][i], after[i], 1e-9, "%s: speed %d after", formulation[k], i + 1);
    }
    lwt_near(l.before[0], 0.525265719192, 1e-9, "%s: kinetic energy before", formulation[k]);
    lwt_near(l.after[0], 0.448437461033, 1e-9, "%s: kinetic energy after", formulation[k]);
  }
}

/* ---- triggers ---- */

/* A ball from 1 m: it hits at sqrt(2/g), and from then on every 2 e^k sqrt(2/g). */
static void a_ball_bounces_when_it_should(void **state)
{
  (void)state;
  const log_book l = run("linkwork: 1\n"
                         "gravity: [0, 0, -10]\n"
                         "bodies: {ball: {mass: 2, pose: {at: [0, 0, 1]}}}\n"
                         "events: [{name: floor, when: z.ball, direction: falling,\n"
                         "   impact: {body: ball, normal: z, restitution: 0.8}}]\n"
                         "simulation: {end: 3, rtol: 1e-10}\n",
                         NULL);
  const double first = sqrt(0.2);
  double t = first, speed = sqrt(20);
  assert_in_range(l.n, 6, 7);
  for (int k = 0; k < l.n; k++) {
    lwt_near(l.time[k], t, 1e-10, "time of bounce %d", k);
    lwt_near(l.before[k], speed * speed, 1e-8, "energy before bounce %d", k);
    speed *= 0.8;
    lwt_near(l.after[k], speed * speed, 1e-8, "energy after bounce %d", k);
    t += 2 * speed / 10;
  }
}

/* 1 kg with 1 m/s and 2 kg with -1 m/s collide elastically; a box falls flat on four corners at once */
static void bodies_hit_each_other_and_boxes_fall_flat(void **state)
{
  (void)state;
  double V[8][6];
  log_book l = run("linkwork: 1\n"
                   "gravity: [0, 0, 0]\n"
                   "bodies:\n"
                   "  a: {mass: 1, inertia: [1, 1, 1], velocity: {linear: [1, 0, 0]}}\n"
                   "  b: {mass: 2, inertia: [1, 1, 1], pose: {at: [2, 0, 0]},\n"
                   "      velocity: {linear: [-1, 0, 0]}}\n"
                   "events: [{when: x.b - x.a - 1, direction: falling, impact: {body: b,\n"
                   "   at: [-0.5, 0, 0], other: a, normal: x, restitution: 1}}]\n"
                   "simulation: {end: 1}\n",
                   V);
  assert_int_equal(l.n, 1);
  lwt_near(V[1][3], -5.0 / 3, 1e-12, "first");
  lwt_near(V[2][3], 1.0 / 3, 1e-12, "second");
  lwt_near(l.after[0], l.before[0], 1e-14, "energy");
  l = run("linkwork: 1\n"
          "bodies: {box: {solid: {box: {size: [1, 1, 1], mass: 3}}, pose: {at: [0, 0, 0.5]},\n"
          "   velocity: {linear: [1, 0, -2]}}}\n"
          "events:\n"
          "  - {at: 0, impact: {body: box, at: [0.5, 0.5, -0.5], normal: z, restitution: 0.5}}\n"
          "  - {at: 0, impact: {body: box, at: [0.5, -0.5, -0.5], normal: z, restitution: 0.5}}\n"
          "  - {at: 0, impact: {body: box, at: [-0.5, 0.5, -0.5], normal: z, restitution: 0.5}}\n"
          "  - {at: 0, impact: {body: box, at: [-0.5, -0.5, -0.5], normal: z, restitution: 0.5}}\n"
          "simulation: {end: 1e-9}\n",
          V);
  assert_int_equal(l.n, 1);
  lwt_near(V[1][5], 1, 1e-7, "upwards");
  lwt_near(V[1][3], 1, 1e-9, "without friction");
  for (int i = 0; i < 3; i++)
    lwt_near(V[1][i], 0, 1e-9, "without turning");
}

static void directions_and_once_are_kept(void **state)
{
  (void)state;
  /* u.P = cos(t) crosses zero at pi/2 falling, 3 pi/2 rising, 5 pi/2 falling */
  const char *format = "linkwork: 1\n"
                       "gravity: [0, 0, 0]\n"
                       "bodies: {m: {mass: 1}}\n"
                       "joints: {P: {type: prismatic, parent: ground, child: m, u: 1}}\n"
                       "forces: {k: {type: joint_spring, joint: P, stiffness: 1}}\n"
                       "events: [{when: u.P, %s, impulse: {body: m, linear: [0, 0, 0]}}]\n"
                       "simulation: {end: 9, rtol: 1e-11}\n";
  const struct {
    const char *how;
    int n;
    double first;
  } cases[] = {{"direction: both", 3, 0.5},
               {"direction: rising", 1, 1.5},
               {"direction: falling", 2, 0.5},
               {"direction: both, once: true", 1, 0.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    snprintf(text, sizeof text, format, cases[i].how);
    const log_book l = run(text, NULL);
    assert_int_equal(l.n, cases[i].n);
    lwt_near(l.time[0], cases[i].first * acos(-1), 1e-9, "%s", cases[i].how);
  }
}

/* at t = 0 the expression is zero: it fires when it comes back, not at the start */
static void nothing_fires_at_the_start(void **state)
{
  (void)state;
  const log_book l = run("linkwork: 1\n"
                         "gravity: [0, 0, 0]\n"
                         "bodies: {m: {mass: 1}}\n"
                         "joints: {P: {type: prismatic, parent: ground, child: m, u: 1}}\n"
                         "forces: {k: {type: joint_spring, joint: P, stiffness: 1}}\n"
                         "events: [{when: q.P, impulse: {body: m, linear: [0, 0, 0]}}]\n"
                         "simulation: {end: 4, rtol: 1e-11}\n",
                         NULL);
  assert_int_equal(l.n, 1);
  lwt_near(l.time[0], acos(-1), 1e-9, "it comes back");
}

/* every integrator finds the same instant */
static void crossings_are_found_by_all_integrators(void **state)
{
  (void)state;
  static const char *const names[] = {
      "adams", "bdf", "rk", "rk, rtol: 1e-11", "rk4, step: 0.001", "euler, step: 0.0001"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "linkwork: 1\n"
        "bodies: {p: {mass: 1}}\n"
        "joints: {A: {type: revolute, parent: ground, child: p, child_at: [0, 0, 1], axis: y,\n"
        "  q: 1}}\n"
        "events: [{when: q.A - 0.2, lock: A}]\n"
        "simulation: {end: 1, integrator: %s}\n",
        names[i]);
    const log_book l = run(text, NULL);
    assert_int_equal(l.n, 1);
    /* (1/2) u^2 = g (cos 0.2 - cos 1) */
    lwt_near(l.u_before[0][0], -sqrt(2 * 9.81 * (cos(0.2) - cos(1))), i == 5 ? 1e-3 : 1e-7, "%s",
             names[i]);
    lwt_near(l.time[0], 0.4676973973544127, i == 5 ? 1e-4 : 1e-7, "%s",
             names[i]); /* elliptic integral */
    lwt_near(l.u_after[0][0], 0, 0, "%s", names[i]);
  }
}

/* ---- merges ---- */

/* two particles that pass each other become a dumbbell: it turns with v / (2 r) ... */
static void particles_become_a_body_that_turns(void **state)
{
  (void)state;
  double V[8][6];
  const log_book l =
      run("linkwork: 1\n"
          "gravity: [0, 0, 0]\n"
          "bodies:\n"
          "  a: {mass: 1, pose: {at: [1, 0, 0]}, velocity: {linear: [0, 1, 0]}}\n"
          "  b: {mass: 1, pose: {at: [-1, 0, 0]}, velocity: {linear: [0, -1, 0]}}\n"
          "  c: {mass: 1, pose: {at: [0, 3, 0]}, velocity: {linear: [0, 0, 1]}}\n"
          "events: [{at: 0.5, merge: {name: m, bodies: [a, b]}}, {at: 1, split: m}]\n"
          "simulation: {end: 1.5}\n",
          V);
  assert_int_equal(l.n, 2);
  /* merged at (1, 0.5) and (-1, -0.5): angular momentum 2, inertia 2.5 */
  lwt_near(l.before[0], 1.5, 1e-12, "before");
  lwt_near(l.after[0], 0.5 * 4 / 2.5 + 0.5, 1e-12, "after");
  lwt_near(l.jump[0], l.before[0] - l.after[0], 1e-12, "lost");
  lwt_near(l.jump[1], 0, 1e-20, "splitting");
  lwt_near(hypot(V[1][3], V[1][4]), 0.8 * sqrt(1.25), 1e-9, "speed of a particle afterwards");
  lwt_near(V[3][5], 1, 1e-12, "the third one goes on");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(locking_the_pin_of_two_rods_that_fold_stops_them),
      cmocka_unit_test(pinning_the_end_of_a_rod_turns_it),
      cmocka_unit_test(release_and_lock_at_one_instant_change_nothing),
      cmocka_unit_test(a_lock_loses_half_of_impulse_times_rate),
      cmocka_unit_test(the_chain_that_locks_a_joint),
      cmocka_unit_test(a_ball_bounces_when_it_should),
      cmocka_unit_test(bodies_hit_each_other_and_boxes_fall_flat),
      cmocka_unit_test(directions_and_once_are_kept),
      cmocka_unit_test(nothing_fires_at_the_start),
      cmocka_unit_test(crossings_are_found_by_all_integrators),
      cmocka_unit_test(particles_become_a_body_that_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
