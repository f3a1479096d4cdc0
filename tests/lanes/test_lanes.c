/* SPDX-License-Identifier: Apache-2.0 */
/* Every table of kernels that this processor runs gives what the plain one gives: bit for bit between
   plain and lanes in a build without fused multiply-add (LINKWORK_EXACT_LANES), to 1e-12 otherwise
   and for packed vectors, whose sums have another order. */
#include "lwt.h"

#include "tree/loops/work.h"
#include "linkwork/batch.h"
#include "linkwork/quantities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 40, STATES = 29 }; /* not a multiple of any number of lanes */

static lwt_recipe recipe(unsigned k)
{
  return (lwt_recipe){.seed = 300 + k,
                      .nbody = 1 + (int)(k * 3 % 25),
                      .branching = (double)(k % 4) / 3,
                      .floating = k % 3 == 0,
                      .loose = k % 5 == 4,
                      .planar = k % 6 == 5,
                      .forces = k % 2 == 0,
                      .measured = k % 3 == 0};
}

/* STATES random states of a model, element [i*STATES + k] */
typedef struct {
  lw_model *m;
  int nq, nu;
  double t, *q, *u, *tau;
} batch;

static double *room(int rows)
{
  double *x = calloc((size_t)(rows * STATES) + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static batch batch_of(lw_model *m, unsigned seed)
{
  batch b = {.m = m, .nq = lw_nq(m), .nu = lw_nu(m), .t = 0.3};
  b.q = room(b.nq);
  b.u = room(b.nu);
  b.tau = room(b.nu);
  lwt_random r = lwt_seed(seed);
  double *q = room(b.nq), *u = room(b.nu);
  for (int k = 0; k < STATES; k++) {
    lwt_random_state(m, seed * 100 + (unsigned)k, q, u);
    for (int i = 0; i < b.nq; i++)
      b.q[i * STATES + k] = q[i];
    for (int i = 0; i < b.nu; i++) {
      b.u[i * STATES + k] = u[i];
      b.tau[i * STATES + k] = lwt_uniform(&r, -5, 5);
    }
  }
  free(q);
  free(u);
  return b;
}

static batch batch_new(unsigned k)
{
  const lwt_recipe r = recipe(k);
  return batch_of(lwt_random_model(&r), r.seed);
}

static void batch_free(batch *b)
{
  free(b->q);
  free(b->u);
  free(b->tau);
  lw_model_free(b->m);
}

/* what is compared: forward dynamics, inverse dynamics, mass matrix and its rows of all states by one table */
typedef struct {
  double *udot, *tau, *M, *rows;
} results;

static results compute(const batch *b, const lwi_kernels *kernels)
{
  results r = {room(b->nu), room(b->nu), room(b->nu * b->nu), room((int)lw_mass_row_entries(b->m))};
  lw_work *w = lwi_work_new_with(b->m, kernels);
  assert_non_null(w);
  assert_int_equal(lw_work_lanes(w), kernels->lanes);
  lwt_ok(lw_forward_dynamics_n(w, STATES, b->t, b->q, b->u, b->tau, r.udot));
  lwt_ok(lw_inverse_dynamics_n(w, STATES, b->t, b->q, b->u, b->tau, r.tau));
  lwt_ok(lw_mass_matrix_n(w, STATES, b->q, r.M));
  lwt_ok(lw_mass_rows_n(w, STATES, b->q, r.rows));
  lw_work_free(w);
  return r;
}

static void results_free(results *r)
{
  free(r->udot);
  free(r->tau);
  free(r->M);
  free(r->rows);
}

static bool is_exact(const lwi_kernels *kernels)
{
#ifdef LINKWORK_EXACT_LANES
  return kernels->lanes > 1;
#else
  (void)kernels;
  return false;
#endif
}

static void compare(const double *a, const double *b, int rows, const lwi_kernels *kernels,
                    const char *what, unsigned model)
{
  const double scale = lwt_scale(b, rows * STATES);
  lwt_close(a, b, rows * STATES, is_exact(kernels) ? 0 : 1e-12, scale, "%s: %s, model %u",
            kernels->name, what, model);
}

static void every_table_gives_what_the_plain_one_gives(void **state)
{
  (void)state;
  const lwi_kernels *plain = lwi_kernels_at(0), *other;
  assert_int_equal(plain->lanes, 1);
  for (unsigned k = 0; k < MODELS; k++) {
    batch b = batch_new(k);
    results want = compute(&b, plain);
    for (int i = 1; (other = lwi_kernels_at(i)); i++) {
      results r = compute(&b, other);
      compare(r.udot, want.udot, b.nu, other, "forward", k);
      compare(r.tau, want.tau, b.nu, other, "inverse", k);
      compare(r.M, want.M, b.nu * b.nu, other, "mass matrix", k);
      compare(r.rows, want.rows, (int)lw_mass_row_entries(b.m), other, "mass rows", k);
      results_free(&r);
    }
    results_free(&want);
    batch_free(&b);
  }
}

static void take_state(const batch *b, int k, double *q, double *u, double *tau)
{
  for (int i = 0; i < b->nq; i++)
    q[i] = b->q[i * STATES + k];
  for (int i = 0; i < b->nu; i++)
    u[i] = b->u[i * STATES + k], tau[i] = b->tau[i * STATES + k];
}

/* the plain table in batches and one state at a time, by the functions that most users call */
static void a_batch_is_its_states_one_by_one(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k += 4) {
    batch b = batch_new(k);
    results want = compute(&b, lwi_kernels_at(0));
    lw_work *w = lwi_work_new_with(b.m, lwi_kernels_at(0));
    double *q = room(b.nq), *u = room(b.nu), *tau = room(b.nu), *x = room(b.nu),
           *M = room(b.nu * b.nu);
    for (int s = 0; s < STATES; s++) {
      take_state(&b, s, q, u, tau);
      lwt_ok(lw_forward_dynamics(w, b.t, q, u, tau, x));
      for (int i = 0; i < b.nu; i++)
        assert_true(x[i] == want.udot[i * STATES + s]);
      lwt_ok(lw_inverse_dynamics(w, b.t, q, u, tau, x));
      for (int i = 0; i < b.nu; i++)
        assert_true(x[i] == want.tau[i * STATES + s]);
      lwt_ok(lw_mass_matrix(w, q, M));
      for (int i = 0; i < b.nu * b.nu; i++)
        assert_true(M[i] == want.M[i * STATES + s]);
      lwt_ok(lw_mass_rows(w, q, M));
      for (int i = 0; i < (int)lw_mass_row_entries(b.m); i++)
        assert_true(M[i] == want.rows[i * STATES + s]);
    }
    free(q);
    free(u);
    free(tau);
    free(x);
    free(M);
    lw_work_free(w);
    results_free(&want);
    batch_free(&b);
  }
}

/* [i*STATES + k] as [k*n + i] */
static double *by_rows(const double *x, int n)
{
  double *rows = room(n);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < STATES; k++)
      rows[k * n + i] = x[i * STATES + k];
  return rows;
}

static void assert_rows(const double *rows, const double *x, int n)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < STATES; k++)
      assert_true(rows[k * n + i] == x[i * STATES + k]);
}

static void states_as_rows_give_the_same_bits(void **state)
{
  (void)state;
  const lwi_kernels *kernels;
  for (unsigned k = 0; k < MODELS; k += 3)
    for (int table = 0; (kernels = lwi_kernels_at(table)); table++) {
      batch b = batch_new(k);
      results want = compute(&b, kernels);
      lw_work *w = lwi_work_new_with(b.m, kernels);
      double *q = by_rows(b.q, b.nq), *u = by_rows(b.u, b.nu), *tau = by_rows(b.tau, b.nu),
             *x = room(b.nu);
      lwt_ok(lw_forward_dynamics_rows(w, STATES, b.t, q, u, tau, x));
      assert_rows(x, want.udot, b.nu);
      lwt_ok(lw_inverse_dynamics_rows(w, STATES, b.t, q, u, tau, x));
      assert_rows(x, want.tau, b.nu);
      free(q);
      free(u);
      free(tau);
      free(x);
      lw_work_free(w);
      results_free(&want);
      batch_free(&b);
    }
}

/* single and batch functions choose a table by themselves; n from 0 to more than two blocks */
static void a_batch_may_have_any_number_of_states(void **state)
{
  (void)state;
  const lwt_recipe r = {.seed = 5, .nbody = 6, .branching = 0.5, .forces = true};
  lw_model *m = lwt_random_model(&r);
  lw_work *w = lw_work_new(m), *wide = lw_work_new_batch(m);
  const int nq = lw_nq(m), nu = lw_nu(m), lanes = lw_work_lanes(wide);
  assert_int_equal(lw_work_lanes(w), 1);
  double *q = room(nq), *u = room(nu), *x = room(nu), *qn = room(nq), *un = room(nu),
         *xn = room(nu);
  for (int n = 0; n <= 2 * lanes + 1 && n < STATES; n++) {
    for (int k = 0; k < n; k++) {
      lwt_random_state(m, (unsigned)(50 + k), q, u);
      for (int i = 0; i < nq; i++)
        qn[i * n + k] = q[i];
      for (int i = 0; i < nu; i++)
        un[i * n + k] = u[i];
    }
    xn[nu * n] = 77; /* just behind the result */
    lwt_ok(lw_forward_dynamics_n(wide, n, 0.3, qn, un, NULL, xn));
    assert_true(xn[nu * n] == 77);
    for (int k = 0; k < n; k++) {
      lwt_random_state(m, (unsigned)(50 + k), q, u);
      lwt_ok(lw_forward_dynamics(w, 0.3, q, u, NULL, x));
      const double scale = lwt_scale(x, nu);
      for (int i = 0; i < nu; i++)
        lwt_near(xn[i * n + k], x[i], 1e-12 * scale, "n %d, state %d", n, k);
    }
  }
  free(q), free(u), free(x), free(qn), free(un), free(xn);
  lw_work_free(w);
  lw_work_free(wide);
  lw_model_free(m);
}

/* tau and udot may be left out */
static void missing_inputs_of_a_batch_are_zero(void **state)
{
  (void)state;
  batch b = batch_new(2);
  double *zero = room(b.nu), *x = room(b.nu), *y = room(b.nu);
  lw_work *w = lw_work_new_batch(b.m);
  lwt_ok(lw_forward_dynamics_n(w, STATES, b.t, b.q, b.u, NULL, x));
  lwt_ok(lw_forward_dynamics_n(w, STATES, b.t, b.q, b.u, zero, y));
  lwt_close(x, y, b.nu * STATES, 0, 1, "forward");
  lwt_ok(lw_inverse_dynamics_n(w, STATES, b.t, b.q, b.u, NULL, x));
  lwt_ok(lw_inverse_dynamics_n(w, STATES, b.t, b.q, b.u, zero, y));
  lwt_close(x, y, b.nu * STATES, 0, 1, "inverse");
  free(zero), free(x), free(y);
  lw_work_free(w);
  batch_free(&b);
}

/* ---- states that fail ---- */

/* everything but state `bad` stays what it was, and that one is not finite */
static void assert_only_one_fails(const double *good, const double *got, int rows, int bad,
                                  const char *what)
{
  bool finite = true;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < STATES; k++) {
      if (k == bad)
        finite = finite && isfinite(got[i * STATES + k]);
      else if (good[i * STATES + k] != got[i * STATES + k])
        fail_msg("%s: state %d changes with state %d", what, k, bad);
    }
  if (finite) fail_msg("%s: state %d fails and is finite", what, bad);
}

static void a_state_that_is_not_finite_does_not_spoil_its_neighbours(void **state)
{
  (void)state;
  const lwi_kernels *kernels;
  for (int i = 0; (kernels = lwi_kernels_at(i)); i++)
    for (int bad = 0; bad < STATES; bad += 7) {
      batch b = batch_new(2);
      const int entries = (int)lw_mass_row_entries(b.m);
      results good = compute(&b, kernels),
              r = {room(b.nu), room(b.nu), room(b.nu * b.nu), room(entries)};
      lw_work *w = lwi_work_new_with(b.m, kernels);
      b.q[bad] = (double)NAN;
      const lw_status forward = lw_forward_dynamics_n(w, STATES, b.t, b.q, b.u, b.tau, r.udot);
      assert_int_not_equal(forward, LW_OK);
      assert_int_equal(lw_inverse_dynamics_n(w, STATES, b.t, b.q, b.u, b.tau, r.tau), LW_E_NUMBER);
      assert_int_equal(lw_mass_matrix_n(w, STATES, b.q, r.M), LW_E_NUMBER);
      assert_int_equal(lw_mass_rows_n(w, STATES, b.q, r.rows), LW_E_NUMBER);
      assert_only_one_fails(good.udot, r.udot, b.nu, bad, "forward");
      assert_only_one_fails(good.tau, r.tau, b.nu, bad, "inverse");
      assert_only_one_fails(good.M, r.M, b.nu * b.nu, bad, "mass matrix");
      assert_only_one_fails(good.rows, r.rows, entries, bad, "rows of the mass matrix");
      results_free(&good);
      results_free(&r);
      lw_work_free(w);
      batch_free(&b);
    }
}

/* a point on a slide that turns about a point without inertia: singular when the point is there */
static lw_model *slide(void)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  const lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .mass = 1});
  const lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 1});
  lw_add_joint(s, &(lw_joint_desc){.name = "turn", .type = LW_REVOLUTE, .child = a});
  lw_add_joint(
      s, &(lw_joint_desc){
             .name = "shift", .type = LW_PRISMATIC, .parent = a, .child = b, .axis = {1, 0, 0}});
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

static void a_singular_state_does_not_spoil_its_neighbours(void **state)
{
  (void)state;
  const lwi_kernels *kernels;
  for (int i = 0; (kernels = lwi_kernels_at(i)); i++)
    for (int bad = 0; bad < STATES; bad += 7) {
      batch b = batch_of(slide(), 3);
      for (int k = 0; k < STATES; k++)
        b.q[STATES + k] = 0.5 + k;
      results good = compute(&b, kernels);
      double *udot = room(b.nu);
      lw_work *w = lwi_work_new_with(b.m, kernels);
      b.q[STATES + bad] = 0;
      assert_int_equal(lw_forward_dynamics_n(w, STATES, b.t, b.q, b.u, b.tau, udot), LW_E_SINGULAR);
      assert_only_one_fails(good.udot, udot, b.nu, bad, kernels->name);
      free(udot);
      results_free(&good);
      lw_work_free(w);
      batch_free(&b);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_table_gives_what_the_plain_one_gives),
      cmocka_unit_test(a_batch_is_its_states_one_by_one),
      cmocka_unit_test(states_as_rows_give_the_same_bits),
      cmocka_unit_test(a_batch_may_have_any_number_of_states),
      cmocka_unit_test(missing_inputs_of_a_batch_are_zero),
      cmocka_unit_test(a_state_that_is_not_finite_does_not_spoil_its_neighbours),
      cmocka_unit_test(a_singular_state_does_not_spoil_its_neighbours),
  };
  return cmocka_run_group_tests_name("lanes/lanes", tests, NULL, NULL);
}
