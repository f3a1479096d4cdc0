/* SPDX-License-Identifier: Apache-2.0 */
/* No evaluation call allocates: every computing function of dynamics.h, model.h and the rows of
   result columns, counted through the linker's wrapper. */
#include "lwt_loops.h"

#include "linkwork/derivatives.h"
#include "linkwork/simulate.h"
#include "linkwork/batch.h"
#include "linkwork/columns.h"
#include "linkwork/quantities.h"
#include "linkwork/query.h"
#include "linkwork/realtime.h"
#include "wrapped_memory.h"

#include <math.h>
#include <stdlib.h>

enum { STATES = 11 };

/* every kind of joint and force, floating and branched */
static lwt_case everything(bool planar)
{
  const lwt_recipe r = {.seed = 17,
                        .nbody = 25,
                        .branching = 0.5,
                        .floating = true,
                        .forces = true,
                        .planar = planar};
  return lwt_case_new(&r);
}

#define ALLOCATES_NOTHING(call)                                                                    \
  do {                                                                                             \
    const long before_ = allocations, live_ = live;                                                \
    (void)(call);                                                                                  \
    if (allocations != before_ || live != live_) fail_msg("%s allocates", #call);                  \
  } while (0)
#define SUCCEEDS_WITHOUT_ALLOCATING(call)                                                          \
  do {                                                                                             \
    const long before_ = allocations, live_ = live;                                                \
    const lw_status status_ = (call);                                                              \
    if (allocations != before_ || live != live_) fail_msg("%s allocates", #call);                  \
    if (status_ != LW_OK) fail_msg("%s: %s", #call, lw_status_text(status_));                      \
  } while (0)

static void the_counter_counts(void **state)
{
  (void)state;
  const long before = allocations;
  void *volatile block = malloc(10);
  free(block);
  assert_int_equal(allocations, before + 1);
  assert_true(allocations > 0);
}

static void single_evaluations_allocate_nothing(void **state)
{
  (void)state;
  for (int planar = 0; planar < 2; planar++) {
    lwt_case c = everything(planar);
    double T, U, h[6], mass, p[3] = {0.1, 0.2, 0.3}, V[6];
    double *M = malloc((size_t)(c.nu * c.nu) * sizeof *M);
    double *J = malloc((size_t)(6 * c.nu) * sizeof *J);
    lw_pose X;
    const lw_body b = {lw_nbody(c.m)};
    const lw_joint j = {1};
    SUCCEEDS_WITHOUT_ALLOCATING(lw_kinematics(c.w, c.q, c.u));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_accelerations(c.w, c.tau));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_get_pose(c.w, b, &X));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_get_velocity(c.w, b, V));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_get_acceleration(c.w, b, V));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_jacobian(c.w, b, p, J));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_point_jacobian(c.w, c.q, b, p, J));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_joint_loads(c.w));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_get_load(c.w, j, V));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_inverse_dynamics(c.w, c.t, c.q, c.u, c.udot, c.x));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_bias(c.w, c.t, c.q, c.u, c.x));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_mass_matrix(c.w, c.q, M));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_energy(c.w, c.q, c.u, &T, &U));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_momentum(c.w, h));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_mass_center(c.w, &mass, p));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_step(c.w, LW_INTEGRATOR_RK4, 1e-3, c.tau, &c.t, c.q, c.u));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_step(c.w, LW_INTEGRATOR_EULER, 1e-3, c.tau, &c.t, c.q, c.u));
    free(M);
    free(J);
    lwt_case_free(&c);
  }
}

static void derivatives_allocate_nothing(void **state)
{
  (void)state;
  const lwt_loops loops = {.tree = {.seed = 17, .nbody = 12, .branching = 0.5},
                           .loops = 2,
                           .relations = 2,
                           .forces = true};
  for (int closed = 0; closed < 2; closed++) {
    lwt_case c = closed ? lwt_case_of(lwt_loops_model(&loops), 3) : everything(false);
    lw_derivatives *d = lw_derivatives_new(c.m);
    const size_t n = (size_t)c.nu;
    double load[6], *A = malloc(3 * n * n * sizeof *A), *B = A + n * n, *C = B + n * n;
    const lw_direction x = {.motion = c.u, .u = c.tau, .tau = c.tau, .udot = c.u};
    if (closed) lw_initial_state(c.m, c.q, NULL);
    SUCCEEDS_WITHOUT_ALLOCATING(lw_forward_dynamics_derivatives(d, c.t, c.q, c.u, c.tau, c.udot,
                                                                &(lw_forward_matrices){A, B, C}));
    SUCCEEDS_WITHOUT_ALLOCATING(
        lw_inverse_dynamics_derivatives(d, c.t, c.q, c.u, c.udot, &(lw_inverse_matrices){A, B, C}));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_inverse_derivative(d, c.t, c.q, c.u, c.udot, &x, c.x));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_constraint_derivatives(d, c.t, c.q, c.u, &x, NULL, NULL));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_constraint_equations(d, c.t, c.q, NULL, NULL));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_linearize_forward(d, c.t, c.q, c.u, c.tau, c.udot));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_forward_derivative(d, &x, c.x));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_load_derivatives(d));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_get_load_derivative(d, (lw_joint){1}, load));
    free(A);
    lw_derivatives_free(d);
    lwt_case_free(&c);
  }
}

static void failing_evaluations_allocate_nothing(void **state)
{
  (void)state;
  lwt_case c = everything(false);
  c.q[0] = (double)NAN;
  ALLOCATES_NOTHING(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
  ALLOCATES_NOTHING(lw_inverse_dynamics(c.w, c.t, c.q, c.u, c.udot, c.x));
  ALLOCATES_NOTHING(lw_joint_loads(c.w));
  ALLOCATES_NOTHING(lw_step(c.w, LW_INTEGRATOR_RK4, 1e-3, c.tau, &c.t, c.q, c.u));
  lwt_case_free(&c);
}

static void batches_allocate_nothing(void **state)
{
  (void)state;
  lwt_case c = everything(false);
  lw_work *wide = lw_work_new_batch(c.m);
  const size_t n = STATES, nq = (size_t)c.nq, nu = (size_t)c.nu;
  double *q = malloc(n * nq * sizeof *q), *u = malloc(n * nu * sizeof *u),
         *x = malloc(n * nu * sizeof *x), *M = malloc(n * nu * nu * sizeof *M);
  for (size_t i = 0; i < n * nq; i++)
    q[i] = c.q[i / n];
  for (size_t i = 0; i < n * nu; i++)
    u[i] = c.u[i / n];
  lw_work *works[2] = {c.w, wide};
  for (int i = 0; i < 2; i++) {
    lw_work *w = works[i];
    SUCCEEDS_WITHOUT_ALLOCATING(lw_forward_dynamics_n(w, STATES, c.t, q, u, u, x));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_inverse_dynamics_n(w, STATES, c.t, q, u, u, x));
    SUCCEEDS_WITHOUT_ALLOCATING(lw_mass_matrix_n(w, STATES, q, M));
  }
  free(q);
  free(u);
  free(x);
  free(M);
  lw_work_free(wide);
  lwt_case_free(&c);
}

static void questions_to_a_model_allocate_nothing(void **state)
{
  (void)state;
  lwt_case c = everything(false);
  double *rate = malloc((size_t)c.nq * sizeof *rate);
  ALLOCATES_NOTHING(lw_find_body(c.m, "b7"));
  ALLOCATES_NOTHING(lw_find_joint(c.m, "j7"));
  ALLOCATES_NOTHING(lw_get_joint(c.m, (lw_joint){3}));
  ALLOCATES_NOTHING(lw_body_joint(c.m, (lw_body){3}));
  ALLOCATES_NOTHING(lw_work_size(c.m));
  ALLOCATES_NOTHING((lw_initial_state(c.m, c.q, c.u), 0));
  ALLOCATES_NOTHING(lw_normalize(c.m, c.q));
  ALLOCATES_NOTHING((lw_coordinate_rates(c.m, c.q, c.u, rate), 0));
  free(rate);
  lwt_case_free(&c);
}

static void rows_of_results_allocate_nothing(void **state)
{
  (void)state;
  lw_error err;
  lwt_case c = everything(false);
  lw_columns *columns = lw_columns_new(c.m, NULL, &err);
  if (!columns) fail_msg("%s", err.text);
  double *row = malloc((size_t)lw_columns_count(columns) * sizeof *row);
  SUCCEEDS_WITHOUT_ALLOCATING(lw_columns_row(columns, c.t, c.q, c.u, row));
  free(row);
  lw_columns_free(columns);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_counter_counts),
      cmocka_unit_test(single_evaluations_allocate_nothing),
      cmocka_unit_test(derivatives_allocate_nothing),
      cmocka_unit_test(failing_evaluations_allocate_nothing),
      cmocka_unit_test(batches_allocate_nothing),
      cmocka_unit_test(questions_to_a_model_allocate_nothing),
      cmocka_unit_test(rows_of_results_allocate_nothing),
  };
  return cmocka_run_group_tests_name("failure/no_allocation", tests, NULL, NULL);
}
