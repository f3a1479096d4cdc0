/* SPDX-License-Identifier: Apache-2.0 */
/* SKO models of mechanisms with loops against dense matrices of their independent speeds. */
#include "../support/lwt_loops.h"
#include "linkwork/loops.h"
#include "linkwork/query.h"
#include "linkwork/sko.h"

#include <math.h>
#include <stdlib.h>

enum { MODELS = 100 };

/* a mechanism at a closed state with possible speeds, and its matrices */
typedef struct {
  unsigned seed;
  lw_model *m;
  lw_work *w;
  lw_sko *k;
  int n, nu;
  double *q, *u, *X, *M; /* X[nu][n], M[n][n] */
} closed;

static double *numbers(int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static void find_matrices(closed *c)
{
  const int n = c->n, nu = c->nu;
  double *tree = numbers(nu * nu), *e = numbers(n), *u = numbers(nu);
  c->X = numbers(nu * n);
  c->M = numbers(n * n);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      e[i] = i == j;
    lwt_ok(lw_sko_expand_speeds(c->k, e, u));
    for (int i = 0; i < nu; i++)
      c->X[i * n + j] = u[i];
  }
  lwt_ok(lw_mass_matrix(c->w, c->q, tree));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int a = 0; a < nu; a++)
        for (int b = 0; b < nu; b++)
          c->M[i * n + j] += c->X[a * n + i] * tree[a * nu + b] * c->X[b * n + j];
  free(tree);
  free(e);
  free(u);
}

/* false: its speeds cannot be made possible */
static bool start(closed *c, unsigned seed)
{
  lwt_loops d = lwt_loops_recipe(seed);
  d.twice = seed % 3 == 0;
  d.forces = seed % 2 == 0;
  lwt_case x = lwt_loops_case(&d);
  *c = (closed){.seed = seed, .m = x.m, .w = lw_work_new(x.m), .nu = x.nu};
  c->q = numbers(x.nq);
  c->u = numbers(x.nu);
  for (int i = 0; i < x.nq; i++)
    c->q[i] = x.q[i];
  for (int i = 0; i < x.nu; i++)
    c->u[i] = 0.3 * x.u[i];
  x.m = NULL;
  const bool possible = lw_project(c->w, 0, c->q, c->u) == LW_OK;
  lwt_case_free(&x);
  if (!possible) return false;
  lw_error err = {0};
  c->k = lw_sko_from_closed(c->w, 0, c->q, &err);
  if (!c->k) fail_msg("model %u: %s", seed, err.text);
  lwt_ok(lw_sko_update_with_forces(c->k, c->w, 0, c->q, c->u));
  c->n = lw_sko_nfreedom(c->k);
  int dof, redundant;
  lwt_ok(lw_dof(c->w, c->q, &dof, &redundant));
  if (dof != c->n) fail_msg("model %u: %d independent speeds, %d freedoms", seed, c->n, dof);
  find_matrices(c);
  return true;
}

static void stop(closed *c)
{
  lw_sko_free(c->k);
  lw_work_free(c->w);
  lw_model_free(c->m);
  free(c->q);
  free(c->u);
  free(c->X);
  free(c->M);
}

static double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* Products with unit vectors, against a dense matrix D[n][n]. */
static void compare(const closed *c, lw_sko_operator op, const double *D, double scale,
                    const char *what)
{
  double *e = numbers(c->n), *y = numbers(c->n);
  for (int j = 0; j < c->n; j++) {
    for (int i = 0; i < c->n; i++)
      e[i] = i == j;
    lwt_ok(lw_sko_apply(c->k, op, e, y));
    for (int i = 0; i < c->n; i++)
      if (!(fabs(y[i] - D[i * c->n + j]) <= 1e-10 * scale))
        fail_msg("model %u, %s (%d, %d): %.17g instead of %.17g", c->seed, what, i, j, y[i],
                 D[i * c->n + j]);
  }
  free(e);
  free(y);
}

/* D^-1 by Gauss-Jordan, and log det; definite matrices only */
static double invert(const double *D, int n, double *inverse)
{
  double *A = numbers(n * n), log_det = 0;
  for (int i = 0; i < n * n; i++)
    A[i] = D[i], inverse[i] = i % (n + 1) == 0;
  for (int k = 0; k < n; k++) {
    const double pivot = A[k * n + k];
    log_det += log(pivot);
    for (int j = 0; j < n; j++)
      A[k * n + j] /= pivot, inverse[k * n + j] /= pivot;
    for (int i = 0; i < n; i++) {
      const double f = A[i * n + k];
      for (int j = 0; j < n && i != k; j++)
        A[i * n + j] -= f * A[k * n + j], inverse[i * n + j] -= f * inverse[k * n + j];
    }
  }
  free(A);
  return log_det;
}

static void check_factors(const closed *c)
{
  const int n = c->n;
  double *inverse = numbers(n * n), *L = numbers(n * n), *e = numbers(n), *y = numbers(n);
  const double log_det = invert(c->M, n, inverse), scale = largest(c->M, n * n);
  lwt_ok(lw_sko_factor(c->k));
  compare(c, LW_SKO_MASS, c->M, scale, "mass matrix");
  /* the inverse: scaled by the condition of the matrix */
  compare(c, LW_SKO_MASS_INVERSE, inverse,
          largest(inverse, n * n) * fmax(1, 1e-3 * scale * largest(inverse, n * n)), "inverse");
  double found;
  lwt_ok(lw_sko_log_determinant(c->k, &found));
  if (!(fabs(found - log_det) <= 1e-9 * (1 + fabs(log_det))))
    fail_msg("model %u: log determinant %.17g, not %.17g", c->seed, found, log_det);
  free(inverse);
  free(L);
  free(e);
  free(y);
}

/* Aggregation of an embedded model does not change its mass matrix. */
static void check_aggregate(const closed *c)
{
  lw_sko *g = lw_sko_aggregate_segments(c->k, NULL);
  assert_non_null(g);
  lwt_ok(lw_sko_update_with_forces(g, c->w, 0, c->q, c->u));
  double *mass = numbers(c->n * c->n), *u = numbers(c->nu), scale = largest(c->M, c->n * c->n);
  int *place = calloc((size_t)c->nu + 1, sizeof *place);
  assert_non_null(place);
  assert_int_equal(lw_sko_nfreedom(g), c->n);
  for (int i = 0; i < c->n; i++)
    place[lw_sko_speeds(c->k)[i]] = i;
  lwt_ok(lw_sko_mass_matrix(g, mass));
  for (int i = 0; i < c->n; i++)
    for (int j = 0; j < c->n; j++) {
      const int a = place[lw_sko_speeds(g)[i]], b = place[lw_sko_speeds(g)[j]];
      if (!(fabs(mass[i * c->n + j] - c->M[a * c->n + b]) <= 1e-10 * scale))
        fail_msg("model %u: segments (%d, %d)", c->seed, i, j);
    }
  free(mass);
  free(u);
  free(place);
  lw_sko_free(g);
}

static void check_motion(const closed *c)
{
  double *wdot = numbers(c->n), *udot = numbers(c->nu), *u = numbers(c->nu), *bias = numbers(c->nu);
  const lw_status closed_status = lw_forward_dynamics(c->w, 0, c->q, c->u, NULL, udot);
  lwt_ok(closed_status);
  lwt_ok(lw_sko_forward_dynamics(c->k, NULL, wdot, NULL));
  const int *speed = lw_sko_speeds(c->k);
  const double scale = 1 + largest(udot, c->nu);
  for (int j = 0; j < c->n; j++)
    if (!(fabs(wdot[j] - udot[speed[j]]) <= 1e-7 * scale))
      fail_msg("model %u: acceleration of speed %d is %.15g, not %.15g", c->seed, speed[j], wdot[j],
               udot[speed[j]]);
  free(wdot);
  free(udot);
  free(u);
  free(bias);
}

static void operators_are_those_of_the_closed_mechanism(void **state)
{
  (void)state;
  int checked = 0;
  for (unsigned seed = 1; seed <= MODELS; seed++) {
    closed c;
    if (start(&c, seed)) {
      check_factors(&c);
      check_motion(&c);
      check_aggregate(&c);
      checked++;
    }
    stop(&c);
  }
  assert_true(checked >= MODELS * 9 / 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_are_those_of_the_closed_mechanism),
  };
  return cmocka_run_group_tests_name("identity/sko_closed", tests, NULL, NULL);
}
