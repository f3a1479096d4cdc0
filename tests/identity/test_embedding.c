/* SPDX-License-Identifier: Apache-2.0 */
/* Loops embedded as nodes of a coarser tree give what cut joints give, and go where these cannot. */
#include "loop_cases.h"
#include "tree/loops/closure.h"
#include "linkwork/analysis.h"
#include "linkwork/batch.h"

/* ---- the two ways agree ---- */

/* drivers, gears, couplers, geometric constraints, motors and springs on joints that close loops */
static lwt_loops rich_recipe(unsigned k)
{
  lwt_loops d = lwt_loops_recipe(k);
  d.relations = (int)(k % 3);
  d.constraints = (int)(k / 2 % 3);
  d.forces = k % 3 != 1;
  d.tree.measured = k % 3 == 2;
  d.twice = k % 5 == 4;
  d.prefer = k % 7 == 6;
  return d;
}

typedef struct {
  double *udot, (*load)[6]; /* joints, then constraints: relations in the first number */
} answer;

static answer answer_of(const lwt_case *c, lw_loops way)
{
  const int n = lw_njoint(c->m), more = c->m->nconstraint;
  answer a = {calloc((size_t)c->nu + 1, sizeof *a.udot),
              calloc((size_t)(n + more) + 1, sizeof *a.load)};
  lwt_ok(lw_set_loops(c->w, way));
  /* planar joints in the plane close loops without any equation */
  assert_int_equal(lw_get_loops(c->w).method,
                   c->m->tree_constraints.nconstraint > 0 ? way : LW_LOOPS_AUTO);
  lwt_ok(lw_forward_dynamics(c->w, c->t, c->q, c->u, c->tau, a.udot));
  lwt_ok(lw_joint_loads(c->w));
  for (int j = 1; j <= n; j++)
    lwt_ok(lw_get_load(c->w, (lw_joint){j}, a.load[j - 1]));
  for (int j = 1; j <= more; j++)
    if (c->m->constraint[j].equations.n)
      lwt_ok(lw_get_constraint_load(c->w, (lw_constraint){j}, a.load[n + j - 1]));
    else
      lwt_ok(lw_get_relation_load(c->w, (lw_constraint){j}, a.load[n + j - 1]));
  return a;
}

static void answer_free(answer *a)
{
  free(a->udot);
  free(a->load);
}

/* loads of cut joints, of geometric constraints and of relations by the multipliers of the dense system */
static void dense_loads(const lwt_case *c, const dense_rows *d, const double *lambda,
                        double (*load)[6])
{
  const int n = lw_njoint(c->m);
  int row = 0;
  for (int j = 1; j <= n + c->m->nconstraint; j++) {
    const lwi_constraint *k = j > n ? &c->m->constraint[j - n] : NULL;
    if (!k && !c->m->joint[j].info.cut) continue;
    const int rows = k ? k->equations.n : c->m->joint[j].equations.n;
    memset(load[j - 1], 0, sizeof *load);
    for (int r = 0; r < rows; r++, row++)
      for (int i = 0; i < 6; i++)
        load[j - 1][i] += lambda[row] * d->child[row][i];
    if (k && rows == 0) load[j - 1][0] = lambda[row++];
  }
}

/* takes the directions that redundancy leaves undetermined out of loads */
static void keep_determined(const lwt_case *c, double (*load)[6])
{
  const int n = lw_njoint(c->m);
  lw_self_stress *x = lw_self_stress_new(c->w);
  assert_non_null(x);
  for (int j = 0; j < n + c->m->nconstraint; j++) {
    double D[6][6];
    if (j >= n && !c->m->constraint[j - n + 1].equations.n) continue;
    const int k = j < n ? lw_self_stress_of_joint(x, (lw_joint){j + 1}, D)
                        : lw_self_stress_of_constraint(x, (lw_constraint){j - n + 1}, D);
    for (int i = 0; i < k; i++) {
      double along = 0;
      for (int e = 0; e < 6; e++)
        along += D[i][e] * load[j][e];
      for (int e = 0; e < 6; e++)
        load[j][e] -= along * D[i][e];
    }
  }
  lw_self_stress_free(x);
}

/* Loads have the smallest sum of squares by both ways, so that they agree also where redundancy leaves
   them undetermined, by one digit less: cut joints know the states of self-stress by W, embedding by G. */
static void both_ways_give_the_accelerations_of_the_dense_system_and_the_same_loads(void **state)
{
  (void)state;
  loop_way = LW_LOOPS_AUTO;
  int redundant = 0;
  for (unsigned k = 0; k < 200; k++) {
    const lwt_loops d = rich_recipe(k);
    lwt_case c = mechanism_case(&d);
    dense_rows g = find_rows(&c);
    double *lambda = calloc((size_t)g.n + 1, sizeof *lambda);
    int rank = solve_kkt(&c, &g, c.x, lambda);
    if (rank < g.n) { /* speeds must be possible */
      redundant++;
      memset(c.u, 0, (size_t)c.nu * sizeof(double));
      dense_rows_free(&g);
      g = find_rows(&c);
      rank = solve_kkt(&c, &g, c.x, lambda);
    }
    answer cut = answer_of(&c, LW_LOOPS_CUT), embedded = answer_of(&c, LW_LOOPS_EMBEDDED);
    const int n = 6 * (lw_njoint(c.m) + c.m->nconstraint);
    const double size = G + lwt_scale(c.x, c.nu), force = 10 + lwt_scale(&cut.load[0][0], n);
    lwt_close(cut.udot, c.x, c.nu, 1e-9, size, "seed %u, cut", k);
    lwt_close(embedded.udot, c.x, c.nu, 1e-9, size, "seed %u, embedded", k);
    lwt_close(&embedded.load[0][0], &cut.load[0][0], n, rank < g.n ? 1e-8 : 1e-9, force,
              "seed %u, loads, rank %d of %d", k, rank, g.n);
    answer dense = answer_of(&c, LW_LOOPS_CUT);
    dense_loads(&c, &g, lambda, dense.load);
    if (rank < g.n) {
      keep_determined(&c, embedded.load);
      keep_determined(&c, cut.load);
      keep_determined(&c, dense.load);
      lwt_close(&embedded.load[0][0], &cut.load[0][0], n, 1e-9, force, "seed %u, determined", k);
      for (int j = 1; j <= c.m->nconstraint; j++) /* which of these are, nobody says */
        if (!c.m->constraint[j].equations.n) {
          const int at = lw_njoint(c.m) + j - 1;
          dense.load[at][0] = cut.load[at][0] = embedded.load[at][0];
        }
    }
    lwt_close(&embedded.load[0][0], &dense.load[0][0], n, 1e-9, force, "seed %u, dense", k);
    lwt_close(&cut.load[0][0], &dense.load[0][0], n, 1e-9, force, "seed %u, dense, cut", k);
    answer_free(&dense);
    answer_free(&cut);
    answer_free(&embedded);
    free(lambda);
    dense_rows_free(&g);
    lwt_case_free(&c);
  }
  assert_true(redundant > 30);
}

/* Beside the constraints both go the shortest way back, as the mass matrix measures it; rows that depend on others
   contradict them there, so that there must be none. */
static void compare_pulls(lwt_case *c, unsigned seed, int *moved)
{
  static const lw_loops ways[] = {LW_LOOPS_CUT, LW_LOOPS_EMBEDDED};
  double *udot[2], *slide[2];
  for (int i = 0; i < c->m->nq; i++)
    c->q[i] += 1e-5 * sin(3.0 * i + seed);
  for (int i = 0; i < 2; i++) {
    udot[i] = calloc((size_t)c->nu + 1, sizeof(double));
    slide[i] = calloc((size_t)c->nu + 1, sizeof(double));
    lwt_ok(lw_set_loops(c->w, ways[i]));
    assert_true(lwi_closure_stabilized(c->m, c->w, c->t, c->q, c->u, 10, udot[i], slide[i]));
  }
  lwt_close(udot[1], udot[0], c->nu, 1e-9, G + lwt_scale(udot[0], c->nu), "seed %u, udot", seed);
  lwt_close(slide[1], slide[0], c->nu, 1e-9, 1e-4 + lwt_scale(slide[0], c->nu), "seed %u, slide",
            seed);
  *moved += lwt_scale(slide[0], c->nu) > 1e-6;
  for (int i = 0; i < 2; i++)
    free(udot[i]), free(slide[i]);
}

static void both_ways_pull_back_to_the_constraints_alike(void **state)
{
  (void)state;
  loop_way = LW_LOOPS_AUTO;
  int moved = 0;
  for (unsigned k = 0; k < 100; k++) {
    const lwt_loops d = rich_recipe(k);
    lwt_case c = mechanism_case(&d);
    dense_rows g = find_rows(&c);
    double *lambda = calloc((size_t)g.n + 1, sizeof *lambda);
    if (g.n > 0 && solve_kkt(&c, &g, c.x, lambda) == g.n) compare_pulls(&c, k, &moved);
    free(lambda);
    dense_rows_free(&g);
    lwt_case_free(&c);
  }
  assert_true(moved > 10);
}

/* ---- many states ---- */

static void batches_hold_what_single_states_give(void **state)
{
  (void)state;
  enum { N = 11 };
  loop_way = LW_LOOPS_AUTO;
  for (unsigned k = 0; k < 20; k++) {
    lwt_loops d = lwt_loops_recipe(k);
    d.twice = false;
    lwt_case c = mechanism_case(&d);
    lw_work *batch = lw_work_new_batch(c.m);
    double *q = calloc((size_t)(N * c.nq) + 1, sizeof *q), *u = calloc(N * (size_t)c.nu + 1, 8);
    double *udot = calloc(N * (size_t)c.nu + 1, 8);
    lwt_random r = lwt_seed(k);
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < c.nq; j++)
        q[j * N + i] = c.q[j];
      for (int j = 0; j < c.nu; j++)
        u[j * N + i] = d.loops > 2 ? 0 : lwt_uniform(&r, -1, 1);
    }
    lwt_ok(lw_forward_dynamics_n(batch, N, c.t, q, u, NULL, udot));
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < c.nu; j++)
        c.u[j] = u[j * N + i], c.x[j] = udot[j * N + i];
      lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, NULL, c.udot));
      lwt_close(c.x, c.udot, c.nu, 1e-12, G + lwt_scale(c.udot, c.nu), "seed %u, state %d", k, i);
    }
    free(q), free(u), free(udot);
    lw_work_free(batch);
    lwt_case_free(&c);
  }
}

/* ---- four-bars ---- */

typedef struct {
  lw_spec *s;
  int nbody, njoint;
} builder;

static lw_body add_bar(builder *b, double mass, double at)
{
  char name[24];
  snprintf(name, sizeof name, "b%d", ++b->nbody);
  return lw_add_body(b->s, &(lw_body_desc){.name = name,
                                           .mass = mass,
                                           .com = {at, 0, 0},
                                           .inertia = {0, at * at * mass / 3, at * at * mass / 3}});
}

static void add_hinge(builder *b, lw_body parent, lw_body child, double x, double q, bool closes)
{
  char name[24];
  snprintf(name, sizeof name, "j%d", ++b->njoint);
  lw_add_joint(b->s, &(lw_joint_desc){.name = name,
                                      .type = LW_REVOLUTE,
                                      .parent = parent,
                                      .child = child,
                                      .axis = {0, 0, 1},
                                      .place.at = {x, 0, 0},
                                      .child_place.at = {closes ? 1 : 0, 0, 0},
                                      .q = {q},
                                      .has_q = !closes,
                                      .cut = closes});
}

static lw_model *finish(builder *b)
{
  lw_error err = {0};
  lw_model *m = lw_compile(b->s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(b->s);
  return m;
}

/* n four-bars, each on the coupler of the one before */
static lw_model *series(int n)
{
  builder b = {.s = lw_spec_new()};
  lw_body base = {0};
  for (int i = 0; i < n; i++) {
    const lw_body crank = add_bar(&b, 1, 0.5), coupler = add_bar(&b, 1, 0.5);
    const lw_body rocker = add_bar(&b, 1, 0.5);
    const double q = 0.6 + 0.9 * (i % 3);
    add_hinge(&b, base, crank, 0, q, false);
    add_hinge(&b, crank, coupler, 1, -q, false);
    add_hinge(&b, base, rocker, 1, q, false);
    add_hinge(&b, rocker, coupler, 1, 0, true);
    base = coupler;
  }
  return finish(&b);
}

/* too many to be cut: what moves freely needs no loads, says inverse dynamics */
static void long_series_of_loops_are_embedded(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const int n = i ? 2500 : 450;
    lwt_case c = lwt_case_of(series(n), 1);
    lw_error err = {0};
    const lw_loops_info info = lw_get_loops(c.w);
    assert_int_equal(info.method, LW_LOOPS_EMBEDDED);
    assert_int_equal(info.nnode, n);
    assert_int_equal(info.largest, 3);
    assert_int_equal(info.nindependent, n);
    assert_int_equal(lw_set_loops(c.w, LW_LOOPS_CUT), LW_E_UNSUPPORTED);
    double drift;
    lw_initial_state(c.m, c.q, c.u);
    lw_close_loops(c.w, 0, c.q, c.u, &err);
    assert_string_equal(err.text, "");
    lwt_ok(lw_drift(c.w, 0, c.q, &drift));
    lwt_near(drift, 0, 1e-9, "assembled");
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
    lwt_ok(lw_joint_loads(c.w));
    lwt_ok(lw_inverse_dynamics(c.w, 0, c.q, c.u, c.udot, c.x));
    memset(c.y, 0, (size_t)c.nu * sizeof(double));
    lwt_close(c.x, c.y, c.nu, 1e-9, 10. * n, "%d loops", n);
    lwt_case_free(&c);
  }
}

static void loops_in_series_move_alike_by_both_ways(void **state)
{
  (void)state;
  lwt_case c = lwt_case_of(series(6), 1);
  double q[2][18], drift, before[2], after[2];
  for (int i = 0; i < 2; i++) {
    lw_error err = {0};
    lw_simulation *sim = lw_simulation_new(
        c.m, &(lw_simulation_options){.end = 1, .rtol = 1e-10, .loops = loop_ways[i]}, &err);
    assert_string_equal(err.text, "");
    lw_initial_state(c.m, q[i], c.u);
    lwt_ok(lw_energy(c.w, q[i], c.u, &before[0], &before[1]));
    lw_simulation_start(sim, 0, q[i], c.u, &err);
    lw_simulation_advance(sim, 0.4, q[i], c.u, &err);
    assert_string_equal(err.text, "");
    lwt_ok(lw_energy(c.w, q[i], c.u, &after[0], &after[1]));
    lwt_near(after[0] + after[1], before[0] + before[1], 1e-6, "energy");
    lwt_ok(lw_drift(c.w, 0.4, q[i], &drift));
    lwt_near(drift, 0, 1e-10, "drift");
    lw_simulation_free(sim);
  }
  lwt_close(q[1], q[0], c.nq, 1e-7, 1, "after 0.4 s");
  lwt_case_free(&c);
}

/* a four-bar whose coupler has its mass at its first hinge, or is just a distance and the mass on the
   crank */
static lw_model *light_coupler(bool rod)
{
  builder b = {.s = lw_spec_new()};
  lw_set_gravity(b.s, 1, -9.81, 0);
  const lw_body ground = {0}, crank = add_bar(&b, 1, 0.5), rocker = add_bar(&b, 2, 0.4);
  add_hinge(&b, ground, crank, 0, 1, false);
  add_hinge(&b, ground, rocker, 1, 1, false);
  if (rod) {
    const lw_body coupler = add_bar(&b, 0.7, 0);
    add_hinge(&b, crank, coupler, 1, -1, false);
    add_hinge(&b, rocker, coupler, 1, 0, true);
  } else {
    const lw_body mass = lw_add_body(b.s, &(lw_body_desc){.name = "m", .mass = 0.7});
    lw_add_joint(b.s, &(lw_joint_desc){.name = "weld",
                                       .type = LW_FIXED,
                                       .parent = crank,
                                       .child = mass,
                                       .place.at = {1, 0, 0}});
    lw_add_constraint(b.s, &(lw_constraint_desc){.name = "rod",
                                                 .type = LW_DISTANCE,
                                                 .parent = crank,
                                                 .child = rocker,
                                                 .place.at = {1, 0, 0},
                                                 .child_place.at = {1, 0, 0},
                                                 .length = 1});
  }
  return finish(&b);
}

static void a_freedom_without_inertia_may_be_held_by_a_loop(void **state)
{
  (void)state;
  lwt_case rod = lwt_case_of(light_coupler(true), 1),
           free_of_it = lwt_case_of(light_coupler(false), 1);
  lw_error err = {0};
  assert_int_equal(lw_get_loops(rod.w).method, LW_LOOPS_EMBEDDED);
  assert_int_equal(lw_set_loops(rod.w, LW_LOOPS_CUT), LW_E_UNSUPPORTED);
  lwt_case *c[2] = {&rod, &free_of_it};
  for (int i = 0; i < 2; i++) {
    lw_initial_state(c[i]->m, c[i]->q, c[i]->u);
    c[i]->u[0] = c[i]->u[1] = 1.5;
    if (i == 0) c[i]->u[2] = -1.5;
    lw_close_loops(c[i]->w, 0, c[i]->q, c[i]->u, &err);
    assert_string_equal(err.text, "");
    lwt_near(c[i]->u[0], 1.5, 1e-12, "consistent speeds stay");
    lwt_ok(lw_forward_dynamics(c[i]->w, 0, c[i]->q, c[i]->u, NULL, c[i]->udot));
  }
  lwt_close(rod.udot, free_of_it.udot, 2, 1e-12, 10, "accelerations");
  /* and over time */
  double angle[2];
  for (int i = 0; i < 2; i++) {
    lw_simulation *sim =
        lw_simulation_new(c[i]->m, &(lw_simulation_options){.rtol = 1e-10, .end = 1}, &err);
    lw_simulation_start(sim, 0, c[i]->q, c[i]->u, &err);
    lw_simulation_advance(sim, 0.5, c[i]->q, c[i]->u, &err);
    assert_string_equal(err.text, "");
    angle[i] = c[i]->q[0];
    lw_simulation_free(sim);
    lwt_case_free(c[i]);
  }
  lwt_near(angle[0], angle[1], 1e-7, "after half a second");
}

/* the same freedom with nothing to hold it */
static void a_mechanism_without_inertia_is_singular_by_both_ways(void **state)
{
  (void)state;
  builder b = {.s = lw_spec_new()};
  const lw_body crank = add_bar(&b, 1, 0.5), coupler = add_bar(&b, 1, 0.5);
  const lw_body rocker = add_bar(&b, 1, 0.5), tip = add_bar(&b, 1, 0);
  add_hinge(&b, (lw_body){0}, crank, 0, 1, false);
  add_hinge(&b, (lw_body){0}, rocker, 1, 1, false);
  add_hinge(&b, crank, coupler, 1, -1, false);
  add_hinge(&b, rocker, coupler, 1, 0, true);
  add_hinge(&b, coupler, tip, 1, 0, false);
  lwt_case c = lwt_case_of(finish(&b), 1);
  lw_initial_state(c.m, c.q, c.u);
  lwt_ok(lw_set_loops(c.w, LW_LOOPS_EMBEDDED));
  assert_int_equal(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot), LW_E_SINGULAR);
  assert_int_equal(lw_set_loops(c.w, LW_LOOPS_CUT), LW_E_UNSUPPORTED);
  lwt_case_free(&c);
}

/* ---- the choice ---- */

static void the_cheaper_way_is_taken(void **state)
{
  (void)state;
  loop_way = LW_LOOPS_AUTO;
  for (unsigned k = 0; k < 60; k++) {
    const lwt_loops d = lwt_loops_recipe(k);
    lwt_case c = mechanism_case(&d);
    const lw_loops_info info = lw_get_loops(c.w);
    assert_int_equal(info.asked, LW_LOOPS_AUTO);
    if (c.m->tree_constraints.nconstraint == 0) {
      lwt_case_free(&c);
      continue;
    }
    assert_true(info.cut_cost > 0 && info.embedded_cost > 0);
    assert_int_equal(info.method,
                     info.embedded_cost < info.cut_cost ? LW_LOOPS_EMBEDDED : LW_LOOPS_CUT);
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_ways_give_the_accelerations_of_the_dense_system_and_the_same_loads),
      cmocka_unit_test(both_ways_pull_back_to_the_constraints_alike),
      cmocka_unit_test(batches_hold_what_single_states_give),
      cmocka_unit_test(long_series_of_loops_are_embedded),
      cmocka_unit_test(loops_in_series_move_alike_by_both_ways),
      cmocka_unit_test(a_freedom_without_inertia_may_be_held_by_a_loop),
      cmocka_unit_test(a_mechanism_without_inertia_is_singular_by_both_ways),
      cmocka_unit_test(the_cheaper_way_is_taken),
  };
  return cmocka_run_group_tests_name("identity/embedding", tests, NULL, NULL);
}
