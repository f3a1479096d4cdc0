/* SPDX-License-Identifier: Apache-2.0 */
/* The check of forward dynamics by inverse dynamics: nothing is lacking after a solve, in trees and loops, by cut joints
   and embedded, however uneven masses are; a force that is missing is seen, and the equation is named.  Trees of uneven
   masses and all sizes: the recursion, lanes, divide and conquer and the Cartesian form with its solvers agree. */
#include "light_mechanisms.h"
#include "cartesian/form/cartesian.h"
#include "tree/loops/force_balance.h"
#include "linkwork/batch.h"
#include "linkwork/formulation.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the lack with the right forces, and with one of them left out */
static void check(lw_model *m, lw_work *w, const double *q, const double *u, const char *name)
{
  const int n = lw_nu(m);
  double *tau = calloc((size_t)n + 1, sizeof *tau), *udot = calloc((size_t)n + 1, sizeof *udot);
  lwt_random random = lwt_seed(7);
  for (int i = 0; i < n; i++)
    tau[i] = lwt_uniform(&random, -1, 1);
  lwt_ok(lw_forward_dynamics(w, 0, q, u, tau, udot));
  const double right = lwi_find_imbalance(m, w, tau);
  if (!(right <= 1e-9)) fail_msg("%s: %g of the forces is lacking", name, right);
  const double wrong = lwi_find_imbalance(m, w, NULL);
  if (!(wrong > 1e-6)) fail_msg("%s: missing forces are not seen: %g", name, wrong);
  free(tau);
  free(udot);
}

static void forces_of_trees_balance(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    lwt_case c = lwt_case_new(&(lwt_recipe){.seed = seed, .nbody = 12, .branching = 0.5});
    check(c.m, c.w, c.q, c.u, "tree");
    lwt_case_free(&c);
  }
}

static void forces_of_loops_balance(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1e-6, 1e-12};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < 3; i++)
      for (int way = 0; way < 2; way++) {
        trial x = trial_of((topology)kind, 1, ratios[i], 1);
        lwt_ok(lw_set_loops(x.c.w, way ? LW_LOOPS_EMBEDDED : LW_LOOPS_CUT));
        check(x.c.m, x.c.w, x.c.q, x.c.u, x.name);
        trial_free(&x);
      }
}

/* ---- names ---- */

/* what lw_explain says of the last solve of a work names all of these */
static void check_message(lw_work *w, const lwt_case *c, const char *const name[], int n)
{
  lw_error err = {0};
  lw_explain(w, 0, c->q, c->u, LW_E_SINGULAR, "here", &err);
  for (int i = 0; i < n; i++)
    if (!strstr(err.text, name[i])) fail_msg("\"%s\" does not name %s", err.text, name[i]);
}

/* a force that is missing in the freedom of a joint: the body that moves there */
static void unbalanced_bodies_of_trees_are_named(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    lwt_case c = lwt_case_new(
        &(lwt_recipe){.seed = seed, .nbody = 9, .branching = 0.5, .keep_direction = true});
    for (int j = 1; j <= lw_njoint(c.m); j++) {
      const lw_joint_info info = lw_get_joint(c.m, (lw_joint){j});
      if (info.nu == 0) continue;
      memset(c.tau, 0, (size_t)c.nu * sizeof(double));
      lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
      c.tau[info.u] = 1e6;
      assert_true(lwi_find_imbalance(c.m, c.w, c.tau) > 1e-3);
      assert_int_equal(c.w->unsolved.body, info.child.id);
      const char *const name[] = {lw_body_name(c.m, info.child)};
      check_message(c.w, &c, name, 1);
    }
    lwt_case_free(&c);
  }
}

/* Multipliers of a row that are wrong: one of its bodies.  Accelerations that are wrong: a joint or the body. */
static void unsolved_rows_of_the_cartesian_form_are_named(void **state)
{
  (void)state;
  for (int kind = 0; kind < TOPOLOGIES; kind++) {
    trial x = trial_of((topology)kind, 1, 1, 1);
    lw_cartesian *c = lw_cartesian_new(x.c.m, NULL, NULL);
    for (int k = 0; k < c->shape.nset; k++) {
      const lwi_row_set *set = &c->set[k];
      const lw_joint_info info = lw_get_joint(x.c.m, (lw_joint){set->joint});
      lwt_ok(lw_cartesian_forward_dynamics(c, x.c.w, 0, x.c.q, x.c.u, NULL, x.c.udot));
      assert_true(lwi_cartesian_is_solved(lwi_cartesian_find_imbalance(c)));
      c->lambda[set->row] += 1e4;
      assert_false(lwi_cartesian_is_solved(lwi_cartesian_find_imbalance(c)));
      const int body = c->unsolved.body;
      if (body != info.parent.id && body != info.child.id)
        fail_msg("%s: body %d for joint %s", x.name, body, info.name);
      c->lambda[set->row] -= 1e4;
      x.c.w->unsolved = (lwi_unsolved){.joint = set->joint, .residual = 1};
      const char *const name[] = {info.name, lw_body_name(x.c.m, info.parent),
                                  lw_body_name(x.c.m, info.child)};
      check_message(x.c.w, &x.c, name, 3);
    }
    lw_cartesian_free(c);
    trial_free(&x);
  }
}

/* ---- trees of uneven masses ---- */

enum { BODIES = 9 };

/* every third body is light; all lengths times length */
static lwt_case uneven_tree(unsigned seed, double ratio, double length)
{
  lwt_parts *p = lwt_random_parts(&(lwt_recipe){.seed = seed,
                                                .nbody = BODIES,
                                                .branching = 0.3,
                                                .joints = 1 << LW_REVOLUTE | 1 << LW_SPHERICAL |
                                                          1 << LW_UNIVERSAL | 1 << LW_PRISMATIC});
  for (int b = 0; b < p->nbody; b++) {
    const double mass = b % 3 == 1 ? ratio : 1;
    p->body[b].mass *= mass;
    for (int i = 0; i < 3; i++)
      p->body[b].com[i] *= length;
    for (int i = 0; i < 6; i++)
      p->body[b].inertia[i] *= mass * length * length;
  }
  for (int j = 0; j < p->njoint; j++)
    for (int i = 0; i < 3; i++) {
      p->joint[j].place.at[i] *= length;
      p->joint[j].child_place.at[i] *= length;
    }
  lwt_case c = lwt_case_of(lwt_parts_compile(p), seed);
  for (int j = 1; j <= lw_njoint(c.m); j++) {
    const lw_joint_info info = lw_get_joint(c.m, (lw_joint){j});
    if (info.type != LW_PRISMATIC) continue;
    c.q[info.q] *= length;
    c.u[info.u] *= length;
  }
  lwt_parts_free(p);
  return c;
}

/* Accelerations of the bodies that are not light, in the units of a size of one: A[6 nbody].  Freedoms of a light body
   that hands on the loads of heavy ones move by rounding errors of these. */
static void heavy_accelerations(const lwt_case *c, double length, const double *udot, double *A)
{
  lwt_ok(lw_kinematics(c->w, c->q, c->u));
  lwt_ok(lw_accelerations(c->w, udot));
  for (int b = 1; b <= lw_nbody(c->m); b++, A += 6) {
    memset(A, 0, 6 * sizeof *A);
    if (b % 3 == 2) continue;
    lwt_ok(lw_get_acceleration(c->w, (lw_body){b}, A));
    for (int i = 3; i < 6; i++)
      A[i] /= length;
  }
}

static void compare_accelerations(const lwt_case *c, double length, const double *right,
                                  const double *udot, const char *name)
{
  double A[6 * BODIES];
  heavy_accelerations(c, length, udot, A);
  lwt_close(A, right, 6 * BODIES, 1e-8, lwt_scale(right, 6 * BODIES), "%s, length %g", name,
            length);
}

static void by_formulation(const lwt_case *c, double length, const double *right,
                           const lw_simulation_options *o, const char *name)
{
  lw_error err = {0};
  lw_dynamics *d = lw_dynamics_new(c->m, o, &err);
  /* solvers that invert masses say that a body is too light for them */
  if (!d && o->solver && err.status == LW_E_UNSUPPORTED) return;
  if (!d) fail_msg("%s: %s", name, err.text);
  lwt_ok(lw_dynamics_accelerate(d, 0, c->q, c->u, NULL, c->y));
  compare_accelerations(c, length, right, c->y, name);
  lw_dynamics_free(d);
}

static void by_lanes(const lwt_case *c, double length, const double *right)
{
  lw_work *w = lw_work_new_batch(c->m);
  lwt_ok(lw_forward_dynamics_n(w, 1, 0, c->q, c->u, NULL, c->y));
  compare_accelerations(c, length, right, c->y, "lanes");
  lw_work_free(w);
}

static void accelerations_of_uneven_trees_agree(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1e-3, 1e-6, 1e-9, 1e-12}, lengths[] = {1, 1e-6, 1e6};
  static const char *const solver[] = {"reduced-sparse", "reduced-lu", "augmented-klu"};
  for (unsigned seed = 1; seed <= 10; seed++)
    for (int i = 0; i < 15; i++) {
      const double length = lengths[i / 5];
      lwt_case c = uneven_tree(seed, ratios[i % 5], length);
      lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.x));
      double A[6 * BODIES];
      heavy_accelerations(&c, length, c.x, A);
      by_lanes(&c, length, A);
      by_formulation(&c, length, A, &(lw_simulation_options){.formulation = LW_FORMULATION_DCA},
                     "dca");
      for (int k = 0; k < 4; k++)
        by_formulation(&c, length, A,
                       &(lw_simulation_options){.formulation = LW_FORMULATION_CARTESIAN,
                                                .solver = k ? solver[k - 1] : NULL},
                       k ? solver[k - 1] : "cartesian");
      lwt_case_free(&c);
    }
}

/* a force that is missing in one lane is seen, and restored */
static void lanes_are_balanced_one_by_one(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 10; seed++) {
    lwt_case c = lwt_case_new(&(lwt_recipe){.seed = seed, .nbody = 7, .branching = 0.5});
    lw_work *w = lw_work_new_batch(c.m);
    const int lanes = lw_work_lanes(w), n = c.nu * lanes;
    double *q = calloc((size_t)(c.nq * lanes) + 1, sizeof *q),
           *u = calloc((size_t)n + 1, sizeof *u), *udot = calloc((size_t)n + 1, sizeof *udot);
    for (int k = 0; k < lanes; k++) {
      lwt_random_state(c.m, seed + 100 * (unsigned)k, c.q, c.u);
      for (int i = 0; i < c.nq; i++)
        q[i * lanes + k] = c.q[i];
      for (int i = 0; i < c.nu; i++)
        u[i * lanes + k] = c.u[i];
    }
    lwt_ok(lw_forward_dynamics_n(w, lanes, 0, q, u, NULL, udot));
    assert_true(lwi_find_imbalance(c.m, w, NULL) < 1e-9);
    memset(w->in, 0, (size_t)n * sizeof(double));
    w->in[n - 1] = 1e3; /* the last lane */
    assert_true(lwi_find_imbalance(c.m, w, w->in) > 1e-6);
    assert_true(lwi_balance_tree(c.m, w, w->in));
    assert_true(lwi_find_imbalance(c.m, w, w->in) < 1e-9);
    free(q);
    free(u);
    free(udot);
    lw_work_free(w);
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_trees_balance),
      cmocka_unit_test(forces_of_loops_balance),
      cmocka_unit_test(unbalanced_bodies_of_trees_are_named),
      cmocka_unit_test(unsolved_rows_of_the_cartesian_form_are_named),
      cmocka_unit_test(accelerations_of_uneven_trees_agree),
      cmocka_unit_test(lanes_are_balanced_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
