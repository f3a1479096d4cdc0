/* SPDX-License-Identifier: Apache-2.0 */
/* Equations on bodies against differences: violation, its rate Phi V - nu and its second derivative
   Phi Vdot - gamma along arbitrary motions of all bodies, for every type of joint, geometric constraint and
   relation, those that depend on time included.  Poses violate the equations. */
#include "cartesian/form/cartesian.h"
#include "lwt_loops.h"
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
#include <math.h>

enum { POINTS = 9 }; /* central differences of order 8 */
static const double first[POINTS] = {1. / 280, -4. / 105, 1. / 5,   -4. / 5,  0,
                                     4. / 5,   -1. / 5,   4. / 105, -1. / 280};
static const double second[POINTS] = {-1. / 560, 8. / 315, -1. / 5,  8. / 5,   -205. / 72,
                                      8. / 5,    -1. / 5,  8. / 315, -1. / 560};

typedef struct {
  lwi_frame X;
  double V[6], A[6];
} motion;

/* a turn by the rotation vector r */
static rot3 turn(const double r[3])
{
  const double angle = norm3(r), s = angle > 0 ? sin(angle / 2) / angle : 0.5;
  const double e[4] = {cos(angle / 2), s * r[0], s * r[1], s * r[2]};
  return rot_from_quat(e);
}

static motion random_motion(lwt_random *r, const lw_cartesian *c, int body)
{
  motion m = {.X = c->state[body].X};
  double off[3] = {0}, by[3] = {0};
  for (int k = 0; k < 3; k++) {
    const bool turns = c->width == 6 || k == 2, slides = c->width == 6 || k < 2;
    off[k] = turns ? lwt_uniform(r, -0.2, 0.2) : 0;
    by[k] = slides ? lwt_uniform(r, -0.1, 0.1) : 0;
    m.V[k] = turns ? lwt_uniform(r, -1, 1) : 0;
    m.A[k] = turns ? lwt_uniform(r, -1, 1) : 0;
    m.V[3 + k] = slides ? lwt_uniform(r, -1, 1) : 0;
    m.A[3 + k] = slides ? lwt_uniform(r, -1, 1) : 0;
    m.X.p[k] += by[k];
  }
  m.X.R = rot_mul(turn(off), m.X.R);
  return m;
}

static void place_at(lw_cartesian *c, const motion *m, double t)
{
  for (int i = 1; i <= c->nbody; i++) {
    double r[3];
    lwi_body_state *s = &c->state[i];
    for (int k = 0; k < 3; k++) {
      r[k] = m[i].V[k] * t + m[i].A[k] * t * t / 2;
      s->X.p[k] = m[i].X.p[k] + m[i].V[3 + k] * t + m[i].A[3 + k] * t * t / 2;
    }
    s->X.R = rot_mul(turn(r), m[i].X.R);
    memcpy(s->V, m[i].V, sizeof s->V); /* right at t = 0 */
  }
  lwi_cartesian_place(c);
  lwi_cartesian_joint_states(c);
  lwi_cartesian_targets(c, 0.3 + t);
}

static void check_rows(lw_cartesian *c, const motion *m, unsigned seed)
{
  const double h = 0.005;
  const size_t n = (size_t)c->nrow + 1;
  double *d1 = calloc(n, sizeof *d1), *d2 = calloc(n, sizeof *d2);
  double *rate = calloc(n, sizeof *rate), *more = calloc(n, sizeof *more);
  double *V = calloc(6 * ((size_t)c->nbody + 1), sizeof *V),
         *A = calloc(6 * ((size_t)c->nbody + 1), sizeof *A);
  for (int s = 0; s < POINTS; s++) {
    place_at(c, m, (s - POINTS / 2) * h);
    lwi_cartesian_residual(c);
    for (int i = 0; i < c->nrow; i++) {
      d1[i] += first[s] / h * c->phi[i];
      d2[i] += second[s] / (h * h) * c->phi[i];
    }
  }
  place_at(c, m, 0);
  lwi_cartesian_rows(c);
  lwi_cartesian_rates(c);
  lwi_cartesian_gamma(c);
  for (int i = 1; i <= c->nbody; i++) {
    lwi_pick(c, m[i].V, V + (size_t)((i - 1) * c->width));
    lwi_pick(c, m[i].A, A + (size_t)((i - 1) * c->width));
  }
  lwi_cartesian_multiply(c, V, rate);
  lwi_cartesian_multiply(c, A, more);
  for (int i = 0; i < c->nrow; i++) {
    rate[i] -= c->nu[i];
    more[i] -= c->gamma[i];
  }
  /* coordinates of joints have second derivatives of their own only where the joints hold: below */
  for (int k = 0; k < c->shape.nset; k++)
    if (c->set[k].constraint && c->m->constraint[c->set[k].constraint].pair < 0)
      more[c->set[k].row] = d2[c->set[k].row] = 0;
  lwt_close(rate, d1, c->nrow, 1e-10, 10, "seed %u: rate", seed);
  lwt_close(more, d2, c->nrow, 1e-8, 10, "seed %u: second derivative", seed);
  free(d1), free(d2), free(rate), free(more), free(V), free(A);
}

static void check_model(lw_model *m, unsigned seed)
{
  lw_error err;
  lwt_random r = lwt_seed(seed + 5);
  lw_cartesian *c = lw_cartesian_new(m, NULL, &err);
  if (!c) fail_msg("seed %u: %s", seed, err.text);
  lwt_case k = lwt_case_of(m, seed);
  lw_initial_state(m, k.q, k.u);
  lwt_ok(lw_kinematics(k.w, k.q, k.u));
  lwi_cartesian_from_tree(c, k.w, k.q, k.u);
  motion *motions = calloc((size_t)c->nbody + 1, sizeof *motions);
  for (int i = 1; i <= c->nbody; i++)
    motions[i] = random_motion(&r, c, i);
  check_rows(c, motions, seed);
  free(motions);
  lw_cartesian_free(c);
  lwt_case_free(&k);
}

static void rows_of_every_joint_are_derivatives(void **state)
{
  (void)state;
  for (unsigned type = 0; type < LW_JOINT_TYPES; type++)
    for (unsigned k = 0; k < 6; k++)
      check_model(lwt_random_model(&(lwt_recipe){
                      .seed = 10 * type + k, .nbody = 3, .branching = 0.5, .joints = 1u << type}),
                  10 * type + k);
  for (unsigned k = 0; k < 12; k++)
    check_model(lwt_random_model(
                    &(lwt_recipe){.seed = 200 + k, .nbody = 5, .branching = 0.5, .planar = true}),
                200 + k);
}

static void rows_of_every_constraint_are_derivatives(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 40; k++) {
    lwt_loops d = lwt_loops_recipe(k);
    d.tree.nbody = 8 + (int)(k % 6);
    d.loops = 1;
    d.constraints = 5;
    d.relations = 3;
    check_model(lwt_loops_model(&d), k);
  }
}

/* ---- relations, along motions that the joints allow ---- */

/* bodies of the tree with q + u t + a t^2/2 */
static void follow_tree(lw_cartesian *c, lwt_case *k, const double *a, double t)
{
  double *q = k->x, *u = k->y;
  for (int i = 0; i < k->nu; i++) {
    q[i] = k->q[i] + k->u[i] * t + a[i] * t * t / 2;
    u[i] = k->u[i] + a[i] * t;
  }
  lwt_ok(lw_kinematics(k->w, q, u));
  lwi_cartesian_from_tree(c, k->w, q, u);
  lwi_cartesian_place(c);
  lwi_cartesian_joint_states(c);
  lwi_cartesian_targets(c, 0.3 + t);
}

static void body_accelerations(const lw_cartesian *c, const lwt_case *k, double *A)
{
  for (int i = 1; i <= c->nbody; i++) {
    double V[6], own[6], arm[3], turn[3], swing[3];
    k->w->kernels->get_motion(c->m, k->w->tree, c->body[i].link, V, own);
    rot_mulv(c->state[i].X.R, c->body[i].com, arm);
    cross3(V, arm, swing);
    cross3(V, swing, swing);
    cross3(own, arm, turn);
    for (int j = 0; j < 3; j++)
      own[3 + j] += turn[j] + swing[j];
    lwi_pick(c, own, A + (size_t)((i - 1) * c->width));
  }
}

static void rows_of_relations_are_derivatives(void **state)
{
  (void)state;
  const double h = 0.005;
  const unsigned joints = 1u << LW_REVOLUTE | 1u << LW_PRISMATIC | 1u << LW_HELICAL |
                          1u << LW_CYLINDRICAL | 1u << LW_UNIVERSAL;
  for (unsigned seed = 0; seed < 20; seed++) {
    lw_error err;
    const lwt_loops d = {.tree = {.seed = seed, .nbody = 5, .branching = 0.5, .joints = joints},
                         .relations = 3};
    lwt_case k = lwt_case_of(lwt_loops_model(&d), seed);
    lw_cartesian *c = lw_cartesian_new(k.m, NULL, &err);
    if (!c) fail_msg("seed %u: %s", seed, err.text);
    double *a = k.tau, *A = calloc(6 * (size_t)c->nbody, sizeof *A);
    double d2[64] = {0}, more[64];
    assert_true(k.nq == k.nu && c->nrow <= 64);
    for (int s = 0; s < POINTS; s++) {
      follow_tree(c, &k, a, (s - POINTS / 2) * h);
      lwi_cartesian_residual(c);
      for (int i = 0; i < c->nrow; i++)
        d2[i] += second[s] / (h * h) * c->phi[i];
    }
    follow_tree(c, &k, a, 0);
    lwt_ok(lw_accelerations(k.w, a));
    body_accelerations(c, &k, A);
    lwi_cartesian_rows(c);
    lwi_cartesian_gamma(c);
    lwi_cartesian_multiply(c, A, more);
    for (int i = 0; i < c->nrow; i++)
      more[i] -= c->gamma[i];
    lwt_close(more, d2, c->nrow, 1e-8, 10, "seed %u", seed);
    free(A);
    lw_cartesian_free(c);
    lwt_case_free(&k);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_every_joint_are_derivatives),
      cmocka_unit_test(rows_of_every_constraint_are_derivatives),
      cmocka_unit_test(rows_of_relations_are_derivatives),
  };
  return cmocka_run_group_tests_name("unit/cartesian_rows", tests, NULL, NULL);
}
