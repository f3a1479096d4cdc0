/* SPDX-License-Identifier: Apache-2.0 */
/* Closed mechanisms over time, against numbers from independent extended-precision programs
   (benchmarks A02 to A05, spatial slider-crank, four-bar of paper 002).  The models are those of models/. */
#include "lwt.h"

#include "linkwork/linkwork.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run ---- */

typedef struct {
  lw_model *m;
  lw_work *w;
  lw_simulation *sim;
  double *q, *u;
  double drift; /* the largest so far */
} run;

static lw_formulation way; /* of all runs; each test is run with each */

static int by_tree(void **state)
{
  (void)state;
  way = LW_FORMULATION_TREE;
  return 0;
}
static int by_dca(void **state)
{
  (void)state;
  way = LW_FORMULATION_DCA;
  return 0;
}

static run run_new(const char *name, const lw_simulation_options *options)
{
  lw_simulation_options o = options ? *options : (lw_simulation_options){0};
  o.formulation = way;
  char path[500];
  lw_error err = {0};
  const char *source = getenv("LINKWORK_SOURCE");
  assert_non_null(source);
  snprintf(path, sizeof path, "%s/models/%s.yaml", source, name);
  lw_spec *s = lw_spec_load(path, &err);
  assert_string_equal(err.text, "");
  run r = {.m = lw_compile(s, &err)};
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  r.w = lw_work_new(r.m);
  r.sim = lw_simulation_new(r.m, &o, &err);
  assert_string_equal(err.text, "");
  r.q = calloc((size_t)lw_nq_all(r.m) + 1, sizeof *r.q);
  r.u = calloc((size_t)lw_nu_all(r.m) + 1, sizeof *r.u);
  return r;
}

/* by way of n equal pieces, so that drift is seen on the way */
static void run_to(run *r, double t, int n)
{
  lw_error err = {0};
  for (int k = 1; k <= n; k++) {
    double drift;
    lw_simulation_advance(r->sim, t * k / n, r->q, r->u, &err);
    assert_string_equal(err.text, "");
    lwt_ok(lw_drift(r->m, r->w, t * k / n, r->q, &drift));
    r->drift = fmax(r->drift, drift);
  }
  lw_simulation_cut_joints(r->sim, r->q, r->u);
}

static void run_free(run *r)
{
  assert_true(r->drift < 1e-10);
  lw_simulation_free(r->sim);
  lw_work_free(r->w);
  lw_model_free(r->m);
  free(r->q);
  free(r->u);
}

static double q_of(const run *r, const char *joint)
{
  return r->q[lw_get_joint(r->m, lw_find_joint(r->m, joint)).q_all];
}
static double u_of(const run *r, const char *joint)
{
  return r->u[lw_get_joint(r->m, lw_find_joint(r->m, joint)).u_all];
}
static lw_pose pose_of(const run *r, const char *body)
{
  lw_pose X;
  lwt_ok(lw_kinematics(r->m, r->w, r->q, r->u));
  lwt_ok(lw_get_pose(r->m, r->w, lw_find_body(r->m, body), &X));
  return X;
}

/* ---- the tests ---- */

static void four_bar_of_paper_002(void **state)
{
  (void)state;
  const lw_integrator methods[] = {LW_INTEGRATOR_ADAMS, LW_INTEGRATOR_BDF, LW_INTEGRATOR_RK};
  for (int i = 0; i < 3; i++) {
    run r =
        run_new("four-bar",
                &(lw_simulation_options){.rtol = 1e-11, .atol = 1e-13, .integrator = methods[i]});
    run_to(&r, 1, 20);
    lwt_near(q_of(&r, "A"), -1.19887219443, 1e-9, "q1(1), method %d", i);
    run_free(&r);
  }
}

static void a_fixed_step_keeps_loops_closed(void **state)
{
  (void)state;
  run r =
      run_new("four-bar", &(lw_simulation_options){.step = 1e-3, .integrator = LW_INTEGRATOR_RK4});
  run_to(&r, 1, 20);
  lwt_near(q_of(&r, "A"), -1.19887219443, 1e-7, "q1(1)");
  run_free(&r);
}

static void squeezer_A03(void **state)
{
  (void)state;
  run r = run_new("squeezer", &(lw_simulation_options){.rtol = 1e-11, .atol = 1e-13});
  run_to(&r, 0.01, 10);
  lwt_near(q_of(&r, "O"), 2.1601131315315, 1e-9, "beta(0.01)");
  lwt_near(u_of(&r, "O"), 711.92315283110, 1e-6, "its rate");
  run_to(&r, 0.03, 1);
  lwt_near(q_of(&r, "O"), 15.8107711951537, 1e-9, "beta(0.03)");
  lwt_near(q_of(&r, "F"), -15.7563710584118, 1e-9, "Theta(0.03)");
  lwt_near(u_of(&r, "O"), 1139.92030225911, 1e-6, "beta'(0.03)");
  run_free(&r);
}

/* every 0.5 s the bars are in line, and two more freedoms are there for a moment */
static void two_four_bars_A02_pass_their_singular_configurations(void **state)
{
  (void)state;
  const lw_integrator methods[] = {LW_INTEGRATOR_AUTO, LW_INTEGRATOR_RK};
  for (int i = 0; i < 2; i++) {
    run r =
        run_new("two-four-bar",
                &(lw_simulation_options){.rtol = 1e-11, .atol = 1e-13, .integrator = methods[i]});
    run_to(&r, 10, 100);
    const lw_pose B0 = pose_of(&r, "bar0");
    lwt_near(B0.p[0], 0.32845811154083, 1e-7, "x of B0, method %d", i);
    lwt_near(B0.p[1], 0.94451853817859, 1e-7, "y of B0, method %d", i);
    double V[6];
    lwt_ok(lw_get_velocity(r.m, r.w, lw_find_body(r.m, "bar0"), V));
    lwt_near(V[3], 1.42305147020698, 1e-6, "its velocity");
    lwt_near(q_of(&r, "A0"), q_of(&r, "A2"), 1e-10, "all cranks parallel");
    run_free(&r);
  }
}

static void bricard_A04_moves_although_it_is_overconstrained(void **state)
{
  (void)state;
  static const double at_1[3] = {0.274481319265, -0.886707938735, -0.462330002687},
                      at_10[3] = {0.999730987304, -0.999999963826, -0.000268976512};
  run r = run_new("bricard", &(lw_simulation_options){.rtol = 1e-11, .atol = 1e-13});
  int dof, redundant;
  lw_initial_state(r.m, r.q, r.u);
  lwt_ok(lw_count_freedoms(r.m, r.w, r.q, &dof, &redundant));
  assert_int_equal(dof, 1);
  assert_int_equal(redundant, 1);
  run_to(&r, 1, 10);
  lwt_close(pose_of(&r, "rod3").p, at_1, 3, 1e-8, 1, "P3(1)");
  lw_simulation_free(r.sim);
  r.sim = lw_simulation_new(
      r.m, &(lw_simulation_options){.rtol = 1e-11, .atol = 1e-13, .formulation = way}, NULL);
  run_to(&r, 10, 100);
  lwt_close(pose_of(&r, "rod3").p, at_10, 3, 1e-8, 1, "P3(10)");
  run_free(&r);
}

/* at rest every 5 s, where a relative tolerance allows next to nothing */
static void an_overconstrained_mechanism_goes_on_for_long_at_loose_tolerances(void **state)
{
  (void)state;
  const lw_integrator methods[] = {LW_INTEGRATOR_ADAMS, LW_INTEGRATOR_BDF, LW_INTEGRATOR_RK};
  for (int i = 0; i < 3; i++) {
    double T0, U0, T, U;
    run r = run_new("bricard",
                    &(lw_simulation_options){.end = 60, .rtol = 1e-4, .integrator = methods[i]});
    lw_initial_state(r.m, r.q, r.u);
    lwt_ok(lw_energy(r.m, r.w, r.q, r.u, &T0, &U0));
    run_to(&r, 60, 120);
    lwt_ok(lw_energy(r.m, r.w, r.q, r.u, &T, &U));
    lwt_near(T + U, T0 + U0, 0.1, "energy, method %d", i);
    run_free(&r);
  }
}

static void governor_A05(void **state)
{
  (void)state;
  run r = run_new("governor", &(lw_simulation_options){.end = 1, .rtol = 1e-11, .atol = 1e-13});
  run_to(&r, 1, 1);
  lwt_near(q_of(&r, "slide"), 0.5014209223796, 1e-8, "s(1)");
  lwt_near(u_of(&r, "turn"), 6.271125741877, 1e-8, "omega(1)");
  run_free(&r);
}

static void spatial_slider_crank(void **state)
{
  (void)state;
  run r = run_new("slider-crank", &(lw_simulation_options){.end = 1, .rtol = 1e-11, .atol = 1e-13});
  run_to(&r, 1, 10);
  lwt_near(q_of(&r, "A"), 10.484073838524, 1e-8, "theta(1)");
  lwt_near(u_of(&r, "A"), 10.229888391903, 1e-7, "theta'(1)");
  lwt_near(q_of(&r, "D"), 0.2337647503355, 1e-9, "x(1)");
  run_free(&r);
}

#define EVERY_WAY(test) cmocka_unit_test_setup(test, by_tree), cmocka_unit_test_setup(test, by_dca)

int main(void)
{
  const struct CMUnitTest tests[] = {
      EVERY_WAY(four_bar_of_paper_002),
      EVERY_WAY(a_fixed_step_keeps_loops_closed),
      EVERY_WAY(squeezer_A03),
      EVERY_WAY(two_four_bars_A02_pass_their_singular_configurations),
      EVERY_WAY(bricard_A04_moves_although_it_is_overconstrained),
      EVERY_WAY(an_overconstrained_mechanism_goes_on_for_long_at_loose_tolerances),
      EVERY_WAY(governor_A05),
      EVERY_WAY(spatial_slider_crank),
  };
  return cmocka_run_group_tests_name("closed_form/mechanisms", tests, NULL, NULL);
}
