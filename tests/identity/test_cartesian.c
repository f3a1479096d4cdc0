/* SPDX-License-Identifier: Apache-2.0 */
/* The Cartesian descriptor form against the recursions of the spanning tree, and against the dense
   oracle in the coordinates of all bodies. */
#include "cartesian/cartesian.h"
#include "linkwork/simulate.h"
#include "mechanism.h"

static const double G = 9; /* gravity: the scale of accelerations, also where nothing can move */

static lw_cartesian *cartesian_of(const lw_model *m, unsigned seed)
{
  lw_error err = {0};
  lw_cartesian *c = lw_cartesian_new(m, NULL, &err);
  if (!c) fail_msg("seed %u: %s", seed, err.text);
  return c;
}

/* loads of all joints and constraints by both ways, at the state of c */
static void compare_loads(lwt_case *c, lw_cartesian *k, unsigned seed)
{
  double scale = G, tree[6], own[6];
  lwt_ok(lw_joint_loads(c->m, c->w));
  for (int i = 1; i <= c->m->njoint; i++) {
    lwt_ok(lw_get_load(c->m, c->w, (lw_joint){i}, tree));
    scale = fmax(scale, lwt_scale(tree, 6));
  }
  for (int i = 1; i <= c->m->njoint; i++) {
    lwt_ok(lw_get_load(c->m, c->w, (lw_joint){i}, tree));
    lwt_ok(lw_cartesian_get_load(k, c->m, (lw_joint){i}, own));
    lwt_close(own, tree, 6, 1e-9, scale, "seed %u: load of joint %d", seed, i);
  }
  for (int i = 1; i <= c->m->nconstraint; i++) {
    const lw_constraint id = {i};
    const bool relation = c->m->constraint[i].pair < 0;
    if (relation) {
      lwt_ok(lw_get_relation_load(c->m, c->w, id, tree));
      lwt_ok(lw_cartesian_get_relation_load(k, c->m, id, own));
    } else {
      lwt_ok(lw_get_constraint_load(c->m, c->w, id, tree));
      lwt_ok(lw_cartesian_get_constraint_load(k, c->m, id, own));
    }
    lwt_close(own, tree, relation ? 1 : 6, 1e-9, scale, "seed %u: load of constraint %d", seed, i);
  }
}

static void compare(lwt_case *c, unsigned seed)
{
  lw_cartesian *k = cartesian_of(c->m, seed);
  lw_work *w = lw_work_new(c->m);
  lwt_ok(lw_forward_dynamics(c->m, c->w, c->t, c->q, c->u, c->tau, c->udot));
  lwt_ok(lw_cartesian_forward_dynamics(k, c->m, w, c->t, c->q, c->u, c->tau, c->x));
  lwt_close(c->x, c->udot, c->nu, 1e-9, G + lwt_scale(c->udot, c->nu), "seed %u", seed);
  compare_loads(c, k, seed);
  lw_work_free(w);
  lw_cartesian_free(k);
  lwt_case_free(c);
}

static void trees_move_as_the_recursion_says(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 60; seed++) {
    lwt_case c = lwt_case_new(&(lwt_recipe){.seed = seed,
                                            .nbody = 1 + (int)(seed % 15),
                                            .branching = (double)(seed % 3) / 2,
                                            .floating = seed % 4 == 1,
                                            .loose = seed % 4 == 2,
                                            .planar = seed % 5 == 3,
                                            .forces = true});
    compare(&c, seed);
  }
}

/* speeds must be possible where equations are redundant */
static void stop_if_redundant(lwt_case *c)
{
  int dof, redundant;
  lwt_ok(lw_count_freedoms(c->m, c->w, c->q, &dof, &redundant));
  if (redundant) memset(c->u, 0, (size_t)c->nu * sizeof(double));
  if (redundant == 0) lwt_ok(lw_project(c->m, c->w, c->t, c->q, c->u));
}

static void loops_move_as_cut_joints_say(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 100; seed++) {
    recipe d = loop_recipe(seed);
    d.forces = seed % 2;
    d.tree.forces = seed % 3 == 0;
    d.twice = seed % 7 == 0;
    lwt_case c = mechanism_case(&d);
    c.t = 0;
    stop_if_redundant(&c);
    compare(&c, seed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_move_as_the_recursion_says),
      cmocka_unit_test(loops_move_as_cut_joints_say),
  };
  return cmocka_run_group_tests_name("identity/cartesian", tests, NULL, NULL);
}
