/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives against differences (eighth order) of the dense solution in maximal coordinates that shares no code
   with linkwork (oracle.h): by the state, by masses, by lengths, of accelerations and of joint loads. */
#include "oracle.h"

#include "linkwork/derivatives.h"
#include "linkwork/query.h"
#include "model/spec/spec_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 30, SIDE = 4 };
static const double weight[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

static lwt_recipe recipe(unsigned k)
{
  return (lwt_recipe){.seed = 1500 + k,
                      .nbody = 1 + (int)(k * 5 % 9),
                      .branching = (double)(k % 5) / 4,
                      .floating = k % 3 == 0,
                      .loose = k % 7 == 3,
                      .planar = k % 4 == 3,
                      .forces = k % 2 == 0};
}

static double *room(int n)
{
  return calloc((size_t)n + 1, sizeof(double));
}

/* udot of the oracle at q + x N e_k, u */
static void move(oracle *o, const lwt_case *c, int k, bool speeds, double x, double *udot)
{
  double *q = room(c->nq), *u = room(c->nu), *unit = room(c->nu);
  unit[k] = 1;
  lw_coordinate_rates(c->m, c->q, unit, q);
  for (int i = 0; i < c->nq; i++)
    q[i] = c->q[i] + (speeds ? 0 : x * q[i]);
  for (int i = 0; i < c->nu; i++)
    u[i] = c->u[i] + (speeds ? x * unit[i] : 0);
  lw_normalize(c->m, q);
  oracle_kinematics(o, q, u);
  oracle_dynamics(o, c->t, c->tau);
  memcpy(udot, o->udot, (size_t)c->nu * sizeof(double));
  free(q), free(u), free(unit);
}

static void compare(oracle *o, const lwt_case *c, bool speeds, const double *matrix, unsigned seed)
{
  const int n = c->nu;
  const double h = 2e-3;
  double *value = room(n), *wanted = room(n), *found = room(n);
  for (int k = 0; k < n; k++) {
    memset(wanted, 0, (size_t)n * sizeof(double));
    for (int s = -SIDE; s <= SIDE; s++) {
      if (s == 0) continue;
      move(o, c, k, speeds, s * h, value);
      for (int i = 0; i < n; i++)
        wanted[i] += (s > 0 ? weight[s - 1] : -weight[-s - 1]) / h * value[i];
    }
    for (int i = 0; i < n; i++)
      found[i] = matrix[i * n + k];
    lwt_close(found, wanted, n, 1e-8, lwt_scale(matrix, n * n) + lwt_scale(c->udot, n),
              "model %u, %s %d", seed, speeds ? "speed" : "motion", k);
  }
  free(value), free(wanted), free(found);
}

static void derivatives_by_the_state_are_those_of_the_oracle(void **state)
{
  (void)state;
  for (unsigned k = 0; k < MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_parts *parts = lwt_random_parts(&r);
    oracle *o = oracle_new(parts);
    lwt_case c = lwt_case_of(lwt_parts_compile(parts), k);
    lw_derivatives *d = lw_derivatives_new(c.m);
    double *A = room(c.nu * c.nu), *B = room(c.nu * c.nu);
    lwt_ok(lw_forward_dynamics_derivatives(d, c.t, c.q, c.u, c.tau, c.udot,
                                           &(lw_forward_matrices){A, B, NULL}));
    compare(o, &c, false, A, k);
    compare(o, &c, true, B, k);
    free(A), free(B);
    lw_derivatives_free(d);
    lwt_case_free(&c);
    oracle_free(o);
    lwt_parts_free(parts);
  }
}

/* ---- by numbers of the description ---- */

/* one number of a body or of a joint */
static double *number_of(lw_body_desc *body, lw_joint_desc *joint, unsigned k)
{
  switch (k % 4) {
  case 0: return &body->mass;
  case 1: return &body->com[0];
  case 2: return &joint->place.at[0];
  default: return &joint->child_place.at[1];
  }
}

typedef struct {
  double *udot;
  double (*load)[6];
} answer;

/* sum += by * what the oracle says */
static void ask(const lwt_parts *p, const lwt_case *c, double by, const answer *sum)
{
  oracle *o = oracle_new(p);
  oracle_kinematics(o, c->q, c->u);
  oracle_dynamics(o, c->t, c->tau);
  for (int i = 0; i < c->nu; i++)
    sum->udot[i] += by * o->udot[i];
  for (int j = 0; j < o->njoint; j++)
    for (int i = 0; i < 6; i++)
      sum->load[j][i] += by * o->load[j][i];
  oracle_free(o);
}

/* linkwork's derivatives by x, which takes the place of the same number */
static void derive(lwt_parts *p, const lwt_case *c, unsigned k, double value, const answer *out)
{
  lw_error err;
  lw_spec *s = lwt_parts_spec(p);
  lw_add_parameter(s, &(lw_parameter_desc){.name = "x", .value = value});
  double *x =
      number_of(&s->bodies.item[(int)k % p->nbody].d, &s->joints.item[(int)k % p->njoint].d, k);
  *x = lw_expr(s, "x");
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("model %u: %s", k, err.text);
  lw_model_derivative *model_p = lw_model_derivative_new(m, "x", &err);
  lw_derivatives *d = lw_derivatives_new(m);
  lwt_ok(lw_linearize_forward(d, c->t, c->q, c->u, c->tau, NULL));
  lwt_ok(lw_forward_derivative(d, &(lw_direction){.model = model_p}, out->udot));
  lwt_ok(lw_load_derivatives(d));
  for (int j = 1; j <= lw_njoint(m); j++)
    lwt_ok(lw_get_load_derivative(d, (lw_joint){j}, out->load[j - 1]));
  lw_derivatives_free(d);
  lw_model_derivative_free(model_p);
  lw_model_free(m);
  lw_spec_free(s);
}

static void derivatives_by_numbers_are_those_of_the_oracle(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned k = 0; k < 2 * MODELS; k++) {
    const lwt_recipe r = recipe(k);
    lwt_parts *p = lwt_random_parts(&r);
    double *x = p->njoint == 0
                    ? NULL
                    : number_of(&p->body[(int)k % p->nbody], &p->joint[(int)k % p->njoint], k);
    lwt_case c = lwt_case_of(lwt_parts_compile(p), k);
    const int n = c.nu, njoint = lw_njoint(c.m);
    answer wanted = {room(n), calloc((size_t)njoint + 1, sizeof *wanted.load)};
    answer found = {room(n), calloc((size_t)njoint + 1, sizeof *found.load)};
    if (x && *x != 0) {
      const double at = *x, h = 1e-2 * fabs(at);
      for (int s = -SIDE; s <= SIDE; s++) {
        *x = at + s * h;
        if (s != 0) ask(p, &c, (s > 0 ? weight[s - 1] : -weight[-s - 1]) / h, &wanted);
      }
      *x = at;
      derive(p, &c, k, at, &found);
      const double scale = 1 + lwt_scale(&wanted.load[0][0], 6 * njoint);
      lwt_close(found.udot, wanted.udot, n, 1e-8, 1 + lwt_scale(wanted.udot, n), "model %u", k);
      lwt_close(&found.load[0][0], &wanted.load[0][0], 6 * njoint, 1e-8, scale, "model %u", k);
      done++;
    }
    free(wanted.udot), free(wanted.load), free(found.udot), free(found.load);
    lwt_case_free(&c);
    lwt_parts_free(p);
  }
  assert_true(done >= MODELS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_by_the_state_are_those_of_the_oracle),
      cmocka_unit_test(derivatives_by_numbers_are_those_of_the_oracle),
  };
  return cmocka_run_group_tests_name("identity/derivatives_oracle", tests, NULL, NULL);
}
