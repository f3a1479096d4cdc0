/* SPDX-License-Identifier: Apache-2.0 */
/* Two independent ways to the same numbers, on random trees with every joint type, run through in
   either direction, with and without forces, in space and in the plane. */
#include "linkwork/sko.h"
#include "lwt.h"
#include "linkwork/quantities.h"

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
                      .forces = k % 2 == 0,
                      .measured = k % 3 == 0};
}

static void inverse_dynamics_undoes_forward_dynamics(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_case c = lwt_case_new(&r);
    lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
    lwt_ok(lw_inverse_dynamics(c.w, c.t, c.q, c.u, c.udot, c.x));
    lwt_ok(lw_bias(c.w, c.t, c.q, c.u, c.y));
    lwt_close(c.x, c.tau, c.nu, 1e-11, lwt_scale(c.tau, c.nu) + lwt_scale(c.y, c.nu), "model %u",
              k);
    lwt_case_free(&c);
  }
}

/* |x| in the metric of the kinetic energy, in which all freedoms weigh what they carry */
static double energy_norm(const double *M, const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += x[i] * M[i * n + j] * x[j];
  return sqrt(sum);
}

static void forward_dynamics_undoes_inverse_dynamics(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_case c = lwt_case_new(&r);
    double *M = malloc((size_t)(c.nu * c.nu + 1) * sizeof *M);
    lwt_ok(lw_mass_matrix(c.w, c.q, M));
    for (int i = 0; i < c.nu; i++)
      c.x[i] = c.tau[i]; /* wanted accelerations */
    lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, NULL, c.y));
    lwt_ok(lw_inverse_dynamics(c.w, c.t, c.q, c.u, c.x, c.tau));
    lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
    /* the result is the difference of two accelerations: one by tau, and y without it */
    const double scale = energy_norm(M, c.x, c.nu) + energy_norm(M, c.y, c.nu);
    for (int i = 0; i < c.nu; i++)
      c.udot[i] -= c.x[i];
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
    lwt_ok(lw_mass_matrix(c.w, c.q, M));
    lwt_ok(lw_bias(c.w, c.t, c.q, c.u, c.y));
    const double scale = lwt_scale(M, c.nu * c.nu) + lwt_scale(c.y, c.nu);
    for (int j = 0; j < c.nu; j++) {
      memset(c.udot, 0, (size_t)c.nu * sizeof(double));
      c.udot[j] = 1;
      lwt_ok(lw_inverse_dynamics(c.w, c.t, c.q, c.u, c.udot, c.x));
      for (int i = 0; i < c.nu; i++)
        c.x[i] -= c.y[i];
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
    lwt_ok(lw_mass_matrix(c.w, c.q, M));
    lwt_ok(lw_energy(c.w, c.q, c.u, &T, &U));
    for (int i = 0; i < c.nu; i++)
      for (int j = 0; j < c.nu; j++)
        sum += 0.5 * c.u[i] * M[i * c.nu + j] * c.u[j];
    lwt_near(T, sum, 1e-11 * (T + 1e-3), "model %u", k);
    free(M);
    lwt_case_free(&c);
  }
}

/* each row: the speed itself, then those inward of it; what is not listed is zero */
static void compare_mass_rows(const lwt_recipe *r)
{
  lwt_case c = lwt_case_new(r);
  const size_t n = (size_t)c.nu, entries = lw_mass_row_entries(c.m);
  double *M = malloc((n * n + 1) * sizeof *M), *full = calloc(n * n + 1, sizeof *full);
  double *rows = malloc((entries + 1) * sizeof *rows);
  int *parent = malloc((n + 1) * sizeof *parent);
  lwt_ok(lw_mass_matrix(c.w, c.q, M));
  lwt_ok(lw_mass_rows(c.w, c.q, rows));
  lw_speed_parents(c.m, parent);
  size_t at = 0;
  for (int i = 0; i < c.nu; i++)
    for (int j = i; j >= 0; j = parent[j], at++)
      full[i * c.nu + j] = full[j * c.nu + i] = rows[at];
  assert_true(at == entries);
  lwt_close(full, M, c.nu * c.nu, 1e-13, lwt_scale(M, c.nu * c.nu), "seed %u, %d bodies", r->seed,
            r->nbody);
  free(M);
  free(full);
  free(rows);
  free(parent);
  lwt_case_free(&c);
}

static void mass_rows_are_the_mass_matrix_without_its_zeros(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    compare_mass_rows(&r);
  }
  /* from chains to bushes: which entries are written how depends on how many there are, and on the lengths of runs */
  for (unsigned k = 0; k < 300; k++)
    compare_mass_rows(&(lwt_recipe){.seed = k,
                                    .nbody = 4 + (int)(k % 37),
                                    .branching = 0.04 * (double)(k % 11),
                                    .floating = k % 3 == 0});
}

/* ---- body by body, from the description and the reported motions alone ---- */

typedef struct {
  double rate[6];   /* of momentum: angular about the ground origin, linear */
  double weight[6]; /* what gravity adds to it */
  double power;     /* rate of the kinetic energy */
  double fall;      /* power of gravity */
} balance;

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/* R(e) v */
static void turn(const double e[4], const double v[3], double out[3])
{
  double c[3], cc[3];
  cross(e + 1, v, c);
  cross(e + 1, c, cc);
  for (int i = 0; i < 3; i++)
    out[i] = v[i] + 2 * (e[0] * c[i] + cc[i]);
}
/* R I R^T v for the inertia of a descriptor */
static void inertia_times(const lw_body_desc *d, const double e[4], const double v[3],
                          double out[3])
{
  const double back[4] = {e[0], -e[1], -e[2], -e[3]}, *I = d->inertia;
  double x[3];
  turn(back, v, x);
  const double y[3] = {I[0] * x[0] + I[3] * x[1] + I[4] * x[2],
                       I[3] * x[0] + I[1] * x[1] + I[5] * x[2],
                       I[4] * x[0] + I[5] * x[1] + I[2] * x[2]};
  turn(e, y, out);
}

static void add_body(const lwt_case *c, const lw_body_desc *d, int b, const double g[3],
                     balance *sum)
{
  lw_pose X;
  double V[6], A[6], r[3], p[3], v[3], a[3], x[3], y[3], torque[3], arm[3];
  lwt_ok(lw_get_pose(c->w, (lw_body){b}, &X));
  lwt_ok(lw_get_velocity(c->w, (lw_body){b}, V));
  lwt_ok(lw_get_acceleration(c->w, (lw_body){b}, A));
  turn(X.quat, d->com, r);
  cross(V, r, x);
  cross(A, r, y);
  for (int i = 0; i < 3; i++)
    p[i] = X.p[i] + r[i], v[i] = V[3 + i] + x[i], a[i] = A[3 + i] + y[i];
  cross(V, x, y);
  for (int i = 0; i < 3; i++)
    a[i] += y[i]; /* of the centre of mass */

  inertia_times(d, X.quat, V, x);
  cross(V, x, torque);
  inertia_times(d, X.quat, A, y);
  for (int i = 0; i < 3; i++)
    torque[i] += y[i]; /* rate of spin */
  cross(p, a, arm);
  cross(p, g, x);
  for (int i = 0; i < 3; i++) {
    sum->rate[i] += torque[i] + d->mass * arm[i], sum->rate[3 + i] += d->mass * a[i];
    sum->weight[i] += d->mass * x[i], sum->weight[3 + i] += d->mass * g[i];
  }
  sum->power += d->mass * dot(a, v) + dot(torque, V);
  sum->fall += d->mass * dot(g, v);
}

static balance find_balance(const lwt_case *c, const lwt_parts *parts)
{
  balance sum = {.power = 0};
  for (int b = 1; b <= parts->nbody; b++)
    add_body(c, &parts->body[b - 1], b, parts->gravity, &sum);
  return sum;
}

/* joint loads of every kind are workless: the bodies gain what tau and gravity put in */
static void power_in_is_the_change_of_energy(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    lwt_recipe r = recipe(k);
    r.forces = false;
    lwt_parts *parts = lwt_random_parts(&r);
    lwt_case c = lwt_case_of(lwt_parts_compile(parts), k);
    lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
    const balance sum = find_balance(&c, parts);
    double in = sum.fall, size = fabs(sum.fall) + fabs(sum.power);
    for (int i = 0; i < c.nu; i++)
      in += c.tau[i] * c.u[i], size += fabs(c.tau[i] * c.u[i]);
    lwt_near(sum.power, in, 1e-11 * size, "model %u", k);
    lwt_case_free(&c);
    lwt_parts_free(parts);
  }
}

/* whatever the joints and motors between the bodies do */
static void momentum_of_a_floating_tree_changes_by_its_weight_alone(void **state)
{
  (void)state;
  int tried = 0;
  for (unsigned k = 0; tried < MODELS; k++) {
    const lwt_recipe r = {.seed = 5000 + k,
                          .nbody = 1 + (int)(k * 7 % 60),
                          .floating = true,
                          .branching = k % 3 ? 0 : 0.1};
    lwt_parts *parts = lwt_random_parts(&r);
    bool alone = true; /* all but the first body hang on bodies */
    for (int j = 1; j < parts->njoint; j++)
      alone = alone && parts->joint[j].parent.id > 0 && parts->joint[j].child.id > 0;
    if (alone) {
      lwt_case c = lwt_case_of(lwt_parts_compile(parts), k);
      const lw_joint_info base = lw_get_joint(c.m, (lw_joint){1});
      for (int i = 0; i < base.nu; i++)
        c.tau[base.u + i] = 0; /* that would push from the ground */
      lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
      const balance sum = find_balance(&c, parts);
      double scale = lwt_scale(sum.weight, 6);
      for (int i = 0; i < c.nu; i++)
        scale = fmax(scale, fabs(c.udot[i])); /* they cancel in the sum */
      lwt_close(sum.rate, sum.weight, 6, 1e-11, scale, "model %u", k);
      lwt_case_free(&c);
      tried++;
    }
    lwt_parts_free(parts);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_undoes_forward_dynamics),
      cmocka_unit_test(forward_dynamics_undoes_inverse_dynamics),
      cmocka_unit_test(mass_matrix_columns_are_inverse_dynamics_of_unit_accelerations),
      cmocka_unit_test(mass_matrix_gives_the_kinetic_energy),
      cmocka_unit_test(mass_rows_are_the_mass_matrix_without_its_zeros),
      cmocka_unit_test(power_in_is_the_change_of_energy),
      cmocka_unit_test(momentum_of_a_floating_tree_changes_by_its_weight_alone),
  };
  return cmocka_run_group_tests_name("identity/dynamics", tests, NULL, NULL);
}
