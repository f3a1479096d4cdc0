/* SPDX-License-Identifier: Apache-2.0 */
/* The Cartesian descriptor form against the recursions of the spanning tree, and against the dense
   oracle in the coordinates of all bodies. */
#include "cartesian/form/cartesian.h"
#include "linkwork/dca.h"
#include "linkwork/simulate.h"
#include "linkwork/loops.h"
#include "lwt_loops.h"
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
#include <math.h>

#include "dca_cases.h"

static const double G = 9; /* gravity: the scale of accelerations, also where nothing can move */

static lw_cartesian *cartesian_of(const lw_model *m, unsigned seed)
{
  lw_error err = {0};
  lw_cartesian *c = lw_cartesian_new(m, NULL, &err);
  if (!c) fail_msg("seed %u: %s", seed, err.text);
  return c;
}

/* Loads of all joints and constraints by both ways, at the state of c.  Of redundant constraints both
   report the same of the many possible loads; that is a least squares problem, which has the square of
   the condition of the equations. */
static void compare_loads(lwt_case *c, lw_cartesian *k, unsigned seed)
{
  double scale = G, tree[6], own[6];
  const double rtol = lw_cartesian_redundant(k) ? 1e-7 : 1e-9;
  lwt_ok(lw_joint_loads(c->w));
  if (c->m->njoint > 0) assert_int_equal(lw_cartesian_get_load(k, (lw_joint){1}, own), LW_E_STAGE);
  lwt_ok(lw_cartesian_find_loads(k));
  for (int i = 1; i <= c->m->njoint; i++) {
    lwt_ok(lw_get_load(c->w, (lw_joint){i}, tree));
    scale = fmax(scale, lwt_scale(tree, 6));
  }
  for (int i = 1; i <= c->m->njoint; i++) {
    lwt_ok(lw_get_load(c->w, (lw_joint){i}, tree));
    lwt_ok(lw_cartesian_get_load(k, (lw_joint){i}, own));
    lwt_close(own, tree, 6, rtol, scale, "seed %u: load of joint %d", seed, i);
  }
  for (int i = 1; i <= c->m->nconstraint; i++) {
    const lw_constraint id = {i};
    const bool relation = c->m->constraint[i].pair < 0;
    if (relation) {
      lwt_ok(lw_get_relation_load(c->w, id, tree));
      lwt_ok(lw_cartesian_get_relation_load(k, id, own));
    } else {
      lwt_ok(lw_get_constraint_load(c->w, id, tree));
      lwt_ok(lw_cartesian_get_constraint_load(k, id, own));
    }
    lwt_close(own, tree, relation ? 1 : 6, rtol, scale, "seed %u: load of constraint %d", seed, i);
  }
}

static void compare(lwt_case *c, unsigned seed)
{
  lw_cartesian *k = cartesian_of(c->m, seed);
  lw_work *w = lw_work_new(c->m);
  lwt_ok(lw_forward_dynamics(c->w, c->t, c->q, c->u, c->tau, c->udot));
  lwt_ok(lw_cartesian_forward_dynamics(k, w, c->t, c->q, c->u, c->tau, c->x));
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
  lwt_ok(lw_dof(c->w, c->q, &dof, &redundant));
  if (redundant) memset(c->u, 0, (size_t)c->nu * sizeof(double));
  if (redundant == 0) lwt_ok(lw_project(c->w, c->t, c->q, c->u));
}

static void loops_move_as_cut_joints_say(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 100; seed++) {
    lwt_loops d = lwt_loops_recipe(seed);
    d.forces = seed % 2;
    d.tree.forces = seed % 3 == 0;
    d.tree.measured = seed % 3 == 1;
    d.twice = seed % 7 == 0;
    lwt_case c = lwt_loops_case(&d);
    c.t = 0;
    stop_if_redundant(&c);
    compare(&c, seed);
  }
}

/* every other body becomes a rod along some axis, or a point */
static void bodies_need_no_inertia(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 40; seed++) {
    const lwt_recipe r = {.seed = seed,
                          .nbody = 2 + (int)(seed % 9),
                          .branching = 0.5 * (seed % 3),
                          .forces = seed % 2 == 0,
                          .joints = 1u << LW_REVOLUTE | 1u << LW_FIXED | 1u << LW_CYLINDRICAL |
                                    1u << LW_PRISMATIC | 1u << LW_HELICAL | 1u << LW_PLANAR};
    lwt_parts *p = lwt_random_parts(&r);
    lwt_random random = lwt_seed(seed);
    for (int i = 0; i < p->nbody; i += 2) {
      double y[3], *I = p->body[i].inertia;
      lwt_unit_vector(&random, y);
      for (int k = 0; k < 3; k++)
        I[k] = 0.3 * (1 - y[k] * y[k]);
      I[3] = -0.3 * y[0] * y[1], I[4] = -0.3 * y[0] * y[2], I[5] = -0.3 * y[1] * y[2];
    }
    lwt_case c = lwt_case_of(lwt_parts_compile(p), seed);
    compare(&c, seed);
    lwt_parts_free(p);
  }
}

static void loops_move_as_in_the_dense_solution(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 40; seed++) {
    dca_case d = dca_case_new(&(dca_recipe){.seed = seed + 200,
                                            .nbody = 5 + (int)(seed % 8),
                                            .nloop = 1 + (int)(seed % 4),
                                            .nconstraint = (int)(seed % 3),
                                            .floating = seed % 2 == 0,
                                            .branching = 0.4});
    lw_cartesian *k = cartesian_of(d.m, seed);
    lw_work *w = lw_work_new(d.m);
    const int nu = lw_nu(d.m);
    double *udot = calloc((size_t)nu + 1, sizeof *udot);
    lwt_ok(lw_cartesian_forward_dynamics(k, w, 0, d.q, d.u, d.tau, udot));
    lwt_close(udot, d.udot, nu, 1e-9, fmax(1, lwt_scale(d.A, 6 * d.nbody)), "seed %u", seed);
    assert_int_equal(lw_cartesian_redundant(k), d.nrow - d.rank);
    free(udot);
    lw_work_free(w);
    lw_cartesian_free(k);
    dca_case_free(&d);
  }
}

/* ---- impulses ---- */

/* Speeds that all joints, loops and constraints allow, from arbitrary ones of the tree: the projection
   that lw_project makes with the mass matrix of the tree is that of the bodies' masses. */
static void impulses_project_speeds_as_the_tree_does(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 60; seed++) {
    lwt_loops d = lwt_loops_recipe(seed);
    d.relations = 0;
    lwt_case c = lwt_loops_case(&d);
    lw_cartesian *k = cartesian_of(c.m, seed);
    lw_work *w = lw_work_new(c.m);
    lwt_ok(lw_set_loops(w, LW_LOOPS_CUT)); /* embedded loops project in a metric of their own */
    lwt_ok(lw_project(c.w, 0, c.q, c.u));  /* positions */
    for (int i = 0; i < c.nu; i++)
      c.u[i] = sin(3 * i + (double)seed);
    lwt_ok(lw_cartesian_forward_dynamics(k, w, 0, c.q, c.u, NULL, c.udot));
    const size_t n = 6 * (size_t)k->nbody + 1;
    double *V = calloc(n, sizeof *V), *after = calloc(n, sizeof *after);
    for (int i = 1; i <= k->nbody; i++)
      lwi_pick(k, k->state[i].V, V + (size_t)((i - 1) * k->width));
    lwi_cartesian_rates(k);
    lwt_ok(lwi_cartesian_impulse(k, V, after, NULL));
    lwt_ok(lw_project(w, 0, c.q, c.u));
    lwt_ok(lw_kinematics(w, c.q, c.u));
    lwi_cartesian_from_tree(k, w, c.q, c.u);
    for (int i = 1; i <= k->nbody; i++)
      lwi_pick(k, k->state[i].V, V + (size_t)((i - 1) * k->width));
    lwt_close(after, V, k->nbody * k->width, 1e-9, 1 + lwt_scale(V, k->nbody * k->width), "seed %u",
              seed);
    free(V), free(after);
    lw_work_free(w);
    lw_cartesian_free(k);
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_move_as_the_recursion_says),
      cmocka_unit_test(loops_move_as_cut_joints_say),
      cmocka_unit_test(bodies_need_no_inertia),
      cmocka_unit_test(loops_move_as_in_the_dense_solution),
      cmocka_unit_test(impulses_project_speeds_as_the_tree_does),
  };
  return cmocka_run_group_tests_name("identity/cartesian", tests, NULL, NULL);
}
