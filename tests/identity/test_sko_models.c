/* SPDX-License-Identifier: Apache-2.0 */
/* SKO models of mechanisms: against the tree kernels, and what partition, aggregation and sparsity
   say about their operators and mass matrices. */
#include "sko_cases.h"
#include "linkwork/query.h"

/* ---- the tree kernels ---- */

static void check_kernels(sko_case *s, unsigned seed, kind how)
{
  lwt_case *c = &s->c;
  const int nf = lw_sko_nfreedom(s->k);
  mat mass = mat_new(c->nu, c->nu), bias = mat_new(c->nu, 1), udot = mat_new(c->nu, 1);
  mat got = mat_new(c->nu, 1);
  double *x = vec_new(nf * nf + nf), *T = vec_new(nf);
  lwt_ok(lw_mass_matrix(c->w, c->q, mass.x));
  lwt_ok(lw_bias(c->w, c->t, c->q, c->u, bias.x));
  lwt_ok(lw_forward_dynamics(c->w, c->t, c->q, c->u, c->tau, udot.x));

  lwt_ok(lw_sko_mass_matrix(s->k, x));
  SAME(in_speeds(s->k, x, c->nu), mass, "lw_mass_matrix", seed, how);
  lwt_ok(lw_sko_bias(s->k, x));
  lw_sko_to_speeds(s->k, x, got.x);
  SAME(got, bias, "lw_bias", seed, how);
  lw_sko_from_speeds(s->k, c->tau, T);
  lwt_ok(lw_sko_factor(s->k));
  lwt_ok(lw_sko_forward_dynamics(s->k, T, x, NULL));
  lw_sko_to_speeds(s->k, x, got.x);
  SAME(got, udot, "lw_forward_dynamics", seed, how);
}
static void mass_matrix_bias_and_accelerations_are_those_of_the_tree_kernels(void **state)
{
  (void)state;
  for_every_case(check_kernels);
}

/* without motors, springs and loads: after lw_kinematics alone */
static void update_after_kinematics_has_gravity_and_velocity_terms(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 20; seed++) {
    lwt_recipe d = sko_recipe(seed);
    d.forces = false;
    d.planar = seed % 4 == 3;
    lwt_case c = lwt_case_new(&d);
    lw_sko *k = lw_sko_from_model(c.m, NULL), *g = lw_sko_aggregate_segments(k, NULL);
    lwt_ok(lw_bias(c.w, c.t, c.q, c.u, c.x));
    lwt_ok(lw_kinematics(c.w, c.q, c.u));
    lwt_ok(lw_sko_update(g, c.w));
    double *bias = vec_new(c.nu), *V = vec_new(lw_sko_nrow(g)), *u = vec_new(c.nu);
    lwt_ok(lw_sko_bias(g, bias));
    lw_sko_to_speeds(g, bias, c.y);
    SAME(column(c.nu, c.y), column(c.nu, c.x), "lw_bias", seed, BODIES);

    /* velocities of the links */
    lw_sko_from_speeds(g, c.u, u);
    lwt_ok(lw_sko_velocities(g, u, V));
    for (int b = 1; b <= lw_nbody(c.m); b++) {
      int row;
      double want[6];
      assert_true(lw_sko_find_body(g, (lw_body){b}, &row) >= 0);
      lwt_ok(lw_get_velocity(c.w, (lw_body){b}, want));
      lwt_close(V + row, want, 3, 1e-12, 1 + lwt_scale(want, 3), "seed %u, body %d", seed, b);
    }
    lw_sko_free(g);
    lw_sko_free(k);
    lwt_case_free(&c);
    pool_empty();
  }
}

/* a particle and a body, both afloat, joined by a spring */
static lw_model *particle_and_body(void)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  const lw_body p = lw_add_body(s, &(lw_body_desc){.name = "particle", .mass = 2});
  const lw_body b = lw_add_body(
      s, &(lw_body_desc){.name = "body", .mass = 3, .com = {0.1, 0, 0}, .inertia = {1, 2, 2.5}});
  lw_add_spring(s, &(lw_spring_desc){.name = "spring", .from = p, .to = b, .stiffness = 9});
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  assert_non_null(m);
  return m;
}
static void rotations_of_free_particles_are_no_freedoms(void **state)
{
  (void)state;
  lwt_case c = lwt_case_of(particle_and_body(), 3);
  lw_sko *k = lw_sko_from_model(c.m, NULL);
  double T[9], thdd[9];
  assert_int_equal(lw_sko_nfreedom(k), 9);
  assert_int_equal(lw_sko_nfreedom(k), lw_dof_of_tree(c.m));
  lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
  lwt_ok(lw_sko_update_with_forces(k, c.w, c.t, c.q, c.u));
  lwt_ok(lw_sko_factor(k));
  lw_sko_from_speeds(k, c.tau, T);
  lwt_ok(lw_sko_forward_dynamics(k, T, thdd, NULL));
  lw_sko_to_speeds(k, thdd, c.x);
  lwt_close(c.x, c.udot, c.nu, 1e-13, lwt_scale(c.udot, c.nu), "accelerations");
  lw_sko_free(k);
  lwt_case_free(&c);
}

/* [angular; linear] of the compliance at two bodies against Jacobians at their links' origins */
static void compliance_at_bodies_is_that_of_their_jacobians(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 6; seed++) {
    sko_case s = sko_case_new(seed, SEGMENTS);
    const int nu = s.c.nu, nf = lw_sko_nfreedom(s.k), n = lw_nbody(s.c.m);
    lwt_ok(lw_sko_factor(s.k));
    lwt_ok(lw_sko_compliance(s.k));
    mat mass = mat_new(nf, nf), J = mat_new(6, nu), C = mat_new(6, nu);
    lwt_ok(lw_sko_mass_matrix(s.k, mass.x));
    const mat inverse = in_speeds(s.k, invert(mass, NULL).x, nu);
    double *block = vec_new(lw_sko_nrow(s.k) * lw_sko_nrow(s.k));
    lwt_ok(lw_kinematics(s.c.w, s.c.q, s.c.u));
    for (int a = 1; a <= n; a += 3)
      for (int b = 1; b <= n; b += 2) {
        int ra, rb;
        const int i = lw_sko_find_body(s.k, (lw_body){a}, &ra);
        const int j = lw_sko_find_body(s.k, (lw_body){b}, &rb);
        const lw_sko_node p = lw_sko_get_node(s.k, i), q = lw_sko_get_node(s.k, j);
        lwt_ok(lw_sko_get_compliance(s.k, i, j, block));
        lwt_ok(lw_jacobian(s.c.w, (lw_body){a}, NULL, J.x));
        lwt_ok(lw_jacobian(s.c.w, (lw_body){b}, NULL, C.x));
        const mat want = mul3(J, inverse, turn(C));
        for (int r = 0; r < 3; r++) /* angular rows do not depend on the point */
          lwt_close(&block[(ra - p.row + r) * q.nrow + (rb - q.row)], at(want, r, 0), 3, 1e-10,
                    0.01 + lwt_scale(want.x, 36), "seed %u, bodies %d and %d", seed, a, b);
      }
    sko_case_free(&s);
  }
}

/* ---- partition ---- */

/* a random path-induced set; outer: with all that it carries */
static unsigned char *random_partition_set(lwt_random *r, const lw_tree *t, bool outer)
{
  unsigned char *some = (unsigned char *)pool_take((size_t)t->nnode, 1);
  unsigned char *set = (unsigned char *)pool_take((size_t)t->nnode, 1);
  for (int i = 0; i < 4; i++)
    some[lwt_pick(r, t->nnode)] = 1;
  lw_tree_path_closure(t, some, set);
  for (int i = 0; outer && i < t->nnode; i++) {
    const int v = t->order[i];
    if (t->parent[v] >= 0 && set[t->parent[v]]) set[v] = 1;
  }
  return set;
}

/* block (i, j) of a partitioned operator by products, and cut out of the full matrix */
static mat block_by_products(lw_sko_partition *p, lw_sko_operator op, lw_part i, lw_part j,
                             bool transposed)
{
  const int m = lw_sko_nrow(lw_sko_partition_part(p, i)),
            n = lw_sko_nrow(lw_sko_partition_part(p, j));
  mat a = transposed ? mat_new(m, n) : mat_new(n, m);
  double *x = vec_new(m + n);
  for (int c = 0; c < a.m; c++) {
    x[c] = 1;
    lwt_ok((transposed ? lw_sko_partition_apply_transposed : lw_sko_partition_apply)(p, op, i, j, x,
                                                                                     at(a, c, 0)));
    x[c] = 0;
  }
  return transposed ? a : turn(a);
}
static mat cut_out(const lw_sko *k, const lw_sko_partition *p, lw_part i, lw_part j, mat whole)
{
  lw_sko *a = lw_sko_partition_part(p, i), *b = lw_sko_partition_part(p, j);
  const int *rows = lw_sko_partition_nodes(p, i), *columns = lw_sko_partition_nodes(p, j);
  mat cut = mat_new(lw_sko_nrow(a), lw_sko_nrow(b));
  for (int v = 0; v < lw_sko_nnode(a); v++)
    for (int w = 0; w < lw_sko_nnode(b); w++) {
      const lw_sko_node pv = lw_sko_get_node(a, v), pw = lw_sko_get_node(b, w);
      const lw_sko_node sv = lw_sko_get_node(k, rows[v]), sw = lw_sko_get_node(k, columns[w]);
      for (int r = 0; r < pv.nrow; r++)
        memcpy(at(cut, pv.row + r, pw.row), at(whole, sv.row + r, sw.row),
               (size_t)pw.nrow * sizeof(double));
    }
  return cut;
}

static void check_partition(sko_case *s, unsigned seed, kind how)
{
  lwt_random rnd = lwt_seed(seed + 900);
  const full f = full_of(s->k);
  lw_sko_partition *p =
      lw_sko_partition_new(s->k, random_partition_set(&rnd, lw_sko_tree(s->k), false), NULL);
  assert_non_null(p);
  for (int i = LW_PART_CHILD; i <= LW_PART_PARENT; i++)
    for (int j = LW_PART_CHILD; j <= LW_PART_PARENT; j++)
      for (int transposed = 0; transposed < 2; transposed++) {
        const lw_part a = (lw_part)i, b = (lw_part)j;
        SAME(block_by_products(p, LW_SKO_E, a, b, transposed), cut_out(s->k, p, a, b, f.E),
             "block of E", seed, how);
        SAME(block_by_products(p, LW_SKO_A, a, b, transposed), cut_out(s->k, p, a, b, f.A),
             "block of A", seed, how);
      }
  lw_sko_partition_free(p);
}
static void parts_and_connectors_make_up_the_operators(void **state)
{
  (void)state;
  for_every_case(check_partition);
}

static void check_outer(sko_case *s, unsigned seed, kind how)
{
  lwt_random rnd = lwt_seed(seed + 901);
  unsigned char *set = random_partition_set(&rnd, lw_sko_tree(s->k), true);
  lw_sko_partition *p = lw_sko_partition_new(s->k, set, NULL);
  assert_non_null(p);
  lw_sko *S = lw_sko_partition_part(p, LW_PART_SET), *P = lw_sko_partition_part(p, LW_PART_PARENT);
  const int ns = lw_sko_nfreedom(S), np = lw_sko_nfreedom(P), nf = lw_sko_nfreedom(s->k);
  mat mass = mat_new(nf, nf), MS = mat_new(ns, ns), MP = mat_new(np, np), X = mat_new(ns, np),
      Y = mat_new(np, np);
  lwt_ok(lw_sko_mass_matrix(s->k, mass.x));
  lwt_ok(lw_sko_mass_matrix(S, MS.x));
  lwt_ok(lw_sko_mass_matrix(P, MP.x));
  lwt_ok(lw_sko_partition_coupling(p, X.x, Y.x));

  /* put together in the order of the speeds */
  const mat whole = in_speeds(s->k, mass.x, s->c.nu);
  mat got = add(in_speeds(S, MS.x, s->c.nu), 1, in_speeds(P, add(MP, 1, Y).x, s->c.nu));
  for (int i = 0; i < ns; i++)
    for (int j = 0; j < np; j++) {
      const int a = lw_sko_speeds(S)[i], b = lw_sko_speeds(P)[j];
      *at(got, a, b) = *at(got, b, a) = *at(X, i, j);
    }
  SAME(got, whole, "[Mass_S X; X* Mass_P + Y]", seed, how);
  lw_sko_partition_free(p);
}
static void mass_matrix_of_an_outer_set_does_not_know_what_carries_it(void **state)
{
  (void)state;
  for_every_case(check_outer);
}

/* ---- aggregation ---- */

static mat reorder_rows(const sko_case *s, mat fine)
{
  mat a = mat_new(fine.m, fine.n);
  for (int v = 0; v < lw_sko_nnode(s->chain[0]); v++) {
    const lw_sko_node b = lw_sko_get_node(s->chain[0], v);
    int row;
    assert_true(lw_sko_find_node(s->k, v, &row) >= 0);
    for (int r = 0; r < b.nrow; r++)
      memcpy(at(a, row + r, 0), at(fine, b.row + r, 0), (size_t)fine.n * sizeof(double));
  }
  return a;
}
static mat reorder_freedoms(const sko_case *s, mat fine)
{
  mat speeds = mat_new(s->c.nu, fine.n), a = mat_new(fine.m, fine.n);
  for (int j = 0; j < fine.m; j++)
    memcpy(at(speeds, lw_sko_speeds(s->chain[0])[j], 0), at(fine, j, 0),
           (size_t)fine.n * sizeof(double));
  for (int j = 0; j < fine.m; j++)
    memcpy(at(a, j, 0), at(speeds, lw_sko_speeds(s->k)[j], 0), (size_t)fine.n * sizeof(double));
  return a;
}

/* H A and A* a do not change; A_a = J_a A with J_a = diag(A_S^-1), H = H_a J_a */
static void check_aggregation(sko_case *s, unsigned seed, kind how)
{
  const full fine = full_of(s->chain[0]), f = full_of(s->k);
  const mat A = turn(reorder_rows(s, turn(reorder_rows(s, fine.A))));
  const mat H = turn(reorder_rows(s, turn(reorder_freedoms(s, fine.H))));
  const mat M = turn(reorder_rows(s, turn(reorder_rows(s, fine.M))));
  SAME(f.M, M, "M_a = M", seed, how);
  SAME(f.HA, mul(H, A), "H_a A_a = H A", seed, how);

  mat inside = mat_new(f.nr, f.nr); /* A_S of every node: the diagonal blocks of A */
  for (int v = 0; v < lw_sko_nnode(s->k); v++) {
    const lw_sko_node b = lw_sko_get_node(s->k, v);
    for (int r = b.row; r < b.row + b.nrow; r++)
      memcpy(at(inside, r, b.row), at(A, r, b.row), (size_t)b.nrow * sizeof(double));
  }
  const mat J = invert(inside, NULL);
  SAME(f.A, mul(J, A), "A_a = J_a A", seed, how);
  SAME(f.H, mul(H, inside), "H_a = H J_a^-1", seed, how);
  double *a = vec_new(f.nr), *fine_a = vec_new(f.nr);
  lwt_ok(lw_sko_get_terms(s->k, a, NULL, NULL));
  lwt_ok(lw_sko_get_terms(s->chain[0], fine_a, NULL, NULL));
  SAME(column(f.nr, a), mul(turn(inside), reorder_rows(s, column(f.nr, fine_a))), "a_a = J_a^-* a",
       seed, how);
}
static void aggregation_transforms_the_operators_by_J(void **state)
{
  (void)state;
  for_every_case(check_aggregation);
}

static bool is_zero_block(mat a, int row, int col, int m, int n)
{
  for (int i = row; i < row + m; i++)
    for (int j = col; j < col + n; j++)
      if (*at(a, i, j) != 0) return false;
  return true;
}
static void blocks_are_zero_exactly_where_the_segment_tree_predicts(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 12; seed++) {
    sko_case s = sko_case_new(seed, SEGMENTS);
    lw_segments *g = lw_segments_new(lw_sko_tree(s.chain[0]), NULL);
    const full f = full_of(s.k);
    mat mass = mat_new(f.nf, f.nf);
    lwt_ok(lw_sko_mass_matrix(s.k, mass.x));
    for (int i = 0; i < g->nsegment; i++)
      for (int j = 0; j < g->nsegment; j++) {
        const lw_sko_node p = lw_sko_get_node(s.k, i), q = lw_sko_get_node(s.k, j);
        const bool A = lw_segments_block(g, LW_PATTERN_A, i, j);
        assert_int_equal(!is_zero_block(f.A, p.row, q.row, p.nrow, q.nrow), A);
        if (i != j) /* E of a segment is no longer an edge */
          assert_int_equal(!is_zero_block(f.E, p.row, q.row, p.nrow, q.nrow),
                           lw_segments_block(g, LW_PATTERN_E, i, j));
        if (!lw_segments_block(g, LW_PATTERN_MASS, i, j))
          assert_true(is_zero_block(mass, p.freedom, q.freedom, p.nfreedom, q.nfreedom));
      }
    lw_segments_free(g);
    sko_case_free(&s);
  }
}

/* ---- sparse factors ---- */

static void check_sparse(sko_case *s, unsigned seed, kind how)
{
  const int nf = lw_sko_nfreedom(s->k), nu = s->c.nu;
  int *parent = (int *)pool_take((size_t)nu, sizeof *parent);
  lw_sko_freedom_parents(s->k, parent);
  lw_mass_factor *f = lw_mass_factor_new(nf, parent, NULL);
  assert_non_null(f);
  const full d = full_of(s->k);
  mat x = mat_new(nf, 1), y = mat_new(nf, 1);
  double logdet, want;
  lw_sko_from_speeds(s->k, s->c.tau, x.x);
  lwt_ok(lw_mass_factor_compute_sko(f, s->k));
  lwt_ok(lw_mass_factor_multiply(f, x.x, y.x));
  SAME(y, mul(d.mass, x), "Mass x", seed, how);
  const mat solution = mul(invert(d.mass, &want), x);
  lwt_ok(lw_mass_factor_solve(f, x.x, y.x));
  SAME(y, solution, "Mass^-1 x", seed, how);
  lwt_ok(lw_mass_factor_log_determinant(f, &logdet));
  lwt_near(logdet, want, 1e-10 * (1 + fabs(want)), "seed %u", seed);
  lw_mass_factor_free(f);
}
static void sparse_factors_multiply_solve_and_give_the_determinant(void **state)
{
  (void)state;
  for_every_case(check_sparse);
}

static void sparse_factors_of_a_mechanism_hold_the_predicted_entries_only(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 12; seed++) {
    sko_case s = sko_case_new(seed, BODIES);
    const int nu = s.c.nu, n = lw_sko_nnode(s.k);
    int *parent = (int *)pool_take((size_t)nu, sizeof *parent);
    int *weight = (int *)pool_take((size_t)n, sizeof *weight);
    mat mass = mat_new(nu, nu), x = mat_new(nu, 1);
    int64_t count;
    for (int v = 0; v < n; v++)
      weight[v] = lw_sko_get_node(s.k, v).nfreedom;
    lwt_ok(lw_tree_count_entries(lw_sko_tree(s.k), LW_PATTERN_MASS, weight, &count));
    lw_speed_parents(s.c.m, parent);
    lw_mass_factor *f = lw_mass_factor_new(nu, parent, NULL);
    assert_int_equal(2 * lw_mass_factor_nentry(f) - nu, count);

    lwt_ok(lw_mass_matrix(s.c.w, s.c.q, mass.x));
    lwt_ok(lw_mass_factor_compute(f, mass.x));
    memcpy(x.x, s.c.tau, (size_t)nu * sizeof(double));
    lwt_ok(lw_mass_factor_solve(f, x.x, x.x));
    SAME(mul(mass, x), column(nu, s.c.tau), "Mass Mass^-1 tau", seed, BODIES);
    lw_mass_factor_free(f);
    sko_case_free(&s);
  }
}

static void freedoms_without_mass_keep_still_and_singular_matrices_are_refused(void **state)
{
  (void)state;
  const int parent[3] = {LW_NO_NODE, 0, LW_NO_NODE};
  const double empty[9] = {2, 1, 0, 1, 2, 0, 0, 0, 0}, singular[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
  double x[3] = {3, 3, 5}, logdet;
  lw_mass_factor *f = lw_mass_factor_new(3, parent, NULL);
  assert_int_equal(lw_mass_factor_solve(f, x, x), LW_E_STAGE);
  lwt_ok(lw_mass_factor_compute(f, empty));
  lwt_ok(lw_mass_factor_solve(f, x, x));
  lwt_close(x, (double[]){1, 1, 0}, 3, 1e-15, 1, "solution");
  lwt_ok(lw_mass_factor_log_determinant(f, &logdet));
  lwt_near(logdet, log(3), 1e-15, "2 x 2 part");
  assert_int_equal(lw_mass_factor_compute(f, singular), LW_E_SINGULAR);
  lw_mass_factor_free(f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_matrix_bias_and_accelerations_are_those_of_the_tree_kernels),
      cmocka_unit_test(update_after_kinematics_has_gravity_and_velocity_terms),
      cmocka_unit_test(rotations_of_free_particles_are_no_freedoms),
      cmocka_unit_test(compliance_at_bodies_is_that_of_their_jacobians),
      cmocka_unit_test(parts_and_connectors_make_up_the_operators),
      cmocka_unit_test(mass_matrix_of_an_outer_set_does_not_know_what_carries_it),
      cmocka_unit_test(aggregation_transforms_the_operators_by_J),
      cmocka_unit_test(blocks_are_zero_exactly_where_the_segment_tree_predicts),
      cmocka_unit_test(sparse_factors_multiply_solve_and_give_the_determinant),
      cmocka_unit_test(sparse_factors_of_a_mechanism_hold_the_predicted_entries_only),
      cmocka_unit_test(freedoms_without_mass_keep_still_and_singular_matrices_are_refused),
  };
  return cmocka_run_group_tests_name("identity/sko_models", tests, NULL, tell_worst);
}
