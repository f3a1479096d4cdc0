/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives along directions: along smooth curves of states, loads and models, everything that forward
   dynamics gives is differentiated numerically (eighth order) and compared.  On closed mechanisms the
   states of a curve are projected to where the constraints hold, so that its tangent is admissible; where
   they hold for a moved model, the curve follows the model.  Random trees and loops of every joint type. */
#include "lwt_measures.h"
#include "curves.h"

#include "linkwork/derivatives.h"
#include "tree/loops/derivative_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool evaluate(const curve *c, point *p)
{
  if (lw_forward_dynamics(p->w, c->t, p->q, p->u, p->tau, p->udot) != LW_OK) return false;
  lwt_ok(lw_get_cut_joints(p->w, p->q, p->u, NULL));
  lwt_ok(lw_joint_loads(p->w));
  for (int j = 1; j <= lw_njoint(p->m); j++)
    lwt_ok(lw_get_load(p->w, (lw_joint){j}, p->load[j]));
  for (int k = 1; k <= lw_nconstraint(p->m); k++) {
    double *load = p->load[lw_njoint(p->m) + k];
    if (lw_get_constraint_load(p->w, (lw_constraint){k}, load) != LW_OK)
      lwt_ok(lw_get_relation_load(p->w, (lw_constraint){k}, load));
  }
  return true;
}

/* ---- the comparison ---- */

static double error_of(const double *a, const double *b, int n, double scale)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fabs(a[i] - b[i]) <= most ? most : fabs(a[i] - b[i]);
  return most / scale;
}

/* What the difference itself does not know: rounding errors of the nine samples, of which their eighth
   difference shows sqrt(C(16, 8)) = 113 times the size, reach the derivative divided by the step. */
static double scatter(const curve *c, int j, int k)
{
  static const double weight[POINTS] = {1, -8, 28, -56, 70, -56, 28, -8, 1};
  double sum = 0;
  for (int i = 0; i < POINTS; i++)
    sum += weight[i] * c->at[i].load[j][k];
  return 3 * fabs(sum) / (113 * c->h);
}

/* beyond the scatter of the samples, for which at most nine tenths of an error are taken */
static double load_error(const curve *c, lw_derivatives *d)
{
  const lw_model *m = c->at[SIDE].m;
  double(*wanted)[6] = calloc((size_t)c->nload, sizeof *wanted);
  double(*found)[6] = calloc((size_t)c->nload, sizeof *found);
  for (int j = 1; j < c->nload; j++)
    for (int k = 0; k < 6; k++)
      DERIVE(c, wanted[j][k], load[j][k]);
  lwt_ok(lw_load_derivatives(d));
  for (int j = 1; j < c->nload; j++) {
    const lw_constraint k = {j - lw_njoint(m)};
    if (k.id <= 0)
      lwt_ok(lw_get_load_derivative(d, (lw_joint){j}, found[j]));
    else if (lw_get_constraint_load_derivative(d, k, found[j]) != LW_OK)
      lwt_ok(lw_get_relation_load_derivative(d, k, found[j]));
  }
  const double scale =
      lwt_scale(&wanted[0][0], 6 * c->nload) + lwt_scale(&c->at[SIDE].load[0][0], 6 * c->nload);
  double error = 0;
  for (int j = 1; j < c->nload; j++)
    for (int k = 0; k < 6; k++) {
      const double off = fabs(found[j][k] - wanted[j][k]);
      if (isnan(off)) error = HUGE_VAL;
      error = fmax(error, fmax(off - scatter(c, j, k), off / 10) / scale);
    }
  free(wanted), free(found);
  return error;
}

/* the largest error of all derivatives, each relative to the largest of its kind */
static double curve_error(const curve *c)
{
  const point *p = &c->at[SIDE];
  lw_error err;
  lw_derivatives *d = lw_derivatives_new(p->m);
  lw_model_derivative *model_p = c->moves_model ? lw_model_derivative_new(p->m, "p", &err) : NULL;
  double *dq = room(c->nq_all), *motion = room(c->nu), *du = room(c->nu_all), *dtau = room(c->nu);
  double *wanted = room(c->nu), *found = room(c->nu), *q1 = room(c->nq_all), *u1 = room(c->nu_all);
  for (int i = 0; i < c->nq_all; i++)
    DERIVE(c, dq[i], q[i]);
  for (int i = 0; i < c->nu_all; i++)
    DERIVE(c, du[i], u[i]);
  for (int i = 0; i < c->nu; i++) {
    DERIVE(c, dtau[i], tau[i]);
    DERIVE(c, wanted[i], udot[i]);
  }
  lw_motion_of(p->m, p->q, dq, motion);
  const lw_direction x = {.motion = motion, .u = du, .tau = dtau, .model = model_p};
  lwi_work_follow(p->m, p->w, lw_derivatives_work(d));
  lwt_ok(lw_linearize_forward(d, c->t, p->q, p->u, p->tau, NULL));
  lwt_ok(lw_forward_derivative(d, &x, found));
  lwt_ok(lw_get_cut_joint_derivatives(d, q1, u1));
  double error =
      error_of(found, wanted, c->nu, lwt_scale(wanted, c->nu) + lwt_scale(p->udot, c->nu));
  error = fmax(error,
               error_of(q1 + c->nq, dq + c->nq, c->nq_all - c->nq, 1 + lwt_scale(dq, c->nq_all)));
  error = fmax(error,
               error_of(u1 + c->nu, du + c->nu, c->nu_all - c->nu, 1 + lwt_scale(du, c->nu_all)));
  error = fmax(error, load_error(c, d));
  free(dq), free(motion), free(du), free(dtau), free(wanted), free(found), free(q1), free(u1);
  lw_model_derivative_free(model_p);
  lw_derivatives_free(d);
  return error;
}

/* Differences have a best step, which depends on how near the mechanism is to a singular configuration: the
   best of a few counts.  Some follow only the shortest ones.  False: the mechanism cannot follow. */
static bool check_curve(lw_spec *(*make)(unsigned k, bool twice), unsigned k, bool twice,
                        bool moves_model, bool random, double tolerance)
{
  static const double step[] = {2e-3, 5e-4, 6e-3, 1.5e-4, 4e-5};
  double best = HUGE_VAL;
  for (int i = 0; i < 5 && !(best <= tolerance); i++) {
    curve c;
    const curve_recipe recipe = {k, step[i], moves_model, random, false};
    if (curve_make(&c, make(k, twice), &recipe, evaluate)) best = fmin(best, curve_error(&c));
    curve_free(&c);
  }
  if (best == HUGE_VAL) return false;
  if (!(best <= tolerance)) fail_msg("seed %u: derivatives are off by %.3g", k, best);
  return true;
}

/* ---- trees ---- */

static lwt_recipe tree_recipe(unsigned k)
{
  return (lwt_recipe){.seed = 700 + k,
                      .nbody = 1 + (int)(k * 5 % 14),
                      .branching = (double)(k % 5) / 4,
                      .floating = k % 3 == 0,
                      .planar = k % 8 == 7,
                      .forces = k % 2 == 0,
                      .measured = k % 3 == 0};
}

static lw_spec *tree_spec(unsigned k, bool twice)
{
  (void)twice;
  const lwt_recipe r = tree_recipe(k);
  lwt_parts *p = lwt_random_parts(&r);
  lw_spec *s = lwt_parts_spec(p);
  lwt_parts_free(p);
  if (r.measured) lwt_add_measured_forces(s, k);
  return s;
}

static void trees_follow_states_and_parameters(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 80; k++)
    assert_true(check_curve(tree_spec, k, false, k % 4 > 0, true, 1e-9));
}

/* ---- loops ---- */

static lwt_loops loop_recipe(unsigned k)
{
  return (lwt_loops){.tree = {.seed = 900 + k,
                              .nbody = 8 + (int)(k % 8),
                              .branching = (double)(k % 5) / 4,
                              .floating = k % 3 == 0,
                              .planar = k % 7 == 6,
                              .measured = k % 3 == 0},
                     .loops = 1 + (int)(k % 2),
                     .constraints = k % 4 == 1,
                     .relations = (int)(k % 3),
                     .forces = k % 2 == 0};
}

static lw_spec *loop_spec(unsigned k, bool twice)
{
  lwt_loops r = loop_recipe(k);
  r.twice = twice;
  return lwt_loops_spec(&r);
}

/* how many of the first n mechanisms can follow; those are compared */
static int follow_loops(unsigned n, bool moves_model, bool twice, double tolerance)
{
  int done = 0;
  for (unsigned k = 0; k < n; k++)
    done += check_curve(loop_spec, k, twice, moves_model, false, tolerance);
  return done;
}

static void closed_mechanisms_follow_states(void **state)
{
  (void)state;
  const int n = follow_loops(60, false, false, 1e-8);
  assert_true(n >= 40);
}

static void closed_mechanisms_follow_parameters(void **state)
{
  (void)state;
  const int n = follow_loops(60, true, false, 1e-8);
  assert_true(n >= 30);
  lwt_swap_gimbals(true);
  const int more = follow_loops(25, true, false, 1e-8);
  lwt_swap_gimbals(false);
  assert_true(more >= 12);
}

/* every loop closed by two equal joints: which loads are shown is part of the answer */
static void redundant_mechanisms_follow(void **state)
{
  (void)state;
  const int n = follow_loops(60, false, true, 1e-7);
  assert_true(n >= 30);
  const int more = follow_loops(60, true, true, 1e-7);
  assert_true(more >= 20);
}

/* a driver whose motion depends on p, on a tree */
static lw_spec *driven_spec(unsigned k, bool twice)
{
  const lwt_recipe r = {
      .seed = 40 + k, .nbody = 5, .joints = 1u << LW_REVOLUTE | 1u << LW_PRISMATIC};
  lw_spec *s = lwt_random_spec(&r);
  const lw_term term = {.joint = {1 + (int)(k % 5)}};
  (void)twice;
  lw_add_constraint(
      s, &(lw_constraint_desc){.name = "drive",
                               .type = LW_DRIVER,
                               .terms = &term,
                               .nterm = 1,
                               .value = lw_expr(s, "(0.3 + p)*sin((2 - p)*t) + exp(p*t)*t^2")});
  return s;
}

static void driven_mechanisms_follow_their_drivers(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 10; k++)
    assert_true(check_curve(driven_spec, k, false, true, true, 1e-8));
}

/* ---- matrices: directions that leave the constraints too ---- */

typedef void function(const lwt_case *c, const double *q, const double *u, double *out, void *to);

/* column k of the derivative along motions or by speeds, eighth order */
static void difference(const lwt_case *c, bool speeds, int k, function *f, void *to, int n,
                       double *out)
{
  static const double weight[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double h = 1e-3;
  double *q = room(c->nq), *u = room(c->nu), *unit = room(c->nu), *rate = room(c->nq),
         *value = room(n);
  unit[k] = 1;
  lw_coordinate_rates(c->m, c->q, unit, rate);
  memset(out, 0, (size_t)n * sizeof(double));
  for (int s = -SIDE; s <= SIDE; s++) {
    if (s == 0) continue;
    for (int i = 0; i < c->nq; i++)
      q[i] = c->q[i] + (speeds ? 0 : s * h * rate[i]);
    for (int i = 0; i < c->nu; i++)
      u[i] = c->u[i] + (speeds ? s * h * unit[i] : 0);
    f(c, q, u, value, to);
    for (int i = 0; i < n; i++)
      out[i] += (s > 0 ? weight[s - 1] : -weight[-s - 1]) / h * value[i];
  }
  free(q), free(u), free(unit), free(rate), free(value);
}

static void accelerate(const lwt_case *c, const double *q, const double *u, double *out, void *to)
{
  (void)to;
  lwt_ok(lw_forward_dynamics(c->w, c->t, q, u, c->tau, out));
}
static void demand(const lwt_case *c, const double *q, const double *u, double *out, void *to)
{
  (void)to;
  lwt_ok(lw_bias(c->w, c->t, q, u, out));
}
static void violate(const lwt_case *c, const double *q, const double *u, double *out, void *to)
{
  (void)u;
  lwt_ok(lw_constraint_equations(to, c->t, q, out, NULL));
}

static void compare_matrix(const lwt_case *c, bool speeds, function *f, void *to, int n,
                           const double *matrix, double tolerance, unsigned seed, const char *what)
{
  double *wanted = room(n), *found = room(n), *value = room(n);
  f(c, c->q, c->u, value, to);
  /* rows may be zero, as those of a joint between bodies that are fixed to each other */
  const double scale = fmax(1e-3, lwt_scale(matrix, n * c->nu) + lwt_scale(value, n));
  for (int k = 0; k < c->nu; k++) {
    difference(c, speeds, k, f, to, n, wanted);
    for (int i = 0; i < n; i++)
      found[i] = matrix[i * c->nu + k];
    lwt_close(found, wanted, n, tolerance, scale, "seed %u, %s, column %d", seed, what, k);
  }
  free(wanted), free(found), free(value);
}

static void matrices_of_closed_mechanisms_are_those_of_differences(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 30; k++) {
    const lwt_loops r = loop_recipe(k);
    lwt_case c = lwt_case_of(lwt_loops_model(&r), k);
    lw_derivatives *d = lw_derivatives_new(c.m), *other = lw_derivatives_new(c.m);
    const int n = c.nu, ne = lw_nequation(c.m);
    int dof, redundant;
    double *A = room(n * n), *B = room(n * n), *C = room(n * n), *G = room(ne * n);
    double *speeds = room(n);
    lw_initial_state(c.m, c.q, speeds);
    lwt_ok(lw_dof(c.w, c.q, &dof, &redundant));
    if (redundant == 0) {
      lwt_ok(lw_forward_dynamics_derivatives(d, c.t, c.q, c.u, c.tau, c.udot,
                                             &(lw_forward_matrices){A, B, C}));
      compare_matrix(&c, false, accelerate, NULL, n, A, 1e-6, k, "udot by q");
      compare_matrix(&c, true, accelerate, NULL, n, B, 1e-6, k, "udot by u");
      for (int i = 0; i < n; i++) /* what tau does is symmetric */
        for (int j = 0; j < i; j++)
          lwt_near(C[i * n + j], C[j * n + i], 1e-10 * lwt_scale(C, n * n), "seed %u", k);
    }
    lwt_ok(
        lw_inverse_dynamics_derivatives(d, c.t, c.q, c.u, NULL, &(lw_inverse_matrices){A, B, C}));
    compare_matrix(&c, false, demand, NULL, n, A, 1e-8, k, "bias by q");
    compare_matrix(&c, true, demand, NULL, n, B, 1e-8, k, "bias by u");
    lwt_ok(lw_constraint_equations(d, c.t, c.q, NULL, G));
    compare_matrix(&c, false, violate, other, ne, G, 1e-9, k, "constraints by q");
    free(A), free(B), free(C), free(G), free(speeds);
    lw_derivatives_free(d);
    lw_derivatives_free(other);
    lwt_case_free(&c);
  }
}

/* ---- assembly ---- */

/* A mechanism with speeds that are not consistent, and positions that are `off` closed ones by up to that much; every
   third joint is held, or none. */
static lw_spec *start_spec(unsigned k, double off)
{
  lw_spec *s = loop_spec(k, false);
  lwt_random r = lwt_seed(k);
  for (int i = 0; i < s->joints.n; i++) {
    lw_joint_desc *j = &s->joints.item[i].d;
    for (int n = 0; n < 6; n++)
      j->u[n] = lwt_uniform(&r, -1, 1);
    for (int n = 0; n < 7; n++)
      j->q[n] += lwt_uniform(&r, -off, off);
    if (off > 0 && k % 2 == 0 && i % 3 == 1 && !j->cut) j->hold = j->has_q = j->has_u = true;
    depend(s, j->q, 7);
    depend(s, j->u, 6);
  }
  depend_on_p(s);
  return s;
}

static bool assemble_at(lw_spec *s, double p, double *q, double *u)
{
  lw_error err;
  lw_model *m = compile_at(s, p);
  lw_work *w = lw_work_new(m);
  lw_initial_state(m, q, u);
  const bool ok = lw_close_loops(w, 0, q, u, &err) == LW_OK;
  lw_work_free(w);
  lw_model_free(m);
  return ok;
}

enum { STARTS = 9 }; /* p = -4 h ... 4 h */

/* derivatives of x[STARTS][n], of eighth order and of sixth; returns how far they are apart */
static double differentiate(double *const x[STARTS], int n, double h, double dx[])
{
  static const double eighth[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280},
                      sixth[] = {3.0 / 4, -3.0 / 20, 1.0 / 60, 0};
  double most = 0;
  for (int i = 0; i < n; i++) {
    double other = dx[i] = 0;
    for (int k = 0; k < 4; k++) {
      const double d = (x[5 + k][i] - x[3 - k][i]) / h;
      dx[i] += eighth[k] * d;
      other += sixth[k] * d;
    }
    most = fmax(most, fabs(dx[i] - other));
  }
  return most;
}

/* Motion and u_rate against differences of whole assemblies; false: these say nothing. */
static bool compare_starts(const lw_model *m, double *const q[STARTS], double *const u[STARTS],
                           double h, const double *motion, const double *u_rate, unsigned k)
{
  const int nq = lw_nq(m), nu = lw_nu(m);
  double *dq = room(nq), *du = room(nu), *xi = room(nu);
  const double unclear = fmax(differentiate(q, nq, h, dq), differentiate(u, nu, h, du));
  lw_motion_of(m, q[4], dq, xi);
  const double scale = 1 + lwt_scale(xi, nu) + lwt_scale(du, nu);
  const bool clear = unclear <= 1e-7 * scale;
  if (clear) {
    lwt_close(motion, xi, nu, 1e-7, scale, "seed %u, positions", k);
    lwt_close(u_rate, du, nu, 1e-7, scale, "seed %u, speeds", k);
  }
  free(dq), free(du), free(xi);
  return clear;
}

static void check_kept(const lw_model *m, lw_derivatives *d, const double *q, const double *u,
                       const lw_direction *x, unsigned k)
{
  const int n = lw_nequation(m);
  double *zero = room(n), *phi = room(n), *rate = room(n);
  lwt_ok(lw_constraint_derivatives(d, 0, q, u, x, phi, rate));
  for (int i = 1; i <= lw_nconstraint(m); i++)
    if (m->constraint[i].info.type == LW_GEAR)
      phi[m->tree_constraints.constraint[m->constraint[i].constraint].row] = 0;
  const double scale = 1 + lwt_scale(x->motion, lw_nu(m)) + lwt_scale(x->u, lw_nu(m));
  lwt_close(phi, zero, n, 1e-10, scale, "seed %u: constraints stay closed", k);
  lwt_close(rate, zero, n, 1e-10, scale, "seed %u: speeds stay consistent", k);
  free(zero), free(phi), free(rate);
}

typedef struct {
  int closed, compared, without;
} starts;

static void try_start(unsigned k, double off, starts *count)
{
  const double h = 2e-4;
  lw_error err;
  lw_spec *s = start_spec(k, off);
  lw_model *m = compile_at(s, 0);
  const int nq = lw_nq(m), nu = lw_nu(m);
  double *q[STARTS], *u[STARTS], *motion = room(nu), *u_rate = room(nu);
  bool ok = true;
  for (int i = 0; i < STARTS; i++) {
    q[i] = room(nq), u[i] = room(nu);
    ok = assemble_at(s, (i - 4) * h, q[i], u[i]) && ok;
  }
  lw_set_parameter(s, "p", 0);
  lw_model_derivative *model_p = lw_model_derivative_new(m, "p", &err);
  lw_derivatives *d = lw_derivatives_new(m);
  if (ok) {
    count->closed++;
    const lw_status status = lw_close_loops_derivative(d, 0, q[4], u[4], model_p, motion, u_rate);
    if (status == LW_OK) {
      const lw_direction x = {.motion = motion, .u = u_rate, .model = model_p};
      check_kept(m, d, q[4], u[4], &x, k);
      count->compared += compare_starts(m, q, u, h, motion, u_rate, k);
    } else {
      if (off == 0) fail_msg("seed %u: %s", k, lw_status_text(status));
      count->without++;
    }
  }
  for (int i = 0; i < STARTS; i++)
    free(q[i]), free(u[i]);
  free(motion), free(u_rate);
  lw_model_derivative_free(model_p);
  lw_derivatives_free(d);
  lw_model_free(m);
  lw_spec_free(s);
}

static void assembled_states_follow_parameters(void **state)
{
  (void)state;
  const double off[] = {0, 0.02, 0.3};
  for (int i = 0; i < 3; i++) {
    starts count = {0};
    for (unsigned k = 0; k < 60; k++)
      try_start(k, off[i], &count);
    print_message("written %g off: %d closed, %d compared, %d without a derivative\n", off[i],
                  count.closed, count.compared, count.without);
    assert_true(count.compared >= 25 && 10 * count.compared >= 9 * count.closed);
    assert_true(10 * count.without <= count.closed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_follow_states_and_parameters),
      cmocka_unit_test(closed_mechanisms_follow_states),
      cmocka_unit_test(closed_mechanisms_follow_parameters),
      cmocka_unit_test(redundant_mechanisms_follow),
      cmocka_unit_test(driven_mechanisms_follow_their_drivers),
      cmocka_unit_test(matrices_of_closed_mechanisms_are_those_of_differences),
      cmocka_unit_test(assembled_states_follow_parameters),
  };
  return cmocka_run_group_tests_name("identity/derivatives_along", tests, NULL, NULL);
}
