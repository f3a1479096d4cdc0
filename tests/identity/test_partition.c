/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate partitioning: which coordinates are independent, what follows from them, over time against
   the tree, and what it costs in long chains, trees and ladders. */
#include "cartesian/form/coordinate_partition.h"
#include "linkwork/linkwork.h"
#include "linkwork/loops.h"
#include "lwt_loops.h"
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
#include <math.h>

#include "cartesian/reduced/descriptor_system.h"

/* ---- mechanisms of pins: all joints closed at q = 0 ---- */

typedef struct {
  lw_spec *s;
  double (*origin)[2]; /* of bodies */
  int nbody, njoint;
} builder;

static builder builder_new(int most)
{
  builder b = {.s = lw_spec_new(), .origin = calloc((size_t)most + 1, sizeof *b.origin)};
  lw_set_planar(b.s);
  return b;
}

/* a bar between two points */
static int bar(builder *b, double x0, double y0, double x1, double y1)
{
  char name[32];
  const int i = ++b->nbody;
  const double dx = x1 - x0, dy = y1 - y0;
  snprintf(name, sizeof name, "b%d", i);
  b->origin[i][0] = x0;
  b->origin[i][1] = y0;
  lw_add_body(b->s, &(lw_body_desc){.name = name,
                                    .mass = 1,
                                    .com = {dx / 2, dy / 2},
                                    .inertia = {0, 0, (dx * dx + dy * dy) / 12}});
  return i;
}

static void pin(builder *b, int parent, int child, double x, double y)
{
  char name[32];
  snprintf(name, sizeof name, "j%d", ++b->njoint);
  const double *p = b->origin[parent], *c = b->origin[child];
  lw_add_joint(b->s, &(lw_joint_desc){.name = name,
                                      .type = LW_REVOLUTE,
                                      .parent = {parent},
                                      .child = {child},
                                      .place = {.at = {x - p[0], y - p[1]}},
                                      .child_place = {.at = {x - c[0], y - c[1]}}});
}

static lw_model *finish(builder *b)
{
  lw_error err;
  lw_model *m = lw_compile(b->s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(b->s);
  free(b->origin);
  return m;
}

static lw_model *chain(int n, bool ring)
{
  builder b = builder_new(n);
  double x = 0, y = 0;
  for (int i = 0; i < n; i++) {
    const double a = ring ? 3.14159 * (i + 0.5) / n : 0.3 * sin(i);
    const double to[2] = {x + cos(a) * (ring ? 10. / n : 1), y - sin(a) * (ring ? 10. / n : 1)};
    const int k = bar(&b, x, y, to[0], to[1]);
    pin(&b, k - 1, k, x, y);
    x = to[0], y = to[1];
  }
  if (ring) pin(&b, n, 0, x, y);
  return finish(&b);
}

static lw_model *binary_tree(int n)
{
  builder b = builder_new(n);
  for (int i = 1; i <= n; i++) {
    const double *p = b.origin[i / 2];
    const double x = i > 1 ? p[0] + 1 : 0, y = i > 1 ? p[1] - 0.3 : 0;
    const int k = bar(&b, x, y, x + 1, y - 0.3);
    pin(&b, i / 2, k, x, y);
  }
  return finish(&b);
}

/* cranks and couplers side by side; each crank on the ground */
static lw_model *four_bars(int n)
{
  builder b = builder_new(2 * n + 1);
  int before = bar(&b, 0, 0, 0.3, 1);
  pin(&b, 0, before, 0, 0);
  for (int i = 1; i <= n; i++) {
    const int crank = bar(&b, i, 0, i + 0.3, 1.1), coupler = bar(&b, i - 0.7, 1, i + 0.3, 1.1);
    pin(&b, 0, crank, i, 0);
    pin(&b, before, coupler, i - 0.7, i > 1 ? 1.1 : 1);
    pin(&b, coupler, crank, i + 0.3, 1.1);
    before = crank;
  }
  return finish(&b);
}

/* a scissor lift: nothing but its foot stands on the ground */
static lw_model *scissors(int n)
{
  builder b = builder_new(2 * n);
  for (int i = 0; i < n; i++) {
    const int up = bar(&b, 0, i, 2, i + 1), down = bar(&b, 2, i, 0, i + 1);
    if (i == 0) pin(&b, 0, up, 0, 0);
    if (i > 0) {
      pin(&b, down - 2, up, 0, i);
      pin(&b, up - 2, down, 2, i);
    }
    pin(&b, up, down, 1, i + 0.5);
  }
  return finish(&b);
}

/* ---- a partition at the assembled start ---- */

typedef struct {
  lw_model *m;
  lw_work *w;
  lw_cartesian *c;
  lwi_partition *p;
  double *q, *u;
} split;

static split split_of(lw_model *m, bool complete)
{
  lw_error err;
  split s = {.m = m, .w = lw_work_new(m), .c = lw_cartesian_new(m, NULL, &err)};
  if (!s.c) fail_msg("%s", err.text);
  s.q = calloc((size_t)lw_nq(m) + 1, sizeof *s.q);
  s.u = calloc((size_t)lw_nu(m) + 1, sizeof *s.u);
  s.p = lwi_partition_new(s.c, complete);
  assert_non_null(s.p);
  lw_initial_state(m, s.q, s.u);
  if (lw_close_loops(s.w, 0, s.q, s.u, &err) != LW_OK) fail_msg("%s", err.text);
  lwt_ok(lw_kinematics(s.w, s.q, s.u));
  lwi_cartesian_from_tree(s.c, s.w, s.q, s.u);
  lwi_cartesian_targets(s.c, 0);
  lwi_cartesian_place(s.c);
  assert_true(lwi_partition_choose(s.p));
  return s;
}

static void split_free(split *s)
{
  lwi_partition_free(s->p);
  lw_cartesian_free(s->c);
  lw_work_free(s->w);
  lw_model_free(s->m);
  free(s->q), free(s->u);
}

static lw_model *open_chain(int n)
{
  return chain(n, false);
}
static lw_model *ring(int n)
{
  return chain(n, true);
}

static double entries_per_body(lw_model *m)
{
  split s = split_of(m, false);
  const double n = (double)lwi_pivoted_entries(s.p->lu) / s.c->nbody;
  split_free(&s);
  return n;
}

/* Entries of the factors: what a step costs. */
static void factors_grow_with_the_number_of_bodies(void **state)
{
  (void)state;
  lw_model *(*const make[])(int) = {open_chain, binary_tree, four_bars, scissors, ring};
  static const char *const names[] = {"chain", "tree", "four-bars", "scissors", "ring"};
  for (int k = 0; k < 5; k++) {
    const int n = make[k] == scissors ? 60 : 120, times = make[k] == scissors ? 3 : 10;
    const double few = entries_per_body(make[k](n)), many = entries_per_body(make[k](times * n));
    if (!(many < 1.4 * few)) fail_msg("%s: %g entries per body, then %g", names[k], few, many);
  }
}

/* Factors of nearby models that fill in about as much as is allowed may have full rows or sparse ones: they have those of
   the model whose choice they take over, both ways. */
static void a_choice_is_followed_by_full_and_sparse_rows(void **state)
{
  (void)state;
  for (int plain = 0; plain < 2; plain++) {
    split a = split_of(four_bars(5), false), b = split_of(four_bars(5), false);
    assert_true(lwi_partition_use_rows(plain ? a.p : b.p, true));
    assert_true(lwi_partition_choose(a.p) && lwi_partition_choose(b.p));
    assert_false(lwi_pivoted_is_alike(a.p->lu, b.p->lu));
    b.p->independent[0] = -1;
    assert_true(lwi_partition_follow(b.p, a.p));
    assert_true(lwi_pivoted_is_alike(a.p->lu, b.p->lu));
    assert_int_equal(b.p->plain, plain);
    assert_memory_equal(b.p->independent, a.p->independent,
                        (size_t)a.p->nindependent * sizeof(int));
    split_free(&a);
    split_free(&b);
  }
}

/* the independent ones of the bodies' displacements from poses `from`, and of their speeds */
static void read_independent(const split *s, const lwi_frame *from, double v[], double vdot[])
{
  for (int k = 0; k < s->p->nindependent; k++) {
    const int body = 1 + s->p->independent[k] / s->c->width;
    const int i = s->p->independent[k] % s->c->width + (s->c->width == 6 ? 0 : 2);
    const lwi_body_state *b = &s->c->state[body];
    double axial[3] = {0}, turn[3];
    for (int e = 0; e < 3; e++) {
      cross3(from[body].R.c[e], b->X.R.c[e], turn);
      for (int j = 0; j < 3; j++)
        axial[j] += turn[j] / 2;
    }
    v[k] = i < 3 ? axial[i] : b->X.p[i - 3] - from[body].p[i - 3];
    vdot[k] = b->V[i];
  }
}

/* A state off the constraints: the independent coordinates and speeds of bodies stay, the others follow. */
static void check_recovery(split *s, double by, unsigned seed)
{
  lwt_random r = lwt_seed(seed);
  const int n = s->p->nindependent, nu = s->m->nu;
  double *v = calloc(4 * (size_t)n + 1, sizeof *v), *vdot = v + n, *stay = v + 2 * n;
  double *du = calloc((size_t)nu + 1, sizeof *du),
         *qdot = calloc((size_t)s->m->nq + 1, sizeof *qdot);
  lwi_frame *from = calloc((size_t)s->c->nbody + 1, sizeof *from);
  for (int i = 0; i < nu; i++) {
    du[i] = lwt_uniform(&r, -by, by);
    s->u[i] = lwt_uniform(&r, -1, 1);
  }
  lw_coordinate_rates(s->m, s->q, du, qdot);
  for (int i = 0; i < s->m->nq; i++)
    s->q[i] += qdot[i];
  lwt_ok(lw_normalize(s->m, s->q));
  lwt_ok(lw_kinematics(s->w, s->q, s->u));
  lwi_cartesian_from_tree(s->c, s->w, s->q, s->u);
  for (int i = 1; i <= s->c->nbody; i++)
    from[i] = s->c->state[i].X;
  read_independent(s, from, v, vdot);
  const lw_status done = lwi_partition_recover(s->p, s->w, 0, s->q, s->u, NULL);
  if (done != LW_OK) fail_msg("seed %u: %s", seed, lw_status_text(done));
  read_independent(s, from, stay, stay + n);
  lwt_close(stay, v, n, 1e-10, 1, "seed %u: independent coordinates", seed);
  lwt_close(stay + n, vdot, n, 1e-9, 1 + lwt_scale(vdot, n), "seed %u: independent speeds", seed);
  free(v), free(du), free(qdot), free(from);
  double drift;
  lwt_ok(lw_drift(s->w, 0, s->c->q, &drift));
  lwt_near(drift, 0, 1e-11, "seed %u: drift", seed);
  /* speeds that satisfy everything are not changed by projection */
  double *u = calloc((size_t)s->m->nu + 1, sizeof *u), *q = calloc((size_t)s->m->nq + 1, sizeof *q);
  memcpy(u, s->c->u, (size_t)s->m->nu * sizeof *u);
  memcpy(q, s->c->q, (size_t)s->m->nq * sizeof *q);
  lwt_ok(lw_project(s->w, 0, q, u));
  lwt_close(s->c->u, u, s->m->nu, 1e-9, 1 + lwt_scale(u, s->m->nu), "seed %u: speeds", seed);
  lwt_close(s->c->q, q, s->m->nq, 1e-9, 1 + lwt_scale(q, s->m->nq), "seed %u: positions", seed);
  free(u), free(q);
}

static void dependent_coordinates_follow_the_independent_ones(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 60; seed++) {
    lwt_loops d = lwt_loops_recipe(seed);
    d.relations = 0;
    split s = split_of(lwt_loops_model(&d), seed % 2);
    int dof, redundant;
    lwt_ok(lw_dof(s.w, s.q, &dof, &redundant));
    if (s.p->nindependent != dof)
      fail_msg("seed %u: %d independent, %d freedoms", seed, s.p->nindependent, dof);
    if (redundant == 0) check_recovery(&s, 0.02, seed);
    split_free(&s);
  }
  lw_model *(*const big[])(int) = {binary_tree, four_bars, scissors};
  for (unsigned k = 0; k < 3; k++) {
    split s = split_of(big[k](150), false);
    check_recovery(&s, 2e-5, k); /* gaps of chains of 150 joints, each of them off */
    split_free(&s);
  }
}

/* ---- over time ---- */

static lw_model *load_model(const char *name)
{
  char path[1024];
  lw_error err;
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  lw_spec *s = lw_spec_load(path, &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s: %s", path, err.text);
  lw_spec_free(s);
  return m;
}

/* The squeezing mechanism, planar: 21 coordinates, 20 equations; complete pivoting leaves the angle of the
   crank independent, wherever it is. */
static void the_crank_drives_the_squeezer(void **state)
{
  (void)state;
  lw_model *m = load_model("squeezer");
  lw_error err;
  lw_simulation_options o = lw_simulation_defaults(m);
  o.formulation = LW_FORMULATION_TREE;
  split s = split_of(m, true);
  assert_int_equal(s.p->n, 21);
  assert_int_equal(s.c->nrow, 20);
  const lw_joint crank = lw_find_joint(m, "O");
  const int column = 3 * (lw_get_joint(m, crank).child.id - 1);
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  assert_non_null(sim);
  for (int k = 0; k <= 60; k++) {
    if (lw_simulation_advance(sim, 0.0005 * k, s.q, s.u, &err) != LW_OK) fail_msg("%s", err.text);
    lwt_ok(lw_kinematics(s.w, s.q, s.u));
    lwi_cartesian_from_tree(s.c, s.w, s.q, s.u);
    lwi_cartesian_place(s.c);
    assert_true(lwi_partition_choose(s.p));
    assert_int_equal(s.p->nindependent, 1);
    if (s.p->independent[0] != column)
      fail_msg("t = %g: coordinate %d of body %d", 0.0005 * k, s.p->independent[0] % 3,
               s.p->independent[0] / 3 + 1);
  }
  lw_simulation_free(sim);
  split_free(&s);
}

/* simulates by a formulation to the end of the model or to `end`, if that is not 0 */
static void simulate(const lw_model *m, lw_simulation_options o, double end, double *q, double *u)
{
  lw_error err;
  if (end > 0) o.end = end;
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim) fail_msg("%s", err.text);
  if (lw_simulation_advance(sim, o.end, q, u, &err) != LW_OK) fail_msg("%s", err.text);
  lw_simulation_free(sim);
}

static void the_squeezer_arrives_where_it_should(void **state)
{
  (void)state;
  lw_model *m = load_model("squeezer");
  double q[16], u[16];
  for (int k = 0; k < 2; k++) {
    lw_simulation_options o = lw_simulation_defaults(m);
    o.formulation = LW_FORMULATION_CARTESIAN;
    o.integrator = k ? LW_INTEGRATOR_RK : LW_INTEGRATOR_ADAMS;
    o.rtol = 1e-12, o.atol = 1e-14;
    simulate(m, o, 0.03, q, u);
    /* minimal coordinates in extended precision */
    lwt_near(q[lw_get_joint(m, lw_find_joint(m, "O")).q], 15.8107711951537, 1e-9, "beta");
  }
  lw_model_free(m);
}

static void compare_with_tree(const char *name, double end, double rtol)
{
  lw_model *m = load_model(name);
  const size_t n = (size_t)(lw_nq(m) + lw_nu(m)) + 1;
  double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b), drift;
  lw_simulation_options o = lw_simulation_defaults(m);
  o.rtol = 1e-11, o.atol = 1e-13;
  o.formulation = LW_FORMULATION_TREE;
  simulate(m, o, end, a, a + lw_nq(m));
  o.formulation = LW_FORMULATION_CARTESIAN;
  simulate(m, o, end, b, b + lw_nq(m));
  lwt_close(b, a, lw_nq(m), rtol, 1, "%s: q", name);
  lwt_close(b + lw_nq(m), a + lw_nq(m), lw_nu(m), rtol, 1 + lwt_scale(a + lw_nq(m), lw_nu(m)),
            "%s: u", name);
  lw_work *w = lw_work_new(m);
  lwt_ok(lw_drift(w, end, b, &drift));
  lwt_near(drift, 0, 1e-9, "%s: drift", name);
  lw_work_free(w);
  free(a), free(b);
  lw_model_free(m);
}

/* trees and loops, redundant ones, quaternions, helical joints, rods, particles, many turns */
static void motions_are_those_of_the_tree(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double end, rtol;
  } runs[] = {{"four-bar", 5, 1e-7},     {"bricard", 2, 1e-7},        {"joint-zoo", 1, 1e-6},
              {"slider-crank", 2, 1e-6}, {"satellite", 5, 1e-7},      {"cart-pole", 2, 1e-7},
              {"humanoid", 0.5, 1e-7},   {"double-pendulum", 2, 1e-7}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    compare_with_tree(runs[i].name, runs[i].end, runs[i].rtol);
}

/* nothing is independent: drivers turn both joints, the second many times */
static void driven_mechanisms_follow_their_drivers(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  const double inertia[3] = {0.1, 0.2, 0.25};
  static const char *const values[2] = {"0.3*sin(2*t) + t^2", "t^3"};
  for (int i = 1; i <= 2; i++) {
    char name[3][16];
    snprintf(name[0], 16, "b%d", i), snprintf(name[1], 16, "j%d", i),
        snprintf(name[2], 16, "d%d", i);
    lw_body_desc b = {.name = name[0], .mass = 1, .com = {0.5, 0.1, 0.2}};
    memcpy(b.inertia, inertia, sizeof inertia);
    const lw_body added = lw_add_body(s, &b);
    const lw_term term = {.joint = lw_add_joint(s, &(lw_joint_desc){.name = name[1],
                                                                    .type = LW_REVOLUTE,
                                                                    .parent = {i - 1},
                                                                    .child = added,
                                                                    .place = {.at = {i, 0, 0.3}},
                                                                    .axis = {1, i, 0.5}}),
                          .dof = 1,
                          .coefficient = 1};
    lw_add_constraint(s, &(lw_constraint_desc){.name = name[2],
                                               .type = LW_DRIVER,
                                               .terms = &term,
                                               .nterm = 1,
                                               .value = lw_expr(s, values[i - 1])});
  }
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  double q[2], u[2];
  lw_simulation_options o = {.formulation = LW_FORMULATION_CARTESIAN};
  simulate(m, o, 3, q, u);
  const double should[4] = {0.3 * sin(6) + 9, 27, 0.6 * cos(6) + 6, 27};
  lwt_close(q, should, 2, 1e-11, 10, "q");
  lwt_close(u, should + 2, 2, 1e-11, 10, "u");
  lw_model_free(m);
  lw_spec_free(s);
}

/* 14 bodies, 73 equations, 11 freedoms */
static void the_vehicle_settles_on_its_springs(void **state)
{
  (void)state;
  lw_model *m = load_model("hmmwv");
  split s = split_of(m, true);
  assert_int_equal(s.c->nrow, 73);
  assert_int_equal(s.p->n, 84); /* 98 with the normalisations of 14 quaternions */
  assert_int_equal(s.p->nindependent, 11);
  split_free(&s);
  compare_with_tree("hmmwv", 10, 1e-7);
}

/* ---- one reduced solve of many bodies ---- */

static void reduced_systems_need_work_in_proportion_to_bodies(void **state)
{
  (void)state;
  lw_model *(*const make[])(int) = {open_chain, binary_tree, four_bars};
  for (int k = 0; k < 3; k++) {
    double work[2];
    for (int i = 0; i < 2; i++) {
      lw_error err;
      lw_model *m = make[k](i ? 20000 : 2000);
      lw_cartesian *c = lw_cartesian_new(m, NULL, &err);
      if (!c) fail_msg("%s", err.text);
      work[i] = lwi_descriptor_describe(c->linear).multiplications / c->nbody;
      lw_cartesian_free(c);
      lw_model_free(m);
    }
    lwt_near(work[1] / work[0], 1, 0.1, "multiplications per body");
  }
}

/* 100,000 bodies, against the recursion of the tree */
static void one_solve_moves_a_hundred_thousand_bodies(void **state)
{
  (void)state;
  lw_model *(*const make[])(int) = {open_chain, binary_tree};
  for (int k = 0; k < 2; k++) {
    lw_error err;
    lwt_case c = lwt_case_of(make[k](100000), 1);
    lw_cartesian *own = lw_cartesian_new(c.m, NULL, &err);
    if (!own) fail_msg("%s", err.text);
    lw_initial_state(c.m, c.q, c.u);
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
    lwt_ok(lw_cartesian_forward_dynamics(own, c.w, 0, c.q, c.u, NULL, c.x));
    lwt_close(c.x, c.udot, c.nu, 1e-9, lwt_scale(c.udot, c.nu), "%s", k ? "tree" : "chain");
    lw_cartesian_free(own);
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_grow_with_the_number_of_bodies),
      cmocka_unit_test(a_choice_is_followed_by_full_and_sparse_rows),
      cmocka_unit_test(dependent_coordinates_follow_the_independent_ones),
      cmocka_unit_test(the_crank_drives_the_squeezer),
      cmocka_unit_test(the_squeezer_arrives_where_it_should),
      cmocka_unit_test(motions_are_those_of_the_tree),
      cmocka_unit_test(driven_mechanisms_follow_their_drivers),
      cmocka_unit_test(the_vehicle_settles_on_its_springs),
      cmocka_unit_test(reduced_systems_need_work_in_proportion_to_bodies),
      cmocka_unit_test(one_solve_moves_a_hundred_thousand_bodies),
  };
  return cmocka_run_group_tests_name("identity/partition", tests, NULL, NULL);
}
