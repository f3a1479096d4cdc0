/* SPDX-License-Identifier: Apache-2.0 */
/* Velocity jumps by divide and conquer are those of the dense solution: of all velocities that joints
   allow the nearest to those before, and what impulses and demanded rates add. */
#include "linkwork/dca.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dca/dca.h"
#include "dca_cases.h"

static void check_jump(const dca_case *c, const lw_dca *d, unsigned seed)
{
  const double scale = fmax(1, lwt_scale(c->jump[1], 6 * c->nbody));
  for (int b = 1; b <= c->nbody; b++) {
    double dV[6];
    lwt_ok(lw_dca_get_jump(d, (lw_body){b}, dV));
    lwt_close(dV, c->jump[b], 6, 1e-9, scale, "jump of body %d, seed %u", b, seed);
  }
  dca_case_check_loads(c, d, c->jump_lambda);
}

static const dca_recipe *recipe_of(unsigned seed, dca_recipe *r)
{
  static const int four_bar_from[] = {0, 1, 2, 0}, four_bar_to[] = {1, 2, 3, 3};
  *r = (dca_recipe){.seed = seed + 900,
                    .nbody = 3 + (int)(seed % 9),
                    .nloop = (int)(seed % 4),
                    .nconstraint = (int)(seed / 4 % 3),
                    .floating = seed % 3 == 0,
                    .branching = 0.3 * (seed % 3)};
  if (seed % 10 == 0) {
    r->nbody = 3;
    r->floating = false;
    r->flat = 4;
    r->flat_from = four_bar_from;
    r->flat_to = four_bar_to;
  }
  return r;
}

static void jumps_are_those_of_the_dense_solution(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++) {
    dca_recipe r;
    dca_case c = dca_case_new(recipe_of(seed, &r));
    lw_dca *d = lw_dca_new(c.m, NULL, NULL);
    lw_work *w = lw_work_new(c.m);
    const lw_dca_before before = {.V = (const double(*)[6])c.V,
                                  .impulse = (const double(*)[6])c.impulse,
                                  .tau = c.tau,
                                  .joint = (const double(*)[6])c.joint_rate,
                                  .constraint = (const double(*)[6])c.constraint_rate};
    lwt_ok(lw_dca_impulse(d, w, 0, c.q, &before, NULL));
    check_jump(&c, d, seed);
    /* the same with the factors of an evaluation of accelerations */
    double udot[64];
    lwt_ok(lw_dca_forward_dynamics(d, w, 0, c.q, c.u, c.tau, udot));
    lwt_ok(lw_dca_impulse(d, w, 0, NULL, &before, NULL));
    check_jump(&c, d, seed);
    lw_work_free(w);
    lw_dca_free(d);
    dca_case_free(&c);
  }
}

/* the speeds after it are those of bodies that move as they say; what is allowed already stays */
static void speeds_after_a_jump_are_those_of_the_bodies(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 30; seed++) {
    dca_recipe r;
    dca_case c = dca_case_new(recipe_of(seed, &r));
    lw_dca *d = lw_dca_new(c.m, NULL, NULL);
    lw_work *w = lw_work_new(c.m);
    const int nu = lw_nu(c.m);
    double u[64], again[64], V[6], dV[6];
    const lw_dca_before before = {.V = (const double(*)[6])c.V};
    lwt_ok(lw_dca_impulse(d, w, 0, c.q, &before, u));
    lwt_ok(lw_kinematics(w, c.q, u));
    for (int b = 1; b <= c.nbody; b++) {
      lwt_ok(lw_dca_get_jump(d, (lw_body){b}, dV));
      lwt_ok(lw_get_velocity(w, (lw_body){b}, V));
      for (int i = 0; i < 6; i++)
        dV[i] += c.V[b][i];
      lwt_close(V, dV, 6, 1e-9, fmax(1, lwt_scale(dV, 6)), "body %d, seed %u", b, seed);
    }
    lwt_ok(lw_dca_impulse(d, w, 0, c.q, &(lw_dca_before){.u = u}, again));
    lwt_close(again, u, nu, 1e-9, fmax(1, lwt_scale(u, nu)), "again, seed %u", seed);
    lw_work_free(w);
    lw_dca_free(d);
    dca_case_free(&c);
  }
}

/* M du = tau, du from the factors of divide and conquer */
static void generalized_impulses_divide_by_the_mass_matrix(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    lwt_case c = lwt_case_new(&(lwt_recipe){.seed = seed,
                                            .nbody = 1 + (int)(seed % 9),
                                            .branching = 0.5 * (seed % 3),
                                            .planar = seed % 4 == 0,
                                            .floating = seed % 3 == 0});
    lw_dca *d = lw_dca_new(c.m, NULL, NULL);
    double *du = calloc((size_t)c.nu + 1, sizeof *du), *back = calloc((size_t)c.nu + 1, sizeof *du);
    double *M = calloc((size_t)(c.nu * c.nu) + 1, sizeof *M);
    lwt_ok(lw_dca_impulse(d, c.w, 0, c.q, &(lw_dca_before){.tau = c.tau}, du));
    lwt_ok(lw_mass_matrix(c.w, c.q, M));
    for (int i = 0; i < c.nu; i++)
      for (int j = 0; j < c.nu; j++)
        back[i] += M[i * c.nu + j] * du[j];
    lwt_close(back, c.tau, c.nu, 1e-9, lwt_scale(c.tau, c.nu), "seed %u", seed);
    free(du);
    free(back);
    free(M);
    lw_dca_free(d);
    lwt_case_free(&c);
  }
}

static void any_number_of_threads_gives_the_same_jump(void **state)
{
  (void)state;
  lwt_case c = lwt_case_new(&(lwt_recipe){.seed = 5, .nbody = 300, .branching = 0.5});
  double *first = calloc((size_t)c.nu + 1, sizeof *first), *u = calloc((size_t)c.nu + 1, sizeof *u);
  for (int threads = 1; threads <= 4; threads++) {
    lw_dca *d = lw_dca_new(c.m, &(lw_dca_options){.threads = threads, .grain = 1}, NULL);
    lwt_ok(lw_dca_impulse(d, c.w, 0, c.q, &(lw_dca_before){.u = c.u, .tau = c.tau},
                          threads == 1 ? first : u));
    if (threads > 1) assert_memory_equal(first, u, (size_t)c.nu * sizeof *u);
    lw_dca_free(d);
  }
  free(first);
  free(u);
  lwt_case_free(&c);
}

static void mistakes_are_told(void **state)
{
  (void)state;
  lwt_case c = lwt_case_new(&(lwt_recipe){.seed = 3, .nbody = 4});
  lw_dca *d = lw_dca_new(c.m, NULL, NULL);
  double dV[6];
  assert_int_equal(lw_dca_impulse(d, c.w, 0, NULL, NULL, NULL), LW_E_STAGE);
  assert_int_equal(lw_dca_get_jump(d, (lw_body){1}, dV), LW_E_STAGE);
  lwt_ok(lw_dca_impulse(d, c.w, 0, c.q, NULL, NULL));
  lwt_ok(lw_dca_get_jump(d, (lw_body){1}, dV));
  assert_int_equal(lw_dca_get_jump(d, (lw_body){9}, dV), LW_E_ARG);
  assert_int_equal(lw_dca_get_acceleration(d, (lw_body){1}, dV), LW_E_STAGE);
  c.u[0] = (double)NAN;
  assert_int_equal(lw_dca_impulse(d, c.w, 0, c.q, &(lw_dca_before){.u = c.u}, NULL), LW_E_NUMBER);
  assert_int_equal(lw_dca_impulse(NULL, c.w, 0, c.q, NULL, NULL), LW_E_ARG);
  lw_dca_free(d);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jumps_are_those_of_the_dense_solution),
      cmocka_unit_test(speeds_after_a_jump_are_those_of_the_bodies),
      cmocka_unit_test(generalized_impulses_divide_by_the_mass_matrix),
      cmocka_unit_test(any_number_of_threads_gives_the_same_jump),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests_name("identity/dca_impulse", tests, NULL, NULL);
}
