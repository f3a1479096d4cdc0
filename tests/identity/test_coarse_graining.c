/* SPDX-License-Identifier: Apache-2.0 */
/* Free bodies are articulated all at once and set free again; particles are merged into bodies and split:
   momenta are kept, and what is lost is 1/2 dV' M dV.  After [Mukherjee2007]. */
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 26, PARTICLES = 10 };

typedef struct {
  int n;
  double lost[8], jump[8], before[8][6], after[8][6], energy[8];
  int freedoms[8];
  double last_after;
} diary;

static int note(void *context, const lw_event_report *r, bool after)
{
  diary *d = context;
  if (!after) return 0;
  const int i = d->n++;
  d->lost[i] = r->kinetic_before - r->kinetic_after;
  d->jump[i] = r->jump_energy;
  d->energy[i] = r->kinetic_before;
  d->freedoms[i] = lw_nu(r->after);
  memcpy(d->before[i], r->momentum_before, sizeof d->before[i]);
  memcpy(d->after[i], r->momentum_after, sizeof d->after[i]);
  return 0;
}

static lw_model *compile_free(lw_spec *s)
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

static lw_simulation *begin(const lw_model *m, lw_formulation f, diary *d)
{
  lw_error err;
  lw_simulation *sim =
      lw_simulation_new(m, &(lw_simulation_options){.end = 1, .formulation = f}, &err);
  if (!sim) fail_msg("%s", err.text);
  lw_simulation_on_event(sim, note, d);
  return sim;
}

static void raise_all(lw_simulation *sim, const lw_event_desc *e, int n)
{
  lw_error err;
  if (lw_simulation_raise(sim, e, n, &err) != LW_OK) fail_msg("%s", err.text);
}

static void advance(lw_simulation *sim, double t)
{
  lw_error err;
  if (lw_simulation_advance(sim, t, NULL, NULL, &err) != LW_OK) fail_msg("%s", err.text);
}

static void check(const diary *d, int i, bool loses)
{
  lwt_close(d->after[i], d->before[i], 6, 1e-12, lwt_scale(d->before[i], 6), "momentum, event %d",
            i);
  lwt_near(d->lost[i], d->jump[i], 1e-12 * d->energy[i], "energy, event %d", i);
  assert_true(loses ? d->lost[i] > 1e-3 * d->energy[i] : fabs(d->lost[i]) < 1e-12 * d->energy[i]);
}

/* ---- 26 bodies, 25 spherical joints ---- */

static lw_model *free_bodies(void)
{
  lw_spec *s = lw_spec_new();
  lwt_random r = lwt_seed(26);
  lw_set_gravity(s, 0, 0, 0);
  for (int i = 0; i < BODIES; i++) {
    char name[16];
    lw_start start = {.pose.orient = {.type = LW_ORIENT_RPY}};
    snprintf(name, sizeof name, "b%d", i);
    for (int k = 0; k < 3; k++) {
      start.pose.at[k] = lwt_uniform(&r, -1, 1) + (k == 0 ? i : 0);
      start.pose.orient.value[k] = lwt_uniform(&r, -3, 3);
      start.linear[k] = lwt_uniform(&r, -1, 1);
      start.angular[k] = lwt_uniform(&r, -1, 1);
    }
    const double a = lwt_uniform(&r, 1, 2), b = lwt_uniform(&r, 1, 2);
    lw_add_body(s, &(lw_body_desc){.name = name,
                                   .mass = lwt_uniform(&r, 0.5, 5),
                                   .com = {lwt_uniform(&r, -0.3, 0.3), 0.1},
                                   .inertia = {a, b, lwt_uniform(&r, 1, a + b - 0.5), 0.1, -0.1},
                                   .start = &start});
  }
  return compile_free(s);
}

static void articulate_with(lw_formulation f)
{
  diary d = {0};
  lw_model *m = free_bodies();
  lw_simulation *sim = begin(m, f, &d);
  lw_event_desc connect[BODIES - 1], open[BODIES - 1];
  lw_joint_desc joint[BODIES - 1];
  char name[BODIES - 1][16];
  for (int i = 0; i + 1 < BODIES; i++) {
    snprintf(name[i], sizeof name[i], "s%d", i);
    joint[i] = (lw_joint_desc){.name = name[i],
                               .type = LW_SPHERICAL,
                               .parent = {i + 1},
                               .child = {i + 2},
                               .place.at = {0.5, 0.1 * i, -0.2}};
    connect[i] =
        (lw_event_desc){.action = LW_ACTION_CONNECT, .new_joint = &joint[i], .placed = true};
    open[i] = (lw_event_desc){.action = LW_ACTION_DISCONNECT, .joint = name[i]};
  }
  advance(sim, 0.1);
  raise_all(sim, connect, BODIES - 1);
  advance(sim, 0.2);
  raise_all(sim, open, BODIES - 1);
  advance(sim, 0.3);
  raise_all(sim, connect, BODIES - 1);
  assert_int_equal(d.freedoms[0], 6 + 3 * (BODIES - 1));
  assert_int_equal(d.freedoms[1], 6 * BODIES);
  check(&d, 0, true);
  check(&d, 1, false);
  check(&d, 2, true);
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void free_bodies_articulated_at_once_keep_their_momentum(void **state)
{
  (void)state;
  articulate_with(LW_FORMULATION_TREE);
  articulate_with(LW_FORMULATION_DCA);
  articulate_with(LW_FORMULATION_CARTESIAN);
}

/* ---- particles, bodies, joints, and back ---- */

static void merge_with(lw_formulation f)
{
  lw_spec *s = lw_spec_new();
  lwt_random r = lwt_seed(5);
  lw_set_gravity(s, 0, 0, 0);
  for (int i = 0; i < BODIES * PARTICLES; i++) {
    char name[16];
    lw_start start = {0};
    snprintf(name, sizeof name, "p%d", i);
    for (int k = 0; k < 3; k++) {
      start.pose.at[k] = lwt_uniform(&r, -0.5, 0.5) + (k == 0 ? i / PARTICLES : 0);
      start.linear[k] = lwt_uniform(&r, -0.5, 1);
    }
    lw_add_body(s, &(lw_body_desc){.name = name, .mass = lwt_uniform(&r, 0.1, 1), .start = &start});
  }
  diary d = {0};
  lw_model *m = compile_free(s);
  lw_simulation *sim = begin(m, f, &d);
  lw_event_desc merge[BODIES], split[BODIES], connect[BODIES - 1];
  lw_joint_desc joint[BODIES - 1];
  static lw_body bodies[BODIES][PARTICLES];
  char name[BODIES][16], pin[BODIES][16];
  for (int i = 0; i < BODIES; i++) {
    snprintf(name[i], sizeof name[i], "m%d", i);
    snprintf(pin[i], sizeof pin[i], "j%d", i);
    for (int k = 0; k < PARTICLES; k++)
      bodies[i][k].id = 1 + i * PARTICLES + k;
    merge[i] = (lw_event_desc){
        .action = LW_ACTION_MERGE, .merge = name[i], .bodies = bodies[i], .nbody = PARTICLES};
    split[i] = (lw_event_desc){.action = LW_ACTION_SPLIT, .merge = name[i]};
    if (i == 0) continue;
    joint[i - 1] = (lw_joint_desc){.name = pin[i],
                                   .type = LW_SPHERICAL,
                                   .parent = bodies[i - 1][0],
                                   .child = bodies[i][3],
                                   .place.at = {0.5, 0.2, 0.1}};
    connect[i - 1] =
        (lw_event_desc){.action = LW_ACTION_CONNECT, .new_joint = &joint[i - 1], .placed = true};
  }
  advance(sim, 0.1);
  raise_all(sim, merge, BODIES);
  advance(sim, 0.2);
  raise_all(sim, connect, BODIES - 1);
  advance(sim, 0.3);
  for (int i = 0; i + 1 < BODIES; i++)
    connect[i] = (lw_event_desc){.action = LW_ACTION_DISCONNECT, .joint = pin[i + 1]};
  raise_all(sim, connect, BODIES - 1);
  advance(sim, 0.4);
  raise_all(sim, split, BODIES);
  assert_int_equal(d.freedoms[0], 6 * BODIES);
  assert_int_equal(d.freedoms[1], 6 + 3 * (BODIES - 1));
  assert_int_equal(d.freedoms[3], 6 * BODIES * PARTICLES);
  check(&d, 0, true);
  check(&d, 1, true);
  check(&d, 2, false);
  check(&d, 3, false);
  lw_simulation_free(sim);
  lw_model_free(m);
}

static void particles_merge_articulate_and_come_apart(void **state)
{
  (void)state;
  merge_with(LW_FORMULATION_TREE);
  merge_with(LW_FORMULATION_DCA);
  merge_with(LW_FORMULATION_CARTESIAN);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies_articulated_at_once_keep_their_momentum),
      cmocka_unit_test(particles_merge_articulate_and_come_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
