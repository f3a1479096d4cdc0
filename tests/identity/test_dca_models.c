/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer on 300 random mechanisms with all that a model may have: it moves as in the tree
   formulation and in the dense solution, every load is the same, and any number of threads gives the same
   bits. */
#include "linkwork/dca.h"
#include "lwt.h"

#include "loop_cases.h"

static const double GRAVITY = 9; /* the scale of accelerations, also where nothing can move */

typedef struct {
  lwt_case c;
  lw_dca *d;
  lw_work *w;    /* of d */
  int redundant; /* by the dense solution */
  bool possible; /* no driver moves what cannot move */
} subject;

/* does the dense solution satisfy all equations? */
static bool is_possible(const lwt_case *c, const dense_rows *g)
{
  double worst = 0;
  for (int i = 0; i < g->n; i++) {
    double sum = -g->gamma[i];
    for (int k = 0; k < c->nu; k++)
      sum += g->G[i * c->nu + k] * c->x[k];
    worst = fmax(worst, fabs(sum));
  }
  return worst < 1e-6 * (GRAVITY + lwt_scale(c->x, c->nu));
}

static void open_subject(subject *x, const lwt_loops *r)
{
  lw_error err;
  x->c = mechanism_case(r);
  dense_rows g = find_rows(&x->c);
  double *lambda = calloc((size_t)g.n + 1, sizeof *lambda);
  int rank = solve_kkt(&x->c, &g, x->c.x, lambda);
  if (rank < g.n) { /* speeds must be possible */
    memset(x->c.u, 0, (size_t)x->c.nu * sizeof(double));
    dense_rows_free(&g);
    g = find_rows(&x->c);
    rank = solve_kkt(&x->c, &g, x->c.x, lambda);
  }
  x->redundant = g.n - rank;
  x->possible = is_possible(&x->c, &g);
  free(lambda);
  dense_rows_free(&g);
  x->d = lw_dca_new(x->c.m, NULL, &err);
  if (!x->d) fail_msg("seed %u: %s", r->tree.seed, err.text);
  x->w = lw_work_new(x->c.m);
}

static void close_subject(subject *x)
{
  lw_dca_free(x->d);
  lw_work_free(x->w);
  lwt_case_free(&x->c);
}

/* all loads of joints, constraints, relations, one after the other: [6 (njoint + nconstraint)] */
static double *all_loads(const lw_model *m, const lw_work *w, const lw_dca *d)
{
  double *f = calloc(6 * (size_t)(lw_njoint(m) + lw_nconstraint(m)) + 1, sizeof *f), *to = f;
  for (int j = 1; j <= lw_njoint(m); j++, to += 6)
    lwt_ok(d ? lw_dca_get_load(d, m, (lw_joint){j}, to) : lw_get_load(m, w, (lw_joint){j}, to));
  for (int k = 1; k <= lw_nconstraint(m); k++, to += 6) {
    const lw_constraint c = {k};
    if (m->constraint[k].relation.nterm > 0)
      lwt_ok(d ? lw_dca_get_relation_load(d, m, c, to) : lw_get_relation_load(m, w, c, to));
    else
      lwt_ok(d ? lw_dca_get_constraint_load(d, m, c, to) : lw_get_constraint_load(m, w, c, to));
  }
  return f;
}

/* false: nothing to compare, its constraints contradict each other or a rod may spin as it likes */
static bool check_model(const lwt_loops *r)
{
  subject x;
  open_subject(&x, r);
  lwt_case *c = &x.c;
  const unsigned seed = r->tree.seed;
  const lw_status status = lw_forward_dynamics(c->m, c->w, c->t, c->q, c->u, c->tau, c->udot);
  if (!x.possible || (r->light && status == LW_E_SINGULAR)) return close_subject(&x), false;
  lwt_ok(status);
  lwt_ok(lw_joint_loads(c->m, c->w));
  const double scale = GRAVITY + lwt_scale(c->x, c->nu);
  double *udot = c->y, *tree = all_loads(c->m, c->w, NULL);
  lwt_ok(lw_dca_forward_dynamics(x.d, c->m, x.w, c->t, c->q, c->u, c->tau, udot));
  lwt_close(udot, c->x, c->nu, 1e-9, scale, "seed %u: dense, redundant %d", seed, x.redundant);
  lwt_close(udot, c->udot, c->nu, 1e-9, scale, "seed %u: tree, redundant %d", seed, x.redundant);
  /* where the mass matrix is singular the dense solution counts that, too */
  if (!r->light) assert_int_equal(lw_dca_redundant(x.d), x.redundant);
  const int n = 6 * (lw_njoint(c->m) + lw_nconstraint(c->m));
  double *loads = all_loads(c->m, NULL, x.d);
  if (x.redundant == 0)
    lwt_close(loads, tree, n, 1e-9, GRAVITY + lwt_scale(tree, n), "loads, seed %u", seed);
  free(loads);
  free(tree);
  close_subject(&x);
  return true;
}

static lwt_loops random_recipe(unsigned k)
{
  lwt_loops r = {.tree = {.seed = k,
                          .nbody = 3 + (int)(k * 5 % 15),
                          .branching = (double)(k % 4) / 3,
                          .floating = k % 4 == 0,
                          .loose = k % 8 == 1,
                          .planar = k % 6 == 5},
                 .loops = (int)(k % 5),
                 .constraints = (int)(k / 5 % 3),
                 .relations = (int)(k / 3 % 4),
                 .forces = k % 2};
  return r;
}

static void random_models_move_alike_in_every_formulation(void **state)
{
  (void)state;
  int checked = 0;
  for (unsigned k = 0; checked < 240; k++) {
    const lwt_loops r = random_recipe(k);
    checked += check_model(&r);
  }
}

static void bodies_may_lack_inertia(void **state)
{
  (void)state;
  int checked = 0;
  for (unsigned k = 0; checked < 60; k++) {
    lwt_loops r = random_recipe(k);
    r.light = 1 + (int)(k % 3);
    r.forces = false; /* no loads beside a particle's centre */
    checked += check_model(&r);
  }
}

/* [ M -G'; G 0 ] [ du; lambda ] = [ tau; -G u ] */
static void solve_jump(const lwt_case *c, const dense_rows *d, double *du)
{
  const int nu = c->nu, n = nu + d->n;
  double *K = calloc((size_t)(n * n) + 1, sizeof *K), *b = calloc((size_t)n + 1, sizeof *b);
  double *M = calloc((size_t)(nu * nu) + 1, sizeof *M), *x = calloc((size_t)n + 1, sizeof *x);
  lwt_ok(lw_mass_matrix(c->m, c->w, c->q, M));
  for (int i = 0; i < nu; i++) {
    b[i] = c->tau[i];
    memcpy(K + i * n, M + i * nu, (size_t)nu * sizeof *K);
    for (int r = 0; r < d->n; r++) {
      K[(nu + r) * n + i] = d->G[r * nu + i];
      K[i * n + nu + r] = -d->G[r * nu + i];
      b[nu + r] -= d->G[r * nu + i] * c->u[i];
    }
  }
  solve_dense(K, b, n, x);
  memcpy(du, x, (size_t)nu * sizeof *du);
  free(K), free(b), free(M), free(x);
}

static void jumps_solve_the_dense_system(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 100; k++) {
    lwt_loops r = random_recipe(k);
    if (r.relations > 2) r.relations = 2; /* no driver: all rates are to be zero */
    lwt_case c = mechanism_case(&r);
    dense_rows g = find_rows(&c);
    lw_dca *d = lw_dca_new(c.m, NULL, NULL);
    solve_jump(&c, &g, c.x);
    for (int i = 0; i < c.nu; i++)
      c.x[i] += c.u[i];
    lwt_ok(lw_dca_impulse(d, c.m, c.w, 0, c.q, &(lw_dca_before){.u = c.u, .tau = c.tau}, c.y));
    lwt_close(c.y, c.x, c.nu, 1e-8, 1 + lwt_scale(c.x, c.nu), "seed %u", k);
    dense_rows_free(&g);
    lw_dca_free(d);
    lwt_case_free(&c);
  }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 40; k++) {
    lwt_loops r = random_recipe(7 * k);
    r.light = k % 2 ? 3 : 0;
    r.forces = r.forces && !r.light;
    subject x;
    open_subject(&x, &r);
    lwt_case *c = &x.c;
    const size_t bytes = (size_t)c->nu * sizeof(double),
                 nload = 6 * (size_t)(lw_njoint(c->m) + lw_nconstraint(c->m));
    const lw_status status =
        lw_dca_forward_dynamics(x.d, c->m, x.w, c->t, c->q, c->u, c->tau, c->udot);
    double *first = status == LW_OK ? all_loads(c->m, NULL, x.d) : NULL;
    for (int threads = 2; threads <= 4; threads++) {
      lw_dca *d = lw_dca_new(c->m, &(lw_dca_options){.threads = threads, .grain = 1}, NULL);
      lw_work *w = lw_work_new(c->m); /* angles of closing joints begin anew */
      assert_int_equal(lw_dca_forward_dynamics(d, c->m, w, c->t, c->q, c->u, c->tau, c->x), status);
      if (status == LW_OK) {
        double *loads = all_loads(c->m, NULL, d);
        assert_memory_equal(c->x, c->udot, bytes);
        assert_memory_equal(loads, first, nload * sizeof *loads);
        free(loads);
      }
      lw_work_free(w);
      lw_dca_free(d);
    }
    free(first);
    close_subject(&x);
  }
}

/* a particle on a ball joint may turn as it likes: nobody can tell how */
static void what_nothing_determines_is_singular(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .mass = 1});
  lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_SPHERICAL, .child = a});
  lw_model *m = lw_compile(s, NULL);
  lw_spec_free(s);
  assert_non_null(m);
  lwt_case c = lwt_case_of(m, 5);
  lw_dca *d = lw_dca_new(c.m, NULL, NULL);
  assert_int_equal(lw_forward_dynamics(c.m, c.w, 0, c.q, c.u, c.tau, c.udot), LW_E_SINGULAR);
  assert_int_equal(lw_dca_forward_dynamics(d, c.m, c.w, 0, c.q, c.u, c.tau, c.x), LW_E_SINGULAR);
  lw_dca_free(d);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_models_move_alike_in_every_formulation),
      cmocka_unit_test(bodies_may_lack_inertia),
      cmocka_unit_test(what_nothing_determines_is_singular),
      cmocka_unit_test(jumps_solve_the_dense_system),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
  };
  return cmocka_run_group_tests_name("identity/dca_models", tests, NULL, NULL);
}
