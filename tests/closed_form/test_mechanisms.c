/* SPDX-License-Identifier: Apache-2.0 */
/* Closed mechanisms over time, against numbers from independent extended-precision programs
   (benchmarks A02 to A05, spatial slider-crank, four-bar of paper 002).  The models are those of models/. */
#include "lwt.h"

#include "linkwork/linkwork.h"
#include "linkwork/columns.h"
#include "linkwork/loops.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run ---- */

enum { CUT, EMBEDDED, DCA };
static const lw_simulation_options ways[] = {
    [CUT] = {.formulation = LW_FORMULATION_TREE, .loops = LW_LOOPS_CUT},
    [EMBEDDED] = {.formulation = LW_FORMULATION_TREE, .loops = LW_LOOPS_EMBEDDED},
    [DCA] = {.formulation = LW_FORMULATION_DCA}};
static lw_simulation_options way; /* of all runs of a test */

typedef struct {
  lw_model *m;
  lw_work *w;
  lw_simulation *sim;
  double *q, *u;
  double drift; /* the largest so far */
} run;

/* of a model, which it takes */
static run run_of(lw_model *m, const lw_simulation_options *options)
{
  lw_simulation_options o = *options;
  lw_error err = {0};
  o.formulation = way.formulation;
  o.loops = way.loops;
  run r = {.m = m, .w = lw_work_new(m), .sim = lw_simulation_new(m, &o, &err)};
  assert_string_equal(err.text, "");
  lwt_ok(lw_set_loops(r.w, way.loops));
  r.q = calloc((size_t)lw_nq_all(m) + 1, sizeof *r.q);
  r.u = calloc((size_t)lw_nu_all(m) + 1, sizeof *r.u);
  return r;
}

static run run_new(const char *name, const lw_simulation_options *options)
{
  char path[500];
  lw_error err = {0};
  const char *source = getenv("LINKWORK_SOURCE");
  assert_non_null(source);
  snprintf(path, sizeof path, "%s/models/%s.yaml", source, name);
  lw_spec *s = lw_spec_load(path, &err);
  assert_string_equal(err.text, "");
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  return run_of(m, options);
}

/* by way of n equal pieces, so that drift is seen on the way */
static void run_to(run *r, double t, int n)
{
  lw_error err = {0};
  for (int k = 1; k <= n; k++) {
    double drift;
    lw_simulation_advance(r->sim, t * k / n, r->q, r->u, &err);
    assert_string_equal(err.text, "");
    lwt_ok(lw_drift(r->w, t * k / n, r->q, &drift));
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
  lwt_ok(lw_kinematics(r->w, r->q, r->u));
  lwt_ok(lw_get_pose(r->w, lw_find_body(r->m, body), &X));
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

/* in the plane, and of hinges in space, whose equations have rank 41 of 50 */
static void squeezer_A03(void **state)
{
  (void)state;
  const char *const names[] = {"squeezer", "squeezer-spatial"};
  for (int i = 0; i < 2; i++) {
    run r = run_new(names[i], &(lw_simulation_options){.rtol = 1e-11, .atol = 1e-13});
    run_to(&r, 0.01, 10);
    lwt_near(q_of(&r, "O"), 2.1601131315315, 1e-9, "beta(0.01)");
    lwt_near(u_of(&r, "O"), 711.92315283110, 1e-6, "its rate");
    run_to(&r, 0.03, 1);
    lwt_near(q_of(&r, "O"), 15.8107711951537, 1e-9, "beta(0.03)");
    lwt_near(q_of(&r, "F"), -15.7563710584118, 1e-9, "Theta(0.03)");
    lwt_near(u_of(&r, "O"), 1139.92030225911, 1e-6, "beta'(0.03)");
    run_free(&r);
  }
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
    lwt_ok(lw_get_velocity(r.w, lw_find_body(r.m, "bar0"), V));
    lwt_near(V[3], 1.42305147020698, 1e-6, "its velocity");
    lwt_near(q_of(&r, "A0"), q_of(&r, "A2"), 1e-10, "all cranks parallel");
    run_free(&r);
  }
}

static lw_joint hinge(lw_spec *s, const char *kind, int i, lw_body parent, lw_body child, double x,
                      double y, double u)
{
  char name[16];
  snprintf(name, sizeof name, "%s%d", kind, i);
  return lw_add_joint(s, &(lw_joint_desc){.name = name,
                                          .type = LW_REVOLUTE,
                                          .parent = parent,
                                          .child = child,
                                          .place.at = {x, y, 0},
                                          .child_place.at = {0, kind[0] == 'C' ? 1 : 0, 0},
                                          .u = {u},
                                          .has_u = kind[0] != 'C',
                                          .hold = kind[0] == 'A' && i == 0});
}

/* n four-bars, of thin rods */
static lw_model *four_bars(int n)
{
  lw_spec *s = lw_spec_new();
  lw_error err = {0};
  char name[16];
  lw_body crank[64], bar[64];
  lw_set_gravity(s, 0, -9.81, 0);
  for (int i = 0; i <= n; i++) {
    snprintf(name, sizeof name, "crank%d", i);
    crank[i] = lw_add_body(
        s, &(lw_body_desc){
               .name = name, .mass = 1, .com = {0, 0.5, 0}, .inertia = {1.0 / 12, 0, 1.0 / 12}});
    hinge(s, "A", i, (lw_body){0}, crank[i], i, 0, -1);
  }
  for (int i = 0; i < n; i++) {
    snprintf(name, sizeof name, "bar%d", i);
    bar[i] = lw_add_body(
        s, &(lw_body_desc){
               .name = name, .mass = 1, .com = {0.5, 0, 0}, .inertia = {0, 1.0 / 12, 1.0 / 12}});
    hinge(s, "B", i, crank[i], bar[i], 0, 1, 1);
  }
  for (int i = 0; i < n; i++)
    hinge(s, "C", i, bar[i], crank[i + 1], 1, 0, 0);
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  return m;
}

/* phi'' = ((n+1)/2 + n) g sin phi / ((n+1)/3 + n) from phi = 0, phi' = 1 */
static double crank_angle(int n, double end)
{
  const double k = ((n + 1) / 2.0 + n) * 9.81 / ((n + 1) / 3.0 + n);
  const int steps = 200000;
  const double h = end / steps;
  double x = 0, v = 1;
  for (int i = 0; i < steps; i++) {
    const double a1 = k * sin(x), v2 = v + h / 2 * a1, a2 = k * sin(x + h / 2 * v);
    const double v3 = v + h / 2 * a2, a3 = k * sin(x + h / 2 * v2), v4 = v + h * a3;
    const double a4 = k * sin(x + h * v3);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return x;
}

static void forty_four_bars_A02_pass_their_singular_configurations(void **state)
{
  (void)state;
  const int n = 40;
  const double end = 2; /* they are horizontal every half second */
  run r = run_of(four_bars(n), &(lw_simulation_options){.end = end, .rtol = 1e-10, .atol = 1e-12});
  run_to(&r, end, 20);
  lwt_near(q_of(&r, "A0"), -crank_angle(n, end), 1e-6, "angle of the cranks");
  lwt_near(q_of(&r, "A0"), q_of(&r, "A40"), 1e-9, "all cranks parallel");
  run_free(&r);
}

static void bricard_A04_moves_although_it_is_overconstrained(void **state)
{
  (void)state;
  static const double at_1[3] = {0.274481319265, -0.886707938735, -0.462330002687},
                      at_10[3] = {0.999730987304, -0.999999963826, -0.000268976512};
  run r = run_new("bricard", &(lw_simulation_options){.rtol = 1e-11, .atol = 1e-13});
  int dof, redundant;
  lw_initial_state(r.m, r.q, r.u);
  lwt_ok(lw_dof(r.w, r.q, &dof, &redundant));
  lwt_ok(lw_dof(r.w, r.q, NULL, NULL)); /* each may be NULL */
  assert_int_equal(dof, 1);
  assert_int_equal(redundant, 1);
  run_to(&r, 1, 10);
  lwt_close(pose_of(&r, "rod3").p, at_1, 3, 1e-8, 1, "P3(1)");
  lw_simulation_free(r.sim);
  r.sim = lw_simulation_new(
      r.m,
      &(lw_simulation_options){
          .rtol = 1e-11, .atol = 1e-13, .loops = way.loops, .formulation = way.formulation},
      NULL);
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
    lwt_ok(lw_energy(r.w, r.q, r.u, &T0, &U0));
    run_to(&r, 60, 120);
    lwt_ok(lw_energy(r.w, r.q, r.u, &T, &U));
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

static int set_way(void **state)
{
  way = *(const lw_simulation_options *)*state;
  return 0;
}

#define BY(way, test)                                                                              \
  {                                                                                                \
#test " (" #way ")", test, set_way, NULL, (void *)&ways[way]                                   \
  }
#define EVERY_WAY(test) BY(CUT, test), BY(EMBEDDED, test), BY(DCA, test)

int main(void)
{
  const struct CMUnitTest tests[] = {
      EVERY_WAY(four_bar_of_paper_002),
      EVERY_WAY(a_fixed_step_keeps_loops_closed),
      EVERY_WAY(squeezer_A03),
      EVERY_WAY(two_four_bars_A02_pass_their_singular_configurations),
      EVERY_WAY(forty_four_bars_A02_pass_their_singular_configurations),
      EVERY_WAY(bricard_A04_moves_although_it_is_overconstrained),
      EVERY_WAY(an_overconstrained_mechanism_goes_on_for_long_at_loose_tolerances),
      EVERY_WAY(governor_A05),
      EVERY_WAY(spatial_slider_crank),
  };
  return cmocka_run_group_tests_name("closed_form/mechanisms", tests, NULL, NULL);
}
