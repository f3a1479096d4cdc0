/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of the dynamics of trees: against extrapolated differences of the functions themselves, and
   against each other, on random trees with every joint type, run through in either direction, with and
   without forces, in space and in the plane. */
#include "lwt.h"
#include "linkwork/quantities.h"

#include "tree/loops/derivative_data.h"

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
                      .forces = k % 2 == 0,
                      .measured = k % 3 == 0};
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
  lwt_ok(p->udot ? lw_inverse_dynamics(c->w, c->t, p->q, p->u, p->udot, out)
                 : lw_forward_dynamics(c->w, c->t, p->q, p->u, c->tau, out));
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
    lwt_ok(lw_inverse_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.udot,
                                           &(lw_inverse_matrices){b.A, b.B, b.C}));
    compare(&b, true, false, b.A, 1e-9, k);
    compare(&b, true, true, b.B, 1e-9, k);
    lwt_ok(lw_mass_matrix(b.c.w, b.c.q, b.D));
    lwt_close(b.C, b.D, b.c.nu * b.c.nu, 1e-12, lwt_scale(b.D, b.c.nu * b.c.nu), "model %u", k);
    end(&b);
  }
}

static void forward_dynamics_derivatives_are_those_of_differences(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    lwt_ok(lw_forward_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, b.c.udot,
                                           &(lw_forward_matrices){b.A, b.B, b.C}));
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
    lwt_ok(lw_forward_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, b.c.udot,
                                           &(lw_forward_matrices){b.A, b.B, b.C}));
    const struct {
      const double *forward;
      double sign;
    } pair[3] = {{b.A, -1}, {b.B, -1}, {b.C, 1}};
    for (int i = 0; i < 3; i++) {
      double *tau_q = i == 0 ? b.D : NULL, *tau_u = i == 1 ? b.D : NULL;
      lwt_ok(lw_inverse_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.udot,
                                             &(lw_inverse_matrices){tau_q, tau_u, b.E}));
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

/* the columns of the matrices, each by a sweep along its direction */
static void sweeps_along_single_directions_are_the_columns(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    const int n = b.c.nu;
    lwt_ok(lw_forward_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, b.c.udot,
                                           &(lw_forward_matrices){b.A, b.B, b.C}));
    for (int part = 0; part < 3; part++)
      for (int j = 0; j < n; j++) {
        const double *matrix = part == 0 ? b.A : part == 1 ? b.B : b.C;
        memset(b.p.unit, 0, (size_t)n * sizeof(double));
        b.p.unit[j] = 1;
        const lw_direction x = {.motion = part == 0 ? b.p.unit : NULL,
                                .u = part == 1 ? b.p.unit : NULL,
                                .tau = part == 2 ? b.p.unit : NULL};
        lwt_ok(lw_forward_derivative(b.d, &x, b.column));
        for (int i = 0; i < n; i++)
          b.scratch[i] = matrix[i * n + j];
        lwt_close(b.column, b.scratch, n, 1e-10, lwt_scale(matrix, n * n) + lwt_scale(b.c.udot, n),
                  "model %u, part %d, %d", k, part, j);
      }
    end(&b);
  }
}

static void inverse_dynamics_along_a_direction_is_the_sum_of_columns(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    const int n = b.c.nu;
    lwt_random r = lwt_seed(k);
    double *x[3] = {b.D, b.E, b.F};
    for (int i = 0; i < 3 * n; i++)
      x[i % 3][i / 3] = lwt_uniform(&r, -1, 1);
    lwt_ok(lw_inverse_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau,
                                           &(lw_inverse_matrices){b.A, b.B, b.C}));
    for (int i = 0; i < n; i++) {
      b.column[i] = 0;
      for (int j = 0; j < n; j++)
        b.column[i] +=
            b.A[i * n + j] * x[0][j] + b.B[i * n + j] * x[1][j] + b.C[i * n + j] * x[2][j];
    }
    const lw_direction along = {.motion = x[0], .u = x[1], .udot = x[2]};
    lwt_ok(lw_inverse_derivative(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, &along, b.scratch));
    lwt_close(b.scratch, b.column, n, 1e-11,
              lwt_scale(b.A, n * n) + lwt_scale(b.B, n * n) + lwt_scale(b.C, n * n), "model %u", k);
    end(&b);
  }
}

static void every_table_of_kernels_gives_the_same(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k += 3)
    for (int table = 0; lwi_kernels_at(table); table++) {
      if (lwi_kernels_at(table)->lanes > 1) continue;
      bench b = begin(k);
      const int n = b.c.nu;
      lw_derivatives *other = lwi_derivatives_new_with(b.c.m, lwi_kernels_at(table));
      lwt_ok(lw_forward_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, b.c.udot,
                                             &(lw_forward_matrices){b.A, b.B, b.C}));
      lwt_ok(lw_forward_dynamics_derivatives(other, b.c.t, b.c.q, b.c.u, b.c.tau, b.c.x,
                                             &(lw_forward_matrices){b.D, b.E, b.F}));
      const double scale = lwt_scale(b.c.udot, n);
      lwt_close(b.D, b.A, n * n, 1e-10, lwt_scale(b.A, n * n) + scale, "model %u", k);
      lwt_close(b.E, b.B, n * n, 1e-10, lwt_scale(b.B, n * n) + scale, "model %u", k);
      lwt_close(b.F, b.C, n * n, 1e-10, lwt_scale(b.C, n * n), "model %u", k);
      lw_derivatives_free(other);
      end(&b);
    }
}

/* entries of freedoms on different branches, which are always zero, may be left as they are in the caller's
   array; without force elements that couple them nothing else is written there */
static void skipped_zeros_are_the_only_difference(void **state)
{
  (void)state;
  const double mark = 12345;
  int skipped = 0, wide = 0;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    const int n = b.c.nu;
    double *full[] = {b.A, b.B, b.C}, *sparse[] = {b.D, b.E, b.F};
    for (int skip = 0; skip < 2; skip++) {
      double **out = skip ? sparse : full;
      lwt_ok(lw_skip_zeros(lw_derivatives_work(b.d), skip));
      for (int i = 0; i < 3 * n * n; i++)
        out[i % 3][i / 3] = mark;
      lwt_ok(lw_inverse_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau,
                                             &(lw_inverse_matrices){out[0], out[1], out[2]}));
    }
    for (int i = 0; i < 3 * n * n; i++) {
      const double x = full[i % 3][i / 3], y = sparse[i % 3][i / 3];
      assert_true(x == y || (x == 0 && y == mark));
      assert_true(x != mark);
      skipped += y == mark;
    }
    lwt_ok(lw_skip_zeros(b.c.w, true));
    for (int i = 0; i < n * n; i++)
      b.A[i] = mark;
    lwt_ok(lw_mass_matrix(b.c.w, b.c.q, b.A));
    for (int i = 0; i < n * n; i++)
      assert_true((b.A[i] == mark) == (b.F[i] == mark));
    wide += n > 8;
    end(&b);
  }
  assert_true(skipped > 1000 && wide > 10);
}

/* every matrix is the same whether or not others are asked for */
static void matrices_do_not_depend_on_what_else_is_wanted(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    const size_t size = (size_t)(b.c.nu * b.c.nu) * sizeof(double);
    double *all[] = {b.A, b.B, b.C};
    lwt_ok(lw_forward_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, NULL,
                                           &(lw_forward_matrices){b.A, b.B, b.C}));
    for (int part = 0; part < 3; part++) {
      double *one[] = {part == 0 ? b.D : NULL, part == 1 ? b.D : NULL, part == 2 ? b.D : NULL};
      lwt_ok(lw_forward_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, NULL,
                                             &(lw_forward_matrices){one[0], one[1], one[2]}));
      assert_memory_equal(b.D, all[part], size);
    }
    for (int i = 0; i < b.c.nu; i++) /* the inverse is symmetric to the last bit */
      for (int j = 0; j < i; j++)
        assert_true(b.C[i * b.c.nu + j] == b.C[j * b.c.nu + i]);
    lwt_ok(lw_inverse_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, NULL,
                                           &(lw_inverse_matrices){b.A, b.B, b.C}));
    for (int part = 0; part < 3; part++) {
      double *one[] = {part == 0 ? b.D : NULL, part == 1 ? b.D : NULL, part == 2 ? b.D : NULL};
      lwt_ok(lw_inverse_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, NULL,
                                             &(lw_inverse_matrices){one[0], one[1], one[2]}));
      assert_memory_equal(b.D, all[part], size);
    }
    end(&b);
  }
}

static void changes_of_coordinates_are_motions(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    bench b = begin(k);
    const int n = b.c.nu, nq = b.c.nq;
    double *dq = room(nq), *wanted = room(nq), *found = room(nq);
    lw_coordinate_rates(b.c.m, b.c.q, b.c.tau, dq); /* tau: some motion */
    lw_motion_of(b.c.m, b.c.q, dq, b.column);
    lwt_close(b.column, b.c.tau, n, 1e-13, lwt_scale(b.c.tau, n), "model %u", k);
    const double h = 2e-3;
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    for (int s = -4; s <= 4; s++) {
      for (int i = 0; i < nq; i++)
        b.p.q[i] = b.c.q[i] + s * h * dq[i];
      for (int i = 0; i < n; i++)
        b.p.u[i] = b.c.u[i] + s * h * b.c.tau[i];
      lw_coordinate_rates(b.c.m, b.p.q, b.p.u, b.p.rate);
      for (int i = 0; i < nq && s != 0; i++)
        wanted[i] += (s > 0 ? weight[s - 1] : -weight[-s - 1]) / h * b.p.rate[i];
    }
    lw_coordinate_rate_derivatives(b.c.m, b.c.q, b.c.u, dq, b.c.tau, found);
    lwt_close(found, wanted, nq, 1e-11, 1 + lwt_scale(wanted, nq), "model %u, rates", k);
    free(dq), free(wanted), free(found);
    end(&b);
  }
}

static void directions_need_a_state(void **state)
{
  (void)state;
  bench b = begin(6);
  const lw_direction x = {.motion = NULL};
  double load[6];
  assert_int_equal(lw_forward_derivative(b.d, &x, b.column), LW_E_STAGE);
  assert_int_equal(lw_load_derivatives(b.d), LW_E_STAGE);
  lwt_ok(lw_linearize_forward(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, NULL));
  assert_int_equal(lw_load_derivatives(b.d), LW_E_STAGE);
  assert_int_equal(lw_get_cut_joint_derivatives(b.d, NULL, NULL), LW_E_STAGE);
  lwt_ok(lw_forward_derivative(b.d, &x, b.column));
  assert_int_equal(lw_get_load_derivative(b.d, (lw_joint){1}, load), LW_E_STAGE);
  lwt_ok(lw_load_derivatives(b.d));
  lwt_ok(lw_get_load_derivative(b.d, (lw_joint){1}, load));
  assert_int_equal(lw_get_load_derivative(b.d, (lw_joint){0}, load), LW_E_ARG);
  b.c.q[0] = (double)NAN;
  assert_int_equal(lw_linearize_forward(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, NULL), LW_E_NUMBER);
  assert_int_equal(lw_forward_derivative(b.d, &x, b.column), LW_E_STAGE);
  end(&b);
}

static void every_output_may_be_left_out(void **state)
{
  (void)state;
  bench b = begin(6);
  lwt_ok(lw_forward_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, b.c.tau, NULL, NULL));
  lwt_ok(lw_inverse_dynamics_derivatives(b.d, b.c.t, b.c.q, b.c.u, NULL, NULL));
  assert_int_equal(lw_forward_dynamics_derivatives(NULL, b.c.t, b.c.q, b.c.u, b.c.tau, NULL, NULL),
                   LW_E_ARG);
  assert_int_equal(lw_inverse_dynamics_derivatives(b.d, b.c.t, NULL, b.c.u, NULL, NULL), LW_E_ARG);
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
      cmocka_unit_test(sweeps_along_single_directions_are_the_columns),
      cmocka_unit_test(inverse_dynamics_along_a_direction_is_the_sum_of_columns),
      cmocka_unit_test(every_table_of_kernels_gives_the_same),
      cmocka_unit_test(skipped_zeros_are_the_only_difference),
      cmocka_unit_test(matrices_do_not_depend_on_what_else_is_wanted),
      cmocka_unit_test(changes_of_coordinates_are_motions),
      cmocka_unit_test(directions_need_a_state),
      cmocka_unit_test(every_output_may_be_left_out),
  };
  return cmocka_run_group_tests_name("identity/derivatives", tests, NULL, NULL);
}
