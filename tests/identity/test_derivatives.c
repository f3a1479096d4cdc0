/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of the dynamics of trees: against extrapolated differences of the functions themselves, and
   against each other, on random trees with every joint type, run through in either direction, with and
   without forces, in space and in the plane. */
#include "lwt.h"

#include "linkwork/derivatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 60 };

static lwt_recipe recipe(unsigned k)
{
  return (lwt_recipe){.seed = 300 + k,
                      .nbody = 1 + (int)(k * 7 % 19),
                      .branching = (double)(k % 5) / 4,
                      .floating = k % 3 == 0,
                      .planar = k % 8 == 7,
                      .forces = k % 2 == 0};
}

/* ---- differences ---- */

typedef struct {
  const lwt_case *c;
  const double *udot; /* NULL: forward dynamics with c->tau */
  int k;              /* direction */
  bool speeds;        /* by u, else along q */
  double *q, *u, *rate, *unit;
} probe;

/* the function at a distance x along the direction */
static void evaluate(const probe *p, double x, double *out)
{
  const lwt_case *c = p->c;
  memcpy(p->q, c->q, (size_t)c->nq * sizeof(double));
  memcpy(p->u, c->u, (size_t)c->nu * sizeof(double));
  memset(p->unit, 0, (size_t)c->nu * sizeof(double));
  p->unit[p->k] = 1;
  lw_coordinate_rates(c->m, c->q, p->unit, p->rate);
  if (p->speeds) p->u[p->k] += x;
  for (int i = 0; i < c->nq && !p->speeds; i++)
    p->q[i] += x * p->rate[i];
  lwt_ok(p->udot ? lw_inverse_dynamics(c->m, c->w, c->t, p->q, p->u, p->udot, out)
                 : lw_forward_dynamics(c->m, c->w, c->t, p->q, p->u, c->tau, out));
}

/* central differences with four steps, extrapolated: column k by the eighth-order rule */
static void difference(const probe *p, double h, double *out, double *scratch)
{
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const int n = p->c->nu;
  memset(out, 0, (size_t)n * sizeof(double));
  for (int s = 0; s < 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      evaluate(p, sign * (s + 1) * h, scratch);
      for (int i = 0; i < n; i++)
        out[i] += sign * weight[s] * scratch[i] / h;
    }
}

typedef struct {
  lwt_case c;
  lw_derivatives *d;
  double *A, *B, *C, *D, *E, *F; /* [nu * nu] */
  double *column, *scratch;
  probe p;
} bench;

static double *room(int n)
{
  return calloc((size_t)n + 1, sizeof(double));
}

static bench begin(unsigned k)
{
  const lwt_recipe r = recipe(k);
  bench b = {.c = lwt_case_new(&r)};
  const int n = b.c.nu;
  b.d = lw_derivatives_new(b.c.m);
  assert_non_null(b.d);
  double **matrix[] = {&b.A, &b.B, &b.C, &b.D, &b.E, &b.F};
  for (int i = 0; i < 6; i++)
    *matrix[i] = room(n * n);
  b.column = room(n);
  b.scratch = room(n);
  b.p = (probe){.q = room(b.c.nq), .u = room(n), .rate = room(b.c.nq), .unit = room(n)};
  return b;
}

static void end(bench *b)
{
  double *all[] = {b->A,   b->B,   b->C,      b->D,      b->E,      b->F,
                   b->p.q, b->p.u, b->p.rate, b->p.unit, b->column, b->scratch};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  lw_derivatives_free(b->d);
  lwt_case_free(&b->c);
}

static void compare(bench *b, bool inverse, bool speeds, const double *matrix, double tolerance,
                    unsigned k)
{
  const int n = b->c.nu;
  b->p.c = &b->c;
  b->p.udot = inverse ? b->c.udot : NULL;
  b->p.speeds = speeds;
  evaluate(&b->p, 0, b->column);
  const double scale = lwt_scale(matrix, n * n) + lwt_scale(b->column, n);
  for (int j = 0; j < n; j++) {
    b->p.k = j;
    difference(&b->p, 2e-3, b->column, b->scratch);
    for (int i = 0; i < n; i++)
      b->scratch[i] = matrix[i * n + j];
    lwt_close(b->scratch, b->column, n, tolerance, scale, "model %u, %s by %s %d", k,
              inverse ? "inverse dynamics" : "forward dynamics", speeds ? "speed" : "motion", j);
  }
}

/* ---- against differences ---- */

static void inverse_dynamics_derivatives_are_those_of_differences(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    for (int i = 0; i < b.c.nu; i++)
      b.c.udot[i] = b.c.tau[i];
    lwt_ok(
        lw_inverse_dynamics_derivatives(b.c.m, b.d, b.c.t, b.c.q, b.c.u, b.c.udot, b.A, b.B, b.C));
    compare(&b, true, false, b.A, 1e-9, k);
    compare(&b, true, true, b.B, 1e-9, k);
    lwt_ok(lw_mass_matrix(b.c.m, b.c.w, b.c.q, b.D));
    lwt_close(b.C, b.D, b.c.nu * b.c.nu, 1e-12, lwt_scale(b.D, b.c.nu * b.c.nu), "model %u", k);
    end(&b);
  }
}

static void forward_dynamics_derivatives_are_those_of_differences(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    lwt_ok(lw_forward_dynamics_derivatives(b.c.m, b.d, b.c.t, b.c.q, b.c.u, b.c.tau, b.c.udot, b.A,
                                           b.B, b.C));
    compare(&b, false, false, b.A, 1e-7, k);
    compare(&b, false, true, b.B, 1e-7, k);
    end(&b);
  }
}

/* ---- against each other ---- */

/* C = A B */
static void multiply(int n, const double *A, const double *B, double *C)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i * n + k] * B[k * n + j];
      C[i * n + j] = sum;
    }
}

/* M udot(q, u, tau) + bias = tau, differentiated: M udot_x + tau_x = 0 and M udot_tau = 1 */
static void derivatives_of_forward_and_inverse_dynamics_belong_together(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    const int n = b.c.nu;
    lwt_ok(lw_forward_dynamics_derivatives(b.c.m, b.d, b.c.t, b.c.q, b.c.u, b.c.tau, b.c.udot, b.A,
                                           b.B, b.C));
    const struct {
      const double *forward;
      double sign;
    } pair[3] = {{b.A, -1}, {b.B, -1}, {b.C, 1}};
    for (int i = 0; i < 3; i++) {
      double *tau_q = i == 0 ? b.D : NULL, *tau_u = i == 1 ? b.D : NULL;
      lwt_ok(lw_inverse_dynamics_derivatives(b.c.m, b.d, b.c.t, b.c.q, b.c.u, b.c.udot, tau_q,
                                             tau_u, b.E));
      for (int j = 0; j < n * n && i == 2; j++)
        b.D[j] = j % (n + 1) == 0;
      multiply(n, b.E, pair[i].forward, b.F);
      for (int j = 0; j < n * n; j++)
        b.F[j] *= pair[i].sign;
      lwt_close(b.F, b.D, n * n, 1e-11, lwt_scale(b.E, n * n) * lwt_scale(pair[i].forward, n * n),
                "model %u, part %d", k, i);
    }
    end(&b);
  }
}

static void every_output_may_be_left_out(void **state)
{
  (void)state;
  bench b = begin(6);
  lwt_ok(lw_forward_dynamics_derivatives(b.c.m, b.d, b.c.t, b.c.q, b.c.u, b.c.tau, NULL, NULL, NULL,
                                         NULL));
  lwt_ok(lw_inverse_dynamics_derivatives(b.c.m, b.d, b.c.t, b.c.q, b.c.u, NULL, NULL, NULL, NULL));
  assert_int_equal(lw_forward_dynamics_derivatives(b.c.m, NULL, b.c.t, b.c.q, b.c.u, b.c.tau, NULL,
                                                   NULL, NULL, NULL),
                   LW_E_ARG);
  assert_int_equal(
      lw_inverse_dynamics_derivatives(b.c.m, b.d, b.c.t, NULL, b.c.u, NULL, NULL, NULL, NULL),
      LW_E_ARG);
  assert_null(lw_derivatives_new(NULL));
  lw_derivatives_free(NULL);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_derivatives_are_those_of_differences),
      cmocka_unit_test(forward_dynamics_derivatives_are_those_of_differences),
      cmocka_unit_test(derivatives_of_forward_and_inverse_dynamics_belong_together),
      cmocka_unit_test(every_output_may_be_left_out),
  };
  return cmocka_run_group_tests_name("identity/derivatives", tests, NULL, NULL);
}
