/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives along directions: along smooth curves of states, loads and models, everything that forward
   dynamics gives is differentiated numerically (eighth order) and compared.  On closed mechanisms the
   states of a curve are projected to where the constraints hold, so that its tangent is admissible; where
   they hold for a moved model, the curve follows the model.  Random trees and loops of every joint type. */
#include "lwt_loops.h"

#include "linkwork/derivatives.h"
#include "model/spec_data.h"
#include "tree/derivatives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, POINTS = 2 * SIDE + 1 };

/* ---- models that depend on a parameter p, which is 0 ---- */

/* every number that is not zero becomes x (1 + k p); equal numbers stay equal */
static void depend(lw_spec *s, double *x, int n)
{
  char text[96];
  for (int i = 0; i < n; i++) {
    if (x[i] == 0 || isnan(x[i])) continue;
    snprintf(text, sizeof text, "%.17g*(1 + %.17g*p)", x[i], 0.3 * sin(17 * x[i]));
    x[i] = lw_expr(s, text);
  }
}

static void depend_place(lw_spec *s, lw_place *p)
{
  depend(s, p->at, 3);
  depend(s, p->orient.value, 4);
}

static void depend_forces(lw_spec *s)
{
  for (int i = 0; i < s->springs.n; i++) {
    lw_spring_desc *e = &s->springs.item[i].d;
    depend(s, e->from_at, 3);
    depend(s, e->to_at, 3);
    depend(s, &e->stiffness, 1);
    depend(s, &e->damping, 1);
    depend(s, &e->length, 1);
  }
  for (int i = 0; i < s->joint_springs.n; i++) {
    lw_joint_spring_desc *e = &s->joint_springs.item[i].d;
    depend(s, &e->stiffness, 1);
    depend(s, &e->damping, 1);
    depend(s, &e->rest, 1);
  }
  for (int i = 0; i < s->motors.n; i++)
    depend(s, &s->motors.item[i].d.value, 1);
  for (int i = 0; i < s->loads.n; i++) {
    depend(s, s->loads.item[i].d.at, 3);
    depend(s, s->loads.item[i].d.force, 3);
    depend(s, s->loads.item[i].d.torque, 3);
  }
  for (int i = 0; i < s->bushings.n; i++) {
    lw_bushing_desc *e = &s->bushings.item[i].d;
    depend_place(s, &e->place);
    depend_place(s, &e->child_place);
    depend(s, e->stiffness, 3);
    depend(s, e->damping, 3);
    depend(s, e->angular_stiffness, 3);
    depend(s, e->angular_damping, 3);
  }
}

static void depend_on_p(lw_spec *s)
{
  lw_add_parameter(s, &(lw_parameter_desc){.name = "p", .value = 0});
  depend(s, s->gravity, 3);
  for (int i = 0; i < s->bodies.n; i++) {
    depend(s, &s->bodies.item[i].d.mass, 1);
    depend(s, s->bodies.item[i].d.com, 3);
    depend(s, s->bodies.item[i].d.inertia, 3);
  }
  for (int i = 0; i < s->joints.n; i++) {
    lw_joint_desc *j = &s->joints.item[i].d;
    depend_place(s, &j->place);
    depend_place(s, &j->child_place);
    depend(s, j->axis, 3);
    depend(s, j->axis2, 3);
    depend(s, &j->pitch, 1);
  }
  for (int i = 0; i < s->constraints.n; i++) {
    lw_constraint_desc *k = &s->constraints.item[i].d;
    depend_place(s, &k->place);
    depend_place(s, &k->child_place);
    depend(s, k->axis, 3);
    depend(s, k->axis2, 3);
    depend(s, &k->length, 1);
    depend(s, &k->ratio, 1);
    depend(s, &k->offset, 1);
  }
  depend_forces(s);
}

/* ---- curves ---- */

/* what is known at one point of a curve */
typedef struct {
  lw_model *m;
  lw_work *w;
  double *q, *u, *tau, *udot; /* q and u of all joints */
  double (*load)[6];          /* [njoint + nconstraint + 1] */
} point;

typedef struct {
  lw_spec *s;
  int nq, nu, nq_all, nu_all, nload;
  double t, h;
  bool moves_model;
  point at[POINTS];
} curve;

static double *room(int n)
{
  return calloc((size_t)n + 1, sizeof(double));
}

static lw_model *compile_at(lw_spec *s, double p)
{
  lw_error err;
  if (lw_set_parameter(s, "p", p) != LW_OK) fail_msg("no parameter");
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  return m;
}

/* the state at a distance x: straight, then closed */
static bool find_state(const curve *c, point *p, double x, const double *q, const double *u,
                       const double *direction)
{
  double *rate = room(c->nq);
  lw_coordinate_rates(p->m, q, direction, rate);
  for (int i = 0; i < c->nq; i++)
    p->q[i] = q[i] + x * rate[i];
  for (int i = 0; i < c->nu; i++) {
    p->u[i] = u[i] + x * direction[c->nu + i];
    p->tau[i] = direction[3 * c->nu + i] + x * direction[2 * c->nu + i];
  }
  free(rate);
  return lw_normalize(p->m, p->q) == LW_OK && lw_project(p->m, p->w, c->t, p->q, p->u) == LW_OK;
}

static bool evaluate(const curve *c, point *p)
{
  if (lw_forward_dynamics(p->m, p->w, c->t, p->q, p->u, p->tau, p->udot) != LW_OK) return false;
  lwt_ok(lw_get_cut_joints(p->m, p->w, p->q, p->u, NULL));
  lwt_ok(lw_joint_loads(p->m, p->w));
  for (int j = 1; j <= lw_njoint(p->m); j++)
    lwt_ok(lw_get_load(p->m, p->w, (lw_joint){j}, p->load[j]));
  for (int k = 1; k <= lw_nconstraint(p->m); k++) {
    double *load = p->load[lw_njoint(p->m) + k];
    if (lw_get_constraint_load(p->m, p->w, (lw_constraint){k}, load) != LW_OK)
      lwt_ok(lw_get_relation_load(p->m, p->w, (lw_constraint){k}, load));
  }
  return true;
}

static void curve_free(curve *c)
{
  for (int i = 0; i < POINTS; i++) {
    point *p = &c->at[i];
    free(p->q), free(p->u), free(p->tau), free(p->udot), free(p->load);
    lw_work_free(p->w);
    lw_model_free(p->m);
  }
  lw_spec_free(c->s);
}

/* takes the spec; false: the mechanism cannot follow */
static bool curve_make(curve *c, lw_spec *s, unsigned seed, double h, bool moves_model, bool random)
{
  lwt_random r = lwt_seed(seed + 7);
  bool ok = true;
  *c = (curve){.s = s, .t = 0.3, .h = h, .moves_model = moves_model};
  depend_on_p(s);
  for (int i = 0; i < POINTS; i++) {
    point *p = &c->at[i];
    p->m = compile_at(s, moves_model ? (i - SIDE) * h : 0);
    p->w = lw_work_new(p->m);
    c->nq = lw_nq(p->m), c->nu = lw_nu(p->m);
    c->nq_all = lw_nq_all(p->m), c->nu_all = lw_nu_all(p->m);
    c->nload = lw_njoint(p->m) + lw_nconstraint(p->m) + 1;
    p->q = room(c->nq_all), p->u = room(c->nu_all), p->tau = room(c->nu), p->udot = room(c->nu);
    p->load = calloc((size_t)c->nload, sizeof *p->load);
  }
  lw_set_parameter(s, "p", 0);
  double *q = room(c->nq), *u = room(c->nu), *direction = room(4 * c->nu);
  const lw_model *m = c->at[SIDE].m;
  lwt_random_state(m, seed, q, u);
  if (!random) lw_initial_state(m, q, NULL);
  for (int i = 0; i < 4 * c->nu; i++)
    direction[i] = lwt_uniform(&r, -1, 1);
  for (int i = 0; i < POINTS && ok; i++) {
    ok = find_state(c, &c->at[i], (i - SIDE) * h, q, u, direction) && evaluate(c, &c->at[i]);
    if (!ok && i == SIDE) fail_msg("seed %u: no state", seed);
  }
  free(q), free(u), free(direction);
  return ok;
}

/* the derivative of a number of the points */
#define DERIVE(c, out, number)                                                                     \
  do {                                                                                             \
    static const double weight_[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};                \
    (out) = 0;                                                                                     \
    for (int s_ = 1; s_ <= SIDE; s_++)                                                             \
      (out) += weight_[s_ - 1] / (c)->h * ((c)->at[SIDE + s_].number - (c)->at[SIDE - s_].number); \
  } while (0)

/* ---- the comparison ---- */

static double error_of(const double *a, const double *b, int n, double scale)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fabs(a[i] - b[i]) <= most ? most : fabs(a[i] - b[i]);
  return most / scale;
}

static double load_error(const curve *c, lw_derivatives *d)
{
  const lw_model *m = c->at[SIDE].m;
  double(*wanted)[6] = calloc((size_t)c->nload, sizeof *wanted);
  double(*found)[6] = calloc((size_t)c->nload, sizeof *found);
  for (int j = 1; j < c->nload; j++)
    for (int k = 0; k < 6; k++)
      DERIVE(c, wanted[j][k], load[j][k]);
  lwt_ok(lw_vary_loads(m, d));
  for (int j = 1; j < c->nload; j++) {
    const lw_constraint k = {j - lw_njoint(m)};
    if (k.id <= 0)
      lwt_ok(lw_get_load_rate(m, d, (lw_joint){j}, found[j]));
    else if (lw_get_constraint_load_rate(m, d, k, found[j]) != LW_OK)
      lwt_ok(lw_get_relation_load_rate(m, d, k, found[j]));
  }
  const double scale =
      lwt_scale(&wanted[0][0], 6 * c->nload) + lwt_scale(&c->at[SIDE].load[0][0], 6 * c->nload);
  const double error = error_of(&found[0][0], &wanted[0][0], 6 * c->nload, scale);
  free(wanted), free(found);
  return error;
}

/* the largest error of all derivatives, each relative to the largest of its kind */
static double curve_error(const curve *c)
{
  const point *p = &c->at[SIDE];
  lw_error err;
  lw_derivatives *d = lw_derivatives_new(p->m);
  lw_slope *slope = c->moves_model ? lw_slope_new(c->s, p->m, "p", &err) : NULL;
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
  const lw_direction x = {.motion = motion, .u = du, .tau = dtau, .slope = slope};
  lwi_closure_follow(p->m, p->w, lw_derivatives_work(d));
  lwt_ok(lw_linearize_forward(p->m, d, c->t, p->q, p->u, p->tau, NULL));
  lwt_ok(lw_vary_forward(p->m, d, &x, found));
  lwt_ok(lw_get_cut_joint_rates(p->m, d, q1, u1));
  double error =
      error_of(found, wanted, c->nu, lwt_scale(wanted, c->nu) + lwt_scale(p->udot, c->nu));
  error = fmax(error,
               error_of(q1 + c->nq, dq + c->nq, c->nq_all - c->nq, 1 + lwt_scale(dq, c->nq_all)));
  error = fmax(error,
               error_of(u1 + c->nu, du + c->nu, c->nu_all - c->nu, 1 + lwt_scale(du, c->nu_all)));
  error = fmax(error, load_error(c, d));
  free(dq), free(motion), free(du), free(dtau), free(wanted), free(found), free(q1), free(u1);
  lw_slope_free(slope);
  lw_derivatives_free(d);
  return error;
}

/* Differences have a best step, which depends on how near the mechanism is to a singular configuration: the
   best of a few counts.  False: the mechanism cannot follow. */
static bool check_curve(lw_spec *(*make)(unsigned k, bool twice), unsigned k, bool twice,
                        bool moves_model, bool random, double tolerance)
{
  static const double step[] = {2e-3, 5e-4, 6e-3, 1.5e-4};
  double best = HUGE_VAL;
  for (int i = 0; i < 4 && !(best <= tolerance); i++) {
    curve c;
    if (curve_make(&c, make(k, twice), k, step[i], moves_model, random))
      best = fmin(best, curve_error(&c));
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
                      .forces = k % 2 == 0};
}

static lw_spec *tree_spec(unsigned k, bool twice)
{
  (void)twice;
  const lwt_recipe r = tree_recipe(k);
  lwt_parts *p = lwt_random_parts(&r);
  lw_spec *s = lwt_parts_spec(p);
  lwt_parts_free(p);
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
                              .planar = k % 7 == 6},
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
  lwt_ok(lw_forward_dynamics(c->m, c->w, c->t, q, u, c->tau, out));
}
static void demand(const lwt_case *c, const double *q, const double *u, double *out, void *to)
{
  (void)to;
  lwt_ok(lw_bias(c->m, c->w, c->t, q, u, out));
}
static void violate(const lwt_case *c, const double *q, const double *u, double *out, void *to)
{
  (void)u;
  lwt_ok(lw_constraint_equations(c->m, to, c->t, q, out, NULL));
}

static void compare_matrix(const lwt_case *c, bool speeds, function *f, void *to, int n,
                           const double *matrix, double tolerance, unsigned seed, const char *what)
{
  double *wanted = room(n), *found = room(n), *value = room(n);
  f(c, c->q, c->u, value, to);
  const double scale = lwt_scale(matrix, n * c->nu) + lwt_scale(value, n);
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
    lwt_ok(lw_count_freedoms(c.m, c.w, c.q, &dof, &redundant));
    if (redundant == 0) {
      lwt_ok(lw_forward_dynamics_derivatives(c.m, d, c.t, c.q, c.u, c.tau, c.udot, A, B, C));
      compare_matrix(&c, false, accelerate, NULL, n, A, 1e-6, k, "udot by q");
      compare_matrix(&c, true, accelerate, NULL, n, B, 1e-6, k, "udot by u");
      for (int i = 0; i < n; i++) /* what tau does is symmetric */
        for (int j = 0; j < i; j++)
          lwt_near(C[i * n + j], C[j * n + i], 1e-10 * lwt_scale(C, n * n), "seed %u", k);
    }
    lwt_ok(lw_inverse_dynamics_derivatives(c.m, d, c.t, c.q, c.u, NULL, A, B, C));
    compare_matrix(&c, false, demand, NULL, n, A, 1e-8, k, "bias by q");
    compare_matrix(&c, true, demand, NULL, n, B, 1e-8, k, "bias by u");
    lwt_ok(lw_constraint_equations(c.m, d, c.t, c.q, NULL, G));
    compare_matrix(&c, false, violate, other, ne, G, 1e-9, k, "constraints by q");
    free(A), free(B), free(C), free(G), free(speeds);
    lw_derivatives_free(d);
    lw_derivatives_free(other);
    lwt_case_free(&c);
  }
}

/* ---- assembly ---- */

/* a mechanism with speeds that are not consistent; without relations it is closed as written for p = 0 */
static lw_spec *start_spec(unsigned k)
{
  lw_spec *s = loop_spec(k, false);
  lwt_random r = lwt_seed(k);
  for (int i = 0; i < s->joints.n; i++) {
    lw_joint_desc *j = &s->joints.item[i].d;
    for (int n = 0; n < 6; n++)
      j->u[n] = lwt_uniform(&r, -1, 1);
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
  const bool ok = lw_assemble(m, w, 0, q, u, &err) == LW_OK;
  lw_work_free(w);
  lw_model_free(m);
  return ok;
}

/* q[0 ... 2] and u of p = -h, 0, h against motion and u_rate */
static void compare_starts(const lw_model *m, double *const q[3], double *const u[3], double h,
                           const double *motion, const double *u_rate, unsigned k)
{
  const int nq = lw_nq(m), nu = lw_nu(m);
  double *dq = room(nq), *du = room(nu), *xi = room(nu);
  for (int i = 0; i < nq; i++)
    dq[i] = (q[2][i] - q[0][i]) / (2 * h);
  for (int i = 0; i < nu; i++)
    du[i] = (u[2][i] - u[0][i]) / (2 * h);
  lw_motion_of(m, q[1], dq, xi);
  lwt_close(motion, xi, nu, 1e-4, 1 + lwt_scale(xi, nu), "seed %u, positions", k);
  lwt_close(u_rate, du, nu, 1e-4, 1 + lwt_scale(du, nu), "seed %u, speeds", k);
  free(dq), free(du), free(xi);
}

static void check_kept(const lw_model *m, lw_derivatives *d, const double *q, const double *u,
                       const lw_direction *x, unsigned k)
{
  const int n = lw_nequation(m);
  double *zero = room(n), *phi = room(n), *rate = room(n);
  lwt_ok(lw_vary_constraints(m, d, 0, q, u, x, phi, rate));
  for (int i = 1; i <= lw_nconstraint(m); i++)
    if (m->constraint[i].info.type == LW_GEAR) phi[m->ties.tie[m->constraint[i].tie].row] = 0;
  const double scale = 1 + lwt_scale(x->motion, lw_nu(m)) + lwt_scale(x->u, lw_nu(m));
  lwt_close(phi, zero, n, 1e-10, scale, "seed %u: constraints stay closed", k);
  lwt_close(rate, zero, n, 1e-10, scale, "seed %u: speeds stay consistent", k);
  free(zero), free(phi), free(rate);
}

/* Where the written state is closed, the smallest motion that closes it again is what assembly does; its
   differences are rough, since its steps are damped. */
static void assembled_states_follow_parameters(void **state)
{
  (void)state;
  int done = 0;
  const double h = 2e-6;
  for (unsigned k = 0; k < 60; k++) {
    lw_error err;
    lw_spec *s = start_spec(k);
    lw_model *m = compile_at(s, 0);
    const int nq = lw_nq(m), nu = lw_nu(m);
    double *q[3], *u[3], *motion = room(nu), *u_rate = room(nu);
    bool ok = true;
    for (int i = 0; i < 3; i++) {
      q[i] = room(nq), u[i] = room(nu);
      ok = assemble_at(s, (i - 1) * h, q[i], u[i]) && ok;
    }
    lw_set_parameter(s, "p", 0);
    lw_slope *slope = lw_slope_new(s, m, "p", &err);
    lw_derivatives *d = lw_derivatives_new(m);
    if (ok) {
      lwt_ok(lw_vary_assembled(m, d, 0, q[1], u[1], slope, motion, u_rate));
      const lw_direction x = {.motion = motion, .u = u_rate, .slope = slope};
      check_kept(m, d, q[1], u[1], &x, k);
      if (loop_recipe(k).relations == 0) compare_starts(m, q, u, h, motion, u_rate, k), done++;
    }
    for (int i = 0; i < 3; i++)
      free(q[i]), free(u[i]);
    free(motion), free(u_rate);
    lw_slope_free(slope);
    lw_derivatives_free(d);
    lw_model_free(m);
    lw_spec_free(s);
  }
  assert_true(done >= 10);
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
