/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that are too long to be followed along the tree: closed on the net of all joints as in the
   coordinates of the tree, and moved by divide and conquer as by the Cartesian form. */
#include "linkwork/cartesian.h"
#include "linkwork/dca.h"
#include "linkwork/formulation.h"
#include "loop_cases.h"
#include "model/spec/spec_data.h"

/* ---- the net against the coordinates of the tree ---- */

static lwt_loops net_recipe(unsigned k)
{
  lwt_loops d = lwt_loops_recipe(k);
  d.relations = (int)(k % 2); /* all are closed at the start */
  d.constraints = (int)(k / 2 % 3);
  d.tree.loose = k % 8 == 1;
  d.twice = k % 5 == 4;
  return d;
}

/* the same mechanism twice, at the same state: c[1] with its ties on the net */
static void open_pair(const lwt_loops *d, lwt_case c[2])
{
  for (int i = 0; i < 2; i++) {
    lw_error err;
    lw_spec *s = lwt_loops_spec(d);
    s->far = i == 1;
    lw_model *m = lw_compile(s, &err);
    if (!m) fail_msg("seed %u: %s", d->tree.seed, err.text);
    lw_spec_free(s);
    c[i] = lwt_case_of(m, d->tree.seed);
    c[i].t = 0; /* when it is closed: drivers move it */
    lw_initial_state(m, c[i].q, c[i].x);
    assert_int_equal(m->tree_constraints.link_system != NULL,
                     i == 1 && m->tree_constraints.nconstraint > 0);
  }
  lwt_ok(lw_set_loops(c[0].w, LW_LOOPS_CUT));
}

static void close_pair(lwt_case c[2])
{
  lwt_case_free(&c[0]);
  lwt_case_free(&c[1]);
}

static void count_freedoms(void)
{
  int redundant = 0, tied = 0;
  for (unsigned k = 0; k < 200; k++) {
    const lwt_loops d = net_recipe(k);
    lwt_case c[2];
    int dof[2], rest[2];
    open_pair(&d, c);
    for (int i = 0; i < 2; i++) {
      lwt_ok(lw_dof(c[i].w, c[i].q, &dof[i], &rest[i]));
      lwt_ok(lw_project(c[i].w, c[i].t, c[i].q, c[i].u));
    }
    redundant += rest[0] > 0, tied += c[1].m->tree_constraints.link_system != NULL;
    if (dof[0] != dof[1] || rest[0] != rest[1])
      fail_msg("seed %u: %d freedoms, %d redundant; %d, %d on the net", k, dof[0], rest[0], dof[1],
               rest[1]);
    lwt_close(c[1].q, c[0].q, c[0].nq, 1e-9, 1, "seed %u: positions", k);
    lwt_close(c[1].u, c[0].u, c[0].nu, 1e-9, 1 + lwt_scale(c[0].u, c[0].nu), "seed %u: speeds", k);
    close_pair(c);
  }
  assert_true(redundant > 40 && tied > 180);
}

/* both on the mechanisms as drawn and with universal joints for gimbals, and gimbals for them */
static void on_both(void (*check)(void))
{
  for (int swap = 0; swap < 2; swap++) {
    lwt_swap_gimbals(swap);
    check();
  }
  lwt_swap_gimbals(false);
}

static void the_net_counts_freedoms_and_finds_the_nearest_speeds(void **state)
{
  (void)state;
  on_both(count_freedoms);
}

/* steps are the shortest in kinetic energy on either way: what is not redundant ends at the same place */
static void close_loops(void)
{
  int alike = 0;
  for (unsigned k = 0; k < 200; k++) {
    lwt_loops d = net_recipe(k);
    if (k % 2) d.loops = 1, d.twice = false;
    lwt_case c[2];
    int dof, rest;
    double drift;
    open_pair(&d, c);
    lwt_ok(lw_dof(c[0].w, c[0].q, &dof, &rest));
    for (int i = 0; i < 2; i++) {
      lwt_random r = lwt_seed(k);
      for (int j = 0; j < c[i].nu; j++)
        c[i].tau[j] = lwt_uniform(&r, -1e-4, 1e-4);
      double *rate = calloc((size_t)c[i].nq + 1, sizeof *rate);
      lw_coordinate_rates(c[i].m, c[i].q, c[i].tau, rate);
      for (int j = 0; j < c[i].nq; j++)
        c[i].q[j] += rate[j];
      free(rate);
      lwt_ok(lw_normalize(c[i].m, c[i].q));
      lw_error err = {0};
      if (rest == 0)
        lwt_ok(lw_project(c[i].w, c[i].t, c[i].q, c[i].u));
      else if (lw_close_loops(c[i].w, c[i].t, c[i].q, c[i].u, &err) != LW_OK)
        continue; /* drivers may contradict loops */
      lwt_ok(lw_drift(c[i].w, c[i].t, c[i].q, &drift));
      lwt_near(drift, 0, 1e-9, "seed %u: closed", k);
    }
    if (rest == 0) {
      alike++;
      lwt_close(c[1].q, c[0].q, c[0].nq, 1e-9, 1, "seed %u: positions", k);
      lwt_close(c[1].u, c[0].u, c[0].nu, 1e-8, 1 + lwt_scale(c[0].u, c[0].nu), "seed %u", k);
    }
    close_pair(c);
  }
  if (alike < 60) fail_msg("only %d without redundant equations", alike);
}

static void the_net_closes_loops_that_have_opened(void **state)
{
  (void)state;
  on_both(close_loops);
}

/* what only divide and conquer can do; the tree says so */
static void divide_and_conquer_takes_over_from_the_tree(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 60; k++) {
    const lwt_loops d = net_recipe(k);
    lwt_case c[2];
    lw_error err = {0};
    open_pair(&d, c);
    if (!c[1].m->tree_constraints.link_system) {
      close_pair(c);
      continue;
    }
    lwt_ok(lw_project(c[0].w, c[0].t, c[0].q, c[0].u));
    memcpy(c[1].q, c[0].q, (size_t)c[0].nq * sizeof(double));
    memcpy(c[1].u, c[0].u, (size_t)c[0].nu * sizeof(double));
    lw_dynamics *by = lw_dynamics_new(c[1].m, NULL, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(lw_dynamics_formulation(by), LW_FORMULATION_DCA);
    lwt_ok(lw_dynamics_accelerate(by, c[1].t, c[1].q, c[1].u, c[1].tau, c[1].udot));
    lwt_ok(lw_forward_dynamics(c[0].w, c[0].t, c[0].q, c[0].u, c[0].tau, c[0].udot));
    lwt_close(c[1].udot, c[0].udot, c[0].nu, 1e-9, G + lwt_scale(c[0].udot, c[0].nu), "seed %u", k);
    lw_dynamics_free(by);
    assert_int_equal(lw_set_loops(c[1].w, LW_LOOPS_AUTO), LW_E_UNSUPPORTED);
    assert_int_equal(lw_forward_dynamics(c[1].w, c[1].t, c[1].q, c[1].u, c[1].tau, c[1].udot),
                     LW_E_UNSUPPORTED);
    assert_int_equal(lw_inverse_dynamics(c[1].w, c[1].t, c[1].q, c[1].u, c[0].udot, c[1].x),
                     LW_E_UNSUPPORTED);
    by =
        lw_dynamics_new(c[1].m, &(lw_simulation_options){.formulation = LW_FORMULATION_TREE}, &err);
    assert_null(by);
    assert_int_equal(err.status, LW_E_UNSUPPORTED);
    close_pair(c);
  }
}

/* ---- long rows of loops ---- */

static void add_hinge(lw_spec *s, int *n, int parent, int child, const double at[2], double x,
                      double y, const double *q)
{
  char name[16];
  snprintf(name, sizeof name, "j%d", ++*n);
  lw_joint_desc d = {.name = name,
                     .type = LW_REVOLUTE,
                     .parent = {parent},
                     .child = {child},
                     .place.at = {at[0], at[1], 0},
                     .child_place.at = {x, y, 0},
                     .has_q = q != NULL};
  if (q) d.q[0] = *q;
  lw_add_joint(s, &d);
}

static void add_bodies(lw_spec *s, int n, bool ladder)
{
  char name[16];
  lw_set_gravity(s, 3, -9, 0);
  for (int i = 1; i <= n; i++) {
    const bool along = !ladder || i % 3 == 0;
    snprintf(name, sizeof name, "b%d", i);
    lw_add_body(s, &(lw_body_desc){.name = name,
                                   .mass = 1 + 0.1 * (i % 7),
                                   .com = {along ? 0.4 : 0, along ? 0 : 0.4, 0},
                                   .inertia = {0.1, 0.2, 0.2}});
  }
}

static lwt_case finish(lw_spec *s)
{
  lw_error err = {0};
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  lwt_case c = lwt_case_of(m, 1);
  lw_initial_state(m, c.q, c.x);
  for (int i = 0; i < c.nu; i++)
    c.u[i] = 0.01 * sin(i);
  return c;
}

/* two rails of hinges with parallel axes, and a rung for each pair of their bodies: a freedom a cell, and two of
   the five equations of each loop count */
static lwt_case ladder(int cells)
{
  lw_spec *s = lw_spec_new();
  int n = 0;
  add_bodies(s, 3 * cells, true);
  for (int c = 0; c < cells; c++) {
    const int left = 3 * c + 1, right = left + 1, rung = left + 2;
    const double end[2] = {0, c ? 1 : 0}, top[2] = {0, 1}, side[2] = {1, 0};
    const double foot[2] = {c ? 0 : 1, c ? 1 : 0};
    add_hinge(s, &n, c ? left - 3 : 0, left, end, 0, 0, NULL);
    add_hinge(s, &n, left, rung, top, 0, 0, NULL);
    add_hinge(s, &n, c ? right - 3 : 0, right, foot, 0, 0, NULL);
    add_hinge(s, &n, rung, right, side, 0, 1, NULL);
  }
  lwt_case x = finish(s);
  double before = 0;
  for (int c = 0; c < cells; c++) { /* rails lean to and fro, rungs stay parallel */
    const double lean = 0.3 * sin(0.7 * c + sin(0.1 * c));
    x.q[3 * c] = x.q[3 * c + 2] = lean - before;
    x.q[3 * c + 1] = -lean;
    before = lean;
  }
  return x;
}

/* pairs of bars that cross each other, end to end: two freedoms in all */
static lwt_case scissors(int cells)
{
  lw_spec *s = lw_spec_new();
  int n = 0;
  const double t = 0.5, pi = acos(-1), wide = pi - 2 * t, fold = 2 * t - pi;
  const double ground[2] = {0, 0}, middle[2] = {0, 0}, end[2] = {1, 0};
  add_bodies(s, 2 * cells, false);
  for (int c = 0; c < cells; c++) {
    const int a = 2 * c + 1, b = a + 1;
    add_hinge(s, &n, c ? b - 2 : 0, a, c ? end : ground, -1, 0, c ? &fold : &t);
    add_hinge(s, &n, a, b, middle, 0, 0, &wide);
    if (c) add_hinge(s, &n, a - 2, b, end, -1, 0, NULL);
  }
  return finish(s);
}

typedef struct {
  int dof, redundant;
  bool compared; /* with the Cartesian form */
} expected;

static void check_row(lwt_case c, expected e)
{
  int dof, redundant;
  lw_error err = {0};
  lwt_ok(lw_project(c.w, 0, c.q, c.u));
  lwt_ok(lw_dof(c.w, c.q, &dof, &redundant));
  assert_int_equal(dof, e.dof);
  assert_int_equal(redundant, e.redundant);
  lw_dca *d = lw_dca_new(c.m, NULL, &err);
  assert_non_null(d);
  lwt_ok(lw_dca_forward_dynamics(d, c.w, 0, c.q, c.u, NULL, c.udot));
  assert_int_equal(lw_dca_redundant(d), e.redundant);
  lw_dca_free(d);
  if (e.compared) {
    lw_cartesian *by = lw_cartesian_new(c.m, NULL, &err);
    assert_non_null(by);
    lwt_ok(lw_cartesian_forward_dynamics(by, c.w, 0, c.q, c.u, NULL, c.x));
    assert_int_equal(lw_cartesian_redundant(by), e.redundant);
    lwt_close(c.udot, c.x, c.nu, 1e-9, 9.5 + lwt_scale(c.x, c.nu), "%d loops", c.m->ncut);
    lw_cartesian_free(by);
  }
  lwt_case_free(&c);
}

static void ladders_move_as_in_the_cartesian_form(void **state)
{
  (void)state;
  check_row(ladder(1000), (expected){1000, 3000, true});
}

static void scissors_are_stiff_and_move_as_in_the_cartesian_form(void **state)
{
  (void)state;
  check_row(scissors(1500), (expected){2, 3 * 1499, true});
}

static void no_row_of_a_long_ladder_is_taken_for_redundant(void **state)
{
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  enum { CELLS = 2000 };
#else
  enum { CELLS = 16667 };
#endif
  check_row(ladder(CELLS), (expected){CELLS, 3 * CELLS, false});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_net_counts_freedoms_and_finds_the_nearest_speeds),
      cmocka_unit_test(the_net_closes_loops_that_have_opened),
      cmocka_unit_test(divide_and_conquer_takes_over_from_the_tree),
      cmocka_unit_test(ladders_move_as_in_the_cartesian_form),
      cmocka_unit_test(scissors_are_stiff_and_move_as_in_the_cartesian_form),
      cmocka_unit_test(no_row_of_a_long_ladder_is_taken_for_redundant),
  };
  return cmocka_run_group_tests_name("identity/long_loops", tests, NULL, NULL);
}
