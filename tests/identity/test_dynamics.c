/* SPDX-License-Identifier: Apache-2.0 */
/* Two independent ways to the same numbers, on random trees with every joint type, run through in
   either direction, with and without forces, in space and in the plane. */
#include "lwt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 200 };

/* model k of the two hundred: 1 to 60 bodies, chains to bushes, one in three floating */
static lwt_recipe recipe(unsigned k)
{
  return (lwt_recipe){.seed = k,
                      .nbody = 1 + (int)(k * 7 % 60),
                      .branching = (double)(k % 5) / 4,
                      .floating = k % 3 == 0,
                      .planar = k % 8 == 7,
                      .forces = k % 2 == 0};
}

static void inverse_dynamics_undoes_forward_dynamics(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_case c = lwt_case_new(&r);
    lwt_ok(lw_forward_dynamics(c.m, c.w, c.t, c.q, c.u, c.tau, c.udot));
    lwt_ok(lw_inverse_dynamics(c.m, c.w, c.t, c.q, c.u, c.udot, c.x));
    lwt_ok(lw_bias(c.m, c.w, c.t, c.q, c.u, c.y));
    lwt_close(c.x, c.tau, c.nu, 1e-11, lwt_scale(c.tau, c.nu) + lwt_scale(c.y, c.nu), "model %u", k);
    lwt_case_free(&c);
  }
}

/* |x| in the metric of the kinetic energy, in which all freedoms weigh what they carry */
static double energy_norm(const double *M, const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += x[i] * M[i * n + j] * x[j];
  return sqrt(sum);
}

static void forward_dynamics_undoes_inverse_dynamics(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_case c = lwt_case_new(&r);
    double *M = malloc((size_t)(c.nu * c.nu + 1) * sizeof *M);
    lwt_ok(lw_mass_matrix(c.m, c.w, c.q, M));
    for (int i = 0; i < c.nu; i++) c.x[i] = c.tau[i]; /* wanted accelerations */
    lwt_ok(lw_forward_dynamics(c.m, c.w, c.t, c.q, c.u, NULL, c.y));
    lwt_ok(lw_inverse_dynamics(c.m, c.w, c.t, c.q, c.u, c.x, c.tau));
    lwt_ok(lw_forward_dynamics(c.m, c.w, c.t, c.q, c.u, c.tau, c.udot));
    /* the result is the difference of two accelerations: one by tau, and y without it */
    const double scale = energy_norm(M, c.x, c.nu) + energy_norm(M, c.y, c.nu);
    for (int i = 0; i < c.nu; i++) c.udot[i] -= c.x[i];
    lwt_near(energy_norm(M, c.udot, c.nu), 0, 1e-11 * scale, "model %u", k);
    free(M);
    lwt_case_free(&c);
  }
}

static void mass_matrix_columns_are_inverse_dynamics_of_unit_accelerations(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_case c = lwt_case_new(&r);
    double *M = malloc((size_t)(c.nu * c.nu + 1) * sizeof *M);
    lwt_ok(lw_mass_matrix(c.m, c.w, c.q, M));
    lwt_ok(lw_bias(c.m, c.w, c.t, c.q, c.u, c.y));
    const double scale = lwt_scale(M, c.nu * c.nu) + lwt_scale(c.y, c.nu);
    for (int j = 0; j < c.nu; j++) {
      memset(c.udot, 0, (size_t)c.nu * sizeof(double));
      c.udot[j] = 1;
      lwt_ok(lw_inverse_dynamics(c.m, c.w, c.t, c.q, c.u, c.udot, c.x));
      for (int i = 0; i < c.nu; i++) c.x[i] -= c.y[i];
      lwt_close(c.x, M + j * c.nu, c.nu, 1e-11, scale, "model %u, column %d", k, j);
    }
    free(M);
    lwt_case_free(&c);
  }
}

static void mass_matrix_gives_the_kinetic_energy(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_case c = lwt_case_new(&r);
    double *M = malloc((size_t)(c.nu * c.nu + 1) * sizeof *M), T, U, sum = 0;
    lwt_ok(lw_mass_matrix(c.m, c.w, c.q, M));
    lwt_ok(lw_energy(c.m, c.w, c.q, c.u, &T, &U));
    for (int i = 0; i < c.nu; i++)
      for (int j = 0; j < c.nu; j++) sum += 0.5 * c.u[i] * M[i * c.nu + j] * c.u[j];
    lwt_near(T, sum, 1e-11 * (T + 1e-3), "model %u", k);
    free(M);
    lwt_case_free(&c);
  }
}

/* total energy after a short time h along the motion, by a Taylor step that is exact to h^2 */
static double energy_after(lwt_case *c, double h)
{
  double T, U;
  double *q = malloc((size_t)(c->nq + c->nu + 1) * sizeof *q), *u = q + c->nq;
  memcpy(q, c->q, (size_t)c->nq * sizeof *q);
  memcpy(u, c->u, (size_t)c->nu * sizeof *u);
  double t = c->t;
  lwt_ok(lw_step(c->m, c->w, LW_INTEGRATOR_RK4, &t, q, u, c->tau, h));
  lwt_ok(lw_energy(c->m, c->w, q, u, &T, &U));
  free(q);
  return T + U;
}

/* dE/dt = tau . u when nothing else does work: joint loads of every kind are workless */
static void power_in_is_the_change_of_energy(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    lwt_recipe r = recipe(k);
    r.forces = false;
    lwt_case c = lwt_case_new(&r);
    double power = 0, size = 0;
    for (int i = 0; i < c.nu; i++) power += c.tau[i] * c.u[i], size += fabs(c.tau[i] * c.u[i]);
    const double h = 1e-4; /* fourth-order difference: rounding and truncation both below 1e-9 */
    const double e = (8 * (energy_after(&c, h) - energy_after(&c, -h)) -
                      (energy_after(&c, 2 * h) - energy_after(&c, -2 * h))) / (12 * h);
    double T, U;
    lwt_ok(lw_energy(c.m, c.w, c.q, c.u, &T, &U));
    lwt_near(e, power, 1e-9 * size + 2e-11 * (fabs(T) + fabs(U)) / h * 1e-1, "model %u", k);
    lwt_case_free(&c);
  }
}

/* the rate of momentum of a floating tree is the weight: from accelerations and from loads */
static void momentum_of_a_floating_tree_changes_by_its_weight_alone(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    lwt_recipe r = recipe(k);
    r.forces = false;
    r.planar = false;
    r.floating = true;
    r.branching = 0.7;
    r.joints = k % 2 ? LWT_EVERY_JOINT : 1u << LW_REVOLUTE | 1u << LW_SPHERICAL;
    lwt_case c = lwt_case_new(&r);
    /* only bodies that hang on the first one count, so let all others be its descendants: joints to
       ground exist where the parent was drawn as 0; skip those models */
    bool alone = true;
    for (int b = 2; b <= lw_nbody(c.m); b++)
      alone = alone && lw_body_parent(c.m, (lw_body){b}).id != 0;
    if (alone) {
      double h0[6], h1[6], g[3], mass, p[3], q[1000], u[1000], t = 0;
      const double dt = 1e-4;
      memset(c.tau, 0, (size_t)c.nu * sizeof(double));
      double rate[6] = {0}, scale = 0;
      for (int side = -1; side <= 1; side += 2) {
        memcpy(q, c.q, (size_t)c.nq * sizeof *q);
        memcpy(u, c.u, (size_t)c.nu * sizeof *u);
        lwt_ok(lw_step(c.m, c.w, LW_INTEGRATOR_RK4, &t, q, u, c.tau, side * dt));
        lwt_ok(lw_kinematics(c.m, c.w, q, u));
        lwt_ok(lw_momentum(c.m, c.w, side < 0 ? h0 : h1));
      }
      lwt_ok(lw_kinematics(c.m, c.w, c.q, c.u));
      lwt_ok(lw_mass_center(c.m, c.w, &mass, p));
      lw_gravity(c.m, g);
      const double weight[6] = {mass * (p[1] * g[2] - p[2] * g[1]), mass * (p[2] * g[0] - p[0] * g[2]),
                                mass * (p[0] * g[1] - p[1] * g[0]), mass * g[0], mass * g[1],
                                mass * g[2]};
      for (int i = 0; i < 6; i++) rate[i] = (h1[i] - h0[i]) / (2 * dt);
      scale = lwt_scale(weight, 6) + lwt_scale(h0, 6);
      lwt_close(rate, weight, 6, 1e-5, scale, "model %u", k);
    }
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_undoes_forward_dynamics),
      cmocka_unit_test(forward_dynamics_undoes_inverse_dynamics),
      cmocka_unit_test(mass_matrix_columns_are_inverse_dynamics_of_unit_accelerations),
      cmocka_unit_test(mass_matrix_gives_the_kinetic_energy),
      cmocka_unit_test(power_in_is_the_change_of_energy),
      cmocka_unit_test(momentum_of_a_floating_tree_changes_by_its_weight_alone),
  };
  return cmocka_run_group_tests_name("identity/dynamics", tests, NULL, NULL);
}
