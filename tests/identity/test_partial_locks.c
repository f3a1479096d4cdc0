/* SPDX-License-Identifier: Apache-2.0 */
/* Some freedoms of joints are locked, of every type that has several: universal ones with skew axes,
   spherical, free, planar and cylindrical ones, in chains and trees and in loops, where the locked joint may
   be the one that is cut.  Jumps, impulses, then accelerations and loads, then a short run must be the same
   by all formulations. */
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "linkwork/analysis.h"
#include "linkwork/events.h"
#include "linkwork/query.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 4, MOST = 128, WAYS = 3 };
static const lw_formulation way[WAYS] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                         LW_FORMULATION_CARTESIAN};

/* ---- what happens: the same in all formulations ---- */

typedef struct {
  int n;
  lw_event_desc event[BODIES + 1];
  int dofs[BODIES + 1][6];
  char name[BODIES + 1][8];
} locks;

/* one to all but one of the freedoms of a joint */
static void add_lock(locks *x, lwt_random *r, const char *name, int nu)
{
  if (nu < 2) return;
  const int n = 1 + lwt_pick(r, nu - 1), from = lwt_pick(r, nu);
  for (int i = 0; i < n; i++)
    x->dofs[x->n][i] = 1 + (from + i) % nu;
  snprintf(x->name[x->n], sizeof x->name[x->n], "%s", name);
  x->event[x->n] = (lw_event_desc){
      .action = LW_ACTION_LOCK, .joint = x->name[x->n], .dofs = x->dofs[x->n], .ndof = n};
  x->n++;
}

static void random_locks(locks *x, lwt_random *r, const lw_model *m, bool closed)
{
  x->n = 0;
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    if (lwt_pick(r, 2) || (closed && strcmp(info.name, "close") == 0))
      add_lock(x, r, info.name, info.nu);
  }
}

/* ---- one formulation ---- */

typedef struct {
  double u[MOST], impulse[6 * MOST], energy[3];
  int nu, njoint;
  double late[2 * MOST]; /* q and u after a while */
  int nlate;
} outcome;

static int listen(void *context, const lw_event_report *r, bool after)
{
  outcome *o = context;
  if (!after) return 0;
  o->nu = lw_nu_all(r->after);
  o->njoint = lw_njoint(r->after);
  assert_in_range(o->nu, 0, MOST);
  memcpy(o->u, r->u_after, (size_t)o->nu * sizeof(double));
  memcpy(o->impulse, r->impulses, 6 * ((size_t)o->njoint + 1) * sizeof(double));
  o->energy[0] = r->kinetic_before;
  o->energy[1] = r->kinetic_after;
  o->energy[2] = r->jump_energy;
  return 0;
}

static void raise_all(lw_simulation *sim, const lw_event_desc *e, int n, unsigned seed)
{
  lw_error err = {0};
  if (lw_simulation_raise(sim, e, n, &err) != LW_OK) fail_msg("seed %u: %s", seed, err.text);
}

typedef struct {
  unsigned seed;
  bool planar, closed;
} scene;

static lw_simulation *begin(const scene *x, const lw_model *m, lw_formulation f)
{
  lw_error err = {0};
  double q[MOST], u[MOST];
  const lw_simulation_options o = {.formulation = f, .rtol = 1e-11, .atol = 1e-11, .end = 1};
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim) fail_msg("seed %u: %s", x->seed, err.text);
  lwt_random_state(m, x->seed, q, u);
  lwt_ok(lw_simulation_start(sim, 0, q, u, &err));
  if (!x->closed) return sim;
  lw_joint_desc joint = {.name = "close",
                         .type = x->planar         ? LW_PLANAR
                                 : x->seed % 4 < 2 ? LW_SPHERICAL
                                                   : LW_FREE,
                         .child = {BODIES},
                         .place.at = {0.3, 0.2, x->planar ? 0 : 0.1}};
  const lw_event_desc e = {.action = LW_ACTION_CONNECT, .new_joint = &joint, .placed = true};
  raise_all(sim, &e, 1, x->seed);
  return sim;
}

/* accelerations and loads at a state, by any formulation */
static void evaluate(const lw_model *m, lw_formulation f, const double *q, const double *u,
                     double *udot, double *load)
{
  lw_error err = {0};
  lw_dynamics *d = lw_dynamics_new(m, &(lw_simulation_options){.formulation = f}, &err);
  if (!d) fail_msg("%s", err.text);
  lwt_ok(lw_dynamics_accelerate(d, 0, q, u, NULL, udot));
  lwt_ok(lw_dynamics_find_loads(d));
  for (int j = 1; j <= lw_njoint(m); j++)
    lwt_ok(lw_dynamics_get_load(d, (lw_joint){j}, load + 6 * j));
  lw_dynamics_free(d);
}

/* takes the directions that redundancy leaves undetermined out of loads */
static void keep_determined(const lw_model *m, const double *q, const double *u, double load[])
{
  double udot[MOST];
  lw_work *w = lw_work_new(m);
  lwt_ok(lw_forward_dynamics(w, 0, q, u, NULL, udot));
  lw_self_stress *x = lw_self_stress_new(w);
  assert_non_null(x);
  for (int j = 1; j <= lw_njoint(m); j++) {
    double D[6][6];
    const int k = lw_self_stress_of_joint(x, (lw_joint){j}, D);
    for (int i = 0; i < k; i++) {
      double along = 0;
      for (int e = 0; e < 6; e++)
        along += D[i][e] * load[6 * j + e];
      for (int e = 0; e < 6; e++)
        load[6 * j + e] -= along * D[i][e];
    }
  }
  lw_self_stress_free(x);
  lw_work_free(w);
}

static void compare_accelerations(const scene *x, const lw_simulation *sim, const double *q,
                                  const double *u)
{
  const lw_model *m = lw_simulation_model(sim);
  double udot[WAYS][MOST], load[WAYS][6 * MOST] = {{0}};
  for (int k = 0; k < WAYS; k++)
    evaluate(m, way[k], q, u, udot[k], load[k]);
  const int n = 6 * (lw_njoint(m) + 1);
  const double size = 10 + lwt_scale(udot[0], lw_nu(m)), force = 10 + lwt_scale(load[0], n);
  lwt_close(load[2], load[0], n, 1e-9, force, "seed %u: all loads of the two that choose alike",
            x->seed);
  for (int k = 0; k < WAYS; k++)
    keep_determined(m, q, u, load[k]);
  for (int k = 1; k < WAYS; k++) {
    lwt_close(udot[k], udot[0], lw_nu(m), 1e-9, size, "seed %u, %s: accelerations", x->seed,
              lw_formulation_name(way[k]));
    lwt_close(load[k], load[0], n, 1e-9, force, "seed %u, %s: loads", x->seed,
              lw_formulation_name(way[k]));
  }
}

static int run_with(const scene *x, const lw_model *m, lw_formulation f, outcome *o)
{
  lw_simulation *sim = begin(x, m, f);
  lw_error err = {0};
  lwt_random r = lwt_seed(x->seed + 7);
  locks now;
  random_locks(&now, &r, lw_simulation_model(sim), x->closed);
  lw_simulation_on_event(sim, listen, o);
  if (now.n > 0) raise_all(sim, now.event, now.n, x->seed);
  double q[MOST], u[MOST];
  lwt_ok(lw_simulation_advance(sim, 0, q, u, &err));
  if (now.n > 0) keep_determined(lw_simulation_model(sim), q, u, o->impulse);
  if (f == LW_FORMULATION_TREE) compare_accelerations(x, sim, q, u);
  if (lw_simulation_advance(sim, 0.15, q, u, &err) != LW_OK)
    fail_msg("seed %u, %s: %s", x->seed, lw_formulation_name(f), err.text);
  const lw_model *after = lw_simulation_model(sim);
  memcpy(o->late, q, (size_t)lw_nq(after) * sizeof(double));
  memcpy(o->late + lw_nq(after), u, (size_t)lw_nu(after) * sizeof(double));
  o->nlate = lw_nq(after) + lw_nu(after);
  lw_simulation_free(sim);
  return now.n;
}

static int run_scene(const scene *x, unsigned joints)
{
  lw_model *m = lwt_random_model(&(lwt_recipe){.seed = x->seed,
                                               .nbody = BODIES,
                                               .joints = joints,
                                               .planar = x->planar,
                                               .forces = x->seed % 2,
                                               .branching = x->seed % 3 * 0.4});
  outcome *o = calloc(WAYS, sizeof *o);
  int n = 0;
  for (int k = 0; k < WAYS; k++)
    n = run_with(x, m, way[k], &o[k]);
  const double speed = 1 + lwt_scale(o[0].u, o[0].nu), energy = o[0].energy[0] + 1;
  const double size = 1 + lwt_scale(o[0].impulse, 6 * (o[0].njoint + 1));
  const double late = 1 + lwt_scale(o[0].late, o[0].nlate);
  for (int k = 1; k < WAYS; k++) {
    const char *name = lw_formulation_name(way[k]);
    lwt_close(o[k].u, o[0].u, o[0].nu, 1e-9, speed, "seed %u, %s: speeds", x->seed, name);
    lwt_close(o[k].impulse, o[0].impulse, 6 * (o[0].njoint + 1), 1e-9, size,
              "seed %u, %s: impulses", x->seed, name);
    lwt_close(o[k].energy, o[0].energy, 3, 1e-9, energy, "seed %u, %s: energies", x->seed, name);
    lwt_close(o[k].late, o[0].late, o[0].nlate, 1e-8, late, "seed %u, %s: after a while", x->seed,
              name);
  }
  free(o);
  lw_model_free(m);
  return n;
}

/* ---- the tests ---- */

static const unsigned several = 1u << LW_UNIVERSAL | 1u << LW_SPHERICAL | 1u << LW_FREE |
                                1u << LW_PLANAR | 1u << LW_CYLINDRICAL;

static void partial_locks_in_trees_agree_in_all_formulations(void **state)
{
  (void)state;
  int locked = 0;
  for (unsigned seed = 1; seed <= 30; seed++)
    locked += run_scene(&(scene){.seed = seed}, several);
  assert_true(locked > 45);
}

static void partial_locks_of_each_type_agree_in_all_formulations(void **state)
{
  (void)state;
  static const lw_joint_type type[] = {LW_UNIVERSAL, LW_SPHERICAL,   LW_FREE,
                                       LW_PLANAR,    LW_CYLINDRICAL, LW_GIMBAL};
  for (unsigned k = 0; k < 6; k++)
    for (unsigned seed = 0; seed < 4; seed++)
      run_scene(&(scene){.seed = 100 + 10 * k + seed}, 1u << type[k]);
}

static void partial_locks_in_loops_agree_in_all_formulations(void **state)
{
  (void)state;
  for (unsigned seed = 200; seed < 220; seed++)
    run_scene(&(scene){.seed = seed, .closed = true}, several);
  for (unsigned seed = 220; seed < 232; seed++)
    run_scene(&(scene){.seed = seed, .closed = true}, 1u << LW_GIMBAL);
}

static void partial_locks_in_the_plane_agree_in_all_formulations(void **state)
{
  (void)state;
  for (unsigned seed = 300; seed < 312; seed++)
    run_scene(&(scene){.seed = seed, .planar = true, .closed = seed % 2},
              1u << LW_PLANAR | 1u << LW_FREE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(partial_locks_in_trees_agree_in_all_formulations),
      cmocka_unit_test(partial_locks_of_each_type_agree_in_all_formulations),
      cmocka_unit_test(partial_locks_in_loops_agree_in_all_formulations),
      cmocka_unit_test(partial_locks_in_the_plane_agree_in_all_formulations),
  };
  return cmocka_run_group_tests_name("identity/partial_locks", tests, NULL, NULL);
}
