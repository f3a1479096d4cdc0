/* SPDX-License-Identifier: Apache-2.0 */
/* SKO models against full matrices: every identity of docs/theory/sko.md on random trees, on
   their aggregations, where nodes have from 6 to 144 rows, and on models with nodes of any size. */
#include "sko_cases.h"

/* ---- operators ---- */

static void check_resolvent(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  SAME(minus(f.A, f.I), mul(f.E, f.A), "A - I = E A", seed, how);
  SAME(minus(f.A, f.I), mul(f.A, f.E), "A - I = A E", seed, how);
}
static void A_is_the_resolvent_of_E(void **state)
{
  (void)state;
  for_every_case(check_resolvent);
}

static void check_products(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  const riccati r = riccati_of(s->k, &f);
  const struct {
    lw_sko_operator op;
    mat want;
    const char *name;
  } list[] = {{LW_SKO_E, f.E, "E"},
              {LW_SKO_A, f.A, "A"},
              {LW_SKO_I_MINUS_E, minus(f.I, f.E), "I - E"},
              {LW_SKO_H, f.H, "H"},
              {LW_SKO_M, f.M, "M"},
              {LW_SKO_MASS, f.mass, "Mass"},
              {LW_SKO_D, r.D, "D"},
              {LW_SKO_G, r.G, "G"},
              {LW_SKO_K, r.K, "K"},
              {LW_SKO_TAU_BAR, r.tau_bar, "tau_bar"},
              {LW_SKO_E_PSI, r.E_psi, "E_psi"},
              {LW_SKO_PSI, r.psi, "psi"},
              {LW_SKO_FACTOR, r.factor, "I + H A K"},
              {LW_SKO_FACTOR_INVERSE, r.inverse_factor, "I - H psi K"},
              {LW_SKO_MASS_INVERSE, invert(f.mass, NULL), "Mass^-1"}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    SAME(matrix_of(s->k, list[i].op), list[i].want, list[i].name, seed, how);
    SAME(matrix_by_rows(s->k, list[i].op), list[i].want, list[i].name, seed, how);
  }
}
static void products_by_sweeps_are_products_with_full_matrices(void **state)
{
  (void)state;
  for_every_case(check_products);
}

static void check_riccati(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  const riccati r = riccati_of(s->k, &f);
  SAME(r.P, add(f.M, 1, around(f.E, r.P_plus)), "P = M + E P+ E*", seed, how);
  SAME(r.D, around(f.H, r.P), "D = H P H*", seed, how);
  SAME(mul(r.G, r.D), mul(r.P, turn(f.H)), "G D = P H*", seed, how);
  SAME(r.tau_bar, minus(f.I, mul(r.G, f.H)), "tau_bar = I - G H", seed, how);
  SAME(r.P_plus, mul(r.tau_bar, r.P), "P+ = tau_bar P", seed, how);
  SAME(r.P_plus, around(r.tau_bar, r.P), "P+ = tau_bar P tau_bar*", seed, how);
  SAME(r.P_plus, minus(r.P, around(r.G, r.D)), "P+ = P - G D G*", seed, how);
}
static void articulated_inertias_solve_the_riccati_equation(void **state)
{
  (void)state;
  for_every_case(check_riccati);
}

static void check_factors(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  const riccati r = riccati_of(s->k, &f);
  SAME(f.mass, around(r.factor, r.D), "Mass = (I+HAK) D (I+HAK)*", seed, how);
  SAME(mul(r.factor, r.inverse_factor), identity(f.nf), "(I+HAK)(I-HpsiK) = I", seed, how);
  SAME(invert(f.mass, NULL), mul3(turn(r.inverse_factor), invert(r.D, NULL), r.inverse_factor),
       "Mass^-1 = (I-HpsiK)* D^-1 (I-HpsiK)", seed, how);
}
static void innovations_factor_the_mass_matrix_and_its_inverse(void **state)
{
  (void)state;
  for_every_case(check_factors);
}

static void check_auxiliary(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  const riccati r = riccati_of(s->k, &f);
  SAME(r.psi, minus(f.A, mul3(mul(r.psi, r.K), f.H, f.A)), "psi = A - psi K H A", seed, how);
  SAME(mul(r.inverse_factor, f.HA), mul(f.H, r.psi), "(I-HpsiK) H A = H psi", seed, how);
  SAME(mul3(f.A, r.K, r.inverse_factor), mul(r.psi, r.K), "A K (I-HpsiK) = psi K", seed, how);
  SAME(mul3(r.factor, f.H, r.psi), f.HA, "(I+HAK) H psi = H A", seed, how);
  const mat beyond = minus(r.psi, f.I);
  SAME(around(r.psi, f.M), add(add(r.P, 1, mul(beyond, r.P)), 1, mul(r.P, turn(beyond))),
       "psi M psi* = P + (psi-I) P + P (psi-I)*", seed, how);
}
static void auxiliary_identities_of_psi_hold(void **state)
{
  (void)state;
  for_every_case(check_auxiliary);
}

static void check_determinant(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  double want, got;
  lwt_ok(lw_sko_factor(s->k));
  lwt_ok(lw_sko_log_determinant(s->k, &got));
  invert(f.mass, &want);
  lwt_near(got, want, 1e-10 * (1 + fabs(want)), "seed %u, kind %d", seed, (int)how);
}
static void determinant_is_the_product_of_those_of_D(void **state)
{
  (void)state;
  for_every_case(check_determinant);
}

/* ---- Lyapunov equations ---- */

/* random symmetric blocks */
static double *random_squares(const lw_sko *k, unsigned seed)
{
  lwt_random r = lwt_seed(seed + 5000);
  double *X = vec_new((int)lw_sko_nsquare(k));
  for (int v = 0; v < lw_sko_nnode(k); v++) {
    const lw_sko_node b = lw_sko_get_node(k, v);
    for (int i = 0; i < b.nrow; i++)
      for (int j = 0; j <= i; j++)
        X[b.square + (size_t)(i * b.nrow + j)] = X[b.square + (size_t)(j * b.nrow + i)] =
            lwt_uniform(&r, -1, 1);
  }
  return X;
}

/* all blocks that the library gives from the diagonal */
typedef lw_status get_pair(lw_sko *, lw_sko_operator, const double *, int, int, double *);
static mat matrix_of_pairs(lw_sko *k, lw_sko_operator op, const double *diagonal, get_pair *get)
{
  mat a = mat_new(lw_sko_nrow(k), lw_sko_nrow(k));
  double *x = vec_new(a.m * a.m);
  for (int i = 0; i < lw_sko_nnode(k); i++)
    for (int j = 0; j < lw_sko_nnode(k); j++) {
      const lw_sko_node p = lw_sko_get_node(k, i), q = lw_sko_get_node(k, j);
      lwt_ok(get(k, op, diagonal, i, j, x));
      put_block(a, p.row, q.row, p.nrow, q.nrow, x);
    }
  return a;
}

static void check_gather(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  double *squares = vec_new((int)lw_sko_nsquare(s->k)), *X = random_squares(s->k, seed);
  lwt_ok(lw_sko_gather(s->k, LW_SKO_A, NULL, squares));
  const mat R = matrix_of_squares(s->k, squares), beyond = minus(f.A, f.I);
  SAME(minus(R, around(f.E, R)), f.M, "R - E R E* = M", seed, how);
  SAME(around(f.A, f.M), add(add(R, 1, mul(beyond, R)), 1, mul(R, turn(beyond))),
       "A M A* = R + At R + R At*", seed, how);
  lwt_ok(lw_sko_gather(s->k, LW_SKO_A, X, squares));
  SAME(matrix_of_pairs(s->k, LW_SKO_A, squares, lw_sko_gather_block),
       around(f.A, matrix_of_squares(s->k, X)), "blocks of A X A*", seed, how);
}
static void gather_solves_the_forward_lyapunov_equation(void **state)
{
  (void)state;
  for_every_case(check_gather);
}

static void check_scatter(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  double *Y = vec_new((int)lw_sko_nsquare(s->k)), *X = random_squares(s->k, seed);
  lwt_ok(lw_sko_scatter(s->k, LW_SKO_A, X, Y));
  SAME(matrix_of_pairs(s->k, LW_SKO_A, Y, lw_sko_scatter_block),
       around(turn(f.A), matrix_of_squares(s->k, X)), "blocks of A* X A", seed, how);
}
static void scatter_gives_all_blocks_of_the_backward_product(void **state)
{
  (void)state;
  for_every_case(check_scatter);
}

static void check_psi_lyapunov(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  const riccati r = riccati_of(s->k, &f);
  double *Y = vec_new((int)lw_sko_nsquare(s->k)), *X = random_squares(s->k, seed);
  lwt_ok(lw_sko_gather(s->k, LW_SKO_PSI, NULL, Y));
  SAME(matrix_of_squares(s->k, Y), r.P, "P is the diagonal of psi M psi*", seed, how);
  SAME(matrix_of_pairs(s->k, LW_SKO_PSI, Y, lw_sko_gather_block), around(r.psi, f.M),
       "blocks of psi M psi*", seed, how);
  lwt_ok(lw_sko_scatter(s->k, LW_SKO_PSI, X, Y));
  SAME(matrix_of_pairs(s->k, LW_SKO_PSI, Y, lw_sko_scatter_block),
       around(turn(r.psi), matrix_of_squares(s->k, X)), "blocks of psi* X psi", seed, how);
}
static void both_lyapunov_solutions_hold_with_psi(void **state)
{
  (void)state;
  for_every_case(check_psi_lyapunov);
}

static lw_status get_compliance(lw_sko *k, lw_sko_operator op, const double *none, int i, int j,
                                double *x)
{
  (void)op;
  (void)none;
  return lw_sko_get_compliance(k, i, j, x);
}
static void check_compliance(sko_case *s, unsigned seed, kind how)
{
  const full f = full_of(s->k);
  const riccati r = riccati_of(s->k, &f);
  const mat want = around(turn(f.HA), invert(f.mass, NULL));
  lwt_ok(lw_sko_compliance(s->k));
  SAME(matrix_of_pairs(s->k, LW_SKO_PSI, NULL, get_compliance), want, "A* H* Mass^-1 H A", seed,
       how);
  SAME(around(turn(mul(f.H, r.psi)), invert(r.D, NULL)), want, "psi* H* D^-1 H psi", seed, how);
}
static void compliance_of_every_pair_of_nodes_is_that_of_the_full_matrices(void **state)
{
  (void)state;
  for_every_case(check_compliance);
}

/* ---- dynamics ---- */

static void check_dynamics(sko_case *s, unsigned seed, kind how)
{
  lw_sko *k = s->k;
  const full f = full_of(k);
  const riccati r = riccati_of(k, &f);
  double *a = vec_new(f.nr), *b = vec_new(f.nr), *load = vec_new(f.nf), *T = vec_new(f.nf);
  mat thdd = mat_new(f.nf, 1), C = mat_new(f.nf, 1);
  lw_sko_from_speeds(k, s->c.tau, T);
  lwt_ok(lw_sko_get_terms(k, a, b, load));
  const mat va = column(f.nr, a), vb = column(f.nr, b), own = column(f.nf, load);
  const mat inertia = add(mul3(f.M, turn(f.A), va), 1, vb);
  lwt_ok(lw_sko_bias(k, C.x));
  SAME(C, minus(mul(f.HA, inertia), own), "C = H A (M A* a + b)", seed, how);

  /* thdd = (I-HpsiK)* D^-1 [T - H psi (K T + P a + b)] - K* psi* a */
  const mat all = add(column(f.nf, T), 1, own);
  const mat z = add(add(mul(r.K, all), 1, mul(r.P, va)), 1, vb);
  const mat nu = mul(invert(r.D, NULL), minus(all, mul3(f.H, r.psi, z)));
  lwt_ok(lw_sko_forward_dynamics(k, T, thdd.x, NULL));
  SAME(thdd, minus(mul(turn(r.inverse_factor), nu), mul3(turn(r.K), turn(r.psi), va)),
       "forward dynamics", seed, how);
}
static void coriolis_vector_and_forward_dynamics_follow_the_operator_expressions(void **state)
{
  (void)state;
  for_every_case(check_dynamics);
}

static void check_inverse(sko_case *s, unsigned seed, kind how)
{
  lw_sko *k = s->k;
  const int nf = lw_sko_nfreedom(k), nr = lw_sko_nrow(k);
  mat T = mat_new(nf, 1), back = mat_new(nf, 1), alpha = mat_new(nr, 1), again = mat_new(nr, 1);
  double *thdd = vec_new(nf), *f = vec_new(nr), *Hf = vec_new(nf), *load = vec_new(nf);
  lw_sko_from_speeds(k, s->c.tau, T.x);
  lwt_ok(lw_sko_factor(k));
  lwt_ok(lw_sko_forward_dynamics(k, T.x, thdd, alpha.x));
  lwt_ok(lw_sko_inverse_dynamics(k, thdd, back.x, again.x, f));
  mat C = mat_new(nf, 1);
  lwt_ok(lw_sko_bias(k, C.x));
  SAME(add(back, 1, C), add(T, 1, C), "inverse of forward dynamics", seed, how);
  SAME(alpha, again, "accelerations", seed, how);
  lwt_ok(lw_sko_apply(k, LW_SKO_H, f, Hf));
  lwt_ok(lw_sko_get_terms(k, NULL, NULL, load));
  for (int j = 0; j < nf; j++)
    Hf[j] -= load[j];
  SAME(column(nf, Hf), back, "T = H f", seed, how);
}
static void inverse_dynamics_undoes_forward_dynamics(void **state)
{
  (void)state;
  for_every_case(check_inverse);
}

/* ---- models of one's own ---- */

/* rows and freedoms of any number, weights that are not square */
static lw_sko *random_own(unsigned seed, int n)
{
  lwt_random r = lwt_seed(seed);
  int *parent = (int *)pool_take((size_t)n, sizeof *parent),
      *label = (int *)pool_take((size_t)n, sizeof *label);
  int *nrow = (int *)pool_take((size_t)n, sizeof *nrow),
      *nf = (int *)pool_take((size_t)n, sizeof *nf);
  for (int v = 0; v < n; v++) { /* any numbering */
    const int j = lwt_pick(&r, v + 1);
    label[v] = label[j];
    label[j] = v;
  }
  for (int v = 0; v < n; v++) {
    parent[label[v]] = v == 0 ? LW_NO_NODE : label[lwt_pick(&r, v)];
    nrow[v] = 1 + lwt_pick(&r, 9);
    nf[v] = lwt_pick(&r, nrow[v] + 1);
  }
  lw_sko *k = lw_sko_new(&(lw_sko_shape){n, parent, nrow, nf}, NULL);
  assert_non_null(k);
  for (int v = 0; v < n; v++) {
    double x[100], M[100] = {0};
    for (int i = 0; i < 100; i++)
      x[i] = lwt_uniform(&r, -0.4, 0.4);
    for (int i = 0; i < nf[v]; i++)
      x[i * nrow[v] + i] += 1; /* freedoms are independent */
    lwt_ok(lw_sko_set_block(k, LW_SKO_BLOCK_H, v, x));
    if (parent[v] >= 0) lwt_ok(lw_sko_set_block(k, LW_SKO_BLOCK_A, v, x + 17));
    for (int i = 0; i < nrow[v] * nrow[v]; i++) /* x* x */
      for (int l = 0; l < nrow[v]; l++)
        M[i] += x[l * nrow[v] + i / nrow[v]] * x[l * nrow[v] + i % nrow[v]];
    for (int i = 0; i < nrow[v]; i++)
      M[i * nrow[v] + i] += 1;
    lwt_ok(lw_sko_set_block(k, LW_SKO_BLOCK_M, v, M));
  }
  double *a = vec_new(lw_sko_nrow(k)), *b = vec_new(lw_sko_nrow(k));
  for (int i = 0; i < lw_sko_nrow(k); i++)
    a[i] = lwt_uniform(&r, -1, 1), b[i] = lwt_uniform(&r, -1, 1);
  lwt_ok(lw_sko_set_terms(k, a, b, NULL));
  return k;
}

static void nodes_of_any_size_obey_the_same_identities(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 30; seed++) {
    sko_case s = {.count = 0};
    push(&s, random_own(seed, 1 + (int)(seed % 15)));
    for (int aggregated = 0; aggregated < 2; aggregated++) {
      if (aggregated) push(&s, lw_sko_aggregate_segments(s.k, NULL));
      check_products(&s, seed, BODIES);
      check_riccati(&s, seed, BODIES);
      check_factors(&s, seed, BODIES);
      check_auxiliary(&s, seed, BODIES);
      check_determinant(&s, seed, BODIES);
      check_gather(&s, seed, BODIES);
      check_scatter(&s, seed, BODIES);
      check_psi_lyapunov(&s, seed, BODIES);
      check_compliance(&s, seed, BODIES);
    }
    while (s.count > 0)
      lw_sko_free(s.chain[--s.count]);
    pool_empty();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(A_is_the_resolvent_of_E),
      cmocka_unit_test(products_by_sweeps_are_products_with_full_matrices),
      cmocka_unit_test(articulated_inertias_solve_the_riccati_equation),
      cmocka_unit_test(innovations_factor_the_mass_matrix_and_its_inverse),
      cmocka_unit_test(auxiliary_identities_of_psi_hold),
      cmocka_unit_test(determinant_is_the_product_of_those_of_D),
      cmocka_unit_test(gather_solves_the_forward_lyapunov_equation),
      cmocka_unit_test(scatter_gives_all_blocks_of_the_backward_product),
      cmocka_unit_test(both_lyapunov_solutions_hold_with_psi),
      cmocka_unit_test(compliance_of_every_pair_of_nodes_is_that_of_the_full_matrices),
      cmocka_unit_test(coriolis_vector_and_forward_dynamics_follow_the_operator_expressions),
      cmocka_unit_test(inverse_dynamics_undoes_forward_dynamics),
      cmocka_unit_test(nodes_of_any_size_obey_the_same_identities),
  };
  return cmocka_run_group_tests_name("identity/sko", tests, NULL, tell_worst);
}
