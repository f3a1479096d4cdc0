/* SPDX-License-Identifier: Apache-2.0 */
/* test_solver_choice.c -- motion and loads by every solver of the Cartesian form that can be chosen: planned at
   one state, used at others. */
#include "linkwork/file.h"
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "linkwork/solvers.h"
#include "linkwork/loops.h"
#include "lwt_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 400 }; /* numbers in a state or in all loads */

/* On a busy machine threads of OpenBLAS wait for each other.  Not every LAPACK is OpenBLAS. */
__attribute__((weak)) void openblas_set_num_threads(int n);

static lw_simulation_options by(int method)
{
  return (lw_simulation_options){.formulation = LW_FORMULATION_CARTESIAN,
                                 .solver = lw_solver_method_name((lw_solver_method)method)};
}

static lw_model *load(const char *name)
{
  const char *source = getenv("LINKWORK_SOURCE");
  char path[1000];
  lw_error err = {0};
  snprintf(path, sizeof path, "%s/models/%s.yaml", source ? source : ".", name);
  lw_spec *spec = lw_spec_load(path, &err);
  lw_model *m = spec ? lw_compile(spec, &err) : NULL;
  lw_spec_free(spec);
  if (!m) fail_msg("%s", err.text);
  assert_in_range(lw_nq(m) + lw_nu(m), 1, MAX);
  assert_in_range(6 * lw_njoint(m), 1, MAX);
  return m;
}

/* this one keeps the pivots of one state, and is refused */
static bool can_be_chosen(int method)
{
  return method != LW_SOLVER_AUGMENTED_KLU_AGAIN;
}

/* accelerations of the tree, and loads of all joints */
static void evaluate(const lw_model *m, lw_dynamics *d, double t, const double y[], double udot[],
                     double loads[])
{
  lwt_ok(lw_dynamics_accelerate(d, t, y, y + lw_nq(m), NULL, udot));
  lwt_ok(lw_dynamics_find_loads(d));
  for (int j = 1; j <= lw_njoint(m); j++)
    lwt_ok(lw_dynamics_get_load(d, (lw_joint){j}, loads + 6 * (j - 1)));
}

static void compare(const lw_model *m, lw_dynamics *a, lw_dynamics *b, double t, const double y[],
                    double tolerance, const char *what)
{
  double udot[2][MAX], loads[2][MAX];
  const int nu = lw_nu(m), nl = 6 * lw_njoint(m);
  evaluate(m, a, t, y, udot[0], loads[0]);
  evaluate(m, b, t, y, udot[1], loads[1]);
  lwt_close(udot[1], udot[0], nu, tolerance, lwt_scale(udot[0], nu), "%s: accelerations", what);
  lwt_close(loads[1], loads[0], nl, tolerance, lwt_scale(loads[0], nl), "%s: loads", what);
}

static lw_dynamics *dynamics_by(const lw_model *m, int method, lw_error *err)
{
  const lw_simulation_options o = by(method);
  *err = (lw_error){0};
  return lw_dynamics_new(m, &o, err);
}

/* ---- the squeezer along its motion ---- */

static void all_solvers_agree_along_the_motion_of_the_squeezer(void **state)
{
  (void)state;
  enum { STATES = 4 };
  lw_model *m = load("squeezer");
  lw_error err = {0};
  double y[STATES][MAX];
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.end = 0.03}, &err);
  for (int i = 0; i < STATES; i++)
    lwt_ok(lw_simulation_advance(sim, 0.01 * i, y[i], y[i] + lw_nq(m), &err));
  lw_dynamics *first = dynamics_by(m, LW_SOLVER_SPARSE, &err);
  for (int k = 1; k < LW_SOLVER_METHODS; k++) {
    if (!can_be_chosen(k)) continue;
    lw_dynamics *d = dynamics_by(m, k, &err);
    if (!d) fail_msg("%s", err.text);
    for (int i = 0; i < STATES; i++)
      compare(m, first, d, 0.01 * i, y[i], 1e-10, lw_solver_method_name((lw_solver_method)k));
    lw_dynamics_free(d);
  }
  lw_dynamics_free(first);
  lw_simulation_free(sim);
  lw_model_free(m);
}

/* ---- the vehicle settles ---- */

static void settle(const lw_model *m, int method, double y[])
{
  lw_error err = {0};
  lw_simulation_options o = by(method);
  o.end = 0.5;
  o.integrator = LW_INTEGRATOR_RK4; /* with error control steps would differ, and their errors */
  o.step = 2e-3;
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim) fail_msg("%s", err.text);
  lw_simulation_advance(sim, o.end, y, y + lw_nq(m), &err);
  assert_string_equal(err.text, "");
  lw_simulation_free(sim);
}

static void the_vehicle_settles_alike_with_all_solvers(void **state)
{
  (void)state;
  lw_model *m = load("hmmwv");
  const int nq = lw_nq(m), nu = lw_nu(m);
  double first[MAX], y[MAX], start[MAX];
  lw_initial_state(m, start, start + nq);
  settle(m, LW_SOLVER_SPARSE, first);
  double moved = 0;
  for (int i = 0; i < nq; i++)
    if (first[i] - start[i] > moved) moved = first[i] - start[i];
  assert_true(moved > 1e-3); /* else nothing is shown */
  for (int k = 1; k < LW_SOLVER_METHODS; k++) {
    if (!can_be_chosen(k)) continue;
    const char *name = lw_solver_method_name((lw_solver_method)k);
    settle(m, k, y);
    lwt_close(y, first, nq, 1e-8, lwt_scale(first, nq), "%s: q", name);
    lwt_close(y + nq, first + nq, nu, 1e-8, lwt_scale(first + nq, nu), "%s: u", name);
  }
  lw_model_free(m);
}

/* ---- random models ---- */

/* Planned where coordinates are zero and axes parallel, used where nothing is; Euler parameters of any
   size, zero ones too. */
static void plans_hold_at_all_states_of_random_trees(void **state)
{
  (void)state;
  int used[LW_SOLVER_METHODS] = {0};
  for (unsigned seed = 1; seed <= 16; seed++) {
    lw_error err = {0};
    double y[MAX];
    lw_model *m = lwt_random_model(&(lwt_recipe){.seed = seed,
                                                 .nbody = 2 + (int)seed % 6,
                                                 .branching = seed % 2 ? 0 : 0.5,
                                                 .planar = seed % 4 == 3,
                                                 .forces = true});
    lw_dynamics *first = dynamics_by(m, LW_SOLVER_SPARSE, &err);
    for (int k = 1; k < LW_SOLVER_METHODS; k++) {
      lw_dynamics *d = can_be_chosen(k) ? dynamics_by(m, k, &err) : NULL;
      if (!d) continue; /* reduced: in several parts */
      for (unsigned i = 0; i < 3; i++) {
        lwt_random_state(m, 100 * seed + i, y, y + lw_nq(m));
        compare(m, first, d, 0.1, y, 1e-9, lw_solver_method_name((lw_solver_method)k));
      }
      used[k]++;
      lw_dynamics_free(d);
    }
    lw_dynamics_free(first);
    lw_model_free(m);
  }
  for (int k = 1; k < LW_SOLVER_METHODS; k++)
    if (can_be_chosen(k))
      assert_true(used[k] >= (lw_get_solver_method((lw_solver_method)k).augmented ? 16 : 4));
}

static void all_solvers_agree_on_random_loops(void **state)
{
  (void)state;
  int used[LW_SOLVER_METHODS] = {0};
  for (unsigned seed = 0; seed < 24; seed++) {
    lw_error err = {0};
    double y[MAX];
    const lwt_loops recipe = lwt_loops_recipe(seed);
    lwt_case c = lwt_loops_case(&recipe);
    memcpy(y, c.q, (size_t)c.nq * sizeof *y);
    memcpy(y + c.nq, c.u, (size_t)c.nu * sizeof *y);
    lw_project(c.w, 0, y, y + c.nq);
    lw_dynamics *first = dynamics_by(c.m, LW_SOLVER_SPARSE, &err);
    for (int k = 1; k < LW_SOLVER_METHODS && first; k++) {
      lw_dynamics *d = can_be_chosen(k) ? dynamics_by(c.m, k, &err) : NULL;
      if (!d) continue; /* redundant or without inertia, or in several parts */
      compare(c.m, first, d, 0, y, 1e-8, lw_solver_method_name((lw_solver_method)k));
      used[k]++;
      lw_dynamics_free(d);
    }
    lw_dynamics_free(first);
    lwt_case_free(&c);
  }
  for (int k = 1; k < LW_SOLVER_METHODS; k++)
    if (can_be_chosen(k)) assert_true(used[k] >= 2);
}

/* A link that has turned by half a turn about each axis: some Euler parameters are zero, one after the other. */
static void half_turns_have_no_zero_pivot(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_spec *s = lw_spec_new();
  const lw_body a = lw_add_body(
      s,
      &(lw_body_desc){.name = "a", .mass = 1, .com = {0.5, 0.1, 0}, .inertia = {0.1, 0.2, 0.25}});
  const lw_body b = lw_add_body(
      s,
      &(lw_body_desc){.name = "b", .mass = 2, .com = {0.3, 0, 0.1}, .inertia = {0.2, 0.1, 0.15}});
  lw_add_joint(s, &(lw_joint_desc){.name = "a", .type = LW_SPHERICAL, .child = a});
  lw_add_joint(s, &(lw_joint_desc){.name = "b",
                                   .type = LW_REVOLUTE,
                                   .parent = a,
                                   .child = b,
                                   .axis = {0, 0, 1},
                                   .place.at = {1, 0, 0}});
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_dynamics *first = dynamics_by(m, LW_SOLVER_SPARSE, &err);
  for (int k = 1; k < LW_SOLVER_METHODS; k++) {
    if (!can_be_chosen(k)) continue;
    lw_dynamics *d = dynamics_by(m, k, &err);
    if (!d) fail_msg("%s", err.text);
    for (int axis = 0; axis < 4; axis++) {
      double y[9] = {[5] = 1, [6] = -2, [7] = 0.5, [8] = 3};
      y[axis] = 1;
      compare(m, first, d, 0, y, 1e-11, lw_solver_method_name((lw_solver_method)k));
    }
    lw_dynamics_free(d);
  }
  lw_dynamics_free(first);
  lw_model_free(m);
  lw_spec_free(s);
}

static void kept_pivots_are_refused(void **state)
{
  (void)state;
  lw_model *m = load("squeezer");
  lw_error err = {0};
  assert_null(dynamics_by(m, LW_SOLVER_AUGMENTED_KLU_AGAIN, &err));
  assert_int_equal(err.status, LW_E_UNSUPPORTED);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_solvers_agree_along_the_motion_of_the_squeezer),
      cmocka_unit_test(the_vehicle_settles_alike_with_all_solvers),
      cmocka_unit_test(plans_hold_at_all_states_of_random_trees),
      cmocka_unit_test(all_solvers_agree_on_random_loops),
      cmocka_unit_test(half_turns_have_no_zero_pivot),
      cmocka_unit_test(kept_pivots_are_refused),
  };
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  return cmocka_run_group_tests_name("identity/solver_choice", tests, NULL, NULL);
}
