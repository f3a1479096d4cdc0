/* SPDX-License-Identifier: Apache-2.0 */
/* What can go wrong with events, and what is said about it: at reading, at compiling, on the way. */
#include "linkwork/file.h"
#include "linkwork/columns.h"
#include "linkwork/events.h"
#include "lwt.h"

#include <stdio.h>
#include <string.h>

static const char *const arm =
    "linkwork: 1\n"
    "bodies: {a: {solid: {rod: {length: 1, mass: 1}}},\n"
    "         b: {solid: {rod: {length: 1, mass: 1}}},\n"
    "         p: {mass: 1, pose: {at: [0, 0, 5]}}}\n"
    "joints: {A: {type: revolute, parent: ground, child: a, axis: y, q: 1},\n"
    "  B: {type: universal, parent: a, child: b, at: [0, 0, 1]}}\n"
    "events:\n";

/* Where it fails: reading, compiling, making the simulation, or running it; the message of that. */
static lw_error run(const char *events)
{
  char text[4000];
  lw_error err = {0};
  snprintf(text, sizeof text, "%s%s", arm, events);
  lw_spec *s = lw_spec_parse(text, strlen(text), "test.yaml", &err);
  if (!s) return err;
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  lw_simulation *sim = m ? lw_simulation_new(m, NULL, &err) : NULL;
  int nq = 0, nu = 0;
  double q[400], u[400];
  if (sim) lw_simulation_capacity(sim, &nq, &nu);
  assert_true(nq < 400 && nu < 400);
  if (sim) lw_simulation_advance(sim, lw_simulation_used(sim).end, q, u, &err);
  lw_simulation_free(sim);
  lw_model_free(m);
  return err;
}

static void mistakes_are_named(void **state)
{
  static const struct {
    const char *events;
    const char *said[3];
    int line;
  } cases[] = {
      {"  - {at: 0.5, lock: C}\n", {"unknown joint \"C\"", "8:"}, 0},
      {"  - {at: -1, lock: A}\n", {"must not be negative"}, 0},
      {"  - {at: 0.5, lock: A, unlock: B}\n", {"found several"}, 0},
      {"  - {at: 0.5, lock: {joint: B, dofs: [3]}}\n", {"has 2 freedoms, there is no dof 3"}, 8},
      {"  - {at: 0.1, lock: A}\n  - {at: 0.2, lock: A}\n",
       {"event \"lock A\" at t = 0.2", "\"A\" is locked already"},
       9},
      {"  - {name: again, at: 0.2, lock: {joint: B, dofs: [2]}}\n"
       "  - {name: more, at: 0.3, lock: {joint: B, dofs: [1, 2]}}\n",
       {"event \"more\"", "freedom 2 of joint \"B\" is locked already"},
       9},
      {"  - {at: 0.2, unlock: A}\n", {"joint \"A\" is not locked"}, 8},
      {"  - {at: 0.2, disconnect: B}\n  - {at: 0.3, lock: B}\n", {"\"B\" is not there"}, 9},
      {"  - {at: 0.2, connect: {name: A, type: fixed, parent: a, child: p}}\n", {"taken"}, 0},
      {"  - {at: 0, connect: {name: T, type: spherical, parent: ground, child: p, at: [0, 0, 4],\n"
       "      child_at: [0, 0, 0]}}\n",
       {"the two sides of \"T\" do not meet", "1 m", "move: true"},
       8},
      {"  - {at: 0, replace: {joint: A, type: prismatic}}\n", {"prismatic", "off by", "rad"}, 8},
      {"  - {when: q.C, stop: true}\n", {"no result column \"q.C\"", "when"}, 8},
      {"  - {when: 3, stop: true}\n", {"never crosses zero"}, 8},
      {"  - {at: 0.1, merge: {name: m, bodies: [a, a]}}\n", {"\"a\" is listed twice"}, 8},
      {"  - {at: 0.1, merge: {name: m, bodies: [a, ground]}}\n",
       {"the ground cannot be merged"},
       0},
      {"  - {at: 0.1, split: m}\n", {"unknown merge"}, 0},
      {"  - {at: 0.1, split: m}\n  - {at: 0.2, merge: {name: m, bodies: [a, b]}}\n",
       {"merge \"m\" is not there"},
       8},
      {"  - {at: 0.1, impact: {body: p, normal: z, restitution: -1}}\n", {"between 0 and 1"}, 0},
      {"  - {name: floor, when: \"sin(20*log(1.001-t))\", impulse: {body: p, linear: [1, 0, 0]}}\n"
       "simulation: {end: 5}\n",
       {"event \"floor\"", "faster and faster", "once: true"},
       8},
      {"  - {name: floor, when: \"sin(1e15*t)\", impulse: {body: p, linear: [0, 0, 0]}}\n",
       {"event \"floor\"", "thousands of times", "once: true"},
       8},
      {"  - {name: floor, when: \"sin(1/(1.001-t))\", impulse: {body: p, linear: [0, 0, 0]}}\n"
       "simulation: {end: 5}\n",
       {"event \"floor\"", "faster and faster", "once: true"},
       8},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const lw_error err = run(cases[i].events);
    if (err.status == LW_OK) fail_msg("no mistake found in %s", cases[i].events);
    for (int k = 0; k < 3 && cases[i].said[k]; k++)
      if (!strstr(err.text, cases[i].said[k]))
        fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].said[k]);
    if (cases[i].line) assert_int_equal(err.line, cases[i].line);
  }
}

static void events_after_the_end_are_ignored(void **state)
{
  (void)state;
  const lw_error err = run("  - {at: 7, disconnect: A}\n  - {at: 7, disconnect: A}\n");
  if (err.status != LW_OK) fail_msg("%s", err.text);
}

/* what comes again and again may find its work done */
static void crossings_may_find_it_so_already(void **state)
{
  (void)state;
  const lw_error err = run("  - {when: sin(9*t) - 0.5, lock: B}\n");
  if (err.status != LW_OK) fail_msg("%s", err.text);
}

static void sides_that_do_not_meet_are_moved_if_allowed(void **state)
{
  (void)state;
  const lw_error err = run("  - {at: 0.1, connect: {name: T, type: spherical, parent: ground,\n"
                           "   child: b, at: [1.5, 0.1, 1], child_at: [0, 0, 1], move: true}}\n");
  if (err.status != LW_OK) fail_msg("%s", err.text);
}

static void stop_ends_it(void **state)
{
  (void)state;
  const lw_error err = run("  - {name: enough, at: 0.25, stop: true}\n");
  assert_int_equal(err.status, LW_E_STOPPED);
}

/* ---- raised by the caller ---- */

static void raising_nonsense_changes_nothing(void **state)
{
  (void)state;
  lw_error err = {0};
  char text[2000];
  snprintf(text, sizeof text, "%s  - {at: 9, stop: true}\n", arm);
  lw_spec *s = lw_spec_parse(text, strlen(text), "test.yaml", &err);
  lw_model *m = lw_compile(s, &err);
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  double q[200], u[200], q2[200], u2[200];
  lwt_ok(lw_simulation_advance(sim, 0.2, q, u, &err));
  const lw_event_desc wrong[] = {
      {.action = LW_ACTION_NONE},
      {.action = LW_ACTION_LOCK, .joint = "C"},
      {.action = LW_ACTION_UNLOCK, .joint = "A"},
      {.action = LW_ACTION_SPLIT, .merge = "m"},
      {.action = LW_ACTION_IMPULSE, .body = {9}},
      {.action = LW_ACTION_CONNECT,
       .new_joint = &(lw_joint_desc){.name = "B", .type = LW_FIXED, .child = {1}}},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_not_equal(lw_simulation_raise(sim, &wrong[i], 1, &err), LW_OK);
    assert_true(err.text[0] != '\0');
    assert_ptr_equal(lw_simulation_model(sim), m);
  }
  const lw_event_desc lock = {.action = LW_ACTION_LOCK, .joint = "A"};
  lwt_ok(lw_simulation_raise(sim, &lock, 1, &err));
  assert_ptr_not_equal(lw_simulation_model(sim), m);
  lwt_ok(lw_simulation_advance(sim, 0.2, q2, u2, &err));
  lwt_near(q2[0], q[0], 1e-14, "the joint stays where it was");
  lwt_near(u2[0], 0, 0, "locked");
  lw_simulation_free(sim);
  lw_model_free(m);
  lw_spec_free(s);
}

/* A rod without inertia about its line, held by a spherical joint on that line, cannot be set free to turn about
   it: that is refused by every formulation, and the simulation goes on as it was. */
static void a_refused_event_leaves_the_simulation_as_it_was(void **state)
{
  (void)state;
  static const char *const text =
      "linkwork: 1\n"
      "bodies: {a: {mass: 1, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}}\n"
      "joints: {S: {type: spherical, parent: ground, child: a, u: [0, 2, 3]}}\n";
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "test.yaml", &err);
  lw_model *m = lw_compile(s, &err);
  double q[2][16], u[2][16];
  for (int k = 0; k < 6; k++) {
    const lw_simulation_options o = {.formulation =
                                         (lw_formulation[]){LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                                            LW_FORMULATION_CARTESIAN}[k / 2]};
    lw_simulation *sim = lw_simulation_new(m, &o, &err);
    const int dof = 1;
    lw_event_desc e = {.action = LW_ACTION_LOCK, .joint = "S", .dofs = &dof, .ndof = 1};
    lwt_ok(lw_simulation_raise(sim, &e, 1, &err));
    lwt_ok(lw_simulation_advance(sim, 0.2, q[k % 2], u[k % 2], &err));
    const lw_model *before = lw_simulation_model(sim);
    e.action = LW_ACTION_UNLOCK;
    if (k % 2) {
      assert_int_equal(lw_simulation_raise(sim, &e, 1, &err), LW_E_SINGULAR);
      assert_non_null(strstr(err.text, "the mass matrix is singular"));
      assert_ptr_equal(lw_simulation_model(sim), before);
    }
    lwt_ok(lw_simulation_advance(sim, 0.5, q[k % 2], u[k % 2], &err));
    lw_simulation_free(sim);
    if (k % 2) lwt_close(q[1], q[0], 4, 1e-6, 1, "it goes on");
  }
  lw_model_free(m);
  lw_spec_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(events_after_the_end_are_ignored),
      cmocka_unit_test(crossings_may_find_it_so_already),
      cmocka_unit_test(sides_that_do_not_meet_are_moved_if_allowed),
      cmocka_unit_test(stop_ends_it),
      cmocka_unit_test(raising_nonsense_changes_nothing),
      cmocka_unit_test(a_refused_event_leaves_the_simulation_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
